//! `EXCLUDE TIES` and its like, which end a window's frame and have no place in the syntax tree: they stand among
//! the expressions of PARTITION BY there.

use sqlparser::ast::{Expr, Ident};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// The prefix of what a frame leaves out.
pub(crate) const EXCLUDE: &str = "EXCLUDE";

/// How many tokens say what is left out, if they stand here and end a definition.
fn length(tokens: &[TokenWithSpan]) -> Option<usize> {
    let word = |at: usize| keyword(tokens.get(at).map(|token| &token.token));
    let length = match (word(0), word(1), word(2)) {
        (Keyword::EXCLUDE, Keyword::CURRENT, Keyword::ROW) => 3,
        (Keyword::EXCLUDE, Keyword::NO, _) if is_others(tokens.get(2)) => 3,
        (Keyword::EXCLUDE, Keyword::GROUP | Keyword::TIES, _) => 2,
        _ => return None,
    };
    (tokens.get(length)?.token == Token::RParen).then_some(length)
}

fn is_others(token: Option<&TokenWithSpan>) -> bool {
    matches!(token.map(|token| &token.token), Some(Token::Word(word)) if word.value.eq_ignore_ascii_case("others"))
}

fn keyword(token: Option<&Token>) -> Keyword {
    match token {
        Some(Token::Word(word)) if word.quote_style.is_none() => word.keyword,
        _ => Keyword::NoKeyword,
    }
}

/// Moves what frames leave out to the front of PARTITION BY.
pub(super) fn move_exclusions(tokens: &mut Vec<TokenWithSpan>) {
    let mut open = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at].token {
            Token::LParen => open.push(at),
            Token::RParen => {
                open.pop();
            }
            Token::Word(_) => {
                let after = at.checked_sub(1).map(|before| keyword(Some(&tokens[before].token)));
                let ends =
                    matches!(after, Some(Keyword::ROW | Keyword::PRECEDING | Keyword::FOLLOWING));
                if let (true, Some(&start), Some(length)) =
                    (ends, open.last(), length(&tokens[at..]))
                {
                    at += move_one(tokens, start, at, length);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// Moves one; how many tokens there are more than before.
fn move_one(tokens: &mut Vec<TokenWithSpan>, start: usize, at: usize, length: usize) -> usize {
    let like = tokens[at].clone();
    let token = |token: Token| TokenWithSpan { token, ..like.clone() };
    let mut moved: Vec<TokenWithSpan> = tokens.drain(at..at + length).collect();
    let word = |at: usize| keyword(tokens.get(at).map(|token| &token.token));
    let begins =
        [Keyword::PARTITION, Keyword::ORDER, Keyword::ROWS, Keyword::RANGE, Keyword::GROUPS];
    // A definition may begin with the name of another.
    let named = usize::from(!begins.contains(&word(start + 1)));
    let place = start + 1 + named;
    if word(place) == Keyword::PARTITION {
        moved.push(token(Token::Comma));
        tokens.splice(place + 2..place + 2, moved);
        return 1;
    }
    let partition = [Token::make_keyword("PARTITION"), Token::make_keyword("BY")].map(token);
    tokens.splice(place..place, partition.into_iter().chain(moved));
    2
}

/// What a frame leaves out, where an expression stands.
pub(super) fn exclusion(parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
    let tokens: [Token; 3] = parser.peek_tokens();
    let [_, second, third] = tokens.each_ref().map(|token| keyword(Some(token)));
    let (words, text) = match (second, third) {
        (Keyword::CURRENT, Keyword::ROW) => (3, "CURRENT ROW"),
        (Keyword::NO, _) => (3, "NO OTHERS"),
        (Keyword::GROUP, _) => (2, "GROUP"),
        (Keyword::TIES, _) => (2, "TIES"),
        _ => return None,
    };
    (0..words).for_each(|_| parser.advance_token());
    let value = Box::new(Expr::Identifier(Ident::new(text)));
    Some(Ok(Expr::Prefixed { prefix: Ident::new(EXCLUDE), value }))
}
