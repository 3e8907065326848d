//! A database and its sessions, as a protocol drives them.
//!
//! The protocol brings text; a [`Session`] parses, prepares, binds and executes it, keeps prepared
//! statements, portals and settings, and knows the state of the transaction. Transactions are as in
//! PostgreSQL: the first statement outside a block opens an implicit one, which [`Session::sync`] ends.

use std::sync::Arc;

use hobgoblin_front::Store;

use crate::copy::{CopyIn, CopyOut};
use crate::error::{Result, SqlError};
use crate::types::{Datum, Oid, TypeEnv, TypeId};

/// How a row is kept in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Granularity {
    /// One key for the presence of a row and one for each of its cells.
    Cell,
    /// One key for each row.
    Row,
}

/// A database of tables over a store; a handle to share.
#[derive(Clone)]
pub struct Database {
    store: Store,
}

/// Who connects, and what it asks for.
#[derive(Clone, Debug, Default)]
pub struct Startup {
    /// The user.
    pub user: String,
    /// The database.
    pub database: String,
    /// Settings of the startup packet, `options` split up.
    pub settings: Vec<(String, String)>,
}

/// One connection.
pub struct Session {
    database: Database,
}

/// A parsed statement with its text.
#[derive(Clone, Debug)]
pub struct Statement {
    /// As written, without what surrounds it.
    pub text: Arc<str>,
}

/// A prepared statement.
#[derive(Debug)]
pub struct Prepared {
    /// The types of its parameters.
    pub params: Vec<TypeId>,
    /// The columns of its rows, if it gives rows.
    pub columns: Option<Vec<ColumnDescription>>,
}

/// A column of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnDescription {
    /// Its name.
    pub name: String,
    /// The table it comes from, or 0.
    pub table: Oid,
    /// Its number there, or 0.
    pub column: i16,
    /// Its type.
    pub ty: TypeId,
    /// The type's modifier, or -1.
    pub typmod: i32,
}

/// The state of the transaction, as ReadyForQuery tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionStatus {
    /// None is open.
    Idle,
    /// One is open.
    Active,
    /// One failed and waits for its end.
    Failed,
}

/// What executing gives.
#[derive(Debug)]
pub enum Outcome {
    /// Rows; with a command tag when these were the last.
    Rows {
        /// The rows.
        rows: Vec<Vec<Datum>>,
        /// The command tag, such as `SELECT 3`, when there are no more; else the portal is suspended.
        complete: Option<String>,
    },
    /// It is done; the command tag.
    Done(String),
    /// There was no statement.
    Empty,
    /// The client is to send data; give it to [`Session::copy_data`], then [`Session::copy_done`].
    CopyIn(CopyIn),
    /// Data for the client, and the command tag.
    CopyOut(CopyOut, String),
}

/// Cancels what a session does, from any thread.
#[derive(Clone)]
pub struct Canceller {}

impl Canceller {
    /// Cancels the statement that runs, if one does.
    pub fn cancel(&self) {}
}

impl Database {
    /// A database over a store.
    pub fn new(store: Store, _granularity: Option<Granularity>) -> Database {
        Database { store }
    }

    /// The store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Connects a session; dropping it disconnects.
    pub fn connect(&self, _startup: Startup) -> Result<Session> {
        Ok(Session { database: self.clone() })
    }
}

#[allow(unused_variables, clippy::needless_pass_by_value)]
impl Session {
    /// Splits text into statements; a syntax error names its place.
    pub fn statements(&mut self, sql: &str) -> Result<Vec<Statement>> {
        Err(SqlError::unsupported("this"))
    }

    /// Runs one statement of a simple query: the columns of its rows if it has any, and what it gave.
    pub fn simple(
        &mut self,
        statement: &Statement,
    ) -> Result<(Option<Vec<ColumnDescription>>, Outcome)> {
        Err(SqlError::unsupported("this"))
    }

    /// Parses and prepares a statement under a name, the empty one replacing what was there. Types of
    /// parameters that are missing or 0 are inferred.
    pub fn prepare(&mut self, name: &str, sql: &str, types: &[TypeId]) -> Result<Arc<Prepared>> {
        Err(SqlError::unsupported("this"))
    }

    /// A prepared statement.
    pub fn prepared(&self, name: &str) -> Result<Arc<Prepared>> {
        Err(SqlError::unsupported("this"))
    }

    /// Makes a portal of a prepared statement and its parameters.
    pub fn bind(&mut self, portal: &str, statement: &str, params: Vec<Datum>) -> Result<()> {
        Err(SqlError::unsupported("this"))
    }

    /// The columns of a portal's rows, if it gives rows.
    pub fn portal_columns(&self, portal: &str) -> Result<Option<Vec<ColumnDescription>>> {
        Err(SqlError::unsupported("this"))
    }

    /// Executes a portal, up to so many rows; 0 is all.
    pub fn execute(&mut self, portal: &str, max_rows: usize) -> Result<Outcome> {
        Err(SqlError::unsupported("this"))
    }

    /// Forgets a prepared statement, if it is there.
    pub fn close_statement(&mut self, name: &str) {}

    /// Forgets a portal, if it is there.
    pub fn close_portal(&mut self, name: &str) {}

    /// Takes data of a COPY FROM STDIN.
    pub fn copy_data(&mut self, copy: &mut CopyIn, data: &[u8]) -> Result<()> {
        Err(SqlError::unsupported("this"))
    }

    /// Ends a COPY FROM STDIN; gives the command tag.
    pub fn copy_done(&mut self, copy: CopyIn) -> Result<String> {
        Err(SqlError::unsupported("this"))
    }

    /// The end of a message cycle (Sync, or the end of a simple query): ends an implicit transaction.
    pub fn sync(&mut self) -> Result<()> {
        Ok(())
    }

    /// An error that happened outside this crate, or that it returned: the transaction has failed. To be
    /// called once for every error sent to the client.
    pub fn fail(&mut self) {}

    /// The state of the transaction.
    pub fn status(&self) -> TransactionStatus {
        TransactionStatus::Idle
    }

    /// How values read and print.
    pub fn types(&self) -> TypeEnv<'_> {
        unimplemented!()
    }

    /// A setting, as SHOW prints it.
    pub fn setting(&self, name: &str) -> Option<String> {
        None
    }

    /// Notices and warnings since the last call.
    pub fn take_notices(&mut self) -> Vec<SqlError> {
        Vec::new()
    }

    /// Settings the client is to be told of (ParameterStatus) that changed since the last call.
    pub fn take_changed_settings(&mut self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Notifications for this session: the sender's process id, the channel, the payload.
    pub fn take_notifications(&mut self) -> Vec<(i32, String, String)> {
        Vec::new()
    }

    /// The number that stands for a process id.
    pub fn pid(&self) -> i32 {
        0
    }

    /// The secret a cancel request must know.
    pub fn secret(&self) -> i32 {
        0
    }

    /// Cancels this session's statements.
    pub fn canceller(&self) -> Canceller {
        Canceller {}
    }
}
