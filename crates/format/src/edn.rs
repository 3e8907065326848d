//! EDN, the notation of Clojure and thus of Jepsen, and JSON with the same reader.
//!
//! ```text
//! {:type :ok, :process 0, :value [[:r x [1 2]]]}   ; a map, keywords, a vector of vectors
//! #jepsen.history.Op{:index 3 :error #{:timeout}}  ; a tagged map, a set
//! #_ ignored  ^{:meta data} form  \c  "text"  1N   ; a discarded form, metadata, a character
//! ```
//!
//! EDN is nearly a superset of JSON, whose colons we read as white space, as EDN does commas. Tags are
//! dropped and the tagged form kept: `#inst "2024"` is a string. Vectors, lists and sets are all lists.
//! Equal numbers are one, in EDN too: whoever reads `1.0` where `1` was written read that.
//!
//! A history is a sequence of forms, or one list of them; a [`Reader`] hands out one at a time, so
//! only one operation is held as a tree. Forms are built with an explicit stack, and nesting ends at
//! [`DEPTH`] with an error, so that walking (and dropping) a form may recurse.

mod reader;
#[cfg(test)]
mod tests;

use hobgoblin_core::json::Json;
use hobgoblin_core::{Key, Value};

use crate::error::ParseError;

pub(crate) use reader::Reader;

/// How deep brackets may nest. Histories need about five.
const DEPTH: usize = 128;

/// Which notation is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// EDN.
    Edn,
    /// JSON.
    Json,
}

/// A form and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) form: Form,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// A piece of data.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Form {
    /// `nil` or `null`.
    Nil,
    /// `true` or `false`.
    Bool(bool),
    /// An integer that fits 64 bits.
    Int(i64),
    /// Any other number in its one notation, or what only looks like one, as written.
    Number(Box<str>),
    /// A string or a character.
    Text(Box<str>),
    /// A keyword, without its colon.
    Keyword(Box<str>),
    /// A symbol.
    Symbol(Box<str>),
    /// A vector, list or set.
    List(Vec<Node>),
    /// A map: key, value, key, value...
    Map(Vec<Node>),
}

impl Node {
    /// An error at this form.
    pub(crate) fn error(&self, message: impl Into<String>, help: impl Into<String>) -> ParseError {
        ParseError::at(self.line.into(), self.column.into(), message, help)
    }

    /// The text of a string, keyword or symbol: JSON has only strings where EDN has all three.
    pub(crate) fn name(&self) -> Option<&str> {
        match &self.form {
            Form::Text(text) | Form::Keyword(text) | Form::Symbol(text) => Some(text),
            _ => None,
        }
    }

    /// The elements of a list.
    pub(crate) fn list(&self) -> Option<&[Node]> {
        match &self.form {
            Form::List(items) => Some(items),
            _ => None,
        }
    }

    /// What a map has under a name.
    pub(crate) fn get(&self, name: &str) -> Option<&Node> {
        let Form::Map(items) = &self.form else { return None };
        items.chunks_exact(2).find(|pair| pair[0].name() == Some(name)).map(|pair| &pair[1])
    }

    /// This form as a value of a history.
    pub(crate) fn value(&self) -> Value {
        match &self.form {
            Form::Nil => Value::Null,
            Form::Bool(truth) => Value::Bool(*truth),
            Form::Int(n) => Value::Int(*n),
            Form::Number(text) if text.parse::<Json>().is_ok() => Value::Json(text.as_ref().into()),
            Form::Number(text) | Form::Text(text) | Form::Keyword(text) | Form::Symbol(text) => {
                Value::from(text.as_ref())
            }
            Form::List(items) => {
                let items: Vec<String> = items.iter().map(|i| i.value().to_string()).collect();
                Value::Json(format!("[{}]", items.join(",")).into())
            }
            Form::Map(items) => {
                let mut members: Vec<(String, String)> = items
                    .chunks_exact(2)
                    .map(|pair| {
                        let key = match pair[0].value() {
                            Value::Text(text) => text.to_string(),
                            other => other.to_string(),
                        };
                        (key, pair[1].value().to_string())
                    })
                    .collect();
                members.sort();
                members.dedup_by(|a, b| a.0 == b.0);
                let members: Vec<String> = members
                    .iter()
                    .map(|(key, value)| format!("{}:{value}", Value::from(key.as_str())))
                    .collect();
                Value::Json(format!("{{{}}}", members.join(",")).into())
            }
        }
    }

    /// This form as the name of a key or session; nil is none.
    pub(crate) fn key(&self) -> Option<Key> {
        match self.value() {
            Value::Null => None,
            Value::Int(n) => Some(Key::Int(n)),
            Value::Text(text) => Some(Key::Text(text)),
            other => Some(other.to_string().as_str().into()),
        }
    }
}
