//! The replicated data types, and what may be chosen about them.

use std::fmt;
use std::str::FromStr;

/// A replicated data type; `docs/crdt.md` states what each admits, and so does its file in `spec/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DataType {
    /// A set where an add wins over a concurrent remove.
    AwSet,
    /// A set where a remove wins over a concurrent add.
    RwSet,
    /// Flags where enabling wins.
    EwFlag,
    /// Flags where disabling wins.
    DwFlag,
    /// Registers that return every write that no other visible one has overwritten.
    Mvr,
    /// Registers that return the last visible write of one order.
    Lww,
    /// Counters.
    Counter,
    /// Lists whose elements stand after the one they were added after, the newest first.
    Rga,
    /// Lists of which only one order of the elements is asked for.
    List,
}

/// A name that no data type has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownType(pub String);

impl fmt::Display for UnknownType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no data type is called `{}`", self.0)
    }
}

impl std::error::Error for UnknownType {}

impl DataType {
    /// Every data type.
    pub const ALL: [DataType; 9] = [
        DataType::AwSet,
        DataType::RwSet,
        DataType::EwFlag,
        DataType::DwFlag,
        DataType::Mvr,
        DataType::Lww,
        DataType::Counter,
        DataType::Rga,
        DataType::List,
    ];

    /// Its name in files and flags.
    pub fn name(self) -> &'static str {
        match self {
            DataType::AwSet => "aw-set",
            DataType::RwSet => "rw-set",
            DataType::EwFlag => "ew-flag",
            DataType::DwFlag => "dw-flag",
            DataType::Mvr => "mvr",
            DataType::Lww => "lww",
            DataType::Counter => "counter",
            DataType::Rga => "rga",
            DataType::List => "list",
        }
    }

    /// What it is, in a few words.
    pub fn title(self) -> &'static str {
        match self {
            DataType::AwSet => "add-wins set",
            DataType::RwSet => "remove-wins set",
            DataType::EwFlag => "enable-wins flag",
            DataType::DwFlag => "disable-wins flag",
            DataType::Mvr => "multi-value register",
            DataType::Lww => "last-writer-wins register",
            DataType::Counter => "counter",
            DataType::Rga => "replicated growable array",
            DataType::List => "list in one order",
        }
    }

    /// The names of its operations in files.
    pub fn calls(self) -> &'static [&'static str] {
        match self {
            DataType::AwSet | DataType::RwSet => &["add", "remove", "contains", "elements"],
            DataType::EwFlag | DataType::DwFlag => &["enable", "disable", "read"],
            DataType::Mvr | DataType::Lww => &["write", "delete", "read"],
            DataType::Counter => &["inc", "dec", "read"],
            DataType::Rga | DataType::List => &["add_after", "remove", "read"],
        }
    }

    /// Whether it is a set or a flag: something is in, or not.
    pub fn is_membership(self) -> bool {
        matches!(self, DataType::AwSet | DataType::RwSet | DataType::EwFlag | DataType::DwFlag)
    }

    /// Whether its objects are lists.
    pub fn is_list(self) -> bool {
        matches!(self, DataType::Rga | DataType::List)
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for DataType {
    type Err = UnknownType;

    fn from_str(name: &str) -> Result<DataType, UnknownType> {
        let found = DataType::ALL.into_iter().find(|t| t.name() == name);
        found.ok_or_else(|| UnknownType(name.to_owned()))
    }
}

/// Which order decides among concurrent updates of registers and lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Arbitration {
    /// One order of all updates that contains happens-before, as Lamport's clocks give.
    #[default]
    Global,
    /// One such order for every register or list.
    PerKey,
    /// The timestamps that were recorded with the writes; registers only.
    Timestamps,
}

/// What a read of a multi-value register returns when the same value was written twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Multiplicity {
    /// Each value once.
    #[default]
    Set,
    /// Each value as often as it was written.
    Multiset,
}

/// What may be chosen about a data type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct TypeOptions {
    /// The order that decides among concurrent updates.
    pub arbitration: Arbitration,
    /// Whether equal values are told apart.
    pub multiplicity: Multiplicity,
    /// Whether an element may only be added after one that its replica still sees.
    pub strict_anchor: bool,
}
