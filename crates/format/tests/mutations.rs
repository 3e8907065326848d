//! Every reader on the files of the corpus, changed in ways that files break: never a panic.
//!
//! The same entry points as the fuzz targets of `fuzz/`, for a few seconds, from fixed seeds. Inputs that
//! once broke something are in `corpus/fuzz`.

mod support;

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use hobgoblin_core::History;
use hobgoblin_format::{Format, read, read_path, write};
use support::dump;

/// How many times the changes of `make test` to try: `HOB_FULL=1` runs the bars at full size.
fn scale() -> u64 {
    if std::env::var_os("HOB_FULL").is_some() { 10 } else { 1 }
}

/// A generator of random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.number() % bound.max(1) as u64) as usize
    }

    /// A part of something of this length, not too long.
    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length);
        start..length.min(start + 1 + self.below(40))
    }
}

/// What is put in the place of numbers.
const NUMBERS: [&str; 12] = [
    "18446744073709551615",
    "18446744073709551616",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "4294967296",
    "-1",
    "-0",
    "1e400",
    "0.1e-400",
    "00000000000000000001",
    "123456789012345678901234567890123456789012345678901234567890",
];

/// What is put anywhere.
const TOKENS: [&str; 22] = [
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "\\",
    "\\ud800",
    ",",
    ":",
    "#",
    ";",
    "\n",
    "\r\n",
    "\0",
    "null",
    "init",
    "\u{feff}",
    "\u{1f47a}",
    "---\n",
    "===\n",
];

/// The ways to break a file.
const WAYS: usize = 9;

/// Breaks a file in a way. `other` is another file of the corpus.
fn change(way: usize, random: &mut Random, file: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = file.to_vec();
    let at = random.below(file.len());
    match way {
        // Bit flips.
        0 => {
            for _ in 0..1 + random.below(4) {
                let at = random.below(file.len());
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
        1 => bytes.truncate(at),
        // A head and another file's tail.
        2 => {
            bytes.truncate(at);
            bytes.extend_from_slice(&other[random.below(other.len())..]);
        }
        // A part again, perhaps many times, somewhere else.
        3 => {
            let range = random.range(file.len());
            let times = [1, 2, 1000][random.below(3)];
            bytes.splice(at..at, file[range].repeat(times));
        }
        // A part gone.
        4 => {
            bytes.drain(random.range(file.len()));
        }
        5 => {
            let digits = |&i: &usize| file[i].is_ascii_digit();
            let numbers: Vec<usize> = (0..file.len()).filter(digits).collect();
            if let Some(&start) = numbers.get(random.below(numbers.len())) {
                let new = NUMBERS[random.below(NUMBERS.len())];
                bytes.splice(start..=start, new.bytes());
            }
        }
        6 => {
            let new = TOKENS[random.below(TOKENS.len())];
            bytes.splice(at..at, new.bytes());
        }
        // A huge length or number in a binary file.
        7 => {
            for byte in bytes.iter_mut().skip(at).take(1 + random.below(8)) {
                *byte = [0xff, 0x7f, 0x00][at % 3];
            }
        }
        _ => bytes = (0..random.below(200)).map(|_| random.number() as u8).collect(),
    }
    bytes
}

/// All files of the corpus, in the order of their names.
fn corpus() -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut open = ["formats", "litmus", "fuzz"].map(|d| root.join(d)).to_vec();
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(path).expect("a directory");
            open.extend(entries.map(|entry| entry.expect("an entry").path()));
        } else if let Ok(bytes) = fs::read(&path) {
            files.push((path, bytes));
        }
    }
    files.sort();
    files
}

/// Reads bytes with every reader, and writes what was read.
fn try_all(bytes: &[u8], directory: &Path) {
    for format in Format::ALL.into_iter().map(Some).chain([None]) {
        let result = if format == Some(Format::Cobra) {
            fs::write(directory.join("T1.log"), bytes).expect("a temporary file");
            read_path(directory, format)
        } else {
            read(bytes, "x", format)
        };
        match result {
            Ok(history) => write_all(&history, format.is_some_and(is_native)),
            Err(error) => assert!(!error.help().is_empty() && !error.to_string().is_empty()),
        }
    }
}

fn is_native(format: Format) -> bool {
    matches!(format, Format::Jsonl | Format::Txn)
}

/// Native formats lose nothing; the others refuse, or can be read again. What foreign formats have and
/// native ones do not (sessions without transactions) is not `same`.
fn write_all(history: &History, same: bool) {
    for format in Format::ALL.into_iter().filter(|f| *f != Format::Cobra) {
        let mut bytes = Vec::new();
        if let Err(error) = write(history, format, &mut bytes) {
            assert!(!is_native(format), "{error}");
            continue;
        }
        let back = read(&bytes[..], "x", Some(format)).unwrap_or_else(|e| panic!("{format}: {e}"));
        if same && is_native(format) {
            assert_eq!(dump(&back), dump(history), "{format}");
        }
    }
}

#[test]
fn broken_files_are_answers_or_errors() {
    let directory =
        std::env::temp_dir().join(format!("hobgoblin-mutations-{}", std::process::id()));
    fs::create_dir_all(&directory).expect("a temporary directory");
    let files = corpus();
    assert!(files.len() > 40, "the corpus is there");
    let attempt = |path: &Path, what: &str, bytes: &[u8]| {
        if catch_unwind(|| try_all(bytes, &directory)).is_err() {
            let kept = std::env::temp_dir().join("hobgoblin-mutation");
            fs::write(&kept, bytes).expect("a temporary file");
            panic!("{} {what}: see {}", path.display(), kept.display());
        }
    };
    for (number, (path, bytes)) in files.iter().enumerate() {
        attempt(path, "as it is", bytes);
        for round in 0..12 * scale() {
            for way in 0..WAYS {
                let mut random = Random((number as u64) << 32 | round << 8 | way as u64);
                let other = &files[random.below(files.len())].1;
                let broken = change(way, &mut random, bytes, other);
                attempt(path, &format!("changed in way {way}, round {round}"), &broken);
            }
        }
    }
    fs::remove_dir_all(&directory).expect("it was made above");
}
