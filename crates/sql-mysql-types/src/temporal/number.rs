//! Numbers as days and times: their digits are read from the right, `20240105101112`, `240105`, `101112`.

use hobgoblin_sql_value::datetime::{HOUR, MINUTE, SECOND};

use super::read::full_year;
use super::{Day, MAX_TIME, Moment};

/// A number as a day with its time; nothing if no day has such digits.
pub fn moment_of_number(number: i64, micros: i64) -> Option<Moment> {
    const DAYS: i64 = 1_000_000;
    if micros < 0 {
        return None;
    }
    if number == 0 {
        return Some(Moment { day: Day::default(), micros });
    }
    let (day, time) = match number {
        101..=991_231 => (widened(number)?, 0),
        10_000_101..=99_991_231 => (number, 0),
        101_000_000..=991_231_235_959 => (widened(number / DAYS)?, number % DAYS),
        10_000_101_000_000..=99_991_231_235_959 => (number / DAYS, number % DAYS),
        _ => return None,
    };
    let day = Day { year: day / 10_000, month: day / 100 % 100, day: day % 100 };
    let (hour, minute, second) = (time / 10_000, time / 100 % 100, time % 100);
    if day.month > 12 || day.day > 31 || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some(Moment { day, micros: hour * HOUR + minute * MINUTE + second * SECOND + micros })
}

/// A day of six digits with the century of its year.
fn widened(day: i64) -> Option<i64> {
    (day / 10_000 < 100).then(|| full_year(day / 10_000) * 10_000 + day % 10_000)
}

/// A number as a day.
pub fn day_of_number(number: i64) -> Option<Day> {
    moment_of_number(number, 0).map(|moment| moment.day)
}

/// A number as a span of time, and whether it is longer than the longest.
pub fn time_of_number(number: i64, micros: i64) -> Option<(i64, bool)> {
    let (negative, digits) = (number < 0 || micros < 0, number.unsigned_abs());
    let micros = micros.abs();
    let span = match digits {
        8_385_960..=9_999_999 => return Some((signed(MAX_TIME, negative), true)),
        100_000_000_000_000.. => return Some((signed(MAX_TIME, negative), true)),
        10_000_000.. if negative => return Some((-MAX_TIME, true)),
        10_000_000.. => moment_of_number(number, micros)?.micros,
        _ => {
            let digits = digits as i64;
            let (hour, minute, second) = (digits / 10_000, digits / 100 % 100, digits % 100);
            if minute > 59 || second > 59 {
                return None;
            }
            hour * HOUR + minute * MINUTE + second * SECOND + micros
        }
    };
    Some((signed(span, negative), false))
}

fn signed(span: i64, negative: bool) -> i64 {
    if negative { -span } else { span }
}
