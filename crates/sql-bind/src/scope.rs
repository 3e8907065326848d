//! What names mean inside one query.

use std::sync::Arc;

use super::bound::{AggregateCall, ColumnRef, Exclude, Expr, Kind, SetCall, WindowCall};
use hobgoblin_sql_schema::SystemTable;
use hobgoblin_sql_schema::catalog::{Table, View};
use hobgoblin_sql_value::{Oid, TypeId};

pub(super) use hobgoblin_sql_schema::binding::Clause;

/// The names of one query.
#[derive(Default)]
pub struct Scope {
    /// Its sources, by place in the tuple.
    pub sources: Vec<Source>,
    /// Columns as names without a qualifier find them, and as `*` lists them.
    pub columns: Vec<NamedColumn>,
    /// Whether names from further in do not see this query's sources (a subquery in FROM that is not
    /// LATERAL).
    pub opaque: bool,
    /// Sources on the left of a RIGHT or FULL JOIN whose right side is being bound: not to be named.
    pub apart: Vec<usize>,
    /// Sources inside a JOIN, whose system columns need a qualifier.
    pub joined: Vec<usize>,
    /// Which of the sources are locked.
    pub(super) reach: Reach,
    /// Where expressions stand, for what may be in them.
    pub clause: Clause,
    /// The aggregates of this query so far.
    pub aggregates: Vec<AggregateCall>,
    /// Whether it has a call of GROUPING.
    pub grouping: bool,
    /// Its window calls so far.
    pub windows: Vec<WindowCall>,
    /// Its set-returning calls so far.
    pub sets: Vec<SetCall>,
    /// The columns of the select list by their names, where other clauses see them.
    pub outputs: Vec<NamedColumn>,
    /// The row that an INSERT proposes, by its source, where what is done to the row in its way is bound.
    pub proposed: Option<usize>,
    /// The windows named by WINDOW.
    pub named_windows: Vec<(String, WindowDefinition)>,
}

/// Which sources of a query are locked, by the names they go by.
#[derive(Clone, Debug, Default)]
pub(super) struct Reach {
    /// Whether a clause names none, so that all are.
    pub(super) all: bool,
    /// Those that clauses name.
    pub(super) names: Vec<String>,
}

impl Reach {
    /// Whether a source is among them.
    pub(super) fn has(&self, alias: &str) -> bool {
        self.all || self.names.iter().any(|name| name == alias)
    }
}

/// The definition of a window.
#[derive(Clone, Debug)]
pub struct WindowDefinition {
    /// As parsed.
    pub(super) spec: sqlparser::ast::WindowSpec,
    /// What its frame leaves out.
    pub(super) exclude: Exclude,
}

/// A source: a table, a subquery, a function.
pub struct Source {
    /// The name it goes by.
    pub alias: String,
    /// The schema, where the name may be qualified by it.
    pub schema: Option<String>,
    /// Its columns.
    pub columns: Vec<SourceColumn>,
    /// The table, if it is one.
    pub table: Option<Arc<Table>>,
    /// The type of its rows, where it has one.
    pub row_type: Option<Oid>,
    /// The view, if it is one.
    pub view: Option<Oid>,
    /// Whether names may refer to it; in an outer position of a join it may not yet.
    pub visible: bool,
    /// Whether its row is the value of its only column: a function that gives one value.
    pub scalar: bool,
}

/// A column of a source.
#[derive(Clone, Debug)]
pub struct SourceColumn {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// The type's modifier.
    pub typmod: i32,
    /// The table and column number, or zeros.
    pub origin: (Oid, i16),
    /// Whether it is there only by place (a dropped column).
    pub hidden: bool,
    /// Whether `*` lists it.
    pub listed: bool,
}

/// A column that a name without a qualifier may mean.
#[derive(Clone)]
pub struct NamedColumn {
    /// Its name.
    pub name: String,
    /// What it is.
    pub expr: Expr,
    /// Where it comes from, for the client.
    pub origin: (Oid, i16),
    /// Whether `*` lists it.
    pub listed: bool,
}

impl Scope {
    /// Adds a source whose columns can be named at once; gives its place.
    pub fn add(&mut self, source: Source) -> usize {
        let place = self.sources.len();
        self.columns.extend(source.named(place));
        self.sources.push(source);
        place
    }
}

impl Source {
    /// A table as a source.
    pub fn table(table: &Arc<Table>, alias: Option<String>) -> Source {
        let columns = table.columns.iter().zip(1..).map(|(column, number)| {
            let (ty, typmod) = column.declared();
            let (name, hidden) = (column.name.clone(), column.dropped);
            let (origin, listed) = ((table.oid, number), !column.hidden);
            SourceColumn { name, ty, typmod, origin, hidden, listed }
        });
        Source {
            schema: alias.is_none().then(|| table.schema.clone()),
            alias: alias.unwrap_or_else(|| table.name.clone()),
            columns: columns.collect(),
            table: Some(Arc::clone(table)),
            row_type: Some(table.row_type),
            view: None,
            visible: true,
            scalar: false,
        }
    }

    /// A catalogue table as a source.
    pub fn virtual_table(table: &'static SystemTable, alias: Option<String>) -> Source {
        let columns = table.columns.iter().zip(1..).map(|(&(name, ty), number)| SourceColumn {
            name: name.to_owned(),
            ty,
            typmod: -1,
            origin: (table.oid, number),
            hidden: false,
            listed: true,
        });
        Source {
            schema: alias.is_none().then(|| table.schema.to_owned()),
            alias: alias.unwrap_or_else(|| table.name.to_owned()),
            columns: columns.collect(),
            table: None,
            row_type: Some(table.row_type).filter(|&oid| oid != 0),
            view: None,
            visible: true,
            scalar: false,
        }
    }

    /// A view's or subquery's columns as a source.
    pub fn of_columns(alias: String, columns: &[super::bound::OutputColumn]) -> Source {
        let columns = columns.iter().map(|column| SourceColumn {
            name: column.name.clone(),
            ty: column.ty,
            typmod: column.typmod,
            origin: column.origin,
            hidden: false,
            listed: true,
        });
        Source {
            alias,
            schema: None,
            columns: columns.collect(),
            table: None,
            row_type: None,
            view: None,
            visible: true,
            scalar: false,
        }
    }

    /// A view as a source.
    pub fn view(view: &View, alias: Option<String>) -> Source {
        let columns =
            view.columns.iter().zip(1..).map(|((name, ty, typmod), number)| SourceColumn {
                name: name.clone(),
                ty: *ty,
                typmod: *typmod,
                origin: (view.oid, number),
                hidden: false,
                listed: true,
            });
        Source {
            schema: alias.is_none().then(|| view.schema.clone()),
            alias: alias.unwrap_or_else(|| view.name.clone()),
            columns: columns.collect(),
            table: None,
            row_type: Some(view.row_type),
            view: Some(view.oid),
            visible: true,
            scalar: false,
        }
    }

    /// Its columns as names.
    pub fn named(&self, place: usize) -> Vec<NamedColumn> {
        let visible = self.columns.iter().enumerate().filter(|(_, column)| !column.hidden);
        let named = visible.map(|(at, column)| NamedColumn {
            name: column.name.clone(),
            expr: column.expr(0, place, at),
            origin: column.origin,
            listed: column.listed,
        });
        named.collect()
    }
}

impl SourceColumn {
    /// The expression that means it.
    pub fn expr(&self, depth: usize, source: usize, column: usize) -> Expr {
        let kind = Kind::Column(ColumnRef { depth, source, column });
        Expr { kind, ty: self.ty, typmod: self.typmod }
    }
}
