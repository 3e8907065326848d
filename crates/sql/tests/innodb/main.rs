//! The `mysql` profile beside InnoDB, in the PostgreSQL dialect: the same statements of two or three sessions in the same
//! order give the same rows, wait for the same locks until the same step, and fail for the same reasons.

mod lanes;
mod mariadb;
mod play;
mod random;
mod scenarios;

use hobgoblin_front::{Config, Profile, Store};
use hobgoblin_sql::session::{Database, Startup};

use lanes::{Answer, Lane, hob_lane};
use play::{Played, play};
use scenarios::{Recorded, Scenario};

/// Where the PostgreSQL dialect or a race makes a difference: the scenario, the levels at which it does, and why.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    (
        "with_consistent_snapshot",
        "serializable+",
        "the PostgreSQL dialect has no START TRANSACTION WITH CONSISTENT SNAPSHOT, which takes one at SERIALIZABLE too",
    ),
    (
        "three_inserts_deadlock",
        "read committed, repeatable read, repeatable read+, serializable+",
        "a race: of two who waited for the same key either may go on first, and the other is refused",
    ),
    (
        "same_value_update_locks",
        "serializable+",
        "an UPDATE that changes nothing writes nothing in MySQL, so nothing has changed",
    ),
];

fn database(snapshot_isolation: bool) -> Database {
    let config = Config::default().profile(Profile::Mysql).level(hobgoblin_core::Level::SI);
    let config = config.snapshot_isolation(snapshot_isolation);
    hobgoblin_sql::open(Store::new(config).expect("a store"), None)
}

#[test]
fn scenarios_are_answered_as_recorded() {
    let (scenarios, left) = scenarios::all();
    assert!(left.len() <= 5, "{left:?}");
    let (mut differ, mut unneeded) = (Vec::new(), Vec::new());
    for scenario in &scenarios {
        let (played, last) = play_here(scenario);
        let same = |recorded: &Recorded| {
            let steps = recorded.steps.iter().zip(&played).zip(&scenario.steps);
            steps.into_iter().all(|((theirs, ours), (_, sql))| alike(sql, theirs, ours))
                && recorded.last == last
        };
        let holds = scenario.recorded.iter().any(same);
        let except = EXCEPTIONS
            .iter()
            .find(|(name, levels, _)| *name == scenario.name && applies(levels, scenario));
        match (holds, except) {
            (true, Some(except)) => unneeded.push(format!("{except:?} at {}", scenario.level)),
            (false, None) => differ.push(told(scenario, &played, &last)),
            _ => {}
        }
    }
    let count = scenarios.len();
    assert!(differ.is_empty(), "{} of {count} differ\n{}", differ.len(), differ.join("\n\n"));
    assert!(unneeded.is_empty(), "exceptions that are none: {unneeded:?}");
}

/// What a script was answered on one side, and what the tables hold then.
type Ran = (Vec<Played>, Vec<Answer>);

#[test]
fn random_scripts_are_answered_as_by_mariadb() {
    let Some(server) = mariadb::Server::start() else { return };
    let mut client = server.client();
    for sql in random::TABLES.iter().chain(&random::INDEXES) {
        assert!(!matches!(client.ask(sql), Answer::Error(_)), "{sql}");
    }
    let first: u64 = std::env::var("HOB_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(0);
    let count = if std::env::var_os("HOB_FULL").is_some() { 1500 } else { 60 };
    let (mut waits, mut deadlocks, mut races, mut victims, mut marked) = (0, 0, 0, 0, 0);
    let mut differ = Vec::new();
    for seed in first..first + count {
        let script = random::script(seed);
        let ours = random_here(&script);
        let theirs = random_there(&server, &mut client, &script);
        waits += theirs.0.iter().filter(|played| played.until.is_some()).count();
        let deadlock = Answer::Error("deadlock".to_owned());
        deadlocks += theirs.0.iter().filter(|played| played.answer == deadlock).count();
        if same(&script, &theirs, &ours) {
            continue;
        }
        // What is a race there goes another way at times.
        let again = [0; 3].map(|_| random_there(&server, &mut client, &script));
        let varies = |other: &Ran| same(&script, other, &ours) || !same(&script, other, &theirs);
        if again.iter().any(varies) {
            races += 1;
        } else if other_victim(&script, &theirs, &ours) {
            victims += 1;
        } else if depends_on_purge(&script, &theirs, &ours) {
            marked += 1;
        } else {
            differ.push(told_random(seed, &script, &theirs, &ours));
        }
    }
    let told = format!("{races} races, {victims} other victims, {marked} by purge");
    eprintln!("{count} scripts: {waits} waits, {deadlocks} deadlocks, {told}");
    assert!(differ.is_empty(), "{} of {count} differ\n{}", differ.len(), differ.join("\n\n"));
    assert!(races * 10 <= count && victims * 20 <= count && marked * 20 <= count, "{told}");
    assert!(waits as u64 > count / 2 && deadlocks as u64 > count / 30, "{waits} {deadlocks}");
}

/// The first step in which two runs differ.
fn first_difference(script: &random::Script, a: &Ran, b: &Ran) -> Option<usize> {
    let mut steps = a.0.iter().zip(&b.0).zip(&script.steps);
    steps.position(|((a, b), (_, sql))| !same_step(sql, a, b))
}

/// Whether both found a deadlock, and undid another transaction: InnoDB weighs its lock structures, which are by page.
fn other_victim(script: &random::Script, theirs: &Ran, ours: &Ran) -> bool {
    let refused = |ran: &Ran| {
        let deadlock = Answer::Error("deadlock".to_owned());
        ran.0.iter().filter(|played| played.answer == deadlock).count()
    };
    let first = first_difference(script, theirs, ours).map(|at| [&theirs.0[at], &ours.0[at]]);
    let waited = first.is_some_and(|steps| steps.iter().all(|played| played.until.is_some()));
    waited && refused(theirs) > 0 && refused(ours) > 0
}

/// Whether the first difference is a wait after a row was deleted or got another key: until the old one is purged, which
/// may be soon or late, it bounds the gaps beside it.
fn depends_on_purge(script: &random::Script, theirs: &Ran, ours: &Ran) -> bool {
    let Some(at) = first_difference(script, theirs, ours) else { return false };
    let deletes = ["delete", "update u set name", "update g set k", "rollback"];
    let before = script.steps[..at].iter();
    let deleted =
        before.into_iter().any(|(_, sql)| deletes.iter().any(|verb| sql.starts_with(verb)));
    deleted && theirs.0[at].until != ours.0[at].until
}

/// Whether two runs of a script went the same way. An upsert counts twice in MySQL, and what changes nothing not at all.
fn same(script: &random::Script, a: &Ran, b: &Ran) -> bool {
    let mut steps = a.0.iter().zip(&b.0).zip(&script.steps);
    steps.all(|((a, b), (_, sql))| same_step(sql, a, b)) && a.1 == b.1
}

/// Whether a step went the same way in two runs.
fn same_step(sql: &str, a: &Played, b: &Played) -> bool {
    let counts = matches!((&a.answer, &b.answer), (Answer::Done(_), Answer::Done(_)));
    let free = ["upsert", "update u set name", "begin", "commit", "rollback", "savepoint"];
    let free = counts && free.iter().any(|word| sql.starts_with(word));
    (free || a.answer == b.answer) && a.until == b.until
}

fn random_here(script: &random::Script) -> Ran {
    let database = database(false);
    let mut setup = database.connect(Startup::default()).expect("a session");
    for sql in random::TABLES.iter().chain(&random::INDEXES).chain(&random::ROWS) {
        setup.run(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
    let name = |at: usize| format!("s{at}");
    let levels = script.levels.iter().enumerate();
    let mut lanes: Vec<Lane> =
        levels.map(|(at, level)| hob_lane(&database, &name(at), level)).collect();
    let steps = script.steps.iter().map(|(at, sql)| (*at, random::for_postgres(sql)));
    let played = play(&mut lanes, &steps.collect::<Vec<_>>());
    let mut last = [hob_lane(&database, "last", "read committed")];
    let last = random::LAST.map(|sql| play(&mut last, &[(0, sql.to_owned())])[0].answer.clone());
    (played, last.to_vec())
}

fn random_there(
    server: &mariadb::Server,
    client: &mut lanes::Client,
    script: &random::Script,
) -> Ran {
    for table in ["c", "p", "u", "g", "t"] {
        client.ask("set foreign_key_checks = 0");
        client.ask(&format!("truncate table {table}"));
    }
    for sql in random::ROWS {
        client.ask(sql);
    }
    let mut lanes: Vec<Lane> = script.levels.iter().map(|level| server.lane(level)).collect();
    let steps = script.steps.iter().map(|(at, sql)| (*at, random::for_mariadb(sql)));
    let played = play(&mut lanes, &steps.collect::<Vec<_>>());
    (played, random::LAST.map(|sql| client.ask(sql)).to_vec())
}

fn told_random(seed: u64, script: &random::Script, theirs: &Ran, ours: &Ran) -> String {
    let shown = |played: &Played| match played.until {
        Some(step) => format!("{} (waited until {step})", played.answer),
        None => played.answer.to_string(),
    };
    let mut lines = vec![format!("seed {seed}, levels {}", script.levels.join(", "))];
    for (at, (session, sql)) in script.steps.iter().enumerate() {
        let (theirs, ours) = (&theirs.0[at], &ours.0[at]);
        let mark = if theirs == ours { " " } else { "!" };
        lines.push(format!("{mark} {at} {session}: {sql}: {} | {}", shown(theirs), shown(ours)));
    }
    for ((theirs, ours), sql) in theirs.1.iter().zip(&ours.1).zip(random::LAST) {
        if theirs != ours {
            lines.push(format!("! {sql}: {theirs} | {ours}"));
        }
    }
    lines.join("\n")
}

fn applies(levels: &str, scenario: &Scenario) -> bool {
    levels == "all" || levels.split(", ").any(|level| level == named(scenario))
}

fn named(scenario: &Scenario) -> String {
    let plus = if scenario.snapshot_isolation { "+" } else { "" };
    format!("{}{plus}", scenario.level)
}

/// Plays a scenario; gives what it was answered, and what the tables hold then.
fn play_here(scenario: &Scenario) -> (Vec<Played>, Answer) {
    let database = database(scenario.snapshot_isolation);
    let mut setup = database.connect(Startup::default()).expect("a session");
    for sql in &scenario.setup {
        setup.run(sql).unwrap_or_else(|error| panic!("{}: {sql}: {error}", scenario.name));
    }
    let mut lanes: Vec<Lane> =
        ["A", "B", "C"].map(|name| hob_lane(&database, name, &scenario.level)).into();
    let played = play(&mut lanes, &scenario.steps);
    let last =
        play(&mut [hob_lane(&database, "last", "read committed")], &[(0, scenario.last.clone())]);
    (played, last[0].answer.clone())
}

/// Whether a step went the same way. Counts are MySQL's own: it does not count rows that were already so, and counts
/// upserts twice.
fn alike(sql: &str, theirs: &Played, ours: &Played) -> bool {
    let answers = match (&theirs.answer, &ours.answer) {
        (Answer::Done(_), Answer::Done(_)) => true,
        (Answer::Rows(_), Answer::Rows(_)) if sql == "SELECT 1 WHERE FALSE" => true,
        // The snapshot is taken by a read.
        (Answer::Done(_), Answer::Rows(_)) => sql.starts_with("BEGIN;"),
        (theirs, ours) => theirs == ours,
    };
    // A wait that ran out is not told as one.
    let over = theirs.answer == Answer::Error("timeout".to_owned());
    answers && (theirs.until == ours.until || over)
}

fn told(scenario: &Scenario, played: &[Played], last: &Answer) -> String {
    let mut lines = vec![format!("{} at {}", scenario.name, named(scenario))];
    let shown = |played: &Played| match played.until {
        Some(step) => format!("{} (waited until {step})", played.answer),
        None => played.answer.to_string(),
    };
    let recorded = &scenario.recorded[0];
    for (at, (session, sql)) in scenario.steps.iter().enumerate() {
        let (theirs, ours) = (&recorded.steps[at], &played[at]);
        let mark = if alike(sql, theirs, ours) { " " } else { "!" };
        let session = ["A", "B", "C"][*session];
        lines.push(format!("{mark} {at} {session}: {sql}: {} | {}", shown(theirs), shown(ours)));
    }
    if recorded.last != *last {
        lines.push(format!("! {}: {} | {last}", scenario.last, recorded.last));
    }
    lines.join("\n")
}
