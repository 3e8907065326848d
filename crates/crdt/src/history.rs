//! What replicas did: one sequence of operations each, and what is known of who saw what.

use std::fmt;

use hobgoblin_core::{Key, Value};

use crate::data_type::{DataType, TypeOptions};

/// A replica of one [`CrdtHistory`]; dense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Replica(pub(crate) u32);

/// An operation of one [`CrdtHistory`]; dense, those of a replica one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpId(pub(crate) u32);

/// An operation of a builder: whose it is, and how many of that replica come before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OpRef {
    /// The number of the replica, in the order in which they were named.
    pub replica: u32,
    /// How many operations of the replica come before it.
    pub position: u32,
}

/// What operations are about: an element of the set, a flag, a register, a counter or a list. Dense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub(crate) u32);

/// A value of a register, or the name of an element of a list. Dense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub(crate) u32);

macro_rules! index {
    ($($id:ty),*) => {$(
        impl $id {
            /// Its place in tables.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}
index!(Replica, OpId, ObjectId, ValueId);

/// An element that a read of a list returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Item {
    /// The one that this operation added.
    Added(OpId),
    /// One that nobody added.
    Never(ValueId),
}

/// What an operation did or returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Nothing that says anything: it failed, had no effect, or its result is not known.
    Nothing,
    /// Put the element in, or enabled the flag.
    Add,
    /// Took it out, or disabled it.
    Remove,
    /// Added this to the counter.
    Increase(i64),
    /// Wrote this to the register.
    Write(ValueId),
    /// Wrote nothing over what the register held.
    Delete,
    /// Added an element to the list, after the one that this operation added or at the beginning.
    Insert {
        /// Where the element before it was added.
        anchor: Option<OpId>,
        /// Its name.
        element: ValueId,
    },
    /// Removed from the list what this operation added.
    Erase(OpId),
    /// Returned whether the element is in, or the flag enabled.
    Contains(bool),
    /// Returned all elements of the set, sorted; one that is there twice is a mistake.
    Elements(Box<[ObjectId]>),
    /// Returned this sum.
    Sum(i64),
    /// Returned this one value, or that there is none.
    Value(Option<ValueId>),
    /// Returned these values, sorted.
    Values(Box<[ValueId]>),
    /// Returned these elements of the list, in this order.
    Items(Box<[Item]>),
}

impl Call {
    /// Whether others can observe an effect of it.
    pub fn is_update(&self) -> bool {
        match self {
            Call::Add
            | Call::Remove
            | Call::Increase(_)
            | Call::Write(_)
            | Call::Delete
            | Call::Insert { .. }
            | Call::Erase(_) => true,
            Call::Nothing
            | Call::Contains(_)
            | Call::Elements(_)
            | Call::Sum(_)
            | Call::Value(_)
            | Call::Values(_)
            | Call::Items(_) => false,
        }
    }

    /// Whether it returned something that must be explained.
    pub fn is_read(&self) -> bool {
        !self.is_update() && *self != Call::Nothing
    }
}

/// One operation of a replica.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Op {
    /// Who did it.
    pub replica: Replica,
    /// What it did or returned.
    pub call: Call,
    /// What it is about. Of all elements of a set, and of [`Call::Nothing`], this means nothing.
    pub object: ObjectId,
    /// Whether nobody knows if it took place; an update.
    pub doubtful: bool,
}

/// How much of a replica's sequence an operation had observed, as far as that was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Who observed.
    pub op: OpId,
    /// Whose operations.
    pub of: Replica,
    /// At least this many of them, from the first on.
    pub least: u32,
    /// At most this many.
    pub most: u32,
}

/// When a write took place by its own account; compared part by part.
pub type Timestamp = Box<[Key]>;

/// What was recorded of one run of a replicated data type. It is built by a
/// [`CrdtHistoryBuilder`](crate::CrdtHistoryBuilder) and never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrdtHistory {
    pub(crate) data_type: DataType,
    pub(crate) options: TypeOptions,
    pub(crate) replicas: Vec<ReplicaOps>,
    pub(crate) ops: Vec<Op>,
    /// In the order of operations and then of replicas, each pair once.
    pub(crate) bounds: Vec<Bound>,
    pub(crate) objects: Vec<Value>,
    pub(crate) values: Vec<Value>,
    /// Of every operation, where there are any.
    pub(crate) timestamps: Vec<Option<Timestamp>>,
    /// The operations that must have observed every update of the other replicas that took place.
    pub(crate) finals: Vec<OpId>,
    /// How many replicas, the last ones, are not there but hold initial values.
    pub(crate) initial: u32,
}

/// A replica's name, and which operations are its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReplicaOps {
    pub(crate) name: Key,
    pub(crate) first: u32,
    pub(crate) len: u32,
}

impl CrdtHistory {
    /// The data type that was recorded.
    pub fn data_type(&self) -> DataType {
        self.data_type
    }

    /// What was chosen about it.
    pub fn options(&self) -> TypeOptions {
        self.options
    }

    /// How many replicas there are, those that hold initial values included.
    pub fn num_replicas(&self) -> usize {
        self.replicas.len()
    }

    /// Every replica, those that hold initial values last.
    pub fn replicas(&self) -> impl Iterator<Item = Replica> + use<> {
        (0..self.replicas.len() as u32).map(Replica)
    }

    /// How many operations there are, initial values included.
    pub fn num_ops(&self) -> usize {
        self.ops.len()
    }

    /// Every operation, replica by replica.
    pub fn ops(&self) -> impl DoubleEndedIterator<Item = OpId> + use<> {
        (0..self.ops.len() as u32).map(OpId)
    }

    /// The operations of a replica, in order.
    pub fn ops_of(&self, replica: Replica) -> impl DoubleEndedIterator<Item = OpId> + use<> {
        let ReplicaOps { first, len, .. } = self.replicas[replica.index()];
        (first..first + len).map(OpId)
    }

    /// How many operations a replica has.
    pub fn len_of(&self, replica: Replica) -> u32 {
        self.replicas[replica.index()].len
    }

    /// The operation of a replica that has so many before it.
    pub fn op_at(&self, replica: Replica, position: u32) -> OpId {
        let ReplicaOps { first, len, .. } = self.replicas[replica.index()];
        debug_assert!(position < len, "the replica has that many operations");
        OpId(first + position)
    }

    /// An operation.
    pub fn op(&self, op: OpId) -> &Op {
        &self.ops[op.index()]
    }

    /// How many operations of its own replica come before it.
    pub fn position(&self, op: OpId) -> u32 {
        op.0 - self.replicas[self.op(op).replica.index()].first
    }

    /// When an operation probably happened, if replicas went on at an even pace from beginning to end.
    pub(crate) fn moment(&self, op: OpId) -> u64 {
        let len = u64::from(self.len_of(self.op(op).replica));
        (2 * u64::from(self.position(op)) + 1) * (1 << 31) / len
    }

    /// What was recorded of who observed what.
    pub fn bounds(&self) -> &[Bound] {
        &self.bounds
    }

    /// What objects are called; their ids are the places here.
    pub fn objects(&self) -> &[Value] {
        &self.objects
    }

    /// The name of a replica.
    pub fn replica_name(&self, replica: Replica) -> &Key {
        &self.replicas[replica.index()].name
    }

    /// The name of an object.
    pub fn object(&self, object: ObjectId) -> &Value {
        &self.objects[object.index()]
    }

    /// A value.
    pub fn value(&self, value: ValueId) -> &Value {
        &self.values[value.index()]
    }

    /// When a write took place by its own account.
    pub fn timestamp(&self, op: OpId) -> Option<&Timestamp> {
        self.timestamps.get(op.index())?.as_ref()
    }

    /// Whether a replica is not there but holds initial values.
    pub fn is_initial(&self, replica: Replica) -> bool {
        replica.0 + self.initial >= self.replicas.len() as u32
    }

    /// The name of an operation: `A#3`, the fourth of replica A.
    pub fn name(&self, op: OpId) -> OpName<'_> {
        OpName { history: self, op }
    }

    /// The vectors of all operations, if all of them were recorded: of each operation and replica, how many of its
    /// operations had been observed.
    pub(crate) fn recorded_vectors(&self) -> Option<Vec<u32>> {
        let k = self.num_replicas();
        if self.bounds.len() != self.num_ops() * (k - k.min(1)) {
            return None;
        }
        let mut vectors = vec![0; self.num_ops() * k];
        for bound in &self.bounds {
            if bound.least != bound.most {
                return None;
            }
            vectors[bound.op.index() * k + bound.of.index()] = bound.least;
        }
        for op in self.ops() {
            vectors[op.index() * k + self.op(op).replica.index()] = self.position(op);
        }
        Some(vectors)
    }

    /// The same, in which only the reads that `keep` names returned something.
    pub fn forget_reads(&self, keep: impl Fn(OpId) -> bool) -> CrdtHistory {
        let mut part = self.clone();
        for (op, at) in part.ops.iter_mut().zip(0..) {
            if op.call.is_read() && !keep(OpId(at)) {
                op.call = Call::Nothing;
            }
        }
        part
    }
}

/// An operation by its replica and place; see [`CrdtHistory::name`].
#[derive(Clone, Copy, Debug)]
pub struct OpName<'a> {
    history: &'a CrdtHistory,
    op: OpId,
}

impl fmt::Display for OpName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let replica = self.history.op(self.op).replica;
        write!(f, "{}#{}", self.history.replica_name(replica), self.history.position(self.op))
    }
}
