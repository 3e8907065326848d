//! CREATE TABLE and what tables are made of.

use sqlparser::ast::{Expr, Ident, ObjectName, OrderBySort, Query};

use crate::parse::ColumnType;

/// CREATE TABLE.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateTable {
    /// Its name.
    pub name: ObjectName,
    /// TEMPORARY.
    pub temporary: bool,
    /// OR REPLACE.
    pub or_replace: bool,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// Where columns and rows come from, beside what is written.
    pub source: TableSource,
    /// Columns, keys and checks as written.
    pub elements: Vec<TableElement>,
    /// ENGINE and the like.
    pub options: Vec<TableOption>,
    /// Whether PARTITION BY was written.
    pub partitioned: bool,
}

/// Where the columns of a new table come from.
#[derive(Clone, Debug, PartialEq)]
pub enum TableSource {
    /// All are written.
    Written,
    /// LIKE another table.
    Like(ObjectName),
    /// Those of a query, and its rows.
    Query {
        /// The query.
        query: Box<Query>,
        /// What happens to a row whose key is there already.
        on_duplicate: OnDuplicate,
    },
}

/// IGNORE and REPLACE before the query of a CREATE TABLE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum OnDuplicate {
    Error,
    Ignore,
    Replace,
}

/// One thing between the parentheses of a CREATE TABLE.
#[derive(Clone, Debug, PartialEq)]
pub enum TableElement {
    /// A column.
    Column(Column),
    /// A key.
    Key(Key),
    /// A foreign key.
    ForeignKey(ForeignKey),
    /// A check.
    Check(Check),
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: ColumnType,
    /// What else is said of it, in order.
    pub options: Vec<ColumnOption>,
}

/// What is said of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnOption {
    /// NULL.
    Null,
    /// NOT NULL.
    NotNull,
    /// DEFAULT.
    Default(Expr),
    /// ON UPDATE: a function of the time.
    OnUpdate(Expr),
    /// AUTO_INCREMENT.
    AutoIncrement,
    /// PRIMARY KEY.
    PrimaryKey,
    /// UNIQUE.
    Unique,
    /// COMMENT.
    Comment(String),
    /// COLLATE.
    Collate(Ident),
    /// It is computed.
    Generated(Generated),
    /// CHECK.
    Check(Check),
    /// REFERENCES, which MariaDB takes for a foreign key and MySQL before 9 does not.
    References(References),
    /// INVISIBLE: `*` does not mean it.
    Invisible,
    /// What says how it is stored, such as COLUMN_FORMAT.
    Storage(&'static str),
}

/// A column that is computed from others.
#[derive(Clone, Debug, PartialEq)]
pub struct Generated {
    /// Its value.
    pub value: Expr,
    /// STORED or PERSISTENT; else it is computed when it is read.
    pub stored: bool,
}

/// CHECK.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// Its name.
    pub name: Option<Ident>,
    /// The condition.
    pub condition: Expr,
    /// NOT ENFORCED.
    pub enforced: bool,
}

/// What a key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum KeyKind {
    Primary,
    Unique,
    Plain,
    Fulltext,
    Spatial,
}

/// A key of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// What it is for.
    pub kind: KeyKind,
    /// CONSTRAINT.
    pub constraint: Option<Ident>,
    /// The name of the index.
    pub name: Option<Ident>,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// Its columns.
    pub parts: Vec<KeyPart>,
    /// How it is made.
    pub how: IndexHow,
}

/// A column of a key.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyPart {
    /// The column, or an expression in parentheses.
    pub column: Expr,
    /// How many characters or bytes of it are in the key.
    pub length: Option<u64>,
    /// ASC or DESC.
    pub sort: Option<OrderBySort>,
}

/// FOREIGN KEY.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignKey {
    /// CONSTRAINT.
    pub constraint: Option<Ident>,
    /// The name of its index.
    pub index: Option<Ident>,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// The columns that refer.
    pub columns: Vec<Ident>,
    /// What they refer to.
    pub references: References,
}

/// REFERENCES.
#[derive(Clone, Debug, PartialEq)]
pub struct References {
    /// The table.
    pub table: ObjectName,
    /// Its columns.
    pub columns: Vec<Ident>,
    /// ON DELETE.
    pub on_delete: Option<ReferentialAction>,
    /// ON UPDATE.
    pub on_update: Option<ReferentialAction>,
}

/// What happens to rows that refer to one that goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ReferentialAction {
    Restrict,
    Cascade,
    SetNull,
    NoAction,
    SetDefault,
}

/// An option of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum TableOption {
    /// ENGINE.
    Engine(String),
    /// AUTO_INCREMENT: the next value.
    AutoIncrement(u64),
    /// DEFAULT CHARACTER SET; nothing for DEFAULT.
    Charset(Option<String>),
    /// COLLATE; nothing for DEFAULT.
    Collate(Option<String>),
    /// COMMENT.
    Comment(String),
    /// Any other, as name and text.
    Other(String, String),
}

/// How an index is made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexHow {
    /// USING.
    pub using: Option<String>,
    /// COMMENT.
    pub comment: Option<String>,
    /// INVISIBLE and IGNORED: no plan uses it.
    pub invisible: bool,
}
