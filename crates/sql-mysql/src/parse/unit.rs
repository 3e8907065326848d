//! Units of time.

use sqlparser::ast::{DateTimeField, Ident};

use super::cursor::{Parser, Result};

/// Units of one part.
const SIMPLE: &[(&str, DateTimeField)] = &[
    ("MICROSECOND", DateTimeField::Microsecond),
    ("SECOND", DateTimeField::Second),
    ("MINUTE", DateTimeField::Minute),
    ("HOUR", DateTimeField::Hour),
    ("DAY", DateTimeField::Day),
    ("WEEK", DateTimeField::Week(None)),
    ("MONTH", DateTimeField::Month),
    ("QUARTER", DateTimeField::Quarter),
    ("YEAR", DateTimeField::Year),
];

/// Units of two, of which the tree knows no names.
const COMPOUND: &[&str] = &[
    "YEAR_MONTH",
    "DAY_HOUR",
    "DAY_MINUTE",
    "DAY_SECOND",
    "DAY_MICROSECOND",
    "HOUR_MINUTE",
    "HOUR_SECOND",
    "HOUR_MICROSECOND",
    "MINUTE_SECOND",
    "MINUTE_MICROSECOND",
    "SECOND_MICROSECOND",
];

impl Parser<'_> {
    /// The unit of a span of time, or a field of a date.
    pub(super) fn unit(&mut self) -> Result<DateTimeField> {
        match self.takes_one_of(COMPOUND) {
            Some(unit) => Ok(DateTimeField::Custom(Ident::new(unit))),
            None => self.timestamp_unit(),
        }
    }

    /// A unit of one part, which may have a longer name.
    pub(super) fn timestamp_unit(&mut self) -> Result<DateTimeField> {
        for (name, unit) in SIMPLE {
            let long = format!("SQL_TSI_{name}");
            if self.takes(name) || self.takes(&long) {
                return Ok(unit.clone());
            }
        }
        Err(self.unexpected())
    }
}
