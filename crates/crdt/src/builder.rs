//! Building a [`CrdtHistory`], operation by operation.
//!
//! Operations are given as [`Action`]s, with names, and kept by the numbers of these. Once all are there,
//! [`CrdtHistoryBuilder::finish`] finds who added which element of a list, and refuses what means nothing.

mod action;
mod bounds;
mod draft;
mod elements;
mod finish;
mod names;

use hashbrown::HashMap;
use hobgoblin_core::{Key, Value};

use crate::data_type::{Arbitration, DataType, TypeOptions};
use crate::error::CrdtError;
use crate::history::{CrdtHistory, Item, ObjectId, OpRef, Timestamp, ValueId};

pub use action::{Action, Start};
use bounds::Recorded;
pub(crate) use draft::Step;
use draft::{HistoryDraft, OpDraft};
use finish::finish;
pub(crate) use names::Names;

/// Builds a [`CrdtHistory`] operation by operation; names become numbers, and what means nothing is refused, at the end.
///
/// ```
/// use hobgoblin_crdt::{Action, CrdtHistoryBuilder, DataType, CrdtVerdict, Limits, TypeOptions, check};
///
/// // B has seen A's add and removes; A has not seen the remove, and yet the element is gone there.
/// let mut history = CrdtHistoryBuilder::new(DataType::AwSet, TypeOptions::default());
/// let (a, b) = (history.replica("A".into()), history.replica("B".into()));
/// let add = history.op(a, Action::Add("x".into()));
/// let remove = history.op(b, Action::Remove("x".into()));
/// let read = history.op(a, Action::Contains("x".into(), false));
/// for (op, seen) in [(add, &[][..]), (remove, &[(a, 1)]), (read, &[])] {
///     history.sees(op, seen);
/// }
/// let verdict = check(&history.finish()?, &Limits::none());
/// assert!(matches!(verdict, CrdtVerdict::Violation(_)));
/// # Ok::<(), hobgoblin_crdt::CrdtError>(())
/// ```
#[derive(Debug)]
pub struct CrdtHistoryBuilder {
    draft: HistoryDraft,
    by_name: HashMap<Key, u32>,
    initial: Vec<(Value, Start)>,
}

impl CrdtHistoryBuilder {
    /// A history without operations.
    pub fn new(data_type: DataType, options: TypeOptions) -> CrdtHistoryBuilder {
        let draft = HistoryDraft {
            data_type,
            options,
            replicas: Vec::new(),
            ops: Vec::new(),
            objects: Names::default(),
            values: Names::default(),
            recorded: Recorded::default(),
            timestamps: Vec::new(),
            initial: 0,
        };
        CrdtHistoryBuilder { draft, by_name: HashMap::new(), initial: Vec::new() }
    }

    /// The replica of this name; a new one at its first mention.
    pub fn replica(&mut self, name: Key) -> u32 {
        let HistoryDraft { replicas, ops, .. } = &mut self.draft;
        *self.by_name.entry(name).or_insert_with_key(|name| {
            replicas.push(name.clone());
            ops.push(Vec::new());
            replicas.len() as u32 - 1
        })
    }

    /// The replica of this name, if it was mentioned.
    pub fn find_replica(&self, name: &Key) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    /// The next operation of a replica.
    pub fn op(&mut self, replica: u32, action: Action) -> OpRef {
        let step = self.numbered(action);
        self.step(replica, step)
    }

    /// The next operation of a replica, by the numbers of names.
    pub(crate) fn step(&mut self, replica: u32, step: Step) -> OpRef {
        let ops = &mut self.draft.ops[replica as usize];
        ops.push(OpDraft { step, doubtful: false, is_final: false });
        OpRef { replica, position: ops.len() as u32 - 1 }
    }

    /// The objects that were named so far.
    pub(crate) fn objects(&mut self) -> &mut Names {
        &mut self.draft.objects
    }

    /// The values and elements of lists that were named so far.
    pub(crate) fn values(&mut self) -> &mut Names {
        &mut self.draft.values
    }

    fn numbered(&mut self, action: Action) -> Step {
        let HistoryDraft { data_type, objects, values, .. } = &mut self.draft;
        let mut object = |name| ObjectId(objects.number(name));
        let mut value = |name| ValueId(values.number(name));
        match action {
            Action::Nothing => Step::Nothing,
            Action::Add(name) => Step::Add(object(name)),
            Action::Remove(name) => Step::Remove(object(name)),
            Action::Contains(name, is) => Step::Contains(object(name), is),
            Action::Elements(names) => Step::Elements(names.into_iter().map(object).collect()),
            Action::Increase(name, amount) => Step::Increase(object(name), amount),
            Action::Sum(name, sum) => Step::Sum(object(name), sum),
            Action::Write(name, Value::Null) if *data_type == DataType::Lww => {
                Step::Delete(object(name))
            }
            Action::Write(name, written) => Step::Write(object(name), value(written)),
            Action::Delete(name) => Step::Delete(object(name)),
            Action::Value(name, Value::Null) => Step::Value(object(name), None),
            Action::Value(name, read) => Step::Value(object(name), Some(value(read))),
            Action::Values(name, read) => {
                Step::Values(object(name), read.into_iter().map(value).collect())
            }
            Action::Insert { list, after, element } => Step::Insert {
                list: object(list),
                after: after.map(&mut value),
                element: value(element),
            },
            Action::Erase { list, element } => {
                Step::Erase { list: object(list), element: value(element) }
            }
            Action::Items(list, items) => {
                let items = items.into_iter().map(|item| Item::Never(value(item)));
                Step::Items(object(list), items.collect())
            }
        }
    }

    fn draft(&mut self, op: OpRef) -> &mut OpDraft {
        &mut self.draft.ops[op.replica as usize][op.position as usize]
    }

    /// It is not known whether this operation took place.
    pub fn doubtful(&mut self, op: OpRef) {
        self.draft(op).doubtful = true;
    }

    /// This operation observed every update of every other replica.
    pub fn observes_all(&mut self, op: OpRef) {
        self.draft(op).is_final = true;
    }

    /// When a write took place by its own account.
    pub fn timestamp(&mut self, op: OpRef, timestamp: Timestamp) {
        if self.draft.options.arbitration == Arbitration::Timestamps {
            self.draft.timestamps.push((op, timestamp));
        }
    }

    /// This operation had observed exactly the first so many operations of these replicas, and none of others.
    pub fn sees(&mut self, op: OpRef, seen: &[(u32, u64)]) {
        self.draft.recorded.exactly(op, seen);
    }

    /// This operation had observed at least the first `count` operations of the replica.
    pub fn sees_at_least(&mut self, op: OpRef, replica: u32, count: u64) {
        self.draft.recorded.at_least(op, replica, count);
    }

    /// From this operation on, its replica must have observed the first `count` operations of the other, or all that
    /// the history has.
    pub fn synced(&mut self, op: OpRef, replica: u32, count: Option<u64>) {
        self.draft.recorded.owes(op, replica, count);
    }

    /// This operation had observed at most the first `count` operations of the replica.
    pub fn sees_at_most(&mut self, op: OpRef, replica: u32, count: u64) {
        self.draft.recorded.between(op, replica, 0, count);
    }

    /// The object begins with this instead of nothing.
    pub fn initial(&mut self, object: Value, start: Start) {
        self.initial.push((object, start));
    }

    /// The history, if it is one.
    pub fn finish(mut self) -> Result<CrdtHistory, CrdtError> {
        let HistoryDraft { data_type, options, .. } = self.draft;
        if options.arbitration == Arbitration::Timestamps && data_type != DataType::Lww {
            return Err(CrdtError::TimestampsOf(data_type));
        }
        self.add_initial()?;
        finish(self.draft)
    }

    /// Turns initial values into operations of replicas that everybody has observed from the beginning.
    fn add_initial(&mut self) -> Result<(), CrdtError> {
        let real = self.draft.replicas.len();
        for (object, start) in std::mem::take(&mut self.initial) {
            let actions = start.actions(self.draft.data_type, &object)?;
            for (lane, actions) in actions.into_iter().enumerate() {
                while self.draft.replicas.len() <= real + lane {
                    self.draft.replicas.push(Key::from("initial"));
                    self.draft.ops.push(Vec::new());
                }
                for action in actions {
                    let op = self.op((real + lane) as u32, action);
                    self.timestamp(op, Box::new([]));
                    self.sees(op, &[]);
                }
            }
        }
        let HistoryDraft { replicas, ops, recorded, initial, .. } = &mut self.draft;
        for lane in real..replicas.len() {
            let all = ops[lane].len() as u64;
            for replica in (0..real).filter(|&replica| !ops[replica].is_empty()) {
                let first = OpRef { replica: replica as u32, position: 0 };
                recorded.between(first, lane as u32, all, all);
            }
        }
        *initial = (replicas.len() - real) as u32;
        Ok(())
    }
}
