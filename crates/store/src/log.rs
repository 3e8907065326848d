//! The log of a run: every request in the order it was served, and every choice made for it.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Bound;

use hobgoblin_core::{SessionId, Value};

use crate::config::{Config, Policy};
use crate::request::{Lock, Request, Scope, Wait};

/// One line of a log.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A session connected; sessions are numbered from 0 in this order.
    Connect {
        /// Its name, if it has one.
        name: Option<Box<str>>,
    },
    /// A session was closed.
    Disconnect {
        /// Which.
        session: SessionId,
    },
    /// A request was served, or found the session blocked.
    Request {
        /// Whose.
        session: SessionId,
        /// What.
        request: Request,
        /// The choices made for it, in order: for each read, the place of the version among those
        /// allowed, newest first; for a time or a random number, three times 21 bits.
        choices: Vec<u32>,
    },
    /// Time passed.
    Tick {
        /// The time now.
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
    /// What happened, in order.
    pub entries: Vec<Entry>,
}

/// A request in a few words: `get x`, `put x = 1`.
impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Request::Begin { level, policy } => {
                f.write_str("begin")?;
                level.iter().try_for_each(|level| write!(f, " at {level}"))?;
                reading(f, policy)
            }
            Request::Get { key, policy, lock, wait, latest } => {
                write!(f, "get {key}")?;
                f.write_str(match lock {
                    Some(Lock::Update) => " for update",
                    Some(Lock::NoKeyUpdate) => " for no key update",
                    Some(Lock::Share) => " for share",
                    Some(Lock::KeyShare) => " for key share",
                    None => "",
                })?;
                f.write_str(if *wait == Wait::Not { " nowait" } else { "" })?;
                f.write_str(if *latest { " of the latest" } else { "" })?;
                reading(f, policy)
            }
            Request::Reserve { key } => write!(f, "reserve {key}"),
            Request::Insert { key, value } => write!(f, "insert {key} = {value}"),
            Request::Put { key, value: Value::Null } => write!(f, "delete {key}"),
            Request::Put { key, value } => write!(f, "put {key} = {value}"),
            Request::Scan { range, limit, backwards, policy, latest } => {
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
                reading(f, policy)
            }
            Request::ReadOnly { deferrable: false } => f.write_str("read only"),
            Request::ReadOnly { deferrable: true } => f.write_str("read only, deferrable"),
            Request::Prepare { to } => write!(f, "prepare as {to}"),
            Request::Commit => f.write_str("commit"),
            Request::Abort => f.write_str("abort"),
            Request::Savepoint(name) => write!(f, "savepoint {name}"),
            Request::RollbackTo(name) => write!(f, "rollback to {name}"),
            Request::Release(name) => write!(f, "release {name}"),
            Request::Fence => f.write_str("fence"),
            Request::SetPolicy(Some(policy)) => write!(f, "set policy {policy}"),
            Request::SetPolicy(None) => f.write_str("set the store's policy"),
            Request::SetLevel(Some(level)) => write!(f, "set level {level}"),
            Request::SetLevel(None) => f.write_str("set the store's level"),
            Request::Statement(text) => write!(f, "statement {text}"),
            Request::Advance { key, by } => write!(f, "advance {key} by {by}"),
            Request::SetCounter { key, value } => write!(f, "set counter {key} = {value}"),
            Request::Hold { object, mode, scope, wait } => {
                let nowait = if *wait == Wait::Not { " nowait" } else { "" };
                let scope = if *scope == Scope::Session { " for the session" } else { "" };
                write!(f, "hold {object} {}{scope}{nowait}", mode.name())
            }
            Request::LetGo { object, mode } => write!(f, "let go of {object} {}", mode.name()),
            Request::LetGoAll => f.write_str("let go of all"),
            Request::Clock => f.write_str("clock"),
            Request::Random => f.write_str("random"),
            Request::Cancel => f.write_str("cancel"),
            Request::GiveUp { .. } => f.write_str("give up"),
        }
    }
}

fn reading(f: &mut fmt::Formatter<'_>, policy: &Option<Policy>) -> fmt::Result {
    policy.iter().try_for_each(|policy| write!(f, " reading {policy}"))
}
