//! Sessions of MySQL's dialect, in process.

mod ends;
mod locks;
mod prepared;
mod snapshot;
mod support;
mod transactions;
