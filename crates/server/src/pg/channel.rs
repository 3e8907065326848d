//! A client's bytes both ways: reads when no whole message is there, writes when a cycle ends.

use std::io::{ErrorKind, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hobgoblin_wire::pg::{Decoder, Encoder, Frontend, ProtocolError};

use super::errors::{End, fatal};
use super::stream::{Socket, Stream};

/// What is written before it is sent although the cycle has not ended.
const LARGE: usize = 64 << 10;

/// How much is read at once.
const CHUNK: usize = 16 << 10;

/// How long a client may leave what is sent to it unread before it counts as gone.
const WRITE_TIMEOUT: Duration = Duration::from_secs(60);

/// How long a client that was told of its end may still send, see [`linger`].
pub(crate) const LINGER: Duration = Duration::from_millis(200);

/// The two directions of a connection whose client is known.
pub(crate) struct Channel {
    stream: Stream,
    decoder: Decoder,
    /// What is to be sent.
    pub(crate) out: Encoder,
    chunk: Box<[u8]>,
    /// How long a wait for a message lasts.
    wait: Option<Duration>,
    /// Set when the server wants this connection to end.
    ending: Arc<AtomicBool>,
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
    pub(crate) fn new(
        stream: Stream,
        decoder: Decoder,
        out: Encoder,
        ending: Arc<AtomicBool>,
    ) -> Channel {
        // Where this fails, a client that does not read is waited for longer.
        let _ = stream.socket().set_write_timeout(Some(WRITE_TIMEOUT));
        let chunk = vec![0; CHUNK].into_boxed_slice();
        Channel { stream, decoder, out, chunk, wait: None, ending }
    }

    /// The socket, for whoever may have to end this.
    pub(crate) fn socket(&self) -> Socket {
        self.stream.socket().clone()
    }

    /// From now on a wait for a message lasts so long; `None` is for ever.
    pub(crate) fn wake_after(&mut self, time: Option<Duration>) -> Result<(), End> {
        if self.wait != time {
            self.stream.socket().set_read_timeout(time)?;
            self.wait = time;
        }
        Ok(())
    }

    /// Reads what is there, waiting for it; whether anything came.
    fn fill(&mut self) -> Result<bool, End> {
        let count = loop {
            match self.stream.read(&mut self.chunk) {
                Ok(count) => break count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    return Ok(false);
                }
                Err(_) => break 0,
            }
        };
        match self.chunk.get(..count) {
            Some(bytes) if !bytes.is_empty() => self.decoder.push(bytes),
            _ => return Err(self.gone()),
        }
        Ok(true)
    }

    /// Why nothing more comes.
    fn gone(&self) -> End {
        match self.ending.load(Ordering::Relaxed) {
            true => End::Fatal(shutdown()),
            false => End::Gone,
        }
    }

    /// The next message, if one comes while there is time to wait.
    pub(crate) fn receive(&mut self) -> Result<Received, End> {
        loop {
            // What the client sent after it was told to go is not looked at.
            if self.ending.load(Ordering::Relaxed) {
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
        if !self.out.bytes().is_empty() {
            self.stream.write_all(self.out.bytes())?;
            self.stream.flush()?;
            self.out.clear();
        }
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
        self.stream.close();
        if told {
            linger(&self.stream);
        }
        // Others may know the socket for a moment longer, but it is closed.
        self.stream.socket().shutdown(std::net::Shutdown::Both);
    }
}

/// Closing a socket with unread bytes resets the connection, and the client may never read why. So what it
/// still sends is read for a moment.
fn linger(stream: &Stream) {
    let socket = stream.socket();
    socket.shutdown(std::net::Shutdown::Write);
    if socket.set_read_timeout(Some(LINGER)).is_err() {
        return;
    }
    let mut socket = socket.clone();
    let (mut chunk, until) = ([0; 4096], Instant::now() + LINGER);
    while Instant::now() < until && matches!(socket.read(&mut chunk), Ok(count) if count > 0) {}
}

/// The server wants to end.
pub(crate) fn shutdown() -> hobgoblin_sql_postgres_types::error::SqlError {
    fatal("57P01", "terminating connection due to administrator command")
}
