//! Every row has as many values as its table has columns, and rows say what a server says.

use std::sync::Arc;

use super::*;
use crate::catalog::ddl::tests::{SCHEMA, made};
use crate::catalog::{Catalog, Scope};
use crate::types::{Datum, Format, TypeEnv, text};
use hobgoblin_sql_schema::SystemTable;

fn rows_now(catalog: &Catalog, table: &SystemTable) -> Vec<Vec<Datum>> {
    let scope = Scope::new(Arc::new(catalog.clone()), "postgres");
    let format = Format::default();
    let cx = VirtualCx {
        scope: &scope,
        env: TypeEnv::new(&format, &scope),
        database: "postgres",
        backend_pid: 1,
        session: &(),
        define: &|_| None,
    };
    rows(table, catalog, &cx)
}

#[test]
fn rows_fit_their_tables() {
    let catalog = made(SCHEMA);
    for table in all() {
        for row in rows_now(&catalog, table) {
            assert_eq!(row.len(), table.columns.len(), "{}.{}", table.schema, table.name);
            for (value, ((name, _), not_null)) in
                row.iter().zip(table.columns.iter().zip(&table.not_null))
            {
                assert!(!(*not_null && value.is_null()), "{}.{name} is NULL", table.name);
            }
        }
    }
}

/// Some columns of the rows of a table that have a value in a column, printed.
fn look(catalog: &Catalog, table: &str, key: (&str, &str), columns: &[&str]) -> String {
    let table = super::table(table).expect("a system table");
    let place = |name: &str| table.columns.iter().position(|c| c.0 == name).expect("a column");
    let format = Format::default();
    let env = TypeEnv::new(&format, catalog);
    let print = |row: &[Datum], name: &str| {
        let at = place(name);
        match &row[at] {
            Datum::Null => "NULL".to_owned(),
            value => text::print(value, table.columns[at].1, -1, &env),
        }
    };
    let found = rows_now(catalog, table);
    let found = found.iter().filter(|row| print(row, key.0) == key.1);
    let lines =
        found.map(|row| columns.iter().map(|c| print(row, c)).collect::<Vec<_>>().join(","));
    lines.collect::<Vec<_>>().join(" ")
}

#[test]
fn rows_say_what_a_server_says() {
    let c = made(SCHEMA);
    let seen = look(
        &c,
        "pg_class",
        ("relname", "t1"),
        &["relkind", "relnatts", "relchecks", "relhasindex", "relhastriggers"],
    );
    assert_eq!(seen, "r,6,1,t,t");
    let seen = look(&c, "pg_class", ("relname", "u"), &["relkind", "relam", "relnatts"]);
    assert_eq!(seen, "i,403,3");
    let seen = look(
        &c,
        "pg_attribute",
        ("attname", "amt"),
        &["attlen", "attnum", "atttypmod", "attstorage", "atthasdef"],
    );
    assert_eq!(seen, "-1,3,655366,m,t -1,2,655366,m,f");
    let seen = look(&c, "pg_attribute", ("attname", "g"), &["attnum", "atthasdef", "attgenerated"]);
    assert_eq!(seen, "3,t,s");
    let seen = look(
        &c,
        "pg_type",
        ("typname", "_mood"),
        &["typlen", "typcategory", "typdelim", "typalign"],
    );
    assert_eq!(seen, "-1,A,,,i");
    let seen = look(
        &c,
        "pg_constraint",
        ("conname", "t2_r_fkey"),
        &[
            "contype",
            "condeferrable",
            "condeferred",
            "confdeltype",
            "confmatchtype",
            "conkey",
            "confkey",
            "conpfeqop",
        ],
    );
    assert_eq!(seen, "f,t,t,c,s,{2},{1},{96}");
    let seen = look(
        &c,
        "pg_index",
        ("indnatts", "3"),
        &["indnkeyatts", "indisunique", "indkey", "indclass", "indoption", "indcollation"],
    );
    // Whoever binds for these tests takes every expression for an integer.
    assert_eq!(seen, "2,t,0 3 5,1978 3125,0 3,0 0");
    assert_eq!(look(&c, "pg_am", ("amname", "btree"), &["oid", "amtype"]), "403,i");
}
