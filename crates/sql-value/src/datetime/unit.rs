//! Units of time.

/// A unit of intervals, of `extract` and of `date_trunc`.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Microsecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
    Decade,
    Century,
    Millennium,
    Timezone,
    TimezoneHour,
    TimezoneMinute,
    Dow,
    IsoDow,
    Doy,
    IsoYear,
    Julian,
    Epoch,
}
