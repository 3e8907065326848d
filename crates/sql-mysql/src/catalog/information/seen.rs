//! What the rows of `information_schema` are made from.

use std::sync::Arc;

use hobgoblin_sql_mysql_types::Version;
use hobgoblin_sql_mysql_types::temporal::Moment;
use hobgoblin_sql_schema::catalog::{Catalog, Found, Schema, Table, View};
use hobgoblin_sql_value::{Datum, Oid};

use crate::catalog::names::is_temporary;
use crate::syntax::Isolation;

/// What the rows of `information_schema` are made from.
pub struct Seen<'a> {
    /// The schema.
    pub catalog: &'a Catalog,
    /// Which server it is.
    pub version: Version,
    /// The user, with the host: `root@localhost`.
    pub user: &'a str,
    /// What the session knows.
    pub session: &'a dyn SessionRows,
}

/// Rows that only the session can tell.
pub trait SessionRows {
    /// The sessions of the server.
    fn processes(&self) -> Vec<Process>;
    /// The transactions that have come to a table, the newest first.
    fn transactions(&self) -> Vec<OpenTransaction>;
    /// The value that a counter gives next.
    fn next_value(&self, counter: Oid) -> Option<i64>;
    /// Variables with their values.
    fn variables(&self, global: bool) -> Vec<(String, String)>;
    /// What is known of variables, as the columns of `SYSTEM_VARIABLES`.
    fn described_variables(&self) -> Vec<[Option<String>; 15]>;
    /// Counters of the session, or of the server, with their values.
    fn status(&self, global: bool) -> Vec<(String, String)>;
}

/// A session, as SHOW PROCESSLIST shows it.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its number.
    pub id: u32,
    /// Whose it is.
    pub user: String,
    /// Where its client is.
    pub host: String,
    /// The database in use.
    pub database: Option<String>,
    /// For how many seconds it has done what it does.
    pub seconds: i64,
    /// What it is at, in MariaDB's words.
    pub state: &'static str,
    /// The statement that runs; nothing while it waits for its client.
    pub statement: Option<String>,
}

/// A transaction that has come to a table, as INNODB_TRX shows it.
#[derive(Clone, Debug)]
pub struct OpenTransaction {
    /// Its number, which is also that of histories.
    pub number: u32,
    /// Its session's.
    pub connection: u32,
    /// When it came to a table, in the session's zone who asks.
    pub started: Moment,
    /// The row that it waits for.
    pub wait: Option<RowWait>,
    /// The statement that runs; nothing while it waits for its client.
    pub statement: Option<String>,
    /// Its level.
    pub isolation: Isolation,
    /// Whether it may only read.
    pub read_only: bool,
    /// Whether it is a single plain read.
    pub lone_read: bool,
    /// `foreign_key_checks`.
    pub checks_references: bool,
}

/// A row, or a gap, that a transaction waits for.
#[derive(Clone, Debug)]
pub struct RowWait {
    /// Since when.
    pub since: Moment,
    /// The key of the row or of the entry of an index.
    pub key: String,
    /// Whether others may have the same lock.
    pub shared: bool,
    /// Whether it waits for the gap before the key.
    pub gap: bool,
    /// Whether its statement is an INSERT of values.
    pub inserts: bool,
    /// The numbers of the transactions that it waits for, each with whether it has the lock and shares it.
    pub blockers: Vec<(u32, bool)>,
}

/// A table or view.
pub(super) enum Shown<'a> {
    Table(&'a Arc<Table>),
    View(&'a Arc<View>),
}

impl Shown<'_> {
    pub(super) fn name(&self) -> &str {
        match self {
            Shown::Table(table) => &table.name,
            Shown::View(view) => &view.name,
        }
    }
}

impl<'a> Seen<'a> {
    /// The databases.
    pub(super) fn databases(&self) -> impl Iterator<Item = &'a Schema> + use<'a> {
        self.catalog.schemas.values().filter(|schema| !is_temporary(&schema.name))
    }

    /// The tables and views of all databases, by database and name.
    pub(super) fn relations(&self) -> Vec<(&'a str, Shown<'a>)> {
        let mut all = Vec::new();
        for schema in self.databases() {
            for name in schema.relations.keys() {
                match self.catalog.relation_in(&schema.name, name) {
                    Some(Found::Table(table)) => {
                        all.push((schema.name.as_str(), Shown::Table(table)))
                    }
                    Some(Found::View(view)) => all.push((schema.name.as_str(), Shown::View(view))),
                    _ => {}
                }
            }
        }
        all
    }

    /// The tables and views of all schemas, those of temporary tables too.
    pub(super) fn every_relation(&self) -> Vec<(&'a str, Shown<'a>)> {
        let mut all = self.relations();
        for schema in self.catalog.schemas.values().filter(|schema| is_temporary(&schema.name)) {
            for name in schema.relations.keys() {
                if let Some(Found::Table(table)) = self.catalog.relation_in(&schema.name, name) {
                    all.push((schema.name.as_str(), Shown::Table(table)));
                }
            }
        }
        all
    }

    /// The tables of all databases.
    pub(super) fn tables(&self) -> Vec<(&'a str, &'a Arc<Table>)> {
        let tables = self.relations().into_iter().filter_map(|(database, shown)| match shown {
            Shown::Table(table) => Some((database, table)),
            Shown::View(_) => None,
        });
        tables.collect()
    }
}

/// A text.
pub(super) fn text(text: &str) -> Datum {
    Datum::text(text)
}

/// A text, or NULL.
pub(super) fn perhaps(text: Option<&str>) -> Datum {
    text.map_or(Datum::Null, Datum::text)
}

/// A number.
pub(super) fn number(number: impl TryInto<i64>) -> Datum {
    Datum::Int(number.try_into().unwrap_or(i64::MAX))
}
