//! `hob test` as people and programs run it, over the counter of `examples/counter.rs`.

mod again;
mod endings;
mod failures;
mod file;
mod reports;
mod support;
#[path = "../support/valid.rs"]
mod valid;
