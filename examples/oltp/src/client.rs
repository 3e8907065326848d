//! Somebody who runs SQL for an application.

use crate::value::{Row, Value};

/// Why a statement or a transaction did not go through.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The database gave the transaction up; it may be retried (SQLSTATE 40001, 40P01).
    #[error("the transaction was refused ({state}): {message}")]
    Serialization {
        /// The SQLSTATE.
        state: String,
        /// What the database said.
        message: String,
    },
    /// Another row has the key (SQLSTATE 23505).
    #[error("a key is taken: {0}")]
    Duplicate(String),
    /// The application gave the transaction up.
    #[error("rolled back: {0}")]
    RolledBack(&'static str),
    /// The database refused a statement for another reason.
    #[error("{state}: {message}, in {sql}")]
    Statement {
        /// The SQLSTATE.
        state: String,
        /// What the database said.
        message: String,
        /// The statement.
        sql: String,
    },
    /// The connection or an answer is not as it should be.
    #[error("{0}")]
    Broken(String),
}

impl Error {
    /// What the database said, sorted by its SQLSTATE.
    pub fn of(state: &str, message: String, sql: &str) -> Error {
        match state {
            "40001" | "40P01" => Error::Serialization { state: state.to_owned(), message },
            "23505" => Error::Duplicate(message),
            _ => Error::Statement { state: state.to_owned(), message, sql: sql.to_owned() },
        }
    }

    /// Whether an application expects it now and then: its transaction is undone, and life goes on.
    pub fn is_expected(&self) -> bool {
        matches!(self, Error::Serialization { .. } | Error::Duplicate(_) | Error::RolledBack(_))
    }
}

/// What a statement gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// The rows, if it gives rows.
    pub rows: Vec<Row>,
    /// How many rows it gave or changed.
    pub affected: u64,
}

impl Rows {
    /// The first row, which an application counts on.
    pub fn first(self, missing: &'static str) -> Result<Row, Error> {
        self.rows.into_iter().next().ok_or(Error::RolledBack(missing))
    }

    /// The number of rows that a command tag, such as `UPDATE 3`, tells.
    pub(crate) fn told(tag: &str) -> u64 {
        tag.rsplit(' ').next().and_then(|count| count.parse().ok()).unwrap_or(0)
    }
}

/// A session of a database.
pub trait Client {
    /// Runs one statement with parameters `$1`, `$2`, ….
    fn query(&mut self, sql: &str, params: &[Value]) -> Result<Rows, Error>;

    /// Runs statements without parameters, separated by semicolons.
    fn batch(&mut self, sql: &str) -> Result<(), Error>;

    /// Opens a transaction at the session's level.
    fn begin(&mut self) -> Result<(), Error> {
        self.query("BEGIN", &[]).map(drop)
    }

    /// Opens a serializable transaction.
    fn begin_serializable(&mut self) -> Result<(), Error> {
        self.query("BEGIN ISOLATION LEVEL SERIALIZABLE", &[]).map(drop)
    }

    /// Commits.
    fn commit(&mut self) -> Result<(), Error> {
        self.query("COMMIT", &[]).map(drop)
    }

    /// Rolls back.
    fn rollback(&mut self) -> Result<(), Error> {
        self.query("ROLLBACK", &[]).map(drop)
    }
}
