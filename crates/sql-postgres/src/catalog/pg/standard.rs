//! What the standard's views say of types and names.

use super::context::VirtualCx;
use super::value::*;
use crate::catalog::Catalog;
use crate::types::{Datum, PgType, TypeId, builtin};

/// What the standard says of a type: length, octets, precision, radix, scale, datetime precision,
/// interval type.
pub(super) struct Facts {
    pub(super) data_type: String,
    pub(super) length: Option<i32>,
    pub(super) octets: Option<i32>,
    pub(super) precision: Option<i32>,
    pub(super) radix: Option<i32>,
    pub(super) scale: Option<i32>,
    pub(super) datetime: Option<i32>,
    pub(super) udt_schema: String,
    pub(super) udt_name: String,
}

pub(super) fn facts(catalog: &Catalog, ty: TypeId, typmod: i32) -> Facts {
    let own = builtin::by_oid(ty).filter(|_| builtin::extension_of(ty).is_none());
    let (udt_schema, udt_name) = match own {
        Some(b) => ("pg_catalog".to_owned(), b.name.to_owned()),
        None => match catalog.type_names(ty) {
            Some((schema, name)) => (schema.to_owned(), name),
            None => (String::new(), String::new()),
        },
    };
    let is_array =
        catalog.element_type(ty).is_some() && !matches!(ty, TypeId::INT2VECTOR | TypeId::OIDVECTOR);
    let data_type = if is_array {
        "ARRAY".to_owned()
    } else if udt_schema == "pg_catalog" {
        builtin::format_type(ty, -1, catalog)
    } else {
        "USER-DEFINED".to_owned()
    };
    let length = match ty {
        TypeId::VARCHAR | TypeId::BPCHAR if typmod > 4 => Some(typmod - 4),
        TypeId::BIT | TypeId::VARBIT if typmod >= 0 => Some(typmod),
        _ => None,
    };
    let octets = match ty {
        TypeId::TEXT => Some(1_073_741_824),
        TypeId::VARCHAR | TypeId::BPCHAR => {
            Some(length.map_or(1_073_741_824, |l| l.saturating_mul(4)))
        }
        _ => None,
    };
    let modified = typmod.wrapping_sub(4);
    let (precision, radix, scale) = match ty {
        TypeId::INT2 => (Some(16), Some(2), Some(0)),
        TypeId::INT4 => (Some(32), Some(2), Some(0)),
        TypeId::INT8 => (Some(64), Some(2), Some(0)),
        TypeId::FLOAT4 => (Some(24), Some(2), None),
        TypeId::FLOAT8 => (Some(53), Some(2), None),
        TypeId::NUMERIC if typmod >= 4 => {
            (Some((modified >> 16) & 0xffff), Some(10), Some(((modified & 0x7ff) ^ 1024) - 1024))
        }
        TypeId::NUMERIC => (None, Some(10), None),
        _ => (None, None, None),
    };
    let datetime = match ty {
        TypeId::DATE => Some(0),
        TypeId::TIME | TypeId::TIMETZ | TypeId::TIMESTAMP | TypeId::TIMESTAMPTZ => {
            Some(if typmod < 0 { 6 } else { typmod })
        }
        TypeId::INTERVAL => {
            Some(if typmod < 0 || typmod & 0xffff == 0xffff { 6 } else { typmod & 0xffff })
        }
        _ => None,
    };
    Facts { data_type, length, octets, precision, radix, scale, datetime, udt_schema, udt_name }
}

impl Facts {
    /// The columns for the length of a text: in characters, and in bytes.
    pub(super) fn lengths(&self) -> [Datum; 2] {
        [number(self.length), number(self.octets)]
    }

    /// The columns for a number: its precision, the radix of that, its scale.
    pub(super) fn digits(&self) -> [Datum; 3] {
        [number(self.precision), number(self.radix), number(self.scale)]
    }

    /// The columns that name the type itself, below a domain: database, schema, name.
    pub(super) fn udt(&self, cx: &VirtualCx<'_>) -> [Datum; 3] {
        named(cx, &self.udt_schema, &self.udt_name)
    }
}

pub(super) fn number(value: Option<i32>) -> Datum {
    value.map_or(NULL, int)
}

/// The three columns that name an object.
pub(super) fn named(cx: &VirtualCx<'_>, schema: &str, name: &str) -> [Datum; 3] {
    [text(cx.database), text(schema), text(name)]
}

/// The three columns of a collation.
pub(super) fn collated(cx: &VirtualCx<'_>, collation: Option<&str>) -> [Datum; 3] {
    collation.map_or([NULL; 3], |name| named(cx, "pg_catalog", name))
}
