//! What a session is while statements run: its store session, catalogue, settings, transaction.
//!
//! The store hears of a statement when it is first asked something for it ([`Core::request`]): then the transaction is
//! opened if it is not, at the level that was asked for, and the store is told the statement's text for the history and
//! how long the session waits for locks. So a transaction that reads nothing leaves nothing in a history.
//!
//! The catalogue a statement sees is the newest one, or the transaction's own once it has changed it; [`Core::refresh`]
//! takes it up, before a statement is bound and again after it waited for a lock on a relation.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hashbrown::HashMap;
use hobgoblin_core::{Level, SessionId, Value};
use hobgoblin_front::{
    AbortReason, Answer, Policy, Request, Scanning, Store, StoreError, TransactionRequest,
};

use super::TransactionStatus;
use super::backend::{Activity, Backend, State};
use super::databases::Databases;
use super::interrupted;
use super::reading::Read;
use super::shared::Shared;
use super::transaction_state::Transaction;
use super::{Portal, Prepared};
use crate::catalog::pg::VirtualCx;
use crate::catalog::{Catalog, Definition, Scope, Table};
use crate::error::{Problem, Result, Severity, SqlError, SqlState};
use crate::execute::TablePlan;
use crate::parse::Statement;
use crate::settings::Settings;
use crate::types::{Datum, Names, Oid, TypeEnv, TypeId, builtin};
use hobgoblin_sql_schema::SystemTable;
use hobgoblin_sql_schema::context::Clock;
use hobgoblin_sql_session::{AlarmId, Reading, Why};

/// The transaction id that what was there at first is shown to be written by. Transactions have
/// those after it, in the order in which they begin.
pub(crate) const FIRST_XID: i64 = 731;

/// The microseconds from 1970, where clocks begin, to 2000, where PostgreSQL's timestamps do.
const EPOCH: i64 = 946_684_800_000_000;

/// The inside of a session, which statements run in.
pub(crate) struct Core {
    pub(crate) databases: Arc<Databases>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) store: Store,
    pub(crate) id: SessionId,
    pub(crate) settings: Settings,
    pub(crate) pid: i32,
    pub(crate) backend: Arc<Backend>,
    /// The level of transactions for which nothing asks for one.
    pub(crate) level: Level,
    /// The level that the startup packet or the server's configuration asks for.
    pub(crate) startup_level: Option<Level>,
    pub(crate) database: String,
    pub(crate) user: String,
    /// The alarm that ends the statement at hand when `statement_timeout` is over.
    alarm: Option<AlarmId>,
    pub(crate) notices: Vec<SqlError>,
    pub(crate) prepared: BTreeMap<String, Arc<Prepared>>,
    pub(crate) portals: BTreeMap<String, Portal>,
    pub(crate) transaction: Transaction,
    pub(crate) temporary: String,
    pub(crate) copying: Option<super::copying::Copying>,
    scope: Scope,
    /// The text of the statement at hand, until the store has been told.
    pub(crate) statement: Option<String>,
    /// What the store was told last: how many milliseconds the session waits for a lock (0 for
    /// ever), and how many before it looks for a deadlock.
    timeouts: (u64, u64),
    statement_time: Option<i64>,
    pub(super) current: HashMap<Oid, i64>,
    pub(super) last: Option<i64>,
    pub(super) plans: HashMap<usize, (Arc<Table>, Arc<TablePlan>)>,
    pub(super) reading: Reading<Read>,
}

impl Core {
    pub(crate) fn new(
        databases: Arc<Databases>,
        store: Store,
        id: SessionId,
        user: &str,
        database: &str,
    ) -> Core {
        let shared = databases.find(database);
        let (name, role) = (database.to_owned(), user.to_owned());
        let activity = Activity { database: name, user: role, ..Activity::default() };
        let (pid, backend) = shared.backends.enter(id, activity);
        let scope = Scope::new(shared.schema.catalog(), user);
        let mut core = Core {
            settings: Settings::new(user),
            alarm: None,
            notices: Vec::new(),
            prepared: BTreeMap::new(),
            portals: BTreeMap::new(),
            transaction: Transaction::default(),
            temporary: format!("pg_temp_{pid}"),
            copying: None,
            scope,
            statement: None,
            timeouts: (0, 0),
            statement_time: None,
            current: HashMap::new(),
            last: None,
            plans: HashMap::new(),
            reading: Reading::default(),
            databases,
            shared,
            store,
            id,
            pid,
            backend,
            level: Level::RC,
            startup_level: None,
            database: database.to_owned(),
            user: user.to_owned(),
        };
        core.refresh();
        core
    }

    /// Takes over the newest catalogue, unless the transaction has its own, and the search path as
    /// it is set.
    pub(crate) fn refresh(&mut self) {
        let catalog = match &mut self.transaction.catalog {
            Some(own) => {
                self.shared.schema.rebase(own);
                Arc::clone(&own.catalog)
            }
            None => self.shared.schema.catalog(),
        };
        self.settings.know_extensions(|name| catalog.extensions.contains_key(name));
        let path = self.settings.search_path();
        let has_temporary = catalog.schemas.contains_key(&self.temporary);
        let changed = !Arc::ptr_eq(&catalog, &self.scope.catalog);
        let wanted = path.len() + usize::from(has_temporary);
        if changed || self.scope.path.len() != wanted || !self.scope.path.ends_with(path) {
            let temporary = has_temporary.then(|| self.temporary.clone());
            self.scope.path = temporary.into_iter().chain(path.iter().cloned()).collect();
        }
        self.scope.catalog = catalog;
        if changed {
            let live: Vec<usize> =
                self.scope.catalog.tables().map(|t| Arc::as_ptr(t) as usize).collect();
            self.plans.retain(|at, _| live.contains(at));
        }
    }

    pub(crate) fn scope(&self) -> Scope {
        self.scope.clone()
    }

    pub(crate) fn scope_ref(&self) -> &Scope {
        &self.scope
    }

    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.scope.catalog)
    }

    pub(crate) fn catalog_ref(&self) -> &Catalog {
        &self.scope.catalog
    }

    pub(crate) fn env(&self) -> TypeEnv<'_> {
        let env = TypeEnv::new(self.settings.format(), &self.scope);
        match self.transaction.time {
            Some(time) => env.at(time),
            None => env,
        }
    }

    /// Whether the store behaves as a real engine, with locks and snapshots.
    pub(crate) fn is_engine(&self) -> bool {
        self.shared.rules.engine
    }

    /// Says that the session begins to do something for its client, and starts `statement_timeout`.
    pub(crate) fn busy(&mut self) {
        self.backend.interrupts.begin();
        let timeout = u64::try_from(self.settings.number("statement_timeout")).unwrap_or(0);
        if timeout > 0 && self.alarm.is_none() {
            let (after, alarms) = (Duration::from_millis(timeout), &self.shared.backends.alarms);
            self.alarm = alarms.set(after, &self.backend.interrupts, &self.store, Why::Timeout);
        }
    }

    /// Says that a statement has ended, and stops its timeout.
    pub(crate) fn done(&mut self) {
        crate::memory::end();
        if let Some(alarm) = self.alarm.take() {
            self.shared.backends.alarms.unset(alarm);
            self.backend.interrupts.next();
        }
    }

    /// Fails if the statement is cancelled or its time is over.
    pub(crate) fn check_interrupts(&self) -> Result<()> {
        match self.backend.interrupts.is_raised() {
            true => interrupted::check(&self.backend.interrupts),
            false => crate::memory::look(),
        }
    }

    /// Cancels the statement of another session, or with `terminate` ends that session. Returns
    /// whether there is one.
    pub(crate) fn interrupt(&mut self, pid: i32, terminate: bool) -> bool {
        let why = if terminate { Why::Terminate } else { Why::Cancel };
        let Some(backend) = self.shared.backends.find(pid) else {
            let text = format!("PID {pid} is not a PostgreSQL backend process");
            self.notice(SqlError::new(SqlState::WARNING, text).severity(Severity::Warning));
            return false;
        };
        self.shared.backends.alarms.interrupt(&backend.interrupts, &self.store, why);
        true
    }

    pub(crate) fn element_of(&self, ty: TypeId) -> Option<TypeId> {
        builtin::element_of(ty).or_else(|| self.scope.element_of(ty))
    }

    pub(crate) fn user(&self) -> &str {
        &self.user
    }

    pub(crate) fn database_name(&self) -> &str {
        &self.database
    }

    /// Begins a statement. The store hears of it when it is first asked for something.
    pub(crate) fn begin_statement(&mut self, statement: &Statement, params: &[Datum]) {
        self.statement_time = None;
        let mut shown = statement.text.to_string();
        if !params.is_empty() {
            let values: Vec<String> = params
                .iter()
                .enumerate()
                .map(|(at, value)| format!("${} = {}", at + 1, brief(value)))
                .collect();
            shown.push_str(&format!(" -- {}", values.join(", ")));
        }
        let application = self.settings.get("application_name").unwrap_or_default();
        let message: &str = statement.message.as_ref().unwrap_or(&statement.text);
        self.backend.update(|activity| {
            activity.state = State::Active;
            message.clone_into(&mut activity.query);
            activity.application = application;
        });
        self.statement = Some(shown);
    }

    /// Says that the session waits for its client.
    pub(crate) fn rests(&self) {
        let state = match self.status() {
            TransactionStatus::Idle => State::Idle,
            TransactionStatus::Active => State::InTransaction,
            TransactionStatus::Failed => State::Failed,
        };
        self.backend.update(|activity| activity.state = state);
    }

    /// The numbers of the sessions that the session `pid` waits for.
    pub(crate) fn blocking_pids(&self, pid: i32) -> Vec<i32> {
        let all = self.shared.backends.all();
        let Some((_, waiter)) = all.iter().find(|(other, _)| *other == pid) else {
            return Vec::new();
        };
        let blockers = self.store.blockers(waiter.session);
        // A prepared transaction has no process; PostgreSQL says 0 for it.
        let in_doubt = blockers.iter().filter(|&&other| {
            all.iter().all(|(_, known)| known.session != other)
                && self.databases.in_doubt.number_of(other).is_some()
        });
        let pids = all.iter().filter(|(_, other)| blockers.contains(&other.session));
        pids.map(|&(pid, _)| pid).chain(in_doubt.map(|_| 0)).collect()
    }

    /// Begins the transaction in the store if it has not, and tells the store of the statement.
    fn reach(&mut self) -> Result<()> {
        if self.transaction.gone {
            return Err(in_failed());
        }
        if !self.transaction.open {
            let level = match self.transaction.lone_read {
                true => Some(self.level_here()),
                false => self.transaction.level.or_else(|| self.default_level()),
            };
            self.request(Request::begin(level, None))?;
            self.transaction.open = true;
        }
        if let Some(statement) = self.statement.take() {
            self.tell_timeouts();
            if !std::mem::replace(&mut self.transaction.snapshot, true) {
                self.tell_read_only()?;
                let keeps = self.is_engine() && self.one_snapshot();
                self.transaction.seen = keeps.then(|| self.shared.schema.catalog());
            }
            self.request(Request::statement(statement))?;
        }
        Ok(())
    }

    /// Tells the store that the transaction is read-only, if the store needs to know.
    fn tell_read_only(&mut self) -> Result<()> {
        let level = self.transaction.level.or_else(|| self.default_level()).unwrap_or(self.level);
        let deferrable = self.transaction.deferrable;
        let serializable = match level {
            Level::SER | Level::SSER => true,
            Level::RU | Level::RC | Level::RA | Level::CC | Level::PC | Level::PSI | Level::SI => {
                false
            }
        };
        match self.transaction.read_only && serializable && self.is_engine() {
            true => self.request(Request::read_only(deferrable)).map(|_| ()),
            false => Ok(()),
        }
    }

    /// Tells the store how long the session waits for locks, if that has changed.
    fn tell_timeouts(&mut self) {
        let millis = |name| u64::try_from(self.settings.number(name)).unwrap_or(0);
        let timeouts = (millis("lock_timeout"), millis("deadlock_timeout"));
        if std::mem::replace(&mut self.timeouts, timeouts) != timeouts {
            let (lock, deadlock) = timeouts;
            let lock = (lock > 0).then(|| Duration::from_millis(lock));
            self.store.set_lock_timeout(self.id, lock);
            self.store.set_deadlock_timeout(self.id, Duration::from_millis(deadlock));
        }
    }

    /// Takes the snapshot, if all statements of the transaction share one. The first query does
    /// that, whatever it reads.
    pub(crate) fn take_snapshot(&mut self) -> Result<()> {
        let first = self.transaction.block && !self.transaction.snapshot && !self.transaction.gone;
        match first && self.is_engine() && self.one_snapshot() {
            true => self.reach(),
            false => Ok(()),
        }
    }

    /// The level that `default_transaction_isolation` asks for; `None` if neither the session nor
    /// its startup set it.
    fn default_level(&self) -> Option<Level> {
        if !self.settings.is_set("default_transaction_isolation") {
            return self.startup_level;
        }
        let value = self.settings.get("default_transaction_isolation")?;
        self.level_named(&value)
    }

    /// The level that a name of SQL stands for. READ UNCOMMITTED has one of its own if the engine
    /// has.
    pub(crate) fn level_named(&self, name: &str) -> Option<Level> {
        let uncommitted = self.shared.rules.locks_scans
            && name.eq_ignore_ascii_case("read uncommitted")
            && self.shared.rules.profile.satisfies(Level::RU).is_some();
        match uncommitted {
            true => Some(Level::RU),
            false => super::transaction_state::level_of(name),
        }
    }

    /// The level at which the statement at hand runs.
    fn level_here(&self) -> Level {
        let level = self.transaction.level.or_else(|| self.default_level()).unwrap_or(self.level);
        match self.transaction.lone_read {
            true => self.shared.rules.profile.lone_read(level),
            false => level,
        }
    }

    /// How changes and locking reads of the transaction find their rows.
    pub(crate) fn scanning(&self) -> Scanning {
        match self.shared.rules.locks_scans {
            true => self.shared.rules.profile.scanning(self.level_here()),
            false => Scanning::Finds,
        }
    }

    /// Whether all statements of the transaction share one snapshot.
    pub(crate) fn one_snapshot(&self) -> bool {
        let level = self.transaction.level.or_else(|| self.default_level());
        level.unwrap_or(self.level).is_atomic()
    }

    /// Whether the transaction is at SERIALIZABLE.
    pub(crate) fn is_serializable(&self) -> bool {
        let level = self.transaction.level.or_else(|| self.default_level());
        level.unwrap_or(self.level).is_serial()
    }

    /// Sends a request of the transaction to the store.
    pub(crate) fn ask(&mut self, request: Request) -> Result<Answer> {
        self.reach()?;
        self.request(request)
    }

    /// The same for a statement that takes no snapshot.
    pub(crate) fn ask_beside(&mut self, request: Request) -> Result<Answer> {
        self.take_no_snapshot();
        self.ask(request)
    }

    /// Says that the statement at hand takes no snapshot, even if it waits for a lock.
    pub(crate) fn take_no_snapshot(&mut self) {
        self.statement = None;
        self.tell_timeouts();
    }

    /// Sends a request to the store, and puts an error into the words of SQL.
    pub(crate) fn request(&mut self, request: Request) -> Result<Answer> {
        let commit = request == Request::COMMIT;
        if !matches!(
            request,
            Request::Transaction(TransactionRequest::Abort | TransactionRequest::RollbackTo(_))
        ) {
            self.check_interrupts()?;
        }
        self.store.request(self.id, request).map_err(|error| {
            if error.ends_transaction() {
                self.transaction.open = false;
                self.transaction.gone = true;
            }
            let told = || store_error(&error, commit, self.settings.number("lock_timeout") > 0);
            match error {
                hobgoblin_front::Error::Interrupted { .. } => {
                    interrupted::error(&self.backend.interrupts).unwrap_or_else(told)
                }
                _ => told(),
            }
        })
    }

    /// Fails if the transaction is read-only.
    pub(crate) fn writing(&mut self) -> Result<()> {
        if self.transaction.read_only {
            return Err(SqlError::new(
                SqlState::READ_ONLY_SQL_TRANSACTION,
                "cannot execute a data-modifying statement in a read-only transaction",
            ));
        }
        Ok(())
    }

    /// The rows of a system relation at the moment.
    pub(crate) fn virtual_rows(&self, table: &'static SystemTable) -> Result<Vec<Vec<Datum>>> {
        let define = |what| self.definition(what).ok().flatten();
        let cx = VirtualCx {
            scope: &self.scope,
            env: self.env(),
            database: &self.database,
            backend_pid: self.pid,
            session: self,
            define: &define,
        };
        Ok(crate::catalog::pg::rows(table, &self.scope.catalog, &cx))
    }

    pub(crate) fn definition(&self, what: Definition) -> Result<Option<String>> {
        let bind = |ast: &sqlparser::ast::Expr,
                    table: Option<&Arc<Table>>,
                    wanted: Option<(TypeId, i32)>| {
            let scope = &self.scope;
            let mut binder = crate::bind::Binder::new(
                &scope.catalog,
                self.env(),
                &scope.path,
                Vec::new(),
                false,
            );
            let bound = match table {
                Some(table) => binder.row_expression(table, ast)?,
                None => binder.free_expression(ast)?,
            };
            match wanted {
                Some((ty, typmod)) => binder.assigned(bound, ty, typmod, "default"),
                None => Ok(bound),
            }
        };
        crate::catalog::definition::define(&self.scope, what, &bind)
    }

    pub(crate) fn clock(&mut self, clock: Clock) -> Result<i64> {
        let known = match clock {
            Clock::Transaction => self.transaction.time,
            Clock::Statement => self.statement_time,
            Clock::Wall => None,
        };
        if let Some(time) = known {
            return Ok(time);
        }
        let time = match self.request(Request::CLOCK)? {
            Answer::Value(Value::Int(time)) => time - EPOCH,
            _ => 0,
        };
        match clock {
            Clock::Transaction => self.transaction.time = Some(time),
            Clock::Statement => self.statement_time = Some(time),
            Clock::Wall => {}
        }
        Ok(time)
    }

    pub(crate) fn random(&mut self) -> Result<u64> {
        match self.request(Request::RANDOM)? {
            // 63 bits come; the lowest is the only one that repeats.
            Answer::Value(Value::Int(bits)) => Ok((bits as u64) << 1 | (bits as u64 & 1)),
            _ => Ok(0),
        }
    }

    pub(crate) fn transaction_number(&mut self) -> Result<i64> {
        if let Some(number) = self.transaction.number {
            return Ok(number);
        }
        self.reach()?;
        let number = self.store.with_machine(|machine| machine.transaction_number(self.id));
        let number = FIRST_XID + i64::from(number.unwrap_or(0));
        self.transaction.number = Some(number);
        Ok(number)
    }

    pub(crate) fn fence(&mut self) -> Result<()> {
        self.store.fence().map_err(|error| store_error(&error, false, false))
    }

    pub(crate) fn setting(&self, name: &str) -> Option<String> {
        match name.to_ascii_lowercase().as_str() {
            "transaction_isolation" => Some(self.transaction.isolation(&self.settings)),
            "transaction_read_only" => {
                Some(if self.transaction.read_only { "on" } else { "off" }.to_owned())
            }
            "transaction_deferrable" => {
                Some(if self.transaction.deferrable { "on" } else { "off" }.to_owned())
            }
            _ => self.settings.get(name),
        }
    }

    pub(crate) fn set_setting(
        &mut self,
        name: &str,
        value: Option<&str>,
        local: bool,
    ) -> Result<String> {
        let lower = name.to_ascii_lowercase();
        match lower.as_str() {
            "transaction_isolation" => {
                if let Some(value) = value {
                    self.set_level(value)?;
                }
                return Ok(value.unwrap_or_default().to_owned());
            }
            "transaction_read_only" => {
                self.transaction.read_only = matches!(value, Some("on" | "true" | "1" | "yes"));
                return Ok(value.unwrap_or("off").to_owned());
            }
            "transaction_deferrable" => {
                self.set_deferrable(matches!(value, Some("on" | "true" | "1" | "yes")))?;
                return Ok(value.unwrap_or("off").to_owned());
            }
            _ => {}
        }
        if lower == "hob.reads" {
            let policy = match value {
                None | Some("default" | "weak" | "") => None,
                Some(text) => Some(text.parse::<Policy>().map_err(|error| {
                    SqlError::new(SqlState::INVALID_PARAMETER_VALUE, error.to_string())
                })?),
            };
            self.request(Request::set_policy(policy))?;
        }
        let given = self.settings.set(name, value, local)?;
        self.refresh();
        Ok(given)
    }

    /// Sends a notice or warning to the client, unless `client_min_messages` leaves it out.
    pub(crate) fn notice(&mut self, notice: SqlError) {
        let wanted = self.settings.raw("client_min_messages").unwrap_or_default();
        let heard = match notice.severity {
            Severity::Notice => !["warning", "error"].contains(&wanted),
            Severity::Warning => wanted != "error",
            _ => true,
        };
        if heard {
            self.notices.push(notice);
        }
    }
}

/// A value, cut short, for the text of a statement in the history.
fn brief(value: &Datum) -> String {
    let text = match value {
        Datum::Null => "NULL".to_owned(),
        Datum::Int(number) => number.to_string(),
        Datum::Bool(truth) => truth.to_string(),
        Datum::Float(number) => number.to_string(),
        Datum::Numeric(number) => number.to_string(),
        Datum::Text(text) | Datum::Char(text) | Datum::Enum(_, text) => format!("'{text}'"),
        Datum::Citext(value) => format!("'{}'", value.text),
        _ => "…".to_owned(),
    };
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// The error of a statement in a transaction that has failed.
pub(crate) fn in_failed() -> SqlError {
    SqlError::new(
        SqlState::IN_FAILED_SQL_TRANSACTION,
        "current transaction is aborted, commands ignored until end of transaction block",
    )
}

/// An error of the store in the words of SQL.
fn store_error(error: &hobgoblin_front::Error, commit: bool, lock_timeout: bool) -> SqlError {
    use hobgoblin_front::Error as Front;
    let reason = match error {
        Front::Aborted(reason) | Front::Refused(reason) => reason,
        Front::Interrupted { .. } => {
            let text = "canceling statement due to user request";
            return SqlError::new(SqlState::QUERY_CANCELED, text);
        }
        Front::Unrecorded { .. } => {
            return SqlError::new(SqlState::DISK_FULL, error.to_string())
                .hint("Make room for the history, and start the server again.");
        }
        Front::Store(StoreError::HeldTwice { .. }) => {
            let text = "cannot PREPARE while holding both session-level and transaction-level locks \
                on the same object";
            return SqlError::new(SqlState::FEATURE_NOT_SUPPORTED, text);
        }
        Front::Store(StoreError::Unseeable { .. }) => {
            return SqlError::new(SqlState::SERIALIZATION_FAILURE, error.to_string());
        }
        other => return SqlError::new(SqlState::INTERNAL_ERROR, other.to_string()),
    };
    match reason {
        AbortReason::Spurious => SqlError::from(Problem::Dependencies)
            .detail("Reason code: refused for no reason, as --abort-rate asks.")
            .hint("The transaction might succeed if retried."),
        AbortReason::Deadlock => SqlError::new(SqlState::DEADLOCK_DETECTED, "deadlock detected"),
        AbortReason::LockTimeout if lock_timeout => {
            SqlError::new(SqlState::LOCK_NOT_AVAILABLE, "canceling statement due to lock timeout")
        }
        AbortReason::LockTimeout => SqlError::new(SqlState::DEADLOCK_DETECTED, "deadlock detected")
            .detail("A lock was not released for too long."),
        conflict => {
            let problem = match conflict {
                AbortReason::Deleted => Problem::ConcurrentDelete,
                AbortReason::Serialization if !commit => Problem::ConcurrentUpdate,
                AbortReason::Changed => Problem::ConcurrentUpdate,
                _ => Problem::Dependencies,
            };
            SqlError::from(problem).hint("The transaction might succeed if retried.")
        }
    }
}
