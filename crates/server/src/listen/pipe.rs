//! A session's bytes both ways, in its thread.

use std::io::{self, ErrorKind, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::socket::{Socket, Stream};

/// What is written before it is sent although the answer has not ended.
pub(crate) const LARGE: usize = 64 << 10;

/// How much is read at once.
const CHUNK: usize = 16 << 10;

/// How long a client may leave what is sent to it unread before it counts as gone.
const WRITE_TIMEOUT: Duration = Duration::from_secs(60);

/// How long a client that was told of its end may still send, see [`linger`].
pub(crate) const LINGER: Duration = Duration::from_millis(200);

/// The two directions of a connection whose client is known.
pub(crate) struct Pipe {
    stream: Stream,
    chunk: Box<[u8]>,
    /// How long a wait for bytes lasts.
    wait: Option<Duration>,
    /// Set when the server wants this connection to end.
    ending: Arc<AtomicBool>,
}

/// What waiting for bytes gave.
pub(crate) enum Heard<'p> {
    /// At least one byte has come.
    Bytes(&'p [u8]),
    /// Nothing came in the time to wait.
    Nothing,
    /// The client has closed the connection, or it broke.
    Gone,
}

impl Pipe {
    pub(crate) fn new(stream: Stream, ending: Arc<AtomicBool>) -> Pipe {
        // Where this fails, a client that does not read is waited for longer.
        let _ = stream.socket().set_write_timeout(Some(WRITE_TIMEOUT));
        let chunk = vec![0; CHUNK].into_boxed_slice();
        Pipe { stream, chunk, wait: None, ending }
    }

    /// The socket, for whoever may have to end this.
    pub(crate) fn socket(&self) -> Socket {
        self.stream.socket().clone()
    }

    /// Whether the server wants this connection to end. What the client sends after that is not looked at.
    pub(crate) fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Relaxed)
    }

    /// Sets how long a wait for bytes lasts from now on; `None` is for ever.
    pub(crate) fn wake_after(&mut self, time: Option<Duration>) -> io::Result<()> {
        if self.wait != time {
            self.stream.socket().set_read_timeout(time)?;
            self.wait = time;
        }
        Ok(())
    }

    /// Reads what is there, waiting for it.
    pub(crate) fn read(&mut self) -> Heard<'_> {
        let count = loop {
            match self.stream.read(&mut self.chunk) {
                Ok(count) => break count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    return Heard::Nothing;
                }
                Err(_) => break 0,
            }
        };
        match self.chunk.get(..count) {
            Some(bytes) if !bytes.is_empty() => Heard::Bytes(bytes),
            _ => Heard::Gone,
        }
    }

    /// Sends bytes at once.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if !bytes.is_empty() {
            self.stream.write_all(bytes)?;
            self.stream.flush()?;
        }
        Ok(())
    }

    /// Ends the connection; one that was just told why may take a moment to hear it.
    pub(crate) fn close(&mut self, told: bool) {
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
    let (mut chunk, until) = (vec![0; 64 << 10], Instant::now() + LINGER);
    while Instant::now() < until && matches!(socket.read(&mut chunk), Ok(count) if count > 0) {}
}
