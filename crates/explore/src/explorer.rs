//! Exploration from outside: start, watch, stop, go on later.

use crate::branch::Branch;
use crate::compiled::Compiled;
use crate::end::End;
use crate::meetings::Meeting;
use crate::options::{Mode, Options};
use crate::program::Program;
use crate::{checkpoint, modes, token, workers};

/// What an exploration found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Histories that satisfy the level.
    pub histories: u64,
    /// Ends reached, before the level was asked; with duplicates in [`Mode::Schedules`](crate::Mode).
    pub end_states: u64,
    /// Calls of EXPLORE: one for each event added, and one for each swap.
    pub calls: u64,
    /// Calls that led to nothing.
    pub fruitless: u64,
    /// Whether nothing was left out.
    pub complete: bool,
    /// Why it stopped early.
    pub stopped: Option<Stopped>,
    /// The transactions that meet on the set of keys of a table in a way that a database which keeps
    /// rows apart does not know. If there are any, what no history breaks is not proved.
    pub meetings: Vec<Meeting>,
}

/// Why an exploration stopped early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stopped {
    /// [`Options::max`] was reached.
    Max,
    /// [`Options::time`] was over.
    Time,
    /// Whoever watches asked for it.
    Asked,
}

/// What can go wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExploreError {
    /// The program is wrong.
    #[error("session {session}, transaction {txn}: {what}")]
    Program {
        /// The session's name.
        session: String,
        /// The transaction's name.
        txn: String,
        /// What it does.
        what: String,
    },
    /// An assertion is wrong.
    #[error("assertion {name:?}: {what}")]
    Assertion {
        /// Its name.
        name: String,
        /// What is wrong with it.
        what: String,
    },
    /// The program is too large.
    #[error("the program has {txns} transactions; at most {max} can be explored")]
    TooManyTransactions {
        /// How many.
        txns: usize,
        /// How many there may be.
        max: usize,
    },
    /// The options contradict each other.
    #[error("{0}")]
    Options(String),
    /// A token or checkpoint does not belong to the program.
    #[error("{0}")]
    Token(String),
}

/// How far an exploration is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// So far.
    pub found: Found,
    /// About how many ends there are in all, once there is an estimate.
    pub estimate: Option<f64>,
}

/// A running exploration, for those who watch it.
pub trait Watch: Sync {
    /// A history that satisfies the level. Called from several threads at once.
    fn end(&self, end: &End<'_>);

    /// Called every now and then.
    fn progress(&self, _progress: &Progress) {}

    /// Asked every now and then: whether to stop.
    fn stop(&self) -> bool {
        false
    }
}

impl<F: Fn(&End<'_>) + Sync> Watch for F {
    fn end(&self, end: &End<'_>) {
        self(end);
    }
}

/// Explores a program.
pub fn explore(
    program: &Program,
    options: &Options,
    watch: &dyn Watch,
) -> Result<Found, ExploreError> {
    resume(program, options, None, watch).map(|(found, _)| found)
}

/// What an exploration that stopped has left, as text for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint(pub String);

/// Explores a program, or what a checkpoint has left of it, and gives what is left then.
pub fn resume(
    program: &Program,
    options: &Options,
    from: Option<&Checkpoint>,
    watch: &dyn Watch,
) -> Result<(Found, Option<Checkpoint>), ExploreError> {
    let compiled = Compiled::new(program, options)?;
    match options.mode {
        Mode::Histories => {}
        _ if from.is_some() => {
            let text = "only the exploration of histories can be resumed".to_owned();
            return Err(ExploreError::Options(text));
        }
        Mode::States => return Ok((compiled.met(modes::every_state(&compiled, watch)?), None)),
        Mode::Schedules => {
            return Ok((compiled.met(modes::every_schedule(&compiled, watch)?), None));
        }
    }
    let (found, open) = match from {
        Some(checkpoint) => checkpoint::read(&compiled, checkpoint)?,
        None => (Found::default(), vec![Branch::default()]),
    };
    let (found, left) = workers::run(&compiled, watch, open, found)?;
    let checkpoint = (!left.is_empty()).then(|| checkpoint::write(&compiled, &found, &left));
    Ok((compiled.met(found), checkpoint))
}

/// Makes one end again from its token.
pub fn replay<R>(
    program: &Program,
    token: &str,
    look: impl FnOnce(&End<'_>) -> R,
) -> Result<R, ExploreError> {
    let options = Options::new(token::level(token)?);
    let compiled = Compiled::new(program, &options)?;
    let branch = token::read(&compiled, token)?;
    Ok(look(&End { compiled: &compiled, branch: &branch }))
}
