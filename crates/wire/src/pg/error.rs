//! What is wrong with what a client sent.

use std::fmt;

/// Bytes that are not a message of the protocol. After a fatal error nobody knows where the next message begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolError {
    /// Whether the connection has to end.
    pub fatal: bool,
    /// The tag of the message, 0 if it has none.
    pub tag: u8,
    /// The SQLSTATE, five characters.
    pub state: &'static str,
    /// What is wrong, as PostgreSQL words it.
    pub message: String,
}

impl ProtocolError {
    /// A fatal violation of the protocol.
    pub fn fatal(tag: u8, message: impl Into<String>) -> ProtocolError {
        ProtocolError { fatal: true, tag, state: "08P01", message: message.into() }
    }

    /// A message whose body is wrong; the next one is fine.
    pub(crate) fn body(tag: u8, message: impl Into<String>) -> ProtocolError {
        ProtocolError { fatal: false, tag, state: "08P01", message: message.into() }
    }

    /// Text that is no UTF-8.
    pub(crate) fn encoding(tag: u8, bytes: &[u8]) -> ProtocolError {
        let message = invalid_utf8(bytes);
        ProtocolError { fatal: false, tag, state: "22021", message }
    }

    /// Whether the message was one of the extended protocol, after whose errors everything up to the next
    /// Sync is skipped.
    pub fn is_extended(&self) -> bool {
        b"PBDECH".contains(&self.tag)
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ProtocolError {}

/// The words for bytes that are no UTF-8: those from the first wrong one that belong together.
pub(crate) fn invalid_utf8(bytes: &[u8]) -> String {
    let at = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    let rest = bytes.get(at..).unwrap_or_default();
    let length = match rest.first() {
        Some(0xc0..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf7) => 4,
        _ => 1,
    };
    let shown: Vec<String> = rest.iter().take(length).map(|byte| format!("0x{byte:02x}")).collect();
    format!("invalid byte sequence for encoding \"UTF8\": {}", shown.join(" "))
}
