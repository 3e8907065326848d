//! Conditions as lists of conjuncts.

use super::bound::{Expr, Kind};

/// Splits a condition at its ANDs.
pub(super) fn split(expr: Expr, into: &mut Vec<Expr>) {
    match expr.kind {
        Kind::And(all) => all.into_iter().for_each(|expr| split(expr, into)),
        _ => into.push(expr),
    }
}
