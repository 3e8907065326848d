//! The formats by name and by extension.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Format {
    /// Native, one JSON transaction a line.
    Jsonl,
    /// Native, for people.
    Txn,
    /// Plume's and PolySI's text.
    Plume,
    /// DBCop's old `history.bincode`.
    DbcopBincode,
    /// DBCop's newer JSON.
    DbcopJson,
    /// DBCop's newer text.
    DbcopHist,
    /// A directory of Cobra logs.
    Cobra,
    /// AWDIT's text.
    Awdit,
    /// Jepsen's and Elle's EDN.
    ElleEdn,
    /// Elle's operations as JSON, an array or one a line.
    ElleJson,
}

/// One row of the table of formats.
struct Row {
    format: Format,
    name: &'static str,
    title: &'static str,
    aliases: &'static [&'static str],
    extensions: &'static [&'static str],
}

/// The table of formats. `.json` and `.txt` are nobody's: several formats use them.
const FORMATS: [Row; 10] = [
    row(
        Format::Jsonl,
        "jsonl",
        "Hobgoblin's own, one transaction a line as JSON",
        &["ndjson"],
        &["jsonl", "ndjson"],
    ),
    row(Format::Txn, "txn", "Hobgoblin's own, for people", &[], &["txn"]),
    row(Format::Plume, "plume", "Plume's and PolySI's text", &["polysi"], &["plume", "polysi"]),
    row(
        Format::DbcopBincode,
        "dbcop-bincode",
        "DBCop's old binary files",
        &["bincode"],
        &["bincode"],
    ),
    row(Format::DbcopJson, "dbcop-json", "DBCop's newer JSON", &[], &[]),
    row(Format::DbcopHist, "dbcop-hist", "DBCop's newer text", &["hist"], &["hist"]),
    row(Format::Cobra, "cobra", "a directory of Cobra's logs", &[], &[]),
    row(Format::Awdit, "awdit", "AWDIT's text", &[], &["awdit"]),
    row(Format::ElleEdn, "elle-edn", "Jepsen's and Elle's operations as EDN", &["edn"], &["edn"]),
    row(
        Format::ElleJson,
        "elle-json",
        "Elle's operations as JSON, an array or one a line",
        &[],
        &[],
    ),
];

const fn row(
    format: Format,
    name: &'static str,
    title: &'static str,
    aliases: &'static [&'static str],
    extensions: &'static [&'static str],
) -> Row {
    Row { format, name, title, aliases, extensions }
}

impl Format {
    /// All formats, in the order of the table.
    pub const ALL: [Format; 10] = [
        Format::Jsonl,
        Format::Txn,
        Format::Plume,
        Format::DbcopBincode,
        Format::DbcopJson,
        Format::DbcopHist,
        Format::Cobra,
        Format::Awdit,
        Format::ElleEdn,
        Format::ElleJson,
    ];

    /// The name used with `--format`.
    pub fn name(self) -> &'static str {
        FORMATS[self as usize].name
    }

    /// What it is, in a few words.
    #[doc(hidden)]
    pub fn title(self) -> &'static str {
        FORMATS[self as usize].title
    }

    /// What else it is called with `--format`.
    #[doc(hidden)]
    pub fn aliases(self) -> &'static [&'static str] {
        FORMATS[self as usize].aliases
    }

    /// The extensions its files have, without the dot.
    #[doc(hidden)]
    pub fn extensions(self) -> &'static [&'static str] {
        FORMATS[self as usize].extensions
    }

    /// The names of all formats, as a list to read.
    pub(crate) fn names() -> String {
        FORMATS.map(|row| row.name).join(", ")
    }

    /// The format whose files have this file's extension; `.gz` and `.zst` are looked through.
    ///
    /// ```
    /// use hobgoblin_format::Format;
    ///
    /// assert_eq!(Format::for_extension("runs/history.jsonl.gz"), Some(Format::Jsonl));
    /// assert_eq!(Format::for_extension("history.txt"), None);
    /// ```
    pub fn for_extension(path: impl AsRef<Path>) -> Option<Format> {
        let mut path = path.as_ref();
        let extension = |path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase());
        let mut last = extension(path)?;
        if matches!(last.as_str(), "gz" | "zst") {
            path = Path::new(path.file_stem()?);
            last = extension(path)?;
        }
        FORMATS.iter().find(|row| row.extensions.contains(&last.as_str())).map(|row| row.format)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no format's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat {
    /// What was asked for.
    pub name: String,
}

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnknownFormat { name } = self;
        write!(f, "no format is called {name:?}; the formats are {}", Format::names())
    }
}

impl std::error::Error for UnknownFormat {}

impl FromStr for Format {
    type Err = UnknownFormat;

    /// Accepts names and aliases, in any case, with underscores for dashes.
    fn from_str(name: &str) -> Result<Format, UnknownFormat> {
        let folded = name.trim().to_ascii_lowercase().replace('_', "-");
        let named = |row: &&Row| row.name == folded || row.aliases.contains(&folded.as_str());
        let found = FORMATS.iter().find(named).map(|row| row.format);
        found.ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for (i, row) in FORMATS.iter().enumerate() {
            assert_eq!((row.format as usize, Format::ALL[i]), (i, row.format));
            assert_eq!(row.name.parse(), Ok(row.format));
            for extension in row.extensions {
                assert_eq!(Format::for_extension(format!("a.b.{extension}")), Some(row.format));
            }
        }
    }

    #[test]
    fn names_are_forgiving_and_errors_list_them() {
        assert_eq!("PolySI".parse(), Ok(Format::Plume));
        assert_eq!("DBCOP_HIST".parse(), Ok(Format::DbcopHist));
        let error = "xml".parse::<Format>().expect_err("no such format").to_string();
        assert!(error.contains("\"xml\"") && error.contains("jsonl, txn, plume"), "{error}");
    }

    #[test]
    fn extensions_are_looked_up_through_compression() {
        for (path, format) in [
            ("x.txn.zst", Some(Format::Txn)),
            ("x.GZ", None),
            ("gz", None),
            (".jsonl", None),
            ("d.txn/x.json", None),
        ] {
            assert_eq!(Format::for_extension(path), format, "{path}");
        }
    }
}
