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
//! let config = test::Config::at(Level::CC).persist(false);
//! let failure = test::run(config, at_most_one_succeeds).unwrap_err();
//! assert!(failure.what.contains("paid 2 times"), "{failure}");
//! assert!(failure.to_string().contains("lost update"), "{failure}");
//! ```
//!
//! A test with threads works as well; its order is up to the machine, but the token still replays it.
//!
//! # Again
//!
//! A failure ends with the command that replays it, `HOB_REPLAY=… cargo test … -- --exact`: every choice and the
//! order of all requests are in the token. It is also kept in `hob-regressions`, beside `Cargo.toml`, and tried first
//! whenever the test runs; commit these files with your tests. [`Config::persist`] or `HOB_REGRESSIONS=off` turns
//! this off. `HOB_SEED` sets the seed of the first run; `HOB_SEED=random` looks somewhere else every time.
//!
//! [`run`] is [`check`] without the panic, for those who want to look at the [`Failure`].
//!
//! Under `proptest` every case is a call of its own, so tell its input, which then is part of the token:
//! `Config::at(Level::CC).input(&(accounts, amount))`.

mod identity;
mod panics;
mod regressions;

use std::fmt::{self, Debug};
use std::panic::{AssertUnwindSafe, Location, catch_unwind, panic_any};
use std::time::{Duration, Instant};

use hobgoblin_check::{Limits, check_levels, explain};
use hobgoblin_core::{History, Key, Level, Rng, Value, Verdict};
use hobgoblin_format::{Format, write};
use hobgoblin_front::{HoldFor, Options, Policy, Profile, Replay, Schedule, Store, Token};

use identity::Identity;
use panics::Listening;

pub use hobgoblin_front::{Task, YieldAt, task};

/// How a test is run: `Config::at(Level::CC).runs(5_000)`.
///
/// ```
/// use std::time::Duration;
///
/// use hobgoblin::Level;
/// use hobgoblin::test::Config;
///
/// let config = Config::at(Level::CC).runs(5_000).time(Duration::from_secs(10)).initial("x", 1);
/// # drop(config);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// The setup of every store, except its seed. Its level is the one to test.
    pub store: hobgoblin_front::Config,
    /// How many runs.
    runs: u32,
    /// How many runs at serializability come first.
    serial_runs: u32,
    /// The seed of the first run; each run has the next. Without one the variable `HOB_SEED` is looked at, which is
    /// a number or `random`; without that it is 0.
    seed: Option<u64>,
    /// No run begins after this time, which the runs at serializability count to; but there is one of each.
    time: Option<Duration>,
    /// How the next task or held request is chosen. Where PCT is not told the number of steps, that of the
    /// runs at serializability is taken, or else that of the first run.
    schedule: Schedule,
    /// Where interleaved tasks change, see [`Options::yield_at`].
    yield_at: Option<YieldAt>,
    /// How long requests of an engine profile are held, see [`Options::hold`].
    hold: Option<Duration>,
    /// For whom, see [`Options::hold_for`].
    hold_for: HoldFor,
    /// The token of a run to replay instead; without one the variable `HOB_REPLAY` is looked at, whose token is
    /// that of one test and is ignored by the others.
    replay: Option<String>,
    /// Whether failures are kept in `hob-regressions` and tried first the next time.
    persist: bool,
    name: Option<String>,
    input: Option<String>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            store: hobgoblin_front::Config::default().level(Level::RC),
            runs: 1000,
            serial_runs: 20,
            seed: None,
            time: None,
            schedule: Schedule::Random,
            yield_at: None,
            hold: None,
            hold_for: HoldFor::Connected,
            replay: None,
            persist: true,
            name: None,
            input: None,
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

    /// So many runs.
    #[must_use]
    pub fn runs(self, runs: u32) -> Config {
        Config { runs, ..self }
    }

    /// So many runs at serializability before them.
    #[must_use]
    pub fn serial_runs(self, serial_runs: u32) -> Config {
        Config { serial_runs, ..self }
    }

    /// The first run has this seed.
    #[must_use]
    pub fn seed(self, seed: u64) -> Config {
        Config { seed: Some(seed), ..self }
    }

    /// No run begins after this time.
    #[must_use]
    pub fn time(self, time: Duration) -> Config {
        Config { time: Some(time), ..self }
    }

    /// The next task or held request is chosen so.
    #[must_use]
    pub fn schedule(self, schedule: Schedule) -> Config {
        Config { schedule, ..self }
    }

    /// Interleaved tasks change there.
    #[must_use]
    pub fn yield_at(self, yield_at: YieldAt) -> Config {
        Config { yield_at: Some(yield_at), ..self }
    }

    /// Requests of an engine profile are held so long, so that those of other sessions come in between: where
    /// threads or tasks of a runtime are as fast as a store in memory, they hardly meet otherwise.
    #[must_use]
    pub fn hold(self, hold: Duration) -> Config {
        Config { hold: Some(hold), ..self }
    }

    /// Held requests wait for these sessions: for all that are connected, if nothing is said.
    #[must_use]
    pub fn hold_for(self, hold_for: HoldFor) -> Config {
        Config { hold_for, ..self }
    }

    /// So many of all transactions are aborted for no reason, from 0 to 1: what retries is tested by it.
    #[must_use]
    pub fn abort_rate(mut self, rate: f64) -> Config {
        self.store.abort_rate = rate;
        self
    }

    /// Replays the run of a token instead.
    #[must_use]
    pub fn replay(self, token: impl Into<String>) -> Config {
        Config { replay: Some(token.into()), ..self }
    }

    /// Whether failures are kept in `hob-regressions`.
    #[must_use]
    pub fn persist(self, persist: bool) -> Config {
        Config { persist, ..self }
    }

    /// Stores read and lock as this.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Config {
        self.store.profile = profile;
        self
    }

    /// Reads choose so in every run.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Config {
        self.store.policy = Some(policy);
        self
    }

    /// A key holds this first, in every store.
    #[must_use]
    pub fn initial(mut self, key: impl Into<Key>, value: impl Into<Value>) -> Config {
        self.store.initial.push((key.into(), value.into()));
        self
    }

    /// What the test is called, where that is not what the harness calls it.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Config {
        Config { name: Some(name.into()), ..self }
    }

    /// What this call of the test was given, say by `proptest`: a token is of the test and its input, and so ignored
    /// when the test is called with another one.
    #[must_use]
    pub fn input(self, input: &impl Debug) -> Config {
        Config { input: Some(format!("{input:?}")), ..self }
    }

    fn new_store(&self, level: Level, seed: u64, replay: Option<Replay>) -> Store {
        let config = self.store.clone().level(level).seed(seed);
        let Config { schedule, yield_at, hold, hold_for, .. } = *self;
        let options = Options::default().schedule(schedule).yield_at(yield_at).replay(replay);
        let options = options.hold(hold).hold_for(hold_for);
        let store = Store::with(config, options);
        store.unwrap_or_else(|error| panic!("the store cannot start: {error}"))
    }

    /// The seed of the first run.
    fn first_seed(&self) -> u64 {
        if let Some(seed) = self.seed {
            return seed;
        }
        match std::env::var("HOB_SEED").as_deref() {
            Err(_) | Ok("") => 0,
            Ok("random") => {
                let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
                let time = time.map_or(0, |time| time.as_nanos() as u64);
                // Short enough to be typed.
                Rng::new(time ^ u64::from(std::process::id())).next_u64() >> 32
            }
            Ok(text) => text.parse().unwrap_or_else(|_| {
                panic!("HOB_SEED is {text:?}; give a number from 0 to {}, or `random`", u64::MAX)
            }),
        }
    }
}

/// What a test may return: nothing, or a result whose error is a failure.
///
/// ```
/// use hobgoblin::test::Outcome;
///
/// assert_eq!(().failure(), None);
/// assert_eq!(Err::<(), _>("sold out").failure().as_deref(), Some("\"sold out\""));
/// ```
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

/// A run that broke the test.
///
/// ```
/// use hobgoblin::test::{self, Config};
/// use hobgoblin::{Error, Level, Store};
///
/// fn two_are_counted(store: &Store) -> Result<(), Error> {
///     for _ in 0..2 {
///         store.session().transaction(|t| {
///             let count: i64 = t.get_as("count")?.unwrap_or(0);
///             t.put("count", count + 1)
///         })?;
///     }
///     store.fence()?;
///     assert_eq!(store.session().get("count")?.as_i64(), Some(2), "one is lost");
///     Ok(())
/// }
///
/// let config = Config::at(Level::RC).persist(false);
/// let failure = test::run(config, two_are_counted).unwrap_err();
/// assert_eq!(failure.level, Level::RC);
/// assert!(failure.what.contains("one is lost"));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Failure {
    /// The level of the run. At [`Level::SER`] weak isolation is not the reason.
    pub level: Level,
    /// The seed of its store.
    pub seed: u64,
    /// What the test said: its panic, or the error that it returned.
    pub what: String,
    /// What replays the run, for [`Config::replay`] or `HOB_REPLAY`.
    pub token: Option<String>,
    /// Whether it is of the runs at serializability that come first.
    serial: bool,
    told: Box<Told>,
}

/// What people are told around it.
#[derive(Clone, Debug)]
struct Told {
    /// How the failure came about.
    intro: String,
    /// The anomaly and the history.
    shown: String,
    /// How to see it again.
    again: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { what, told, .. } = self;
        let Told { intro, shown, again } = &**told;
        write!(f, "{intro}\n\n{what}\n\n{shown}\n{again}")
    }
}

impl std::error::Error for Failure {}

/// Runs a test for many seeds, see the [module](self).
///
/// # Panics
///
/// When the test fails, by a panic or by the error it returns.
///
/// ```
/// use hobgoblin::test::{self, Config};
/// use hobgoblin::{Level, Store};
///
/// test::check(Config::at(Level::CC).runs(50), |store: &Store| {
///     let mut session = store.session();
///     session.put("x", 1).unwrap();
///     assert_eq!(session.get("x").unwrap().as_i64(), Some(1), "a session sees what it wrote");
/// });
/// ```
#[track_caller]
pub fn check<O: Outcome>(config: Config, test: impl Fn(&Store) -> O) {
    if let Err(failure) = run(config, test) {
        panic_any(failure.to_string());
    }
}

/// As [`check`], for an async test, which runs as one task of [`Store::interleave`]: it may await requests and
/// [`time::sleep`](crate::time::sleep), and call `store.interleave` for tasks that run at the same time. A test that
/// needs a runtime such as tokio is given to [`check`], and enters it there.
///
/// ```
/// use hobgoblin::test::{self, Config, task};
/// use hobgoblin::{Error, Level, Store};
///
/// async fn buy(store: &Store) -> Result<bool, Error> {
///     let mut session = store.async_session();
///     session
///         .transaction(async |t| {
///             let left: i64 = t.get_as("tickets").await?.unwrap_or(0);
///             if left > 0 {
///                 t.put("tickets", left - 1).await?;
///             }
///             Ok(left > 0)
///         })
///         .await
/// }
///
/// test::check_async(Config::at(Level::SI).initial("tickets", 1).runs(100), async |store| {
///     let bought = store.interleave(vec![task(buy(store)), task(buy(store))]);
///     assert_eq!(bought.iter().filter(|bought| matches!(bought, Ok(true))).count(), 1);
/// });
/// ```
///
/// # Panics
///
/// When the test fails, by a panic or by the error it returns.
#[track_caller]
pub fn check_async<O: Outcome>(config: Config, test: impl AsyncFn(&Store) -> O) {
    if let Err(failure) = run_async(config, test) {
        panic_any(failure.to_string());
    }
}

/// As [`check_async`], and gives the failure back.
///
/// ```
/// use hobgoblin::test::{self, Config, task};
/// use hobgoblin::{Error, Level, Store};
///
/// async fn count(store: &Store) -> Result<(), Error> {
///     let mut session = store.async_session();
///     session
///         .transaction(async |t| {
///             let count: i64 = t.get_as("count").await?.unwrap_or(0);
///             t.put("count", count + 1).await
///         })
///         .await
/// }
///
/// let config = Config::at(Level::RC).persist(false);
/// let failure = test::run_async(config, async |store| {
///     store.interleave(vec![task(count(store)), task(count(store))]);
///     store.fence()?;
///     assert_eq!(store.async_session().get("count").await?.as_i64(), Some(2), "one is lost");
///     Ok::<(), Error>(())
/// });
/// assert!(failure.unwrap_err().what.contains("one is lost"));
/// ```
#[track_caller]
pub fn run_async<O: Outcome>(
    config: Config,
    test: impl AsyncFn(&Store) -> O,
) -> Result<(), Failure> {
    run(config, |store| {
        let mut outcome = store.interleave(vec![task(test(store))]);
        outcome.pop().expect("one task has one outcome")
    })
}

/// For a test that weak isolation must break: the failure, which is of the level and not of the test itself.
///
/// # Panics
///
/// When every run passes, or when the test fails at serializability too.
///
/// ```
/// use hobgoblin::test::{self, Config};
/// use hobgoblin::{Error, Level, Store};
///
/// let failure = test::check_fails(Config::at(Level::RC), |store: &Store| {
///     for _ in 0..2 {
///         store.session().transaction(|t| {
///             let count: i64 = t.get_as("count")?.unwrap_or(0);
///             t.put("count", count + 1)
///         })?;
///     }
///     store.fence()?;
///     assert_eq!(store.session().get("count")?.as_i64(), Some(2), "one is lost");
///     Ok::<(), Error>(())
/// });
/// assert!(failure.what.contains("one is lost"));
/// ```
#[track_caller]
pub fn check_fails<O: Outcome>(config: Config, test: impl Fn(&Store) -> O) -> Failure {
    let level = config.store.level;
    match run(config.persist(false), test) {
        Ok(()) => panic!("the test was to fail at {} ({level}), and passes", level.info().title),
        Err(failure) if failure.serial => panic_any(failure.to_string()),
        Err(failure) => failure,
    }
}

/// As [`check`], and gives the failure back.
///
/// ```
/// use hobgoblin::test::{self, Config};
/// use hobgoblin::{Error, Level, Store};
///
/// fn two_are_counted(store: &Store) -> Result<(), Error> {
///     for _ in 0..2 {
///         store.session().transaction(|t| {
///             let count: i64 = t.get_as("count")?.unwrap_or(0);
///             t.put("count", count + 1)
///         })?;
///     }
///     store.fence()?;
///     assert_eq!(store.session().get("count")?.as_i64(), Some(2), "one is lost");
///     Ok(())
/// }
///
/// let config = Config::at(Level::RC).persist(false);
/// let failure = test::run(config, two_are_counted).unwrap_err();
/// assert_eq!(failure.level, Level::RC);
/// assert!(failure.what.contains("one is lost"));
/// ```
#[track_caller]
pub fn run<O: Outcome>(mut config: Config, test: impl Fn(&Store) -> O) -> Result<(), Failure> {
    let location = Location::caller();
    let identity = Identity::new(location, config.name.as_deref(), config.input.as_deref());
    if let Some(token) = asked_for(&config, &identity) {
        return replayed(&config, &identity, &token, &test);
    }
    config.persist &= std::env::var_os("HOB_REGRESSIONS").is_none_or(|value| value != "off");
    if config.persist {
        for token in regressions::read(&identity) {
            known(&config, &identity, &token, &test)?;
        }
    }
    let start = Instant::now();
    let over = |time: Option<Duration>| time.is_some_and(|time| start.elapsed() >= time);
    let first_seed = config.first_seed();
    let (mut steps, mut passed, mut used) = (0, 0, false);
    for run in 0..u64::from(config.serial_runs) {
        if run > 0 && over(config.time) {
            break;
        }
        let seed = first_seed.wrapping_add(run);
        let store = config.new_store(Level::SER, seed, None);
        if let Some(what) = failure(&store, &test) {
            let intro = format!(
                "the test fails at serializability (SER) too, with seed {seed}, so weak isolation is \
                 not the reason: correct the test or the program first"
            );
            let failure = failed(&store, &identity, intro, what, false);
            return Err(Failure { serial: true, ..failure });
        }
        used |= store.stats().requests > 0;
        (steps, passed) = (steps.max(store.steps()), passed + 1);
    }
    config.schedule = config.schedule.learn(steps);
    let level = config.store.level;
    for run in 0..u64::from(config.runs) {
        if run > 0 && over(config.time) {
            break;
        }
        let seed = first_seed.wrapping_add(run);
        let store = config.new_store(level, seed, None);
        if let Some(what) = failure(&store, &test) {
            let serial = match passed {
                0 => String::new(),
                runs => format!("; at SER it passed {runs} runs"),
            };
            let intro = format!(
                "the test fails at {} ({level}), run {} with seed {seed}{}{serial}",
                level.info().title,
                run + 1,
                chosen(&store, config.schedule),
            );
            return Err(failed(&store, &identity, intro, what, config.persist));
        }
        used |= store.stats().requests > 0;
        config.schedule = config.schedule.learn(store.steps());
    }
    assert!(
        used,
        "the test never used its store, so it passes at every level: give the store to what is tested"
    );
    Ok(())
}

/// The token of the run that somebody wants to see, if it is one of this test.
fn asked_for(config: &Config, identity: &Identity) -> Option<String> {
    let asked = config.replay.clone().or_else(|| std::env::var("HOB_REPLAY").ok())?;
    let own = identity.own(asked.trim())?;
    (!own.is_empty()).then(|| own.to_owned())
}

fn replayed<O: Outcome>(
    config: &Config,
    identity: &Identity,
    text: &str,
    test: &impl Fn(&Store) -> O,
) -> Result<(), Failure> {
    let token = Token::parse(text).unwrap_or_else(|error| panic!("{error}"));
    if hobgoblin_store::initial_hash(&config.store.initial) != token.initial {
        panic!("the token is of another test: the initial values differ");
    }
    let store = config.new_store(token.config.level, token.config.seed, Some(token.into()));
    let failure = failure(&store, test);
    let divergence = store.divergence().map(|divergence| format!("{divergence}\n\n"));
    match (failure, divergence) {
        (None, None) => Ok(()),
        (None, Some(divergence)) => {
            panic_any(format!("the test passes, but is not the one the token is of: {divergence}"))
        }
        (Some(what), divergence) => {
            let what = divergence.unwrap_or_default() + &what;
            let (level, seed) = (store.config().level, store.config().seed);
            let title = level.info().title;
            let intro = format!("the test fails at {title} ({level}), replayed with seed {seed}");
            Err(failed(&store, identity, intro, what, false))
        }
    }
}

/// Tries a run that failed before. One of another level, or that the program does not follow any more, says nothing.
fn known<O: Outcome>(
    config: &Config,
    identity: &Identity,
    text: &str,
    test: &impl Fn(&Store) -> O,
) -> Result<(), Failure> {
    let Ok(token) = Token::parse(text) else { return Ok(()) };
    let level = token.config.level;
    if level != config.store.level
        || token.config.profile != config.store.profile
        || token.initial != hobgoblin_store::initial_hash(&config.store.initial)
    {
        return Ok(());
    }
    let store = config.new_store(level, token.config.seed, Some(token.into()));
    match failure(&store, test) {
        Some(what) if store.divergence().is_none() => {
            let kept = shown_path(&regressions::path(identity));
            let intro = format!(
                "the test fails at {} ({level}), in a run that failed before ({kept})",
                level.info().title
            );
            Err(failed(&store, identity, intro, what, false))
        }
        _ => Ok(()),
    }
}

/// A path as people type it from where they are.
fn shown_path(path: &std::path::Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path).display().to_string()
}

fn failed(
    store: &Store,
    identity: &Identity,
    intro: String,
    what: String,
    persist: bool,
) -> Failure {
    let (level, seed) = (store.config().level, store.config().seed);
    let token = store.token();
    let mut again = match &token {
        Ok(token) => {
            let (token, command) = (identity.sign(token), identity.command());
            format!("To replay this run:\n\n    HOB_REPLAY={token} {command}\n")
        }
        Err(error) => format!("This run cannot be replayed: {error}\n"),
    };
    if let (true, Ok(token)) = (persist, &token) {
        let first = what.lines().next().unwrap_or_default();
        again +=
            &match regressions::keep(identity, token, &format!("{level}, seed {seed}: {first}")) {
                Ok(path) => format!(
                    "\nIt is kept in {}, and tried first the next time.\n",
                    shown_path(&path)
                ),
                Err(error) => format!("\nIt could not be kept in hob-regressions: {error}\n"),
            };
    }
    let token = token.ok().map(|token| identity.sign(&token));
    let told = Box::new(Told { intro, shown: shown(store, level), again });
    Failure { level, seed, what, token, serial: false, told }
}

/// What is wrong with a run.
fn failure<O: Outcome>(store: &Store, test: &impl Fn(&Store) -> O) -> Option<String> {
    let listening = Listening::to(store);
    match catch_unwind(AssertUnwindSafe(|| test(store).failure())) {
        Ok(failure) => failure,
        Err(panic) => {
            let own = panics::text(&*panic);
            let own = own.unwrap_or("the test panicked with something else than text").to_owned();
            let mut all = listening.heard();
            // The test's own thread is among them.
            all.retain(|said| !said.ends_with(&own));
            all.insert(0, own);
            Some(all.join("\n\n"))
        }
    }
}

/// What besides the seed decided a run: ` and policy stale`, ` and schedule pct:3:12`.
fn chosen(store: &Store, schedule: Schedule) -> String {
    let config = store.config();
    // Reads of an engine have no choice.
    let policy = match config.profile.chooses() {
        true => format!(" and policy {}", config.reading_policy()),
        false => String::new(),
    };
    match schedule {
        Schedule::Random => policy,
        _ => format!("{policy} and schedule {schedule}"),
    }
}

/// The anomaly in a store's history, and the history.
fn shown(store: &Store, level: Level) -> String {
    if !store.config().history {
        return "The store records no history (Config::history), so there is no anomaly to show.\n"
            .to_owned();
    }
    match store.history() {
        Ok(history) => format!("{}{}", anomaly(&history, level), text(&history)),
        Err(error) => error.to_string(),
    }
}

/// The violation of the weakest level that is violated, explained.
fn anomaly(history: &History, level: Level) -> String {
    let levels: Vec<Level> = Level::ALL.into_iter().filter(|l| !l.respects_real_time()).collect();
    let answers = check_levels(history, &levels, &Limits::time(Duration::from_secs(10)), |_| {});
    let weakest = answers.iter().find_map(|answer| match &answer.verdict {
        Verdict::Violation(witness) => Some(witness),
        _ => None,
    });
    match weakest {
        Some(witness) => explain::text(history, witness) + "\n",
        None if answers.iter().any(|a| matches!(a.verdict, Verdict::Unknown(_))) => {
            "The history is too long to find its anomaly in 10 seconds.\n\n".to_owned()
        }
        None if level.implies(Level::SER) => String::new(),
        None => "The history is serializable: the test fails by an order of transactions that a \
                 serializable store has too, only more seldom.\n\n"
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
