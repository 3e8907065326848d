//! What the rows of system relations are made from, beside the catalogue.

use hobgoblin_sql_schema::catalog::{Catalog, Definition, Scope};

use crate::types::{Datum, Oid, TypeEnv, TypeId};

/// Makes the rows of a system relation.
pub type RowsFn = fn(&Catalog, &VirtualCx<'_>) -> Vec<Vec<Datum>>;

/// What rows of system relations depend on beside the catalogue.
pub struct VirtualCx<'a> {
    /// The search path and the user.
    pub scope: &'a Scope,
    /// How values read and print.
    pub env: TypeEnv<'a>,
    /// The database's name.
    pub database: &'a str,
    /// The session's number, for `pg_stat_activity`.
    pub backend_pid: i32,
    /// What the session knows: prepared statements and cursors.
    pub session: &'a dyn SessionRows,
    /// Prints definitions that need bound expressions.
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
    /// Nothing for a prepared transaction.
    pub pid: Option<i32>,
    /// Such as `1001/1`.
    pub transaction: String,
    pub what: Locked,
    /// Such as `AccessShareLock`.
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
    /// The end of another transaction, which has a row.
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

/// Rows that only the session can tell.
pub trait SessionRows {
    /// The sessions of all databases.
    fn activities(&self) -> Vec<ActivityRow>;
    /// The locks of this database.
    fn locks(&self) -> Vec<LockRow>;
    /// Prepared statements: name, text, parameter types.
    fn prepared(&self) -> Vec<(String, String, Vec<TypeId>)>;
    /// The prepared transactions of all databases.
    fn in_doubt(&self) -> Vec<PreparedRow>;
    /// Cursors: name, text, whether holdable, binary, scrollable.
    fn cursors(&self) -> Vec<(String, String, bool, bool, bool)>;
    /// The settings, for `pg_settings`.
    fn settings(&self) -> Vec<SettingRow>;
    /// The databases.
    fn databases(&self) -> Vec<(Oid, String)>;
    /// The counter of a sequence: its last value, if it was called.
    fn last_value(&self, sequence: Oid) -> Option<i64>;
}

/// A session without anything.
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
