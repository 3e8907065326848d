//! The weights of `latin1_swedish_ci`, one byte a character.

use crate::cp1252;

/// The weight of a character; those that latin1 has not are question marks.
pub(super) fn weight(letter: char) -> u8 {
    let byte = cp1252::byte(letter).unwrap_or(b'?');
    match byte {
        b'a'..=b'z' => byte - 32,
        0xc0..=0xfe => OF_LETTERS[usize::from((byte - 0xc0) & 31)].unwrap_or(byte),
        _ => byte,
    }
}

/// What the letters from 0xc0 on weigh, small ones as large ones; nothing where it is their own byte.
const OF_LETTERS: [Option<u8>; 32] = {
    let weights = *b"AAAA\\[\\CEEEEIIIIDNOOOO]\0\xd8UUUYY\xde\0";
    let mut of = [None; 32];
    let mut at = 0;
    while at < 32 {
        if weights[at] != 0 {
            of[at] = Some(weights[at]);
        }
        at += 1;
    }
    of
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swedes_have_three_letters_after_z() {
        assert!(
            weight('z') < weight('å') && weight('å') < weight('ä') && weight('Ä') < weight('ö')
        );
        assert_eq!((weight('é'), weight('ü'), weight('ß'), weight('÷')), (b'E', b'Y', 0xdf, 0xf7));
    }
}
