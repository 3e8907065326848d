//! What the fuzz targets do with their bytes. Panics are findings, and so is memory or time without end.
//!
//! A finding belongs in `corpus/fuzz`, which `crates/format/tests/mutations.rs` reads with every reader.

mod decode;
#[path = "../../crates/format/tests/support/mod.rs"]
mod support;

use std::fs;
use std::path::PathBuf;

use hobgoblin_check::verify::verify;
use hobgoblin_check::{Limits, check_levels};
use hobgoblin_core::{History, Level, Target, Verdict};
use hobgoblin_format::{Format, ReadError, read, read_path, write};
use hobgoblin_oracle::brute;
use support::dump;

/// Reads bytes in a format, or in the one they seem to be in. What was read can be written and read again.
pub fn parse(bytes: &[u8], format: Option<Format>) {
    match read(bytes, "fuzz", format) {
        Ok(history) => {
            for format in Format::ALL.into_iter().filter(|f| *f != Format::Cobra) {
                write_again(&history, format);
            }
        }
        Err(error) => complain(&error),
    }
}

/// Errors say what is wrong and what to do.
fn complain(error: &ReadError) {
    assert!(!error.to_string().is_empty() && !error.help().is_empty());
}

/// A format either refuses a history, or can read what it wrote. What it cannot express without a loss of
/// events (a key that nobody accesses) is gone after the first time, and nothing after the second.
fn write_again(history: &History, format: Format) {
    let Some((first, once)) = through(history, format) else { return };
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(once.num_events(), history.num_events(), "{format}:\n{}", shown(&first));
    let (second, twice) = through(&once, format).expect("it was written before");
    let (third, _) = through(&twice, format).expect("it was written before");
    assert!(second == third, "{format}:\n{}\n{}", shown(&second), shown(&third));
}

/// What a format writes of a history, unless it refuses, and what it reads of that.
fn through(history: &History, format: Format) -> Option<(Vec<u8>, History)> {
    let mut bytes = Vec::new();
    write(history, format, &mut bytes).ok()?;
    let back = read(&bytes[..], "fuzz", Some(format));
    let shown = || String::from_utf8_lossy(&bytes).into_owned();
    let back = back.unwrap_or_else(|e| panic!("{format}: {e}\n{}", shown()));
    Some((bytes, back))
}

/// Reads bytes as Cobra's logs; `====` separates the files of clients.
pub fn parse_cobra(bytes: &[u8]) {
    let directory = scratch();
    let files: Vec<&[u8]> = split(bytes, b"====");
    for (at, file) in files.iter().enumerate().take(9) {
        fs::write(directory.join(format!("T{at}.log")), file).expect("a temporary file");
    }
    match read_path(&directory, Some(Format::Cobra)) {
        Ok(history) => write_again(&history, Format::Jsonl),
        Err(error) => complain(&error),
    }
    for at in 0..files.len().min(9) {
        fs::remove_file(directory.join(format!("T{at}.log"))).expect("it was just written");
    }
}

/// A directory of this process.
fn scratch() -> PathBuf {
    let shared = PathBuf::from("/dev/shm");
    let base = if shared.is_dir() { shared } else { std::env::temp_dir() };
    let directory = base.join(format!("hobgoblin-fuzz-{}", std::process::id()));
    fs::create_dir_all(&directory).expect("a temporary directory");
    directory
}

fn split<'a>(mut bytes: &'a [u8], separator: &[u8]) -> Vec<&'a [u8]> {
    let mut parts = Vec::new();
    while let Some(at) = bytes.windows(separator.len()).position(|w| w == separator) {
        parts.push(&bytes[..at]);
        bytes = &bytes[at + separator.len()..];
    }
    parts.push(bytes);
    parts
}

/// The native formats lose nothing.
pub fn round_trip(bytes: &[u8]) {
    for from in [Format::Jsonl, Format::Txn] {
        let Ok(history) = read(bytes, "fuzz", Some(from)) else { continue };
        for to in [Format::Jsonl, Format::Txn] {
            let mut text = Vec::new();
            write(&history, to, &mut text).unwrap_or_else(|e| panic!("{to}: {e}"));
            let back = read(&text[..], "fuzz", Some(to));
            let shown = || String::from_utf8_lossy(&text).into_owned();
            let back = back.unwrap_or_else(|e| panic!("{to}: {e} {:?}\n{}", e.place(), shown()));
            assert_eq!(dump(&back), dump(&history), "{to}:\n{}", shown());
        }
    }
}

/// The most transactions for which every order is tried.
const BRUTE: usize = 6;

/// Decides a small history at every level and as a mix, verifies every answer, and compares it with
/// brute force.
pub fn check(bytes: &[u8]) {
    let Some(history) = decode::history(bytes) else { return };
    let limits = Limits::none();
    let answers = check_levels(&history, &Level::ALL, &limits, |_| ());
    let levels = answers.into_iter().map(|a| (Target::Level(a.level), a.verdict));
    let alone = Level::ALL.map(Target::Level).into_iter();
    let mixed = [Level::RC, Level::PSI, Level::SER].map(Target::Mixed);
    let asked = alone.chain(mixed).map(|t| (t, hobgoblin_check::check(&history, t, &limits)));
    for (target, verdict) in levels.chain(asked) {
        let holds = match verdict {
            Verdict::Consistent(_) => true,
            Verdict::Violation(_) => false,
            Verdict::Unknown(reason) => panic!("{target:?}: {reason} without a limit"),
        };
        if let Err(error) = verify(&history, target, &verdict) {
            panic!("{target:?}: {error}: {verdict:?}\n{}", dump(&history));
        }
        if history.txns().len() <= BRUTE {
            let expected = brute::satisfies(&history, target);
            assert_eq!(holds, expected, "{target:?}: {verdict:?}\n{}", dump(&history));
        }
    }
}
