//! Queries: SELECT over tables that the filter alone joins.
//!
//! `a JOIN b ON c` and `a, b WHERE c` are the same to us, so conditions of joins go into the filter. Outer joins, groups,
//! DISTINCT, set operations and queries in FROM are refused: each would need a place in the tree of its own.

use sqlparser::ast::{
    self, GroupByExpr, JoinConstraint, JoinOperator, LimitClause, LockType, OrderByKind,
    OrderBySort, SelectItem, SetExpr, TableFactor,
};

use super::error::{Fault, Named, Problem, Result};
use super::made::{all, boxed, truth};
use super::names::{Binder, Row, Rows, column_of, object_name};
use super::tokens::{fold, place, place_of};
use super::types;
use crate::program::{Expr, ExprKind, Lock, Operator, Place, Query, RowId, TableId, Type};

/// A query that was read, with the names of its outputs.
pub(super) struct Bound {
    pub(super) query: Query,
    pub(super) names: Vec<String>,
}

impl Binder<'_> {
    /// Reads a query.
    pub(super) fn query(&mut self, query: &ast::Query) -> Result<Bound> {
        let start = place_of(query, self.sql.place).start;
        let at = self.sql.rest_of_parentheses(start);
        self.queries.push(Rows::default());
        let aggregates = std::mem::replace(&mut self.aggregates, false);
        let read = self.select_of(query, at).and_then(|select| self.parts(query, select, at));
        self.aggregates = aggregates;
        self.queries.pop();
        read
    }

    /// The SELECT of a query that is one.
    fn select_of<'q>(&self, query: &'q ast::Query, at: Place) -> Result<&'q ast::Select> {
        let refused = if query.with.is_some() {
            Some("WITH")
        } else if query.fetch.is_some() || !query.pipe_operators.is_empty() {
            Some("FETCH FIRST")
        } else {
            None
        };
        let select = match query.body.as_ref() {
            SetExpr::Select(select) => select,
            SetExpr::Query(inner) if refused.is_none() && query.order_by.is_none() => {
                return self.select_of(inner, at);
            }
            SetExpr::SetOperation { op, .. } => return Err(refuse(at, &op.to_string())),
            SetExpr::Values(_) => return Err(refuse(at, "VALUES as a query")),
            _ => return Err(refuse(at, "a query without SELECT")),
        };
        let grouped = match &select.group_by {
            GroupByExpr::Expressions(by, with) => !by.is_empty() || !with.is_empty(),
            GroupByExpr::All(_) => true,
        };
        let refused = if grouped {
            Some("GROUP BY")
        } else if select.having.is_some() {
            Some("HAVING")
        } else if select.distinct.is_some() {
            Some("SELECT DISTINCT")
        } else if select.into.is_some() {
            Some("INTO in a subquery")
        } else if !select.named_window.is_empty() {
            Some("WINDOW")
        } else if select.top.is_some() || select.qualify.is_some() {
            Some("TOP or QUALIFY")
        } else {
            refused
        };
        refused.map_or(Ok(select), |what| Err(refuse(at, what)))
    }

    fn parts(&mut self, query: &ast::Query, select: &ast::Select, at: Place) -> Result<Bound> {
        let mut conditions = Vec::new();
        for item in &select.from {
            self.add_table(&item.relation)?;
            for join in &item.joins {
                self.join(join, &mut conditions)?;
            }
        }
        if let Some(filter) = &select.selection {
            conditions.push(self.condition(filter)?);
        }
        let (mut output, names) = self.outputs(&select.projection)?;
        output.iter_mut().for_each(|output| types::settle(output, Type::Int));
        let order = self.order(query, &select.projection, &output)?;
        let from: Vec<TableId> = self.rows().iter().map(|row| row.table).collect();
        let filter = all(Operator::And, conditions, at);
        let (first_only, lock) = (limit(query, at)?, lock(query, from.len(), at)?);
        let query = Query { from, filter, output, order, first_only, lock, place: at };
        if query.is_aggregate() {
            let order = query.order.iter().map(|(expr, _)| expr);
            query.output.iter().chain(order).try_for_each(|expr| self.grouped(expr))?;
            if query.lock.is_some() {
                return Err(refuse(at, "FOR UPDATE of an aggregate"));
            }
        }
        let text = |(expr, _): &&(Expr, bool)| !types::is_number(expr.ty);
        if let Some((by, _)) = query.order.iter().find(text).filter(|_| query.first_only) {
            let problem = Problem::WrongType { expected: Type::Int, found: by.ty };
            return Err(Fault::new(by.place, problem));
        }
        Ok(Bound { query, names })
    }

    fn rows(&self) -> &[Row] {
        self.queries.last().map_or(&[], |query| &query.rows)
    }

    /// Adds a row of a table to those that the query speaks of.
    pub(super) fn add_row(&mut self, name: String, table: TableId, at: Place) -> Result<RowId> {
        if self.rows().iter().any(|row| row.name == name) {
            return Err(Fault::new(at, Problem::Duplicate { what: "tables", name }));
        }
        let id = RowId(self.rows().len() as u32);
        if let Some(query) = self.queries.last_mut() {
            query.rows.push(Row { name, table, id });
        }
        Ok(id)
    }

    /// Adds a table of FROM, UPDATE or DELETE.
    pub(super) fn add_table(&mut self, factor: &TableFactor) -> Result<TableId> {
        let at = place_of(factor, self.sql.place);
        let TableFactor::Table { name, alias, args: None, sample: None, .. } = factor else {
            return Err(Fault::unsupported(
                at,
                "a query, function or join in parentheses in FROM",
                "name tables, and join them by ON, USING or WHERE",
            ));
        };
        let table = self.find_table(name)?;
        let (own, own_at) = object_name(name, at)?;
        let (name, name_at) = match alias {
            Some(alias) if alias.columns.is_empty() => (fold(&alias.name), place(alias.name.span)),
            Some(_) => return Err(refuse(at, "an alias with columns")),
            None => (own, own_at),
        };
        self.add_row(name, table, name_at)?;
        Ok(table)
    }

    fn join(&mut self, join: &ast::Join, conditions: &mut Vec<Expr>) -> Result<()> {
        let at = place_of(&join.relation, self.sql.place);
        let before = self.rows().to_vec();
        let constraint = match &join.join_operator {
            JoinOperator::Join(constraint) | JoinOperator::Inner(constraint) => constraint,
            JoinOperator::CrossJoin(constraint) => constraint,
            _ => return Err(refuse(at, "an outer join")),
        };
        let table = self.add_table(&join.relation)?;
        match constraint {
            JoinConstraint::None => Ok(()),
            JoinConstraint::On(on) => {
                conditions.push(self.condition(on)?);
                Ok(())
            }
            JoinConstraint::Using(columns) => {
                let row = RowId(before.len() as u32);
                for name in columns {
                    let Some(column) = name.0.last().and_then(|part| part.as_ident()) else {
                        return Err(refuse(at, "this USING"));
                    };
                    let here = place(column.span);
                    let right = self.find_column(table, column)?;
                    let right = self.column(table, row, right, here);
                    let left = self.using(&before, column, here)?;
                    conditions.push(self.operate(Operator::Equal, left, right, here)?);
                    if let Some(query) = self.queries.last_mut() {
                        query.merged.push(fold(column));
                    }
                }
                Ok(())
            }
            JoinConstraint::Natural => Err(refuse(at, "NATURAL JOIN")),
        }
    }

    /// The column of the tables on the left that USING names.
    fn using(&self, before: &[Row], column: &ast::Ident, at: Place) -> Result<Expr> {
        let folded = fold(column);
        let found = before.iter().find_map(|row| {
            let column = column_of(self.table(row.table), &folded)?;
            Some(self.column(row.table, row.id, column, at))
        });
        found.ok_or_else(|| Fault::unknown(at, Named::Column, &folded))
    }

    /// Reads the list of a SELECT or RETURNING, with names.
    pub(super) fn outputs(&mut self, items: &[SelectItem]) -> Result<(Vec<Expr>, Vec<String>)> {
        let (mut output, mut names) = (Vec::new(), Vec::new());
        for item in items {
            match item {
                SelectItem::UnnamedExpr(expr) => {
                    output.push(self.output(expr)?);
                    names.push(output_name(expr));
                }
                SelectItem::ExprWithAlias { expr, alias } => {
                    output.push(self.output(expr)?);
                    names.push(fold(alias));
                }
                SelectItem::Wildcard(_) => {
                    if self.queries.last().is_some_and(|query| !query.merged.is_empty()) {
                        return Err(refuse(place_of(item, self.sql.place), "* beside USING"));
                    }
                    for row in self.rows().to_vec() {
                        self.all_columns(&row, item, &mut output, &mut names);
                    }
                }
                SelectItem::QualifiedWildcard(
                    ast::SelectItemQualifiedWildcardKind::ObjectName(name),
                    _,
                ) => {
                    let (folded, at) = object_name(name, self.sql.place)?;
                    let row = self.rows().iter().find(|row| row.name == folded).cloned();
                    let row = row.ok_or_else(|| Fault::unknown(at, Named::Table, &folded))?;
                    self.all_columns(&row, item, &mut output, &mut names);
                }
                _ => return Err(refuse(place_of(item, self.sql.place), "this output")),
            }
        }
        Ok((output, names))
    }

    fn output(&mut self, expr: &ast::Expr) -> Result<Expr> {
        self.aggregates = true;
        let read = self.expression(expr);
        self.aggregates = false;
        read
    }

    fn all_columns(
        &self,
        row: &Row,
        item: &SelectItem,
        output: &mut Vec<Expr>,
        names: &mut Vec<String>,
    ) {
        let at = place_of(item, self.sql.place);
        for (number, column) in self.table(row.table).columns.iter().enumerate() {
            let id = crate::program::ColumnId(number as u32);
            output.push(self.column(row.table, row.id, id, at));
            names.push(column.name.clone());
        }
    }

    fn order(
        &mut self,
        query: &ast::Query,
        items: &[SelectItem],
        output: &[Expr],
    ) -> Result<Vec<(Expr, bool)>> {
        let Some(order) = &query.order_by else { return Ok(Vec::new()) };
        let OrderByKind::Expressions(all) = &order.kind else {
            return Err(refuse(self.sql.place, "ORDER BY ALL"));
        };
        let mut read = Vec::new();
        for by in all {
            let at = place_of(by, self.sql.place);
            let descends = match by.options.sort {
                None | Some(OrderBySort::Asc) => false,
                Some(OrderBySort::Desc) => true,
                Some(OrderBySort::Using(_)) => return Err(refuse(at, "ORDER BY … USING")),
            };
            if by.options.nulls_first.is_some_and(|first| first != descends) {
                return Err(refuse(at, "NULLS FIRST or NULLS LAST but for the default"));
            }
            let named =
                items.iter().zip(output).find_map(|(item, output)| match (item, &by.expr) {
                    (SelectItem::ExprWithAlias { alias, .. }, ast::Expr::Identifier(name)) => {
                        (fold(alias) == fold(name)).then_some(output)
                    }
                    _ => None,
                });
            let number = match &by.expr {
                ast::Expr::Value(value) => match &value.value {
                    ast::Value::Number(digits, _) => Some(digits.parse::<usize>().ok()),
                    _ => None,
                },
                _ => None,
            };
            let expr = match (number, named) {
                (Some(number), _) => {
                    let output = number.and_then(|number| output.get(number.checked_sub(1)?));
                    output.cloned().ok_or_else(|| refuse(at, "ORDER BY a number of no output"))?
                }
                (None, Some(named)) => named.clone(),
                (None, None) => self.output(&by.expr)?,
            };
            read.push((expr, descends));
        }
        Ok(read)
    }

    /// Beside an aggregate there is no single row to take a column from.
    fn grouped(&self, expr: &Expr) -> Result<()> {
        match &expr.kind {
            ExprKind::Aggregate(..) => Ok(()),
            ExprKind::Column(row, column) => {
                let table = self.rows().get(row.0 as usize).map(|row| self.table(row.table));
                let column = table.and_then(|table| table.columns.get(column.0 as usize));
                let name = column.map(|column| column.name.clone()).unwrap_or_default();
                Err(Fault::new(expr.place, Problem::Ungrouped { name }))
            }
            _ => expr.inner().into_iter().try_for_each(|inner| self.grouped(inner)),
        }
    }

    /// `EXISTS (query)`.
    pub(super) fn exists(&mut self, query: &ast::Query, at: Place) -> Result<Expr> {
        let query = self.query(query)?.query;
        Ok(truth(ExprKind::Exists(Box::new(query)), at))
    }

    /// `(query)`.
    pub(super) fn scalar(&mut self, query: &ast::Query, at: Place) -> Result<Expr> {
        let query = self.one_output(query)?;
        let ty = query.output.first().map_or(Type::Int, |output| output.ty);
        Ok(Expr { kind: ExprKind::Scalar(Box::new(query)), ty, place: at })
    }

    /// `expr IN (query)`.
    pub(super) fn in_query(
        &mut self,
        expr: &ast::Expr,
        query: &ast::Query,
        at: Place,
    ) -> Result<Expr> {
        let mut left = self.expression(expr)?;
        let mut query = self.one_output(query)?;
        if let Some(output) = query.output.first_mut() {
            types::together(&mut [&mut left, output], "IN")
                .map_err(|fault| Fault::new(at, fault.problem))?;
        }
        Ok(truth(ExprKind::InQuery(boxed(left), Box::new(query)), at))
    }

    fn one_output(&mut self, query: &ast::Query) -> Result<Query> {
        let query = self.query(query)?.query;
        match query.output.len() {
            1 => Ok(query),
            found => Err(Fault::new(query.place, Problem::Outputs { found })),
        }
    }
}

fn refuse(at: Place, what: &str) -> Fault {
    Fault::unsupported(at, what, "divide it into simpler statements")
}

/// Whether there is a `LIMIT 1`.
fn limit(query: &ast::Query, at: Place) -> Result<bool> {
    let Some(clause) = &query.limit_clause else { return Ok(false) };
    let LimitClause::LimitOffset { limit, offset: None, limit_by } = clause else {
        return Err(Fault::unsupported(at, "OFFSET", "read the first row, by LIMIT 1"));
    };
    match limit {
        None => Ok(false),
        Some(ast::Expr::Value(value))
            if matches!(&value.value, ast::Value::Number(one, _) if one == "1")
                && limit_by.is_empty() =>
        {
            Ok(true)
        }
        Some(limit) => {
            let at = place_of(limit, at);
            Err(Fault::unsupported(at, "LIMIT but for LIMIT 1", "read one row, or all"))
        }
    }
}

fn lock(query: &ast::Query, tables: usize, at: Place) -> Result<Option<Lock>> {
    let mut lock = None;
    for clause in &query.locks {
        if clause.nonblock.is_some() {
            return Err(refuse(at, "NOWAIT or SKIP LOCKED"));
        }
        if clause.of.is_some() && tables > 1 {
            return Err(refuse(at, "FOR UPDATE OF one of several tables"));
        }
        lock = match (clause.lock_type, lock) {
            (LockType::Update, _) | (LockType::Share, Some(Lock::Update)) => Some(Lock::Update),
            (LockType::Share, _) => Some(Lock::Share),
        };
    }
    Ok(lock)
}

/// What PostgreSQL calls an output that has no alias.
fn output_name(expr: &ast::Expr) -> String {
    match expr {
        ast::Expr::Identifier(name) => fold(name),
        ast::Expr::CompoundIdentifier(names) => names.last().map(fold).unwrap_or_default(),
        ast::Expr::Nested(inner) | ast::Expr::Cast { expr: inner, .. } => output_name(inner),
        ast::Expr::Function(function) => {
            let name = function.name.0.last().and_then(|part| part.as_ident());
            name.map(fold).unwrap_or_default()
        }
        ast::Expr::Case { .. } => "case".to_owned(),
        ast::Expr::Exists { .. } => "exists".to_owned(),
        _ => "?column?".to_owned(),
    }
}
