//! What expressions of a language's own stand for, in terms of what all languages have.
//!
//! A binder meets a node that only one language writes, or that means something else there, and asks for its meaning: a call,
//! a constant, a value as one of another type. Names and columns stay the binder's.

use hobgoblin_sql_value::{Datum, TypeId};
use sqlparser::ast::Expr;

use crate::error::Result;
use crate::function::Function;

/// One of the values that an expression is computed from.
#[derive(Debug)]
pub enum Operand<'e> {
    /// An expression of the statement, which is yet to be bound.
    Expr(&'e Expr),
    /// A constant that the meaning brings along, with its type.
    Constant(Datum, TypeId),
}

/// Gives the type of a value, from the types of those it is computed from.
pub type Typing = Box<dyn Fn(&[TypeId]) -> Result<TypeId>>;

/// What an expression of one language stands for, in terms of what the binder can bind in any.
pub enum Meaning<'e> {
    /// Another expression, which is bound in its place.
    Other(Box<Expr>),
    /// A constant, with its type.
    Constant(Datum, TypeId),
    /// A call of the function that has this name and takes these operands.
    Call(&'e str, Vec<Operand<'e>>),
    /// A call by name whose arguments are evaluated only where they are needed: the first that is not NULL, or with `true`
    /// the second if the first is true, else the third.
    Choice(&'e str, Vec<Operand<'e>>, bool),
    /// A call of just this function, whose result has the type that is computed from those of the
    /// operands.
    Function(&'static Function, Vec<Operand<'e>>, Typing),
    /// An operator between two operands, by its symbol.
    Operator(&'static str, Operand<'e>, Operand<'e>),
    /// An operator before its operand, by its symbol.
    Prefix(&'static str, Operand<'e>),
    /// An operand converted to the type that is computed from its own.
    Cast(Operand<'e>, Typing),
    /// An operand unchanged, taken to be of the type that is computed from its own.
    Retyped(Operand<'e>, Typing),
    /// The default of the column that this expression names.
    Default(&'e Expr),
    /// The value that an INSERT would have put into the column that this expression names. It
    /// stands in what is done to the row that is in its way.
    Proposed(&'e Expr),
}
