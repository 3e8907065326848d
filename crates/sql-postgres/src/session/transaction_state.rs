//! The state of a session's transaction.

use std::sync::Arc;

use hobgoblin_core::{Level, Text};
use hobgoblin_front::Mode;
use hobgoblin_sql_session::{Moves, Own, SchemaChange};

use crate::catalog::Catalog;
use crate::execute::Pending;
use crate::settings::{Saved, Settings};
use crate::types::Oid;

/// The state of a session's transaction.
#[derive(Default)]
pub(crate) struct Transaction {
    /// Whether there is one.
    pub(crate) begun: bool,
    /// Whether BEGIN opened it.
    pub(crate) block: bool,
    /// Whether it has failed.
    pub(crate) failed: bool,
    /// Whether the store has it open.
    pub(crate) open: bool,
    /// Whether the store has already ended it, so that nothing more can be done in it.
    pub(crate) gone: bool,
    /// Whether a statement of it has been told to the store, which takes its snapshot then.
    pub(crate) snapshot: bool,
    /// The catalogue then, where that is the snapshot of all its statements.
    pub(crate) seen: Option<Arc<Catalog>>,
    /// The level asked for.
    pub(crate) level: Option<Level>,
    /// Whether it is a single plain read outside of a block.
    pub(crate) lone_read: bool,
    /// Whether it was asked for as READ UNCOMMITTED, which is shown so.
    pub(super) uncommitted: bool,
    pub(crate) read_only: bool,
    /// DEFERRABLE: at SERIALIZABLE one that is READ ONLY waits for a safe snapshot.
    pub(crate) deferrable: bool,
    /// When it began.
    pub(crate) time: Option<i64>,
    /// Its number, once asked for.
    pub(crate) number: Option<i64>,
    /// Its own catalogue, once it has changed it.
    pub(crate) catalog: Option<Own>,
    /// Rows that have another key now, with that key, and keys of new rows.
    pub(crate) moves: Moves,
    /// The locks it has on relations, in the order it took them.
    pub(crate) relations: Vec<(Oid, Mode)>,
    /// The statements that changed it.
    pub(crate) schema: Vec<SchemaChange>,
    /// Checks for its end.
    pub(crate) deferred: Vec<Pending>,
    /// SET CONSTRAINTS: all, then by name.
    pub(super) modes: Vec<(Option<Oid>, bool)>,
    /// Notifications to send at its commit.
    pub(crate) notifications: Vec<(String, String)>,
    /// What its session listens to from its commit on.
    pub(crate) listens: Vec<Listen>,
    pub(super) savepoints: Vec<Savepoint>,
    pub(super) settings: Option<Saved>,
}

/// LISTEN and UNLISTEN, until the transaction commits.
#[derive(Clone, Debug)]
pub(crate) enum Listen {
    To(String),
    /// No more to this channel, or to any.
    NoMore(Option<String>),
}

/// What a savepoint goes back to.
pub(super) struct Savepoint {
    pub(super) name: String,
    pub(super) settings: Saved,
    pub(super) catalog: Option<Own>,
    pub(super) relations: usize,
    pub(super) moves: Moves,
    pub(super) deferred: Vec<Pending>,
    pub(super) modes: Vec<(Option<Oid>, bool)>,
    pub(super) schema: usize,
    pub(super) notifications: usize,
    pub(super) listens: usize,
    /// The portals there were.
    pub(super) portals: Vec<String>,
    /// Whether the store knows it.
    pub(super) stored: bool,
}

impl Transaction {
    /// A row has another key now; who knew it by an earlier one finds it there.
    pub(crate) fn row_moved(&mut self, old: &Text, new: &Text) {
        let mut returned = false;
        for (key, now) in &mut self.moves {
            if now.as_ref() == Some(old) {
                *now = Some(Text::clone(new));
                returned |= key == new;
            }
        }
        if !returned {
            self.moves.push((Text::clone(new), None));
        }
        self.moves.push((Text::clone(old), Some(Text::clone(new))));
    }

    /// Keeps a notification for the commit; what one transaction says twice is sent once.
    pub(crate) fn notify(&mut self, channel: String, payload: String) {
        let notification = (channel, payload);
        if !self.notifications.contains(&notification) {
            self.notifications.push(notification);
        }
    }

    /// How SHOW prints its level.
    pub(crate) fn isolation(&self, settings: &Settings) -> String {
        match self.level {
            Some(Level::SER | Level::SSER) => "serializable".to_owned(),
            Some(Level::SI | Level::PSI | Level::PC) => "repeatable read".to_owned(),
            Some(Level::RU | Level::RC | Level::RA | Level::CC) => match self.uncommitted {
                true => "read uncommitted".to_owned(),
                false => "read committed".to_owned(),
            },
            None => settings
                .get("default_transaction_isolation")
                .unwrap_or_else(|| "read committed".to_owned()),
        }
    }

    pub(crate) fn deferred_mode(&self, constraint: Oid) -> Option<bool> {
        let fits = |(which, _): &&(Option<Oid>, bool)| which.is_none_or(|oid| oid == constraint);
        self.modes.iter().rev().find(fits).map(|(_, deferred)| *deferred)
    }
}

/// The level of an SQL name.
pub(crate) fn level_of(name: &str) -> Option<Level> {
    match name.to_ascii_lowercase().as_str() {
        "read uncommitted" | "read committed" => Some(Level::RC),
        "repeatable read" => Some(Level::SI),
        "serializable" => Some(Level::SER),
        _ => None,
    }
}
