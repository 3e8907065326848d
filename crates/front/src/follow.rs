//! How a store follows the log of an earlier run, and leaves it when the program has changed.
//!
//! The [`gate`](crate::gate) knows the log and says what its next step expects; here the queue is searched for that
//! request. What a statement asks beyond the log is served as it comes, what it no longer asks is left out, and
//! anything else that does not fit ends the replay.

use std::time::Instant;

use hobgoblin_core::SessionId;
use hobgoblin_store::{Request, SessionRequest, StoreError, TransactionRequest};

use crate::cast::Cast;
use crate::gate::{Divergence, Fit, Gate, Step, may_be_left_out};
use crate::op::{Op, Outcome};
use crate::state::{State, Waiting};

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
        if let Some(at) = (0..self.queue.len()).find(|&at| self.goes_anyway(at)) {
            self.go_anyway(at, now);
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
        match step {
            Step::Tick { now: time } => {
                self.machine.tick(time);
                self.step_done(now);
                true
            }
            Step::Connect => {
                let same = |waiting: &Waiting| match &waiting.op {
                    Op::Connect(name) => gate.connects(name.as_deref()),
                    _ => false,
                };
                let place = self.queue.iter().position(same);
                if self.cast_mut().is_some_and(Cast::has_connected) {
                    self.step_done(now);
                    return true;
                }
                let Some(at) = place else { return self.late(now) };
                self.step_done(now);
                let player = self.connect(at, now);
                if let (Some(player), Some(cast)) = (player, self.cast_mut()) {
                    cast.connect(player);
                }
                true
            }
            Step::Disconnect { session } => {
                let Some(at) = self.place(session) else { return self.late(now) };
                match self.queue[at].op {
                    Op::Disconnect(_) => {
                        self.step_done(now);
                        self.serve(at, now);
                    }
                    _ => self.diverge(format!("{} came", self.describe(at))),
                }
                true
            }
            Step::GiveUp { session, deadlock } => {
                let Some(at) = self.place(session) else { return self.late(now) };
                let gives_up = matches!(
                    self.queue[at].op,
                    Op::Request(_, Request::Transaction(TransactionRequest::GiveUp { .. }))
                );
                match self.queue[at].blocked.is_some() {
                    true => {
                        self.step_done(now);
                        let player = self.queue[at].op.session();
                        let circle = |session| !self.machine.circle(session).is_empty();
                        let deadlock = match deadlock {
                            Some(deadlock) => deadlock,
                            None => player.is_some_and(circle) || self.is_stuck(at),
                        };
                        self.give_up(at, deadlock);
                    }
                    false if gives_up => {
                        self.step_done(now);
                        self.serve(at, now);
                    }
                    false => self.leave_out(at, now),
                }
                true
            }
            Step::Cancel { session } => {
                let Some(at) = self.place(session) else { return self.late(now) };
                match self.queue[at].op {
                    Op::Request(..) => {
                        self.step_done(now);
                        self.stop(at);
                    }
                    _ => self.diverge(format!("{} came", self.describe(at))),
                }
                true
            }
            Step::Request { session, .. } => self.follow_request(session, now),
        }
    }

    /// The log's next step is a request of this session of the log.
    fn follow_request(&mut self, session: SessionId, now: Instant) -> bool {
        let Some(at) = self.place(session) else { return self.late(now) };
        let Some(gate) = &mut self.gate else { return false };
        let Op::Request(player, request) = &self.queue[at].op else {
            self.leave_out(at, now);
            return true;
        };
        let player = *player;
        let begins = matches!(gate.request(), Some(Request::Session(SessionRequest::Begin { .. })));
        if begins && gate.cast.as_mut().is_some_and(|cast| cast.has_begun(player)) {
            self.step_done(now);
            return true;
        }
        let fit = gate.asks(player, request);
        if fit == Fit::Same {
            let Some(Step::Request { choices, .. }) = gate.step() else { return false };
            let answer = self.machine.replay(player, request, choices);
            let request = request.clone();
            self.ended(player, &request, &answer);
            match answer.map(Outcome::Answer) {
                Err(error @ StoreError::Diverged { .. }) => {
                    self.finish(at, Err(error.clone().into()));
                    self.diverge(error.to_string());
                }
                result => {
                    self.step_done(now);
                    self.settle(at, result, now);
                }
            }
            return true;
        }
        match fit {
            Fit::Same | Fit::Other => self.diverge(format!("{} came", self.describe(at))),
            Fit::More => return self.late(now),
            Fit::Less => self.leave_out(at, now),
            // Somebody has to go on before it can.
            Fit::Alike if !self.may_go(at) => self.leave_out(at, now),
            Fit::Alike => {
                self.differ(at);
                self.step_done(now);
                self.serve(at, now);
            }
        }
        true
    }

    /// The place in the queue of what a session of the log asks, by whoever plays it.
    fn place(&mut self, session: SessionId) -> Option<usize> {
        let player = match self.gate.as_mut()?.cast.as_mut() {
            None => session,
            Some(cast) => match cast.player(session) {
                Some(player) => player,
                None => {
                    let unknown = self.queue.iter().filter_map(|waiting| match &waiting.op {
                        Op::Request(player, Request::Session(SessionRequest::Statement(text))) => {
                            Some((*player, Some(text.as_str())))
                        }
                        Op::Disconnect(player) => Some((*player, None)),
                        _ => None,
                    });
                    let unknown: Vec<(SessionId, Option<&str>)> =
                        unknown.filter(|&(player, _)| cast.is_unknown(player)).collect();
                    cast.find(session, unknown.into_iter())?
                }
            },
        };
        self.queue.iter().position(|waiting| waiting.op.session() == Some(player))
    }

    fn cast_mut(&mut self) -> Option<&mut Cast> {
        self.gate.as_mut().and_then(|gate| gate.cast.as_mut())
    }

    /// A session connects; which.
    fn connect(&mut self, at: usize, now: Instant) -> Option<SessionId> {
        let result = self.perform_at(at);
        let player = match &result {
            Ok(Outcome::Session(player)) => Some(*player),
            _ => None,
        };
        self.settle(at, result, now);
        player
    }

    /// Whether a request goes whatever the log's next step is: the connect and the first begin of a session
    /// that nobody knows, so that its first statement can be seen; and what a statement asks that it did not in the log.
    fn goes_anyway(&self, at: usize) -> bool {
        let Some(gate) = &self.gate else { return false };
        let Op::Request(player, request) = &self.queue[at].op else {
            let ahead = gate.cast.as_ref().is_some_and(Cast::may_connect_ahead);
            return ahead && matches!(self.queue[at].op, Op::Connect(None));
        };
        let first = |other: &Waiting| other.op.session() != Some(*player);
        if !self.queue[..at].iter().all(first) {
            return false;
        }
        let unknown = gate.cast.as_ref().is_some_and(|cast| cast.is_unknown(*player));
        let begins = unknown && matches!(request, Request::Session(SessionRequest::Begin { .. }));
        (begins || gate.is_beyond(*player, request)) && self.may_go(at)
    }

    fn go_anyway(&mut self, at: usize, now: Instant) {
        if let Op::Connect(_) = self.queue[at].op {
            let player = self.connect(at, now);
            if let (Some(player), Some(cast)) = (player, self.cast_mut()) {
                cast.connect_ahead(player);
            }
            return;
        }
        let Op::Request(player, Request::Session(SessionRequest::Begin { .. })) = self.queue[at].op
        else {
            return self.serve(at, now);
        };
        if let Some(cast) = self.cast_mut() {
            cast.begins(player);
        }
        self.serve(at, now);
    }

    /// Whether a request does not wait for a lock, or need not any more.
    fn may_go(&self, at: usize) -> bool {
        let waiting = &self.queue[at];
        let ready = |session| self.machine.ready().contains(&session);
        waiting.blocked.is_none() || waiting.op.session().is_some_and(ready)
    }

    /// What the log has next did not come, as far as a statement is concerned: it is left out. Elsewhere
    /// the program has changed.
    fn leave_out(&mut self, at: usize, now: Instant) {
        let player = self.queue[at].op.session();
        let cast = self.gate.as_ref().and_then(|gate| gate.cast.as_ref());
        let lenient = |player| cast.is_some_and(|cast| cast.is_lenient(player));
        let inner = self.gate.as_ref().and_then(Gate::request).is_some_and(may_be_left_out);
        if inner && player.is_some_and(lenient) {
            self.differ(at);
            self.step_done(now);
        } else {
            self.diverge(format!("{} came", self.describe(at)));
        }
    }

    /// Counts that what waits at a place is not what the log has next. Of a statement that counts once.
    fn differ(&mut self, at: usize) {
        let Some(gate) = &self.gate else { return };
        let (Op::Request(player, found), Some(expected)) = (&self.queue[at].op, gate.request())
        else {
            return;
        };
        let made_up = matches!(
            expected,
            Request::Transaction(
                TransactionRequest::Savepoint(_)
                    | TransactionRequest::RollbackTo(_)
                    | TransactionRequest::Release(_)
            )
        );
        let counted = &mut self.habits.get_mut(*player).differs;
        if matches!(expected, Request::Session(SessionRequest::Statement(_))) {
            *counted = false;
        }
        if !made_up && !std::mem::replace(counted, true) {
            self.differences.add(gate.number(), expected, found);
        }
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
        while let Some(at) = self.queue.iter().position(|waiting| waiting.interrupted) {
            self.stop(at);
        }
        self.untie_all(Instant::now());
    }
}
