//! `hob test` as people and programs run it, over the counter of `examples/counter.rs`.

mod again;
mod baseline;
mod endings;
mod failures;
mod file;
mod policies;
mod reports;
mod setup;
mod support;
#[cfg(feature = "mysql")]
mod tpcc;
#[path = "../support/valid.rs"]
mod valid;
