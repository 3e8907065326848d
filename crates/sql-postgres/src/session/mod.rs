//! A database and its sessions, as a protocol drives them.
//!
//! The protocol brings text; a [`Session`] parses, prepares, binds and executes it, keeps prepared
//! statements, portals and settings, and knows the state of the transaction. Transactions are as in
//! PostgreSQL: the first statement outside a block opens an implicit one, which [`Session::sync`] ends.

mod advisory;
mod backends;
mod context;
mod copy;
pub(crate) mod core;
mod cursor;
mod databases;
mod ddl;
mod executor;
mod explain;
mod interrupts;
pub(crate) mod plan;
mod relations;
mod rows;
mod run;
mod sequences;
mod shared;
pub(crate) mod snapshot;
mod transaction;
pub(crate) mod two_phase;
mod utility;

use hobgoblin_sql_schema::Dialect;
use std::sync::Arc;
use std::time::Duration;

use hobgoblin_core::{Level, Text};
use hobgoblin_front::Store;

use self::backends::Backend;
use self::core::Core;
use self::databases::Databases;
use self::interrupts::{Alarms, Why};
pub use self::plan::{Portal, Prepared};
use self::shared::Shared;
use crate::copy::{CopyIn, CopyOut};
use crate::error::{Code, Result, Severity, SqlError};
pub use crate::execute::Granularity;
pub use crate::parse::Statement;
use crate::roomy::roomy;
use crate::settings::Settings;
use crate::types::{Datum, Oid, TypeEnv, TypeId};
use crate::worded;

/// A database of tables over a store; a handle to share.
#[derive(Clone)]
pub struct Database {
    store: Store,
    databases: Arc<Databases>,
    level: Level,
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

/// One connection. Dropping it rolls back what is open and disconnects.
pub struct Session {
    core: Core,
    secret: i32,
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

/// What takes the rows of a statement that has many of them, while it runs.
pub trait TakeRows {
    /// Takes a row; if that fails, so does the statement.
    fn take(
        &mut self,
        columns: &[ColumnDescription],
        row: &[Datum],
        env: &TypeEnv<'_>,
    ) -> Result<()>;
}

/// Who connects without a name.
const DEFAULT_USER: &str = "hob";

/// Cancels what a session does, from any thread.
#[derive(Clone)]
pub struct Canceller {
    store: Store,
    backend: Arc<Backend>,
    alarms: Arc<Alarms>,
}

impl Canceller {
    /// Cancels the statement that runs, if one does.
    pub fn cancel(&self) {
        self.alarms.interrupt(&self.backend, &self.store, Why::Cancel);
    }
}

impl Database {
    /// A database over a store, whose dialect has the functions. Rows are kept whole in an engine's store, by cells in `spec`, unless
    /// said otherwise; an engine always keeps them whole.
    pub fn new(
        store: Store,
        granularity: Option<Granularity>,
        dialect: &'static dyn Dialect,
    ) -> Database {
        let (engine, level) = store
            .with_machine(|machine| (machine.config().profile.has_locks(), machine.config().level));
        let granularity = match (engine, granularity) {
            (true, _) => Granularity::Row,
            (false, given) => given.unwrap_or(Granularity::Cell),
        };
        let databases = Arc::new(Databases::new(Shared::new(granularity, engine, dialect)));
        let database = Database { store, databases, level };
        database.restore();
        database
    }

    /// Sets what PostgreSQL reads from `postgresql.conf`; sessions that connect from now on begin with it.
    pub fn configure(&self, settings: &[(String, String)]) -> Result<()> {
        let mut tried = Settings::default();
        settings.iter().try_for_each(|(name, value)| tried.configure(name, value))?;
        self.databases.configure(settings.to_vec());
        Ok(())
    }

    /// The store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Connects a session; dropping it disconnects. The setting `hob.session` is its name in the history.
    pub fn connect(&self, startup: Startup) -> Result<Session> {
        let named = |(setting, _): &&(String, String)| setting.eq_ignore_ascii_case("hob.session");
        let name = startup.settings.iter().rfind(named).map(|(_, name)| name.as_str());
        let id = self.store.connect(name.filter(|name| !name.is_empty())).map_err(|error| {
            SqlError::new(Code("08006"), format!("the store does not take the connection: {error}"))
        })?;
        // PostgreSQL waits for locks as long as it takes; deadlocks are found.
        self.store.set_lock_timeout(id, None);
        let user = if startup.user.is_empty() { DEFAULT_USER } else { &startup.user };
        let database = if startup.database.is_empty() { user } else { &startup.database };
        let mut core =
            Core::new(Arc::clone(&self.databases), self.store.clone(), id, user, database);
        core.level = self.level;
        let isolation = match self.level {
            Level::SER | Level::SSER => "serializable",
            Level::SI | Level::PSI | Level::PC => "repeatable read",
            Level::RU | Level::RC | Level::RA | Level::CC => "read committed",
        };
        core.settings.startup("default_transaction_isolation", isolation)?;
        let configured = self.databases.settings();
        for (name, value) in &*configured {
            core.settings.configure(name, value)?;
        }
        for (name, value) in &startup.settings {
            core.settings.startup(name, value)?;
        }
        let mut given = configured.iter().chain(&startup.settings);
        if given.any(|(name, _)| name.eq_ignore_ascii_case("default_transaction_isolation")) {
            let level = core.settings.get("default_transaction_isolation");
            core.startup_level = level.and_then(|level| transaction::level_of(&level));
        }
        core.refresh();
        let secret = (i64::from(core.pid).wrapping_mul(0x9E37_79B9) as i32) ^ 0x5bd1_e995;
        Ok(Session { core, secret })
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

    /// Makes a portal of a prepared statement and its parameters.
    pub fn bind(&mut self, portal: &str, statement: &str, params: Vec<Datum>) -> Result<()> {
        self.core.busy();
        self.core.bind(portal, statement, params).map_err(worded)
    }

    /// The columns of a portal's rows, if it gives rows.
    pub fn portal_columns(&self, portal: &str) -> Result<Option<Vec<ColumnDescription>>> {
        Ok(self.core.find_portal(portal)?.prepared.columns.clone())
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

    /// Ends a COPY FROM STDIN; gives the command tag.
    pub fn copy_done(&mut self, copy: CopyIn) -> Result<String> {
        self.core.busy();
        let tag = self.core.copy_done(copy);
        self.core.done();
        tag.map_err(worded)
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
            backend: Arc::clone(&self.core.backend),
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
