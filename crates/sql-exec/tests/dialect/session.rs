//! A session: it parses, binds and runs one statement after the other.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use hobgoblin_core::{SessionId, Text};
use hobgoblin_front::{Answer, Mode, Profile, Request, Scanning, Store};
use hobgoblin_sql_bind::Binder;
use hobgoblin_sql_exec::{Exec, Granularity, Pending, Row, Rows, TablePlan};
use hobgoblin_sql_schema::catalog::{Catalog, Constraint, Definition, Scope, Table};
use hobgoblin_sql_schema::context::{Advisory, Clock, Context, SequenceOp};
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_schema::{Result, SqlError, SystemTable};
use hobgoblin_sql_value::{Datum, Oid, TypeId};
use sqlparser::ast::Statement;
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

use crate::shout::SETTINGS;

pub(crate) struct Session {
    store: Store,
    id: SessionId,
    scope: Scope,
    engine: bool,
    /// Whether a transaction is open that a client began.
    block: bool,
    plans: HashMap<usize, Arc<TablePlan>>,
}

impl Session {
    pub(crate) fn connect(store: &Store, catalog: Catalog) -> Session {
        let id = store.connect(None).expect("the store takes sessions");
        let engine = store.with_machine(|machine| machine.config().profile != Profile::Spec);
        let scope = Scope::new(Arc::new(catalog), "NOBODY");
        Session { store: store.clone(), id, scope, engine, block: false, plans: HashMap::new() }
    }

    /// Another session of the same database.
    pub(crate) fn beside(&self, store: &Store) -> Session {
        Session::connect(store, (*self.scope.catalog).clone())
    }

    pub(crate) fn begin(&mut self) {
        self.store.request(self.id, Request::begin(None, None)).expect("none is open");
        self.block = true;
    }

    pub(crate) fn commit(&mut self) {
        self.store.request(self.id, Request::COMMIT).expect("it commits");
        self.block = false;
    }

    /// Runs a statement, in a transaction of its own if none is open; its rows, or the error as it is printed.
    pub(crate) fn run(&mut self, sql: &str) -> std::result::Result<Vec<Row>, String> {
        let alone = !self.block;
        if alone {
            self.begin();
        }
        let rows = self.statement(sql);
        if alone {
            match rows.is_ok() {
                true => self.commit(),
                false => {
                    self.store.request(self.id, Request::ABORT).expect("one is open");
                    self.block = false;
                }
            }
        }
        rows.map_err(|error| format!("{error:?}"))
    }

    fn statement(&mut self, sql: &str) -> Result<Vec<Row>> {
        let parsed = Parser::parse_sql(&GenericDialect {}, sql);
        let parsed = parsed.map_err(|error| SqlError::syntax(error.to_string()))?;
        self.store
            .request(self.id, Request::statement(sql.into()))
            .map_err(|error| SqlError::internal(error.to_string()))?;
        let scope = self.scope.clone();
        let mut binder = Binder::new(
            &scope.catalog,
            TypeEnv::new(SETTINGS, &scope),
            &scope.path,
            Vec::new(),
            false,
        );
        match &parsed[..] {
            [Statement::Query(query)] => {
                let query = binder.query(query)?;
                Exec::new(self, &[]).query(&query, None)
            }
            [change] => {
                let change = binder.dml(change)?;
                Exec::new(self, &[]).run_dml(&change).map(|(_, rows)| rows)
            }
            _ => Err(SqlError::syntax("one statement at a time")),
        }
    }
}

fn no<T>(what: &str) -> Result<T> {
    Err(SqlError::unsupported(what))
}

impl Context for Session {
    fn types(&self) -> TypeEnv<'_> {
        TypeEnv::new(SETTINGS, &self.scope)
    }

    fn catalog(&self) -> &Catalog {
        &self.scope.catalog
    }

    fn clock(&mut self, _: Clock) -> Result<i64> {
        no("times")
    }

    fn random(&mut self) -> Result<u64> {
        no("random numbers")
    }

    fn sequence(&mut self, _: SequenceOp) -> Result<i64> {
        no("sequences")
    }

    fn advisory(&mut self, _: Advisory) -> Result<bool> {
        no("advisory locks")
    }

    fn setting(&self, _: &str) -> Option<String> {
        None
    }

    fn set_setting(&mut self, _: &str, _: Option<&str>, _: bool) -> Result<String> {
        no("settings")
    }

    fn user(&self) -> &str {
        "NOBODY"
    }

    fn database(&self) -> &str {
        "HOME"
    }

    fn backend_pid(&self) -> i32 {
        0
    }

    fn blocking_pids(&self, _: i32) -> Vec<i32> {
        Vec::new()
    }

    fn transaction_number(&mut self) -> Result<i64> {
        no("numbers of transactions")
    }

    fn notify(&mut self, _: &str, _: &str) -> Result<()> {
        no("notifications")
    }

    fn channels(&self) -> Vec<String> {
        Vec::new()
    }

    fn unread(&self) -> usize {
        0
    }

    fn fence(&mut self) -> Result<()> {
        no("fences")
    }

    fn check_interrupts(&self) -> Result<()> {
        Ok(())
    }

    fn sleep(&mut self, _: Duration) -> Result<()> {
        no("sleeping")
    }

    fn interrupt(&mut self, _: i32, _: bool) -> bool {
        false
    }

    fn definition(&self, _: Definition) -> Result<Option<String>> {
        Ok(None)
    }
}

impl Rows for Session {
    fn ask(&mut self, request: Request) -> Result<Answer> {
        let answer = self.store.request(self.id, request);
        answer.map_err(|error| SqlError::internal(error.to_string()))
    }

    fn store(&self) -> &Store {
        &self.store
    }

    fn id(&self) -> SessionId {
        self.id
    }

    fn number_of(&self, transaction: u32) -> i64 {
        transaction.into()
    }

    fn granularity(&self) -> Granularity {
        if self.engine { Granularity::Row } else { Granularity::Cell }
    }

    fn is_engine(&self) -> bool {
        self.engine
    }

    fn scanning(&self) -> Scanning {
        self.store.with_machine(|machine| {
            let config = machine.config();
            config.profile.scanning(config.level)
        })
    }

    fn one_snapshot(&self) -> bool {
        self.store.with_machine(|machine| machine.config().level.is_atomic())
    }

    fn is_serializable(&self) -> bool {
        self.store.with_machine(|machine| machine.config().level.is_serial())
    }

    fn is_replica(&self) -> bool {
        false
    }

    fn writing(&mut self) -> Result<()> {
        Ok(())
    }

    fn schema(&self) -> Arc<Catalog> {
        Arc::clone(&self.scope.catalog)
    }

    fn scope(&self) -> Scope {
        self.scope.clone()
    }

    fn seen(&self) -> Option<&Catalog> {
        None
    }

    fn element_of(&self, _: TypeId) -> Option<TypeId> {
        None
    }

    fn virtual_rows(&self, _: &'static SystemTable) -> Result<Vec<Vec<Datum>>> {
        no("system tables")
    }

    fn known_plan(&self, table: &Arc<Table>) -> Option<Arc<TablePlan>> {
        self.plans.get(&(Arc::as_ptr(table) as usize)).cloned()
    }

    fn keep_plan(&mut self, table: &Arc<Table>, plan: Arc<TablePlan>) {
        self.plans.insert(Arc::as_ptr(table) as usize, plan);
    }

    fn lock_checked(&mut self, _: Oid, _: Mode) -> Result<()> {
        Ok(())
    }

    fn defers(&self, _: &Constraint) -> bool {
        false
    }

    fn defer(&mut self, _: Pending) {}

    fn moved(&self, _: &str) -> Option<Text> {
        None
    }

    fn row_moved(&mut self, _: &Text, _: &Text) {}

    fn row_inserted(&mut self, _: &Text) {}

    fn place_of(&self, _: &Text) -> u64 {
        0
    }

    fn key_at(&self, _: u64) -> Option<Text> {
        None
    }
}
