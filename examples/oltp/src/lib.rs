//! The OLTP benchmarks of the MonkeyDB paper over SQL [Biswas 2021, section 8], with their assertions.
//!
//! - [`tpcc`]: orders, payments and deliveries of a wholesale supplier; the twelve consistency conditions
//!   of the specification, A1 to A12.
//! - [`smallbank`]: money moves between accounts; A13, the total stays.
//! - [`voter`]: A14, nobody votes more often than allowed.
//! - [`wikipedia`]: edits are recorded three times; A15 to A17, the records agree.
//!
//! Transactions are those of OLTP-Bench [Difallah 2013], in the SQL an application would send to
//! PostgreSQL or MySQL, over a [`Client`]: a session in this process ([`Local`]) or a connection to PostgreSQL
//! ([`Remote`]) or MySQL ([`MySql`]).
//!
//! One *run* ([`run`](run::run)) is a fresh store, a small load, sessions that are interleaved by the seed,
//! and the assertions: once on the final state, read serializably, and up to five times as a client of the
//! level reads it. [`count`] runs many and gives rates; [`published`] has those of MonkeyDB. A [`race`] is a run of
//! sessions at a server that nobody interleaves.

#[cfg(feature = "benchmarks")]
mod benchmark;
mod client;
#[cfg(feature = "benchmarks")]
mod connection;
#[cfg(feature = "benchmarks")]
pub mod count;
mod dialect;
mod error;
#[cfg(feature = "benchmarks")]
mod local;
mod mysql;
#[cfg(feature = "benchmarks")]
pub mod published;
#[cfg(feature = "benchmarks")]
pub mod race;
mod remote;
#[cfg(feature = "benchmarks")]
pub mod run;
#[cfg(feature = "benchmarks")]
mod schedule;
#[cfg(feature = "benchmarks")]
pub mod smallbank;
#[cfg(feature = "benchmarks")]
pub mod speed;
mod target;
#[cfg(feature = "benchmarks")]
pub mod tpcc;
mod value;
#[cfg(feature = "benchmarks")]
pub mod voter;
#[cfg(feature = "benchmarks")]
pub mod wikipedia;

#[cfg(feature = "benchmarks")]
pub use benchmark::{Assertion, Benchmark, Holds, Work};
pub use client::{Client, Rows};
#[cfg(feature = "benchmarks")]
pub use connection::Connection;
pub use dialect::Dialect;
pub use error::Error;
#[cfg(feature = "benchmarks")]
pub use local::Local;
pub use mysql::MySql;
pub use remote::Remote;
#[cfg(feature = "benchmarks")]
pub use schedule::{Going, Schedule, alone};
pub use target::Target;
pub use value::{Money, Row, Value};

/// All benchmarks, in the order in which they are told of.
#[cfg(feature = "benchmarks")]
pub const BENCHMARKS: [&Benchmark; 4] =
    [&tpcc::BENCHMARK, &smallbank::BENCHMARK, &voter::BENCHMARK, &wikipedia::BENCHMARK];
