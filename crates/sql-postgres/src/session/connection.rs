//! One connection to a database: what a protocol can ask for.
//!
//! The calls are those of PostgreSQL's protocol. A simple query is
//! [`statements`](Session::statements) and then [`simple`](Session::simple) for each; the extended
//! protocol is [`prepare`](Session::prepare), [`bind`](Session::bind),
//! [`execute`](Session::execute) and [`sync`](Session::sync). After an error that is sent to the
//! client comes [`fail`](Session::fail). Programs without a protocol call [`run`](Session::run).

use std::sync::Arc;
use std::time::Duration;

use hobgoblin_core::Text;
use hobgoblin_front::Store;
use hobgoblin_sql_session::{Alarms, Interrupts, Why};

use super::core::Core;
use super::outcome::{ColumnDescription, Done, Outcome, TakeRows, TransactionStatus};
use super::plan::Prepared;
use crate::copy::CopyIn;
use crate::error::{Code, Result, Severity, SqlError};
use crate::parse::Statement;
use crate::roomy::roomy;
use crate::types::{Datum, TypeEnv, TypeId};
use crate::worded;

/// A connection. When it is dropped, its open transaction is rolled back.
pub struct Session {
    pub(super) core: Core,
    pub(super) secret: i32,
}

/// Cancels what a session does; it can be used from any thread.
#[derive(Clone)]
pub struct Canceller {
    store: Store,
    interrupts: Arc<Interrupts>,
    alarms: Arc<Alarms>,
}

impl Canceller {
    /// Cancels the statement that is running, if one is.
    pub fn cancel(&self) {
        self.alarms.interrupt(&self.interrupts, &self.store, Why::Cancel);
    }
}

impl Session {
    /// Splits a text into statements. A syntax error has its place in the text.
    pub fn statements(&mut self, sql: &str) -> Result<Vec<Statement>> {
        self.core.busy();
        let statements = self.core.parse(sql).map_err(worded)?;
        self.core.check_interrupts()?;
        Ok(statements)
    }

    /// Runs one statement of a simple query: the columns of its rows if it gives any, and what it
    /// gave.
    pub fn simple(
        &mut self,
        statement: &Statement,
    ) -> Result<(Option<Vec<ColumnDescription>>, Outcome)> {
        self.simple_to(statement, None)
    }

    /// The same, but if there are many rows they are given to `to`, all but the last few.
    pub fn simple_to(
        &mut self,
        statement: &Statement,
        to: Option<&mut dyn TakeRows>,
    ) -> Result<(Option<Vec<ColumnDescription>>, Outcome)> {
        self.core.busy();
        let outcome = roomy(&statement.text, || self.core.simple(statement, to));
        self.core.done();
        outcome.map_err(worded)
    }

    /// Runs statements that are wanted for what they do, and gives the rows of the last: for programs
    /// that have a session at hand and no protocol.
    pub fn run(&mut self, sql: &str) -> Result<Vec<Vec<Datum>>> {
        let mut last = Vec::new();
        let result = (|| {
            for statement in self.statements(sql)? {
                if let (_, Outcome::Rows { rows, .. }) = self.simple(&statement)? {
                    last = rows;
                }
            }
            Ok(())
        })();
        if let Err(error) = result {
            self.fail();
            self.sync()?;
            return Err(error);
        }
        self.sync()?;
        Ok(last)
    }

    /// Parses and prepares a statement under a name, the empty one replacing what was there. Types of
    /// parameters that are missing or 0 are inferred.
    pub fn prepare(&mut self, name: &str, sql: &str, types: &[TypeId]) -> Result<Arc<Prepared>> {
        self.core.busy();
        roomy(sql, || self.core.prepare(name, sql, types)).map_err(worded)
    }

    /// The prepared statement of this name, or an error.
    pub fn prepared(&self, name: &str) -> Result<Arc<Prepared>> {
        self.core.find_prepared(name).map_err(worded)
    }

    /// Makes a portal: a prepared statement, its parameters, and the format in which each column is
    /// to be sent.
    pub fn bind(
        &mut self,
        portal: &str,
        statement: &str,
        params: Vec<Datum>,
        formats: impl Into<Arc<[i16]>>,
    ) -> Result<()> {
        self.core.busy();
        self.core.bind(portal, statement, params, formats.into()).map_err(worded)
    }

    /// The statement of a portal, and the formats of its columns.
    pub fn portal(&self, name: &str) -> Result<(Arc<Prepared>, Arc<[i16]>)> {
        let portal = self.core.find_portal(name).map_err(worded)?;
        Ok((Arc::clone(&portal.prepared), Arc::clone(&portal.formats)))
    }

    /// Executes a portal. It gives at most so many rows; 0 is all.
    pub fn execute(&mut self, portal: &str, max_rows: usize) -> Result<Outcome> {
        self.execute_to(portal, max_rows, None)
    }

    /// The same, but if all rows are wanted and there are many, they are given to `to`, all but the
    /// last few.
    pub fn execute_to(
        &mut self,
        portal: &str,
        max_rows: usize,
        to: Option<&mut dyn TakeRows>,
    ) -> Result<Outcome> {
        self.core.busy();
        let text = match self.core.portals.get(portal) {
            Some(portal) => Text::clone(&portal.prepared.statement.text),
            None => "".into(),
        };
        let outcome = roomy(&text, || self.core.execute(portal, max_rows, to));
        self.core.done();
        outcome.map_err(worded)
    }

    /// Forgets the prepared statement of this name, if there is one.
    pub fn close_statement(&mut self, name: &str) {
        self.core.prepared.remove(name);
    }

    /// Forgets the portal of this name, if there is one.
    pub fn close_portal(&mut self, name: &str) {
        self.core.portals.remove(name);
    }

    /// Takes data that the client sends for a COPY FROM STDIN.
    pub fn copy_data(&mut self, copy: &mut CopyIn, data: &[u8]) -> Result<()> {
        self.core.busy();
        self.core.copy_data(copy, data).map_err(worded)
    }

    /// Ends a COPY FROM STDIN, when the client has sent all its data.
    pub fn copy_done(&mut self, copy: CopyIn) -> Result<Done> {
        self.core.busy();
        let done = self.core.copy_done(copy);
        self.core.done();
        done.map_err(worded)
    }

    /// Ends a cycle of messages (Sync, or the end of a simple query), and with it an implicit
    /// transaction.
    pub fn sync(&mut self) -> Result<()> {
        self.core.done();
        let result = self.core.sync();
        self.core.backend.interrupts.end();
        result.map_err(worded)
    }

    /// Says how to close the connection, for when another session ends this one while it waits for
    /// its client.
    pub fn on_terminate(&self, hang_up: impl Fn() + Send + 'static) {
        self.core.backend.interrupts.on_terminate(Box::new(hang_up));
    }

    /// How long the session may wait for its client in its present state, and the error that it
    /// then ends with; `None` for ever.
    pub fn idle_limit(&self) -> Option<(Duration, SqlError)> {
        let (setting, state, text) = match self.core.status() {
            TransactionStatus::Idle => (
                "idle_session_timeout",
                Code("57P05"),
                "terminating connection due to idle-session timeout",
            ),
            _ => (
                "idle_in_transaction_session_timeout",
                Code("25P03"),
                "terminating connection due to idle-in-transaction timeout",
            ),
        };
        let millis = u64::try_from(self.core.settings.number(setting)).ok().filter(|&m| m > 0)?;
        let error = SqlError::new(state, text).severity(Severity::Fatal);
        Some((Duration::from_millis(millis), error))
    }

    /// Says that an error is sent to the client, wherever it came from. The transaction has failed
    /// then. To be called once for each error.
    pub fn fail(&mut self) {
        self.core.fail();
    }

    /// The state of the transaction, for ReadyForQuery.
    pub fn status(&self) -> TransactionStatus {
        self.core.rests();
        self.core.status()
    }

    /// The settings and names by which values are read and printed.
    pub fn types(&self) -> TypeEnv<'_> {
        self.core.env()
    }

    /// The value of a setting, as SHOW prints it.
    pub fn setting(&self, name: &str) -> Option<String> {
        self.core.setting(name)
    }

    /// The notices and warnings since the last call.
    pub fn take_notices(&mut self) -> Vec<SqlError> {
        std::mem::take(&mut self.core.notices)
    }

    /// The settings that the client must be told of (ParameterStatus) and that have changed since
    /// the last call, with their values.
    pub fn take_changed_settings(&mut self) -> Vec<(String, String)> {
        let reports = self.core.settings.take_reports();
        reports.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// The notifications that have come since the last call: the number of the sender, the channel,
    /// the payload.
    pub fn take_notifications(&mut self) -> Vec<(i32, String, String)> {
        self.core.shared.notifications(self.core.pid)
    }

    /// The number of the session, which clients take for a process id.
    pub fn pid(&self) -> i32 {
        self.core.pid
    }

    /// The secret that a request to cancel must have.
    pub fn secret(&self) -> i32 {
        self.secret
    }

    /// What cancels this session's statements, to be used from another thread.
    pub fn canceller(&self) -> Canceller {
        Canceller {
            store: self.core.store.clone(),
            interrupts: Arc::clone(&self.core.backend.interrupts),
            alarms: Arc::clone(&self.core.shared.backends.alarms),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.core.rollback();
        self.core.drop_temporary();
        self.core.shared.leave(self.core.pid);
        let _ = self.core.store.disconnect(self.core.id);
    }
}
