//! `json` and `jsonb`.
//!
//! `json` is text that was checked; `jsonb` is a [`Json`]: of equal keys the last counts, keys are in
//! order of length, then bytes, and numbers are exact.

mod print;

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use hobgoblin_core::Text;

use crate::Numeric;

pub use print::quote_into;

/// A `jsonb` value.
#[derive(Clone, Debug)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An exact number, which keeps the digits it was written with.
    Number(Numeric),
    /// A string, without its quotes and escapes.
    String(Text),
    /// An array of documents, in order.
    Array(Vec<Json>),
    /// An object; keys are unique and sorted as [`key_order`] says.
    Object(Vec<(Text, Json)>),
}

/// The order of keys in an object: shorter ones first.
pub fn key_order(a: &str, b: &str) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.as_bytes().cmp(b.as_bytes()))
}

impl Json {
    /// An object of pairs; of equal keys the last counts.
    pub fn object(mut pairs: Vec<(Text, Json)>) -> Json {
        // The sort is stable, so the last of equal keys stays last.
        pairs.sort_by(|a, b| key_order(&a.0, &b.0));
        let mut unique: Vec<(Text, Json)> = Vec::with_capacity(pairs.len());
        for pair in pairs {
            match unique.last_mut() {
                Some(last) if last.0 == pair.0 => *last = pair,
                _ => unique.push(pair),
            }
        }
        Json::Object(unique)
    }

    /// The value of a key of an object.
    pub fn get(&self, key: &str) -> Option<&Json> {
        let Json::Object(pairs) = self else { return None };
        let at = pairs.binary_search_by(|(k, _)| key_order(k, key)).ok()?;
        pairs.get(at).map(|(_, value)| value)
    }

    /// An element of an array; a negative index counts from the end.
    pub fn element(&self, index: i64) -> Option<&Json> {
        let Json::Array(items) = self else { return None };
        let index = if index < 0 { index + items.len() as i64 } else { index };
        usize::try_from(index).ok().and_then(|i| items.get(i))
    }

    /// What `jsonb_typeof` says.
    pub fn type_name(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "boolean",
            Json::Number(_) => "number",
            Json::String(_) => "string",
            Json::Array(_) => "array",
            Json::Object(_) => "object",
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Json::Null => 0,
            Json::String(_) => 1,
            Json::Number(_) => 2,
            Json::Bool(_) => 3,
            Json::Array(_) => 4,
            Json::Object(_) => 5,
        }
    }

    fn inner_cmp(&self, other: &Json) -> Ordering {
        match (self, other) {
            (Json::Bool(a), Json::Bool(b)) => a.cmp(b),
            (Json::Number(a), Json::Number(b)) => a.cmp(b),
            (Json::String(a), Json::String(b)) => a.as_bytes().cmp(b.as_bytes()),
            (Json::Array(a), Json::Array(b)) => a.len().cmp(&b.len()).then_with(|| {
                let pairs = a.iter().zip(b);
                pairs.map(|(a, b)| a.inner_cmp(b)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
            }),
            (Json::Object(a), Json::Object(b)) => a.len().cmp(&b.len()).then_with(|| {
                let pairs = a.iter().zip(b);
                pairs
                    .map(|(a, b)| {
                        a.0.as_bytes().cmp(b.0.as_bytes()).then_with(|| a.1.inner_cmp(&b.1))
                    })
                    .find(|o| o.is_ne())
                    .unwrap_or(Ordering::Equal)
            }),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Json) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Json {}

impl PartialOrd for Json {
    fn partial_cmp(&self, other: &Json) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Json {
    /// PostgreSQL's order: object, array, boolean, number, string, null from the top; longer containers
    /// above shorter ones. An empty array that is the whole value is below every scalar.
    fn cmp(&self, other: &Json) -> Ordering {
        let empty = |json: &Json| matches!(json, Json::Array(items) if items.is_empty());
        let scalar = |json: &Json| json.rank() < 4;
        if empty(self) && scalar(other) {
            Ordering::Less
        } else if scalar(self) && empty(other) {
            Ordering::Greater
        } else {
            self.inner_cmp(other)
        }
    }
}

impl Hash for Json {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.rank().hash(state);
        match self {
            Json::Null => {}
            Json::Bool(value) => value.hash(state),
            Json::Number(value) => value.hash(state),
            Json::String(value) => value.hash(state),
            Json::Array(items) => items.hash(state),
            Json::Object(pairs) => pairs.hash(state),
        }
    }
}
