//! Whether a commit order shows that a level holds.
//!
//! Every axiom has one form: a read of x that returned t1's version is wrong when a writer of x that
//! its level makes visible to it has a later place in the order than t1. So for each read one asks for
//! the latest visible writer of its key:
//!
//! - SER: the latest before the reader; walk along the order and remember it.
//! - PC, SI: the latest up to the snapshot, which is the last place among those the reader must see.
//! - RA, RC: the latest among the sources of the transaction's (earlier) reads, and, at RA, among its
//!   session. Sources' writes and the reader's reads are matched from the smaller side.
//! - CC, PSI: the latest in the reader's past (`past.rs`).
//!
//! What a locking read saw is no part of what its transaction must see.

use hobgoblin_core::{CommitOrder, Edge, EventId, History, Level, Reason, Target, TxnId};

use super::error::VerifyError;
use super::model::needs_no_order;
use super::past;
use super::placed::{NOWHERE, Order, Read};

pub(super) fn verify(
    history: &History,
    target: Target,
    order: &CommitOrder,
) -> Result<(), VerifyError> {
    let check = Order::new(history, target, order)?;
    if needs_no_order(history, target) {
        return Ok(());
    }
    check.sessions_and_reads()?;
    check.real_time()?;
    check.version_orders()?;
    let has = |level| check.levels.contains(&level);
    if has(Level::RC) || has(Level::RA) {
        check.atomic()?;
    }
    for level in [Level::CC, Level::PSI] {
        if has(level) {
            past::verify(&check, level)?;
        }
    }
    check.snapshots()
}

impl Order<'_> {
    /// so ∪ wr ⊆ co.
    pub(super) fn sessions_and_reads(&self) -> Result<(), VerifyError> {
        for session in self.history.sessions() {
            let mut before = TxnId::INIT;
            let txns = self.history.session_txns(session).iter();
            for &txn in txns.filter(|t| self.place[t.index()] != NOWHERE) {
                self.before(before, txn, Reason::Session)?;
                before = txn;
            }
        }
        for at in self.places() {
            for read in &self.reads[at] {
                let from = self.txns[read.source as usize];
                self.before(from, self.txns[at], Reason::Read(read.event))?;
            }
        }
        Ok(())
    }

    /// Nothing that ended before an SSER transaction began comes after it.
    fn real_time(&self) -> Result<(), VerifyError> {
        let mut first_end: Option<(i64, TxnId)> = None;
        for at in self.places().rev() {
            let txn = self.txns[at];
            if self.levels[at].respects_real_time()
                && let (Some(begin), Some((end, from))) = (self.history.begin(txn), first_end)
                && end < begin
            {
                let why = Reason::RealTime;
                return Err(VerifyError::Backwards(Edge { from, to: txn, why }));
            }
            if let Some(end) = self.history.end(txn)
                && first_end.is_none_or(|(first, _)| end < first)
            {
                first_end = Some((end, txn));
            }
        }
        Ok(())
    }

    /// The writers a version order names come in that order and before all others.
    fn version_orders(&self) -> Result<(), VerifyError> {
        for key in self.history.ordered_keys() {
            let named = self.history.order(key).unwrap_or_default().iter().copied();
            let named: Vec<TxnId> = named.filter(|t| self.place[t.index()] != NOWHERE).collect();
            for pair in named.windows(2) {
                self.before(pair[0], pair[1], Reason::Write(key))?;
            }
            // The order is ascending, so the first writers of all must be those it names.
            for (&at, &from) in self.writers[key.index()].iter().zip(&named) {
                let to = self.txns[at as usize];
                if to != from {
                    return Err(VerifyError::Backwards(Edge { from, to, why: Reason::Write(key) }));
                }
            }
        }
        Ok(())
    }

    /// SER, SSER, PC and SI, along the order.
    fn snapshots(&self) -> Result<(), VerifyError> {
        let mut last_of_session = vec![0; self.history.num_sessions()];
        let mut last_writer = vec![0; self.history.num_keys()];
        for at in self.places() {
            let level = self.levels[at];
            let last = &mut last_of_session[self.session(at)];
            let seen = match level {
                Level::SER | Level::SSER => at as u32 - 1,
                Level::PC | Level::SI => {
                    let sources = self.reads[at].iter().filter(|r| r.plain).map(|r| r.source);
                    let conflicts = self.writes[at].iter().map(|&k| last_writer[k as usize]);
                    let conflicts = conflicts.filter(|_| level.excludes_writers());
                    sources.chain(conflicts).fold(*last, u32::max)
                }
                Level::RU | Level::RC | Level::RA | Level::CC | Level::PSI => 0,
            };
            for read in self.reads[at].iter().filter(|r| r.plain) {
                if let Some(&newer) = self.newer(read, seen).first() {
                    return Err(self.stale(read.event, newer));
                }
            }
            *last = at as u32;
            for &key in &self.writes[at] {
                last_writer[key as usize] = at as u32;
            }
        }
        Ok(())
    }

    /// RC and RA, session by session.
    fn atomic(&self) -> Result<(), VerifyError> {
        let mut own = vec![(usize::MAX, 0); self.history.num_keys()];
        let mut read_by = vec![0; self.txns.len()];
        let mut wanted = Wanted::new(self.history.num_keys());
        for session in self.history.sessions() {
            let txns = self.history.session_txns(session).iter();
            for at in txns.map(|t| self.place[t.index()]).filter(|&p| p != NOWHERE) {
                let reads = self.reads[at as usize].iter().filter(|r| r.plain);
                wanted.clear(at);
                match self.levels[at as usize] {
                    Level::RA => {
                        reads.clone().for_each(|r| wanted.add(r));
                        for read in reads.clone() {
                            if own[read.key].0 == session.index() && own[read.key].1 > read.source {
                                return Err(self.stale(read.event, own[read.key].1));
                            }
                        }
                        for read in reads {
                            if std::mem::replace(&mut read_by[read.source as usize], at) != at {
                                self.not_overwritten_by(read.source, &wanted)?;
                            }
                        }
                    }
                    Level::RC => {
                        let mut first =
                            |r: &Read| std::mem::replace(&mut read_by[r.source as usize], at) != at;
                        let reads: Vec<(&Read, bool)> = reads.map(|r| (r, first(r))).collect();
                        for (read, first) in reads.into_iter().rev() {
                            if first {
                                self.not_overwritten_by(read.source, &wanted)?;
                            }
                            wanted.add(read);
                        }
                    }
                    Level::RU | Level::CC | Level::PC | Level::PSI => {}
                    Level::SI | Level::SER | Level::SSER => {}
                }
                for &key in &self.writes[at as usize] {
                    own[key as usize] = (session.index(), at);
                }
            }
        }
        Ok(())
    }

    /// No wanted read returned an older version than the one a transaction wrote.
    fn not_overwritten_by(&self, writer: u32, wanted: &Wanted) -> Result<(), VerifyError> {
        let writes = &self.writes[writer as usize];
        let stale = |&&key: &&u32| wanted.get(key).is_some_and(|(oldest, _)| oldest < writer);
        let key = if writes.len() <= wanted.keys.len() {
            writes.iter().find(stale)
        } else {
            wanted.keys.iter().filter(stale).find(|key| writes.binary_search(key).is_ok())
        };
        match key.and_then(|&key| wanted.get(key)) {
            Some((_, read)) => Err(self.stale(read, writer)),
            None => Ok(()),
        }
    }
}

/// For each key that some reads of one transaction want, the read of the oldest version.
struct Wanted {
    by: u32,
    oldest: Vec<(u32, u32, EventId)>,
    keys: Vec<u32>,
}

impl Wanted {
    fn new(num_keys: usize) -> Wanted {
        Wanted { by: 0, oldest: vec![(0, 0, EventId::new(0)); num_keys], keys: Vec::new() }
    }

    fn clear(&mut self, by: u32) {
        self.by = by;
        self.keys.clear();
    }

    fn get(&self, key: u32) -> Option<(u32, EventId)> {
        let (by, source, read) = self.oldest[key as usize];
        (by == self.by).then_some((source, read))
    }

    fn add(&mut self, read: &Read) {
        let oldest = &mut self.oldest[read.key];
        if oldest.0 != self.by {
            self.keys.push(read.key as u32);
        } else if oldest.1 <= read.source {
            return;
        }
        *oldest = (self.by, read.source, read.event);
    }
}
