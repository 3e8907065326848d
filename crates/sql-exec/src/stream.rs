//! Rows of a table a few at a time, in the order a query wants them and no further than it wants.
//!
//! `ORDER BY id LIMIT 10` is ten steps along the keys of the rows, `WHERE a = 1 ORDER BY b DESC LIMIT 5` five steps
//! back along an index on (a, b). What the store is asked for, and so what the history has and what SERIALIZABLE
//! looks at, is what the query came by: PostgreSQL's index scans stop early too. Only the engine profiles do so;
//! `spec` reads all of a range at once, each read a choice of its own.
//!
//! Keys have the order of values only for some types: integers, and what is written with the same number of
//! letters. Texts have not, since a quote comes after a blank.

use std::ops::Bound;
use std::rc::Rc;
use std::sync::Arc;

use hobgoblin_core::{Key, Text, Value};
use hobgoblin_front::{Answer, KeyRange, Request, TransactionRequest, Wait};

use super::kept::Stream;
use super::storage::{component, unexpected};
use super::table_plan::TablePlan;
use super::{BaseRow, Exec, Flow, Source, Tuple};
use hobgoblin_sql_bind::access::{is_newer, usable};
use hobgoblin_sql_bind::bound::{
    Access, Expr, From, Item, ItemKind, Kind, Lookup, Select, SortKey,
};
use hobgoblin_sql_schema::Dialect;
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::catalog::{Catalog, Index, IndexKey, Table};

/// The most rows that are asked for at a time.
const MOST: u32 = 1024;

/// A scan that reads some rows, and later goes on.
struct Batches {
    /// Whether it is of an index, whose entries name rows.
    entries: bool,
    from: Bound<Key>,
    to: Bound<Key>,
    backwards: bool,
    batch: u32,
    done: bool,
}

/// What is called with each row of a source.
pub(super) type Visit<'v, 'x> =
    &'v mut dyn FnMut(&mut Exec<'x>, Source, &mut Tuple) -> Result<Flow>;

impl<'x> Exec<'x> {
    /// How the rows of a query's first source can come, and whether they are then in the order that
    /// the query asks for. `limit` is how many rows are enough.
    pub(super) fn stream_of(
        &self,
        select: &Select,
        order: &[SortKey],
        limit: Option<u64>,
    ) -> Option<(Stream, bool)> {
        let (item, table, access) = self.streamable(&select.from)?;
        let batch = limit.and_then(|limit| u32::try_from(limit).ok()).unwrap_or(MOST);
        let batch = batch.clamp(1, MOST);
        // What looks through the same rows again and again keeps them.
        let fresh = self.again == 0 || !item.fixed;
        let searched = matches!(access, Access::Index { .. });
        if !order.is_empty() {
            let mut wanted = Vec::with_capacity(order.len());
            for key in order {
                match select.project.get(key.column).map(|expr| &expr.kind) {
                    Some(Kind::Column(found))
                        if found.depth == 0 && found.source == item.source =>
                    {
                        wanted.push((found.column, *key));
                    }
                    _ => break,
                }
            }
            let wanted = Wanted {
                keys: &wanted,
                all: wanted.len() == order.len(),
                joined: is_joined(&select.from),
                dialect: self.dialect(),
            };
            let way = way(table, access, &item.filters, wanted, self.seen());
            // All rows in the order of an index are no faster than all rows.
            let way = way.filter(|way| limit.is_some() || way.index.is_none());
            let all = limit.is_none() && !self.is_alone(table);
            if let Some(way) = way.filter(|_| fresh && !all) {
                let Way { index, backwards } = way;
                let item = item.id;
                return Some((Stream { item, index, backwards, without_null: false, batch }, true));
            }
        }
        let enough = limit.filter(|_| order.is_empty());
        let useful = match enough {
            // PostgreSQL remembers of a table that was read as it comes that all of it was.
            Some(_) => fresh && (searched || !self.session.is_serializable()),
            None => self.again == 0 && self.is_alone(table),
        };
        let one =
            way(table, access, &item.filters, Wanted::any(self.dialect()), self.seen()).is_some();
        let batch = if enough.is_some() { batch } else { MOST };
        let (index, backwards, without_null) = (None, false, false);
        let stream = Stream { item: item.id, index, backwards, without_null, batch };
        (useful && one).then_some((stream, order.is_empty()))
    }

    /// The same for the first or last value of a column that is not NULL, as `min` and `max` ask
    /// for.
    pub(super) fn stream_to_extreme(
        &self,
        from: &From,
        column: usize,
        last: bool,
    ) -> Option<Stream> {
        let From::Item(only) = from else { return None };
        let (item, table, access) = self.streamable(from)?;
        if self.again > 0 && item.fixed || only.id != item.id {
            return None;
        }
        let key = SortKey { column: 0, descending: last, nulls_first: last };
        let wanted = Wanted { keys: &[(column, key)], ..Wanted::any(self.dialect()) };
        let Way { index, backwards } = way(table, access, &item.filters, wanted, self.seen())?;
        Some(Stream { item: item.id, index, backwards, without_null: true, batch: 1 })
    }

    /// The source whose rows come first, if it is a table that can be read a few rows at a time.
    fn streamable<'f>(&self, from: &'f From) -> Option<(&'f Item, &'f Arc<Table>, &'f Access)> {
        let item =
            leading(from).filter(|item| !self.is_hashed(item) && self.session.is_engine())?;
        let ItemKind::Table { table, access, .. } = &item.kind else { return None };
        (!self.frozen.contains_key(&table.oid)).then_some((item, table, access))
    }

    /// Whether the statement names a table only once, so that nothing else in it has read its rows.
    pub(super) fn is_alone(&self, table: &Table) -> bool {
        self.alone.contains(&table.oid)
    }

    /// Calls `emit` with every tuple of FROM. The rows of the first source come as `stream` says.
    pub(super) fn stream_from(
        &mut self,
        stream: Option<Stream>,
        from: &From,
        tuple: &mut Tuple,
        emit: super::from::Emit<'_, 'x>,
    ) -> Result<Flow> {
        let before = std::mem::replace(&mut self.stream, stream);
        let flow = self.from(from, tuple, emit);
        self.stream = before;
        flow
    }

    fn seen(&self) -> Option<&Catalog> {
        self.session.seen()
    }

    /// Calls `visit` with each row of a source that is read a few rows at a time.
    pub(super) fn streamed(
        &mut self,
        item: &Item,
        stream: &Stream,
        tuple: &mut Tuple,
        visit: Visit<'_, 'x>,
    ) -> Result<Flow> {
        let ItemKind::Table { table, access, .. } = &item.kind else { return Ok(Flow::Go) };
        let Some(mut batches) = self.batches(table, access, stream, tuple)? else {
            return Ok(Flow::Go);
        };
        // The row before, to be another one if nobody has kept it.
        let mut last: Option<Rc<BaseRow>> = None;
        while !batches.done {
            for (key, value) in self.next_batch(&mut batches)? {
                tuple[item.source] = Source::Unset;
                let row = match (batches.entries, key, value) {
                    (true, _, Value::Text(id)) => self.fetch(table, &id)?,
                    (false, Key::Text(key), value) => {
                        Some(self.row_at(table, key, value, last.take())?)
                    }
                    _ => None,
                };
                let Some(row) = row else { continue };
                last = Some(Rc::clone(&row));
                if visit(self, Source::Row(row), tuple)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
        }
        Ok(Flow::Go)
    }

    /// Calls `visit` with every row of a table, a few at a time. Only for a statement that reads
    /// nothing else of it.
    pub(super) fn each_row(
        &mut self,
        table: &Arc<Table>,
        visit: &mut dyn FnMut(&mut Exec<'x>, &Rc<BaseRow>) -> Result<()>,
    ) -> Result<()> {
        if !self.session.is_engine() {
            let rows = self.fetch_all(table)?;
            return rows.iter().try_for_each(|row| visit(self, row));
        }
        let range = KeyRange::prefix(&format!("{}[", table.prefix));
        let (from, to) = (range.from().cloned(), range.to().cloned());
        let (entries, backwards, batch, done) = (false, false, MOST, false);
        let mut batches = Batches { entries, from, to, backwards, batch, done };
        while !batches.done {
            for (key, stored) in self.next_batch(&mut batches)? {
                let Key::Text(key) = key else { continue };
                self.tick()?;
                let row = self.row_of(table, key, stored)?;
                visit(self, &row)?;
            }
        }
        Ok(())
    }

    /// A row that a scan has found; if the statement has read it before, the same as then.
    fn row_at(
        &mut self,
        table: &Arc<Table>,
        key: Text,
        stored: Value,
        last: Option<Rc<BaseRow>>,
    ) -> Result<Rc<BaseRow>> {
        if !self.is_alone(table) {
            return self.row_found(table, key, stored);
        }
        if self.row_granularity()
            && let Some(mut row) = last
            && let Some(free) = Rc::get_mut(&mut row)
        {
            free.become_another(key, stored);
            return Ok(row);
        }
        self.row_of(table, key, stored)
    }

    fn batches(
        &mut self,
        table: &Arc<Table>,
        access: &Access,
        stream: &Stream,
        tuple: &Tuple,
    ) -> Result<Option<Batches>> {
        let (index, equal, low, high): (_, &[Lookup], _, _) = match (&stream.index, access) {
            (Some(index), _) => (Some(index), &[], None, None),
            (None, Access::All) => (None, &[], None, None),
            (None, Access::Places(_)) => return Ok(None),
            (None, Access::Index { index, equal, low, high }) => {
                (Some(index), equal, low.as_ref(), high.as_ref())
            }
        };
        let index = index.filter(|index| !table.keys_rows(index));
        let mut stem = format!("{}[", index.map_or(&table.prefix, |index| &index.prefix));
        let searched = match access {
            Access::Index { index, .. } => Some(index),
            Access::All | Access::Places(_) => None,
        };
        for (at, lookup) in equal.iter().enumerate() {
            let number = searched.and_then(|index| number_of(index, at));
            let Some(ty) = number.map(|number| table.columns[number].ty) else { return Ok(None) };
            let ty = self.dialect().compared_as(ty).unwrap_or(ty);
            let Some(value) = self.lookup_values(lookup, tuple)?.pop() else { return Ok(None) };
            component(&mut stem, &value, ty, self.dialect());
            stem.push(',');
        }
        let Some(range) = self.bounded(&stem, low, high, tuple)? else { return Ok(None) };
        let (from, mut to) = (range.from().cloned(), range.to().cloned());
        if stream.without_null && high.is_none() {
            to = Bound::Excluded(Key::from(format!("{stem}null")));
        }
        let (entries, backwards, batch) = (index.is_some(), stream.backwards, stream.batch);
        Ok(Some(Batches { entries, from, to, backwards, batch, done: false }))
    }

    fn next_batch(&mut self, batches: &mut Batches) -> Result<Vec<(Key, Value)>> {
        let range = KeyRange::between(batches.from.clone(), batches.to.clone());
        let (limit, backwards) = (batches.batch, batches.backwards);
        let (policy, latest) = (None, false);
        if range.is_empty() {
            batches.done = true;
            return Ok(Vec::new());
        }
        let scan = Request::Transaction(TransactionRequest::Scan {
            range,
            limit: Some(limit),
            backwards,
            policy,
            latest,
            lock: None,
            wait: Wait::Forever,
        });
        let rows = match self.ask(scan)? {
            Answer::Rows(rows) => rows,
            other => return Err(unexpected(&other)),
        };
        batches.done = rows.len() < limit as usize;
        if let Some((last, _)) = rows.last() {
            let bound = Bound::Excluded(last.clone());
            match backwards {
                false => batches.from = bound,
                true => batches.to = bound,
            }
        }
        batches.batch = limit.saturating_mul(2).min(MOST);
        Ok(rows)
    }
}

/// An order in which rows can come.
#[derive(Debug)]
struct Way {
    /// The index to read along; `None` for the one that the conditions have chosen.
    index: Option<Arc<Index>>,
    backwards: bool,
}

/// The order that is wanted.
#[derive(Clone, Copy)]
struct Wanted<'k> {
    /// The columns of the table to sort by, with directions.
    keys: &'k [(usize, SortKey)],
    /// Whether these are the whole order. If not, they must be unique, so that what comes after
    /// them decides nothing.
    all: bool,
    /// Whether a row may be in several tuples, with rows of other sources.
    joined: bool,
    dialect: &'static dyn Dialect,
}

impl Wanted<'static> {
    /// No order at all: rows may come as they like.
    fn any(dialect: &'static dyn Dialect) -> Wanted<'static> {
        Wanted { keys: &[], all: true, joined: false, dialect }
    }
}

/// How to read a table so that its rows come in an order; `None` if there is no way.
fn way(
    table: &Table,
    access: &Access,
    filters: &[Expr],
    wanted: Wanted<'_>,
    seen: Option<&Catalog>,
) -> Option<Way> {
    match access {
        Access::Index { index, equal, .. } => {
            let one = |lookup: &Lookup| matches!(lookup, Lookup::Values(all) if all.len() == 1);
            let alone = index.unique && equal.len() == index.columns.len();
            if alone || !equal.iter().all(one) {
                return None;
            }
            let backwards = direction(table, index, equal.len(), wanted)?;
            Some(Way { index: None, backwards })
        }
        Access::Places(_) => None,
        Access::All if wanted.keys.is_empty() && wanted.all => {
            Some(Way { index: None, backwards: false })
        }
        Access::All => {
            let old = |index: &&Arc<Index>| !is_newer(index, seen);
            let primary = table.indexes.iter().find(|index| table.keys_rows(index)).filter(old);
            let primary = primary.and_then(|index| direction(table, index, 0, wanted));
            if let Some(backwards) = primary {
                return Some(Way { index: None, backwards });
            }
            // Rows that WHERE leaves out would each be looked up all the same.
            let others = table.indexes.iter().filter(old);
            let others = others.filter(|index| filters.is_empty() && usable(index));
            others.into_iter().find_map(|index| {
                let backwards = direction(table, index, 0, wanted)?;
                Some(Way { index: Some(Arc::clone(index)), backwards })
            })
        }
    }
}

/// Whether an index whose first columns are fixed must be read backwards to give an order; `None`
/// if it cannot give it.
fn direction(table: &Table, index: &Index, fixed: usize, wanted: Wanted<'_>) -> Option<bool> {
    let mut columns: Vec<usize> =
        (0..index.columns.len()).map(|at| number_of(index, at)).collect::<Option<_>>()?;
    let (fixed, rest) = (columns[..fixed].to_vec(), fixed);
    let mut distinct = table.keys_rows(index);
    // Entries that have the same values go by the keys of their rows.
    if let (false, Some(primary)) = (index.unique, TablePlan::primary_of(table)) {
        columns.extend(primary);
        distinct = true;
    }
    distinct &= !wanted.joined;
    let mut left = columns[rest..].iter();
    let mut backwards = None;
    for &(column, key) in wanted.keys {
        if fixed.contains(&column) {
            continue;
        }
        match left.next() {
            Some(&next) if next == column => {}
            // No two rows get so far.
            None if distinct => return Some(backwards.unwrap_or(false)),
            _ => return None,
        }
        let info = &table.columns[column];
        let nulls = info.not_null || key.nulls_first == key.descending;
        if !wanted.dialect.facts(info.ty).key_order
            || !nulls
            || backwards.is_some_and(|way| way != key.descending)
        {
            return None;
        }
        backwards = Some(key.descending);
    }
    (wanted.all || distinct && left.next().is_none()).then_some(backwards.unwrap_or(false))
}

fn number_of(index: &Index, at: usize) -> Option<usize> {
    match index.columns.get(at)?.key {
        IndexKey::Column(number) => Some(number),
        IndexKey::Expression(_) => None,
    }
}

/// Whether a row of the first source may be in several tuples.
fn is_joined(from: &From) -> bool {
    match from {
        From::Nothing | From::Item(_) => false,
        From::Filter(inner, _) => is_joined(inner),
        From::Product(parts) => parts.len() > 1 || parts.iter().any(is_joined),
        From::Outer(_) => true,
    }
}

/// The source that decides in which order tuples come.
fn leading(from: &From) -> Option<&Item> {
    match from {
        From::Nothing => None,
        From::Item(item) => Some(item),
        From::Product(parts) => leading(parts.first()?),
        From::Outer(outer) if outer.full.is_none() => leading(&outer.left),
        From::Outer(_) => None,
        From::Filter(inner, _) => leading(inner),
    }
}
