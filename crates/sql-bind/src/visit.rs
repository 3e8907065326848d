//! Walking through expressions and the queries inside them.
//!
//! Every walk carries a depth: how many queries it has gone into, so that a column reference at depth `d`
//! means a source of the query the walk began in when its own depth equals `d`.
//!
//! Each walk is there twice, to change expressions and to read them.

use super::bound::{
    Access, AggregateCall, Body, CteBody, Expr, FrameBound, From, Item, ItemKind, Kind, Lookup,
    Query, Select, SetCall, Subscript, WindowCall, WindowKind,
};

/// The walks, written once. `mut` is there for those that may change expressions.
macro_rules! walks {
    ($($mut:tt)?) => {
        /// What is done at an expression. It returns whether to go into it; the number is how many
        /// queries the walk is in.
        type Step<'s> = dyn FnMut(&$($mut)? Expr, usize) -> bool + 's;

        /// Calls `f` on every expression, outermost first; where it gives false, what is inside is left out.
        pub fn visit(expr: &$($mut)? Expr, depth: usize, f: &mut Step<'_>) {
            if !f(expr, depth) {
                return;
            }
            match &$($mut)? expr.kind {
                Kind::Const(_)
                | Kind::Param(_)
                | Kind::Column(_)
                | Kind::WholeRow { .. }
                | Kind::SetCall(_)
                | Kind::Aggregate(_)
                | Kind::Window(_) => {}
                Kind::Call { args: all, .. }
                | Kind::And(all)
                | Kind::Or(all)
                | Kind::Coalesce(all)
                | Kind::Extreme { args: all, .. }
                | Kind::Array { items: all, .. }
                | Kind::Grouping(all)
                | Kind::Row(all) => each(all, depth, f),
                Kind::Cast { expr, .. }
                | Kind::Domain { expr, .. }
                | Kind::Stored { expr, .. }
                | Kind::Spread(expr)
                | Kind::Not(expr)
                | Kind::IsNull(expr, _)
                | Kind::IsTruth(expr, _, _)
                | Kind::Field(expr, _) => visit(expr, depth, f),
                Kind::Distinct(left, right, _, _) | Kind::NullIf(left, right, _) => {
                    visit(left, depth, f);
                    visit(right, depth, f);
                }
                Kind::AnyArray { left, array, .. } => {
                    visit(left, depth, f);
                    visit(array, depth, f);
                }
                Kind::Case { whens, otherwise } => {
                    for (when, then) in whens {
                        visit(when, depth, f);
                        visit(then, depth, f);
                    }
                    if let Some(otherwise) = otherwise {
                        visit(otherwise, depth, f);
                    }
                }
                Kind::InList { expr, list, .. } => {
                    visit(expr, depth, f);
                    each(list, depth, f);
                }
                Kind::Subscript { array, subscripts } => {
                    visit(array, depth, f);
                    visit_subscripts(subscripts, depth, f);
                }
                Kind::Assign { array, subscripts, value } => {
                    visit(array, depth, f);
                    visit_subscripts(subscripts, depth, f);
                    visit(value, depth, f);
                }
                Kind::Scalar(query) | Kind::Exists(query) | Kind::ArrayQuery(query) => {
                    visit_query(query, depth + 1, f);
                }
                Kind::AnyQuery { left, query, .. } => {
                    each(left, depth, f);
                    visit_query(query, depth + 1, f);
                }
                Kind::RowCompare { left, right, .. } => {
                    each(left, depth, f);
                    each(right, depth, f);
                }
            }
        }

        fn visit_subscripts(subscripts: &$($mut)? [Subscript], depth: usize, f: &mut Step<'_>) {
            for subscript in subscripts {
                match subscript {
                    Subscript::Index(index) => visit(index, depth, f),
                    Subscript::Slice(low, high) => {
                        if let Some(bound) = low {
                            visit(bound, depth, f);
                        }
                        if let Some(bound) = high {
                            visit(bound, depth, f);
                        }
                    }
                }
            }
        }

        fn each(exprs: &$($mut)? [Expr], depth: usize, f: &mut Step<'_>) {
            for expr in exprs {
                visit(expr, depth, f);
            }
        }

        /// The same for a whole query. `depth` is that of its own rows.
        pub fn visit_query(query: &$($mut)? Query, depth: usize, f: &mut Step<'_>) {
            for cte in &$($mut)? query.with {
                match &$($mut)? cte.query {
                    CteBody::Query(query) => visit_query(query, depth, f),
                    CteBody::Recursive { first, next, .. } => {
                        visit_query(first, depth, f);
                        visit_query(next, depth, f);
                    }
                    CteBody::Dml(_) => {}
                }
            }
            if let Some(expr) = &$($mut)? query.limit {
                visit(expr, depth, f);
            }
            if let Some(expr) = &$($mut)? query.offset {
                visit(expr, depth, f);
            }
            match &$($mut)? query.body {
                Body::Select(select) => visit_select(select, depth, f),
                Body::SetOp { left, right, .. } => {
                    visit_query(left, depth, f);
                    visit_query(right, depth, f);
                }
                Body::Values(rows) => {
                    for row in rows {
                        each(row, depth, f);
                    }
                }
                Body::Query(query) => visit_query(query, depth, f),
            }
        }

        fn visit_select(select: &$($mut)? Select, depth: usize, f: &mut Step<'_>) {
            visit_from(&$($mut)? select.from, depth, f);
            each(&$($mut)? select.recheck, depth, f);
            if let Some(group) = &$($mut)? select.group {
                each(&$($mut)? group.keys, depth, f);
                each(&$($mut)? group.shown, depth, f);
                for call in &$($mut)? group.aggregates {
                    visit_aggregate(call, depth, f);
                }
            }
            if let Some(having) = &$($mut)? select.having {
                visit(having, depth, f);
            }
            for call in &$($mut)? select.windows {
                visit_window(call, depth, f);
            }
            for call in &$($mut)? select.sets {
                visit_set(call, depth, f);
            }
            each(&$($mut)? select.project, depth, f);
        }

        /// The same for a call that gives rows.
        pub fn visit_set(call: &$($mut)? SetCall, depth: usize, f: &mut Step<'_>) {
            each(&$($mut)? call.args, depth, f);
        }

        /// The same for a call of an aggregate.
        pub fn visit_aggregate(call: &$($mut)? AggregateCall, depth: usize, f: &mut Step<'_>) {
            each(&$($mut)? call.args, depth, f);
            each(&$($mut)? call.by, depth, f);
            each(&$($mut)? call.direct, depth, f);
            for (expr, _) in &$($mut)? call.order {
                visit(expr, depth, f);
            }
            if let Some(filter) = &$($mut)? call.filter {
                visit(filter, depth, f);
            }
        }

        /// The same for a call over a window.
        pub fn visit_window(call: &$($mut)? WindowCall, depth: usize, f: &mut Step<'_>) {
            each(&$($mut)? call.args, depth, f);
            each(&$($mut)? call.partition, depth, f);
            for (expr, _) in &$($mut)? call.order {
                visit(expr, depth, f);
            }
            if let WindowKind::Aggregate(call) = &$($mut)? call.kind {
                visit_aggregate(call, depth, f);
            }
            for bound in [&$($mut)? call.frame.start, &$($mut)? call.frame.end] {
                if let FrameBound::Preceding(expr, _) | FrameBound::Following(expr, _) = bound {
                    visit(expr, depth, f);
                }
            }
        }

        /// The same for a part of FROM.
        pub fn visit_from(from: &$($mut)? From, depth: usize, f: &mut Step<'_>) {
            match from {
                From::Nothing => {}
                From::Item(item) => visit_item(item, depth, f),
                From::Product(all) => {
                    for from in all {
                        visit_from(from, depth, f);
                    }
                }
                From::Outer(outer) => {
                    visit_from(&$($mut)? outer.left, depth, f);
                    visit_from(&$($mut)? outer.right, depth, f);
                    if let Some(on) = &$($mut)? outer.full {
                        each(on, depth, f);
                    }
                }
                From::Filter(from, filters) => {
                    visit_from(from, depth, f);
                    each(filters, depth, f);
                }
            }
        }

        fn visit_lookup(lookup: &$($mut)? Lookup, depth: usize, f: &mut Step<'_>) {
            match lookup {
                Lookup::Values(values) => each(values, depth, f),
                Lookup::Array(array) => visit(array, depth, f),
            }
        }

        fn visit_item(item: &$($mut)? Item, depth: usize, f: &mut Step<'_>) {
            each(&$($mut)? item.filters, depth, f);
            each(&$($mut)? item.own, depth, f);
            for hash in [&$($mut)? item.hash, &$($mut)? item.outer_hash] {
                for (own, other) in hash {
                    visit(own, depth, f);
                    visit(other, depth, f);
                }
            }
            visit_kind(&$($mut)? item.kind, depth, f);
        }

        /// The same for what gives the rows of a source.
        pub fn visit_kind(kind: &$($mut)? ItemKind, depth: usize, f: &mut Step<'_>) {
            match kind {
                ItemKind::Table { access: Access::Places(places), .. } => visit_lookup(places, depth, f),
                ItemKind::Table { access: Access::Index { equal, low, high, .. }, .. } => {
                    for lookup in equal {
                        visit_lookup(lookup, depth, f);
                    }
                    for bound in [low, high] {
                        if let Some((bound, _)) = bound {
                            visit(bound, depth, f);
                        }
                    }
                }
                ItemKind::Query(query) => visit_query(query, depth + 1, f),
                ItemKind::Function(calls, _) => {
                    for call in calls {
                        visit_set(call, depth, f);
                    }
                }
                ItemKind::Scalar(exprs, _) => each(exprs, depth, f),
                ItemKind::Table { .. } | ItemKind::Virtual(_) | ItemKind::Cte(_) => {}
            }
        }
    };
}

walks!(mut);

/// The same walks, for expressions that stay as they are.
pub mod read {
    use super::*;

    walks!();
}

/// The sources of its own query that an expression refers to, and whether it refers to queries
/// further out.
pub fn sources(expr: &Expr) -> (Vec<usize>, bool) {
    let mut found = Vec::new();
    let mut outer = false;
    read::visit(expr, 0, &mut |expr, at| {
        let (depth, source) = match expr.kind {
            Kind::Column(column) => (column.depth, column.source),
            Kind::WholeRow { depth, source } => (depth, source),
            _ => return true,
        };
        if depth == at {
            found.push(source);
        } else if depth > at {
            outer = true;
        }
        true
    });
    found.sort_unstable();
    found.dedup();
    (found, outer)
}
