//! A history as far as it is explored: transaction logs in the order they were added.
//!
//! At most one transaction is pending, and it is the last. So the order of events is an order of logs, and
//! every log's sources come before it.

use std::ops::Deref;
use std::sync::Arc;

use hobgoblin_core::{Level, Value};

use crate::compiled::{Compiled, Set, one};
use crate::locals::Locals;
use crate::record::{Done, Next, Read};

/// What a transaction did, complete or pending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    /// Its external reads.
    pub(crate) reads: Vec<Read>,
    /// What came of it, once it ended.
    pub(crate) done: Option<Done>,
    /// The keys it wrote, once it committed: one bit each, those from [`LARGE`] on in one bit together.
    wrote: u64,
}

/// A transaction in a history.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) txn: u8,
    /// (so ∪ wr)⁺ into it.
    pub(crate) past: Set,
    /// What must precede it in the commit order at the base levels, once it ended.
    before: Set,
    pub(crate) log: Arc<Log>,
}

impl Deref for Placed {
    type Target = Log;

    fn deref(&self) -> &Log {
        &self.log
    }
}

/// The first key that has no bit of its own.
const LARGE: u32 = 63;

impl Log {
    /// A transaction that has not ended.
    pub(crate) fn pending(reads: Vec<Read>) -> Log {
        Log { reads, ..Log::default() }
    }

    /// Notes what came of it.
    pub(crate) fn end(&mut self, done: Done) {
        self.wrote = done.writes.iter().fold(0, |wrote, &(key, _)| wrote | 1 << key.min(LARGE));
        self.done = Some(done);
    }

    /// Whether it wrote a key and committed.
    pub(crate) fn wrote(&self, key: u32) -> bool {
        self.wrote & 1 << key.min(LARGE) != 0 && (key < LARGE || self.written(key).is_some())
    }

    /// What it wrote to a key, once it committed.
    fn written(&self, key: u32) -> Option<&Value> {
        let done = self.done.as_ref()?;
        done.writes.iter().find(|(written, _)| *written == key).map(|(_, value)| value)
    }

    /// One read more.
    fn push(log: &mut Arc<Log>, read: Read) {
        if let Some(own) = Arc::get_mut(log) {
            own.reads.push(read);
            return;
        }
        let mut reads = Vec::with_capacity(log.reads.len() + 1);
        reads.extend(log.reads.iter().cloned());
        reads.push(read);
        *log = Arc::new(Log::pending(reads));
    }
}

/// A history as far as it is explored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Branch {
    pub(crate) order: Vec<Placed>,
    /// The transactions in `order`.
    pub(crate) started: Set,
    /// Whether a read was frozen since the last look at the frozen core.
    pub(crate) frozen: bool,
}

impl Branch {
    /// A copy that shares nothing with others: counting references to the same logs from several threads
    /// costs more than it saves.
    pub(crate) fn detached(mut self) -> Branch {
        for placed in &mut self.order {
            let mut log = Log::clone(&placed.log);
            if let Some(done) = &mut log.done {
                done.locals = done.locals.detached();
            }
            placed.log = Arc::new(log);
        }
        self
    }

    pub(crate) fn pending(&self) -> Option<&Placed> {
        self.order.last().filter(|log| log.done.is_none())
    }

    pub(crate) fn log(&self, txn: u8) -> Option<&Placed> {
        self.order.iter().find(|log| log.txn == txn)
    }

    /// The locals a transaction begins with.
    pub(crate) fn locals(&self, compiled: &Compiled<'_>, txn: u8) -> Locals {
        let info = &compiled.txns[txn as usize];
        let previous = self.log(info.previous).and_then(|log| log.done.as_ref());
        match previous {
            Some(done) => done.locals.clone(),
            None => {
                let session = compiled.program.sessions.get(info.session);
                session.map_or(Locals::default(), |session| Locals::new(&session.locals))
            }
        }
    }

    /// Starts a transaction.
    pub(crate) fn begin(&mut self, compiled: &Compiled<'_>, txn: u8) {
        let past = self.past_at_start(compiled, txn);
        self.place(txn, past, Arc::default());
    }

    /// Adds a transaction.
    pub(crate) fn place(&mut self, txn: u8, past: Set, log: Arc<Log>) {
        self.order.push(Placed { txn, past, before: 0, log });
        self.started |= one(txn);
    }

    /// (so ∪ wr)⁺ into a transaction that has read nothing.
    pub(crate) fn past_at_start(&self, compiled: &Compiled<'_>, txn: u8) -> Set {
        let so = compiled.txns[txn as usize].so;
        if so == one(0) { so } else { so | self.union(so, |log| log.past) }
    }

    /// (so ∪ wr)⁺ into a transaction.
    pub(crate) fn past(&self, txn: u8) -> Set {
        self.log(txn).map_or(0, |log| log.past)
    }

    /// What some transactions have, together.
    pub(crate) fn union(&self, of: Set, set: impl Fn(&Placed) -> Set) -> Set {
        self.order
            .iter()
            .fold(0, |union, log| if of & one(log.txn) != 0 { union | set(log) } else { union })
    }

    /// Ends the pending transaction.
    pub(crate) fn end(&mut self, done: Done) {
        let last = self.order.last_mut().expect("a transaction is pending");
        Arc::make_mut(&mut last.log).end(done);
        self.ended();
    }

    /// Notes what must precede the transaction that just ended.
    fn ended(&mut self) {
        let past = self.order.last().expect("a transaction just ended").past;
        let before = past | self.union(past, |log| log.before);
        self.order.last_mut().expect("a transaction just ended").before = before;
    }

    /// The committed transactions that wrote a key, init among them.
    pub(crate) fn writers(&self, key: u32) -> Set {
        let wrote = self.order.iter().filter(|log| log.wrote(key));
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
        let mut last = self.order.pop().expect("a transaction is pending");
        let base = compiled.txns[last.txn as usize].base;
        let so_far = (last.txn, &last.reads[..], last.past);
        let past = self.past_after(compiled, base, so_far, (key, source));
        if let Some(past) = past {
            self.frozen |= last.past & one(source) == 0;
            last.past = past;
            let value = self.value(compiled, source, key);
            Log::push(&mut last.log, Read { key, source, value, trace });
        }
        self.order.push(last);
        past.is_some()
    }

    /// The past of a transaction, with these reads and this past, after it read a key from a source; notes
    /// the edges that this forces. `None` if a level forbids it.
    fn past_after(
        &mut self,
        compiled: &Compiled<'_>,
        base: Level,
        (txn, reads, past): (u8, &[Read], Set),
        (key, source): (u32, u8),
    ) -> Option<Set> {
        let seen = match base {
            Level::RC | Level::RA => {
                let sources = reads.iter().fold(0, |set, read| set | one(read.source));
                let so = compiled.txns[txn as usize].so;
                if base.is_atomic() { sources | so } else { sources }
            }
            Level::RU | Level::CC => past,
            Level::PC | Level::PSI | Level::SI | Level::SER | Level::SSER => {
                unreachable!("histories are extended at RU, RC, RA and CC")
            }
        };
        let source_past = self.past(source);
        let new = match base {
            Level::RC => 0,
            Level::RA => one(source) & !seen,
            Level::RU | Level::CC => (one(source) | source_past) & !seen,
            Level::PC | Level::PSI | Level::SI | Level::SER | Level::SSER => {
                unreachable!("histories are extended at RU, RC, RA and CC")
            }
        };
        if base.has_axiom() {
            let visible = (seen | new) & self.writers(key) & !one(source);
            if !self.precede(source, visible) {
                return None;
            }
            if new != 0 {
                for read in reads {
                    let newer = new & self.writers(read.key) & !one(read.source);
                    if newer != 0 && !self.precede(read.source, newer) {
                        return None;
                    }
                }
            }
        }
        Some(past | one(source) | source_past)
    }

    /// Adds edges of the commit order from some transactions to one, unless that closes a cycle.
    fn precede(&mut self, target: u8, writers: Set) -> bool {
        let writers = writers & !1;
        let known = self.log(target).map_or(0, |log| log.before);
        let new = writers & !known;
        if new == 0 {
            return true;
        }
        if target == 0 {
            return false;
        }
        let preds = new | self.union(new, |log| log.before);
        if preds & one(target) != 0 {
            return false;
        }
        for log in &mut self.order {
            if log.txn == target || log.before & one(target) != 0 {
                log.before |= preds;
            }
        }
        true
    }

    /// The same history with these logs, the last one perhaps pending: its forced edges anew, or `None` if
    /// the base levels forbid it.
    pub(crate) fn rebuilt(
        compiled: &Compiled<'_>,
        logs: impl Iterator<Item = (u8, Arc<Log>)>,
    ) -> Option<Branch> {
        Branch::rebuilt_at(compiled, |txn| compiled.txns[txn as usize].base, logs)
    }

    /// The same with other levels.
    pub(crate) fn rebuilt_at(
        compiled: &Compiled<'_>,
        level: impl Fn(u8) -> Level,
        logs: impl Iterator<Item = (u8, Arc<Log>)>,
    ) -> Option<Branch> {
        let mut branch = Branch::default();
        branch.order.reserve(compiled.txns.len());
        for (txn, log) in logs {
            if !branch.add(compiled, level(txn), txn, log) {
                return None;
            }
        }
        branch.frozen = true;
        Some(branch)
    }

    /// Adds a transaction, complete or pending, if a level allows its reads.
    fn add(&mut self, compiled: &Compiled<'_>, level: Level, txn: u8, log: Arc<Log>) -> bool {
        let mut past = self.past_at_start(compiled, txn);
        for (at, read) in log.reads.iter().enumerate() {
            let so_far = (txn, &log.reads[..at], past);
            match self.past_after(compiled, level, so_far, (read.key, read.source)) {
                Some(longer) => past = longer,
                None => return false,
            }
        }
        let ended = log.done.is_some();
        self.place(txn, past, log);
        if ended {
            self.ended();
        }
        true
    }
}
