//! The `postgres` profile never cries wolf: applications that are right about concurrency keep their
//! invariants, and the same applications written wrongly break soon.
//!
//! Each application is a schema, what one session does, and what must hold afterwards. A round resets the
//! rows and lets two or four sessions run at once, each on its own thread, while the store holds statements so
//! that they overlap. `HOB_FULL=1` runs the rounds of the bar.

use std::time::Duration;

use hobgoblin_core::Level;
use hobgoblin_front::{Config, HoldFor, Options, Profile, Store};
use hobgoblin_sql::error::{SqlError, SqlState};
use hobgoblin_sql::session::{Database, Session, Startup};
use hobgoblin_sql::types::Datum;

type Step = fn(&mut Session, i64) -> Result<(), SqlError>;

struct App {
    name: &'static str,
    /// How many sessions run at once.
    sessions: i64,
    schema: &'static str,
    reset: &'static str,
    right: Step,
    wrong: Step,
    /// Gives the number of what is broken; 0 is good.
    broken: &'static str,
}

fn number(session: &mut Session, sql: &str) -> Result<i64, SqlError> {
    let rows = session.run(sql)?;
    match rows.first().and_then(|row| row.first()) {
        Some(Datum::Int(number)) => Ok(*number),
        Some(Datum::Null) | None => Ok(0),
        other => panic!("{sql} gave {other:?}"),
    }
}

/// Runs statements in one transaction.
fn within(
    session: &mut Session,
    begin: &str,
    work: impl FnOnce(&mut Session) -> Result<(), SqlError>,
) -> Result<(), SqlError> {
    session.run(begin)?;
    match work(session) {
        Ok(()) => session.run("commit").map(|_| ()),
        Err(error) => {
            session.run("rollback")?;
            Err(error)
        }
    }
}

const APPS: &[App] = &[
    App {
        name: "a balance is read, then written",
        sessions: 2,
        schema: "create table acct(id int primary key, bal int not null)",
        reset: "delete from acct; insert into acct values (1, 0)",
        right: |session, _| {
            within(session, "begin", |session| {
                let bal = number(session, "select bal from acct where id = 1 for update")?;
                session.run(&format!("update acct set bal = {} where id = 1", bal + 1)).map(|_| ())
            })
        },
        wrong: |session, _| {
            within(session, "begin", |session| {
                let bal = number(session, "select bal from acct where id = 1")?;
                session.run(&format!("update acct set bal = {} where id = 1", bal + 1)).map(|_| ())
            })
        },
        broken: "select 2 - bal from acct",
    },
    App {
        name: "the last seat is taken",
        sessions: 2,
        schema: "create table seats(id int primary key, n int not null); create table taken(who int)",
        reset: "delete from seats; delete from taken; insert into seats values (1, 1)",
        right: |session, who| {
            within(session, "begin", |session| {
                let updated =
                    session.run("update seats set n = n - 1 where id = 1 and n > 0 returning n")?;
                if !updated.is_empty() {
                    session.run(&format!("insert into taken values ({who})"))?;
                }
                Ok(())
            })
        },
        wrong: |session, who| {
            within(session, "begin", |session| {
                if number(session, "select n from seats where id = 1")? > 0 {
                    session.run("update seats set n = n - 1 where id = 1")?;
                    session.run(&format!("insert into taken values ({who})"))?;
                }
                Ok(())
            })
        },
        broken: "select count(*) - 1 from taken",
    },
    App {
        name: "a name is registered once",
        sessions: 2,
        schema: "create table names(id serial primary key, name text unique); \
                 create table loose(id serial primary key, name text)",
        reset: "delete from names; delete from loose",
        right: |session, _| match session.run("insert into names(name) values ('bob')") {
            Err(error) if error.state() == SqlState::UNIQUE_VIOLATION => Ok(()),
            other => other.map(|_| ()),
        },
        wrong: |session, _| {
            within(session, "begin", |session| {
                if number(session, "select count(*) from loose where name = 'bob'")? == 0 {
                    session.run("insert into loose(name) values ('bob')")?;
                }
                Ok(())
            })
        },
        broken: "select greatest((select count(*) from loose), (select count(*) from names)) - 1",
    },
    App {
        name: "somebody stays on call",
        sessions: 2,
        schema: "create table doctors(id int primary key, on_call boolean not null)",
        reset: "delete from doctors; insert into doctors values (0, true), (1, true)",
        right: |session, who| loop {
            let tried = within(session, "begin isolation level serializable", |session| {
                leave(session, who)
            });
            match tried {
                Err(error) if error.state() == SqlState::SERIALIZATION_FAILURE => {}
                other => return other,
            }
        },
        wrong: |session, who| within(session, "begin", |session| leave(session, who)),
        broken: "select case when count(*) = 0 then 1 else 0 end from doctors where on_call",
    },
    App {
        name: "a document has versions",
        sessions: 2,
        schema: "create table doc(id int primary key, edits int not null, version int not null)",
        reset: "delete from doc; insert into doc values (1, 0, 1)",
        right: |session, _| loop {
            let rows = session.run("select edits, version from doc where id = 1")?;
            let [Datum::Int(edits), Datum::Int(version)] = rows[0].as_slice() else { panic!() };
            let updated = session.run(&format!(
                "update doc set edits = {}, version = version + 1 where id = 1 and version = {version} returning 1",
                edits + 1
            ))?;
            if !updated.is_empty() {
                return Ok(());
            }
        },
        wrong: |session, _| {
            let edits = number(session, "select edits from doc where id = 1")?;
            let sql =
                format!("update doc set edits = {}, version = version + 1 where id = 1", edits + 1);
            session.run(&sql).map(|_| ())
        },
        broken: "select 2 - edits from doc",
    },
    App {
        name: "rows are locked in one order",
        sessions: 4,
        schema: "create table b(id int primary key, v int not null); create table t(id int primary key, v int not null)",
        reset: "delete from b; delete from t; insert into b values (1, 0); insert into t values (0, 0), (1, 0), (2, 0)",
        right: |session, who| {
            // Each after the other for a row of its own and the one all want, twice.
            for _ in 0..2 {
                within(session, "begin", |session| {
                    session.run(&format!("update t set v = v + 1 where id = {}", who % 3))?;
                    session.run("update b set v = v + 1 where id = 1").map(|_| ())
                })?;
            }
            Ok(())
        },
        wrong: |session, who| {
            for _ in 0..2 {
                within(session, "begin", |session| {
                    session.run(&format!("update t set v = v + 1 where id = {}", who % 3))?;
                    let v = number(session, "select v from b where id = 1")?;
                    session.run(&format!("update b set v = {} where id = 1", v + 1)).map(|_| ())
                })?;
            }
            Ok(())
        },
        broken: "select 16 - (select sum(v) from t) - (select v from b)",
    },
    App {
        name: "a table is locked before it is looked at",
        sessions: 4,
        schema: "create table room(at int, who int)",
        reset: "delete from room",
        right: |session, who| {
            within(session, "begin", |session| {
                session.run("lock table room in share row exclusive mode")?;
                book(session, who)
            })
        },
        wrong: |session, who| within(session, "begin", |session| book(session, who)),
        broken: "select count(*) - 1 from room",
    },
];

fn book(session: &mut Session, who: i64) -> Result<(), SqlError> {
    if number(session, "select count(*) from room where at = 1")? == 0 {
        session.run(&format!("insert into room values (1, {who})"))?;
    }
    Ok(())
}

fn leave(session: &mut Session, who: i64) -> Result<(), SqlError> {
    if number(session, "select count(*) from doctors where on_call")? > 1 {
        session.run(&format!("update doctors set on_call = false where id = {who}"))?;
    }
    Ok(())
}

fn database(seed: u64, hold: Duration) -> Database {
    let (level, profile) = (Level::RC, Profile::Postgres);
    let config = Config::default().level(level).profile(profile).seed(seed).patient(true);
    let options = Options::default().hold(hold).hold_for(HoldFor::Connected);
    hobgoblin_sql::open(Store::with(config, options).unwrap(), None)
}

/// The rounds until the invariant broke, if it did.
fn rounds(app: &App, step: Step, count: u64, hold: Duration, apart: Duration) -> Option<u64> {
    for round in 0..count {
        // A fresh store for each round: with one, the history would grow, and so would the checks.
        let database = database(round, hold);
        {
            let mut setup = database.connect(Startup::default()).unwrap();
            setup.run(app.schema).unwrap();
            setup.run(app.reset).unwrap();
        }
        std::thread::scope(|scope| {
            for who in 0..app.sessions {
                let mut session = database.connect(Startup::default()).unwrap();
                let late = apart * who as u32;
                scope.spawn(move || {
                    std::thread::sleep(late);
                    step(&mut session, who).unwrap_or_else(|error| panic!("{}: {error}", app.name));
                });
            }
        });
        let mut check = database.connect(Startup::default()).unwrap();
        if number(&mut check, app.broken).unwrap() > 0 {
            return Some(round);
        }
    }
    None
}

fn full(small: u64, full: u64) -> u64 {
    if std::env::var_os("HOB_FULL").is_some() { full } else { small }
}

#[test]
fn right_applications_never_break() {
    for app in APPS {
        let broke =
            rounds(app, app.right, full(200, 2_000), Duration::from_millis(2), Duration::ZERO);
        assert_eq!(broke, None, "{} broke though it is right", app.name);
    }
}

#[test]
fn wrong_applications_break_soon() {
    for app in APPS {
        let broke = rounds(app, app.wrong, 100, Duration::from_millis(2), Duration::ZERO);
        assert!(broke.is_some(), "{} did not break in 100 rounds", app.name);
    }
}

#[test]
fn wrong_applications_break_though_sessions_start_apart() {
    let apart = Duration::from_millis(100);
    for app in APPS {
        let broke = rounds(app, app.wrong, 100, Duration::from_millis(150), apart);
        assert!(broke.is_some(), "{} did not break in 100 rounds", app.name);
    }
}

#[test]
fn requests_one_after_another_see_what_was_committed() {
    let database = database(7, Duration::from_millis(1));
    let mut pool: Vec<Session> =
        (0..4).map(|_| database.connect(Startup::default()).unwrap()).collect();
    pool[0].run("create table t(id int primary key, v int)").unwrap();
    pool[1].run("insert into t values (1, 0)").unwrap();
    for round in 1..full(60, 400) as i64 {
        let (writer, reader) = (round as usize % 4, (round as usize * 3 + 1) % 4);
        pool[writer].run(&format!("update t set v = {round} where id = 1")).unwrap();
        let seen = number(&mut pool[reader], "select v from t where id = 1").unwrap();
        assert_eq!(seen, round);
    }
}
