//! The words dates and times are written with.

use super::Unit;

/// What a word in a date or time stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// A word without meaning, such as `at` or `on`.
    Ignore,
    Month(i64),
    Weekday,
    Am,
    Pm,
    /// The word for years after the birth of Christ, which are all others.
    Ad,
    Bc,
    Now,
    Today,
    Tomorrow,
    Yesterday,
    Epoch,
    Infinity,
    NegInfinity,
    /// `allballs`: midnight in UTC.
    AllBalls,
    /// A label: the next field is a Julian day.
    Julian,
    /// A label that tells nothing of the next field.
    Label,
    /// A label: the next field is a time.
    IsoTime,
    /// Daylight saving time, an hour ahead of the zone named before.
    Dst,
}

/// What a word of a date or time means.
pub(crate) fn word(text: &str) -> Option<Word> {
    use Word::*;
    Some(match text {
        "-infinity" => NegInfinity,
        "infinity" => Infinity,
        "ad" => Ad,
        "allballs" => AllBalls,
        "am" => Am,
        "at" | "on" => Ignore,
        "bc" => Bc,
        "d" | "dow" | "doy" | "h" | "isodow" | "isoyear" | "m" | "mm" | "s" | "y" => Label,
        "dst" => Dst,
        "epoch" => Epoch,
        "j" | "jd" | "julian" => Julian,
        "now" => Now,
        "pm" => Pm,
        "t" => IsoTime,
        "today" => Today,
        "tomorrow" => Tomorrow,
        "yesterday" => Yesterday,
        "sun" | "sunday" | "mon" | "monday" | "tue" | "tues" | "tuesday" | "wed" | "weds"
        | "wednesday" | "thu" | "thur" | "thurs" | "thursday" | "fri" | "friday" | "sat"
        | "saturday" => Weekday,
        _ => Month(month(text)?),
    })
}

fn month(text: &str) -> Option<i64> {
    const NAMES: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    if text == "sept" {
        return Some(9);
    }
    let found = NAMES.iter().position(|name| *name == text || name.get(..3) == Some(text))?;
    Some(found as i64 + 1)
}

/// The unit of an interval that a word means. PostgreSQL looks at its first ten letters.
pub fn unit_of_interval(text: &str) -> Option<Unit> {
    use Unit::*;
    Some(match text.get(..10).unwrap_or(text) {
        "microsecon" | "us" | "usec" | "usecond" | "useconds" | "usecs" => Microsecond,
        "millisecon" | "ms" | "msec" | "msecond" | "mseconds" | "msecs" => Millisecond,
        "s" | "sec" | "second" | "seconds" | "secs" => Second,
        "m" | "min" | "mins" | "minute" | "minutes" => Minute,
        "h" | "hour" | "hours" | "hr" | "hrs" => Hour,
        "d" | "day" | "days" => Day,
        "w" | "week" | "weeks" => Week,
        "mon" | "mons" | "month" | "months" => Month,
        "qtr" | "quarter" => Quarter,
        "y" | "year" | "years" | "yr" | "yrs" => Year,
        "dec" | "decade" | "decades" | "decs" => Decade,
        "c" | "cent" | "centuries" | "century" => Century,
        "mil" | "millennia" | "millennium" | "mils" => Millennium,
        "timezone" => Timezone,
        "timezone_h" => TimezoneHour,
        "timezone_m" => TimezoneMinute,
        _ => return None,
    })
}

/// The field that a word means to `extract`.
pub fn unit_of_field(text: &str) -> Option<Unit> {
    use Unit::*;
    let text = text.to_ascii_lowercase();
    Some(match text.as_str() {
        "dow" => Dow,
        "isodow" => IsoDow,
        "doy" => Doy,
        "isoyear" => IsoYear,
        "j" | "jd" | "julian" => Julian,
        "epoch" => Epoch,
        other => return unit_of_interval(other),
    })
}
