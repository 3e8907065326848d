//! A map that is one array, in the order of its keys.
//!
//! Most of our maps are filled in the order of their keys, or hold no more than the transactions of a witness. For
//! these an array is as fast as a tree, and a fifth of the code: a `BTreeMap` of one more type costs a tenth of a
//! second in every debug build of those who use the library.

use std::borrow::Borrow;
use std::slice;

use crate::sort::sort_by;

/// A map that is one array, in the order of its keys. What is inserted past the last key costs nothing more; what is
/// inserted elsewhere moves all that follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortedMap<K, V>(Vec<(K, V)>);

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        SortedMap(Vec::new())
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    /// A map without entries.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The map of these entries; of those with one key the first is kept.
    pub fn of(mut entries: Vec<(K, V)>) -> Self {
        sort_by(&mut entries, |a, b| a.0.cmp(&b.0));
        let mut kept = 0;
        for at in 0..entries.len() {
            if kept == 0 || entries[kept - 1].0 != entries[at].0 {
                entries.swap(kept, at);
                kept += 1;
            }
        }
        entries.truncate(kept);
        SortedMap(entries)
    }

    /// The place of a key, or where it would stand.
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        let (mut low, mut high) = (0, self.0.len());
        match self.0.last() {
            Some((last, _)) if last.borrow() < key => return Err(high),
            _ => {}
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if self.0[middle].0.borrow() < key { low = middle + 1 } else { high = middle }
        }
        match self.0.get(low) {
            Some((at, _)) if at.borrow() == key => Ok(low),
            _ => Err(low),
        }
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        match self.find(key) {
            Ok(at) => Some(&self.0[at].1),
            Err(_) => None,
        }
    }

    /// The value of a key, to be changed.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        match self.find(key) {
            Ok(at) => Some(&mut self.0[at].1),
            Err(_) => None,
        }
    }

    /// The entries from this key on.
    pub fn from<Q: Ord + ?Sized>(&self, key: &Q) -> &[(K, V)]
    where
        K: Borrow<Q>,
    {
        let (Ok(at) | Err(at)) = self.find(key);
        &self.0[at..]
    }

    /// Takes this key and all greater ones away.
    pub fn truncate(&mut self, key: &K) {
        let (Ok(at) | Err(at)) = self.find(key);
        self.0.truncate(at);
    }

    /// Whether there is such a key.
    pub fn contains_key(&self, key: &K) -> bool {
        self.find(key).is_ok()
    }

    /// Gives a key its value, and returns the one it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find::<K>(&key) {
            Ok(at) => Some(std::mem::replace(&mut self.0[at].1, value)),
            Err(at) => {
                self.0.insert(at, (key, value));
                None
            }
        }
    }

    /// Takes a key away, and returns its value.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        match self.find(key) {
            Ok(at) => Some(self.0.remove(at).1),
            Err(_) => None,
        }
    }

    /// The value of a key, which is made where there is none.
    pub fn or_default(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        let at = match self.find::<K>(&key) {
            Ok(at) => at,
            Err(at) => {
                self.0.insert(at, (key, V::default()));
                at
            }
        };
        &mut self.0[at].1
    }

    /// The entries, in the order of their keys.
    pub fn iter(&self) -> slice::Iter<'_, (K, V)> {
        self.0.iter()
    }

    /// The entries, whose values may be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut V)> {
        self.0.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The entries as an array, in the order of their keys.
    pub fn into_entries(self) -> Vec<(K, V)> {
        self.0
    }
}

impl<'a, K: Ord, V> IntoIterator for &'a SortedMap<K, V> {
    type Item = &'a (K, V);
    type IntoIter = slice::Iter<'a, (K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::Rng;

    #[test]
    fn as_a_tree() {
        let mut rng = Rng::new(1);
        let (mut array, mut tree) = (SortedMap::new(), BTreeMap::new());
        for i in 0..2000_u32 {
            let key = rng.below(50);
            match rng.below(3) {
                0 => assert_eq!(array.insert(key, i), tree.insert(key, i)),
                1 => assert_eq!(array.remove(&key), tree.remove(&key)),
                _ => {
                    *array.or_default(key) += 1;
                    *tree.entry(key).or_default() += 1;
                }
            }
            assert_eq!(array.get(&key), tree.get(&key));
            assert_eq!(array.contains_key(&key), tree.contains_key(&key));
            assert_eq!(array.is_empty(), tree.is_empty());
            assert!(array.iter().map(|(k, v)| (k, v)).eq(&tree));
            assert!(array.from(&key).iter().map(|(k, v)| (k, v)).eq(tree.range(key..)));
        }
        array.truncate(&20);
        tree.split_off(&20);
        assert_eq!(array.into_entries(), tree.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn of_entries_in_any_order() {
        let mut rng = Rng::new(1);
        for len in 0..200 {
            let entries: Vec<_> = (0..len).map(|_| (rng.below(len + 9), ())).collect();
            let tree: BTreeMap<_, _> = entries.iter().copied().collect();
            assert_eq!(SortedMap::of(entries).into_entries(), tree.into_iter().collect::<Vec<_>>());
        }
    }
}
