//! The store as a state machine: one request in, one answer out, nothing else happens.

use hashbrown::HashMap;
use hobgoblin_core::{History, Key, Level, Schema, SessionId, Status, Value, sort, sort_by};
use hobgoblin_format::{Header, TxnRecord};

use crate::choose::Chooser;
use crate::config::{Config, Policy};
use crate::error::{MAX_KEY, MAX_VALUE, StoreError};
use crate::ids::{KeyNo, TxnNo};
use crate::keys::Keys;
use crate::lock::Lock;
use crate::locks::{Circle, KeyWait, ObjectLock};
use crate::log::{Entry, Log};
use crate::open::Open;
use crate::past::{Past, Requests};
use crate::profiles;
use crate::range::KeyRange;
use crate::recent::RecentScans;
use crate::record::{self, Ended};
use crate::request::{Answer, Request, SessionRequest, TransactionRequest};
use crate::sessions::Sessions;
use crate::truth::Truth;

/// How many tables and indexes are remembered where [`Config::keep`] says that not all is.
const MOST_DESCRIBED: usize = 10_000;

/// Counters of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// How many requests have been served.
    pub requests: u64,
    /// How many transactions have committed.
    pub committed: u64,
    /// How many transactions their own sessions have aborted.
    pub aborted: u64,
    /// How many transactions the store has aborted.
    pub refused: u64,
    /// How many reads returned what another transaction had written.
    pub reads: u64,
    /// How many of these had more than one version to choose from.
    pub open_reads: u64,
    /// How many of these did not return the newest committed version.
    pub stale_reads: u64,
    /// How many transactions read or wrote while another one was open that had done so.
    pub overlapped: u64,
    /// How many transactions are open now.
    pub open: u32,
    /// How many sessions are connected now.
    pub sessions: u32,
    /// How many keys are known now, those that were only asked for among them.
    pub keys: u32,
    /// How many versions are kept now, of all keys together.
    pub versions: u32,
}

/// An open transaction, as those see it who watch the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenTransaction {
    /// The session that has it.
    pub session: SessionId,
    /// The name of the transaction in the history.
    pub name: String,
    /// The level that it runs at.
    pub level: Level,
    /// How many reads and writes of it are recorded.
    pub events: usize,
    /// Whether its session waits for a lock.
    pub waiting: bool,
    /// The statement that it is executing, or executed last; `None` if it was told of none.
    pub statement: Option<String>,
}

/// A store.
///
/// ```
/// use hobgoblin_core::{Level, Value};
/// use hobgoblin_store::{Answer, Config, Machine, Request};
///
/// let mut store = Machine::new(Config::at(Level::RC).seed(4))?;
/// let (alice, bob) = (store.connect(Some("alice"))?, store.connect(Some("bob"))?);
/// let put = |value: i64| Request::put("x".into(), value.into());
/// store.apply(alice, &put(1))?;
/// store.apply(alice, &put(2))?;
/// // At read committed bob may see any of the three versions, whatever alice was told.
/// let get = Request::get("x");
/// let Answer::Value(seen) = store.apply(bob, &get)? else { panic!() };
/// assert!([Value::Null, 1.into(), 2.into()].contains(&seen));
/// assert_eq!(store.history().num_txns(), 4);
/// # Ok::<(), hobgoblin_store::StoreError>(())
/// ```
#[derive(Debug)]
pub struct Machine {
    pub(crate) config: Config,
    pub(crate) chooser: Chooser,
    pub(crate) sessions: Sessions,
    pub(crate) keys: Keys,
    /// The part that differs between profiles: what reads return, and what writes and commits wait
    /// for.
    pub(crate) truth: Box<dyn Truth>,
    pub(crate) counters: HashMap<Key, i64>,
    /// The time it was told last, in microseconds since 1970.
    pub(crate) clock: u64,
    /// The number of the transaction that began last.
    pub(crate) begun: TxnNo,
    pub(crate) past: Past,
    /// The ranges that some transactions read which have ended, for keys that come up in them
    /// later.
    pub(crate) scanned: RecentScans,
    pub(crate) log: Requests,
    /// What is known of tables and indexes and has not been taken for a file yet.
    schema: Schema,
    pub(crate) stats: Stats,
}

impl Machine {
    /// A store that holds the initial values of the configuration.
    pub fn new(mut config: Config) -> Result<Machine, StoreError> {
        // Who looks at the configuration, or writes it to a log, finds the policy that is followed.
        config.policy = Some(config.reading_policy());
        check_policy(config.policy)?;
        config.profile.check_level(config.level)?;
        if !(0.0..=1.0).contains(&config.abort_rate) {
            let text = format!("the abort rate is {}; give one from 0 to 1", config.abort_rate);
            return Err(StoreError::Config(text));
        }
        let mut keys = Keys::default();
        for (name, value) in &config.initial {
            check_key(name)?;
            check_value(value)?;
            let (key, new) = keys.intern(name);
            if !new {
                let text = format!("the initial value of {name} is given twice; give it once");
                return Err(StoreError::Config(text));
            }
            keys.get_mut(key).base.value = value.clone();
        }
        // Each has its half.
        let most = config.keep.map_or(usize::MAX, |keep| keep / 2);
        Ok(Machine {
            chooser: Chooser::new(config.seed),
            truth: profiles::truth(&config),
            config,
            sessions: Sessions::default(),
            keys,
            counters: HashMap::new(),
            clock: 0,
            begun: TxnNo::INIT,
            past: Past::new(most),
            scanned: RecentScans::default(),
            log: Requests::new(most),
            schema: Schema::default(),
            stats: Stats::default(),
        })
    }

    /// A store as it was at the end of a log.
    ///
    /// # Errors
    ///
    /// The error of the first request that cannot be served as it was then.
    pub fn after(log: &Log) -> Result<Machine, StoreError> {
        let mut machine = Machine::new(log.config.clone().keep(None))?;
        for entry in &log.entries {
            match entry {
                Entry::Connect { name } => _ = machine.connect(name.as_deref())?,
                Entry::Disconnect { session } => machine.disconnect(*session)?,
                Entry::Request { session, request, choices } => {
                    machine.replay(*session, request, choices)?;
                }
                Entry::Tick { now } => machine.tick(*now),
            }
        }
        Ok(machine)
    }

    /// The configuration it was made with.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Connects a session. One under the name of a session that was closed continues that session.
    pub fn connect(&mut self, name: Option<&str>) -> Result<SessionId, StoreError> {
        if let Some(name) = name {
            check_key(&Key::from(name))?;
            if self.sessions.is_connected(name) {
                return Err(StoreError::NameTaken { name: name.to_owned() });
            }
        }
        if self.config.log {
            self.log.push(|| Entry::Connect { name: name.map(Into::into) });
        }
        Ok(self.sessions.connect(name))
    }

    /// Closes a session. Its open transaction is aborted.
    pub fn disconnect(&mut self, session: SessionId) -> Result<(), StoreError> {
        self.find(session)?;
        if let Some(open) = self.sessions.take(session) {
            self.stats.aborted += 1;
            self.end(session, open, Status::Aborted);
        }
        self.truth.locks_mut().let_go_all(session);
        let for_good = self.sessions.disconnect(session);
        self.truth.disconnect(session, for_good);
        if self.config.log {
            self.log.push(|| Entry::Disconnect { session });
        }
        Ok(())
    }

    /// Whether a session has an open transaction.
    pub fn is_open(&self, session: SessionId) -> bool {
        self.sessions.find(session).is_some_and(|session| session.open.is_some())
    }

    /// The name of a session in the history: the one it connected with, or else its number from 1.
    pub fn session_name(&self, session: SessionId) -> Result<Key, StoreError> {
        self.find(session)?;
        Ok(self.sessions.name(session))
    }

    /// Serves one request.
    pub fn apply(&mut self, session: SessionId, request: &Request) -> Result<Answer, StoreError> {
        self.serve(session, request, None)
    }

    /// Serves one request with the choices of a log instead of new ones. When they do not fit it is
    /// served with the newest versions and the error says so.
    pub fn replay(
        &mut self,
        session: SessionId,
        request: &Request,
        choices: &[u32],
    ) -> Result<Answer, StoreError> {
        self.serve(session, request, Some(choices))
    }

    /// The choices made for the last request, each with the number of versions there were. A choice
    /// of one is not among them.
    pub fn last_choices(&self) -> &[(u32, u32)] {
        self.chooser.made()
    }

    /// Whether a request can be served in the present state; the error says why not.
    pub fn validate(&self, session: SessionId, request: &Request) -> Result<(), StoreError> {
        let found = self.find(session)?;
        let other = found.waiting.as_ref().is_some_and(|waiting| waiting != request);
        let ends_wait = matches!(
            request,
            Request::Transaction(TransactionRequest::GiveUp { .. })
                | Request::Session(SessionRequest::Cancel)
        );
        if other && !ends_wait {
            return Err(StoreError::Waiting);
        }
        let open = found.open.as_ref().filter(|open| !open.implicit);
        let ends = matches!(
            request,
            Request::Transaction(TransactionRequest::Commit | TransactionRequest::Abort)
        );
        if open.is_some_and(|open| open.prepared) && !ends {
            return Err(StoreError::Prepared);
        }
        match request {
            Request::Session(request) => self.validate_session(open, request),
            Request::Transaction(TransactionRequest::GiveUp { .. }) => match found.waiting {
                Some(_) => Ok(()),
                None => Err(StoreError::NotWaiting),
            },
            Request::Transaction(request) => self.validate_transaction(session, open, request),
        }
    }

    fn validate_session(
        &self,
        open: Option<&Open>,
        request: &SessionRequest,
    ) -> Result<(), StoreError> {
        match request {
            SessionRequest::Begin { .. } if open.is_some() => Err(StoreError::TransactionOpen),
            SessionRequest::Begin { level, policy } => {
                level.map_or(Ok(()), |level| self.config.profile.check_level(level))?;
                check_policy(*policy)
            }
            SessionRequest::SetLevel(level) => {
                level.map_or(Ok(()), |level| self.config.profile.check_level(level))
            }
            SessionRequest::SetPolicy(policy) => check_policy(*policy),
            SessionRequest::SetSnapshotIsolation(_) => Ok(()),
            SessionRequest::SetCounter { key, .. } | SessionRequest::LetGo { object: key, .. } => {
                check_key(key)
            }
            SessionRequest::Advance { key, by } => {
                check_key(key)?;
                self.advanced(key, *by).map(|_| ())
            }
            SessionRequest::Statement(_)
            | SessionRequest::Clock
            | SessionRequest::Random
            | SessionRequest::LetGoAll
            | SessionRequest::Fence
            | SessionRequest::Cancel => Ok(()),
        }
    }

    fn validate_transaction(
        &self,
        session: SessionId,
        open: Option<&Open>,
        request: &TransactionRequest,
    ) -> Result<(), StoreError> {
        let needs_open = || open.ok_or(StoreError::NoTransaction);
        if request.is_more_than_a_read() && open.is_some_and(|open| open.read_only) {
            return Err(StoreError::ReadOnly);
        }
        match request {
            TransactionRequest::Get { key, policy, .. } => {
                check_key(key)?;
                check_policy(*policy)
            }
            TransactionRequest::Reserve { key, .. }
            | TransactionRequest::Hold { object: key, .. } => check_key(key),
            TransactionRequest::Put { key, value } | TransactionRequest::Insert { key, value } => {
                check_key(key).and_then(|()| check_value(value))
            }
            TransactionRequest::Scan { lock, .. } => self.check_range_lock(*lock),
            TransactionRequest::Prepare { to } => {
                needs_open().and_then(|_| self.check_prepare(session, to))
            }
            TransactionRequest::Commit
            | TransactionRequest::Abort
            | TransactionRequest::StandAside
            | TransactionRequest::PassOver
            | TransactionRequest::Savepoint(_)
            | TransactionRequest::ReadOnly { .. } => needs_open().map(|_| ()),
            TransactionRequest::RollbackTo(name) | TransactionRequest::Release(name) => {
                match needs_open()?.savepoints.iter().any(|savepoint| *savepoint.name == **name) {
                    true => Ok(()),
                    false => Err(StoreError::UnknownSavepoint { name: name.clone() }),
                }
            }
            TransactionRequest::GiveUp { .. } => Ok(()),
        }
    }

    /// Whether a scan may ask for this lock on its range.
    fn check_range_lock(&self, lock: Option<Lock>) -> Result<(), StoreError> {
        let profile = self.config.profile;
        match lock.filter(|&lock| !profile.locks_ranges(lock)) {
            Some(lock) => Err(StoreError::NoRangeLocks { profile: profile.name(), lock }),
            None => Ok(()),
        }
    }

    /// Whether the transaction of a session can be prepared and handed to the session of this name.
    fn check_prepare(&self, session: SessionId, to: &str) -> Result<(), StoreError> {
        if !self.config.profile.facts().prepares {
            return Err(StoreError::NotPrepared { profile: self.config.profile.name() });
        }
        let heir = self.sessions.named(to).map(|heir| self.sessions.get(heir));
        if heir.is_none_or(|heir| heir.open.is_some()) {
            return Err(StoreError::NoHeir { name: to.to_owned() });
        }
        match self.truth.locks().held_twice(session) {
            Some(object) => Err(StoreError::HeldTwice { object: object.clone() }),
            None => Ok(()),
        }
    }

    /// The value of a counter after so much is added.
    pub(crate) fn advanced(&self, key: &Key, by: i64) -> Result<i64, StoreError> {
        let before = self.counters.get(key).copied().unwrap_or(0);
        let overflow = || StoreError::CounterOverflow { key: key.clone(), by };
        before.checked_add(by).ok_or_else(overflow)
    }

    /// Tells the time in microseconds since 1970, for [`SessionRequest::Clock`]. A time before 1970
    /// counts as 1970.
    pub fn set_clock(&mut self, micros: i64) {
        self.clock = micros.max(0).unsigned_abs();
    }

    /// Tells how many ticks have passed since the beginning. A number below the last is ignored.
    pub fn tick(&mut self, now: u64) {
        self.truth.tick(now);
        if self.config.log {
            self.log.push(|| Entry::Tick { now });
        }
    }

    /// Tells a session whom to see: in the `spec` profile its reads return the last version, as they arrived, among those
    /// of these sessions and what was there before all live commits, or fail with [`StoreError::Unseeable`] where the
    /// level does not allow that. `None` lets it choose again as its policy says. This is for replays of what a solver
    /// found; it is in no log, but the choices are.
    #[doc(hidden)]
    pub fn sees_only(&mut self, session: SessionId, sees: Option<&[SessionId]>) {
        let writers = |sees: &[SessionId]| sees.iter().map(|&other| other.into()).collect();
        self.chooser.tell(session, sees.map(writers));
    }

    /// The sessions that were blocked and may ask again, in the order in which they were blocked.
    pub fn ready(&self) -> Vec<SessionId> {
        // Who was undone hears of it first.
        self.sessions.undone().chain(self.truth.locks().ready(&self.keys)).collect()
    }

    /// The sessions that a session waits for: they hold what it wants, or come before it in the
    /// queue.
    pub fn blockers(&self, session: SessionId) -> Vec<SessionId> {
        self.truth.locks().blockers(session, &self.keys)
    }

    /// The key that a session waits for; nothing if it does not wait, or for something else.
    pub fn key_wait(&self, session: SessionId) -> Option<KeyWait> {
        self.truth.locks().key_wait(session, &self.keys)
    }

    /// The locks on objects, and the sessions that wait for one.
    pub fn object_locks(&self) -> Vec<ObjectLock> {
        let mut all = self.truth.locks().list();
        sort_by(&mut all, |a, b| (a.session, &a.object).cmp(&(b.session, &b.object)));
        all
    }

    /// The sessions that wait in a circle with this one, unless they need not if those who wait for objects go
    /// in another order, which they do then. One of them has to [`GiveUp`](TransactionRequest::GiveUp). There are such
    /// circles only where the configuration is [patient](Config::patient).
    pub fn circle(&mut self, session: SessionId) -> Vec<SessionId> {
        match self.truth.locks_mut().untangle(session, &self.keys) {
            Ok(()) => Vec::new(),
            Err(Circle(sessions)) => sessions,
        }
    }

    /// All counters with their values, sorted by name.
    pub fn counters(&self) -> Vec<(Key, i64)> {
        let mut counters: Vec<(Key, i64)> =
            self.counters.iter().map(|(key, &value)| (key.clone(), value)).collect();
        sort(&mut counters);
        counters
    }

    /// Sets a counter before anything happens. Unlike [`SessionRequest::SetCounter`] this is not in
    /// the log.
    pub fn preset_counter(&mut self, key: &Key, value: i64) {
        self.counters.insert(key.clone(), value);
    }

    /// Whether a session has an open transaction.
    pub fn in_transaction(&self, session: SessionId) -> Result<bool, StoreError> {
        Ok(self.find(session)?.open.is_some())
    }

    /// The sessions that have a transaction open that goes on by itself, which a prepared one does not; in no order.
    pub fn open_sessions(&self) -> impl Iterator<Item = SessionId> + '_ {
        let goes_on = |session: &&SessionId| {
            let open = self.sessions.get(**session).open.as_ref();
            open.is_some_and(|open| !open.prepared)
        };
        let open = self.sessions.open().iter().filter(goes_on);
        open.copied()
    }

    /// The connected session of this name.
    pub fn session_named(&self, name: &str) -> Option<SessionId> {
        self.sessions.named(name)
    }

    /// The number of a session's open transaction, from 1 in the order of begins.
    pub fn transaction_number(&self, session: SessionId) -> Option<u32> {
        let session = self.sessions.find(session)?;
        session.open.as_ref().map(|open| open.number.raw())
    }

    /// Who wrote what the open transaction of a session has read and written, from its event at `first` on: keys
    /// with the numbers of transactions, its own for what it wrote and 0 for what was there at first.
    pub fn sources(&self, session: SessionId, first: usize) -> Vec<(Key, u32)> {
        let found = self.sessions.find(session);
        let Some(open) = found.and_then(|session| session.open.as_ref()) else { return Vec::new() };
        let events = open.events.get(first..).unwrap_or_default().iter();
        let source = |event: &crate::open::OpenEvent| {
            (self.keys.get(event.key).name.clone(), event.from.unwrap_or(open.number).raw())
        };
        events.map(source).collect()
    }

    /// Who wrote what the open transaction of a session sees in a key, as of [`Machine::sources`]; an engine knows
    /// also of reads that are too many for the history.
    pub fn source(&self, session: SessionId, key: &Key) -> Option<u32> {
        let open = self.sessions.find(session)?.open.as_ref()?;
        let key = self.keys.find(key)?;
        if open.own(key).is_some() {
            return Some(open.number.raw());
        }
        let snapshot = self.truth.snapshot_of(session)?;
        Some(self.keys.get(key).split(snapshot).0.txn.raw())
    }

    /// Whether what the open transaction of a session sees in a key is its own or the newest
    /// version. To ask this is no read.
    pub fn sees_newest(&self, session: SessionId, key: &Key) -> bool {
        let found = self.sessions.find(session);
        let open = found.and_then(|session| session.open.as_ref());
        let (Some(open), Some(key)) = (open, self.keys.find(key)) else { return true };
        let newest = || {
            let snapshot = self.truth.snapshot_of(session);
            snapshot.is_none_or(|snapshot| self.keys.get(key).newest().pos <= snapshot)
        };
        open.own(key).is_some() || newest()
    }

    /// The open transactions, sorted by session.
    pub fn open_transactions(&self) -> Vec<OpenTransaction> {
        let opens = self.sessions.with_open().into_iter().filter_map(|number| {
            let session = self.sessions.get(number);
            let open = session.open.as_ref()?;
            Some(OpenTransaction {
                session: number,
                name: format!("t{}", open.number.raw()),
                level: open.level,
                events: open.events.len(),
                waiting: session.waiting.is_some(),
                statement: open.statements.last().map(|text| text.to_string()),
            })
        });
        opens.collect()
    }

    /// The history so far, as far as it was not taken or [forgotten](Machine::forgotten); open transactions have
    /// unknown status. What was read from a forgotten transaction is left out.
    pub fn history(&self) -> History {
        let open = self.sessions.with_open().into_iter().filter_map(|session| {
            let open = self.sessions.get(session).open.as_ref().filter(|open| open.has_room())?;
            let (name, level) = (self.sessions.name(session), self.truth.recorded_level(session));
            Some(Ended::new(open, name, Status::Unknown, level, None, &self.keys))
        });
        let open: Vec<Ended> = open.collect();
        let all = || self.past.iter().chain(&open);
        if self.past.forgotten() == 0 {
            return record::history(&self.header(), all().map(Ended::record));
        }
        let mut known: Vec<TxnNo> = all().map(Ended::number).collect();
        sort(&mut known);
        record::history(&self.header(), all().map(|ended| ended.record_of_known(&known)))
    }

    /// How many transactions have ended and are no longer in the history, see [`Config::keep`].
    pub fn forgotten(&self) -> u64 {
        self.past.forgotten()
    }

    /// What a history file begins with: the initial values, and what is known of tables.
    pub fn header(&self) -> Header {
        let schema = self.schema.clone();
        Header { initial: self.config.initial.clone(), order: Vec::new(), schema }
    }

    /// Says what tables and indexes are, for who reads the history; what was said of a name before is forgotten. It
    /// is no request, and in no log: whoever runs a log again says it again.
    pub fn describe(&mut self, schema: Schema) {
        if !self.config.history {
            return;
        }
        // A store that runs for long may see new tables all the time, and keeps a part of its history only.
        if self.config.keep.is_some() && self.schema.len() > MOST_DESCRIBED {
            self.schema = Schema::default();
        }
        self.schema.update(schema);
    }

    /// Takes what became known of tables and indexes since the last call, for a file.
    pub fn take_described(&mut self) -> Schema {
        std::mem::take(&mut self.schema)
    }

    /// Takes the transactions that ended since the last call, for a file.
    pub fn take_ended(&mut self) -> Vec<TxnRecord> {
        self.scanned = RecentScans::default();
        self.past.take().map(|ended| ended.record()).collect()
    }

    /// The log since it was last taken; empty once it is [cut](Machine::log_is_cut).
    pub fn log(&self) -> &[Entry] {
        self.log.entries()
    }

    /// Whether the log became too long to be kept, see [`Config::keep`].
    pub fn log_is_cut(&self) -> bool {
        self.log.is_cut()
    }

    /// Takes the log since it was last taken, for a file.
    pub fn take_log(&mut self) -> Vec<Entry> {
        self.log.take()
    }

    /// The counters as they are now.
    pub fn stats(&self) -> Stats {
        Stats {
            open: self.sessions.num_open(),
            sessions: self.sessions.num_connected(),
            keys: self.keys.len() as u32,
            versions: self.keys.num_versions(),
            ..self.stats
        }
    }

    /// The keys and what they hold after all commits, in the order of keys. Absent keys are left
    /// out.
    pub fn snapshot(&self) -> Vec<(Key, Value)> {
        self.newest_of(&mut self.keys.all())
    }

    /// The part of [`Machine::snapshot`] in a range.
    pub fn newest_in(&self, range: &KeyRange) -> Vec<(Key, Value)> {
        self.newest_of(&mut self.keys.range(range).into_iter())
    }

    /// What a key holds after all commits; null if it is absent.
    pub fn newest(&self, key: &Key) -> Value {
        let found = self.newest_of(&mut self.keys.find(key).into_iter()).pop();
        found.map_or(Value::Null, |(_, value)| value)
    }

    fn newest_of(&self, keys: &mut dyn Iterator<Item = KeyNo>) -> Vec<(Key, Value)> {
        let mut place = Vec::new();
        for (at, slot) in self.truth.commit_order().into_iter().enumerate() {
            place.resize(place.len().max(slot as usize + 1), 0);
            place[slot as usize] = at;
        }
        let place = |slot: u32| place.get(slot as usize).copied().unwrap_or(0);
        let mut found = Vec::new();
        for key in keys {
            let state = self.keys.get(key);
            let (mut newest, mut last) = (&state.base, 0);
            // Where versions stand in commit order all places are equal, and the last one is the newest.
            for version in state.versions() {
                if place(version.slot) >= last {
                    (newest, last) = (&version.version, place(version.slot));
                }
            }
            if newest.value != Value::Null {
                found.push((state.name.clone(), newest.value.clone()));
            }
        }
        found
    }

    fn find(&self, session: SessionId) -> Result<&crate::sessions::Session, StoreError> {
        self.sessions.find(session).ok_or(StoreError::UnknownSession { session })
    }
}

/// Whether the chance of a policy is a number from 0 to 1.
fn check_policy(policy: Option<Policy>) -> Result<(), StoreError> {
    match policy {
        Some(Policy::Weighted(share)) if !(0.0..=1.0).contains(&share) => {
            Err(StoreError::NoChance { share: share.to_string() })
        }
        _ => Ok(()),
    }
}

fn check_key(key: &Key) -> Result<(), StoreError> {
    match key {
        Key::Text(text) if text.len() > MAX_KEY => {
            Err(StoreError::KeyTooLong { length: text.len() })
        }
        _ => Ok(()),
    }
}

fn check_value(value: &Value) -> Result<(), StoreError> {
    match value {
        Value::Text(text) | Value::Json(text) if text.len() > MAX_VALUE => {
            Err(StoreError::ValueTooLong { length: text.len() })
        }
        _ => Ok(()),
    }
}
