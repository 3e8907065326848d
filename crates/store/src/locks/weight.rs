//! What is lost when a transaction is undone, as InnoDB weighs the transactions of a deadlock.
//!
//! InnoDB ends the lightest one: that with the fewest rows changed and locks taken together, and at a tie the one that asked
//! last. A lock there is a bitmap: all records of one page that are locked alike are one. Here what is locked alike of one
//! table or index counts once, but for what had to be waited for, and a row that was inserted needs no lock of its own.

use std::ops::Bound;

use hobgoblin_core::{Key, SessionId, SortedMap};

use super::Locks;
use super::taken::Taken;
use crate::keys::Keys;
use crate::lock::Lock;
use crate::range::index_of;

impl Locks {
    /// Which session of the circle that was refused last is to be undone; `changed` tells how many rows a session's
    /// transaction has changed. Only where queues are fair it may be another one than who asked.
    pub(crate) fn victim(
        &self,
        asker: SessionId,
        changed: impl Fn(SessionId) -> usize,
        keys: &Keys,
    ) -> SessionId {
        if !self.fair {
            return asker;
        }
        let weight = |session: SessionId| changed(session) + self.kinds(session, keys);
        let others = self.refused.iter().filter(|&&session| session != asker);
        let lightest = others.map(|&session| (weight(session), session)).min();
        match lightest {
            Some((least, session)) if least < weight(asker) => session,
            _ => asker,
        }
    }

    /// How many kinds of locks a session has or waits for: on tables and indexes as such, on their keys, and on gaps.
    fn kinds(&self, session: SessionId, keys: &Keys) -> usize {
        let mut kinds: SortedMap<(&str, Kind), ()> = SortedMap::new();
        let took = self.taken.get(session.index()).map_or(&[][..], |took| &took.all);
        for taken in took {
            let Taken::Key(key, modes) = *taken else { continue };
            let state = keys.get(key);
            let (Key::Text(name), alone) = (&state.name, modes.has(Lock::Update as u8)) else {
                continue;
            };
            kinds.insert((index_of(name), Kind::Table { alone }), ());
            if !state.newest().value.is_null() {
                kinds.insert((index_of(name), Kind::Key { alone }), ());
            }
        }
        for gap in self.gaps.of(session) {
            let (from, to) = (index_at(gap.range.from()), index_at(gap.range.to()));
            let index = from.or(to).unwrap_or_default();
            let has_keys =
                [true, false].map(|alone| kinds.contains_key(&(index, Kind::Key { alone })));
            // What is locked up to the end of an index is one with its keys.
            if gap.alone && from == to || !has_keys.contains(&true) {
                kinds.insert((index, Kind::Gap), ());
            }
        }
        let wanted = match self.waiting.iter().find(|waiter| waiter.session == session) {
            Some(waiter) => Some(&waiter.wanted),
            None => self.asked.as_ref(),
        };
        if let Some((key, lock)) = wanted.and_then(|wanted| wanted.lock(keys))
            && let Key::Text(name) = &keys.get(key).name
        {
            kinds.insert((index_of(name), Kind::Table { alone: lock == Lock::Update }), ());
        }
        kinds.len() + self.taken.get(session.index()).map_or(0, |took| took.waited)
    }
}

/// A kind of lock in a table or index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// The intention to lock keys of it.
    Table {
        alone: bool,
    },
    Key {
        alone: bool,
    },
    Gap,
}

/// The table or index that a bound of a gap is in.
fn index_at(bound: Bound<&Key>) -> Option<&str> {
    match bound {
        Bound::Included(Key::Text(name)) | Bound::Excluded(Key::Text(name)) => {
            Some(index_of(name)).filter(|index| !index.is_empty())
        }
        _ => None,
    }
}
