//! A client as the benchmarks use it: it lets others go between statements, counts, and retries.

use std::borrow::Cow;
use std::time::Duration;

use crate::client::{Client, Rows};
use crate::dialect::Dialect;
use crate::error::Error;
use crate::schedule::turn;
use crate::value::Value;

/// One session of an application.
pub struct Connection {
    client: Box<dyn Client>,
    /// Whether other sessions may go between the statements of a transaction, or only between transactions.
    pub overlap: bool,
    /// Whether reads that OLTP-Bench marks FOR UPDATE are.
    pub for_update: bool,
    /// How long an application thinks before each statement of a transaction.
    pub think: Duration,
    /// How often a transaction is tried again that the database refused.
    pub retries: u32,
    /// How many statements were sent.
    pub statements: u64,
}

impl Connection {
    /// A session over a client: transactions overlap, FOR UPDATE is sent, nothing is retried.
    pub fn new(client: Box<dyn Client>) -> Connection {
        Connection {
            client,
            overlap: true,
            for_update: true,
            think: Duration::ZERO,
            retries: 0,
            statements: 0,
        }
    }

    /// What the database speaks.
    pub fn dialect(&self) -> Dialect {
        self.client.dialect()
    }

    /// Runs a statement.
    pub async fn query(&mut self, sql: &str, params: &[Value]) -> Result<Rows, Error> {
        if self.overlap {
            turn().await;
        }
        if !self.think.is_zero() {
            std::thread::sleep(self.think);
        }
        self.statements += 1;
        self.client.query(sql, params)
    }

    /// Runs a SELECT that OLTP-Bench marks FOR UPDATE.
    pub async fn query_for_update(&mut self, sql: &str, params: &[Value]) -> Result<Rows, Error> {
        let sql: Cow<'_, str> = match self.for_update {
            true => format!("{sql} FOR UPDATE").into(),
            false => sql.into(),
        };
        self.query(&sql, params).await
    }

    /// Runs a transaction: commits what the body did, or undoes it.
    pub async fn transaction<T>(
        &mut self,
        body: impl AsyncFn(&mut Connection) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut left = self.retries;
        loop {
            match self.attempt(&body).await {
                Err(Error::Serialization { .. }) if left > 0 => left -= 1,
                done => return done,
            }
        }
    }

    async fn attempt<T>(
        &mut self,
        body: &impl AsyncFn(&mut Connection) -> Result<T, Error>,
    ) -> Result<T, Error> {
        turn().await;
        self.statements += 1;
        self.client.begin()?;
        let done = body(self).await;
        if self.overlap {
            turn().await;
        }
        self.statements += 1;
        match done {
            Ok(done) => self.client.commit().map(|()| done),
            Err(error @ Error::Broken(_)) => Err(error),
            Err(error) => {
                self.client.rollback()?;
                Err(error)
            }
        }
    }
}
