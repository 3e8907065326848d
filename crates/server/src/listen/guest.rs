//! The bytes of a client that has not yet said who it is, or not proved it.
//!
//! Anybody may open sockets and say nothing, so a guest costs a socket and a task: no thread, and no
//! buffer before something comes. Once it is let in, [`Guest::into_stream`] makes of it what a thread waits for.

use std::io::{self, ErrorKind, Read, Write};
use std::sync::Arc;

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpStream, UnixStream};

use super::pipe::LINGER;
use super::socket::{Socket, Stream};
use super::tls::{ServerConfig, ServerConnection, StreamOwned};

/// Both directions of such a connection.
pub(crate) struct Guest {
    socket: Waits,
    tls: Option<Box<ServerConnection>>,
}

/// A socket that a task waits for.
enum Waits {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Waits {
    /// What has arrived, at least one byte and at most so many; none at the end.
    async fn read(&self, most: usize) -> io::Result<Vec<u8>> {
        loop {
            match self {
                Waits::Tcp(socket) => socket.readable().await?,
                Waits::Unix(socket) => socket.readable().await?,
            }
            let mut chunk = [0; CHUNK];
            let room = &mut chunk[..most.min(CHUNK)];
            let read = match self {
                Waits::Tcp(socket) => socket.try_read(room),
                Waits::Unix(socket) => socket.try_read(room),
            };
            match read {
                Ok(count) => return Ok(chunk[..count].to_vec()),
                Err(error) if passes(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }

    async fn write_all(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match self {
                Waits::Tcp(socket) => socket.writable().await?,
                Waits::Unix(socket) => socket.writable().await?,
            }
            let wrote = match self {
                Waits::Tcp(socket) => socket.try_write(bytes),
                Waits::Unix(socket) => socket.try_write(bytes),
            };
            match wrote {
                Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
                Err(error) if passes(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Tells the client that nothing more will be sent.
    async fn hang_up(&mut self) -> io::Result<()> {
        match self {
            Waits::Tcp(socket) => socket.shutdown().await,
            Waits::Unix(socket) => socket.shutdown().await,
        }
    }

    /// The socket for a thread that waits itself.
    fn into_socket(self) -> io::Result<Socket> {
        let socket = match self {
            Waits::Tcp(socket) => Socket::Tcp(Arc::new(socket.into_std()?)),
            Waits::Unix(socket) => Socket::Unix(Arc::new(socket.into_std()?)),
        };
        socket.set_nonblocking(false)?;
        Ok(socket)
    }
}

/// How much is read at once.
const CHUNK: usize = 4096;

/// Whether an error only means to try again.
fn passes(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

impl Guest {
    /// Waits for a socket that nobody else has; to be called in a task.
    pub(crate) fn new(socket: Socket) -> io::Result<Guest> {
        socket.set_nonblocking(true)?;
        let taken = || io::Error::from(ErrorKind::ResourceBusy);
        let socket = match socket {
            Socket::Tcp(socket) => {
                Waits::Tcp(TcpStream::from_std(Arc::into_inner(socket).ok_or_else(taken)?)?)
            }
            Socket::Unix(socket) => {
                Waits::Unix(UnixStream::from_std(Arc::into_inner(socket).ok_or_else(taken)?)?)
            }
        };
        Ok(Guest { socket, tls: None })
    }

    pub(crate) fn is_tls(&self) -> bool {
        self.tls.is_some()
    }

    /// The address that the client comes from, unless it is on this machine.
    #[cfg(feature = "mysql")]
    pub(crate) fn peer(&self) -> Option<std::net::IpAddr> {
        match &self.socket {
            Waits::Tcp(socket) => {
                let address = socket.peer_addr().ok()?.ip().to_canonical();
                (!address.is_loopback()).then_some(address)
            }
            Waits::Unix(_) => None,
        }
    }

    /// Goes on with TLS. What came before must have been used up: bytes that somebody slipped in before TLS
    /// are not the client's.
    pub(crate) fn upgrade(&mut self, config: &Arc<ServerConfig>) -> io::Result<()> {
        let tls = ServerConnection::new(Arc::clone(config)).map_err(io::Error::other)?;
        self.tls = Some(Box::new(tls));
        Ok(())
    }

    /// Sends bytes, under TLS if that has been agreed on.
    pub(crate) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.tls {
            Some(tls) => {
                tls.writer().write_all(bytes)?;
                self.flush_tls().await
            }
            None => self.socket.write_all(bytes).await,
        }
    }

    /// Sends what TLS has to say.
    async fn flush_tls(&mut self) -> io::Result<()> {
        let mut bytes = Vec::new();
        if let Some(tls) = &mut self.tls {
            while tls.wants_write() {
                tls.write_tls(&mut bytes)?;
            }
        }
        self.socket.write_all(&bytes).await
    }

    /// Waits for bytes of the client, of which there is at least one. That the client is gone is an error.
    pub(crate) async fn read(&mut self) -> io::Result<Vec<u8>> {
        self.read_at_most(CHUNK).await
    }

    /// The same, but no more than so many of those that are not encrypted: what follows may be TLS.
    pub(crate) async fn read_at_most(&mut self, most: usize) -> io::Result<Vec<u8>> {
        let most = if self.is_tls() { CHUNK } else { most };
        loop {
            self.flush_tls().await?;
            let bytes = self.socket.read(most).await?;
            if bytes.is_empty() {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            let Some(tls) = &mut self.tls else { return Ok(bytes) };
            let decrypted = decrypt(tls, &bytes);
            // Where a handshake fails, the client is told by what TLS still has to say.
            self.flush_tls().await?;
            let decrypted = decrypted?;
            if !decrypted.is_empty() {
                return Ok(decrypted);
            }
        }
    }

    /// Tells the client something last. What it still sends is read for a moment, since closing a
    /// socket with unread bytes resets the connection, and the client may never read it.
    pub(crate) async fn close(mut self, last: &[u8]) {
        let told = async {
            self.write(last).await?;
            if let Some(tls) = &mut self.tls {
                tls.send_close_notify();
                self.flush_tls().await?;
            }
            self.socket.hang_up().await?;
            while self.read().await.is_ok() {}
            Ok::<(), io::Error>(())
        };
        // Who does not listen is not waited for.
        let _ = tokio::time::timeout(LINGER, told).await;
    }

    /// Lets the client in: from now on a thread reads and writes, and waits where it has to.
    pub(crate) fn into_stream(self) -> io::Result<Stream> {
        let socket = self.socket.into_socket()?;
        Ok(match self.tls {
            Some(tls) => Stream::Tls(Box::new(StreamOwned::new(*tls, socket))),
            None => Stream::Plain(socket),
        })
    }
}

/// What bytes of TLS say, if they say anything to us.
fn decrypt(tls: &mut ServerConnection, mut bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        tls.read_tls(&mut bytes)?;
        let state = tls.process_new_packets().map_err(io::Error::other)?;
        let start = all.len();
        all.resize(start + state.plaintext_bytes_to_read(), 0);
        tls.reader().read_exact(&mut all[start..])?;
    }
    Ok(all)
}
