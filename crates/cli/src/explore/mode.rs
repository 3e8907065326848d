//! The names of the modes.

use hobgoblin_explore::Mode;
use serde::Serialize;

/// A mode as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(super) enum ModeName {
    #[value(alias = "history")]
    Histories,
    #[value(alias = "state")]
    States,
    #[value(aliases = ["schedule", "dfs"])]
    Schedules,
}

impl ModeName {
    /// One of what is found.
    pub(super) fn noun(self) -> &'static str {
        match self {
            ModeName::Histories => "history",
            ModeName::States => "end state",
            ModeName::Schedules => "schedule",
        }
    }
}

impl From<ModeName> for Mode {
    fn from(name: ModeName) -> Mode {
        match name {
            ModeName::Histories => Mode::Histories,
            ModeName::States => Mode::States,
            ModeName::Schedules => Mode::Schedules,
        }
    }
}
