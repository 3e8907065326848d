//! Collations: which texts are equal, and which come first.
//!
//! A comparison, a group, an order or an index over a text is over its *key* ([`Collation::key`]): bytes that compare as the
//! collation wants it. `weight(x)` gives it as a function, and a type of [`Kind::SortKey`](crate::Kind::SortKey) is what it is of.
//!
//! | collation | a character weighs | at the end |
//! | --- | --- | --- |
//! | `…_bin` | its number | blanks do not count |
//! | `…_nopad_bin`, `binary` | its number, its byte | they count |
//! | `…_general_ci` | 16 bits, the same for `a`, `A` and `ä` (`general.rs`) | blanks do not count |
//! | `…_general_nopad_ci` | the same | they count |
//! | `…_unicode_ci`, `…_german2_ci` and other languages | numbers of 16 bits, none for some and several for others (`unicode.rs`) | blanks do not count |
//! | `…_uca1400_ai_ci`, `…_unicode_520_ci` | the same, of a younger version | blanks do not count |
//! | `…_uca1400_nopad_ai_ci`, `utf8mb4_0900_ai_ci` | the same | they count |
//! | `latin1_swedish_ci` | 8 bits, `å`, `ä` and `ö` after `z` (`swedish.rs`) | blanks do not count |
//! | `latin1_general_ci`, `…_cs` | 8 bits, `à` after `a` (`latin1.rs`) | blanks do not count |
//!
//! `utf8mb4_0900_ai_ci` and `…_unicode_520_ci` are versions 9.0.0 and 5.2.0 of the Unicode collation algorithm, and go by the weights of 14.0.0
//! here: of the 29,809 characters that 9.0.0 has, 17 are elsewhere in 14.0.0, and about 100 of the 20,358 of 5.2.0. The numbers
//! that `WEIGHT_STRING` gives are those of 14.0.0.
//!
//! Where blanks at the end do not count, a text is as if blanks without end followed it: `'a\t' < 'a'`, as a tab is before a
//! blank. A key says so by what follows each run of blanks: something less than a blank (then the run that is shorter is less),
//! nothing any more, or something greater (then the run that is shorter is greater).

mod general;
mod latin1;
mod swedish;
mod unicode;
mod written;

use std::fmt;

use crate::cp1252;

/// A collation, by its place in `COLLATIONS`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Collation(u8);

/// What a character weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weights {
    /// Its own number, or its own byte.
    Own,
    /// Its byte in latin1.
    Latin1Own,
    General,
    Swedish,
    Latin1 {
        case: bool,
    },
    /// Those of Unicode 4.0.0.
    Unicode,
    /// The same, but for the letters of a language, by its place in `languages.txt`.
    Language(u8),
    /// Those of Unicode 14.0.0.
    Unicode14,
}

/// What is known of a collation.
struct Entry {
    name: &'static str,
    number: u16,
    charset: &'static str,
    weights: Weights,
    pad: bool,
}

const fn entry(
    name: &'static str,
    number: u16,
    charset: &'static str,
    weights: Weights,
    pad: bool,
) -> Entry {
    Entry { name, number, charset, weights, pad }
}

/// Those that there are. Their places are in types, so that new ones come last.
static COLLATIONS: &[Entry] = &[
    entry("binary", 63, "binary", Weights::Own, false),
    entry("utf8mb4_general_ci", 45, "utf8mb4", Weights::General, true),
    entry("utf8mb4_bin", 46, "utf8mb4", Weights::Own, true),
    entry("utf8mb4_general_nopad_ci", 1069, "utf8mb4", Weights::General, false),
    entry("utf8mb4_nopad_bin", 1070, "utf8mb4", Weights::Own, false),
    entry("utf8mb3_general_ci", 33, "utf8mb3", Weights::General, true),
    entry("utf8mb3_bin", 83, "utf8mb3", Weights::Own, true),
    entry("latin1_swedish_ci", 8, "latin1", Weights::Swedish, true),
    entry("latin1_bin", 47, "latin1", Weights::Latin1Own, true),
    entry("ascii_general_ci", 11, "ascii", Weights::General, true),
    entry("ascii_bin", 65, "ascii", Weights::Own, true),
    entry("utf8mb4_unicode_ci", 224, "utf8mb4", Weights::Unicode, true),
    entry("utf8mb3_unicode_ci", 192, "utf8mb3", Weights::Unicode, true),
    entry("latin1_general_ci", 48, "latin1", Weights::Latin1 { case: false }, true),
    entry("latin1_general_cs", 49, "latin1", Weights::Latin1 { case: true }, true),
    entry("utf8mb4_uca1400_ai_ci", 2304, "utf8mb4", Weights::Unicode14, true),
    entry("utf8mb4_uca1400_nopad_ai_ci", 2308, "utf8mb4", Weights::Unicode14, false),
    entry("utf8mb3_uca1400_ai_ci", 2048, "utf8mb3", Weights::Unicode14, true),
    entry("utf8mb3_uca1400_nopad_ai_ci", 2052, "utf8mb3", Weights::Unicode14, false),
    entry("utf8mb4_unicode_520_ci", 246, "utf8mb4", Weights::Unicode14, true),
    entry("utf8mb3_unicode_520_ci", 214, "utf8mb3", Weights::Unicode14, true),
    entry("utf8mb4_0900_ai_ci", 255, "utf8mb4", Weights::Unicode14, false),
    entry("utf8mb4_0900_bin", 309, "utf8mb4", Weights::Own, false),
    entry("utf8mb4_unicode_nopad_ci", 1248, "utf8mb4", Weights::Unicode, false),
    entry("utf8mb3_unicode_nopad_ci", 1216, "utf8mb3", Weights::Unicode, false),
    entry("utf8mb4_icelandic_ci", 225, "utf8mb4", Weights::Language(0), true),
    entry("utf8mb4_latvian_ci", 226, "utf8mb4", Weights::Language(1), true),
    entry("utf8mb4_romanian_ci", 227, "utf8mb4", Weights::Language(2), true),
    entry("utf8mb4_slovenian_ci", 228, "utf8mb4", Weights::Language(3), true),
    entry("utf8mb4_polish_ci", 229, "utf8mb4", Weights::Language(4), true),
    entry("utf8mb4_estonian_ci", 230, "utf8mb4", Weights::Language(5), true),
    entry("utf8mb4_spanish_ci", 231, "utf8mb4", Weights::Language(6), true),
    entry("utf8mb4_swedish_ci", 232, "utf8mb4", Weights::Language(7), true),
    entry("utf8mb4_turkish_ci", 233, "utf8mb4", Weights::Language(8), true),
    entry("utf8mb4_roman_ci", 239, "utf8mb4", Weights::Language(9), true),
    entry("utf8mb4_persian_ci", 240, "utf8mb4", Weights::Language(10), true),
    entry("utf8mb4_esperanto_ci", 241, "utf8mb4", Weights::Language(11), true),
    entry("utf8mb4_hungarian_ci", 242, "utf8mb4", Weights::Language(12), true),
    entry("utf8mb4_sinhala_ci", 243, "utf8mb4", Weights::Language(13), true),
    entry("utf8mb4_german2_ci", 244, "utf8mb4", Weights::Language(14), true),
    entry("utf8mb4_vietnamese_ci", 247, "utf8mb4", Weights::Language(15), true),
    entry("utf8mb3_icelandic_ci", 193, "utf8mb3", Weights::Language(0), true),
    entry("utf8mb3_latvian_ci", 194, "utf8mb3", Weights::Language(1), true),
    entry("utf8mb3_romanian_ci", 195, "utf8mb3", Weights::Language(2), true),
    entry("utf8mb3_slovenian_ci", 196, "utf8mb3", Weights::Language(3), true),
    entry("utf8mb3_polish_ci", 197, "utf8mb3", Weights::Language(4), true),
    entry("utf8mb3_estonian_ci", 198, "utf8mb3", Weights::Language(5), true),
    entry("utf8mb3_spanish_ci", 199, "utf8mb3", Weights::Language(6), true),
    entry("utf8mb3_swedish_ci", 200, "utf8mb3", Weights::Language(7), true),
    entry("utf8mb3_turkish_ci", 201, "utf8mb3", Weights::Language(8), true),
    entry("utf8mb3_roman_ci", 207, "utf8mb3", Weights::Language(9), true),
    entry("utf8mb3_persian_ci", 208, "utf8mb3", Weights::Language(10), true),
    entry("utf8mb3_esperanto_ci", 209, "utf8mb3", Weights::Language(11), true),
    entry("utf8mb3_hungarian_ci", 210, "utf8mb3", Weights::Language(12), true),
    entry("utf8mb3_sinhala_ci", 211, "utf8mb3", Weights::Language(13), true),
    entry("utf8mb3_german2_ci", 212, "utf8mb3", Weights::Language(14), true),
    entry("utf8mb3_vietnamese_ci", 215, "utf8mb3", Weights::Language(15), true),
];

impl Collation {
    /// Of bytes.
    pub const BINARY: Collation = Collation(0);
    /// Of texts that say nothing else.
    pub const DEFAULT: Collation = Collation(1);
    /// By the numbers of characters.
    pub const BIN: Collation = Collation(2);
    /// How many there are.
    pub const COUNT: u32 = 57;

    pub(crate) fn place(self) -> u32 {
        u32::from(self.0)
    }

    pub(crate) fn at(place: u32) -> Collation {
        match place < Collation::COUNT {
            true => Collation(place as u8),
            false => Collation::BINARY,
        }
    }

    fn entry(self) -> &'static Entry {
        &COLLATIONS[usize::from(self.0)]
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = Collation> {
        (0..Collation::COUNT).map(Collation::at)
    }

    /// By its name; `utf8` is `utf8mb3`, and a name without a character set is of `utf8mb4`.
    pub fn named(name: &str) -> Option<Collation> {
        let name = name.to_ascii_lowercase();
        let name = match name.strip_prefix("utf8_") {
            Some(rest) => format!("utf8mb3_{rest}"),
            None if name.starts_with("uca1400_") => format!("utf8mb4_{name}"),
            None => name,
        };
        Collation::all().find(|collation| collation.name() == name)
    }

    /// The one that MariaDB has built in as the default of a character set. What a server takes for it depends on the
    /// version, which [`Version::collation_of`](crate::Version::collation_of) knows.
    pub fn first_of(charset: &str) -> Option<Collation> {
        let charset = charset.to_ascii_lowercase();
        let charset = if charset == "utf8" { "utf8mb3" } else { &charset };
        Collation::all().find(|collation| collation.charset() == charset)
    }

    /// The one of a character set that goes by the numbers of characters.
    pub fn bin_of(charset: &str) -> Option<Collation> {
        Collation::named(&format!("{charset}_bin"))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The number that clients are told.
    pub fn number(self) -> u16 {
        self.entry().number
    }

    /// The character set.
    pub fn charset(self) -> &'static str {
        self.entry().charset
    }

    /// Whether blanks at the end do not count.
    pub fn pads(self) -> bool {
        self.entry().pad
    }

    /// Whether texts are equal only if their characters are.
    pub fn is_bin(self) -> bool {
        matches!(self.entry().weights, Weights::Own | Weights::Latin1Own)
    }

    /// Whether it goes by the Unicode collation algorithm.
    pub fn is_of_unicode(self) -> bool {
        matches!(self.entry().weights, Weights::Unicode | Weights::Language(_) | Weights::Unicode14)
    }

    /// How many bytes a character may take.
    pub fn most_bytes(self) -> u32 {
        match self.charset() {
            "utf8mb4" => 4,
            "utf8mb3" => 3,
            _ => 1,
        }
    }

    /// Appends what a character weighs.
    fn weigh(self, letter: char, out: &mut Vec<u8>) {
        fn give(out: &mut Vec<u8>) -> impl FnMut(u16) {
            |weight| out.extend_from_slice(&weight.to_be_bytes())
        }
        match self.entry().weights {
            Weights::Own => out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
            Weights::Latin1Own => out.push(cp1252::byte(letter).unwrap_or(b'?')),
            Weights::General => out.extend_from_slice(&general::weight(letter).to_be_bytes()),
            Weights::Swedish => out.push(swedish::weight(letter)),
            Weights::Latin1 { case } => out.push(latin1::weight(letter, case)),
            Weights::Unicode => unicode::weigh(letter, None, give(out)),
            Weights::Language(at) => unicode::weigh(letter, Some(at), give(out)),
            Weights::Unicode14 => unicode::weigh_14(letter, give(out)),
        }
    }

    /// How many bytes of a character's weights compare together.
    fn unit(self, weights: &[u8]) -> usize {
        match self.entry().weights {
            Weights::General | Weights::Unicode | Weights::Language(_) | Weights::Unicode14 => 2,
            _ => weights.len().max(1),
        }
    }

    /// What of one character compares: as `WEIGHT_STRING` gives it.
    pub fn weight_of(self, letter: char) -> Vec<u8> {
        let mut out = Vec::new();
        match self.entry().weights {
            Weights::Own if self.most_bytes() > 1 => {
                out.extend_from_slice(&u32::from(letter).to_be_bytes()[1..]);
            }
            _ => self.weigh(letter, &mut out),
        }
        out
    }

    /// The key of a text: bytes that compare as the texts do.
    pub fn key(self, text: &str) -> Vec<u8> {
        let mut key = Vec::with_capacity(text.len() * 2 + 6);
        if !self.pads() {
            text.chars().for_each(|letter| self.weigh(letter, &mut key));
            return key;
        }
        let mut blank = Vec::with_capacity(2);
        self.weigh(' ', &mut blank);
        let mut weight = Vec::with_capacity(4);
        let mut blanks: u32 = 0;
        for letter in text.chars() {
            weight.clear();
            self.weigh(letter, &mut weight);
            for part in weight.chunks(self.unit(&weight)) {
                // Whatever weighs as a blank is one.
                if part == blank {
                    blanks += 1;
                    continue;
                }
                if blanks > 0 {
                    key.extend_from_slice(&blank);
                    let (mark, count) = match part < &*blank {
                        true => (0, blanks),
                        false => (2, !blanks),
                    };
                    key.push(mark);
                    key.extend_from_slice(&count.to_be_bytes());
                    blanks = 0;
                }
                key.extend_from_slice(part);
            }
        }
        key.extend_from_slice(&blank);
        key.push(1);
        key
    }

    /// The order of two texts.
    pub fn compare(self, a: &str, b: &str) -> std::cmp::Ordering {
        self.key(a).cmp(&self.key(b))
    }

    /// Whether two characters are equal.
    pub fn same(self, a: char, b: char) -> bool {
        a == b || !self.is_bin() && self.weight_of(a) == self.weight_of(b)
    }
}

impl fmt::Debug for Collation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::*;

    /// The definition: as if blanks without end followed.
    fn padded(collation: Collation, a: &str, b: &str) -> Ordering {
        let weights = |text: &str, length: usize| -> Vec<Vec<u8>> {
            let mut all = Vec::new();
            for letter in text.chars() {
                let weights = collation.weight_of(letter);
                let unit = if collation.is_bin() { 3 } else { 2 };
                all.extend(weights.chunks(unit).map(<[u8]>::to_vec));
            }
            let blank = collation.weight_of(' ');
            all.resize(all.len().max(length), blank);
            all
        };
        weights(a, 16).cmp(&weights(b, 16))
    }

    #[test]
    fn keys_compare_as_if_blanks_followed() {
        assert_eq!(COLLATIONS.len(), Collation::COUNT as usize);
        let letters = ['\t', ' ', 'a', 'ß', '\u{a0}'];
        let mut texts = vec![String::new()];
        for round in 0..4 {
            let longer: Vec<String> = texts
                .iter()
                .filter(|text| text.chars().count() == round)
                .flat_map(|text| letters.iter().map(move |letter| format!("{text}{letter}")))
                .collect();
            texts.extend(longer);
        }
        for name in ["general_ci", "bin", "unicode_ci", "german2_ci", "uca1400_ai_ci"] {
            let collation = Collation::named(&format!("utf8mb4_{name}")).expect("there is one");
            for a in &texts {
                for b in texts.iter().step_by(7) {
                    let wanted = padded(collation, a, b);
                    assert_eq!(collation.compare(a, b), wanted, "{collation:?} {a:?} {b:?}");
                }
            }
        }
    }
}
