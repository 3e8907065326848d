//! The session as the executor sees it.

use std::sync::Arc;

use hobgoblin_core::{SessionId, Text};
use hobgoblin_front::{Answer, Mode, Request, Scanning, Store, Wait};

use super::Granularity;
use super::core::{Core, FIRST_XID};
use crate::catalog::{Catalog, Constraint, Scope, Table};
use crate::error::Result;
use crate::execute::{Pending, Rows, TablePlan};
use crate::types::{Datum, Oid, TypeId};
use hobgoblin_sql_schema::SystemTable;

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
        FIRST_XID + i64::from(transaction)
    }

    fn granularity(&self) -> Granularity {
        self.shared.rules.granularity
    }

    fn is_engine(&self) -> bool {
        Core::is_engine(self)
    }

    fn scanning(&self) -> Scanning {
        Core::scanning(self)
    }

    fn one_snapshot(&self) -> bool {
        !self.shared.rules.locks_scans && Core::one_snapshot(self)
    }

    fn is_serializable(&self) -> bool {
        Core::is_serializable(self)
    }

    fn is_replica(&self) -> bool {
        self.settings.raw("session_replication_role").is_some_and(|role| role == "replica")
    }

    fn writing(&mut self) -> Result<()> {
        Core::writing(self)
    }

    fn schema(&self) -> Arc<Catalog> {
        self.catalog()
    }

    fn scope(&self) -> Scope {
        Core::scope(self)
    }

    fn seen(&self) -> Option<&Catalog> {
        self.transaction.seen.as_deref()
    }

    fn element_of(&self, ty: TypeId) -> Option<TypeId> {
        Core::element_of(self, ty)
    }

    fn virtual_rows(&self, table: &'static SystemTable) -> Result<Vec<Vec<Datum>>> {
        Core::virtual_rows(self, table)
    }

    fn known_plan(&self, table: &Arc<Table>) -> Option<Arc<TablePlan>> {
        self.plans.get(&(Arc::as_ptr(table) as usize)).map(|(_, plan)| Arc::clone(plan))
    }

    fn keep_plan(&mut self, table: &Arc<Table>, plan: Arc<TablePlan>) {
        self.plans.insert(Arc::as_ptr(table) as usize, (Arc::clone(table), plan));
    }

    fn lock_checked(&mut self, table: Oid, mode: Mode) -> Result<()> {
        if !self.transaction.relations.contains(&(table, mode)) {
            self.lock_relation(table, mode, Wait::Forever)?;
            self.refresh();
        }
        Ok(())
    }

    fn defers(&self, constraint: &Constraint) -> bool {
        constraint.deferrable
            && self
                .transaction
                .deferred_mode(constraint.oid)
                .unwrap_or(constraint.initially_deferred)
    }

    fn defer(&mut self, check: Pending) {
        self.transaction.deferred.push(check);
    }

    fn moved(&self, key: &str) -> Option<Text> {
        self.shared.schema.moved(key)
    }

    fn row_moved(&mut self, old: &Text, new: &Text) {
        self.transaction.row_moved(old, new);
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
