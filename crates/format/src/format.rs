//! The formats by name.

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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

impl Format {
    /// All formats.
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
        match self {
            Format::Jsonl => "jsonl",
            Format::Txn => "txn",
            Format::Plume => "plume",
            Format::DbcopBincode => "dbcop-bincode",
            Format::DbcopJson => "dbcop-json",
            Format::DbcopHist => "dbcop-hist",
            Format::Cobra => "cobra",
            Format::Awdit => "awdit",
            Format::ElleEdn => "elle-edn",
            Format::ElleJson => "elle-json",
        }
    }
}
