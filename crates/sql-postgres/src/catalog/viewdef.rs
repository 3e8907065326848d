//! Views as `pg_get_viewdef` prints them.
//!
//! PostgreSQL prints the bound query: every column with its table, every conversion, one item a line.
//! That is done here for a select of one table with a WHERE; other views are printed as they were
//! written.

use std::sync::Arc;

use sqlparser::ast::{
    self, Expr, GroupByExpr, SelectItem, SetExpr, Spanned, TableAlias, TableFactor,
};
use sqlparser::tokenizer::{Location, Span};

use super::deparse::{Bind, qualified_expression};
use super::{Found, Scope, Table, View, fold, quote_ident, split_name};
use crate::bind::Kind;
use crate::syntax::relations;
use crate::syntax::written::offset;
use hobgoblin_sql_schema::Dialect;

/// The definition of a view.
pub(super) fn definition(scope: &Scope, view: &View, bind: &Bind<'_>, pretty: bool) -> String {
    simple(scope, view, bind, pretty)
        .unwrap_or_else(|| format!(" {};", text(view, scope.catalog.dialect)))
}

/// The query as it was written, with the relations under the names they have.
fn text(view: &View, dialect: &dyn Dialect) -> String {
    let Some((text, start)) = &view.written else { return view.query.to_string() };
    // What to put in the place of which bytes.
    let mut edits: Vec<(usize, usize, String)> = Vec::new();
    let mut found = |name: &ast::ObjectName, alias: &Option<TableAlias>| {
        let span = name.span();
        let place = |at: Location| offset(text, *start, at);
        let (Some(from), Some(to)) = (place(span.start), place(span.end)) else { return };
        let added = alias.as_ref().filter(|alias| alias.name.span == Span::empty());
        let name = match added {
            Some(alias) => format!("{name} {alias}"),
            None => name.to_string(),
        };
        edits.push((from, to, name));
    };
    relations(&*view.query, dialect, &mut found);
    view.clauses.expressions().for_each(|expr| relations(expr, dialect, &mut found));
    edits.sort();
    let (mut out, mut done) = (String::new(), 0);
    for (from, to, name) in edits {
        out.push_str(text.get(done..from).unwrap_or_default());
        out.push_str(&name);
        done = to;
    }
    out.push_str(&text[done..]);
    out
}

/// A select of one table; `None` when it has more.
fn simple(scope: &Scope, view: &View, bind: &Bind<'_>, pretty: bool) -> Option<String> {
    let query = &view.query;
    let plain = query.with.is_none()
        && query.order_by.is_none()
        && query.limit_clause.is_none()
        && query.fetch.is_none()
        && query.locks.is_empty()
        && view.clauses.locking(query).next().is_none();
    let SetExpr::Select(select) = &*query.body else { return None };
    let ungrouped = matches!(&select.group_by, GroupByExpr::Expressions(keys, more)
        if keys.is_empty() && more.is_empty());
    let bare = ungrouped
        && select.distinct.is_none()
        && select.having.is_none()
        && select.named_window.is_empty();
    let [from] = select.from.as_slice() else { return None };
    if !plain || !bare || !from.joins.is_empty() {
        return None;
    }
    let TableFactor::Table { name, alias, args: None, sample: None, .. } = &from.relation else {
        return None;
    };
    if alias.as_ref().is_some_and(|alias| !alias.columns.is_empty()) {
        return None;
    }
    let (schema, name) = split_name(name).ok()?;
    let Found::Table(table) = scope.find(schema.as_deref(), &name)? else { return None };
    let alias = alias.as_ref().map(|alias| fold(&alias.name));
    let called = alias.clone().unwrap_or_else(|| table.name.clone());
    let print = |expr: &Expr| {
        let bound = bind(expr, Some(table), None).ok()?;
        let shown = qualified_expression(&bound, table, &called, scope, pretty)?;
        let column = match bound.kind {
            Kind::Column(column) => table.columns.get(column.column).map(|c| c.name.clone()),
            _ => None,
        };
        Some((shown, column))
    };
    let mut items = Vec::new();
    for (expr, (name, _, _)) in outputs(&select.projection, table, view)?.iter().zip(&view.columns)
    {
        let (shown, column) = print(expr)?;
        let mut shown = shown.replace('\n', "\n        ");
        if column.as_ref() != Some(name) {
            shown = format!("{shown} AS {}", quote_ident(name));
        }
        items.push(shown);
    }
    let (first, rest) = items.split_first().filter(|(first, _)| !first.starts_with('\n'))?;
    let mut out = format!(" SELECT {first}");
    for item in rest {
        out.push_str(if item.starts_with('\n') { "," } else { ",\n    " });
        out.push_str(item);
    }
    out.push_str("\n   FROM ");
    out.push_str(&scope.display(&scope.path, table.oid)?);
    if let Some(alias) = alias.filter(|alias| *alias != table.name) {
        out.push(' ');
        out.push_str(&quote_ident(&alias));
    }
    if let Some(condition) = &select.selection {
        out.push_str("\n  WHERE ");
        out.push_str(&print(condition)?.0);
    }
    out.push(';');
    Some(out)
}

/// The expressions of a select list; `*` is the columns there were when the view was made.
fn outputs(items: &[SelectItem], table: &Arc<Table>, view: &View) -> Option<Vec<Expr>> {
    if let [SelectItem::Wildcard(_)] = items {
        let columns = table.columns.iter().filter(|column| !column.dropped);
        let quoted = columns.map(|c| Expr::Identifier(ast::Ident::with_quote('"', &*c.name)));
        return Some(quoted.take(view.columns.len()).collect());
    }
    let exprs: Option<Vec<Expr>> = items
        .iter()
        .map(|item| match item {
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
                Some(expr.clone())
            }
            _ => None,
        })
        .collect();
    exprs.filter(|exprs| exprs.len() == view.columns.len())
}
