//! From a history to a verdict: reads that are wrong by themselves, sources that are to be found, then the order.

use hobgoblin_core::{CommitOrder, History, StopReason, Target, Verdict};

use crate::decide::{decide, txns};
use crate::limits::Limits;
use crate::polynomial::Decision;
use crate::problem::Problem;
use crate::{sources, witness};

/// Decides whether a history satisfies a level, or each transaction its own.
pub fn check(history: &History, target: impl Into<Target>, limits: &Limits) -> Verdict {
    match try_check(history, target.into(), limits) {
        Ok(verdict) => verdict,
        Err(reason) => Verdict::Unknown(reason),
    }
}

fn try_check(history: &History, target: Target, limits: &Limits) -> Result<Verdict, StopReason> {
    if let Some(witness) = witness::of_fault(history, target) {
        return Ok(Verdict::Violation(Box::new(witness)));
    }
    if !history.ambiguous_reads().is_empty() {
        return sources::check(history, target, limits);
    }
    let problem = Problem::whole(history, target, &[]);
    Ok(match decide(&problem, limits)? {
        Decision::Order(order) => {
            Verdict::Consistent(CommitOrder { txns: txns(&problem, &order), sources: Vec::new() })
        }
        Decision::Core(core) => {
            Verdict::Violation(Box::new(witness::of_core(&problem, core, limits)))
        }
    })
}
