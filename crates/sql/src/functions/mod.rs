//! The built-in functions, operators and aggregates, and how a call finds the one it means.
//!
//! Each is one row of a static table, by file: name, argument types, result type, and the Rust function
//! that does it. [`resolve`] picks among those of one name by PostgreSQL's rules (manual, chapter 10).

mod args;
mod arithmetic;
mod bits;
mod comparison;
mod context;
mod conversion;
mod like;
mod polymorphic;
pub mod resolve;
mod strings;
mod table;
mod windows;
pub use context::{Advisory, Clock, Context, SequenceOp};

use crate::error::Result;
use crate::types::{Datum, TypeId};

/// One call: its arguments, their types after coercion, and what it may ask of the session.
pub struct Call<'a> {
    /// The session, for what is not in the arguments.
    pub cx: &'a mut dyn Context,
    /// The arguments.
    pub args: &'a [Datum],
    /// Their types, polymorphic ones resolved.
    pub types: &'a [TypeId],
    /// The type of the result, resolved.
    pub result: TypeId,
}

/// A function or operator that gives one value.
pub struct Function {
    /// Its name; an operator's is its symbol.
    pub name: &'static str,
    /// The types of its arguments; the last repeats if it is variadic.
    pub args: &'static [TypeId],
    /// Whether the last argument may come any number of times.
    pub variadic: bool,
    /// What it gives; may be polymorphic.
    pub result: TypeId,
    /// Whether NULL in gives NULL out without a call.
    pub strict: bool,
    /// Whether two calls with the same arguments may differ.
    pub volatility: Volatility,
    /// What it does.
    pub eval: fn(&mut Call<'_>) -> Result<Datum>,
}

/// As PostgreSQL's `provolatile`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Volatility {
    Immutable,
    Stable,
    Volatile,
}

/// A function that gives rows.
pub struct SetFunction {
    /// Its name.
    pub name: &'static str,
    /// The types of its arguments.
    pub args: &'static [TypeId],
    /// Whether the last argument may come any number of times.
    pub variadic: bool,
    /// The names and types of its columns; a single column without a name takes the function's.
    pub columns: &'static [(&'static str, TypeId)],
    /// Whether NULL in gives no rows.
    pub strict: bool,
    /// Its rows.
    pub eval: fn(&mut Call<'_>) -> Result<Vec<Vec<Datum>>>,
}

/// An aggregate.
pub struct Aggregate {
    /// Its name.
    pub name: &'static str,
    /// The types of its arguments; empty for `count(*)`.
    pub args: &'static [TypeId],
    /// What it gives; may be polymorphic.
    pub result: TypeId,
    /// Begins a group. The types are those of the arguments after coercion.
    pub start: fn(types: &[TypeId]) -> Box<dyn Accumulator>,
}

/// One group of an aggregate. DISTINCT, FILTER and ORDER BY are the caller's.
pub trait Accumulator {
    /// Takes one row's arguments.
    fn add(&mut self, cx: &mut dyn Context, args: &[Datum]) -> Result<()>;
    /// The result.
    fn finish(&mut self, cx: &mut dyn Context) -> Result<Datum>;
}

/// A window function that is no aggregate; the executor knows what each does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum WindowFunction {
    RowNumber,
    Rank,
    DenseRank,
    PercentRank,
    CumeDist,
    Ntile,
    Lag,
    Lead,
    FirstValue,
    LastValue,
    NthValue,
}

/// Every row of the tables, operators too.
fn entries() -> impl Iterator<Item = resolve::Entry> {
    use resolve::Entry;
    let functions = SCALARS.iter().copied().flatten().map(Entry::Scalar);
    let windows = windows::WINDOWS.iter().map(Entry::Window);
    functions.chain(windows)
}

static SCALARS: &[&[Function]] = &[
    comparison::SAME,
    comparison::INSTANTS,
    comparison::OTHERS,
    arithmetic::INTEGERS,
    arithmetic::FLOATS,
    arithmetic::OTHERS,
    bits::FUNCTIONS,
    like::FUNCTIONS,
    strings::FUNCTIONS,
];
