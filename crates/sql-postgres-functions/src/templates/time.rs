//! `to_char`, `to_date` and `to_timestamp` of dates and times: templates such as `YYYY-MM-DD HH24:MI`.
//!
//! A template is a list of fields and of text between them. Printing asks the value for each field; reading collects
//! fields and puts a date together at the end, because `DDD` and `IW` need the year that may come after them.

use super::super::args::text;
use super::super::table::*;
use super::super::{Call, Function};
use super::number::ordinal;
use crate::error::Result;
use crate::types::Datum;
use crate::types::Format;
use crate::types::datetime::{
    Civil, HOUR, MINUTE, MONTHS, SECOND, TIMESTAMP_INFINITY, TIMESTAMP_NEG_INFINITY, WEEKDAYS,
    day_of_week, days_of_civil, iso_week, iso_year_start,
};

/// How letters come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    Upper,
    Title,
    Lower,
}

/// A field of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Hour12,
    Hour24,
    Minute,
    Second,
    /// A fraction of a second in this many digits.
    Fraction(u32),
    SecondOfDay,
    Meridiem {
        dots: bool,
        lower: bool,
    },
    /// A year in its last digits.
    Year(u32),
    YearWithComma,
    IsoYear(u32),
    Era {
        dots: bool,
        lower: bool,
    },
    MonthName(Case),
    MonthShort(Case),
    Month,
    DayName(Case),
    DayShort(Case),
    DayOfYear,
    IsoDayOfYear,
    Day,
    DayOfWeek,
    IsoDayOfWeek,
    WeekOfMonth,
    Week,
    IsoWeek,
    Century,
    Julian,
    Quarter,
    Roman(Case),
    Zone(Case),
    ZoneHour,
    ZoneMinute,
    Offset,
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Field {
        key: Key,
        fill: bool,
        ordinal: Option<bool>,
        name: &'static str,
    },
    /// A blank or punctuation.
    Separator(char),
    /// A letter, or anything quoted.
    Character(char),
}

/// Names that are written all upper or all lower and mean the same.
const PLAIN: &[(&str, Key)] = &[
    ("SSSSS", Key::SecondOfDay),
    ("Y,YYY", Key::YearWithComma),
    ("HH24", Key::Hour24),
    ("HH12", Key::Hour12),
    ("IDDD", Key::IsoDayOfYear),
    ("IYYY", Key::IsoYear(4)),
    ("SSSS", Key::SecondOfDay),
    ("YYYY", Key::Year(4)),
    ("DDD", Key::DayOfYear),
    ("FF1", Key::Fraction(1)),
    ("FF2", Key::Fraction(2)),
    ("FF3", Key::Fraction(3)),
    ("FF4", Key::Fraction(4)),
    ("FF5", Key::Fraction(5)),
    ("FF6", Key::Fraction(6)),
    ("IYY", Key::IsoYear(3)),
    ("TZH", Key::ZoneHour),
    ("TZM", Key::ZoneMinute),
    ("YYY", Key::Year(3)),
    ("CC", Key::Century),
    ("DD", Key::Day),
    ("HH", Key::Hour12),
    ("ID", Key::IsoDayOfWeek),
    ("IW", Key::IsoWeek),
    ("IY", Key::IsoYear(2)),
    ("MI", Key::Minute),
    ("MM", Key::Month),
    ("MS", Key::Fraction(3)),
    ("OF", Key::Offset),
    ("SS", Key::Second),
    ("US", Key::Fraction(6)),
    ("WW", Key::Week),
    ("YY", Key::Year(2)),
    ("D", Key::DayOfWeek),
    ("I", Key::IsoYear(1)),
    ("J", Key::Julian),
    ("Q", Key::Quarter),
    ("W", Key::WeekOfMonth),
    ("Y", Key::Year(1)),
];

/// Names whose letters say how the output looks.
const CASED: &[(&str, Key)] = &[
    ("MONTH", Key::MonthName(Case::Upper)),
    ("Month", Key::MonthName(Case::Title)),
    ("month", Key::MonthName(Case::Lower)),
    ("A.D.", Key::Era { dots: true, lower: false }),
    ("B.C.", Key::Era { dots: true, lower: false }),
    ("a.d.", Key::Era { dots: true, lower: true }),
    ("b.c.", Key::Era { dots: true, lower: true }),
    ("A.M.", Key::Meridiem { dots: true, lower: false }),
    ("P.M.", Key::Meridiem { dots: true, lower: false }),
    ("a.m.", Key::Meridiem { dots: true, lower: true }),
    ("p.m.", Key::Meridiem { dots: true, lower: true }),
    ("DAY", Key::DayName(Case::Upper)),
    ("Day", Key::DayName(Case::Title)),
    ("day", Key::DayName(Case::Lower)),
    ("MON", Key::MonthShort(Case::Upper)),
    ("Mon", Key::MonthShort(Case::Title)),
    ("mon", Key::MonthShort(Case::Lower)),
    ("DY", Key::DayShort(Case::Upper)),
    ("Dy", Key::DayShort(Case::Title)),
    ("dy", Key::DayShort(Case::Lower)),
    ("AD", Key::Era { dots: false, lower: false }),
    ("BC", Key::Era { dots: false, lower: false }),
    ("ad", Key::Era { dots: false, lower: true }),
    ("bc", Key::Era { dots: false, lower: true }),
    ("AM", Key::Meridiem { dots: false, lower: false }),
    ("PM", Key::Meridiem { dots: false, lower: false }),
    ("am", Key::Meridiem { dots: false, lower: true }),
    ("pm", Key::Meridiem { dots: false, lower: true }),
    ("RM", Key::Roman(Case::Upper)),
    ("rm", Key::Roman(Case::Lower)),
    ("TZ", Key::Zone(Case::Upper)),
    ("tz", Key::Zone(Case::Lower)),
];

pub(super) const ROMAN: [&str; 12] =
    ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];

fn field(rest: &str) -> Option<(&'static str, Key)> {
    let mut best: Option<(&'static str, Key)> = None;
    let mut offer = |name: &'static str, key: Key| {
        if best.is_none_or(|(found, _)| found.len() < name.len()) {
            best = Some((name, key));
        }
    };
    for &(name, key) in CASED {
        if rest.starts_with(name) {
            offer(name, key);
        }
    }
    for &(name, key) in PLAIN {
        let head = rest.get(..name.len());
        if head.is_some_and(|head| head == name || head == name.to_ascii_lowercase()) {
            offer(name, key);
        }
    }
    best
}

/// Reads a template; whether it is exact (`FX`).
pub(super) fn parse(template: &str) -> (Vec<Node>, bool) {
    let (mut nodes, mut rest, mut exact) = (Vec::new(), template, false);
    let prefix = |rest: &str, name: &str| {
        rest.starts_with(name) || rest.starts_with(&name.to_ascii_lowercase())
    };
    while let Some(c) = rest.chars().next() {
        if prefix(rest, "FX") {
            exact = true;
            rest = rest.get(2..).unwrap_or_default();
            continue;
        }
        let mut after = rest;
        let mut fill = false;
        while prefix(after, "FM") || after.starts_with("TM") {
            fill = true;
            after = after.get(2..).unwrap_or_default();
        }
        if let Some((name, key)) = field(after) {
            after = after.get(name.len()..).unwrap_or_default();
            let mut ordinal = None;
            if prefix(after, "TH") {
                ordinal = Some(after.starts_with("TH"));
                after = after.get(2..).unwrap_or_default();
            }
            if after.starts_with("SP") {
                after = after.get(2..).unwrap_or_default();
            }
            nodes.push(Node::Field { key, fill, ordinal, name });
            rest = after;
            continue;
        }
        if fill {
            rest = after;
            continue;
        }
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '"' => {
                let mut chars = rest.chars();
                while let Some(c) = chars.next() {
                    match c {
                        '"' => break,
                        '\\' => nodes.extend(chars.next().map(Node::Character)),
                        c => nodes.push(Node::Character(c)),
                    }
                }
                rest = chars.as_str();
            }
            '\\' if rest.starts_with('"') => {
                nodes.push(Node::Character('"'));
                rest = rest.get(1..).unwrap_or_default();
            }
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => nodes.push(Node::Separator(c)),
            c => nodes.push(Node::Character(c)),
        }
    }
    (nodes, exact)
}

/// What `to_char` prints from.
struct Moment {
    civil: Civil,
    interval: bool,
    /// The zone's abbreviation and seconds east of UTC.
    zone: Option<(String, i32)>,
}

fn number(value: i64, width: usize, fill: bool) -> String {
    if fill {
        value.to_string()
    } else if value < 0 {
        format!("-{:0width$}", value.unsigned_abs())
    } else {
        format!("{value:0width$}")
    }
}

fn cased(name: &str, case: Case) -> String {
    match case {
        Case::Upper => name.to_ascii_uppercase(),
        Case::Title => name.to_owned(),
        Case::Lower => name.to_ascii_lowercase(),
    }
}

fn padded(name: String, width: usize, fill: bool) -> String {
    if fill { name } else { format!("{name:<width$}") }
}

fn dotted(word: &str, dots: bool, lower: bool) -> String {
    let word = if lower { word.to_ascii_lowercase() } else { word.to_owned() };
    if dots { word.chars().flat_map(|c| [c, '.']).collect() } else { word }
}

impl Moment {
    /// Years before 1 are counted back from 1 BC.
    fn year(&self) -> i64 {
        if self.interval || self.civil.year > 0 { self.civil.year } else { 1 - self.civil.year }
    }

    fn days(&self) -> i64 {
        self.civil.days()
    }

    fn iso_year(&self) -> i64 {
        if self.interval {
            return self.civil.year;
        }
        let year = iso_week(self.days()).0;
        if year > 0 { year } else { 1 - year }
    }

    fn day_of_year(&self) -> i64 {
        if self.interval {
            return self.civil.year * 360 + self.civil.month * 30 + self.civil.day;
        }
        self.days() - days_of_civil(self.civil.year, 1, 1) + 1
    }

    fn year_digits(year: i64, digits: u32, fill: bool) -> String {
        let year = if digits < 4 { year % 10i64.pow(digits) } else { year };
        number(year, digits as usize, fill)
    }

    fn field(&self, key: Key, fill: bool) -> String {
        let c = &self.civil;
        let month = usize::try_from(c.month - 1).unwrap_or(usize::MAX);
        let weekday = if self.interval { 0 } else { day_of_week(self.days()) };
        let day_name = WEEKDAYS.get(weekday as usize).copied().unwrap_or_default();
        let (zone, east) =
            self.zone.as_ref().map_or(("", 0), |(name, east)| (name.as_str(), *east));
        let sign = if east < 0 { '-' } else { '+' };
        let (zone_hour, zone_minute) = (east.abs() / 3600, east.abs() / 60 % 60);
        match key {
            Key::Hour12 => {
                let hour = if c.hour % 12 == 0 { 12 } else { c.hour % 12 };
                number(hour, 2, fill)
            }
            Key::Hour24 => number(c.hour, 2, fill),
            Key::Minute => number(c.minute, 2, fill),
            Key::Second => number(c.second, 2, fill),
            Key::Fraction(digits) => {
                number(c.micro / 10i64.pow(6 - digits.min(6)), digits as usize, false)
            }
            Key::SecondOfDay => (c.hour * 3600 + c.minute * 60 + c.second).to_string(),
            Key::Meridiem { dots, lower } => {
                dotted(if c.hour % 24 >= 12 { "PM" } else { "AM" }, dots, lower)
            }
            Key::Year(digits) => Moment::year_digits(self.year(), digits, fill),
            Key::YearWithComma => {
                let year = self.year();
                format!("{},{:03}", year / 1000, year % 1000)
            }
            Key::IsoYear(digits) => Moment::year_digits(self.iso_year(), digits, fill),
            Key::Era { dots, lower } => dotted(if c.year > 0 { "AD" } else { "BC" }, dots, lower),
            Key::MonthName(case) => {
                let name = MONTHS.get(month).copied().unwrap_or_default();
                padded(cased(name, case), if name.is_empty() { 0 } else { 9 }, fill)
            }
            Key::MonthShort(case) => {
                let name = MONTHS.get(month).and_then(|name| name.get(..3)).unwrap_or_default();
                cased(name, case)
            }
            Key::Month => number(c.month, 2, fill),
            Key::DayName(case) => padded(cased(day_name, case), 9, fill),
            Key::DayShort(case) => cased(day_name.get(..3).unwrap_or_default(), case),
            Key::DayOfYear => number(self.day_of_year(), 3, fill),
            Key::IsoDayOfYear => {
                let year = iso_week(self.days()).0;
                number(self.days() - iso_year_start(year) + 1, 3, fill)
            }
            Key::Day => number(c.day, 2, fill),
            Key::DayOfWeek => (weekday + 1).to_string(),
            Key::IsoDayOfWeek => (if weekday == 0 { 7 } else { weekday }).to_string(),
            Key::WeekOfMonth => ((c.day - 1) / 7 + 1).to_string(),
            Key::Week => number((self.day_of_year() - 1) / 7 + 1, 2, fill),
            Key::IsoWeek => number(iso_week(self.days()).1, 2, fill),
            Key::Century => {
                let century = if self.interval {
                    c.year / 100
                } else if c.year > 0 {
                    (c.year - 1) / 100 + 1
                } else {
                    c.year / 100 - 1
                };
                if century.abs() <= 99 { number(century, 2, fill) } else { century.to_string() }
            }
            Key::Julian => (self.days() + 2_451_545).to_string(),
            Key::Quarter if c.month == 0 => String::new(),
            Key::Quarter => ((c.month - 1) / 3 + 1).to_string(),
            Key::Roman(case) => {
                let name = ROMAN.get(month).copied().unwrap_or_default();
                padded(cased(name, case), if name.is_empty() { 0 } else { 4 }, fill)
            }
            Key::Zone(case) => cased(zone, case),
            Key::ZoneHour => format!("{sign}{zone_hour:02}"),
            Key::ZoneMinute => format!("{zone_minute:02}"),
            Key::Offset => {
                let hours = if fill {
                    format!("{sign}{zone_hour}")
                } else {
                    format!("{sign}{zone_hour:02}")
                };
                if zone_minute == 0 { hours } else { format!("{hours}:{zone_minute:02}") }
            }
        }
    }

    fn print(&self, template: &str) -> String {
        let mut out = String::new();
        for node in parse(template).0 {
            match node {
                Node::Separator(c) | Node::Character(c) => out.push(c),
                Node::Field { key, fill, ordinal: th, .. } => {
                    let field = self.field(key, fill);
                    out.push_str(&field);
                    if let Some(upper) = th
                        && field.ends_with(|c: char| c.is_ascii_digit())
                    {
                        out.push_str(ordinal(&field, upper));
                    }
                }
            }
        }
        out
    }
}

fn timestamp_to_char(call: &mut Call<'_>) -> Result<Datum> {
    let (at, template) = (call.timestamp(0)?, call.text(1)?);
    if template.is_empty() || at == TIMESTAMP_INFINITY || at == TIMESTAMP_NEG_INFINITY {
        return Ok(Datum::Null);
    }
    let moment = if call.ty(0) == TIMESTAMPTZ {
        let env = call.cx.types();
        let zone = &Format::of(&env).time_zone;
        let (local, east) = zone.to_local(at);
        let zone = Some((zone.abbreviation_at(at), east));
        Moment { civil: Civil::of(local), interval: false, zone }
    } else {
        Moment { civil: Civil::of(at), interval: false, zone: None }
    };
    text(moment.print(template))
}

fn interval_to_char(call: &mut Call<'_>) -> Result<Datum> {
    let (span, template) = (call.interval(0)?, call.text(1)?);
    if template.is_empty() {
        return Ok(Datum::Null);
    }
    let civil = Civil {
        year: i64::from(span.months / 12),
        month: i64::from(span.months % 12),
        day: i64::from(span.days),
        hour: span.micros / HOUR,
        minute: span.micros % HOUR / MINUTE,
        second: span.micros % MINUTE / SECOND,
        micro: span.micros % SECOND,
    };
    text(Moment { civil, interval: true, zone: None }.print(template))
}

pub(super) static FUNCTIONS: &[Function] = &[
    function("to_char", &[TIMESTAMP, TEXT], TEXT, timestamp_to_char).stable(),
    function("to_char", &[TIMESTAMPTZ, TEXT], TEXT, timestamp_to_char).stable(),
    function("to_char", &[INTERVAL, TEXT], TEXT, interval_to_char).stable(),
];
