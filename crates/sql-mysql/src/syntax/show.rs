//! What SHOW shows.

use sqlparser::ast::{Expr, Ident, ObjectName};

/// Which rows are shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// LIKE.
    Like(String),
    /// WHERE, over the columns of what is shown.
    Where(Box<Expr>),
}

/// A SHOW.
#[derive(Clone, Debug, PartialEq)]
pub struct Show {
    /// What is shown.
    pub what: ShowWhat,
    /// FULL.
    pub full: bool,
    /// GLOBAL, where variables are shown; SESSION and none are the same.
    pub global: bool,
    /// IF NOT EXISTS, where the definition of a database is shown.
    pub if_not_exists: bool,
    /// The table that it is about.
    pub table: Option<ObjectName>,
    /// The database, by FROM or IN.
    pub database: Option<Ident>,
    /// Which rows.
    pub filter: Option<Filter>,
    /// LIMIT: the offset and the count.
    pub limit: Option<(Option<Expr>, Expr)>,
}

/// What is shown.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum ShowWhat {
    Tables,
    OpenTables,
    TableStatus,
    Databases,
    Columns,
    Indexes,
    Variables,
    Status,
    Warnings,
    Errors,
    /// COUNT(*) WARNINGS.
    CountWarnings,
    /// COUNT(*) ERRORS.
    CountErrors,
    Engines,
    /// ENGINE … STATUS, LOGS or MUTEX.
    Engine(Ident),
    Processlist,
    Grants,
    Collation,
    Charset,
    Plugins,
    Privileges,
    Triggers,
    Events,
    ProcedureStatus,
    FunctionStatus,
    CreateTable,
    CreateView,
    CreateDatabase,
    /// CREATE of a program.
    CreateProgram(ProgramKind),
    /// Of replication, profiling and the like.
    Other(&'static str),
}

/// A kind of stored program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ProgramKind {
    Procedure,
    Function,
    Trigger,
    Event,
}
