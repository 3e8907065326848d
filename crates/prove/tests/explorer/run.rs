//! Runs a transaction of a tree on cells.
//!
//! A row that there can be has one cell for whether it is there, and one for each column that is not of the key. A statement
//! that looks for rows reads whether each of them is there, unless the filter leaves it out by its key alone, and of those
//! that are there the columns it speaks of.
//!
//! Some of these reads are *noted*: those without which a statement might have come to something else. A change that finds a
//! row does not note that it is there; EXISTS notes one row that makes it true; MIN over the key the rows up to the least.

use std::collections::{BTreeMap, BTreeSet};

use crate::tree::{
    Comparison, Condition, Conflict, Fold, Folded, Order, Program, Rows, Statement, Value, Variable,
};

/// Who wrote a version: zero for what was there at first, else an instance by its place from one.
pub(crate) type Writer = usize;

/// The database as a transaction sees it, its own writes included.
pub(crate) trait Cells {
    type Stop;
    fn get(&mut self, cell: usize) -> Result<(Writer, Option<i64>), Self::Stop>;
    fn put(&mut self, cell: usize, value: Option<i64>) -> Result<(), Self::Stop>;
}

/// Why a transaction does not go on.
pub(crate) enum Halt<S> {
    Abort,
    Return,
    Stop(S),
}

/// Who can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Teller {
    /// The transaction itself, and a replay knows.
    Both,
    /// What a statement computed, which a replay finds in what is left, if at all.
    Solver,
    /// What a replay writes down in its own way.
    Replay,
}

/// Something that a transaction could tell: where, and what.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Observation {
    pub(crate) teller: Teller,
    place: Vec<usize>,
    values: Vec<Option<i64>>,
}

/// What a transaction did.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    /// Versions of others that it read, in order, each once.
    pub(crate) reads: Vec<(usize, Writer)>,
    /// The cells whose reads are noted.
    pub(crate) noted: BTreeSet<usize>,
    pub(crate) writes: BTreeMap<usize, Option<i64>>,
    pub(crate) observations: Vec<Observation>,
}

impl Log {
    /// What the transaction observed.
    pub(crate) fn observed(&self) -> impl Iterator<Item = &Observation> {
        self.observations.iter().filter(|one| match one.teller {
            Teller::Both | Teller::Solver => true,
            Teller::Replay => false,
        })
    }

    /// What a replay writes down of it.
    pub(crate) fn replayed(&self) -> impl Iterator<Item = &Observation> {
        self.observations.iter().filter(|one| match one.teller {
            Teller::Both | Teller::Replay => true,
            Teller::Solver => false,
        })
    }
}

/// The rows there can be, as cells.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Of each table its first cell, how many rows it can have, and how many cells a row.
    tables: Vec<(usize, usize, usize)>,
    keys: usize,
}

impl Layout {
    pub(crate) fn new(program: &Program) -> Layout {
        let mut first = 0;
        let mut tables = Vec::new();
        for table in &program.tables {
            let (rows, cells) = (program.keys.pow(table.key as u32), 1 + table.nullable.len());
            tables.push((first, rows, cells));
            first += rows * cells;
        }
        Layout { tables, keys: program.keys }
    }

    pub(crate) fn cells(&self) -> usize {
        self.tables.last().map_or(0, |(first, rows, cells)| first + rows * cells)
    }

    pub(crate) fn rows(&self, table: usize) -> usize {
        self.tables[table].1
    }

    /// Whether a row is there.
    pub(crate) fn alive(&self, table: usize, row: usize) -> usize {
        let (first, _, cells) = self.tables[table];
        first + row * cells
    }

    /// A column of a row, counted without the key.
    pub(crate) fn column(&self, table: usize, row: usize, at: usize) -> usize {
        self.alive(table, row) + 1 + at
    }

    /// The key of a row; rows are in the order of their keys.
    pub(crate) fn key(&self, row: usize, columns: usize) -> Vec<i64> {
        let mut rest = row;
        let mut key: Vec<i64> = Vec::new();
        for _ in 0..columns {
            key.push((rest % self.keys) as i64);
            rest /= self.keys;
        }
        key.reverse();
        key
    }

    /// The row of a key, if it is one there can be.
    pub(crate) fn row(&self, key: &[i64]) -> Option<usize> {
        key.iter().try_fold(0, |row, &value| {
            let value = usize::try_from(value).ok().filter(|&value| value < self.keys)?;
            Some(row * self.keys + value)
        })
    }
}

/// A run of a transaction with parameters.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) transaction: usize,
    pub(crate) parameters: Vec<i64>,
}

/// Runs an instance; nothing if it aborts.
pub(crate) fn run<C: Cells>(
    program: &Program,
    layout: &Layout,
    instance: &Instance,
    cells: &mut C,
) -> Result<Option<Log>, C::Stop> {
    let transaction = &program.transactions[instance.transaction];
    let mut machine = Machine {
        program,
        layout,
        cells,
        variables: instance.parameters.iter().map(|&value| Some(value)).collect(),
        found: false,
        asks_found: transaction.asks_found(),
        place: Vec::new(),
        log: Log::default(),
    };
    match machine.block(&transaction.body) {
        Ok(()) | Err(Halt::Return) => Ok(Some(machine.log)),
        Err(Halt::Abort) => Ok(None),
        Err(Halt::Stop(stop)) => Err(stop),
    }
}

struct Machine<'p, C: Cells> {
    program: &'p Program,
    layout: &'p Layout,
    cells: &'p mut C,
    variables: Vec<Option<i64>>,
    found: bool,
    asks_found: bool,
    /// Where it is: statements and rounds, from outside.
    place: Vec<usize>,
    log: Log,
}

type Step<T, C> = Result<T, Halt<<C as Cells>::Stop>>;

/// A row that a filter may choose.
struct Looked {
    row: usize,
    alive: bool,
    matched: bool,
}

/// The row that columns are of.
type At = Option<(usize, usize)>;

impl<C: Cells> Machine<'_, C> {
    fn block(&mut self, statements: &[Statement]) -> Step<(), C> {
        for (at, statement) in statements.iter().enumerate() {
            self.place.push(at);
            self.statement(statement)?;
            self.place.pop();
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> Step<(), C> {
        match statement {
            Statement::First { rows, columns, into, order } => {
                self.first(rows, columns, into, *order)
            }
            Statement::All { rows, columns } => {
                let looked = self.look_for_all(rows, columns)?;
                let mut found = Vec::new();
                for &row in &looked {
                    found.push(self.columns(rows.table, row, columns)?);
                }
                found.sort();
                self.observe(Teller::Both, found.concat());
                self.set_found(!looked.is_empty());
                Ok(())
            }
            Statement::Fold { query, into } => {
                let value = self.fold(query)?;
                self.observe(Teller::Both, vec![value]);
                self.assign(*into, value);
                self.set_found(true);
                Ok(())
            }
            Statement::Assign { value, into } => {
                let result = self.value(value, None)?;
                if has_query(value) {
                    self.observe(Teller::Replay, vec![result]);
                }
                self.assign(*into, result);
                Ok(())
            }
            Statement::Update { rows, set } => {
                let looked = self.look_to_change(rows)?;
                let mut changes = Vec::new();
                for &row in &looked {
                    changes.push((row, self.computed(rows.table, row, set)?));
                }
                for (row, values) in changes {
                    self.change(rows.table, row, &values)?;
                }
                self.changed(!looked.is_empty());
                Ok(())
            }
            Statement::Delete { rows } => {
                let looked = self.look_to_change(rows)?;
                for &row in &looked {
                    self.put(self.layout.alive(rows.table, row), Some(0))?;
                }
                self.changed(!looked.is_empty());
                Ok(())
            }
            Statement::Insert { table, values, conflict } => self.insert(*table, values, conflict),
            Statement::If { condition, then, otherwise } => {
                let holds = self.condition(condition, None)?;
                if asks(condition) {
                    self.observe(Teller::Replay, vec![holds.map(i64::from)]);
                }
                let branch = usize::from(holds == Some(true));
                self.place.push(branch);
                self.block(if branch == 1 { then } else { otherwise })?;
                self.place.pop();
                Ok(())
            }
            Statement::For { rows, columns, into, body } => {
                let mut rounds = Vec::new();
                for row in self.look_for_all(rows, columns)? {
                    rounds.push((row, self.columns(rows.table, row, columns)?));
                }
                let all = rounds.iter().flat_map(|(_, values)| values.clone()).collect();
                self.observe(Teller::Both, all);
                let any = !rounds.is_empty();
                for (row, values) in rounds {
                    for (&variable, value) in into.iter().zip(values) {
                        self.assign(variable, value);
                    }
                    self.place.push(row);
                    self.block(body)?;
                    self.place.pop();
                }
                self.set_found(any);
                Ok(())
            }
            Statement::Raise => Err(Halt::Abort),
            Statement::Return(value) => {
                let value = self.value(value, None)?;
                self.observe(Teller::Both, vec![value]);
                Err(Halt::Return)
            }
        }
    }

    fn assign(&mut self, variable: Variable, value: Option<i64>) {
        if self.variables.len() <= variable {
            self.variables.resize(variable + 1, None);
        }
        self.variables[variable] = value;
    }

    fn observe(&mut self, teller: Teller, values: Vec<Option<i64>>) {
        self.log.observations.push(Observation { teller, place: self.place.clone(), values });
    }

    fn set_found(&mut self, found: bool) {
        self.found = found;
        if self.asks_found {
            self.observe(Teller::Solver, vec![Some(i64::from(found))]);
        }
    }

    fn changed(&mut self, found: bool) {
        self.set_found(found);
        if self.asks_found {
            self.observe(Teller::Replay, vec![Some(i64::from(found))]);
        }
    }

    /// Reads a cell without noting it.
    fn get(&mut self, cell: usize) -> Step<Option<i64>, C> {
        let (writer, value) = self.cells.get(cell).map_err(Halt::Stop)?;
        let own = self.log.writes.contains_key(&cell);
        if !own && !self.log.reads.iter().any(|&(read, _)| read == cell) {
            self.log.reads.push((cell, writer));
        }
        Ok(value)
    }

    /// Notes that a cell is read, unless it is its own.
    fn note(&mut self, cell: usize) -> Step<(), C> {
        self.get(cell)?;
        if !self.log.writes.contains_key(&cell) {
            self.log.noted.insert(cell);
        }
        Ok(())
    }

    fn put(&mut self, cell: usize, value: Option<i64>) -> Step<(), C> {
        self.log.writes.insert(cell, value);
        self.cells.put(cell, value).map_err(Halt::Stop)
    }

    fn column(&mut self, table: usize, row: usize, at: usize) -> Step<Option<i64>, C> {
        let key = self.program.tables[table].key;
        match at.checked_sub(key) {
            None => Ok(Some(self.layout.key(row, key)[at])),
            Some(at) => self.get(self.layout.column(table, row, at)),
        }
    }

    fn columns(&mut self, table: usize, row: usize, all: &[usize]) -> Step<Vec<Option<i64>>, C> {
        all.iter().map(|&at| self.column(table, row, at)).collect()
    }

    fn note_columns(&mut self, table: usize, row: usize, all: &[usize]) -> Step<(), C> {
        let key = self.program.tables[table].key;
        for at in all.iter().filter_map(|at| at.checked_sub(key)) {
            self.note(self.layout.column(table, row, at))?;
        }
        Ok(())
    }

    fn value(&mut self, value: &Value, row: At) -> Step<Option<i64>, C> {
        Ok(match value {
            Value::Null => None,
            Value::Int(value) => Some(*value),
            Value::Variable(variable) => self.variables.get(*variable).copied().flatten(),
            Value::Column(at) => {
                let (table, row) = row.expect("a row is at hand where columns are named");
                self.column(table, row, *at)?
            }
            Value::Plus(left, right) => {
                let both = self.value(left, row)?.zip(self.value(right, row)?);
                both.map(|(left, right)| left + right)
            }
            Value::Minus(left, right) => {
                let both = self.value(left, row)?.zip(self.value(right, row)?);
                both.map(|(left, right)| left - right)
            }
            Value::OrZero(of) => self.value(of, row)?.or(Some(0)),
            Value::Query(query) => {
                let value = self.fold(query)?;
                self.observe(Teller::Solver, vec![value]);
                value
            }
        })
    }

    fn condition(&mut self, condition: &Condition, row: At) -> Step<Option<bool>, C> {
        Ok(match condition {
            Condition::Compare(how, left, right) => {
                let (left, right) = (self.value(left, row)?, self.value(right, row)?);
                left.zip(right).map(|(left, right)| match how {
                    Comparison::Equal => left == right,
                    Comparison::Differ => left != right,
                    Comparison::Less => left < right,
                })
            }
            Condition::IsNull(value) => Some(self.value(value, row)?.is_none()),
            Condition::Not(of) => self.condition(of, row)?.map(|holds| !holds),
            Condition::Or(left, right) => {
                match (self.condition(left, row)?, self.condition(right, row)?) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                }
            }
            Condition::Exists(rows) => {
                let filter = self.hoisted(&rows.filter)?;
                let looked = self.looked(rows.table, &filter)?;
                let first = looked.iter().find(|looked| looked.matched);
                let noted = first.map_or(&looked[..], std::slice::from_ref);
                self.note_looked(rows.table, noted, &filter)?;
                let exists = first.is_some();
                self.observe(Teller::Solver, vec![Some(i64::from(exists))]);
                Some(exists)
            }
            Condition::Found => Some(self.found),
        })
    }

    /// A filter whose queries are answered, once.
    fn hoisted(&mut self, filter: &[Condition]) -> Step<Vec<Condition>, C> {
        filter.iter().map(|condition| self.hoist(condition)).collect()
    }

    fn hoist(&mut self, condition: &Condition) -> Step<Condition, C> {
        Ok(match condition {
            Condition::Compare(how, left, right) => {
                Condition::Compare(*how, self.hoist_value(left)?, self.hoist_value(right)?)
            }
            Condition::IsNull(value) => Condition::IsNull(self.hoist_value(value)?),
            Condition::Not(of) => Condition::Not(Box::new(self.hoist(of)?)),
            Condition::Or(left, right) => {
                Condition::Or(Box::new(self.hoist(left)?), Box::new(self.hoist(right)?))
            }
            Condition::Exists(_) | Condition::Found => condition.clone(),
        })
    }

    fn hoist_value(&mut self, value: &Value) -> Step<Value, C> {
        Ok(match value {
            Value::Query(_) => self.value(value, None)?.map_or(Value::Null, Value::Int),
            other => other.clone(),
        })
    }

    /// The rows that a filter does not leave out by their keys alone.
    fn looked(&mut self, table: usize, filter: &[Condition]) -> Step<Vec<Looked>, C> {
        let key = self.program.tables[table].key;
        let mut all = Vec::new();
        'rows: for row in 0..self.layout.rows(table) {
            for condition in filter {
                let of_key = columns_of(condition).iter().all(|&at| at < key);
                if of_key && self.condition(condition, Some((table, row)))? != Some(true) {
                    continue 'rows;
                }
            }
            let alive = self.get(self.layout.alive(table, row))? == Some(1);
            let mut matched = alive;
            if alive {
                for condition in filter {
                    matched &= self.condition(condition, Some((table, row)))? == Some(true);
                }
            }
            all.push(Looked { row, alive, matched });
        }
        Ok(all)
    }

    fn note_looked(
        &mut self,
        table: usize,
        looked: &[Looked],
        filter: &[Condition],
    ) -> Step<(), C> {
        for looked in looked {
            self.note(self.layout.alive(table, looked.row))?;
            if looked.alive {
                for condition in filter {
                    self.note_columns(table, looked.row, &columns_of(condition))?;
                }
            }
        }
        Ok(())
    }

    /// The rows of a query that puts all of them out.
    fn look_for_all(&mut self, rows: &Rows, columns: &[usize]) -> Step<Vec<usize>, C> {
        let filter = self.hoisted(&rows.filter)?;
        let looked = self.looked(rows.table, &filter)?;
        self.note_looked(rows.table, &looked, &filter)?;
        let matched: Vec<usize> =
            looked.iter().filter(|looked| looked.matched).map(|looked| looked.row).collect();
        for &row in &matched {
            self.note_columns(rows.table, row, columns)?;
        }
        Ok(matched)
    }

    /// The rows that a change finds. That one is there is not noted, since what it does to it tells.
    fn look_to_change(&mut self, rows: &Rows) -> Step<Vec<usize>, C> {
        let filter = self.hoisted(&rows.filter)?;
        let looked = self.looked(rows.table, &filter)?;
        for looked in &looked {
            if self.asks_found || !looked.alive {
                self.note(self.layout.alive(rows.table, looked.row))?;
            }
            if looked.alive {
                for condition in &filter {
                    self.note_columns(rows.table, looked.row, &columns_of(condition))?;
                }
            }
            self.place.push(looked.row);
            self.observe(Teller::Solver, vec![Some(i64::from(looked.matched))]);
            self.place.pop();
        }
        Ok(looked.iter().filter(|looked| looked.matched).map(|looked| looked.row).collect())
    }

    fn first(
        &mut self,
        rows: &Rows,
        columns: &[usize],
        into: &[Variable],
        order: Order,
    ) -> Step<(), C> {
        let table = rows.table;
        let filter = self.hoisted(&rows.filter)?;
        let looked = self.looked(table, &filter)?;
        let mut matched = Vec::new();
        for one in looked.iter().filter(|one| one.matched) {
            let key: Vec<i64> = self.layout.key(one.row, self.program.tables[table].key);
            let rank = match order {
                Order::One | Order::Key => (0, 0, key),
                Order::KeyDown => (0, 0, key.into_iter().map(|value| -value).collect()),
                Order::Column(at) => match self.column(table, one.row, at)? {
                    Some(value) => (0, value, key),
                    None => (1, 0, key),
                },
            };
            matched.push((rank, one.row));
        }
        let first = matched.iter().min().map(|&(_, row)| row);
        let single = matches!(order, Order::One) || self.layout.rows(table) == 1;
        match first {
            Some(row) if single => {
                let one = looked.iter().position(|one| one.row == row).expect("it was looked at");
                self.note_looked(table, &looked[one..=one], &filter)?;
            }
            _ => self.note_looked(table, &looked, &filter)?,
        }
        if let (Order::Column(at), false) = (order, single) {
            for (_, row) in matched {
                self.note_columns(table, row, &[at])?;
            }
        }
        let values = match first {
            Some(row) => {
                self.note_columns(table, row, columns)?;
                self.columns(table, row, columns)?
            }
            None => vec![None; columns.len()],
        };
        let found = first.is_some();
        self.observe(Teller::Both, values.clone());
        if self.asks_found {
            self.observe(Teller::Replay, vec![Some(i64::from(found))]);
        }
        for (&variable, value) in into.iter().zip(values) {
            self.assign(variable, value);
        }
        self.set_found(found);
        Ok(())
    }

    fn fold(&mut self, query: &Folded) -> Step<Option<i64>, C> {
        let Folded { fold, rows: Rows { table, filter } } = query;
        let filter = self.hoisted(filter)?;
        let looked = self.looked(*table, &filter)?;
        let of = match fold {
            Fold::Count => None,
            Fold::Sum(at) | Fold::Min(at) | Fold::Max(at) => Some(*at),
        };
        let mut values = Vec::new();
        for one in looked.iter().filter(|one| one.matched) {
            match of {
                None => values.push(1),
                Some(at) => {
                    self.note_columns(*table, one.row, &[at])?;
                    values.extend(self.column(*table, one.row, at)?);
                }
            }
        }
        let result = match fold {
            Fold::Count => Some(values.len() as i64),
            Fold::Sum(_) => (!values.is_empty()).then(|| values.iter().sum()),
            Fold::Min(_) => values.iter().min().copied(),
            Fold::Max(_) => values.iter().max().copied(),
        };
        let key = self.program.tables[*table].key;
        for one in looked {
            let behind = match (fold, result) {
                (Fold::Min(at), Some(least)) if *at < key => {
                    self.layout.key(one.row, key)[*at] > least
                }
                (Fold::Max(at), Some(most)) if *at < key => {
                    self.layout.key(one.row, key)[*at] < most
                }
                _ => false,
            };
            if !behind {
                self.note_looked(*table, &[one], &filter)?;
            }
        }
        Ok(result)
    }

    /// What a row's columns become.
    fn computed(
        &mut self,
        table: usize,
        row: usize,
        set: &[(usize, Value)],
    ) -> Step<Vec<(usize, Option<i64>)>, C> {
        let mut values = Vec::new();
        for (to, value) in set {
            let columns = columns_in(value);
            self.note_columns(table, row, &columns)?;
            let result = self.value(value, Some((table, row)))?;
            if !columns.is_empty() {
                self.place.extend([row, *to]);
                self.observe(Teller::Solver, vec![result]);
                self.place.truncate(self.place.len() - 2);
            }
            values.push((*to, result));
        }
        Ok(values)
    }

    fn change(&mut self, table: usize, row: usize, values: &[(usize, Option<i64>)]) -> Step<(), C> {
        let definition = &self.program.tables[table];
        for &(to, value) in values {
            let at = to - definition.key;
            if value.is_none() && !definition.nullable[at] {
                return Err(Halt::Abort);
            }
            self.put(self.layout.column(table, row, at), value)?;
        }
        Ok(())
    }

    fn insert(&mut self, table: usize, values: &[Value], conflict: &Conflict) -> Step<(), C> {
        let mut row = Vec::new();
        for value in values {
            row.push(self.value(value, None)?);
        }
        let definition = &self.program.tables[table];
        let (key, rest) = row.split_at(definition.key);
        let required = rest.iter().zip(&definition.nullable);
        let Some(key) = key.iter().copied().collect::<Option<Vec<i64>>>() else {
            return Err(Halt::Abort);
        };
        if required.clone().any(|(value, nullable)| value.is_none() && !nullable) {
            return Err(Halt::Abort);
        }
        let at = self.layout.row(&key).expect("programs insert keys of the domain");
        let cell = self.layout.alive(table, at);
        self.note(cell)?;
        if self.get(cell)? == Some(1) {
            match conflict {
                Conflict::Error => return Err(Halt::Abort),
                Conflict::Nothing => {
                    self.changed(false);
                    return Ok(());
                }
                Conflict::Update(set) => {
                    let values = self.computed(table, at, set)?;
                    self.change(table, at, &values)?;
                    self.changed(true);
                    return Ok(());
                }
            }
        }
        self.put(cell, Some(1))?;
        for (place, &value) in rest.iter().enumerate() {
            self.put(self.layout.column(table, at, place), value)?;
        }
        self.changed(true);
        Ok(())
    }
}

/// The columns of the row at hand that a value speaks of.
fn columns_in(value: &Value) -> Vec<usize> {
    match value {
        Value::Column(at) => vec![*at],
        Value::Plus(left, right) | Value::Minus(left, right) => {
            [columns_in(left), columns_in(right)].concat()
        }
        Value::OrZero(of) => columns_in(of),
        Value::Null | Value::Int(_) | Value::Variable(_) | Value::Query(_) => Vec::new(),
    }
}

fn columns_of(condition: &Condition) -> Vec<usize> {
    match condition {
        Condition::Compare(_, left, right) => [columns_in(left), columns_in(right)].concat(),
        Condition::IsNull(value) => columns_in(value),
        Condition::Not(of) => columns_of(of),
        Condition::Or(left, right) => [columns_of(left), columns_of(right)].concat(),
        Condition::Exists(_) | Condition::Found => Vec::new(),
    }
}

fn has_query(value: &Value) -> bool {
    match value {
        Value::Query(_) => true,
        Value::Plus(left, right) | Value::Minus(left, right) => has_query(left) || has_query(right),
        Value::OrZero(of) => has_query(of),
        Value::Null | Value::Int(_) | Value::Variable(_) | Value::Column(_) => false,
    }
}

/// Whether a condition has a query in it.
fn asks(condition: &Condition) -> bool {
    match condition {
        Condition::Exists(_) => true,
        Condition::Compare(_, left, right) => has_query(left) || has_query(right),
        Condition::IsNull(value) => has_query(value),
        Condition::Not(of) => asks(of),
        Condition::Or(left, right) => asks(left) || asks(right),
        Condition::Found => false,
    }
}
