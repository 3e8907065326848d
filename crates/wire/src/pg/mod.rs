//! The PostgreSQL protocol.
//!
//! A connection begins with packets that have a length but no tag ([`Startup`]); all that follows is
//!
//! ```text
//!     tag   length                 body
//!     'Q'   00 00 00 0d            S E L E C T   1 \0
//!           counts itself, not the tag
//! ```
//!
//! [`Decoder`] takes bytes as they arrive and gives [`Frontend`] messages; [`Encoder`] collects the
//! messages of a server until somebody sends them. [`scram`] is the server's side of a password.
//!
//! What arrives is not trusted: a length is checked before anything waits for it, no memory is taken for
//! bytes that have not come, and what does not parse is a [`ProtocolError`]. Tests hold both against the `pgwire`
//! crate: its decoders trust the lengths they read and panic where these lie, and to build it takes a compiler of
//! regular expressions, which no message needs.

mod body;
mod decoder;
mod encoder;
mod error;
mod frontend;
pub mod scram;
mod startup;

pub use decoder::{Decoder, MAX_MESSAGE};
pub use encoder::{Column, Encoder, Row, Status};
pub use error::ProtocolError;
pub use frontend::{Bind, Frontend, Target};
pub use startup::{MAX_STARTUP, Startup};
