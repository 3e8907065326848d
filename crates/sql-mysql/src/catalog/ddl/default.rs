//! Defaults that are constants: they are of the type of their column from the start.

use hobgoblin_sql_mysql_types::assign::{Place, assign};
use hobgoblin_sql_mysql_types::error::{self, error};
use hobgoblin_sql_mysql_types::{Collation, Kind, MyType, literal, text};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::catalog::Catalog;
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_value::{Datum, TypeId};
use sqlparser::ast::{
    DataType, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, UnaryOperator, Value,
};

use super::context::DdlContext;

/// A constant as a column takes it.
pub(super) struct Constant {
    /// As it is bound.
    pub(super) value: Expr,
    /// As it is shown.
    pub(super) text: String,
    /// Whether it is shown in quotes.
    pub(super) quoted: bool,
}

/// The digits of seconds of CURRENT_TIMESTAMP and its kin; nothing for any other expression.
pub(super) fn fills(expr: &Expr) -> Option<u8> {
    let Expr::Function(Function { name, args, .. }) = expr else { return None };
    let name = name.to_string().to_lowercase();
    if !matches!(name.as_str(), "current_timestamp" | "now" | "localtime" | "localtimestamp") {
        return None;
    }
    let FunctionArguments::List(list) = args else { return Some(0) };
    match list.args.as_slice() {
        [] => Some(0),
        [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value)))] => match &value.value {
            Value::Number(digits, _) => digits.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// The value and the type of a literal; nothing for any other expression.
fn literal_of(expr: &Expr, cx: &DdlContext<'_>) -> Result<Option<(Datum, TypeId)>> {
    Ok(match expr {
        Expr::Nested(inner) => return literal_of(inner, cx),
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => match &**expr {
            Expr::Value(value) => match &value.value {
                Value::Number(digits, _) if !digits.starts_with("0x") => {
                    Some(literal::number(&format!("-{digits}"))?)
                }
                _ => None,
            },
            _ => None,
        },
        Expr::UnaryOp { op: UnaryOperator::Plus, expr } => return literal_of(expr, cx),
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => Some(match digits.strip_prefix("0x") {
                Some(digits) => literal::hexadecimal(digits, false)?,
                None => literal::number(digits)?,
            }),
            Value::SingleQuotedString(found) => Some(literal::text(found, cx.settings().collation)),
            Value::NationalStringLiteral(found) => Some(literal::text(found, Collation::DEFAULT)),
            Value::HexStringLiteral(digits) => Some(literal::hexadecimal(digits, true)?),
            Value::SingleQuotedByteStringLiteral(digits) => Some(literal::bits(digits)?),
            Value::Boolean(truth) => Some(literal::number(if *truth { "1" } else { "0" })?),
            Value::Null => Some((Datum::Null, TypeId::UNKNOWN)),
            _ => None,
        },
        Expr::TypedString(typed) => {
            let kind = match typed.data_type {
                DataType::Date => Kind::Date,
                DataType::Time(..) => Kind::Time,
                _ => Kind::DateTime,
            };
            match &typed.value.value {
                Value::SingleQuotedString(found) => {
                    Some(literal::moment(kind, found, cx.settings())?)
                }
                _ => None,
            }
        }
        Expr::Prefixed { prefix, value } if prefix.value.starts_with('_') => {
            return literal_of(value, cx);
        }
        _ => None,
    })
}

/// A constant as a column of a type takes it; nothing inside where it is NULL, and nothing at all where it is no constant.
pub(super) fn constant(
    expr: &Expr,
    ty: MyType,
    column: &str,
    catalog: &Catalog,
    cx: &DdlContext<'_>,
) -> Result<Option<Option<Constant>>> {
    let Some((value, from)) = literal_of(expr, cx)? else { return Ok(None) };
    if value.is_null() {
        return Ok(Some(None));
    }
    let bad = || invalid_default(column);
    let from = MyType::of(from);
    // Places of members are no defaults.
    if matches!(ty.kind, Kind::Enum) && from.is_number() {
        return Err(bad());
    }
    let place = Place { column: column.into(), row: 0, ..Place::default() };
    let settings = cx.settings();
    let before = settings.warnings.count();
    let env = TypeEnv { names: catalog, ..cx.env };
    let kept = assign(&value, from, ty, &place, &env).map_err(|_| bad())?;
    let rounds = settings.warnings.count() > before
        && !matches!(
            ty.kind,
            Kind::Decimal | Kind::Date | Kind::Time | Kind::DateTime | Kind::Timestamp
        );
    if rounds && settings.mode.is_strict() && !from.is_number() {
        return Err(bad());
    }
    if ty.kind == Kind::Bit {
        let number = hobgoblin_sql_mysql_types::number::integer_of(&kept).unwrap_or(0);
        let digits = format!("{number:b}");
        let value = Expr::Value(Value::SingleQuotedByteStringLiteral(digits.clone()).into());
        return Ok(Some(Some(Constant { value, text: format!("b'{digits}'"), quoted: false })));
    }
    let id = ty.id();
    let printed = match &kept {
        Datum::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        kept => text::print(kept, id, &env),
    };
    if let Datum::Bytes(bytes) = &kept {
        let digits = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
        let value = Expr::Value(Value::HexStringLiteral(digits).into());
        return Ok(Some(Some(Constant { value, text: printed, quoted: true })));
    }
    let number = ty.is_number();
    let value = match number {
        true if printed.starts_with('-') => Expr::UnaryOp {
            op: UnaryOperator::Minus,
            expr: Box::new(Expr::Value(Value::Number(printed[1..].to_owned(), false).into())),
        },
        true => Expr::Value(Value::Number(printed.clone(), false).into()),
        false => Expr::Value(Value::SingleQuotedString(printed.clone()).into()),
    };
    Ok(Some(Some(Constant { value, text: printed, quoted: !number })))
}

/// 1067.
pub(super) fn invalid_default(column: &str) -> hobgoblin_sql_schema::SqlError {
    error(error::INVALID_DEFAULT, format!("Invalid default value for '{column}'"))
}
