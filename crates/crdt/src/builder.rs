//! Building a [`CrdtHistory`], operation by operation.
//!
//! Operations are given as [`Action`]s, with names. Once all are there, [`CrdtHistoryBuilder::finish`] turns names into
//! numbers, finds who added which element of a list, and refuses what means nothing.

use hashbrown::HashMap;
use hobgoblin_core::{Key, Value};

use crate::data_type::{Arbitration, DataType, Multiplicity, TypeOptions};
use crate::error::CrdtError;
use crate::history::{
    Bound, Call, CrdtHistory, Item, ObjectId, Op, OpId, OpRef, Replica, ReplicaOps, Timestamp,
    ValueId,
};

/// What an operation did or returned, by names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing that says anything: it failed, had no effect, or its result is not known.
    Nothing,
    /// Put the element in, or enabled the flag.
    Add(Value),
    /// Took it out, or disabled it.
    Remove(Value),
    /// Returned whether the element is in, or the flag enabled.
    Contains(Value, bool),
    /// Returned all elements of the set.
    Elements(Vec<Value>),
    /// Added to the counter.
    Increase(Value, i64),
    /// Returned the sum of the counter.
    Sum(Value, i64),
    /// Wrote the second to the register.
    Write(Value, Value),
    /// Wrote nothing over what the register held.
    Delete(Value),
    /// Returned the value of the register; null if there is none.
    Value(Value, Value),
    /// Returned the values of the register.
    Values(Value, Vec<Value>),
    /// Added an element to a list.
    Insert {
        /// The list; null is the one without a name.
        list: Value,
        /// The element before it; none at the beginning.
        after: Option<Value>,
        /// The new element.
        element: Value,
    },
    /// Removed an element from a list.
    Erase {
        /// The list; null is the one without a name.
        list: Value,
        /// The element.
        element: Value,
    },
    /// Returned the elements of a list.
    Items(Value, Vec<Value>),
}

impl Action {
    /// Whether operations of this type do or return such a thing.
    fn fits(&self, data_type: DataType) -> bool {
        match self {
            Action::Nothing => true,
            Action::Add(_) | Action::Remove(_) | Action::Contains(..) => data_type.is_membership(),
            Action::Elements(_) => matches!(data_type, DataType::AwSet | DataType::RwSet),
            Action::Increase(..) | Action::Sum(..) => data_type == DataType::Counter,
            Action::Write(..) | Action::Delete(_) => {
                matches!(data_type, DataType::Mvr | DataType::Lww)
            }
            Action::Value(..) => data_type == DataType::Lww,
            Action::Values(..) => data_type == DataType::Mvr,
            Action::Insert { .. } | Action::Erase { .. } | Action::Items(..) => data_type.is_list(),
        }
    }
}

#[derive(Debug)]
struct Draft {
    action: Action,
    doubtful: bool,
    is_final: bool,
    /// The exact vector, if it is known: replicas that it does not name were not observed.
    exact: Option<Vec<(u32, u64)>>,
    timestamp: Option<Timestamp>,
}

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
    data_type: DataType,
    options: TypeOptions,
    names: Vec<Key>,
    by_name: HashMap<Key, u32>,
    drafts: Vec<Vec<Draft>>,
    /// Who observed how much of whom: at least, and at most.
    bounds: Vec<(OpRef, u32, u64, u64)>,
    /// Who must have observed how much of whom: what is recorded may contradict that, and is then a violation.
    owed: Vec<(OpRef, u32, u64)>,
    initial: Vec<(Value, Start)>,
}

/// No upper bound.
const ANY: u64 = u64::MAX;

impl CrdtHistoryBuilder {
    /// A history without operations.
    pub fn new(data_type: DataType, options: TypeOptions) -> CrdtHistoryBuilder {
        CrdtHistoryBuilder {
            data_type,
            options,
            names: Vec::new(),
            by_name: HashMap::new(),
            drafts: Vec::new(),
            bounds: Vec::new(),
            owed: Vec::new(),
            initial: Vec::new(),
        }
    }

    /// The replica of this name; a new one at its first mention.
    pub fn replica(&mut self, name: Key) -> u32 {
        let CrdtHistoryBuilder { names, by_name, drafts, .. } = self;
        *by_name.entry(name).or_insert_with_key(|name| {
            names.push(name.clone());
            drafts.push(Vec::new());
            names.len() as u32 - 1
        })
    }

    /// The replica of this name, if it was mentioned.
    pub fn find_replica(&self, name: &Key) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    /// The next operation of a replica.
    pub fn op(&mut self, replica: u32, action: Action) -> OpRef {
        let drafts = &mut self.drafts[replica as usize];
        drafts.push(Draft {
            action,
            doubtful: false,
            is_final: false,
            exact: None,
            timestamp: None,
        });
        OpRef { replica, position: drafts.len() as u32 - 1 }
    }

    fn draft(&mut self, op: OpRef) -> &mut Draft {
        &mut self.drafts[op.replica as usize][op.position as usize]
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
        self.draft(op).timestamp = Some(timestamp);
    }

    /// This operation had observed exactly the first so many operations of these replicas, and none of others.
    pub fn sees(&mut self, op: OpRef, seen: &[(u32, u64)]) {
        self.draft(op).exact = Some(seen.to_vec());
    }

    /// This operation had observed at least the first `count` operations of the replica.
    pub fn sees_at_least(&mut self, op: OpRef, replica: u32, count: u64) {
        self.bounds.push((op, replica, count, ANY));
    }

    /// From this operation on, its replica must have observed the first `count` operations of the other, or all that
    /// the history has.
    pub fn synced(&mut self, op: OpRef, replica: u32, count: Option<u64>) {
        self.owed.push((op, replica, count.unwrap_or(WHOLE)));
    }

    /// This operation had observed at most the first `count` operations of the replica.
    pub fn sees_at_most(&mut self, op: OpRef, replica: u32, count: u64) {
        self.bounds.push((op, replica, 0, count));
    }

    /// The object begins with this instead of nothing.
    pub fn initial(&mut self, object: Value, start: Start) {
        self.initial.push((object, start));
    }

    /// The history, if it is one.
    pub fn finish(mut self) -> Result<CrdtHistory, CrdtError> {
        if self.options.arbitration == Arbitration::Timestamps && self.data_type != DataType::Lww {
            return Err(CrdtError::TimestampsOf(self.data_type));
        }
        let initial = self.add_initial()?;
        Finish::new(self)?.history(initial)
    }

    /// Turns initial values into operations of replicas that everybody has observed from the beginning. How many such
    /// replicas there are.
    fn add_initial(&mut self) -> Result<u32, CrdtError> {
        let real = self.names.len();
        for (object, start) in std::mem::take(&mut self.initial) {
            let actions = start.actions(self.data_type, &object)?;
            for (lane, actions) in actions.into_iter().enumerate() {
                while self.names.len() <= real + lane {
                    self.names.push(Key::from("initial"));
                    self.drafts.push(Vec::new());
                }
                for action in actions {
                    let op = self.op((real + lane) as u32, action);
                    self.timestamp(op, Box::new([]));
                    self.sees(op, &[]);
                }
            }
        }
        for lane in real..self.names.len() {
            let all = self.drafts[lane].len() as u64;
            for replica in (0..real).filter(|&r| !self.drafts[r].is_empty()) {
                let first = OpRef { replica: replica as u32, position: 0 };
                self.bounds.push((first, lane as u32, all, all));
            }
            for draft in self.drafts[..real].iter_mut().flatten() {
                if let Some(exact) = &mut draft.exact {
                    exact.push((lane as u32, all));
                }
            }
        }
        Ok((self.names.len() - real) as u32)
    }
}

/// Stands for the whole length of a replica, which is not known before the end.
const WHOLE: u64 = u64::MAX - 1;

/// What an object begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// An element that is in or a flag that is enabled, or not.
    Member(bool),
    /// A sum.
    Sum(i64),
    /// A value of a register; null is none.
    Value(Value),
    /// The values of a register, concurrent with each other.
    Values(Vec<Value>),
    /// The elements of a list, in this order.
    Items(Vec<Value>),
}

impl Start {
    /// The operations that lead to it, for one replica each.
    fn actions(self, data_type: DataType, object: &Value) -> Result<Vec<Vec<Action>>, CrdtError> {
        let name = || object.clone();
        Ok(match self {
            Start::Member(false) if data_type.is_membership() => Vec::new(),
            Start::Member(true) if data_type.is_membership() => vec![vec![Action::Add(name())]],
            Start::Sum(sum) if data_type == DataType::Counter => {
                vec![vec![Action::Increase(name(), sum)]]
            }
            Start::Value(Value::Null) if data_type == DataType::Lww => Vec::new(),
            Start::Value(value) if data_type == DataType::Lww => {
                vec![vec![Action::Write(name(), value)]]
            }
            Start::Values(values) if data_type == DataType::Mvr => {
                values.into_iter().map(|value| vec![Action::Write(name(), value)]).collect()
            }
            Start::Items(items) if data_type.is_list() => {
                let anchors = [None].into_iter().chain(items.clone().into_iter().map(Some));
                let inserts = anchors.zip(items);
                let insert = |(after, element)| Action::Insert { list: name(), after, element };
                vec![inserts.map(insert).collect()]
            }
            other => {
                return Err(CrdtError::Initial { object: name(), value: other.value() });
            }
        })
    }

    /// As a value, for messages.
    fn value(self) -> Value {
        match self {
            Start::Member(is) => Value::Bool(is),
            Start::Sum(sum) => Value::Int(sum),
            Start::Value(value) => value,
            Start::Values(values) | Start::Items(values) => {
                let texts: Vec<String> = values.iter().map(Value::to_string).collect();
                Value::Json(format!("[{}]", texts.join(",")).as_str().into())
            }
        }
    }
}

/// Names to numbers, in the order of their first use.
#[derive(Debug, Default)]
struct Numbers {
    numbers: HashMap<Value, u32>,
    names: Vec<Value>,
}

impl Numbers {
    fn number(&mut self, name: Value) -> u32 {
        let next = self.names.len() as u32;
        let Numbers { numbers, names } = self;
        *numbers.entry(name).or_insert_with_key(|name| {
            names.push(name.clone());
            next
        })
    }
}

/// The last step: names become numbers.
#[derive(Debug)]
struct Finish {
    builder: CrdtHistoryBuilder,
    replicas: Vec<ReplicaOps>,
    objects: Numbers,
    values: Numbers,
    /// Where each element of each list was added.
    added: HashMap<(u32, u32), OpId>,
}

impl Finish {
    fn new(builder: CrdtHistoryBuilder) -> Result<Finish, CrdtError> {
        let mut first = 0_u32;
        let mut replicas = Vec::new();
        for (name, drafts) in builder.names.iter().zip(&builder.drafts) {
            let len = u32::try_from(drafts.len()).map_err(|_| CrdtError::TooLarge)?;
            replicas.push(ReplicaOps { name: name.clone(), first, len });
            first = first.checked_add(len).ok_or(CrdtError::TooLarge)?;
        }
        let (objects, values) = (Numbers::default(), Numbers::default());
        Ok(Finish { builder, replicas, objects, values, added: HashMap::new() })
    }

    fn history(mut self, initial: u32) -> Result<CrdtHistory, CrdtError> {
        let drafts = std::mem::take(&mut self.builder.drafts);
        self.find_elements(&drafts)?;
        let mut last_update = vec![0; drafts.len()];
        for (last, drafts) in last_update.iter_mut().zip(&drafts) {
            // What is doubtful is asked for where it turns out to have taken place.
            let counts = |draft: &Draft| is_update(&draft.action) && !draft.doubtful;
            *last = drafts.iter().rposition(counts).map_or(0, |at| at as u64 + 1);
        }
        let mut exact = Vec::new();
        let mut finals = Vec::new();
        let mut ops = Vec::new();
        let mut timestamps = Vec::new();
        for (replica, drafts) in drafts.into_iter().enumerate() {
            for (position, draft) in drafts.into_iter().enumerate() {
                let op = OpRef { replica: replica as u32, position: position as u32 };
                if draft.is_final {
                    finals.push(OpId(ops.len() as u32));
                    for (of, &last) in
                        last_update.iter().enumerate().filter(|(of, _)| *of != replica)
                    {
                        self.builder.owed.push((op, of as u32, last));
                    }
                }
                exact.extend(draft.exact.map(|seen| (op, seen)));
                let writes = matches!(draft.action, Action::Write(..) | Action::Delete(_));
                let timestamp = draft.timestamp.filter(|_| writes);
                let wanted = self.builder.options.arbitration == Arbitration::Timestamps;
                if wanted && writes && timestamp.is_none() {
                    return Err(CrdtError::NoTimestamp { op });
                }
                timestamps.push(timestamp.filter(|_| wanted));
                let (call, object) = self.call(op, draft.action)?;
                let doubtful = draft.doubtful && call.is_update();
                let call = if draft.doubtful && call.is_read() { Call::Nothing } else { call };
                ops.push(Op {
                    replica: Replica(op.replica),
                    call,
                    object: ObjectId(object),
                    doubtful,
                });
            }
        }
        let bounds = self.bounds(&exact)?;
        let CrdtHistoryBuilder { data_type, options, .. } = self.builder;
        Ok(CrdtHistory {
            data_type,
            options,
            replicas: self.replicas,
            ops,
            bounds,
            objects: self.objects.names,
            values: self.values.names,
            timestamps,
            finals,
            initial,
        })
    }

    /// Finds where every element of a list was added.
    fn find_elements(&mut self, drafts: &[Vec<Draft>]) -> Result<(), CrdtError> {
        for (replica, drafts) in drafts.iter().enumerate() {
            for (position, draft) in drafts.iter().enumerate() {
                let Action::Insert { list, element, .. } = &draft.action else { continue };
                let op = OpRef { replica: replica as u32, position: position as u32 };
                let place =
                    (self.objects.number(list.clone()), self.values.number(element.clone()));
                let id = OpId(self.replicas[replica].first + op.position);
                if self.added.insert(place, id).is_some() {
                    return Err(CrdtError::AddedTwice { op, element: element.clone() });
                }
            }
        }
        Ok(())
    }

    /// Who added an element of a list.
    fn element(&mut self, op: OpRef, list: u32, element: Value) -> Result<OpId, CrdtError> {
        let value = self.values.number(element.clone());
        self.added.get(&(list, value)).copied().ok_or(CrdtError::NeverAdded { op, element })
    }

    fn call(&mut self, op: OpRef, action: Action) -> Result<(Call, u32), CrdtError> {
        if !action.fits(self.builder.data_type) {
            return Err(CrdtError::WrongType { op, data_type: self.builder.data_type });
        }
        Ok(match action {
            Action::Nothing => (Call::Nothing, 0),
            Action::Add(object) => (Call::Add, self.objects.number(object)),
            Action::Remove(object) => (Call::Remove, self.objects.number(object)),
            Action::Contains(object, is) => (Call::Contains(is), self.objects.number(object)),
            Action::Elements(elements) => {
                let mut found = Vec::with_capacity(elements.len());
                for element in elements {
                    let object = ObjectId(self.objects.number(element.clone()));
                    found.push(object);
                }
                found.sort_unstable();
                (Call::Elements(found.into()), 0)
            }
            Action::Increase(object, amount) => {
                (Call::Increase(amount), self.objects.number(object))
            }
            Action::Sum(object, sum) => (Call::Sum(sum), self.objects.number(object)),
            Action::Write(object, Value::Null) if self.builder.data_type == DataType::Lww => {
                (Call::Delete, self.objects.number(object))
            }
            Action::Write(object, value) => {
                (Call::Write(ValueId(self.values.number(value))), self.objects.number(object))
            }
            Action::Delete(object) => (Call::Delete, self.objects.number(object)),
            Action::Value(object, value) => {
                let value = match value {
                    Value::Null => None,
                    value => Some(ValueId(self.values.number(value))),
                };
                (Call::Value(value), self.objects.number(object))
            }
            Action::Values(object, values) => {
                let mut found: Vec<ValueId> =
                    values.into_iter().map(|value| ValueId(self.values.number(value))).collect();
                found.sort_unstable();
                if self.builder.options.multiplicity == Multiplicity::Set {
                    found.dedup();
                }
                (Call::Values(found.into()), self.objects.number(object))
            }
            Action::Insert { list, after, element } => {
                let list = self.objects.number(list);
                if after.as_ref() == Some(&element) {
                    return Err(CrdtError::AfterItself { op, element });
                }
                let anchor = after.map(|after| self.element(op, list, after)).transpose()?;
                let element = ValueId(self.values.number(element));
                (Call::Insert { anchor, element }, list)
            }
            Action::Erase { list, element } => {
                let list = self.objects.number(list);
                (Call::Erase(self.element(op, list, element)?), list)
            }
            Action::Items(list, items) => {
                let list = self.objects.number(list);
                let mut found = Vec::with_capacity(items.len());
                for item in items {
                    let value = self.values.number(item);
                    let added = self.added.get(&(list, value)).copied();
                    found.push(added.map_or(Item::Never(ValueId(value)), Item::Added));
                }
                (Call::Items(found.into()), list)
            }
        })
    }

    /// What is known of who observed what, every pair once and in order.
    fn bounds(&mut self, exact: &[(OpRef, Vec<(u32, u64)>)]) -> Result<Vec<Bound>, CrdtError> {
        let named = exact
            .iter()
            .flat_map(|(op, seen)| seen.iter().map(|&(of, count)| (*op, of, count, count)));
        let mut all =
            Vec::with_capacity(self.builder.bounds.len() + exact.len() * self.replicas.len());
        for (op, of, least, most) in self.builder.bounds.iter().copied().chain(named) {
            let len = u64::from(self.replicas[of as usize].len);
            self.in_range(op, of, least)?;
            if most != ANY {
                self.in_range(op, of, most)?;
            }
            if of == op.replica {
                let own = u64::from(op.position);
                if least > own || most < own {
                    let count = if least > own { least } else { most };
                    return Err(CrdtError::OwnReplica { op, count, own });
                }
                continue;
            }
            all.push(self.bound(op, of, least, most.min(len)));
        }
        for (op, seen) in exact {
            let is_named = |of: u32| of == op.replica || seen.iter().any(|&(named, _)| named == of);
            for of in (0..self.replicas.len() as u32).filter(|&of| !is_named(of)) {
                all.push(self.bound(*op, of, 0, 0));
            }
        }
        let recorded = merged(all);
        if let Some(&Bound { op, of, least, most }) = recorded.iter().find(|b| b.least > b.most) {
            let at = self.replicas.partition_point(|r| r.first + r.len <= op.0);
            let place = OpRef { replica: at as u32, position: op.0 - self.replicas[at].first };
            let of = self.replicas[of.index()].name.clone();
            let (least, most) = (u64::from(least), u64::from(most));
            return Err(CrdtError::Contradiction { op: place, of, least, most });
        }
        let mut all = recorded;
        for &(op, of, count) in &self.builder.owed {
            let len = u64::from(self.replicas[of as usize].len);
            let count = if count == WHOLE { len } else { count };
            self.in_range(op, of, count)?;
            if of != op.replica && count > 0 {
                all.push(self.bound(op, of, count, len));
            }
        }
        Ok(merged(all))
    }

    fn in_range(&self, op: OpRef, of: u32, count: u64) -> Result<(), CrdtError> {
        let ReplicaOps { name, len, .. } = &self.replicas[of as usize];
        let len = u64::from(*len);
        match count > len {
            true => Err(CrdtError::OutOfRange { op, of: name.clone(), count, len }),
            false => Ok(()),
        }
    }

    fn bound(&self, op: OpRef, of: u32, least: u64, most: u64) -> Bound {
        let id = OpId(self.replicas[op.replica as usize].first + op.position);
        Bound { op: id, of: Replica(of), least: least as u32, most: most as u32 }
    }
}

/// The bounds of each pair as one.
fn merged(mut all: Vec<Bound>) -> Vec<Bound> {
    all.sort_unstable_by_key(|bound| (bound.op, bound.of));
    all.dedup_by(|bound, first| {
        let same = (bound.op, bound.of) == (first.op, first.of);
        if same {
            first.least = first.least.max(bound.least);
            first.most = first.most.min(bound.most);
        }
        same
    });
    all
}

fn is_update(action: &Action) -> bool {
    match action {
        Action::Add(_)
        | Action::Remove(_)
        | Action::Increase(..)
        | Action::Write(..)
        | Action::Delete(_)
        | Action::Insert { .. }
        | Action::Erase { .. } => true,
        Action::Nothing
        | Action::Contains(..)
        | Action::Elements(_)
        | Action::Sum(..)
        | Action::Value(..)
        | Action::Values(..)
        | Action::Items(..) => false,
    }
}
