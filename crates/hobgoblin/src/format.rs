//! Files of histories: one transaction a line as JSON (`jsonl`), or a notation for people (`txn`).
//!
//! ```
//! use hobgoblin::format::{Format, read, write};
//!
//! let history = read("s1: t1 { w(x)=1 }".as_bytes(), "example.txn", None)?;
//! let mut out = Vec::new();
//! write(&history, Format::Jsonl, &mut out)?;
//! assert!(out.ends_with(b"{\"session\":\"s1\",\"id\":\"t1\",\"ops\":[[\"w\",\"x\",1]]}\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The formats of other tools, and compressed files, are read and written with the feature `formats`.

#[doc(inline)]
pub use hobgoblin_format::{
    Format, ParseError, Place, ReadError, WriteError, read, read_path, write, write_path,
};
