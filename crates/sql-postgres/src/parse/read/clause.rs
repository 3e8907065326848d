//! The grammars of the clauses that are read off the tokens.
//!
//! Each method is called at the word that may begin its clause. If the clause is there, its tokens
//! are taken off and it is added to the table; if not, for `FOR` may also begin something else, the
//! token stays for the parser ([`Walk::keep`]). Expressions inside a clause are read by a parser of
//! their own.

use sqlparser::ast::{AccessExpr, Expr, Ident, ObjectName, Subscript};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Span, Token, TokenWithSpan};

use super::{Walk, clauses, is, is_token, keyword};
use crate::error::{Result, SqlError};
use crate::parse::source::{ended, is_at_end};
use crate::roomy::MAX_DEPTH;
use crate::syntax::{Excluded, Inference, Locking, Overriding, Strength, Waiting};

impl Walk<'_> {
    /// FOR UPDATE and the like, at the end of a query.
    pub(super) fn locking(&mut self) -> Result<()> {
        let level = self.level();
        let query = level.select.or(level.enclosed);
        let begins = [Keyword::UPDATE, Keyword::SHARE, Keyword::NO, Keyword::KEY, Keyword::READ];
        let (Some(query), true) = (query, begins.contains(&keyword(self.ahead(1)))) else {
            self.keep();
            return Ok(());
        };
        self.at += 1;
        let strength = self.strength()?;
        let mut of = Vec::new();
        if strength.is_some() && self.takes(Keyword::OF) {
            loop {
                of.push(self.name()?);
                if !is_token(self.ahead(0), &Token::Comma) {
                    break;
                }
                self.at += 1;
            }
        }
        let waiting = if strength.is_none() {
            Waiting::Wait
        } else if self.takes(Keyword::NOWAIT) {
            Waiting::NoWait
        } else if self.takes(Keyword::SKIP) {
            self.expect(Keyword::LOCKED)?;
            Waiting::Skip
        } else {
            Waiting::Wait
        };
        let follows = match self.ahead(0).map(|token| &token.token) {
            None | Some(Token::RParen) => true,
            Some(Token::Word(_)) => matches!(
                keyword(self.ahead(0)),
                Keyword::FOR
                    | Keyword::LIMIT
                    | Keyword::OFFSET
                    | Keyword::FETCH
                    | Keyword::ON
                    | Keyword::RETURNING
                    | Keyword::WITH
            ),
            _ => false,
        };
        if !follows {
            return Err(self.source.unexpected(self.ahead(0)));
        }
        if let Some(strength) = strength {
            self.clauses.add_locking(query, Locking { strength, of, waiting });
        }
        Ok(())
    }

    /// What follows FOR; nothing for READ ONLY, which locks nothing.
    fn strength(&mut self) -> Result<Option<Strength>> {
        Ok(if self.takes(Keyword::UPDATE) {
            Some(Strength::Update)
        } else if self.takes(Keyword::SHARE) {
            Some(Strength::Share)
        } else if self.takes(Keyword::KEY) {
            self.expect(Keyword::SHARE)?;
            Some(Strength::KeyShare)
        } else if self.takes(Keyword::NO) {
            self.expect(Keyword::KEY)?;
            self.expect(Keyword::UPDATE)?;
            Some(Strength::NoKeyUpdate)
        } else {
            self.expect(Keyword::READ)?;
            self.expect(Keyword::ONLY)?;
            None
        })
    }

    /// Whether a word is next; then it is left out.
    fn takes(&mut self, wanted: Keyword) -> bool {
        let found = keyword(self.ahead(0)) == wanted;
        self.at += usize::from(found);
        found
    }

    /// Leaves a word out that must be next.
    fn expect(&mut self, wanted: Keyword) -> Result<()> {
        match self.takes(wanted) {
            true => Ok(()),
            false => Err(self.source.unexpected(self.ahead(0))),
        }
    }

    /// Leaves a name out that must be next.
    fn name(&mut self) -> Result<ObjectName> {
        let mut parts: Vec<Ident> = Vec::new();
        loop {
            match self.ahead(0) {
                Some(TokenWithSpan { token: Token::Word(word), span }) => {
                    parts.push(word.to_ident(*span));
                }
                other => return Err(self.source.unexpected(other)),
            }
            self.at += 1;
            if !is_token(self.ahead(0), &Token::Period) {
                return Ok(ObjectName::from(parts));
            }
            self.at += 1;
        }
    }

    pub(super) fn insert(&mut self) -> Result<()> {
        let place = self.place();
        let into =
            keyword(self.ahead(1)) == Keyword::INTO || is_token(self.ahead(1), &Token::LParen);
        let level = self.level();
        (level.insert, level.into, level.assigns) = (Some(place), into, None);
        let merged = keyword(self.kept.last()) == Keyword::THEN;
        let defaults =
            keyword(self.ahead(1)) == Keyword::DEFAULT && keyword(self.ahead(2)) == Keyword::VALUES;
        self.keep();
        if merged && defaults {
            // The parser reads it in a statement of its own only; this is the form it knows without values.
            self.clauses.add_default_values(place);
            self.put(Token::Mul, self.tokens[self.at].span);
            self.at += 2;
        }
        Ok(())
    }

    pub(super) fn overriding(&mut self) -> Result<()> {
        let which = match self.ahead(1) {
            token if is(token, "system") => Some(Overriding::System),
            token if is(token, "user") => Some(Overriding::User),
            _ => None,
        };
        let value = keyword(self.ahead(2)) == Keyword::VALUE;
        match (which, self.level().insert) {
            (Some(which), Some(insert)) if value => {
                self.clauses.add_overriding(insert, which);
                self.at += 3;
            }
            _ => self.keep(),
        }
        Ok(())
    }

    /// The place of what closes the bracket at `open`.
    fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        for (at, token) in self.tokens.iter().enumerate().skip(open) {
            match token.token {
                Token::LParen | Token::LBracket => depth += 1,
                Token::RParen | Token::RBracket => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Reads some tokens with a parser of their own, to the last.
    fn parsed<T>(
        &mut self,
        range: std::ops::Range<usize>,
        read: impl FnOnce(&mut Parser<'_>) -> std::result::Result<T, ParserError>,
    ) -> Result<T> {
        let end = range.end;
        let tokens = self.tokens[range].to_vec();
        let tokens = clauses(self.source, tokens, self.clauses)?;
        let dialect = self.source.dialect(self.clauses);
        let mut parser = Parser::new(&dialect)
            .with_recursion_limit(MAX_DEPTH)
            .with_tokens_with_locations(tokens);
        let read = read(&mut parser).and_then(|read| ended(&parser).map(|()| read));
        drop(parser);
        *self.clauses = dialect.clauses();
        read.map_err(|error| match is_at_end(&error) {
            true => self.source.unexpected(self.tokens.get(end)),
            false => self.source.syntax_error(error),
        })
    }

    /// What follows ON CONFLICT, where it is more than columns.
    pub(super) fn conflict(&mut self) -> Result<()> {
        let open = self.at + 1;
        self.keep();
        let (true, Some(insert)) = (is_token(self.ahead(0), &Token::LParen), self.level().insert)
        else {
            return Ok(());
        };
        let close = self.closing(open).unwrap_or(self.tokens.len());
        let inside = &self.tokens[open + 1..close];
        let plain = inside.iter().enumerate().all(|(at, token)| match at % 2 {
            0 => matches!(token.token, Token::Word(_)),
            _ => token.token == Token::Comma,
        });
        let filtered = keyword(self.tokens.get(close + 1)) == Keyword::WHERE;
        if plain && !filtered {
            return Ok(());
        }
        let elements = self.parsed(open + 1..close, |parser| {
            let elements = parser.parse_comma_separated(conflict_element)?;
            let next = parser.peek_token_ref();
            let classed =
                matches!(next.token, Token::Word(_)) && keyword(Some(next)) != Keyword::DO;
            (0..usize::from(classed)).for_each(|_| parser.advance_token());
            Ok((elements, classed))
        });
        let elements = match elements? {
            (elements, false) => elements,
            (_, true) => return Err(SqlError::unsupported("an operator class in ON CONFLICT")),
        };
        if close == self.tokens.len() {
            return Err(self.source.unexpected(None));
        }
        let (predicate, end) = match filtered {
            false => (None, close + 1),
            true => {
                let end = self.outside(close + 2, Keyword::DO).unwrap_or(self.tokens.len());
                (Some(self.parsed(close + 2..end, |parser| parser.parse_expr())?), end)
            }
        };
        self.clauses.add_inference(insert, Inference { elements, predicate });
        self.at = end;
        Ok(())
    }

    /// The place of a word outside brackets.
    fn outside(&self, from: usize, wanted: Keyword) -> Option<usize> {
        let mut at = from;
        while at < self.tokens.len() {
            match self.tokens[at].token {
                Token::LParen | Token::LBracket => at = self.closing(at)?,
                Token::RParen => return None,
                _ if keyword(self.tokens.get(at)) == wanted => return Some(at),
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// `xs[2]` where a column is assigned to; whether that is here.
    pub(super) fn element(&mut self) -> Result<bool> {
        let mut end = self.at + 1;
        while is_token(self.tokens.get(end), &Token::LBracket) {
            match self.closing(end) {
                Some(close) => end = close + 1,
                None => return Ok(false),
            }
        }
        if end == self.at + 1 {
            return Ok(false);
        }
        let place = self.place();
        let read = self.parsed(self.at..end, |parser| parser.parse_expr())?;
        let Some(subscripts) = subscripts(read) else { return Ok(false) };
        self.clauses.add_subscripts(place, subscripts);
        self.keep();
        self.at = end;
        Ok(true)
    }

    /// `FETCH FIRST (n + 1) ROWS …`: the parser takes a number there, and is given one that reads like the
    /// expression.
    pub(super) fn fetch(&mut self) -> Result<()> {
        let first = matches!(keyword(self.ahead(1)), Keyword::FIRST | Keyword::NEXT);
        let open = self.at + 2;
        let close = match first && is_token(self.tokens.get(open), &Token::LParen) {
            true => self.closing(open),
            false => None,
        };
        self.keep();
        let Some(close) = close else { return Ok(()) };
        if !matches!(keyword(self.tokens.get(close + 1)), Keyword::ROW | Keyword::ROWS) {
            return Ok(());
        }
        let (last, ties) = (close + 2, close + 3);
        match keyword(self.tokens.get(last)) {
            Keyword::ONLY => {}
            Keyword::WITH if keyword(self.tokens.get(ties)) == Keyword::TIES => {}
            Keyword::WITH => return Err(self.source.unexpected(self.tokens.get(ties))),
            _ => return Err(self.source.unexpected(self.tokens.get(last))),
        }
        self.keep();
        let place = self.place();
        let quantity = self.parsed(open..close + 1, |parser| parser.parse_expr())?;
        let text = quantity.to_string();
        self.clauses.add_quantity(place, quantity);
        let span = Span::new(place, self.tokens[close].span.end);
        self.put(Token::Number(text, false), span);
        self.at = close + 1;
        Ok(())
    }

    /// What a window's frame leaves out, at the end of its definition.
    pub(super) fn excluded(&mut self) -> Result<()> {
        let ends = matches!(
            keyword(self.kept.last()),
            Keyword::ROW | Keyword::PRECEDING | Keyword::FOLLOWING
        );
        let (words, excluded) = match (keyword(self.ahead(1)), keyword(self.ahead(2))) {
            (Keyword::CURRENT, Keyword::ROW) => (3, Some(Excluded::CurrentRow)),
            (Keyword::NO, _) if is(self.ahead(2), "others") => (3, Some(Excluded::NoOthers)),
            (Keyword::GROUP, _) => (2, Some(Excluded::Group)),
            (Keyword::TIES, _) => (2, Some(Excluded::Ties)),
            _ => (0, None),
        };
        let closes = is_token(self.ahead(words), &Token::RParen);
        match (excluded, self.level().window) {
            (Some(excluded), Some(window)) if ends && closes => {
                self.clauses.add_excluded(window, excluded);
                self.at += words;
            }
            _ => self.keep(),
        }
        Ok(())
    }
}

/// An element of a target of ON CONFLICT: a column, a call, or any expression in parentheses.
fn conflict_element(parser: &mut Parser<'_>) -> std::result::Result<Expr, ParserError> {
    let expr = parser.parse_prefix()?;
    match parser.parse_keyword(Keyword::COLLATE) {
        true => {
            let collation = parser.parse_object_name(false)?;
            Ok(Expr::Collate { expr: Box::new(expr), collation })
        }
        false => Ok(expr),
    }
}

/// The subscripts of an expression that is a column with subscripts and nothing else.
fn subscripts(expr: Expr) -> Option<Vec<Subscript>> {
    let Expr::CompoundFieldAccess { root, access_chain } = expr else { return None };
    let Expr::Identifier(_) = *root else { return None };
    let subscripts = access_chain.into_iter().map(|access| match access {
        AccessExpr::Subscript(subscript) => Some(subscript),
        AccessExpr::Dot(_) => None,
    });
    subscripts.collect()
}
