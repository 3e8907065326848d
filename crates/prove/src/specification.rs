//! What executions are possible: a level for each transaction, pairs that are serial, or a formula.
//!
//! An *abstract execution* [Nagar 2018, section 3.2] has a total order on its transactions, the arbitration order `ar`, in
//! which writes of the same field win, and a relation `vis` within it: who sees whom. A read returns the last write, in `ar`,
//! of those its transaction sees. A level is what it asks of a transaction `t`:
//!
//! | level | what `t` sees |
//! | --- | --- |
//! | EC | whatever |
//! | CC | with a transaction what that one sees |
//! | PC | with a transaction all before it |
//! | PSI | as CC, and all before it that wrote what it writes |
//! | SI | as PC, and all before it that wrote what it writes |
//! | SER | all before it |
//! | MVRC | by each statement, as PC; a statement that writes or locks sees who wrote the same before |
//!
//! The seed prints PSI without the first half, which contradicts its own results. What writers have in common is a row, or a
//! field of it ([`Conflicts`]). A row that is read `FOR UPDATE` counts as
//! written for the one who locks it: it sees who wrote the row before. Who writes the row later does not conflict with the
//! lock, as in PostgreSQL, where a lock leaves no version.

use std::fmt;
use std::str::FromStr;

use crate::formula::Formula;

/// What a transaction is promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Eventual consistency.
    Ec,
    /// Read committed as databases have it: each statement on a snapshot of its own.
    Mvrc,
    /// Causal consistency.
    Cc,
    /// Prefix consistency.
    Pc,
    /// Parallel snapshot isolation.
    Psi,
    /// Snapshot isolation.
    Si,
    /// Serializability.
    Ser,
}

impl Level {
    /// All levels, weaker ones first where they can be compared.
    pub const ALL: [Level; 7] =
        [Level::Ec, Level::Mvrc, Level::Cc, Level::Pc, Level::Psi, Level::Si, Level::Ser];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Level::Ec => "EC",
            Level::Mvrc => "MVRC",
            Level::Cc => "CC",
            Level::Pc => "PC",
            Level::Psi => "PSI",
            Level::Si => "SI",
            Level::Ser => "SER",
        }
    }

    /// Whether a transaction sees all it sees from its first statement on.
    pub fn is_atomic(self) -> bool {
        match self {
            Level::Mvrc => false,
            Level::Ec | Level::Cc | Level::Pc | Level::Psi | Level::Si | Level::Ser => true,
        }
    }

    /// Whether a statement waits for locks until their owners have ended.
    pub(crate) fn waits_for_locks(self) -> bool {
        !self.is_atomic()
    }

    /// Whether databases that have MVRC can run it beside, on a snapshot.
    pub(crate) fn is_snapshot(self) -> bool {
        self.is_atomic() && self.sees_prefix() && self.sees_conflicts()
    }

    /// Whether it sees all before it.
    pub(crate) fn sees_all(self) -> bool {
        match self {
            Level::Ser => true,
            Level::Ec | Level::Mvrc | Level::Cc | Level::Pc | Level::Psi | Level::Si => false,
        }
    }

    /// The level of the mock store at which executions are replayed that have it.
    pub(crate) fn replayed_at(self) -> hobgoblin_core::Level {
        match self {
            Level::Ec => hobgoblin_core::Level::RA,
            Level::Mvrc => hobgoblin_core::Level::RC,
            Level::Cc => hobgoblin_core::Level::CC,
            Level::Pc => hobgoblin_core::Level::PC,
            Level::Psi => hobgoblin_core::Level::PSI,
            Level::Si => hobgoblin_core::Level::SI,
            Level::Ser => hobgoblin_core::Level::SER,
        }
    }

    /// Whether another level asks all that it asks, and more.
    pub fn is_below(self, other: Level) -> bool {
        let asks = |level: Level| {
            [
                level.is_atomic(),
                level.sees_past(),
                level.sees_prefix(),
                level.sees_conflicts(),
                level.sees_all(),
            ]
        };
        let covers = asks(self).iter().zip(asks(other)).all(|(&own, others)| !own || others);
        self != other && covers
    }

    /// Whether it sees everything before what it sees.
    pub(crate) fn sees_prefix(self) -> bool {
        match self {
            Level::Mvrc | Level::Pc | Level::Si | Level::Ser => true,
            Level::Ec | Level::Cc | Level::Psi => false,
        }
    }

    /// Whether it sees what those see that it sees.
    pub(crate) fn sees_past(self) -> bool {
        match self {
            Level::Mvrc | Level::Cc | Level::Pc | Level::Psi | Level::Si | Level::Ser => true,
            Level::Ec => false,
        }
    }

    /// Whether it sees who wrote before what it writes.
    pub(crate) fn sees_conflicts(self) -> bool {
        match self {
            Level::Mvrc | Level::Psi | Level::Si | Level::Ser => true,
            Level::Ec | Level::Cc | Level::Pc => false,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word that names no level.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no level of the prover; it knows EC, MVRC, CC, PC, PSI, SI and SER")]
pub struct UnknownLevel(pub String);

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(name: &str) -> Result<Level, UnknownLevel> {
        let folded = name.to_ascii_lowercase().replace(['_', ' '], "-");
        Ok(match folded.as_str() {
            "ec" | "eventual" | "eventual-consistency" => Level::Ec,
            "mvrc" | "rc" | "read-committed" => Level::Mvrc,
            "cc" | "causal" | "causal-consistency" => Level::Cc,
            "pc" | "prefix" | "prefix-consistency" => Level::Pc,
            "psi" | "parallel-snapshot" | "parallel-snapshot-isolation" => Level::Psi,
            "si" | "snapshot" | "snapshot-isolation" | "repeatable-read" => Level::Si,
            "ser" | "serializable" | "serializability" => Level::Ser,
            _ => return Err(UnknownLevel(name.to_owned())),
        })
    }
}

/// What two transactions must both write for the later to see the earlier, at levels that ask for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflicts {
    /// The same row, as in databases, where a version is of a whole row.
    Rows,
    /// The same field of a row, as the seed has it; whether the row is there is one. At MVRC it is rows all the same.
    Fields,
}

impl Conflicts {
    /// Whether a row is enough for a transaction of this level.
    pub(crate) fn are_rows(self, level: Level) -> bool {
        match self {
            Conflicts::Rows => true,
            Conflicts::Fields => level.waits_for_locks(),
        }
    }
}

/// What executions of a program are possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specification {
    /// The level of each transaction of the program.
    pub levels: Vec<Level>,
    /// Pairs of transactions, the same twice for two instances of one, of which the later sees the earlier.
    pub serial: Vec<(usize, usize)>,
    /// What else is asked.
    pub formulas: Vec<Formula>,
    /// What conflicts are about.
    pub conflicts: Conflicts,
}

impl Specification {
    /// All at one level.
    pub fn all(transactions: usize, level: Level) -> Specification {
        Specification {
            levels: vec![level; transactions],
            serial: Vec::new(),
            formulas: Vec::new(),
            conflicts: Conflicts::Rows,
        }
    }

    /// Whether instances of two transactions are serial.
    pub(crate) fn is_serial(&self, one: usize, other: usize) -> bool {
        self.serial.iter().any(|&pair| pair == (one, other) || pair == (other, one))
    }
}
