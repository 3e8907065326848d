//! What never changes: engines, character sets, collations, plugins, privileges.

use hobgoblin_sql_mysql_types::{Collation, Version};
use hobgoblin_sql_value::Datum;

use super::seen::{number, perhaps, text};
use crate::catalog::engine::ENGINES;

/// Plugins, each with its kind.
pub const PLUGINS: &[(&str, &str)] = &[
    ("mysql_native_password", "AUTHENTICATION"),
    ("CSV", "STORAGE ENGINE"),
    ("MEMORY", "STORAGE ENGINE"),
    ("Aria", "STORAGE ENGINE"),
    ("MyISAM", "STORAGE ENGINE"),
    ("MRG_MyISAM", "STORAGE ENGINE"),
    ("InnoDB", "STORAGE ENGINE"),
    ("PERFORMANCE_SCHEMA", "STORAGE ENGINE"),
    ("SEQUENCE", "STORAGE ENGINE"),
];

/// Privileges, each with what it is for and what it allows.
pub const PRIVILEGES: &[(&str, &str, &str)] = &[
    ("Alter", "Tables", "To alter the table"),
    ("Create", "Databases,Tables,Indexes", "To create new databases and tables"),
    ("Create view", "Tables", "To create new views"),
    ("Delete", "Tables", "To delete existing rows"),
    ("Drop", "Databases,Tables", "To drop databases, tables, and views"),
    ("Index", "Tables", "To create or drop indexes"),
    ("Insert", "Tables", "To insert data into tables"),
    ("Lock tables", "Databases", "To use LOCK TABLES (together with SELECT privilege)"),
    ("References", "Databases,Tables", "To have references on tables"),
    ("Select", "Tables", "To retrieve rows from table"),
    ("Show databases", "Server Admin", "To see all databases with SHOW DATABASES"),
    ("Show view", "Tables", "To see views with SHOW CREATE VIEW"),
    ("Update", "Tables", "To update existing rows"),
    ("Usage", "Server Admin", "No privileges - allow connect only"),
];

fn yes(yes: bool) -> Datum {
    text(if yes { "YES" } else { "NO" })
}

pub(super) fn engines() -> Vec<Vec<Datum>> {
    let row = |engine: &crate::catalog::engine::Engine| {
        let transactions = yes(engine.transactions);
        vec![
            text(engine.name),
            text(engine.support),
            text(engine.comment),
            transactions,
            yes(engine.transactions),
            yes(engine.transactions),
        ]
    };
    ENGINES.iter().map(row).collect()
}

/// What a character set is called in words.
fn description(charset: &str) -> &'static str {
    match charset {
        "utf8mb4" | "utf8mb3" => "UTF-8 Unicode",
        "latin1" => "cp1252 West European",
        "ascii" => "US ASCII",
        _ => "Binary pseudo charset",
    }
}

pub(super) fn character_sets(version: Version) -> Vec<Vec<Datum>> {
    let sets = Collation::all().filter(|collation| version.is_default(*collation));
    let row = |collation: Collation| {
        let charset = collation.charset();
        vec![
            text(charset),
            text(collation.name()),
            text(description(charset)),
            number(collation.most_bytes()),
        ]
    };
    sets.map(row).collect()
}

pub(super) fn collations(version: Version) -> Vec<Vec<Datum>> {
    let row = |collation: Collation| {
        let length = if collation.is_of_unicode() { 8 } else { 1 };
        vec![
            text(collation.name()),
            text(collation.charset()),
            number(collation.number()),
            text(if version.is_default(collation) { "Yes" } else { "" }),
            text("Yes"),
            number(length),
        ]
    };
    Collation::all().map(row).collect()
}

pub(super) fn applicability(version: Version) -> Vec<Vec<Datum>> {
    let row = |collation: Collation| {
        vec![
            text(collation.name()),
            text(collation.charset()),
            text(collation.name()),
            number(collation.number()),
            text(if version.is_default(collation) { "Yes" } else { "" }),
        ]
    };
    Collation::all().map(row).collect()
}

pub(super) fn plugins() -> Vec<Vec<Datum>> {
    let row = |(name, kind): &(&str, &str)| {
        vec![
            text(name),
            text("1.0"),
            text("ACTIVE"),
            text(kind),
            text("101100.0"),
            Datum::Null,
            Datum::Null,
            perhaps(None),
            Datum::Null,
            text("GPL"),
            text("FORCE"),
            text("Stable"),
            text("1.0"),
        ]
    };
    PLUGINS.iter().map(row).collect()
}

pub(super) fn user_privileges() -> Vec<Vec<Datum>> {
    let row = |(privilege, ..): &(&str, &str, &str)| {
        vec![text("'root'@'localhost'"), text("def"), text(&privilege.to_uppercase()), text("YES")]
    };
    PRIVILEGES.iter().filter(|(name, ..)| *name != "Usage").map(row).collect()
}
