//! Sessions of MySQL's dialect, in process.

mod alarms;
mod collations;
mod ends;
mod explain;
mod locks;
mod mutations;
mod prepared;
mod queue;
mod snapshot;
mod support;
mod transactions;
