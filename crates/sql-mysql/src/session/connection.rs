//! One connection: what a protocol can ask for.

use std::time::Duration;

use hobgoblin_core::SessionId;
use hobgoblin_front::Store;
use hobgoblin_sql_mysql_types::{Speaker, Version, error, worded};
use hobgoblin_sql_schema::{Code, Result, SqlError};

use super::outcome::{
    Changed, ColumnDescription, PreparedDescription, SessionStatus, TakeResults, Told,
};
use super::parameter::Parameter;
use super::startup::Startup;
use crate::dialect::MySql;

/// One connection. Dropping it rolls back what is open and disconnects.
#[derive(Debug)]
pub struct Session {
    store: Store,
    session: SessionId,
    version: Version,
    database: Option<String>,
}

/// Ends what a session does, from any thread.
#[derive(Clone, Debug)]
pub struct Canceller {
    store: Store,
    session: SessionId,
}

impl Canceller {
    /// KILL QUERY: ends the statement that runs, if one does, with 1317.
    pub fn cancel(&self) {
        self.store.interrupt(self.session);
    }

    /// KILL: ends the statement that runs, and the session after it.
    pub fn terminate(&self) {
        self.store.interrupt(self.session);
    }
}

impl Session {
    pub(super) fn connect(
        store: Store,
        _dialect: &'static MySql,
        version: Version,
        startup: Startup,
    ) -> Result<Session> {
        let session = store.connect(None).map_err(|error| {
            let text = format!("the store does not take the connection: {error}");
            SqlError::new(Code("08004"), text)
        })?;
        Ok(Session { store, session, version, database: startup.database })
    }

    /// The number of the connection.
    pub fn id(&self) -> u32 {
        1
    }

    /// How the session is.
    pub fn status(&self) -> SessionStatus {
        SessionStatus { autocommit: true, ..SessionStatus::default() }
    }

    /// The database in use.
    pub fn database(&self) -> Option<&str> {
        self.database.as_deref()
    }

    /// Ends what this session does, from any thread.
    pub fn canceller(&self) -> Canceller {
        Canceller { store: self.store.clone(), session: self.session }
    }

    /// Runs all statements of a text, one result each, up to the first error, which is returned.
    pub fn query(&mut self, _text: &[u8], _to: &mut dyn TakeResults) -> Result<()> {
        Err(SqlError::unsupported("statements"))
    }

    /// Prepares a statement.
    pub fn prepare(&mut self, _text: &[u8]) -> Result<PreparedDescription> {
        Err(SqlError::unsupported("statements"))
    }

    /// Executes a prepared statement.
    pub fn execute(
        &mut self,
        _id: u32,
        _values: Vec<Parameter>,
        _to: &mut dyn TakeResults,
    ) -> Result<()> {
        Err(SqlError::unsupported("statements"))
    }

    /// Forgets a prepared statement, if it is there.
    pub fn close(&mut self, _id: u32) {}

    /// COM_INIT_DB: uses a database.
    pub fn use_database(&mut self, name: &[u8]) -> Result<()> {
        self.database = Some(String::from_utf8_lossy(name).into_owned());
        Ok(())
    }

    /// COM_FIELD_LIST: the columns of a table that are like a pattern, each with its default.
    pub fn fields(
        &mut self,
        _table: &[u8],
        _pattern: &[u8],
    ) -> Result<Vec<(ColumnDescription, Option<String>)>> {
        Err(SqlError::unsupported("COM_FIELD_LIST"))
    }

    /// COM_RESET_CONNECTION: the session is as it was when it connected.
    pub fn reset(&mut self) -> Result<()> {
        Ok(())
    }

    /// COM_CHANGE_USER: the session is as one that connects now.
    pub fn change_user(&mut self, startup: Startup) -> Result<()> {
        self.database = startup.database;
        Ok(())
    }

    /// COM_SET_OPTION: whether a text may have several statements.
    pub fn set_multi_statements(&mut self, _allowed: bool) {}

    /// COM_PROCESS_KILL: ends another session.
    pub fn kill(&mut self, _id: u32) -> Result<()> {
        Err(SqlError::unsupported("KILL"))
    }

    /// COM_STATISTICS: a line about the server.
    pub fn statistics(&self) -> String {
        String::new()
    }

    /// What changed since the last call that a client may follow.
    pub fn take_changes(&mut self) -> Vec<Changed> {
        Vec::new()
    }

    /// How many warnings the last statement has.
    pub fn warnings(&self) -> u16 {
        0
    }

    /// An error in the server's words.
    pub fn worded(&self, error: SqlError) -> Told {
        let database = self.database.as_deref().unwrap_or_default();
        let error = worded(error, Speaker { version: self.version, database });
        Told {
            number: error.more.number.unwrap_or(error::UNKNOWN_ERROR),
            state: error.state().0.to_owned(),
            message: error.message(),
            ends: false,
        }
    }

    /// Whether the session was ended by KILL.
    pub fn is_terminated(&self) -> bool {
        false
    }

    /// How long this session may wait for its client.
    pub fn idle_limit(&self) -> Option<Duration> {
        None
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.store.disconnect(self.session);
    }
}
