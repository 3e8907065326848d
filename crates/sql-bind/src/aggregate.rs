//! Aggregates, and rewriting what stands above GROUP BY.
//!
//! An expression above GROUP BY is first bound as if there were no groups. Then it is rewritten:
//! what is written like a key becomes a column of the grouped row, and so does each aggregate; a
//! column that is left over is an error. With the key `a + 1`,
//!
//! ```text
//!     SELECT (a + 1) * 2, sum(b) …    becomes    SELECT #0 * 2, #1    over the row (a + 1, sum(b))
//! ```
//!
//! The number of keys is known only when all clauses are bound, so aggregates are counted from 0 at
//! first and get their places after the keys in the end ([`Binder::place_aggregates`]).

use super::system::{column_that, held_in};
use sqlparser::ast;

use super::Binder;
use super::alike::alike;
use super::bound::{AggregateCall, ColumnRef, Expr, Kind, SortKey};
use super::call::CallParts;
use super::scope::Clause;
use super::visit::visit;
use hobgoblin_sql_schema::binding::CallPart;
use hobgoblin_sql_schema::dialect::Rules;
use hobgoblin_sql_schema::function::Aggregate;
use hobgoblin_sql_schema::function::{Candidate, Resolution};
use hobgoblin_sql_schema::shape::RowType;
use hobgoblin_sql_schema::{Binding, Result, SqlError};
use hobgoblin_sql_value::TypeId;

impl Binder<'_> {
    /// Adds a call of an aggregate to the query that is being bound; the expression is its place.
    pub(super) fn aggregate_call(
        &mut self,
        found: Candidate<Aggregate>,
        args: Vec<Expr>,
        parts: &CallParts<'_>,
    ) -> Result<Expr> {
        let call = self.aggregate(found, args, parts)?;
        let ty = call.ty;
        let scope = self.scope();
        scope.aggregates.push(call);
        let kind = Kind::Aggregate(scope.aggregates.len() - 1);
        Ok(Expr::new(kind, ty))
    }

    /// Binds an aggregate with its DISTINCT, ORDER BY and FILTER.
    pub(super) fn aggregate(
        &mut self,
        found: Candidate<Aggregate>,
        args: Vec<Expr>,
        parts: &CallParts<'_>,
    ) -> Result<AggregateCall> {
        let types = found.args.clone();
        let written = args.clone();
        let args = self.convert(args, &types)?;
        let types = args.iter().map(|arg| arg.ty.shaped(arg.typmod)).collect();
        let clause = self.clause();
        self.set_clause(Clause::Aggregate);
        let order = self.sort_expressions(&parts.order);
        let filter = match parts.filter {
            Some(filter) => {
                let filter = self.expression(filter);
                filter.and_then(|filter| self.boolean(filter, "FILTER")).map(Some)
            }
            None => Ok(None),
        };
        self.set_clause(clause);
        let mut order = order?;
        // What is an argument too is ordered as that, after its conversion: citext as text by string_agg.
        for (key, _) in &mut order {
            if let Some(at) = written.iter().position(|arg| alike(arg, key)) {
                key.clone_from(&args[at]);
            }
        }
        let most = parts.limit.map(|limit| self.row_count(limit, "LIMIT")).transpose()?;
        let mut by = Vec::new();
        if parts.distinct && self.rules.output_names {
            let weights = args.iter().any(|arg| self.dialect().compared_as(arg.ty).is_some());
            if weights || !order.is_empty() || most.is_some() {
                by = args.iter().map(|arg| self.weighed(arg.clone())).collect::<Result<_>>()?;
            }
        } else if parts.distinct {
            if order.iter().any(|(key, _)| !args.iter().any(|arg| alike(arg, key))) {
                return Err(Binding::SortKeyNotDistinct { aggregate: true }.into());
            }
            for arg in &args {
                self.has_equality(arg.ty)?;
            }
        }
        Ok(AggregateCall {
            aggregate: found.function,
            args,
            types,
            distinct: parts.distinct,
            by,
            order,
            most,
            filter: filter?,
            direct: Vec::new(),
            ty: found.result,
        })
    }

    /// Binds a call with WITHIN GROUP, such as `percentile_cont(0.5) WITHIN GROUP (ORDER BY x)`.
    pub(super) fn ordered_set(
        &mut self,
        name: &str,
        direct: Vec<Expr>,
        parts: &CallParts<'_>,
    ) -> Result<Expr> {
        if ["rank", "dense_rank", "percent_rank", "cume_dist"].contains(&name) {
            return Err(SqlError::unsupported(format!("{name} WITHIN GROUP")));
        }
        let clause = self.clause();
        self.set_clause(Clause::Aggregate);
        let order = self.sort_expressions(parts.within);
        self.set_clause(clause);
        let order = order?;
        let mut types: Vec<TypeId> = direct.iter().map(|arg| arg.ty).collect();
        types.extend(order.iter().map(|(expr, _)| expr.ty));
        let Resolution::Aggregate(found) = self.resolve_call(name, &types)? else {
            let (part, function) = (CallPart::WithinGroup, name.to_owned());
            return Err(Binding::NotAggregate { part, function }.into());
        };
        let count = direct.len();
        let mut args = direct;
        args.extend(order.iter().map(|(expr, _)| expr.clone()));
        let args = self.convert(args, &found.args)?;
        let types = args.iter().map(|arg| arg.ty.shaped(arg.typmod)).collect();
        let order = order.into_iter().zip(&args[count..]).map(|((_, key), arg)| (arg.clone(), key));
        let filter = match parts.filter {
            Some(filter) => {
                let filter = self.expression(filter)?;
                Some(self.boolean(filter, "FILTER")?)
            }
            None => None,
        };
        let order = order.collect();
        let call = AggregateCall {
            aggregate: found.function,
            args,
            types,
            distinct: false,
            by: Vec::new(),
            order,
            most: None,
            filter,
            direct: Vec::new(),
            ty: found.result,
        };
        let ty = call.ty;
        let scope = self.scope();
        scope.aggregates.push(call);
        let kind = Kind::Aggregate(scope.aggregates.len() - 1);
        Ok(Expr::new(kind, ty))
    }

    /// Binds the expressions of an ORDER BY inside a call, with their directions.
    pub(super) fn sort_expressions(
        &mut self,
        order: &[ast::OrderByExpr],
    ) -> Result<Vec<(Expr, SortKey)>> {
        let mut keys = Vec::with_capacity(order.len());
        for item in order {
            let expr = self.expression(&item.expr)?;
            let expr = self.known(expr)?;
            self.has_order(expr.ty)?;
            let expr = self.weighed(expr)?;
            keys.push((expr, direction(&item.options, 0, self.rules)?));
        }
        Ok(keys)
    }

    /// Rewrites an expression that stands above GROUP BY: keys and aggregates become columns of the
    /// grouped row; any other column of the query is an error.
    pub(super) fn above_group(
        &self,
        expr: &mut Expr,
        keys: &mut Vec<Expr>,
        fixed: usize,
        groupings: &mut Groupings,
    ) -> Result<()> {
        let aggregates = usize::MAX / 2;
        let mut failure = None;
        let mut loose = None;
        let scope = self.scopes.last().expect("a query is being bound");
        visit(expr, 0, &mut |expr, depth| {
            if failure.is_some() {
                return false;
            }
            // Inside a subquery only columns are taken for keys, as in PostgreSQL.
            let at = keys.iter().position(|key| match depth {
                0 => alike(key, expr),
                _ => is_column(key) && alike(&super::columns::deepen(key.clone(), depth), expr),
            });
            if let Some(at) = at {
                expr.kind = Kind::Column(ColumnRef { depth, source: 0, column: at });
                return false;
            }
            match &expr.kind {
                Kind::Grouping(args) if depth == 0 => {
                    let place = |arg| keys[..fixed].iter().position(|key| alike(key, arg));
                    match args.iter().map(place).collect::<Option<Vec<usize>>>() {
                        Some(places) => {
                            let column = aggregates + groupings.after + groupings.calls.len();
                            groupings.calls.push(places);
                            expr.kind = Kind::Column(ColumnRef { depth, source: 0, column });
                        }
                        None => failure = Some(Binding::NotGrouped),
                    }
                    return false;
                }
                _ => {}
            }
            match expr.kind {
                // Aggregates come after the keys; how many keys there are is not known yet.
                Kind::Aggregate(at) if depth == 0 => {
                    let column = aggregates + at;
                    expr.kind = Kind::Column(ColumnRef { depth, source: 0, column });
                    false
                }
                Kind::Column(column) if column.depth == depth => {
                    let source = &scope.sources[column.source];
                    // What depends on a primary key that is grouped by may be named too.
                    let depends = source.table.as_ref().is_some_and(|table| {
                        table.indexes.iter().filter(|index| table.keys_rows(index)).any(|index| {
                            index.columns.iter().all(|key| {
                                let hobgoblin_sql_schema::catalog::IndexKey::Column(number) = key.key else {
                                    return false;
                                };
                                let wanted =
                                    ColumnRef { depth: 0, source: column.source, column: number };
                                keys[..fixed].iter().any(
                                    |key| matches!(key.kind, Kind::Column(found) if found == wanted),
                                )
                            })
                        })
                    });
                    let mut loosely =
                        || *loose.get_or_insert_with(|| self.dialect().groups_loosely(&self.env));
                    let depends = depends && self.dialect().groups_by_dependency(&self.env);
                    if depends || loosely() {
                        let mut key = expr.clone();
                        key.kind = Kind::Column(ColumnRef { depth: 0, ..column });
                        keys.push(key);
                        let column = keys.len() - 1;
                        expr.kind = Kind::Column(ColumnRef { depth, source: 0, column });
                        return false;
                    }
                    let held = held_in(column.column);
                    let name = match held.and_then(|held| column_that(held, self.dialect())) {
                        Some(column) => column.name,
                        None => &source.columns[column.column].name,
                    };
                    failure = Some(Binding::UngroupedColumn {
                        source: source.alias.clone(),
                        column: Some(name.to_owned()),
                    });
                    false
                }
                Kind::WholeRow { depth: found, source } if found == depth => {
                    let source = scope.sources[source].alias.clone();
                    failure = Some(Binding::UngroupedColumn { source, column: None });
                    false
                }
                _ => true,
            }
        });
        failure.map_or(Ok(()), |cause| Err(cause.into()))
    }

    /// Puts the aggregates after the keys, once the number of these is known.
    pub(super) fn place_aggregates(expr: &mut Expr, keys: usize) {
        let aggregates = usize::MAX / 2;
        visit(expr, 0, &mut |expr, at| {
            if let Kind::Column(column) = &mut expr.kind
                && column.depth == at
                && column.column >= aggregates
            {
                column.column = column.column - aggregates + keys;
            }
            true
        });
    }
}

/// The calls of GROUPING in the expressions above a GROUP BY, as far as they have been rewritten.
pub(super) struct Groupings {
    /// How many aggregates the grouped row has, after which their results follow.
    pub(super) after: usize,
    /// For each call, the places of the keys that it asks about.
    pub(super) calls: Vec<Vec<usize>>,
}

/// Whether an expression is a column, or the one column that JOIN … USING made of two.
fn is_column(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Column(_) => true,
        Kind::Coalesce(all) => all.iter().all(is_column),
        Kind::Cast { expr, .. } => is_column(expr),
        _ => false,
    }
}

/// The direction of a sort key, with the language's own place for NULLs where none is written.
pub(super) fn direction(
    options: &ast::OrderByOptions,
    column: usize,
    rules: Rules,
) -> Result<SortKey> {
    let descending = match &options.sort {
        None | Some(ast::OrderBySort::Asc) => false,
        Some(ast::OrderBySort::Desc) => true,
        #[allow(unreachable_patterns)]
        Some(_) => return Err(SqlError::unsupported("ORDER BY … USING")),
    };
    let nulls_first = options.nulls_first.unwrap_or(descending != rules.nulls_first);
    Ok(SortKey { column, descending, nulls_first })
}
