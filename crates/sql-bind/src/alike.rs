//! Whether two expressions are written alike, with the queries inside them.
//!
//! GROUP BY, DISTINCT and ORDER BY find expressions of the select list by this. Where it is not sure it says
//! no.

use std::sync::Arc;

use super::bound::{
    Access, AggregateCall, Body, Expr, From, Item, ItemKind, Kind, Lookup, Query, Select, SetCall,
    SortKey, Subscript,
};

/// Whether two expressions are the same but for where they stand in the text.
pub(crate) fn alike(a: &Expr, b: &Expr) -> bool {
    if a.ty != b.ty {
        return false;
    }
    match (&a.kind, &b.kind) {
        (Kind::Const(a), Kind::Const(b)) => {
            a.is_null() == b.is_null() && (a.is_null() || a.equal(b))
        }
        (Kind::Param(a), Kind::Param(b)) => a == b,
        (Kind::Column(a), Kind::Column(b)) => a == b,
        (
            Kind::WholeRow { depth, source },
            Kind::WholeRow { depth: other_depth, source: other_source },
        ) => depth == other_depth && source == other_source,
        (Kind::Call { function, args }, Kind::Call { function: other, args: others }) => {
            std::ptr::eq(*function, *other) && every(args, others)
        }
        (Kind::Domain { expr, .. }, Kind::Domain { expr: other, .. })
        | (Kind::Stored { expr, .. }, Kind::Stored { expr: other, .. }) => alike(expr, other),
        (Kind::Cast { expr, .. }, Kind::Cast { expr: other, .. }) => {
            a.typmod == b.typmod && alike(expr, other)
        }
        (Kind::And(a), Kind::And(b))
        | (Kind::Or(a), Kind::Or(b))
        | (Kind::Coalesce(a), Kind::Coalesce(b))
        | (Kind::Grouping(a), Kind::Grouping(b))
        | (Kind::Row(a), Kind::Row(b)) => every(a, b),
        (Kind::Array { items: a, .. }, Kind::Array { items: b, .. }) => every(a, b),
        (Kind::Not(a), Kind::Not(b)) | (Kind::Spread(a), Kind::Spread(b)) => alike(a, b),
        (Kind::IsNull(a, negated), Kind::IsNull(b, other)) => negated == other && alike(a, b),
        (Kind::IsTruth(a, truth, not), Kind::IsTruth(b, other, other_not)) => {
            truth == other && not == other_not && alike(a, b)
        }
        (Kind::Distinct(a, b, _, not), Kind::Distinct(c, d, _, other)) => {
            not == other && alike(a, c) && alike(b, d)
        }
        (Kind::NullIf(a, b, _), Kind::NullIf(c, d, _)) => alike(a, c) && alike(b, d),
        (
            Kind::Extreme { args: a, greatest: greater },
            Kind::Extreme { args: b, greatest: other },
        ) => greater == other && every(a, b),
        (Kind::Field(a, at), Kind::Field(b, other)) => at == other && alike(a, b),
        (Kind::Case { whens: a, otherwise: c }, Kind::Case { whens: b, otherwise: d }) => {
            a.len() == b.len()
                && a.iter().zip(b).all(|(a, b)| alike(&a.0, &b.0) && alike(&a.1, &b.1))
                && match (c, d) {
                    (Some(c), Some(d)) => alike(c, d),
                    (None, None) => true,
                    _ => false,
                }
        }
        (
            Kind::InList { expr: a, list: c, negated: not, .. },
            Kind::InList { expr: b, list: d, negated: other, .. },
        ) => not == other && alike(a, b) && every(c, d),
        (Kind::Aggregate(a), Kind::Aggregate(b))
        | (Kind::Window(a), Kind::Window(b))
        | (Kind::SetCall(a), Kind::SetCall(b)) => a == b,
        (
            Kind::AnyArray { left: a, array: c, function, all },
            Kind::AnyArray { left: b, array: d, function: other, all: other_all },
        ) => all == other_all && std::ptr::eq(*function, *other) && alike(a, b) && alike(c, d),
        (
            Kind::RowCompare { left: a, right: c, op, .. },
            Kind::RowCompare { left: b, right: d, op: other, .. },
        ) => op == other && every(a, b) && every(c, d),
        (
            Kind::Subscript { array: a, subscripts: c },
            Kind::Subscript { array: b, subscripts: d },
        ) => alike(a, b) && pairs(c, d, same_subscript),
        (Kind::Scalar(a), Kind::Scalar(b))
        | (Kind::Exists(a), Kind::Exists(b))
        | (Kind::ArrayQuery(a), Kind::ArrayQuery(b)) => same_query(a, b),
        (
            Kind::AnyQuery { left: a, query: c, op, all, .. },
            Kind::AnyQuery { left: b, query: d, op: other, all: other_all, .. },
        ) => op == other && all == other_all && every(a, b) && same_query(c, d),
        _ => false,
    }
}

/// Whether two lists are as long as each other, and alike item by item.
fn pairs<T>(a: &[T], b: &[T], alike: impl Fn(&T, &T) -> bool) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b))
}

fn every(a: &[Expr], b: &[Expr]) -> bool {
    pairs(a, b, alike)
}

fn maybe(a: Option<&Expr>, b: Option<&Expr>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => alike(a, b),
        (None, None) => true,
        _ => false,
    }
}

fn same_subscript(a: &Subscript, b: &Subscript) -> bool {
    match (a, b) {
        (Subscript::Index(a), Subscript::Index(b)) => alike(a, b),
        (Subscript::Slice(low, high), Subscript::Slice(other_low, other_high)) => {
            maybe(low.as_ref(), other_low.as_ref()) && maybe(high.as_ref(), other_high.as_ref())
        }
        _ => false,
    }
}

fn same_query(a: &Query, b: &Query) -> bool {
    // WITH items and locks are numbered and named; queries that have them count as different.
    let plain = |query: &Query| query.with.is_empty() && query.locks.is_empty();
    plain(a)
        && plain(b)
        && a.order == b.order
        && a.with_ties == b.with_ties
        && maybe(a.limit.as_ref(), b.limit.as_ref())
        && maybe(a.offset.as_ref(), b.offset.as_ref())
        && same_body(&a.body, &b.body)
}

fn same_body(a: &Body, b: &Body) -> bool {
    match (a, b) {
        (Body::Select(a), Body::Select(b)) => same_select(a, b),
        (
            Body::SetOp { op, all, left: a, right: c },
            Body::SetOp { op: other, all: other_all, left: b, right: d },
        ) => op == other && all == other_all && same_query(a, b) && same_query(c, d),
        (Body::Values(a), Body::Values(b)) => pairs(a, b, |a, b| every(a, b)),
        (Body::Query(a), Body::Query(b)) => same_query(a, b),
        _ => false,
    }
}

fn same_select(a: &Select, b: &Select) -> bool {
    let groups = match (&a.group, &b.group) {
        (Some(a), Some(b)) => {
            a.sets == b.sets
                && every(&a.keys, &b.keys)
                && every(&a.shown, &b.shown)
                && pairs(&a.aggregates, &b.aggregates, same_aggregate)
        }
        (None, None) => true,
        _ => false,
    };
    // Two window calls are never taken for the same.
    groups
        && a.windows.is_empty()
        && b.windows.is_empty()
        && a.distinct == b.distinct
        && same_from(&a.from, &b.from)
        && maybe(a.having.as_ref(), b.having.as_ref())
        && pairs(&a.sets, &b.sets, same_set)
        && every(&a.project, &b.project)
}

fn same_order(a: &[(Expr, SortKey)], b: &[(Expr, SortKey)]) -> bool {
    pairs(a, b, |a, b| a.1 == b.1 && alike(&a.0, &b.0))
}

fn same_aggregate(a: &AggregateCall, b: &AggregateCall) -> bool {
    std::ptr::eq(a.aggregate, b.aggregate)
        && a.distinct == b.distinct
        && every(&a.by, &b.by)
        && every(&a.args, &b.args)
        && every(&a.direct, &b.direct)
        && same_order(&a.order, &b.order)
        && maybe(a.filter.as_ref(), b.filter.as_ref())
}

fn same_set(a: &SetCall, b: &SetCall) -> bool {
    std::ptr::eq(a.function, b.function) && every(&a.args, &b.args)
}

fn same_from(a: &From, b: &From) -> bool {
    match (a, b) {
        (From::Nothing, From::Nothing) => true,
        (From::Item(a), From::Item(b)) => same_item(a, b),
        (From::Product(a), From::Product(b)) => pairs(a, b, same_from),
        (From::Outer(a), From::Outer(b)) => {
            let full = match (&a.full, &b.full) {
                (Some(a), Some(b)) => every(a, b),
                (None, None) => true,
                _ => false,
            };
            full && same_from(&a.left, &b.left) && same_from(&a.right, &b.right)
        }
        (From::Filter(a, filters), From::Filter(b, others)) => {
            same_from(a, b) && every(filters, others)
        }
        _ => false,
    }
}

fn same_item(a: &Item, b: &Item) -> bool {
    let kinds = match (&a.kind, &b.kind) {
        (
            ItemKind::Table { table, access, .. },
            ItemKind::Table { table: other, access: other_access, .. },
        ) => Arc::ptr_eq(table, other) && same_access(access, other_access),
        (ItemKind::Virtual(a), ItemKind::Virtual(b)) => std::ptr::eq(*a, *b),
        (ItemKind::Query(a), ItemKind::Query(b)) => same_query(a, b),
        (ItemKind::Cte(a), ItemKind::Cte(b)) => a == b,
        (ItemKind::Function(a, numbered), ItemKind::Function(b, other)) => {
            numbered == other && pairs(a, b, same_set)
        }
        (ItemKind::Scalar(a, numbered), ItemKind::Scalar(b, other)) => {
            numbered == other && every(a, b)
        }
        _ => false,
    };
    kinds
        && a.source == b.source
        && every(&a.filters, &b.filters)
        && pairs(&a.hash, &b.hash, |a, b| alike(&a.0, &b.0) && alike(&a.1, &b.1))
}

fn same_lookup(a: &Lookup, b: &Lookup) -> bool {
    match (a, b) {
        (Lookup::Values(a), Lookup::Values(b)) => every(a, b),
        (Lookup::Array(a), Lookup::Array(b)) => alike(a, b),
        _ => false,
    }
}

fn same_access(a: &Access, b: &Access) -> bool {
    let bound = |a: &Option<(Expr, bool)>, b: &Option<(Expr, bool)>| match (a, b) {
        (Some((a, included)), Some((b, other))) => included == other && alike(a, b),
        (None, None) => true,
        _ => false,
    };
    match (a, b) {
        (Access::All, Access::All) => true,
        (Access::Places(a), Access::Places(b)) => same_lookup(a, b),
        (
            Access::Index { index, equal, low, high },
            Access::Index { index: other, equal: equals, low: other_low, high: other_high },
        ) => {
            Arc::ptr_eq(index, other)
                && pairs(equal, equals, same_lookup)
                && bound(low, other_low)
                && bound(high, other_high)
        }
        _ => false,
    }
}
