//! A session as others see it, and what it does.

use std::sync::{Mutex, PoisonError};

use hobgoblin_core::SessionId;

use super::interrupts::Interrupts;

/// What a session is doing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Activity {
    pub(crate) database: String,
    pub(crate) user: String,
    pub(crate) application: String,
    /// The statement that runs, or ran last.
    pub(crate) query: String,
    pub(crate) state: State,
}

/// `pg_stat_activity.state`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    Active,
    #[default]
    Idle,
    InTransaction,
    Failed,
}

impl State {
    pub(crate) fn name(self) -> &'static str {
        match self {
            State::Active => "active",
            State::Idle => "idle",
            State::InTransaction => "idle in transaction",
            State::Failed => "idle in transaction (aborted)",
        }
    }
}

/// A session.
#[derive(Debug)]
pub(crate) struct Backend {
    pub(crate) session: SessionId,
    pub(crate) interrupts: Interrupts,
    pub(super) activity: Mutex<Activity>,
}

impl Backend {
    pub(crate) fn activity(&self) -> Activity {
        self.activity.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn update(&self, update: impl FnOnce(&mut Activity)) {
        update(&mut self.activity.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
