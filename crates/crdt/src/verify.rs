//! Replays a witness, operation by operation, as a replica would: a short verifier that knows the definitions, and
//! nothing of the search.
//!
//! Every replica goes through its operations. What its vector says it has newly observed is applied to what it holds
//! of each object, and every read is compared with that.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};

use crate::data_type::{Arbitration, DataType, Multiplicity};
use crate::history::{Call, CrdtHistory, Item, ObjectId, OpId, Replica, ValueId};
use crate::verdict::CrdtWitness;

/// Why a witness shows nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotShown(pub String);

impl std::fmt::Display for NotShown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotShown {}

/// Verifies that a witness is an execution that the data type admits, and that all reads returned what they must.
pub fn verify(history: &CrdtHistory, witness: &CrdtWitness) -> Result<(), NotShown> {
    let replay = Replay::new(history, witness)?;
    replay.vectors()?;
    replay.order()?;
    history.replicas().try_for_each(|replica| replay.replica(replica))
}

struct Replay<'a> {
    history: &'a CrdtHistory,
    witness: &'a CrdtWitness,
    happened: HashSet<OpId>,
    /// The place of every update in the order, if there is one.
    rank: HashMap<OpId, usize>,
    /// The place of every element of a growable array among all elements of its list.
    place: HashMap<OpId, usize>,
}

fn fail<T>(message: String) -> Result<T, NotShown> {
    Err(NotShown(message))
}

impl<'a> Replay<'a> {
    fn new(history: &'a CrdtHistory, witness: &'a CrdtWitness) -> Result<Replay<'a>, NotShown> {
        if witness.observed.len() != history.num_ops() * history.num_replicas() {
            return fail("there is not one vector for each operation".to_owned());
        }
        let mut replay = Replay {
            history,
            witness,
            happened: witness.happened.iter().copied().collect(),
            rank: witness.order.iter().enumerate().map(|(at, &op)| (op, at)).collect(),
            place: HashMap::new(),
        };
        match history.data_type() {
            DataType::Rga => replay.place_elements(),
            DataType::List => replay.place = replay.rank.clone(),
            _ => {}
        }
        Ok(replay)
    }

    fn took_place(&self, op: OpId) -> bool {
        !self.history.op(op).doubtful || self.happened.contains(&op)
    }

    fn is_update(&self, op: OpId) -> bool {
        self.history.op(op).call.is_update() && self.took_place(op)
    }

    fn vector(&self, op: OpId) -> &[u32] {
        let k = self.history.num_replicas();
        &self.witness.observed[op.index() * k..][..k]
    }

    fn sees(&self, by: OpId, op: OpId) -> bool {
        self.vector(by)[self.history.op(op).replica.index()] > self.history.position(op)
    }

    /// Vectors grow along replicas and are passed on, nobody observes the future, and what was recorded fits.
    fn vectors(&self) -> Result<(), NotShown> {
        let history = self.history;
        for op in history.ops() {
            let vector = self.vector(op);
            let name = history.name(op);
            let position = history.position(op);
            for of in history.replicas() {
                let seen = vector[of.index()];
                if of == history.op(op).replica {
                    if seen != position {
                        return fail(format!("{name} is not in its own place"));
                    }
                    continue;
                }
                if seen > history.len_of(of) {
                    return fail(format!("{name} observed more than there is"));
                }
                let before = (position > 0).then(|| OpId(op.0 - 1));
                let last = (seen > 0).then(|| history.op_at(of, seen - 1));
                for other in before.into_iter().chain(last) {
                    if self.vector(other).iter().zip(vector).any(|(less, more)| less > more) {
                        return fail(format!(
                            "{name} did not observe all that {} did",
                            history.name(other)
                        ));
                    }
                }
            }
        }
        for bound in history.bounds() {
            let seen = self.vector(bound.op)[bound.of.index()];
            if seen < bound.least || seen > bound.most {
                return fail(format!(
                    "{} did not observe what was recorded",
                    history.name(bound.op)
                ));
            }
        }
        for &by in &history.finals {
            let others = |op: &OpId| history.op(*op).replica != history.op(by).replica;
            if history.ops().filter(others).any(|op| self.is_update(op) && !self.sees(by, op)) {
                return fail(format!("{} did not observe every update", history.name(by)));
            }
        }
        Ok(())
    }

    /// The order has every update once, and what an update observed before it.
    fn order(&self) -> Result<(), NotShown> {
        let history = self.history;
        let arbitration = history.options().arbitration;
        match history.data_type() {
            DataType::Lww if arbitration != Arbitration::Timestamps => {}
            DataType::Rga => {}
            _ => return Ok(()),
        }
        // Of every replica, and of every object if each has its own order, where its updates stand.
        let group = |op: OpId, of: Replica| match arbitration {
            Arbitration::PerKey => (Some(history.op(op).object), of),
            _ => (None, of),
        };
        let mut updates: HashMap<(Option<ObjectId>, Replica), Vec<OpId>> = HashMap::new();
        for op in history.ops().filter(|&op| self.is_update(op)) {
            updates.entry(group(op, history.op(op).replica)).or_default().push(op);
        }
        for op in history.ops().filter(|&op| self.is_update(op)) {
            let Some(&rank) = self.rank.get(&op) else {
                return fail(format!("{} is not in the order", history.name(op)));
            };
            for of in history.replicas() {
                let Some(updates) = updates.get(&group(op, of)) else { continue };
                // The last one is enough: those before it come before it.
                let seen = updates.partition_point(|&other| self.sees(op, other));
                if let Some(last) = updates[..seen].last()
                    && self.rank.get(last).is_none_or(|&other| other >= rank)
                {
                    return fail(format!("{} comes before what it observed", history.name(op)));
                }
            }
        }
        Ok(())
    }

    /// All elements of growable arrays, depth first, those added later first.
    fn place_elements(&mut self) {
        let mut below: BTreeMap<(ObjectId, Option<OpId>), Vec<OpId>> = BTreeMap::new();
        for op in self.history.ops().filter(|&op| self.is_update(op)) {
            if let Call::Insert { anchor, .. } = self.history.op(op).call {
                below.entry((self.history.op(op).object, anchor)).or_default().push(op);
            }
        }
        for siblings in below.values_mut() {
            // On a stack the last is taken first.
            siblings.sort_by_key(|op| self.rank.get(op));
        }
        let mut next = 0;
        for object in (0..self.history.objects().len() as u32).map(ObjectId) {
            let mut stack = below.get(&(object, None)).cloned().unwrap_or_default();
            while let Some(op) = stack.pop() {
                self.place.insert(op, next);
                next += 1;
                stack.extend(below.get(&(object, Some(op))).into_iter().flatten());
            }
        }
    }

    /// Goes through the operations of a replica with what it holds.
    fn replica(&self, replica: Replica) -> Result<(), NotShown> {
        let mut held = Held::default();
        let mut seen = vec![0; self.history.num_replicas()];
        for op in self.history.ops_of(replica) {
            for of in self.history.replicas() {
                let upto = self.vector(op)[of.index()];
                for position in seen[of.index()]..upto {
                    self.apply(&mut held, self.history.op_at(of, position));
                }
                seen[of.index()] = upto;
            }
            if !self.agrees(&mut held, op) {
                return fail(format!("{} returned something else", self.history.name(op)));
            }
        }
        Ok(())
    }

    /// Takes in an operation that a replica has newly observed.
    fn apply(&self, held: &mut Held, op: OpId) {
        if !self.is_update(op) {
            return;
        }
        let object = held.objects.entry(self.history.op(op).object).or_default();
        match self.history.op(op).call {
            Call::Increase(amount) => object.sum += i128::from(amount),
            Call::Insert { .. } => {
                object.added.insert(op);
                if !object.erased.contains(&op) {
                    object.present.insert(self.place.get(&op).copied().unwrap_or(usize::MAX), op);
                }
            }
            Call::Erase(added) => {
                object.erased.insert(added);
                if object.added.contains(&added) {
                    object.present.remove(&self.place.get(&added).copied().unwrap_or(usize::MAX));
                }
            }
            _ => {
                object.visible.retain(|&other| !self.overrides(op, other));
                if !object.visible.iter().any(|&other| self.overrides(other, op)) {
                    object.visible.push(op);
                }
            }
        }
    }

    /// Whether nobody who has the first needs the second any more.
    fn overrides(&self, op: OpId, other: OpId) -> bool {
        match (self.history.data_type(), self.history.options().arbitration) {
            (DataType::Lww, Arbitration::Timestamps) => {
                self.history.timestamp(op) > self.history.timestamp(other)
            }
            (DataType::Lww, _) => self.rank.get(&op) > self.rank.get(&other),
            _ => self.sees(op, other),
        }
    }

    /// Whether an operation did or returned what it must, given what its replica holds.
    fn agrees(&self, held: &mut Held, op: OpId) -> bool {
        let info = self.history.op(op);
        if !self.took_place(op) {
            return true;
        }
        let object = held.objects.entry(info.object).or_default();
        match &info.call {
            Call::Nothing
            | Call::Add
            | Call::Remove
            | Call::Increase(_)
            | Call::Write(_)
            | Call::Delete => true,
            Call::Insert { anchor, .. } => self.may_insert(object, op, *anchor),
            Call::Erase(added) => object.added.contains(added),
            Call::Contains(is_in) => self.contains(object) == *is_in,
            Call::Elements(elements) => {
                let all = held.objects.iter().filter(|(_, object)| self.contains(object));
                let mut found: Vec<ObjectId> = all.map(|(&object, _)| object).collect();
                found.sort_unstable();
                found[..] == elements[..]
            }
            Call::Sum(sum) => object.sum == i128::from(*sum),
            Call::Value(value) => {
                let visible = &object.visible;
                match value {
                    None => {
                        visible.is_empty() || visible.iter().any(|&op| self.value(op).is_none())
                    }
                    Some(_) => visible.iter().any(|&op| self.value(op) == *value),
                }
            }
            Call::Values(values) => {
                let visible = object.visible.iter();
                let mut found: Vec<ValueId> = visible.filter_map(|&op| self.value(op)).collect();
                found.sort_unstable();
                if self.history.options().multiplicity == Multiplicity::Set {
                    found.dedup();
                }
                found[..] == values[..]
            }
            Call::Items(items) => {
                let present = object.present.values();
                present.copied().map(Item::Added).eq(items.iter().copied())
            }
        }
    }

    fn value(&self, op: OpId) -> Option<ValueId> {
        match self.history.op(op).call {
            Call::Write(value) => Some(value),
            _ => None,
        }
    }

    /// Whether an element is in, by the updates of it that no other visible one observed.
    fn contains(&self, object: &Object) -> bool {
        let is_add = |op: &OpId| self.history.op(*op).call == Call::Add;
        match self.history.data_type() {
            DataType::AwSet | DataType::EwFlag => object.visible.iter().any(is_add),
            _ => !object.visible.is_empty() && object.visible.iter().all(is_add),
        }
    }

    fn may_insert(&self, object: &Object, op: OpId, anchor: Option<OpId>) -> bool {
        if let Some(anchor) = anchor {
            let gone = self.history.options().strict_anchor && object.erased.contains(&anchor);
            if gone || !object.added.contains(&anchor) {
                return false;
            }
        }
        let (Some(&place), true) =
            (self.place.get(&op), self.history.data_type() == DataType::List)
        else {
            return self.place.contains_key(&op);
        };
        let after = anchor.and_then(|anchor| self.place.get(&anchor).copied());
        let start = after.map_or(0, |after| after + 1);
        start <= place && object.present.range(start..place).next().is_none()
    }
}

/// What a replica holds.
#[derive(Default)]
struct Held {
    objects: HashMap<ObjectId, Object>,
}

/// What a replica holds of one object.
#[derive(Default)]
struct Object {
    /// The updates that no other one has made obsolete.
    visible: Vec<OpId>,
    sum: i128,
    added: HashSet<OpId>,
    erased: HashSet<OpId>,
    /// The elements of a list by their place.
    present: BTreeMap<usize, OpId>,
}
