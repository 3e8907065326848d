//! Conversions between types: which there are, when they happen unasked, and how.
//!
//! Beside the casts of `pg_cast`, every type converts to and from the string types by its text form.

mod convert;
mod kinds;
mod length;
mod number;

use super::{Datum, Names, PgType, TypeEnv, TypeId, builtin};
use crate::error::Result;

pub use kinds::{cannot_cast, is_string};
pub use length::coerce_typmod;

use kinds::{is_integer, is_reg};

pub use hobgoblin_sql_schema::dialect::CastContext;

use CastContext::{Assignment, Explicit, Implicit};

/// When values of a type convert to another; `None` when they never do. A type converts to itself.
pub fn context(from: TypeId, to: TypeId, names: &dyn Names) -> Option<CastContext> {
    let ((from, _), (to, _)) =
        (builtin::base_type(from, -1, names), builtin::base_type(to, -1, names));
    if from == to || from == TypeId::UNKNOWN {
        return Some(Implicit);
    }
    if let Some(context) = listed(from, to) {
        return Some(context);
    }
    match (builtin::element_type(from, names), builtin::element_type(to, names)) {
        (Some(a), Some(b)) if !is_vector(from) && !is_vector(to) => {
            return context(a, b, names);
        }
        (Some(_), Some(_)) => return Some(Assignment),
        _ => {}
    }
    if to == TypeId::RECORD && names.row_fields(from, -1).is_some() {
        return Some(Implicit);
    }
    if from == TypeId::RECORD && names.row_fields(to, -1).is_some() {
        return Some(Assignment);
    }
    io_context(from, to)
}

/// Conversions by the text form: to strings on assignment, from strings when asked for.
fn io_context(from: TypeId, to: TypeId) -> Option<CastContext> {
    let string = |ty| is_string(ty) && ty != TypeId::CHAR && ty != TypeId::NAME;
    if builtin::is_pseudo(from) && from != TypeId::RECORD || builtin::is_pseudo(to) {
        None
    } else if string(to) {
        Some(Assignment)
    } else if string(from) {
        Some(Explicit)
    } else {
        None
    }
}

fn is_vector(ty: TypeId) -> bool {
    ty == TypeId::INT2VECTOR || ty == TypeId::OIDVECTOR
}

/// When `pg_cast` says that one type converts to the other.
fn listed(from: TypeId, to: TypeId) -> Option<CastContext> {
    use TypeId as T;
    let rank = |ty| match ty {
        T::INT2 => Some(0),
        T::INT4 => Some(1),
        T::INT8 => Some(2),
        T::NUMERIC => Some(3),
        T::FLOAT4 => Some(4),
        T::FLOAT8 => Some(5),
        _ => None,
    };
    if let (Some(a), Some(b)) = (rank(from), rank(to)) {
        return Some(if a < b { Implicit } else { Assignment });
    }
    let oid_like = |ty| ty == T::OID || is_reg(ty);
    if is_integer(from) && oid_like(to) {
        return Some(Implicit);
    }
    if oid_like(from) && (to == T::INT4 || to == T::INT8) {
        return Some(Assignment);
    }
    if (from == T::OID && is_reg(to)) || (is_reg(from) && to == T::OID) {
        return Some(Implicit);
    }
    Some(match (from, to) {
        (T::REGPROC, T::REGPROCEDURE) | (T::REGPROCEDURE, T::REGPROC) => Implicit,
        (T::TEXT | T::VARCHAR, T::REGCLASS) => Implicit,
        (T::INT4, T::BOOL) | (T::BOOL, T::INT4) => Explicit,
        (T::TEXT, T::BPCHAR | T::VARCHAR | T::NAME) => Implicit,
        (T::BPCHAR, T::TEXT | T::VARCHAR | T::NAME) => Implicit,
        (T::VARCHAR, T::TEXT | T::BPCHAR | T::NAME) => Implicit,
        (T::CHAR | T::NAME | T::PG_NODE_TREE, T::TEXT) => Implicit,
        (T::CHAR | T::NAME, T::BPCHAR | T::VARCHAR) => Assignment,
        (T::TEXT | T::BPCHAR | T::VARCHAR, T::CHAR) => Assignment,
        (T::CHAR, T::INT4) | (T::INT4, T::CHAR) => Explicit,
        (T::CITEXT, T::TEXT | T::VARCHAR) => Implicit,
        (T::CITEXT, T::BPCHAR) => Assignment,
        // 1009 is text[].
        (TypeId(1009), T::HSTORE) | (T::HSTORE, T::JSON | T::JSONB) => Explicit,
        (T::TEXT | T::VARCHAR | T::BPCHAR | T::BOOL | T::INET, T::CITEXT) => Assignment,
        (T::DATE, T::TIMESTAMP | T::TIMESTAMPTZ) => Implicit,
        (T::TIME, T::INTERVAL | T::TIMETZ) => Implicit,
        (T::TIMESTAMP, T::TIMESTAMPTZ) => Implicit,
        (T::TIMESTAMP, T::DATE | T::TIME) => Assignment,
        (T::TIMESTAMPTZ, T::DATE | T::TIME | T::TIMETZ | T::TIMESTAMP) => Assignment,
        (T::INTERVAL | T::TIMETZ, T::TIME) => Assignment,
        (T::XID8, T::XID) => Explicit,
        (T::BIT, T::VARBIT) | (T::VARBIT, T::BIT) => Implicit,
        (T::INT4 | T::INT8, T::BIT) | (T::BIT, T::INT4 | T::INT8) => Explicit,
        (T::BOOL, T::TEXT | T::VARCHAR | T::BPCHAR) => Assignment,
        (T::JSON, T::JSONB) | (T::JSONB, T::JSON) => Assignment,
        (T::JSONB, T::BOOL | T::NUMERIC | T::INT2 | T::INT4 | T::INT8 | T::FLOAT4 | T::FLOAT8) => {
            Explicit
        }
        _ => return None,
    })
}

/// A value of one type as one of another, with that type's modifier applied. `explicit` is for casts
/// that were asked for, which cut strings that are too long.
pub fn cast(
    datum: Datum,
    from: TypeId,
    to: TypeId,
    typmod: i32,
    explicit: bool,
    env: &TypeEnv<'_>,
) -> Result<Datum> {
    if datum.is_null() {
        return Ok(datum);
    }
    let (from, _) = builtin::base_type(from, -1, env.names);
    let (to, typmod) = builtin::base_type(to, typmod, env.names);
    if from == to {
        return coerce_typmod(datum, to, typmod, explicit, env);
    }
    // citext converts as text does.
    match &datum {
        Datum::Citext(value) => {
            cast(Datum::Text(value.text.clone()), TypeId::TEXT, to, typmod, explicit, env)
        }
        _ if to == TypeId::CITEXT => {
            match convert::convert(datum, from, TypeId::TEXT, -1, explicit, env)? {
                Datum::Text(text) => Ok(Datum::citext(text)),
                other => Ok(other),
            }
        }
        _ => convert::convert(datum, from, to, typmod, explicit, env),
    }
}
