//! Sorting that can be interrupted: runs of a few thousand, merged two by two.
//!
//! What is sorted is numbers of rows, each beside the first key as 64 bits that have its order, where it is an integer:
//! most comparisons need no more.

use std::cmp::Ordering;

use super::query::by_key;
use crate::bind::expr::SortKey;
use crate::error::Result;
use crate::session::Core;
use crate::types::Datum;

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

/// Rows to be sorted, of which perhaps only the first are wanted.
pub(super) struct Sorter<'o, T> {
    order: &'o [SortKey],
    most: Option<usize>,
    /// The keys of all rows, one row after the other.
    keys: Vec<Datum>,
    rows: Vec<T>,
}

/// How many more rows than wanted are kept before the others are dropped.
const SPARE: usize = 4096;

impl<'o, T: Default> Sorter<'o, T> {
    pub(super) fn new(order: &'o [SortKey], most: Option<u64>) -> Sorter<'o, T> {
        let most = most.and_then(|most| usize::try_from(most).ok());
        Sorter { order, most, keys: Vec::new(), rows: Vec::new() }
    }

    /// The next key of the next row.
    pub(super) fn key(&mut self, key: Datum) {
        self.keys.push(key);
    }

    /// The row whose keys were given.
    pub(super) fn row(&mut self, core: &Core, row: T) -> Result<()> {
        self.rows.push(row);
        match self.most {
            Some(most) if self.rows.len() >= most.saturating_mul(2).saturating_add(SPARE) => {
                self.keep_first(core, most)
            }
            _ => Ok(()),
        }
    }

    /// All of them, or the first, in order.
    pub(super) fn finish(mut self, core: &Core) -> Result<Vec<T>> {
        let sorted = self.places(core)?;
        let most = self.most.unwrap_or(usize::MAX);
        let taken = sorted.into_iter().take(most);
        Ok(taken.map(|at| std::mem::take(&mut self.rows[at as usize])).collect())
    }

    fn keep_first(&mut self, core: &Core, most: usize) -> Result<()> {
        let width = self.order.len();
        let mut sorted = self.places(core)?;
        sorted.truncate(most);
        let mut keys = Vec::with_capacity(self.keys.len());
        let mut rows = Vec::with_capacity(self.rows.len());
        for at in sorted {
            let at = at as usize;
            keys.extend(self.keys[at * width..][..width].iter().cloned());
            rows.push(std::mem::take(&mut self.rows[at]));
        }
        (self.keys, self.rows) = (keys, rows);
        Ok(())
    }

    /// The places of the rows, in order.
    fn places(&self, core: &Core) -> Result<Vec<u32>> {
        let width = self.order.len();
        let brief = self.keys.iter().step_by(width).map(|key| match key {
            Datum::Int(value) => Some(*value as u64 ^ 1 << 63),
            _ => None,
        });
        let brief: Option<Vec<u64>> = brief.collect();
        let exact = brief.is_some();
        let brief = brief.unwrap_or_else(|| vec![0; self.rows.len()]);
        let descending = self.order[0].descending;
        let rows = brief.into_iter().zip(0u32..);
        let rows: Vec<(u64, u32)> =
            rows.map(|(key, at)| (if descending { !key } else { key }, at)).collect();
        let rest = usize::from(exact);
        let full = |a: u32, b: u32| {
            let of = |at: u32| &self.keys[at as usize * width..][..width];
            let pairs = of(a).iter().zip(of(b)).zip(self.order).skip(rest);
            let mut orders = pairs.map(|((a, b), key)| by_key(a, b, *key));
            orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        };
        let sorted = sorted_by(core, rows, |a, b| a.0.cmp(&b.0).then_with(|| full(a.1, b.1)))?;
        Ok(sorted.into_iter().map(|(_, at)| at).collect())
    }
}
