//! A handle to one store, shared by any number of threads and tasks.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hobgoblin_core::{History, Key, Schema, SessionId, Value};
use hobgoblin_store::{
    Answer, Config, KeyRange, KeyWait, Log, Machine, Request, Stats, StoreError, Token,
};

use crate::error::Error;
use crate::gate::{Differences, Divergence, Gate};
use crate::op::{Caller, Op, Submitted};
use crate::options::Options;
use crate::overlap::Overlap;
use crate::pending::Pending;
use crate::shared::{Shared, USED};
use crate::sink::Sink;
use crate::state::{State, Waiting};

/// A session that waits for a lock.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct LockWait {
    /// The session.
    pub session: SessionId,
    /// Since when.
    pub since: Instant,
    /// The key that it waits for; nothing where it waits for an object.
    pub key: Option<KeyWait>,
    /// The sessions that it waits for: they hold what it wants, or come before it.
    pub blockers: Vec<SessionId>,
}

/// A weak-isolation store. Clones are handles to the same one.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::store::Config;
/// use hobgoblin::{Level, Store};
///
/// let store = Store::new(Config::at(Level::CC).initial("stock", 10))?;
/// store.session().transaction(|t| t.put("stock", 9))?;
/// assert_eq!(store.history()?.txns().len(), 1);
/// # Ok::<(), hobgoblin::Error>(())
/// ```
#[derive(Clone)]
pub struct Store {
    pub(crate) shared: Arc<Shared>,
}

impl Store {
    /// A store whose requests go as they come.
    pub fn new(config: Config) -> Result<Store, Error> {
        Store::with(config, Options::default())
    }

    /// A store whose requests wait as the options say. A replay brings its own setup; of `config` only
    /// the initial values count then, and only if the replay has none.
    pub fn with(config: Config, options: Options) -> Result<Store, Error> {
        // What a sink takes is not kept here, and must not be forgotten before.
        let keep = config.keep.filter(|_| options.sink.is_none());
        let config = match &options.replay {
            Some(replay) => replay.config(&config),
            None => config,
        };
        let config = config.keep(keep);
        Ok(Store { shared: Shared::new(State::new(config, options)?) })
    }

    /// A number that no other store of this process has.
    #[doc(hidden)]
    pub fn number(&self) -> u64 {
        self.shared.number
    }

    /// The number of the store that this thread made its last request of.
    #[doc(hidden)]
    pub fn last_used() -> Option<u64> {
        Some(USED.get()).filter(|&number| number > 0)
    }

    /// Serves a request, waiting as long as it has to. The answer is never
    /// [`Blocked`](Answer::Blocked), and an abort is [`Error::Aborted`].
    #[doc(hidden)]
    pub fn request(&self, session: SessionId, request: Request) -> Result<Answer, Error> {
        self.shared.wait(Op::Request(session, request))
    }

    /// The future of a request; as [`Store::request`] otherwise.
    #[doc(hidden)]
    pub fn request_async(
        &self,
        session: SessionId,
        request: Request,
    ) -> impl Future<Output = Result<Answer, Error>> + Send + Unpin + use<> {
        self.pending::<Answer>(Op::Request(session, request), true)
    }

    pub(crate) fn pending<T>(&self, op: Op, starts: bool) -> Pending<T> {
        Pending::new(Arc::clone(&self.shared), op, starts)
    }

    /// Makes a request whose answer nobody needs.
    pub(crate) fn post(&self, op: Op) {
        let mut state = self.shared.lock();
        let caller = Caller { driven: true, detached: true, ..Caller::default() };
        if let Submitted::Later(_) = state.submit(op, caller) {
            self.shared.look_after(&mut state);
        }
        self.shared.tell(state);
    }

    /// Connects a session. Whoever does without [`Session`](crate::Session) has to [disconnect](Store::disconnect) it.
    #[doc(hidden)]
    pub fn connect(&self, name: Option<&str>) -> Result<SessionId, Error> {
        self.shared.wait(Op::Connect(name.map(Into::into)))
    }

    /// Connects a session, without blocking where a replay has to wait for its turn.
    #[doc(hidden)]
    pub fn connect_async(
        &self,
        name: Option<&str>,
    ) -> impl Future<Output = Result<SessionId, Error>> + Send + Unpin + use<> {
        self.pending::<SessionId>(Op::Connect(name.map(Into::into)), false)
    }

    /// Closes a session; its open transaction is aborted.
    #[doc(hidden)]
    pub fn disconnect(&self, session: SessionId) -> Result<(), Error> {
        self.shared.wait(Op::Disconnect(session))
    }

    /// Closes a session, without blocking where a replay has to wait for its turn.
    #[doc(hidden)]
    pub fn disconnect_async(
        &self,
        session: SessionId,
    ) -> impl Future<Output = Result<(), Error>> + Send + Unpin + use<> {
        self.pending::<()>(Op::Disconnect(session), false)
    }

    /// Everything committed so far is seen by every transaction that has not read yet: what a test has
    /// set up is there for all. The store has a session of its own for this, named `(fence)` if nobody else is.
    pub fn fence(&self) -> Result<(), Error> {
        self.request(self.fence_session()?, Request::FENCE).map(|_| ())
    }

    fn fence_session(&self) -> Result<SessionId, Error> {
        let _alone = self.shared.fencing();
        let known = self.shared.lock().fence;
        if let Some(session) = known {
            return Ok(session);
        }
        let mut name = "(fence)".to_owned();
        for number in 2.. {
            match self.connect(Some(&name)) {
                Err(Error::Store(StoreError::NameTaken { .. })) => {
                    name = format!("(fence {number})");
                }
                session => return Ok(*self.shared.lock().fence.insert(session?)),
            }
        }
        unreachable!("there are more numbers than sessions")
    }

    /// How the store is set up; the policy is the one that is followed.
    pub fn config(&self) -> Config {
        self.shared.lock().machine.config().clone()
    }

    /// Ends the wait of a session's request, for a lock or because it is held: it fails with
    /// [`Error::Interrupted`] and the session's transaction is aborted. Nothing happens when it does not
    /// wait. Whether it did.
    #[doc(hidden)]
    pub fn interrupt(&self, session: SessionId) -> bool {
        let mut state = self.shared.lock();
        let waited = state.interrupt(session);
        self.shared.tell(state);
        waited
    }

    /// How long a session waits for the locks it meets from now on, whatever
    /// [`Options::lock_timeout`] says; `None` for ever, so that only a deadlock or an
    /// [interrupt](Store::interrupt) ends the wait. It is forgotten when the session is closed.
    #[doc(hidden)]
    pub fn set_lock_timeout(&self, session: SessionId, timeout: Option<Duration>) {
        self.shared.lock().set_lock_timeout(session, timeout);
    }

    /// How long a session waits for a lock before it looks whether it waits in a circle, where the store is
    /// [patient](Config::patient); a second unless it says. It is forgotten when the session is closed.
    #[doc(hidden)]
    pub fn set_deadlock_timeout(&self, session: SessionId, timeout: Duration) {
        self.shared.lock().set_deadlock_timeout(session, timeout);
    }

    /// Does something with the session's next commit, if that succeeds, before its locks are given to others
    /// and before anybody hears of it. It must not ask the store for anything.
    #[doc(hidden)]
    pub fn with_commit(&self, session: SessionId, then: impl FnOnce() + Send + 'static) {
        self.shared.lock().with_commit.insert(session, Box::new(then));
    }

    /// The sessions that one waits for: they hold what it wants, or come before it.
    #[doc(hidden)]
    pub fn blockers(&self, session: SessionId) -> Vec<SessionId> {
        self.shared.lock().machine.blockers(session)
    }

    /// The sessions that wait for locks, in the order of the queue.
    #[doc(hidden)]
    pub fn lock_waits(&self) -> Vec<LockWait> {
        let state = self.shared.lock();
        let blocked = state.queue.iter().filter(|waiting| waiting.blocked.is_some());
        let wait = |waiting: &Waiting| {
            let session = waiting.op.session()?;
            let (key, blockers) =
                (state.machine.key_wait(session), state.machine.blockers(session));
            Some(LockWait { session, since: waiting.since, key, blockers })
        };
        blocked.filter_map(wait).collect()
    }

    /// Tells the time, for [`Config::lag`]. During a replay the log tells it.
    #[doc(hidden)]
    pub fn tick(&self, now: u64) {
        let mut state = self.shared.lock();
        if !state.replays() {
            state.machine.tick(now);
        }
        self.shared.tell(state);
    }

    /// The history so far; open transactions have unknown status. With a sink it is read back from
    /// there and ends with the last transaction that ended.
    pub fn history(&self) -> Result<History, Error> {
        let mut state = self.shared.lock();
        let Some(sink) = &mut state.sink else { return Ok(state.machine.history()) };
        read_back("history", sink.history())
    }

    /// How many transactions the history has forgotten, see [`Config::keep`]; none with a sink.
    #[doc(hidden)]
    pub fn forgotten(&self) -> u64 {
        self.shared.lock().machine.forgotten()
    }

    /// The log so far. With a sink it is read back from there.
    #[doc(hidden)]
    pub fn log(&self) -> Result<Log, Error> {
        let mut state = self.shared.lock();
        match &mut state.sink {
            Some(sink) => read_back("log", sink.log()),
            None => {
                if state.machine.log_is_cut() {
                    return Err(Error::LogCut);
                }
                let config = state.machine.config().clone();
                let entries = state.machine.log().to_vec();
                Ok(Log { config, entries, ..Log::default() })
            }
        }
    }

    /// The run so far as a word to copy, for `HOB_REPLAY` or `test::Config::replay`.
    pub fn token(&self) -> Result<String, Error> {
        Ok(Token::of(&self.log()?).to_string())
    }

    /// What was served so far, and what is open now, in numbers.
    #[doc(hidden)]
    pub fn stats(&self) -> Stats {
        self.shared.lock().machine.stats()
    }

    /// What the keys hold after all that committed.
    pub fn snapshot(&self) -> Vec<(Key, Value)> {
        self.shared.lock().machine.snapshot()
    }

    /// What a key holds after all that committed, without a transaction; null when it is absent.
    #[doc(hidden)]
    pub fn newest(&self, key: &Key) -> Value {
        self.shared.lock().machine.newest(key)
    }

    /// The part of [`Store::snapshot`] that is in a range.
    #[doc(hidden)]
    pub fn newest_in(&self, range: &KeyRange) -> Vec<(Key, Value)> {
        self.shared.lock().machine.newest_in(range)
    }

    /// Where a replayed program first did something else than it did in the log.
    #[doc(hidden)]
    pub fn divergence(&self) -> Option<Divergence> {
        self.shared.lock().divergence.clone()
    }

    /// How often a transaction began although [`Options::serial`] asks for one at a time, and why the
    /// first did.
    #[doc(hidden)]
    pub fn overlaps(&self) -> Option<(u64, Overlap)> {
        self.shared.lock().overlaps()
    }

    /// How a replayed program differed from the log where that did not end the replay.
    #[doc(hidden)]
    pub fn differences(&self) -> Differences {
        self.shared.lock().differences.clone()
    }

    /// How many requests of the log a replay has not come to; none once it has left the log.
    #[doc(hidden)]
    pub fn unfollowed(&self) -> usize {
        self.shared.lock().gate.as_ref().map_or(0, Gate::left)
    }

    /// What the sink could not do, first; since then it is given nothing more, and requests fail with
    /// [`Error::Unrecorded`].
    #[doc(hidden)]
    pub fn sink_error(&self) -> Option<String> {
        self.shared.lock().sink_error.clone()
    }

    /// Takes the sink away, for another store to start with. Nobody may use this one after that.
    #[doc(hidden)]
    pub fn take_sink(&self) -> Option<Box<dyn Sink>> {
        self.shared.lock().sink.take()
    }

    /// When something that waits has waited long enough. A thread looks after it; who has a better clock
    /// can call [`Store::wake`] earlier.
    #[doc(hidden)]
    pub fn deadline(&self) -> Option<Instant> {
        self.shared.lock().deadline()
    }

    /// Serves what has waited long enough.
    #[doc(hidden)]
    pub fn wake(&self) {
        let mut state = self.shared.lock();
        state.pump(Instant::now());
        self.shared.tell(state);
    }

    /// Looks into the machine. Requests made on it directly are logged, but wait for nothing.
    #[doc(hidden)]
    pub fn with_machine<R>(&self, look: impl FnOnce(&mut Machine) -> R) -> R {
        let mut state = self.shared.lock();
        let result = look(&mut state.machine);
        state.pump(Instant::now());
        self.shared.tell(state);
        result
    }

    /// Says what tables and indexes are, for who reads the history. It waits for nobody and is in no log.
    #[doc(hidden)]
    pub fn describe(&self, schema: Schema) {
        if !schema.is_empty() {
            self.shared.lock().machine.describe(schema);
        }
    }

    /// How many steps the run had at which another session could go on, whether or not one was there to:
    /// what [`Schedule::learn`](crate::Schedule::learn) wants to know. In the spec profile only
    /// [`Store::interleave`] makes steps.
    #[doc(hidden)]
    pub fn steps(&self) -> u32 {
        self.shared.lock().steps()
    }

    /// Lets one request go that waits for a deadline, when nothing else can come. Whether there was one.
    pub(crate) fn unstick(&self) -> bool {
        let mut state = self.shared.lock();
        let stuck = state.unstick();
        self.shared.tell(state);
        stuck
    }
}

fn read_back<T>(what: &'static str, found: std::io::Result<Option<T>>) -> Result<T, Error> {
    match found {
        Ok(Some(found)) => Ok(found),
        Ok(None) => Err(Error::Sink { what, why: "its sink keeps none".to_owned() }),
        Err(error) => Err(Error::Sink { what, why: error.to_string() }),
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("stats", &self.stats()).finish()
    }
}
