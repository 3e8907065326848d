//! Changes of the schema. Each is a transaction of its own: what is open is committed before it.

use std::sync::Arc;

use hobgoblin_core::Key;
use hobgoblin_front::{Mode, Request};
use hobgoblin_sql_exec::described;
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::catalog::Relation;
use hobgoblin_sql_session::SchemaChange;

use super::core::Core;
use crate::catalog::plain;
use crate::syntax::Special;

impl Core {
    /// Runs a statement that changes the schema.
    pub(super) fn change_schema(&mut self, special: &Special) -> Result<()> {
        self.commit()?;
        let result = self.change(special);
        match result {
            Ok(()) => self.commit(),
            Err(error) => {
                self.rollback();
                Err(error)
            }
        }
    }

    fn change(&mut self, special: &Special) -> Result<()> {
        let text = self.statement.clone().unwrap_or_default();
        loop {
            let before = self.catalog();
            let mut after = (*before).clone();
            plain::change(&mut after, special, self.database.as_deref())?;
            let gone = before
                .tables()
                .filter(|table| after.table(table.oid).is_none_or(|now| !Arc::ptr_eq(now, table)));
            let gone: Vec<_> = gone.map(|table| (table.oid, Mode::AccessExclusive)).collect();
            if !self.lock_tables(&gone, before.version)? {
                continue;
            }
            let mut own = self.shared.schema.begin_change();
            after.version = self.shared.schema.next_version();
            own.catalog = Arc::new(after);
            let counters: Vec<_> = own
                .catalog
                .relations
                .values()
                .filter_map(|relation| match relation {
                    Relation::Sequence(sequence) if before.sequence(sequence.oid).is_none() => {
                        Some((Key::from(&*sequence.prefix), sequence.start))
                    }
                    _ => None,
                })
                .collect();
            for (key, start) in counters {
                self.request(Request::set_counter(key, start))?;
            }
            self.store.describe(described(&own.catalog, &before));
            self.transaction.catalog = Some(own);
            let context = match &self.database {
                Some(database) => format!("USE `{}`", database.replace('`', "``")),
                None => String::new(),
            };
            let change = SchemaChange { context: context.into(), statement: text.into() };
            self.transaction.changes.push(change);
            self.refresh();
            return Ok(());
        }
    }
}
