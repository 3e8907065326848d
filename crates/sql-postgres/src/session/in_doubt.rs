//! The prepared transactions of all databases: those that PREPARE TRANSACTION has detached from
//! their sessions, and that any session can commit or roll back.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hobgoblin_core::SessionId;
use hobgoblin_sql_session::{Moves, Own, SchemaChange};

use super::shared::Shared;
use crate::catalog::pg::PreparedRow;
use crate::error::{Code, Result, SqlError, SqlState};

/// The longest identifier that PREPARE TRANSACTION takes, in bytes.
const MAX_IDENTIFIER: usize = 199;

/// The prepared transactions of all databases, by identifier.
#[derive(Default)]
pub(crate) struct InDoubt {
    inside: Mutex<Inside>,
}

#[derive(Default)]
pub(super) struct Inside {
    pub(super) by_identifier: BTreeMap<String, Prepared>,
    /// How often each identifier has been used. Two transactions with the same one are different
    /// sessions in the history.
    pub(super) used: BTreeMap<String, u32>,
}

/// A transaction that has been prepared and not yet ended.
pub(super) struct Prepared {
    /// The session that it has in the store; `None` if it did nothing there.
    pub(super) session: Option<SessionId>,
    pub(super) shared: Arc<Shared>,
    pub(super) catalog: Option<Own>,
    pub(super) schema: Vec<SchemaChange>,
    pub(super) moves: Moves,
    pub(super) row: PreparedRow,
    /// Whether a session is committing it or rolling it back.
    pub(super) busy: bool,
}

impl InDoubt {
    pub(super) fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn rows(&self) -> Vec<PreparedRow> {
        self.lock().by_identifier.values().map(|prepared| prepared.row.clone()).collect()
    }

    /// The number of the prepared transaction that has this session of the store, if one has.
    pub(crate) fn number_of(&self, session: SessionId) -> Option<i64> {
        let inside = self.lock();
        let mut all = inside.by_identifier.values();
        all.find(|prepared| prepared.session == Some(session)).map(|prepared| prepared.row.number)
    }

    /// Fails if no more may be prepared, or another one has the identifier.
    pub(super) fn admits(&self, identifier: &str, most: i64) -> Result<()> {
        if identifier.len() > MAX_IDENTIFIER {
            let text = format!("transaction identifier \"{identifier}\" is too long");
            return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, text));
        }
        if most == 0 {
            let text = "prepared transactions are disabled";
            return Err(SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, text)
                .hint("Set max_prepared_transactions to a nonzero value."));
        }
        let inside = self.lock();
        if inside.by_identifier.contains_key(identifier) {
            let text = format!("transaction identifier \"{identifier}\" is already in use");
            return Err(SqlError::new(SqlState::DUPLICATE_OBJECT, text));
        }
        if i64::try_from(inside.by_identifier.len()).unwrap_or(i64::MAX) >= most {
            let text = "maximum number of prepared transactions reached";
            return Err(SqlError::new(Code("53200"), text)
                .hint(format!("Increase max_prepared_transactions (currently {most}).")));
        }
        Ok(())
    }

    /// The name in the history of the session that a transaction of this identifier gets.
    pub(super) fn session_name(&self, identifier: &str) -> String {
        let mut inside = self.lock();
        let used = inside.used.entry(identifier.to_owned()).or_insert(0);
        *used += 1;
        match *used {
            1 => format!("prepared {identifier}"),
            n => format!("prepared {identifier} ({n})"),
        }
    }
}
