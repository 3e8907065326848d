//! A client's messages both ways: reads when no whole message is there, writes when a cycle ends.

use std::time::Duration;

use hobgoblin_wire::pg::{Decoder, Encoder, Frontend, ProtocolError};

use super::errors::{End, fatal};
use crate::listen::pipe::{Heard, LARGE, Pipe};
use crate::listen::socket::Socket;

/// The two directions of a connection whose client is known.
pub(crate) struct Channel {
    pipe: Pipe,
    decoder: Decoder,
    /// What is to be sent.
    pub(crate) out: Encoder,
}

/// What waiting for a message gave.
#[derive(Debug)]
pub(crate) enum Received {
    Message(Frontend),
    /// A message that makes no sense; it is known where the next one begins.
    Broken(ProtocolError),
    /// Nothing came in the time to wait.
    Nothing,
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

    /// Sets how long a wait for a message lasts from now on; `None` is for ever.
    pub(crate) fn wake_after(&mut self, time: Option<Duration>) -> Result<(), End> {
        Ok(self.pipe.wake_after(time)?)
    }

    /// Reads what is there, waiting for it; whether anything came.
    fn fill(&mut self) -> Result<bool, End> {
        match self.pipe.read() {
            Heard::Bytes(bytes) => self.decoder.push(bytes),
            Heard::Nothing => return Ok(false),
            Heard::Gone => return Err(self.gone()),
        }
        Ok(true)
    }

    /// Why no more bytes come from the client.
    fn gone(&self) -> End {
        match self.pipe.is_ending() {
            true => End::Fatal(shutdown()),
            false => End::Gone,
        }
    }

    /// The next message, if one comes while there is time to wait.
    pub(crate) fn receive(&mut self) -> Result<Received, End> {
        loop {
            if self.pipe.is_ending() {
                return Err(self.gone());
            }
            match self.decoder.message() {
                Ok(Some(message)) => return Ok(Received::Message(message)),
                Ok(None) => {}
                Err(error) if error.fatal => {
                    return Err(End::Fatal(super::errors::of_protocol(error)));
                }
                Err(error) => return Ok(Received::Broken(error)),
            }
            if !self.fill()? {
                return Ok(Received::Nothing);
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
            End::Fatal(error) => {
                super::errors::send(&mut self.out, error);
                self.flush().is_ok()
            }
        };
        self.pipe.close(told);
    }
}

/// The server wants to end.
pub(crate) fn shutdown() -> hobgoblin_sql_postgres_types::error::SqlError {
    fatal("57P01", "terminating connection due to administrator command")
}
