//! The schema: tables, columns, constraints, indexes, views, sequences, types.
//!
//! A [`Catalog`] is a value. A transaction that changes the schema works on its own copy; its commit puts
//! that copy in the place of the shared one, so that others see all of the change or nothing. Everything
//! inside is shared by reference count, so a copy is cheap.

mod lookup;
mod merge;
mod notes;
mod scope;

use std::collections::BTreeMap;
use std::sync::Arc;

use hobgoblin_core::Text;
use hobgoblin_sql_value::{Datum, Oid, TypeId};
use sqlparser::ast;
use sqlparser::tokenizer::Location;

pub use crate::action::Action;
pub use crate::names::EnumType;
pub use crate::syntax::CheckOption;
pub use lookup::{Found, OWNER};
pub use merge::same_relation;
pub use notes::Notes;
pub use scope::Scope;

use crate::dialect::Dialect;
use crate::shape::Shapes;
use crate::syntax::Clauses;

/// All there is.
#[derive(Clone, Debug)]
pub struct Catalog {
    /// Schemas by name, with their oids; those of the system too.
    pub schemas: BTreeMap<String, Schema>,
    /// Relations by oid.
    pub relations: BTreeMap<Oid, Relation>,
    /// Enum types by oid.
    pub enums: BTreeMap<Oid, Arc<EnumType>>,
    /// Domains by oid.
    pub domains: BTreeMap<Oid, Arc<Domain>>,
    /// Comments: the oid of the kind of object, the object's, the column's number or 0.
    pub comments: BTreeMap<(Oid, Oid, i32), String>,
    /// The next free oid.
    pub next_oid: Oid,
    /// Raised with every change, so that prepared statements know when to bind anew.
    pub version: u64,
    /// What all key prefixes begin with; nothing in the database that is always there.
    pub keys: Text,
    /// How often each key prefix was used: a table that is dropped and made again gets a new one.
    pub prefixes: BTreeMap<String, u32>,
    /// Row types, array types of rows, of enums and of domains, by their oids.
    pub derived: BTreeMap<Oid, Derived>,
    /// Roles that were made, by name; the session's own user is not here.
    pub roles: BTreeMap<String, Role>,
    /// Extensions that were made, by name.
    pub extensions: BTreeMap<String, Extension>,
    /// The shapes of rows that have no type of their own; all copies share them.
    pub shapes: Arc<Shapes>,
    /// The language that its expressions and queries are in.
    pub dialect: &'static dyn Dialect,
}

/// An extension that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Its oid.
    pub oid: Oid,
    /// The schema its objects are in.
    pub schema: String,
}

/// What a type that exists because of something else is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derived {
    /// The row type of a relation.
    Row(Oid),
    /// The array type of a type.
    Array(Oid),
}

/// A role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Role {
    pub oid: Oid,
    pub superuser: bool,
    pub login: bool,
    pub create_role: bool,
    pub create_database: bool,
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
    /// What the dialect keeps with it.
    pub notes: Notes,
}

/// Something with columns or keys that has a name.
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
    pub prefix: Text,
    /// Its columns by number less one; dropped ones keep their place.
    pub columns: Vec<Column>,
    /// Its indexes, the primary key's too.
    pub indexes: Vec<Arc<Index>>,
    /// Its constraints.
    pub constraints: Vec<Arc<Constraint>>,
    /// Whether it is temporary.
    pub temporary: bool,
    /// What a commit does to a temporary table.
    pub on_commit: OnCommit,
    /// Storage options as written, `fillfactor=70`; they change nothing.
    pub options: Vec<String>,
    /// Whether it is UNLOGGED, which changes nothing.
    pub unlogged: bool,
    /// Of a materialized view: what its rows are taken from.
    pub materialized: Option<Arc<View>>,
    /// Whether it may be read: a materialized view WITH NO DATA may not.
    pub populated: bool,
    /// What the dialect keeps with it.
    pub notes: Notes,
}

/// What a commit does to a temporary table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum OnCommit {
    #[default]
    PreserveRows,
    DeleteRows,
    Drop,
}

/// A column.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name; a dropped one has another.
    pub name: String,
    /// The type of its values.
    pub ty: TypeId,
    /// The type's modifier, -1 for none.
    pub typmod: i32,
    /// Its type as declared, where that is a domain or an array of one; `ty` is what that is over.
    pub domain: Option<TypeId>,
    /// Whether it may not be NULL.
    pub not_null: bool,
    /// Its default, or what it is generated from.
    pub default: Option<Arc<Expression>>,
    /// Whether it is an identity column.
    pub identity: Option<Identity>,
    /// Whether `default` is `GENERATED ALWAYS AS (…) STORED`.
    pub generated: bool,
    /// Its collation's name, if not the type's.
    pub collation: Option<String>,
    /// Whether it was dropped.
    pub dropped: bool,
    /// What rows hold that were written before the column was added.
    pub missing: Datum,
    /// What an UPDATE that changes a row gives the column unless it says something else.
    pub on_update: Option<Arc<Expression>>,
    /// Whether `*` and a list of columns that nobody wrote leave it out.
    pub hidden: bool,
    /// What the dialect keeps with it.
    pub notes: Notes,
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
    pub prefix: Text,
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
    /// Storage options as written; they change nothing.
    pub options: Vec<String>,
    /// Of an EXCLUDE constraint: the operator of each column.
    pub operators: Vec<String>,
    /// What the dialect keeps with it.
    pub notes: Notes,
}

impl Index {
    /// Its columns, if it has no expressions.
    pub fn key_columns(&self) -> Option<Vec<usize>> {
        let column = |column: &IndexColumn| match column.key {
            IndexKey::Column(at) => Some(at),
            IndexKey::Expression(_) => None,
        };
        self.columns.iter().map(column).collect()
    }
}

/// A column of an index.
#[derive(Clone, Debug)]
pub struct IndexColumn {
    /// What it holds.
    pub key: IndexKey,
    /// The name of the column in the index.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Its collation's name, if written.
    pub collation: Option<String>,
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
    /// EXCLUDE, by its index, which has the operators.
    Exclude(Oid),
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

/// A view, or the query of a materialized one.
#[derive(Clone, Debug)]
pub struct View {
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
    /// Its columns: name, type, modifier.
    pub columns: Vec<(String, TypeId, i32)>,
    /// Its query.
    pub query: Arc<ast::Query>,
    /// What its query says that the syntax tree has no place for.
    pub clauses: Clauses,
    /// Its query as written, and where that text begins; the relations may have got other names since.
    pub written: Option<(String, Location)>,
    /// The relations its query names.
    pub uses: Vec<Oid>,
    /// WITH CHECK OPTION.
    pub check: Option<CheckOption>,
    /// What the dialect keeps with it.
    pub notes: Notes,
}

/// A type with conditions of its own.
#[derive(Clone, Debug)]
pub struct Domain {
    /// Its oid.
    pub oid: Oid,
    /// The oid of its array type.
    pub array: Oid,
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// The type it is over, which may be a domain too.
    pub base: TypeId,
    /// That type's modifier.
    pub typmod: i32,
    /// Whether its values may not be NULL.
    pub not_null: bool,
    /// What a column of it gets that has no default itself.
    pub default: Option<Arc<Expression>>,
    /// Its collation's name, if not the type's.
    pub collation: Option<String>,
    /// Its conditions, each a CHECK.
    pub checks: Vec<Arc<Constraint>>,
}

impl Domain {
    /// What its conditions are about, as a row: one column, `value`.
    pub fn value(&self, catalog: &Catalog) -> Arc<Table> {
        let (ty, typmod) = catalog.stored_type(self.base, self.typmod);
        let mut value = Column::new("value", ty, typmod);
        value.domain = (ty != self.base).then_some(self.base);
        Arc::new(Table {
            oid: 0,
            row_type: 0,
            row_array: 0,
            schema: self.schema.clone(),
            name: self.name.clone(),
            prefix: "".into(),
            columns: vec![value],
            indexes: Vec::new(),
            constraints: Vec::new(),
            temporary: false,
            on_commit: OnCommit::default(),
            options: Vec::new(),
            unlogged: false,
            materialized: None,
            populated: true,
            notes: Notes::default(),
        })
    }
}

impl Column {
    /// The type of what rows keep of it; a column that was dropped may outlive its type.
    pub fn stored_as(&self) -> TypeId {
        if self.dropped { TypeId::TEXT } else { self.ty }
    }

    /// A column without anything special.
    pub fn new(name: &str, ty: TypeId, typmod: i32) -> Column {
        Column {
            name: name.to_owned(),
            ty,
            typmod,
            domain: None,
            not_null: false,
            default: None,
            identity: None,
            generated: false,
            collation: None,
            dropped: false,
            missing: Datum::Null,
            on_update: None,
            hidden: false,
            notes: Notes::default(),
        }
    }

    /// Its type and modifier as declared: a domain is shown as such.
    pub fn declared(&self) -> (TypeId, i32) {
        self.domain.map_or((self.ty, self.typmod), |domain| (domain, -1))
    }
}

impl Table {
    /// The number less one of a column that is not dropped.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| !c.dropped && c.name == name)
    }

    /// The same, whatever case the name is written in if names are found so.
    pub fn column_named(&self, name: &str, caseless: bool) -> Option<usize> {
        self.columns.iter().position(|c| !c.dropped && same_name(&c.name, name, caseless))
    }

    /// Its columns that are not dropped, with their numbers less one.
    pub fn live(&self) -> impl Iterator<Item = (usize, &Column)> {
        self.columns.iter().enumerate().filter(|(_, c)| !c.dropped)
    }

    /// Its primary key's index.
    pub fn primary(&self) -> Option<&Arc<Index>> {
        self.indexes.iter().find(|i| i.primary)
    }

    /// Whether an index belongs to a constraint that can be deferred.
    pub fn is_deferrable(&self, index: &Index) -> bool {
        self.constraints.iter().any(|constraint| match constraint.kind {
            ConstraintKind::Primary(oid) | ConstraintKind::Unique(oid) => {
                oid == index.oid && constraint.deferrable
            }
            _ => false,
        })
    }

    /// Whether the key of a row in the store is what this index has of it. Where a primary key can be
    /// deferred, two rows may have it for a while, and rows are numbered.
    pub fn keys_rows(&self, index: &Index) -> bool {
        index.primary && !self.is_deferrable(index)
    }

    /// An index by oid.
    pub fn index(&self, oid: Oid) -> Option<&Arc<Index>> {
        self.indexes.iter().find(|i| i.oid == oid)
    }

    /// A constraint by name.
    pub fn constraint(&self, name: &str) -> Option<&Arc<Constraint>> {
        self.constraints.iter().find(|c| c.name == name)
    }
}

impl Expression {
    /// The expression, with its text.
    pub fn new(ast: ast::Expr) -> Arc<Expression> {
        let text = ast.to_string();
        Arc::new(Expression { ast, text })
    }
}

/// A sequence. Its counter is in the store, under `prefix`.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Sequence {
    pub oid: Oid,
    pub schema: String,
    pub name: String,
    pub prefix: Text,
    pub ty: TypeId,
    pub start: i64,
    pub increment: i64,
    pub min: i64,
    pub max: i64,
    pub cache: i64,
    pub cycle: bool,
    pub temporary: bool,
    /// The table and column (number less one) it belongs to, and whether as identity.
    pub owner: Option<(Oid, usize, bool)>,
}

/// Whether two names are the same, of which case may not count.
pub fn same_name(a: &str, b: &str, caseless: bool) -> bool {
    a == b
        || caseless
            && (a.eq_ignore_ascii_case(b)
                || !(a.is_ascii() && b.is_ascii()) && a.to_lowercase() == b.to_lowercase())
}

/// A definition to be printed as SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Definition {
    Index {
        index: Oid,
        column: usize,
        pretty: bool,
    },
    Constraint {
        constraint: Oid,
        pretty: bool,
    },
    View {
        view: Oid,
        pretty: bool,
    },
    /// The default of a column, by the oid of the table and the column's number.
    Default {
        table: Oid,
        column: i32,
        pretty: bool,
    },
    /// The default of a domain.
    DomainDefault {
        domain: Oid,
        pretty: bool,
    },
    /// The condition of a CHECK alone.
    Check {
        constraint: Oid,
        pretty: bool,
    },
    /// The condition of a partial index.
    Predicate {
        index: Oid,
        pretty: bool,
    },
    /// The expressions of an index, with commas between them.
    Expressions {
        index: Oid,
        pretty: bool,
    },
}
