//! The program: read, parsed, and its mistakes told with their places.

use std::cell::Cell;
use std::io::Read;
use std::path::Path;

use hobgoblin_explore::{Assertion, ExploreError, Program, TextError, parse_with};
use hobgoblin_format::ParseError;

use crate::diagnostic::{Diagnostic, Failure, reason};

/// The largest program that is read.
const MOST: u64 = 16 << 20;

/// A program and where it came from.
pub(super) struct Loaded {
    pub(super) file: String,
    pub(super) program: Program,
    /// The assertions asked for.
    pub(super) assertions: Vec<Assertion>,
    /// Changes when its text does, or that of a file it uses.
    pub(super) hash: String,
    source: String,
}

/// Reads a program, and chooses those of its assertions that are named; all of them if none is.
pub(super) fn load(path: &Path, named: &[String]) -> Result<Loaded, Failure> {
    let source = read(path)?;
    let file = &*path.display().to_string();
    let hash = Cell::new(hash(START, source.as_bytes()));
    // What is shown of a path need not be the path; what a program uses is beside it.
    let beside = |used: &Path| match used.strip_prefix(Path::new(file).parent().unwrap_or(used)) {
        Ok(rest) => path.with_file_name(rest),
        Err(_) => used.to_owned(),
    };
    let used = |path: &Path| {
        let mut text = String::new();
        std::fs::File::open(beside(path))?.take(MOST).read_to_string(&mut text)?;
        hash.set(self::hash(hash.get(), text.as_bytes()));
        Ok(text)
    };
    let program = parse_with(&source, file, &used).map_err(|error| told(&error))?;
    let all = program.assertions();
    for name in named {
        if !all.iter().any(|assertion| assertion.name == *name) {
            return Err(unknown_assertion(name, all).in_file(file).into());
        }
    }
    let asked = |assertion: &&Assertion| named.is_empty() || named.contains(&assertion.name);
    let assertions = all.iter().filter(asked).cloned().collect();
    let hash = format!("{:016x}", hash.get());
    Ok(Loaded { file: file.to_owned(), program, assertions, hash, source })
}

fn read(path: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = match path == Path::new("-") {
        true => std::io::stdin().lock().take(MOST + 1).read_to_end(&mut bytes),
        false => std::fs::File::open(path)
            .and_then(|opened| opened.take(MOST + 1).read_to_end(&mut bytes)),
    };
    let wrong = |message: String, help: &str| -> Failure {
        Diagnostic::new(message, help).in_path(path).into()
    };
    read.map_err(|error| {
        let message = format!("cannot read this: {}", reason(&error));
        wrong(message, "check the path; `-` reads standard input")
    })?;
    if bytes.len() as u64 > MOST {
        let message = "this is too large for a program".to_owned();
        return Err(wrong(message, "docs/explore.md teaches what a program looks like"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("byte {} is not UTF-8 text", at + 1);
        wrong(message, "docs/explore.md teaches what a program looks like")
    })
}

fn unknown_assertion(name: &str, all: &[Assertion]) -> Diagnostic {
    let names = || all.iter().map(|assertion| assertion.name.as_str());
    let help = match hobgoblin_core::nearest(name, names()) {
        Some(near) => format!("did you mean {near:?}?"),
        None if all.is_empty() => "the program has no assertions".to_owned(),
        None => format!("its assertions are {}", names().collect::<Vec<_>>().join(", ")),
    };
    Diagnostic::new(format!("the program has no assertion {name:?}"), help)
}

/// A mistake in the text, as people are told.
fn told(error: &TextError) -> Diagnostic {
    Diagnostic {
        line: error.line,
        column: error.column,
        excerpt: error.excerpt.clone(),
        ..Diagnostic::new(&error.message, &error.help).in_file(&error.file)
    }
}

impl Loaded {
    /// An error of the explorer, as people are told.
    pub(super) fn explain(&self, error: ExploreError) -> Failure {
        let help = match &error {
            ExploreError::Program { .. } | ExploreError::Assertion { .. } => {
                "correct the program; docs/explore.md teaches the language"
            }
            ExploreError::TooManyTransactions { .. } => "explore a smaller client",
            ExploreError::Token(_) => "a token is good for the program that it was made with",
            _ => "see `hob explore --help`",
        };
        let told = Diagnostic::new(error.to_string(), help).in_file(&self.file);
        match &error {
            ExploreError::Program { what, .. } | ExploreError::Assertion { what, .. } => {
                self.placed(told, what).into()
            }
            _ => told.into(),
        }
    }

    /// An error whose text ends with its place, as ` (cart.hob:3:7)`, shown there.
    fn placed(&self, told: Diagnostic, what: &str) -> Diagnostic {
        let Some((rest, file, line, column)) = place(what) else { return told };
        let message = told.message.strip_suffix(what).map(|before| format!("{before}{rest}"));
        let text = match file == self.file {
            true => Some(self.source.clone()),
            false => std::fs::read_to_string(file).ok(),
        };
        let text = text.as_deref().and_then(|text| text.lines().nth(line as usize - 1));
        let excerpt = text.and_then(|text| {
            let shown = ParseError::at(line, column, "", "").excerpt(text.as_bytes()).place;
            shown.excerpt.map(|text| (text.into(), shown.excerpt_column))
        });
        let message = message.unwrap_or_else(|| told.message.clone());
        Diagnostic { message, line, column, excerpt, ..told }.in_file(file)
    }
}

/// What a fault says, and its file, line and column: `divides by zero (cart.hob:3:7)`.
fn place(what: &str) -> Option<(&str, &str, u64, u64)> {
    let (rest, place) = what.strip_suffix(')')?.rsplit_once(" (")?;
    let (place, column) = place.rsplit_once(':')?;
    let (file, line) = place.rsplit_once(':')?;
    let number = |text: &str| text.parse::<u64>().ok().filter(|&n| n > 0);
    Some((rest, file, number(line)?, number(column)?))
}

/// The hash of nothing.
const START: u64 = 0xcbf2_9ce4_8422_2325;

/// More bytes hashed (FNV-1a); it need not withstand an enemy.
fn hash(before: u64, bytes: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(before, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_at_the_end() {
        let expected = ("divides by zero", "a/c:d.hob", 3, 7);
        assert_eq!(place("divides by zero (a/c:d.hob:3:7)"), Some(expected));
        for what in ["", "(", ")", "x (y)", "x (y:0:1)", "x (y:1:z)", "reads x (y:1)"] {
            assert_eq!(place(what), None, "{what}");
        }
    }

    #[test]
    fn the_hash_is_that_of_fnv() {
        assert_eq!(hash(START, b"foobar"), 0x85944171f73967e8);
        assert_eq!(hash(hash(START, b"foo"), b"bar"), 0x85944171f73967e8);
    }
}
