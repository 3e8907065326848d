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
use hobgoblin_core::{Fault, HistoryError, Key, Kind, Status, Value, Writer};

use super::datums::{Datum, Datums, Tag};
use super::names::{Keys, Names, Packed, Values};
use super::{ArrivedEvent, ArrivedTxn, OnlineError};
use crate::problem::{INIT, Node};

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

    /// Takes in a transaction. It does not count yet, and its reads change nothing but itself.
    pub(super) fn push<'a>(
        &mut self,
        txn: &ArrivedTxn<'_>,
        events: impl IntoIterator<Item = ArrivedEvent<'a>>,
    ) -> Result<Arrived, OnlineError> {
        let node = self.len() as Node;
        if self.len() >= Datum::LIMIT || self.reads.len() >= u32::MAX as usize / 2 {
            let (what, limit) = ("transactions or reads", Datum::LIMIT);
            return Err(HistoryError::TooLarge { what, limit }.into());
        }
        if let Some(name) = txn.name {
            self.give_name(node, name, txn.line)?;
        }
        let session = self.sessions.number(txn.session);
        if session as usize == self.session_nodes.len() {
            self.session_nodes.push(Vec::new());
            self.last_counted.push(INIT);
        }
        self.session.push(session);
        self.place.push(self.session_nodes[session as usize].len() as u32);
        self.session_nodes[session as usize].push(node);
        self.prev.push(INIT);
        self.status.push(txn.status);
        self.counted.push(false);
        self.line.push(txn.line);
        let mut arrived = Arrived { node, ..Arrived::default() };
        let mut external: Vec<(usize, Packed, Option<Writer<'a>>)> = Vec::new();
        self.scratch.own.clear();
        self.scratch.writes.clear();
        for event in events {
            let (key, value) = (self.key(event.key), self.values.pack(event.value));
            if event.kind == Kind::Write {
                if event.writer.is_some() {
                    return Err(HistoryError::WriterOfWrite { line: txn.line }.into());
                }
                self.scratch.own.insert(key, (value, self.scratch.writes.len()));
                self.scratch.writes.push((key, value));
                continue;
            }
            // The reads of aborted transactions say nothing.
            if txn.status == Status::Aborted {
                continue;
            }
            match self.scratch.own.get(&key) {
                None => {
                    external.push((self.reads.len(), value, event.writer));
                    let lock = if event.lock { LOCKING } else { 0 };
                    self.reads.push(Read { key: key | lock, source: UNRESOLVED });
                }
                Some(&(own, _)) if own == value => {}
                Some(&(own, _)) => arrived.faults.push(FaultyRead {
                    reader: node,
                    key,
                    value,
                    fault: Fault::InternalMismatch,
                    own: Some(own),
                    writer: None,
                }),
            }
        }
        self.read_start.push(self.reads.len() as u32);
        self.add_writes(txn, &mut arrived)?;
        self.write_start.push(self.writes.len() as u32);
        for (read, value, writer) in external {
            self.look_up(read, value, writer, txn.line, &mut arrived)?;
        }
        self.resolve_named(node, txn.name, &mut arrived);
        Ok(arrived)
    }

    fn give_name(&mut self, node: Node, name: &str, line: u32) -> Result<(), OnlineError> {
        let name_of = || name.to_owned();
        if name.is_empty() || name == "init" {
            return Err(HistoryError::ReservedName { name: name_of(), line }.into());
        }
        if let Some(first) = self.names.find(name) {
            let first_line = self.line(first);
            return Err(HistoryError::DuplicateName { name: name_of(), first_line, line }.into());
        }
        self.names.push(node, name);
        Ok(())
    }

    fn add_writes(
        &mut self,
        txn: &ArrivedTxn<'_>,
        arrived: &mut Arrived,
    ) -> Result<(), OnlineError> {
        let first = self.writes.len();
        let writes = std::mem::take(&mut self.scratch.writes);
        for (i, &(key, value)) in writes.iter().enumerate() {
            let (last, last_at) = self.scratch.own[&key];
            if txn.status == Status::Aborted {
                self.add_dead_write(Tag::Aborted, key, value, arrived);
            } else if last_at == i {
                self.writes.push(key);
                self.add_final_write(key, value, txn.line, arrived)?;
            } else if last != value {
                self.add_dead_write(Tag::Intermediate, key, value, arrived);
            }
        }
        self.scratch.writes = writes;
        self.writes[first..].sort_unstable();
        Ok(())
    }

    fn add_final_write(
        &mut self,
        key: u32,
        value: Packed,
        line: u32,
        arrived: &mut Arrived,
    ) -> Result<(), OnlineError> {
        let node = arrived.node;
        let initial = self.initial[key as usize];
        let also_initial = (initial.value == value).then_some(INIT);
        let old = self.datums.get(key, value);
        let read = old.is_some_and(Datum::is_read) || also_initial.is_some() && initial.read;
        let datum = match old.map(|datum| (datum.tag(), datum.index())) {
            Some((Tag::Waiting, list)) => {
                for (reader, read) in std::mem::take(&mut self.waiting[list as usize]) {
                    self.resolve(reader, read, node, arrived);
                }
                self.unused.push(list);
                Datum::new(Tag::Final, node).read()
            }
            _ if read => return Err(self.repeated(key, value, line)),
            Some((Tag::Shared, list)) => {
                self.shared[list as usize].push(node);
                return Ok(());
            }
            Some((Tag::Final, other)) => self.share(other, node),
            _ => match also_initial {
                Some(init) => self.share(init, node),
                None => Datum::new(Tag::Final, node),
            },
        };
        self.datums.insert(key, value, datum);
        Ok(())
    }

    fn share(&mut self, one: Node, other: Node) -> Datum {
        self.shared.push(vec![one, other]);
        Datum::new(Tag::Shared, self.shared.len() as u32 - 1)
    }

    /// A write that nobody may read.
    fn add_dead_write(&mut self, tag: Tag, key: u32, value: Packed, arrived: &mut Arrived) {
        let node = arrived.node;
        match self.datums.get(key, value) {
            None => {
                self.datums.insert(key, value, Datum::new(tag, node));
            }
            Some(datum) if datum.tag() == Tag::Waiting => {
                let list = datum.index();
                for (reader, _) in std::mem::take(&mut self.waiting[list as usize]) {
                    self.num_waiting -= 1;
                    let fault = fault_of(tag);
                    let writer = Some(node);
                    arrived.faults.push(FaultyRead {
                        reader,
                        key,
                        value,
                        fault,
                        own: None,
                        writer,
                    });
                }
                self.unused.push(list);
                self.datums.insert(key, value, Datum::new(tag, node).read());
            }
            Some(_) => {}
        }
    }

    fn repeated(&self, key: u32, value: Packed, line: u32) -> OnlineError {
        let (key, value) = (self.keys.name(key).clone(), self.values.get(value));
        OnlineError::Repeated { key, value, line }
    }

    fn resolve(&mut self, reader: Node, read: usize, source: Node, arrived: &mut Arrived) {
        self.reads[read].source = source;
        self.num_waiting -= 1;
        arrived.resolved.push((reader, read));
    }

    /// Finds the source of a read of the transaction that arrived, or has it wait.
    fn look_up(
        &mut self,
        read: usize,
        value: Packed,
        writer: Option<Writer<'_>>,
        line: u32,
        arrived: &mut Arrived,
    ) -> Result<(), OnlineError> {
        self.num_waiting += 1;
        let (reader, key) = (arrived.node, self.reads[read].key());
        if let Some(writer) = writer {
            let named = Named { reader, read, value };
            match writer {
                Writer::Txn(txn) if txn.index() >= self.len() => {
                    self.by_number.entry(txn.raw()).or_default().push(named);
                }
                Writer::Txn(txn) => self.resolve_by(named, txn.raw(), arrived),
                Writer::Name("init") => self.resolve_by(named, INIT, arrived),
                Writer::Name(name) => match self.names.find(name) {
                    Some(writer) => self.resolve_by(named, writer, arrived),
                    None => self.by_name.entry(name.into()).or_default().push(named),
                },
            }
            return Ok(());
        }
        let is_initial = self.initial[key as usize].value == value;
        let found = self.datums.mark_read(key, value).map(|datum| (datum.tag(), datum.index()));
        let fault = match found {
            Some((Tag::Final, writer)) if writer != reader => {
                self.resolve(reader, read, writer, arrived);
                return Ok(());
            }
            Some((Tag::Shared, list)) => {
                let mut others = self.shared[list as usize].iter().filter(|&&w| w != reader);
                match (others.next().copied(), others.next()) {
                    (Some(writer), None) => self.resolve(reader, read, writer, arrived),
                    _ => return Err(self.repeated(key, value, line)),
                }
                return Ok(());
            }
            Some((Tag::Waiting, list)) => {
                self.waiting[list as usize].push((reader, read));
                return Ok(());
            }
            _ if is_initial => {
                self.initial[key as usize].read = true;
                self.resolve(reader, read, INIT, arrived);
                return Ok(());
            }
            None => {
                let list = self.unused.pop().unwrap_or_else(|| {
                    self.waiting.push(Vec::new());
                    self.waiting.len() as u32 - 1
                });
                self.waiting[list as usize].push((reader, read));
                self.datums.insert(key, value, Datum::new(Tag::Waiting, list));
                return Ok(());
            }
            Some((_, writer)) if writer == reader => (Fault::OwnLaterWrite, None),
            Some((tag, writer)) => (fault_of(tag), Some(writer)),
        };
        self.num_waiting -= 1;
        let (fault, writer) = fault;
        arrived.faults.push(FaultyRead { reader, key, value, fault, own: None, writer });
        Ok(())
    }

    /// Those who waited for a transaction by its name or number.
    fn resolve_named(&mut self, node: Node, name: Option<&str>, arrived: &mut Arrived) {
        let mut waiting = self.by_number.remove(&node).unwrap_or_default();
        if let Some(name) = name.filter(|_| !self.by_name.is_empty()) {
            waiting.extend(self.by_name.remove(name).unwrap_or_default());
        }
        for named in waiting {
            self.resolve_by(named, node, arrived);
        }
    }

    /// Resolves a read that names a transaction which is here.
    fn resolve_by(&mut self, named: Named, writer: Node, arrived: &mut Arrived) {
        let Named { reader, read, value } = named;
        let key = self.reads[read].key();
        let datum = self.datums.get(key, value).map(|datum| (datum.tag(), datum.index()));
        let wrote = match datum {
            _ if writer == INIT => self.initial[key as usize].value == value,
            Some((Tag::Final, other)) => other == writer,
            Some((Tag::Shared, list)) => self.shared[list as usize].binary_search(&writer).is_ok(),
            _ => false,
        };
        if wrote && writer != reader {
            self.resolve(reader, read, writer, arrived);
            return;
        }
        self.num_waiting -= 1;
        let fault = match datum {
            _ if writer == reader && wrote => Fault::OwnLaterWrite,
            Some((Tag::Aborted, other)) if other == writer => Fault::Aborted,
            Some((Tag::Intermediate, other)) if other == writer && writer == reader => {
                Fault::OwnLaterWrite
            }
            Some((Tag::Intermediate, other)) if other == writer => Fault::Intermediate,
            _ => Fault::ThinAir,
        };
        let writer = Some(writer);
        arrived.faults.push(FaultyRead { reader, key, value, fault, own: None, writer });
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

fn fault_of(tag: Tag) -> Fault {
    if tag == Tag::Aborted { Fault::Aborted } else { Fault::Intermediate }
}
