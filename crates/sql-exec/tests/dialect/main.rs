//! A second dialect, as small as one can be: what the binder and the executor need of a language of SQL, and that it is
//! nothing of PostgreSQL's.
//!
//! `Shout` writes names in capitals, has three types and a handful of operators, and parses with `sqlparser`'s generic
//! dialect. Its session keeps rows in the store as any other does, so what weak isolation shows is there as well.

mod session;
mod shout;

use hobgoblin_core::Level;
use hobgoblin_front::{Config, Policy, Profile, Store};
use hobgoblin_sql_value::Datum;

use session::Session;
use shout::{bigint, catalogue, table};

fn store(profile: Profile, level: Level) -> Store {
    let config = Config::default().profile(profile).level(level).policy(Policy::Latest);
    Store::new(config).expect("the configuration is good")
}

/// Accounts with an owner each, in a new database.
fn bank(store: &Store) -> Session {
    let mut catalog = catalogue();
    table(
        &mut catalog,
        "ACCOUNT",
        &[("ID", bigint()), ("OWNER", shout::text()), ("MONEY", bigint())],
    );
    let mut session = Session::connect(store, catalog);
    let rows = "INSERT INTO account (id, owner, money) VALUES (1, 'ann', 10), (2, 'bob', 20), (3, 'ann', 5)";
    assert!(session.run(rows).expect("it is new").is_empty());
    session
}

fn ints(rows: &[Vec<Datum>]) -> Vec<Vec<i64>> {
    let int = |datum: &Datum| match datum {
        Datum::Int(number) => *number,
        other => panic!("{other:?} is no number"),
    };
    rows.iter().map(|row| row.iter().map(int).collect()).collect()
}

#[test]
fn names_are_those_of_the_dialect() {
    let mut session = bank(&store(Profile::Spec, Level::SER));
    let rows =
        session.run("SELECT Id FROM aCCount WHERE owner = 'ann' ORDER BY id").expect("it runs");
    assert_eq!(ints(&rows), [[1], [3]]);
    let error = session.run("SELECT nothing FROM account").expect_err("there is no such column");
    assert!(error.contains("NOTHING"), "{error}");
}

#[test]
fn queries_and_changes_run() {
    for profile in [Profile::Spec, Profile::Postgres] {
        let mut session = bank(&store(profile, Level::SER));
        session.run("UPDATE account SET money = money + 100 WHERE id = 2").expect("it runs");
        session.run("DELETE FROM account WHERE money < 10").expect("it runs");
        let rows =
            session.run("SELECT id, TWICE(money) FROM account ORDER BY money").expect("it runs");
        assert_eq!(ints(&rows), [[1, 20], [2, 240]]);
        let joined = "SELECT a.id, b.id FROM account a JOIN account b ON a.money < b.money";
        assert_eq!(ints(&session.run(joined).expect("it runs")), [[1, 2]]);
        let nested = "SELECT id FROM account a WHERE EXISTS (SELECT 1 FROM account b WHERE b.money < a.money)";
        assert_eq!(ints(&session.run(nested).expect("it runs")), [[2]]);
        let counted = "SELECT COUNT(id) FROM account";
        assert_eq!(ints(&session.run(counted).expect("it runs")), [[2]]);
    }
}

#[test]
fn a_key_is_kept_once() {
    for profile in [Profile::Spec, Profile::Postgres] {
        let mut session = bank(&store(profile, Level::SER));
        let error = session.run("INSERT INTO account (id) VALUES (1)").expect_err("1 is taken");
        assert!(error.contains("ACCOUNT_KEY"), "{error}");
    }
}

#[test]
fn what_the_dialect_has_not_is_refused() {
    let mut session = bank(&store(Profile::Spec, Level::RC));
    for sql in
        ["SELECT id - 1 FROM account", "SELECT LOWER(owner) FROM account", "SELECT * FROM pg_class"]
    {
        assert!(session.run(sql).is_err(), "{sql}");
    }
}

#[test]
fn weak_isolation_shows() {
    // Two sessions read the money and write what they make of it: at RC the second forgets the first.
    let store = store(Profile::Postgres, Level::RC);
    let mut one = bank(&store);
    let mut two = one.beside(&store);
    one.begin();
    two.begin();
    let read = "SELECT money FROM account WHERE id = 1";
    assert_eq!(ints(&one.run(read).expect("it runs")), [[10]]);
    assert_eq!(ints(&two.run(read).expect("it runs")), [[10]]);
    one.run("UPDATE account SET money = 11 WHERE id = 1").expect("it runs");
    one.commit();
    two.run("UPDATE account SET money = 12 WHERE id = 1").expect("it runs");
    two.commit();
    assert_eq!(ints(&one.run(read).expect("it runs")), [[12]]);
}
