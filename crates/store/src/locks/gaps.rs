//! The gaps between keys, as InnoDB's gap and next-key locks take them.
//!
//! InnoDB keeps a gap with the record after it, and hands it on when records come and go. Here a gap is the range between
//! two keys, both left out, and stays what it is:
//!
//! ```text
//!     t[10]   t[20]   t[30]        a scan of t[15] to t[25] comes to t[20] and then, past its end, to t[30]:
//!          ---x                    it locks t[20] with the gap before it,
//!                  ---x            and t[30] with the gap before that
//! ```
//!
//! What a session locked one after the other is one gap, so that a scan of many keys keeps one.

use std::ops::Bound;

use hobgoblin_core::{Key, SessionId};

use crate::range::KeyRange;

/// The gaps that sessions have locked, in the order they took them.
#[derive(Debug, Default)]
pub(super) struct Gaps(Vec<HeldGap>);

/// A gap that a session has locked.
#[derive(Clone, Debug)]
pub(super) struct HeldGap {
    pub(super) session: SessionId,
    pub(super) range: KeyRange,
    /// Whether some of it was locked without the key after it.
    pub(super) alone: bool,
}

impl Gaps {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Locks a gap, `alone` or with the key after it, unless the session has locked all of it
    /// already. Returns whether it has one gap more now.
    pub(super) fn take(&mut self, session: SessionId, gap: &KeyRange, alone: bool) -> bool {
        if self.of(session).any(|held| held.range.covers(gap)) {
            return false;
        }
        let last = self.0.iter_mut().rev().find(|held| held.session == session);
        match last {
            Some(held) if held.range.goes_on_with(gap) => {
                held.range.go_on_with(gap);
                held.alone |= alone;
                false
            }
            _ => {
                self.0.push(HeldGap { session, range: gap.clone(), alone });
                true
            }
        }
    }

    /// The gaps that a session has locked.
    pub(super) fn of(&self, session: SessionId) -> impl Iterator<Item = &HeldGap> {
        self.0.iter().filter(move |held| held.session == session)
    }

    /// The other sessions that have locked the gap a key would be put into.
    pub(super) fn around<'g>(
        &'g self,
        session: SessionId,
        key: &'g Key,
    ) -> impl Iterator<Item = SessionId> + 'g {
        let others = self.0.iter().filter(move |held| held.session != session);
        others.filter(|held| held.range.contains(key)).map(|held| held.session)
    }

    /// Gives up the gap that a session took last.
    pub(super) fn free_last(&mut self, session: SessionId) {
        let last = self.0.iter().rposition(|held| held.session == session);
        self.0.remove(last.expect("a gap that was taken is held"));
    }

    /// Gives the gaps of one session to another.
    pub(super) fn hand_over(&mut self, from: SessionId, to: SessionId) {
        let own = self.0.iter_mut().filter(|held| held.session == from);
        own.for_each(|held| held.session = to);
    }
}

impl KeyRange {
    /// Whether another gap lies within this one.
    fn covers(&self, other: &KeyRange) -> bool {
        let inside = |bound: Bound<&Key>, own: Bound<&Key>| match bound {
            Bound::Included(key) | Bound::Excluded(key) => self.contains(key) || bound == own,
            Bound::Unbounded => own == Bound::Unbounded,
        };
        inside(other.from(), self.from()) && inside(other.to(), self.to())
    }

    /// Whether another gap begins where this one ends.
    fn goes_on_with(&self, next: &KeyRange) -> bool {
        match (self.to(), next.from()) {
            (Bound::Excluded(to), Bound::Excluded(from)) => to == from,
            _ => false,
        }
    }

    /// Makes one gap of both.
    fn go_on_with(&mut self, next: &KeyRange) {
        *self = KeyRange::between(self.from().cloned(), next.to().cloned());
    }
}
