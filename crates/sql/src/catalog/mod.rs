//! The schema: tables, columns, constraints, indexes, views, sequences, types.
//!
//! A [`Catalog`] is a value. A transaction that changes the schema works on its own copy; its commit puts
//! that copy in the place of the shared one, so that others see all of the change or nothing. Everything
//! inside is shared by reference count, so a copy is cheap.

use std::collections::BTreeMap;
use std::sync::Arc;

use sqlparser::ast;

use crate::types::{Datum, EnumType, Oid, TypeId};

/// All there is.
#[derive(Clone, Debug)]
pub struct Catalog {
    /// Schemas by name, with their oids; `pg_catalog` and `information_schema` too.
    pub schemas: BTreeMap<String, Schema>,
    /// Relations by oid.
    pub relations: BTreeMap<Oid, Relation>,
    /// Enum types by oid.
    pub enums: BTreeMap<Oid, Arc<EnumType>>,
    /// Comments: the catalogue's oid (`pg_class` …), the object's, the column's number or 0.
    pub comments: BTreeMap<(Oid, Oid, i32), String>,
    /// The next free oid.
    pub next_oid: Oid,
    /// Raised with every change, so that prepared statements know when to bind anew.
    pub version: u64,
    /// How often each key prefix was used: a table that is dropped and made again gets a new one.
    pub prefixes: BTreeMap<String, u32>,
}

/// A schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// Its oid.
    pub oid: Oid,
    /// Its name.
    pub name: String,
    /// Its relations by name.
    pub relations: BTreeMap<String, Oid>,
    /// Its types by name.
    pub types: BTreeMap<String, Oid>,
}

/// Something with a name that `pg_class` lists.
#[derive(Clone, Debug)]
pub enum Relation {
    /// A table.
    Table(Arc<Table>),
    /// A view.
    View(Arc<View>),
    /// A sequence.
    Sequence(Arc<Sequence>),
    /// An index; its table knows the rest.
    Index {
        /// Its table.
        table: Oid,
        /// Its place among the table's indexes is found by this oid.
        oid: Oid,
    },
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its oid.
    pub oid: Oid,
    /// The oid of its row type.
    pub row_type: Oid,
    /// The oid of its row type's array type.
    pub row_array: Oid,
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// What its keys in the store begin with; unique in the life of the store.
    pub prefix: Arc<str>,
    /// Its columns by number less one; dropped ones keep their place.
    pub columns: Vec<Column>,
    /// Its indexes, the primary key's too.
    pub indexes: Vec<Arc<Index>>,
    /// Its constraints.
    pub constraints: Vec<Arc<Constraint>>,
    /// Whether it is temporary.
    pub temporary: bool,
}

/// A column.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name; of a dropped one `........pg.dropped.N........`.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// The type's modifier, -1 for none.
    pub typmod: i32,
    /// Whether it may not be NULL.
    pub not_null: bool,
    /// Its default, or what it is generated from.
    pub default: Option<Arc<Expression>>,
    /// Whether it is an identity column.
    pub identity: Option<Identity>,
    /// Whether `default` is `GENERATED ALWAYS AS (…) STORED`.
    pub generated: bool,
    /// Whether it was dropped.
    pub dropped: bool,
    /// What rows hold that were written before the column was added.
    pub missing: Datum,
}

/// How an identity column takes its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Identity {
    Always,
    ByDefault,
}

/// An expression of the schema, bound where it is used.
#[derive(Clone, Debug)]
pub struct Expression {
    /// As parsed.
    pub ast: ast::Expr,
    /// As written.
    pub text: String,
}

/// An index.
#[derive(Clone, Debug)]
pub struct Index {
    /// Its oid.
    pub oid: Oid,
    /// Its name.
    pub name: String,
    /// What its keys in the store begin with.
    pub prefix: Arc<str>,
    /// Its columns.
    pub columns: Vec<IndexColumn>,
    /// Columns that are only carried along (INCLUDE), by number less one.
    pub include: Vec<usize>,
    /// Whether it is unique.
    pub unique: bool,
    /// Whether it is the primary key.
    pub primary: bool,
    /// Whether NULLs are equal for uniqueness.
    pub nulls_not_distinct: bool,
    /// Of a partial index: which rows.
    pub predicate: Option<Arc<Expression>>,
    /// `btree`, `hash`, `gin` …
    pub method: String,
}

/// A column of an index.
#[derive(Clone, Debug)]
pub struct IndexColumn {
    /// What it holds.
    pub key: IndexKey,
    /// Whether it descends.
    pub descending: bool,
    /// Whether NULLs come first.
    pub nulls_first: bool,
    /// The operator class, if written.
    pub opclass: Option<String>,
}

/// What a column of an index holds.
#[derive(Clone, Debug)]
pub enum IndexKey {
    /// A column of the table, by number less one.
    Column(usize),
    /// An expression.
    Expression(Arc<Expression>),
}

/// A constraint.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// Its oid.
    pub oid: Oid,
    /// Its name.
    pub name: String,
    /// What it says.
    pub kind: ConstraintKind,
    /// Whether it may be deferred.
    pub deferrable: bool,
    /// Whether it is deferred unless SET CONSTRAINTS says otherwise.
    pub initially_deferred: bool,
    /// Whether existing rows were checked.
    pub validated: bool,
}

/// What a constraint says.
#[derive(Clone, Debug)]
pub enum ConstraintKind {
    /// A condition on a row.
    Check(Arc<Expression>),
    /// A primary key, by its index.
    Primary(Oid),
    /// Uniqueness, by its index.
    Unique(Oid),
    /// A reference.
    Foreign(ForeignKey),
}

/// A reference to another table.
#[derive(Clone, Debug)]
pub struct ForeignKey {
    /// The referencing columns, by number less one.
    pub columns: Vec<usize>,
    /// The table referenced.
    pub table: Oid,
    /// Its columns, by number less one.
    pub referenced: Vec<usize>,
    /// The unique index they have.
    pub index: Oid,
    /// When a referenced row goes.
    pub on_delete: Action,
    /// When a referenced key changes.
    pub on_update: Action,
    /// MATCH FULL.
    pub full: bool,
}

/// What a reference does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Action {
    NoAction,
    Restrict,
    Cascade,
    SetNull,
    SetDefault,
}

/// A view.
#[derive(Clone, Debug)]
pub struct View {
    /// Its oid.
    pub oid: Oid,
    /// The oid of its row type.
    pub row_type: Oid,
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// Its columns: name, type, modifier.
    pub columns: Vec<(String, TypeId, i32)>,
    /// Its query.
    pub query: Arc<ast::Query>,
    /// Its query as written.
    pub text: String,
    /// Whether it is materialized; its rows are then kept under this prefix like a table's.
    pub materialized: bool,
}

/// A sequence. Its counter is in the store, under `prefix`.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Sequence {
    pub oid: Oid,
    pub schema: String,
    pub name: String,
    pub prefix: Arc<str>,
    pub ty: TypeId,
    pub start: i64,
    pub increment: i64,
    pub min: i64,
    pub max: i64,
    pub cache: i64,
    pub cycle: bool,
    /// The table and column (number less one) it belongs to, and whether as identity.
    pub owner: Option<(Oid, usize, bool)>,
}

/// A definition to be printed as SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Definition {
    Index { index: Oid, column: usize, pretty: bool },
    Constraint { constraint: Oid, pretty: bool },
    View { view: Oid, pretty: bool },
    /// The default of a column, by the oid of the table and the column's number.
    Default { table: Oid, column: i32, pretty: bool },
}
