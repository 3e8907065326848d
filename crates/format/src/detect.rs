//! Telling a format from the first bytes of a file.
//!
//! Every format knows what its files begin like. Content comes first; the extension decides only
//! between formats that both fit, or where none does: an empty file, or one that is wrong from its
//! first line on, of which the reader of its format has the best error.

use std::path::Path;

use crate::{Format, awdit, dbcop, elle, jsonl, plume, txn};

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

fn looks_like(format: Format, head: &[u8]) -> bool {
    match format {
        Format::Jsonl => jsonl::looks_like(head),
        Format::Txn => txn::looks_like(head),
        Format::Plume => plume::looks_like(head),
        Format::DbcopBincode => dbcop::looks_like_bincode(head),
        Format::DbcopJson => dbcop::looks_like_json(head),
        Format::DbcopHist => dbcop::looks_like_hist(head),
        Format::Cobra => false,
        Format::Awdit => awdit::looks_like(head),
        Format::ElleEdn => elle::looks_like_edn(head),
        Format::ElleJson => elle::looks_like_json(head),
    }
}

/// The first line of a text that is neither blank nor `skip`ped, without the blanks around it.
pub(crate) fn first_line(head: &[u8], skip: impl Fn(&[u8]) -> bool) -> Option<&[u8]> {
    let mut lines = head.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
    lines.find(|line| !line.is_empty() && !skip(line))
}
