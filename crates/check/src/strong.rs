//! Prefix consistency, (parallel) snapshot isolation, serializability, strict serializability, and any
//! mix with the weaker levels. NP-hard in general [Biswas 2019, section 4], so: what must hold for
//! causal consistency first, then a greedy guess, then saturation, then a guess again, then search.

use hobgoblin_core::{Level, StopReason, Target};

use crate::components;
use crate::forced::Static;
use crate::guess::{Stuck, guess, likely_order};
use crate::hint::hints;
use crate::limits::Limits;
use crate::parallel::find_faults;
use crate::polynomial::{self, Decision, Edges};
use crate::problem::{Node, Problem};
use crate::saturate::{Saturated, Saturation};
use crate::solve::solve;

/// Decides a problem at any levels.
pub(crate) fn decide(problem: &Problem<'_>, limits: &Limits) -> Result<Decision, StopReason> {
    let facts = match polynomial::force(problem, Edges::All, limits)? {
        Ok(facts) => facts,
        Err(core) => return Ok(Decision::Core(core)),
    };
    if let core @ Decision::Core(_) = polynomial::decide_static(problem, &facts) {
        return Ok(core);
    }
    let mut saturation = Saturation::new(problem, &facts);
    if let Some(core) = saturation.lost_update() {
        return Ok(Decision::Core(core));
    }
    let mut likely = hints(problem, &facts.order);
    // A guess runs transactions on one database, which PSI's branching past is not.
    let psi = (1..problem.len() as Node).any(|n| problem.level(n).is_parallel());
    if matches!(problem.target, Target::Level(level) if level.is_parallel()) {
        // But SI is enough, and an order that is right at SI but for a few transactions may do.
        let at_si = problem.at(Level::SI);
        let run = guess(&Saturation::new(&at_si, &facts), &likely, Stuck::GoOn, limits)?;
        if run.complete
            || run.order.len() == problem.len() && find_faults(problem, &run.order, 1).is_empty()
        {
            return Ok(Decision::Order(run.order));
        }
        for (at, &node) in run.order.iter().enumerate() {
            likely[node as usize] = at as u64;
        }
        if let order @ Decision::Order(_) = decide(&at_si, limits)? {
            return Ok(order);
        }
    } else if !psi {
        let first = guess(&saturation, &likely, Stuck::Stop, limits)?;
        if first.complete {
            return Ok(Decision::Order(first.order));
        }
    }
    let Static { order, forced, known, .. } = facts;
    drop((forced, known));
    // Sessions that share few keys are better looked at apart.
    if let Some(decision) = components::decide(problem, |part| decide(part, limits))? {
        return Ok(decision);
    }
    let clocks = match saturation.saturate(&order, limits)? {
        Saturated::Core(core) => return Ok(Decision::Core(core)),
        Saturated::Open(clocks) => clocks,
    };
    let hint = if psi {
        // Where nobody asks for more than PSI, a likely order is easily tested.
        let likely = likely_order(&saturation, &likely);
        let at_most_psi = |n| Level::PSI.implies(problem.level(n));
        if (1..problem.len() as Node).all(at_most_psi)
            && find_faults(problem, &likely, 1).is_empty()
        {
            return Ok(Decision::Order(likely));
        }
        likely
    } else {
        let second = guess(&saturation, &likely, Stuck::GoOn, limits)?;
        if second.complete {
            return Ok(Decision::Order(second.order));
        }
        if problem.target == Target::Level(Level::SI)
            && let Some(order) = serial_order(&problem.at(Level::SER), limits)?
        {
            return Ok(Decision::Order(order));
        }
        second.order
    };
    solve(&saturation, clocks.as_ref(), &hint, limits)
}

/// An order of all transactions one after another, if one is found soon. What ran one at a time leaves less open at
/// SER, where a read fixes more, than at SI.
fn serial_order(at_ser: &Problem<'_>, limits: &Limits) -> Result<Option<Vec<Node>>, StopReason> {
    let Ok(facts) = polynomial::force(at_ser, Edges::All, limits)? else { return Ok(None) };
    let mut saturation = Saturation::new(at_ser, &facts);
    let Saturated::Open(_) = saturation.saturate(&facts.order, limits)? else { return Ok(None) };
    let run = guess(&saturation, &hints(at_ser, &facts.order), Stuck::Stop, limits)?;
    Ok(run.complete.then_some(run.order))
}
