//! The primary weights of the Unicode collation algorithm: those of its version 4.0.0 for `…_unicode_ci` and the collations of
//! languages, of its version 14.0.0 for the others.
//!
//! A character weighs none, one or several numbers of 16 bits. They are in `unicode.txt` and `uca1400.txt`, as MariaDB's
//! `WEIGHT_STRING` gives them, in hexadecimal, in the order of characters:
//!
//! ```text
//!     -300 4f          0x4f characters from 0x300 on weigh nothing
//!     41 e33           0x41 weighs 0xe33
//!     1100 1d62 5a 1   0x5a characters from 0x1100 on weigh 0x1d62 and each 1 more than the one before
//!     +df fea fea      0xdf weighs two numbers
//! ```
//!
//! `languages.txt` has, after a line `@swedish`, what weighs otherwise in Swedish than in version 4.0.0. No language is there
//! that has two letters for one, as Danish has.
//!
//! All others weigh two numbers that follow from their own; but in version 4.0.0 those outside of the basic plane weigh all the same.

use std::sync::LazyLock;

/// What characters from one on weigh.
struct Run {
    first: u32,
    count: u32,
    /// Where the weights of the first are in those of the table, and how many there are.
    weights: (usize, usize),
    step: u16,
}

#[derive(Default)]
struct Table {
    runs: Vec<Run>,
    weights: Vec<u16>,
}

static VERSION_4: LazyLock<Table> = LazyLock::new(|| read(include_str!("unicode.txt").lines()));
static VERSION_14: LazyLock<Table> = LazyLock::new(|| read(include_str!("uca1400.txt").lines()));
static LANGUAGES: LazyLock<Vec<Table>> = LazyLock::new(|| {
    let sections = include_str!("languages.txt").split('@').skip(1);
    sections.map(|section| read(section.lines().skip(1))).collect()
});

fn read<'t>(lines: impl Iterator<Item = &'t str>) -> Table {
    let mut table = Table::default();
    for line in lines {
        let numbers = |text: &str| -> Vec<u32> {
            text.split(' ').map(|word| u32::from_str_radix(word, 16).unwrap_or(0)).collect()
        };
        let (kind, rest) = match line.as_bytes().first() {
            Some(kind @ (b'-' | b'+')) => (*kind, &line[1..]),
            _ => (b' ', line),
        };
        let numbers = numbers(rest);
        let at = |i: usize| numbers.get(i).copied();
        let first = at(0).unwrap_or(0);
        let (weights, count, step) = match kind {
            b'-' => (&[][..], at(1).unwrap_or(1), 0),
            b'+' => (&numbers[1..], 1, 0),
            _ => (&numbers[1..2], at(2).unwrap_or(1), at(3).unwrap_or(0) as u16),
        };
        let place = (table.weights.len(), weights.len());
        table.weights.extend(weights.iter().map(|weight| *weight as u16));
        table.runs.push(Run { first, count, weights: place, step });
    }
    table
}

impl Table {
    /// Gives each number that a character weighs; false where the table has it not.
    fn weigh(&self, code: u32, give: &mut impl FnMut(u16)) -> bool {
        let after = self.runs.partition_point(|run| run.first <= code);
        let found = after.checked_sub(1).and_then(|at| self.runs.get(at));
        let Some(run) = found.filter(|run| code - run.first < run.count) else { return false };
        let (from, length) = run.weights;
        let more = (code - run.first) as u16 * run.step;
        self.weights[from..from + length].iter().for_each(|weight| give(weight + more));
        true
    }
}

/// Gives each number that a character weighs in version 4.0.0, or in a language, by its place in `languages.txt`.
pub(super) fn weigh(letter: char, language: Option<u8>, mut give: impl FnMut(u16)) {
    let code = u32::from(letter);
    if code > 0xffff {
        return give(0xfffd);
    }
    let language = language.and_then(|at| LANGUAGES.get(usize::from(at)));
    if language.is_some_and(|table| table.weigh(code, &mut give))
        || VERSION_4.weigh(code, &mut give)
    {
        return;
    }
    let base = match code {
        0x3400..=0x4db5 => 0xfb80,
        0x4e00..=0x9fa5 => 0xfb40,
        _ => 0xfbc0,
    };
    derived(base, code, give);
}

/// Gives each number that a character weighs in version 14.0.0.
pub(super) fn weigh_14(letter: char, mut give: impl FnMut(u16)) {
    let code = u32::from(letter);
    if VERSION_14.weigh(code, &mut give) {
        return;
    }
    match code {
        0x17000..=0x18aff | 0x18d00..=0x18d7f => written(0xfb00, code - 0x17000, give),
        0x1b170..=0x1b2ff => written(0xfb01, code - 0x1b170, give),
        0x18b00..=0x18cff => written(0xfb02, code - 0x18b00, give),
        0x4e00..=0x9fff
        | 0xfa0e
        | 0xfa0f
        | 0xfa11
        | 0xfa13
        | 0xfa14
        | 0xfa1f
        | 0xfa21
        | 0xfa23
        | 0xfa24
        | 0xfa27..=0xfa29 => derived(0xfb40, code, give),
        0x3400..=0x4dbf
        | 0x20000..=0x2a6df
        | 0x2a700..=0x2b738
        | 0x2b740..=0x2b81d
        | 0x2b820..=0x2cea1
        | 0x2ceb0..=0x2ebe0
        | 0x30000..=0x3134a => derived(0xfb80, code, give),
        _ => derived(0xfbc0, code, give),
    }
}

/// The weights of a character that has none of its own: its number in two parts.
fn derived(base: u16, code: u32, mut give: impl FnMut(u16)) {
    give(base + (code >> 15) as u16);
    give((code & 0x7fff) as u16 | 0x8000);
}

/// The weights of a character of a script with a first number of its own, by its place in the script.
fn written(script: u16, place: u32, mut give: impl FnMut(u16)) {
    give(script);
    give(place as u16 | 0x8000);
}
