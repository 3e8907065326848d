//! Locks on tables that statements take on what they name, to the end of their transaction.
//!
//! They are locks of the store on objects: waits for them are in its log, and deadlocks with row locks are found. Whoever
//! reads or changes rows takes one that goes with those of all others who do; a change of the schema takes one that goes
//! with none. A wait for them ends by `lock_wait_timeout`.

use std::time::Duration;

use hobgoblin_core::Key;
use hobgoblin_front::{Mode, Request, Scope, Wait};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::catalog::Relation;
use hobgoblin_sql_value::Oid;

use super::core::Core;

/// What the store calls a table that is locked.
pub(super) fn object(table: Oid) -> Key {
    Key::from(format!("table {table}"))
}

impl Core {
    /// Locks what a statement uses; whether the schema is still the one of this version.
    pub(crate) fn lock_tables(&mut self, tables: &[(Oid, Mode)], version: u64) -> Result<bool> {
        for &(oid, mode) in tables {
            self.lock_table(oid, mode)?;
        }
        if !tables.is_empty() {
            self.note_at_work();
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
            let asked = Request::hold(object(oid), mode, Scope::Transaction, Wait::Forever);
            self.waiting(self.choices.table_wait, |core| core.ask_beside(asked))?;
        }
        self.transaction.relations.push((oid, mode));
        self.refresh();
        Ok(())
    }

    /// Keeps others from making something of this name until the transaction ends.
    pub(super) fn lock_name(&mut self, name: &str) -> Result<()> {
        if !self.shared.rules.engine {
            return Ok(());
        }
        let object = Key::from(format!("name {name}"));
        let asked = Request::hold(object, Mode::Exclusive, Scope::Transaction, Wait::Forever);
        self.waiting(self.choices.table_wait, |core| core.ask_beside(asked)).map(|_| ())
    }

    /// Does something that waits no longer than that.
    pub(super) fn waiting<T>(
        &mut self,
        limit: Duration,
        work: impl FnOnce(&mut Core) -> Result<T>,
    ) -> Result<T> {
        self.tell_wait(limit);
        let done = work(self);
        self.tell_wait(self.choices.row_wait);
        done
    }
}
