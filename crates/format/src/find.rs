//! Searching bytes.

/// Where a byte first stands.
#[cfg(feature = "foreign")]
#[inline]
pub(crate) fn find_byte(byte: u8, bytes: &[u8]) -> Option<usize> {
    memchr::memchr(byte, bytes)
}

/// Where a byte first stands. The standard library searches nearly as fast as a crate, where it lets one ask.
#[cfg(not(feature = "foreign"))]
pub(crate) fn find_byte(byte: u8, bytes: &[u8]) -> Option<usize> {
    let length = std::io::BufRead::skip_until(&mut { bytes }, byte).expect("memory can be read");
    (length > 0 && bytes[length - 1] == byte).then(|| length - 1)
}

/// Where a text first stands among bytes.
pub(crate) fn find_text(bytes: &[u8], text: &str) -> Option<usize> {
    let mut places = bytes.windows(text.len().max(1));
    places.position(|place| place == text.as_bytes())
}

/// Where a text last stands among bytes.
pub(crate) fn find_last_text(bytes: &[u8], text: &str) -> Option<usize> {
    let mut places = bytes.windows(text.len().max(1));
    places.rposition(|place| place == text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_last() {
        assert_eq!(find_byte(b'\n', b"ab\nc\n"), Some(2));
        assert_eq!(find_byte(b'\n', b"abc"), None);
        assert_eq!(find_byte(b'\n', b""), None);
        assert_eq!(find_text(b"abcabc", "bc"), Some(1));
        assert_eq!(find_last_text(b"abcabc", "bc"), Some(4));
        assert_eq!(find_text(b"ab", "abc"), None);
    }
}
