//! The values of terms, where those of variables are known.

use std::collections::HashMap;

use crate::smt::Value;
use crate::term::{Node, Sort, Term, Terms};

/// So deep terms are followed; of deeper ones nothing is known.
const DEEPEST: usize = 4000;

/// The values of terms where those of some variables are given, others are defined by terms, and the rest is zero or false.
///
/// Definitions may be circular as long as no value needs itself: of a choice only the branch that is taken is looked at, and
/// junctions look at their variables first.
pub(crate) struct Evaluation<'t> {
    terms: &'t Terms,
    given: &'t HashMap<Term, Value>,
    defined: &'t HashMap<Term, Term>,
    known: Vec<State>,
    depth: usize,
}

#[derive(Clone, Copy)]
enum State {
    New,
    /// Its value is being looked for.
    Open,
    Known(Option<Value>),
}

impl<'t> Evaluation<'t> {
    pub(crate) fn new(
        terms: &'t Terms,
        given: &'t HashMap<Term, Value>,
        defined: &'t HashMap<Term, Term>,
    ) -> Evaluation<'t> {
        Evaluation { terms, given, defined, known: vec![State::New; terms.count()], depth: 0 }
    }

    /// The value of a term; none if numbers become too large, or it needs itself.
    pub(crate) fn value(&mut self, term: Term) -> Option<Value> {
        let at = term.at();
        match self.known[at] {
            State::Known(value) => return value,
            State::Open => return None,
            State::New if self.depth == DEEPEST => return None,
            State::New => {}
        }
        self.known[at] = State::Open;
        self.depth += 1;
        let value = self.find(term);
        self.depth -= 1;
        self.known[at] = State::Known(value);
        value
    }

    /// Whether a term is true.
    pub(crate) fn holds(&mut self, term: Term) -> bool {
        self.value(term) == Some(Value::Bool(true))
    }

    fn find(&mut self, term: Term) -> Option<Value> {
        let terms = self.terms;
        match terms.node(term) {
            Node::Apply(_, arguments) if arguments.is_empty() => {
                if let Some(&value) = self.given.get(&term) {
                    return Some(value);
                }
                match self.defined.get(&term) {
                    Some(&definition) => self.value(definition),
                    None => Some(match terms.sort(term) {
                        Sort::Bool => Value::Bool(false),
                        Sort::Int => Value::Int(0),
                        Sort::Real => Value::Ratio(0, 1),
                    }),
                }
            }
            Node::And(parts) => self.junction(parts, true),
            Node::Or(parts) => self.junction(parts, false),
            Node::If(condition, then, otherwise) => match self.value(*condition)? {
                Value::Bool(true) => self.value(*then),
                _ => self.value(*otherwise),
            },
            node => {
                let mut inner = Vec::with_capacity(2);
                for argument in node.arguments() {
                    inner.push(self.value(argument)?);
                }
                compute(node, &inner)
            }
        }
    }

    /// The parts of a conjunction are all true, or those of a disjunction all false, or its value is the other.
    fn junction(&mut self, parts: &[Term], neutral: bool) -> Option<Value> {
        let mut unsure = false;
        for variables in [true, false] {
            for &part in parts {
                if self.is_given(part) != variables {
                    continue;
                }
                match self.value(part) {
                    Some(Value::Bool(value)) if value == neutral => {}
                    Some(_) => return Some(Value::Bool(!neutral)),
                    None => unsure = true,
                }
            }
        }
        if unsure { None } else { Some(Value::Bool(neutral)) }
    }

    /// Whether it is a variable that is given, or the negation of one.
    fn is_given(&self, term: Term) -> bool {
        match self.terms.node(term) {
            Node::Apply(..) => self.given.contains_key(&term),
            Node::Not(inner) => self.given.contains_key(inner),
            _ => false,
        }
    }
}

/// What a node makes of its arguments.
fn compute(node: &Node, inner: &[Value]) -> Option<Value> {
    let truth = |value: &Value| *value == Value::Bool(true);
    let ratio = |value: Value| match value {
        Value::Int(value) => (i128::from(value), 1),
        Value::Ratio(numerator, denominator) => (i128::from(numerator), i128::from(denominator)),
        Value::Bool(value) => (i128::from(value), 1),
    };
    let reduced = |numerator: i128, denominator: i128| {
        let (mut left, mut right) = (numerator.unsigned_abs(), denominator.unsigned_abs());
        while right != 0 {
            (left, right) = (right, left % right);
        }
        let common = i128::try_from(left.max(1)).ok()? * denominator.signum();
        let numerator = i64::try_from(numerator / common).ok()?;
        Some(Value::Ratio(numerator, i64::try_from(denominator / common).ok()?))
    };
    let compare = || {
        let ((a, b), (c, d)) = (ratio(inner[0]), ratio(inner[1]));
        (a * d).cmp(&(c * b))
    };
    Some(match node {
        Node::Bool(value) => Value::Bool(*value),
        Node::Int(value) => Value::Int(*value),
        Node::Real(numerator, denominator) => Value::Ratio(*numerator, *denominator),
        Node::Apply(..) => return None,
        Node::Not(_) => Value::Bool(!truth(&inner[0])),
        Node::And(_) => Value::Bool(inner.iter().all(truth)),
        Node::Or(_) => Value::Bool(inner.iter().any(truth)),
        Node::Equal(..) => Value::Bool(compare().is_eq()),
        Node::Less(..) => Value::Bool(compare().is_lt()),
        Node::AtMost(..) => Value::Bool(compare().is_le()),
        Node::If(..) => inner[if truth(&inner[0]) { 1 } else { 2 }],
        Node::Add(_) => {
            let mut sum = inner[0];
            for &part in &inner[1..] {
                sum = match (sum, part) {
                    (Value::Int(a), Value::Int(b)) => Value::Int(a.checked_add(b)?),
                    (a, b) => {
                        let ((a, b), (c, d)) = (ratio(a), ratio(b));
                        reduced(a * d + c * b, b * d)?
                    }
                };
            }
            sum
        }
        Node::Multiply(..) => match (inner[0], inner[1]) {
            (Value::Int(a), Value::Int(b)) => Value::Int(a.checked_mul(b)?),
            (a, b) => {
                let ((a, b), (c, d)) = (ratio(a), ratio(b));
                reduced(a * c, b * d)?
            }
        },
        Node::Quotient(..) => match (inner[0], inner[1]) {
            (Value::Int(a), Value::Int(b)) => Value::Int(a.checked_div_euclid(b)?),
            _ => return None,
        },
        Node::Divide(..) => {
            let ((a, b), (c, d)) = (ratio(inner[0]), ratio(inner[1]));
            if c == 0 {
                return None;
            }
            reduced(a * d, b * c)?
        }
        Node::ToReal(_) => {
            let (numerator, denominator) = ratio(inner[0]);
            reduced(numerator, denominator)?
        }
        Node::IsWhole(_) => {
            let (numerator, denominator) = ratio(inner[0]);
            Value::Bool(numerator % denominator == 0)
        }
    })
}
