//! Keys as texts that have the same order, and can be read: what histories show of an index over letters.
//!
//! ```text
//!     'Anna B'   weighs  A N N A (one blank, then more) B (the end)   and is written   ANNA(fffffffeB
//! ```
//!
//! A letter that weighs as itself is written as it is, if nothing else is written so. In order:
//!
//! | what | is written |
//! | --- | --- |
//! | less than a blank | `!` and its number |
//! | blanks before that | `"` and how many |
//! | the end | nothing: a quote follows, `'` |
//! | blanks before something greater | `(` and how many, the other way round |
//! | from there to `)` | `)` and its number |
//! | from `*` to `}` and above 127 | itself |
//! | `~` and 127 | `~` and its number |

use std::fmt::Write;

use super::{Collation, Weights};

impl Collation {
    /// A key as a text, for collations whose weights are letters.
    pub fn key_text(self, key: &[u8]) -> Option<String> {
        let mut out = String::with_capacity(key.len() + 2);
        let mut rest = key;
        while !rest.is_empty() {
            let (letter, length) = self.letter(rest)?;
            rest = &rest[length..];
            if letter == ' ' && self.pads() {
                let (mark, after) = rest.split_first()?;
                let count = after.get(..4);
                // Writing to a string cannot fail.
                let _ = match (mark, count) {
                    (1, _) => return Some(out),
                    (0, Some(count)) => write!(out, "\"{}", hex(count)),
                    (_, Some(count)) => write!(out, "({}", hex(count)),
                    (_, None) => return None,
                };
                rest = after.get(4..)?;
                continue;
            }
            let _ = match letter {
                '\0'..' ' if self.pads() => write!(out, "!{:04x}", u32::from(letter)),
                '\0'..='\u{29}' => write!(out, "){:04x}", u32::from(letter)),
                '~' | '\u{7f}' => write!(out, "~{:04x}", u32::from(letter)),
                letter => write!(out, "{letter}"),
            };
        }
        Some(out)
    }

    /// The first weight of a key as a letter, and how many bytes it takes.
    fn letter(self, key: &[u8]) -> Option<(char, usize)> {
        match self.entry().weights {
            Weights::General => {
                let unit = key.get(..2)?;
                let weight = u32::from(u16::from_be_bytes([unit[0], unit[1]]));
                Some((char::from_u32(weight)?, 2))
            }
            Weights::Own => {
                let length = match key[0] {
                    0..0x80 => 1,
                    0x80..0xe0 => 2,
                    0xe0..0xf0 => 3,
                    _ => 4,
                };
                let text = std::str::from_utf8(key.get(..length)?).ok()?;
                Some((text.chars().next()?, length))
            }
            _ => None,
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_as_texts_have_the_order_of_keys() {
        let letters = ['\t', ' ', '!', '\'', '(', ')', '*', 'a', 'Z', '~', 'ß', '€'];
        let mut texts = vec![String::new()];
        for round in 0..3 {
            let longer: Vec<String> = texts
                .iter()
                .filter(|text| text.chars().count() == round)
                .flat_map(|text| letters.iter().map(move |letter| format!("{text}{letter}")))
                .collect();
            texts.extend(longer);
        }
        for name in ["utf8mb4_general_ci", "utf8mb4_bin", "utf8mb4_general_nopad_ci"] {
            let collation = Collation::named(name).expect("there is one");
            let written = |text: &str| {
                let key = collation.key(text);
                let mut written = collation.key_text(&key).expect("it is of letters");
                assert!(!written.contains('\''));
                written.push('\'');
                (key, written)
            };
            let all: Vec<_> = texts.iter().map(|text| written(text)).collect();
            for a in &all {
                for b in all.iter().step_by(5) {
                    assert_eq!(a.0.cmp(&b.0), a.1.cmp(&b.1), "{name} {a:?} {b:?}");
                }
            }
        }
        let key = Collation::DEFAULT.key("Anna");
        assert_eq!(Collation::DEFAULT.key_text(&key).as_deref(), Some("ANNA"));
    }
}
