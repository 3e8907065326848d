//! Reads off the tokens of a statement what the parser cannot read, into [`Clauses`].
//!
//! One walk goes over the tokens, with one [`Level`] for each bracket that is open. A clause is read by a small
//! grammar, with a parser of its own for the expressions inside it, and left out of the tokens that the parser
//! is given; the table has it under the place of a token that stays.
//!
//! ```text
//!     SELECT a FROM t WHERE b IN (SELECT c FROM u FOR SHARE) FOR UPDATE OF t
//!     level 0: SELECT at 1                                   FOR UPDATE is of the SELECT at 1
//!                                 level 1: SELECT at 29      FOR SHARE is of the SELECT at 29
//! ```
//!
//! Some forms mean the same as others that the parser knows, and become those: `TABLE t` is `SELECT * FROM t`, a
//! named argument with `:=` is one with `=>`, and ONLY before a table says nothing where nothing inherits.

mod clause;
mod whole;

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Location, Span, Token, TokenWithSpan};

use super::source::Source;
use crate::error::Result;
use crate::syntax::Clauses;

pub(super) use whole::{copy, deferrable, view};

/// The keyword of a token; none for what is quoted or no word.
fn keyword(token: Option<&TokenWithSpan>) -> Keyword {
    match token.map(|token| &token.token) {
        Some(Token::Word(word)) if word.quote_style.is_none() => word.keyword,
        _ => Keyword::NoKeyword,
    }
}

/// Whether a token is this word without quotes, which may be no keyword of the parser's.
fn is(token: Option<&TokenWithSpan>, wanted: &str) -> bool {
    matches!(token.map(|token| &token.token), Some(Token::Word(word))
        if word.quote_style.is_none() && word.value.eq_ignore_ascii_case(wanted))
}

fn is_token(token: Option<&TokenWithSpan>, wanted: &Token) -> bool {
    token.is_some_and(|token| token.token == *wanted)
}

/// What is known of a bracket that is open, or of the whole statement.
#[derive(Default)]
struct Level {
    /// The place of the last SELECT, or of the first row after the last VALUES.
    select: Option<Location>,
    /// That of the last query in parentheses that may be one of those that are combined here.
    enclosed: Option<Location>,
    /// Whether ORDER BY, LIMIT or the like was read: no more queries are combined here.
    ordered: bool,
    /// The place of the last INSERT.
    insert: Option<Location>,
    /// Whether the list of columns of an INSERT may follow.
    into: bool,
    /// The name of the last function that was called.
    call: Option<Location>,
    /// Whose window the bracket defines: a function's, or that of a name.
    window: Option<Location>,
    /// Whether columns are assigned to here, and whether one may be named next.
    assigns: Option<bool>,
    /// Whether the bracket is a list of columns to assign to.
    targets: bool,
}

/// The walk over the tokens.
struct Walk<'a> {
    source: &'a Source<'a>,
    tokens: Vec<TokenWithSpan>,
    at: usize,
    kept: Vec<TokenWithSpan>,
    levels: Vec<Level>,
    clauses: &'a mut Clauses,
}

/// Takes clauses out of the tokens of a statement.
pub(super) fn clauses(
    source: &Source<'_>,
    tokens: Vec<TokenWithSpan>,
    clauses: &mut Clauses,
) -> Result<Vec<TokenWithSpan>> {
    if !tokens.iter().any(begins) {
        return Ok(tokens);
    }
    let kept = Vec::with_capacity(tokens.len());
    let levels = vec![Level::default()];
    let mut walk = Walk { source, tokens, at: 0, kept, levels, clauses };
    while walk.at < walk.tokens.len() {
        walk.step()?;
    }
    Ok(walk.kept)
}

/// Whether a token may begin what the walk looks for.
fn begins(token: &TokenWithSpan) -> bool {
    match &token.token {
        Token::Mul | Token::Assignment | Token::LBracket => true,
        Token::Word(word) => match word.keyword {
            Keyword::FOR | Keyword::CONFLICT | Keyword::EXCLUDE | Keyword::FETCH => true,
            Keyword::ONLY | Keyword::TABLE | Keyword::MERGE => true,
            Keyword::NoKeyword => word.value.eq_ignore_ascii_case("overriding"),
            _ => false,
        },
        _ => false,
    }
}

impl Walk<'_> {
    fn level(&mut self) -> &mut Level {
        if self.levels.is_empty() {
            self.levels.push(Level::default());
        }
        self.levels.last_mut().expect("one was pushed if there was none")
    }

    fn ahead(&self, by: usize) -> Option<&TokenWithSpan> {
        self.tokens.get(self.at + by)
    }

    fn place(&self) -> Location {
        self.tokens[self.at].span.start
    }

    /// Keeps the next token.
    fn keep(&mut self) {
        let span = self.tokens[self.at].span;
        let token = std::mem::replace(&mut self.tokens[self.at].token, Token::EOF);
        self.kept.push(TokenWithSpan { token, span });
        self.at += 1;
    }

    /// Puts a token in the place of others.
    fn put(&mut self, token: Token, span: Span) {
        self.kept.push(TokenWithSpan { token, span });
    }

    fn step(&mut self) -> Result<()> {
        let first = std::mem::take(&mut self.level().assigns);
        self.level().assigns = first.map(|_| false);
        let target = first == Some(true) || self.in_targets();
        match &self.tokens[self.at].token {
            Token::LParen => self.open(first == Some(true)),
            Token::RParen => self.close(),
            Token::Comma => {
                if let Some(next) = &mut self.level().assigns {
                    *next = true;
                }
                self.keep();
            }
            Token::Assignment => {
                self.put(Token::RArrow, self.tokens[self.at].span);
                self.at += 1;
            }
            Token::Mul => self.star(),
            Token::Word(word) if target && word.keyword != Keyword::SELECT => {
                if !self.element()? {
                    self.word()?;
                }
            }
            Token::Word(_) => self.word()?,
            _ => self.keep(),
        }
        Ok(())
    }

    /// Whether a column to assign to may stand here, in a list of them.
    fn in_targets(&mut self) -> bool {
        let begins = matches!(
            self.kept.last().map(|token| &token.token),
            Some(Token::LParen | Token::Comma)
        );
        begins && self.level().targets
    }

    fn open(&mut self, target: bool) {
        let before = self.kept.last();
        let (word, place) = (keyword(before), before.map(|token| token.span.start));
        let named = matches!(before.map(|token| &token.token), Some(Token::Word(_)));
        let query = [Keyword::SELECT, Keyword::VALUES, Keyword::WITH, Keyword::TABLE];
        let list =
            !query.contains(&keyword(self.ahead(1))) && !is_token(self.ahead(1), &Token::LParen);
        let defined = match self.kept.len().checked_sub(2).and_then(|at| self.kept.get(at)) {
            Some(name) if word == Keyword::AS && matches!(name.token, Token::Word(_)) => {
                Some(name.span.start)
            }
            _ => None,
        };
        let level = self.level();
        let mut inner = Level::default();
        match word {
            Keyword::OVER => inner.window = level.call,
            Keyword::AS => inner.window = defined,
            Keyword::FILTER | Keyword::GROUP => {}
            _ if named => level.call = place,
            _ => {}
        }
        let into = std::mem::take(&mut level.into);
        inner.targets = target || into && list;
        self.levels.push(inner);
        self.keep();
    }

    fn close(&mut self) {
        let inner = self.levels.pop().unwrap_or_default();
        let level = self.level();
        if !level.ordered
            && let Some(query) = inner.select.or(inner.enclosed)
        {
            level.enclosed = Some(query);
        }
        self.keep();
    }

    /// `(row).*`: the parser reads a star only after the names of a source, and a field after what else there is.
    /// This is the field `*` without quotes, which prints as it was written and which nobody else can name.
    fn star(&mut self) {
        let before = self.kept.len().checked_sub(2).map(|at| &self.kept[at..]);
        let row = before.is_some_and(|before| {
            matches!(before[0].token, Token::RParen | Token::RBracket)
                && before[1].token == Token::Period
        });
        match row {
            true => {
                self.put(Token::make_word("*", None), self.tokens[self.at].span);
                self.at += 1;
            }
            false => self.keep(),
        }
    }

    fn word(&mut self) -> Result<()> {
        let place = self.place();
        let word = keyword(self.ahead(0));
        match word {
            Keyword::SELECT => {
                let level = self.level();
                (level.select, level.into) = (Some(place), false);
            }
            Keyword::WITH | Keyword::DEFAULT => self.level().into = false,
            Keyword::VALUES => {
                if let Some(row) = self.ahead(1).filter(|t| t.token == Token::LParen) {
                    let row = row.span.start;
                    self.level().select = Some(row);
                }
                self.level().into = false;
            }
            Keyword::ORDER | Keyword::LIMIT | Keyword::OFFSET => self.level().ordered = true,
            Keyword::FETCH => {
                self.level().ordered = true;
                return self.fetch();
            }
            Keyword::FOR => return self.locking(),
            Keyword::INSERT => return self.insert(),
            Keyword::CONFLICT if keyword(self.kept.last()) == Keyword::ON => {
                return self.conflict();
            }
            Keyword::SET => self.level().assigns = Some(true),
            Keyword::WHERE | Keyword::FROM | Keyword::RETURNING | Keyword::WHEN => {
                self.level().assigns = None;
            }
            Keyword::EXCLUDE => return self.excluded(),
            Keyword::TABLE if self.is_query() => {
                let span = self.tokens[self.at].span;
                let level = self.level();
                (level.select, level.into) = (Some(place), false);
                self.put(Token::make_keyword("SELECT"), span);
                self.put(Token::Mul, span);
                self.put(Token::make_keyword("FROM"), span);
                self.at += 1;
                return Ok(());
            }
            Keyword::ONLY if self.is_only() => {
                self.at += 1;
                return Ok(());
            }
            Keyword::NoKeyword if is(self.ahead(0), "overriding") => return self.overriding(),
            _ => {}
        }
        self.keep();
        Ok(())
    }

    /// Whether `TABLE t` is a query here.
    fn is_query(&mut self) -> bool {
        let named = matches!(self.ahead(1).map(|token| &token.token), Some(Token::Word(_)));
        let begins = match self.kept.last().map(|token| &token.token) {
            None | Some(Token::LParen) => true,
            Some(Token::Word(_)) => {
                let before = [
                    Keyword::AS,
                    Keyword::UNION,
                    Keyword::EXCEPT,
                    Keyword::INTERSECT,
                    Keyword::ALL,
                    Keyword::DISTINCT,
                    Keyword::EXPLAIN,
                    Keyword::ANALYZE,
                    Keyword::VERBOSE,
                ];
                before.contains(&keyword(self.kept.last())) || self.level().into
            }
            Some(Token::RParen) => self.level().insert.is_some(),
            _ => false,
        };
        named && begins
    }

    /// Whether ONLY stands before the name of a table.
    fn is_only(&self) -> bool {
        let after = [Keyword::UPDATE, Keyword::FROM, Keyword::JOIN];
        let named = matches!(self.ahead(1).map(|token| &token.token), Some(Token::Word(_)));
        let clause = [Keyword::SET, Keyword::WHERE, Keyword::AS];
        after.contains(&keyword(self.kept.last()))
            && named
            && !clause.contains(&keyword(self.ahead(1)))
    }
}
