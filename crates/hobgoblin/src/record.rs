//! Histories of a system of your own.
//!
//! A [`Recorder`] is told what clients did, from as many threads as there are, and makes a [`History`] of it for
//! [`check`](crate::check::check). A session is one client, a transaction belongs to the session that began it, and a
//! session has one at a time: the compiler sees to that.
//!
//! ```
//! use hobgoblin::check::{Limits, Verdict, check};
//! use hobgoblin::record::Recorder;
//! use hobgoblin::{Level, Value};
//!
//! let recorder = Recorder::new();
//! std::thread::scope(|scope| {
//!     for (client, written) in [("one", 1), ("two", 2)] {
//!         let mut session = recorder.session(client).expect("nobody else is called that");
//!         scope.spawn(move || {
//!             let mut txn = session.begin();
//!             // Here a client would ask the database, and record what it answered.
//!             txn.read("counter", Value::Null);
//!             txn.write("counter", written);
//!             txn.committed();
//!         });
//!     }
//! });
//! let history = recorder.history()?;
//! let verdict = check(&history, Level::SI, &Limits::none());
//! assert!(matches!(verdict, Verdict::Violation(_)), "an update is lost");
//! # Ok::<(), hobgoblin::history::HistoryError>(())
//! ```
//!
//! Values should be unique, so that a read tells whom it read from. Where they repeat, a check has to search,
//! unless transactions have names ([`RecordedTxn::name`]) and reads say whose value they saw
//! ([`RecordedTxn::read_from`]).
//!
//! When a transaction is dropped, nobody knows whether it committed, as when the connection breaks before the
//! answer to COMMIT comes. Begin and end are noted with the time, so call [`RecordedSession::begin`] before the
//! database is asked to begin, and [`RecordedTxn::committed`] after it has answered; then
//! [`Level::SSER`] can be checked too.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use hobgoblin_core::{
    History, HistoryBuilder, HistoryError, Key, Kind, Level, SortedMap, Status, Value,
};
use hobgoblin_format::{EventRecord, TxnRecord, WriterRecord};

/// Records what clients do. Clones record into the same history.
///
/// ```
/// use hobgoblin::record::Recorder;
///
/// let recorder = Recorder::new();
/// recorder.initial("x", 0);
/// let mut session = recorder.session("alice")?;
/// let mut txn = session.begin();
/// txn.read("x", 0).write("x", 1);
/// txn.committed();
/// assert_eq!(recorder.history()?.txns().len(), 1);
/// # Ok::<(), hobgoblin::history::HistoryError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Recorder {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    start: Instant,
    recorded: Mutex<Recorded>,
}

#[derive(Debug, Default)]
struct Recorded {
    initial: Vec<(Key, Value)>,
    /// Those that ended, in that order.
    txns: Vec<TxnRecord>,
    /// How many have begun and not ended.
    open: usize,
    /// The names of sessions in use.
    sessions: SortedMap<Key, ()>,
}

impl Default for Recorder {
    fn default() -> Recorder {
        Recorder::new()
    }
}

impl Recorder {
    /// A recorder that has heard of nothing.
    pub fn new() -> Recorder {
        let recorded = Mutex::new(Recorded::default());
        Recorder { shared: Arc::new(Shared { start: Instant::now(), recorded }) }
    }

    /// What a key held before all transactions; without this it was absent, which reads as null.
    pub fn initial(&self, key: impl Into<Key>, value: impl Into<Value>) {
        self.shared.lock().initial.push((key.into(), value.into()));
    }

    /// A client. One that was dropped can be gone on with, under its name.
    pub fn session(&self, name: impl Into<Key>) -> Result<RecordedSession, HistoryError> {
        let name = name.into();
        if self.shared.lock().sessions.insert(name.clone(), ()).is_some() {
            return Err(HistoryError::SessionTaken { name });
        }
        Ok(RecordedSession { shared: Arc::clone(&self.shared), name })
    }

    /// How many transactions have ended so far.
    pub fn len(&self) -> usize {
        self.shared.lock().txns.len()
    }

    /// Whether no transaction has ended so far.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The history of all transactions so far. While one is open there is none, since others may have read what
    /// it wrote: [`HistoryError::StillOpen`].
    pub fn history(&self) -> Result<History, HistoryError> {
        let recorded = self.shared.lock();
        if recorded.open > 0 {
            return Err(HistoryError::StillOpen);
        }
        let mut builder = HistoryBuilder::new();
        for (key, value) in &recorded.initial {
            let key = builder.key(key);
            builder.initial(key, value)?;
        }
        for txn in &recorded.txns {
            txn.clone().add_to(&mut builder)?;
        }
        drop(recorded);
        builder.finish()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Recorded> {
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nanoseconds since the recorder began.
    fn now(&self) -> i64 {
        i64::try_from(self.start.elapsed().as_nanos()).unwrap_or(i64::MAX)
    }
}

/// One client, whose transactions come one after the other.
///
/// ```
/// use hobgoblin::record::Recorder;
///
/// let recorder = Recorder::new();
/// recorder.initial("x", 0);
/// let mut session = recorder.session("alice")?;
/// let mut txn = session.begin();
/// txn.read("x", 0).write("x", 1);
/// txn.committed();
/// assert_eq!(recorder.history()?.txns().len(), 1);
/// # Ok::<(), hobgoblin::history::HistoryError>(())
/// ```
#[derive(Debug)]
pub struct RecordedSession {
    shared: Arc<Shared>,
    name: Key,
}

impl RecordedSession {
    /// The next transaction begins.
    pub fn begin(&mut self) -> RecordedTxn<'_> {
        let mut txn = TxnRecord::new(self.name.clone());
        txn.begin = Some(self.shared.now());
        txn.status = Status::Unknown;
        self.shared.lock().open += 1;
        RecordedTxn { session: self, txn }
    }

    /// Its name.
    pub fn name(&self) -> &Key {
        &self.name
    }
}

impl Drop for RecordedSession {
    fn drop(&mut self) {
        self.shared.lock().sessions.remove(&self.name);
    }
}

/// A transaction that has begun. Dropped, its end is unknown.
///
/// ```
/// use hobgoblin::record::Recorder;
///
/// let recorder = Recorder::new();
/// recorder.initial("x", 0);
/// let mut session = recorder.session("alice")?;
/// let mut txn = session.begin();
/// txn.read("x", 0).write("x", 1);
/// txn.committed();
/// assert_eq!(recorder.history()?.txns().len(), 1);
/// # Ok::<(), hobgoblin::history::HistoryError>(())
/// ```
#[derive(Debug)]
pub struct RecordedTxn<'a> {
    session: &'a mut RecordedSession,
    txn: TxnRecord,
}

impl RecordedTxn<'_> {
    /// Gives it a name, by which reads can say that they read from it.
    pub fn name(&mut self, name: &str) -> &mut Self {
        self.txn.name = Some(name.to_owned());
        self
    }

    /// The level it asked for, for a check of mixed levels.
    pub fn level(&mut self, level: Level) -> &mut Self {
        self.txn.level = Some(level);
        self
    }

    /// The statement that the reads and writes from here on belong to, for explanations.
    pub fn statement(&mut self, text: &str) -> &mut Self {
        self.txn.statements.push(text.into());
        self
    }

    /// It read this value; null where the key was absent.
    pub fn read(&mut self, key: impl Into<Key>, value: impl Into<Value>) -> &mut Self {
        self.event(Kind::Read, key.into(), value.into(), None)
    }

    /// It read this value, and knows that the transaction of this name wrote it; `init` is what was there first.
    pub fn read_from(
        &mut self,
        key: impl Into<Key>,
        value: impl Into<Value>,
        writer: &str,
    ) -> &mut Self {
        let writer = WriterRecord::Name(writer.into());
        self.event(Kind::Read, key.into(), value.into(), Some(writer))
    }

    /// It wrote this value; null deletes the key.
    pub fn write(&mut self, key: impl Into<Key>, value: impl Into<Value>) -> &mut Self {
        self.event(Kind::Write, key.into(), value.into(), None)
    }

    fn event(
        &mut self,
        kind: Kind,
        key: Key,
        value: Value,
        writer: Option<WriterRecord>,
    ) -> &mut Self {
        let mut event = EventRecord::new(kind, key, value);
        event.writer = writer;
        event.statement = (self.txn.statements.len() as u32).checked_sub(1);
        self.txn.events.push(event);
        self
    }

    /// The database said that it committed.
    pub fn committed(mut self) {
        self.txn.status = Status::Committed;
    }

    /// The database said that it aborted, or it was rolled back.
    pub fn aborted(mut self) {
        self.txn.status = Status::Aborted;
    }
}

impl Drop for RecordedTxn<'_> {
    fn drop(&mut self) {
        let mut txn = std::mem::replace(&mut self.txn, TxnRecord::new(Key::Int(0)));
        let shared = &self.session.shared;
        // When one whose end is unknown ended is unknown too.
        txn.end = (txn.status != Status::Unknown).then(|| shared.now());
        let mut recorded = shared.lock();
        recorded.open -= 1;
        recorded.txns.push(txn);
    }
}
