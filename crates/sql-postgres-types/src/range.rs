//! The types of ranges.

pub use hobgoblin_sql_value::range::{Bound, Range};

use super::TypeId;
use crate::PgType;
use crate::error::Result;

/// The types of ranges, each with the type of its values.
const TYPES: [(TypeId, TypeId); 6] = [
    (TypeId(3904), TypeId::INT4),
    (TypeId(3906), TypeId::NUMERIC),
    (TypeId(3908), TypeId::TIMESTAMP),
    (TypeId(3910), TypeId::TIMESTAMPTZ),
    (TypeId(3912), TypeId::DATE),
    (TypeId(3926), TypeId::INT8),
];

/// The type of the values of a range type.
pub fn subtype_of(range: TypeId) -> Option<TypeId> {
    TYPES.iter().find(|(ty, _)| *ty == range).map(|(_, element)| *element)
}

/// The range type over a type.
pub fn range_of(element: TypeId) -> Option<TypeId> {
    TYPES.iter().find(|(_, of)| *of == element).map(|(ty, _)| *ty)
}

/// The range between two ends over this type, in its one form.
pub fn between(element: TypeId, lower: Bound, upper: Bound) -> Result<Range> {
    let most = if element == TypeId::INT4 { i64::from(i32::MAX) } else { i64::MAX };
    Ok(Range::new(element, lower, upper, most)?)
}
