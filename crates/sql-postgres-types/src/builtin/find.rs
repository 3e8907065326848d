//! Finding built-in types.

use hobgoblin_sql_schema::names::base_type;
use hobgoblin_sql_schema::shape::RowType;

use super::entry::Builtin;
use super::table;
use crate::{Names, Oid, PgType, TypeId};

/// All built-in types, sorted by oid.
pub fn all() -> &'static [Builtin] {
    table::TYPES
}

/// A built-in type by its oid.
pub fn by_oid(ty: TypeId) -> Option<&'static Builtin> {
    let at = table::TYPES.binary_search_by_key(&ty.plain(), |row| row.oid).ok()?;
    table::TYPES.get(at)
}

/// The types that an extension adds. They are here though only a database with that extension has them.
pub fn of_extension(extension: &str) -> impl Iterator<Item = &'static Builtin> {
    let range = extension_oids(extension).unwrap_or(0..0);
    table::TYPES.iter().filter(move |row| range.contains(&row.oid.0))
}

/// Whether an extension of this name is here.
pub fn is_extension(name: &str) -> bool {
    EXTENSIONS.contains(&name)
}

/// The extension that a type belongs to, if any.
pub fn extension_of(ty: TypeId) -> Option<&'static str> {
    let number = ty.0.checked_sub(TypeId::FIRST_OF_EXTENSIONS)? / 1000;
    EXTENSIONS.get(usize::try_from(number).ok()?).copied()
}

/// The oids from which the objects of an extension get theirs.
fn extension_oids(extension: &str) -> Option<std::ops::Range<Oid>> {
    let number = EXTENSIONS.iter().position(|known| *known == extension)?;
    let first = TypeId::FIRST_OF_EXTENSIONS + 1000 * Oid::try_from(number).ok()?;
    Some(first..first + 1000)
}

/// The extensions whose objects have oids. Each has a thousand of them.
const EXTENSIONS: [&str; 5] = ["uuid-ossp", "unaccent", "pg_trgm", "citext", "hstore"];

/// A built-in type by `typname` alone; those of extensions have their names in catalogues.
pub fn by_catalog_name(name: &str) -> Option<TypeId> {
    let own = table::TYPES.iter().take_while(|row| row.oid.0 < TypeId::FIRST_OF_EXTENSIONS);
    own.into_iter().find(|row| row.name == name).map(|row| row.oid)
}

/// The array type of a built-in type.
pub fn array_of(element: TypeId) -> Option<TypeId> {
    by_oid(element).map(|row| row.array).filter(|array| *array != TypeId(0))
}

/// The element type of a built-in array type, of `int2vector` and of `oidvector`.
pub fn element_of(array: TypeId) -> Option<TypeId> {
    let vector = array == TypeId::INT2VECTOR || array == TypeId::OIDVECTOR;
    by_oid(array).filter(|row| row.is_array() || vector).map(|row| row.element)
}

/// The category of a built-in type, as `typcategory` has it: `N` numbers, `S` strings, … What is not in
/// the table is a row.
pub fn category(ty: TypeId) -> char {
    by_oid(ty).map_or('C', |row| row.category)
}

/// The array type of a type, built in or not.
pub fn array_type(element: TypeId, names: &dyn Names) -> Option<TypeId> {
    if by_oid(element).is_some() { array_of(element) } else { names.array_of(element) }
}

/// The element type of an array type, built in or not.
pub fn element_type(array: TypeId, names: &dyn Names) -> Option<TypeId> {
    let (array, _) = base_type(array, -1, names);
    if by_oid(array).is_some() { element_of(array) } else { names.element_of(array) }
}

/// The category of any type: `E` for enums, `C` for rows, that of the table for built-in types.
pub fn category_of(ty: TypeId, names: &dyn Names) -> char {
    let (ty, _) = base_type(ty, -1, names);
    if by_oid(ty).is_some() {
        category(ty)
    } else if names.enum_type(ty).is_some() {
        'E'
    } else if names.element_of(ty).is_some() {
        'A'
    } else {
        'C'
    }
}

/// Whether a call prefers this type to others of its category.
pub fn is_preferred(ty: TypeId) -> bool {
    by_oid(ty).is_some_and(|row| row.preferred)
}

/// Whether a type only stands for others in the signatures of functions.
pub fn is_pseudo(ty: TypeId) -> bool {
    by_oid(ty).is_some_and(|row| row.kind == 'p')
}
