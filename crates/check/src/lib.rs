//! Decides isolation levels of histories, proves every answer, explains every violation.
//!
//! ```
//! use hobgoblin_check::{Limits, check};
//! use hobgoblin_core::{Anomaly, HistoryBuilder, Kind, Level, TxnInfo, Verdict};
//!
//! // Two sessions read the same counter and both write it back: a lost update.
//! let mut b = HistoryBuilder::new();
//! let x = b.key(&"x".into());
//! for (session, value) in [("s1", 1), ("s2", 2)] {
//!     let session = b.session(&session.into());
//!     b.begin(session);
//!     b.event_int(Kind::Read, x, 0);
//!     b.event_int(Kind::Write, x, value);
//!     b.end(TxnInfo::default())?;
//! }
//! b.initial(x, &0.into())?;
//! let history = b.finish()?;
//! assert!(matches!(check(&history, Level::PC.into(), &Limits::none()), Verdict::Consistent(_)));
//! match check(&history, Level::SI.into(), &Limits::none()) {
//!     Verdict::Violation(witness) => assert_eq!(witness.anomaly, Anomaly::LostUpdate),
//!     other => panic!("{other:?}"),
//! }
//! # Ok::<(), hobgoblin_core::HistoryError>(())
//! ```

mod acyclic;
mod anomaly;
mod atomic;
mod by_value;
mod candidate;
mod causal;
mod chains;
mod choose;
mod committed;
mod components;
pub mod explain;
mod flow;
mod forced;
mod graph;
mod guess;
mod hint;
mod in_order;
mod ladder;
mod lightest;
mod limits;
mod minimize;
mod narrow;
pub mod online;
mod parallel;
mod points;
mod polynomial;
mod problem;
mod prove;
mod realtime;
mod saturate;
mod solve;
mod sources;
pub mod state;
mod strong;
mod suspect;
pub mod verify;
mod versions;
mod witness;

use hobgoblin_core::{CommitOrder, History, Level, StopReason, Target, TxnId, Verdict};

pub use ladder::{LevelVerdict, check_levels, strongest};
pub use limits::Limits;
use polynomial::Decision;
use problem::{Node, Problem};
pub use suspect::{Suspect, Suspects};

/// Decides whether a history satisfies a level, or each transaction its own.
pub fn check(history: &History, target: Target, limits: &Limits) -> Verdict {
    match try_check(history, target, limits) {
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

/// Decides a problem, by the means its levels need.
fn decide(problem: &Problem<'_>, limits: &Limits) -> Result<Decision, StopReason> {
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
fn txns(problem: &Problem<'_>, order: &[Node]) -> Vec<TxnId> {
    let txns = order.iter().map(|&n| problem.txns[n as usize]);
    txns.filter(|&t| t != TxnId::INIT).collect()
}
