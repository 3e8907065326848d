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
//! | `…_unicode_ci` | numbers of 16 bits, none for some and several for others (`unicode.rs`) | blanks do not count |
//! | `latin1_swedish_ci` | 8 bits, `å`, `ä` and `ö` after `z` (`swedish.rs`) | blanks do not count |
//!
//! Where blanks at the end do not count, a text is as if blanks without end followed it: `'a\t' < 'a'`, as a tab is before a
//! blank. A key says so by what follows each run of blanks: something less than a blank (then the run that is shorter is less),
//! nothing any more, or something greater (then the run that is shorter is greater).

mod general;
mod swedish;
mod unicode;
mod written;

use std::fmt;

/// A collation, by its place in `COLLATIONS`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Collation(u8);

/// What a character weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weights {
    /// Its own number, or its own byte.
    Own,
    General,
    Swedish,
    Unicode,
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
    entry("latin1_bin", 47, "latin1", Weights::Own, true),
    entry("ascii_general_ci", 11, "ascii", Weights::General, true),
    entry("ascii_bin", 65, "ascii", Weights::Own, true),
    entry("utf8mb4_unicode_ci", 224, "utf8mb4", Weights::Unicode, true),
    entry("utf8mb3_unicode_ci", 192, "utf8mb3", Weights::Unicode, true),
];

impl Collation {
    /// Of bytes.
    pub const BINARY: Collation = Collation(0);
    /// Of texts that say nothing else.
    pub const DEFAULT: Collation = Collation(1);
    /// By the numbers of characters.
    pub const BIN: Collation = Collation(2);
    /// How many there are.
    pub const COUNT: u32 = 13;

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

    /// By its name; `utf8` is `utf8mb3`.
    pub fn named(name: &str) -> Option<Collation> {
        let name = name.to_ascii_lowercase();
        let name = match name.strip_prefix("utf8_") {
            Some(rest) => format!("utf8mb3_{rest}"),
            None => name,
        };
        Collation::all().find(|collation| collation.name() == name)
    }

    /// The default one of a character set.
    pub fn of_charset(charset: &str) -> Option<Collation> {
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

    /// Whether it is the default of its character set.
    pub fn is_default(self) -> bool {
        Collation::of_charset(self.charset()) == Some(self)
    }

    /// Whether blanks at the end do not count.
    pub fn pads(self) -> bool {
        self.entry().pad
    }

    /// Whether texts are equal only if their characters are.
    pub fn is_bin(self) -> bool {
        self.entry().weights == Weights::Own
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
        match self.entry().weights {
            Weights::Own => out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
            Weights::General => out.extend_from_slice(&general::weight(letter).to_be_bytes()),
            Weights::Swedish => out.push(swedish::weight(letter)),
            Weights::Unicode => {
                unicode::weigh(letter, |weight| out.extend_from_slice(&weight.to_be_bytes()));
            }
        }
    }

    /// How many bytes of a character's weights compare together.
    fn unit(self, weights: &[u8]) -> usize {
        match self.entry().weights {
            Weights::Unicode | Weights::General => 2,
            Weights::Own | Weights::Swedish => weights.len().max(1),
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
        let pads = |collation: &Collation| collation.pads() && collation.charset() == "utf8mb4";
        for collation in Collation::all().filter(pads) {
            for a in &texts {
                for b in texts.iter().step_by(7) {
                    let wanted = padded(collation, a, b);
                    assert_eq!(collation.compare(a, b), wanted, "{collation:?} {a:?} {b:?}");
                }
            }
        }
    }
}
