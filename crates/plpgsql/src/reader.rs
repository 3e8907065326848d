//! What all parts of the grammar need: the next token, names, fragments of SQL.
//!
//! PL/pgSQL looks at names before its grammar does: `a.b` and `a.b.c` are one [`Unit`], and so not `a` followed by
//! something. A reserved word ends that (`a.end` is `a`, a dot, and END), and `$1` may be the first part.

use crate::error::ReadError;
use crate::lexer::{COMMA, SEMICOLON, Symbol, Token, TokenKind, tokens};
use crate::place::Span;
use crate::string;
use crate::tree::{Fragment, Label, Literal, Name, Path};

/// How deep statements may nest. A level takes up to 10 kB of stack in a build that is not optimized, and a thread of
/// Rust has 2 MB.
pub const DEPTH: u32 = 100;

/// The longest name, in bytes; what is longer is cut off.
const NAME: usize = 63;

pub(crate) struct Reader<'a> {
    source: &'a str,
    tokens: Vec<Token>,
    /// The next token.
    at: usize,
    depth: u32,
    /// The blocks and loops around, from the outside.
    pub(crate) around: Vec<Scope>,
}

/// A block or loop that statements are in.
pub(crate) struct Scope {
    pub(crate) label: Option<String>,
    pub(crate) is_loop: bool,
}

/// A token, or names with dots between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) kind: UnitKind,
    pub(crate) span: Span,
    /// How many tokens it is.
    length: usize,
}

impl Unit {
    /// How many tokens it is.
    pub(crate) fn length(self) -> usize {
        self.length
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitKind {
    /// One name: a word that is not reserved, a quoted name, a parameter.
    Name,
    /// Two or three names.
    Dotted,
    /// Anything else.
    Token(TokenKind),
}

/// What a fragment is, for errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Expression,
    Statement,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(source: &'a str) -> Result<Reader<'a>, ReadError> {
        Ok(Reader { source, tokens: tokens(source)?, at: 0, depth: 0, around: Vec::new() })
    }

    /// A token some way ahead; behind the end there is only the end.
    pub(crate) fn ahead(&self, by: usize) -> Token {
        let last = self.tokens.len() - 1;
        self.tokens[(self.at + by).min(last)]
    }

    /// The kind of the next token.
    pub(crate) fn kind(&self) -> TokenKind {
        self.ahead(0).kind
    }

    /// Where the next token is.
    pub(crate) fn here(&self) -> Span {
        self.ahead(0).span
    }

    /// From somewhere to the end of the last token that was read.
    pub(crate) fn since(&self, start: Span) -> Span {
        match self.at.checked_sub(1).map(|last| self.tokens[last].span) {
            Some(last) if last.end >= start.start => start.to(last),
            // Nothing was read since.
            _ => Span { start: start.start, end: start.start },
        }
    }

    /// Reads a token, but not beyond the end.
    pub(crate) fn skip(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub(crate) fn peek(&self) -> Unit {
        let is_name = |by| self.ahead(by).kind.is_name();
        let is_dot = |by| self.ahead(by).kind == TokenKind::Symbol(Symbol::Dot);
        let first = self.ahead(0);
        let (kind, length) = match first.kind {
            TokenKind::Word | TokenKind::QuotedName | TokenKind::Parameter => {
                match is_dot(1) && is_name(2) {
                    true if is_dot(3) && is_name(4) => (UnitKind::Dotted, 5),
                    true => (UnitKind::Dotted, 3),
                    false => (UnitKind::Name, 1),
                }
            }
            other => (UnitKind::Token(other), 1),
        };
        Unit { kind, span: first.span.to(self.ahead(length - 1).span), length }
    }

    /// Where the token is that was read last.
    pub(crate) fn last(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// Goes back before the token that was read last.
    pub(crate) fn back(&mut self) {
        self.at = self.at.saturating_sub(1);
    }

    pub(crate) fn next(&mut self) -> Unit {
        let unit = self.peek();
        self.at = (self.at + unit.length).min(self.tokens.len() - 1);
        unit
    }

    /// Whether a unit is a word that is not reserved, in whatever case. A quoted name is not.
    pub(crate) fn is(&self, unit: Unit, word: &str) -> bool {
        unit.kind == UnitKind::Name && unit.span.text(self.source).eq_ignore_ascii_case(word)
    }

    /// The text of a unit as it is written.
    pub(crate) fn text(&self, unit: Unit) -> &'a str {
        unit.span.text(self.source)
    }

    /// Which word of a table stands some tokens ahead, alone.
    pub(crate) fn word_ahead<T: Copy>(&self, by: usize, table: &[(&str, T)]) -> Option<T> {
        let token = self.ahead(by);
        let text = token.span.text(self.source);
        let found = table.iter().find(|(word, _)| text.eq_ignore_ascii_case(word));
        found.filter(|_| token.kind == TokenKind::Word).map(|(_, value)| *value)
    }

    /// Whether the next unit is this word.
    pub(crate) fn sees(&self, word: &str) -> bool {
        self.is(self.peek(), word)
    }

    /// Reads a word if it is next.
    pub(crate) fn takes(&mut self, word: &str) -> bool {
        let found = self.sees(word);
        if found {
            self.skip();
        }
        found
    }

    /// Reads a token if it is next.
    pub(crate) fn takes_token(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.skip();
        }
        found
    }

    /// Reads a word that has to be there.
    pub(crate) fn expect(&mut self, word: &str, expected: &'static str) -> Result<(), ReadError> {
        if self.takes(word) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    /// Reads a token that has to be there.
    pub(crate) fn expect_token(
        &mut self,
        kind: TokenKind,
        expected: &'static str,
    ) -> Result<(), ReadError> {
        if self.takes_token(kind) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    pub(crate) fn semicolon(&mut self) -> Result<(), ReadError> {
        self.expect_token(SEMICOLON, "a semicolon")
    }

    /// The word of a table that is next, which is read; `None` if none is.
    pub(crate) fn one_of<T: Copy>(&mut self, table: &[(&str, T)]) -> Option<T> {
        let unit = self.peek();
        let found = table.iter().find(|(word, _)| self.is(unit, word))?;
        self.skip();
        Some(found.1)
    }

    /// The error that something else stands here.
    pub(crate) fn unexpected(&self, expected: &'static str) -> ReadError {
        let unit = self.peek();
        ReadError::Unexpected { at: unit.span, expected, found: self.told(unit.span) }
    }

    /// A piece of the source, for errors.
    fn told(&self, span: Span) -> String {
        let text = span.text(self.source);
        match text.char_indices().nth(40) {
            _ if text.is_empty() => "the end".to_owned(),
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_owned(),
        }
    }

    /// What a unit of one name says, in lower case if it is a plain word.
    pub(crate) fn meaning(&self, unit: Unit) -> String {
        name(self.source, unit.span)
    }

    /// Reads one name without dots.
    pub(crate) fn name(&mut self, expected: &'static str) -> Result<Name, ReadError> {
        let unit = self.peek();
        if unit.kind != UnitKind::Name {
            return Err(self.unexpected(expected));
        }
        self.skip();
        Ok(Name { span: unit.span, text: self.meaning(unit) })
    }

    /// Reads one name without dots, if there is one.
    pub(crate) fn optional_name(&mut self) -> Option<Name> {
        self.name("a name").ok()
    }

    /// Reads one to three names with dots between them.
    pub(crate) fn path(&mut self, expected: &'static str) -> Result<Path, ReadError> {
        let unit = self.peek();
        if !matches!(unit.kind, UnitKind::Name | UnitKind::Dotted) {
            return Err(self.unexpected(expected));
        }
        // Every other token is a dot.
        let parts = (0..unit.length).step_by(2).map(|by| self.ahead(by).span);
        let names = parts.map(|span| Name { span, text: name(self.source, span) }).collect();
        self.next();
        Ok(Path { span: unit.span, names })
    }

    /// Reads one or more variables with commas between them.
    pub(crate) fn paths(&mut self) -> Result<Vec<Path>, ReadError> {
        let mut paths = vec![self.path("a variable")?];
        while self.takes_token(COMMA) {
            paths.push(self.path("a variable")?);
        }
        Ok(paths)
    }

    /// Reads a name or any word, for what follows a dot.
    pub(crate) fn any_word(&mut self) -> Result<Name, ReadError> {
        let token = self.ahead(0);
        if !token.kind.is_name() && !matches!(token.kind, TokenKind::Reserved(_)) {
            return Err(self.unexpected("a name"));
        }
        self.skip();
        Ok(Name { span: token.span, text: name(self.source, token.span) })
    }

    pub(crate) fn literal(&mut self) -> Result<Literal, ReadError> {
        let token = self.ahead(0);
        self.expect_token(TokenKind::String, "a string")?;
        Ok(Literal { span: token.span, text: string::decode(self.source, token.span)? })
    }

    /// Reads an integer that has to be there.
    pub(crate) fn integer(&mut self) -> Result<(Span, u32), ReadError> {
        let token = self.ahead(0);
        let value = token.span.text(self.source).parse::<i32>().ok();
        match value.and_then(|value| u32::try_from(value).ok()) {
            Some(value) if token.kind == TokenKind::Integer => {
                self.skip();
                Ok((token.span, value))
            }
            _ => Err(self.unexpected("a whole number")),
        }
    }

    /// Reads `<<label>>`, if it is there.
    pub(crate) fn label(&mut self) -> Result<Option<Label>, ReadError> {
        let start = self.here();
        if !self.takes_token(TokenKind::Symbol(Symbol::LessLess)) {
            return Ok(None);
        }
        let name = self.name("a label")?;
        self.expect_token(TokenKind::Symbol(Symbol::GreaterGreater), ">>")?;
        Ok(Some(Label { span: self.since(start), name }))
    }

    /// Checks a label after END.
    pub(crate) fn check_end_label(
        &self,
        label: Option<&Label>,
        end: Option<&Name>,
    ) -> Result<(), ReadError> {
        let label = label.map(|label| &label.name.text);
        match end {
            Some(end) if label != Some(&end.text) => Err(ReadError::EndLabel {
                at: end.span,
                found: end.text.clone(),
                label: label.cloned(),
            }),
            _ => Ok(()),
        }
    }

    /// Reads SQL up to a token outside of parentheses, and that token: the fragment, and which token it was. It may not
    /// be empty.
    pub(crate) fn fragment(
        &mut self,
        stops: &[TokenKind],
        expected: &'static str,
        wanted: Wanted,
    ) -> Result<(Fragment, TokenKind), ReadError> {
        let start = self.here();
        let first = self.at;
        let stop = self.skip_to(stops, expected)?;
        if self.at == first {
            let expected = match wanted {
                Wanted::Expression => "an expression",
                Wanted::Statement => "a statement of SQL",
            };
            return Err(ReadError::Missing { at: start, expected, found: self.told(start) });
        }
        let span = self.since(start);
        self.skip();
        Ok((Fragment { span }, stop))
    }

    /// Reads an expression up to one token, and that token.
    pub(crate) fn expression(
        &mut self,
        stop: TokenKind,
        expected: &'static str,
    ) -> Result<Fragment, ReadError> {
        Ok(self.fragment(&[stop], expected, Wanted::Expression)?.0)
    }

    /// Reads expressions with commas between them up to one of these tokens, and that token. The comma is one of them.
    pub(crate) fn expressions(
        &mut self,
        stops: &[TokenKind],
        expected: &'static str,
    ) -> Result<(Vec<Fragment>, TokenKind), ReadError> {
        let mut all = Vec::new();
        loop {
            let (fragment, stop) = self.fragment(stops, expected, Wanted::Expression)?;
            all.push(fragment);
            if stop != COMMA {
                return Ok((all, stop));
            }
        }
    }

    /// Goes to a token outside of parentheses. As to PostgreSQL, a bracket may close a parenthesis; its SQL will not
    /// have that.
    pub(crate) fn skip_to(
        &mut self,
        stops: &[TokenKind],
        expected: &'static str,
    ) -> Result<TokenKind, ReadError> {
        let mut open = 0_usize;
        loop {
            let kind = self.kind();
            if open == 0 && stops.contains(&kind) {
                return Ok(kind);
            }
            let mismatch = ReadError::Parentheses { at: self.here() };
            match kind {
                TokenKind::Symbol(Symbol::Open | Symbol::OpenBracket) => open += 1,
                TokenKind::Symbol(Symbol::Close | Symbol::CloseBracket) => {
                    open = open.checked_sub(1).ok_or(mismatch)?;
                }
                TokenKind::End | SEMICOLON => {
                    return Err(if open > 0 { mismatch } else { self.unexpected(expected) });
                }
                _ => {}
            }
            self.skip();
        }
    }

    /// Reads what nests, unless that is too deep.
    pub(crate) fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Reader<'a>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        if self.depth == DEPTH {
            return Err(ReadError::TooDeep { at: self.here(), limit: DEPTH });
        }
        self.depth += 1;
        let made = read(self);
        self.depth -= 1;
        made
    }
}

impl TokenKind {
    /// Whether it may be a part of a dotted name.
    fn is_name(self) -> bool {
        matches!(self, TokenKind::Word | TokenKind::QuotedName)
    }
}

/// What a name means: folded, without quotes, and not too long.
fn name(source: &str, span: Span) -> String {
    let text = span.text(source);
    let inside = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let mut name = match inside {
        Some(inside) => inside.replace("\"\"", "\""),
        None => text.to_ascii_lowercase(),
    };
    name.truncate(name.floor_char_boundary(NAME));
    name
}
