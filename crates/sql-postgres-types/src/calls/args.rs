//! What functions say when arguments are wrong, and give.

use hobgoblin_core::Text;

pub use hobgoblin_sql_schema::function::mismatch;

use crate::Datum;
use crate::error::{Code, Result, SqlError, SqlState};

/// Fails with this code and message.
pub fn error<T>(state: Code, message: impl Into<String>) -> Result<T> {
    Err(SqlError::new(state, message))
}

/// Fails with `invalid_parameter_value` (22023).
pub fn invalid<T>(message: impl Into<String>) -> Result<T> {
    error(SqlState::INVALID_PARAMETER_VALUE, message)
}

/// Fails with `numeric_value_out_of_range` (22003): `what` is out of range.
pub fn out_of_range<T>(what: &str) -> Result<T> {
    error(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, format!("{what} out of range"))
}

/// Gives a text.
pub fn text(value: impl Into<Text>) -> Result<Datum> {
    Ok(Datum::Text(value.into()))
}
