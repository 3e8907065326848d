//! What functions may ask of the session that calls them.
//!
//! A function such as `now()`, `nextval('s')` or `pg_sleep(1)` needs more than its arguments. It
//! asks a [`Context`], which is a session when a statement runs and something simpler in tests. All
//! that is not a function of the arguments comes through here, and so a replay can answer with what
//! the log has: the time, random bits, the numbers of sequences.

use std::time::Duration;

use hobgoblin_sql_value::{Datum, Oid};

use crate::catalog::Catalog;
use crate::error::Result;
use crate::names::TypeEnv;

/// Which of the times a statement knows is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// When the transaction began: `now()`.
    Transaction,
    /// When the statement came: `statement_timestamp()`.
    Statement,
    /// The time of the call itself: `clock_timestamp()`.
    Wall,
}

/// What to do with a sequence. Each gives one number of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SequenceOp {
    /// `nextval`: takes the next number.
    Next(Oid),
    /// `currval`: the number that this session took last.
    Current(Oid),
    /// `lastval`: the number that this session took last, of any sequence.
    Last,
    /// `setval(sequence, value, is_called)`: goes on after `value`, or with it if that was not yet
    /// given.
    Set(Oid, i64, bool),
    /// The number that `nextval` would take, without taking it.
    Coming(Oid),
    /// The value of [`Coming`](SequenceOp::Coming) while no number has been taken yet, or since
    /// `setval` said that its value was not given.
    Uncalled(Oid),
}

/// What to do with an advisory lock: one on a number, which means what programs agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Advisory {
    Lock { key: AdvisoryKey, shared: bool, wait: bool, transaction: bool },
    Unlock { key: AdvisoryKey, shared: bool },
    UnlockAll,
}

/// What an advisory lock is on. A number of 64 bits and a pair of 32 bits each never conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum AdvisoryKey {
    One(i64),
    Two(i32, i32),
}

/// What to do with a lock that programs know by a name (`GET_LOCK` and the like).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameLock<'a> {
    /// Takes the lock, once more if the session has it. The answer is 1, or 0 if another session
    /// keeps it for longer than `limit`.
    Take {
        /// The name that programs have agreed on.
        name: &'a str,
        /// How long to wait; `None` waits for ever.
        limit: Option<Duration>,
    },
    /// Releases the lock once. The answer is 1, 0 if another session has it, or `None` if no one
    /// has.
    LetGo(&'a str),
    /// Releases all locks of the session. The answer is how often they had been taken.
    LetAllGo,
    /// The number of the session that has the lock; `None` if no one has.
    Owner(&'a str),
}

/// A session, as the functions that it calls see it.
pub trait Context {
    /// The settings and names by which values are read and printed.
    fn types(&self) -> TypeEnv<'_>;
    /// The catalogue that the statement sees.
    fn catalog(&self) -> &Catalog;
    /// A time, in microseconds since 2000-01-01 UTC. It comes from the log in a replay.
    fn clock(&mut self, clock: Clock) -> Result<i64>;
    /// Random bits. They come from the seed, and from the log in a replay.
    fn random(&mut self) -> Result<u64>;
    /// Does something with a sequence, and gives the number that it leads to.
    fn sequence(&mut self, op: SequenceOp) -> Result<i64>;
    /// The number of a sequence that was taken last and `true`, or the one that it begins with and
    /// `false`.
    fn sequence_state(&mut self, sequence: Oid) -> Result<(i64, bool)> {
        let coming = self.sequence(SequenceOp::Coming(sequence))?;
        if coming == self.sequence(SequenceOp::Uncalled(sequence))? {
            return Ok((coming, false));
        }
        let increment = self.catalog().sequence(sequence).map_or(1, |found| found.increment);
        Ok((coming.saturating_sub(increment), true))
    }
    /// How many bytes all committed keys that begin with this prefix have, with their values.
    fn stored_bytes(&self, _prefix: &str) -> i64 {
        0
    }
    /// The name of the session's temporary schema, which may not exist yet.
    fn temporary(&self) -> &str {
        ""
    }
    /// The place of the row that a cursor over this table is at.
    fn current_of(&self, _cursor: &str, _table: Oid) -> Result<Datum> {
        Ok(Datum::Null)
    }
    /// Takes or releases an advisory lock; whether it was taken, or had been held.
    fn advisory(&mut self, op: Advisory) -> Result<bool>;
    /// Does something with a named lock; `None` too where the dialect has no such locks.
    fn name_lock(&mut self, _op: NameLock<'_>) -> Result<Option<i64>> {
        Ok(None)
    }
    /// The value of a setting as SHOW prints it; `None` if there is no such setting.
    fn setting(&self, name: &str) -> Option<String>;
    /// Changes a setting as SET does, and gives its new value. With `local` it is restored when the
    /// transaction ends.
    fn set_setting(&mut self, name: &str, value: Option<&str>, local: bool) -> Result<String>;
    /// The name of the user: `current_user`, `session_user`.
    fn user(&self) -> &str;
    /// The name of the database: `current_database()`.
    fn database(&self) -> &str;
    /// The number of the session: `pg_backend_pid()`.
    fn backend_pid(&self) -> i32;
    /// The numbers of the sessions that the session `pid` waits for.
    fn blocking_pids(&self, pid: i32) -> Vec<i32>;
    /// The number of the transaction, for `txid_current()`.
    fn transaction_number(&mut self) -> Result<i64>;
    /// `pg_notify(channel, payload)`: sent when the transaction commits.
    fn notify(&mut self, channel: &str, payload: &str) -> Result<()>;
    /// The channels that the session listens on.
    fn channels(&self) -> Vec<String>;
    /// How many bytes of notifications have been sent that some session has not yet received.
    fn unread(&self) -> usize;
    /// `hob_fence()`: makes every transaction that has not read yet see all that is committed by
    /// now, whatever its level would allow it to miss.
    fn fence(&mut self) -> Result<()>;
    /// Fails if the statement is cancelled or its time is over. What takes long has to ask now and
    /// then.
    fn check_interrupts(&self) -> Result<()>;
    /// Waits for so long, or until the statement is cancelled.
    fn sleep(&mut self, time: Duration) -> Result<()>;
    /// Cancels the statement of another session, or with `terminate` ends the session. Gives
    /// whether there is one.
    fn interrupt(&mut self, pid: i32, terminate: bool) -> bool;
    /// An object as the SQL that would create it, for `pg_get_viewdef` and the like; `None` if
    /// there is no such object.
    fn definition(&self, what: crate::catalog::Definition) -> Result<Option<String>>;
}
