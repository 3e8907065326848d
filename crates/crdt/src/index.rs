//! Updates by object and replica, in order.

use crate::data_type::DataType;
use crate::history::{Call, CrdtHistory, ObjectId, OpId, Replica};

/// Where to find the updates of an object.
#[derive(Debug)]
pub(crate) struct Index {
    k: usize,
    /// The updates of every object and replica.
    updates: Rows<OpId>,
    /// Of counters, the sum of all amounts before each place of `updates`.
    sums: Vec<i128>,
    /// Who removed what an operation added to a list.
    erases: Rows<OpId>,
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
        let updates = Rows::new(history.objects().len() * k, updates, cell);
        let erased = |op: OpId| match history.op(op).call {
            Call::Erase(added) => Some(added.index()),
            _ => None,
        };
        let erases: Vec<OpId> = history.ops().filter(|&op| erased(op).is_some()).collect();
        let elements = if history.data_type().is_list() { history.num_ops() } else { 0 };
        let erases = Rows::new(elements, erases, |op| erased(op).unwrap_or_default());
        let mut sums = Vec::new();
        if history.data_type() == DataType::Counter {
            let mut sum = 0;
            sums.push(sum);
            for &op in &updates.items {
                if let Call::Increase(amount) = history.op(op).call {
                    sum += i128::from(amount);
                }
                sums.push(sum);
            }
        }
        Index { k, updates, sums, erases }
    }

    /// The updates of an object by a replica, in order.
    pub(crate) fn updates(&self, object: ObjectId, replica: Replica) -> &[OpId] {
        self.updates.row(object.index() * self.k + replica.index())
    }

    /// The sum of the first so many amounts by which a replica changed a counter.
    pub(crate) fn sum(&self, object: ObjectId, replica: Replica, count: usize) -> i128 {
        let start = self.updates.starts[object.index() * self.k + replica.index()] as usize;
        self.sums[start + count] - self.sums[start]
    }

    /// All updates of an object, replica by replica.
    pub(crate) fn all(&self, object: ObjectId) -> &[OpId] {
        let cell = object.index() * self.k;
        let starts = &self.updates.starts;
        &self.updates.items[starts[cell] as usize..starts[cell + self.k] as usize]
    }

    /// Who removed what this operation added to a list.
    pub(crate) fn erases(&self, added: OpId) -> &[OpId] {
        self.erases.row(added.index())
    }
}

/// Items by their row, within a row in the order given.
#[derive(Debug)]
pub(crate) struct Rows<T> {
    items: Vec<T>,
    starts: Vec<u32>,
}

impl<T: Copy> Rows<T> {
    pub(crate) fn new(rows: usize, items: Vec<T>, row: impl Fn(T) -> usize) -> Rows<T> {
        let mut starts = vec![0_u32; rows + 1];
        for &item in &items {
            starts[row(item) + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut sorted = items.clone();
        for item in items {
            let place = &mut next[row(item)];
            sorted[*place as usize] = item;
            *place += 1;
        }
        Rows { items: sorted, starts }
    }

    pub(crate) fn row(&self, row: usize) -> &[T] {
        &self.items[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}
