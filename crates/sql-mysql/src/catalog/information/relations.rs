//! The tables of `information_schema` by name and oid, and their columns.

use std::collections::HashMap;
use std::sync::LazyLock;

use hobgoblin_sql_mysql_types::{Coercibility, Collation, Kind, MyType};
use hobgoblin_sql_schema::SystemTable;
use hobgoblin_sql_value::{Oid, TypeId};

/// The oid of the first; others follow. User oids are greater.
const FIRST: Oid = 12_000;

struct System {
    tables: Vec<SystemTable>,
    names: HashMap<String, usize>,
}

static SYSTEM: LazyLock<System> = LazyLock::new(|| {
    let lines = include_str!("relations.tsv").lines();
    let tables: Vec<SystemTable> =
        lines.zip(FIRST..).filter_map(|(line, oid)| relation(line, oid)).collect();
    let names =
        tables.iter().enumerate().map(|(at, table)| (table.name.to_lowercase(), at)).collect();
    System { tables, names }
});

/// All that have names of their own; the others are there for SHOW.
pub fn all() -> impl Iterator<Item = &'static SystemTable> {
    SYSTEM.tables.iter().filter(|table| !table.name.starts_with('#'))
}

/// A table by name.
pub fn table(schema: &str, name: &str) -> Option<&'static SystemTable> {
    let name = name.to_lowercase();
    let name = match schema.to_lowercase().as_str() {
        "information_schema" => name,
        // MySQL has variables and counters there.
        "performance_schema" => match name.as_str() {
            "global_variables" | "session_variables" | "global_status" | "session_status" => {
                format!("#{name}")
            }
            _ => return None,
        },
        _ => return None,
    };
    let at = SYSTEM.names.get(&name)?;
    SYSTEM.tables.get(*at)
}

/// A table by oid.
pub fn by_oid(oid: Oid) -> Option<&'static SystemTable> {
    let at = usize::try_from(oid.checked_sub(FIRST)?).ok()?;
    SYSTEM.tables.get(at).filter(|table| table.oid == oid)
}

fn relation(line: &'static str, oid: Oid) -> Option<SystemTable> {
    let mut fields = line.split('\t');
    let name = fields.next()?;
    let (mut columns, mut not_null) = (Vec::new(), Vec::new());
    while let (Some(column), Some(ty)) = (fields.next(), fields.next()) {
        columns.push((column, type_of(ty.trim_end_matches('!'))));
        not_null.push(ty.ends_with('!'));
    }
    Some(SystemTable {
        schema: "information_schema",
        name,
        oid,
        columns,
        not_null,
        view: true,
        row_type: 0,
        row_array: 0,
    })
}

/// A type as it is printed.
fn type_of(text: &str) -> TypeId {
    let unsigned = text.ends_with(" unsigned");
    let plain = text.trim_end_matches(" unsigned");
    let (word, digits) = plain
        .split_once('(')
        .map_or((plain, ""), |(word, rest)| (word, rest.trim_end_matches(')')));
    let (length, scale) = digits.split_once(',').unwrap_or((digits, ""));
    let length: u32 = length.parse().unwrap_or(0);
    let scale: u8 = scale.parse().unwrap_or(0);
    let sized = |kind| MyType { length, unsigned, ..MyType::new(kind) };
    let collation = Collation::named("utf8mb3_general_ci").unwrap_or(Collation::DEFAULT);
    let text = |kind, length| MyType {
        length,
        collation,
        coercibility: Coercibility::Column,
        ..MyType::new(kind)
    };
    let ty = match word {
        "bigint" => sized(Kind::BigInt),
        "int" => sized(Kind::Int),
        "tinyint" => sized(Kind::TinyInt),
        "decimal" => MyType::decimal(length, u32::from(scale)),
        "datetime" => MyType::moment(Kind::DateTime, u8::try_from(length).unwrap_or(0)),
        "longtext" => text(Kind::LongText, 0),
        "blob" => MyType { collation: Collation::BINARY, ..text(Kind::Text, 0) },
        // Members of ENUMs are texts as any.
        "enum" => text(Kind::VarChar, 64),
        _ => text(Kind::VarChar, length),
    };
    ty.id()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_found_whatever_their_case() {
        let found = table("Information_Schema", "tables").expect("it is there");
        assert_eq!(found.name, "TABLES");
        assert_eq!(by_oid(found.oid).map(|table| table.name), Some("TABLES"));
        assert!(found.columns.iter().any(|(name, _)| *name == "TABLE_COMMENT"));
        assert!(all().count() > 30);
    }
}
