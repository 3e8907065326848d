//! What is compared in place of values. Texts have weights where not all of their letters count, as
//! with a collation that ignores case: `a` and `A` are equal and have the same weight. Keys in the
//! store are made of weights, so that equal texts have the same key.

use super::storage::component;
use super::{Exec, Row};
use hobgoblin_sql_bind::bound::OutputColumn;
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_value::{Datum, Grouped, TypeId};

/// The columns of rows that are compared by weight: their places, their types, and the types of the
/// weights.
pub(super) type Weights = Vec<(usize, TypeId, TypeId)>;

impl Exec<'_> {
    /// Appends a value to a key, or its weight where that is what compares.
    pub(super) fn key_component(
        &mut self,
        key: &mut String,
        value: &Datum,
        ty: TypeId,
    ) -> Result<()> {
        match self.dialect().compared_as(ty) {
            None => component(key, value, ty, self.dialect()),
            Some(weight) => {
                let value = self.convert(value.clone(), ty, weight, -1, false)?;
                component(key, &value, weight, self.dialect());
            }
        }
        Ok(())
    }

    /// Whether two values of a type are equal; NULL equals nothing.
    pub(super) fn same(&mut self, a: &Datum, b: &Datum, ty: TypeId) -> Result<bool> {
        if a.is_null() || b.is_null() {
            return Ok(false);
        }
        let Some(weight) = self.dialect().compared_as(ty) else { return Ok(a.equal(b)) };
        let a = self.convert(a.clone(), ty, weight, -1, false)?;
        let b = self.convert(b.clone(), ty, weight, -1, false)?;
        Ok(a.equal(&b))
    }

    /// The columns of these that are compared by weight.
    pub(super) fn weights(&self, columns: &[OutputColumn]) -> Weights {
        let dialect = self.dialect();
        let columns = columns.iter().enumerate();
        columns.filter_map(|(at, c)| Some((at, c.ty, dialect.compared_as(c.ty)?))).collect()
    }

    /// A row with weights in place of the values that are compared by them.
    pub(super) fn weighed(&self, row: &[Datum], weights: &Weights) -> Result<Row> {
        let mut row = row.to_vec();
        for &(at, from, to) in weights {
            if let Some(value) = row.get_mut(at).filter(|value| !value.is_null()) {
                let given = std::mem::replace(value, Datum::Null);
                *value = self.dialect().cast(given, from, to, -1, false, &self.session.env())?;
            }
        }
        Ok(row)
    }

    /// The same, as a key of a hash table.
    pub(super) fn grouped(&self, row: &[Datum], weights: &Weights) -> Result<Grouped> {
        self.weighed(row, weights).map(Grouped)
    }
}
