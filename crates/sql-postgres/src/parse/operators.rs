//! Where an operator ends, by PostgreSQL's rules (its manual, 4.1.3).
//!
//! The tokenizer takes all characters of operators that stand together for one. In PostgreSQL a comment ends
//! an operator, and one of several characters ends with `+` or `-` only if it has one of `~ ! @ # % ^ & | ` ?`
//! too: `a>-1` compares with minus one, and `@-1` is an operator `@-`.

use std::borrow::Cow;

use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

use super::source::offset;

/// Characters that let an operator end with a sign.
const UNUSUAL: &[char] = &['~', '!', '@', '#', '%', '^', '&', '|', '`', '?'];

/// Takes the signs at the end of an operator off it.
pub(super) fn split_signs(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let joined = |token: &TokenWithSpan| signs(token) > 0;
    if !tokens.iter().any(joined) {
        return tokens;
    }
    let mut split = Vec::with_capacity(tokens.len() + 1);
    for token in tokens {
        let signs = signs(&token);
        let Token::CustomBinaryOperator(text) = &token.token else {
            split.push(token);
            continue;
        };
        if signs == 0 {
            split.push(token);
            continue;
        }
        let (operator, rest) = text.split_at(text.len() - signs);
        let mut place = token.span;
        for part in read(operator).into_iter().chain(rest.chars().map(sign)) {
            place.end = place.start;
            place.end.column += part.to_string().chars().count() as u64;
            split.push(TokenWithSpan { token: part, span: place });
            place.start = place.end;
        }
    }
    split
}

fn sign(sign: char) -> Token {
    if sign == '+' { Token::Plus } else { Token::Minus }
}

/// How many signs at the end of an operator are not part of it; its first character always is.
fn signs(token: &TokenWithSpan) -> usize {
    let Token::CustomBinaryOperator(text) = &token.token else { return 0 };
    match text.contains(UNUSUAL) {
        true => 0,
        false => {
            let signs = text.len() - text.trim_end_matches(['+', '-']).len();
            signs.min(text.len() - 1)
        }
    }
}

/// An operator as the tokenizer knows it.
fn read(operator: &str) -> Vec<Token> {
    let dialect = PostgreSqlDialect {};
    let tokens = Tokenizer::new(&dialect, operator).tokenize();
    tokens.unwrap_or_else(|_| vec![Token::CustomBinaryOperator(operator.to_owned())])
}

/// The text with a blank before each comment that the tokenizer took for a part of an operator.
pub(super) fn part_comments<'a>(sql: &'a str, tokens: &[TokenWithSpan]) -> Option<Cow<'a, str>> {
    let begins = |text: &str| [text.find("--"), text.find("/*")].into_iter().flatten().min();
    let mut parted = String::new();
    let mut from = 0;
    for token in tokens {
        if let Token::CustomBinaryOperator(text) = &token.token
            && let Some(within) = begins(text)
            && let Some(at) = offset(sql, token.span.start.line, token.span.start.column)
            && at + within >= from
        {
            parted.push_str(sql.get(from..at + within)?);
            parted.push(' ');
            from = at + within;
        }
    }
    (from > 0).then(|| Cow::Owned(parted + &sql[from..]))
}
