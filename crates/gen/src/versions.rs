//! The versions of every key that some reader may still see, newest first.
//!
//! A version is stamped with the number of the transaction that wrote it, and stamps grow along the
//! commit order. No reader lags behind the *horizon*: every version at or below it is visible to all, so
//! of those a key needs only the newest. The newest version of all lies in the table of keys; older ones
//! hang off it in a list whose cells come from one arena:
//!
//! ```text
//! keys[x]:  stamp 97 ---> stamp 91 ---> stamp 80 ---> (older ones are freed)
//!                              horizon 85  ^ the last one a reader can reach
//! ```
//!
//! Memory is O(keys + writes above the horizon), a read costs as many steps as the reader lags.

/// One version of a key.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Version {
    pub(crate) value: i64,
    /// The transaction that wrote it, 0 for init.
    pub(crate) stamp: u32,
    /// The session or site it was written at, as the level needs.
    pub(crate) origin: u32,
    /// The arena's cell of the version before, or [`NONE`].
    before: u32,
}

const NONE: u32 = u32::MAX;

#[derive(Debug)]
pub(crate) struct Versions {
    newest: Vec<Version>,
    older: Vec<Version>,
    free: Vec<u32>,
}

impl Versions {
    pub(crate) fn new(keys: u32) -> Versions {
        let init = Version { before: NONE, ..Version::default() };
        Versions { newest: vec![init; keys as usize], older: Vec::new(), free: Vec::new() }
    }

    #[inline]
    pub(crate) fn newest(&self, key: u32) -> Version {
        self.newest[key as usize]
    }

    /// The newest version of a key that the reader sees. The last of the list is seen by everyone.
    #[inline]
    pub(crate) fn read(&self, key: u32, mut sees: impl FnMut(&Version) -> bool) -> Version {
        let mut version = self.newest[key as usize];
        while version.before != NONE && !sees(&version) {
            version = self.older[version.before as usize];
        }
        version
    }

    /// Adds the newest version of a key, and forgets those that nobody can see any more.
    #[inline]
    pub(crate) fn push(&mut self, key: u32, value: i64, stamp: u32, origin: u32, horizon: u32) {
        let old = self.newest[key as usize];
        let before = if stamp <= horizon { NONE } else { self.keep(old) };
        if before == NONE {
            self.free_from(old.before);
        } else {
            self.trim(before, horizon);
        }
        self.newest[key as usize] = Version { value, stamp, origin, before };
    }

    fn keep(&mut self, version: Version) -> u32 {
        match self.free.pop() {
            Some(cell) => {
                self.older[cell as usize] = version;
                cell
            }
            None => {
                self.older.push(version);
                self.older.len() as u32 - 1
            }
        }
    }

    /// Frees what lies behind the first version at or below the horizon.
    fn trim(&mut self, mut cell: u32, horizon: u32) {
        while self.older[cell as usize].stamp > horizon {
            cell = self.older[cell as usize].before;
            if cell == NONE {
                return;
            }
        }
        let behind = std::mem::replace(&mut self.older[cell as usize].before, NONE);
        self.free_from(behind);
    }

    fn free_from(&mut self, mut cell: u32) {
        while cell != NONE {
            self.free.push(cell);
            cell = self.older[cell as usize].before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_above_the_horizon_see_what_was_newest_then() {
        let (mut versions, lag) = (Versions::new(1), 5);
        for stamp in 1..1000u32 {
            if stamp % 3 == 0 {
                versions.push(0, i64::from(stamp), stamp, 0, stamp.saturating_sub(lag));
            }
            for snapshot in stamp.saturating_sub(lag)..=stamp {
                let seen = versions.read(0, |v| v.stamp <= snapshot);
                assert_eq!(seen.stamp, snapshot / 3 * 3);
            }
        }
        assert!(versions.older.len() < 10, "forgotten versions are used again");
    }
}
