//! One event of a history, in eight bytes, and what becomes of the transaction it belongs to.

use crate::ids::KeyId;

/// What became of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Status {
    /// The database said it committed.
    #[default]
    Committed,
    /// The database said it aborted.
    Aborted,
    /// No answer came back.
    Unknown,
}

/// Whether an event reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A read of a key.
    Read,
    /// A write of a key.
    Write,
}

/// One event, packed: a key, a kind, and the (key, value) pair it concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub(crate) packed: u32,
    pub(crate) datum: u32,
}

impl Event {
    pub(crate) const WRITE: u32 = 1 << 31;
    pub(crate) const FINAL: u32 = 1 << 30;

    /// The key read or written.
    #[inline]
    pub fn key(self) -> KeyId {
        KeyId::new((self.packed & !(Event::WRITE | Event::FINAL)) as usize)
    }

    /// Whether this is a read or a write.
    #[inline]
    pub fn kind(self) -> Kind {
        if self.is_write() { Kind::Write } else { Kind::Read }
    }

    /// Whether this is a write.
    #[inline]
    pub fn is_write(self) -> bool {
        self.packed & Event::WRITE != 0
    }

    /// Whether this is the last write of its key in its transaction, the one others may see.
    #[doc(hidden)]
    #[inline]
    pub fn is_final_write(self) -> bool {
        self.packed & Event::FINAL != 0
    }

    /// A number shared by exactly the events of the same key and value.
    #[doc(hidden)]
    #[inline]
    pub fn datum(self) -> u32 {
        self.datum
    }
}
