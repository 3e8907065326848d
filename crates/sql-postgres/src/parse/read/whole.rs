//! Clauses about whole statements: the modes of a transaction, CREATE VIEW, COPY.

use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Span, Token, TokenWithSpan};

use super::{is, is_token, keyword};
use crate::error::Result;
use crate::parse::source::{Source, ended};
use crate::roomy::MAX_DEPTH;
use crate::syntax::{CheckOption, Clauses};

/// Takes `[NOT] DEFERRABLE` out of the modes of a transaction; the last one counts.
pub(in crate::parse) fn deferrable(tokens: &mut Vec<TokenWithSpan>, clauses: &mut Clauses) {
    let word = |at: usize| keyword(tokens.get(at));
    match (word(0), word(1), word(2)) {
        (Keyword::BEGIN, ..) | (Keyword::START, Keyword::TRANSACTION, _) => {}
        (Keyword::SET, Keyword::TRANSACTION, _) => {}
        (Keyword::SET, Keyword::SESSION, _) if is(tokens.get(2), "characteristics") => {}
        _ => return,
    }
    let mut found = None;
    let place = |tokens: &[TokenWithSpan]| {
        tokens.iter().position(|token| keyword(Some(token)) == Keyword::DEFERRABLE)
    };
    while let Some(at) = place(tokens) {
        let not = keyword(tokens.get(at - 1)) == Keyword::NOT;
        let start = if not { at - 1 } else { at };
        let comma = |at: usize| is_token(tokens.get(at), &Token::Comma);
        match (comma(start - 1), comma(at + 1)) {
            (true, _) => tokens.drain(start - 1..=at),
            (false, true) => tokens.drain(start..=at + 1),
            (false, false) => tokens.drain(start..=at),
        };
        found = Some(!not);
    }
    if let Some(found) = found {
        clauses.add_deferrable(found);
    }
}

/// Notes where the query of a CREATE VIEW stands, and takes WITH CHECK OPTION off it; the first word of that.
pub(in crate::parse) fn view(
    tokens: &mut Vec<TokenWithSpan>,
    clauses: &mut Clauses,
) -> Option<TokenWithSpan> {
    if keyword(tokens.first()) != Keyword::CREATE {
        return None;
    }
    let head = tokens.iter().take(6).take_while(|token| token.token != Token::LParen);
    if !head.into_iter().any(|token| keyword(Some(token)) == Keyword::VIEW) {
        return None;
    }
    let mut depth = 0usize;
    let query = tokens.iter().position(|token| {
        match token.token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && keyword(Some(token)) == Keyword::AS
    });
    let count = tokens.len();
    let back = |from_end: usize| count.checked_sub(from_end).and_then(|at| tokens.get(at));
    let checked = keyword(back(1)) == Keyword::OPTION && keyword(back(2)) == Keyword::CHECK;
    let (option, length) = match back(3) {
        token if keyword(token) == Keyword::LOCAL => (CheckOption::Local, 4),
        token if is(token, "cascaded") => (CheckOption::Cascaded, 4),
        _ => (CheckOption::Cascaded, 3),
    };
    let no_data = keyword(back(2)) == Keyword::NO && keyword(back(3)) == Keyword::WITH;
    let tail = match keyword(back(1)) {
        Keyword::OPTION if checked && keyword(back(length)) == Keyword::WITH => {
            clauses.add_check_option(option);
            length
        }
        Keyword::DATA if no_data => 3,
        Keyword::DATA if keyword(back(2)) == Keyword::WITH => 2,
        _ => 0,
    };
    let end = count - tail;
    if let Some(first) = query.map(|at| at + 1).filter(|&first| first < end) {
        clauses.add_defined(Span::new(tokens[first].span.start, tokens[end - 1].span.end));
    }
    clauses.check_option()?;
    tokens.drain(end..).next()
}

/// Takes WHERE off a COPY FROM, and says in the parser's words what it does not know: booleans other than `true`
/// and `false`, and `FORCE_QUOTE *`, which is a list of the name `*` without quotes.
pub(in crate::parse) fn copy(
    source: &Source<'_>,
    tokens: &mut Vec<TokenWithSpan>,
    clauses: &mut Clauses,
) -> Result<()> {
    if keyword(tokens.first()) != Keyword::COPY {
        return Ok(());
    }
    let (mut depth, mut from) = (0usize, false);
    let place = tokens.iter().position(|token| match &token.token {
        Token::LParen => {
            depth += 1;
            false
        }
        Token::RParen => {
            depth = depth.saturating_sub(1);
            false
        }
        _ if depth == 0 => {
            from |= keyword(Some(token)) == Keyword::FROM;
            from && keyword(Some(token)) == Keyword::WHERE
        }
        _ => false,
    });
    if let Some(place) = place {
        let condition = tokens.split_off(place).split_off(1);
        let dialect = source.dialect(clauses);
        let mut parser = Parser::new(&dialect)
            .with_recursion_limit(MAX_DEPTH)
            .with_tokens_with_locations(condition);
        let read = parser.parse_expr().and_then(|expr| ended(&parser).map(|()| expr));
        drop(parser);
        *clauses = dialect.clauses();
        clauses.add_filter(read.map_err(|error| source.syntax_error(error))?);
    }
    let mut at = 1;
    while at < tokens.len() {
        let option = keyword(tokens.get(at - 1));
        let flag = matches!(option, Keyword::FREEZE | Keyword::HEADER);
        match &tokens[at].token {
            Token::Mul if option == Keyword::FORCE_QUOTE => {
                let span = tokens[at].span;
                let list = [Token::LParen, Token::make_word("*", None), Token::RParen];
                tokens.splice(at..=at, list.map(|token| TokenWithSpan { token, span }));
            }
            token if flag => {
                if let Some(said) = boolean(token) {
                    tokens[at].token = Token::make_keyword(said);
                }
            }
            _ => {}
        }
        at += 1;
    }
    Ok(())
}

/// A boolean as an option of COPY may have it.
fn boolean(token: &Token) -> Option<&'static str> {
    let text = match token {
        Token::Word(word) if word.quote_style.is_none() => &word.value,
        Token::Number(text, _) | Token::SingleQuotedString(text) => text,
        _ => return None,
    };
    match text.to_ascii_lowercase().as_str() {
        "on" | "1" => Some("true"),
        "off" | "0" => Some("false"),
        _ => None,
    }
}
