//! One given execution: does it pass, and which states could have served what.
//!
//! We walk along it once. For every (key, value) pair we keep the ranges of states in which the key has
//! the value; the last one is open while the key still has it. The read states of an operation are
//! such ranges cut off at the parent, so they stay short however long the execution is, and the states
//! that serve a whole transaction are an intersection of a few of them.

use std::ops::Range;

use hobgoblin_core::{EventId, History, KeyId, Level, Status, TxnId, Value};

use super::STATE_LEVELS;
use super::error::StateError;

/// A set of states of an execution, by number: state 0 is the initial one, state i that after the i-th
/// transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct States(Vec<Range<usize>>);

impl States {
    fn up_to(last: usize) -> States {
        States(std::iter::once(0..last + 1).collect())
    }

    /// The states as ranges, ascending.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.0
    }

    /// The states one by one, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().cloned().flatten()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this state is among them.
    pub fn contains(&self, state: usize) -> bool {
        let at = self.0.partition_point(|range| range.end <= state);
        self.0.get(at).is_some_and(|range| range.start <= state)
    }

    fn intersect(&self, other: &States) -> States {
        let (mut i, mut j) = (0, 0);
        let mut both = Vec::new();
        while let (Some(a), Some(b)) = (self.0.get(i), other.0.get(j)) {
            let range = a.start.max(b.start)..a.end.min(b.end);
            if !range.is_empty() {
                both.push(range);
            }
            *if a.end < b.end { &mut i } else { &mut j } += 1;
        }
        States(both)
    }
}

/// What one transaction of an execution could have read from.
#[derive(Clone, Debug)]
pub struct TxnReport {
    /// The transaction this is about.
    pub txn: TxnId,
    /// The number of its parent state, the one before it.
    pub parent: usize,
    /// Whether it passes the level's test (at SSER, SER's: real time is a matter of the whole).
    pub passes: bool,
    /// The read states of each of its operations, in program order.
    pub reads: Vec<(EventId, States)>,
    /// The states that serve all of its operations.
    pub complete: States,
    /// Those of them since which no key that it writes has another value.
    pub no_conflict: States,
}

/// What a level says of one execution.
#[derive(Clone, Debug)]
pub struct ExecutionReport {
    /// The level that the execution was held against.
    pub level: Level,
    /// Its transactions, first to last.
    pub txns: Vec<TxnReport>,
    /// At SSER, two transactions in an order that real time forbids.
    pub out_of_time: Option<(TxnId, TxnId)>,
    /// Committed transactions that the execution leaves out.
    pub left_out: Vec<TxnId>,
}

impl ExecutionReport {
    /// Whether all its transactions pass, and real time is respected where that is asked.
    pub fn passes(&self) -> bool {
        self.out_of_time.is_none() && self.txns.iter().all(|t| t.passes)
    }

    /// The value of every key in a state, by its number.
    pub fn state(&self, history: &History, number: usize) -> Vec<Value> {
        let mut state: Vec<Value> = history.keys().map(|k| history.initial(k)).collect();
        for report in &self.txns[..number.min(self.txns.len())] {
            for (event, of) in history.event_ids(report.txn).zip(history.events(report.txn)) {
                if of.is_final_write() {
                    state[of.key().index()] = history.value(event);
                }
            }
        }
        state
    }
}

/// Whether an execution passes the test of a level, transaction by transaction, with the read states
/// of every operation. It need not have all the transactions.
///
/// ```
/// use hobgoblin_check::state::passes;
/// use hobgoblin_core::{HistoryBuilder, Kind, Level, TxnInfo};
///
/// let mut b = HistoryBuilder::new();
/// let x = b.key(&"x".into());
/// let session = b.session(&"s".into());
/// b.begin(session);
/// b.event_int(Kind::Write, x, 1);
/// let ta = b.end(TxnInfo::default())?;
/// b.begin(session);
/// b.event(Kind::Read, x, &hobgoblin_core::Value::Null);
/// let tb = b.end(TxnInfo::default())?;
/// let history = b.finish()?;
/// let report = passes(&history, &[ta, tb], Level::SER)?;
/// assert!(!report.passes(), "tb read the state before ta");
/// assert_eq!(report.txns[1].complete.iter().collect::<Vec<_>>(), [0]);
/// assert!(passes(&history, &[tb, ta], Level::SER)?.passes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn passes(
    history: &History,
    execution: &[TxnId],
    level: Level,
) -> Result<ExecutionReport, StateError> {
    if !STATE_LEVELS.contains(&level) {
        return Err(StateError::Undefined { level });
    }
    let mut listed = vec![false; history.num_txns()];
    for &txn in execution {
        let known = txn != TxnId::INIT && txn.index() < history.num_txns();
        if !known || history.status(txn) == Status::Aborted {
            return Err(StateError::NotCommitted { txn });
        }
        if std::mem::replace(&mut listed[txn.index()], true) {
            return Err(StateError::Twice { txn });
        }
    }
    let mut versions = Versions::new(history);
    let mut txns = Vec::with_capacity(execution.len());
    for (parent, &txn) in execution.iter().enumerate() {
        txns.push(versions.look(history, txn, parent, level));
        versions.apply(history, txn, parent + 1);
    }
    let left_out = history.txns().filter(|t| history.counts(*t) && !listed[t.index()]).collect();
    let out_of_time = level.respects_real_time().then(|| out_of_time(history, execution)).flatten();
    Ok(ExecutionReport { level, txns, out_of_time, left_out })
}

/// Where each (key, value) pair is to be found in the states so far.
struct Versions {
    /// By datum: the ranges of states that have ended.
    ended: Vec<Vec<Range<usize>>>,
    /// By key: the datum it has now ([`NO_DATUM`] for an initial value nobody reads), and since when.
    current: Vec<(u32, usize)>,
}

const NO_DATUM: u32 = u32::MAX;

impl Versions {
    fn new(history: &History) -> Versions {
        let mut datums = 0;
        let mut current = vec![(NO_DATUM, 0); history.num_keys()];
        let initial: Vec<Value> = history.keys().map(|k| history.initial(k)).collect();
        for txn in history.txns() {
            for (event, of) in history.event_ids(txn).zip(history.events(txn)) {
                datums = datums.max(of.datum() as usize + 1);
                let (key, now) = (of.key().index(), &mut current[of.key().index()]);
                if now.0 == NO_DATUM && history.value(event) == initial[key] {
                    now.0 = of.datum();
                }
            }
        }
        Versions { ended: vec![Vec::new(); datums], current }
    }

    /// The states up to `parent` in which the key has the value.
    fn having(&self, key: KeyId, datum: u32, parent: usize) -> States {
        let mut ranges = self.ended.get(datum as usize).cloned().unwrap_or_default();
        let (now, since) = self.current[key.index()];
        if now == datum {
            ranges.push(since..parent + 1);
        }
        States(ranges)
    }

    fn look(&self, history: &History, txn: TxnId, parent: usize, level: Level) -> TxnReport {
        let mut complete = States::up_to(parent);
        let mut served = true;
        let mut written: hashbrown::HashSet<u32> = hashbrown::HashSet::new();
        let mut reads = Vec::new();
        for (event, of) in history.event_ids(txn).zip(history.events(txn)) {
            let states = if of.is_write() || written.contains(&of.datum()) {
                States::up_to(parent)
            } else {
                self.having(of.key(), of.datum(), parent)
            };
            if of.is_write() {
                written.insert(of.datum());
            }
            served &= !states.is_empty();
            complete = complete.intersect(&states);
            reads.push((event, states));
        }
        let mut no_conflict = complete.clone();
        for of in history.events(txn).iter().filter(|of| of.is_final_write()) {
            let (now, since) = self.current[of.key().index()];
            let same = match now {
                NO_DATUM => States(std::iter::once(since..parent + 1).collect()),
                now => self.having(of.key(), now, parent),
            };
            no_conflict = no_conflict.intersect(&same);
        }
        let passes = match level {
            Level::RU => true,
            Level::RC => served,
            Level::SI => !no_conflict.is_empty(),
            Level::SER | Level::SSER => complete.contains(parent),
            // They have no definition by states, and are refused before.
            Level::RA | Level::CC | Level::PC | Level::PSI => false,
        };
        TxnReport { txn, parent, passes, reads, complete, no_conflict }
    }

    fn apply(&mut self, history: &History, txn: TxnId, state: usize) {
        for of in history.events(txn).iter().filter(|of| of.is_final_write()) {
            let (now, since) = &mut self.current[of.key().index()];
            if *now == of.datum() {
                continue;
            }
            if *now != NO_DATUM {
                self.ended[*now as usize].push(*since..state);
            }
            (*now, *since) = (of.datum(), state);
        }
    }
}

/// Two transactions of which the second in the execution ended before the first began.
fn out_of_time(history: &History, execution: &[TxnId]) -> Option<(TxnId, TxnId)> {
    let mut first_end: Option<(i64, TxnId)> = None;
    for &txn in execution.iter().rev() {
        if let (Some((end, later)), Some(begin)) = (first_end, history.begin(txn))
            && end < begin
        {
            return Some((txn, later));
        }
        if let Some(end) = history.end(txn)
            && first_end.is_none_or(|(first, _)| end < first)
        {
            first_end = Some((end, txn));
        }
    }
    None
}
