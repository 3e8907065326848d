//! INSERT, UPDATE, DELETE: which rows, and what they become.
//!
//! A statement sees the rows as they were when it began: it first finds what it changes and
//! computes the new rows, then writes. So `UPDATE t SET id = id + 1` does not meet the rows that it
//! has just written.
//!
//! An engine's UPDATE and DELETE lock each row before they change it. At READ COMMITTED another
//! transaction may have changed it since it was found:
//!
//! ```text
//!     s1: UPDATE t SET n = n + 1 WHERE n < 10      finds the row with n = 9, waits for s2
//!     s2: sets n to 10, commits                    s1 checks WHERE again: 10 < 10 fails, the row stays
//! ```
//!
//! The newest version is checked by the conditions again, and the new values are computed from it;
//! a row that was deleted is skipped (PostgreSQL's manual, 13.2.1). At the levels above, such a row
//! is an error. InnoDB's scans lock rows as they come to them ([`step`](super::step)), so nothing
//! has to be checked twice there.

use std::cmp::Ordering;
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::HashSet;
use hobgoblin_core::{Text, Value};
use hobgoblin_front::{Lock, Wait};

use super::outrun::{concurrent_update, is_outrun};
use super::sort::{by_key, sorted_by};
use super::storage::Locked;
use super::{BaseRow, Exec, Flow, Row, Source, TablePlan, Tuple};
use hobgoblin_sql_bind::bound::dml::{
    Check, Conflict, Delete, Dml, DmlKind, Insert, InsertSource, Pick, Returning, Update,
};
use hobgoblin_sql_bind::bound::{Access, Expr, From, ItemKind};
use hobgoblin_sql_schema::catalog::{IndexKey, Table};
use hobgoblin_sql_schema::{Problem, Result, SqlError};
use hobgoblin_sql_value::Datum;

/// A row to change, with the tuple of rows that it was found with.
struct Target {
    row: Rc<BaseRow>,
    tuple: Tuple,
}

/// Changes a row that a scan has come to.
type Change<'c, 'x> = &'c mut dyn FnMut(&mut Exec<'x>, Rc<BaseRow>, &mut Tuple) -> Result<()>;

/// What became of a row to insert whose key another row has.
enum Resolved {
    /// Nothing is left to do; the row as it is in the table, if the statement changed it.
    Done(Option<Source>),
    /// The other row has changed meanwhile, so it is to be asked again whether it has the key.
    Again,
}

impl<'x> Exec<'x> {
    /// Runs a change: how many rows it was done to, and the rows of RETURNING.
    pub(super) fn dml(&mut self, dml: &Dml) -> Result<(u64, Vec<Row>)> {
        self.session.writing()?;
        match &dml.kind {
            DmlKind::Insert(insert) if self.dialect().rules().stores => self.insert_in_turn(insert),
            DmlKind::Insert(insert) => self.insert(insert),
            DmlKind::Update(update) => self.update(update),
            DmlKind::Delete(delete) => self.delete(delete),
            DmlKind::Merge(merge) => Ok((self.merge(merge)?, Vec::new())),
            DmlKind::Several(several) => Ok((self.change_several(several)?, Vec::new())),
        }
    }

    fn insert(&mut self, insert: &Insert) -> Result<(u64, Vec<Row>)> {
        let table = &insert.table;
        let rows = self.insert_rows(insert)?;
        let (mut count, mut returned) = (0, Vec::new());
        if insert.conflict.as_ref().is_some_and(|conflict| conflict.deferrable) && !rows.is_empty()
        {
            return Err(Problem::DeferrableArbiter.into());
        }
        for values in rows {
            let row = match &insert.conflict {
                None => {
                    let row = self.insert_row(table, values)?;
                    if !self.frozen.is_empty() {
                        self.written.insert(Text::clone(&row.key));
                    }
                    Some(Source::Row(Rc::new(row)))
                }
                Some(conflict) => self.upsert(table, values, conflict)?,
            };
            if let Some(row) = row {
                count += 1;
                self.check_option(&insert.checks, table, &row)?;
                self.return_row(insert.returning.as_ref(), &vec![row], &mut returned)?;
            }
        }
        Ok((count, returned))
    }

    /// The rows to insert, with defaults and generated columns.
    fn insert_rows(&mut self, insert: &Insert) -> Result<Vec<Row>> {
        let table = &insert.table;
        let mut rows = Vec::new();
        match &insert.source {
            InsertSource::Defaults => {
                let given = vec![None; table.columns.len()];
                rows.push(self.complete(table, given)?);
            }
            InsertSource::Rows(values) => {
                for value in values {
                    let mut given: Vec<Option<Datum>> = vec![None; table.columns.len()];
                    for (expr, &column) in value.iter().zip(&insert.columns) {
                        if let Some(expr) = expr {
                            given[column] = Some(self.eval(expr, &Vec::new())?);
                        }
                    }
                    rows.push(self.complete(table, given)?);
                }
            }
            InsertSource::Query(query, fields) => {
                for row in self.query(query, None)? {
                    let tuple = vec![Source::Values(row.into())];
                    let mut given: Vec<Option<Datum>> = vec![None; table.columns.len()];
                    for (field, &column) in fields.iter().zip(&insert.columns) {
                        if let Some(field) = field {
                            given[column] = Some(self.eval(field, &tuple)?);
                        }
                    }
                    rows.push(self.complete(table, given)?);
                }
            }
        }
        Ok(rows)
    }

    /// Inserts a row, or does what ON CONFLICT says; the row as it is in the table then, if the
    /// statement wrote it.
    fn upsert(
        &mut self,
        table: &Arc<Table>,
        values: Row,
        conflict: &Conflict,
    ) -> Result<Option<Source>> {
        self.check_row(table, &values)?;
        if conflict.update.is_some() {
            self.twin_lock = Lock::Update;
        }
        loop {
            let existing = self.conflicting(table, &values, &conflict.indexes);
            let Some(existing) = existing.map_err(in_the_way)? else {
                let row = self.insert_row(table, values)?;
                self.written.insert(Text::clone(&row.key));
                return Ok(Some(Source::Row(Rc::new(row))));
            };
            match self.resolve(table, &values, conflict, &existing)? {
                Resolved::Done(row) => return Ok(row),
                Resolved::Again => self.tick()?,
            }
        }
    }

    /// Does what ON CONFLICT says about the row that has the key.
    fn resolve(
        &mut self,
        table: &Arc<Table>,
        values: &Row,
        conflict: &Conflict,
        existing: &Text,
    ) -> Result<Resolved> {
        let Some(update) = &conflict.update else {
            // A snapshot that cannot see the row in the way as it is cannot leave it there either.
            if self.session.is_engine() && self.session.one_snapshot() {
                if !self.session.sees_newest(existing) {
                    return Err(concurrent_update());
                }
                // That it is there is what the statement went by.
                self.entry(existing)?;
            }
            return Ok(Resolved::Done(None));
        };
        if self.written.contains(existing) {
            return Err(Problem::UpsertedTwice.into());
        }
        let engine = self.session.is_engine();
        let Some(row) = self.lock_existing(table, existing, update.lock)? else {
            return Ok(if engine { Resolved::Again } else { Resolved::Done(None) });
        };
        // Until it was locked it may have come to be in nobody's way.
        if engine && self.conflicting(table, values, &conflict.indexes)?.as_ref() != Some(existing)
        {
            return Ok(Resolved::Again);
        }
        let tuple = vec![Source::Row(Rc::clone(&row)), Source::Values(values.clone().into())];
        if let Some(filter) = &update.filter
            && !matches!(self.eval(filter, &tuple)?, Datum::Bool(true))
        {
            return Ok(Resolved::Done(None));
        }
        let new = self.updated(table, &update.sets, &tuple)?;
        let set: Vec<usize> = update.sets.iter().map(|(column, _)| *column).collect();
        self.written.insert(Text::clone(&row.key));
        let new = self.update_row(&row, new, &set)?;
        self.written.insert(Text::clone(&new.key));
        self.upserted.insert(Text::clone(&new.key));
        Ok(Resolved::Done(Some(Source::Row(new))))
    }

    /// Locks a row that has the key, and gives its newest version; `None` if it is gone.
    fn lock_existing(
        &mut self,
        table: &Arc<Table>,
        key: &Text,
        lock: Lock,
    ) -> Result<Option<Rc<BaseRow>>> {
        if !self.session.is_engine() {
            self.rows.remove(key);
            let id = key[table.prefix.len()..].to_owned();
            return self.fetch(table, &id);
        }
        let latest = !self.session.one_snapshot() && !self.locks_scans();
        match self.get_locked(key, lock, Wait::Forever, latest)? {
            None | Some(Value::Null) => Ok(None),
            Some(stored) => self.row_of(table, Text::clone(key), stored).map(Some),
        }
    }

    /// The values of a row after SET, all computed from the row as it was.
    pub(super) fn updated(
        &mut self,
        table: &Arc<Table>,
        sets: &[(usize, Option<Expr>)],
        tuple: &Tuple,
    ) -> Result<Vec<(usize, Datum)>> {
        let mut new = Vec::with_capacity(sets.len());
        for (column, expr) in sets {
            let value = match expr {
                Some(expr) => self.eval(expr, tuple)?,
                None => self.default_value(table, *column)?,
            };
            new.push((*column, value));
        }
        if table.columns.iter().any(|column| column.domain.is_some()) {
            let mut row = vec![Datum::Null; table.columns.len()];
            new.iter().for_each(|(column, value)| row[*column] = value.clone());
            self.check_domains(table, &row, new.iter().map(|(column, _)| *column))?;
        }
        Ok(new)
    }

    /// The same in a language where an assignment sees those before it. The row is at this source
    /// of the tuple.
    pub(super) fn updated_in_turn(
        &mut self,
        table: &Arc<Table>,
        sets: &[(usize, Option<Expr>)],
        tuple: &mut Tuple,
        source: usize,
        in_order: bool,
    ) -> Result<Vec<(usize, Datum)>> {
        if !in_order {
            return self.updated(table, sets, tuple);
        }
        let Source::Row(row) = tuple[source].clone() else { return Ok(Vec::new()) };
        let mut cells = self.cells(&row)?;
        let mut new: Vec<(usize, Datum)> = Vec::with_capacity(sets.len());
        for (column, expr) in sets {
            let value = match expr {
                Some(expr) => self.eval(expr, tuple)?,
                None => self.default_value(table, *column)?,
            };
            cells[*column] = value.clone();
            tuple[source] = Source::Values(cells.clone().into());
            new.retain(|(other, _)| other != column);
            new.push((*column, value));
        }
        tuple[source] = Source::Row(row);
        Ok(new)
    }

    /// Updates a row unless all its values stay the same; the new row, if it was written.
    pub(super) fn update_if_changed(
        &mut self,
        row: &Rc<BaseRow>,
        mut new: Vec<(usize, Datum)>,
    ) -> Result<Option<Rc<BaseRow>>> {
        let mut changed = false;
        for (column, value) in &new {
            let old = self.cell(row, *column)?;
            changed |= old.is_null() != value.is_null() || !old.is_null() && !old.equal(value);
        }
        let table = Arc::clone(&row.table);
        if !changed {
            self.rewrite_row(row, &new)?;
            return Ok(None);
        }
        let plan = self.table_plan(&table)?;
        for (column, value) in &plan.on_update {
            if !new.iter().any(|(set, _)| set == column) {
                new.push((*column, self.eval(value, &Vec::new())?));
            }
        }
        let set: Vec<usize> = new.iter().map(|(column, _)| *column).collect();
        self.update_row(row, new, &set).map(Some)
    }

    /// The rows that ORDER BY and LIMIT of a change choose among those it found.
    fn picked(&mut self, found: Vec<Tuple>, pick: &Pick) -> Result<Vec<Tuple>> {
        let mut keyed = Vec::with_capacity(found.len());
        for tuple in found {
            let mut keys = Vec::with_capacity(pick.order.len());
            for (key, _) in &pick.order {
                keys.push(self.eval(key, &tuple)?);
            }
            keyed.push((keys, tuple));
        }
        let sorted = sorted_by(self.session, keyed, |(a, _), (b, _)| {
            let pairs = a.iter().zip(b).zip(&pick.order);
            let mut orders = pairs.map(|((a, b), (_, key))| by_key(a, b, *key));
            orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        })?;
        let most = self.most(pick)?.unwrap_or(u64::MAX);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Ok(sorted.into_iter().take(most).map(|(_, tuple)| tuple).collect())
    }

    /// The value of LIMIT of a change.
    fn most(&mut self, pick: &Pick) -> Result<Option<u64>> {
        let Some(limit) = &pick.limit else { return Ok(None) };
        Ok(match self.eval(limit, &Vec::new())? {
            Datum::Int(most) => Some(u64::try_from(most).map_err(|_| Problem::NegativeLimit)?),
            _ => None,
        })
    }

    /// The rows that an UPDATE or DELETE changes, with the tuples they were found in. Each row is
    /// there once, and locked if there are locks.
    #[allow(clippy::too_many_arguments)]
    fn targets(
        &mut self,
        sources: usize,
        from: &From,
        recheck: &[Expr],
        lock: Lock,
        keys: &[(usize, Expr)],
        updates: bool,
        pick: Option<&Pick>,
    ) -> Result<Vec<Target>> {
        let mut found: Vec<Tuple> = Vec::new();
        let mut seen: HashSet<Text> = HashSet::new();
        let mut start = vec![Source::Unset; sources];
        self.lock_target(from, updates);
        // Without an order a scan may stop as soon as it has enough.
        let stop = match pick.filter(|pick| pick.order.is_empty()) {
            Some(pick) => self.most(pick)?.map(|most| usize::try_from(most).unwrap_or(usize::MAX)),
            None => None,
        };
        if stop == Some(0) {
            return Ok(Vec::new());
        }
        self.from(from, &mut start, &mut |exec, tuple| {
            // What another part of the statement has changed is left alone.
            if let Source::Row(row) = &tuple[0]
                && !exec.written.contains(&row.key)
                && seen.insert(Text::clone(&row.key))
            {
                found.push(tuple.clone());
            }
            Ok(if stop.is_some_and(|most| found.len() >= most) { Flow::Stop } else { Flow::Go })
        })?;
        if let Some(pick) = pick {
            found = self.picked(found, pick)?;
        }
        let mut targets = Vec::with_capacity(found.len());
        for mut tuple in found {
            let Source::Row(row) = tuple[0].clone() else { continue };
            if self.locks_scans() {
                targets.push(Target { row, tuple });
                continue;
            }
            let strength = self.strength(lock, keys, &row, &tuple)?;
            let row = match self.lock_found(&row, strength, Wait::Forever)? {
                Locked::Busy | Locked::Gone => continue,
                Locked::Same => row,
                Locked::Newer(newer) => {
                    // Where it is now another part of the statement may have found it.
                    if newer.key != row.key && !seen.insert(Text::clone(&newer.key)) {
                        continue;
                    }
                    tuple[0] = Source::Row(Rc::clone(&newer));
                    if !self.passes(recheck, &tuple)? {
                        continue;
                    }
                    if self.strength(lock, keys, &newer, &tuple)? != strength {
                        self.lock_found(&newer, lock, Wait::Forever)?;
                    }
                    newer
                }
            };
            targets.push(Target { row, tuple });
        }
        Ok(targets)
    }

    /// How strongly a row is locked whose keys get these values. PostgreSQL locks more lightly if
    /// they all stay the same.
    fn strength(
        &mut self,
        lock: Lock,
        keys: &[(usize, Expr)],
        row: &Rc<BaseRow>,
        tuple: &Tuple,
    ) -> Result<Lock> {
        if keys.is_empty() || !self.session.is_engine() {
            return Ok(lock);
        }
        for (column, expr) in keys {
            let (old, new) = (self.cell(row, *column)?, self.eval(expr, tuple)?);
            if !old.equal(&new) {
                return Ok(lock);
            }
        }
        Ok(Lock::NoKeyUpdate)
    }

    /// Changes rows while a scan locks one after the other.
    fn change_along(&mut self, from: &From, updates: bool, change: Change<'_, 'x>) -> Result<()> {
        self.lock_target(from, updates);
        let mut start = vec![Source::Unset];
        self.from(from, &mut start, &mut |exec, tuple| {
            if let Source::Row(row) = tuple[0].clone() {
                change(exec, row, tuple)?;
            }
            Ok(Flow::Go)
        })?;
        Ok(())
    }

    /// Whether an UPDATE sets no column that its scan goes by, so that rows can be changed during
    /// the scan without being met again.
    fn keeps_course(&self, update: &Update) -> bool {
        let keeps = |columns: &[usize]| {
            let mut set = update.sets.iter();
            set.all(|(column, _)| !columns.contains(column))
        };
        let mut course = TablePlan::primary_of(&update.table).unwrap_or_default();
        if let From::Item(item) = &update.from
            && let ItemKind::Table { access, .. } = &item.kind
            && let Access::Index { index, .. } = access
        {
            course.extend(index.columns.iter().filter_map(|key| match key.key {
                IndexKey::Column(number) => Some(number),
                IndexKey::Expression(_) => None,
            }));
        }
        self.locks_scans()
            && update.sources == 1
            && self.frozen.is_empty()
            && update.pick.is_none()
            && keeps(&course)
    }

    fn update(&mut self, update: &Update) -> Result<(u64, Vec<Row>)> {
        if self.keeps_course(update) {
            return self.update_along(update);
        }
        // All new values are computed from the rows as they were, then written.
        let targets = {
            let Update { sources, from, recheck, lock, keys, pick, .. } = update;
            self.targets(*sources, from, recheck, *lock, keys, true, pick.as_deref())?
        };
        if update.spares {
            return self.update_in_turn(update, targets);
        }
        let mut changes = Vec::with_capacity(targets.len());
        for target in targets {
            let new = self.updated(&update.table, &update.sets, &target.tuple)?;
            changes.push((target, new));
        }
        if update.sources > 1 && update.returning.is_some() {
            // What RETURNING shows of the other sources is from before the change, too.
            for (target, _) in &changes {
                for source in &target.tuple[1..] {
                    if let Source::Row(row) = source {
                        self.cells(row)?;
                    }
                }
            }
        }
        let set: Vec<usize> = update.sets.iter().map(|(column, _)| *column).collect();
        let (mut count, mut returned) = (0, Vec::new());
        for (Target { row, mut tuple }, new) in changes {
            let new = self.update_row(&row, new, &set)?;
            if !self.frozen.is_empty() {
                self.written.extend([Text::clone(&row.key), Text::clone(&new.key)]);
            }
            count += 1;
            self.check_option(&update.checks, &update.table, &Source::Row(Rc::clone(&new)))?;
            if update.returning.is_some() {
                tuple[0] = Source::Row(new);
                self.return_row(update.returning.as_ref(), &tuple, &mut returned)?;
            }
        }
        Ok((count, returned))
    }

    /// Does an UPDATE that does not write rows that would stay the same.
    fn update_in_turn(&mut self, update: &Update, targets: Vec<Target>) -> Result<(u64, Vec<Row>)> {
        self.storing.ignore = update.passes_over;
        self.storing.alone = false;
        let mut news = Vec::with_capacity(targets.len());
        for Target { row, mut tuple } in targets {
            self.storing.row = news.len() as u64 + 1;
            self.tick()?;
            let Update { table, sets, in_order, .. } = update;
            let new = self.updated_in_turn(table, sets, &mut tuple, 0, *in_order)?;
            news.push((row, new));
        }
        let mut count = 0;
        for (row, new) in news {
            count += u64::from(self.update_spared(update, &row, new)?);
        }
        Ok((count, Vec::new()))
    }

    /// Updates one row unless it stays the same. Returns whether it was written.
    fn update_spared(
        &mut self,
        update: &Update,
        row: &Rc<BaseRow>,
        new: Vec<(usize, Datum)>,
    ) -> Result<bool> {
        self.matched += 1;
        let work = |exec: &mut Self| {
            let changed = exec.update_if_changed(row, new)?;
            if let Some(new) = &changed {
                let new = Source::Row(Rc::clone(new));
                exec.check_option(&update.checks, &update.table, &new)?;
            }
            Ok(changed.is_some())
        };
        Ok(match update.passes_over {
            true => self.or_passed_over(&update.table.schema, true, work)?.unwrap_or(false),
            false => work(self)?,
        })
    }

    /// Does an UPDATE of one table during the scan that finds its rows.
    fn update_along(&mut self, update: &Update) -> Result<(u64, Vec<Row>)> {
        let Update { table, sets, .. } = update;
        let set: Vec<usize> = sets.iter().map(|(column, _)| *column).collect();
        let (mut count, mut returned) = (0, Vec::new());
        if update.spares {
            self.storing.ignore = update.passes_over;
            self.storing.alone = false;
            self.change_along(&update.from, true, &mut |exec, row, tuple| {
                exec.storing.row = exec.examined;
                let new = exec.updated_in_turn(table, sets, tuple, 0, update.in_order)?;
                count += u64::from(exec.update_spared(update, &row, new)?);
                Ok(())
            })?;
            return Ok((count, returned));
        }
        self.change_along(&update.from, true, &mut |exec, row, tuple| {
            let new = exec.updated(table, sets, tuple)?;
            let new = exec.update_row(&row, new, &set)?;
            count += 1;
            exec.check_option(&update.checks, table, &Source::Row(Rc::clone(&new)))?;
            if update.returning.is_some() {
                let tuple = vec![Source::Row(new)];
                exec.return_row(update.returning.as_ref(), &tuple, &mut returned)?;
            }
            Ok(())
        })?;
        Ok((count, returned))
    }

    fn delete(&mut self, delete: &Delete) -> Result<(u64, Vec<Row>)> {
        let (mut count, mut returned) = (0, Vec::new());
        let passes_over = delete.passes_over;
        if self.locks_scans()
            && delete.sources == 1
            && self.frozen.is_empty()
            && delete.pick.is_none()
            && !passes_over
        {
            self.change_along(&delete.from, false, &mut |exec, row, tuple| {
                exec.return_row(delete.returning.as_ref(), tuple, &mut returned)?;
                exec.delete_row(&row)?;
                count += 1;
                Ok(())
            })?;
            return Ok((count, returned));
        }
        let gone = {
            let Delete { sources, from, recheck, pick, .. } = delete;
            self.targets(*sources, from, recheck, Lock::Update, &[], false, pick.as_deref())?
        };
        for Target { row, tuple } in gone {
            if passes_over {
                let schema = delete.table.schema.clone();
                if self.or_passed_over(&schema, false, |exec| exec.delete_row(&row))?.is_none() {
                    continue;
                }
                self.return_row(delete.returning.as_ref(), &tuple, &mut returned)?;
                count += 1;
                continue;
            }
            self.return_row(delete.returning.as_ref(), &tuple, &mut returned)?;
            self.delete_row(&row)?;
            if !self.frozen.is_empty() {
                self.written.insert(Text::clone(&row.key));
            }
            count += 1;
        }
        Ok((count, returned))
    }

    /// Checks that a row which was written is in the views it was written through (WITH CHECK
    /// OPTION).
    pub(super) fn check_option(
        &mut self,
        checks: &[Check],
        table: &Arc<Table>,
        row: &Source,
    ) -> Result<()> {
        for check in checks {
            if self.passes(&check.conditions, &vec![row.clone()])? {
                continue;
            }
            let values = match row {
                Source::Row(row) => self.cells(row)?,
                Source::Values(values) => values.to_vec(),
                Source::Unset | Source::Nulls => Vec::new(),
            };
            let (view, row) = (check.view.clone(), self.shown(table, &values));
            return Err(Problem::OutsideView { view, row }.into());
        }
        Ok(())
    }

    pub(super) fn return_row(
        &mut self,
        returning: Option<&Returning>,
        tuple: &Tuple,
        into: &mut Vec<Row>,
    ) -> Result<()> {
        if let Some(returning) = returning {
            let mut row = Vec::with_capacity(returning.project.len());
            for expr in &returning.project {
                row.push(self.eval(expr, tuple)?);
            }
            into.push(row);
        }
        Ok(())
    }
}

/// The error of looking for the row that has the key of an insert. A row that is not in the
/// snapshot is no serialization failure there.
fn in_the_way(error: SqlError) -> SqlError {
    match is_outrun(&error) {
        true => concurrent_update(),
        false => error,
    }
}
