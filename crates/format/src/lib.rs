//! Readers and writers of history files, one module a format.
//!
//! [`read_path`] opens, decompresses, detects and reads; [`write()`] writes. `docs/formats.md`
//! describes every format. [`JsonlReader`] and [`TxnWriter`] take and make transactions one at a
//! time.
//!
//! Text is read line by line through one buffer, and every event goes straight into a
//! [`HistoryBuilder`](hobgoblin_core::HistoryBuilder), so reading needs little more memory than the
//! history itself. Whatever the bytes are, the answer is a history or a [`ReadError`] with the
//! place and the next step.
//!
//! ```
//! use hobgoblin_format::{Format, read, write};
//!
//! let history = read("s1: t1 { w(x)=1 }".as_bytes(), "example.txn", None)?;
//! let mut out = Vec::new();
//! write(&history, Format::Jsonl, &mut out)?;
//! assert_eq!(out, br#"{"hobgoblin":1}
//! {"session":"s1","id":"t1","ops":[["w","x",1]]}
//! "#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assembler;
#[cfg(feature = "foreign")]
mod awdit;
#[cfg(feature = "foreign")]
mod cobra;
mod codec;
#[cfg(feature = "foreign")]
mod dbcop;
mod detect;
mod digits;
#[cfg(feature = "foreign")]
mod edn;
#[cfg(feature = "foreign")]
mod elle;
mod error;
mod find;
#[cfg(feature = "foreign")]
mod foreign;
#[cfg(not(feature = "foreign"))]
#[path = "absent.rs"]
mod foreign;
mod format;
#[cfg(feature = "foreign")]
mod initial;
mod input;
pub mod json;
mod jsonl;
#[cfg(feature = "compressed")]
mod packed;
mod parsed;
#[cfg(feature = "foreign")]
mod plume;
mod record;
#[cfg(feature = "foreign")]
mod refuse;
mod sink;
mod source;
mod txn;
#[cfg(feature = "watched")]
mod waiting;
mod watch;

pub use codec::{write, write_path};
pub use detect::detect;
pub use error::{ParseError, Place, ReadError, WriteError};
pub use format::{Format, UnknownFormat};
pub use jsonl::{JsonlReader, Record};
pub use record::{EventRecord, Header, TxnRecord, WriterRecord};
pub use sink::TxnWriter;
#[cfg(feature = "watched")]
pub use source::{bytes_until, load_until};
pub use source::{load, read, read_path};
