//! What the listeners of all protocols of SQL share: sockets, TLS, threads, and who is connected.
//!
//! ```text
//!     listener.rs   accepts connections; each is a task until its client is known
//!     guest.rs      bytes of a client that is not known yet, in a task
//!     seats.rs      the sessions there are, each with a thread: counted, cancelled, ended
//!     pipe.rs       bytes of a session, in its thread
//!     socket.rs     sockets of either family, with or without tls.rs
//! ```
//!
//! Nothing here knows a protocol: [`Listener`](listener::Listener) is given what to do with a socket.

pub(crate) mod guest;
pub(crate) mod listener;
pub(crate) mod pipe;
pub(crate) mod seats;
pub(crate) mod socket;
pub(crate) mod tls;
