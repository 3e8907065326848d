//! What functions say when arguments are wrong, and give.

use hobgoblin_core::Text;

pub(super) use hobgoblin_sql_schema::function::mismatch;

use crate::error::{Code, Result, SqlError, SqlState};
use crate::types::Datum;

/// An error of class 22, or what the state says.
pub(super) fn error<T>(state: Code, message: impl Into<String>) -> Result<T> {
    Err(SqlError::new(state, message))
}

/// 22023.
pub(super) fn invalid<T>(message: impl Into<String>) -> Result<T> {
    error(SqlState::INVALID_PARAMETER_VALUE, message)
}

/// 22003.
pub(super) fn out_of_range<T>(what: &str) -> Result<T> {
    error(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, format!("{what} out of range"))
}

/// A text value.
pub(super) fn text(value: impl Into<Text>) -> Result<Datum> {
    Ok(Datum::Text(value.into()))
}
