//! A database that begins with another's snapshot is that database: the same catalogue, the same rows, and
//! sequences that go on where they were.
//!
//! The comparison is a dump by SQL: every table of `pg_catalog` and `information_schema`, and every table of
//! the user. The schemas are those of the comparison with PostgreSQL, and some that changes of settings made.

use hobgoblin_core::{Key, Value};
use hobgoblin_front::{Config, Profile, Store};
use hobgoblin_sql::session::{Database, Session, Startup};
use hobgoblin_sql::types::Datum;

fn over(profile: Profile, initial: Vec<(Key, Value)>) -> Database {
    let config = Config::default().profile(profile).initial_values(initial);
    hobgoblin_sql::open(Store::new(config).expect("the configuration is good"), None)
}

fn connect(database: &Database, user: &str) -> Session {
    let startup = Startup { user: user.to_owned(), ..Startup::default() };
    database.connect(startup).expect("a database takes connections")
}

/// Runs what runs: the scripts have statements that fail, and those leave nothing behind.
fn run_all(session: &mut Session, script: &str) -> usize {
    let mut done = 0;
    for statement in script.split(";\n") {
        done += usize::from(session.run(statement).is_ok());
    }
    // A script may end inside a transaction.
    let _ = session.run("ROLLBACK");
    done
}

fn text(value: &Datum) -> String {
    match value {
        Datum::Text(text) => text.to_string(),
        other => format!("{other:?}"),
    }
}

/// The tables whose names come in two columns, each with its rows.
fn rows_of(session: &mut Session, names: &str, skip: &[&str]) -> Vec<(String, Vec<String>)> {
    let names = session.run(names).expect("a catalogue can be asked");
    let mut all = Vec::new();
    for name in &names {
        let (schema, table) = (text(&name[0]), text(&name[1]));
        if skip.contains(&table.as_str()) {
            continue;
        }
        let Ok(rows) = session.run(&format!("SELECT * FROM \"{schema}\".\"{table}\"")) else {
            continue;
        };
        let mut rows: Vec<String> = rows.iter().map(|row| format!("{row:?}")).collect();
        rows.sort();
        all.push((format!("{schema}.{table}"), rows));
    }
    all
}

/// Everything there is to see in a database.
fn dump(database: &Database) -> Vec<(String, Vec<String>)> {
    let mut session = connect(database, "dump");
    let user = "SELECT schemaname, tablename FROM pg_tables \
                WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2";
    let system = "SELECT n.nspname, c.relname FROM pg_class c \
                  JOIN pg_namespace n ON n.oid = c.relnamespace \
                  WHERE n.nspname IN ('pg_catalog', 'information_schema') ORDER BY 1, 2";
    let mut all = rows_of(&mut session, user, &[]);
    // These tell of sessions, or are the same everywhere, and long.
    let skip = [
        "pg_stat_activity",
        "pg_locks",
        "pg_settings",
        "pg_stat_database",
        "pg_proc",
        "pg_timezone_names",
        "pg_timezone_abbrevs",
    ];
    all.extend(rows_of(&mut session, system, &skip));
    let defined = "SELECT indexname, indexdef FROM pg_indexes ORDER BY 1, 2";
    all.push(("indexes".to_owned(), vec![format!("{:?}", session.run(defined))]));
    let views = "SELECT viewname, definition FROM pg_views ORDER BY 1, 2";
    all.push(("views".to_owned(), vec![format!("{:?}", session.run(views))]));
    all
}

/// The next number of every sequence, asked of both.
fn next_numbers(database: &Database) -> Vec<String> {
    let mut session = connect(database, "dump");
    let names = "SELECT schemaname, sequencename FROM pg_sequences ORDER BY 1, 2";
    let names = session.run(names).expect("a catalogue can be asked");
    let next = |name: &Vec<Datum>| {
        let (schema, sequence) = (text(&name[0]), text(&name[1]));
        let asked = session.run(&format!("SELECT nextval('\"{schema}\".\"{sequence}\"')"));
        format!("{schema}.{sequence}: {asked:?}")
    };
    names.iter().map(next).collect()
}

fn check(what: &str, database: &Database, profile: Profile) {
    let again = over(profile, database.snapshot());
    let (before, after) = (dump(database), dump(&again));
    let names = |all: &[(String, Vec<String>)]| {
        all.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&after), names(&before), "{what}, {profile}");
    for ((name, before), (_, after)) in before.iter().zip(&after) {
        assert_eq!(after, before, "{what}, {profile}: {name}");
    }
    assert_eq!(database.missing_from(&database.snapshot()), [""; 0], "{what}, {profile}");
    // A snapshot of what was made from a snapshot is the same once more.
    assert_eq!(again.snapshot(), database.snapshot(), "{what}, {profile}");
    assert_eq!(next_numbers(&again), next_numbers(database), "{what}, {profile}");
}

#[test]
fn tables_made_under_a_search_path_stay_where_they_are() {
    for profile in Profile::ALL {
        let database = over(profile, Vec::new());
        let mut session = connect(&database, "hob");
        session
            .run(
                "CREATE SCHEMA s; SET search_path = s; \
                 CREATE TABLE t (a serial PRIMARY KEY, b text); \
                 INSERT INTO t (b) VALUES ('x'), ('y'); \
                 CREATE TABLE \"it's\" (a int REFERENCES t); \
                 SET search_path = public; CREATE TABLE t (a int); INSERT INTO t VALUES (7)",
            )
            .expect("all is new");
        drop(session);
        let again = over(profile, database.snapshot());
        let mut session = connect(&again, "hob");
        let rows = session.run("SELECT b FROM s.t ORDER BY a").expect("it is in s");
        assert_eq!(rows.iter().map(|row| text(&row[0])).collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!(session.run("SELECT * FROM t").expect("it is in public").len(), 1);
        check("search path", &database, profile);
    }
}

/// Sessions with settings, users and schemas of their own, one after the other and at once.
#[test]
fn what_sessions_set_is_what_their_tables_were_made_by() {
    for profile in Profile::ALL {
        let database = over(profile, Vec::new());
        let mut one = connect(&database, "hob");
        let mut two = connect(&database, "alice");
        // Alice's tables go where her name is, once that is there.
        one.run("CREATE SCHEMA alice; CREATE SCHEMA \"Odd'Name\"").expect("they are new");
        two.run("CREATE TABLE hers (a int); INSERT INTO hers VALUES (1)").expect("it is new");
        one.run("CREATE TABLE ours (a int)").expect("it is new");
        one.run("SET search_path = \"Odd'Name\", public; CREATE TYPE mood AS ENUM ('ok', 'bad')")
            .expect("it is new");
        two.run("SET datestyle = 'SQL, DMY'; SET timezone = 'Asia/Kolkata'").expect("settings");
        two.run("INSERT INTO ours VALUES (1); INSERT INTO hers VALUES (2)")
            .expect("both are there");
        // A default that rows which are there get at once is read by the settings of now.
        two.run("ALTER TABLE hers ADD COLUMN at timestamptz NOT NULL DEFAULT '02/03/2024 10:00'")
            .expect("a good default");
        one.run("CREATE TABLE moods (m mood DEFAULT 'bad'); INSERT INTO moods VALUES (DEFAULT)")
            .expect("the type is in the path");
        one.run("BEGIN; SET LOCAL search_path = alice; CREATE TABLE \"local\" (a int); COMMIT")
            .expect("it is new");
        one.run("CREATE TABLE after_local (a int)").expect("it is new");
        one.run(
            "BEGIN; SAVEPOINT a; SET search_path = alice; CREATE TABLE gone (a int); \
                 ROLLBACK TO a; CREATE TABLE kept (a int); COMMIT",
        )
        .expect("savepoints");
        one.run("CREATE TEMPORARY TABLE passing (a int); INSERT INTO passing VALUES (1)")
            .expect("it is new");
        drop((one, two));
        check("settings", &database, profile);
        let again = over(profile, database.snapshot());
        let mut session = connect(&again, "hob");
        assert!(session.run("SELECT * FROM passing").is_err(), "a temporary table came back");
    }
}

/// Every script of the comparison with PostgreSQL, each in a database of its own.
#[test]
fn the_schemas_of_the_comparison_come_back() {
    let scripts = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/differential");
    let mut found = 0;
    for entry in std::fs::read_dir(scripts).expect("there are scripts") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "sql") {
            continue;
        }
        let script = std::fs::read_to_string(&path).expect("it is text");
        let what = path.file_name().expect("it has a name").to_string_lossy().into_owned();
        // Each in one profile, every other in the other; all in both where everything is run.
        let profiles = [Profile::Spec, Profile::Postgres];
        let all = std::env::var_os("HOB_FULL").is_some();
        for (at, profile) in profiles.into_iter().enumerate() {
            if !all && found % 2 != at {
                continue;
            }
            let database = over(profile, Vec::new());
            let mut session = connect(&database, "hob");
            assert!(run_all(&mut session, &script) > 3, "{what}");
            drop(session);
            check(&what, &database, profile);
        }
        found += 1;
    }
    assert!(found > 15, "{found} scripts");
}

/// A statement that cannot be run again is known by what is not there then.
#[test]
fn what_a_snapshot_lacks_is_named() {
    let database = over(Profile::Postgres, Vec::new());
    let mut session = connect(&database, "hob");
    session.run("CREATE TABLE t (a int PRIMARY KEY); ALTER TABLE t ADD COLUMN b int").expect("new");
    let mut snapshot = database.snapshot();
    assert_eq!(database.missing_from(&snapshot), [""; 0]);
    for (key, value) in &mut snapshot {
        if let (Value::Text(schema), true) = (&*value, *key == Key::from("(schema)")) {
            *value = Value::from(schema.replace("ADD COLUMN b int", "ADD COLUMN b no_such_type"));
        }
    }
    assert_eq!(database.missing_from(&snapshot), ["column b of public.t"]);
}
