//! Counters.
//!
//! > `read(x)` returns the sum of the amounts by which visible operations changed x.
//!
//! The thesis's axioms let a read leave out what happened before it (erratum E1 of docs/crdt.md); its text does not.
//!
//! What a read demands is that prefixes of the other replicas' updates of x add up. Of each replica the sums of its
//! prefixes are known, so the demand is a walk through the replicas: from the sum so far, a prefix leads to the next
//! sum, and the last must be what was returned. The sums that can be reached are variables. The last step needs none:
//! for each sum before it, some prefixes are left. With two replicas that is "at least this many, or at least that
//! many" and so on, which is Horn, and nothing is searched.

use hobgoblin_core::StopReason;

use crate::history::{Call, ObjectId, OpId};
use crate::search::{Fact, Search};
use crate::view::View;

/// Past this many steps of walks a read is given up rather than the memory.
const MOST_STEPS: usize = 20_000_000;

fn amount(search: &Search<'_>, op: OpId) -> i128 {
    match search.history.op(op).call {
        Call::Increase(amount) => amount.into(),
        _ => 0,
    }
}

/// The sum that an operation sees, where every update took place.
pub(crate) fn sum(view: View<'_>, by: OpId, object: ObjectId) -> i128 {
    debug_assert!(view.absent.is_empty(), "every update took place");
    let of_replica = |of| {
        let prefix = view.seen(by, of);
        let updates = view.index.updates(object, of);
        let count = updates.partition_point(|&op| view.history.position(op) < prefix);
        view.index.sum(object, of, count)
    };
    view.history.replicas().map(of_replica).sum()
}

/// One step of the walk: what is visible so far and may be added, each with what must be so and what must not.
type Step = Vec<(i128, Option<Fact>, Option<Fact>)>;

pub(super) fn demand(
    search: &mut Search<'_>,
    by: OpId,
    object: ObjectId,
    sum: i64,
) -> Result<(), StopReason> {
    let history = search.history;
    let mut known = 0_i128;
    let mut steps: Vec<Step> = Vec::new();
    for of in history.replicas() {
        let (must, may) = search.possible(object, of, by);
        let certain = |op: &&OpId| !history.op(**op).doubtful;
        known += must.iter().filter(certain).map(|&op| amount(search, op)).sum::<i128>();
        for &op in must.iter().chain(may).filter(|op| history.op(**op).doubtful) {
            let visible = search.visible(op, by);
            steps.push(vec![(0, None, Some(visible)), (amount(search, op), Some(visible), None)]);
        }
        let may: Vec<OpId> = may.iter().filter(certain).copied().collect();
        if may.is_empty() {
            continue;
        }
        let observed: Vec<Fact> = may.iter().map(|&op| search.observed(op, by)).collect();
        let mut total = 0;
        let mut step = vec![(0, None, Some(observed[0]))];
        for (at, &op) in may.iter().enumerate() {
            total += amount(search, op);
            step.push((total, Some(observed[at]), observed.get(at + 1).copied()));
        }
        steps.push(step);
    }
    let wanted = i128::from(sum) - known;
    let Some(last) = steps.pop() else {
        if wanted != 0 {
            search.clause([]);
        }
        return Ok(());
    };
    // The sums that can be reached, by increasing value, each with its fact.
    let mut reached = vec![(0_i128, Fact::Known(true))];
    let mut spent = 0;
    for step in steps {
        spent += reached.len() * step.len();
        if spent > MOST_STEPS {
            return Err(StopReason::TooLarge);
        }
        let mut sums: Vec<i128> = reached
            .iter()
            .flat_map(|(from, _)| step.iter().map(move |(add, ..)| from + add))
            .collect();
        sums.sort_unstable();
        sums.dedup();
        let next: Vec<(i128, Fact)> =
            sums.into_iter().map(|sum| (sum, search.new_fact())).collect();
        for &(from, is_there) in &reached {
            for &(add, least, most) in &step {
                let at = next.partition_point(|&(sum, _)| sum < from + add);
                let beyond = most.unwrap_or(Fact::Known(false));
                let before = least.unwrap_or(Fact::Known(true));
                search.clause([!is_there, !before, beyond, next[at].1]);
            }
        }
        reached = next;
    }
    for (from, is_there) in reached {
        let mut gap = None;
        for &(add, least, most) in &last {
            let before = least.unwrap_or(Fact::Known(true));
            if from + add != wanted {
                let start = *gap.get_or_insert(before);
                if most.is_none() {
                    search.clause([!is_there, !start]);
                }
            } else if let Some(start) = gap.take() {
                search.clause([!is_there, !start, before]);
            }
        }
    }
    Ok(())
}
