//! Functions, operators and aggregates: what a call needs to know of them.
//!
//! Which of them a call means is the dialect's to say ([`Dialect::function`](crate::dialect::Dialect::function)). Each is
//! one value with its name, the types it takes, and the Rust function that does it.

mod args;

use std::fmt;

use hobgoblin_sql_value::{Datum, TypeId};

pub use args::mismatch;

use crate::context::Context;
use crate::error::Result;

/// One call: its arguments, their types after coercion, and what it may ask of the session.
pub struct Call<'a> {
    /// The session that calls, for what does not depend on the arguments.
    pub cx: &'a mut dyn Context,
    /// The values of the arguments, after coercion; NULL is among them only if the function is not
    /// strict.
    pub args: &'a [Datum],
    /// The types of the arguments, none of them polymorphic.
    pub types: &'a [TypeId],
    /// The type of the result, not polymorphic either.
    pub result: TypeId,
}

/// A function or operator that gives one value.
pub struct Function {
    /// The name of the function, or the symbol of the operator.
    pub name: &'static str,
    /// The types of its arguments; the last repeats if it is variadic.
    pub args: &'static [TypeId],
    /// Whether the last argument may come any number of times.
    pub variadic: bool,
    /// The type of the result; it may be polymorphic.
    pub result: TypeId,
    /// Whether the result is NULL whenever an argument is. The function is then not called.
    pub strict: bool,
    /// How long the result for the same arguments stays the same.
    pub volatility: Volatility,
    /// The Rust function that computes the result.
    pub eval: fn(&mut Call<'_>) -> Result<Datum>,
}

impl Function {
    /// A strict, immutable function; the methods change that.
    pub const fn new(
        name: &'static str,
        args: &'static [TypeId],
        result: TypeId,
        eval: fn(&mut Call<'_>) -> Result<Datum>,
    ) -> Function {
        let volatility = Volatility::Immutable;
        Function { name, args, variadic: false, result, strict: true, volatility, eval }
    }

    /// Lets the last argument come any number of times.
    #[must_use]
    pub const fn variadic(mut self) -> Function {
        self.variadic = true;
        self
    }

    /// Has the function called even if an argument is NULL.
    #[must_use]
    pub const fn with_nulls(mut self) -> Function {
        self.strict = false;
        self
    }

    /// Says that the result depends on the session or on data, but stays the same within a
    /// statement.
    #[must_use]
    pub const fn stable(mut self) -> Function {
        self.volatility = Volatility::Stable;
        self
    }

    /// Says that two calls with the same arguments may differ even within a statement.
    #[must_use]
    pub const fn volatile(mut self) -> Function {
        self.volatility = Volatility::Volatile;
        self
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// How long the result of a function for the same arguments stays the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Volatility {
    /// For ever, so that a call with constants can be computed once, and an index can be over it.
    Immutable,
    /// Within one statement.
    Stable,
    /// Not even within one statement, so that each call is made.
    Volatile,
}

/// A function that gives any number of rows.
pub struct SetFunction {
    /// The name by which calls and FROM find it.
    pub name: &'static str,
    /// The types of its arguments.
    pub args: &'static [TypeId],
    /// Whether the last argument may come any number of times.
    pub variadic: bool,
    /// The names and types of its columns. A single column without a name has the function's; empty
    /// if the statement lists the columns.
    pub columns: &'static [(&'static str, TypeId)],
    /// Whether there are no rows if an argument is NULL. The function is then not called.
    pub strict: bool,
    /// The Rust function that computes the rows.
    pub eval: fn(&mut Call<'_>) -> Result<Vec<Vec<Datum>>>,
}

impl SetFunction {
    /// A strict function that gives rows of these columns.
    pub const fn new(
        name: &'static str,
        args: &'static [TypeId],
        columns: &'static [(&'static str, TypeId)],
        eval: fn(&mut Call<'_>) -> Result<Vec<Vec<Datum>>>,
    ) -> SetFunction {
        SetFunction { name, args, variadic: false, columns, strict: true, eval }
    }

    /// Has the function called even if an argument is NULL.
    #[must_use]
    pub const fn with_nulls(mut self) -> SetFunction {
        self.strict = false;
        self
    }
}

/// An aggregate: a function of the rows of a group.
pub struct Aggregate {
    /// The name by which calls find it.
    pub name: &'static str,
    /// The types of its arguments; empty for `count(*)`.
    pub args: &'static [TypeId],
    /// The type of the result; it may be polymorphic.
    pub result: TypeId,
    /// Begins a group, for arguments of these types.
    pub start: fn(types: &[TypeId]) -> Box<dyn Accumulator>,
}

/// The running state of an aggregate over one group. The caller has already dropped duplicates for
/// DISTINCT, filtered and sorted the rows.
pub trait Accumulator {
    /// Takes the arguments of the next row of the group.
    fn add(&mut self, cx: &mut dyn Context, args: &[Datum]) -> Result<()>;
    /// The aggregate of the rows that were added.
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

/// What a name that is called means, with arguments of given types.
#[derive(Debug)]
pub enum Resolution {
    /// A function that gives one value.
    Scalar(Candidate<Function>),
    /// A function that gives rows, and the names and types of their columns.
    Set(Candidate<SetFunction>, Vec<(&'static str, TypeId)>),
    /// An aggregate, which may also be called over a window.
    Aggregate(Candidate<Aggregate>),
    /// A window function that is no aggregate, with the types its arguments convert to and the type
    /// of its result.
    Window(WindowFunction, Vec<TypeId>, TypeId),
}

/// A function, and what its types are in one call.
pub struct Candidate<F: 'static> {
    /// The entry in the dialect's table of functions.
    pub function: &'static F,
    /// The type that each argument of the call converts to; none of them is polymorphic.
    pub args: Vec<TypeId>,
    /// The type of the result; a row type for a set function with several columns.
    pub result: TypeId,
}

impl<F> Clone for Candidate<F> {
    fn clone(&self) -> Self {
        Candidate { function: self.function, args: self.args.clone(), result: self.result }
    }
}

impl<F> fmt::Debug for Candidate<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Candidate").field("args", &self.args).field("result", &self.result).finish()
    }
}
