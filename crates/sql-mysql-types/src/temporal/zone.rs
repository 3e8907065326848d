//! Moments in time zones. A TIMESTAMP is kept in UTC and shown in the session's zone.

use hobgoblin_sql_value::datetime::Zone;

use super::Moment;

/// What a clock in a zone shows at a moment in UTC; zero stays zero.
pub fn from_utc(utc: Moment, zone: &Zone) -> Moment {
    if utc.day.is_zero() {
        return utc;
    }
    let (local, _) = zone.to_local(utc.number());
    Moment::of_number(local).unwrap_or(utc)
}

/// The moment in UTC at which a clock in a zone shows this; zero stays zero.
pub fn to_utc(local: Moment, zone: &Zone) -> Option<Moment> {
    if local.day.is_zero() {
        return Some(local);
    }
    if !local.day.is_real() {
        return None;
    }
    Moment::of_number(zone.to_utc(local.number())?)
}

/// A zone as `time_zone` names it: `+01:00`, `UTC`, `Europe/Berlin`.
pub fn read_zone(text: &str) -> Option<Zone> {
    if text.eq_ignore_ascii_case("system") || text.eq_ignore_ascii_case("utc") {
        return Some(Zone::utc());
    }
    let (sign, rest) = match text.as_bytes().first()? {
        b'+' => (1, &text[1..]),
        b'-' => (-1, &text[1..]),
        _ => return Zone::by_name(text),
    };
    let (hours, minutes) = rest.split_once(':')?;
    let number = |text: &str| -> Option<i32> {
        let digits = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| text.parse().ok()).flatten()
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let east = sign * (hours * 60 + minutes);
    (minutes < 60 && (-12 * 60 - 59..=14 * 60).contains(&east)).then(|| Zone::fixed(east * 60))
}
