//! Evaluating an assignment to an element or slice of an array.

use std::sync::Arc;

use super::{Exec, Tuple};
use hobgoblin_sql_bind::bound::{Expr, Subscript};
use hobgoblin_sql_schema::{Problem, Result};
use hobgoblin_sql_value::{Array, Datum, TypeId};

impl Exec<'_> {
    /// An array as it is after an assignment to one of its elements or slices.
    pub(super) fn assigned(
        &mut self,
        array: &Expr,
        subscripts: &[Subscript],
        value: &Expr,
        tuple: &Tuple,
    ) -> Result<Datum> {
        let element = self.session.element_of(array.ty).unwrap_or(TypeId::TEXT);
        let before = match self.eval(array, tuple)? {
            Datum::Array(array) => array,
            _ => Arc::new(Array::of(element, Vec::new())),
        };
        let mut bounds = Vec::with_capacity(subscripts.len());
        for subscript in subscripts {
            bounds.push(match subscript {
                // Beside a slice, one number means from 1 to it.
                Subscript::Index(index) => (Some(1), Some(self.subscript_value(index, tuple)?)),
                Subscript::Slice(low, high) => {
                    let mut bound = |expr: &Option<Expr>| {
                        expr.as_ref().map(|expr| self.subscript_value(expr, tuple)).transpose()
                    };
                    (bound(low)?, bound(high)?)
                }
            });
        }
        let value = self.eval(value, tuple)?;
        if !subscripts.iter().any(|subscript| matches!(subscript, Subscript::Slice(..))) {
            let places: Vec<i32> = bounds.iter().filter_map(|(_, place)| *place).collect();
            return Ok(Datum::Array(Arc::new(before.with_element(&places, value)?)));
        }
        match value {
            Datum::Array(source) => {
                Ok(Datum::Array(Arc::new(before.with_slice(&bounds, &source)?)))
            }
            // NULL assigned to a slice changes nothing.
            _ => Ok(Datum::Array(before)),
        }
    }

    fn subscript_value(&mut self, expr: &Expr, tuple: &Tuple) -> Result<i32> {
        let value = match self.eval(expr, tuple)? {
            Datum::Int(value) => i32::try_from(value).ok(),
            _ => None,
        };
        value.ok_or_else(|| Problem::NullSubscript.into())
    }
}
