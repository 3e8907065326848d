//! Checking while transactions arrive: the first violation of RC, RA and CC as soon as it exists.
//!
//! Transactions come in any interleaving of their sessions, those of one session in order. A read may
//! come before the write it returns, when another session's log lags behind: it waits, and takes part
//! from the moment its source is there. After every arrival the transactions received so far, without the
//! reads that still wait, either satisfy a level or violate it; a violation is reported there and then,
//! with a small history of the transactions involved, the anomaly's name and a proof.
//!
//! ```text
//!     arrives            known so far                             says
//!     t2: r(x)=1 w(y)=1  r(x)=1 waits                             -
//!     t3: r(y)=1 r(x)=0  t2 --wr(y)--> t3                         -
//!     t1: w(x)=1         t1 --wr(x)--> t2 --wr(y)--> t3: r(x)=0   CC: causality violation (t1, t2, t3)
//! ```
//!
//! # How
//!
//! A level holds when `so`, `wr` and the commit edges they force have no cycle. We keep a topological
//! order of them up to date (`order.rs`) and add the edges each arrival forces (`engine.rs`). Since CC implies
//! RA implies RC, only the strongest level that still holds is followed. When it breaks, the next
//! one below is caught up with from the record, which tells whether that is broken too.
//!
//! # What is held
//!
//! - For each event one or two words, and an entry in the table of values for each write; for each
//!   transaction a few words and its edges (`record.rs`). Any version may be read at any time later, so
//!   none can be forgotten.
//! - Clocks, which CC needs, are *not* held but for a few (`clocks.rs`): recent ones, of at most
//!   max(2^18, 4k²) entries for k sessions (and never more than 2^23), and checkpoints of at most 4 entries a
//!   transaction. Others are found again when an old version is read. All clocks would be k entries a
//!   transaction.
//!
//! A read that resolves late makes the pasts of all that follow its transaction grow, and these are
//! looked at again: an arrival costs as much as there is between a read and its late source. Logs of
//! whole sessions, one after another, are better checked offline.
//!
//! # Limits
//!
//! Values must tell who wrote them: when a read that does not name its writer turns out to have two, the
//! checker stops with [`OnlineError::Repeated`]. Repeated values that nobody reads, or that reads
//! name the writers of, are fine. A read of a value that so far only an aborted transaction wrote is
//! reported at once, so a retry should write a new value. Levels of single transactions and known version
//! orders are not looked at.

use hashbrown::HashMap;
use hobgoblin_core::{Key, Kind, Level, Status, Value, Writer};

use crate::problem::{INIT, Node};
use engine::{Changes, Core, Engine};
use record::{FaultyRead, Record};

mod clocks;
mod datums;
mod engine;
mod error;
mod names;
mod order;
mod record;
mod report;
mod writers;

pub use error::OnlineError;
pub use report::Violation;

/// A transaction that arrives; its events come beside it.
#[derive(Clone, Copy, Debug)]
pub struct ArrivedTxn<'a> {
    /// The session it belongs to, by name.
    pub session: &'a Key,
    /// Its id, if it has one.
    pub name: Option<&'a str>,
    /// What became of it.
    pub status: Status,
    /// Its line in the file, from 1; 0 for none.
    pub line: u32,
}

/// One event of a transaction that arrives.
#[derive(Clone, Copy, Debug)]
pub struct ArrivedEvent<'a> {
    /// Whether it reads or writes.
    pub kind: Kind,
    /// What it reads or writes.
    pub key: &'a Key,
    /// The value read or written.
    pub value: &'a Value,
    /// Whom a read says it read from: by id, or by number of arrival, from 1.
    pub writer: Option<Writer<'a>>,
    /// Whether a read took a lock.
    pub lock: bool,
}

impl<'a> ArrivedEvent<'a> {
    /// A read or write with nothing more to say.
    pub fn new(kind: Kind, key: &'a Key, value: &'a Value) -> ArrivedEvent<'a> {
        ArrivedEvent { kind, key, value, writer: None, lock: false }
    }
}

/// How much a checker holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnlineStats {
    /// How many transactions were received.
    pub txns: usize,
    /// Reads whose source has not arrived.
    pub waiting_reads: usize,
    /// Edges between transactions.
    pub edges: usize,
    /// Entries of clocks held, 8 bytes each.
    pub clock_entries: usize,
}

/// Checks levels while transactions arrive; see the [module docs](self).
///
/// ```
/// use hobgoblin_check::online::{ArrivedEvent, ArrivedTxn, OnlineChecker};
/// use hobgoblin_core::{Anomaly, Key, Kind, Level, Status, Value};
///
/// let mut checker = OnlineChecker::new(&[Level::RC, Level::CC])?;
/// let (x, y) = (Key::from("x"), Key::from("y"));
/// checker.initial(&x, &0.into())?;
/// let mut push = |name, events: &[(Kind, &Key, i64)]| {
///     let session = Key::from(name);
///     let txn =
///         ArrivedTxn { session: &session, name: Some(name), status: Status::Committed, line: 0 };
///     let values: Vec<Value> = events.iter().map(|e| e.2.into()).collect();
///     let events = events.iter().zip(&values).map(|(e, v)| ArrivedEvent::new(e.0, e.1, v));
///     checker.push(txn, events)
/// };
/// assert!(push("t2", &[(Kind::Read, &x, 1), (Kind::Write, &y, 1)])?.is_empty());
/// assert!(push("t3", &[(Kind::Read, &y, 1), (Kind::Read, &x, 0)])?.is_empty());
/// let violations = push("t1", &[(Kind::Write, &x, 1)])?;
/// assert_eq!(violations.len(), 1, "RC still holds");
/// assert_eq!(violations[0].level, Level::CC);
/// assert_eq!(violations[0].witness.anomaly, Anomaly::CausalityViolation);
/// assert_eq!(violations[0].arrivals, [1, 2, 3]);
/// # Ok::<(), hobgoblin_check::online::OnlineError>(())
/// ```
#[derive(Debug)]
pub struct OnlineChecker {
    /// The levels that hold so far, strongest first.
    levels: Vec<Level>,
    record: Record,
    /// Follows the first of them.
    engine: Engine,
    /// Whose read made each transaction of unknown status count.
    counted_by: HashMap<Node, Node>,
    /// Faulty reads of transactions that do not count yet.
    faults: HashMap<Node, FaultyRead>,
    error: Option<OnlineError>,
}

impl OnlineChecker {
    /// Checks some of RC, RA and CC.
    pub fn new(levels: &[Level]) -> Result<OnlineChecker, OnlineError> {
        let online = [Level::RC, Level::RA, Level::CC];
        for &level in levels {
            match level {
                Level::RC | Level::RA | Level::CC => {}
                Level::RU | Level::PC | Level::PSI | Level::SI | Level::SER | Level::SSER => {
                    return Err(OnlineError::Level { level });
                }
            }
        }
        let levels: Vec<Level> = online.into_iter().rev().filter(|l| levels.contains(l)).collect();
        let engine = Engine::new(levels.first().copied().unwrap_or(Level::RC));
        Ok(OnlineChecker {
            levels,
            record: Record::new(),
            engine,
            counted_by: HashMap::new(),
            faults: HashMap::new(),
            error: None,
        })
    }

    /// Sets how many entries the recent clocks may have, 8 bytes each: fewer clocks take less memory, but
    /// more time to find again.
    pub fn with_recent_clocks(mut self, entries: usize) -> OnlineChecker {
        self.engine.set_clock_capacity(entries);
        self
    }

    /// Gives a key its initial value, before any transaction uses it. Others start as null.
    pub fn initial(&mut self, key: &Key, value: &Value) -> Result<(), OnlineError> {
        self.record.set_initial(key, value)
    }

    /// The levels that hold so far, strongest first.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// How much is held.
    pub fn stats(&self) -> OnlineStats {
        OnlineStats {
            txns: self.record.len() - 1,
            waiting_reads: self.record.num_waiting(),
            edges: self.engine.num_edges(),
            clock_entries: self.engine.clock_entries(),
        }
    }

    /// Takes in a transaction, and reports each level that does not hold from now on, strongest first.
    /// Once no level is left nothing is taken in. After an error every push returns it again.
    pub fn push<'a>(
        &mut self,
        txn: ArrivedTxn<'_>,
        events: impl IntoIterator<Item = ArrivedEvent<'a>>,
    ) -> Result<Vec<Violation>, OnlineError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        if self.levels.is_empty() {
            return Ok(Vec::new());
        }
        let arrived = self.record.push(&txn, events).inspect_err(|error| {
            self.error = Some(error.clone());
        })?;
        let changes = self.settle(&txn, &arrived);
        let mut faults: Vec<FaultyRead> = Vec::new();
        for fault in arrived.faults {
            match self.record.counts(fault.reader) {
                true => faults.push(fault),
                false => {
                    self.faults.entry(fault.reader).or_insert(fault);
                }
            }
        }
        if !self.faults.is_empty() {
            faults.extend(changes.nodes.iter().filter_map(|(node, _)| self.faults.remove(node)));
        }
        if let Some(fault) = faults.first() {
            return Ok(self.report_fault(fault));
        }
        let mut violations = Vec::new();
        let mut broken = self.engine.apply(&self.record, &changes).err();
        while let Some(core) = broken.take() {
            violations.push(self.report(&core));
            if let Some(&next) = self.levels.first() {
                match Engine::catch_up(next, &self.record) {
                    Ok(engine) => self.engine = engine,
                    Err(core) => broken = Some(core),
                }
            }
        }
        Ok(violations)
    }

    /// Settles who counts from now on, and which edges that brings.
    fn settle(&mut self, txn: &ArrivedTxn<'_>, arrived: &record::Arrived) -> Changes {
        let mut changes = Changes::default();
        // Who begins to count, and whose read makes it.
        let mut queue: Vec<(Node, Option<Node>)> = Vec::new();
        for &(reader, read) in &arrived.resolved {
            if reader != arrived.node && self.record.counts(reader) {
                changes.reads.push((reader, read));
                queue.extend(self.record.read(read).source().map(|s| (s, Some(reader))));
            }
        }
        if txn.status == Status::Committed {
            queue.push((arrived.node, None));
        }
        while let Some((node, reader)) = queue.pop() {
            if self.record.counts(node) {
                continue;
            }
            if let Some(reader) = reader.filter(|_| self.record.status(node) == Status::Unknown) {
                self.counted_by.insert(node, reader);
            }
            let next = self.record.count(node);
            changes.nodes.push((node, next));
            let sources = self.record.reads(node).iter().filter_map(|r| r.source());
            queue.extend(sources.filter(|&s| s != INIT).map(|s| (s, Some(node))));
        }
        changes
    }

    fn report(&mut self, core: &Core) -> Violation {
        let level = self.levels.remove(0);
        report::report(&self.record, level, core, None, &self.counted_by)
    }

    /// A faulty read violates every level.
    fn report_fault(&mut self, fault: &FaultyRead) -> Vec<Violation> {
        let levels = std::mem::take(&mut self.levels);
        let report =
            |level| report::report(&self.record, level, &[], Some(fault), &self.counted_by);
        levels.into_iter().map(report).collect()
    }

    /// Says that nothing more will arrive: a read that still waits returned a value nobody wrote.
    pub fn finish(&mut self) -> Result<Vec<Violation>, OnlineError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        match self.record.first_waiting().filter(|_| !self.levels.is_empty()) {
            Some(fault) => Ok(self.report_fault(&fault)),
            None => Ok(Vec::new()),
        }
    }
}
