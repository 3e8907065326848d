//! The MySQL protocol over real sockets, byte by byte.

mod commands;
mod hostile;
mod lifetime;
mod locks;
mod login;
#[path = "../../../wire/tests/mysql/packet.rs"]
mod packet;
mod pool;
mod prepared;
mod strangers;
mod support;
