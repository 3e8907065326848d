//! What functions tell of the session, and what they ask of it.
//!
//! LAST_INSERT_ID, ROW_COUNT and FOUND_ROWS are settings of the session by these names, which it keeps from one statement to the
//! next. Locks by name are the session's, which knows who has them.

use std::time::Duration;

use hobgoblin_sql_mysql_types::{Coercibility, Collation, MyType, number};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::context::{Clock, NameLock};
use hobgoblin_sql_schema::function::Call;
use hobgoblin_sql_value::{Datum, Numeric};

use crate::entry::{Entry, Read, a_bigint, an_unsigned, int, or_null, row, text_of};

/// A name that the system says.
fn a_name(_: &[MyType]) -> Result<MyType> {
    Ok(text_of(64, Collation::DEFAULT, Coercibility::System))
}

fn version(call: &mut Call<'_>) -> Result<Datum> {
    or_null(call.cx.setting("version").map(Datum::text))
}

fn database(call: &mut Call<'_>) -> Result<Datum> {
    let name = call.cx.database();
    or_null((!name.is_empty()).then(|| Datum::text(name)))
}

fn user(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::text(call.cx.user()))
}

fn connection_id(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(i64::from(call.cx.backend_pid())))
}

/// A number that the session keeps.
fn kept(call: &Call<'_>, name: &str) -> Datum {
    let number = call.cx.setting(name).and_then(|digits| digits.parse().ok());
    number::integer(number.unwrap_or(0))
}

/// With an argument it is what the next call gives.
fn last_insert_id(call: &mut Call<'_>) -> Result<Datum> {
    if call.args.is_empty() {
        return Ok(kept(call, "last_insert_id"));
    }
    if call.null(0) {
        return Ok(Datum::Null);
    }
    let value = crate::arithmetic::bits(call, 0);
    call.cx.set_setting("last_insert_id", Some(&value.to_string()), false)?;
    Ok(number::integer(i128::from(value)))
}

/// A version 4 identifier made of random bits; the server's are made of a clock.
fn uuid(call: &mut Call<'_>) -> Result<Datum> {
    let bits = u128::from(call.cx.random()?) << 64 | u128::from(call.cx.random()?);
    let bits = bits & !(0xf << 76) & !(3 << 62) | 4 << 76 | 2 << 62;
    let digits = format!("{bits:032x}");
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    Ok(Datum::text(parts.join("-")))
}

/// A number that no other call gives: the seconds of the clock, and random bits where a server counts.
fn uuid_short(call: &mut Call<'_>) -> Result<Datum> {
    let seconds = call.cx.clock(Clock::Wall)? / 1_000_000;
    let bits = u64::try_from(seconds).unwrap_or(0) << 24 | call.cx.random()? >> 40;
    Ok(number::integer(i128::from(1u64 << 56 | bits)))
}

/// The digits of a UUID.
fn sys_guid(call: &mut Call<'_>) -> Result<Datum> {
    let made = uuid(call)?;
    match made {
        Datum::Text(text) => Ok(Datum::text(text.replace('-', ""))),
        other => Ok(other),
    }
}

fn random_bytes(call: &mut Call<'_>) -> Result<Datum> {
    let count = call.as_integer(0);
    let Some(count) = usize::try_from(count).ok().filter(|count| (1..=1024).contains(count)) else {
        return Ok(Datum::Null);
    };
    let mut bytes = Vec::with_capacity(count + 8);
    while bytes.len() < count {
        bytes.extend_from_slice(&call.cx.random()?.to_be_bytes());
    }
    bytes.truncate(count);
    Ok(Datum::Bytes(bytes.into()))
}

fn some_bytes(_: &[MyType]) -> Result<MyType> {
    Ok(MyType::bytes(1024))
}

fn a_guid(_: &[MyType]) -> Result<MyType> {
    Ok(text_of(32, Collation::DEFAULT, Coercibility::Literal))
}

/// A value with a name; what the name is, is the column's.
fn named(call: &mut Call<'_>) -> Result<Datum> {
    Ok(call.arg(1).clone())
}

fn of_second(types: &[MyType]) -> Result<MyType> {
    Ok(types.get(1).copied().unwrap_or(MyType::NULL))
}

fn sleep(call: &mut Call<'_>) -> Result<Datum> {
    const MOST: i64 = 31_536_000_000_000;
    let micros = call.as_numeric(0).mul(&Numeric::from(1_000_000))?.trunc(0);
    let micros = micros.to_i64().unwrap_or(MOST).clamp(0, MOST);
    call.cx.sleep(Duration::from_micros(micros as u64))?;
    Ok(Datum::Int(0))
}

/// Its argument has been evaluated once, which is as good as often.
fn benchmark(_: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(0))
}

/// Everything committed so far is seen by whoever has not read yet.
fn fence(call: &mut Call<'_>) -> Result<Datum> {
    call.cx.fence()?;
    Ok(Datum::Int(0))
}

/// A timeout below zero is none.
fn get_lock(call: &mut Call<'_>) -> Result<Datum> {
    let name = call.as_text(0).into_owned();
    let seconds = call.as_double(1);
    let limit = Duration::try_from_secs_f64(seconds).ok();
    name_lock(call, NameLock::Take { name: &name, limit })
}

fn release_lock(call: &mut Call<'_>) -> Result<Datum> {
    let name = call.as_text(0).into_owned();
    name_lock(call, NameLock::LetGo(&name))
}

fn release_all_locks(call: &mut Call<'_>) -> Result<Datum> {
    name_lock(call, NameLock::LetAllGo)
}

fn is_free_lock(call: &mut Call<'_>) -> Result<Datum> {
    let name = call.as_text(0).into_owned();
    let owner = call.cx.name_lock(NameLock::Owner(&name))?;
    Ok(Datum::Int(i64::from(owner.is_none())))
}

fn is_used_lock(call: &mut Call<'_>) -> Result<Datum> {
    let name = call.as_text(0).into_owned();
    name_lock(call, NameLock::Owner(&name))
}

fn name_lock(call: &mut Call<'_>, op: NameLock<'_>) -> Result<Datum> {
    or_null(call.cx.name_lock(op)?.map(Datum::Int))
}

fn small(_: &[MyType]) -> Result<MyType> {
    Ok(int(2))
}

fn an_id(_: &[MyType]) -> Result<MyType> {
    Ok(MyType { unsigned: true, ..int(10) })
}

fn an_uuid(_: &[MyType]) -> Result<MyType> {
    let text = text_of(36, Collation::DEFAULT, Coercibility::Literal);
    Ok(MyType { kind: hobgoblin_sql_mysql_types::Kind::Char, ..text })
}

pub(crate) static FUNCTIONS: &[Entry] = &[
    row("version", 0..=0, a_name, version).stable(),
    row("database", 0..=0, a_name, database).stable(),
    row("schema", 0..=0, a_name, database).stable(),
    row("user", 0..=0, a_name, user).stable(),
    row("session_user", 0..=0, a_name, user).stable(),
    row("system_user", 0..=0, a_name, user).stable(),
    row("current_user", 0..=0, a_name, user).stable(),
    row("connection_id", 0..=0, an_id, connection_id).stable(),
    row("last_insert_id", 0..=1, an_unsigned, last_insert_id).with_nulls().volatile(),
    row("row_count", 0..=0, a_bigint, |call| Ok(kept(call, "row_count"))).stable(),
    row("found_rows", 0..=0, a_bigint, |call| Ok(kept(call, "found_rows"))).stable(),
    row("uuid", 0..=0, an_uuid, uuid).volatile(),
    row("uuid_short", 0..=0, an_unsigned, uuid_short).volatile(),
    row("sys_guid", 0..=0, a_guid, sys_guid).volatile(),
    row("random_bytes", 1..=1, some_bytes, random_bytes).volatile(),
    row("name_const", 2..=2, of_second, named).with_nulls(),
    row("sleep", 1..=1, small, sleep).volatile(),
    row("benchmark", 2..=2, small, benchmark).with_nulls().volatile(),
    row("hob_fence", 0..=0, small, fence).volatile(),
    row("get_lock", 2..=2, small, get_lock).volatile(),
    row("release_lock", 1..=1, small, release_lock).volatile(),
    row("release_all_locks", 0..=0, an_id, release_all_locks).volatile(),
    row("is_free_lock", 1..=1, small, is_free_lock).volatile(),
    row("is_used_lock", 1..=1, |_| Ok(int(10)), is_used_lock).volatile(),
];
