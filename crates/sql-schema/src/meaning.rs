//! What expressions of a language's own stand for, in terms of what all languages have.
//!
//! A binder meets a node that only one language writes, or that means something else there, and asks for its meaning: a call,
//! a constant, a value as one of another type. Names and columns stay the binder's.

use hobgoblin_sql_value::{Datum, TypeId};
use sqlparser::ast::Expr;

use crate::error::Result;
use crate::function::Function;

/// An operand of what an expression means.
#[derive(Debug)]
pub enum Operand<'e> {
    /// An expression.
    Expr(&'e Expr),
    /// A constant.
    Constant(Datum, TypeId),
}

/// The type of a value, made of those of others.
pub type Typing = Box<dyn Fn(&[TypeId]) -> Result<TypeId>>;

/// What an expression stands for.
pub enum Meaning<'e> {
    /// Another expression.
    Other(Box<Expr>),
    /// A constant.
    Constant(Datum, TypeId),
    /// A call by name.
    Call(&'e str, Vec<Operand<'e>>),
    /// A call by name whose arguments are evaluated only where they are needed: the first that is not NULL, or with `true`
    /// the second if the first is true, else the third.
    Choice(&'e str, Vec<Operand<'e>>, bool),
    /// A call of this very function, and the type of what it gives.
    Function(&'static Function, Vec<Operand<'e>>, Typing),
    /// An operator between two operands.
    Operator(&'static str, Operand<'e>, Operand<'e>),
    /// An operator before its operand.
    Prefix(&'static str, Operand<'e>),
    /// The value of an expression converted to another type.
    Cast(Operand<'e>, Typing),
    /// The value of an expression as it is, with another type.
    Retyped(Operand<'e>, Typing),
    /// What a column holds that is given nothing.
    Default(&'e Expr),
    /// What an INSERT would put into a column, for what is done to a row in its way.
    Proposed(&'e Expr),
}
