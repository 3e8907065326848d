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
    /// The level allows no order of transactions in which it has a place. To run it again may help.
    Serialization,
    /// Likewise: what it wanted to lock or write was deleted after its snapshot.
    Deleted,
    /// Likewise: what it and others read and overwrote may be a cycle.
    Dependencies,
    /// It asked to lock what changed after its snapshot, under
    /// [`Config::snapshot_isolation`](crate::Config).
    Changed,
    /// It and other sessions waited for each other, each for the next.
    Deadlock,
    /// It waited for a lock longer than it may.
    LockTimeout,
    /// There is no reason: [`Config::abort_rate`](crate::Config::abort_rate) asks for some such
    /// aborts.
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

/// Why a store does not serve a request. The request changes nothing, except with
/// [`StoreError::Diverged`] and `Unseeable`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreError {
    /// No session has this number.
    UnknownSession {
        /// The number that was given.
        session: SessionId,
    },
    /// A session of this name is still connected.
    NameTaken {
        /// The name that is taken.
        name: String,
    },
    /// The session begins a transaction while it has one open.
    TransactionOpen,
    /// The session ends a transaction, or sets a savepoint in one, and has none open.
    NoTransaction,
    /// A transaction that has said [`crate::TransactionRequest::ReadOnly`] does more than read its
    /// snapshot.
    ReadOnly,
    /// The profile locks no ranges, or not in this strength.
    NoRangeLocks {
        /// The name of the profile.
        profile: &'static str,
        /// The lock that was wanted.
        lock: Lock,
    },
    /// A transaction is to be prepared, and the session that should get it does not exist or is not
    /// free for it.
    NoHeir {
        /// The name that was given for the session.
        name: String,
    },
    /// A transaction is to be prepared in a profile that cannot promise that it will commit; only
    /// engines can.
    NotPrepared {
        /// The name of the profile.
        profile: &'static str,
    },
    /// A transaction is to be prepared that has a lock on an object on which its session has a lock
    /// of its own.
    HeldTwice {
        /// The name of the object that both have locked.
        object: Key,
    },
    /// A prepared transaction can only be committed or aborted.
    Prepared,
    /// The transaction has no savepoint of this name.
    UnknownSavepoint {
        /// The name that was given.
        name: String,
    },
    /// The profile does not serve this level.
    LevelNotServed {
        /// The level that was asked for.
        level: Level,
        /// The name of the profile.
        profile: &'static str,
        /// The names of the levels that it serves.
        served: &'static str,
    },
    /// The chance of [`Policy::Weighted`](crate::Policy::Weighted) is no number from 0 to 1.
    NoChance {
        /// The chance as it was given.
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
    /// The session waits for a lock, and may only repeat that request or give up.
    Waiting,
    /// The session gives up a wait, and waits for nothing.
    NotWaiting,
    /// A counter would not fit into 64 bits any more.
    CounterOverflow {
        /// The name of the counter.
        key: Key,
        /// What was to be added.
        by: i64,
    },
    /// A choice of the log cannot be made any more. Unlike with other errors the request was
    /// served, with the newest versions.
    Diverged {
        /// The choice of the log, from 0.
        choice: u32,
        /// How many choices there are now.
        of: u32,
    },
    /// A session was told whom to see, and its level does not allow it for this key. As with
    /// [`StoreError::Diverged`], the request was served with another version.
    #[doc(hidden)]
    Unseeable {
        /// The key of which it was to see what the level forbids.
        key: Key,
    },
    /// The configuration contradicts itself, as this says.
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

/// The longest key that a store takes, in bytes.
pub const MAX_KEY: usize = 4096;

/// The longest value, in bytes of its JSON text or string.
pub const MAX_VALUE: usize = 16 << 20;
