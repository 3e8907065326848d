//! PostgreSQL's functions, operators and aggregates.
//!
//! Each is one row of a static table, by file: name, argument types, result type, and the Rust function
//! that does it. Which of them a call means is found elsewhere ([`Functions`]); nothing but the database knows this
//! crate, so that a change here builds little else.

pub mod aggregates;
mod arithmetic;
mod arrays;
mod bits;
mod comparison;
mod datetime;
mod encoding;
mod extensions;
mod format;
mod inet;
mod json;
mod like;
mod math;
mod pattern;
mod ranges;
mod regexp;
mod series;
mod session;
mod sizes;
mod strings;
mod templates;
mod windows;

use std::sync::LazyLock;

use hobgoblin_sql_postgres_types as types;
use hobgoblin_sql_postgres_types::calls::{Entry, Functions, args, table};
use hobgoblin_sql_postgres_types::error;
use hobgoblin_sql_schema::context::{Advisory, AdvisoryKey, Clock, Context, SequenceOp};
use hobgoblin_sql_schema::function::{
    Accumulator, Aggregate, Call, Function, SetFunction, WindowFunction,
};
use hobgoblin_sql_schema::memory;

pub use extensions::entries as of_extensions;

/// Every row of the tables, operators too.
pub fn entries() -> impl Iterator<Item = Entry> {
    let scalars = SCALARS.iter().chain(templates::FUNCTIONS).copied().flatten();
    let scalars = scalars.chain(datetime::PARTS.iter().flatten());
    let sets = SETS.iter().copied().flatten();
    let aggregates = AGGREGATES.iter().copied().flatten().copied().flatten();
    scalars
        .map(Entry::Scalar)
        .chain(sets.map(Entry::Set))
        .chain(aggregates.map(Entry::Aggregate))
        .chain(windows::WINDOWS.iter().map(Entry::Window))
}

/// The rows by name, for functions that are defined by others.
static BY_NAME: LazyLock<Functions> =
    LazyLock::new(|| Functions::new(entries(), std::iter::empty()));

static SCALARS: &[&[Function]] = &[
    comparison::SAME,
    comparison::INSTANTS,
    comparison::OTHERS,
    arithmetic::INTEGERS,
    arithmetic::FLOATS,
    arithmetic::OTHERS,
    bits::FUNCTIONS,
    inet::FUNCTIONS,
    math::FUNCTIONS,
    like::FUNCTIONS,
    strings::FUNCTIONS,
    regexp::FUNCTIONS,
    format::FUNCTIONS,
    encoding::FUNCTIONS,
    arrays::FUNCTIONS,
    datetime::OPERATORS,
    datetime::FUNCTIONS,
    json::ACCESS,
    json::CHANGE,
    json::MAKE,
    session::LOCKS,
    sizes::SIZES,
    session::FUNCTIONS,
    ranges::CONSTRUCTORS,
    ranges::FUNCTIONS,
];

static SETS: &[&[SetFunction]] =
    &[series::SETS, arrays::SETS, regexp::SETS, json::SETS, json::RECORDS, session::SETS];

static AGGREGATES: &[&[&[Aggregate]]] =
    &[aggregates::SIMPLE, aggregates::STATISTICS, &[aggregates::COLLECT, aggregates::ORDERED]];
