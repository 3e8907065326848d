//! Kinds of types, and the error between types that nothing converts.

use crate::error::{SqlError, SqlState};
use crate::{Names, PgType, TypeId, builtin};

/// Whether a type is one of the strings.
pub fn is_string(ty: TypeId) -> bool {
    matches!(
        ty,
        TypeId::TEXT
            | TypeId::VARCHAR
            | TypeId::BPCHAR
            | TypeId::NAME
            | TypeId::CHAR
            | TypeId::CITEXT
    )
}

pub(super) fn is_integer(ty: TypeId) -> bool {
    matches!(ty, TypeId::INT2 | TypeId::INT4 | TypeId::INT8)
}

/// Whether a type is an oid that prints as a name.
pub(super) fn is_reg(ty: TypeId) -> bool {
    matches!(
        ty,
        TypeId::REGPROC
            | TypeId::REGPROCEDURE
            | TypeId::REGOPER
            | TypeId::REGCLASS
            | TypeId::REGTYPE
            | TypeId::REGNAMESPACE
            | TypeId::REGROLE
            | TypeId::REGCOLLATION
            | TypeId::REGDICTIONARY
    )
}

/// The error for types between which nothing converts.
pub fn cannot_cast(from: TypeId, to: TypeId, names: &dyn Names) -> SqlError {
    SqlError::new(
        SqlState::CANNOT_COERCE,
        format!(
            "cannot cast type {} to {}",
            builtin::format_type(from, -1, names),
            builtin::format_type(to, -1, names)
        ),
    )
}
