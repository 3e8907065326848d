//! The arguments of a call as Rust values. A value of the wrong kind is an error of ours, never a panic.

use std::sync::Arc;

use hobgoblin_core::Text;

use super::Call;
use crate::error::{Code, Result, SqlError, SqlState};
use crate::types::{Array, Datum, Interval, Json, Numeric, TypeId};

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

/// The wrong kind of value in a place.
pub(super) fn mismatch<T>(want: &str, have: &Datum) -> Result<T> {
    error(SqlState::INTERNAL_ERROR, format!("a function expected {want} and got {have:?}"))
}

/// A text value.
pub(super) fn text(value: impl Into<Text>) -> Result<Datum> {
    Ok(Datum::Text(value.into()))
}

/// NULL stands where a call has fewer arguments.
static NULL: Datum = Datum::Null;

impl<'a> Call<'a> {
    /// An argument; NULL if the call has fewer.
    pub(super) fn arg(&self, i: usize) -> &'a Datum {
        self.args.get(i).unwrap_or(&NULL)
    }

    /// The type of an argument.
    pub(super) fn ty(&self, i: usize) -> TypeId {
        self.types.get(i).copied().unwrap_or(TypeId::UNKNOWN)
    }

    /// Whether an argument is NULL or missing.
    pub(super) fn null(&self, i: usize) -> bool {
        self.arg(i).is_null()
    }

    pub(super) fn bool(&self, i: usize) -> Result<bool> {
        match self.arg(i) {
            Datum::Bool(value) => Ok(*value),
            other => mismatch("a boolean", other),
        }
    }

    pub(super) fn int(&self, i: usize) -> Result<i64> {
        match self.arg(i) {
            Datum::Int(value) => Ok(*value),
            other => mismatch("an integer", other),
        }
    }

    pub(super) fn float(&self, i: usize) -> Result<f64> {
        match self.arg(i) {
            Datum::Float(value) => Ok(*value),
            other => mismatch("a float", other),
        }
    }

    pub(super) fn numeric(&self, i: usize) -> Result<&'a Numeric> {
        match self.arg(i) {
            Datum::Numeric(value) => Ok(value),
            other => mismatch("a numeric", other),
        }
    }

    pub(super) fn text(&self, i: usize) -> Result<&'a str> {
        match self.arg(i) {
            Datum::Text(value) | Datum::Char(value) => Ok(value),
            other => mismatch("a text", other),
        }
    }

    pub(super) fn bytes(&self, i: usize) -> Result<&'a [u8]> {
        match self.arg(i) {
            Datum::Bytes(value) => Ok(value),
            other => mismatch("a bytea", other),
        }
    }

    pub(super) fn date(&self, i: usize) -> Result<i32> {
        match self.arg(i) {
            Datum::Date(value) => Ok(*value),
            other => mismatch("a date", other),
        }
    }

    pub(super) fn time(&self, i: usize) -> Result<i64> {
        match self.arg(i) {
            Datum::Time(value) => Ok(*value),
            other => mismatch("a time", other),
        }
    }

    pub(super) fn timetz(&self, i: usize) -> Result<(i64, i32)> {
        match self.arg(i) {
            Datum::TimeTz(value, zone) => Ok((*value, *zone)),
            other => mismatch("a timetz", other),
        }
    }

    pub(super) fn timestamp(&self, i: usize) -> Result<i64> {
        match self.arg(i) {
            Datum::Timestamp(value) => Ok(*value),
            other => mismatch("a timestamp", other),
        }
    }

    pub(super) fn interval(&self, i: usize) -> Result<&'a Interval> {
        match self.arg(i) {
            Datum::Interval(value) => Ok(value),
            other => mismatch("an interval", other),
        }
    }

    pub(super) fn array(&self, i: usize) -> Result<&'a Arc<Array>> {
        match self.arg(i) {
            Datum::Array(value) => Ok(value),
            other => mismatch("an array", other),
        }
    }

    pub(super) fn jsonb(&self, i: usize) -> Result<&'a Arc<Json>> {
        match self.arg(i) {
            Datum::Jsonb(value) => Ok(value),
            other => mismatch("a jsonb", other),
        }
    }
}
