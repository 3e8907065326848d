//! CREATE DATABASE and DROP DATABASE, whose options the parser does not know.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::catalog::names::fold;
use crate::error::{Result, SqlError, SqlState};

/// A statement about databases.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum DatabaseStatement {
    Create { name: String, template: Option<String>, owner: Option<String> },
    Drop { name: String, if_exists: bool, force: bool },
}

/// Options that change nothing here.
const OPTIONS: [&str; 12] = [
    "locale",
    "lc_collate",
    "lc_ctype",
    "icu_locale",
    "locale_provider",
    "collation_version",
    "tablespace",
    "allow_connections",
    "connection",
    "is_template",
    "oid",
    "strategy",
];

/// Reads what follows CREATE DATABASE or DROP DATABASE.
pub(super) fn parse(create: bool, tokens: &[TokenWithSpan]) -> Result<DatabaseStatement> {
    let mut rest = Rest { tokens: tokens.iter().map(|token| &token.token).collect(), at: 0 };
    match create {
        true => rest.create(),
        false => rest.drop(),
    }
}

struct Rest<'a> {
    tokens: Vec<&'a Token>,
    at: usize,
}

impl Rest<'_> {
    fn next(&mut self) -> Option<&Token> {
        let token = self.tokens.get(self.at).copied();
        self.at += 1;
        token
    }

    /// Takes a token if it is this one, as it prints.
    fn skip(&mut self, text: &str) -> bool {
        let found = self.tokens.get(self.at);
        let found = found.is_some_and(|token| token.to_string().eq_ignore_ascii_case(text));
        self.at += usize::from(found);
        found
    }

    fn unexpected(&self) -> SqlError {
        match self.tokens.get(self.at.saturating_sub(1)) {
            Some(token) => SqlError::syntax(format!("syntax error at or near \"{token}\"")),
            None => SqlError::syntax("syntax error at end of input"),
        }
    }

    /// A name, or the value of an option.
    fn word(&mut self) -> Result<String> {
        match self.next() {
            Some(Token::Word(word)) => Ok(match word.quote_style {
                Some(_) => word.value.clone(),
                None => fold(&sqlparser::ast::Ident::new(&word.value)),
            }),
            Some(Token::SingleQuotedString(text) | Token::Number(text, _)) => Ok(text.clone()),
            _ => Err(self.unexpected()),
        }
    }

    fn create(&mut self) -> Result<DatabaseStatement> {
        let name = self.word()?;
        let (mut template, mut owner) = (None, None);
        self.skip("WITH");
        while self.at < self.tokens.len() {
            let option = self.word()?;
            if option == "connection" && !self.skip("LIMIT") {
                self.at += 1;
                return Err(self.unexpected());
            }
            self.skip("=");
            self.skip("-");
            let value = self.word()?;
            let default = value == "default";
            match option.as_str() {
                "template" => template = (!default).then_some(value),
                "owner" => owner = (!default).then_some(value),
                "encoding" if default || is_utf8(&value) => {}
                "encoding" => {
                    return Err(SqlError::unsupported(format!("the encoding {value}")));
                }
                known if OPTIONS.contains(&known) => {}
                unknown => {
                    let text = format!("option \"{unknown}\" not recognized");
                    return Err(SqlError::new(SqlState::SYNTAX_ERROR, text));
                }
            }
        }
        Ok(DatabaseStatement::Create { name, template, owner })
    }

    fn drop(&mut self) -> Result<DatabaseStatement> {
        let if_exists = self.skip("IF");
        if if_exists && !self.skip("EXISTS") {
            self.at += 1;
            return Err(self.unexpected());
        }
        let name = self.word()?;
        let force = self.skip("WITH") || self.at < self.tokens.len();
        if force {
            for text in ["(", "FORCE", ")"] {
                if !self.skip(text) {
                    self.at += 1;
                    return Err(self.unexpected());
                }
            }
        }
        match self.at < self.tokens.len() {
            true => {
                self.at += 1;
                Err(self.unexpected())
            }
            false => Ok(DatabaseStatement::Drop { name, if_exists, force }),
        }
    }
}

/// Text is UTF-8 always; `6` is its number.
fn is_utf8(encoding: &str) -> bool {
    let letters: String = encoding.chars().filter(char::is_ascii_alphanumeric).collect();
    ["utf8", "unicode", "6"].contains(&letters.to_ascii_lowercase().as_str())
}
