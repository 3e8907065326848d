//! What the sessions of a database share: the catalogue, who may change it, channels.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hashbrown::HashMap;
use hobgoblin_core::SessionId;

use super::Granularity;
use super::snapshot::{SchemaChange, default_context};
use crate::catalog::Catalog;
use crate::error::{Result, SqlError, SqlState};

/// How long a change of the schema waits for another one.
const DDL_WAIT: Duration = Duration::from_secs(10);

/// A notification for a session: the sender's process id, the channel, the payload.
pub(crate) type Notification = (i32, String, String);

#[derive(Default)]
struct Inside {
    catalog: Arc<Catalog>,
    /// The session whose transaction is changing the catalogue.
    changing: Option<SessionId>,
    /// The statements that made the catalogue, in order, with those that set what they depend on.
    schema: Vec<Arc<str>>,
    /// What the last of them depended on.
    context: Arc<str>,
    /// Who listens to what.
    listeners: HashMap<String, Vec<i32>>,
    inboxes: HashMap<i32, Vec<Notification>>,
}

pub(crate) struct Shared {
    pub(crate) granularity: Granularity,
    pub(crate) engine: bool,
    inside: Mutex<Inside>,
    changed: Condvar,
    /// The next process id, of all databases.
    pids: Arc<AtomicI32>,
    table_locks: AtomicBool,
}

impl Shared {
    pub(crate) fn new(granularity: Granularity, engine: bool) -> Shared {
        let (catalog, context) = (Arc::new(Catalog::new()), default_context());
        let inside = Inside { catalog, context, ..Inside::default() };
        Shared {
            granularity,
            engine,
            inside: Mutex::new(inside),
            changed: Condvar::new(),
            pids: Arc::new(AtomicI32::new(1000)),
            table_locks: AtomicBool::new(false),
        }
    }

    /// Another, empty database on the same store; its keys begin with `keys`.
    pub(crate) fn beside(&self, keys: &str) -> Shared {
        let other = Shared::new(self.granularity, self.engine);
        let catalog = Catalog { keys: keys.into(), ..Catalog::new() };
        other.lock().catalog = Arc::new(catalog);
        Shared { pids: Arc::clone(&self.pids), ..other }
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on writers say which tables they write, because somebody locks tables.
    pub(crate) fn lock_tables(&self) {
        self.table_locks.store(true, Ordering::Relaxed);
    }

    pub(crate) fn locks_tables(&self) -> bool {
        self.table_locks.load(Ordering::Relaxed)
    }

    pub(crate) fn next_pid(&self) -> i32 {
        self.pids.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.lock().catalog)
    }

    /// Lets a session's transaction change the catalogue; others wait for its end.
    pub(crate) fn begin_change(&self, session: SessionId) -> Result<Arc<Catalog>> {
        let until = Instant::now() + DDL_WAIT;
        let mut inside = self.lock();
        while inside.changing.is_some_and(|holder| holder != session) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(SqlError::new(
                    SqlState::DEADLOCK_DETECTED,
                    "another transaction has been changing the schema for too long",
                )
                .hint("Commit the transaction that creates or alters tables."));
            }
            inside =
                self.changed.wait_timeout(inside, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        inside.changing = Some(session);
        Ok(Arc::clone(&inside.catalog))
    }

    /// Ends a change; with a catalogue it takes the place of the old one.
    pub(crate) fn end_change(
        &self,
        session: SessionId,
        catalog: Option<Arc<Catalog>>,
        changes: Vec<SchemaChange>,
    ) {
        let mut inside = self.lock();
        if inside.changing == Some(session) {
            inside.changing = None;
            if let Some(catalog) = catalog {
                inside.catalog = catalog;
                for SchemaChange { context, statement } in changes {
                    if inside.context != context {
                        inside.schema.push(Arc::clone(&context));
                        inside.context = context;
                    }
                    inside.schema.push(statement);
                }
            }
            self.changed.notify_all();
        }
    }

    /// The statements that made the catalogue.
    pub(crate) fn schema(&self) -> Vec<Arc<str>> {
        self.lock().schema.clone()
    }

    /// Takes up the catalogue of another database, which was made by the same statements.
    pub(crate) fn adopt(&self, other: &Shared) {
        let (catalog, schema, context) = {
            let other = other.lock();
            (Arc::clone(&other.catalog), other.schema.clone(), Arc::clone(&other.context))
        };
        let mut inside = self.lock();
        (inside.catalog, inside.schema, inside.context) = (catalog, schema, context);
    }

    pub(crate) fn listen(&self, pid: i32, channel: &str) {
        let mut inside = self.lock();
        let listeners = inside.listeners.entry(channel.to_owned()).or_default();
        if !listeners.contains(&pid) {
            listeners.push(pid);
        }
    }

    /// Stops listening; to all channels without a name.
    pub(crate) fn unlisten(&self, pid: i32, channel: Option<&str>) {
        let mut inside = self.lock();
        for (name, listeners) in &mut inside.listeners {
            if channel.is_none_or(|channel| channel == name) {
                listeners.retain(|&listener| listener != pid);
            }
        }
    }

    pub(crate) fn notify(&self, notification: Notification) {
        let mut inside = self.lock();
        let listeners = inside.listeners.get(&notification.1).cloned().unwrap_or_default();
        for pid in listeners {
            inside.inboxes.entry(pid).or_default().push(notification.clone());
        }
    }

    pub(crate) fn notifications(&self, pid: i32) -> Vec<Notification> {
        self.lock().inboxes.remove(&pid).unwrap_or_default()
    }

    /// A session is gone.
    pub(crate) fn leave(&self, pid: i32) {
        self.unlisten(pid, None);
        self.lock().inboxes.remove(&pid);
    }
}
