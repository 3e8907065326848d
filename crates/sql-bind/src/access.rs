//! How the rows of a source are found: by an index, by a hash table, or one after the other.
//!
//! A join runs as nested loops, so for each tuple of the sources before it a source is asked which
//! of its rows go with that. Its conditions decide how it finds them:
//!
//! ```text
//!     FROM t JOIN u ON u.id = t.ref       an index of u begins with id: one lookup for each row of t
//!     FROM t JOIN (SELECT …) s ON s.a = t.a     no index: s runs once, its rows by a in a hash table
//!     WHERE u.name LIKE '%x'              neither: all rows are read
//! ```
//!
//! An index is chosen by counting: each leading column that must equal something counts more than a
//! range of the next one, and a unique index with all its columns given counts most. There are no
//! statistics, so that the same statement reads the same rows whatever is in the tables, which
//! keeps runs reproducible.
//!
//! Whichever way it is, every condition is still checked on the rows that are found. So a lookup
//! may give too many rows but never too few, and a comparison is used only where equal values have
//! equal keys ([`hashable`]).

use super::bound::{Access, Expr, Item, ItemKind, Kind, Lookup};
use super::system::{column_of, column_that};
use super::visit::{read, sources, visit_query};
use hobgoblin_sql_schema::Dialect;
use hobgoblin_sql_schema::catalog::{Catalog, Index, IndexKey, Table};
use hobgoblin_sql_schema::dialect::Held;
use hobgoblin_sql_schema::function::Volatility;
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_value::TypeId;

/// Chooses for one source. `available` are the sources that are at hand before it; `seen` is the
/// catalogue at the time of the snapshot, if all statements of the transaction share one.
pub(super) fn choose(
    item: &mut Item,
    available: &[usize],
    seen: Option<&Catalog>,
    dialect: &dyn Dialect,
    env: &TypeEnv<'_>,
) {
    let source = item.source;
    if let ItemKind::Table { table, access, first } = &mut item.kind {
        for filter in &item.filters {
            if sources(filter).0 == [source] {
                columns_of(filter, source, first);
            }
        }
        first.sort_unstable();
        first.dedup();
        if let Some(found) = by_index(table, source, &item.filters, available, seen, dialect, env) {
            item.fixed = is_fixed(&found);
            *access = found;
            if item.fixed {
                let equal = equalities(&item.filters, source, available, dialect);
                item.outer_hash = equal.into_iter().map(|(pair, _)| pair).collect();
                keep_own(item);
            }
            return;
        }
    }
    item.constant = match &mut item.kind {
        ItemKind::Query(query) => {
            let mut free = true;
            visit_query(query, 0, &mut |expr, depth| {
                match expr.kind {
                    Kind::Column(column) => free &= column.depth <= depth,
                    Kind::WholeRow { depth: found, .. } => free &= found <= depth,
                    _ => {}
                }
                free
            });
            free
        }
        ItemKind::Function(..) | ItemKind::Scalar(..) => false,
        _ => true,
    };
    item.fixed = item.constant;
    if !item.constant {
        return;
    }
    for (pair, joins) in equalities(&item.filters, source, available, dialect) {
        if joins { &mut item.hash } else { &mut item.outer_hash }.push(pair);
    }
    keep_own(item);
}

/// The conditions that say that something of this source equals something at hand: this side, the
/// other side, and whether the other side has a source of the same query, not only of queries
/// further out.
fn equalities(
    filters: &[Expr],
    source: usize,
    available: &[usize],
    dialect: &dyn Dialect,
) -> Vec<((Expr, Expr), bool)> {
    let mut found = Vec::new();
    for filter in filters {
        let Some((left, right)) = equality(filter) else { continue };
        if !hashable(left.ty, right.ty, dialect) {
            continue;
        }
        for (own, other) in [(left, right), (right, left)] {
            let (mine, outer) = sources(own);
            let (theirs, outside) = sources(other);
            let before = theirs.iter().all(|source| available.contains(source));
            let joins = !theirs.is_empty();
            if mine == [source] && !outer && before && (joins || outside && is_steady(own)) {
                found.push(((own.clone(), other.clone()), joins));
                break;
            }
        }
    }
    found
}

/// Notes the conditions on this source alone. Rows that fail them need not be in a hash table.
fn keep_own(item: &mut Item) {
    if item.hash.is_empty() && item.outer_hash.is_empty() {
        return;
    }
    let alone = |filter: &&Expr| {
        let (mine, outer) = sources(filter);
        mine == [item.source] && !outer && is_steady(filter)
    };
    item.own = item.filters.iter().filter(alone).cloned().collect();
}

/// Whether an index is asked for the same keys each time the source is.
fn is_fixed(access: &Access) -> bool {
    let Access::Index { equal, low, high, .. } = access else { return true };
    let fixed = |expr: &Expr| {
        let (mine, outer) = sources(expr);
        mine.is_empty() && !outer && is_steady(expr)
    };
    let lookups = equal.iter().all(|lookup| match lookup {
        Lookup::Values(values) => values.iter().all(fixed),
        Lookup::Array(array) => fixed(array),
    });
    lookups && low.iter().chain(high).all(|(bound, _)| fixed(bound))
}

/// Whether an expression gives the same for the same row each time, and runs no query to do so.
pub(super) fn is_steady(expr: &Expr) -> bool {
    let mut steady = true;
    read::visit(expr, 0, &mut |expr, _| {
        steady &= match &expr.kind {
            Kind::Call { function, .. } => function.volatility != Volatility::Volatile,
            Kind::Scalar(_) | Kind::Exists(_) | Kind::ArrayQuery(_) | Kind::AnyQuery { .. } => {
                false
            }
            _ => true,
        };
        steady
    });
    steady
}

/// The columns of a source that an expression reads.
fn columns_of(expr: &Expr, source: usize, into: &mut Vec<usize>) {
    read::visit(expr, 0, &mut |expr, depth| {
        if let Kind::Column(column) = expr.kind
            && column.depth == depth
            && column.source == source
        {
            into.push(column.column);
        }
        true
    });
}

/// The sides of an equality.
fn equality(expr: &Expr) -> Option<(&Expr, &Expr)> {
    compared(expr, "=")
}

fn compared<'e>(expr: &'e Expr, op: &str) -> Option<(&'e Expr, &'e Expr)> {
    match &expr.kind {
        Kind::Call { function, args } if function.name == op => match args.as_slice() {
            [left, right] => Some((left, right)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether equal values of these two types have the same key.
pub fn hashable(a: TypeId, b: TypeId, dialect: &dyn Dialect) -> bool {
    if a == b {
        return true;
    }
    let (a, b) = (dialect.facts(a), dialect.facts(b));
    (a.integer && b.integer) || (a.text && b.text)
}

fn by_index(
    table: &Table,
    source: usize,
    filters: &[Expr],
    available: &[usize],
    seen: Option<&Catalog>,
    dialect: &dyn Dialect,
    env: &TypeEnv<'_>,
) -> Option<Access> {
    let free = |expr: &Expr| {
        let (needed, _) = sources(expr);
        needed.iter().all(|source| available.contains(source))
    };
    let column = |expr: &Expr| match expr.kind {
        Kind::Column(found) if found.depth == 0 && found.source == source => Some(found.column),
        _ => None,
    };
    // A converted column still says what the column equals when the conversion changes no datum.
    let plain = |expr: &Expr| match &expr.kind {
        Kind::Cast { expr: inner, .. }
            if expr.typmod == -1
                && (hashable(inner.ty, expr.ty, dialect)
                    || dialect.compared_as(inner.ty) == Some(expr.ty)) =>
        {
            column(inner)
        }
        _ => column(expr),
    };
    let lookup = |number: usize| -> Option<Lookup> {
        let ty = table.columns.get(number).map_or_else(|| place_type(dialect), |column| column.ty);
        let ty = dialect.compared_as(ty).unwrap_or(ty);
        filters.iter().find_map(|filter| match &filter.kind {
            Kind::InList { expr, list, negated: false, .. } if plain(expr) == Some(number) => {
                let fits = list.iter().all(|item| hashable(ty, item.ty, dialect) && free(item));
                fits.then(|| Lookup::Values(list.clone()))
            }
            Kind::AnyArray { left, array, function, all: false } => {
                let fits = function.name == "=" && plain(left) == Some(number) && free(array);
                fits.then(|| Lookup::Array((**array).clone()))
            }
            _ => {
                let (left, right) = equality(filter)?;
                for (own, other) in [(left, right), (right, left)] {
                    if plain(own) != Some(number) || !free(other) {
                        continue;
                    }
                    if let Some(value) = as_column(other, ty, dialect, env) {
                        return Some(Lookup::Values(vec![value]));
                    }
                }
                None
            }
        })
    };
    // One of several equalities with the same column.
    let listed = |number: usize| -> Option<Lookup> {
        let ty = table.columns.get(number)?.ty;
        let ty = dialect.compared_as(ty).unwrap_or(ty);
        let value = |any: &Expr| {
            let (left, right) = equality(any)?;
            [(left, right), (right, left)].into_iter().find_map(|(own, other)| {
                let fits = plain(own) == Some(number) && free(other);
                as_column(other, ty, dialect, env).filter(|_| fits)
            })
        };
        filters.iter().find_map(|filter| match &filter.kind {
            Kind::Or(any) => any.iter().map(value).collect::<Option<_>>().map(Lookup::Values),
            _ => None,
        })
    };
    let lists = dialect.rules().stores;
    if let Some(places) = lookup(column_of(Held::Place)) {
        return Some(Access::Places(places));
    }
    let mut best: Option<(usize, Access)> = None;
    for index in &table.indexes {
        if !usable(index) || is_newer(index, seen) {
            continue;
        }
        let mut equal = Vec::new();
        for key in &index.columns {
            let IndexKey::Column(number) = key.key else { break };
            match lookup(number).or_else(|| listed(number).filter(|_| lists)) {
                Some(found) => equal.push(found),
                None => break,
            }
        }
        let next = index.columns.get(equal.len()).and_then(|key| match key.key {
            IndexKey::Column(number) => Some(number),
            IndexKey::Expression(_) => None,
        });
        let mut bounds = (None, None);
        if let Some(number) = next {
            let ty = table.columns[number].ty;
            let ty = dialect.compared_as(ty).unwrap_or(ty);
            if dialect.keys_in_order(ty) {
                let fitting = |expr: &Expr| match hashable(ty, expr.ty, dialect) {
                    true => Some(expr.clone()),
                    false => constant_as(expr, ty, dialect, env),
                };
                bounds = range(number, filters, &plain, &free, &fitting);
            }
        }
        let (low, high) = bounds;
        let whole = equal.len() == index.columns.len();
        let score = equal.len() * 4
            + usize::from(low.is_some() || high.is_some()) * 2
            + usize::from(whole && index.unique) * 100
            + usize::from(index.primary);
        if equal.is_empty() && low.is_none() && high.is_none() {
            continue;
        }
        if best.as_ref().is_none_or(|(other, _)| score > *other) {
            let index = std::sync::Arc::clone(index);
            best = Some((score, Access::Index { index, equal, low, high }));
        }
    }
    best.map(|(_, access)| access)
}

/// Whether an index was created after the snapshot, so that it has no entries for what the snapshot
/// sees.
pub fn is_newer(index: &Index, seen: Option<&Catalog>) -> bool {
    seen.is_some_and(|seen| !seen.relations.contains_key(&index.oid))
}

/// What an index of a column of this type is asked for, if the column is to equal an expression:
/// the expression itself, or the value of the type that is equal to it. `None` if no one value is.
fn as_column(expr: &Expr, ty: TypeId, dialect: &dyn Dialect, env: &TypeEnv<'_>) -> Option<Expr> {
    if hashable(ty, expr.ty, dialect) {
        return Some(expr.clone());
    }
    if let Some(value) = constant_as(expr, ty, dialect, env) {
        return Some(value);
    }
    let function = dialect.equal_of(expr.ty, ty)?;
    Some(Expr::new(Kind::Call { function, args: vec![expr.clone()] }, ty))
}

/// A constant as a value of the column's type, if comparisons with the column come out the same.
fn constant_as(expr: &Expr, to: TypeId, dialect: &dyn Dialect, env: &TypeEnv<'_>) -> Option<Expr> {
    let Kind::Const(value) = &expr.kind else { return None };
    let value = dialect.constant_as(value, expr.ty, to, env)?;
    Some(Expr::constant(value, to))
}

/// Whether the entries of an index cover all rows of its table, and can be looked up by column.
pub fn usable(index: &Index) -> bool {
    index.predicate.is_none()
        && matches!(index.method.as_str(), "btree" | "hash")
        && index.columns.iter().all(|column| matches!(column.key, IndexKey::Column(_)))
}

type Bound = Option<(Expr, bool)>;

fn range(
    number: usize,
    filters: &[Expr],
    plain: &dyn Fn(&Expr) -> Option<usize>,
    free: &dyn Fn(&Expr) -> bool,
    fitting: &dyn Fn(&Expr) -> Option<Expr>,
) -> (Bound, Bound) {
    let (mut low, mut high) = (None, None);
    for filter in filters {
        for (op, flipped) in [("<", ">"), ("<=", ">="), (">", "<"), (">=", "<=")] {
            let Some((left, right)) = compared(filter, op) else { continue };
            let found = if plain(left) == Some(number) && free(right) {
                fitting(right).map(|bound| (op, bound))
            } else if plain(right) == Some(number) && free(left) {
                fitting(left).map(|bound| (flipped, bound))
            } else {
                None
            };
            match found {
                Some(("<", bound)) => high = Some((bound, false)),
                Some(("<=", bound)) => high = Some((bound, true)),
                Some((">", bound)) => low = Some((bound, false)),
                Some((">=", bound)) => low = Some((bound, true)),
                _ => {}
            }
        }
    }
    (low, high)
}

/// The type of what `ctid` holds.
fn place_type(dialect: &dyn Dialect) -> TypeId {
    column_that(Held::Place, dialect).map_or(TypeId::UNKNOWN, |column| column.ty)
}
