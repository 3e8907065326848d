//! Sorting where it is not waited for.
//!
//! The sorts of the standard library are made anew for every type, some 1,500 statements each: in a debug build one of
//! them takes as long as a hundred functions of ours. Here one of them sorts numbers, whatever the items are, and each
//! type only says how two are compared and swapped. For lists of a million items the standard library is twice as fast.

use std::cmp::Ordering;

/// Up to this many items are sorted by letting each sink to its place.
const FEW: usize = 16;

/// Sorts; equal items keep their order.
///
/// ```
/// let mut words = ["so", "wr", "co"];
/// hobgoblin_core::sort(&mut words);
/// assert_eq!(words, ["co", "so", "wr"]);
/// ```
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// Sorts by a comparison; equal items keep their order.
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    arrange(&mut Sorted { items, compare });
}

/// Sorts, and keeps one of those that are equal.
///
/// ```
/// let mut numbers = vec![3, 1, 3];
/// hobgoblin_core::sort_dedup(&mut numbers);
/// assert_eq!(numbers, [1, 3]);
/// ```
pub fn sort_dedup<T: Ord>(items: &mut Vec<T>) {
    sort(items);
    let mut kept = 0;
    for at in 0..items.len() {
        if kept == 0 || items[kept - 1] != items[at] {
            items.swap(kept, at);
            kept += 1;
        }
    }
    items.truncate(kept);
}

/// Items of any type, by their places.
trait Items {
    fn len(&self) -> usize;
    fn compare(&self, a: usize, b: usize) -> Ordering;
    fn swap(&mut self, a: usize, b: usize);
}

struct Sorted<'a, T, F> {
    items: &'a mut [T],
    compare: F,
}

impl<T, F: Fn(&T, &T) -> Ordering> Items for Sorted<'_, T, F> {
    fn len(&self) -> usize {
        self.items.len()
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        (self.compare)(&self.items[a], &self.items[b])
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.items.swap(a, b);
    }
}

fn arrange(items: &mut dyn Items) {
    let mut sorted = 1;
    while sorted < items.len() && items.compare(sorted - 1, sorted).is_le() {
        sorted += 1;
    }
    if sorted >= items.len() {
        return;
    }
    if items.len() <= FEW {
        for next in sorted..items.len() {
            let mut at = next;
            while at > 0 && items.compare(at - 1, at).is_gt() {
                items.swap(at - 1, at);
                at -= 1;
            }
        }
        return;
    }
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|&a, &b| items.compare(a, b));
    // Each circle of places is turned by one; a place that is done stands for itself.
    for start in 0..order.len() {
        let mut at = start;
        while order[at] != start {
            let from = std::mem::replace(&mut order[at], at);
            items.swap(at, from);
            at = from;
        }
        order[at] = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    #[test]
    fn as_the_standard_library() {
        let mut rng = Rng::new(1);
        for len in 0..300_u32 {
            let items: Vec<_> = (0..len).map(|at| (rng.below(len + 9) / 2, at)).collect();
            let (mut ours, mut theirs) = (items.clone(), items.clone());
            sort_by(&mut ours, |a, b| a.0.cmp(&b.0));
            theirs.sort_by_key(|item| item.0);
            assert_eq!(ours, theirs);
            let mut ours: Vec<_> = items.iter().map(|item| item.0).collect();
            let mut theirs = ours.clone();
            sort_dedup(&mut ours);
            theirs.sort_unstable();
            theirs.dedup();
            assert_eq!(ours, theirs);
        }
    }
}
