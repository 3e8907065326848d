//! Locking clauses, as the tokens say them.

use hobgoblin_front::Lock;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::lift::bare_select;
use super::rewrite::word;

/// `FOR UPDATE OF a, b NOWAIT`, of which the parser knows one name: a clause for each name.
pub(super) fn spread(tokens: &mut Vec<TokenWithSpan>) {
    let mut at = 0;
    while at < tokens.len() {
        if word(tokens.get(at)) == "for"
            && let Some((end, clauses)) = clauses(&tokens[at..])
        {
            let length = clauses.len();
            tokens.splice(at..at + end, clauses);
            at += length;
            continue;
        }
        at += 1;
    }
}

/// How many tokens a clause with several names has, and the clauses to put there.
fn clauses(tokens: &[TokenWithSpan]) -> Option<(usize, Vec<TokenWithSpan>)> {
    let words: Vec<String> = tokens.iter().take(5).map(|token| word(Some(token))).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let strength = match words.as_slice() {
        ["for", "update" | "share", "of", ..] => 2,
        ["for", "key", "share", "of", ..] => 3,
        ["for", "no", "key", "update", "of"] => 4,
        _ => return None,
    };
    let is_word = |at: usize| matches!(tokens.get(at).map(|t| &t.token), Some(Token::Word(_)));
    let (mut at, mut names) = (strength + 1, Vec::new());
    loop {
        if !is_word(at) {
            return None;
        }
        names.push(&tokens[at]);
        at += 1;
        match tokens.get(at).map(|token| &token.token) {
            Some(Token::Comma) => at += 1,
            _ => break,
        }
    }
    let wait = match (word(tokens.get(at)).as_str(), word(tokens.get(at + 1)).as_str()) {
        ("nowait", _) => 1,
        ("skip", "locked") => 2,
        _ => 0,
    };
    if names.len() < 2 {
        return None;
    }
    let mut clauses = Vec::new();
    for name in names {
        clauses.extend_from_slice(&tokens[..=strength]);
        clauses.push(name.clone());
        clauses.extend_from_slice(&tokens[at..at + wait]);
    }
    Some((at + wait, clauses))
}

/// `SELECT 1 FOR UPDATE` without FROM: the parser takes FOR for the column's name unless a clause stands
/// between, so OFFSET 0 is put there.
pub(super) fn after_list(tokens: &mut Vec<TokenWithSpan>) {
    let mut at = 0;
    while at < tokens.len() {
        let locks = word(tokens.get(at)) == "for"
            && ["update", "share"].contains(&word(tokens.get(at + 1)).as_str());
        if locks && bare_select(tokens, at).is_some() {
            let like = tokens[at].clone();
            let clause = [Token::make_keyword("OFFSET"), Token::Number("0".to_owned(), false)];
            let clause = clause.map(|token| TokenWithSpan { token, ..like.clone() });
            tokens.splice(at..at, clause);
            at += 2;
        }
        at += 1;
    }
}

/// Takes `NO KEY` and `KEY` out of locking clauses and says how strong each clause is.
pub(super) fn strengths(tokens: &mut Vec<TokenWithSpan>) -> Vec<Lock> {
    let keyword = |token: &TokenWithSpan| match &token.token {
        Token::Word(word) if word.quote_style.is_none() => word.keyword,
        _ => Keyword::NoKeyword,
    };
    let mut locks = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if keyword(&tokens[at]) == Keyword::FOR {
            let ahead: Vec<Keyword> = tokens[at + 1..].iter().take(3).map(keyword).collect();
            match ahead.as_slice() {
                [Keyword::UPDATE, ..] => locks.push(Lock::Update),
                [Keyword::SHARE, ..] => locks.push(Lock::Share),
                [Keyword::NO, Keyword::KEY, Keyword::UPDATE] => {
                    locks.push(Lock::NoKeyUpdate);
                    tokens.drain(at + 1..at + 3);
                }
                [Keyword::KEY, Keyword::SHARE, ..] => {
                    locks.push(Lock::KeyShare);
                    tokens.drain(at + 1..at + 2);
                }
                _ => {}
            }
        }
        at += 1;
    }
    locks
}
