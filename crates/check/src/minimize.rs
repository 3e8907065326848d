//! From some transactions that violate a level to few: take away what the violation does not need.

use hobgoblin_core::StopReason;

use crate::decide;
use crate::limits::Limits;
use crate::polynomial::Decision;
use crate::problem::{Node, Problem};

/// How many transactions all checks together may look at before the rest is left as it is.
const WORK: usize = 4_000_000;

/// A part of `core` that still violates the level, and whether it is minimal. Halves, then quarters,
/// and so on down to single transactions are taken away where the violation stays; a check that finds a
/// smaller core by itself helps along. A limit leaves the part as it is by then: the violation stands.
pub(crate) fn minimize(
    problem: &Problem<'_>,
    core: Vec<Node>,
    limits: &Limits,
) -> (Vec<Node>, bool) {
    let mut core = core;
    if !matches!(decide(&problem.restrict(&core), limits), Ok(Decision::Core(_))) {
        // What the core rests on was not found; the whole violates the level in any case.
        core = (1..problem.len() as Node).collect();
    }
    let minimal = take_away(problem, &mut core, limits).unwrap_or(false);
    (core, minimal)
}

/// Takes away what can be; tells whether what is left is minimal.
fn take_away(
    problem: &Problem<'_>,
    core: &mut Vec<Node>,
    limits: &Limits,
) -> Result<bool, StopReason> {
    let mut work = 0;
    let mut chunk = core.len().div_ceil(2).max(1);
    loop {
        let mut shrunk = false;
        let mut at = 0;
        while at < core.len() && core.len() > 1 {
            let end = (at + chunk).min(core.len());
            let rest: Vec<Node> = core[..at].iter().chain(&core[end..]).copied().collect();
            work += rest.len() + 16;
            if work > WORK {
                return Ok(false);
            }
            match decide(&problem.restrict(&rest), limits)? {
                Decision::Core(smaller) => {
                    // Nodes of the part are numbered after `rest`.
                    *core = smaller.iter().map(|&n| rest[n as usize - 1]).collect();
                    shrunk = true;
                    at = 0;
                    chunk = chunk.min(core.len().div_ceil(2)).max(1);
                }
                Decision::Order(_) => at = end,
            }
        }
        if core.len() <= 1 || chunk == 1 && !shrunk {
            return Ok(true);
        }
        chunk = chunk.div_ceil(2).max(1);
    }
}
