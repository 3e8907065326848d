//! The model every part of Hobgoblin shares: histories, levels, verdicts.
//!
//! - [`History`], built by a [`HistoryBuilder`]: sessions of transactions of events, and who read
//!   from whom.
//! - [`Level`]: the isolation levels, as one table of data.
//! - [`Verdict`]: an answer that carries its own proof, a [`CommitOrder`] or a [`Witness`].
//!
//! This crate does no I/O and knows no other crate of the workspace.

mod builder;
mod convert;
mod datums;
mod error;
mod event;
mod hash;
mod history;
mod ids;
mod info;
mod initial;
mod interner;
pub mod json;
mod level;
mod nearest;
mod resolve;
mod rng;
mod schema;
#[cfg(feature = "serde")]
mod serialize;
mod sides;
mod sort;
mod sorted;
mod value;
mod verdict;

pub use builder::HistoryBuilder;
pub use convert::WrongType;
pub use error::HistoryError;
pub use event::{Event, Kind, Status};
pub use history::{Fault, History, Source};
pub use ids::{EventId, KeyId, SessionId, TxnId};
pub use info::{EventInfo, TxnInfo, Writer};
pub use level::{IMPLICATIONS, Implication, LEVELS, Level, LevelInfo, UnknownLevel};
pub use nearest::nearest;
pub use rng::{Chance, Rng};
pub use schema::{Index, Schema, Table};
pub use sort::{sort, sort_by, sort_dedup};
pub use sorted::SortedMap;
pub use value::{Key, Text, Value};
pub use verdict::{
    Anomaly, CommitOrder, Conclusion, Edge, Proof, Reason, Step, StopReason, Target, Verdict,
    Witness,
};
