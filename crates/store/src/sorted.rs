//! Numbers, which are those of keys, in the order of their names, four bytes a key.
//!
//! A list of short lists. The names themselves are elsewhere, so whoever asks brings along how a number
//! compares.

use std::cmp::Ordering;

/// How long a list may become before it is cut in two.
const LONGEST: usize = 512;

/// Numbers, in the order that each caller's comparison gives them.
#[derive(Debug)]
pub(crate) struct Sorted<N> {
    /// None of them is empty.
    lists: Vec<Vec<N>>,
    len: usize,
    /// Where the last one was added; keys often come in order.
    last: Place,
}

/// A place before a number, or after all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    list: usize,
    at: usize,
}

impl Place {
    /// The place before all.
    pub(crate) const START: Place = Place { list: 0, at: 0 };
}

impl<N> Default for Sorted<N> {
    fn default() -> Sorted<N> {
        Sorted { lists: Vec::new(), len: 0, last: Place::START }
    }
}

impl<N: Copy> Sorted<N> {
    /// The place before the first number that does not come before something, as `before` says.
    pub(crate) fn place(&self, before: impl Fn(N) -> bool) -> Place {
        let all_before = |list: &Vec<N>| list.last().is_some_and(|&last| before(last));
        let list = self.lists.partition_point(all_before);
        let inside = self.lists.get(list).map_or(0, |list| list.partition_point(|&at| before(at)));
        Place { list, at: inside }
    }

    /// The place after all.
    pub(crate) fn end(&self) -> Place {
        Place { list: self.lists.len(), at: 0 }
    }

    /// Adds a number that is not there; `compare` says where others are beside it.
    pub(crate) fn insert(&mut self, number: N, compare: impl Fn(N) -> Ordering) {
        let before = |other: N| compare(other) == Ordering::Less;
        let mut place = match self.after_last(&before) {
            Some(place) => place,
            None => self.place(before),
        };
        if place.list == self.lists.len() {
            // After all: full lists need no cut then.
            match self.lists.last() {
                Some(last) if last.len() < LONGEST => {
                    place = Place { list: place.list - 1, at: last.len() };
                }
                _ => self.lists.push(Vec::new()),
            }
        }
        let list = &mut self.lists[place.list];
        list.insert(place.at, number);
        if list.len() > LONGEST {
            // What comes in order goes on at the end of the first half, and leaves it nearly full.
            let middle = (place.at + 1).clamp(LONGEST / 4, LONGEST);
            let rest = list.split_off(middle);
            list.shrink_to_fit();
            self.lists.insert(place.list + 1, rest);
            if place.at >= middle {
                place = Place { list: place.list + 1, at: place.at - middle };
            }
        }
        self.last = place;
        self.len += 1;
    }

    /// The place right after the last number that was added, if what is to be added belongs there.
    fn after_last(&self, before: &impl Fn(N) -> bool) -> Option<Place> {
        let Place { list, at } = self.last;
        let numbers = self.lists.get(list)?;
        if !before(*numbers.get(at)?) {
            return None;
        }
        let next = match numbers.get(at + 1) {
            Some(&next) => Some(next),
            None => self.lists.get(list + 1).map(|list| list[0]),
        };
        match next {
            Some(next) => (!before(next)).then_some(Place { list, at: at + 1 }),
            None => Some(self.end()),
        }
    }

    /// Takes a number away that is there.
    pub(crate) fn remove(&mut self, compare: impl Fn(N) -> Ordering) {
        let place = self.place(|other| compare(other) == Ordering::Less);
        let list = &mut self.lists[place.list];
        list.remove(place.at);
        if list.is_empty() {
            self.lists.remove(place.list);
        }
        self.len -= 1;
    }

    /// The numbers from one place to another.
    pub(crate) fn between(&self, from: Place, to: Place) -> Between<'_, N> {
        Between { lists: &self.lists, from, to: to.max(from) }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

/// The iterator of [`Sorted::between`].
#[derive(Clone, Debug)]
pub(crate) struct Between<'s, N> {
    lists: &'s [Vec<N>],
    from: Place,
    to: Place,
}

impl<N: Copy> Iterator for Between<'_, N> {
    type Item = N;

    #[inline]
    fn next(&mut self) -> Option<N> {
        while self.from < self.to {
            let Some(&number) = self.lists[self.from.list].get(self.from.at) else {
                self.from = Place { list: self.from.list + 1, at: 0 };
                continue;
            };
            self.from.at += 1;
            return Some(number);
        }
        None
    }
}

impl<N: Copy> DoubleEndedIterator for Between<'_, N> {
    #[inline]
    fn next_back(&mut self) -> Option<N> {
        while self.from < self.to {
            if self.to.at == 0 {
                let list = self.to.list - 1;
                self.to = Place { list, at: self.lists[list].len() };
                continue;
            }
            self.to.at -= 1;
            return Some(self.lists[self.to.list][self.to.at]);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use hobgoblin_core::Rng;

    use super::*;

    #[test]
    fn it_is_as_a_set_that_is_sorted() {
        let (mut rng, mut sorted, mut set) = (Rng::new(7), Sorted::default(), BTreeSet::new());
        for step in 0..40_000 {
            let number = if step % 3 == 0 { step } else { rng.below(5_000) };
            let compare = |other: u32| other.cmp(&number);
            match set.insert(number) {
                true => sorted.insert(number, compare),
                false => {
                    set.remove(&number);
                    sorted.remove(compare);
                }
            }
            if step % 97 == 0 {
                let (a, b) = (rng.below(6_000), rng.below(6_000));
                let (from, to) = (a.min(b), a.max(b));
                let places = (sorted.place(|at| at < from), sorted.place(|at| at < to));
                let between: Vec<u32> = sorted.between(places.0, places.1).collect();
                assert_eq!(between, set.range(from..to).copied().collect::<Vec<_>>());
            }
        }
        let all: Vec<u32> = sorted.between(Place::START, sorted.end()).collect();
        assert_eq!(all, set.iter().copied().collect::<Vec<_>>());
        assert_eq!(sorted.len(), set.len());
        assert!(sorted.lists.iter().all(|list| !list.is_empty() && list.len() <= LONGEST));
    }
}
