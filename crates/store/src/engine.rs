//! What the engines have in common: snapshots, version order by arrival, locks held to the end.
//!
//! Here a read has no choice. What varies is which session goes next, and that is up to whoever sends
//! the requests; see [`Scheduler`](crate::Scheduler). Commits are numbered as they arrive, so a snapshot is a number,
//! how many commits it has, and what was committed is seen by whoever takes one later.
//!
//! [`postgres`](crate::postgres) and [`mysql`](crate::mysql) own an [`Engine`] each, and [`Snapshots`] in each view.
//! When they take which lock, and what they do when a snapshot is behind, is theirs to say.

use hobgoblin_core::SessionId;

use crate::ids::{KeyNo, Pos};
use crate::keys::{Keys, LiveVersion, Version};
use crate::lock::{Lock, Wait};
use crate::locks::{Locks, Wanted};
use crate::open::{Left, Open};
use crate::stop::Stop;
use crate::truth::{Manner, Read};

/// How often a transaction takes a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Each {
    /// Every statement has one of its own.
    Statement,
    /// The transaction has one, taken by its first statement.
    Transaction,
    /// There is none: all reads see the newest.
    Read,
}

/// The snapshots of an open transaction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Snapshots {
    each: Each,
    /// The transaction's; [`Pos::ALL`] until it has one.
    whole: Pos,
    /// The statement's, inside one.
    statement: Option<Pos>,
}

impl Snapshots {
    pub(crate) fn new(each: Each) -> Snapshots {
        Snapshots { each, whole: Pos::ALL, statement: None }
    }

    /// A statement begins: it takes its snapshot `now`, or by its first read.
    pub(crate) fn statement(&mut self, now: Option<Pos>) {
        if self.each == Each::Statement {
            self.statement = Some(now.unwrap_or(Pos::ALL));
        }
    }

    /// Takes the snapshot of the statement at hand anew.
    pub(crate) fn renew(&mut self, now: Pos) {
        if let Some(statement) = &mut self.statement {
            *statement = now;
        }
    }

    /// The commits a plain read sees, and whether that is a snapshot that was taken right now and is kept.
    #[inline]
    pub(crate) fn take(&mut self, now: Pos) -> (Pos, bool) {
        let taken = match (self.each, &mut self.statement) {
            (Each::Statement, Some(statement)) => statement,
            (Each::Statement, None) | (Each::Read, _) => return (now, false),
            (Each::Transaction, _) => &mut self.whole,
        };
        let new = *taken == Pos::ALL;
        if new {
            *taken = now;
        }
        (*taken, new)
    }

    /// The commits that a plain read sees as things are.
    pub(crate) fn current(&self) -> Pos {
        match self.each {
            Each::Statement => self.statement.unwrap_or(Pos::ALL),
            Each::Transaction => self.whole,
            Each::Read => Pos::ALL,
        }
    }

    /// Whether the transaction has its snapshot.
    pub(crate) fn is_taken(&self) -> bool {
        self.whole != Pos::ALL
    }

    /// The transaction will take another one.
    pub(crate) fn forget(&mut self) {
        self.whole = Pos::ALL;
    }
}

/// The state that engines have, their keys and views apart.
#[derive(Debug)]
pub(crate) struct Engine {
    /// How many commits wrote something.
    pub(crate) positions: Pos,
    pub(crate) locks: Locks,
}

impl Engine {
    pub(crate) fn new(locks: Locks) -> Engine {
        Engine { positions: Pos::START, locks }
    }

    /// Locks a key to be written, unless the session may write it already.
    pub(crate) fn lock_to_write(
        &mut self,
        session: SessionId,
        key: KeyNo,
        keys: &Keys,
    ) -> Result<(), Stop> {
        if self.locks.may_write(session, key) {
            return Ok(());
        }
        let wanted = Wanted::Key { key, lock: Lock::Update };
        self.locks.acquire(session, wanted, Wait::Forever, keys)
    }

    /// Commits what a transaction wrote; `snapshots` are those of the others.
    pub(crate) fn commit<'s>(
        &mut self,
        session: SessionId,
        open: &Open,
        written: &[Left],
        snapshots: impl Iterator<Item = &'s Snapshots>,
        keys: &mut Keys,
    ) {
        self.positions = self.positions.next();
        let pos = self.positions;
        let oldest = snapshots.map(Snapshots::current).min().unwrap_or(Pos::ALL).min(pos);
        for left in written {
            let exclusive = self.locks.wrote_alone(session, left.key);
            let value = open.value(left).clone();
            let version = Version { txn: open.number, writer: session.into(), pos, value };
            let version = LiveVersion { version, slot: 0, exclusive, anew: left.anew };
            keys.append(left.key, version, oldest);
        }
    }
}

/// A read of an engine that returns this version of a key.
pub(crate) fn read_of(found: &Version, newest: &Version, manner: Manner) -> Read {
    Read {
        txn: found.txn,
        value: found.value.clone(),
        newest: found.pos == newest.pos,
        open: false,
        gone: false,
        locks: manner.is_locking(),
    }
}
