//! A connection whose client has not yet said who it is, or not proved it: its packets.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bytes::Bytes;
use hobgoblin_wire::mysql::{Decoder, Encoder};

use super::channel::Channel;
use super::errors::{End, Failure};
use crate::listen::guest::Guest;
use crate::listen::pipe::Pipe;
use crate::listen::socket::Socket;
use crate::listen::tls::ServerConfig;

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
        let guest = Guest::new(socket)?;
        Ok(Visitor { guest, decoder: Decoder::new(), out: Encoder::new() })
    }

    /// Where the client is, as USER() tells it.
    pub(crate) fn host(&self) -> String {
        self.guest.peer().map_or_else(|| "localhost".to_owned(), |address| address.to_string())
    }

    pub(crate) fn is_tls(&self) -> bool {
        self.guest.is_tls()
    }

    /// Goes on with TLS. What came before must have been used up: bytes that somebody slipped in before TLS
    /// are not the client's.
    pub(crate) fn upgrade(&mut self, config: &Arc<ServerConfig>) -> Result<(), End> {
        match self.decoder.is_empty() {
            true => Ok(self.guest.upgrade(config)?),
            false => Err(End::Gone),
        }
    }

    /// Sends what is in the buffer, and gives the packet that answers it.
    pub(crate) async fn ask(&mut self) -> Result<Bytes, End> {
        self.guest.write(self.out.bytes()).await?;
        self.out.clear();
        loop {
            let payload = self.decoder.answer(self.out.sequence());
            match payload {
                Ok(Some(payload)) => {
                    self.out.reply_at(self.decoder.sequence());
                    return Ok(payload);
                }
                Ok(None) => {
                    let bytes = self.guest.read().await?;
                    self.decoder.push(&bytes);
                }
                Err(error) => {
                    self.out.reply_at(self.decoder.sequence());
                    return Err(End::Fatal(error.into()));
                }
            }
        }
    }

    /// Tells the client why this is the end.
    pub(crate) async fn close(mut self, end: End) {
        if let End::Fatal(failure) = end {
            failure.write(&mut self.out);
            self.guest.close(self.out.bytes()).await;
        }
    }

    /// Lets the client in: from now on a thread reads and writes, and waits where it has to.
    pub(crate) fn into_channel(self, max: usize, ending: Arc<AtomicBool>) -> io::Result<Channel> {
        let Visitor { guest, mut decoder, out } = self;
        decoder.set_limit(max);
        Ok(Channel::new(Pipe::new(guest.into_stream()?, ending), decoder, out))
    }
}

impl From<Failure> for End {
    fn from(failure: Failure) -> End {
        End::Fatal(failure)
    }
}
