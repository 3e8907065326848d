//! Text to tokens, by the rules of the servers' own scanner.
//!
//! What a character means depends on `sql_mode` and on the version that is claimed, so this is not left to a
//! tokenizer that knows neither:
//!
//! ```text
//!     "a"            a string, or a name under ANSI_QUOTES
//!     a -- b         a comment, since a blank follows; a--b subtracts minus b
//!     /*!50100 a */  the token a, in a server from 5.1 on; else a comment
//!     t.order        three tokens: a word beside a dot is a name
//!     1e1  1e  0x    a number and two names
//! ```
//!
//! Tokens are read one at a time: in a text of several statements the first may change how the next is read.

use sqlparser::tokenizer::Location;

use super::charset;
use super::literal;
use super::reading::Reading;
use super::token::{Kind, Token};
use super::version::runs;

/// Signs of several characters, the longer of two first.
const SIGNS: &[&str] = &[
    "<=>", "->>", "<=", ">=", "<>", "!=", "<<", ">>", "&&", "||", ":=", "->", "(", ")", ",", ".",
    ";", "+", "-", "*", "/", "%", "=", "<", ">", "!", "~", "^", "&", "|", "{", "}", ":",
];

/// The scanner.
pub(super) struct Lexer<'a> {
    text: &'a str,
    reading: Reading,
    at: usize,
    /// The line and column of `at`.
    place: Location,
    line: u32,
    /// Whether the text of a `/*!` comment is being read.
    executed: bool,
    parameters: usize,
    /// Whether the last token was a dot with a name to follow.
    after_dot: bool,
}

fn begins_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

impl<'a> Lexer<'a> {
    /// Reads from a byte of the text on.
    pub(super) fn new(text: &'a str, at: usize, reading: Reading) -> Lexer<'a> {
        let place = Location { line: 1, column: 1 };
        Lexer {
            text,
            reading,
            at,
            place,
            line: 1,
            executed: false,
            parameters: 0,
            after_dot: false,
        }
    }

    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.rest().get(ahead).copied().unwrap_or(0)
    }

    /// Goes on by some bytes; the server counts lines between tokens only.
    fn skip(&mut self, bytes: usize, counted: bool) {
        for &byte in &self.rest()[..bytes] {
            match byte {
                b'\n' => {
                    self.line += u32::from(counted);
                    self.place = Location { line: self.place.line + 1, column: 1 };
                }
                0x80..=0xbf => {}
                _ => self.place.column += 1,
            }
        }
        self.at += bytes;
    }

    /// The next token.
    pub(super) fn token(&mut self) -> Token {
        if !self.blanks() {
            return self.take(Kind::Bad, self.text.len() - self.at);
        }
        if self.at == self.text.len() {
            let kind = if self.executed { Kind::Bad } else { Kind::End };
            return self.take(kind, 0);
        }
        let after_dot = std::mem::take(&mut self.after_dot);
        let first = self.byte(0);
        if let Some(token) = self.literal(first) {
            return token;
        }
        match first {
            b'`' => self.quoted('`'),
            b'"' if self.reading.ansi_quotes => self.quoted('"'),
            b'@' => self.at(),
            b'?' => {
                self.parameters += 1;
                self.take(Kind::Parameter(self.parameters - 1), 1)
            }
            b'\\' if self.byte(1) == b'N' => self.take(Kind::Null, 2),
            b'.' if self.byte(1).is_ascii_digit() && !after_dot && !self.follows_name() => {
                self.number()
            }
            b'0'..=b'9' if !after_dot => self.number(),
            _ if begins_word(first) => self.word(after_dot),
            _ => self.sign(),
        }
    }

    /// Whether what stands right before is a name, so that a dot goes on with it.
    fn follows_name(&self) -> bool {
        let before = self.text.as_bytes()[..self.at].last().copied().unwrap_or(b' ');
        begins_word(before) || before == b'`'
    }

    fn take(&mut self, kind: Kind, bytes: usize) -> Token {
        let (start, place, line) = (self.at, self.place, self.line);
        self.skip(bytes, false);
        Token { kind, start, end: self.at, place, until: self.place, line }
    }

    /// Passes over blanks and comments; false where a comment never ends.
    fn blanks(&mut self) -> bool {
        loop {
            let rest = self.rest();
            match rest {
                [b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c, ..] => self.skip(1, true),
                [b'#', ..] => self.line_comment(),
                [b'-', b'-', after, ..]
                    if after.is_ascii_whitespace() || after.is_ascii_control() =>
                {
                    self.line_comment();
                }
                [b'-', b'-'] => self.line_comment(),
                [b'*', b'/', ..] if self.executed => {
                    self.executed = false;
                    self.skip(2, true);
                }
                [b'/', b'*', b'!', ..] if !self.executed => {
                    if !self.versioned(3, false) {
                        return false;
                    }
                }
                [b'/', b'*', b'M', b'!', ..]
                    if !self.executed && !self.reading.version.is_mysql() =>
                {
                    if !self.versioned(4, true) {
                        return false;
                    }
                }
                [b'/', b'*', ..] => match self.comment_end(self.at + 2, false) {
                    Some(end) => self.skip(end - self.at, true),
                    None => return false,
                },
                _ => return true,
            }
        }
    }

    fn line_comment(&mut self) {
        let rest = self.rest();
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        self.skip(end, true);
    }

    /// The byte after the end of a comment; one that is passed over for its version may have comments inside.
    fn comment_end(&self, from: usize, nests: bool) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while at + 1 < bytes.len() {
            match &bytes[at..at + 2] {
                b"*/" => return Some(at + 2),
                b"/*" if nests => at = self.comment_end(at + 2, false)?,
                _ => at += 1,
            }
        }
        None
    }

    /// A comment with a version, or with none, after its `!`; false where it never ends.
    fn versioned(&mut self, mark: usize, own: bool) -> bool {
        let digits = self.rest()[mark..].iter().take(6).take_while(|byte| byte.is_ascii_digit());
        let digits = digits.count();
        let number = self.text[self.at + mark..self.at + mark + digits].parse().unwrap_or(0);
        let runs = digits < 5 || runs(self.reading.version, number, own);
        match runs {
            true => {
                self.skip(mark + if digits < 5 { 0 } else { digits }, true);
                self.executed = true;
                true
            }
            false => match self.comment_end(self.at + mark, true) {
                Some(end) => {
                    self.skip(end - self.at, true);
                    true
                }
                None => false,
            },
        }
    }

    /// A literal in quotes, with the letter before them.
    fn literal(&mut self, first: u8) -> Option<Token> {
        match (first, self.byte(1)) {
            (b'\'', _) => Some(self.string(0, Kind::Text)),
            (b'"', _) if !self.reading.ansi_quotes => Some(self.string(0, Kind::Text)),
            (b'n' | b'N', b'\'') => Some(self.string(1, Kind::National)),
            (b'x' | b'X', b'\'') => Some(self.digits_in_quotes(u8::is_ascii_hexdigit, |digits| {
                digits.len().is_multiple_of(2).then(|| Kind::Hex(digits.to_owned()))
            })),
            (b'b' | b'B', b'\'') => Some(self.digits_in_quotes(
                |byte| matches!(byte, b'0' | b'1'),
                |digits| Some(Kind::Bits(digits.to_owned())),
            )),
            _ => None,
        }
    }

    fn string(&mut self, prefix: usize, kind: fn(String) -> Kind) -> Token {
        let escapes = !self.reading.no_backslash_escapes;
        match literal::string(&self.text[self.at + prefix..], escapes) {
            Some((text, length)) => self.take(kind(text), prefix + length),
            None => self.take(Kind::Bad, self.text.len() - self.at),
        }
    }

    fn digits_in_quotes(&mut self, is: fn(&u8) -> bool, kind: fn(&str) -> Option<Kind>) -> Token {
        let from = self.at + 2;
        let count = self.text.as_bytes()[from..].iter().take_while(|byte| is(byte)).count();
        let digits = &self.text[from..from + count];
        match kind(digits).filter(|_| self.byte(2 + count) == b'\'') {
            Some(kind) => self.take(kind, count + 3),
            None => self.take(Kind::Bad, 1),
        }
    }

    /// A name in quotes, which stand doubled inside.
    fn quoted(&mut self, quote: char) -> Token {
        match literal::quoted(&self.text[self.at..], quote) {
            Some((name, length)) => {
                let token = self.take(Kind::Quoted(name), length);
                self.after_dot = false;
                token
            }
            None => self.take(Kind::Bad, self.text.len() - self.at),
        }
    }

    fn at(&mut self) -> Token {
        let found = match self.byte(1) {
            b'@' => return self.take(Kind::AtAt, 2),
            quote @ (b'`' | b'"' | b'\'') => {
                let rest = &self.text[self.at + 1..];
                match quote == b'`' || quote == b'"' && self.reading.ansi_quotes {
                    true => literal::quoted(rest, char::from(quote)),
                    false => literal::string(rest, !self.reading.no_backslash_escapes),
                }
            }
            _ => {
                let rest = &self.rest()[1..];
                let length =
                    rest.iter().take_while(|&&byte| begins_word(byte) || byte == b'.').count();
                Some((self.text[self.at + 1..self.at + 1 + length].to_owned(), length))
            }
        };
        match found {
            Some((name, length)) => self.take(Kind::At(name), length + 1),
            None => self.take(Kind::Bad, 1),
        }
    }

    /// A number, or a name that begins with digits.
    fn number(&mut self) -> Token {
        let rest = self.rest();
        let digits =
            |from: usize| rest[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let based = |is: fn(&u8) -> bool| {
            let count = rest[2..].iter().take_while(|byte| is(byte)).count();
            (count > 0 && !rest.get(2 + count).copied().is_some_and(begins_word)).then_some(count)
        };
        if rest.starts_with(b"0x")
            && let Some(count) = based(u8::is_ascii_hexdigit)
        {
            let digits = &self.text[self.at + 2..self.at + 2 + count];
            let even = if count % 2 == 1 { format!("0{digits}") } else { digits.to_owned() };
            return self.take(Kind::HexNumber(even), count + 2);
        }
        if rest.starts_with(b"0b")
            && let Some(count) = based(|byte| matches!(byte, b'0' | b'1'))
        {
            let digits = self.text[self.at + 2..self.at + 2 + count].to_owned();
            return self.take(Kind::Bits(digits), count + 2);
        }
        let whole = digits(0);
        let exponent = |from: usize| {
            let sign = usize::from(matches!(rest.get(from + 1), Some(b'+' | b'-')));
            let count = digits((from + 1 + sign).min(rest.len()));
            (matches!(rest.get(from), Some(b'e' | b'E')) && count > 0)
                .then(|| from + 1 + sign + count)
        };
        if rest.get(whole) == Some(&b'.') {
            let end = whole + 1 + digits(whole + 1);
            return match exponent(end) {
                Some(end) => self.take(Kind::Float, end),
                None => self.take(Kind::Decimal, end),
            };
        }
        if let Some(end) = exponent(whole) {
            return self.take(Kind::Float, end);
        }
        match rest.get(whole).copied().is_some_and(begins_word) {
            true => self.word(false),
            false => self.take(Kind::Integer, whole),
        }
    }

    fn word(&mut self, after_dot: bool) -> Token {
        let length = self.rest().iter().take_while(|&&byte| begins_word(byte)).count();
        let text = &self.text[self.at..self.at + length];
        let next = self.byte(length);
        let before_dot = next == b'.' && begins_word(self.byte(length + 1));
        let kind = if after_dot || before_dot {
            Kind::Name
        } else if text.starts_with('_') && charset::is_known(&text[1..]) {
            Kind::Introducer
        } else {
            Kind::Word
        };
        self.take(kind, length)
    }

    fn sign(&mut self) -> Token {
        let rest = self.rest();
        let arrows = self.reading.version.is_mysql();
        let found = SIGNS
            .iter()
            .find(|sign| rest.starts_with(sign.as_bytes()) && (arrows || !sign.starts_with("->")));
        match found {
            Some(sign) => {
                let token = self.take(Kind::Sign(sign), sign.len());
                self.after_dot = *sign == "." && begins_word(self.byte(0));
                token
            }
            None => {
                let length = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
                self.take(Kind::Bad, length)
            }
        }
    }
}
