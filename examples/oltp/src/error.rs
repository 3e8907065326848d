//! Why SQL did not go through.

/// Why a statement or a transaction did not go through.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The database gave the transaction up; it may be retried (SQLSTATE 40001, 40P01; MySQL's 1020, 1205, 1213).
    #[error("the transaction was refused ({state}): {message}")]
    Serialization {
        /// The SQLSTATE, five characters, or MySQL's number.
        state: String,
        /// What the database said.
        message: String,
    },
    /// Another row has the key (SQLSTATE 23505; MySQL's 1062).
    #[error("a key is taken: {0}")]
    Duplicate(String),
    /// The application gave the transaction up.
    #[error("rolled back: {0}")]
    RolledBack(&'static str),
    /// The database refused a statement for another reason.
    #[error("{state}: {message}, in {sql}")]
    Statement {
        /// The SQLSTATE, five characters, or MySQL's number.
        state: String,
        /// What the database said.
        message: String,
        /// The text of the statement.
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

    /// What MySQL or MariaDB said, sorted by its number.
    pub(crate) fn of_mysql(number: u16, message: String, sql: &str) -> Error {
        let state = number.to_string();
        match number {
            1020 | 1205 | 1213 => Error::Serialization { state, message },
            1062 => Error::Duplicate(message),
            _ => Error::Statement { state, message, sql: sql.to_owned() },
        }
    }

    /// Whether an application expects it now and then: its transaction is undone, and life goes on.
    pub fn is_expected(&self) -> bool {
        matches!(self, Error::Serialization { .. } | Error::Duplicate(_) | Error::RolledBack(_))
    }
}
