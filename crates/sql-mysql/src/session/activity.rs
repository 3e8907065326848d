//! What a session does, as SHOW PROCESSLIST shows it.

use std::time::Instant;

/// A session as others see it.
pub(crate) type Backend = hobgoblin_sql_session::Backend<Activity>;

/// The sessions of a server by their connection numbers.
pub(crate) type Backends = hobgoblin_sql_session::Backends<Activity>;

/// What a session does.
#[derive(Clone, Debug)]
pub(crate) struct Activity {
    /// Who it is.
    pub(crate) user: String,
    /// Where its client is.
    pub(crate) host: String,
    /// The database in use.
    pub(crate) database: Option<String>,
    /// The statement that runs; nothing while it waits for its client.
    pub(crate) statement: Option<String>,
    /// Since when.
    pub(crate) since: Instant,
    /// Whether somebody has ended the session.
    pub(crate) killed: bool,
}
