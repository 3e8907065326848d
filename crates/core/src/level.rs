//! The isolation levels, as one table of data and one table of implications.

use std::fmt;
use std::str::FromStr;

/// An isolation level; see [`Level::info`] for its row in the table and `docs/levels.md` for its definition.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::Level;
///
/// assert_eq!("repeatable read".parse(), Ok(Level::SI));
/// assert!(Level::SER.implies(Level::CC));
/// assert!(!Level::PSI.implies(Level::PC));
/// ```
///
/// It may be matched exhaustively, outside of this crate too: what treats levels apart has to say something about a new
/// one, and the compiler asks for it. A new level is therefore a new major version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[allow(clippy::upper_case_acronyms)]
pub enum Level {
    /// Read uncommitted.
    RU,
    /// Read committed.
    RC,
    /// Read atomic.
    RA,
    /// Causal consistency.
    CC,
    /// Prefix consistency.
    PC,
    /// Parallel snapshot isolation.
    PSI,
    /// Snapshot isolation.
    SI,
    /// Serializability.
    SER,
    /// Strict serializability.
    SSER,
}

/// One row of the table of levels.
#[derive(Debug)]
pub struct LevelInfo {
    /// The level this row describes.
    pub level: Level,
    /// The short name used everywhere.
    pub name: &'static str,
    /// The name in words.
    pub title: &'static str,
    /// Other names accepted on the command line and in files, lower case with single dashes.
    pub aliases: &'static [&'static str],
    /// When a write of t2 must come before the version a read r of t3 returned.
    pub axiom: &'static str,
    /// Where the definition comes from.
    pub citation: &'static str,
}

/// `stronger` implies `weaker`: every history that satisfies the first satisfies the second.
#[derive(Debug)]
pub struct Implication {
    /// The level that implies.
    pub stronger: Level,
    /// The level that is implied.
    pub weaker: Level,
    /// Where this is proved, or why it is plain.
    pub citation: &'static str,
}

/// The table of levels, weakest first.
pub static LEVELS: [LevelInfo; 9] = [
    LevelInfo {
        level: Level::RU,
        name: "RU",
        title: "read uncommitted",
        aliases: &["read-uncommitted", "uncommitted", "pl-1"],
        axiom: "none",
        citation: "[Adya 1999, section 3.3]",
    },
    LevelInfo {
        level: Level::RC,
        name: "RC",
        title: "read committed",
        aliases: &["read-committed", "committed", "pl-2"],
        axiom: "t2 was read by an event before r in t3",
        citation: "[Biswas 2019, section 2.2]",
    },
    LevelInfo {
        level: Level::RA,
        name: "RA",
        title: "read atomic",
        aliases: &["read-atomic", "atomic"],
        axiom: "(t2, t3) in so or wr",
        citation: "[Biswas 2019, section 2.2]",
    },
    LevelInfo {
        level: Level::CC,
        name: "CC",
        title: "causal consistency",
        aliases: &["causal", "causal-consistency", "transactional-causal-consistency", "tcc"],
        axiom: "(t2, t3) in (so or wr)+",
        citation: "[Biswas 2019, section 2.2]",
    },
    LevelInfo {
        level: Level::PC,
        name: "PC",
        title: "prefix consistency",
        aliases: &["prefix", "prefix-consistency", "consistent-prefix"],
        axiom: "(t2, t3) in co* ; (so or wr)",
        citation: "[Biswas 2019, section 2.2]",
    },
    LevelInfo {
        level: Level::PSI,
        name: "PSI",
        title: "parallel snapshot isolation",
        aliases: &["parallel-snapshot", "parallel-snapshot-isolation", "pl-2+"],
        axiom: "(t2, t3) in (so or wr or ww)+",
        citation: "[Cerone 2018, section 3]",
    },
    LevelInfo {
        level: Level::SI,
        name: "SI",
        title: "snapshot isolation",
        aliases: &["snapshot", "snapshot-isolation", "repeatable-read", "rr"],
        axiom: "PC's, or t3 conflicts with t4 before it in co and (t2, t4) in co*",
        citation: "[Biswas 2019, section 2.2]",
    },
    LevelInfo {
        level: Level::SER,
        name: "SER",
        title: "serializability",
        aliases: &["serializable", "serializability", "serialisable", "pl-3"],
        axiom: "(t2, t3) in co",
        citation: "[Biswas 2019, section 2.2]",
    },
    LevelInfo {
        level: Level::SSER,
        name: "SSER",
        title: "strict serializability",
        aliases: &[
            "strict-serializable",
            "strict-serializability",
            "strictly-serializable",
            "strong-serializable",
            "strict",
        ],
        axiom: "SER's, and co respects real time",
        citation: "[Crooks 2017, section 4]",
    },
];

/// The implications between neighbouring levels; the rest follow by transitivity.
pub static IMPLICATIONS: [Implication; 9] = [
    Implication {
        stronger: Level::SSER,
        weaker: Level::SER,
        citation: "the same axiom over fewer commit orders",
    },
    Implication { stronger: Level::SER, weaker: Level::SI, citation: "[Biswas 2019, lemma 2.4]" },
    Implication { stronger: Level::SI, weaker: Level::PC, citation: "[Biswas 2019, lemma 2.4]" },
    Implication { stronger: Level::SI, weaker: Level::PSI, citation: "[Cerone 2018, section 3]" },
    Implication { stronger: Level::PC, weaker: Level::CC, citation: "[Biswas 2019, lemma 2.4]" },
    Implication { stronger: Level::PSI, weaker: Level::CC, citation: "[Cerone 2018, section 3]" },
    Implication { stronger: Level::CC, weaker: Level::RA, citation: "[Biswas 2019, lemma 2.4]" },
    Implication { stronger: Level::RA, weaker: Level::RC, citation: "[Biswas 2019, lemma 2.4]" },
    Implication {
        stronger: Level::RC,
        weaker: Level::RU,
        citation: "RU forbids a part of what RC forbids",
    },
];

impl Level {
    /// All levels, weakest first (PC and PSI are incomparable).
    pub const ALL: [Level; 9] = [
        Level::RU,
        Level::RC,
        Level::RA,
        Level::CC,
        Level::PC,
        Level::PSI,
        Level::SI,
        Level::SER,
        Level::SSER,
    ];

    /// This level's row in the table.
    #[doc(hidden)]
    pub fn info(self) -> &'static LevelInfo {
        &LEVELS[self as usize]
    }

    /// The short name, as printed.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Whether it has an axiom, and so asks for a commit order.
    #[doc(hidden)]
    pub const fn has_axiom(self) -> bool {
        match self {
            Level::RU => false,
            Level::RC | Level::RA | Level::CC | Level::PC => true,
            Level::PSI | Level::SI | Level::SER | Level::SSER => true,
        }
    }

    /// Whether a commit order follows, where there is one, from what so and wr force: such a level is
    /// decided in polynomial time.
    #[doc(hidden)]
    pub const fn is_polynomial(self) -> bool {
        match self {
            Level::RU | Level::RC | Level::RA | Level::CC => true,
            Level::PC | Level::PSI | Level::SI | Level::SER | Level::SSER => false,
        }
    }

    /// Whether a transaction sees whole transactions, those of its session among them, and not only what
    /// it has read from.
    #[doc(hidden)]
    pub const fn is_atomic(self) -> bool {
        match self {
            Level::RU | Level::RC => false,
            Level::RA | Level::CC | Level::PC => true,
            Level::PSI | Level::SI | Level::SER | Level::SSER => true,
        }
    }

    /// Whether a transaction reads at one point of the commit order, its snapshot, and commits at a later
    /// one.
    #[doc(hidden)]
    pub const fn has_snapshot(self) -> bool {
        match self {
            Level::PC | Level::SI => true,
            Level::RU | Level::RC | Level::RA | Level::CC => false,
            Level::PSI | Level::SER | Level::SSER => false,
        }
    }

    /// Whether, between its snapshot and its commit, nobody else commits a key that a transaction writes.
    #[doc(hidden)]
    pub const fn excludes_writers(self) -> bool {
        match self {
            Level::SI => true,
            Level::RU | Level::RC | Level::RA | Level::CC => false,
            Level::PC | Level::PSI | Level::SER | Level::SSER => false,
        }
    }

    /// Whether a transaction sees, with another one, also those whose versions that one replaced, though
    /// there is no one order in which all see all.
    #[doc(hidden)]
    pub const fn is_parallel(self) -> bool {
        match self {
            Level::PSI => true,
            Level::RU | Level::RC | Level::RA | Level::CC => false,
            Level::PC | Level::SI | Level::SER | Level::SSER => false,
        }
    }

    /// Whether a transaction sees all that commit before it.
    #[doc(hidden)]
    pub const fn is_serial(self) -> bool {
        match self {
            Level::SER | Level::SSER => true,
            Level::RU | Level::RC | Level::RA | Level::CC => false,
            Level::PC | Level::PSI | Level::SI => false,
        }
    }

    /// Whether commit order respects real time, so that it asks for times.
    pub const fn respects_real_time(self) -> bool {
        match self {
            Level::SSER => true,
            Level::RU | Level::RC | Level::RA | Level::CC => false,
            Level::PC | Level::PSI | Level::SI | Level::SER => false,
        }
    }

    /// Whether it is one of the levels that are looked at when nothing else is said: they have an axiom
    /// and need no times.
    #[doc(hidden)]
    pub const fn is_usual(self) -> bool {
        self.has_axiom() && !self.respects_real_time()
    }

    /// Whether every history that satisfies `self` satisfies `weaker` (true of a level and itself).
    pub fn implies(self, weaker: Level) -> bool {
        self == weaker
            || IMPLICATIONS.iter().any(|i| i.stronger == self && i.weaker.implies(weaker))
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no level's.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::Level;
///
/// let error = "acid".parse::<Level>().unwrap_err();
/// assert_eq!(error.name, "acid");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLevel {
    /// What was asked for.
    pub name: String,
}

impl fmt::Display for UnknownLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnknownLevel { name } = self;
        write!(
            f,
            "no isolation level is called {name:?}; the levels are RU, RC, RA, CC, PC, PSI, SI, SER, SSER, and names such as read-committed or serializable"
        )
    }
}

impl std::error::Error for UnknownLevel {}

impl FromStr for Level {
    type Err = UnknownLevel;

    /// Accepts short names and aliases, in any case, with blanks or underscores for dashes.
    fn from_str(name: &str) -> Result<Level, UnknownLevel> {
        let folded = name.trim().to_ascii_lowercase().replace([' ', '_'], "-");
        for row in &LEVELS {
            if row.name.eq_ignore_ascii_case(&folded) || row.aliases.contains(&folded.as_str()) {
                return Ok(row.level);
            }
        }
        Err(UnknownLevel { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum_and_names_are_unique() {
        let mut names = Vec::new();
        for (i, row) in LEVELS.iter().enumerate() {
            assert_eq!(row.level as usize, i);
            assert_eq!(Level::ALL[i], row.level);
            names.push(row.name.to_ascii_lowercase());
            names.extend(row.aliases.iter().map(|a| (*a).to_owned()));
        }
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn names_parse() {
        for (text, level) in [
            ("ser", Level::SER),
            ("Read Committed", Level::RC),
            ("REPEATABLE_READ", Level::SI),
            ("causal", Level::CC),
            ("snapshot", Level::SI),
        ] {
            assert_eq!(text.parse(), Ok(level));
        }
        assert!("acid".parse::<Level>().is_err());
    }

    #[test]
    fn implications_are_those_of_the_model() {
        assert!(Level::SSER.implies(Level::RU));
        assert!(Level::SI.implies(Level::PSI) && Level::SI.implies(Level::PC));
        assert!(!Level::PSI.implies(Level::PC) && !Level::PC.implies(Level::PSI));
        assert!(!Level::RC.implies(Level::RA));
    }
}
