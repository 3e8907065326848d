//! The arguments of a call as Rust values. A value of the wrong kind is an error of ours, never a panic.

use std::sync::Arc;

use hobgoblin_sql_value::{Array, Datum, Interval, Json, Numeric, TypeId};

use super::Call;
use crate::error::{Result, SqlError};

/// The wrong kind of value in a place.
pub fn mismatch<T>(want: &str, have: &Datum) -> Result<T> {
    Err(SqlError::internal(format!("a function expected {want} and got {have:?}")))
}

/// NULL stands where a call has fewer arguments.
static NULL: Datum = Datum::Null;

impl<'a> Call<'a> {
    /// Gathers the rows of a set, which may be many: now and then it looks whether to go on.
    pub fn gather(&self, rows: impl IntoIterator<Item = Vec<Datum>>) -> Result<Vec<Vec<Datum>>> {
        const OFTEN: usize = 4096;
        let mut gathered = Vec::new();
        for row in rows {
            if gathered.len().is_multiple_of(OFTEN) {
                self.cx.check_interrupts()?;
            }
            gathered.push(row);
        }
        Ok(gathered)
    }

    /// An argument; NULL if the call has fewer.
    pub fn arg(&self, i: usize) -> &'a Datum {
        self.args.get(i).unwrap_or(&NULL)
    }

    /// The type of an argument.
    pub fn ty(&self, i: usize) -> TypeId {
        self.types.get(i).copied().unwrap_or(TypeId::UNKNOWN)
    }

    /// Whether an argument is NULL or missing.
    pub fn null(&self, i: usize) -> bool {
        self.arg(i).is_null()
    }

    /// An argument that is a boolean.
    pub fn bool(&self, i: usize) -> Result<bool> {
        match self.arg(i) {
            Datum::Bool(value) => Ok(*value),
            other => mismatch("a boolean", other),
        }
    }

    /// An argument that is an integer.
    pub fn int(&self, i: usize) -> Result<i64> {
        match self.arg(i) {
            Datum::Int(value) => Ok(*value),
            other => mismatch("an integer", other),
        }
    }

    /// An argument that is a float.
    pub fn float(&self, i: usize) -> Result<f64> {
        match self.arg(i) {
            Datum::Float(value) => Ok(*value),
            other => mismatch("a float", other),
        }
    }

    /// An argument that is an exact number.
    pub fn numeric(&self, i: usize) -> Result<&'a Numeric> {
        match self.arg(i) {
            Datum::Numeric(value) => Ok(value),
            other => mismatch("a numeric", other),
        }
    }

    /// An argument that is a text.
    pub fn text(&self, i: usize) -> Result<&'a str> {
        match self.arg(i) {
            Datum::Text(value) | Datum::Char(value) => Ok(value),
            other => mismatch("a text", other),
        }
    }

    /// An argument that is bytes.
    pub fn bytes(&self, i: usize) -> Result<&'a [u8]> {
        match self.arg(i) {
            Datum::Bytes(value) => Ok(value),
            other => mismatch("a bytea", other),
        }
    }

    /// An argument that is a date.
    pub fn date(&self, i: usize) -> Result<i32> {
        match self.arg(i) {
            Datum::Date(value) => Ok(*value),
            other => mismatch("a date", other),
        }
    }

    /// An argument that is a time.
    pub fn time(&self, i: usize) -> Result<i64> {
        match self.arg(i) {
            Datum::Time(value) => Ok(*value),
            other => mismatch("a time", other),
        }
    }

    /// An argument that is a time with its zone.
    pub fn timetz(&self, i: usize) -> Result<(i64, i32)> {
        match self.arg(i) {
            Datum::TimeTz(value, zone) => Ok((*value, *zone)),
            other => mismatch("a timetz", other),
        }
    }

    /// An argument that is a timestamp.
    pub fn timestamp(&self, i: usize) -> Result<i64> {
        match self.arg(i) {
            Datum::Timestamp(value) => Ok(*value),
            other => mismatch("a timestamp", other),
        }
    }

    /// An argument that is an interval.
    pub fn interval(&self, i: usize) -> Result<&'a Interval> {
        match self.arg(i) {
            Datum::Interval(value) => Ok(value),
            other => mismatch("an interval", other),
        }
    }

    /// An argument that is an array.
    pub fn array(&self, i: usize) -> Result<&'a Arc<Array>> {
        match self.arg(i) {
            Datum::Array(value) => Ok(value),
            other => mismatch("an array", other),
        }
    }

    /// An argument that is a binary JSON.
    pub fn jsonb(&self, i: usize) -> Result<&'a Arc<Json>> {
        match self.arg(i) {
            Datum::Jsonb(value) => Ok(value),
            other => mismatch("a jsonb", other),
        }
    }
}
