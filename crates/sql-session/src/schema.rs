//! The catalogue that sessions share, who is changing it, and what became of rows whose keys were
//! changed.
//!
//! A transaction that changes the catalogue works on a copy ([`Own`]). Its commit merges the copy
//! with what others have committed since, and puts the result in the place of the shared catalogue,
//! so that others see all of its changes or none.
//!
//! The statements that made the catalogue are kept too, as texts. A log of the store has them, and
//! a replay makes the same catalogue from them.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;
use hobgoblin_core::{SessionId, Text};
use hobgoblin_front::Store;
use hobgoblin_sql_schema::catalog::Catalog;
use hobgoblin_sql_value::Oid;

struct Inside {
    catalog: Arc<Catalog>,
    /// How many transactions are changing the catalogue, and the first oid that the last of them to
    /// begin may give out.
    changing: u32,
    next_oid: Oid,
    /// The statements that made the catalogue, in order. Before them stand those that set what they
    /// depend on, such as the search path.
    statements: Vec<Text>,
    /// The statements that set what the last of them depended on.
    context: Text,
    /// The new keys of rows whose primary keys were changed, by their old keys.
    moved: HashMap<Text, Text>,
    /// The keys of the rows that were given places, in order; see [`SharedSchema::place_of`].
    placed: Vec<Text>,
    places: HashMap<Text, u64>,
}

/// The catalogue that all sessions of a database share.
pub struct SharedSchema {
    inside: Mutex<Inside>,
    versions: AtomicU64,
}

impl fmt::Debug for SharedSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedSchema").field("version", &self.catalog().version).finish()
    }
}

/// A statement that changed the schema, with what it depended on.
#[derive(Clone, Debug)]
pub struct SchemaChange {
    /// The statements that set what it depended on, such as the search path.
    pub context: Text,
    /// The text of the statement that changed the schema.
    pub statement: Text,
}

/// The old and new keys of rows whose primary keys a transaction changed, and the keys of rows that
/// it inserted, which have `None`.
pub type Moves = Vec<(Text, Option<Text>)>;

/// What a transaction has changed besides rows.
#[derive(Debug)]
pub struct Besides {
    /// Its own catalogue, if it changed that.
    pub catalog: Option<Own>,
    /// The statements that changed it.
    pub changes: Vec<SchemaChange>,
    /// The rows whose keys it changed, and those that it inserted.
    pub moves: Moves,
}

impl Besides {
    /// Makes it known to all with the next commit of a session, or at once without one. Whoever waits for the session's
    /// locks finds the schema changed, and the rows.
    pub fn install<S>(self, shared: &Arc<S>, store: &Store, session: Option<SessionId>)
    where
        S: AsRef<SharedSchema> + Send + Sync + 'static,
    {
        let Besides { catalog, changes, moves } = self;
        if catalog.is_none() && moves.is_empty() {
            return;
        }
        let shared = Arc::clone(shared);
        let install = move || {
            let schema = (*shared).as_ref();
            if let Some(own) = catalog {
                schema.install(&own, changes);
            }
            schema.note_moves(moves);
        };
        match session {
            Some(session) => store.with_commit(session, install),
            None => install(),
        }
    }
}

/// The catalogue as a transaction that changes it sees it, and as it was when the transaction
/// began.
#[derive(Clone, Debug)]
pub struct Own {
    base: Arc<Catalog>,
    /// The catalogue with the transaction's changes so far.
    pub catalog: Arc<Catalog>,
}

impl Own {
    /// The catalogue as it was when the transaction began.
    pub fn base(&self) -> &Arc<Catalog> {
        &self.base
    }
}

/// How many rows with new keys are remembered. Only who waits for such a row at that moment needs
/// to know.
const MOVES: usize = 100_000;

/// How many oids a transaction may give out that changes the catalogue while others do.
const OIDS: Oid = 10_000;

impl SharedSchema {
    /// The first catalogue of a database. The statements that will change it depend on what
    /// `context` sets, unless they say otherwise.
    pub fn new(catalog: Catalog, context: Text) -> SharedSchema {
        let inside = Inside {
            catalog: Arc::new(catalog),
            changing: 0,
            next_oid: Oid::default(),
            statements: Vec::new(),
            context,
            moved: HashMap::new(),
            placed: Vec::new(),
            places: HashMap::new(),
        };
        SharedSchema { inside: Mutex::new(inside), versions: AtomicU64::new(1 << 32) }
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The catalogue as it was last committed.
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.lock().catalog)
    }

    /// Begins a change: a copy of the catalogue for a transaction. The oids it gives out are not
    /// those of other transactions that change the catalogue at the same time.
    pub fn begin_change(&self) -> Own {
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

    /// A version number that no other catalogue has.
    pub fn next_version(&self) -> u64 {
        self.versions.fetch_add(1, Ordering::Relaxed)
    }

    /// Brings a transaction's catalogue up to date with what others have committed.
    pub fn rebase(&self, own: &mut Own) {
        let current = self.catalog();
        if !Arc::ptr_eq(&current, &own.base) {
            let mut catalog = own.catalog.rebased(&own.base, &current);
            catalog.version = self.next_version();
            *own = Own { base: current, catalog: Arc::new(catalog) };
        }
    }

    /// Commits a change: what the transaction changed is there for all from now on.
    pub fn install(&self, own: &Own, changes: Vec<SchemaChange>) {
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
                inside.statements.push(Text::clone(&context));
                inside.context = context;
            }
            inside.statements.push(statement);
        }
    }

    /// Ends a change, whether it was committed or not.
    pub fn end_change(&self) {
        self.lock().changing -= 1;
    }

    /// The statements that made the catalogue, in order.
    pub fn statements(&self) -> Vec<Text> {
        self.lock().statements.clone()
    }

    /// Takes over the catalogue of another database, which was made by the same statements.
    pub fn adopt(&self, other: &SharedSchema) {
        let (catalog, statements, context) = {
            let other = other.lock();
            (Arc::clone(&other.catalog), other.statements.clone(), Text::clone(&other.context))
        };
        let mut inside = self.lock();
        (inside.catalog, inside.statements, inside.context) = (catalog, statements, context);
    }

    /// The new key of the row that had this one; `None` if its key was not changed, or another row
    /// was inserted there since.
    pub fn moved(&self, key: &str) -> Option<Text> {
        self.lock().moved.get(key).cloned()
    }

    /// Whether any row has got another key since the beginning.
    pub fn has_moves(&self) -> bool {
        !self.lock().moved.is_empty()
    }

    /// Notes the new keys of rows, and the inserted rows, of a transaction that commits.
    fn note_moves(&self, moves: Moves) {
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

    /// The place of a row, for `ctid`, if its key is no number. It is given when it is first asked
    /// for.
    pub fn place_of(&self, key: &Text) -> u64 {
        let mut inside = self.lock();
        if let Some(&place) = inside.places.get(key) {
            return place;
        }
        let place = inside.placed.len() as u64;
        inside.placed.push(Text::clone(key));
        inside.places.insert(Text::clone(key), place);
        place
    }

    /// The key of the row that has a place which [`Self::place_of`] gave.
    pub fn key_at(&self, place: u64) -> Option<Text> {
        self.lock().placed.get(usize::try_from(place).ok()?).cloned()
    }
}
