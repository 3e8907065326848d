//! SHOW CREATE TABLE, VIEW and DATABASE: definitions that load again.

use std::fmt::Write;

use hobgoblin_sql_mysql_types::{Collation, Kind, MyType, Version, type_name};
use hobgoblin_sql_schema::catalog::{Catalog, CheckOption, ConstraintKind, Schema, Table, View};
use hobgoblin_sql_schema::names::Names;

use super::ddl::definition::{ForeignPlan, foreign_plan};
use super::ddl::foreign::clause;
use super::engine;
use super::names::{database_of, quoted, text};
use super::notes::{ColumnNotes, DatabaseNotes, IndexNotes, ShownDefault, TableNotes, ViewNotes};
use super::print::print;
use super::view_text;
use crate::syntax::{KeyKind, ViewAlgorithm};

/// CREATE TABLE of a table; `next` is the value that its counter gives next.
pub fn create_table(
    table: &Table,
    catalog: &Catalog,
    next: Option<i64>,
    version: Version,
) -> String {
    let notes = TableNotes::of(table);
    let temporary = if table.temporary { "TEMPORARY " } else { "" };
    let mut lines: Vec<String> =
        table.live().map(|(at, _)| column(table, at, &notes, catalog, version)).collect();
    for index in &table.indexes {
        lines.push(key(table, &IndexNotes::of(index), &index.name));
    }
    let mut foreign: Vec<ForeignPlan> = Vec::new();
    for constraint in &table.constraints {
        if let ConstraintKind::Foreign(reference) = &constraint.kind
            && let Some(plan) = foreign_plan(table, reference, catalog)
        {
            foreign.push(ForeignPlan { name: constraint.name.clone(), ..plan });
        }
    }
    foreign.extend(notes.dangling.iter().map(|dangling| ForeignPlan {
        name: dangling.name.clone(),
        columns: dangling.columns.clone(),
        table: dangling.table.clone(),
        referenced: dangling.referenced.clone(),
        on_delete: dangling.on_delete,
        on_update: dangling.on_update,
        was: None,
    }));
    foreign.sort_by(|a, b| a.name.cmp(&b.name));
    lines.extend(
        foreign.iter().map(|plan| format!("  {}", clause(plan, database_of(&table.schema)))),
    );
    for constraint in &table.constraints {
        if let ConstraintKind::Check(check) = &constraint.kind
            && !is_of_column(table, &constraint.name)
        {
            let condition = print(&check.ast);
            let condition = if version.is_mysql() { format!("({condition})") } else { condition };
            lines.push(format!("  CONSTRAINT {} CHECK ({condition})", quoted(&constraint.name)));
        }
    }
    let mut out = format!(
        "CREATE {temporary}TABLE {} (\n{}\n) ENGINE={}",
        quoted(&table.name),
        lines.join(",\n"),
        notes.engine
    );
    if let Some(next) = next.filter(|next| *next > 1) {
        let _ = write!(out, " AUTO_INCREMENT={next}");
    }
    let _ = write!(out, " DEFAULT CHARSET={}", notes.collation.charset());
    if notes.collation != Collation::BINARY {
        let _ = write!(out, " COLLATE={}", notes.collation.name());
    }
    out.push_str(&options(&notes));
    if !notes.comment.is_empty() {
        let _ = write!(out, " COMMENT={}", text(&notes.comment));
    }
    out
}

/// A foreign key of a table, as SHOW CREATE TABLE prints it.
pub fn foreign_key(table: &Table, name: &str, catalog: &Catalog) -> Option<String> {
    let constraint = table.constraint(name)?;
    let ConstraintKind::Foreign(key) = &constraint.kind else { return None };
    let plan = ForeignPlan { name: name.to_owned(), ..foreign_plan(table, key, catalog)? };
    Some(clause(&plan, database_of(&table.schema)))
}

/// Options that change nothing, as they are shown.
fn options(notes: &TableNotes) -> String {
    let mut out = String::new();
    for name in engine::OPTIONS {
        if let Some(value) = notes.option(name) {
            let _ = write!(out, " {name}={value}");
        }
    }
    out
}

/// Whether a check was written with the column it is called by.
pub fn is_of_column(table: &Table, check: &str) -> bool {
    let column = table.columns.iter().find(|column| column.name == check);
    column.is_some_and(|column| ColumnNotes::of(column).check.is_some())
}

/// A type as definitions show it.
pub fn shown_type(ty: MyType, names: &dyn Names, version: Version) -> String {
    let full = type_name(ty.id(), names);
    if !version.is_mysql() {
        return full;
    }
    match ty.kind {
        Kind::Json => "json".to_owned(),
        // Widths are shown where zeros fill them, and of TINYINT(1).
        Kind::TinyInt | Kind::SmallInt | Kind::MediumInt | Kind::Int | Kind::BigInt
            if !(ty.zerofill || ty.kind == Kind::TinyInt && ty.length == 1 && !ty.unsigned) =>
        {
            match (full.find('('), full.find(')')) {
                (Some(open), Some(close)) => format!("{}{}", &full[..open], &full[close + 1..]),
                _ => full,
            }
        }
        Kind::Year => "year".to_owned(),
        _ => full,
    }
}

fn column(
    table: &Table,
    at: usize,
    notes: &TableNotes,
    catalog: &Catalog,
    version: Version,
) -> String {
    let column = &table.columns[at];
    let ty = MyType::of(column.ty);
    let own = ColumnNotes::of(column);
    let mut out = format!("  {} {}", quoted(&column.name), shown_type(ty, catalog, version));
    let letters = ty.has_letters() && (!version.is_mysql() || ty.kind != Kind::Json);
    if letters && ty.collation != notes.collation {
        let _ = write!(
            out,
            " CHARACTER SET {} COLLATE {}",
            ty.collation.charset(),
            ty.collation.name()
        );
    }
    let invisible = if version.is_mysql() { " /*!80023 INVISIBLE */" } else { " INVISIBLE" };
    if let Some((value, stored)) = &own.generated {
        let kind = if *stored { "STORED" } else { "VIRTUAL" };
        let value = if version.is_mysql() { format!("({value})") } else { value.clone() };
        let _ = write!(out, " GENERATED ALWAYS AS ({value}) {kind}");
        if column.hidden {
            out.push_str(invisible);
        }
    } else {
        if column.not_null {
            out.push_str(" NOT NULL");
        } else if ty.kind == Kind::Timestamp {
            out.push_str(" NULL");
        }
        if column.hidden {
            out.push_str(invisible);
        }
        if let Some(shown) = default_text(&own.default, ty, version) {
            let _ = write!(out, " DEFAULT {shown}");
        }
        if let Some(value) = &own.on_update {
            let _ = write!(out, " ON UPDATE {}", moment_text(value, version));
        }
        if column.identity.is_some() {
            out.push_str(" AUTO_INCREMENT");
        }
    }
    if !own.comment.is_empty() {
        let _ = write!(out, " COMMENT {}", text(&own.comment));
    }
    if let Some(check) = &own.check {
        let _ = write!(out, " CHECK ({check})");
    }
    out
}

/// A default, as it stands behind its word.
fn default_text(default: &ShownDefault, ty: MyType, version: Version) -> Option<String> {
    let large = ty.is_text() && ty.kind > Kind::VarChar;
    Some(match default {
        ShownDefault::Nothing => return None,
        ShownDefault::Null if large && version.is_mysql() => return None,
        ShownDefault::Null => "NULL".to_owned(),
        ShownDefault::Constant { text: shown, quoted } => {
            let quoted = *quoted || version.is_mysql() && ty.kind != Kind::Bit;
            if quoted { text(shown) } else { shown.clone() }
        }
        ShownDefault::Expression(shown) => match version.is_mysql() {
            true if shown.starts_with("current_timestamp(") => moment_text(shown, version),
            true if !shown.starts_with('(') => format!("({shown})"),
            _ => shown.clone(),
        },
    })
}

/// The current time, as it is written where it is a default.
fn moment_text(shown: &str, version: Version) -> String {
    match version.is_mysql() {
        true => shown.trim_end_matches("()").to_uppercase(),
        false => shown.to_owned(),
    }
}

fn key(table: &Table, notes: &IndexNotes, name: &str) -> String {
    let parts = notes.parts.iter().map(|(at, length, descends)| {
        let length = length.map_or_else(String::new, |length| format!("({length})"));
        let way = if *descends { " DESC" } else { "" };
        format!("{}{length}{way}", quoted(&table.columns[*at].name))
    });
    let parts = parts.collect::<Vec<_>>().join(",");
    let mut out = match notes.kind {
        KeyKind::Primary => format!("  PRIMARY KEY ({parts})"),
        KeyKind::Unique => format!("  UNIQUE KEY {} ({parts})", quoted(name)),
        KeyKind::Plain => format!("  KEY {} ({parts})", quoted(name)),
        KeyKind::Fulltext => format!("  FULLTEXT KEY {} ({parts})", quoted(name)),
        KeyKind::Spatial => format!("  SPATIAL KEY {} ({parts})", quoted(name)),
    };
    if let Some(using) = &notes.using {
        let _ = write!(out, " USING {using}");
    }
    if !notes.comment.is_empty() {
        let _ = write!(out, " COMMENT {}", text(&notes.comment));
    }
    if notes.ignored {
        out.push_str(" IGNORED");
    }
    out
}

/// CREATE VIEW of a view, seen from a database.
pub fn create_view(view: &View, catalog: &Catalog, seen_from: Option<&str>, user: &str) -> String {
    let notes = ViewNotes::of(view);
    let algorithm = match notes.map_or(ViewAlgorithm::Undefined, |notes| notes.algorithm) {
        ViewAlgorithm::Undefined => "UNDEFINED",
        ViewAlgorithm::Merge => "MERGE",
        ViewAlgorithm::Temptable => "TEMPTABLE",
    };
    let (name, host) = user.split_once('@').unwrap_or((user, "localhost"));
    let hidden = seen_from.filter(|database| *database == view.schema);
    let shown = match hidden {
        Some(_) => quoted(&view.name),
        None => format!("{}.{}", quoted(&view.schema), quoted(&view.name)),
    };
    let query = view_text::print(&view.query, catalog, hidden);
    let check = match view.check {
        Some(CheckOption::Local) => " WITH LOCAL CHECK OPTION",
        Some(CheckOption::Cascaded) => " WITH CASCADED CHECK OPTION",
        None => "",
    };
    format!(
        "CREATE ALGORITHM={algorithm} DEFINER={}@{} SQL SECURITY DEFINER VIEW {shown} AS {query}{check}",
        quoted(name),
        quoted(host)
    )
}

/// CREATE DATABASE of a database, perhaps for where it may be already.
pub fn create_database(schema: &Schema, if_not_exists: bool) -> String {
    let notes = DatabaseNotes::of(schema);
    let perhaps = if if_not_exists { "/*!32312 IF NOT EXISTS*/ " } else { "" };
    let collate = match notes.collation == Collation::BINARY {
        true => String::new(),
        false => format!(" COLLATE {}", notes.collation.name()),
    };
    let comment = match notes.comment.is_empty() {
        true => String::new(),
        false => format!(" COMMENT {}", text(&notes.comment)),
    };
    format!(
        "CREATE DATABASE {perhaps}{} /*!40100 DEFAULT CHARACTER SET {}{collate} */{comment}",
        quoted(&schema.name),
        notes.collation.charset()
    )
}
