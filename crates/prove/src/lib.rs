//! What SQL transactions can do to each other at an isolation level: anomalies with concrete parameters, or a proof that
//! every execution, of any number of transactions, is serializable. After [Nagar 2018].
//!
//! ```text
//!   file.sql ──read──> Program ──execute──> accesses under guards ──┬── closed ──> an anomaly, replayed
//!                                           (terms, per instance)   └── open ────> a proof
//! ```
//!
//! - [`read`] reads a file; [`program`] is what a file says: tables, transactions, invariants, each with its place.
//! - [`term`] holds formulas; [`smt`] asks a solver about them.
//! - [`scenario`] is a concrete execution; [`replay`] runs it on the mock store and looks for a serial order.
//! - [`certificate`] keeps what a proof asked, so that anybody can ask it again.

pub mod advice;
pub mod analysis;
pub mod certificate;
mod closed;
mod condition;
mod derive;
pub mod dump;
mod evaluation;
mod execute;
pub mod formula;
mod lemma;
mod open;
mod order;
pub mod program;
mod proof;
pub mod read;
pub mod replay;
pub mod scenario;
mod schedule;
mod search;
mod shape;
mod shrink;
pub mod smt;
pub mod specification;
pub mod term;
mod value;
