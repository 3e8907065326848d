//! A connection whose client has not yet said who it is, or not proved it: its messages.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hobgoblin_wire::pg::{Decoder, Encoder, Frontend, Startup};

use super::channel::Channel;
use super::errors::{End, fatal, of_protocol, send};
use crate::listen::guest::Guest;
use crate::listen::pipe::Pipe;
use crate::listen::socket::Socket;
use crate::listen::tls::ServerConfig;

/// The longest message of somebody unknown.
const MAX_MESSAGE: usize = 65_535;

/// Both directions of such a connection.
pub(crate) struct Visitor {
    guest: Guest,
    decoder: Decoder,
    /// What is to be sent.
    pub(crate) out: Encoder,
}

impl Visitor {
    /// Waits for a socket that nobody else has; to be called in a task.
    pub(crate) fn new(socket: Socket) -> io::Result<Visitor> {
        let (guest, decoder) = (Guest::new(socket)?, Decoder::with_limit(MAX_MESSAGE));
        Ok(Visitor { guest, decoder, out: Encoder::new() })
    }

    pub(crate) fn is_tls(&self) -> bool {
        self.guest.is_tls()
    }

    /// Goes on with TLS. What came before must have been used up: bytes that somebody slipped in before TLS
    /// are not the client's.
    pub(crate) fn upgrade(&mut self, config: &Arc<ServerConfig>) -> Result<(), End> {
        if !self.decoder.is_empty() {
            return Err(End::Fatal(fatal("08P01", "received unencrypted data after SSL request")));
        }
        Ok(self.guest.upgrade(config)?)
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

    /// Waits for bytes of the client.
    async fn fill(&mut self) -> Result<(), End> {
        let bytes = self.guest.read().await?;
        self.decoder.push(&bytes);
        Ok(())
    }

    /// Sends what is in the buffer.
    pub(crate) async fn flush(&mut self) -> Result<(), End> {
        self.guest.write(self.out.bytes()).await?;
        self.out.clear();
        Ok(())
    }

    /// Tells the client why this is the end.
    pub(crate) async fn close(mut self, end: End) {
        let End::Fatal(error) = end else { return };
        send(&mut self.out, &error);
        self.guest.close(self.out.bytes()).await;
    }

    /// Lets the client in: from now on a thread reads and writes, and waits where it has to.
    pub(crate) fn into_channel(self, max: usize, ending: Arc<AtomicBool>) -> io::Result<Channel> {
        let Visitor { guest, mut decoder, out } = self;
        decoder.set_limit(max);
        Ok(Channel::new(Pipe::new(guest.into_stream()?, ending), decoder, out))
    }
}
