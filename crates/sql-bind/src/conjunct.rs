//! Conditions as lists of conjuncts.

use super::bound::{Expr, Kind};

/// Appends the conditions that a condition is an AND of. Each can then be checked on its own, as
/// early as possible.
pub(super) fn split(expr: Expr, into: &mut Vec<Expr>) {
    match expr.kind {
        Kind::And(all) => all.into_iter().for_each(|expr| split(expr, into)),
        _ => into.push(expr),
    }
}
