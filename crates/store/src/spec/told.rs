//! Reads of a session that is told whom to see.
//!
//! A solver that has found an anomaly says which transactions each one sees. To run it, transactions come one after the
//! other in the order they are arbitrated, and a read returns the last version among those its transaction is told to see:
//!
//! ```text
//!     versions of x, as they came:   base   t1   t2   t3
//!     told to see t1 and t3 only:                     ^^      told to see t1 only:   t1
//! ```
//!
//! The level stays in force: when the version is none of those it allows, the solver was wrong about the level, and that
//! is an error. What is older than all live commits is seen by everybody, told or not.

use hobgoblin_core::SessionId;

use super::{OLDEST, Spec};
use crate::choose::Chooser;
use crate::keys::KeyState;

impl Spec {
    /// The place among the candidates of the version that a session is told to see.
    pub(super) fn told(
        &self,
        session: SessionId,
        state: &KeyState,
        chooser: &mut Chooser,
    ) -> usize {
        let sees = chooser.told(session).unwrap_or_default();
        let last = state.versions().iter().rposition(|version| sees.contains(&version.writer));
        let wanted = last.map_or(OLDEST, |at| at as u32);
        let place = self.candidates.iter().position(|&at| at == wanted);
        if place.is_none() {
            chooser.cannot_see(&state.name);
        }
        let of = self.candidates.len() as u32;
        chooser.choose(of, |_| place.unwrap_or(0) as u32) as usize
    }
}
