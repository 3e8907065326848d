//! The characters of `latin1`, which is Windows' code page 1252 at the servers; the five bytes which that leaves out are the
//! control characters of the same number.

/// The characters of the bytes from 0x80 to 0x9f; the others have the numbers of Unicode.
const HIGH: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The character of a byte.
pub(crate) fn letter(byte: u8) -> char {
    match byte {
        0x80..=0x9f => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

/// The byte of a character; nothing if there is none.
pub(crate) fn byte(letter: char) -> Option<u8> {
    match u8::try_from(u32::from(letter)) {
        Ok(byte) if !(0x80..0xa0).contains(&byte) => Some(byte),
        _ => HIGH.iter().position(|&high| high == letter).map(|at| 0x80 + at as u8),
    }
}
