//! A checker that tries every commit order, straight from the definitions, for histories of a few
//! transactions. It leaves out locking reads, version orders and mixed levels.

use hobgoblin_core::{EventId, Fault, History, Level, Source, TxnId};

/// The relations of a history whose every read has one source, over the transactions that count.
struct Choice<'a> {
    history: &'a History,
    txns: Vec<TxnId>,
    /// External reads of counted transactions: event, reader, source.
    reads: Vec<(EventId, TxnId, TxnId)>,
}

/// Whether a history satisfies a level.
pub(crate) fn holds(history: &History, level: Level) -> bool {
    if level == Level::RU {
        return !history.faults().iter().any(|&event| {
            let fault = matches!(
                history.source(event),
                Source::Fault(Fault::ThinAir | Fault::InternalMismatch)
            );
            fault && history.counts(history.txn_of(event))
        });
    }
    let mut sources = vec![TxnId::INIT; history.ambiguous_reads().len()];
    choose(history, level, 0, &mut sources)
}

/// All levels that a history satisfies.
#[allow(dead_code, reason = "not every test asks for all levels")]
pub(crate) fn levels(history: &History) -> Vec<Level> {
    Level::ALL.into_iter().filter(|&level| holds(history, level)).collect()
}

/// Whether the order in which transactions are recorded is a commit order that shows a level.
#[allow(dead_code, reason = "not every test asks for long histories")]
pub(crate) fn recorded_order_shows(history: &History, level: Level) -> bool {
    let Some(choice) = Choice::new(history, &[]) else { return false };
    let co: Vec<TxnId> = [TxnId::INIT].into_iter().chain(choice.txns.iter().copied()).collect();
    let in_order = |a: usize, b: usize| !choice.precedes(level, co[b], co[a]);
    (0..co.len()).all(|b| (0..=b).all(|a| in_order(a, b))) && choice.satisfies(level, &co)
}

/// Tries every source of every ambiguous read from `at` on.
fn choose(history: &History, level: Level, at: usize, sources: &mut Vec<TxnId>) -> bool {
    let Some(&event) = history.ambiguous_reads().get(at) else {
        return Choice::new(history, sources).is_some_and(|choice| choice.search(level));
    };
    history.candidates(event).into_iter().any(|candidate| {
        sources[at] = candidate;
        choose(history, level, at + 1, sources)
    })
}

impl<'a> Choice<'a> {
    /// None if a counted read has no source.
    fn new(history: &'a History, sources: &[TxnId]) -> Option<Choice<'a>> {
        let mut counted: Vec<TxnId> = history.txns().filter(|&t| history.counts(t)).collect();
        let mut reads = Vec::new();
        let mut next = 0;
        while let Some(&t) = counted.get(next) {
            next += 1;
            for event in history.event_ids(t) {
                let from = match history.source(event) {
                    Source::Write | Source::Internal => continue,
                    Source::Fault(_) => return None,
                    Source::Txn(from) => from,
                    Source::Ambiguous => {
                        let reads = history.ambiguous_reads();
                        sources[reads.binary_search(&event).expect("it is listed")]
                    }
                };
                reads.push((event, t, from));
                if from != TxnId::INIT && !counted.contains(&from) {
                    counted.push(from);
                }
            }
        }
        counted.sort();
        Some(Choice { history, txns: counted, reads })
    }

    fn so_or_wr(&self, a: TxnId, b: TxnId) -> bool {
        self.history.so(a, b) || self.reads.iter().any(|&(_, t, from)| from == a && t == b)
    }

    fn search(&self, level: Level) -> bool {
        self.extend(level, &mut vec![TxnId::INIT])
    }

    fn extend(&self, level: Level, co: &mut Vec<TxnId>) -> bool {
        if co.len() == self.txns.len() + 1 {
            return self.satisfies(level, co);
        }
        for &t in &self.txns {
            let free = |&u: &TxnId| u == t || co.contains(&u) || !self.precedes(level, u, t);
            if !co.contains(&t) && !self.so_or_wr(t, t) && self.txns.iter().all(free) {
                co.push(t);
                if self.extend(level, co) {
                    return true;
                }
                co.pop();
            }
        }
        false
    }

    /// Whether every commit order of the level has `a` before `b`.
    fn precedes(&self, level: Level, a: TxnId, b: TxnId) -> bool {
        let real_time = match (self.history.end(a), self.history.begin(b)) {
            (Some(end), Some(begin)) => end < begin,
            _ => false,
        };
        self.so_or_wr(a, b) || (level == Level::SSER && real_time)
    }

    fn satisfies(&self, level: Level, co: &[TxnId]) -> bool {
        let n = co.len();
        let place = |t: TxnId| co.iter().position(|&u| u == t).expect("co has every transaction");
        let h = self.history;
        // By place: direct so or wr, and its closure with ww for PSI.
        let conflict = |a: TxnId, b: TxnId| h.keys().any(|x| h.writes(a, x) && h.writes(b, x));
        let mut direct = vec![vec![false; n]; n];
        let mut causal = vec![vec![false; n]; n];
        for i in 0..n {
            for j in i + 1..n {
                direct[i][j] = self.so_or_wr(co[i], co[j]);
                causal[i][j] = direct[i][j] || (level == Level::PSI && conflict(co[i], co[j]));
            }
        }
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    causal[i][j] |= causal[i][k] && causal[k][j];
                }
            }
        }
        self.reads.iter().all(|&(r, t3, t1)| {
            let (key, p3) = (h.event(r).key(), place(t3));
            co.iter().enumerate().all(|(p2, &t2)| {
                let prefix = || (p2..n).any(|p| direct[p][p3]);
                let phi = match level {
                    Level::RU => false,
                    Level::RC => {
                        let before = |&(e, t, from): &(EventId, TxnId, TxnId)| {
                            t == t3 && e < r && from == t2
                        };
                        self.reads.iter().any(before)
                    }
                    Level::RA => direct[p2][p3],
                    Level::CC | Level::PSI => causal[p2][p3],
                    Level::PC => prefix(),
                    Level::SI => prefix() || (p2..p3).any(|p4| conflict(co[p4], t3)),
                    Level::SER | Level::SSER => p2 < p3,
                };
                t2 == t1 || t2 == t3 || !h.writes(t2, key) || !phi || p2 < place(t1)
            })
        })
    }
}
