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
    /// It is answered by [`Answer::Locked`](crate::Answer::Locked) at once.
    Not,
    /// A scan leaves out what is not free; a read of one key is answered as with [`Wait::Not`].
    Skip,
}
