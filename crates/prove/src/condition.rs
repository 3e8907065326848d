//! Conditions that read no database: what is required of parameters, checks, invariants.

use crate::program::{Expr, ExprKind};
use crate::term::Terms;
use crate::value::{Nullable, Texts, Values, sort_of};

/// The value of an expression over variables and the columns of rows. What needs the database, which the reader does not
/// let into such conditions, is NULL.
pub(crate) fn evaluate(
    terms: &mut Terms,
    texts: &Texts,
    expr: &Expr,
    variables: &[Nullable],
    rows: &[&[Nullable]],
) -> Nullable {
    let mut inner = |expr: &Expr| evaluate(terms, texts, expr, variables, rows);
    match &expr.kind {
        ExprKind::Int(value) => {
            let value = terms.int(*value);
            terms.known(value)
        }
        ExprKind::Decimal(numerator, denominator) => {
            let value = terms.ratio(*numerator, *denominator);
            terms.known(value)
        }
        ExprKind::Text(text) => {
            let value = terms.int(texts.number(text));
            terms.known(value)
        }
        ExprKind::Bool(value) => {
            let value = terms.bool(*value);
            terms.known(value)
        }
        ExprKind::Column(row, column) => rows[row.0 as usize][column.0 as usize],
        ExprKind::Variable(variable) => variables[variable.0 as usize],
        ExprKind::Not(of) => {
            let of = inner(of);
            terms.negation(of)
        }
        ExprKind::Negate(of) => {
            let of = inner(of);
            Nullable { null: of.null, value: terms.negate(of.value) }
        }
        ExprKind::Binary(operator, left, right) => {
            let (left, right) = (inner(left), inner(right));
            terms.operate(*operator, left, right)
        }
        ExprKind::IsNull(of) => {
            let of = inner(of);
            terms.known(of.null)
        }
        ExprKind::Case(arms, otherwise) => {
            let arms: Vec<(Nullable, Nullable)> =
                arms.iter().map(|(when, then)| (inner(when), inner(then))).collect();
            let otherwise = otherwise.as_deref().map(inner);
            let mut value = otherwise.unwrap_or_else(|| terms.null(sort_of(expr.ty)));
            for (when, then) in arms.into_iter().rev() {
                let when = terms.holds(when);
                value = terms.choose(when, then, value);
            }
            value
        }
        ExprKind::Coalesce(all) => {
            let all: Vec<Nullable> = all.iter().map(inner).collect();
            let mut value = terms.null(sort_of(expr.ty));
            for one in all.into_iter().rev() {
                value = terms.choose(one.null, value, one);
            }
            value
        }
        ExprKind::Null
        | ExprKind::Member(..)
        | ExprKind::Exists(_)
        | ExprKind::InQuery(..)
        | ExprKind::Scalar(_)
        | ExprKind::Aggregate(..)
        | ExprKind::Choose => terms.null(sort_of(expr.ty)),
    }
}
