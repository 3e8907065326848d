//! Locking clauses: FOR UPDATE and the like, and what they can be applied to.

use hobgoblin_front::{Lock, Mode};
use sqlparser::ast::{self, LockType};

use super::Binder;
use super::expr::{Body, Distinct, From, Item, ItemKind, LockWait, Query, RowLock, Select};
use crate::catalog::names::split_name;
use crate::error::{Result, SqlError, SqlState};
use crate::types::Oid;

impl Binder<'_> {
    /// FOR UPDATE and the like: `query.locks` holds a candidate for each table, from [`Self::set_expr`].
    pub(super) fn locking(&mut self, ast: &ast::Query, query: &mut Query) -> Result<()> {
        let tables = std::mem::take(&mut query.locks);
        for clause in &ast.locks {
            let lock = self.locks.get(self.next_lock).copied().unwrap_or(match clause.lock_type {
                LockType::Share => Lock::Share,
                LockType::Update => Lock::Update,
            });
            self.next_lock += 1;
            let word = match lock {
                Lock::KeyShare => "FOR KEY SHARE",
                Lock::Share => "FOR SHARE",
                Lock::NoKeyUpdate => "FOR NO KEY UPDATE",
                Lock::Update => "FOR UPDATE",
            };
            let Body::Select(select) = &query.body else {
                let text = format!("{word} is not allowed with UNION/INTERSECT/EXCEPT");
                return Err(SqlError::new(SqlState::FEATURE_NOT_SUPPORTED, text));
            };
            let refused = clashing(select);
            if !refused.is_empty() {
                let text = format!("{word} is not allowed with {refused}");
                return Err(SqlError::new(SqlState::FEATURE_NOT_SUPPORTED, text));
            }
            let wait = match clause.nonblock {
                None => LockWait::Wait,
                Some(ast::NonBlock::Nowait) => LockWait::NoWait,
                Some(ast::NonBlock::SkipLocked) => LockWait::Skip,
            };
            let mut sources: Vec<usize> =
                tables.iter().flat_map(|table| table.sources.iter().copied()).collect();
            // PostgreSQL locks the rows of the tables below that come through; to lock none would be another answer.
            if clause.of.is_none() && has_subquery_of_tables(&select.from) {
                return Err(SqlError::unsupported(format!(
                    "{word} of a view or of a subquery in FROM (say {word} inside of it, or OF a table)"
                )));
            }
            if let Some(of) = &clause.of {
                let (_, name) = split_name(of)?;
                let found = aliases(select).into_iter().find(|(_, alias)| *alias == name);
                match found {
                    Some((source, _)) if sources.contains(&source) => sources = vec![source],
                    Some((source, _)) => match item_of(&select.from, source).map(|item| &item.kind)
                    {
                        Some(ItemKind::Query(query)) if reads_tables(&query.body) => {
                            let text = format!("{word} of a view or of a subquery in FROM");
                            return Err(SqlError::unsupported(text));
                        }
                        // It has no rows that could be locked.
                        Some(ItemKind::Query(_)) => continue,
                        kind => {
                            let what = match kind {
                                Some(ItemKind::Cte(_)) => "WITH query",
                                _ => "function",
                            };
                            let text = format!("{word} cannot be applied to a {what}");
                            return Err(SqlError::new(SqlState::FEATURE_NOT_SUPPORTED, text));
                        }
                    },
                    None => {
                        let text = format!(
                            "relation \"{name}\" in {word} clause not found in FROM clause"
                        );
                        return Err(SqlError::new(SqlState::UNDEFINED_TABLE, text));
                    }
                }
            }
            let mut nullable = Vec::new();
            nullable_sources(&select.from, &mut nullable);
            if sources.iter().any(|source| nullable.contains(source)) {
                let text =
                    format!("{word} cannot be applied to the nullable side of an outer join");
                return Err(SqlError::new(SqlState::FEATURE_NOT_SUPPORTED, text));
            }
            let mut locked = Vec::new();
            tables_of(&select.from, &sources, &mut locked);
            // In place of the lock for reading.
            for table in locked {
                let read = |used: &&mut (Oid, Mode)| **used == (table, Mode::AccessShare);
                match self.relations.iter_mut().rev().find(read) {
                    Some(used) => used.1 = Mode::RowShare,
                    None => self.relations.push((table, Mode::RowShare)),
                }
            }
            query.locks.push(RowLock { lock, sources, wait });
        }
        Ok(())
    }
}

/// What of a SELECT has no rows of tables that could be locked.
fn clashing(select: &Select) -> &'static str {
    if select.distinct != Distinct::No {
        "DISTINCT clause"
    } else if select.group.as_ref().is_some_and(|group| !group.keys.is_empty()) {
        "GROUP BY clause"
    } else if select.having.is_some() {
        "HAVING clause"
    } else if select.group.is_some() {
        "aggregate functions"
    } else if !select.windows.is_empty() {
        "window functions"
    } else if !select.sets.is_empty() {
        "set-returning functions in the target list"
    } else {
        ""
    }
}

/// The sources that outer joins may leave without a row.
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

/// Whether a subquery or view is among the sources that reads tables itself.
fn has_subquery_of_tables(from: &From) -> bool {
    match from {
        From::Nothing => false,
        From::Item(item) => match &item.kind {
            ItemKind::Query(query) => reads_tables(&query.body),
            _ => false,
        },
        From::Product(all) => all.iter().any(has_subquery_of_tables),
        From::Filter(from, _) => has_subquery_of_tables(from),
        From::Outer(outer) => {
            has_subquery_of_tables(&outer.left) || has_subquery_of_tables(&outer.right)
        }
    }
}

/// The source of a number.
fn item_of(from: &From, source: usize) -> Option<&Item> {
    match from {
        From::Nothing => None,
        From::Item(item) => (item.source == source).then_some(item),
        From::Product(all) => all.iter().find_map(|from| item_of(from, source)),
        From::Filter(from, _) => item_of(from, source),
        From::Outer(outer) => {
            item_of(&outer.left, source).or_else(|| item_of(&outer.right, source))
        }
    }
}

fn reads_tables(body: &Body) -> bool {
    fn in_from(from: &From) -> bool {
        match from {
            From::Nothing => false,
            From::Item(item) => match &item.kind {
                ItemKind::Table { .. } => true,
                ItemKind::Query(query) => reads_tables(&query.body),
                _ => false,
            },
            From::Product(all) => all.iter().any(in_from),
            From::Filter(from, _) => in_from(from),
            From::Outer(outer) => in_from(&outer.left) || in_from(&outer.right),
        }
    }
    match body {
        Body::Select(select) => in_from(&select.from),
        Body::Values(_) => false,
        // FOR UPDATE is refused there by PostgreSQL too.
        _ => true,
    }
}

/// The tables that are among these sources.
fn tables_of(from: &From, sources: &[usize], into: &mut Vec<Oid>) {
    match from {
        From::Nothing => {}
        From::Item(item) => {
            if let ItemKind::Table { table, .. } = &item.kind
                && sources.contains(&item.source)
            {
                into.push(table.oid);
            }
        }
        From::Product(all) => all.iter().for_each(|from| tables_of(from, sources, into)),
        From::Filter(from, _) => tables_of(from, sources, into),
        From::Outer(outer) => {
            tables_of(&outer.left, sources, into);
            tables_of(&outer.right, sources, into);
        }
    }
}

/// The tables of a SELECT by the names they go by.
fn aliases(select: &super::expr::Select) -> Vec<(usize, String)> {
    select.aliases.clone()
}
