//! State-based RC by greedy scheduling, in O(n) for n events.
//!
//! A read of x=v is served as soon as some state has had x=v: v is the initial value, or somebody who
//! leaves x=v has run. What has been readable stays so, whatever runs later, so a transaction that can run
//! now can run at any time from now on, and running it takes nothing away from anyone: the set of
//! transactions that have run only grows what is readable (it is monotone). Hence any maximal greedy
//! schedule runs every transaction that any execution can, and those of unknown status need not be chosen
//! among either. When the schedule is stuck, every transaction left has a read that only transactions left
//! could serve, and the same holds of smaller such sets, down to a minimal one:
//!
//! ```text
//!     t1: r(y)=1 w(x)=1      t2: r(x)=1 w(y)=1      neither can be the first
//! ```
//!
//! A transaction with a million reads waits on one at a time: each value is asked for once.

use hashbrown::{HashMap, HashSet};
use hobgoblin_core::{EventId, History, Level, StopReason, TxnId};

use super::cast::Part;
use super::reduce;
use super::verdict::{StateCause, StateVerdict, StateViolation};
use crate::limits::{Limits, Ticker};

/// Decides read committed by its state-based definition.
pub(crate) fn check(history: &History, limits: &Limits) -> Result<StateVerdict, StopReason> {
    let ticker = &mut Ticker::new(limits);
    let part = Part::of(history);
    let mut schedule = Schedule::new(history);
    // Transactions of unknown status run only when the others are stuck without them.
    for &txn in &part.required {
        ticker.tick(1 + history.events(txn).len())?;
        schedule.add(history, txn);
    }
    schedule.run(history, ticker)?;
    if part.required.iter().any(|&t| !schedule.ran(t)) {
        for &txn in &part.open {
            ticker.tick(1 + history.events(txn).len())?;
            schedule.add(history, txn);
        }
        schedule.run(history, ticker)?;
    }
    let stuck: Vec<TxnId> = part.required.into_iter().filter(|&t| !schedule.ran(t)).collect();
    if stuck.is_empty() {
        return Ok(StateVerdict::Consistent(schedule.execution));
    }
    let waiting: Vec<TxnId> =
        stuck.iter().chain(&part.open).copied().filter(|&t| !schedule.ran(t)).collect();
    explain(history, &schedule, waiting, stuck, ticker)
}

/// A schedule that grows as long as anyone can run.
struct Schedule {
    execution: Vec<TxnId>,
    ran: HashSet<TxnId>,
    readable: HashSet<u32>,
    /// The initial value of each key, as its datum is not known before somebody reads it.
    initial: Vec<hobgoblin_core::Value>,
    ready: Vec<TxnId>,
    /// Who waits for each datum, with the reads it has looked at so far.
    waiting: HashMap<u32, Vec<(TxnId, usize)>>,
    reads: HashMap<TxnId, Vec<(EventId, u32)>>,
}

impl Schedule {
    fn new(history: &History) -> Schedule {
        Schedule {
            execution: Vec::new(),
            ran: HashSet::new(),
            readable: HashSet::new(),
            initial: history.keys().map(|k| history.initial(k)).collect(),
            ready: Vec::new(),
            waiting: HashMap::new(),
            reads: HashMap::new(),
        }
    }

    fn ran(&self, txn: TxnId) -> bool {
        self.ran.contains(&txn)
    }

    fn add(&mut self, history: &History, txn: TxnId) {
        let reads = reduce::external_reads(history, txn);
        let of_states = reads
            .into_iter()
            .filter(|&(event, of)| history.value(event) != self.initial[of.key().index()]);
        self.reads.insert(txn, of_states.map(|(event, of)| (event, of.datum())).collect());
        self.wait(txn, 0);
    }

    /// Has a transaction wait for the first of its reads, from `at` on, that nothing serves yet.
    fn wait(&mut self, txn: TxnId, at: usize) {
        let unserved = self.reads[&txn][at..].iter().position(|(_, d)| !self.readable.contains(d));
        match unserved {
            Some(further) => {
                let datum = self.reads[&txn][at + further].1;
                self.waiting.entry(datum).or_default().push((txn, at + further));
            }
            None => self.ready.push(txn),
        }
    }

    fn run(&mut self, history: &History, ticker: &mut Ticker<'_>) -> Result<(), StopReason> {
        // In the order recorded, as far as that is possible.
        self.ready.reverse();
        while let Some(txn) = self.ready.pop() {
            ticker.tick(1 + history.events(txn).len())?;
            self.execution.push(txn);
            self.ran.insert(txn);
            for of in history.events(txn).iter().filter(|of| of.is_final_write()) {
                if self.readable.insert(of.datum()) {
                    for (waiter, at) in self.waiting.remove(&of.datum()).unwrap_or_default() {
                        self.wait(waiter, at);
                    }
                }
            }
        }
        Ok(())
    }
}

/// A small set of stuck transactions, each with a read that only others of the set could serve.
fn explain(
    history: &History,
    schedule: &Schedule,
    waiting: Vec<TxnId>,
    stuck: Vec<TxnId>,
    ticker: &mut Ticker<'_>,
) -> Result<StateVerdict, StopReason> {
    /// Past this many the set is reported as it is.
    const FEW: usize = 256;
    let mut writers: HashMap<u32, Vec<TxnId>> = HashMap::new();
    for &txn in &waiting {
        for of in history.events(txn).iter().filter(|of| of.is_final_write()) {
            writers.entry(of.datum()).or_default().push(txn);
        }
    }
    let nobody = Vec::new();
    let others = |txn: TxnId, datum: u32| {
        writers.get(&datum).unwrap_or(&nobody).iter().copied().filter(move |&w| w != txn)
    };
    // A read of `txn` that only others of `set` could serve.
    let blocked = |set: &HashSet<TxnId>, txn: TxnId| {
        let unserved = schedule.reads[&txn].iter().filter(|(_, d)| !schedule.readable.contains(d));
        let mut within = unserved.filter(|&&(_, d)| others(txn, d).all(|w| set.contains(&w)));
        within.next().map(|&(event, _)| event)
    };
    // One that starts with a transaction that must run, follows one read each, and is closed so.
    let mut core: HashSet<TxnId> = waiting.iter().copied().collect();
    for &start in stuck.iter().take(FEW) {
        let mut set = HashSet::from([start]);
        let mut queue = vec![start];
        while let Some(txn) = queue.pop() {
            ticker.tick(1)?;
            let unserved =
                schedule.reads[&txn].iter().filter(|(_, d)| !schedule.readable.contains(d));
            let fewest = unserved.min_by_key(|&&(_, d)| others(txn, d).count());
            let Some(&(_, datum)) = fewest else { continue };
            queue.extend(others(txn, datum).filter(|&w| set.insert(w)));
        }
        if set.len() < core.len() {
            core = set;
        }
    }
    let mut minimal = core.len() <= FEW;
    if minimal {
        let mut candidates: Vec<TxnId> = core.iter().copied().collect();
        candidates.sort_unstable();
        for txn in candidates {
            ticker.tick(core.len())?;
            let mut rest = core.clone();
            rest.remove(&txn);
            loop {
                let before = rest.len();
                let free: Vec<TxnId> =
                    rest.iter().copied().filter(|&t| blocked(&rest, t).is_none()).collect();
                rest.retain(|t| !free.contains(t));
                if rest.len() == before {
                    break;
                }
            }
            if rest.iter().any(|t| history.counts(*t)) {
                core = rest;
            }
        }
    }
    let mut txns: Vec<TxnId> = core.iter().copied().collect();
    txns.sort_unstable();
    let reads: Vec<EventId> = txns.iter().filter_map(|&t| blocked(&core, t)).collect();
    minimal &= reads.len() == txns.len();
    let cause = StateCause::Unserved(reads);
    let violation = StateViolation { level: Level::RC, txns, minimal, cause };
    Ok(StateVerdict::Violation(Box::new(violation)))
}
