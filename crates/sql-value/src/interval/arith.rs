//! Arithmetic of intervals.

use super::Interval;
use crate::datetime::{DAY, SECOND, interval_out_of_range};
use crate::{Problem, Result};

const DAYS_PER_MONTH: f64 = 30.0;

fn whole(value: f64) -> Result<i32> {
    let fits = value >= f64::from(i32::MIN) && value < f64::from(i32::MAX) + 1.0;
    if fits { Ok(value as i32) } else { Err(interval_out_of_range()) }
}

/// Rounds a part of days or seconds to the microsecond, which removes what computing with doubles
/// adds.
fn clean(value: f64) -> f64 {
    (value * 1e6).round_ties_even() / 1e6
}

impl Interval {
    /// The sum of each part; an error if one of them overflows.
    pub fn add(&self, other: &Interval) -> Result<Interval> {
        let sum = || {
            Some(Interval::new(
                self.months.checked_add(other.months)?,
                self.days.checked_add(other.days)?,
                self.micros.checked_add(other.micros)?,
            ))
        };
        sum().ok_or_else(interval_out_of_range)
    }

    /// The difference of each part; an error if one of them overflows.
    pub fn sub(&self, other: &Interval) -> Result<Interval> {
        let difference = || {
            Some(Interval::new(
                self.months.checked_sub(other.months)?,
                self.days.checked_sub(other.days)?,
                self.micros.checked_sub(other.micros)?,
            ))
        };
        difference().ok_or_else(interval_out_of_range)
    }

    /// The interval with the other sign in every part.
    pub fn neg(&self) -> Result<Interval> {
        let negated = || {
            Some(Interval::new(
                self.months.checked_neg()?,
                self.days.checked_neg()?,
                self.micros.checked_neg()?,
            ))
        };
        negated().ok_or_else(interval_out_of_range)
    }

    /// A multiple. A fraction of a month becomes days, and a fraction of a day becomes time.
    pub fn mul(&self, factor: f64) -> Result<Interval> {
        self.scale(|part| part * factor)
    }

    /// A part of the interval, with fractions as in [`mul`](Interval::mul).
    pub fn div(&self, divisor: f64) -> Result<Interval> {
        if divisor == 0.0 {
            return Err(Problem::DivisionByZero);
        }
        self.scale(|part| part / divisor)
    }

    fn scale(&self, scale: impl Fn(f64) -> f64) -> Result<Interval> {
        let (exact_months, exact_days) =
            (scale(f64::from(self.months)), scale(f64::from(self.days)));
        if exact_months.is_nan() || exact_days.is_nan() {
            return Err(interval_out_of_range());
        }
        let (months, mut days) = (whole(exact_months)?, whole(exact_days)?);
        let month_rest = clean((exact_months - f64::from(months)) * DAYS_PER_MONTH);
        let mut seconds =
            clean((exact_days - f64::from(days) + month_rest - month_rest.trunc()) * 86_400.0);
        // Rounding may have made it a whole day.
        if seconds.abs() >= 86_400.0 {
            let extra = (seconds / 86_400.0).trunc();
            days = days.checked_add(extra as i32).ok_or_else(interval_out_of_range)?;
            seconds -= extra * 86_400.0;
        }
        days = days.checked_add(month_rest as i32).ok_or_else(interval_out_of_range)?;
        let micros = (scale(self.micros as f64) + seconds * SECOND as f64).round_ties_even();
        if micros.is_nan() || micros < i64::MIN as f64 || micros >= i64::MAX as f64 {
            return Err(interval_out_of_range());
        }
        Ok(Interval::new(months, days, micros as i64))
    }

    /// The interval with every 24 hours as a day.
    pub fn justify_hours(&self) -> Result<Interval> {
        let mut days = i64::from(self.days) + self.micros / DAY;
        let mut micros = self.micros % DAY;
        if days > 0 && micros < 0 {
            micros += DAY;
            days -= 1;
        } else if days < 0 && micros > 0 {
            micros -= DAY;
            days += 1;
        }
        let days = i32::try_from(days).map_err(|_| interval_out_of_range())?;
        Ok(Interval::new(self.months, days, micros))
    }

    /// The interval with every 30 days as a month.
    pub fn justify_days(&self) -> Result<Interval> {
        let mut months = i64::from(self.months) + i64::from(self.days / 30);
        let mut days = self.days % 30;
        if months > 0 && days < 0 {
            days += 30;
            months -= 1;
        } else if months < 0 && days > 0 {
            days -= 30;
            months += 1;
        }
        let months = i32::try_from(months).map_err(|_| interval_out_of_range())?;
        Ok(Interval::new(months, days, self.micros))
    }

    /// The interval with both, and one sign for all its parts.
    pub fn justify_interval(&self) -> Result<Interval> {
        let mut days = i64::from(self.days);
        let (mut months, mut micros) = (i64::from(self.months), self.micros);
        days += micros / DAY;
        micros %= DAY;
        months += days / 30;
        days %= 30;
        if months > 0 && (days < 0 || (days == 0 && micros < 0)) {
            days += 30;
            months -= 1;
        } else if months < 0 && (days > 0 || (days == 0 && micros > 0)) {
            days -= 30;
            months += 1;
        }
        if days > 0 && micros < 0 {
            micros += DAY;
            days -= 1;
        } else if days < 0 && micros > 0 {
            micros -= DAY;
            days += 1;
        }
        let months = i32::try_from(months).map_err(|_| interval_out_of_range())?;
        Ok(Interval::new(months, days as i32, micros))
    }

    /// The interval of the arguments of `make_interval`.
    #[allow(clippy::too_many_arguments)]
    pub fn make(
        years: i32,
        months: i32,
        weeks: i32,
        days: i32,
        hours: i32,
        minutes: i32,
        seconds: f64,
    ) -> Result<Interval> {
        if !seconds.is_finite() {
            return Err(interval_out_of_range());
        }
        let months = i64::from(years) * 12 + i64::from(months);
        let days = i64::from(weeks) * 7 + i64::from(days);
        let clock = (i64::from(hours) * 3600 + i64::from(minutes) * 60) * SECOND;
        let micros = (seconds * 1e6).round_ties_even();
        if micros.abs() >= 9.2e18 {
            return Err(interval_out_of_range());
        }
        let micros = clock.checked_add(micros as i64).ok_or_else(interval_out_of_range)?;
        Ok(Interval::new(
            i32::try_from(months).map_err(|_| interval_out_of_range())?,
            i32::try_from(days).map_err(|_| interval_out_of_range())?,
            micros,
        ))
    }
}
