//! hstore as text, `"a"=>"1", "b"=>NULL`, and as JSON.

use super::json::parse_json;
use crate::error::{Result, SqlError, SqlState};
use crate::hstore::Pair;
use crate::json::quote_into;
use crate::{Hstore, Json, Numeric};

/// As JSON; loosely, what looks like a number or a boolean is one.
pub fn json_of(hstore: &Hstore, loose: bool) -> String {
    let mut out = String::from("{");
    for (at, (key, value)) in hstore.pairs().iter().enumerate() {
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
pub fn jsonb_of(hstore: &Hstore, loose: bool) -> Json {
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
    let pairs = hstore.pairs().iter().map(|(k, v)| (k.clone(), value(v.as_deref())));
    Json::object(pairs.collect())
}

/// Appends the text: `"a"=>"1", "b"=>NULL`.
pub(crate) fn print_hstore(hstore: &Hstore, out: &mut String) {
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
    for (at, (key, value)) in hstore.pairs().iter().enumerate() {
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
pub(crate) fn parse_hstore(text: &str) -> Result<Hstore> {
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
