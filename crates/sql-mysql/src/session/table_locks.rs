//! LOCK TABLES, which a session holds until it says otherwise, and which keeps it from using other tables.

use std::sync::Arc;

use hobgoblin_front::{Mode, Request, Scope, Wait};
use hobgoblin_sql_mysql_types::error;
use hobgoblin_sql_schema::catalog::{Catalog, Found};
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::Oid;

use super::core::Core;
use super::locked_table::LockedTable;
use super::locks::object;
use crate::syntax::TableLock;

impl Core {
    /// LOCK TABLES.
    pub(super) fn lock_named(&mut self, tables: &[TableLock]) -> Result<()> {
        self.unlock_tables()?;
        self.commit()?;
        let catalog = self.catalog();
        let mut wanted = Vec::new();
        for lock in tables {
            let (schema, name) = catalog.dialect.split_name(&lock.table)?;
            for table in named(&catalog, self.path(), schema.as_deref(), &name)? {
                wanted.push(LockedTable { table, write: lock.write });
            }
        }
        // All take them in one order, so that nobody waits in a circle.
        wanted.sort_by_key(|lock| (lock.table, !lock.write));
        wanted.dedup_by_key(|lock| lock.table);
        let mut held = Vec::new();
        for lock in wanted {
            let asked =
                Request::hold(object(lock.table), lock.mode(), Scope::Session, Wait::Forever);
            if let Err(error) = self.waiting(self.choices.table_wait, |core| core.request(asked)) {
                self.let_tables_go(&held)?;
                return Err(error);
            }
            held.push(lock);
        }
        self.table_locks = Some(held);
        self.refresh();
        Ok(())
    }

    /// UNLOCK TABLES. It commits if there is something to unlock.
    pub(super) fn unlock_tables(&mut self) -> Result<()> {
        let Some(held) = self.table_locks.take() else { return Ok(()) };
        let committed = self.commit();
        self.let_tables_go(&held)?;
        committed
    }

    /// The tables that a session has locked are free when it ends.
    pub(super) fn table_locks_go(&mut self) {
        if let Some(held) = self.table_locks.take() {
            let _ = self.let_tables_go(&held);
        }
    }

    fn let_tables_go(&mut self, held: &[LockedTable]) -> Result<()> {
        held.iter().try_for_each(|lock| {
            self.request(Request::let_go(object(lock.table), lock.mode())).map(|_| ())
        })
    }

    /// Refuses a table that LOCK TABLES did not name, or not to be changed.
    pub(super) fn check_table_locks(&self, tables: &[(Oid, Mode)]) -> Result<()> {
        let Some(held) = &self.table_locks else { return Ok(()) };
        for (oid, mode) in tables {
            let Some(table) = self.catalog_ref().table(*oid).filter(|table| !table.temporary)
            else {
                continue;
            };
            let writes = *mode == Mode::RowExclusive || *mode == Mode::AccessExclusive;
            match held.iter().find(|lock| lock.table == *oid) {
                None => return Err(not_locked(&table.name)),
                Some(lock) if writes && !lock.write => {
                    let text = format!(
                        "Table '{}' was locked with a READ lock and can't be updated",
                        table.name
                    );
                    return Err(error::error(1099, text));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}

/// The tables that a name means: one, or those that a view is over.
fn named(
    catalog: &Arc<Catalog>,
    path: &[String],
    schema: Option<&str>,
    name: &str,
) -> Result<Vec<Oid>> {
    let mut tables = Vec::new();
    let mut names = vec![catalog.require(path, schema, name)?.oid()];
    while let Some(oid) = names.pop() {
        match catalog.relation(oid) {
            Some(Found::Table(table)) if !table.temporary => tables.push(table.oid),
            Some(Found::View(view)) => names.extend(&view.uses),
            _ => {}
        }
    }
    Ok(tables)
}

/// 1100.
fn not_locked(name: &str) -> SqlError {
    error::error(1100, format!("Table '{name}' was not locked with LOCK TABLES"))
}
