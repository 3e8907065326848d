//! STATISTICS, KEY_COLUMN_USAGE and the tables of constraints.

use std::sync::Arc;

use hobgoblin_sql_schema::catalog::{Action, ConstraintKind, ForeignKey, Index, Table};
use hobgoblin_sql_value::Datum;

use super::seen::{Seen, number, perhaps, text};
use crate::catalog::definition_text::is_of_column;
use crate::catalog::names::database_of;
use crate::catalog::notes::IndexNotes;
use crate::catalog::print::print;
use crate::syntax::KeyKind;

pub(super) fn statistics(seen: &Seen<'_>) -> Vec<Vec<Datum>> {
    let mut rows = Vec::new();
    for (database, table) in seen.tables() {
        for index in &table.indexes {
            let notes = IndexNotes::of(index);
            let fulltext = notes.kind == KeyKind::Fulltext;
            let kind = match notes.kind {
                KeyKind::Fulltext => "FULLTEXT",
                KeyKind::Spatial => "SPATIAL",
                KeyKind::Primary | KeyKind::Unique | KeyKind::Plain => "BTREE",
            };
            for ((at, length, descends), place) in notes.parts.iter().zip(1..) {
                let column = &table.columns[*at];
                let way = if *descends { "D" } else { "A" };
                rows.push(vec![
                    text("def"),
                    text(database),
                    text(&table.name),
                    number(i64::from(!index.unique)),
                    text(database),
                    text(&index.name),
                    number(place),
                    text(&column.name),
                    perhaps((!fulltext).then_some(way)),
                    if fulltext { Datum::Null } else { number(0) },
                    length.map_or(Datum::Null, number),
                    Datum::Null,
                    text(if column.not_null { "" } else { "YES" }),
                    text(kind),
                    text(""),
                    text(&notes.comment),
                    text(if notes.ignored { "YES" } else { "NO" }),
                ]);
            }
        }
    }
    rows
}

fn foreign(table: &Table) -> Vec<(&str, &ForeignKey)> {
    let mut all: Vec<(&str, &ForeignKey)> = table
        .constraints
        .iter()
        .filter_map(|constraint| match &constraint.kind {
            ConstraintKind::Foreign(key) => Some((constraint.name.as_str(), key)),
            _ => None,
        })
        .collect();
    all.sort_by_key(|(name, _)| *name);
    all
}

fn unique(table: &Table) -> impl Iterator<Item = &Arc<Index>> {
    table.indexes.iter().filter(|index| index.unique)
}

pub(super) fn key_column_usage(seen: &Seen<'_>) -> Vec<Vec<Datum>> {
    let mut rows = Vec::new();
    for (database, table) in seen.tables() {
        let begin = |name: &str, column: &str, place: usize| {
            let mut row =
                vec![text("def"), text(database), text(name), text("def"), text(database)];
            row.extend([text(&table.name), text(column), number(place)]);
            row
        };
        for index in unique(table) {
            for ((at, ..), place) in IndexNotes::of(index).parts.iter().zip(1..) {
                let mut row = begin(&index.name, &table.columns[*at].name, place);
                row.extend([Datum::Null, Datum::Null, Datum::Null, Datum::Null]);
                rows.push(row);
            }
        }
        for (name, key) in foreign(table) {
            let Some(parent) = seen.catalog.table(key.table) else { continue };
            for ((at, to), place) in key.columns.iter().zip(&key.referenced).zip(1..) {
                let mut row = begin(name, &table.columns[*at].name, place);
                row.extend([number(place), text(database_of(&parent.schema)), text(&parent.name)]);
                row.push(text(&parent.columns[*to].name));
                rows.push(row);
            }
        }
    }
    rows
}

pub(super) fn table_constraints(seen: &Seen<'_>) -> Vec<Vec<Datum>> {
    let mut rows = Vec::new();
    for (database, table) in seen.tables() {
        let mut push = |name: &str, kind: &str| {
            let mut row = vec![text("def"), text(database), text(name), text(database)];
            row.extend([text(&table.name), text(kind)]);
            rows.push(row);
        };
        for index in unique(table) {
            push(&index.name, if index.primary { "PRIMARY KEY" } else { "UNIQUE" });
        }
        for constraint in &table.constraints {
            if let ConstraintKind::Check(_) = constraint.kind {
                push(&constraint.name, "CHECK");
            }
        }
        for (name, _) in foreign(table) {
            push(name, "FOREIGN KEY");
        }
    }
    rows
}

fn rule(action: Action) -> &'static str {
    match action {
        Action::NoAction => "NO ACTION",
        Action::Restrict => "RESTRICT",
        Action::Cascade => "CASCADE",
        Action::SetNull => "SET NULL",
        Action::SetDefault => "SET DEFAULT",
    }
}

pub(super) fn referential_constraints(seen: &Seen<'_>) -> Vec<Vec<Datum>> {
    let mut rows = Vec::new();
    for (database, table) in seen.tables() {
        for (name, key) in foreign(table) {
            let Some(parent) = seen.catalog.table(key.table) else { continue };
            let serves = |index: &&Arc<Index>| {
                let parts = IndexNotes::of(index).parts;
                parts.len() >= key.referenced.len()
                    && parts[..key.referenced.len()]
                        .iter()
                        .all(|(at, ..)| key.referenced.contains(at))
            };
            let index = parent.indexes.iter().find(serves).map(|index| index.name.as_str());
            rows.push(vec![
                text("def"),
                text(database),
                text(name),
                text("def"),
                text(database_of(&parent.schema)),
                perhaps(index),
                text("NONE"),
                text(rule(key.on_update)),
                text(rule(key.on_delete)),
                text(&table.name),
                text(&parent.name),
            ]);
        }
    }
    rows
}

pub(super) fn check_constraints(seen: &Seen<'_>) -> Vec<Vec<Datum>> {
    let mut rows = Vec::new();
    for (database, table) in seen.tables() {
        for constraint in &table.constraints {
            let ConstraintKind::Check(check) = &constraint.kind else { continue };
            let level = if is_of_column(table, &constraint.name) { "Column" } else { "Table" };
            rows.push(vec![
                text("def"),
                text(database),
                text(&table.name),
                text(&constraint.name),
                text(level),
                text(&print(&check.ast)),
            ]);
        }
    }
    rows
}
