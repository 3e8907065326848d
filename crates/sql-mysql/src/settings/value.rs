//! The values of system variables: how they are kept, shown and read in expressions.

use std::sync::Arc;

use hobgoblin_sql_mysql_types::{Coercibility, Collation, Kind as TypeKind, MyType, number};
use hobgoblin_sql_value::Datum;

use super::define::{Definition, Kind};

/// A value as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub enum VariableValue {
    /// NULL.
    Null,
    /// A whole number; the place of the word of an enum; a bit for each word of a set.
    Whole(i128),
    /// A number.
    Real(f64),
    /// A text.
    Text(Arc<str>),
}

impl VariableValue {
    /// The value that a variable has before anybody sets it.
    pub fn default_of(definition: &Definition) -> VariableValue {
        let Some(text) = definition.default else { return VariableValue::Null };
        let place = |word: &str| definition.words.iter().position(|w| w.eq_ignore_ascii_case(word));
        match definition.kind {
            Kind::Bool | Kind::Enum => match place(text) {
                Some(at) => VariableValue::Whole(at as i128),
                // Languages and the like, whose list is not kept.
                None => VariableValue::Text(text.into()),
            },
            Kind::Integer | Kind::Unsigned => VariableValue::Whole(text.parse().unwrap_or(0)),
            Kind::Double => VariableValue::Real(text.parse().unwrap_or(0.0)),
            Kind::Set => {
                let bits = text.split(',').filter_map(place).fold(0, |bits, at| bits | 1 << at);
                VariableValue::Whole(bits)
            }
            Kind::Switches => {
                let on = text.split(',').filter_map(|switch| switch.strip_suffix("=on"));
                VariableValue::Whole(on.filter_map(place).fold(0, |bits, at| bits | 1 << at))
            }
            Kind::Text | Kind::Charset | Kind::Collation => VariableValue::Text(text.into()),
        }
    }

    /// A text, or NULL.
    pub(super) fn text(text: &str) -> VariableValue {
        VariableValue::Text(text.into())
    }

    /// The number that it is; zero for what is none.
    pub fn whole(&self) -> i128 {
        match self {
            VariableValue::Whole(number) => *number,
            VariableValue::Real(number) => *number as i128,
            VariableValue::Null | VariableValue::Text(_) => 0,
        }
    }

    /// The number that it is.
    pub fn real(&self) -> f64 {
        match self {
            VariableValue::Real(number) => *number,
            other => other.whole() as f64,
        }
    }

    /// Whether it is on.
    pub fn is_on(&self) -> bool {
        self.whole() != 0
    }

    /// As SHOW VARIABLES shows it; nothing is NULL.
    pub fn shown(&self, definition: &Definition) -> Option<String> {
        let words = &definition.words;
        match self {
            VariableValue::Null => None,
            VariableValue::Text(text) => Some(text.to_string()),
            VariableValue::Real(number) => Some(format!("{number:.6}")),
            VariableValue::Whole(number) => Some(match definition.kind {
                Kind::Bool | Kind::Enum => {
                    let word = usize::try_from(*number).ok().and_then(|at| words.get(at));
                    word.map_or_else(|| number.to_string(), |word| (*word).to_owned())
                }
                Kind::Set => {
                    let set = words.iter().enumerate().filter(|(at, _)| number >> at & 1 == 1);
                    set.map(|(_, word)| *word).collect::<Vec<_>>().join(",")
                }
                Kind::Switches => {
                    let switch = |(at, word): (usize, &&str)| match number >> at & 1 {
                        1 => format!("{word}=on"),
                        _ => format!("{word}=off"),
                    };
                    // A last word `default` is a way to write a value, and no switch.
                    let switches = words.iter().enumerate().filter(|(_, word)| **word != "default");
                    switches.map(switch).collect::<Vec<_>>().join(",")
                }
                _ => number.to_string(),
            }),
        }
    }

    /// As `@@x` gives it.
    pub fn datum(&self, definition: &Definition) -> Datum {
        match (self, definition.kind) {
            (VariableValue::Null, _) => Datum::Null,
            (VariableValue::Real(value), _) => Datum::Float(*value),
            (value, Kind::Bool | Kind::Integer | Kind::Unsigned) => number::integer(value.whole()),
            (value, Kind::Double) => Datum::Float(value.real()),
            (value, _) => value.shown(definition).map_or(Datum::Null, Datum::text),
        }
    }
}

/// The type of `@@x`.
pub fn type_of(definition: &Definition) -> MyType {
    let whole = |length, unsigned| MyType { length, unsigned, ..MyType::new(TypeKind::BigInt) };
    match definition.kind {
        Kind::Bool => whole(1, false),
        Kind::Integer => whole(21, false),
        Kind::Unsigned => whole(21, true),
        Kind::Double => MyType { length: 21, scale: 6, ..MyType::new(TypeKind::Double) },
        _ => {
            let collation = Collation::first_of("utf8mb3").unwrap_or(Collation::DEFAULT);
            let length = definition.default.map_or(0, |text| text.chars().count());
            MyType::text(length.clamp(64, 4096) as u32, collation).held(Coercibility::System)
        }
    }
}
