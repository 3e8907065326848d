//! What functions may ask of the session that calls them.

use std::time::Duration;

use hobgoblin_sql_value::{Datum, Oid};

use crate::catalog::Catalog;
use crate::error::Result;
use crate::names::TypeEnv;

/// Which time is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// When the transaction began: `now()`.
    Transaction,
    /// When the statement came: `statement_timestamp()`.
    Statement,
    /// Now: `clock_timestamp()`.
    Wall,
}

/// What to do with a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SequenceOp {
    /// `nextval`.
    Next(Oid),
    /// `currval`.
    Current(Oid),
    /// `lastval`.
    Last,
    /// `setval(sequence, value, is_called)`.
    Set(Oid, i64, bool),
    /// The value that comes next.
    Coming(Oid),
    /// The value that, when it comes next, has not been given before.
    Uncalled(Oid),
}

/// What to do with an advisory lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Advisory {
    Lock { key: AdvisoryKey, shared: bool, wait: bool, transaction: bool },
    Unlock { key: AdvisoryKey, shared: bool },
    UnlockAll,
}

/// What an advisory lock is on: one number of 64 bits or two of 32, which are two spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum AdvisoryKey {
    One(i64),
    Two(i32, i32),
}

/// What to do with a lock that programs know by a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameLock<'a> {
    /// Takes it, perhaps once more; 0 if somebody else has it for longer than that. Without a limit it waits for ever.
    Take {
        /// Its name.
        name: &'a str,
        /// How long it waits.
        limit: Option<Duration>,
    },
    /// Lets it go once; 0 if somebody else has it, and nothing if nobody has.
    LetGo(&'a str),
    /// Lets all of the session's go; how often they were taken.
    LetAllGo,
    /// The number of the session that has it, if one does.
    Owner(&'a str),
}

/// The session, as functions see it.
pub trait Context {
    /// How values read and print.
    fn types(&self) -> TypeEnv<'_>;
    /// The catalogue the statement sees.
    fn catalog(&self) -> &Catalog;
    /// A time, in microseconds since 2000-01-01 UTC. It comes from the log in a replay.
    fn clock(&mut self, clock: Clock) -> Result<i64>;
    /// Random bits. They come from the seed, and from the log in a replay.
    fn random(&mut self) -> Result<u64>;
    /// Sequences.
    fn sequence(&mut self, op: SequenceOp) -> Result<i64>;
    /// The last value of a sequence, or the one that comes first, and whether it was given.
    fn sequence_state(&mut self, sequence: Oid) -> Result<(i64, bool)> {
        let coming = self.sequence(SequenceOp::Coming(sequence))?;
        if coming == self.sequence(SequenceOp::Uncalled(sequence))? {
            return Ok((coming, false));
        }
        let increment = self.catalog().sequence(sequence).map_or(1, |found| found.increment);
        Ok((coming.saturating_sub(increment), true))
    }
    /// How many bytes the committed keys and values have that begin so.
    fn stored_bytes(&self, _prefix: &str) -> i64 {
        0
    }
    /// The name of the session's temporary schema, which need not be there.
    fn temporary(&self) -> &str {
        ""
    }
    /// The place of the row of a table that a cursor is at.
    fn current_of(&self, _cursor: &str, _table: Oid) -> Result<Datum> {
        Ok(Datum::Null)
    }
    /// Advisory locks; whether it was taken, or was held.
    fn advisory(&mut self, op: Advisory) -> Result<bool>;
    /// Locks that programs know by their names; none where the dialect has no such locks.
    fn name_lock(&mut self, _op: NameLock<'_>) -> Result<Option<i64>> {
        Ok(None)
    }
    /// A setting as SHOW prints it.
    fn setting(&self, name: &str) -> Option<String>;
    /// Sets a setting as SET does; gives its new value.
    fn set_setting(&mut self, name: &str, value: Option<&str>, local: bool) -> Result<String>;
    /// `current_user`, `session_user`.
    fn user(&self) -> &str;
    /// `current_database()`.
    fn database(&self) -> &str;
    /// `pg_backend_pid()`.
    fn backend_pid(&self) -> i32;
    /// The process ids of the sessions that another one waits for.
    fn blocking_pids(&self, pid: i32) -> Vec<i32>;
    /// The number of the transaction, for `txid_current()`.
    fn transaction_number(&mut self) -> Result<i64>;
    /// `pg_notify(channel, payload)`: sent when the transaction commits.
    fn notify(&mut self, channel: &str, payload: &str) -> Result<()>;
    /// The channels that the session listens to.
    fn channels(&self) -> Vec<String>;
    /// How many bytes of notifications somebody has not taken yet.
    fn unread(&self) -> usize;
    /// `hob_fence()`: everything committed so far is seen by whoever has not read yet.
    fn fence(&mut self) -> Result<()>;
    /// Fails if the statement is to end; to be asked now and then by what takes long.
    fn check_interrupts(&self) -> Result<()>;
    /// Waits, unless the statement is cancelled.
    fn sleep(&mut self, time: Duration) -> Result<()>;
    /// Cancels the statement of another session, or ends that; whether there is one.
    fn interrupt(&mut self, pid: i32, terminate: bool) -> bool;
    /// The definition of an object in SQL, for the `pg_get_…def` functions that need bound expressions.
    fn definition(&self, what: crate::catalog::Definition) -> Result<Option<String>>;
}
