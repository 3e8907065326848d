//! What is kept of the transactions received: who they are, what they wrote, whom they read from.
//!
//! Everything is in arrays by node, in the order of arrival, with a few words an event: the key and the
//! source of every external read, the key of every final write. Values live in one table only, from
//! (key, value) to who wrote it; there a read finds its source, or leaves a note and waits for it.
//!
//! A transaction *counts* when it committed, or when its status is unknown and one that counts has read
//! from it. Only transactions that count have a place in their session, so [`Record::count`] inserts
//! them there, perhaps long after they arrived.

use hashbrown::HashMap;
use hobgoblin_core::{Fault, Key, Status, Value};

use super::datums::{Datums, Tag};
use super::error::OnlineError;
use super::names::{Keys, Names, Packed, Values};
use crate::problem::{INIT, Node};

mod arrive;

/// An external read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    key: u32,
    /// Whom it read from, once that is known.
    source: u32,
}

const LOCKING: u32 = 1 << 31;
const UNRESOLVED: u32 = u32::MAX;

impl Read {
    #[inline]
    pub(super) fn key(self) -> u32 {
        self.key & !LOCKING
    }

    pub(super) fn is_locking(self) -> bool {
        self.key & LOCKING != 0
    }

    #[inline]
    pub(super) fn source(self) -> Option<Node> {
        (self.source != UNRESOLVED).then_some(self.source)
    }
}

/// A read that returned what no level from RC up allows.
#[derive(Clone, Copy, Debug)]
pub(super) struct FaultyRead {
    pub(super) reader: Node,
    pub(super) key: u32,
    pub(super) value: Packed,
    pub(super) fault: Fault,
    /// What the reader had written before, for [`Fault::InternalMismatch`].
    pub(super) own: Option<Packed>,
    /// Who wrote the value, or was said to.
    pub(super) writer: Option<Node>,
}

/// What one transaction's arrival brought about.
#[derive(Debug, Default)]
pub(super) struct Arrived {
    pub(super) node: Node,
    /// Reads that have a source now: reader, and index among all reads.
    pub(super) resolved: Vec<(Node, usize)>,
    pub(super) faults: Vec<FaultyRead>,
}

/// The initial value of a key, and whether a read without a named writer has returned it.
#[derive(Clone, Copy, Debug)]
struct Initial {
    value: Packed,
    read: bool,
}

/// A read that waits for the transaction it names.
#[derive(Clone, Copy, Debug)]
struct Named {
    reader: Node,
    read: usize,
    value: Packed,
}

/// See the [module docs](self).
#[derive(Debug)]
pub(super) struct Record {
    pub(super) keys: Keys,
    pub(super) sessions: Keys,
    pub(super) values: Values,
    pub(super) names: Names,
    initial: Vec<Initial>,
    /// The nodes of each session, in session order, whatever became of them.
    session_nodes: Vec<Vec<Node>>,
    last_counted: Vec<Node>,
    session: Vec<u32>,
    place: Vec<u32>,
    prev: Vec<Node>,
    status: Vec<Status>,
    counted: Vec<bool>,
    line: Vec<u32>,
    read_start: Vec<u32>,
    write_start: Vec<u32>,
    reads: Vec<Read>,
    writes: Vec<u32>,
    datums: Datums,
    waiting: Vec<Vec<(Node, usize)>>,
    unused: Vec<u32>,
    shared: Vec<Vec<Node>>,
    /// Reads that wait for a transaction of this name, or of this number.
    by_name: HashMap<Box<str>, Vec<Named>>,
    by_number: HashMap<Node, Vec<Named>>,
    /// How many reads wait.
    num_waiting: usize,
    scratch: Scratch,
}

/// Room for one transaction.
#[derive(Debug, Default)]
struct Scratch {
    /// The last write of each key, and where it is among the writes.
    own: HashMap<u32, (Packed, usize)>,
    writes: Vec<(u32, Packed)>,
}

impl Record {
    pub(super) fn new() -> Record {
        Record {
            keys: Keys::default(),
            sessions: Keys::default(),
            values: Values::default(),
            names: Names::default(),
            initial: Vec::new(),
            session_nodes: Vec::new(),
            last_counted: Vec::new(),
            session: vec![u32::MAX],
            place: vec![0],
            prev: vec![INIT],
            status: vec![Status::Committed],
            counted: vec![true],
            line: vec![0],
            read_start: vec![0, 0],
            write_start: vec![0, 0],
            reads: Vec::new(),
            writes: Vec::new(),
            datums: Datums::default(),
            waiting: Vec::new(),
            unused: Vec::new(),
            shared: Vec::new(),
            by_name: HashMap::new(),
            by_number: HashMap::new(),
            num_waiting: 0,
            scratch: Scratch::default(),
        }
    }

    /// How many nodes there are, init included.
    pub(super) fn len(&self) -> usize {
        self.session.len()
    }

    pub(super) fn num_waiting(&self) -> usize {
        self.num_waiting
    }

    pub(super) fn session(&self, node: Node) -> u32 {
        self.session[node as usize]
    }

    /// The place of a node in its session, from 0, those that do not count included.
    pub(super) fn place(&self, node: Node) -> u32 {
        self.place[node as usize]
    }

    /// The node before this one in its session that counts; init where there is none.
    #[inline]
    pub(super) fn prev(&self, node: Node) -> Node {
        self.prev[node as usize]
    }

    pub(super) fn status(&self, node: Node) -> Status {
        self.status[node as usize]
    }

    #[inline]
    pub(super) fn counts(&self, node: Node) -> bool {
        self.counted[node as usize]
    }

    pub(super) fn line(&self, node: Node) -> u32 {
        self.line[node as usize]
    }

    /// The external reads of a node, in program order.
    #[inline]
    pub(super) fn reads(&self, node: Node) -> &[Read] {
        let i = node as usize;
        &self.reads[self.read_start[i] as usize..self.read_start[i + 1] as usize]
    }

    pub(super) fn read(&self, index: usize) -> Read {
        self.reads[index]
    }

    /// The keys a node writes, ascending; none for init and for aborted ones.
    #[inline]
    pub(super) fn writes(&self, node: Node) -> &[u32] {
        let i = node as usize;
        &self.writes[self.write_start[i] as usize..self.write_start[i + 1] as usize]
    }

    /// Whom a node comes after: the one before it in its session, and the sources of its reads, of all
    /// or of those that take no lock. Init is left out; one may come twice.
    #[inline]
    pub(super) fn before(&self, node: Node, locking: bool) -> impl Iterator<Item = Node> + '_ {
        let reads = self.reads(node).iter().filter(move |r| locking || !r.is_locking());
        let sources = reads.filter_map(|r| r.source());
        std::iter::once(self.prev(node)).chain(sources).filter(|&n| n != INIT)
    }

    /// The nodes of a node's session after it that count.
    pub(super) fn later_in_session(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let nodes = &self.session_nodes[self.session(node) as usize];
        let later = nodes[self.place(node) as usize + 1..].iter().copied();
        later.filter(|&n| self.counts(n))
    }

    pub(super) fn initial(&self, key: u32) -> Packed {
        self.initial[key as usize].value
    }

    /// The number of a key, which starts as null when it is new.
    fn key(&mut self, name: &Key) -> u32 {
        let key = self.keys.number(name);
        if key as usize == self.initial.len() {
            self.initial.push(Initial { value: Values::NULL, read: false });
        }
        key
    }

    /// Gives a key that nothing is known of yet its initial value.
    pub(super) fn set_initial(&mut self, name: &Key, value: &Value) -> Result<(), OnlineError> {
        if self.keys.find(name).is_some() {
            return Err(OnlineError::InitialTooLate { key: name.clone() });
        }
        let key = self.key(name);
        self.initial[key as usize].value = self.values.pack(value);
        Ok(())
    }

    /// Has a node count: it takes its place in its session. Returns the next there that counts.
    pub(super) fn count(&mut self, node: Node) -> Option<Node> {
        debug_assert!(!self.counts(node));
        self.counted[node as usize] = true;
        let session = self.session(node) as usize;
        let last = self.last_counted[session];
        if last == INIT || last < node {
            self.prev[node as usize] = last;
            self.last_counted[session] = node;
            return None;
        }
        let next = self.later_in_session(node).next().expect("the last one counts");
        self.prev[node as usize] = self.prev(next);
        self.prev[next as usize] = node;
        Some(next)
    }

    /// The first read, of a transaction that counts, that still waits.
    pub(super) fn first_waiting(&self) -> Option<FaultyRead> {
        let unnamed = self.datums.iter().filter(|(.., datum)| datum.tag() == Tag::Waiting);
        let unnamed = unnamed.flat_map(|(_, value, datum)| {
            let list = self.waiting[datum.index() as usize].iter();
            list.map(move |&(reader, read)| Named { reader, read, value })
        });
        let named = self.by_name.values().chain(self.by_number.values()).flatten().copied();
        let first =
            unnamed.chain(named).filter(|n| self.counts(n.reader)).min_by_key(|n| n.read)?;
        let (reader, key, value) = (first.reader, self.reads[first.read].key(), first.value);
        Some(FaultyRead { reader, key, value, fault: Fault::ThinAir, own: None, writer: None })
    }

    /// What some nodes wrote finally, by node and key: a walk over all values, for reports.
    pub(super) fn values_of(&self, nodes: &[Node]) -> HashMap<(Node, u32), Packed> {
        let mut values = HashMap::new();
        for (key, value, datum) in self.datums.iter() {
            let one = [datum.index()];
            let writers = match datum.tag() {
                Tag::Final => &one[..],
                Tag::Shared => &self.shared[datum.index() as usize],
                _ => continue,
            };
            for writer in writers.iter().filter(|w| nodes.binary_search(w).is_ok()) {
                values.insert((*writer, key), value);
            }
        }
        values
    }
}
