//! Exit codes, as grep's: what a script wants to know.

use std::process::ExitCode;

/// How a command ended. Of several, the later one here wins: an error beats a violation beats an
/// unknown beats a success.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// What was asked for holds, or was done: 0.
    Holds,
    /// A limit was reached before an answer: 3.
    Unknown,
    /// A level is violated: 1.
    Violation,
    /// Something could not be read, written or understood: 2.
    Error,
}

/// The code of a program that died of a closed pipe. It says nothing about any history.
pub(crate) const BROKEN_PIPE: u8 = 141;

/// The code of a program that was interrupted before it knew anything.
pub(crate) const INTERRUPTED: i32 = 130;

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Holds => 0,
            Exit::Violation => 1,
            Exit::Error => 2,
            Exit::Unknown => 3,
        })
    }
}
