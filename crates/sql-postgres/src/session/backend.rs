//! A session as others see it, and what it does.

/// A session as others see it.
pub(crate) type Backend = hobgoblin_sql_session::Backend<Activity>;

/// The sessions of all databases by their process ids, as `pg_stat_activity` and `pg_blocking_pids` show them.
pub(crate) type Backends = hobgoblin_sql_session::Backends<Activity>;

/// The first process id.
pub(crate) const FIRST_PID: i32 = 1000;

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
