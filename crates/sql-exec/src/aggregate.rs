//! GROUP BY and aggregates.
//!
//! The tuples of FROM are dealt to groups by their keys, in a hash table; each group has a running
//! state for every aggregate. In the end a group becomes one tuple of one source, its keys and then
//! its results, over which HAVING and the select list were bound. Grouping sets are the same thing
//! once for each set, with NULL for the keys that a set leaves out. A query with aggregates and
//! without GROUP BY has one group, even if there is no row.

use std::cmp::Ordering;
use std::hash::{BuildHasher, Hasher};

use hashbrown::{DefaultHashBuilder, HashSet, HashTable};

use super::sort::by_key;
use super::sort::sorted_by;
use super::{Exec, Flow, Source, Tuple};
use hobgoblin_sql_bind::bound::{AggregateCall, Expr, Group, Kind, Select};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::function::Accumulator;
use hobgoblin_sql_value::{Datum, Grouped};

/// The state of one aggregate over one group, while rows are added.
pub struct Running {
    accumulator: Box<dyn Accumulator>,
    /// The arguments so far, if the call has DISTINCT.
    seen: HashSet<Grouped>,
    /// The sort keys and arguments so far, if the call has ORDER BY. They are added in order at the
    /// end.
    waiting: Vec<(Vec<Datum>, Vec<Datum>)>,
}

impl Running {
    pub fn new(call: &AggregateCall) -> Running {
        let accumulator = (call.aggregate.start)(&call.types);
        Running { accumulator, seen: HashSet::new(), waiting: Vec::new() }
    }
}

/// A group, while rows are added.
struct Begun {
    /// The values that tell it from other groups.
    keys: Vec<Datum>,
    /// What its row has in their place, taken from its first row; `None` if that is the same.
    shown: Option<Vec<Datum>>,
    running: Vec<Running>,
}

/// The order of groups under WITH ROLLUP: by their first so many keys, and a sum after the groups
/// that it is of.
fn nested((a, most): &(Vec<Datum>, usize), (b, other): &(Vec<Datum>, usize)) -> Ordering {
    for at in 0..*most.min(other) {
        let order = match (a[at].is_null(), b[at].is_null()) {
            (false, false) => a[at].compare(&b[at]),
            (a, b) => b.cmp(&a),
        };
        if order.is_ne() {
            return order;
        }
    }
    other.cmp(most)
}

impl Exec<'_> {
    /// The groups of a query, each as a tuple of one source: keys, then aggregates.
    pub(super) fn group(
        &mut self,
        select: &Select,
        group: &Group,
        start: &mut Tuple,
    ) -> Result<Vec<Tuple>> {
        let mut places: Vec<HashTable<usize>> =
            group.sets.iter().map(|_| HashTable::new()).collect();
        let mut groups: Vec<Vec<Begun>> = group.sets.iter().map(|_| Vec::new()).collect();
        let hasher = DefaultHashBuilder::default();
        let hash_of = |set: &[usize], keys: &[Datum]| {
            let mut state = hasher.build_hasher();
            set.iter().for_each(|&key| keys[key].hash_into(&mut state));
            state.finish()
        };
        let mut keys = Vec::with_capacity(group.keys.len());
        let begin = || group.aggregates.iter().map(Running::new).collect::<Vec<_>>();
        // Without keys there is one group even of no rows.
        for (set, groups) in group.sets.iter().zip(&mut groups) {
            if set.is_empty() {
                let keys = vec![Datum::Null; group.keys.len()];
                groups.push(Begun { keys, shown: None, running: begin() });
            }
        }
        if let Some(found) = self.extremes(select, group, start)? {
            return Ok(vec![vec![Source::Values(found.into())]]);
        }
        let stream = self.stream_of(select, &[], None).map(|(stream, _)| stream);
        self.stream_from(stream, &select.from, start, &mut |exec, tuple| {
            keys.clear();
            for key in &group.keys[..group.compared] {
                keys.push(exec.eval(key, tuple)?);
            }
            for (at, set) in group.sets.iter().enumerate() {
                let place = if set.is_empty() {
                    0
                } else {
                    let hash = hash_of(set, &keys);
                    let groups = &mut groups[at];
                    let same = |&place: &usize| {
                        let known: &[Datum] = &groups[place].keys;
                        set.iter().all(|&key| known[key].equal(&keys[key]))
                    };
                    match places[at].find(hash, same) {
                        Some(&place) => place,
                        None => {
                            let mut own = vec![Datum::Null; group.keys.len()];
                            set.iter().for_each(|&key| own[key] = keys[key].clone());
                            groups.push(Begun { keys: own, shown: None, running: begin() });
                            let place = groups.len() - 1;
                            let rehash = |&place: &usize| hash_of(set, &groups[place].keys);
                            places[at].insert_unique(hash, place, rehash);
                            place
                        }
                    }
                };
                let begun = &mut groups[at][place];
                if !group.shown.is_empty() && begun.shown.is_none() {
                    let mut shown = vec![Datum::Null; group.keys.len()];
                    for (key, expr) in group.shown.iter().enumerate() {
                        if key >= group.compared || set.contains(&key) {
                            shown[key] = exec.eval(expr, tuple)?;
                        }
                    }
                    begun.shown = Some(shown);
                }
                for (call, running) in group.aggregates.iter().zip(&mut begun.running) {
                    exec.accumulate(call, running, tuple)?;
                }
            }
            Ok(Flow::Go)
        })?;
        let mut tuples = Vec::new();
        let mut places = Vec::new();
        for (groups, set) in groups.into_iter().zip(&group.sets) {
            for Begun { keys, shown, running } in groups {
                if group.nested {
                    places.push((keys.clone(), set.len()));
                }
                let mut values = shown.unwrap_or(keys);
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
        if group.nested {
            let placed = places.into_iter().zip(tuples).collect();
            let sorted = sorted_by(self.session, placed, |(a, _), (b, _)| nested(a, b))?;
            tuples = sorted.into_iter().map(|(_, tuple)| tuple).collect();
        }
        Ok(tuples)
    }

    /// The first and last values that `min` and `max` ask for, from the ends of an index, if
    /// nothing else is asked for.
    fn extremes(
        &mut self,
        select: &Select,
        group: &Group,
        start: &mut Tuple,
    ) -> Result<Option<Vec<Datum>>> {
        let only = matches!(group.sets.as_slice(), [set] if set.is_empty());
        if !only || !group.keys.is_empty() || !group.groupings.is_empty() {
            return Ok(None);
        }
        let mut streams = Vec::with_capacity(group.aggregates.len());
        for call in &group.aggregates {
            let last = match call.aggregate.name {
                "min" => false,
                "max" => true,
                _ => return Ok(None),
            };
            let column = match call.args.as_slice() {
                [Expr { kind: Kind::Column(column), .. }] if column.depth == 0 => column.column,
                _ => return Ok(None),
            };
            let stream = self.stream_to_extreme(&select.from, column, last);
            let Some(stream) = stream.filter(|_| call.filter.is_none()) else { return Ok(None) };
            streams.push((stream, &call.args[0]));
        }
        if streams.is_empty() {
            return Ok(None);
        }
        let mut values = Vec::with_capacity(streams.len());
        for (stream, arg) in streams {
            let mut found = Datum::Null;
            self.stream_from(Some(stream), &select.from, start, &mut |exec, tuple| {
                found = exec.eval(arg, tuple)?;
                Ok(if found.is_null() { Flow::Go } else { Flow::Stop })
            })?;
            values.push(found);
        }
        Ok(Some(values))
    }

    /// Adds the arguments of a row to an aggregate, if its FILTER and DISTINCT let them pass.
    pub fn accumulate(
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
        let at_once = call.order.is_empty() && call.most.is_none();
        if let ([arg], false, true) = (call.args.as_slice(), call.distinct, at_once) {
            let arg = [self.eval(arg, tuple)?];
            return running.accumulator.add(self.session, &arg);
        }
        let mut args = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            args.push(self.eval(arg, tuple)?);
        }
        if !call.by.is_empty() {
            let mut by = Vec::with_capacity(call.by.len());
            for expr in &call.by {
                by.push(self.eval(expr, tuple)?);
            }
            if !running.seen.insert(Grouped(by)) {
                return Ok(());
            }
        }
        match (call.distinct && call.by.is_empty(), at_once) {
            (false, true) => return running.accumulator.add(self.session, &args),
            (true, true) => {
                running.seen.insert(Grouped(args));
                return Ok(());
            }
            (true, false) if !running.seen.insert(Grouped(args.clone())) => return Ok(()),
            (_, false) => {}
        }
        let mut keys = Vec::with_capacity(call.order.len());
        for (key, _) in &call.order {
            keys.push(self.eval(key, tuple)?);
        }
        running.waiting.push((keys, args));
        Ok(())
    }

    /// The result of an aggregate over all the rows that were added.
    pub fn finish_aggregate(
        &mut self,
        call: &AggregateCall,
        running: &mut Running,
    ) -> Result<Datum> {
        let mut waiting = std::mem::take(&mut running.waiting);
        if call.order.is_empty() && call.by.is_empty() && call.most.is_none() {
            let seen = std::mem::take(&mut running.seen);
            waiting = seen.into_iter().map(|Grouped(args)| (Vec::new(), args)).collect();
        }
        let waiting = sorted_by(self.session, waiting, |(a, first), (b, second)| {
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
        let most = match &call.most {
            Some(most) => match self.eval(most, &Vec::new())? {
                Datum::Int(most) => usize::try_from(most).unwrap_or(0),
                _ => usize::MAX,
            },
            None => usize::MAX,
        };
        for (_, args) in waiting.into_iter().take(most) {
            running.accumulator.add(self.session, &args)?;
        }
        running.accumulator.finish(self.session)
    }
}
