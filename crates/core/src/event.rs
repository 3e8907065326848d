//! One event of a history, in eight bytes, and what becomes of the transaction it belongs to.

use crate::ids::KeyId;

/// What became of a transaction.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::history::Status;
///
/// # use hobgoblin_core::{HistoryBuilder, Kind as BuilderKind, TxnInfo};
/// # let mut b = HistoryBuilder::new();
/// # let (s1, s2, x) = (b.session(&"s1".into()), b.session(&"s2".into()), b.key(&"x".into()));
/// # b.begin(s1);
/// # b.event_int(BuilderKind::Write, x, 1);
/// # b.end(TxnInfo { name: Some("t1"), ..TxnInfo::default() })?;
/// # b.begin(s2);
/// # b.event_int(BuilderKind::Read, x, 1);
/// # b.end(TxnInfo { name: Some("t2"), ..TxnInfo::default() })?;
/// # let history = b.finish()?;
/// // s1: t1 { w(x)=1 }
/// // s2: t2 { r(x)=1 }
/// assert!(history.txns().all(|txn| history.status(txn) == Status::Committed));
/// # Ok::<(), hobgoblin_core::HistoryError>(())
/// ```
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
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::history::Kind;
///
/// # use hobgoblin_core::{HistoryBuilder, Kind as BuilderKind, TxnInfo};
/// # let mut b = HistoryBuilder::new();
/// # let (s1, s2, x) = (b.session(&"s1".into()), b.session(&"s2".into()), b.key(&"x".into()));
/// # b.begin(s1);
/// # b.event_int(BuilderKind::Write, x, 1);
/// # b.end(TxnInfo { name: Some("t1"), ..TxnInfo::default() })?;
/// # b.begin(s2);
/// # b.event_int(BuilderKind::Read, x, 1);
/// # b.end(TxnInfo { name: Some("t2"), ..TxnInfo::default() })?;
/// # let history = b.finish()?;
/// // s1: t1 { w(x)=1 }
/// // s2: t2 { r(x)=1 }
/// let kinds: Vec<Kind> =
///     history.txns().flat_map(|txn| history.event_ids(txn)).map(|e| history.event(e).kind()).collect();
/// assert_eq!(kinds, [Kind::Write, Kind::Read]);
/// # Ok::<(), hobgoblin_core::HistoryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A read of a key.
    Read,
    /// A write of a key.
    Write,
}

/// One event, packed: a key, a kind, and the (key, value) pair it concerns.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::history::Kind;
///
/// # use hobgoblin_core::{HistoryBuilder, Kind as BuilderKind, TxnInfo};
/// # let mut b = HistoryBuilder::new();
/// # let (s1, s2, x) = (b.session(&"s1".into()), b.session(&"s2".into()), b.key(&"x".into()));
/// # b.begin(s1);
/// # b.event_int(BuilderKind::Write, x, 1);
/// # b.end(TxnInfo { name: Some("t1"), ..TxnInfo::default() })?;
/// # b.begin(s2);
/// # b.event_int(BuilderKind::Read, x, 1);
/// # b.end(TxnInfo { name: Some("t2"), ..TxnInfo::default() })?;
/// # let history = b.finish()?;
/// // s1: t1 { w(x)=1 }
/// // s2: t2 { r(x)=1 }
/// let event = history.txns().flat_map(|txn| history.event_ids(txn)).next().expect("there is one");
/// assert_eq!(history.event(event).kind(), Kind::Write);
/// assert_eq!(history.key(history.event(event).key()).as_str(), Some("x"));
/// # Ok::<(), hobgoblin_core::HistoryError>(())
/// ```
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
