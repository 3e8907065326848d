//! Statements that are no query and no change of rows.

use sqlparser::ast::{Expr, Ident, ObjectName};

use super::schema::{
    AlterTable, CreateDatabase, CreateIndex, CreateView, DatabaseOption, DropIndex, DropTables,
};
use super::setting::Setting;
use super::show::Show;
use super::table::CreateTable;
use super::transaction::TransactionStatement;

/// A statement that `sqlparser` has no tree for.
#[derive(Clone, Debug, PartialEq)]
pub enum Special {
    /// Of transactions.
    Transaction(TransactionStatement),
    /// SET.
    Set(Vec<Setting>),
    /// SHOW.
    Show(Box<Show>),
    /// DESCRIBE of a table, perhaps of one column or those like a pattern.
    Describe {
        /// The table.
        table: ObjectName,
        /// The column or the pattern.
        column: Option<String>,
    },
    /// EXPLAIN.
    Explain(Explained),
    /// USE.
    Use(Ident),
    /// CREATE TABLE.
    CreateTable(Box<CreateTable>),
    /// ALTER TABLE.
    AlterTable(Box<AlterTable>),
    /// CREATE INDEX.
    CreateIndex(Box<CreateIndex>),
    /// DROP INDEX.
    DropIndex(DropIndex),
    /// DROP TABLE.
    DropTables(DropTables),
    /// DROP VIEW.
    DropViews(DropTables),
    /// RENAME TABLE: the old names and the new.
    RenameTables(Vec<(ObjectName, ObjectName)>),
    /// TRUNCATE TABLE.
    Truncate(ObjectName),
    /// CREATE VIEW and ALTER VIEW.
    CreateView(Box<CreateView>),
    /// CREATE DATABASE.
    CreateDatabase(CreateDatabase),
    /// ALTER DATABASE; without a name the one in use.
    AlterDatabase(Option<Ident>, Vec<DatabaseOption>),
    /// DROP DATABASE.
    DropDatabase {
        /// IF EXISTS.
        if_exists: bool,
        /// Its name.
        name: Ident,
    },
    /// LOCK TABLES.
    LockTables(Vec<TableLock>),
    /// UNLOCK TABLES.
    UnlockTables,
    /// PREPARE: the name, and the text or the variable that has it.
    Prepare(Ident, Expr),
    /// EXECUTE: the name, and the values of its parameters.
    Execute(Ident, Vec<Expr>),
    /// EXECUTE IMMEDIATE: the text, and the values of its parameters.
    ExecuteImmediate(Expr, Vec<Expr>),
    /// DEALLOCATE PREPARE.
    Deallocate(Ident),
    /// DO.
    Do(Vec<Expr>),
    /// CALL.
    Call(ObjectName, Vec<Expr>),
    /// KILL.
    Kill(Killed, Expr),
    /// ANALYZE TABLE and its kin.
    Maintain(Maintenance, Vec<ObjectName>),
    /// FLUSH of what is kept nowhere here.
    Flush,
    /// A statement that is known and missing here, by name.
    Unsupported(&'static str),
}

/// EXPLAIN.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// FORMAT.
    pub format: Option<String>,
    /// ANALYZE: it is run.
    pub analyze: bool,
    /// The statement; nothing for that of another connection.
    pub statement: Option<Box<sqlparser::ast::Statement>>,
}

/// What KILL ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Killed {
    Connection,
    Query,
}

/// What is done to tables that changes no row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Maintenance {
    Analyze,
    Check,
    Checksum,
    Optimize,
    Repair,
}

/// One table of LOCK TABLES.
#[derive(Clone, Debug, PartialEq)]
pub struct TableLock {
    /// The table.
    pub table: ObjectName,
    /// Its alias.
    pub alias: Option<Ident>,
    /// WRITE; else READ.
    pub write: bool,
}
