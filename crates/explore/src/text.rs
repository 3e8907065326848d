//! Programs as text: a small language of sessions, transactions and assertions. `docs/explore.md` teaches
//! it.
//!
//! ```
//! use hobgoblin_explore::parse;
//!
//! let source = "
//!     init x = 0
//!     proc add(n) { a = read x; write x a + n; return a + n }
//!     session one { add(1) }
//!     session two { add(2) }
//!     assert always nothing_lost: last x == 3
//! ";
//! let program = parse(source, "counter.hob")?;
//! assert_eq!(program.sessions().len(), 2);
//!
//! let error = parse("init x = 0\nsession s { txn t { write y 1 } }", "typo.hob").err().unwrap();
//! assert_eq!(error.to_string(), "typo.hob:2:27: there is no key `y`");
//! # Ok::<(), Box<hobgoblin_explore::TextError>>(())
//! ```
//!
//! Text goes through [`lexer`], [`parser`] and [`check`], which resolves names to slots, computes
//! constants, and finds what is wrong before anything runs; [`run`] is the [`Body`](crate::Body) of a
//! transaction. Places are kept all the way, so that a fault of a running program names its line.

mod check;
mod code;
mod error;
pub(crate) mod keys;
mod lexer;
mod nearest;
mod parser;
mod run;
mod source;
mod syntax;
mod value;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use error::TextError;

use crate::program::Program;
use error::{Mistake, Span};
use source::{MAX_BYTES, Sources};
use syntax::Item;

/// The program a text says; `file` names it in errors, and `use` finds other files from there.
pub fn parse(source: &str, file: &str) -> Result<Program, Box<TextError>> {
    parse_with(source, file, &|path| {
        // Some files have no end.
        let mut text = String::new();
        File::open(path)?.take(MAX_BYTES as u64 + 1).read_to_string(&mut text)?;
        Ok(text)
    })
}

/// The program a text says, with other files read by `read`.
pub fn parse_with(
    source: &str,
    file: &str,
    read: &dyn Fn(&Path) -> io::Result<String>,
) -> Result<Program, Box<TextError>> {
    let mut loader =
        Loader { sources: Sources::default(), read, open: Vec::new(), done: Vec::new() };
    let mut items = Vec::new();
    let loaded = loader.file(PathBuf::from(file), source, Span::default(), &mut items);
    let sources = Arc::new(loader.sources);
    let compiled = loaded.and_then(|()| check::program(items, sources.clone()));
    compiled.map_err(|mistake| Box::new(sources.error(*mistake)))
}

struct Loader<'a> {
    sources: Sources,
    read: &'a dyn Fn(&Path) -> io::Result<String>,
    /// The files that wait for those they use.
    open: Vec<PathBuf>,
    done: Vec<PathBuf>,
}

impl Loader<'_> {
    /// The items of a file, after those of the files it uses. There are few files, so this may recurse.
    fn file(
        &mut self,
        path: PathBuf,
        text: &str,
        at: Span,
        items: &mut Vec<Item>,
    ) -> Result<(), Box<Mistake>> {
        let added = self.sources.add(&path.display().to_string(), text);
        let help = "split it into several programs";
        let first = added.map_err(|message| Mistake::at(at, message, help))?;
        self.open.push(path.clone());
        for item in parser::items(text, first)? {
            match item {
                Item::Use { file, at } => self.used(&path, &file, at, items)?,
                other => items.push(other),
            }
        }
        self.open.pop();
        self.done.push(path);
        Ok(())
    }

    /// What another file declares; its sessions and assertions are its own.
    fn used(
        &mut self,
        from: &Path,
        file: &str,
        at: Span,
        items: &mut Vec<Item>,
    ) -> Result<(), Box<Mistake>> {
        let path = from.parent().unwrap_or(Path::new("")).join(file);
        if self.done.contains(&path) {
            return Ok(());
        }
        if self.open.contains(&path) {
            let message = format!("\"{file}\" uses this file, directly or through others");
            return Err(Mistake::at(at, message, "move what both need into a third file"));
        }
        let text = (self.read)(&path).map_err(|error| {
            let text = error.to_string();
            let reason = text.split(" (os error").next().unwrap_or_default();
            let message = format!("cannot read {}: {reason}", path.display());
            Mistake::at(at, message, "files are looked for next to the one that uses them")
        })?;
        let mut declared = Vec::new();
        self.file(path, &text, at, &mut declared)?;
        declared.retain(|item| !matches!(item, Item::Session(_) | Item::Assert(_)));
        items.append(&mut declared);
        Ok(())
    }
}
