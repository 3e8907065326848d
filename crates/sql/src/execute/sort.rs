//! Sorting that can be interrupted: runs of a few thousand, merged two by two.

use std::cmp::Ordering;

use crate::error::Result;
use crate::session::Core;

/// How many are sorted or merged between two looks.
const RUN: usize = 1 << 14;

/// Sorts, keeping equal ones in their order.
pub(super) fn sorted_by<T>(
    core: &Core,
    mut items: Vec<T>,
    compare: impl Fn(&T, &T) -> Ordering,
) -> Result<Vec<T>> {
    let mut runs: Vec<Vec<T>> = Vec::with_capacity(items.len() / RUN + 1);
    while items.len() > RUN {
        let mut run = items.split_off(items.len() - RUN);
        run.sort_by(&compare);
        runs.push(run);
        core.check_interrupts()?;
    }
    items.sort_by(&compare);
    runs.push(items);
    runs.reverse();
    while runs.len() > 1 {
        let mut merged = Vec::with_capacity(runs.len().div_ceil(2));
        let mut pairs = runs.into_iter();
        while let Some(first) = pairs.next() {
            merged.push(match pairs.next() {
                Some(second) => merge(core, first, second, &compare)?,
                None => first,
            });
        }
        runs = merged;
    }
    Ok(runs.pop().unwrap_or_default())
}

fn merge<T>(
    core: &Core,
    first: Vec<T>,
    second: Vec<T>,
    compare: &impl Fn(&T, &T) -> Ordering,
) -> Result<Vec<T>> {
    let mut merged = Vec::with_capacity(first.len() + second.len());
    let (mut first, mut second) = (first.into_iter().peekable(), second.into_iter().peekable());
    while let (Some(a), Some(b)) = (first.peek(), second.peek()) {
        merged.extend(if compare(a, b).is_gt() { second.next() } else { first.next() });
        if merged.len().is_multiple_of(RUN) {
            core.check_interrupts()?;
        }
    }
    merged.extend(first);
    merged.extend(second);
    Ok(merged)
}
