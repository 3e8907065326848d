//! The rooms of the house stay apart: no circle of files, and no arrow between crates that the picture in
//! docs/architecture.md does not have.

mod arrows;
mod circles;
mod dialects;
mod files;
mod modules;
mod tokens;

use std::path::{Path, PathBuf};

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the crate is there")
}
