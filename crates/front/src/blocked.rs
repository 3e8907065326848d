//! Requests that met a lock: how long they wait, who ends their wait, and when nobody can.
//!
//! Who waits for whom is asked of the machine whenever it matters. As a rule the machine refuses a request that
//! would close a circle of sessions that wait for each other. A [patient](hobgoblin_store::Config::patient) machine
//! does not: there each session looks once, when it has waited for its deadlock timeout, and gives up if it is in a
//! circle. Where requests are held, time does not count; then the session that would have looked first gives up at
//! once.

use std::time::{Duration, Instant};

use hobgoblin_core::{SessionId, sort};
use hobgoblin_store::{Request, TransactionRequest};

use crate::error::Error;
use crate::habits::Blocked;
use crate::op::{Op, Outcome};
use crate::state::{State, Waiting, finished};

/// How long a session waits for a lock before it looks for a circle, where it does not say: PostgreSQL's
/// `deadlock_timeout`.
const DEADLOCK_TIMEOUT: Duration = Duration::from_secs(1);

impl State {
    pub(crate) fn block(&mut self, at: usize, now: Instant) {
        let until = match self.queue[at].blocked {
            Some(blocked) => blocked.until,
            None => self.lock_deadline(at, now),
        };
        self.queue[at].blocked = Some(Blocked { until, look: self.look_at(at, now) });
        if self.gate.is_none() {
            self.untie(at);
        }
    }

    /// When a request that begins to wait now looks for a circle.
    fn look_at(&self, at: usize, now: Instant) -> Option<Instant> {
        let session = self.queue[at].op.session().filter(|_| self.machine.config().patient)?;
        now.checked_add(self.habits.get(session).deadlock_timeout.unwrap_or(DEADLOCK_TIMEOUT))
    }

    /// Refuses somebody if a request that met a lock can never get it, as far as one does not wait for that.
    fn untie(&mut self, at: usize) {
        if self.is_stuck(at) {
            return self.give_up(at, true);
        }
        if !self.is_timeless() || !self.machine.config().patient {
            return;
        }
        let Some(session) = self.queue[at].op.session() else { return };
        let circle = self.machine.circle(session).into_iter();
        let places = circle.filter_map(|session| {
            let at = self.queue.iter().position(|waiting| waiting.op.session() == Some(session))?;
            Some((self.queue[at].blocked?.look?, at))
        });
        if let Some((_, first)) = places.min() {
            self.give_up(first, true);
        }
    }

    /// Looks for circles whose time has come; whether there was something to do.
    pub(crate) fn look(&mut self, now: Instant) -> bool {
        let due = |waiting: &Waiting| waiting.blocked?.look.filter(|&look| look <= now);
        if self.is_timeless() {
            return false;
        }
        let Some(at) = self.queue.iter().position(|waiting| due(waiting).is_some()) else {
            return false;
        };
        if let Some(blocked) = &mut self.queue[at].blocked {
            blocked.look = None;
        }
        let session = self.queue[at].op.session();
        if session.is_some_and(|session| !self.machine.circle(session).is_empty()) {
            self.give_up(at, true);
        }
        true
    }

    /// What met a lock by the log may be stuck without it.
    pub(crate) fn untie_all(&mut self, now: Instant) {
        for at in 0..self.queue.len() {
            let (until, look) = (self.lock_deadline(at, now), self.look_at(at, now));
            if let Some(blocked) = &mut self.queue[at].blocked {
                *blocked = Blocked { until, look };
            }
        }
        let blocked: Vec<u64> =
            self.queue.iter().filter(|w| w.blocked.is_some()).map(|w| w.ticket).collect();
        for ticket in blocked {
            if let Some(at) = self.queue.iter().position(|waiting| waiting.ticket == ticket) {
                self.untie(at);
            }
        }
    }

    /// When a request that begins to wait for a lock now gives up.
    pub(crate) fn lock_deadline(&self, at: usize, now: Instant) -> Option<Instant> {
        let session = self.queue[at].op.session();
        let own = session.and_then(|session| self.habits.get(session).lock_timeout);
        now.checked_add(own.unwrap_or(Some(self.lock_timeout))?)
    }

    /// How long a session waits for its next locks; `None` for ever.
    pub(crate) fn set_lock_timeout(&mut self, session: SessionId, timeout: Option<Duration>) {
        if self.machine.session_name(session).is_ok() {
            self.habits.get_mut(session).lock_timeout = Some(timeout);
        }
    }

    /// How long a session waits for its next locks before it looks for a circle.
    pub(crate) fn set_deadlock_timeout(&mut self, session: SessionId, timeout: Duration) {
        if self.machine.session_name(session).is_ok() {
            self.habits.get_mut(session).deadlock_timeout = Some(timeout);
        }
    }

    /// Stops waiting for a lock, because of a deadlock or because it took too long.
    pub(crate) fn give_up(&mut self, at: usize, deadlock: bool) {
        let Some(session) = self.queue[at].op.session() else { return };
        let answer = self.machine.apply(session, &Request::give_up(deadlock));
        self.finish(at, finished(answer.map(Outcome::Answer)));
    }

    /// Ends the wait of a session's request, and its transaction or what it did since its last savepoint;
    /// whether it waited. In a replay the log says when, unless it turns out not to fit.
    pub(crate) fn interrupt(&mut self, session: SessionId) -> bool {
        let waits = |waiting: &Waiting| match &waiting.op {
            Op::Request(own, Request::Transaction(TransactionRequest::Abort))
                if *own == session =>
            {
                false
            }
            Op::Request(own, _) => *own == session && !waiting.caller.detached,
            _ => false,
        };
        let Some(at) = self.queue.iter().position(waits) else { return false };
        self.queue[at].interrupted = true;
        if self.gate.is_none() {
            self.stop(at);
        }
        self.pump(Instant::now());
        true
    }

    /// Ends the wait of a request that was interrupted, and its transaction.
    pub(crate) fn stop(&mut self, at: usize) {
        let Some(session) = self.queue[at].op.session() else { return };
        let canceled = self.machine.apply(session, &Request::CANCEL);
        let open = self.machine.is_open(session);
        self.finish(at, canceled.map_err(Error::Store).and(Err(Error::Interrupted { open })));
    }

    /// Whether a thread waits for a request and uses another session that has none: only then a circle can go
    /// through a thread.
    fn has_busy_thread(&self) -> bool {
        let (mut sessions, mut threads) = (Vec::new(), Vec::new());
        for waiting in &self.queue {
            sessions.extend(waiting.op.session());
            if waiting.caller.waits {
                threads.push(waiting.caller.thread);
            }
        }
        sort(&mut sessions);
        sort(&mut threads);
        for (session, habit) in self.habits.connected() {
            if habit.thread != 0
                && sessions.binary_search(&session).is_err()
                && threads.binary_search(&habit.thread).is_ok()
            {
                return true;
            }
        }
        false
    }

    /// Whether a request can never get its lock, because the thread that would have to release it waits,
    /// in the end, for this very request.
    ///
    /// A request waits for those who hold the lock or come before it. Each of them goes on when its own
    /// request is served, or when the thread that uses it does something; that thread may wait for a request
    /// too. The machine sees circles of sessions, this walk sees those that go through threads.
    pub(crate) fn is_stuck(&self, at: usize) -> bool {
        if !self.has_busy_thread() {
            return false;
        }
        let mut reached: Vec<(usize, bool)> = Vec::new();
        let mut stack = vec![(at, false)];
        while let Some((place, by_thread)) = stack.pop() {
            let waiting = &self.queue[place];
            let Some(session) = waiting.op.session().filter(|_| waiting.blocked.is_some()) else {
                continue;
            };
            for blocker in self.machine.blockers(session) {
                let own = |waiting: &Waiting| waiting.op.session() == Some(blocker);
                let thread = self.habits.get(blocker).thread;
                let same = |waiting: &Waiting| {
                    thread != 0 && waiting.caller.waits && waiting.caller.thread == thread
                };
                let next = match self.queue.iter().position(own) {
                    Some(next) => Some((next, by_thread)),
                    None => self.queue.iter().position(same).map(|next| (next, true)),
                };
                match next {
                    Some((next, true)) if next == at => return true,
                    Some(next) if !reached.contains(&next) => {
                        reached.push(next);
                        stack.push(next);
                    }
                    _ => {}
                }
            }
        }
        false
    }
}
