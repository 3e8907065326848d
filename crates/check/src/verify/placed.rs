//! A commit order as a row of places: who reads from which place, and which places write a key.

use hobgoblin_core::{
    CommitOrder, Edge, EventId, History, Level, Reason, Source, Status, Target, TxnId,
};

use super::error::VerifyError;
use super::model::{is_faulty, known_event, known_txn, level_of};

/// The place of a transaction that is not in the order.
pub(super) const NOWHERE: u32 = u32::MAX;

/// An external read: its key, the place of its source, and whether the axiom applies.
#[derive(Clone, Copy)]
pub(super) struct Read {
    pub(super) event: EventId,
    pub(super) key: usize,
    pub(super) source: u32,
    pub(super) plain: bool,
}

/// A commit order with what the axioms ask of it. Transactions go by their place; init has place 0.
pub(super) struct Order<'a> {
    pub(super) history: &'a History,
    /// The transaction at each place, and the place of each transaction.
    pub(super) txns: Vec<TxnId>,
    pub(super) place: Vec<u32>,
    pub(super) levels: Vec<Level>,
    /// The external reads of each place, in program order.
    pub(super) reads: Vec<Vec<Read>>,
    /// The keys each place writes, ascending.
    pub(super) writes: Vec<Vec<u32>>,
    /// The places that write each key, ascending.
    pub(super) writers: Vec<Vec<u32>>,
}

impl<'a> Order<'a> {
    /// Checks all that does not depend on the order of the order.
    pub(super) fn new(
        history: &'a History,
        target: Target,
        order: &CommitOrder,
    ) -> Result<Self, VerifyError> {
        let mut txns = vec![TxnId::INIT];
        let mut place = vec![NOWHERE; history.num_txns()];
        for &txn in &order.txns {
            known_txn(history, txn)?;
            if txn == TxnId::INIT || history.status(txn) == Status::Aborted {
                return Err(VerifyError::NotCommitted(txn));
            }
            if place[txn.index()] != NOWHERE {
                return Err(VerifyError::Repeated(txn));
            }
            place[txn.index()] = txns.len() as u32;
            txns.push(txn);
        }
        place[0] = 0;
        let missing = |t: &TxnId| history.counts(*t) && place[t.index()] == NOWHERE;
        if let Some(txn) = history.txns().find(missing) {
            return Err(VerifyError::Missing(txn));
        }
        let sources = sorted_sources(history, order)?;
        let mut reads = vec![Vec::new()];
        let mut writes = vec![Vec::new()];
        let mut writers = vec![Vec::new(); history.num_keys()];
        for (at, &txn) in txns.iter().enumerate().skip(1) {
            let (mut own_reads, mut own_writes) = (Vec::new(), Vec::new());
            for (id, event) in history.event_ids(txn).zip(history.events(txn)) {
                let source = match history.source(id) {
                    Source::Fault(_) if is_faulty(history, target, txn, id) => {
                        return Err(VerifyError::FaultyRead(id));
                    }
                    Source::Write if event.is_final_write() => {
                        own_writes.push(event.key().raw());
                        writers[event.key().index()].push(at as u32);
                        continue;
                    }
                    Source::Txn(source) => source,
                    Source::Ambiguous => {
                        let at = sources.binary_search_by_key(&id, |s| s.0);
                        sources[at.map_err(|_| VerifyError::BadSource(id))?].1
                    }
                    _ => continue,
                };
                if place[source.index()] == NOWHERE {
                    return Err(VerifyError::Missing(source));
                }
                let (key, source) = (event.key().index(), place[source.index()]);
                own_reads.push(Read { event: id, key, source, plain: !history.is_locking(id) });
            }
            own_writes.sort_unstable();
            reads.push(own_reads);
            writes.push(own_writes);
        }
        let levels = txns.iter().map(|&t| level_of(history, target, t)).collect();
        Ok(Order { history, txns, place, levels, reads, writes, writers })
    }

    pub(super) fn places(&self) -> std::ops::Range<usize> {
        1..self.txns.len()
    }

    /// The session of a place other than 0.
    pub(super) fn session(&self, place: usize) -> usize {
        self.history.session_of(self.txns[place]).expect("init has place 0").index()
    }

    /// An error unless the order has them so.
    pub(super) fn before(&self, from: TxnId, to: TxnId, why: Reason) -> Result<(), VerifyError> {
        let in_order = self.place[from.index()] < self.place[to.index()];
        in_order.then_some(()).ok_or(VerifyError::Backwards(Edge { from, to, why }))
    }

    pub(super) fn stale(&self, read: EventId, newer: u32) -> VerifyError {
        VerifyError::StaleRead { read, newer: self.txns[newer as usize] }
    }

    /// The writers of a read's key after its source, up to a place.
    pub(super) fn newer(&self, read: &Read, last: u32) -> &[u32] {
        let writers = &self.writers[read.key];
        let newer = &writers[writers.partition_point(|&w| w <= read.source)..];
        match newer.first() {
            Some(&first) if first <= last => &newer[..newer.partition_point(|&w| w <= last)],
            _ => &[],
        }
    }
}

/// The sources of ambiguous reads by event, each checked to be a candidate.
fn sorted_sources(
    history: &History,
    order: &CommitOrder,
) -> Result<Vec<(EventId, TxnId)>, VerifyError> {
    let mut sources = order.sources.clone();
    sources.sort_unstable();
    if let Some(twice) = sources.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(VerifyError::BadSource(twice[0].0));
    }
    for &(read, source) in &sources {
        known_event(history, read)?;
        known_txn(history, source)?;
        let event = history.event(read);
        let wrote = if source == TxnId::INIT {
            history.initial(event.key()) == history.value(read)
        } else {
            let mut writes = history.events(source).iter().filter(|e| e.is_final_write());
            history.status(source) != Status::Aborted
                && source != history.txn_of(read)
                && writes.any(|w| w.datum() == event.datum())
        };
        if !wrote || history.source(read) != Source::Ambiguous {
            return Err(VerifyError::BadSource(read));
        }
    }
    Ok(sources)
}
