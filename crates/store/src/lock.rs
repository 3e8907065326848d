//! What a request may ask to lock, how strongly, and whether it waits.

use std::str::FromStr;

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
    /// The key of the row stays; all else may change. A foreign key takes it on the row it refers
    /// to.
    KeyShare,
    /// Nothing of the row changes.
    Share,
    /// Only the holder changes the row, and not its key, so that others may still refer to it.
    NoKeyUpdate,
    /// No other session has any lock on it.
    Update,
}

impl Lock {
    /// All locks, the weakest first.
    pub const ALL: [Lock; 4] = [Lock::KeyShare, Lock::Share, Lock::NoKeyUpdate, Lock::Update];

    /// The name in files and in HTTP bodies.
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
    /// A statement reads the table.
    AccessShare,
    /// A statement locks rows of the table.
    RowShare,
    /// A statement changes rows of the table.
    RowExclusive,
    /// The table is looked after, as by VACUUM, while others change rows.
    ShareUpdateExclusive,
    /// No one changes rows. A shared advisory lock is one of these.
    Share,
    /// No one changes rows, and no other session has this lock.
    ShareRowExclusive,
    /// Others may only read. An advisory lock that is not shared is one of these.
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

    /// The name in files.
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
    /// Until the transaction ends, or is rolled back past the point where it was taken.
    #[default]
    Transaction,
    /// Until it is let go as often as it was taken, whatever becomes of transactions.
    Session,
}

/// What a request does if the lock that it wants is not free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Wait {
    /// It waits until the lock is free, or until the session gives up.
    #[default]
    Forever,
    /// It is answered by [`Answer::Locked`](crate::Answer::Locked) at once.
    Not,
    /// A scan leaves out what is not free; a read of one key is answered as with [`Wait::Not`].
    Skip,
}
