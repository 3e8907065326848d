//! Tables as keys of the store.
//!
//! A row of `course` with primary key 7 is the key `course[7]`. By cells, that key only says that the row
//! is there (its value is the primary key), and `course.seats[7]` holds a cell; by rows, it holds all of
//! the row. A table without a primary key numbers its rows: `log[#3]`. An entry of an index is
//! `course_dept_idx['CS',7]`, whose value is the row's `[7]`; where an engine keeps an index unique, the
//! value alone is the key, so that two who insert it meet: `course_name_key['CS101']`.

use std::cell::{Cell, RefCell};
use std::fmt::Write;
use std::rc::Rc;
use std::sync::Arc;

use hobgoblin_core::{Key, Text, Value};
use hobgoblin_front::{Answer, KeyRange, Lock, Request, TransactionRequest, Wait};

use super::base_row::{BaseRow, Readers};
use super::exec::Exec;
use super::granularity::Granularity;
use super::outrun::was_updated;
use super::stored::{
    each_stored, from_stored, push_int, row_from_stored, row_to_stored, to_stored,
};
use super::table_plan::{IndexPlan, TablePlan};
use hobgoblin_sql_schema::Dialect;
use hobgoblin_sql_schema::catalog::{Column, Index, Table};
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::{Datum, TypeId, unpadded};

/// How often a row may have got another key while it was waited for.
const MOST_MOVES: usize = 16;

/// What became of a row that was found and is locked now.
pub enum Locked {
    /// It is as it was.
    Same,
    /// It has changed, or has another key.
    Newer(Rc<BaseRow>),
    /// It is gone.
    Gone,
    /// Somebody else has it, and this was not to wait.
    Busy,
}

impl Exec<'_> {
    pub(super) fn row_granularity(&self) -> bool {
        self.session.granularity() == Granularity::Row
    }

    /// Asks the store.
    pub fn ask(&mut self, request: Request) -> Result<Answer> {
        self.session.ask(request)
    }

    fn get(&mut self, key: &str) -> Result<Value> {
        match self.ask(Request::get(key))? {
            Answer::Value(value) => Ok(value),
            other => Err(unexpected(&other)),
        }
    }

    /// A locking read; `None` when the lock is not free and waiting is not wanted.
    pub fn get_locked(
        &mut self,
        key: &str,
        lock: Lock,
        wait: Wait,
        latest: bool,
    ) -> Result<Option<Value>> {
        let (key, policy, lock) = (Key::from(key), None, Some(lock));
        match self.ask(Request::Transaction(TransactionRequest::Get {
            key,
            policy,
            lock,
            wait,
            latest,
        }))? {
            Answer::Value(value) => Ok(Some(value)),
            Answer::Locked { .. } => Ok(None),
            other => Err(unexpected(&other)),
        }
    }

    /// Another part of the statement uses a row that was read before. If that read counts as a search for
    /// what to lock, it is made again, so that the history has it.
    fn read_again(&mut self, row: &BaseRow) -> Result<()> {
        if row.readers.replace(Readers::Several) == Readers::Search {
            self.get(&row.key)?;
        }
        Ok(())
    }

    /// Locks a row that the statement found, where there are locks, also under the key it has now.
    /// To the store the reads that found it belong to the lock then; where another part of the statement
    /// used them too, they are made again.
    pub fn lock_found(&mut self, row: &Rc<BaseRow>, lock: Lock, wait: Wait) -> Result<Locked> {
        if !self.session.is_engine() {
            return Ok(Locked::Same);
        }
        let found = self.get_locked(&row.key, lock, wait, false);
        // A row under another key was updated, whatever became of this one.
        let moved = || self.session.moved(&row.key).is_some();
        let found = if found.is_err() && moved() { found.map_err(was_updated) } else { found };
        let Some(mut stored) = found? else {
            return Ok(Locked::Busy);
        };
        match row.readers.get() {
            Readers::One => row.readers.set(Readers::Search),
            Readers::Several => {
                self.get(&row.key)?;
            }
            _ => {}
        }
        let mut key = Text::clone(&row.key);
        for _ in 0..MOST_MOVES {
            if stored != Value::Null {
                break;
            }
            let Some(moved) = self.session.moved(&key).filter(|_| !self.session.one_snapshot())
            else {
                // Whoever waits for it behind this one finds the same.
                self.ask(Request::STAND_ASIDE)?;
                return Ok(Locked::Gone);
            };
            key = moved;
            match self.get_locked(&key, lock, wait, true)? {
                Some(now) => stored = now,
                None => return Ok(Locked::Busy),
            }
        }
        if stored == Value::Null {
            return Ok(Locked::Gone);
        }
        if key == row.key && stored == row.stored {
            return Ok(Locked::Same);
        }
        self.row_of(&row.table, key, stored).map(Locked::Newer)
    }

    /// What is at a key that is to be inserted, once nobody else is about to write it. A key that holds
    /// nothing is locked.
    pub fn reserve(&mut self, key: &Text) -> Result<Value> {
        // Where a row that is there is not locked, the request is as it always was.
        let lock = if self.locks_scans() { self.twin_lock } else { Lock::Update };
        match self.ask(Request::reserve(Key::Text(Text::clone(key)), lock))? {
            Answer::Value(value) => Ok(value),
            other => Err(unexpected(&other)),
        }
    }

    /// The newest version of a key, without a lock.
    pub fn latest(&mut self, key: &str) -> Result<Value> {
        let (key, policy, lock, wait) = (Key::from(key), None, None, Wait::Forever);
        match self.ask(Request::Transaction(TransactionRequest::Get {
            key,
            policy,
            lock,
            wait,
            latest: true,
        }))? {
            Answer::Value(value) => Ok(value),
            other => Err(unexpected(&other)),
        }
    }

    /// Writes a key that holds nothing, once nobody else is about to; else gives what it holds.
    pub fn put_new(&mut self, key: &Text, value: Value) -> Result<Value> {
        if let Value::Text(text) | Value::Json(text) = &value {
            hobgoblin_sql_schema::memory::stored(key.len() + text.len());
        }
        match self.ask(Request::insert(Key::Text(Text::clone(key)), value))? {
            Answer::Value(value) => Ok(value),
            other => Err(unexpected(&other)),
        }
    }

    /// Writes a key.
    pub fn put(&mut self, key: impl Into<Text>, value: Value) -> Result<()> {
        let key = key.into();
        if let Value::Text(text) | Value::Json(text) = &value {
            hobgoblin_sql_schema::memory::stored(key.len() + text.len());
        }
        self.ask(Request::put(Key::Text(key), value)).map(|_| ())
    }

    /// The keys and values of a range.
    pub fn scan_keys(&mut self, range: KeyRange) -> Result<Vec<(Key, Value)>> {
        self.scan(range, false)
    }

    /// What a check of a constraint finds in a range: in an engine the newest committed versions, and its own.
    pub fn scan_latest(&mut self, range: KeyRange) -> Result<Vec<(Key, Value)>> {
        self.scan(range, self.session.is_engine())
    }

    /// The same for what may refer to a row: where scans lock, what is found is locked, or the gap where it would be.
    pub fn scan_referring(
        &mut self,
        range: KeyRange,
        needed: Option<u32>,
    ) -> Result<Vec<(Key, Value)>> {
        let lock = self.locks_scans().then_some(Lock::Share);
        self.scan_locking(range, self.session.is_engine(), lock, needed)
    }

    fn scan(&mut self, range: KeyRange, latest: bool) -> Result<Vec<(Key, Value)>> {
        self.scan_locking(range, latest, None, None)
    }

    fn scan_locking(
        &mut self,
        range: KeyRange,
        latest: bool,
        lock: Option<Lock>,
        limit: Option<u32>,
    ) -> Result<Vec<(Key, Value)>> {
        match self.ask(Request::Transaction(TransactionRequest::Scan {
            range,
            limit,
            backwards: false,
            policy: None,
            latest,
            lock,
            wait: Wait::Forever,
        }))? {
            Answer::Rows(rows) => Ok(rows),
            other => Err(unexpected(&other)),
        }
    }

    /// Makes a row of what its key holds.
    pub fn row_of(&mut self, table: &Arc<Table>, key: Text, stored: Value) -> Result<Rc<BaseRow>> {
        let cells = match self.row_granularity() {
            true => Vec::new(),
            false => self.presence_cells(table, &stored)?,
        };
        let (table, cells) = (Arc::clone(table), RefCell::new(cells));
        Ok(Rc::new(BaseRow { table, key, cells, stored, readers: Cell::new(Readers::One) }))
    }

    /// What the key of a row says of its cells where each has a key of its own.
    fn presence_cells(&mut self, table: &Arc<Table>, stored: &Value) -> Result<Vec<Option<Datum>>> {
        let plan = self.table_plan(table)?;
        let mut cells: Vec<Option<Datum>> = vec![None; table.columns.len()];
        if let Some(primary) = &plan.primary {
            let types: Vec<TypeId> = primary.iter().map(|&at| plan.types[at]).collect();
            let values = row_from_stored(stored, &types, &self.session.env(), self.dialect())?;
            for (&at, value) in primary.iter().zip(values) {
                cells[at] = Some(value);
            }
        }
        for (cell, column) in cells.iter_mut().zip(&table.columns) {
            if column.dropped {
                *cell = Some(Datum::Null);
            }
        }
        Ok(cells)
    }

    /// Makes the cells of a row that is kept whole.
    fn unfold(&self, row: &BaseRow) -> Result<()> {
        let columns = &row.table.columns;
        let mut cells = row.cells.borrow_mut();
        cells.reserve_exact(columns.len());
        let types = columns.iter().map(Column::stored_as);
        let read = each_stored(&row.stored, types, &self.session.env(), self.dialect(), |cell| {
            cells.push(Some(cell))
        });
        read.inspect_err(|_| cells.clear())?;
        // Those that were added since it was written.
        let written = cells.len();
        cells.extend(columns[written..].iter().map(|column| Some(column.missing.clone())));
        for (cell, column) in cells.iter_mut().zip(columns) {
            if column.dropped {
                *cell = Some(Datum::Null);
            }
        }
        Ok(())
    }

    /// A cell of a row.
    pub fn cell(&mut self, row: &BaseRow, column: usize) -> Result<Datum> {
        if row.cells.borrow().is_empty() && self.row_granularity() {
            self.unfold(row)?;
        }
        if let Some(Some(value)) = row.cells.borrow().get(column) {
            return Ok(value.clone());
        }
        let Some(info) = row.table.columns.get(column) else {
            return Err(SqlError::internal("a column is out of range"));
        };
        let key = cell_key(&row.table, &info.name, row.id());
        let stored = self.get(&key)?;
        let value = from_stored(&stored, info.ty, &self.session.env(), self.dialect())?;
        row.cells.borrow_mut()[column] = Some(value.clone());
        Ok(value)
    }

    /// All cells of a row.
    pub fn cells(&mut self, row: &BaseRow) -> Result<Vec<Datum>> {
        (0..row.table.columns.len()).map(|at| self.cell(row, at)).collect()
    }

    /// The row of a key, if it is there.
    pub fn fetch(&mut self, table: &Arc<Table>, id: &str) -> Result<Option<Rc<BaseRow>>> {
        let key: Text = format!("{}{id}", table.prefix).into();
        if let Some(known) = self.rows.get(&key).cloned() {
            known.iter().try_for_each(|row| self.read_again(row))?;
            return Ok(known);
        }
        let row = match self.get(&key)? {
            Value::Null => None,
            stored => Some(self.row_of(table, Text::clone(&key), stored)?),
        };
        self.rows.insert(key, row.clone());
        Ok(row)
    }

    /// The rows of a range of row keys.
    pub fn fetch_range(
        &mut self,
        table: &Arc<Table>,
        range: KeyRange,
    ) -> Result<Rc<Vec<Rc<BaseRow>>>> {
        let name = (bound_text(&range, true), bound_text(&range, false));
        if let Some(known) = self.scans.get(&name).cloned() {
            known.iter().try_for_each(|row| self.read_again(row))?;
            return Ok(known);
        }
        let mut rows = Vec::new();
        for (key, stored) in self.scan_keys(range)? {
            let Key::Text(key) = key else { continue };
            rows.push(self.row_found(table, key, stored)?);
        }
        let rows = Rc::new(rows);
        self.scans.insert(name, Rc::clone(&rows));
        Ok(rows)
    }

    /// A row that a scan found; if the statement has read it before, that one.
    pub(super) fn row_found(
        &mut self,
        table: &Arc<Table>,
        key: Text,
        stored: Value,
    ) -> Result<Rc<BaseRow>> {
        if let Some(known) = self.rows.get(&key).cloned().flatten() {
            self.read_again(&known)?;
            return Ok(known);
        }
        let row = self.row_of(table, Text::clone(&key), stored)?;
        self.rows.insert(key, Some(Rc::clone(&row)));
        Ok(row)
    }

    /// All rows of a table.
    pub fn fetch_all(&mut self, table: &Arc<Table>) -> Result<Rc<Vec<Rc<BaseRow>>>> {
        let range = KeyRange::prefix(&format!("{}[", table.prefix));
        self.fetch_range(table, range)
    }

    /// The key of a row: its primary key, or the next number.
    pub fn row_key(&mut self, table: &Arc<Table>, values: &[Datum]) -> Result<Text> {
        let plan = self.table_plan(table)?;
        let mut key = String::with_capacity(table.prefix.len() + 16);
        key.push_str(&table.prefix);
        key.push('[');
        match &plan.primary {
            Some(primary) => {
                for (place, &at) in primary.iter().enumerate() {
                    if place > 0 {
                        key.push(',');
                    }
                    self.key_component(&mut key, &values[at], plan.types[at])?;
                }
            }
            None => {
                let counter = Key::from(format!("{} rows", table.prefix));
                let number = match self.ask(Request::advance(counter, 1))? {
                    Answer::Value(Value::Int(number)) => number + 1,
                    other => return Err(unexpected(&other)),
                };
                key.push('#');
                push_int(&mut key, number);
            }
        }
        key.push(']');
        Ok(key.into())
    }

    /// The values of an index's columns for a row; `None` when the index does not have the row.
    pub fn index_values(
        &mut self,
        plan: &IndexPlan,
        row: &super::Source,
    ) -> Result<Option<Vec<Datum>>> {
        let tuple = vec![row.clone()];
        if let Some(predicate) = &plan.predicate
            && !matches!(self.eval(predicate, &tuple)?, Datum::Bool(true))
        {
            return Ok(None);
        }
        let mut values = Vec::with_capacity(plan.keys.len());
        for key in &plan.keys {
            values.push(self.eval(key, &tuple)?);
        }
        Ok(Some(values))
    }

    /// The key of an index entry. Where an engine keeps it unique, the row is not part of it.
    pub fn entry_key(&self, plan: &IndexPlan, values: &[Datum], id: &str) -> String {
        let types = plan.keys.iter().map(|key| key.ty);
        let prefix = &plan.index.prefix;
        let mut key = String::with_capacity(prefix.len() + 12 * values.len() + id.len() + 2);
        key.push_str(prefix);
        key.push('[');
        for (at, (value, ty)) in values.iter().zip(types).enumerate() {
            if at > 0 {
                key.push(',');
            }
            component(&mut key, value, ty, self.dialect());
        }
        if plan.deferrable.is_some() || !self.by_value(&plan.index, values) {
            key.push(',');
            key.push_str(id.trim_start_matches('[').trim_end_matches(']'));
        }
        key.push(']');
        key
    }

    /// Whether an entry's key is its value alone.
    pub fn by_value(&self, index: &Index, values: &[Datum]) -> bool {
        let nulls = !index.nulls_not_distinct && values.iter().any(Datum::is_null);
        index.unique && self.session.is_engine() && !nulls
    }

    /// Writes all of a row.
    pub fn write_row(&mut self, table: &Arc<Table>, key: &Text, values: &[Datum]) -> Result<()> {
        let plan = self.table_plan(table)?;
        if self.row_granularity() {
            return self.put(Text::clone(key), row_to_stored(values, &plan.types, self.dialect()));
        }
        self.put(Text::clone(key), presence(&plan, values, self.dialect()))?;
        let id = &key[table.prefix.len()..];
        for (at, column) in table.columns.iter().enumerate() {
            let keyed = plan.primary.as_ref().is_some_and(|primary| primary.contains(&at));
            if !column.dropped && !keyed {
                self.put(
                    cell_key(table, &column.name, id),
                    to_stored(&values[at], column.ty, self.dialect()),
                )?;
            }
        }
        Ok(())
    }

    /// Writes the cells of a row that were set; its key stays.
    pub fn write_cells(
        &mut self,
        table: &Arc<Table>,
        key: &Text,
        values: &[Datum],
        set: &[usize],
    ) -> Result<()> {
        let plan = self.table_plan(table)?;
        if self.row_granularity() {
            return self.put(Text::clone(key), row_to_stored(values, &plan.types, self.dialect()));
        }
        let id = &key[table.prefix.len()..];
        let keyed = |at: usize| plan.primary.as_ref().is_some_and(|p| p.contains(&at));
        // Keys that are equal may be written otherwise.
        if set.iter().any(|&at| keyed(at) && self.dialect().facts(table.columns[at].ty).caseless) {
            self.put(Text::clone(key), presence(&plan, values, self.dialect()))?;
        }
        for &at in set {
            if !keyed(at) {
                let column = &table.columns[at];
                self.put(
                    cell_key(table, &column.name, id),
                    to_stored(&values[at], column.ty, self.dialect()),
                )?;
            }
        }
        Ok(())
    }

    /// Takes the result of a prefix lookup in an index: the rows its entries name.
    pub fn rows_of_entries(
        &mut self,
        table: &Arc<Table>,
        entries: Vec<(Key, Value)>,
    ) -> Result<Vec<Rc<BaseRow>>> {
        let mut rows = Vec::with_capacity(entries.len());
        for (_, value) in entries {
            if let Value::Text(id) = value
                && let Some(row) = self.fetch(table, &id)?
            {
                rows.push(row);
            }
        }
        Ok(rows)
    }

    /// A unique entry by its value, where that is its key.
    pub fn entry(&mut self, key: &str) -> Result<Value> {
        self.get(key)
    }
}

/// What the key of a row holds by cells: the primary key, or that the row is there.
fn presence(plan: &TablePlan, values: &[Datum], dialect: &dyn Dialect) -> Value {
    match &plan.primary {
        Some(primary) => {
            let key: Vec<Datum> = primary.iter().map(|&at| values[at].clone()).collect();
            let types: Vec<TypeId> = primary.iter().map(|&at| plan.types[at]).collect();
            row_to_stored(&key, &types, dialect)
        }
        None => Value::Bool(true),
    }
}

/// The key of a cell.
pub fn cell_key(table: &Table, column: &str, id: &str) -> String {
    format!("{}.{column}{id}", table.prefix)
}

/// A value as part of a key: equal values are written alike.
pub fn component(out: &mut String, value: &Datum, ty: TypeId, dialect: &dyn Dialect) {
    match value {
        Datum::Null => out.push_str("null"),
        Datum::Int(number) => push_int(out, *number),
        Datum::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Datum::Text(text) | Datum::Enum(_, text) => quoted(out, text),
        Datum::Citext(value) => quoted(out, &value.folded),
        Datum::Char(text) => quoted(out, unpadded(text)),
        other if dialect.key_part(out, other, ty) => {}
        Datum::Numeric(number) => quoted(out, &number.trim_scale().to_string()),
        Datum::Float(number) if *number == 0.0 => out.push_str("'0'"),
        other => match to_stored(other, ty, dialect) {
            Value::Text(text) | Value::Json(text) => quoted(out, &text),
            value => {
                let _ = write!(out, "{value}");
            }
        },
    }
}

fn quoted(out: &mut String, text: &str) {
    out.push('\'');
    for c in text.chars() {
        if c == '\'' {
            out.push('\'');
        }
        out.push(c);
    }
    out.push('\'');
}

fn bound_text(range: &KeyRange, from: bool) -> Text {
    let bound = if from { range.from() } else { range.to() };
    match bound {
        std::ops::Bound::Included(Key::Text(text)) => format!("={text}").into(),
        std::ops::Bound::Excluded(Key::Text(text)) => Text::clone(text),
        _ => "".into(),
    }
}

pub(super) fn unexpected(answer: &Answer) -> SqlError {
    SqlError::internal(format!("the store gave an unexpected answer: {answer:?}"))
}
