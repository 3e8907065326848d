//! Values as columns take them.
//!
//! What a column has no room for is an error in strict mode. Else it is clipped, cut or replaced, and told of by a warning with the
//! same number:
//!
//! | number | what was given | what is kept |
//! | --- | --- | --- |
//! | 1264 | a number beyond the column's range | the nearest in range |
//! | 1265 | a text with more than a number, a text that is no member of an ENUM | the number, the empty member |
//! | 1366 | a text that is no number at all | 0 |
//! | 1292 | a text that is no day or time | zeros |
//! | 1406 | a text that is too long | its beginning |
//!
//! Digits after the point are rounded to those of the column; a note tells of those that were not zero.

use std::borrow::Cow;

use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::datetime::DAY;
use hobgoblin_sql_value::{Datum, Numeric};

use crate::convert::{to_bytes, to_double, to_integer, to_numeric, to_text};
use crate::error;
use crate::members;
use crate::my_type::{Kind, MyType, NOT_FIXED};
use crate::number::{self, Prefix, decimal_prefix, double_prefix};
use crate::settings::{Settings, Severity};
use crate::temporal::{
    Day, MAX_TIME, Moment, from_utc, moment_of_number, read_moment, read_time, time_of_number,
    to_utc, with_digits,
};
use crate::text::text;

/// Where a value goes, for what is said of it.
#[derive(Clone, Debug)]
pub struct Place<'a> {
    /// The column.
    pub column: Cow<'a, str>,
    /// The column with its table and schema, as `` `d`.`t`.`c` ``.
    pub path: Cow<'a, str>,
    /// The row of the statement, from 1.
    pub row: u64,
}

impl Default for Place<'_> {
    fn default() -> Self {
        Place { column: Cow::Borrowed("?"), path: Cow::Borrowed("`?`"), row: 1 }
    }
}

impl Place<'_> {
    fn out_of_range(&self) -> String {
        format!("Out of range value for column '{}' at row {}", self.column, self.row)
    }

    fn truncated(&self) -> String {
        format!("Data truncated for column '{}' at row {}", self.column, self.row)
    }

    fn incorrect(&self, kind: &str, shown: &str) -> String {
        format!("Incorrect {kind} value: '{shown}' for column {} at row {}", self.path, self.row)
    }

    fn too_long(&self) -> String {
        format!("Data too long for column '{}' at row {}", self.column, self.row)
    }
}

/// A value as a column of a type takes it.
pub fn assign(
    value: &Datum,
    from: MyType,
    to: MyType,
    place: &Place<'_>,
    env: &TypeEnv<'_>,
) -> Result<Datum> {
    if value.is_null() {
        return Ok(Datum::Null);
    }
    let goes = Assignment { value, from, to, place, env, settings: Settings::of(env) };
    match to.kind {
        Kind::Null => Ok(value.clone()),
        Kind::Truth => Ok(match crate::convert::to_truth(value, from, env) {
            Some(truth) => Datum::Bool(truth),
            None => Datum::Null,
        }),
        Kind::TinyInt | Kind::SmallInt | Kind::MediumInt | Kind::Int | Kind::BigInt => {
            goes.integer()
        }
        Kind::Bit => goes.bits(),
        Kind::Year => goes.year(),
        Kind::Decimal => goes.decimal(),
        Kind::Float | Kind::Double => goes.float(),
        Kind::Date | Kind::DateTime | Kind::Timestamp => goes.moment(),
        Kind::Time => goes.time(),
        Kind::Enum => goes.member(),
        Kind::Set => goes.set(),
        Kind::SortKey => Ok(crate::convert::sort_key(value, from, to, env)),
        Kind::Hex => Ok(Datum::Bytes(to_bytes(value, from, env).as_ref().into())),
        Kind::Char
        | Kind::VarChar
        | Kind::TinyText
        | Kind::Text
        | Kind::MediumText
        | Kind::LongText
        | Kind::Json => goes.text(),
    }
}

struct Assignment<'a> {
    value: &'a Datum,
    from: MyType,
    to: MyType,
    place: &'a Place<'a>,
    env: &'a TypeEnv<'a>,
    settings: &'a Settings,
}

impl Assignment<'_> {
    /// The text that is given, if it is one.
    fn given_text(&self) -> Option<Cow<'_, str>> {
        match self.value {
            Datum::Bytes(_) if self.from.kind == Kind::Hex => None,
            Datum::Text(_) | Datum::Char(_) | Datum::Bytes(_) => {
                Some(to_text(self.value, self.from, self.env))
            }
            Datum::Enum(_, text) if self.to.is_text() => Some(Cow::Borrowed(text)),
            _ if self.from.is_moment() && matches!(self.to.kind, Kind::Enum | Kind::Set) => {
                Some(to_text(self.value, self.from, self.env))
            }
            _ => None,
        }
    }

    fn shown(&self) -> String {
        text(self.value, self.from, self.env).into_owned()
    }

    /// Tells of a text that is no number, or more than one.
    fn complain<T>(&self, found: &Prefix<T>, given: &str, kind: &str) -> Result<()> {
        let empty =
            !given.trim_start().starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
        match found.cut {
            false if found.blanks => {
                self.note();
                Ok(())
            }
            false => Ok(()),
            true if empty => {
                let message = self.place.incorrect(kind, given);
                self.settings.reject(error::INCORRECT_VALUE, message)
            }
            true => self.settings.reject(error::TRUNCATED, self.place.truncated()),
        }
    }

    /// What is no day or time: an error by one number, and a warning by another.
    fn no_moment(&self, kind: &str) -> Result<()> {
        match self.settings.is_strict() {
            true => {
                let message = self.place.incorrect(kind, &self.shown());
                Err(error::error(error::TRUNCATED_WRONG_VALUE, message))
            }
            false => {
                self.settings.warn(error::TRUNCATED, self.place.truncated());
                Ok(())
            }
        }
    }

    /// A text that is cut: an error by one number, and a warning by another.
    fn too_long(&self) -> Result<()> {
        match self.settings.is_strict() {
            true => Err(error::error(error::TOO_LONG_DATA, self.place.too_long())),
            false => {
                self.settings.warn(error::TRUNCATED, self.place.truncated());
                Ok(())
            }
        }
    }

    fn note(&self) {
        self.settings.warnings.push(Severity::Note, error::TRUNCATED, self.place.truncated());
    }

    /// An integer within bounds.
    fn within(&self, found: i128) -> Result<Datum> {
        let (least, most) = self.to.bounds();
        let clipped = found.clamp(least, most);
        if clipped != found {
            self.settings.reject(error::OUT_OF_RANGE, self.place.out_of_range())?;
        }
        Ok(number::integer(clipped))
    }

    fn integer(&self) -> Result<Datum> {
        let found = match self.given_text() {
            Some(given) => {
                let found = decimal_prefix(&given);
                let value = number::integer_of_numeric(&found.value).unwrap_or(0);
                let (least, most) = self.to.bounds();
                // A number that does not fit is worse than what follows it.
                if (least..=most).contains(&value) {
                    self.complain(&found, &given, "integer")?;
                }
                value
            }
            None => to_integer(self.value, self.from, self.env),
        };
        self.within(found)
    }

    fn bits(&self) -> Result<Datum> {
        let found = match self.value {
            Datum::Text(_) | Datum::Bytes(_) => {
                let bytes = to_bytes(self.value, self.from, self.env);
                let significant = bytes.iter().skip_while(|byte| **byte == 0);
                significant.fold(0i128, |bits, byte| {
                    bits.saturating_mul(256).saturating_add(i128::from(*byte))
                })
            }
            _ => to_integer(self.value, self.from, self.env),
        };
        let (_, most) = self.to.bounds();
        if (0..=most).contains(&found) {
            return Ok(number::integer(found));
        }
        if found < 0 && self.from.kind == Kind::Decimal {
            self.settings.reject(error::OUT_OF_RANGE, self.place.out_of_range())?;
            return Ok(number::integer(0));
        }
        if self.settings.is_strict() {
            return Err(error::error(error::TOO_LONG_DATA, self.place.too_long()));
        }
        self.settings.warn(error::OUT_OF_RANGE, self.place.out_of_range());
        Ok(number::integer(most))
    }

    fn year(&self) -> Result<Datum> {
        if self.from.is_moment() {
            self.no_moment("year")?;
            return Ok(Datum::Int(match self.value {
                Datum::Date(packed) => Day::unpacked(*packed).year,
                Datum::Timestamp(packed) => Moment::unpacked(*packed).day.year,
                _ => 0,
            }));
        }
        let (found, written) = match self.given_text() {
            Some(given) => {
                let found = decimal_prefix(&given);
                let value = number::integer_of_numeric(&found.value).unwrap_or(0);
                if matches!(value, 0..=99 | 1901..=2155) {
                    self.complain(&found, &given, "integer")?;
                }
                let digits = given.trim().bytes().take_while(u8::is_ascii_digit).count();
                let whole = given.trim() == "0000";
                (value, if digits > 0 && !whole { digits } else { 0 })
            }
            None => (to_integer(self.value, self.from, self.env), 0),
        };
        let year = match found {
            0 if written > 0 => 2000,
            0 => 0,
            1..=69 => found + 2000,
            70..=99 => found + 1900,
            1901..=2155 => found,
            _ => {
                self.settings.reject(error::OUT_OF_RANGE, self.place.out_of_range())?;
                0
            }
        };
        Ok(number::integer(year))
    }

    fn decimal(&self) -> Result<Datum> {
        let exact = match self.given_text() {
            Some(given) => {
                let found = decimal_prefix(&given);
                self.complain(&found, &given, "decimal")?;
                found.value
            }
            None => to_numeric(self.value, self.from, self.env),
        };
        let negative = self.to.unsigned && exact.signum() < 0;
        let (fitting, clipped) = match negative {
            true => (Numeric::ZERO.round(i32::from(self.to.scale)), true),
            false => number::fit(&exact, self.to.length, u32::from(self.to.scale)),
        };
        if clipped {
            self.settings.reject(error::OUT_OF_RANGE, self.place.out_of_range())?;
        } else if fitting != exact && !self.from.is_float() {
            self.note();
        }
        Ok(Datum::Numeric(fitting))
    }

    fn float(&self) -> Result<Datum> {
        let mut found = match self.given_text() {
            Some(given) => {
                let found = double_prefix(&given);
                let kind = if self.to.kind == Kind::Float { "float" } else { "double" };
                self.complain(&found, &given, kind)?;
                found.value
            }
            None => to_double(self.value, self.from, self.env),
        };
        let mut clipped = false;
        if self.to.unsigned && found < 0.0 {
            (found, clipped) = (0.0, true);
        }
        if self.to.scale < NOT_FIXED {
            let power = 10f64.powi(i32::from(self.to.scale));
            let whole = self.to.length.saturating_sub(u32::from(self.to.scale));
            let most = 10f64.powi(whole as i32) - 1.0 / power;
            let rounded = (found * power).round_ties_even() / power;
            found = if rounded.is_finite() { rounded } else { found };
            if found.abs() > most {
                (found, clipped) = (most.copysign(found), true);
            }
        }
        if self.to.kind == Kind::Float {
            if found.abs() > f64::from(f32::MAX) {
                (found, clipped) = (f64::from(f32::MAX).copysign(found), true);
            }
            found = f64::from(found as f32);
        }
        if clipped {
            self.settings.reject(error::OUT_OF_RANGE, self.place.out_of_range())?;
        }
        Ok(Datum::Float(found))
    }

    fn moment(&self) -> Result<Datum> {
        let kind = match self.to.kind {
            Kind::Date => "date",
            _ => "datetime",
        };
        let mut cut = false;
        let found = match self.value {
            Datum::Date(packed) => Some(Moment::midnight(Day::unpacked(*packed))),
            Datum::Timestamp(packed) => Some(match self.from.kind {
                Kind::Timestamp => from_utc(Moment::unpacked(*packed), &self.settings.zone),
                _ => Moment::unpacked(*packed),
            }),
            Datum::Time(_) => crate::convert::to_moment(self.value, self.from, self.env),
            _ => match self.given_text() {
                Some(given) => read_moment(&given, false).map(|found| {
                    cut = found.cut;
                    found.moment
                }),
                None => {
                    let exact = to_numeric(self.value, self.from, self.env);
                    let whole = exact.trunc(0).to_i64().unwrap_or(-1);
                    let rest = exact.sub(&exact.trunc(0)).unwrap_or(Numeric::ZERO);
                    let micros = rest.mul(&Numeric::from(1_000_000)).ok();
                    let micros = micros.and_then(|micros| micros.trunc(0).to_i64()).unwrap_or(0);
                    // A day alone has no time of which there could be a part.
                    match whole < 100_000_000 && micros > 0 {
                        true => {
                            let found = moment_of_number(whole, 0);
                            if found.is_some() {
                                self.note();
                            }
                            found
                        }
                        false => moment_of_number(whole, micros),
                    }
                }
            },
        };
        let found = found.filter(|moment| moment.day.is_allowed(self.settings.mode));
        let Some(mut moment) = found else {
            self.no_moment(kind)?;
            return Ok(self.zero());
        };
        if cut {
            self.settings.reject(error::TRUNCATED, self.place.truncated())?;
        }
        if self.to.kind == Kind::Date {
            if moment.micros != 0 {
                self.note();
            }
            return Ok(Datum::Date(moment.day.packed()));
        }
        moment.micros = with_digits(moment.micros, self.to.scale, self.settings);
        if moment.micros >= DAY {
            moment = Moment::of_number(moment.number()).unwrap_or(moment);
        }
        if self.to.kind == Kind::DateTime {
            return Ok(moment.datum());
        }
        let utc = to_utc(moment, &self.settings.zone).filter(|utc| is_instant(*utc));
        match utc {
            Some(utc) => Ok(utc.datum()),
            None => {
                self.no_moment(kind)?;
                Ok(self.zero())
            }
        }
    }

    /// What stands in place of a day that is none.
    fn zero(&self) -> Datum {
        match self.to.kind {
            Kind::Date => Datum::Date(0),
            _ => Datum::Timestamp(0),
        }
    }

    /// What of a value is a time; a day that goes with it is noted, and what is more than a time is not taken.
    fn time(&self) -> Result<Datum> {
        let incorrect = || self.no_moment("time");
        let clipped = || match self.settings.is_strict() {
            true => incorrect(),
            false => {
                self.settings.warn(error::OUT_OF_RANGE, self.place.out_of_range());
                Ok(())
            }
        };
        let found = match self.given_text() {
            Some(given) => match read_moment(&given, true) {
                Some(found) if given.trim_start().len() >= 12 => {
                    self.note();
                    Some(found.moment.micros)
                }
                _ => {
                    let found = read_time(&given);
                    match found {
                        Some(found) if found.cut && found.moment.abs() == MAX_TIME => clipped()?,
                        Some(found) if found.cut => incorrect()?,
                        _ => {}
                    }
                    found.map(|found| found.moment)
                }
            },
            None => match self.value {
                Datum::Time(span) => Some(*span),
                Datum::Date(_) | Datum::Timestamp(_) => {
                    self.note();
                    crate::convert::to_time(self.value, self.from, self.env)
                }
                _ => {
                    let exact = to_numeric(self.value, self.from, self.env);
                    let whole = exact.trunc(0);
                    let rest = exact.sub(&whole).unwrap_or(Numeric::ZERO);
                    let micros = rest.mul(&Numeric::from(1_000_000)).ok();
                    let micros = micros.and_then(|micros| micros.trunc(0).to_i64()).unwrap_or(0);
                    let extreme = if exact.signum() < 0 { i64::MIN } else { i64::MAX };
                    let whole = whole.to_i64().unwrap_or(extreme);
                    match time_of_number(whole, micros) {
                        Some((_, true)) => {
                            clipped()?;
                            Some(if whole < 0 { -MAX_TIME } else { MAX_TIME })
                        }
                        Some((span, false)) => {
                            if whole.unsigned_abs() >= 10_000_000 {
                                self.note();
                            }
                            Some(span)
                        }
                        None => None,
                    }
                }
            },
        };
        match found {
            Some(span) => Ok(Datum::Time(with_digits(span, self.to.scale, self.settings))),
            None => {
                incorrect()?;
                Ok(Datum::Time(0))
            }
        }
    }

    /// The place of a member or the bits of a set: digits after the point do not count.
    fn cut_integer(&self) -> i128 {
        match self.value {
            Datum::Numeric(value) => number::integer_of_numeric(&value.trunc(0)).unwrap_or(0),
            Datum::Float(value) => value.trunc() as i128,
            _ => to_integer(self.value, self.from, self.env),
        }
    }

    fn member(&self) -> Result<Datum> {
        let found = match self.value {
            Datum::Enum(_, text) => members::enum_named(self.to, text, self.env.names),
            _ => match self.given_text() {
                Some(given) => {
                    let named = members::enum_named(self.to, &given, self.env.names);
                    let number = || given.parse().ok().filter(|place| *place > 0);
                    named.or_else(|| members::enum_at(self.to, number()?, self.env.names))
                }
                None => {
                    let place = self.cut_integer();
                    members::enum_at(self.to, place, self.env.names)
                }
            },
        };
        match found {
            Some(member) => Ok(member),
            None => {
                self.settings.reject(error::TRUNCATED, self.place.truncated())?;
                Ok(members::enum_error())
            }
        }
    }

    fn set(&self) -> Result<Datum> {
        let count = members::members(self.to, self.env.names).map_or(0, |members| members.len());
        let most = (1i128 << count.min(members::MOST_OF_SET)) - 1;
        let (found, whole) = match self.given_text() {
            Some(given) => match members::set_named(self.to, &given, self.env.names) {
                // A number is the bits of the members, as far as there are members.
                Some((_, false)) if let Ok(bits) = given.trim_start().parse::<i128>() => {
                    (number::integer(bits & most), (0..=most).contains(&bits))
                }
                Some(found) => found,
                None => return Err(SqlError::internal("a SET without members")),
            },
            None => {
                let bits = self.cut_integer();
                (number::integer(bits & most), (0..=most).contains(&bits))
            }
        };
        if !whole {
            self.settings.reject(error::TRUNCATED, self.place.truncated())?;
        }
        Ok(found)
    }

    /// How many characters a text may have, and how many bytes.
    fn room(&self) -> (usize, usize) {
        match self.to.kind {
            Kind::TinyText => (usize::MAX, 255),
            Kind::Text => (usize::MAX, 65_535),
            Kind::MediumText => (usize::MAX, (1 << 24) - 1),
            Kind::LongText | Kind::Json => (usize::MAX, u32::MAX as usize),
            // The type of an expression has room for whatever it gives.
            _ if self.to.held_loosely() => (usize::MAX, usize::MAX),
            _ => (self.to.length as usize, usize::MAX),
        }
    }

    /// A float is written with an exponent where that is what the column has room for.
    fn shorten(&self, text: &mut String, letters: usize) {
        if let Datum::Float(value) = self.value
            && text.len() > letters
        {
            let shorter = format!("{value:e}");
            if shorter.len() <= letters {
                *text = shorter;
            }
        }
    }

    fn text(&self) -> Result<Datum> {
        let (letters, most) = self.room();
        if self.to.is_bytes() {
            let mut bytes = to_bytes(self.value, self.from, self.env).into_owned();
            let room = letters.min(most);
            if let Datum::Float(_) = self.value {
                let mut text = String::from_utf8_lossy(&bytes).into_owned();
                self.shorten(&mut text, room);
                bytes = text.into_bytes();
            }
            if bytes.len() > room {
                self.too_long()?;
                bytes.truncate(room);
            }
            if self.to.kind == Kind::Char {
                bytes.resize(room, 0);
            }
            return Ok(Datum::Bytes(bytes.into()));
        }
        let mut given = match self.value {
            Datum::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => text.to_owned(),
                Err(_) => {
                    let shown = bytes.iter().take(6).map(|byte| format!("\\x{byte:02X}"));
                    let message = self.place.incorrect("string", &shown.collect::<String>());
                    self.settings.reject(error::INCORRECT_VALUE, message)?;
                    String::from_utf8_lossy(bytes).replace('\u{fffd}', "?")
                }
            },
            _ => to_text(self.value, self.from, self.env).into_owned(),
        };
        self.shorten(&mut given, letters);
        if self.to.kind == Kind::Char {
            given.truncate(given.trim_end_matches(' ').len());
        }
        let over = given.char_indices().nth(letters).map(|(at, _)| at);
        let over = match given.len() > most {
            true => (0..=most).rev().find(|&at| given.is_char_boundary(at)),
            false => over,
        };
        if let Some(at) = over {
            match given[at..].trim_end_matches(' ').is_empty() {
                true => self.note(),
                false => self.too_long()?,
            }
            given.truncate(at);
        }
        Ok(Datum::text(given))
    }
}

/// Whether a TIMESTAMP holds a moment in UTC: from the second second of 1970 to the end of 31 bits.
fn is_instant(utc: Moment) -> bool {
    const EPOCH: i64 = hobgoblin_sql_value::datetime::UNIX_EPOCH;
    let seconds = (utc.number() - EPOCH).div_euclid(1_000_000);
    utc.day.is_zero() || (1..=i64::from(i32::MAX)).contains(&seconds)
}
