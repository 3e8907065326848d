//! What an application is, and what a run of it comes to.

use hobgoblin::{Key, Value};

use crate::schedule::Schedule;
use crate::session::{Session, Stop};

/// One application: what its store holds first, and its program.
#[derive(Clone, Copy, Debug)]
pub struct App {
    /// The name in tables and on the command line.
    pub name: &'static str,
    /// What its assertion says when it fails.
    pub claim: &'static str,
    /// How many sessions its program has.
    pub sessions: usize,
    /// What the store holds first.
    pub initial: fn() -> Vec<(Key, Value)>,
    /// Runs the program once.
    pub run: fn(&[Session], &mut Schedule) -> Result<Seen, Stop>,
}

/// What the clients of one iteration saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// A line for people.
    pub told: String,
    /// Whether the assertion failed.
    pub violated: bool,
}
