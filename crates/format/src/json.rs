//! Keys and values as JSON, and a cursor over one line of JSON, or of text with JSON values in it.
//!
//! What histories are full of, short integers and strings without escapes, is parsed here byte by
//! byte and borrowed from the line; [`Reader`] is given the rest, each value by itself. So a line
//! of a million events costs one pass and no tree.

#[cfg(feature = "serde")]
mod typed;

use std::borrow::Cow;
use std::fmt;

use hobgoblin_core::json::{Json, JsonError, Reader, write_text};
use hobgoblin_core::{Key, Value};

use crate::digits;
use crate::error::{Mistake, Parsed};
use crate::parsed::{Name, Scalar};

#[cfg(feature = "serde")]
pub use typed::{TypeError, decode, encode};

/// A place in a line.
pub(crate) struct Cursor<'a> {
    line: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(line: &'a [u8]) -> Cursor<'a> {
        Cursor { line, at: 0 }
    }

    /// The whole line.
    pub(crate) fn line(&self) -> &'a [u8] {
        self.line
    }

    /// The bytes not yet parsed.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.line[self.at..]
    }

    /// The next byte that is no blank; 0 at the end of the line.
    #[inline]
    pub(crate) fn peek(&mut self) -> u8 {
        while let Some(&byte) = self.line.get(self.at) {
            if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                return byte;
            }
            self.at += 1;
        }
        0
    }

    /// Whether only blanks are left.
    pub(crate) fn is_done(&mut self) -> bool {
        self.peek();
        self.at == self.line.len()
    }

    /// Steps over `byte` if it comes next.
    #[inline]
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte && self.at < self.line.len();
        self.at += usize::from(found);
        found
    }

    /// Steps over `byte`, which has to come next.
    #[inline]
    pub(crate) fn expect(&mut self, byte: u8, help: &str) -> Parsed<()> {
        if self.eat(byte) { Ok(()) } else { Err(self.unexpected(&[byte], help)) }
    }

    /// The mistake of finding something else than one of `wanted`.
    #[cold]
    pub(crate) fn unexpected(&mut self, wanted: &[u8], help: &str) -> Box<Mistake> {
        let wanted: Vec<_> = wanted.iter().map(|&b| format!("`{}`", b as char)).collect();
        self.expected(&wanted.join(" or "), help)
    }

    /// The mistake of finding something else than what `wanted` says.
    #[cold]
    pub(crate) fn expected(&mut self, wanted: &str, help: &str) -> Box<Mistake> {
        self.peek();
        let rest = &self.rest()[..self.rest().len().min(4)];
        let found = match String::from_utf8_lossy(rest).chars().next() {
            None => "the end of the line".to_owned(),
            Some(c) => format!("`{}`", c.escape_debug()),
        };
        Mistake::at(self.at, format!("expected {wanted}, found {found}"), help)
    }

    /// A list between `open` and `close` with commas between its items.
    pub(crate) fn list(
        &mut self,
        (open, close): (u8, u8),
        help: &str,
        mut item: impl FnMut(&mut Self) -> Parsed<()>,
    ) -> Parsed<()> {
        self.expect(open, help)?;
        if self.eat(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.eat(close) {
                return Ok(());
            }
            if !self.eat(b',') {
                return Err(self.unexpected(&[b',', close], help));
            }
        }
    }

    /// An integer of at most 18 digits that ends where a JSON number may end.
    #[inline]
    fn short_integer(&mut self) -> Option<i64> {
        let (n, length) = digits::parse(self.rest())?;
        let next = self.line.get(self.at + length).copied().unwrap_or(b' ');
        let sign = usize::from(self.line[self.at] == b'-');
        let usual = length == 1 || self.line[self.at + sign] != b'0';
        if !usual || matches!(next, b'.' | b'e' | b'E') {
            return None;
        }
        self.at += length;
        Some(n)
    }

    /// A JSON integer that fits 64 bits.
    pub(crate) fn integer(&mut self, what: &str, help: &str) -> Parsed<i64> {
        self.peek();
        let at = self.at;
        match self.scalar()? {
            Scalar::Int(n) => Ok(n),
            _ => Err(Mistake::at(at, format!("{what} is an integer of 64 bits"), help)),
        }
    }

    /// A JSON string.
    #[inline]
    pub(crate) fn text(&mut self) -> Parsed<Cow<'a, str>> {
        if self.peek() != b'"' {
            return Err(self.expected("a string", "strings stand in double quotes"));
        }
        let start = self.at + 1;
        let mut end = start;
        while let Some(&byte) = self.line.get(end) {
            match byte {
                b'"' => {
                    let Ok(text) = std::str::from_utf8(&self.line[start..end]) else { break };
                    self.at = end + 1;
                    return Ok(Cow::Borrowed(text));
                }
                b'\\' | 0..0x20 => break,
                _ => end += 1,
            }
        }
        self.leave("string", Reader::text)
    }

    /// Leaves to a reader what comes next.
    #[cold]
    fn leave<T>(
        &mut self,
        what: &str,
        read: impl FnOnce(&mut Reader<'a>) -> Result<T, JsonError>,
    ) -> Parsed<T> {
        let mut reader = Reader::new(self.line);
        reader.at = self.at;
        let found = read(&mut reader).map_err(|JsonError { at, message }| {
            let help = match message.ends_with("does not end") {
                true => "end it on the same line",
                false => "correct it as RFC 8259 has it",
            };
            Mistake::at(at, format!("this is no JSON {what}: {message}"), help)
        })?;
        self.at = reader.at;
        Ok(found)
    }

    /// A JSON value.
    #[inline]
    pub(crate) fn scalar(&mut self) -> Parsed<Scalar<'a>> {
        match self.peek() {
            b'"' => self.text().map(Scalar::Text),
            b'-' | b'0'..=b'9' => match self.short_integer() {
                Some(n) => Ok(Scalar::Int(n)),
                None => self.number(),
            },
            _ => self.other().map(Scalar::Other),
        }
    }

    /// A JSON number that is not a short integer.
    #[cold]
    fn number(&mut self) -> Parsed<Scalar<'a>> {
        Ok(match self.leave("number", Reader::number)? {
            Value::Int(n) => Scalar::Int(n),
            other => Scalar::Other(other),
        })
    }

    fn other(&mut self) -> Parsed<Value> {
        for (word, value) in
            [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))]
        {
            if self.rest().starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value);
            }
        }
        if !matches!(self.peek(), b'[' | b'{') {
            let help = "a value is a number, a string in double quotes, true, false, null, \
                        an array or an object";
            return Err(self.expected("a JSON value", help));
        }
        self.leave("value", Reader::json).map(Value::from)
    }

    /// Steps over a value nobody needs.
    pub(crate) fn skip(&mut self) -> Parsed<()> {
        match self.peek() {
            b'[' | b'{' => self.leave("value", Reader::skip),
            _ => self.scalar().map(|_| ()),
        }
    }

    /// The name of a key or a session: a string or an integer.
    #[inline]
    pub(crate) fn name(&mut self, what: &str) -> Parsed<Name<'a>> {
        self.peek();
        let at = self.at;
        match self.scalar()? {
            Scalar::Int(n) => Ok(Name::Int(n)),
            Scalar::Text(text) => Ok(Name::Text(text)),
            Scalar::Other(_) => {
                let help = "put other names in double quotes";
                Err(Mistake::at(at, format!("{what} is a string or an integer of 64 bits"), help))
            }
        }
    }
}

/// The value that a text of JSON is.
pub fn value_of(text: &str) -> Result<Value, JsonError> {
    text.parse::<Json>().map(Value::from)
}

/// Appends a key as JSON.
#[inline]
pub fn push_key(out: &mut Vec<u8>, key: &Key) {
    match key {
        Key::Int(n) => digits::push(out, *n),
        Key::Text(text) => push_text(out, text),
    }
}

/// Appends a JSON string.
pub fn push_text(out: &mut Vec<u8>, text: &str) {
    struct Bytes<'a>(&'a mut Vec<u8>);

    impl fmt::Write for Bytes<'_> {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0.extend_from_slice(text.as_bytes());
            Ok(())
        }
    }

    write_text(&mut Bytes(out), text).expect("a vector takes everything");
}

/// Appends a value as JSON.
#[inline]
pub fn push_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Int(n) => digits::push(out, *n),
        Value::Text(text) => push_text(out, text),
        Value::Json(text) => out.extend_from_slice(text.as_bytes()),
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn parse(text: &str) -> Result<Value, (usize, String)> {
        let mut cursor = Cursor::new(text.as_bytes());
        let found = cursor.scalar().map_err(|m| (m.at, m.message))?;
        assert!(cursor.is_done(), "{text}: stopped at {}", cursor.at);
        Ok(found.into())
    }

    #[test]
    fn values_are_canonical() {
        for (text, expect) in [
            (" 12 ", Value::Int(12)),
            ("-7", Value::Int(-7)),
            ("0", Value::Int(0)),
            ("9223372036854775807", Value::Int(i64::MAX)),
            ("-9223372036854775808", Value::Int(i64::MIN)),
            ("9223372036854775808", Value::Json("9223372036854775808".into())),
            ("1.0", Value::Int(1)),
            ("1e0", Value::Int(1)),
            ("-0", Value::Int(0)),
            ("-0.0", Value::Int(0)),
            ("1e5", Value::Int(100_000)),
            ("2.50", Value::Json("2.5".into())),
            ("1e99", Value::Json("1e+99".into())),
            ("[1.0, {\"a\": -0, \"b\": 1E99}]", Value::Json("[1,{\"a\":0,\"b\":1e+99}]".into())),
            ("true", Value::Bool(true)),
            ("false", Value::Bool(false)),
            ("null", Value::Null),
            (r#""a""#, Value::from("a")),
            (r#""\u00e9\n\"""#, Value::from("é\n\"")),
            ("[1, 2 ]", Value::Json("[1,2]".into())),
            (
                r#"{"b":1,"a":[{"d":1.50,"c":2}]}"#,
                Value::Json(r#"{"a":[{"c":2,"d":1.5}],"b":1}"#.into()),
            ),
        ] {
            let found = parse(text).expect(text);
            assert_eq!(found, expect, "{text}");
            let mut out = Vec::new();
            push_value(&mut out, &found);
            assert_eq!(String::from_utf8(out).expect("JSON is UTF-8"), found.to_string());
            assert_eq!(parse(&found.to_string()), Ok(found), "{text}");
        }
    }

    #[test]
    fn mistakes_are_placed() {
        for (text, at) in [
            ("", 0),
            ("  ?", 2),
            ("01", 1),
            ("1.", 2),
            ("--1", 1),
            ("\"abc", 0),
            ("\"a\\", 3),
            ("\"a\\q\"", 3),
            ("\"a\u{1}\"", 2),
            ("[1,", 3),
            ("[1 2]", 3),
            ("nul", 0),
        ] {
            let (found, message) = parse(text).expect_err(text);
            assert_eq!(found, at, "{text}: {message}");
        }
        let deep = "[".repeat(100_000);
        assert!(parse(&deep).is_err());
    }
}
