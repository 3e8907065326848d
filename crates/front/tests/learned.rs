//! PCT that has learned how many steps a run has finds what random schedules find, about as often.

use hobgoblin_core::Level;
use hobgoblin_front::{Config, Error, Options, Profile, Schedule, Store, Task, task};

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bug {
    /// Everybody adds one to a counter.
    LostUpdate,
    /// Everybody leaves if somebody else is there.
    WriteSkew,
}

async fn add(store: &Store) -> Result<(), Error> {
    let mut session = store.async_session();
    session
        .transaction(async |t| {
            let count: i64 = t.get_as("count").await?.unwrap_or(0);
            t.put("count", count + 1).await
        })
        .await
}

async fn leave(store: &Store, number: usize, of: usize) -> Result<(), Error> {
    let mut session = store.async_session();
    session
        .transaction(async |t| {
            let mut others = 0;
            for other in (0..of).filter(|&other| other != number) {
                others += t.get_as::<i64>(format!("there:{other}")).await?.unwrap_or(1);
            }
            if others > 0 {
                t.put(format!("there:{number}"), 0).await?;
            }
            Ok(())
        })
        .await
}

/// Whether a run shows the bug, and how many steps it had.
fn run(bug: Bug, level: Level, sessions: usize, schedule: Schedule, seed: u64) -> (bool, u32) {
    let config = Config::default().profile(Profile::Postgres).level(level).seed(seed);
    let store = Store::with(config, Options::default().schedule(schedule)).expect("it starts");
    let tasks: Vec<Task<'_, Result<(), Error>>> = (0..sessions)
        .map(|number| match bug {
            Bug::LostUpdate => task(add(&store)),
            Bug::WriteSkew => task(leave(&store, number, sessions)),
        })
        .collect();
    store.interleave(tasks).into_iter().for_each(|done| done.expect("who is refused tries again"));
    let mut session = store.session();
    let mut number = |key: String, absent: i64| -> i64 {
        session.get_as(key).expect("it can be read").unwrap_or(absent)
    };
    let wrong = match bug {
        Bug::LostUpdate => number("count".to_owned(), 0) != sessions as i64,
        Bug::WriteSkew => (0..sessions).all(|other| number(format!("there:{other}"), 1) == 0),
    };
    (wrong, store.steps())
}

fn share(bug: Bug, level: Level, sessions: usize, schedule: Schedule) -> f64 {
    let runs = 600;
    let wrong = (0..runs).filter(|&seed| run(bug, level, sessions, schedule, seed).0).count();
    wrong as f64 / runs as f64
}

#[test]
fn learned_pct_finds_what_random_schedules_find() {
    let unknown = Schedule::Pct { depth: 3, steps: None };
    for (bug, level) in [(Bug::LostUpdate, Level::RC), (Bug::WriteSkew, Level::SI)] {
        for sessions in 2..=6 {
            // As `hob test` and `test::check` do: from runs at SER, which show nothing.
            let (wrong, steps) = run(bug, Level::SER, sessions, unknown, 0);
            assert!(!wrong && steps as usize >= 3 * sessions, "{bug:?} {sessions}: {steps} steps");
            let random = share(bug, level, sessions, Schedule::Random);
            let learned = share(bug, level, sessions, unknown.learn(steps));
            let spread = share(bug, level, sessions, Schedule::Pct { depth: 3, steps: Some(1000) });
            let untold = share(bug, level, sessions, unknown);
            assert!(
                5.0 * learned >= random && learned > 4.0 * spread,
                "{bug:?} at {level} in {sessions} sessions: random {random}, learned {learned}, \
                 over 1,000 steps {spread}"
            );
            assert!(untold > spread, "{bug:?} {sessions}: {untold} where nobody knows, {spread}");
        }
    }
}
