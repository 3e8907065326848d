//! Statements that change tables, indexes, views and databases.

use sqlparser::ast::{Expr, Ident, ObjectName, OrderByExpr, Query};

use super::table::{Column, Key, KeyPart, TableElement, TableOption};

/// ALTER TABLE.
#[derive(Clone, Debug, PartialEq)]
pub struct AlterTable {
    /// The table.
    pub table: ObjectName,
    /// IF EXISTS.
    pub if_exists: bool,
    /// IGNORE, which MariaDB has.
    pub ignore: bool,
    /// What is done, in order.
    pub changes: Vec<TableChange>,
}

/// Where a column goes.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// Before all others.
    First,
    /// After another.
    After(Ident),
}

/// One change of an ALTER TABLE.
#[derive(Clone, Debug, PartialEq)]
pub enum TableChange {
    /// ADD COLUMN.
    AddColumn {
        /// The column.
        column: Column,
        /// IF NOT EXISTS.
        if_not_exists: bool,
        /// Where it goes.
        place: Option<Place>,
    },
    /// ADD of a key, a foreign key or a check.
    Add(TableElement),
    /// MODIFY and CHANGE.
    ChangeColumn {
        /// The column as it is called.
        name: Ident,
        /// What it becomes.
        column: Column,
        /// IF EXISTS.
        if_exists: bool,
        /// Where it goes.
        place: Option<Place>,
    },
    /// ALTER COLUMN … SET DEFAULT, or DROP DEFAULT.
    Default(Ident, Option<Expr>),
    /// DROP COLUMN.
    DropColumn {
        /// The column.
        name: Ident,
        /// IF EXISTS.
        if_exists: bool,
    },
    /// DROP INDEX.
    DropIndex {
        /// The index.
        name: Ident,
        /// IF EXISTS.
        if_exists: bool,
    },
    /// DROP PRIMARY KEY.
    DropPrimaryKey,
    /// DROP FOREIGN KEY.
    DropForeignKey {
        /// The foreign key.
        name: Ident,
        /// IF EXISTS.
        if_exists: bool,
    },
    /// DROP CONSTRAINT, and DROP CHECK.
    DropConstraint {
        /// The constraint.
        name: Ident,
        /// IF EXISTS.
        if_exists: bool,
    },
    /// RENAME TO.
    Rename(ObjectName),
    /// RENAME COLUMN.
    RenameColumn(Ident, Ident),
    /// RENAME INDEX.
    RenameIndex(Ident, Ident),
    /// ENGINE and the like.
    Option(TableOption),
    /// CONVERT TO CHARACTER SET; nothing for DEFAULT.
    Convert {
        /// The character set.
        charset: Option<String>,
        /// COLLATE.
        collation: Option<String>,
    },
    /// ORDER BY.
    OrderBy(Vec<OrderByExpr>),
    /// What changes nothing that is kept here: ALGORITHM, LOCK, ENABLE KEYS, FORCE.
    Nothing,
    /// Of partitions and tablespaces, by name.
    Unsupported(&'static str),
}

/// CREATE INDEX.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateIndex {
    /// The index.
    pub key: Key,
    /// OR REPLACE.
    pub or_replace: bool,
    /// The table.
    pub table: ObjectName,
}

impl CreateIndex {
    /// The columns of the index.
    pub fn parts(&self) -> &[KeyPart] {
        &self.key.parts
    }
}

/// DROP INDEX.
#[derive(Clone, Debug, PartialEq)]
pub struct DropIndex {
    /// IF EXISTS.
    pub if_exists: bool,
    /// The index.
    pub name: Ident,
    /// Its table.
    pub table: ObjectName,
}

/// DROP TABLE and DROP VIEW.
#[derive(Clone, Debug, PartialEq)]
pub struct DropTables {
    /// TEMPORARY.
    pub temporary: bool,
    /// IF EXISTS.
    pub if_exists: bool,
    /// The tables.
    pub names: Vec<ObjectName>,
}

/// How a view is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ViewAlgorithm {
    Undefined,
    Merge,
    Temptable,
}

/// WITH CHECK OPTION.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ViewCheck {
    Local,
    Cascaded,
}

/// CREATE VIEW and ALTER VIEW.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateView {
    /// ALTER: it is there already.
    pub alter: bool,
    /// OR REPLACE.
    pub or_replace: bool,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// ALGORITHM.
    pub algorithm: Option<ViewAlgorithm>,
    /// Its name.
    pub name: ObjectName,
    /// The names of its columns.
    pub columns: Vec<Ident>,
    /// Its query.
    pub query: Box<Query>,
    /// WITH CHECK OPTION.
    pub check: Option<ViewCheck>,
}

/// An option of a database.
#[derive(Clone, Debug, PartialEq)]
pub enum DatabaseOption {
    /// CHARACTER SET; nothing for DEFAULT.
    Charset(Option<String>),
    /// COLLATE; nothing for DEFAULT.
    Collate(Option<String>),
    /// COMMENT.
    Comment(String),
    /// ENCRYPTION and READ ONLY.
    Other,
}

/// CREATE DATABASE.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateDatabase {
    /// OR REPLACE.
    pub or_replace: bool,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// Its name.
    pub name: Ident,
    /// What is said of it.
    pub options: Vec<DatabaseOption>,
}
