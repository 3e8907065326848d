//! Reading dates and times, with PostgreSQL's errors.

use super::decode::{Said, Setting, Wrong, decode, decode_time};
use super::scan::{Field, scan};
use super::words::word;
use super::{
    DATE_INFINITY, DATE_NEG_INFINITY, SECOND, TIMESTAMP_INFINITY, TIMESTAMP_NEG_INFINITY,
    UNIX_EPOCH, date_in_range, in_range, round_to,
};
use crate::Format;
use crate::TypeEnv;
use crate::error::{Code, Result, SqlError, SqlState};

/// The error for a text of a type.
pub(crate) fn wrong(wrong: Wrong, text: &str, ty: &str) -> SqlError {
    let overflow = |state: Code, what: &str| {
        SqlError::new(state, format!("{what} field value out of range: \"{text}\""))
    };
    let field = || overflow(SqlState::DATETIME_FIELD_OVERFLOW, "date/time");
    match wrong {
        Wrong::Format => SqlError::new(
            SqlState::INVALID_DATETIME_FORMAT,
            format!("invalid input syntax for type {ty}: \"{text}\""),
        ),
        Wrong::Field => field(),
        Wrong::MonthOrDay => field().hint("Perhaps you need a different \"datestyle\" setting."),
        Wrong::Interval => overflow(Code("22015"), "interval"),
        Wrong::Displacement => {
            SqlError::new(Code("22009"), format!("time zone displacement out of range: \"{text}\""))
        }
        Wrong::Zone(name) => SqlError::new(
            SqlState::INVALID_PARAMETER_VALUE,
            format!("time zone \"{name}\" not recognized"),
        ),
        Wrong::Clock(what) => {
            SqlError::unsupported(format!("{what} where no current time is known"))
        }
    }
}

fn fields(text: &str, ty: &str) -> Result<Vec<Field>> {
    scan(text, |text| word(text).is_some(), 153).ok_or_else(|| wrong(Wrong::Format, text, ty))
}

fn setting<'a>(env: &TypeEnv<'a>) -> Setting<'a> {
    Setting { order: Format::of(env).date_order, zone: &Format::of(env).time_zone, now: env.now }
}

fn said(text: &str, ty: &str, env: &TypeEnv<'_>) -> Result<Said> {
    decode(&fields(text, ty)?, &setting(env)).map_err(|e| wrong(e, text, ty))
}

fn out_of_range(ty: &str, text: &str) -> SqlError {
    SqlError::new(SqlState::DATETIME_FIELD_OVERFLOW, format!("{ty} out of range: \"{text}\""))
}

/// Reads a `timestamp`, and rounds it as the modifier asks.
pub fn read_timestamp(text: &str, typmod: i32, env: &TypeEnv<'_>) -> Result<i64> {
    if let Some((micros, None)) = plain_timestamp(text) {
        return Ok(round_to(micros, typmod));
    }
    let micros = match said(text, "timestamp", env)? {
        Said::Moment(civil, _) => {
            civil.timestamp().ok_or_else(|| out_of_range("timestamp", text))?
        }
        Said::Epoch => UNIX_EPOCH,
        Said::Infinity => return Ok(TIMESTAMP_INFINITY),
        Said::NegInfinity => return Ok(TIMESTAMP_NEG_INFINITY),
    };
    Ok(round_to(micros, typmod))
}

/// Reads a `timestamptz`, which is kept in UTC.
pub fn read_timestamp_tz(text: &str, typmod: i32, env: &TypeEnv<'_>) -> Result<i64> {
    if let Some((micros, Some(east))) = plain_timestamp(text) {
        return Ok(round_to(micros - i64::from(east) * SECOND, typmod));
    }
    let micros = match said(text, "timestamp with time zone", env)? {
        Said::Moment(civil, east) => {
            let wide = i128::from(civil.days()) * i128::from(super::DAY) + i128::from(civil.time())
                - i128::from(east) * i128::from(SECOND);
            i64::try_from(wide)
                .ok()
                .filter(|t| in_range(*t))
                .ok_or_else(|| out_of_range("timestamp", text))?
        }
        Said::Epoch => UNIX_EPOCH,
        Said::Infinity => return Ok(TIMESTAMP_INFINITY),
        Said::NegInfinity => return Ok(TIMESTAMP_NEG_INFINITY),
    };
    Ok(round_to(micros, typmod))
}

/// Reads a `date`, as days since 2000-01-01.
pub fn read_date(text: &str, env: &TypeEnv<'_>) -> Result<i32> {
    if let Some(days) = plain_date(text) {
        return Ok(days);
    }
    match said(text, "date", env)? {
        Said::Moment(civil, _) => {
            let days = civil.days();
            i32::try_from(days)
                .ok()
                .filter(|_| date_in_range(days))
                .ok_or_else(|| out_of_range("date", text))
        }
        Said::Epoch => Ok((UNIX_EPOCH / super::DAY) as i32),
        Said::Infinity => Ok(DATE_INFINITY),
        Said::NegInfinity => Ok(DATE_NEG_INFINITY),
    }
}

/// `yyyy-mm-dd`, the form nearly all dates have.
fn plain_date(text: &str) -> Option<i32> {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let number = |part: &str| {
        part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse::<i64>().ok()).flatten()
    };
    let (year, month, day) =
        (number(text.get(..4)?)?, number(text.get(5..7)?)?, number(text.get(8..)?)?);
    let real = year > 0
        && (1..=12).contains(&month)
        && (1..=super::days_in_month(year, month)).contains(&day);
    real.then(|| super::days_of_civil(year, month, day) as i32)
}

/// `yyyy-mm-dd hh:mm:ss`, perhaps with a fraction and an offset of two digits, the form nearly all
/// timestamps have; the offset is in seconds east.
fn plain_timestamp(text: &str) -> Option<(i64, Option<i32>)> {
    let days = plain_date(text.get(..10)?)?;
    let bytes = text.as_bytes().get(10..)?;
    let [b' ' | b'T', clock @ ..] = bytes else { return None };
    let two = |part: &[u8]| match part {
        [a @ b'0'..=b'9', b @ b'0'..=b'9'] => Some(i64::from((a - b'0') * 10 + (b - b'0'))),
        _ => None,
    };
    if clock.len() < 8 || clock[2] != b':' || clock[5] != b':' {
        return None;
    }
    let (hour, minute, second) = (two(&clock[..2])?, two(&clock[3..5])?, two(&clock[6..8])?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let mut rest = &clock[8..];
    let mut micro = 0;
    if let [b'.', digits @ ..] = rest {
        let count = digits.iter().take_while(|b| b.is_ascii_digit()).count();
        if !(1..=6).contains(&count) {
            return None;
        }
        let value = digits[..count].iter().fold(0, |n, b| n * 10 + i64::from(b - b'0'));
        micro = value * 10i64.pow(6 - count as u32);
        rest = &digits[count..];
    }
    let east = match rest {
        [] => None,
        [sign @ (b'+' | b'-'), hours @ ..] if hours.len() == 2 => {
            let hours = two(hours).filter(|hours| *hours <= 15)? as i32 * 3600;
            Some(if *sign == b'-' { -hours } else { hours })
        }
        _ => return None,
    };
    let time = super::Civil { hour, minute, second, micro, ..Default::default() }.time();
    Some((i64::from(days) * super::DAY + time, east))
}

/// Reads a `time`, and rounds it as the modifier asks.
pub fn read_time(text: &str, typmod: i32, env: &TypeEnv<'_>) -> Result<i64> {
    let (time, _) = decode_time(&fields(text, "time")?, &setting(env), false)
        .map_err(|e| wrong(e, text, "time"))?;
    Ok(round_to(time, typmod))
}

/// Reads a `timetz`: microseconds since midnight, and seconds west of UTC.
pub fn read_time_tz(text: &str, typmod: i32, env: &TypeEnv<'_>) -> Result<(i64, i32)> {
    let ty = "time with time zone";
    let (time, east) =
        decode_time(&fields(text, ty)?, &setting(env), true).map_err(|e| wrong(e, text, ty))?;
    Ok((round_to(time, typmod), -east))
}
