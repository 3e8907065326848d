//! The queries of views as the server prints them: every column with its table, every item with its name.

use std::fmt::Write;

use hobgoblin_sql_schema::catalog::{Catalog, Found};
use sqlparser::ast::{
    Distinct, Expr, GroupByExpr, Ident, Join, JoinConstraint, JoinOperator, LimitClause,
    ObjectName, OrderByKind, OrderBySort, Query, Select, SelectItem,
    SelectItemQualifiedWildcardKind, SetExpr, SetOperator, SetQuantifier, TableFactor,
    TableWithJoins,
};

use super::names::{quoted, same};
use super::print::{Spelling, print_with};

/// A query; tables of the database that is hidden stand without it.
pub fn print(query: &Query, catalog: &Catalog, hidden: Option<&str>) -> String {
    Text { catalog, hidden, sources: Vec::new() }.whole(query)
}

/// A source that columns may be of.
#[derive(Clone)]
struct Source {
    /// What its columns are printed with.
    shown: String,
    /// What columns are written with.
    called: String,
    /// Its columns, where they are known.
    columns: Vec<String>,
}

/// A printer within a query: the sources of it come last.
struct Text<'a> {
    catalog: &'a Catalog,
    hidden: Option<&'a str>,
    sources: Vec<Source>,
}

impl Spelling for Text<'_> {
    fn column(&self, parts: &[Ident]) -> String {
        let Some((name, before)) = parts.split_last() else { return String::new() };
        let by_name = |source: &&Source| match before.last() {
            Some(table) => source.called == table.value,
            None => source.columns.iter().any(|column| same(column, &name.value)),
        };
        match self.sources.iter().rev().find(by_name) {
            Some(source) => {
                let known = source.columns.iter().find(|column| same(column, &name.value));
                let name = known.map_or(name.value.as_str(), |known| known.as_str());
                format!("{}.{}", source.shown, quoted(name))
            }
            None => parts.iter().map(|part| quoted(&part.value)).collect::<Vec<_>>().join("."),
        }
    }

    fn query(&self, query: &Query) -> String {
        Text { catalog: self.catalog, hidden: self.hidden, sources: self.sources.clone() }
            .whole(query)
    }
}

impl Text<'_> {
    fn expr(&self, expr: &Expr) -> String {
        print_with(expr, self)
    }

    fn whole(&mut self, query: &Query) -> String {
        let outer = self.sources.len();
        let mut out = String::new();
        if let Some(with) = &query.with {
            let items = with.cte_tables.iter().map(|item| {
                let columns = item.alias.columns.iter().map(|c| quoted(&c.name.value));
                let columns = columns.collect::<Vec<_>>().join(",");
                let columns = if columns.is_empty() { columns } else { format!("({columns})") };
                let inner = Spelling::query(self, &item.query);
                format!("{}{columns} as ({inner})", item.alias.name.value)
            });
            let recursive = if with.recursive { "recursive " } else { "" };
            let items = items.collect::<Vec<_>>().join(",");
            let _ = write!(out, "with {recursive}{items}");
        }
        out.push_str(&self.body(&query.body));
        if let Some(order) = &query.order_by
            && let OrderByKind::Expressions(keys) = &order.kind
        {
            let keys = keys.iter().map(|key| {
                let way = match key.options.sort {
                    Some(OrderBySort::Desc) => " desc",
                    _ => "",
                };
                format!("{}{way}", self.expr(&key.expr))
            });
            let _ = write!(out, " order by {}", keys.collect::<Vec<_>>().join(","));
        }
        match &query.limit_clause {
            Some(LimitClause::LimitOffset { limit: Some(limit), offset, .. }) => {
                let _ = match offset {
                    Some(offset) => {
                        write!(out, " limit {},{}", self.expr(&offset.value), self.expr(limit))
                    }
                    None => write!(out, " limit {}", self.expr(limit)),
                };
            }
            Some(LimitClause::OffsetCommaLimit { offset, limit }) => {
                let _ = write!(out, " limit {},{}", self.expr(offset), self.expr(limit));
            }
            Some(LimitClause::LimitOffset { limit: None, .. }) | None => {}
        }
        self.sources.truncate(outer);
        out
    }

    /// The sources of the last SELECT stay, for ORDER BY.
    fn body(&mut self, body: &SetExpr) -> String {
        match body {
            SetExpr::Select(select) => self.select(select),
            SetExpr::Query(inner) => format!("({})", self.whole(inner)),
            SetExpr::SetOperation { op, set_quantifier, left, right } => {
                let word = match op {
                    SetOperator::Union => "union",
                    SetOperator::Intersect => "intersect",
                    _ => "except",
                };
                let all = if *set_quantifier == SetQuantifier::All { " all" } else { "" };
                let outer = self.sources.len();
                let left = self.body(left);
                self.sources.truncate(outer);
                let right = self.body(right);
                self.sources.truncate(outer);
                format!("{left} {word}{all} {right}")
            }
            other => other.to_string(),
        }
    }

    fn select(&mut self, select: &Select) -> String {
        let mut out = "select ".to_owned();
        if matches!(select.distinct, Some(Distinct::Distinct)) {
            out.push_str("distinct ");
        }
        let outer = self.sources.len();
        for from in &select.from {
            self.add(from);
        }
        let mut items = Vec::new();
        for item in &select.projection {
            match item {
                SelectItem::ExprWithAlias { expr, alias } => {
                    items.push(format!("{} AS {}", self.expr(expr), quoted(&alias.value)));
                }
                SelectItem::UnnamedExpr(expr) => {
                    let name = match expr {
                        Expr::Identifier(name) => Some(name),
                        Expr::CompoundIdentifier(parts) => parts.last(),
                        _ => None,
                    };
                    let name = name.map_or_else(|| expr.to_string(), |name| name.value.clone());
                    items.push(format!("{} AS {}", self.expr(expr), quoted(&name)));
                }
                SelectItem::QualifiedWildcard(kind, _) => {
                    let of = match kind {
                        SelectItemQualifiedWildcardKind::ObjectName(name) => last(name),
                        SelectItemQualifiedWildcardKind::Expr(_) => String::new(),
                    };
                    items.extend(self.all(outer, Some(&of)));
                }
                _ => items.extend(self.all(outer, None)),
            }
        }
        out.push_str(&items.join(","));
        if !select.from.is_empty() {
            let from: Vec<String> = select.from.iter().map(|from| self.joined(from)).collect();
            let from = match from.len() {
                1 => from.concat(),
                _ => format!("({})", from.join(" join ")),
            };
            let _ = write!(out, " from {from}");
        }
        if let Some(condition) = &select.selection {
            let _ = write!(out, " where {}", self.expr(condition));
        }
        if let GroupByExpr::Expressions(keys, _) = &select.group_by
            && !keys.is_empty()
        {
            let keys: Vec<String> = keys.iter().map(|key| self.expr(key)).collect();
            let _ = write!(out, " group by {}", keys.join(","));
        }
        if let Some(having) = &select.having {
            let _ = write!(out, " having {}", self.expr(having));
        }
        out
    }

    /// The items that `*` stands for.
    fn all(&self, from: usize, of: Option<&str>) -> Vec<String> {
        let sources =
            self.sources[from..].iter().filter(|source| of.is_none_or(|of| source.called == of));
        let items = sources.flat_map(|source| {
            source
                .columns
                .iter()
                .map(|column| format!("{}.{} AS {}", source.shown, quoted(column), quoted(column)))
        });
        items.collect()
    }

    fn add(&mut self, from: &TableWithJoins) {
        self.add_factor(&from.relation);
        for join in &from.joins {
            self.add_factor(&join.relation);
        }
    }

    fn add_factor(&mut self, factor: &TableFactor) {
        match factor {
            TableFactor::Table { name, alias, .. } => {
                let called =
                    alias.as_ref().map_or_else(|| last(name), |alias| alias.name.value.clone());
                let shown = if alias.is_some() { quoted(&called) } else { self.table(name) };
                let columns = self.columns(name);
                self.sources.push(Source { shown, called, columns });
            }
            TableFactor::Derived { alias: Some(alias), subquery, .. } => {
                let called = alias.name.value.clone();
                let columns = match alias.columns.is_empty() {
                    true => output_names(&subquery.body),
                    false => alias.columns.iter().map(|c| c.name.value.clone()).collect(),
                };
                self.sources.push(Source { shown: quoted(&called), called, columns });
            }
            TableFactor::NestedJoin { table_with_joins, .. } => self.add(table_with_joins),
            _ => {}
        }
    }

    /// A table's name, with its database unless that is hidden.
    fn table(&self, name: &ObjectName) -> String {
        let parts: Vec<&str> =
            name.0.iter().filter_map(|part| Some(part.as_ident()?.value.as_str())).collect();
        match parts.as_slice() {
            [database, table] if Some(*database) == self.hidden => quoted(table),
            [database, table] => format!("{}.{}", quoted(database), quoted(table)),
            other => other.iter().map(|part| quoted(part)).collect::<Vec<_>>().join("."),
        }
    }

    fn columns(&self, name: &ObjectName) -> Vec<String> {
        let parts: Vec<&str> =
            name.0.iter().filter_map(|part| Some(part.as_ident()?.value.as_str())).collect();
        let [database, table] = parts.as_slice() else { return Vec::new() };
        match self.catalog.relation_in(database, table) {
            Some(Found::Table(table)) => {
                let shown = table.columns.iter().filter(|column| !column.dropped && !column.hidden);
                shown.map(|column| column.name.clone()).collect()
            }
            Some(Found::View(view)) => view.columns.iter().map(|(name, ..)| name.clone()).collect(),
            Some(Found::System(table)) => {
                table.columns.iter().map(|(name, _)| (*name).to_owned()).collect()
            }
            _ => Vec::new(),
        }
    }

    fn joined(&self, from: &TableWithJoins) -> String {
        let mut out = self.factor(&from.relation);
        for join in &from.joins {
            out = self.join(&out, join);
        }
        out
    }

    fn join(&self, left: &str, join: &Join) -> String {
        let right = self.factor(&join.relation);
        let (word, constraint) = match &join.join_operator {
            JoinOperator::Left(on) | JoinOperator::LeftOuter(on) => ("left join", Some(on)),
            JoinOperator::Right(on) | JoinOperator::RightOuter(on) => ("right join", Some(on)),
            JoinOperator::StraightJoin(on) => ("straight_join", Some(on)),
            JoinOperator::Join(on) | JoinOperator::Inner(on) | JoinOperator::CrossJoin(on) => {
                ("join", Some(on))
            }
            _ => ("join", None),
        };
        // A right join is a left one with its sides changed.
        let (first, word, second) = match word {
            "right join" => (right.as_str(), "left join", left),
            _ => (left, word, right.as_str()),
        };
        match constraint {
            Some(JoinConstraint::On(on)) => {
                format!("({first} {word} {second} on({}))", self.expr(on))
            }
            Some(JoinConstraint::Using(columns)) => {
                let equal = columns.iter().map(|column| {
                    let name = last(column);
                    let holders = self
                        .sources
                        .iter()
                        .filter(|source| source.columns.iter().any(|column| same(column, &name)));
                    let holders: Vec<String> = holders
                        .map(|source| format!("{}.{}", source.shown, quoted(&name)))
                        .collect();
                    match holders.as_slice() {
                        [.., a, b] => format!("{a} = {b}"),
                        _ => quoted(&name),
                    }
                });
                format!("({first} {word} {second} on({}))", equal.collect::<Vec<_>>().join(" and "))
            }
            Some(JoinConstraint::Natural) => format!("({first} natural {word} {second})"),
            _ => format!("({first} {word} {second})"),
        }
    }

    fn factor(&self, factor: &TableFactor) -> String {
        match factor {
            TableFactor::Table { name, alias: Some(alias), .. } => {
                format!("{} {}", self.table(name), quoted(&alias.name.value))
            }
            TableFactor::Table { name, .. } => self.table(name),
            TableFactor::Derived { subquery, alias, .. } => {
                let alias = alias
                    .as_ref()
                    .map_or_else(String::new, |a| format!(" {}", quoted(&a.name.value)));
                format!("({}){alias}", Spelling::query(self, subquery))
            }
            TableFactor::NestedJoin { table_with_joins, .. } => self.joined(table_with_joins),
            other => other.to_string(),
        }
    }
}

fn last(name: &ObjectName) -> String {
    let ident = name.0.last().and_then(|part| part.as_ident());
    ident.map_or_else(String::new, |ident| ident.value.clone())
}

/// The names of what a query gives, where they are written.
fn output_names(body: &SetExpr) -> Vec<String> {
    match body {
        SetExpr::Select(select) => select
            .projection
            .iter()
            .filter_map(|item| match item {
                SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.clone()),
                SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(name.value.clone()),
                SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => {
                    parts.last().map(|name| name.value.clone())
                }
                _ => None,
            })
            .collect(),
        SetExpr::SetOperation { left, .. } => output_names(left),
        SetExpr::Query(query) => output_names(&query.body),
        _ => Vec::new(),
    }
}
