//! Runs a test against many stores, until weak isolation breaks it.
//!
//! [`check`] gives a closure a fresh [`Store`] for every seed. Each read returns some value that the level
//! allows, so what a real database does once in a million runs happens here within a few. First the test
//! runs at serializability: one that fails even there is broken in itself. Seeds take turns with the policies
//! of [`Policy::ROTATION`], unless the configuration names one. The first failing run ends in a panic that
//! tells the seed and the policy, a token to replay the run, the anomaly in its history, and the history.
//!
//! [`Policy::ROTATION`]: hobgoblin_front::Policy::ROTATION
//!
//! Two clients withdraw from one account. Under causal consistency neither has to see the other:
//!
//! ```
//! use hobgoblin::test::{self, task};
//! use hobgoblin::{Error, Level, Store};
//!
//! async fn withdraw(store: &Store) -> Result<bool, Error> {
//!     let mut session = store.async_session();
//!     session
//!         .transaction(async |t| {
//!             let balance: i64 = t.get_as("balance").await?.unwrap_or(0);
//!             if balance >= 100 {
//!                 t.put("balance", balance - 100).await?;
//!             }
//!             Ok(balance >= 100)
//!         })
//!         .await
//! }
//!
//! fn at_most_one_succeeds(store: &Store) -> Result<(), Error> {
//!     store.session().put("balance", 100)?;
//!     store.fence()?;
//!     let paid = store.interleave(vec![task(withdraw(store)), task(withdraw(store))]);
//!     let paid = paid.into_iter().filter(|paid| matches!(paid, Ok(true))).count();
//!     assert!(paid <= 1, "paid {paid} times");
//!     Ok(())
//! }
//!
//! // Snapshot isolation is enough.
//! test::check(test::Config::at(Level::SI), at_most_one_succeeds);
//!
//! // Causal consistency is not.
//! let failure = std::panic::catch_unwind(|| {
//!     test::check(test::Config::at(Level::CC), at_most_one_succeeds);
//! });
//! let message = failure.unwrap_err().downcast::<String>().unwrap();
//! assert!(message.contains("paid 2 times"), "{message}");
//! assert!(message.contains("lost update"), "{message}");
//! ```
//!
//! A test with threads works as well; its order is up to the machine, but the token still replays it. Set
//! `HOB_REPLAY` to the token and run that one test again.

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::time::{Duration, Instant};

use hobgoblin_check::{Limits, check_levels, explain};
use hobgoblin_core::{History, Level, Verdict};
use hobgoblin_format::{Format, write};
use hobgoblin_front::{Options, Replay, Schedule, Store, Token};

pub use hobgoblin_front::{Task, YieldAt, interleave, task};

/// How a test is run.
#[derive(Clone, Debug)]
pub struct Config {
    /// The setup of every store, except its seed. Its level is the one to test.
    pub store: hobgoblin_front::Config,
    /// How many runs.
    pub runs: u32,
    /// How many runs at serializability come first.
    pub serial_runs: u32,
    /// The seed of the first run; each run has the next.
    pub seed: u64,
    /// No run begins after this time, which the runs at serializability count to; but there is one of each.
    pub time: Option<Duration>,
    /// How the next task or held request is chosen. Where PCT is not told the number of steps, that of the
    /// runs at serializability is taken, or else that of the first run.
    pub schedule: Schedule,
    /// Where interleaved tasks change, see [`Options::yield_at`].
    pub yield_at: Option<YieldAt>,
    /// How long requests of an engine profile are held, see [`Options::hold`].
    pub hold: Option<Duration>,
    /// The token of a run to replay instead; without one the variable `HOB_REPLAY` is looked at.
    pub replay: Option<String>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            store: hobgoblin_front::Config { level: Level::RC, ..Default::default() },
            runs: 1000,
            serial_runs: 20,
            seed: 0,
            time: None,
            schedule: Schedule::Random,
            yield_at: None,
            hold: None,
            replay: None,
        }
    }
}

impl Config {
    /// Tests this level.
    pub fn at(level: Level) -> Config {
        let mut config = Config::default();
        config.store.level = level;
        config
    }

    fn store(&self, level: Level, seed: u64, replay: Option<Replay>) -> Store {
        let config = hobgoblin_front::Config { level, seed, ..self.store.clone() };
        let Config { schedule, yield_at, hold, .. } = *self;
        let options = Options { schedule, yield_at, hold, replay, ..Options::default() };
        let store = Store::with(config, options);
        store.unwrap_or_else(|error| panic!("the store cannot start: {error}"))
    }
}

/// What a test may return: nothing, or a result whose error is a failure.
pub trait Outcome {
    /// What went wrong.
    fn failure(self) -> Option<String>;
}

impl Outcome for () {
    fn failure(self) -> Option<String> {
        None
    }
}

impl<E: Debug> Outcome for Result<(), E> {
    fn failure(self) -> Option<String> {
        self.err().map(|error| format!("{error:?}"))
    }
}

/// Runs a test for many seeds, see the [module](self).
///
/// # Panics
///
/// When the test fails, by a panic or by the error it returns.
#[track_caller]
pub fn check<O: Outcome>(mut config: Config, test: impl Fn(&Store) -> O) {
    let replay = config.replay.clone().or_else(|| std::env::var("HOB_REPLAY").ok());
    if let Some(text) = replay.filter(|text| !text.is_empty()) {
        return replayed(&config, &text, test);
    }
    let start = Instant::now();
    let over = |time: Option<Duration>| time.is_some_and(|time| start.elapsed() >= time);
    let (mut steps, mut passed) = (0, 0);
    for run in 0..u64::from(config.serial_runs) {
        if run > 0 && over(config.time) {
            break;
        }
        let seed = config.seed.wrapping_add(run);
        let store = config.store(Level::SER, seed, None);
        if let Some(failure) = failure(&store, &test) {
            panic_any(format!(
                "the test fails at serializability (SER) too, with seed {seed}, so weak isolation is \
                 not the reason: correct the test or the program first\n\n{failure}\n\n{}",
                shown(&store)
            ));
        }
        (steps, passed) = (steps.max(store.steps()), passed + 1);
    }
    config.schedule = config.schedule.learn(steps);
    let level = config.store.level;
    for run in 0..u64::from(config.runs) {
        if run > 0 && over(config.time) {
            return;
        }
        let seed = config.seed.wrapping_add(run);
        let store = config.store(level, seed, None);
        if let Some(failure) = failure(&store, &test) {
            let serial = match passed {
                0 => String::new(),
                runs => format!("; at SER it passed {runs} runs"),
            };
            panic_any(format!(
                "the test fails at {} ({level}), run {} with seed {seed}{}{serial}\n\n{failure}\n\n{}\n{}",
                level.info().title,
                run + 1,
                chosen(&store, config.schedule),
                shown(&store),
                again(&store)
            ));
        }
        config.schedule = config.schedule.learn(store.steps());
    }
}

fn replayed<O: Outcome>(config: &Config, text: &str, test: impl Fn(&Store) -> O) {
    let token = Token::parse(text).unwrap_or_else(|error| panic!("{error}"));
    if hobgoblin_store::initial_hash(&config.store.initial) != token.initial {
        panic!("the token is of another test: the initial values differ");
    }
    let store = config.store(token.config.level, token.config.seed, Some(token.into()));
    let failure = failure(&store, &test);
    let divergence = store.divergence().map(|divergence| format!("{divergence}\n\n"));
    match (failure, divergence) {
        (None, None) => {}
        (None, Some(divergence)) => {
            panic_any(format!("the test passes, but is not the one the token is of: {divergence}"))
        }
        (Some(failure), divergence) => panic_any(format!(
            "the test fails in its replay\n\n{}{failure}\n\n{}",
            divergence.unwrap_or_default(),
            shown(&store)
        )),
    }
}

/// What is wrong with a run.
fn failure<O: Outcome>(store: &Store, test: &impl Fn(&Store) -> O) -> Option<String> {
    match catch_unwind(AssertUnwindSafe(|| test(store).failure())) {
        Ok(failure) => failure,
        Err(panic) => Some(match panic.downcast::<String>() {
            Ok(text) => *text,
            Err(panic) => match panic.downcast::<&str>() {
                Ok(text) => (*text).to_owned(),
                Err(_) => "the test panicked with something else than text".to_owned(),
            },
        }),
    }
}

/// What besides the seed decided a run: ` and policy stale`, ` and schedule pct:3:12`.
fn chosen(store: &Store, schedule: Schedule) -> String {
    let config = store.config();
    // Reads of an engine have no choice.
    let policy = match config.profile.chooses() {
        true => format!(" and policy {}", config.policy()),
        false => String::new(),
    };
    match schedule {
        Schedule::Random => policy,
        Schedule::Pct { .. } => format!("{policy} and schedule {schedule}"),
    }
}

/// The anomaly in a store's history, and the history.
fn shown(store: &Store) -> String {
    if !store.config().history {
        return "The store records no history (Config::history), so there is no anomaly to show.\n"
            .to_owned();
    }
    match store.history() {
        Ok(history) => format!("{}\n{}", anomaly(&history), text(&history)),
        Err(error) => error.to_string(),
    }
}

/// The violation of the weakest level that is violated, explained.
fn anomaly(history: &History) -> String {
    let levels: Vec<Level> = Level::ALL.into_iter().filter(|l| !l.respects_real_time()).collect();
    let answers = check_levels(history, &levels, &Limits::time(Duration::from_secs(10)), |_| {});
    let weakest = answers.iter().find_map(|answer| match &answer.verdict {
        Verdict::Violation(witness) => Some(witness),
        _ => None,
    });
    match weakest {
        Some(witness) => explain::text(history, witness),
        None if answers.iter().any(|a| matches!(a.verdict, Verdict::Unknown(_))) => {
            "The history is too long to find its anomaly in 10 seconds.\n".to_owned()
        }
        None => "The history is serializable: the test fails by an order of transactions that a \
                 serializable store has too, only more seldom.\n"
            .to_owned(),
    }
}

fn text(history: &History) -> String {
    let mut text = Vec::new();
    match write(history, Format::Txn, &mut text) {
        Ok(()) => format!("The history:\n\n{}", String::from_utf8_lossy(&text)),
        Err(error) => format!("The history cannot be written: {error}\n"),
    }
}

fn again(store: &Store) -> String {
    match store.token() {
        Ok(token) => format!("To replay this run, run this test alone with HOB_REPLAY={token}"),
        Err(error) => format!("This run cannot be replayed: {error}"),
    }
}
