//! What the rows of system relations are made from, beside the catalogue.

use hobgoblin_sql_schema::catalog::{Catalog, Definition, Scope};

use crate::types::{Datum, Oid, TypeEnv, TypeId};

/// A function that makes the rows of a system relation.
pub type RowsFn = fn(&Catalog, &VirtualCx<'_>) -> Vec<Vec<Datum>>;

/// What the rows of a system relation are made from, beside the catalogue.
pub struct VirtualCx<'a> {
    /// The catalogue with the session's search path and user.
    pub scope: &'a Scope,
    /// The settings and names by which values are printed.
    pub env: TypeEnv<'a>,
    /// The name of the database that the session is connected to.
    pub database: &'a str,
    /// The number of the session, by which `pg_stat_activity` knows it.
    pub backend_pid: i32,
    /// What only the session can tell.
    pub session: &'a dyn SessionRows,
    /// Prints the definitions for which expressions must be bound.
    pub define: &'a dyn Fn(Definition) -> Option<String>,
}

/// A row of `pg_stat_activity`.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct ActivityRow {
    pub pid: i32,
    pub database: String,
    pub user: String,
    pub application: String,
    pub query: String,
    pub state: &'static str,
    /// Whether it waits for a lock.
    pub waits: bool,
}

/// A row of `pg_locks`.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct LockRow {
    /// The session that has or wants the lock; `None` for a prepared transaction.
    pub pid: Option<i32>,
    /// The number of the session and of its transaction, such as `1001/1`.
    pub transaction: String,
    pub what: Locked,
    /// The mode of the lock, such as `AccessShareLock`.
    pub mode: &'static str,
    pub granted: bool,
}

/// A row of `pg_prepared_xacts`.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct PreparedRow {
    pub number: i64,
    pub identifier: String,
    pub time: i64,
    pub owner: String,
    pub database: String,
}

/// What a lock is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Locked {
    Relation(Oid),
    Advisory(hobgoblin_sql_schema::context::AdvisoryKey),
    /// The end of another transaction, which has changed a row.
    Transaction,
}

/// A row of `pg_settings`.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct SettingRow {
    pub name: String,
    pub setting: String,
    pub unit: &'static str,
    pub category: &'static str,
    pub description: &'static str,
    pub context: &'static str,
    pub vartype: &'static str,
    pub min: &'static str,
    pub max: &'static str,
    pub values: Vec<&'static str>,
    pub boot: String,
    pub reset: String,
    /// Whether it was set in this session.
    pub set: bool,
}

/// What system relations show that is not in the catalogue but known to the session.
pub trait SessionRows {
    /// The sessions that are connected, to any database.
    fn activities(&self) -> Vec<ActivityRow>;
    /// The table and advisory locks in this database, and who waits for them.
    fn locks(&self) -> Vec<LockRow>;
    /// The session's prepared statements: name, text, types of the parameters.
    fn prepared(&self) -> Vec<(String, String, Vec<TypeId>)>;
    /// The transactions of any database that PREPARE TRANSACTION has prepared.
    fn in_doubt(&self) -> Vec<PreparedRow>;
    /// The session's cursors: name, text, and whether each is holdable, binary, scrollable.
    fn cursors(&self) -> Vec<(String, String, bool, bool, bool)>;
    /// The settings with their values in this session.
    fn settings(&self) -> Vec<SettingRow>;
    /// The databases of the server, with their oids and names.
    fn databases(&self) -> Vec<(Oid, String)>;
    /// The number that a sequence gave last; `None` if it has not given one yet.
    fn last_value(&self, sequence: Oid) -> Option<i64>;
}

/// A session that knows nothing, for the rows of an empty database.
impl SessionRows for () {
    fn activities(&self) -> Vec<ActivityRow> {
        Vec::new()
    }

    fn locks(&self) -> Vec<LockRow> {
        Vec::new()
    }

    fn prepared(&self) -> Vec<(String, String, Vec<TypeId>)> {
        Vec::new()
    }
    fn in_doubt(&self) -> Vec<PreparedRow> {
        Vec::new()
    }
    fn cursors(&self) -> Vec<(String, String, bool, bool, bool)> {
        Vec::new()
    }
    fn settings(&self) -> Vec<SettingRow> {
        Vec::new()
    }
    fn databases(&self) -> Vec<(Oid, String)> {
        Vec::new()
    }
    fn last_value(&self, _sequence: Oid) -> Option<i64> {
        None
    }
}
