//! The PostgreSQL protocol over real sockets, byte by byte.

mod attack;
mod copy;
mod extended;
mod hostile;
mod lifetime;
mod limits;
mod serial;
mod simple;
mod startup;
mod strangers;
mod support;
mod two_phase;
