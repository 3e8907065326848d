//! EXPLAIN: the tables of a statement in the order in which they are gone through, and the index of each.
//!
//! What a change and a locking read lock is found along the same index (`docs/profiles.md`), so `key` says whose gaps are
//! locked. How many rows there will be nobody estimates: `rows` is NULL.

use std::fmt::Write;

use hobgoblin_sql_bind::bound::dml::{Dml, DmlKind, InsertSource};
use hobgoblin_sql_bind::bound::{
    Access, Body, CteBody, Expr, From, Item, ItemKind, Kind, Lookup, Query, Select,
};
use hobgoblin_sql_bind::visit::read::visit;
use hobgoblin_sql_mysql_types::error::error;
use hobgoblin_sql_schema::{Result, SqlError};
use serde_json::{Value, json};

use super::core::Core;
use super::outcome::{Done, TakeResults};
use super::planned::Plan;
use crate::catalog::names;
use crate::parse::Statement;
use crate::syntax::Explained;

/// One row of the answer.
struct Step {
    /// The number of its SELECT; nothing for what a UNION gives.
    id: Option<u32>,
    select_type: &'static str,
    table: Option<String>,
    access: Option<&'static str>,
    key: Option<String>,
    extra: Vec<&'static str>,
}

#[derive(Default)]
struct Steps {
    rows: Vec<Step>,
    selects: u32,
}

impl Core {
    pub(super) fn explain(
        &mut self,
        statement: &Statement,
        explained: &Explained,
        to: &mut dyn TakeResults,
    ) -> Result<Done> {
        if explained.analyze {
            return Err(SqlError::unsupported("EXPLAIN ANALYZE"));
        }
        let Some(ast) = &explained.statement else {
            return Err(SqlError::unsupported("EXPLAIN FOR CONNECTION"));
        };
        let format = explained.format.as_deref().unwrap_or("TRADITIONAL").to_ascii_uppercase();
        let planned = self.plan(statement, ast, &[])?;
        let mut steps = Steps::default();
        match &planned.plan {
            Plan::Query(query) => steps.outermost(query),
            Plan::Dml(dml) => steps.change(dml),
        }
        let query = match &*format {
            "TRADITIONAL" => steps.rows.iter().map(row).collect::<Vec<_>>().join(" UNION ALL "),
            "JSON" => {
                let shown = serde_json::to_string_pretty(&block(&steps.rows));
                let shown = shown.map_err(|error| SqlError::internal(error.to_string()))?;
                format!("SELECT {} AS `EXPLAIN`", names::text(&shown))
            }
            "TREE" => return Err(SqlError::unsupported("EXPLAIN FORMAT=TREE")),
            _ => {
                let shown = explained.format.as_deref().unwrap_or_default();
                return Err(error(1791, format!("Unknown EXPLAIN format name: '{shown}'")));
            }
        };
        self.select(statement, &query, None, to)
    }
}

/// Whether a key is looked for that follows from rows of other tables.
fn is_of_others(lookup: &Lookup) -> bool {
    let Lookup::Values(values) = lookup else { return true };
    let mut found = false;
    for value in values {
        visit(value, 0, &mut |expr, _| {
            found |= matches!(expr.kind, Kind::Column(_));
            !found
        });
    }
    found
}

/// A row as a SELECT that gives it.
fn row(step: &Step) -> String {
    let text = |text: Option<&str>| text.map_or("NULL".to_owned(), names::text);
    let mut out = String::from("SELECT ");
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "{} AS `id`, {} AS `select_type`, {} AS `table`, {} AS `type`, {key} AS `possible_keys`, {key} AS `key`, \
         NULL AS `key_len`, NULL AS `ref`, NULL AS `rows`, {} AS `Extra`",
        step.id.map_or("NULL".to_owned(), |id| id.to_string()),
        names::text(step.select_type),
        text(step.table.as_deref()),
        text(step.access),
        names::text(&step.extra.join("; ")),
        key = text(step.key.as_deref()),
    );
    out
}

fn block(rows: &[Step]) -> Value {
    let table = |step: &Step| {
        let mut table = json!({
            "select_id": step.id,
            "select_type": step.select_type,
            "table_name": step.table,
            "access_type": step.access,
            "key": step.key,
        });
        if !step.extra.is_empty() {
            table["extra"] = json!(step.extra.join("; "));
        }
        json!({ "table": table })
    };
    json!({ "query_block": { "select_id": 1, "nested_loop": rows.iter().map(table).collect::<Vec<_>>() } })
}

impl Steps {
    /// A query of which nothing is around.
    fn outermost(&mut self, query: &Query) {
        self.query(query, "PRIMARY");
        if self.selects == 1 {
            self.rows.iter_mut().for_each(|row| row.select_type = "SIMPLE");
        }
    }

    fn change(&mut self, dml: &Dml) {
        self.selects += 1;
        let id = self.selects;
        let from = match &dml.kind {
            DmlKind::Insert(insert) => {
                let table = Some(insert.table.name.clone());
                self.push(Step { table, access: Some("ALL"), ..Step::of(id, "INSERT") });
                if let InsertSource::Query(query, ..) = &insert.source {
                    self.query(query, "PRIMARY");
                }
                return;
            }
            DmlKind::Update(update) => &update.from,
            DmlKind::Delete(delete) => &delete.from,
            DmlKind::Merge(merge) => &merge.from,
            DmlKind::Several(several) => &several.from,
        };
        self.from(from, &[], id, "PRIMARY");
        self.inside(from);
        if self.selects == 1 {
            self.rows.iter_mut().for_each(|row| row.select_type = "SIMPLE");
        }
    }

    fn push(&mut self, step: Step) {
        self.rows.push(step);
    }

    fn query(&mut self, query: &Query, kind: &'static str) {
        match &query.body {
            Body::Select(select) => self.selected(query, select, kind),
            Body::SetOp { left, right, .. } => {
                let first = self.selects + 1;
                self.query(left, kind);
                let second = self.selects + 1;
                self.query(right, "UNION");
                let table = Some(format!("<union{first},{second}>"));
                let access = Some("ALL");
                let result = Step { id: None, table, access, ..Step::of(0, "UNION RESULT") };
                self.push(result);
            }
            Body::Query(inner) => self.query(inner, kind),
            Body::Values(_) => {
                self.selects += 1;
                let extra = vec!["No tables used"];
                self.push(Step { extra, ..Step::of(self.selects, kind) });
            }
        }
        for item in &query.with {
            match &item.query {
                CteBody::Query(query) => self.query(query, "DERIVED"),
                CteBody::Recursive { first, next, .. } => {
                    self.query(first, "DERIVED");
                    self.query(next, "RECURSIVE UNION");
                }
                CteBody::Dml(_) => {}
            }
        }
    }

    fn selected(&mut self, query: &Query, select: &Select, kind: &'static str) {
        self.selects += 1;
        let (id, first) = (self.selects, self.rows.len());
        self.from(&select.from, &select.aliases, id, kind);
        if self.rows.len() == first {
            self.push(Step { extra: vec!["No tables used"], ..Step::of(id, kind) });
        }
        let extra = &mut self.rows[first].extra;
        if select.group.as_ref().is_some_and(|group| !group.keys.is_empty()) {
            extra.push("Using temporary");
        }
        if !query.order.is_empty() {
            extra.push("Using filesort");
        }
        self.inside(&select.from);
        let of_groups = select.group.iter().flat_map(|group| &group.keys);
        let shown = select.project.iter().chain(&select.having).chain(of_groups);
        shown.for_each(|expr| self.subqueries(expr));
    }

    /// The rows of the tables of a FROM.
    fn from(&mut self, from: &From, aliases: &[(usize, String)], id: u32, kind: &'static str) {
        match from {
            From::Nothing => {}
            From::Item(item) => self.item(item, aliases, id, kind),
            From::Product(parts) => {
                parts.iter().for_each(|part| self.from(part, aliases, id, kind));
            }
            From::Outer(outer) => {
                self.from(&outer.left, aliases, id, kind);
                self.from(&outer.right, aliases, id, kind);
            }
            From::Filter(inner, _) => self.from(inner, aliases, id, kind),
        }
    }

    fn item(&mut self, item: &Item, aliases: &[(usize, String)], id: u32, kind: &'static str) {
        let alias = aliases.iter().find(|(source, _)| *source == item.source);
        let named = |name: &str| alias.map_or(name, |(_, alias)| alias).to_owned();
        let mut step = Step { access: Some("ALL"), ..Step::of(id, kind) };
        match &item.kind {
            ItemKind::Table { table, access, .. } => {
                step.table = Some(named(&table.name));
                if let Access::Index { index, equal, low, high } = access {
                    step.key = Some(index.name.clone());
                    let one =
                        |lookup: &Lookup| matches!(lookup, Lookup::Values(all) if all.len() == 1);
                    let whole = index.unique && equal.len() == index.columns.len();
                    step.access = Some(match equal.iter().all(one) {
                        _ if low.is_some() || high.is_some() => "range",
                        false => "range",
                        true if whole && !equal.iter().any(is_of_others) => "const",
                        true if whole => "eq_ref",
                        true if equal.is_empty() => "index",
                        true => "ref",
                    });
                }
            }
            ItemKind::Virtual(table) => step.table = Some(named(table.name)),
            ItemKind::Query(_) => step.table = Some(format!("<derived{}>", self.selects + 1)),
            ItemKind::Cte(_) | ItemKind::Function(..) | ItemKind::Scalar(..) => {
                step.table = Some(named("<derived>"));
            }
        }
        if !item.filters.is_empty() {
            step.extra.push("Using where");
        }
        self.push(step);
        if let ItemKind::Query(query) = &item.kind {
            self.query(query, "DERIVED");
        }
    }

    /// The subqueries in the conditions of a FROM.
    fn inside(&mut self, from: &From) {
        match from {
            From::Nothing => {}
            From::Item(item) => item.filters.iter().for_each(|expr| self.subqueries(expr)),
            From::Product(parts) => parts.iter().for_each(|part| self.inside(part)),
            From::Outer(outer) => {
                self.inside(&outer.left);
                self.inside(&outer.right);
            }
            From::Filter(inner, conditions) => {
                self.inside(inner);
                conditions.iter().for_each(|expr| self.subqueries(expr));
            }
        }
    }

    fn subqueries(&mut self, expr: &Expr) {
        visit(expr, 0, &mut |expr, _| {
            match &expr.kind {
                Kind::Scalar(query) | Kind::Exists(query) | Kind::ArrayQuery(query) => {
                    self.query(query, "SUBQUERY");
                }
                Kind::AnyQuery { query, .. } => self.query(query, "SUBQUERY"),
                _ => return true,
            }
            false
        });
    }
}

impl Step {
    fn of(id: u32, select_type: &'static str) -> Step {
        let extra = Vec::new();
        Step { id: Some(id), select_type, table: None, access: None, key: None, extra }
    }
}
