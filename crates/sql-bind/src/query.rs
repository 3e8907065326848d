//! Queries: WITH, set operations, VALUES, LIMIT; locking clauses are in [`super::locking`].
//!
//! WITH items are bound in order, and each name is there for those after it; under RECURSIVE also for itself, whose
//! second term then reads the rows of the round before. An item knows whether anybody refers to it, because changes that
//! nobody refers to run last, and queries that nobody refers to do not run.
//!
//! The columns of a set operation and of VALUES get one type each, the common type of their branches, which the dialect
//! decides; branches of another type get a conversion. A literal whose type is not known stays so where an INSERT will
//! give it the column's.

use hashbrown::HashSet;
use hobgoblin_sql_schema::dialect::CastContext;
use sqlparser::ast::{self, LimitClause, OrderByKind, SetExpr, SetOperator, SetQuantifier};

use super::Binder;
use super::aggregate::direction;
use super::binder::CteName;
use super::bound::{Body, Cte, CteBody, Expr, Kind, OutputColumn, Query, SetOp, SortKey};
use super::locking::reach_of;
use super::scope::{Clause, Scope};
use super::select::BoundSelect;
use hobgoblin_sql_schema::Dialect;
use hobgoblin_sql_schema::catalog::same_name;
use hobgoblin_sql_schema::dialect::Rules;
use hobgoblin_sql_schema::syntax::relations;
use hobgoblin_sql_schema::{Binding, Problem, Result, SqlError};
use hobgoblin_sql_value::{Datum, TypeId};

impl Binder<'_> {
    /// Binds a query. Constants in quotes whose type nothing tells become texts.
    pub fn query(&mut self, ast: &ast::Query) -> Result<Query> {
        self.nested(|binder| binder.any_query_ast(ast, false))
    }

    /// Binds a query whose constants in quotes keep having no type, so that an INSERT can give them
    /// that of the column.
    pub(super) fn query_for_insert(&mut self, ast: &ast::Query) -> Result<Query> {
        self.nested(|binder| binder.any_query_ast(ast, true))
    }

    fn any_query_ast(&mut self, ast: &ast::Query, keep_unknown: bool) -> Result<Query> {
        let names = self.ctes.len();
        let bound = self.query_with(ast, keep_unknown);
        self.ctes.truncate(names);
        bound
    }

    fn query_with(&mut self, ast: &ast::Query, keep_unknown: bool) -> Result<Query> {
        if !ast.pipe_operators.is_empty() || ast.for_clause.is_some() || ast.settings.is_some() {
            return Err(SqlError::unsupported("this kind of query"));
        }
        let reach = std::mem::take(&mut self.reach);
        let (with, first) = self.with(ast.with.as_ref())?;
        let order: &[ast::OrderByExpr] = match &ast.order_by {
            None => &[],
            Some(ast::OrderBy { kind: OrderByKind::Expressions(order), .. }) => order,
            Some(_) => return Err(SqlError::unsupported("ORDER BY ALL")),
        };
        if !ast.locks.is_empty() {
            return Err(SqlError::unsupported("a locking clause here"));
        }
        self.reach = reach_of(ast, &self.clauses, reach, self.dialect());
        let mut query = self.set_expr(&ast.body, order, keep_unknown)?;
        self.limits(ast, &mut query)?;
        self.locking(ast, &mut query)?;
        let with = self.closed(with, first);
        match query.body {
            // A query in parentheses has its own WITH.
            _ if query.with.is_empty() => query.with = with,
            _ => query.with = with.into_iter().chain(query.with).collect(),
        }
        Ok(query)
    }

    /// Binds a WITH: its items, and where their names begin among all that can be seen.
    pub(super) fn with(&mut self, with: Option<&ast::With>) -> Result<(Vec<Cte>, usize)> {
        let first = self.ctes.len();
        let mut bound = Vec::new();
        let Some(with) = with else { return Ok((bound, first)) };
        let mut names = HashSet::with_capacity(with.cte_tables.len());
        for item in &with.cte_tables {
            let name = self.fold(&item.alias.name);
            if !names.insert(name.clone()) {
                return Err(Binding::NameTwice { name, with: true }.into());
            }
            let aliases: Vec<String> =
                item.alias.columns.iter().map(|c| self.fold(&c.name)).collect();
            let id = self.next_cte;
            self.next_cte += 1;
            let (query, columns) = self.cte(item, id, &name, &aliases, with.recursive)?;
            let used = matches!(query, CteBody::Dml(_));
            let gives = match &query {
                CteBody::Dml(dml) => dml.columns().is_some(),
                _ => true,
            };
            bound.push(Cte { id, query, used, last: false });
            self.ctes.push(CteName { id, name, columns, uses: 0, gives });
        }
        Ok((bound, first))
    }

    /// Finishes the items of a WITH when all is bound that may refer to them, and it is known which
    /// are used.
    pub(super) fn closed(&self, with: Vec<Cte>, first: usize) -> Vec<Cte> {
        let named = self.ctes[first..].iter().filter(|name| name.uses > 0);
        let named: HashSet<usize> = named.map(|name| name.id).collect();
        let frozen = self.frozen();
        let close = |mut cte: Cte| {
            let used = named.contains(&cte.id);
            match &mut cte.query {
                CteBody::Dml(dml) => {
                    cte.last = !used;
                    dml.frozen.clone_from(&frozen);
                }
                _ => cte.used |= used,
            }
            cte
        };
        with.into_iter().map(close).collect()
    }

    fn cte(
        &mut self,
        item: &ast::Cte,
        id: usize,
        name: &str,
        aliases: &[String],
        recursive: bool,
    ) -> Result<(CteBody, Vec<OutputColumn>)> {
        if recursive
            && item.query.with.is_none()
            && let SetExpr::SetOperation { left, op: SetOperator::Union, set_quantifier, right } =
                &*item.query.body
            && mentions(right, self.catalog.dialect, name)
        {
            if item.query.order_by.is_some() || item.query.limit_clause.is_some() {
                return Err(SqlError::unsupported("ORDER BY or LIMIT in a recursive query"));
            }
            let first = self.set_expr(left, &[], false)?;
            let columns = renamed(&first.columns, aliases, name)?;
            let open = CteName {
                id,
                name: name.to_owned(),
                columns: columns.clone(),
                uses: 0,
                gives: true,
            };
            self.ctes.push(open);
            let next = self.set_expr(right, &[], false);
            let uses = self.ctes.pop().map_or(0, |cte| cte.uses);
            let mut next = next?;
            if uses == 0 {
                let query = self.query(&item.query)?;
                let columns = renamed(&query.columns, aliases, name)?;
                return Ok((CteBody::Query(Box::new(query)), columns));
            }
            let aggregates = match &next.body {
                Body::Select(select) => {
                    select.group.as_ref().is_some_and(|group| !group.aggregates.is_empty())
                }
                _ => false,
            };
            if aggregates {
                return Err(Binding::RecursionAggregate.into());
            }
            if uses > 1 {
                return Err(Binding::RecursionTwice(name.to_owned()).into());
            }
            if next.columns.len() != columns.len() {
                return Err(Binding::UnevenUnion("UNION").into());
            }
            for (at, column) in columns.iter().enumerate() {
                if next.columns[at].ty != column.ty {
                    let wide = self.dialect().common_type(
                        &[column.ty, next.columns[at].ty],
                        "UNION",
                        self.env.names,
                    )?;
                    if wide != column.ty && !self.rules.stores {
                        let cause = Binding::RecursionType {
                            name: name.to_owned(),
                            position: at + 1,
                            first: self.type_name(column.ty),
                            overall: self.type_name(wide),
                        };
                        return Err(cause.into());
                    }
                    self.convert_column(&mut next, at, column.ty)?;
                }
            }
            let all = matches!(set_quantifier, SetQuantifier::All);
            let body = CteBody::Recursive { first: Box::new(first), next: Box::new(next), all };
            return Ok((body, columns));
        }
        match &*item.query.body {
            SetExpr::Insert(statement)
            | SetExpr::Update(statement)
            | SetExpr::Delete(statement) => {
                if self.depth > 1 {
                    return Err(Binding::NestedChange.into());
                }
                let dml = self.dml(statement)?;
                let columns = renamed(dml.columns().unwrap_or(&[]), aliases, name)?;
                Ok((CteBody::Dml(Box::new(dml)), columns))
            }
            SetExpr::Merge(_) => Err(Binding::MergeInWith.into()),
            _ => {
                let query = self.query(&item.query).map_err(|error| {
                    let itself = |missing: &Problem| {
                        matches!(missing, Problem::NoRelation { schema: None, name: missing } if missing == name)
                    };
                    match recursive && error.problem().is_some_and(itself) {
                        true => Binding::RecursionForm(name.to_owned()).into(),
                        false => error,
                    }
                })?;
                let columns = renamed(&query.columns, aliases, name)?;
                Ok((CteBody::Query(Box::new(query)), columns))
            }
        }
    }

    fn set_expr(
        &mut self,
        body: &SetExpr,
        order: &[ast::OrderByExpr],
        keep_unknown: bool,
    ) -> Result<Query> {
        let reach = std::mem::take(&mut self.reach);
        self.nested(|binder| match body {
            SetExpr::Select(select) => {
                binder.reach = reach;
                if select.into.is_some() {
                    return Err(SqlError::syntax("SELECT ... INTO is not allowed here"));
                }
                let BoundSelect { select, columns, order } =
                    binder.select(select, order, keep_unknown)?;
                let mut query = plain(Body::Select(Box::new(select)), columns);
                query.order = order;
                Ok(query)
            }
            SetExpr::Query(inner) => {
                binder.reach = reach;
                let inner = binder.any_query_ast(inner, keep_unknown)?;
                let columns = inner.columns.clone();
                let mut query = plain(Body::Query(Box::new(inner)), columns);
                query.order = output_order(order, &query.columns, binder.dialect(), binder.rules)?;
                Ok(query)
            }
            SetExpr::Values(values) => {
                let rows: Vec<&Vec<ast::Expr>> =
                    values.rows.iter().map(|row| &row.content).collect();
                let mut query = binder.values(&rows, keep_unknown)?;
                query.order = output_order(order, &query.columns, binder.dialect(), binder.rules)?;
                Ok(query)
            }
            SetExpr::SetOperation { left, op, set_quantifier, right } => {
                let mut query = binder.set_operation(left, op, set_quantifier, right)?;
                if binder.rules.output_names && !order.iter().all(is_output) {
                    return binder.ordered_over(query, order);
                }
                query.order = output_order(order, &query.columns, binder.dialect(), binder.rules)?;
                Ok(query)
            }
            // Where it is a query it was read as SELECT * FROM it.
            SetExpr::Table(_) => Err(SqlError::syntax("syntax error at or near \"TABLE\"")),
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
                Err(SqlError::unsupported("a data-modifying statement here"))
            }
        })
    }

    /// Binds VALUES. Each column has the type that its values have in common.
    pub(super) fn values(&mut self, rows: &[&Vec<ast::Expr>], keep_unknown: bool) -> Result<Query> {
        self.scopes.push(Scope { clause: Clause::Values, ..Scope::default() });
        let bound: Result<Vec<Vec<Expr>>> =
            rows.iter().map(|row| row.iter().map(|expr| self.expression(expr)).collect()).collect();
        self.scopes.pop();
        let mut bound = bound?;
        let width = bound.first().map_or(0, Vec::len);
        if bound.iter().any(|row| row.len() != width) {
            return Err(SqlError::syntax("VALUES lists must all be the same length"));
        }
        let mut columns = Vec::with_capacity(width);
        for at in 0..width {
            let types: Vec<TypeId> = bound.iter().map(|row| row[at].ty).collect();
            let unknown = types.iter().all(|&ty| ty == TypeId::UNKNOWN);
            let name = match (self.rules.output_names, rows.first()) {
                (true, Some(row)) => self.dialect().output_name(&row[at]),
                _ => format!("column{}", at + 1),
            };
            let mut column = OutputColumn { name, ty: TypeId::UNKNOWN, typmod: -1, origin: (0, 0) };
            if !(unknown && keep_unknown) {
                let ty = self.dialect().common_type(&types, "VALUES", self.env.names)?;
                let typmod = bound[0][at].typmod;
                if bound.iter().all(|row| row[at].typmod == typmod && row[at].ty == ty) {
                    column.typmod = typmod;
                }
                for row in &mut bound {
                    row[at] = self.implicit(row[at].clone(), ty)?;
                }
                column.ty = ty;
            }
            columns.push(column);
        }
        Ok(plain(Body::Values(bound), columns))
    }

    fn set_operation(
        &mut self,
        left: &SetExpr,
        op: &SetOperator,
        quantifier: &SetQuantifier,
        right: &SetExpr,
    ) -> Result<Query> {
        let (op, word) = match op {
            SetOperator::Union => (SetOp::Union, "UNION"),
            SetOperator::Intersect => (SetOp::Intersect, "INTERSECT"),
            SetOperator::Except | SetOperator::Minus => (SetOp::Except, "EXCEPT"),
        };
        let all = match quantifier {
            SetQuantifier::All => true,
            SetQuantifier::None | SetQuantifier::Distinct => false,
            _ => return Err(SqlError::unsupported("set operations BY NAME")),
        };
        self.combinable(left)?;
        self.combinable(right)?;
        let mut left = self.set_expr(left, &[], true)?;
        let mut right = self.set_expr(right, &[], true)?;
        if left.columns.len() != right.columns.len() {
            return Err(Binding::UnevenUnion(word).into());
        }
        let mut columns = left.columns.clone();
        for (at, column) in columns.iter_mut().enumerate() {
            let (a, b) = (left.columns[at].ty, right.columns[at].ty);
            let ty = self.dialect().common_type(&[a, b], word, self.env.names)?;
            self.convert_column(&mut left, at, ty)?;
            self.convert_column(&mut right, at, ty)?;
            if !all || op != SetOp::Union {
                self.has_equality(ty)?;
            }
            let same = left.columns[at].typmod == right.columns[at].typmod && a == b;
            column.ty = ty;
            column.typmod = if same { left.columns[at].typmod } else { -1 };
            column.origin = (0, 0);
        }
        let (left, right) = (Box::new(left), Box::new(right));
        Ok(plain(Body::SetOp { op, all, left, right }, columns))
    }

    /// Converts one column of a query's result to a type.
    pub(super) fn convert_column(
        &mut self,
        query: &mut Query,
        at: usize,
        ty: TypeId,
    ) -> Result<()> {
        if query.columns[at].ty == ty {
            return Ok(());
        }
        match &mut query.body {
            Body::Select(select) => {
                let expr = select.project[at].clone();
                select.project[at] = self.implicit(expr, ty)?;
            }
            Body::SetOp { left, right, .. } => {
                self.convert_column(left, at, ty)?;
                self.convert_column(right, at, ty)?;
            }
            Body::Values(rows) => {
                for row in rows {
                    row[at] = self.implicit(row[at].clone(), ty)?;
                }
            }
            Body::Query(inner) => self.convert_column(inner, at, ty)?,
        }
        query.columns[at].ty = ty;
        query.columns[at].typmod = -1;
        Ok(())
    }

    fn limits(&mut self, ast: &ast::Query, query: &mut Query) -> Result<()> {
        self.scopes.push(Scope { clause: Clause::Limit, ..Scope::default() });
        let bound = self.limits_in_scope(ast, query);
        self.scopes.pop();
        bound
    }

    /// Binds the count of LIMIT or OFFSET, which may be any expression without columns.
    pub(super) fn row_count(&mut self, ast: &ast::Expr, clause: &'static str) -> Result<Expr> {
        // LIMIT ALL and LIMIT NULL are no limit.
        let expr = self.expression(ast).map_err(|error| match error.binding() {
            Some(cause) if cause.is_unknown_column() || cause.is_unknown_source() => {
                Binding::VariableCount { clause }.into()
            }
            _ => error,
        })?;
        // MySQL counts rows without a sign: `LIMIT 1, 18446744073709551615` gives all rows but one.
        if self.rules.stores && matches!(expr.kind, Kind::Const(Datum::Numeric(_))) {
            return Ok(expr);
        }
        if expr.ty != TypeId::UNKNOWN && expr.ty != TypeId::BIGINT {
            let names = self.env.names;
            let context = self.dialect().cast_context(expr.ty, TypeId::BIGINT, names);
            if context.is_none_or(|context| context > CastContext::Assignment) {
                let (wanted, given) = (self.type_name(TypeId::BIGINT), self.type_name(expr.ty));
                return Err(Binding::ArgumentType { clause, wanted, given }.into());
            }
        }
        self.assign(expr, TypeId::BIGINT, -1, clause)
    }

    fn limits_in_scope(&mut self, ast: &ast::Query, query: &mut Query) -> Result<()> {
        let clauses = self.clauses.clone();
        let commas = self.rules.output_names;
        let mut bigint = |ast: &ast::Expr, clause: &'static str| self.row_count(ast, clause);
        match &ast.limit_clause {
            None => {}
            Some(LimitClause::LimitOffset { limit, offset, limit_by }) => {
                if !limit_by.is_empty() {
                    return Err(SqlError::unsupported("LIMIT BY"));
                }
                query.limit = limit.as_ref().map(|limit| bigint(limit, "LIMIT")).transpose()?;
                query.offset =
                    offset.as_ref().map(|offset| bigint(&offset.value, "OFFSET")).transpose()?;
            }
            Some(LimitClause::OffsetCommaLimit { offset, limit }) if commas => {
                query.limit = Some(bigint(limit, "LIMIT")?);
                query.offset = Some(bigint(offset, "OFFSET")?);
            }
            Some(LimitClause::OffsetCommaLimit { .. }) => {
                return Err(SqlError::syntax("LIMIT #,# syntax is not supported")
                    .hint("Use separate LIMIT and OFFSET clauses."));
            }
        }
        if let Some(fetch) = &ast.fetch {
            if fetch.percent {
                return Err(SqlError::unsupported("FETCH … PERCENT"));
            }
            query.limit = Some(match &fetch.quantity {
                Some(ast::Expr::Value(number)) => {
                    let written = clauses.quantity(number.span.start);
                    bigint(written.unwrap_or(&ast::Expr::Value(number.clone())), "LIMIT")?
                }
                Some(quantity) => bigint(quantity, "LIMIT")?,
                None => Expr::constant(hobgoblin_sql_value::Datum::Int(1), TypeId::BIGINT),
            });
            query.with_ties = fetch.with_ties;
        }
        if query.with_ties && query.order.is_empty() {
            return Err(SqlError::syntax("WITH TIES cannot be specified without ORDER BY clause"));
        }
        Ok(())
    }
}

/// Whether all keys of an ORDER BY are columns of the result, by name or number.
fn is_output(item: &ast::OrderByExpr) -> bool {
    match &item.expr {
        ast::Expr::Identifier(_) => true,
        ast::Expr::Value(value) => matches!(value.value, ast::Value::Number(..)),
        _ => false,
    }
}

pub(super) fn plain(body: Body, columns: Vec<OutputColumn>) -> Query {
    Query {
        with: Vec::new(),
        body,
        order: Vec::new(),
        limit: None,
        offset: None,
        with_ties: false,
        locks: Vec::new(),
        columns,
        once: None,
    }
}

/// The columns of a result under the names that an alias gives them.
fn renamed(columns: &[OutputColumn], aliases: &[String], name: &str) -> Result<Vec<OutputColumn>> {
    if aliases.len() > columns.len() {
        let (name, columns, names) = (name.to_owned(), columns.len(), aliases.len());
        return Err(Binding::TooManyNames { name, with: true, columns, names }.into());
    }
    let mut columns = columns.to_vec();
    for (column, alias) in columns.iter_mut().zip(aliases) {
        column.name.clone_from(alias);
    }
    Ok(columns)
}

/// Binds ORDER BY of a UNION and the like, whose keys are columns of the result by name or number.
fn output_order(
    order: &[ast::OrderByExpr],
    columns: &[OutputColumn],
    dialect: &dyn Dialect,
    rules: Rules,
) -> Result<Vec<SortKey>> {
    let mut keys = Vec::new();
    for item in order {
        let at = match &item.expr {
            ast::Expr::Identifier(ident) => {
                let name = dialect.fold(ident).into_owned();
                let same =
                    |column: &OutputColumn| same_name(&column.name, &name, rules.caseless_columns);
                let found = columns.iter().position(same);
                found.ok_or_else(|| SqlError::from(Binding::NoColumn(name)).within("ORDER BY"))?
            }
            ast::Expr::Value(value) if matches!(&value.value, ast::Value::Number(..)) => {
                let ast::Value::Number(text, _) = &value.value else { continue };
                let place = text.parse::<usize>().ok().and_then(|place| place.checked_sub(1));
                place.filter(|&at| at < columns.len()).ok_or_else(|| Binding::NoOutput {
                    clause: "ORDER BY",
                    position: text.clone(),
                })?
            }
            _ => return Err(Binding::SortKeyNotOutput.into()),
        };
        keys.push(direction(&item.options, at, rules)?);
    }
    Ok(keys)
}

/// Whether a query reads from a relation of this name that no WITH inside the query defines.
fn mentions(body: &SetExpr, dialect: &dyn Dialect, name: &str) -> bool {
    let mut reads = false;
    relations(body, dialect, |relation, _| {
        if let [part] = relation.0.as_slice() {
            reads |= part.as_ident().is_some_and(|ident| dialect.fold(ident) == name);
        }
    });
    reads
}
