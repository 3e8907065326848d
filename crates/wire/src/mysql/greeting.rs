//! The first packet of a connection, which the server sends: the handshake, version 10.
//!
//! ```text
//!     0a  version \0  connection  scramble[..8]  00  capabilities (low)  collation  status
//!     capabilities (high)  15  00 × 6  MariaDB's capabilities  scramble[8..] \0  method \0
//! ```

use bytes::BufMut;

use super::authentication::{Method, Scramble};
use super::capabilities::Capabilities;
use super::encoder::Encoder;
use super::status::Status;
use super::version::Version;
use super::write;

/// What a server says first.
#[derive(Clone, Debug)]
pub struct Greeting<'a> {
    /// The version that clients look at.
    pub version: &'a str,
    /// The number of the connection, which KILL takes.
    pub connection: u32,
    /// What the client's password is mixed with.
    pub scramble: &'a Scramble,
    /// What the server can do.
    pub capabilities: Capabilities,
    /// The low byte of the number of the server's collation.
    pub collation: u8,
    /// The state of the session that begins.
    pub status: Status,
    /// How clients log in unless they ask for another method.
    pub method: Method,
}

impl Encoder {
    /// The greeting of a version, as [`Encoder::greeting`] writes it.
    pub fn greeting_of(
        &mut self,
        version: Version,
        connection: u32,
        scramble: &Scramble,
        offered: Capabilities,
    ) {
        self.greeting(&Greeting {
            version: &format!("{}{}", version.prefix(), version.text()),
            connection,
            scramble,
            capabilities: offered,
            collation: version.collation(),
            status: Status::AUTOCOMMIT,
            method: version.method(),
        });
    }

    /// The server's first packet. From now on errors have a SQLSTATE, which one in place of the greeting has not, as of too many
    /// connections.
    pub fn greeting(&mut self, greeting: &Greeting<'_>) {
        self.agree(Capabilities::PROTOCOL_41);
        let capabilities = greeting.capabilities.bits();
        let (first, second) = greeting.scramble.bytes().split_at(8);
        self.packet(|out| {
            out.put_u8(10);
            write::terminated(out, greeting.version.as_bytes());
            out.put_u32_le(greeting.connection);
            out.put_slice(first);
            out.put_u8(0);
            out.put_uint_le(capabilities & 0xffff, 2);
            out.put_u8(greeting.collation);
            out.put_u16_le(greeting.status.bits());
            out.put_uint_le(capabilities >> 16 & 0xffff, 2);
            // The length of the scramble with the NUL after it.
            out.put_u8(21);
            out.put_bytes(0, 6);
            // MySQL has zeros here, too, and none of the capabilities that these bits are.
            out.put_uint_le(capabilities >> 32, 4);
            out.put_slice(second);
            out.put_u8(0);
            write::terminated(out, greeting.method.name().as_bytes());
        });
    }
}
