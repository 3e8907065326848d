//! What of values compares, where that is not the values themselves: the weights of texts whose letters are not all that
//! counts. Keys in the store are made of weights, so that equal texts have the same key.

use super::{Exec, Row};
use hobgoblin_sql_bind::bound::OutputColumn;
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_value::{Datum, Grouped, TypeId};

/// The columns of rows that compare as something else: their places, their types, and those of what compares.
pub(super) type Weights = Vec<(usize, TypeId, TypeId)>;

impl Exec<'_> {
    /// A value as it is part of a key, and the type of that.
    pub(super) fn keyed(&mut self, value: &Datum, ty: TypeId) -> Result<(Datum, TypeId)> {
        match self.dialect().compared_as(ty) {
            None => Ok((value.clone(), ty)),
            Some(weight) => Ok((self.convert(value.clone(), ty, weight, -1, false)?, weight)),
        }
    }

    /// Whether two values of a type are equal, NULL to nothing.
    pub(super) fn same(&mut self, a: &Datum, b: &Datum, ty: TypeId) -> Result<bool> {
        if a.is_null() || b.is_null() {
            return Ok(false);
        }
        if self.dialect().compared_as(ty).is_none() {
            return Ok(a.equal(b));
        }
        Ok(self.keyed(a, ty)?.0.equal(&self.keyed(b, ty)?.0))
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
