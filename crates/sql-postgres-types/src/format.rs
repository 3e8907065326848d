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
    /// Year, month, day.
    Ymd,
    /// Day, month, year.
    Dmy,
    /// Month, day, year.
    #[default]
    Mdy,
}

/// How intervals print.
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

/// The settings that decide how values read and print.
#[derive(Clone, Debug)]
pub struct Format {
    /// `extra_float_digits`.
    pub extra_float_digits: i32,
    /// Whether `bytea_output` is `hex`, else `escape`.
    pub bytea_hex: bool,
    /// `TimeZone`.
    pub time_zone: Zone,
    /// The first half of `DateStyle`.
    pub date_style: DateStyle,
    /// The second half of `DateStyle`.
    pub date_order: DateOrder,
    /// `IntervalStyle`.
    pub interval_style: IntervalStyle,
}

impl Default for Format {
    /// PostgreSQL's defaults, in UTC.
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

/// The settings of what knows no session.
static DEFAULT: LazyLock<Format> = LazyLock::new(Format::default);

impl Format {
    /// The settings of an environment.
    pub fn of<'a>(env: &TypeEnv<'a>) -> &'a Format {
        env.settings.downcast_ref().unwrap_or(&DEFAULT)
    }
}
