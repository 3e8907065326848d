//! A server's databases: a store as tables, and what its sessions share.

use hobgoblin_core::{Key, Value};
use hobgoblin_front::Store;
use hobgoblin_sql_mysql_types::Version;
use hobgoblin_sql_schema::{Result, SqlError};

use super::connection::Session;
use super::startup::Startup;
use crate::dialect::MySql;

/// The databases of a server over a store; a handle to share.
#[derive(Clone, Debug)]
pub struct Database {
    store: Store,
    dialect: &'static MySql,
    version: Version,
}

impl Database {
    /// The databases of a server over a store, which speaks as this version does.
    pub fn new(store: Store, dialect: &'static MySql, version: Version) -> Database {
        Database { store, dialect, version }
    }

    /// Sets global variables, which sessions that connect from now on begin with.
    pub fn configure(&self, settings: &[(String, String)]) -> Result<()> {
        match settings.first() {
            None => Ok(()),
            Some((name, _)) => Err(SqlError::unsupported(format!("the variable {name}"))),
        }
    }

    /// The store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Connects a session; dropping it disconnects.
    pub fn connect(&self, startup: Startup) -> Result<Session> {
        Session::connect(self.store.clone(), self.dialect, self.version, startup)
    }

    /// What the keys hold after all that committed, with the schema and the counters as keys of their own: databases
    /// over a store that [begins](hobgoblin_front::Config::initial) with these go on where these are.
    pub fn snapshot(&self) -> Vec<(Key, Value)> {
        self.store.snapshot()
    }
}
