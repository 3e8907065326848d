//! INTERVAL: units, and amounts of them as texts with several numbers, `'1:30' MINUTE_SECOND`.

use hobgoblin_sql_mysql_types::{MyType, convert, number};
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_value::datetime::{DAY, HOUR, MINUTE, SECOND};
use hobgoblin_sql_value::{Datum, Numeric};

/// A unit of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// So many months.
    Months(i64),
    /// So many microseconds.
    Micros(i64),
    /// Years and months.
    YearMonth,
    /// So many parts from this one of day, hour, minute, second and fraction.
    Parts(usize, usize),
}

const UNITS: &[(&str, Unit)] = &[
    ("year", Unit::Months(12)),
    ("quarter", Unit::Months(3)),
    ("month", Unit::Months(1)),
    ("week", Unit::Micros(7 * DAY)),
    ("day", Unit::Micros(DAY)),
    ("hour", Unit::Micros(HOUR)),
    ("minute", Unit::Micros(MINUTE)),
    ("second", Unit::Micros(SECOND)),
    ("microsecond", Unit::Micros(1)),
    ("year_month", Unit::YearMonth),
    ("day_hour", Unit::Parts(0, 2)),
    ("day_minute", Unit::Parts(0, 3)),
    ("day_second", Unit::Parts(0, 4)),
    ("day_microsecond", Unit::Parts(0, 5)),
    ("hour_minute", Unit::Parts(1, 2)),
    ("hour_second", Unit::Parts(1, 3)),
    ("hour_microsecond", Unit::Parts(1, 4)),
    ("minute_second", Unit::Parts(2, 2)),
    ("minute_microsecond", Unit::Parts(2, 3)),
    ("second_microsecond", Unit::Parts(3, 2)),
];

/// Microseconds of day, hour, minute, second and fraction.
const SIZES: [i64; 5] = [DAY, HOUR, MINUTE, SECOND, 1];

/// A distance: months, then microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Distance {
    pub(crate) months: i64,
    pub(crate) micros: i64,
}

impl Unit {
    /// By its name; those of `SQL_TSI_` are the same.
    pub(crate) fn named(name: &str) -> Option<Unit> {
        let name = name.to_ascii_lowercase();
        let name = name.strip_prefix("sql_tsi_").unwrap_or(&name);
        UNITS.iter().find(|(word, _)| *word == name).map(|(_, unit)| *unit)
    }

    /// Whether a day that is moved by it stays a day.
    pub(crate) fn is_of_days(self) -> bool {
        match self {
            Unit::Months(_) | Unit::YearMonth => true,
            Unit::Micros(size) => size % DAY == 0,
            Unit::Parts(..) => false,
        }
    }

    /// Whether it has microseconds.
    pub(crate) fn has_fraction(self) -> bool {
        match self {
            Unit::Micros(size) => size == 1,
            Unit::Parts(first, count) => first + count == SIZES.len(),
            Unit::Months(_) | Unit::YearMonth => false,
        }
    }

    /// So much of it; nothing where that is no number that can be added to a day.
    pub(crate) fn amount(self, value: &Datum, ty: MyType, env: &TypeEnv<'_>) -> Option<Distance> {
        match self {
            Unit::Months(size) => {
                let count = i64::try_from(convert::to_integer(value, ty, env)).ok()?;
                Some(Distance { months: count.checked_mul(size)?, micros: 0 })
            }
            Unit::Micros(SECOND) => {
                let exact = convert::to_numeric(value, ty, env).round(6);
                let micros = exact.mul(&Numeric::from(SECOND)).ok()?;
                let micros = number::integer_of_numeric(&micros)?;
                Some(Distance { months: 0, micros: i64::try_from(micros).ok()? })
            }
            Unit::Micros(size) => {
                let count = i64::try_from(convert::to_integer(value, ty, env)).ok()?;
                Some(Distance { months: 0, micros: count.checked_mul(size)? })
            }
            Unit::YearMonth => {
                let (negative, numbers) = numbers(&convert::to_text(value, ty, env), 2, false);
                let months = numbers[0].checked_mul(12)?.checked_add(numbers[1])?;
                Some(Distance { months: signed(months, negative), micros: 0 })
            }
            Unit::Parts(first, count) => {
                let text = convert::to_text(value, ty, env);
                let (negative, numbers) = numbers(&text, count, self.has_fraction());
                let mut micros = 0i64;
                for (number, size) in numbers.iter().zip(&SIZES[first..first + count]) {
                    micros = micros.checked_add(number.checked_mul(*size)?)?;
                }
                Some(Distance { months: 0, micros: signed(micros, negative) })
            }
        }
    }
}

fn signed(value: i64, negative: bool) -> i64 {
    if negative { -value } else { value }
}

/// The numbers of a text, right-aligned; a last one that is a fraction is filled to six digits.
fn numbers(text: &str, count: usize, fraction: bool) -> (bool, Vec<i64>) {
    let trimmed = text.trim_start();
    let negative = trimmed.starts_with('-');
    let runs: Vec<&str> = trimmed
        .split(|letter: char| !letter.is_ascii_digit())
        .filter(|run| !run.is_empty())
        .take(count)
        .collect();
    let mut numbers: Vec<i64> =
        runs.iter().map(|run| run.parse().unwrap_or(i64::from(i32::MAX))).collect();
    if fraction && let (Some(last), Some(run)) = (numbers.last_mut(), runs.last()) {
        let missing = 6usize.saturating_sub(run.len()) as u32;
        *last = last.saturating_mul(10i64.pow(missing));
    }
    let missing = count - numbers.len();
    numbers.splice(0..0, std::iter::repeat_n(0, missing));
    (negative, numbers)
}
