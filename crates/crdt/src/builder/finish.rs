//! The end of building: names get their last numbers, and what means nothing is refused.
//!
//! Objects and values are numbered in the order in which the history uses them, replica by replica; those of lists
//! first where elements are added. So two histories that say the same have the same numbers, in whatever order their
//! builders were told.

use hobgoblin_core::Value;

use super::draft::{HistoryDraft, OpDraft, Step};
use super::elements::Elements;
use super::names::Names;
use crate::data_type::{Arbitration, DataType, Multiplicity, TypeOptions};
use crate::error::CrdtError;
use crate::history::{
    Call, CrdtHistory, Item, ObjectId, Op, OpId, OpRef, Replica, ReplicaOps, Timestamp, ValueId,
};

/// No number yet.
const NONE: u32 = u32::MAX;

/// The numbers of names in the order of their use.
#[derive(Debug)]
struct Order {
    names: Vec<Value>,
    /// By the numbers that names were given first.
    numbers: Vec<u32>,
    used: Vec<u32>,
}

impl Order {
    fn new(names: Names) -> Order {
        let names = names.into_names();
        Order { numbers: vec![NONE; names.len()], names, used: Vec::new() }
    }

    fn number(&mut self, first: u32) -> u32 {
        let number = &mut self.numbers[first as usize];
        if *number == NONE {
            *number = self.used.len() as u32;
            self.used.push(first);
        }
        *number
    }

    /// The names that are used.
    fn into_names(mut self) -> Vec<Value> {
        let name = |&first: &u32| std::mem::take(&mut self.names[first as usize]);
        self.used.iter().map(name).collect()
    }
}

/// The finished history, if it is one.
pub(super) fn finish(mut draft: HistoryDraft) -> Result<CrdtHistory, CrdtError> {
    let ops = std::mem::take(&mut draft.ops);
    let mut replicas = Vec::with_capacity(ops.len());
    let mut first = 0_u32;
    for (name, ops) in draft.replicas.into_iter().zip(&ops) {
        let len = u32::try_from(ops.len()).map_err(|_| CrdtError::TooLarge)?;
        replicas.push(ReplicaOps { name, first, len });
        first = first.checked_add(len).ok_or(CrdtError::TooLarge)?;
    }
    let (objects, values) = (Order::new(draft.objects), Order::new(draft.values));
    let mut finish = Finish {
        data_type: draft.data_type,
        options: draft.options,
        elements: Elements::new(values.names.len()),
        objects,
        values,
        timestamps: Vec::new(),
    };
    finish.find_elements(&ops, &replicas)?;
    finish.place_timestamps(draft.timestamps, &replicas, first);
    let last_updates: Vec<u64> = ops.iter().map(|ops| last_update(ops)).collect();
    let mut recorded = draft.recorded;
    let mut finals = Vec::new();
    let mut finished = Vec::with_capacity(first as usize);
    for (ops, replica) in ops.into_iter().zip(0..) {
        for (draft, position) in ops.into_iter().zip(0..) {
            let op = OpRef { replica, position };
            if draft.is_final {
                finals.push(OpId(finished.len() as u32));
                let others = (0..).zip(&last_updates).filter(|(of, _)| *of != replica);
                others.for_each(|(of, &last)| recorded.owes(op, of, Some(last)));
            }
            let id = finished.len();
            finished.push(finish.op(op, id, draft)?);
        }
    }
    let bounds = recorded.bounds(&replicas, draft.initial)?;
    Ok(CrdtHistory {
        data_type: finish.data_type,
        options: finish.options,
        replicas,
        ops: finished,
        bounds,
        objects: finish.objects.into_names(),
        values: finish.values.into_names(),
        timestamps: finish.timestamps,
        finals,
        initial: draft.initial,
    })
}

/// How many operations of a replica there are up to its last update. What is doubtful is asked for where it turns out
/// to have taken place.
fn last_update(ops: &[OpDraft]) -> u64 {
    let counts = |op: &OpDraft| op.step.is_update() && !op.doubtful;
    ops.iter().rposition(counts).map_or(0, |at| at as u64 + 1)
}

/// What the end of each operation needs to know of the others.
#[derive(Debug)]
struct Finish {
    data_type: DataType,
    options: TypeOptions,
    objects: Order,
    values: Order,
    elements: Elements,
    timestamps: Vec<Option<Timestamp>>,
}

impl Finish {
    /// Finds where every element of a list was added.
    fn find_elements(
        &mut self,
        ops: &[Vec<OpDraft>],
        replicas: &[ReplicaOps],
    ) -> Result<(), CrdtError> {
        for ((ops, replica), ReplicaOps { first, .. }) in ops.iter().zip(0..).zip(replicas) {
            for (op, position) in ops.iter().zip(0..) {
                let Step::Insert { list, element, .. } = op.step else { continue };
                self.object(list);
                self.value(element);
                if !self.elements.add(list, element, OpId(first + position)) {
                    let element = self.values.names[element.index()].clone();
                    return Err(CrdtError::AddedTwice { op: OpRef { replica, position }, element });
                }
            }
        }
        Ok(())
    }

    /// Gives every operation its timestamp, if they are to order writes.
    fn place_timestamps(
        &mut self,
        timestamps: Vec<(OpRef, Timestamp)>,
        replicas: &[ReplicaOps],
        ops: u32,
    ) {
        if self.options.arbitration == Arbitration::Timestamps {
            self.timestamps = vec![None; ops as usize];
            for (op, timestamp) in timestamps {
                let id = replicas[op.replica as usize].first + op.position;
                self.timestamps[id as usize] = Some(timestamp);
            }
        }
    }

    fn op(&mut self, op: OpRef, id: usize, draft: OpDraft) -> Result<Op, CrdtError> {
        if let Some(timestamp) = self.timestamps.get_mut(id) {
            match draft.step.is_write() {
                true if timestamp.is_none() => return Err(CrdtError::NoTimestamp { op }),
                true => {}
                false => *timestamp = None,
            }
        }
        let (call, object) = self.call(op, draft.step)?;
        let doubtful = draft.doubtful && call.is_update();
        let call = if draft.doubtful && call.is_read() { Call::Nothing } else { call };
        Ok(Op { replica: Replica(op.replica), call, object, doubtful })
    }

    fn object(&mut self, object: ObjectId) -> ObjectId {
        ObjectId(self.objects.number(object.0))
    }

    fn value(&mut self, value: ValueId) -> ValueId {
        ValueId(self.values.number(value.0))
    }

    /// Who added an element of a list.
    fn element(&self, op: OpRef, list: ObjectId, element: ValueId) -> Result<OpId, CrdtError> {
        self.elements.added(list, element).ok_or_else(|| {
            let element = self.values.names[element.index()].clone();
            CrdtError::NeverAdded { op, element }
        })
    }

    fn call(&mut self, op: OpRef, step: Step) -> Result<(Call, ObjectId), CrdtError> {
        if !step.fits(self.data_type) {
            return Err(CrdtError::WrongType { op, data_type: self.data_type });
        }
        Ok(match step {
            Step::Nothing => (Call::Nothing, ObjectId(0)),
            Step::Add(object) => (Call::Add, self.object(object)),
            Step::Remove(object) => (Call::Remove, self.object(object)),
            Step::Contains(object, is) => (Call::Contains(is), self.object(object)),
            Step::Elements(mut elements) => {
                elements.iter_mut().for_each(|element| *element = self.object(*element));
                elements.sort_unstable();
                (Call::Elements(elements), ObjectId(0))
            }
            Step::Increase(object, amount) => (Call::Increase(amount), self.object(object)),
            Step::Sum(object, sum) => (Call::Sum(sum), self.object(object)),
            Step::Write(object, value) => (Call::Write(self.value(value)), self.object(object)),
            Step::Delete(object) => (Call::Delete, self.object(object)),
            Step::Value(object, value) => {
                (Call::Value(value.map(|value| self.value(value))), self.object(object))
            }
            Step::Values(object, values) => {
                (Call::Values(self.result(values)), self.object(object))
            }
            Step::Insert { after: Some(after), element, .. } if after == element => {
                let element = self.values.names[element.index()].clone();
                return Err(CrdtError::AfterItself { op, element });
            }
            Step::Insert { list, after, element } => {
                let anchor = after.map(|after| self.element(op, list, after)).transpose()?;
                (Call::Insert { anchor, element: self.value(element) }, self.object(list))
            }
            Step::Erase { list, element } => {
                (Call::Erase(self.element(op, list, element)?), self.object(list))
            }
            Step::Items(list, mut items) => {
                items.iter_mut().for_each(|item| *item = self.item(list, *item));
                (Call::Items(items), self.object(list))
            }
        })
    }

    /// What a register returned, sorted.
    fn result(&mut self, mut values: Box<[ValueId]>) -> Box<[ValueId]> {
        values.iter_mut().for_each(|value| *value = self.value(*value));
        values.sort_unstable();
        if self.options.multiplicity == Multiplicity::Multiset {
            return values;
        }
        let mut values = values.into_vec();
        values.dedup();
        values.into()
    }

    /// Who added what a list returned, if anybody did.
    fn item(&mut self, list: ObjectId, item: Item) -> Item {
        let Item::Never(element) = item else { return item };
        match self.elements.added(list, element) {
            Some(op) => Item::Added(op),
            None => Item::Never(self.value(element)),
        }
    }
}
