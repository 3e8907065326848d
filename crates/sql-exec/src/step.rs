//! Scans that lock as they go, as InnoDB's do.
//!
//! PostgreSQL finds rows in a snapshot, locks what it found, and looks again. InnoDB's changes and locking reads see the
//! newest rows and lock each as they come to it, with the gap before it at REPEATABLE READ and above. So what is locked
//! is what was *looked at*, along the index that was used:
//!
//! ```text
//!     UPDATE t … WHERE k BETWEEN 15 AND 25     entries of k:   [10,1]  [20,2]  [30,3]
//!                                              locked:               -----x  -----x    and the row 2
//! ```
//!
//! A scan of an index goes on to the first entry past its range, locks it too, and only then knows that it is done; one for
//! equal values stops at the gap after the last. A store that is asked for one key at a time locks both, see
//! [`TransactionRequest::Scan`]: here is where the ranges come from, and what becomes of a row that WHERE refuses.
//!
//! At READ COMMITTED such a row is released again ([`Request::PASS_OVER`]). An UPDATE that goes through the rows themselves
//! does not even lock it, nor wait for whoever has: it looks at the newest committed version first.

use std::ops::Bound;
use std::rc::Rc;
use std::sync::Arc;

use hobgoblin_core::{Key, Text, Value};
use hobgoblin_front::{Answer, KeyRange, Lock, Request, Scanning, TransactionRequest, Wait};

use super::kept::Stream;
use super::step_lock::StepLock;
use super::storage::{component, unexpected};
use super::stream::Visit;
use super::{BaseRow, Exec, Flow, Source, Tuple};
use hobgoblin_sql_bind::bound::{
    Access, Expr, From, Item, ItemKind, LockWait, Lookup, Query, Select,
};
use hobgoblin_sql_schema::catalog::{Index, IndexKey, Table};
use hobgoblin_sql_schema::{Problem, Result};
use hobgoblin_sql_value::Datum;

/// A part of an index, or of a table's rows, that a scan goes along.
struct Course {
    /// Whether it is part of an index, whose entries name rows.
    entries: bool,
    /// Whether there can be at most one entry or row.
    one: bool,
    range: KeyRange,
    /// The keys that the scan is for. When it comes to another one, it is done.
    wanted: Option<KeyRange>,
    backwards: bool,
}

impl Course {
    /// Lets the scan go on behind a key.
    fn pass(&mut self, key: &Key) {
        let here = Bound::Excluded(key.clone());
        self.range = match self.backwards {
            false => KeyRange::between(here, self.range.to().cloned()),
            true => KeyRange::between(self.range.from().cloned(), here),
        };
    }
}

impl<'x> Exec<'x> {
    /// Whether changes and locking reads lock rows as they come to them.
    pub(super) fn locks_scans(&self) -> bool {
        self.scanning != Scanning::Finds
    }

    /// How the rows of a source are locked while it is scanned; `None` if they are not.
    pub(super) fn step_lock(&self, item: &Item) -> Option<StepLock> {
        let Scanning::Locks { sources, reads, .. } = self.scanning else { return None };
        let ItemKind::Table { table, .. } = &item.kind else { return None };
        if self.frozen.contains_key(&table.oid) {
            return None;
        }
        let found = StepLock { lock: sources, wait: Wait::Forever, skims: false };
        match self.step_locks.get(&item.id) {
            Some(own) => Some(*own),
            None if self.changes && sources.is_some() => Some(found),
            None => reads.then_some(StepLock { lock: None, ..found }),
        }
    }

    /// Has the target of a change locked while it is scanned.
    pub(super) fn lock_target(&mut self, from: &From, updates: bool) {
        let Scanning::Locks { skims, .. } = self.scanning else { return };
        let how =
            StepLock { lock: Some(Lock::Update), wait: Wait::Forever, skims: skims && updates };
        let all = &mut self.step_locks;
        each_item(from, &mut |item| {
            if item.source == 0 {
                all.insert(item.id, how);
            }
        });
    }

    /// The same for the targets of a change of several tables.
    pub(super) fn lock_targets(&mut self, from: &From, targets: &[usize]) {
        if !self.locks_scans() {
            return;
        }
        let how = StepLock { lock: Some(Lock::Update), wait: Wait::Forever, skims: false };
        let all = &mut self.step_locks;
        each_item(from, &mut |item| {
            if targets.contains(&item.source) {
                all.insert(item.id, how);
            }
        });
    }

    /// Has the sources that a locking clause names locked while they are scanned.
    pub(super) fn lock_sources(&mut self, query: &Query, select: &Select) {
        if !self.locks_scans() {
            return;
        }
        for clause in &query.locks {
            let wait = match clause.wait {
                LockWait::Wait => Wait::Forever,
                LockWait::NoWait => Wait::Not,
                LockWait::Skip => Wait::Skip,
            };
            let how = StepLock { lock: Some(clause.lock), wait, skims: false };
            let all = &mut self.step_locks;
            each_item(&select.from, &mut |item| {
                if clause.sources.contains(&item.source) {
                    all.insert(item.id, how);
                }
            });
        }
    }

    /// Tells the store that the row a scan has come to fails a condition; at some levels it then
    /// releases the lock.
    pub(super) fn pass_over(&mut self) -> Result<()> {
        match self.scanning {
            Scanning::Locks { releases: true, .. } => self.ask(Request::PASS_OVER).map(|_| ()),
            _ => Ok(()),
        }
    }

    /// Calls `emit` with each row of a source, which is locked when the scan comes to it.
    pub(super) fn stepped(
        &mut self,
        item: &Item,
        stream: Option<&Stream>,
        how: StepLock,
        tuple: &mut Tuple,
        visit: Visit<'_, 'x>,
    ) -> Result<Flow> {
        let ItemKind::Table { table, access, .. } = &item.kind else { return Ok(Flow::Go) };
        for mut course in self.courses(table, access, stream, tuple)? {
            while !course.range.is_empty() {
                self.tick()?;
                tuple[item.source] = Source::Unset;
                let Some((key, stored)) = self.step(table, &course, how)? else { break };
                course.pass(&key);
                if course.wanted.as_ref().is_some_and(|wanted| !wanted.contains(&key)) {
                    self.pass_over()?;
                    break;
                }
                let row = match course.entries {
                    true => self.row_of_entry(table, &stored, how)?,
                    false => self.row_stepped_on(item, (key, stored), how, &course, tuple)?,
                };
                if let Some(row) = row {
                    self.releases = true;
                    let flow = visit(self, Source::Row(row), tuple)?;
                    self.releases = false;
                    if flow == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
                if course.one {
                    break;
                }
            }
        }
        Ok(Flow::Go)
    }

    /// All rows of a source at once, each locked when the scan comes to it.
    pub(super) fn stepped_rows(
        &mut self,
        item: &Item,
        how: StepLock,
        tuple: &Tuple,
    ) -> Result<Vec<Source>> {
        let mut rows = Vec::new();
        let mut tuple = tuple.clone();
        self.stepped(item, None, how, &mut tuple, &mut |_, row, _| {
            rows.push(row);
            Ok(Flow::Go)
        })?;
        Ok(rows)
    }

    /// The next key and value along a course; `None` at its end.
    fn step(
        &mut self,
        table: &Table,
        course: &Course,
        how: StepLock,
    ) -> Result<Option<(Key, Value)>> {
        let skims = how.skims && !course.entries && !course.one;
        let (lock, wait) = match skims {
            true => (None, Wait::Forever),
            false => (how.lock, how.wait),
        };
        let scan = TransactionRequest::Scan {
            range: course.range.clone(),
            limit: Some(1),
            backwards: course.backwards,
            policy: None,
            lock,
            wait,
            latest: skims,
        };
        match self.ask(Request::Transaction(scan))? {
            Answer::Rows(rows) => Ok(rows.into_iter().next()),
            Answer::Locked { .. } => Err(Problem::RowLocked { table: table.name.clone() }.into()),
            other => Err(unexpected(&other)),
        }
    }

    /// The row that a scan of rows has come to; `None` if a condition that is checked before the
    /// lock refuses it.
    fn row_stepped_on(
        &mut self,
        item: &Item,
        (key, stored): (Key, Value),
        how: StepLock,
        course: &Course,
        tuple: &mut Tuple,
    ) -> Result<Option<Rc<BaseRow>>> {
        let ItemKind::Table { table, .. } = &item.kind else { return Ok(None) };
        let Key::Text(key) = key else { return Ok(None) };
        let row = self.row_of(table, key, stored)?;
        let Some(lock) = how.lock.filter(|_| how.skims && !course.one) else {
            return Ok(Some(row));
        };
        tuple[item.source] = Source::Row(Rc::clone(&row));
        if !self.passes(&item.filters, tuple)? {
            return Ok(None);
        }
        match self.get_locked(&row.key, lock, how.wait, false)? {
            None | Some(Value::Null) => Ok(None),
            Some(now) if now == row.stored => Ok(Some(row)),
            Some(now) => self.row_of(table, Text::clone(&row.key), now).map(Some),
        }
    }

    /// The row that the entry of an index names, locked.
    fn row_of_entry(
        &mut self,
        table: &Arc<Table>,
        entry: &Value,
        how: StepLock,
    ) -> Result<Option<Rc<BaseRow>>> {
        let Value::Text(id) = entry else { return Ok(None) };
        let key: Text = format!("{}{id}", table.prefix).into();
        let stored = match how.lock {
            None => Some(self.entry(&key)?),
            Some(lock) => self.get_locked(&key, lock, how.wait, false)?,
        };
        match stored {
            None if how.wait == Wait::Not => {
                Err(Problem::RowLocked { table: table.name.clone() }.into())
            }
            None | Some(Value::Null) => {
                self.pass_over()?;
                Ok(None)
            }
            Some(stored) => self.row_of(table, key, stored).map(Some),
        }
    }

    /// The parts of an index, or of the table's rows, that a scan for a source goes along.
    fn courses(
        &mut self,
        table: &Arc<Table>,
        access: &Access,
        stream: Option<&Stream>,
        tuple: &Tuple,
    ) -> Result<Vec<Course>> {
        let backwards = stream.is_some_and(|stream| stream.backwards);
        let along = stream.and_then(|stream| stream.index.as_ref());
        let course = |entries: bool, one: bool, range: KeyRange, wanted: Option<KeyRange>| Course {
            entries,
            one,
            range,
            wanted,
            backwards,
        };
        let only = |key: String| {
            let key = Bound::Included(Key::from(key));
            KeyRange::between(key.clone(), key)
        };
        let mut all = Vec::new();
        match access {
            Access::All => {
                let along = along.filter(|index| !table.keys_rows(index));
                let prefix = along.map_or(&table.prefix, |index| &index.prefix);
                let range = KeyRange::prefix(&format!("{prefix}["));
                all.push(course(along.is_some(), false, range, None));
            }
            Access::Places(places) => {
                for place in self.lookup_values(places, tuple)? {
                    if let Datum::Int(place) = place
                        && let Some(id) = self.named_at(table, place)
                    {
                        let range = only(format!("{}{id}", table.prefix));
                        all.push(course(false, true, range, None));
                    }
                }
            }
            Access::Index { index, equal, low, high } => {
                let entries = !table.keys_rows(index);
                let whole = equal.len() == index.columns.len();
                let prefix = if entries { &index.prefix } else { &table.prefix };
                for (stem, values) in self.lookups(table, index, equal, tuple)? {
                    if whole
                        && (!entries || self.by_value(index, &values))
                        && !table.is_deferrable(index)
                    {
                        all.push(course(entries, true, only(format!("{stem}]")), None));
                        continue;
                    }
                    let comma = if equal.is_empty() { "" } else { "," };
                    let stem = format!("{stem}{comma}");
                    if low.is_none() && high.is_none() {
                        all.push(course(entries, false, KeyRange::prefix(&stem), None));
                        continue;
                    }
                    let last = !entries && equal.len() + 1 == index.columns.len();
                    let (low, high) = (low.as_ref(), high.as_ref());
                    let wanted = self.wanted(&stem, low, high, last, tuple)?;
                    let Some(wanted) = wanted else { continue };
                    let index = KeyRange::prefix(&format!("{prefix}["));
                    let range = match backwards {
                        false => KeyRange::between(wanted.from().cloned(), index.to().cloned()),
                        true => KeyRange::between(index.from().cloned(), wanted.to().cloned()),
                    };
                    all.push(course(entries, false, range, Some(wanted)));
                }
            }
        }
        Ok(all)
    }

    /// The part of a range between two bounds. Where the lower bound is all of a row's key, the
    /// range begins with that very key: no row can come up before it and be meant.
    fn wanted(
        &mut self,
        stem: &str,
        low: Option<&(Expr, bool)>,
        high: Option<&(Expr, bool)>,
        last: bool,
        tuple: &Tuple,
    ) -> Result<Option<KeyRange>> {
        let Some(range) = self.bounded(stem, low, high, tuple)? else { return Ok(None) };
        let exact = last && low.is_some_and(|(_, included)| *included);
        Ok(Some(match range.from() {
            Bound::Included(Key::Text(from)) if exact && from.len() > stem.len() => {
                let from = Bound::Included(Key::from(format!("{from}]")));
                KeyRange::between(from, range.to().cloned())
            }
            _ => range,
        }))
    }

    /// The prefixes of keys that an index has for each combination of the values asked for, with
    /// these values.
    pub(super) fn lookups(
        &mut self,
        table: &Table,
        index: &Index,
        equal: &[Lookup],
        tuple: &Tuple,
    ) -> Result<Vec<(String, Vec<Datum>)>> {
        let prefix = if table.keys_rows(index) { &table.prefix } else { &index.prefix };
        let mut lookups = vec![(format!("{prefix}["), Vec::new())];
        for (at, lookup) in equal.iter().enumerate() {
            let IndexKey::Column(number) = index.columns[at].key else {
                continue;
            };
            let column = &table.columns[number];
            let ty = self.dialect().compared_as(column.ty).unwrap_or(column.ty);
            let mut texts: Vec<(String, Datum)> = Vec::new();
            for value in self.lookup_values(lookup, tuple)? {
                let mut text = String::new();
                component(&mut text, &value, ty, self.dialect());
                if !texts.iter().any(|(known, _)| *known == text) {
                    texts.push((text, value));
                }
            }
            let mut next = Vec::with_capacity(lookups.len() * texts.len());
            for (key, values) in &lookups {
                for (text, value) in &texts {
                    let comma = if at > 0 { "," } else { "" };
                    let mut values: Vec<Datum> = values.clone();
                    values.push(value.clone());
                    next.push((format!("{key}{comma}{text}"), values));
                }
            }
            lookups = next;
        }
        Ok(lookups)
    }
}

/// Calls `with` with every source of FROM.
fn each_item(from: &From, with: &mut dyn FnMut(&Item)) {
    match from {
        From::Nothing => {}
        From::Item(item) => with(item),
        From::Product(parts) => parts.iter().for_each(|part| each_item(part, with)),
        From::Outer(outer) => {
            each_item(&outer.left, with);
            each_item(&outer.right, with);
        }
        From::Filter(inner, _) => each_item(inner, with),
    }
}
