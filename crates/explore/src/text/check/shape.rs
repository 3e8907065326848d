//! What is known of a value before the program runs: enough to find `1 + true` at once.

use crate::text::code::{Code, Function};
use crate::text::error::{Mistake, Parsed, Span};
use crate::text::syntax::Op;
use crate::text::value::Val;

/// The kind of a value, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Unknown,
    Null,
    Bool,
    Int,
    Text,
    List,
    Set,
    Record,
}

impl Shape {
    /// The shape of what an expression gives.
    pub(super) fn of(code: &Code) -> Shape {
        match code {
            Code::Constant(value) => match value {
                Val::Null => Shape::Null,
                Val::Bool(_) => Shape::Bool,
                Val::Int(_) => Shape::Int,
                Val::Text(_) => Shape::Text,
                Val::List(_) => Shape::List,
                Val::Set(_) => Shape::Set,
                Val::Record(_) => Shape::Record,
            },
            Code::List(..) | Code::Select(..) => Shape::List,
            Code::Set(..) => Shape::Set,
            Code::Not(..) | Code::Aborted { .. } => Shape::Bool,
            Code::Minus(..) => Shape::Int,
            Code::Call(Function::Contains, ..) => Shape::Bool,
            Code::Call(Function::Len | Function::Sum, ..) => Shape::Int,
            Code::Call(Function::Text, ..) => Shape::Text,
            Code::Binary(op, parts, _) => match op {
                Op::Multiply | Op::Divide | Op::Remainder => Shape::Int,
                Op::Add | Op::Subtract => match (Shape::of(&parts.0), Shape::of(&parts.1)) {
                    (Shape::Text, _) | (_, Shape::Text) => Shape::Text,
                    (Shape::Unknown, known) | (known, _) => known,
                },
                _ => Shape::Bool,
            },
            _ => Shape::Unknown,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Shape::Unknown => "a value",
            Shape::Null => "null",
            Shape::Bool => "a boolean",
            Shape::Int => "an integer",
            Shape::Text => "a string",
            Shape::List => "a list",
            Shape::Set => "a set",
            Shape::Record => "a row",
        }
    }

    fn may_be(self, kinds: &[Shape]) -> bool {
        self == Shape::Unknown || kinds.contains(&self)
    }
}

/// A condition is one.
pub(super) fn expect_bool(code: &Code, at: Span) -> Parsed<()> {
    let shape = Shape::of(code);
    if shape.may_be(&[Shape::Bool]) {
        return Ok(());
    }
    let message = format!("this is {}, not true or false", shape.name());
    Err(Mistake::at(at, message, "compare it with something: `a > 0`, `a != null`"))
}

/// A list or set is one.
pub(super) fn expect_items(code: &Code, at: Span) -> Parsed<()> {
    let shape = Shape::of(code);
    if shape.may_be(&[Shape::List, Shape::Set]) {
        return Ok(());
    }
    let message = format!("this is {}, not a list or set", shape.name());
    Err(Mistake::at(at, message, "lists are `[1, 2]`, sets `{1, 2}`"))
}

/// An integer is one.
pub(super) fn expect_int(code: &Code, at: Span) -> Parsed<()> {
    let shape = Shape::of(code);
    if shape.may_be(&[Shape::Int]) {
        return Ok(());
    }
    let message = format!("this is {}, not an integer", shape.name());
    Err(Mistake::at(at, message, "such as `n - 1`"))
}

/// The operator goes with what is on its sides.
pub(super) fn expect_operands(op: Op, left: &Code, right: &Code, at: Span) -> Parsed<()> {
    let (a, b) = (Shape::of(left), Shape::of(right));
    let both = |kinds: &[Shape]| {
        a.may_be(kinds) && b.may_be(kinds) && (a == b || a == Shape::Unknown || b == Shape::Unknown)
    };
    let mixed = [Shape::Text, Shape::Int];
    let fits = match op {
        Op::And | Op::Or => both(&[Shape::Bool]),
        Op::Equal | Op::Unequal => true,
        Op::Less | Op::AtMost | Op::Greater | Op::AtLeast => both(&mixed),
        Op::In => b.may_be(&[Shape::List, Shape::Set]),
        Op::Add => {
            both(&[Shape::Int, Shape::Text, Shape::List, Shape::Set])
                || (mixed.contains(&a) && mixed.contains(&b))
        }
        Op::Subtract => both(&[Shape::Int, Shape::Set]),
        Op::Multiply | Op::Divide | Op::Remainder => both(&[Shape::Int]),
    };
    if fits {
        return Ok(());
    }
    let message = format!("`{}` does not go with {} and {}", op.text(), a.name(), b.name());
    let help = match op {
        Op::And | Op::Or => "it takes conditions, such as `a > 0 and b > 0`",
        Op::In => "it looks for an element in a list or set",
        Op::Add => "it adds integers, joins strings and lists, and unites sets",
        Op::Subtract => "it takes integers, or sets",
        _ => "it takes integers",
    };
    Err(Mistake::at(at, message, help))
}
