//! Answers as PostgreSQL's where they take more than a statement: what a session hears, what others hear, what
//! is committed beside it.

use hobgoblin_core::{Level, Value};
use hobgoblin_front::{Config, Profile, Store};
use hobgoblin_sql::session::{Database, Outcome, Session, Startup};
use hobgoblin_sql::types::Datum;

const PROFILES: [Profile; 2] = [Profile::Spec, Profile::Postgres];

fn database(profile: Profile) -> Database {
    let config = Config::default().level(Level::SER).profile(profile);
    hobgoblin_sql::open(Store::new(config).expect("the configuration is valid"), None)
}

fn connect(database: &Database) -> Session {
    let startup = Startup { user: "u".to_owned(), database: "d".to_owned(), settings: Vec::new() };
    database.connect(startup).expect("it connects")
}

fn run(session: &mut Session, sql: &str) -> Vec<Vec<Datum>> {
    session.run(sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"))
}

fn number(session: &mut Session, sql: &str) -> i64 {
    match run(session, sql).first().and_then(|row| row.first()) {
        Some(Datum::Int(number)) => *number,
        other => panic!("{sql} gave {other:?}"),
    }
}

fn state(session: &mut Session, sql: &str) -> &'static str {
    session.run(sql).expect_err(sql).state().0
}

#[test]
fn notices_are_told_to_who_wants_them() {
    let mut session = connect(&database(Profile::Spec));
    let mut told = |level: &str, sql: &str| {
        run(&mut session, &format!("set client_min_messages = {level}"));
        session.take_notices();
        run(&mut session, sql);
        session.take_notices().len()
    };
    let (notice, warning) = ("drop table if exists nosuch", "rollback");
    assert_eq!([told("notice", notice), told("warning", notice), told("error", notice)], [1, 0, 0]);
    assert_eq!([told("log", notice), told("debug1", notice)], [1, 1]);
    let heard = [told("notice", warning), told("warning", warning), told("error", warning)];
    assert_eq!(heard, [1, 1, 0]);
}

#[test]
fn notifications_come_once_in_order_and_with_the_commit() {
    let database = database(Profile::Spec);
    let (mut one, mut two) = (connect(&database), connect(&database));
    let texts = |session: &mut Session| -> Vec<String> {
        session.take_notifications().into_iter().map(|(_, c, p)| format!("{c}:{p}")).collect()
    };
    run(&mut two, "listen a; listen b");
    run(&mut one, "begin");
    run(
        &mut one,
        "notify a, 'x'; notify b; notify a, 'y'; notify a, 'x'; select pg_notify('a', 'y')",
    );
    run(&mut one, "savepoint s; notify a, 'gone'; rollback to s; notify a, 'z'");
    assert!(texts(&mut two).is_empty());
    run(&mut one, "commit");
    assert_eq!(texts(&mut two), ["a:x", "b:", "a:y", "a:z"]);
    run(&mut one, "notify a, 'x'");
    run(&mut one, "notify a, 'x'");
    assert_eq!(texts(&mut two), ["a:x", "a:x"]);
    // LISTEN and UNLISTEN are the transaction's.
    run(&mut one, "begin; listen a; rollback");
    run(&mut one, "begin; savepoint s; listen a; rollback to s; commit");
    run(&mut two, "begin; unlisten a; rollback; begin; unlisten *; rollback");
    run(&mut one, "notify a, '1'");
    assert!(texts(&mut one).is_empty());
    assert_eq!(texts(&mut two), ["a:1"]);
    run(&mut two, "begin; unlisten a; listen c; commit");
    run(&mut one, "begin; notify a; notify b, '2'; listen a; notify c; commit");
    assert_eq!(texts(&mut one), ["a:"]);
    assert_eq!(texts(&mut two), ["b:2", "c:"]);
    run(&mut two, "unlisten *");
    run(&mut one, "rollback; notify a; notify b");
    assert_eq!(texts(&mut one), ["a:"]);
    assert!(texts(&mut two).is_empty());
    let long = format!("notify a, '{}'", "x".repeat(8000));
    assert_eq!(state(&mut one, &long), "22023");
}

#[test]
fn copy_takes_the_rows_of_its_where() {
    for profile in PROFILES {
        let mut session = connect(&database(profile));
        run(
            &mut session,
            "create table t (a int, b text default 'd', g int generated always as (a * 2) stored)",
        );
        let copy = "copy t (a) from stdin where a>-1 and b = 'd' and a <> 5";
        let statement = session.statements(copy).expect("it parses").remove(0);
        let (_, outcome) = session.simple(&statement).expect("it begins");
        let Outcome::CopyIn(mut data) = outcome else { panic!("{outcome:?}") };
        session.copy_data(&mut data, b"1\n-3\n5\n7\n\\N\n").expect("it takes data");
        assert_eq!(session.copy_done(data).expect("it ends").to_string(), "COPY 2");
        session.sync().expect("it commits");
        assert_eq!(number(&mut session, "select sum(a) from t"), 8);
        assert_eq!(state(&mut session, "copy t from stdin where g > 1"), "0A000");
        assert_eq!(state(&mut session, "copy t from stdin where xmin is null"), "0A000");
    }
}

#[test]
fn xmin_is_a_version_that_others_change() {
    for profile in PROFILES {
        let database = database(profile);
        let (mut one, mut two) = (connect(&database), connect(&database));
        run(&mut one, "create table t (id int primary key, a int, b int)");
        run(&mut one, "insert into t values (1, 0, 0), (2, 0, 0)");
        let version = |session: &mut Session, id: i64| {
            number(session, &format!("select xmin from t where id = {id}"))
        };
        let seen = version(&mut one, 1);
        assert_eq!(seen, version(&mut two, 1));
        let other = version(&mut two, 2);
        // The other updates a column that this one does not.
        run(&mut two, "update t set b = 1 where id = 1");
        assert_ne!(seen, version(&mut one, 1));
        assert_eq!(other, version(&mut one, 2));
        let update = |version: i64| {
            format!("update t set a = 1 where id = 1 and xmin = '{version}' returning xmin")
        };
        assert!(run(&mut one, &update(seen)).is_empty());
        let seen = version(&mut one, 1);
        // What RETURNING gives is what is there then, for all.
        let given = number(&mut one, &update(seen));
        assert_ne!(given, seen);
        assert_eq!(given, version(&mut two, 1));
        // An update that changes nothing is one.
        run(&mut two, "update t set a = a where id = 1");
        assert_ne!(given, version(&mut two, 1));
        // One that is rolled back is none.
        let seen = version(&mut one, 1);
        run(&mut two, "begin; update t set a = 9 where id = 1; rollback");
        assert_eq!(seen, version(&mut two, 1));
    }
}

#[test]
fn system_columns_add_no_reads() {
    let reads = |sql: &str| {
        let database = database(Profile::Postgres);
        let mut session = connect(&database);
        run(&mut session, "create table t (id int primary key, a int)");
        run(&mut session, "insert into t values (1, 0), (2, 0), (3, 0)");
        let before = database.store().history().expect("there is one").num_events();
        run(&mut session, sql);
        database.store().history().expect("there is one").num_events() - before
    };
    assert_eq!(reads("select * from t where id = 1"), 1);
    assert_eq!(reads("select xmin, xmax, ctid, tableoid, * from t where id = 1"), 1);
    assert_eq!(reads("select * from t where ctid = '(0,2)'"), 1);
    assert_eq!(reads("select * from t where ctid in ('(0,1)', '(0,3)', '(0,9)')"), 3);
}

#[test]
fn sizes_grow_with_rows() {
    for profile in PROFILES {
        let mut session = connect(&database(profile));
        run(&mut session, "create table t (id int primary key, a text); create index on t (a)");
        for size in [
            "pg_relation_size('t')",
            "pg_table_size('t')",
            "pg_indexes_size('t')",
            "pg_total_relation_size('t')",
            "pg_relation_size('t_a_idx')",
            "pg_database_size('d')",
        ] {
            let sql = format!("select {size}");
            run(&mut session, "truncate t");
            let empty = number(&mut session, &sql);
            let rows =
                "insert into t select g, repeat('x', 200) || g from generate_series(1, 300) g";
            run(&mut session, rows);
            let full = number(&mut session, &sql);
            assert!(full > empty, "{size}: {empty}, then {full}");
            assert_eq!(full % 8192, 0, "{size}");
        }
    }
}

#[test]
fn a_statement_prepared_by_the_protocol_notices_new_columns() {
    for profile in PROFILES {
        let mut session = connect(&database(profile));
        run(&mut session, "create table t (a int); insert into t values (1)");
        session.prepare("all", "select * from t", &[]).expect("it is prepared");
        session.prepare("one", "select a from t", &[]).expect("it is prepared");
        session.sync().expect("it commits");
        run(&mut session, "alter table t add column b int");
        session.bind("", "one", Vec::new(), []).expect("its columns are the same");
        assert!(matches!(session.execute("", 0), Ok(Outcome::Rows { .. })));
        session.sync().expect("it commits");
        let error = session.bind("", "all", Vec::new(), []).expect_err("it has another column");
        assert_eq!(
            (error.state().0, &*error.message()),
            ("0A000", "cached plan must not change result type")
        );
        session.fail();
        session.sync().expect("it is rolled back");
        run(&mut session, "alter table t drop column b");
        session.bind("", "all", Vec::new(), []).expect("its columns are the same again");
        session.sync().expect("it commits");
    }
}

#[test]
fn replicas_do_not_check_references() {
    let mut session = connect(&database(Profile::Postgres));
    run(&mut session, "create table p (id int primary key); create table c (p int references p)");
    assert_eq!(state(&mut session, "insert into c values (1)"), "23503");
    run(&mut session, "set session_replication_role = replica");
    run(
        &mut session,
        "insert into c values (1); insert into p values (2); insert into c values (2); delete from p",
    );
    run(&mut session, "reset session_replication_role");
    assert_eq!(number(&mut session, "select count(*) from c"), 2);
    assert_eq!(state(&mut session, "insert into c values (3)"), "23503");
}

#[test]
fn temporary_rows_leave_nothing_behind() {
    for profile in PROFILES {
        let database = database(profile);
        let mut session = connect(&database);
        run(&mut session, "create temp table t (a int primary key) on commit delete rows");
        run(&mut session, "begin; insert into t values (1), (2); commit; insert into t values (1)");
        let left = database.store().snapshot();
        let rows = left
            .iter()
            .filter(|(key, value)| key.to_string().contains("t[") && *value != Value::Null);
        assert_eq!(rows.count(), 0, "{left:?}");
    }
}

#[test]
fn locking_clauses_are_as_strong_as_they_say_wherever_they_stand() {
    let database = database(Profile::Postgres);
    let (mut one, mut two) = (connect(&database), connect(&database));
    run(&mut one, "create table t (id int primary key, a int)");
    run(&mut one, "create table u (id int primary key, b int)");
    run(&mut one, "insert into t values (1, 1); insert into u values (1, 1)");
    run(&mut one, "create view shared as select id from t for share");
    run(&mut one, "create view plain as select id, b from u");
    run(&mut one, "prepare p as select id from u for key share");
    let weaker = |table: &str| format!("select id from {table} for key share nowait");
    let update = |table: &str| format!("select id from {table} for no key update nowait");
    let free = |session: &mut Session, sql: &str| match session.run(sql) {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.state().0, "55P03", "{sql}");
            false
        }
    };
    for (sql, t, u) in [
        // How rows of t and u are locked: whether another may still take them FOR NO KEY UPDATE.
        ("select * from shared", Some(false), None),
        ("select * from shared s join u using (id) for key share of u", Some(false), Some(true)),
        ("select * from u join shared s using (id) for key share of u", Some(false), Some(true)),
        ("select * from plain for key share", None, Some(true)),
        ("select * from plain p, shared s for no key update of p", Some(false), Some(false)),
        ("with s as (select id from t for key share) select * from s", Some(true), None),
        ("select (select 1 from u for key share), id from t for share", Some(false), Some(true)),
        (
            "select id from u where id in (select id from t for share) for key share",
            Some(false),
            Some(true),
        ),
        ("(select id from t) for key share", Some(true), None),
        ("create table made as select id from t for key share", Some(true), None),
        ("select id into filled from t for no key update", Some(false), None),
        ("insert into t select id + 10, b from u for key share", None, Some(true)),
        ("create materialized view kept as select id from u for share", None, Some(false)),
        ("refresh materialized view kept", None, Some(false)),
        ("execute p", None, Some(true)),
        ("declare c cursor for select id from u for key share; fetch c", None, Some(true)),
        ("explain analyze select id from t for no key update", Some(false), None),
    ] {
        // What is made lasts for those that follow.
        if sql.starts_with("refresh") {
            run(&mut one, "create materialized view kept as select id from u for share");
        }
        run(&mut one, "begin");
        run(&mut one, sql);
        for (table, wanted) in [("t", t), ("u", u)] {
            let locked = !free(&mut two, &update(table));
            assert_eq!(!locked, wanted.unwrap_or(true), "{table} after {sql}");
            let key = free(&mut two, &weaker(table));
            assert!(key, "{table} is locked FOR UPDATE after {sql}");
        }
        run(&mut one, "rollback");
    }
    let copy = "copy (select id from t for key share) to stdout";
    run(&mut one, "begin");
    let statement = one.statements(copy).expect("it parses").remove(0);
    one.simple(&statement).expect("it runs");
    assert!(free(&mut two, &update("t")), "{copy}");
    run(&mut one, "rollback");
}
