//! One connection to a database: what a protocol can ask for.

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

/// One connection. Dropping it rolls back what is open and disconnects.
pub struct Session {
    pub(super) core: Core,
    pub(super) secret: i32,
}

/// Cancels what a session does, from any thread.
#[derive(Clone)]
pub struct Canceller {
    store: Store,
    interrupts: Arc<Interrupts>,
    alarms: Arc<Alarms>,
}

impl Canceller {
    /// Cancels the statement that runs, if one does.
    pub fn cancel(&self) {
        self.alarms.interrupt(&self.interrupts, &self.store, Why::Cancel);
    }
}

impl Session {
    /// Splits text into statements; a syntax error names its place.
    pub fn statements(&mut self, sql: &str) -> Result<Vec<Statement>> {
        self.core.busy();
        let statements = self.core.parse(sql).map_err(worded)?;
        self.core.check_interrupts()?;
        Ok(statements)
    }

    /// Runs one statement of a simple query: the columns of its rows if it has any, and what it gave.
    pub fn simple(
        &mut self,
        statement: &Statement,
    ) -> Result<(Option<Vec<ColumnDescription>>, Outcome)> {
        self.simple_to(statement, None)
    }

    /// The same; the first of many rows, and all but a few, are given to `to`.
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

    /// A prepared statement.
    pub fn prepared(&self, name: &str) -> Result<Arc<Prepared>> {
        self.core.find_prepared(name).map_err(worded)
    }

    /// Makes a portal of a prepared statement, its parameters, and how its columns are to be sent.
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

    /// The statement of a portal, and how its columns are to be sent.
    pub fn portal(&self, name: &str) -> Result<(Arc<Prepared>, Arc<[i16]>)> {
        let portal = self.core.find_portal(name).map_err(worded)?;
        Ok((Arc::clone(&portal.prepared), Arc::clone(&portal.formats)))
    }

    /// Executes a portal, up to so many rows; 0 is all.
    pub fn execute(&mut self, portal: &str, max_rows: usize) -> Result<Outcome> {
        self.execute_to(portal, max_rows, None)
    }

    /// The same; the first of many rows, and all but a few, are given to `to` where all are wanted.
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

    /// Forgets a prepared statement, if it is there.
    pub fn close_statement(&mut self, name: &str) {
        self.core.prepared.remove(name);
    }

    /// Forgets a portal, if it is there.
    pub fn close_portal(&mut self, name: &str) {
        self.core.portals.remove(name);
    }

    /// Takes data of a COPY FROM STDIN.
    pub fn copy_data(&mut self, copy: &mut CopyIn, data: &[u8]) -> Result<()> {
        self.core.busy();
        self.core.copy_data(copy, data).map_err(worded)
    }

    /// Ends a COPY FROM STDIN.
    pub fn copy_done(&mut self, copy: CopyIn) -> Result<Done> {
        self.core.busy();
        let done = self.core.copy_done(copy);
        self.core.done();
        done.map_err(worded)
    }

    /// The end of a message cycle (Sync, or the end of a simple query): ends an implicit transaction.
    pub fn sync(&mut self) -> Result<()> {
        self.core.done();
        let result = self.core.sync();
        self.core.backend.interrupts.end();
        result.map_err(worded)
    }

    /// What is to be done when another session ends this one while it waits for its client.
    pub fn on_terminate(&self, hang_up: impl Fn() + Send + 'static) {
        self.core.backend.interrupts.on_terminate(Box::new(hang_up));
    }

    /// How long this session may wait for its client as it is now, and what the client is told then.
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

    /// An error that happened outside this crate, or that it returned: the transaction has failed. To be
    /// called once for every error sent to the client.
    pub fn fail(&mut self) {
        self.core.fail();
    }

    /// The state of the transaction.
    pub fn status(&self) -> TransactionStatus {
        self.core.rests();
        self.core.status()
    }

    /// How values read and print.
    pub fn types(&self) -> TypeEnv<'_> {
        self.core.env()
    }

    /// A setting, as SHOW prints it.
    pub fn setting(&self, name: &str) -> Option<String> {
        self.core.setting(name)
    }

    /// Notices and warnings since the last call.
    pub fn take_notices(&mut self) -> Vec<SqlError> {
        std::mem::take(&mut self.core.notices)
    }

    /// Settings the client is to be told of (ParameterStatus) that changed since the last call.
    pub fn take_changed_settings(&mut self) -> Vec<(String, String)> {
        let reports = self.core.settings.take_reports();
        reports.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Notifications for this session: the sender's process id, the channel, the payload.
    pub fn take_notifications(&mut self) -> Vec<(i32, String, String)> {
        self.core.shared.notifications(self.core.pid)
    }

    /// The number that stands for a process id.
    pub fn pid(&self) -> i32 {
        self.core.pid
    }

    /// The secret a cancel request must know.
    pub fn secret(&self) -> i32 {
        self.secret
    }

    /// Cancels this session's statements.
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
