//! Telling a format from the first bytes of a file.
//!
//! Every format knows what its files begin like. Content comes first; the extension decides only
//! between formats that both fit, or where none does: an empty file, or one that is wrong from its
//! first line on, of which the reader of its format has the best error.

use std::path::Path;

use crate::codec::looks_like;
use crate::format::Format;

/// The format of a file that begins with `head`, decompressed; `file` is its name.
///
/// ```
/// use hobgoblin_format::{Format, detect};
///
/// assert_eq!(detect(b"w(7,1,0,12)\n", "history.txt"), Some(Format::Plume));
/// assert_eq!(detect(b"", "history.txn"), Some(Format::Txn));
/// assert_eq!(detect(b"dear diary", "diary.txt"), None);
/// ```
pub fn detect(head: &[u8], file: impl AsRef<Path>) -> Option<Format> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let by_name = Format::for_extension(file.as_ref());
    let fits: Vec<Format> = Format::ALL.into_iter().filter(|f| looks_like(*f, head)).collect();
    match by_name {
        Some(format) if fits.is_empty() || fits.contains(&format) => Some(format),
        _ => fits.first().copied(),
    }
}
