//! What the sessions of a database share: the catalogue, who may change it, channels.

use hobgoblin_sql_schema::Dialect;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;
use hobgoblin_core::{Level, Text};
use hobgoblin_front::{Profile, Scanning};

use super::backends::Backends;
use super::schema_change::{SchemaChange, default_context};
use crate::catalog::Catalog;
use crate::execute::Granularity;
use crate::types::Oid;

/// A notification for a session: the sender's process id, the channel, the payload.
pub(crate) type Notification = (i32, String, String);

struct Inside {
    catalog: Arc<Catalog>,
    /// How many transactions are changing the catalogue, and the oids the last one of them began with.
    changing: u32,
    next_oid: Oid,
    /// The statements that made the catalogue, in order, with those that set what they depend on.
    schema: Vec<Text>,
    /// What the last of them depended on.
    context: Text,
    /// Where rows went whose primary keys were changed.
    moved: HashMap<Text, Text>,
    /// Rows that were given places for `ctid`, in order.
    placed: Vec<Text>,
    places: HashMap<Text, u64>,
    /// What each session listens to, in the order it began to.
    listening: HashMap<i32, Vec<String>>,
    inboxes: HashMap<i32, Vec<Notification>>,
}

pub(crate) struct Shared {
    pub(crate) granularity: Granularity,
    pub(crate) profile: Profile,
    /// Whether the store is an engine's.
    pub(crate) engine: bool,
    /// Whether changes and locking reads lock what they scan.
    pub(crate) locks_scans: bool,
    inside: Mutex<Inside>,
    versions: AtomicU64,
    /// The sessions of all databases.
    pub(crate) backends: Arc<Backends>,
}

/// Rows that have another key now, with that key, and keys of new rows.
pub(crate) type Moves = Vec<(Text, Option<Text>)>;

/// The catalogue of a transaction that changes it, and the one it began with.
#[derive(Clone)]
pub(crate) struct Own {
    base: Arc<Catalog>,
    pub(crate) catalog: Arc<Catalog>,
}

/// What PostgreSQL's queue has of a notification beside its texts.
const ENTRY: usize = 18;

/// How many rows with new keys are remembered: only who waits for one right then needs to know.
const MOVES: usize = 100_000;

/// How many oids a transaction has for itself that changes the catalogue while others do.
const OIDS: Oid = 10_000;

impl Shared {
    pub(crate) fn new(
        granularity: Granularity,
        profile: Profile,
        dialect: &'static dyn Dialect,
    ) -> Shared {
        let (catalog, context) = (Arc::new(crate::catalog::new(dialect)), default_context());
        let inside = Inside {
            catalog,
            changing: 0,
            next_oid: Oid::default(),
            schema: Vec::new(),
            context,
            moved: HashMap::new(),
            placed: Vec::new(),
            places: HashMap::new(),
            listening: HashMap::new(),
            inboxes: HashMap::new(),
        };
        Shared {
            granularity,
            engine: profile.has_locks(),
            locks_scans: profile.scanning(Level::RC) != Scanning::Finds,
            profile,
            inside: Mutex::new(inside),
            versions: AtomicU64::new(1 << 32),
            backends: Arc::new(Backends::new()),
        }
    }

    /// Another, empty database on the same store; its keys begin with `keys`.
    pub(crate) fn beside(&self, keys: &str) -> Shared {
        let dialect = self.catalog().dialect;
        let other = Shared::new(self.granularity, self.profile, dialect);
        let catalog = Catalog { keys: keys.into(), ..crate::catalog::new(dialect) };
        other.lock().catalog = Arc::new(catalog);
        Shared { backends: Arc::clone(&self.backends), ..other }
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.lock().catalog)
    }

    /// A session's transaction begins to change the catalogue, of which it gets a copy. Its oids are not those
    /// of others that do meanwhile.
    pub(crate) fn begin_change(&self) -> Own {
        let mut inside = self.lock();
        inside.changing += 1;
        let base = Arc::clone(&inside.catalog);
        let mut catalog = Arc::clone(&base);
        if inside.changing == 1 {
            inside.next_oid = base.next_oid;
        } else {
            inside.next_oid = inside.next_oid.max(base.next_oid) + OIDS;
            Arc::make_mut(&mut catalog).next_oid = inside.next_oid;
        }
        Own { base, catalog }
    }

    /// A version that no other catalogue has.
    pub(crate) fn next_version(&self) -> u64 {
        self.versions.fetch_add(1, Ordering::Relaxed)
    }

    /// Brings a transaction's catalogue up to date with what others have committed.
    pub(crate) fn rebase(&self, own: &mut Own) {
        let current = self.catalog();
        if !Arc::ptr_eq(&current, &own.base) {
            let mut catalog = own.catalog.rebased(&own.base, &current);
            catalog.version = self.next_version();
            *own = Own { base: current, catalog: Arc::new(catalog) };
        }
    }

    /// What a transaction changed is there for all.
    pub(crate) fn install(&self, own: &Own, changes: Vec<SchemaChange>) {
        let mut inside = self.lock();
        inside.catalog = match Arc::ptr_eq(&inside.catalog, &own.base) {
            true => Arc::clone(&own.catalog),
            false => {
                let mut catalog = own.catalog.rebased(&own.base, &inside.catalog);
                catalog.version = self.next_version();
                Arc::new(catalog)
            }
        };
        for SchemaChange { context, statement } in changes {
            if inside.context != context {
                inside.schema.push(Text::clone(&context));
                inside.context = context;
            }
            inside.schema.push(statement);
        }
    }

    /// Where the row of this key went, if its primary key was changed and nothing was inserted there since.
    pub(crate) fn moved(&self, key: &str) -> Option<Text> {
        self.lock().moved.get(key).cloned()
    }

    /// Whether any row has another key than it had.
    pub(crate) fn has_moves(&self) -> bool {
        !self.lock().moved.is_empty()
    }

    /// The rows of a transaction that commits have these keys now, or are new.
    pub(crate) fn note_moves(&self, moves: Moves) {
        let mut inside = self.lock();
        if inside.moved.len() > MOVES {
            inside.moved.clear();
        }
        for (key, moved) in moves {
            match moved {
                Some(moved) => inside.moved.insert(key, moved),
                None => inside.moved.remove(&key),
            };
        }
    }

    /// The place of a row whose key is no number.
    pub(crate) fn place_of(&self, key: &Text) -> u64 {
        let mut inside = self.lock();
        if let Some(&place) = inside.places.get(key) {
            return place;
        }
        let place = inside.placed.len() as u64;
        inside.placed.push(Text::clone(key));
        inside.places.insert(Text::clone(key), place);
        place
    }

    /// The row of a place that [`Self::place_of`] gave.
    pub(crate) fn key_at(&self, place: u64) -> Option<Text> {
        self.lock().placed.get(usize::try_from(place).ok()?).cloned()
    }

    /// A transaction that changed the catalogue has ended.
    pub(crate) fn end_change(&self) {
        self.lock().changing -= 1;
    }

    /// The statements that made the catalogue.
    pub(crate) fn schema(&self) -> Vec<Text> {
        self.lock().schema.clone()
    }

    /// Takes up the catalogue of another database, which was made by the same statements.
    pub(crate) fn adopt(&self, other: &Shared) {
        let (catalog, schema, context) = {
            let other = other.lock();
            (Arc::clone(&other.catalog), other.schema.clone(), Text::clone(&other.context))
        };
        let mut inside = self.lock();
        (inside.catalog, inside.schema, inside.context) = (catalog, schema, context);
    }

    pub(crate) fn listen(&self, pid: i32, channel: &str) {
        let mut inside = self.lock();
        let channels = inside.listening.entry(pid).or_default();
        if !channels.iter().any(|known| known == channel) {
            channels.push(channel.to_owned());
        }
    }

    /// What a session listens to.
    pub(crate) fn channels(&self, pid: i32) -> Vec<String> {
        self.lock().listening.get(&pid).cloned().unwrap_or_default()
    }

    /// Stops listening; to all channels without a name.
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

    /// How many bytes of notifications wait for the session that is furthest behind.
    pub(crate) fn unread(&self) -> usize {
        let size = |(_, channel, payload): &Notification| ENTRY + channel.len() + payload.len();
        let inside = self.lock();
        let inboxes = inside.inboxes.values();
        inboxes.map(|inbox| inbox.iter().map(size).sum()).max().unwrap_or(0)
    }

    pub(crate) fn notifications(&self, pid: i32) -> Vec<Notification> {
        self.lock().inboxes.remove(&pid).unwrap_or_default()
    }

    /// A session is gone.
    pub(crate) fn leave(&self, pid: i32) {
        self.backends.leave(pid);
        self.unlisten(pid, None);
        self.lock().inboxes.remove(&pid);
    }
}
