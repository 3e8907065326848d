//! What a session is while statements run: its store session, catalogue, settings, transaction.
//!
//! The store hears of a statement when it is first asked something for it ([`Core::ask`]): then the transaction is opened
//! if it is not, at the level that was asked for, and the store is told the statement's text for the history and how
//! long the session waits for locks. So a transaction that reads nothing leaves nothing in a history.

use std::sync::Arc;
use std::time::Duration;

use hashbrown::HashMap;
use hobgoblin_core::{Key, Level, SessionId, Value};
use hobgoblin_front::Error::{Aborted, Refused};
use hobgoblin_front::{AbortReason, Answer, Request, Scanning, Store, TransactionRequest};
use hobgoblin_sql_exec::TablePlan;
use hobgoblin_sql_mysql_types::{Settings, SqlMode, error};
use hobgoblin_sql_schema::catalog::{Catalog, Scope, Table};
use hobgoblin_sql_schema::context::Clock;
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_schema::{Result, SqlError, memory};
use hobgoblin_sql_session::{AlarmId, Why};

use super::activity::{Activity, Backend, Stage};
use super::choices::Choices;
use super::locked_table::LockedTable;
use super::outcome::{Changed, SessionStatus};
use super::planned::Planned;
use super::prepared_statements::PreparedStatements;
use super::shared::Shared;
use super::startup::Startup;
use super::state::Transaction;
use super::told::{self, unreadable};
use crate::catalog;
use crate::parse::{Reading, parse_at};
use crate::settings::{Status, Variables};

/// Microseconds from 1970 to 2000, where times are counted from.
pub(super) const EPOCH: i64 = 946_684_800_000_000;

/// What statements leave for LAST_INSERT_ID, ROW_COUNT and FOUND_ROWS.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// The first number that the statement at hand took from an AUTO_INCREMENT.
    pub(crate) given: Option<u64>,
    /// The number that the statement at hand gave LAST_INSERT_ID as an argument, which clients are told if it took none.
    pub(crate) named: Option<u64>,
    /// What LAST_INSERT_ID() is: the first number of the last statement that took one, or an argument since then.
    pub(crate) last_insert_id: u64,
    /// ROW_COUNT().
    pub(crate) row_count: i64,
    /// FOUND_ROWS().
    pub(crate) found_rows: u64,
}

/// The inside of a session.
pub(crate) struct Core {
    pub(crate) shared: Arc<Shared>,
    pub(crate) store: Store,
    pub(crate) id: SessionId,
    pub(crate) number: u32,
    pub(crate) backend: Arc<Backend>,
    pub(crate) startup: Startup,
    /// `user@host`.
    pub(crate) user: String,
    pub(crate) settings: Settings,
    pub(crate) choices: Choices,
    pub(super) variables: Variables,
    /// How often they changed.
    pub(super) settled: u64,
    pub(super) counters: Status,
    pub(crate) database: Option<String>,
    pub(crate) transaction: Transaction,
    pub(crate) counts: Counts,
    pub(crate) changed: Vec<Changed>,
    pub(super) prepared: PreparedStatements,
    /// What LOCK TABLES has locked.
    pub(super) table_locks: Option<Vec<LockedTable>>,
    /// How the last query or change of rows was bound.
    pub(super) planned: Option<Arc<Planned>>,
    /// Whether the session is over.
    pub(crate) terminated: bool,
    scope: Scope,
    /// The alarm of the limit for statements, while one runs.
    alarm: Option<AlarmId>,
    /// The statement at hand, until the store has been told.
    pub(crate) statement: Option<String>,
    /// When it began, once that was asked.
    pub(super) statement_time: Option<i64>,
    /// How long the store was told that the session waits for locks.
    told_wait: Option<Duration>,
    /// What the store was told of `innodb_snapshot_isolation`.
    told_snapshot_isolation: Option<bool>,
    pub(super) plans: HashMap<usize, (Arc<Table>, Arc<TablePlan>)>,
}

impl std::fmt::Debug for Core {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Core").field("number", &self.number).finish_non_exhaustive()
    }
}

impl Core {
    pub(crate) fn new(shared: Arc<Shared>, store: Store, id: SessionId, startup: Startup) -> Core {
        let (user, host) = (startup.user.clone(), startup.host.clone());
        let name = startup.named();
        let activity = Activity::new(user, host);
        let (number, backend) = match startup.number {
            0 => shared.backends.enter(id, activity),
            given => {
                (given.cast_signed(), shared.backends.enter_as(given.cast_signed(), id, activity))
            }
        };
        let scope = Scope::new(shared.schema.catalog(), &name);
        let level = store.with_machine(|machine| machine.config().level);
        let settings = Settings { version: shared.version, ..Settings::default() };
        let mut core = Core {
            choices: Choices::new(level),
            variables: Variables::new(&shared.globals, startup.interactive),
            settled: 0,
            counters: Status::new(&shared.counters),
            number: number.cast_unsigned(),
            backend,
            user: name,
            settings,
            database: None,
            transaction: Transaction::default(),
            counts: Counts::default(),
            changed: Vec::new(),
            prepared: PreparedStatements::default(),
            table_locks: None,
            planned: None,
            terminated: false,
            scope,
            alarm: None,
            statement: None,
            statement_time: None,
            told_wait: None,
            told_snapshot_isolation: None,
            plans: HashMap::new(),
            shared,
            store,
            id,
            startup,
        };
        core.counters.count("Connections");
        core.speak(core.startup.collation);
        if core.startup.ignore_space {
            core.variables.ignore_space();
        }
        core.refresh();
        core
    }

    /// Takes up the newest catalogue and the database in use.
    pub(crate) fn refresh(&mut self) {
        let catalog = match &mut self.transaction.catalog {
            Some(own) => {
                self.shared.schema.rebase(own);
                Arc::clone(&own.catalog)
            }
            None => self.shared.schema.catalog(),
        };
        let path: Vec<String> = match &self.database {
            Some(database) => {
                let temporary = catalog::temporary_schema(self.number, database);
                let temporary = catalog.schemas.contains_key(&temporary).then_some(temporary);
                temporary.into_iter().chain([database.clone()]).collect()
            }
            None => Vec::new(),
        };
        if *self.scope.path != *path {
            self.scope.path = path.into();
        }
        if !Arc::ptr_eq(&catalog, &self.scope.catalog) {
            let live: Vec<usize> = catalog.tables().map(|t| Arc::as_ptr(t) as usize).collect();
            self.plans.retain(|at, _| live.contains(at));
            self.scope.catalog = catalog;
        }
    }

    pub(crate) fn scope(&self) -> Scope {
        self.scope.clone()
    }

    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.scope.catalog)
    }

    pub(crate) fn catalog_ref(&self) -> &Catalog {
        &self.scope.catalog
    }

    pub(crate) fn path(&self) -> &Arc<[String]> {
        &self.scope.path
    }

    pub(crate) fn env(&self) -> TypeEnv<'_> {
        let env = TypeEnv::new(&self.settings, &self.scope);
        match self.statement_time {
            Some(time) => env.at(time),
            None => env,
        }
    }

    /// How texts are read.
    pub(crate) fn reading(&self) -> Reading {
        self.variables.effects().reading()
    }

    /// What the client is told with every answer.
    pub(crate) fn status(&self) -> SessionStatus {
        let has = |mode| self.settings.mode.has(mode);
        SessionStatus {
            in_transaction: self.transaction.block,
            read_only: self.transaction.block && self.transaction.read_only,
            autocommit: self.choices.autocommit,
            no_backslash_escapes: has(SqlMode::NO_BACKSLASH_ESCAPES),
            ansi_quotes: has(SqlMode::ANSI_QUOTES),
            more: false,
        }
    }

    /// A statement begins; the store hears of it when it is first asked something.
    pub(crate) fn begin_statement(&mut self, text: &str, stage: Stage) {
        self.backend.interrupts.begin();
        // SET timestamp says what the time is.
        self.statement_time = self.variables.effects().timestamp.map(|time| time - EPOCH);
        self.statement = Some(text.to_owned());
        self.counts.given = None;
        self.counts.named = None;
        let database = self.database.clone();
        self.backend.update(|activity| {
            activity.database = database;
            activity.statement = Some(text.to_owned());
            activity.stage = stage;
            activity.since = std::time::Instant::now();
        });
        self.set_alarm();
        self.refresh();
    }

    /// Sets the alarm of the limit for statements, from now on.
    pub(super) fn set_alarm(&mut self) {
        if let Some(alarm) = self.alarm.take() {
            self.shared.backends.alarms.unset(alarm);
        }
        if let Some(limit) = self.choices.statement_limit {
            let alarms = &self.shared.backends.alarms;
            self.alarm = alarms.set(limit, &self.backend.interrupts, &self.store, Why::Timeout);
        }
    }

    /// A statement has ended.
    pub(crate) fn end_statement(&mut self) {
        memory::end();
        self.statement = None;
        if let Some(alarm) = self.alarm.take() {
            self.shared.backends.alarms.unset(alarm);
        }
        self.backend.interrupts.next();
    }

    /// The session waits for its client.
    pub(crate) fn rests(&mut self) {
        self.terminated |= self.is_killed();
        self.backend.interrupts.end();
        self.backend.update(|activity| {
            activity.statement = None;
            activity.since = std::time::Instant::now();
        });
    }

    /// Whether somebody has ended the session.
    pub(crate) fn is_killed(&self) -> bool {
        self.backend.activity().killed
    }

    /// Fails when the statement is to end.
    pub(crate) fn check_interrupts(&self) -> Result<()> {
        match self.backend.interrupts.why() {
            Some(why) => Err(told::interrupted(why, self.shared.version)),
            None => memory::look(),
        }
    }

    /// The level at which the statement at hand runs.
    pub(crate) fn level(&self) -> Level {
        let usual = self.shared.usual_level(self.choices.isolation);
        let level = self.transaction.level.unwrap_or(usual);
        match self.transaction.lone_read {
            true => self.shared.rules.profile.lone_read(level),
            false => level,
        }
    }

    /// How changes and locking reads find their rows.
    pub(crate) fn scanning(&self) -> Scanning {
        if !self.shared.rules.locks_scans {
            return Scanning::Finds;
        }
        let level = self.level();
        let committed = match level {
            Level::RC => true,
            Level::RU | Level::RA | Level::CC | Level::PC | Level::PSI | Level::SI => false,
            Level::SER | Level::SSER => false,
        };
        match self.shared.rules.profile.scanning(level) {
            // Under `innodb_snapshot_isolation` it waits for rows that it would pass over.
            Scanning::Locks { releases, sources, reads, .. }
                if committed && self.choices.snapshot_isolation == Some(true) =>
            {
                Scanning::Locks { skims: false, releases, sources, reads }
            }
            scanning => scanning,
        }
    }

    /// Opens the transaction in the store.
    fn open(&mut self) -> Result<()> {
        if !self.transaction.open {
            let level = self.level();
            let known = self.shared.rules.profile.satisfies(level).is_some();
            let snapshot_isolation = self.choices.snapshot_isolation;
            if std::mem::replace(&mut self.told_snapshot_isolation, snapshot_isolation)
                != snapshot_isolation
            {
                self.request(Request::set_snapshot_isolation(snapshot_isolation))?;
            }
            self.request(Request::begin(known.then_some(level), None))?;
            self.transaction.open = true;
        }
        Ok(())
    }

    /// Asks the store something that belongs to the transaction, for the statement at hand.
    pub(crate) fn ask(&mut self, request: Request) -> Result<Answer> {
        self.open()?;
        if let Some(statement) = self.statement.take() {
            self.tell_wait(self.choices.row_wait);
            self.request(Request::statement(statement))?;
        }
        self.request(request)
    }

    /// The same for what is no part of a statement.
    pub(crate) fn ask_beside(&mut self, request: Request) -> Result<Answer> {
        self.open()?;
        self.request(request)
    }

    /// Tells the store how long this session waits for locks, if that has changed.
    pub(crate) fn tell_wait(&mut self, wait: Duration) {
        if self.told_wait.replace(wait) != Some(wait) {
            self.store.set_lock_timeout(self.id, Some(wait));
        }
    }

    /// Asks the store.
    pub(crate) fn request(&mut self, request: Request) -> Result<Answer> {
        let undoes = matches!(
            request,
            Request::Transaction(TransactionRequest::Abort | TransactionRequest::RollbackTo(_))
        );
        if !undoes {
            self.check_interrupts()?;
        }
        // Only there does the error tell of which table the row is.
        let refuses_changed = self.told_snapshot_isolation != Some(false);
        let place = request.place().filter(|_| refuses_changed).cloned();
        self.store.request(self.id, request).map_err(|error| {
            if error.ends_transaction() {
                self.transaction.open = false;
            }
            let version = self.shared.version;
            match (&error, place) {
                (Aborted(AbortReason::Changed) | Refused(AbortReason::Changed), Some(place)) => {
                    told::changed(&self.table_at(&place), version)
                }
                _ => told::store_error(&error, self.backend.interrupts.why(), version),
            }
        })
    }

    /// The name of the table that has a key of the store, as a row or as an entry of an index.
    fn table_at(&self, place: &Key) -> String {
        let place = place.to_string();
        let has =
            |prefix: &str| place.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('['));
        let catalog = self.catalog_ref();
        let mut tables = catalog.tables();
        let found = tables.find(|table| {
            has(&table.prefix) || table.indexes.iter().any(|index| has(&index.prefix))
        });
        found.map(|table| table.name.clone()).unwrap_or_default()
    }

    pub(crate) fn clock(&mut self, clock: Clock) -> Result<i64> {
        if let (Clock::Transaction | Clock::Statement, Some(time)) = (clock, self.statement_time) {
            return Ok(time);
        }
        let time = match self.request(Request::CLOCK)? {
            Answer::Value(Value::Int(time)) => time - EPOCH,
            _ => 0,
        };
        match clock {
            Clock::Transaction | Clock::Statement => self.statement_time = Some(time),
            Clock::Wall => {}
        }
        Ok(time)
    }

    /// Uses the database that the client named at login, which is made unless somebody made it.
    pub(super) fn log_in_to(&mut self, name: &str) -> Result<()> {
        if !self.shared.schema.catalog().schemas.contains_key(name) {
            let text = format!("CREATE DATABASE IF NOT EXISTS `{}`", name.replace('`', "``"));
            let (made, _) = parse_at(&text, 0, self.reading()).map_err(|e| unreadable(&e))?;
            if let Some(special) = &made.special {
                self.begin_statement(&text, Stage::Other);
                let changed = self.change_schema(special);
                self.end_statement();
                self.rests();
                changed?;
            }
            self.settings.warnings.clear();
        }
        self.use_database(name)?;
        self.changed.clear();
        Ok(())
    }

    /// A text with a second statement, from a client that may send only one.
    pub(super) fn several(&self, rest: &str) -> SqlError {
        let near: String = rest.chars().take(80).collect();
        SqlError::syntax(format!("near '{near}' at line 1"))
    }

    /// Uses a database.
    pub(crate) fn use_database(&mut self, name: &str) -> Result<()> {
        if !self.shared.schema.catalog().schemas.contains_key(name) || catalog::is_temporary(name) {
            return Err(unknown_database(name));
        }
        if self.database.as_deref() != Some(name) {
            self.changed.push(Changed::Database(name.to_owned()));
        }
        self.database = Some(name.to_owned());
        self.backend.update(|activity| activity.database = Some(name.to_owned()));
        self.refresh();
        Ok(())
    }
}

/// 1792.
pub(super) fn read_only() -> SqlError {
    let text = "Cannot execute statement in a READ ONLY transaction";
    error::error(1792, text)
}

/// 1049.
pub(super) fn unknown_database(name: &str) -> SqlError {
    error::error(error::UNKNOWN_DATABASE, format!("Unknown database '{name}'"))
}
