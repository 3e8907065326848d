//! What may be asked of a store, and what it answers.

use std::fmt;
use std::str::FromStr;

use hobgoblin_core::{Key, Level, SessionId, Value};

use crate::config::Policy;
use crate::range::KeyRange;

/// One request of one session.
///
/// What belongs to the session may be asked at any time. What belongs to a transaction is asked of the open one;
/// reads, writes and locks outside of one are transactions of their own.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Of the session. It begins no transaction but by saying so.
    Session(SessionRequest),
    /// Of the open transaction, or of one that is only this request.
    Transaction(TransactionRequest),
}

/// What a session asks, whether or not a transaction is open.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionRequest {
    /// Begins a transaction; what is not given is the session's or the store's.
    Begin {
        /// Its level.
        level: Option<Level>,
        /// How its reads choose.
        policy: Option<Policy>,
    },
    /// The level of the session's transactions from now on; `None` as the store's.
    SetLevel(Option<Level>),
    /// How the session's transactions read from now on; `None` as the store's.
    SetPolicy(Option<Policy>),
    /// The statement whose events follow. The history names it; an engine whose statements have a
    /// snapshot each takes it now, or at the first read when no transaction is open yet.
    Statement(String),
    /// Adds to a counter and answers what it was before. Counters begin at 0, belong to no transaction,
    /// are not undone, and are not in the history.
    Advance {
        /// The counter; it has nothing to do with the key of this name.
        key: Key,
        /// What is added.
        by: i64,
    },
    /// Sets a counter.
    SetCounter {
        /// The counter.
        key: Key,
        /// What it is now.
        value: i64,
    },
    /// The time in microseconds since 1970, as [`Machine::set_clock`](crate::Machine::set_clock) told it
    /// or as it was in the log.
    Clock,
    /// A number of 63 random bits.
    Random,
    /// Lets a lock of [`Scope::Session`] go once; answers whether the session held it.
    LetGo {
        /// The object.
        object: Key,
        /// How strong it was.
        mode: Mode,
    },
    /// Lets all locks of [`Scope::Session`] go.
    LetGoAll,
    /// Everything committed so far is seen by every transaction that has not read yet.
    Fence,
    /// Someone else ends the session's wait, if it waits for a lock, and its transaction, if there is one,
    /// or takes that back to its last savepoint.
    Cancel,
}

/// What is asked in a transaction.
#[derive(Clone, Debug, PartialEq)]
pub enum TransactionRequest {
    /// Reads a key.
    Get {
        /// The key.
        key: Key,
        /// How this read chooses.
        policy: Option<Policy>,
        /// Whether it takes a lock; [`Profile::Spec`](crate::Profile::Spec) has no locks and reads as ever.
        /// In PostgreSQL at read committed a key that was deleted since the statement began is answered by
        /// null, and not locked, though somebody may have written it anew.
        lock: Option<Lock>,
        /// What it does when the lock is not free.
        wait: Wait,
        /// Whether it reads the newest committed version whatever the snapshot, and without a conflict
        /// when that is newer: what a check of a constraint does. In the history it is a locking read;
        /// [`Profile::Spec`](crate::Profile::Spec) reads as ever.
        latest: bool,
    },
    /// What an insert asks first: reads the newest committed version of a key once nobody else is about to
    /// write it, and locks the key for the insert where it holds nothing. In PostgreSQL a key that holds
    /// something is not locked, and locks of others on it are not waited for; in MySQL it is locked. In the
    /// history it is a locking read; [`Profile::Spec`](crate::Profile::Spec) reads as ever.
    Reserve {
        /// The key.
        key: Key,
    },
    /// Both in one: reserves a key and writes it where it holds nothing. It answers what the key holds, null where it was
    /// written.
    Insert {
        /// The key.
        key: Key,
        /// The value.
        value: Value,
    },
    /// Writes a key; writing null deletes it.
    Put {
        /// The key.
        key: Key,
        /// The value.
        value: Value,
    },
    /// Reads every key of a range, one by one in the order of keys, or in the opposite order.
    Scan {
        /// Which keys.
        range: KeyRange,
        /// Stop after so many keys that hold a value; what comes after the last of them is not read.
        limit: Option<u32>,
        /// Whether the last key comes first.
        backwards: bool,
        /// How these reads choose.
        policy: Option<Policy>,
        /// Whether it locks its keys, and the range, so that none comes up in it. Only where
        /// [`Profile::locks_ranges`](crate::Profile::locks_ranges) says so;
        /// [`Profile::Spec`](crate::Profile::Spec) has no locks and reads as ever.
        lock: Option<Lock>,
        /// What it does when a lock is not free.
        wait: Wait,
        /// Whether these are reads of the newest committed versions, as of a [`TransactionRequest::Get`].
        latest: bool,
    },
    /// Locks an object, which has a name and nothing else: a table, say, or what an application agreed on. It is
    /// no read and not in the history. [`Profile::Spec`](crate::Profile::Spec) has these locks too. Who waits
    /// is served in order: a lock that would go with those held is not given past one who waits for more.
    Hold {
        /// The object; it has nothing to do with the key of this name.
        object: Key,
        /// How strong the lock is.
        mode: Mode,
        /// How long it is held.
        scope: Scope,
        /// What to do when the lock is not free.
        wait: Wait,
    },
    /// The transaction only reads, and only its snapshot: it writes, locks and checks nothing. Where that matters, which is at PostgreSQL's SERIALIZABLE, it takes its snapshot
    /// now.
    ReadOnly {
        /// Whether it waits for a snapshot with which nothing can go wrong.
        deferrable: bool,
    },
    /// Sets a savepoint; one of the same name is hidden until this one is gone.
    Savepoint(String),
    /// Undoes the writes since a savepoint, which stays; PostgreSQL releases the locks taken since.
    RollbackTo(String),
    /// Forgets a savepoint and those set since.
    Release(String),
    /// Two-phase commit: the transaction may commit now whatever comes, and goes, with its locks, to another session,
    /// which has none. There it is committed or aborted, and nothing else. Its own session goes on
    /// without it. Only engines have this.
    Prepare {
        /// The name of that session.
        to: String,
    },
    /// Wants no more what it waited for and found gone: whoever waits behind it goes on.
    StandAside,
    /// Commits the transaction.
    Commit,
    /// Aborts the transaction.
    Abort,
    /// Waits no longer for a lock: the transaction is aborted, or taken back to its last savepoint.
    GiveUp {
        /// Whether because it and others wait for each other, and not because it waited too long.
        deadlock: bool,
    },
}

impl TransactionRequest {
    /// Whether a transaction that only reads its snapshot may not ask it.
    pub(crate) fn is_more_than_a_read(&self) -> bool {
        match self {
            TransactionRequest::Put { .. }
            | TransactionRequest::Reserve { .. }
            | TransactionRequest::Insert { .. } => true,
            TransactionRequest::Get { lock, latest, .. }
            | TransactionRequest::Scan { lock, latest, .. } => lock.is_some() || *latest,
            TransactionRequest::Hold { .. }
            | TransactionRequest::ReadOnly { .. }
            | TransactionRequest::Savepoint(_)
            | TransactionRequest::RollbackTo(_)
            | TransactionRequest::Release(_)
            | TransactionRequest::Prepare { .. }
            | TransactionRequest::StandAside
            | TransactionRequest::Commit
            | TransactionRequest::Abort
            | TransactionRequest::GiveUp { .. } => false,
        }
    }

    /// Whether it reads or writes keys.
    pub(crate) fn is_access(&self) -> bool {
        match self {
            TransactionRequest::Get { .. }
            | TransactionRequest::Reserve { .. }
            | TransactionRequest::Insert { .. }
            | TransactionRequest::Put { .. }
            | TransactionRequest::Scan { .. } => true,
            TransactionRequest::Hold { .. }
            | TransactionRequest::ReadOnly { .. }
            | TransactionRequest::Savepoint(_)
            | TransactionRequest::RollbackTo(_)
            | TransactionRequest::Release(_)
            | TransactionRequest::Prepare { .. }
            | TransactionRequest::StandAside
            | TransactionRequest::Commit
            | TransactionRequest::Abort
            | TransactionRequest::GiveUp { .. } => false,
        }
    }
}

impl From<SessionRequest> for Request {
    fn from(request: SessionRequest) -> Request {
        Request::Session(request)
    }
}

impl From<TransactionRequest> for Request {
    fn from(request: TransactionRequest) -> Request {
        Request::Transaction(request)
    }
}

/// Short forms of the requests that are made most.
impl Request {
    /// Commits the transaction.
    pub const COMMIT: Request = Request::Transaction(TransactionRequest::Commit);
    /// Aborts the transaction.
    pub const ABORT: Request = Request::Transaction(TransactionRequest::Abort);
    /// Everything committed so far is seen by every transaction that has not read yet.
    pub const FENCE: Request = Request::Session(SessionRequest::Fence);
    /// The time.
    pub const CLOCK: Request = Request::Session(SessionRequest::Clock);
    /// A random number.
    pub const RANDOM: Request = Request::Session(SessionRequest::Random);
    /// Lets all locks of [`Scope::Session`] go.
    pub const LET_GO_ALL: Request = Request::Session(SessionRequest::LetGoAll);
    /// Ends the session's wait and its transaction.
    pub const CANCEL: Request = Request::Session(SessionRequest::Cancel);

    /// Begins a transaction; what is not given is the session's or the store's.
    pub fn begin(level: Option<Level>, policy: Option<Policy>) -> Request {
        SessionRequest::Begin { level, policy }.into()
    }

    /// The level of the session's transactions from now on.
    pub fn set_level(level: Option<Level>) -> Request {
        SessionRequest::SetLevel(level).into()
    }

    /// How the session's transactions read from now on.
    pub fn set_policy(policy: Option<Policy>) -> Request {
        SessionRequest::SetPolicy(policy).into()
    }

    /// The statement whose events follow.
    pub fn statement(text: String) -> Request {
        SessionRequest::Statement(text).into()
    }

    /// Adds to a counter.
    pub fn advance(key: Key, by: i64) -> Request {
        SessionRequest::Advance { key, by }.into()
    }

    /// Sets a counter.
    pub fn set_counter(key: Key, value: i64) -> Request {
        SessionRequest::SetCounter { key, value }.into()
    }

    /// Lets a lock of [`Scope::Session`] go once.
    pub fn let_go(object: Key, mode: Mode) -> Request {
        SessionRequest::LetGo { object, mode }.into()
    }

    /// A plain read of a key.
    pub fn get(key: impl Into<Key>) -> Request {
        let (key, policy, lock, wait, latest) = (key.into(), None, None, Wait::Forever, false);
        TransactionRequest::Get { key, policy, lock, wait, latest }.into()
    }

    /// A read that locks a key and waits for the lock.
    pub fn lock(key: impl Into<Key>, lock: Lock) -> Request {
        let (key, policy, lock, wait, latest) =
            (key.into(), None, Some(lock), Wait::Forever, false);
        TransactionRequest::Get { key, policy, lock, wait, latest }.into()
    }

    /// What an insert of a key asks first.
    pub fn reserve(key: Key) -> Request {
        TransactionRequest::Reserve { key }.into()
    }

    /// Reserves a key and writes it where it holds nothing.
    pub fn insert(key: Key, value: Value) -> Request {
        TransactionRequest::Insert { key, value }.into()
    }

    /// Writes a key; writing null deletes it.
    pub fn put(key: Key, value: Value) -> Request {
        TransactionRequest::Put { key, value }.into()
    }

    /// A plain scan of all of a range.
    pub fn scan(range: KeyRange) -> Request {
        let (limit, backwards, policy, lock) = (None, false, None, None);
        let (wait, latest) = (Wait::Forever, false);
        TransactionRequest::Scan { range, limit, backwards, policy, lock, wait, latest }.into()
    }

    /// Locks an object.
    pub fn hold(object: Key, mode: Mode, scope: Scope, wait: Wait) -> Request {
        TransactionRequest::Hold { object, mode, scope, wait }.into()
    }

    /// The transaction only reads.
    pub fn read_only(deferrable: bool) -> Request {
        TransactionRequest::ReadOnly { deferrable }.into()
    }

    /// Sets a savepoint.
    pub fn savepoint(name: String) -> Request {
        TransactionRequest::Savepoint(name).into()
    }

    /// Undoes the writes since a savepoint.
    pub fn rollback_to(name: String) -> Request {
        TransactionRequest::RollbackTo(name).into()
    }

    /// Forgets a savepoint and those set since.
    pub fn release(name: String) -> Request {
        TransactionRequest::Release(name).into()
    }

    /// Prepares the transaction for two-phase commit, and hands it to the session of this name.
    pub fn prepare(to: String) -> Request {
        TransactionRequest::Prepare { to }.into()
    }

    /// Wants no more what it waited for and found gone.
    pub const STAND_ASIDE: Request = Request::Transaction(TransactionRequest::StandAside);

    /// Waits no longer for a lock.
    pub fn give_up(deadlock: bool) -> Request {
        TransactionRequest::GiveUp { deadlock }.into()
    }
}

/// The lock a read takes, as PostgreSQL's row locks (its manual, 13.3.2). Weaker ones come
/// first; those marked clash when different sessions want them:
///
/// ```text
///                    KeyShare  Share  NoKeyUpdate  Update
///     KeyShare                                       x
///     Share                              x           x
///     NoKeyUpdate                x       x           x
///     Update            x        x       x           x
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lock {
    /// The key stays; what else the row holds may change. Foreign keys take it.
    KeyShare,
    /// Nothing of it changes.
    Share,
    /// Only its holder changes it, though not what others refer to.
    NoKeyUpdate,
    /// Nobody else has any lock on it.
    Update,
}

impl Lock {
    /// Every lock, the weakest first.
    pub const ALL: [Lock; 4] = [Lock::KeyShare, Lock::Share, Lock::NoKeyUpdate, Lock::Update];

    /// Its name in files and in HTTP bodies.
    pub fn name(self) -> &'static str {
        match self {
            Lock::KeyShare => "key-share",
            Lock::Share => "share",
            Lock::NoKeyUpdate => "no-key-update",
            Lock::Update => "update",
        }
    }
}

impl FromStr for Lock {
    type Err = String;

    fn from_str(name: &str) -> Result<Lock, String> {
        let found = Lock::ALL.into_iter().find(|lock| lock.name() == name);
        found.ok_or_else(|| {
            format!("{name:?} is no lock: say key-share, share, no-key-update or update")
        })
    }
}

/// How strong a lock on an object is, as PostgreSQL's table locks (its manual, 13.3.1). Those marked clash when
/// different sessions want them:
///
/// ```text
///                          AS  RS  RX  SUX  S  SRX  X  AX
///     AccessShare                                      x
///     RowShare                                      x  x
///     RowExclusive                          x   x   x  x
///     ShareUpdateExclusive             x    x   x   x  x
///     Share                        x   x        x   x  x
///     ShareRowExclusive            x   x    x   x   x  x
///     Exclusive                x   x   x    x   x   x  x
///     AccessExclusive      x   x   x   x    x   x   x  x
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// To read a table.
    AccessShare,
    /// To lock rows of it.
    RowShare,
    /// To change rows.
    RowExclusive,
    /// To look after it while others change rows.
    ShareUpdateExclusive,
    /// Nobody changes rows. Advisory locks that are shared.
    Share,
    /// The same, and nobody else has this lock.
    ShareRowExclusive,
    /// Others may only read. Advisory locks.
    Exclusive,
    /// Others may not even read.
    AccessExclusive,
}

impl Mode {
    /// Every mode, in the order of the manual.
    pub const ALL: [Mode; 8] = [
        Mode::AccessShare,
        Mode::RowShare,
        Mode::RowExclusive,
        Mode::ShareUpdateExclusive,
        Mode::Share,
        Mode::ShareRowExclusive,
        Mode::Exclusive,
        Mode::AccessExclusive,
    ];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Mode::AccessShare => "access-share",
            Mode::RowShare => "row-share",
            Mode::RowExclusive => "row-exclusive",
            Mode::ShareUpdateExclusive => "share-update-exclusive",
            Mode::Share => "share",
            Mode::ShareRowExclusive => "share-row-exclusive",
            Mode::Exclusive => "exclusive",
            Mode::AccessExclusive => "access-exclusive",
        }
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(name: &str) -> Result<Mode, String> {
        let found = Mode::ALL.into_iter().find(|mode| mode.name() == name);
        found.ok_or_else(|| {
            format!("{name:?} is no lock mode: say share, exclusive, access-exclusive or another of PostgreSQL's")
        })
    }
}

/// How long a lock on an object is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Scope {
    /// To the end of the transaction, or a rollback past the point where it was taken.
    #[default]
    Transaction,
    /// Whatever becomes of transactions, until it is let go as often as it was taken.
    Session,
}

/// What a read does when the lock it wants is not free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Wait {
    /// It waits.
    #[default]
    Forever,
    /// It is answered by [`Answer::Locked`] at once.
    Not,
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
    /// lists the session, or [`TransactionRequest::GiveUp`].
    Blocked {
        /// A session that holds it.
        holder: SessionId,
    },
    /// Another session holds the lock, and the read was not to wait: nothing happened.
    Locked {
        /// A session that holds it.
        holder: SessionId,
    },
    /// The request is refused. What the transaction did since its last savepoint is undone; it goes on.
    Refused(AbortReason),
    /// The transaction is aborted.
    Aborted(AbortReason),
}

/// Why the store aborted a transaction.
///
/// ```
/// # mod hobgoblin { pub use hobgoblin_core::*; pub mod store { pub use hobgoblin_store::*; } }
/// use hobgoblin::store::AbortReason;
///
/// assert_eq!(AbortReason::Deadlock.to_string().is_empty(), false);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AbortReason {
    /// No order of transactions that the level allows has a place for it: run it again.
    Serialization,
    /// The same: what it wanted to lock or write was deleted since its snapshot.
    Deleted,
    /// The same: what it and others read and overwrote may be a cycle.
    Dependencies,
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
            AbortReason::Deadlock => {
                "deadlock: transactions wait for each other; run this one again"
            }
            AbortReason::LockTimeout => "waited too long for a lock; run the transaction again",
            AbortReason::Spurious => "aborted for no reason, as the abort rate asks; run it again",
        })
    }
}

/// What a store cannot do. Nothing changes by such a request, but for [`StoreError::Diverged`].
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
    /// It said [`TransactionRequest::ReadOnly`].
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
    /// The chance of [`Policy::Weighted`] is none.
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
            StoreError::Config(inner) => write!(f, "{inner}"),
        }
    }
}

impl std::error::Error for StoreError {}

/// The longest key, in bytes.
pub const MAX_KEY: usize = 4096;

/// The longest value, in bytes of its JSON text or string.
pub const MAX_VALUE: usize = 16 << 20;
