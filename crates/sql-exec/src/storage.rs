//! Tables as keys of the store.
//!
//! The store knows keys and values, and a history has nothing else. So a key says to a reader what
//! it is: of a table `course` with the primary key `id`, an index on `dept` and a unique `name`,
//!
//! ```text
//!     by rows     course[7]                       [7,"Databases","CS",30]
//!     by cells    course[7]                       [7]         the row is there
//!                 course.seats[7]                 30          one cell of it
//!     index       course_dept_idx['CS',7]         [7]         which row has it
//!     unique      course_name_key['Databases']    [7]
//!     no key      log[#3]                         …           rows are numbered
//! ```
//!
//! Where an engine keeps an index unique, the value alone is the key of the entry: two transactions
//! that insert the same value write the same key, and one waits for the other.
//!
//! By cells, transactions that change different columns of a row do not meet. By rows they do, as in
//! the real databases, so an engine's store always keeps rows whole.

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

/// How often a row may turn out to have another key while its lock is waited for.
const MOST_MOVES: usize = 16;

/// What became of a row that a statement found, once its lock is held.
pub enum Locked {
    /// It is as it was found.
    Same,
    /// It was changed, or has another key; this is its newest version.
    Newer(Rc<BaseRow>),
    /// It was deleted.
    Gone,
    /// Another transaction holds a lock on it, and the statement does not wait.
    Busy,
}

impl Exec<'_> {
    pub(super) fn row_granularity(&self) -> bool {
        self.session.granularity() == Granularity::Row
    }

    /// Sends a request to the store.
    pub fn ask(&mut self, request: Request) -> Result<Answer> {
        self.session.ask(request)
    }

    fn get(&mut self, key: &str) -> Result<Value> {
        match self.ask(Request::get(key))? {
            Answer::Value(value) => Ok(value),
            other => Err(unexpected(&other)),
        }
    }

    /// Reads a key and locks it; `None` if the lock is taken and `wait` says not to wait.
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

    /// Notes that another part of the statement uses a row that was read before. If that read only
    /// counts as a search for what to lock, it is made again, so that the history has it as a read.
    fn read_again(&mut self, row: &BaseRow) -> Result<()> {
        if row.readers.replace(Readers::Several) == Readers::Search {
            self.get(&row.key)?;
        }
        Ok(())
    }

    /// Locks a row that the statement found, also under the key it has now. In the history the
    /// reads that found it then belong to the lock; if another part of the statement used them too,
    /// they are made again.
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

    /// The value of a key that is about to be inserted, once no other transaction is about to write
    /// it. A key without a value is locked.
    pub fn reserve(&mut self, key: &Text) -> Result<Value> {
        // Where a row that is there is not locked, the request is as it always was.
        let lock = if self.locks_scans() { self.twin_lock } else { Lock::Update };
        match self.ask(Request::reserve(Key::Text(Text::clone(key)), lock))? {
            Answer::Value(value) => Ok(value),
            other => Err(unexpected(&other)),
        }
    }

    /// The newest version of a key, without a lock on it.
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

    /// Writes a key that has no value, once no other transaction is about to write it. If it has
    /// one, that is returned and stays.
    pub fn put_new(&mut self, key: &Text, value: Value) -> Result<Value> {
        if let Value::Text(text) | Value::Json(text) = &value {
            hobgoblin_sql_schema::memory::stored(key.len() + text.len());
        }
        match self.ask(Request::insert(Key::Text(Text::clone(key)), value))? {
            Answer::Value(value) => Ok(value),
            other => Err(unexpected(&other)),
        }
    }

    /// Writes a key, whatever it had before.
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

    /// The keys and values that a check of a constraint finds in a range: in an engine the newest
    /// committed ones and the transaction's own.
    pub fn scan_latest(&mut self, range: KeyRange) -> Result<Vec<(Key, Value)>> {
        self.scan(range, self.session.is_engine())
    }

    /// The same for a search for rows that refer to another. Where scans lock, what is found is
    /// locked, or else the gap where it would be.
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

    /// A row, made of the value of its key.
    pub fn row_of(&mut self, table: &Arc<Table>, key: Text, stored: Value) -> Result<Rc<BaseRow>> {
        let cells = match self.row_granularity() {
            true => Vec::new(),
            false => self.presence_cells(table, &stored)?,
        };
        let (table, cells) = (Arc::clone(table), RefCell::new(cells));
        Ok(Rc::new(BaseRow { table, key, cells, stored, readers: Cell::new(Readers::One) }))
    }

    /// The cells that the key of a row tells, if each cell has a key of its own: those of the
    /// primary key.
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

    /// Reads the cells of a row that is kept whole.
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

    /// The value of a cell. It is read from the store if it has not been.
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

    /// The values of all cells, read as far as they have not been.
    pub fn cells(&mut self, row: &BaseRow) -> Result<Vec<Datum>> {
        (0..row.table.columns.len()).map(|at| self.cell(row, at)).collect()
    }

    /// The row whose key goes on with `id`, if there is one.
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

    /// The rows whose keys are in a range.
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

    /// A row that a scan has found; if the statement has read it before, the same as then.
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

    /// The key of a new row: by its primary key, or the next number.
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

    /// The values of a row in the columns of an index; `None` if the row does not satisfy the
    /// condition of a partial index.
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

    /// The key of an index entry. Where an engine keeps the index unique, the row is not part of
    /// it.
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

    /// Whether the key of an entry has only its values, and not the row.
    pub fn by_value(&self, index: &Index, values: &[Datum]) -> bool {
        let nulls = !index.nulls_not_distinct && values.iter().any(Datum::is_null);
        index.unique && self.session.is_engine() && !nulls
    }

    /// Writes a row: its key, and all its cells if these have keys of their own.
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

    /// Writes the cells in `set` of a row whose key stays the same.
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

    /// The rows that the entries name which were found in an index.
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

    /// The value of an entry of a unique index, by its key.
    pub fn entry(&mut self, key: &str) -> Result<Value> {
        self.get(key)
    }
}

/// The value of a row's key where cells have keys of their own: the primary key, or just that the
/// row is there.
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

/// The key of one cell of a row.
pub fn cell_key(table: &Table, column: &str, id: &str) -> String {
    format!("{}.{column}{id}", table.prefix)
}

/// Appends a value to a key, such that equal values give equal keys.
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
