//! A history as far as it is explored: transaction logs in the order they were added.
//!
//! At most one transaction is pending, and it is the last. So the order of events is an order of logs, and
//! every log's sources come before it.

use std::sync::Arc;

use hobgoblin_core::{Level, Value};

use crate::compiled::{Compiled, Set, members, one};
use crate::execute::{Done, Locals, Next, Read};

/// A transaction, complete or pending.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    pub(crate) txn: u8,
    /// Its external reads.
    pub(crate) reads: Vec<Read>,
    /// What came of it, once it ended.
    pub(crate) done: Option<Arc<Done>>,
    /// (so ∪ wr)⁺ into it.
    pub(crate) past: Set,
}

impl Log {
    /// What it wrote to a key, once it committed.
    pub(crate) fn written(&self, key: u32) -> Option<&Value> {
        let done = self.done.as_ref()?;
        done.writes.iter().find(|(written, _)| *written == key).map(|(_, value)| value)
    }
}

/// A history as far as it is explored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Branch {
    pub(crate) order: Vec<Arc<Log>>,
    /// What must precede each transaction in the commit order, by number, at the base levels.
    pub(crate) before: Vec<Set>,
    /// The transactions in `order`.
    pub(crate) started: Set,
    /// Whether a read was frozen since the last look at the frozen core.
    pub(crate) frozen: bool,
}

impl Branch {
    /// The history of init alone.
    pub(crate) fn new(compiled: &Compiled<'_>) -> Branch {
        Branch { before: vec![0; compiled.txns.len()], ..Branch::default() }
    }

    /// A copy that shares nothing with others: counting references to the same logs from several threads
    /// costs more than it saves.
    pub(crate) fn detached(self) -> Branch {
        let done = |done: &Arc<Done>| {
            let locals = Arc::new(Vec::clone(&done.locals));
            Arc::new(Done { locals, ..Done::clone(done) })
        };
        let log =
            |log: &Arc<Log>| Arc::new(Log { done: log.done.as_ref().map(done), ..Log::clone(log) });
        Branch { order: self.order.iter().map(log).collect(), ..self }
    }

    pub(crate) fn pending(&self) -> Option<&Arc<Log>> {
        self.order.last().filter(|log| log.done.is_none())
    }

    pub(crate) fn log(&self, txn: u8) -> Option<&Arc<Log>> {
        self.order.iter().find(|log| log.txn == txn)
    }

    /// The locals a transaction begins with.
    pub(crate) fn locals(&self, compiled: &Compiled<'_>, txn: u8) -> Locals {
        let info = &compiled.txns[txn as usize];
        let previous = self.log(info.previous).and_then(|log| log.done.as_ref());
        match previous {
            Some(done) => Arc::clone(&done.locals),
            None => {
                let session = compiled.program.sessions.get(info.session);
                Arc::new(session.map_or(Vec::new(), |session| session.locals.clone()))
            }
        }
    }

    /// Starts a transaction.
    pub(crate) fn begin(&mut self, compiled: &Compiled<'_>, txn: u8) {
        let so = compiled.txns[txn as usize].so;
        let past = members(so & !1).fold(so, |past, pred| past | self.past(pred));
        self.order.push(Arc::new(Log { txn, reads: Vec::new(), done: None, past }));
        self.started |= one(txn);
    }

    /// (so ∪ wr)⁺ into a transaction.
    pub(crate) fn past(&self, txn: u8) -> Set {
        self.log(txn).map_or(0, |log| log.past)
    }

    /// Ends the pending transaction.
    pub(crate) fn end(&mut self, done: Arc<Done>) {
        let log = Arc::make_mut(self.order.last_mut().expect("a transaction is pending"));
        log.done = Some(done);
        let (txn, past) = (log.txn, log.past);
        let before = members(past).fold(past, |before, pred| before | self.before[pred as usize]);
        self.before[txn as usize] = before;
    }

    /// The committed transactions that wrote a key, init among them.
    pub(crate) fn writers(&self, key: u32) -> Set {
        let wrote = self.order.iter().filter(|log| log.written(key).is_some());
        wrote.fold(one(0), |writers, log| writers | one(log.txn))
    }

    /// The value a transaction wrote to a key.
    pub(crate) fn value(&self, compiled: &Compiled<'_>, source: u8, key: u32) -> Value {
        match self.log(source).and_then(|log| log.written(key)) {
            Some(value) => value.clone(),
            None => compiled.initial(key),
        }
    }

    /// Answers the next read of a log from a transaction, allowed or not; `false` if it does not read, or
    /// the transaction did not write the key.
    pub(crate) fn answer(
        &self,
        compiled: &Compiled<'_>,
        log: &mut Log,
        next: Next,
        source: u8,
    ) -> bool {
        let Next::Read { key, trace } = next else { return false };
        if self.writers(key) & one(source) == 0 {
            return false;
        }
        let value = self.value(compiled, source, key);
        log.reads.push(Read { key, source, value, trace });
        true
    }

    /// Lets the pending transaction read a key from a transaction, if its base level allows that.
    pub(crate) fn read(
        &mut self,
        compiled: &Compiled<'_>,
        key: u32,
        source: u8,
        trace: u64,
    ) -> bool {
        let pending = self.order.last().expect("a transaction is pending").txn;
        let base = compiled.txns[pending as usize].base;
        self.read_at(compiled, base, key, source, trace)
    }

    fn read_at(
        &mut self,
        compiled: &Compiled<'_>,
        base: Level,
        key: u32,
        source: u8,
        trace: u64,
    ) -> bool {
        let log = self.order.last().expect("a transaction is pending");
        let seen = match base {
            Level::RC | Level::RA => {
                let sources = log.reads.iter().fold(0, |set, read| set | one(read.source));
                let so = compiled.txns[log.txn as usize].so;
                if base == Level::RA { sources | so } else { sources }
            }
            _ => log.past,
        };
        let source_past = self.past(source);
        let new = match base {
            Level::RC => 0,
            Level::RA => one(source) & !seen,
            _ => (one(source) | source_past) & !seen,
        };
        if base != Level::RU {
            let log = Arc::clone(log);
            let visible = (seen | new) & self.writers(key) & !one(source);
            if !self.precede(source, visible) {
                return false;
            }
            if new != 0 {
                for read in &log.reads {
                    let newer = new & self.writers(read.key) & !one(read.source);
                    if newer != 0 && !self.precede(read.source, newer) {
                        return false;
                    }
                }
            }
        }
        let value = self.value(compiled, source, key);
        let log = Arc::make_mut(self.order.last_mut().expect("a transaction is pending"));
        self.frozen |= log.past & one(source) == 0;
        log.reads.push(Read { key, source, value, trace });
        log.past |= one(source) | source_past;
        true
    }

    /// Adds edges of the commit order from some transactions to one, unless that closes a cycle.
    fn precede(&mut self, target: u8, writers: Set) -> bool {
        let writers = writers & !1;
        let known = self.before[target as usize];
        let new = writers & !known;
        if new == 0 {
            return true;
        }
        if target == 0 {
            return false;
        }
        let preds = members(new).fold(new, |preds, writer| preds | self.before[writer as usize]);
        if preds & one(target) != 0 {
            return false;
        }
        for txn in members(self.started) {
            if txn == target || self.before[txn as usize] & one(target) != 0 {
                self.before[txn as usize] |= preds;
            }
        }
        true
    }

    /// The same history with these logs, the last one perhaps pending: its forced edges anew, or `None` if
    /// the base levels forbid it.
    pub(crate) fn rebuilt(
        compiled: &Compiled<'_>,
        logs: impl Iterator<Item = Arc<Log>>,
    ) -> Option<Branch> {
        Branch::rebuilt_at(compiled, |txn| compiled.txns[txn as usize].base, logs)
    }

    /// The same with other levels.
    pub(crate) fn rebuilt_at(
        compiled: &Compiled<'_>,
        level: impl Fn(u8) -> Level,
        logs: impl Iterator<Item = Arc<Log>>,
    ) -> Option<Branch> {
        let mut branch = Branch::new(compiled);
        for log in logs {
            branch.begin(compiled, log.txn);
            let level = level(log.txn);
            let mut reads = log.reads.iter();
            if !reads.all(|r| branch.read_at(compiled, level, r.key, r.source, r.trace)) {
                return None;
            }
            if let Some(done) = &log.done {
                branch.end(Arc::clone(done));
            }
        }
        branch.frozen = true;
        Some(branch)
    }
}
