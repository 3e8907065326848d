//! Decides a problem, by the means that its levels need.

use hobgoblin_core::{Level, StopReason, Target, TxnId};

use crate::limits::Limits;
use crate::polynomial::{self, Decision};
use crate::problem::{Node, Problem};
use crate::strong;

/// Decides a problem, by the means its levels need.
pub(crate) fn decide(problem: &Problem<'_>, limits: &Limits) -> Result<Decision, StopReason> {
    let all = |test: &dyn Fn(Level) -> bool| match problem.target {
        Target::Level(level) => test(level),
        Target::Mixed(_) => (1..problem.len() as Node).all(|n| test(problem.level(n))),
    };
    if Problem::asks_nothing(problem.history, problem.target) {
        Ok(Decision::Order((0..problem.len() as Node).collect()))
    } else if all(&Level::is_polynomial) {
        polynomial::decide(problem, limits)
    } else {
        strong::decide(problem, limits)
    }
}

/// An order of nodes as transactions, without init.
pub(crate) fn txns(problem: &Problem<'_>, order: &[Node]) -> Vec<TxnId> {
    let txns = order.iter().map(|&n| problem.txns[n as usize]);
    txns.filter(|&t| t != TxnId::INIT).collect()
}
