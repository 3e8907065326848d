//! What sessions and transactions share, blocking or async: reads and writes of keys, plain and typed.

use std::fmt;

use hobgoblin_core::{Key, Value};
#[cfg(feature = "serde")]
use hobgoblin_format::json;
use hobgoblin_store::{Answer, Lock, Policy, Request, TransactionRequest, Wait};
#[cfg(feature = "serde")]
use serde_core::{Serialize, de::DeserializeOwned};

use crate::error::Error;

pub(crate) fn get(key: Key, policy: Option<Policy>, lock: Option<Lock>) -> Request {
    Request::Transaction(TransactionRequest::Get {
        key,
        policy,
        lock,
        wait: Wait::Forever,
        latest: false,
    })
}

/// The value in an answer to a read.
pub(crate) fn value(answer: Answer) -> Value {
    match answer {
        Answer::Value(value) => value,
        _ => Value::Null,
    }
}

/// The rows in an answer to a scan.
pub(crate) fn rows(answer: Answer) -> Vec<(Key, Value)> {
    match answer {
        Answer::Rows(rows) => rows,
        _ => Vec::new(),
    }
}

/// A value as a type of the program; absent is `None`.
pub(crate) fn convert<T>(key: Key, value: Value) -> Result<Option<T>, Error>
where
    T: TryFrom<Value, Error: fmt::Display>,
{
    as_type(key, value, |value| T::try_from(value.clone()))
}

/// A value as a type that `serde` knows; absent is `None`.
#[cfg(feature = "serde")]
pub(crate) fn decode<T: DeserializeOwned>(key: Key, value: Value) -> Result<Option<T>, Error> {
    as_type(key, value, json::decode)
}

fn as_type<T, E: fmt::Display>(
    key: Key,
    value: Value,
    read: impl FnOnce(&Value) -> Result<T, E>,
) -> Result<Option<T>, Error> {
    if value == Value::Null {
        return Ok(None);
    }
    read(&value).map(Some).map_err(|error| Error::Type {
        key,
        value: value.to_string(),
        what: error.to_string(),
    })
}

/// A type that `serde` knows as a value.
#[cfg(feature = "serde")]
pub(crate) fn encode(key: &Key, value: &impl Serialize) -> Result<Value, Error> {
    json::encode(value)
        .map_err(|error| Error::Unwritable { key: key.clone(), what: error.to_string() })
}

/// The methods that ask one thing; the type has `ask(&mut self, Request) -> Result<Answer, Error>`, async or
/// not.
macro_rules! accesses {
    ([$($async:tt)*] [$($await:tt)*]) => {
        /// Reads a key; null when it is absent.
        pub $($async)* fn get(&mut self, key: impl Into<Key>) -> Result<Value, Error> {
            let request = typed::get(key.into(), None, None);
            self.ask(request)$($await)*.map(typed::value)
        }

        /// Reads a key, choosing among the versions as the policy says.
        pub $($async)* fn get_with(
            &mut self,
            key: impl Into<Key>,
            policy: Policy,
        ) -> Result<Value, Error> {
            let request = typed::get(key.into(), Some(policy), None);
            self.ask(request)$($await)*.map(typed::value)
        }

        /// Reads a key as a type of the program: a number, a truth value, a `String`, or a `Vec` of them; `None`
        /// when it is absent.
        pub $($async)* fn get_as<T>(&mut self, key: impl Into<Key>) -> Result<Option<T>, Error>
        where
            T: TryFrom<Value, Error: std::fmt::Display>,
        {
            let key = key.into();
            let request = typed::get(key.clone(), None, None);
            let answer = self.ask(request)$($await)*?;
            typed::convert(key, typed::value(answer))
        }

        /// Reads a key as any type that `serde` knows; `None` when it is absent. With the feature `serde`.
        #[cfg(feature = "serde")]
        pub $($async)* fn get_json<T: serde_core::de::DeserializeOwned>(
            &mut self,
            key: impl Into<Key>,
        ) -> Result<Option<T>, Error> {
            let key = key.into();
            let request = typed::get(key.clone(), None, None);
            let answer = self.ask(request)$($await)*?;
            typed::decode(key, typed::value(answer))
        }

        /// Writes a key; null deletes it.
        pub $($async)* fn put(
            &mut self,
            key: impl Into<Key>,
            value: impl Into<Value>,
        ) -> Result<(), Error> {
            let request = Request::put(key.into(), value.into());
            self.ask(request)$($await)*.map(|_| ())
        }

        /// Writes a value of any type that `serde` knows, as JSON. With the feature `serde`.
        #[cfg(feature = "serde")]
        pub $($async)* fn put_json(
            &mut self,
            key: impl Into<Key>,
            value: &impl serde_core::Serialize,
        ) -> Result<(), Error> {
            let key = key.into();
            let value = typed::encode(&key, value)?;
            self.ask(Request::put(key, value))$($await)*.map(|_| ())
        }

        /// Deletes a key.
        pub $($async)* fn delete(&mut self, key: impl Into<Key>) -> Result<(), Error> {
            let request = Request::put(key.into(), Value::Null);
            self.ask(request)$($await)*.map(|_| ())
        }

        /// Reads every key of a range; those that hold a value, in order.
        pub $($async)* fn scan(&mut self, range: KeyRange) -> Result<Vec<(Key, Value)>, Error> {
            let request = Request::scan(range);
            self.ask(request)$($await)*.map(typed::rows)
        }
    };
}

/// The methods of a transaction beyond [`accesses`].
macro_rules! transaction_methods {
    ([$($async:tt)*] [$($await:tt)*]) => {
        /// Reads a key and locks it until the end, where the profile has locks; otherwise as
        /// [`get`](Self::get).
        pub $($async)* fn get_for_update(&mut self, key: impl Into<Key>) -> Result<Value, Error> {
            let request = typed::get(key.into(), None, Some(Lock::Update));
            self.ask(request)$($await)*.map(typed::value)
        }

        /// Sets a savepoint.
        pub $($async)* fn savepoint(&mut self, name: &str) -> Result<(), Error> {
            self.ask(Request::savepoint(name.to_owned()))$($await)*.map(|_| ())
        }

        /// Undoes the writes since a savepoint, which stays.
        pub $($async)* fn rollback_to(&mut self, name: &str) -> Result<(), Error> {
            self.ask(Request::rollback_to(name.to_owned()))$($await)*.map(|_| ())
        }

        /// Forgets a savepoint and those set since.
        pub $($async)* fn release(&mut self, name: &str) -> Result<(), Error> {
            self.ask(Request::release(name.to_owned()))$($await)*.map(|_| ())
        }

        /// Says which statement the next reads and writes belong to, for the history.
        pub $($async)* fn statement(&mut self, text: &str) -> Result<(), Error> {
            self.ask(Request::statement(text.to_owned()))$($await)*.map(|_| ())
        }

        /// Commits the transaction.
        pub $($async)* fn commit(mut self) -> Result<(), Error> {
            self.finish(Request::COMMIT)$($await)*
        }

        /// Aborts the transaction, so that nobody sees its writes. One that the store has aborted is.
        pub $($async)* fn abort(mut self) -> Result<(), Error> {
            match self.stage.is_aborted() {
                true => Ok(()),
                false => self.finish(Request::ABORT)$($await)*,
            }
        }

        $($async)* fn finish(&mut self, request: Request) -> Result<(), Error> {
            let answer = self.ask(request)$($await)*;
            if answer.is_ok() {
                self.stage = Stage::Over;
            }
            answer.map(|_| ())
        }
    };
}

/// The methods of a session beyond [`accesses`].
macro_rules! session_methods {
    ([$($async:tt)*] [$($await:tt)*] $transaction:ident) => {
        /// Begins a transaction.
        pub $($async)* fn begin(&mut self) -> Result<$transaction<'_>, Error> {
            self.begin_with(TxnOptions::default())$($await)*
        }

        /// Begins a transaction of this level.
        pub $($async)* fn begin_at(&mut self, level: Level) -> Result<$transaction<'_>, Error> {
            let options = TxnOptions { level: Some(level), ..TxnOptions::default() };
            self.begin_with(options)$($await)*
        }

        /// Begins a transaction with options of its own.
        pub $($async)* fn begin_with(
            &mut self,
            options: TxnOptions,
        ) -> Result<$transaction<'_>, Error> {
            let TxnOptions { level, policy, .. } = options;
            self.ask(Request::begin(level, policy))$($await)*?;
            Ok($transaction { session: self, stage: Stage::Open })
        }

        /// How the session's transactions read from now on; `None` as the store's.
        pub $($async)* fn set_policy(&mut self, policy: Option<Policy>) -> Result<(), Error> {
            self.ask(Request::set_policy(policy))$($await)*.map(|_| ())
        }

        /// The level of the session's transactions from now on; `None` as the store's.
        pub $($async)* fn set_level(&mut self, level: Option<Level>) -> Result<(), Error> {
            self.ask(Request::set_level(level))$($await)*.map(|_| ())
        }

        /// Everything committed so far is seen by every transaction that has not read yet.
        pub $($async)* fn fence(&mut self) -> Result<(), Error> {
            self.ask(Request::FENCE)$($await)*.map(|_| ())
        }

        /// The session's number.
        #[doc(hidden)]
        pub fn id(&self) -> SessionId {
            self.id
        }

        /// The store of this session.
        #[doc(hidden)]
        pub fn store(&self) -> &Store {
            &self.store
        }
    };
}

pub(crate) use {accesses, session_methods, transaction_methods};
