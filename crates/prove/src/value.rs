//! Values that may be NULL, as pairs of terms, and what SQL's operators make of them.
//!
//! A truth value of SQL is one of three: `null` says that it is unknown, and then `value` means nothing. A condition holds
//! when it is neither unknown nor false, see [`Values::holds`].

use std::collections::BTreeSet;

use crate::program::{Conflict, Expr};
use crate::program::{ExprKind, Operator, Program, Query, Statement, StatementKind, Type};
use crate::term::{Sort, Term, Terms};

/// A value that may be NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Nullable {
    /// Whether it is NULL.
    pub(crate) null: Term,
    /// What it is if not.
    pub(crate) value: Term,
}

/// What values of a type are to the solver. A text is a number: nothing but equality is asked of it.
pub(crate) fn sort_of(ty: Type) -> Sort {
    match ty {
        Type::Int | Type::Text | Type::IntArray => Sort::Int,
        Type::Decimal => Sort::Real,
        Type::Bool => Sort::Bool,
    }
}

/// The texts of a program, each a number by its place: the solver's numbers mean these, and others that do not occur.
#[derive(Clone, Debug)]
pub(crate) struct Texts(Vec<String>);

impl Texts {
    /// All texts a program names.
    pub(crate) fn of(program: &Program) -> Texts {
        let mut found = BTreeSet::new();
        for table in &program.tables {
            table.checks.iter().for_each(|check| in_expr(check, &mut found));
            table.columns.iter().flat_map(|column| &column.default).for_each(|default| {
                in_expr(default, &mut found);
            });
        }
        for invariant in &program.invariants {
            in_expr(&invariant.condition, &mut found);
        }
        for transaction in &program.transactions {
            transaction.requires.iter().for_each(|requires| in_expr(requires, &mut found));
            for initial in transaction.variables.iter().flat_map(|variable| &variable.initial) {
                in_expr(initial, &mut found);
            }
            in_block(&transaction.body, &mut found);
        }
        Texts(found.into_iter().collect())
    }

    /// The number of a text of the program.
    pub(crate) fn number(&self, text: &str) -> i64 {
        let at = self.0.iter().position(|known| known == text);
        at.expect("all texts of the program are known") as i64
    }

    /// The text a number means.
    pub(crate) fn text(&self, number: i64) -> String {
        match usize::try_from(number).ok().and_then(|at| self.0.get(at)) {
            Some(text) => text.clone(),
            None => (0..)
                .map(|more| format!("text {}{}", number, "'".repeat(more)))
                .find(|text| !self.0.contains(text))
                .expect("some text does not occur"),
        }
    }
}

fn in_expr(expr: &Expr, found: &mut BTreeSet<String>) {
    match &expr.kind {
        ExprKind::Text(text) => {
            found.insert(text.clone());
        }
        ExprKind::Exists(query) | ExprKind::Scalar(query) | ExprKind::InQuery(_, query) => {
            in_query(query, found);
        }
        _ => {}
    }
    expr.inner().into_iter().for_each(|inner| in_expr(inner, found));
}

fn in_query(query: &Query, found: &mut BTreeSet<String>) {
    let order = query.order.iter().map(|(expr, _)| expr);
    query.filter.iter().chain(&query.output).chain(order).for_each(|expr| in_expr(expr, found));
}

fn in_block(block: &[Statement], found: &mut BTreeSet<String>) {
    for statement in block {
        match &statement.kind {
            StatementKind::Select { query, .. } => in_query(query, found),
            StatementKind::Insert { rows, conflict, returning, .. } => {
                rows.iter().flatten().for_each(|expr| in_expr(expr, found));
                if let Conflict::Update(set) = conflict {
                    set.iter().for_each(|(_, expr)| in_expr(expr, found));
                }
                returning.iter().for_each(|(expr, _)| in_expr(expr, found));
            }
            StatementKind::Update { set, filter, returning, .. } => {
                set.iter().for_each(|(_, expr)| in_expr(expr, found));
                filter.iter().for_each(|expr| in_expr(expr, found));
                returning.iter().for_each(|(expr, _)| in_expr(expr, found));
            }
            StatementKind::Delete { filter, returning, .. } => {
                filter.iter().for_each(|expr| in_expr(expr, found));
                returning.iter().for_each(|(expr, _)| in_expr(expr, found));
            }
            StatementKind::Assign { value, .. } => in_expr(value, found),
            StatementKind::If { arms, otherwise } => {
                for (condition, block) in arms {
                    in_expr(condition, found);
                    in_block(block, found);
                }
                in_block(otherwise, found);
            }
            StatementKind::ForQuery { query, body, .. } => {
                in_query(query, found);
                in_block(body, found);
            }
            StatementKind::ForEach { body, .. } => in_block(body, found),
            StatementKind::ForRange { low, high, body, .. } => {
                in_expr(low, found);
                in_expr(high, found);
                in_block(body, found);
            }
            StatementKind::Return(Some(value)) => in_expr(value, found),
            StatementKind::Return(None) | StatementKind::Abort | StatementKind::Skip => {}
        }
    }
}

/// SQL's operators over terms.
pub(crate) trait Values {
    /// A value that is there.
    fn known(&mut self, value: Term) -> Nullable;
    /// NULL.
    fn null(&mut self, sort: Sort) -> Nullable;
    /// Whether a condition is true, neither false nor unknown.
    fn holds(&mut self, condition: Nullable) -> Term;
    /// One or the other.
    fn choose(&mut self, condition: Term, then: Nullable, otherwise: Nullable) -> Nullable;
    /// Whether two are the same, NULL being the same as NULL.
    fn same(&mut self, left: Nullable, right: Nullable) -> Term;
    /// Two operands; of a quotient, the divisor is taken not to be zero.
    fn operate(&mut self, operator: Operator, left: Nullable, right: Nullable) -> Nullable;
    /// `NOT`.
    fn negation(&mut self, of: Nullable) -> Nullable;
}

impl Values for Terms {
    fn known(&mut self, value: Term) -> Nullable {
        Nullable { null: self.bool(false), value }
    }

    fn null(&mut self, sort: Sort) -> Nullable {
        let value = match sort {
            Sort::Bool => self.bool(false),
            Sort::Int => self.int(0),
            Sort::Real => self.ratio(0, 1),
        };
        Nullable { null: self.bool(true), value }
    }

    fn holds(&mut self, condition: Nullable) -> Term {
        let known = self.not(condition.null);
        self.and([known, condition.value])
    }

    fn choose(&mut self, condition: Term, then: Nullable, otherwise: Nullable) -> Nullable {
        // NULL has no value, so the other's will do.
        let value = if self.is(otherwise.null, true)
            && self.sort(then.value) == self.sort(otherwise.value)
        {
            then.value
        } else if self.is(then.null, true) && self.sort(then.value) == self.sort(otherwise.value) {
            otherwise.value
        } else {
            self.if_else(condition, then.value, otherwise.value)
        };
        Nullable { null: self.if_else(condition, then.null, otherwise.null), value }
    }

    fn same(&mut self, left: Nullable, right: Nullable) -> Term {
        let both = self.and([left.null, right.null]);
        let (one, other) = (self.not(left.null), self.not(right.null));
        let equal = self.equal(left.value, right.value);
        let neither = self.and([one, other, equal]);
        self.or([both, neither])
    }

    fn operate(&mut self, operator: Operator, left: Nullable, right: Nullable) -> Nullable {
        match operator {
            Operator::And | Operator::Or => {
                let (left_holds, right_holds) = (self.holds(left), self.holds(right));
                let (left_fails, right_fails) = (self.negation(left), self.negation(right));
                let (left_fails, right_fails) = (self.holds(left_fails), self.holds(right_fails));
                let (holds, fails) = if operator == Operator::And {
                    (self.and([left_holds, right_holds]), self.or([left_fails, right_fails]))
                } else {
                    (self.or([left_holds, right_holds]), self.and([left_fails, right_fails]))
                };
                let decided = self.or([holds, fails]);
                return Nullable { null: self.not(decided), value: holds };
            }
            _ => {}
        }
        let null = self.or([left.null, right.null]);
        let (left, right) = (left.value, right.value);
        let value = match operator {
            Operator::Add => self.add(left, right),
            Operator::Subtract => self.subtract(left, right),
            Operator::Multiply => self.multiply(left, right),
            Operator::Divide => self.divide(left, right),
            Operator::Modulo => self.modulo(left, right),
            Operator::Equal => self.equal(left, right),
            Operator::NotEqual => {
                let equal = self.equal(left, right);
                self.not(equal)
            }
            Operator::Less => self.less(left, right),
            Operator::AtMost => self.at_most(left, right),
            Operator::Greater => self.less(right, left),
            Operator::AtLeast => self.at_most(right, left),
            Operator::And | Operator::Or => unreachable!("truth values are above"),
        };
        Nullable { null, value }
    }

    fn negation(&mut self, of: Nullable) -> Nullable {
        Nullable { null: of.null, value: self.not(of.value) }
    }
}
