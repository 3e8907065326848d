//! Sessions and transactions for threads: each request blocks its thread until it is answered.

use hobgoblin_core::{Key, Level, SessionId, Value};
use hobgoblin_store::{Answer, KeyRange, Lock, Policy, Request};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::op::Op;
use crate::options::TxnOptions;
use crate::store::Store;
use crate::typed::{self, TRIES, accesses, session_methods, transaction_methods};

/// A session of a store, for one thread at a time. Reads and writes outside a transaction are
/// transactions of their own. Dropping it closes the session.
#[derive(Debug)]
pub struct Session {
    store: Store,
    id: SessionId,
}

/// An open transaction of a [`Session`]. Dropping it aborts it.
#[derive(Debug)]
#[must_use = "a transaction that is dropped is aborted"]
pub struct Transaction<'s> {
    session: &'s mut Session,
    open: bool,
}

impl Store {
    /// A new session for this thread, or for another one to take. It is named by its number.
    pub fn session(&self) -> Session {
        let session = self.connect(None).expect("a store has room for 2^31 sessions");
        Session::new(self.clone(), session)
    }

    /// A new session of this name. Names make logs and histories readable, and tell sessions apart in a
    /// replay when they connect in no certain order.
    pub fn session_named(&self, name: &str) -> Result<Session, Error> {
        Ok(Session::new(self.clone(), self.connect(Some(name))?))
    }
}

impl Session {
    pub(crate) fn new(store: Store, id: SessionId) -> Session {
        Session { store, id }
    }

    fn ask(&mut self, request: Request) -> Result<Answer, Error> {
        self.store.request(self.id, request)
    }

    /// Runs a transaction and commits it; runs it again when the store aborts it, up to 100 times. When
    /// the closure fails otherwise the transaction is aborted.
    ///
    /// ```
    /// # use hobgoblin_front::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let mut session = store.session();
    /// let count: i64 = session.transaction(|t| {
    ///     let count = t.get_as("count")?.unwrap_or(0) + 1;
    ///     t.put("count", count)?;
    ///     Ok(count)
    /// })?;
    /// assert_eq!(count, 1);
    /// # Ok::<(), hobgoblin_front::Error>(())
    /// ```
    pub fn transaction<T>(
        &mut self,
        mut body: impl FnMut(&mut Transaction<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut tries = TRIES;
        loop {
            let mut run = || {
                let mut transaction = self.begin()?;
                let output = body(&mut transaction)?;
                transaction.commit().map(|()| output)
            };
            match run() {
                Err(error) if error.is_abort() && tries > 1 => {
                    tries -= 1;
                }
                result => return result,
            }
        }
    }

    session_methods!([] [] Transaction);
    accesses!([] []);
}

impl Drop for Session {
    fn drop(&mut self) {
        self.store.post(Op::Disconnect(self.id));
    }
}

impl Transaction<'_> {
    fn ask(&mut self, request: Request) -> Result<Answer, Error> {
        let answer = self.session.ask(request);
        if answer.as_ref().is_err_and(Error::ends_transaction) {
            self.open = false;
        }
        answer
    }

    accesses!([] []);
    transaction_methods!([] []);
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.open {
            self.session.store.post(Op::Request(self.session.id, Request::ABORT));
        }
    }
}
