//! State-based SI where values repeat: a search over executions that never tries the same twice.
//!
//! An execution is extended by one transaction at a time. What the rest of it can be depends only on
//!
//! - which transactions have run,
//! - the current values of the keys that the others read or write, and
//! - for each of the others, the *snapshots* seen so far: states that serve all its reads, as far as the
//!   keys it writes are concerned. It may run when one of them agrees with the current values there.
//!
//! So a situation in which the search failed is remembered as exactly that, and not entered again. Besides:
//! transactions that share no key, directly or through others, are searched apart; one that writes nothing
//! runs as soon as it can, since that changes nothing for anybody; of equal transactions the first runs
//! first; and a situation is given up when some transaction has no snapshot and reads a value that nobody
//! left would write. Exponential at worst, as the problem is hard; [`Limits`] end it.

use hashbrown::{HashMap, HashSet};
use hobgoblin_core::{History, KeyId, Level, StopReason, TxnId, Value};

use super::cast::Part;
use super::reduce;
use super::verdict::{StateCause, StateVerdict, StateViolation};
use crate::limits::{Limits, Ticker};

/// Decides snapshot isolation by its state-based definition.
pub(crate) fn check(history: &History, limits: &Limits) -> Result<StateVerdict, StopReason> {
    /// How many transactions that only read are worth trying to leave out of a violation.
    const READERS: usize = 24;
    let ticker = &mut Ticker::new(limits);
    let mut execution = Vec::new();
    for mut txns in components(history) {
        if let Some(mut part) = Search::new(history, &txns).run(ticker)? {
            execution.append(&mut part);
            continue;
        }
        // Without one that only reads, all the others see the same: what fails then fails with it too.
        let reads_only = |t: &TxnId| !history.events(*t).iter().any(|of| of.is_write());
        let readers: Vec<TxnId> = txns.iter().copied().filter(reads_only).take(READERS).collect();
        for reader in readers {
            let rest: Vec<TxnId> = txns.iter().copied().filter(|&t| t != reader).collect();
            if Search::new(history, &rest).run(ticker)?.is_none() {
                txns = rest;
            }
        }
        let cause = StateCause::Search;
        let violation = StateViolation { level: Level::SI, minimal: txns.len() == 1, txns, cause };
        return Ok(StateVerdict::Violation(Box::new(violation)));
    }
    Ok(StateVerdict::Consistent(execution))
}

/// The transactions, grouped so that those of different groups share no key.
fn components(history: &History) -> Vec<Vec<TxnId>> {
    let Part { required, open } = Part::of(history);
    let mut group_of_key: Vec<usize> = (0..history.num_keys()).collect();
    fn root(groups: &mut [usize], mut at: usize) -> usize {
        while groups[at] != at {
            groups[at] = groups[groups[at]];
            at = groups[at];
        }
        at
    }
    let mut txns: Vec<TxnId> = required.into_iter().chain(open).collect();
    txns.sort_unstable();
    for &txn in &txns {
        let mut keys = history.events(txn).iter().map(|of| of.key().index());
        let Some(first) = keys.next() else { continue };
        for key in keys {
            let (a, b) = (root(&mut group_of_key, first), root(&mut group_of_key, key));
            group_of_key[a.max(b)] = a.min(b);
        }
    }
    let mut groups: std::collections::BTreeMap<Option<usize>, Vec<TxnId>> = Default::default();
    for txn in txns {
        let key = history.events(txn).first().map(|of| of.key().index());
        groups.entry(key.map(|key| root(&mut group_of_key, key))).or_default().push(txn);
    }
    groups.into_values().collect()
}

/// A transaction as the search sees it. Keys and values are numbered within the search.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Txn {
    required: bool,
    reads: Vec<(u32, u32)>,
    writes: Vec<(u32, u32)>,
}

struct Search {
    ids: Vec<TxnId>,
    txns: Vec<Txn>,
    /// For each transaction, an equal one before it.
    twin: Vec<Option<usize>>,
    initial: Vec<u32>,
    /// Who writes each (key, value), finally.
    writers: HashMap<(u32, u32), Vec<usize>>,
}

/// Where the search is.
struct Situation {
    ran: Vec<bool>,
    values: Vec<u32>,
    /// The snapshots of each transaction: the values of the keys it writes, sorted.
    snapshots: Vec<Vec<Vec<u32>>>,
}

/// One transaction of the execution so far, and how to take it back.
struct Frame {
    txn: usize,
    values: Vec<u32>,
    /// Who got a snapshot, and which.
    added: Vec<(usize, Vec<u32>)>,
    /// Who may be tried in its place.
    others: Vec<usize>,
}

impl Search {
    fn new(history: &History, ids: &[TxnId]) -> Search {
        let mut keys: HashMap<KeyId, u32> = HashMap::new();
        let mut values: HashMap<Value, u32> = HashMap::new();
        let mut initial = Vec::new();
        let mut number = |key: KeyId, value: Value, initial: &mut Vec<u32>| {
            let mut value_number = |value: Value| {
                let next = values.len() as u32;
                *values.entry(value).or_insert(next)
            };
            let next = keys.len() as u32;
            let key_number = *keys.entry(key).or_insert(next);
            if key_number == next {
                initial.push(value_number(history.initial(key)));
            }
            (key_number, value_number(value))
        };
        let mut txns = Vec::new();
        for &id in ids {
            let mut pairs = |events: Vec<(hobgoblin_core::EventId, hobgoblin_core::Event)>| {
                let mut pairs: Vec<(u32, u32)> = events
                    .into_iter()
                    .map(|(event, of)| number(of.key(), history.value(event), &mut initial))
                    .collect();
                pairs.sort_unstable();
                pairs.dedup();
                pairs
            };
            let reads = pairs(reduce::external_reads(history, id));
            let events = history.event_ids(id).zip(history.events(id).iter().copied());
            let writes = pairs(events.filter(|(_, of)| of.is_final_write()).collect());
            txns.push(Txn { required: history.counts(id), reads, writes });
        }
        let mut last: HashMap<&Txn, usize> = HashMap::new();
        let twin = txns.iter().enumerate().map(|(i, txn)| last.insert(txn, i)).collect();
        drop(last);
        let mut writers: HashMap<(u32, u32), Vec<usize>> = HashMap::new();
        for (i, txn) in txns.iter().enumerate() {
            for &pair in &txn.writes {
                writers.entry(pair).or_default().push(i);
            }
        }
        Search { ids: ids.to_vec(), twin, initial, writers, txns }
    }

    /// An execution that passes, if there is one.
    fn run(&self, ticker: &mut Ticker<'_>) -> Result<Option<Vec<TxnId>>, StopReason> {
        let mut at = Situation {
            ran: vec![false; self.txns.len()],
            values: self.initial.clone(),
            snapshots: vec![Vec::new(); self.txns.len()],
        };
        self.take_snapshots(&mut at);
        let mut failed: HashSet<Box<[u32]>> = HashSet::new();
        let mut stack: Vec<Frame> = Vec::new();
        let mut next = self.candidates(&at);
        loop {
            ticker.tick(1 + self.txns.len())?;
            if (0..self.txns.len()).all(|t| at.ran[t] || !self.txns[t].required) {
                return Ok(Some(stack.iter().map(|frame| self.ids[frame.txn]).collect()));
            }
            while next.is_empty() {
                let Some(frame) = stack.pop() else { return Ok(None) };
                failed.insert(self.remember(&at));
                at.ran[frame.txn] = false;
                at.values = frame.values;
                for (txn, snapshot) in frame.added {
                    at.snapshots[txn].retain(|s| *s != snapshot);
                }
                next = frame.others;
            }
            let txn = next.pop().expect("it is not empty");
            let values = at.values.clone();
            at.ran[txn] = true;
            for &(key, value) in &self.txns[txn].writes {
                at.values[key as usize] = value;
            }
            let added = self.take_snapshots(&mut at);
            stack.push(Frame { txn, values, added, others: next });
            let hopeless = self.is_hopeless(&at) || failed.contains(&self.remember(&at));
            next = if hopeless { Vec::new() } else { self.candidates(&at) };
        }
    }

    /// Notes for everyone left whom the current state serves what it has of their keys.
    fn take_snapshots(&self, at: &mut Situation) -> Vec<(usize, Vec<u32>)> {
        let mut added = Vec::new();
        for (t, txn) in self.txns.iter().enumerate().filter(|&(t, _)| !at.ran[t]) {
            if txn.reads.iter().any(|&(key, value)| at.values[key as usize] != value) {
                continue;
            }
            let snapshot: Vec<u32> =
                txn.writes.iter().map(|&(key, _)| at.values[key as usize]).collect();
            if let Err(place) = at.snapshots[t].binary_search(&snapshot) {
                at.snapshots[t].insert(place, snapshot.clone());
                added.push((t, snapshot));
            }
        }
        added
    }

    /// Who may run now; the last is tried first.
    fn candidates(&self, at: &Situation) -> Vec<usize> {
        let may_run = |t: &usize| {
            let now = self.txns[*t].writes.iter().map(|&(key, _)| at.values[key as usize]);
            let now: Vec<u32> = now.collect();
            !at.ran[*t]
                && self.twin[*t].is_none_or(|twin| at.ran[twin])
                && at.snapshots[*t].binary_search(&now).is_ok()
        };
        let mut may_run: Vec<usize> = (0..self.txns.len()).rev().filter(may_run).collect();
        // One of unknown status that writes nothing is of no use.
        may_run.retain(|&t| self.txns[t].required || !self.txns[t].writes.is_empty());
        match may_run.iter().find(|&&t| self.txns[t].writes.is_empty()) {
            Some(&reader) => vec![reader],
            None => may_run,
        }
    }

    /// Whether somebody who must run never can.
    fn is_hopeless(&self, at: &Situation) -> bool {
        let unserved = |t: usize, &(key, value): &(u32, u32)| {
            let mut writers = self.writers.get(&(key, value)).into_iter().flatten();
            at.values[key as usize] != value && !writers.any(|&w| w != t && !at.ran[w])
        };
        self.txns.iter().enumerate().any(|(t, txn)| {
            txn.required
                && !at.ran[t]
                && at.snapshots[t].is_empty()
                && txn.reads.iter().any(|read| unserved(t, read))
        })
    }

    /// All that the rest of the search depends on.
    fn remember(&self, at: &Situation) -> Box<[u32]> {
        let mut all: Vec<u32> = at.ran.chunks(32).map(bits).collect();
        let mut used = vec![false; at.values.len()];
        let left = || self.txns.iter().enumerate().filter(|&(t, _)| !at.ran[t]);
        for (_, txn) in left() {
            for &(key, _) in txn.reads.iter().chain(&txn.writes) {
                used[key as usize] = true;
            }
        }
        all.extend(at.values.iter().zip(used).filter(|&(_, used)| used).map(|(&value, _)| value));
        for (t, _) in left() {
            all.push(at.snapshots[t].len() as u32);
            all.extend(at.snapshots[t].iter().flatten());
        }
        all.into()
    }
}

fn bits(flags: &[bool]) -> u32 {
    flags.iter().rev().fold(0, |bits, &flag| bits << 1 | u32::from(flag))
}
