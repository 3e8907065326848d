//! Errors as the protocol tells them.

use hobgoblin_sql_mysql::session::Told;
use hobgoblin_sql_mysql_types::{Speaker, Version, error, worded};
use hobgoblin_sql_schema::SqlError;
use hobgoblin_wire::mysql::{self as wire, Encoder, ProtocolError, UNKNOWN_COMMAND};

/// What a client is told that went wrong: number, SQLSTATE and words.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    number: u16,
    state: String,
    words: String,
}

/// Why a connection to MySQL's port ends.
#[derive(Debug)]
pub(crate) enum End {
    /// The client is gone, said goodbye, or is ended without a word, as MySQL ends idle sessions.
    Gone,
    /// The client is told, and that is the end.
    Fatal(Failure),
}

impl Failure {
    pub(crate) fn new(number: u16, state: &str, words: impl Into<String>) -> Failure {
        Failure { number, state: state.to_owned(), words: words.into() }
    }

    /// Why a session did not begin.
    pub(crate) fn before(error: SqlError, version: Version) -> Failure {
        let error = worded(error, Speaker { version, database: "" });
        let number = error.more.number.unwrap_or(error::UNKNOWN_ERROR);
        Failure::new(number, error.state().0, error.message())
    }

    /// A command that is not known.
    pub(crate) fn unknown_command() -> Failure {
        let (number, state, words) = UNKNOWN_COMMAND;
        Failure::new(number, state, words)
    }

    /// A statement by a number that none has.
    pub(crate) fn unknown_statement(id: u32, command: &str) -> Failure {
        let words = format!("Unknown prepared statement handler ({id}) given to {command}");
        Failure::new(1243, "HY000", words)
    }

    /// A statement without a cursor.
    pub(crate) fn no_cursor(id: u32) -> Failure {
        Failure::new(1421, "HY000", format!("The statement ({id}) has no open cursor"))
    }

    /// The error that the server is being stopped.
    pub(crate) fn shutdown() -> Failure {
        Failure::new(1053, "08S01", "Server shutdown in progress")
    }

    /// There are as many sessions as there may be.
    pub(crate) fn full() -> Failure {
        Failure::new(1040, "08004", "Too many connections")
    }

    /// The error that another session has killed this one.
    pub(crate) fn killed(version: wire::Version) -> Failure {
        match version.is_mariadb() {
            true => Failure::new(1927, "70100", "Connection was killed"),
            false => Failure::new(1317, "70100", "Query execution was interrupted"),
        }
    }

    /// The error of a mistake of the server's own.
    pub(crate) fn internal(words: impl Into<String>) -> Failure {
        Failure::new(1105, "HY000", words)
    }

    pub(crate) fn write(&self, out: &mut Encoder) {
        out.error(self.number, &self.state, self.words.as_bytes());
    }
}

impl From<ProtocolError> for Failure {
    fn from(error: ProtocolError) -> Failure {
        Failure::new(error.code(), error.state(), error.message())
    }
}

impl From<Told> for Failure {
    fn from(told: Told) -> Failure {
        Failure { number: told.number, state: told.state, words: told.message }
    }
}

impl From<std::io::Error> for End {
    fn from(_: std::io::Error) -> End {
        End::Gone
    }
}
