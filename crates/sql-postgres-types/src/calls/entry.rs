//! A row of the tables of functions.

use hobgoblin_sql_schema::function::{Aggregate, Function, SetFunction, WindowFunction};

use crate::{PgType, TypeId};

/// A window function, as a call finds it.
#[derive(Debug)]
pub struct Window {
    /// The name by which calls find it.
    pub name: &'static str,
    /// Which of the executor's window functions it is.
    pub window: WindowFunction,
    /// The types of its arguments.
    pub args: &'static [TypeId],
    /// The type of the result; it may be polymorphic.
    pub result: TypeId,
}

/// A row of one of the tables of functions.
#[derive(Clone, Copy)]
#[allow(missing_docs)]
pub enum Entry {
    Scalar(&'static Function),
    Set(&'static SetFunction),
    Aggregate(&'static Aggregate),
    Window(&'static Window),
}

impl Entry {
    /// The name of the function, or the symbol of the operator.
    pub fn name(self) -> &'static str {
        match self {
            Entry::Scalar(f) => f.name,
            Entry::Set(f) => f.name,
            Entry::Aggregate(f) => f.name,
            Entry::Window(f) => f.name,
        }
    }

    /// The types of its arguments.
    pub fn args(self) -> &'static [TypeId] {
        match self {
            Entry::Scalar(f) => f.args,
            Entry::Set(f) => f.args,
            Entry::Aggregate(f) => f.args,
            Entry::Window(f) => f.args,
        }
    }

    /// Whether the last argument may come any number of times.
    pub fn variadic(self) -> bool {
        match self {
            Entry::Scalar(f) => f.variadic,
            Entry::Set(f) => f.variadic,
            Entry::Aggregate(_) | Entry::Window(_) => false,
        }
    }

    /// The type of the result; it may be polymorphic.
    pub fn result(self) -> TypeId {
        match self {
            Entry::Scalar(f) => f.result,
            Entry::Set(f) => match f.columns {
                [(_, ty)] => *ty,
                _ => TypeId::RECORD,
            },
            Entry::Aggregate(f) => f.result,
            Entry::Window(f) => f.result,
        }
    }
}
