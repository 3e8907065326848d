//! Locks by name, locks on tables, and changes of the schema that wait for transactions.

use std::time::{Duration, Instant};

use hobgoblin_sql_mysql_types::Version;

use crate::support::{check, connect, server, told, waits};

#[test]
fn locks_by_name_are_a_sessions_own() {
    let server = server(Version::MariaDb10_11);
    let (mut one, mut two) = (connect(&server), connect(&server));
    let id = one.id();
    check(
        &mut one,
        &[
            ("select get_lock('a', 0)", "[1]"),
            ("select get_lock('A', 10)", "[1]"),
            ("select release_lock('missing'), is_free_lock('missing')", "[NULL,1]"),
        ],
    );
    let used = format!("[{id},0]");
    check(
        &mut two,
        &[
            ("select get_lock('a', 0)", "[0]"),
            ("select release_lock('a')", "[0]"),
            ("select is_used_lock('a'), is_free_lock('a')", &used),
        ],
    );
    let (mut two, answer) =
        waits(&server, two, "select get_lock('a', 0.05)").join().expect("it ends");
    assert_eq!(answer, "[0]");
    // It was taken twice.
    check(&mut one, &[("begin", "0"), ("rollback", "0"), ("select release_lock('a')", "[1]")]);
    check(&mut two, &[("select get_lock('a', 0)", "[0]")]);
    check(&mut one, &[("select release_all_locks()", "[1]")]);
    check(&mut two, &[("select get_lock('a', 0)", "[1]")]);
    drop(two);
    check(&mut one, &[("select get_lock('a', 0)", "[1]")]);
}

/// What a subquery in FROM reads is not locked by the query around it, nor what a view reads that is not merged into it.
#[test]
fn rows_of_derived_tables_are_not_locked() {
    let server = server(Version::MariaDb10_11);
    let (mut one, mut two) = (connect(&server), connect(&server));
    check(
        &mut one,
        &[
            ("create table a (id int primary key)", "0"),
            ("create table b (id int primary key)", "0"),
            ("create view merged as select * from a", "0"),
            ("create view around as select * from (select * from a) q", "0"),
            ("create view kept as select distinct * from a", "0"),
            ("insert into a values (1)", "1"),
            ("insert into b values (1)", "1"),
        ],
    );
    let (free, held) = ("[1]", "0; 1205 Lock wait timeout exceeded; try restarting transaction");
    for (sql, a, b) in [
        ("select q.id from (select * from a) q join b using (id) for update", free, held),
        ("select id from (select * from a order by id) q lock in share mode", free, free),
        ("select q.id from (select id, count(*) from a group by id) q for update", free, free),
        ("select * from (select * from a for update) q", held, free),
        ("select * from merged for update", held, free),
        ("select * from (select * from merged) q for update", free, free),
        ("select * from around for update", free, free),
        ("select * from kept for update", free, free),
        ("select * from a union select * from b for update", free, held),
    ] {
        check(&mut one, &[("begin", "0"), (sql, "[1]")]);
        check(
            &mut two,
            &[("select * from a for update nowait", a), ("select * from b for update nowait", b)],
        );
        check(&mut one, &[("rollback", "0")]);
    }
}

#[test]
fn locked_tables_are_waited_for() {
    let server = server(Version::MariaDb10_11);
    let (mut one, mut two) = (connect(&server), connect(&server));
    check(
        &mut one,
        &[
            ("create table t (id int primary key)", "0"),
            ("create table u (id int primary key)", "0"),
            ("lock tables t read", "0"),
            ("select * from u", "1100 Table 'u' was not locked with LOCK TABLES"),
            (
                "insert into t values (1)",
                "1099 Table 't' was locked with a READ lock and can't be updated",
            ),
            ("select * from t", "[]"),
        ],
    );
    check(&mut two, &[("select * from t", "[]"), ("set lock_wait_timeout = 1", "0")]);
    let (two, answer) = waits(&server, two, "insert into t values (2)").join().expect("it ends");
    assert_eq!(answer, "1205 Lock wait timeout exceeded; try restarting transaction");
    check(&mut one, &[("lock tables t write", "0"), ("insert into t values (1)", "1")]);
    let asked = waits(&server, two, "select * from t");
    check(&mut one, &[("unlock tables", "0"), ("select * from u", "[]")]);
    let (two, answer) = asked.join().expect("it ends");
    assert_eq!(answer, "[1]");
    // What a session had locked is free when it ends.
    check(&mut one, &[("lock tables t write", "0")]);
    let asked = waits(&server, two, "select * from t");
    drop(one);
    assert_eq!(asked.join().expect("it ends").1, "[1]");
}

#[test]
fn changes_of_the_schema_wait_for_transactions() {
    let server = server(Version::MariaDb10_11);
    let (mut one, mut two) = (connect(&server), connect(&server));
    check(
        &mut one,
        &[("create table t (id int primary key)", "0"), ("begin", "0"), ("select * from t", "[]")],
    );
    check(&mut two, &[("set lock_wait_timeout = 1", "0")]);
    let start = Instant::now();
    let gave_up = "1205 Lock wait timeout exceeded; try restarting transaction";
    let asked = waits(&server, two, "alter table t add column v int");
    let (two, answer) = asked.join().expect("it ends");
    assert_eq!(answer, gave_up);
    assert!(start.elapsed() >= Duration::from_millis(900));
    let asked = waits(&server, two, "alter table t add column v int");
    check(&mut one, &[("commit", "0")]);
    let (mut two, answer) = asked.join().expect("it ends");
    assert_eq!(answer, "0");
    check(&mut two, &[("insert into t values (1, 2)", "1")]);
    // It commits what is open.
    check(
        &mut one,
        &[("begin", "0"), ("insert into t values (2, 3)", "1"), ("create table u (a int)", "0")],
    );
    check(&mut one, &[("rollback", "0"), ("select * from t", "[1,2 2,3]")]);
}

#[test]
fn two_sessions_make_the_same_table() {
    let server = server(Version::MariaDb10_11);
    let answers: Vec<String> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4)
            .map(|at| {
                let server = &server;
                scope.spawn(move || {
                    let mut session = connect(server);
                    let own = told(&mut session, &format!("create table own{at} (a int)"));
                    assert_eq!(own, "0");
                    told(&mut session, "create table t (a int)")
                })
            })
            .collect();
        runs.into_iter().map(|run| run.join().expect("it ends")).collect()
    });
    let made = answers.iter().filter(|answer| *answer == "0").count();
    assert_eq!(made, 1, "{answers:?}");
    let mut session = connect(&server);
    check(
        &mut session,
        &[("select * from own0, own1, own2, own3, t", "[]"), ("insert into t values (1)", "1")],
    );
}
