//! Bytes to tokens, by the rules of PostgreSQL's scanner (`src/backend/parser/scan.l`).
//!
//! The scanner of SQL and of PL/pgSQL is one, so what is a token here is one there, and a fragment ends where
//! PostgreSQL ends it: not at a semicolon within a string or a comment. Three rules are easily missed:
//!
//! - `1..10` is `1`, `..`, `10`, though `1.` alone is a number;
//! - an operator ends before `--` and `/*`, and does not end in `+` or `-` unless it has a character that no operator of
//!   standard SQL has: `=-1` is `=` and `-`, but `@-` is one operator;
//! - a string goes on after a line break: `'a'` and `'b'` on the next line are one string.
//!
//! The whole source becomes tokens at once. PostgreSQL reads them as it goes, but accepts only what it read to the end.

use crate::error::{ReadError, Unclosed};
use crate::keyword::{Reserved, reserved};
use crate::place::Span;
use crate::string;

/// A token. Comments and blanks are none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A word that is not reserved.
    Word,
    /// A name in quotes.
    QuotedName,
    /// `$1`, which may stand where a name may.
    Parameter,
    Reserved(Reserved),
    /// `'…'`, `E'…'` or `$$…$$`.
    String,
    Integer,
    Symbol(Symbol),
    /// What is only part of SQL: other literals, operators, characters that begin nothing.
    Other,
    /// The end of the source.
    End,
}

/// The signs that PL/pgSQL knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    Semicolon,
    Comma,
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    Dot,
    DotDot,
    ColonEquals,
    Equals,
    Percent,
    Hash,
    LessLess,
    GreaterGreater,
}

pub(crate) const SEMICOLON: TokenKind = TokenKind::Symbol(Symbol::Semicolon);
pub(crate) const COMMA: TokenKind = TokenKind::Symbol(Symbol::Comma);
pub(crate) const USING: TokenKind = TokenKind::Reserved(Reserved::Using);

/// The longest operator, in bytes.
const OPERATOR: usize = 63;

/// All tokens of a source; the last is [`TokenKind::End`], and there is no other of it.
pub(crate) fn tokens(source: &str) -> Result<Vec<Token>, ReadError> {
    let mut lexer = Lexer { source: source.as_bytes(), at: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blank()?;
        let start = lexer.at;
        let kind = lexer.token()?;
        tokens.push(Token { kind, span: lexer.since(start) });
        if kind == TokenKind::End {
            return Ok(tokens);
        }
        if kind == TokenKind::String {
            string::decode(source, lexer.since(start))?;
        }
    }
}

struct Lexer<'a> {
    source: &'a [u8],
    at: usize,
}

impl Lexer<'_> {
    fn since(&self, start: usize) -> Span {
        Span { start, end: self.at }
    }

    /// The byte some way ahead, 0 behind the end.
    fn ahead(&self, by: usize) -> u8 {
        self.source.get(self.at + by).copied().unwrap_or_default()
    }

    fn rest(&self) -> &[u8] {
        self.source.get(self.at..).unwrap_or_default()
    }

    /// Goes on while bytes are of a kind.
    fn skip(&mut self, of: impl Fn(u8) -> bool) {
        self.at += self.rest().iter().take_while(|byte| of(**byte)).count();
    }

    fn skip_blank(&mut self) -> Result<(), ReadError> {
        loop {
            self.skip(is_space);
            if self.rest().starts_with(b"--") {
                self.skip(|byte| !is_newline(byte));
            } else if self.rest().starts_with(b"/*") {
                self.skip_comment()?;
            } else {
                return Ok(());
            }
        }
    }

    /// Comments nest.
    fn skip_comment(&mut self) -> Result<(), ReadError> {
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            if self.rest().starts_with(b"/*") {
                depth += 1;
                self.at += 2;
            } else if self.rest().starts_with(b"*/") {
                depth -= 1;
                self.at += 2;
                if depth == 0 {
                    return Ok(());
                }
            } else if self.rest().is_empty() {
                return Err(self.unclosed(start, Unclosed::Comment));
            } else {
                self.at += 1;
            }
        }
    }

    fn unclosed(&self, start: usize, what: Unclosed) -> ReadError {
        ReadError::Unclosed { at: Span { start, end: self.source.len() }, what }
    }

    fn token(&mut self) -> Result<TokenKind, ReadError> {
        let Some(&byte) = self.rest().first() else { return Ok(TokenKind::End) };
        match (byte, self.ahead(1)) {
            (b'\'', _) => self.string(0, false),
            (b'e' | b'E', b'\'') => self.string(1, true),
            (b'b' | b'B' | b'x' | b'X', b'\'') => self.string(1, false).map(|_| TokenKind::Other),
            (b'u' | b'U', b'&') if self.ahead(2) == b'\'' => {
                self.string(2, false).map(|_| TokenKind::Other)
            }
            (b'u' | b'U', b'&') if self.ahead(2) == b'"' => {
                self.quoted_name(2).map(|()| TokenKind::Other)
            }
            (b'"', _) => self.quoted_name(0).map(|()| TokenKind::QuotedName),
            (b'$', b'0'..=b'9') => self.parameter(),
            (b'$', _) => self.dollar(),
            (b'0'..=b'9', _) | (b'.', b'0'..=b'9') => self.number(),
            (byte, _) if is_name_start(byte) => Ok(self.word()),
            (byte, _) if is_operator(byte) => self.operator(),
            (b'.', b'.') => Ok(self.symbol(2, Symbol::DotDot)),
            (b':', b'=') => Ok(self.symbol(2, Symbol::ColonEquals)),
            (b':', b':') => Ok(self.other(2)),
            (b'.', _) => Ok(self.symbol(1, Symbol::Dot)),
            (b';', _) => Ok(self.symbol(1, Symbol::Semicolon)),
            (b',', _) => Ok(self.symbol(1, Symbol::Comma)),
            (b'(', _) => Ok(self.symbol(1, Symbol::Open)),
            (b')', _) => Ok(self.symbol(1, Symbol::Close)),
            (b'[', _) => Ok(self.symbol(1, Symbol::OpenBracket)),
            (b']', _) => Ok(self.symbol(1, Symbol::CloseBracket)),
            _ => Ok(self.other(1)),
        }
    }

    fn symbol(&mut self, length: usize, symbol: Symbol) -> TokenKind {
        self.at += length;
        TokenKind::Symbol(symbol)
    }

    fn other(&mut self, length: usize) -> TokenKind {
        self.at += length;
        TokenKind::Other
    }

    fn word(&mut self) -> TokenKind {
        let start = self.at;
        self.skip(is_name_part);
        // Words are whole characters: all bytes of one that is not ASCII are parts of names.
        let word = std::str::from_utf8(&self.source[start..self.at]).unwrap_or_default();
        reserved(word).map_or(TokenKind::Word, TokenKind::Reserved)
    }

    /// A string, whose quote is some bytes ahead.
    fn string(&mut self, quote: usize, escapes: bool) -> Result<TokenKind, ReadError> {
        let start = self.at;
        self.at += quote + 1;
        loop {
            match self.rest() {
                [] => return Err(self.unclosed(start, Unclosed::String)),
                [b'\'', b'\'', ..] => self.at += 2,
                [b'\\', _, ..] if escapes => self.at += 2,
                [b'\'', ..] => {
                    self.at += 1;
                    match string::continued(self.rest()) {
                        Some(length) => self.at += length,
                        None => return Ok(TokenKind::String),
                    }
                }
                _ => self.at += 1,
            }
        }
    }

    /// A name in quotes, whose quote is some bytes ahead.
    fn quoted_name(&mut self, quote: usize) -> Result<(), ReadError> {
        let start = self.at;
        self.at += quote + 1;
        let inside = self.at;
        loop {
            match self.rest() {
                [] => return Err(self.unclosed(start, Unclosed::QuotedName)),
                [b'"', b'"', ..] => self.at += 2,
                [b'"', ..] => break,
                _ => self.at += 1,
            }
        }
        let empty = self.at == inside;
        self.at += 1;
        if empty { Err(ReadError::EmptyName { at: self.since(start) }) } else { Ok(()) }
    }

    fn parameter(&mut self) -> Result<TokenKind, ReadError> {
        let start = self.at;
        self.at += 1;
        self.skip(|byte| byte.is_ascii_digit());
        self.no_junk(start)?;
        Ok(TokenKind::Parameter)
    }

    /// What follows a number or a parameter may not begin a name.
    fn no_junk(&mut self, start: usize) -> Result<(), ReadError> {
        if !is_name_start(self.ahead(0)) {
            return Ok(());
        }
        self.skip(is_name_part);
        Err(ReadError::NumberJunk { at: self.since(start) })
    }

    /// `$$`, `$tag$`, or a lone dollar.
    fn dollar(&mut self) -> Result<TokenKind, ReadError> {
        let Some(length) = string::dollar_quote(self.rest()) else { return Ok(self.other(1)) };
        let start = self.at;
        let quote = &self.source[start..start + length];
        self.at += length;
        let found = self.rest().windows(length).position(|window| window == quote);
        let Some(found) = found else { return Err(self.unclosed(start, Unclosed::DollarString)) };
        self.at += found + length;
        Ok(TokenKind::String)
    }

    fn number(&mut self) -> Result<TokenKind, ReadError> {
        let start = self.at;
        self.skip(|byte| byte.is_ascii_digit());
        if self.rest().starts_with(b"..") {
            return Ok(TokenKind::Integer);
        }
        let mut kind = TokenKind::Integer;
        if self.ahead(0) == b'.' {
            kind = TokenKind::Other;
            self.at += 1;
            self.skip(|byte| byte.is_ascii_digit());
        }
        if matches!(self.ahead(0), b'e' | b'E') {
            let sign = usize::from(matches!(self.ahead(1), b'+' | b'-'));
            if self.ahead(1 + sign).is_ascii_digit() {
                kind = TokenKind::Other;
                self.at += 1 + sign;
                self.skip(|byte| byte.is_ascii_digit());
            }
        }
        self.no_junk(start)?;
        Ok(kind)
    }

    fn operator(&mut self) -> Result<TokenKind, ReadError> {
        let start = self.at;
        let run = self.rest().iter().take_while(|byte| is_operator(**byte)).count();
        let run = &self.source[start..start + run];
        // A comment may begin inside; not at the beginning, where it was skipped.
        let comment = run.windows(2).position(|pair| pair == b"--" || pair == b"/*");
        let mut operator = &run[..comment.unwrap_or(run.len())];
        let is_sign = |byte: &u8| matches!(byte, b'+' | b'-');
        if !operator.iter().any(|byte| b"~!@#^&|`?%".contains(byte)) {
            while operator.len() > 1 && operator.last().is_some_and(is_sign) {
                operator = &operator[..operator.len() - 1];
            }
        }
        self.at += operator.len();
        Ok(match operator {
            b"=" => TokenKind::Symbol(Symbol::Equals),
            b"%" => TokenKind::Symbol(Symbol::Percent),
            b"#" => TokenKind::Symbol(Symbol::Hash),
            b"<<" => TokenKind::Symbol(Symbol::LessLess),
            b">>" => TokenKind::Symbol(Symbol::GreaterGreater),
            _ if operator.len() > OPERATOR => {
                return Err(ReadError::OperatorTooLong { at: self.since(start) });
            }
            _ => TokenKind::Other,
        })
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c')
}

fn is_newline(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Whether a name may begin with a byte. Every byte of a character that is not ASCII is a letter.
fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || !byte.is_ascii()
}

fn is_name_part(byte: u8) -> bool {
    is_name_start(byte) || byte.is_ascii_digit() || byte == b'$'
}

fn is_operator(byte: u8) -> bool {
    b"~!@#^&|`?+-*/%<>=".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::{TokenKind, tokens};

    /// The texts of the tokens of a source.
    fn texts(source: &str) -> Vec<&str> {
        let tokens = tokens(source).expect("good tokens");
        tokens
            .iter()
            .filter(|token| token.kind != TokenKind::End)
            .map(|token| token.span.text(source))
            .collect()
    }

    #[test]
    fn tokens_end_where_postgresql_ends_them() {
        let check = |source, expected: &[&str]| assert_eq!(texts(source), expected, "{source}");
        check("1..10", &["1", "..", "10"]);
        check("1.5..2.", &["1.5", "..", "2."]);
        check("1...5", &["1", "..", ".5"]);
        check("1e5 1.e-5 .5e+1", &["1e5", "1.e-5", ".5e+1"]);
        check("a=-1", &["a", "=", "-", "1"]);
        check("a@-1", &["a", "@-", "1"]);
        check("a+-+b", &["a", "+", "-", "+", "b"]);
        check("<<l>>--x\n", &["<<", "l", ">>"]);
        check("a=/*b/*c*/;*/d", &["a", "=", "d"]);
        check("a:=b::c", &["a", ":=", "b", "::", "c"]);
        check("'a' -- b\n 'c''d' 'e'", &["'a' -- b\n 'c''d'", "'e'"]);
        check("'a\\' e'\\'' E'\\\\'", &["'a\\'", "e'\\''", "E'\\\\'"]);
        check(
            "n'a' u&'a' u&\"b\" u&c b'1'",
            &["n", "'a'", "u&'a'", "u&\"b\"", "u", "&", "c", "b'1'"],
        );
        check("$$a$b$$ $b$ $$ $b$ $1.x $c", &["$$a$b$$", "$b$ $$ $b$", "$1", ".", "x", "$", "c"]);
        check("a$b$c \"x\"\"y\" é$", &["a$b$c", "\"x\"\"y\"", "é$"]);
    }

    #[test]
    fn what_is_no_token_is_refused() {
        for source in
            ["'a", "e'a\\'", "\"a", "\"\"", "$$a$", "/* /* */", "1a", "1.5e", "1e+", "$1a"]
        {
            assert!(tokens(source).is_err(), "{source}");
        }
        for source in
            [r"e'\u12'", r"e'\ud800'", r"e'\ud800\u0041'", r"e'\xff'", r"e'\0'", r"e'\U00110000'"]
        {
            assert!(tokens(source).is_err(), "{source}");
        }
        assert!(tokens(&"@".repeat(63)).is_ok());
        assert!(tokens(&"@".repeat(64)).is_err());
    }
}
