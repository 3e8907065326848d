//! What the body of a transaction sees of the database.

use std::sync::Arc;

use hobgoblin_core::{Key, Value};
use hobgoblin_format::json;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::program::Declared;

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

/// Answers the reads of a body.
pub(crate) trait Source {
    /// The value of a key that the transaction has not written, or `Pending`.
    fn read(&mut self, key: &Key) -> Result<Value, Stop>;
    /// A read of the transaction's own write.
    fn own(&mut self, key: &Key, value: &Value);
    /// A write.
    fn write(&mut self, key: &Key, value: &Value) -> Result<(), Stop>;
}

/// A transaction as its body sees it.
pub struct Transaction<'a> {
    source: &'a mut dyn Source,
    declared: &'a Declared,
    locals: &'a mut Vec<(Arc<str>, Value)>,
    written: Vec<(Key, Value)>,
    events: usize,
}

impl<'a> Transaction<'a> {
    pub(crate) fn new(
        source: &'a mut dyn Source,
        declared: &'a Declared,
        locals: &'a mut Vec<(Arc<str>, Value)>,
    ) -> Transaction<'a> {
        Transaction { source, declared, locals, written: Vec::new(), events: 0 }
    }

    /// Reads a key as a value of any type that JSON can say; an absent key is null.
    pub fn read<T: DeserializeOwned>(&mut self, key: impl Into<Key>) -> Result<T, Stop> {
        let key = key.into();
        let value = self.get(key.clone())?;
        let parsed = serde_json::from_value(json::json_of(&value));
        parsed.map_err(|error| Stop::Fault(format!("reads {key}, which holds {value}: {error}")))
    }

    /// Reads a key as it is; an absent key is null.
    pub fn get(&mut self, key: impl Into<Key>) -> Result<Value, Stop> {
        let key = key.into();
        self.use_key(&key, "reads")?;
        if let Some((_, value)) = self.written.iter().find(|(written, _)| *written == key) {
            self.source.own(&key, value);
            return Ok(value.clone());
        }
        self.source.read(&key)
    }

    /// Writes a key; writing null deletes it.
    pub fn write(&mut self, key: impl Into<Key>, value: impl Serialize) -> Result<(), Stop> {
        let value = self.value_of(&value)?;
        self.put(key, value)
    }

    /// Writes a key; writing null deletes it.
    pub fn put(&mut self, key: impl Into<Key>, value: Value) -> Result<(), Stop> {
        let key = key.into();
        self.use_key(&key, "writes")?;
        self.source.write(&key, &value)?;
        match self.written.iter_mut().find(|(written, _)| *written == key) {
            Some((_, last)) => *last = value,
            None => self.written.push((key, value)),
        }
        Ok(())
    }

    /// Aborts the transaction: `return Err(t.abort())`, or `Err(t.abort())?`.
    pub fn abort(&self) -> Stop {
        Stop::Abort
    }

    /// A local of the session; null if it was never set.
    pub fn local(&self, name: &str) -> Value {
        let found = self.locals.iter().find(|(local, _)| **local == *name);
        found.map_or(Value::Null, |(_, value)| value.clone())
    }

    /// Sets a local of the session, for this transaction and those after it.
    pub fn set_local(&mut self, name: &str, value: impl Into<Value>) {
        let value = value.into();
        match self.locals.iter_mut().find(|(local, _)| **local == *name) {
            Some((_, local)) => *local = value,
            None => self.locals.push((name.into(), value)),
        }
    }

    pub(crate) fn value_of(&self, value: &impl Serialize) -> Result<Value, Stop> {
        let json = serde_json::to_value(value);
        json.map(json::value_of).map_err(|error| Stop::Fault(format!("{error}")))
    }

    fn use_key(&mut self, key: &Key, does: &str) -> Result<(), Stop> {
        self.events += 1;
        if self.events > MAX_EVENTS {
            return Err(Stop::Fault(format!(
                "has made {MAX_EVENTS} reads and writes and goes on; does it loop forever?"
            )));
        }
        match self.declared.contains(key) {
            true => Ok(()),
            false => Err(Stop::Fault(format!(
                "{does} {key}, which the program never declares; give it an initial value"
            ))),
        }
    }
}
