//! Reads of transactions that were added later: COMPUTEREORDERINGS, OPTIMALITY and SWAP
//! [Bouajjani 2023, sections 5.2 and 5.3].
//!
//! When a transaction t commits, an earlier read r of a key that t wrote could have read from it. SWAP makes
//! that history: all before r, then t and its past, then r's transaction up to r, reading from t.
//!
//! ```text
//!     order:   … L(… r …) … d … t          d is not in t's past and is dropped
//!     swapped: … … t L(… r)                r reads from t; L goes on from there
//! ```
//!
//! Two histories must not be swapped into the same one. So a swap is made only from the one history in
//! which every dropped read, and r, read from the latest transaction of its own past (READLATEST) and was
//! not swapped itself (SWAPPED).
//!
//! The third condition of SWAPPED as printed loses histories: it must be that no earlier read r' of the
//! same transaction has t in the past of its source, or as its source. `{r(y) r(x)} ‖ {w(x)};{w(y)} ‖ {w(x)}`
//! has five histories at CC; with the printed condition one is lost.

use std::sync::Arc;

use crate::branch::{Branch, Log, Placed};
use crate::compiled::{Compiled, Set, one};
use crate::record::Read;

impl Branch {
    /// Collects the histories in which an earlier read reads from the transaction that just ended.
    pub(crate) fn swaps(&self, compiled: &Compiled<'_>, into: &mut Vec<Branch>) {
        let Some((last, earlier)) = self.order.split_last() else { return };
        let wrote = |key: u32| last.wrote(key);
        for (place, log) in earlier.iter().enumerate() {
            if last.past & one(log.txn) != 0 {
                continue;
            }
            for (at, read) in log.reads.iter().enumerate() {
                if wrote(read.key) && self.is_optimal(compiled, place, at) {
                    into.extend(self.swapped(compiled, place, at));
                }
            }
        }
    }

    /// The transaction that just ended, with its past.
    fn kept(&self) -> Set {
        let last = self.order.last().expect("a transaction just ended");
        last.past | one(last.txn)
    }

    /// OPTIMALITY, without the question whether the swapped history satisfies the base levels.
    fn is_optimal(&self, compiled: &Compiled<'_>, place: usize, at: usize) -> bool {
        let kept = self.kept();
        let dropped = |log: &Placed| kept & one(log.txn) == 0;
        let fine = |place: usize, at: usize| {
            !self.is_swapped(place, at) && self.reads_latest(compiled, place, at, kept)
        };
        let own = self.order[place].reads.len();
        (at..own).all(|at| fine(place, at))
            && (place + 1..self.order.len()).all(|place| {
                let log = &self.order[place];
                !dropped(log) || (0..log.reads.len()).all(|at| fine(place, at))
            })
    }

    /// SWAPPED: whether a read got its source by a swap.
    pub(crate) fn is_swapped(&self, place: usize, at: usize) -> bool {
        let log = &self.order[place];
        let source = log.reads[at].source;
        let after = |other: &Placed| other.past & one(source) != 0;
        source > log.txn
            && !self.order[..place].iter().any(|other| other.txn < log.txn && after(other))
            && !log.reads[..at].iter().any(|earlier| {
                earlier.source == source || self.past(earlier.source) & one(source) != 0
            })
    }

    /// The past of a transaction before one of its reads.
    pub(crate) fn past_before(&self, compiled: &Compiled<'_>, place: usize, at: usize) -> Set {
        let log = &self.order[place];
        let so = compiled.txns[log.txn as usize].so;
        let sources = log.reads[..at].iter().fold(so, |set, read| set | one(read.source));
        sources | self.union(sources, |log| log.past)
    }

    /// READLATEST: whether a read reads from the latest transaction of its own past that it could.
    fn reads_latest(&self, compiled: &Compiled<'_>, place: usize, at: usize, kept: Set) -> bool {
        let read = &self.order[place].reads[at];
        let past = self.past_before(compiled, place, at);
        if past & one(read.source) == 0 {
            return false;
        }
        // Later ones, from the latest on: none may be possible.
        let later = self.order[..place].iter().rev().take_while(|log| log.txn != read.source);
        let others = later.filter(|log| past & one(log.txn) != 0 && log.wrote(read.key));
        let mut others = others.map(|log| log.txn);
        !others.any(|other| self.cut(compiled, place, at, other, kept).is_some())
    }

    /// The history without what follows a read, but with the transaction that just ended and its past, and
    /// the read from another source; if the base levels allow it.
    fn cut(
        &self,
        compiled: &Compiled<'_>,
        place: usize,
        at: usize,
        source: u8,
        kept: Set,
    ) -> Option<Branch> {
        let log = &self.order[place];
        let mut reads = log.reads[..=at].to_vec();
        let value = self.value(compiled, source, reads[at].key);
        reads[at] = Read { source, value, ..reads[at] };
        let last = (log.txn, Arc::new(Log::pending(reads)));
        let later = self.order[place + 1..].iter().filter(|log| kept & one(log.txn) != 0);
        let others = self.order[..place].iter().chain(later);
        let logs = others.map(|log| (log.txn, Arc::clone(&log.log))).chain([last]);
        Branch::rebuilt(compiled, logs)
    }

    /// SWAP: the history in which a read reads from the transaction that just ended.
    fn swapped(&self, compiled: &Compiled<'_>, place: usize, at: usize) -> Option<Branch> {
        let last = self.order.last().expect("a transaction just ended");
        self.cut(compiled, place, at, last.txn, self.kept())
    }
}
