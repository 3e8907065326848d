//! Writing rows with their index entries, uniqueness kept.
//!
//! Everything that writes comes here: a row is completed (defaults, generated columns), checked, put under the key of its
//! primary key, and entered into the indexes. What writing a table needs is bound once ([`TablePlan`]).
//!
//! Uniqueness is kept by keys. An engine puts a row or a unique entry as a new key, which waits for whoever is putting
//! the same one and then finds it taken or free; `spec` has no locks, so it reads whether the key is there, and the
//! history has that read. An UPDATE that changes the primary key moves the row: delete there, insert here, and those who
//! wait for the old key are told of the new one.
//!
//! Only cells that something asks for are read on the way: of a row that is kept by cells, an UPDATE that sets one cell
//! reads the others only for checks, generated columns and indexes that look at them.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use hobgoblin_core::{Key, Text, Value};
use hobgoblin_front::{KeyRange, Lock, Wait};

use super::sort::{Keyed, Sorter};
use super::stored::row_to_stored;
use super::table_plan::IndexPlan;
use super::{BaseRow, Exec, Pending, Row, Source, TablePlan};
use hobgoblin_sql_bind::Binder;
use hobgoblin_sql_bind::access::usable;
use hobgoblin_sql_bind::bound::SortKey;
use hobgoblin_sql_schema::catalog::{Column, Constraint, ConstraintKind, Index, IndexKey, Table};
use hobgoblin_sql_schema::dialect::ColumnPlace;
use hobgoblin_sql_schema::{Cause, Pairs, Problem, Result, SqlError};
use hobgoblin_sql_value::{Datum, TypeId};

impl Exec<'_> {
    /// What writing a table needs. It is bound when the session first asks.
    pub fn table_plan(&mut self, table: &Arc<Table>) -> Result<Arc<TablePlan>> {
        if let Some(known) = self.session.known_plan(table) {
            return Ok(known);
        }
        let scope = self.session.scope();
        let env = self.session.env();
        let mut binder = Binder::new(&scope.catalog, env, &scope.path, Vec::new(), false);
        let mut defaults = Vec::with_capacity(table.columns.len());
        let mut generated = Vec::new();
        let mut domains = Vec::new();
        let mut on_update = Vec::new();
        for (at, column) in table.columns.iter().enumerate() {
            let declared = column.domain.filter(|_| !column.dropped);
            if let Some(domain) = declared {
                let value = binder.column_expression(table, at);
                domains.push((at, binder.assigned(value, domain, -1, &column.name)?));
            }
            let of_domain = || declared.and_then(|ty| scope.catalog.domain_default(ty));
            let default = match column.default.clone().or_else(of_domain) {
                Some(default) if !column.dropped => {
                    let bound = match column.generated {
                        true => binder.row_expression(table, &default.ast)?,
                        false => binder.free_expression(&default.ast)?,
                    };
                    Some(binder.assigned(bound, column.ty, column.typmod, &column.name)?)
                }
                _ => None,
            };
            if column.generated {
                generated.push(at);
            }
            if let Some(value) = column.on_update.as_ref().filter(|_| !column.dropped) {
                let bound = binder.free_expression(&value.ast)?;
                let bound = binder.assigned(bound, column.ty, column.typmod, &column.name)?;
                on_update.push((at, bound));
            }
            defaults.push(default);
        }
        let mut checks = Vec::new();
        for constraint in &table.constraints {
            if let ConstraintKind::Check(check) = &constraint.kind {
                checks.push((constraint.name.clone(), binder.row_expression(table, &check.ast)?));
            }
        }
        let mut indexes = Vec::new();
        for index in &table.indexes {
            let kept = index.unique || usable(index) || !index.operators.is_empty();
            if table.keys_rows(index) || !kept {
                continue;
            }
            let mut keys = Vec::new();
            for column in &index.columns {
                keys.push(match &column.key {
                    IndexKey::Column(number) => {
                        let column = binder.column_expression(table, *number);
                        binder.weighed(column)?
                    }
                    IndexKey::Expression(expr) => binder.row_expression(table, &expr.ast)?,
                });
            }
            let predicate = match &index.predicate {
                Some(predicate) => Some(binder.row_expression(table, &predicate.ast)?),
                None => None,
            };
            let of_index = |constraint: &&Arc<Constraint>| match constraint.kind {
                ConstraintKind::Primary(oid) | ConstraintKind::Unique(oid) => oid == index.oid,
                _ => false,
            };
            let constraint = table.constraints.iter().find(of_index);
            let deferrable = constraint.filter(|constraint| constraint.deferrable).cloned();
            let mut operators = Vec::new();
            for (operator, column) in index.operators.iter().zip(&index.columns) {
                let (ty, names) = (column.ty, &*scope.catalog);
                operators.push(names.dialect.operator(operator, Some(ty), ty, names)?.function);
            }
            let index = Arc::clone(index);
            indexes.push(IndexPlan { index, deferrable, keys, operators, predicate });
        }
        let plan = TablePlan {
            types: table.columns.iter().map(Column::stored_as).collect(),
            primary: TablePlan::primary_of(table),
            defaults,
            on_update,
            domains,
            generated,
            checks,
            indexes,
        };
        let plan = Arc::new(plan);
        self.session.keep_plan(table, Arc::clone(&plan));
        Ok(plan)
    }

    /// The value of a column that is given none, apart from generated columns.
    pub fn default_value(&mut self, table: &Arc<Table>, column: usize) -> Result<Datum> {
        let plan = self.table_plan(table)?;
        match &plan.defaults[column] {
            Some(default) if !plan.generated.contains(&column) => self.eval(default, &Vec::new()),
            None if table.columns[column].not_null => self.absent(table, column),
            _ => Ok(Datum::Null),
        }
    }

    /// The value of a column that is given none, has no default and may not be NULL; the dialect
    /// may have one.
    fn absent(&mut self, table: &Table, at: usize) -> Result<Datum> {
        let column = &table.columns[at];
        if !self.dialect().rules().stores || column.dropped || column.identity.is_some() {
            return Ok(Datum::Null);
        }
        let place = ColumnPlace {
            column: column.name.clone(),
            table: table.name.clone(),
            schema: table.schema.clone(),
            ty: column.ty,
            not_null: true,
        };
        self.dialect().absent(&place, self.storing, &self.session.env())
    }

    /// A whole row: what was given, and defaults and generated columns for the rest. Domains are
    /// checked.
    pub fn complete(&mut self, table: &Arc<Table>, given: Vec<Option<Datum>>) -> Result<Row> {
        let mut row = Vec::with_capacity(given.len());
        for (column, value) in given.into_iter().enumerate() {
            row.push(match value {
                Some(value) => value,
                None => self.default_value(table, column)?,
            });
        }
        self.generate(table, &mut row)?;
        self.check_domains(table, &row, 0..table.columns.len())?;
        Ok(row)
    }

    fn generate(&mut self, table: &Arc<Table>, row: &mut Row) -> Result<()> {
        let plan = self.table_plan(table)?;
        for &column in &plan.generated {
            if let Some(expr) = &plan.defaults[column] {
                let tuple = vec![Source::Values(row.clone().into())];
                row[column] = self.eval(expr, &tuple)?;
            }
        }
        Ok(())
    }

    /// Inserts a row, and returns it as it is in the table.
    pub fn insert_row(&mut self, table: &Arc<Table>, values: Row) -> Result<BaseRow> {
        let key = self.insert_values(table, &values)?;
        Ok(BaseRow::known(table, key, values))
    }

    /// Inserts a row, and returns its key.
    pub fn insert_values(&mut self, table: &Arc<Table>, values: &[Datum]) -> Result<Text> {
        self.check_row(table, values)?;
        let plan = self.table_plan(table)?;
        let key = self.row_key(table, values)?;
        let taken = match plan.primary {
            Some(_) if self.session.is_engine() => {
                self.put_new(&key, row_to_stored(values, &plan.types, self.dialect()))?
                    != Value::Null
            }
            Some(_) if self.row_exists(&key)? => true,
            _ => {
                self.write_row(table, &key, values)?;
                false
            }
        };
        if taken {
            let index = table.indexes.iter().find(|index| index.primary);
            return Err(self.duplicate(table, index, values));
        }
        // InnoDB looks for what a row refers to once the row is there, before it enters it into the indexes.
        if self.locks_scans() {
            self.referencing(table, values, None)?;
            self.check_pending()?;
        }
        if !plan.indexes.is_empty() {
            let row = Source::Values(values.into());
            for index in &plan.indexes {
                self.add_entry(table, index, &row, &key[table.prefix.len()..])?;
            }
        }
        if !self.locks_scans() {
            self.referencing(table, values, None)?;
        }
        self.session.row_inserted(&key);
        self.rows.remove(&key);
        Ok(key)
    }

    /// Whether a row has this key: in an engine in its newest version, in `spec` as a read of the
    /// transaction.
    fn row_exists(&mut self, key: &Text) -> Result<bool> {
        Ok(match self.session.is_engine() {
            true => self.reserve(key)? != Value::Null,
            false => self.entry(key)? != Value::Null,
        })
    }

    /// The row that has these values in a unique index, if one does.
    fn holder(&mut self, plan: &IndexPlan, values: &[Datum]) -> Result<Option<Text>> {
        if self.by_value(&plan.index, values) {
            let key = self.entry_key(plan, values, "");
            return Ok(match self.reserve(&key.into())? {
                Value::Text(id) => Some(id),
                _ => None,
            });
        }
        let nulls = !plan.index.nulls_not_distinct && values.iter().any(Datum::is_null);
        if nulls {
            return Ok(None);
        }
        let mut stem = self.entry_key(plan, values, "[]");
        stem.pop();
        let entries = self.scan_keys(KeyRange::prefix(&stem))?;
        Ok(entries.into_iter().find_map(|(_, value)| match value {
            Value::Text(id) => Some(id),
            _ => None,
        }))
    }

    fn add_entry(
        &mut self,
        table: &Arc<Table>,
        plan: &IndexPlan,
        row: &Source,
        id: &str,
    ) -> Result<()> {
        match self.index_values(plan, row)? {
            Some(keys) => match self.enter(table, plan, &keys, id) {
                // What is told is the row's own value, not what it weighs.
                Err(error)
                    if matches!(error.problem(), Some(Problem::DuplicateKey { .. }))
                        && self.dialect().rules().stores =>
                {
                    Err(self.duplicate_of(table, &plan.index, row)?)
                }
                entered => entered,
            },
            None => Ok(()),
        }
    }

    /// The error that another row has the same values in an index.
    pub(super) fn duplicate_of(
        &mut self,
        table: &Arc<Table>,
        index: &Index,
        row: &Source,
    ) -> Result<SqlError> {
        let mut values = Vec::with_capacity(index.columns.len());
        for key in &index.columns {
            let value = match (&key.key, row) {
                (IndexKey::Column(number), Source::Row(row)) => self.cell(row, *number)?,
                (IndexKey::Column(number), Source::Values(all)) => all[*number].clone(),
                _ => Datum::Null,
            };
            values.push(value);
        }
        Ok(self.duplicate_keys(table, index, &values))
    }

    /// Adds the entry of a row with these values to an index.
    fn enter(
        &mut self,
        table: &Arc<Table>,
        plan: &IndexPlan,
        keys: &[Datum],
        id: &str,
    ) -> Result<()> {
        if let Some(constraint) = &plan.deferrable {
            self.pending.push(Pending::Unique {
                table: Arc::clone(table),
                constraint: Arc::clone(constraint),
                index: plan.index.oid,
                keys: keys.to_vec(),
                id: id.to_owned(),
            });
        } else if plan.index.unique && self.holder(plan, keys)?.is_some_and(|holder| *holder != *id)
        {
            let index = Arc::clone(&plan.index);
            return Err(self.duplicate_keys(table, &index, keys));
        }
        let key = self.entry_key(plan, keys, id);
        if !plan.operators.is_empty() {
            if let Some(by) = self.excluding(plan, keys, Some(id))? {
                return Err(self.excluded(table, plan, keys, &by));
            }
            let entry = self.exclusion_entry(plan, keys, id);
            return self.put(key, entry);
        }
        self.put(key, Value::from(id))
    }

    fn remove_entry(&mut self, plan: &IndexPlan, row: &Source, id: &str) -> Result<()> {
        if let Some(keys) = self.index_values(plan, row)? {
            let key = self.entry_key(plan, &keys, id);
            self.put(key, Value::Null)?;
        }
        Ok(())
    }

    /// The key of a row that has a key of the row to insert in one of `indexes`, or in any if that
    /// is empty.
    pub(super) fn conflicting(
        &mut self,
        table: &Arc<Table>,
        values: &[Datum],
        indexes: &[Arc<Index>],
    ) -> Result<Option<Text>> {
        Ok(self.conflicting_in(table, values, indexes)?.map(|(key, _)| key))
    }

    /// The same, with the index where it is found.
    pub(super) fn conflicting_in(
        &mut self,
        table: &Arc<Table>,
        values: &[Datum],
        indexes: &[Arc<Index>],
    ) -> Result<Option<(Text, Arc<Index>)>> {
        let plan = self.table_plan(table)?;
        let wanted =
            |index: &Index| indexes.is_empty() || indexes.iter().any(|i| i.oid == index.oid);
        if plan.primary.is_some()
            && let Some(index) = table.indexes.iter().find(|index| index.primary && wanted(index))
        {
            let key = self.row_key(table, values)?;
            if self.row_exists(&key)? {
                return Ok(Some((key, Arc::clone(index))));
            }
        }
        let row = Source::Values(values.to_vec().into());
        for index in plan.indexes.iter().filter(|plan| plan.index.unique && wanted(&plan.index)) {
            if let Some(keys) = self.index_values(index, &row)?
                && let Some(id) = self.holder(index, &keys)?
            {
                let index = Arc::clone(&index.index);
                return Ok(Some((format!("{}{id}", table.prefix).into(), index)));
            }
        }
        for index in plan.indexes.iter().filter(|p| !p.operators.is_empty() && wanted(&p.index)) {
            if let Some(keys) = self.index_values(index, &row)?
                && let Some(by) = self.excluding(index, &keys, None)?
            {
                let index = Arc::clone(&index.index);
                return Ok(Some((format!("{}{}", table.prefix, by.id).into(), index)));
            }
        }
        Ok(None)
    }

    /// Updates a row: the columns in `set`, those generated from them, and the index entries.
    /// Returns the new row.
    pub fn update_row(
        &mut self,
        row: &Rc<BaseRow>,
        new: Vec<(usize, Datum)>,
        set: &[usize],
    ) -> Result<Rc<BaseRow>> {
        let table = Arc::clone(&row.table);
        let plan = self.table_plan(&table)?;
        // Cells nobody needs are not read: only those that checks, indexes and references look at.
        let needs_all = !plan.checks.is_empty()
            || !plan.generated.is_empty()
            || self.session.granularity() == super::Granularity::Row
            || plan
                .primary
                .as_ref()
                .is_some_and(|primary| set.iter().any(|at| primary.contains(at)));
        let mut values = Vec::with_capacity(table.columns.len());
        for column in 0..table.columns.len() {
            let given = new.iter().find(|(at, _)| *at == column);
            values.push(match given {
                Some((_, value)) => value.clone(),
                None if needs_all => self.cell(row, column)?,
                None => Datum::Null,
            });
        }
        self.generate(&table, &mut values)?;
        self.check_nulls(&table, &values, set.iter().copied())?;
        if needs_all {
            self.check_checks(&table, &values)?;
        }
        let old = Source::Row(Rc::clone(row));
        let moved = match &plan.primary {
            Some(primary) if primary.iter().any(|at| set.contains(at)) => {
                let mut moved = false;
                for &at in primary {
                    let old = self.cell(row, at)?;
                    moved |= match self.dialect().compared_as(table.columns[at].ty) {
                        None => !old.equal(&values[at]),
                        Some(_) => !self.same(&old, &values[at], table.columns[at].ty)?,
                    };
                }
                moved
            }
            _ => false,
        };
        if moved {
            let new_key = self.row_key(&table, &values)?;
            if self.row_exists(&new_key)? {
                let index = table.indexes.iter().find(|index| index.primary);
                return Err(self.duplicate(&table, index, &values));
            }
            for index in &plan.indexes {
                self.remove_entry(index, &old, row.id())?;
            }
            self.put(Text::clone(&row.key), Value::Null)?;
            self.write_row(&table, &new_key, &values)?;
            self.session.row_moved(&row.key, &new_key);
            let source = Source::Values(values.clone().into());
            let id = new_key[table.prefix.len()..].to_owned();
            for index in &plan.indexes {
                self.add_entry(&table, index, &source, &id)?;
            }
        } else {
            let written: Vec<usize> = set.iter().chain(&plan.generated).copied().collect();
            self.read_before(row, &plan, &written)?;
            self.write_cells(&table, &row.key, &values, &written)?;
            for index in &plan.indexes {
                if !touches(index, &written) {
                    continue;
                }
                let full = match needs_all {
                    true => values.clone(),
                    false => self.filled(row, &values, set)?,
                };
                let source = Source::Values(full.into());
                let before = self.index_values(index, &old)?;
                let after = self.index_values(index, &source)?;
                let same = match (&before, &after) {
                    (Some(a), Some(b)) => a
                        .iter()
                        .zip(b)
                        .all(|(a, b)| a.is_null() == b.is_null() && (a.is_null() || a.equal(b))),
                    (None, None) => true,
                    _ => false,
                };
                if !same {
                    let id = row.id().to_owned();
                    self.remove_entry(index, &old, &id)?;
                    self.add_entry(&table, index, &source, &id)?;
                }
            }
        }
        self.referencing_update(row, &values, set)?;
        self.referenced_update(row, &values, set)?;
        if self.locks_scans() {
            self.check_pending()?;
        }
        self.rows.remove(&row.key);
        // Cells that were not needed so far are read if RETURNING names them.
        let key = match moved {
            true => self.row_key(&table, &values)?,
            false => Text::clone(&row.key),
        };
        Ok(Rc::new(match needs_all {
            true => BaseRow::known(&table, key, values),
            false => row.changed(key, &values, set),
        }))
    }

    /// Writes the cells of an UPDATE that sets them to what they hold, so that the write is in the
    /// history. Indexes and references stay.
    pub(super) fn rewrite_row(&mut self, row: &Rc<BaseRow>, set: &[(usize, Datum)]) -> Result<()> {
        let table = Arc::clone(&row.table);
        let mut values = Vec::with_capacity(table.columns.len());
        for column in 0..table.columns.len() {
            values.push(match self.row_granularity() || set.iter().any(|(at, _)| *at == column) {
                true => self.cell(row, column)?,
                false => Datum::Null,
            });
        }
        let set: Vec<usize> = set.iter().map(|(at, _)| *at).collect();
        self.write_cells(&table, &row.key, &values, &set)
    }

    /// Reads the old values that indexes and references will ask for, before they are overwritten.
    fn read_before(
        &mut self,
        row: &Rc<BaseRow>,
        plan: &TablePlan,
        written: &[usize],
    ) -> Result<()> {
        for index in plan.indexes.iter().filter(|index| touches(index, written)) {
            self.index_values(index, &Source::Row(Rc::clone(row)))?;
        }
        let catalog = self.session.schema();
        let referring = catalog.referring(row.table.oid);
        let keys: Vec<usize> = referring
            .flat_map(|(_, constraint)| match &constraint.kind {
                ConstraintKind::Foreign(key) => key.referenced.clone(),
                _ => Vec::new(),
            })
            .collect();
        for column in keys {
            if written.contains(&column) {
                self.cell(row, column)?;
            }
        }
        Ok(())
    }

    /// The values of the new row, those that the UPDATE does not set read from the old one.
    fn filled(&mut self, row: &Rc<BaseRow>, values: &[Datum], set: &[usize]) -> Result<Row> {
        let mut full = values.to_vec();
        for (column, value) in full.iter_mut().enumerate() {
            if !set.contains(&column) {
                *value = self.cell(row, column)?;
            }
        }
        Ok(full)
    }

    /// Deletes a row, and notes that no other may be left that refers to it.
    pub fn delete_row(&mut self, row: &Rc<BaseRow>) -> Result<()> {
        let table = Arc::clone(&row.table);
        let plan = self.table_plan(&table)?;
        let source = Source::Row(Rc::clone(row));
        // The same for who refers to it.
        if self.locks_scans() {
            self.put(Text::clone(&row.key), Value::Null)?;
            self.referenced_delete(row)?;
            self.check_pending()?;
        }
        for index in &plan.indexes {
            self.remove_entry(index, &source, row.id())?;
        }
        if !self.locks_scans() {
            self.put(Text::clone(&row.key), Value::Null)?;
            self.referenced_delete(row)?;
        }
        self.rows.remove(&row.key);
        Ok(())
    }

    /// Deletes a row with its index entries, whoever refers to it.
    pub fn remove_row(&mut self, row: &Rc<BaseRow>) -> Result<()> {
        let plan = self.table_plan(&row.table)?;
        let source = Source::Row(Rc::clone(row));
        for index in &plan.indexes {
            self.remove_entry(index, &source, row.id())?;
        }
        self.rows.remove(&row.key);
        self.put(Text::clone(&row.key), Value::Null)
    }

    /// Forgets the checks that have been noted, since rows have only moved.
    pub fn drop_pending(&mut self) {
        self.pending.clear();
        self.forget();
    }

    /// Deletes all rows of a table with their index entries, as TRUNCATE does.
    pub fn clear_table(&mut self, table: &Arc<Table>) -> Result<()> {
        let range = KeyRange::prefix(&format!("{}[", table.prefix));
        if self.session.is_engine() {
            // Rows that were committed since the snapshot go too.
            for (key, _) in self.newest_in(&range) {
                if let Key::Text(key) = key
                    && let Some(stored) =
                        self.get_locked(&key, Lock::Update, Wait::Forever, true)?
                    && stored != Value::Null
                {
                    let row = self.row_of(table, key, stored)?;
                    self.remove_row(&row)?;
                }
            }
        }
        for row in self.fetch_all(table)?.iter() {
            self.remove_row(row)?;
        }
        self.forget();
        Ok(())
    }

    /// Makes the entries of a new index for the rows of its table.
    pub fn build_index(&mut self, table: &Arc<Table>, index: &Arc<Index>) -> Result<()> {
        let plan = self.table_plan(table)?;
        let Some(plan) = plan.indexes.iter().find(|plan| plan.index.oid == index.oid) else {
            return Ok(());
        };
        let order: Vec<SortKey> = (0..plan.keys.len())
            .map(|column| SortKey { column, descending: false, nulls_first: false })
            .collect();
        let (mut entries, ids) = self.entries_of(table, plan, &order)?;
        while let Some((keys, id)) = entries.next() {
            let id = &ids[id];
            let added = self.enter(table, plan, keys, id);
            let pending = self.pending.pop_if(|check| matches!(check, Pending::Unique { .. }));
            let added = added.and_then(|()| match pending {
                Some(Pending::Unique { table, index, keys, id, .. }) => {
                    self.check_unique(&table, index, &keys, &id)
                }
                _ => Ok(()),
            });
            added.map_err(|mut error| {
                error.cause = match error.cause {
                    Cause::Problem(Problem::Excluded { constraint, key, by }) => {
                        Cause::Problem(Problem::ExcludedAlready { constraint, key, by })
                    }
                    Cause::Problem(Problem::DuplicateKey { table, constraint: index, key }) => {
                        Cause::Problem(Problem::IndexNotUnique { table, index, key })
                    }
                    other => other,
                };
                error
            })?;
        }
        Ok(())
    }

    /// The values that the rows of a table have in the columns of an index, sorted, each with the
    /// range of a text that names its row. The store takes entries fastest in their order.
    fn entries_of<'o>(
        &mut self,
        table: &Arc<Table>,
        plan: &IndexPlan,
        order: &'o [SortKey],
    ) -> Result<(Keyed<'o, Range<usize>>, String)> {
        let mut entries: Sorter<'_, Range<usize>> = Sorter::new(order, None);
        let mut ids = String::new();
        self.each_row(table, &mut |exec, row| {
            let source = match exec.row_granularity() {
                true => Source::Row(Rc::clone(row)),
                false => Source::Values(exec.cells(row)?.into()),
            };
            if let Some(values) = exec.index_values(plan, &source)? {
                values.into_iter().for_each(|value| entries.key(value));
                let start = ids.len();
                ids.push_str(row.id());
                entries.row(exec.session, start..ids.len())?;
            }
            Ok(())
        })?;
        let entries = match self.row_granularity() {
            true => entries.finish_keyed(self.session)?,
            false => entries.finish_unsorted(),
        };
        Ok((entries, ids))
    }

    fn duplicate(
        &mut self,
        table: &Table,
        index: Option<&Arc<Index>>,
        values: &[Datum],
    ) -> SqlError {
        let Some(index) = index else {
            let (table, constraint) = (table.name.clone(), String::new());
            return Problem::DuplicateKey { table, constraint, key: None }.into();
        };
        let keys: Vec<Datum> = index
            .columns
            .iter()
            .filter_map(|column| match column.key {
                IndexKey::Column(number) => values.get(number).cloned(),
                IndexKey::Expression(_) => None,
            })
            .collect();
        self.duplicate_keys(table, index, &keys)
    }

    pub(super) fn duplicate_keys(
        &mut self,
        table: &Table,
        index: &Index,
        keys: &[Datum],
    ) -> SqlError {
        let env = self.session.env();
        let names: Vec<String> = index
            .columns
            .iter()
            .map(|column| match &column.key {
                IndexKey::Column(number) => table.columns[*number].name.clone(),
                IndexKey::Expression(expr) => expr.text.clone(),
            })
            .collect();
        let types = index.columns.iter().map(|column| match column.key {
            IndexKey::Column(number) => table.columns[number].ty,
            IndexKey::Expression(_) => TypeId::TEXT,
        });
        let shown: Vec<String> = keys
            .iter()
            .zip(types)
            .map(|(value, ty)| match value {
                Datum::Null => "null".to_owned(),
                value => self.dialect().print(value, ty, -1, &env),
            })
            .collect();
        let key = Some(Pairs { columns: names.join(", "), values: shown.join(", ") });
        let (name, constraint) = (table.name.clone(), index.name.clone());
        let twice = Problem::DuplicateKey { table: name, constraint, key };
        SqlError::from(twice).constraint(&table.schema, &table.name, &index.name)
    }

    /// The newest committed entries in a range, whatever the snapshot has. Only for engines.
    pub(super) fn newest_in(&mut self, range: &KeyRange) -> Vec<(Key, Value)> {
        self.session.newest_in(range)
    }
}

/// Whether any of these columns is part of an index.
fn touches(plan: &IndexPlan, columns: &[usize]) -> bool {
    let exprs = plan.keys.iter().chain(&plan.predicate);
    exprs.into_iter().any(|expr| {
        let mut found = false;
        hobgoblin_sql_bind::visit::read::visit(expr, 0, &mut |expr, _| {
            if let hobgoblin_sql_bind::Kind::Column(column) = expr.kind {
                found |= columns.contains(&column.column);
            }
            true
        });
        found
    })
}
