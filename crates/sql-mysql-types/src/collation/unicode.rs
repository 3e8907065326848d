//! The weights of `utf8mb4_unicode_ci`: the primary ones of the Unicode collation algorithm, version 4.0.0.
//!
//! A character weighs none, one or several numbers of 16 bits. They are in `unicode.txt`, as MariaDB's `WEIGHT_STRING` gives them,
//! in hexadecimal, in the order of characters:
//!
//! ```text
//!     -300 4f          0x4f characters from 0x300 on weigh nothing
//!     41 e33           0x41 weighs 0xe33
//!     1100 1d62 5a 1   0x5a characters from 0x1100 on weigh 0x1d62 and each 1 more than the one before
//!     +df fea fea      0xdf weighs two numbers
//! ```
//!
//! All others in the basic plane weigh two numbers that follow from their own; those outside of it weigh all the same.

use std::sync::LazyLock;

/// What characters from one on weigh.
struct Run {
    first: u32,
    count: u32,
    /// Where the weights of the first are in `WEIGHTS`, and how many there are.
    weights: (usize, usize),
    step: u16,
}

struct Table {
    runs: Vec<Run>,
    weights: Vec<u16>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { runs: Vec::new(), weights: Vec::new() };
    for line in include_str!("unicode.txt").lines() {
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
});

/// Gives each number that a character weighs.
pub(super) fn weigh(letter: char, mut give: impl FnMut(u16)) {
    let code = u32::from(letter);
    if code > 0xffff {
        return give(0xfffd);
    }
    let table = &*TABLE;
    let after = table.runs.partition_point(|run| run.first <= code);
    let found = after.checked_sub(1).and_then(|at| table.runs.get(at));
    match found.filter(|run| code - run.first < run.count) {
        Some(run) => {
            let (from, length) = run.weights;
            let more = (code - run.first) as u16 * run.step;
            table.weights[from..from + length].iter().for_each(|weight| give(weight + more));
        }
        None => {
            let base = match code {
                0x3400..=0x4db5 => 0xfb80,
                0x4e00..=0x9fa5 => 0xfb40,
                _ => 0xfbc0,
            };
            give(base + (code >> 15) as u16);
            give((code & 0x7fff) as u16 | 0x8000);
        }
    }
}
