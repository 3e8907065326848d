//! Reading and printing the values of settings.
//!
//! A number may have a unit, `work_mem = '4MB'`, and is kept in the setting's own, here 4096 (kB).
//! SHOW prints it with the largest unit that leaves a whole number. What is not a number is a
//! boolean in any of its spellings, one word of a list, or a text; texts such as `DateStyle` have
//! grammars of their own. A value with which statements would have other answers here than in
//! PostgreSQL is refused.

use super::define::{Definition, Kind};
use crate::catalog::quote_ident;
use crate::error::{Result, SqlError, SqlState};
use crate::types::datetime::Zone;
use crate::types::datetime::zone_called;
use crate::types::{DateOrder, DateStyle, Format, IntervalStyle};

/// A unit, and how many of the smallest unit of its kind it has.
type Unit = (&'static str, f64);

const TIMES: [Unit; 6] =
    [("us", 1.0), ("ms", 1e3), ("s", 1e6), ("min", 60e6), ("h", 3600e6), ("d", 86400e6)];
const SIZES: [Unit; 5] =
    [("B", 1.0), ("kB", 1024.0), ("MB", 1048576.0), ("GB", 1073741824.0), ("TB", 1099511627776.0)];

/// The units a setting's values may have, and the size of its own.
fn units(unit: &str) -> Option<(&'static [Unit], f64)> {
    if let Some((_, size)) = TIMES.iter().find(|(name, _)| *name == unit) {
        return Some((&TIMES, *size));
    }
    let digits = unit.len() - unit.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (count, base) = unit.split_at(digits);
    let count: f64 = if count.is_empty() { 1.0 } else { count.parse().ok()? };
    let (_, size) = SIZES.iter().find(|(name, _)| *name == base)?;
    Some((&SIZES, count * size))
}

fn invalid(definition: &Definition, value: &str) -> SqlError {
    SqlError::new(
        SqlState::INVALID_PARAMETER_VALUE,
        format!("invalid value for parameter \"{}\": \"{value}\"", definition.name),
    )
}

/// Values with which statements would have other answers than they get.
pub(super) const REFUSED: [(&str, bool); 3] =
    [("array_nulls", false), ("quote_all_identifiers", true), ("transform_null_equals", true)];

/// A value as kept, if the setting takes it.
pub(super) fn check(definition: &Definition, value: &str, now: &Format) -> Result<String> {
    match definition.kind {
        Kind::Bool => match boolean(value) {
            Some(on) if REFUSED.contains(&(definition.name, on)) => {
                let value = if on { "on" } else { "off" };
                Err(SqlError::unsupported(format!("{} = {value}", definition.name)))
            }
            Some(on) => Ok(if on { "on" } else { "off" }.to_owned()),
            None => Err(SqlError::new(
                SqlState::INVALID_PARAMETER_VALUE,
                format!("parameter \"{}\" requires a Boolean value", definition.name),
            )),
        },
        Kind::Integer | Kind::Real => number(definition, value),
        Kind::Enum => enumerated(definition, value),
        Kind::String => string(definition, value, now),
    }
}

/// `on`, `off`, and all prefixes of `true`, `false`, `yes`, `no`.
pub(super) fn boolean(value: &str) -> Option<bool> {
    let lower = value.trim().to_ascii_lowercase();
    match lower.as_str() {
        "" | "o" => None,
        "on" | "1" => Some(true),
        "of" | "off" | "0" => Some(false),
        v if "true".starts_with(v) || "yes".starts_with(v) => Some(true),
        v if "false".starts_with(v) || "no".starts_with(v) => Some(false),
        _ => None,
    }
}

fn number(definition: &Definition, value: &str) -> Result<String> {
    let text = value.trim();
    let end = text
        .char_indices()
        .find(|(i, c)| {
            let sign = matches!(c, '+' | '-') && (*i == 0 || text[..*i].ends_with(['e', 'E']));
            let exponent = matches!(c, 'e' | 'E')
                && text[i + 1..].starts_with(|n: char| n.is_ascii_digit() || n == '-' || n == '+');
            !(c.is_ascii_digit() || *c == '.' || sign || exponent)
        })
        .map_or(text.len(), |(i, _)| i);
    let (digits, unit) = text.split_at(end);
    let unit = unit.trim();
    let mut read: f64 = match digits.parse() {
        Ok(read) => read,
        Err(_) => match text.strip_prefix("0x").map(|hex| i64::from_str_radix(hex, 16)) {
            Some(Ok(hex)) => hex as f64,
            _ => return Err(invalid(definition, value)),
        },
    };
    if !unit.is_empty() {
        let Some((known, own)) = units(definition.unit) else {
            return Err(invalid(definition, value));
        };
        let Some((_, size)) = known.iter().find(|(name, _)| *name == unit) else {
            let hint = if known.len() == TIMES.len() {
                "Valid units for this parameter are \"us\", \"ms\", \"s\", \"min\", \"h\", and \"d\"."
            } else {
                "Valid units for this parameter are \"B\", \"kB\", \"MB\", \"GB\", and \"TB\"."
            };
            return Err(invalid(definition, value).hint(hint));
        };
        read = read * size / own;
    }
    let integer = definition.kind == Kind::Integer;
    if integer {
        read = read.round_ties_even();
    }
    let low: f64 = definition.min.parse().unwrap_or(f64::MIN);
    let high: f64 = definition.max.parse().unwrap_or(f64::MAX);
    if read < low || read > high || read.is_nan() {
        let space = if definition.unit.is_empty() { "" } else { " " };
        let unit = definition.unit;
        return Err(SqlError::new(
            SqlState::INVALID_PARAMETER_VALUE,
            format!(
                "{read}{space}{unit} is outside the valid range for parameter \"{}\" ({} .. {})",
                definition.name, definition.min, definition.max
            ),
        ));
    }
    Ok(if integer { format!("{}", read as i64) } else { format!("{read}") })
}

fn enumerated(definition: &Definition, value: &str) -> Result<String> {
    let lower = value.trim().to_ascii_lowercase();
    let found = definition.values.iter().find(|v| v.eq_ignore_ascii_case(&lower));
    if let Some(found) = found {
        return Ok((*found).to_owned());
    }
    // Names that are understood without being listed.
    let hidden = match (definition.name, lower.as_str()) {
        ("client_min_messages" | "log_min_messages" | "log_min_error_statement", "debug") => {
            Some("debug2")
        }
        ("client_min_messages", "info") => Some("info"),
        ("client_min_messages", "fatal" | "panic") => Some("error"),
        ("backslash_quote" | "synchronous_commit" | "constraint_exclusion", other) => {
            boolean(other).map(|on| if on { "on" } else { "off" })
        }
        _ => None,
    };
    match hidden {
        Some(value) => Ok(value.to_owned()),
        None => Err(invalid(definition, value)
            .hint(format!("Available values: {}.", definition.values.join(", ")))),
    }
}

fn string(definition: &Definition, value: &str, now: &Format) -> Result<String> {
    match definition.name {
        "TimeZone" | "log_timezone" => match zone(value) {
            Some(name) => Ok(name),
            None => Err(invalid(definition, value)),
        },
        "DateStyle" => {
            let (style, order) =
                date_style(value, now.date_style, now.date_order).map_err(|word| {
                    invalid(definition, value).detail(format!("Unrecognized key word: \"{word}\"."))
                })?;
            Ok(date_style_name(style, order))
        }
        "client_encoding" => {
            let plain: String = value
                .chars()
                .filter(char::is_ascii_alphanumeric)
                .collect::<String>()
                .to_ascii_lowercase();
            match plain.as_str() {
                "utf8" | "unicode" => Ok("UTF8".to_owned()),
                "sqlascii" => Ok("SQL_ASCII".to_owned()),
                "latin1" | "iso88591" | "win1252" | "latin9" | "iso885915" | "eucjp" | "sjis"
                | "big5" | "gbk" | "gb18030" | "koi8r" | "win1251" => {
                    Err(SqlError::unsupported(format!("the client encoding {value} (UTF8 is)")))
                }
                _ => Err(invalid(definition, value)),
            }
        }
        "search_path" => match split_list(value) {
            Some(_) => Ok(value.to_owned()),
            None => Err(invalid(definition, value).detail("List syntax is invalid.")),
        },
        "application_name" | "cluster_name" => Ok(value
            .chars()
            .map(|c| if c.is_ascii() && !c.is_control() { c } else { '?' })
            .take(63)
            .collect()),
        _ => Ok(value.to_owned()),
    }
}

/// The name a zone is shown by.
fn zone(value: &str) -> Option<String> {
    let text = value.trim();
    if let Ok(hours) = text.parse::<f64>() {
        if hours.abs() > 168.0 {
            return None;
        }
        return Some(fixed_zone((hours * 3600.0).round() as i32));
    }
    if text.eq_ignore_ascii_case("default") || text.eq_ignore_ascii_case("local") {
        return Some("UTC".to_owned());
    }
    zone_called(text).map(|zone| zone.name().to_owned())
}

/// A zone by its distance from UTC, as PostgreSQL shows it: the POSIX sign is the other one.
pub(super) fn fixed_zone(east: i32) -> String {
    let print = |seconds: i32| {
        let (sign, rest) = if seconds < 0 { ('-', -seconds) } else { ('+', seconds) };
        let (hours, minutes, seconds) = (rest / 3600, rest / 60 % 60, rest % 60);
        match (minutes, seconds) {
            (0, 0) => format!("{sign}{hours:02}"),
            (_, 0) => format!("{sign}{hours:02}:{minutes:02}"),
            _ => format!("{sign}{hours:02}:{minutes:02}:{seconds:02}"),
        }
    };
    format!("<{}>{}", print(east), print(-east))
}

/// Reads `ISO, DMY` in any order, from what is set now; or the word it does not know.
fn date_style(
    value: &str,
    style: DateStyle,
    order: DateOrder,
) -> Result<(DateStyle, DateOrder), String> {
    let (mut style, mut order) = (style, order);
    let mut ordered = false;
    for word in value.split(',').map(|w| w.trim().trim_matches('"')) {
        let lower = word.to_ascii_lowercase();
        match lower.as_str() {
            "iso" => style = DateStyle::Iso,
            "sql" => style = DateStyle::Sql,
            "german" => {
                style = DateStyle::German;
                if !ordered {
                    order = DateOrder::Dmy;
                }
            }
            "default" => (style, order) = (DateStyle::Iso, DateOrder::Mdy),
            "ymd" => (order, ordered) = (DateOrder::Ymd, true),
            w if w == "dmy" || w.starts_with("euro") => (order, ordered) = (DateOrder::Dmy, true),
            w if w == "mdy" || w == "us" || w.starts_with("noneuro") => {
                (order, ordered) = (DateOrder::Mdy, true);
            }
            w if w.starts_with("postgres") => style = DateStyle::Postgres,
            _ => return Err(word.to_owned()),
        }
    }
    Ok((style, order))
}

fn date_style_name(style: DateStyle, order: DateOrder) -> String {
    let style = match style {
        DateStyle::Iso => "ISO",
        DateStyle::Sql => "SQL",
        DateStyle::Postgres => "Postgres",
        DateStyle::German => "German",
    };
    let order = match order {
        DateOrder::Ymd => "YMD",
        DateOrder::Dmy => "DMY",
        DateOrder::Mdy => "MDY",
    };
    format!("{style}, {order}")
}

/// How values read and print under settings, given what each is.
pub(super) fn format(text: impl Fn(&str) -> String) -> Format {
    let (date_style, date_order) =
        date_style(&text("DateStyle"), DateStyle::Iso, DateOrder::Mdy).unwrap_or_default();
    let zone_name = text("TimeZone");
    let time_zone = match zone_name.strip_prefix('<').and_then(|z| z.split_once('>')) {
        Some((offset, _)) => offset_zone(offset),
        None => zone_called(&zone_name),
    };
    Format {
        extra_float_digits: text("extra_float_digits").parse().unwrap_or(1),
        bytea_hex: text("bytea_output") != "escape",
        time_zone: time_zone.unwrap_or_else(Zone::utc),
        date_style,
        date_order,
        interval_style: match text("IntervalStyle").as_str() {
            "postgres_verbose" => IntervalStyle::PostgresVerbose,
            "sql_standard" => IntervalStyle::SqlStandard,
            "iso_8601" => IntervalStyle::Iso8601,
            _ => IntervalStyle::Postgres,
        },
    }
}

fn offset_zone(text: &str) -> Option<Zone> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.trim_start_matches('+')),
    };
    let mut seconds = 0;
    for (part, size) in rest.split(':').zip([3600, 60, 1]) {
        seconds += part.parse::<i32>().ok()?.checked_mul(size)?;
    }
    Some(Zone::fixed(sign * seconds))
}

/// A value as SHOW prints it: numbers in the largest unit that fits.
pub(super) fn show(definition: &Definition, raw: &str) -> String {
    if definition.unit.is_empty() || !matches!(definition.kind, Kind::Integer | Kind::Real) {
        return raw.to_owned();
    }
    let (Ok(value), Some((known, own))) = (raw.parse::<f64>(), units(definition.unit)) else {
        return raw.to_owned();
    };
    if value <= 0.0 {
        return raw.to_owned();
    }
    let total = value * own;
    let largest = known.iter().rev().find(|(_, size)| (total / size).fract() == 0.0);
    match largest {
        Some((unit, size)) => format!("{}{unit}", total / size),
        None => raw.to_owned(),
    }
}

/// The names of a list like `a, "B c"`; unquoted ones in lower case. `None` if it is malformed.
pub(super) fn split_list(text: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut rest = text.trim();
    if rest.is_empty() {
        return Some(names);
    }
    loop {
        let (name, after) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let mut name = String::new();
                let mut chars = quoted.char_indices().peekable();
                let end = loop {
                    match chars.next()? {
                        (_, '"') if matches!(chars.peek(), Some((_, '"'))) => {
                            chars.next();
                            name.push('"');
                        }
                        (at, '"') => break at + 1,
                        (_, c) => name.push(c),
                    }
                };
                (name, &quoted[end..])
            }
            None => {
                let end = rest.find(|c: char| c == ',' || c.is_whitespace()).unwrap_or(rest.len());
                if end == 0 {
                    return None;
                }
                (rest[..end].to_ascii_lowercase(), &rest[end..])
            }
        };
        names.push(name);
        let after = after.trim_start();
        if after.is_empty() {
            return Some(names);
        }
        rest = after.strip_prefix(',')?.trim_start();
    }
}

/// A list of names as SET keeps it.
pub(super) fn join_list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.map(|n| quote_ident(n).into_owned()).collect();
    quoted.join(", ")
}
