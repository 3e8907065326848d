//! What system variables there are.
//!
//! They are lines of `variables.tsv`, with tabs between what they say:
//!
//! | column | what |
//! | --- | --- |
//! | name | in small letters |
//! | servers | which have it, and have it so: `a` is MariaDB 10.11, `b` MariaDB 11.8, `c` MySQL 9.7 |
//! | reach | `G` only global, `S` only of sessions, `B` both |
//! | kind | see [`Kind`] |
//! | access | `r` if nobody sets it |
//! | least, most, step | of numbers; a step is what a value is a multiple of |
//! | words | of enums, sets and switches, in order |
//! | default | `\N` is NULL |
//! | effect | see [`Effect`]; `as:x` is another name of `x` |
//! | instead | nothing, or for one that is going away the one that takes its place, `!` if none does |
//!
//! Names, defaults and ranges of MariaDB are what `information_schema.SYSTEM_VARIABLES` says; what a server finds out where it
//! runs (`hostname`, `datadir`) is made up. The character set of all three is `utf8mb4`, as MySQL has it built in and Debian
//! configures MariaDB, with the collation that it means there.

use std::sync::LazyLock;

use hashbrown::HashMap;
use hobgoblin_sql_mysql_types::Version;

/// What values a variable takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// ON or OFF.
    Bool,
    /// A whole number with a sign.
    Integer,
    /// A whole number without one.
    Unsigned,
    /// A number.
    Double,
    /// One of some words.
    Enum,
    /// Any of some words, with commas between them.
    Set,
    /// Words that are each on or off.
    Switches,
    /// Any text.
    Text,
    /// The name of a character set.
    Charset,
    /// The name of a collation.
    Collation,
}

/// Where a variable has values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// In the server.
    Global,
    /// In sessions.
    Session,
    /// In the server, where sessions get theirs from, and in sessions.
    Both,
}

/// What follows from setting a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// What it does in a server.
    Live,
    /// Nothing: it is about how fast or where a server works, or about what is not there, and no answer depends on it.
    Kept,
    /// Answers would depend on it and do not here: another value than the default is refused with 1235.
    Fixed,
}

/// A variable by its place in the table of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(u16);

impl VariableId {
    /// The place itself, for tables beside this one.
    pub(super) fn place(self) -> usize {
        usize::from(self.0)
    }
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its name.
    pub name: &'static str,
    /// Where it has values.
    pub reach: Reach,
    /// What values it takes.
    pub kind: Kind,
    /// Whether nobody sets it.
    pub read_only: bool,
    /// The least value of a whole number.
    pub least: i128,
    /// The greatest.
    pub most: i128,
    /// The least and the greatest value of a number that need not be whole.
    pub range: (f64, f64),
    /// What values are multiples of; 1 mostly.
    pub step: i128,
    /// The words that values are made of.
    pub words: Vec<&'static str>,
    /// The value that it has before anybody sets it, as it is shown; nothing is NULL.
    pub default: Option<&'static str>,
    /// What follows from setting it.
    pub effect: Effect,
    /// The variable that it is another name of.
    pub stands_for: Option<VariableId>,
    /// Whether it is going away, as whoever sets it is told, and what takes its place.
    pub deprecated: Option<Option<&'static str>>,
}

/// The variables of a server.
#[derive(Debug)]
pub struct Table {
    all: Vec<Definition>,
    names: HashMap<&'static str, VariableId>,
}

static TABLES: [LazyLock<Table>; 3] = [
    LazyLock::new(|| Table::read('a')),
    LazyLock::new(|| Table::read('b')),
    LazyLock::new(|| Table::read('c')),
];

impl Table {
    /// Those of a server.
    pub fn of(version: Version) -> &'static Table {
        match version {
            Version::MariaDb10_11 => &TABLES[0],
            Version::MariaDb11_8 => &TABLES[1],
            Version::MySql9_7 => &TABLES[2],
        }
    }

    fn read(server: char) -> Table {
        let lines = include_str!("variables.tsv").lines();
        let rows: Vec<Vec<&'static str>> = lines
            .map(|line| line.split('\t').collect())
            .filter(|row: &Vec<&str>| row.len() == 12 && row[1].contains(server))
            .collect();
        let names: HashMap<&'static str, VariableId> =
            (0u16..).zip(&rows).map(|(at, row)| (row[0], VariableId(at))).collect();
        let all = rows.iter().map(|row| Definition::read(row, &names)).collect();
        Table { all, names }
    }

    /// All, by name.
    pub fn all(&self) -> impl Iterator<Item = (VariableId, &Definition)> {
        (0u16..).map(VariableId).zip(&self.all)
    }

    /// The one that has a name, in any case.
    pub fn find(&self, name: &str) -> Option<VariableId> {
        self.names.get(name).or_else(|| self.names.get(name.to_ascii_lowercase().as_str())).copied()
    }

    /// What a variable is.
    pub fn get(&self, id: VariableId) -> &Definition {
        &self.all[id.place()]
    }

    /// Where the value of a variable is: the variable itself, or the one that it is another name of.
    pub(super) fn home(&self, id: VariableId) -> VariableId {
        self.get(id).stands_for.unwrap_or(id)
    }
}

impl Definition {
    fn read(row: &[&'static str], names: &HashMap<&'static str, VariableId>) -> Definition {
        let kind = match row[3] {
            "bool" => Kind::Bool,
            "int" => Kind::Integer,
            "uint" => Kind::Unsigned,
            "double" => Kind::Double,
            "enum" => Kind::Enum,
            "set" => Kind::Set,
            "flagset" => Kind::Switches,
            "charset" => Kind::Charset,
            "collation" => Kind::Collation,
            _ => Kind::Text,
        };
        let words: Vec<&str> = row[8].split(',').filter(|word| !word.is_empty()).collect();
        Definition {
            name: row[0],
            reach: match row[2] {
                "G" => Reach::Global,
                "S" => Reach::Session,
                _ => Reach::Both,
            },
            kind,
            read_only: row[4] == "r",
            least: row[5].parse().unwrap_or(if kind == Kind::Unsigned {
                0
            } else {
                i128::from(i64::MIN)
            }),
            most: row[6].parse().unwrap_or(i128::from(u64::MAX)),
            range: (row[5].parse().unwrap_or(f64::MIN), row[6].parse().unwrap_or(f64::MAX)),
            step: row[7].parse().unwrap_or(1),
            words: match kind {
                Kind::Bool => vec!["OFF", "ON"],
                _ => words,
            },
            default: Some(row[9]).filter(|value| *value != "\\N"),
            effect: match row[10] {
                "live" => Effect::Live,
                "fixed" => Effect::Fixed,
                _ => Effect::Kept,
            },
            stands_for: row[10].strip_prefix("as:").and_then(|name| names.get(name)).copied(),
            deprecated: match row[11] {
                "" => None,
                "!" => Some(None),
                other => Some(Some(other)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_variable() {
        for line in include_str!("variables.tsv").lines() {
            let row: Vec<&str> = line.split('\t').collect();
            assert_eq!(row.len(), 12, "{line}");
            let kinds = [
                "bool",
                "int",
                "uint",
                "double",
                "enum",
                "set",
                "flagset",
                "text",
                "charset",
                "collation",
            ];
            assert!(kinds.contains(&row[3]), "{line}");
            assert!(["G", "S", "B"].contains(&row[2]) && ["", "r"].contains(&row[4]), "{line}");
            let other = row[10].strip_prefix("as:");
            assert!(other.is_some() || ["live", "kept", "fixed"].contains(&row[10]), "{line}");
            for server in row[1].chars() {
                let version = match server {
                    'a' => Version::MariaDb10_11,
                    'b' => Version::MariaDb11_8,
                    'c' => Version::MySql9_7,
                    _ => panic!("{line}"),
                };
                let table = Table::of(version);
                let found = table.find(row[0]).map(|id| table.get(id));
                assert!(found.is_some_and(|found| found.name == row[0]), "{line}");
                assert!(other.is_none_or(|other| table.find(other).is_some()), "{line}");
            }
        }
        assert!(Table::of(Version::MariaDb10_11).find("tx_isolation").is_some());
        assert!(Table::of(Version::MySql9_7).find("TX_isolation").is_none());
        assert!(Table::of(Version::MySql9_7).find("Transaction_Isolation").is_some());
    }
}
