//! Histories: sessions of transactions of reads and writes, and who read from whom.
//!
//! They come from a [`Recorder`](crate::record::Recorder), a [file](mod@crate::format), or
//! [`Store::history`](crate::Store::history).

#[doc(inline)]
pub use hobgoblin_core::{
    Event, EventId, History, HistoryError, KeyId, Kind, SessionId, Source, Status, TxnId,
    UnknownLevel, WrongType,
};
#[doc(hidden)]
pub use hobgoblin_core::{Index, Schema, Table};
