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

    /// The last argument may repeat.
    #[must_use]
    pub const fn variadic(mut self) -> Function {
        self.variadic = true;
        self
    }

    /// It is called with NULLs too.
    #[must_use]
    pub const fn with_nulls(mut self) -> Function {
        self.strict = false;
        self
    }

    /// It depends on the session.
    #[must_use]
    pub const fn stable(mut self) -> Function {
        self.volatility = Volatility::Stable;
        self
    }

    /// Every call may differ.
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

/// Whether calls of a function with the same arguments give the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Volatility {
    /// Always.
    Immutable,
    /// Within a statement.
    Stable,
    /// Not even there.
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
    /// The names and types of its columns; a single column without a name takes the function's. None where
    /// the statement lists them.
    pub columns: &'static [(&'static str, TypeId)],
    /// Whether NULL in gives no rows.
    pub strict: bool,
    /// Its rows.
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

    /// It is called with NULLs too.
    #[must_use]
    pub const fn with_nulls(mut self) -> SetFunction {
        self.strict = false;
        self
    }
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

/// What a call of a name means.
#[derive(Debug)]
pub enum Resolution {
    /// A function of one value.
    Scalar(Candidate<Function>),
    /// A function of rows, and its columns.
    Set(Candidate<SetFunction>, Vec<(&'static str, TypeId)>),
    /// An aggregate.
    Aggregate(Candidate<Aggregate>),
    /// A window function, the types its arguments convert to, and its result.
    Window(WindowFunction, Vec<TypeId>, TypeId),
}

/// A function with the types of one call.
pub struct Candidate<F: 'static> {
    /// The function.
    pub function: &'static F,
    /// What each argument of the call converts to; no polymorphic types are left.
    pub args: Vec<TypeId>,
    /// What it gives; of a set function with several columns a row.
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
