//! INSERT row by row, as MySQL does it: each row is complete and in the table before the next is
//! looked at.
//!
//! A row gets its number, meets its twin if another row has its key, and is then left out, put in
//! the twin's place, or made of it. With IGNORE, a row that fails is undone and told of with a
//! warning. The numbers of an identity column go on whatever becomes of the row.

use std::rc::Rc;
use std::sync::Arc;

use hobgoblin_core::{Text, Value};
use hobgoblin_front::{Lock, Request, Wait};

use super::{BaseRow, Exec, Row, Source, Tuple};
use hobgoblin_sql_bind::bound::Expr;
use hobgoblin_sql_bind::bound::dml::{Insert, InsertSource, Twins};
use hobgoblin_sql_schema::catalog::Table;
use hobgoblin_sql_schema::context::SequenceOp;
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::{Datum, Oid};

/// The savepoint that is set before a row that may fail.
const BEFORE_ROW: &str = "hob row";

/// What became of a row to insert.
struct Placed {
    /// How much the row adds to the number of rows that the client is told: one if it is new, two
    /// if a twin was changed or replaced.
    count: u64,
    /// The row as it is in the table, if it or its twin is there.
    row: Option<Source>,
    /// Whether the row was inserted, not its twin changed.
    new: bool,
}

/// The number of a row in an identity column.
#[derive(Clone, Copy)]
enum Number {
    /// The table has no such column.
    None,
    /// The number was taken from the sequence.
    Made(i64),
    /// The statement gave the number; the sequence of the column must go on behind it.
    Given(Oid, i64),
}

impl Exec<'_> {
    /// Inserts the rows: how many the client is told of, and the rows of RETURNING.
    pub(super) fn insert_in_turn(&mut self, insert: &Insert) -> Result<(u64, Vec<Row>)> {
        let width = insert.table.columns.len();
        let passes_over =
            matches!(insert.twins, Twins::PassedOver | Twins::Updated { passes_over: true, .. });
        self.storing.ignore = passes_over;
        if !matches!(insert.twins, Twins::Refused | Twins::PassedOver) {
            self.twin_lock = Lock::Update;
        }
        let (mut count, mut returned) = (0, Vec::new());
        match &insert.source {
            InsertSource::Defaults => {
                self.records = 1;
                count += self.insert_given(insert, vec![None; width], &mut returned)?;
            }
            InsertSource::Rows(rows) => {
                self.storing.alone = rows.len() == 1;
                self.records = rows.len() as u64;
                self.listed = Some(self.records);
                for (at, values) in rows.iter().enumerate() {
                    self.storing.row = at as u64 + 1;
                    self.tick()?;
                    let given = self.given(insert, values)?;
                    count += self.insert_given(insert, given, &mut returned)?;
                }
            }
            InsertSource::Query(query, fields) => {
                self.storing.alone = false;
                let rows = self.query(query, None)?;
                self.records = rows.len() as u64;
                for (at, row) in rows.into_iter().enumerate() {
                    self.storing.row = at as u64 + 1;
                    self.tick()?;
                    let tuple = vec![Source::Values(row.into())];
                    let mut given: Vec<Option<Datum>> = vec![None; width];
                    for (field, &column) in fields.iter().zip(&insert.columns) {
                        if let Some(field) = field {
                            given[column] = Some(self.eval(field, &tuple)?);
                        }
                    }
                    count += self.insert_given(insert, given, &mut returned)?;
                }
            }
        }
        Ok((count, returned))
    }

    /// The values of a row of VALUES; `None` is DEFAULT.
    fn given(&mut self, insert: &Insert, values: &[Option<Expr>]) -> Result<Vec<Option<Datum>>> {
        let table = &insert.table;
        let mut given: Vec<Option<Datum>> = vec![None; table.columns.len()];
        let mut tuple: Tuple = Vec::new();
        let mut so_far: Row = Vec::new();
        if insert.reads_row {
            for column in 0..table.columns.len() {
                let plan = self.table_plan(table)?;
                so_far.push(match plan.defaults[column] {
                    Some(_) => self.default_value(table, column)?,
                    None => Datum::Null,
                });
            }
            tuple.push(Source::Values(so_far.clone().into()));
        }
        for (expr, &column) in values.iter().zip(&insert.columns) {
            let Some(expr) = expr else { continue };
            let value = self.eval(expr, &tuple)?;
            if insert.reads_row {
                so_far[column] = value.clone();
                tuple[0] = Source::Values(so_far.clone().into());
            }
            given[column] = Some(value);
        }
        Ok(given)
    }

    /// Inserts a row of these values. Returns how much it adds to the number that the client is
    /// told.
    fn insert_given(
        &mut self,
        insert: &Insert,
        given: Vec<Option<Datum>>,
        returned: &mut Vec<Row>,
    ) -> Result<u64> {
        let placed = match self.storing.ignore {
            false => self.placed(insert, given)?,
            true => {
                let schema = insert.table.schema.clone();
                let none = || Placed { count: 0, row: None, new: false };
                self.or_passed_over(&schema, false, |exec| exec.placed(insert, given))?
                    .unwrap_or_else(none)
            }
        };
        if let Some(row) = placed.row {
            self.check_option(&insert.checks, &insert.table, &row)?;
            self.return_row(insert.returning.as_ref(), &vec![row], returned)?;
        }
        Ok(placed.count)
    }

    /// Does what may fail for one row alone. If it does and the language lets it pass, it is undone
    /// with a warning and gives `None`.
    pub(super) fn or_passed_over<T>(
        &mut self,
        schema: &str,
        updates: bool,
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<Option<T>> {
        self.ask(Request::savepoint(BEFORE_ROW.to_owned()))?;
        match work(self) {
            Ok(done) => {
                self.ask(Request::release(BEFORE_ROW.to_owned()))?;
                Ok(Some(done))
            }
            Err(error) => {
                self.dialect().pass_over(error, updates, schema, &self.session.env())?;
                self.pending.clear();
                self.ask(Request::rollback_to(BEFORE_ROW.to_owned()))?;
                self.ask(Request::release(BEFORE_ROW.to_owned()))?;
                self.forget();
                Ok(None)
            }
        }
    }

    fn placed(&mut self, insert: &Insert, mut given: Vec<Option<Datum>>) -> Result<Placed> {
        let table = &insert.table;
        let made = self.number(table, &mut given)?;
        let placed = self.complete(table, given).and_then(|values| self.place(insert, &values));
        let new = placed.as_ref().is_ok_and(|placed| placed.new);
        match made {
            Number::Made(number) if new => {
                self.numbers.made = self.numbers.made.or(u64::try_from(number).ok());
            }
            // The next row of the statement takes it.
            Number::Made(number) => self.reserved.push_front(number),
            Number::Given(sequence, number) if new => self.pass_number(sequence, number)?,
            Number::Given(..) | Number::None => {}
        }
        placed
    }

    fn place(&mut self, insert: &Insert, values: &[Datum]) -> Result<Placed> {
        let table = &insert.table;
        let mut count = 1;
        loop {
            if matches!(insert.twins, Twins::Refused) {
                break;
            }
            let Some((key, index)) = self.conflicting_in(table, values, &[])? else { break };
            match &insert.twins {
                Twins::Refused => break,
                Twins::PassedOver => {
                    self.check_row(table, values)?;
                    let row = Source::Values(values.into());
                    return Err(self.duplicate_of(table, &index, &row)?);
                }
                Twins::Replaced => {
                    let Some(twin) = self.twin(table, &key)? else { continue };
                    self.delete_row(&twin)?;
                    count += 1;
                }
                Twins::Updated { sets, in_order, .. } => {
                    let Some(twin) = self.twin(table, &key)? else { continue };
                    return self.changed_twin(table, &twin, values, sets, *in_order);
                }
            }
        }
        let row = self.insert_row(table, values.to_vec())?;
        if !self.frozen.is_empty() {
            self.written.insert(Text::clone(&row.key));
        }
        Ok(Placed { count, row: Some(Source::Row(Rc::new(row))), new: true })
    }

    /// The row that has this key, locked.
    fn twin(&mut self, table: &Arc<Table>, key: &Text) -> Result<Option<Rc<BaseRow>>> {
        if !self.session.is_engine() {
            self.rows.remove(key);
            let id = key[table.prefix.len()..].to_owned();
            return self.fetch(table, &id);
        }
        let latest = !self.session.one_snapshot() && !self.locks_scans();
        match self.get_locked(key, Lock::Update, Wait::Forever, latest)? {
            None | Some(Value::Null) => Ok(None),
            Some(stored) => self.row_of(table, Text::clone(key), stored).map(Some),
        }
    }

    /// Does ON DUPLICATE KEY UPDATE to a row. Returns how much it adds: two if the row changes,
    /// else nothing.
    fn changed_twin(
        &mut self,
        table: &Arc<Table>,
        twin: &Rc<BaseRow>,
        values: &[Datum],
        sets: &[(usize, Option<Expr>)],
        in_order: bool,
    ) -> Result<Placed> {
        let mut tuple = vec![Source::Row(Rc::clone(twin)), Source::Values(values.into())];
        let new = self.updated_in_turn(table, sets, &mut tuple, 0, in_order)?;
        let identity = table.columns.iter().position(|column| column.identity.is_some());
        let number = match identity {
            Some(at) => self.cell(twin, at)?,
            None => Datum::Null,
        };
        let changed = self.update_if_changed(twin, new)?;
        if changed.is_some() {
            self.numbers.given = unsigned(&number).or(self.numbers.given);
        }
        Ok(match changed {
            Some(row) => Placed { count: 2, row: Some(Source::Row(row)), new: false },
            None => Placed { count: 0, row: Some(Source::Row(Rc::clone(twin))), new: false },
        })
    }

    /// Gives an identity column its next number if the row asks for one. Returns the number that
    /// the row has.
    fn number(&mut self, table: &Arc<Table>, given: &mut [Option<Datum>]) -> Result<Number> {
        let identity = |column: &hobgoblin_sql_schema::catalog::Column| {
            column.identity.is_some() && !column.dropped
        };
        let Some(at) = table.columns.iter().position(identity) else { return Ok(Number::None) };
        let sequence = self.session.schema().owned_sequence(table.oid, at).map(|found| found.oid);
        let Some(sequence) = sequence else { return Ok(Number::None) };
        let asks = match &given[at] {
            None => true,
            Some(value) => self.dialect().asks_for_number(value, &self.session.env()),
        };
        if asks {
            let number = self.next_number(sequence)?;
            given[at] = Some(Datum::Int(number));
            return Ok(Number::Made(number));
        }
        self.numbers.given = given[at]
            .as_ref()
            .and_then(unsigned)
            .filter(|number| *number > 0)
            .or(self.numbers.given);
        Ok(match given[at] {
            Some(Datum::Int(number)) => Number::Given(sequence, number),
            _ => Number::None,
        })
    }

    /// Lets a sequence go on behind a number that a row was given.
    fn pass_number(&mut self, sequence: Oid, number: i64) -> Result<()> {
        if number >= self.session.sequence(SequenceOp::Coming(sequence))? {
            self.session.sequence(SequenceOp::Set(sequence, number, true))?;
        }
        Ok(())
    }

    /// The next number of a sequence. Several are taken at once: as many as the statement lists
    /// rows, or twice as many as the last time if that is not known. Those that no row gets are
    /// lost.
    fn next_number(&mut self, sequence: Oid) -> Result<i64> {
        if self.reserved.is_empty() {
            let wanted = match (self.reservations, self.listed) {
                (0, Some(rows)) => rows,
                (taken, _) => 1 << taken.min(16),
            };
            for _ in 0..wanted.max(1) {
                let number = self.session.sequence(SequenceOp::Next(sequence))?;
                self.reserved.push_back(number);
            }
            self.reservations += 1;
        }
        self.reserved.pop_front().ok_or_else(|| SqlError::internal("no number was taken"))
    }
}

/// The value of a number that is not negative.
fn unsigned(value: &Datum) -> Option<u64> {
    match value {
        Datum::Int(number) => u64::try_from(*number).ok(),
        Datum::Numeric(number) => number.to_string().parse().ok(),
        _ => None,
    }
}
