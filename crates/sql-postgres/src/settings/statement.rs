//! The values that SET statements write.

use sqlparser::ast::{Expr, UnaryOperator, Value};

use super::value::{fixed_zone, join_list};
use super::{Kind, define};
use crate::error::{Result, SqlError};

/// The value that SET writes for a setting; `None` for DEFAULT. A list of names is quoted where needed.
pub fn setting_value(name: &str, values: &[Expr]) -> Result<Option<String>> {
    let is_list = define::find(name).is_some_and(|d| {
        d.kind == Kind::String
            && matches!(
                d.name,
                "search_path"
                    | "DateStyle"
                    | "temp_tablespaces"
                    | "session_preload_libraries"
                    | "local_preload_libraries"
                    | "shared_preload_libraries"
                    | "log_destination"
            )
    });
    let parts = values.iter().map(part).collect::<Result<Vec<_>>>()?;
    match parts.as_slice() {
        [Part::Default] => Ok(None),
        [one] if !is_list => Ok(Some(one.text().to_owned())),
        [] => Err(SqlError::syntax("SET needs a value")),
        _ if !is_list => Err(SqlError::new(
            crate::error::SqlState::INVALID_PARAMETER_VALUE,
            format!("SET {name} takes only one argument"),
        )),
        many if name.eq_ignore_ascii_case("datestyle") => {
            let words: Vec<&str> = many.iter().map(Part::text).collect();
            Ok(Some(words.join(", ")))
        }
        many => Ok(Some(join_list(many.iter().map(Part::text)))),
    }
}

enum Part {
    Default,
    Text(String),
}

impl Part {
    fn text(&self) -> &str {
        match self {
            Part::Default => "default",
            Part::Text(text) => text,
        }
    }
}

fn part(expr: &Expr) -> Result<Part> {
    Ok(Part::Text(match expr {
        Expr::Identifier(ident) if ident.quote_style.is_none() => {
            if ident.value.eq_ignore_ascii_case("default") {
                return Ok(Part::Default);
            }
            ident.value.to_ascii_lowercase()
        }
        Expr::Identifier(ident) => ident.value.clone(),
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text)
            | Value::EscapedStringLiteral(text)
            | Value::DoubleQuotedString(text) => text.clone(),
            Value::DollarQuotedString(text) => text.value.clone(),
            Value::Number(digits, _) => digits.clone(),
            Value::Boolean(on) => (if *on { "true" } else { "false" }).to_owned(),
            Value::Null => return Err(SqlError::syntax("syntax error at or near \"NULL\"")),
            other => return Err(SqlError::syntax(format!("SET takes constants, not {other}"))),
        },
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => format!("-{}", part(expr)?.text()),
        Expr::UnaryOp { op: UnaryOperator::Plus, expr } => part(expr)?.text().to_owned(),
        Expr::Nested(inner) => return part(inner),
        Expr::Interval(interval) => interval_zone(&interval.value)?,
        Expr::CompoundIdentifier(parts) => {
            let parts: Vec<&str> = parts.iter().map(|p| p.value.as_str()).collect();
            parts.join(".")
        }
        other => return Err(SqlError::syntax(format!("SET takes constants, not {other}"))),
    }))
}

/// SET TIME ZONE INTERVAL '-03:00' HOUR TO MINUTE.
fn interval_zone(value: &Expr) -> Result<String> {
    let text = match part(value)? {
        Part::Text(text) => text,
        Part::Default => String::new(),
    };
    let bad = || SqlError::syntax("time zone interval must be HOUR or HOUR TO MINUTE");
    let (sign, rest) = match text.trim().strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.trim().trim_start_matches('+')),
    };
    let mut seconds = 0i32;
    for (part, size) in rest.split(':').zip([3600, 60]) {
        let part: i32 = part.trim().parse().map_err(|_| bad())?;
        seconds = part.checked_mul(size).and_then(|p| seconds.checked_add(p)).ok_or_else(bad)?;
    }
    Ok(fixed_zone(sign * seconds))
}
