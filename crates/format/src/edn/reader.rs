//! The reader of EDN and JSON: bytes to forms, with an explicit stack of open brackets.

use hobgoblin_core::Value;

use super::{DEPTH, Dialect, Form, Node};
use crate::error::{Failure, ParseError};
use crate::watch::Pace;

/// A bracket that is still open.
#[derive(Debug)]
struct Open {
    /// What closes it.
    close: u8,
    line: u32,
    column: u32,
    map: bool,
    items: Vec<Node>,
    /// How many of the next forms are to be dropped.
    discard: u32,
}

/// What `#` and `^` begin.
enum Prefix {
    /// A tag, dropped; the form it belongs to follows.
    Tag,
    /// A form to drop.
    Discard,
    /// A set.
    Set,
}

/// Hands out the forms of a text.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    line: u32,
    line_start: usize,
    dialect: Dialect,
    /// The one list around all forms, where there is one.
    outer: Option<Open>,
    /// Where somebody may want to stop.
    pace: Option<Pace<'a>>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a [u8], dialect: Dialect) -> Reader<'a> {
        let at = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Reader { text, at, line: 1, line_start: 0, dialect, outer: None, pace: None }
    }

    /// Asks now and then whether to go on.
    pub(crate) fn paced(mut self, pace: Pace<'a>) -> Reader<'a> {
        self.pace = Some(pace);
        self
    }

    /// Enters the list that begins here, so that its elements are handed out one by one; does nothing
    /// where no list begins.
    pub(crate) fn enter_list(&mut self) {
        self.skip_space();
        if let Some(open @ (b'[' | b'(')) = self.peek() {
            self.outer = Some(self.open(open, false));
        }
    }

    /// The next form, or `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Node>, Failure> {
        self.next_form().map_err(|failure| match failure {
            Failure::Parse(error) => self.with_excerpt(*error).into(),
            stopped => stopped,
        })
    }

    /// The same error with its line shown.
    pub(crate) fn with_excerpt(&self, error: ParseError) -> ParseError {
        let index = usize::try_from(error.place.line).unwrap_or(0);
        match self.text.split(|&b| b == b'\n').nth(index.wrapping_sub(1)) {
            Some(line) if index > 0 => error.excerpt(line),
            _ => error,
        }
    }

    fn next_form(&mut self) -> Result<Option<Node>, Failure> {
        let mut stack: Vec<Open> = Vec::new();
        let mut discard = 0u32;
        loop {
            if let Some(pace) = &mut self.pace {
                pace.step()?;
            }
            self.skip_space();
            let (line, column) = (self.line, self.column());
            let Some(byte) = self.peek() else {
                return match stack.pop().or(self.outer.take()) {
                    Some(open) => Err(never_closed(&open).into()),
                    None => Ok(None),
                };
            };
            let node = match byte {
                b'[' | b'(' | b'{' => {
                    let open = self.open(byte, byte == b'{');
                    push(&mut stack, open)?;
                    continue;
                }
                b']' | b')' | b'}' => match stack.pop() {
                    Some(open) => self.close(byte, open)?,
                    None => {
                        self.close_outer(byte)?;
                        return Ok(None);
                    }
                },
                b'#' | b'^' if self.dialect == Dialect::Edn => {
                    match self.prefix(byte) {
                        Prefix::Tag => {}
                        Prefix::Discard => {
                            *stack.last_mut().map_or(&mut discard, |open| &mut open.discard) += 1;
                        }
                        Prefix::Set => {
                            let open = self.open(b'{', false);
                            push(&mut stack, open)?;
                        }
                    }
                    continue;
                }
                _ => Node { form: self.atom(byte)?, line, column },
            };
            match stack.last_mut() {
                Some(open) if open.discard > 0 => open.discard -= 1,
                Some(open) => open.items.push(node),
                None if discard > 0 => discard -= 1,
                None => return Ok(Some(node)),
            }
        }
    }

    fn open(&mut self, byte: u8, map: bool) -> Open {
        let close = match byte {
            b'[' => b']',
            b'(' => b')',
            _ => b'}',
        };
        let open = Open {
            close,
            line: self.line,
            column: self.column(),
            map,
            items: Vec::new(),
            discard: 0,
        };
        self.at += 1;
        open
    }

    fn close(&mut self, byte: u8, open: Open) -> Result<Node, ParseError> {
        if byte != open.close {
            return Err(self.mismatch(byte, &open));
        }
        if open.map && open.items.len() % 2 == 1 {
            return Err(ParseError::at(
                open.line.into(),
                open.column.into(),
                "this map has a key without a value",
                "give every key a value",
            ));
        }
        self.at += 1;
        let form = if open.map { Form::Map(open.items) } else { Form::List(open.items) };
        Ok(Node { form, line: open.line, column: open.column })
    }

    /// Closes the list around all forms; nothing may follow it.
    fn close_outer(&mut self, byte: u8) -> Result<(), ParseError> {
        match self.outer.take() {
            None => Err(self.error(
                format!("this `{}` closes nothing", char::from(byte)),
                "remove it, or add the bracket it closes",
            )),
            Some(open) if open.close != byte => Err(self.mismatch(byte, &open)),
            Some(_) => {
                self.at += 1;
                self.skip_space();
                if self.at < self.text.len() {
                    return Err(self.error(
                        "something follows the list of operations",
                        "a file is one list, or one operation after another, not both",
                    ));
                }
                Ok(())
            }
        }
    }

    fn mismatch(&self, byte: u8, open: &Open) -> ParseError {
        let message = format!(
            "this `{}` does not close the bracket of line {}, column {}, which needs a `{}`",
            char::from(byte),
            open.line,
            open.column,
            char::from(open.close)
        );
        self.error(message, "balance the brackets; one may be missing in between")
    }

    /// Reads `#` or `^` and what belongs to it.
    fn prefix(&mut self, byte: u8) -> Prefix {
        self.at += 1;
        match self.peek() {
            _ if byte == b'^' => Prefix::Discard,
            Some(b'_') => {
                self.at += 1;
                Prefix::Discard
            }
            Some(b'{') => Prefix::Set,
            Some(b'"' | b'(' | b'[') | None => Prefix::Tag,
            Some(_) => {
                self.token();
                Prefix::Tag
            }
        }
    }

    fn atom(&mut self, byte: u8) -> Result<Form, ParseError> {
        let json = self.dialect == Dialect::Json;
        if byte == b'"' {
            return Ok(Form::Text(self.string()?.into()));
        }
        if byte == b'\\' && !json {
            return Ok(Form::Text(self.character()?));
        }
        let start = self.at;
        let token = self.token();
        let Ok(token) = std::str::from_utf8(token) else {
            self.at = start;
            return Err(self.error("this is no UTF-8 text", "save the file as UTF-8"));
        };
        let form = match token {
            "nil" if !json => Form::Nil,
            "null" if json => Form::Nil,
            "true" => Form::Bool(true),
            "false" => Form::Bool(false),
            _ => match number(token) {
                Some(form) => form,
                None if json => {
                    self.at = start;
                    return Err(self.error(
                        format!("`{}` is no JSON", shorten(token)),
                        "strings need quotes; is this another format? name it with `--format`",
                    ));
                }
                None => match token.strip_prefix(':') {
                    Some(name) => Form::Keyword(name.into()),
                    None => Form::Symbol(token.into()),
                },
            },
        };
        Ok(form)
    }

    /// Takes the bytes up to the next white space or bracket; at least one.
    fn token(&mut self) -> &'a [u8] {
        let start = self.at;
        self.at += 1;
        while self.peek().is_some_and(|b| !self.ends_token(b)) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn ends_token(&self, byte: u8) -> bool {
        match byte {
            b'[' | b']' | b'(' | b')' | b'{' | b'}' | b'"' | b',' => true,
            b';' => self.dialect == Dialect::Edn,
            b':' => self.dialect == Dialect::Json,
            _ => byte.is_ascii_whitespace(),
        }
    }

    /// A character: `\c`, `\newline`, `\u0041`.
    fn character(&mut self) -> Result<Box<str>, ParseError> {
        let start = self.at;
        self.at += 1;
        let rest = &self.text[self.at..];
        let width = match rest.first() {
            Some(b) if b.is_ascii() => 1,
            _ => rest.iter().skip(1).take_while(|&&b| b & 0xc0 == 0x80).count() + 1,
        };
        self.at = (self.at + width).min(self.text.len());
        while self.peek().is_some_and(|b| !self.ends_token(b)) {
            self.at += 1;
        }
        match std::str::from_utf8(&self.text[start + 1..self.at]) {
            Ok(text) if !text.is_empty() => Ok(text.into()),
            _ => {
                self.at = start;
                Err(self.error("this is no character", "write `\\c` or quote it: \"c\""))
            }
        }
    }

    fn string(&mut self) -> Result<String, ParseError> {
        let (start, line, column) = (self.at, self.line, self.column());
        let mut text = Vec::new();
        self.at += 1;
        loop {
            let Some(byte) = self.peek() else {
                return Err(ParseError::at(
                    line.into(),
                    column.into(),
                    "this string is never closed",
                    "add the closing quote",
                ));
            };
            match byte {
                b'"' => {
                    self.at += 1;
                    break;
                }
                b'\\' => self.escape(&mut text)?,
                b'\n' => {
                    text.push(byte);
                    self.newline();
                }
                _ => {
                    text.push(byte);
                    self.at += 1;
                }
            }
        }
        String::from_utf8(text).map_err(|_| {
            self.at = start;
            let message = "this string is no UTF-8 text";
            ParseError::at(line.into(), column.into(), message, "save the file as UTF-8")
        })
    }

    fn escape(&mut self, text: &mut Vec<u8>) -> Result<(), ParseError> {
        let plain = match self.text.get(self.at + 1) {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(&byte @ (b'"' | b'\\' | b'/')) => byte,
            Some(b'u') => {
                let mut code = self.hex(self.at + 2)?;
                self.at += 6;
                if (0xd800..0xdc00).contains(&code) && self.text[self.at..].starts_with(b"\\u") {
                    let low = self.hex(self.at + 2)?;
                    if (0xdc00..0xe000).contains(&low) {
                        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                        self.at += 6;
                    }
                }
                let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            _ => {
                return Err(self.error("no such escape in a string", "write a backslash as `\\\\`"));
            }
        };
        text.push(plain);
        self.at += 2;
        Ok(())
    }

    fn hex(&self, at: usize) -> Result<u32, ParseError> {
        self.text
            .get(at..at + 4)
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .ok_or_else(|| self.error("`\\u` needs four hexadecimal digits", "as in `\\u00e9`"))
    }

    fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => self.newline(),
                b',' => self.at += 1,
                b':' if self.dialect == Dialect::Json => self.at += 1,
                b';' if self.dialect == Dialect::Edn => {
                    while self.peek().is_some_and(|b| b != b'\n') {
                        self.at += 1;
                    }
                }
                _ if byte.is_ascii_whitespace() => self.at += 1,
                _ => break,
            }
        }
    }

    fn newline(&mut self) {
        self.at += 1;
        self.line = self.line.saturating_add(1);
        self.line_start = self.at;
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn column(&self) -> u32 {
        u32::try_from(self.at - self.line_start + 1).unwrap_or(u32::MAX)
    }

    fn error(&self, message: impl Into<String>, help: impl Into<String>) -> ParseError {
        ParseError::at(self.line.into(), self.column().into(), message, help)
    }
}

fn push(stack: &mut Vec<Open>, open: Open) -> Result<(), ParseError> {
    if stack.len() == DEPTH {
        return Err(ParseError::at(
            open.line.into(),
            open.column.into(),
            format!("brackets are nested more than {DEPTH} deep"),
            "no history needs this; a closing bracket may be missing before",
        ));
    }
    stack.push(open);
    Ok(())
}

fn never_closed(open: &Open) -> ParseError {
    ParseError::at(
        open.line.into(),
        open.column.into(),
        format!("this bracket is never closed: no `{}` follows", char::from(open.close)),
        "balance the brackets; the file may have been cut short",
    )
}

/// The number a token is, if it is one.
fn number(token: &str) -> Option<Form> {
    let digits = token.strip_prefix(['+', '-']).unwrap_or(token);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let plain = token.strip_suffix(['N', 'M']).unwrap_or(token);
    match hobgoblin_core::json::number::parse(plain) {
        Some(Value::Int(n)) => return Some(Form::Int(n)),
        Some(other) => return Some(Form::Number(other.to_string().into())),
        None => {}
    }
    let numeric = |c: char| c.is_ascii_digit() || "+-.eE/".contains(c);
    plain.chars().all(numeric).then(|| Form::Number(plain.into()))
}

fn shorten(token: &str) -> String {
    token.chars().take(24).collect()
}
