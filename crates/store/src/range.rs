//! Ranges of keys, for scans and for locks on them.

use std::cmp::Ordering;
use std::ops::Bound;

use hobgoblin_core::Key;

use crate::natural::{compare, has_number, without_number};

/// A range of keys. Integers come before strings; strings are ordered by their bytes, but integers in
/// brackets by their values: `t[2]` comes before `t[15]`.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::store::KeyRange;
///
/// let carts = KeyRange::prefix("cart:");
/// # let _ = carts;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    from: Bound<Key>,
    to: Bound<Key>,
    /// What its keys begin with, if its bounds alone do not say that.
    prefix: Option<Box<str>>,
}

impl KeyRange {
    /// The range of all keys.
    pub fn all() -> KeyRange {
        KeyRange::between(Bound::Unbounded, Bound::Unbounded)
    }

    /// The keys between two bounds.
    pub fn between(from: Bound<Key>, to: Bound<Key>) -> KeyRange {
        KeyRange { from, to, prefix: None }
    }

    /// The string keys that begin with a prefix.
    ///
    /// ```
    #[doc = include_str!("facade.txt")]
    /// use hobgoblin::store::KeyRange;
    ///
    /// let range = KeyRange::prefix("t[1");
    /// assert!(range.contains(&"t[15]".into()) && !range.contains(&"t[2]".into()));
    /// ```
    pub fn prefix(prefix: &str) -> KeyRange {
        let kept = has_number(prefix).then(|| prefix.into());
        // Keys that begin with the digits of a number are not next to each other; those that begin with
        // what is before it are.
        let stem = without_number(prefix);
        let to = successor(stem).map_or(Bound::Unbounded, Bound::Excluded);
        KeyRange { from: Bound::Included(Key::from(stem)), to, prefix: kept }
    }

    /// The bound at which it begins.
    #[doc(hidden)]
    pub fn from(&self) -> Bound<&Key> {
        self.from.as_ref()
    }

    /// The bound at which it ends.
    #[doc(hidden)]
    pub fn to(&self) -> Bound<&Key> {
        self.to.as_ref()
    }

    /// What its keys begin with, if its bounds alone do not say that.
    pub(crate) fn kept_prefix(&self) -> Option<&str> {
        self.prefix.as_deref()
    }

    /// What is left of the range for a scan that has come to this key; `backwards` it came from the
    /// end.
    pub(crate) fn beyond(&self, last: Key, backwards: bool) -> KeyRange {
        let bound = Bound::Excluded(last);
        match backwards {
            false => KeyRange { from: bound, ..self.clone() },
            true => KeyRange { to: bound, ..self.clone() },
        }
    }

    /// The part of the range that a scan has seen which has come to this key.
    pub(crate) fn as_far_as(&self, last: Key, backwards: bool) -> KeyRange {
        let bound = Bound::Included(last);
        match backwards {
            false => KeyRange { to: bound, ..self.clone() },
            true => KeyRange { from: bound, ..self.clone() },
        }
    }

    /// Whether another one, of a scan that went on, begins right after the last key of this one, or
    /// backwards ends right before the first.
    pub(crate) fn joins(&self, other: &KeyRange) -> bool {
        self.prefix == other.prefix && (meet(&self.to, &other.from) || meet(&self.from, &other.to))
    }

    /// Makes one range of both.
    pub(crate) fn join(&mut self, other: &KeyRange) {
        if meet(&self.to, &other.from) {
            self.to.clone_from(&other.to);
        } else {
            self.from.clone_from(&other.from);
        }
    }

    /// Whether a key is in it.
    #[doc(hidden)]
    pub fn contains(&self, key: &Key) -> bool {
        let after = |from: &Key| compare(key, from);
        let begun = match &self.from {
            Bound::Included(from) => after(from) != Ordering::Less,
            Bound::Excluded(from) => after(from) == Ordering::Greater,
            Bound::Unbounded => true,
        };
        let ended = match &self.to {
            Bound::Included(to) => after(to) == Ordering::Greater,
            Bound::Excluded(to) => after(to) != Ordering::Less,
            Bound::Unbounded => false,
        };
        begun && !ended && self.has_prefix(key)
    }

    /// Whether a key between its bounds is in it.
    pub(crate) fn has_prefix(&self, key: &Key) -> bool {
        match (&self.prefix, key) {
            (None, _) => true,
            (Some(prefix), Key::Text(text)) => text.starts_with(&**prefix),
            (Some(_), Key::Int(_)) => false,
        }
    }

    /// Whether it cannot contain a key, since it ends before it begins.
    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        match (&self.from, &self.to) {
            (Bound::Included(a), Bound::Included(b)) => compare(a, b) == Ordering::Greater,
            (Bound::Included(a) | Bound::Excluded(a), Bound::Included(b) | Bound::Excluded(b)) => {
                compare(a, b) != Ordering::Less
            }
            _ => false,
        }
    }
}

/// The table or index that a key belongs to: what is before its brackets, with the bracket.
pub(crate) fn index_of(name: &str) -> &str {
    name.find('[').map_or("", |at| &name[..=at])
}

fn meet(last: &Bound<Key>, next: &Bound<Key>) -> bool {
    matches!((last, next), (Bound::Included(last), Bound::Excluded(next)) if last == next)
}

/// A string after all that begin with `stem`, which does not end in a number: its last character that has a
/// successor, raised. With no number in it, it is the first such string.
fn successor(stem: &str) -> Option<Key> {
    let numbers = has_number(stem);
    let mut after = stem.to_owned();
    while let Some(last) = after.pop() {
        // A digit could make the number before it another one.
        let next = if numbers && last == '/' { ':' as u32 } else { last as u32 + 1 };
        if let Some(next) = (next..=char::MAX as u32).find_map(char::from_u32) {
            after.push(next);
            return Some(Key::from(after.as_str()));
        }
        after.truncate(without_number(&after).len());
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn contains(range: &KeyRange, text: &str) -> bool {
        range.contains(&Key::from(text))
    }

    #[test]
    fn a_range_of_rows_has_the_rows_between() {
        let range = KeyRange::between(
            Bound::Included("t[1,2,5]".into()),
            Bound::Excluded("t[1,2,20]".into()),
        );
        for row in ["t[1,2,5]", "t[1,2,5].amount", "t[1,2,15]", "t[1,2,19].x"] {
            assert!(contains(&range, row), "{row}");
        }
        for row in ["t[1,2,4]", "t[1,2,20]", "t[1,2,150]", "t[1,20,6]", "t[1,2]"] {
            assert!(!contains(&range, row), "{row}");
        }
        let backwards =
            KeyRange::between(Bound::Included("t[15]".into()), Bound::Excluded("t[2]".into()));
        assert!(backwards.is_empty());
    }

    #[test]
    fn a_prefix_without_numbers_is_two_bounds() {
        let range = KeyRange::prefix("path/");
        assert_eq!(range.from(), Bound::Included(&"path/".into()));
        assert_eq!(range.to(), Bound::Excluded(&"path0".into()));
        assert_eq!(range.kept_prefix(), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn a_prefix_is_a_prefix(
            prefix in "[\\[,'/019a.\\]\u{10ffff}-]{0,6}",
            rest in "[\\[,'/019a.\\]\u{10ffff}-]{0,4}",
            other in "[\\[,'/019a.\\]\u{10ffff}-]{0,6}",
        ) {
            let range = KeyRange::prefix(&prefix);
            let whole = format!("{prefix}{rest}");
            prop_assert!(contains(&range, &whole), "{}", whole);
            prop_assert_eq!(contains(&range, &other), other.starts_with(&prefix));
            prop_assert!(!range.contains(&Key::Int(1)));
            prop_assert!(!range.is_empty());
        }
    }
}
