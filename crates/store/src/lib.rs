//! A store whose every read returns any value the isolation level allows [Biswas 2021].
//!
//! [`Machine`] is a pure state machine: no I/O, no threads, no clock, one seed. Requests go in, answers
//! come out, and the log of both with every choice replays the run.

mod config;
mod log;
mod machine;
mod request;
mod schedule;

pub use config::{Config, Policy, Profile};
pub use log::Entry;
pub use machine::{Machine, Stats};
pub use request::{AbortReason, Answer, KeyRange, Lock, MAX_KEY, MAX_VALUE, Request, StoreError};
pub use schedule::{Schedule, Scheduler};
