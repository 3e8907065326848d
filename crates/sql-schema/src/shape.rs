//! The shapes of anonymous rows.
//!
//! `ROW(1, 'a')`, a row of a subquery or of a function have no type of their own: all are [`TypeId::ROW`]. What
//! their columns are is known where the expression is bound, so it is registered there: the type modifier of a
//! row is the number of its shape in a table of the catalogue that only grows. Functions are told types without
//! modifiers; for them a shape is a type of its own ([`RowType::shaped`]), which no client is told.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use hobgoblin_sql_value::{Oid, TypeId};

/// A column of a row that has no type of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// The name of the column, which the fields of a row can be asked for by.
    pub name: String,
    /// The type of the column.
    pub ty: TypeId,
    /// The modifier of the type, -1 for none.
    pub typmod: i32,
}

/// The columns of a row.
pub type Shape = Arc<[Field]>;

/// Types from here on are shapes; no catalogue counts so far.
const FIRST: Oid = 0xc000_0000;

/// So many shapes are kept; rows of further ones are printed by what their values look like.
const LIMIT: usize = 1 << 20;

/// The shapes of a database.
#[derive(Debug, Default)]
pub struct Shapes(RwLock<Known>);

#[derive(Debug, Default)]
struct Known {
    all: Vec<Shape>,
    numbers: HashMap<Shape, i32>,
}

impl Shapes {
    /// The number of a shape, which is the type modifier of its rows; -1 when there are too many.
    pub fn register(&self, fields: Vec<Field>) -> i32 {
        let fields: Shape = fields.into();
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = known.numbers.get(&fields) {
            return *number;
        }
        drop(known);
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = known.numbers.get(&fields) {
            return *number;
        }
        let Some(number) = i32::try_from(known.all.len()).ok().filter(|_| known.all.len() < LIMIT)
        else {
            return -1;
        };
        known.all.push(Arc::clone(&fields));
        known.numbers.insert(fields, number);
        number
    }

    /// The shape of a row with a type modifier, or of a shape as a type.
    pub fn get(&self, ty: TypeId, typmod: i32) -> Option<Shape> {
        let number = match ty {
            TypeId::ROW => usize::try_from(typmod).ok()?,
            TypeId(oid) => usize::try_from(oid.checked_sub(FIRST)?).ok()?,
        };
        self.0.read().unwrap_or_else(PoisonError::into_inner).all.get(number).cloned()
    }
}

/// Types that may be shapes of rows.
pub trait RowType: Sized {
    /// The type with its shape in it, if it is a row of one.
    #[must_use]
    fn shaped(self, typmod: i32) -> Self;
    /// The type as others know it: a shape is a row.
    #[must_use]
    fn plain(self) -> Self;
}

impl RowType for TypeId {
    fn shaped(self, typmod: i32) -> TypeId {
        match u32::try_from(typmod) {
            Ok(number) if self == TypeId::ROW => TypeId(FIRST.saturating_add(number)),
            _ => self,
        }
    }

    fn plain(self) -> TypeId {
        if self.0 >= FIRST { TypeId::ROW } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_has_one_number() {
        let shapes = Shapes::default();
        let field = |name: &str| Field { name: name.to_owned(), ty: TypeId::INTEGER, typmod: -1 };
        let (a, b) = (shapes.register(vec![field("a")]), shapes.register(vec![field("b")]));
        assert_ne!(a, b);
        assert_eq!(shapes.register(vec![field("a")]), a);
        let found = shapes.get(TypeId::ROW, b).expect("it was registered");
        assert_eq!(found[0].name, "b");
        assert_eq!(shapes.get(TypeId::ROW.shaped(b), -1), Some(found));
        assert_eq!(TypeId::ROW.shaped(b).plain(), TypeId::ROW);
        assert_eq!(shapes.get(TypeId::ROW, -1), None);
        assert_eq!(shapes.get(TypeId::INTEGER, a), None);
    }
}
