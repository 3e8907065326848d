//! A server's databases: a store as tables, and what its sessions share.

use std::sync::Arc;

use hobgoblin_front::Store;
use hobgoblin_sql_mysql_types::{Version, error};
use hobgoblin_sql_schema::Result;

use super::connection::Session;
use super::core::Core;
use super::shared::Shared;
use super::startup::Startup;
use crate::dialect::MySql;
use crate::settings::{Variables, configure};

/// The databases of a server over a store; a handle to share.
#[derive(Clone, Debug)]
pub struct Database {
    pub(super) store: Store,
    pub(super) shared: Arc<Shared>,
    dialect: &'static MySql,
}

impl Database {
    /// The databases of a server over a store, which speaks as this version does.
    pub fn new(store: Store, dialect: &'static MySql, version: Version) -> Database {
        let shared = Arc::new(Shared::new(&store, dialect, version));
        let database = Database { store, shared, dialect };
        database.restore();
        database
    }

    /// Others of this kind, over a store of their own.
    pub(super) fn beside(&self, store: Store) -> Database {
        Database::new(store, self.dialect, self.shared.version)
    }

    /// Sets global variables, which sessions that connect from now on begin with.
    pub fn configure(&self, settings: &[(String, String)]) -> Result<()> {
        let variables = Variables::new(&self.shared.globals, false);
        settings.iter().try_for_each(|(name, value)| configure(&variables, name, value))
    }

    /// The store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Connects a session; dropping it disconnects. A database that the client names is made unless it is there.
    pub fn connect(&self, startup: Startup) -> Result<Session> {
        let named = |name: &str| {
            let found = startup.attributes.iter().rfind(|(known, _)| known == name);
            found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
        };
        let connected = match (named("hob.session"), named("program_name")) {
            (Some(name), _) => self.store.connect(Some(name)),
            // Several clients may be the same program.
            (None, Some(name)) => {
                self.store.connect(Some(name)).or_else(|_| self.store.connect(None))
            }
            (None, None) => self.store.connect(None),
        };
        let id = connected.map_err(|problem| {
            error::error(1040, format!("the store does not take the connection: {problem}"))
        })?;
        let database = startup.database.clone().filter(|name| !name.is_empty());
        let mut core = Core::new(Arc::clone(&self.shared), self.store.clone(), id, startup);
        if let Some(database) = database {
            core.log_in_to(&database)?;
        }
        Ok(Session { core })
    }
}
