//! Which files are meant.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use hobgoblin_format::{Format, detect};

use crate::diagnostic::{Diagnostic, Failure, reason};

/// The files to check: those named and, if asked for, all histories in the directories named.
pub(crate) fn list(named: &[PathBuf], recursive: bool) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in named {
        if recursive && path != Path::new("-") && path.is_dir() {
            let before = files.len();
            walk(path, &mut files)?;
            if files.len() == before {
                let help = "name files, or a directory with histories; see `hob formats`";
                let error = Diagnostic::new("there is no history here", help);
                return Err(error.in_path(path).into());
            }
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

/// Refuses to read standard input twice.
pub(crate) fn stdin_once(files: &[PathBuf]) -> Result<(), Failure> {
    if files.iter().filter(|file| *file == Path::new("-")).count() > 1 {
        let help = "name `-` once";
        return Err(Diagnostic::new("standard input can be read only once", help).into());
    }
    Ok(())
}

/// Finds histories in a directory and those within, sorted by name.
fn walk(root: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let mut stack = vec![root.to_owned()];
    while let Some(path) = stack.pop() {
        if !path.is_dir() {
            if is_history(&path) {
                files.push(path);
            }
            continue;
        }
        let failed = |error| {
            let message = format!("cannot read this directory: {}", reason(&error));
            let name = path.display().to_string();
            Failure::from(
                Diagnostic::new(message, "make it readable, or leave it out").in_file(name),
            )
        };
        let entries: Result<Vec<PathBuf>, _> =
            fs::read_dir(&path).map_err(failed)?.map(|entry| entry.map(|e| e.path())).collect();
        let mut entries = entries.map_err(failed)?;
        if entries.iter().any(|entry| makes_history(entry)) {
            files.push(path);
            continue;
        }
        // A link to a directory may lead in a circle.
        entries.retain(|entry| !(entry.is_symlink() && entry.is_dir()));
        entries.sort();
        stack.extend(entries.into_iter().rev());
    }
    Ok(())
}

/// Whether a directory with this file in it is a history of its own: Cobra's logs, or what DBCop and
/// Jepsen write, next to files that are none.
fn makes_history(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let named = ["history.bincode", "history.edn", "history.jsonl"].contains(&name.as_ref());
    path.is_file() && (named || (name.starts_with('T') && name.ends_with(".log")))
}

/// Whether a file is called like a history, or begins like one.
fn is_history(path: &Path) -> bool {
    let head = || {
        let mut head = Vec::new();
        fs::File::open(path).ok()?.take(1 << 16).read_to_end(&mut head).ok()?;
        detect(&head, path)
    };
    Format::for_extension(path).is_some() || (path.is_file() && head().is_some())
}
