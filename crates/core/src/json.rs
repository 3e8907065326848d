//! JSON as values: every digit of a number is kept, and texts that mean the same are one [`Value`].
//!
//! An object's members are sorted, of two with one name the last counts, and equal numbers have one notation
//! ([`number`]). Nothing is a floating-point number on its way, so `0.1000000000000000055` stays what it is, which
//! is why this is no tree of `serde_json`.
//!
//! ```
//! use hobgoblin_core::json::Json;
//! use hobgoblin_core::Value;
//!
//! let json: Json = r#"{"b": [1.0, 2], "a": null}"#.parse()?;
//! assert_eq!(json.get("b").map(Json::to_string).as_deref(), Some("[1,2]"));
//! assert_eq!(Value::from(json).to_string(), r#"{"a":null,"b":[1,2]}"#);
//! # Ok::<(), hobgoblin_core::json::JsonError>(())
//! ```

pub mod number;
pub(crate) mod text;

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::str::FromStr;

use crate::sorted::SortedMap;
use crate::value::{Key, Value};

pub use text::write_text;

/// How deep arrays and objects may be nested.
pub const MAX_DEPTH: usize = 128;

/// A piece of JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// Null, a truth value, a number or a string.
    Scalar(Value),
    /// An array.
    Array(Vec<Json>),
    /// An object: its members by name, each name once.
    Object(Vec<(Box<str>, Json)>),
}

/// What is no JSON, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// The offset of the first byte that does not fit.
    pub at: usize,
    /// What is wrong, without a full stop.
    pub message: &'static str,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.message, self.at)
    }
}

impl std::error::Error for JsonError {}

impl Json {
    /// An object of these members; of those with one name the last.
    pub fn object(mut members: Vec<(Box<str>, Json)>) -> Json {
        // The sort is stable, and of equals the first is kept.
        members.reverse();
        Json::Object(SortedMap::of(members).into_entries())
    }

    /// The member of this name, of an object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        let members = self.members()?;
        members.binary_search_by(|(other, _)| (**other).cmp(name)).ok().map(|at| &members[at].1)
    }

    /// The members of an object, by name.
    pub fn members(&self) -> Option<&[(Box<str>, Json)]> {
        if let Json::Object(members) = self { Some(members) } else { None }
    }

    /// The items of an array.
    pub fn items(&self) -> Option<&[Json]> {
        if let Json::Array(items) = self { Some(items) } else { None }
    }

    /// A string.
    pub fn as_str(&self) -> Option<&str> {
        if let Json::Scalar(Value::Text(text)) = self { Some(text) } else { None }
    }

    /// A truth value.
    pub fn as_bool(&self) -> Option<bool> {
        if let Json::Scalar(Value::Bool(truth)) = self { Some(*truth) } else { None }
    }

    /// An integer of 64 bits.
    pub fn as_i64(&self) -> Option<i64> {
        if let Json::Scalar(Value::Int(n)) = self { Some(*n) } else { None }
    }

    /// The key that this is: a string or an integer of 64 bits.
    pub fn as_key(&self) -> Option<Key> {
        match self {
            Json::Scalar(Value::Text(text)) => Some(Key::Text(text.clone())),
            Json::Scalar(Value::Int(n)) => Some(Key::Int(*n)),
            _ => None,
        }
    }
}

impl From<Json> for Value {
    fn from(json: Json) -> Value {
        match json {
            Json::Scalar(value) => value,
            nested => {
                // Most are short, and are then written without growing.
                let mut text = String::with_capacity(64);
                write!(text, "{nested}").expect("a String takes everything");
                Value::Json(text.into())
            }
        }
    }
}

impl FromStr for Json {
    type Err = JsonError;

    fn from_str(text: &str) -> Result<Json, JsonError> {
        let mut reader = Reader::new(text.as_bytes());
        let json = reader.json()?;
        match reader.peek() {
            None => Ok(json),
            Some(_) => Err(reader.wrong("something follows the value")),
        }
    }
}

impl fmt::Display for Json {
    /// The one text of this piece of JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Scalar(value) => value.fmt(f),
            Json::Array(items) => {
                f.write_char('[')?;
                for (at, item) in items.iter().enumerate() {
                    f.write_str(if at > 0 { "," } else { "" })?;
                    item.fmt(f)?;
                }
                f.write_char(']')
            }
            Json::Object(members) => {
                f.write_char('{')?;
                for (at, (name, member)) in members.iter().enumerate() {
                    f.write_str(if at > 0 { "," } else { "" })?;
                    write_text(f, name)?;
                    f.write_char(':')?;
                    member.fmt(f)?;
                }
                f.write_char('}')
            }
        }
    }
}

/// Reads JSON from a place in a text on.
#[derive(Debug)]
pub struct Reader<'a> {
    text: &'a [u8],
    /// The offset of the next byte.
    pub at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    /// At the beginning of a text.
    pub fn new(text: &'a [u8]) -> Reader<'a> {
        Reader { text, at: 0, depth: 0 }
    }

    /// The next byte that is no blank.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(&byte) = self.text.get(self.at) {
            if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                return Some(byte);
            }
            self.at += 1;
        }
        None
    }

    fn wrong(&self, message: &'static str) -> JsonError {
        JsonError { at: self.at, message }
    }

    /// A value.
    pub fn json(&mut self) -> Result<Json, JsonError> {
        match self.peek() {
            Some(b'[') => {
                let mut items = Vec::new();
                self.list(b']', |reader| {
                    items.push(reader.json()?);
                    Ok(())
                })?;
                Ok(Json::Array(items))
            }
            Some(b'{') => {
                let mut members = Vec::new();
                self.list(b'}', |reader| {
                    let name = reader.name()?.into_owned().into();
                    members.push((name, reader.json()?));
                    Ok(())
                })?;
                Ok(Json::object(members))
            }
            Some(b'"') => Ok(Json::Scalar(Value::from(&*self.text()?))),
            Some(b'-' | b'0'..=b'9') => self.number().map(Json::Scalar),
            _ => self.word().map(Json::Scalar),
        }
    }

    /// Steps over a value, which is looked at all the same.
    pub fn skip(&mut self) -> Result<(), JsonError> {
        match self.peek() {
            Some(b'[') => self.list(b']', Reader::skip),
            Some(b'{') => self.list(b'}', |reader| {
                reader.quote()?;
                reader.skip_text()?;
                reader.colon()?;
                reader.skip()
            }),
            Some(b'"') => self.skip_text(),
            Some(b'-' | b'0'..=b'9') => self.digits().map(|_| ()),
            _ => self.word().map(|_| ()),
        }
    }

    /// Hands over the items of an array, which is next, one after the other.
    pub fn items(
        &mut self,
        item: impl FnMut(&mut Self) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        if self.peek() != Some(b'[') {
            return Err(self.wrong("expected an array"));
        }
        self.list(b']', item)
    }

    /// Hands over the members of an object, which is next, one after the other: at its value, with its name.
    pub fn members(
        &mut self,
        mut member: impl FnMut(&mut Self, &str) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        if self.peek() != Some(b'{') {
            return Err(self.wrong("expected an object"));
        }
        self.list(b'}', |reader| {
            let name = reader.name()?;
            member(reader, &name)
        })
    }

    /// What stands between brackets, with commas; the opening one is next.
    fn list(
        &mut self,
        close: u8,
        mut item: impl FnMut(&mut Self) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        if self.depth == MAX_DEPTH {
            return Err(self.wrong("it is nested deeper than 128 levels"));
        }
        self.depth += 1;
        self.at += 1;
        if self.peek() != Some(close) {
            loop {
                item(self)?;
                match self.peek() {
                    Some(b',') => self.at += 1,
                    Some(byte) if byte == close => break,
                    Some(_) if close == b']' => return Err(self.wrong("expected `,` or `]`")),
                    Some(_) => return Err(self.wrong("expected `,` or `}`")),
                    None if close == b']' => return Err(self.wrong("the array does not end")),
                    None => return Err(self.wrong("the object does not end")),
                }
            }
        }
        self.at += 1;
        self.depth -= 1;
        Ok(())
    }

    /// The name of a member, and its colon.
    fn name(&mut self) -> Result<Cow<'a, str>, JsonError> {
        self.quote()?;
        let name = self.text()?;
        self.colon()?;
        Ok(name)
    }

    /// Goes to the quote with which the name of a member begins.
    fn quote(&mut self) -> Result<(), JsonError> {
        match self.peek() {
            Some(b'"') => Ok(()),
            None => Err(self.wrong("the object does not end")),
            Some(_) => Err(self.wrong("the name of a member stands in double quotes")),
        }
    }

    /// Steps over the colon that is next.
    fn colon(&mut self) -> Result<(), JsonError> {
        if self.peek() != Some(b':') {
            return Err(self.wrong("expected `:`"));
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self) -> Result<Value, JsonError> {
        let words = [("null", Value::Null), ("true", true.into()), ("false", false.into())];
        let rest = &self.text[self.at..];
        for (word, value) in words {
            if rest.starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.wrong(if rest.is_empty() { "the value is missing" } else { "expected a value" }))
    }

    /// A number, which is next.
    pub fn number(&mut self) -> Result<Value, JsonError> {
        let digits = self.digits()?;
        if let Some(n) = short(digits) {
            return Ok(Value::Int(n));
        }
        let text = std::str::from_utf8(digits).unwrap_or_default();
        if let Ok(n) = text.parse() {
            return Ok(Value::Int(n));
        }
        // An exponent that is no number of 64 bits leaves the number as it is written.
        Ok(number::parse(text).unwrap_or_else(|| Value::Json(text.into())))
    }

    /// The text of a number, which is next.
    fn digits(&mut self) -> Result<&'a [u8], JsonError> {
        let start = self.at;
        self.at += usize::from(self.text.get(self.at) == Some(&b'-'));
        let first = self.at;
        let whole = self.run()?;
        if whole > 1 && self.text[first] == b'0' {
            self.at = first + 1;
            return Err(self.wrong("a number does not begin with 0 before other digits"));
        }
        if self.text.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.run()?;
        }
        if matches!(self.text.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.text.get(self.at), Some(b'+' | b'-')));
            self.run()?;
        }
        Ok(&self.text[start..self.at])
    }

    /// Steps over one digit or more; how many.
    fn run(&mut self) -> Result<usize, JsonError> {
        let digits = self.text[self.at..].iter().take_while(|b| b.is_ascii_digit()).count();
        self.at += digits;
        if digits == 0 { Err(self.wrong("expected a digit")) } else { Ok(digits) }
    }

    /// The bytes of a string, which is next, if it is ASCII without escapes; otherwise nothing happens.
    #[inline]
    pub fn ascii(&mut self) -> Option<&'a [u8]> {
        let rest = &self.text[self.at + 1..];
        let len = text::plain(rest);
        (rest.get(len) == Some(&b'"')).then(|| {
            self.at += len + 2;
            &rest[..len]
        })
    }

    /// A string, which is next.
    pub fn text(&mut self) -> Result<Cow<'a, str>, JsonError> {
        if let Some(text) = self.ascii() {
            return Ok(Cow::Borrowed(std::str::from_utf8(text).expect("ASCII is UTF-8")));
        }
        let begin = self.at;
        self.at += 1;
        let mut text = Cow::Borrowed("");
        loop {
            let start = self.at;
            let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
            let plain = self.text[start..].iter().position(special);
            let Some(plain) = plain else {
                self.at = begin;
                return Err(self.wrong("the string does not end"));
            };
            let part = &self.text[start..start + plain];
            let part = std::str::from_utf8(part).map_err(|error| JsonError {
                at: start + error.valid_up_to(),
                message: "the string is not UTF-8",
            })?;
            match &mut text {
                Cow::Borrowed("") => text = Cow::Borrowed(part),
                text => text.to_mut().push_str(part),
            }
            self.at = start + plain;
            match self.text[self.at] {
                b'"' => {
                    self.at += 1;
                    return Ok(text);
                }
                b'\\' => text.to_mut().push(self.escape()?),
                _ => {
                    return Err(self.wrong("a control character has to be escaped"));
                }
            }
        }
    }

    /// Steps over a string, which is next.
    fn skip_text(&mut self) -> Result<(), JsonError> {
        match self.ascii() {
            Some(_) => Ok(()),
            None => self.text().map(|_| ()),
        }
    }

    /// What a backslash, which is next, and what follows stand for.
    fn escape(&mut self) -> Result<char, JsonError> {
        self.at += 1;
        let c = match self.text.get(self.at) {
            Some(b'u') => {
                self.at += 1;
                return self.code();
            }
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(_) => return Err(self.wrong("this escape is none of JSON's")),
            None => return Err(self.wrong("the string does not end")),
        };
        self.at += 1;
        Ok(c)
    }

    /// The character of one or, beyond 16 bits, two `\u` escapes; the first's digits are next.
    fn code(&mut self) -> Result<char, JsonError> {
        let start = self.at;
        let lone = JsonError { at: start, message: "half a surrogate pair is no character" };
        let first = self.hex()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first).ok_or(lone);
        }
        if !self.text[self.at..].starts_with(b"\\u") {
            return Err(lone);
        }
        self.at += 2;
        let second = self.hex()?;
        if !(0xdc00..0xe000).contains(&second) {
            return Err(lone);
        }
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)).ok_or(lone)
    }

    fn hex(&mut self) -> Result<u32, JsonError> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.text.get(self.at).and_then(|&byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.wrong("expected four digits of base 16"));
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }
}

/// An integer of few enough digits, if it is one.
fn short(digits: &[u8]) -> Option<i64> {
    let unsigned = digits.strip_prefix(b"-").unwrap_or(digits);
    if unsigned.len() > 18 {
        return None;
    }
    let mut n = 0;
    for byte in unsigned {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        n = 10 * n + i64::from(digit);
    }
    Some(if unsigned.len() < digits.len() { -n } else { n })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn read(text: &str) -> Result<String, JsonError> {
        text.parse::<Json>().map(|json| json.to_string())
    }

    #[test]
    fn texts_that_mean_the_same_are_one() {
        for (text, one) in [
            (" 12 ", "12"),
            ("-0.0", "0"),
            ("1E99", "1e+99"),
            ("0.1000000000000000055", "0.1000000000000000055"),
            ("1e99999999999999999999", "1e99999999999999999999"),
            ("[ ]", "[]"),
            ("{ }", "{}"),
            ("[1.0,\n{\"b\" : [] , \"a\":-0}]", r#"[1,{"a":0,"b":[]}]"#),
            (r#"{"a":1,"b":2,"a":3}"#, r#"{"a":3,"b":2}"#),
            (r#""\u00e9\/\b\f\n\r\t\"\\\uD83D\uDE00é""#, "\"é/\\b\\f\\n\\r\\t\\\"\\\\😀é\""),
            ("\"\u{7f}\"", "\"\u{7f}\""),
            ("null", "null"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(one), "{text}");
            assert_eq!(read(one).as_deref(), Ok(one), "{text}");
        }
    }

    #[test]
    fn mistakes_are_placed() {
        for (text, at) in [
            ("", 0),
            ("  ?", 2),
            ("nul", 0),
            ("01", 1),
            ("-", 1),
            ("1.", 2),
            ("1e+", 3),
            ("--1", 1),
            ("1 2", 2),
            ("\"abc", 0),
            ("\"a\\", 3),
            ("\"a\\q\"", 3),
            ("\"\\u12\"", 5),
            ("\"\\ud800\"", 3),
            ("\"\\ud800\\u0041\"", 3),
            ("\"\\udc00\"", 3),
            ("\"a\u{1}\"", 2),
            ("[1,", 3),
            ("[1 2]", 3),
            ("[1}", 2),
            ("{\"a\" 1}", 5),
            ("{a:1}", 1),
            ("{\"a\":1,}", 7),
        ] {
            let error = read(text).expect_err(text);
            assert_eq!(error.at, at, "{text}: {error}");
            let mut reader = Reader::new(text.as_bytes());
            if reader.skip().is_ok() {
                assert!(reader.peek().is_some(), "{text} is skipped");
            }
        }
    }

    #[test]
    fn depth_has_a_limit() {
        let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(read(&nested(MAX_DEPTH)).is_ok());
        assert_eq!(read(&nested(MAX_DEPTH + 1)).map_err(|error| error.at), Err(MAX_DEPTH));
        assert!(Reader::new("[".repeat(100_000).as_bytes()).skip().is_err());
    }

    #[test]
    fn members_are_found() {
        let json: Json = r#"{"b":{"x":7},"a":[true,"t",1.5]}"#.parse().expect("JSON");
        assert_eq!(json.get("b").and_then(|b| b.get("x")).and_then(Json::as_i64), Some(7));
        assert_eq!(json.get("c"), None);
        let items = json.get("a").and_then(Json::items).expect("an array");
        assert_eq!(
            (items[0].as_bool(), items[1].as_str(), items[2].as_i64()),
            (Some(true), Some("t"), None)
        );
        assert_eq!(items[1].as_key(), Some("t".into()));
        assert_eq!(items[2].as_key(), None);
    }
}
