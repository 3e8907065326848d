//! Bytes as they arrive, cut into packets.
//!
//! ```text
//!     length     number   payload
//!     03 00 00   00       0e 'h' 'i'
//!     little-    0 begins a command; each packet of an exchange, whoever sends it, has the next one
//!     endian
//! ```
//!
//! A payload of 16 MiB - 1 bytes or more travels in several packets: all but the last have the greatest length there is,
//! `ff ff ff`, and the last is shorter, empty if need be. The decoder joins them.

use bytes::{Buf, Bytes, BytesMut};

use super::error::ProtocolError;

/// The length of a packet after which the payload goes on in the next one.
pub const MAX_PACKET: usize = 0xff_ffff;

/// The longest payload before a client has logged in. Attributes of a connection may have 64 KiB.
pub const MAX_LOGIN: usize = 128 << 10;

/// Cuts what arrives into payloads.
///
/// ```
/// use hobgoblin_wire::mysql::Decoder;
///
/// let mut decoder = Decoder::with_limit(1024);
/// decoder.push(b"\x07\0\0\0\x03SEL");
/// assert_eq!(decoder.command(), Ok(None));
/// decoder.push(b"ECT");
/// assert_eq!(decoder.command(), Ok(Some("\x03SELECT".into())));
/// ```
#[derive(Debug)]
pub struct Decoder {
    buffer: BytesMut,
    /// The beginning of a payload that goes on.
    joined: BytesMut,
    max: usize,
    /// The number that the next packet has to have.
    sequence: u8,
    broken: Option<ProtocolError>,
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder::with_limit(MAX_LOGIN)
    }
}

impl Decoder {
    /// A decoder that has seen nothing and takes payloads as long as a login may be.
    pub fn new() -> Decoder {
        Decoder::default()
    }

    /// A decoder that refuses longer payloads.
    pub fn with_limit(max: usize) -> Decoder {
        Decoder { buffer: BytesMut::new(), joined: BytesMut::new(), max, sequence: 0, broken: None }
    }

    /// From now on refuses payloads that are longer. This is what `max_allowed_packet` means.
    pub fn set_limit(&mut self, max: usize) {
        self.max = max;
    }

    /// Takes bytes that arrived.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Whether every byte was part of a payload given out.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty() && self.joined.is_empty()
    }

    /// The number that the next packet of this exchange has, whoever sends it.
    pub fn sequence(&self) -> u8 {
        self.sequence
    }

    /// The next payload of a client, which has to have this number: the answer to a packet of the server.
    ///
    /// `None` if it has not arrived whole. An error here means that the bytes cannot be cut any further, and stays.
    pub fn answer(&mut self, sequence: u8) -> Result<Option<Bytes>, ProtocolError> {
        if let Some(error) = self.broken {
            return Err(error);
        }
        if self.joined.is_empty() {
            self.sequence = sequence;
        }
        let payload = self.payload();
        self.broken = payload.as_ref().err().copied();
        payload
    }

    /// The next payload of a client, which begins an exchange and so has the number 0.
    pub fn command(&mut self) -> Result<Option<Bytes>, ProtocolError> {
        self.answer(0)
    }

    fn payload(&mut self) -> Result<Option<Bytes>, ProtocolError> {
        loop {
            let Some(&[low, middle, high, found]) = self.buffer.first_chunk() else {
                return Ok(None);
            };
            let length = u32::from_le_bytes([low, middle, high, 0]) as usize;
            if found != self.sequence {
                return Err(ProtocolError::OutOfOrder { expected: self.sequence, found });
            }
            if self.joined.len() + length > self.max {
                self.sequence = self.sequence.wrapping_add(1);
                return Err(ProtocolError::TooLarge);
            }
            if self.buffer.len() < 4 + length {
                return Ok(None);
            }
            self.sequence = self.sequence.wrapping_add(1);
            self.buffer.advance(4);
            let part = self.buffer.split_to(length);
            if self.joined.is_empty() && length < MAX_PACKET {
                return Ok(Some(part.freeze()));
            }
            self.joined.extend_from_slice(&part);
            if length < MAX_PACKET {
                return Ok(Some(std::mem::take(&mut self.joined).freeze()));
            }
        }
    }
}
