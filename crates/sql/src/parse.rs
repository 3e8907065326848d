//! Text to statements.
//!
//! The parser is `sqlparser`'s for PostgreSQL. What its syntax tree cannot say is read off the tokens:
//! the strength of locking clauses, and where each statement begins and ends.

mod database;
pub(crate) mod dialect;
pub(crate) mod escapes;
mod extension;
pub(crate) mod frame;
pub(crate) mod lift;
mod locking;
mod nested;
mod operators;
mod rewrite;
mod tablespace;
mod unsupported;

use std::borrow::Cow;
use std::sync::Arc;

use hobgoblin_core::Text;

pub use database::DatabaseStatement;
use dialect::Postgres;
use hobgoblin_front::Lock;
pub(crate) use rewrite::{ALL_FIELDS, NO_COLUMNS, TIED, rewrite};
use sqlparser::ast;
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer, TokenizerError};

use crate::catalog::ddl;
use crate::catalog::names::fold;
use crate::error::{Result, SqlError};
use crate::roomy::{MAX_DEPTH, roomy};

/// A parsed statement with its text.
#[derive(Clone, Debug)]
pub struct Statement {
    /// As written, without what surrounds it.
    pub text: Text,
    /// All that was sent with it, if it is known: `pg_stat_activity` shows that.
    pub message: Option<Text>,
    /// As parsed; nothing for an empty statement.
    pub ast: Option<Arc<ast::Statement>>,
    /// The strengths of its locking clauses, in the order of the text.
    pub locks: Vec<Lock>,
    /// What the parser does not know and we do; `ast` is nothing then.
    pub special: Option<Arc<Special>>,
    /// `[NOT] DEFERRABLE` among the modes of a transaction.
    pub deferrable: Option<bool>,
    /// WHERE of a COPY FROM.
    pub filter: Option<Arc<ast::Expr>>,
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
    /// PREPARE TRANSACTION.
    Prepare,
    /// COMMIT PREPARED.
    Commit,
    /// ROLLBACK PREPARED.
    Rollback,
}

/// Dropping a tree goes as deep as it is.
impl Drop for Statement {
    fn drop(&mut self) {
        let (ast, special) = (self.ast.take(), self.special.take());
        roomy(&self.text, || drop((ast, special)));
    }
}

impl Statement {
    /// A statement made of its syntax tree.
    pub fn of(text: impl Into<Text>, ast: ast::Statement) -> Statement {
        let mut statement = Statement::empty(text);
        statement.ast = Some(Arc::new(ast));
        statement
    }

    /// Nothing to do.
    pub fn empty(text: impl Into<Text>) -> Statement {
        Statement {
            text: text.into(),
            message: None,
            ast: None,
            locks: Vec::new(),
            special: None,
            deferrable: None,
            filter: None,
        }
    }
}

/// Splits text into statements and parses each.
pub fn parse(sql: &str) -> Result<Vec<Statement>> {
    roomy(sql, || {
        let message = Text::from(sql);
        let (sql, tokens) = tokens(sql)?;
        let (mut statements, lines) = (Vec::new(), Lines::of(&sql));
        for tokens in split(tokens)? {
            if let Some(mut statement) = parse_tokens(&sql, &lines, tokens)? {
                statement.message = Some(Text::clone(&message));
                statements.push(statement);
            }
        }
        Ok(statements)
    })
}

/// Where the lines of a text begin.
struct Lines {
    starts: Vec<usize>,
    ascii: bool,
}

impl Lines {
    fn of(sql: &str) -> Lines {
        let ends = sql.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Lines { starts, ascii: sql.is_ascii() }
    }

    /// The byte of a line and column, as [`offset`] finds it, without counting where all are bytes.
    fn offset(&self, sql: &str, line: u64, column: u64) -> Option<usize> {
        if !self.ascii {
            return offset(sql, line, column);
        }
        let start = self.starts.get(usize::try_from(line).ok()?.checked_sub(1)?)?;
        Some((start + column.saturating_sub(1) as usize).min(sql.len()))
    }
}

/// Parses one query, for those who make text themselves.
pub(crate) fn one_query(sql: &str) -> Result<Box<ast::Query>> {
    let statement = parse(sql)?.into_iter().next().and_then(|mut statement| statement.ast.take());
    match statement.as_deref() {
        Some(ast::Statement::Query(query)) => Ok(query.clone()),
        _ => Err(SqlError::syntax("a query was expected")),
    }
}

/// The tokens of a text, which gets blanks where the tokenizer needs them.
pub(crate) fn tokens(sql: &str) -> Result<(Cow<'_, str>, Vec<TokenWithSpan>)> {
    let tokens = tokenize(sql)?;
    match operators::part_comments(sql, &tokens) {
        Some(parted) => {
            let tokens = tokenize(&parted)?;
            Ok((parted, operators::split_signs(tokens)))
        }
        None => Ok((Cow::Borrowed(sql), operators::split_signs(tokens))),
    }
}

fn tokenize(sql: &str) -> Result<Vec<TokenWithSpan>> {
    let dialect = PostgreSqlDialect {};
    Tokenizer::new(&dialect, sql).tokenize_with_location().map_err(|error| syntax_at(sql, error))
}

/// What the tokenizer does not read, with its place.
fn syntax_at(sql: &str, error: TokenizerError) -> SqlError {
    let at = offset(sql, error.location.line, error.location.column);
    let found = SqlError::syntax(error.message);
    at.map_or(found.clone(), |at| found.at(chars(sql, at)))
}

/// The tokens of each statement.
fn split(tokens: Vec<TokenWithSpan>) -> Result<Vec<Vec<TokenWithSpan>>> {
    let mut statements: Vec<Vec<TokenWithSpan>> = vec![Vec::new()];
    for token in tokens {
        if let (Token::SingleQuotedString(more), Some(before)) =
            (&token.token, statements.last_mut().and_then(|tokens| tokens.last_mut()))
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
            Token::SemiColon => statements.push(Vec::new()),
            Token::Whitespace(_) => {}
            Token::EOF => {}
            _ => {
                if let Some(last) = statements.last_mut() {
                    last.push(token);
                }
            }
        }
    }
    statements.retain(|tokens| !tokens.is_empty());
    Ok(statements)
}

fn parse_tokens(
    sql: &str,
    lines: &Lines,
    mut tokens: Vec<TokenWithSpan>,
) -> Result<Option<Statement>> {
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return Ok(None) };
    let start = lines.offset(sql, first.span.start.line, first.span.start.column).unwrap_or(0);
    let end = lines.offset(sql, last.span.end.line, last.span.end.column).unwrap_or(sql.len());
    let text: Text = sql.get(start..end.max(start)).unwrap_or(sql).trim().into();
    if depth(&tokens) > MAX_DEPTH {
        return Err(crate::bind::too_deep());
    }
    locking::spread(&mut tokens);
    let mut statement = Statement::empty(text);
    statement.locks = locking::strengths(&mut tokens);
    locking::after_list(&mut tokens);
    frame::move_exclusions(&mut tokens);
    if ddl::is_extra(&tokens)
        && let Some(extra) = ddl::parse_extra(&statement.text)?
    {
        statement.special = Some(Arc::new(Special::Schema(extra)));
        return Ok(Some(statement));
    }
    if let Some(special) = special(&tokens)? {
        statement.special = Some(Arc::new(special));
        return Ok(Some(statement));
    }
    tablespace::leave_out(&mut tokens)?;
    lift::lift(sql, &mut tokens);
    statement.deferrable = rewrite::deferrable(&mut tokens);
    rewrite::rewrite(&mut tokens);
    let refused = match unsupported::is_bare(&tokens) {
        true => None,
        false => unsupported::unsupported(&tokens)
            .or_else(|| rewrite::refused(&tokens).map(str::to_owned)),
    };
    if matches!(&tokens.first().map(|first| &first.token), Some(Token::Word(word)) if word.keyword == Keyword::COPY)
    {
        statement.filter = copy_filter(sql, &mut tokens)?;
        tokens = crate::copy::parsable(tokens);
    }
    let mut parser = Parser::new(&Postgres::STANDARD)
        .with_recursion_limit(MAX_DEPTH)
        .with_tokens_with_locations(tokens);
    let ast = parser.parse_statement().and_then(|statement| {
        let next = parser.peek_token();
        match next.token {
            Token::EOF => Ok(statement),
            token => Err(ParserError::ParserError(format!(
                "syntax error at or near \"{token}\"{}",
                next.span.start
            ))),
        }
    });
    match ast {
        Ok(ast) => {
            statement.ast = Some(Arc::new(ast));
            Ok(Some(statement))
        }
        Err(error) => match (ddl::parse_extra(&statement.text), refused) {
            (Ok(Some(extra)), _) => {
                statement.special = Some(Arc::new(Special::Schema(extra)));
                Ok(Some(statement))
            }
            (Err(other), None) => Err(other),
            (Err(other), Some(_)) if !other.is_syntax() => Err(other),
            (_, Some(what)) => Err(SqlError::unsupported(what)),
            (Ok(None), None) => Err(syntax_error(sql, error)),
        },
    }
}

/// Takes WHERE off a COPY FROM.
fn copy_filter(sql: &str, tokens: &mut Vec<TokenWithSpan>) -> Result<Option<Arc<ast::Expr>>> {
    let mut depth = 0usize;
    let mut from = false;
    let place = tokens.iter().position(|token| match &token.token {
        Token::LParen => {
            depth += 1;
            false
        }
        Token::RParen => {
            depth = depth.saturating_sub(1);
            false
        }
        Token::Word(word) if depth == 0 && word.quote_style.is_none() => {
            from |= word.keyword == Keyword::FROM;
            from && word.keyword == Keyword::WHERE
        }
        _ => false,
    });
    let Some(place) = place else { return Ok(None) };
    let condition = tokens.split_off(place).split_off(1);
    let mut parser = Parser::new(&Postgres::STANDARD)
        .with_recursion_limit(MAX_DEPTH)
        .with_tokens_with_locations(condition);
    let read = parser.parse_expr().and_then(|expr| match parser.peek_token().token {
        Token::EOF => Ok(expr),
        token => Err(ParserError::ParserError(format!("syntax error at or near \"{token}\""))),
    });
    read.map(|expr| Some(Arc::new(expr))).map_err(|error| syntax_error(sql, error))
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
fn special(tokens: &[TokenWithSpan]) -> Result<Option<Special>> {
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
            rewrite::rewrite(&mut fetch);
            let parsed = Parser::new(&Postgres::STANDARD)
                .with_tokens_with_locations(fetch)
                .parse_statement();
            parsed.ok().map(|fetch| Special::Move(Box::new(fetch)))
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

/// A parser's error in PostgreSQL's form, with the place it names.
fn syntax_error(sql: &str, error: ParserError) -> SqlError {
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
        Some((_, "EOF")) => "syntax error at end of input".to_owned(),
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

/// The byte of a line and column, both from 1; columns count characters.
fn offset(sql: &str, line: u64, column: u64) -> Option<usize> {
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
fn chars(sql: &str, at: usize) -> u32 {
    sql.get(..at).map_or(1, |before| before.chars().count() as u32 + 1)
}
