//! A file in sections: statements of the schema, transactions, functions, invariants.
//!
//! The whole file is read as tokens once, so that a `-- end` in a string or a semicolon in a body is what it is. Comments
//! speak to us only between statements, and as the first thing on their line where a transaction ends.
//!
//! ```text
//!     CREATE TABLE t (…);                          Statement
//!     -- invariant t: n >= 0                       Invariant
//!     -- transaction f(p int) requires p > 0       Transaction: header, what is required,
//!     UPDATE t SET n = p;                            body
//!     -- end
//!     -- requires p > 0
//!     CREATE FUNCTION g(p int) … AS $$ … $$;       Transaction, too
//! ```
//!
//! A comment goes on in the next line if that is a comment, too, with three blanks or more before its first word.

use sqlparser::tokenizer::{Token, TokenWithSpan, Whitespace};

use super::error::{Fault, Problem, Result};
use super::tokens::{place, tokens};
use crate::program::Place;

/// Pieces of the file that are read as one.
pub(super) type Pieces = Vec<Place>;

/// A part of the file.
#[derive(Debug)]
pub(super) enum Section {
    /// A statement of the schema.
    Statement(Place),
    /// `-- invariant`, without that word.
    Invariant(Pieces),
    /// A transaction.
    Transaction(Written),
}

/// A transaction as it is written.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) head: Head,
    /// What follows `-- requires`: right behind the header of a transaction, before a function and in its header.
    pub(super) requires: Vec<Pieces>,
    /// All of it.
    pub(super) place: Place,
}

/// In which of two ways a transaction is written.
#[derive(Debug)]
pub(super) enum Head {
    /// `-- transaction … -- end`: the comment, without the word `transaction`, and the body.
    Comment(Pieces, Place),
    /// `CREATE FUNCTION` or `CREATE PROCEDURE`: its tokens, without blanks.
    Function(Vec<TokenWithSpan>),
}

/// The sections of a file.
pub(super) fn sections(text: &str) -> Result<Vec<Section>> {
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    // Some editors begin a file with a mark of its encoding.
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let tokens = tokens(text, &[Place { start, end }])?;
    let mut cutter = Cutter { text, tokens: &tokens, at: 0, pending: Vec::new() };
    let mut sections = Vec::new();
    while cutter.at < tokens.len() {
        sections.extend(cutter.section()?);
    }
    match cutter.pending.first().and_then(|pieces| pieces.first()) {
        Some(at) => Err(Fault::new(*at, Problem::Stray { what: "`-- requires`" })),
        None => Ok(sections),
    }
}

/// What a comment says to us.
enum Said {
    Transaction(Pieces),
    Invariant(Pieces),
    Requires(Pieces),
    End(Place),
    Nothing,
}

struct Cutter<'a> {
    text: &'a str,
    tokens: &'a [TokenWithSpan],
    at: usize,
    /// What `-- requires` said, for what follows.
    pending: Vec<Pieces>,
}

impl Cutter<'_> {
    fn section(&mut self) -> Result<Option<Section>> {
        let token = &self.tokens[self.at];
        match &token.token {
            Token::Whitespace(_) => match self.said() {
                Said::Transaction(header) => self.transaction(header).map(Some),
                Said::Invariant(pieces) => Ok(Some(Section::Invariant(pieces))),
                Said::Requires(pieces) => {
                    self.pending.push(pieces);
                    Ok(None)
                }
                Said::End(at) => Err(Fault::new(at, Problem::Stray { what: "`-- end`" })),
                Said::Nothing => Ok(None),
            },
            Token::SemiColon | Token::EOF => {
                self.at += 1;
                Ok(None)
            }
            _ => self.statement(),
        }
    }

    /// The text of a comment at the next token, without its signs and the blanks around.
    fn comment(&self, at: usize) -> Option<Place> {
        let token = self.tokens.get(at)?;
        let Token::Whitespace(Whitespace::SingleLineComment { .. }) = &token.token else {
            return None;
        };
        let whole = place(token.span);
        let text = self.text.get(whole.range())?.strip_prefix("--")?;
        let start = whole.start + 2 + (text.len() - text.trim_start().len()) as u32;
        Some(Place { start, end: start + text.trim().len() as u32 })
    }

    /// Takes blanks, or a comment with those it goes on in.
    fn said(&mut self) -> Said {
        let comment = self.comment(self.at);
        self.at += 1;
        let Some(first) = comment else { return Said::Nothing };
        let text = self.text.get(first.range()).unwrap_or_default();
        if text.eq_ignore_ascii_case("end") {
            return Said::End(first);
        }
        let word = text.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        let rest = |word: &str| {
            let rest = &text[word.len()..];
            let blanks = rest.len() - rest.trim_start().len();
            Place { start: first.start + (word.len() + blanks) as u32, end: first.end }
        };
        let word = word.to_ascii_lowercase();
        match word.as_str() {
            "transaction" => Said::Transaction(self.goes_on(rest(&word))),
            "invariant" => Said::Invariant(self.goes_on(rest(&word))),
            "requires" => Said::Requires(self.goes_on(rest(&word))),
            _ => Said::Nothing,
        }
    }

    /// A comment with those on the following lines that belong to it.
    fn goes_on(&mut self, first: Place) -> Pieces {
        let mut pieces = vec![first];
        let mut end = first.end;
        loop {
            let is_blank = |at: usize| {
                let token = self.tokens.get(at).map(|token| &token.token);
                matches!(token, Some(Token::Whitespace(_))) && self.comment(at).is_none()
            };
            let next = (self.at..).find(|at| !is_blank(*at)).unwrap_or(self.at);
            let Some(more) = self.comment(next) else { return pieces };
            let start = place(self.tokens[next].span).start;
            let between = self.text.get(end as usize..start as usize).unwrap_or_default();
            if more.start < start + 5 || between.matches('\n').count() != 1 {
                return pieces;
            }
            pieces.push(more);
            end = more.end;
            self.at = next + 1;
        }
    }

    /// `-- transaction`, from behind its header to `-- end`.
    fn transaction(&mut self, header: Pieces) -> Result<Section> {
        let start = header.first().map_or(0, |first| first.start);
        let begin = self.text[..start as usize].rfind("--").unwrap_or(start as usize) as u32;
        let mut requires = std::mem::take(&mut self.pending);
        let (mut body, mut empty) = (None, true);
        while let Some(token) = self.tokens.get(self.at) {
            let from = place(token.span).start;
            let from = *body.get_or_insert(from);
            if !matches!(token.token, Token::Whitespace(_)) {
                empty = false;
                self.at += 1;
                continue;
            }
            let ends = place(token.span).start;
            let first = self.comment(self.at).is_some() && self.first_on_line(self.at);
            match self.said() {
                Said::End(at) if first => {
                    let (body, place) =
                        (Place { start: from, end: ends }, Place { start: begin, end: at.end });
                    let head = Head::Comment(header, body);
                    return Ok(Section::Transaction(Written { head, requires, place }));
                }
                Said::Requires(pieces) if empty => requires.push(pieces),
                Said::Transaction(_) if first => break,
                _ => {}
            }
        }
        let name = self.text.get(header[0].range()).unwrap_or_default().trim();
        let name = name.split(|c: char| !c.is_alphanumeric() && c != '_').next();
        let name = name.unwrap_or_default().to_owned();
        Err(Fault::new(header[0], Problem::MissingEnd { name }))
    }

    /// Whether only blanks stand before a token on its line.
    fn first_on_line(&self, at: usize) -> bool {
        let start = place(self.tokens[at].span).start as usize;
        let line = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        self.text[line..start].trim().is_empty()
    }

    /// A statement, to its semicolon.
    fn statement(&mut self) -> Result<Option<Section>> {
        let first = self.at;
        let mut tokens: Vec<TokenWithSpan> = Vec::new();
        let mut requires = Vec::new();
        let mut depth = 0_usize;
        while let Some(token) = self.tokens.get(self.at) {
            match &token.token {
                Token::SemiColon | Token::EOF => break,
                Token::Whitespace(_) => {
                    let alone = depth == 0 && self.comment(self.at).is_some();
                    let alone = alone && self.first_on_line(self.at);
                    match self.said() {
                        Said::Requires(pieces) => requires.push(pieces),
                        Said::Transaction(pieces) | Said::Invariant(pieces) if alone => {
                            return Err(unfinished(pieces[0]));
                        }
                        Said::End(at) if alone => return Err(unfinished(at)),
                        _ => {}
                    }
                    continue;
                }
                Token::LParen => depth += 1,
                Token::RParen => depth = depth.saturating_sub(1),
                _ => {}
            }
            tokens.push(token.clone());
            self.at += 1;
        }
        let last = tokens.last().map_or(self.tokens[first].span, |last| last.span);
        let place = Place { start: place(self.tokens[first].span).start, end: place(last).end };
        let words: Vec<String> = tokens.iter().take(5).map(word).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["create", "function" | "procedure", ..]
            | ["create", "or", "replace", "function" | "procedure", ..] => {
                let mut all = std::mem::take(&mut self.pending);
                all.extend(requires);
                let head = Head::Function(tokens);
                Ok(Some(Section::Transaction(Written { head, requires: all, place })))
            }
            [
                "set" | "comment" | "grant" | "revoke" | "analyze" | "begin" | "commit" | "start",
                ..,
            ]
            | ["create", "extension", ..]
            | ["drop", _, "if", "exists", ..] => Ok(None),
            _ => Ok(Some(Section::Statement(place))),
        }
    }
}

/// A comment that speaks to us would be lost in the statement before it.
fn unfinished(at: Place) -> Fault {
    let message = "the statement before this comment has no semicolon".to_owned();
    Fault::new(at, Problem::Syntax { message })
}

/// A token as a word, in lower case.
pub(super) fn word(token: &TokenWithSpan) -> String {
    match &token.token {
        Token::Word(word) if word.quote_style.is_none() => word.value.to_ascii_lowercase(),
        _ => String::new(),
    }
}
