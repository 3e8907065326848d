//! A build without TLS: a certificate is refused, and no connection is ever made.

use std::io::{self, Read, Write};
use std::sync::Arc;

use super::files::TlsFiles;
use crate::error::ServerError;

/// The configuration of TLS, of which this build has none.
#[allow(dead_code, reason = "nobody makes one")]
pub(crate) struct ServerConfig(());

/// A connection under TLS, of which this build has none.
#[allow(dead_code, reason = "nobody makes one")]
pub(crate) struct ServerConnection(());

/// A socket with such a connection.
pub(crate) struct StreamOwned<C, S> {
    pub(crate) conn: C,
    pub(crate) sock: S,
}

/// What became of bytes that were processed; there are never any.
pub(crate) struct State;

/// Fails, since this build cannot use a certificate.
pub(crate) fn read(files: &TlsFiles) -> Result<Arc<ServerConfig>, ServerError> {
    let why = "this program was built without TLS; build it with the feature `tls`".to_owned();
    Err(ServerError::Tls { path: files.cert.clone(), why })
}

fn none<T>() -> io::Result<T> {
    Err(io::ErrorKind::Unsupported.into())
}

impl ServerConnection {
    pub(crate) fn new(_: Arc<ServerConfig>) -> io::Result<ServerConnection> {
        none()
    }

    pub(crate) fn writer(&mut self) -> io::Sink {
        io::sink()
    }

    pub(crate) fn reader(&mut self) -> io::Empty {
        io::empty()
    }

    pub(crate) fn wants_write(&self) -> bool {
        false
    }

    pub(crate) fn write_tls(&mut self, _: &mut dyn Write) -> io::Result<usize> {
        none()
    }

    pub(crate) fn read_tls(&mut self, _: &mut dyn Read) -> io::Result<usize> {
        none()
    }

    pub(crate) fn process_new_packets(&mut self) -> io::Result<State> {
        none()
    }

    pub(crate) fn send_close_notify(&mut self) {}
}

impl State {
    pub(crate) fn plaintext_bytes_to_read(&self) -> usize {
        0
    }
}

impl<S> StreamOwned<ServerConnection, S> {
    pub(crate) fn new(conn: ServerConnection, sock: S) -> Self {
        StreamOwned { conn, sock }
    }
}

impl<S> Read for StreamOwned<ServerConnection, S> {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        none()
    }
}

impl<S> Write for StreamOwned<ServerConnection, S> {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        none()
    }

    fn flush(&mut self) -> io::Result<()> {
        none()
    }
}
