//! Every level by the letter of its definition.
//!
//! A history satisfies a level when there is a commit order `co`, containing `so` and `wr`, such that
//! for every read r of x in t3 that returned the version of t1, and every other writer t2 of x,
//! φ(t2, r) implies co(t2, t1). Here every order is tried, and φ is computed from relations as it is
//! written down. Where values repeat, every `wr` is tried too.
//!
//! What the definition leaves to the reader, and how it is read here and in the verifier:
//!
//! - Where all transactions that did not abort are at RU, no order is asked for, so nothing but reads
//!   of values that nobody wrote and internal mismatches can be wrong. In a mix, `wr` of a reader at RU
//!   is in `co` like any other; only aborted, intermediate and future reads are forgiven to it.
//! - A locking read returns the latest committed version, so it belongs to its transaction's commit
//!   and not to its snapshot. It is in `wr`, hence in `co` and in the past of later transactions, but it
//!   has no instance itself, and it is no evidence for the other reads of its transaction: the last
//!   step of φ into t3 is never a locking read of t3.
//! - A known version order is a part of `co`.

use hobgoblin_core::{
    CommitOrder, EventId, Fault, History, KeyId, Level, Source, Status, Target, TxnId,
};

use crate::choice::Choice;
use crate::relation::{MAX, Relation};

/// Whether the history satisfies the target. Panics past 15 transactions; is slow past 7.
pub fn satisfies(history: &History, target: Target) -> bool {
    commit_order(history, target).is_some()
}

/// A commit order that shows that the history satisfies the target, if there is one.
pub fn commit_order(history: &History, target: Target) -> Option<CommitOrder> {
    Choice::all(history).into_iter().find_map(|choice| {
        let problem = Problem::new(history, target, &choice)?;
        let mut order = vec![0];
        problem.search(&mut order).then(|| CommitOrder {
            txns: order[1..].iter().map(|&i| problem.txns[i]).collect(),
            sources: choice.sources.into_iter().collect(),
        })
    })
}

/// Whether this commit order shows that the history satisfies the target. It may hold transactions of
/// unknown status that nobody reads from.
pub fn accepts(history: &History, target: Target, order: &CommitOrder) -> bool {
    let mut choice = Choice::new(history, order.sources.iter().copied().collect());
    let unknown = |t: &TxnId| history.status(*t) == Status::Unknown;
    for &txn in order.txns.iter().filter(|t| unknown(t)) {
        if !choice.txns.contains(&txn) {
            choice.txns.push(txn);
        }
    }
    let (mut listed, mut counted) = (order.txns.clone(), choice.txns.clone());
    listed.sort_unstable();
    counted.sort_unstable();
    let read_closed = |choice: &Choice| {
        let events = choice.txns.iter().flat_map(|&t| history.event_ids(t));
        let mut sources = events.filter_map(|e| choice.source(history, e));
        sources.all(|s| s == TxnId::INIT || choice.txns.contains(&s))
    };
    let candidates = |&(e, s): &(EventId, TxnId)| history.candidates(e).contains(&s);
    if listed != counted
        || choice.open_read(history).is_some()
        || !read_closed(&choice)
        || !order.sources.iter().all(candidates)
    {
        return false;
    }
    let Some(problem) = Problem::new(history, target, &choice) else { return false };
    let number = |t: &TxnId| problem.txns.iter().position(|u| u == t).expect("all are listed");
    let sequence: Vec<usize> = std::iter::once(0).chain(order.txns.iter().map(number)).collect();
    problem.holds(&sequence)
}

/// The level the target asks of a transaction.
pub(crate) fn level_of(history: &History, target: Target, txn: TxnId) -> Level {
    match target {
        Target::Level(level) => level,
        Target::Mixed(default) => history.level(txn).unwrap_or(default),
    }
}

struct Read {
    event: EventId,
    reader: usize,
    source: usize,
    key: KeyId,
    locking: bool,
}

/// A history with everything resolved but the commit order. Transactions are numbered; init is 0.
struct Problem {
    txns: Vec<TxnId>,
    level: Vec<Level>,
    so: Relation,
    wr: Relation,
    /// The part of wr that is by reads which take no lock.
    plain_wr: Relation,
    /// What must be in the commit order: so, wr, real time and known version orders; nothing where
    /// all are at RU.
    required: Relation,
    reads: Vec<Read>,
    /// The writers of each key.
    writers: Vec<Vec<usize>>,
}

impl Problem {
    /// None when a read returned what its level forbids whatever the order.
    fn new(history: &History, target: Target, choice: &Choice) -> Option<Problem> {
        let mut txns = vec![TxnId::INIT];
        txns.extend(&choice.txns);
        assert!(txns.len() <= MAX, "brute force is for small histories");
        let count = txns.len();
        let level: Vec<Level> = txns.iter().map(|&t| level_of(history, target, t)).collect();
        let number = |t: TxnId| txns.iter().position(|&u| u == t).expect("sources count");
        let pairs = || (0..count).flat_map(|a| (0..count).map(move |b| (a, b)));

        let mut reads = Vec::new();
        for (reader, &txn) in txns.iter().enumerate().skip(1) {
            for event in history.event_ids(txn) {
                if let Source::Fault(fault) = history.source(event)
                    && (level[reader] != Level::RU
                        || matches!(fault, Fault::ThinAir | Fault::InternalMismatch))
                {
                    return None;
                }
                if let Some(source) = choice.source(history, event) {
                    let (source, key) = (number(source), history.event(event).key());
                    let locking = history.is_locking(event);
                    reads.push(Read { event, reader, source, key, locking });
                }
            }
        }
        let ended_before = |a: usize, b: usize| match (history.end(txns[a]), history.begin(txns[b]))
        {
            (Some(end), Some(begin)) => end < begin,
            _ => false,
        };
        let writers: Vec<Vec<usize>> = history
            .keys()
            .map(|k| (0..count).filter(|&t| history.writes(txns[t], k)).collect())
            .collect();
        let real_time = pairs().filter(|&(a, b)| level[b] == Level::SSER && ended_before(a, b));
        let versions = history.ordered_keys().flat_map(|key| {
            let order = history.order(key).expect("the key is ordered");
            let place = |t: usize| order.iter().position(|&u| u == txns[t]).unwrap_or(order.len());
            let writers = writers[key.index()].iter().filter(|&&t| t != 0);
            let pairs = writers.clone().flat_map(move |&a| writers.clone().map(move |&b| (a, b)));
            pairs.filter(move |&(a, b)| place(a) < place(b)).collect::<Vec<_>>()
        });
        let so = Relation::of(pairs().filter(|&(a, b)| history.so(txns[a], txns[b])));
        let wr = Relation::of(reads.iter().map(|r| (r.source, r.reader)));
        let plain = reads.iter().filter(|r| !r.locking);
        let plain_wr = Relation::of(plain.map(|r| (r.source, r.reader)));
        let given = Relation::of(real_time.chain(versions));
        let free = history.txns().all(|t| {
            history.status(t) == Status::Aborted || level_of(history, target, t) == Level::RU
        });
        Some(Problem {
            so,
            wr,
            plain_wr,
            required: if free { Relation::default() } else { so.union(&wr).union(&given) },
            reads,
            writers,
            level,
            txns,
        })
    }

    /// Extends an order to a whole one that holds, trying all that contain what they must.
    fn search(&self, order: &mut Vec<usize>) -> bool {
        if order.len() == self.txns.len() {
            return self.holds(order);
        }
        for next in 1..self.txns.len() {
            let ready = |a: usize| order.contains(&a) || !self.required.has(a, next);
            if !order.contains(&next) && (0..self.txns.len()).all(ready) {
                order.push(next);
                if self.search(order) {
                    return true;
                }
                order.pop();
            }
        }
        false
    }

    fn holds(&self, order: &[usize]) -> bool {
        let co = Relation::total(order);
        if !self.required.within(&co) {
            return false;
        }
        // Whatever is seen of a past, its last step into the reader takes no lock.
        let past = self.so.union(&self.wr);
        let seen = self.so.union(&self.plain_wr);
        let conflicts = self.writers.iter().flat_map(|writers| {
            writers.iter().flat_map(move |&a| writers.iter().map(move |&b| (a, b)))
        });
        let ww = Relation::of(conflicts.filter(|&(a, b)| co.has(a, b)));
        let causal = past.closure().reflexive().then(&seen);
        let prefix = co.reflexive().then(&seen);
        let conflict = co.reflexive().then(&ww);
        let parallel = past.union(&ww).closure().reflexive().then(&seen.union(&ww));
        let phi = |t2: usize, r: &Read| match self.level[r.reader] {
            Level::RU => false,
            Level::RC => self
                .reads
                .iter()
                .any(|q| q.reader == r.reader && q.event < r.event && q.source == t2 && !q.locking),
            Level::RA => seen.has(t2, r.reader),
            Level::CC => causal.has(t2, r.reader),
            Level::PC => prefix.has(t2, r.reader),
            Level::PSI => parallel.has(t2, r.reader),
            Level::SI => prefix.has(t2, r.reader) || conflict.has(t2, r.reader),
            Level::SER | Level::SSER => co.has(t2, r.reader),
        };
        self.reads.iter().filter(|r| !r.locking).all(|r| {
            let mut others = self.writers[r.key.index()].iter().filter(|&&t2| t2 != r.source);
            others.all(|&t2| !phi(t2, r) || co.has(t2, r.source))
        })
    }
}
