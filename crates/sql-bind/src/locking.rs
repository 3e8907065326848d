//! Locking clauses: FOR UPDATE and the like, and what they can be applied to.
//!
//! A clause names sources of its query or means all of them. A table among these is locked row by
//! row, as the rows are given. A subquery or view passes the clause on to its own sources, which is
//! why a clause must reach a query before that is bound ([`Reach`](super::scope::Reach)). Where a
//! row of the query is no longer a row of a table, since the query groups, combines or computes it,
//! there is nothing to lock and the clause is refused.

use hobgoblin_front::{Lock, Mode};
use hobgoblin_sql_schema::Dialect;
use sqlparser::ast;

use super::Binder;
use super::bound::{Body, Distinct, From, Item, ItemKind, LockWait, Query, RowLock, Select};
use super::scope::Reach;
use hobgoblin_sql_schema::binding::Unlockable;
use hobgoblin_sql_schema::syntax::{Clauses, Strength, Waiting};
use hobgoblin_sql_schema::{Binding, Result, SqlError};
use hobgoblin_sql_value::Oid;

/// A locking clause on its way through a query and the subqueries in its FROM.
#[derive(Clone, Copy)]
struct LockClause<'a> {
    lock: Lock,
    wait: LockWait,
    /// The name of the source that it locks; `None` if it locks all.
    of: Option<&'a str>,
    /// Whether it is written outside the query that it is applied to, which is a subquery in FROM.
    implied: bool,
    /// Whether it is written outside a view that the query belongs to.
    view: bool,
}

impl LockClause<'_> {
    fn word(self) -> &'static str {
        match self.lock {
            Lock::KeyShare => "FOR KEY SHARE",
            Lock::Share => "FOR SHARE",
            Lock::NoKeyUpdate => "FOR NO KEY UPDATE",
            Lock::Update => "FOR UPDATE",
        }
    }

    fn refused(self, why: Unlockable) -> SqlError {
        Binding::CannotLock { lock: self.word(), why }.into()
    }
}

/// Which sources of a query are locked, by its own clauses and by those of the query around it.
pub(super) fn reach_of(
    ast: &ast::Query,
    clauses: &Clauses,
    mut reach: Reach,
    dialect: &dyn Dialect,
) -> Reach {
    for clause in clauses.locking(ast) {
        reach.all |= clause.of.is_empty();
        let names = clause.of.iter().filter_map(|of| dialect.split_name(of).ok());
        reach.names.extend(names.map(|(_, name)| name.into_owned()));
    }
    reach
}

/// The lock on a row that a clause asks for.
fn lock_of(strength: Strength) -> Lock {
    match strength {
        Strength::KeyShare => Lock::KeyShare,
        Strength::Share => Lock::Share,
        Strength::NoKeyUpdate => Lock::NoKeyUpdate,
        Strength::Update => Lock::Update,
    }
}

impl Binder<'_> {
    /// Binds the locking clauses of a query, and adds their locks to it.
    pub(super) fn locking(&mut self, ast: &ast::Query, query: &mut Query) -> Result<()> {
        let clauses = self.clauses.clone();
        for clause in clauses.locking(ast) {
            let lock = lock_of(clause.strength);
            let wait = match clause.waiting {
                Waiting::Wait => LockWait::Wait,
                Waiting::NoWait => LockWait::NoWait,
                Waiting::Skip => LockWait::Skip,
                Waiting::Seconds(0) => LockWait::NoWait,
                Waiting::Seconds(_) => {
                    return Err(SqlError::unsupported(
                        "a locking clause that waits so many seconds",
                    ));
                }
            };
            let all = LockClause { lock, wait, of: None, implied: false, view: false };
            if clause.of.is_empty() {
                self.lock(query, all)?;
            }
            for of in &clause.of {
                let (_, of) = self.dialect().split_name(of)?;
                self.lock(query, LockClause { of: Some(&of), ..all })?;
            }
        }
        Ok(())
    }

    /// Fails if a query with locking clauses is one side of a UNION, INTERSECT or EXCEPT.
    pub(super) fn combinable(&self, body: &ast::SetExpr) -> Result<()> {
        let ast::SetExpr::Query(query) = body else { return Ok(()) };
        if self.rules.locks_any_query {
            return Ok(());
        }
        let Some(clause) = self.clauses.locking(query).next() else {
            return self.combinable(&query.body);
        };
        let (lock, wait) = (lock_of(clause.strength), LockWait::Wait);
        let clause = LockClause { lock, wait, of: None, implied: false, view: false };
        Err(clause.refused(Unlockable::SetOperation))
    }

    /// Applies a clause to a query, or fails if its rows cannot be locked.
    fn lock(&mut self, query: &mut Query, clause: LockClause<'_>) -> Result<()> {
        let select = match &mut query.body {
            Body::Select(select) => select,
            // One in parentheses.
            Body::Query(inner) => return self.lock(inner, clause),
            Body::Values(_) if self.rules.locks_any_query => return Ok(()),
            // The clause is of the last SELECT.
            Body::SetOp { right, .. } if self.rules.locks_any_query => {
                return self.lock(right, clause);
            }
            Body::Values(_) if clause.implied => return Ok(()),
            Body::Values(_) => return Err(clause.refused(Unlockable::Values)),
            // PostgreSQL looks at what a view joins, and this joins nothing.
            Body::SetOp { .. } if clause.view => return Ok(()),
            Body::SetOp { .. } => {
                return Err(clause.refused(Unlockable::SetOperation));
            }
        };
        let (mut tables, mut queries) = (Vec::new(), Vec::new());
        lockable(&select.from, &mut tables, &mut queries);
        let why = clashing(select).filter(|_| !self.rules.locks_any_query);
        // PostgreSQL looks at a view only where it has something to lock.
        let checked = !clause.view || !tables.is_empty() || !queries.is_empty();
        if let (true, Some(why)) = (checked, why) {
            return Err(clause.refused(why));
        }
        let mut views: Vec<(usize, Oid)> = select.views.clone();
        if let Some(of) = clause.of {
            let named: Vec<usize> = named(select, of).collect();
            let Some(&first) = named.first() else {
                let (name, lock) = (of.to_owned(), clause.word());
                return Err(Binding::NoLockedSource { name, lock }.into());
            };
            match item_of(&mut select.from, first).map(|item| &item.kind) {
                Some(ItemKind::Table { .. } | ItemKind::Query(_)) | None => {}
                Some(ItemKind::Cte(_)) if !self.rules.locks_any_query => {
                    return Err(clause.refused(Unlockable::WithQuery));
                }
                Some(_) if self.rules.locks_any_query => {}
                Some(_) => return Err(clause.refused(Unlockable::Function)),
            }
            tables.retain(|(source, _)| named.contains(source));
            queries.retain(|source| named.contains(source));
            views.retain(|(source, _)| named.contains(source));
        }
        let mut nullable = Vec::new();
        nullable_sources(&select.from, &mut nullable);
        let missing = tables.iter().any(|(source, _)| nullable.contains(source))
            || queries.iter().filter(|source| nullable.contains(source)).any(|&source| {
                match item_of(&mut select.from, source).map(|item| &item.kind) {
                    Some(ItemKind::Query(query)) => query.limit.is_some() || reads_tables(query),
                    _ => false,
                }
            });
        if missing && !self.rules.locks_any_query {
            return Err(clause.refused(Unlockable::Nullable));
        }
        for (_, relation) in tables.iter().chain(&views) {
            self.lock_for_rows(*relation);
        }
        for source in queries {
            let is_view = views.iter().any(|(view, _)| *view == source);
            let view = clause.view || is_view;
            if let Some(item) = item_of(&mut select.from, source)
                && let ItemKind::Query(query) = &mut item.kind
                && (!self.rules.locks_any_query || is_view && is_merged(query))
            {
                self.lock(query, LockClause { of: None, implied: true, view, ..clause })?;
            }
        }
        if !clause.implied || !tables.is_empty() {
            let sources = tables.into_iter().map(|(source, _)| source).collect();
            query.locks.push(RowLock { lock: clause.lock, sources, wait: clause.wait });
        }
        Ok(())
    }

    /// Asks for the table lock of a statement that locks rows, in place of that of one that only
    /// reads.
    fn lock_for_rows(&mut self, relation: Oid) {
        let read = |used: &&mut (Oid, Mode)| **used == (relation, Mode::AccessShare);
        match self.relations.iter_mut().rev().find(read) {
            Some(used) => used.1 = Mode::RowShare,
            None => self.relations.push((relation, Mode::RowShare)),
        }
    }
}

/// Whether MySQL takes a view for the tables that it reads, and so locks their rows with those of the query around it. Rows
/// of a view that it makes first, and of a subquery in FROM, are not those of tables and stay free.
fn is_merged(view: &Query) -> bool {
    match &view.body {
        Body::Select(select) => view.limit.is_none() && clashing(select).is_none(),
        Body::Query(inner) => view.limit.is_none() && is_merged(inner),
        Body::Values(_) | Body::SetOp { .. } => false,
    }
}

/// The part of a SELECT that keeps its rows from being rows of tables, if there is one.
fn clashing(select: &Select) -> Option<Unlockable> {
    Some(if select.distinct != Distinct::No {
        Unlockable::Distinct
    } else if select.group.as_ref().is_some_and(|group| !group.keys.is_empty()) {
        Unlockable::GroupBy
    } else if select.having.is_some() {
        Unlockable::Having
    } else if select.group.is_some() {
        Unlockable::Aggregates
    } else if !select.windows.is_empty() {
        Unlockable::Windows
    } else if !select.sets.is_empty() {
        Unlockable::SetFunctions
    } else {
        return None;
    })
}

/// Collects the sources that may have no row, since an outer join is around them.
fn nullable_sources(from: &From, into: &mut Vec<usize>) {
    match from {
        From::Nothing | From::Item(_) => {}
        From::Product(all) => all.iter().for_each(|from| nullable_sources(from, into)),
        From::Filter(from, _) => nullable_sources(from, into),
        From::Outer(outer) => {
            into.extend(&outer.right_sources);
            if outer.full.is_some() {
                into.extend(&outer.left_sources);
            }
            nullable_sources(&outer.left, into);
            nullable_sources(&outer.right, into);
        }
    }
}

/// Collects the sources that are tables, and those that are subqueries or views.
fn lockable(from: &From, tables: &mut Vec<(usize, Oid)>, queries: &mut Vec<usize>) {
    match from {
        From::Nothing => {}
        From::Item(item) => match &item.kind {
            ItemKind::Table { table, .. } => tables.push((item.source, table.oid)),
            ItemKind::Query(_) => queries.push(item.source),
            _ => {}
        },
        From::Product(all) => all.iter().for_each(|from| lockable(from, tables, queries)),
        From::Filter(from, _) => lockable(from, tables, queries),
        From::Outer(outer) => {
            lockable(&outer.left, tables, queries);
            lockable(&outer.right, tables, queries);
        }
    }
}

/// The source at a place of the tuple.
fn item_of(from: &mut From, source: usize) -> Option<&mut Item> {
    match from {
        From::Nothing => None,
        From::Item(item) => (item.source == source).then_some(item),
        From::Product(all) => all.iter_mut().find_map(|from| item_of(from, source)),
        From::Filter(from, _) => item_of(from, source),
        From::Outer(outer) => match item_of(&mut outer.left, source) {
            None => item_of(&mut outer.right, source),
            found => found,
        },
    }
}

/// Whether a query, or a subquery in its FROM, reads a table.
fn reads_tables(query: &Query) -> bool {
    fn in_from(from: &From) -> bool {
        match from {
            From::Nothing => false,
            From::Item(item) => match &item.kind {
                ItemKind::Table { .. } => true,
                ItemKind::Query(query) => reads_tables(query),
                _ => false,
            },
            From::Product(all) => all.iter().any(in_from),
            From::Filter(from, _) => in_from(from),
            From::Outer(outer) => in_from(&outer.left) || in_from(&outer.right),
        }
    }
    match &query.body {
        Body::Select(select) => in_from(&select.from),
        Body::Query(query) => reads_tables(query),
        Body::Values(_) => false,
        Body::SetOp { .. } => true,
    }
}

/// The places of the sources that a name means. They are several if the source was a subquery whose
/// own sources took its place.
fn named<'a>(select: &'a Select, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    select.aliases.iter().filter(move |(_, alias)| alias == name).map(|(source, _)| *source)
}
