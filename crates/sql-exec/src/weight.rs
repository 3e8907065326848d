//! What of values compares, where that is not the values themselves: the weights of texts whose letters are not all that
//! counts. Keys in the store are made of weights, so that equal texts have the same key.

use super::storage::component;
use super::{Exec, Row};
use hobgoblin_sql_bind::bound::OutputColumn;
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_value::{Datum, Grouped, TypeId};

/// The columns of rows that compare as something else: their places, their types, and those of what compares.
pub(super) type Weights = Vec<(usize, TypeId, TypeId)>;

impl Exec<'_> {
    /// Appends a value of a type to a key.
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

    /// Whether two values of a type are equal, NULL to nothing.
    pub(super) fn same(&mut self, a: &Datum, b: &Datum, ty: TypeId) -> Result<bool> {
        if a.is_null() || b.is_null() {
            return Ok(false);
        }
        let Some(weight) = self.dialect().compared_as(ty) else { return Ok(a.equal(b)) };
        let a = self.convert(a.clone(), ty, weight, -1, false)?;
        let b = self.convert(b.clone(), ty, weight, -1, false)?;
        Ok(a.equal(&b))
    }

    /// Which columns of rows compare as something else.
    pub(super) fn weights(&self, columns: &[OutputColumn]) -> Weights {
        let dialect = self.dialect();
        let columns = columns.iter().enumerate();
        columns.filter_map(|(at, c)| Some((at, c.ty, dialect.compared_as(c.ty)?))).collect()
    }

    /// A row as it compares.
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

    /// The same, to be looked up.
    pub(super) fn grouped(&self, row: &[Datum], weights: &Weights) -> Result<Grouped> {
        self.weighed(row, weights).map(Grouped)
    }
}
