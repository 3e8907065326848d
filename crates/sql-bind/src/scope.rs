//! What names mean inside one query.
//!
//! A [`Scope`] has the sources of a query's FROM and, apart from these, the columns that a bare
//! name can mean. The two differ after a join: `t JOIN u USING (a)` has two sources with an `a`
//! each, and one column that is called `a` and is neither of them. Aggregates, calls over windows
//! and calls that give rows are collected in the scope of the query they belong to; the expression
//! has only their place there.

use std::sync::Arc;

use super::bound::{AggregateCall, ColumnRef, Exclude, Expr, Kind, SetCall, WindowCall};
use hobgoblin_sql_schema::SystemTable;
use hobgoblin_sql_schema::catalog::{Table, View};
use hobgoblin_sql_value::{Oid, TypeId};

pub(super) use hobgoblin_sql_schema::binding::Clause;

/// The names that expressions of one query can use, and what has been collected from these so far.
#[derive(Default)]
pub struct Scope {
    /// The sources in FROM, by their place in the tuple.
    pub sources: Vec<Source>,
    /// The columns that a name without a source can mean. `*` lists them in this order.
    pub columns: Vec<NamedColumn>,
    /// Whether queries further in do not see the sources, as a subquery in FROM without LATERAL
    /// does not.
    pub opaque: bool,
    /// The sources on the left of a RIGHT or FULL JOIN, while its right side is bound. That side
    /// may not refer to them.
    pub apart: Vec<usize>,
    /// The sources that are part of a join. Their system columns need a qualifier.
    pub joined: Vec<usize>,
    /// Which of the sources the locking clauses of the query lock.
    pub(super) reach: Reach,
    /// The clause that is being bound; it says what its expressions may contain.
    pub clause: Clause,
    /// The aggregates of the query, as far as they have been met.
    pub aggregates: Vec<AggregateCall>,
    /// Whether an expression of the query calls GROUPING.
    pub grouping: bool,
    /// The calls over windows, as far as they have been met.
    pub windows: Vec<WindowCall>,
    /// The calls that give rows, as far as they have been met.
    pub sets: Vec<SetCall>,
    /// The columns of the select list by their names, while a clause is bound that sees them.
    pub outputs: Vec<NamedColumn>,
    /// The place of the source that is the row an INSERT proposes, while ON CONFLICT DO UPDATE and
    /// the like are bound.
    pub proposed: Option<usize>,
    /// The windows that the WINDOW clause defines, by their names.
    pub named_windows: Vec<(String, WindowDefinition)>,
}

/// Which sources of a query its locking clauses name.
#[derive(Clone, Debug, Default)]
pub(super) struct Reach {
    /// Whether some clause names none, which locks all of them.
    pub(super) all: bool,
    /// The names in those clauses that have some.
    pub(super) names: Vec<String>,
}

impl Reach {
    /// Whether the source of this name is locked.
    pub(super) fn has(&self, alias: &str) -> bool {
        self.all || self.names.iter().any(|name| name == alias)
    }
}

/// A window as the WINDOW clause defines it.
#[derive(Clone, Debug)]
pub struct WindowDefinition {
    /// Its PARTITION BY, ORDER BY and frame, which are bound where it is used.
    pub(super) spec: sqlparser::ast::WindowSpec,
    /// What EXCLUDE leaves out of its frame.
    pub(super) exclude: Exclude,
}

/// A source in FROM: a table, a view, a subquery, a function or an item of a WITH.
pub struct Source {
    /// The name that the statement uses for it: its alias, or else its own.
    pub alias: String,
    /// The schema that may stand before the name; `None` if it has an alias.
    pub schema: Option<String>,
    /// The columns of its rows, dropped ones included.
    pub columns: Vec<SourceColumn>,
    /// The table that the rows are of, if it is one.
    pub table: Option<Arc<Table>>,
    /// The oid of the row type, if its rows have one.
    pub row_type: Option<Oid>,
    /// The oid of the view, if it is one.
    pub view: Option<Oid>,
    /// Whether names can refer to it. On the other side of an outer join they cannot yet.
    pub visible: bool,
    /// Whether its whole row is the value of its only column, as that of a function that gives one
    /// value is.
    pub scalar: bool,
}

/// A column of the rows of a source.
#[derive(Clone, Debug)]
pub struct SourceColumn {
    /// The name, which the alias of the source may have changed.
    pub name: String,
    /// The type of its values.
    pub ty: TypeId,
    /// The modifier of the type, -1 for none.
    pub typmod: i32,
    /// The oid of the table and the number of the column that it shows, or zeros if it is computed.
    pub origin: (Oid, i16),
    /// Whether no name finds it, since it was dropped. It keeps its place in the row.
    pub hidden: bool,
    /// Whether `*` lists it; a column may be found by name only.
    pub listed: bool,
}

/// A column that a name without a source can mean.
#[derive(Clone)]
pub struct NamedColumn {
    /// The name that finds it.
    pub name: String,
    /// The expression that it stands for; after USING that may be a COALESCE of two columns.
    pub expr: Expr,
    /// The oid of the table and the number of the column that clients are told, or zeros.
    pub origin: (Oid, i16),
    /// Whether `*` lists it; a column may be found by name only.
    pub listed: bool,
}

impl Scope {
    /// Adds a source, whose columns bare names can mean at once, and gives its place.
    pub fn add(&mut self, source: Source) -> usize {
        let place = self.sources.len();
        self.columns.extend(source.named(place));
        self.sources.push(source);
        place
    }
}

impl Source {
    /// A table as a source of FROM. Without an alias it goes by its own name.
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

    /// A table of the system as a source of FROM.
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

    /// A subquery with these columns as a source of FROM.
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

    /// A view as a source of FROM.
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

    /// The columns of the source as bare names find them, for a source at this place.
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
    /// The expression that a name means that finds this column.
    pub fn expr(&self, depth: usize, source: usize, column: usize) -> Expr {
        let kind = Kind::Column(ColumnRef { depth, source, column });
        Expr { kind, ty: self.ty, typmod: self.typmod }
    }
}
