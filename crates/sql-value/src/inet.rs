//! Network addresses: `inet`.
//!
//! An address of either family with the length of its network's prefix. It prints without the length when
//! that is the whole address.

use std::cmp::Ordering;
use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

/// An address and the length of its prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Inet {
    v6: bool,
    bits: u8,
    /// The bytes of the address; an address of four has zeros after it.
    bytes: [u8; 16],
}

impl Inet {
    /// Reads an address, with or without the length of a prefix; `None` if the text is none.
    pub fn read(text: &str) -> Option<Inet> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let v6 = address.contains(':');
        let mut bytes = [0; 16];
        match v6 {
            true => bytes = address.parse::<Ipv6Addr>().ok()?.octets(),
            false => bytes[..4].copy_from_slice(&v4(address)?),
        }
        let max = if v6 { 128 } else { 32 };
        let bits = match bits {
            Some(bits) if bits.is_empty() || !bits.bytes().all(|b| b.is_ascii_digit()) => {
                return None;
            }
            Some(bits) => bits.parse().ok().filter(|bits| *bits <= max)?,
            None => max,
        };
        Some(Inet { v6, bits, bytes })
    }

    /// The family of the address: 4 or 6.
    pub fn family(&self) -> i64 {
        if self.v6 { 6 } else { 4 }
    }

    /// The length of the prefix in bits.
    pub fn bits(&self) -> u8 {
        self.bits
    }

    fn length(&self) -> u8 {
        if self.v6 { 128 } else { 32 }
    }

    /// The bytes of the address.
    pub fn address(&self) -> &[u8] {
        if self.v6 { &self.bytes } else { &self.bytes[..4] }
    }

    /// The address without the length of its prefix.
    pub fn host(&self) -> String {
        if self.v6 {
            return v6(&self.bytes);
        }
        let [a, b, c, d, ..] = self.bytes;
        Ipv4Addr::new(a, b, c, d).to_string()
    }

    /// The address with the length of its prefix, whatever it is: what a cast to text gives.
    pub fn full(&self) -> String {
        format!("{}/{}", self.host(), self.bits)
    }

    /// An address of 4 or 16 bytes with this length of its prefix; `None` for any other number of
    /// bytes, or a length that is too large.
    pub fn new(address: &[u8], bits: u8) -> Option<Inet> {
        let v6 = match address.len() {
            4 => false,
            16 => true,
            _ => return None,
        };
        let mut bytes = [0; 16];
        bytes[..address.len()].copy_from_slice(address);
        let inet = Inet { v6, bits, bytes };
        (bits <= inet.length()).then_some(inet)
    }

    /// The first so many bits of the address, as a number.
    fn prefix(&self, bits: u8) -> u128 {
        let all = u128::from_be_bytes(self.bytes);
        match bits {
            0 => 0,
            bits => all >> (128 - u32::from(bits)),
        }
    }
}

/// Reads four decimal numbers with points between them.
fn v4(text: &str) -> Option<[u8; 4]> {
    let mut bytes = [0; 4];
    let mut parts = text.split('.');
    for byte in &mut bytes {
        let part = parts.next()?;
        if part.is_empty() || !part.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        *byte = part.parse().ok()?;
    }
    parts.next().is_none().then_some(bytes)
}

/// An address of 16 bytes as Rust prints it, but with the end in decimal where PostgreSQL does so:
/// `::1.2.3.4`.
fn v6(bytes: &[u8; 16]) -> String {
    let address = Ipv6Addr::from(*bytes);
    let words = address.segments();
    let compatible = words[..6].iter().all(|word| *word == 0) && words[6] != 0;
    match compatible {
        true => {
            let [.., a, b, c, d] = *bytes;
            format!("::{}", Ipv4Addr::new(a, b, c, d))
        }
        false => address.to_string(),
    }
}

impl Ord for Inet {
    /// The order of addresses: by family, by the part that both prefixes cover, by their lengths,
    /// by the rest.
    fn cmp(&self, other: &Inet) -> Ordering {
        let common = self.bits.min(other.bits);
        (self.v6.cmp(&other.v6))
            .then_with(|| self.prefix(common).cmp(&other.prefix(common)))
            .then_with(|| self.bits.cmp(&other.bits))
            .then_with(|| self.bytes.cmp(&other.bytes))
    }
}

impl PartialOrd for Inet {
    fn partial_cmp(&self, other: &Inet) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Inet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.host())?;
        match self.bits == self.length() {
            true => Ok(()),
            false => write!(f, "/{}", self.bits),
        }
    }
}
