//! One connection: what a protocol can ask for.

use std::sync::Arc;
use std::time::Duration;

use hobgoblin_front::Store;
use hobgoblin_sql_mysql_types::error;
use hobgoblin_sql_schema::roomy::roomy;
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_session::{Alarms, Why};

use super::activity::{Backend, Stage};
use super::core::Core;
use super::outcome::{
    Changed, ColumnDescription, PreparedDescription, SessionStatus, TakeResults, Told,
};
use super::parameter::Parameter;
use super::run::Given;
use super::startup::Startup;
use super::told::unreadable;
use crate::parse::{parse_at, text_of};

/// One connection. Dropping it rolls back what is open and disconnects.
#[derive(Debug)]
pub struct Session {
    pub(super) core: Core,
}

/// Ends what a session does, from any thread.
#[derive(Clone, Debug)]
pub struct Canceller {
    store: Store,
    backend: Arc<Backend>,
    alarms: Arc<Alarms>,
}

impl Canceller {
    /// KILL QUERY: ends the statement that runs, if one does, with 1317.
    pub fn cancel(&self) {
        self.alarms.interrupt(&self.backend.interrupts, &self.store, Why::Cancel);
    }

    /// KILL: ends the statement that runs, and the session after it.
    pub fn terminate(&self) {
        self.backend.update(|activity| activity.killed = true);
        self.alarms.interrupt(&self.backend.interrupts, &self.store, Why::Terminate);
    }

    /// What is to be done when the session is ended while it waits for its client.
    pub fn on_terminate(&self, hang_up: impl Fn() + Send + 'static) {
        self.backend.interrupts.on_terminate(Box::new(hang_up));
    }
}

impl Session {
    /// The number of the connection.
    pub fn id(&self) -> u32 {
        self.core.number
    }

    /// How the session is.
    pub fn status(&self) -> SessionStatus {
        self.core.status()
    }

    /// The database in use.
    pub fn database(&self) -> Option<&str> {
        self.core.database.as_deref()
    }

    /// Ends what this session does, from any thread.
    pub fn canceller(&self) -> Canceller {
        Canceller {
            store: self.core.store.clone(),
            backend: Arc::clone(&self.core.backend),
            alarms: Arc::clone(&self.core.shared.backends.alarms),
        }
    }

    /// Runs all statements of a text, one result each, up to the first error, which is returned.
    pub fn query(&mut self, text: &[u8], to: &mut dyn TakeResults) -> Result<()> {
        let reading = self.core.reading();
        let text = self.core.variables.effects().client.statement(text);
        let text = text_of(&text, reading).into_owned();
        let ran = self.texts(&text, to);
        self.core.rests();
        ran.map_err(|error| self.core.said(error))
    }

    fn texts(&mut self, text: &str, to: &mut dyn TakeResults) -> Result<()> {
        let mut from = Some(0);
        while let Some(at) = from {
            // Each statement may change how the next one is to be read.
            let (statement, next) =
                parse_at(text, at, self.core.reading()).map_err(|e| unreadable(&e))?;
            if next.is_some() && !self.core.startup.multi_statements {
                let rest = next.map_or("", |at| text[at..].trim_start());
                return Err(self.core.several(rest));
            }
            let core = &mut self.core;
            roomy(&statement.text, || {
                core.statement(&statement, Given::default(), next.is_some(), to)
            })?;
            from = next;
        }
        Ok(())
    }

    /// Prepares a statement.
    pub fn prepare(&mut self, text: &[u8]) -> Result<PreparedDescription> {
        let text = self.core.variables.effects().client.statement(text);
        let text = text_of(&text, self.core.reading()).into_owned();
        let described = self.core.prepare(&text);
        self.core.rests();
        described.map_err(|error| self.core.said(error))
    }

    /// Executes a prepared statement.
    pub fn execute(
        &mut self,
        id: u32,
        values: Vec<Parameter>,
        to: &mut dyn TakeResults,
    ) -> Result<()> {
        let ran = self.core.execute(id, values, to);
        self.core.rests();
        ran.map_err(|error| self.core.said(error))
    }

    /// Forgets a prepared statement, if it is there.
    pub fn close(&mut self, id: u32) {
        self.core.close(id);
    }

    /// COM_INIT_DB: uses a database.
    pub fn use_database(&mut self, name: &[u8]) -> Result<()> {
        let name = String::from_utf8_lossy(name).into_owned();
        self.core.use_database(&name).map_err(|error| self.core.said(error))
    }

    /// COM_FIELD_LIST: the columns of a table that are like a pattern, each with its default.
    pub fn fields(
        &mut self,
        table: &[u8],
        pattern: &[u8],
    ) -> Result<Vec<(ColumnDescription, Option<String>)>> {
        let (table, pattern) = (String::from_utf8_lossy(table), String::from_utf8_lossy(pattern));
        self.core.begin_statement(&table, Stage::Other);
        let fields = self.core.fields(&table, &pattern);
        self.core.end_statement();
        self.core.rests();
        fields.map_err(|error| self.core.said(error))
    }

    /// COM_RESET_CONNECTION: the session is as it was when it connected.
    pub fn reset(&mut self) -> Result<()> {
        let reset = self.core.reset();
        self.core.rests();
        reset.map_err(|error| self.core.said(error))
    }

    /// COM_CHANGE_USER: the session is as one that connects now.
    pub fn change_user(&mut self, startup: Startup) -> Result<()> {
        let changed = self.core.become_another(startup);
        self.core.rests();
        changed.map_err(|error| self.core.said(error))
    }

    /// COM_SET_OPTION: whether a text may have several statements.
    pub fn set_multi_statements(&mut self, allowed: bool) {
        self.core.startup.multi_statements = allowed;
    }

    /// COM_PROCESS_KILL: ends another session.
    pub fn kill(&mut self, id: u32) -> Result<()> {
        self.core.kill(id, Why::Terminate).map_err(|error| self.core.said(error))
    }

    /// COM_STATISTICS: a line about the server.
    pub fn statistics(&self) -> String {
        self.core.statistics()
    }

    /// What changed since the last call that a client may follow.
    pub fn take_changes(&mut self) -> Vec<Changed> {
        std::mem::take(&mut self.core.changed)
    }

    /// How many warnings the last statement has.
    pub fn warnings(&self) -> u16 {
        self.core.warning_count()
    }

    /// An error in the server's words.
    pub fn worded(&self, error: SqlError) -> Told {
        let error = self.core.said(error);
        Told {
            number: error.more.number.unwrap_or(error::UNKNOWN_ERROR),
            state: error.state().0.to_owned(),
            message: error.message(),
            ends: self.core.terminated,
        }
    }

    /// Whether the session was ended by KILL.
    pub fn is_terminated(&self) -> bool {
        self.core.terminated || self.core.is_killed()
    }

    /// How long this session may wait for its client.
    pub fn idle_limit(&self) -> Option<Duration> {
        Some(self.core.choices.idle)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // What others wait for goes with the session.
        let _ = self.core.forget();
        self.core.shared.backends.leave(self.core.number.cast_signed());
        let _ = self.core.store.disconnect(self.core.id);
    }
}
