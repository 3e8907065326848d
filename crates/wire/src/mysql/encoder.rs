//! The packets of a server, collected until they are sent.
//!
//! This file makes packets of payloads; what the payloads are is in the files that give [`Encoder`] its other methods:
//! `greeting.rs`, `authentication.rs`, `reply.rs`, `column.rs`, `row.rs` and `prepared.rs`.

use bytes::{BufMut, BytesMut};

use super::capabilities::Capabilities;
use super::decoder::MAX_PACKET;

/// Packets on their way to the client.
#[derive(Debug, Default)]
pub struct Encoder {
    pub(crate) buffer: BytesMut,
    sequence: u8,
    agreed: Capabilities,
}

impl Encoder {
    /// An encoder with nothing in it, whose first packet has the number 0.
    pub fn new() -> Encoder {
        Encoder::default()
    }

    /// The packets that are to be sent.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// Forgets what was sent. The packets are numbered on.
    pub fn clear(&mut self) {
        // A result that was large is no reason to hold its memory for ever.
        match self.buffer.capacity() > 1 << 20 {
            true => self.buffer = BytesMut::new(),
            false => self.buffer.clear(),
        }
    }

    /// The number that the next packet has.
    pub fn sequence(&self) -> u8 {
        self.sequence
    }

    /// Says that the next packet answers one of the client and so has this number, which the
    /// [decoder](super::Decoder::sequence) knows.
    pub fn reply_at(&mut self, sequence: u8) {
        self.sequence = sequence;
    }

    /// The capabilities of both ends, on which the look of packets depends.
    pub fn agreed(&self) -> Capabilities {
        self.agreed
    }

    /// Says which capabilities both ends have.
    pub fn agree(&mut self, both: Capabilities) {
        self.agreed = both;
    }

    /// Writes a packet whose payload `body` writes.
    pub(crate) fn packet(&mut self, body: impl FnOnce(&mut BytesMut)) {
        let start = self.begin();
        body(&mut self.buffer);
        self.end(start);
    }

    /// Begins a packet; what is written from now on is its payload.
    pub(crate) fn begin(&mut self) -> usize {
        let start = self.buffer.len();
        self.buffer.put_u32_le(0);
        start
    }

    /// Ends the packet that began there. A payload that is too long for one is cut up.
    pub(crate) fn end(&mut self, start: usize) {
        let payload = start + 4;
        let length = self.buffer.len() - payload;
        if length < MAX_PACKET {
            let header = self.header(length);
            self.buffer[start..payload].copy_from_slice(&header);
            return;
        }
        let long = self.buffer.split_off(payload);
        self.buffer.truncate(start);
        let mut parts = long.chunks_exact(MAX_PACKET);
        for part in parts.by_ref() {
            let header = self.header(MAX_PACKET);
            self.buffer.put_slice(&header);
            self.buffer.put_slice(part);
        }
        // The last is shorter than the others, and empty if nothing is left: only so it is known to be the last.
        let rest = parts.remainder();
        let header = self.header(rest.len());
        self.buffer.put_slice(&header);
        self.buffer.put_slice(rest);
    }

    /// The header of the next packet, which has a payload of this length.
    fn header(&mut self, length: usize) -> [u8; 4] {
        let [low, middle, high, ..] = length.to_le_bytes();
        let number = self.sequence;
        self.sequence = number.wrapping_add(1);
        [low, middle, high, number]
    }
}
