//! GROUP BY and aggregates.

use std::cmp::Ordering;

use hashbrown::{HashMap, HashSet};

use super::query::by_key;
use super::sort::sorted_by;
use super::{Exec, Flow, Source, Tuple};
use crate::bind::expr::{AggregateCall, Group, Select};
use crate::error::Result;
use crate::functions::Accumulator;
use crate::types::{Datum, Grouped};

/// One aggregate over one group.
pub(crate) struct Running {
    accumulator: Box<dyn Accumulator>,
    seen: HashSet<Grouped>,
    /// With ORDER BY: sort keys and arguments, to be added in order at the end.
    waiting: Vec<(Vec<Datum>, Vec<Datum>)>,
}

impl Running {
    pub(crate) fn new(call: &AggregateCall) -> Running {
        let accumulator = (call.aggregate.start)(&call.types);
        Running { accumulator, seen: HashSet::new(), waiting: Vec::new() }
    }
}

impl Exec<'_> {
    /// The groups of a query: one tuple each, of keys and aggregates.
    pub(super) fn group(
        &mut self,
        select: &Select,
        group: &Group,
        start: &mut Tuple,
    ) -> Result<Vec<Tuple>> {
        let mut places: Vec<HashMap<Grouped, usize>> =
            group.sets.iter().map(|_| HashMap::new()).collect();
        let mut groups: Vec<Vec<(Vec<Datum>, Vec<Running>)>> =
            group.sets.iter().map(|_| Vec::new()).collect();
        let begin = || group.aggregates.iter().map(Running::new).collect::<Vec<_>>();
        // Without keys there is one group even of no rows.
        for (set, groups) in group.sets.iter().zip(&mut groups) {
            if set.is_empty() {
                groups.push((vec![Datum::Null; group.keys.len()], begin()));
            }
        }
        self.from(&select.from, start, &mut |exec, tuple| {
            let mut keys = Vec::with_capacity(group.keys.len());
            for key in &group.keys {
                keys.push(exec.eval(key, tuple)?);
            }
            for (at, set) in group.sets.iter().enumerate() {
                let place = if set.is_empty() {
                    0
                } else {
                    let key = Grouped(set.iter().map(|&key| keys[key].clone()).collect());
                    match places[at].get(&key) {
                        Some(&place) => place,
                        None => {
                            let mut shown = vec![Datum::Null; keys.len()];
                            set.iter().for_each(|&key| shown[key] = keys[key].clone());
                            groups[at].push((shown, begin()));
                            places[at].insert(key, groups[at].len() - 1);
                            groups[at].len() - 1
                        }
                    }
                };
                for (call, running) in group.aggregates.iter().zip(&mut groups[at][place].1) {
                    exec.accumulate(call, running, tuple)?;
                }
            }
            Ok(Flow::Go)
        })?;
        let mut tuples = Vec::new();
        for (groups, set) in groups.into_iter().zip(&group.sets) {
            for (mut values, running) in groups {
                for (call, mut running) in group.aggregates.iter().zip(running) {
                    values.push(self.finish_aggregate(call, &mut running)?);
                }
                for keys in &group.groupings {
                    let absent = |key: &usize| i64::from(!set.contains(key));
                    let bits = keys.iter().fold(0, |bits, key| bits << 1 | absent(key));
                    values.push(Datum::Int(bits));
                }
                tuples.push(vec![Source::Values(values.into())]);
            }
        }
        Ok(tuples)
    }

    /// Adds a row to an aggregate.
    pub(crate) fn accumulate(
        &mut self,
        call: &AggregateCall,
        running: &mut Running,
        tuple: &Tuple,
    ) -> Result<()> {
        if let Some(filter) = &call.filter
            && !matches!(self.eval(filter, tuple)?, Datum::Bool(true))
        {
            return Ok(());
        }
        let mut args = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            args.push(self.eval(arg, tuple)?);
        }
        if call.distinct && !running.seen.insert(Grouped(args.clone())) {
            return Ok(());
        }
        if call.order.is_empty() && !call.distinct {
            return running.accumulator.add(self, &args);
        }
        let mut keys = Vec::with_capacity(call.order.len());
        for (key, _) in &call.order {
            keys.push(self.eval(key, tuple)?);
        }
        running.waiting.push((keys, args));
        Ok(())
    }

    /// The result of an aggregate.
    pub(crate) fn finish_aggregate(
        &mut self,
        call: &AggregateCall,
        running: &mut Running,
    ) -> Result<Datum> {
        let waiting = std::mem::take(&mut running.waiting);
        let waiting = sorted_by(self.core, waiting, |(a, first), (b, second)| {
            let pairs = a.iter().zip(b).zip(&call.order);
            let by_order = pairs.map(|((a, b), (_, key))| by_key(a, b, *key)).find(|o| o.is_ne());
            by_order.unwrap_or_else(|| match call.distinct && call.order.is_empty() {
                // DISTINCT sorts its arguments.
                true => {
                    let pairs = first.iter().zip(second);
                    let mut orders = pairs.map(|(a, b)| match (a.is_null(), b.is_null()) {
                        (false, false) => a.compare(b),
                        (a, b) => a.cmp(&b),
                    });
                    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
                }
                false => Ordering::Equal,
            })
        })?;
        for (_, args) in waiting {
            running.accumulator.add(self, &args)?;
        }
        running.accumulator.finish(self)
    }
}
