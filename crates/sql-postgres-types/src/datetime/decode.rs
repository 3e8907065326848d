//! Understanding the fields of a date or time.
//!
//! PostgreSQL reads dates very freely: `Jan 8 1999`, `1999.008`, `J2451187`, `19990108T040506-8`
//! are the same day. It looks at one field after the other, and each adds to the set of things that
//! are known. What a number means depends on what is missing still, and on the order of dates:
//!
//! ```text
//!     8 Jan 1999     8: the first number, so a day under DMY and a month under MDY
//!                    Jan: the month is known, so 8 becomes the day after all
//!                    1999: only the year is missing
//! ```
//!
//! A thing that comes twice is an error. The answers follow from this order, so it is PostgreSQL's
//! step by step (`DecodeDateTime` in its `datetime.c`).

use super::scan::{Field, Kind, fraction, leading_int};
use super::words::{Word, word};
use super::{Civil, DAY, HOUR, JULIAN_2000, MINUTE, SECOND, Zone, civil_of_days, days_in_month};
use crate::DateOrder;

/// Why a text is no date or time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Wrong {
    Format,
    Field,
    /// The month or day is out of range, perhaps because they are written in the other order.
    MonthOrDay,
    Displacement,
    Interval,
    /// The text names this zone, which does not exist.
    Zone(String),
    /// The text depends on the current time by this word, and the time is not known here.
    Clock(String),
}

type Decoded<T> = Result<T, Wrong>;

const YEAR: u32 = 1;
const MONTH: u32 = 2;
const DAY_OF_MONTH: u32 = 4;
const DATE: u32 = YEAR | MONTH | DAY_OF_MONTH;
const TIME: u32 = 8;
const ZONE: u32 = 16;
const WEEKDAY: u32 = 32;
const DAY_OF_YEAR: u32 = 64;
const MERIDIAN: u32 = 128;
const ERA: u32 = 256;
const DST: u32 = 512;

/// What the meaning of a text depends on, beside the text.
pub(crate) struct Setting<'a> {
    pub(crate) order: DateOrder,
    pub(crate) zone: &'a Zone,
    /// The current instant, as a timestamp; `None` if it is not known.
    pub(crate) now: Option<i64>,
}

/// What a text stands for.
pub(crate) enum Said {
    /// A date and time, and seconds east of UTC.
    Moment(Civil, i32),
    Epoch,
    Infinity,
    NegInfinity,
}

/// What the next field is, after a label such as `J` or `T`.
#[derive(Clone, Copy, PartialEq)]
enum Label {
    Julian,
    Time,
    Other,
}

struct Decoder<'a> {
    setting: &'a Setting<'a>,
    /// Whether only a time of day is wanted.
    time_only: bool,
    known: u32,
    at: Civil,
    day_of_year: i64,
    short_year: bool,
    julian: bool,
    named_month: bool,
    bc: bool,
    pm: Option<bool>,
    label: Option<Label>,
    east: i32,
    zone: Option<Zone>,
    special: Option<Word>,
}

/// The date and time that the fields stand for.
pub(crate) fn decode(fields: &[Field], setting: &Setting<'_>) -> Decoded<Said> {
    let mut decoder = Decoder::new(setting, false);
    decoder.fields(fields)?;
    match decoder.special {
        Some(Word::Epoch) => return Ok(Said::Epoch),
        Some(Word::Infinity) => return Ok(Said::Infinity),
        Some(Word::NegInfinity) => return Ok(Said::NegInfinity),
        _ => {}
    }
    decoder.validate_date()?;
    decoder.meridian()?;
    if decoder.known & DATE != DATE {
        return Err(Wrong::Format);
    }
    if let Some(zone) = &decoder.zone {
        decoder.east = zone.offset_of_local(decoder.local());
    } else if decoder.known & ZONE == 0 {
        decoder.east = setting.zone.offset_of_local(decoder.local());
    }
    Ok(Said::Moment(decoder.at, decoder.east))
}

/// The time of day that the fields stand for. If a zone is asked for, seconds east of UTC come with
/// it, which may depend on the current day.
pub(crate) fn decode_time(
    fields: &[Field],
    setting: &Setting<'_>,
    with_zone: bool,
) -> Decoded<(i64, i32)> {
    let mut decoder = Decoder::new(setting, true);
    decoder.fields(fields)?;
    decoder.validate_date()?;
    decoder.meridian()?;
    check_time(&decoder.at)?;
    if decoder.known & TIME != TIME {
        return Err(Wrong::Format);
    }
    let dated = decoder.known & DATE == DATE;
    let zone = match &decoder.zone {
        Some(zone) if zone.fixed_offset().is_none() && !zone.is_abbreviation() && !dated => {
            return Err(Wrong::Format);
        }
        Some(zone) => zone,
        None if decoder.known & ZONE == 0 => setting.zone,
        None => return Ok((decoder.at.time(), decoder.east)),
    };
    let east = match (zone.fixed_offset(), setting.now) {
        _ if !with_zone => 0,
        (Some(east), _) => east,
        _ if dated => zone.offset_of_local(decoder.local()),
        (None, Some(now)) => {
            let (local, _) = setting.zone.to_local(now);
            let midnight = local.div_euclid(DAY) * DAY;
            zone.offset_of_local(midnight + decoder.at.time())
        }
        (None, None) => return Err(Wrong::Clock("a time in a zone with daylight saving".into())),
    };
    Ok((decoder.at.time(), east))
}

/// Fails if hours, minutes or seconds are out of range. 24:00 is not.
fn check_time(at: &Civil) -> Decoded<()> {
    let fits = (0..=24).contains(&at.hour)
        && (0..=59).contains(&at.minute)
        && (0..=60).contains(&at.second)
        && (0..=SECOND).contains(&at.micro)
        && at.time() <= DAY;
    if fits { Ok(()) } else { Err(Wrong::Field) }
}

/// Hours, minutes and seconds of a field with colons: `h:m`, `h:m:s`, `m:s.f`. The hour is not limited.
pub(crate) fn clock(text: &str, minutes_and_seconds: bool) -> Decoded<(i64, i64, i64, i64)> {
    let (mut hour, rest) = super::scan::leading_long(text).map_err(|()| Wrong::Field)?;
    let rest = rest.strip_prefix(':').ok_or(Wrong::Format)?;
    let (mut minute, rest) = leading_int(rest).map_err(|()| Wrong::Field)?;
    let (mut second, mut micro) = (0, 0);
    if rest.is_empty() {
        if minutes_and_seconds {
            (hour, minute, second) = (0, hour, minute);
        }
    } else if rest.starts_with('.') {
        micro = micros(rest)?;
        (hour, minute, second) = (0, hour, minute);
    } else {
        let rest = rest.strip_prefix(':').ok_or(Wrong::Format)?;
        let (value, rest) = leading_int(rest).map_err(|()| Wrong::Field)?;
        second = value;
        if !rest.is_empty() {
            micro = micros(rest)?;
        }
    }
    let fits = hour >= 0 && (0..60).contains(&minute) && (0..=60).contains(&second);
    if fits { Ok((hour, minute, second, micro)) } else { Err(Wrong::Field) }
}

/// Microseconds of a fraction of a second.
fn micros(text: &str) -> Decoded<i64> {
    let fraction = fraction(text).ok_or(Wrong::Format)?;
    Ok((fraction * 1e6).round_ties_even() as i64)
}

/// Seconds east of UTC: `+h`, `+hh:mm`, `+hhmm`, `+hh:mm:ss`.
pub(crate) fn displacement(text: &str) -> Decoded<i32> {
    let negative = text.starts_with('-');
    let body = text.strip_prefix(['+', '-']).ok_or(Wrong::Format)?;
    let (mut hours, mut rest) = leading_int(body).map_err(|()| Wrong::Displacement)?;
    let (mut minutes, mut seconds) = (0, 0);
    if let Some(after) = rest.strip_prefix(':') {
        (minutes, rest) = leading_int(after).map_err(|()| Wrong::Displacement)?;
        if let Some(after) = rest.strip_prefix(':') {
            (seconds, rest) = leading_int(after).map_err(|()| Wrong::Displacement)?;
        }
    } else if rest.is_empty() && text.len() > 3 {
        (hours, minutes) = (hours / 100, hours % 100);
    }
    let range = 0..60;
    if !(0..=15).contains(&hours) || !range.contains(&minutes) || !range.contains(&seconds) {
        return Err(Wrong::Displacement);
    }
    if !rest.is_empty() {
        return Err(Wrong::Format);
    }
    let east = ((hours * 60 + minutes) * 60 + seconds) as i32;
    Ok(if negative { -east } else { east })
}

impl<'a> Decoder<'a> {
    fn new(setting: &'a Setting<'a>, time_only: bool) -> Decoder<'a> {
        Decoder {
            setting,
            time_only,
            known: 0,
            at: Civil::default(),
            day_of_year: 0,
            short_year: false,
            julian: false,
            named_month: false,
            bc: false,
            pm: None,
            label: None,
            east: 0,
            zone: None,
            special: None,
        }
    }

    fn local(&self) -> i64 {
        let wide = i128::from(self.at.days()) * i128::from(DAY) + i128::from(self.at.time());
        wide.clamp(i128::from(i64::MIN / 2), i128::from(i64::MAX / 2)) as i64
    }

    /// What is known already when a number is read. If only a time is wanted, that includes the
    /// date.
    fn known_for_numbers(&self) -> u32 {
        if self.time_only { self.known | DATE } else { self.known }
    }

    fn fields(&mut self, fields: &[Field]) -> Decoded<()> {
        for (place, field) in fields.iter().enumerate() {
            let adds = match field.kind {
                Kind::Date => self.date_field(fields, place)?,
                Kind::Time => {
                    match self.label.take() {
                        None | Some(Label::Time) => {}
                        Some(_) => return Err(Wrong::Format),
                    }
                    let (hour, minute, second, micro) = clock(&field.text, false)?;
                    let hour = i64::from(i32::try_from(hour).map_err(|_| Wrong::Field)?);
                    self.at = Civil { hour, minute, second, micro, ..self.at };
                    check_time(&self.at)?;
                    TIME
                }
                Kind::Zone => {
                    self.east = displacement(&field.text)?;
                    ZONE
                }
                Kind::Number => self.number_field(fields, place)?,
                Kind::Word | Kind::Special => match self.word_field(fields, place)? {
                    Some(adds) => adds,
                    None => continue,
                },
            };
            if adds & self.known != 0 {
                return Err(Wrong::Format);
            }
            self.known |= adds;
        }
        Ok(())
    }

    fn date_field(&mut self, fields: &[Field], place: usize) -> Decoded<u32> {
        let Some(Field { text, .. }) = fields.get(place) else { return Err(Wrong::Format) };
        let digits_first = text.starts_with(|c: char| c.is_ascii_digit());
        if self.label == Some(Label::Julian) {
            self.label = None;
            let (day, rest) = leading_int(text).map_err(|()| Wrong::Field)?;
            self.set_julian(day)?;
            self.east = displacement(rest)?;
            return Ok(DATE | TIME | ZONE);
        }
        if self.time_only {
            let kind = |i: usize| fields.get(i).map(|f| f.kind);
            let dated = place == 0
                && fields.len() >= 2
                && (kind(fields.len() - 1) == Some(Kind::Date) || kind(1) == Some(Kind::Time));
            if dated {
                return self.date(text);
            }
        } else {
            let month_and_day = MONTH | DAY_OF_MONTH;
            if self.label.is_none() && self.known & month_and_day != month_and_day {
                return self.date(text);
            }
        }
        if digits_first || self.label.is_some() {
            match self.label.take() {
                None | Some(Label::Time) => {}
                Some(_) => return Err(Wrong::Format),
            }
            if self.known & TIME == TIME {
                return Err(Wrong::Format);
            }
            let at = text.find('-').ok_or(Wrong::Format)?;
            self.east = displacement(&text[at..])?;
            let adds = self.run_together(&text[..at], self.known_for_numbers())?;
            return Ok(adds | ZONE);
        }
        self.zone = Some(Zone::by_name(text).ok_or_else(|| Wrong::Zone(text.clone()))?);
        Ok(ZONE)
    }

    fn set_julian(&mut self, day: i64) -> Decoded<()> {
        if day < 0 {
            return Err(Wrong::Field);
        }
        (self.at.year, self.at.month, self.at.day) = civil_of_days(day - JULIAN_2000);
        self.julian = true;
        Ok(())
    }

    /// Reads a field that is a date with marks between its parts.
    fn date(&mut self, text: &str) -> Decoded<u32> {
        let mut parts = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            rest = rest.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
            let first = rest.bytes().next().ok_or(Wrong::Format)?;
            let length = if first.is_ascii_digit() {
                rest.bytes().take_while(u8::is_ascii_digit).count()
            } else {
                rest.bytes().take_while(u8::is_ascii_alphabetic).count()
            };
            parts.push(&rest[..length]);
            // One character between parts is dropped, whatever it is.
            rest = rest.get(length + 1..).unwrap_or("");
        }
        let before = self.known;
        let mut known = before;
        let mut named = false;
        for part in parts.iter().filter(|p| p.starts_with(|c: char| c.is_ascii_alphabetic())) {
            match word(part) {
                Some(Word::Ignore) => continue,
                Some(Word::Month(month)) => self.at.month = month,
                _ => return Err(Wrong::Format),
            }
            named = true;
            if known & MONTH != 0 {
                return Err(Wrong::Format);
            }
            known |= MONTH;
        }
        for part in parts.iter().filter(|p| p.starts_with(|c: char| c.is_ascii_digit())) {
            let adds = self.number(part, named, known)?;
            if known & adds != 0 {
                return Err(Wrong::Format);
            }
            known |= adds;
        }
        if known & !(DAY_OF_YEAR | ZONE) != DATE {
            return Err(Wrong::Format);
        }
        Ok(known & !before)
    }

    fn number_field(&mut self, fields: &[Field], place: usize) -> Decoded<u32> {
        let Some(Field { text, .. }) = fields.get(place) else { return Err(Wrong::Format) };
        if let Some(label) = self.label.take() {
            let (value, rest) = leading_int(text).map_err(|()| Wrong::Field)?;
            if !rest.is_empty() && !rest.starts_with('.') {
                return Err(Wrong::Format);
            }
            return match label {
                Label::Julian => {
                    self.set_julian(value)?;
                    if rest.is_empty() {
                        return Ok(DATE);
                    }
                    let part = fraction(rest).ok_or(Wrong::Format)?;
                    let time = (part * DAY as f64) as i64;
                    let clock = Civil::of_time(time);
                    self.at = Civil {
                        year: self.at.year,
                        month: self.at.month,
                        day: self.at.day,
                        ..clock
                    };
                    Ok(DATE | TIME)
                }
                Label::Time => match self.run_together(text, self.known | DATE)? {
                    TIME => Ok(TIME),
                    _ => Err(Wrong::Format),
                },
                Label::Other => Err(Wrong::Format),
            };
        }
        let point = text.find('.');
        if self.time_only {
            return match point {
                Some(_)
                    if place == 0
                        && fields.len() >= 2
                        && fields.last().is_some_and(|f| f.kind == Kind::Date) =>
                {
                    self.date(text)
                }
                Some(point) if point > 2 => self.run_together(text, self.known | DATE),
                Some(_) => Err(Wrong::Format),
                None if text.len() > 4 => self.run_together(text, self.known | DATE),
                None => self.number(text, false, self.known | DATE),
            };
        }
        let known = self.known;
        match point {
            Some(_) if known & DATE == 0 => self.date(text),
            Some(point) if point > 2 => self.run_together(text, known),
            None if text.len() >= 6 && (known & DATE == 0 || known & TIME == 0) => {
                self.run_together(text, known)
            }
            _ => self.number(text, self.named_month, known),
        }
    }

    /// Reads a single number. Whether it is a year, month or day follows from what is known and
    /// from the order of dates.
    fn number(&mut self, text: &str, named_month: bool, known: u32) -> Decoded<u32> {
        let (value, rest) = leading_int(text).map_err(|()| Wrong::Field)?;
        let digits = text.len() - rest.len();
        if digits == 0 {
            return Err(Wrong::Format);
        }
        if rest.starts_with('.') {
            if digits > 2 {
                return self.run_together(text, known | DATE);
            }
            self.at.micro = micros(rest)?;
        } else if !rest.is_empty() {
            return Err(Wrong::Format);
        }
        let length = text.len();
        if length == 3 && known & DATE == YEAR && (1..=366).contains(&value) {
            self.day_of_year = value;
            return Ok(DAY_OF_YEAR | MONTH | DAY_OF_MONTH);
        }
        let year_first = length >= 3 || self.setting.order == DateOrder::Ymd;
        const YEAR_MONTH: u32 = YEAR | MONTH;
        const MONTH_DAY: u32 = MONTH | DAY_OF_MONTH;
        let adds = match known & DATE {
            0 if year_first => YEAR,
            0 if self.setting.order == DateOrder::Dmy => DAY_OF_MONTH,
            0 => MONTH,
            YEAR => MONTH,
            MONTH if named_month && year_first => YEAR,
            MONTH => DAY_OF_MONTH,
            YEAR_MONTH if named_month && length >= 3 && self.short_year => {
                // The first number was the day after all.
                self.at.day = self.at.year;
                self.at.year = value;
                self.short_year = false;
                return Ok(DAY_OF_MONTH);
            }
            YEAR_MONTH => DAY_OF_MONTH,
            DAY_OF_MONTH => MONTH,
            MONTH_DAY => YEAR,
            DATE => return self.run_together(text, known),
            _ => return Err(Wrong::Format),
        };
        match adds {
            YEAR => {
                self.at.year = value;
                self.short_year = length <= 2;
            }
            MONTH => self.at.month = value,
            _ => self.at.day = value,
        }
        Ok(adds)
    }

    /// Reads digits that run together: a date of six or more, or a time of four or six with perhaps
    /// a fraction.
    fn run_together(&mut self, text: &str, known: u32) -> Decoded<u32> {
        let (digits, fractional) = match text.find('.') {
            Some(at) => {
                self.at.micro = micros(&text[at..])?;
                (&text[..at], true)
            }
            None => (text, false),
        };
        if !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(Wrong::Format);
        }
        let number = |part: &str| part.parse::<i64>().ok().filter(|n| *n <= i64::from(i32::MAX));
        if !fractional && known & DATE != DATE && digits.len() >= 6 {
            let (year, rest) = digits.split_at(digits.len() - 4);
            let (month, day) = rest.split_at(2);
            self.at.year = number(year).ok_or(Wrong::Field)?;
            self.at.month = number(month).ok_or(Wrong::Field)?;
            self.at.day = number(day).ok_or(Wrong::Field)?;
            if year.len() == 2 {
                self.short_year = true;
            }
            return Ok(DATE);
        }
        if known & TIME != TIME && (digits.len() == 6 || digits.len() == 4) {
            let part = |at: usize| digits.get(at..at + 2).and_then(number).unwrap_or(0);
            (self.at.hour, self.at.minute, self.at.second) = (part(0), part(2), part(4));
            return Ok(TIME);
        }
        Err(Wrong::Format)
    }

    /// Reads a word; `None` if it adds nothing to what is known.
    fn word_field(&mut self, fields: &[Field], place: usize) -> Decoded<Option<u32>> {
        let Some(Field { text, .. }) = fields.get(place) else { return Err(Wrong::Format) };
        if let Some(zone) = super::zone_abbreviated(text) {
            match zone.fixed_offset() {
                Some(east) => self.east = east,
                None => self.zone = Some(zone),
            }
            return Ok(Some(ZONE));
        }
        let Some(word) = word(text) else {
            self.zone = Some(Zone::by_name(text).ok_or(Wrong::Format)?);
            return Ok(Some(ZONE));
        };
        Ok(Some(match word {
            Word::Ignore => return Ok(None),
            Word::Now | Word::Today | Word::Tomorrow | Word::Yesterday => {
                self.current(word, text)?
            }
            Word::AllBalls => {
                self.at = Civil { hour: 0, minute: 0, second: 0, micro: 0, ..self.at };
                self.east = 0;
                TIME | ZONE
            }
            Word::Epoch | Word::Infinity | Word::NegInfinity if !self.time_only => {
                self.special = Some(word);
                DATE | TIME | ZONE
            }
            Word::Month(month) if !self.time_only => {
                let mut adds = MONTH;
                let numbered = self.known & MONTH != 0 && !self.named_month;
                if numbered && self.known & DAY_OF_MONTH == 0 && (1..=31).contains(&self.at.month) {
                    // What looked like a month was the day.
                    self.at.day = self.at.month;
                    adds = DAY_OF_MONTH;
                }
                self.named_month = true;
                self.at.month = month;
                adds
            }
            Word::Weekday if !self.time_only => WEEKDAY,
            Word::Dst => {
                self.east += 3600;
                DST
            }
            Word::Am | Word::Pm => {
                self.pm = Some(word == Word::Pm);
                MERIDIAN
            }
            Word::Ad | Word::Bc => {
                self.bc = word == Word::Bc;
                ERA
            }
            Word::Julian => {
                self.label = Some(Label::Julian);
                0
            }
            Word::Label => {
                self.label = Some(Label::Other);
                0
            }
            Word::IsoTime => {
                if !self.time_only && self.known & DATE != DATE {
                    return Err(Wrong::Format);
                }
                let next = fields.get(place + 1).map(|f| f.kind);
                if !matches!(next, Some(Kind::Number | Kind::Time | Kind::Date)) {
                    return Err(Wrong::Format);
                }
                self.label = Some(Label::Time);
                0
            }
            _ => return Err(Wrong::Format),
        }))
    }

    fn current(&mut self, word: Word, text: &str) -> Decoded<u32> {
        let now = self.setting.now.ok_or_else(|| Wrong::Clock(format!("'{text}'")))?;
        let (local, east) = self.setting.zone.to_local(now);
        if word == Word::Now {
            if self.time_only {
                let clock = Civil::of_time(local.rem_euclid(DAY));
                self.at = clock;
                return Ok(TIME);
            }
            self.at = Civil::of(local);
            self.east = east;
            self.julian = true;
            return Ok(DATE | TIME | ZONE);
        }
        if self.time_only {
            return Err(Wrong::Format);
        }
        let days = local.div_euclid(DAY) + i64::from(word == Word::Tomorrow)
            - i64::from(word == Word::Yesterday);
        (self.at.year, self.at.month, self.at.day) = civil_of_days(days);
        Ok(DATE)
    }

    fn validate_date(&mut self) -> Decoded<()> {
        if self.known & YEAR != 0 && !self.julian {
            if self.bc {
                if self.at.year <= 0 {
                    return Err(Wrong::Field);
                }
                self.at.year = 1 - self.at.year;
            } else if self.short_year {
                self.at.year += match self.at.year {
                    ..70 => 2000,
                    70..100 => 1900,
                    _ => 0,
                };
            } else if self.at.year <= 0 {
                return Err(Wrong::Field);
            }
        }
        if self.known & DAY_OF_YEAR != 0 {
            let first = super::days_of_civil(self.at.year, 1, 1);
            (self.at.year, self.at.month, self.at.day) =
                civil_of_days(first + self.day_of_year - 1);
        }
        if self.known & MONTH != 0 && !(1..=12).contains(&self.at.month) {
            return Err(Wrong::MonthOrDay);
        }
        if self.known & DAY_OF_MONTH != 0 && !(1..=31).contains(&self.at.day) {
            return Err(Wrong::MonthOrDay);
        }
        if self.known & DATE == DATE && self.at.day > days_in_month(self.at.year, self.at.month) {
            return Err(Wrong::Field);
        }
        Ok(())
    }

    fn meridian(&mut self) -> Decoded<()> {
        let Some(pm) = self.pm else { return Ok(()) };
        if self.at.hour > 12 {
            return Err(Wrong::Field);
        }
        self.at.hour = self.at.hour % 12 + if pm { 12 } else { 0 };
        Ok(())
    }
}

/// A time of day in microseconds; `None` if that overflows.
pub(crate) fn clock_micros((hour, minute, second, micro): (i64, i64, i64, i64)) -> Option<i64> {
    hour.checked_mul(HOUR)?.checked_add(minute * MINUTE + second * SECOND + micro)
}
