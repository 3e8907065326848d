//! Tables, as the paper has them: a set variable with the primary keys of the rows that are there, and one
//! variable for each row [Bouajjani 2023, section 7.2].
//!
//! - INSERT reads and writes the set variable, then writes the row. A primary key that is there already
//!   aborts the transaction, as a database would.
//! - SELECT, UPDATE and DELETE read the set variable, then the rows: only one if the condition fixes the
//!   primary key, none if no other column is needed.
//! - UPDATE writes rows; DELETE writes the set variable and leaves the rows.
//!
//! At levels below read atomic somebody may see that a row is there and still read it as absent. Such a row
//! is passed over.

use std::sync::Arc;

use hobgoblin_core::Text;

use super::{Machine, Ran, World};
use crate::text::code::{At, Code, Output, Rows, Table};
use crate::text::keys::key_name;
use crate::text::value::Val;
use crate::transaction::Stop;

impl Machine<'_, '_> {
    /// The primary keys in a table, asked for one of them or for all.
    fn ids(&mut self, table: &Table, one: Option<&Val>, at: At) -> Ran<Val> {
        if let (Some(id), World::Body(transaction)) = (one, &mut self.world) {
            transaction.about(|| key_name(&table.name, std::slice::from_ref(id)).ok());
        }
        match self.get(&table.set, at)? {
            Val::Null => self.empty(at),
            ids @ Val::Set(_) => Ok(ids),
            other => self.fault(at, format!("finds {} as `{}`", other.kind(), table.name)),
        }
    }

    fn empty(&mut self, at: At) -> Ran<Val> {
        let empty = Val::set(Vec::new());
        self.sized(empty, at)
    }

    pub(super) fn insert(&mut self, table: &Arc<Table>, values: &[Code], at: At) -> Ran<()> {
        let values = self.all(values, at)?;
        let id = values[0].clone();
        let key = key_name(&table.name, std::slice::from_ref(&id));
        let key = key.or_else(|what| self.fault(at, what))?;
        let ids = self.ids(table, Some(&id), at)?;
        let present = ids.items().unwrap_or_default();
        if present.binary_search(&id).is_ok() {
            return Err(Stop::Abort);
        }
        let grown = Val::set([present, &[id]].concat());
        let grown = self.sized(grown, at)?;
        self.put(&table.set, &grown, at)?;
        self.put(&key, &table.record(values), at)
    }

    /// Calls `each` for every row that a statement is about; its primary key and itself are in slots. Gives
    /// the primary keys of all rows.
    fn for_rows(&mut self, rows: &Rows, mut each: impl FnMut(&mut Self) -> Ran<()>) -> Ran<Val> {
        let fixed = match &rows.fixed {
            Some(id) => Some(self.eval(id)?),
            None => None,
        };
        let present = self.ids(&rows.table, fixed.as_ref(), rows.at)?;
        let ids = present.items().unwrap_or_default();
        let ids = match &fixed {
            Some(id) if ids.binary_search(id).is_ok() => std::slice::from_ref(id),
            Some(_) => &[],
            None => ids,
        };
        for id in ids {
            self.spend(1, rows.at)?;
            if rows.needs_row {
                let key = key_name(&rows.table.name, std::slice::from_ref(id));
                let key = key.or_else(|what| self.fault(rows.at, what))?;
                let row = self.get(&key, rows.at)?;
                if row == Val::Null {
                    continue;
                }
                self.set(rows.row, row);
            }
            self.set(rows.id, id.clone());
            let mut passes = true;
            for condition in &rows.filter {
                passes = passes && self.truth(condition, rows.at)?;
            }
            if passes {
                each(self)?;
            }
        }
        Ok(present)
    }

    pub(super) fn select(&mut self, rows: &Rows, output: &Output) -> Ran<Val> {
        let mut found = Vec::new();
        self.for_rows(rows, |machine| {
            found.push(match output {
                Output::One(column) => machine.eval(column)?,
                Output::Record(columns) => {
                    let column = |(name, code): &(Text, Code)| -> Ran<_> {
                        Ok((name.clone(), machine.eval(code)?))
                    };
                    Val::record(columns.iter().map(column).collect::<Ran<_>>()?)
                }
            });
            Ok(())
        })?;
        self.sized(Val::list(found), rows.at)
    }

    pub(super) fn delete(&mut self, rows: &Rows) -> Ran<()> {
        let mut gone = Vec::new();
        let ids = self.for_rows(rows, |machine| {
            gone.push(machine.slots[rows.id as usize].clone());
            Ok(())
        })?;
        if gone.is_empty() {
            return Ok(());
        }
        let kept = |id: &&Val| gone.binary_search(id).is_err();
        let kept = Val::set(ids.items().unwrap_or_default().iter().filter(kept).cloned().collect());
        let kept = self.sized(kept, rows.at)?;
        self.put(&rows.table.set, &kept, rows.at)
    }

    pub(super) fn update(&mut self, rows: &Rows, changes: &[(Text, Code)]) -> Ran<()> {
        self.for_rows(rows, |machine| {
            let mut values = Vec::with_capacity(changes.len());
            for (_, code) in changes {
                values.push(machine.eval(code)?);
            }
            let Val::Record(fields) = machine.slots[rows.row as usize].clone() else {
                return machine.fault(rows.at, "updates what is no row");
            };
            let mut fields = fields.to_vec();
            for ((name, _), value) in changes.iter().zip(values) {
                if let Some((_, field)) = fields.iter_mut().find(|(field, _)| field == name) {
                    *field = value;
                }
            }
            let id = machine.slots[rows.id as usize].clone();
            let key = key_name(&rows.table.name, &[id]);
            let key = key.or_else(|what| machine.fault(rows.at, what))?;
            machine.put(&key, &Val::record(fields), rows.at)
        })?;
        Ok(())
    }
}

impl Table {
    /// A row of values in the order of the columns.
    pub(in crate::text) fn record(&self, values: Vec<Val>) -> Val {
        let mut fields: Vec<_> = self.columns.iter().cloned().zip(values).collect();
        fields.sort_by(|a, b| a.0.cmp(&b.0));
        Val::record(fields)
    }
}
