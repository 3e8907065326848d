//! From a history to a verdict: reads that are wrong by themselves, sources that are to be found, then the order.

use hobgoblin_core::{CommitOrder, History, StopReason, Target, Verdict};

use crate::decide::{decide, txns};
use crate::limits::Limits;
use crate::polynomial::Decision;
use crate::problem::Problem;
use crate::{sources, witness};

/// Decides whether a history satisfies a level, or each transaction its own.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::Level;
/// use hobgoblin::check::{Limits, Verdict, check};
/// use hobgoblin::format::read;
///
/// let text = "init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=0 w(x)=2 }";
/// let history = read(text.as_bytes(), "lost.txn", None)?;
/// assert!(matches!(check(&history, Level::CC, &Limits::none()), Verdict::Consistent(_)));
/// assert!(matches!(check(&history, Level::SI, &Limits::none()), Verdict::Violation(_)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
