//! The words of printed expressions: names of functions, types of casts, units of time, and what is a condition.

use sqlparser::ast::{
    BinaryOperator as B, CharacterLength, DataType, DateTimeField, ExactNumberInfo, Expr, Function,
    UnaryOperator as U, Value,
};

/// Bits, which are printed as hexadecimal digits.
pub(super) fn bits(digits: &str) -> String {
    let padded = format!("{}{digits}", "0".repeat((8 - digits.len() % 8) % 8));
    let bytes = padded.as_bytes().chunks(8).map(|eight| {
        let byte = eight.iter().fold(0u32, |byte, bit| byte << 1 | u32::from(*bit == b'1'));
        format!("{byte:02x}")
    });
    format!("0x{}", bytes.collect::<String>())
}

/// Whether an expression is a column.
pub(super) fn is_column(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(inner) => is_column(inner),
        other => matches!(other, Expr::Identifier(_) | Expr::CompoundIdentifier(_)),
    }
}

/// Whether an expression is one of truth.
pub(super) fn is_condition(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(inner) => is_condition(inner),
        Expr::UnaryOp { op: U::Not | U::BangNot, .. } => true,
        Expr::BinaryOp { op, .. } => matches!(
            op,
            B::And
                | B::Or
                | B::Xor
                | B::Eq
                | B::NotEq
                | B::Lt
                | B::LtEq
                | B::Gt
                | B::GtEq
                | B::Spaceship
        ),
        Expr::Function(call) => {
            let name = call.name.to_string().to_lowercase();
            matches!(name.as_str(), "json_valid" | "json_contains" | "json_exists" | "isnull")
        }
        Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::IsTrue(_)
        | Expr::IsNotTrue(_)
        | Expr::IsFalse(_)
        | Expr::IsNotFalse(_)
        | Expr::IsUnknown(_)
        | Expr::IsNotUnknown(_)
        | Expr::Between { .. }
        | Expr::InList { .. }
        | Expr::InSubquery { .. }
        | Expr::Exists { .. }
        | Expr::AnyOp { .. }
        | Expr::AllOp { .. }
        | Expr::Like { .. }
        | Expr::RLike { .. } => true,
        Expr::Value(value) => matches!(value.value, Value::Boolean(_)),
        _ => false,
    }
}

pub(super) fn is_isnull(call: &Function) -> bool {
    call.name.to_string().eq_ignore_ascii_case("isnull")
}

pub(super) fn comparison(op: &B, word: &str) -> String {
    format!("{op} {word}")
}

/// A unit of time.
pub(super) fn unit(field: &DateTimeField) -> String {
    match field {
        DateTimeField::Custom(name) => name.value.to_lowercase(),
        DateTimeField::Week(_) => "week".to_owned(),
        other => other.to_string().to_lowercase(),
    }
}

/// The one name that a function goes by.
pub(super) fn canonical(name: &str) -> &str {
    match name {
        "upper" => "ucase",
        "lower" => "lcase",
        "length" => "octet_length",
        "character_length" => "char_length",
        "substring" | "mid" => "substr",
        "now" | "localtime" | "localtimestamp" => "current_timestamp",
        "current_date" => "curdate",
        "current_time" => "curtime",
        "ceil" => "ceiling",
        "power" => "pow",
        "day" => "dayofmonth",
        "schema" => "database",
        "session_user" | "system_user" => "user",
        "sign" => "sign",
        "std" | "stddev_pop" => "std",
        "var_pop" => "variance",
        "nvl" => "ifnull",
        other => other,
    }
}

/// A type of CAST.
pub(super) fn cast_type(ty: &DataType, charset: Option<&str>) -> String {
    let length = |length: &Option<CharacterLength>| match length {
        Some(CharacterLength::IntegerLength { length, .. }) => format!("({length})"),
        _ => String::new(),
    };
    match ty {
        DataType::Signed | DataType::SignedInteger | DataType::Int(_) | DataType::Integer(_) => {
            "signed".to_owned()
        }
        DataType::Unsigned | DataType::UnsignedInteger => "unsigned".to_owned(),
        DataType::Char(given) | DataType::Character(given) | DataType::Varchar(given) => {
            format!("char{} charset {}", length(given), charset.unwrap_or("utf8mb4"))
        }
        DataType::Binary(Some(length)) => format!("char({length}) charset binary"),
        DataType::Binary(None) => "char charset binary".to_owned(),
        DataType::Decimal(info) | DataType::Numeric(info) | DataType::Dec(info) => match info {
            ExactNumberInfo::None => "decimal(10,0)".to_owned(),
            ExactNumberInfo::Precision(digits) => format!("decimal({digits},0)"),
            ExactNumberInfo::PrecisionAndScale(digits, scale) => {
                format!("decimal({digits},{scale})")
            }
        },
        other => other.to_string().to_lowercase(),
    }
}
