//! What a declaration such as `interval day to minute` or `interval second(3)` keeps of a value.

use crate::Interval;
use crate::datetime::{HOUR, MINUTE, Unit, round_to};

/// The fields of a declaration such as `interval day to minute`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    /// The first field, which is the coarsest: `day`.
    pub first: Unit,
    /// The last field, which is the finest: `minute`. What is below it is cut off.
    pub last: Unit,
}

/// The bits PostgreSQL gives the fields in a typmod.
const BITS: [(Unit, i32); 6] = [
    (Unit::Year, 1 << 2),
    (Unit::Month, 1 << 1),
    (Unit::Day, 1 << 3),
    (Unit::Hour, 1 << 10),
    (Unit::Minute, 1 << 11),
    (Unit::Second, 1 << 12),
];

const ALL_FIELDS: i32 = 0x7fff;
const ALL_DIGITS: i32 = 0xffff;

/// The fields a typmod names, unless it names none.
pub fn fields_of(typmod: i32) -> Option<Fields> {
    let mask = typmod >> 16 & ALL_FIELDS;
    if typmod < 0 || mask == ALL_FIELDS {
        return None;
    }
    let mut named = BITS.iter().filter(|(_, bit)| mask & bit != 0).map(|(unit, _)| *unit);
    let first = named.next()?;
    Some(Fields { first, last: named.next_back().unwrap_or(first) })
}

/// The digits of a second a typmod asks for.
pub fn digits_of(typmod: i32) -> Option<i32> {
    Some(typmod & ALL_DIGITS).filter(|digits| typmod >= 0 && *digits != ALL_DIGITS)
}

/// The typmod of fields and digits.
pub fn typmod_of(fields: Option<Fields>, digits: Option<i32>) -> i32 {
    let mask = match fields {
        None if digits.is_none() => return -1,
        None => ALL_FIELDS,
        Some(Fields { first, last }) => {
            let place = |unit| BITS.iter().position(|(u, _)| *u == unit).unwrap_or(0);
            BITS.iter().take(place(last) + 1).skip(place(first)).map(|(_, bit)| bit).sum()
        }
    };
    mask << 16 | digits.unwrap_or(ALL_DIGITS) & ALL_DIGITS
}

/// What a declaration keeps of an interval.
pub fn with_typmod(mut interval: Interval, typmod: i32) -> Interval {
    if let Some(Fields { last, .. }) = fields_of(typmod) {
        match last {
            Unit::Year => interval = Interval::new(interval.months / 12 * 12, 0, 0),
            Unit::Month => interval = Interval::new(interval.months, 0, 0),
            Unit::Day => interval.micros = 0,
            Unit::Hour => interval.micros = interval.micros / HOUR * HOUR,
            Unit::Minute => interval.micros = interval.micros / MINUTE * MINUTE,
            _ => {}
        }
    }
    if let Some(digits) = digits_of(typmod) {
        interval.micros = round_to(interval.micros, digits);
    }
    interval
}
