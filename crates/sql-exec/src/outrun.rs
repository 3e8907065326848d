//! Errors of a transaction that another one was faster than.

use hobgoblin_sql_schema::{Problem, SqlError};

/// The error where a row was changed since the snapshot.
pub(super) fn concurrent_update() -> SqlError {
    Problem::ConcurrentUpdate.into()
}

/// Whether another transaction was faster, so that this one has to be tried again.
pub(super) fn is_outrun(error: &SqlError) -> bool {
    matches!(
        error.problem(),
        Some(Problem::ConcurrentUpdate | Problem::ConcurrentDelete | Problem::Dependencies)
    )
}

/// The error of locking a row that is gone, where PostgreSQL tells of an update all the same: for FOR UPDATE, and for a
/// row that has another key now or that another refers to.
pub(super) fn was_updated(error: SqlError) -> SqlError {
    match error.problem() {
        Some(Problem::ConcurrentDelete) => concurrent_update(),
        _ => error,
    }
}
