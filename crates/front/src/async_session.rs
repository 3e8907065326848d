//! Sessions for async tasks. They need no runtime: their futures are woken by whoever changes the store,
//! and deadlines are kept by a thread that exists only while there are any.

use hobgoblin_core::{Key, Level, SessionId, Value};
use hobgoblin_store::{Answer, KeyRange, Lock, Policy, Request};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::op::Op;
use crate::options::TxnOptions;
use crate::pending::Pending;
use crate::store::Store;
use crate::typed::{self, TRIES, accesses, session_methods, transaction_methods};

/// A session of a store, for one task at a time; as [`Session`](crate::Session) otherwise.
#[derive(Debug)]
pub struct AsyncSession {
    store: Store,
    id: SessionId,
}

/// An open transaction of an [`AsyncSession`]. Dropping it aborts it.
#[derive(Debug)]
#[must_use = "a transaction that is dropped is aborted"]
pub struct AsyncTransaction<'s> {
    session: &'s mut AsyncSession,
    open: bool,
}

impl Store {
    /// A new session for async tasks.
    pub fn async_session(&self) -> AsyncSession {
        let session = self.connect(None).expect("a store has room for 2^31 sessions");
        AsyncSession::new(self.clone(), session)
    }

    /// A new session of this name, for async tasks.
    pub fn async_session_named(&self, name: &str) -> Result<AsyncSession, Error> {
        Ok(AsyncSession::new(self.clone(), self.connect(Some(name))?))
    }
}

impl AsyncSession {
    pub(crate) fn new(store: Store, id: SessionId) -> AsyncSession {
        AsyncSession { store, id }
    }

    fn ask(&mut self, request: Request) -> Pending<Answer> {
        self.store.pending(Op::Request(self.id, request), true)
    }

    /// Runs a transaction and commits it; runs it again when the store aborts it, up to 100 times. When
    /// the closure fails otherwise the transaction is aborted.
    pub async fn transaction<T>(
        &mut self,
        mut body: impl AsyncFnMut(&mut AsyncTransaction<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut tries = TRIES;
        loop {
            let run = async {
                let mut transaction = self.begin().await?;
                let output = body(&mut transaction).await?;
                transaction.commit().await.map(|()| output)
            };
            match run.await {
                Err(error) if error.is_abort() && tries > 1 => tries -= 1,
                result => return result,
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
        let session = &self.session;
        let answer = session.store.pending(Op::Request(session.id, request), false).await;
        if answer.as_ref().is_err_and(Error::ends_transaction) {
            self.open = false;
        }
        answer
    }

    accesses!([async] [.await]);
    transaction_methods!([async] [.await]);
}

impl Drop for AsyncTransaction<'_> {
    fn drop(&mut self) {
        if self.open {
            self.session.store.post(Op::Request(self.session.id, Request::ABORT));
        }
    }
}
