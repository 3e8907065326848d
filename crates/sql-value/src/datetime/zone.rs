//! Time zones: by name or by offset.
//!
//! The rules come from the bundled IANA database. It covers the years -9999 to 9999; the calendar repeats
//! after 400 years and zones keep their last rule, so later years are looked up in an earlier cycle.

use hobgoblin_core::Text;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};

use super::{CYCLE_DAYS, Civil, DAY, SECOND, UNIX_EPOCH};

/// A time zone: for every instant, an offset from UTC.
#[derive(Clone, Debug)]
pub struct Zone {
    name: Text,
    rules: Rules,
}

#[derive(Clone, Debug)]
enum Rules {
    /// Seconds east of UTC.
    Fixed(i32),
    Named(TimeZone),
    /// An abbreviation that meant different offsets at different times.
    Abbreviation(TimeZone),
}

impl Default for Zone {
    fn default() -> Zone {
        Zone::utc()
    }
}

impl Zone {
    /// UTC.
    pub fn utc() -> Zone {
        Zone { name: "UTC".into(), rules: Rules::Fixed(0) }
    }

    /// A zone of a fixed offset, in seconds east of UTC, named as `SHOW timezone` names it.
    pub fn fixed(east: i32) -> Zone {
        let shown = offset_text(east.unsigned_abs());
        let (sign, inverse) = if east < 0 { ('-', '+') } else { ('+', '-') };
        let name = format!("<{sign}{shown}>{inverse}{shown}");
        Zone { name: name.into(), rules: Rules::Fixed(east) }
    }

    /// A zone by its IANA name, in any case, or by a POSIX rule such as `EST5EDT` or `<+03>-3`.
    pub fn by_name(name: &str) -> Option<Zone> {
        if name.eq_ignore_ascii_case("utc") || name.eq_ignore_ascii_case("gmt") {
            return Some(Zone { name: name.to_ascii_uppercase().into(), rules: Rules::Fixed(0) });
        }
        if name.is_empty() || name.len() > 255 || !name.is_ascii() {
            return None;
        }
        if let Ok(zone) = TimeZone::get(name) {
            let name = zone.iana_name().unwrap_or(name).into();
            return Some(Zone { name, rules: Rules::Named(zone) });
        }
        Some(Zone { name: name.into(), rules: posix(name)? })
    }

    /// A zone that is called by an abbreviation of an offset, in seconds east of UTC.
    pub fn named_offset(name: &str, east: i32) -> Zone {
        Zone { name: name.into(), rules: Rules::Fixed(east) }
    }

    /// A zone that is called by an abbreviation, which meant different offsets at different times in the zone `of`.
    pub fn abbreviated(name: &str, of: &str) -> Option<Zone> {
        let rules = Rules::Abbreviation(TimeZone::get(of).ok()?);
        Some(Zone { name: name.into(), rules })
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its offset in seconds east of UTC, when that is always the same.
    pub fn fixed_offset(&self) -> Option<i32> {
        match &self.rules {
            Rules::Fixed(east) => Some(*east),
            Rules::Named(zone) => {
                let start = Timestamp::MIN;
                let changes = zone.following(start).next().is_some();
                (!changes).then(|| zone.to_offset(start).seconds())
            }
            Rules::Abbreviation(_) => None,
        }
    }

    /// Whether it was given by an abbreviation that meant different offsets at different times.
    pub fn is_abbreviation(&self) -> bool {
        matches!(self.rules, Rules::Abbreviation(_))
    }

    /// Seconds east of UTC at an instant.
    pub fn offset_at(&self, utc: i64) -> i32 {
        match &self.rules {
            Rules::Fixed(east) => *east,
            Rules::Named(zone) => zone.to_offset(lookup_instant(utc)).seconds(),
            Rules::Abbreviation(zone) => self.abbreviated_offset(zone, lookup_instant(utc)),
        }
    }

    /// The local time of an instant, as a timestamp, and the offset then.
    pub fn to_local(&self, utc: i64) -> (i64, i32) {
        let east = self.offset_at(utc);
        (utc.saturating_add(i64::from(east) * SECOND), east)
    }

    /// Seconds east of UTC at a local time. In a gap the offset before it counts; where a time comes
    /// twice, the later one.
    pub fn offset_of_local(&self, local: i64) -> i32 {
        let (zone, abbreviated) = match &self.rules {
            Rules::Fixed(east) => return *east,
            Rules::Named(zone) => (zone, false),
            Rules::Abbreviation(zone) => (zone, true),
        };
        let Some(civil) = lookup_civil(local) else { return 0 };
        let offset = match zone.to_ambiguous_timestamp(civil).offset() {
            AmbiguousOffset::Unambiguous { offset } => offset,
            AmbiguousOffset::Gap { before, .. } => before,
            AmbiguousOffset::Fold { after, .. } => after,
        };
        if !abbreviated {
            return offset.seconds();
        }
        self.abbreviated_offset(zone, lookup_instant(local - i64::from(offset.seconds()) * SECOND))
    }

    /// The instant of a local time; out of range when it overflows.
    pub fn to_utc(&self, local: i64) -> Option<i64> {
        local.checked_sub(i64::from(self.offset_of_local(local)) * SECOND)
    }

    /// What the zone calls itself at an instant: `CET`, `+03`.
    pub fn abbreviation_at(&self, utc: i64) -> String {
        match &self.rules {
            Rules::Fixed(east) => match self.name.split_once('>') {
                Some((name, _)) => name.trim_start_matches('<').to_owned(),
                None if self.name.bytes().all(|b| b.is_ascii_alphabetic()) => self.name.to_string(),
                None if self.name.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                    self.name.trim_end_matches(|c: char| !c.is_ascii_alphabetic()).to_owned()
                }
                None => format!(
                    "{}{}",
                    if *east < 0 { '-' } else { '+' },
                    offset_text(east.unsigned_abs())
                ),
            },
            Rules::Named(zone) | Rules::Abbreviation(zone) => {
                zone.to_offset_info(lookup_instant(utc)).abbreviation().to_owned()
            }
        }
    }

    /// What the abbreviation meant in its zone at an instant: then, else last before, else first after.
    fn abbreviated_offset(&self, zone: &TimeZone, at: Timestamp) -> i32 {
        let now = zone.to_offset_info(at);
        if now.abbreviation().eq_ignore_ascii_case(&self.name) {
            return now.offset().seconds();
        }
        let mut near = zone.preceding(at).take(400).chain(zone.following(at).take(400));
        let named = near.find(|t| t.abbreviation().eq_ignore_ascii_case(&self.name));
        named.map_or(now.offset(), |t| t.offset()).seconds()
    }
}

/// `5`, `05:30`, `05:30:15` with two digits each.
fn offset_text(seconds: u32) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (minutes, seconds) {
        (0, 0) => format!("{hours:02}"),
        (_, 0) => format!("{hours:02}:{minutes:02}"),
        _ => format!("{hours:02}:{minutes:02}:{seconds:02}"),
    }
}

/// A POSIX rule: a name, an offset, and for daylight saving a name and rules, which without being given
/// are those of the United States, as in PostgreSQL. Any letters do as a name.
fn posix(rule: &str) -> Option<Rules> {
    let (offset, rest) = posix_offset(after_name(rule)?)?;
    if rest.is_empty() {
        return Some(Rules::Fixed(-offset));
    }
    let after = after_name(rest).filter(|after| after.len() < rest.len())?;
    let (saving, rules) = match after.find(',') {
        Some(at) => after.split_at(at),
        None => (after, ",M3.2.0,M11.1.0"),
    };
    let west = posix_text(offset);
    let saving = match saving {
        "" => String::new(),
        given => posix_text(posix_offset(given).filter(|(_, rest)| rest.is_empty())?.0),
    };
    TimeZone::posix(&format!("STD{west}DST{saving}{rules}")).ok().map(Rules::Named)
}

/// What follows the name a POSIX rule begins with.
fn after_name(rule: &str) -> Option<&str> {
    match rule.strip_prefix('<') {
        Some(rest) => rest.split_once('>').map(|(_, rest)| rest),
        None => Some(rule.trim_start_matches(|c: char| !c.is_ascii_digit() && !",+-".contains(c))),
    }
}

fn posix_text(west: i32) -> String {
    let (sign, size) = (if west < 0 { "-" } else { "" }, west.unsigned_abs());
    format!("{sign}{}:{:02}:{:02}", size / 3600, size / 60 % 60, size % 60)
}

/// The offset a text begins with, in seconds west as POSIX counts, and what follows.
fn posix_offset(text: &str) -> Option<(i32, &str)> {
    let (sign, mut rest) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (1, text),
    };
    let mut total = 0;
    for (unit, most) in [(3600, 167), (60, 59), (1, 60)] {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let value = rest.get(..digits)?.parse::<i32>().ok().filter(|value| *value <= most)?;
        total += value * unit;
        rest = rest.get(digits..)?;
        match rest.strip_prefix(':') {
            Some(more) if unit > 1 => rest = more,
            _ => break,
        }
    }
    Some((sign * total, rest))
}

/// An instant of the database's range whose rules are those of the given one.
fn lookup_instant(utc: i64) -> Timestamp {
    let seconds = (i128::from(utc) - i128::from(UNIX_EPOCH)).div_euclid(i128::from(SECOND));
    let mut seconds = seconds as i64;
    let cycle = CYCLE_DAYS * (DAY / SECOND);
    let latest = 250_000_000_000;
    if seconds > latest {
        seconds -= (seconds - latest + cycle - 1) / cycle * cycle;
    }
    Timestamp::from_second(seconds).unwrap_or(Timestamp::MIN)
}

/// The same of a local time.
fn lookup_civil(local: i64) -> Option<DateTime> {
    let mut civil = Civil::of(local);
    if civil.year > 9900 {
        civil.year = 9200 + civil.year.rem_euclid(400);
    }
    civil.year = civil.year.max(-9998);
    DateTime::new(
        i16::try_from(civil.year).ok()?,
        civil.month as i8,
        civil.day as i8,
        civil.hour as i8,
        civil.minute as i8,
        civil.second as i8,
        0,
    )
    .ok()
}
