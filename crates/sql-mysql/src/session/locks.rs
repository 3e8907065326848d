//! Locks on tables: those that statements take on what they name, and those that programs ask for by name.

use hobgoblin_core::Key;
use hobgoblin_front::{Answer, Mode, Request, Scope, Wait};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::catalog::Relation;
use hobgoblin_sql_schema::context::{Advisory, AdvisoryKey};
use hobgoblin_sql_value::Oid;

use super::core::Core;

fn object(key: AdvisoryKey) -> Key {
    match key {
        AdvisoryKey::One(key) => Key::from(format!("user lock {key}")),
        AdvisoryKey::Two(a, b) => Key::from(format!("user lock {a} {b}")),
    }
}

impl Core {
    /// Locks what a statement uses; whether the schema is still the one of this version.
    pub(crate) fn lock_tables(&mut self, tables: &[(Oid, Mode)], version: u64) -> Result<bool> {
        for &(oid, mode) in tables {
            self.lock_table(oid, mode)?;
        }
        Ok(self.catalog_ref().version == version)
    }

    /// Locks a table to the end of the transaction, unless that has such a lock.
    pub(crate) fn lock_table(&mut self, oid: Oid, mode: Mode) -> Result<()> {
        let held = |&(held, strong): &(Oid, Mode)| held == oid && strong == mode;
        if !self.shared.rules.engine || self.transaction.relations.iter().any(held) {
            return Ok(());
        }
        let own = match self.catalog_ref().relations.get(&oid) {
            Some(Relation::Table(table)) => table.temporary,
            _ => false,
        };
        if !own {
            self.hold(Key::from(format!("table {oid}")), mode)?;
        }
        self.transaction.relations.push((oid, mode));
        self.refresh();
        Ok(())
    }

    /// Waits for a lock as long as the session waits for tables.
    pub(crate) fn hold(&mut self, object: Key, mode: Mode) -> Result<()> {
        self.tell_wait(self.choices.table_wait);
        let held = self.ask_beside(Request::hold(object, mode, Scope::Transaction, Wait::Forever));
        self.tell_wait(self.choices.row_wait);
        held.map(|_| ())
    }

    /// Locks by name, which sessions hold whatever becomes of transactions.
    pub(crate) fn advisory(&mut self, op: Advisory) -> Result<bool> {
        let mode = |shared| if shared { Mode::Share } else { Mode::Exclusive };
        Ok(match op {
            Advisory::Lock { key, shared, wait, transaction: _ } => {
                let wait = if wait { Wait::Forever } else { Wait::Not };
                let asked = Request::hold(object(key), mode(shared), Scope::Session, wait);
                !matches!(self.request(asked)?, Answer::Locked { .. })
            }
            Advisory::Unlock { key, shared } => {
                let answer = self.request(Request::let_go(object(key), mode(shared)))?;
                matches!(answer, Answer::Value(hobgoblin_core::Value::Bool(true)))
            }
            Advisory::UnlockAll => {
                self.request(Request::LET_GO_ALL)?;
                true
            }
        })
    }
}
