//! Polymorphic types: what `anyelement` and its family stand for in one call.
//!
//! In the first family (`anyelement`, `anyarray`, `anynonarray`, `anyenum`) all arguments of a call name one
//! type, or arrays of it. In the second (`anycompatible…`) they convert to a common one.

use super::common::{common_type, compatible, is_polymorphic, simple};
use crate::error::{Result, SqlError, SqlState};
use crate::{Names, PgType, TypeId, builtin, range};

fn takes_array(ty: TypeId) -> bool {
    matches!(ty, TypeId::ANYARRAY | TypeId::ANYCOMPATIBLEARRAY)
}

/// The category of a type, of user types too.
pub(super) fn category(ty: TypeId, names: &dyn Names) -> char {
    builtin::category_of(ty, names)
}

/// The element type of an array type.
pub(super) fn element_of(ty: TypeId, names: &dyn Names) -> Option<TypeId> {
    builtin::element_type(ty, names)
}

/// The types that the two families stand for in one call.
#[derive(Default)]
struct Meaning {
    simple: Option<TypeId>,
    compatible: Option<TypeId>,
}

/// Whether the arguments of a call can all have the types that a signature declares.
pub(super) fn consistent(declared: &[TypeId], actual: &[TypeId], names: &dyn Names) -> bool {
    !declared.iter().any(|&ty| is_polymorphic(ty)) || meaning(declared, actual, names).is_ok()
}

fn mismatch(message: impl Into<String>) -> SqlError {
    SqlError::new(SqlState::DATATYPE_MISMATCH, message)
}

fn meaning(declared: &[TypeId], actual: &[TypeId], names: &dyn Names) -> Result<Meaning> {
    let mut found = Meaning::default();
    let mut common = Vec::new();
    for (&want, &have) in declared.iter().zip(actual) {
        if !is_polymorphic(want) || have == TypeId::UNKNOWN {
            continue;
        }
        let element = if takes_array(want) {
            element_of(have, names).ok_or_else(|| {
                mismatch(format!(
                    "argument declared {} is not an array but type {}",
                    builtin::format_type(want, -1, names),
                    builtin::format_type(have, -1, names)
                ))
            })?
        } else if want == TypeId::ANYRANGE {
            let base = builtin::base_type(have, -1, names).0;
            range::subtype_of(base).ok_or_else(|| {
                mismatch(format!(
                    "argument declared anyrange is not a range type but type {}",
                    builtin::format_type(have, -1, names)
                ))
            })?
        } else {
            have
        };
        let array = category(element, names) == 'A';
        if matches!(want, TypeId::ANYNONARRAY | TypeId::ANYCOMPATIBLENONARRAY) && array {
            return Err(mismatch(format!(
                "type matched to {} is an array type: {}",
                builtin::format_type(want, -1, names),
                builtin::format_type(element, -1, names)
            )));
        }
        if want == TypeId::ANYENUM && category(element, names) != 'E' {
            return Err(mismatch(format!(
                "type matched to anyenum is not an enum type: {}",
                builtin::format_type(element, -1, names)
            )));
        }
        if simple(want) {
            if found.simple.is_some_and(|before| before != element) {
                return Err(mismatch("arguments declared \"anyelement\" are not all alike"));
            }
            found.simple = Some(element);
        } else {
            common.push(element);
        }
    }
    if declared.iter().any(|&ty| compatible(ty)) {
        found.compatible = Some(common_type(&common, "arguments", names)?);
    }
    Ok(found)
}

/// The types that the arguments of a call convert to, with the polymorphic ones filled in.
pub(super) fn arguments(
    declared: &[TypeId],
    actual: &[TypeId],
    names: &dyn Names,
) -> Result<Vec<TypeId>> {
    let meaning = meaning(declared, actual, names)?;
    let pairs = declared.iter().zip(actual);
    pairs
        .map(|(&want, &have)| {
            let vector = matches!(have, TypeId::INT2VECTOR | TypeId::OIDVECTOR);
            if want == TypeId::ANY || (vector && want == TypeId::ANYARRAY) {
                Ok(have)
            } else {
                replace(want, &meaning, names)
            }
        })
        .collect()
}

/// The type of a call, once its arguments have their types.
pub(super) fn result(
    ty: TypeId,
    declared: &[TypeId],
    args: &[TypeId],
    names: &dyn Names,
) -> Result<TypeId> {
    if !is_polymorphic(ty) {
        return Ok(ty);
    }
    replace(ty, &meaning(declared, args, names)?, names)
}

fn replace(ty: TypeId, meaning: &Meaning, names: &dyn Names) -> Result<TypeId> {
    let element = match ty {
        ty if simple(ty) => meaning.simple,
        ty if compatible(ty) => meaning.compatible,
        ty => return Ok(ty),
    };
    let element = element.ok_or_else(|| {
        mismatch("could not determine polymorphic type because input has type unknown")
    })?;
    if ty == TypeId::ANYRANGE {
        return range::range_of(element)
            .ok_or_else(|| mismatch("could not determine polymorphic type anyrange"));
    }
    if !takes_array(ty) {
        return Ok(element);
    }
    builtin::array_type(element, names).ok_or_else(|| {
        SqlError::new(
            SqlState::UNDEFINED_OBJECT,
            format!(
                "could not find array type for data type {}",
                builtin::format_type(element, -1, names)
            ),
        )
    })
}
