//! FROM: sources, joins, and where each condition is checked.
//!
//! Binding gives a [`Tree`] of sources and joins as they are written. Planning makes a [`From`] of
//! it. Inner joins and their conditions become one list with those of WHERE; the sources stay in
//! the order in which they are written, and run as nested loops. A condition goes to the last of
//! the sources that it names:
//!
//! ```text
//!     FROM t, u JOIN v ON v.x = u.x WHERE t.a = 1 AND u.b = t.b
//!         t    t.a = 1
//!         u    u.b = t.b        for each row of t
//!         v    v.x = u.x        for each pair of rows of t and u
//! ```
//!
//! So a row that fails a condition is dropped before anything is joined to it. The sides of an outer
//! join are planned apart. A condition of WHERE on the kept side alone is checked there; any other
//! stays above the join, for it must see the NULLs of rows without a partner. A condition of ON goes
//! into the side that may be missing. How a source finds its rows is chosen by its conditions
//! ([`access`]).

use hobgoblin_front::Mode;
use sqlparser::ast::{
    self, FunctionArg, FunctionArgExpr, JoinConstraint, JoinOperator, TableFactor,
};

use super::bound::{Access, Expr, From, Item, ItemKind, Kind, Outer, SetCall};
use super::columns::deepen;
use super::conjunct::split;
use super::scope::{Clause, NamedColumn, Source, SourceColumn};
use super::visit::{read, sources};
use super::{Binder, access};
use hobgoblin_sql_schema::binding::{Construct, JoinSide};
use hobgoblin_sql_schema::catalog::{Found, same_name};
use hobgoblin_sql_schema::function::Resolution;
use hobgoblin_sql_schema::roomy::MAX_DEPTH;
use hobgoblin_sql_schema::{Binding, Result, SqlError};
use hobgoblin_sql_value::TypeId;

/// FROM as it is written, before its conditions are spread over it.
#[allow(clippy::large_enum_variant)]
pub(super) enum Tree {
    Item { source: usize, kind: ItemKind },
    Inner(Vec<Tree>, Vec<Expr>),
    Left(Box<Tree>, Box<Tree>, Vec<Expr>),
    Full(Box<Tree>, Box<Tree>, Vec<Expr>),
}

/// A part of FROM, with the columns that a bare name finds in it.
struct Part {
    tree: Tree,
    columns: Vec<NamedColumn>,
}

impl Tree {
    fn sources(&self, into: &mut Vec<usize>) {
        match self {
            Tree::Item { source, .. } => into.push(*source),
            Tree::Inner(all, _) => all.iter().for_each(|tree| tree.sources(into)),
            Tree::Left(left, right, _) | Tree::Full(left, right, _) => {
                left.sources(into);
                right.sources(into);
            }
        }
    }
}

impl Binder<'_> {
    /// Binds FROM. Its sources go into the scope at hand.
    pub(super) fn from(&mut self, tables: &[ast::TableWithJoins]) -> Result<Tree> {
        let mut all = Vec::new();
        for table in tables {
            let part = self.joined(table)?;
            self.scope().columns.extend(part.columns);
            all.push(part.tree);
        }
        Ok(Tree::Inner(all, Vec::new()))
    }

    /// Binds one item of FROM with its joins. While each join is bound, bare names find the columns
    /// on its left.
    fn joined(&mut self, table: &ast::TableWithJoins) -> Result<Part> {
        let before = self.scope().columns.len();
        let mut left = self.factor(&table.relation)?;
        if table.joins.len() > MAX_DEPTH {
            return Err(super::too_deep());
        }
        for join in &table.joins {
            let columns = &mut self.scope().columns;
            columns.truncate(before);
            columns.extend_from_slice(&left.columns);
            // The right side of these joins is there without the left.
            let apart = matches!(
                join.join_operator,
                JoinOperator::Right(_) | JoinOperator::RightOuter(_) | JoinOperator::FullOuter(_)
            );
            let mut sources = Vec::new();
            if apart {
                left.tree.sources(&mut sources);
            }
            let scope = self.scope();
            scope.apart.extend(&sources);
            let right = self.factor(&join.relation);
            self.scope().apart.retain(|source| !sources.contains(source));
            left = self.join(left, right?, &join.join_operator)?;
        }
        self.scope().columns.truncate(before);
        Ok(left)
    }

    fn join(&mut self, left: Part, right: Part, op: &JoinOperator) -> Result<Part> {
        #[derive(Clone, Copy, PartialEq)]
        enum Side {
            Inner,
            Left,
            Right,
            Full,
        }
        let mut joined = Vec::new();
        left.tree.sources(&mut joined);
        right.tree.sources(&mut joined);
        self.scope().joined.extend(joined);
        let (side, constraint) = match op {
            JoinOperator::Join(constraint) | JoinOperator::Inner(constraint) => {
                (Side::Inner, constraint)
            }
            JoinOperator::CrossJoin(constraint) | JoinOperator::StraightJoin(constraint) => {
                (Side::Inner, constraint)
            }
            JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) => {
                (Side::Left, constraint)
            }
            JoinOperator::Right(constraint) | JoinOperator::RightOuter(constraint) => {
                (Side::Right, constraint)
            }
            JoinOperator::FullOuter(constraint) => (Side::Full, constraint),
            _ => return Err(SqlError::unsupported("this kind of join")),
        };
        let caseless = self.rules.caseless_columns;
        let using: Option<Vec<String>> = match constraint {
            JoinConstraint::Using(names) => {
                let mut using = Vec::new();
                for name in names {
                    using.push(self.dialect().split_name(name)?.1.into_owned());
                }
                Some(using)
            }
            JoinConstraint::Natural => Some(
                left.columns
                    .iter()
                    .filter(|l| right.columns.iter().any(|r| same_name(&r.name, &l.name, caseless)))
                    .map(|column| column.name.clone())
                    .collect(),
            ),
            _ => None,
        };
        let mut on = Vec::new();
        let mut columns = Vec::new();
        if let Some(using) = using {
            for name in &using {
                let find = |columns: &[NamedColumn], side: JoinSide| {
                    let same = |column: &&NamedColumn| same_name(&column.name, name, caseless);
                    let mut found = columns.iter().filter(same);
                    let column = name.clone();
                    match (found.next(), found.next()) {
                        (Some(found), None) => Ok(found.clone()),
                        (Some(_), Some(_)) => Err(Binding::AmbiguousJoinColumn { column, side }),
                        (None, _) => Err(Binding::NoJoinColumn { column, side }),
                    }
                };
                let a = find(&left.columns, JoinSide::Left)?;
                let b = find(&right.columns, JoinSide::Right)?;
                on.push(self.operator("=", Some(a.expr.clone()), b.expr.clone())?);
                let (both, ty, typmod) = self.unify(vec![a.expr, b.expr], "JOIN/USING")?;
                let [first, second]: [Expr; 2] =
                    both.try_into().map_err(|_| SqlError::unsupported("this join"))?;
                let expr = match side {
                    Side::Inner | Side::Left => first,
                    Side::Right => second,
                    Side::Full => Expr { kind: Kind::Coalesce(vec![first, second]), ty, typmod },
                };
                let (name, origin) = match (self.rules.output_names, side) {
                    (true, Side::Right) => (b.name, b.origin),
                    (true, _) => (a.name, a.origin),
                    (false, _) => (name.clone(), a.origin),
                };
                columns.push(NamedColumn { name, expr, origin, listed: true });
            }
            let mut sides = [left.columns, right.columns];
            // RIGHT JOIN is a LEFT JOIN of the sides changed.
            if self.rules.output_names && side == Side::Right {
                sides.reverse();
            }
            let rest = sides.into_iter().flatten();
            let merged = |column: &NamedColumn| {
                using.iter().any(|name| same_name(name, &column.name, caseless))
            };
            columns.extend(rest.filter(|column| !merged(column)));
        } else {
            columns.extend(left.columns);
            columns.extend(right.columns);
            if let JoinConstraint::On(condition) = constraint {
                // Only what is joined here can be named, not what stands before a comma.
                let mut joined = Vec::new();
                left.tree.sources(&mut joined);
                right.tree.sources(&mut joined);
                let scope = self.scope();
                let kept = std::mem::replace(&mut scope.columns, columns.clone());
                let clause = std::mem::replace(&mut scope.clause, Clause::On);
                let others = hide(scope, |source| !joined.contains(&source));
                let condition = self.expression(condition);
                let condition = condition.and_then(|on| self.boolean(on, "JOIN/ON"));
                let scope = self.scope();
                scope.columns = kept;
                scope.clause = clause;
                others.into_iter().for_each(|source| scope.sources[source].visible = true);
                split(condition?, &mut on);
            }
        }
        let tree = match side {
            Side::Inner => Tree::Inner(vec![left.tree, right.tree], on),
            Side::Left => Tree::Left(Box::new(left.tree), Box::new(right.tree), on),
            Side::Right => Tree::Left(Box::new(right.tree), Box::new(left.tree), on),
            Side::Full => Tree::Full(Box::new(left.tree), Box::new(right.tree), on),
        };
        Ok(Part { tree, columns })
    }

    fn factor(&mut self, factor: &TableFactor) -> Result<Part> {
        (self.go_on)()?;
        match factor {
            TableFactor::Table { partitions, .. } if !partitions.is_empty() => {
                Err(SqlError::unsupported("PARTITION"))
            }
            TableFactor::Table {
                name, alias, args: None, sample, with_ordinality: false, ..
            } => {
                if sample.is_some() {
                    return Err(SqlError::unsupported("TABLESAMPLE"));
                }
                self.named_table(name, alias.as_ref())
            }
            TableFactor::Table { name, alias, args: Some(args), with_ordinality, .. } => {
                self.function_item(name, &args.args, *with_ordinality, alias.as_ref())
            }
            TableFactor::Function { name, args, with_ordinality, alias, .. } => {
                self.function_item(name, args, *with_ordinality, alias.as_ref())
            }
            TableFactor::UNNEST { alias, array_exprs, with_ordinality, .. } => {
                let args: Vec<FunctionArg> = array_exprs
                    .iter()
                    .map(|expr| FunctionArg::Unnamed(FunctionArgExpr::Expr(expr.clone())))
                    .collect();
                let name = ast::ObjectName::from(vec![ast::Ident::new("unnest")]);
                if args.len() == 1 {
                    return self.function_item(&name, &args, *with_ordinality, alias.as_ref());
                }
                let mut calls = Vec::new();
                for arg in args {
                    calls.push((name.clone(), vec![arg]));
                }
                self.functions_item(&calls, *with_ordinality, alias.as_ref())
            }
            TableFactor::Derived { lateral, subquery, alias, .. } => {
                let Some(named) = alias else {
                    return Err(SqlError::syntax("subquery in FROM must have an alias")
                        .hint("For example, FROM (SELECT ...) [AS] foo."));
                };
                let scope = self.scope();
                let opaque = std::mem::replace(&mut scope.opaque, !lateral);
                self.reach_into(&self.fold(&named.name));
                self.derived += 1;
                let query = self.query(subquery);
                self.derived -= 1;
                self.scope().opaque = opaque;
                let query = query?;
                let name = self.fold(&named.name);
                let mut columns = query.columns.clone();
                for column in &mut columns {
                    if column.ty == TypeId::UNKNOWN && !self.rules.null_type {
                        column.ty = TypeId::TEXT;
                    }
                }
                let source = Source::of_columns(name, &columns);
                self.item(ItemKind::Query(Box::new(query)), source, alias.as_ref())
            }
            TableFactor::NestedJoin { table_with_joins, alias } => {
                let part = self.joined(table_with_joins)?;
                if alias.is_some() {
                    return Err(SqlError::unsupported("an alias for a join in parentheses"));
                }
                Ok(part)
            }
            TableFactor::JsonTable { .. } => Err(SqlError::unsupported("JSON_TABLE")),
            TableFactor::TableFunction { .. } => Err(SqlError::unsupported("TABLE(…)")),
            _ => Err(SqlError::unsupported("this item in FROM")),
        }
    }

    /// Adds a source to the scope, under the alias that is written.
    fn item(
        &mut self,
        kind: ItemKind,
        mut source: Source,
        alias: Option<&ast::TableAlias>,
    ) -> Result<Part> {
        if let Some(alias) = alias {
            source.alias = self.fold(&alias.name);
            source.schema = None;
            let visible = source.columns.iter_mut().filter(|column| !column.hidden);
            let count = visible.count();
            if alias.columns.len() > count {
                let (name, columns, names) = (source.alias, count, alias.columns.len());
                return Err(Binding::TooManyNames { name, with: false, columns, names }.into());
            }
            let visible = source.columns.iter_mut().filter(|column| !column.hidden);
            for (column, name) in visible.zip(&alias.columns) {
                column.name = self.fold(&name.name);
            }
        }
        let scope = self.scope();
        let twice = |other: &Source| {
            other.visible && other.alias == source.alias && other.schema == source.schema
        };
        if scope.sources.iter().any(twice) {
            return Err(Binding::NameTwice { name: source.alias, with: false }.into());
        }
        let place = scope.sources.len();
        let columns = source.named(place);
        scope.sources.push(source);
        Ok(Part { tree: Tree::Item { source: place, kind }, columns })
    }

    fn named_table(
        &mut self,
        name: &ast::ObjectName,
        alias: Option<&ast::TableAlias>,
    ) -> Result<Part> {
        let (schema, table) = self.dialect().split_name(name)?;
        if schema.is_none()
            && let Some(cte) = self.ctes.iter_mut().rev().find(|cte| cte.name == table)
        {
            if !cte.gives {
                return Err(Binding::NotReturning(table.into_owned()).into());
            }
            cte.uses += 1;
            let (id, columns) = (cte.id, cte.columns.clone());
            let source = Source::of_columns(table.into_owned(), &columns);
            return self.item(ItemKind::Cte(id), source, alias);
        }
        let at = name.0.first().and_then(|part| part.as_ident()).and_then(super::columns::position);
        let found = self.catalog.require(self.path, schema.as_deref(), &table);
        match found.map_err(|error| super::columns::place(error, at))? {
            Found::Table(table) => {
                let table = std::sync::Arc::clone(table);
                if !table.populated {
                    return Err(Binding::NotPopulated(table.name.clone()).into());
                }
                self.reads.push(table.oid);
                if self.rules.stores && self.scopes.len() > 1 && self.derived == 0 {
                    self.inner_reads.push(table.oid);
                }
                self.relations.push((table.oid, Mode::AccessShare));
                if self.late {
                    self.late_reads.push(table.oid);
                }
                let source = Source::table(&table, None);
                let kind = ItemKind::Table { table, access: Access::All, first: Vec::new() };
                self.item(kind, source, alias)
            }
            Found::System(table) => {
                let source = Source::virtual_table(table, None);
                self.item(ItemKind::Virtual(table), source, alias)
            }
            Found::View(view) => {
                let view = std::sync::Arc::clone(view);
                self.relations.push((view.oid, Mode::AccessShare));
                let source = Source::view(&view, None);
                let name = alias.map_or(view.name.clone(), |alias| self.fold(&alias.name));
                self.reach_into(&name);
                let query = self.view_query(&view)?;
                self.item(ItemKind::Query(Box::new(query)), source, alias)
            }
            Found::Sequence(sequence) => {
                let (kind, source) = super::sequence::row(sequence);
                self.item(kind, source, alias)
            }
            Found::Index(_, index) => Err(Binding::IndexAsSource(index.name.clone()).into()),
        }
    }

    /// The query of a view. Nothing of the statement around it can be seen in it.
    pub(super) fn view_query(
        &mut self,
        view: &hobgoblin_sql_schema::catalog::View,
    ) -> Result<super::bound::Query> {
        let scopes = std::mem::take(&mut self.scopes);
        let ctes = std::mem::take(&mut self.ctes);
        let clauses = std::mem::replace(&mut self.clauses, view.clauses.clone());
        // Whatever runs it keeps rows of enclosing queries; a view refers to none of them.
        let query = self.nested(|binder| binder.query(&view.query));
        self.clauses = clauses;
        self.scopes = scopes;
        self.ctes = ctes;
        let mut query = query?;
        for (column, (name, _, _)) in query.columns.iter_mut().zip(&view.columns) {
            column.name.clone_from(name);
        }
        Ok(query)
    }

    fn function_item(
        &mut self,
        name: &ast::ObjectName,
        args: &[FunctionArg],
        ordinality: bool,
        alias: Option<&ast::TableAlias>,
    ) -> Result<Part> {
        self.functions_item(&[(name.clone(), args.to_vec())], ordinality, alias)
    }

    /// Functions in FROM. Their arguments see the sources before them.
    fn functions_item(
        &mut self,
        calls: &[(ast::ObjectName, Vec<FunctionArg>)],
        ordinality: bool,
        alias: Option<&ast::TableAlias>,
    ) -> Result<Part> {
        let clause = self.clause();
        let mut sets: Vec<SetCall> = Vec::new();
        let mut scalars: Vec<Expr> = Vec::new();
        let mut columns: Vec<SourceColumn> = Vec::new();
        let mut first_name = None;
        for (name, args) in calls {
            let (schema, function) = self.function_name(name)?;
            first_name.get_or_insert_with(|| function.clone());
            self.set_clause(Clause::From);
            let mut bound = Vec::new();
            for arg in args {
                let FunctionArg::Unnamed(FunctionArgExpr::Expr(arg)) = arg else {
                    return Err(SqlError::unsupported("this argument of a function in FROM"));
                };
                bound.push(self.expression(arg)?);
            }
            self.set_clause(clause);
            let types: Vec<TypeId> = bound.iter().map(|arg| arg.ty).collect();
            let column = |name: String, ty| SourceColumn {
                name,
                ty,
                typmod: -1,
                origin: (0, 0),
                hidden: false,
                listed: true,
            };
            match self.dialect().function(schema.as_deref(), &function, &types, self.env.names)? {
                Resolution::Set(found, named) => {
                    if named.is_empty() {
                        let (fields, call) =
                            self.record_call(found.function, bound, found.args, alias)?;
                        columns.extend(fields.into_iter().map(|field| SourceColumn {
                            typmod: field.typmod,
                            ..column(field.name, field.ty)
                        }));
                        sets.push(call);
                        continue;
                    }
                    let single = named.len() == 1;
                    let given = alias.map(|alias| self.fold(&alias.name));
                    for (name, ty) in &named {
                        // The only column of a function takes the alias, if it has no name of its own.
                        let name = match &given {
                            _ if !single || !name.is_empty() => (*name).to_owned(),
                            Some(alias) if calls.len() == 1 => alias.clone(),
                            _ => function.clone(),
                        };
                        columns.push(column(name, *ty));
                    }
                    let types = found.args.clone();
                    let args = self.convert(bound, &found.args)?;
                    let column_types = named.into_iter().map(|(_, ty)| ty).collect();
                    sets.push(SetCall {
                        function: found.function,
                        args,
                        types,
                        result: if single { columns[columns.len() - 1].ty } else { TypeId::ROW },
                        columns: column_types,
                    });
                }
                Resolution::Scalar(found) => {
                    let args = self.convert(bound, &found.args)?;
                    let name = alias.map_or(function, |alias| self.fold(&alias.name));
                    columns.push(column(name, found.result));
                    scalars.push(Expr::new(
                        Kind::Call { function: found.function, args },
                        found.result,
                    ));
                }
                _ => {
                    let (what, clause) = (Construct::Aggregate, Clause::From);
                    return Err(Binding::Misplaced { what, clause }.into());
                }
            }
        }
        if ordinality {
            columns.push(SourceColumn {
                name: "ordinality".to_owned(),
                ty: TypeId::BIGINT,
                typmod: -1,
                origin: (0, 0),
                hidden: false,
                listed: true,
            });
        }
        let record = |call: &SetCall| call.function.columns.is_empty();
        let scalar = columns.len() == 1 && !sets.iter().any(record);
        super::column_list::check_list(alias, sets.iter().any(record), ordinality)?;
        let kind = match (sets.is_empty(), scalars.is_empty()) {
            (false, true) => ItemKind::Function(sets, ordinality),
            (true, false) => ItemKind::Scalar(scalars, ordinality),
            _ => return Err(SqlError::unsupported("ROWS FROM with functions of different kinds")),
        };
        let alias_name = first_name.unwrap_or_default();
        let source = Source {
            alias: alias_name,
            schema: None,
            columns,
            table: None,
            row_type: None,
            view: None,
            visible: true,
            scalar,
        };
        self.item(kind, source, alias)
    }

    /// Spreads conditions over a part of FROM. `available` are the sources that are at hand before
    /// it.
    pub(super) fn plan(
        &mut self,
        tree: Tree,
        mut conditions: Vec<Expr>,
        available: &mut Vec<usize>,
    ) -> From {
        let mut parts = Vec::new();
        flatten(tree, &mut parts, &mut conditions);
        // Conditions with subqueries cost most and come last among equals.
        conditions.sort_by_key(has_query);
        // Each with the sources that it still waits for.
        let waits = |condition: &Expr| {
            let mut needed = sources(condition).0;
            needed.retain(|source| !available.contains(source));
            needed
        };
        let mut waiting: Vec<(Vec<usize>, Expr)> =
            conditions.into_iter().map(|condition| (waits(&condition), condition)).collect();
        let mut planned = Vec::new();
        let count = parts.len();
        for (at, part) in parts.into_iter().enumerate() {
            let mut own = Vec::new();
            part.sources(&mut own);
            let last = at + 1 == count;
            let ready = waiting.extract_if(.., |(needed, _)| {
                needed.retain(|source| !own.contains(source));
                needed.is_empty() || last
            });
            let ready = ready.map(|(_, condition)| condition).collect();
            planned.push(self.plan_part(part, ready, available));
            available.extend(own);
        }
        match planned.len() {
            0 => {
                let conditions = waiting.into_iter().map(|(_, condition)| condition).collect();
                filtered(From::Nothing, conditions)
            }
            1 => planned.remove(0),
            _ => From::Product(planned),
        }
    }

    fn plan_part(&mut self, part: Tree, ready: Vec<Expr>, available: &mut Vec<usize>) -> From {
        let before = available.len();
        let planned = match part {
            Tree::Item { source, mut kind } => {
                let mut ready = ready;
                self.push_down(source, &mut kind, &mut ready);
                let mut item = Item {
                    id: self.item_id(),
                    source,
                    kind,
                    filters: ready,
                    hash: Vec::new(),
                    outer_hash: Vec::new(),
                    fixed: false,
                    own: Vec::new(),
                    constant: false,
                };
                access::choose(
                    &mut item,
                    available,
                    self.seen.as_deref(),
                    self.dialect(),
                    &self.env,
                );
                From::Item(Box::new(item))
            }
            Tree::Inner(..) => self.plan(part, ready, available),
            Tree::Left(left, right, on) => {
                let (mut left_sources, mut right_sources) = (Vec::new(), Vec::new());
                left.sources(&mut left_sources);
                right.sources(&mut right_sources);
                // What only the kept side decides is checked there; the rest sees the missing rows too.
                let (below, above): (Vec<Expr>, Vec<Expr>) =
                    ready.into_iter().partition(|condition| {
                        sources(condition).0.iter().all(|source| !right_sources.contains(source))
                    });
                let left = self.plan(*left, below, available);
                let right = self.plan(*right, on, available);
                let outer = From::Outer(Box::new(Outer {
                    left,
                    right,
                    left_sources,
                    right_sources,
                    full: None,
                }));
                filtered(outer, above)
            }
            Tree::Full(left, right, on) => {
                let (mut left_sources, mut right_sources) = (Vec::new(), Vec::new());
                left.sources(&mut left_sources);
                right.sources(&mut right_sources);
                let left = self.plan(*left, Vec::new(), available);
                available.truncate(before);
                let right = self.plan(*right, Vec::new(), available);
                let full = Some(on);
                let outer = Outer { left, right, left_sources, right_sources, full };
                filtered(From::Outer(Box::new(outer)), ready)
            }
        };
        available.truncate(before);
        planned
    }
}

fn filtered(from: From, filters: Vec<Expr>) -> From {
    match filters.is_empty() {
        true => from,
        false => From::Filter(Box::new(from), filters),
    }
}

/// Collects the parts of inner joins in one list, and their conditions with the others.
fn flatten(tree: Tree, parts: &mut Vec<Tree>, conditions: &mut Vec<Expr>) {
    match tree {
        Tree::Inner(all, on) => {
            all.into_iter().for_each(|tree| flatten(tree, parts, conditions));
            conditions.extend(on);
        }
        other => parts.push(other),
    }
}

fn has_query(expr: &Expr) -> bool {
    let mut found = false;
    read::visit(expr, 0, &mut |expr, _| {
        found |= matches!(
            expr.kind,
            Kind::Scalar(_) | Kind::Exists(_) | Kind::ArrayQuery(_) | Kind::AnyQuery { .. }
        );
        !found
    });
    found
}

/// The columns of a source as the select list of `*` has them, for an expression so many queries
/// further in.
pub(super) fn star(columns: &[NamedColumn]) -> Vec<NamedColumn> {
    columns
        .iter()
        .filter(|column| column.listed)
        .map(|column| NamedColumn {
            name: column.name.clone(),
            expr: deepen(column.expr.clone(), 0),
            origin: column.origin,
            listed: true,
        })
        .collect()
}

/// Makes sources of a scope invisible, and returns those that were visible before.
fn hide(scope: &mut super::Scope, which: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut hidden = Vec::new();
    for (at, source) in scope.sources.iter_mut().enumerate() {
        if source.visible && which(at) {
            source.visible = false;
            hidden.push(at);
        }
    }
    hidden
}
