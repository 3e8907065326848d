//! The character sets by name: a word with one after an underscore begins a literal, others do not.

/// The names, in order.
#[rustfmt::skip]
const KNOWN: &[&str] = &[
    "armscii8", "ascii", "big5", "binary", "cp1250", "cp1251", "cp1256", "cp1257", "cp850", "cp852", "cp866",
    "cp932", "dec8", "eucjpms", "euckr", "filename", "gb18030", "gb2312", "gbk", "geostd8", "greek", "hebrew",
    "hp8", "keybcs2", "koi8r", "koi8u", "latin1", "latin2", "latin5", "latin7", "macce", "macroman", "sjis",
    "swe7", "tis620", "ucs2", "ujis", "utf16", "utf16le", "utf32", "utf8", "utf8mb3", "utf8mb4",
];

/// Whether a character set has a name.
pub(super) fn is_known(name: &str) -> bool {
    KNOWN.binary_search(&name.to_ascii_lowercase().as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_in_order() {
        assert!(super::KNOWN.is_sorted());
    }
}
