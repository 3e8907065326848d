//! Last-writer-wins registers.
//!
//! > There is an order of all writes and deletes that contains happens-before, and `read(x)` returns the value of the
//! > last visible write of x in it; null if that is a delete or there is none.
//!
//! One order of everything, as Lamport's clocks give (`"lin": "global"`), or one for every register (`"per-key"`), or
//! the order of recorded timestamps (`"ts"`), which need not contain happens-before; of several with the greatest one,
//! each may be returned. The thesis assumes initial writes; here a read of nothing is a demand as well (erratum E5).
//!
//! A read demands that the write it returned comes after the other visible ones. Those demands, with happens-before,
//! must have no cycle: where a model has one, a clause forbids it. If values are unique, what is read says who was
//! observed, and nothing is searched [Biswas 2021a, section 2.3.1].

use hashbrown::HashMap;
use hobgoblin_check::Limits;
use hobgoblin_core::StopReason;

use super::cover;
use super::refined::Refined;
use crate::arbitration::{self, Demand, Step};
use crate::data_type::Arbitration;
use crate::history::{Call, ObjectId, OpId, ValueId};
use crate::last_of::LastOf;
use crate::search::{Fact, Model, Search};
use crate::view::View;

fn is_write(call: &Call) -> bool {
    matches!(call, Call::Write(_) | Call::Delete)
}

/// The value that a write leaves.
pub(crate) fn left(call: &Call) -> Option<ValueId> {
    match call {
        Call::Write(value) => Some(*value),
        _ => None,
    }
}

/// Of every read, the writes that it may have returned.
#[derive(Debug, Default)]
pub(crate) struct State {
    sources: HashMap<OpId, Vec<(OpId, Fact)>>,
}

impl State {
    pub(super) fn demand(
        &mut self,
        search: &mut Search<'_>,
        by: OpId,
        object: ObjectId,
        value: Option<ValueId>,
    ) {
        let history = search.history;
        let by_time = history.options().arbitration == Arbitration::Timestamps;
        let kind = |op: OpId| left(&history.op(op).call) == value;
        let cover::Candidates { found: sources, others } = match by_time {
            true => cover::Candidates {
                found: newest(search, object, by, kind),
                others: Fact::Known(false),
            },
            false => cover::candidates(search, object, by, kind, is_write, true),
        };
        let mut clause: Vec<Fact> = sources.iter().map(|&(_, fact)| fact).chain([others]).collect();
        if value.is_none() {
            let nothing = search.new_fact();
            for (_, visible) in cover::possible(search, object, by, is_write) {
                search.clause([!nothing, !visible]);
            }
            clause.push(nothing);
        }
        search.clause(clause);
        self.sources.insert(by, sources);
    }

    /// An order that explains all reads, or what the model forgot is added.
    pub(super) fn refine(
        &mut self,
        search: &mut Search<'_>,
        view: View<'_>,
        model: &Model,
    ) -> Result<Refined, StopReason> {
        let history = search.history;
        if history.options().arbitration == Arbitration::Timestamps {
            return Ok(Refined::Holds(Vec::new()));
        }
        // The demands of the reads, and which read and write they are of.
        let mut demands: Vec<Demand> = Vec::new();
        let mut of: Vec<(OpId, Fact)> = Vec::new();
        for by in history.ops() {
            let Some(sources) = self.sources.get(&by) else { continue };
            for &(source, fact) in sources.iter().filter(|(_, fact)| model.is(*fact)) {
                let object = history.op(by).object;
                for other in
                    view.last_visible(by, object, |_| true).filter(|&other| other != source)
                {
                    demands.push((other, source));
                    of.push((by, fact));
                }
            }
        }
        let mut orders = Vec::new();
        let mut broken = false;
        for group in groups(view, &demands) {
            let part: Vec<Demand> = group.iter().map(|&at| demands[at]).collect();
            match arbitration::order(view, &part) {
                Ok(order) => orders.push(order),
                Err(cycles) => {
                    broken = true;
                    for cycle in cycles {
                        let mut clause = Vec::new();
                        for step in cycle {
                            match step {
                                Step::Observed(op, by) => clause.push(!search.observed(op, by)),
                                Step::Demand(at) => {
                                    let (by, fact) = of[group[at]];
                                    clause.push(!fact);
                                    clause.push(!search.visible(part[at].0, by));
                                }
                            }
                        }
                        search.about_nothing();
                        search.clause(clause);
                    }
                }
            }
        }
        match broken {
            true => Ok(Refined::Broken),
            false => Ok(Refined::Holds(updates(view, orders))),
        }
    }
}

/// The demands that one order must fit, by number: all of them, or object by object.
pub(super) fn groups(view: View<'_>, demands: &[Demand]) -> Vec<Vec<usize>> {
    if view.history.options().arbitration == Arbitration::Global {
        return vec![(0..demands.len()).collect()];
    }
    let mut groups = vec![Vec::new(); view.history.objects().len()];
    for (at, (op, _)) in demands.iter().enumerate() {
        groups[view.history.op(*op).object.index()].push(at);
    }
    groups
}

/// The updates of an order of all operations; or of each object by its own order, one after the other.
pub(super) fn updates(view: View<'_>, orders: Vec<Vec<OpId>>) -> Vec<OpId> {
    let history = view.history;
    let global = history.options().arbitration == Arbitration::Global;
    let mut all = Vec::new();
    for (object, order) in orders.into_iter().enumerate() {
        let counts = |op: &OpId| {
            let info = history.op(*op);
            info.call.is_update() && (global || info.object.index() == object)
        };
        all.extend(order.into_iter().filter(counts));
    }
    all
}

/// The writes of a kind that may be the newest visible one by their timestamps.
fn newest(
    search: &mut Search<'_>,
    object: ObjectId,
    by: OpId,
    kind: impl Fn(OpId) -> bool,
) -> Vec<(OpId, Fact)> {
    let history = search.history;
    let all: Vec<OpId> = search.index.all(object).to_vec();
    let mut found = Vec::new();
    for &op in all.iter().filter(|&&op| kind(op)) {
        let visible = search.visible(op, by);
        if visible == Fact::Known(false) {
            continue;
        }
        let fact = search.new_fact();
        search.clause([!fact, visible]);
        let mut done = None;
        for &other in &all {
            let replica = history.op(other).replica;
            // Who sees a later write of a replica sees the earlier ones.
            if done == Some(replica) || history.timestamp(other) <= history.timestamp(op) {
                continue;
            }
            let visible = search.visible(other, by);
            search.clause([!fact, !visible]);
            if !history.op(other).doubtful {
                done = Some(replica);
            }
        }
        found.push((op, fact));
    }
    found
}

/// The visible writes that a read may return, as far as who observed whom and the timestamps tell.
pub(crate) fn last_writes(view: View<'_>, by: OpId, object: ObjectId) -> Vec<OpId> {
    let history = view.history;
    if history.options().arbitration != Arbitration::Timestamps {
        return super::mvr::maximal(view, by, object);
    }
    let visible: Vec<OpId> =
        history.replicas().flat_map(|of| view.visible(by, object, of)).collect();
    let greatest = visible.iter().map(|&op| history.timestamp(op)).max();
    visible.into_iter().filter(|&op| Some(history.timestamp(op)) == greatest).collect()
}

/// What reads of registers demand, or one that cannot have returned what it did.
pub(crate) fn demands(
    view: View<'_>,
    limits: &Limits,
) -> Result<Result<Vec<LastOf>, OpId>, StopReason> {
    let history = view.history;
    let mut found = Vec::new();
    for (count, read) in history.ops().enumerate() {
        if count % 4096 == 0 {
            limits.check()?;
        }
        let Call::Value(value) = history.op(read).call else { continue };
        let mut writes = last_writes(view, read, history.op(read).object);
        let is_source = |write: &OpId| left(&history.op(*write).call) == value;
        match writes.iter().filter(|write| is_source(write)).count() {
            0 if writes.is_empty() && value.is_none() => {}
            0 => return Ok(Err(read)),
            all if all == writes.len() => {}
            sources => {
                writes.sort_by_key(|write| !is_source(write));
                found.push(LastOf::new(read, writes, sources));
            }
        }
    }
    Ok(Ok(found))
}
