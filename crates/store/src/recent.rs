//! Keys that come up after a scan of their range has ended.

use std::collections::VecDeque;

use hobgoblin_core::Key;

use crate::open::Scanned;
use crate::past::Past;

/// The ranges that transactions of an engine read which ended a short while ago.
///
/// Two sessions look for a booking and find none; one books and commits, then the other does. The second
/// one's row was absent for the first, who was gone when its key came up: only the range tells.
#[derive(Debug, Default)]
pub(crate) struct RecentScans {
    /// Each with the place of its transaction among those that ended.
    scans: VecDeque<(Vec<Scanned>, usize)>,
}

impl RecentScans {
    /// How many transactions are remembered.
    const MOST: usize = 64;

    pub(crate) fn add(&mut self, scans: Vec<Scanned>, ended: usize) {
        if scans.is_empty() {
            return;
        }
        if self.scans.len() == RecentScans::MOST {
            self.scans.pop_front();
        }
        self.scans.push_back((scans, ended));
    }

    /// A key came up that nobody has written: whoever read a range with it, and overlapped a transaction
    /// that is open, read it as absent. `oldest` is when the first of those began.
    pub(crate) fn came_up(&self, key: &Key, oldest: i64, past: &mut Past) {
        for (scans, at) in self.scans.iter().rev() {
            let Some(ended) = past.get_mut(*at) else { return };
            if ended.ended_before(oldest) {
                return;
            }
            if let Some(scan) = scans.iter().find(|scan| scan.range.contains(key)) {
                ended.came_up(key, scan);
            }
        }
    }
}
