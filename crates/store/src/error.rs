//! Why a store aborts, and what it cannot do.

use std::fmt;

use hobgoblin_core::{Key, Level, SessionId};

use crate::lock::Lock;

/// Why the store aborted a transaction.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::store::AbortReason;
///
/// assert_eq!(AbortReason::Deadlock.to_string().is_empty(), false);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AbortReason {
    /// No order of transactions that the level allows has a place for it: run it again.
    Serialization,
    /// The same: what it wanted to lock or write was deleted since its snapshot.
    Deleted,
    /// The same: what it and others read and overwrote may be a cycle.
    Dependencies,
    /// It asked to lock what changed since its snapshot, and [`Config::snapshot_isolation`](crate::Config) was on.
    Changed,
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
            AbortReason::Serialization | AbortReason::Deleted | AbortReason::Dependencies => {
                "could not serialize access; run the transaction again"
            }
            AbortReason::Changed => {
                "what was to be locked has changed since the snapshot; run the transaction again"
            }
            AbortReason::Deadlock => {
                "deadlock: transactions wait for each other; run this one again"
            }
            AbortReason::LockTimeout => "waited too long for a lock; run the transaction again",
            AbortReason::Spurious => "aborted for no reason, as the abort rate asks; run it again",
        })
    }
}

/// What a store cannot do. Nothing changes by such a request, but for [`StoreError::Diverged`] and `Unseeable`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no such session.
    UnknownSession {
        /// The session.
        session: SessionId,
    },
    /// The session of this name is still there.
    NameTaken {
        /// The name.
        name: String,
    },
    /// A session has one open transaction.
    TransactionOpen,
    /// Nothing is there to end.
    NoTransaction,
    /// It said [`crate::TransactionRequest::ReadOnly`].
    ReadOnly,
    /// The profile locks no ranges, or not so.
    NoRangeLocks {
        /// The profile's name.
        profile: &'static str,
        /// The lock that was wanted.
        lock: Lock,
    },
    /// Where transactions are prepared they need a session of their own.
    NoHeir {
        /// The name of the session.
        name: String,
    },
    /// Who has prepared a transaction has promised that it can be committed; only an engine can.
    NotPrepared {
        /// The profile's name.
        profile: &'static str,
    },
    /// A prepared transaction has locks of its own, and its session keeps others on the same.
    HeldTwice {
        /// The object.
        object: Key,
    },
    /// It was prepared.
    Prepared,
    /// There is no such savepoint.
    UnknownSavepoint {
        /// Its name.
        name: String,
    },
    /// The store does not serve this level.
    LevelNotServed {
        /// The level.
        level: Level,
        /// The profile's name.
        profile: &'static str,
        /// The levels it serves.
        served: &'static str,
    },
    /// The chance of [`Policy::Weighted`](crate::Policy::Weighted) is none.
    NoChance {
        /// What was given.
        share: String,
    },
    /// A key is longer than [`MAX_KEY`].
    KeyTooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// A value is longer than [`MAX_VALUE`].
    ValueTooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// The session waits for a lock and may only repeat that request or give up.
    Waiting,
    /// There is no wait to give up.
    NotWaiting,
    /// A counter would leave 64 bits.
    CounterOverflow {
        /// The counter.
        key: Key,
        /// What was to be added.
        by: i64,
    },
    /// A replayed choice is not there any more. Unlike with the others the request was served, with the
    /// newest versions.
    Diverged {
        /// The choice of the log.
        choice: u32,
        /// How many there are now.
        of: u32,
    },
    /// A session was told whom to see, and its level does not allow it for this key. As with
    /// [`StoreError::Diverged`], the request was served with another version.
    #[doc(hidden)]
    Unseeable {
        /// The key.
        key: Key,
    },
    /// The configuration contradicts itself.
    Config(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::UnknownSession { session } => {
                write!(f, "there is no session {session}; connect first")
            }
            StoreError::NameTaken { name } => write!(
                f,
                "a session named {name:?} is already connected; give each its own name, or none"
            ),
            StoreError::TransactionOpen => {
                f.write_str("the session already has an open transaction; commit or abort it first")
            }
            StoreError::NoTransaction => {
                f.write_str("the session has no open transaction; begin one first")
            }
            StoreError::ReadOnly => f.write_str(
                "the transaction said that it only reads; begin another one to write or lock",
            ),
            StoreError::NoRangeLocks { profile, lock } => write!(
                f,
                "a {profile} store takes no {} locks on ranges; scan without one, and lock the keys",
                lock.name()
            ),
            StoreError::NoHeir { name } => write!(
                f,
                "a transaction cannot be prepared as {name:?}: connect a session of that name, and begin nothing in it"
            ),
            StoreError::NotPrepared { profile } => {
                write!(f, "a {profile} store prepares no transactions; commit this one")
            }
            StoreError::HeldTwice { object } => write!(
                f,
                "the transaction cannot be prepared: it and its session both hold a lock on {object}"
            ),
            StoreError::Prepared => f.write_str(
                "the transaction is prepared; it can be committed or aborted, and nothing else",
            ),
            StoreError::UnknownSavepoint { name } => {
                write!(f, "the transaction has no savepoint {name:?}")
            }
            StoreError::LevelNotServed { level, profile, served } => {
                write!(f, "a {profile} store does not serve {level}; ask for one of {served}")
            }
            StoreError::NoChance { share } => {
                write!(f, "weighted={share} is no policy; give a chance from 0 to 1")
            }
            StoreError::KeyTooLong { length } => {
                write!(f, "a key of {length} bytes is too long; keys have at most {MAX_KEY}")
            }
            StoreError::ValueTooLong { length } => {
                write!(f, "a value of {length} bytes is too long; values have at most {MAX_VALUE}")
            }
            StoreError::Waiting => {
                f.write_str("the session waits for a lock; repeat the same request or give up")
            }
            StoreError::NotWaiting => {
                f.write_str("the session does not wait for a lock; there is nothing to give up")
            }
            StoreError::CounterOverflow { key, by } => write!(
                f,
                "the counter {key} cannot be advanced by {by}: the result does not fit 64 bits"
            ),
            StoreError::Diverged { choice, of } => write!(
                f,
                "choice {choice} of {of} is not there: the program or its data changed since the log"
            ),
            StoreError::Unseeable { key } => write!(
                f,
                "the level of the transaction does not allow it to see of {key} what it was told to"
            ),
            StoreError::Config(inner) => write!(f, "{inner}"),
        }
    }
}

impl std::error::Error for StoreError {}

/// The longest key, in bytes.
pub const MAX_KEY: usize = 4096;

/// The longest value, in bytes of its JSON text or string.
pub const MAX_VALUE: usize = 16 << 20;
