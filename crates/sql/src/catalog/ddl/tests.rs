//! What statements make of the catalogue: names, errors and notices as a PostgreSQL 15 server gave them.

use std::sync::Arc;

use sqlparser::ast::{Expr, Query};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;

use super::*;
use crate::catalog::IndexKey;

/// Knows no types: expressions are integers, queries have one column.
struct Blind;

impl DdlBinder for Blind {
    fn describe_query(&self, _: &Catalog, _: &Query) -> Result<Vec<(String, TypeId, i32)>> {
        Ok(vec![("a".to_owned(), TypeId::INT4, -1)])
    }
    fn describe_expr(&self, _: &Catalog, _: Option<&Arc<Table>>, _: &Expr, _: Usage) -> Result<TypeId> {
        Ok(TypeId::INT4)
    }
    fn constant(&self, _: &Catalog, _: &Expr, _: TypeId, _: i32) -> Result<Option<Datum>> {
        Ok(Some(Datum::Int(1)))
    }
}

/// A database one can send statements to; what it says comes back as one text.
struct Db(Catalog);

impl Db {
    fn new(script: &str) -> Db {
        let mut db = Db(Catalog::new());
        for statement in script.split(';').map(str::trim).filter(|s| !s.is_empty()) {
            let said = db.run(statement);
            assert!(!said.starts_with("ERROR"), "{statement}: {said}");
        }
        db
    }

    fn run(&mut self, sql: &str) -> String {
        let path = ["pg_temp_1".to_owned(), "public".to_owned()];
        let cx = DdlContext { path: &path, temporary: "pg_temp_1", user: "postgres", binder: &Blind };
        let mut catalog = self.0.clone();
        let result = match Parser::parse_sql(&PostgreSqlDialect {}, sql) {
            Ok(parsed) => apply(&mut catalog, &parsed[0], &cx),
            Err(error) => match parse_extra(sql) {
                Ok(Some(extra)) => apply_extra(&mut catalog, &extra, &cx),
                Ok(None) => panic!("{sql}: {error}"),
                Err(error) => Err(error),
            },
        };
        let print = |e: &SqlError| {
            let detail = e.more.detail.as_ref().map(|d| format!(" | {}", d.replace('\n', " | ")));
            format!("{} {}{}", e.state.0, e.message, detail.unwrap_or_default())
        };
        match result {
            Err(error) => format!("ERROR {}", print(&error)),
            Ok(out) => {
                self.0 = catalog;
                out.notices.iter().map(print).chain([out.tag]).collect::<Vec<_>>().join("; ")
            }
        }
    }

    fn table(&self, name: &str) -> Arc<Table> {
        match self.0.relation_in("public", name) {
            Some(Found::Table(table)) => table.clone(),
            _ => panic!("no table {name}"),
        }
    }

    fn constraints(&self, table: &str) -> String {
        let names: Vec<String> = self.table(table).constraints.iter().map(|c| c.name.clone()).collect();
        names.join(" ")
    }
}

#[test]
fn generated_names() {
    let mut db = Db::new(
        "create table p(id int primary key, a int unique, b int, unique(a, b), check (a > 0), check (a > b));
         create table c(id serial primary key, p int references p, q int references p(a) on delete cascade);
         create index on p(a, b); create index on p(a, b); create index on p(lower(b), (a + 1), (a + 2)) include (b)",
    );
    assert_eq!(db.constraints("p"), "p_a_check p_check p_pkey p_a_key p_a_b_key");
    assert_eq!(db.constraints("c"), "c_pkey c_p_fkey c_q_fkey");
    let names: Vec<_> = db.table("p").indexes.iter().map(|i| i.name.clone()).collect();
    assert_eq!(
        names.join(" "),
        "p_pkey p_a_key p_a_b_key p_a_b_idx p_a_b_idx1 p_lower_expr_expr1_b_idx"
    );
    let default = db.table("c").columns[0].default.clone().expect("a serial column has a default");
    assert_eq!(default.text, "nextval('public.c_id_seq'::regclass)");
    assert!(matches!(db.table("p").indexes[3].columns[0].key, IndexKey::Column(1)));
    assert_eq!(db.run("alter sequence c_id_seq rename to other"), "ALTER SEQUENCE");
    let default = db.table("c").columns[0].default.clone().expect("it follows the sequence");
    assert_eq!(default.text, "nextval('public.other'::regclass)");
}

#[test]
fn what_depends_is_named() {
    let mut db = Db::new(
        "create table p(id int primary key, a int unique, b int);
         create table c(id serial primary key, p int references p, q int references p(a));
         create view v as select id, a from p; create view v2 as select * from v",
    );
    for (sql, said) in [
        (
            "drop table p",
            "ERROR 2BP01 cannot drop table p because other objects depend on it | \
             constraint c_p_fkey on table c depends on table p | \
             constraint c_q_fkey on table c depends on table p | view v depends on table p | \
             view v2 depends on view v",
        ),
        (
            "alter table p drop column a",
            "ERROR 2BP01 cannot drop column a of table p because other objects depend on it | \
             constraint c_q_fkey on table c depends on column a of table p | \
             view v depends on column a of table p | view v2 depends on view v",
        ),
        ("alter table p drop column b", "ALTER TABLE"),
        (
            "alter table p drop constraint p_pkey",
            "ERROR 2BP01 cannot drop constraint p_pkey on table p because other objects depend on it | \
             constraint c_p_fkey on table c depends on index p_pkey",
        ),
        ("drop index p_pkey", "ERROR 2BP01 cannot drop index p_pkey because constraint p_pkey on table p requires it"),
        (
            "drop sequence c_id_seq",
            "ERROR 2BP01 cannot drop sequence c_id_seq because other objects depend on it | \
             default value for column id of table c depends on sequence c_id_seq",
        ),
        ("drop table v", "ERROR 42809 \"v\" is not a table"),
        ("drop table if exists nope, nope2", "00000 table \"nope\" does not exist, skipping; 00000 table \"nope2\" does not exist, skipping; DROP TABLE"),
        ("drop index nope", "ERROR 42704 index \"nope\" does not exist"),
        ("drop table nos.t", "ERROR 3F000 schema \"nos\" does not exist"),
        (
            "drop table p cascade",
            "00000 drop cascades to 4 other objects | drop cascades to constraint c_p_fkey on table c | \
             drop cascades to constraint c_q_fkey on table c | drop cascades to view v | \
             drop cascades to view v2; DROP TABLE",
        ),
    ] {
        assert_eq!(db.run(sql), said, "{sql}");
    }
    assert_eq!(db.constraints("c"), "c_pkey");
    assert_eq!(db.run("drop table c"), "DROP TABLE");
    assert!(db.0.relations.is_empty() && db.0.derived.is_empty());
    let public = &db.0.schemas["public"];
    assert!(public.relations.is_empty() && public.types.is_empty());
}

#[test]
fn identity_generated_and_enum() {
    let mut db = Db::new(
        "create table t(id int generated always as identity, g int, h int generated always as (g*2) stored,
           check (g>0), m int check (m > g));
         create type mood as enum('a','b'); create table mt(m mood, ma mood[], d mood default 'a')",
    );
    for (sql, said) in [
        ("drop sequence t_id_seq", "ERROR 2BP01 cannot drop sequence t_id_seq because column id of table t requires it"),
        (
            "alter table t drop column g",
            "ERROR 2BP01 cannot drop column g of table t because other objects depend on it | \
             column h of table t depends on column g of table t",
        ),
        ("alter table t drop column m", "ALTER TABLE"),
        (
            "drop type mood",
            "ERROR 2BP01 cannot drop type mood because other objects depend on it | \
             column ma of table mt depends on type mood[] | column d of table mt depends on type mood | \
             column m of table mt depends on type mood",
        ),
        ("alter type mood add value 'c' before 'b'", "ALTER TYPE"),
        ("alter type mood add value 'c'", "ERROR 42710 enum label \"c\" already exists"),
        ("alter type mood add value if not exists 'c'", "42710 enum label \"c\" already exists, skipping; ALTER TYPE"),
        ("alter type mood rename value 'x' to 'y'", "ERROR 22023 \"x\" is not an existing enum label"),
        ("create type mood as enum ()", "ERROR 42710 type \"mood\" already exists"),
        ("create table mood(a int)", "ERROR 42710 type \"mood\" already exists"),
        ("alter table t alter id drop not null", "ERROR 42601 column \"id\" of relation \"t\" is an identity column"),
        ("alter table t alter h set default 3", "ERROR 42601 column \"h\" of relation \"t\" is a generated column"),
        ("alter table t rename g to gg", "ALTER TABLE"),
    ] {
        assert_eq!(db.run(sql), said, "{sql}");
    }
    assert_eq!(db.constraints("t"), "t_g_check");
    let generated = db.table("t").columns[2].default.clone().expect("h is generated");
    assert_eq!(generated.text, "\"gg\" * 2");
    let labels: Vec<String> = db.0.enums.values().flat_map(|e| e.labels.iter().map(|l| format!("{}:{}", l.2, l.1))).collect();
    assert_eq!(labels.join(" "), "a:1 c:1.5 b:2");
}

#[test]
fn errors_of_create_and_alter() {
    let mut db = Db::new("create table p(id int primary key, t text, d int unique deferrable); create table q(a int)");
    for (sql, said) in [
        ("create table p(a int)", "ERROR 42P07 relation \"p\" already exists"),
        ("create table if not exists p(a int)", "42P07 relation \"p\" already exists, skipping; CREATE TABLE"),
        ("create table x(a int, a int)", "ERROR 42701 column \"a\" specified more than once"),
        ("create table x(a int primary key, b int primary key)", "ERROR 42P16 multiple primary keys for table \"x\" are not allowed"),
        ("create table x(a int, primary key (b))", "ERROR 42703 column \"b\" named in key does not exist"),
        ("create table x(a int, unique (a, a))", "ERROR 42701 column \"a\" appears twice in unique constraint"),
        ("create table x(a int references nope)", "ERROR 42P01 relation \"nope\" does not exist"),
        ("create table x(a int references q)", "ERROR 42704 there is no primary key for referenced table \"q\""),
        ("create table x(a int references p(t))", "ERROR 42830 there is no unique constraint matching given keys for referenced table \"p\""),
        ("create table x(a int references p(d))", "ERROR 55000 cannot use a deferrable unique constraint for referenced table \"p\""),
        (
            "create table x(a text references p)",
            "ERROR 42804 foreign key constraint \"x_a_fkey\" cannot be implemented | \
             Key columns \"a\" and \"id\" are of incompatible types: text and integer.",
        ),
        ("create table x(a int, foreign key (a, a) references p)", "ERROR 42830 number of referencing and referenced columns for foreign key disagree"),
        ("create table x(a nope)", "ERROR 42704 type \"nope\" does not exist"),
        ("create table x(a json unique)", "ERROR 42704 data type json has no default operator class for access method \"btree\""),
        ("create table x(a int null not null)", "ERROR 42601 conflicting NULL/NOT NULL declarations for column \"a\" of table \"x\""),
        ("create table x(a varchar(0))", "ERROR 22023 length for type varchar must be at least 1"),
        ("create table x(a numeric(2000))", "ERROR 22023 NUMERIC precision 2000 must be between 1 and 1000"),
        ("create table pg_catalog.x(a int)", "ERROR 42501 permission denied to create \"pg_catalog.x\" | System catalog modifications are currently disallowed."),
        ("create sequence s increment 0", "ERROR 22023 INCREMENT must not be zero"),
        ("create sequence s minvalue 5 start 3", "ERROR 22023 START value (3) cannot be less than MINVALUE (5)"),
        ("create schema pg_x", "ERROR 42939 unacceptable schema name \"pg_x\" | The prefix \"pg_\" is reserved for system schemas."),
        ("alter table q add column a int", "ERROR 42701 column \"a\" of relation \"q\" already exists"),
        ("alter table q drop column zz", "ERROR 42703 column \"zz\" of relation \"q\" does not exist"),
        ("alter table if exists zz add column a int", "00000 relation \"zz\" does not exist, skipping; ALTER TABLE"),
        ("alter table q drop constraint zz", "ERROR 42704 constraint \"zz\" of relation \"q\" does not exist"),
        ("alter table p validate constraint p_pkey", "ERROR 42809 constraint \"p_pkey\" of relation \"p\" is not a foreign key or check constraint"),
        ("alter table p alter id drop not null", "ERROR 42P16 column \"id\" is in a primary key"),
        ("alter table p alter t type boolean", "ERROR 42804 column \"t\" cannot be cast automatically to type boolean"),
        ("create index on q using hash (a, a)", "ERROR 0A000 access method \"hash\" does not support multicolumn indexes"),
        ("create unique index on q using hash (a)", "ERROR 0A000 access method \"hash\" does not support unique indexes"),
        ("create index on q (zz)", "ERROR 42703 column \"zz\" does not exist"),
        ("create view p as select 1", "ERROR 42P07 relation \"p\" already exists"),
        ("create or replace view p as select 1", "ERROR 42809 \"p\" is not a view"),
    ] {
        assert_eq!(db.run(sql), said, "{sql}");
    }
    assert!(db.0.relation_in("public", "x").is_none());
}
