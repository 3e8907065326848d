//! Types by name: as columns declare them, as CAST asks for them, as SHOW CREATE TABLE prints them.
//!
//! A column's charset and collation are part of its type, so that whoever declares one says them ([`Declared`]). UNSIGNED and
//! ZEROFILL come with it where the parser keeps them apart.

use hobgoblin_sql_schema::names::Names;
use hobgoblin_sql_schema::shape::Shapes;
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::TypeId;
use sqlparser::ast::{BinaryLength, CharacterLength, DataType, EnumMember, ExactNumberInfo};

use crate::collation::Collation;
use crate::error::{self, error};
use crate::members;
use crate::my_type::{Coercibility, Kind, MyType, NOT_FIXED};

/// What stands around a type in the declaration of a column.
#[derive(Clone, Copy, Debug)]
pub struct Declared<'a> {
    /// The column, for errors.
    pub column: &'a str,
    /// The collation of its texts.
    pub collation: Collation,
    /// UNSIGNED, where it stands apart.
    pub unsigned: bool,
    /// ZEROFILL.
    pub zerofill: bool,
}

/// Types that are called by one word.
const WORDS: &[(&str, MyType)] = &[
    ("tinyint", sized(Kind::TinyInt, 4)),
    ("smallint", sized(Kind::SmallInt, 6)),
    ("mediumint", sized(Kind::MediumInt, 9)),
    ("int", sized(Kind::Int, 11)),
    ("integer", sized(Kind::Int, 11)),
    ("bigint", sized(Kind::BigInt, 20)),
    ("signed", MyType::BIGINT),
    ("unsigned", MyType::UNSIGNED),
    ("double", MyType { length: 22, ..MyType::DOUBLE }),
    ("float", MyType { length: 12, scale: NOT_FIXED, ..MyType::new(Kind::Float) }),
    ("date", MyType::DATE),
    ("datetime", MyType::new(Kind::DateTime)),
    ("timestamp", MyType::new(Kind::Timestamp)),
    ("time", MyType::new(Kind::Time)),
    ("year", sized(Kind::Year, 4)),
    ("middleint", sized(Kind::MediumInt, 9)),
    ("int1", sized(Kind::TinyInt, 4)),
    ("int2", sized(Kind::SmallInt, 6)),
    ("int3", sized(Kind::MediumInt, 9)),
    ("int4", sized(Kind::Int, 11)),
    ("int8", sized(Kind::BigInt, 20)),
];

const fn sized(kind: Kind, width: u32) -> MyType {
    MyType { length: width, unsigned: matches!(kind, Kind::Year), ..MyType::new(kind) }
}

/// A type that is called by one word.
pub fn type_named(name: &str) -> Option<TypeId> {
    let found = WORDS.iter().find(|(word, _)| word.eq_ignore_ascii_case(name));
    found.map(|(_, ty)| ty.id())
}

/// Whether the width of an integer is written with it.
fn has_width(ty: &DataType) -> bool {
    use DataType as D;
    match ty {
        D::TinyInt(given) | D::TinyIntUnsigned(given) => given.is_some(),
        D::SmallInt(given) | D::Int2(given) => given.is_some(),
        D::SmallIntUnsigned(given) | D::Int2Unsigned(given) => given.is_some(),
        D::MediumInt(given) | D::MediumIntUnsigned(given) => given.is_some(),
        D::Int(given) | D::Integer(given) | D::Int4(given) => given.is_some(),
        D::IntUnsigned(given) | D::IntegerUnsigned(given) => given.is_some(),
        D::Int4Unsigned(given) => given.is_some(),
        _ => false,
    }
}

/// The same without a sign; `written` says whether its width is.
fn unsigned(ty: MyType, written: bool) -> MyType {
    let width = match ty.kind {
        Kind::TinyInt | Kind::SmallInt | Kind::MediumInt | Kind::Int
            if ty.length > 0 && !written && !ty.unsigned =>
        {
            ty.length
        }
        _ => return MyType { unsigned: true, ..ty },
    };
    let usual = [(Kind::TinyInt, 4), (Kind::SmallInt, 6), (Kind::MediumInt, 9), (Kind::Int, 11)];
    // The usual width of an unsigned integer has no place for a sign.
    let narrower = usual.contains(&(ty.kind, width));
    MyType { unsigned: true, length: if narrower { width - 1 } else { width }, ..ty }
}

fn width(kind: Kind, usual: u32, given: Option<u64>, column: &str) -> Result<MyType> {
    match given {
        None | Some(0) => Ok(sized(kind, usual)),
        Some(width) if width <= 255 => Ok(sized(kind, width as u32)),
        Some(_) => Err(too_wide(column)),
    }
}

fn too_wide(column: &str) -> SqlError {
    let message = format!("Display width out of range for '{column}' (max = 255)");
    error(error::TOO_BIG_DISPLAY_WIDTH, message)
}

fn decimal(info: &ExactNumberInfo, column: &str) -> Result<MyType> {
    let (precision, scale) = match info {
        ExactNumberInfo::None => (10, 0),
        ExactNumberInfo::Precision(0) => (10, 0),
        ExactNumberInfo::Precision(precision) => (*precision, 0),
        ExactNumberInfo::PrecisionAndScale(precision, scale) => {
            (*precision, u64::try_from(*scale).unwrap_or(u64::MAX))
        }
    };
    if scale > 38 {
        let message = format!("Too big scale specified for '{column}'. Maximum is 38");
        return Err(error(error::TOO_BIG_SCALE, message));
    }
    if precision > 65 {
        let message = format!("Too big precision specified for '{column}'. Maximum is 65");
        return Err(error(error::TOO_BIG_PRECISION, message));
    }
    if scale > precision {
        let message = format!(
            "For float(M,D), double(M,D) or decimal(M,D), M must be >= D (column '{column}')"
        );
        return Err(error(error::SCALE_ABOVE_PRECISION, message));
    }
    Ok(MyType::decimal(precision as u32, scale as u32))
}

fn float(kind: Kind, info: &ExactNumberInfo, column: &str) -> Result<MyType> {
    let usual = |kind: Kind| {
        let length = if kind == Kind::Float { 12 } else { 22 };
        MyType { length, scale: NOT_FIXED, ..MyType::new(kind) }
    };
    match info {
        ExactNumberInfo::None => Ok(usual(kind)),
        // FLOAT(p) says how many bits are wanted.
        ExactNumberInfo::Precision(bits) if *bits <= 24 => Ok(usual(kind)),
        ExactNumberInfo::Precision(bits) if *bits <= 53 => Ok(usual(Kind::Double)),
        ExactNumberInfo::Precision(_) => {
            let message = format!("Incorrect column specifier for column '{column}'");
            Err(error(1063, message))
        }
        ExactNumberInfo::PrecisionAndScale(digits, scale) => {
            if u64::try_from(*scale).is_ok_and(|scale| scale > *digits) {
                let message = format!(
                    "For float(M,D), double(M,D) or decimal(M,D), M must be >= D (column '{column}')"
                );
                return Err(error(error::SCALE_ABOVE_PRECISION, message));
            }
            let scale =
                u8::try_from(*scale).ok().filter(|scale| *scale <= 30).ok_or_else(|| {
                    let message = format!("Too big scale specified for '{column}'. Maximum is 30");
                    error(error::TOO_BIG_SCALE, message)
                })?;
            if *digits > 255 {
                return Err(too_wide(column));
            }
            if *digits < u64::from(scale) {
                return decimal(info, column);
            }
            Ok(MyType { length: *digits as u32, scale, ..MyType::new(kind) })
        }
    }
}

fn digits_of_second(given: Option<u64>, column: &str) -> Result<u8> {
    match given.unwrap_or(0) {
        digits @ 0..=6 => Ok(digits as u8),
        _ => {
            let message = format!("Too big precision specified for '{column}'. Maximum is 6");
            Err(error(error::TOO_BIG_PRECISION, message))
        }
    }
}

fn characters(given: Option<&CharacterLength>) -> Option<u64> {
    match given {
        Some(CharacterLength::IntegerLength { length, .. }) => Some(*length),
        Some(CharacterLength::Max) | None => None,
    }
}

fn text(kind: Kind, length: u64, collation: Collation, column: &str) -> Result<MyType> {
    let most = match kind {
        Kind::Char => 255,
        _ => 65_532 / u64::from(collation.most_bytes()),
    };
    if length > most {
        let message = format!(
            "Column length too big for column '{column}' (max = {most}); use BLOB or TEXT instead"
        );
        return Err(error(error::TOO_LONG_COLUMN, message));
    }
    let coercibility = Coercibility::Column;
    Ok(MyType { length: length as u32, collation, coercibility, ..MyType::new(kind) })
}

/// TEXT(n) and BLOB(n) are the least of their family that has room for so many bytes.
fn family(length: Option<u64>) -> Kind {
    match length {
        None => Kind::Text,
        Some(..=255) => Kind::TinyText,
        Some(..=65_535) => Kind::Text,
        Some(..=16_777_215) => Kind::MediumText,
        Some(_) => Kind::LongText,
    }
}

/// The type of a column.
pub fn column_type(ty: &DataType, declared: &Declared<'_>, shapes: &Shapes) -> Result<MyType> {
    let found = plain_type(ty, declared, shapes)?;
    let found = match declared.zerofill || declared.unsigned {
        true => unsigned(found, has_width(ty)),
        false => found,
    };
    Ok(MyType { zerofill: declared.zerofill && found.is_number(), ..found })
}

fn plain_type(ty: &DataType, declared: &Declared<'_>, shapes: &Shapes) -> Result<MyType> {
    use DataType as D;
    let Declared { column, collation, .. } = *declared;
    let whole = |kind, usual, given: &Option<u64>| width(kind, usual, *given, column);
    let large = |kind, collation| MyType {
        collation,
        coercibility: Coercibility::Column,
        ..MyType::new(kind)
    };
    let binary = Collation::BINARY;
    Ok(match ty {
        D::TinyInt(given) => whole(Kind::TinyInt, 4, given)?,
        D::TinyIntUnsigned(given) => unsigned(whole(Kind::TinyInt, 4, given)?, given.is_some()),
        D::SmallInt(given) | D::Int2(given) => whole(Kind::SmallInt, 6, given)?,
        D::SmallIntUnsigned(given) | D::Int2Unsigned(given) => {
            unsigned(whole(Kind::SmallInt, 6, given)?, given.is_some())
        }
        D::MediumInt(given) => whole(Kind::MediumInt, 9, given)?,
        D::MediumIntUnsigned(given) => unsigned(whole(Kind::MediumInt, 9, given)?, given.is_some()),
        D::Int(given) | D::Integer(given) | D::Int4(given) => whole(Kind::Int, 11, given)?,
        D::IntUnsigned(given) | D::IntegerUnsigned(given) | D::Int4Unsigned(given) => {
            unsigned(whole(Kind::Int, 11, given)?, given.is_some())
        }
        D::BigInt(given) | D::Int8(given) => whole(Kind::BigInt, 20, given)?,
        D::BigIntUnsigned(given) | D::Int8Unsigned(given) => {
            unsigned(whole(Kind::BigInt, 20, given)?, given.is_some())
        }
        D::Bool | D::Boolean => sized(Kind::TinyInt, 1),
        D::Numeric(info) | D::Decimal(info) | D::Dec(info) => decimal(info, column)?,
        D::DecimalUnsigned(info) | D::DecUnsigned(info) => unsigned(decimal(info, column)?, true),
        D::Float(info) => float(Kind::Float, info, column)?,
        D::FloatUnsigned(info) => unsigned(float(Kind::Float, info, column)?, true),
        D::Float4 => float(Kind::Float, &ExactNumberInfo::None, column)?,
        D::Double(info) => float(Kind::Double, info, column)?,
        D::DoubleUnsigned(info) => unsigned(float(Kind::Double, info, column)?, true),
        D::Real | D::DoublePrecision | D::Float8 => {
            float(Kind::Double, &ExactNumberInfo::None, column)?
        }
        D::RealUnsigned | D::DoublePrecisionUnsigned => {
            unsigned(float(Kind::Double, &ExactNumberInfo::None, column)?, true)
        }
        D::Bit(given) => match given.unwrap_or(1) {
            0 => sized(Kind::Bit, 1),
            bits @ 1..=64 => MyType { unsigned: true, ..sized(Kind::Bit, bits as u32) },
            _ => {
                let message = format!("Display width out of range for '{column}' (max = 64)");
                return Err(error(error::TOO_BIG_DISPLAY_WIDTH, message));
            }
        },
        D::Date => MyType::DATE,
        D::Datetime(given) => MyType::moment(Kind::DateTime, digits_of_second(*given, column)?),
        D::Timestamp(given, _) => {
            MyType::moment(Kind::Timestamp, digits_of_second(*given, column)?)
        }
        D::Time(given, _) => MyType::moment(Kind::Time, digits_of_second(*given, column)?),
        D::Char(given) | D::Character(given) => {
            text(Kind::Char, characters(given.as_ref()).unwrap_or(1), collation, column)?
        }
        D::Varchar(given)
        | D::CharVarying(given)
        | D::CharacterVarying(given)
        | D::Nvarchar(given) => {
            let length = characters(given.as_ref())
                .ok_or_else(|| SqlError::syntax("VARCHAR needs a length"))?;
            text(Kind::VarChar, length, collation, column)?
        }
        D::Binary(given) => text(Kind::Char, given.unwrap_or(1), binary, column)?,
        D::Varbinary(given) => match given {
            Some(BinaryLength::IntegerLength { length }) => {
                text(Kind::VarChar, *length, binary, column)?
            }
            _ => return Err(SqlError::syntax("VARBINARY needs a length")),
        },
        D::TinyText => large(Kind::TinyText, collation),
        D::Text => large(Kind::Text, collation),
        D::MediumText => large(Kind::MediumText, collation),
        D::LongText => large(Kind::LongText, collation),
        D::TinyBlob => large(Kind::TinyText, binary),
        D::Blob(given) => large(family(*given), binary),
        D::MediumBlob => large(Kind::MediumText, binary),
        D::LongBlob => large(Kind::LongText, binary),
        D::JSON => large(Kind::Json, Collation::BIN),
        D::Enum(members, _) => {
            let names = members.iter().map(|member| match member {
                EnumMember::Name(name) => Ok(name.clone()),
                EnumMember::NamedValue(name, _) => {
                    Err(SqlError::syntax(format!("a member of an ENUM has no value: {name}")))
                }
            });
            listed(Kind::Enum, names.collect::<Result<_>>()?, collation, shapes)?
        }
        D::Set(members) => listed(Kind::Set, members.clone(), collation, shapes)?,
        D::Custom(name, arguments) => custom(&name.to_string(), arguments, declared)?,
        other => return Err(unknown(&other.to_string())),
    })
}

fn unknown(name: &str) -> SqlError {
    error(error::UNKNOWN_TYPE, format!("Unknown data type: '{}'", name.to_lowercase()))
}

/// What the parser has no word for: `YEAR`, `MIDDLEINT`, `INT3`, `TEXT(100)`, `LONG`.
fn custom(name: &str, arguments: &[String], declared: &Declared<'_>) -> Result<MyType> {
    let given = arguments.first().and_then(|argument| argument.trim().parse::<u64>().ok());
    let large = |kind| MyType {
        collation: declared.collation,
        coercibility: Coercibility::Column,
        ..MyType::new(kind)
    };
    let name = name.to_ascii_lowercase();
    match name.as_str() {
        "text" => return Ok(large(family(given))),
        "long" | "long varchar" => return Ok(large(Kind::MediumText)),
        "fixed" => {
            let precision = given.map_or(ExactNumberInfo::None, ExactNumberInfo::Precision);
            return decimal(&precision, declared.column);
        }
        _ => {}
    }
    match (type_named(&name).map(MyType::of), given) {
        (Some(ty), Some(given)) if ty.is_integer() && ty.kind != Kind::Year => {
            width(ty.kind, ty.length, Some(given), declared.column)
        }
        (Some(ty), _) => Ok(ty),
        (None, _) => Err(unknown(&name)),
    }
}

fn listed(kind: Kind, names: Vec<String>, collation: Collation, shapes: &Shapes) -> Result<MyType> {
    if kind == Kind::Set && names.len() > members::MOST_OF_SET {
        return Err(error(1097, "Too many strings for column ? and SET"));
    }
    // Blanks at the end of a member do not count.
    let names = names.into_iter().map(|name| name.trim_end_matches(' ').to_owned()).collect();
    let length = members::register(shapes, names)
        .ok_or_else(|| SqlError::unsupported("so many different ENUM and SET types"))?;
    let coercibility = Coercibility::Column;
    Ok(MyType { length, collation, coercibility, ..MyType::new(kind) })
}

/// The type that CAST and CONVERT make: of few names, and others than columns have.
pub fn cast_type(ty: &DataType, collation: Collation) -> Result<MyType> {
    use DataType as D;
    // It holds to its collation as what a function makes of a column does.
    let text = |length: Option<u64>, collation| {
        let length = length.map_or(0, |length| length.min(0xffff) as u32);
        MyType { coercibility: Coercibility::Derived, ..MyType::text(length, collation) }
    };
    Ok(match ty {
        D::Signed | D::SignedInteger => MyType::BIGINT,
        D::Unsigned | D::UnsignedInteger => MyType::UNSIGNED,
        D::Int(None) | D::Integer(None) => MyType::BIGINT,
        D::Char(given) | D::Character(given) => text(characters(given.as_ref()), collation),
        D::Varchar(given) => text(characters(given.as_ref()), collation),
        D::Binary(given) => text(*given, Collation::BINARY),
        D::Decimal(info) | D::Numeric(info) | D::Dec(info) => decimal(info, "?")?,
        D::Double(_) | D::DoublePrecision | D::Real => MyType { length: 22, ..MyType::DOUBLE },
        D::Float(info) => float(Kind::Float, info, "?")?,
        D::Date => MyType::DATE,
        D::Datetime(given) => MyType::moment(Kind::DateTime, digits_of_second(*given, "?")?),
        D::Time(given, _) => MyType::moment(Kind::Time, digits_of_second(*given, "?")?),
        D::JSON => MyType { collation: Collation::BIN, ..MyType::new(Kind::Json) },
        D::Custom(name, _) if name.to_string().eq_ignore_ascii_case("year") => sized(Kind::Year, 4),
        other => return Err(SqlError::unsupported(format!("CAST to {other}"))),
    })
}

/// A type as SHOW CREATE TABLE and `information_schema` write it, without its collation.
pub fn type_name(ty: TypeId, names: &dyn Names) -> String {
    let ty = MyType::of(ty);
    let bytes = ty.is_bytes();
    let pick = |text: &str, blob: &str| (if bytes { blob } else { text }).to_owned();
    let digits = |name: &str| match ty.scale {
        0 => name.to_owned(),
        scale => format!("{name}({scale})"),
    };
    let plain = match ty.kind {
        Kind::Null => "null".to_owned(),
        Kind::Truth => "int(1)".to_owned(),
        Kind::TinyInt => format!("tinyint({})", ty.length),
        Kind::SmallInt => format!("smallint({})", ty.length),
        Kind::MediumInt => format!("mediumint({})", ty.length),
        Kind::Int => format!("int({})", ty.length),
        Kind::BigInt => format!("bigint({})", ty.length),
        Kind::Decimal => format!("decimal({},{})", ty.length, ty.scale),
        Kind::Float | Kind::Double => {
            let name = if ty.kind == Kind::Float { "float" } else { "double" };
            match ty.scale {
                NOT_FIXED => name.to_owned(),
                scale => format!("{name}({},{scale})", ty.length),
            }
        }
        Kind::Bit => return format!("bit({})", ty.length),
        Kind::Year => return format!("year({})", ty.length),
        Kind::Date => "date".to_owned(),
        Kind::DateTime => digits("datetime"),
        Kind::Timestamp => digits("timestamp"),
        Kind::Time => digits("time"),
        Kind::Char => format!("{}({})", pick("char", "binary"), ty.length),
        Kind::VarChar => format!("{}({})", pick("varchar", "varbinary"), ty.length),
        Kind::TinyText => pick("tinytext", "tinyblob"),
        Kind::Text => pick("text", "blob"),
        Kind::MediumText => pick("mediumtext", "mediumblob"),
        Kind::LongText => pick("longtext", "longblob"),
        Kind::Json => "longtext".to_owned(),
        Kind::SortKey | Kind::Hex => "varbinary".to_owned(),
        Kind::Enum | Kind::Set => {
            let name = if ty.kind == Kind::Enum { "enum" } else { "set" };
            let members = members::members(ty, names);
            let quoted = members.iter().flat_map(|members| members.iter());
            let quoted = quoted.map(|member| format!("'{}'", member.name.replace('\'', "''")));
            format!("{name}({})", quoted.collect::<Vec<_>>().join(","))
        }
    };
    let unsigned = if ty.unsigned && ty.is_number() { " unsigned" } else { "" };
    let zerofill = if ty.zerofill { " zerofill" } else { "" };
    format!("{plain}{unsigned}{zerofill}")
}
