//! Where in a text the parser is, and the steps that all of the grammar is made of.
//!
//! The grammar never goes back: it looks as many tokens ahead as it needs and then takes them. So the token that
//! cannot stand where it does is the one that the parser is at, and the servers' parsers, which do not go back
//! either, name the same one.

use hobgoblin_sql_schema::roomy::MAX_DEPTH;
use hobgoblin_sql_schema::syntax::Clauses;
use sqlparser::ast::helpers::attached_token::AttachedToken;
use sqlparser::ast::{Ident, ObjectName};
use sqlparser::tokenizer::{Location, Span, Token as SyntaxToken, TokenWithSpan};

use super::error::{ParseError, near};
use super::keywords;
use super::lex::Lexer;
use super::reading::Reading;
use super::token::{Kind, Token};
use crate::syntax::Aside;
use hobgoblin_sql_mysql_types::Version;

/// What reading gives.
pub(super) type Result<T> = std::result::Result<T, ParseError>;

/// The parser of one statement.
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) reading: Reading,
    lexer: Lexer<'a>,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    /// What the tree has no place for.
    pub(super) clauses: Clauses,
    /// What the statement says beside its tree.
    pub(super) aside: Aside,
    /// Whether a row that is there already is updated, so that VALUES means the one that is not inserted.
    pub(super) updates_row: bool,
    /// How many queries are open.
    pub(super) queries: usize,
    /// How deep in the bodies of stored programs it is.
    pub(super) bodies: usize,
}

impl<'a> Parser<'a> {
    /// At a byte of a text.
    pub(super) fn new(text: &'a str, at: usize, reading: Reading) -> Parser<'a> {
        Parser {
            text,
            reading,
            lexer: Lexer::new(text, at, reading),
            tokens: Vec::new(),
            at: 0,
            depth: 0,
            clauses: Clauses::default(),
            aside: Aside::default(),
            updates_row: false,
            queries: 0,
            bodies: 0,
        }
    }

    pub(super) fn version(&self) -> Version {
        self.reading.version
    }

    pub(super) fn is_mariadb(&self) -> bool {
        !self.version().is_mysql()
    }

    /// The token some steps ahead; the next one is none ahead.
    pub(super) fn ahead(&mut self, by: usize) -> &Token {
        while self.tokens.len() <= self.at + by {
            let token = self.lexer.token();
            self.tokens.push(token);
        }
        &self.tokens[self.at + by]
    }

    pub(super) fn peek(&mut self) -> &Token {
        self.ahead(0)
    }

    pub(super) fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    /// The byte where the next token begins.
    pub(super) fn start(&mut self) -> usize {
        self.peek().start
    }

    /// The byte after the last token that was taken.
    pub(super) fn end(&self) -> usize {
        self.at.checked_sub(1).map_or(0, |last| self.tokens[last].end)
    }

    /// The place of the next token.
    pub(super) fn place(&mut self) -> Location {
        self.peek().place
    }

    /// From the first byte of a token to the end of the last that was taken.
    pub(super) fn since(&self, first: &Token) -> Span {
        let last = self.at.checked_sub(1).map(|last| self.tokens[last].span().end);
        Span { start: first.place, end: last.unwrap_or(first.place) }
    }

    /// Whether a token ahead is a word.
    pub(super) fn is_ahead(&mut self, by: usize, word: &str) -> bool {
        let text = self.text;
        let token = self.ahead(by);
        token.kind == Kind::Word && text[token.start..token.end].eq_ignore_ascii_case(word)
    }

    pub(super) fn is(&mut self, word: &str) -> bool {
        self.is_ahead(0, word)
    }

    pub(super) fn is_one_of(&mut self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    /// Whether these words follow.
    pub(super) fn are(&mut self, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(by, word)| self.is_ahead(by, word))
    }

    /// Takes a word if it is next.
    pub(super) fn takes(&mut self, word: &str) -> bool {
        let is = self.is(word);
        self.at += usize::from(is);
        is
    }

    /// Takes these words if they all follow.
    pub(super) fn takes_all(&mut self, words: &[&str]) -> bool {
        let are = self.are(words);
        self.at += if are { words.len() } else { 0 };
        are
    }

    /// Takes one of these words if it is next, and says which.
    pub(super) fn takes_one_of<'w>(&mut self, words: &[&'w str]) -> Option<&'w str> {
        let found = words.iter().find(|word| self.is(word)).copied();
        self.at += usize::from(found.is_some());
        found
    }

    pub(super) fn expect(&mut self, word: &str) -> Result<()> {
        if self.takes(word) { Ok(()) } else { Err(self.unexpected()) }
    }

    pub(super) fn expect_all(&mut self, words: &[&str]) -> Result<()> {
        words.iter().try_for_each(|word| self.expect(word))
    }

    pub(super) fn expect_one_of<'w>(&mut self, words: &[&'w str]) -> Result<&'w str> {
        self.takes_one_of(words).ok_or_else(|| self.unexpected())
    }

    pub(super) fn is_sign_ahead(&mut self, by: usize, sign: &str) -> bool {
        matches!(self.ahead(by).kind, Kind::Sign(found) if found == sign)
    }

    pub(super) fn is_sign(&mut self, sign: &str) -> bool {
        self.is_sign_ahead(0, sign)
    }

    /// Takes a sign if it is next.
    pub(super) fn takes_sign(&mut self, sign: &str) -> bool {
        let is = self.is_sign(sign);
        self.at += usize::from(is);
        is
    }

    pub(super) fn expect_sign(&mut self, sign: &str) -> Result<()> {
        if self.takes_sign(sign) { Ok(()) } else { Err(self.unexpected()) }
    }

    /// Whether the statement ends here.
    pub(super) fn is_over(&mut self) -> bool {
        self.peek().kind == Kind::End || self.is_sign(";")
    }

    /// The next token cannot stand where it does.
    pub(super) fn unexpected(&mut self) -> ParseError {
        let version = self.version();
        let text = self.text;
        // MariaDB's scanner makes one token of two words, which it tells by the second, and of a parenthesis and LIKE.
        if !version.is_mysql() && self.are(&["WITH", "ROLLUP"]) {
            self.at += 1;
        } else if !version.is_mysql() && self.is("LIKE") && self.at > 0 {
            self.at -= usize::from(self.tokens[self.at - 1].kind == Kind::Sign("("));
        }
        let token = self.peek();
        // The servers' scanners have passed over a comma when it is looked at.
        let from = if token.kind == Kind::Sign(",") { token.end } else { token.start };
        let rest = &text[from..];
        ParseError::Syntax { version, near: near(rest, version), line: token.line }
    }

    /// Does what goes one level deeper.
    pub(super) fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            return Err(ParseError::TooDeep { most: MAX_DEPTH });
        }
        self.depth += 1;
        let done = work(self);
        self.depth -= 1;
        done
    }

    /// `( … )`.
    pub(super) fn in_parens<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.expect_sign("(")?;
        let inner = work(self)?;
        self.expect_sign(")")?;
        Ok(inner)
    }

    /// One or more, with commas between them.
    pub(super) fn listed<T>(
        &mut self,
        mut work: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut all = vec![work(self)?];
        while self.takes_sign(",") {
            all.push(work(self)?);
        }
        Ok(all)
    }

    /// A token as trees keep it, for its place.
    pub(super) fn attached(&mut self) -> AttachedToken {
        let span = self.peek().span();
        AttachedToken(TokenWithSpan { token: SyntaxToken::EOF, span })
    }

    /// Whether a token ahead may be a name.
    pub(super) fn is_name_ahead(&mut self, by: usize) -> bool {
        let (text, version) = (self.text, self.version());
        let token = self.ahead(by);
        match token.kind {
            Kind::Quoted(_) | Kind::Name => true,
            Kind::Word => !keywords::is_reserved(&text[token.start..token.end], version),
            _ => false,
        }
    }

    pub(super) fn is_name(&mut self) -> bool {
        self.is_name_ahead(0)
    }

    /// A name of one part.
    pub(super) fn ident(&mut self) -> Result<Ident> {
        match self.is_name() {
            true => Ok(self.taken_ident()),
            false => Err(self.unexpected()),
        }
    }

    /// The next token as a name, whatever it is.
    pub(super) fn taken_ident(&mut self) -> Ident {
        let token = self.advance();
        let span = token.span();
        match token.kind {
            Kind::Quoted(value) => Ident { value, quote_style: Some('`'), span },
            _ => Ident {
                value: self.text[token.start..token.end].to_owned(),
                quote_style: None,
                span,
            },
        }
    }

    /// A name or a string.
    pub(super) fn ident_or_text(&mut self) -> Result<Ident> {
        let token = self.peek().clone();
        let span = token.span();
        match token.kind {
            Kind::Text(value) => {
                self.advance();
                Ok(Ident { value, quote_style: Some('\''), span })
            }
            _ => self.ident(),
        }
    }

    /// A string.
    pub(super) fn string(&mut self) -> Result<String> {
        match self.peek().kind.clone() {
            Kind::Text(text) => {
                self.advance();
                Ok(text)
            }
            _ => Err(self.unexpected()),
        }
    }

    /// A comment on a table, a column or a key, which MariaDB keeps in `utf8mb3`: a character that takes four bytes becomes a
    /// question mark.
    pub(super) fn comment(&mut self) -> Result<String> {
        let text = self.string()?;
        if self.reading.version.is_mysql() {
            return Ok(text);
        }
        Ok(text.chars().map(|letter| if letter.len_utf8() > 3 { '?' } else { letter }).collect())
    }

    /// Digits.
    pub(super) fn integer(&mut self) -> Result<u64> {
        let text = self.text;
        let token = self.peek();
        let digits = &text[token.start..token.end];
        match token.kind {
            // One that is too large is refused for what it is meant for, later on.
            Kind::Integer => {
                let number = digits.parse().unwrap_or(u64::MAX);
                self.advance();
                Ok(number)
            }
            _ => Err(self.unexpected()),
        }
    }

    /// `name` or `database.name`.
    pub(super) fn table_name(&mut self) -> Result<ObjectName> {
        // `.name` is a name of the database in use.
        let bare = self.takes_sign(".");
        let mut parts = vec![self.ident()?];
        if !bare && self.takes_sign(".") {
            parts.push(self.ident()?);
        }
        Ok(parts.into())
    }

    /// `name`, `table.name` or `database.table.name`.
    pub(super) fn column_name(&mut self) -> Result<ObjectName> {
        if self.takes_sign(".") {
            let table = self.ident()?;
            self.expect_sign(".")?;
            return Ok(vec![table, self.ident()?].into());
        }
        let mut parts = vec![self.ident()?];
        while parts.len() < 3 && self.takes_sign(".") {
            parts.push(self.ident()?);
        }
        Ok(parts.into())
    }

    /// How many parameters were read.
    pub(super) fn parameters(&self) -> usize {
        self.tokens.iter().filter(|token| matches!(token.kind, Kind::Parameter(_))).count()
    }

    /// `IF EXISTS`.
    pub(super) fn if_exists(&mut self) -> Result<bool> {
        let is = self.takes("IF");
        if is {
            self.expect("EXISTS")?;
        }
        Ok(is)
    }

    /// `IF NOT EXISTS`.
    pub(super) fn if_not_exists(&mut self) -> Result<bool> {
        let is = self.takes("IF");
        if is {
            self.expect_all(&["NOT", "EXISTS"])?;
        }
        Ok(is)
    }
}
