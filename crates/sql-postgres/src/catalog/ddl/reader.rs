//! Reads a statement of the schema from its tokens; expressions and names in it are the parser's work.

use sqlparser::ast::{Ident, ObjectName};
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::error::{Result, SqlError};
use crate::parse::Source;
use crate::roomy::MAX_DEPTH;
use crate::syntax::Clauses;

/// Tokens without blanks, and a place among them.
pub(super) struct Reader<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) tokens: Vec<TokenWithSpan>,
    pub(super) at: usize,
    /// What the statement says that syntax trees have no place for.
    pub(super) clauses: &'a mut Clauses,
}

impl Reader<'_> {
    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|t| &t.token)
    }

    /// Whether the next words are these; then they are read.
    pub(super) fn words(&mut self, words: &str) -> bool {
        let mut at = self.at;
        for word in words.split(' ') {
            match self.tokens.get(at).map(|t| &t.token) {
                Some(Token::Word(w))
                    if w.quote_style.is_none() && w.value.eq_ignore_ascii_case(word) =>
                {
                    at += 1
                }
                _ => return false,
            }
        }
        self.at = at;
        true
    }

    pub(super) fn ends(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub(super) fn unexpected(&self) -> SqlError {
        self.source.unexpected(self.tokens.get(self.at))
    }

    /// Has the parser read something from here.
    pub(super) fn parsed<T>(
        &mut self,
        read: impl FnOnce(&mut Parser<'_>) -> Result<T, sqlparser::parser::ParserError>,
    ) -> Result<T> {
        let rest: Vec<TokenWithSpan> = self.tokens.get(self.at..).unwrap_or_default().to_vec();
        let dialect = self.source.dialect(self.clauses);
        let mut parser =
            Parser::new(&dialect).with_recursion_limit(MAX_DEPTH).with_tokens_with_locations(rest);
        let value = read(&mut parser);
        let read = parser.index();
        drop(parser);
        *self.clauses = dialect.clauses();
        let value = value.map_err(|error| self.source.syntax_error(error))?;
        self.at += read.min(self.tokens.len() - self.at);
        Ok(value)
    }

    pub(super) fn name(&mut self) -> Result<ObjectName> {
        self.parsed(|p| p.parse_object_name(false))
    }

    pub(super) fn ident(&mut self) -> Result<Ident> {
        self.parsed(|p| p.parse_identifier())
    }

    /// Whether a comma is next; then it is read.
    pub(super) fn comma(&mut self) -> bool {
        let found = matches!(self.peek(), Some(Token::Comma));
        self.at += usize::from(found);
        found
    }

    pub(super) fn number(&mut self) -> Result<i64> {
        let minus = match self.peek() {
            Some(Token::Minus) => "-",
            Some(Token::Plus) => "",
            _ => {
                return match self.peek() {
                    Some(Token::Number(digits, _)) => {
                        let read = digits.parse().map_err(|_| self.unexpected());
                        self.at += 1;
                        read
                    }
                    _ => Err(self.unexpected()),
                };
            }
        };
        self.at += 1;
        match self.peek() {
            Some(Token::Number(digits, _)) => {
                let read = format!("{minus}{digits}").parse().map_err(|_| self.unexpected());
                self.at += 1;
                read
            }
            _ => Err(self.unexpected()),
        }
    }
}
