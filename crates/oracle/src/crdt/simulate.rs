//! Replicas that really work: the textbook algorithm of each type, with causal delivery.
//!
//! The oracle knows a type by what a read may return. Here is the other side, state and messages:
//!
//! - sets, flags and `mvr` keep *tags*. An add or write puts a tag of its own; a remove or write
//!   drops the tags it saw, so those of concurrent operations survive. Where removes win, the
//!   roles are exchanged: removes put tags and adds drop them.
//! - `lww` keeps the value of the greatest stamp; a stamp is a Lamport clock and a tie breaker.
//! - `rga` inserts after the anchor, to the right of whatever has a greater stamp.
//! - `list` does the same, or gives every element a position between its neighbours, for good.
//!
//! A replica that receives an operation first receives everything that operation had seen.

use std::collections::{BTreeMap, BTreeSet};

use super::history::{Kind, Lin};

/// What an update does to a key or list; values and elements are plain numbers here.
#[allow(missing_docs)] // Of the fields: the variants say what they are.
#[derive(Clone, Debug)]
pub enum Call {
    /// Add or enable, remove or disable.
    Turn { key: usize, on: bool },
    /// Increment.
    Add { key: usize, amount: i64 },
    /// Write, or delete without a value; `ts` counts only where the history orders by timestamps.
    Write { key: usize, value: Option<usize>, ts: i64 },
    /// Insert after an element or at the beginning; `luck` chooses among the free positions.
    Insert { list: usize, after: Option<usize>, element: usize, luck: u64 },
    /// Remove from a list.
    Erase { list: usize, element: usize },
}

/// Who performed an operation, and as which of its own.
pub type Place = (usize, usize);

/// A place in the order of updates: the greater wins.
pub type Stamp = (i64, usize);

#[derive(Clone, Debug)]
enum Message {
    Tags { key: usize, drop: Vec<Place>, put: Option<usize>, adds: bool },
    Amount { key: usize, amount: i64 },
    Stamped { key: usize, value: Option<usize>, stamp: Stamp },
    Insert { list: usize, after: Option<usize>, element: usize, stamp: Stamp },
    Position { list: usize, element: usize, position: u64 },
    Erase { list: usize, element: usize },
}

/// One logged operation: what it had seen, and what it tells the others.
struct Logged {
    sees: Vec<usize>,
    message: Option<Message>,
}

#[derive(Clone, Debug)]
struct Node {
    element: usize,
    stamp: Stamp,
    position: u64,
    erased: bool,
}

/// The state of one replica.
#[derive(Clone, Debug, Default)]
struct State {
    knows: Vec<usize>,
    clocks: BTreeMap<usize, i64>,
    tags: BTreeMap<usize, Vec<(Place, usize)>>,
    added: BTreeSet<usize>,
    totals: BTreeMap<usize, i64>,
    cells: BTreeMap<usize, (Stamp, Option<usize>)>,
    lists: BTreeMap<usize, Vec<Node>>,
}

/// Some replicas of one object.
pub struct Fleet {
    kind: Kind,
    lin: Lin,
    /// Lists keep positions instead of stamps.
    dense: bool,
    origin: State,
    copies: Vec<State>,
    log: Vec<Vec<Logged>>,
}

impl Fleet {
    /// So many replicas of the same empty state.
    pub fn new(kind: Kind, lin: Lin, dense: bool, replicas: usize) -> Fleet {
        let origin = State { knows: vec![0; replicas], ..State::default() };
        let log = (0..replicas).map(|_| Vec::new()).collect();
        Fleet { kind, lin, dense, copies: vec![origin.clone(); replicas], origin, log }
    }

    /// Sets the initial state of a key or list: on, a total, values, or elements.
    pub fn start(&mut self, key: usize, values: &[usize]) {
        let place = |n: usize| (usize::MAX, n);
        let first = values.first().copied();
        let node = |(n, &element): (usize, &usize)| {
            let position = (n as u64 + 1) << 48;
            Node { element, stamp: (n as i64 - 100, 0), position, erased: false }
        };
        let removes_win = self.removes_win();
        for copy in self.copies.iter_mut().chain([&mut self.origin]) {
            copy.added.extend(first.map(|_| key));
            if !removes_win {
                copy.tags
                    .insert(key, values.iter().enumerate().map(|(n, &v)| (place(n), v)).collect());
            }
            copy.totals.insert(key, first.unwrap_or(0) as i64);
            copy.cells.insert(key, ((i64::MIN, 0), first));
            copy.lists.insert(key, values.iter().enumerate().map(node).collect());
        }
    }

    fn removes_win(&self) -> bool {
        matches!(self.kind, Kind::RwSet | Kind::DwFlag)
    }

    /// How many operations a replica has performed.
    pub fn len(&self, replica: usize) -> usize {
        self.log[replica].len()
    }

    /// How much of another replica this one knows.
    pub fn knows(&self, replica: usize, other: usize) -> usize {
        self.copies[replica].knows[other]
    }

    /// A replica receives the first `n` operations of another, and what those had seen.
    pub fn deliver(&mut self, to: usize, from: usize, n: usize) {
        self.copies[to].receive(&self.log, from, n);
    }

    /// A replica does something that nobody notices.
    pub fn idle(&mut self, replica: usize) {
        self.record(replica, None);
    }

    /// A replica performs an update; one that does not take place leaves no trace.
    pub fn update(&mut self, replica: usize, call: &Call, takes_place: bool) {
        let message = takes_place.then(|| self.message(replica, call));
        self.record(replica, message);
    }

    fn record(&mut self, replica: usize, message: Option<Message>) {
        let sees = self.copies[replica].knows.clone();
        self.log[replica].push(Logged { sees, message });
        let n = self.log[replica].len();
        self.copies[replica].receive(&self.log, replica, n);
    }

    fn message(&self, replica: usize, call: &Call) -> Message {
        let copy = &self.copies[replica];
        let seen = |key: usize| -> Vec<Place> {
            copy.tags.get(&key).into_iter().flatten().map(|(place, _)| *place).collect()
        };
        let stamp = |key: usize| {
            let group = if self.lin == Lin::PerKey { key + 1 } else { 0 };
            let clock = copy.clocks.get(&group).copied().unwrap_or(0) + 1;
            // Every key has its own favourite among replicas, which only separate orders allow.
            (clock, if self.lin == Lin::PerKey && key % 2 == 1 { 9 - replica } else { replica })
        };
        match *call {
            Call::Turn { key, on } => {
                let puts = on != self.removes_win();
                let drop = if puts { Vec::new() } else { seen(key) };
                Message::Tags { key, drop, put: puts.then_some(1), adds: on }
            }
            Call::Add { key, amount } => Message::Amount { key, amount },
            Call::Write { key, value, .. } if self.kind == Kind::Mvr => {
                Message::Tags { key, drop: seen(key), put: value, adds: true }
            }
            Call::Write { key, value, ts } => {
                let stamp = if self.lin == Lin::Timestamps { (ts, 0) } else { stamp(key) };
                Message::Stamped { key, value, stamp }
            }
            Call::Insert { list, after, element, luck } if self.dense => {
                let nodes = copy.lists.get(&list).map_or(&[][..], Vec::as_slice);
                let anchor = nodes.iter().find(|node| Some(node.element) == after);
                let low = anchor.map_or(0, |anchor| anchor.position);
                let above = nodes.iter().filter(|node| node.position > low && !node.erased);
                let high = above.map(|node| node.position).min().unwrap_or(1 << 62);
                let quarter = (high - low) / 4;
                let position = low + quarter + luck % (2 * quarter);
                Message::Position { list, element, position }
            }
            Call::Insert { list, after, element, .. } => {
                Message::Insert { list, after, element, stamp: stamp(list) }
            }
            Call::Erase { list, element } => Message::Erase { list, element },
        }
    }

    /// Whether an element is in the set, or a flag is on.
    pub fn is_on(&self, replica: usize, key: usize) -> bool {
        let copy = &self.copies[replica];
        let tagged = copy.tags.get(&key).is_some_and(|tags| !tags.is_empty());
        if self.removes_win() { copy.added.contains(&key) && !tagged } else { tagged }
    }

    /// The value of a counter.
    pub fn total(&self, replica: usize, key: usize) -> i64 {
        self.copies[replica].totals.get(&key).copied().unwrap_or(0)
    }

    /// The values of a multi-value register, one for each write that is left.
    pub fn values(&self, replica: usize, key: usize) -> Vec<usize> {
        let tags = self.copies[replica].tags.get(&key);
        tags.into_iter().flatten().map(|(_, value)| *value).collect()
    }

    /// The value of a last-writer-wins register.
    pub fn value(&self, replica: usize, key: usize) -> Option<usize> {
        self.copies[replica].cells.get(&key).and_then(|(_, value)| *value)
    }

    /// The elements of a list; with those that were removed, if asked for.
    pub fn listing(&self, replica: usize, list: usize, erased: bool) -> Vec<usize> {
        self.copies[replica].listing(list, erased)
    }

    /// The vectors of all operations.
    pub fn sees(&self) -> Vec<Vec<Vec<usize>>> {
        let vectors = |log: &Vec<Logged>| log.iter().map(|logged| logged.sees.clone()).collect();
        self.log.iter().map(vectors).collect()
    }

    /// The writes and insertions in the order of their stamps.
    pub fn lin(&self) -> Vec<Place> {
        let mut stamped = Vec::new();
        for (replica, log) in self.log.iter().enumerate() {
            for (index, logged) in log.iter().enumerate() {
                if let Some(Message::Stamped { stamp, .. } | Message::Insert { stamp, .. }) =
                    logged.message
                {
                    stamped.push((stamp, (replica, index)));
                }
            }
        }
        stamped.sort_unstable();
        stamped.into_iter().map(|(_, place)| place).collect()
    }

    /// All elements ever added to a list, in the order in which everybody has them.
    pub fn order(&self, list: usize) -> Vec<usize> {
        let mut all = self.origin.clone();
        for replica in 0..self.log.len() {
            all.receive(&self.log, replica, self.log[replica].len());
        }
        all.listing(list, true)
    }
}

impl State {
    fn receive(&mut self, log: &[Vec<Logged>], from: usize, n: usize) {
        while self.knows[from] < n {
            let place = (from, self.knows[from]);
            let logged = &log[from][place.1];
            for (other, &seen) in logged.sees.iter().enumerate().filter(|(other, _)| *other != from)
            {
                self.receive(log, other, seen);
            }
            self.knows[from] = place.1 + 1;
            if let Some(message) = &logged.message {
                self.apply(message.clone(), place);
            }
        }
    }

    fn apply(&mut self, message: Message, place: Place) {
        match message {
            Message::Tags { key, drop, put, adds } => {
                let tags = self.tags.entry(key).or_default();
                tags.retain(|(tag, _)| !drop.contains(tag));
                tags.extend(put.map(|value| (place, value)));
                self.added.extend(adds.then_some(key));
            }
            Message::Amount { key, amount } => *self.totals.entry(key).or_default() += amount,
            Message::Stamped { key, value, stamp } => {
                self.witness(key, stamp);
                let cell = self.cells.entry(key).or_insert((stamp, value));
                if stamp > cell.0 {
                    *cell = (stamp, value);
                }
            }
            Message::Insert { list, after, element, stamp } => {
                self.witness(list, stamp);
                let nodes = self.lists.entry(list).or_default();
                let anchor = nodes.iter().position(|node| Some(node.element) == after);
                let mut at = anchor.map_or(0, |anchor| anchor + 1);
                while nodes.get(at).is_some_and(|node| node.stamp > stamp) {
                    at += 1;
                }
                nodes.insert(at, Node { element, stamp, position: 0, erased: false });
            }
            Message::Position { list, element, position } => {
                let nodes = self.lists.entry(list).or_default();
                let at = nodes.iter().filter(|node| node.position < position).count();
                nodes.insert(at, Node { element, stamp: (0, 0), position, erased: false });
            }
            Message::Erase { list, element } => {
                for node in self.lists.entry(list).or_default() {
                    node.erased |= node.element == element;
                }
            }
        }
    }

    /// Lamport's rule, for the one clock and for that of the key.
    fn witness(&mut self, key: usize, stamp: Stamp) {
        for group in [0, key + 1] {
            let clock = self.clocks.entry(group).or_default();
            *clock = stamp.0.max(*clock);
        }
    }

    fn listing(&self, list: usize, erased: bool) -> Vec<usize> {
        let nodes = self.lists.get(&list).into_iter().flatten();
        nodes.filter(|node| erased || !node.erased).map(|node| node.element).collect()
    }
}
