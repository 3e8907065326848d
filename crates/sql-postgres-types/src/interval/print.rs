//! Printing intervals in every `IntervalStyle`.

use std::fmt::Write;

use crate::Interval;
use crate::IntervalStyle;
use crate::datetime::print::{fraction, seconds};
use crate::datetime::{HOUR, MINUTE, SECOND};

/// The fields as they print; each has its own sign.
#[derive(Clone, Copy)]
struct Shown {
    years: i64,
    months: i64,
    days: i64,
    hours: i64,
    minutes: i64,
    seconds: i64,
    micros: i64,
}

impl Shown {
    fn of(interval: &Interval) -> Shown {
        Shown {
            years: i64::from(interval.months / 12),
            months: i64::from(interval.months % 12),
            days: i64::from(interval.days),
            hours: interval.micros / HOUR,
            minutes: interval.micros / MINUTE % 60,
            seconds: interval.micros / SECOND % 60,
            micros: interval.micros % SECOND,
        }
    }

    fn negated(self) -> Shown {
        Shown {
            years: -self.years,
            months: -self.months,
            days: -self.days,
            hours: -self.hours,
            minutes: -self.minutes,
            seconds: -self.seconds,
            micros: -self.micros,
        }
    }

    fn all(&self) -> [i64; 7] {
        let Shown { years, months, days, hours, minutes, seconds, micros } = *self;
        [years, months, days, hours, minutes, seconds, micros]
    }

    fn clock(&self) -> [i64; 4] {
        [self.hours, self.minutes, self.seconds, self.micros]
    }
}

/// An interval in a style.
pub fn print_interval(out: &mut String, interval: &Interval, style: IntervalStyle) {
    let shown = Shown::of(interval);
    match style {
        IntervalStyle::Postgres => postgres(out, &shown),
        IntervalStyle::PostgresVerbose => verbose(out, &shown),
        IntervalStyle::SqlStandard => standard(out, shown),
        IntervalStyle::Iso8601 => iso(out, &shown),
    }
}

fn postgres(out: &mut String, shown: &Shown) {
    let (mut first, mut after_negative) = (true, false);
    for (value, unit) in [(shown.years, "year"), (shown.months, "mon"), (shown.days, "day")] {
        if value == 0 {
            continue;
        }
        let space = if first { "" } else { " " };
        let sign = if after_negative && value > 0 { "+" } else { "" };
        let plural = if value == 1 { "" } else { "s" };
        let _ = write!(out, "{space}{sign}{value} {unit}{plural}");
        (first, after_negative) = (false, value < 0);
    }
    let clock = shown.clock();
    if first || clock.iter().any(|part| *part != 0) {
        let space = if first { "" } else { " " };
        let sign = if clock.iter().any(|part| *part < 0) {
            "-"
        } else if after_negative {
            "+"
        } else {
            ""
        };
        let _ = write!(out, "{space}{sign}{:02}:{:02}:", shown.hours.abs(), shown.minutes.abs());
        seconds(out, shown.seconds.abs(), shown.micros.abs());
    }
}

fn verbose(out: &mut String, shown: &Shown) {
    out.push('@');
    let (mut first, mut ago) = (true, false);
    let fields = [
        (shown.years, "year"),
        (shown.months, "mon"),
        (shown.days, "day"),
        (shown.hours, "hour"),
        (shown.minutes, "min"),
    ];
    for (mut value, unit) in fields {
        if value == 0 {
            continue;
        }
        if first {
            ago = value < 0;
            value = value.abs();
        } else if ago {
            value = -value;
        }
        let plural = if value == 1 { "" } else { "s" };
        let _ = write!(out, " {value} {unit}{plural}");
        first = false;
    }
    if shown.seconds != 0 || shown.micros != 0 {
        out.push(' ');
        if shown.seconds < 0 || shown.micros < 0 {
            if first {
                ago = true;
            } else if !ago {
                out.push('-');
            }
        } else if ago {
            out.push('-');
        }
        let _ = write!(out, "{}", shown.seconds.abs());
        fraction(out, shown.micros.abs());
        let one = shown.seconds.abs() == 1 && shown.micros == 0;
        out.push_str(if one { " sec" } else { " secs" });
        first = false;
    }
    if first {
        out.push_str(" 0");
    }
    if ago {
        out.push_str(" ago");
    }
}

fn standard(out: &mut String, mut shown: Shown) {
    let negative = shown.all().iter().any(|part| *part < 0);
    let positive = shown.all().iter().any(|part| *part > 0);
    let year_month = shown.years != 0 || shown.months != 0;
    let day_time = shown.days != 0 || shown.clock().iter().any(|part| *part != 0);
    let mixed = (negative && positive) || (year_month && day_time);
    if negative && !mixed {
        out.push('-');
        shown = shown.negated();
    }
    if !negative && !positive {
        out.push('0');
    } else if mixed {
        let sign = |negative: bool| if negative { '-' } else { '+' };
        let _ = write!(
            out,
            "{}{}-{} {}{} {}{}:{:02}:",
            sign(shown.years < 0 || shown.months < 0),
            shown.years.abs(),
            shown.months.abs(),
            sign(shown.days < 0),
            shown.days.abs(),
            sign(shown.clock().iter().any(|part| *part < 0)),
            shown.hours.abs(),
            shown.minutes.abs()
        );
        seconds(out, shown.seconds.abs(), shown.micros.abs());
    } else if year_month {
        let _ = write!(out, "{}-{}", shown.years, shown.months);
    } else {
        if shown.days != 0 {
            let _ = write!(out, "{} ", shown.days);
        }
        let _ = write!(out, "{}:{:02}:", shown.hours, shown.minutes);
        seconds(out, shown.seconds, shown.micros);
    }
}

fn iso(out: &mut String, shown: &Shown) {
    if shown.all().iter().all(|part| *part == 0) {
        return out.push_str("PT0S");
    }
    let part = |out: &mut String, value: i64, mark: char| {
        if value != 0 {
            let _ = write!(out, "{value}{mark}");
        }
    };
    out.push('P');
    part(out, shown.years, 'Y');
    part(out, shown.months, 'M');
    part(out, shown.days, 'D');
    if shown.clock().iter().any(|part| *part != 0) {
        out.push('T');
    }
    part(out, shown.hours, 'H');
    part(out, shown.minutes, 'M');
    if shown.seconds != 0 || shown.micros != 0 {
        if shown.seconds < 0 || shown.micros < 0 {
            out.push('-');
        }
        let _ = write!(out, "{}", shown.seconds.abs());
        fraction(out, shown.micros.abs());
        out.push('S');
    }
}
