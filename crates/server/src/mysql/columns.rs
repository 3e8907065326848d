//! The columns of results as clients are told of them.

use hobgoblin_sql_mysql::session::{ColumnDescription, ColumnFacts};
use hobgoblin_sql_mysql_types::client::ClientType;
use hobgoblin_sql_mysql_types::{Kind, MyType};
use hobgoblin_wire::mysql::{BINARY, Column, ColumnFlags, ColumnType, Version};

/// What MariaDB tells of its JSON, which is a LONGTEXT otherwise: the name of a format.
const JSON: &[(u8, &[u8])] = &[(1, b"json")];

/// The type that clients are told.
pub(crate) fn column_type(column: &ColumnDescription, version: Version) -> ColumnType {
    let ty = MyType::of(column.ty);
    if ty.kind == Kind::Json && !version.is_mariadb() {
        return ColumnType::Json;
    }
    // All numbers of `ClientType` are types of the protocol.
    ColumnType::by_number(ClientType::of(ty).code).unwrap_or(ColumnType::VarString)
}

/// A column as packets describe it.
pub(crate) fn described(column: &ColumnDescription, version: Version) -> Column<'_> {
    let ty = MyType::of(column.ty);
    let known = match column.original_name.is_empty() {
        true => ClientType::of(ty),
        false => ClientType::of_column(ty),
    };
    let code = column_type(column, version);
    let is_json = ty.kind == Kind::Json;
    Column {
        schema: column.schema.as_bytes(),
        table: column.table.as_bytes(),
        original_table: column.original_table.as_bytes(),
        name: column.name.as_bytes(),
        original_name: column.original_name.as_bytes(),
        extended: if is_json && version.is_mariadb() { JSON } else { &[] },
        collation: if code == ColumnType::Json { BINARY } else { known.collation },
        length: known.length,
        ty: code,
        flags: ColumnFlags::from_bits(known.flags).with(facts(&column.flags)),
        decimals: known.decimals,
    }
}

/// A parameter of a prepared statement: nothing is known of it before it has a value.
pub(crate) const PARAMETER: Column<'static> = Column {
    schema: b"",
    table: b"",
    original_table: b"",
    name: b"?",
    original_name: b"",
    extended: &[],
    collation: BINARY,
    length: 0,
    ty: ColumnType::Null,
    flags: ColumnFlags::BINARY,
    decimals: 0,
};

fn facts(facts: &ColumnFacts) -> ColumnFlags {
    let ColumnFacts {
        not_null,
        primary_key,
        unique_key,
        multiple_key,
        auto_increment,
        no_default,
        on_update_now,
        timestamp,
        part_key,
    } = *facts;
    let all = [
        (not_null, ColumnFlags::NOT_NULL),
        (primary_key, ColumnFlags::PRIMARY_KEY),
        (unique_key, ColumnFlags::UNIQUE_KEY),
        (multiple_key, ColumnFlags::MULTIPLE_KEY),
        (auto_increment, ColumnFlags::AUTO_INCREMENT),
        (no_default, ColumnFlags::NO_DEFAULT_VALUE),
        (on_update_now, ColumnFlags::ON_UPDATE_NOW),
        (timestamp, ColumnFlags::TIMESTAMP),
        (part_key, ColumnFlags::PART_KEY),
    ];
    let set = all.into_iter().filter(|(holds, _)| *holds);
    set.fold(ColumnFlags::default(), |flags, (_, flag)| flags.with(flag))
}
