//! Weeks, in the eight ways of counting them.
//!
//! | mode | begins on | the first week of a year | days before it |
//! | --- | --- | --- | --- |
//! | 0, 2 | Sunday | has a Sunday in the year | week 0; of the year before |
//! | 1, 3 | Monday | has four days in the year | week 0; of the year before |
//! | 4, 6 | Sunday | has four days in the year | week 0; of the year before |
//! | 5, 7 | Monday | has a Monday in the year | week 0; of the year before |

use hobgoblin_sql_mysql_types::temporal::Day;
use hobgoblin_sql_value::datetime::{days_of_civil, is_leap};

/// Days after Monday, or after Sunday.
fn weekday(days: i64, sunday: bool) -> i64 {
    (days + 5 + i64::from(sunday)).rem_euclid(7)
}

/// The year and week of a day. With `whole`, days before the first week count into the year before.
pub(super) fn week_of(day: Day, monday: bool, whole: bool, first_weekday: bool) -> (i64, i64) {
    let days = day.number();
    let first = days_of_civil(day.year, 1, 1);
    let (mut year, mut whole) = (day.year, whole);
    let mut weekday_of_first = weekday(first, !monday);
    let mut first = first;
    if day.month == 1 && day.day <= 7 - weekday_of_first {
        let before =
            first_weekday && weekday_of_first != 0 || !first_weekday && weekday_of_first >= 4;
        if !whole && before {
            return (year, 0);
        }
        if before {
            whole = true;
            year -= 1;
            let length = 365 + i64::from(is_leap(year));
            first -= length;
            weekday_of_first = (weekday_of_first + 53 * 7 - length).rem_euclid(7);
        }
    }
    let late = first_weekday && weekday_of_first != 0 || !first_weekday && weekday_of_first >= 4;
    let since = match late {
        true => days - (first + 7 - weekday_of_first),
        false => days - (first - weekday_of_first),
    };
    if whole && since >= 52 * 7 {
        let length = 365 + i64::from(is_leap(year));
        let next = (weekday_of_first + length) % 7;
        if !first_weekday && next < 4 || first_weekday && next == 0 {
            return (year + 1, 1);
        }
    }
    (year, since / 7 + 1)
}

/// The year and week of a day in a mode of WEEK.
pub(super) fn week_in_mode(day: Day, mode: i128) -> (i64, i64) {
    let mode = mode.rem_euclid(8);
    // Bit 2 means the opposite where weeks begin on Monday.
    let monday = mode & 1 != 0;
    let first_weekday = (mode & 4 != 0) == monday;
    week_of(day, monday, mode & 2 != 0, first_weekday)
}
