//! The body of a message, read from its front. Whatever is missing is an error, never a panic.

use bytes::{Buf, Bytes};

use super::error::ProtocolError;

/// What is left of a body.
pub(crate) struct Body {
    tag: u8,
    rest: Bytes,
}

impl Body {
    pub(crate) fn new(tag: u8, rest: Bytes) -> Body {
        Body { tag, rest }
    }

    fn need(&self, count: usize) -> Result<(), ProtocolError> {
        match self.rest.len() >= count {
            true => Ok(()),
            false => Err(ProtocolError::body(self.tag, "insufficient data left in message")),
        }
    }

    pub(crate) fn u8(&mut self) -> Result<u8, ProtocolError> {
        self.need(1)?;
        Ok(self.rest.get_u8())
    }

    pub(crate) fn i16(&mut self) -> Result<i16, ProtocolError> {
        self.need(2)?;
        Ok(self.rest.get_i16())
    }

    /// A count of things that take at least `size` bytes each, so that a lie is found before anything is
    /// allocated.
    pub(crate) fn count(&mut self, size: usize) -> Result<usize, ProtocolError> {
        self.need(2)?;
        let count = usize::from(self.rest.get_u16());
        self.need(count * size)?;
        Ok(count)
    }

    pub(crate) fn i32(&mut self) -> Result<i32, ProtocolError> {
        self.need(4)?;
        Ok(self.rest.get_i32())
    }

    pub(crate) fn u32(&mut self) -> Result<u32, ProtocolError> {
        self.need(4)?;
        Ok(self.rest.get_u32())
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Result<Bytes, ProtocolError> {
        self.need(count)?;
        Ok(self.rest.split_to(count))
    }

    /// Bytes up to a NUL, which must be UTF-8.
    pub(crate) fn text(&mut self) -> Result<String, ProtocolError> {
        let Some(end) = self.rest.iter().position(|&byte| byte == 0) else {
            return Err(ProtocolError::body(self.tag, "invalid string in message"));
        };
        let text = self.rest.split_to(end);
        self.rest.advance(1);
        match std::str::from_utf8(&text) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err(ProtocolError::encoding(self.tag, &text)),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// All that is left.
    pub(crate) fn rest(self) -> Bytes {
        self.rest
    }

    /// Nothing may be left.
    pub(crate) fn end(self) -> Result<(), ProtocolError> {
        match self.rest.is_empty() {
            true => Ok(()),
            false => Err(ProtocolError::body(self.tag, "invalid message format")),
        }
    }
}
