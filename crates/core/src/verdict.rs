//! Answers, and what makes them believable.
//!
//! A level is a condition on cycles. Choose for every key a total order of its writers (`ww`, init
//! first); then a read of x that returned the version of t1 comes before every later writer of x
//! (`rw`). A history satisfies a level when some choice leaves no cycle that the level forbids
//! [Cerone 2018, section 4]. Each edge of such a cycle is between transactions, but a transaction
//! reads at one point (its snapshot) and writes at another (its commit), and the edges meet there:
//!
//! | edge | leaves its source at | meets its target at |
//! | --- | --- | --- |
//! | so, wr by a plain read | commit | snapshot, where the target is PC or SI; otherwise commit |
//! | wr by a locking read | commit | commit |
//! | ww | commit | snapshot, where the target is SI; otherwise commit |
//! | rt | commit | commit (targets are SSER) |
//! | rw by a plain read | snapshot, where the source is PC or SI; commit, where it is SER or SSER | commit |
//!
//! A locking read sees the latest committed version, so it belongs to its transaction's commit: it says
//! nothing about the snapshot, and there is no rw from it.
//!
//! The snapshot comes before the commit. A cycle is forbidden when at each transaction it leaves at
//! or after where it arrived; so two rw in a row are fine at SI, and rw after ww is fine at PC. A
//! transaction at RC, RA, CC or PSI has one more kind of forbidden cycle: a single rw from it and a way
//! back of one wr by an earlier read (RC), one so or wr (RA), any so and wr (CC), any so, wr and ww (PSI).
//! The last edge of the way back, which enters the transaction, is no wr by a locking read.
//!
//! A [`Proof`] that no choice of `ww` works is a list of steps "a writes x before b, since otherwise
//! there is this forbidden cycle", ending in a forbidden cycle that no choice avoids.

use std::fmt;

use crate::ids::{EventId, KeyId, TxnId};
use crate::level::Level;

/// The answer of a check. Every answer carries what is needed to verify it.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::check::{StopReason, Verdict};
///
/// fn told(verdict: &Verdict) -> String {
///     match verdict {
///         Verdict::Consistent(order) => format!("holds, in an order of {}", order.txns.len()),
///         Verdict::Violation(witness) => format!("violated: {}", witness.anomaly.title()),
///         Verdict::Unknown(reason) => format!("unknown: {reason}"),
///     }
/// }
///
/// assert_eq!(told(&Verdict::Unknown(StopReason::Time)), "unknown: the time limit was reached");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The level holds; this commit order shows it.
    Consistent(CommitOrder),
    /// The level fails; this witness shows it.
    Violation(Box<Witness>),
    /// The check stopped first, and this is why (a limit is never a `Consistent`).
    Unknown(StopReason),
}

/// A total order of the transactions that count, which shows that a level holds.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::check::{CommitOrder, Verdict};
///
/// fn first(verdict: &Verdict) -> Option<usize> {
///     match verdict {
///         Verdict::Consistent(CommitOrder { txns, .. }) => txns.first().map(|txn| txn.index()),
///         _ => None,
///     }
/// }
/// # let empty = CommitOrder { txns: Vec::new(), sources: Vec::new() };
/// # assert_eq!(first(&Verdict::Consistent(empty)), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitOrder {
    /// The transactions, first to last, without init.
    pub txns: Vec<TxnId>,
    /// Whom each read with several candidates read from, by event.
    pub sources: Vec<(EventId, TxnId)>,
}

/// Why a check stopped without an answer.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::check::StopReason;
///
/// assert_eq!(StopReason::Interrupted.to_string(), "interrupted");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// The time limit was reached.
    Time,
    /// The memory limit was reached.
    Memory,
    /// More choices are open than fit in memory, with or without a limit.
    TooLarge,
    /// Somebody asked to stop.
    Interrupted,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopReason::Time => f.write_str("the time limit was reached"),
            StopReason::Memory => f.write_str("the memory limit was reached"),
            StopReason::TooLarge => f.write_str("more choices are open than fit in memory"),
            StopReason::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for StopReason {}

/// What a history is checked against: one level for all, or each transaction's own.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::Level;
/// use hobgoblin::check::Target;
///
/// assert_eq!(Target::from(Level::SI), Target::Level(Level::SI));
/// // Each transaction its own level, and this one where it asked for none.
/// let mixed = Target::Mixed(Level::RC);
/// # let _ = mixed;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// Every transaction at this level.
    Level(Level),
    /// Every transaction at the level it asked for, and at this one if it asked for none.
    Mixed(Level),
}

impl From<Level> for Target {
    fn from(level: Level) -> Self {
        Target::Level(level)
    }
}

/// Why a history violates a level.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::check::Witness;
///
/// fn told(witness: &Witness) -> String {
///     format!("{} between {} transactions", witness.anomaly.title(), witness.txns.len())
/// }
/// # let _ = told;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// What is violated.
    pub target: Target,
    /// The usual name of what went wrong.
    pub anomaly: Anomaly,
    /// The transactions that violate the level between them (init left out), ascending.
    pub txns: Vec<TxnId>,
    /// Whether taking any one of them away loses the violation.
    pub minimal: bool,
    /// Why they do.
    pub proof: Proof,
}

/// A chain of reasoning that ends in a contradiction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// What follows, in order; later steps may use earlier ones.
    pub steps: Vec<Step>,
    /// What the steps lead to, and no execution can have.
    pub conclusion: Conclusion,
}

/// `first` writes `key` before `second` does, since the contrary leads to a contradiction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The key both write.
    pub key: KeyId,
    /// Whose version comes first.
    pub first: TxnId,
    /// Whose version comes later.
    pub second: TxnId,
    /// The contradiction when `second` writes first.
    pub otherwise: Proof,
}

/// How a [`Proof`] ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// This read returned a value it could not [MODEL, section 1].
    Read(EventId),
    /// These edges form a cycle that the level forbids: each begins where the one before ends.
    Cycle(Vec<Edge>),
    /// Whichever transaction this read of a repeated value read from, there is a contradiction.
    Sources {
        /// The read whose writer is in question.
        read: EventId,
        /// One proof for each candidate.
        cases: Vec<(TxnId, Proof)>,
    },
    /// The transactions are too entangled for a proof in steps: every commit order of them fails,
    /// as an exhaustive search shows.
    Search,
}

/// One edge between transactions, with its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The transaction that comes first.
    pub from: TxnId,
    /// The transaction that comes later.
    pub to: TxnId,
    /// Why `from` comes before `to`.
    pub why: Reason,
}

/// Why one transaction comes before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// so: they are of one session, or the first is init.
    Session,
    /// wr: this read of the second returned what the first wrote.
    Read(EventId),
    /// rt: the first ended before the second began.
    RealTime,
    /// ww: both write this key, and the first's version comes first.
    Write(KeyId),
    /// rw: this read of the first returned a version that the second's write replaced.
    Overwrite(EventId),
}

/// The usual name of what went wrong.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::check::Anomaly;
///
/// assert_eq!(Anomaly::LostUpdate.title(), "lost update");
/// assert!(Anomaly::ALL.contains(&Anomaly::WriteSkew));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Anomaly {
    /// A value that nobody wrote.
    ThinAirRead,
    /// A value of an aborted transaction.
    AbortedRead,
    /// A value its writer had already replaced.
    IntermediateRead,
    /// A value its reader wrote only later.
    FutureRead,
    /// A read after an own write that returned something else.
    InternalRead,
    /// Transactions that read from each other in a circle.
    CircularInformationFlow,
    /// A newer version, then an older one, of the same key in one transaction.
    NonMonotonicRead,
    /// One key read twice with different results.
    NonRepeatableRead,
    /// Part of a transaction's writes seen and part not.
    FracturedRead,
    /// A session that does not see its own earlier writes.
    ReadYourWrites,
    /// A session that sees a version older than one it saw before.
    NonMonotonicSession,
    /// An effect seen without its cause.
    CausalityViolation,
    /// Two keys read at different points in time.
    ReadSkew,
    /// Two readers that disagree on the order of two writes.
    LongFork,
    /// Two transactions that read the same version and both replaced it.
    LostUpdate,
    /// Two transactions that each replaced what the other had read.
    WriteSkew,
    /// A read-only transaction that saw a state no serial order produces.
    ReadOnlyAnomaly,
    /// Writes that no order of versions explains.
    WriteCycle,
    /// A serial order that contradicts real time.
    RealTimeViolation,
    /// A cycle with an anti-dependency that has no more particular name.
    DependencyCycle,
}

impl Anomaly {
    /// All of them, in the order of the enum.
    pub const ALL: [Anomaly; 20] = [
        Anomaly::ThinAirRead,
        Anomaly::AbortedRead,
        Anomaly::IntermediateRead,
        Anomaly::FutureRead,
        Anomaly::InternalRead,
        Anomaly::CircularInformationFlow,
        Anomaly::NonMonotonicRead,
        Anomaly::NonRepeatableRead,
        Anomaly::FracturedRead,
        Anomaly::ReadYourWrites,
        Anomaly::NonMonotonicSession,
        Anomaly::CausalityViolation,
        Anomaly::ReadSkew,
        Anomaly::LongFork,
        Anomaly::LostUpdate,
        Anomaly::WriteSkew,
        Anomaly::ReadOnlyAnomaly,
        Anomaly::WriteCycle,
        Anomaly::RealTimeViolation,
        Anomaly::DependencyCycle,
    ];

    /// A stable name for machines, as in `--json`.
    pub fn code(self) -> &'static str {
        match self {
            Anomaly::ThinAirRead => "thin-air-read",
            Anomaly::AbortedRead => "aborted-read",
            Anomaly::IntermediateRead => "intermediate-read",
            Anomaly::FutureRead => "future-read",
            Anomaly::InternalRead => "internal-read",
            Anomaly::CircularInformationFlow => "circular-information-flow",
            Anomaly::NonMonotonicRead => "non-monotonic-read",
            Anomaly::NonRepeatableRead => "non-repeatable-read",
            Anomaly::FracturedRead => "fractured-read",
            Anomaly::ReadYourWrites => "read-your-writes",
            Anomaly::NonMonotonicSession => "non-monotonic-session",
            Anomaly::CausalityViolation => "causality-violation",
            Anomaly::ReadSkew => "read-skew",
            Anomaly::LongFork => "long-fork",
            Anomaly::LostUpdate => "lost-update",
            Anomaly::WriteSkew => "write-skew",
            Anomaly::ReadOnlyAnomaly => "read-only-anomaly",
            Anomaly::WriteCycle => "write-cycle",
            Anomaly::RealTimeViolation => "real-time-violation",
            Anomaly::DependencyCycle => "dependency-cycle",
        }
    }

    /// The name for people, with Adya's in brackets where there is one.
    pub fn title(self) -> &'static str {
        match self {
            Anomaly::ThinAirRead => "thin-air read",
            Anomaly::AbortedRead => "aborted read (dirty read, G1a)",
            Anomaly::IntermediateRead => "intermediate read (G1b)",
            Anomaly::FutureRead => "future read",
            Anomaly::InternalRead => "internal inconsistency",
            Anomaly::CircularInformationFlow => "circular information flow (G1c)",
            Anomaly::NonMonotonicRead => "non-monotonic read",
            Anomaly::NonRepeatableRead => "non-repeatable read",
            Anomaly::FracturedRead => "fractured read",
            Anomaly::ReadYourWrites => "own write not read (read your writes)",
            Anomaly::NonMonotonicSession => "session going back in time (monotonic reads)",
            Anomaly::CausalityViolation => "causality violation",
            Anomaly::ReadSkew => "read skew (G-single)",
            Anomaly::LongFork => "long fork",
            Anomaly::LostUpdate => "lost update",
            Anomaly::WriteSkew => "write skew (G2-item)",
            Anomaly::ReadOnlyAnomaly => "read-only transaction anomaly (G2-item)",
            Anomaly::WriteCycle => "write cycle (G0)",
            Anomaly::RealTimeViolation => "real-time violation",
            Anomaly::DependencyCycle => "dependency cycle (G2-item)",
        }
    }

    /// What it is, in one sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Anomaly::ThinAirRead => "A read returned a value that nobody wrote.",
            Anomaly::AbortedRead => "A read returned a value of a transaction that aborted.",
            Anomaly::IntermediateRead => "A read returned a value that its writer replaced itself.",
            Anomaly::FutureRead => "A transaction read a value before it wrote it.",
            Anomaly::InternalRead => "A transaction did not read what it had written itself.",
            Anomaly::CircularInformationFlow => "Transactions read from each other in a circle.",
            Anomaly::NonMonotonicRead => {
                "A transaction read a version of a key, and then an older one."
            }
            Anomaly::NonRepeatableRead => "A transaction read a key twice and saw it change.",
            Anomaly::FracturedRead => {
                "A transaction saw one write of another transaction, but not its other write."
            }
            Anomaly::ReadYourWrites => "A session did not read what it had written before.",
            Anomaly::NonMonotonicSession => "A session read a version, and later an older one.",
            Anomaly::CausalityViolation => {
                "A transaction saw an effect, but not the write that caused it."
            }
            Anomaly::ReadSkew => {
                "A transaction read versions that were never there at the same time."
            }
            Anomaly::LongFork => "Two readers saw two writes in opposite orders.",
            Anomaly::LostUpdate => {
                "Two transactions read the same version and both replaced it; one update is lost."
            }
            Anomaly::WriteSkew => "Transactions replaced what the others among them had read.",
            Anomaly::ReadOnlyAnomaly => {
                "A transaction that only reads saw a state that no serial order produces."
            }
            Anomaly::WriteCycle => "No order of the versions explains who wrote over whom.",
            Anomaly::RealTimeViolation => {
                "The only possible order contradicts who ended before whom began."
            }
            Anomaly::DependencyCycle => "The transactions depend on each other in a circle.",
        }
    }
}
