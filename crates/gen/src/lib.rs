//! Generators of histories, for tests, benchmarks and demonstrations.
//!
//! - [`Generator`] and [`build`]: long histories *at* a level. A simulated store runs random
//!   transactions, so that the level holds by construction and weaker behaviour than it allows does
//!   not occur, while what it allows does. An anomaly can be hidden in the middle.
//!
//! - [`random_history`]: small histories of every kind of verdict, to compare checkers with brute force.
//! - [`history_of`]: hard histories, from formulas of propositional logic.
//! - [`transform`] and [`Draft`]: changed histories, to test that verdicts change as they should.
//!
//! Everything here is a pure function of its parameters and a seed, to the last bit, on every machine.

pub mod anomaly;
mod chooser;
mod dirty;
mod draft;
mod error;
mod habit;
mod inject;
mod keys;
mod log;
mod params;
mod sat;
mod small;
mod store;
mod stream;
mod times;
pub mod transform;
mod txn;
mod validate;
mod versions;

pub use anomaly::{anomaly_of, injectable, violates, weakest_violated};
pub use draft::{Draft, DraftKey, DraftOp, DraftTxn, DraftWriter};
pub use error::GenError;
pub use keys::Distribution;
pub use params::{Order, Params, REPEATED};
pub use sat::{Cnf, Literal, history_of, random_cnf};
pub use small::{SmallParams, random_history};
pub use stream::{Generator, build};
pub use txn::{GenOp, GenTxn};
