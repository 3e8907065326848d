//! The payload of a packet, read from its front. Whatever is missing is an error, never a panic.

use bytes::{Buf, Bytes};

use super::error::ProtocolError;

/// The part of a payload that has not been read.
#[derive(Debug)]
pub(crate) struct Payload {
    rest: Bytes,
}

type Result<T> = std::result::Result<T, ProtocolError>;

impl Payload {
    pub(crate) fn new(rest: Bytes) -> Payload {
        Payload { rest }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    fn need(&self, count: usize) -> Result<()> {
        match self.rest.len() >= count {
            true => Ok(()),
            false => Err(ProtocolError::Malformed),
        }
    }

    pub(crate) fn u8(&mut self) -> Result<u8> {
        self.need(1)?;
        Ok(self.rest.get_u8())
    }

    pub(crate) fn u16(&mut self) -> Result<u16> {
        self.need(2)?;
        Ok(self.rest.get_u16_le())
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        self.need(4)?;
        Ok(self.rest.get_u32_le())
    }

    pub(crate) fn u64(&mut self) -> Result<u64> {
        self.need(8)?;
        Ok(self.rest.get_u64_le())
    }

    /// An integer of one, three, four or nine bytes, of which the first tells how many.
    pub(crate) fn integer(&mut self) -> Result<u64> {
        match self.u8()? {
            short @ 0..=0xfa => Ok(short.into()),
            0xfc => self.u16().map(u64::from),
            0xfd => {
                self.need(3)?;
                Ok(self.rest.get_uint_le(3))
            }
            0xfe => self.u64(),
            // 0xfb is NULL and 0xff an error, neither of which is a length.
            _ => Err(ProtocolError::Malformed),
        }
    }

    /// The next so many bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> Result<Bytes> {
        self.need(count)?;
        Ok(self.rest.split_to(count))
    }

    /// Bytes with their length before them.
    pub(crate) fn counted(&mut self) -> Result<Bytes> {
        let count = usize::try_from(self.integer()?).map_err(|_| ProtocolError::Malformed)?;
        self.bytes(count)
    }

    /// Bytes up to a NUL, which is not among them.
    pub(crate) fn terminated(&mut self) -> Result<Bytes> {
        let Some(end) = self.rest.iter().position(|&byte| byte == 0) else {
            return Err(ProtocolError::Malformed);
        };
        let text = self.rest.split_to(end);
        self.rest.advance(1);
        Ok(text)
    }

    /// Bytes up to a NUL, or all that is left: some clients leave out the NUL at the end of a packet.
    pub(crate) fn terminated_or_rest(&mut self) -> Bytes {
        self.terminated().unwrap_or_else(|_| self.rest.split_off(0))
    }

    /// All bytes that are left.
    pub(crate) fn rest(self) -> Bytes {
        self.rest
    }
}
