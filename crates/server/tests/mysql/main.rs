//! The MySQL protocol over real sockets, byte by byte.

mod commands;
mod hostile;
mod lifetime;
mod locks;
mod login;
mod pool;
mod prepared;
mod strangers;
mod support;
