//! The machine, the queue of requests that wait, and the rules by which they go.
//!
//! All of it is under one lock. Whoever comes, a thread with a request, a future that is polled, or a timer,
//! calls [`State::pump`], which serves every request that may go now and leaves the answers for their
//! owners. The rules, in this order:
//!
//! - The requests of one session are served in the order they came.
//! - During a replay only the log's next step may go.
//! - A request that met a lock goes again when the machine says it is ready, and gives up when its time is
//!   over or when its own thread would have to release the lock.
//! - With holding, one read, write or end goes when every session with an open transaction has one waiting, or when
//!   the oldest has waited long enough; the scheduler picks which. A session that names its statements is held
//!   at each statement instead, and the reads and writes of that go as they come.
//! - Where transactions come one at a time, a request that begins one waits for the open ones to end
//!   ([`serial`](crate::serial)).
//! - Otherwise requests go as they come.

use std::collections::HashMap;
use std::task::Waker;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hobgoblin_core::{SessionId, sort, sort_by, sort_dedup};
use hobgoblin_store::{
    Answer, Config, Log, Machine, Request, Scheduler, SessionRequest, StoreError,
    TransactionRequest,
};

use crate::error::Error;
use crate::gate::{Differences, Divergence, Gate};
use crate::habits::{Blocked, Habit, Habits};
use crate::op::{Caller, Op, Outcome, Submitted};
use crate::options::{HoldFor, Options};
use crate::overlap::Serial;
use crate::sink::Sink;
use crate::sleep::Sleepers;
use crate::turn::YieldAt;

/// How many holds may run out before a session that does not come is no longer waited for.
const PATIENCE: u32 = 3;

/// A request in the queue.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) ticket: u64,
    pub(crate) op: Op,
    pub(crate) caller: Caller,
    pub(crate) since: Instant,
    pub(crate) blocked: Option<Blocked>,
    /// Whether it was interrupted, while the log of a replay says what becomes of it.
    pub(crate) interrupted: bool,
    waker: Option<Waker>,
}

pub(crate) struct State {
    pub(crate) machine: Machine,
    pub(crate) scheduler: Scheduler,
    /// Requests that are held where there is a hold: the steps of a run that was made without one.
    held: u32,
    /// At which requests interleaved tasks give way to others.
    pub(crate) yield_at: YieldAt,
    pub(crate) divergence: Option<Divergence>,
    pub(crate) differences: Differences,
    pub(crate) sink: Option<Box<dyn Sink>>,
    /// The first thing the sink could not do.
    pub(crate) sink_error: Option<String>,
    /// The session that [`Store::fence`](crate::Store::fence) uses, once it was called.
    pub(crate) fence: Option<SessionId>,
    /// Whether a thread looks after the deadlines.
    pub(crate) timer: bool,
    pub(crate) sleepers: Sleepers,
    pub(crate) gate: Option<Gate>,
    hold: Option<Duration>,
    hold_for: HoldFor,
    pub(crate) serial: Option<Serial>,
    pub(crate) lock_timeout: Duration,
    pub(crate) replay_timeout: Duration,
    pub(crate) queue: Vec<Waiting>,
    done: Vec<(u64, Result<Outcome, Error>)>,
    next_ticket: u64,
    pub(crate) habits: Habits,
    /// What is to be done with the commit of a session's transaction.
    pub(crate) with_commit: HashMap<SessionId, Box<dyn FnOnce() + Send>>,
    locks: bool,
}

impl State {
    pub(crate) fn new(config: Config, options: Options) -> Result<State, Error> {
        let locks = config.profile.has_locks();
        let scheduler = Scheduler::new(options.schedule, config.seed);
        let usual = if locks { YieldAt::Request } else { YieldAt::Begin };
        let yield_at = options.yield_at.unwrap_or(usual);
        let machine = Machine::new(config)?;
        let mut state = State {
            machine,
            scheduler,
            held: 0,
            yield_at,
            divergence: None,
            differences: Differences::default(),
            sink: options.sink,
            sink_error: None,
            fence: None,
            timer: false,
            sleepers: Sleepers::default(),
            gate: options.replay.map(Gate::new),
            hold: options.hold.filter(|_| locks && options.serial.is_none()),
            hold_for: options.hold_for,
            serial: options.serial.map(Serial::new),
            lock_timeout: options.lock_timeout,
            replay_timeout: options.replay_timeout,
            queue: Vec::new(),
            done: Vec::new(),
            next_ticket: 0,
            habits: Habits::default(),
            with_commit: HashMap::new(),
            locks,
        };
        if let Some(sink) = &mut state.sink {
            let log = Log { config: state.machine.config().clone(), ..Log::default() };
            let started = sink.start(&state.machine.header(), &log);
            started.map_err(|error| Error::Sink { what: "file", why: error.to_string() })?;
        }
        Ok(state)
    }

    /// Serves a request at once if it may go, else puts it into the queue.
    pub(crate) fn submit(&mut self, mut op: Op, caller: Caller) -> Submitted {
        if let Some(error) = self.unrecorded(&op) {
            return Submitted::Now(Err(error));
        }
        let free = self.queue.is_empty() && self.gate.is_none();
        if self.serial.is_some() {
            self.active(&mut op, Instant::now());
        }
        if free && (self.hold.is_none() || caller.driven) && !self.others_are_open(&op) {
            self.note(&op, caller);
            match self.perform(&op) {
                Ok(Outcome::Answer(Answer::Blocked { .. })) => {
                    return self.enqueue(op, caller, true);
                }
                result => {
                    self.drain();
                    let lost = self.unrecorded(&op);
                    return Submitted::Now(lost.map_or_else(|| finished(result), Err));
                }
            }
        }
        self.enqueue(op, caller, false)
    }

    fn enqueue(&mut self, op: Op, caller: Caller, met_lock: bool) -> Submitted {
        let now = Instant::now();
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.note(&op, caller);
        let (blocked, interrupted, waker) = (None, false, None);
        self.queue.push(Waiting { ticket, op, caller, since: now, blocked, interrupted, waker });
        if met_lock {
            self.block(self.queue.len() - 1, now);
        }
        self.pump(now);
        match self.take(ticket) {
            Some(result) => Submitted::Now(result),
            None => Submitted::Later(ticket),
        }
    }

    /// Notes who asks and how; it matters only where there are locks.
    fn note(&mut self, op: &Op, caller: Caller) {
        if !self.locks {
            return;
        }
        let Some(session) = op.session() else { return };
        let habit = self.habits.get_mut(session);
        habit.thread = caller.thread;
        if matches!(op, Op::Request(_, Request::Session(SessionRequest::Statement(_)))) {
            (habit.by_statement, habit.differs) = (true, false);
        }
        if self.is_held(op) {
            self.held = self.held.saturating_add(1);
            let habit = self.habits.get_mut(session);
            habit.woke = !habit.asked || habit.missed >= PATIENCE;
            (habit.asked, habit.missed) = (true, 0);
        }
    }

    /// Whether it matters to others when it goes. A snapshot is taken by the first statement, read or
    /// write, so a begin does not.
    fn is_held(&self, op: &Op) -> bool {
        let Op::Request(session, request) = op else { return false };
        match request {
            Request::Session(SessionRequest::Statement(_))
            | Request::Transaction(
                TransactionRequest::ReadOnly { .. }
                | TransactionRequest::Prepare { .. }
                | TransactionRequest::Commit
                | TransactionRequest::Abort,
            ) => true,
            Request::Transaction(
                TransactionRequest::Get { .. }
                | TransactionRequest::Reserve { .. }
                | TransactionRequest::Insert { .. }
                | TransactionRequest::Put { .. }
                | TransactionRequest::Scan { .. }
                | TransactionRequest::Hold { .. },
            ) => !self.habits.get(*session).by_statement,
            _ => false,
        }
    }

    /// How many steps a schedule of this run has.
    pub(crate) fn steps(&self) -> u32 {
        self.scheduler.steps().max(self.held)
    }

    /// The answer of a request, if it is there.
    pub(crate) fn take(&mut self, ticket: u64) -> Option<Result<Outcome, Error>> {
        let at = self.done.iter().position(|(done, _)| *done == ticket)?;
        Some(self.done.swap_remove(at).1)
    }

    /// Says whom to wake when the answer is there.
    pub(crate) fn set_waker(&mut self, ticket: u64, waker: &Waker) {
        if let Some(waiting) = self.queue.iter_mut().find(|waiting| waiting.ticket == ticket) {
            match &mut waiting.waker {
                Some(old) => old.clone_from(waker),
                none => *none = Some(waker.clone()),
            }
        }
    }

    /// Nobody waits for this answer any more. A request that was not served is forgotten; one that waits
    /// for a lock gives up.
    pub(crate) fn cancel(&mut self, ticket: u64) {
        self.take(ticket);
        let Some(at) = self.queue.iter().position(|waiting| waiting.ticket == ticket) else {
            return;
        };
        if self.queue[at].blocked.is_none() {
            self.queue.remove(at);
        } else {
            self.queue[at].caller.detached = true;
            if self.gate.is_none() {
                self.give_up(at, false);
            }
        }
        self.pump(Instant::now());
    }

    /// Whether time does not count: requests are held, or transactions come one at a time.
    pub(crate) fn is_timeless(&self) -> bool {
        self.hold.is_some() || self.serial.is_some()
    }

    /// Serves all that may go now.
    pub(crate) fn pump(&mut self, now: Instant) {
        while match self.gate {
            Some(_) => self.follow(now),
            None => self.advance(now),
        } {}
        self.drain();
    }

    /// When [`State::pump`] should be called even if nothing comes.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        if let Some(gate) = &self.gate {
            let oldest = self.queue.iter().find(|waiting| !waiting.caller.detached)?.since;
            return Some(gate.since.max(oldest) + self.replay_timeout);
        }
        let mut first = self.overlap_at();
        let mut note = |at: Instant| first = Some(first.map_or(at, |first| first.min(at)));
        for waiting in &self.queue {
            let Some(blocked) = waiting.blocked else { continue };
            if let Some(until) = blocked.until {
                note(until);
            }
            if let Some(look) = blocked.look
                && !self.is_timeless()
            {
                note(look);
            }
        }
        if let Some(hold) = self.hold {
            for at in self.candidates() {
                note(self.queue[at].since + hold);
            }
        }
        first
    }

    /// Nothing more can come until something in the queue has gone: lets one go that would have waited
    /// for a deadline. Whether there was one.
    pub(crate) fn unstick(&mut self) -> bool {
        if self.queue.is_empty() {
            return false;
        }
        if self.gate.is_some() {
            self.diverge("every task waits for another turn".to_owned());
        } else if let Some(at) = (0..self.queue.len()).find(|&at| self.waits_to_begin(at)) {
            self.overlap(at, Instant::now());
        } else if let Some(at) = self.queue.iter().position(|waiting| waiting.blocked.is_some()) {
            self.give_up(at, self.is_stuck(at));
        }
        self.pump(Instant::now());
        true
    }

    /// Serves one request of the queue, if one may go.
    fn advance(&mut self, now: Instant) -> bool {
        if self.queue.is_empty() {
            return false;
        }
        let is_late = |until: Instant| until <= now;
        let late = |waiting: &Waiting| waiting.blocked?.until.filter(|&until| is_late(until));
        if let Some(at) = self.queue.iter().position(|waiting| late(waiting).is_some()) {
            self.give_up(at, false);
            return true;
        }
        if self.look(now) {
            return true;
        }
        let candidates = self.candidates();
        if self.serial.is_some() {
            return self.advance_serially(&candidates, now);
        }
        let Some(at) = self.choose(&candidates, now) else { return false };
        self.serve(at, now);
        true
    }

    /// The places of the requests that could go: the first of each session, and not without its lock.
    fn candidates(&self) -> Vec<usize> {
        let waits_for_lock = self.queue.iter().any(|waiting| waiting.blocked.is_some());
        let ready = if waits_for_lock { self.machine.ready() } else { Vec::new() };
        let (mut places, mut of_sessions) = (Vec::new(), Vec::new());
        for (at, waiting) in self.queue.iter().enumerate() {
            match waiting.op.session() {
                Some(session) => of_sessions.push((session, at)),
                None => places.push(at),
            }
        }
        sort(&mut of_sessions);
        let mut before = None;
        for (session, at) in of_sessions {
            let is_first = before.replace(session) != Some(session);
            if is_first && (self.queue[at].blocked.is_none() || ready.contains(&session)) {
                places.push(at);
            }
        }
        sort(&mut places);
        places
    }

    /// Which of these goes now.
    fn choose(&mut self, candidates: &[usize], now: Instant) -> Option<usize> {
        let Some(hold) = self.hold else { return candidates.first().copied() };
        let at_once = |&&at: &&usize| {
            let waiting = &self.queue[at];
            waiting.caller.driven || waiting.caller.detached || !self.is_held(&waiting.op)
        };
        if let Some(&at) = candidates.iter().find(at_once) {
            return Some(at);
        }
        let oldest = candidates.iter().map(|&at| self.queue[at].since).min()?;
        if !self.all_wait() {
            if now < oldest + hold {
                return None;
            }
            self.miss();
        }
        let mut places = candidates.to_vec();
        sort_by(&mut places, |&a, &b| self.queue[a].op.session().cmp(&self.queue[b].op.session()));
        let sessions: Vec<SessionId> =
            places.iter().filter_map(|&at| self.queue[at].op.session()).collect();
        Some(places[self.scheduler.pick(&sessions)])
    }

    /// Whether every session that a held request waits for has one in the queue too. One that is in the
    /// middle of a statement has none.
    fn all_wait(&self) -> bool {
        let mut waiting: Vec<SessionId> =
            self.queue.iter().filter_map(|waiting| waiting.op.session()).collect();
        sort_dedup(&mut waiting);
        match self.hold_for {
            HoldFor::Open => {
                let mut open = self.machine.open_sessions();
                open.all(|session| waiting.binary_search(&session).is_ok())
            }
            HoldFor::Connected => {
                // Who was idle itself waits for all: others may begin with it.
                let woke = waiting.iter().any(|&session| self.habits.get(session).woke);
                let awaited = |session: SessionId, habit: &Habit| {
                    woke || habit.missed < PATIENCE
                        || self.machine.in_transaction(session) == Ok(true)
                };
                let mut connected = self.habits.connected();
                connected.all(|(session, habit)| {
                    waiting.binary_search(&session).is_ok()
                        || self.fence == Some(session)
                        || !awaited(session, habit)
                })
            }
        }
    }

    /// A hold ran out: whoever has not come may be idle, as connections of a pool are.
    fn miss(&mut self) {
        let queue = &self.queue;
        for (session, habit) in self.habits.connected_mut() {
            if queue.iter().all(|waiting| waiting.op.session() != Some(session)) {
                habit.missed = habit.missed.saturating_add(1);
            }
        }
    }

    /// Serves the request at this place of the queue.
    pub(crate) fn serve(&mut self, at: usize, now: Instant) {
        let result = self.perform_at(at);
        self.settle(at, result, now);
    }

    /// Performs the request at this place of the queue, where it stays.
    pub(crate) fn perform_at(&mut self, at: usize) -> Result<Outcome, StoreError> {
        let op = std::mem::replace(&mut self.queue[at].op, Op::Connect(None));
        let result = self.perform(&op);
        self.queue[at].op = op;
        result
    }

    fn perform(&mut self, op: &Op) -> Result<Outcome, StoreError> {
        match op {
            Op::Connect(name) => {
                let session = self.machine.connect(name.as_deref())?;
                self.habits.get_mut(session).connected = true;
                Ok(Outcome::Session(session))
            }
            Op::Disconnect(session) => {
                self.machine.disconnect(*session)?;
                self.habits.forget(*session);
                self.with_commit.remove(session);
                Ok(Outcome::Answer(Answer::Done))
            }
            Op::Request(session, request) => {
                if *request == Request::CLOCK {
                    self.machine.set_clock(now_micros());
                }
                let answer = self.machine.apply(*session, request);
                self.ended(*session, request, &answer);
                if let (Request::Transaction(TransactionRequest::Prepare { to }), Ok(Answer::Done)) =
                    (request, &answer)
                    && let Some(heir) = self.machine.session_named(to)
                {
                    // It asks for nothing by itself, so nobody waits for it to.
                    self.habits.forget(heir);
                }
                answer.map(Outcome::Answer)
            }
        }
    }

    /// Does what is to be done with a commit, before anybody hears of it, and forgets it with an abort.
    pub(crate) fn ended(
        &mut self,
        session: SessionId,
        request: &Request,
        answer: &Result<Answer, StoreError>,
    ) {
        let commits = match request {
            Request::Transaction(TransactionRequest::Commit) => matches!(answer, Ok(Answer::Done)),
            Request::Transaction(TransactionRequest::Abort) => false,
            _ => return,
        };
        if let Some(then) = self.with_commit.remove(&session).filter(|_| commits) {
            then();
        }
    }

    /// Leaves an answer to its owner, or the request in the queue if it met a lock.
    pub(crate) fn settle(&mut self, at: usize, result: Result<Outcome, StoreError>, now: Instant) {
        if let Ok(Outcome::Answer(Answer::Blocked { .. })) = result {
            self.block(at, now);
        } else {
            self.finish(at, finished(result));
        }
    }

    pub(crate) fn finish(&mut self, at: usize, result: Result<Outcome, Error>) {
        let mut waiting = self.queue.remove(at);
        if self.serial.is_some() {
            self.active(&mut waiting.op, Instant::now());
        }
        if !waiting.caller.detached {
            // Its owner hears of it when all has been written.
            self.drain();
            let result = self.unrecorded(&waiting.op).map_or(result, Err);
            self.done.push((waiting.ticket, result));
        }
        if let Some(waker) = waiting.waker {
            self.sleepers.wake(waker);
        }
    }

    pub(crate) fn name(&self, session: SessionId) -> String {
        let name = self.machine.session_name(session).map(|name| name.to_string());
        name.unwrap_or_else(|_| format!("number {}", session.index() + 1))
    }

    /// The request at a place of the queue, in words.
    pub(crate) fn describe(&self, at: usize) -> String {
        match &self.queue[at].op {
            Op::Connect(None) => "a connect".to_owned(),
            Op::Connect(Some(name)) => format!("the connect of {name}"),
            Op::Disconnect(session) => format!("the end of session {}", self.name(*session)),
            Op::Request(session, request) => {
                format!("session {}'s `{request}`", self.name(*session))
            }
        }
    }

    /// Why a request is not acknowledged, once something could not be written. Ends go on: they let others
    /// go on, and are told to nobody. So do connections, whose first request is told.
    fn unrecorded(&self, op: &Op) -> Option<Error> {
        let why = self.sink_error.clone()?;
        match op {
            Op::Connect(_) | Op::Disconnect(_) => None,
            Op::Request(
                _,
                Request::Transaction(TransactionRequest::Abort | TransactionRequest::GiveUp { .. }),
            ) => None,
            Op::Request(session, _) => {
                let open = self.machine.in_transaction(*session) == Ok(true);
                Some(Error::Unrecorded { why, open })
            }
        }
    }

    /// Gives the sink what it has not seen.
    fn drain(&mut self) {
        let Some(sink) = &mut self.sink else { return };
        let (ended, entries) = (self.machine.take_ended(), self.machine.take_log());
        let schema = self.machine.take_described();
        let nothing = ended.is_empty() && entries.is_empty() && schema.is_empty();
        if self.sink_error.is_some() || nothing {
            return;
        }
        let taken = entries.iter().try_for_each(|entry| sink.entry(entry));
        let taken =
            taken.and_then(|()| if schema.is_empty() { Ok(()) } else { sink.schema(&schema) });
        let taken = taken.and_then(|()| ended.iter().try_for_each(|txn| sink.txn(txn)));
        if let Err(error) = taken.and_then(|()| sink.flush()) {
            self.sink_error = Some(error.to_string());
        }
    }
}

/// Microseconds since 1970.
fn now_micros() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// The machine's answer as a session sees it.
pub(crate) fn finished(result: Result<Outcome, StoreError>) -> Result<Outcome, Error> {
    match result {
        Ok(Outcome::Answer(Answer::Aborted(reason))) => Err(Error::Aborted(reason)),
        Ok(Outcome::Answer(Answer::Refused(reason))) => Err(Error::Refused(reason)),
        Ok(outcome) => Ok(outcome),
        Err(error) => Err(Error::Store(error)),
    }
}
