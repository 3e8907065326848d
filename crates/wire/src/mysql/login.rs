//! The first packet of a client: its login, or the wish to speak TLS first. COM_CHANGE_USER is a login within a session.
//!
//! ```text
//!     capabilities  longest packet  collation  00 × 19  MariaDB's capabilities     | a wish for TLS ends here
//!     user \0  answer to the scramble  [database \0]  [method \0]  [attributes]    | what is there, capabilities say
//! ```
//!
//! The layout follows the capabilities that the client names, whether or not they were offered. What later packets look like
//! follows those that both have.

use bytes::Bytes;

use super::capabilities::Capabilities;
use super::error::ProtocolError;
use super::payload::Payload;

/// The first packet of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hello {
    /// The next bytes are TLS; under it, the client logs in. What it sent behind this packet in the clear must not count: a decoder
    /// that is not [empty](super::Decoder::is_empty) now has bytes that somebody else may have slipped in.
    Tls,
    /// The client logs in.
    Login(Login),
}

/// Who a client says to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Login {
    /// What the client can do and wants.
    pub capabilities: Capabilities,
    /// The longest packet that it takes.
    pub max_packet: u32,
    /// The number of the collation it speaks in.
    pub collation: u16,
    /// The name of the user.
    pub user: Bytes,
    /// The answer to the scramble, by the method named below.
    pub answer: Bytes,
    /// The database to begin in, if it names one.
    pub database: Option<Bytes>,
    /// The name of the method that the answer is for, if it names one.
    pub method: Option<Bytes>,
    /// What the client tells about itself, as names and values.
    pub attributes: Vec<(Bytes, Bytes)>,
}

impl Hello {
    /// The first packet of a client, by its payload.
    pub fn decode(payload: Bytes) -> Result<Hello, ProtocolError> {
        Hello::read(Payload::new(payload)).map_err(|_| ProtocolError::BadHandshake)
    }

    fn read(mut payload: Payload) -> Result<Hello, ProtocolError> {
        let low = payload.u32()?;
        let max_packet = payload.u32()?;
        let collation = payload.u8()?.into();
        payload.bytes(19)?;
        let high = payload.u32()?;
        let mut capabilities = Capabilities::from_bits(low.into());
        if !capabilities.contains(Capabilities::MYSQL) {
            capabilities = Capabilities::from_bits(u64::from(low) | u64::from(high) << 32);
        }
        if !capabilities.contains(Capabilities::PROTOCOL_41) {
            return Err(ProtocolError::BadHandshake);
        }
        if payload.is_empty() {
            return match capabilities.contains(Capabilities::SSL) {
                true => Ok(Hello::Tls),
                false => Err(ProtocolError::BadHandshake),
            };
        }
        let user = payload.terminated()?;
        let answer = answer(&mut payload, capabilities)?;
        let database = match capabilities.contains(Capabilities::CONNECT_WITH_DB) {
            true => Some(payload.terminated_or_rest()).filter(|name| !name.is_empty()),
            false => None,
        };
        let method = method(&mut payload, capabilities);
        let attributes = attributes(&mut payload, capabilities)?;
        Ok(Hello::Login(Login {
            capabilities,
            max_packet,
            collation,
            user,
            answer,
            database,
            method,
            attributes,
        }))
    }
}

impl Login {
    /// The login of a COM_CHANGE_USER, whose payload this is without its first byte. The capabilities are those of the session.
    pub(crate) fn change(
        mut payload: Payload,
        capabilities: Capabilities,
    ) -> Result<Login, ProtocolError> {
        let user = payload.terminated()?;
        let length = payload.u8()?;
        let answer = payload.bytes(length.into())?;
        let database = Some(payload.terminated()?).filter(|name| !name.is_empty());
        let mut login = Login { capabilities, user, answer, database, ..Login::default() };
        // Old clients end here, or after the collation.
        if !payload.is_empty() {
            login.collation = payload.u16()?;
            login.method = method(&mut payload, capabilities);
            login.attributes = attributes(&mut payload, capabilities)?;
        }
        Ok(login)
    }
}

/// The answer to the scramble, in the layout of one of three times.
fn answer(payload: &mut Payload, capabilities: Capabilities) -> Result<Bytes, ProtocolError> {
    if capabilities.contains(Capabilities::PLUGIN_AUTH_LENENC_DATA) {
        payload.counted()
    } else if capabilities.contains(Capabilities::SECURE_CONNECTION) {
        let length = payload.u8()?;
        payload.bytes(length.into())
    } else {
        payload.terminated()
    }
}

fn method(payload: &mut Payload, capabilities: Capabilities) -> Option<Bytes> {
    let named = capabilities.contains(Capabilities::PLUGIN_AUTH) && !payload.is_empty();
    named.then(|| payload.terminated_or_rest()).filter(|name| !name.is_empty())
}

/// Names and values, with the length of all of them before. They are told for people to read, so what is wrong among them ends the
/// list and not the login.
fn attributes(
    payload: &mut Payload,
    capabilities: Capabilities,
) -> Result<Vec<(Bytes, Bytes)>, ProtocolError> {
    let mut all = Vec::new();
    if capabilities.contains(Capabilities::CONNECT_ATTRS) {
        let mut pairs = Payload::new(payload.counted()?);
        while let (Ok(name), Ok(value)) = (pairs.counted(), pairs.counted()) {
            all.push((name, value));
        }
    }
    Ok(all)
}
