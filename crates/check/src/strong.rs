//! Prefix consistency, (parallel) snapshot isolation, serializability, strict serializability, and any
//! mix with the weaker levels. NP-hard in general [Biswas 2019, section 4], so: what must hold for
//! causal consistency first, then a greedy guess, then saturation, then a guess again, then search.

use hobgoblin_core::{Level, StopReason, Target};

use crate::components;
use crate::guess::{guess, likely_order};
use crate::limits::Limits;
use crate::parallel::find_faults;
use crate::polynomial::{self, Decision, Static};
use crate::problem::{Node, Problem};
use crate::saturate::{Saturated, Saturation};
use crate::solve::solve;

/// Decides a problem at any levels.
pub(crate) fn decide(problem: &Problem<'_>, limits: &Limits) -> Result<Decision, StopReason> {
    let facts = match polynomial::force(problem, limits)? {
        Ok(facts) => facts,
        Err(core) => return Ok(Decision::Core(core)),
    };
    if let core @ Decision::Core(_) = polynomial::decide_static(problem, &facts) {
        return Ok(core);
    }
    let mut saturation = Saturation::new(problem, &facts);
    let Static { order, past, forced, known } = facts;
    drop((forced, known));
    if let Some(core) = saturation.lost_update() {
        return Ok(Decision::Core(core));
    }
    // A guess runs transactions on one database, which PSI's branching past is not.
    let psi = (1..problem.len() as Node).any(|n| problem.level(n).is_parallel());
    if matches!(problem.target, Target::Level(level) if level.is_parallel()) {
        if let order @ Decision::Order(_) = decide(&problem.at(Level::SI), limits)? {
            return Ok(order);
        }
    } else if !psi {
        let first = guess(&saturation, &past, limits)?;
        if first.complete {
            return Ok(Decision::Order(first.order));
        }
    }
    // Sessions that share few keys are better looked at apart.
    if let Some(decision) = components::decide(problem, limits)? {
        return Ok(decision);
    }
    let clocks = match saturation.saturate(&order, limits)? {
        Saturated::Core(core) => return Ok(Decision::Core(core)),
        Saturated::Open(clocks) => clocks,
    };
    let hint = if psi {
        // Where nobody asks for more than PSI, a likely order is easily tested.
        let likely = likely_order(&saturation, &past);
        let at_most_psi = |n| Level::PSI.implies(problem.level(n));
        if (1..problem.len() as Node).all(at_most_psi)
            && find_faults(problem, &likely, 1).is_empty()
        {
            return Ok(Decision::Order(likely));
        }
        likely
    } else {
        let second = guess(&saturation, &past, limits)?;
        if second.complete {
            return Ok(Decision::Order(second.order));
        }
        second.order
    };
    solve(&saturation, clocks.as_ref(), &hint, limits)
}
