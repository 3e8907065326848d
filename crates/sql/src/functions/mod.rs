//! The built-in functions, operators and aggregates, and how a call finds the one it means.
//!
//! Each is one row of a static table, by file: name, argument types, result type, and the Rust function
//! that does it. [`resolve`] picks among those of one name by PostgreSQL's rules (manual, chapter 10).

pub mod aggregates;
mod args;
mod arithmetic;
mod arrays;
mod bits;
mod catalog;
mod comparison;
mod conversion;
mod datetime;
mod encoding;
pub(crate) mod extensions;
mod format;
mod inet;
mod json;
mod like;
mod math;
mod missing;
mod pattern;
mod polymorphic;
mod ranges;
mod regexp;
pub mod resolve;
mod series;
mod session;
mod sizes;
mod strings;
mod table;
mod templates;
#[cfg(test)]
mod tests;
mod windows;

pub use hobgoblin_sql_schema::context::{Advisory, AdvisoryKey, Clock, Context, SequenceOp};
pub use hobgoblin_sql_schema::function::{
    Accumulator, Aggregate, Call, Function, SetFunction, Volatility, WindowFunction,
};
pub(crate) use session::CURRENT_OF;
pub(crate) use session::{SEQUENCE_CALLED, SEQUENCE_LAST};

use crate::types::TypeId;

/// Every row of the tables, operators too.
fn entries() -> impl Iterator<Item = resolve::Entry> {
    use resolve::Entry;
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
    catalog::FUNCTIONS,
    ranges::CONSTRUCTORS,
    ranges::FUNCTIONS,
];

static SETS: &[&[SetFunction]] = &[
    series::SETS,
    arrays::SETS,
    regexp::SETS,
    json::SETS,
    json::RECORDS,
    catalog::SETS,
    session::SETS,
];

static AGGREGATES: &[&[&[Aggregate]]] =
    &[aggregates::SIMPLE, aggregates::STATISTICS, &[aggregates::COLLECT, aggregates::ORDERED]];

/// A function as `pg_proc` shows it.
#[derive(Clone, Copy, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: &'static str,
    /// The types of its arguments.
    pub args: &'static [TypeId],
    /// Whether the last argument may repeat.
    pub variadic: bool,
    /// What it gives.
    pub result: TypeId,
    /// Whether it gives rows.
    pub set: bool,
    /// `prokind`: `f` for a function, `a` for an aggregate, `w` for a window function.
    pub kind: char,
    /// Whether NULL in gives NULL out.
    pub strict: bool,
    /// Whether calls may differ.
    pub volatility: Volatility,
}

/// Every function, aggregate and window function; operators are in [`operators`].
pub fn all() -> impl Iterator<Item = Procedure> {
    procedures().filter(|procedure| is_word(procedure.name))
}

/// Every operator; one of one argument is a prefix.
pub fn operators() -> impl Iterator<Item = Procedure> {
    procedures().filter(|procedure| !is_word(procedure.name))
}

fn is_word(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

fn procedures() -> impl Iterator<Item = Procedure> {
    use resolve::Entry;
    entries().map(|entry| {
        let (kind, strict, volatility) = match entry {
            Entry::Scalar(function) => ('f', function.strict, function.volatility),
            Entry::Set(function) => ('f', function.strict, Volatility::Immutable),
            Entry::Aggregate(_) => ('a', false, Volatility::Immutable),
            Entry::Window(_) => ('w', false, Volatility::Immutable),
        };
        Procedure {
            name: entry.name(),
            args: entry.args(),
            variadic: entry.variadic(),
            result: entry.result(),
            set: matches!(entry, Entry::Set(_)),
            kind,
            strict,
            volatility,
        }
    })
}
