//! Slow checkers that are easy to believe, which the fast ones are tested against.
//!
//! - [`brute`] decides every level, and mixes of levels, by the letter of the definition: it tries
//!   every commit order. Up to about seven transactions.
//! - [`frontier`] decides PC, SI and SER by a search over session frontiers [Biswas 2019, section 4].
//!   An altogether different road to the same answers, for histories of a few dozen transactions.
//! - [`state`] decides the state-based levels [Crooks 2017] by trying every execution.
//! - [`program`] lists every history of a tiny program, for stores that claim to show them all.
//! - [`sample`] makes small random histories with everything a history can have, and [`notation`]
//!   reads the text form that tests are written in.
//!
//! - [`crdt`] decides small histories of replicated data types, from their JSON on.
//!
//! Nothing but tests uses this crate. Of the workspace it depends on the core alone, so that an error in a checker or
//! a reader of files cannot hide here.

pub mod brute;
mod choice;
pub mod crdt;
pub mod frontier;
pub mod notation;
pub mod program;
mod relation;
pub mod sample;
pub mod state;
