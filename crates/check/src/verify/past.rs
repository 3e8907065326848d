//! CC and PSI: no read may return an older version than one in its transaction's past.
//!
//! Most reads return the newest version there is, and nothing can be wrong with those. For the others,
//! the past is looked at in one of two ways.
//!
//! - *Looking back*, from the reader along so, wr and (PSI) ww, no further than to the first version
//!   that is newer than the one read:
//!
//! ```text
//!     order    ... t1 ... t4 ... t2 ... t3      t3 reads x from t1, and t2 wrote x too. Is t2 in the past
//!                                ^^^^^^^^^      of t3? What lies before t2 cannot lead to it.
//! ```
//!
//!   Databases that lag lag a little, so this is about O(n) for n events, but O(n²) for the worst history.
//!
//! - *Clocks*: how many transactions of each session are in the past of each transaction. Clocks are
//!   kept for 64 sessions at a time, so that memory does not grow with the number of sessions: O(n·k) for
//!   k sessions, whatever the history.
//!
//! Looking back gets as many steps as clocks would take, and clocks do the work when they run out.
//!
//! What a locking read saw is no part of what its transaction must see, but a part of the past of those
//! who see the transaction.

use hobgoblin_core::Level;

use super::error::VerifyError;
use super::placed::{Order, Read};

/// How many sessions a vector clock is about.
const BLOCK: usize = 64;

/// How many steps back cost about as much as taking one clock into another.
const STEPS_PER_CLOCK: usize = 4;

type Clock = [u32; BLOCK];

/// Whether the order gives every transaction at this level, which is CC or PSI, what it must see.
pub(super) fn verify(order: &Order, level: Level) -> Result<(), VerifyError> {
    let past = Past::new(order, level);
    if past.doubtful.is_empty() {
        return Ok(());
    }
    let clocks = order.history.num_events() * order.history.num_sessions().div_ceil(BLOCK);
    past.by_looking_back(STEPS_PER_CLOCK * clocks).unwrap_or_else(|| past.by_clocks())
}

struct Past<'a> {
    order: &'a Order<'a>,
    level: Level,
    /// The reads, by place, that did not return the newest version of all before them.
    doubtful: Vec<(u32, Read)>,
    /// The place before each one in its session; 0 where there is none.
    before: Vec<u32>,
}

impl<'a> Past<'a> {
    fn new(order: &'a Order<'a>, level: Level) -> Past<'a> {
        let mut doubtful = Vec::new();
        let mut before = vec![0];
        let mut last_of_session = vec![0; order.history.num_sessions()];
        for at in order.places() {
            before.push(std::mem::replace(&mut last_of_session[order.session(at)], at as u32));
            let reads = order.reads[at].iter().filter(|r| r.plain && order.levels[at] == level);
            let reads = reads.filter(|r| !order.newer(r, at as u32 - 1).is_empty());
            doubtful.extend(reads.map(|&read| (at as u32, read)));
        }
        Past { order, level, doubtful, before }
    }

    /// What is directly in the past of a place, by its locking reads or by all else; 0 may be among it.
    fn causes(&self, place: usize, locking: bool) -> impl Iterator<Item = usize> {
        let order = self.order;
        let reads = order.reads[place].iter().filter(move |r| r.plain != locking);
        let keys = &order.writes[place][..];
        let keys = if self.level.is_parallel() && !locking { keys } else { &[] };
        let replaced = keys.iter().map(move |&key| {
            let writers = &order.writers[key as usize];
            let older = writers.partition_point(|&w| (w as usize) < place);
            older.checked_sub(1).map_or(0, |i| writers[i])
        });
        let before = (!locking).then_some(self.before[place]);
        reads.map(|r| r.source).chain(replaced).chain(before).map(|cause| cause as usize)
    }

    /// None when more steps are needed than allowed.
    fn by_looking_back(&self, mut steps: usize) -> Option<Result<(), VerifyError>> {
        let mut seen_by = vec![0; self.before.len()];
        let mut open = Vec::new();
        for reads in self.doubtful.chunk_by(|a, b| a.0 == b.0) {
            let at = reads[0].0;
            let newer = |read: &Read| self.order.newer(read, at - 1);
            let first_newer = reads.iter().map(|(_, r)| newer(r)[0] as usize).min()?;
            open.push(at as usize);
            while let Some(place) = open.pop() {
                let locks =
                    [false, true].into_iter().take(if place == at as usize { 1 } else { 2 });
                for cause in locks.flat_map(|locking| self.causes(place, locking)) {
                    steps = steps.checked_sub(1)?;
                    if cause >= first_newer && std::mem::replace(&mut seen_by[cause], at) != at {
                        open.push(cause);
                    }
                }
            }
            for (_, read) in reads {
                steps = steps.checked_sub(newer(read).len())?;
                if let Some(&w) = newer(read).iter().find(|&&w| seen_by[w as usize] == at) {
                    return Some(Err(self.order.stale(read.event, w)));
                }
            }
        }
        Some(Ok(()))
    }

    fn by_clocks(&self) -> Result<(), VerifyError> {
        let versions = self.versions();
        for first in (0..self.order.history.num_sessions()).step_by(BLOCK) {
            let mut clocks: Vec<Clock> = vec![[0; BLOCK]; self.before.len()];
            let mut doubtful = &self.doubtful[..];
            for at in self.order.places() {
                let mut clock = [0; BLOCK];
                for cause in self.causes(at, false) {
                    self.take_in(cause, &clocks, first, &mut clock);
                }
                while let Some(((_, read), rest)) =
                    doubtful.split_first().filter(|(d, _)| d.0 == at as u32)
                {
                    let newer = self.order.newer(read, at as u32 - 1);
                    let seen = if newer.len() <= BLOCK {
                        newer.iter().copied().find(|&w| self.is_seen(w as usize, first, &clock))
                    } else {
                        newer_in(&versions[read.key], first, &clock, read)
                    };
                    if let Some(newer) = seen {
                        return Err(self.order.stale(read.event, newer));
                    }
                    doubtful = rest;
                }
                for cause in self.causes(at, true) {
                    self.take_in(cause, &clocks, first, &mut clock);
                }
                clocks[at] = clock;
            }
        }
        Ok(())
    }

    /// Adds a place and its past to a clock of the sessions from `first` on.
    fn take_in(&self, place: usize, clocks: &[Clock], first: usize, clock: &mut Clock) {
        if place == 0 {
            return;
        }
        for (count, &other) in clock.iter_mut().zip(&clocks[place]) {
            *count = (*count).max(other);
        }
        let own = self.order.session(place).checked_sub(first);
        if let Some(count) = own.and_then(|own| clock.get_mut(own)) {
            *count = (*count).max(self.position(place) + 1);
        }
    }

    /// Whether a clock of the sessions from `first` on has a place in its past.
    fn is_seen(&self, place: usize, first: usize, clock: &Clock) -> bool {
        let known = self.order.session(place).checked_sub(first).and_then(|own| clock.get(own));
        known.is_some_and(|&known| self.position(place) < known)
    }

    fn position(&self, place: usize) -> u32 {
        self.order.history.position(self.order.txns[place]) as u32
    }

    /// The writes of each key, sorted by session.
    fn versions(&self) -> Vec<Vec<Version>> {
        let version =
            |&at: &u32| (self.order.session(at as usize) as u32, self.position(at as usize), at);
        let sorted = |writers: &Vec<u32>| {
            let mut versions: Vec<Version> = writers.iter().map(version).collect();
            versions.sort_unstable();
            versions
        };
        self.order.writers.iter().map(sorted).collect()
    }
}

/// One write of a key: session, place in it, place in the order.
type Version = (u32, u32, u32);

/// A version in the past that is newer than the one read, in the sessions from `first` on that the
/// clock is about.
fn newer_in(versions: &[Version], first: usize, clock: &Clock, read: &Read) -> Option<u32> {
    let mut rest = &versions[versions.partition_point(|v| (v.0 as usize) < first)..];
    while let Some(&(session, ..)) = rest.first() {
        let known = *clock.get(session as usize - first)?;
        let (own, others) = rest.split_at(rest.partition_point(|v| v.0 == session));
        let past = &own[..own.partition_point(|v| v.1 < known)];
        if let Some(&(_, _, newer)) = past.last().filter(|v| v.2 > read.source) {
            return Some(newer);
        }
        rest = others;
    }
    None
}

#[cfg(test)]
mod tests {
    use hobgoblin_core::{CommitOrder, Status, TxnId};
    use hobgoblin_oracle::sample::{self, Random, Shape};

    use super::*;

    #[test]
    fn both_ways_give_the_same_answer() {
        let shape = Shape { txns: 12, odd: 0, locks: 20, ..Shape::PLAIN };
        let mut answers = [0, 0];
        for seed in 0..4000 {
            let history = sample::history(&shape, seed);
            let live = |t: &TxnId| history.status(*t) != Status::Aborted;
            let mut txns: Vec<TxnId> = history.txns().filter(live).collect();
            Random(seed).shuffle(&mut txns);
            let commit_order = CommitOrder { txns, sources: Vec::new() };
            for level in [Level::CC, Level::PSI] {
                let Ok(order) = Order::new(&history, level.into(), &commit_order) else { continue };
                if order.sessions_and_reads().is_err() {
                    continue;
                }
                let past = Past::new(&order, level);
                let clocks = past.by_clocks();
                let back = past.by_looking_back(usize::MAX).expect("there are steps enough");
                assert_eq!(back.is_ok(), clocks.is_ok(), "seed {seed} {level}");
                answers[usize::from(back.is_ok())] += usize::from(!past.doubtful.is_empty());
                assert!(past.doubtful.is_empty() || past.by_looking_back(0).is_none());
            }
        }
        assert!(answers.iter().all(|&n| n > 100), "{answers:?}");
    }
}
