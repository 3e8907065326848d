//! Sessions for async tasks. They need no runtime: their futures are woken by whoever changes the store,
//! and deadlines are kept by a thread that exists only while there are any.

use hobgoblin_core::{Key, Level, SessionId, Value};
use hobgoblin_store::{Answer, KeyRange, Lock, Policy, Request};

use crate::error::Error;
use crate::op::Op;
use crate::options::TxnOptions;
use crate::pending::Pending;
use crate::stage::Stage;
use crate::store::Store;
use crate::typed::{self, accesses, session_methods, transaction_methods};

/// A session of a store, for one task at a time; as [`Session`](crate::Session) otherwise.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::store::Config;
/// use hobgoblin::test::task;
/// use hobgoblin::{Error, Store};
///
/// let store = Store::new(Config::default())?;
/// let mut session = store.async_session();
/// let tasks = vec![task(async {
///     session.put("x", 1).await?;
///     session.transaction(async |t| t.delete("x").await).await
/// })];
/// let done: Vec<Result<(), Error>> = store.interleave(tasks);
/// assert!(done[0].is_ok());
/// # Ok::<(), hobgoblin::Error>(())
/// ```
#[derive(Debug)]
pub struct AsyncSession {
    store: Store,
    id: SessionId,
}

/// An open transaction of an [`AsyncSession`]. Dropping it aborts it.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::store::Config;
/// use hobgoblin::test::task;
/// use hobgoblin::{Error, Store};
///
/// let store = Store::new(Config::default())?;
/// let mut session = store.async_session();
/// let tasks = vec![task(async {
///     let mut t = session.begin().await?;
///     t.put("x", 1).await?;
///     t.commit().await
/// })];
/// let done: Vec<Result<(), Error>> = store.interleave(tasks);
/// assert!(done[0].is_ok());
/// # Ok::<(), hobgoblin::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "a transaction that is dropped is aborted"]
pub struct AsyncTransaction<'s> {
    session: &'s mut AsyncSession,
    stage: Stage,
}

impl Store {
    /// A new session for async tasks.
    pub fn async_session(&self) -> AsyncSession {
        let session = self.connect(None).expect("a store has room for 2^31 sessions");
        AsyncSession::new(self.clone(), session)
    }

    /// A new session of this name, for async tasks.
    pub fn async_session_named(&self, name: impl AsRef<str>) -> Result<AsyncSession, Error> {
        Ok(AsyncSession::new(self.clone(), self.connect(Some(name.as_ref()))?))
    }
}

impl AsyncSession {
    pub(crate) fn new(store: Store, id: SessionId) -> AsyncSession {
        AsyncSession { store, id }
    }

    fn ask(&mut self, request: Request) -> Pending<Answer> {
        self.store.pending(Op::Request(self.id, request), true)
    }

    /// Runs a transaction and commits it; as [`Session::transaction`](crate::Session::transaction).
    pub async fn transaction<T, E: From<Error>>(
        &mut self,
        body: impl AsyncFnMut(&mut AsyncTransaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.transaction_with(TxnOptions::default(), body).await
    }

    /// The same with options of its own.
    pub async fn transaction_with<T, E: From<Error>>(
        &mut self,
        options: TxnOptions,
        mut body: impl AsyncFnMut(&mut AsyncTransaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut tries = options.tries;
        loop {
            let mut transaction = self.begin_with(options).await?;
            let output = body(&mut transaction).await;
            tries = tries.saturating_sub(1);
            let aborted = match output {
                Err(error) if tries == 0 || !transaction.stage.is_aborted() => return Err(error),
                Err(_) => continue,
                Ok(output) => match transaction.commit().await {
                    Ok(()) => return Ok(output),
                    Err(error) => error,
                },
            };
            if tries == 0 || !aborted.is_abort() {
                return Err(aborted.into());
            }
        }
    }

    session_methods!([async] [.await] AsyncTransaction);
    accesses!([async] [.await]);
}

impl Drop for AsyncSession {
    fn drop(&mut self) {
        self.store.post(Op::Disconnect(self.id));
    }
}

impl AsyncTransaction<'_> {
    async fn ask(&mut self, request: Request) -> Result<Answer, Error> {
        if let Some(error) = self.stage.refused() {
            return Err(error);
        }
        let session = &self.session;
        let answer = session.store.pending(Op::Request(session.id, request), false).await;
        self.stage.notice(&answer);
        answer
    }

    accesses!([async] [.await]);
    transaction_methods!([async] [.await]);
}

impl Drop for AsyncTransaction<'_> {
    fn drop(&mut self) {
        if let Stage::Open = self.stage {
            self.session.store.post(Op::Request(self.session.id, Request::ABORT));
        }
    }
}
