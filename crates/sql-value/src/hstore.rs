//! Values of hstore: maps from texts to texts or NULL.

use std::cmp::Ordering;
use std::sync::Arc;

use hobgoblin_core::Text;

use crate::json::key_order;
use crate::{Array, Datum, Problem, Result};

/// A key and what it has, which is `None` for NULL.
pub type Pair = (Text, Option<Text>);

/// A map of hstore. Its keys are unique, and sorted by length first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Hstore {
    pairs: Vec<Pair>,
}

impl Hstore {
    /// A map of these pairs. Of several with the same key the first counts.
    pub fn new(mut pairs: Vec<Pair>) -> Hstore {
        pairs.sort_by(|a, b| key_order(&a.0, &b.0));
        pairs.dedup_by(|later, first| later.0 == first.0);
        Hstore { pairs }
    }

    /// A map of these keys and values; an error if a key is NULL.
    pub fn of_pairs(all: impl Iterator<Item = (Option<Text>, Option<Text>)>) -> Result<Hstore> {
        let mut pairs = Vec::new();
        for (key, value) in all {
            pairs.push((key.ok_or(Problem::NullKey)?, value));
        }
        Ok(Hstore::new(pairs))
    }

    /// A map of the items of an array: keys and values in turn, or the rows of a matrix with two
    /// columns.
    pub fn of_items(array: &Array) -> Result<Hstore> {
        match array.dims.as_slice() {
            [] | [_, (2, _)] => {}
            [(length, _)] if length % 2 == 0 => {}
            [_] => return Err(Problem::OddPairs),
            [_, _] => return Err(Problem::NoPairs),
            _ => return Err(Problem::SubscriptCount),
        }
        let text = |item: &Datum| match item {
            Datum::Text(text) => Some(text.clone()),
            _ => None,
        };
        Hstore::of_pairs(array.items.chunks_exact(2).map(|pair| (text(&pair[0]), text(&pair[1]))))
    }

    /// The map as a value of SQL.
    pub fn datum(self) -> Datum {
        Datum::Hstore(Arc::new(self))
    }

    /// The pairs in order.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// What a key has: `None` if it is missing, `Some(None)` if it has NULL.
    pub fn get(&self, key: &str) -> Option<Option<&Text>> {
        let at = self.pairs.binary_search_by(|(k, _)| key_order(k, key)).ok()?;
        self.pairs.get(at).map(|(_, value)| value.as_ref())
    }

    /// The order that PostgreSQL gives maps: by all keys and values in a row, then by their
    /// lengths. It means nothing, but sorts.
    pub fn compare(&self, other: &Hstore) -> Ordering {
        let all = |h: &Hstore| -> Vec<u8> {
            let parts = h.pairs.iter().flat_map(|(k, v)| [Some(k), v.as_ref()]);
            parts.flatten().flat_map(|part| part.bytes()).collect()
        };
        let ends = |h: &Hstore| {
            let mut end = 0;
            let mut ends = Vec::new();
            for (key, value) in &h.pairs {
                end += key.len();
                ends.push((end, false));
                end += value.as_ref().map_or(0, |value| value.len());
                ends.push((end, value.is_none()));
            }
            ends
        };
        let empty = |h: &Hstore| h.pairs.is_empty();
        if empty(self) || empty(other) {
            return empty(other).cmp(&empty(self));
        }
        let (a, b) = (all(self), all(other));
        let common = a.len().min(b.len());
        a[..common]
            .cmp(&b[..common])
            .then_with(|| a.len().cmp(&b.len()))
            .then_with(|| self.pairs.len().cmp(&other.pairs.len()))
            .then_with(|| ends(self).cmp(&ends(other)))
    }
}
