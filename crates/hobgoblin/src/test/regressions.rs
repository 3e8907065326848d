//! Failures that are kept beside the tests: `hob-regressions/tests/bank.txt` for those of `tests/bank.rs`.
//!
//! ```text
//! at_most_one_succeeds 5d7f23c0.AQMABSGBAgAA4QMAAB4EA3oI # CC, seed 33: paid 2 times
//! ```
//!
//! A line is a test, the token of a run, and a comment for people. Only the token counts.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

use super::identity::Identity;

/// The directory, in that of the package.
const DIRECTORY: &str = "hob-regressions";

const HEADER: &str = "\
# Runs that failed, as Hobgoblin found them. They are tried first whenever their test runs, so keep this file with the
# tests. A line of a test that is gone, or has changed so much that it asks other things, can go.
";

/// Where the failures of a test are kept.
pub(super) fn path(identity: &Identity) -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    package.join(DIRECTORY).join(format!("{}.txt", identity.source()))
}

/// The tokens of a test's failures; none where the file is not there or cannot be read.
pub(super) fn read(identity: &Identity) -> Vec<String> {
    let text = fs::read_to_string(path(identity)).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let tokens = lines.filter_map(|line| line.split_whitespace().nth(1));
    let signed = tokens.filter(|token| token.contains('.'));
    signed.filter_map(|token| identity.own(token)).map(str::to_owned).collect()
}

/// Keeps a failure; where.
pub(super) fn keep(identity: &Identity, token: &str, comment: &str) -> io::Result<PathBuf> {
    let path = path(identity);
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    if let Ok(mut file) = OpenOptions::new().write(true).create_new(true).open(&path) {
        file.write_all(HEADER.as_bytes())?;
    }
    let name = if identity.name.is_empty() { "?" } else { &identity.name };
    let comment = comment.lines().next().unwrap_or_default();
    let line = format!("{} {} # {comment}\n", name.replace(' ', "_"), identity.sign(token));
    OpenOptions::new().append(true).open(&path)?.write_all(line.as_bytes())?;
    Ok(path)
}
