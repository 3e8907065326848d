//! Sessions of MySQL's dialect, in process.

mod support;
mod transactions;
