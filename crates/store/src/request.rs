//! What may be asked of a store, and what it answers.

use std::ops::Bound;

use hobgoblin_core::{Key, Level, SessionId, Value};

use crate::config::Policy;
use crate::error::AbortReason;
use crate::lock::{Lock, Mode, Scope, Wait};
use crate::range::KeyRange;

/// One request of one session.
///
/// What belongs to the session may be asked at any time. What belongs to a transaction is asked of the open one;
/// reads, writes and locks outside of one are transactions of their own.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// A request that concerns the session. It begins no transaction, unless it is
    /// [`SessionRequest::Begin`].
    Session(SessionRequest),
    /// A request of the open transaction, or of one that is only this request.
    Transaction(TransactionRequest),
}

/// What a session asks, whether or not a transaction is open.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionRequest {
    /// Begins a transaction. What is not given is as the session or the store has it.
    Begin {
        /// The level of the transaction.
        level: Option<Level>,
        /// How its reads choose among the versions they may return.
        policy: Option<Policy>,
    },
    /// Sets the level of the session's later transactions; `None` takes the store's.
    SetLevel(Option<Level>),
    /// Sets how the session's later transactions read; `None` takes the store's policy.
    SetPolicy(Option<Policy>),
    /// Whether the session's transactions from now on refuse to lock what changed since their snapshot, see
    /// [`Config::snapshot_isolation`](crate::Config::snapshot_isolation); `None` as the store's.
    SetSnapshotIsolation(Option<bool>),
    /// The statement whose events follow. The history names it; an engine whose statements have a
    /// snapshot each takes it now, or at the first read when no transaction is open yet.
    Statement(String),
    /// Adds to a counter and answers what it was before. Counters begin at 0, belong to no transaction,
    /// are not undone, and are not in the history.
    Advance {
        /// The counter. It has nothing to do with the key of the same name.
        key: Key,
        /// What is added.
        by: i64,
    },
    /// Sets a counter.
    SetCounter {
        /// The counter. It has nothing to do with the key of the same name.
        key: Key,
        /// The new value of the counter.
        value: i64,
    },
    /// The time in microseconds since 1970, as [`Machine::set_clock`](crate::Machine::set_clock) told it
    /// or as it was in the log.
    Clock,
    /// Answers with a number of 63 random bits, from the seed or from the log.
    Random,
    /// Lets go once of a lock of [`Scope::Session`]. The answer says whether the session held it.
    LetGo {
        /// The name of the object that is locked.
        object: Key,
        /// The mode in which the session has locked it.
        mode: Mode,
    },
    /// Lets go of all locks of [`Scope::Session`] that the session holds.
    LetGoAll,
    /// Makes every transaction that has not read yet see all that is committed by now.
    Fence,
    /// Another session ends this session's wait, if it waits for a lock, and its transaction, if it
    /// has one, or takes that back to its last savepoint.
    Cancel,
}

/// What is asked in a transaction.
#[derive(Clone, Debug, PartialEq)]
pub enum TransactionRequest {
    /// Reads a key.
    Get {
        /// The key that is read.
        key: Key,
        /// How this read chooses; `None` as the transaction does.
        policy: Option<Policy>,
        /// The lock that it takes. [`Profile::Spec`](crate::Profile::Spec) has no locks and reads
        /// as ever. In PostgreSQL at read committed, a row deleted since the statement began is
        /// answered by null and not locked, even if another row now has its key.
        lock: Option<Lock>,
        /// What it does if the lock is not free.
        wait: Wait,
        /// Whether it reads the newest committed version whatever the snapshot, and without a conflict
        /// when that is newer: what a check of a constraint does. In the history it is a locking read;
        /// [`Profile::Spec`](crate::Profile::Spec) reads as ever.
        latest: bool,
    },
    /// What an insert asks first: reads the newest committed version of a key once nobody else is about to
    /// write it, and locks the key for the insert where it holds nothing. In PostgreSQL a key that holds
    /// something is not locked, and locks of others on it are not waited for; in MySQL it is locked as asked. In the
    /// history it is a locking read; [`Profile::Spec`](crate::Profile::Spec) reads as ever.
    Reserve {
        /// The key that is to be inserted.
        key: Key,
        /// How MySQL locks the key if it holds something: to change what is there, or only to say
        /// that it is there.
        lock: Lock,
    },
    /// Reserves a key and writes it in one request. If the key holds something it is locked shared,
    /// and nothing is written. The answer is what it holds, or null where it was written.
    Insert {
        /// The key that is to be inserted.
        key: Key,
        /// The value that it gets.
        value: Value,
    },
    /// Writes a key. Writing null deletes it.
    Put {
        /// The key that is written.
        key: Key,
        /// The value that it gets; null deletes it.
        value: Value,
    },
    /// Reads every key of a range, one by one in the order of keys, or in the opposite order.
    Scan {
        /// The keys that are read.
        range: KeyRange,
        /// The scan stops after so many keys that hold a value; what comes after the last of them
        /// is not read.
        limit: Option<u32>,
        /// Whether it begins with the last key of the range.
        backwards: bool,
        /// How these reads choose; `None` as the transaction does.
        policy: Option<Policy>,
        /// Whether it locks its keys, and at MySQL's REPEATABLE READ and above the gaps between them, so that no other comes
        /// up there. Only where
        /// [`Profile::locks_ranges`](crate::Profile::locks_ranges) says so;
        /// [`Profile::Spec`](crate::Profile::Spec) has no locks and reads as ever.
        lock: Option<Lock>,
        /// What it does if a lock is not free.
        wait: Wait,
        /// Whether these are reads of the newest committed versions, as of a [`TransactionRequest::Get`].
        latest: bool,
    },
    /// Locks an object, which has a name and nothing else: a table, say, or what an application agreed on. It is
    /// no read and not in the history. [`Profile::Spec`](crate::Profile::Spec) has these locks too. Who waits
    /// is served in order: a lock that would go with those held is not given past one who waits for more.
    Hold {
        /// The name of the object. It has nothing to do with the key of the same name.
        object: Key,
        /// How strongly it is locked.
        mode: Mode,
        /// How long it is held.
        scope: Scope,
        /// What it does if the lock is not free.
        wait: Wait,
    },
    /// The transaction only reads, and only its snapshot: it writes, locks and checks nothing. Where that matters, which is at PostgreSQL's SERIALIZABLE, it takes its snapshot
    /// now.
    ReadOnly {
        /// Whether it waits for a snapshot with which nothing can go wrong.
        deferrable: bool,
    },
    /// Sets a savepoint. One of the same name that was set before is hidden until this one is gone.
    Savepoint(String),
    /// Undoes the writes since this savepoint, which stays. PostgreSQL releases the locks taken
    /// since as well.
    RollbackTo(String),
    /// Forgets this savepoint and those set since; their writes stay.
    Release(String),
    /// Two-phase commit: the transaction may commit now whatever comes, and goes, with its locks, to another session,
    /// which has none. There it is committed or aborted, and nothing else. Its own session goes on
    /// without it. Only engines have this.
    Prepare {
        /// The name of the session that gets the transaction.
        to: String,
    },
    /// The session found that what it had waited for is gone, and no longer wants the lock: whoever
    /// waits behind it goes on.
    StandAside,
    /// Has no use for what the last step of a locking scan came to, since it fails a condition. MySQL at READ COMMITTED
    /// releases what the step locked, unless it had to wait for it; nothing else does.
    PassOver,
    /// Commits the transaction; the answer may be that it is aborted.
    Commit,
    /// Aborts the transaction, and undoes what it wrote.
    Abort,
    /// Waits no longer for a lock: the transaction is aborted, or taken back to its last savepoint.
    GiveUp {
        /// Whether it gives up because sessions wait for each other; otherwise because it has
        /// waited too long.
        deadlock: bool,
    },
}

impl TransactionRequest {
    /// The key that it is about, or the one at which its range begins.
    fn place(&self) -> Option<&Key> {
        match self {
            TransactionRequest::Get { key, .. }
            | TransactionRequest::Reserve { key, .. }
            | TransactionRequest::Insert { key, .. }
            | TransactionRequest::Put { key, .. } => Some(key),
            TransactionRequest::Scan { range, .. } => match range.from() {
                Bound::Included(key) | Bound::Excluded(key) => Some(key),
                Bound::Unbounded => None,
            },
            TransactionRequest::Hold { .. }
            | TransactionRequest::ReadOnly { .. }
            | TransactionRequest::Savepoint(_)
            | TransactionRequest::RollbackTo(_)
            | TransactionRequest::Release(_)
            | TransactionRequest::Prepare { .. }
            | TransactionRequest::StandAside
            | TransactionRequest::PassOver
            | TransactionRequest::Commit
            | TransactionRequest::Abort
            | TransactionRequest::GiveUp { .. } => None,
        }
    }

    /// Whether it is a read that asks neither for a lock nor for the newest version.
    pub(crate) fn is_plain_read(&self) -> bool {
        match self {
            TransactionRequest::Get { lock, latest, .. }
            | TransactionRequest::Scan { lock, latest, .. } => lock.is_none() && !latest,
            _ => false,
        }
    }

    /// Whether a transaction that only reads its snapshot may not ask for it.
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
            | TransactionRequest::PassOver
            | TransactionRequest::Commit
            | TransactionRequest::Abort
            | TransactionRequest::GiveUp { .. } => false,
        }
    }

    /// Whether it reads or writes keys, and so counts as an access.
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
            | TransactionRequest::PassOver
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
    /// The key that it is about, or the one at which its range begins; `None` if it is about no key.
    #[doc(hidden)]
    pub fn place(&self) -> Option<&Key> {
        match self {
            Request::Transaction(request) => request.place(),
            Request::Session(_) => None,
        }
    }

    /// Commits the transaction.
    pub const COMMIT: Request = Request::Transaction(TransactionRequest::Commit);
    /// Aborts the transaction.
    pub const ABORT: Request = Request::Transaction(TransactionRequest::Abort);
    /// Makes every transaction that has not read yet see all that is committed by now.
    pub const FENCE: Request = Request::Session(SessionRequest::Fence);
    /// Asks for the time, in microseconds since 1970.
    pub const CLOCK: Request = Request::Session(SessionRequest::Clock);
    /// Asks for 63 random bits.
    pub const RANDOM: Request = Request::Session(SessionRequest::Random);
    /// Lets go of all locks of [`Scope::Session`].
    pub const LET_GO_ALL: Request = Request::Session(SessionRequest::LetGoAll);
    /// Ends the wait and the transaction of the session, for another one that asks for it.
    pub const CANCEL: Request = Request::Session(SessionRequest::Cancel);

    /// Begins a transaction. What is not given is as the session or the store has it.
    pub fn begin(level: Option<Level>, policy: Option<Policy>) -> Request {
        SessionRequest::Begin { level, policy }.into()
    }

    /// Sets the level of the session's later transactions.
    pub fn set_level(level: Option<Level>) -> Request {
        SessionRequest::SetLevel(level).into()
    }

    /// Sets how the session's later transactions read.
    pub fn set_policy(policy: Option<Policy>) -> Request {
        SessionRequest::SetPolicy(policy).into()
    }

    /// Tells the statement whose events follow.
    pub fn statement(text: String) -> Request {
        SessionRequest::Statement(text).into()
    }

    /// Adds to a counter, and asks what it was before.
    pub fn advance(key: Key, by: i64) -> Request {
        SessionRequest::Advance { key, by }.into()
    }

    /// Sets a counter to a value.
    pub fn set_counter(key: Key, value: i64) -> Request {
        SessionRequest::SetCounter { key, value }.into()
    }

    /// Lets go once of a lock of [`Scope::Session`].
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

    /// Asks what an insert asks first: whether the key holds something.
    pub fn reserve(key: Key, lock: Lock) -> Request {
        TransactionRequest::Reserve { key, lock }.into()
    }

    /// Reserves a key, and writes it if it holds nothing.
    pub fn insert(key: Key, value: Value) -> Request {
        TransactionRequest::Insert { key, value }.into()
    }

    /// Writes a key. Writing null deletes it.
    pub fn put(key: Key, value: Value) -> Request {
        TransactionRequest::Put { key, value }.into()
    }

    /// A plain scan of all of a range.
    pub fn scan(range: KeyRange) -> Request {
        let (limit, backwards, policy, lock) = (None, false, None, None);
        let (wait, latest) = (Wait::Forever, false);
        TransactionRequest::Scan { range, limit, backwards, policy, lock, wait, latest }.into()
    }

    /// Locks an object, which is a name that sessions agree on.
    pub fn hold(object: Key, mode: Mode, scope: Scope, wait: Wait) -> Request {
        TransactionRequest::Hold { object, mode, scope, wait }.into()
    }

    /// Says that the transaction only reads.
    pub fn read_only(deferrable: bool) -> Request {
        TransactionRequest::ReadOnly { deferrable }.into()
    }

    /// Sets a savepoint of this name.
    pub fn savepoint(name: String) -> Request {
        TransactionRequest::Savepoint(name).into()
    }

    /// Undoes the writes since a savepoint, which stays.
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

    /// Says that what the session waited for is gone, and the lock no longer wanted.
    pub const STAND_ASIDE: Request = Request::Transaction(TransactionRequest::StandAside);

    /// Says that the key a locking scan came to last fails a condition.
    pub const PASS_OVER: Request = Request::Transaction(TransactionRequest::PassOver);

    /// Sets whether the session's later transactions refuse to lock what changed since their
    /// snapshot.
    pub fn set_snapshot_isolation(on: Option<bool>) -> Request {
        SessionRequest::SetSnapshotIsolation(on).into()
    }

    /// Ends the session's own wait for a lock, and aborts its transaction or takes it back to its
    /// last savepoint.
    pub fn give_up(deadlock: bool) -> Request {
        TransactionRequest::GiveUp { deadlock }.into()
    }
}

/// What a store answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The request is done, and has nothing to tell.
    Done,
    /// The value of a key; null if the key is absent.
    Value(Value),
    /// The keys that a scan found to hold a value, in the order of the scan.
    Rows(Vec<(Key, Value)>),
    /// Another session holds the lock. Ask the same again when [`Machine::ready`](crate::Machine::ready)
    /// lists the session, or [`TransactionRequest::GiveUp`].
    Blocked {
        /// One of the sessions that hold the lock.
        holder: SessionId,
    },
    /// Another session holds the lock, and the read was not to wait: nothing happened.
    Locked {
        /// One of the sessions that hold the lock.
        holder: SessionId,
    },
    /// The request is refused. What the transaction did since its last savepoint is undone; it goes on.
    Refused(AbortReason),
    /// The transaction is aborted, and all that it wrote is undone.
    Aborted(AbortReason),
}
