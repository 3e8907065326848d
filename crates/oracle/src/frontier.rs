//! PC, SI and SER by a search over session frontiers [Biswas 2019, section 4].
//!
//! A serial order is built one transaction at a time, each the next of some session, so what has been
//! placed is told by how far each session has come: its frontier. A transaction may come next when its
//! sources have been placed, and when it replaces no version that another transaction, not yet placed,
//! reads. Whether the rest can be placed depends on the frontier alone, so each is tried once: at most
//! nᵏ of them for k sessions of n transactions.
//!
//! PC and SI are reduced to SER by cutting every transaction in two, one that reads and one that writes
//! [Biswas 2019, section 4.2]:
//!
//! ```text
//!     lost update        t1 = { r(x)=0 w(x)=1 }            t2 = { r(x)=0 w(x)=2 }
//!     PC: serializable   R1 = { r(x)=0 }, W1 = { w(x)=1 }  R2 = { r(x)=0 }, W2 = { w(x)=2 }
//!     SI: it is not      R1 also writes c, which W1 reads from R1, and W2 writes c too: W2 cannot come
//!                        between R1 and W1. R2, W2 and W1 likewise with another such key.
//! ```
//!
//! A locking read returned the latest committed version, so it goes with the piece that writes, and asks
//! only that its source come before.

use std::collections::HashSet;

use hobgoblin_core::{History, Level, Source, TxnId};

/// Whether a history of unique values satisfies PC, SI or SER.
///
/// Panics at other levels, and where values repeat. Known version orders are not looked at.
pub fn satisfies(history: &History, level: Level) -> bool {
    let counts = |read: &hobgoblin_core::EventId| history.counts(history.txn_of(*read));
    assert!(!history.ambiguous_reads().iter().any(counts), "values repeat");
    if history.faults().iter().any(counts) {
        return false;
    }
    match level {
        Level::SER => Plan::whole(history).is_serializable(),
        Level::PC => Plan::cut(history, false).is_serializable(),
        Level::SI => Plan::cut(history, true).is_serializable(),
        _ => panic!("{level} is not decided by a search over frontiers"),
    }
}

/// A transaction, or a half of one, with what serializability asks about.
#[derive(Debug, Default)]
struct Piece {
    /// Keys read, and the piece read from; none for init.
    reads: Vec<(usize, Option<usize>)>,
    /// Other pieces to come after: those that locking reads read from.
    after: Vec<usize>,
    writes: Vec<usize>,
}

/// Sessions of pieces.
#[derive(Debug, Default)]
struct Plan {
    pieces: Vec<Piece>,
    sessions: Vec<Vec<usize>>,
}

impl Plan {
    /// Every transaction one piece.
    fn whole(history: &History) -> Plan {
        Plan::new(history, 1, |t| (t, t))
    }

    /// Every transaction two pieces: reads, then writes.
    fn cut(history: &History, conflicts: bool) -> Plan {
        let mut plan = Plan::new(history, 2, |t| (2 * t, 2 * t + 1));
        if conflicts {
            let mut next_key = history.num_keys();
            for t1 in history.txns().filter(|&t| history.counts(t)) {
                for t2 in history.txns().filter(|&t| t != t1 && history.counts(t)) {
                    if history.keys().any(|k| history.writes(t1, k) && history.writes(t2, k)) {
                        let (read_half, write_half) = (2 * t1.index(), 2 * t1.index() + 1);
                        plan.pieces[read_half].writes.push(next_key);
                        plan.pieces[write_half].reads.push((next_key, Some(read_half)));
                        plan.pieces[2 * t2.index() + 1].writes.push(next_key);
                        next_key += 1;
                    }
                }
            }
        }
        plan
    }

    /// `halves` tells the pieces that read and write for a transaction.
    fn new(history: &History, per_txn: usize, halves: fn(usize) -> (usize, usize)) -> Plan {
        let mut plan = Plan::default();
        plan.pieces.resize_with(per_txn * history.num_txns(), Piece::default);
        for session in history.sessions() {
            let mut pieces = Vec::new();
            for &txn in history.session_txns(session).iter().filter(|&&t| history.counts(t)) {
                let (reads, writes) = halves(txn.index());
                for (id, event) in history.event_ids(txn).zip(history.events(txn)) {
                    let key = event.key().index();
                    if event.is_final_write() {
                        plan.pieces[writes].writes.push(key);
                    } else if let Source::Txn(source) = history.source(id) {
                        let from = (source != TxnId::INIT).then(|| halves(source.index()).1);
                        if history.is_locking(id) {
                            plan.pieces[writes].after.extend(from);
                        } else {
                            plan.pieces[reads].reads.push((key, from));
                        }
                    }
                }
                pieces.push(reads);
                if writes != reads {
                    pieces.push(writes);
                }
            }
            plan.sessions.push(pieces);
        }
        plan
    }

    /// [Biswas 2021a, algorithm 6], with a stack of its own in place of recursion.
    fn is_serializable(&self) -> bool {
        let total: usize = self.sessions.iter().map(Vec::len).sum();
        let mut seen = HashSet::new();
        let mut open = vec![vec![0; self.sessions.len()]];
        while let Some(frontier) = open.pop() {
            if frontier.iter().sum::<usize>() == total {
                return true;
            }
            for session in 0..self.sessions.len() {
                if self.is_valid_extension(&frontier, session) {
                    let mut further = frontier.clone();
                    further[session] += 1;
                    if seen.insert(further.clone()) {
                        open.push(further);
                    }
                }
            }
        }
        false
    }

    /// Whether the next piece of a session may come next of all.
    fn is_valid_extension(&self, frontier: &[usize], session: usize) -> bool {
        let Some(&next) = self.sessions[session].get(frontier[session]) else { return false };
        let mut placed = vec![false; self.pieces.len()];
        let mut waiting = Vec::new();
        for (pieces, &reached) in self.sessions.iter().zip(frontier) {
            pieces[..reached].iter().for_each(|&piece| placed[piece] = true);
            waiting.extend(pieces[reached..].iter().filter(|&&piece| piece != next));
        }
        let is_placed = |source: Option<usize>| source.is_none_or(|piece| placed[piece]);
        let piece = &self.pieces[next];
        piece.reads.iter().all(|&(_, source)| is_placed(source))
            && piece.after.iter().all(|&source| placed[source])
            && !waiting.iter().any(|&other: &usize| {
                let mut reads = self.pieces[other].reads.iter();
                reads.any(|&(key, source)| piece.writes.contains(&key) && is_placed(source))
            })
    }
}
