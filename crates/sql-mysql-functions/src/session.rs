//! What functions tell of the session, and what they ask of it.
//!
//! LAST_INSERT_ID, ROW_COUNT and FOUND_ROWS are settings of the session by these names, which it keeps from one statement to the
//! next. A lock of GET_LOCK is an advisory one, whose number is a digest of its name.

use std::time::Duration;

use hobgoblin_sql_mysql_types::{Coercibility, Collation, MyType, number};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::context::{Advisory, AdvisoryKey};
use hobgoblin_sql_schema::function::Call;
use hobgoblin_sql_value::{Datum, Numeric};
use sha2::{Digest, Sha256};

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

fn key(call: &Call<'_>) -> AdvisoryKey {
    let digest = Sha256::digest(Collation::DEFAULT.key(&call.as_text(0)));
    let first: [u8; 8] = std::array::from_fn(|at| digest[at]);
    AdvisoryKey::One(i64::from_be_bytes(first))
}

/// A timeout of zero does not wait; how long any other waits is the session's.
fn get_lock(call: &mut Call<'_>) -> Result<Datum> {
    let wait = call.as_double(1) != 0.0;
    let key = key(call);
    let taken =
        call.cx.advisory(Advisory::Lock { key, shared: false, wait, transaction: false })?;
    Ok(Datum::Int(i64::from(taken)))
}

fn release_lock(call: &mut Call<'_>) -> Result<Datum> {
    let key = key(call);
    let held = call.cx.advisory(Advisory::Unlock { key, shared: false })?;
    or_null(held.then_some(Datum::Int(1)))
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
    row("sleep", 1..=1, small, sleep).volatile(),
    row("benchmark", 2..=2, small, benchmark).with_nulls().volatile(),
    row("get_lock", 2..=2, small, get_lock).volatile(),
    row("release_lock", 1..=1, small, release_lock).volatile(),
];
