//! What a session's client is told when its statement is ended from outside.

use std::time::Duration;

use hobgoblin_sql_session::{Interrupts, Why};

use crate::error::{Code, Result, Severity, SqlError, SqlState};

/// What the client is told if the statement is to end.
pub(super) fn error(interrupts: &Interrupts) -> Option<SqlError> {
    let canceled = |text| SqlError::new(SqlState::QUERY_CANCELED, text);
    Some(match interrupts.why()? {
        Why::Terminate => {
            let text = "terminating connection due to administrator command";
            SqlError::new(Code("57P01"), text).severity(Severity::Fatal)
        }
        Why::Timeout => canceled("canceling statement due to statement timeout"),
        Why::Cancel => canceled("canceling statement due to user request"),
    })
}

/// Fails when the statement is to end.
pub(super) fn check(interrupts: &Interrupts) -> Result<()> {
    match interrupts.is_raised() {
        true => error(interrupts).map_or(Ok(()), Err),
        false => Ok(()),
    }
}

/// Waits, unless it is interrupted.
pub(super) fn sleep(interrupts: &Interrupts, time: Duration) -> Result<()> {
    interrupts.sleep(time);
    check(interrupts)
}
