//! A client's packets both ways: reads when no whole payload is there, writes when an answer ends.

use std::time::Duration;

use bytes::Bytes;
use hobgoblin_wire::mysql::{Decoder, Encoder};

use super::errors::End;
use crate::listen::pipe::{Heard, LARGE, Pipe};
use crate::listen::socket::Socket;

/// The two directions of a connection whose client is known.
pub(crate) struct Channel {
    pipe: Pipe,
    decoder: Decoder,
    /// What is to be sent.
    pub(crate) out: Encoder,
}

impl Channel {
    /// Goes on where a [`Visitor`](super::visitor::Visitor) was: with what it had read and not yet sent.
    pub(crate) fn new(pipe: Pipe, decoder: Decoder, out: Encoder) -> Channel {
        Channel { pipe, decoder, out }
    }

    /// The socket, for whoever may have to end this.
    pub(crate) fn socket(&self) -> Socket {
        self.pipe.socket()
    }

    /// Sets how long a wait for a packet lasts from now on; `None` is for ever.
    pub(crate) fn wake_after(&mut self, time: Option<Duration>) -> Result<(), End> {
        Ok(self.pipe.wake_after(time)?)
    }

    /// The next command, if one comes while there is time to wait.
    pub(crate) fn command(&mut self) -> Result<Option<Bytes>, End> {
        self.payload(0)
    }

    /// The packet that answers what was sent, if it comes while there is time to wait.
    pub(crate) fn answer(&mut self) -> Result<Option<Bytes>, End> {
        self.payload(self.out.sequence())
    }

    /// The next payload, whose first packet has to have this number.
    fn payload(&mut self, number: u8) -> Result<Option<Bytes>, End> {
        loop {
            // What came after the server wanted the end is not looked at.
            if self.pipe.is_ending() {
                return Err(End::Gone);
            }
            match self.decoder.answer(number) {
                Ok(Some(payload)) => {
                    self.out.reply_at(self.decoder.sequence());
                    return Ok(Some(payload));
                }
                Ok(None) => {}
                Err(error) => {
                    self.out.reply_at(self.decoder.sequence());
                    return Err(End::Fatal(error.into()));
                }
            }
            match self.pipe.read() {
                Heard::Bytes(bytes) => self.decoder.push(bytes),
                Heard::Nothing => return Ok(None),
                Heard::Gone => return Err(End::Gone),
            }
        }
    }

    /// Sends what is in the buffer.
    pub(crate) fn flush(&mut self) -> Result<(), End> {
        self.pipe.write(self.out.bytes())?;
        self.out.clear();
        Ok(())
    }

    /// Sends what there is if that is much.
    pub(crate) fn flush_large(&mut self) -> Result<(), End> {
        match self.out.bytes().len() > LARGE {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Tells the client why this is the end, if it listens, and ends it.
    pub(crate) fn close(&mut self, end: &End) {
        let told = match end {
            End::Gone => false,
            End::Fatal(failure) => {
                failure.write(&mut self.out);
                self.flush().is_ok()
            }
        };
        self.pipe.close(told);
    }
}
