//! Errors of the store, and ends from outside, in MySQL's words.

use hobgoblin_front::{AbortReason, StoreError};
use hobgoblin_sql_mysql_types::{Version, error};
use hobgoblin_sql_schema::{Code, Problem, SqlError};
use hobgoblin_sql_session::Why;

use crate::parse::ParseError;

/// 1205.
pub(super) fn lock_wait_timeout() -> SqlError {
    let text = "Lock wait timeout exceeded; try restarting transaction";
    error::error(error::LOCK_WAIT_TIMEOUT, text)
}

/// 1213.
fn deadlock() -> SqlError {
    let text = "Deadlock found when trying to get lock; try restarting transaction";
    error::error(error::DEADLOCK, text)
}

/// 1020: a row of this table changed since the snapshot.
pub(super) fn changed(table: &str, version: Version) -> SqlError {
    let text = format!("Record has changed since last read in table '{table}'");
    let text = match version {
        Version::MariaDb10_11 => text + "; try restarting transaction",
        Version::MariaDb11_8 | Version::MySql9_7 => text,
    };
    error::error(error::CONCURRENT_CHANGE, text)
}

/// What a session is told whose statement was ended from outside.
pub(super) fn interrupted(why: Why, version: Version) -> SqlError {
    let killed = |text: &str| error::error(error::KILLED, text);
    match why {
        Why::Cancel => killed("Query execution was interrupted"),
        Why::Timeout if version.is_mysql() => {
            let text = "Query execution was interrupted, maximum statement execution time exceeded";
            error::error(3024, text)
        }
        Why::Timeout => {
            let text = "Query execution was interrupted (max_statement_time exceeded)";
            error::error(error::RECURSIVE_ITERATIONS, text)
        }
        Why::Terminate => killed("Query execution was interrupted"),
    }
}

/// An error of the store as the server's own.
pub(super) fn store_error(
    error: &hobgoblin_front::Error,
    why: Option<Why>,
    version: Version,
) -> SqlError {
    use hobgoblin_front::Error as Front;
    let reason = match error {
        Front::Aborted(reason) | Front::Refused(reason) => reason,
        Front::Interrupted { .. } => return interrupted(why.unwrap_or(Why::Cancel), version),
        Front::Unrecorded { .. } => return error::error(1021, error.to_string()),
        Front::Store(StoreError::Unseeable { .. }) => return deadlock(),
        other => return SqlError::internal(other.to_string()),
    };
    match reason {
        AbortReason::LockTimeout => lock_wait_timeout(),
        AbortReason::Changed => Problem::ConcurrentUpdate.into(),
        // Whoever is refused runs the transaction again: programs know that of deadlocks.
        _ => deadlock(),
    }
}

/// A text that does not read.
pub(super) fn unreadable(error: &ParseError) -> SqlError {
    let mut said = SqlError::new(Code(error.state()), error.to_string());
    said.more.number = Some(error.number());
    said
}
