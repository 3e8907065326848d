//! What may be asked of a store, and what it answers.

use std::fmt;
use std::ops::Bound;

use hobgoblin_core::{Key, Level, SessionId, Value};

use crate::config::Policy;

/// One request of one session. Reads and writes outside a transaction are transactions of their own.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Begins a transaction; what is not given is the session's or the store's.
    Begin {
        /// Its level.
        level: Option<Level>,
        /// How its reads choose.
        policy: Option<Policy>,
    },
    /// Reads a key.
    Get {
        /// The key.
        key: Key,
        /// How this read chooses.
        policy: Option<Policy>,
        /// Whether it takes a lock; [`Profile::Spec`](crate::Profile::Spec) has no locks and reads as ever.
        lock: Option<Lock>,
    },
    /// Writes a key; writing null deletes it.
    Put {
        /// The key.
        key: Key,
        /// The value.
        value: Value,
    },
    /// Reads every key of a range, one by one in the order of keys.
    Scan {
        /// Which keys.
        range: KeyRange,
        /// Stop after so many keys that hold a value.
        limit: Option<u32>,
        /// How these reads choose.
        policy: Option<Policy>,
    },
    /// Commits the transaction.
    Commit,
    /// Aborts the transaction.
    Abort,
    /// Sets a savepoint; one of the same name is hidden until this one is gone.
    Savepoint(String),
    /// Undoes the writes since a savepoint, which stays.
    RollbackTo(String),
    /// Forgets a savepoint and those set since.
    Release(String),
    /// Everything committed so far is seen by every transaction that has not read yet.
    Fence,
    /// How the session's transactions read from now on; `None` as the store's.
    SetPolicy(Option<Policy>),
    /// The level of the session's transactions from now on; `None` as the store's.
    SetLevel(Option<Level>),
    /// The statement whose events follow, for the history.
    Statement(String),
    /// Waits no longer for a lock: the transaction is aborted.
    GiveUp,
}

/// The lock a read takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lock {
    /// Others may hold it too.
    Share,
    /// Nobody else may.
    Update,
}

/// A range of keys. Integers come before strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    /// Where it begins.
    pub from: Bound<Key>,
    /// Where it ends.
    pub to: Bound<Key>,
}

/// What a store answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// It is done.
    Done,
    /// The value a key holds; null when absent.
    Value(Value),
    /// The keys of a scan that hold a value, in order.
    Rows(Vec<(Key, Value)>),
    /// Another session holds the lock. Ask the same again when [`Machine::ready`](crate::Machine::ready)
    /// lists the session, or [`Request::GiveUp`].
    Blocked {
        /// A session that holds it.
        holder: SessionId,
    },
    /// The transaction is aborted.
    Aborted(AbortReason),
}

/// Why the store aborted a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AbortReason {
    /// No order of transactions that the level allows has a place for it: run it again.
    Serialization,
    /// It and others wait for each other.
    Deadlock,
    /// It waited too long for a lock.
    LockTimeout,
    /// For no reason, as [`Config::abort_rate`](crate::Config::abort_rate) asks.
    Spurious,
}

impl fmt::Display for AbortReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AbortReason::Serialization => "could not serialize access; run the transaction again",
            AbortReason::Deadlock => {
                "deadlock: transactions wait for each other; run this one again"
            }
            AbortReason::LockTimeout => "waited too long for a lock; run the transaction again",
            AbortReason::Spurious => "aborted for no reason, as the abort rate asks; run it again",
        })
    }
}

/// What a store cannot do. Nothing changes by such a request, but for [`StoreError::Diverged`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no such session.
    #[error("there is no session {session}; connect first")]
    UnknownSession {
        /// The session.
        session: SessionId,
    },
    /// The session of this name is still there.
    #[error("a session named {name:?} is already connected; give each its own name, or none")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// A session has one open transaction.
    #[error("the session already has an open transaction; commit or abort it first")]
    TransactionOpen,
    /// Nothing is there to end.
    #[error("the session has no open transaction; begin one first")]
    NoTransaction,
    /// There is no such savepoint.
    #[error("the transaction has no savepoint {name:?}")]
    UnknownSavepoint {
        /// Its name.
        name: String,
    },
    /// The store does not serve this level.
    #[error("a {profile} store does not serve {level}; ask for one of {served}")]
    LevelNotServed {
        /// The level.
        level: Level,
        /// The profile's name.
        profile: &'static str,
        /// The levels it serves.
        served: &'static str,
    },
    /// A key is longer than [`MAX_KEY`].
    #[error("a key of {length} bytes is too long; keys have at most {MAX_KEY}")]
    KeyTooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// A value is longer than [`MAX_VALUE`].
    #[error("a value of {length} bytes is too long; values have at most {MAX_VALUE}")]
    ValueTooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// The session waits for a lock and may only repeat that request or give up.
    #[error("the session waits for a lock; repeat the same request or give up")]
    Waiting,
    /// There is no wait to give up.
    #[error("the session does not wait for a lock; there is nothing to give up")]
    NotWaiting,
    /// A replayed choice is not there any more. Unlike with the others the request was served, with the
    /// newest versions.
    #[error("choice {choice} of {of} is not there: the program or its data changed since the log")]
    Diverged {
        /// The choice of the log.
        choice: u32,
        /// How many there are now.
        of: u32,
    },
    /// The configuration contradicts itself.
    #[error("{0}")]
    Config(String),
}

/// The longest key, in bytes.
pub const MAX_KEY: usize = 4096;

/// The longest value, in bytes of its JSON text or string.
pub const MAX_VALUE: usize = 16 << 20;

impl KeyRange {
    /// Every key.
    pub fn all() -> KeyRange {
        KeyRange { from: Bound::Unbounded, to: Bound::Unbounded }
    }

    /// The string keys that begin with a prefix.
    pub fn prefix(prefix: &str) -> KeyRange {
        let from = Bound::Included(Key::from(prefix));
        // The first string after all with this prefix: its last character that has a successor, raised.
        let mut after = prefix.to_owned();
        while let Some(last) = after.pop() {
            if let Some(next) = (last as u32 + 1..=char::MAX as u32).find_map(char::from_u32) {
                after.push(next);
                return KeyRange { from, to: Bound::Excluded(Key::from(after.as_str())) };
            }
        }
        KeyRange { from, to: Bound::Unbounded }
    }

    /// Whether a key is in it.
    pub fn contains(&self, key: &Key) -> bool {
        std::ops::RangeBounds::contains(&(self.from.as_ref(), self.to.as_ref()), key)
    }

    /// Whether it cannot contain a key; such bounds make `BTreeMap::range` panic.
    pub fn is_empty(&self) -> bool {
        match (&self.from, &self.to) {
            (Bound::Included(a), Bound::Included(b)) => a > b,
            (Bound::Included(a) | Bound::Excluded(a), Bound::Included(b) | Bound::Excluded(b)) => {
                a >= b
            }
            _ => false,
        }
    }
}
