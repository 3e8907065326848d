//! Which versions PC, SI and SER allow: those of a prefix of the commit order.
//!
//! A version written at place p and overwritten at place q is what the prefixes of length p to q - 1
//! hold. A transaction keeps the lengths `low..=high` that explain its reads so far; `low` starts at what
//! its session has seen, `high` falls when a key it has read is overwritten.

use super::view::View;
use super::{OLDEST, Spec};
use crate::keys::KeyState;

impl Spec {
    /// Collects the versions that some prefix with all earlier reads holds, newest first.
    pub(super) fn prefix_candidates(&mut self, view: &View, state: &KeyState) {
        let mut overwritten = self.positions.next();
        for (at, version) in state.versions().iter().enumerate().rev() {
            if version.pos.max(view.low) <= view.high.min(overwritten.before()) {
                self.candidates.push(at as u32);
            }
            overwritten = version.pos;
        }
        if view.low <= view.high.min(overwritten.before()) {
            self.candidates.push(OLDEST);
        }
        debug_assert!(!self.candidates.is_empty(), "some prefix explains the reads so far");
    }

    /// The one version of the newest prefix that explains the reads so far.
    pub(super) fn newest_prefix(&mut self, view: &View, state: &KeyState) {
        let after = state.versions().partition_point(|version| version.pos <= view.high);
        self.candidates.push(after.checked_sub(1).map_or(OLDEST, |at| at as u32));
    }

    /// Keeps only the prefixes that hold this version.
    pub(super) fn narrow(&self, view: &mut View, state: &KeyState, at: u32) {
        let next = if at == OLDEST { 0 } else { at as usize + 1 };
        if at != OLDEST {
            view.low = view.low.max(state.versions()[at as usize].pos);
        }
        if let Some(next) = state.versions().get(next) {
            view.high = view.high.min(next.pos.before());
        }
    }
}
