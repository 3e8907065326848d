//! How requests are served: what happens in and around an open transaction, whatever the profile.

use hobgoblin_core::{Key, Level, Rng, SessionId, Status, Value};

use crate::config::Policy;
use crate::error::{AbortReason, StoreError};
use crate::ids::{KeyNo, TxnNo};
use crate::lock::{Lock, Wait};
use crate::locks::Wanted;
use crate::log::Entry;
use crate::machine::Machine;
use crate::open::{Left, Open, Savepoint, Scanned};
use crate::record::Ended;
use crate::request::{Answer, Request, SessionRequest, TransactionRequest};
use crate::stop::{Served, Stop};
use crate::truth::{Manner, Scan};

impl Machine {
    pub(crate) fn serve(
        &mut self,
        session: SessionId,
        request: &Request,
        forced: Option<&[u32]>,
    ) -> Result<Answer, StoreError> {
        self.validate(session, request)?;
        self.stats.requests += 1;
        self.chooser.start(forced);
        let waited = self.sessions.get_mut(session).waiting.take().is_some();
        let answer = match request {
            Request::Transaction(_) if let Some(reason) = self.sessions.take_undone(session) => {
                Answer::Aborted(reason)
            }
            Request::Session(request) => self.serve_session(session, request)?,
            Request::Transaction(asked) => self.serve_open(session, request, asked, waited),
        };
        if self.config.log {
            let made = self.chooser.made();
            self.log.push(|| {
                let choices = made.iter().map(|&(choice, _)| choice).collect();
                Entry::Request { session, request: request.clone(), choices }
            });
        }
        self.chooser.finish().map(|()| answer)
    }

    /// Serves a request that concerns the session.
    fn serve_session(
        &mut self,
        session: SessionId,
        request: &SessionRequest,
    ) -> Result<Answer, StoreError> {
        Ok(match request {
            SessionRequest::Begin { level, policy } => {
                let open = self.begin(session, *level, *policy, false);
                self.sessions.put(session, open);
                Answer::Done
            }
            SessionRequest::Fence => {
                self.truth.fence();
                Answer::Done
            }
            SessionRequest::SetPolicy(policy) => {
                self.sessions.get_mut(session).policy = *policy;
                Answer::Done
            }
            SessionRequest::SetSnapshotIsolation(on) => {
                self.sessions.get_mut(session).snapshot_isolation = *on;
                Answer::Done
            }
            SessionRequest::SetLevel(level) => {
                self.sessions.get_mut(session).level = *level;
                Answer::Done
            }
            SessionRequest::Statement(text) => {
                self.statement(session, text);
                Answer::Done
            }
            SessionRequest::Advance { key, by } => {
                let after = self.advanced(key, *by)?;
                Answer::Value(Value::Int(self.set_counter(key, after)))
            }
            SessionRequest::SetCounter { key, value } => {
                self.set_counter(key, *value);
                Answer::Done
            }
            SessionRequest::LetGo { object, mode } => {
                Answer::Value(Value::Bool(self.truth.locks_mut().let_go(session, object, *mode)))
            }
            SessionRequest::LetGoAll => {
                self.truth.locks_mut().let_go_all(session);
                Answer::Done
            }
            SessionRequest::Cancel => {
                self.sessions.take_undone(session);
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
            SessionRequest::Clock => {
                let clock = self.clock;
                Answer::Value(Value::Int(self.chooser.number(|_| clock)))
            }
            SessionRequest::Random => Answer::Value(Value::Int(self.chooser.number(Rng::next_u64))),
        })
    }

    /// Begins a statement, in the open transaction or in the next one.
    fn statement(&mut self, session: SessionId, text: &str) {
        let found = self.sessions.get_mut(session);
        let Some(open) = &mut found.open else {
            found.statement = Some(text.into());
            return;
        };
        open.begin_statement(text.into());
        self.truth.statement(session, true);
    }

    /// The time of the request at hand, as the history counts it. A request takes two steps, so
    /// that a transaction ends after its last request and before the next request of anyone.
    fn now(&self) -> i64 {
        self.stats.requests as i64 * 2
    }

    /// Sets a counter, and returns what it was.
    fn set_counter(&mut self, key: &Key, value: i64) -> i64 {
        self.counters.insert(key.clone(), value).unwrap_or(0)
    }

    /// Serves a request of the open transaction, or of one that is only this request.
    fn serve_open(
        &mut self,
        session: SessionId,
        request: &Request,
        asked: &TransactionRequest,
        waited: bool,
    ) -> Answer {
        let mut open = match self.sessions.take(session) {
            Some(open) => open,
            None => {
                let level = asked.is_plain_read().then(|| self.level_of_lone_reads(session));
                self.begin(session, level, None, true)
            }
        };
        open.at = self.now();
        self.note_overlap(&mut open, asked);
        let served = match asked {
            TransactionRequest::Abort => {
                self.stats.aborted += 1;
                self.end(session, open, Status::Aborted);
                return Answer::Done;
            }
            TransactionRequest::GiveUp { deadlock: true } => Served::Abort(AbortReason::Deadlock),
            TransactionRequest::GiveUp { deadlock: false } => {
                Served::Abort(AbortReason::LockTimeout)
            }
            TransactionRequest::Prepare { to } => return self.prepare(session, open, to),
            TransactionRequest::Commit => return self.commit(session, open),
            TransactionRequest::Savepoint(name) => {
                let locks = self.truth.locks_mut().mark(session);
                let (name, at) = (name.as_str().into(), open.at);
                open.savepoints.push(Savepoint { name, at, locks });
                Served::Answer(Answer::Done)
            }
            TransactionRequest::RollbackTo(name) => {
                let at = open.savepoint(name);
                self.rollback_to(session, &mut open, at);
                Served::Answer(Answer::Done)
            }
            TransactionRequest::Release(name) => {
                let at = open.savepoint(name);
                open.savepoints.truncate(at);
                Served::Answer(Answer::Done)
            }
            TransactionRequest::StandAside => {
                self.truth.locks_mut().stop_waiting(session);
                Served::Answer(Answer::Done)
            }
            TransactionRequest::PassOver => {
                self.truth.pass_over(session);
                Served::Answer(Answer::Done)
            }
            TransactionRequest::ReadOnly { deferrable } => {
                open.read_only = open.written.is_empty();
                self.truth.read_only(session, *deferrable, &self.keys).into()
            }
            TransactionRequest::Hold { object, mode, scope, wait } => {
                let (object, mode, scope) = (object.clone(), *mode, *scope);
                let held = self.hold(session, Wanted::Object { object, mode, scope }, *wait);
                if held.is_ok() && waited {
                    self.renew(session, &open);
                }
                held.into()
            }
            _ if open.doomed && self.chooser.happens(0.25) => Served::Abort(AbortReason::Spurious),
            TransactionRequest::Get { key, policy, lock, wait, latest } => {
                let policy = policy.unwrap_or(open.policy);
                let (lock, wait, latest) = (*lock, *wait, *latest);
                let manner = Manner { policy, lock, wait, latest, insert: false };
                self.get(session, &mut open, key, manner)
            }
            TransactionRequest::Reserve { key, lock } => {
                let manner = Manner::of_insert(open.policy, *lock);
                self.get(session, &mut open, key, manner)
            }
            TransactionRequest::Insert { key, value } => {
                self.insert(session, &mut open, key, value)
            }
            TransactionRequest::Put { key, value } => {
                self.put(session, &mut open, key, value).into()
            }
            TransactionRequest::Scan { range, limit, backwards, policy, lock, wait, latest } => {
                let policy = policy.unwrap_or(open.policy);
                let (lock, wait, latest) = (*lock, *wait, *latest);
                let manner = Manner { policy, lock, wait, latest, insert: false };
                let (limit, backwards) = (limit.unwrap_or(u32::MAX) as usize, *backwards);
                let scan = Scan { range, limit, backwards, manner };
                match self.scan(session, &mut open, &scan) {
                    Ok(rows) => Served::Answer(Answer::Rows(rows)),
                    Err(stop) => stop.into(),
                }
            }
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
                Answer::Blocked { holder }
            }
            Served::Abort(AbortReason::Deadlock)
                if let Some(victim) = self.victim(session, &open, asked) =>
            {
                self.sessions.put(session, open);
                self.undo(victim);
                self.serve_open(session, request, asked, waited)
            }
            Served::Abort(reason) if self.survives(&open, Some(reason)) => {
                self.stats.refused += 1;
                self.back(session, open);
                Answer::Refused(reason)
            }
            Served::Abort(reason) => self.refuse(session, open, reason),
        }
    }

    /// The session whose transaction is undone so that this one can wait, if the profile chooses
    /// another than the one that asks.
    fn victim(
        &self,
        session: SessionId,
        open: &Open,
        asked: &TransactionRequest,
    ) -> Option<SessionId> {
        // Who waits for an object is refused itself: such locks may stay with sessions.
        if matches!(asked, TransactionRequest::GiveUp { .. } | TransactionRequest::Hold { .. }) {
            return None;
        }
        let changed = |other: SessionId| match &self.sessions.get(other).open {
            _ if other == session => open.changed_rows(),
            open => open.as_ref().map_or(0, Open::changed_rows),
        };
        let victim = self.truth.locks().victim(session, changed, &self.keys);
        (victim != session).then_some(victim)
    }

    /// Aborts the transaction of a session that waits. The session hears of it when it asks again.
    fn undo(&mut self, session: SessionId) {
        if let Some(open) = self.sessions.take(session) {
            self.refuse(session, open, AbortReason::Deadlock);
            self.sessions.undo(session, AbortReason::Deadlock);
        }
    }

    /// Counts a transaction that reads or writes while another one is open that has, once. The
    /// transaction at hand is taken out of its session.
    fn note_overlap(&mut self, open: &mut Open, request: &TransactionRequest) {
        let counts = request.is_access() && !open.overlapped;
        if counts && self.sessions.opens().any(|other| !other.events.is_empty()) {
            open.overlapped = true;
            self.stats.overlapped += 1;
        }
    }

    /// Says that the statement waited for an object before it read anything. It sees all that is
    /// there now, as PostgreSQL locks tables before it takes the snapshot of a statement.
    fn renew(&mut self, session: SessionId, open: &Open) {
        let statement = open.statement;
        if !open.events.iter().any(|event| event.statement() == statement) {
            self.truth.renew(session);
        }
    }

    /// Locks an object.
    fn hold(&mut self, session: SessionId, wanted: Wanted, wait: Wait) -> Result<(), Stop> {
        let locks = self.truth.locks_mut();
        if wait == Wait::Not
            && let Some(other) = locks.wanted_by_another(session, &wanted, &self.keys)
        {
            return Err(Stop::Locked(other));
        }
        locks.acquire(session, wanted, wait, &self.keys)
    }

    /// Whether a transaction goes on from its last savepoint when a request of it is refused for this
    /// reason, or canceled.
    fn survives(&self, open: &Open, reason: Option<AbortReason>) -> bool {
        !open.savepoints.is_empty() && self.config.profile.survives(reason)
    }

    /// Takes a transaction back to its last savepoint, and the session out of the queue.
    fn back(&mut self, session: SessionId, mut open: Open) {
        self.truth.locks_mut().stop_waiting(session);
        let last = open.savepoints.len() - 1;
        self.rollback_to(session, &mut open, last);
        self.sessions.put(session, open);
    }

    /// Undoes what was done since a savepoint, which stays.
    fn rollback_to(&mut self, session: SessionId, open: &mut Open, at: usize) {
        open.undo(open.savepoints[at].at);
        self.truth.rollback(session, open.savepoints[at].locks, open, &self.keys);
        open.savepoints.truncate(at + 1);
    }

    /// The level of a read that is a transaction of its own.
    fn level_of_lone_reads(&self, session: SessionId) -> Level {
        let level = self.sessions.get(session).level.unwrap_or(self.config.level);
        self.config.profile.lone_read(level)
    }

    fn begin(
        &mut self,
        session: SessionId,
        level: Option<Level>,
        policy: Option<Policy>,
        implicit: bool,
    ) -> Open {
        let found = self.sessions.get_mut(session);
        let level = level.or(found.level).unwrap_or(self.config.level);
        let policy = policy.or(found.policy).unwrap_or_else(|| self.config.reading_policy());
        let snapshot_isolation = found.snapshot_isolation;
        let statement = found.statement.take();
        let doomed = self.chooser.happens(self.config.abort_rate);
        self.truth.begin(session, level, snapshot_isolation, &mut self.keys);
        self.begun = self.begun.next();
        let mut open = Open::new(self.begun, level, policy, self.now());
        (open.implicit, open.doomed) = (implicit, doomed);
        if self.config.history {
            open.keep_at_most(self.past.most());
        }
        if let Some(text) = statement {
            open.begin_statement(text);
            self.truth.statement(session, false);
        }
        open
    }

    /// The number of a key that a transaction uses. A key that is new was read, as absent, by every open
    /// scan of a range it is in.
    fn key(&mut self, session: SessionId, open: &mut Open, name: &Key) -> KeyNo {
        let (key, new) = self.keys.intern(name);
        if new {
            let (keys, truth) = (&mut self.keys, &mut self.truth);
            let mut phantom = |session: SessionId, open: &mut Open| {
                let scan = open.scans.iter().find(|scan| scan.range.contains(name));
                if let Some(&Scanned { at, statement, .. }) = scan {
                    if keys.retain(key) {
                        open.keys.push(key);
                    }
                    truth.came_up(session, key);
                    if let Some(event) =
                        open.read((key, name), &Value::Null, Some(TxnNo::INIT), false)
                    {
                        event.put_into(at, statement);
                    }
                }
            };
            self.sessions.opens_mut(&mut phantom);
            phantom(session, open);
            let begins = self.sessions.opens().map(|open| open.begin);
            let oldest = begins.chain([open.begin]).min().unwrap_or(open.begin);
            self.scanned.came_up(name, oldest, &mut self.past);
        }
        if new || !self.uses(session, open, key) {
            self.retain(open, key);
        }
        key
    }

    /// Whether a transaction is known to have used a key before.
    pub(crate) fn uses(&self, session: SessionId, open: &Open, key: KeyNo) -> bool {
        open.uses(key) || self.truth.has_read(session, key)
    }

    /// A transaction uses a key, and holds on to it if nobody else does.
    pub(crate) fn retain(&mut self, open: &mut Open, key: KeyNo) {
        if self.keys.retain(key) {
            open.keys.push(key);
        }
    }

    fn get(&mut self, session: SessionId, open: &mut Open, name: &Key, manner: Manner) -> Served {
        let key = self.key(session, open, name);
        match self.read(session, open, key, manner) {
            Ok(value) => Served::Answer(Answer::Value(value)),
            Err(stop) => stop.into(),
        }
    }

    fn insert(&mut self, session: SessionId, open: &mut Open, name: &Key, value: &Value) -> Served {
        let key = self.key(session, open, name);
        let manner = Manner::of_insert(open.policy, Lock::Share);
        let found = match self.read(session, open, key, manner) {
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
        session: SessionId,
        open: &mut Open,
        key: KeyNo,
        manner: Manner,
    ) -> Result<Value, Stop> {
        if let Some(value) = open.own(key) {
            let value = value.clone();
            self.truth.read_own(session, key, manner, &self.keys)?;
            open.read((key, &self.keys.get(key).name), &value, None, false);
            return Ok(value);
        }
        if !manner.is_locking()
            && self.truth.sees_uncommitted(session)
            && let Some(value) = self.read_uncommitted(session, open, key)
        {
            return Ok(value);
        }
        let read = self.truth.read(session, key, manner, &mut self.chooser, &mut self.keys)?;
        self.stats.reads += 1;
        self.stats.open_reads += u64::from(read.open);
        self.stats.stale_reads += u64::from(!read.newest);
        let answer = if read.gone { Value::Null } else { read.value.clone() };
        let found =
            read.locks && manner.lock.is_some() && !manner.latest && open.statement.is_some();
        let name = &self.keys.get(key).name;
        if let Some(event) = open.read((key, name), &read.value, Some(read.txn), read.locks) {
            event.locks_found = found;
        }
        Ok(answer)
    }

    /// A read of what another session has written to a key and not committed, if one has. The history has it, unless the
    /// writer may still take back the write alone, of which nothing would be left.
    fn read_uncommitted(
        &mut self,
        session: SessionId,
        open: &mut Open,
        key: KeyNo,
    ) -> Option<Value> {
        let writer = self.truth.locks().writer(key).filter(|&writer| writer != session)?;
        let writer = self.sessions.get(writer).open.as_ref()?;
        let write = writer.last_write(key)?;
        self.stats.reads += 1;
        if !writer.savepoints.iter().any(|savepoint| savepoint.at < write.at) {
            let key = (key, &self.keys.get(key).name);
            open.read(key, &write.value, Some(writer.number), false);
        }
        Some(write.value.clone())
    }

    fn put(
        &mut self,
        session: SessionId,
        open: &mut Open,
        name: &Key,
        value: &Value,
    ) -> Result<(), Stop> {
        let key = self.key(session, open, name);
        self.write(session, open, key, value)
    }

    fn write(
        &mut self,
        session: SessionId,
        open: &mut Open,
        key: KeyNo,
        value: &Value,
    ) -> Result<(), Stop> {
        self.truth.write(session, key, open.own(key), &self.keys)?;
        let state = self.keys.get(key);
        let stays = || *value != Value::Null && state.newest().value == *value;
        if self.config.profile.facts().spares_rewrites && open.own(key).is_none() && stays() {
            open.rewrite(key);
        } else {
            open.write((key, &state.name), value.clone());
        }
        Ok(())
    }

    /// Why a transaction that is about to commit must be refused, if it must.
    fn refusal(
        &mut self,
        session: SessionId,
        open: &Open,
        written: &[Left],
    ) -> Option<AbortReason> {
        if open.prepared {
            return None;
        }
        if open.doomed {
            return Some(AbortReason::Spurious);
        }
        self.truth.refuses(session, written, &self.keys)
    }

    /// Hands a prepared transaction to the session that will commit or abort it.
    fn prepare(&mut self, session: SessionId, mut open: Open, to: &str) -> Answer {
        if let Some(reason) = self.refusal(session, &open, &[]) {
            return self.refuse(session, open, reason);
        }
        let heir = self.sessions.named(to).expect("checked before");
        self.truth.hand_over(session, heir);
        open.savepoints.clear();
        open.prepared = true;
        self.sessions.put(heir, open);
        Answer::Done
    }

    fn commit(&mut self, session: SessionId, mut open: Open) -> Answer {
        if open.has_rewritten() && self.truth.tells_rewrites(session) {
            open.settle_rewritten(&self.keys);
        }
        let written = open.left();
        if let Some(reason) = self.refusal(session, &open, &written) {
            return self.refuse(session, open, reason);
        }
        if !written.is_empty() {
            self.truth.commit(session, &open, &written, &mut self.keys);
        }
        drop(written);
        self.stats.committed += 1;
        self.end(session, open, Status::Committed);
        Answer::Done
    }

    /// Aborts a transaction though its session did not ask for it.
    fn refuse(&mut self, session: SessionId, open: Open, reason: AbortReason) -> Answer {
        self.stats.refused += 1;
        self.end(session, open, Status::Aborted);
        self.truth.was_refused(session, reason);
        Answer::Aborted(reason)
    }

    /// Ends a transaction: it goes into the history, and its session remembers what it saw.
    pub(crate) fn end(&mut self, session: SessionId, mut open: Open, status: Status) {
        if self.config.history && !open.has_room() {
            self.past.forget_all();
        } else if self.config.history {
            let (name, level) = (self.sessions.name(session), self.truth.recorded_level(session));
            let end = Some(self.now() + 1);
            self.past.push(Ended::new(&open, name, status, level, end, &self.keys));
            // Where reads choose, a commit need not come after those that ended before it.
            if !self.config.profile.chooses() {
                self.scanned.add(std::mem::take(&mut open.scans), self.past.len() - 1);
            }
        }
        let committed = status == Status::Committed;
        self.truth.end(session, &mut open, committed, &mut self.keys);
    }
}
