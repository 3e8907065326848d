//! Texts as days and times.
//!
//! A day is written with any sign between its parts, or as digits alone: `2024-1-5`, `24.01.05`, `20240105`. A time is
//! written as hours and more with colons, with days before it (`1 10:11:12`), or as digits alone, read from the right. What follows a
//! value that is whole is left out and told of.

use hobgoblin_sql_value::datetime::{HOUR, MINUTE, SECOND};

use super::{Day, MAX_TIME, Moment};

/// What was read, and what is to be said of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<T = Moment> {
    /// The value.
    pub moment: T,
    /// Whether the text has more than that.
    pub cut: bool,
    /// Whether a time was written.
    pub timed: bool,
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Up to so many digits as a number, and how many there were.
    fn digits(&mut self, most: usize) -> (i64, usize) {
        let (mut value, mut count) = (0i64, 0);
        while count < most
            && let Some(digit @ b'0'..=b'9') = self.peek()
        {
            value = value.saturating_mul(10).saturating_add(i64::from(digit - b'0'));
            (self.at, count) = (self.at + 1, count + 1);
        }
        (value, count)
    }

    /// Microseconds after a point; digits beyond the sixth are left.
    fn fraction(&mut self) -> i64 {
        let (value, count) = self.digits(6);
        value * 10i64.pow(6 - count.min(6) as u32)
    }

    fn skip(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }
}

/// The century of a year of two digits.
pub(super) fn full_year(year: i64) -> i64 {
    if year < 70 { year + 2000 } else { year + 1900 }
}

/// A text as a day with its time. Its parts are within their bounds, except that a month may be too short for its day.
/// `whole` asks for a text that has a time.
pub fn read_moment(text: &str, whole: bool) -> Option<Found> {
    let mut reader = Reader { bytes: text.as_bytes(), at: 0 };
    reader.blanks();
    let start = reader.at;
    let run = reader.bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if run == 0 {
        return None;
    }
    let after = reader.bytes.get(start + run).copied();
    let alone = match after {
        None | Some(b'.') => run >= 5,
        Some(b'T') => run == 6 || run == 8,
        Some(byte) => {
            (run == 6 || run >= 8) && (byte.is_ascii_whitespace() || byte.is_ascii_alphabetic())
        }
    };
    let found = match alone {
        true => digits_alone(&mut reader, run)?,
        false => with_signs(&mut reader)?,
    };
    let (year, month, day, hour, minute, second, micros, timed) = found;
    if month > 12 || day > 31 || hour > 23 || minute > 59 || second > 59 || (whole && !timed) {
        return None;
    }
    let rest = &reader.bytes[reader.at..];
    let cut = rest.iter().any(|byte| !byte.is_ascii_whitespace());
    let micros = hour * HOUR + minute * MINUTE + second * SECOND + micros;
    Some(Found { moment: Moment { day: Day { year, month, day }, micros }, cut, timed })
}

type Parts = (i64, i64, i64, i64, i64, i64, i64, bool);

/// `20240105101112.5`, `240105`, `20240105T101112`.
fn digits_alone(reader: &mut Reader<'_>, run: usize) -> Option<Parts> {
    let long = matches!(run, 8 | 14..) || run == 4;
    let (mut year, count) = reader.digits(if long { 4 } else { 2 });
    if count == 2 {
        year = full_year(year);
    }
    let (month, _) = reader.digits(2);
    let (day, _) = reader.digits(2);
    if reader.peek() == Some(b'T') {
        reader.at += 1;
    } else {
        let before = reader.at;
        reader.blanks();
        if !reader.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            reader.at = before;
        }
    }
    let (hour, timed) = reader.digits(2);
    let more = |reader: &mut Reader<'_>| {
        reader.skip(b':');
        reader.digits(2).0
    };
    let (minute, second) = match timed > 0 {
        true => (more(reader), more(reader)),
        false => (0, 0),
    };
    let micros = match timed > 0 && reader.skip(b'.') {
        true => reader.fraction(),
        false => 0,
    };
    Some((year, month, day, hour, minute, second, micros, timed > 0))
}

/// `2024-01-05 10:11:12.5`, with any signs between.
fn with_signs(reader: &mut Reader<'_>) -> Option<Parts> {
    let (mut year, count) = reader.digits(4);
    if count <= 2 {
        year = full_year(year);
    }
    let sign = |reader: &mut Reader<'_>| {
        let before = reader.at;
        while reader.peek().is_some_and(|byte| byte.is_ascii_punctuation()) {
            reader.at += 1;
        }
        reader.at > before && reader.peek().is_some_and(|byte| byte.is_ascii_digit())
    };
    if !sign(reader) {
        return None;
    }
    let (month, _) = reader.digits(2);
    if !sign(reader) {
        return None;
    }
    let (day, _) = reader.digits(2);
    if count == 2 && year == 2000 && month == 0 && day == 0 {
        year = 0;
    }
    let before = reader.at;
    if reader.peek() == Some(b'T') {
        reader.at += 1;
    } else {
        reader.blanks();
        if reader.at == before {
            while reader.peek().is_some_and(|byte| byte.is_ascii_punctuation() && byte != b'.') {
                reader.at += 1;
            }
        }
    }
    if reader.at == before || !reader.peek().is_some_and(|byte| byte.is_ascii_digit()) {
        reader.at = before;
        return Some((year, month, day, 0, 0, 0, 0, false));
    }
    let (hour, _) = reader.digits(2);
    let mut parts = [0, 0];
    for part in &mut parts {
        let before = reader.at;
        if !reader.peek().is_some_and(|byte| byte.is_ascii_punctuation()) {
            break;
        }
        reader.at += 1;
        let (value, count) = reader.digits(2);
        if count == 0 {
            reader.at = before;
            break;
        }
        *part = value;
    }
    let micros = match reader.skip(b'.') {
        true => reader.fraction(),
        false => 0,
    };
    Some((year, month, day, hour, parts[0], parts[1], micros, true))
}

/// A text as a span of time. What is longer than the longest is that, and `cut`.
pub fn read_time(text: &str) -> Option<Found<i64>> {
    let trimmed = text.trim_start();
    if trimmed.len() >= 12
        && let Some(found) = read_moment(trimmed, true)
    {
        return Some(Found { moment: found.moment.micros, cut: found.cut, timed: true });
    }
    let mut reader = Reader { bytes: trimmed.as_bytes(), at: 0 };
    let negative = reader.skip(b'-');
    if !negative {
        reader.skip(b'+');
    }
    let (first, count) = reader.digits(20);
    let mut fraction = 0;
    let (hours, minutes, seconds) = match reader.peek() {
        Some(b':') if count > 0 => clock_parts(&mut reader, first)?,
        Some(b' ') if count > 0 && digit_after_blanks(&reader) => {
            reader.blanks();
            let (hours, _) = reader.digits(10);
            let hours = first.saturating_mul(24).saturating_add(hours);
            clock_parts(&mut reader, hours)?
        }
        Some(b'.') => (first / 10_000, first / 100 % 100, first % 100),
        _ if count == 0 => return None,
        // A float is no time.
        Some(b'e' | b'E') if reader.bytes.get(reader.at + 1).is_some_and(u8::is_ascii_digit) => {
            return None;
        }
        _ => (first / 10_000, first / 100 % 100, first % 100),
    };
    if reader.skip(b'.') {
        fraction = reader.fraction();
    }
    if minutes > 59 || seconds > 59 {
        return None;
    }
    let cut = reader.bytes[reader.at..].iter().any(|byte| !byte.is_ascii_whitespace());
    let micros = match hours > 838 {
        true => MAX_TIME + 1,
        false => hours * HOUR + minutes * MINUTE + seconds * SECOND + fraction,
    };
    let over = micros > MAX_TIME;
    let micros = if over { MAX_TIME } else { micros };
    let moment = if negative { -micros } else { micros };
    Some(Found { moment, cut: cut || over, timed: true })
}

fn digit_after_blanks(reader: &Reader<'_>) -> bool {
    let rest = reader.bytes[reader.at..].iter();
    rest.copied().find(|byte| *byte != b' ').is_some_and(|byte| byte.is_ascii_digit())
}

/// `:11:12` after the hours.
fn clock_parts(reader: &mut Reader<'_>, hours: i64) -> Option<(i64, i64, i64)> {
    let mut parts = [0, 0];
    for part in &mut parts {
        let before = reader.at;
        if !reader.skip(b':') {
            break;
        }
        let (value, count) = reader.digits(20);
        if count == 0 {
            reader.at = before;
            break;
        }
        *part = value;
    }
    Some((hours, parts[0], parts[1]))
}
