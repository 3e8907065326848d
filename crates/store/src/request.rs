//! What may be asked of a store, and what it answers.

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
    /// Whether the session's transactions from now on refuse to lock what changed since their snapshot, see
    /// [`Config::snapshot_isolation`](crate::Config::snapshot_isolation); `None` as the store's.
    SetSnapshotIsolation(Option<bool>),
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
    /// something is not locked, and locks of others on it are not waited for; in MySQL it is locked as asked. In the
    /// history it is a locking read; [`Profile::Spec`](crate::Profile::Spec) reads as ever.
    Reserve {
        /// The key.
        key: Key,
        /// How MySQL locks a key that holds something: to change what is there, or to say that it is there.
        lock: Lock,
    },
    /// Both in one: reserves a key, shared where it holds something, and writes it where it holds nothing. It answers what the key holds, null where it was
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
        /// Whether it locks its keys, and at MySQL's REPEATABLE READ and above the gaps between them, so that no other comes
        /// up there. Only where
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
    /// Has no use for what the last step of a locking scan came to, since it fails a condition. MySQL at READ COMMITTED
    /// releases what the step locked, unless it had to wait for it; nothing else does.
    PassOver,
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
    /// Whether it reads, and asks for neither a lock nor the newest.
    pub(crate) fn is_plain_read(&self) -> bool {
        match self {
            TransactionRequest::Get { lock, latest, .. }
            | TransactionRequest::Scan { lock, latest, .. } => lock.is_none() && !latest,
            _ => false,
        }
    }

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
            | TransactionRequest::PassOver
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
    pub fn reserve(key: Key, lock: Lock) -> Request {
        TransactionRequest::Reserve { key, lock }.into()
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

    /// Has no use for what the last step of a locking scan came to.
    pub const PASS_OVER: Request = Request::Transaction(TransactionRequest::PassOver);

    /// Whether the session's transactions refuse to lock what changed since their snapshot.
    pub fn set_snapshot_isolation(on: Option<bool>) -> Request {
        SessionRequest::SetSnapshotIsolation(on).into()
    }

    /// Waits no longer for a lock.
    pub fn give_up(deadlock: bool) -> Request {
        TransactionRequest::GiveUp { deadlock }.into()
    }
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
