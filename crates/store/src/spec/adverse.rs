//! A policy that looks for trouble where applications notice it.
//!
//! Choosing each version with the same chance is fair, and wasteful: at weak levels most of what it shows is
//! a session that has forgotten its own writes, and a test that looks at its own writes first gets no
//! further. The failures that applications notice need one stale read among others that fit. So seven
//! transactions in eight, a draw for each,
//!
//! - keep to versions that what their session has seen does not overwrite, where there is one;
//! - find a key there that somebody has put, though they might not: without it a test stops early;
//! - leave out the newest version 42 times in a hundred, where there is another;
//! - read from the sessions in a random order of preference, the same for all their reads and, every other
//!   time, that of the session's last transaction; and from any of the versions of the preferred one.
//!
//! The eighth chooses uniformly, so that every allowed history has a chance.
//!
//! The numbers in this list were fitted on the paper's applications, and what they gain there is measured in
//! `crates/hob/benches/store.rs`. Elsewhere they lose too: a bug that needs absent keys, or what the session's
//! past overwrites, in several transactions waits for several eighths at once. So stores follow this policy
//! in turn with others ([`Policy::ROTATION`](crate::Policy::ROTATION)), unless it is asked for; applications
//! that nothing was fitted on compare them in `examples/apps/benches/policies.rs`.

use hobgoblin_core::{Chance, Rng, Value};

use super::view::{Mood, View};
use super::{OLDEST, Spec};
use crate::bits::Bits;
use crate::choose::Chooser;
use crate::ids::TxnNo;
use crate::keys::KeyState;

impl Mood {
    fn draw(rng: &mut Rng, last: Option<Mood>) -> Mood {
        match last {
            _ if rng.one_in(8) => Mood::Uniform,
            Some(Mood::Adverse(preference)) if rng.one_in(2) => Mood::Adverse(preference),
            _ => Mood::Adverse(rng.next_u64()),
        }
    }
}

impl Spec {
    /// The place of the version to return among the candidates.
    pub(super) fn adverse(
        &self,
        view: &mut View,
        state: &KeyState,
        chooser: &mut Chooser,
    ) -> usize {
        let of = self.candidates.len() as u32;
        let (mood, last) = (&mut view.mood, view.last_mood);
        let mood = *mood.get_or_insert_with(|| Mood::draw(chooser.rng(), last));
        let choice = chooser.choose(of, |rng| match mood {
            Mood::Uniform => rng.below(of),
            Mood::Adverse(preference) => {
                let mut kept = self.unseen(view, state);
                if kept.len() > 1 && rng.happens(Chance::of(0.42)) {
                    kept.remove(0);
                }
                let rank = |&at: &u32| {
                    let session = u64::from(self.writers[at as usize].raw());
                    (session ^ preference).wrapping_mul(0x9e37_79b9_7f4a_7c15)
                };
                let best = kept.iter().map(rank).max();
                kept.retain(|at| Some(rank(at)) == best);
                rng.pick(&kept).copied().unwrap_or(0)
            }
        });
        choice as usize
    }

    /// The candidates that nothing in the session's past overwrites, or all if there is none; without the
    /// absence of a key that was never there, where somebody has put it.
    fn unseen(&self, view: &View, state: &KeyState) -> Vec<u32> {
        let mut seen = view.past.clone();
        seen.intersect(state.writers());
        let mut older = Bits::default();
        for slot in seen.iter() {
            older.union(self.before.row(slot));
        }
        let unseen = |&at: &u32| match self.candidates[at as usize] {
            OLDEST => seen.is_empty(),
            place => !older.contains(state.versions()[place as usize].slot),
        };
        let all = 0..self.candidates.len() as u32;
        let mut kept: Vec<u32> = all.clone().filter(unseen).collect();
        if kept.is_empty() {
            kept.extend(all);
        }
        let last = kept.last().map(|&at| self.candidates[at as usize]);
        let was_never_there = state.base.txn == TxnNo::INIT && state.base.value == Value::Null;
        if kept.len() > 1 && last == Some(OLDEST) && was_never_there {
            kept.pop();
        }
        kept
    }
}
