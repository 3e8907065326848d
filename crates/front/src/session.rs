//! Sessions and transactions for threads: each request blocks its thread until it is answered.

use hobgoblin_core::{Key, Level, SessionId, Value};
use hobgoblin_store::{Answer, KeyRange, Lock, Policy, Request};

use crate::error::Error;
use crate::op::Op;
use crate::options::TxnOptions;
use crate::stage::Stage;
use crate::store::Store;
use crate::typed::{self, accesses, session_methods, transaction_methods};

/// A session of a store, for one thread at a time. Reads and writes outside a transaction are
/// transactions of their own. Dropping it closes the session.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::store::Config;
/// use hobgoblin::{Error, Store};
///
/// let store = Store::new(Config::default())?;
/// let mut session = store.session();
/// session.put("x", 1)?;
/// let sum = session.transaction(|t| {
///     let x: i64 = t.get_as("x")?.unwrap_or(0);
///     t.put("x", x + 1)?;
///     Ok::<_, Error>(x + 1)
/// })?;
/// assert_eq!(sum, 2);
/// # Ok::<(), hobgoblin::Error>(())
/// ```
#[derive(Debug)]
pub struct Session {
    store: Store,
    id: SessionId,
}

/// An open transaction of a [`Session`]. Dropping it aborts it.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::Store;
/// use hobgoblin::store::Config;
///
/// let store = Store::new(Config::default())?;
/// let mut session = store.session();
/// let mut t = session.begin()?;
/// t.put("x", 1)?;
/// t.savepoint("before")?;
/// t.put("x", 2)?;
/// t.rollback_to("before")?;
/// t.commit()?;
/// assert_eq!(session.get("x")?.as_i64(), Some(1));
/// # Ok::<(), hobgoblin::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "a transaction that is dropped is aborted"]
pub struct Transaction<'s> {
    session: &'s mut Session,
    stage: Stage,
}

impl Store {
    /// A new session for this thread, or for another one to take. It is named by its number.
    pub fn session(&self) -> Session {
        let session = self.connect(None).expect("a store has room for 2^31 sessions");
        Session::new(self.clone(), session)
    }

    /// A new session of this name. Names make logs and histories readable, and tell sessions apart in a
    /// replay when they connect in no certain order.
    pub fn session_named(&self, name: impl AsRef<str>) -> Result<Session, Error> {
        Ok(Session::new(self.clone(), self.connect(Some(name.as_ref()))?))
    }
}

impl Session {
    pub(crate) fn new(store: Store, id: SessionId) -> Session {
        Session { store, id }
    }

    fn ask(&mut self, request: Request) -> Result<Answer, Error> {
        self.store.request(self.id, request)
    }

    /// Runs a transaction and commits it; runs it again when the store aborts it, up to 100 times. An error
    /// of the closure's own aborts the transaction and is returned; it is of any type that an [`Error`] can be
    /// turned into.
    ///
    /// ```
    #[doc = include_str!("facade.txt")]
    /// use hobgoblin::store::Config;
    /// use hobgoblin::{Error, Store};
    ///
    /// #[derive(Debug)]
    /// enum Withdrawal {
    ///     Short { missing: i64 },
    ///     Database(Error),
    /// }
    ///
    /// impl From<Error> for Withdrawal {
    ///     fn from(error: Error) -> Withdrawal {
    ///         Withdrawal::Database(error)
    ///     }
    /// }
    ///
    /// let store = Store::new(Config::default())?;
    /// let mut session = store.session();
    /// let withdrawn = session.transaction(|t| {
    ///     let balance = t.get_as("balance")?.unwrap_or(0);
    ///     t.put("balance", balance - 100)?;
    ///     match balance - 100 {
    ///         left @ 0.. => Ok(left),
    ///         left => Err(Withdrawal::Short { missing: -left }),
    ///     }
    /// });
    /// assert!(matches!(withdrawn, Err(Withdrawal::Short { missing: 100 })));
    /// assert_eq!(session.get("balance")?, hobgoblin_core::Value::Null);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn transaction<T, E: From<Error>>(
        &mut self,
        body: impl FnMut(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.transaction_with(TxnOptions::default(), body)
    }

    /// The same with options of its own.
    pub fn transaction_with<T, E: From<Error>>(
        &mut self,
        options: TxnOptions,
        mut body: impl FnMut(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut tries = options.tries;
        loop {
            let mut transaction = self.begin_with(options)?;
            let output = body(&mut transaction);
            tries = tries.saturating_sub(1);
            let aborted = match output {
                Err(error) if tries == 0 || !transaction.stage.is_aborted() => return Err(error),
                Err(_) => continue,
                Ok(output) => match transaction.commit() {
                    Ok(()) => return Ok(output),
                    Err(error) => error,
                },
            };
            if tries == 0 || !aborted.is_abort() {
                return Err(aborted.into());
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
        if let Some(error) = self.stage.refused() {
            return Err(error);
        }
        let answer = self.session.ask(request);
        self.stage.notice(&answer);
        answer
    }

    accesses!([] []);
    transaction_methods!([] []);
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if let Stage::Open = self.stage {
            self.session.store.post(Op::Request(self.session.id, Request::ABORT));
        }
    }
}
