//! One transaction at a time: what a program does when isolation plays no part.
//!
//! A test that fails here fails for a reason of its own. Nothing is refused and every read returns the newest
//! version, because a transaction begins only when no other session has one open:
//!
//! ```text
//!     alice   begin  read x  write x  commit
//!     bob            begin .................. read x  write x  commit
//! ```
//!
//! Some programs do not let them be apart. A thread that waits, inside its transaction, for another thread to
//! begin one would wait for ever; so would everybody where a connection of a pool is left in an open
//! transaction. So nobody waits for a session that does nothing for [`Options::serial`](crate::Options):
//! the transaction begins beside the open one, and that is an [`Overlap`], which is told. From then on the
//! session is not waited for until it asks something again. Nor does anybody wait for longer than a hundred
//! times that: a session may ask again and again, in its transaction, whether another has written.
//!
//! A request that waits for a lock does nothing either. Whoever holds the lock has a transaction open, and
//! goes on; or holds it beyond its transactions, and then the one it begins next begins in time.

use std::time::{Duration, Instant};

use hobgoblin_core::SessionId;
use hobgoblin_store::{Request, SessionRequest, TransactionRequest};

use crate::op::Op;
use crate::overlap::{Overlap, WhyOverlap};
use crate::state::State;

/// How many times the patience a transaction waits in all.
const LONGEST: u32 = 100;

impl State {
    /// A session asks something, or gets its answer. Reads choose as the store says, whatever they ask for.
    pub(crate) fn active(&mut self, op: &mut Op, now: Instant) {
        let Op::Request(session, request) = op else { return };
        match request {
            Request::Session(SessionRequest::Begin { policy, .. })
            | Request::Transaction(
                TransactionRequest::Get { policy, .. } | TransactionRequest::Scan { policy, .. },
            )
            | Request::Session(SessionRequest::SetPolicy(policy)) => *policy = None,
            _ => {}
        }
        let habit = self.habits.get_mut(*session);
        (habit.active, habit.stalls) = (Some(now), false);
    }

    /// How often transactions overlapped, and why the first did.
    pub(crate) fn overlaps(&self) -> Option<(u64, Overlap)> {
        let serial = self.serial.as_ref()?;
        Some((serial.count, serial.first.clone()?))
    }

    /// The session whose transaction a request begins, where they come one at a time.
    fn begins(&self, op: &Op) -> Option<SessionId> {
        let Op::Request(session, request) = op else { return None };
        let begins = match request {
            Request::Session(SessionRequest::Begin { .. })
            | Request::Transaction(
                TransactionRequest::Get { .. }
                | TransactionRequest::Reserve { .. }
                | TransactionRequest::Insert { .. }
                | TransactionRequest::Put { .. }
                | TransactionRequest::Scan { .. },
            ) => !self.machine.is_open(*session),
            _ => false,
        };
        (self.serial.is_some() && begins).then_some(*session)
    }

    /// The other sessions that have a transaction open.
    fn others(&self, session: SessionId) -> impl Iterator<Item = SessionId> + '_ {
        let open = self.machine.open_sessions();
        open.filter(move |&other| other != session)
    }

    /// Whether a request would begin a transaction beside another one.
    pub(crate) fn others_are_open(&self, op: &Op) -> bool {
        self.begins(op).is_some_and(|session| self.others(session).next().is_some())
    }

    /// Whether the request at a place of the queue waits for others' transactions to end.
    pub(crate) fn waits_to_begin(&self, at: usize) -> bool {
        self.queue[at].blocked.is_none() && self.others_are_open(&self.queue[at].op)
    }

    /// When the request at a place of the queue begins its transaction beside others; `None` if there are
    /// none, or if it begins none.
    fn begins_at(&self, at: usize) -> Option<Instant> {
        let (serial, waiting) = (self.serial.as_ref()?, &self.queue[at]);
        let session = self.begins(&waiting.op)?;
        let waited_for = |other: SessionId| {
            let habit = self.habits.get(other);
            match habit.stalls {
                true => waiting.since,
                false => {
                    habit.active.map_or(waiting.since, |active| active.max(waiting.since))
                        + serial.patience
                }
            }
        };
        let until = self.others(session).map(waited_for).max()?;
        Some(until.min(waiting.since + serial.patience * LONGEST))
    }

    /// When the next request begins its transaction beside others, if none of them ends.
    pub(crate) fn overlap_at(&self) -> Option<Instant> {
        self.serial.as_ref()?;
        let waiting = (0..self.queue.len()).filter(|&at| self.waits_to_begin(at));
        waiting.filter_map(|at| self.begins_at(at)).min()
    }

    /// Serves the first of these that need not wait; whether there was one.
    pub(crate) fn advance_serially(&mut self, candidates: &[usize], now: Instant) -> bool {
        for &at in candidates {
            match self.begins_at(at) {
                None => self.serve(at, now),
                Some(until) if until <= now => self.overlap(at, now),
                Some(_) => continue,
            }
            return true;
        }
        false
    }

    /// Lets a request begin its transaction beside others, and notes that.
    pub(crate) fn overlap(&mut self, at: usize, now: Instant) {
        let waiting = &self.queue[at];
        if let Some(session) = self.begins(&waiting.op) {
            let others: Vec<SessionId> = self.others(session).collect();
            let since = waiting.since;
            let told = others.first().map(|&other| Overlap {
                began: self.name(session),
                open: self.name(other),
                why: self.why(other, since, now),
            });
            for other in others {
                self.habits.get_mut(other).stalls = true;
            }
            if let Some(serial) = &mut self.serial {
                serial.count += 1;
                serial.first = serial.first.take().or(told);
            }
        }
        self.serve(at, now);
    }

    fn why(&self, open: SessionId, since: Instant, now: Instant) -> WhyOverlap {
        let patience = self.serial.as_ref().map_or(Duration::ZERO, |serial| serial.patience);
        let mut own = self.queue.iter().filter(|waiting| waiting.op.session() == Some(open));
        if own.any(|waiting| waiting.blocked.is_some()) {
            WhyOverlap::Lock
        } else if now >= since + patience * LONGEST {
            WhyOverlap::Long
        } else {
            WhyOverlap::Idle
        }
    }
}
