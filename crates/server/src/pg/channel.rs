//! A client's bytes both ways: reads when no whole message is there, writes when a cycle ends.

use std::io::{ErrorKind, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hobgoblin_wire::{Decoder, Encoder, Frontend, ProtocolError, Startup};

use super::errors::{End, fatal};
use super::stream::{Socket, Stream};

/// What is written before it is sent although the cycle has not ended.
const LARGE: usize = 64 << 10;

/// How much is read at once.
const CHUNK: usize = 16 << 10;

/// How long a client may leave what is sent to it unread before it counts as gone.
const WRITE_TIMEOUT: Duration = Duration::from_secs(60);

/// The two directions of a connection.
pub(crate) struct Channel {
    stream: Option<Stream>,
    decoder: Decoder,
    /// What is to be sent.
    pub(crate) out: Encoder,
    chunk: Box<[u8]>,
    /// When the client must be done with its startup.
    deadline: Option<Instant>,
    /// How long a wait for a message lasts.
    wait: Option<Duration>,
    /// Set when the server wants this connection to end.
    ending: Arc<AtomicBool>,
}

/// What waiting for a message gave.
#[derive(Debug)]
pub(crate) enum Received {
    Message(Frontend),
    /// A message that is none; the next one may be.
    Broken(ProtocolError),
    /// Nothing came in the time to wait.
    Nothing,
}

impl Channel {
    pub(crate) fn new(socket: Socket, max: usize, ending: Arc<AtomicBool>) -> Channel {
        // Where this fails, a client that does not read is waited for longer.
        let _ = socket.set_write_timeout(Some(WRITE_TIMEOUT));
        Channel {
            stream: Some(Stream::Plain(socket)),
            decoder: Decoder::with_limit(max),
            out: Encoder::new(),
            chunk: vec![0; CHUNK].into_boxed_slice(),
            deadline: None,
            wait: None,
            ending,
        }
    }

    fn stream(&mut self) -> Result<&mut Stream, End> {
        self.stream.as_mut().ok_or(End::Gone)
    }

    pub(crate) fn is_tls(&self) -> bool {
        self.stream.as_ref().is_some_and(Stream::is_tls)
    }

    /// Goes on with another stream over the same socket. What came before must have been used up: bytes
    /// that somebody slipped in before TLS are not the client's.
    pub(crate) fn upgrade(
        &mut self,
        wrap: impl FnOnce(Socket) -> Option<Stream>,
    ) -> Result<(), End> {
        if !self.decoder.is_empty() {
            return Err(End::Fatal(fatal("08P01", "received unencrypted data after SSL request")));
        }
        let Some(Stream::Plain(socket)) = self.stream.take() else { return Err(End::Gone) };
        self.stream = Some(wrap(socket).ok_or(End::Gone)?);
        Ok(())
    }

    /// From now on the client has this long to be done with its startup; `None` is for ever.
    pub(crate) fn limit(&mut self, time: Option<Duration>) -> Result<(), End> {
        self.deadline = time.map(|time| Instant::now() + time);
        self.stream()?.socket().set_read_timeout(None)?;
        Ok(())
    }

    /// From now on a wait for a message lasts so long; `None` is for ever.
    pub(crate) fn wake_after(&mut self, time: Option<Duration>) -> Result<(), End> {
        if self.wait != time {
            self.stream()?.socket().set_read_timeout(time)?;
            self.wait = time;
        }
        Ok(())
    }

    /// Reads what is there, waiting for it; whether anything came.
    fn fill(&mut self) -> Result<bool, End> {
        if let Some(deadline) = self.deadline {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(End::Fatal(fatal("57014", "canceling authentication due to timeout")));
            }
            self.stream()?.socket().set_read_timeout(Some(left))?;
        }
        let stream = self.stream.as_mut().ok_or(End::Gone)?;
        let count = loop {
            match stream.read(&mut self.chunk) {
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

    /// The next packet of the startup.
    pub(crate) fn startup(&mut self) -> Result<Startup, End> {
        loop {
            match self.decoder.startup() {
                Ok(Some(packet)) => return Ok(packet),
                Ok(None) => {}
                Err(error) => return Err(End::Fatal(super::errors::of_protocol(error))),
            }
            self.fill()?;
        }
    }

    /// The next message, if one comes while there is time to wait.
    pub(crate) fn receive(&mut self) -> Result<Received, End> {
        if self.ending.load(Ordering::Relaxed) {
            return Err(self.gone());
        }
        loop {
            match self.decoder.message() {
                Ok(Some(message)) => return Ok(Received::Message(message)),
                Ok(None) => {}
                Err(error) if error.fatal => {
                    return Err(End::Fatal(super::errors::of_protocol(error)));
                }
                Err(error) => return Ok(Received::Broken(error)),
            }
            if !self.fill()? && self.deadline.is_none() {
                return Ok(Received::Nothing);
            }
        }
    }

    /// Sends everything.
    pub(crate) fn flush(&mut self) -> Result<(), End> {
        if !self.out.bytes().is_empty() {
            let stream = self.stream.as_mut().ok_or(End::Gone)?;
            stream.write_all(self.out.bytes())?;
            stream.flush()?;
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
        if let Some(stream) = &mut self.stream {
            stream.close();
            if told {
                linger(stream);
            }
        }
    }
}

/// Closing a socket with unread bytes resets the connection, and the client may never read why. So what it
/// still sends is read for a moment.
fn linger(stream: &mut Stream) {
    const WAIT: Duration = Duration::from_millis(200);
    let socket = stream.socket();
    socket.shutdown(std::net::Shutdown::Write);
    if socket.set_read_timeout(Some(WAIT)).is_err() {
        return;
    }
    let Ok(mut socket) = socket.try_clone() else { return };
    let (mut chunk, until) = ([0; 4096], Instant::now() + WAIT);
    while Instant::now() < until && matches!(socket.read(&mut chunk), Ok(count) if count > 0) {}
}

/// The server wants to end.
pub(crate) fn shutdown() -> hobgoblin_sql::error::SqlError {
    fatal("57P01", "terminating connection due to administrator command")
}
