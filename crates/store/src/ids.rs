//! The numbers of what a store keeps, each of a type of its own. Sessions are numbered by core's
//! [`SessionId`]; numbers become bare only where they leave the store, for the history and its users.

use hobgoblin_core::SessionId;

/// The number of a key that is known, as long as it is; dense, so that it also indexes side tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct KeyNo(u32);

impl KeyNo {
    /// The key at a place of the table of keys.
    #[inline]
    pub(crate) fn new(index: usize) -> KeyNo {
        debug_assert!(u32::try_from(index).is_ok(), "keys have numbers of 32 bits");
        KeyNo(index as u32)
    }

    /// Its place in tables.
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of a transaction, from 1 in the order of begins; 0 is the one before all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TxnNo(u32);

impl TxnNo {
    /// The transaction before all others.
    pub(crate) const INIT: TxnNo = TxnNo(0);

    /// The transaction that begins after this one.
    pub(crate) fn next(self) -> TxnNo {
        TxnNo(self.0 + 1)
    }

    /// The bare number, for histories and their users.
    pub(crate) fn raw(self) -> u32 {
        self.0
    }
}

/// A place in the commit order, from 1, and so also a prefix of it: how many commits that has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Pos(u64);

impl Pos {
    /// The place of the initial versions, and of commits whose place is open. As a prefix, no
    /// commit at all.
    pub(crate) const START: Pos = Pos(0);
    /// The prefix of all commits, those to come too.
    pub(crate) const ALL: Pos = Pos(u64::MAX);

    /// The place after it.
    #[inline]
    pub(crate) fn next(self) -> Pos {
        Pos(self.0 + 1)
    }

    /// The longest prefix without the commit at this place.
    #[inline]
    pub(crate) fn before(self) -> Pos {
        Pos(self.0 - 1)
    }
}

/// The session that wrote a version, or nobody, in four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Writer(u32);

impl Writer {
    /// Stands for the writer of an initial version, which no session wrote.
    pub(crate) const NOBODY: Writer = Writer(u32::MAX);

    /// The bare number, to draw by.
    pub(crate) fn raw(self) -> u32 {
        self.0
    }
}

impl From<SessionId> for Writer {
    fn from(session: SessionId) -> Writer {
        Writer(session.raw())
    }
}
