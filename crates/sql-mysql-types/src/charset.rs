//! Character sets: bytes of clients to texts, and texts to bytes.
//!
//! All texts are kept in Unicode. What a client sends in another character set is decoded, and what it is to get in another one
//! is encoded; a character that the other one has not becomes `?`.

use std::borrow::Cow;

use crate::collation::Collation;
use crate::cp1252;

/// A character set that is known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Charset {
    Utf8mb4,
    Utf8mb3,
    Latin1,
    Ascii,
    Binary,
}

impl Charset {
    /// By its name; `utf8` is `utf8mb3`.
    pub fn named(name: &str) -> Option<Charset> {
        Collation::first_of(name).map(Charset::of)
    }

    /// That of a collation.
    pub fn of(collation: Collation) -> Charset {
        match collation.charset() {
            "utf8mb4" => Charset::Utf8mb4,
            "utf8mb3" => Charset::Utf8mb3,
            "latin1" => Charset::Latin1,
            "ascii" => Charset::Ascii,
            _ => Charset::Binary,
        }
    }

    /// Whether a statement in it is read as it comes.
    pub fn is_plain(self) -> bool {
        match self {
            Charset::Utf8mb4 | Charset::Utf8mb3 | Charset::Ascii | Charset::Binary => true,
            Charset::Latin1 => false,
        }
    }

    /// The text of some bytes; nothing if they are none in it, or if it is bytes alone.
    pub fn decode(self, bytes: &[u8]) -> Option<String> {
        match self {
            Charset::Latin1 => Some(bytes.iter().map(|&byte| cp1252::letter(byte)).collect()),
            Charset::Utf8mb4 => std::str::from_utf8(bytes).ok().map(str::to_owned),
            Charset::Utf8mb3 => {
                let text = std::str::from_utf8(bytes).ok()?;
                text.chars().all(|letter| letter <= '\u{ffff}').then(|| text.to_owned())
            }
            Charset::Ascii => bytes.is_ascii().then(|| String::from_utf8_lossy(bytes).into_owned()),
            Charset::Binary => None,
        }
    }

    /// A statement as a client sent it, as bytes of UTF-8.
    pub fn statement(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Charset::Latin1 if !bytes.is_ascii() => {
                let text: String = bytes.iter().map(|&byte| cp1252::letter(byte)).collect();
                Cow::Owned(text.into_bytes())
            }
            _ => Cow::Borrowed(bytes),
        }
    }

    /// The bytes of a text in it.
    pub fn encode(self, text: &str) -> Cow<'_, [u8]> {
        let each = |byte: fn(char) -> Option<u8>| {
            text.chars().map(|letter| byte(letter).unwrap_or(b'?')).collect::<Vec<u8>>()
        };
        match self {
            _ if text.is_ascii() => Cow::Borrowed(text.as_bytes()),
            Charset::Utf8mb4 | Charset::Binary => Cow::Borrowed(text.as_bytes()),
            Charset::Utf8mb3 => match text.chars().any(|letter| letter > '\u{ffff}') {
                true => {
                    let letters = text.chars().map(|l| if l > '\u{ffff}' { '?' } else { l });
                    Cow::Owned(letters.collect::<String>().into_bytes())
                }
                false => Cow::Borrowed(text.as_bytes()),
            },
            Charset::Latin1 => Cow::Owned(each(cp1252::byte)),
            Charset::Ascii => {
                Cow::Owned(each(|letter| u8::try_from(letter).ok().filter(u8::is_ascii)))
            }
        }
    }

    /// The bytes of a text of a collation as they go to a client that wants results in a character set: without one, or in
    /// `binary`, as a server that keeps the text in its own character set would send it.
    pub fn result(results: Option<Charset>, text: &str, collation: Collation) -> Cow<'_, [u8]> {
        match results {
            None | Some(Charset::Binary) => Charset::of(collation).encode(text),
            Some(charset) => charset.encode(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latin1_goes_both_ways() {
        for byte in 0..=255 {
            let text = Charset::Latin1.decode(&[byte]);
            let text = text.as_deref().unwrap_or_default();
            assert_eq!(&*Charset::Latin1.encode(text), [byte], "{byte:x}");
        }
        assert_eq!(Charset::Latin1.decode(b"\x80\xe4").as_deref(), Some("€ä"));
        assert_eq!(&*Charset::Latin1.encode("a→ä"), b"a?\xe4");
        assert_eq!(&*Charset::Utf8mb3.encode("ä😀"), "ä?".as_bytes());
        assert_eq!(&*Charset::Ascii.encode("ä"), b"?");
        assert_eq!(Charset::Utf8mb4.decode(b"\xff"), None);
        assert_eq!(&*Charset::Latin1.statement(b"SELECT '\xe4'"), "SELECT 'ä'".as_bytes());
        let latin1 = Collation::first_of("latin1").unwrap_or(Collation::DEFAULT);
        assert_eq!(&*Charset::result(None, "ä", latin1), b"\xe4");
        assert_eq!(&*Charset::result(Some(Charset::Utf8mb4), "ä", latin1), "ä".as_bytes());
    }
}
