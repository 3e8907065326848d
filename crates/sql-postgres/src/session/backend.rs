//! A session as others see it, and what it does.

/// A session as the others see it.
pub(crate) type Backend = hobgoblin_sql_session::Backend<Activity>;

/// The sessions of all databases by their numbers, as `pg_stat_activity` and `pg_blocking_pids`
/// show them.
pub(crate) type Backends = hobgoblin_sql_session::Backends<Activity>;

/// The number of the first session, which clients take for a process id.
pub(crate) const FIRST_PID: i32 = 1000;

/// What a session tells the others of what it does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Activity {
    pub(crate) database: String,
    pub(crate) user: String,
    pub(crate) application: String,
    /// The text of the statement that is running, or ran last.
    pub(crate) query: String,
    pub(crate) state: State,
}

/// What a session does at the moment, as `pg_stat_activity.state` tells it.
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
