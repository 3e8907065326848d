//! Which versions RC, RA, CC and PSI allow, by the edges a read would force.
//!
//! Let t3 read x, with visible set V (φ). Returning the version of t1 makes V' = V ∪ A, where A is what
//! becomes visible with t1: nothing at RC, {t1} at RA, t1 and its past at CC and PSI. It forces
//!
//! - t2 -> t1 for every t2 in V' that wrote x, and
//! - except at RC, t2 -> s for every earlier read of y from s and every t2 in A that wrote y.
//!
//! All new edges end in t1 or in sources of earlier reads. So a cycle exists exactly when these targets
//! form one: target a leads to target b when a, or something after a, is among the new predecessors of b.

use hobgoblin_core::Level;

use super::view::{BASE, View};
use super::{OLDEST, Spec};
use crate::bits::{Bits, Table, contains};
use crate::ids::KeyNo;
use crate::keys::{KeyState, Keys};

/// Commits that must all precede one commit.
type Target = (u32, Bits);

impl Spec {
    fn visible(view: &View, level: Level) -> &Bits {
        match level {
            Level::CC => &view.past,
            Level::PSI => &view.psi,
            Level::RU | Level::RC | Level::RA => &view.seen,
            Level::PC | Level::SI | Level::SER | Level::SSER => &view.seen,
        }
    }

    /// The past that becomes visible with a commit.
    fn pasts(&self, level: Level) -> Option<&Table> {
        match level {
            Level::CC => Some(&self.past),
            Level::PSI => Some(&self.psi),
            Level::RU | Level::RC | Level::RA => None,
            Level::PC | Level::SI | Level::SER | Level::SSER => None,
        }
    }

    /// Collects the versions a read may return, newest first.
    pub(super) fn forced_candidates(&mut self, view: &View, level: Level, key: KeyNo, keys: &Keys) {
        let state = keys.get(key);
        let mut candidates = std::mem::take(&mut self.candidates);
        match view.source(key) {
            Some(source) if level.is_atomic() => candidates.push(place(state, source)),
            _ => {
                let mut seen = Self::visible(view, level).clone();
                seen.intersect(state.writers());
                let older = self.preceding(&seen);
                for (at, version) in state.versions().iter().enumerate().rev() {
                    if !older.contains(version.slot)
                        && (!level.is_atomic() || self.fits(view, level, key, version.slot, keys))
                    {
                        candidates.push(at as u32);
                    }
                }
                if seen.is_empty() {
                    candidates.push(OLDEST);
                }
            }
        }
        debug_assert!(!candidates.is_empty(), "some version can always be read");
        self.candidates = candidates;
    }

    /// Whether the earlier reads of the transaction allow it to see a commit, and its past.
    fn fits(&self, view: &View, level: Level, key: KeyNo, slot: u32, keys: &Keys) -> bool {
        if view.reads.is_empty() || Self::visible(view, level).contains(slot) {
            return true;
        }
        match self.affected(view, level, slot, keys) {
            None => false,
            Some(affected) if affected.is_empty() => true,
            Some(mut targets) => {
                targets.push(self.target(view, level, key, slot, keys));
                self.is_acyclic(targets)
            }
        }
    }

    /// What must precede one of these commits.
    fn preceding(&self, commits: &Bits) -> Bits {
        let mut preceding = Bits::default();
        for commit in commits.iter() {
            preceding.union(self.before.row(commit));
        }
        preceding
    }

    /// What becomes visible with a commit.
    fn newly_visible(&self, view: &View, level: Level, slot: u32) -> Bits {
        let mut new = Bits::default();
        if let Some(pasts) = self.pasts(level) {
            new.copy(pasts.row(slot));
        }
        new.insert(slot);
        new.subtract(Self::visible(view, level).words());
        new
    }

    /// The sources of earlier reads that something newly visible must precede, or `None` when one of
    /// them is the base, which nothing live precedes.
    fn affected(&self, view: &View, level: Level, slot: u32, keys: &Keys) -> Option<Vec<Target>> {
        let new = self.newly_visible(view, level, slot);
        let mut targets: Vec<Target> = Vec::new();
        let mut add = |source: u32, writer: u32| {
            if source == writer {
                return true;
            }
            if source == BASE {
                return false;
            }
            match targets.iter_mut().find(|(target, _)| *target == source) {
                Some((_, writers)) => writers.insert(writer),
                None => {
                    let mut writers = Bits::default();
                    writers.insert(writer);
                    targets.push((source, writers));
                }
            }
            true
        };
        if view.reads.len() <= 16 {
            for &(key, source) in &view.reads {
                let mut writers = new.clone();
                writers.intersect(keys.get(key).writers());
                if !writers.iter().all(|writer| add(source, writer)) {
                    return None;
                }
            }
        } else {
            for writer in new.iter() {
                for &key in &self.slots[writer as usize].keys {
                    if let Some(source) = view.source(key)
                        && !add(source, writer)
                    {
                        return None;
                    }
                }
            }
        }
        Some(targets)
    }

    /// What must precede the commit a read returns.
    fn target(&self, view: &View, level: Level, key: KeyNo, slot: u32, keys: &Keys) -> Target {
        let mut writers = Self::visible(view, level).clone();
        if let Some(pasts) = self.pasts(level) {
            writers.union(pasts.row(slot));
        }
        writers.intersect(keys.get(key).writers());
        writers.remove(slot);
        (slot, writers)
    }

    /// Whether edges into these targets close no cycle: takes away targets that no other leads to.
    fn is_acyclic(&self, mut targets: Vec<Target>) -> bool {
        for (_, writers) in &mut targets {
            let preceding = self.preceding(writers);
            writers.union(preceding.words());
        }
        while !targets.is_empty() {
            let free = |(_, before): &Target| !targets.iter().any(|(to, _)| before.contains(*to));
            match targets.iter().position(free) {
                Some(at) => targets.swap_remove(at),
                None => return false,
            };
        }
        true
    }

    /// Adds the edges that returning a version forces.
    pub(super) fn force(&mut self, view: &View, level: Level, key: KeyNo, slot: u32, keys: &Keys) {
        if self.ordered {
            return;
        }
        let mut targets = Vec::new();
        if level.is_atomic() && !Self::visible(view, level).contains(slot) {
            let affected = self.affected(view, level, slot, keys);
            targets = affected.expect("the version was allowed");
        }
        targets.push(self.target(view, level, key, slot, keys));
        for (target, writers) in targets {
            self.precede(target, &writers);
        }
    }

    /// Adds edges from some commits to one, and what follows from them.
    fn precede(&mut self, target: u32, writers: &Bits) {
        let known = self.before.row(target);
        let mut preds = Bits::default();
        for writer in writers.iter().filter(|&writer| !contains(known, writer)) {
            preds.insert(writer);
            preds.union(self.before.row(writer));
        }
        if preds.is_empty() {
            return;
        }
        debug_assert!(!preds.contains(target), "the edges close a cycle");
        for succ in self.live.iter() {
            if succ == target || contains(self.before.row(succ), target) {
                self.before.union(succ, preds.words());
            }
        }
    }

    /// Whether a PSI transaction can see every committed writer of the keys it wrote.
    pub(super) fn covers(&self, view: &View, written: &[KeyNo], keys: &Keys) -> bool {
        let mut new = Bits::default();
        for last in written.iter().filter_map(|&key| keys.get(key).versions().last()) {
            new.insert(last.slot);
            new.union(self.psi.row(last.slot));
        }
        new.subtract(view.psi.words());
        view.reads.iter().all(|&(key, source)| {
            let mut writers = new.clone();
            writers.intersect(keys.get(key).writers());
            if source != BASE {
                writers.subtract(self.before.row(source));
                writers.remove(source);
            }
            writers.is_empty()
        })
    }
}

/// The place of the version a slot left in a key.
fn place(state: &KeyState, source: u32) -> u32 {
    let at = state.versions().iter().position(|version| version.slot == source);
    at.map_or(OLDEST, |at| at as u32)
}
