//! Values as they travel: in binary, and what parameters become.

use std::borrow::Cow;

use hobgoblin_sql_mysql::session::Parameter;
use hobgoblin_sql_mysql_types::temporal::{Day, Moment, clock, from_utc, read_moment, read_time};
use hobgoblin_sql_mysql_types::{Kind, MyType, Settings, number, text};
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_value::Datum;
use hobgoblin_sql_value::datetime::{DAY, HOUR, MINUTE, SECOND};
use hobgoblin_wire::mysql::{ColumnType, DateTime, Parameter as Given, Time, Value};

/// A value in binary, as a column of this type has it.
pub(crate) fn binary<'a>(
    datum: &'a Datum,
    ty: MyType,
    column: ColumnType,
    env: &TypeEnv<'_>,
) -> Value<Cow<'a, [u8]>> {
    if datum.is_null() {
        return Value::Null;
    }
    match column {
        ColumnType::Null => Value::Null,
        ColumnType::Tiny
        | ColumnType::Short
        | ColumnType::Long
        | ColumnType::LongLong
        | ColumnType::Int24
        | ColumnType::Year => integer(datum, ty, column),
        ColumnType::Float => Value::Float(float(datum) as f32),
        ColumnType::Double => Value::Double(float(datum)),
        ColumnType::Date | ColumnType::DateTime | ColumnType::Timestamp => {
            Value::DateTime(date_time(moment(datum, ty, env)))
        }
        ColumnType::Time => Value::Time(time(match datum {
            Datum::Time(micros) => *micros,
            other => read_time(&text::text(other, ty, env)).map_or(0, |found| found.moment),
        })),
        ColumnType::Decimal
        | ColumnType::VarChar
        | ColumnType::Bit
        | ColumnType::Vector
        | ColumnType::Json
        | ColumnType::NewDecimal
        | ColumnType::Enum
        | ColumnType::Set
        | ColumnType::TinyBlob
        | ColumnType::MediumBlob
        | ColumnType::LongBlob
        | ColumnType::Blob
        | ColumnType::VarString
        | ColumnType::String
        | ColumnType::Geometry => Value::Bytes(text::bytes(datum, ty, env)),
    }
}

/// Whether integers of a type are shown by their digits and nothing else.
pub(crate) fn is_plain_integer(ty: MyType) -> bool {
    let kinds =
        [Kind::TinyInt, Kind::SmallInt, Kind::MediumInt, Kind::Int, Kind::BigInt, Kind::Truth];
    kinds.contains(&ty.kind) && !ty.zerofill
}

/// The digits of an integer, of which there are no more than 19, and its sign.
pub(crate) fn decimal(value: i64, out: &mut [u8; 20]) -> &[u8] {
    let (mut rest, mut at) = (value.unsigned_abs(), out.len());
    loop {
        at -= 1;
        out[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        at -= 1;
        out[at] = b'-';
    }
    &out[at..]
}

/// An integer, as near as its type comes to it.
fn integer<B>(datum: &Datum, ty: MyType, column: ColumnType) -> Value<B> {
    let value = match number::integer_of(datum) {
        Some(value) => value,
        None => number::integer_of_float(float(datum)),
    };
    let bits = match column {
        ColumnType::Tiny => 8,
        ColumnType::Short | ColumnType::Year => 16,
        ColumnType::Long | ColumnType::Int24 => 32,
        _ => 64,
    };
    match ty.unsigned || column == ColumnType::Year {
        true => Value::Unsigned(value.clamp(0, (1 << bits) - 1) as u64),
        false => Value::Signed(value.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1) as i64),
    }
}

fn float(datum: &Datum) -> f64 {
    match datum {
        Datum::Float(value) => *value,
        Datum::Int(value) => *value as f64,
        Datum::Bool(value) => f64::from(*value),
        Datum::Numeric(value) => value.to_string().parse().unwrap_or(0.0),
        Datum::Text(text) | Datum::Char(text) => number::double_prefix(text).value,
        _ => 0.0,
    }
}

fn moment(datum: &Datum, ty: MyType, env: &TypeEnv<'_>) -> Moment {
    match datum {
        Datum::Date(packed) => Moment::midnight(Day::unpacked(*packed)),
        Datum::Timestamp(packed) if ty.kind == Kind::Timestamp => {
            from_utc(Moment::unpacked(*packed), &Settings::of(env).zone)
        }
        Datum::Timestamp(packed) => Moment::unpacked(*packed),
        other => {
            let found = read_moment(&text::text(other, ty, env), false);
            found.map_or_else(Moment::default, |found| found.moment)
        }
    }
}

fn date_time(moment: Moment) -> DateTime {
    let (hour, minute, second, microsecond) = moment.clock();
    // Each part is within the bounds of its type, which is what the types of the protocol are for.
    DateTime {
        year: moment.day.year as u16,
        month: moment.day.month as u8,
        day: moment.day.day as u8,
        hour: hour as u8,
        minute: minute as u8,
        second: second as u8,
        microsecond: microsecond as u32,
    }
}

fn time(micros: i64) -> Time {
    let (hours, minutes, seconds, microseconds) = clock(micros.abs());
    Time {
        negative: micros < 0,
        days: (hours / 24) as u32,
        hours: (hours % 24) as u8,
        minutes: minutes as u8,
        seconds: seconds as u8,
        microseconds: microseconds as u32,
    }
}

/// A parameter, as a session takes it.
pub(crate) fn parameter(given: Given) -> Parameter {
    match given.value {
        Value::Null => Parameter::Null,
        Value::Signed(value) => Parameter::Int(value),
        Value::Unsigned(value) => Parameter::UInt(value),
        Value::Float(value) => Parameter::Float(value.into()),
        Value::Double(value) => Parameter::Float(value),
        Value::DateTime(value) => {
            let day = Day::new(value.year.into(), value.month.into(), value.day.into());
            match given.ty.ty {
                ColumnType::Date => Parameter::Date(day),
                _ => Parameter::DateTime(Moment {
                    day,
                    micros: micros(0, value.hour, value.minute, value.second, value.microsecond),
                }),
            }
        }
        Value::Time(value) => {
            let Time { negative, days, hours, minutes, seconds, microseconds } = value;
            let span = micros(days, hours, minutes, seconds, microseconds);
            Parameter::Time(if negative { -span } else { span })
        }
        Value::Bytes(bytes) => match given.ty.ty {
            ColumnType::TinyBlob
            | ColumnType::MediumBlob
            | ColumnType::LongBlob
            | ColumnType::Blob => Parameter::Bytes(bytes.to_vec()),
            _ => Parameter::Text(bytes.to_vec()),
        },
    }
}

fn micros(days: u32, hours: u8, minutes: u8, seconds: u8, micros: u32) -> i64 {
    i64::from(days) * DAY
        + i64::from(hours) * HOUR
        + i64::from(minutes) * MINUTE
        + i64::from(seconds) * SECOND
        + i64::from(micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_their_digits() {
        for value in [0, 7, -1, 10, i64::MAX, i64::MIN] {
            assert_eq!(decimal(value, &mut [0; 20]), value.to_string().as_bytes());
        }
    }

    #[test]
    fn spans_have_days() {
        let span = -(26 * HOUR + 61 * SECOND + 5);
        let Time { negative, days, hours, minutes, seconds, microseconds } = time(span);
        assert_eq!((negative, days, hours, minutes, seconds, microseconds), (true, 1, 2, 1, 1, 5));
        assert_eq!(-micros(days, hours, minutes, seconds, microseconds), span);
    }
}
