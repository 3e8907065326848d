//! From some transactions that violate a level to few: take away what the violation does not need, then look
//! whether a smaller one is next to it.

use hobgoblin_core::StopReason;

use crate::decide::decide;
use crate::limits::Limits;
use crate::polynomial::{Decision, tidy};
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
    let mut work = 0;
    let minimal = take_away(problem, &mut core, &mut work, limits).unwrap_or(false);
    if minimal {
        while let Ok(Some(smaller)) = look_around(problem, &core, &mut work, limits) {
            core = smaller;
        }
    }
    (core, minimal)
}

/// A minimal violation with fewer transactions than `core` among those next to it. It lacks at least one of
/// `core`, so each of them is left out in turn.
fn look_around(
    problem: &Problem<'_>,
    core: &[Node],
    work: &mut usize,
    limits: &Limits,
) -> Result<Option<Vec<Node>>, StopReason> {
    const SMALLEST: usize = 2;
    // Larger ones are rarely found by reads that contradict each other, and each look takes a search.
    const LARGEST: usize = 24;
    if core.len() <= SMALLEST || core.len() > LARGEST || problem.len() == core.len() + 1 {
        return Ok(None);
    }
    let around = neighbours(problem, core);
    let mut smallest: Option<Vec<Node>> = None;
    for &without in core {
        let rest: Vec<Node> = around.iter().copied().filter(|&n| n != without).collect();
        *work += rest.len() + 16;
        if let Decision::Core(found) = decide(&problem.restrict(&rest), limits)? {
            let mut found: Vec<Node> = found.iter().map(|&n| rest[n as usize - 1]).collect();
            let minimal = take_away(problem, &mut found, work, limits)?;
            let most = smallest.as_ref().map_or(core.len(), Vec::len);
            if minimal && found.len() < most {
                smallest = Some(found);
            }
        }
    }
    Ok(smallest)
}

/// Some transactions with those they read from, and some of those that read from them or come next to them in
/// their sessions.
fn neighbours(problem: &Problem<'_>, core: &[Node]) -> Vec<Node> {
    const MOST: usize = 100;
    const READERS: usize = 3;
    let mut around = core.to_vec();
    for &node in core {
        around.extend(problem.reads(node).iter().map(|r| r.source));
    }
    around = tidy(around);
    let mut readers = vec![0; around.len()];
    let mut more = Vec::new();
    for node in 1..problem.len() as Node {
        if around.binary_search(&node).is_ok() {
            continue;
        }
        let prev = problem.prev[node as usize];
        let mut near = core.binary_search(&prev).is_ok();
        for read in problem.reads(node) {
            if let Ok(at) = around.binary_search(&read.source)
                && readers[at] < READERS
            {
                readers[at] += 1;
                near = true;
            }
        }
        if near {
            more.push(node);
        }
    }
    around.extend(more.into_iter().take(MOST));
    tidy(around)
}

/// Takes away what can be; tells whether what is left is minimal. `work` counts the transactions looked at.
fn take_away(
    problem: &Problem<'_>,
    core: &mut Vec<Node>,
    work: &mut usize,
    limits: &Limits,
) -> Result<bool, StopReason> {
    let mut chunk = core.len().div_ceil(2).max(1);
    loop {
        let mut shrunk = false;
        let mut at = 0;
        while at < core.len() && core.len() > 1 {
            let end = (at + chunk).min(core.len());
            let rest: Vec<Node> = core[..at].iter().chain(&core[end..]).copied().collect();
            *work += rest.len() + 16;
            if *work > WORK {
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
