//! The values of SQL, whatever dialect wrote them: exact decimals, dates and times, intervals, JSON, arrays, ranges;
//! how they compute, compare and hash.
//!
//! A [`Datum`] does not carry its type: whoever holds it knows it. A [`TypeId`] is a number that the dialect gives a
//! meaning to; here it only travels with arrays and ranges. How values read and print in a statement, on the wire or in a
//! table of the catalogue is the dialect's, and so are the words of errors: what goes wrong is a [`Problem`].

mod array;
mod assign;
mod citext;
mod compare;
pub mod datetime;
mod datum;
pub mod hstore;
mod inet;
mod interval;
pub mod json;
mod numeric;
mod problem;
pub mod range;
mod type_id;

pub use array::{Array, MAX_DIMENSIONS};
pub use citext::Citext;
pub use compare::{Grouped, compare_floats};
pub use datum::{Datum, unpadded};
pub use hstore::Hstore;
pub use inet::Inet;
pub use interval::Interval;
pub use json::Json;
pub use numeric::Numeric;
pub use problem::{Moment, Problem, Result};
pub use type_id::{Oid, TypeId};
