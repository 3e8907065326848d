//! SCHEMATA, TABLES, VIEWS.

use hobgoblin_sql_mysql_types::Collation;
use hobgoblin_sql_mysql_types::temporal::Moment;
use hobgoblin_sql_schema::catalog::{CheckOption, Table};
use hobgoblin_sql_value::Datum;

use super::relations::all;
use super::seen::{Seen, Shown, number, perhaps, text};
use crate::catalog::engine::OPTIONS;
use crate::catalog::notes::{DatabaseNotes, TableNotes, ViewNotes};
use crate::catalog::view_text;
use crate::syntax::ViewAlgorithm;

pub(super) fn schemata(seen: &Seen<'_>) -> Vec<Vec<Datum>> {
    let row = |schema: &hobgoblin_sql_schema::catalog::Schema| {
        let notes = DatabaseNotes::of(schema);
        let utf8 = schema.name == "information_schema";
        let (charset, collation) = match utf8 {
            true => ("utf8mb3", "utf8mb3_general_ci"),
            false => (notes.collation.charset(), notes.collation.name()),
        };
        vec![
            text("def"),
            text(&schema.name),
            text(charset),
            text(collation),
            Datum::Null,
            text(&notes.comment),
        ]
    };
    seen.databases().map(row).collect()
}

/// The options of a table, as CREATE_OPTIONS lists them.
fn options(notes: &TableNotes) -> String {
    let shown = OPTIONS.iter().filter_map(|name| {
        let value = notes.option(name)?;
        Some(format!("{}={}", name.to_lowercase(), value.to_lowercase()))
    });
    shown.collect::<Vec<_>>().join(" ")
}

fn row_format(notes: &TableNotes) -> String {
    let written = notes.option("ROW_FORMAT").map(str::to_lowercase);
    let usual = match notes.engine {
        "MEMORY" => "fixed",
        "Aria" => "page",
        _ => "dynamic",
    };
    let word = written.unwrap_or_else(|| usual.to_owned());
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn next_value(seen: &Seen<'_>, table: &Table) -> Datum {
    let at = table.columns.iter().position(|column| column.identity.is_some());
    let counter = at.and_then(|at| seen.catalog.owned_sequence(table.oid, at));
    let next = counter.map(|counter| seen.session.next_value(counter.oid).unwrap_or(counter.start));
    next.map_or(Datum::Null, Datum::Int)
}

pub(super) fn tables(seen: &Seen<'_>) -> Vec<Vec<Datum>> {
    let mut rows = Vec::new();
    for table in all() {
        let mut row = vec![
            text("def"),
            text(table.schema),
            text(table.name),
            text("SYSTEM VIEW"),
            text("MEMORY"),
            number(11),
            text("Fixed"),
        ];
        row.extend([Datum::Null, number(0), number(0), number(0), number(0), number(0)]);
        row.extend([Datum::Null, Datum::Null, Datum::Null, Datum::Null]);
        row.extend([
            text("utf8mb3_general_ci"),
            Datum::Null,
            text(""),
            text(""),
            number(0),
            text("Y"),
        ]);
        rows.push(row);
    }
    for (database, shown) in seen.relations() {
        let mut row = vec![text("def"), text(database), text(shown.name())];
        match shown {
            Shown::Table(table) => {
                let notes = TableNotes::of(table);
                let created =
                    Moment::of_number(notes.created - notes.created.rem_euclid(1_000_000));
                let others = table.indexes.iter().filter(|index| !index.primary).count();
                row.extend([
                    text("BASE TABLE"),
                    text(notes.engine),
                    number(10),
                    text(&row_format(&notes)),
                ]);
                row.extend([number(0), number(0), number(16_384), number(0)]);
                row.extend([number(others * 16_384), number(0), next_value(seen, table)]);
                row.push(created.map_or(Datum::Null, Moment::datum));
                row.extend([Datum::Null, Datum::Null, text(notes.collation.name()), Datum::Null]);
                row.extend([text(&options(&notes)), text(&notes.comment), number(0), text("N")]);
            }
            Shown::View(_) => {
                row.push(text("VIEW"));
                row.extend(std::iter::repeat_n(Datum::Null, 16));
                row.extend([text("VIEW"), Datum::Null, Datum::Null]);
            }
        }
        rows.push(row);
    }
    rows
}

pub(super) fn views(seen: &Seen<'_>) -> Vec<Vec<Datum>> {
    let mut rows = Vec::new();
    for (database, shown) in seen.relations() {
        let Shown::View(view) = shown else { continue };
        let check = match view.check {
            Some(CheckOption::Local) => "LOCAL",
            Some(CheckOption::Cascaded) => "CASCADED",
            None => "NONE",
        };
        let notes = ViewNotes::of(view);
        let algorithm = match notes.map(|notes| notes.algorithm) {
            Some(ViewAlgorithm::Merge) => "MERGE",
            Some(ViewAlgorithm::Temptable) => "TEMPTABLE",
            _ => "UNDEFINED",
        };
        rows.push(vec![
            text("def"),
            text(database),
            text(&view.name),
            text(&view_text::print(&view.query, seen.catalog, None)),
            text(check),
            text(if is_simple(view) { "YES" } else { "NO" }),
            perhaps(Some(seen.user)),
            text("DEFINER"),
            text("utf8mb4"),
            text(notes.map_or(Collation::DEFAULT, |notes| notes.collation).name()),
            text(algorithm),
        ]);
    }
    rows
}

/// Whether the rows of a view are those of its tables.
fn is_simple(view: &hobgoblin_sql_schema::catalog::View) -> bool {
    use sqlparser::ast::{GroupByExpr, SetExpr};
    let SetExpr::Select(select) = &*view.query.body else { return false };
    let grouped = !matches!(&select.group_by, GroupByExpr::Expressions(keys, _) if keys.is_empty());
    let counted =
        select.projection.iter().any(|item| item.to_string().to_lowercase().contains("count("));
    !grouped
        && !counted
        && select.distinct.is_none()
        && select.having.is_none()
        && view.query.limit_clause.is_none()
}

/// What SHOW OPEN TABLES shows: `#OPEN`.
pub(super) fn open_tables(seen: &Seen<'_>) -> Vec<Vec<Datum>> {
    let relations = seen.relations().into_iter();
    let row = |(database, shown): (&str, Shown<'_>)| {
        vec![text(database), text(shown.name()), number(0), number(0)]
    };
    relations.map(row).collect()
}
