//! EXCLUDE constraints: no two rows for which all operators hold.
//!
//! The entries of such an index carry the values they stand for. An engine that writes one first locks
//! what is equal in it (the room of a booking), so that of two who would be in each other's way one waits
//! for the other; then it looks at the newest committed entries and its own. `spec` reads entries like
//! any others.

use hobgoblin_core::{Key, Text, Value};
use hobgoblin_front::{KeyRange, Lock, Wait};

use super::Exec;
use super::storage::component;
use super::stored::{row_from_stored, row_to_stored};
use super::table_plan::IndexPlan;
use hobgoblin_sql_schema::catalog::{IndexKey, Table};
use hobgoblin_sql_schema::{Pairs, Problem, Result, SqlError};
use hobgoblin_sql_value::{Datum, TypeId};

/// A row that conflicts with another by an EXCLUDE constraint.
pub(super) struct Excluding {
    /// Its values in the columns of the constraint.
    keys: Vec<Datum>,
    /// The part of its key that names the row.
    pub(super) id: Text,
}

impl Exec<'_> {
    /// The value of an index entry: the values of the columns, then the name of the row.
    pub(super) fn exclusion_entry(&self, plan: &IndexPlan, keys: &[Datum], id: &str) -> Value {
        let mut row = keys.to_vec();
        row.push(Datum::text(id));
        row_to_stored(&row, &entry_types(plan), self.dialect())
    }

    /// A row with which these values conflict, if there is one.
    pub(super) fn excluding(
        &mut self,
        plan: &IndexPlan,
        keys: &[Datum],
        id: Option<&str>,
    ) -> Result<Option<Excluding>> {
        if keys.iter().any(Datum::is_null) {
            return Ok(None);
        }
        let engine = self.session.is_engine();
        if engine {
            let mut group = format!("{} =", plan.index.prefix);
            for ((value, key), operator) in keys.iter().zip(&plan.keys).zip(&plan.operators) {
                if operator.name == "=" {
                    group.push(' ');
                    component(&mut group, value, key.ty, self.dialect());
                }
            }
            self.get_locked(&group, Lock::Update, Wait::Forever, true)?;
        }
        let range = KeyRange::prefix(&format!("{}[", plan.index.prefix));
        let types = entry_types(plan);
        for (key, stored) in self.scan_latest(range)? {
            let mut found = row_from_stored(&stored, &types, &self.session.env(), self.dialect())?;
            let Some(Datum::Text(row)) = found.pop() else { continue };
            if id == Some(&*row) || !self.excludes(plan, keys, &found)? {
                continue;
            }
            // What this snapshot shows, or this transaction took away, may be gone by now.
            if engine && let Key::Text(key) = &key {
                let now = self.get_locked(key, Lock::KeyShare, Wait::Forever, true)?;
                if now.is_none_or(|now| now == Value::Null) {
                    continue;
                }
            }
            return Ok(Some(Excluding { keys: found, id: row }));
        }
        Ok(None)
    }

    fn excludes(&mut self, plan: &IndexPlan, a: &[Datum], b: &[Datum]) -> Result<bool> {
        for (((a, b), key), operator) in a.iter().zip(b).zip(&plan.keys).zip(&plan.operators) {
            let types = [key.ty, key.ty];
            if self.truth(operator, [a.clone(), b.clone()], types)? != Some(true) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The error that a row conflicts with another.
    pub(super) fn excluded(
        &self,
        table: &Table,
        plan: &IndexPlan,
        keys: &[Datum],
        by: &Excluding,
    ) -> SqlError {
        let env = self.session.env();
        let index = &plan.index;
        let names = index.columns.iter().map(|column| match &column.key {
            IndexKey::Column(number) => table.columns[*number].name.clone(),
            IndexKey::Expression(expr) => expr.text.clone(),
        });
        let names = names.collect::<Vec<_>>().join(", ");
        let shown = |values: &[Datum]| {
            let values = values.iter().zip(&plan.keys);
            let values = values.map(|(value, key)| self.dialect().print(value, key.ty, -1, &env));
            values.collect::<Vec<_>>().join(", ")
        };
        let (constraint, by) = (index.name.clone(), shown(&by.keys));
        let key = Pairs { columns: names, values: shown(keys) };
        SqlError::from(Problem::Excluded { constraint, key, by }).constraint(
            &table.schema,
            &table.name,
            &index.name,
        )
    }
}

fn entry_types(plan: &IndexPlan) -> Vec<TypeId> {
    plan.keys.iter().map(|key| key.ty).chain([TypeId::TEXT]).collect()
}
