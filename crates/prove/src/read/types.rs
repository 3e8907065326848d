//! Types: what SQL calls them, and which go together.
//!
//! `NULL` and `choose()` have no type of their own. They are *open*: they take the type of what stands beside them, and
//! [`settle`] says so throughout an expression, as PostgreSQL does with its literals of type unknown.

use sqlparser::ast::{ArrayElemTypeDef, DataType, ExactNumberInfo, ObjectNamePart};

use super::error::{Fault, Problem, Result};
use crate::program::{Expr, ExprKind, Place, Type};

/// A type as a column has it: `serial` also says what the default is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared {
    pub(super) ty: Type,
    pub(super) serial: bool,
}

/// What a type of SQL is to us.
pub(super) fn declared(ty: &DataType, place: Place) -> Result<Declared> {
    let serial = match ty {
        DataType::Custom(name, _) => match name.0.as_slice() {
            [ObjectNamePart::Identifier(name)] => {
                let name = name.value.to_ascii_lowercase();
                matches!(
                    name.as_str(),
                    "serial" | "bigserial" | "smallserial" | "serial4" | "serial8"
                )
            }
            _ => false,
        },
        _ => false,
    };
    let ty = if serial { Type::Int } else { known(ty, place)? };
    Ok(Declared { ty, serial })
}

fn known(ty: &DataType, place: Place) -> Result<Type> {
    Ok(match ty {
        DataType::Int(_)
        | DataType::Integer(_)
        | DataType::BigInt(_)
        | DataType::SmallInt(_)
        | DataType::Int2(_)
        | DataType::Int4(_)
        | DataType::Int8(_)
        | DataType::Date
        | DataType::Time(..)
        | DataType::Timestamp(..)
        | DataType::Interval { .. } => Type::Int,
        DataType::Numeric(_)
        | DataType::Decimal(_)
        | DataType::Dec(_)
        | DataType::Real
        | DataType::Float(_)
        | DataType::Float4
        | DataType::Float8
        | DataType::Double(_)
        | DataType::DoublePrecision => Type::Decimal,
        DataType::Bool | DataType::Boolean => Type::Bool,
        DataType::Text
        | DataType::Varchar(_)
        | DataType::Char(_)
        | DataType::Character(_)
        | DataType::CharacterVarying(_)
        | DataType::CharVarying(_)
        | DataType::Uuid => Type::Text,
        DataType::Array(
            ArrayElemTypeDef::SquareBracket(element, _) | ArrayElemTypeDef::Parenthesis(element),
        ) if is_whole(element) => Type::IntArray,
        _ => return Err(Fault::new(place, Problem::UnknownType { name: ty.to_string() })),
    })
}

/// How many digits the fractions of a type have, if it says so.
pub(super) fn scale(ty: &DataType) -> Option<u32> {
    match ty {
        DataType::Numeric(info) | DataType::Decimal(info) | DataType::Dec(info) => match info {
            ExactNumberInfo::None => None,
            ExactNumberInfo::Precision(_) => Some(0),
            ExactNumberInfo::PrecisionAndScale(_, scale) => u32::try_from(*scale).ok(),
        },
        _ => None,
    }
}

fn is_whole(ty: &DataType) -> bool {
    matches!(
        ty,
        DataType::Int(_)
            | DataType::Integer(_)
            | DataType::BigInt(_)
            | DataType::SmallInt(_)
            | DataType::Int2(_)
            | DataType::Int4(_)
            | DataType::Int8(_)
    )
}

/// Whether a type is one of numbers.
pub(super) fn is_number(ty: Type) -> bool {
    matches!(ty, Type::Int | Type::Decimal)
}

/// Whether an expression has no type of its own.
pub(super) fn is_open(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Null => true,
        ExprKind::Choose => expr.ty == OPEN,
        ExprKind::Case(arms, otherwise) => {
            arms.iter().all(|(_, then)| is_open(then)) && otherwise.as_deref().is_none_or(is_open)
        }
        ExprKind::Coalesce(all) => all.iter().all(is_open),
        ExprKind::Negate(inner) => is_open(inner),
        _ => false,
    }
}

/// The type that an open expression has until it is settled. No expression that is not open may be of this type and be
/// a [`ExprKind::Choose`], which holds since nothing chooses arrays.
pub(super) const OPEN: Type = Type::IntArray;

/// Gives an open expression its type; another stays as it is.
pub(super) fn settle(expr: &mut Expr, ty: Type) {
    if !is_open(expr) {
        return;
    }
    expr.ty = ty;
    match &mut expr.kind {
        ExprKind::Case(arms, otherwise) => {
            let thens = arms.iter_mut().map(|(_, then)| then);
            thens.chain(otherwise.as_deref_mut()).for_each(|then| settle(then, ty));
        }
        ExprKind::Coalesce(all) => all.iter_mut().for_each(|one| settle(one, ty)),
        ExprKind::Negate(inner) => settle(inner, ty),
        _ => {}
    }
}

/// The type that all have together, if they do: whole numbers beside fractions are fractions. Open ones take it; if all
/// are open, it stays so.
pub(super) fn together(all: &mut [&mut Expr], what: &str) -> Result<Option<Type>> {
    let mut found: Option<Type> = None;
    for expr in all.iter() {
        if is_open(expr) {
            continue;
        }
        found = match found {
            None => Some(expr.ty),
            Some(ty) if ty == expr.ty => Some(ty),
            Some(ty) if is_number(ty) && is_number(expr.ty) => Some(Type::Decimal),
            Some(left) => {
                let operator = what.to_owned();
                let problem = Problem::Unlike { operator, left, right: expr.ty };
                return Err(Fault::new(expr.place, problem));
            }
        };
    }
    if let Some(ty) = found {
        all.iter_mut().for_each(|expr| settle(expr, ty));
    }
    Ok(found)
}

/// Whether a value of a type may go where another is wanted. Whole numbers may become fractions.
pub(super) fn fits(wanted: Type, found: Type) -> bool {
    wanted == found || (wanted == Type::Decimal && found == Type::Int)
}

/// An expression that goes where a type is wanted.
pub(super) fn expect(mut expr: Expr, wanted: Type) -> Result<Expr> {
    settle(&mut expr, wanted);
    match fits(wanted, expr.ty) {
        true => Ok(expr),
        false => {
            let problem = Problem::WrongType { expected: wanted, found: expr.ty };
            Err(Fault::new(expr.place, problem))
        }
    }
}

/// Whether a cast to a type may cut what is cast.
pub(super) fn is_cut(ty: &DataType) -> bool {
    matches!(
        ty,
        DataType::Varchar(Some(_))
            | DataType::Char(_)
            | DataType::Character(_)
            | DataType::CharacterVarying(Some(_))
            | DataType::CharVarying(Some(_))
            | DataType::Date
            | DataType::Time(..)
            | DataType::Numeric(
                ExactNumberInfo::Precision(_) | ExactNumberInfo::PrecisionAndScale(..)
            )
            | DataType::Decimal(
                ExactNumberInfo::Precision(_) | ExactNumberInfo::PrecisionAndScale(..)
            )
    )
}
