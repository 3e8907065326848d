//! Commit protocols, explored state by state: in every state that can be reached, the transactions observed so far
//! must satisfy an isolation level [Soethout 2021].
//!
//! A [`Protocol`] says how processes take atomic steps and what transactions have observed. [`search`] visits every
//! state, breadth first, so that what it finds wrong is reached by the fewest steps; states that differ only by the
//! names of transactions or resources are visited once. What is wrong comes with the run that leads to it, which
//! [`chart()`] draws, [`Observed::history`] hands to the checker, and [`tla()`] to TLC.
//!
//! ```
//! use hobgoblin_check::Limits;
//! use hobgoblin_core::Level;
//! use hobgoblin_protocol::models::snapshot::Snapshot;
//! use hobgoblin_protocol::{Answer, Options, search};
//!
//! let protocol = Snapshot::new(2, 2, false)?;
//! let found = search(&protocol, &Options::default(), &Limits::none());
//! assert_eq!(found.level(Level::SI), Some(Answer::Holds));
//! assert_eq!(found.level(Level::SER), Some(Answer::Violated), "write skew");
//! # Ok::<(), hobgoblin_protocol::SizeError>(())
//! ```

mod chart;
mod error;
mod found;
mod isolation;
pub mod models;
mod observed;
mod options;
mod outcome;
mod parallel;
mod protocol;
mod realtime;
mod renaming;
mod search;
mod seen;
#[cfg(feature = "stateright")]
pub mod stateright;
mod termination;
mod tla;
mod trace;

pub use chart::chart;
pub use error::SizeError;
pub use found::{Answer, Finding, Found, Wrong};
pub use observed::{Observed, Operation};
pub use options::{Options, Progress, Semantics};
pub use outcome::{Outcome, Run};
pub use protocol::{Line, Must, Phase, Process, Protocol};
pub use renaming::Renaming;
pub use search::search;
pub use tla::{CLIENT_CENTRIC, tla};
pub use trace::Trace;
