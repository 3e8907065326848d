//! Tests a library of replicated data types: runs its replicas, and checks what they return.
//!
//! An adapter implements [`LiveReplica`] for one replica: apply an operation, and send, deliver or merge. [`check`]
//! then drives a few of them with random operations, while states and messages arrive late, again and in another
//! order, and some replicas do not reach others for a while. At the end everybody receives everything and is read.
//!
//! The harness carries all messages, so it knows exactly what every operation had observed. That makes a [`CrdtHistory`]
//! with nothing left to guess, and two questions are asked of it: is this what the data type admits, and do all
//! replicas return the same in the end? If not, steps are left out and the library runs again, as long as it fails; what
//! remains is told with its seed.
//!
//! A set that keeps what is in and forgets what was removed, merged by union:
//!
//! ```
//! use std::collections::BTreeSet;
//!
//! use hobgoblin_crdt::DataType;
//! use hobgoblin_crdt::harness::{self, Config, Exchange, LiveReplica, Outcome, Request};
//!
//! #[derive(Clone)]
//! struct Forgetful(BTreeSet<String>);
//!
//! impl LiveReplica for Forgetful {
//!     type Message = ();
//!     const EXCHANGE: Exchange = Exchange::merging();
//!
//!     fn fleet(count: usize, _: &[String]) -> Vec<Forgetful> {
//!         vec![Forgetful(BTreeSet::new()); count]
//!     }
//!
//!     fn apply(&mut self, request: &Request) -> Outcome {
//!         match request {
//!             Request::Add(element) => {
//!                 self.0.insert(element.clone());
//!                 Outcome::Updated
//!             }
//!             Request::Remove(element) => {
//!                 self.0.remove(element);
//!                 Outcome::Updated
//!             }
//!             Request::Contains(element) => Outcome::Member(self.0.contains(element)),
//!             Request::Elements => Outcome::Elements(self.0.iter().cloned().collect()),
//!             _ => Outcome::Unsupported,
//!         }
//!     }
//!
//!     fn merge(&mut self, from: &mut Forgetful) {
//!         self.0.extend(from.0.iter().cloned());
//!     }
//! }
//!
//! let failure = harness::run::<Forgetful>(&Config::new(DataType::AwSet)).unwrap_err();
//! // Something like: A adds x, B merges A, A removes x, A merges B, and x is back again.
//! assert!(failure.steps.len() <= 6, "{failure}");
//! ```
//!
//! [`check`] panics with the failure, [`run`] returns it, and [`survey`] counts how many histories fail.
//!
//! What is random comes from the seed alone, and `HOB_SEED` sets it.

mod config;
mod execute;
mod failure;
mod panics;
mod record;
mod replica;
mod schedule;
mod shrink;
#[cfg(test)]
mod tests;

use std::panic::{Location, panic_any};

use hobgoblin_check::Limits;

use crate::history::CrdtHistory;
use crate::verdict::CrdtVerdict;

use execute::{Execution, execute};
use failure::{Told, again};
use schedule::{Schedule, generate};

pub use config::{Config, Recorded};
pub use failure::{Cause, Divergence, Failure};
pub use replica::{Exchange, LiveReplica, Outcome, Request};

/// What decides whether a history is one that its data type admits; [`check`](crate::check()) is one.
pub type Checker<'a> = dyn Fn(&CrdtHistory, &Limits) -> CrdtVerdict + 'a;

/// What a library passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Passed {
    /// How many histories there were.
    pub histories: u32,
    /// How many operations they had together.
    pub operations: u64,
    /// How many of the histories were not decided before their time limit.
    pub unknown: u32,
}

/// How many histories failed, and by what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Survey {
    /// How many histories there were.
    pub histories: u32,
    /// In how many replicas returned what the data type does not admit.
    pub violations: u32,
    /// In how many replicas did not agree in the end.
    pub diverged: u32,
    /// In how many the library panicked, or returned what makes no sense.
    pub broken: u32,
    /// How many were not decided before their time limit.
    pub unknown: u32,
    /// The seeds of those that failed.
    pub seeds: Vec<u64>,
}

/// Tests a library, see the [module](self).
///
/// # Panics
///
/// When it fails, with everything there is to say about that.
#[track_caller]
pub fn check<R: LiveReplica>(config: &Config) -> Passed {
    match run::<R>(config) {
        Ok(passed) => passed,
        Err(failure) => panic_any(failure.to_string()),
    }
}

/// As [`check`], and gives the failure back: the first, as small as it could be made.
#[track_caller]
pub fn run<R: LiveReplica>(config: &Config) -> Result<Passed, Box<Failure>> {
    run_with::<R>(config, &crate::check)
}

/// As [`run`], with another checker.
#[track_caller]
pub fn run_with<R: LiveReplica>(
    config: &Config,
    checker: &Checker<'_>,
) -> Result<Passed, Box<Failure>> {
    let caller = Location::caller();
    let mut passed = Passed::default();
    for number in 0..u64::from(config.histories) {
        let seed = config.first_seed().wrapping_add(number);
        let schedule = generate(config, R::EXCHANGE, seed);
        let (execution, judged) = once::<R>(&schedule, config, checker);
        passed.histories += 1;
        passed.operations += execution.operations;
        passed.unknown += u32::from(matches!(judged.verdict, Some(CrdtVerdict::Unknown(_))));
        if judged.cause.is_none() {
            continue;
        }
        let again = again(caller, seed, config.seed.is_some());
        let title = config.data_type.title();
        let told = Told { number: number + 1, title, original: schedule.len(), again };
        let failed = FailedRun { schedule, execution, judged };
        let (failed, reproduced) = failed.smallest::<R>(config, checker);
        return Err(Box::new(failed.failure(seed, reproduced, told)));
    }
    Ok(passed)
}

/// Runs all histories, and counts those that fail. Nothing is made smaller.
pub fn survey<R: LiveReplica>(config: &Config) -> Survey {
    survey_with::<R>(config, &crate::check)
}

/// As [`survey`], with another checker.
pub fn survey_with<R: LiveReplica>(config: &Config, checker: &Checker<'_>) -> Survey {
    let mut survey = Survey::default();
    for number in 0..u64::from(config.histories) {
        let seed = config.first_seed().wrapping_add(number);
        let schedule = generate(config, R::EXCHANGE, seed);
        let (_, judged) = once::<R>(&schedule, config, checker);
        survey.histories += 1;
        match judged.verdict {
            Some(CrdtVerdict::Violation(_)) => survey.violations += 1,
            Some(CrdtVerdict::Unknown(_)) => survey.unknown += 1,
            Some(CrdtVerdict::Admitted(_)) | None => {}
        }
        match &judged.cause {
            Some(Cause::Diverged(_)) => survey.diverged += 1,
            Some(Cause::Panicked { .. } | Cause::NoHistory(_) | Cause::Adapter(_)) => {
                survey.broken += 1
            }
            Some(Cause::Violation) | None => {}
        }
        if judged.cause.is_some() {
            survey.seeds.push(seed);
        }
    }
    survey
}

/// What is to be said of one run.
struct Judged {
    cause: Option<Cause>,
    verdict: Option<CrdtVerdict>,
}

/// Runs the library once.
fn once<R: LiveReplica>(
    schedule: &Schedule,
    config: &Config,
    checker: &Checker<'_>,
) -> (Execution, Judged) {
    let execution = execute::<R>(schedule, config);
    let judged = match (&execution.stopped, &execution.history) {
        (Some(cause), _) => Judged { cause: Some(cause.clone()), verdict: None },
        (None, Err(error)) => {
            Judged { cause: Some(Cause::NoHistory(error.clone())), verdict: None }
        }
        (None, Ok(history)) => {
            let limits = config.time_limit.map_or_else(Limits::none, Limits::time);
            let verdict = checker(history, &limits);
            let violated = matches!(verdict, CrdtVerdict::Violation(_)).then_some(Cause::Violation);
            let diverged = execution.divergence.clone().map(Cause::Diverged);
            Judged { cause: diverged.or(violated), verdict: Some(verdict) }
        }
    };
    (execution, judged)
}

/// A run that failed.
struct FailedRun {
    schedule: Schedule,
    execution: Execution,
    judged: Judged,
}

impl FailedRun {
    /// The smallest run that fails alike, and whether this one did when it was repeated.
    fn smallest<R: LiveReplica>(self, config: &Config, checker: &Checker<'_>) -> (FailedRun, bool) {
        let fails = |schedule: &Schedule| {
            let (_, now) = once::<R>(schedule, config, checker);
            match (&now.cause, &self.judged.cause) {
                (Some(now), Some(before)) => now.is_like(before),
                _ => false,
            }
        };
        if !fails(&self.schedule) {
            return (self, false);
        }
        let schedule = shrink::shrink(&self.schedule, R::EXCHANGE, config.shrinking, fails);
        let (execution, judged) = once::<R>(&schedule, config, checker);
        match judged.cause {
            Some(_) => (FailedRun { schedule, execution, judged }, true),
            None => (self, false),
        }
    }

    fn failure(self, seed: u64, reproduced: bool, told: Told) -> Failure {
        let FailedRun { execution, judged, .. } = self;
        Failure {
            seed,
            cause: judged.cause.expect("a failed run has a cause"),
            steps: execution.lines,
            history: execution.history.ok(),
            verdict: judged.verdict,
            reproduced,
            told: Box::new(told),
        }
    }
}
