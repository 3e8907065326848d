//! The reg* types: oids that print as the names of what they number.

use crate::builtin::{format_type, parse_type_name, quote_ident, split_identifiers};
use crate::error::{Code, Result, SqlError, SqlState};
use crate::{Oid, PgType, TypeEnv, TypeId};

/// The collations that there are. All of them sort by bytes.
const COLLATIONS: [(Oid, &str); 3] = [(100, "default"), (950, "C"), (951, "POSIX")];

/// The oid a name of a reg* type stands for; `None` for other types.
pub(super) fn parse(text: &str, ty: TypeId, env: &TypeEnv<'_>) -> Result<Option<Oid>> {
    let named = matches!(
        ty,
        TypeId::REGCLASS
            | TypeId::REGTYPE
            | TypeId::REGPROC
            | TypeId::REGPROCEDURE
            | TypeId::REGOPER
            | TypeId::REGNAMESPACE
            | TypeId::REGROLE
            | TypeId::REGCOLLATION
            | TypeId::REGDICTIONARY
    );
    if !named {
        return Ok(None);
    }
    if text == "-" {
        return Ok(Some(0));
    }
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        return super::scalar::parse_oid(text, "oid").map(|oid| Some(oid as Oid));
    }
    let missing = |state: Code, message: String| Err(SqlError::new(state, message));
    let shown = || match split_identifiers(text) {
        Some(parts) => parts.join("."),
        None => text.to_owned(),
    };
    let single = || match split_identifiers(text) {
        Some(parts) if parts.len() == 1 => Ok(parts.concat()),
        _ => Err(SqlError::new(SqlState::INVALID_NAME, "invalid name syntax")),
    };
    let objects = || {
        let dialect = env.names.dialect();
        dialect.map_or_else(Vec::new, |dialect| dialect.objects_named(ty, text, env.names))
    };
    let found = match ty {
        TypeId::REGCLASS => env.names.relation_by_name(text),
        TypeId::REGTYPE => parse_type_name(text, env.names).map(|(ty, _)| ty.0),
        TypeId::REGPROC | TypeId::REGPROCEDURE | TypeId::REGDICTIONARY => match objects()[..] {
            [only] => Some(only),
            _ => None,
        },
        TypeId::REGNAMESPACE => env.names.schema_by_name(&single()?),
        TypeId::REGROLE => env.names.role_by_name(&single()?),
        TypeId::REGCOLLATION => {
            let name = split_identifiers(text).and_then(|mut parts| parts.pop());
            COLLATIONS.iter().find(|(_, n)| Some(*n) == name.as_deref()).map(|(oid, _)| *oid)
        }
        _ => return Err(super::unsupported(ty, env)),
    };
    match found {
        Some(oid) => Ok(Some(oid)),
        None => match ty {
            TypeId::REGCLASS => missing(
                SqlState::UNDEFINED_TABLE,
                format!("relation \"{}\" does not exist", shown()),
            ),
            TypeId::REGTYPE => {
                missing(SqlState::UNDEFINED_OBJECT, format!("type \"{}\" does not exist", shown()))
            }
            TypeId::REGNAMESPACE => missing(
                SqlState::INVALID_SCHEMA_NAME,
                format!("schema \"{}\" does not exist", single()?),
            ),
            TypeId::REGROLE => missing(
                SqlState::UNDEFINED_OBJECT,
                format!("role \"{}\" does not exist", single()?),
            ),
            TypeId::REGCOLLATION => missing(
                SqlState::UNDEFINED_OBJECT,
                format!("collation \"{}\" for encoding \"UTF8\" does not exist", shown()),
            ),
            TypeId::REGDICTIONARY => missing(
                SqlState::UNDEFINED_OBJECT,
                format!("text search dictionary \"{}\" does not exist", shown()),
            ),
            TypeId::REGPROCEDURE if !text.contains('(') => missing(
                SqlState::INVALID_TEXT_REPRESENTATION,
                "expected a left parenthesis".to_owned(),
            ),
            TypeId::REGPROC if objects().len() > 1 => missing(
                SqlState::AMBIGUOUS_FUNCTION,
                format!("more than one function named \"{text}\""),
            ),
            _ => {
                missing(SqlState::UNDEFINED_FUNCTION, format!("function \"{text}\" does not exist"))
            }
        },
    }
}

/// Appends the name of what an oid numbers; false when the type is not one of names.
pub(super) fn print(out: &mut String, oid: i64, ty: TypeId, env: &TypeEnv<'_>) -> bool {
    let oid = oid as Oid;
    let name = match ty {
        TypeId::REGCLASS => env.names.relation_name(oid),
        TypeId::REGTYPE => Some(format_type(TypeId(oid), -1, env.names)).filter(|n| n != "???"),
        TypeId::REGPROC | TypeId::REGPROCEDURE | TypeId::REGDICTIONARY => {
            let dialect = env.names.dialect();
            dialect.and_then(|dialect| dialect.object_name(ty, oid, env.names))
        }
        TypeId::REGNAMESPACE => env.names.schema_name(oid).map(|n| quote_ident(&n).into_owned()),
        TypeId::REGROLE => env.names.role_name(oid).map(|n| quote_ident(&n).into_owned()),
        TypeId::REGCOLLATION => COLLATIONS
            .iter()
            .find(|(known, _)| *known == oid)
            .map(|(_, name)| quote_ident(name).into_owned()),
        TypeId::REGOPER => None,
        _ => return false,
    };
    match name {
        _ if oid == 0 => out.push(if ty == TypeId::REGOPER { '0' } else { '-' }),
        Some(name) => out.push_str(&name),
        None => out.push_str(&oid.to_string()),
    }
    true
}
