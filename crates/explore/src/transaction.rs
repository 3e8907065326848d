//! What the body of a transaction sees of the database.

use hobgoblin_core::{Key, Value};
use hobgoblin_format::json;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::locals::Local;

/// The most reads and writes of one run of a body.
pub const MAX_EVENTS: usize = 10_000;

/// Why a body does not go on. A body passes it on with `?`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The transaction aborts.
    Abort,
    /// A read has no answer yet.
    Pending,
    /// The program is wrong.
    Fault(String),
}

impl Stop {
    /// The program is wrong, and this is how.
    pub fn fault(text: impl Into<String>) -> Stop {
        Stop::Fault(text.into())
    }
}

/// What a body works on.
pub(crate) trait Source {
    /// The value of a key, the transaction's own write if there is one; `Pending` for none yet.
    fn read(&mut self, key: &Key) -> Result<Value, Stop>;
    /// Takes a write; the transaction reads it from then on.
    fn write(&mut self, key: &Key, value: Value) -> Result<(), Stop>;
    /// Whether anybody wants to know which row of a table is asked for.
    fn records(&self) -> bool {
        false
    }
    /// The next read, of a table's set variable, is about this row only.
    fn about(&mut self, _row: Key) {}
}

/// A transaction as its body sees it.
pub struct Transaction<'a> {
    source: &'a mut dyn Source,
    locals: &'a [Local],
    /// The locals, once one was set.
    changed: Option<Vec<Local>>,
    events: usize,
}

impl<'a> Transaction<'a> {
    pub(crate) fn new(source: &'a mut dyn Source, locals: &'a [Local]) -> Transaction<'a> {
        Transaction { source, locals, changed: None, events: 0 }
    }

    /// The locals, if one was set.
    pub(crate) fn changed(self) -> Option<Vec<Local>> {
        self.changed
    }

    /// Reads a key as a value of any type that JSON can say; an absent key is null.
    pub fn read<T: DeserializeOwned>(&mut self, key: impl Into<Key>) -> Result<T, Stop> {
        let key = key.into();
        let value = self.get_at(&key)?;
        let parsed = json::decode(&value);
        parsed.map_err(|error| Stop::Fault(format!("reads {key}, which holds {value}: {error}")))
    }

    /// Reads a key as it is; an absent key is null.
    pub fn get(&mut self, key: impl Into<Key>) -> Result<Value, Stop> {
        self.get_at(&key.into())
    }

    /// The same with a key that stays where it is: counting references to the same key from several
    /// threads takes time.
    pub(crate) fn get_at(&mut self, key: &Key) -> Result<Value, Stop> {
        self.count()?;
        self.source.read(key)
    }

    /// Says that the next read, of a table's set variable, is about one row only.
    pub(crate) fn about(&mut self, row: impl FnOnce() -> Option<Key>) {
        if self.source.records()
            && let Some(row) = row()
        {
            self.source.about(row);
        }
    }

    /// Writes a key; writing null deletes it.
    pub fn write(&mut self, key: impl Into<Key>, value: impl Serialize) -> Result<(), Stop> {
        let value = self.value_of(&value)?;
        self.put(key, value)
    }

    /// Writes a key; writing null deletes it.
    pub fn put(&mut self, key: impl Into<Key>, value: Value) -> Result<(), Stop> {
        self.put_at(&key.into(), value)
    }

    pub(crate) fn put_at(&mut self, key: &Key, value: Value) -> Result<(), Stop> {
        self.count()?;
        self.source.write(key, value)
    }

    /// Aborts the transaction: `return Err(t.abort())`, or `Err(t.abort())?`.
    pub fn abort(&self) -> Stop {
        Stop::Abort
    }

    /// A local of the session; null if it was never set.
    pub fn local(&self, name: &str) -> Value {
        let locals = self.changed.as_deref().unwrap_or(self.locals);
        let found = locals.iter().find(|(local, _)| **local == *name);
        found.map_or(Value::Null, |(_, value)| value.clone())
    }

    /// Sets a local of the session, for this transaction and those after it.
    pub fn set_local(&mut self, name: &str, value: impl Into<Value>) {
        let value = value.into();
        let locals = self.changed.get_or_insert_with(|| self.locals.to_vec());
        match locals.iter_mut().find(|(local, _)| **local == *name) {
            Some((_, local)) => *local = value,
            None => locals.push((name.into(), value)),
        }
    }

    pub(crate) fn value_of(&self, value: &impl Serialize) -> Result<Value, Stop> {
        json::encode(value).map_err(|error| Stop::Fault(format!("{error}")))
    }

    /// Counts a read or write.
    fn count(&mut self) -> Result<(), Stop> {
        self.events += 1;
        if self.events > MAX_EVENTS {
            return Err(Stop::Fault(format!(
                "has made {MAX_EVENTS} reads and writes and goes on; does it loop forever?"
            )));
        }
        Ok(())
    }
}
