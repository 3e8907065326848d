//! Running queries: WITH, SELECT, set operations, order and limit.
//!
//! ```text
//!     WITH items      computed first, in order, and kept; changes nobody refers to run last
//!     FROM, WHERE     tuples, one at a time (from.rs)
//!     GROUP BY        tuples of keys and aggregates (aggregate.rs), HAVING
//!     windows         columns added to all tuples (window.rs)
//!     select list     rows; set-returning functions may give several or none
//!     DISTINCT, ORDER BY, OFFSET and LIMIT
//! ```
//!
//! A SELECT that needs none of what has to see all tuples gives its rows as they are found, so that a limit stops the
//! scan and a client gets the first row before the last is read. ORDER BY is no reason to wait where an index has that
//! order (`stream.rs`). FOR UPDATE locks a tuple's rows when the tuple is about to be given: rows that a limit cuts off
//! stay unlocked, and a row that changed meanwhile is looked at again with its newest version.

use std::cmp::Ordering;
use std::rc::Rc;

use hashbrown::{HashMap, HashSet};
use hobgoblin_front::Wait;

use super::outrun::was_updated;
use super::sort::{Sorter, by_key, sorted_by};
use super::storage::Locked;
use super::weight::Weights;
use super::{Exec, Flow, Row, Source, Tuple};
use hobgoblin_sql_bind::bound::{
    Body, Cte, CteBody, Distinct, Expr, From, ItemKind, Kind, LockWait, Query, Select, SetOp,
    SortKey,
};
use hobgoblin_sql_schema::{Problem, Result};
use hobgoblin_sql_value::{Datum, Grouped};

/// How many rows of the result are left out, and how many are given after these.
#[derive(Clone, Copy, Debug)]
struct Window {
    offset: u64,
    limit: Option<u64>,
}

/// How many rounds a recursive query may make.
const MAX_ROUNDS: usize = 1_000_000;

/// What is called with each row of a query.
pub(crate) type Take<'t, 'x> = &'t mut dyn FnMut(&mut Exec<'x>, Row) -> Result<()>;

impl<'x> Exec<'x> {
    /// Gives the rows of a query to `take` as they are found, unless something must be known of all
    /// of them first.
    pub fn query_to(&mut self, query: &Query, take: Take<'_, 'x>) -> Result<()> {
        match &query.body {
            Body::Select(select) if query.with.is_empty() && is_plain(query, select) => {
                let window = self.window(query)?;
                self.plain_select(query, select, window, take)
            }
            _ => self.query(query, None)?.into_iter().try_for_each(|row| take(self, row)),
        }
    }

    /// The rows of a query. If only so many are needed, it may stop after `enough`.
    pub fn query(&mut self, query: &Query, enough: Option<u64>) -> Result<Vec<Row>> {
        if query.with.is_empty() {
            return self.rows_of(query, enough);
        }
        let kept = std::mem::replace(&mut self.enough, enough_of(query));
        let ran = self.run_with(&query.with);
        self.enough = kept;
        ran?;
        let rows = self.rows_of(query, enough)?;
        self.run_last(&query.with)?;
        Ok(rows)
    }

    fn rows_of(&mut self, query: &Query, enough: Option<u64>) -> Result<Vec<Row>> {
        let mut window = self.window(query)?;
        if let (Some(enough), false) = (enough, query.with_ties) {
            window.limit = Some(window.limit.map_or(enough, |limit| limit.min(enough)));
        }
        let mut rows = match &query.body {
            Body::Select(select) => return self.select(query, select, window),
            Body::Values(values) => {
                let mut rows = Vec::with_capacity(values.len());
                for row in values {
                    let mut out = Vec::with_capacity(row.len());
                    for expr in row {
                        out.push(self.eval(expr, &Vec::new())?);
                    }
                    rows.push(out);
                }
                rows
            }
            Body::Query(inner) => self.query(inner, None)?,
            Body::SetOp { op, all, left, right } => {
                let weights = self.weights(&query.columns);
                let left = self.query(left, None)?;
                let right = self.query(right, None)?;
                self.set_operation(*op, *all, left, right, &weights)?
            }
        };
        match self.weights(&query.columns) {
            weights if weights.is_empty() || query.order.is_empty() => {
                self.sort(&mut rows, &query.order)?;
            }
            weights => {
                let mut keyed = Vec::with_capacity(rows.len());
                for row in rows {
                    keyed.push((self.weighed(&row, &weights)?, row));
                }
                let sorted =
                    sorted_by(self.session, keyed, |(a, _), (b, _)| by_keys(a, b, &query.order))?;
                rows = sorted.into_iter().map(|(_, row)| row).collect();
            }
        }
        cut(&mut rows, window, query);
        Ok(rows)
    }

    fn window(&mut self, query: &Query) -> Result<Window> {
        let mut number = |expr: Option<&Expr>, negative: Problem| -> Result<Option<u64>> {
            let Some(expr) = expr else { return Ok(None) };
            match self.eval(expr, &Vec::new())? {
                Datum::Int(value) => match u64::try_from(value) {
                    Ok(value) => Ok(Some(value)),
                    Err(_) => Err(negative.into()),
                },
                // More than a BIGINT holds is more than there are rows.
                Datum::Numeric(_) => Ok(Some(u64::MAX)),
                _ => Ok(None),
            }
        };
        let limit = number(query.limit.as_ref(), Problem::NegativeLimit)?;
        let offset = number(query.offset.as_ref(), Problem::NegativeOffset)?;
        Ok(Window { offset: offset.unwrap_or(0), limit })
    }

    /// Runs the items of a WITH, in order.
    pub fn run_with(&mut self, with: &[Cte]) -> Result<()> {
        for cte in with {
            if let CteBody::Dml(dml) = &cte.query {
                self.freeze(&dml.frozen)?;
            }
        }
        self.run_items(with, false)
    }

    /// Runs the changes in a WITH that nothing refers to, after the rest of the statement.
    pub fn run_last(&mut self, with: &[Cte]) -> Result<()> {
        self.run_items(with, true)
    }

    fn run_items(&mut self, with: &[Cte], last: bool) -> Result<()> {
        for cte in with {
            if !cte.used || cte.last != last {
                continue;
            }
            let rows = match &cte.query {
                CteBody::Query(query) => shared(self.query(query, None)?),
                CteBody::Recursive { first, next, all } => {
                    self.recursive(cte.id, first, next, *all)?
                }
                CteBody::Dml(dml) => {
                    let (_, rows) = self.dml(dml)?;
                    self.forget();
                    shared(rows)
                }
            };
            self.ctes.insert(cte.id, Rc::new(rows));
            self.kept.clear();
            self.built.clear();
        }
        Ok(())
    }

    fn recursive(
        &mut self,
        id: usize,
        first: &Query,
        next: &Query,
        all: bool,
    ) -> Result<Vec<Rc<[Datum]>>> {
        let mut seen: HashSet<Grouped> = HashSet::new();
        let weights = self.weights(&first.columns);
        let mut fresh = |exec: &Self, rows: Vec<Row>| -> Result<Vec<Rc<[Datum]>>> {
            let mut new: Vec<Rc<[Datum]>> = Vec::new();
            for row in rows {
                if all || seen.insert(exec.grouped(&row, &weights)?) {
                    new.push(row.into());
                }
            }
            Ok(new)
        };
        let begun = self.query(first, None)?;
        let mut working = fresh(self, begun)?;
        let mut result = working.clone();
        let mut rounds = 0;
        let enough = self.enough.filter(|(cte, _)| *cte == id);
        while !working.is_empty() {
            // A limit ends what would not end by itself.
            if enough.is_some_and(|(_, rows)| result.len() as u64 >= rows) {
                break;
            }
            self.tick()?;
            rounds += 1;
            self.session.check_interrupts()?;
            if rounds > MAX_ROUNDS {
                return Err(Problem::EndlessRecursion.into());
            }
            self.ctes.insert(id, Rc::new(std::mem::take(&mut working)));
            self.kept.clear();
            self.built.clear();
            self.again += 1;
            let next = self.query(next, None);
            self.again -= 1;
            working = fresh(self, next?)?;
            result.extend(working.iter().cloned());
        }
        Ok(result)
    }

    fn select(&mut self, query: &Query, select: &Select, window: Window) -> Result<Vec<Row>> {
        let visible = query.columns.len();
        if is_plain(query, select) {
            let mut rows = Vec::new();
            self.plain_select(query, select, window, &mut |_, row| {
                rows.push(row);
                Ok(())
            })?;
            return Ok(rows);
        }
        let mut tuples: Vec<Tuple> = Vec::new();
        let mut start = vec![Source::Unset; select.sources];
        self.lock_sources(query, select);
        if let Some(group) = &select.group {
            tuples = self.group(select, group, &mut start)?;
            if let Some(having) = &select.having {
                let mut kept = Vec::new();
                for tuple in tuples {
                    if matches!(self.eval(having, &tuple)?, Datum::Bool(true)) {
                        kept.push(tuple);
                    }
                }
                tuples = kept;
            }
        } else {
            let stream = self.stream_of(select, &[], None).map(|(stream, _)| stream);
            self.stream_from(stream, &select.from, &mut start, &mut |_, tuple| {
                tuples.push(tuple.clone());
                Ok(Flow::Go)
            })?;
        }
        if !select.windows.is_empty() {
            self.windows(&select.windows, &mut tuples)?;
        }
        let mut rows = Vec::with_capacity(tuples.len());
        for mut tuple in tuples {
            self.tick()?;
            if select.sets.is_empty() {
                rows.push(self.project(&select.project, &tuple)?);
                continue;
            }
            let mut columns = Vec::with_capacity(select.sets.len());
            for call in &select.sets {
                columns.push(self.set_call(call, &tuple)?);
            }
            let count = columns.iter().map(Vec::len).max().unwrap_or(0);
            tuple.push(Source::Unset);
            let place = tuple.len() - 1;
            for at in 0..count {
                let values: Vec<Datum> = columns
                    .iter()
                    .map(|rows| match rows.get(at).map(Vec::as_slice) {
                        None => Datum::Null,
                        Some([one]) => one.clone(),
                        Some(many) => Datum::Record(many.to_vec().into()),
                    })
                    .collect();
                tuple[place] = Source::Values(values.into());
                rows.push(self.project(&select.project, &tuple)?);
            }
        }
        match &select.distinct {
            Distinct::No => self.sort(&mut rows, &query.order)?,
            Distinct::All => {
                // PostgreSQL may give any order here; the first occurrence is as good as any.
                let mut seen = HashSet::new();
                rows.retain(|row| seen.insert(Grouped(row[..visible].to_vec())));
                self.sort(&mut rows, &query.order)?;
            }
            Distinct::By(places) => {
                let mut seen = HashSet::new();
                rows.retain(|row| {
                    seen.insert(Grouped(places.iter().map(|&at| row[at].clone()).collect()))
                });
                self.sort(&mut rows, &query.order)?;
            }
            Distinct::On(places) => {
                // It is a sort in PostgreSQL, whatever ORDER BY says of it.
                let mut order = query.order.clone();
                for &column in places {
                    if !order.iter().any(|key| key.column == column) {
                        order.push(SortKey { column, descending: false, nulls_first: false });
                    }
                }
                self.sort(&mut rows, &order)?;
                let mut seen = HashSet::new();
                rows.retain(|row| {
                    seen.insert(Grouped(places.iter().map(|&at| row[at].clone()).collect()))
                });
            }
        }
        if self.counts_all {
            self.counted = rows.len() as u64;
        }
        cut(&mut rows, window, query);
        rows.iter_mut().for_each(|row| row.truncate(visible));
        Ok(rows)
    }

    fn project(&mut self, exprs: &[Expr], tuple: &Tuple) -> Result<Row> {
        let mut row = Vec::with_capacity(exprs.len());
        for expr in exprs {
            row.push(self.eval(expr, tuple)?);
        }
        Ok(row)
    }

    /// Runs a SELECT that neither groups nor sorts. Rows that a limit cuts off are not even read.
    fn plain_select(
        &mut self,
        query: &Query,
        select: &Select,
        window: Window,
        take: Take<'_, 'x>,
    ) -> Result<()> {
        let visible = &select.project[..query.columns.len()];
        self.lock_sources(query, select);
        let mut start = vec![Source::Unset; select.sources];
        let (mut skipped, mut given) = (0, 0);
        if window.limit == Some(0) && !self.counts_all {
            return Ok(());
        }
        let counts_all = std::mem::take(&mut self.counts_all);
        let mut give = |exec: &mut Self, tuple: &mut Tuple, take: Take<'_, 'x>| -> Result<Flow> {
            if !query.locks.is_empty() && !exec.lock_tuple(query, select, tuple)? {
                return Ok(Flow::Go);
            }
            exec.counted += u64::from(counts_all);
            if skipped < window.offset {
                skipped += 1;
                return Ok(Flow::Go);
            }
            if counts_all && window.limit.is_some_and(|limit| given >= limit) {
                return Ok(Flow::Go);
            }
            let row = exec.project(visible, tuple)?;
            take(exec, row)?;
            given += 1;
            Ok(match window.limit {
                Some(limit) if given >= limit && !counts_all => Flow::Stop,
                _ => Flow::Go,
            })
        };
        let enough = window.limit.map(|limit| limit.saturating_add(window.offset));
        let enough = enough.filter(|_| !counts_all);
        let (stream, in_order) = match self.stream_of(select, &query.order, enough) {
            Some((stream, in_order)) => (Some(stream), in_order),
            None => (None, query.order.is_empty()),
        };
        if in_order {
            self.stream_from(stream, &select.from, &mut start, &mut |exec, tuple| {
                give(exec, tuple, take)
            })?;
            return Ok(());
        }
        // Columns can be taken out at once where that reads nothing, and the row need not be kept.
        let plain = |expr: &Expr| matches!(expr.kind, Kind::Column(_) | Kind::Const(_));
        let plain = query.locks.is_empty() && self.row_granularity() && visible.iter().all(plain);
        if plain && enough.is_none() && !counts_all {
            // The values of all rows one after the other, of which OFFSET may leave out most.
            let mut values: Vec<Datum> = Vec::new();
            let mut sorter: Sorter<'_, u32> = Sorter::new(&query.order, None);
            self.stream_from(stream, &select.from, &mut start, &mut |exec, tuple| {
                for key in &query.order {
                    sorter.key(exec.eval(&select.project[key.column], tuple)?);
                }
                for expr in visible {
                    values.push(exec.eval(expr, tuple)?);
                }
                let place = sorter.len() as u32;
                sorter.row(exec.session, place)?;
                Ok(Flow::Go)
            })?;
            let width = visible.len();
            let offset = usize::try_from(window.offset).unwrap_or(usize::MAX);
            for at in sorter.finish(self.session)?.into_iter().skip(offset) {
                let row = &mut values[at as usize * width..][..width];
                let row = row.iter_mut().map(|value| std::mem::replace(value, Datum::Null));
                let row = row.collect();
                take(self, row)?;
            }
            return Ok(());
        }
        if plain && !counts_all {
            let mut sorter: Sorter<'_, Row> = Sorter::new(&query.order, enough);
            self.stream_from(stream, &select.from, &mut start, &mut |exec, tuple| {
                for key in &query.order {
                    sorter.key(exec.eval(&select.project[key.column], tuple)?);
                }
                let row = exec.project(visible, tuple)?;
                sorter.row(exec.session, row)?;
                Ok(Flow::Go)
            })?;
            let mut rows = sorter.finish(self.session)?;
            cut(&mut rows, window, query);
            return rows.into_iter().try_for_each(|row| take(self, row));
        }
        // Rows that are locked may turn out not to be there, and then others are.
        let most = enough.filter(|_| query.locks.is_empty());
        let mut sorter: Sorter<'_, Tuple> = Sorter::new(&query.order, most);
        self.stream_from(stream, &select.from, &mut start, &mut |exec, tuple| {
            for key in &query.order {
                sorter.key(exec.eval(&select.project[key.column], tuple)?);
            }
            sorter.row(exec.session, tuple.clone())?;
            Ok(Flow::Go)
        })?;
        for mut tuple in sorter.finish(self.session)? {
            if give(self, &mut tuple, take)? == Flow::Stop {
                break;
            }
        }
        Ok(())
    }

    /// Runs a UNION, INTERSECT or EXCEPT.
    fn set_operation(
        &self,
        op: SetOp,
        all: bool,
        left: Vec<Row>,
        right: Vec<Row>,
        weights: &Weights,
    ) -> Result<Vec<Row>> {
        let distinct = |rows: Vec<Row>| -> Result<Vec<Row>> {
            let mut seen = HashSet::new();
            let mut kept = Vec::with_capacity(rows.len());
            for row in rows {
                if seen.insert(self.grouped(&row, weights)?) {
                    kept.push(row);
                }
            }
            Ok(kept)
        };
        if op == SetOp::Union {
            let both: Vec<Row> = left.into_iter().chain(right).collect();
            return if all { Ok(both) } else { distinct(both) };
        }
        let mut counts: HashMap<Grouped, usize> = HashMap::new();
        for row in right {
            *counts.entry(self.grouped(&row, weights)?).or_default() += 1;
        }
        let keep = op == SetOp::Intersect;
        let mut kept: Vec<Row> = Vec::new();
        for row in left {
            let wanted = match counts.get_mut(&self.grouped(&row, weights)?) {
                Some(count) if all => {
                    let found = *count > 0;
                    *count -= usize::from(found);
                    found == keep
                }
                Some(_) => keep,
                None => !keep,
            };
            if wanted {
                kept.push(row);
            }
        }
        if all { Ok(kept) } else { distinct(kept) }
    }

    fn sort(&self, rows: &mut Vec<Row>, order: &[SortKey]) -> Result<()> {
        if !order.is_empty() {
            *rows = sorted_by(self.session, std::mem::take(rows), |a, b| by_keys(a, b, order))?;
        }
        Ok(())
    }

    /// Locks the rows of a tuple. Returns whether the tuple is still in the result, after its rows
    /// may have changed.
    fn lock_tuple(&mut self, query: &Query, select: &Select, tuple: &mut Tuple) -> Result<bool> {
        if !self.session.is_engine() || self.locks_scans() {
            return Ok(true);
        }
        for clause in &query.locks {
            let wait = if clause.wait == LockWait::Wait { Wait::Forever } else { Wait::Not };
            for &source in &clause.sources {
                let Some(Source::Row(row)) = tuple.get(source).cloned() else { continue };
                let locked = self.lock_found(&row, clause.lock, wait).map_err(was_updated)?;
                let newer = match locked {
                    Locked::Same => continue,
                    Locked::Newer(newer) => newer,
                    Locked::Gone => return Ok(false),
                    Locked::Busy if clause.wait == LockWait::Skip => return Ok(false),
                    Locked::Busy => {
                        return Err(Problem::RowLocked { table: row.table.name.clone() }.into());
                    }
                };
                self.rows.insert(newer.key.clone(), Some(Rc::clone(&newer)));
                tuple[source] = Source::Row(newer);
                if !self.passes(&select.recheck, tuple)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

/// Whether a SELECT can give a row for each tuple before it has seen the others, ORDER BY aside.
fn is_plain(query: &Query, select: &Select) -> bool {
    select.group.is_none()
        && select.windows.is_empty()
        && select.sets.is_empty()
        && select.distinct == Distinct::No
        && !query.with_ties
}

/// If a query takes its rows from one item of WITH as they are and has a limit: the item, and how
/// many rows it needs.
fn enough_of(query: &Query) -> Option<(usize, u64)> {
    let Body::Select(select) = &query.body else { return None };
    let item = match &select.from {
        From::Item(item) => item,
        From::Product(all) => match all.as_slice() {
            [From::Item(item)] => item,
            _ => return None,
        },
        _ => return None,
    };
    let ItemKind::Cte(id) = item.kind else { return None };
    let plain = select.group.is_none()
        && select.windows.is_empty()
        && select.sets.is_empty()
        && select.distinct == Distinct::No
        && item.filters.is_empty()
        && item.hash.is_empty()
        && query.order.is_empty()
        && !query.with_ties;
    let mut nested = false;
    for expr in &select.project {
        hobgoblin_sql_bind::visit::read::visit(expr, 0, &mut |_, depth| {
            nested |= depth > 0;
            true
        });
    }
    let constant = |expr: &Expr| match expr.kind {
        Kind::Const(Datum::Int(number)) => u64::try_from(number).ok(),
        _ => None,
    };
    let number = |expr: &Expr| match &expr.kind {
        Kind::Cast { expr, .. } => constant(expr),
        _ => constant(expr),
    };
    let limit = query.limit.as_ref().and_then(number)?;
    let offset = match &query.offset {
        Some(offset) => number(offset)?,
        None => 0,
    };
    (plain && !nested).then(|| (id, limit.saturating_add(offset)))
}

fn shared(rows: Vec<Row>) -> Vec<Rc<[Datum]>> {
    rows.into_iter().map(Into::into).collect()
}

fn by_keys(a: &Row, b: &Row, order: &[SortKey]) -> Ordering {
    let orders = order.iter().map(|key| by_key(&a[key.column], &b[key.column], *key));
    orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

fn cut(rows: &mut Vec<Row>, window: Window, query: &Query) {
    let offset = usize::try_from(window.offset).unwrap_or(usize::MAX).min(rows.len());
    rows.drain(..offset);
    if let Some(limit) = window.limit.and_then(|limit| usize::try_from(limit).ok())
        && limit < rows.len()
    {
        let mut end = limit;
        if query.with_ties && limit > 0 {
            while end < rows.len() && by_keys(&rows[end], &rows[limit - 1], &query.order).is_eq() {
                end += 1;
            }
        }
        rows.truncate(end);
    }
}
