//! What converts to what without being asked, and the one type of several.

use crate::cast::{self, CastContext};
use crate::error::{Result, SqlError, SqlState};
use crate::{Names, PgType, TypeId, builtin};

/// Whether a type is of the first polymorphic family, `anyelement` and its like.
pub(super) fn simple(ty: TypeId) -> bool {
    matches!(
        ty,
        TypeId::ANYELEMENT
            | TypeId::ANYARRAY
            | TypeId::ANYNONARRAY
            | TypeId::ANYENUM
            | TypeId::ANYRANGE
    )
}

/// Whether a type is of the second polymorphic family, `anycompatible` and its like.
pub(super) fn compatible(ty: TypeId) -> bool {
    matches!(ty, TypeId::ANYCOMPATIBLE | TypeId::ANYCOMPATIBLEARRAY | TypeId::ANYCOMPATIBLENONARRAY)
}

/// Whether a type in a signature stands for others.
pub(super) fn is_polymorphic(ty: TypeId) -> bool {
    simple(ty) || compatible(ty)
}

/// Whether a value of one type becomes one of another without a cast.
pub(super) fn converts(from: TypeId, to: TypeId, names: &dyn Names) -> bool {
    from == to
        || from == TypeId::UNKNOWN
        || to == TypeId::ANY
        || is_polymorphic(to)
        || (to == TypeId::RECORD && builtin::category_of(from, names) == 'C')
        || matches!(cast::context(from, to, names), Some(CastContext::Implicit))
}

/// The type that the branches of a UNION, CASE, ARRAY, VALUES or the like have in common (manual,
/// 10.5). `what` is the word for them in the error.
pub fn common_type(types: &[TypeId], what: &str, names: &dyn Names) -> Result<TypeId> {
    // Only where all are of one domain is that the type.
    let alike = types.windows(2).all(|pair| pair[0] == pair[1]);
    let base = |ty| if alike { ty } else { builtin::base_type(ty, -1, names).0 };
    let mut rest = types.iter().map(|&ty| base(ty));
    let Some(mut chosen) = rest.next() else { return Ok(TypeId::TEXT) };
    for ty in rest {
        if ty == chosen || ty == TypeId::UNKNOWN {
            continue;
        }
        if chosen == TypeId::UNKNOWN {
            chosen = ty;
        } else if builtin::category_of(ty, names) != builtin::category_of(chosen, names) {
            return Err(SqlError::new(
                SqlState::DATATYPE_MISMATCH,
                format!(
                    "{what} types {} and {} cannot be matched",
                    builtin::format_type(chosen, -1, names),
                    builtin::format_type(ty, -1, names)
                ),
            ));
        } else if !builtin::is_preferred(chosen)
            && converts(chosen, ty, names)
            && !converts(ty, chosen, names)
        {
            chosen = ty;
        }
    }
    Ok(if chosen == TypeId::UNKNOWN { TypeId::TEXT } else { chosen })
}
