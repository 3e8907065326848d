//! Sessions of an application, over a store in this process or elsewhere.

use std::cell::RefCell;

use hobgoblin::history::SessionId;
use hobgoblin::{Error, Key, Store, Value};
use hobgoblin_front::{Answer, Request};

/// Why an operation stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The store refused the transaction: run it again.
    Refused,
    /// Something is wrong with the store or the application.
    Failed(String),
}

/// What a session asks of a store. Outside a transaction every get and put is one of its own.
pub trait Connection {
    /// Says what the next reads and writes are for; who cannot use it ignores it.
    fn statement(&mut self, _name: &str) -> Result<(), Stop> {
        Ok(())
    }
    /// Begins a transaction.
    fn begin(&mut self) -> Result<(), Stop>;
    /// Reads a key.
    fn get(&mut self, key: &Key) -> Result<Value, Stop>;
    /// Writes a key.
    fn put(&mut self, key: &Key, value: &Value) -> Result<(), Stop>;
    /// Commits the open transaction.
    fn commit(&mut self) -> Result<(), Stop>;
    /// Aborts the open transaction.
    fn abort(&mut self) -> Result<(), Stop>;
}

/// What is one transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Granularity {
    /// Every operation of the application.
    Operation,
    /// Every get and put.
    Single,
}

/// One session of an application.
pub struct Session {
    connection: RefCell<Box<dyn Connection>>,
    granularity: Granularity,
}

impl Session {
    /// A session over a connection.
    pub fn new(connection: impl Connection + 'static, granularity: Granularity) -> Session {
        Session { connection: RefCell::new(Box::new(connection)), granularity }
    }

    /// Runs an operation of the application, which has a name for histories: as one transaction, again when it is refused, or as it
    /// is where every get and put is a transaction.
    pub fn operation<T>(
        &self,
        name: &str,
        mut body: impl FnMut(&Session) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        if self.granularity == Granularity::Single {
            self.connection.borrow_mut().statement(name)?;
            return body(self);
        }
        loop {
            self.connection.borrow_mut().statement(name)?;
            self.connection.borrow_mut().begin()?;
            let done = body(self).and_then(|value| {
                self.connection.borrow_mut().commit()?;
                Ok(value)
            });
            match done {
                // The store has aborted it.
                Err(Stop::Refused) => {}
                Err(stop) => {
                    // The first problem is the one to tell of.
                    let _ = self.connection.borrow_mut().abort();
                    return Err(stop);
                }
                done => return done,
            }
        }
    }

    /// Reads a key.
    pub fn get(&self, key: &str) -> Result<Value, Stop> {
        self.connection.borrow_mut().get(&Key::from(key))
    }

    /// Writes a key.
    pub fn put(&self, key: &str, value: impl Into<Value>) -> Result<(), Stop> {
        self.put_key(&Key::from(key), &value.into())
    }

    /// Writes a key, given as such.
    pub fn put_key(&self, key: &Key, value: &Value) -> Result<(), Stop> {
        self.connection.borrow_mut().put(key, value)
    }

    /// Reads a list of numbers; an absent key holds an empty one.
    pub fn get_list(&self, key: &str) -> Result<Vec<i64>, Stop> {
        list(&self.get(key)?)
    }

    /// Writes a list of numbers.
    pub fn put_list(&self, key: &str, items: &[i64]) -> Result<(), Stop> {
        self.put(key, list_value(items))
    }

    /// Reads a number; an absent key holds 0.
    pub fn get_number(&self, key: &str) -> Result<i64, Stop> {
        match self.get(key)? {
            Value::Int(n) => Ok(n),
            Value::Null => Ok(0),
            odd => Err(Stop::Failed(format!("{key} holds {odd}, not a number"))),
        }
    }
}

/// A list of numbers as a value.
pub fn list_value(items: &[i64]) -> Value {
    let items: Vec<String> = items.iter().map(i64::to_string).collect();
    Value::Json(format!("[{}]", items.join(",")).into())
}

/// The list of numbers a value is.
pub fn list(value: &Value) -> Result<Vec<i64>, Stop> {
    let inner = match value {
        Value::Null => return Ok(Vec::new()),
        Value::Json(text) => text.strip_prefix('[').and_then(|text| text.strip_suffix(']')),
        _ => None,
    };
    let items = inner.map(|inner| inner.split(',').filter(|item| !item.is_empty()));
    let numbers = items.and_then(|items| items.map(|item| item.parse().ok()).collect());
    numbers.ok_or_else(|| Stop::Failed(format!("{value} is no list of numbers")))
}

/// A connection to a store in this process.
pub struct Local {
    store: Store,
    session: SessionId,
}

impl Local {
    /// A new session of a store.
    pub fn new(store: &Store) -> Result<Local, Stop> {
        let session = store.connect(None).map_err(stop)?;
        Ok(Local { store: store.clone(), session })
    }

    fn ask(&mut self, request: Request) -> Result<Value, Stop> {
        match self.store.request(self.session, request).map_err(stop)? {
            Answer::Value(value) => Ok(value),
            _ => Ok(Value::Null),
        }
    }
}

fn stop(error: Error) -> Stop {
    if error.is_abort() { Stop::Refused } else { Stop::Failed(error.to_string()) }
}

impl Connection for Local {
    fn begin(&mut self) -> Result<(), Stop> {
        self.ask(Request::begin(None, None)).map(|_| ())
    }

    fn get(&mut self, key: &Key) -> Result<Value, Stop> {
        self.ask(Request::get(key.clone()))
    }

    fn put(&mut self, key: &Key, value: &Value) -> Result<(), Stop> {
        self.ask(Request::put(key.clone(), value.clone())).map(|_| ())
    }

    fn commit(&mut self) -> Result<(), Stop> {
        self.ask(Request::COMMIT).map(|_| ())
    }

    fn abort(&mut self) -> Result<(), Stop> {
        self.ask(Request::ABORT).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_values() {
        for items in [vec![], vec![7], vec![1, -2, 3]] {
            assert_eq!(list(&list_value(&items)), Ok(items));
        }
        assert_eq!(list(&Value::Null), Ok(vec![]));
        assert!(list(&Value::Int(1)).is_err());
        assert!(list(&Value::Json("[1.5]".into())).is_err());
    }
}
