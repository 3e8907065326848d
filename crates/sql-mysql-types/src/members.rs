//! The texts that an ENUM or a SET may be.
//!
//! They stand in the column's definition and nowhere else, so they are kept as shapes of rows are: in a table of the
//! catalogue that only grows, whose fields are called as the members. The number of the list is in the type. A value of an ENUM is
//! its text with its place, from 1; what is none of the members is the empty text with place 0. A value of a SET is a number with
//! a bit for every member.

use hobgoblin_sql_schema::names::Names;
use hobgoblin_sql_schema::shape::{Field, Shape, Shapes};
use hobgoblin_sql_value::{Datum, TypeId};

use crate::my_type::{Kind, MyType};
use crate::number;

/// The most members that a SET has.
pub const MOST_OF_SET: usize = 64;

/// The number of a list of members; nothing if there are more lists than types have room for.
pub fn register(shapes: &Shapes, members: Vec<String>) -> Option<u32> {
    let fields = members.into_iter().map(|name| Field { name, ty: TypeId::TEXT, typmod: -1 });
    let number = shapes.register(fields.collect());
    u32::try_from(number).ok().filter(|number| *number <= 0xffff)
}

/// The members of a type.
pub fn members(ty: MyType, names: &dyn Names) -> Option<Shape> {
    match ty.kind {
        Kind::Enum | Kind::Set => names.row_shape(TypeId::ROW, i32::try_from(ty.length).ok()?),
        _ => None,
    }
}

/// A member by its place, from 1.
pub fn enum_at(ty: MyType, place: i128, names: &dyn Names) -> Option<Datum> {
    let members = members(ty, names)?;
    let at = usize::try_from(place).ok()?;
    let name = members.get(at.checked_sub(1)?)?;
    // There are not more than 65535, which this holds exactly.
    Some(Datum::Enum(at as f32, name.name.as_str().into()))
}

/// A member by its text.
pub fn enum_named(ty: MyType, text: &str, names: &dyn Names) -> Option<Datum> {
    let members = members(ty, names)?;
    let key = ty.collation.key(text);
    let at = members
        .iter()
        .position(|member| member.name == text || ty.collation.key(&member.name) == key)?;
    enum_at(ty, at as i128 + 1, names)
}

/// What stands in place of a text that is no member.
pub fn enum_error() -> Datum {
    Datum::Enum(0.0, "".into())
}

/// Members with commas between as a SET, and whether all of them are members.
pub fn set_named(ty: MyType, text: &str, names: &dyn Names) -> Option<(Datum, bool)> {
    let members = members(ty, names)?;
    let (mut bits, mut all) = (0i128, true);
    for part in text.split(',').filter(|_| !text.is_empty()) {
        let key = ty.collation.key(part);
        match members.iter().position(|member| ty.collation.key(&member.name) == key) {
            Some(at) => bits |= 1 << at.min(MOST_OF_SET - 1),
            None => all = false,
        }
    }
    Some((number::integer(bits), all))
}

/// The text of a SET.
pub fn set_text(ty: MyType, bits: i128, names: &dyn Names) -> String {
    let Some(members) = members(ty, names) else { return bits.to_string() };
    let chosen = members.iter().enumerate().filter(|(at, _)| *at < 64 && bits >> at & 1 == 1);
    chosen.map(|(_, member)| member.name.as_str()).collect::<Vec<_>>().join(",")
}
