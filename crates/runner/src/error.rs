//! Why there is no report.

use std::io;
use std::path::PathBuf;

use crate::process::{Ending, Output};

/// What keeps runs from being made at all. A failing run is no error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunnerError {
    /// The command could not be started.
    #[error("cannot start {command:?}: {source}")]
    Start {
        /// The command.
        command: String,
        /// What the system said.
        source: io::Error,
    },
    /// The setup failed.
    #[error("the setup failed: {ending}")]
    Setup {
        /// How it ended.
        ending: Ending,
        /// What it printed.
        output: Output,
    },
    /// No store could be set up, or it could not be reached.
    #[error("{0}")]
    Store(String),
    /// A log could not be read.
    #[error("{message}")]
    Log {
        /// The file.
        path: PathBuf,
        /// Where, from 1; 0 where unknown.
        line: u64,
        /// What is wrong.
        message: String,
    },
    /// What a failing run left behind could not be written.
    #[error("cannot write this: {message}")]
    Save {
        /// The file.
        path: PathBuf,
        /// What the system said.
        message: String,
    },
    /// The log names no command.
    #[error("the log does not say which command it is of")]
    NoCommand {
        /// The file.
        path: PathBuf,
    },
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
            RunnerError::Setup { .. } => {
                "run it by itself against `hob serve --level SER`, with HOB_HTTP_URL set"
            }
            RunnerError::Store(_) => "see `hob test --help`",
            RunnerError::Log { .. } => "name a file that `hob test` saved, ending in .log.jsonl",
            RunnerError::Save { .. } => "name another directory with `--out`",
            RunnerError::NoCommand { .. } => "name it: `hob test --replay FILE -- COMMAND`",
        }
    }
}
