//! Names: how they are quoted and split, and which schema a temporary table is in.
//!
//! A database is a schema of the catalogue. Temporary tables belong to a session and to a database, and hide tables of the same
//! name; they are in a schema of their own, whose name says both and is the name of no database.

use std::borrow::Cow;

use hobgoblin_sql_mysql_types::error::{self, error};
use hobgoblin_sql_mysql_types::{Collation, Version};
use hobgoblin_sql_schema::{Result, SqlError};
use sqlparser::ast::ObjectName;

/// What the schemas of temporary tables begin with; no database can be called so.
pub const TEMPORARY: &str = "#temporary-";

/// The most characters of a name.
pub const NAME_LENGTH: usize = 64;

/// The databases that are always there.
pub const SYSTEM: [&str; 4] = ["information_schema", "mysql", "performance_schema", "sys"];

/// The schema of a session's temporary tables of a database.
pub fn temporary_schema(session: u32, database: &str) -> String {
    format!("{TEMPORARY}{session}-{database}")
}

/// Whether a schema is one of temporary tables.
pub fn is_temporary(schema: &str) -> bool {
    schema.starts_with(TEMPORARY)
}

/// The database that a schema is, or that its temporary tables belong to.
pub fn database_of(schema: &str) -> &str {
    match schema.strip_prefix(TEMPORARY).and_then(|rest| rest.split_once('-')) {
        Some((_, database)) => database,
        None => schema,
    }
}

/// A name in quotes.
pub fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// A text in quotes, as definitions show it.
pub fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('\'');
    for letter in text.chars() {
        match letter {
            '\\' => out.push_str("\\\\"),
            '\0' => out.push_str("\\0"),
            '\'' => out.push_str("''"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            other => out.push(other),
        }
    }
    out.push('\'');
    out
}

/// The database and the name of what a statement names; the database is the one in use where none is written.
pub fn split<'a>(
    name: &'a ObjectName,
    in_use: Option<&'a str>,
) -> Result<(Cow<'a, str>, Cow<'a, str>)> {
    let part = |at: usize| {
        name.0.get(at).and_then(|part| part.as_ident()).map(|ident| ident.value.as_str())
    };
    match (part(0), part(1), name.0.len()) {
        (Some(table), None, 1) => {
            let database = in_use.ok_or_else(no_database)?;
            Ok((database.into(), table.into()))
        }
        (Some(database), Some(table), 2) => Ok((spelled(database), table.into())),
        _ => Err(SqlError::syntax(format!("near '{name}'"))),
    }
}

/// The name of a database: that of the one of the system is found whatever its case.
pub fn spelled(database: &str) -> Cow<'_, str> {
    match database.eq_ignore_ascii_case(SYSTEM[0]) {
        true => SYSTEM[0].into(),
        false => database.into(),
    }
}

/// 1046.
pub fn no_database() -> SqlError {
    error(error::NO_DATABASE_SELECTED, "No database selected")
}

/// 1049.
pub fn unknown_database(name: &str) -> SqlError {
    error(error::UNKNOWN_DATABASE, format!("Unknown database '{name}'"))
}

/// Refuses a name that no table may have.
pub fn check_table_name(name: &str) -> Result<()> {
    match name.is_empty() || name.ends_with(' ') || name.chars().count() > NAME_LENGTH {
        true => Err(error(1103, format!("Incorrect table name '{name}'"))),
        false => Ok(()),
    }
}

/// Refuses a name that no column may have.
pub fn check_column_name(name: &str) -> Result<()> {
    check_length(name)?;
    match name.is_empty() || name.ends_with(' ') {
        true => Err(error(1166, format!("Incorrect column name '{name}'"))),
        false => Ok(()),
    }
}

/// Refuses a name that is too long.
pub fn check_length(name: &str) -> Result<()> {
    match name.chars().count() > NAME_LENGTH {
        true => Err(error(1059, format!("Identifier name '{name}' is too long"))),
        false => Ok(()),
    }
}

/// Whether two names of columns or indexes are the same.
pub fn same(a: &str, b: &str) -> bool {
    a == b || a.to_lowercase() == b.to_lowercase()
}

/// A name as that of a file: letters, digits and few others stand for themselves.
pub fn filed(name: &str) -> String {
    let letter =
        |letter: char| match letter.is_ascii_alphanumeric() || letter == '_' || letter == '#' {
            true => letter.to_string(),
            false => format!("@{:04x}", u32::from(letter)),
        };
    name.chars().map(letter).collect()
}

/// A collation by name.
pub fn collation(name: &str) -> Result<Collation> {
    Collation::named(name)
        .ok_or_else(|| error(error::UNKNOWN_COLLATION, format!("Unknown collation: '{name}'")))
}

/// The collation that a character set means in a server.
pub fn charset(name: &str, version: Version) -> Result<Collation> {
    version
        .collation_of(name)
        .ok_or_else(|| error(error::UNKNOWN_CHARSET, format!("Unknown character set: '{name}'")))
}

/// The collation that a character set and a collation say together in a server; nothing where neither is said.
pub fn chosen(
    set: Option<&str>,
    collate: Option<&str>,
    version: Version,
) -> Result<Option<Collation>> {
    let set = set.map(|name| charset(name, version)).transpose()?;
    let collate = collate.map(collation).transpose()?;
    match (set, collate) {
        (Some(set), Some(collate)) if set.charset() != collate.charset() => {
            let message = format!(
                "COLLATION '{}' is not valid for CHARACTER SET '{}'",
                collate.name(),
                set.charset()
            );
            Err(error(error::COLLATION_CHARSET_MISMATCH, message))
        }
        (set, collate) => Ok(collate.or(set)),
    }
}
