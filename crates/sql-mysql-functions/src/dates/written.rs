//! Days and times as texts of a format, and texts of a format as days and times.

use std::fmt::Write;

use hobgoblin_sql_mysql_types::error::TRUNCATED_WRONG_VALUE;
use hobgoblin_sql_mysql_types::temporal::{Day, Moment, clock, from_utc};
use hobgoblin_sql_mysql_types::{Coercibility, Collation, Kind, MyType, SqlMode};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::function::Call;
use hobgoblin_sql_value::datetime::{HOUR, MINUTE, SECOND, UNIX_EPOCH};
use hobgoblin_sql_value::{Datum, Numeric};

use super::parts::{month_name, named, weekday_name};
use super::weeks::week_in_mode;
use crate::entry::{Entry, Read, a_text, or_null, row, text_of};

/// A moment by a format; nothing where a name is asked for that the day has not.
fn formatted(moment: Moment, span: Option<i64>, format: &str) -> Option<String> {
    let mut out = String::new();
    let day = moment.day;
    let (hours, minutes, seconds, micros) = clock(span.unwrap_or(moment.micros).abs());
    let twelve = (hours + 11) % 12 + 1;
    let half = if hours % 24 < 12 { "AM" } else { "PM" };
    let mut letters = format.chars();
    // Writing to a string cannot fail.
    while let Some(letter) = letters.next() {
        if letter != '%' {
            out.push(letter);
            continue;
        }
        let Some(letter) = letters.next() else {
            out.push('%');
            break;
        };
        let _ = match letter {
            'Y' => write!(out, "{:04}", day.year),
            'y' => write!(out, "{:02}", day.year % 100),
            'm' => write!(out, "{:02}", day.month),
            'c' => write!(out, "{}", day.month),
            'd' => write!(out, "{:02}", day.day),
            'e' => write!(out, "{}", day.day),
            'M' => write!(out, "{}", month_name(day.month)?),
            'b' => write!(out, "{}", &month_name(day.month)?[..3]),
            'W' if !day.is_real() => return None,
            'W' => write!(out, "{}", weekday_name(day)),
            'a' if !day.is_real() => return None,
            'a' => write!(out, "{}", &weekday_name(day)[..3]),
            'w' => write!(out, "{}", (day.number() + 6).rem_euclid(7)),
            'D' => write!(out, "{}{}", day.day, ordinal(day.day)),
            'j' => write!(out, "{:03}", day.number() - Day::new(day.year, 1, 1).number() + 1),
            'H' => write!(out, "{hours:02}"),
            'k' => write!(out, "{hours}"),
            'h' | 'I' => write!(out, "{twelve:02}"),
            'l' => write!(out, "{twelve}"),
            'i' => write!(out, "{minutes:02}"),
            's' | 'S' => write!(out, "{seconds:02}"),
            'f' => write!(out, "{micros:06}"),
            'p' => write!(out, "{half}"),
            'r' => write!(out, "{twelve:02}:{minutes:02}:{seconds:02} {half}"),
            'T' => write!(out, "{hours:02}:{minutes:02}:{seconds:02}"),
            'U' => write!(out, "{:02}", week_in_mode(day, 0).1),
            'u' => write!(out, "{:02}", week_in_mode(day, 1).1),
            'V' => write!(out, "{:02}", week_in_mode(day, 2).1),
            'v' => write!(out, "{:02}", week_in_mode(day, 3).1),
            'X' => write!(out, "{:04}", week_in_mode(day, 2).0),
            'x' => write!(out, "{:04}", week_in_mode(day, 3).0),
            other => write!(out, "{other}"),
        };
    }
    Some(out)
}

fn ordinal(day: i64) -> &'static str {
    match (day % 10, day / 10) {
        (_, 1) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    }
}

fn date_format(call: &mut Call<'_>) -> Result<Datum> {
    let format = call.as_text(1);
    let text = call.as_moment(0).and_then(|moment| formatted(moment, None, &format));
    or_null(text.map(|text| call.texts(text)))
}

fn time_format(call: &mut Call<'_>) -> Result<Datum> {
    let format = call.as_text(1);
    let Some(span) = call.as_time(0) else { return Ok(Datum::Null) };
    let text = formatted(Moment::default(), Some(span), &format);
    let sign = if span < 0 { "-" } else { "" };
    or_null(text.map(|text| call.texts(format!("{sign}{text}"))))
}

/// Moves a text past what was read of it.
fn digits(text: &mut &str, most: usize) -> Option<i64> {
    let count = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(count);
    *text = rest;
    number.parse().ok()
}

/// The parts that a format finds.
#[derive(Default)]
struct Parts {
    day: Day,
    hours: i64,
    minutes: i64,
    seconds: i64,
    micros: i64,
    afternoon: Option<bool>,
    twelve: bool,
    day_of_year: Option<i64>,
}

/// Reads a text by a format; what is left of it.
fn read<'a>(mut text: &'a str, format: &str, parts: &mut Parts) -> Option<&'a str> {
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        text = text.trim_start();
        if letter.is_whitespace() {
            continue;
        }
        if letter != '%' {
            text = text.strip_prefix(letter)?;
            continue;
        }
        match letters.next()? {
            'Y' => {
                let before = text.len();
                let year = digits(&mut text, 4)?;
                parts.day.year = match before - text.len() {
                    2 if year < 70 => year + 2000,
                    2 => year + 1900,
                    _ => year,
                };
            }
            'y' => {
                let year = digits(&mut text, 2)?;
                parts.day.year = if year < 70 { year + 2000 } else { year + 1900 };
            }
            'm' | 'c' => parts.day.month = digits(&mut text, 2)?,
            'd' | 'e' => parts.day.day = digits(&mut text, 2)?,
            'D' => {
                parts.day.day = digits(&mut text, 2)?;
                text = text.get(2..)?;
            }
            'M' | 'b' => {
                let (month, length) =
                    named(text, false, None).or_else(|| named(text, false, Some(3)))?;
                parts.day.month = month as i64 + 1;
                text = &text[length..];
            }
            'W' | 'a' => {
                let (_, length) = named(text, true, None).or_else(|| named(text, true, Some(3)))?;
                text = &text[length..];
            }
            'H' | 'k' => parts.hours = digits(&mut text, 2)?,
            'h' | 'I' | 'l' => {
                parts.hours = digits(&mut text, 2)?;
                parts.twelve = true;
            }
            'i' => parts.minutes = digits(&mut text, 2)?,
            's' | 'S' => parts.seconds = digits(&mut text, 2)?,
            'f' => {
                let before = text.len();
                let fraction = digits(&mut text, 6)?;
                let missing = 6 - (before - text.len()).min(6) as u32;
                parts.micros = fraction * 10i64.pow(missing);
            }
            'p' => {
                let half = text.get(..2)?;
                parts.afternoon = Some(match half.to_ascii_uppercase().as_str() {
                    "AM" => false,
                    "PM" => true,
                    _ => return None,
                });
                text = &text[2..];
            }
            'j' => parts.day_of_year = Some(digits(&mut text, 3)?),
            'T' => text = read(text, "%H:%i:%S", parts)?,
            'r' => text = read(text, "%I:%i:%S %p", parts)?,
            '%' => text = text.strip_prefix('%')?,
            _ => return None,
        }
    }
    Some(text)
}

fn str_to_date(call: &mut Call<'_>) -> Result<Datum> {
    let (text, format) = (call.as_text(0), call.as_text(1));
    let mut parts = Parts::default();
    let rest = read(&text, &format, &mut parts);
    let found = rest.and_then(|_| {
        if parts.twelve {
            if !(1..=12).contains(&parts.hours) {
                return None;
            }
            parts.hours = parts.hours % 12 + if parts.afternoon == Some(true) { 12 } else { 0 };
        }
        if let Some(days) = parts.day_of_year {
            parts.day = Day::of_number(Day::new(parts.day.year, 1, 1).number() + days - 1)?;
        }
        let settings = call.settings();
        let timely = parts.hours < 24 && parts.minutes < 60 && parts.seconds < 60;
        let dated = parts.day.month <= 12 && parts.day.day <= 31;
        let lenient = SqlMode::ALLOW_INVALID_DATES;
        let real = parts.day.is_zero()
            || parts.day.is_allowed(settings.mode)
            || settings.mode.has(lenient);
        (timely && dated && real).then(|| Moment {
            day: parts.day,
            micros: parts.hours * HOUR
                + parts.minutes * MINUTE
                + parts.seconds * SECOND
                + parts.micros,
        })
    });
    let Some(moment) = found else {
        let message = format!("Incorrect datetime value: '{text}' for function str_to_date");
        call.settings().warn(1411, message);
        return Ok(Datum::Null);
    };
    if rest.is_some_and(|rest| !rest.trim().is_empty()) {
        call.settings()
            .warn(TRUNCATED_WRONG_VALUE, format!("Truncated incorrect datetime value: '{text}'"));
    }
    Ok(match call.out().kind {
        Kind::Date => Datum::Date(moment.day.packed()),
        Kind::Time => Datum::Time(moment.micros),
        _ => moment.datum(),
    })
}

fn from_unixtime(call: &mut Call<'_>) -> Result<Datum> {
    let exact = call.as_numeric(0);
    let micros = exact.mul(&Numeric::from(SECOND))?.trunc(0).to_i64().unwrap_or(-1);
    let most = (1i64 << 31) * SECOND;
    if !(0..most).contains(&micros) {
        return Ok(Datum::Null);
    }
    let Some(utc) = Moment::of_number(micros + UNIX_EPOCH) else { return Ok(Datum::Null) };
    let local = from_utc(utc, &call.settings().zone);
    if call.args.len() < 2 {
        return Ok(local.datum());
    }
    let text = formatted(local, None, &call.as_text(1));
    or_null(text.map(|text| call.texts(text)))
}

fn from_unixtime_type(types: &[MyType]) -> Result<MyType> {
    if types.len() > 1 {
        return Ok(text_of(255, Collation::DEFAULT, Coercibility::Literal));
    }
    let first = types.first().copied().unwrap_or(MyType::NULL);
    let exact = first.is_integer() || matches!(first.kind, Kind::Decimal | Kind::Hex);
    let digits = if exact { first.fraction_digits().min(6) as u8 } else { 6 };
    Ok(MyType::moment(Kind::DateTime, digits))
}

/// What a format makes is not known before it is read, so that it is a moment with all digits.
fn read_type(_: &[MyType]) -> Result<MyType> {
    Ok(MyType::moment(Kind::DateTime, 6))
}

/// A constant format says which parts there are.
fn read_by(_: &[MyType], constants: &[Option<&Datum>], out: MyType) -> MyType {
    let Some(Some(Datum::Text(format))) = constants.get(1) else { return out };
    let mut letters = format.chars();
    let (mut day, mut time, mut fraction) = (false, false, false);
    while let Some(letter) = letters.next() {
        if letter == '%' {
            match letters.next() {
                Some('f') => fraction = true,
                Some('H' | 'h' | 'I' | 'i' | 'k' | 'l' | 'p' | 'r' | 'S' | 's' | 'T') => {
                    time = true
                }
                Some('%') | None => {}
                Some(_) => day = true,
            }
        }
    }
    let digits = if fraction { 6 } else { 0 };
    match (day, time || fraction) {
        (true, false) => MyType::DATE,
        (false, true) => MyType::moment(Kind::Time, digits),
        _ => MyType::moment(Kind::DateTime, digits),
    }
}

/// The texts of formats that GET_FORMAT names.
fn get_format(call: &mut Call<'_>) -> Result<Datum> {
    let (kind, place) = (call.as_text(0).to_uppercase(), call.as_text(1).to_uppercase());
    let found = match (&*kind, &*place) {
        ("DATE", "USA") => "%m.%d.%Y",
        ("DATE", "JIS" | "ISO") => "%Y-%m-%d",
        ("DATE", "EUR") => "%d.%m.%Y",
        ("DATE", "INTERNAL") => "%Y%m%d",
        ("DATETIME" | "TIMESTAMP", "USA" | "EUR") => "%Y-%m-%d %H.%i.%s",
        ("DATETIME" | "TIMESTAMP", "JIS" | "ISO") => "%Y-%m-%d %H:%i:%s",
        ("DATETIME" | "TIMESTAMP", "INTERNAL") => "%Y%m%d%H%i%s",
        ("TIME", "USA") => "%h:%i:%s %p",
        ("TIME", "JIS" | "ISO") => "%H:%i:%s",
        ("TIME", "EUR") => "%H.%i.%s",
        ("TIME", "INTERNAL") => "%H%i%s",
        _ => return Ok(Datum::Null),
    };
    Ok(Datum::text(found))
}

pub(crate) static FUNCTIONS: &[Entry] = &[
    row("date_format", 2..=2, a_text, date_format),
    row("time_format", 2..=2, a_text, time_format),
    row("str_to_date", 2..=2, read_type, str_to_date).refined(read_by),
    row("from_unixtime", 1..=2, from_unixtime_type, from_unixtime),
    row("get_format", 2..=2, a_text, get_format),
];
