//! EXPLAIN: how rows are found, in PostgreSQL's words as far as they fit.

use crate::bind::bound::dml::DmlKind;
use crate::bind::bound::{Access, Body, From, Item, ItemKind, Query};
use crate::session::plan::Plan;

use super::format::{self, ExplainFormat, Node};

/// The steps of a plan in order, each with its depth.
type Lines = Vec<(usize, String)>;

/// The rows that show a plan.
pub(crate) fn explain(plan: &Plan, format: ExplainFormat) -> Vec<String> {
    let mut lines = lines(plan).into_iter().peekable();
    let (_, text) = lines.next().unwrap_or_default();
    let root = Node { text, below: below(0, &mut lines) };
    format::rows(&root, format)
}

/// The steps right below one of this depth.
fn below(
    depth: usize,
    lines: &mut std::iter::Peekable<impl Iterator<Item = (usize, String)>>,
) -> Vec<Node> {
    let mut nodes = Vec::new();
    while let Some((at, text)) = lines.next_if(|(at, _)| *at > depth) {
        nodes.push(Node { text, below: below(at, lines) });
    }
    nodes
}

fn lines(plan: &Plan) -> Lines {
    let mut lines = Vec::new();
    match plan {
        Plan::Query(query) => of_query(query, 0, &mut lines),
        Plan::Dml(dml) => {
            let name = &dml.table().name;
            match &dml.kind {
                DmlKind::Insert(_) => line(0, &format!("Insert on {name}"), &mut lines),
                DmlKind::Update(update) => {
                    line(0, &format!("Update on {name}"), &mut lines);
                    of_from(&update.from, 1, &mut lines);
                }
                DmlKind::Delete(delete) => {
                    line(0, &format!("Delete on {name}"), &mut lines);
                    of_from(&delete.from, 1, &mut lines);
                }
                DmlKind::Merge(merge) => {
                    line(0, &format!("Merge on {name}"), &mut lines);
                    of_from(&merge.from, 1, &mut lines);
                }
                DmlKind::Several(several) => {
                    line(0, &format!("Update on {name}"), &mut lines);
                    of_from(&several.from, 1, &mut lines);
                }
            }
        }
        Plan::Utility | Plan::Empty => line(0, "Utility", &mut lines),
    }
    lines
}

fn line(depth: usize, text: &str, lines: &mut Lines) {
    lines.push((depth, text.to_owned()));
}

fn of_query(query: &Query, depth: usize, lines: &mut Lines) {
    let mut depth = depth;
    let above = |text: &str, depth: &mut usize, lines: &mut Lines| {
        line(*depth, text, lines);
        *depth += 1;
    };
    if query.limit.is_some() || query.offset.is_some() {
        above("Limit", &mut depth, lines);
    }
    if !query.locks.is_empty() {
        above("LockRows", &mut depth, lines);
    }
    if !query.order.is_empty() {
        above("Sort", &mut depth, lines);
    }
    match &query.body {
        Body::Select(select) => {
            if !select.windows.is_empty() {
                above("WindowAgg", &mut depth, lines);
            }
            if let Some(group) = &select.group {
                let text = if group.keys.is_empty() { "Aggregate" } else { "HashAggregate" };
                above(text, &mut depth, lines);
            }
            of_from(&select.from, depth, lines);
        }
        Body::Values(rows) => line(depth, &format!("Values Scan ({} rows)", rows.len()), lines),
        Body::Query(inner) => of_query(inner, depth, lines),
        Body::SetOp { op, left, right, .. } => {
            above(&format!("SetOp {op:?}"), &mut depth, lines);
            of_query(left, depth, lines);
            of_query(right, depth, lines);
        }
    }
}

fn of_from(from: &From, depth: usize, lines: &mut Lines) {
    match from {
        From::Nothing => line(depth, "Result", lines),
        From::Item(item) => of_item(item, depth, lines),
        From::Product(parts) => {
            line(depth, "Nested Loop", lines);
            parts.iter().for_each(|part| of_from(part, depth + 1, lines));
        }
        From::Outer(outer) => {
            let kind = if outer.full.is_some() { "Full Join" } else { "Nested Loop Left Join" };
            line(depth, kind, lines);
            of_from(&outer.left, depth + 1, lines);
            of_from(&outer.right, depth + 1, lines);
        }
        From::Filter(inner, _) => of_from(inner, depth, lines),
    }
}

fn of_item(item: &Item, depth: usize, lines: &mut Lines) {
    let text = match &item.kind {
        ItemKind::Table { table, access: Access::All, .. } if !item.hash.is_empty() => {
            format!("Hash Join on {}", table.name)
        }
        ItemKind::Table { table, access: Access::All, .. } => format!("Seq Scan on {}", table.name),
        ItemKind::Table { table, access: Access::Places(_), .. } => {
            format!("Tid Scan on {}", table.name)
        }
        ItemKind::Table { table, access: Access::Index { index, .. }, .. } => {
            format!("Index Scan using {} on {}", index.name, table.name)
        }
        ItemKind::Virtual(table) => format!("Seq Scan on {}", table.name),
        ItemKind::Query(query) => {
            line(depth, "Subquery Scan", lines);
            return of_query(query, depth + 1, lines);
        }
        ItemKind::Cte(_) => "CTE Scan".to_owned(),
        ItemKind::Function(calls, _) => {
            let names: Vec<&str> = calls.iter().map(|call| call.function.name).collect();
            format!("Function Scan on {}", names.join(", "))
        }
        ItemKind::Scalar(..) => "Function Scan".to_owned(),
    };
    line(depth, &text, lines);
}
