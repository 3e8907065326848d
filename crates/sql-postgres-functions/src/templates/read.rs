//! `to_timestamp` and `to_date`: dates and times read by templates.
//!
//! Blanks before fields are skipped and separators match any separator, unless the template says `FX`.

use super::super::args::error;
use super::super::table::*;
use super::super::{Call, Function};
use super::time::{Key, Node, ROMAN, parse};
use crate::error::{Result, SqlError, SqlState};
use crate::types::Datum;
use crate::types::Format;
use crate::types::datetime::{
    Civil, MONTHS, SECOND, UNIX_EPOCH, WEEKDAYS, civil_of_days, date_in_range, days_in_month,
    days_of_civil, in_range, iso_year_start,
};

/// What the fields said.
#[derive(Default)]
struct Said {
    year: Option<i64>,
    /// How many digits the year was asked for in.
    year_digits: u32,
    month: Option<i64>,
    day: Option<i64>,
    hour: i64,
    twelve: bool,
    minute: i64,
    second: i64,
    micro: i64,
    second_of_day: Option<i64>,
    afternoon: Option<bool>,
    before_christ: bool,
    day_of_year: Option<i64>,
    week: Option<i64>,
    week_of_month: Option<i64>,
    weekday: Option<i64>,
    century: Option<i64>,
    julian: Option<i64>,
    iso_year: Option<i64>,
    iso_week: Option<i64>,
    iso_weekday: Option<i64>,
    iso_day_of_year: Option<i64>,
    zone_sign: i64,
    zone_hour: Option<i64>,
    zone_minute: i64,
}

fn bad(message: String) -> SqlError {
    SqlError::new(SqlState::INVALID_DATETIME_FORMAT, message)
}

fn separator(c: char) -> bool {
    c.is_ascii() && !c.is_ascii_alphanumeric() && !c.is_ascii_whitespace()
}

struct Reader<'a> {
    rest: &'a str,
    exact: bool,
}

impl<'a> Reader<'a> {
    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn skip(&mut self, n: usize) {
        self.rest = self.rest.get(n..).unwrap_or_default();
    }

    /// A number of at most `width` characters; of any length if something else follows it.
    fn int(&mut self, width: usize, open: bool, name: &str) -> Result<i64> {
        if !self.exact {
            self.skip_blanks();
        }
        let limit = if open { usize::MAX } else { width };
        let signed = self.rest.starts_with(['-', '+']);
        let digits =
            self.rest.bytes().skip(usize::from(signed)).take_while(u8::is_ascii_digit).count();
        let length = (digits + usize::from(signed)).min(limit);
        let token: String = self.rest.chars().take(width).collect();
        let number = self.rest.get(..length).unwrap_or_default();
        if digits == 0 {
            return Err(bad(format!("invalid value \"{token}\" for \"{name}\""))
                .detail("Value must be an integer."));
        }
        if !open && length < width && !self.rest.get(length..).unwrap_or_default().is_empty() {
            return Err(bad(format!("invalid value \"{token}\" for \"{name}\""))
                .detail(format!(
                    "Field requires {width} characters, but only {length} could be parsed."
                ))
                .hint("If your source string is not fixed-width, try using the \"FM\" modifier."));
        }
        let value = number.parse::<i32>().map_err(|_| {
            SqlError::new(
                SqlState::DATETIME_FIELD_OVERFLOW,
                format!("value for \"{name}\" in source string is out of range"),
            )
        })?;
        self.skip(length);
        Ok(i64::from(value))
    }

    /// One of some words, in any case; its place.
    fn word(&mut self, words: &[&str], name: &str) -> Result<usize> {
        if !self.exact {
            self.skip_blanks();
        }
        let fits = |word: &&str| {
            self.rest.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
        };
        let found = words.iter().enumerate().filter(|(_, word)| fits(word));
        match found.max_by_key(|(_, word)| word.len()) {
            Some((at, word)) => {
                self.skip(word.len());
                Ok(at)
            }
            None => {
                let token: String = self.rest.chars().take_while(|c| !c.is_whitespace()).collect();
                Err(bad(format!("invalid value \"{token}\" for \"{name}\"")).detail(
                    "The given value did not match any of the allowed values for this field.",
                ))
            }
        }
    }
}

/// A year of fewer than four digits, brought near 2020.
fn near(year: i64) -> i64 {
    match year {
        0..70 => year + 2000,
        70..100 => year + 1900,
        100..520 => year + 2000,
        520..1000 => year + 1000,
        _ => year,
    }
}

fn shorts(words: &[&'static str]) -> Vec<&'static str> {
    words.iter().filter_map(|word| word.get(..3)).collect()
}

fn read(template: &str, source: &str) -> Result<Said> {
    let (nodes, exact) = parse(template);
    let mut reader = Reader { rest: source, exact };
    let mut said = Said { zone_sign: 1, ..Said::default() };
    let mut spare = 0usize;
    for (i, node) in nodes.iter().enumerate() {
        if reader.rest.is_empty() {
            break;
        }
        match node {
            Node::Separator(c) if exact => {
                let _ = c;
                let first = reader.rest.chars().next().map_or(0, char::len_utf8);
                reader.skip(first);
            }
            Node::Separator(_) => {
                // A separator matches one of its kind or a blank, or nothing.
                spare += 1;
                if let Some(next) = reader.rest.chars().next()
                    && (separator(next) || next.is_ascii_whitespace())
                {
                    reader.skip(next.len_utf8());
                    spare -= 1;
                }
            }
            Node::Character(_) => {
                let first = reader.rest.chars().next().map_or(0, char::len_utf8);
                if !exact && reader.rest.starts_with(char::is_whitespace) {
                    reader.skip_blanks();
                }
                reader.skip(first);
            }
            Node::Field { key, fill, ordinal, name } => {
                if !exact {
                    // What separators of the template did not take, blanks may.
                    let before = reader.rest.len();
                    reader.skip_blanks();
                    spare = spare.saturating_sub(before - reader.rest.len());
                }
                let open = *fill || next_ends_number(nodes.get(i + 1));
                take(&mut said, &mut reader, *key, open, name)?;
                if ordinal.is_some() {
                    reader.skip(2);
                }
            }
        }
    }
    if exact && !reader.rest.is_empty() {
        return Err(bad(
            "trailing characters remain in input string after datetime format".to_owned()
        ));
    }
    Ok(said)
}

/// Whether a number before this node may have any length.
fn next_ends_number(next: Option<&Node>) -> bool {
    match next {
        None | Some(Node::Separator(_)) => true,
        Some(Node::Character(c)) => !c.is_ascii_digit(),
        Some(Node::Field { key, .. }) => matches!(
            key,
            Key::Meridiem { .. }
                | Key::Era { .. }
                | Key::MonthName(_)
                | Key::MonthShort(_)
                | Key::DayName(_)
                | Key::DayShort(_)
                | Key::Roman(_)
                | Key::Zone(_)
                | Key::ZoneHour
                | Key::Offset
        ),
    }
}

fn take(said: &mut Said, reader: &mut Reader<'_>, key: Key, open: bool, name: &str) -> Result<()> {
    match key {
        Key::Hour12 => {
            said.hour = reader.int(2, open, name)?;
            said.twelve = true;
        }
        Key::Hour24 => said.hour = reader.int(2, open, name)?,
        Key::Minute => said.minute = reader.int(2, open, name)?,
        Key::Second => said.second = reader.int(2, open, name)?,
        Key::Fraction(digits) => {
            let before = reader.rest.trim_start().len();
            let value = reader.int(digits as usize, open, name)?;
            let length = (before - reader.rest.len()).min(6) as u32;
            said.micro = value.saturating_mul(10i64.pow(6 - length));
        }
        Key::SecondOfDay => said.second_of_day = Some(reader.int(5, open, name)?),
        Key::Meridiem { dots, .. } => {
            let words: &[&str] = if dots { &["A.M.", "P.M."] } else { &["AM", "PM"] };
            said.afternoon = Some(reader.word(words, name)? == 1);
            said.twelve = true;
        }
        Key::Era { dots, .. } => {
            let words: &[&str] = if dots { &["A.D.", "B.C."] } else { &["AD", "BC"] };
            said.before_christ = reader.word(words, name)? == 1;
        }
        Key::Year(digits) => {
            let before = reader.rest.trim_start().len();
            let year = reader.int(digits as usize, open, name)?;
            let length = before - reader.rest.len();
            said.year = Some(if digits < 4 && length < 4 { near(year) } else { year });
            said.year_digits = digits;
        }
        Key::YearWithComma => {
            let thousands = reader.int(9, true, name)?;
            if reader.rest.starts_with(',') {
                reader.skip(1);
                said.year = Some(thousands.saturating_mul(1000) + reader.int(3, false, name)?);
            } else {
                return Err(bad("invalid input string for \"Y,YYY\"".to_owned()));
            }
            said.year_digits = 4;
        }
        Key::IsoYear(digits) => {
            let year = reader.int(digits as usize, open, name)?;
            said.iso_year = Some(if digits < 4 { near(year) } else { year });
        }
        Key::MonthName(_) => said.month = Some(reader.word(&MONTHS, name)? as i64 + 1),
        Key::MonthShort(_) => said.month = Some(reader.word(&shorts(&MONTHS), name)? as i64 + 1),
        Key::Month => said.month = Some(reader.int(2, open, name)?),
        Key::Roman(_) => said.month = Some(reader.word(&ROMAN, name)? as i64 + 1),
        Key::DayName(_) => said.weekday = Some(reader.word(&WEEKDAYS, name)? as i64 + 1),
        Key::DayShort(_) => said.weekday = Some(reader.word(&shorts(&WEEKDAYS), name)? as i64 + 1),
        Key::DayOfYear => said.day_of_year = Some(reader.int(3, open, name)?),
        Key::IsoDayOfYear => said.iso_day_of_year = Some(reader.int(3, open, name)?),
        Key::Day => said.day = Some(reader.int(2, open, name)?),
        Key::DayOfWeek => said.weekday = Some(reader.int(1, open, name)?),
        Key::IsoDayOfWeek => said.iso_weekday = Some(reader.int(1, open, name)?),
        Key::WeekOfMonth => said.week_of_month = Some(reader.int(1, open, name)?),
        Key::Week => said.week = Some(reader.int(2, open, name)?),
        Key::IsoWeek => said.iso_week = Some(reader.int(2, open, name)?),
        Key::Century => said.century = Some(reader.int(2, open, name)?),
        Key::Julian => said.julian = Some(reader.int(7, true, name)?),
        Key::Quarter => {
            // Read and left out, as a date does not follow from it.
            reader.int(1, open, name)?;
        }
        Key::ZoneHour => {
            said.zone_sign = if reader.rest.starts_with('-') { -1 } else { 1 };
            if reader.rest.starts_with(['-', '+', ' ']) {
                reader.skip(1);
            }
            said.zone_hour = Some(reader.int(2, open, name)?);
        }
        Key::ZoneMinute => said.zone_minute = reader.int(2, open, name)?,
        Key::Zone(_) | Key::Offset => {
            return Err(SqlError::new(
                SqlState::FEATURE_NOT_SUPPORTED,
                format!("formatting field \"{name}\" is only supported in to_char"),
            ));
        }
    }
    Ok(())
}

fn out_of_range(source: &str) -> SqlError {
    SqlError::new(
        SqlState::DATETIME_FIELD_OVERFLOW,
        format!("date/time field value out of range: \"{source}\""),
    )
}

/// The day the fields name.
fn day(said: &Said, source: &str) -> Result<i64> {
    if let Some(julian) = said.julian {
        return Ok(julian - 2_451_545);
    }
    if let Some(year) = said.iso_year {
        let start = iso_year_start(year);
        if let Some(day) = said.iso_day_of_year {
            return Ok(start + day - 1);
        }
        let week = said.iso_week.unwrap_or(1);
        if !(1..=53).contains(&week) {
            return Err(out_of_range(source));
        }
        return Ok(start + (week - 1) * 7 + said.iso_weekday.unwrap_or(1) - 1);
    }
    let mut year = match (said.year, said.century) {
        (Some(year), Some(century)) if said.year_digits < 4 => {
            let part = year % 100;
            if part == 0 { century * 100 } else { (century - 1) * 100 + part }
        }
        (Some(year), _) => year,
        (None, Some(century)) => (century - 1) * 100 + 1,
        (None, None) => 0,
    };
    if said.before_christ && year > 0 {
        year = 1 - year;
    } else if year < 0 {
        year += 1;
    }
    if let Some(day) = said.day_of_year {
        let length = days_of_civil(year + 1, 1, 1) - days_of_civil(year, 1, 1);
        if said.month.is_none() {
            if said.year.is_none() && said.century.is_none() {
                return Err(
                    bad("cannot calculate day of year without year information".to_owned()),
                );
            }
            if !(1..=length).contains(&day) {
                return Err(out_of_range(source));
            }
            return Ok(days_of_civil(year, 1, 1) + day - 1);
        }
    }
    if let Some(week) = said.week {
        return Ok(days_of_civil(year, 1, 1) + (week - 1) * 7);
    }
    let mut day = said.day;
    if let Some(week) = said.week_of_month {
        day = Some((week - 1) * 7 + 1);
    }
    let (month, day) = (said.month.unwrap_or(1), day.unwrap_or(1));
    if !(1..=12).contains(&month) || day < 1 || day > days_in_month(year, month) {
        return Err(out_of_range(source));
    }
    Ok(days_of_civil(year, month, day))
}

fn clock(said: &Said, source: &str) -> Result<(i64, i64, i64)> {
    let (mut hour, mut minute, mut second) = (said.hour, said.minute, said.second);
    if let Some(all) = said.second_of_day {
        (hour, minute, second) = (all / 3600, all / 60 % 60, all % 60);
    }
    if said.twelve {
        if !(1..=12).contains(&hour) {
            return Err(bad(format!("hour \"{hour}\" is invalid for the 12-hour clock"))
                .hint("Use the 24-hour clock, or give an hour between 1 and 12."));
        }
        match said.afternoon {
            Some(true) if hour < 12 => hour += 12,
            Some(false) if hour == 12 => hour = 0,
            _ => {}
        }
    }
    if !(0..24).contains(&hour) || !(0..60).contains(&minute) || !(0..60).contains(&second) {
        return Err(out_of_range(source));
    }
    Ok((hour, minute, second))
}

fn to_timestamp(call: &mut Call<'_>) -> Result<Datum> {
    let source = call.text(0)?;
    let said = read(call.text(1)?, source)?;
    let (year, month, day) = civil_of_days(day(&said, source)?);
    let (hour, minute, second) = clock(&said, source)?;
    let civil = Civil { year, month, day, hour, minute, second, micro: said.micro };
    let range =
        || SqlError::new(SqlState::DATETIME_FIELD_OVERFLOW, "timestamp out of range".to_owned());
    let local = civil.timestamp().ok_or_else(range)?;
    let utc = match said.zone_hour {
        Some(hours) => {
            local.checked_sub(said.zone_sign * (hours * 3600 + said.zone_minute * 60) * SECOND)
        }
        None => Format::of(&call.cx.types()).time_zone.to_utc(local),
    };
    Ok(Datum::Timestamp(utc.filter(|&at| in_range(at)).ok_or_else(range)?))
}

fn to_date(call: &mut Call<'_>) -> Result<Datum> {
    let source = call.text(0)?;
    let said = read(call.text(1)?, source)?;
    clock(&said, source)?;
    let day = day(&said, source)?;
    match i32::try_from(day) {
        Ok(days) if date_in_range(day) => Ok(Datum::Date(days)),
        _ => error(SqlState::DATETIME_FIELD_OVERFLOW, format!("date out of range: \"{source}\"")),
    }
}

/// Seconds since 1970.
fn from_epoch(call: &mut Call<'_>) -> Result<Datum> {
    let seconds = call.float(0)?;
    if seconds.is_nan() {
        return error(SqlState::DATETIME_FIELD_OVERFLOW, "timestamp cannot be NaN");
    }
    if seconds.is_infinite() {
        return Ok(Datum::Timestamp(if seconds > 0.0 { i64::MAX } else { i64::MIN }));
    }
    let micros = ((seconds + (UNIX_EPOCH / SECOND) as f64) * 1e6).round_ties_even();
    if !(-2.2e17..9.3e18).contains(&micros) || !in_range(micros as i64) {
        return error(
            SqlState::DATETIME_FIELD_OVERFLOW,
            format!("timestamp out of range: \"{seconds}\""),
        );
    }
    Ok(Datum::Timestamp(micros as i64))
}

pub(super) static FUNCTIONS: &[Function] = &[
    function("to_timestamp", &[FLOAT8], TIMESTAMPTZ, from_epoch),
    function("to_timestamp", &[TEXT, TEXT], TIMESTAMPTZ, to_timestamp).stable(),
    function("to_date", &[TEXT, TEXT], DATE, to_date).stable(),
];
