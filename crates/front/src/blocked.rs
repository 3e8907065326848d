//! Requests that met a lock: how long they wait, who ends their wait, and when nobody can.

use std::time::{Duration, Instant};

use hobgoblin_core::SessionId;
use hobgoblin_store::{AbortReason, Answer, Request};

use crate::error::Error;
use crate::state::{Op, Outcome, State, Waiting, finished};

/// What a request that met a lock waits for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocked {
    holder: SessionId,
    /// When it gives up; `None` for never.
    pub(crate) until: Option<Instant>,
}

/// How one session uses the store.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Habit {
    /// The thread that used it last; 0 for none.
    pub(crate) thread: u64,
    /// Whether it names its statements.
    pub(crate) by_statement: bool,
    /// Whether its statement was found to differ from that of the log that is replayed.
    pub(crate) differs: bool,
    /// Whether it is connected and may be waited for.
    pub(crate) connected: bool,
    /// How many holds ran out that waited for it since it asked last.
    pub(crate) missed: u32,
    /// Whether it has asked something that is held.
    pub(crate) asked: bool,
    /// Whether that was the first time, or the first after nobody waited for it any more.
    pub(crate) woke: bool,
    /// When it asked something last, or got its last answer; kept where transactions come one at a time.
    pub(crate) active: Option<Instant>,
    /// Whether others have waited in vain for the end of its transaction since then.
    pub(crate) stalls: bool,
    /// How long it waits for a lock, where it does not do as the store: `None` for ever.
    lock_timeout: Option<Option<Duration>>,
}

/// The habits of all sessions, by number.
#[derive(Debug, Default)]
pub(crate) struct Habits(Vec<Habit>);

impl Habits {
    pub(crate) fn get(&self, session: SessionId) -> Habit {
        self.0.get(session.index()).copied().unwrap_or_default()
    }

    pub(crate) fn get_mut(&mut self, session: SessionId) -> &mut Habit {
        let index = session.index();
        if self.0.len() <= index {
            self.0.resize(index + 1, Habit::default());
        }
        &mut self.0[index]
    }

    /// Those that are connected.
    pub(crate) fn connected(&self) -> impl Iterator<Item = (SessionId, &Habit)> {
        let all = self.0.iter().enumerate().filter(|(_, habit)| habit.connected);
        all.map(|(index, habit)| (SessionId::new(index), habit))
    }

    /// The same, to change.
    pub(crate) fn connected_mut(&mut self) -> impl Iterator<Item = (SessionId, &mut Habit)> {
        let all = self.0.iter_mut().enumerate().filter(|(_, habit)| habit.connected);
        all.map(|(index, habit)| (SessionId::new(index), habit))
    }

    /// The session is closed.
    pub(crate) fn forget(&mut self, session: SessionId) {
        if let Some(habit) = self.0.get_mut(session.index()) {
            *habit = Habit::default();
        }
    }
}

impl State {
    pub(crate) fn block(&mut self, at: usize, holder: SessionId, now: Instant) {
        let until = match self.queue[at].blocked {
            Some(blocked) => blocked.until,
            None => self.lock_deadline(at, now),
        };
        self.queue[at].blocked = Some(Blocked { holder, until });
        if self.gate.is_none() && self.is_stuck(at) {
            self.give_up(at);
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

    /// Stops waiting for a lock.
    pub(crate) fn give_up(&mut self, at: usize) {
        let Some(session) = self.queue[at].op.session() else { return };
        let stuck = self.is_stuck(at);
        let answer = self.machine.apply(session, &Request::GiveUp).map(|answer| match answer {
            Answer::Aborted(AbortReason::LockTimeout) if stuck => {
                Answer::Aborted(AbortReason::Deadlock)
            }
            Answer::Refused(AbortReason::LockTimeout) if stuck => {
                Answer::Refused(AbortReason::Deadlock)
            }
            answer => answer,
        });
        self.finish(at, finished(answer.map(Outcome::Answer)));
    }

    /// Ends the wait of a session's request, and its transaction or what it did since its last savepoint;
    /// whether it waited. In a replay the log says when, unless it turns out not to fit.
    pub(crate) fn interrupt(&mut self, session: SessionId) -> bool {
        let waits = |waiting: &Waiting| match &waiting.op {
            Op::Request(own, Request::Abort) if *own == session => false,
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
        let canceled = self.machine.apply(session, &Request::Cancel);
        let open = self.machine.is_open(session);
        self.finish(at, canceled.map_err(Error::Store).and(Err(Error::Interrupted { open })));
    }

    /// Whether a request can never get its lock, because the thread that would have to release it waits,
    /// in the end, for this very request.
    ///
    /// A request waits for the holder of the lock. The holder goes on when its own request is served, or
    /// when the thread that uses it does something; that thread may wait for a request too. The machine
    /// sees circles of sessions, this walk sees those that go through threads.
    pub(crate) fn is_stuck(&self, at: usize) -> bool {
        let mut place = at;
        for _ in 0..=self.queue.len() {
            let Some(blocked) = self.queue[place].blocked else { return false };
            let own = |waiting: &Waiting| waiting.op.session() == Some(blocked.holder);
            let thread = self.habits.get(blocked.holder).thread;
            let same = |waiting: &Waiting| thread != 0 && waiting.caller.thread == thread;
            let next = self.queue.iter().position(own).or_else(|| self.queue.iter().position(same));
            match next {
                None => return false,
                Some(next) if next == at => return true,
                Some(next) => place = next,
            }
        }
        false
    }
}
