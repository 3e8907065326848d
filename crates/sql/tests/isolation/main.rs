//! The `postgres` profile beside PostgreSQL: the same statements of two or three sessions in the same order
//! give the same answers, wait for the same locks and fail with the same errors.
//!
//! Scripts are random: each session runs one transaction at READ COMMITTED or REPEATABLE READ over a few
//! rows. A statement that has not answered after a while is taken to be blocked; what its session wants to
//! do next waits for it. Timing can mislead on a busy machine, so a difference counts only if it is there
//! again with more patience. `HOB_FULL=1` runs 1,500 of them.
//!
//! At SERIALIZABLE two to four sessions work on rows that are on different pages, with reads by index. PostgreSQL
//! remembers what was read by pages where it is a range, so it may refuse more; that is counted apart. What is
//! refused here is refused there.
//!
//! Three and four sessions at all levels lock tables and change them, prepare transactions and wait no longer than
//! their timeouts. `HOB_FULL=1` runs 3,000, four at a time. `HOB_SEED=5000` makes other scripts.

#[allow(dead_code)]
#[path = "../differential/answer.rs"]
mod answer;
#[path = "../support/order.rs"]
mod order;
#[allow(dead_code)]
#[path = "../differential/postgres.rs"]
mod postgres;

mod lanes;
mod scripts;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hobgoblin_core::Level;
use hobgoblin_front::{Config, Profile, Store};
use hobgoblin_sql::session::Startup;

use lanes::{Lane, Played, hob_lane, met, play, postgres_lane};
use order::Step;
use scripts::{HOUSE, SCHEMA, WIDE_ROWS, WIDE_SCHEMA, house_script, script, serializable_script};

#[test]
fn interleavings_give_what_postgresql_gives() {
    let Some(server) = postgres::Server::start("") else { return };
    let seeds = seeds(1500, 60);
    let count = seeds.end - seeds.start;
    drop(server.connect("base").expect("a database"));
    let mut admin = server.join("base").expect("a connection");
    let answer = admin.query(SCHEMA).expect("an answer");
    assert_eq!(answer.state, None, "{}", answer.message);
    let (mut waits, mut races, mut differ) = (0, 0, Vec::new());
    for seed in seeds {
        let script = script(seed);
        let sessions = script.iter().map(|(session, _)| session + 1).max().unwrap_or(0);
        // Machines are slow at times: a script is played again until both have given the same.
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        for patience in [40, 150, 400] {
            let patience = Duration::from_millis(patience);
            let reset = "truncate t, c, n, p, d; insert into t values (1, 10), (2, 20), (3, 30);
                insert into d values (1, 1), (2, 2)";
            assert_eq!(admin.query(reset).expect("an answer").state, None);
            let lanes: Vec<Lane> = (0..sessions).map(|_| postgres_lane(&server, "base")).collect();
            theirs.push(play(&lanes, &script, &[], patience));
            let config = Config::default().level(Level::RC).profile(Profile::Postgres);
            let database = hobgoblin_sql::open(Store::new(config).expect("a store"), None);
            database.connect(Startup::default()).expect("a session").run(SCHEMA).expect("tables");
            let lanes: Vec<Lane> = (0..sessions).map(|_| hob_lane(&database)).collect();
            ours.push(play(&lanes, &script, &[], patience));
            if met(&theirs, &ours) {
                break;
            }
        }
        let answers = theirs.iter().flat_map(|played| &played.answers).flatten();
        waits += answers.filter(|answer| *answer == "(waits)").count();
        if met(&theirs, &ours) {
            continue;
        }
        // Of those who wait for the end of one transaction to insert the same key, any may be first.
        if theirs.iter().all(|played| played.race) {
            races += 1;
        } else {
            differ.push(told(seed, &script, &theirs, &ours));
        }
    }
    assert!(differ.is_empty(), "{} of {count} differ\n{}", differ.len(), differ.join("\n\n"));
    assert!(races * 50 <= count, "{races} of {count} differ where several waited");
    assert!(waits > 0, "some of the scripts meet locks");
}

/// A script and what both made of it last.
fn told(seed: u64, script: &[Step], theirs: &[Played], ours: &[Played]) -> String {
    let steps: Vec<String> =
        script.iter().map(|(session, sql)| format!("  {session}: {sql}")).collect();
    let (theirs, ours) = (theirs.last(), ours.last());
    format!("seed {seed}\n{}\nPostgreSQL {theirs:?}\nhob        {ours:?}", steps.join("\n"))
}

/// The first seed of a run, and how many.
fn seeds(full: u64, part: u64) -> std::ops::Range<u64> {
    let first: u64 = std::env::var("HOB_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(0);
    let count = if std::env::var_os("HOB_FULL").is_some() { full } else { part };
    first..first + count
}

/// The first answer in which each session differs: the session, its answers up to there, theirs and ours.
fn firsts<'p>(
    theirs: &'p Played,
    ours: &'p Played,
) -> impl Iterator<Item = (usize, &'p [String], &'p str, &'p str)> {
    let both = theirs.answers.iter().zip(&ours.answers).enumerate();
    both.filter_map(|(session, (theirs, ours))| {
        let at = theirs.iter().zip(ours).position(|(theirs, ours)| theirs != ours)?;
        Some((session, &theirs[..at], theirs[at].as_str(), ours[at].as_str()))
    })
}

/// Whether the first answer in which a session differs is one that only PostgreSQL refuses, or refuses before it waits,
/// or one that waits here for a safe snapshot while PostgreSQL knows already that another one will be refused.
fn refuses_more(script: &[Step], theirs: &Played, ours: &Played) -> bool {
    let refuses = theirs.answers.iter().flatten().any(|answer| answer == "40001");
    let deferrable = |session: usize| {
        script.iter().any(|(other, sql)| *other == session && sql.ends_with("deferrable"))
    };
    firsts(theirs, ours).any(|(session, _, theirs, ours)| match ours {
        "40001" => false,
        "(waits)" if theirs != "40001" => refuses && deferrable(session),
        _ => theirs == "40001",
    })
}

/// Whether PostgreSQL lets something through that is not serializable, in one of two ways that `docs/profiles.md` names: it
/// does not know what a transaction writes that locked a table ACCESS EXCLUSIVE before its first query, and it does not
/// count what a duplicate key (23505) told about a row newer than the snapshot.
fn lets_through(script: &[Step], theirs: &Played, ours: &Played) -> bool {
    let locks_first = |session: usize| {
        let mut mine = script.iter().filter(|(other, _)| *other == session).map(|(_, sql)| sql);
        let serializable = mine.next().is_some_and(|begin| begin.contains("serializable"));
        let early = |sql: &&String| {
            ["set ", "savepoint", "lock "].iter().any(|start| sql.starts_with(start))
        };
        serializable && mine.take_while(early).any(|sql| sql.contains("access exclusive"))
    };
    let overlooked = (0..theirs.answers.len()).any(locks_first);
    firsts(theirs, ours).any(|(_, before, theirs, ours)| {
        let told = before.iter().any(|answer| answer == "23505")
            && ["COMMIT", "PREPARE"].iter().any(|tag| theirs.starts_with(tag));
        ours == "40001" && theirs != "40001" && (overlooked || told)
    })
}

#[test]
fn serializable_transactions_are_refused_where_postgresql_refuses_them() {
    let Some(server) = postgres::Server::start("") else { return };
    let seeds = seeds(1500, 60);
    let count = seeds.end - seeds.start;
    drop(server.connect("wide").expect("a database"));
    let mut admin = server.join("wide").expect("a connection");
    let tuned = "alter system set max_pred_locks_per_page = 100000; \
        alter system set max_pred_locks_per_relation = 100000; \
        alter database wide set enable_seqscan = off; alter database wide set enable_bitmapscan = off";
    for sql in tuned.split(';').chain(["select pg_reload_conf()", WIDE_SCHEMA]) {
        let answer = admin.query(sql).expect("an answer");
        assert_eq!(answer.state, None, "{}", answer.message);
    }
    let (mut refusals, mut races, mut more, mut differ) = (0, 0, Vec::new(), Vec::new());
    for seed in seeds {
        let script = serializable_script(seed);
        let sessions = script.iter().map(|(session, _)| session + 1).max().unwrap_or(0);
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        for patience in [40, 150, 400] {
            let patience = Duration::from_millis(patience);
            for sql in ["truncate w, e", WIDE_ROWS, "analyze w"] {
                assert_eq!(admin.query(sql).expect("an answer").state, None);
            }
            let lanes: Vec<Lane> = (0..sessions).map(|_| postgres_lane(&server, "wide")).collect();
            theirs.push(play(&lanes, &script, &[], patience));
            let config = Config::default().level(Level::RC).profile(Profile::Postgres);
            let database = hobgoblin_sql::open(Store::new(config).expect("a store"), None);
            let mut setup = database.connect(Startup::default()).expect("a session");
            setup.run(WIDE_SCHEMA).and_then(|_| setup.run(WIDE_ROWS)).expect("tables");
            let lanes: Vec<Lane> = (0..sessions).map(|_| hob_lane(&database)).collect();
            ours.push(play(&lanes, &script, &[], patience));
            if met(&theirs, &ours) {
                break;
            }
        }
        let answers = ours.iter().flat_map(|played| &played.answers).flatten();
        refusals += answers.filter(|answer| *answer == "40001").count();
        let told = || told(seed, &script, &theirs, &ours);
        match (theirs.last(), ours.last()) {
            _ if met(&theirs, &ours) => {}
            (Some(theirs), Some(ours)) if refuses_more(&script, theirs, ours) => more.push(told()),
            _ if theirs.iter().all(|played| played.race) => races += 1,
            _ => differ.push(told()),
        }
    }
    eprintln!("{count} scripts: {} refused by PostgreSQL alone, {races} races", more.len());
    if let Some(example) = more.first() {
        eprintln!("for example {example}");
    }
    assert!(differ.is_empty(), "{} of {count} differ\n{}", differ.len(), differ.join("\n\n"));
    assert!(races * 100 <= count, "{races} of {count} differ where several waited");
    assert!(more.len() as u64 * 25 <= count, "{} of {count} refused there alone", more.len());
    assert!(refusals > 0, "some of the scripts are refused");
}

/// How the scripts of the house went.
#[derive(Default)]
struct House {
    waits: usize,
    prepared: usize,
    races: Vec<String>,
    more: Vec<String>,
    fewer: Vec<String>,
    differ: Vec<String>,
}

impl House {
    /// Plays a script on both until they have given the same.
    fn play(&mut self, server: &postgres::Server, name: &str, seed: u64) {
        let (script, last) = house_script(seed, name);
        let sessions = script.iter().map(|(session, _)| session + 1).max().unwrap_or(0);
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        for patience in [60, 150, 400] {
            let patience = Duration::from_millis(patience);
            let mut admin = server.join(name).expect("a connection");
            for sql in ["drop schema public cascade; create schema public", HOUSE, WIDE_SCHEMA]
                .into_iter()
                .chain([WIDE_ROWS])
            {
                let answer = admin.query(sql).expect("an answer");
                assert_eq!(answer.state, None, "{sql}: {}", answer.message);
            }
            drop(admin);
            let lanes: Vec<Lane> = (0..=sessions).map(|_| postgres_lane(server, name)).collect();
            theirs.push(play(&lanes, &script, &last, patience));
            let profile = Profile::Postgres;
            let config = Config::default().level(Level::RC).profile(profile).patient(true);
            let database = hobgoblin_sql::open(Store::new(config).expect("a store"), None);
            let enabled = ("max_prepared_transactions".to_owned(), "20".to_owned());
            database.configure(&[enabled]).expect("a setting");
            let mut setup = database.connect(Startup::default()).expect("a session");
            for sql in [HOUSE, WIDE_SCHEMA, WIDE_ROWS] {
                setup.run(sql).expect("tables");
            }
            let lanes: Vec<Lane> = (0..=sessions).map(|_| hob_lane(&database)).collect();
            ours.push(play(&lanes, &script, &last, patience));
            if met(&theirs, &ours) {
                break;
            }
        }
        let answers = ours.iter().flat_map(|played| &played.answers).flatten();
        self.waits += answers.clone().filter(|answer| *answer == "(waits)").count();
        self.prepared += answers.filter(|answer| answer.starts_with("COMMIT PREPARED")).count();
        let told = || told(seed, &script, &theirs, &ours);
        match (theirs.last(), ours.last()) {
            _ if met(&theirs, &ours) => {}
            (Some(theirs), Some(ours)) if refuses_more(&script, theirs, ours) => {
                self.more.push(told())
            }
            (Some(theirs), Some(ours)) if lets_through(&script, theirs, ours) => {
                self.fewer.push(told())
            }
            _ if theirs.iter().all(|played| played.race) => self.races.push(told()),
            _ => self.differ.push(told()),
        }
    }
}

#[test]
fn table_locks_changes_of_tables_two_phase_commit_and_timeouts() {
    let options = "-c max_prepared_transactions=20 -c max_pred_locks_per_page=100000 \
        -c max_pred_locks_per_relation=100000 -c default_transaction_isolation='read committed'";
    let Some(server) = postgres::Server::start(options) else { return };
    let seeds = seeds(3000, 80);
    let (next, count) = (AtomicU64::new(seeds.start), seeds.end - seeds.start);
    let all = Mutex::new(House::default());
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let (server, next, all, end) = (&server, &next, &all, seeds.end);
            scope.spawn(move || {
                let name = format!("house{worker}");
                drop(server.connect(&name).expect("a database"));
                let mut admin = server.join(&name).expect("a connection");
                for scan in ["seqscan", "bitmapscan"] {
                    let sql = format!("alter database {name} set enable_{scan} = off");
                    assert_eq!(admin.query(&sql).expect("an answer").state, None);
                }
                drop(admin);
                let mut mine = House::default();
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end {
                        break;
                    }
                    let playing = AssertUnwindSafe(|| mine.play(server, &name, seed));
                    if let Err(panic) = catch_unwind(playing) {
                        eprintln!("seed {seed} did not come to its end");
                        resume_unwind(panic);
                    }
                }
                let mut all = all.lock().expect("no worker panics with it");
                all.waits += mine.waits;
                all.prepared += mine.prepared;
                all.races.append(&mut mine.races);
                all.more.append(&mut mine.more);
                all.fewer.append(&mut mine.fewer);
                all.differ.append(&mut mine.differ);
            });
        }
    });
    let House { waits, prepared, races, more, fewer, differ } =
        all.into_inner().expect("all ended");
    eprintln!(
        "{count} scripts: {waits} waits, {prepared} prepared transactions committed, {} refused by \
         PostgreSQL alone, {} not serializable and let through there, {} races",
        more.len(),
        fewer.len(),
        races.len()
    );
    for example in more.first().into_iter().chain(fewer.first()).chain(&races) {
        eprintln!("for example {example}");
    }
    assert!(differ.is_empty(), "{} of {count} differ\n{}", differ.len(), differ.join("\n\n"));
    assert!(races.len() as u64 * 100 <= count, "{} of {count} are races", races.len());
    assert!(more.len() as u64 * 25 <= count, "{} of {count} refused there alone", more.len());
    assert!(fewer.len() as u64 * 100 <= count, "{} of {count} refused here alone", fewer.len());
    assert!(waits > 0 && prepared > 0, "scripts meet locks, and prepare transactions");
}
