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
    /// The header of the packet that arrives.
    header: Vec<u8>,
    /// How many bytes of its payload are missing.
    missing: usize,
}

impl Visitor {
    /// Waits for a socket that nobody else has; to be called in a task.
    pub(crate) fn new(socket: Socket) -> io::Result<Visitor> {
        let guest = Guest::new(socket)?;
        let (decoder, out) = (Decoder::new(), Encoder::new());
        Ok(Visitor { guest, decoder, out, header: Vec::new(), missing: 0 })
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
                Ok(None) => self.fill().await?,
                Err(error) => {
                    self.out.reply_at(self.decoder.sequence());
                    return Err(End::Fatal(error.into()));
                }
            }
        }
    }

    /// Waits for bytes of the client, and takes none behind the packet that arrives: a client that wants TLS begins it
    /// without waiting for an answer.
    async fn fill(&mut self) -> Result<(), End> {
        if self.missing > 0 {
            let bytes = self.guest.read_at_most(self.missing).await?;
            self.missing = self.missing.saturating_sub(bytes.len());
            self.decoder.push(&bytes);
            return Ok(());
        }
        let bytes = self.guest.read_at_most(4 - self.header.len()).await?;
        self.decoder.push(&bytes);
        if self.is_tls() {
            return Ok(());
        }
        self.header.extend_from_slice(&bytes);
        if let Some(&[low, middle, high, _]) = self.header.first_chunk() {
            self.missing = u32::from_le_bytes([low, middle, high, 0]) as usize;
            self.header.clear();
        }
        Ok(())
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
        let Visitor { guest, mut decoder, out, .. } = self;
        decoder.set_limit(max);
        Ok(Channel::new(Pipe::new(guest.into_stream()?, ending), decoder, out))
    }
}

impl From<Failure> for End {
    fn from(failure: Failure) -> End {
        End::Fatal(failure)
    }
}
