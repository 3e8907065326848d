//! The session as the executor sees it.

use std::sync::Arc;

use hobgoblin_core::{SessionId, Text};
use hobgoblin_front::{Answer, Mode, Request, Scanning, Store};
use hobgoblin_sql_exec::{Granularity, Pending, Rows, TablePlan};
use hobgoblin_sql_schema::catalog::{Catalog, Constraint, Scope, Table};
use hobgoblin_sql_schema::{Result, SystemTable};
use hobgoblin_sql_value::{Datum, Oid, TypeId};

use super::core::Core;

impl Rows for Core {
    fn ask(&mut self, request: Request) -> Result<Answer> {
        Core::ask(self, request)
    }

    fn store(&self) -> &Store {
        &self.store
    }

    fn id(&self) -> SessionId {
        self.id
    }

    fn number_of(&self, transaction: u32) -> i64 {
        i64::from(transaction)
    }

    fn granularity(&self) -> Granularity {
        self.shared.rules.granularity
    }

    fn is_engine(&self) -> bool {
        self.shared.rules.engine
    }

    fn scanning(&self) -> Scanning {
        Core::scanning(self)
    }

    fn one_snapshot(&self) -> bool {
        !self.shared.rules.locks_scans && self.level().is_atomic()
    }

    fn is_serializable(&self) -> bool {
        self.level().is_serial()
    }

    fn is_replica(&self) -> bool {
        !self.choices.checks_references
    }

    /// Statements were refused before they ran.
    fn writing(&mut self) -> Result<()> {
        Ok(())
    }

    fn schema(&self) -> Arc<Catalog> {
        self.catalog()
    }

    fn scope(&self) -> Scope {
        Core::scope(self)
    }

    /// A snapshot is of rows; tables are there as they are.
    fn seen(&self) -> Option<&Catalog> {
        None
    }

    fn element_of(&self, _ty: TypeId) -> Option<TypeId> {
        None
    }

    fn virtual_rows(&self, table: &'static SystemTable) -> Result<Vec<Vec<Datum>>> {
        Ok(Core::system_rows(self, table))
    }

    fn known_plan(&self, table: &Arc<Table>) -> Option<Arc<TablePlan>> {
        self.plans.get(&(Arc::as_ptr(table) as usize)).map(|(_, plan)| Arc::clone(plan))
    }

    fn keep_plan(&mut self, table: &Arc<Table>, plan: Arc<TablePlan>) {
        self.plans.insert(Arc::as_ptr(table) as usize, (Arc::clone(table), plan));
    }

    fn lock_checked(&mut self, table: Oid, mode: Mode) -> Result<()> {
        self.lock_table(table, mode)
    }

    fn defers(&self, _constraint: &Constraint) -> bool {
        false
    }

    fn defer(&mut self, _check: Pending) {}

    fn moved(&self, key: &str) -> Option<Text> {
        self.shared.schema.moved(key)
    }

    fn row_moved(&mut self, old: &Text, new: &Text) {
        for (_, now) in &mut self.transaction.moves {
            if now.as_ref() == Some(old) {
                *now = Some(Text::clone(new));
            }
        }
        self.transaction.moves.push((Text::clone(new), None));
        self.transaction.moves.push((Text::clone(old), Some(Text::clone(new))));
    }

    fn row_inserted(&mut self, key: &Text) {
        if self.shared.schema.has_moves() {
            self.transaction.moves.push((Text::clone(key), None));
        }
    }

    fn place_of(&self, key: &Text) -> u64 {
        self.shared.schema.place_of(key)
    }

    fn key_at(&self, place: u64) -> Option<Text> {
        self.shared.schema.key_at(place)
    }
}
