//! What the rows of `information_schema` are made from.

use std::sync::Arc;

use hobgoblin_sql_mysql_types::Version;
use hobgoblin_sql_schema::catalog::{Catalog, Found, Schema, Table, View};
use hobgoblin_sql_value::{Datum, Oid};

use crate::catalog::names::is_temporary;

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
    /// The statement that runs; nothing while it waits for its client.
    pub statement: Option<String>,
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
