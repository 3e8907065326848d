//! Short names for the values that rows of the system catalogue are made of.

use std::sync::Arc;

use crate::types::{Array, Datum, Oid, PgType, TypeId};

pub(super) fn text(value: impl AsRef<str>) -> Datum {
    Datum::text(value.as_ref())
}

pub(super) fn int(value: impl Into<i64>) -> Datum {
    Datum::Int(value.into())
}

pub(super) fn size(value: usize) -> Datum {
    Datum::Int(i64::try_from(value).unwrap_or(i64::MAX))
}

pub(super) fn flag(value: bool) -> Datum {
    Datum::Bool(value)
}

pub(super) fn letter(value: char) -> Datum {
    Datum::text(value.to_string())
}

pub(super) const NULL: Datum = Datum::Null;

pub(super) fn option(value: Option<String>) -> Datum {
    value.map_or(Datum::Null, Datum::text)
}

/// YES or NO, as information_schema says it.
pub(super) fn yes(value: bool) -> Datum {
    text(if value { "YES" } else { "NO" })
}

/// A list of numbers that counts from 0, `int2vector` or `oidvector`.
pub(super) fn vector(element: TypeId, items: impl IntoIterator<Item = i64>) -> Datum {
    let items: Vec<Datum> = items.into_iter().map(Datum::Int).collect();
    let dims = vec![(items.len(), 0)];
    Datum::Array(Arc::new(Array { element, dims, items }))
}

pub(super) fn list(element: TypeId, items: Vec<Datum>) -> Datum {
    Datum::Array(Arc::new(Array::of(element, items)))
}

/// Column numbers as `int2[]`.
pub(super) fn numbers(columns: &[usize]) -> Datum {
    list(TypeId::INT2, columns.iter().map(|c| size(c + 1)).collect())
}

pub(super) fn oids(items: impl IntoIterator<Item = Oid>) -> Datum {
    list(TypeId::OID, items.into_iter().map(int).collect())
}

/// An expression of the schema, by where it stands; `pg_get_expr` finds it again.
pub(super) fn node(kind: &str, object: Oid, part: usize) -> Datum {
    text(format!("{{{kind} {object} {part}}}"))
}
