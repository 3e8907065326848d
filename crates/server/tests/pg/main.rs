//! The PostgreSQL protocol over real sockets, byte by byte.

mod copy;
mod extended;
mod hostile;
mod lifetime;
mod serial;
mod simple;
mod startup;
mod support;
