//! A program as it is written, before names mean anything.

use hobgoblin_core::{Level, Text};

use super::error::Span;
use super::value::Val;
use crate::assertion::Quantifier;

/// A name and where it is.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) text: Text,
    pub(super) at: Span,
}

/// What a file says at its outermost level.
#[derive(Debug)]
pub(super) enum Item {
    Use { file: Text, at: Span },
    Init { key: KeyRef, value: Expr },
    Keys { name: Name, arity: usize },
    Table { name: Name, columns: Vec<Name> },
    Insert { table: Name, values: Vec<Expr> },
    Proc(Proc),
    Session(Session),
    Assert(Assert),
}

/// A procedure: the body of a transaction.
#[derive(Debug)]
pub(super) struct Proc {
    pub(super) name: Name,
    pub(super) params: Vec<Name>,
    pub(super) level: Option<Level>,
    pub(super) body: Vec<Statement>,
}

/// A session as written.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) name: Name,
    pub(super) parts: Vec<Part>,
}

/// What a session consists of.
#[derive(Debug)]
pub(super) enum Part {
    Var { name: Name, value: Expr },
    Txn(Proc),
    Call { name: Option<Name>, proc: Name, args: Vec<Expr>, level: Option<Level>, at: Span },
}

/// An assertion as written.
#[derive(Debug)]
pub(super) struct Assert {
    pub(super) name: Name,
    pub(super) quantifier: Quantifier,
    pub(super) holds: Expr,
}

/// A statement and where it is.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) kind: Does,
    pub(super) at: Span,
}

/// What a statement does.
#[derive(Debug)]
pub(super) enum Does {
    Assign { name: Name, value: Expr, declares: bool },
    Write { key: KeyRef, value: Expr },
    Insert { table: Name, values: Vec<Expr> },
    Delete { table: Name, filter: Option<Expr> },
    Update { table: Name, changes: Vec<(Name, Expr)>, filter: Option<Expr> },
    If { arms: Vec<(Expr, Vec<Statement>)>, otherwise: Vec<Statement> },
    For { name: Name, over: Expr, body: Vec<Statement> },
    Repeat { times: Expr, body: Vec<Statement> },
    While { condition: Expr, body: Vec<Statement> },
    Abort,
    Return(Option<Expr>),
}

/// A key as it is written: a name, or a name and indexes.
#[derive(Debug)]
pub(super) struct KeyRef {
    pub(super) name: Name,
    pub(super) indexes: Vec<Expr>,
    pub(super) at: Span,
}

/// An expression, where it is, and how high its tree is.
#[derive(Debug)]
pub(super) struct Expr {
    pub(super) kind: Kind,
    pub(super) at: Span,
    pub(super) height: usize,
}

/// What an expression is.
#[derive(Debug)]
pub(super) enum Kind {
    Literal(Val),
    List(Vec<Expr>),
    Set(Vec<Expr>),
    Name(Text),
    Field(Box<Expr>, Name),
    Index(Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    Minus(Box<Expr>),
    Binary(Op, Box<Expr>, Box<Expr>),
    Call(Name, Vec<Expr>),
    Read(KeyRef),
    Last(KeyRef),
    Select(Box<Select>),
}

/// A selection of rows.
#[derive(Debug)]
pub(super) struct Select {
    /// The columns; none for all.
    pub(super) columns: Option<Vec<Name>>,
    pub(super) table: Name,
    pub(super) filter: Option<Expr>,
}

/// An operator between two expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    In,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Op {
    /// As it is written.
    pub(super) fn text(self) -> &'static str {
        match self {
            Op::Or => "or",
            Op::And => "and",
            Op::Equal => "==",
            Op::Unequal => "!=",
            Op::Less => "<",
            Op::AtMost => "<=",
            Op::Greater => ">",
            Op::AtLeast => ">=",
            Op::In => "in",
            Op::Add => "+",
            Op::Subtract => "-",
            Op::Multiply => "*",
            Op::Divide => "/",
            Op::Remainder => "%",
        }
    }

    /// How tightly it binds.
    pub(super) fn power(self) -> u8 {
        match self {
            Op::Or => 1,
            Op::And => 2,
            Op::Equal | Op::Unequal | Op::In => 4,
            Op::Less | Op::AtMost | Op::Greater | Op::AtLeast => 4,
            Op::Add | Op::Subtract => 5,
            Op::Multiply | Op::Divide | Op::Remainder => 6,
        }
    }

    /// All of them.
    pub(super) const ALL: [Op; 14] = [
        Op::Or,
        Op::And,
        Op::Equal,
        Op::Unequal,
        Op::Less,
        Op::AtMost,
        Op::Greater,
        Op::AtLeast,
        Op::In,
        Op::Add,
        Op::Subtract,
        Op::Multiply,
        Op::Divide,
        Op::Remainder,
    ];
}
