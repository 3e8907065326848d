//! SQL with places in bytes.
//!
//! The parser counts lines and columns of the text it is given, and keeps what its tokens say. We give it tokens that say
//! another thing: line 1, and as column the byte of *our* file, plus one. So all places in its tree are bytes of the file
//! already, also where the text it reads is in several pieces: a statement without its INTO, or a condition that goes on
//! in the next comment.
//!
//! ```text
//!     SELECT n FROM t INTO v WHERE id = 1        two pieces: `SELECT n FROM t` and `WHERE id = 1`
//! ```

use sqlparser::ast::{self, Spanned};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Span, Token, TokenWithSpan, Tokenizer};

use super::error::{Fault, Problem, Result};
use crate::program::Place;

/// How deep the parser goes.
const DEPTH: usize = 200;

/// How many tokens one statement or expression may have. A chain of operators nests as deep as it is long.
const LENGTH: usize = 10_000;

/// Stack for a statement of that length.
const ROOM: usize = 64 << 20;

static DIALECT: PostgreSqlDialect = PostgreSqlDialect {};

/// Where something of the parser's tree is, or the whole if it does not know.
pub(super) fn place_of(of: &impl Spanned, whole: Place) -> Place {
    let span = of.span();
    if span.start.line == 0 || span.end.line == 0 { whole } else { place(span) }
}

/// The place of a token or name.
pub(super) fn place(span: Span) -> Place {
    let byte = |at: Location| u32::try_from(at.column.saturating_sub(1)).unwrap_or(u32::MAX);
    Place { start: byte(span.start), end: byte(span.end) }
}

/// The tokens of pieces of the file, with blanks and comments.
pub(super) fn tokens(text: &str, pieces: &[Place]) -> Result<Vec<TokenWithSpan>> {
    let mut all = Vec::new();
    for piece in pieces {
        let part = text.get(piece.range()).unwrap_or_default();
        let mut walk = Walk { text: part, line: 1, column: 1, at: 0 };
        let tokens = Tokenizer::new(&DIALECT, part).tokenize_with_location();
        let tokens = tokens.map_err(|error| {
            let at = piece.start + walk.to(error.location);
            let message = error.message.to_lowercase();
            Fault::new(Place { start: at, end: piece.end.max(at) }, Problem::Syntax { message })
        })?;
        for TokenWithSpan { token, span } in tokens {
            let start = piece.start + walk.to(span.start);
            let end = piece.start + walk.to(span.end);
            push(&mut all, token, start, end);
        }
    }
    Ok(all)
}

/// The same without blanks and comments.
pub(super) fn words(text: &str, pieces: &[Place]) -> Result<Vec<TokenWithSpan>> {
    let mut tokens = tokens(text, pieces)?;
    tokens.retain(|token| !matches!(token.token, Token::Whitespace(_) | Token::EOF));
    Ok(tokens)
}

/// A token at bytes of the file.
pub(super) fn token_at(token: Token, place: Place) -> TokenWithSpan {
    let location = |byte: u32| Location { line: 1, column: u64::from(byte) + 1 };
    TokenWithSpan { token, span: Span::new(location(place.start), location(place.end)) }
}

/// Adds a token; signs behind an operator are tokens of their own, as PostgreSQL has it: `a>-1` compares with minus one.
fn push(all: &mut Vec<TokenWithSpan>, token: Token, start: u32, end: u32) {
    const UNUSUAL: &[char] = &['~', '!', '@', '#', '%', '^', '&', '|', '`', '?'];
    let signs = match &token {
        Token::CustomBinaryOperator(text) if !text.contains(UNUSUAL) => {
            let signs = text.len() - text.trim_end_matches(['+', '-']).len();
            signs.min(text.len() - 1)
        }
        _ => 0,
    };
    let Token::CustomBinaryOperator(text) = &token else {
        all.push(token_at(token, Place { start, end }));
        return;
    };
    let (operator, rest) = text.split_at(text.len() - signs);
    let operator = Tokenizer::new(&DIALECT, operator).tokenize().unwrap_or_default();
    let rest = rest.chars().map(|sign| if sign == '+' { Token::Plus } else { Token::Minus });
    let mut at = start;
    for token in operator.into_iter().chain(rest) {
        let end = (at + token.to_string().len() as u32).min(end);
        all.push(token_at(token, Place { start: at, end }));
        at = end;
    }
}

/// Goes through a text, from lines and columns to bytes.
struct Walk<'a> {
    text: &'a str,
    line: u64,
    column: u64,
    at: usize,
}

impl Walk<'_> {
    /// The byte of a line and column that is not before the last one asked for.
    fn to(&mut self, location: Location) -> u32 {
        let rest = &self.text[self.at..];
        for next in rest.chars() {
            if (self.line, self.column) >= (location.line, location.column) {
                break;
            }
            self.at += next.len_utf8();
            match next {
                '\n' => (self.line, self.column) = (self.line + 1, 1),
                _ => self.column += 1,
            }
        }
        self.at as u32
    }
}

/// A piece of SQL: its tokens, without blanks, and where it is.
#[derive(Clone, Debug)]
pub(super) struct Sql {
    pub(super) tokens: Vec<TokenWithSpan>,
    pub(super) place: Place,
}

impl Sql {
    /// The SQL in pieces of the file.
    pub(super) fn new(text: &str, pieces: &[Place]) -> Result<Sql> {
        let start = pieces.first().map_or(0, |first| first.start);
        let end = pieces.last().map_or(0, |last| last.end);
        Ok(Sql { tokens: words(text, pieces)?, place: Place { start, end } })
    }

    /// Reads it whole with a method of the parser, and does something with what was read. That may be deep: stack is
    /// made for it, and for dropping it.
    pub(super) fn parse<T, U>(
        &self,
        read: impl FnOnce(&mut Parser<'_>) -> std::result::Result<T, ParserError>,
        then: impl FnOnce(T) -> Result<U>,
    ) -> Result<U> {
        if self.tokens.len() > LENGTH || depth(&self.tokens) > DEPTH {
            return Err(Fault::new(self.place, TOO_LARGE));
        }
        // A short one cannot be deep.
        let need = if self.tokens.len() > 200 { ROOM / 2 } else { 256 << 10 };
        stacker::maybe_grow(need, ROOM, || {
            let mut parser = Parser::new(&DIALECT)
                .with_recursion_limit(DEPTH * 4)
                .with_tokens_with_locations(without_key_locks(self.tokens.clone()));
            let parsed = read(&mut parser).and_then(|parsed| {
                let next = parser.peek_token_ref();
                match next.token {
                    Token::EOF => Ok(parsed),
                    _ => parser.expected("end of statement", next.clone()),
                }
            });
            then(parsed.map_err(|error| self.syntax(error))?)
        })
    }

    /// What the parser did not read, at the token it did not like.
    fn syntax(&self, error: ParserError) -> Fault {
        let text = match error {
            ParserError::TokenizerError(text) | ParserError::ParserError(text) => text,
            ParserError::RecursionLimitExceeded => return Fault::new(self.place, TOO_LARGE),
        };
        let (text, column) = match text.rsplit_once(" at Line: 1, Column: ") {
            Some((text, column)) => (text.to_owned(), column.parse::<u32>().ok()),
            None => (text, None),
        };
        let start = column.map_or(self.place.end, |column| column.saturating_sub(1));
        let end = self.tokens.iter().map(|token| place(token.span));
        let end = end.filter(|place| place.start == start).map(|place| place.end).next();
        let end = end.unwrap_or(start);
        let message = text.replacen("Expected: ", "expected ", 1);
        let message = message.replacen(", found: ", ", found ", 1);
        let message =
            message.replace("found EOF", "found the end").replace("sql parser error: ", "");
        Fault::new(Place { start, end }, Problem::Syntax { message })
    }

    /// All from a byte on to the closing parenthesis that belongs to the first one opened, or to the end if that comes
    /// first: a call, from its name on.
    pub(super) fn call(&self, start: u32) -> Option<Place> {
        let mut depth = 0_usize;
        for token in self.from(start) {
            match token.token {
                Token::LParen => depth += 1,
                Token::RParen => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return Some(Place { start, end: place(token.span).end });
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// All from a byte on to the end of the parentheses around it, or to the end: a subquery, from SELECT on.
    pub(super) fn rest_of_parentheses(&self, start: u32) -> Place {
        let (mut depth, mut end) = (0_usize, start);
        for token in self.from(start) {
            match token.token {
                Token::LParen => depth += 1,
                Token::RParen if depth == 0 => break,
                Token::RParen => depth -= 1,
                _ => {}
            }
            end = place(token.span).end;
        }
        Place { start, end }
    }

    fn from(&self, start: u32) -> impl Iterator<Item = &TokenWithSpan> {
        self.tokens.iter().skip_while(move |token| place(token.span).start < start)
    }
}

/// A name as PostgreSQL folds it.
pub(super) fn fold(name: &ast::Ident) -> String {
    match name.quote_style {
        None => name.value.to_ascii_lowercase(),
        Some(_) => name.value.clone(),
    }
}

const TOO_LARGE: Problem = Problem::TooLarge { what: "a statement is too long, or nests too deep" };

/// How deep parentheses, CASE and NOT nest, at most. Past its limit the parser tries again at every level.
fn depth(tokens: &[TokenWithSpan]) -> usize {
    let (mut depth, mut signs, mut deepest) = (0_usize, 0_usize, 0_usize);
    for token in tokens {
        match &token.token {
            Token::LParen | Token::LBracket => depth += 1,
            Token::RParen | Token::RBracket => depth = depth.saturating_sub(1),
            Token::Minus | Token::Plus | Token::Tilde | Token::ExclamationMark => signs += 1,
            Token::Word(word) => match word.keyword {
                Keyword::CASE => depth += 1,
                Keyword::END => depth = depth.saturating_sub(1),
                Keyword::NOT => signs += 1,
                _ => signs = 0,
            },
            _ => signs = 0,
        }
        deepest = deepest.max(depth + signs);
    }
    deepest
}

/// `FOR NO KEY UPDATE` as `FOR UPDATE` and `FOR KEY SHARE` as `FOR SHARE`, which the parser knows.
fn without_key_locks(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is = |token: &TokenWithSpan, word: &str| match &token.token {
        Token::Word(found) => found.quote_style.is_none() && found.value.eq_ignore_ascii_case(word),
        _ => false,
    };
    let mut at = 0;
    while at < tokens.len() {
        let drop = match &tokens[at..] {
            [f, no, key, update, ..]
                if is(f, "for") && is(no, "no") && is(key, "key") && is(update, "update") =>
            {
                2
            }
            [f, key, share, ..] if is(f, "for") && is(key, "key") && is(share, "share") => 1,
            _ => 0,
        };
        tokens.drain(at + 1..at + 1 + drop);
        at += 1;
    }
    tokens
}
