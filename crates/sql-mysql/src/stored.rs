//! Values as columns and keys hold them.

use std::borrow::Cow;
use std::fmt::Write;

use hobgoblin_sql_mysql_types::assign::{Place, assign};
use hobgoblin_sql_mysql_types::temporal::{Moment, read_moment, read_time, to_utc};
use hobgoblin_sql_mysql_types::{
    Kind, MyType, Settings, Severity, Speaker, error, members, number, worded,
};
use hobgoblin_sql_schema::dialect::{ColumnPlace, Storing};
use hobgoblin_sql_schema::function::{Call, Function};
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::{Datum, Numeric, TypeId};

/// A value as a column takes it.
pub(crate) fn store(
    value: &Datum,
    from: TypeId,
    to: &ColumnPlace,
    how: Storing,
    env: &TypeEnv<'_>,
) -> Result<Datum> {
    let settings = Settings::of(env);
    settings.forgive(how.ignore);
    settings.heeded()?;
    if value.is_null() {
        if !to.not_null {
            return Ok(Datum::Null);
        }
        let message = format!("Column '{}' cannot be null", to.column);
        if !how.ignore && (settings.is_strict() || how.alone) {
            return Err(error::error(error::COLUMN_CANNOT_BE_NULL, message));
        }
        settings.warn(error::COLUMN_CANNOT_BE_NULL, message);
        return Ok(implicit(to.ty, env));
    }
    let path = format!("`{}`.`{}`.`{}`", to.schema, to.table, to.column);
    let column = Cow::Borrowed(&*to.column);
    let place = Place { column, path: Cow::Owned(path), row: how.row };
    assign(value, MyType::of(from), MyType::of(to.ty), &place, env)
}

/// What a column holds that has no default, may not be NULL and is given nothing.
pub(crate) fn absent(to: &ColumnPlace, how: Storing, env: &TypeEnv<'_>) -> Result<Datum> {
    let settings = Settings::of(env);
    settings.forgive(how.ignore);
    if MyType::of(to.ty).kind != Kind::Enum {
        let message = format!("Field '{}' doesn't have a default value", to.column);
        settings.reject(error::NO_DEFAULT, message)?;
    }
    Ok(implicit(to.ty, env))
}

/// What stands in place of NULL.
fn implicit(ty: TypeId, env: &TypeEnv<'_>) -> Datum {
    let ty = MyType::of(ty);
    match ty.kind {
        Kind::Decimal => Datum::Numeric(Numeric::ZERO.round(i32::from(ty.scale))),
        Kind::Float | Kind::Double => Datum::Float(0.0),
        Kind::Date => Datum::Date(0),
        Kind::DateTime | Kind::Timestamp => Datum::Timestamp(0),
        Kind::Time => Datum::Time(0),
        Kind::Enum => members::enum_at(ty, 1, env.names).unwrap_or_else(members::enum_error),
        _ if ty.is_bytes() => {
            let length = if ty.kind == Kind::Char { ty.length as usize } else { 0 };
            Datum::Bytes(vec![0; length].into())
        }
        _ if ty.is_text() => Datum::text(""),
        _ => Datum::Int(0),
    }
}

/// An error of one row, told of where the statement goes on after it.
pub(crate) fn pass_over(
    problem: SqlError,
    updates: bool,
    schema: &str,
    env: &TypeEnv<'_>,
) -> Result<()> {
    let settings = Settings::of(env);
    let said = worded(problem.clone(), Speaker { version: settings.version, database: schema });
    let number = said.more.number.unwrap_or(error::UNKNOWN_ERROR);
    let passes = matches!(
        number,
        error::DUPLICATE_ENTRY
            | error::COLUMN_CANNOT_BE_NULL
            | error::NO_REFERENCED_ROW
            | error::ROW_IS_REFERENCED
            | error::NO_DEFAULT
            | error::CHECK_FAILED_MARIADB
            | error::CHECK_FAILED_MYSQL
            | error::SUBQUERY_NO_1_ROW
            | error::VIEW_CHECK_FAILED
    );
    if !passes {
        return Err(problem);
    }
    // MariaDB says nothing of a row that it does not update because of another.
    let quiet = matches!(number, error::DUPLICATE_ENTRY | error::NO_REFERENCED_ROW);
    if !(updates && quiet && !settings.version.is_mysql()) {
        settings.warnings.push(Severity::Warning, number, said.message());
    }
    Ok(())
}

/// The type whose values compare as texts of a type do.
pub(crate) fn compared_as(ty: TypeId) -> Option<TypeId> {
    let ty = MyType::of(ty);
    let weighs = ty.is_text()
        && ty.has_letters()
        && !(ty.collation.is_bin() && !ty.collation.pads() && ty.kind != Kind::Json);
    weighs.then(|| MyType::key(ty.collation).id())
}

/// Whether keys have the order of the values of a type.
pub(crate) fn keys_in_order(ty: TypeId) -> bool {
    let ty = MyType::of(ty);
    match ty.kind {
        Kind::Truth | Kind::Bit | Kind::Enum | Kind::Set | Kind::Json | Kind::Null => false,
        _ if ty.is_text() => ty.is_bytes(),
        _ => true,
    }
}

/// Appends a value as a part of a key, where the text that is kept has not the order of the values.
pub(crate) fn key_part(out: &mut String, value: &Datum, ty: TypeId) -> bool {
    let ty = MyType::of(ty);
    // Writing to a string cannot fail.
    let _ = match value {
        Datum::Numeric(value) if ty.kind == Kind::Decimal => {
            let exact = value.round(i32::from(ty.scale));
            let negative = exact.signum() < 0;
            let digits = exact.to_string();
            let digits = digits.trim_start_matches('-');
            let whole = digits.split('.').next().map_or(0, str::len);
            let zeros = (ty.whole_digits() as usize).max(1).saturating_sub(whole);
            out.push('\'');
            padded(out, negative, &format!("{}{digits}", "0".repeat(zeros)));
            write!(out, "'")
        }
        Datum::Numeric(value) => write!(out, "{}", value.trim_scale()),
        Datum::Float(value) => {
            let bits = if *value == 0.0 { 0 } else { value.to_bits() };
            let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
            write!(out, "'{ordered:016x}'")
        }
        Datum::Time(micros) => {
            out.push('\'');
            padded(out, *micros < 0, &format!("{:013}", micros.unsigned_abs()));
            write!(out, "'")
        }
        Datum::Bytes(key) if ty.kind == Kind::SortKey => match ty.collation.key_text(key) {
            Some(text) => write!(out, "'{text}'"),
            None => return false,
        },
        _ => return false,
    };
    true
}

/// Digits in the order of numbers: those below zero the other way round, behind what is less than a digit.
fn padded(out: &mut String, negative: bool, digits: &str) {
    if !negative {
        out.push_str(digits);
        return;
    }
    out.push('-');
    out.extend(digits.chars().map(|digit| match digit.to_digit(10) {
        Some(digit) => char::from_digit(9 - digit, 10).unwrap_or('0'),
        None => digit,
    }));
}

/// The value of a column's type that another equals.
static EQUAL_OF: Function =
    Function::new("equal of", &[TypeId::UNKNOWN], TypeId::UNKNOWN, equal_value).stable();

/// What makes of a value of a type the one value of another that it is equal to.
pub(crate) fn equal_of(from: TypeId, to: TypeId) -> Option<&'static Function> {
    let (from, to) = (MyType::of(from), MyType::of(to));
    let text = from.is_text() && from.has_letters() && from.kind != Kind::Json;
    let fits = match to.kind {
        Kind::TinyInt | Kind::SmallInt | Kind::MediumInt | Kind::Int | Kind::BigInt => {
            text || from.is_number()
        }
        Kind::Decimal => from.is_integer() || from.kind == Kind::Decimal,
        Kind::Date | Kind::DateTime | Kind::Timestamp => text,
        _ => false,
    };
    fits.then_some(&EQUAL_OF)
}

fn equal_value(call: &mut Call<'_>) -> Result<Datum> {
    let (from, to) = (call.types[0], call.result);
    let env = call.cx.types();
    let value = &call.args[0];
    if let Some(found) = constant_as(value, from, to, &env) {
        return Ok(found);
    }
    // A text is the number that it begins with.
    Ok(match value {
        Datum::Text(text) if MyType::of(to).is_integer() => {
            let found = Datum::Float(number::double_prefix(text).value);
            constant_as(&found, from, to, &env).unwrap_or(Datum::Null)
        }
        _ => Datum::Null,
    })
}

/// A constant as a value of a column's type, if values of that compare with both alike.
pub(crate) fn constant_as(
    value: &Datum,
    from: TypeId,
    to: TypeId,
    env: &TypeEnv<'_>,
) -> Option<Datum> {
    let (from, to) = (MyType::of(from), MyType::of(to));
    let text = match value {
        Datum::Text(text) if from.has_letters() => Some(&**text),
        _ => None,
    };
    let exact = || match (value, text) {
        (Datum::Int(value), _) => Some(Numeric::from(*value)),
        (Datum::Numeric(value), _) => Some(value.clone()),
        (Datum::Float(value), _) => {
            let whole = value.fract() == 0.0 && value.abs() < 9.0e15;
            whole.then(|| Numeric::from(*value as i64))
        }
        (_, Some(text)) => {
            let found = number::decimal_prefix(text);
            (!found.cut && !found.blanks).then_some(found.value)
        }
        _ => None,
    };
    let moment = || text.and_then(|text| read_moment(text, false)).filter(|found| !found.cut);
    let allowed = |moment: &Moment| moment.day.is_allowed(Settings::of(env).mode);
    match to.kind {
        Kind::TinyInt | Kind::SmallInt | Kind::MediumInt | Kind::Int | Kind::BigInt => {
            let exact = exact()?;
            (exact == exact.trunc(0))
                .then(|| number::integer_of_numeric(&exact))?
                .map(number::integer)
        }
        Kind::Decimal => {
            let exact = exact()?;
            let scaled = exact.round(i32::from(to.scale));
            let fits = number::fit(&exact, to.length, u32::from(to.scale));
            (scaled == exact && !fits.1).then_some(Datum::Numeric(scaled))
        }
        Kind::Date => {
            let found = moment()?.moment;
            (found.micros == 0 && allowed(&found)).then(|| Datum::Date(found.day.packed()))
        }
        Kind::DateTime => moment().map(|found| found.moment).filter(allowed).map(Moment::datum),
        Kind::Timestamp => {
            let found = moment()?.moment;
            let utc = to_utc(found, &Settings::of(env).zone)?;
            allowed(&found).then(|| utc.datum())
        }
        Kind::Time => {
            let found = read_time(text?).filter(|found| !found.cut)?;
            Some(Datum::Time(found.moment))
        }
        _ => None,
    }
}
