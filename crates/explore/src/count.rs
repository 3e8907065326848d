//! How many histories there are of some kind, and the smallest of them.

use serde::{Deserialize, Serialize};

/// One history, by its token, and how large it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Example {
    /// Whether it is one only because a table's set of keys is one variable.
    #[serde(default)]
    pub doubtful: bool,
    /// How many of its transactions committed.
    pub(crate) committed: usize,
    /// The length of the token.
    pub(crate) length: usize,
    /// The token that makes it again.
    pub token: String,
}

/// How many histories there are of some kind, and the smallest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// How many there are.
    pub histories: u64,
    /// How many of them are doubtful.
    #[serde(default)]
    pub doubtful: u64,
    /// The smallest of them.
    pub example: Option<Example>,
}

impl Count {
    /// The histories that are not doubtful.
    pub fn sure(&self) -> u64 {
        self.histories - self.doubtful
    }
}
