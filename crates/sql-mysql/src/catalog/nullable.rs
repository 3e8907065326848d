//! Which columns of a query may be NULL: tables that are made of it, and views, tell it.

use std::collections::HashMap;
use std::sync::Arc;

use hobgoblin_sql_bind::Expr;
use hobgoblin_sql_bind::bound::{Body, From, Item, ItemKind, Kind, Query, Select};
use hobgoblin_sql_mysql_types::MyType;
use hobgoblin_sql_schema::catalog::Table;
use hobgoblin_sql_value::{Datum, TypeId};

/// What is known of the sources of a SELECT.
#[derive(Default)]
struct Sources {
    tables: HashMap<usize, Arc<Table>>,
    queries: HashMap<usize, Vec<bool>>,
    optional: Vec<usize>,
}

/// Whether each column of a query may be NULL.
pub(crate) fn columns(query: &Query) -> Vec<bool> {
    match &query.body {
        Body::Select(select) => of_select(select, query.columns.len()),
        Body::Query(inner) => columns(inner),
        Body::SetOp { left, right, .. } => {
            columns(left).into_iter().zip(columns(right)).map(|(a, b)| a || b).collect()
        }
        Body::Values(rows) => (0..query.columns.len())
            .map(|at| rows.iter().any(|row| may_be_null(&row[at], &Sources::default())))
            .collect(),
    }
}

/// The type that a column of a table has which a query gives: a constant needs no place for a sign it has not.
pub(crate) fn type_of(query: &Query, at: usize, ty: TypeId) -> TypeId {
    let Body::Select(select) = &query.body else { return ty };
    let Some(Kind::Const(Datum::Int(value))) = select.project.get(at).map(|expr| &expr.kind) else {
        return ty;
    };
    let found = MyType::of(ty);
    let shown = value.to_string().len();
    match *value >= 0 && found.is_integer() && found.length as usize == shown + 1 {
        true => MyType { length: found.length - 1, ..found }.id(),
        false => ty,
    }
}

fn of_select(select: &Select, count: usize) -> Vec<bool> {
    let mut sources = Sources::default();
    gather(&select.from, &mut sources);
    let Some(group) = &select.group else {
        return select.project.iter().take(count).map(|expr| may_be_null(expr, &sources)).collect();
    };
    // After grouping there is one source: the keys, then the aggregates.
    let keys = if group.shown.is_empty() { &group.keys } else { &group.shown };
    let keys = keys.iter().map(|key| may_be_null(key, &sources));
    let aggregates = group.aggregates.iter().map(|call| call.aggregate.name != "count");
    let grouped = keys.chain(aggregates).collect();
    let after = Sources { queries: HashMap::from([(0, grouped)]), ..Sources::default() };
    select.project.iter().take(count).map(|expr| may_be_null(expr, &after)).collect()
}

fn gather(from: &From, into: &mut Sources) {
    match from {
        From::Nothing => {}
        From::Item(item) => gather_item(item, into),
        From::Product(parts) => parts.iter().for_each(|part| gather(part, into)),
        From::Outer(outer) => {
            gather(&outer.left, into);
            gather(&outer.right, into);
            into.optional.extend(&outer.right_sources);
            if outer.full.is_some() {
                into.optional.extend(&outer.left_sources);
            }
        }
        From::Filter(inner, _) => gather(inner, into),
    }
}

fn gather_item(item: &Item, into: &mut Sources) {
    match &item.kind {
        ItemKind::Table { table, .. } => {
            into.tables.insert(item.source, Arc::clone(table));
        }
        ItemKind::Virtual(table) => {
            let nullable = table.not_null.iter().map(|not_null| !not_null).collect();
            into.queries.insert(item.source, nullable);
        }
        ItemKind::Query(query) => {
            into.queries.insert(item.source, columns(query));
        }
        ItemKind::Cte(_) | ItemKind::Function(..) | ItemKind::Scalar(..) => {}
    }
}

/// Functions that give NULL only where an argument is.
const STRICT: &[&str] = &[
    "+",
    "-",
    "*",
    "=",
    "<",
    ">",
    "<=",
    ">=",
    "<>",
    "concat",
    "upper",
    "ucase",
    "lower",
    "lcase",
    "trim",
    "ltrim",
    "rtrim",
    "length",
    "octet_length",
    "char_length",
    "abs",
    "now",
    "current_timestamp",
    "curdate",
    "curtime",
    "replace",
    "left",
    "right",
    "if",
    "version",
    "round",
    "floor",
    "ceiling",
    "connection_id",
];

fn may_be_null(expr: &Expr, sources: &Sources) -> bool {
    match &expr.kind {
        Kind::Const(value) => value.is_null(),
        Kind::Column(found) if found.depth == 0 => {
            let strict = match sources.tables.get(&found.source) {
                Some(table) => table.columns.get(found.column).is_some_and(|c| c.not_null),
                None => {
                    let of = sources.queries.get(&found.source);
                    of.and_then(|of| of.get(found.column)).is_some_and(|nullable| !nullable)
                }
            };
            !strict || sources.optional.contains(&found.source)
        }
        Kind::IsNull(..) | Kind::IsTruth(..) => false,
        Kind::And(all) | Kind::Or(all) => all.iter().any(|one| may_be_null(one, sources)),
        Kind::Not(of) => may_be_null(of, sources),
        Kind::Coalesce(all) => all.iter().all(|one| may_be_null(one, sources)),
        Kind::Cast { expr, .. } => may_be_null(expr, sources),
        Kind::Call { function, args } => {
            !STRICT.contains(&function.name) || args.iter().any(|arg| may_be_null(arg, sources))
        }
        _ => true,
    }
}
