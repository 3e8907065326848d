//! A history tells where in the log each event is, and what the tables and indexes are that its keys name.

use std::collections::BTreeMap;

use hobgoblin_core::{History, Key, Level, Source, TxnId, Value};
use hobgoblin_front::{Config, FileSink, Options, Profile, Replay, Store};
use hobgoblin_sql::session::{Database, Granularity, Session, Startup};

fn over(config: Config) -> Database {
    hobgoblin_sql::open(Store::new(config).expect("the configuration is good"), None)
}

fn connect(database: &Database) -> Session {
    database.connect(Startup::default()).expect("a database takes connections")
}

#[track_caller]
fn run(session: &mut Session, script: &[&str]) {
    for sql in script {
        session.run(sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    }
}

fn history(database: &Database) -> History {
    database.store().history().expect("it is kept")
}

#[track_caller]
fn check_table(history: &History, name: &str, columns: &[&str], key: &[&str]) {
    let table = history.table(name).unwrap_or_else(|| panic!("{name} is not described"));
    let texts = |names: &[Box<str>]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!((texts(&table.columns), texts(&table.key)), (texts_of(columns), texts_of(key)));
    assert_eq!(history.columns(name), Some(&*table.columns));
}

fn texts_of(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

#[track_caller]
fn check_index(history: &History, name: &str, table: &str, columns: &[&str], unique: bool) {
    let index = history.index(name).unwrap_or_else(|| panic!("{name} is not described"));
    let found: Vec<&str> = index.columns.iter().map(|column| &**column).collect();
    assert_eq!((&*index.table, found, index.unique), (table, columns.to_vec(), unique));
}

/// Panics unless events are in their transaction's time and in program order, statements one after the other, and
/// plain reads after the transactions they read from.
#[track_caller]
fn check_places(history: &History) {
    for txn in history.txns() {
        let begin = history.begin(txn).expect("the store says when");
        let (mut last, mut statement) = (begin, None);
        for event in history.event_ids(txn) {
            let at = history.at(event).expect("every event has a place");
            let now = history.statement_of(event);
            let next = statement.is_some() && now != statement;
            assert!(if next { last < at } else { last <= at }, "{at} after {last}");
            (last, statement) = (at, now);
            if let Source::Txn(from) = history.source(event)
                && from != TxnId::INIT
            {
                assert!(history.end(from).is_some_and(|end| end < at), "{at} of {from}");
            }
        }
        assert!(history.end(txn).is_none_or(|end| last < end), "the commit is last");
    }
}

/// Panics unless every row has as many values as its table has columns, or fewer, and every cell is of a column.
fn check_keys(history: &History) {
    for key in history.keys() {
        let Key::Text(name) = history.key(key) else { continue };
        let Some((stem, _)) = name.split_once('[') else { continue };
        if history.index(stem).is_some() {
            continue;
        }
        if let Some((table, column)) =
            stem.rsplit_once('.').filter(|_| history.table(stem).is_none())
        {
            let columns = history.columns(table).unwrap_or_else(|| panic!("{name}"));
            assert!(columns.iter().any(|known| **known == *column), "{name}");
        } else {
            assert!(history.table(stem).is_some(), "{name} is of no table");
        }
    }
}

const SCHEMA: [&str; 6] = [
    "create table course(id int primary key, seats int, dept text, name text unique)",
    "create index by_dept on course(dept, lower(name))",
    "create table log(entry text)",
    "alter table course add column room text",
    "alter table course rename column seats to places",
    "insert into course values (1, 30, 'CS', 'Logic', 'A'), (2, 20, 'CS', 'Sets', 'B')",
];

#[test]
fn two_sessions_in_the_order_of_the_log() {
    for profile in Profile::ALL {
        let database = over(Config::at(Level::RC).profile(profile));
        let (mut alice, mut bob) = (connect(&database), connect(&database));
        run(&mut alice, &SCHEMA);
        run(&mut alice, &["begin", "select * from course"]);
        run(&mut bob, &["begin", "select places from course where id = 2"]);
        run(&mut alice, &["update course set places = places - 1 where id = 1", "commit"]);
        run(&mut bob, &["update course set places = places - 1 where id = 1"]);
        run(&mut bob, &["insert into log values ('done')", "commit"]);
        run(&mut alice, &["alter table course drop column dept", "select * from course"]);
        run(&mut bob, &["drop table course"]);
        let history = history(&database);
        check_places(&history);
        check_table(&history, "course", &["id", "places", "", "name", "room"], &["id"]);
        check_table(&history, "log", &["entry"], &[]);
        check_index(&history, "course_name_key", "course", &["name"], true);
        // What was dropped is described as it was last.
        check_index(&history, "by_dept", "course", &["dept", "lower(name)"], false);
        if profile == Profile::Postgres {
            check_keys(&history);
            let columns = history.columns("course").expect("checked").len();
            let rows = history.txns().flat_map(|txn| history.event_ids(txn));
            let rows = rows.filter(|&event| {
                let key = history.key(history.event(event).key());
                matches!(key, Key::Text(name) if name.starts_with("course["))
            });
            for row in rows {
                let Value::Json(row) = history.value(row) else { continue };
                let values: Vec<serde_json::Value> = serde_json::from_str(&row).expect("an array");
                assert!(values.len() <= columns, "{row}");
            }
        }
    }
}

#[test]
fn cells_are_of_columns() {
    let store = Store::new(Config::default()).expect("the configuration is good");
    let database = hobgoblin_sql::open(store, Some(Granularity::Cell));
    let mut session = connect(&database);
    run(&mut session, &SCHEMA);
    run(&mut session, &["select name from course where id = 1"]);
    let history = history(&database);
    check_keys(&history);
    let cell = |name: &str| history.keys().any(|key| *history.key(key) == Key::from(name));
    assert!(cell("course.places[1]") || cell("course.seats[1]"));
}

#[test]
fn what_is_rolled_back_is_not_so() {
    let database = over(Config::default().profile(Profile::Postgres));
    let prepares = ("max_prepared_transactions".to_owned(), "1".to_owned());
    database.configure(&[prepares]).expect("it is a setting");
    let mut session = connect(&database);
    run(&mut session, &["create table t(a int primary key, b int)"]);
    run(&mut session, &["begin", "alter table t rename column b to c"]);
    check_table(&history(&database), "t", &["a", "c"], &["a"]);
    run(&mut session, &["rollback"]);
    check_table(&history(&database), "t", &["a", "b"], &["a"]);
    run(&mut session, &["begin", "alter table t add column d int", "savepoint s"]);
    run(&mut session, &["alter table t rename column b to c", "rollback to s", "commit"]);
    check_table(&history(&database), "t", &["a", "b", "d"], &["a"]);
    run(&mut session, &["begin", "alter table t rename column d to e", "prepare transaction 'p'"]);
    run(&mut session, &["rollback prepared 'p'"]);
    check_table(&history(&database), "t", &["a", "b", "d"], &["a"]);
    // A table of one transaction is described as well, and one that has the name again has another key.
    run(&mut session, &["begin", "create temp table u(x int) on commit drop", "commit"]);
    run(&mut session, &["drop table t", "create table t(k int, v int, primary key (v, k))"]);
    let history = history(&database);
    let columns: BTreeMap<&str, usize> = history
        .schema()
        .tables
        .iter()
        .map(|(name, table)| (&**name, table.columns.len()))
        .collect();
    assert_eq!(columns.values().copied().collect::<Vec<_>>().iter().sum::<usize>(), 3 + 1 + 2);
    let again = history.schema().tables.iter().find(|(_, table)| table.key.len() == 2);
    assert_eq!(again.map(|(_, table)| (&*table.key[0], &*table.key[1])), Some(("v", "k")));
}

#[test]
fn a_database_that_begins_with_a_snapshot_is_described() {
    let before = over(Config::default().profile(Profile::Postgres));
    run(&mut connect(&before), &SCHEMA);
    let after =
        over(Config::default().profile(Profile::Postgres).initial_values(before.snapshot()));
    assert_eq!(history(&after).schema(), history(&before).schema());
    assert!(history(&after).table("course").is_some());
}

#[test]
fn replays_and_files_have_it_too() {
    let directory = std::env::temp_dir().join(format!("hob-described-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory for the test");
    let config = || Config::default().profile(Profile::Postgres);
    let database = over(config());
    run(&mut connect(&database), &SCHEMA);
    let log = database.store().log().expect("it is kept");
    let expected = history(&database);
    for name in ["history.jsonl", "history.txn"] {
        let file = directory.join(name);
        let sink = FileSink::new().history(&file);
        let options = Options::default().replay(Replay::from(log.clone())).sink(sink);
        let store = Store::with(config(), options).expect("the log is good");
        let again = hobgoblin_sql::open(store, None);
        run(&mut connect(&again), &SCHEMA);
        let found = history(&again);
        assert_eq!(found.schema(), expected.schema(), "{name}");
        check_places(&found);
    }
    std::fs::remove_dir_all(&directory).expect("it is the test's own");
}
