//! Engines, and the options that tables have beside them. All tables are kept as InnoDB's are, whatever engine they name.

/// An engine of SHOW ENGINES.
#[derive(Debug)]
pub struct Engine {
    /// Its name.
    pub name: &'static str,
    /// Whether it is there: `YES`, `DEFAULT`.
    pub support: &'static str,
    /// What it is.
    pub comment: &'static str,
    /// Whether it has transactions.
    pub transactions: bool,
}

const fn engine(name: &'static str, support: &'static str, comment: &'static str) -> Engine {
    Engine { name, support, comment, transactions: false }
}

/// The engines of MariaDB, in the order of SHOW ENGINES.
pub static ENGINES: &[Engine] = &[
    engine("CSV", "YES", "Stores tables as CSV files"),
    engine("MRG_MyISAM", "YES", "Collection of identical MyISAM tables"),
    engine("MEMORY", "YES", "Hash based, stored in memory, useful for temporary tables"),
    engine(
        "Aria",
        "YES",
        "Crash-safe tables with MyISAM heritage. Used for internal temporary tables and privilege tables",
    ),
    engine(
        "MyISAM",
        "YES",
        "Non-transactional engine with good performance and small data footprint",
    ),
    engine("SEQUENCE", "YES", "Generated tables filled with sequential values"),
    Engine {
        name: "InnoDB",
        support: "DEFAULT",
        comment: "Supports transactions, row-level locking, foreign keys and encryption for tables",
        transactions: true,
    },
    engine("PERFORMANCE_SCHEMA", "YES", "Performance Schema"),
];

/// An engine by one of its names, as it calls itself.
pub fn named(name: &str) -> Option<&'static str> {
    let name = match name.to_ascii_lowercase().as_str() {
        "heap" => "MEMORY",
        "merge" => "MRG_MyISAM",
        "innobase" => "InnoDB",
        _ => name,
    };
    ENGINES.iter().map(|engine| engine.name).find(|known| known.eq_ignore_ascii_case(name))
}

/// Options that are kept to be shown, in the order in which they are.
pub const OPTIONS: &[&str] = &[
    "MIN_ROWS",
    "MAX_ROWS",
    "AVG_ROW_LENGTH",
    "PACK_KEYS",
    "STATS_PERSISTENT",
    "STATS_AUTO_RECALC",
    "STATS_SAMPLE_PAGES",
    "CHECKSUM",
    "TABLE_CHECKSUM",
    "PAGE_CHECKSUM",
    "DELAY_KEY_WRITE",
    "ROW_FORMAT",
    "TRANSACTIONAL",
    "KEY_BLOCK_SIZE",
];
