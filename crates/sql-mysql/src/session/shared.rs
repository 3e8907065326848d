//! What the sessions of a server share.

use std::sync::OnceLock;
use std::time::Instant;

use hobgoblin_core::Level;
use hobgoblin_front::Store;
use hobgoblin_sql_mysql_types::Version;
use hobgoblin_sql_session::{Rules, SharedSchema};

use super::activity::Backends;
use super::choices::{isolation_of, level_of};
use super::lock_owners::NameLocks;
use crate::catalog;
use crate::dialect::MySql;
use crate::settings::{Counters, Globals, Server, Variables};
use crate::syntax::Isolation;

/// What the sessions of a server share.
#[derive(Debug)]
pub(crate) struct Shared {
    /// Which server is spoken.
    pub(crate) version: Version,
    /// What the store's profile says of rows.
    pub(crate) rules: Rules,
    /// The store's level. Of those that SQL has no name for, the one that comes next to it stands for it.
    pub(crate) level: Level,
    /// The catalogue, and who may change it.
    pub(crate) schema: SharedSchema,
    /// Who has which lock by name.
    pub(crate) names: NameLocks,
    /// The sessions.
    pub(crate) backends: Backends,
    /// The variables that sessions begin with.
    pub(crate) globals: Globals,
    /// What SHOW GLOBAL STATUS counts.
    pub(crate) counters: Counters,
    /// When it started.
    pub(crate) started: Instant,
    /// What the clock showed then, in microseconds since 2000, once somebody has asked.
    pub(crate) began: OnceLock<i64>,
}

impl AsRef<SharedSchema> for Shared {
    fn as_ref(&self) -> &SharedSchema {
        &self.schema
    }
}

impl Shared {
    pub(crate) fn new(store: &Store, dialect: &'static MySql, version: Version) -> Shared {
        let (profile, level, snapshot_isolation) = store.with_machine(|machine| {
            let config = machine.config();
            (config.profile, config.level, config.snapshot_isolation)
        });
        let globals = Globals::new(version);
        globals.start_at(isolation_of(level), snapshot_isolation);
        let collation = Variables::new(&globals, false).effects().server;
        Shared {
            version,
            rules: Rules::new(profile, None),
            level,
            schema: SharedSchema::new(catalog::new(dialect, collation), "".into()),
            names: NameLocks::default(),
            backends: Backends::new(1),
            globals,
            counters: Counters::default(),
            started: Instant::now(),
            began: OnceLock::new(),
        }
    }

    /// The level of transactions that a session's `transaction_isolation` says.
    pub(crate) fn usual_level(&self, isolation: Isolation) -> Level {
        let known = self.rules.profile.satisfies(self.level).is_some();
        match known && isolation == isolation_of(self.level) {
            true => self.level,
            false => level_of(isolation),
        }
    }

    /// What SHOW STATUS tells of the server.
    pub(crate) fn told(&self) -> Server {
        let connected = u64::try_from(self.backends.all().len()).unwrap_or(u64::MAX);
        Server { connected, uptime: self.started.elapsed().as_secs() }
    }
}
