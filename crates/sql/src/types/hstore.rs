//! Values of hstore: keys with texts or NULL.

use std::cmp::Ordering;
use std::sync::Arc;

use hobgoblin_core::Text;

use super::json::{key_order, parse_json, quote_into};
use super::{Array, Datum, Json, Numeric};
use crate::error::{Result, SqlError, SqlState};

/// A key with its value.
pub type Pair = (Text, Option<Text>);

/// Keys with values; keys are unique, and shorter ones come first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Hstore {
    pairs: Vec<Pair>,
}

impl Hstore {
    /// Of these pairs; of equal keys the first counts.
    pub fn new(mut pairs: Vec<Pair>) -> Hstore {
        pairs.sort_by(|a, b| key_order(&a.0, &b.0));
        pairs.dedup_by(|later, first| later.0 == first.0);
        Hstore { pairs }
    }

    /// Of keys, which may not be NULL, and values.
    pub fn of_pairs(all: impl Iterator<Item = (Option<Text>, Option<Text>)>) -> Result<Hstore> {
        let mut pairs = Vec::new();
        for (key, value) in all {
            let Some(key) = key else {
                let text = "null value not allowed for hstore key";
                return Err(SqlError::new(SqlState::NULL_VALUE_NOT_ALLOWED, text));
            };
            pairs.push((key, value));
        }
        Ok(Hstore::new(pairs))
    }

    /// Of an array: keys and values by turns, or a matrix of two columns.
    pub fn of_items(array: &Array) -> Result<Hstore> {
        match array.dims.as_slice() {
            [] | [_, (2, _)] => {}
            [(length, _)] if length % 2 == 0 => {}
            [_] => return Err(wrong_shape("array must have even number of elements")),
            [_, _] => return Err(wrong_shape("array must have two columns")),
            _ => return Err(wrong_shape("wrong number of array subscripts")),
        }
        let text = |item: &Datum| match item {
            Datum::Text(text) => Some(text.clone()),
            _ => None,
        };
        Hstore::of_pairs(array.items.chunks_exact(2).map(|pair| (text(&pair[0]), text(&pair[1]))))
    }

    /// As JSON; loosely, what looks like a number or a boolean is one.
    pub fn json(&self, loose: bool) -> String {
        let mut out = String::from("{");
        for (at, (key, value)) in self.pairs.iter().enumerate() {
            if at > 0 {
                out.push_str(", ");
            }
            quote_into(&mut out, key);
            out.push_str(": ");
            match value.as_deref() {
                None => out.push_str("null"),
                Some("t") if loose => out.push_str("true"),
                Some("f") if loose => out.push_str("false"),
                Some(number) if loose && is_number(number) => out.push_str(number),
                Some(text) => quote_into(&mut out, text),
            }
        }
        out.push('}');
        out
    }

    /// The same as jsonb.
    pub fn jsonb(&self, loose: bool) -> Json {
        let value = |value: Option<&str>| match value {
            None => Json::Null,
            Some("t") if loose => Json::Bool(true),
            Some("f") if loose => Json::Bool(false),
            Some(number) if loose && is_number(number) => match number.parse::<Numeric>() {
                Ok(number) => Json::Number(number),
                Err(_) => Json::String(number.into()),
            },
            Some(text) => Json::String(text.into()),
        };
        let pairs = self.pairs.iter().map(|(k, v)| (k.clone(), value(v.as_deref())));
        Json::object(pairs.collect())
    }

    /// As a value.
    pub fn datum(self) -> Datum {
        Datum::Hstore(Arc::new(self))
    }

    /// The pairs in order.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// What a key has; the inner `None` is NULL.
    pub fn get(&self, key: &str) -> Option<Option<&Text>> {
        let at = self.pairs.binary_search_by(|(k, _)| key_order(k, key)).ok()?;
        self.pairs.get(at).map(|(_, value)| value.as_ref())
    }

    /// PostgreSQL's order, which only has to be one: by all keys and values in a row, then by their lengths.
    pub fn compare(&self, other: &Hstore) -> Ordering {
        let all = |h: &Hstore| -> Vec<u8> {
            let parts = h.pairs.iter().flat_map(|(k, v)| [Some(k), v.as_ref()]);
            parts.flatten().flat_map(|part| part.bytes()).collect()
        };
        let ends = |h: &Hstore| {
            let mut end = 0;
            let mut ends = Vec::new();
            for (key, value) in &h.pairs {
                end += key.len();
                ends.push((end, false));
                end += value.as_ref().map_or(0, |value| value.len());
                ends.push((end, value.is_none()));
            }
            ends
        };
        let empty = |h: &Hstore| h.pairs.is_empty();
        if empty(self) || empty(other) {
            return empty(other).cmp(&empty(self));
        }
        let (a, b) = (all(self), all(other));
        let common = a.len().min(b.len());
        a[..common]
            .cmp(&b[..common])
            .then_with(|| a.len().cmp(&b.len()))
            .then_with(|| self.pairs.len().cmp(&other.pairs.len()))
            .then_with(|| ends(self).cmp(&ends(other)))
    }

    /// Appends the text: `"a"=>"1", "b"=>NULL`.
    pub fn print_into(&self, out: &mut String) {
        let quoted = |out: &mut String, text: &str| {
            out.push('"');
            for c in text.chars() {
                if matches!(c, '"' | '\\') {
                    out.push('\\');
                }
                out.push(c);
            }
            out.push('"');
        };
        for (at, (key, value)) in self.pairs.iter().enumerate() {
            if at > 0 {
                out.push_str(", ");
            }
            quoted(out, key);
            out.push_str("=>");
            match value {
                Some(value) => quoted(out, value),
                None => out.push_str("NULL"),
            }
        }
    }

    /// The value a text stands for.
    pub fn parse(text: &str) -> Result<Hstore> {
        let mut reader = Reader { rest: text.chars().collect(), at: 0 };
        let mut pairs: Vec<Pair> = Vec::new();
        while let Some((key, _)) = reader.word(false)? {
            reader.skip_blanks();
            reader.expect('=')?;
            reader.expect('>')?;
            let (value, quoted) = reader.word(true)?.ok_or_else(ended)?;
            let null = !quoted && value.eq_ignore_ascii_case("null");
            pairs.push((key.into(), (!null).then(|| value.into())));
            reader.skip_blanks();
            match reader.peek() {
                None => break,
                Some(',') => reader.at += 1,
                Some(_) => return Err(reader.unexpected()),
            }
        }
        Ok(Hstore::new(pairs))
    }
}

/// The error of an array that cannot be keys and values.
pub(crate) fn wrong_shape(message: &str) -> SqlError {
    SqlError::new(SqlState::ARRAY_SUBSCRIPT_ERROR, message)
}

/// Whether a text is a number of JSON.
fn is_number(text: &str) -> bool {
    let blank = |c: char| c.is_ascii_whitespace();
    !text.starts_with(blank)
        && !text.ends_with(blank)
        && matches!(parse_json(text), Ok(Json::Number(_)))
}

/// Reads the text of an hstore.
struct Reader {
    rest: Vec<char>,
    at: usize,
}

fn ended() -> SqlError {
    SqlError::new(SqlState::INTERNAL_ERROR, "Unexpected end of string")
}

fn is_blank(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\x0b'
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.rest.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let found = self.peek();
        self.at += 1;
        found
    }

    fn unexpected(&self) -> SqlError {
        let near = self.peek().map(String::from).unwrap_or_default();
        let text = format!("Syntax error near \"{near}\" at position {}", self.at);
        SqlError::new(SqlState::INTERNAL_ERROR, text)
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(is_blank) {
            self.at += 1;
        }
    }

    fn expect(&mut self, wanted: char) -> Result<()> {
        match self.peek() {
            None => Err(ended()),
            Some(c) if c == wanted => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(self.unexpected()),
        }
    }

    /// A key or a value, and whether it was quoted; `None` at the end. A value may have `=` in it, a key `,`.
    fn word(&mut self, value: bool) -> Result<Option<(String, bool)>> {
        self.skip_blanks();
        let mut word = String::new();
        match self.peek() {
            None => return Ok(None),
            Some('=') if !value => return Err(self.unexpected()),
            Some('"') => {
                self.at += 1;
                loop {
                    match self.next().ok_or_else(ended)? {
                        '"' => return Ok(Some((word, true))),
                        '\\' => word.push(self.next().ok_or_else(ended)?),
                        c => word.push(c),
                    }
                }
            }
            Some(_) => {}
        }
        let mut first = true;
        while let Some(c) = self.peek() {
            let ends = is_blank(c) || (c == '=' && !value) || (c == ',' && value);
            if ends && !first {
                break;
            }
            self.at += 1;
            word.push(if c == '\\' { self.next().ok_or_else(ended)? } else { c });
            first = false;
        }
        Ok(Some((word, false)))
    }
}
