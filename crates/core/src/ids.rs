//! Dense ids. Each is an index into the side tables of one [`History`](crate::History).

use std::fmt;

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

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id! {
    /// A transaction of one history; 0 is [`TxnId::INIT`], the others follow in the order they were recorded.
    TxnId
}
id! {
    /// A session of one history.
    SessionId
}
id! {
    /// A key of one history.
    KeyId
}
id! {
    /// An event of one history, counted over all transactions.
    EventId
}

impl TxnId {
    /// The transaction that writes the initial value of every key and precedes all others.
    pub const INIT: TxnId = TxnId(0);
}
