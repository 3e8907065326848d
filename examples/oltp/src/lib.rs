//! The OLTP benchmarks of the MonkeyDB paper over SQL [Biswas 2021, section 8], with their assertions.
//!
//! - [`tpcc`]: orders, payments and deliveries of a wholesale supplier; the twelve consistency conditions
//!   of the specification, A1 to A12.
//! - [`smallbank`]: money moves between accounts; A13, the total stays.
//! - [`voter`]: A14, nobody votes more often than allowed.
//! - [`wikipedia`]: edits are recorded three times; A15 to A17, the records agree.
//!
//! Transactions are those of OLTP-Bench [Difallah 2013], in the SQL an application would send to
//! PostgreSQL, over a [`Client`]: a session in this process ([`Local`]) or a connection ([`Remote`]).
//!
//! One *run* ([`run`](run::run)) is a fresh store, a small load, sessions that are interleaved by the seed,
//! and the assertions: once on the final state, read serializably, and up to five times as a client of the
//! level reads it. [`count`] runs many and gives rates; [`published`] has those of MonkeyDB.

mod benchmark;
mod client;
mod connection;
pub mod count;
mod error;
mod local;
pub mod published;
mod remote;
pub mod run;
mod schedule;
pub mod smallbank;
pub mod speed;
pub mod tpcc;
mod value;
pub mod voter;
pub mod wikipedia;

pub use benchmark::{Assertion, Benchmark, Holds, Work};
pub use client::{Client, Rows};
pub use connection::Connection;
pub use error::Error;
pub use local::Local;
pub use remote::Remote;
pub use schedule::{Going, Schedule, alone};
pub use value::{Money, Row, Value};

/// All benchmarks, in the order in which they are told of.
pub const BENCHMARKS: [&Benchmark; 4] =
    [&tpcc::BENCHMARK, &smallbank::BENCHMARK, &voter::BENCHMARK, &wikipedia::BENCHMARK];
