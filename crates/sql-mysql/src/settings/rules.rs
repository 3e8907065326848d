//! What single variables ask of their values, beyond their kind.

use hobgoblin_sql_mysql_types::error::error;
use hobgoblin_sql_mysql_types::temporal::read_zone;
use hobgoblin_sql_mysql_types::{Collation, Version};
use hobgoblin_sql_schema::Result;

use super::check::{Given, refuse, unsupported};
use super::define::{Definition, Effect, Kind, Table};
use super::error::{
    only, read_only_in_session, unknown, unknown_charset, unknown_collation, unknown_engine,
    unknown_locale, unknown_zone, wrong_value,
};
use super::value::VariableValue;
use crate::syntax::{Setting, Target};

/// Variables that a session has and only the server sets.
const SET_BY_SERVER: &[&str] = &["max_allowed_packet", "net_buffer_length", "max_user_connections"];

/// Variables that SET STATEMENT does not set.
const NOT_FOR_STATEMENTS: &[&str] = &[
    "autocommit",
    "character_set_client",
    "character_set_connection",
    "character_set_filesystem",
    "collation_connection",
    "interactive_timeout",
    "profiling",
    "profiling_history_size",
    "query_cache_type",
    "skip_replication",
    "sql_log_off",
    "tx_isolation",
    "transaction_isolation",
    "wait_timeout",
];

/// Refuses what SET STATEMENT does not set.
pub fn check_for_statement(settings: &[Setting]) -> Result<()> {
    for setting in settings {
        let Setting::Assign { target: Target::System { name, .. }, .. } = setting else { continue };
        let name = name.iter().map(|part| part.value.to_lowercase()).collect::<Vec<_>>().join(".");
        if NOT_FOR_STATEMENTS.contains(&name.as_str()) {
            let text = format!("The system variable {name} cannot be set in SET STATEMENT.");
            return Err(error(1971, text));
        }
    }
    Ok(())
}

/// The storage engines that servers have, as they write them.
const ENGINES: &[&str] = &[
    "InnoDB",
    "MyISAM",
    "MEMORY",
    "CSV",
    "MRG_MyISAM",
    "Aria",
    "SEQUENCE",
    "PERFORMANCE_SCHEMA",
    "ARCHIVE",
    "BLACKHOLE",
];

/// Words of `sql_mode` that statements here do not follow.
const MODES_MISSING: &[&str] =
    &["ORACLE", "PAD_CHAR_TO_FULL_LENGTH", "EMPTY_STRING_IS_NULL", "SIMULTANEOUS_ASSIGNMENT"];

/// Words of `sql_mode` that stand for others as well.
const MODES_JOINED: &[(&str, &[&str])] = &[
    ("ANSI", &["REAL_AS_FLOAT", "PIPES_AS_CONCAT", "ANSI_QUOTES", "IGNORE_SPACE"]),
    (
        "TRADITIONAL",
        &[
            "STRICT_TRANS_TABLES",
            "STRICT_ALL_TABLES",
            "NO_ZERO_IN_DATE",
            "NO_ZERO_DATE",
            "ERROR_FOR_DIVISION_BY_ZERO",
            "NO_AUTO_CREATE_USER",
            "NO_ENGINE_SUBSTITUTION",
        ],
    ),
    ("MSSQL", OTHERS),
    ("DB2", OTHERS),
    ("POSTGRESQL", OTHERS),
    ("MAXDB", OTHERS),
    ("MAXDB", &["NO_AUTO_CREATE_USER"]),
    ("MYSQL323", &["HIGH_NOT_PRECEDENCE"]),
    ("MYSQL40", &["HIGH_NOT_PRECEDENCE"]),
];

const OTHERS: &[&str] = &[
    "PIPES_AS_CONCAT",
    "ANSI_QUOTES",
    "IGNORE_SPACE",
    "NO_KEY_OPTIONS",
    "NO_TABLE_OPTIONS",
    "NO_FIELD_OPTIONS",
];

/// Refuses to set a variable where only the other of session and server sets it.
pub(super) fn check_reach(
    definition: &Definition,
    global: bool,
    value: &VariableValue,
) -> Result<()> {
    match definition.name {
        name if !global && SET_BY_SERVER.contains(&name) => Err(read_only_in_session(name)),
        name @ "sql_log_bin" if global => Err(only(name, "SESSION")),
        "query_cache_type" if !global && value.is_on() => Err(error(
            1925,
            "Query cache is globally disabled and you can't enable it only for this session",
        )),
        _ => Ok(()),
    }
}

/// Whether a variable has no value that DEFAULT would mean.
pub(super) fn lacks_default(definition: &Definition) -> bool {
    matches!(definition.name, "last_insert_id" | "identity" | "rand_seed1" | "rand_seed2")
}

/// The value that is kept for one that fits the kind of a variable; `home` is the name of the one that it is another name of.
pub(super) fn check(
    definition: &Definition,
    home: &str,
    value: VariableValue,
    given: &Given,
    version: Version,
) -> Result<VariableValue> {
    let value = match definition.kind {
        Kind::Charset => charset(definition, value)?,
        Kind::Collation => collation(value)?,
        Kind::Set if definition.name == "sql_mode" => sql_mode(definition, value.whole(), version)?,
        Kind::Enum if definition.name.starts_with("lc_") => {
            return locale(definition, given, version);
        }
        Kind::Switches if definition.name == "optimizer_switch" => optimizer(definition, value)?,
        Kind::Text => text(definition, home, value, given, version)?,
        _ => value,
    };
    match definition.effect {
        Effect::Fixed => refuse(definition, &value, version)?,
        Effect::Live | Effect::Kept => {}
    }
    Ok(value)
}

fn charset(definition: &Definition, value: VariableValue) -> Result<VariableValue> {
    let found = match &value {
        VariableValue::Null if definition.name == "character_set_results" => return Ok(value),
        VariableValue::Null => return Err(wrong_value(definition.name, "NULL")),
        VariableValue::Text(name) => {
            Collation::first_of(name).ok_or_else(|| unknown_charset(name))?
        }
        number => numbered(number).ok_or_else(|| unknown_charset(&number.whole().to_string()))?,
    };
    Ok(VariableValue::text(found.charset()))
}

fn collation(value: VariableValue) -> Result<VariableValue> {
    let found = match &value {
        VariableValue::Text(name) => {
            Collation::named(name).ok_or_else(|| unknown_collation(name))?
        }
        number => numbered(number).ok_or_else(|| unknown_collation(&number.whole().to_string()))?,
    };
    Ok(VariableValue::text(found.name()))
}

/// A language: English is the only one.
fn locale(definition: &Definition, given: &Given, version: Version) -> Result<VariableValue> {
    let known = match given {
        Given::Text(name) if name.eq_ignore_ascii_case("en_US") => true,
        Given::Text(name) => {
            let is_name = name.split_once('_').is_some_and(|(language, country)| {
                (2..=3).contains(&language.len()) && country.len() == 2
            });
            if !is_name {
                return Err(unknown_locale(name));
            }
            false
        }
        Given::Whole(0) => true,
        Given::Whole(1..=111) => false,
        given => return Err(unknown_locale(&given.told())),
    };
    match known {
        true => Ok(VariableValue::Whole(0)),
        false => Err(unsupported(&format!("{} = {}", definition.name, given.told()), version)),
    }
}

/// Subqueries need one of two ways to be run.
fn optimizer(definition: &Definition, value: VariableValue) -> Result<VariableValue> {
    let bit = |word: &str| match definition.words.iter().position(|known| *known == word) {
        Some(at) => 1i128 << at,
        None => 0,
    };
    let ways = bit("in_to_exists") | bit("materialization");
    match bit("in_to_exists") != 0 && value.whole() & ways == 0 {
        true => Err(error(
            1923,
            "At least one of the 'in_to_exists' or 'materialization' optimizer_switch flags must be 'on'",
        )),
        false => Ok(value),
    }
}

/// The collation that clients are told a number of.
fn numbered(number: &VariableValue) -> Option<Collation> {
    Collation::all().find(|collation| i128::from(collation.number()) == number.whole())
}

/// The bits of `sql_mode`, with those that words stand for.
fn sql_mode(definition: &Definition, bits: i128, version: Version) -> Result<VariableValue> {
    let bit = |word: &str| match definition.words.iter().position(|known| *known == word) {
        Some(at) => 1i128 << at,
        None => 0,
    };
    if let Some(missing) = MODES_MISSING.iter().find(|word| bits & bit(word) != 0) {
        return Err(unsupported(&format!("sql_mode = {missing}"), version));
    }
    let mut all = bits;
    for (word, others) in MODES_JOINED {
        if bits & bit(word) != 0 {
            all |= others.iter().map(|other| bit(other)).fold(0, |bits, bit| bits | bit);
        }
    }
    Ok(VariableValue::Whole(all))
}

fn text(
    definition: &Definition,
    home: &str,
    value: VariableValue,
    given: &Given,
    version: Version,
) -> Result<VariableValue> {
    let wrong = || wrong_value(definition.name, &given.told());
    let written = match &value {
        VariableValue::Text(text) => text.to_string(),
        _ => match home {
            "time_zone" | "default_storage_engine" | "session_track_system_variables" => {
                return Err(wrong());
            }
            _ => return Ok(value),
        },
    };
    match home {
        "time_zone" => zone(&written),
        "default_storage_engine" | "default_tmp_storage_engine" => {
            let engine = ENGINES.iter().find(|known| known.eq_ignore_ascii_case(&written));
            let engine = engine.ok_or_else(|| unknown_engine(&written))?;
            Ok(VariableValue::text(engine))
        }
        "session_track_system_variables" => {
            let table = Table::of(version);
            let names = written.split(',').map(str::trim).filter(|name| !name.is_empty());
            for name in names.filter(|name| *name != "*") {
                table.find(name).ok_or_else(|| unknown(name))?;
            }
            Ok(value)
        }
        _ => Ok(value),
    }
}

/// A zone as the servers name it: `SYSTEM`, `+01:00`, or the name of one.
fn zone(written: &str) -> Result<VariableValue> {
    if written.eq_ignore_ascii_case("system") {
        return Ok(VariableValue::text("SYSTEM"));
    }
    let named =
        written.starts_with(|first: char| first.is_ascii_alphabetic() || "+-".contains(first));
    read_zone(written).filter(|_| named).ok_or_else(|| unknown_zone(written))?;
    let offset = written.split_once(':').filter(|_| written.starts_with(['+', '-']));
    Ok(match offset {
        Some((hours, minutes)) => {
            let (sign, hours) = hours.split_at(1);
            VariableValue::Text(format!("{sign}{hours:0>2}:{minutes:0>2}").into())
        }
        None => VariableValue::text(written),
    })
}
