//! Window functions: partitions, peers, frames.
//!
//! All tuples are there before the first call is computed. They are dealt to partitions by the keys
//! of PARTITION BY, and each partition is sorted. For a row, its peers are the rows that sort like
//! it, and its frame is a range of rows around it: from one place to another, counted in rows, in
//! groups of peers, or by the distance of keys. An aggregate over frames that all begin with the
//! partition is carried on from row to row; otherwise it is computed anew for each frame.

use std::cmp::Ordering;

use hashbrown::HashMap;

use super::aggregate::Running;
use super::sort::by_key;
use super::sort::sorted_by;
use super::{Exec, Source, Tuple};
use hobgoblin_sql_bind::bound::{
    Exclude, FrameBound, FrameUnits, Shift, SortKey, WindowCall, WindowKind,
};
use hobgoblin_sql_schema::Dialect;
use hobgoblin_sql_schema::function::{Call, WindowFunction};
use hobgoblin_sql_schema::{Problem, Result, SqlError};
use hobgoblin_sql_value::{Datum, Grouped, Interval};

/// A partition, whose rows are sorted.
struct Partition {
    /// The tuples of its rows, by their places among all.
    rows: Vec<usize>,
    /// The sort keys of each row.
    keys: Vec<Vec<Datum>>,
    /// For each row, the first of its peers and the one after the last.
    peers: Vec<(usize, usize)>,
}

impl Partition {
    /// The rows of a frame that EXCLUDE does not leave out.
    fn kept(
        &self,
        start: usize,
        end: usize,
        at: usize,
        exclude: Exclude,
    ) -> impl DoubleEndedIterator<Item = usize> + use<> {
        let (first, last) = self.peers[at];
        (start..end.max(start)).filter(move |&place| {
            let peer = (first..last).contains(&place);
            match exclude {
                Exclude::NoOthers => true,
                Exclude::CurrentRow => place != at,
                Exclude::Group => !peer,
                Exclude::Ties => !peer || place == at,
            }
        })
    }
}

impl Exec<'_> {
    /// Computes calls over windows. Their values become one more source of every tuple.
    pub(super) fn windows(&mut self, calls: &[WindowCall], tuples: &mut [Tuple]) -> Result<()> {
        let mut values: Vec<Vec<Datum>> = vec![Vec::with_capacity(calls.len()); tuples.len()];
        for call in calls {
            let mut results: Vec<Datum> = vec![Datum::Null; tuples.len()];
            for partition in self.partitions(call, tuples)? {
                self.window_call(call, &partition, tuples, &mut results)?;
            }
            for (row, result) in values.iter_mut().zip(results) {
                row.push(result);
            }
        }
        for (tuple, values) in tuples.iter_mut().zip(values) {
            tuple.push(Source::Values(values.into()));
        }
        Ok(())
    }

    fn partitions(&mut self, call: &WindowCall, tuples: &[Tuple]) -> Result<Vec<Partition>> {
        let mut places: HashMap<Grouped, usize> = HashMap::new();
        let mut parts: Vec<Vec<(Vec<Datum>, usize)>> = Vec::new();
        for (row, tuple) in tuples.iter().enumerate() {
            self.tick()?;
            let mut key = Vec::with_capacity(call.partition.len());
            for expr in &call.partition {
                key.push(self.eval(expr, tuple)?);
            }
            let mut order = Vec::with_capacity(call.order.len());
            for (expr, _) in &call.order {
                order.push(self.eval(expr, tuple)?);
            }
            let place = *places.entry(Grouped(key)).or_insert_with(|| {
                parts.push(Vec::new());
                parts.len() - 1
            });
            parts[place].push((order, row));
        }
        let directions: Vec<SortKey> = call.order.iter().map(|(_, key)| *key).collect();
        let compare = |a: &[Datum], b: &[Datum]| {
            let mut orders =
                a.iter().zip(b).zip(&directions).map(|((a, b), key)| by_key(a, b, *key));
            orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        };
        let session = &*self.session;
        let sorted =
            parts.into_iter().map(|rows| sorted_by(session, rows, |(a, _), (b, _)| compare(a, b)));
        let sorted: Vec<_> = sorted.collect::<Result<_>>()?;
        let partitions = sorted.into_iter().map(|rows| {
            let (keys, rows): (Vec<Vec<Datum>>, Vec<usize>) = rows.into_iter().unzip();
            let mut peers = Vec::with_capacity(rows.len());
            let mut start = 0;
            while start < rows.len() {
                let mut end = start + 1;
                while end < rows.len() && compare(&keys[start], &keys[end]).is_eq() {
                    end += 1;
                }
                peers.resize(end, (start, end));
                start = end;
            }
            Partition { rows, keys, peers }
        });
        Ok(partitions.collect())
    }

    fn window_call(
        &mut self,
        call: &WindowCall,
        partition: &Partition,
        tuples: &[Tuple],
        results: &mut [Datum],
    ) -> Result<()> {
        let count = partition.rows.len();
        let mut dense = 0;
        // A frame that only grows is added to, not computed anew.
        let mut growing: Option<(Running, usize)> = None;
        for at in 0..count {
            self.tick()?;
            let row = partition.rows[at];
            let tuple = &tuples[row];
            let (first, last) = partition.peers[at];
            if first == at {
                dense += 1;
            }
            let arg = |exec: &mut Self, number: usize| -> Result<Datum> {
                match call.args.get(number) {
                    Some(expr) => exec.eval(expr, tuple),
                    None => Ok(Datum::Null),
                }
            };
            results[row] = match &call.kind {
                WindowKind::Aggregate(aggregate) => {
                    let (start, end) = self.frame(call, partition, at, tuple)?;
                    let exclude = call.frame.exclude;
                    let simple = matches!(call.frame.start, FrameBound::UnboundedPreceding)
                        && exclude == Exclude::NoOthers
                        && !aggregate.distinct
                        && aggregate.order.is_empty();
                    let running = match &mut growing {
                        Some((running, done)) if simple && *done <= end => {
                            for &row in &partition.rows[*done..end] {
                                self.accumulate(aggregate, running, &tuples[row])?;
                            }
                            *done = end;
                            running
                        }
                        _ => {
                            let mut running = Running::new(aggregate);
                            for place in partition.kept(start, end, at, exclude) {
                                let row = partition.rows[place];
                                self.accumulate(aggregate, &mut running, &tuples[row])?;
                            }
                            &mut growing.insert((running, end)).0
                        }
                    };
                    let value = self.finish_aggregate(aggregate, running)?;
                    if !simple {
                        growing = None;
                    }
                    value
                }
                WindowKind::Function(function) => match function {
                    WindowFunction::RowNumber => Datum::Int(at as i64 + 1),
                    WindowFunction::Rank => Datum::Int(first as i64 + 1),
                    WindowFunction::DenseRank => Datum::Int(dense),
                    WindowFunction::PercentRank => Datum::Float(match count {
                        0 | 1 => 0.0,
                        count => first as f64 / (count - 1) as f64,
                    }),
                    WindowFunction::CumeDist => Datum::Float(last as f64 / count as f64),
                    WindowFunction::Ntile => match arg(self, 0)? {
                        Datum::Int(buckets) if buckets > 0 => Datum::Int(ntile(at, count, buckets)),
                        Datum::Int(_) => {
                            return Err(Problem::NoBuckets.into());
                        }
                        _ => Datum::Null,
                    },
                    WindowFunction::Lag | WindowFunction::Lead => {
                        let offset = match call.args.len() {
                            1 => Datum::Int(1),
                            _ => arg(self, 1)?,
                        };
                        let Datum::Int(offset) = offset else {
                            results[row] = Datum::Null;
                            continue;
                        };
                        let ahead = if *function == WindowFunction::Lag { -offset } else { offset };
                        let place = i64::try_from(at).ok().and_then(|at| at.checked_add(ahead));
                        let place = place.and_then(|place| usize::try_from(place).ok());
                        match place.and_then(|place| partition.rows.get(place)) {
                            Some(&other) => self.eval(&call.args[0], &tuples[other])?,
                            None => arg(self, 2)?,
                        }
                    }
                    WindowFunction::FirstValue
                    | WindowFunction::LastValue
                    | WindowFunction::NthValue => {
                        let (start, end) = self.frame(call, partition, at, tuple)?;
                        let mut kept = partition.kept(start, end, at, call.frame.exclude);
                        let place = match function {
                            WindowFunction::FirstValue => kept.next(),
                            WindowFunction::LastValue => kept.next_back(),
                            _ => match arg(self, 1)? {
                                Datum::Int(n) if n > 0 => kept.nth(n as usize - 1),
                                Datum::Int(_) => {
                                    return Err(Problem::RowBeforeFrame.into());
                                }
                                _ => None,
                            },
                        };
                        match place {
                            Some(place) => {
                                self.eval(&call.args[0], &tuples[partition.rows[place]])?
                            }
                            None => Datum::Null,
                        }
                    }
                },
            };
        }
        Ok(())
    }

    /// The frame of a row: its first row, and the one after its last.
    fn frame(
        &mut self,
        call: &WindowCall,
        partition: &Partition,
        at: usize,
        tuple: &Tuple,
    ) -> Result<(usize, usize)> {
        let start = self.bound(call, &call.frame.start, partition, at, tuple, true)?;
        let end = self.bound(call, &call.frame.end, partition, at, tuple, false)?;
        Ok((start.min(partition.rows.len()), end.max(start.min(end)).min(partition.rows.len())))
    }

    fn bound(
        &mut self,
        call: &WindowCall,
        bound: &FrameBound,
        partition: &Partition,
        at: usize,
        tuple: &Tuple,
        start: bool,
    ) -> Result<usize> {
        let count = partition.rows.len();
        let (first, last) = partition.peers[at];
        let (offset, preceding) = match bound {
            FrameBound::UnboundedPreceding => return Ok(0),
            FrameBound::UnboundedFollowing => return Ok(count),
            FrameBound::CurrentRow => {
                return Ok(match (call.frame.units, start) {
                    (FrameUnits::Rows, true) => at,
                    (FrameUnits::Rows, false) => at + 1,
                    (_, true) => first,
                    (_, false) => last,
                });
            }
            FrameBound::Preceding(expr, _) => (self.eval(expr, tuple)?, true),
            FrameBound::Following(expr, _) => (self.eval(expr, tuple)?, false),
        };
        let invalid = |null: bool| SqlError::from(Problem::FrameOffset { start, null });
        if offset.is_null() {
            return Err(invalid(true));
        }
        if call.frame.units != FrameUnits::Range {
            let Datum::Int(offset) = offset else { return Err(invalid(true)) };
            let offset = usize::try_from(offset).map_err(|_| invalid(false))?;
            if call.frame.units == FrameUnits::Rows {
                let place = match preceding {
                    true => at.checked_sub(offset),
                    false => Some(at.saturating_add(offset)),
                };
                return Ok(match (place, start) {
                    (Some(place), true) => place.min(count),
                    (Some(place), false) => place.saturating_add(1).min(count),
                    (None, _) => 0,
                });
            }
            // Groups of peers.
            let mut place = at;
            for step in 0..offset {
                let (first, last) = partition.peers[place];
                if preceding && first == 0 {
                    return Ok(if start { 0 } else { usize::from(step == offset) });
                }
                if !preceding && last >= count {
                    return Ok(count);
                }
                place = if preceding { first - 1 } else { last };
            }
            let (first, last) = partition.peers[place];
            return Ok(if start { first } else { last });
        }
        let negative = match &offset {
            Datum::Int(offset) => *offset < 0,
            Datum::Float(offset) => *offset < 0.0 || offset.is_nan(),
            Datum::Numeric(_) => offset.compare(&Datum::Int(0)).is_lt(),
            // Of what is added to a time of day, months and days do not count.
            Datum::Interval(offset) if of_day(call, self.dialect()) => offset.micros < 0,
            Datum::Interval(_) => offset.compare(&Datum::Interval(Interval::default())).is_lt(),
            _ => false,
        };
        if negative {
            return Err(Problem::FrameSize.into());
        }
        let shift = match bound {
            FrameBound::Preceding(_, shift) | FrameBound::Following(_, shift) => *shift,
            _ => None,
        };
        let (Some(Shift { function, result }), [(key, direction)], [value]) =
            (shift, call.order.as_slice(), partition.keys[at].as_slice())
        else {
            return Ok(if start { first } else { last });
        };
        if value.is_null() {
            return Ok(if start { first } else { last });
        }
        let offset_type = match bound {
            FrameBound::Preceding(expr, _) | FrameBound::Following(expr, _) => expr.ty,
            _ => key.ty,
        };
        let limit = match past_midnight(value, &offset, function.name == "+") {
            Some(limit) => limit,
            None => (function.eval)(&mut Call {
                cx: self.session,
                args: &[value.clone(), offset],
                types: &[key.ty, offset_type],
                result,
            })?,
        };
        let before = |keys: &Vec<Datum>| {
            let order = by_key(&keys[0], &limit, *direction);
            if start { order.is_lt() } else { order.is_le() }
        };
        Ok(partition.keys.iter().take_while(|keys| before(keys)).count())
    }
}

/// Whether a window is ordered by a time of day.
fn of_day(call: &WindowCall, dialect: &dyn Dialect) -> bool {
    call.order.first().is_some_and(|(key, _)| dialect.facts(key.ty).time_of_day)
}

/// A time of day so much later or earlier, as a distance that may go beyond midnight.
fn past_midnight(value: &Datum, offset: &Datum, later: bool) -> Option<Datum> {
    let Datum::Interval(offset) = offset else { return None };
    let moved = |time: i64| match later {
        true => time.saturating_add(offset.micros),
        false => time.saturating_sub(offset.micros),
    };
    match value {
        Datum::Time(time) => Some(Datum::Time(moved(*time))),
        Datum::TimeTz(time, west) => Some(Datum::TimeTz(moved(*time), *west)),
        _ => None,
    }
}

/// The bucket, from 1, of the row at a place when a partition is cut into buckets of nearly equal
/// size.
fn ntile(at: usize, count: usize, buckets: i64) -> i64 {
    let (at, count) = (at as i64, count as i64);
    let (size, larger) = (count / buckets, count % buckets);
    let edge = larger * (size + 1);
    match at < edge {
        true => at / (size + 1) + 1,
        false if size == 0 => at + 1,
        false => larger + (at - edge) / size + 1,
    }
}
