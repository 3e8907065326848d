//! Why runs could not be made, so that there is no report.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::process::{Ending, Output};

/// What keeps runs from being made at all. A failing run is no error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunnerError {
    /// The command could not be started.
    #[error("cannot start {command:?}: {source}")]
    Start {
        /// The command that could not be started.
        command: String,
        /// What the system said.
        source: io::Error,
    },
    /// The setup failed.
    #[error("{}", setup(*ending, *timeout))]
    Setup {
        /// How the setup's command ended.
        ending: Ending,
        /// How long it had.
        timeout: Duration,
        /// What the setup's command printed.
        output: Output,
    },
    /// No store could be set up, or it could not be reached.
    #[error("{0}")]
    Store(String),
    /// A log could not be read.
    #[error("{message}")]
    Log {
        /// The file in question.
        path: PathBuf,
        /// Where, from 1; 0 where unknown.
        line: u64,
        /// What is wrong.
        message: String,
    },
    /// What a failing run left behind could not be written.
    #[error("cannot write this: {message}")]
    Save {
        /// The file in question.
        path: PathBuf,
        /// What the system said.
        message: String,
    },
    /// What a setup made cannot be made again.
    #[error("the runs would not have all that the setup made: {what}")]
    Lost {
        /// What would be missing.
        what: String,
    },
    /// What a setup left could not be kept.
    #[error("cannot write this: {message}")]
    Cache {
        /// The file in question.
        path: PathBuf,
        /// What the system said.
        message: String,
    },
    /// The log names no command.
    #[error("the log does not say which command it is of")]
    NoCommand {
        /// The file in question.
        path: PathBuf,
    },
}

fn setup(ending: Ending, timeout: Duration) -> String {
    match ending {
        Ending::Hang => format!("the setup did not end within {timeout:?}"),
        ending => format!("the setup failed: {ending}"),
    }
}

impl RunnerError {
    /// What to do next.
    pub fn help(&self) -> &'static str {
        match self {
            RunnerError::Start { source, .. } => match source.kind() {
                io::ErrorKind::NotFound => {
                    "name a program that is in PATH, or give its path, such as ./test.sh"
                }
                io::ErrorKind::PermissionDenied => "make the file executable with `chmod +x`",
                _ => "run the command by itself first; shell syntax needs `sh -c '…'`",
            },
            RunnerError::Setup { ending: Ending::Hang, .. } => {
                "give it more time with `--setup-timeout`, or see what it waits for: run it by \
                 itself against `hob serve --pg 127.0.0.1:5433`, with DATABASE_URL set"
            }
            RunnerError::Setup { .. } => {
                "run it by itself against `hob serve`, with HOB_HTTP_URL set, or `hob serve --pg \
                 127.0.0.1:5433`, with DATABASE_URL set"
            }
            RunnerError::Store(_) => "see `hob test --help`",
            RunnerError::Log { .. } => "name a file that `hob test` saved, ending in .log.jsonl",
            RunnerError::Save { .. } => "name another directory with `--out`",
            RunnerError::Lost { .. } => {
                "every statement that changes the schema is run again by itself; make this one so that \
                 it can be, or leave `--setup` out and let the test prepare its data"
            }
            RunnerError::Cache { .. } => "name another file with `--setup-cache`",
            RunnerError::NoCommand { .. } => "name it: `hob test --replay FILE -- COMMAND`",
        }
    }
}
