//! Names of types as SQL writes them, read and printed.

use super::find::{array_type, by_catalog_name, by_oid, extension_of};
use super::quote::quote_ident;
use crate::datetime::Unit;
use crate::interval::{Fields, digits_of, fields_of, typmod_of};
use crate::numeric::{self, precision_and_scale};
use crate::{Names, PgType, TypeId};

/// Names of SQL that are not names of the catalogue.
pub(super) fn sql_name(name: &str) -> Option<TypeId> {
    Some(match name {
        "boolean" => TypeId::BOOL,
        "smallint" => TypeId::INT2,
        "int" | "integer" => TypeId::INT4,
        "bigint" => TypeId::INT8,
        "real" => TypeId::FLOAT4,
        "float" | "double precision" => TypeId::FLOAT8,
        "decimal" | "dec" => TypeId::NUMERIC,
        "character varying"
        | "char varying"
        | "national character varying"
        | "national char varying"
        | "nchar varying" => TypeId::VARCHAR,
        "character" | "char" | "national character" | "national char" | "nchar" => TypeId::BPCHAR,
        "\"char\"" => TypeId::CHAR,
        "bit varying" => TypeId::VARBIT,
        "time without time zone" => TypeId::TIME,
        "time with time zone" => TypeId::TIMETZ,
        "timestamp without time zone" => TypeId::TIMESTAMP,
        "timestamp with time zone" => TypeId::TIMESTAMPTZ,
        _ => return None,
    })
}

/// What `format_type` prints: the name with the modifier; a modifier of -1 is none.
pub fn format_type(ty: TypeId, typmod: i32, names: &dyn Names) -> String {
    if let Some(row) = by_oid(ty) {
        if row.is_array() {
            return format!("{}[]", format_type(row.element, typmod, names));
        }
        return match names.type_name(ty).filter(|_| extension_of(ty).is_some()) {
            Some(name) => name,
            None => builtin_name(ty, row.name, typmod),
        };
    }
    if let Some(element) = names.element_of(ty) {
        return format!("{}[]", format_type(element, typmod, names));
    }
    match (ty.0, names.type_name(ty)) {
        (0, _) => "-".into(),
        (_, Some(name)) => name,
        (_, None) => "???".into(),
    }
}

fn builtin_name(ty: TypeId, name: &str, typmod: i32) -> String {
    let length = |name: &str| match typmod {
        4.. => format!("{name}({})", typmod - 4),
        _ => name.to_owned(),
    };
    let seconds = |before: &str, after: &str| match typmod {
        0.. => format!("{before}({typmod}){after}"),
        _ => format!("{before}{after}"),
    };
    match ty {
        TypeId::BOOL => "boolean".into(),
        TypeId::INT2 => "smallint".into(),
        TypeId::INT4 => "integer".into(),
        TypeId::INT8 => "bigint".into(),
        TypeId::FLOAT4 => "real".into(),
        TypeId::FLOAT8 => "double precision".into(),
        TypeId::CHAR => "\"char\"".into(),
        TypeId::ANY => "\"any\"".into(),
        // Without a modifier, `character` would mean a length of 1.
        TypeId::BPCHAR if typmod < 0 => "character".into(),
        TypeId::BPCHAR => length("character"),
        TypeId::VARCHAR => length("character varying"),
        TypeId::BIT => match typmod {
            0.. => format!("bit({typmod})"),
            _ => "bit".into(),
        },
        TypeId::VARBIT => match typmod {
            0.. => format!("bit varying({typmod})"),
            _ => "bit varying".into(),
        },
        TypeId::NUMERIC => match precision_and_scale(typmod) {
            Some((precision, scale)) => format!("numeric({precision},{scale})"),
            None => "numeric".into(),
        },
        TypeId::TIME => seconds("time", " without time zone"),
        TypeId::TIMETZ => seconds("time", " with time zone"),
        TypeId::TIMESTAMP => seconds("timestamp", " without time zone"),
        TypeId::TIMESTAMPTZ => seconds("timestamp", " with time zone"),
        TypeId::INTERVAL => interval_name(typmod),
        _ => quote_ident(name).into_owned(),
    }
}

const FIELDS: [(Unit, &str); 6] = [
    (Unit::Year, "year"),
    (Unit::Month, "month"),
    (Unit::Day, "day"),
    (Unit::Hour, "hour"),
    (Unit::Minute, "minute"),
    (Unit::Second, "second"),
];

fn interval_name(typmod: i32) -> String {
    let mut name = "interval".to_owned();
    let called = |unit| FIELDS.iter().find(|(u, _)| *u == unit).map_or("", |(_, name)| name);
    if let Some(Fields { first, last }) = fields_of(typmod) {
        name.push(' ');
        name.push_str(called(first));
        if first != last {
            name.push_str(" to ");
            name.push_str(called(last));
        }
    }
    if let Some(digits) = digits_of(typmod) {
        name.push_str(&format!("({digits})"));
    }
    name
}

/// The parts of a dotted name: quotes are taken off, other letters made small; `None` when malformed.
pub fn split_identifiers(text: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    let mut chars = text.trim().chars().peekable();
    loop {
        let mut part = String::new();
        if chars.next_if_eq(&'"').is_some() {
            loop {
                match chars.next()? {
                    '"' if chars.next_if_eq(&'"').is_some() => part.push('"'),
                    '"' => break,
                    c => part.push(c),
                }
            }
        } else {
            while let Some(c) = chars.next_if(|c| *c != '.' && *c != '"' && !c.is_whitespace()) {
                part.extend(c.to_lowercase());
            }
            if part.is_empty() {
                return None;
            }
        }
        parts.push(part);
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        match chars.next() {
            None => return Some(parts),
            Some('.') => while chars.next_if(|c| c.is_whitespace()).is_some() {},
            Some(_) => return None,
        }
    }
}

/// A type and its modifier by the name SQL gives it: `int4`, `numeric(10,2)[]`, `pg_catalog.text`,
/// `timestamp(3) with time zone`, `interval day to second`, `"My enum"`.
pub fn parse_type_name(text: &str, names: &dyn Names) -> Option<(TypeId, i32)> {
    let mut rest = text.trim();
    let mut array = false;
    while let Some(inner) = rest.strip_suffix(']') {
        let open = inner.rfind('[')?;
        let bound = inner.get(open + 1..)?.trim();
        if !bound.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        rest = inner.get(..open)?.trim_end();
        array = true;
    }
    if let Some(inner) = rest.to_ascii_lowercase().strip_suffix(" array") {
        rest = rest.get(..inner.len())?.trim_end();
        array = true;
    }
    let (name, modifiers) = take_modifiers(rest)?;
    let (ty, typmod) = scalar(&name, &modifiers, names)?;
    if array { Some((array_type(ty, names)?, typmod)) } else { Some((ty, typmod)) }
}

/// The name without its bracketed numbers, and those.
fn take_modifiers(text: &str) -> Option<(String, Vec<i32>)> {
    let Some(open) = text.find('(').filter(|_| !text.starts_with('"')) else {
        return Some((text.to_owned(), Vec::new()));
    };
    let close = open + text.get(open..)?.find(')')?;
    let numbers = text.get(open + 1..close)?.split(',').map(|n| n.trim().parse::<i32>().ok());
    let numbers = numbers.collect::<Option<Vec<_>>>()?;
    let name = format!("{} {}", text.get(..open)?.trim_end(), text.get(close + 1..)?.trim_start());
    Some((name.trim_end().to_owned(), numbers))
}

fn scalar(name: &str, modifiers: &[i32], names: &dyn Names) -> Option<(TypeId, i32)> {
    let words = name.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase();
    if let Some(fields) = words.strip_prefix("interval")
        && (fields.is_empty() || fields.starts_with(' '))
    {
        let fields = interval_fields(fields.trim_start())?;
        return Some((TypeId::INTERVAL, typmod_of(fields, modifiers.first().copied())));
    }
    let ty = match sql_name(&words) {
        Some(ty) => ty,
        None => named(name, names)?,
    };
    let first = modifiers.first().copied();
    let typmod = match (ty, first) {
        // `char` alone is one character long, `bpchar` is not limited.
        (TypeId::BPCHAR, None) if words != "bpchar" && !words.contains('.') => 5,
        (TypeId::BIT, None) if words == "bit" => 1,
        (TypeId::FLOAT8, Some(digits)) if words == "float" => {
            return match digits {
                1..=24 => Some((TypeId::FLOAT4, -1)),
                25..=53 => Some((TypeId::FLOAT8, -1)),
                _ => None,
            };
        }
        (_, None) => -1,
        (TypeId::BPCHAR | TypeId::VARCHAR, Some(length @ 1..=10_485_760)) => length + 4,
        (TypeId::BIT | TypeId::VARBIT, Some(length @ 1..)) => length,
        (TypeId::NUMERIC, Some(precision @ 1..=1000)) => match modifiers.get(1) {
            None => numeric::typmod(precision, 0),
            Some(scale @ -1000..=1000) => numeric::typmod(precision, *scale),
            Some(_) => return None,
        },
        (
            TypeId::TIME | TypeId::TIMETZ | TypeId::TIMESTAMP | TypeId::TIMESTAMPTZ,
            Some(digits @ 0..),
        ) => digits.min(6),
        _ => return None,
    };
    Some((ty, typmod))
}

fn named(name: &str, names: &dyn Names) -> Option<TypeId> {
    let parts = split_identifiers(name)?;
    match parts.as_slice() {
        [name] => by_catalog_name(name).or_else(|| names.type_by_name(None, name)),
        [schema, name] if schema == "pg_catalog" => by_catalog_name(name),
        [schema, name] => names.type_by_name(Some(schema), name),
        _ => None,
    }
}

/// The fields after `interval`; the inner `None` is for none.
fn interval_fields(text: &str) -> Option<Option<Fields>> {
    if text.is_empty() {
        return Some(None);
    }
    let unit = |name: &str| FIELDS.iter().find(|(_, n)| *n == name).map(|(unit, _)| *unit);
    let (first, last) = match text.split_once(" to ") {
        Some((first, last)) => (unit(first)?, unit(last)?),
        None => (unit(text)?, unit(text)?),
    };
    Some(Some(Fields { first, last }))
}

/// A built-in type by `typname` or by a name of SQL, in lower case: `int4`, `integer`, `_int4`,
/// `double precision`, `timestamp with time zone`.
pub fn by_name(name: &str) -> Option<TypeId> {
    if let Some(ty) = sql_name(name) {
        return Some(ty);
    }
    by_catalog_name(name)
}
