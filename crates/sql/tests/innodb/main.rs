//! The `mysql` profile beside InnoDB, in the PostgreSQL dialect: the same statements of two or three sessions in the same
//! order give the same rows, wait for the same locks until the same step, and fail for the same reasons.

mod lanes;
mod play;
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
    let last = play(&mut [hob_lane(&database, "last", "read committed")], &[(0, scenario.last.clone())]);
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
