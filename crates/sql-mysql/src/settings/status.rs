//! What SHOW STATUS shows: counters of a server and of each session.
//!
//! Their names are lines of `status.tsv`, those of MariaDB 10.11. What counts here is statements (`Com_…`, `Questions`, `Queries`),
//! connections, and whatever else a session says by name; the other counters are of engines and files that there are not,
//! and stay at zero.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use hashbrown::HashMap;
use sqlparser::ast;

use crate::parse::Statement;
use crate::syntax::{Maintenance, Setting, ShowWhat, Special, TransactionStatement};

static NAMES: LazyLock<Vec<(&'static str, &'static str)>> = LazyLock::new(|| {
    include_str!("status.tsv").lines().filter_map(|line| line.split_once('\t')).collect()
});

static PLACES: LazyLock<HashMap<&'static str, Counter>> = LazyLock::new(|| {
    NAMES.iter().zip(0u16..).map(|((name, _), at)| (*name, Counter(at))).collect()
});

/// A counter by its place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter(u16);

impl Counter {
    /// By its name as it is shown.
    pub fn named(name: &str) -> Option<Counter> {
        PLACES.get(name).copied()
    }
}

/// The counters of a server, which its sessions share.
#[derive(Clone, Debug)]
pub struct Counters(Arc<Vec<AtomicU64>>);

impl Default for Counters {
    fn default() -> Counters {
        Counters(Arc::new(NAMES.iter().map(|_| AtomicU64::new(0)).collect()))
    }
}

impl Counters {
    /// What a counter has come to for the server, by its name.
    pub fn total(&self, name: &str) -> u64 {
        let found = Counter::named(name).and_then(|Counter(at)| self.0.get(usize::from(at)));
        found.map_or(0, |count| count.load(Ordering::Relaxed))
    }
}

/// What the server knows that no counter counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Server {
    /// How many connections there are.
    pub connected: u64,
    /// For how many seconds it has run.
    pub uptime: u64,
}

/// The counters of a session, which counts for its server too.
#[derive(Clone, Debug)]
pub struct Status {
    shared: Counters,
    own: Vec<u64>,
}

impl Status {
    /// Those of a session that begins.
    pub fn new(shared: &Counters) -> Status {
        Status { shared: shared.clone(), own: vec![0; NAMES.len()] }
    }

    /// Counts by name; names that are not listed count nowhere.
    pub fn count(&mut self, name: &str) {
        self.add(name, 1);
    }

    /// Counts several at once.
    pub fn add(&mut self, name: &str, more: u64) {
        if let Some(Counter(at)) = Counter::named(name) {
            let at = usize::from(at);
            self.own[at] += more;
            self.shared.0[at].fetch_add(more, Ordering::Relaxed);
        }
    }

    /// Begins again, as FLUSH STATUS and a reset of the connection do.
    pub fn clear(&mut self) {
        self.own.fill(0);
    }

    /// What SHOW STATUS shows, or SHOW GLOBAL STATUS: names and values, by name.
    pub fn list(&self, global: bool, server: Server) -> Vec<(&'static str, String)> {
        let rows = NAMES.iter().enumerate().map(|(at, (name, fixed))| {
            let value = match *name {
                "Threads_connected" => server.connected.to_string(),
                "Threads_running" => "1".to_owned(),
                "Uptime" | "Uptime_since_flush_status" => server.uptime.to_string(),
                _ if fixed.parse::<u64>().is_err() => (*fixed).to_owned(),
                _ => {
                    let counted = match global {
                        true => self.shared.0[at].load(Ordering::Relaxed),
                        false => self.own[at],
                    };
                    if counted == 0 { (*fixed).to_owned() } else { counted.to_string() }
                }
            };
            (*name, value)
        });
        rows.collect()
    }
}

/// The counter of a statement.
pub fn counter_of(statement: &Statement) -> &'static str {
    match (&statement.ast, &statement.special) {
        (Some(ast), _) => counter_of_tree(ast),
        (None, Some(special)) => counter_of_special(special),
        (None, None) => "Com_empty_query",
    }
}

fn counter_of_tree(tree: &ast::Statement) -> &'static str {
    match tree {
        ast::Statement::Insert(insert) => {
            let rows = insert.source.as_ref().map(|query| &*query.body);
            let select = !matches!(rows, None | Some(ast::SetExpr::Values(_)));
            match (insert.replace_into, select) {
                (false, false) => "Com_insert",
                (false, true) => "Com_insert_select",
                (true, false) => "Com_replace",
                (true, true) => "Com_replace_select",
            }
        }
        ast::Statement::Update { .. } => "Com_update",
        ast::Statement::Delete(delete) => match delete.tables.is_empty() {
            true => "Com_delete",
            false => "Com_delete_multi",
        },
        _ => "Com_select",
    }
}

fn counter_of_special(special: &Special) -> &'static str {
    match special {
        Special::Transaction(statement) => match statement {
            TransactionStatement::Begin { .. } => "Com_begin",
            TransactionStatement::Commit(_) => "Com_commit",
            TransactionStatement::Rollback(_) => "Com_rollback",
            TransactionStatement::Savepoint(_) => "Com_savepoint",
            TransactionStatement::RollbackTo(_) => "Com_rollback_to_savepoint",
            TransactionStatement::Release(_) => "Com_release_savepoint",
        },
        Special::Set(settings) => match settings.first() {
            Some(Setting::Assign { .. } | Setting::Names { .. }) => "Com_set_option",
            Some(Setting::Charset(_) | Setting::Transaction(_)) | None => "Com_set_option",
        },
        Special::Show(show) => counter_of_show(&show.what),
        Special::Describe { .. } => "Com_show_fields",
        Special::Explain(_) => "Com_select",
        Special::Use(_) => "Com_change_db",
        Special::CreateTable(_) => "Com_create_table",
        Special::AlterTable(_) => "Com_alter_table",
        Special::CreateIndex(_) => "Com_create_index",
        Special::DropIndex(_) => "Com_drop_index",
        Special::DropTables(_) => "Com_drop_table",
        Special::DropViews(_) => "Com_drop_view",
        Special::RenameTables(_) => "Com_rename_table",
        Special::Truncate(_) => "Com_truncate",
        Special::CreateView(_) => "Com_create_view",
        Special::CreateDatabase(_) => "Com_create_db",
        Special::AlterDatabase(..) => "Com_alter_db",
        Special::DropDatabase { .. } => "Com_drop_db",
        Special::LockTables(_) => "Com_lock_tables",
        Special::UnlockTables => "Com_unlock_tables",
        Special::Prepare(..) => "Com_prepare_sql",
        Special::Execute(..) => "Com_execute_sql",
        Special::ExecuteImmediate(..) => "Com_execute_immediate",
        Special::Deallocate(_) => "Com_dealloc_sql",
        Special::Do(_) => "Com_do",
        Special::Call(..) => "Com_call_procedure",
        Special::Kill(..) => "Com_kill",
        Special::Maintain(what, _) => match what {
            Maintenance::Analyze => "Com_analyze",
            Maintenance::Check => "Com_check",
            Maintenance::Checksum => "Com_checksum",
            Maintenance::Optimize => "Com_optimize",
            Maintenance::Repair => "Com_repair",
        },
        Special::Flush => "Com_flush",
        Special::Unsupported(_) => "Com_admin_commands",
    }
}

fn counter_of_show(what: &ShowWhat) -> &'static str {
    match what {
        ShowWhat::Tables => "Com_show_tables",
        ShowWhat::OpenTables => "Com_show_open_tables",
        ShowWhat::TableStatus => "Com_show_table_status",
        ShowWhat::Databases => "Com_show_databases",
        ShowWhat::Columns => "Com_show_fields",
        ShowWhat::Indexes => "Com_show_keys",
        ShowWhat::Variables => "Com_show_variables",
        ShowWhat::Status => "Com_show_status",
        ShowWhat::Warnings | ShowWhat::CountWarnings => "Com_show_warnings",
        ShowWhat::Errors | ShowWhat::CountErrors => "Com_show_errors",
        ShowWhat::Engines => "Com_show_storage_engines",
        ShowWhat::Engine(_) => "Com_show_engine_status",
        ShowWhat::Processlist => "Com_show_processlist",
        ShowWhat::Grants => "Com_show_grants",
        ShowWhat::Collation => "Com_show_collations",
        ShowWhat::Charset => "Com_show_charsets",
        ShowWhat::Plugins => "Com_show_plugins",
        ShowWhat::Privileges => "Com_show_privileges",
        ShowWhat::Triggers => "Com_show_triggers",
        ShowWhat::Events => "Com_show_events",
        ShowWhat::ProcedureStatus => "Com_show_procedure_status",
        ShowWhat::FunctionStatus => "Com_show_function_status",
        ShowWhat::CreateTable | ShowWhat::CreateView => "Com_show_create_table",
        ShowWhat::CreateDatabase => "Com_show_create_db",
        ShowWhat::CreateProgram(_) => "Com_show_create_proc",
        ShowWhat::Other(_) => "Com_show_generic",
    }
}
