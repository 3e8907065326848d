//! The store as tables: in the dialect of whoever speaks SQL to it first.
//!
//! Rows are kept as a dialect has them, and so is the schema, so one store has one dialect. Where listeners of several are
//! there, as for a command of `hob test`, the first client decides, and clients of another protocol are told so.

use std::sync::OnceLock;

use hobgoblin_core::{Key, Value};
use hobgoblin_front::Store;

use crate::config::ServerConfig;
use crate::error::ServerError;
use crate::pg;

/// A database over a store, in one of the dialects; a handle that outlives its server.
#[derive(Clone)]
pub enum Tables {
    /// A database that speaks PostgreSQL's SQL.
    Postgres(pg::Database),
    /// A database that speaks MySQL's SQL.
    #[cfg(feature = "mysql")]
    MySql(crate::mysql::Database),
}

/// What a store is as tables, or may become.
pub(crate) struct Databases {
    store: Store,
    config: ServerConfig,
    spoken: OnceLock<Tables>,
}

impl Databases {
    /// The databases of a server over this store. An error if the settings make no sense.
    pub(crate) fn new(server: &ServerConfig, store: &Store) -> Result<Databases, ServerError> {
        let config = ServerConfig { over: None, replay: None, ..server.clone() };
        let databases = Databases { store: store.clone(), config, spoken: OnceLock::new() };
        databases.begin()?;
        Ok(databases)
    }

    /// Opens the only one there can be; of several, the settings are tried.
    #[cfg(feature = "mysql")]
    fn begin(&self) -> Result<(), ServerError> {
        let (pg, mysql) = (self.config.pg.is_some(), self.config.mysql.is_some());
        let store = match pg && mysql {
            true => Store::new(Default::default())?,
            false => self.store.clone(),
        };
        let postgres = self.open_postgres(&store)?;
        let mysql = self.open_mysql(&store)?;
        if let (Some(only), None) | (None, Some(only)) = (postgres, mysql) {
            let _ = self.spoken.set(only);
        }
        Ok(())
    }

    /// Opens PostgreSQL's, if it is served.
    #[cfg(not(feature = "mysql"))]
    fn begin(&self) -> Result<(), ServerError> {
        if let Some(only) = self.open_postgres(&self.store)? {
            let _ = self.spoken.set(only);
        }
        Ok(())
    }

    fn open_postgres(&self, store: &Store) -> Result<Option<Tables>, ServerError> {
        let Some(pg) = &self.config.pg else { return Ok(None) };
        let database = pg::Database::new(store.clone(), self.config.granularity, pg.dialect);
        let configured = database.configure(&self.config.settings);
        configured.map_err(|error| ServerError::Setting(error.message()))?;
        Ok(Some(Tables::Postgres(database)))
    }

    #[cfg(feature = "mysql")]
    fn open_mysql(&self, store: &Store) -> Result<Option<Tables>, ServerError> {
        let Some(mysql) = &self.config.mysql else { return Ok(None) };
        let database = crate::mysql::Database::new(store.clone(), mysql.dialect, mysql.spoken());
        let configured = database.configure(&mysql.settings);
        configured.map_err(|error| ServerError::Variable(mysql.worded(error)))?;
        Ok(Some(Tables::MySql(database)))
    }

    /// The one that is spoken to, if any is.
    pub(crate) fn spoken(&self) -> Option<&Tables> {
        self.spoken.get()
    }

    /// PostgreSQL's, for one of its clients; or why there is none.
    pub(crate) fn postgres(&self) -> Result<&pg::Database, &'static str> {
        let open = || self.open_postgres(&self.store);
        match self.claim(open)? {
            Tables::Postgres(database) => Ok(database),
            #[cfg(feature = "mysql")]
            Tables::MySql(_) => Err(TAKEN),
        }
    }

    /// MySQL's, for one of its clients; or why there is none.
    #[cfg(feature = "mysql")]
    pub(crate) fn mysql(&self) -> Result<&crate::mysql::Database, &'static str> {
        let open = || self.open_mysql(&self.store);
        match self.claim(open)? {
            Tables::MySql(database) => Ok(database),
            Tables::Postgres(_) => Err(TAKEN),
        }
    }

    /// The one that is spoken to, which becomes this one if none is.
    fn claim(
        &self,
        open: impl FnOnce() -> Result<Option<Tables>, ServerError>,
    ) -> Result<&Tables, &'static str> {
        let none = "this dialect is not served";
        // The settings were tried when the server started.
        let opened = || open().ok().flatten().ok_or(none);
        match self.spoken.get() {
            Some(tables) => Ok(tables),
            None => {
                let tables = opened()?;
                Ok(self.spoken.get_or_init(|| tables))
            }
        }
    }

    /// What the store holds, with the schema of its tables.
    pub(crate) fn snapshot(&self) -> Vec<(Key, Value)> {
        self.spoken().map_or_else(|| self.store.snapshot(), Tables::snapshot)
    }
}

/// What a client is told whose dialect is not that of the store.
#[cfg(feature = "mysql")]
const TAKEN: &str =
    "this store has tables of another dialect: its first client spoke another protocol";

impl Tables {
    /// What the store holds, with the schema as keys of its own.
    pub fn snapshot(&self) -> Vec<(Key, Value)> {
        match self {
            Tables::Postgres(database) => database.snapshot(),
            #[cfg(feature = "mysql")]
            Tables::MySql(database) => database.snapshot(),
        }
    }

    /// What of the schema a database that begins with this snapshot would not have, in words.
    pub fn missing_from(&self, snapshot: &[(Key, Value)]) -> Vec<String> {
        match self {
            Tables::Postgres(database) => database.missing_from(snapshot),
            #[cfg(feature = "mysql")]
            Tables::MySql(_) => Vec::new(),
        }
    }
}
