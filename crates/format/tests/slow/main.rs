//! Every reader against a slow and naive one of the same format: what is in the file is in the history, event by
//! event.
//!
//! Certificates cannot tell whether a reader lost something, since they speak of the history that it made. So each
//! module here has a reader of one format that is as plain as its description in docs/formats.md, shares no code with
//! the crate, and cares for nothing but being right; and a generator of files with all that the format has room
//! for. Both readers' histories are compared as [`plain::Plain`], on random files and on those of the corpus.

mod awdit;
mod cobra;
mod dbcop;
mod elle;
mod jsonl;
mod notation;
mod plain;
mod plume;
mod random;
mod txn;

use std::path::{Path, PathBuf};

use hobgoblin_format::{Format, read};

use plain::Plain;
use random::Random;

/// How many random files of each format: `HOB_FULL=1` runs the bars at full size.
fn files() -> u64 {
    if std::env::var_os("HOB_FULL").is_some() { 3000 } else { 300 }
}

/// Compares the crate's reader with a slow one on a file.
fn compare(name: &str, bytes: &[u8], format: Format, slow: fn(&[u8]) -> Plain) {
    let shown = || String::from_utf8_lossy(bytes).into_owned();
    let history = read(bytes, name, Some(format));
    let history = history.unwrap_or_else(|error| panic!("{name}: {error}\n{}", shown()));
    let (found, expected) = (Plain::of(&history), slow(bytes));
    assert_eq!(found.txns, expected.txns, "{name}\n{}", shown());
    assert_eq!(found, expected, "{name}\n{}", shown());
}

/// Compares the readers on random files of a format.
fn compare_random(format: Format, generate: fn(&mut Random) -> Vec<u8>, slow: fn(&[u8]) -> Plain) {
    let mut events = 0;
    for seed in 0..files() {
        let bytes = generate(&mut Random::new(seed));
        compare(&format!("{format} of seed {seed}"), &bytes, format, slow);
        events += slow(&bytes).txns.iter().map(|txn| txn.events.len()).sum::<usize>();
    }
    assert!(events as u64 > 2 * files(), "{format}: the files are nearly empty");
}

fn corpus(directory: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(directory)
}

/// Compares the readers on the files of the corpus that end so.
fn compare_corpus(directory: &str, ending: &str, format: Format, slow: fn(&[u8]) -> Plain) {
    let mut count = 0;
    for entry in std::fs::read_dir(corpus(directory)).expect("the corpus is there") {
        let path = entry.expect("it can be listed").path();
        let name = path.display().to_string();
        if name.ends_with(ending) {
            let bytes = std::fs::read(&path).expect("it can be read");
            compare(&name, &bytes, format, slow);
            count += 1;
        }
    }
    assert!(count > 0, "no file of {directory} ends in {ending}");
}
