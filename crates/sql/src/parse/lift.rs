//! Clauses that the parser does not read and its syntax tree has no place for.
//!
//! Each is taken out of the tokens as text and put where the parser expects a name: a quoted name that
//! begins with a character no client uses. Binding reads the text back.
//!
//! ```text
//!     ON CONFLICT (lower(u)) WHERE live DO …    ON CONFLICT ("…lower(u)…live") DO …
//!     INSERT INTO t OVERRIDING USER VALUE …     INSERT INTO t ("…overriding user") …
//!     SET xs[2] = 5                             SET "…xs[2]" = 5
//! ```

use sqlparser::ast;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::rewrite::word;
use super::{offset, one_query};
use crate::error::{Result, SqlError};

/// What a lifted name begins with, and what separates its parts.
const MARK: char = '\u{f8fe}';

/// The names that say which values OVERRIDING keeps.
const SYSTEM: &str = "\u{f8fe}overriding system";
const USER: &str = "\u{f8fe}overriding user";
/// The name that stands for DEFAULT VALUES where the parser wants a list.
const DEFAULTS: &str = "\u{f8fe}default values";

/// OVERRIDING of an INSERT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overriding {
    /// SYSTEM VALUE: what is given counts.
    System,
    /// USER VALUE: identity columns count for themselves.
    User,
}

/// The target of ON CONFLICT where it is more than columns.
pub(crate) struct Inference {
    /// Columns and expressions.
    pub(crate) elements: Vec<ast::Expr>,
    /// WHERE.
    pub(crate) predicate: Option<ast::Expr>,
}

/// Takes out what the parser does not read.
pub(super) fn lift(sql: &str, tokens: &mut Vec<TokenWithSpan>) {
    let first = word(tokens.first());
    let changes = ["insert", "update", "merge", "with", "create", "prepare", "explain", "copy"];
    if !changes.contains(&first.as_str()) {
        return;
    }
    conflict_sources(tokens);
    conflict_targets(sql, tokens);
    overriding(tokens);
    elements(sql, tokens);
    check_option(tokens);
}

/// Whether a word is at a place.
fn is(tokens: &[TokenWithSpan], at: usize, wanted: &str) -> bool {
    matches!(tokens.get(at).map(|token| &token.token), Some(Token::Word(word))
        if word.quote_style.is_none() && word.value.eq_ignore_ascii_case(wanted))
}

/// Whether one of these words is at a place.
fn is_any(tokens: &[TokenWithSpan], at: usize, wanted: &[&str]) -> bool {
    wanted.iter().any(|wanted| is(tokens, at, wanted))
}

fn name(like: &TokenWithSpan, text: String) -> TokenWithSpan {
    TokenWithSpan { token: Token::make_word(&text, Some('"')), ..like.clone() }
}

fn symbol(like: &TokenWithSpan, token: Token) -> TokenWithSpan {
    TokenWithSpan { token, ..like.clone() }
}

/// The text of some tokens as written.
fn text_of(sql: &str, tokens: &[TokenWithSpan]) -> Option<String> {
    let (first, last) = (tokens.first()?, tokens.last()?);
    let start = offset(sql, first.span.start.line, first.span.start.column)?;
    let end = offset(sql, last.span.end.line, last.span.end.column)?;
    sql.get(start..end).map(str::to_owned)
}

/// The place of what closes the bracket at `open`.
fn closing(tokens: &[TokenWithSpan], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
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

/// The place of a word outside brackets.
fn outside(tokens: &[TokenWithSpan], from: usize, wanted: &str) -> Option<usize> {
    let mut at = from;
    while at < tokens.len() {
        match tokens[at].token {
            Token::LParen | Token::LBracket => at = closing(tokens, at)?,
            Token::RParen => return None,
            _ if is(tokens, at, wanted) => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// `INSERT … SELECT 1 ON CONFLICT`, where the parser takes ON for a name: the query in parentheses.
fn conflict_sources(tokens: &mut Vec<TokenWithSpan>) {
    let mut at = 1;
    while at < tokens.len() {
        if is(tokens, at, "on")
            && is(tokens, at + 1, "conflict")
            && let Some(start) = bare_select(tokens, at)
        {
            let like = tokens[at].clone();
            tokens.insert(at, symbol(&like, Token::RParen));
            tokens.insert(start, symbol(&like, Token::LParen));
            at += 2;
        }
        at += 1;
    }
}

/// The place of the SELECT without FROM that ends before a place.
pub(super) fn bare_select(tokens: &[TokenWithSpan], end: usize) -> Option<usize> {
    let mut depth = 0usize;
    for at in (0..end).rev() {
        match tokens[at].token {
            Token::RParen | Token::RBracket => depth += 1,
            Token::LParen | Token::LBracket => depth = depth.checked_sub(1)?,
            Token::Word(_) if depth == 0 => match word(tokens.get(at)).as_str() {
                "select" => return Some(at),
                "from" | "where" | "group" | "having" | "order" | "limit" | "offset" | "values"
                | "fetch" | "for" | "into" | "union" | "except" | "intersect" => return None,
                _ => {}
            },
            _ => {}
        }
    }
    None
}

fn conflict_targets(sql: &str, tokens: &mut Vec<TokenWithSpan>) {
    let mut at = 0;
    while at + 2 < tokens.len() {
        let open = at + 2;
        at += 1;
        if !is(tokens, open - 2, "on")
            || !is(tokens, open - 1, "conflict")
            || tokens[open].token != Token::LParen
        {
            continue;
        }
        let Some(close) = closing(tokens, open) else { return };
        let plain = tokens[open + 1..close].iter().enumerate().all(|(at, token)| match at % 2 {
            0 => matches!(token.token, Token::Word(_)),
            _ => token.token == Token::Comma,
        });
        let filtered = is(tokens, close + 1, "where");
        if plain && !filtered {
            continue;
        }
        let Some(end) = outside(tokens, close + 1, "do") else { return };
        let Some(elements) = text_of(sql, &tokens[open + 1..close]) else { return };
        let predicate = match filtered {
            true => text_of(sql, &tokens[close + 2..end]).unwrap_or_default(),
            false => String::new(),
        };
        let target = name(&tokens[open], format!("{MARK}{elements}{MARK}{predicate}"));
        let close = tokens[close].clone();
        tokens.splice(open + 1..end, [target, close]);
    }
}

fn overriding(tokens: &mut Vec<TokenWithSpan>) {
    let mut at = 0;
    while at < tokens.len() {
        let which = if is(tokens, at + 1, "system") { SYSTEM } else { USER };
        let found = is(tokens, at, "overriding")
            && is_any(tokens, at + 1, &["system", "user"])
            && is(tokens, at + 2, "value");
        // MERGE … INSERT DEFAULT VALUES, which the parser reads only in a statement of its own.
        let defaults = is(tokens, at, "insert")
            && is(tokens, at + 1, "default")
            && is(tokens, at + 2, "values");
        if found && at > 0 {
            let like = tokens[at].clone();
            let given = name(&like, which.to_owned());
            let comma = symbol(&like, Token::Comma);
            let (open, close) = (symbol(&like, Token::LParen), symbol(&like, Token::RParen));
            match tokens[at - 1].token == Token::RParen {
                true => tokens.splice(at - 1..at + 3, [comma, given, close]),
                false => tokens.splice(at..at + 3, [open, given, close]),
            };
        } else if defaults {
            let like = tokens[at].clone();
            let (open, close) = (symbol(&like, Token::LParen), symbol(&like, Token::RParen));
            let given = name(&like, DEFAULTS.to_owned());
            let values = tokens[at + 2].clone();
            tokens.splice(at + 1..at + 3, [values, open, given, close]);
        }
        at += 1;
    }
}

/// `xs[2]` where a column is assigned to: after SET, and in the list of an INSERT.
fn elements(sql: &str, tokens: &mut Vec<TokenWithSpan>) {
    let mut at = 0;
    while at < tokens.len() {
        if is(tokens, at, "set") {
            assigned(sql, tokens, at + 1);
        } else if at > 0 && is(tokens, at, "into") && is(tokens, at - 1, "insert") {
            inserted(sql, tokens, at + 1);
        }
        at += 1;
    }
}

/// Lifts the name and subscripts at a place, if that is what is there; whether it was.
fn element(sql: &str, tokens: &mut Vec<TokenWithSpan>, at: usize) -> bool {
    if !matches!(tokens.get(at).map(|token| &token.token), Some(Token::Word(_))) {
        return false;
    }
    let mut end = at + 1;
    while tokens.get(end).is_some_and(|token| token.token == Token::LBracket) {
        match closing(tokens, end) {
            Some(close) => end = close + 1,
            None => return false,
        }
    }
    if end == at + 1 {
        return false;
    }
    let Some(text) = text_of(sql, &tokens[at..end]) else { return false };
    let lifted = name(&tokens[at], format!("{MARK}{text}"));
    tokens.splice(at..end, [lifted]);
    true
}

fn assigned(sql: &str, tokens: &mut Vec<TokenWithSpan>, from: usize) {
    let ends = ["where", "from", "returning", "when"];
    let (mut at, mut target) = (from, true);
    while at < tokens.len() {
        match &tokens[at].token {
            Token::LParen if target => {
                // SET (a, b[1]) = …
                let mut inside = at + 1;
                while inside < tokens.len() && tokens[inside].token != Token::RParen {
                    element(sql, tokens, inside);
                    inside += 1;
                }
                at = inside;
            }
            Token::LParen | Token::LBracket => match closing(tokens, at) {
                Some(close) => at = close,
                None => return,
            },
            Token::RParen => return,
            Token::Word(_) if is_any(tokens, at, &ends) => return,
            Token::Word(_) if target => {
                element(sql, tokens, at);
            }
            _ => {}
        }
        target = tokens.get(at).is_some_and(|token| token.token == Token::Comma);
        at += 1;
    }
}

fn inserted(sql: &str, tokens: &mut Vec<TokenWithSpan>, from: usize) {
    let queries = ["values", "select", "default", "with", "table"];
    let mut at = from;
    while at < tokens.len() && tokens[at].token != Token::LParen {
        if is_any(tokens, at, &queries) {
            return;
        }
        at += 1;
    }
    at += 1;
    if is_any(tokens, at, &queries) {
        return;
    }
    while at < tokens.len() && !matches!(tokens[at].token, Token::LParen | Token::RParen) {
        element(sql, tokens, at);
        at += 1;
    }
}

/// `CREATE VIEW … WITH CHECK OPTION` as the option it also goes by.
fn check_option(tokens: &mut Vec<TokenWithSpan>) {
    let count = tokens.len();
    let back = |from_end: usize| word(count.checked_sub(from_end).and_then(|at| tokens.get(at)));
    if word(tokens.first()) != "create" || back(1) != "option" || back(2) != "check" {
        return;
    }
    let (kind, length) = match back(3).as_str() {
        "local" => ("local", 4),
        "cascaded" => ("cascaded", 4),
        _ => ("cascaded", 3),
    };
    if back(length) != "with" {
        return;
    }
    let Some(place) = outside(tokens, 0, "as") else { return };
    tokens.truncate(count - length);
    let like = tokens[0].clone();
    let option = [
        Token::make_keyword("WITH"),
        Token::LParen,
        Token::make_word("check_option", None),
        Token::Eq,
        Token::SingleQuotedString(kind.to_owned()),
        Token::RParen,
    ];
    tokens.splice(place..place, option.map(|token| symbol(&like, token)));
}

/// What a name says of OVERRIDING, if that is what it is for.
pub(crate) fn overriding_of(ident: &str) -> Option<Overriding> {
    match ident {
        SYSTEM => Some(Overriding::System),
        USER => Some(Overriding::User),
        _ => None,
    }
}

/// Whether a name stands for DEFAULT VALUES.
pub(crate) fn is_defaults(ident: &str) -> bool {
    ident == DEFAULTS
}

/// The target of ON CONFLICT that a name stands for.
pub(crate) fn inference_of(ident: &str) -> Result<Option<Inference>> {
    let Some(text) = ident.strip_prefix(MARK) else { return Ok(None) };
    let (elements, predicate) = text.split_once(MARK).unwrap_or((text, ""));
    let text = match predicate {
        "" => format!("SELECT {elements}"),
        predicate => format!("SELECT {elements} WHERE {predicate}"),
    };
    let query = one_query(&text)?;
    let ast::SetExpr::Select(select) = &*query.body else {
        return Err(SqlError::syntax("ON CONFLICT needs columns or expressions"));
    };
    let mut elements = Vec::new();
    for item in &select.projection {
        match item {
            ast::SelectItem::UnnamedExpr(expr) => elements.push(expr.clone()),
            _ => return Err(SqlError::unsupported("an operator class in ON CONFLICT")),
        }
    }
    Ok(Some(Inference { elements, predicate: select.selection.clone() }))
}

/// The column and subscripts that a name stands for.
pub(crate) fn element_of(ident: &str) -> Result<Option<(ast::Ident, Vec<ast::Subscript>)>> {
    let Some(text) = ident.strip_prefix(MARK) else { return Ok(None) };
    let unread = || SqlError::syntax(format!("syntax error in \"{text}\""));
    let query = one_query(&format!("SELECT {text}"))?;
    let ast::SetExpr::Select(select) = &*query.body else { return Err(unread()) };
    let [ast::SelectItem::UnnamedExpr(ast::Expr::CompoundFieldAccess { root, access_chain })] =
        select.projection.as_slice()
    else {
        return Err(unread());
    };
    let ast::Expr::Identifier(column) = &**root else { return Err(unread()) };
    let mut subscripts = Vec::new();
    for access in access_chain {
        match access {
            ast::AccessExpr::Subscript(subscript) => subscripts.push(subscript.clone()),
            ast::AccessExpr::Dot(_) => {
                return Err(SqlError::unsupported("assigning to a field of a column"));
            }
        }
    }
    Ok(Some((column.clone(), subscripts)))
}
