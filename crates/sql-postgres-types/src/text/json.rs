//! Reading JSON, with PostgreSQL's details of what is wrong.

use hobgoblin_core::Text;

use crate::error::{Code, Result, SqlError, SqlState};
use crate::{Json, Numeric};

/// How deep JSON may nest, so that reading it needs no more stack than there is.
const MAX_DEPTH: usize = 1000;

/// Reads a JSON document as a `jsonb`.
pub fn parse_json(text: &str) -> Result<Json> {
    let mut parser = Parser { text, at: 0, token: 0, keep: true };
    parser.document()
}

/// Checks that a text is JSON, as `json` asks for.
pub fn validate_json(text: &str) -> Result<()> {
    let mut parser = Parser { text, at: 0, token: 0, keep: false };
    parser.document().map(|_| ())
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// Where in the text the current token begins.
    token: usize,
    /// Whether the document is wanted; otherwise it is only checked.
    keep: bool,
}

impl Parser<'_> {
    fn error(&self, detail: impl Into<String>) -> SqlError {
        SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, "invalid input syntax for type json")
            .detail(detail)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        self.token = self.at;
    }

    /// The token that stands here, for messages; a bad one is its own error.
    fn expected(&mut self, what: &str) -> SqlError {
        self.token = self.at;
        match self.peek() {
            None => self.error("The input string ended unexpectedly."),
            Some(b'"') => {
                let start = self.at;
                match self.string() {
                    Ok(_) => {
                        let found = &self.text[start..self.at];
                        self.error(format!("Expected {what}, but found \"{found}\"."))
                    }
                    Err(e) => e,
                }
            }
            Some(b'{' | b'}' | b'[' | b']' | b',' | b':') => {
                let found = &self.text[self.at..=self.at];
                self.error(format!("Expected {what}, but found \"{found}\"."))
            }
            Some(b'-' | b'0'..=b'9') => match self.number() {
                Ok(_) => {
                    let found = &self.text[self.token..self.at];
                    self.error(format!("Expected {what}, but found \"{found}\"."))
                }
                Err(e) => e,
            },
            _ => {
                let word = self.word();
                match word {
                    "true" | "false" | "null" => {
                        let word = word.to_owned();
                        self.error(format!("Expected {what}, but found \"{word}\"."))
                    }
                    _ => self.invalid_token(),
                }
            }
        }
    }

    /// The letters, digits and other characters that stand at the current place.
    fn word(&self) -> &str {
        let rest = &self.text[self.at..];
        let length = rest
            .bytes()
            .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b >= 0x80)
            .count();
        if length == 0 {
            // A single character that begins nothing.
            let one = rest.chars().next().map_or(0, char::len_utf8);
            return &rest[..one];
        }
        &rest[..length]
    }

    fn invalid_token(&self) -> SqlError {
        let from = &self.text[self.token..];
        let done = self.at - self.token;
        let more = self.word().len();
        let end = (done + more).min(from.len());
        self.error(format!("Token \"{}\" is invalid.", from.get(..end).unwrap_or(from)))
    }

    fn document(&mut self) -> Result<Json> {
        let value = self.value(0)?;
        self.space();
        if self.peek().is_some() {
            return Err(self.expected("end of input"));
        }
        Ok(value)
    }

    fn value(&mut self, depth: usize) -> Result<Json> {
        if depth > MAX_DEPTH {
            return Err(SqlError::new(
                SqlState::STATEMENT_TOO_COMPLEX,
                "stack depth limit exceeded",
            ));
        }
        self.space();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => Ok(Json::String(self.string()?.into())),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => {
                let (value, length) = match self.word() {
                    "true" => (Json::Bool(true), 4),
                    "false" => (Json::Bool(false), 5),
                    "null" => (Json::Null, 4),
                    _ => return Err(self.expected("JSON value")),
                };
                self.at += length;
                Ok(value)
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Json> {
        self.at += 1;
        let mut items = Vec::new();
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Json::Array(items));
        }
        loop {
            let item = self.value(depth + 1)?;
            if self.keep {
                items.push(item);
            }
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Json::Array(items));
                }
                _ => return Err(self.expected("\",\" or \"]\"")),
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json> {
        self.at += 1;
        let mut pairs: Vec<(Text, Json)> = Vec::new();
        let mut first = true;
        loop {
            self.space();
            match self.peek() {
                Some(b'}') if first => {
                    self.at += 1;
                    return Ok(Json::Object(pairs));
                }
                Some(b'"') => {}
                _ if first => return Err(self.expected("string or \"}\"")),
                _ => return Err(self.expected("string")),
            }
            first = false;
            let key = self.string()?;
            self.space();
            if self.peek() != Some(b':') {
                return Err(self.expected("\":\""));
            }
            self.at += 1;
            let value = self.value(depth + 1)?;
            if self.keep {
                pairs.push((key.into(), value));
            }
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Json::object(pairs));
                }
                _ => return Err(self.expected("\",\" or \"}\"")),
            }
        }
    }

    fn number(&mut self) -> Result<Json> {
        self.token = self.at;
        let digits = |this: &mut Self| {
            let start = this.at;
            while matches!(this.peek(), Some(b'0'..=b'9')) {
                this.at += 1;
            }
            this.at > start
        };
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let mut good = if self.peek() == Some(b'0') {
            self.at += 1;
            true
        } else {
            digits(self)
        };
        if good && self.peek() == Some(b'.') {
            self.at += 1;
            good = digits(self);
        }
        if good && matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            good = digits(self);
        }
        let joined = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
        if !good || self.peek().is_some_and(joined) {
            if !self.peek().is_some_and(joined) {
                return Err(self
                    .error(format!("Token \"{}\" is invalid.", &self.text[self.token..self.at])));
            }
            return Err(self.invalid_token());
        }
        if !self.keep {
            return Ok(Json::Null);
        }
        Ok(Json::Number(self.text[self.token..self.at].parse::<Numeric>()?))
    }

    fn string(&mut self) -> Result<String> {
        self.token = self.at;
        self.at += 1;
        let mut out = String::new();
        let mut plain = self.at;
        loop {
            let Some(byte) = self.peek() else {
                return Err(
                    self.error(format!("Token \"{}\" is invalid.", &self.text[self.token..]))
                );
            };
            match byte {
                b'"' | b'\\' => {
                    if self.keep {
                        out.push_str(&self.text[plain..self.at]);
                    }
                    self.at += 1;
                    if byte == b'"' {
                        return Ok(out);
                    }
                    self.escape(&mut out)?;
                    plain = self.at;
                }
                0..0x20 => {
                    return Err(
                        self.error(format!("Character with value 0x{byte:02x} must be escaped."))
                    );
                }
                _ => self.at += 1,
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<()> {
        let byte = self.peek();
        let plain = match byte {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\x08',
            Some(b'f') => '\x0c',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode(out);
            }
            None => {
                return Err(
                    self.error(format!("Token \"{}\" is invalid.", &self.text[self.token..]))
                );
            }
            _ => {
                let bad = self.text[self.at..].chars().next().unwrap_or(' ');
                return Err(self.error(format!("Escape sequence \"\\{bad}\" is invalid.")));
            }
        };
        self.at += 1;
        if self.keep {
            out.push(plain);
        }
        Ok(())
    }

    fn hex(&mut self) -> Result<u32> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4);
        let digits = digits.filter(|d| d.iter().all(u8::is_ascii_hexdigit));
        let value = digits
            .and_then(|d| std::str::from_utf8(d).ok())
            .and_then(|d| u32::from_str_radix(d, 16).ok())
            .ok_or_else(|| self.error("\"\\u\" must be followed by four hexadecimal digits."))?;
        self.at += 4;
        Ok(value)
    }

    fn unicode(&mut self, out: &mut String) -> Result<()> {
        let first = self.hex()?;
        if !self.keep {
            return Ok(());
        }
        let low = "Unicode low surrogate must follow a high surrogate.";
        let code = match first {
            0 => {
                return Err(SqlError::new(Code("22P05"), "unsupported Unicode escape sequence")
                    .detail("\\u0000 cannot be converted to text."));
            }
            0xd800..=0xdbff => {
                if !self.text[self.at..].starts_with("\\u") {
                    return Err(self.error(low));
                }
                self.at += 2;
                match self.hex()? {
                    second @ 0xdc00..=0xdfff => {
                        0x10000 + ((first & 0x3ff) << 10) + (second & 0x3ff)
                    }
                    0xd800..=0xdbff => {
                        let detail = "Unicode high surrogate must not follow a high surrogate.";
                        return Err(self.error(detail));
                    }
                    _ => return Err(self.error(low)),
                }
            }
            0xdc00..=0xdfff => return Err(self.error(low)),
            code => code,
        };
        out.extend(char::from_u32(code));
        Ok(())
    }
}
