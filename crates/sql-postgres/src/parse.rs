//! Text to statements.
//!
//! The parser is `sqlparser`'s, with a dialect of ours (`dialect.rs`) that reads what it does not know wherever the parser
//! asks for it. Where it does not ask, `read.rs` takes a clause off the tokens first. What the syntax tree has no
//! place for is in [`Clauses`], by the place of a token that the tree keeps.
//!
//! ```text
//!     text -> tokens -> one statement's tokens -> without clauses -> syntax tree
//!                                              \-> clauses -------/
//! ```

mod database;
pub(crate) mod dialect;
pub(crate) mod escapes;
mod extension;
mod operators;
pub(crate) mod output_name;
mod read;
mod source;
mod tablespace;
mod unsupported;

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use hobgoblin_core::Text;

pub use database::DatabaseStatement;
pub(crate) use dialect::Stop;
use sqlparser::ast;
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer, TokenizerError};

pub(crate) use self::source::Source;
use self::source::{Lines, chars, ended, offset};
use crate::catalog::ddl;
use crate::catalog::names::fold;
use crate::error::{Result, SqlError};
use crate::roomy::{MAX_DEPTH, roomy};
use crate::syntax::{Clauses, Written};

/// A parsed statement with its text.
#[derive(Clone, Debug)]
pub struct Statement {
    /// As written, without what surrounds it.
    pub text: Text,
    /// Where the text begins, as the places in the syntax tree are counted.
    pub start: Location,
    /// All that was sent with it, if it is known: `pg_stat_activity` shows that.
    pub message: Option<Text>,
    /// As parsed; nothing for an empty statement.
    pub ast: Option<Arc<ast::Statement>>,
    /// What it says that the syntax tree has no place for.
    pub clauses: Clauses,
    /// What the parser does not know and we do; `ast` is nothing then.
    pub special: Option<Arc<Special>>,
}

/// Statements that the parser has no syntax tree for.
#[derive(Debug)]
pub enum Special {
    /// A change of the schema.
    Schema(ddl::Extra),
    /// SET CONSTRAINTS: which, `None` for all, with the schemas that are named, and whether deferred.
    Constraints(Option<Vec<(Option<String>, String)>>, bool),
    /// CREATE DATABASE and DROP DATABASE.
    Database(DatabaseStatement),
    /// MOVE: the same as this FETCH without its rows.
    Move(Box<ast::Statement>),
    /// Accepted, and nothing is to be done: the command tag.
    Nothing(&'static str),
    /// A statement of two-phase commit, with the name of the transaction.
    TwoPhase(TwoPhase, String),
}

/// The statements of two-phase commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TwoPhase {
    /// PREPARE TRANSACTION: the transaction at hand is prepared under an identifier.
    Prepare,
    /// COMMIT PREPARED: a prepared transaction is committed.
    Commit,
    /// ROLLBACK PREPARED: a prepared transaction is rolled back.
    Rollback,
}

/// A text that is longer takes more than ten milliseconds to read, and a thread a hundredth of that.
pub(crate) const LONG: usize = 1 << 16;

/// What goes as deep as a text when it is dropped.
struct Deep<T>(Text, Option<T>);

impl<T> Drop for Deep<T> {
    fn drop(&mut self) {
        let deep = self.1.take();
        roomy(&self.0, || drop(deep));
    }
}

/// Drops what a text was read to. If it is long, that takes so long that nobody is to wait for it.
pub(crate) fn drop_aside<T: Send + 'static>(text: &Text, read: T) {
    let deep = Deep(Text::clone(text), Some(read));
    if text.len() >= LONG {
        // Where there is no thread to be had, it is dropped here.
        drop(std::thread::Builder::new().spawn(|| drop(deep)));
    }
}

impl Drop for Statement {
    fn drop(&mut self) {
        let clauses = std::mem::take(&mut self.clauses);
        let ast = self.ast.take().and_then(Arc::into_inner);
        let special = self.special.take().and_then(Arc::into_inner);
        match ast.is_some() || special.is_some() {
            true => drop_aside(&self.text, (ast, special, clauses)),
            false => roomy(&self.text, || drop(clauses)),
        }
    }
}

impl Statement {
    /// A statement that is a part of this one.
    pub(crate) fn part(&self, ast: ast::Statement) -> Statement {
        let mut part = Statement::empty(Text::clone(&self.text));
        part.start = self.start;
        part.ast = Some(Arc::new(ast));
        part.clauses = self.clauses.clone();
        part
    }

    /// As it was written.
    pub(crate) fn written(&self) -> Written<'_> {
        Written { text: &self.text, start: self.start, clauses: &self.clauses }
    }

    /// Nothing to do.
    pub fn empty(text: impl Into<Text>) -> Statement {
        Statement {
            text: text.into(),
            start: Location::empty(),
            message: None,
            ast: None,
            clauses: Clauses::default(),
            special: None,
        }
    }
}

/// Splits text into statements and parses each, unless told to stop; the error is any then.
pub(crate) fn parse(sql: &str, stop: &Stop) -> Result<Vec<Statement>> {
    roomy(sql, || {
        let message = Text::from(sql);
        let (sql, tokens) = tokens(sql, stop)?;
        let (mut statements, lines) = (Vec::new(), Lines::of(&sql));
        for (tokens, after) in split(tokens)? {
            let source = Source { sql: &sql, lines: &lines, after, stop };
            if let Some(mut statement) = parse_tokens(source, tokens)? {
                statement.message = Some(Text::clone(&message));
                statements.push(statement);
            }
        }
        Ok(statements)
    })
}

/// The tokens of a text, which gets blanks where the tokenizer needs them.
fn tokens<'a>(sql: &'a str, stop: &Stop) -> Result<(Cow<'a, str>, Vec<TokenWithSpan>)> {
    let tokens = tokenize(sql, stop)?;
    match operators::part_comments(sql, &tokens) {
        Some(parted) => {
            let tokens = tokenize(&parted, stop)?;
            Ok((parted, operators::split_signs(tokens)))
        }
        None => Ok((Cow::Borrowed(sql), operators::split_signs(tokens))),
    }
}

/// After so many tokens it is asked whether to stop.
const SOME: usize = 1 << 10;

/// The tokenizer cannot be told to stop, so what it is given to call unwinds through it.
fn tokenize(sql: &str, stop: &Stop) -> Result<Vec<TokenWithSpan>> {
    struct Stopped;
    let dialect = PostgreSqlDialect {};
    let read = || {
        let (mut tokens, mut count) = (Vec::new(), 0);
        let token = |token| {
            count += 1;
            if count % SOME == 0 && cfg!(panic = "unwind") && stop.is_told() {
                resume_unwind(Box::new(Stopped));
            }
            token
        };
        let mut tokenizer = Tokenizer::new(&dialect, sql);
        let read = tokenizer.tokenize_with_location_into_buf_with_mapper(&mut tokens, token);
        read.map(|()| tokens)
    };
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(read) => read.map_err(|error| syntax_at(sql, error)),
        Err(stopped) if stopped.is::<Stopped>() => Err(SqlError::syntax("told to stop")),
        Err(panic) => resume_unwind(panic),
    }
}

/// What the tokenizer does not read, with its place.
fn syntax_at(sql: &str, error: TokenizerError) -> SqlError {
    let at = offset(sql, error.location.line, error.location.column);
    let found = SqlError::syntax(error.message);
    at.map_or(found.clone(), |at| found.at(chars(sql, at)))
}

/// The tokens of one statement, and the semicolon after it.
type Split = (Vec<TokenWithSpan>, Option<TokenWithSpan>);

/// The tokens of each statement.
fn split(tokens: Vec<TokenWithSpan>) -> Result<Vec<Split>> {
    let mut statements: Vec<Split> = vec![Split::default()];
    for token in tokens {
        if let (Token::SingleQuotedString(more), Some(before)) =
            (&token.token, statements.last_mut().and_then(|(tokens, _)| tokens.last_mut()))
            && let Token::SingleQuotedString(text) = &mut before.token
        {
            // Strings with a line's end between them are one.
            if before.span.end.line == token.span.start.line {
                return Err(SqlError::syntax(format!("syntax error at or near \"'{more}'\"")));
            }
            text.push_str(more);
            before.span.end = token.span.end;
            continue;
        }
        match token.token {
            Token::SemiColon => {
                if let Some((_, after)) = statements.last_mut() {
                    *after = Some(token);
                }
                statements.push(Split::default());
            }
            Token::Whitespace(_) => {}
            Token::EOF => {}
            _ => {
                if let Some((last, _)) = statements.last_mut() {
                    last.push(token);
                }
            }
        }
    }
    statements.retain(|(tokens, _)| !tokens.is_empty());
    Ok(statements)
}

fn parse_tokens(mut source: Source<'_>, tokens: Vec<TokenWithSpan>) -> Result<Option<Statement>> {
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return Ok(None) };
    let (start, sql) = (first.span.start, source.sql);
    let begin = source.offset(start).unwrap_or(0);
    let end = source.offset(last.span.end).unwrap_or(sql.len());
    let text: Text = sql.get(begin..end.max(begin)).unwrap_or(sql).trim().into();
    if depth(&tokens) > MAX_DEPTH {
        return Err(crate::bind::too_deep());
    }
    let mut statement = Statement::empty(text);
    statement.start = start;
    let (mut tokens, mut clauses) = (tokens, Clauses::default());
    if let Some(cut) = read::view(&mut tokens, &mut clauses) {
        source.after = Some(cut);
    }
    let source = &source;
    let mut tokens = read::clauses(source, tokens, &mut clauses)?;
    let special = match ddl::is_extra(&tokens) {
        true => extra(source, &tokens, &mut clauses)?,
        false => special(source, &tokens)?,
    };
    if special.is_none() {
        tablespace::leave_out(&mut tokens)?;
        read::deferrable(&mut tokens, &mut clauses);
        read::copy(source, &mut tokens, &mut clauses)?;
        match whole(source, tokens, &mut clauses) {
            Ok(ast) => statement.ast = Some(Arc::new(ast)),
            Err((error, tokens)) => match extra(source, &tokens, &mut clauses) {
                Ok(Some(extra)) => statement.special = Some(Arc::new(extra)),
                found => {
                    let refused = unsupported::refused(&tokens);
                    return Err(match (found, refused) {
                        (Err(other), None) => other,
                        (Err(other), Some(_)) if !other.is_syntax() => other,
                        (_, Some(what)) => SqlError::unsupported(what),
                        (Ok(_), None) => source.syntax_error(error),
                    });
                }
            },
        }
    } else {
        statement.special = special.map(Arc::new);
    }
    statement.clauses = clauses;
    Ok(Some(statement))
}

/// Parses tokens that are one statement and no more, or gives them back.
#[allow(clippy::result_large_err)]
fn whole(
    source: &Source<'_>,
    tokens: Vec<TokenWithSpan>,
    clauses: &mut Clauses,
) -> std::result::Result<ast::Statement, (ParserError, Vec<TokenWithSpan>)> {
    let dialect = source.dialect(clauses);
    let mut parser =
        Parser::new(&dialect).with_recursion_limit(MAX_DEPTH).with_tokens_with_locations(tokens);
    let parsed = parser.parse_statement().and_then(|ast| ended(&parser).map(|()| ast));
    let parsed = parsed.map_err(|error| (error, parser.into_tokens()));
    *clauses = dialect.clauses();
    parsed
}

/// A statement of the schema that the parser does not know.
fn extra(
    source: &Source<'_>,
    tokens: &[TokenWithSpan],
    clauses: &mut Clauses,
) -> Result<Option<Special>> {
    Ok(ddl::parse_extra(source, tokens, clauses)?.map(Special::Schema))
}

/// How deep brackets, CASE and NOT nest. Past its limit the parser tries again at every level before it gives up.
fn depth(tokens: &[TokenWithSpan]) -> usize {
    let (mut depth, mut nots, mut deepest) = (0usize, 0usize, 0usize);
    for token in tokens {
        match &token.token {
            Token::LParen | Token::LBracket => depth += 1,
            Token::RParen | Token::RBracket => depth = depth.saturating_sub(1),
            Token::Word(word) => match word.keyword {
                Keyword::CASE => depth += 1,
                Keyword::END => depth = depth.saturating_sub(1),
                Keyword::NOT => nots += 1,
                _ => nots = 0,
            },
            _ => nots = 0,
        }
        deepest = deepest.max(depth + nots);
    }
    deepest
}

/// A statement the parser does not know.
fn special(source: &Source<'_>, tokens: &[TokenWithSpan]) -> Result<Option<Special>> {
    let word = |at: usize| match tokens.get(at).map(|token| &token.token) {
        Some(Token::Word(word)) => word.value.to_ascii_lowercase(),
        Some(Token::Mul) => "*".to_owned(),
        _ => String::new(),
    };
    if let [_, _, name] = tokens
        && let Token::SingleQuotedString(name) = &name.token
    {
        let which = match [word(0).as_str(), word(1).as_str()] {
            ["prepare", "transaction"] => Some(TwoPhase::Prepare),
            ["commit", "prepared"] => Some(TwoPhase::Commit),
            ["rollback", "prepared"] => Some(TwoPhase::Rollback),
            _ => None,
        };
        if let Some(which) = which {
            return Ok(Some(Special::TwoPhase(which, name.clone())));
        }
    }
    let words = [word(0), word(1), word(2)];
    Ok(match [words[0].as_str(), words[1].as_str(), words[2].as_str()] {
        ["set", "constraints", which] => {
            let deferred = match tokens.last().map(|_| word(tokens.len() - 1)).as_deref() {
                Some("deferred") => true,
                Some("immediate") => false,
                _ => {
                    return Err(SqlError::syntax(
                        "SET CONSTRAINTS ends with DEFERRED or IMMEDIATE",
                    ));
                }
            };
            let mut names: Vec<(Option<String>, String)> = Vec::new();
            let mut schema = None;
            for (at, token) in tokens[2..tokens.len() - 1].iter().enumerate() {
                let Token::Word(word) = &token.token else { continue };
                let name = fold(&word.to_ident(token.span));
                match tokens.get(at + 3).map(|next| &next.token) {
                    Some(Token::Period) => schema = Some(name),
                    _ => names.push((schema.take(), name)),
                }
            }
            Some(Special::Constraints((which != "all").then_some(names), deferred))
        }
        ["move", ..] => {
            let mut fetch = tokens.to_vec();
            fetch[0].token = Token::make_keyword("FETCH");
            whole(source, fetch, &mut Clauses::default())
                .ok()
                .map(|fetch| Special::Move(Box::new(fetch)))
        }
        ["create", "database", ..] => Some(Special::Database(database::parse(true, &tokens[2..])?)),
        ["drop", "database", ..] => Some(Special::Database(database::parse(false, &tokens[2..])?)),
        ["unlisten", "*", ..] => Some(Special::Nothing("UNLISTEN")),
        // There is nothing to clean up and no statistics to gather.
        ["vacuum", ..] => Some(Special::Nothing("VACUUM")),
        ["analyze" | "analyse", ..] => Some(Special::Nothing("ANALYZE")),
        ["checkpoint", ..] => Some(Special::Nothing("CHECKPOINT")),
        ["reindex", ..] => Some(Special::Nothing("REINDEX")),
        ["cluster", ..] => Some(Special::Nothing("CLUSTER")),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
