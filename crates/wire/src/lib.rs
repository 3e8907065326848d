//! The PostgreSQL protocol without sockets: bytes in, messages out, and back.
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
//! bytes that have not come, and what does not parse is a [`ProtocolError`]. The messages of the server are
//! those of the `pgwire` crate, which encodes them; its decoders trust the lengths they read and panic where
//! these lie, so those here are ours, and tests hold them against its encoders.

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
