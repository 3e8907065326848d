//! The schema: tables, columns, constraints, indexes, views, sequences, types.
//!
//! A [`Catalog`] is a value. A transaction that changes the schema works on its own copy; its
//! commit puts that copy in the place of the shared one, so that others see all of the change or
//! nothing, and a rollback just drops it. Everything inside is shared by reference count, so a copy
//! is cheap:
//!
//! ```text
//!     shared catalogue      t  ---> columns a, b; indexes; constraints      u ---> …
//!     ALTER TABLE t ADD c   t' ---> columns a, b, c; the same indexes …    u, the same one
//! ```
//!
//! Objects refer to each other by oid, and to a column by its number. Neither changes when the
//! object is renamed, and a dropped column keeps its number, so that nothing has to be found and
//! rewritten. Names are looked up in the maps of a [`Schema`], along a search path (`lookup.rs`).
//! Expressions and queries are kept as syntax with their text, and bound anew by every statement
//! that uses them: a plan bound to one version of the catalogue is never part of another.
//!
//! Two transactions may change different relations at the same time. Whoever commits second merges
//! its changes with the first one's (`merge.rs`); table locks see to it that they are about
//! different things.

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

/// The schema of one database, with everything in it that SQL can name.
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
    /// Comments by what they are on: the oid of the catalogue that has the object, the object's
    /// own, and the number of its column or 0.
    pub comments: BTreeMap<(Oid, Oid, i32), String>,
    /// The oid that the next new object gets.
    pub next_oid: Oid,
    /// Goes up with every change, so that prepared statements know when to bind anew.
    pub version: u64,
    /// What the prefixes of all keys in the store begin with; empty in the database that every
    /// store begins with.
    pub keys: Text,
    /// How often each key prefix has been given out. A table that is dropped and created again gets
    /// a new one.
    pub prefixes: BTreeMap<String, u32>,
    /// Row types, array types of rows, of enums and of domains, by their oids.
    pub derived: BTreeMap<Oid, Derived>,
    /// Roles that were created, by name; the session's own user is not among them.
    pub roles: BTreeMap<String, Role>,
    /// Extensions that were created, by name.
    pub extensions: BTreeMap<String, Extension>,
    /// The shapes of rows that have no type of their own; all copies share them.
    pub shapes: Arc<Shapes>,
    /// The language that its expressions and queries are in.
    pub dialect: &'static dyn Dialect,
}

/// An extension that was created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    /// The number by which system tables refer to the extension.
    pub oid: Oid,
    /// The schema its objects are in.
    pub schema: String,
}

/// A type that exists only because of another object, and goes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derived {
    /// The row type of a relation.
    Row(Oid),
    /// The array type of a type.
    Array(Oid),
}

/// A role that was created, with the options it was given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Role {
    pub oid: Oid,
    pub superuser: bool,
    pub login: bool,
    pub create_role: bool,
    pub create_database: bool,
}

/// A schema: a part of a database in which relations and types have names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The number by which system tables refer to the schema.
    pub oid: Oid,
    /// The name of the schema, folded as the dialect folds identifiers.
    pub name: String,
    /// The oids of its relations by their names.
    pub relations: BTreeMap<String, Oid>,
    /// The oids of its types by their names: enums, domains, row types, array types.
    pub types: BTreeMap<String, Oid>,
    /// What the dialect keeps with it.
    pub notes: Notes,
}

/// Something that shares the names of tables. The objects themselves are shared by reference count,
/// so to copy one is cheap.
#[derive(Clone, Debug)]
pub enum Relation {
    /// A table.
    Table(Arc<Table>),
    /// A view.
    View(Arc<View>),
    /// A sequence.
    Sequence(Arc<Sequence>),
    /// An index, which is kept with its table: only where to find it is here.
    Index {
        /// The table that the index is on.
        table: Oid,
        /// The index, one of [`Table::indexes`].
        oid: Oid,
    },
}

/// A table, or a materialized view, which keeps rows as a table does.
#[derive(Clone, Debug)]
pub struct Table {
    /// The number by which other objects and the system tables refer to the table; a new name does
    /// not change it.
    pub oid: Oid,
    /// The oid of its row type.
    pub row_type: Oid,
    /// The oid of its row type's array type.
    pub row_array: Oid,
    /// The name of the schema that the table is in.
    pub schema: String,
    /// The name of the table, folded as the dialect folds identifiers.
    pub name: String,
    /// The beginning of the keys of its rows in the store; no other table of the store ever has the
    /// same.
    pub prefix: Text,
    /// Its columns, each at its number less one. A dropped column stays, so that the others keep
    /// their numbers.
    pub columns: Vec<Column>,
    /// Its indexes, those of constraints too.
    pub indexes: Vec<Arc<Index>>,
    /// Its checks, keys and foreign keys. What is NOT NULL is with the columns.
    pub constraints: Vec<Arc<Constraint>>,
    /// Whether it is a session's temporary table.
    pub temporary: bool,
    /// What a commit does to its rows, if it is temporary.
    pub on_commit: OnCommit,
    /// Storage options as written, `fillfactor=70`; they change nothing.
    pub options: Vec<String>,
    /// Whether it is UNLOGGED, which changes nothing.
    pub unlogged: bool,
    /// The query that a refresh fills it from, if it is a materialized view.
    pub materialized: Option<Arc<View>>,
    /// Whether it may be read: a materialized view created WITH NO DATA may not before a refresh.
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

/// A column of a table, or of the row that a domain's checks are about.
#[derive(Clone, Debug)]
pub struct Column {
    /// The name of the column. A dropped column gives its name up and is called something that no
    /// one would choose.
    pub name: String,
    /// The type of its values.
    pub ty: TypeId,
    /// The type's modifier, -1 for none.
    pub typmod: i32,
    /// The type as declared, if that is a domain or an array of one. `ty` is then the type below
    /// the domain.
    pub domain: Option<TypeId>,
    /// Whether it may not be NULL.
    pub not_null: bool,
    /// Its default, or the expression that a generated column is computed from.
    pub default: Option<Arc<Expression>>,
    /// How it takes its values, if it is an identity column.
    pub identity: Option<Identity>,
    /// Whether `default` is `GENERATED ALWAYS AS (…) STORED`.
    pub generated: bool,
    /// The name of its collation, if it is not that of the type.
    pub collation: Option<String>,
    /// Whether it was dropped.
    pub dropped: bool,
    /// What a row holds that was written before the column was added.
    pub missing: Datum,
    /// What an UPDATE puts into the column that changes the row and does not assign to the column
    /// (`ON UPDATE`).
    pub on_update: Option<Arc<Expression>>,
    /// Whether `*` and an INSERT without a list of columns leave it out.
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

/// An expression that is part of the schema. It is bound anew wherever it is used, since names may
/// have changed.
#[derive(Clone, Debug)]
pub struct Expression {
    /// The syntax tree, which the binder reads.
    pub ast: ast::Expr,
    /// The text, which system tables and messages show.
    pub text: String,
}

/// An index of a table. Its entries are keys of the store that begin with its prefix.
#[derive(Clone, Debug)]
pub struct Index {
    /// The number by which constraints and the system tables refer to the index.
    pub oid: Oid,
    /// The name of the index; of a constraint's index, the name of the constraint.
    pub name: String,
    /// The beginning of the keys of its entries in the store; no other index of the store ever has
    /// the same.
    pub prefix: Text,
    /// The columns and expressions of its key, in order.
    pub columns: Vec<IndexColumn>,
    /// Columns that are only carried along (INCLUDE), by number less one.
    pub include: Vec<usize>,
    /// Whether it is unique.
    pub unique: bool,
    /// Whether it is the primary key.
    pub primary: bool,
    /// Whether two keys with NULLs in the same places are equal, so that a unique index has only
    /// one of them.
    pub nulls_not_distinct: bool,
    /// The condition of a partial index; only rows that satisfy it have an entry.
    pub predicate: Option<Arc<Expression>>,
    /// The access method as declared, `btree`, `hash` or `gin`. All are kept alike.
    pub method: String,
    /// Storage options as written; they change nothing.
    pub options: Vec<String>,
    /// The operator for each column of the key, if the index belongs to an EXCLUDE constraint;
    /// otherwise empty.
    pub operators: Vec<String>,
    /// What the dialect keeps with it.
    pub notes: Notes,
}

impl Index {
    /// The columns of its key, by number less one; `None` if an expression is among them.
    pub fn key_columns(&self) -> Option<Vec<usize>> {
        let column = |column: &IndexColumn| match column.key {
            IndexKey::Column(at) => Some(at),
            IndexKey::Expression(_) => None,
        };
        self.columns.iter().map(column).collect()
    }
}

/// A column or expression of an index's key.
#[derive(Clone, Debug)]
pub struct IndexColumn {
    /// What is evaluated for a row to get the value.
    pub key: IndexKey,
    /// The name of the column in the index.
    pub name: String,
    /// The type of the values, also of an expression.
    pub ty: TypeId,
    /// The name of the collation that was written for it, if one was.
    pub collation: Option<String>,
    /// Whether it was declared DESC.
    pub descending: bool,
    /// Whether NULLs come first.
    pub nulls_first: bool,
    /// The operator class that was written for it, if one was.
    pub opclass: Option<String>,
}

/// Where a part of an index's key gets its value.
#[derive(Clone, Debug)]
pub enum IndexKey {
    /// A column of the table, by number less one.
    Column(usize),
    /// An expression over the columns of the table.
    Expression(Arc<Expression>),
}

/// A constraint of a table or a domain.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// The number by which the system tables refer to the constraint.
    pub oid: Oid,
    /// The name of the constraint, which no other of its table has.
    pub name: String,
    /// The condition that rows must satisfy.
    pub kind: ConstraintKind,
    /// Whether its check may be put off to the end of the transaction.
    pub deferrable: bool,
    /// Whether its check is put off unless SET CONSTRAINTS says otherwise.
    pub initially_deferred: bool,
    /// Whether all rows are known to satisfy it; after `NOT VALID`, only those written since are.
    pub validated: bool,
}

/// The condition that a constraint puts on rows.
#[derive(Clone, Debug)]
pub enum ConstraintKind {
    /// CHECK: the expression may not be false for any row.
    Check(Arc<Expression>),
    /// PRIMARY KEY: no two rows have the same key in the index with this oid, and none has a NULL
    /// in it.
    Primary(Oid),
    /// UNIQUE: no two rows have the same key in the index with this oid.
    Unique(Oid),
    /// EXCLUDE: no two rows conflict by the operators of the index with this oid.
    Exclude(Oid),
    /// FOREIGN KEY: another table has a row with the same key.
    Foreign(ForeignKey),
}

/// A foreign key: which columns refer to which columns of which table.
#[derive(Clone, Debug)]
pub struct ForeignKey {
    /// The referencing columns, by number less one.
    pub columns: Vec<usize>,
    /// The oid of the table that is referred to.
    pub table: Oid,
    /// The columns that are referred to, by number less one, in the order of `columns`.
    pub referenced: Vec<usize>,
    /// The oid of the unique index over them.
    pub index: Oid,
    /// What happens to the referring rows when the row they refer to is deleted.
    pub on_delete: Action,
    /// What happens to the referring rows when the key they refer to changes.
    pub on_update: Action,
    /// MATCH FULL: if one of the columns is NULL, all must be.
    pub full: bool,
}

/// A view, or the query of a materialized one.
#[derive(Clone, Debug)]
pub struct View {
    /// The number by which other objects and the system tables refer to the view.
    pub oid: Oid,
    /// The oid of its row type.
    pub row_type: Oid,
    /// The oid of its row type's array type.
    pub row_array: Oid,
    /// The name of the schema that the view is in.
    pub schema: String,
    /// The name of the view, folded as the dialect folds identifiers.
    pub name: String,
    /// Its columns as they were when it was created: name, type, modifier of the type.
    pub columns: Vec<(String, TypeId, i32)>,
    /// The query whose rows it has, as parsed; it is bound anew by every statement that reads the
    /// view.
    pub query: Arc<ast::Query>,
    /// The clauses of the query that the syntax tree has no place for.
    pub clauses: Clauses,
    /// The query as written, and where that text begins. Relations that were renamed since have
    /// their old names in it.
    pub written: Option<(String, Location)>,
    /// The oids of the relations that the query names, which cannot be dropped without it.
    pub uses: Vec<Oid>,
    /// WITH CHECK OPTION, if it was declared: rows written through the view must be in it.
    pub check: Option<CheckOption>,
    /// What the dialect keeps with it.
    pub notes: Notes,
}

/// A type that is another type with conditions.
#[derive(Clone, Debug)]
pub struct Domain {
    /// The number of the domain as a type.
    pub oid: Oid,
    /// The oid of its array type.
    pub array: Oid,
    /// The name of the schema that the domain is in.
    pub schema: String,
    /// The name of the domain, folded as the dialect folds identifiers.
    pub name: String,
    /// The type that it restricts, which may itself be a domain.
    pub base: TypeId,
    /// The modifier of `base`, -1 for none.
    pub typmod: i32,
    /// Whether its values may not be NULL.
    pub not_null: bool,
    /// The default of a column of this type that declares none of its own.
    pub default: Option<Arc<Expression>>,
    /// The name of its collation, if it is not that of the type.
    pub collation: Option<String>,
    /// Its CHECK constraints. In their expressions `value` is the value that is checked.
    pub checks: Vec<Arc<Constraint>>,
}

impl Domain {
    /// A table of one column, `value`: what the expressions of its checks are bound against.
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
    /// The type by which rows store its values. That of a dropped column is text, for its own type
    /// may be gone.
    pub fn stored_as(&self) -> TypeId {
        if self.dropped { TypeId::TEXT } else { self.ty }
    }

    /// A column with this name, type and modifier, and no other property.
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

    /// Its type and modifier as declared; that is the domain, if it has one.
    pub fn declared(&self) -> (TypeId, i32) {
        self.domain.map_or((self.ty, self.typmod), |domain| (domain, -1))
    }
}

impl Table {
    /// The number less one of a column that is not dropped.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| !c.dropped && c.name == name)
    }

    /// The same, if `caseless` also where the name is written in another case.
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
