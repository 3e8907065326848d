//! What a statement changes: a table, or a view over one.
//!
//! A statement over a view is bound as if the view were a table. Then its columns are replaced by
//! what they are in the base table, and the view's conditions are added: with the view `CREATE VIEW
//! v AS SELECT a AS x FROM t WHERE a > 0`,
//!
//! ```text
//!     UPDATE v SET x = x + 1 WHERE x < 9    becomes    UPDATE t SET a = a + 1 WHERE a > 0 AND a < 9
//! ```
//!
//! This needs each row of the view to be one row of one table (PostgreSQL's manual, CREATE VIEW,
//! updatable views); [`Obstacle`] says what stands in the way otherwise. WITH CHECK OPTION asks
//! that a row is still in the view after it is written.

use hobgoblin_sql_schema::Dialect;
use std::sync::Arc;

use hobgoblin_front::Mode;
use sqlparser::ast::{self, SetExpr, TableFactor};

use super::bound::dml::Check;
use super::bound::{Body, Distinct, Expr, Kind, Query};
use super::visit::visit;
use super::{Binder, Source};
use hobgoblin_sql_schema::binding::Obstacle;
use hobgoblin_sql_schema::catalog::{CheckOption, Found, Table, View, same_name};
use hobgoblin_sql_schema::{Binding, Result};

pub(super) use hobgoblin_sql_schema::binding::Verb;

/// The table that a statement changes, and the view that it names for it, if it names one.
pub(super) struct Target {
    pub(super) table: Arc<Table>,
    view: Option<Through>,
}

/// The way from a view to the table below it.
struct Through {
    view: Arc<View>,
    /// The columns of the view over the row of the table, which is source 0.
    columns: Vec<Expr>,
    /// The conditions of the view and of the views below it, innermost first.
    levels: Vec<Check>,
    /// For each of these, whether a row that is written must satisfy it.
    checked: Vec<bool>,
}

impl Target {
    /// The target as a source of names.
    pub(super) fn source(&self, alias: Option<String>) -> Source {
        match &self.view {
            None => Source::table(&self.table, alias),
            Some(through) => Source::view(&through.view, alias),
        }
    }

    /// The name of the table or view in the statement.
    pub(super) fn name(&self) -> &str {
        self.view.as_ref().map_or(&self.table.name, |through| &through.view.name)
    }

    /// Whether the statement names a view.
    pub(super) fn is_view(&self) -> bool {
        self.view.is_some()
    }

    /// The position of a column in [`Self::source`], by its name.
    pub(super) fn position(&self, name: &str, dialect: &dyn Dialect) -> Result<usize> {
        let caseless = dialect.rules().caseless_columns;
        let found = match &self.view {
            None => self.table.column_named(name, caseless),
            Some(through) => {
                let mut columns = through.view.columns.iter();
                columns.position(|(column, _, _)| same_name(column, name, caseless))
            }
        };
        let system = || dialect.system_columns().iter().any(|column| column.name == name);
        if found.is_none() && self.view.is_none() && system() {
            return Err(Binding::SystemColumn(name.to_owned()).into());
        }
        found.ok_or_else(|| {
            let (target, column) = (self.name().to_owned(), name.to_owned());
            Binding::NoColumnOfTarget { target, column }.into()
        })
    }

    /// The positions of the columns that an INSERT without a list gives values.
    pub(super) fn positions(&self) -> Vec<usize> {
        match &self.view {
            None => self.table.live().filter(|(_, c)| !c.hidden).map(|(at, _)| at).collect(),
            Some(through) => (0..through.view.columns.len()).collect(),
        }
    }

    /// The column of the table, by number less one, that is at a position of the source; an error
    /// if the view computes it.
    pub(super) fn column(&self, position: usize, verb: Verb) -> Result<usize> {
        let Some(through) = &self.view else { return Ok(position) };
        match through.columns[position].kind {
            Kind::Column(column) => Ok(column.column),
            _ => {
                let column = through.view.columns[position].0.clone();
                Err(Binding::ComputedInView { verb, column, view: through.view.name.clone() }
                    .into())
            }
        }
    }

    /// The conditions of the view over source 0, as further conditions of WHERE.
    pub(super) fn filters(&self) -> Vec<Expr> {
        let levels = self.view.iter().flat_map(|through| &through.levels);
        levels.flat_map(|level| level.conditions.clone()).collect()
    }

    /// The conditions that a row must satisfy after it is written.
    pub(super) fn checks(&self) -> Vec<Check> {
        let Some(through) = &self.view else { return Vec::new() };
        let levels = through.levels.iter().zip(&through.checked);
        let counts = levels.filter(|(level, counts)| **counts && !level.conditions.is_empty());
        counts.map(|(level, _)| level.clone()).collect()
    }

    /// Makes an expression over the view an expression over the table. The view is at these
    /// sources.
    pub(super) fn lower(&self, expr: &mut Expr, places: &[usize]) {
        if let Some(through) = &self.view {
            lower(expr, &through.columns, places);
        }
    }
}

fn lower(expr: &mut Expr, columns: &[Expr], places: &[usize]) {
    visit(expr, 0, &mut |expr, depth| match expr.kind {
        Kind::Column(column) if column.depth == depth && places.contains(&column.source) => {
            expr.kind = shifted(&columns[column.column], depth, column.source).kind;
            false
        }
        Kind::WholeRow { depth: found, source } if found == depth && places.contains(&source) => {
            let fields = columns.iter().map(|column| shifted(column, depth, source));
            expr.kind = Kind::Row(fields.collect());
            false
        }
        _ => true,
    });
}

/// An expression over source 0, as one over another source of a query so far out.
fn shifted(expr: &Expr, by: usize, source: usize) -> Expr {
    let mut expr = expr.clone();
    visit(&mut expr, 0, &mut |expr, depth| {
        match &mut expr.kind {
            Kind::Column(column) if column.depth == depth => {
                column.depth += by;
                column.source = source;
            }
            Kind::WholeRow { depth: found, source: from } if *found == depth => {
                *found += by;
                *from = source;
            }
            _ => {}
        }
        true
    });
    expr
}

impl Binder<'_> {
    /// Finds the table or view that a statement changes; an error if its rows cannot be changed in
    /// this way.
    pub(super) fn target(&mut self, name: &ast::ObjectName, verb: Verb) -> Result<Target> {
        let (schema, table) = self.dialect().split_name(name)?;
        let found = self.catalog.require(self.path, schema.as_deref(), &table)?;
        let target = match found {
            Found::Table(table) if table.materialized.is_some() => {
                return Err(Binding::ChangesMaterialized(table.name.clone()).into());
            }
            Found::Table(table) => Target { table: Arc::clone(table), view: None },
            Found::View(view) => {
                let view = Arc::clone(view);
                self.through(&view, verb)?
            }
            Found::System(table) => {
                return Err(Binding::ChangesCatalogue(table.name.to_owned()).into());
            }
            other => return Err(Binding::ChangesRowless(other.name().to_owned()).into()),
        };
        self.targets.push(target.table.oid);
        self.relations.push((target.table.oid, Mode::RowExclusive));
        Ok(target)
    }

    /// Finds the table below a view, through as many views as there are.
    fn through(&mut self, view: &Arc<View>, verb: Verb) -> Result<Target> {
        let refuse = |why| Err(Binding::NotUpdatable { view: view.name.clone(), verb, why }.into());
        let query = self.view_query(view)?;
        if let Some(why) = obstacle(&query) {
            return refuse(why);
        }
        let Some(base) = only_relation(&view.query) else {
            return refuse(Obstacle::NotOneRelation);
        };
        let (schema, name) = self.dialect().split_name(base)?;
        let found = self.catalog.require(self.path, schema.as_deref(), &name)?;
        let mut below = match found {
            Found::Table(table) if table.materialized.is_some() => {
                return Err(Binding::ChangesMaterialized(table.name.clone()).into());
            }
            Found::Table(table) => Target { table: Arc::clone(table), view: None },
            Found::View(inner) => {
                let inner = Arc::clone(inner);
                self.through(&inner, verb)?
            }
            _ => return refuse(Obstacle::NotOneRelation),
        };
        let Body::Select(select) = query.body else {
            return refuse(Obstacle::NotOneRelation);
        };
        let (mut columns, mut own) = (select.project, select.recheck);
        columns.truncate(view.columns.len());
        columns.iter_mut().chain(&mut own).for_each(|expr| below.lower(expr, &[0]));
        let simple = columns.iter().any(|column| matches!(column.kind, Kind::Column(_)));
        if verb != Verb::Delete && !simple {
            return refuse(Obstacle::NoColumns);
        }
        let (mut levels, mut checked) = match below.view.take() {
            Some(through) => (through.levels, through.checked),
            None => (Vec::new(), Vec::new()),
        };
        if view.check == Some(CheckOption::Cascaded) {
            checked.fill(true);
        }
        levels.push(Check { view: view.name.clone(), conditions: own });
        checked.push(view.check.is_some());
        let through = Through { view: Arc::clone(view), columns, levels, checked };
        Ok(Target { table: below.table, view: Some(through) })
    }
}

/// What keeps the rows of a query from being rows of one relation, if something does.
fn obstacle(query: &Query) -> Option<Obstacle> {
    if !query.with.is_empty() {
        return Some(Obstacle::With);
    }
    if query.limit.is_some() || query.offset.is_some() {
        return Some(Obstacle::Limit);
    }
    let select = match &query.body {
        Body::Select(select) => select,
        Body::SetOp { .. } => return Some(Obstacle::SetOperation),
        _ => return Some(Obstacle::NotOneRelation),
    };
    if select.distinct != Distinct::No {
        return Some(Obstacle::Distinct);
    }
    if let Some(group) = &select.group {
        return Some(match (group.keys.is_empty(), select.having.is_some()) {
            (false, _) => Obstacle::GroupBy,
            (true, true) => Obstacle::Having,
            (true, false) => Obstacle::Aggregates,
        });
    }
    if !select.windows.is_empty() {
        return Some(Obstacle::Windows);
    }
    (!select.sets.is_empty()).then_some(Obstacle::SetFunctions)
}

/// The relation in FROM of a query, if there is exactly one.
fn only_relation(query: &ast::Query) -> Option<&ast::ObjectName> {
    let SetExpr::Select(select) = &*query.body else { return None };
    match select.from.as_slice() {
        [one] if one.joins.is_empty() => match &one.relation {
            TableFactor::Table { name, args: None, .. } => Some(name),
            _ => None,
        },
        _ => None,
    }
}
