//! How requests are served: what happens in and around an open transaction, whatever the profile.

use hobgoblin_core::{Key, Level, SessionId, Status, Value};
use hobgoblin_gen::Rng;

use crate::config::{Policy, Profile};
use crate::engine::{Manner, Stop, rules, stop};
use crate::keys::INIT;
use crate::locks::Wanted;
use crate::log::Entry;
use crate::machine::{Machine, Machinery};
use crate::open::{BASE, Left, Open, Savepoint, Scanned};
use crate::record::Ended;
use crate::request::{AbortReason, Answer, Request, StoreError, Wait};
use crate::scan::Scan;

/// What became of a request inside a transaction.
enum Served {
    Answer(Answer),
    Blocked(u32),
    Abort(AbortReason),
}

impl From<Stop> for Served {
    fn from(stop: Stop) -> Served {
        match stop {
            Stop::Blocked(holder) => Served::Blocked(holder),
            Stop::Locked(holder) => {
                Served::Answer(Answer::Locked { holder: SessionId::new(holder as usize) })
            }
            Stop::Deadlock => Served::Abort(AbortReason::Deadlock),
            Stop::Conflict => Served::Abort(AbortReason::Serialization),
            Stop::Deleted => Served::Abort(AbortReason::Deleted),
            Stop::Dependencies => Served::Abort(AbortReason::Dependencies),
        }
    }
}

impl Machine {
    pub(crate) fn serve(
        &mut self,
        id: SessionId,
        request: &Request,
        forced: Option<&[u32]>,
    ) -> Result<Answer, StoreError> {
        self.validate(id, request)?;
        self.stats.requests += 1;
        self.chooser.start(forced);
        let session = id.raw();
        let waited = self.sessions.get_mut(session).waiting.take().is_some();
        let answer = match request {
            Request::Begin { level, policy } => {
                let open = self.begin(session, *level, *policy, false);
                self.sessions.put(session, open);
                Answer::Done
            }
            Request::Fence => {
                if let Machinery::Spec(spec) = &mut self.kind {
                    spec.fence();
                }
                Answer::Done
            }
            Request::SetPolicy(policy) => {
                self.sessions.get_mut(session).policy = *policy;
                Answer::Done
            }
            Request::SetLevel(level) => {
                self.sessions.get_mut(session).level = *level;
                Answer::Done
            }
            Request::Statement(text) => {
                self.statement(session, text);
                Answer::Done
            }
            Request::Advance { key, by } => match self.advanced(key, *by) {
                Ok(after) => Answer::Value(Value::Int(self.set_counter(key, after))),
                Err(error) => return Err(error),
            },
            Request::SetCounter { key, value } => {
                self.set_counter(key, *value);
                Answer::Done
            }
            Request::LetGo { object, mode } => {
                Answer::Value(Value::Bool(self.locks_mut().let_go(session, object, *mode)))
            }
            Request::LetGoAll => {
                self.locks_mut().let_go_all(session);
                Answer::Done
            }
            Request::Cancel => {
                match self.sessions.take(session) {
                    Some(open) if self.survives(&open, None) => self.back(session, open),
                    Some(open) => {
                        self.stats.aborted += 1;
                        self.end(session, open, Status::Aborted);
                    }
                    None => {}
                }
                Answer::Done
            }
            Request::Clock => {
                let clock = self.clock;
                Answer::Value(Value::Int(self.chooser.number(|_| clock)))
            }
            Request::Random => Answer::Value(Value::Int(self.chooser.number(Rng::next_u64))),
            _ => self.serve_open(session, request, waited),
        };
        if self.config.log {
            let made = self.chooser.made();
            self.log.push(|| {
                let choices = made.iter().map(|&(choice, _)| choice).collect();
                Entry::Request { session: id, request: request.clone(), choices }
            });
        }
        self.chooser.finish().map(|()| answer)
    }

    /// A statement begins, in the open transaction or in the next one.
    fn statement(&mut self, session: u32, text: &str) {
        let profile = self.config.profile;
        let found = self.sessions.get_mut(session);
        let Some(open) = &mut found.open else {
            found.statement = Some(text.into());
            return;
        };
        open.begin_statement(text.into());
        let rules = rules(profile, open.level);
        if let (Machinery::Engine(engine), Some(rules)) = (&mut self.kind, rules) {
            engine.statement(session, &mut open.view, rules, true);
        }
    }

    /// Sets a counter; gives what it was.
    fn set_counter(&mut self, key: &Key, value: i64) -> i64 {
        self.counters.insert(key.clone(), value).unwrap_or(0)
    }

    /// Serves a request of the open transaction, or of one that is only this request.
    fn serve_open(&mut self, session: u32, request: &Request, waited: bool) -> Answer {
        let mut open = match self.sessions.take(session) {
            Some(open) => open,
            None => self.begin(session, None, None, true),
        };
        open.step += 1;
        self.note_overlap(&mut open, request);
        let served = match request {
            Request::Abort => {
                self.stats.aborted += 1;
                self.end(session, open, Status::Aborted);
                return Answer::Done;
            }
            Request::GiveUp { deadlock: true } => Served::Abort(AbortReason::Deadlock),
            Request::GiveUp { deadlock: false } => Served::Abort(AbortReason::LockTimeout),
            Request::Prepare { to } => return self.prepare(session, open, to),
            Request::Commit => return self.commit(session, open),
            Request::Savepoint(name) => {
                let locks = self.locks_mut().mark(session);
                let (name, step) = (name.as_str().into(), open.step);
                open.savepoints.push(Savepoint { name, step, locks });
                Served::Answer(Answer::Done)
            }
            Request::RollbackTo(name) => {
                let at = open.savepoint(name);
                self.rollback_to(session, &mut open, at);
                Served::Answer(Answer::Done)
            }
            Request::Release(name) => {
                let at = open.savepoint(name);
                open.savepoints.truncate(at);
                Served::Answer(Answer::Done)
            }
            Request::ReadOnly { deferrable } => {
                match self.read_only(session, &mut open, *deferrable) {
                    Ok(()) => Served::Answer(Answer::Done),
                    Err(stop) => stop.into(),
                }
            }
            Request::Hold { object, mode, scope, wait } => {
                let (object, mode, scope) = (object.clone(), *mode, *scope);
                match self.hold(session, Wanted::Object { object, mode, scope }, *wait) {
                    Ok(()) => {
                        if waited {
                            self.renew(&mut open);
                        }
                        Served::Answer(Answer::Done)
                    }
                    Err(stop) => stop.into(),
                }
            }
            _ if open.doomed && self.chooser.happens(0.25) => Served::Abort(AbortReason::Spurious),
            Request::Get { key, policy, lock, wait, latest } => {
                let policy = policy.unwrap_or(open.policy);
                let (lock, wait, latest) = (*lock, *wait, *latest);
                let manner = Manner { lock, wait, latest, insert: false };
                self.get(session, &mut open, key, policy, manner)
            }
            Request::Reserve { key } => {
                let policy = open.policy;
                self.get(session, &mut open, key, policy, Manner::INSERT)
            }
            Request::Insert { key, value } => self.insert(session, &mut open, key, value),
            Request::Put { key, value } => match self.put(session, &mut open, key, value) {
                Ok(()) => Served::Answer(Answer::Done),
                Err(stop) => stop.into(),
            },
            Request::Scan { range, limit, backwards, policy, latest } => {
                let policy = policy.unwrap_or(open.policy);
                let manner = Manner { latest: *latest, ..Manner::default() };
                let (limit, backwards) = (limit.unwrap_or(u32::MAX) as usize, *backwards);
                let scan = Scan { range, limit, backwards, policy, manner };
                match self.scan(session, &mut open, &scan) {
                    Ok(rows) => Served::Answer(Answer::Rows(rows)),
                    Err(stop) => stop.into(),
                }
            }
            _ => unreachable!("the others need no transaction"),
        };
        match served {
            Served::Answer(answer) if open.implicit => match self.commit(session, open) {
                Answer::Done => answer,
                refused => refused,
            },
            Served::Answer(answer) => {
                self.sessions.put(session, open);
                answer
            }
            Served::Blocked(holder) => {
                self.sessions.put(session, open);
                self.sessions.get_mut(session).waiting = Some(request.clone());
                Answer::Blocked { holder: SessionId::new(holder as usize) }
            }
            Served::Abort(reason) if self.survives(&open, Some(reason)) => {
                self.stats.refused += 1;
                self.back(session, open);
                Answer::Refused(reason)
            }
            Served::Abort(reason) => self.refuse(session, open, reason),
        }
    }

    /// Counts a transaction that reads or writes while another one is open that has, once. The
    /// transaction at hand is taken out of its session.
    fn note_overlap(&mut self, open: &mut Open, request: &Request) {
        let counts = match request {
            Request::Get { .. }
            | Request::Reserve { .. }
            | Request::Insert { .. }
            | Request::Put { .. }
            | Request::Scan { .. } => !open.overlapped,
            _ => false,
        };
        if counts && self.sessions.opens().any(|other| !other.events.is_empty()) {
            open.overlapped = true;
            self.stats.overlapped += 1;
        }
    }

    /// A statement waited for a lock on an object before it read anything: it sees all that is there now, as
    /// PostgreSQL locks tables before it takes the snapshot of a statement.
    fn renew(&self, open: &mut Open) {
        let statement = open.statement;
        let begun = open.events.iter().any(|event| event.statement() == statement);
        let rules = rules(self.config.profile, open.level);
        if let (Machinery::Engine(engine), Some(rules), false) = (&self.kind, rules, begun) {
            engine.renew(&mut open.view, rules);
        }
    }

    /// A transaction only reads from now on.
    fn read_only(&mut self, session: u32, open: &mut Open, deferrable: bool) -> Result<(), Stop> {
        let rules = rules(self.config.profile, open.level);
        open.read_only = open.written.is_empty();
        match (&mut self.kind, rules) {
            (Machinery::Engine(engine), Some(rules)) => {
                engine.read_only(session, &mut open.view, rules, deferrable, &self.keys)
            }
            _ => Ok(()),
        }
    }

    /// Locks an object.
    fn hold(&mut self, session: u32, wanted: Wanted, wait: Wait) -> Result<(), Stop> {
        let locks = match &mut self.kind {
            Machinery::Spec(_) => &mut self.holds,
            Machinery::Engine(engine) => &mut engine.locks,
        };
        if wait == Wait::Not
            && let Some(other) = locks.wanted_by_another(session, &wanted, &self.keys)
        {
            return Err(Stop::Locked(other));
        }
        match locks.take(session, &wanted, &self.keys) {
            Ok(()) => Ok(()),
            Err(holders) => Err(stop(locks, session, wanted, wait, holders[0], &self.keys)),
        }
    }

    /// Whether a transaction goes on from its last savepoint when a request of it is refused for this
    /// reason, or canceled. In PostgreSQL all errors leave it there; in MySQL a deadlock ends it.
    fn survives(&self, open: &Open, reason: Option<AbortReason>) -> bool {
        let profile = match self.config.profile {
            Profile::Spec => false,
            Profile::Postgres => reason != Some(AbortReason::Spurious),
            Profile::Mysql => matches!(reason, None | Some(AbortReason::LockTimeout)),
        };
        profile && !open.savepoints.is_empty()
    }

    /// Takes a transaction back to its last savepoint; what it waited for it does not want any more.
    fn back(&mut self, session: u32, mut open: Open) {
        self.locks_mut().stop_waiting(session);
        let last = open.savepoints.len() - 1;
        self.rollback_to(session, &mut open, last);
        self.sessions.put(session, open);
    }

    /// Undoes what was done since a savepoint, which stays.
    fn rollback_to(&mut self, session: u32, open: &mut Open, at: usize) {
        open.undo(open.savepoints[at].step);
        let rules = rules(self.config.profile, open.level);
        let mark = open.savepoints[at].locks;
        match (&mut self.kind, rules) {
            (Machinery::Engine(engine), Some(rules)) => engine.rollback(session, rules, mark),
            _ => self.holds.release_to(session, mark),
        }
        open.savepoints.truncate(at + 1);
    }

    fn begin(
        &mut self,
        session: u32,
        level: Option<Level>,
        policy: Option<Policy>,
        implicit: bool,
    ) -> Open {
        let found = self.sessions.get_mut(session);
        let level = level.or(found.level).unwrap_or(self.config.level);
        let policy = policy.or(found.policy).unwrap_or_else(|| self.config.policy());
        let statement = found.statement.take();
        let doomed = self.chooser.happens(self.config.abort_rate);
        let view = match &mut self.kind {
            Machinery::Spec(spec) => spec.begin(level, session, &mut self.sessions, &mut self.keys),
            Machinery::Engine(engine) => engine.begin(),
        };
        self.begun += 1;
        let begin = self.stats.requests as i64 * 2;
        let mut open = Open::new(self.begun, level, policy, begin, view);
        (open.implicit, open.doomed) = (implicit, doomed);
        if self.config.history {
            open.keep_at_most(self.past.most());
        }
        let profile = self.config.profile;
        let weaker = |level: Level| !rules(profile, level).is_some_and(|rules| rules.ssi);
        open.beside_weaker = self.sessions.opens().any(|other| weaker(other.level));
        if weaker(level) {
            self.sessions.opens_mut(|other| other.beside_weaker = true);
        }
        if let Some(text) = statement {
            open.begin_statement(text);
            if let (Machinery::Engine(engine), Some(rules)) =
                (&mut self.kind, rules(self.config.profile, level))
            {
                engine.statement(session, &mut open.view, rules, false);
            }
        }
        open
    }

    /// The number of a key that a transaction uses. A key that is new was read, as absent, by every open
    /// scan of a range it is in.
    fn key(&mut self, open: &mut Open, name: &Key) -> u32 {
        let (key, new) = self.keys.intern(name);
        if new {
            let keys = &mut self.keys;
            let mut phantom = |open: &mut Open| {
                let scan = open.scans.iter().find(|scan| scan.range.contains(name));
                if let Some(&Scanned { step, statement, .. }) = scan {
                    if keys.retain(key) {
                        open.keys.push(key);
                    }
                    open.view.note(key, BASE);
                    if let Some(event) = open.read((key, name), &Value::Null, Some(INIT), false) {
                        event.put_into(step, statement);
                    }
                }
            };
            self.sessions.opens_mut(&mut phantom);
            phantom(open);
            let begins = self.sessions.opens().map(|open| open.begin);
            let oldest = begins.chain([open.begin]).min().unwrap_or(open.begin);
            self.scanned.came_up(name, oldest, &mut self.past);
        }
        if (new || !open.uses(key)) && self.keys.retain(key) {
            open.keys.push(key);
        }
        key
    }

    fn get(
        &mut self,
        session: u32,
        open: &mut Open,
        name: &Key,
        policy: Policy,
        manner: Manner,
    ) -> Served {
        let key = self.key(open, name);
        match self.read(session, open, key, policy, manner) {
            Ok(value) => Served::Answer(Answer::Value(value)),
            Err(stop) => stop.into(),
        }
    }

    fn insert(&mut self, session: u32, open: &mut Open, name: &Key, value: &Value) -> Served {
        let key = self.key(open, name);
        let policy = open.policy;
        let found = match self.read(session, open, key, policy, Manner::INSERT) {
            Ok(found) => found,
            Err(stop) => return stop.into(),
        };
        if found == Value::Null
            && let Err(stop) = self.write(session, open, key, value)
        {
            return stop.into();
        }
        Served::Answer(Answer::Value(found))
    }

    pub(crate) fn read(
        &mut self,
        session: u32,
        open: &mut Open,
        key: u32,
        policy: Policy,
        manner: Manner,
    ) -> Result<Value, Stop> {
        if let Some(value) = open.own(key) {
            let value = value.clone();
            if let Machinery::Engine(engine) = &mut self.kind {
                engine.lock_own(session, key, manner, &self.keys)?;
            }
            open.read((key, &self.keys.get(key).name), &value, None, false);
            return Ok(value);
        }
        let (sessions, keys, view) = (&mut self.sessions, &mut self.keys, &mut open.view);
        let (read, lock) = match &mut self.kind {
            Machinery::Spec(spec) => {
                let chooser = &mut self.chooser;
                (spec.read(view, open.level, key, policy, chooser, sessions, keys), false)
            }
            Machinery::Engine(engine) => {
                let rules = rules(self.config.profile, open.level).expect("checked at begin");
                let read = engine.read(session, view, rules, key, manner, keys)?;
                (read, manner.is_locking())
            }
        };
        self.stats.reads += 1;
        self.stats.open_reads += u64::from(read.open);
        self.stats.stale_reads += u64::from(!read.newest);
        let answer = if read.gone { Value::Null } else { read.value.clone() };
        let found = lock && manner.lock.is_some() && !manner.latest && open.statement.is_some();
        let name = &self.keys.get(key).name;
        if let Some(event) = open.read((key, name), &read.value, Some(read.txn), lock) {
            event.locks_found = found;
        }
        Ok(answer)
    }

    fn put(
        &mut self,
        session: u32,
        open: &mut Open,
        name: &Key,
        value: &Value,
    ) -> Result<(), Stop> {
        let key = self.key(open, name);
        self.write(session, open, key, value)
    }

    fn write(
        &mut self,
        session: u32,
        open: &mut Open,
        key: u32,
        value: &Value,
    ) -> Result<(), Stop> {
        if let Machinery::Engine(engine) = &mut self.kind {
            let rules = rules(self.config.profile, open.level).expect("checked at begin");
            let own = open.own(key).cloned();
            engine.write(session, &mut open.view, rules, key, own.as_ref(), &self.keys)?;
        }
        open.write((key, &self.keys.get(key).name), value.clone());
        Ok(())
    }

    /// Why a transaction that is about to commit has to be refused, if it has.
    fn refusal(&mut self, open: &Open, written: &[Left]) -> Option<AbortReason> {
        if open.prepared {
            return None;
        }
        if open.doomed {
            return Some(AbortReason::Spurious);
        }
        match &mut self.kind {
            Machinery::Spec(spec) => {
                let keys: Vec<u32> = written.iter().map(|left| left.key).collect();
                let refused =
                    !keys.is_empty() && spec.refuses(&open.view, open.level, &keys, &self.keys);
                refused.then_some(AbortReason::Serialization)
            }
            Machinery::Engine(engine) => {
                engine.refuses(&open.view).then_some(AbortReason::Dependencies)
            }
        }
    }

    /// Hands a transaction that may commit to the session that is to say so.
    fn prepare(&mut self, session: u32, mut open: Open, to: &str) -> Answer {
        if let Some(reason) = self.refusal(&open, &[]) {
            return self.refuse(session, open, reason);
        }
        let heir = self.sessions.named(to).expect("checked before");
        if let Machinery::Engine(engine) = &mut self.kind {
            engine.hand_over(session, heir);
        }
        open.savepoints.clear();
        open.prepared = true;
        self.sessions.put(heir, open);
        Answer::Done
    }

    fn commit(&mut self, session: u32, mut open: Open) -> Answer {
        let written = open.left();
        if let Some(reason) = self.refusal(&open, &written) {
            return self.refuse(session, open, reason);
        }
        let (sessions, keys) = (&mut self.sessions, &mut self.keys);
        match &mut self.kind {
            _ if written.is_empty() => {}
            Machinery::Spec(spec) => {
                spec.commit(&mut open, session, &written, sessions, keys);
            }
            Machinery::Engine(engine) => {
                engine.commit(session, &open, &written, sessions, keys);
            }
        }
        drop(written);
        self.stats.committed += 1;
        self.end(session, open, Status::Committed);
        Answer::Done
    }

    /// Aborts a transaction against its session's will.
    fn refuse(&mut self, session: u32, open: Open, reason: AbortReason) -> Answer {
        self.stats.refused += 1;
        self.end(session, open, Status::Aborted);
        if let (Machinery::Spec(spec), AbortReason::Serialization) = (&self.kind, reason) {
            spec.see_all(&mut self.sessions.get_mut(session).seen);
        }
        Answer::Aborted(reason)
    }

    /// A transaction ended: it goes into the history, and its session remembers what it saw.
    pub(crate) fn end(&mut self, session: u32, mut open: Open, status: Status) {
        if self.config.history && !open.has_room() {
            self.past.forget_all();
        } else if self.config.history {
            let (name, level) = (self.sessions.name(session), self.recorded_level(&open));
            let end = Some(self.stats.requests as i64 * 2 + 1);
            self.past.push(Ended::new(&open, name, status, level, end, &self.keys));
            // In `spec` a commit need not come after those that ended before it.
            if matches!(self.kind, Machinery::Engine(_)) {
                self.scanned.add(std::mem::take(&mut open.scans), self.past.len() - 1);
            }
        }
        let committed = status == Status::Committed;
        match &mut self.kind {
            Machinery::Spec(spec) => {
                for key in std::mem::take(&mut open.keys) {
                    self.keys.release(key);
                }
                let wrote = committed && open.wrote();
                spec.end(open.view, open.level, wrote, &mut self.sessions.get_mut(session).seen);
                self.holds.release(session);
            }
            Machinery::Engine(engine) => {
                engine.end(session, &mut open, committed, &mut self.keys);
            }
        }
    }
}
