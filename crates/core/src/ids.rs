//! Dense ids. Each is an index into the side tables of one [`History`](crate::History).

use std::fmt;
use std::marker::PhantomData;

/// Ids in order. A type of its own, and not a range with a closure, since whatever is done with it is made anew for each
/// caller: with this it is a third of the code.
#[derive(Clone, Debug)]
pub(crate) struct Ids<I> {
    next: u32,
    end: u32,
    ids: PhantomData<I>,
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);

        impl $name {
            /// The id with this index. Panics past 2^31, which no [`HistoryBuilder`](crate::HistoryBuilder) reaches.
            #[doc(hidden)]
            #[inline]
            pub fn new(index: usize) -> Self {
                assert!(index < (1 << 31), "id out of range");
                Self(index as u32)
            }

            /// This id as an index into a side table.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// This id as a bare number, for packed tables.
            #[doc(hidden)]
            #[inline]
            pub fn raw(self) -> u32 {
                self.0
            }
        }

        impl Ids<$name> {
            /// The ids from one index up to another.
            #[inline]
            pub(crate) fn new(from: usize, to: usize) -> Self {
                assert!(to <= (1 << 31), "id out of range");
                Ids { next: from.min(to) as u32, end: to as u32, ids: PhantomData }
            }
        }

        impl Iterator for Ids<$name> {
            type Item = $name;

            #[inline]
            fn next(&mut self) -> Option<$name> {
                if self.next == self.end {
                    return None;
                }
                self.next += 1;
                Some($name(self.next - 1))
            }

            #[inline]
            fn nth(&mut self, count: usize) -> Option<$name> {
                self.next += count.min((self.end - self.next) as usize) as u32;
                self.next()
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                let left = (self.end - self.next) as usize;
                (left, Some(left))
            }
        }

        impl DoubleEndedIterator for Ids<$name> {
            #[inline]
            fn next_back(&mut self) -> Option<$name> {
                if self.next == self.end {
                    return None;
                }
                self.end -= 1;
                Some($name(self.end))
            }
        }

        impl ExactSizeIterator for Ids<$name> {}

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id! {
    /// A transaction of one history; 0 is [`TxnId::INIT`], the others follow in the order they were recorded.
    ///
    /// ```
    #[doc = include_str!("facade.txt")]
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
    /// let txn = history.txns().next().expect("there is one");
    /// assert_eq!((txn.index(), &*history.name(txn)), (1, "t1"));
    /// # Ok::<(), hobgoblin_core::HistoryError>(())
    /// ```
    TxnId
}
id! {
    /// A session of one history.
    ///
    /// ```
    #[doc = include_str!("facade.txt")]
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
    /// let session = history.sessions().next().expect("there is one");
    /// assert_eq!(history.session(session).as_str(), Some("s1"));
    /// # Ok::<(), hobgoblin_core::HistoryError>(())
    /// ```
    SessionId
}
id! {
    /// A key of one history.
    ///
    /// ```
    #[doc = include_str!("facade.txt")]
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
    /// let key = history.keys().next().expect("there is one");
    /// assert_eq!(history.key(key).as_str(), Some("x"));
    /// # Ok::<(), hobgoblin_core::HistoryError>(())
    /// ```
    KeyId
}
id! {
    /// An event of one history, counted over all transactions.
    ///
    /// ```
    #[doc = include_str!("facade.txt")]
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
    /// assert_eq!(history.value(event).as_i64(), Some(1));
    /// # Ok::<(), hobgoblin_core::HistoryError>(())
    /// ```
    EventId
}

impl TxnId {
    /// The transaction that writes the initial value of every key and precedes all others.
    pub const INIT: TxnId = TxnId(0);
}
