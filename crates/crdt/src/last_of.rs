//! The order that decides among concurrent updates, where who observed what is known and some reads leave a choice.
//!
//! A read that returned what several of the writes before it left demands only that one of these come after all others.
//! Such demands are AND/OR precedences [Möhring 2004]: from the end of the order to its beginning,
//! an update may be placed once all who observed it are placed and, for every demand that puts it among the others, one
//! of those that may be last. Placing one never keeps another from being placed, so whoever may be placed is, and if some
//! remain there is no order: each of them waits for others that remain.

use std::collections::BinaryHeap;

use hashbrown::HashSet;

use crate::data_type::Arbitration;
use crate::history::{ObjectId, OpId};
use crate::index::Rows;
use crate::view::View;

/// Of some updates, one of the first few comes last.
#[derive(Debug)]
pub(crate) struct LastOf {
    /// The read that demands it.
    pub(crate) read: OpId,
    updates: Vec<OpId>,
    /// How many of them may be last.
    may_be: usize,
}

impl LastOf {
    /// Of these, one of the first `may_be` comes last.
    pub(crate) fn new(read: OpId, updates: Vec<OpId>, may_be: usize) -> LastOf {
        debug_assert!(0 < may_be && may_be < updates.len(), "some may be last and some may not");
        LastOf { read, updates, may_be }
    }

    pub(crate) fn may_be_last(&self) -> &[OpId] {
        &self.updates[..self.may_be]
    }

    pub(crate) fn others(&self) -> &[OpId] {
        &self.updates[self.may_be..]
    }
}

/// Demands that no order fits.
#[derive(Debug)]
pub(crate) struct Stuck {
    pub(crate) demands: Vec<LastOf>,
    /// The numbers of some of them, few, for which that is so.
    pub(crate) some: Vec<usize>,
}

/// An order of all updates that contains happens-before and fits the demands; or of each object by its own order, one
/// after the other.
pub(crate) fn order(view: View<'_>, demands: Vec<LastOf>) -> Result<Vec<OpId>, Stuck> {
    let history = view.history;
    let mut all = Vec::new();
    for (object, demands) in grouped(view, demands) {
        match Placing::new(view, object, &demands).order() {
            Ok(part) => all.extend(part),
            Err(some) => return Err(Stuck { demands, some }),
        }
    }
    all.retain(|&op| history.op(op).call.is_update());
    Ok(all)
}

/// The demands that one order must fit: all of them, or object by object.
fn grouped(view: View<'_>, demands: Vec<LastOf>) -> Vec<(Option<ObjectId>, Vec<LastOf>)> {
    let history = view.history;
    if history.options().arbitration == Arbitration::Global {
        return vec![(None, demands)];
    }
    let objects = (0..history.objects().len() as u32).map(ObjectId);
    let mut groups: Vec<_> = objects.map(|object| (Some(object), Vec::new())).collect();
    for demand in demands {
        groups[history.op(demand.read).object.index()].1.push(demand);
    }
    groups
}

struct Placing<'a> {
    view: View<'a>,
    demands: &'a [LastOf],
    /// What is ordered, replica by replica.
    nodes: Vec<OpId>,
    /// Who comes directly before each by happens-before, one row of replicas a node.
    before: Vec<u32>,
    /// For how many, observers and demands, each still waits.
    waiting: Vec<u32>,
    /// The demands that each may be last of, one row a node.
    last_in: Rows<(u32, u32)>,
    fulfilled: Vec<bool>,
    /// From the last to the first.
    order: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl<'a> Placing<'a> {
    fn new(view: View<'a>, object: Option<ObjectId>, demands: &'a [LastOf]) -> Placing<'a> {
        let history = view.history;
        let k = history.num_replicas();
        let nodes: Vec<OpId> = match object {
            Some(object) => view.index.all(object).to_vec(),
            None => history.ops().collect(),
        };
        let node = |op: OpId| match object {
            Some(_) => nodes.partition_point(|&other| other < op) as u32,
            None => op.0,
        };
        let mut before = Vec::with_capacity(nodes.len() * k);
        for &op in &nodes {
            for of in history.replicas() {
                let last = match object {
                    Some(object) => view.visible(op, object, of).next_back(),
                    None => {
                        let seen = view.seen(op, of);
                        (seen > 0).then(|| history.op_at(of, seen - 1))
                    }
                };
                before.push(last.map_or(NONE, node));
            }
        }
        let mut waiting = vec![0_u32; nodes.len()];
        before.iter().filter(|&&of| of != NONE).for_each(|&of| waiting[of as usize] += 1);
        let mut pairs = Vec::new();
        for (number, demand) in demands.iter().enumerate() {
            demand.others().iter().for_each(|&op| waiting[node(op) as usize] += 1);
            pairs.extend(demand.may_be_last().iter().map(|&op| (node(op), number as u32)));
        }
        let last_in = Rows::new(nodes.len(), pairs, |(node, _)| node as usize);
        let order = Vec::with_capacity(nodes.len());
        Placing {
            view,
            demands,
            before,
            waiting,
            last_in,
            fulfilled: vec![false; demands.len()],
            order,
            nodes,
        }
    }

    /// What is ordered, from the first to the last; or the numbers of some demands that no order fits.
    fn order(mut self) -> Result<Vec<OpId>, Vec<usize>> {
        self.run();
        match self.order.len() == self.nodes.len() {
            true => Ok(self.order.iter().rev().map(|&node| self.nodes[node as usize]).collect()),
            false => Err(self.stuck()),
        }
    }

    /// Places all who may be placed; of several, the one that was probably last.
    fn run(&mut self) {
        let k = self.view.history.num_replicas();
        let history = self.view.history;
        let moment = |node: u32, nodes: &[OpId]| (history.moment(nodes[node as usize]), node);
        let all = 0..self.nodes.len() as u32;
        let mut ready: BinaryHeap<(u64, u32)> = all
            .filter(|&node| self.waiting[node as usize] == 0)
            .map(|node| moment(node, &self.nodes))
            .collect();
        let mut released = Vec::new();
        while let Some((_, node)) = ready.pop() {
            self.order.push(node);
            released.extend(&self.before[node as usize * k..][..k]);
            for &(_, number) in self.last_in.row(node as usize) {
                if !std::mem::replace(&mut self.fulfilled[number as usize], true) {
                    let others = self.demands[number as usize].others();
                    released.extend(others.iter().map(|&op| self.node(op)));
                }
            }
            for other in released.drain(..).filter(|&other| other != NONE) {
                self.waiting[other as usize] -= 1;
                if self.waiting[other as usize] == 0 {
                    ready.push(moment(other, &self.nodes));
                }
            }
        }
    }

    fn node(&self, op: OpId) -> u32 {
        match self.nodes.get(op.index()) == Some(&op) {
            true => op.0,
            false => self.nodes.partition_point(|&other| other < op) as u32,
        }
    }

    /// Some demands that no order fits, as few as a look from several sides finds: each update that one of them puts
    /// before others waits for these, and each of these, or one who observed it, is among the others of another.
    fn stuck(&self) -> Vec<usize> {
        const SIDES: usize = 100;
        let k = self.view.history.num_replicas();
        // Of each that remains, a demand that it waits for, or else somebody who observed it and remains.
        let mut demand = vec![NONE; self.nodes.len()];
        let mut observer = vec![NONE; self.nodes.len()];
        for number in (0..self.demands.len()).filter(|&number| !self.fulfilled[number]) {
            for &op in self.demands[number].others() {
                let known = &mut demand[self.node(op) as usize];
                // One that leaves less of a choice leads to fewer others.
                let size = |number: u32| self.demands[number as usize].may_be;
                if *known == NONE || size(*known) > size(number as u32) {
                    *known = number as u32;
                }
            }
        }
        let remains = |node: &u32| self.waiting[*node as usize] > 0;
        for node in (0..self.nodes.len() as u32).filter(remains) {
            for &other in &self.before[node as usize * k..][..k] {
                if other != NONE {
                    observer[other as usize] = node;
                }
            }
        }
        let mut passed = Vec::new();
        let mut best: Option<Vec<usize>> = None;
        let starts = (0..self.demands.len()).filter(|&number| !self.fulfilled[number]);
        for start in starts.take(SIDES) {
            let mut found: HashSet<usize> = [start].into_iter().collect();
            let mut todo = vec![start];
            while let Some(number) = todo.pop() {
                for &op in self.demands[number].may_be_last() {
                    let mut node = self.node(op);
                    while demand[node as usize] == NONE {
                        passed.push(node);
                        node = observer[node as usize];
                    }
                    let next = demand[node as usize];
                    passed.drain(..).for_each(|node| demand[node as usize] = next);
                    if found.insert(next as usize) {
                        todo.push(next as usize);
                    }
                }
            }
            if best.as_ref().is_none_or(|best| best.len() > found.len()) {
                best = Some(found.into_iter().collect());
            }
        }
        best.unwrap_or_default()
    }
}
