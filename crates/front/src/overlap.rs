//! Transactions that should have come one at a time and did not.

use std::fmt;
use std::time::Duration;

/// What is known of transactions that come one at a time.
#[derive(Debug)]
pub(crate) struct Serial {
    /// How long a session with an open transaction may do nothing and be waited for.
    pub(crate) patience: Duration,
    /// How many transactions began beside an open one.
    pub(crate) count: u64,
    /// The first of these transactions; `None` if there is none.
    pub(crate) first: Option<Overlap>,
}

impl Serial {
    pub(crate) fn new(patience: Duration) -> Serial {
        Serial { patience, count: 0, first: None }
    }
}

/// A transaction that began beside another one, although [they should come one at a
/// time](crate::Options::serial): the program did not let them be apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// The session whose transaction began.
    pub began: String,
    /// The session whose transaction was open.
    pub open: String,
    /// Why it was not waited for any longer.
    pub why: WhyOverlap,
}

/// Why the end of an open transaction was not waited for any longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyOverlap {
    /// Its session did nothing for too long.
    Idle,
    /// Its session waited for a lock.
    Lock,
    /// Its session went on and on.
    Long,
}

impl fmt::Display for Overlap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Overlap { began, open, why } = self;
        write!(f, "session {began} waited for the transaction of session {open}, which ")?;
        f.write_str(match why {
            WhyOverlap::Idle => "did nothing meanwhile",
            WhyOverlap::Lock => "waited for a lock meanwhile",
            WhyOverlap::Long => "went on and on",
        })
    }
}
