//! What the executor needs of the session it runs in: rows of the store, the rules of the
//! transaction, the schema, and the time.
//!
//! The executor knows neither sessions nor dialects: this trait is all it sees of them.

use std::sync::Arc;

use hobgoblin_core::{Key, SessionId, Text, Value};
use hobgoblin_front::{Answer, KeyRange, Mode, Request, Scanning, Store};

use super::{Granularity, Pending, TablePlan};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::SystemTable;
use hobgoblin_sql_schema::catalog::{Catalog, Constraint, Scope, Table};
use hobgoblin_sql_schema::context::Context;
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_value::{Datum, Oid, TypeId};

/// A session, as the executor sees it.
pub trait Rows: Context {
    /// Sends a request of the transaction to the store, and gives the answer.
    fn ask(&mut self, request: Request) -> Result<Answer>;
    /// The store itself, for questions that are no reads of the transaction.
    fn store(&self) -> &Store;
    /// The number by which the store knows the session.
    fn id(&self) -> SessionId;
    /// The number by which clients know a transaction of the store.
    fn number_of(&self, transaction: u32) -> i64;

    /// Whether the store keeps rows whole or by cells.
    fn granularity(&self) -> Granularity;
    /// Whether the store behaves as a real engine, with locks and snapshots; otherwise it is the
    /// `spec` profile.
    fn is_engine(&self) -> bool;
    /// How changes and locking reads of the transaction find their rows.
    fn scanning(&self) -> Scanning;
    /// Whether all statements of the transaction share one snapshot. What it locks must then be as
    /// it is there.
    fn one_snapshot(&self) -> bool;
    /// Whether the transaction is at SERIALIZABLE.
    fn is_serializable(&self) -> bool;
    /// Whether foreign keys are not checked, since they were where the rows come from
    /// (`session_replication_role`).
    fn is_replica(&self) -> bool;
    /// Fails if the transaction is read-only.
    fn writing(&mut self) -> Result<()>;

    /// The catalogue, as a value to keep.
    fn schema(&self) -> Arc<Catalog>;
    /// The catalogue with the session's search path.
    fn scope(&self) -> Scope;
    /// The catalogue at the time of the snapshot, if all statements of the transaction share one.
    fn seen(&self) -> Option<&Catalog>;
    /// The type of the elements of an array type.
    fn element_of(&self, ty: TypeId) -> Option<TypeId>;
    /// The rows of a system table at the moment.
    fn virtual_rows(&self, table: &'static SystemTable) -> Result<Vec<Vec<Datum>>>;
    /// What writing a table needs, if it has been bound before.
    fn known_plan(&self, table: &Arc<Table>) -> Option<Arc<TablePlan>>;
    /// Keeps what writing a table needs, for the next statement.
    fn keep_plan(&mut self, table: &Arc<Table>, plan: Arc<TablePlan>);

    /// Locks a table for a check. The catalogue the check then sees has its newest schema.
    fn lock_checked(&mut self, table: Oid, mode: Mode) -> Result<()>;
    /// Whether the constraint is checked at the end of the transaction, not of the statement.
    fn defers(&self, constraint: &Constraint) -> bool;
    /// Keeps a check until the end of the transaction.
    fn defer(&mut self, check: Pending);

    /// The key that a row has now which had this one; `None` if it was not moved.
    fn moved(&self, key: &str) -> Option<Text>;
    /// Notes that a row has moved to another key.
    fn row_moved(&mut self, old: &Text, new: &Text);
    /// Notes that a row was inserted under a key that another one may have been moved from.
    fn row_inserted(&mut self, key: &Text);
    /// The number that stands in `ctid` for a row whose key is no number.
    fn place_of(&self, key: &Text) -> u64;
    /// The key of the row for which a number stands in `ctid`.
    fn key_at(&self, place: u64) -> Option<Text>;

    /// The newest committed keys and values of a range. Nothing of it is a read of the transaction.
    fn newest_in(&self, range: &KeyRange) -> Vec<(Key, Value)> {
        self.store().newest_in(range)
    }

    /// Whether the newest version of a key is in the transaction's snapshot.
    fn sees_newest(&self, key: &Text) -> bool {
        let key = Key::Text(Text::clone(key));
        self.store().with_machine(|machine| machine.sees_newest(self.id(), &key))
    }

    /// Who wrote what the transaction has read, without its first so many reads.
    fn sources(&self, first: usize) -> Vec<(Key, u32)> {
        self.store().with_machine(|machine| machine.sources(self.id(), first))
    }

    /// Who wrote the version of a key that the transaction would read.
    fn source(&self, key: &Text) -> Option<u32> {
        let key = Key::Text(Text::clone(key));
        self.store().with_machine(|machine| machine.source(self.id(), &key))
    }

    /// The settings and names by which values are read and printed.
    fn env(&self) -> TypeEnv<'_> {
        self.types()
    }
}
