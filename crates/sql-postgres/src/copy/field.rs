//! A field of a line, in text and CSV.

use std::borrow::Cow;

use super::options::{CopyFormat, CopyOptions};
use crate::error::SqlError;

/// A field of a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Field<'a> {
    /// As written, to be compared with the word for NULL.
    pub(super) raw: &'a str,
    /// What it means.
    pub(super) text: Cow<'a, str>,
    pub(super) quoted: bool,
}

impl Field<'_> {
    /// The value, or `None` for NULL.
    pub(super) fn value(&self, column: &str, options: &CopyOptions) -> Option<Cow<'_, str>> {
        let is_null = match options.format {
            CopyFormat::Csv if self.quoted => {
                options.forces_null(column) && self.text == options.null.as_str()
            }
            CopyFormat::Csv => self.raw == options.null && !options.forces_not_null(column),
            _ => self.raw == options.null,
        };
        (!is_null).then_some(Cow::Borrowed(&*self.text))
    }
}

/// An error with the place in the data as its detail, unless it has one.
pub(super) fn with_place(mut error: SqlError, place: String) -> SqlError {
    error.more.detail.get_or_insert(place);
    error
}
