//! What stands before the operations: the type of the history, what is chosen about it, and what objects begin with.

use hobgoblin_core::json::Json;
use hobgoblin_core::{Value, nearest};

use super::error::{CrdtReadError, wrong};
use crate::builder::{CrdtHistoryBuilder, Start};
use crate::data_type::{Arbitration, DataType, Multiplicity, TypeOptions};
use crate::error::CrdtError;

/// The type that a text says, which is the one that the caller knows.
pub(super) fn data_type(
    said: Option<(usize, Json)>,
    known: Option<DataType>,
) -> Result<DataType, CrdtReadError> {
    let names = || DataType::ALL.map(DataType::name).join(", ");
    let Some((at, json)) = said else {
        return known.ok_or_else(|| {
            wrong(
                0,
                "the history does not say its `type`",
                format!("give `--type` or write one of {}", names()),
            )
        });
    };
    let text = json.as_str().unwrap_or_default();
    match text.parse::<DataType>() {
        Ok(found) if known.is_none_or(|known| known == found) => Ok(found),
        Ok(found) => {
            let message = format!("it is a history of `{found}`");
            Err(wrong(at, message, "leave `--type` out, or check the files of each type apart"))
        }
        Err(_) => {
            let message = format!("no data type is called {json}");
            let help = match nearest(text, DataType::ALL.map(DataType::name).into_iter()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("write one of {}", names()),
            };
            Err(wrong(at, message, help))
        }
    }
}

/// What a text chooses about its type.
pub(super) fn options(said: Option<(usize, Json)>) -> Result<TypeOptions, CrdtReadError> {
    let mut options = TypeOptions::default();
    let Some((at, json)) = said else { return Ok(options) };
    let Some(members) = json.members() else {
        return Err(wrong(
            at,
            "`options` is no object",
            "write `{\"lin\": \"per-key\"}`, for example",
        ));
    };
    for (name, value) in members {
        let help = match (&**name, value.as_str(), value.as_bool()) {
            ("lin", Some("global"), _) => {
                options.arbitration = Arbitration::Global;
                continue;
            }
            ("lin", Some("per-key"), _) => {
                options.arbitration = Arbitration::PerKey;
                continue;
            }
            ("lin", Some("ts"), _) => {
                options.arbitration = Arbitration::Timestamps;
                continue;
            }
            ("mvr", Some("set"), _) => {
                options.multiplicity = Multiplicity::Set;
                continue;
            }
            ("mvr", Some("multiset"), _) => {
                options.multiplicity = Multiplicity::Multiset;
                continue;
            }
            ("strict_anchor", _, Some(strict)) => {
                options.strict_anchor = strict;
                continue;
            }
            ("lin", ..) => "`lin` is `global`, `per-key` or `ts`",
            ("mvr", ..) => "`mvr` is `set` or `multiset`",
            ("strict_anchor", ..) => "`strict_anchor` is true or false",
            _ => "options are `lin`, `mvr` and `strict_anchor`",
        };
        return Err(wrong(at, format!("option `{name}` cannot be {value}"), help));
    }
    Ok(options)
}

/// Adds what objects begin with.
pub(super) fn initial(
    builder: &mut CrdtHistoryBuilder,
    data_type: DataType,
    at: usize,
    initial: &Json,
) -> Result<(), CrdtReadError> {
    let Some(members) = initial.members() else {
        return Err(wrong(at, "`init` is no object", "write a value for each object"));
    };
    for (name, value) in members {
        let start = start(data_type, value).ok_or_else(|| {
            let (object, value) = (Value::from(&**name), Value::from(value.clone()));
            let error = CrdtError::Initial { object, value };
            wrong(at, error.to_string(), error.help())
        })?;
        // The list without a name cannot be named in an object but by nothing.
        let object = match data_type.is_list() && name.is_empty() {
            true => Value::Null,
            false => Value::from(&**name),
        };
        builder.initial(object, start);
    }
    Ok(())
}

/// What an object begins with, if this can be that.
fn start(data_type: DataType, value: &Json) -> Option<Start> {
    let items = || Some(value.items()?.iter().cloned().map(Value::from).collect());
    match data_type {
        DataType::AwSet | DataType::RwSet if value.items().is_some_and(<[Json]>::is_empty) => {
            Some(Start::Member(false))
        }
        DataType::AwSet | DataType::RwSet | DataType::EwFlag | DataType::DwFlag => {
            value.as_bool().map(Start::Member)
        }
        DataType::Counter => value.as_i64().map(Start::Sum),
        DataType::Lww => Some(Start::Value(value.clone().into())),
        DataType::Mvr => items().map(Start::Values),
        DataType::Rga | DataType::List => items().map(Start::Items),
    }
}
