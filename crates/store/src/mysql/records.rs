//! Records, and the gaps between them.
//!
//! A key is a record as long as InnoDB would have one for it: it holds something, or somebody is about to insert or delete
//! it, or it was deleted but not for all who read. Gaps are told by the records on both sides, inside of one table or
//! index:
//!
//! ```text
//!     t[10]   t[20]   u[10]       the gaps of t are before t[10], between its two rows, and after t[20] up to where
//!                                 the keys of t end; u[10] is of another table and bounds none of them
//! ```

use std::ops::Bound;

use hobgoblin_core::{Key, Value};

use super::view::{Isolation, Mysql, View};
use crate::ids::{KeyNo, Pos};
use crate::keys::Keys;
use crate::range::{KeyRange, index_of};

impl Mysql {
    /// Whether a key holds something, or an open transaction has it for itself, or it is still there for a snapshot.
    pub(super) fn is_record(&self, key: KeyNo, keys: &Keys) -> bool {
        keys.get(key).newest().value != Value::Null
            || self.engine.locks.keeper(key).is_some()
            || self.is_marked(key, keys)
    }

    /// Whether a key was deleted, but not for all who read.
    pub(super) fn is_marked(&self, key: KeyNo, keys: &Keys) -> bool {
        let newest = keys.get(key).newest();
        let keeps = |view: &View| {
            view.isolation == Isolation::Repeatable && view.snapshots.current() < newest.pos
        };
        newest.value == Value::Null && newest.pos > Pos::START && self.views.iter().any(keeps)
    }

    /// The gap of an index that ends with its first record after a place. The place is told from both sides: it is after
    /// all that `before` has, and before all that `after` has.
    pub(super) fn gap(&self, before: Bound<&Key>, after: Bound<&Key>, keys: &Keys) -> KeyRange {
        let index = index_around(before, after);
        let before = KeyRange::between(index.from().cloned(), before.cloned());
        let after = KeyRange::between(after.cloned(), index.to().cloned());
        let name = |key: KeyNo| Bound::Excluded(keys.get(key).name.clone());
        let from = self.last_record(&before, keys);
        let to = self.first_record(&after, keys);
        let from = from.map_or_else(|| index.from().cloned(), name);
        KeyRange::between(from, to.map_or_else(|| index.to().cloned(), name))
    }

    fn first_record(&self, range: &KeyRange, keys: &Keys) -> Option<KeyNo> {
        keys.between(range).find(|&key| self.is_record(key, keys))
    }

    fn last_record(&self, range: &KeyRange, keys: &Keys) -> Option<KeyNo> {
        keys.between(range).rfind(|&key| self.is_record(key, keys))
    }

    /// Whether a range is of one key, which is a record: there is nothing else to be locked.
    pub(super) fn is_one_record(&self, range: &KeyRange, keys: &Keys) -> bool {
        match (range.from(), range.to()) {
            (Bound::Included(from), Bound::Included(to)) if from == to => {
                keys.find(from).is_some_and(|key| self.is_record(key, keys))
            }
            _ => false,
        }
    }

    /// The gap after the last record of an index.
    pub(super) fn gap_at_end(&self, index: &KeyRange, keys: &Keys) -> KeyRange {
        let last = self.last_record(index, keys);
        let from = last.map(|key| Bound::Excluded(keys.get(key).name.clone()));
        let from = from.unwrap_or_else(|| index.from().cloned());
        KeyRange::between(from, index.to().cloned())
    }

    /// The gaps on both sides of a key, as one.
    pub(super) fn gap_around(&self, key: KeyNo, keys: &Keys) -> KeyRange {
        let here = Bound::Excluded(&keys.get(key).name);
        self.gap(here, here, keys)
    }

    /// The gap before a record.
    pub(super) fn gap_before(&self, key: KeyNo, keys: &Keys) -> KeyRange {
        let name = &keys.get(key).name;
        self.gap(Bound::Excluded(name), Bound::Included(name), keys)
    }
}

/// The table or index that a place is in, as a range; it is told by what is left or right of it.
pub(super) fn index_around(before: Bound<&Key>, after: Bound<&Key>) -> KeyRange {
    let index = [before, after].into_iter().find_map(|bound| match bound {
        Bound::Included(Key::Text(name)) | Bound::Excluded(Key::Text(name)) => {
            Some(index_of(name)).filter(|index| !index.is_empty())
        }
        _ => None,
    });
    index.map_or_else(KeyRange::all, KeyRange::prefix)
}
