//! FROM: pushing tuples through sources and joins.
//!
//! A source calls what comes after it once for each of its rows, with the row at the source's place in the tuple; the
//! last one calls the query. A join of two sources is one inside the other's call:
//!
//! ```text
//!     FROM a, b WHERE a.x = b.y      for each a: for each b with y = a.x: emit
//! ```
//!
//! How the inner rows are found was decided when the query was bound: by an index, by a hash table over rows that depend
//! on nothing outside (built at the first use), or by trying all. LEFT JOIN emits NULLs where the inner call never came;
//! FULL JOIN keeps the right side and remembers which of its rows were met. Whoever has enough answers [`Flow::Stop`],
//! and every loop ends.

use std::ops::Bound;
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use hobgoblin_core::{Key, Value};
use hobgoblin_front::KeyRange;

use super::kept::Built;
use super::storage::component;
use super::{BaseRow, Exec, Flow, Source, Tuple};
use hobgoblin_sql_bind::bound::{Access, Expr, From, Item, ItemKind, Lookup, Outer, SetCall};
use hobgoblin_sql_bind::system::held_in;
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::catalog::{Index, Table};
use hobgoblin_sql_schema::function::Call;
use hobgoblin_sql_schema::shape::RowType;
use hobgoblin_sql_value::{Datum, Grouped, TypeId};

/// What is called with each tuple.
pub(crate) type Emit<'e, 'x> = &'e mut dyn FnMut(&mut Exec<'x>, &mut Tuple) -> Result<Flow>;

impl<'x> Exec<'x> {
    /// Gives every tuple of FROM to `emit`.
    pub fn from(&mut self, from: &From, tuple: &mut Tuple, emit: Emit<'_, 'x>) -> Result<Flow> {
        match from {
            From::Nothing => emit(self, tuple),
            From::Item(item) => self.item(item, tuple, emit),
            From::Product(parts) => self.product(parts, tuple, emit),
            From::Outer(outer) => match &outer.full {
                None => self.left_join(outer, tuple, emit),
                Some(on) => self.full_join(outer, on, tuple, emit),
            },
            From::Filter(inner, filters) => {
                self.from(inner, tuple, &mut |exec, tuple| match exec.passes(filters, tuple)? {
                    true => emit(exec, tuple),
                    false => Ok(Flow::Go),
                })
            }
        }
    }

    fn product(&mut self, parts: &[From], tuple: &mut Tuple, emit: Emit<'_, 'x>) -> Result<Flow> {
        match parts {
            [] => emit(self, tuple),
            [last] => self.from(last, tuple, emit),
            [first, rest @ ..] => {
                self.from(first, tuple, &mut |exec, tuple| exec.product(rest, tuple, emit))
            }
        }
    }

    fn item(&mut self, item: &Item, tuple: &mut Tuple, emit: Emit<'_, 'x>) -> Result<Flow> {
        let first: &[usize] = match &item.kind {
            ItemKind::Table { first, .. } => first,
            _ => &[],
        };
        let mut flow = Flow::Go;
        let mut visit = |exec: &mut Self, row: Source, tuple: &mut Tuple| -> Result<Flow> {
            exec.tick()?;
            exec.examined += 1;
            let releases = std::mem::take(&mut exec.releases);
            if let (Source::Row(base), false) = (&row, first.is_empty()) {
                let base = Rc::clone(base);
                for &column in first {
                    match held_in(column) {
                        Some(system) => exec.system(&base, system)?,
                        None => exec.cell(&base, column)?,
                    };
                }
            }
            tuple[item.source] = row;
            if exec.passes(&item.filters, tuple)? {
                return emit(exec, tuple);
            }
            if releases {
                exec.pass_over()?;
            }
            Ok(Flow::Go)
        };
        if let Some(how) = self.step_lock(item).filter(|_| !self.is_hashed(item)) {
            let stream = self.stream.take_if(|stream| stream.is_of(item));
            flow = self.stepped(item, stream.as_ref(), how, tuple, &mut visit)?;
        } else if let Some(stream) = self.stream.take_if(|stream| stream.is_of(item)) {
            flow = self.streamed(item, &stream, tuple, &mut visit)?;
        } else if let Some((mut at, end, step)) = self.series(item, tuple)? {
            while flow == Flow::Go && if step > 0 { at <= end } else { at >= end } {
                flow = visit(self, Source::Values([Datum::Int(at)].into()), tuple)?;
                match at.checked_add(step) {
                    Some(next) => at = next,
                    None => break,
                }
            }
        } else if !self.is_hashed(item) {
            for row in self.item_rows(item, tuple)?.iter() {
                flow = visit(self, row.clone(), tuple)?;
                if flow == Flow::Stop {
                    break;
                }
            }
        } else {
            let built = self.build(item, tuple)?;
            let mut key = Vec::with_capacity(item.hash.len() + item.outer_hash.len());
            for (_, other) in self.hash_keys(item) {
                key.push(self.eval(other, tuple)?);
            }
            if !key.iter().any(Datum::is_null)
                && let Some(places) = built.places.get(&Grouped(key))
            {
                for &place in places {
                    flow = visit(self, built.rows[place as usize].clone(), tuple)?;
                    if flow == Flow::Stop {
                        break;
                    }
                }
            }
        }
        tuple[item.source] = Source::Unset;
        Ok(flow)
    }

    /// The bounds and step of a source that is a series of integers, whose rows need not be kept.
    fn series(&mut self, item: &Item, tuple: &Tuple) -> Result<Option<(i64, i64, i64)>> {
        let ItemKind::Function(calls, false) = &item.kind else { return Ok(None) };
        let [call] = calls.as_slice() else { return Ok(None) };
        let integer = |arg: &Expr| matches!(arg.ty, TypeId::INTEGER | TypeId::BIGINT);
        if call.function.name != "generate_series" || !call.args.iter().all(integer) {
            return Ok(None);
        }
        let mut numbers = Vec::with_capacity(3);
        for arg in &call.args {
            match self.eval(arg, tuple)? {
                Datum::Int(number) => numbers.push(number),
                _ => return Ok(None),
            }
        }
        Ok(match numbers[..] {
            [from, to] => Some((from, to, 1)),
            [from, to, step] if step != 0 => Some((from, to, step)),
            _ => None,
        })
    }

    /// Whether the rows of a source are found by a hash table.
    pub(super) fn is_hashed(&self, item: &Item) -> bool {
        !item.hash.is_empty() || !item.outer_hash.is_empty() && self.row_granularity()
    }

    /// The equalities that the hash table of a source serves.
    fn hash_keys<'i>(&self, item: &'i Item) -> impl Iterator<Item = &'i (Expr, Expr)> + use<'i> {
        let outer = if self.row_granularity() { item.outer_hash.as_slice() } else { &[] };
        item.hash.iter().chain(outer)
    }

    fn build(&mut self, item: &Item, tuple: &mut Tuple) -> Result<Rc<Built>> {
        if let Some(known) = self.built.get(&item.id) {
            return Ok(Rc::clone(known));
        }
        let rows = self.item_rows(item, tuple)?;
        let mut places: HashMap<Grouped, Vec<u32>> = HashMap::new();
        for (place, row) in rows.iter().enumerate() {
            self.tick()?;
            tuple[item.source] = row.clone();
            // By cells it is the rows that match whose other columns are read.
            if self.row_granularity() && !self.passes(&item.own, tuple)? {
                continue;
            }
            let mut key = Vec::with_capacity(item.hash.len() + item.outer_hash.len());
            for (own, _) in self.hash_keys(item) {
                key.push(self.eval(own, tuple)?);
            }
            if !key.iter().any(Datum::is_null) {
                places.entry(Grouped(key)).or_default().push(place as u32);
            }
        }
        tuple[item.source] = Source::Unset;
        let built = Rc::new(Built { rows, places });
        self.built.insert(item.id, Rc::clone(&built));
        Ok(built)
    }

    fn item_rows(&mut self, item: &Item, tuple: &Tuple) -> Result<Rc<Vec<Source>>> {
        if item.constant
            && let Some(known) = self.kept.get(&item.id)
        {
            return Ok(Rc::clone(known));
        }
        let rows: Vec<Source> = match &item.kind {
            ItemKind::Table { table, access, .. } => match self.step_lock(item) {
                Some(how) => self.stepped_rows(item, how, tuple)?,
                None => self.table_rows(table, access, tuple)?,
            },
            ItemKind::Virtual(table) => {
                let rows = self.session.virtual_rows(table)?;
                rows.into_iter().map(|row| Source::Values(row.into())).collect()
            }
            ItemKind::Query(query) => {
                let rows = self.nested_rows(query, tuple, None, !item.constant)?;
                let rows = Rc::unwrap_or_clone(rows);
                rows.into_iter().map(|row| Source::Values(row.into())).collect()
            }
            ItemKind::Cte(id) => match self.ctes.get(id) {
                Some(rows) => rows.iter().map(|row| Source::Values(Rc::clone(row))).collect(),
                None => Vec::new(),
            },
            ItemKind::Function(calls, ordinality) => {
                let rows = self.set_rows(calls, *ordinality, tuple)?;
                let mut sources = Vec::with_capacity(rows.len());
                for row in rows {
                    self.tick()?;
                    sources.push(Source::Values(row.into()));
                }
                sources
            }
            ItemKind::Scalar(exprs, ordinality) => {
                let mut row = Vec::new();
                for expr in exprs {
                    row.push(self.eval(expr, tuple)?);
                }
                if *ordinality {
                    row.push(Datum::Int(1));
                }
                vec![Source::Values(row.into())]
            }
        };
        let rows = Rc::new(rows);
        if item.constant && !matches!(item.kind, ItemKind::Cte(_)) {
            self.kept.insert(item.id, Rc::clone(&rows));
        }
        Ok(rows)
    }

    /// The rows of several functions side by side; a shorter one is filled up with NULLs.
    pub fn set_rows(
        &mut self,
        calls: &[SetCall],
        ordinality: bool,
        tuple: &Tuple,
    ) -> Result<Vec<Vec<Datum>>> {
        if let ([call], false) = (calls, ordinality) {
            return self.set_call(call, tuple);
        }
        let mut all = Vec::with_capacity(calls.len());
        for call in calls {
            all.push(self.set_call(call, tuple)?);
        }
        let count = all.iter().map(Vec::len).max().unwrap_or(0);
        let mut rows = Vec::with_capacity(count);
        for at in 0..count {
            self.tick()?;
            let mut row = Vec::new();
            for (call, given) in calls.iter().zip(&mut all) {
                match given.get_mut(at) {
                    Some(values) => row.append(values),
                    None => row.extend(call.columns.iter().map(|_| Datum::Null)),
                }
            }
            if ordinality {
                row.push(Datum::Int(at as i64 + 1));
            }
            rows.push(row);
        }
        Ok(rows)
    }

    /// The rows that one call of a set-returning function gives.
    pub fn set_call(&mut self, call: &SetCall, tuple: &Tuple) -> Result<Vec<Vec<Datum>>> {
        let mut args = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            args.push(self.eval(arg, tuple)?);
        }
        if call.function.strict && args.iter().any(Datum::is_null) {
            return Ok(Vec::new());
        }
        let types: Vec<TypeId> = call.args.iter().map(|arg| arg.ty.shaped(arg.typmod)).collect();
        (call.function.eval)(&mut Call {
            cx: self.session,
            args: &args,
            types: &types,
            result: call.result,
        })
    }

    fn table_rows(
        &mut self,
        table: &Arc<Table>,
        access: &Access,
        tuple: &Tuple,
    ) -> Result<Vec<Source>> {
        let rows = match access {
            _ if self.frozen.contains_key(&table.oid) => self.frozen[&table.oid].to_vec(),
            Access::All => self.fetch_all(table)?.to_vec(),
            Access::Places(places) => {
                let mut rows = Vec::new();
                let mut seen = HashSet::new();
                for place in self.lookup_values(places, tuple)? {
                    if let Datum::Int(place) = place
                        && seen.insert(place)
                        && let Some(id) = self.named_at(table, place)
                    {
                        rows.extend(self.fetch(table, &id)?);
                    }
                }
                rows
            }
            Access::Index { index, equal, low, high } => {
                self.index_rows(table, index, equal, low.as_ref(), high.as_ref(), tuple)?
            }
        };
        Ok(rows.into_iter().map(Source::Row).collect())
    }

    fn index_rows(
        &mut self,
        table: &Arc<Table>,
        index: &Arc<Index>,
        equal: &[Lookup],
        low: Option<&(Expr, bool)>,
        high: Option<&(Expr, bool)>,
        tuple: &Tuple,
    ) -> Result<Vec<Rc<BaseRow>>> {
        let keys_rows = table.keys_rows(index);
        let prefix = if keys_rows { &table.prefix } else { &index.prefix };
        let lookups = self.lookups(table, index, equal, tuple)?;
        let whole = equal.len() == index.columns.len();
        let mut rows: Vec<Rc<BaseRow>> = Vec::new();
        for (key, values) in lookups {
            if whole && keys_rows {
                let id = format!("{}]", &key[prefix.len()..]);
                rows.extend(self.fetch(table, &id)?);
                continue;
            }
            if whole && self.by_value(index, &values) && !table.is_deferrable(index) {
                if let Value::Text(id) = self.entry(&format!("{key}]"))? {
                    rows.extend(self.fetch(table, &id)?);
                }
                continue;
            }
            let comma = if equal.is_empty() { "" } else { "," };
            let stem = format!("{key}{comma}");
            let range = self.bounded(&stem, low, high, tuple)?;
            let Some(range) = range else { continue };
            match keys_rows {
                true => rows.extend(self.fetch_range(table, range)?.iter().cloned()),
                false => {
                    let entries = self.scan_keys(range)?;
                    rows.extend(self.rows_of_entries(table, entries)?);
                }
            }
        }
        Ok(rows)
    }

    pub(super) fn lookup_values(&mut self, lookup: &Lookup, tuple: &Tuple) -> Result<Vec<Datum>> {
        let mut values = Vec::new();
        match lookup {
            Lookup::Values(exprs) => {
                for expr in exprs {
                    values.push(self.eval(expr, tuple)?);
                }
            }
            Lookup::Array(array) => {
                if let Datum::Array(array) = self.eval(array, tuple)? {
                    values.extend(array.items.iter().cloned());
                }
            }
        }
        values.retain(|value| !value.is_null());
        Ok(values)
    }

    /// The range of the keys that begin with `stem` and go on with an integer between bounds.
    pub(super) fn bounded(
        &mut self,
        stem: &str,
        low: Option<&(Expr, bool)>,
        high: Option<&(Expr, bool)>,
        tuple: &Tuple,
    ) -> Result<Option<KeyRange>> {
        let whole = KeyRange::prefix(stem);
        if low.is_none() && high.is_none() {
            return Ok(Some(whole));
        }
        let (mut from, mut to) = (whole.from().cloned(), whole.to().cloned());
        let integer = |bound: Option<&(Expr, bool)>| {
            bound.is_none_or(|(expr, _)| self.dialect().facts(expr.ty).integer)
        };
        if !integer(low) || !integer(high) {
            return self.bounded_by_parts(stem, low, high, tuple);
        }
        let mut bound = |expr: &Expr| -> Result<Option<i64>> {
            Ok(match self.eval(expr, tuple)? {
                Datum::Int(value) => Some(value),
                // A number beyond all that can be counted from bounds nothing here.
                Datum::Numeric(value) => Some(match value.signum() < 0 {
                    true => i64::MIN,
                    false => i64::MAX,
                }),
                _ => None,
            })
        };
        if let Some((expr, included)) = low {
            let Some(value) = bound(expr)? else { return Ok(None) };
            let first = if *included { value } else { value.saturating_add(1) };
            // Negative numbers come before the others, in no useful order.
            if first > 0 {
                from = Bound::Included(Key::from(format!("{stem}{first}")));
            }
        }
        if let Some((expr, included)) = high {
            let Some(value) = bound(expr)? else { return Ok(None) };
            let after = if *included { value.saturating_add(1) } else { value };
            if after < i64::MAX {
                to = Bound::Excluded(Key::from(format!("{stem}{}", after.max(0))));
            }
        }
        Ok(Some(KeyRange::between(from, to)))
    }

    /// The same for columns that are no integers, but whose values are written so that keys sort as
    /// they do.
    fn bounded_by_parts(
        &mut self,
        stem: &str,
        low: Option<&(Expr, bool)>,
        high: Option<&(Expr, bool)>,
        tuple: &Tuple,
    ) -> Result<Option<KeyRange>> {
        let whole = KeyRange::prefix(stem);
        let (mut from, mut to) = (whole.from().cloned(), whole.to().cloned());
        let mut part = |expr: &Expr| -> Result<Option<KeyRange>> {
            let value = self.eval(expr, tuple)?;
            if value.is_null() {
                return Ok(None);
            }
            let mut text = stem.to_owned();
            component(&mut text, &value, expr.ty, self.dialect());
            Ok(Some(KeyRange::prefix(&text)))
        };
        if let Some((expr, included)) = low {
            let Some(equal) = part(expr)? else { return Ok(None) };
            from = match included {
                true => equal.from().cloned(),
                // What follows all that begin so.
                false => match equal.to().cloned() {
                    Bound::Excluded(key) => Bound::Included(key),
                    other => other,
                },
            };
        }
        if let Some((expr, included)) = high {
            let Some(equal) = part(expr)? else { return Ok(None) };
            to = match included {
                true => equal.to().cloned(),
                false => match equal.from().cloned() {
                    Bound::Included(key) => Bound::Excluded(key),
                    other => other,
                },
            };
        }
        Ok(Some(KeyRange::between(from, to)))
    }

    fn left_join(&mut self, outer: &Outer, tuple: &mut Tuple, emit: Emit<'_, 'x>) -> Result<Flow> {
        self.from(&outer.left, tuple, &mut |exec, tuple| {
            let mut matched = false;
            let flow = exec.from(&outer.right, tuple, &mut |exec, tuple| {
                matched = true;
                emit(exec, tuple)
            })?;
            if matched || flow == Flow::Stop {
                return Ok(flow);
            }
            for &source in &outer.right_sources {
                tuple[source] = Source::Nulls;
            }
            let flow = emit(exec, tuple)?;
            for &source in &outer.right_sources {
                tuple[source] = Source::Unset;
            }
            Ok(flow)
        })
    }

    fn full_join(
        &mut self,
        outer: &Outer,
        on: &[Expr],
        tuple: &mut Tuple,
        emit: Emit<'_, 'x>,
    ) -> Result<Flow> {
        let mut rights: Vec<Vec<Source>> = Vec::new();
        self.from(&outer.right, tuple, &mut |_, tuple| {
            rights.push(outer.right_sources.iter().map(|&source| tuple[source].clone()).collect());
            Ok(Flow::Go)
        })?;
        let mut used = vec![false; rights.len()];
        let place = |tuple: &mut Tuple, rows: &[Source]| {
            for (&source, row) in outer.right_sources.iter().zip(rows) {
                tuple[source] = row.clone();
            }
        };
        let nulls = vec![Source::Nulls; outer.right_sources.len()];
        let flow = self.from(&outer.left, tuple, &mut |exec, tuple| {
            let mut matched = false;
            for (right, used) in rights.iter().zip(&mut used) {
                place(tuple, right);
                exec.tick()?;
                if exec.passes(on, tuple)? {
                    (matched, *used) = (true, true);
                    if emit(exec, tuple)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
            }
            if matched {
                return Ok(Flow::Go);
            }
            place(tuple, &nulls);
            emit(exec, tuple)
        })?;
        if flow == Flow::Stop {
            return Ok(flow);
        }
        for &source in &outer.left_sources {
            tuple[source] = Source::Nulls;
        }
        for (right, used) in rights.iter().zip(used) {
            if !used {
                place(tuple, right);
                if emit(self, tuple)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
        }
        Ok(Flow::Go)
    }
}
