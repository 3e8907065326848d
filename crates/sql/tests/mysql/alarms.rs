//! The `mysql` profile never cries wolf: applications that are right about InnoDB keep their invariants at READ COMMITTED,
//! REPEATABLE READ and SERIALIZABLE, and the same applications written wrongly break soon where their level lets them.
//!
//! Each application is a schema, what one session does, and what must hold afterwards. In a round two to six sessions run at
//! once, each on its own thread, while the store holds statements so that they overlap. What a deadlock undid is done
//! again, as applications of InnoDB have to. `HOB_FULL=1` runs the rounds of the bar.

use std::sync::Mutex;
use std::time::Duration;

use hobgoblin_check::{Limits, check};
use hobgoblin_core::{Level, Target, Verdict};
use hobgoblin_front::{Config, HoldFor, Options, Profile, Store};
use hobgoblin_sql::mysql::session::{Database, Session};
use hobgoblin_sql_mysql_types::Version;

use crate::support::{Answer, Kept, connect};

/// The number of an error.
type Number = u16;

const DUPLICATE: Number = 1062;
const DEADLOCK: Number = 1213;
const CHANGED: Number = 1020;

type Step = fn(&mut Session, usize) -> Result<(), Number>;

const LEVELS: [&str; 3] = ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"];

struct App {
    name: &'static str,
    schema: &'static [&'static str],
    right: Step,
    wrong: Step,
    /// The levels at which the wrong one breaks.
    breaks: &'static [&'static str],
    /// Gives another number than 0 if something is broken after `{n}` sessions.
    broken: &'static str,
}

fn ask(session: &mut Session, sql: &str) -> Result<Answer, Number> {
    let mut kept = Kept::default();
    match session.query(sql.as_bytes(), &mut kept) {
        Ok(()) => Ok(kept.0.pop().unwrap_or_default()),
        Err(error) => {
            let told = session.worded(error);
            match told.number {
                DUPLICATE | DEADLOCK | CHANGED => Err(told.number),
                _ => panic!("{sql}: {} {}", told.number, told.message),
            }
        }
    }
}

/// How many rows a statement changed.
fn change(session: &mut Session, sql: &str) -> Result<u64, Number> {
    Ok(ask(session, sql)?.done.affected)
}

/// The first number of a result, if it has rows.
fn number(session: &mut Session, sql: &str) -> Result<Option<i64>, Number> {
    let answer = ask(session, sql)?;
    let cell = answer.rows.first().map(|row| row[0].clone());
    Ok(cell.map(|cell| if cell == "NULL" { 0 } else { cell.parse().expect("a number") }))
}

/// Does something in a transaction, again after a deadlock or where others were first.
fn within(
    session: &mut Session,
    work: impl Fn(&mut Session) -> Result<(), Number>,
) -> Result<(), Number> {
    loop {
        ask(session, "begin")?;
        match work(session).and_then(|()| ask(session, "commit")) {
            Ok(_) => return Ok(()),
            Err(_) => ask(session, "rollback")?,
        };
    }
}

/// Does something that is a transaction by itself until it is done.
fn until_done(session: &mut Session, sql: &str) -> Result<(), Number> {
    while ask(session, sql).is_err() {}
    Ok(())
}

const WEAK: &[&str] = &["READ COMMITTED", "REPEATABLE READ"];

const APPS: &[App] = &[
    App {
        name: "a balance is read, then written",
        schema: &[
            "create table acct (id int primary key, bal int not null)",
            "insert into acct values (1, 0)",
        ],
        right: |session, _| {
            within(session, |session| {
                let bal = number(session, "select bal from acct where id = 1 for update")?.unwrap();
                change(session, &format!("update acct set bal = {} where id = 1", bal + 1))
                    .map(|_| ())
            })
        },
        wrong: |session, _| {
            within(session, |session| {
                let bal = number(session, "select bal from acct where id = 1")?.unwrap();
                change(session, &format!("update acct set bal = {} where id = 1", bal + 1))
                    .map(|_| ())
            })
        },
        breaks: WEAK,
        broken: "select {n} - bal from acct",
    },
    App {
        name: "the last seat is taken",
        schema: &[
            "create table seats (id int primary key, n int not null)",
            "create table taken (who int)",
            "insert into seats values (1, 1)",
        ],
        right: |session, who| {
            within(session, |session| {
                if change(session, "update seats set n = n - 1 where id = 1 and n > 0")? == 1 {
                    change(session, &format!("insert into taken values ({who})"))?;
                }
                Ok(())
            })
        },
        wrong: |session, who| {
            within(session, |session| {
                if number(session, "select n from seats where id = 1")?.unwrap() > 0 {
                    change(session, "update seats set n = n - 1 where id = 1")?;
                    change(session, &format!("insert into taken values ({who})"))?;
                }
                Ok(())
            })
        },
        breaks: WEAK,
        broken: "select count(*) - 1 from taken",
    },
    App {
        name: "a name is registered once",
        schema: &[
            "create table names (id int auto_increment primary key, name varchar(20) unique)",
            "create table loose (id int auto_increment primary key, name varchar(20))",
        ],
        right: |session, _| match change(session, "insert into names (name) values ('bob')") {
            Ok(_) | Err(DUPLICATE) => Ok(()),
            Err(other) => Err(other),
        },
        wrong: |session, _| {
            within(session, |session| {
                if number(session, "select count(*) from loose where name = 'Bob'")? == Some(0) {
                    change(session, "insert into loose (name) values ('bob')")?;
                }
                Ok(())
            })
        },
        breaks: WEAK,
        broken: "select greatest((select count(*) from loose), (select count(*) from names)) - 1",
    },
    App {
        name: "somebody stays on call",
        schema: &[
            "create table doctors (id int primary key, on_call int not null)",
            "insert into doctors values (0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (5, 1)",
            "update doctors set on_call = 0 where id >= {n}",
        ],
        right: |session, who| leave(session, who, " for update"),
        wrong: |session, who| leave(session, who, ""),
        breaks: WEAK,
        broken: "select count(*) = 0 from doctors where on_call = 1",
    },
    App {
        name: "a document has versions",
        schema: &[
            "create table doc (id int primary key, edits int not null, version int not null)",
            "insert into doc values (1, 0, 1)",
        ],
        right: |session, _| loop {
            let rows = ask(session, "select edits, version from doc where id = 1")?.rows;
            let [edits, version] = rows[0].as_slice() else { panic!("two columns") };
            let sql = format!(
                "update doc set edits = {edits} + 1, version = version + 1 where id = 1 and version = {version}"
            );
            if change(session, &sql) == Ok(1) {
                return Ok(());
            }
        },
        wrong: |session, _| {
            let edits = number(session, "select edits from doc where id = 1")?.unwrap();
            let sql =
                format!("update doc set edits = {}, version = version + 1 where id = 1", edits + 1);
            change(session, &sql).map(|_| ())
        },
        breaks: &LEVELS,
        broken: "select {n} - edits from doc",
    },
    App {
        name: "rows are locked in one order",
        schema: &[
            "create table b (id int primary key, v int not null)",
            "create table t (id int primary key, v int not null)",
            "insert into b values (1, 0)",
            "insert into t values (0, 0), (1, 0), (2, 0)",
        ],
        right: |session, who| {
            within(session, |session| {
                change(session, &format!("update t set v = v + 1 where id = {}", who % 3))?;
                change(session, "update b set v = v + 1 where id = 1").map(|_| ())
            })
        },
        wrong: |session, who| {
            within(session, |session| {
                change(session, &format!("update t set v = v + 1 where id = {}", who % 3))?;
                let v = number(session, "select v from b where id = 1")?.unwrap();
                change(session, &format!("update b set v = {} where id = 1", v + 1)).map(|_| ())
            })
        },
        breaks: WEAK,
        broken: "select {n} + {n} - (select sum(v) from t) - (select v from b)",
    },
    App {
        name: "a table is locked before it is looked at",
        schema: &["create table room (at int, who int)"],
        right: |session, who| {
            ask(session, "lock tables room write")?;
            book(session, who)?;
            ask(session, "unlock tables").map(|_| ())
        },
        wrong: |session, who| within(session, |session| book(session, who)),
        breaks: WEAK,
        broken: "select count(*) - 1 from room",
    },
    App {
        name: "a lock has a name",
        schema: &["create table room (at int, who int)"],
        right: |session, who| {
            assert_eq!(number(session, "select get_lock('room', 60)")?, Some(1));
            within(session, |session| book(session, who))?;
            assert_eq!(number(session, "select release_lock('room')")?, Some(1));
            Ok(())
        },
        wrong: |session, who| within(session, |session| book(session, who)),
        breaks: WEAK,
        broken: "select count(*) - 1 from room",
    },
    App {
        name: "an absent row is locked, then inserted",
        schema: &["create table hits (page varchar(20) primary key, n int not null)"],
        right: |session, _| hit(session, " for update"),
        wrong: |session, _| hit(session, ""),
        breaks: WEAK,
        broken: "select {n} - n from hits",
    },
    App {
        name: "the next number is what a query says",
        schema: &["create table numbers (n int primary key)", "create table loose (n int)"],
        right: |session, _| {
            until_done(session, "insert into numbers select coalesce(max(n), 0) + 1 from numbers")
        },
        wrong: |session, _| {
            within(session, |session| {
                let last = number(session, "select max(n) from loose")?.unwrap();
                change(session, &format!("insert into loose values ({})", last + 1)).map(|_| ())
            })
        },
        breaks: WEAK,
        broken: "select greatest((select count(*) - count(distinct n) from loose), \
                 (select case when count(*) then max(n) - count(*) else 0 end from numbers))",
    },
    App {
        name: "a counter is made or goes up",
        schema: &["create table hits (page varchar(20) primary key, n int not null)"],
        right: |session, _| {
            let sql = "insert into hits values ('home', 1) on duplicate key update n = n + 1";
            until_done(session, sql)
        },
        wrong: |session, _| {
            within(session, |session| {
                let n = number(session, "select n from hits where page = 'home'")?.unwrap_or(0);
                change(session, &format!("replace into hits values ('home', {})", n + 1))
                    .map(|_| ())
            })
        },
        breaks: WEAK,
        broken: "select {n} - n from hits",
    },
    App {
        name: "a row is there, then counted",
        schema: &["create table hits (page varchar(20) primary key, n int not null)"],
        right: |session, _| {
            within(session, |session| {
                change(session, "insert ignore into hits values ('home', 0)")?;
                change(session, "update hits set n = n + 1 where page = 'home'").map(|_| ())
            })
        },
        wrong: |session, _| {
            within(session, |session| {
                change(session, "insert ignore into hits values ('home', 0)")?;
                let n = number(session, "select n from hits where page = 'home'")?.unwrap_or(0);
                change(session, &format!("update hits set n = {} where page = 'home'", n + 1))
                    .map(|_| ())
            })
        },
        // INSERT IGNORE shares the row that is there, so that nobody else may change it.
        breaks: &[],
        broken: "select {n} - n from hits",
    },
    App {
        name: "tasks are done once",
        schema: &[
            "create table tasks (id int primary key, done int not null default 0)",
            "create table did (task int)",
            "insert into tasks (id) values (1), (2), (3), (4), (5), (6)",
        ],
        right: |session, _| work(session, " for update skip locked"),
        wrong: |session, _| work(session, ""),
        breaks: WEAK,
        broken: "select count(*) - count(distinct task) from did",
    },
    App {
        name: "two accounts together are not overdrawn",
        schema: &[
            "create table acct (id int primary key, bal int not null)",
            "insert into acct values (0, 50), (1, 50)",
        ],
        right: |session, who| {
            within(session, |session| {
                let sql = "select bal from acct order by id lock in share mode";
                withdraw(session, who, sql)
            })
        },
        wrong: |session, who| {
            within(session, |session| withdraw(session, who, "select bal from acct order by id"))
        },
        breaks: WEAK,
        broken: "select sum(bal) < 0 from acct",
    },
];

fn book(session: &mut Session, who: usize) -> Result<(), Number> {
    if number(session, "select count(*) from room where at = 1")? == Some(0) {
        change(session, &format!("insert into room values (1, {who})"))?;
    }
    Ok(())
}

fn leave(session: &mut Session, who: usize, lock: &str) -> Result<(), Number> {
    within(session, |session| {
        let sql = format!("select count(*) from doctors where on_call = 1{lock}");
        if number(session, &sql)?.unwrap() > 1 {
            change(session, &format!("update doctors set on_call = 0 where id = {who}"))?;
        }
        Ok(())
    })
}

fn hit(session: &mut Session, lock: &str) -> Result<(), Number> {
    within(session, |session| {
        let found = number(session, &format!("select n from hits where page = 'home'{lock}"))?;
        let sql = match found {
            Some(n) => format!("update hits set n = {} where page = 'home'", n + 1),
            None => "insert into hits values ('home', 1)".to_owned(),
        };
        change(session, &sql).map(|_| ())
    })
}

fn work(session: &mut Session, lock: &str) -> Result<(), Number> {
    within(session, |session| {
        let sql = format!("select id from tasks where done = 0 order by id limit 1{lock}");
        if let Some(task) = number(session, &sql)? {
            change(session, &format!("update tasks set done = 1 where id = {task}"))?;
            change(session, &format!("insert into did values ({task})"))?;
        }
        Ok(())
    })
}

/// Takes 60 from one of the accounts if both together have as much.
fn withdraw(session: &mut Session, who: usize, sql: &str) -> Result<(), Number> {
    let rows = ask(session, sql)?.rows;
    let all: i64 = rows.iter().map(|row| row[0].parse::<i64>().expect("a number")).sum();
    if all >= 60 {
        change(session, &format!("update acct set bal = bal - 60 where id = {}", who % 2))?;
    }
    Ok(())
}

fn database(version: Version, seed: u64) -> Database {
    let config = Config::default().profile(Profile::Mysql).level(Level::SI).seed(seed);
    let config = config.upgrades_first(version != Version::MariaDb10_11);
    let options = Options::default().hold(Duration::from_millis(2)).hold_for(HoldFor::Connected);
    hobgoblin_sql::open_mysql(Store::with(config, options).expect("a store"), version)
}

/// Which server, at which level.
type At = (Version, &'static str);

/// The rounds until the invariant broke, if it did.
fn rounds(app: &App, step: Step, (version, level): At, count: u64) -> Option<u64> {
    for round in 0..count {
        let database = database(version, round);
        let sessions = 2 + round as usize % 5;
        let put = |sql: &str| sql.replace("{n}", &sessions.to_string());
        let mut first = connect(&database);
        for sql in app.schema {
            ask(&mut first, &put(sql)).expect("nobody else is there");
        }
        std::thread::scope(|scope| {
            for who in 0..sessions {
                let mut session = connect(&database);
                let level = format!("set session transaction isolation level {level}");
                ask(&mut session, &level).expect("a level");
                scope.spawn(move || {
                    let done = step(&mut session, who);
                    assert_eq!(done, Ok(()), "{} at {level}", app.name);
                });
            }
        });
        let history = database.store().with_machine(|machine| machine.history());
        assert!(
            matches!(
                check(&history, Target::Mixed(Level::PC), &Limits::none()),
                Verdict::Consistent(_)
            ),
            "{} at {level}, round {round}: the history is not of its levels",
            app.name
        );
        if number(&mut first, &put(app.broken)).expect("nobody is left") != Some(0) {
            return Some(round);
        }
    }
    None
}

/// What comes out for every application at every level on both kinds of server; four run at a time, since they mostly wait.
fn everywhere(pick: impl Fn(&App, &str) -> bool, run: impl Fn(&App, At) -> Option<String> + Sync) {
    let mut all = Vec::new();
    for app in APPS {
        for level in LEVELS {
            for version in [Version::MariaDb10_11, Version::MariaDb11_8] {
                if pick(app, level) {
                    all.push((app, (version, level)));
                }
            }
        }
    }
    assert!(!all.is_empty());
    let (todo, failed) = (Mutex::new(all), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let next = todo.lock().expect("nobody panics with it").pop();
                    let Some((app, at)) = next else { break };
                    if let Some(what) = run(app, at) {
                        failed.lock().expect("nobody panics with it").push(what);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("nobody panics with it");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

fn full(small: u64, full: u64) -> u64 {
    if std::env::var_os("HOB_FULL").is_some() { full } else { small }
}

#[test]
fn right_applications_never_break() {
    everywhere(
        |_, _| true,
        |app, at| {
            let broke = rounds(app, app.right, at, full(50, 2_000));
            broke.map(|round| format!("{} is right and broke in round {round} at {at:?}", app.name))
        },
    );
}

#[test]
fn wrong_applications_break_soon() {
    everywhere(
        |app, level| app.breaks.contains(&level),
        |app, at| {
            // What changed since the snapshot is refused there.
            if at == (Version::MariaDb11_8, "REPEATABLE READ") {
                return None;
            }
            let broke = rounds(app, app.wrong, at, 100);
            broke.is_none().then(|| format!("{} did not break in 100 rounds at {at:?}", app.name))
        },
    );
}
