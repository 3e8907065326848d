//! How a store follows the log of an earlier run, and leaves it when the program has changed.

use std::time::Instant;

use hobgoblin_core::SessionId;
use hobgoblin_store::{Request, StoreError};

use crate::gate::{Divergence, Step};
use crate::state::{Op, Outcome, State, Waiting};

impl State {
    /// Whether the log of an earlier run is being followed.
    pub(crate) fn replays(&self) -> bool {
        self.gate.is_some()
    }

    /// Serves the log's next step, if its request is there.
    pub(crate) fn follow(&mut self, now: Instant) -> bool {
        // What makes no sense changes nothing and is in no log.
        if let Some(at) = (0..self.queue.len()).find(|&at| self.is_senseless(at)) {
            self.serve(at, now);
            return true;
        }
        let Some(gate) = &self.gate else { return false };
        let Some(step) = gate.step() else {
            // Ends that nobody waits for may come later than the log was taken.
            let Some(first) = self.queue.first() else { return false };
            if first.caller.detached {
                self.serve(0, now);
            } else {
                self.diverge(format!("{} came after its end", self.describe(0)));
            }
            return true;
        };
        let place = |session: SessionId| {
            self.queue.iter().position(|waiting| waiting.op.session() == Some(session))
        };
        let (place, expected) = match step {
            Step::Tick { now: time } => {
                self.machine.tick(time);
                self.step_done(now);
                return true;
            }
            Step::Connect => {
                let same = |waiting: &Waiting| match &waiting.op {
                    Op::Connect(name) => gate.connects(name.as_deref()),
                    _ => false,
                };
                (self.queue.iter().position(same), true)
            }
            Step::Disconnect { session } => {
                let place = place(session);
                let same = |at: usize| matches!(self.queue[at].op, Op::Disconnect(_));
                (place, place.is_none_or(same))
            }
            Step::GiveUp { session } => {
                let place = place(session);
                let same = |at: usize| {
                    let waiting = &self.queue[at];
                    waiting.blocked.is_some()
                        || matches!(waiting.op, Op::Request(_, Request::GiveUp))
                };
                (place, place.is_none_or(same))
            }
            Step::Request { session, .. } => {
                let place = place(session);
                let same = |at: usize| match &self.queue[at].op {
                    Op::Request(_, request) => gate.asks(request),
                    _ => false,
                };
                (place, place.is_none_or(same))
            }
            Step::Cancel { session } => {
                let place = place(session);
                (place, place.is_none_or(|at| matches!(self.queue[at].op, Op::Request(..))))
            }
        };
        let Some(at) = place else { return self.late(now) };
        if !expected {
            self.diverge(format!("{} came", self.describe(at)));
            return true;
        }
        if let Step::Cancel { .. } = step {
            self.step_done(now);
            self.stop(at);
            return true;
        }
        if let Step::GiveUp { .. } = step
            && self.queue[at].blocked.is_some()
        {
            self.step_done(now);
            self.give_up(at);
            return true;
        }
        let result = match (&self.queue[at].op, step) {
            (Op::Request(session, request), Step::Request { choices, .. }) => {
                self.machine.replay(*session, request, choices).map(Outcome::Answer)
            }
            _ => {
                self.step_done(now);
                self.serve(at, now);
                return true;
            }
        };
        match result {
            Err(error @ StoreError::Diverged { .. }) => {
                self.finish(at, Err(error.clone().into()));
                self.diverge(error.to_string());
            }
            result => {
                self.step_done(now);
                self.settle(at, result, now);
            }
        }
        true
    }

    /// Whether a request will be answered by an error, whatever the others do.
    fn is_senseless(&self, at: usize) -> bool {
        let waiting = &self.queue[at];
        let session = waiting.op.session();
        let first = self.queue[..at].iter().all(|other| other.op.session() != session);
        first
            && match &waiting.op {
                Op::Connect(_) => false,
                Op::Disconnect(session) => self.machine.session_name(*session).is_err(),
                Op::Request(session, request) => self.machine.validate(*session, request).is_err(),
            }
    }

    fn step_done(&mut self, now: Instant) {
        if let Some(gate) = &mut self.gate {
            gate.advance(now);
        }
    }

    /// Goes on without the log when the next step did not come in time.
    fn late(&mut self, now: Instant) -> bool {
        let late = self.deadline().is_some_and(|deadline| deadline <= now);
        if late {
            let waited = self.replay_timeout;
            self.diverge(format!(
                "it did not come within {waited:?}, and {} waits",
                self.describe(0)
            ));
        }
        late
    }

    pub(crate) fn diverge(&mut self, found: String) {
        let Some(gate) = self.gate.take() else { return };
        let expected = gate.expected(|session| self.name(session));
        self.divergence = Some(Divergence { entry: gate.number(), expected, found });
        // What met a lock by the log may be stuck without it.
        let now = Instant::now();
        for at in 0..self.queue.len() {
            let until = self.lock_deadline(at, now);
            if let Some(blocked) = &mut self.queue[at].blocked {
                blocked.until = until;
            }
        }
        while let Some(at) = self.queue.iter().position(|waiting| waiting.interrupted) {
            self.stop(at);
        }
        while let Some(at) = (0..self.queue.len()).find(|&at| self.is_stuck(at)) {
            self.give_up(at);
        }
    }
}
