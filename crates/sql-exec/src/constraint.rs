//! Constraints: NOT NULL, CHECK, and references between tables.
//!
//! NOT NULL and CHECK are about one row, and are checked when it is written. A foreign key is about
//! two: writing a row notes that its parent must be there, and deleting a row, or changing its key,
//! notes that no child may be left. The notes ([`Pending`]) are looked at when the statement has
//! written all its rows, or at the commit if the constraint is deferred. So a statement may delete
//! parent and child in any order.
//!
//! ```text
//!     INSERT INTO child (parent) VALUES (7)      is parent[7] there? lock it FOR KEY SHARE
//!     DELETE FROM parent WHERE id = 7            which rows of child have 7? refuse, delete or change them
//! ```
//!
//! Two transactions that do these at the same time must not miss each other, whatever their
//! snapshots show. In an engine both checks look at the newest committed rows, and the first locks
//! the parent that it finds, so that one of the two waits and then sees what the other did. The
//! store of `spec` has no locks: there the checks are reads like others, and what they may miss is
//! what the level allows.

use std::ops::Bound;
use std::rc::Rc;
use std::sync::Arc;

use hobgoblin_core::{Key, Text, Value};
use hobgoblin_front::{KeyRange, Lock, Mode, Wait};

use super::outrun::{concurrent_update, is_outrun, was_updated};
use super::pending::Pending;
use super::{BaseRow, Exec, Source};
use hobgoblin_sql_bind::access::usable;
use hobgoblin_sql_schema::catalog::{
    Action, Constraint, ConstraintKind, ForeignKey, IndexKey, Table,
};
use hobgoblin_sql_schema::{Problem, Reference, Result, SqlError};
use hobgoblin_sql_value::{Datum, TypeId};

fn foreign(constraint: &Constraint) -> Option<&ForeignKey> {
    match &constraint.kind {
        ConstraintKind::Foreign(key) => Some(key),
        _ => None,
    }
}

impl Exec<'_> {
    /// Checks NOT NULL and CHECK for a whole row.
    pub(super) fn check_row(&mut self, table: &Arc<Table>, values: &[Datum]) -> Result<()> {
        self.check_nulls(table, values, 0..table.columns.len())?;
        self.check_checks(table, values)
    }

    /// Checks NOT NULL for some columns of a row.
    pub(super) fn check_nulls(
        &mut self,
        table: &Arc<Table>,
        values: &[Datum],
        columns: impl IntoIterator<Item = usize>,
    ) -> Result<()> {
        for at in columns {
            let column = &table.columns[at];
            if column.not_null && !column.dropped && values[at].is_null() {
                let (table_name, column_name) = (table.name.clone(), column.name.clone());
                let row = self.shown(table, values);
                let problem = Problem::NullInColumn { table: table_name, column: column_name, row };
                return Err(SqlError::from(problem)
                    .table(&table.schema, &table.name)
                    .column(&column.name));
            }
        }
        Ok(())
    }

    /// Checks the CHECK constraints of a table for a row. NULL counts as satisfied.
    pub(super) fn check_checks(&mut self, table: &Arc<Table>, values: &[Datum]) -> Result<()> {
        let plan = self.table_plan(table)?;
        if plan.checks.is_empty() {
            return Ok(());
        }
        let tuple = vec![Source::Values(values.to_vec().into())];
        for (name, check) in &plan.checks {
            if matches!(self.eval(check, &tuple)?, Datum::Bool(false)) {
                let row = self.shown(table, values);
                let (of, check) = (table.name.clone(), name.clone());
                return Err(SqlError::from(Problem::CheckFails { table: of, check, row })
                    .constraint(&table.schema, &table.name, name));
            }
        }
        Ok(())
    }

    pub(super) fn shown(&mut self, table: &Table, values: &[Datum]) -> String {
        let env = self.session.env();
        let fields: Vec<String> = table
            .columns
            .iter()
            .zip(values)
            .filter(|(column, _)| !column.dropped)
            .map(|(column, value)| match value {
                Datum::Null => "null".to_owned(),
                value => {
                    let text = self.dialect().print(value, column.ty, column.typmod, &env);
                    match text.char_indices().nth(64) {
                        Some((at, _)) => format!("{}...", &text[..at]),
                        None => text,
                    }
                }
            })
            .collect();
        format!("({})", fields.join(", "))
    }

    /// Notes which parents a new row refers to.
    pub(super) fn referencing(
        &mut self,
        table: &Arc<Table>,
        values: &[Datum],
        set: Option<&[usize]>,
    ) -> Result<()> {
        for constraint in &table.constraints {
            let Some(key) = foreign(constraint) else { continue };
            if self.session.is_replica() {
                return Ok(());
            }
            if set.is_some_and(|set| !key.columns.iter().any(|column| set.contains(column))) {
                continue;
            }
            let values: Vec<Datum> = key.columns.iter().map(|&at| values[at].clone()).collect();
            let nulls = values.iter().filter(|value| value.is_null()).count();
            if nulls > 0 {
                if key.full && nulls < values.len() {
                    let problem = Problem::PartlyNullKey {
                        table: table.name.clone(),
                        constraint: constraint.name.clone(),
                    };
                    return Err(SqlError::from(problem).constraint(
                        &table.schema,
                        &table.name,
                        &constraint.name,
                    ));
                }
                continue;
            }
            self.pending.push(Pending::Parent {
                table: Arc::clone(table),
                constraint: Arc::clone(constraint),
                values,
            });
        }
        Ok(())
    }

    /// Notes which parents a changed row refers to, if it has other ones now.
    pub(super) fn referencing_update(
        &mut self,
        row: &Rc<BaseRow>,
        values: &[Datum],
        set: &[usize],
    ) -> Result<()> {
        let table = Arc::clone(&row.table);
        let keys = table.constraints.iter().filter_map(|constraint| foreign(constraint));
        let mut full = values.to_vec();
        let mut touched = false;
        for key in keys {
            if key.columns.iter().any(|column| set.contains(column)) {
                touched = true;
                for &column in &key.columns {
                    if !set.contains(&column) {
                        full[column] = self.cell(row, column)?;
                    }
                }
            }
        }
        match touched {
            true => self.referencing(&table, &full, Some(set)),
            false => Ok(()),
        }
    }

    /// Notes that a deleted row may have had children.
    pub(super) fn referenced_delete(&mut self, row: &Rc<BaseRow>) -> Result<()> {
        self.referenced(row, None, &[])
    }

    /// Notes that a row whose key has changed may have had children under the old one.
    pub(super) fn referenced_update(
        &mut self,
        row: &Rc<BaseRow>,
        values: &[Datum],
        set: &[usize],
    ) -> Result<()> {
        self.referenced(row, Some(values), set)
    }

    fn referenced(
        &mut self,
        row: &Rc<BaseRow>,
        values: Option<&[Datum]>,
        set: &[usize],
    ) -> Result<()> {
        if self.session.is_replica() {
            return Ok(());
        }
        let catalog = self.session.schema();
        let referring: Vec<(Arc<Table>, Arc<Constraint>)> = catalog
            .referring(row.table.oid)
            .map(|(table, constraint)| (Arc::clone(table), Arc::clone(constraint)))
            .collect();
        for (table, constraint) in referring {
            let Some(key) = foreign(&constraint) else { continue };
            if values.is_some() && !key.referenced.iter().any(|column| set.contains(column)) {
                continue;
            }
            let mut old = Vec::with_capacity(key.referenced.len());
            for &column in &key.referenced {
                old.push(self.cell(row, column)?);
            }
            if old.iter().any(Datum::is_null) {
                continue;
            }
            let mut new = None;
            if let Some(values) = values {
                let mut fields = Vec::with_capacity(key.referenced.len());
                for &column in &key.referenced {
                    fields.push(match set.contains(&column) {
                        true => values[column].clone(),
                        false => self.cell(row, column)?,
                    });
                }
                let mut unchanged = true;
                for ((a, b), &column) in fields.iter().zip(&old).zip(&key.referenced) {
                    unchanged = unchanged && self.same(a, b, row.table.columns[column].ty)?;
                }
                if unchanged {
                    continue;
                }
                new = Some(fields);
            }
            let parent = Arc::clone(&row.table);
            self.pending.push(Pending::Child { parent, table, constraint, old, new });
        }
        Ok(())
    }

    /// Makes the checks that the statement has noted, and those that these lead to, as a cascade
    /// does.
    pub(super) fn check_pending(&mut self) -> Result<()> {
        while !self.pending.is_empty() {
            let pending = std::mem::take(&mut self.pending);
            self.forget();
            for check in pending {
                if self.session.defers(check.constraint()) {
                    let acts = match &check {
                        Pending::Child { constraint, new, .. } => {
                            foreign(constraint).is_some_and(|key| {
                                let action =
                                    if new.is_some() { key.on_update } else { key.on_delete };
                                action != Action::NoAction
                            })
                        }
                        Pending::Parent { .. } | Pending::Unique { .. } => false,
                    };
                    // Actions are never deferred, only checks are.
                    if !acts {
                        self.session.defer(check);
                        continue;
                    }
                }
                self.check(check)?;
            }
        }
        Ok(())
    }

    /// Makes checks that were deferred, when the transaction commits or SET CONSTRAINTS says so.
    pub fn check_deferred(&mut self, checks: Vec<Pending>) -> Result<()> {
        for check in checks {
            self.check(check)?;
        }
        self.check_pending()
    }

    fn check(&mut self, check: Pending) -> Result<()> {
        match check {
            Pending::Parent { table, constraint, values } => {
                let Some(key) = foreign(&constraint) else { return Ok(()) };
                self.session.lock_checked(key.table, Mode::RowShare)?;
                if self.parent_exists(&table, key, &values)?
                    || !self.locks_scans() && !self.refers_still(&table, key, &values)?
                {
                    return Ok(());
                }
                let problem = Problem::NoParent {
                    table: table.name.clone(),
                    constraint: constraint.name.clone(),
                    key: self.key_text(&table, &key.columns, &values),
                    reference: self.reference(&table, key),
                };
                Err(SqlError::from(problem).constraint(
                    &table.schema,
                    &table.name,
                    &constraint.name,
                ))
            }
            Pending::Child { parent, table, constraint, old, new } => {
                self.child(&parent, &table, &constraint, &old, new.as_deref())
            }
            Pending::Unique { table, index, keys, id, .. } => {
                self.check_unique(&table, index, &keys, &id)
            }
        }
    }

    /// Whether the row still has the reference that a deferred check is about; otherwise there is
    /// nothing to check.
    fn refers_still(
        &mut self,
        table: &Arc<Table>,
        key: &ForeignKey,
        values: &[Datum],
    ) -> Result<bool> {
        Ok(!self.find_rows(table, &key.columns, values)?.is_empty())
    }

    /// The tables and columns of a foreign key, for the message that it does not hold.
    fn reference(&self, table: &Table, key: &ForeignKey) -> Box<Reference> {
        let names = |table: &Table, columns: &[usize]| -> Vec<String> {
            columns.iter().map(|&at| table.columns[at].name.clone()).collect()
        };
        let schema = self.session.schema();
        let parent = schema.table(key.table);
        Box::new(Reference {
            schema: table.schema.clone(),
            columns: names(table, &key.columns),
            parent: parent.map(|parent| parent.name.clone()).unwrap_or_default(),
            referenced: parent.map(|parent| names(parent, &key.referenced)).unwrap_or_default(),
            on_delete: key.on_delete,
            on_update: key.on_update,
        })
    }

    fn key_text(&mut self, table: &Table, columns: &[usize], values: &[Datum]) -> String {
        let env = self.session.env();
        let names: Vec<&str> = columns.iter().map(|&at| table.columns[at].name.as_str()).collect();
        let shown: Vec<String> = columns
            .iter()
            .zip(values)
            .map(|(&at, value)| self.dialect().print(value, table.columns[at].ty, -1, &env))
            .collect();
        format!("({})=({})", names.join(", "), shown.join(", "))
    }

    /// Whether the parent with these values is there. An engine locks it, so that it stays.
    fn parent_exists(&mut self, table: &Table, key: &ForeignKey, values: &[Datum]) -> Result<bool> {
        let Some(parent) = self.session.schema().table(key.table).cloned() else {
            return Ok(false);
        };
        let (from, to) = ((table, &*key.columns), (&*parent, &*key.referenced));
        let Some(values) = self.equal_values(values, from, to) else { return Ok(false) };
        let Some(index) = parent.indexes.iter().find(|index| index.oid == key.index).cloned()
        else {
            return Ok(!self.find_rows(&parent, &key.referenced, &values)?.is_empty());
        };
        let prefix = if index.primary { &parent.prefix } else { &index.prefix };
        let mut text = format!("{prefix}[");
        for (at, column) in index.columns.iter().enumerate() {
            let IndexKey::Column(number) = column.key else { continue };
            let place = key.referenced.iter().position(|&column| column == number);
            let Some(value) = place.and_then(|place| values.get(place)) else { continue };
            if at > 0 {
                text.push(',');
            }
            self.key_component(&mut text, value, parent.columns[number].ty)?;
        }
        if !self.session.is_engine() {
            if index.primary {
                text.push(']');
                return Ok(self.entry(&text)? != Value::Null);
            }
            text.push(',');
            return Ok(!self.scan_latest(KeyRange::prefix(&text))?.is_empty());
        }
        text.push(']');
        // With one snapshot for all statements PostgreSQL looks for the row there, and it must still be it.
        let latest = !self.session.one_snapshot() && !self.locks_scans();
        if self.session.one_snapshot() && self.entry(&text)? == Value::Null {
            return Ok(false);
        }
        match self.lock_parent(&text, latest)? {
            None | Some(Value::Null) => Ok(false),
            Some(_) if index.primary || self.locks_scans() => Ok(true),
            Some(Value::Text(id)) => {
                let row = format!("{}{id}", parent.prefix);
                Ok(self.lock_parent(&row, latest)?.is_some_and(|value| value != Value::Null))
            }
            Some(_) => Ok(true),
        }
    }

    /// The values of the other columns' types that equal these; `None` if one of them has no equal.
    fn equal_values(
        &mut self,
        values: &[Datum],
        (from, columns): (&Table, &[usize]),
        (to, others): (&Table, &[usize]),
    ) -> Option<Vec<Datum>> {
        let types =
            columns.iter().zip(others).map(|(&a, &b)| (from.columns[a].ty, to.columns[b].ty));
        let pairs = values.iter().zip(types);
        pairs.map(|(value, (from, to))| self.equal_value(value, from, to)).collect()
    }

    fn equal_value(&mut self, value: &Datum, from: TypeId, to: TypeId) -> Option<Datum> {
        if from == to {
            return Some(value.clone());
        }
        let other = self.convert(value.clone(), from, to, -1, false).ok()?;
        match (value, &other) {
            // These are compared as floating-point numbers, of which several may be one.
            (Datum::Int(_) | Datum::Numeric(_), Datum::Float(_))
            | (Datum::Text(_) | Datum::Char(_), _) => Some(other),
            _ => {
                let back = self.convert(other.clone(), to, from, -1, true).ok()?;
                back.equal(value).then_some(other)
            }
        }
    }

    /// Locks the parent with this key; `None` if there is none. A key that another transaction is
    /// only about to insert is not waited for.
    fn lock_parent(&mut self, key: &str, latest: bool) -> Result<Option<Value>> {
        let lock = |exec: &mut Self, wait| {
            let locked = exec.get_locked(key, Lock::KeyShare, wait, latest);
            locked.map_err(|error| exec.parent_changed(key, error))
        };
        if self.locks_scans() {
            return lock(self, Wait::Forever);
        }
        let free = lock(self, Wait::Not)?;
        if free.is_some() || latest && self.latest(key)? == Value::Null {
            return Ok(free);
        }
        lock(self, Wait::Forever)
    }

    /// The error if the parent cannot be locked. PostgreSQL sees that the row is gone before it
    /// looks at dependencies, and its message is that of a concurrent update.
    fn parent_changed(&self, key: &str, error: SqlError) -> SqlError {
        let here = Bound::Included(Key::from(key));
        let gone = || {
            let newest = self.session.newest_in(&KeyRange::between(here.clone(), here));
            newest.iter().all(|(_, value)| *value == Value::Null)
        };
        match is_outrun(&error) && gone() {
            true => concurrent_update(),
            false => was_updated(error),
        }
    }

    /// The rows of a table that have these values in these columns; in an engine the newest
    /// versions.
    pub(super) fn find_rows(
        &mut self,
        table: &Arc<Table>,
        columns: &[usize],
        values: &[Datum],
    ) -> Result<Vec<Rc<BaseRow>>> {
        self.find_some(table, columns, values, None)
    }

    /// The same, but where scans lock, no more rows than are needed.
    fn find_some(
        &mut self,
        table: &Arc<Table>,
        columns: &[usize],
        values: &[Datum],
        needed: Option<u32>,
    ) -> Result<Vec<Rc<BaseRow>>> {
        let index = table.indexes.iter().find(|index| {
            usable(index)
                && index.columns.len() >= columns.len()
                && index.columns[..columns.len()].iter().all(
                    |column| matches!(column.key, IndexKey::Column(number) if columns.contains(&number)),
                )
        });
        let mut stem = match index {
            Some(index) if table.keys_rows(index) => format!("{}[", table.prefix),
            Some(index) => format!("{}[", index.prefix),
            None => format!("{}[", table.prefix),
        };
        if let Some(index) = index {
            for (at, column) in index.columns[..columns.len()].iter().enumerate() {
                let IndexKey::Column(number) = column.key else { continue };
                let Some(place) = columns.iter().position(|&column| column == number) else {
                    continue;
                };
                if at > 0 {
                    stem.push(',');
                }
                self.key_component(&mut stem, &values[place], table.columns[number].ty)?;
            }
        }
        let entries = index.is_some_and(|index| !table.keys_rows(index));
        let mut candidates: Vec<Rc<BaseRow>> = Vec::new();
        let whole = index.is_some_and(|index| index.columns.len() == columns.len());
        let mut ranges = Vec::new();
        match index {
            None => ranges.push(KeyRange::prefix(&stem)),
            Some(_) => {
                ranges.push(KeyRange::prefix(&format!("{stem},")));
                if whole {
                    let exact = Key::from(format!("{stem}]"));
                    let bound = Bound::Included(exact);
                    ranges.push(KeyRange::between(bound.clone(), bound));
                }
            }
        }
        // Without an index all rows are looked at.
        let needed = needed.filter(|_| index.is_some() && self.locks_scans());
        for range in ranges {
            if needed.is_some_and(|needed| candidates.len() >= needed as usize) {
                break;
            }
            let mut keys: Vec<String> = Vec::new();
            for (key, value) in self.scan_referring(range, needed)? {
                let key = match (entries, key, value) {
                    (true, _, Value::Text(id)) => format!("{}{id}", table.prefix),
                    (false, Key::Text(key), _) => key.to_string(),
                    _ => continue,
                };
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
            for key in keys {
                let row = match self.session.is_engine() {
                    true => {
                        let stored = match self.locks_scans() {
                            true => Some(self.latest(&key)?),
                            false => self.get_locked(&key, Lock::KeyShare, Wait::Forever, true)?,
                        };
                        match stored {
                            None | Some(Value::Null) => None,
                            Some(stored) => Some(self.row_of(table, key.into(), stored)?),
                        }
                    }
                    false => self.fetch(table, &key[table.prefix.len()..])?,
                };
                candidates.extend(row);
            }
        }
        let mut rows = Vec::new();
        for row in candidates {
            let mut same = true;
            for (&column, value) in columns.iter().zip(values) {
                let cell = self.cell(&row, column)?;
                same = same && self.same(&cell, value, table.columns[column].ty)?;
            }
            if same {
                rows.push(row);
            }
        }
        Ok(rows)
    }

    /// Does to the children of a row what ON DELETE or ON UPDATE says.
    fn child(
        &mut self,
        parent: &Arc<Table>,
        table: &Arc<Table>,
        constraint: &Arc<Constraint>,
        old: &[Datum],
        new: Option<&[Datum]>,
    ) -> Result<()> {
        let Some(key) = foreign(constraint) else { return Ok(()) };
        let action = if new.is_some() { key.on_update } else { key.on_delete };
        let mode = match action {
            Action::NoAction | Action::Restrict => Mode::RowShare,
            Action::Cascade | Action::SetNull | Action::SetDefault => Mode::RowExclusive,
        };
        self.session.lock_checked(table.oid, mode)?;
        // Somebody may have the old key again.
        if action == Action::NoAction && !self.locks_scans() && self.parent_there(key, old)? {
            return Ok(());
        }
        let (from, to) = ((&**parent, &*key.referenced), (&**table, &*key.columns));
        let Some(referring) = self.equal_values(old, from, to) else { return Ok(()) };
        let refuses = matches!(action, Action::NoAction | Action::Restrict);
        let rows = self.find_some(table, &key.columns, &referring, refuses.then_some(1))?;
        if rows.is_empty() {
            return Ok(());
        }
        if refuses {
            let problem = Problem::StillReferred {
                table: table.name.clone(),
                constraint: constraint.name.clone(),
                key: self.key_text(parent, &key.referenced, old),
                reference: self.reference(table, key),
            };
            return Err(SqlError::from(problem).constraint(
                &table.schema,
                &table.name,
                &constraint.name,
            ));
        }
        for row in rows {
            let row = match self.session.is_engine() {
                true => {
                    let lock = if action == Action::Cascade && new.is_none() {
                        Lock::Update
                    } else {
                        Lock::NoKeyUpdate
                    };
                    let latest = !self.session.one_snapshot() && !self.locks_scans();
                    match self.get_locked(&row.key, lock, Wait::Forever, latest)? {
                        None | Some(Value::Null) => continue,
                        Some(stored) => self.row_of(table, Text::clone(&row.key), stored)?,
                    }
                }
                false => row,
            };
            if action == Action::Cascade && new.is_none() {
                self.delete_row(&row)?;
                continue;
            }
            let mut values = Vec::with_capacity(key.columns.len());
            for (place, &column) in key.columns.iter().enumerate() {
                let value = match (action, new) {
                    (Action::Cascade, Some(new)) => {
                        let from = parent.columns[key.referenced[place]].ty;
                        let to = &table.columns[column];
                        self.convert(new[place].clone(), from, to.ty, to.typmod, false)?
                    }
                    (Action::SetDefault, _) => self.default_value(table, column)?,
                    _ => Datum::Null,
                };
                values.push((column, value));
            }
            self.update_row(&row, values, &key.columns)?;
        }
        Ok(())
    }

    fn parent_there(&mut self, key: &ForeignKey, values: &[Datum]) -> Result<bool> {
        let Some(parent) = self.session.schema().table(key.table).cloned() else {
            return Ok(false);
        };
        Ok(!self.find_rows(&parent, &key.referenced, values)?.is_empty())
    }

    /// Checks that all rows of a table satisfy a constraint, as ALTER TABLE does.
    pub fn validate(&mut self, table: &Arc<Table>, constraint: &Arc<Constraint>) -> Result<()> {
        for row in self.fetch_all(table)?.iter() {
            let values = self.cells(row)?;
            match &constraint.kind {
                ConstraintKind::Check(_) => {
                    let plan = self.table_plan(table)?;
                    let check = plan.checks.iter().find(|(name, _)| *name == constraint.name);
                    let tuple = vec![Source::Values(values.into())];
                    if let Some((name, check)) = check
                        && matches!(self.eval(check, &tuple)?, Datum::Bool(false))
                    {
                        let (of, check) = (table.name.clone(), name.clone());
                        let problem = Problem::CheckFailsAlready { table: of, check };
                        return Err(SqlError::from(problem).constraint(
                            &table.schema,
                            &table.name,
                            name,
                        ));
                    }
                }
                ConstraintKind::Foreign(key) => {
                    let values: Vec<Datum> =
                        key.columns.iter().map(|&at| values[at].clone()).collect();
                    if !values.iter().any(Datum::is_null) {
                        self.check(Pending::Parent {
                            table: Arc::clone(table),
                            constraint: Arc::clone(constraint),
                            values,
                        })?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}
