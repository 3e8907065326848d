//! Sessions of MySQL's dialect, in process.

mod alarms;
mod ends;
mod explain;
mod locks;
mod mutations;
mod prepared;
mod snapshot;
mod support;
mod transactions;
