//! The catalogue that sessions share, who is changing it, and what became of rows whose keys were changed.
//!
//! A transaction that changes the catalogue works on a copy ([`Own`]); its commit puts that in the place of the shared
//! one, merged with what others have committed since.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;
use hobgoblin_core::Text;
use hobgoblin_sql_schema::catalog::Catalog;
use hobgoblin_sql_value::Oid;

struct Inside {
    catalog: Arc<Catalog>,
    /// How many transactions are changing the catalogue, and the oids the last one of them began with.
    changing: u32,
    next_oid: Oid,
    /// The statements that made the catalogue, in order, with those that set what they depend on.
    statements: Vec<Text>,
    /// What the last of them depended on.
    context: Text,
    /// Where rows went whose primary keys were changed.
    moved: HashMap<Text, Text>,
    /// Rows that were given places, in order.
    placed: Vec<Text>,
    places: HashMap<Text, u64>,
}

/// The catalogue that sessions share.
pub struct SharedSchema {
    inside: Mutex<Inside>,
    versions: AtomicU64,
}

impl fmt::Debug for SharedSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedSchema").field("version", &self.catalog().version).finish()
    }
}

/// A statement that changed the schema, and the statements that set what it depended on.
#[derive(Clone, Debug)]
pub struct SchemaChange {
    /// The statements that set what it depended on.
    pub context: Text,
    /// The statement.
    pub statement: Text,
}

/// Rows that have another key now, with that key, and keys of new rows.
pub type Moves = Vec<(Text, Option<Text>)>;

/// The catalogue of a transaction that changes it, and the one it began with.
#[derive(Clone, Debug)]
pub struct Own {
    base: Arc<Catalog>,
    /// The catalogue with the changes so far.
    pub catalog: Arc<Catalog>,
}

impl Own {
    /// The catalogue that it began with.
    pub fn base(&self) -> &Arc<Catalog> {
        &self.base
    }
}

/// How many rows with new keys are remembered: only who waits for one right then needs to know.
const MOVES: usize = 100_000;

/// How many oids a transaction has for itself that changes the catalogue while others do.
const OIDS: Oid = 10_000;

impl SharedSchema {
    /// Begins with a catalogue, whose statements depend on nothing but what `context` sets.
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

    /// A session's transaction begins to change the catalogue, of which it gets a copy. Its oids are not those
    /// of others that do meanwhile.
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

    /// A version that no other catalogue has.
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

    /// What a transaction changed is there for all.
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

    /// A transaction that changed the catalogue has ended.
    pub fn end_change(&self) {
        self.lock().changing -= 1;
    }

    /// The statements that made the catalogue.
    pub fn statements(&self) -> Vec<Text> {
        self.lock().statements.clone()
    }

    /// Takes up the catalogue of another database, which was made by the same statements.
    pub fn adopt(&self, other: &SharedSchema) {
        let (catalog, statements, context) = {
            let other = other.lock();
            (Arc::clone(&other.catalog), other.statements.clone(), Text::clone(&other.context))
        };
        let mut inside = self.lock();
        (inside.catalog, inside.statements, inside.context) = (catalog, statements, context);
    }

    /// Where the row of this key went, if its primary key was changed and nothing was inserted there since.
    pub fn moved(&self, key: &str) -> Option<Text> {
        self.lock().moved.get(key).cloned()
    }

    /// Whether any row has another key than it had.
    pub fn has_moves(&self) -> bool {
        !self.lock().moved.is_empty()
    }

    /// The rows of a transaction that commits have these keys now, or are new.
    pub fn note_moves(&self, moves: Moves) {
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

    /// The row of a place that [`Self::place_of`] gave.
    pub fn key_at(&self, place: u64) -> Option<Text> {
        self.lock().placed.get(usize::try_from(place).ok()?).cloned()
    }
}
