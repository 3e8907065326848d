//! A database: a store whose keys are tables, and what its sessions share.

use std::sync::Arc;

use hobgoblin_core::Level;
use hobgoblin_front::Store;
use hobgoblin_sql_schema::Dialect;
use hobgoblin_sql_session::Rules;

use super::connection::Session;
use super::core::Core;
use super::databases::Databases;
use super::shared::Shared;
use super::startup::{DEFAULT_USER, Startup};
use crate::error::{Code, Result, SqlError};
use crate::execute::Granularity;
use crate::settings::Settings;

/// A database over a store, with sessions that speak PostgreSQL's SQL. Clones are handles of the
/// same database.
#[derive(Clone)]
pub struct Database {
    pub(super) store: Store,
    pub(super) databases: Arc<Databases>,
    pub(super) level: Level,
}

impl Database {
    /// A database over an empty store; `dialect` has the functions. Rows are kept whole in an
    /// engine's store, and by cells in that of `spec` unless `granularity` says otherwise.
    pub fn new(
        store: Store,
        granularity: Option<Granularity>,
        dialect: &'static dyn Dialect,
    ) -> Database {
        let (profile, level) =
            store.with_machine(|machine| (machine.config().profile, machine.config().level));
        let rules = Rules::new(profile, granularity);
        let databases = Arc::new(Databases::new(Shared::new(rules, dialect)));
        let database = Database { store, databases, level };
        database.restore();
        database
    }

    /// Sets what PostgreSQL reads from `postgresql.conf`. Sessions that connect from now on begin
    /// with it.
    pub fn configure(&self, settings: &[(String, String)]) -> Result<()> {
        let mut tried = Settings::default();
        settings.iter().try_for_each(|(name, value)| tried.configure(name, value))?;
        self.databases.configure(settings.to_vec());
        Ok(())
    }

    /// The store that has the keys of all tables.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Connects a session, which disconnects when it is dropped. The setting `hob.session` is its
    /// name in the history.
    pub fn connect(&self, startup: Startup) -> Result<Session> {
        let named = |(setting, _): &&(String, String)| setting.eq_ignore_ascii_case("hob.session");
        let name = startup.settings.iter().rfind(named).map(|(_, name)| name.as_str());
        let id = self.store.connect(name.filter(|name| !name.is_empty())).map_err(|error| {
            SqlError::new(Code("08006"), format!("the store does not take the connection: {error}"))
        })?;
        // PostgreSQL waits for locks as long as it takes; deadlocks are found.
        self.store.set_lock_timeout(id, None);
        let user = if startup.user.is_empty() { DEFAULT_USER } else { &startup.user };
        let database = if startup.database.is_empty() { user } else { &startup.database };
        let mut core =
            Core::new(Arc::clone(&self.databases), self.store.clone(), id, user, database);
        core.level = self.level;
        let isolation = match self.level {
            Level::SER | Level::SSER => "serializable",
            Level::SI | Level::PSI | Level::PC => "repeatable read",
            Level::RU | Level::RC | Level::RA | Level::CC => "read committed",
        };
        core.settings.startup("default_transaction_isolation", isolation)?;
        let configured = self.databases.settings();
        for (name, value) in &*configured {
            core.settings.configure(name, value)?;
        }
        for (name, value) in &startup.settings {
            core.settings.startup(name, value)?;
        }
        let mut given = configured.iter().chain(&startup.settings);
        if given.any(|(name, _)| name.eq_ignore_ascii_case("default_transaction_isolation")) {
            let level = core.settings.get("default_transaction_isolation");
            core.startup_level = level.and_then(|level| core.level_named(&level));
        }
        core.refresh();
        let secret = (i64::from(core.pid).wrapping_mul(0x9E37_79B9) as i32) ^ 0x5bd1_e995;
        Ok(Session { core, secret })
    }
}
