//! The text of a statement and places in it.

use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Token, TokenWithSpan};

use super::dialect::{Postgres, Stop};
use crate::error::SqlError;
use crate::syntax::Clauses;

/// The text that the tokens of a statement come from.
pub(crate) struct Source<'a> {
    pub(super) sql: &'a str,
    pub(super) lines: &'a Lines,
    /// What follows the tokens that are read.
    pub(super) after: Option<TokenWithSpan>,
    /// Whether to stop reading.
    pub(super) stop: &'a Stop,
}

impl Source<'_> {
    pub(super) fn offset(&self, place: Location) -> Option<usize> {
        self.lines.offset(self.sql, place.line, place.column)
    }

    /// What the parser reads tokens with; the clauses are there, and those that are read come to them.
    pub(crate) fn dialect(&self, clauses: &mut Clauses) -> Postgres {
        Postgres::with(std::mem::take(clauses), self.stop.clone())
    }

    /// A syntax error at a token, or at the end.
    pub(crate) fn unexpected(&self, token: Option<&TokenWithSpan>) -> SqlError {
        let Some(token) = token.or(self.after.as_ref()) else {
            let error = SqlError::syntax("syntax error at end of input");
            return error.at(chars(self.sql, self.sql.len()));
        };
        let error = SqlError::syntax(format!("syntax error at or near \"{}\"", token.token));
        match self.offset(token.span.start) {
            Some(at) => error.at(chars(self.sql, at)),
            None => error,
        }
    }

    /// A parser's error in PostgreSQL's form, with the place it names.
    pub(crate) fn syntax_error(&self, error: ParserError) -> SqlError {
        match is_at_end(&error) {
            true => self.unexpected(None),
            false => syntax_error(self.sql, error),
        }
    }
}

/// Where the lines of a text begin.
pub(super) struct Lines {
    pub(super) starts: Vec<usize>,
    pub(super) ascii: bool,
}

impl Lines {
    pub(super) fn of(sql: &str) -> Lines {
        let ends = sql.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Lines { starts, ascii: sql.is_ascii() }
    }

    /// The byte of a line and column, as [`offset`] finds it, without counting where all are bytes.
    pub(super) fn offset(&self, sql: &str, line: u64, column: u64) -> Option<usize> {
        if !self.ascii {
            return offset(sql, line, column);
        }
        let start = self.starts.get(usize::try_from(line).ok()?.checked_sub(1)?)?;
        Some((start + column.saturating_sub(1) as usize).min(sql.len()))
    }
}

/// Whether a parser has read all there is.
pub(super) fn ended(parser: &Parser<'_>) -> std::result::Result<(), ParserError> {
    let next = parser.peek_token_ref();
    match &next.token {
        Token::EOF => Ok(()),
        token => Err(ParserError::ParserError(format!(
            "syntax error at or near \"{token}\"{}",
            next.span.start
        ))),
    }
}

/// The byte of a line and column, both from 1; columns count characters.
pub(super) fn offset(sql: &str, line: u64, column: u64) -> Option<usize> {
    if line == 0 {
        return None;
    }
    let mut start = 0;
    for _ in 1..line {
        start += sql.get(start..)?.find('\n')? + 1;
    }
    let rest = sql.get(start..)?;
    let within = rest.char_indices().nth(column.saturating_sub(1) as usize);
    Some(start + within.map_or(rest.len(), |(at, _)| at))
}

/// The place of a byte as PostgreSQL counts: characters from 1.
pub(super) fn chars(sql: &str, at: usize) -> u32 {
    sql.get(..at).map_or(1, |before| before.chars().count() as u32 + 1)
}

/// Whether a parser came to the end of its tokens and wanted more.
pub(super) fn is_at_end(error: &ParserError) -> bool {
    match error {
        ParserError::TokenizerError(text) | ParserError::ParserError(text) => {
            text.contains(", found: EOF")
        }
        ParserError::RecursionLimitExceeded => false,
    }
}

/// A parser's error in PostgreSQL's form, with the place it names.
pub(super) fn syntax_error(sql: &str, error: ParserError) -> SqlError {
    let text = match error {
        ParserError::TokenizerError(text) | ParserError::ParserError(text) => text,
        ParserError::RecursionLimitExceeded => {
            return crate::bind::too_deep();
        }
    };
    let (text, place) = match text.rfind(" at Line: ") {
        Some(at) => (text[..at].to_owned(), Some(text[at..].to_owned())),
        None => (text, None),
    };
    let numbers: Vec<u64> = place
        .iter()
        .flat_map(|place| place.split(|c: char| !c.is_ascii_digit()))
        .filter_map(|digits| digits.parse().ok())
        .collect();
    let message = match text.split_once(", found: ") {
        Some((_, found)) => format!("syntax error at or near \"{found}\""),
        None if text.starts_with("syntax error") => text,
        None => format!("syntax error: {text}"),
    };
    let error = SqlError::syntax(message);
    match numbers.as_slice() {
        [line, column, ..] => match offset(sql, *line, *column) {
            Some(at) => error.at(chars(sql, at)),
            None => error,
        },
        _ => error,
    }
}
