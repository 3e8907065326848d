//! One store from its start to a reset or the end: its sessions by name, its clock, its files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hobgoblin_core::{Rng, SessionId};
use hobgoblin_front::{Error, FileSink, HoldFor, Options, Sink, Store};
use hobgoblin_store::{Answer, Config, Request, SessionRequest, StoreError, TransactionRequest};

use crate::config::ServerConfig;
use crate::databases::Databases;
use crate::error::ServerError;
use crate::problem::Problem;

/// One store and what belongs to it.
pub(crate) struct Run {
    pub(crate) store: Store,
    /// The same store as tables, for those who speak SQL.
    pub(crate) databases: Databases,
    pub(crate) config: Config,
    pub(crate) started: Instant,
    /// The first is 1, the one after a reset 2.
    pub(crate) number: u32,
    sessions: Mutex<Sessions>,
    closes_idle: bool,
    delays: Option<Mutex<Delays>>,
    /// The last tick, in milliseconds since the start.
    ticked: AtomicU64,
    /// Whether a client has come.
    used: AtomicBool,
}

/// The sessions that are connected.
#[derive(Debug, Default)]
struct Sessions {
    named: HashMap<String, SessionId>,
    /// The sessions that are connected. Where idle ones are closed, each has the time of its last
    /// request.
    open: HashMap<SessionId, Instant>,
}

/// Where the pauses before transactions come from.
#[derive(Debug)]
struct Delays {
    rng: Rng,
    least: Duration,
    span: Duration,
}

/// Mixed into the seed, so that pauses are not the store's choices again.
const DELAYS: u64 = 0x6465_6c61_7973;

/// The longest name of a session.
const MAX_NAME: usize = 128;

impl Run {
    /// Starts a store; `number` tells its files from those before a reset.
    pub(crate) fn start(
        server: &ServerConfig,
        config: Config,
        number: u32,
    ) -> Result<Run, ServerError> {
        Run::start_with(server, config, number, sink(server, number)?)
    }

    /// Starts a store in the place of this one, which nobody used, and writes to its files.
    pub(crate) fn start_instead(
        &self,
        server: &ServerConfig,
        config: Config,
    ) -> Result<Run, ServerError> {
        Run::start_with(server, config, self.number, self.store.take_sink())
    }

    fn start_with(
        server: &ServerConfig,
        config: Config,
        number: u32,
        sink: Option<Box<dyn Sink>>,
    ) -> Result<Run, ServerError> {
        // SQL clients connect early and begin late; held for all who are connected, they overlap.
        let hold_for = if server.speaks_sql() { HoldFor::Connected } else { HoldFor::Open };
        let mut options = Options::default()
            .hold(server.hold.filter(|hold| !hold.is_zero()))
            .hold_for(hold_for)
            .serial(server.serial)
            .schedule(server.schedule)
            // The log is of the first store; after a reset there is nothing to follow.
            .replay(server.replay.clone().filter(|_| number == 1));
        options.sink = sink;
        let store = match server.over.as_ref().filter(|_| number == 1) {
            Some(store) => store.clone(),
            None => Store::with(config, options)?,
        };
        // A replay brings its own.
        let config = store.with_machine(|machine| machine.config().clone());
        let (least, most) = (*server.delay.start(), *server.delay.end());
        let delays = (most > Duration::ZERO).then(|| {
            let rng = Rng::new(config.seed ^ DELAYS);
            Mutex::new(Delays { rng, least, span: most.saturating_sub(least) })
        });
        Ok(Run {
            databases: Databases::new(server, &store)?,
            store,
            config,
            started: Instant::now(),
            number,
            sessions: Mutex::default(),
            closes_idle: server.idle_timeout.is_some(),
            delays,
            ticked: AtomicU64::new(0),
            used: AtomicBool::new(false),
        })
    }

    /// Notes that a client has come. Returns whether one had before.
    pub(crate) fn use_up(&self) -> bool {
        self.used.swap(true, Ordering::Relaxed)
    }

    /// Connects a session; its name in paths.
    pub(crate) async fn connect(&self, name: Option<String>) -> Result<String, Problem> {
        if let Some(name) = &name {
            check_name(name)?;
        }
        self.use_up();
        let session = self.store.connect_async(name.as_deref()).await?;
        let mut sessions = lock(&self.sessions);
        sessions.open.insert(session, Instant::now());
        Ok(match name {
            Some(name) => {
                sessions.named.insert(name.clone(), session);
                name
            }
            None => (session.index() + 1).to_string(),
        })
    }

    /// Closes a session.
    pub(crate) async fn disconnect(&self, name: &str) -> Result<(), Problem> {
        let session = self.session(name)?;
        self.close(session).await.map_err(|error| named(error, name))
    }

    async fn close(&self, session: SessionId) -> Result<(), Error> {
        self.store.disconnect_async(session).await?;
        let mut sessions = lock(&self.sessions);
        sessions.open.remove(&session);
        sessions.named.retain(|_, named| *named != session);
        Ok(())
    }

    /// Closes the sessions that asked nothing for so long.
    pub(crate) async fn close_idle(&self, idle: Duration) {
        let late =
            |(session, used): (&SessionId, &Instant)| (used.elapsed() >= idle).then_some(*session);
        let all: Vec<SessionId> = lock(&self.sessions).open.iter().filter_map(late).collect();
        for session in all {
            // One that was closed meanwhile is closed.
            let _ = self.close(session).await;
        }
    }

    /// The session of a name or number.
    fn session(&self, name: &str) -> Result<SessionId, Problem> {
        let number = match name.as_bytes().first() {
            Some(b'0'..=b'9') => {
                Some(numbered_session(name).ok_or_else(|| Problem::no_session(name))?)
            }
            _ => None,
        };
        if let (Some(session), false) = (number, self.closes_idle) {
            return Ok(session);
        }
        let mut sessions = lock(&self.sessions);
        let session = match number {
            Some(session) => session,
            None => *sessions.named.get(name).ok_or_else(|| Problem::no_session(name))?,
        };
        if let Some(used) = sessions.open.get_mut(&session) {
            *used = Instant::now();
        }
        Ok(session)
    }

    /// Serves a request of a session.
    pub(crate) async fn request(&self, name: &str, request: Request) -> Result<Answer, Problem> {
        let session = self.session(name)?;
        if let Some(delays) = &self.delays
            && self.begins(session, &request)
        {
            let pause = lock(delays).next();
            tokio::time::sleep(pause).await;
        }
        self.tick();
        let answer = self.store.request_async(session, request).await;
        answer.map_err(|error| named(error, name))
    }

    /// Whether a request begins a transaction.
    fn begins(&self, session: SessionId, request: &Request) -> bool {
        match request {
            Request::Session(SessionRequest::Begin { .. }) => true,
            Request::Transaction(
                TransactionRequest::Get { .. }
                | TransactionRequest::Reserve { .. }
                | TransactionRequest::Insert { .. }
                | TransactionRequest::Put { .. }
                | TransactionRequest::Scan { .. },
            ) => self.store.with_machine(|machine| machine.in_transaction(session)) == Ok(false),
            _ => false,
        }
    }

    /// Waits before a transaction, if that is wanted.
    pub(crate) fn pause(&self) {
        if let Some(delays) = &self.delays {
            let pause = lock(delays).next();
            std::thread::sleep(pause);
        }
    }

    /// Tells the store the time, where that matters.
    pub(crate) fn tick(&self) {
        if self.config.lag.is_some() {
            let now = self.started.elapsed().as_millis() as u64;
            if self.ticked.fetch_max(now, Ordering::Relaxed) < now {
                self.store.tick(now);
            }
        }
    }

    /// The log as a file has it.
    pub(crate) fn log(&self) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        self.store.log()?.write(&mut out)?;
        Ok(out)
    }

    /// Where a replay left its log, in words.
    pub(crate) fn divergence(&self) -> Option<String> {
        self.store.divergence().map(|divergence| divergence.to_string())
    }

    /// What a file could not take, in words.
    pub(crate) fn incomplete(&self) -> Option<String> {
        let why = self.store.sink_error()?;
        Some(ServerError::Incomplete { why }.to_string())
    }

    /// Closes the sessions that are left, which aborts their transactions, so that the history is whole.
    pub(crate) fn finish(&self) -> Result<(), ServerError> {
        let mut open: Vec<SessionId> = lock(&self.sessions).open.drain().map(|(s, _)| s).collect();
        open.sort_unstable();
        self.store.with_machine(|machine| {
            for session in open {
                // One that is gone already is closed.
                let _ = machine.disconnect(session);
            }
        });
        match self.store.sink_error() {
            None => Ok(()),
            Some(why) => Err(ServerError::Incomplete { why }),
        }
    }
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("store", &self.store).field("number", &self.number).finish()
    }
}

impl Delays {
    fn next(&mut self) -> Duration {
        let micros = u32::try_from(self.span.as_micros()).unwrap_or(u32::MAX - 1);
        self.least + Duration::from_micros(self.rng.below(micros + 1).into())
    }
}

/// The files of a store; those after a reset have its number in their names.
fn sink(server: &ServerConfig, number: u32) -> Result<Option<Box<dyn Sink>>, ServerError> {
    let mut sink = FileSink::new();
    if let Some(path) = &server.history {
        sink = sink.history(numbered(path, number));
    }
    if let Some(path) = &server.log {
        sink = sink.log(numbered(path, number));
    }
    sink.open(server.overwrite)?;
    let needed = server.history.is_some() || server.log.is_some();
    Ok(needed.then(|| Box::new(sink) as Box<dyn Sink>))
}

/// `out.jsonl`, then `out.2.jsonl`, and so on.
fn numbered(path: &Path, number: u32) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    match (path.file_stem(), path.extension()) {
        (Some(stem), Some(extension)) => {
            let mut name = stem.to_owned();
            name.push(format!(".{number}."));
            name.push(extension);
            path.with_file_name(name)
        }
        _ => path.with_added_extension(number.to_string()),
    }
}

/// A name that needs no escapes in a path and is no number.
fn check_name(name: &str) -> Result<(), Problem> {
    let usual = |c: u8| c.is_ascii_alphanumeric() || b"._~-".contains(&c);
    let first = name.as_bytes().first().is_some_and(|&c| c.is_ascii_alphabetic() || c == b'_');
    if first && name.len() <= MAX_NAME && name.bytes().all(usual) {
        return Ok(());
    }
    Err(Problem::bad_request(format!(
        "a session's name begins with a letter and has at most {MAX_NAME} letters, digits and . _ ~ -"
    )))
}

/// The session of a number from 1, if there can be so many.
fn numbered_session(number: &str) -> Option<SessionId> {
    let index = number.parse::<u32>().ok()?.checked_sub(1)?;
    (index >> 31 == 0).then(|| SessionId::new(index as usize))
}

/// The problem of an error, with the session as the client calls it.
fn named(error: Error, name: &str) -> Problem {
    match error {
        Error::Store(StoreError::UnknownSession { .. }) => Problem::no_session(name),
        error => error.into(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What a panic may leave behind is a table with one entry more or less.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_after_a_reset_have_its_number() {
        for (path, expect) in
            [("out.jsonl", "out.2.jsonl"), ("a.b/out.txn", "a.b/out.2.txn"), ("a/out", "a/out.2")]
        {
            assert_eq!(numbered(Path::new(path), 1), Path::new(path));
            assert_eq!(numbered(Path::new(path), 2), Path::new(expect));
        }
    }

    #[test]
    fn names_need_no_escapes() {
        for name in ["alice", "_", "worker-1.a~b", "A"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", "1", "-a", "a b", "a/b", "é", "a%20", &"a".repeat(MAX_NAME + 1)] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }

    #[test]
    fn delays_are_within_their_range() {
        let rng = Rng::new(1);
        let (least, span) = (Duration::from_millis(1), Duration::from_millis(3));
        let mut delays = Delays { rng, least, span };
        let all: Vec<Duration> = (0..1000).map(|_| delays.next()).collect();
        assert!(all.iter().all(|delay| (least..=least + span).contains(delay)));
        assert!(all.iter().any(|delay| *delay < least + span / 10));
        assert!(all.iter().any(|delay| *delay > least + span * 9 / 10));
    }
}
