//! A connection whose client has not yet said who it is, or not proved it.
//!
//! Anybody may open sockets and say nothing, so a visitor costs a socket and a task: no thread, and no
//! buffer before something comes. Once it is let in, [`Visitor::into_channel`] gives it to a thread.

use std::io::{self, ErrorKind, Read, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hobgoblin_wire::pg::{Decoder, Encoder, Frontend, Startup};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpStream, UnixStream};

use super::channel::{Channel, LINGER};
use super::errors::{End, fatal, of_protocol, send};
use super::stream::{Socket, Stream};
use super::tls::{ServerConfig, ServerConnection, StreamOwned};

/// The longest message of somebody unknown.
const MAX_MESSAGE: usize = 65_535;

/// Both directions of such a connection.
pub(crate) struct Visitor {
    socket: Waits,
    tls: Option<Box<ServerConnection>>,
    decoder: Decoder,
    /// What is to be sent.
    pub(crate) out: Encoder,
}

/// A socket that a task waits for.
enum Waits {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Waits {
    /// What has arrived, at least one byte; none at the end.
    async fn read(&self) -> io::Result<Vec<u8>> {
        loop {
            match self {
                Waits::Tcp(socket) => socket.readable().await?,
                Waits::Unix(socket) => socket.readable().await?,
            }
            let mut chunk = [0; 4096];
            let read = match self {
                Waits::Tcp(socket) => socket.try_read(&mut chunk),
                Waits::Unix(socket) => socket.try_read(&mut chunk),
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

    /// Sends nothing more.
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

/// Whether an error only means to try again.
fn passes(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

impl Visitor {
    /// Waits for a socket that nobody else has; to be called in a task.
    pub(crate) fn new(socket: Socket) -> io::Result<Visitor> {
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
        let decoder = Decoder::with_limit(MAX_MESSAGE);
        Ok(Visitor { socket, tls: None, decoder, out: Encoder::new() })
    }

    pub(crate) fn is_tls(&self) -> bool {
        self.tls.is_some()
    }

    /// Goes on with TLS. What came before must have been used up: bytes that somebody slipped in before TLS
    /// are not the client's.
    pub(crate) fn upgrade(&mut self, config: &Arc<ServerConfig>) -> Result<(), End> {
        if !self.decoder.is_empty() {
            return Err(End::Fatal(fatal("08P01", "received unencrypted data after SSL request")));
        }
        let tls = ServerConnection::new(Arc::clone(config)).map_err(|_| End::Gone)?;
        self.tls = Some(Box::new(tls));
        Ok(())
    }

    /// The next packet of the startup.
    pub(crate) async fn startup(&mut self) -> Result<Startup, End> {
        loop {
            match self.decoder.startup() {
                Ok(Some(packet)) => return Ok(packet),
                Ok(None) => self.fill().await?,
                Err(error) => return Err(End::Fatal(of_protocol(error))),
            }
        }
    }

    /// The next message; `None` if what came is not one.
    pub(crate) async fn message(&mut self) -> Result<Option<Frontend>, End> {
        loop {
            match self.decoder.message() {
                Ok(Some(message)) => return Ok(Some(message)),
                Ok(None) => self.fill().await?,
                Err(error) if error.fatal => return Err(End::Fatal(of_protocol(error))),
                Err(_) => return Ok(None),
            }
        }
    }

    /// Sends what is in the buffer.
    pub(crate) async fn flush(&mut self) -> Result<(), End> {
        match &mut self.tls {
            Some(tls) => {
                tls.writer().write_all(self.out.bytes())?;
                self.out.clear();
                self.flush_tls().await
            }
            None => {
                self.socket.write_all(self.out.bytes()).await?;
                self.out.clear();
                Ok(())
            }
        }
    }

    /// Sends what TLS has to say.
    async fn flush_tls(&mut self) -> Result<(), End> {
        let mut bytes = Vec::new();
        if let Some(tls) = &mut self.tls {
            while tls.wants_write() {
                tls.write_tls(&mut bytes)?;
            }
        }
        Ok(self.socket.write_all(&bytes).await?)
    }

    /// Waits for bytes of the client.
    async fn fill(&mut self) -> Result<(), End> {
        loop {
            self.flush_tls().await?;
            let bytes = self.socket.read().await?;
            if bytes.is_empty() {
                return Err(End::Gone);
            }
            let Some(tls) = &mut self.tls else {
                self.decoder.push(&bytes);
                return Ok(());
            };
            let decrypted = decrypt(tls, &bytes);
            // Where a handshake fails, the client is told by what TLS still has to say.
            self.flush_tls().await?;
            let decrypted = decrypted?;
            if !decrypted.is_empty() {
                self.decoder.push(&decrypted);
                return Ok(());
            }
        }
    }

    /// Tells the client why this is the end. What it still sends is read for a moment, since closing a
    /// socket with unread bytes resets the connection, and the client may never read why.
    pub(crate) async fn close(mut self, end: End) {
        let End::Fatal(error) = end else { return };
        send(&mut self.out, &error);
        let told = async {
            self.flush().await?;
            if let Some(tls) = &mut self.tls {
                tls.send_close_notify();
                self.flush_tls().await?;
            }
            self.socket.hang_up().await?;
            while self.fill().await.is_ok() {
                self.decoder = Decoder::new();
            }
            Ok::<(), End>(())
        };
        // Who does not listen is not waited for.
        let _ = tokio::time::timeout(LINGER, told).await;
    }

    /// Lets the client in: from now on a thread reads and writes, and waits where it has to.
    pub(crate) fn into_channel(self, max: usize, ending: Arc<AtomicBool>) -> io::Result<Channel> {
        let Visitor { socket, tls, mut decoder, out } = self;
        let socket = socket.into_socket()?;
        decoder.set_limit(max);
        let stream = match tls {
            Some(tls) => Stream::Tls(Box::new(StreamOwned::new(*tls, socket))),
            None => Stream::Plain(socket),
        };
        Ok(Channel::new(stream, decoder, out, ending))
    }
}

/// What bytes of TLS say, if they say anything to us.
fn decrypt(tls: &mut ServerConnection, mut bytes: &[u8]) -> Result<Vec<u8>, End> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        tls.read_tls(&mut bytes)?;
        let state = tls.process_new_packets().map_err(|_| End::Gone)?;
        let start = all.len();
        all.resize(start + state.plaintext_bytes_to_read(), 0);
        tls.reader().read_exact(&mut all[start..])?;
    }
    Ok(all)
}
