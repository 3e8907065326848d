//! What of a program runs: sessions of bodies, the keys they may use, and what those hold first.

use std::sync::Arc;

use hobgoblin_core::{Key, Level, Text, Value};

use crate::transaction::{Stop, Transaction};

/// The most transactions a program may have.
pub const MAX_TXNS: usize = 63;

/// The code of a transaction.
///
/// Closures are bodies: `|t| { let n: i64 = t.read("x")?; t.write("x", n + 1)?; Ok(n) }`. What a closure
/// returns is what the transaction returned, as JSON.
pub trait Body: Send + Sync {
    /// Runs it from the beginning. An error of the transaction must be passed on as it is.
    fn run(&self, transaction: &mut Transaction<'_>) -> Result<Value, Stop>;
}

impl<R, F> Body for F
where
    R: serde::Serialize,
    F: Fn(&mut Transaction<'_>) -> Result<R, Stop> + Send + Sync,
{
    fn run(&self, transaction: &mut Transaction<'_>) -> Result<Value, Stop> {
        let returned = self(transaction)?;
        transaction.value_of(&returned)
    }
}

/// One transaction of a program.
#[derive(Clone)]
pub struct Txn {
    /// Its name, for reports.
    pub name: String,
    /// Its level, if it has its own.
    pub level: Option<Level>,
    /// The code that runs.
    pub body: Arc<dyn Body>,
}

/// One session of a program.
#[derive(Clone, Default)]
pub struct Session {
    /// Its name, for reports.
    pub name: String,
    /// Its transactions, in order.
    pub txns: Vec<Txn>,
    /// What its locals hold first.
    pub locals: Vec<(Text, Value)>,
}

/// Which keys a program may use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declared {
    pub(crate) keys: hashbrown::HashSet<Key>,
    pub(crate) prefixes: Vec<String>,
}

/// A program without its assertions.
#[derive(Clone, Default)]
pub(crate) struct Script {
    pub(crate) sessions: Vec<Session>,
    pub(crate) initial: Vec<(Key, Value)>,
    pub(crate) declared: Declared,
    /// The keys whose final values assertions look at; see [`Program::observe`](crate::Program::observe).
    pub(crate) observed: Vec<Key>,
    /// The set variables of its tables: each holds the primary keys of the rows that are there.
    pub(crate) tables: Vec<Key>,
}

impl Session {
    /// Adds a transaction.
    pub fn txn(self, name: &str, body: impl Body + 'static) -> Session {
        self.push(Txn { name: name.to_owned(), level: None, body: Arc::new(body) })
    }

    /// Adds a transaction with a level of its own.
    pub fn txn_at(self, name: &str, level: Level, body: impl Body + 'static) -> Session {
        self.push(Txn { name: name.to_owned(), level: Some(level), body: Arc::new(body) })
    }

    /// Adds a transaction.
    pub fn push(mut self, txn: Txn) -> Session {
        self.txns.push(txn);
        self
    }

    /// Sets what a local of the session holds first.
    pub fn local(mut self, name: &str, value: impl Into<Value>) -> Session {
        self.locals.push((name.into(), value.into()));
        self
    }
}

impl Declared {
    pub(crate) fn contains(&self, key: &Key) -> bool {
        self.keys.contains(key) || self.contains_prefix(key)
    }

    /// Whether a key is declared by a prefix.
    pub(crate) fn contains_prefix(&self, key: &Key) -> bool {
        match key {
            Key::Text(text) => self.prefixes.iter().any(|prefix| text.starts_with(prefix)),
            Key::Int(_) => false,
        }
    }

    /// What is wrong with the use of a key that is not declared.
    pub(crate) fn missing(does: &str, key: &Key) -> Stop {
        Stop::Fault(format!(
            "{does} {key}, which the program never declares; give it an initial value"
        ))
    }
}
