//! Locked subqueries and views: their tables become sources of the query that locks them, as in PostgreSQL.
//!
//! `SELECT … FROM (SELECT … FROM t WHERE a) s WHERE b LIMIT 1 FOR UPDATE` locks one row of `t` that passes `a` and
//! `b`. So a subquery that only picks, joins and computes gives its sources and conditions to the query around
//! it, and its columns stand for what they compute. One that does more (ORDER BY, LIMIT, WITH) stays, locks its
//! rows itself, and gets the conditions that concern it alone.

use super::Binder;
use super::access::is_steady;
use super::bound::{Access, Body, Distinct, Expr, From, ItemKind, Kind, Query, Select};
use super::columns::deepen;
use super::from::Tree;
use super::scope::{Reach, Source};
use super::visit::{read, sources, visit, visit_kind};
use hobgoblin_sql_schema::function::Volatility;
use hobgoblin_sql_value::Oid;

impl Binder<'_> {
    /// Tells the query that is bound next, as the source with this alias, whether the query around
    /// it locks it.
    pub(super) fn reach_into(&mut self, alias: &str) {
        let all = self.scope().reach.has(alias);
        self.reach = Reach { all, names: Vec::new() };
    }

    /// Puts the sources of locked subqueries in the place of these. `exprs` are all expressions of
    /// the query outside FROM.
    pub(super) fn pull_up(&mut self, tree: &mut Tree, exprs: &mut [&mut Vec<Expr>]) {
        // MySQL locks what views are merged from, and nothing of a subquery.
        let only_views = self.rules.locks_any_query;
        let locked = |scope: &super::Scope, source: usize| {
            scope.sources.get(source).is_some_and(|source| {
                scope.reach.has(&source.alias) && (!only_views || source.view.is_some())
            })
        };
        loop {
            let scope = self.scope();
            let base = scope.sources.len();
            let Some(pulled) = pull_one(tree, base, &|source| locked(scope, source)) else {
                return;
            };
            let alias = scope.sources[pulled.source].alias.clone();
            for at in 0..pulled.count {
                let mut source = Source::of_columns(alias.clone(), &[]);
                source.visible = false;
                source.view =
                    pulled.views.iter().find(|(view, _)| *view == at).map(|(_, oid)| *oid);
                scope.sources.push(source);
            }
            let mut place = |expr: &mut Expr, depth: usize| pulled.place(expr, depth);
            exprs.iter_mut().for_each(|all| all.iter_mut().for_each(|e| visit(e, 0, &mut place)));
            visit_tree(tree, &mut place);
        }
    }

    /// Moves the conditions on a locked subquery alone into it. Rows that fail them are then not
    /// locked.
    pub(super) fn push_down(&mut self, source: usize, kind: &mut ItemKind, ready: &mut Vec<Expr>) {
        let scope = self.scope();
        let ItemKind::Query(query) = kind else { return };
        if !scope.reach.has(&scope.sources[source].alias) || query.limit.is_some() {
            return;
        }
        let Body::Select(select) = &mut query.body else { return };
        if query.offset.is_some() || !is_plain(select) {
            return;
        }
        let mut pushed = Vec::new();
        ready.retain(|condition| match inside(condition, source, &select.project) {
            Some(condition) => {
                pushed.push(condition);
                false
            }
            None => true,
        });
        if !pushed.is_empty() {
            select.recheck.extend(pushed.iter().cloned());
            let from = std::mem::replace(&mut select.from, From::Nothing);
            select.from = From::Filter(Box::new(from), pushed);
        }
    }
}

/// A subquery that has been replaced by its sources.
struct Pulled {
    /// The place that the subquery had in the tuple.
    source: usize,
    /// How many sources it had, which are now sources of the query around it.
    count: usize,
    /// The sources that were views, with the oids of these.
    views: Vec<(usize, Oid)>,
    /// The expressions that its columns stood for.
    project: Vec<Expr>,
}

impl Pulled {
    /// A step of a walk that puts such an expression in the place of a column of the subquery.
    fn place(&self, expr: &mut Expr, depth: usize) -> bool {
        match expr.kind {
            Kind::Column(c) if c.depth == depth && c.source == self.source => {
                *expr = deepen(self.project[c.column].clone(), depth);
                false
            }
            Kind::WholeRow { depth: d, source } if d == depth && source == self.source => {
                let fields = self.project.iter().map(|field| deepen(field.clone(), depth));
                expr.kind = Kind::Row(fields.collect());
                false
            }
            _ => true,
        }
    }
}

/// Replaces the first locked subquery that is simple by its sources, which get numbers from `base`
/// on.
fn pull_one(tree: &mut Tree, base: usize, locked: &dyn Fn(usize) -> bool) -> Option<Pulled> {
    match tree {
        Tree::Inner(all, _) => all.iter_mut().find_map(|tree| pull_one(tree, base, locked)),
        // The other side may be missing; it cannot be locked.
        Tree::Left(left, ..) => pull_one(left, base, locked),
        Tree::Full(..) => None,
        Tree::Item { source, kind } => {
            let source = *source;
            let ItemKind::Query(query) = kind else { return None };
            if !locked(source) || !is_simple(query) {
                return None;
            }
            let Body::Select(select) = &mut query.body else { return None };
            let mut lift = |expr: &mut Expr, at: usize| lifted(expr, at, base);
            let (mut project, mut recheck) = (select.project.clone(), select.recheck.clone());
            project.iter_mut().chain(&mut recheck).for_each(|expr| visit(expr, 0, &mut lift));
            let (count, views) = (select.sources, std::mem::take(&mut select.views));
            let mut items = Vec::new();
            let from = std::mem::replace(&mut select.from, From::Nothing);
            items_of(from, &mut items);
            for item in &mut items {
                let Tree::Item { source, kind } = item else { continue };
                *source += base;
                visit_kind(kind, 0, &mut lift);
            }
            *tree = Tree::Inner(items, recheck);
            Some(Pulled { source, count, views, project })
        }
    }
}

/// A step of a walk that makes an expression of the subquery one of the query around it: its own
/// sources get new numbers, and all others are one query nearer.
fn lifted(expr: &mut Expr, at: usize, base: usize) -> bool {
    let (depth, source) = match &mut expr.kind {
        Kind::Column(column) => (&mut column.depth, &mut column.source),
        Kind::WholeRow { depth, source } => (depth, source),
        _ => return true,
    };
    if *depth == at {
        *source += base;
    } else if *depth > at {
        *depth -= 1;
    }
    true
}

/// Whether a query has nothing but a plain SELECT: no WITH, ORDER BY, LIMIT or set operation.
fn is_simple(query: &Query) -> bool {
    let Body::Select(select) = &query.body else { return false };
    query.with.is_empty()
        && query.order.is_empty()
        && query.limit.is_none()
        && query.offset.is_none()
        && query.locks.is_empty()
        && is_plain(select)
        && is_inner(&select.from)
        && !matches!(select.from, From::Nothing)
        && !select.project.iter().any(is_volatile)
}

/// Whether a SELECT gives one row for each tuple of its FROM.
fn is_plain(select: &Select) -> bool {
    select.group.is_none()
        && select.having.is_none()
        && select.windows.is_empty()
        && select.sets.is_empty()
        && select.distinct == Distinct::No
}

fn is_inner(from: &From) -> bool {
    match from {
        From::Nothing | From::Item(_) => true,
        From::Product(all) => all.iter().all(is_inner),
        From::Filter(from, _) => is_inner(from),
        From::Outer(_) => false,
    }
}

fn is_volatile(expr: &Expr) -> bool {
    let mut found = false;
    read::visit(expr, 0, &mut |expr, _| {
        if let Kind::Call { function, .. } = &expr.kind {
            found |= function.volatility == Volatility::Volatile;
        }
        !found
    });
    found
}

/// The sources of inner joins, as they were before they were planned.
fn items_of(from: From, into: &mut Vec<Tree>) {
    match from {
        From::Nothing | From::Outer(_) => {}
        From::Item(item) => {
            let kind = match item.kind {
                ItemKind::Table { table, .. } => {
                    ItemKind::Table { table, access: Access::All, first: Vec::new() }
                }
                kind => kind,
            };
            into.push(Tree::Item { source: item.source, kind });
        }
        From::Product(all) => all.into_iter().for_each(|from| items_of(from, into)),
        From::Filter(from, _) => items_of(*from, into),
    }
}

fn visit_tree(tree: &mut Tree, f: &mut dyn FnMut(&mut Expr, usize) -> bool) {
    match tree {
        Tree::Item { kind, .. } => visit_kind(kind, 0, f),
        Tree::Inner(all, on) => {
            all.iter_mut().for_each(|tree| visit_tree(tree, f));
            on.iter_mut().for_each(|on| visit(on, 0, f));
        }
        Tree::Left(left, right, on) | Tree::Full(left, right, on) => {
            visit_tree(left, f);
            visit_tree(right, f);
            on.iter_mut().for_each(|on| visit(on, 0, f));
        }
    }
}

/// A condition on the columns of a subquery, as a condition inside it; `None` if it would not give
/// the same there.
fn inside(condition: &Expr, source: usize, project: &[Expr]) -> Option<Expr> {
    if sources(condition).0 != [source] || !is_steady(condition) {
        return None;
    }
    let mut moved = condition.clone();
    let mut whole = false;
    visit(&mut moved, 0, &mut |expr, _| {
        match &mut expr.kind {
            Kind::Column(column) if column.depth == 0 => {
                *expr = project[column.column].clone();
                return false;
            }
            Kind::Column(column) => column.depth += 1,
            Kind::WholeRow { .. } => whole = true,
            _ => {}
        }
        true
    });
    (!whole && is_steady(&moved)).then_some(moved)
}
