//! Sorting that can be interrupted: runs of a few thousand, merged two by two.
//!
//! What is sorted is numbers of rows, each beside the first two keys as bits that have their order, where they are
//! integers: most comparisons need no more.

use std::cmp::Ordering;

use super::Rows;
use hobgoblin_sql_bind::bound::SortKey;
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_value::Datum;

/// How many rows are sorted or merged between two questions whether the statement is cancelled.
const RUN: usize = 1 << 14;

/// Sorts items, keeping those that are equal in their order.
pub(super) fn sorted_by<T>(
    session: &dyn Rows,
    mut items: Vec<T>,
    compare: impl Fn(&T, &T) -> Ordering,
) -> Result<Vec<T>> {
    let mut runs: Vec<Vec<T>> = Vec::with_capacity(items.len() / RUN + 1);
    while items.len() > RUN {
        let mut run = items.split_off(items.len() - RUN);
        run.sort_by(&compare);
        runs.push(run);
        session.check_interrupts()?;
    }
    items.sort_by(&compare);
    runs.push(items);
    runs.reverse();
    while runs.len() > 1 {
        let mut merged = Vec::with_capacity(runs.len().div_ceil(2));
        let mut pairs = runs.into_iter();
        while let Some(first) = pairs.next() {
            merged.push(match pairs.next() {
                Some(second) => merge(session, first, second, &compare)?,
                None => first,
            });
        }
        runs = merged;
    }
    Ok(runs.pop().unwrap_or_default())
}

fn merge<T>(
    session: &dyn Rows,
    first: Vec<T>,
    second: Vec<T>,
    compare: &impl Fn(&T, &T) -> Ordering,
) -> Result<Vec<T>> {
    let mut merged = Vec::with_capacity(first.len() + second.len());
    let (mut first, mut second) = (first.into_iter().peekable(), second.into_iter().peekable());
    while let (Some(a), Some(b)) = (first.peek(), second.peek()) {
        merged.extend(if compare(a, b).is_gt() { second.next() } else { first.next() });
        if merged.len().is_multiple_of(RUN) {
            session.check_interrupts()?;
        }
    }
    merged.extend(first);
    merged.extend(second);
    Ok(merged)
}

/// Collects rows to sort. If only the first so many are wanted, it drops others on the way.
pub(super) struct Sorter<'o, T> {
    order: &'o [SortKey],
    most: Option<usize>,
    /// The sort keys of all rows, one row after the other.
    keys: Vec<Datum>,
    rows: Vec<T>,
}

/// Rows in their order, each with its keys.
pub(super) struct Keyed<'o, T> {
    placed: std::vec::IntoIter<Placed>,
    order: &'o [SortKey],
    /// How many of the keys beside each place are exact, so that no others need be compared.
    exact: usize,
    keys: Vec<Datum>,
    rows: Vec<T>,
    current: Vec<Datum>,
}

impl<T: Default> Keyed<'_, T> {
    pub(super) fn next(&mut self) -> Option<(&[Datum], T)> {
        let (brief, at) = self.placed.next()?;
        let at = at as usize;
        let exact = brief.iter().zip(self.order).take(self.exact);
        self.current.clear();
        self.current.extend(exact.map(|(brief, key)| Datum::Int(brief.value(*key))));
        let width = self.order.len();
        let rest = self.exact..width;
        self.current.extend(
            rest.map(|key| std::mem::replace(&mut self.keys[at * width + key], Datum::Null)),
        );
        Some((&self.current, std::mem::take(&mut self.rows[at])))
    }
}

/// How many rows beyond those wanted are collected before some are dropped.
const SPARE: usize = 4096;

impl<'o, T: Default> Sorter<'o, T> {
    pub(super) fn new(order: &'o [SortKey], most: Option<u64>) -> Sorter<'o, T> {
        let most = most.and_then(|most| usize::try_from(most).ok());
        Sorter { order, most, keys: Vec::new(), rows: Vec::new() }
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Adds the next sort key of the next row.
    pub(super) fn key(&mut self, key: Datum) {
        self.keys.push(key);
    }

    /// Adds the row whose keys have been added.
    pub(super) fn row(&mut self, session: &dyn Rows, row: T) -> Result<()> {
        self.rows.push(row);
        match self.most {
            Some(most) if self.rows.len() >= most.saturating_mul(2).saturating_add(SPARE) => {
                self.keep_first(session, most)
            }
            _ => Ok(()),
        }
    }

    /// All rows, or those that are wanted, in order.
    pub(super) fn finish(mut self, session: &dyn Rows) -> Result<Vec<T>> {
        let sorted = self.places(session)?;
        let most = self.most.unwrap_or(usize::MAX);
        let taken = sorted.into_iter().take(most);
        Ok(taken.map(|at| std::mem::take(&mut self.rows[at as usize])).collect())
    }

    /// All rows in order, each with its keys.
    pub(super) fn finish_keyed(self, session: &dyn Rows) -> Result<Keyed<'o, T>> {
        let (exact, placed) = self.sorted(session)?;
        Ok(self.keyed(exact, placed))
    }

    /// All rows as they were added, each with its keys.
    pub(super) fn finish_unsorted(self) -> Keyed<'o, T> {
        let placed = (0..self.rows.len() as u32).map(|at| ([Brief::default(); 2], at)).collect();
        self.keyed(0, placed)
    }

    fn keyed(self, exact: usize, placed: Vec<Placed>) -> Keyed<'o, T> {
        let Sorter { order, keys, rows, .. } = self;
        Keyed { placed: placed.into_iter(), order, exact, keys, rows, current: Vec::new() }
    }

    fn keep_first(&mut self, session: &dyn Rows, most: usize) -> Result<()> {
        let width = self.order.len();
        let mut sorted = self.places(session)?;
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

    /// The places of the rows in their order.
    fn places(&self, session: &dyn Rows) -> Result<Vec<u32>> {
        let (_, sorted) = self.sorted(session)?;
        Ok(sorted.into_iter().map(|(_, at)| at).collect())
    }

    /// The places of the rows in order, each beside its first keys, and how many of these keys are
    /// integers in all rows.
    fn sorted(&self, session: &dyn Rows) -> Result<(usize, Vec<Placed>)> {
        let width = self.order.len();
        let is_int = |key: usize| {
            let mut all = self.keys.iter().skip(key).step_by(width);
            key < width && all.all(|value| matches!(value, Datum::Int(_)))
        };
        let exact = if !is_int(0) { 0 } else { 1 + usize::from(is_int(1)) };
        let brief = |at: usize, key: usize| match self.keys.get(at * width + key) {
            Some(Datum::Int(value)) if key < exact => Brief::of(*value, self.order[key]),
            _ => Brief::default(),
        };
        let rows = (0..self.rows.len()).map(|at| ([brief(at, 0), brief(at, 1)], at as u32));
        let full = |a: u32, b: u32| {
            let of = |at: u32| &self.keys[at as usize * width..][..width];
            let pairs = of(a).iter().zip(of(b)).zip(self.order).skip(exact);
            let mut orders = pairs.map(|((a, b), key)| by_key(a, b, *key));
            orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        };
        let rows: Vec<Placed> = rows.collect();
        let sorted = sorted_by(session, rows, |a, b| a.0.cmp(&b.0).then_with(|| full(a.1, b.1)))?;
        Ok((exact, sorted))
    }
}

/// A row by its first two keys, as far as these are integers, and its place.
type Placed = ([Brief; 2], u32);

/// An integer as bits that sort in the direction of the key.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Brief(u64);

impl Brief {
    fn of(value: i64, key: SortKey) -> Brief {
        let ordered = value.cast_unsigned() ^ 1 << 63;
        Brief(if key.descending { !ordered } else { ordered })
    }

    fn value(self, key: SortKey) -> i64 {
        let ordered = if key.descending { !self.0 } else { self.0 };
        (ordered ^ 1 << 63).cast_signed()
    }
}

/// How two values sort under a key: its direction, and its place for NULLs.
pub(crate) fn by_key(a: &Datum, b: &Datum, key: SortKey) -> Ordering {
    match (a.is_null(), b.is_null()) {
        (true, true) => Ordering::Equal,
        (true, false) if key.nulls_first => Ordering::Less,
        (true, false) => Ordering::Greater,
        (false, true) if key.nulls_first => Ordering::Greater,
        (false, true) => Ordering::Less,
        (false, false) if key.descending => b.compare(a),
        (false, false) => a.compare(b),
    }
}
