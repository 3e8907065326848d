//! Errors of a transaction that lost a race with another.

use hobgoblin_sql_schema::{Problem, SqlError};

/// The error that a row was changed since the snapshot.
pub(super) fn concurrent_update() -> SqlError {
    Problem::ConcurrentUpdate.into()
}

/// Whether an error says that another transaction was faster, so that this one is to be tried
/// again.
pub(super) fn is_outrun(error: &SqlError) -> bool {
    matches!(
        error.problem(),
        Some(Problem::ConcurrentUpdate | Problem::ConcurrentDelete | Problem::Dependencies)
    )
}

/// The error of locking a row that is gone, in cases where PostgreSQL says that it was updated: for
/// FOR UPDATE, and for a row that has another key now or that another row refers to.
pub(super) fn was_updated(error: SqlError) -> SqlError {
    match error.problem() {
        Some(Problem::ConcurrentDelete) => concurrent_update(),
        _ => error,
    }
}
