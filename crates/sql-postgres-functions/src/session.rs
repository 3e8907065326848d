//! What functions tell about the session, its settings, its sequences and its locks.
//!
//! None of these can be computed from its arguments: each asks the [context](crate::Context) of the
//! call. That is also why a replay gives the same answers, for what the context says of time,
//! random numbers and sequences comes from the log then.

use std::time::Duration;

use super::args::{error, text};
use super::table::*;
use super::{Advisory, AdvisoryKey, Call, Clock, Function, SequenceOp, SetFunction};
use crate::error::{Result, SqlState};
use crate::types::{Datum, Oid, builtin};
use hobgoblin_sql_schema::shape::RowType;

fn version(_: &mut Call<'_>) -> Result<Datum> {
    text("PostgreSQL 15.18 (Hobgoblin) on x86_64-pc-linux-gnu, compiled by rustc, 64-bit")
}

fn database(call: &mut Call<'_>) -> Result<Datum> {
    text(call.cx.database())
}

fn user(call: &mut Call<'_>) -> Result<Datum> {
    text(call.cx.user())
}

fn backend_pid(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(i64::from(call.cx.backend_pid())))
}

fn blocking_pids(call: &mut Call<'_>) -> Result<Datum> {
    let pids = call.cx.blocking_pids(call.int(0)? as i32);
    Ok(super::arrays::vector(INT4, pids.into_iter().map(|pid| Datum::Int(pid.into())).collect()))
}

/// What PostgreSQL's isolationtester asks: whether one session waits for any of some others.
fn is_blocked(call: &mut Call<'_>) -> Result<Datum> {
    let pids = call.cx.blocking_pids(call.int(0)? as i32);
    let Datum::Array(others) = &call.args[1] else { return Ok(Datum::Bool(false)) };
    let of_interest = |pid: i32| {
        others
            .items
            .iter()
            .any(|item| matches!(item, Datum::Int(other) if *other == i64::from(pid)))
    };
    Ok(Datum::Bool(pids.into_iter().any(of_interest)))
}

fn transaction(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(call.cx.transaction_number()?))
}

fn null(_: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Null)
}

fn no(_: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(false))
}

/// The schemas of the search path that exist.
fn path(call: &Call<'_>) -> Vec<String> {
    let setting = call.cx.setting("search_path").unwrap_or_else(|| "\"$user\", public".to_owned());
    let names = setting.split(',').map(|name| {
        let name = name.trim();
        match name.strip_prefix('"').and_then(|name| name.strip_suffix('"')) {
            Some(quoted) => quoted.replace("\"\"", "\""),
            None => name.to_owned(),
        }
    });
    let user = call.cx.user();
    let names = names.map(|name| if name == "$user" { user.to_owned() } else { name });
    names.filter(|name| call.cx.catalog().schemas.contains_key(name)).collect()
}

fn current_schema(call: &mut Call<'_>) -> Result<Datum> {
    Ok(path(call).into_iter().next().map_or(Datum::Null, Datum::text))
}

fn current_schemas(call: &mut Call<'_>) -> Result<Datum> {
    let mut names = path(call);
    if call.bool(0)? && !names.iter().any(|name| name == "pg_catalog") {
        names.insert(0, "pg_catalog".to_owned());
    }
    Ok(super::arrays::vector(NAME, names.into_iter().map(Datum::text).collect()))
}

fn current_setting(call: &mut Call<'_>) -> Result<Datum> {
    let name = call.text(0)?;
    match call.cx.setting(name) {
        Some(value) => text(value),
        None if call.args.len() > 1 && call.bool(1)? => Ok(Datum::Null),
        None => error(
            SqlState::UNDEFINED_OBJECT,
            format!("unrecognized configuration parameter \"{name}\""),
        ),
    }
}

fn set_config(call: &mut Call<'_>) -> Result<Datum> {
    if call.null(0) {
        return error(SqlState::NULL_VALUE_NOT_ALLOWED, "SET requires parameter name");
    }
    let value = if call.null(1) { None } else { Some(call.text(1)?) };
    let local = !call.null(2) && call.bool(2)?;
    text(call.cx.set_setting(call.text(0)?, value, local)?)
}

fn oid(call: &Call<'_>, i: usize) -> Result<Oid> {
    Ok(call.int(i)? as Oid)
}

fn nextval(call: &mut Call<'_>) -> Result<Datum> {
    let sequence = oid(call, 0)?;
    Ok(Datum::Int(call.cx.sequence(SequenceOp::Next(sequence))?))
}

fn currval(call: &mut Call<'_>) -> Result<Datum> {
    let sequence = oid(call, 0)?;
    Ok(Datum::Int(call.cx.sequence(SequenceOp::Current(sequence))?))
}

fn lastval(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(call.cx.sequence(SequenceOp::Last)?))
}

fn sequence_last_value(call: &mut Call<'_>) -> Result<Datum> {
    let sequence = oid(call, 0)?;
    Ok(match call.cx.sequence_state(sequence)? {
        (value, true) => Datum::Int(value),
        (_, false) => Datum::Null,
    })
}

fn setval(call: &mut Call<'_>) -> Result<Datum> {
    let called = if call.args.len() > 2 { call.bool(2)? } else { true };
    let (sequence, value) = (oid(call, 0)?, call.int(1)?);
    Ok(Datum::Int(call.cx.sequence(SequenceOp::Set(sequence, value, called))?))
}

fn key(call: &Call<'_>) -> Result<AdvisoryKey> {
    Ok(match call.args.len() {
        1 => AdvisoryKey::One(call.int(0)?),
        _ => AdvisoryKey::Two(call.int(0)? as i32, call.int(1)? as i32),
    })
}

fn lock(call: &mut Call<'_>, shared: bool, transaction: bool) -> Result<Datum> {
    let key = key(call)?;
    call.cx.advisory(Advisory::Lock { key, shared, wait: true, transaction })?;
    // PostgreSQL's void prints as an empty text.
    text("")
}

fn try_lock(call: &mut Call<'_>, shared: bool, transaction: bool) -> Result<Datum> {
    let key = key(call)?;
    Ok(Datum::Bool(call.cx.advisory(Advisory::Lock { key, shared, wait: false, transaction })?))
}

fn unlock_as(call: &mut Call<'_>, shared: bool) -> Result<Datum> {
    let key = key(call)?;
    Ok(Datum::Bool(call.cx.advisory(Advisory::Unlock { key, shared })?))
}

macro_rules! locks {
    ($($name:ident: $what:ident($($flag:literal),*);)*) => { $(
        fn $name(call: &mut Call<'_>) -> Result<Datum> {
            $what(call $(, $flag)*)
        }
    )* };
}

locks! {
    lock_session: lock(false, false);
    lock_session_shared: lock(true, false);
    lock_transaction: lock(false, true);
    lock_transaction_shared: lock(true, true);
    try_session: try_lock(false, false);
    try_session_shared: try_lock(true, false);
    try_transaction: try_lock(false, true);
    try_transaction_shared: try_lock(true, true);
    unlock: unlock_as(false);
    unlock_shared: unlock_as(true);
}

fn unlock_all(call: &mut Call<'_>) -> Result<Datum> {
    call.cx.advisory(Advisory::UnlockAll)?;
    text("")
}

/// The longest sleep we grant: whoever asks for more gets an error at once rather than a hanging test.
fn sleep(call: &mut Call<'_>, seconds: f64) -> Result<Datum> {
    if seconds > 0.0 {
        let time = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        call.cx.sleep(time)?;
    }
    text("")
}

fn pg_sleep(call: &mut Call<'_>) -> Result<Datum> {
    let seconds = call.float(0)?;
    sleep(call, seconds)
}

fn pg_sleep_for(call: &mut Call<'_>) -> Result<Datum> {
    let seconds = call.interval(0)?.span() as f64 / 1e6;
    sleep(call, seconds)
}

/// PostgreSQL's queue has 1048576 pages of 8 KiB, and counts whole ones.
fn queue_usage(call: &mut Call<'_>) -> Result<Datum> {
    let pages = call.cx.unread() / 8192;
    Ok(Datum::Float(pages as f64 / 1_048_576.0))
}

fn listening_channels(call: &mut Call<'_>) -> Result<Vec<Vec<Datum>>> {
    let channels = call.cx.channels().into_iter();
    Ok(channels.map(|channel| vec![Datum::Text(channel.into())]).collect())
}

fn pg_cancel_backend(call: &mut Call<'_>) -> Result<Datum> {
    let pid = call.int(0)? as i32;
    interrupt(call, pid, false)
}

fn pg_terminate_backend(call: &mut Call<'_>) -> Result<Datum> {
    let pid = call.int(0)? as i32;
    interrupt(call, pid, true)
}

/// Who interrupts himself has no answer any more.
fn interrupt(call: &mut Call<'_>, pid: i32, terminate: bool) -> Result<Datum> {
    let found = call.cx.interrupt(pid, terminate);
    call.cx.check_interrupts()?;
    Ok(Datum::Bool(found))
}

fn pg_typeof(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(i64::from(call.ty(0).plain().0)))
}

fn fence(call: &mut Call<'_>) -> Result<Datum> {
    call.cx.fence()?;
    text("")
}

fn client_encoding(_: &mut Call<'_>) -> Result<Datum> {
    text("UTF8")
}

fn encoding_name(call: &mut Call<'_>) -> Result<Datum> {
    text(match call.int(0)? {
        0 => "SQL_ASCII",
        6 => "UTF8",
        8 => "LATIN1",
        _ => "",
    })
}

fn encoding_number(call: &mut Call<'_>) -> Result<Datum> {
    let name = call.text(0)?.to_ascii_lowercase().replace(['-', '_'], "");
    Ok(Datum::Int(match name.as_str() {
        "sqlascii" => 0,
        "utf8" | "unicode" => 6,
        "latin1" | "iso88591" => 8,
        _ => -1,
    }))
}

/// A NULL channel or payload counts as an empty one.
fn notify(call: &mut Call<'_>) -> Result<Datum> {
    let word = |i| if call.null(i) { Ok("") } else { call.text(i) };
    let (channel, payload) = (word(0)?.to_owned(), word(1)?.to_owned());
    let problem = match (channel.len(), payload.len()) {
        (0, _) => Some("channel name cannot be empty"),
        (64.., _) => Some("channel name too long"),
        (_, 8000..) => Some("payload string too long"),
        _ => None,
    };
    if let Some(problem) = problem {
        return error(SqlState::INVALID_PARAMETER_VALUE, problem);
    }
    call.cx.notify(&channel, &payload)?;
    text("")
}

fn nulls(call: &Call<'_>) -> i64 {
    call.args.iter().filter(|arg| arg.is_null()).count() as i64
}

fn num_nulls(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(nulls(call)))
}

fn num_nonnulls(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(call.args.len() as i64 - nulls(call)))
}

/// A random uuid, version 4.
pub(super) fn random_uuid(call: &mut Call<'_>) -> Result<Datum> {
    let (high, low) = (call.cx.random()?, call.cx.random()?);
    let bits = (u128::from(high) << 64) | u128::from(low);
    let bits = (bits & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
    Ok(Datum::Uuid(bits.to_be_bytes()))
}

fn start_time(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Timestamp(call.cx.clock(Clock::Transaction)?))
}

fn labels(call: &Call<'_>, i: usize) -> Result<Vec<Datum>> {
    let env = call.cx.types();
    match env.names.enum_type(call.ty(i)) {
        Some(found) => Ok(found
            .labels
            .iter()
            .map(|(_, place, label)| Datum::Enum(*place, label.clone()))
            .collect()),
        None => error(
            SqlState::DATATYPE_MISMATCH,
            format!("type {} is not an enum", builtin::format_type(call.ty(i), -1, env.names)),
        ),
    }
}

fn enum_first(call: &mut Call<'_>) -> Result<Datum> {
    Ok(labels(call, 0)?.into_iter().next().unwrap_or(Datum::Null))
}

fn enum_last(call: &mut Call<'_>) -> Result<Datum> {
    Ok(labels(call, 0)?.pop().unwrap_or(Datum::Null))
}

fn enum_range(call: &mut Call<'_>) -> Result<Datum> {
    let mut labels = labels(call, 0)?;
    if call.args.len() > 1 {
        labels.retain(|label| {
            (call.null(0) || label.compare(call.arg(0)).is_ge())
                && (call.null(1) || label.compare(call.arg(1)).is_le())
        });
    }
    Ok(super::arrays::vector(call.ty(0), labels))
}

/// One lock function for one key and for two.
macro_rules! keyed {
    ($($name:literal $result:ident $eval:ident;)*) => { &[$(
        function($name, &[INT8], $result, $eval).volatile(),
        function($name, &[INT4, INT4], $result, $eval).volatile(),
    )*] };
}

pub(super) static LOCKS: &[Function] = keyed! {
    "pg_advisory_lock" VOID lock_session;
    "pg_advisory_lock_shared" VOID lock_session_shared;
    "pg_advisory_xact_lock" VOID lock_transaction;
    "pg_advisory_xact_lock_shared" VOID lock_transaction_shared;
    "pg_try_advisory_lock" BOOL try_session;
    "pg_try_advisory_lock_shared" BOOL try_session_shared;
    "pg_try_advisory_xact_lock" BOOL try_transaction;
    "pg_try_advisory_xact_lock_shared" BOOL try_transaction_shared;
    "pg_advisory_unlock" BOOL unlock;
    "pg_advisory_unlock_shared" BOOL unlock_shared;
};

pub(super) static FUNCTIONS: &[Function] = &[
    function("pg_advisory_unlock_all", &[], VOID, unlock_all).volatile(),
    function("version", &[], TEXT, version).stable(),
    function("current_database", &[], NAME, database).stable(),
    function("current_catalog", &[], NAME, database).stable(),
    function("current_user", &[], NAME, user).stable(),
    function("current_role", &[], NAME, user).stable(),
    function("session_user", &[], NAME, user).stable(),
    function("user", &[], NAME, user).stable(),
    function("current_schema", &[], NAME, current_schema).stable(),
    function("current_schemas", &[BOOL], NAMES, current_schemas).stable(),
    function("current_setting", &[TEXT], TEXT, current_setting).stable(),
    function("current_setting", &[TEXT, BOOL], TEXT, current_setting).stable(),
    function("set_config", &[TEXT, TEXT, BOOL], TEXT, set_config).with_nulls().volatile(),
    function("nextval", &[REGCLASS], INT8, nextval).volatile(),
    function("currval", &[REGCLASS], INT8, currval).volatile(),
    function("lastval", &[], INT8, lastval).volatile(),
    function("pg_sequence_last_value", &[REGCLASS], INT8, sequence_last_value).volatile(),
    function("setval", &[REGCLASS, INT8], INT8, setval).volatile(),
    function("setval", &[REGCLASS, INT8, BOOL], INT8, setval).volatile(),
    function("pg_backend_pid", &[], INT4, backend_pid).stable(),
    function("pg_blocking_pids", &[INT4], INT4S, blocking_pids).volatile(),
    function("pg_isolation_test_session_is_blocked", &[INT4, INT4S], BOOL, is_blocked).volatile(),
    function("pg_current_xact_id", &[], XID8, transaction).stable(),
    function("pg_current_xact_id_if_assigned", &[], XID8, transaction).stable(),
    function("txid_current", &[], INT8, transaction).stable(),
    function("txid_current_if_assigned", &[], INT8, transaction).stable(),
    function("inet_server_addr", &[], INET, null).stable().with_nulls(),
    function("inet_server_port", &[], INT4, null).stable().with_nulls(),
    function("inet_client_addr", &[], INET, null).stable().with_nulls(),
    function("inet_client_port", &[], INT4, null).stable().with_nulls(),
    function("pg_is_in_recovery", &[], BOOL, no).volatile(),
    function("pg_postmaster_start_time", &[], TIMESTAMPTZ, start_time).stable(),
    function("pg_conf_load_time", &[], TIMESTAMPTZ, start_time).stable(),
    function("pg_cancel_backend", &[INT4], BOOL, pg_cancel_backend).volatile(),
    function("pg_terminate_backend", &[INT4], BOOL, pg_terminate_backend).volatile(),
    function("pg_terminate_backend", &[INT4, INT8], BOOL, pg_terminate_backend).volatile(),
    function("pg_sleep", &[FLOAT8], VOID, pg_sleep).volatile(),
    function("pg_sleep_for", &[INTERVAL], VOID, pg_sleep_for).volatile(),
    function("pg_typeof", &[ANY], REGTYPE, pg_typeof).with_nulls().stable(),
    function("pg_client_encoding", &[], NAME, client_encoding).stable(),
    function("getdatabaseencoding", &[], NAME, client_encoding).stable(),
    function("pg_encoding_to_char", &[INT4], NAME, encoding_name).stable(),
    function("pg_char_to_encoding", &[NAME], INT4, encoding_number).stable(),
    function("pg_notification_queue_usage", &[], FLOAT8, queue_usage).volatile(),
    function("pg_notify", &[TEXT, TEXT], VOID, notify).with_nulls().volatile(),
    function("hob_fence", &[], VOID, fence).volatile(),
    function("num_nulls", &[ANY], INT4, num_nulls).variadic().with_nulls(),
    function("num_nonnulls", &[ANY], INT4, num_nonnulls).variadic().with_nulls(),
    function("gen_random_uuid", &[], UUID, random_uuid).volatile(),
    function("enum_first", &[ANYENUM], ANYENUM, enum_first).with_nulls().stable(),
    function("enum_last", &[ANYENUM], ANYENUM, enum_last).with_nulls().stable(),
    function("enum_range", &[ANYENUM], ANYARRAY, enum_range).with_nulls().stable(),
    function("enum_range", &[ANYENUM, ANYENUM], ANYARRAY, enum_range).with_nulls().stable(),
];

pub(super) static SETS: &[SetFunction] =
    &[rows("pg_listening_channels", &[], &[("", TEXT)], listening_channels)];
