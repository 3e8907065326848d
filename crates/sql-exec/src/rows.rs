//! What the executor needs of the session it runs in: rows of the store, the rules of the transaction, the schema, and
//! somebody who knows what time it is.
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

/// The session as the executor sees it.
pub trait Rows: Context {
    /// Asks the store something that belongs to the transaction.
    fn ask(&mut self, request: Request) -> Result<Answer>;
    /// The store itself, for questions that read nothing.
    fn store(&self) -> &Store;
    /// The session that the store knows this one as.
    fn id(&self) -> SessionId;
    /// The number that clients know a transaction by.
    fn number_of(&self, transaction: u32) -> i64;

    /// How rows are kept in the store.
    fn granularity(&self) -> Granularity;
    /// Whether the store is an engine's, with locks and snapshots.
    fn is_engine(&self) -> bool;
    /// How the changes and locking reads of the transaction find their rows.
    fn scanning(&self) -> Scanning;
    /// Whether the transaction has one snapshot for all its statements, and what it locks has to be as it is there.
    fn one_snapshot(&self) -> bool;
    /// Whether the transaction is at SERIALIZABLE.
    fn is_serializable(&self) -> bool;
    /// Whether references are not checked, because that was done where the rows come from.
    fn is_replica(&self) -> bool;
    /// Refuses changes in a transaction that only reads.
    fn writing(&mut self) -> Result<()>;

    /// The schema, to be kept.
    fn schema(&self) -> Arc<Catalog>;
    /// The schema and where names are looked for.
    fn scope(&self) -> Scope;
    /// The schema when the snapshot was taken that all statements of the transaction have.
    fn seen(&self) -> Option<&Catalog>;
    /// The type of the elements of an array type.
    fn element_of(&self, ty: TypeId) -> Option<TypeId>;
    /// The rows of a table of the system.
    fn virtual_rows(&self, table: &'static SystemTable) -> Result<Vec<Vec<Datum>>>;
    /// What writing a table needs, if it was bound before.
    fn known_plan(&self, table: &Arc<Table>) -> Option<Arc<TablePlan>>;
    /// Keeps what writing a table needs.
    fn keep_plan(&mut self, table: &Arc<Table>, plan: Arc<TablePlan>);

    /// Locks a table for a check, whose schema is then the newest.
    fn lock_checked(&mut self, table: Oid, mode: Mode) -> Result<()>;
    /// Whether a constraint waits for the end of the transaction.
    fn defers(&self, constraint: &Constraint) -> bool;
    /// Keeps a check for the end of the transaction.
    fn defer(&mut self, check: Pending);

    /// The key under which a row is now that had this one.
    fn moved(&self, key: &str) -> Option<Text>;
    /// A row has another key now.
    fn row_moved(&mut self, old: &Text, new: &Text);
    /// A row was inserted under a key that another one may have left.
    fn row_inserted(&mut self, key: &Text);
    /// The number that stands for the key of a row, where it has none of its own.
    fn place_of(&self, key: &Text) -> u64;
    /// The key that a number stands for.
    fn key_at(&self, place: u64) -> Option<Text>;

    /// The newest committed keys and values of a range, read by nobody.
    fn newest_in(&self, range: &KeyRange) -> Vec<(Key, Value)> {
        self.store().newest_in(range)
    }

    /// Whether the newest version of a key is in the transaction's snapshot.
    fn sees_newest(&self, key: &Text) -> bool {
        let key = Key::Text(Text::clone(key));
        self.store().with_machine(|machine| machine.sees_newest(self.id(), &key))
    }

    /// Who wrote what the transaction has read, but for the first so many.
    fn sources(&self, first: usize) -> Vec<(Key, u32)> {
        self.store().with_machine(|machine| machine.sources(self.id(), first))
    }

    /// Who wrote the version of a key that the transaction reads.
    fn source(&self, key: &Text) -> Option<u32> {
        let key = Key::Text(Text::clone(key));
        self.store().with_machine(|machine| machine.source(self.id(), &key))
    }

    /// How values read and print, for expressions that are evaluated.
    fn env(&self) -> TypeEnv<'_> {
        self.types()
    }
}
