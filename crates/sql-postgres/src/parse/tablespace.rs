//! TABLESPACE in CREATE TABLE and CREATE INDEX: there is one, and saying so changes nothing.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::unsupported::word;
use crate::error::{Result, SqlError, SqlState};

/// Takes the clause out of a CREATE.
pub(super) fn leave_out(tokens: &mut Vec<TokenWithSpan>) -> Result<()> {
    if word(tokens.first()) != "create" {
        return Ok(());
    }
    let (mut at, mut depth) = (1, 0usize);
    while at < tokens.len() {
        match (&tokens[at].token, word(tokens.get(at)).as_str()) {
            (Token::LParen, _) => depth += 1,
            (Token::RParen, _) => depth = depth.saturating_sub(1),
            (_, "as") if depth == 0 => break,
            (_, "tablespace") => {
                let using = at > 1
                    && word(tokens.get(at - 2)) == "using"
                    && word(tokens.get(at - 1)) == "index";
                if let (true, Some(Token::Word(name))) =
                    (using || depth == 0 && at > 2, tokens.get(at + 1).map(|t| &t.token))
                {
                    let name = match name.quote_style {
                        Some(_) => name.value.clone(),
                        None => name.value.to_ascii_lowercase(),
                    };
                    if name != "pg_default" {
                        let text = format!("tablespace \"{name}\" does not exist");
                        return Err(SqlError::new(SqlState::UNDEFINED_OBJECT, text));
                    }
                    tokens.drain(if using { at - 2..at + 2 } else { at..at + 2 });
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    Ok(())
}
