//! How statements and sessions end, and that they leave nothing behind.

use std::time::{Duration, Instant};

use hobgoblin_sql::mysql::session::Startup;
use hobgoblin_sql_mysql_types::Version;

use crate::support::{check, connect, server, told, waits};

#[test]
fn statements_and_sessions_are_killed() {
    let server = server(Version::MariaDb10_11);
    let (mut one, mut two) = (connect(&server), connect(&server));
    check(
        &mut one,
        &[
            ("create table t (id int primary key, v int)", "0"),
            ("insert into t values (1, 1), (2, 2)", "2"),
            ("begin", "0"),
            ("update t set v = 5 where id = 1", "1"),
        ],
    );
    check(&mut two, &[("begin", "0"), ("update t set v = 6 where id = 2", "1")]);
    let id = two.id();
    let asked = waits(&server, two, "update t set v = 7 where id = 1");
    check(&mut one, &[(&format!("kill query {id}"), "0")]);
    let (mut two, answer) = asked.join().expect("it ends");
    assert_eq!(answer, "1317 Query execution was interrupted");
    // The transaction goes on.
    assert!(two.status().in_transaction && !two.is_terminated());
    check(&mut two, &[("select v from t where id = 2", "[6]")]);
    let asked = waits(&server, two, "update t set v = 7 where id = 1");
    check(&mut one, &[(&format!("kill {id}"), "0")]);
    let (two, _) = asked.join().expect("it ends");
    assert!(two.is_terminated());
    drop(two);
    check(&mut one, &[("kill 99", "1094 Unknown thread id: 99"), ("commit", "0")]);
    check(&mut one, &[("select * from t", "[1,5 2,2]")]);
}

#[test]
fn statements_take_no_longer_than_they_may() {
    let server = server(Version::MariaDb10_11);
    let mut session = connect(&server);
    check(&mut session, &[("set max_statement_time = 0.1", "0")]);
    let start = Instant::now();
    let answer = told(&mut session, "do sleep(20)");
    assert!(start.elapsed() < Duration::from_secs(10), "{answer}");
    assert!(answer.starts_with("1969 "), "{answer}");
    check(&mut session, &[("select 1", "[1]")]);
}

#[test]
fn nothing_is_left_of_a_session_that_begins_again() {
    let server = server(Version::MariaDb10_11);
    let (mut one, mut two) = (connect(&server), connect(&server));
    check(&mut one, &[("create table t (id int primary key)", "0")]);
    for again in [false, true] {
        check(
            &mut one,
            &[
                ("select get_lock('a', 0)", "[1]"),
                ("set @a = 4, sql_mode = 'ANSI_QUOTES', autocommit = 0", "0"),
                ("set session transaction isolation level read committed", "0"),
                ("create temporary table mine (a int)", "0"),
                ("insert into mine values (1)", "1"),
                ("prepare s from 'select 1'", "0"),
                ("begin", "0"),
                ("insert into t values (1)", "1"),
            ],
        );
        let prepared = one.prepare(b"select 1").expect("it reads");
        match again {
            false => one.reset().expect("it begins again"),
            true => {
                let startup = Startup {
                    user: "other".to_owned(),
                    database: Some("test".to_owned()),
                    ..Startup::default()
                };
                one.change_user(startup).expect("it is somebody else");
                check(&mut one, &[("select user()", "[other@localhost]")]);
            }
        }
        check(
            &mut one,
            &[
                ("select * from t", "[]"),
                ("select @a, @@autocommit, \"x\"", "[NULL,1,x]"),
                ("select @@tx_isolation", "[REPEATABLE-READ]"),
                ("select * from mine", "1146 Table 'test.mine' doesn't exist"),
                ("execute s", "1243 Unknown prepared statement handler (s) given to EXECUTE"),
            ],
        );
        assert!(!one.status().in_transaction && one.status().autocommit);
        assert!(
            one.execute(prepared.id, Vec::new(), &mut crate::support::Kept::default()).is_err()
        );
        check(
            &mut two,
            &[
                ("select get_lock('a', 0), release_lock('a')", "[1,1]"),
                ("select * from t for update", "[]"),
            ],
        );
    }
}

#[test]
fn temporary_tables_hide_others_and_commit_nothing() {
    let server = server(Version::MariaDb10_11);
    let (mut one, mut two) = (connect(&server), connect(&server));
    check(
        &mut one,
        &[
            ("create table t (id int primary key)", "0"),
            ("begin", "0"),
            ("insert into t values (1)", "1"),
            ("create temporary table t (id int primary key)", "0"),
            ("insert into t values (7)", "1"),
            ("select * from t", "[7]"),
            ("drop temporary table t", "0"),
            ("select * from t", "[1]"),
            ("rollback", "0"),
            ("select * from t", "[]"),
        ],
    );
    check(&mut two, &[("select * from t", "[]")]);
}
