//! Which profile is which: the only place that tells them apart. All else asks the [`Truth`] or the [`Facts`].

use hobgoblin_core::Level;

use crate::config::{Config, Profile};
use crate::error::{AbortReason, StoreError};
use crate::lock::Lock;
use crate::truth::{Facts, Scanning, Truth};
use crate::{mysql, postgres, spec};

impl Profile {
    pub(crate) fn facts(self) -> &'static Facts {
        match self {
            Profile::Spec => &spec::FACTS,
            Profile::Postgres => &postgres::FACTS,
            Profile::Mysql => &mysql::FACTS,
        }
    }

    /// The level that plain reads satisfy of transactions that ask for this one; nothing for a level that is
    /// not served.
    ///
    /// ```
    /// use hobgoblin_core::Level;
    /// use hobgoblin_store::Profile;
    ///
    /// assert_eq!(Profile::Postgres.satisfies(Level::SI), Some(Level::SI));
    /// assert_eq!(Profile::Mysql.satisfies(Level::SI), Some(Level::PC));
    /// assert_eq!(Profile::Mysql.satisfies(Level::CC), None);
    /// ```
    #[doc(hidden)]
    pub fn satisfies(self, level: Level) -> Option<Level> {
        (self.facts().satisfies)(level)
    }

    /// The level of transactions that ask for none, where nobody says another: REPEATABLE READ in MySQL, else read committed.
    #[doc(hidden)]
    pub fn default_level(self) -> Level {
        self.facts().default_level
    }

    /// Whether a read may have several versions to choose from, so that policies and bounds of staleness matter.
    /// Else what varies is which session goes next.
    #[doc(hidden)]
    pub fn chooses(self) -> bool {
        self.facts().chooses
    }

    /// Whether reads and writes lock keys, so that sessions wait for each other.
    #[doc(hidden)]
    pub fn has_locks(self) -> bool {
        self.facts().locks_keys
    }

    /// Whether a scan may ask for this lock; where there are none it may ask for any, and reads as ever.
    #[doc(hidden)]
    pub fn locks_ranges(self, lock: Lock) -> bool {
        (self.facts().locks_ranges)(lock)
    }

    /// How the changes and locking reads of a transaction of a level find their rows.
    #[doc(hidden)]
    pub fn scanning(self, level: Level) -> Scanning {
        (self.facts().scanning)(level)
    }

    /// The level at which a single plain read outside of a transaction runs, where this one is asked for: InnoDB's locks
    /// nothing at SERIALIZABLE.
    #[doc(hidden)]
    pub fn lone_read(self, level: Level) -> Level {
        (self.facts().lone_read)(level)
    }

    /// Whether the engine leaves sessions waiting in a circle until somebody looks, see
    /// [`Config::patient`](crate::Config::patient).
    #[doc(hidden)]
    pub fn is_patient(self) -> bool {
        self.facts().patient
    }

    /// Whether a transaction with a savepoint goes on from there when a request of it is refused for this reason, or,
    /// without one, canceled.
    #[doc(hidden)]
    pub fn survives(self, reason: Option<AbortReason>) -> bool {
        (self.facts().survives)(reason)
    }

    /// Whether a level is served, else the error that says so.
    pub(crate) fn check_level(self, level: Level) -> Result<(), StoreError> {
        match self.satisfies(level) {
            Some(_) => Ok(()),
            None => {
                let (profile, served) = (self.name(), self.facts().served);
                Err(StoreError::LevelNotServed { level, profile, served })
            }
        }
    }
}

/// The truth that a configuration asks for.
pub(crate) fn truth(config: &Config) -> Box<dyn Truth> {
    (config.profile.facts().truth)(config)
}
