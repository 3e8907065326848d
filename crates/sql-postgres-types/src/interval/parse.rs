//! Reading intervals: PostgreSQL's units, SQL's `1-2 3 4:05:06`, ISO 8601's `P1Y2M3DT4H5M6S`.

use super::typmod::{Fields, fields_of, with_typmod};
use crate::Interval;
use crate::IntervalStyle;
use crate::datetime::{
    DAY, HOUR, Kind, MINUTE, SECOND, Unit, Wrong, clock, clock_micros, fraction, leading_int,
    leading_long, scan, unit_of_interval, word, wrong,
};
use crate::error::Result;

/// The parts as they are summed up.
#[derive(Default)]
struct Parts {
    years: i32,
    months: i32,
    days: i32,
    micros: i64,
}

impl Parts {
    /// Units of a number of microseconds each.
    fn add_micros(&mut self, whole: i64, part: f64, unit: i64) -> Option<()> {
        self.micros = self.micros.checked_add(whole.checked_mul(unit)?)?;
        self.add_part_micros(part, unit)
    }

    fn add_part_micros(&mut self, part: f64, unit: i64) -> Option<()> {
        let exact = part * unit as f64;
        let mut micros = exact as i64;
        let rest = exact - micros as f64;
        if rest > 0.5 {
            micros += 1;
        } else if rest < -0.5 {
            micros -= 1;
        }
        self.micros = self.micros.checked_add(micros)?;
        Some(())
    }

    fn add_days(&mut self, whole: i64, scale: i64) -> Option<()> {
        let days = i32::try_from(whole.checked_mul(scale)?).ok()?;
        self.days = self.days.checked_add(days)?;
        Some(())
    }

    /// A part of so many days.
    fn add_part_days(&mut self, part: f64, scale: i64) -> Option<()> {
        let exact = part * scale as f64;
        let days = exact as i32;
        self.days = self.days.checked_add(days)?;
        self.add_part_micros(exact - f64::from(days), DAY)
    }

    fn add_months(&mut self, whole: i64) -> Option<()> {
        self.months = self.months.checked_add(i32::try_from(whole).ok()?)?;
        Some(())
    }

    fn add_years(&mut self, whole: i64, part: f64, scale: i64) -> Option<()> {
        let years = i32::try_from(whole.checked_mul(scale)?).ok()?;
        self.years = self.years.checked_add(years)?;
        let months = (part * scale as f64 * 12.0).round_ties_even() as i32;
        self.months = self.months.checked_add(months)?;
        Some(())
    }

    fn add(&mut self, unit: Unit, whole: i64, part: f64) -> Result<(), Wrong> {
        match unit {
            Unit::Microsecond => self.add_micros(whole, part, 1),
            Unit::Millisecond => self.add_micros(whole, part, 1000),
            Unit::Second => self.add_micros(whole, part, SECOND),
            Unit::Minute => self.add_micros(whole, part, MINUTE),
            Unit::Hour => self.add_micros(whole, part, HOUR),
            Unit::Day => self.add_days(whole, 1).and_then(|()| self.add_part_micros(part, DAY)),
            Unit::Week => self.add_days(whole, 7).and_then(|()| self.add_part_days(part, 7)),
            Unit::Month => self.add_months(whole).and_then(|()| self.add_part_days(part, 30)),
            Unit::Year => self.add_years(whole, part, 1),
            Unit::Decade => self.add_years(whole, part, 10),
            Unit::Century => self.add_years(whole, part, 100),
            Unit::Millennium => self.add_years(whole, part, 1000),
            _ => return Err(Wrong::Format),
        }
        .ok_or(Wrong::Field)
    }

    fn finish(self) -> Option<Interval> {
        let months = i64::from(self.years) * 12 + i64::from(self.months);
        Some(Interval::new(i32::try_from(months).ok()?, self.days, self.micros))
    }
}

/// An interval of a text and a typmod.
pub fn read_interval(text: &str, typmod: i32, style: IntervalStyle) -> Result<Interval> {
    let parts = match units(text, typmod, style) {
        Err(Wrong::Format) => iso(text),
        other => other,
    };
    let parts = parts.map_err(|e| match e {
        Wrong::Field => wrong(Wrong::Interval, text, "interval"),
        other => wrong(other, text, "interval"),
    })?;
    let interval = parts.finish().ok_or_else(crate::datetime::interval_out_of_range)?;
    Ok(with_typmod(interval, typmod))
}

/// A bit for every unit, so that none comes twice.
fn bit(unit: Unit) -> u32 {
    1 << unit as u32
}

const ALL_SECONDS: u32 =
    1 << Unit::Second as u32 | 1 << Unit::Millisecond as u32 | 1 << Unit::Microsecond as u32;
const CLOCK: u32 = ALL_SECONDS | 1 << Unit::Minute as u32 | 1 << Unit::Hour as u32;

fn units(text: &str, typmod: i32, style: IntervalStyle) -> Result<Parts, Wrong> {
    let fields = scan(text, |text| word(text).is_some(), 256).ok_or(Wrong::Format)?;
    let range = fields_of(typmod);
    let two_parts = range == Some(Fields { first: Unit::Minute, last: Unit::Second });
    let signed = |text: &str| text.starts_with(['-', '+']);
    // In SQL's style one sign at the front counts for all.
    let all_negative = style == IntervalStyle::SqlStandard
        && fields.first().is_some_and(|f| f.text.starts_with('-'))
        && !fields.iter().skip(1).any(|f| signed(&f.text));
    let mut parts = Parts::default();
    let (mut known, mut unit, mut ago) = (0, None, false);
    // Backwards, so that a unit is known before its number.
    for field in fields.iter().rev() {
        let adds = match field.kind {
            Kind::Time => {
                let micros = clock_micros(clock(&field.text, two_parts)?).ok_or(Wrong::Field)?;
                parts.micros = if all_negative { -micros } else { micros };
                unit = Some(Unit::Day);
                CLOCK
            }
            Kind::Word | Kind::Special => {
                if field.text == "ago" {
                    ago = true;
                    // A number must have its own unit then; this one fits none.
                    unit = Some(Unit::Epoch);
                } else {
                    unit = Some(unit_of_interval(&field.text).ok_or(Wrong::Format)?);
                }
                0
            }
            Kind::Zone if field.text.contains(':') => match clock(&field.text[1..], two_parts) {
                Ok(clock) => {
                    let micros = clock_micros(clock).ok_or(Wrong::Field)?;
                    let negative = field.text.starts_with('-') || all_negative;
                    parts.micros = if negative { -micros } else { micros };
                    unit = Some(Unit::Day);
                    CLOCK
                }
                Err(_) => number(&field.text, &mut unit, range, all_negative, &mut parts)?,
            },
            _ => number(&field.text, &mut unit, range, all_negative, &mut parts)?,
        };
        if adds & known != 0 {
            return Err(Wrong::Format);
        }
        known |= adds;
    }
    if known == 0 {
        return Err(Wrong::Format);
    }
    if ago {
        parts.years = parts.years.checked_neg().ok_or(Wrong::Field)?;
        parts.months = parts.months.checked_neg().ok_or(Wrong::Field)?;
        parts.days = parts.days.checked_neg().ok_or(Wrong::Field)?;
        parts.micros = parts.micros.checked_neg().ok_or(Wrong::Field)?;
    }
    Ok(parts)
}

fn number(
    text: &str,
    unit: &mut Option<Unit>,
    range: Option<Fields>,
    all_negative: bool,
    parts: &mut Parts,
) -> Result<u32, Wrong> {
    let of = *unit.get_or_insert(range.map_or(Unit::Second, |range| range.last));
    let (mut whole, rest) = leading_long(text).map_err(|()| Wrong::Field)?;
    let negative = text.starts_with('-');
    let mut part = 0.0;
    let mut of = of;
    if let Some(months) = rest.strip_prefix('-') {
        let (months, rest) = leading_int(months).map_err(|()| Wrong::Field)?;
        if !(0..12).contains(&months) {
            return Err(Wrong::Field);
        }
        if !rest.is_empty() {
            return Err(Wrong::Format);
        }
        of = Unit::Month;
        *unit = Some(of);
        let months = if negative { -months } else { months };
        whole = whole.checked_mul(12).and_then(|m| m.checked_add(months)).ok_or(Wrong::Field)?;
    } else if !rest.is_empty() {
        part = fraction(rest).ok_or(Wrong::Format)?;
        if negative {
            part = -part;
        }
    }
    if all_negative {
        (whole, part) = (-whole.saturating_abs(), -part.abs());
    }
    parts.add(of, whole, part)?;
    Ok(if of == Unit::Second && part != 0.0 { ALL_SECONDS } else { bit(of) })
}

/// A number of ISO 8601: its whole part, its fraction with the sign, and what follows.
fn iso_number(text: &str) -> Result<(i64, f64, &str), Wrong> {
    let length = text
        .bytes()
        .enumerate()
        .take_while(|(i, b)| b.is_ascii_digit() || *b == b'.' || (*i == 0 && b"+-".contains(b)))
        .count();
    let (number, rest) = text.split_at(length);
    if !number.bytes().any(|b| b.is_ascii_digit()) {
        return Err(Wrong::Format);
    }
    let value: f64 = number.parse().map_err(|_| Wrong::Format)?;
    if value.abs() > 2e9 * 1e9 {
        return Err(Wrong::Field);
    }
    // The fraction is what the double has of it, as PostgreSQL computes it.
    let whole = value as i64;
    Ok((whole, value - whole as f64, rest))
}

fn iso(text: &str) -> Result<Parts, Wrong> {
    let mut rest = text.strip_prefix('P').ok_or(Wrong::Format)?;
    if rest.is_empty() {
        return Err(Wrong::Format);
    }
    let mut parts = Parts::default();
    let (mut date, mut any) = (true, false);
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('T') {
            (rest, date, any) = (after, false, false);
            continue;
        }
        let start = rest;
        let (whole, part, after) = iso_number(rest)?;
        let mark = after.bytes().next().unwrap_or(0);
        rest = after.get(1..).unwrap_or("");
        let unit = match (date, mark) {
            (true, b'Y') => Unit::Year,
            (true, b'M') => Unit::Month,
            (true, b'W') => Unit::Week,
            (true, b'D') => Unit::Day,
            (false, b'H') => Unit::Hour,
            (false, b'M') => Unit::Minute,
            (false, b'S') => Unit::Second,
            (true, b'T' | 0) if !any && digits_before(start) == 8 => {
                // The basic form, yyyymmdd.
                parts.add(Unit::Year, whole / 10_000, 0.0)?;
                parts.add(Unit::Month, whole / 100 % 100, 0.0)?;
                parts.add(Unit::Day, whole % 100, part)?;
                if mark == b'T' {
                    (date, any) = (false, false);
                }
                continue;
            }
            (false, 0) if !any && digits_before(start) == 6 => {
                // The basic form, hhmmss.
                parts.add(Unit::Hour, whole / 10_000, 0.0)?;
                parts.add(Unit::Minute, whole / 100 % 100, 0.0)?;
                parts.add(Unit::Second, whole % 100, part)?;
                return Ok(parts);
            }
            (true, b'-' | b'T' | 0) if !any => {
                rest = iso_extended_date(&mut parts, (whole, part), mark, rest)?;
                if rest.is_empty() {
                    return Ok(parts);
                }
                (date, any) = (false, false);
                continue;
            }
            (false, b':' | 0) if !any => {
                iso_extended_time(&mut parts, (whole, part), mark, rest)?;
                return Ok(parts);
            }
            _ => return Err(Wrong::Format),
        };
        parts.add(unit, whole, part)?;
        any = true;
    }
    Ok(parts)
}

fn digits_before(text: &str) -> usize {
    text.bytes().skip_while(|b| *b == b'-').take_while(u8::is_ascii_digit).count()
}

/// The rest of `y-m-d`, up to and with the `T`; gives what follows it.
fn iso_extended_date<'a>(
    parts: &mut Parts,
    (years, part): (i64, f64),
    mark: u8,
    rest: &'a str,
) -> Result<&'a str, Wrong> {
    parts.add(Unit::Year, years, part)?;
    if mark != b'-' {
        return Ok(rest);
    }
    let (months, part, rest) = iso_number(rest)?;
    parts.add(Unit::Month, months, part)?;
    if rest.is_empty() {
        return Ok("");
    }
    if let Some(rest) = rest.strip_prefix('T') {
        return Ok(rest);
    }
    let (days, part, rest) = iso_number(rest.strip_prefix('-').ok_or(Wrong::Format)?)?;
    parts.add(Unit::Day, days, part)?;
    if rest.is_empty() {
        return Ok("");
    }
    rest.strip_prefix('T').ok_or(Wrong::Format)
}

/// The rest of `h:m:s`.
fn iso_extended_time(
    parts: &mut Parts,
    (hours, part): (i64, f64),
    mark: u8,
    rest: &str,
) -> Result<(), Wrong> {
    parts.add(Unit::Hour, hours, part)?;
    if mark == 0 {
        return Ok(());
    }
    let (minutes, part, rest) = iso_number(rest)?;
    parts.add(Unit::Minute, minutes, part)?;
    if rest.is_empty() {
        return Ok(());
    }
    let (seconds, part, rest) = iso_number(rest.strip_prefix(':').ok_or(Wrong::Format)?)?;
    parts.add(Unit::Second, seconds, part)?;
    if rest.is_empty() { Ok(()) } else { Err(Wrong::Format) }
}
