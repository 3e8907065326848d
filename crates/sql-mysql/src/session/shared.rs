//! What the sessions of a server share.

use hobgoblin_front::Store;
use hobgoblin_sql_mysql_types::Version;
use hobgoblin_sql_session::{Rules, SharedSchema};

use super::activity::Backends;
use super::name_locks::NameLocks;
use crate::catalog;
use crate::dialect::MySql;

/// What the sessions of a server share.
#[derive(Debug)]
pub(crate) struct Shared {
    /// Which server is spoken.
    pub(crate) version: Version,
    /// What the store's profile says of rows.
    pub(crate) rules: Rules,
    /// The catalogue, and who may change it.
    pub(crate) schema: SharedSchema,
    /// Who has which lock by name.
    pub(crate) names: NameLocks,
    /// The sessions.
    pub(crate) backends: Backends,
}

impl Shared {
    pub(crate) fn new(store: &Store, dialect: &'static MySql, version: Version) -> Shared {
        let profile = store.with_machine(|machine| machine.config().profile);
        Shared {
            version,
            rules: Rules::new(profile, None),
            schema: SharedSchema::new(catalog::new(dialect), "".into()),
            names: NameLocks::default(),
            backends: Backends::new(1),
        }
    }

    /// Makes a database unless it is there, for a client that names it at login.
    pub(crate) fn make_database(&self, name: &str) {
        let mut own = self.schema.begin_change();
        own.catalog = catalog::with_database(&own.catalog, name);
        let version = self.schema.next_version();
        std::sync::Arc::make_mut(&mut own.catalog).version = version;
        self.schema.install(&own, Vec::new());
        self.schema.end_change();
    }
}
