//! What the system columns of a row hold.
//!
//! `xmin` is who wrote the row, as the store says of the version that was read. Where a row is kept by cells
//! each has its own writer: all of them are read, and where they differ `xmin` is a number that stands for all.
//! `ctid` is the place of a row, and stays when the row is updated: its number or its key, if that is one,
//! else a number that the database gives it when it is first asked for.

use hobgoblin_sql_schema::dialect::Held;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use hobgoblin_core::{Key, Text};

use super::Granularity;
use super::storage::cell_key;
use super::{BaseRow, Exec};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::catalog::Table;
use hobgoblin_sql_value::Datum;

/// How many rows `ctid` counts to a page.
const ROWS: u64 = 200;

/// The page where `ctid` begins to count rows whose keys are no numbers.
const NAMED: u64 = 1 << 31;

impl Exec<'_> {
    /// The value of a system column for a row.
    pub fn system(&mut self, row: &Rc<BaseRow>, held: Held) -> Result<Datum> {
        let number = match held {
            Held::Table => i64::from(row.table.oid),
            Held::Writer => self.writer(row)?,
            Held::Locker => match self.upserted.contains(&row.key) {
                true => self.session.transaction_number()?,
                false => 0,
            },
            Held::Place => {
                let number = row_number(row.id());
                let (page, number) = match number {
                    Some(number) => (0, number),
                    None => (NAMED, self.session.place_of(&row.key)),
                };
                ((page + number / ROWS) << 16 | (number % ROWS + 1)).cast_signed()
            }
        };
        Ok(Datum::Int(number))
    }

    /// The number of the transaction that wrote a row.
    fn writer(&mut self, row: &BaseRow) -> Result<i64> {
        let mut keys: Vec<Text> = vec![Text::clone(&row.key)];
        if self.session.granularity() == Granularity::Cell {
            for (at, column) in row.table.columns.iter().enumerate() {
                if !column.dropped {
                    self.cell(row, at)?;
                    keys.push(cell_key(&row.table, &column.name, row.id()).into());
                }
            }
        }
        let more = self.session.sources(self.sourced);
        self.sourced += more.len();
        for (key, writer) in more {
            if let Key::Text(key) = key {
                self.sources.insert(key, writer);
            }
        }
        let known =
            |key: &Text| self.sources.get(key).copied().or_else(|| self.session.source(key));
        let writers: Vec<u32> = keys.iter().filter_map(known).collect();
        let first = writers.first().copied().unwrap_or(0);
        if writers.iter().all(|&writer| writer == first) {
            return Ok(self.session.number_of(first));
        }
        let mut hash = std::hash::DefaultHasher::new();
        writers.hash(&mut hash);
        Ok(i64::from(hash.finish() as u32 | 1 << 31))
    }

    /// The part of a row's key that names the row, by the place that `ctid` says.
    pub(super) fn named_at(&mut self, table: &Arc<Table>, place: i64) -> Option<String> {
        let place = place.cast_unsigned();
        let (page, within) = (place >> 16, place & 0xffff);
        if !(1..=ROWS).contains(&within) {
            return None;
        }
        if page >= NAMED {
            let key = self.session.key_at((page - NAMED) * ROWS + within - 1)?;
            let id = key.strip_prefix(&*table.prefix)?;
            return id.starts_with('[').then(|| id.to_owned());
        }
        let number = page * ROWS + within;
        let numbered = super::TablePlan::primary_of(table).is_none();
        Some(if numbered { format!("[#{number}]") } else { format!("[{number}]") })
    }
}

/// The number less one of a row whose key is a positive number.
fn row_number(id: &str) -> Option<u64> {
    let inner = id.strip_prefix('[')?.strip_suffix(']')?;
    let digits = inner.strip_prefix('#').unwrap_or(inner);
    let canonical = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    let number: u64 = digits.parse().ok().filter(|_| canonical)?;
    (1..NAMED * ROWS).contains(&number).then(|| number - 1)
}
