//! The shapes of anonymous rows.
//!
//! `ROW(1, 'a')`, a row of a subquery or of a function have no type of their own: all are `record`. What
//! their columns are is known where the expression is bound, so it is registered there, as PostgreSQL
//! does: the type modifier of a `record` is the number of its shape in a table of this process that only
//! grows. Functions are told types without modifiers; for them a shape is a type of its own
//! ([`RowType::shaped`]), which never leaves the process.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use super::{Oid, TypeId};

/// A column of a row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// The type's modifier.
    pub typmod: i32,
}

/// The columns of a row.
pub type Shape = Arc<[Field]>;

/// Types from here on are shapes; no catalogue counts so far.
const FIRST: Oid = 0xc000_0000;

/// So many shapes are kept; rows of further ones are printed by what their values look like.
const LIMIT: usize = 1 << 20;

#[derive(Default)]
struct Shapes {
    all: Vec<Shape>,
    numbers: HashMap<Shape, i32>,
}

static SHAPES: LazyLock<RwLock<Shapes>> = LazyLock::new(RwLock::default);

/// The number of a shape, which is the type modifier of its rows; -1 when there are too many.
pub fn register(fields: Vec<Field>) -> i32 {
    let fields: Shape = fields.into();
    let known = SHAPES.read().unwrap_or_else(PoisonError::into_inner).numbers.get(&fields).copied();
    if let Some(number) = known {
        return number;
    }
    let mut shapes = SHAPES.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(number) = shapes.numbers.get(&fields) {
        return *number;
    }
    let Some(number) = i32::try_from(shapes.all.len()).ok().filter(|_| shapes.all.len() < LIMIT)
    else {
        return -1;
    };
    shapes.all.push(Arc::clone(&fields));
    shapes.numbers.insert(fields, number);
    number
}

/// The shape of a `record` with a type modifier, or of a shape as a type.
pub fn shape(ty: TypeId, typmod: i32) -> Option<Shape> {
    let number = match ty {
        TypeId::RECORD => usize::try_from(typmod).ok()?,
        TypeId(oid) => usize::try_from(oid.checked_sub(FIRST)?).ok()?,
    };
    SHAPES.read().unwrap_or_else(PoisonError::into_inner).all.get(number).cloned()
}

/// Types that may be shapes of rows.
pub trait RowType: Sized {
    /// The type with its shape in it, if it is a `record` of one.
    #[must_use]
    fn shaped(self, typmod: i32) -> Self;
    /// The type modifier that clients are told: the numbers of shapes mean nothing to them.
    fn sent_typmod(self, typmod: i32) -> i32;
    /// The type as others know it: a shape is a `record`.
    #[must_use]
    fn plain(self) -> Self;
}

impl RowType for TypeId {
    fn shaped(self, typmod: i32) -> TypeId {
        match u32::try_from(typmod) {
            Ok(number) if self == TypeId::RECORD => TypeId(FIRST.saturating_add(number)),
            _ => self,
        }
    }

    fn sent_typmod(self, typmod: i32) -> i32 {
        if self == TypeId::RECORD || self == TypeId::RECORD_ARRAY { -1 } else { typmod }
    }

    fn plain(self) -> TypeId {
        if self.0 >= FIRST { TypeId::RECORD } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_has_one_number() {
        let field = |name: &str| Field { name: name.to_owned(), ty: TypeId::INT4, typmod: -1 };
        let (a, b) = (register(vec![field("a")]), register(vec![field("b")]));
        assert_ne!(a, b);
        assert_eq!(register(vec![field("a")]), a);
        let found = shape(TypeId::RECORD, b).expect("it was registered");
        assert_eq!(found[0].name, "b");
        assert_eq!(shape(TypeId::RECORD.shaped(b), -1), Some(found));
        assert_eq!(TypeId::RECORD.shaped(b).plain(), TypeId::RECORD);
        assert_eq!(shape(TypeId::RECORD, -1), None);
        assert_eq!(shape(TypeId::INT4, a), None);
    }
}
