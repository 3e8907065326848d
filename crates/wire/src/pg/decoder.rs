//! Bytes as they arrive, cut into messages.

use bytes::{Buf, BytesMut};

use super::error::ProtocolError;
use super::frontend::{Frontend, unknown};
use super::startup::{self, Startup};

/// The longest message that carries statements or data.
pub const MAX_MESSAGE: usize = 256 << 20;

/// The longest message that carries names only.
const MAX_SMALL: usize = 10_000;

/// The longest step of an authentication.
const MAX_PASSWORD: usize = 65_535;

/// Cuts what arrives into messages.
///
/// ```
/// use hobgoblin_wire::pg::{Decoder, Frontend};
///
/// let mut decoder = Decoder::new();
/// decoder.push(b"Q\0\0\0\x0dSELECT");
/// assert_eq!(decoder.message(), Ok(None));
/// decoder.push(b" 1\0");
/// assert_eq!(decoder.message(), Ok(Some(Frontend::Query("SELECT 1".to_owned()))));
/// ```
#[derive(Debug)]
pub struct Decoder {
    buffer: BytesMut,
    max: usize,
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder::with_limit(MAX_MESSAGE)
    }
}

impl Decoder {
    /// A decoder that has seen nothing.
    pub fn new() -> Decoder {
        Decoder::default()
    }

    /// A decoder that refuses messages longer than this.
    pub fn with_limit(max: usize) -> Decoder {
        Decoder { buffer: BytesMut::new(), max }
    }

    /// From now on refuses messages longer than this.
    pub fn set_limit(&mut self, max: usize) {
        self.max = max;
    }

    /// Takes bytes that arrived.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Whether every byte was part of a message given out.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// The next packet of a connection that begins; `None` if it has not arrived whole.
    pub fn startup(&mut self) -> Result<Option<Startup>, ProtocolError> {
        startup::decode(&mut self.buffer)
    }

    /// The next message; `None` if it has not arrived whole.
    pub fn message(&mut self) -> Result<Option<Frontend>, ProtocolError> {
        let Some(&tag) = self.buffer.first() else { return Ok(None) };
        // An unknown tag tells of lost bytes or another protocol; its length would mean nothing.
        let max = match tag {
            b'Q' | b'P' | b'B' | b'F' | b'd' => self.max,
            b'C' | b'D' | b'E' | b'H' | b'S' | b'X' | b'c' | b'f' => MAX_SMALL.min(self.max),
            b'p' => MAX_PASSWORD.min(self.max),
            _ => return Err(unknown(tag)),
        };
        let Some(length) = self.buffer.get(1..5) else { return Ok(None) };
        let length = i32::from_be_bytes(length.try_into().expect("these are four bytes"));
        let length = match usize::try_from(length) {
            Ok(length) if length > max => {
                let message = format!("message length {length} exceeds the limit of {max} bytes");
                return Err(ProtocolError::fatal(tag, message));
            }
            Ok(length) if length >= 4 => length,
            _ => return Err(ProtocolError::fatal(tag, format!("invalid message length {length}"))),
        };
        if self.buffer.len() < length + 1 {
            return Ok(None);
        }
        self.buffer.advance(5);
        let body = self.buffer.split_to(length - 4).freeze();
        Frontend::decode(tag, body).map(Some)
    }
}
