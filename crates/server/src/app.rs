//! What the handlers share: the server's setup, and the store that is running now.

use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

use hobgoblin_store::Config;

use crate::bodies::Reset;
use crate::config::ServerConfig;
use crate::error::ServerError;
use crate::problem::Problem;
use crate::run::Run;
use crate::taken::LastTaken;

/// The connections of SQL clients, as far as a reset has to do with them.
pub(crate) trait SqlClients: Send + Sync {
    /// Ends the connections of stores before the one of this number, and waits until they have ended.
    fn disconnect_before(&self, run: u32);
}

/// The server's setup and the store of now; a reset puts a new one in its place.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) config: ServerConfig,
    run: RwLock<Arc<Run>>,
    /// Held during a reset, so that there is one at a time.
    resetting: Mutex<()>,
    /// The connections of SQL clients, of each listener that can have any.
    sql: Mutex<Vec<Weak<dyn SqlClients>>>,
    /// Why SQL clients got no store, if they did not.
    pub(crate) refused: Mutex<Option<ServerError>>,
    /// The history as the status page shows it.
    pub(crate) taken: LastTaken,
}

impl App {
    pub(crate) fn new(config: ServerConfig) -> Result<App, ServerError> {
        let run = Run::start(&config, config.store.clone(), 1)?;
        Ok(App {
            config,
            run: RwLock::new(Arc::new(run)),
            resetting: Mutex::new(()),
            sql: Mutex::default(),
            refused: Mutex::new(None),
            taken: LastTaken::default(),
        })
    }

    /// A reset is to end the connections of these clients too.
    pub(crate) fn add_clients(&self, clients: &Arc<dyn SqlClients>) {
        let mut listeners = self.sql.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.push(Arc::downgrade(clients));
    }

    /// The store that is served now; a reset puts another in its place.
    pub(crate) fn run(&self) -> Arc<Run> {
        self.run.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The store of now, for a client that speaks SQL. If nobody came before it, the store becomes the one
    /// that SQL is to have: the profile follows the protocol.
    pub(crate) fn run_for_sql(&self, store: Option<&Config>) -> Result<Arc<Run>, String> {
        let _one = self.resetting.lock().unwrap_or_else(PoisonError::into_inner);
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = &*refused {
            return Err(error.to_string());
        }
        let run = self.run();
        let (Some(store), false, false) = (store, run.use_up(), self.config.replay.is_some())
        else {
            return Ok(run);
        };
        let run = match run.start_instead(&self.config, store.clone()) {
            Ok(run) => Arc::new(run),
            Err(error) => {
                let why = error.to_string();
                *refused = Some(error);
                return Err(why);
            }
        };
        run.use_up();
        *self.run.write().unwrap_or_else(PoisonError::into_inner) = run.clone();
        Ok(run)
    }

    /// Refuses a download of the history or log that went to no file while the other did.
    pub(crate) fn kept(&self, what: &str) -> Result<(), Problem> {
        let (history, log) = (self.config.history.is_some(), self.config.log.is_some());
        match what {
            "history" if log && !history => Err(Problem::not_kept(what)),
            "log" if history && !log => Err(Problem::not_kept(what)),
            _ => Ok(()),
        }
    }

    /// Starts afresh; the new seed.
    pub(crate) fn reset(&self, changes: Reset) -> Result<u64, Problem> {
        let _one = self.resetting.lock().unwrap_or_else(PoisonError::into_inner);
        let mut store = self.config.store.clone();
        store.seed = changes.seed.unwrap_or(store.seed);
        store.level = changes.level.unwrap_or(store.level);
        store.policy = changes.policy.or(store.policy);
        store.initial = changes.initial.unwrap_or(store.initial);
        let seed = store.seed;
        let old = self.run();
        let run = Run::start(&self.config, store, old.number + 1).map_err(|error| match error {
            ServerError::Store(error) => error.into(),
            error @ ServerError::File { .. } => Problem::unrecorded(error.to_string()),
            other => Problem::internal(other.to_string()),
        })?;
        // Whoever comes first now, this is the store that was asked for.
        run.use_up();
        let number = run.number;
        *self.run.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(run);
        let listeners = self.sql.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for clients in listeners.iter().filter_map(Weak::upgrade) {
            clients.disconnect_before(number);
        }
        old.finish().map_err(|error| Problem::internal(error.to_string()))?;
        Ok(seed)
    }
}
