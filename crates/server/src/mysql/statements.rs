//! The prepared statements of a connection: their parameters and cursors.

use std::collections::HashMap;

use hobgoblin_wire::mysql::{LAST_PREPARED, LongData, Parameters};

use super::errors::Failure;
use super::sender::Cursor;

/// The prepared statements of a connection, by number.
#[derive(Default)]
pub(crate) struct Statements {
    all: HashMap<u32, Prepared>,
    /// The one that was prepared last, if that went well.
    last: Option<u32>,
}

/// What is known of a prepared statement besides its text.
pub(crate) struct Prepared {
    pub(crate) parameters: Parameters,
    pub(crate) cursor: Option<Cursor>,
}

impl Statements {
    /// The statement that a client means, with its number.
    pub(crate) fn find(&mut self, id: u32, command: &str) -> Result<(u32, &mut Prepared), Failure> {
        let unknown = || Failure::unknown_statement(id, command);
        let meant = if id == LAST_PREPARED { self.last.ok_or_else(unknown)? } else { id };
        Ok((meant, self.all.get_mut(&meant).ok_or_else(unknown)?))
    }

    /// No statement is the last that was prepared.
    pub(crate) fn forget_last(&mut self) {
        self.last = None;
    }

    /// Adds a statement that has been prepared.
    pub(crate) fn add(&mut self, id: u32, prepared: Prepared) {
        self.all.insert(id, prepared);
        self.last = Some(id);
    }

    /// Takes a piece of a parameter. There is no answer to it, whatever it means.
    pub(crate) fn take_piece(&mut self, piece: &LongData) {
        if let Ok((_, prepared)) = self.find(piece.statement, "") {
            prepared.parameters.append(piece);
        }
    }

    /// Forgets a statement, whose number this gives.
    pub(crate) fn close(&mut self, id: u32) -> Option<u32> {
        let (id, _) = self.find(id, "").ok()?;
        self.all.remove(&id);
        Some(id)
    }
}
