//! Types as written in SQL: `character varying(20)`, `numeric(10,2)[]`, `mood`, `bigserial`.

use sqlparser::ast::{
    ArrayElemTypeDef, CharacterLength, DataType, ExactNumberInfo, IntervalFields, TimezoneInfo,
};

use super::Catalog;
use super::names::split_name;
use crate::error::{Result, SqlError, SqlState};
use crate::types::{PgType, TypeId, builtin};

/// A type as written: the type, its modifier, and whether it was one of the serial kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeRef {
    /// The type; of a serial kind, the integer type.
    pub ty: TypeId,
    /// Its modifier, -1 for none.
    pub typmod: i32,
    /// Whether it is `smallserial`, `serial` or `bigserial`.
    pub serial: bool,
}

impl TypeRef {
    fn plain(ty: TypeId) -> TypeRef {
        TypeRef { ty, typmod: -1, serial: false }
    }

    fn with(ty: TypeId, typmod: i32) -> TypeRef {
        TypeRef { ty, typmod, serial: false }
    }
}

/// A type as an expression may name it: the serial kinds are for columns only.
pub fn data_type(catalog: &Catalog, path: &[String], ty: &DataType) -> Result<(TypeId, i32)> {
    let found = resolve_type(catalog, path, ty)?;
    if found.serial {
        let name = ty.to_string().to_ascii_lowercase();
        return Err(SqlError::new(
            SqlState::UNDEFINED_OBJECT,
            format!("type \"{name}\" does not exist"),
        ));
    }
    Ok((found.ty, found.typmod))
}

/// A type as written, with names looked up along the path.
pub fn resolve_type(catalog: &Catalog, path: &[String], ty: &DataType) -> Result<TypeRef> {
    Ok(match ty {
        DataType::SmallInt(None) | DataType::Int2(None) => TypeRef::plain(TypeId::INT2),
        DataType::Int(None) | DataType::Integer(None) | DataType::Int4(None) => {
            TypeRef::plain(TypeId::INT4)
        }
        DataType::BigInt(None) | DataType::Int8(None) => TypeRef::plain(TypeId::INT8),
        DataType::Real | DataType::Float4 => TypeRef::plain(TypeId::FLOAT4),
        DataType::DoublePrecision | DataType::Float8 => TypeRef::plain(TypeId::FLOAT8),
        DataType::Float(info) => float(info)?,
        DataType::Numeric(info) | DataType::Decimal(info) | DataType::Dec(info) => numeric(info)?,
        DataType::Text => TypeRef::plain(TypeId::TEXT),
        DataType::Varchar(length)
        | DataType::CharacterVarying(length)
        | DataType::CharVarying(length) => characters(TypeId::VARCHAR, "varchar", length, -1)?,
        DataType::Char(length) | DataType::Character(length) => {
            characters(TypeId::BPCHAR, "char", length, 5)?
        }
        DataType::Bool | DataType::Boolean => TypeRef::plain(TypeId::BOOL),
        DataType::Bytea => TypeRef::plain(TypeId::BYTEA),
        DataType::Uuid => TypeRef::plain(TypeId::UUID),
        DataType::JSON => TypeRef::plain(TypeId::JSON),
        DataType::JSONB => TypeRef::plain(TypeId::JSONB),
        DataType::Date => TypeRef::plain(TypeId::DATE),
        DataType::Time(precision, zone) => {
            let ty = if zoned(zone) { TypeId::TIMETZ } else { TypeId::TIME };
            seconds(ty, "TIME", *precision, zoned(zone))?
        }
        DataType::Timestamp(precision, zone) => {
            let ty = if zoned(zone) { TypeId::TIMESTAMPTZ } else { TypeId::TIMESTAMP };
            seconds(ty, "TIMESTAMP", *precision, zoned(zone))?
        }
        DataType::Interval { fields, precision } => interval(fields.as_ref(), *precision)?,
        DataType::Regclass => TypeRef::plain(TypeId::REGCLASS),
        DataType::Bit(length) => bits(TypeId::BIT, "bit", length.or(Some(1)))?,
        DataType::BitVarying(length) | DataType::VarBit(length) => {
            bits(TypeId::VARBIT, "varbit", *length)?
        }
        DataType::Array(of) => return resolve_array(catalog, path, of),
        DataType::Custom(name, modifiers) => {
            let (schema, last) = split_name(name)?;
            let quoted =
                name.0.last().and_then(|p| p.as_ident()).is_some_and(|i| i.quote_style.is_some());
            return resolve_named(catalog, path, schema.as_deref(), &last, quoted, modifiers);
        }
        // What the parser has a word for and PostgreSQL has not is a name like any other.
        other => {
            let text = other.to_string().to_ascii_lowercase();
            let name = text.split(['(', ' ']).next().unwrap_or_default();
            return resolve_named(catalog, path, None, name, false, &[]);
        }
    })
}

fn resolve_array(catalog: &Catalog, path: &[String], of: &ArrayElemTypeDef) -> Result<TypeRef> {
    let element = match of {
        ArrayElemTypeDef::SquareBracket(element, _) | ArrayElemTypeDef::Qualified(element, _) => {
            element
        }
        _ => return Err(SqlError::syntax("an array type is written element_type[]")),
    };
    let element = resolve_type(catalog, path, element)?;
    if element.serial {
        return Err(SqlError::new(
            SqlState::FEATURE_NOT_SUPPORTED,
            "array of serial is not implemented",
        ));
    }
    // An array of an array is the same type: dimensions are not part of it.
    if catalog.element_type(element.ty).is_some() {
        return Ok(element);
    }
    let ty = catalog.array_type(element.ty);
    match ty {
        Some(ty) => Ok(TypeRef::with(ty, element.typmod)),
        None => Err(SqlError::new(
            SqlState::UNDEFINED_OBJECT,
            format!(
                "could not find array type for data type {}",
                builtin::format_type(element.ty, -1, catalog)
            ),
        )),
    }
}

fn resolve_named(
    catalog: &Catalog,
    path: &[String],
    schema: Option<&str>,
    name: &str,
    quoted: bool,
    modifiers: &[String],
) -> Result<TypeRef> {
    if schema.is_none() || schema == Some("pg_catalog") {
        if let Some(ty) = serial(name).filter(|_| schema.is_none()) {
            return Ok(TypeRef { ty, typmod: -1, serial: true });
        }
        if let Some(found) = system_type(name, quoted || schema.is_some(), modifiers) {
            return found;
        }
    }
    match catalog.type_named(path, schema, name) {
        Some(ty) if modifiers.is_empty() => Ok(TypeRef::plain(ty)),
        Some(_) => {
            Err(SqlError::syntax(format!("type modifier is not allowed for type \"{name}\"")))
        }
        None => Err(match schema {
            Some(schema) if !catalog.schemas.contains_key(schema) => SqlError::new(
                SqlState::INVALID_SCHEMA_NAME,
                format!("schema \"{schema}\" does not exist"),
            ),
            Some(schema) => SqlError::new(
                SqlState::UNDEFINED_OBJECT,
                format!("type \"{schema}.{name}\" does not exist"),
            ),
            None => {
                SqlError::new(SqlState::UNDEFINED_OBJECT, format!("type \"{name}\" does not exist"))
            }
        }),
    }
}

fn serial(name: &str) -> Option<TypeId> {
    match name {
        "serial" | "serial4" => Some(TypeId::INT4),
        "bigserial" | "serial8" => Some(TypeId::INT8),
        "smallserial" | "serial2" => Some(TypeId::INT2),
        _ => None,
    }
}

/// A type of `pg_catalog` by its name there.
fn system_type(name: &str, exact: bool, modifiers: &[String]) -> Option<Result<TypeRef>> {
    // Quoted, `"char"` is the one-byte type; unquoted the grammar has taken it for `character`.
    let ty = if exact && name == "char" { TypeId::CHAR } else { builtin::by_name(name)? };
    if modifiers.is_empty() {
        return Some(Ok(TypeRef::plain(ty)));
    }
    Some(modified(ty, name, modifiers))
}

fn modified(ty: TypeId, name: &str, modifiers: &[String]) -> Result<TypeRef> {
    let numbers =
        modifiers.iter().map(|m| m.trim().parse::<i64>()).collect::<Result<Vec<_>, _>>().map_err(
            |_| SqlError::syntax("type modifiers must be simple constants or identifiers"),
        )?;
    let first = numbers.first().copied().and_then(|n| u64::try_from(n).ok());
    let length = || first.map(|length| CharacterLength::IntegerLength { length, unit: None });
    match ty {
        TypeId::VARCHAR => characters(ty, "varchar", &length(), -1),
        TypeId::BPCHAR => characters(ty, "char", &length(), -1),
        TypeId::NUMERIC => match (numbers.first(), numbers.get(1)) {
            (Some(p), None) => numeric_modifier(*p, 0),
            (Some(p), Some(s)) => numeric_modifier(*p, *s),
            _ => Ok(TypeRef::plain(ty)),
        },
        TypeId::TIME | TypeId::TIMETZ => seconds(ty, "TIME", first, ty == TypeId::TIMETZ),
        TypeId::TIMESTAMP | TypeId::TIMESTAMPTZ => {
            seconds(ty, "TIMESTAMP", first, ty == TypeId::TIMESTAMPTZ)
        }
        TypeId::BIT => bits(ty, "bit", first),
        TypeId::VARBIT => bits(ty, "varbit", first),
        _ => Err(SqlError::syntax(format!("type modifier is not allowed for type \"{name}\""))),
    }
}

fn invalid(message: String) -> SqlError {
    SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

fn float(info: &ExactNumberInfo) -> Result<TypeRef> {
    match info {
        ExactNumberInfo::None => Ok(TypeRef::plain(TypeId::FLOAT8)),
        ExactNumberInfo::Precision(0) => {
            Err(invalid("precision for type float must be at least 1 bit".to_owned()))
        }
        ExactNumberInfo::Precision(1..=24) => Ok(TypeRef::plain(TypeId::FLOAT4)),
        ExactNumberInfo::Precision(25..=53) => Ok(TypeRef::plain(TypeId::FLOAT8)),
        ExactNumberInfo::Precision(_) => {
            Err(invalid("precision for type float must be less than 54 bits".to_owned()))
        }
        ExactNumberInfo::PrecisionAndScale(..) => {
            Err(SqlError::syntax("syntax error at or near \",\""))
        }
    }
}

fn numeric(info: &ExactNumberInfo) -> Result<TypeRef> {
    match info {
        ExactNumberInfo::None => Ok(TypeRef::plain(TypeId::NUMERIC)),
        ExactNumberInfo::Precision(p) => numeric_modifier(i64::try_from(*p).unwrap_or(i64::MAX), 0),
        ExactNumberInfo::PrecisionAndScale(p, s) => {
            numeric_modifier(i64::try_from(*p).unwrap_or(i64::MAX), *s)
        }
    }
}

fn numeric_modifier(precision: i64, scale: i64) -> Result<TypeRef> {
    if !(1..=1000).contains(&precision) {
        return Err(invalid(format!("NUMERIC precision {precision} must be between 1 and 1000")));
    }
    if !(-1000..=1000).contains(&scale) {
        return Err(invalid(format!("NUMERIC scale {scale} must be between -1000 and 1000")));
    }
    let packed = ((precision << 16) | (scale & 0x7ff)) + 4;
    Ok(TypeRef::with(TypeId::NUMERIC, i32::try_from(packed).unwrap_or(-1)))
}

fn characters(
    ty: TypeId,
    name: &str,
    length: &Option<CharacterLength>,
    default: i32,
) -> Result<TypeRef> {
    match length {
        None => Ok(TypeRef::with(ty, default)),
        Some(CharacterLength::Max) => Err(SqlError::syntax("syntax error at or near \"max\"")),
        Some(CharacterLength::IntegerLength { length: 0, .. }) => {
            Err(invalid(format!("length for type {name} must be at least 1")))
        }
        Some(CharacterLength::IntegerLength { length, .. }) => match i32::try_from(*length) {
            Ok(length) if length <= 10_485_760 => Ok(TypeRef::with(ty, length + 4)),
            _ => Err(invalid(format!("length for type {name} cannot exceed 10485760"))),
        },
    }
}

fn bits(ty: TypeId, name: &str, length: Option<u64>) -> Result<TypeRef> {
    match length {
        None => Ok(TypeRef::plain(ty)),
        Some(0) => Err(invalid(format!("length for type {name} must be at least 1"))),
        Some(length) => match i32::try_from(length) {
            Ok(length) if length <= 83_886_080 => Ok(TypeRef::with(ty, length)),
            _ => Err(invalid(format!("length for type {name} cannot exceed 83886080"))),
        },
    }
}

fn zoned(zone: &TimezoneInfo) -> bool {
    matches!(zone, TimezoneInfo::WithTimeZone | TimezoneInfo::Tz)
}

/// A modifier of fractional digits. More than six are read as six, with a warning in PostgreSQL.
fn seconds(ty: TypeId, _name: &str, precision: Option<u64>, _zoned: bool) -> Result<TypeRef> {
    match precision {
        None => Ok(TypeRef::plain(ty)),
        Some(precision) => Ok(TypeRef::with(ty, precision.min(6) as i32)),
    }
}

/// The fields go into the upper half as PostgreSQL's bit mask, the precision into the lower.
fn interval(fields: Option<&IntervalFields>, precision: Option<u64>) -> Result<TypeRef> {
    const MONTH: i32 = 1 << 1;
    const YEAR: i32 = 1 << 2;
    const DAY: i32 = 1 << 3;
    const HOUR: i32 = 1 << 10;
    const MINUTE: i32 = 1 << 11;
    const SECOND: i32 = 1 << 12;
    let mask = match fields {
        None if precision.is_none() => return Ok(TypeRef::plain(TypeId::INTERVAL)),
        None => 0x7fff,
        Some(IntervalFields::Year) => YEAR,
        Some(IntervalFields::Month) => MONTH,
        Some(IntervalFields::Day) => DAY,
        Some(IntervalFields::Hour) => HOUR,
        Some(IntervalFields::Minute) => MINUTE,
        Some(IntervalFields::Second) => SECOND,
        Some(IntervalFields::YearToMonth) => YEAR | MONTH,
        Some(IntervalFields::DayToHour) => DAY | HOUR,
        Some(IntervalFields::DayToMinute) => DAY | HOUR | MINUTE,
        Some(IntervalFields::DayToSecond) => DAY | HOUR | MINUTE | SECOND,
        Some(IntervalFields::HourToMinute) => HOUR | MINUTE,
        Some(IntervalFields::HourToSecond) => HOUR | MINUTE | SECOND,
        Some(IntervalFields::MinuteToSecond) => MINUTE | SECOND,
    };
    let precision = precision.map_or(0xffff, |p| p.min(6) as i32);
    Ok(TypeRef::with(TypeId::INTERVAL, (mask << 16) | precision))
}
