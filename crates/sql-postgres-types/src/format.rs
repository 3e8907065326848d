//! The settings that decide how values read and print.

use std::sync::LazyLock;

use hobgoblin_sql_schema::names::TypeEnv;

use super::datetime::Zone;

/// How dates print: `DateStyle`'s first half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DateStyle {
    /// `2001-02-03 04:05:06+00`.
    #[default]
    Iso,
    /// `02/03/2001 04:05:06 UTC`.
    Sql,
    /// `Sat Feb 03 04:05:06 2001 UTC`.
    Postgres,
    /// `03.02.2001 04:05:06 UTC`.
    German,
}

/// Which of the numbers of a date comes first: `DateStyle`'s second half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DateOrder {
    /// The year comes first, then month and day.
    Ymd,
    /// The day comes first, then month and year.
    Dmy,
    /// The month comes first, then day and year.
    #[default]
    Mdy,
}

/// How intervals print: `IntervalStyle`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IntervalStyle {
    /// `1 day 02:03:04`.
    #[default]
    Postgres,
    /// `@ 1 day 2 hours 3 mins 4 secs`.
    PostgresVerbose,
    /// `1 2:03:04`.
    SqlStandard,
    /// `P1DT2H3M4S`.
    Iso8601,
}

/// The settings that decide how values read and print, looked up once.
#[derive(Clone, Debug)]
pub struct Format {
    /// `extra_float_digits`: how many digits of a float are shown beyond, or short of, its
    /// precision.
    pub extra_float_digits: i32,
    /// Whether `bytea_output` is `hex`; otherwise it is `escape`.
    pub bytea_hex: bool,
    /// `TimeZone`: the zone by which a `timestamptz` is shown and read.
    pub time_zone: Zone,
    /// The first half of `DateStyle`: the form of dates.
    pub date_style: DateStyle,
    /// The second half of `DateStyle`: the order of their numbers.
    pub date_order: DateOrder,
    /// `IntervalStyle`: the form of intervals.
    pub interval_style: IntervalStyle,
}

impl Default for Format {
    /// The values that PostgreSQL has by default, with UTC as the zone.
    fn default() -> Format {
        Format {
            extra_float_digits: 1,
            bytea_hex: true,
            time_zone: Zone::utc(),
            date_style: DateStyle::default(),
            date_order: DateOrder::default(),
            interval_style: IntervalStyle::default(),
        }
    }
}

/// The settings for code that has no session.
static DEFAULT: LazyLock<Format> = LazyLock::new(Format::default);

impl Format {
    /// The settings that an environment has.
    pub fn of<'a>(env: &TypeEnv<'a>) -> &'a Format {
        env.settings.downcast_ref().unwrap_or(&DEFAULT)
    }
}
