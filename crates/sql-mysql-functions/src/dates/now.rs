//! The clock. How many digits of a second are wanted is a constant of the call.

use hobgoblin_sql_mysql_types::temporal::{Moment, from_utc, with_digits};
use hobgoblin_sql_mysql_types::{Kind, MyType, number};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::context::Clock;
use hobgoblin_sql_schema::function::Call;
use hobgoblin_sql_value::Datum;

use crate::entry::{Entry, Read, a_date, or_null, row};

fn moment(call: &mut Call<'_>, clock: Clock, utc: bool) -> Result<Option<Moment>> {
    let Some(now) = Moment::of_number(call.cx.clock(clock)?) else { return Ok(None) };
    let local = if utc { now } else { from_utc(now, &call.settings().zone) };
    let micros = with_digits(local.micros, call.out().scale, call.settings());
    Ok(Some(Moment { micros, ..local }))
}

fn stamp(call: &mut Call<'_>, clock: Clock, utc: bool) -> Result<Datum> {
    let now = moment(call, clock, utc)?;
    or_null(now.map(Moment::datum))
}

fn date(call: &mut Call<'_>, utc: bool) -> Result<Datum> {
    let now = moment(call, Clock::Statement, utc)?;
    or_null(now.map(|now| Datum::Date(now.day.packed())))
}

fn time(call: &mut Call<'_>, utc: bool) -> Result<Datum> {
    let now = moment(call, Clock::Statement, utc)?;
    or_null(now.map(|now| Datum::Time(now.micros)))
}

fn a_moment(_: &[MyType]) -> Result<MyType> {
    Ok(MyType::moment(Kind::DateTime, 0))
}

fn a_time(_: &[MyType]) -> Result<MyType> {
    Ok(MyType::moment(Kind::Time, 0))
}

fn with_fraction(_: &[MyType], constants: &[Option<&Datum>], out: MyType) -> MyType {
    let digits = constants.first().copied().flatten().and_then(number::integer_of);
    MyType { scale: digits.map_or(0, |digits| digits.clamp(0, 6) as u8), ..out }
}

const fn instant(name: &'static str, eval: fn(&mut Call<'_>) -> Result<Datum>) -> Entry {
    row(name, 0..=1, a_moment, eval).refined(with_fraction).stable()
}

const fn clock_time(name: &'static str, eval: fn(&mut Call<'_>) -> Result<Datum>) -> Entry {
    row(name, 0..=1, a_time, eval).refined(with_fraction).stable()
}

pub(crate) static FUNCTIONS: &[Entry] = &[
    instant("now", |call| stamp(call, Clock::Statement, false)),
    instant("current_timestamp", |call| stamp(call, Clock::Statement, false)),
    instant("localtime", |call| stamp(call, Clock::Statement, false)),
    instant("localtimestamp", |call| stamp(call, Clock::Statement, false)),
    instant("utc_timestamp", |call| stamp(call, Clock::Statement, true)),
    instant("sysdate", |call| stamp(call, Clock::Wall, false)).volatile(),
    clock_time("curtime", |call| time(call, false)),
    clock_time("current_time", |call| time(call, false)),
    clock_time("utc_time", |call| time(call, true)),
    row("curdate", 0..=0, a_date, |call| date(call, false)).stable(),
    row("current_date", 0..=0, a_date, |call| date(call, false)).stable(),
    row("utc_date", 0..=0, a_date, |call| date(call, true)).stable(),
];
