//! Sizes that a model does not have.

use std::fmt;

/// A model was asked for with too many transactions or resources, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeError {
    /// What there are too many or too few of.
    pub what: &'static str,
    /// How many were asked for.
    pub asked: usize,
    /// The most that there can be.
    pub most: usize,
}

impl SizeError {
    /// Whether so many of something fit.
    pub(crate) fn check(what: &'static str, asked: usize, most: usize) -> Result<(), SizeError> {
        match (1..=most).contains(&asked) {
            true => Ok(()),
            false => Err(SizeError { what, asked, most }),
        }
    }
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SizeError { what, asked, most } = self;
        write!(f, "{asked} {what}: there may be 1 to {most}")
    }
}

impl std::error::Error for SizeError {}
