//! Histories whose delivery was recorded whole: nothing about who observed whom is left to search.
//!
//! The vectors are those of the record. That they are vectors at all, that they grow along replicas and are passed on,
//! is looked at first. Then every read is compared with what its replica had to return. Registers and growable arrays
//! leave an order to be found; reads demand that one update come before another, and an order exists if those demands
//! and happens-before have no cycle. Where a read leaves a choice, because equal values were written concurrently, that
//! is decided as well ([`crate::last_of`]). A list of which only one order is asked for is read as a growable array
//! first, which has such an order; if it is none, it is searched ([`crate::search`]).

use hobgoblin_check::Limits;
use hobgoblin_core::StopReason;

use crate::arbitration::{self, Demand, Step};
use crate::data_type::{Arbitration, DataType};
use crate::history::{Call, CrdtHistory, Item, ObjectId, OpId};
use crate::index::Index;
use crate::last_of::{self, LastOf};
use crate::spec::{self, Related, Tree};
use crate::verdict::CrdtWitness;
use crate::view::View;

/// What the record says.
#[derive(Debug)]
pub(crate) enum Direct {
    /// All reads returned what they had to.
    Witness(CrdtWitness),
    /// This one did not.
    Wrong(OpId),
    /// These demand orders that exclude each other.
    Clash(Vec<OpId>),
    /// The record does not say, or contradicts itself.
    Open,
}

/// Decides a history whose delivery was recorded whole.
pub(crate) fn decide(
    history: &CrdtHistory,
    index: &Index,
    limits: &Limits,
) -> Result<Direct, StopReason> {
    let doubt = history.ops().any(|op| history.op(op).doubtful);
    let Some(observed) = history.recorded_vectors().filter(|_| !doubt) else {
        return Ok(Direct::Open);
    };
    let view = View { history, index, observed: &observed, absent: &[] };
    if !are_vectors(view) {
        return Ok(Direct::Open);
    }
    let mut order = Vec::new();
    match (history.data_type(), history.options().arbitration) {
        (DataType::Rga | DataType::List, _) => {
            if let Some(wrong) = wrong_list(view, limits)? {
                return Ok(Direct::Wrong(wrong));
            }
            let mut tree = Tree::new(history);
            let Some(demands) = demands_of_lists(view, &mut tree, limits)? else {
                return Ok(Direct::Open);
            };
            match (history.data_type(), ordered(view, demands)) {
                (DataType::Rga, Ok(found)) => order = found,
                (_, Ok(found)) => order = tree.elements(&found),
                (DataType::Rga, Err(clash)) => return Ok(Direct::Clash(clash)),
                // A list need not be a growable array.
                (_, Err(_)) => return Ok(Direct::Open),
            }
        }
        (DataType::Lww, Arbitration::Global | Arbitration::PerKey) => {
            match spec::demands_of_registers(view, limits)?.map(|demands| ordered(view, demands)) {
                Ok(Ok(found)) => order = found,
                Ok(Err(clash)) => return Ok(Direct::Clash(clash)),
                Err(wrong) => return Ok(Direct::Wrong(wrong)),
            }
        }
        _ => {
            for (count, read) in history.ops().enumerate() {
                if count % 4096 == 0 {
                    limits.check()?;
                }
                if !returned_right(view, read) {
                    return Ok(Direct::Wrong(read));
                }
            }
        }
    }
    Ok(Direct::Witness(CrdtWitness { observed, happened: Vec::new(), order }))
}

/// Whether vectors grow along replicas and are passed on, and nobody observed what comes after.
fn are_vectors(view: View<'_>) -> bool {
    let history = view.history;
    let k = history.num_replicas();
    let vector = |op: OpId| &view.observed[op.index() * k..][..k];
    let covers = |op: OpId, other: OpId| {
        vector(other).iter().zip(vector(op)).all(|(less, more)| less <= more)
    };
    history.ops().all(|op| {
        let own = history.op(op).replica;
        let before = (history.position(op) > 0).then(|| OpId(op.0 - 1));
        let last = history.replicas().filter(|&of| of != own).filter_map(|of| {
            let seen = view.seen(op, of);
            (seen > 0).then(|| history.op_at(of, seen - 1))
        });
        before.into_iter().chain(last).all(|other| covers(op, other))
    })
}

/// Whether a read of a set, flag, counter or register returned what it had to, where no order decides.
fn returned_right(view: View<'_>, op: OpId) -> bool {
    let info = view.history.op(op);
    match &info.call {
        Call::Contains(is_in) => spec::contains(view, op, info.object) == *is_in,
        Call::Elements(elements) => {
            let objects = (0..view.history.objects().len() as u32).map(ObjectId);
            objects.filter(|&object| spec::contains(view, op, object)).eq(elements.iter().copied())
        }
        Call::Sum(sum) => spec::sum(view, op, info.object) == i128::from(*sum),
        Call::Values(values) => spec::values(view, op, info.object)[..] == values[..],
        Call::Value(value) => {
            let writes = spec::last_writes(view, op, info.object);
            let left = |write: &OpId| spec::left(&view.history.op(*write).call) == *value;
            writes.iter().any(left) || (writes.is_empty() && value.is_none())
        }
        _ => true,
    }
}

/// An order of the updates that fits what reads demand, or reads that exclude each other.
fn ordered(view: View<'_>, demands: Vec<LastOf>) -> Result<Vec<OpId>, Vec<OpId>> {
    last_of::order(view, demands).map_err(|stuck| clash(view, &stuck.demands, &stuck.some))
}

/// Reads that exclude each other: a short cycle of those that leave no choice, or else those of `some` demands, of which
/// it is known.
fn clash(view: View<'_>, demands: &[LastOf], some: &[usize]) -> Vec<OpId> {
    let single = demands.iter().filter(|demand| demand.may_be_last().len() == 1);
    let pairs = single.flat_map(|demand| {
        let last = demand.may_be_last()[0];
        demand.others().iter().map(move |&other| ((other, last), demand.read))
    });
    let (pairs, reads): (Vec<Demand>, Vec<OpId>) = pairs.unzip();
    let mut clash: Vec<OpId> = match arbitration::order(view, &pairs) {
        Err(cycles) => {
            let shortest = cycles.iter().min_by_key(|cycle| cycle.len());
            let of_step = |step: &Step| match step {
                Step::Demand(at) => Some(reads[*at]),
                Step::Observed(..) => None,
            };
            shortest.expect("a cycle is there").iter().filter_map(of_step).collect()
        }
        Ok(_) => some.iter().map(|&number| demands[number].read).collect(),
    };
    clash.sort_unstable();
    clash.dedup();
    clash
}

/// A read of a list that did not return the elements that were there, in whatever order; or an operation on an element
/// whose add it had not observed.
fn wrong_list(view: View<'_>, limits: &Limits) -> Result<Option<OpId>, StopReason> {
    let history = view.history;
    let strict = history.options().strict_anchor;
    for replica in history.replicas() {
        let mut added = vec![false; history.num_ops()];
        let mut erased = vec![false; history.num_ops()];
        let mut present = vec![0_usize; history.objects().len()];
        let mut last_read = vec![OpId(u32::MAX); history.num_ops()];
        let mut seen = vec![0; history.num_replicas()];
        for op in history.ops_of(replica) {
            limits.check()?;
            for of in history.replicas() {
                let upto = view.seen(op, of);
                for other in (seen[of.index()]..upto).map(|position| history.op_at(of, position)) {
                    let count = &mut present[history.op(other).object.index()];
                    match history.op(other).call {
                        Call::Insert { .. } => {
                            added[other.index()] = true;
                            *count += usize::from(!erased[other.index()]);
                        }
                        Call::Erase(element) => {
                            let gone = std::mem::replace(&mut erased[element.index()], true);
                            *count -= usize::from(!gone && added[element.index()]);
                        }
                        _ => {}
                    }
                }
                seen[of.index()] = upto;
            }
            let is_right = match &history.op(op).call {
                Call::Insert { anchor: Some(anchor), .. } => {
                    added[anchor.index()] && !(strict && erased[anchor.index()])
                }
                Call::Erase(element) => added[element.index()],
                Call::Items(items) => {
                    let here = |item: &Item| match *item {
                        Item::Added(element) => {
                            let twice =
                                std::mem::replace(&mut last_read[element.index()], op) == op;
                            added[element.index()] && !erased[element.index()] && !twice
                        }
                        Item::Never(_) => false,
                    };
                    items.len() == present[history.op(op).object.index()] && items.iter().all(here)
                }
                _ => true,
            };
            if !is_right {
                return Ok(Some(op));
            }
        }
    }
    Ok(None)
}

/// What reads of growable arrays demand of the order of additions, each demand once; none if the tree says that one
/// is wrong by itself.
fn demands_of_lists(
    view: View<'_>,
    tree: &mut Tree,
    limits: &Limits,
) -> Result<Option<Vec<LastOf>>, StopReason> {
    let history = view.history;
    let mut seen = hashbrown::HashSet::new();
    let mut demands = Vec::new();
    for read in history.ops() {
        let Call::Items(items) = &history.op(read).call else { continue };
        limits.check()?;
        for pair in items.windows(2) {
            let (Item::Added(first), Item::Added(second)) = (pair[0], pair[1]) else {
                return Ok(None);
            };
            if !seen.insert((first, second)) {
                continue;
            }
            if tree.is_circular(first) || tree.is_circular(second) {
                return Ok(None);
            }
            match tree.related(first, second) {
                Related::Above => {}
                Related::Below => return Ok(None),
                Related::Beside(first, second) => {
                    demands.push(LastOf::new(read, vec![first, second], 1));
                }
            }
        }
    }
    Ok(Some(demands))
}
