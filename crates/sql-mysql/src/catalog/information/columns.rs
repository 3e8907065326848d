//! COLUMNS.

use std::sync::Arc;

use hobgoblin_sql_mysql_types::my_type::NOT_FIXED;
use hobgoblin_sql_mysql_types::{Kind, MyType, members};
use hobgoblin_sql_schema::catalog::{Column, Index, Table};
use hobgoblin_sql_value::Datum;

use super::relations::all;
use super::seen::{Seen, Shown, number, perhaps, text};
use crate::catalog::definition_text::shown_type;
use crate::catalog::names;
use crate::catalog::notes::{ColumnNotes, IndexNotes, ShownDefault, ViewNotes};

/// The default of a column, as DESCRIBE shows it: without quotes.
pub fn shown_default(column: &Column) -> Option<String> {
    plain_default(ColumnNotes::of(column).default)
}

fn plain_default(default: ShownDefault) -> Option<String> {
    match default {
        ShownDefault::Nothing | ShownDefault::Null => None,
        ShownDefault::Constant { text, .. } | ShownDefault::Expression(text) => Some(text),
    }
}

/// The default of a column, as COLUMN_DEFAULT has it.
fn column_default(default: ShownDefault, generated: bool, mysql: bool) -> Datum {
    match (default, mysql) {
        (ShownDefault::Nothing, false) if generated => text("NULL"),
        (ShownDefault::Nothing, _) | (ShownDefault::Null, true) => Datum::Null,
        (ShownDefault::Null, false) => text("NULL"),
        (ShownDefault::Constant { text: shown, quoted: true }, false) => text(&names::text(&shown)),
        (ShownDefault::Constant { text: shown, .. }, _) => text(&shown),
        (ShownDefault::Expression(shown), _) => text(&shown),
    }
}

/// What a key makes of a column: PRI, UNI or MUL.
pub(super) fn key_of(table: &Table, at: usize) -> &'static str {
    // Without a primary key the first unique one without NULLs stands for it.
    let strict = |index: &&Arc<Index>| {
        let parts = IndexNotes::of(index).parts;
        index.unique
            && parts.iter().all(|(at, length, _)| table.columns[*at].not_null && length.is_none())
    };
    let primary = table.primary().or_else(|| table.indexes.iter().find(strict));
    let has = |index: &Index| IndexNotes::of(index).parts.iter().any(|part| part.0 == at);
    if primary.is_some_and(|primary| has(primary)) {
        return "PRI";
    }
    let first =
        |index: &&Arc<Index>| IndexNotes::of(index).parts.first().is_some_and(|part| part.0 == at);
    let mut keys = table.indexes.iter().filter(first).peekable();
    if keys.peek().is_none() {
        return "";
    }
    let alone = |index: &Arc<Index>| index.unique && IndexNotes::of(index).parts.len() == 1;
    if keys.any(alone) { "UNI" } else { "MUL" }
}

pub(super) fn extra(column: &Column) -> String {
    let notes = ColumnNotes::of(column);
    let mut words = Vec::new();
    if column.identity.is_some() {
        words.push("auto_increment".to_owned());
    }
    if let Some((_, stored)) = &notes.generated {
        words.push(if *stored { "STORED GENERATED" } else { "VIRTUAL GENERATED" }.to_owned());
    }
    if let Some(value) = &notes.on_update {
        words.push(format!("on update {value}"));
    }
    if column.hidden {
        words.push("INVISIBLE".to_owned());
    }
    words.join(", ")
}

/// The most characters and bytes of a text.
fn lengths(ty: MyType, seen: &Seen<'_>) -> (u64, u64) {
    let letters = if ty.has_letters() { u64::from(ty.collation.most_bytes()) } else { 1 };
    let same = |length: u64| (length, length);
    match ty.kind {
        Kind::TinyText => same(255),
        Kind::Text => same(65_535),
        Kind::MediumText => same(16_777_215),
        Kind::LongText | Kind::Json => same(4_294_967_295),
        Kind::Enum | Kind::Set => {
            let found = members::members(ty, seen.catalog);
            let sizes =
                found.iter().flat_map(|all| all.iter().map(|m| m.name.chars().count() as u64));
            let characters = match ty.kind {
                Kind::Enum => sizes.max().unwrap_or(0),
                _ => {
                    let sizes: Vec<u64> = sizes.collect();
                    sizes.iter().sum::<u64>() + (sizes.len() as u64).saturating_sub(1)
                }
            };
            (characters, characters * letters)
        }
        _ => (u64::from(ty.length), u64::from(ty.length) * letters),
    }
}

/// What is said of a type: its word, lengths, digits, character set.
fn described(ty: MyType, row: &mut Vec<Datum>, seen: &Seen<'_>) {
    let shown = shown_type(ty, seen.catalog, seen.version);
    let word = shown.split(['(', ' ']).next().unwrap_or_default().to_owned();
    row.push(text(&word));
    let (characters, bytes) = lengths(ty, seen);
    let textual = ty.is_text() || matches!(ty.kind, Kind::Enum | Kind::Set);
    row.push(if textual { number(characters) } else { Datum::Null });
    row.push(if textual { number(bytes) } else { Datum::Null });
    let (precision, scale) = match ty.kind {
        Kind::TinyInt | Kind::Truth => (Some(3), Some(0)),
        Kind::SmallInt => (Some(5), Some(0)),
        Kind::MediumInt => (Some(if ty.unsigned { 8 } else { 7 }), Some(0)),
        Kind::Int => (Some(10), Some(0)),
        Kind::BigInt => (Some(if ty.unsigned { 20 } else { 19 }), Some(0)),
        Kind::Decimal => (Some(i64::from(ty.length)), Some(i64::from(ty.scale))),
        Kind::Float | Kind::Double => {
            let scale = (ty.scale != NOT_FIXED).then_some(i64::from(ty.scale));
            (Some(i64::from(ty.length)), scale)
        }
        Kind::Bit => (Some(i64::from(ty.length)), None),
        _ => (None, None),
    };
    row.push(precision.map_or(Datum::Null, Datum::Int));
    row.push(scale.map_or(Datum::Null, Datum::Int));
    let moment = matches!(ty.kind, Kind::DateTime | Kind::Timestamp | Kind::Time);
    row.push(if moment { number(ty.scale) } else { Datum::Null });
    let letters = ty.has_letters();
    row.push(perhaps(letters.then_some(ty.collation.charset())));
    row.push(perhaps(letters.then_some(ty.collation.name())));
    row.push(text(&shown));
}

pub(super) fn columns(seen: &Seen<'_>) -> Vec<Vec<Datum>> {
    let privileges = "select,insert,update,references";
    let mut rows = Vec::new();
    for table in all() {
        for ((name, ty), (not_null, at)) in table.columns.iter().zip(table.not_null.iter().zip(1..))
        {
            let mut row =
                vec![text("def"), text(table.schema), text(table.name), text(name), number(at)];
            row.push(if *not_null { Datum::Null } else { text("NULL") });
            row.push(text(if *not_null { "NO" } else { "YES" }));
            described(MyType::of(*ty), &mut row, seen);
            row.extend([text(""), text(""), text("select"), text(""), text("NEVER"), Datum::Null]);
            rows.push(row);
        }
    }
    for (database, shown) in seen.relations() {
        match shown {
            Shown::Table(table) => {
                for ((at, column), place) in table.live().zip(1..) {
                    let notes = ColumnNotes::of(column);
                    let mut row = vec![text("def"), text(database), text(&table.name)];
                    row.extend([text(&column.name), number(place)]);
                    let mysql = seen.version.is_mysql();
                    row.push(column_default(notes.default.clone(), column.generated, mysql));
                    row.push(text(if column.not_null { "NO" } else { "YES" }));
                    described(MyType::of(column.ty), &mut row, seen);
                    row.extend([text(key_of(table, at)), text(&extra(column)), text(privileges)]);
                    row.push(text(&notes.comment));
                    let generated = notes.generated.as_ref().map(|(value, _)| value.as_str());
                    row.push(text(if generated.is_some() { "ALWAYS" } else { "NEVER" }));
                    row.push(perhaps(generated));
                    rows.push(row);
                }
            }
            Shown::View(view) => {
                let notes = ViewNotes::of(view);
                for ((name, ty, _), at) in view.columns.iter().zip(0usize..) {
                    let nullable =
                        notes.is_none_or(|n| n.nullable.get(at).copied().unwrap_or(true));
                    let mut row = vec![text("def"), text(database), text(&view.name)];
                    row.extend([text(name), number(at + 1)]);
                    let default = notes.and_then(|notes| notes.defaults.get(at).cloned());
                    let default = default.unwrap_or(ShownDefault::Nothing);
                    row.push(column_default(default, false, seen.version.is_mysql()));
                    row.push(text(if nullable { "YES" } else { "NO" }));
                    described(MyType::of(*ty), &mut row, seen);
                    row.extend([text(""), text(""), text(privileges), text(""), text("NEVER")]);
                    row.push(Datum::Null);
                    rows.push(row);
                }
            }
        }
    }
    rows
}

/// What SHOW COLUMNS shows, of temporary tables too: `#COLUMNS`.
pub(super) fn shown_columns(seen: &Seen<'_>) -> Vec<Vec<Datum>> {
    let privileges = "select,insert,update,references";
    let mut rows = Vec::new();
    for table in all() {
        for ((name, ty), not_null) in table.columns.iter().zip(&table.not_null) {
            let ty = MyType::of(*ty);
            let mut row = vec![text(table.schema), text(table.name), text(name)];
            row.push(text(&shown_type(ty, seen.catalog, seen.version)));
            row.push(perhaps(ty.has_letters().then_some(ty.collation.name())));
            row.extend([text(if *not_null { "NO" } else { "YES" }), text("")]);
            row.extend([if *not_null { text("") } else { Datum::Null }, text(""), text("select")]);
            row.push(text(""));
            rows.push(row);
        }
    }
    for (schema, shown) in seen.every_relation() {
        match shown {
            Shown::Table(table) => {
                for (at, column) in table.live() {
                    let ty = MyType::of(column.ty);
                    let mut row = vec![text(schema), text(&table.name), text(&column.name)];
                    row.push(text(&shown_type(ty, seen.catalog, seen.version)));
                    row.push(perhaps(ty.has_letters().then_some(ty.collation.name())));
                    row.extend([
                        text(if column.not_null { "NO" } else { "YES" }),
                        text(key_of(table, at)),
                    ]);
                    row.push(perhaps(shown_default(column).as_deref()));
                    row.extend([text(&extra(column)), text(privileges)]);
                    row.push(text(&ColumnNotes::of(column).comment));
                    rows.push(row);
                }
            }
            Shown::View(view) => {
                let notes = ViewNotes::of(view);
                for ((name, ty, _), at) in view.columns.iter().zip(0usize..) {
                    let ty = MyType::of(*ty);
                    let nullable =
                        notes.is_none_or(|n| n.nullable.get(at).copied().unwrap_or(true));
                    let mut row = vec![text(schema), text(&view.name), text(name)];
                    row.push(text(&shown_type(ty, seen.catalog, seen.version)));
                    row.push(perhaps(ty.has_letters().then_some(ty.collation.name())));
                    row.extend([text(if nullable { "YES" } else { "NO" }), text("")]);
                    let default = notes.and_then(|notes| notes.defaults.get(at).cloned());
                    row.push(perhaps(default.and_then(plain_default).as_deref()));
                    row.extend([text(""), text(privileges), text("")]);
                    rows.push(row);
                }
            }
        }
    }
    rows
}
