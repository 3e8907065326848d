//! Databases that begin where others were.

use hobgoblin_front::{Config, Profile};
use hobgoblin_sql_mysql_types::Version;

use crate::support::{check, connect, over, server};

#[test]
fn databases_begin_where_others_were() {
    let first = server(Version::MariaDb10_11);
    let mut session = connect(&first);
    check(
        &mut session,
        &[
            ("create database shop", "1"),
            (
                "create table shop.item (id int auto_increment primary key, name varchar(20) unique)",
                "0",
            ),
            ("insert into shop.item (name) values ('a'), ('b')", "2"),
            ("set sql_mode = 'ANSI_QUOTES'", "0"),
            ("create table \"t\" (id int primary key, v varchar(9) default 'x')", "0"),
            ("insert into t (id) values (1)", "1"),
            ("drop table shop.item", "0"),
            (
                "create table shop.item (id int auto_increment primary key, name varchar(20) unique)",
                "0",
            ),
            ("insert into shop.item (name) values ('c'), ('d')", "2"),
            ("create temporary table gone (a int)", "0"),
        ],
    );
    let snapshot = first.snapshot();
    assert_eq!(first.missing_from(&snapshot), Vec::<String>::new());
    let config = Config::default().profile(Profile::Mysql).level(hobgoblin_core::Level::SI);
    let again = over(config.initial_values(snapshot), Version::MariaDb10_11);
    let mut session = connect(&again);
    check(
        &mut session,
        &[
            ("select * from shop.item", "[1,c 2,d]"),
            ("insert into shop.item (name) values ('e')", "1"),
            ("select last_insert_id()", "[3]"),
            (
                "insert into shop.item (name) values ('C')",
                "1062 Duplicate entry 'C' for key 'name'",
            ),
            ("insert into t (id) values (2)", "1"),
            ("select * from t", "[1,x 2,x]"),
            ("select * from gone", "1146 Table 'test.gone' doesn't exist"),
        ],
    );
}
