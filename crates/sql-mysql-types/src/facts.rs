//! What binding and running statements needs to know of types.

use hobgoblin_sql_schema::dialect::{Kept, TypeFacts};
use hobgoblin_sql_value::TypeId;

use crate::my_type::{Kind, MyType};

/// The facts of a type.
///
/// Texts whose equality is not that of their characters are no `text` here: what finds them is their key, a type of its own.
pub fn facts(ty: TypeId) -> TypeFacts {
    let ty = MyType::of(ty);
    let exact = ty.is_text() && ty.collation.is_bin() && !ty.collation.pads();
    let integer =
        ty == MyType::WHOLE_KEY || ty.is_integer() && !matches!(ty.kind, Kind::Truth | Kind::Bit);
    TypeFacts {
        kept: match ty.is_text() && !ty.is_bytes() {
            true => Kept::Text,
            false => Kept::Printed,
        },
        integer,
        text: exact && !ty.is_bytes(),
        caseless: ty.has_letters() && !exact,
        time_of_day: false,
        // Numbers above 2⁶³ are texts in the store, whose order is another one.
        key_order: ty.is_integer() && integer && !(ty.kind == Kind::BigInt && ty.unsigned),
        comparable: true,
        any: false,
        read_by_modifier: false,
    }
}
