//! One history in plain structs, as the reader leaves it.
//!
//! Operations live in one table, replica after replica, and are named by their place in it. Keys,
//! values and list names are small numbers too: equal numbers, equal JSON values. An operation
//! about which nothing can be said (a `sync`, a `noop`, a failed call, a read whose result is
//! unknown) is [`Act::Idle`]: it has a place and a vector, and that is all.

use std::collections::{BTreeMap, BTreeSet};

/// The replicated types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A set in which an add wins over a concurrent remove.
    AwSet,
    /// A set in which a remove wins over a concurrent add.
    RwSet,
    /// Flags in which an enable wins over a concurrent disable.
    EwFlag,
    /// Flags in which a disable wins over a concurrent enable.
    DwFlag,
    /// Registers that keep all concurrent values.
    Mvr,
    /// Registers that keep the last value of a total order.
    Lww,
    /// Counters.
    Counter,
    /// Lists ordered by the tree of anchors and a total order of the insertions.
    Rga,
    /// Lists ordered by any one total order of their elements.
    List,
}

impl Kind {
    /// Every type with its name in files.
    pub const ALL: [(&'static str, Kind); 9] = [
        ("aw-set", Kind::AwSet),
        ("rw-set", Kind::RwSet),
        ("ew-flag", Kind::EwFlag),
        ("dw-flag", Kind::DwFlag),
        ("mvr", Kind::Mvr),
        ("lww", Kind::Lww),
        ("counter", Kind::Counter),
        ("rga", Kind::Rga),
        ("list", Kind::List),
    ];

    /// The type of this name.
    pub fn named(name: &str) -> Option<Kind> {
        Kind::ALL.iter().find(|(known, _)| *known == name).map(|&(_, kind)| kind)
    }

    /// Whether the type is a list.
    pub fn is_list(self) -> bool {
        matches!(self, Kind::Rga | Kind::List)
    }
}

/// How the writes of a last-writer-wins register, or the insertions of an `rga`, are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lin {
    /// One total order over all keys.
    Global,
    /// A total order for each key.
    PerKey,
    /// By the recorded timestamps (`lww` only).
    Timestamps,
}

/// What an operation did (to a `key`, `list` or `element`) or was told (`ret`).
#[allow(missing_docs)] // Of the fields: the variants say what they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Nothing that could be checked or seen.
    Idle,
    /// An add or enable (`on`), a remove or disable.
    Turn { key: usize, on: bool },
    /// `contains`, or the read of a flag.
    IsOn { key: usize, ret: bool },
    /// All elements of a set.
    Elements { ret: Vec<usize> },
    /// An increment (a decrement has a negative amount).
    Add { key: usize, amount: i128 },
    /// The read of a counter.
    Total { key: usize, ret: i128 },
    /// A write, or a delete, which has no value.
    Write { key: usize, value: Option<usize>, ts: i128 },
    /// The read of a last-writer-wins register.
    Value { key: usize, ret: Option<usize> },
    /// The read of a multi-value register.
    Values { key: usize, ret: Vec<usize> },
    /// The insertion of an element, directly after its parent.
    Insert { element: usize },
    /// The removal of an element.
    Erase { element: usize },
    /// The read of a list: the elements, or nothing if some are in no list or come twice.
    Listing { list: usize, ret: Option<Vec<usize>> },
}

impl Act {
    /// Whether others can see this operation.
    pub fn is_update(&self) -> bool {
        matches!(
            self,
            Act::Turn { .. }
                | Act::Add { .. }
                | Act::Write { .. }
                | Act::Insert { .. }
                | Act::Erase { .. }
        )
    }
}

/// One operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// The replica that performed it.
    pub replica: usize,
    /// How many operations of its replica came before.
    pub index: usize,
    /// What it did or was told.
    pub act: Act,
    /// An update of unknown outcome: it may have taken place, or not.
    pub perhaps: bool,
    /// The least it had observed of every replica, as far as the history says.
    pub low: Vec<usize>,
    /// The most it had observed of every replica.
    pub high: Vec<usize>,
    /// It had observed every update of every other replica.
    pub is_final: bool,
}

/// One element of a list.
#[derive(Clone, Debug)]
pub struct Element {
    /// The list it belongs to.
    pub list: usize,
    /// The element itself.
    pub value: usize,
    /// The element it was added after; `None` is the beginning of the list.
    pub parent: Option<usize>,
    /// The operation that added it; `None` if it was there from the start.
    pub add: Option<usize>,
}

/// What was there before the first operation, seen by everybody.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// Elements and flags that are on.
    pub on: BTreeSet<usize>,
    /// The totals of counters.
    pub totals: BTreeMap<usize, i128>,
    /// The values of registers.
    pub values: BTreeMap<usize, Vec<usize>>,
}

/// A history, checked for form.
#[derive(Clone, Debug)]
pub struct History {
    /// The type of the object.
    pub kind: Kind,
    /// What orders the writes or insertions.
    pub lin: Lin,
    /// A multi-value register returns a value as often as there are maximal writes of it.
    pub multiset: bool,
    /// An element may not be added after one that its replica knows to be removed.
    pub strict_anchor: bool,
    /// The operations of each replica, as places in `ops`.
    pub replicas: Vec<Vec<usize>>,
    /// All operations.
    pub ops: Vec<Operation>,
    /// The places of all updates, those of unknown outcome included.
    pub updates: Vec<usize>,
    /// All elements of all lists; those that were there from the start come first, in their order.
    pub elements: Vec<Element>,
    /// The canonical text of every datum (`""` names the list without a name).
    pub data: Vec<String>,
    /// The initial state.
    pub start: Start,
}
