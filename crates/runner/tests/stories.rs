//! What is told of a run that failed is what its author has to know: the anomaly by its usual name, and the
//! rows that the test looked at, though other tables were written at the same time.
//!
//! Each application is written as an object-relational mapper writes it: rows are read, changed in memory
//! and saved by their key, at READ COMMITTED, while every session also keeps books about itself that matter
//! to nobody. It runs with 2, 3 and 5 sessions at once until its rule is broken, several times over.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use hobgoblin_core::{History, Level};
use hobgoblin_front::{Config, HoldFor, Options, Profile, Store};
use hobgoblin_runner::Diagnosis;
use hobgoblin_sql::error::SqlError;
use hobgoblin_sql::session::{Session, Startup};
use hobgoblin_sql::types::Datum;

type Work = fn(&mut Session, i64) -> Result<(), SqlError>;

struct App {
    name: &'static str,
    schema: &'static str,
    /// What a session does in one transaction.
    work: Work,
    /// Statements of the final check; the last gives a number, and 0 is good. `{n}` is how many sessions
    /// committed.
    check: &'static [&'static str],
    code: &'static str,
    /// What a key begins with that is told; no other is.
    rows: &'static str,
    keys: usize,
}

/// Tables that everybody writes and nobody checks.
const BOOKS: &str = "create table visit(id serial primary key, who int, page text); \
    create table page(id int primary key, views int not null, seen text); \
    insert into page values (1, 0, 'x'), (2, 0, 'y');";

/// A visit is noted.
fn note_visit(session: &mut Session, who: i64) -> Result<(), SqlError> {
    session.run("select views, seen from page")?;
    session.run(&format!("insert into visit(who, page) values ({who}, 'shop')")).map(|_| ())
}

/// A counter of views goes up, and a row that others save too is saved: an update of it may be lost.
fn count_views(session: &mut Session) -> Result<(), SqlError> {
    session.run("update page set views = views + 1 where id = 1")?;
    let views = number(session, "select views from page where id = 2")?;
    session.run(&format!("update page set views = {}, seen = 'now' where id = 2", views + 1))?;
    Ok(())
}

fn number(session: &mut Session, sql: &str) -> Result<i64, SqlError> {
    let rows = session.run(sql)?;
    match rows.first().and_then(|row| row.first()) {
        Some(Datum::Int(number)) => Ok(*number),
        Some(Datum::Null) | None => Ok(0),
        other => panic!("{sql} gave {other:?}"),
    }
}

const APPS: &[App] = &[
    App {
        name: "a stock is read and saved",
        schema: "create table item(id int primary key, name text, stock int not null); \
            insert into item values (1, 'last', 100), (2, 'many', 100)",
        work: |session, _| {
            let stock = number(session, "select stock from item where id = 1")?;
            session.run(&format!("update item set stock = {} where id = 1", stock - 1))?;
            Ok(())
        },
        check: &["select {n} - (100 - stock) from item where id = 1"],
        code: "lost-update",
        rows: "item[1]",
        keys: 1,
    },
    App {
        name: "a stock is set from a subquery",
        schema: "create table item(id int primary key, name text, stock int not null); \
            insert into item values (1, 'last', 100), (2, 'many', 100)",
        work: |session, _| {
            let set = "(select stock from item where id = 1) - 1";
            session.run(&format!("update item set stock = {set} where id = 1")).map(|_| ())
        },
        check: &["select {n} - (100 - stock) from item where id = 1"],
        code: "lost-update",
        rows: "item[1]",
        keys: 1,
    },
    App {
        name: "a refund saves all columns",
        schema: "create table source(id int primary key, label text, debited int, refunded int); \
            create table txn(id serial primary key, source_id int references source(id), amount int); \
            insert into source values (7, 'card', 100, 0)",
        work: |session, who| {
            session.run("select id, label, debited from source where id = 7")?;
            let refunded = number(session, "select refunded from source where id = 7")?;
            session.run(&format!(
                "update source set label = 'card', debited = 100, refunded = {} where id = 7",
                refunded + 10 + who
            ))?;
            session.run(&format!("insert into txn(source_id, amount) values (7, {})", 10 + who))?;
            Ok(())
        },
        check: &[
            "select refunded from source where id = 7",
            "select (select sum(amount)::int from txn) - refunded from source where id = 7",
        ],
        code: "lost-update",
        rows: "source[7]",
        keys: 1,
    },
    App {
        name: "the last item is allocated twice",
        schema: "create table product(id int primary key, title text, class_id int); \
            create table class(id int primary key, track bool not null); \
            create table stockrecord(id serial primary key, product_id int, sku text unique, \
                num_in_stock int not null, num_allocated int); \
            create table orders(id serial primary key, number text unique, total int); \
            create table line(id serial primary key, order_id int references orders(id), \
                record_id int references stockrecord(id)); \
            insert into class values (1, true); insert into product values (1, 'x', 1), (2, 'y', 1); \
            insert into stockrecord(product_id, sku, num_in_stock) values (1, 'last', 1), (2, 'many', 9)",
        work: |session, who| {
            session
                .run("select p.title, c.track from product p join class c on c.id = p.class_id")?;
            let free = number(
                session,
                "select num_in_stock - coalesce(num_allocated, 0) from stockrecord where product_id = 1",
            )?;
            if free < 1 {
                return Ok(());
            }
            session.run(&format!("insert into orders(number, total) values ('n{who}', 10)"))?;
            let order = number(session, "select max(id) from orders where total = 10")?;
            session.run(
                "update stockrecord set num_allocated = coalesce(num_allocated, 0) + 1 where id = 1",
            )?;
            session.run(&format!("insert into line(order_id, record_id) values ({order}, 1)"))?;
            Ok(())
        },
        check: &[
            "select count(*) from orders",
            "select num_allocated - num_in_stock from stockrecord where sku = 'last'",
        ],
        code: "lost-update",
        rows: "stockrecord[1]",
        keys: 1,
    },
    App {
        name: "an offer is given more often than its limit",
        schema: "create table offer(id int primary key, max int, given int not null); \
            create table discount(id serial primary key, offer_id int references offer(id)); \
            insert into offer values (3, 1, 0)",
        work: |session, _| {
            let given = number(session, "select given from offer where id = 3 and given < max")?;
            let free = number(session, "select max - given from offer where id = 3")?;
            if free > 0 {
                session.run("insert into discount(offer_id) values (3)")?;
                session.run(&format!(
                    "update offer set given = {}, max = 1 where id = 3",
                    given + 1
                ))?;
            }
            Ok(())
        },
        check: &["select max from offer", "select count(*) - 1 from discount"],
        code: "lost-update",
        rows: "offer[3]",
        keys: 1,
    },
    App {
        name: "nobody is on call",
        schema: "create table doctor(id int primary key, name text, on_call bool not null); \
            insert into doctor select n, 'd' || n, true from generate_series(0, 4) n",
        work: |session, who| {
            let there = number(session, "select count(*) from doctor where on_call")?;
            if there > 1 {
                session.run(&format!("update doctor set on_call = false where id = {who}"))?;
            }
            Ok(())
        },
        // Those beyond the sessions leave first.
        check: &["select case when count(*) = 0 then 1 else 0 end from doctor where on_call"],
        code: "write-skew",
        rows: "doctor[",
        keys: 2,
    },
    App {
        name: "a room is booked twice",
        schema: "create table booking(id serial primary key, room int, at int, who int); \
            insert into booking(room, at, who) values (1, 9, 0)",
        work: |session, who| {
            let taken = number(session, "select count(*) from booking where room = 3 and at = 10")?;
            if taken == 0 {
                session
                    .run(&format!("insert into booking(room, at, who) values (3, 10, {who})"))?;
            }
            Ok(())
        },
        check: &["select count(*) - 1 from booking where room = 3 and at = 10"],
        code: "write-skew",
        rows: "booking[",
        keys: 2,
    },
];

/// Runs sessions at once, each in a transaction of its own: whether the rule is broken, and the history.
fn run(app: &App, sessions: i64, seed: u64, books: bool) -> (bool, History) {
    let config = Config::default().level(Level::RC).profile(Profile::Postgres).seed(seed);
    let hold = Some(Duration::from_millis(2));
    let options = Options::default().hold(hold).hold_for(HoldFor::Connected);
    let database = hobgoblin_sql::open(Store::with(config, options).expect("a store"), None);
    {
        let mut setup = database.connect(Startup::default()).expect("connects");
        setup.run(BOOKS).expect("the books are made");
        setup.run(app.schema).expect("the schema is made");
        let left = format!("update doctor set on_call = false where id >= {sessions}");
        if app.schema.contains("doctor") {
            setup.run(&left).expect("some are not there");
        }
    }
    let committed = std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for who in 0..sessions {
            let mut session = database.connect(Startup::default()).expect("connects");
            threads.push(scope.spawn(move || {
                session.run("begin").expect("begins");
                let worked = match books {
                    true => note_visit(&mut session, who)
                        .and_then(|()| (app.work)(&mut session, who))
                        .and_then(|()| count_views(&mut session)),
                    false => (app.work)(&mut session, who),
                };
                session.run(if worked.is_ok() { "commit" } else { "rollback" }).expect("ends");
                worked.is_ok()
            }));
        }
        let ended = threads.into_iter().map(|thread| thread.join().expect("no panic"));
        ended.filter(|&committed| committed).count()
    });
    let mut check = database.connect(Startup::default()).expect("connects");
    let mut broken = 0;
    for sql in app.check {
        let sql = sql.replace("{n}", &committed.to_string());
        broken = number(&mut check, &sql).expect("it is checked");
    }
    (broken > 0, database.store().history().expect("a store has a history"))
}

fn diagnose(history: &History) -> Diagnosis {
    Diagnosis::of(history, &Arc::new(AtomicBool::new(false)))
}

#[test]
fn the_anomaly_and_the_rows_that_broke_the_rule_are_told() {
    let wanted = if std::env::var_os("HOB_FULL").is_some() { 20 } else { 3 };
    for app in APPS {
        for sessions in [2, 3, 5] {
            let mut told = 0;
            for seed in 0..200 {
                let (broken, history) = run(app, sessions, seed, true);
                if !broken {
                    continue;
                }
                let place = format!("{} with {sessions} sessions, seed {seed}", app.name);
                let Diagnosis::Anomaly(finding) = diagnose(&history) else {
                    panic!("{place}: nothing is found")
                };
                assert_eq!(finding.code, app.code, "{place}: {:?}\n{}", finding.keys, finding.text);
                assert_eq!(finding.keys.len(), app.keys, "{place}: {:?}", finding.keys);
                for key in &finding.keys {
                    assert!(key.starts_with(app.rows), "{place}: {key}\n{}", finding.text);
                }
                told += 1;
                if told == wanted {
                    break;
                }
            }
            assert_eq!(told, wanted, "{} broke too seldom with {sessions} sessions", app.name);
        }
    }
}

#[test]
fn a_right_program_is_not_blamed() {
    let schema = "create table item(id int primary key, sku text unique, stock int not null); \
        create table line(id serial primary key, item_id int references item(id)); \
        insert into item values (1, 'last', 100), (2, 'many', 100)";
    let works: [(&str, Work); 3] = [
        ("one statement", |session, _| {
            session.run("update item set stock = stock - 1 where sku = 'last' and stock > 0")?;
            session.run("insert into line(item_id) values (1)").map(|_| ())
        }),
        ("a locking read", |session, _| {
            let stock = number(session, "select stock from item where id = 1 for update")?;
            session.run(&format!("update item set stock = {} where id = 1", stock - 1))?;
            session.run("insert into line(item_id) values (1)").map(|_| ())
        }),
        ("a merge", |session, _| {
            session.run(
                "merge into item using (values (1)) v(id) on item.id = v.id \
                 when matched then update set stock = stock - 1",
            )?;
            session.run("insert into line(item_id) values (1)").map(|_| ())
        }),
    ];
    for (name, work) in works {
        let check = &["select stock from item where id = 1", "select {n} - count(*) from line"];
        let (code, rows, keys) = ("none", "", 0);
        let app = App { name, schema, work, check, code, rows, keys };
        for sessions in [2, 3, 5] {
            for seed in 0..10 {
                let (broken, history) = run(&app, sessions, seed, false);
                assert!(!broken, "{name} with {sessions} sessions, seed {seed}");
                let diagnosis = diagnose(&history);
                assert_eq!(diagnosis.code(), app.code, "{name}, seed {seed}: {diagnosis:?}");
            }
        }
    }
}
