//! System relations that only extensions change: read from their files, as PostgreSQL 15 prints them with COPY.

use std::sync::LazyLock;

use super::context::RowsFn;
use super::extensions;
use super::tables::{row, table};
use crate::types::Datum;

/// The rows of a table that never changes, from its file.
fn fixed(name: &str) -> Vec<Vec<Datum>> {
    let file = match name {
        "pg_am" => include_str!("data/pg_am.tsv"),
        "pg_amop" => include_str!("data/pg_amop.tsv"),
        "pg_amproc" => include_str!("data/pg_amproc.tsv"),
        "pg_cast" => include_str!("data/pg_cast.tsv"),
        "pg_collation" => include_str!("data/pg_collation.tsv"),
        "pg_conversion" => include_str!("data/pg_conversion.tsv"),
        "pg_language" => include_str!("data/pg_language.tsv"),
        "pg_opclass" => include_str!("data/pg_opclass.tsv"),
        "pg_operator" => include_str!("data/pg_operator.tsv"),
        "pg_opfamily" => include_str!("data/pg_opfamily.tsv"),
        "pg_range" => include_str!("data/pg_range.tsv"),
        "pg_tablespace" => include_str!("data/pg_tablespace.tsv"),
        "pg_ts_config" => include_str!("data/pg_ts_config.tsv"),
        "pg_ts_dict" => include_str!("data/pg_ts_dict.tsv"),
        "pg_ts_parser" => include_str!("data/pg_ts_parser.tsv"),
        "pg_ts_template" => include_str!("data/pg_ts_template.tsv"),
        _ => return Vec::new(),
    };
    let Some(table) = table(name) else { return Vec::new() };
    file.lines().map(|line| row(table, line.split('\t'))).collect()
}

macro_rules! fixed_tables {
    ($($name:ident)*) => {
        /// How the rows of a table that only extensions change are made: read once, then copied.
        pub(super) fn fixed_rows(name: &str) -> Option<RowsFn> {
            match name {
                $(stringify!($name) => Some(|catalog, _| {
                    static ROWS: LazyLock<Vec<Vec<Datum>>> = LazyLock::new(|| fixed(stringify!($name)));
                    let mut rows = ROWS.clone();
                    rows.extend(extensions::rows(catalog, stringify!($name)));
                    rows
                }),)*
                _ => None,
            }
        }
    };
}

fixed_tables!(pg_am pg_amop pg_amproc pg_cast pg_collation pg_conversion pg_language pg_opclass pg_operator
    pg_opfamily pg_range pg_tablespace pg_ts_config pg_ts_dict pg_ts_parser pg_ts_template);
