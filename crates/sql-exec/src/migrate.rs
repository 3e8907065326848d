//! What becomes of the rows of a table when its schema changes.

use std::sync::Arc;

use hobgoblin_sql_bind::Expr;
use hobgoblin_sql_schema::catalog::Table;
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::Datum;

use super::storage::cell_key;
use super::stored::to_stored;
use super::{Exec, Source, TablePlan};

impl Exec<'_> {
    /// Whether the keys of rows are other ones under a new schema of the table.
    pub fn primary_changed(&mut self, old: &Arc<Table>, new: &Arc<Table>) -> bool {
        TablePlan::primary_of(old) != TablePlan::primary_of(new)
    }

    /// Moves every row to the key that it has under the new schema.
    pub fn rekey(&mut self, old: &Arc<Table>, new: &Arc<Table>) -> Result<()> {
        let mut rows = Vec::new();
        for row in self.fetch_all(old)?.iter() {
            let mut values = self.cells(row)?;
            values.resize(new.columns.len(), Datum::Null);
            self.remove_row(row)?;
            rows.push(values);
        }
        for values in rows {
            self.insert_row(new, values)?;
        }
        self.drop_pending();
        Ok(())
    }

    /// Moves the cells of columns that have new names, as cells are kept under these.
    pub fn rename_cells(&mut self, old: &Arc<Table>, new: &Arc<Table>) -> Result<()> {
        for (at, column) in new.columns.iter().enumerate() {
            let added = old.columns.get(at).is_none();
            let renamed = old.columns.get(at).is_some_and(|before| {
                before.name != column.name && !before.dropped && !column.dropped
            });
            let filled = added && !column.missing.is_null();
            if !(renamed || filled) {
                continue;
            }
            for row in self.fetch_all(old)?.iter() {
                let value = match old.columns.get(at) {
                    Some(_) => self.cell(row, at)?,
                    None => column.missing.clone(),
                };
                let key = cell_key(new, &column.name, row.id());
                self.put(key, to_stored(&value, column.ty, self.dialect()))?;
            }
        }
        Ok(())
    }

    /// Gives every row the value of a column that was added.
    pub fn fill_column(&mut self, table: &Arc<Table>, column: usize) -> Result<()> {
        for row in self.fetch_all(table)?.iter() {
            let mut values = self.cells(row)?;
            values[column] = match table.columns[column].generated {
                true => Datum::Null,
                false => self.default_value(table, column)?,
            };
            if !table.columns[column].generated {
                self.check_domains(table, &values, std::iter::once(column))?;
            }
            let new = vec![(column, values[column].clone())];
            self.update_row(row, new, &[column])?;
        }
        self.finish()
    }

    /// Gives every row a new value in a column whose type has changed.
    pub fn rewrite_column(
        &mut self,
        before: &Arc<Table>,
        after: &Arc<Table>,
        column: usize,
        using: Option<&Expr>,
    ) -> Result<()> {
        let (old, new) = (&before.columns[column], &after.columns[column]);
        let mut rows = Vec::new();
        for row in self.fetch_all(before)?.iter() {
            let mut values = self.cells(row)?;
            let tuple = vec![Source::Row(std::rc::Rc::clone(row))];
            values[column] = match using {
                Some(using) => {
                    let value = self.eval(using, &tuple)?;
                    self.convert(value, using.ty, new.ty, new.typmod, false)?
                }
                None => {
                    let value = values[column].clone();
                    self.convert(value, old.ty, new.ty, new.typmod, false)?
                }
            };
            self.remove_row(row)?;
            rows.push(values);
        }
        for values in rows {
            self.check_domains(after, &values, std::iter::once(column))?;
            self.insert_row(after, values)?;
        }
        self.drop_pending();
        Ok(())
    }

    /// Writes the rows of a table as it was into the table as it is, under the latter's keys.
    /// `given` makes the values of a row, which are completed as those of a new row.
    pub fn rebuild(
        &mut self,
        before: &Arc<Table>,
        after: &Arc<Table>,
        rows: impl FnOnce(&mut Self, Vec<Vec<Datum>>) -> Result<Vec<Vec<Option<Datum>>>>,
        ignore: &dyn Fn(&SqlError) -> bool,
    ) -> Result<()> {
        let mut old = Vec::new();
        for row in self.fetch_all(before)?.iter() {
            old.push(self.cells(row)?);
        }
        for given in rows(self, old)? {
            let row = self.complete(after, given)?;
            match self.insert_row(after, row) {
                Err(error) if ignore(&error) => {}
                inserted => drop(inserted?),
            }
        }
        self.drop_pending();
        Ok(())
    }
}
