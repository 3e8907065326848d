//! Transactions of one session.

use hobgoblin_core::Level;
use hobgoblin_front::{Config, Policy, Profile};
use hobgoblin_sql_mysql_types::Version;

use crate::support::{check, connect, over, server, told};

#[test]
fn rows_come_and_go() {
    let server = server(Version::MariaDb10_11);
    let mut session = connect(&server);
    check(
        &mut session,
        &[
            ("create table t (id int primary key, v int, w varchar(10))", "0"),
            ("insert into t values (1, 10, 'a'), (2, 20, 'b')", "2"),
            ("select * from t", "[1,10,a 2,20,b]"),
            ("update t set v = v + 1 where id = 1", "1"),
            ("select v from t where id = 1", "[11]"),
            ("delete from t where id = 2", "1"),
            ("select count(*) from t", "[1]"),
            ("insert into t values (1, 1, 'x')", "1062 Duplicate entry '1' for key 'PRIMARY'"),
            ("select * from missing", "1146 Table 'test.missing' doesn't exist"),
            (
                "select",
                "1064 You have an error in your SQL syntax; check the manual that corresponds to your MariaDB server version for the right syntax to use near '' at line 1",
            ),
            ("select 1; select 2", "[1]; [2]"),
        ],
    );
}

#[test]
fn blocks_end_as_they_are_told() {
    let server = server(Version::MariaDb10_11);
    let (mut one, mut two) = (connect(&server), connect(&server));
    check(
        &mut one,
        &[
            ("create table t (id int primary key, v int)", "0"),
            ("begin", "0"),
            ("insert into t values (1, 1)", "1"),
        ],
    );
    check(&mut two, &[("select * from t", "[]")]);
    check(&mut one, &[("rollback", "0"), ("select * from t", "[]")]);
    check(&mut one, &[("begin", "0"), ("insert into t values (1, 1)", "1")]);
    check(
        &mut one,
        &[
            // A statement that fails undoes itself and no more.
            ("insert into t values (2, 2), (1, 9)", "1062 Duplicate entry '1' for key 'PRIMARY'"),
            ("select * from t", "[1,1]"),
            ("savepoint a", "0"),
            ("insert into t values (3, 3)", "1"),
            ("rollback to a", "0"),
            ("rollback to b", "1305 SAVEPOINT b does not exist"),
            ("commit", "0"),
        ],
    );
    check(&mut two, &[("select * from t", "[1,1]")]);
    check(&mut one, &[("set autocommit = 0", "0"), ("update t set v = 5", "1"), ("rollback", "0")]);
    check(&mut one, &[("update t set v = 6", "1"), ("set autocommit = 1", "0")]);
    check(&mut two, &[("select * from t", "[1,6]")]);
    check(
        &mut one,
        &[
            ("start transaction read only", "0"),
            ("update t set v = 7", "1792 Cannot execute statement in a READ ONLY transaction"),
            ("commit", "0"),
        ],
    );
}

#[test]
fn a_store_that_is_no_engine_serves_the_same_statements() {
    let server = over(Config::default(), Version::MariaDb10_11);
    let (mut one, mut two) = (connect(&server), connect(&server));
    check(
        &mut one,
        &[
            ("create table t (id int auto_increment primary key, v int, key v (v))", "0"),
            ("insert into t (v) values (1), (2)", "2"),
            ("begin", "0"),
            ("insert into t values (7, 3)", "1"),
            ("insert into t values (8, 3), (7, 9)", "1062 Duplicate entry '7' for key 'PRIMARY'"),
            ("savepoint a", "0"),
            ("update t set v = 9", "3"),
            ("rollback to a", "0"),
            ("commit", "0"),
            ("select * from t order by id", "[1,1 2,2 7,3]"),
        ],
    );
    check(&mut two, &[("insert into t (v) values (4)", "1"), ("select last_insert_id()", "[9]")]);
}

/// A level that SQL has no name for is that of who names none, and another is still to be had.
#[test]
fn the_level_of_the_store_is_that_of_transactions() {
    let served = |level: &Level| Profile::Spec.satisfies(*level).is_some();
    for level in Level::ALL.into_iter().filter(served) {
        let server = over(Config::default().level(level), Version::MariaDb10_11);
        let mut session = connect(&server);
        check(
            &mut session,
            &[
                ("create table t (id int primary key)", "0"),
                ("insert into t values (1)", "1"),
                ("begin", "0"),
                ("insert into t values (2)", "1"),
                ("commit", "0"),
                ("set transaction isolation level serializable", "0"),
                ("insert into t values (3)", "1"),
            ],
        );
        let history = server.store().history().expect("it is recorded");
        let levels: Vec<Level> =
            history.txns().skip(1).filter_map(|id| history.level(id)).collect();
        assert!(levels.ends_with(&[level, Level::SER]), "{level}: {levels:?}");
    }
}

/// Without a fence some reader misses the change; behind one none does.
#[test]
fn what_was_committed_before_a_fence_is_seen() {
    let seen = |seed: u64, fence: &str| {
        let config = Config::default().level(Level::RC).policy(Some(Policy::Uniform)).seed(seed);
        let server = over(config, Version::MariaDb10_11);
        let (mut one, mut two) = (connect(&server), connect(&server));
        told(&mut one, "create table t (id int primary key, v int)");
        told(&mut one, "insert into t values (1, 1)");
        assert_eq!(told(&mut one, "do hob_fence()"), "0");
        assert_eq!(told(&mut one, "update t set v = 2"), "1");
        assert_eq!(told(&mut one, fence), "[0]");
        told(&mut two, "select v from t")
    };
    assert!((0..30).any(|seed| seen(seed, "select 0") == "[1]"));
    for seed in 0..30 {
        assert_eq!(seen(seed, "select hob_fence()"), "[2]", "seed {seed}");
    }
}

#[test]
fn transactions_are_as_they_were_asked_for() {
    let server = server(Version::MariaDb10_11);
    let mut session = connect(&server);
    check(
        &mut session,
        &[
            ("create table t (id int primary key)", "0"),
            ("xa start 'a'", "1235 This version of MariaDB doesn't yet support 'XA'"),
            ("set transaction read only", "0"),
            ("begin", "0"),
            (
                "insert into t values (1)",
                "1792 Cannot execute statement in a READ ONLY transaction",
            ),
            ("create table u (a int)", "1792 Cannot execute statement in a READ ONLY transaction"),
            ("commit and chain", "0"),
            (
                "insert into t values (1)",
                "1792 Cannot execute statement in a READ ONLY transaction",
            ),
            ("commit", "0"),
            ("insert into t values (1)", "1"),
            ("savepoint a", "0"),
            ("rollback to a", "1305 SAVEPOINT a does not exist"),
            ("begin", "0"),
            ("savepoint a", "0"),
            ("savepoint b", "0"),
            ("release savepoint a", "0"),
            ("rollback to b", "1305 SAVEPOINT b does not exist"),
            ("start transaction with consistent snapshot", "0"),
            ("select @@in_transaction", "[1]"),
            ("commit release", "0"),
        ],
    );
    assert!(session.is_terminated());
}
