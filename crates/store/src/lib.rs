//! A store whose every read returns any value the isolation level allows [Biswas 2021].
//!
//! [`Machine`] is a pure state machine: no I/O, no threads, no clock, one seed. Requests go in, answers
//! come out, and the log of both with every choice replays the run.

mod bits;
mod choose;
mod config;
mod engine;
mod error;
mod event;
mod ids;
mod keys;
mod lock;
mod locks;
mod log;
#[cfg(feature = "files")]
mod logfile;
mod machine;
mod mysql;
mod natural;
mod open;
mod past;
mod postgres;
mod profiles;
mod range;
mod recent;
mod record;
mod request;
mod request_text;
mod scan;
mod schedule;
mod serve;
mod sessions;
mod sorted;
mod spec;
mod stop;
mod token;
mod truth;
mod views;

pub use config::{Config, Policy, Profile};
pub use error::{AbortReason, MAX_KEY, MAX_VALUE, StoreError};
pub use lock::{Lock, Mode, Scope, Wait};
pub use locks::{KeyWait, ObjectLock};
pub use log::{Entry, Log};
#[cfg(feature = "files")]
pub use logfile::{LogError, LogFile, LogWriter};
pub use machine::{Machine, OpenTransaction, Stats};
pub use range::KeyRange;
pub use request::{Answer, Request, SessionRequest, TransactionRequest};
pub use schedule::{Schedule, Scheduler};
pub use token::{Token, TokenError, TokenStep, initial_hash, name_hash, request_hash};
pub use truth::Scanning;
