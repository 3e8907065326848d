//! A document as a tree. Strings and numbers stay as they were written.

use std::fmt::Write;

/// How deep a document may nest.
const DEEPEST: usize = 32;

/// A document.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Document {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as written.
    Number(String),
    /// What stands between the quotes, escapes as they are.
    Text(String),
    /// An array.
    Array(Vec<Document>),
    /// An object; members in the order in which they were written.
    Object(Vec<(String, Document)>),
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

/// Why a text is no document: how many characters were read, or that it ended.
#[derive(Debug)]
pub(super) enum Bad {
    At(usize),
    Ended,
    Deep(usize),
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn bad(&self) -> Bad {
        match self.at >= self.text.len() {
            true => Bad::Ended,
            false => Bad::At(self.at + 1),
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), Bad> {
        self.blanks();
        match self.peek() == Some(byte) {
            true => {
                self.at += 1;
                Ok(())
            }
            false => Err(self.bad()),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Document, Bad> {
        if depth > DEEPEST {
            return Err(Bad::Deep(self.at + 1));
        }
        self.blanks();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => Ok(Document::Text(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => {
                let words = [
                    ("null", Document::Null),
                    ("true", Document::Bool(true)),
                    ("false", Document::Bool(false)),
                ];
                for (word, value) in words {
                    if self.text[self.at..].starts_with(word) {
                        self.at += word.len();
                        return Ok(value);
                    }
                }
                Err(self.bad())
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Document, Bad> {
        self.at += 1;
        let mut members = Vec::new();
        self.blanks();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Document::Object(members));
        }
        loop {
            self.blanks();
            if self.peek() != Some(b'"') {
                return Err(self.bad());
            }
            let key = self.string()?;
            self.expect(b':')?;
            members.push((key, self.value(depth + 1)?));
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Document::Object(members));
                }
                _ => return Err(self.bad()),
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Document, Bad> {
        self.at += 1;
        let mut items = Vec::new();
        self.blanks();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Document::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Document::Array(items));
                }
                _ => return Err(self.bad()),
            }
        }
    }

    fn string(&mut self) -> Result<String, Bad> {
        self.at += 1;
        let start = self.at;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    self.at += 1;
                    return Ok(self.text[start..self.at - 1].to_owned());
                }
                b'\\' => {
                    self.at += 1;
                    match self.peek() {
                        Some(b'u') => {
                            let digits = self.text.get(self.at + 1..self.at + 5);
                            let good = digits.is_some_and(|digits| {
                                digits.bytes().all(|digit| digit.is_ascii_hexdigit())
                            });
                            if !good {
                                return Err(self.bad());
                            }
                            self.at += 5;
                        }
                        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                            self.at += 1
                        }
                        _ => return Err(self.bad()),
                    }
                }
                0..0x20 => return Err(self.bad()),
                _ => self.at += 1,
            }
        }
        Err(Bad::Ended)
    }

    fn number(&mut self) -> Result<Document, Bad> {
        let start = self.at;
        let digits = |reader: &mut Self| {
            let before = reader.at;
            while reader.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                reader.at += 1;
            }
            reader.at - before
        };
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let leading_zero = self.peek() == Some(b'0');
        let whole = digits(self);
        if whole == 0 || leading_zero && whole > 1 {
            return Err(self.bad());
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if digits(self) == 0 {
                return Err(self.bad());
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if digits(self) == 0 {
                return Err(self.bad());
            }
        }
        Ok(Document::Number(self.text[start..self.at].to_owned()))
    }
}

impl Document {
    /// Reads a document.
    pub(super) fn read(text: &str) -> Result<Document, Bad> {
        let mut reader = Reader { text, at: 0 };
        let found = reader.value(0)?;
        reader.blanks();
        match reader.at == text.len() {
            true => Ok(found),
            false => Err(reader.bad()),
        }
    }

    /// A text as a string.
    pub(super) fn text(text: &str) -> Document {
        Document::Text(escaped(text))
    }

    /// Appends it with these signs after commas and colons.
    fn print(&self, out: &mut String, blank: &str) {
        match self {
            Document::Null => out.push_str("null"),
            Document::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
            Document::Number(digits) => out.push_str(digits),
            Document::Text(raw) => {
                out.push('"');
                out.push_str(raw);
                out.push('"');
            }
            Document::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                        out.push_str(blank);
                    }
                    item.print(out, blank);
                }
                out.push(']');
            }
            Document::Object(members) => {
                out.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                        out.push_str(blank);
                    }
                    // Writing to a string cannot fail.
                    let _ = write!(out, "\"{key}\":{blank}");
                    value.print(out, blank);
                }
                out.push('}');
            }
        }
    }

    /// With a blank after commas and colons.
    pub(super) fn loose(&self) -> String {
        let mut out = String::new();
        self.print(&mut out, " ");
        out
    }

    /// Without blanks.
    pub(super) fn compact(&self) -> String {
        let mut out = String::new();
        self.print(&mut out, "");
        out
    }

    /// Whether it is an array or an object.
    pub(super) fn is_container(&self) -> bool {
        matches!(self, Document::Array(_) | Document::Object(_))
    }

    /// Whether two are the same value; the order of members does not count.
    pub(super) fn same(&self, other: &Document) -> bool {
        match (self, other) {
            (Document::Number(a), Document::Number(b)) => a.parse::<f64>() == b.parse::<f64>(),
            (Document::Text(a), Document::Text(b)) => unescaped(a) == unescaped(b),
            (Document::Array(a), Document::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
            }
            (Document::Object(a), Document::Object(b)) => {
                a.len() == b.len()
                    && a.iter().all(|(key, value)| {
                        b.iter().any(|(other, found)| key == other && value.same(found))
                    })
            }
            _ => self == other,
        }
    }
}

/// The text of a string as it stands between quotes.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\0'..='\u{1f}' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04X}", u32::from(letter));
            }
            _ => out.push(letter),
        }
    }
    out
}

/// The text that stands between quotes.
pub(super) fn unescaped(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut letters = raw.chars();
    let unit = |letters: &mut std::str::Chars<'_>| {
        let digits: String = letters.by_ref().take(4).collect();
        u32::from_str_radix(&digits, 16).unwrap_or(0xfffd)
    };
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        out.push(match letters.next() {
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('u') => {
                let mut code = unit(&mut letters);
                let mut ahead = letters.clone();
                if (0xd800..0xdc00).contains(&code)
                    && ahead.next() == Some('\\')
                    && ahead.next() == Some('u')
                {
                    let low = unit(&mut ahead);
                    code = 0x10000 + ((code - 0xd800) << 10) + (low.wrapping_sub(0xdc00) & 0x3ff);
                    letters = ahead;
                }
                char::from_u32(code).unwrap_or('\u{fffd}')
            }
            Some(other) => other,
            None => '\\',
        });
    }
    out
}

/// A text as a string of a document.
pub(crate) fn quoted(text: &str) -> String {
    Document::text(text).compact()
}

/// The text of a document that is a string, and any other text as it is.
pub(crate) fn unquoted(text: &str) -> String {
    match Document::read(text) {
        Ok(Document::Text(raw)) => unescaped(&raw),
        _ => text.to_owned(),
    }
}
