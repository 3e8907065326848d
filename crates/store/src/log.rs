//! The log of a run: every request in the order it was served, and every choice made for it.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Bound;

use hobgoblin_core::{SessionId, Value};

use crate::config::{Config, Policy};
use crate::lock::{Lock, Scope, Wait};
use crate::request::{Request, SessionRequest, TransactionRequest};

/// One line of a log.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A session connected. Sessions are numbered from 0 in this order.
    Connect {
        /// The name that it gave, if it gave one.
        name: Option<Box<str>>,
    },
    /// A session was closed.
    Disconnect {
        /// The session that was closed.
        session: SessionId,
    },
    /// A request was served, or was blocked.
    Request {
        /// The session that asked.
        session: SessionId,
        /// What it asked for.
        request: Request,
        /// The choices made for it, in order: for each read, the place of the version among those
        /// allowed, newest first; for a time or a random number, three times 21 bits.
        choices: Vec<u32>,
    },
    /// Time went on, by the clock that the store is told.
    Tick {
        /// The number of ticks since the beginning.
        now: u64,
    },
}

/// A log with what the store was told before it started: all that is needed to run it again.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Log {
    /// How the store was set up.
    pub config: Config,
    /// What else is worth keeping, by name: the command that ran, the date.
    pub meta: BTreeMap<String, String>,
    /// The requests and choices, in the order in which they were served.
    pub entries: Vec<Entry>,
}

/// A request in a few words: `get x`, `put x = 1`.
impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Request::Session(request) => request.fmt(f),
            Request::Transaction(request) => request.fmt(f),
        }
    }
}

impl fmt::Display for SessionRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SessionRequest::Begin { level, policy } => {
                f.write_str("begin")?;
                level.iter().try_for_each(|level| write!(f, " at {level}"))?;
                reading(f, policy)
            }
            SessionRequest::Fence => f.write_str("fence"),
            SessionRequest::SetPolicy(Some(policy)) => write!(f, "set policy {policy}"),
            SessionRequest::SetPolicy(None) => f.write_str("set the store's policy"),
            SessionRequest::SetLevel(Some(level)) => write!(f, "set level {level}"),
            SessionRequest::SetLevel(None) => f.write_str("set the store's level"),
            SessionRequest::SetSnapshotIsolation(Some(true)) => {
                f.write_str("refuse to lock what changed since the snapshot")
            }
            SessionRequest::SetSnapshotIsolation(Some(false)) => {
                f.write_str("lock what changed since the snapshot")
            }
            SessionRequest::SetSnapshotIsolation(None) => {
                f.write_str("lock what changed since the snapshot as the store says")
            }
            SessionRequest::Statement(text) => write!(f, "statement {text}"),
            SessionRequest::Advance { key, by } => write!(f, "advance {key} by {by}"),
            SessionRequest::SetCounter { key, value } => write!(f, "set counter {key} = {value}"),
            SessionRequest::LetGo { object, mode } => {
                write!(f, "let go of {object} {}", mode.name())
            }
            SessionRequest::LetGoAll => f.write_str("let go of all"),
            SessionRequest::Clock => f.write_str("clock"),
            SessionRequest::Random => f.write_str("random"),
            SessionRequest::Cancel => f.write_str("cancel"),
        }
    }
}

impl fmt::Display for TransactionRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TransactionRequest::Get { key, policy, lock, wait, latest } => {
                write!(f, "get {key}")?;
                locking(f, *lock, *wait)?;
                f.write_str(if *latest { " of the latest" } else { "" })?;
                reading(f, policy)
            }
            TransactionRequest::Reserve { key, lock } => {
                write!(f, "reserve {key} for {}", lock.name())
            }
            TransactionRequest::Insert { key, value } => write!(f, "insert {key} = {value}"),
            TransactionRequest::Put { key, value: Value::Null } => write!(f, "delete {key}"),
            TransactionRequest::Put { key, value } => write!(f, "put {key} = {value}"),
            TransactionRequest::Scan { range, limit, backwards, policy, lock, wait, latest } => {
                f.write_str(if *latest { "scan the latest" } else { "scan" })?;
                f.write_str(if *backwards { " backwards" } else { "" })?;
                range.kept_prefix().iter().try_for_each(|prefix| write!(f, " of {prefix}"))?;
                match range.from() {
                    Bound::Included(key) => write!(f, " from {key}")?,
                    Bound::Excluded(key) => write!(f, " after {key}")?,
                    Bound::Unbounded => {}
                }
                match range.to() {
                    Bound::Included(key) => write!(f, " to {key}")?,
                    Bound::Excluded(key) => write!(f, " before {key}")?,
                    Bound::Unbounded => {}
                }
                limit.iter().try_for_each(|limit| write!(f, " at most {limit}"))?;
                locking(f, *lock, *wait)?;
                reading(f, policy)
            }
            TransactionRequest::ReadOnly { deferrable: false } => f.write_str("read only"),
            TransactionRequest::ReadOnly { deferrable: true } => {
                f.write_str("read only, deferrable")
            }
            TransactionRequest::Prepare { to } => write!(f, "prepare as {to}"),
            TransactionRequest::StandAside => f.write_str("stand aside"),
            TransactionRequest::PassOver => f.write_str("pass over"),
            TransactionRequest::Commit => f.write_str("commit"),
            TransactionRequest::Abort => f.write_str("abort"),
            TransactionRequest::Savepoint(name) => write!(f, "savepoint {name}"),
            TransactionRequest::RollbackTo(name) => write!(f, "rollback to {name}"),
            TransactionRequest::Release(name) => write!(f, "release {name}"),
            TransactionRequest::Hold { object, mode, scope, wait } => {
                let nowait = waiting(*wait);
                let scope = if *scope == Scope::Session { " for the session" } else { "" };
                write!(f, "hold {object} {}{scope}{nowait}", mode.name())
            }
            TransactionRequest::GiveUp { .. } => f.write_str("give up"),
        }
    }
}

fn locking(f: &mut fmt::Formatter<'_>, lock: Option<Lock>, wait: Wait) -> fmt::Result {
    f.write_str(match lock {
        Some(Lock::Update) => " for update",
        Some(Lock::NoKeyUpdate) => " for no key update",
        Some(Lock::Share) => " for share",
        Some(Lock::KeyShare) => " for key share",
        None => "",
    })?;
    f.write_str(waiting(wait))
}

fn waiting(wait: Wait) -> &'static str {
    match wait {
        Wait::Forever => "",
        Wait::Not => " nowait",
        Wait::Skip => " skip locked",
    }
}

fn reading(f: &mut fmt::Formatter<'_>, policy: &Option<Policy>) -> fmt::Result {
    policy.iter().try_for_each(|policy| write!(f, " reading {policy}"))
}
