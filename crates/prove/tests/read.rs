//! What is understood of files, compared with what was read and approved before.
//!
//! `UPDATE_GOLDEN=1 cargo test -p hobgoblin-prove --test read` writes what is there now; read the difference.

use std::path::{Path, PathBuf};

use hobgoblin_prove::dump::dump;
use hobgoblin_prove::read::read;

fn base() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// Compares the dump of a program with the golden one.
fn golden(file: &Path) {
    let text = std::fs::read_to_string(file).expect("the program is there");
    let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
    let program = read(&name, &text).unwrap_or_else(|error| {
        panic!("{}:{:?}: {error}", file.display(), error.line_column(&text))
    });
    let found = dump(&program);
    let golden = base().join("tests/golden").join(format!("{name}.txt"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&golden, &found).expect("the golden file is written");
    }
    let wanted = std::fs::read_to_string(&golden).unwrap_or_default();
    assert_eq!(found, wanted, "{}", golden.display());
}

#[test]
fn examples_are_read() {
    let examples = base().join("../../examples/prove");
    for name in ["auction", "banking", "courseware", "smallbank", "tpcc"] {
        golden(&examples.join(format!("{name}.sql")));
    }
}

#[test]
fn every_construct_is_read() {
    golden(&base().join("tests/programs/everything.sql"));
}
