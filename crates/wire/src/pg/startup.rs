//! The packets before the first message: a length and a number that says what they are.

use bytes::{Buf, BytesMut};

use super::body::Body;
use super::error::ProtocolError;

/// The longest packet before the first message.
pub const MAX_STARTUP: usize = 10_000;

const CANCEL: u32 = 1234 << 16 | 5678;
const SSL: u32 = 1234 << 16 | 5679;
const GSSENC: u32 = 1234 << 16 | 5680;

/// A packet of a connection that begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Startup {
    /// Whether TLS is spoken; answered by one byte, `S` or `N`.
    Ssl,
    /// Whether GSSAPI encryption is spoken; answered by `N`.
    GssEnc,
    /// Another connection's statement is to be cancelled.
    Cancel {
        /// The number that the connection was told to be its process id.
        pid: i32,
        /// The secret that the connection was told.
        secret: i32,
    },
    /// A session is to begin.
    Session {
        /// The minor version of protocol 3; what is above 0 has to be negotiated down.
        minor: u16,
        /// Names and values: `user`, `database`, settings; in their order.
        parameters: Vec<(String, String)>,
    },
}

pub(crate) fn decode(buffer: &mut BytesMut) -> Result<Option<Startup>, ProtocolError> {
    let Some(length) = buffer.get(..4) else { return Ok(None) };
    let length = u32::from_be_bytes(length.try_into().expect("these are four bytes")) as usize;
    if !(8..=MAX_STARTUP).contains(&length) {
        return Err(ProtocolError::fatal(0, "invalid length of startup packet"));
    }
    if buffer.len() < length {
        return Ok(None);
    }
    buffer.advance(4);
    let body = Body::new(0, buffer.split_to(length - 4).freeze());
    // Nothing before the first message can be skipped.
    packet(body).map(Some).map_err(|error| ProtocolError { fatal: true, ..error })
}

fn packet(mut body: Body) -> Result<Startup, ProtocolError> {
    let code = body.u32()?;
    match code {
        SSL => body.end().map(|()| Startup::Ssl),
        GSSENC => body.end().map(|()| Startup::GssEnc),
        CANCEL => Ok(Startup::Cancel { pid: body.i32()?, secret: body.i32()? }),
        _ if code >> 16 == 3 => {
            let minor = (code & 0xffff) as u16;
            Ok(Startup::Session { minor, parameters: parameters(body)? })
        }
        _ => {
            let (major, minor) = (code >> 16, code & 0xffff);
            let message = format!(
                "unsupported frontend protocol {major}.{minor}: server supports 3.0 to 3.0"
            );
            Err(ProtocolError { state: "0A000", ..ProtocolError::fatal(0, message) })
        }
    }
}

/// Pairs of strings, ended by an empty name that is the last byte.
fn parameters(mut body: Body) -> Result<Vec<(String, String)>, ProtocolError> {
    let layout = || {
        ProtocolError::fatal(0, "invalid startup packet layout: expected terminator as last byte")
    };
    let mut all = Vec::new();
    loop {
        let name =
            body.text().map_err(|error| if error.state == "08P01" { layout() } else { error })?;
        if name.is_empty() {
            return match body.is_empty() {
                true => Ok(all),
                false => Err(layout()),
            };
        }
        all.push((name, body.text().map_err(|_| layout())?));
    }
}
