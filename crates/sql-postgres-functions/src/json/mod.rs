//! Functions and operators on `json` and `jsonb`.
//!
//! A `json` value is its text, and what is taken out of it is a piece of that text ([`scan`]); a `jsonb`
//! value is a tree. [`make`] turns other values into either.

mod access;
mod change;
pub(super) mod make;
mod record;
mod scan;
mod sets;

pub(super) use access::FUNCTIONS as ACCESS;
pub(super) use change::FUNCTIONS as CHANGE;
pub(super) use make::FUNCTIONS as MAKE;
pub(super) use record::RECORDS;
pub(super) use sets::SETS;
