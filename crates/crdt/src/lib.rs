//! Decides whether a recorded execution of a replicated data type is one that its specification admits.
//!
//! - [`CrdtHistory`], built by a [`CrdtHistoryBuilder`] or [`read`] from JSON: what each replica did, and what is known
//!   of who observed what.

mod arbitration;
mod builder;
mod causality;
mod check;
mod data_type;
mod decide;
mod direct;
mod error;
mod generate;
pub mod harness;
mod history;
mod index;
mod last_of;
mod minimal;
mod read;
mod search;
mod spec;
mod verdict;
mod verify;
mod view;
mod words;
mod write;

pub use builder::{Action, CrdtHistoryBuilder, Start};
pub use check::{admits, check};
pub use data_type::{Arbitration, DataType, Multiplicity, TypeOptions, UnknownType};
pub use error::CrdtError;
pub use generate::Generate;
pub use history::{
    Bound, Call, CrdtHistory, Item, ObjectId, Op, OpId, OpName, OpRef, Replica, Timestamp, ValueId,
};
pub use hobgoblin_check::Limits;
pub use hobgoblin_core::{StopReason, Value};
pub use read::{CrdtReadError, read};
pub use verdict::{CrdtVerdict, CrdtViolation, CrdtWitness};
pub use verify::{NotShown, verify};
pub use words::describe;
pub use write::write;
