//! Decides isolation levels of histories, proves every answer, explains every violation.
//!
//! ```
//! use hobgoblin_check::{Limits, check};
//! use hobgoblin_core::{Anomaly, HistoryBuilder, Kind, Level, TxnInfo, Verdict};
//!
//! // Two sessions read the same counter and both write it back: a lost update.
//! let mut b = HistoryBuilder::new();
//! let x = b.key(&"x".into());
//! for (session, value) in [("s1", 1), ("s2", 2)] {
//!     let session = b.session(&session.into());
//!     b.begin(session);
//!     b.event_int(Kind::Read, x, 0);
//!     b.event_int(Kind::Write, x, value);
//!     b.end(TxnInfo::default())?;
//! }
//! b.initial(x, &0.into())?;
//! let history = b.finish()?;
//! assert!(matches!(check(&history, Level::PC, &Limits::none()), Verdict::Consistent(_)));
//! match check(&history, Level::SI, &Limits::none()) {
//!     Verdict::Violation(witness) => assert_eq!(witness.anomaly, Anomaly::LostUpdate),
//!     other => panic!("{other:?}"),
//! }
//! # Ok::<(), hobgoblin_core::HistoryError>(())
//! ```

mod acyclic;
mod anomaly;
mod atomic;
mod by_number;
mod by_value;
mod candidate;
mod causal;
mod chains;
mod check;
mod choose;
mod committed;
mod components;
mod decide;
#[cfg(feature = "report")]
pub mod exact;
pub mod explain;
mod flow;
mod forced;
mod graph;
mod guess;
mod hint;
mod in_order;
mod ladder;
mod lightest;
mod limits;
mod minimize;
mod narrow;
#[cfg(feature = "online")]
pub mod online;
mod parallel;
mod points;
mod polynomial;
mod problem;
mod prove;
mod realtime;
#[cfg(feature = "report")]
pub mod report;
pub mod sat;
mod saturate;
mod solve;
mod sources;
#[cfg(feature = "state")]
pub mod state;
mod strong;
#[cfg(feature = "suspects")]
mod suspect;
pub mod verify;
mod versions;
mod witness;

pub use check::check;
pub use ladder::{LevelVerdict, check_levels, strongest};
pub use limits::Limits;
#[cfg(feature = "suspects")]
pub use suspect::{Suspect, Suspects};
