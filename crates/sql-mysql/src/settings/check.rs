//! Whether a variable takes a value, and what it makes of it.
//!
//! What kind of variable takes what kind of value is the servers' rule: numbers take numbers only, texts take texts only, words
//! are taken by their names or by their places. A number beyond the range of its variable becomes the nearest one within, with
//! a warning, or an error where `sql_mode` has STRICT_ALL_TABLES.

use hobgoblin_sql_mysql_types::error::error;
use hobgoblin_sql_mysql_types::{Kind as TypeKind, MyType, Settings, convert, number};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_value::Datum;

use super::define::{Definition, Kind};
use super::error::{TRUNCATED, wrong_type, wrong_value};
use super::value::VariableValue;

/// A value that a SET gives, as one of the kinds that variables tell apart.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// A whole number.
    Whole(i128),
    /// A number that is none.
    Real(f64),
    /// An exact number with digits after the point, by its digits.
    Decimal(String),
    /// A text.
    Text(String),
    /// NULL of a type that is no number.
    Null,
}

impl Given {
    /// The value of an expression.
    pub fn of(value: &Datum, ty: MyType, env: &TypeEnv<'_>) -> Given {
        let whole = |given: i128| Given::Whole(given);
        if ty.is_integer() {
            return whole(
                number::integer_of(value).unwrap_or(i128::from(matches!(value, Datum::Bool(true)))),
            );
        }
        if ty.is_float() {
            return Given::Real(convert::to_double(value, ty, env));
        }
        if ty.kind == TypeKind::Decimal {
            let digits = convert::to_numeric(value, ty, env);
            if ty.scale > 0 {
                return Given::Decimal(digits.to_string());
            }
            return whole(digits.to_i64().map_or_else(
                || {
                    let text = digits.to_string();
                    let words =
                        format!("Got overflow when converting '{text}' to INT. Value truncated");
                    Settings::of(env).warn(1916, words);
                    if text.starts_with('-') { i128::from(i64::MIN) } else { i128::from(i64::MAX) }
                },
                i128::from,
            ));
        }
        match value {
            Datum::Null => Given::Null,
            value => Given::Text(convert::to_text(value, ty, env).into_owned()),
        }
    }

    /// As an error tells it.
    pub(super) fn told(&self) -> String {
        match self {
            Given::Whole(number) => number.to_string(),
            Given::Real(number) => number.to_string(),
            Given::Decimal(text) | Given::Text(text) => text.clone(),
            Given::Null => "NULL".to_owned(),
        }
    }
}

/// What a check depends on besides the variable and the value.
pub(super) struct Checking<'a> {
    /// Whether what is out of range is an error.
    pub(super) strict: bool,
    /// The value that the variable has, for switches that are not named.
    pub(super) present: &'a VariableValue,
    /// Where warnings go.
    pub(super) settings: &'a Settings,
}

impl Checking<'_> {
    fn out_of_range(&self, definition: &Definition, given: &str) -> Result<()> {
        match self.strict {
            true => Err(wrong_value(definition.name, given)),
            false => {
                // The message has room for so much of a name.
                let name = match definition.name {
                    long if long.len() > 32 => format!("{}...", &long[..29]),
                    name => name.to_owned(),
                };
                self.settings
                    .warn(TRUNCATED, format!("Truncated incorrect {name} value: '{given}'"));
                Ok(())
            }
        }
    }
}

/// The value that a variable takes for one that is given, by its kind alone.
pub(super) fn check(
    definition: &Definition,
    given: &Given,
    checking: &Checking<'_>,
) -> Result<VariableValue> {
    let wrong = || wrong_value(definition.name, &given.told());
    match (definition.kind, given) {
        (Kind::Integer | Kind::Unsigned, Given::Whole(number)) => {
            whole(definition, *number, checking)
        }
        (Kind::Integer | Kind::Unsigned, _) => Err(wrong_type(definition.name)),
        (Kind::Double, Given::Whole(number)) => real(definition, *number as f64, given, checking),
        (Kind::Double, Given::Real(number)) => real(definition, *number, given, checking),
        (Kind::Double, Given::Decimal(digits)) => {
            real(definition, digits.parse().unwrap_or(0.0), given, checking)
        }
        (Kind::Double, Given::Text(_) | Given::Null) => Err(wrong_type(definition.name)),
        (Kind::Text, Given::Text(text)) => Ok(VariableValue::text(text)),
        (Kind::Text, Given::Null) => Ok(VariableValue::Null),
        (Kind::Text, _) => Err(wrong_type(definition.name)),
        (_, Given::Real(_) | Given::Decimal(_)) => Err(wrong_type(definition.name)),
        // A language has a name or a number, as the rules of these variables have it.
        (Kind::Enum, Given::Text(_) | Given::Whole(_)) if definition.name.starts_with("lc_") => {
            Ok(VariableValue::Whole(0))
        }
        (Kind::Bool | Kind::Enum, Given::Text(text)) => {
            let place = definition.words.iter().position(|word| word.eq_ignore_ascii_case(text));
            place.map(|at| VariableValue::Whole(at as i128)).ok_or_else(wrong)
        }
        (Kind::Bool | Kind::Enum, Given::Whole(number)) => {
            let there = (0..definition.words.len() as i128).contains(number);
            if there { Ok(VariableValue::Whole(*number)) } else { Err(wrong()) }
        }
        (Kind::Set, Given::Text(text)) => set(definition, text).map(VariableValue::Whole),
        (Kind::Switches, Given::Text(text)) => switches(definition, text, checking.present.whole()),
        (Kind::Set | Kind::Switches, Given::Whole(bits)) => {
            let fits = (0..1i128 << definition.words.len()).contains(bits);
            if fits { Ok(VariableValue::Whole(*bits)) } else { Err(wrong()) }
        }
        (Kind::Charset | Kind::Collation, Given::Text(text)) => Ok(VariableValue::text(text)),
        (Kind::Charset | Kind::Collation, Given::Whole(number)) => {
            Ok(VariableValue::Whole(*number))
        }
        (Kind::Charset, Given::Null) => Ok(VariableValue::Null),
        (Kind::Bool | Kind::Enum | Kind::Set | Kind::Switches | Kind::Collation, Given::Null) => {
            Err(wrong())
        }
    }
}

fn whole(definition: &Definition, given: i128, checking: &Checking<'_>) -> Result<VariableValue> {
    let given = match definition.kind {
        Kind::Integer => given.min(i128::from(i64::MAX)),
        _ => given,
    };
    let mut fits = given.min(definition.most);
    if definition.step > 1 {
        fits -= fits.rem_euclid(definition.step);
    }
    fits = fits.max(definition.least);
    if fits != given {
        checking.out_of_range(definition, &given.to_string())?;
    }
    Ok(VariableValue::Whole(fits))
}

fn real(
    definition: &Definition,
    given: f64,
    written: &Given,
    checking: &Checking<'_>,
) -> Result<VariableValue> {
    let (least, most) = definition.range;
    let fits = given.clamp(least, most);
    if fits != given {
        checking.out_of_range(definition, &written.told())?;
    }
    Ok(VariableValue::Real(fits))
}

/// The bits of words with commas between them.
fn set(definition: &Definition, text: &str) -> Result<i128> {
    let mut bits = 0;
    let text = text.trim_end_matches(' ');
    for word in text.split(',').filter(|_| !text.is_empty()) {
        let place = definition.words.iter().position(|known| known.eq_ignore_ascii_case(word));
        bits |= 1 << place.ok_or_else(|| wrong_value(definition.name, word))?;
    }
    Ok(bits)
}

/// The bits after `a=on,b=off,c=default,default`.
fn switches(definition: &Definition, text: &str, present: i128) -> Result<VariableValue> {
    let defaults = VariableValue::default_of(definition).whole();
    let (mut bits, mut seen) = (present, 0);
    for part in text.split(',').filter(|_| !text.is_empty()) {
        let wrong = || wrong_value(definition.name, part);
        if part.eq_ignore_ascii_case("default") {
            bits = bits & seen | defaults & !seen;
            continue;
        }
        let (name, state) = part.split_once('=').ok_or_else(wrong)?;
        let place = definition.words.iter().position(|known| known.eq_ignore_ascii_case(name));
        let bit = 1 << place.ok_or_else(wrong)?;
        if seen & bit != 0 {
            return Err(wrong());
        }
        seen |= bit;
        let on = match state.to_ascii_lowercase().as_str() {
            "on" => bit,
            "off" => 0,
            "default" => defaults & bit,
            _ => return Err(wrong()),
        };
        bits = bits & !bit | on;
    }
    Ok(VariableValue::Whole(bits))
}

/// Refuses another value of a variable on which answers would depend.
pub(super) fn refuse(
    definition: &Definition,
    value: &VariableValue,
    version: hobgoblin_sql_mysql_types::Version,
) -> Result<()> {
    if *value == VariableValue::default_of(definition) {
        return Ok(());
    }
    let shown = value.shown(definition);
    let what = format!("{} = {}", definition.name, shown.as_deref().unwrap_or("NULL"));
    Err(unsupported(&what, version))
}

/// 1235: a feature that is not there.
pub(super) fn unsupported(
    what: &str,
    version: hobgoblin_sql_mysql_types::Version,
) -> hobgoblin_sql_schema::SqlError {
    let server = version.server();
    error(1235, format!("This version of {server} doesn't yet support '{what}'"))
}
