//! Queries in parentheses where the parser expects none.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::rewrite::word;

/// The words that combine queries.
const COMBINE: [&str; 3] = ["union", "intersect", "except"];

/// `EXPLAIN (SELECT …)`: the parser takes the parenthesis for options, unless a word comes before it. VERBOSE
/// changes nothing.
pub(super) fn explained(tokens: &mut Vec<TokenWithSpan>) {
    if is_query(&tokens[1..]) && tokens[1].token == Token::LParen {
        let verbose = Token::make_keyword("VERBOSE");
        tokens.insert(1, TokenWithSpan { token: verbose, ..tokens[0].clone() });
    }
}

/// `((SELECT a) UNION (SELECT b))` as an expression: the parser knows a subquery by its first word, so the
/// first query loses its parentheses, or becomes a subquery in FROM where they matter.
pub(super) fn combined(tokens: &mut Vec<TokenWithSpan>) {
    let mut at = 0;
    let mut closers = closers(tokens);
    while at + 1 < tokens.len() {
        at += 1;
        if tokens[at - 1].token != Token::LParen || tokens[at].token != Token::LParen {
            continue;
        }
        let Some(end) = closers[at] else { return };
        if !COMBINE.contains(&word(tokens.get(end + 1)).as_str()) || !is_query(&tokens[at..]) {
            continue;
        }
        let like = tokens[at].clone();
        let token = |token: Token| TokenWithSpan { token, ..like.clone() };
        if is_plain(&tokens[at + 1..end]) {
            tokens.remove(end);
            tokens.remove(at);
        } else {
            let alias = Token::make_word("combined", Some('"'));
            tokens.splice(end + 1..end + 1, [token(Token::make_keyword("AS")), token(alias)]);
            let from = [Token::make_keyword("SELECT"), Token::Mul, Token::make_keyword("FROM")];
            tokens.splice(at..at, from.map(token));
            at += 2;
        }
        closers = self::closers(tokens);
    }
}

/// For each parenthesis that opens, the place of the one that closes it.
fn closers(tokens: &[TokenWithSpan]) -> Vec<Option<usize>> {
    let (mut closers, mut open) = (vec![None; tokens.len()], Vec::new());
    for (at, token) in tokens.iter().enumerate() {
        match token.token {
            Token::LParen => open.push(at),
            Token::RParen => {
                if let Some(open) = open.pop() {
                    closers[open] = Some(at);
                }
            }
            _ => {}
        }
    }
    closers
}

/// Whether a query begins here, after parentheses.
fn is_query(tokens: &[TokenWithSpan]) -> bool {
    let first = tokens.iter().find(|token| token.token != Token::LParen);
    ["select", "values", "with"].contains(&word(first).as_str())
}

/// Whether a query means the same without parentheses around it.
fn is_plain(tokens: &[TokenWithSpan]) -> bool {
    let matters = ["order", "limit", "offset", "fetch", "for", "with"];
    let mut depth = 0usize;
    for token in tokens {
        match token.token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            _ if depth == 0 => {
                let word = word(Some(token));
                if matters.contains(&word.as_str()) || COMBINE.contains(&word.as_str()) {
                    return false;
                }
            }
            _ => {}
        }
    }
    word(tokens.first()) == "select"
}
