//! The protocols of databases without sockets: bytes in, messages out, and back.
//!
//! [`pg`] is PostgreSQL's, [`mysql`] that of MySQL and MariaDB. Whoever owns the socket reads bytes from it, hands them to a decoder,
//! and sends what an encoder collected.
//!
//! What arrives is not trusted: a length is checked before anything waits for it, no memory is taken for bytes that have
//! not come, and what does not parse is an error that is a value.

pub mod mysql;
pub mod pg;
