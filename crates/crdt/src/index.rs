//! Updates by object and replica, in order.

use crate::data_type::DataType;
use crate::history::{Call, CrdtHistory, ObjectId, OpId, Replica};

/// Where to find the updates of an object.
#[derive(Debug)]
pub(crate) struct Index {
    k: usize,
    /// The updates of every object, replica by replica.
    updates: Vec<OpId>,
    starts: Vec<u32>,
    /// Of counters, the sum of all amounts before each place of `updates`.
    sums: Vec<i128>,
    /// Who removed what an operation added to a list.
    erases: Vec<OpId>,
    erase_starts: Vec<u32>,
}

impl Index {
    pub(crate) fn new(history: &CrdtHistory) -> Index {
        let k = history.num_replicas();
        let is_update = |&op: &OpId| history.op(op).call.is_update();
        let cell = |op: OpId| {
            let op = history.op(op);
            op.object.index() * k + op.replica.index()
        };
        let updates: Vec<OpId> = history.ops().filter(is_update).collect();
        let (starts, updates) = grouped(history.objects().len() * k, &updates, cell);
        let erased = |op: OpId| match history.op(op).call {
            Call::Erase(added) => Some(added.index()),
            _ => None,
        };
        let (erase_starts, erases) = match history.data_type().is_list() {
            true => {
                let erases: Vec<OpId> = history.ops().filter(|&op| erased(op).is_some()).collect();
                grouped(history.num_ops(), &erases, |op| erased(op).unwrap_or_default())
            }
            false => (Vec::new(), Vec::new()),
        };
        let mut sums = Vec::new();
        if history.data_type() == DataType::Counter {
            let mut sum = 0;
            sums.push(sum);
            for &op in &updates {
                if let Call::Increase(amount) = history.op(op).call {
                    sum += i128::from(amount);
                }
                sums.push(sum);
            }
        }
        Index { k, updates, starts, sums, erases, erase_starts }
    }

    /// The updates of an object by a replica, in order.
    pub(crate) fn updates(&self, object: ObjectId, replica: Replica) -> &[OpId] {
        let cell = object.index() * self.k + replica.index();
        &self.updates[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    /// The sum of the first so many amounts by which a replica changed a counter.
    pub(crate) fn sum(&self, object: ObjectId, replica: Replica, count: usize) -> i128 {
        let start = self.starts[object.index() * self.k + replica.index()] as usize;
        self.sums[start + count] - self.sums[start]
    }

    /// All updates of an object, replica by replica.
    pub(crate) fn all(&self, object: ObjectId) -> &[OpId] {
        let cell = object.index() * self.k;
        &self.updates[self.starts[cell] as usize..self.starts[cell + self.k] as usize]
    }

    /// Who removed what this operation added to a list.
    pub(crate) fn erases(&self, added: OpId) -> &[OpId] {
        let starts = &self.erase_starts[added.index()..=added.index() + 1];
        &self.erases[starts[0] as usize..starts[1] as usize]
    }
}

/// Items by their cell, in the order given, and where each cell begins.
fn grouped(cells: usize, items: &[OpId], cell: impl Fn(OpId) -> usize) -> (Vec<u32>, Vec<OpId>) {
    let mut starts = vec![0_u32; cells + 1];
    for &item in items {
        starts[cell(item) + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut next = starts.clone();
    let mut rows = vec![OpId(0); items.len()];
    for &item in items {
        let place = &mut next[cell(item)];
        rows[*place as usize] = item;
        *place += 1;
    }
    (starts, rows)
}
