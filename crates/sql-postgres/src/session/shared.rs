//! What the sessions of a database share: the catalogue, who may change it, and the channels of
//! LISTEN and NOTIFY.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;
use hobgoblin_sql_schema::Dialect;
use hobgoblin_sql_session::{Rules, SharedSchema};

use super::backend::{Backends, FIRST_PID};
use super::schema_change::default_context;
use crate::catalog::Catalog;

/// A notification for a session: the number of the sender, the channel, the payload.
pub(crate) type Notification = (i32, String, String);

#[derive(Default)]
struct Inside {
    /// For each session the channels it listens on, in the order in which it began to.
    listening: HashMap<i32, Vec<String>>,
    inboxes: HashMap<i32, Vec<Notification>>,
}

pub(crate) struct Shared {
    pub(crate) rules: Rules,
    /// The catalogue, and which transactions are changing it.
    pub(crate) schema: SharedSchema,
    inside: Mutex<Inside>,
    /// The sessions of all databases, by number.
    pub(crate) backends: Arc<Backends>,
}

impl AsRef<SharedSchema> for Shared {
    fn as_ref(&self) -> &SharedSchema {
        &self.schema
    }
}

/// The bytes that a notification takes in PostgreSQL's queue beside its texts.
const ENTRY: usize = 18;

impl Shared {
    pub(crate) fn new(rules: Rules, dialect: &'static dyn Dialect) -> Shared {
        let backends = Arc::new(Backends::new(FIRST_PID));
        Shared::with(rules, crate::catalog::new(dialect), backends)
    }

    fn with(rules: Rules, catalog: Catalog, backends: Arc<Backends>) -> Shared {
        let schema = SharedSchema::new(catalog, default_context());
        Shared { rules, schema, inside: Mutex::default(), backends }
    }

    /// Another database on the same store, with nothing in it. Its keys begin with `keys`.
    pub(crate) fn beside(&self, keys: &str) -> Shared {
        let dialect = self.schema.catalog().dialect;
        let catalog = Catalog { keys: keys.into(), ..crate::catalog::new(dialect) };
        Shared::with(self.rules, catalog, Arc::clone(&self.backends))
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn listen(&self, pid: i32, channel: &str) {
        let mut inside = self.lock();
        let channels = inside.listening.entry(pid).or_default();
        if !channels.iter().any(|known| known == channel) {
            channels.push(channel.to_owned());
        }
    }

    /// The channels that a session listens on.
    pub(crate) fn channels(&self, pid: i32) -> Vec<String> {
        self.lock().listening.get(&pid).cloned().unwrap_or_default()
    }

    /// Stops a session from listening on a channel; `None` is all of them.
    pub(crate) fn unlisten(&self, pid: i32, channel: Option<&str>) {
        let mut inside = self.lock();
        let Some(channels) = inside.listening.get_mut(&pid) else { return };
        channels.retain(|known| channel.is_some_and(|channel| channel != known));
        if channels.is_empty() {
            inside.listening.remove(&pid);
        }
    }

    pub(crate) fn notify(&self, notification: Notification) {
        let mut inside = self.lock();
        let Inside { listening, inboxes, .. } = &mut *inside;
        for (&pid, channels) in listening {
            if channels.contains(&notification.1) {
                inboxes.entry(pid).or_default().push(notification.clone());
            }
        }
    }

    /// How many bytes of notifications wait for the session that has received the least.
    pub(crate) fn unread(&self) -> usize {
        let size = |(_, channel, payload): &Notification| ENTRY + channel.len() + payload.len();
        let inside = self.lock();
        let inboxes = inside.inboxes.values();
        inboxes.map(|inbox| inbox.iter().map(size).sum()).max().unwrap_or(0)
    }

    pub(crate) fn notifications(&self, pid: i32) -> Vec<Notification> {
        self.lock().inboxes.remove(&pid).unwrap_or_default()
    }

    /// Forgets a session that has ended.
    pub(crate) fn leave(&self, pid: i32) {
        self.backends.leave(pid);
        self.unlisten(pid, None);
        self.lock().inboxes.remove(&pid);
    }
}
