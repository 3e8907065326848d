//! What the dialect and its expressions both need.

use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

/// PostgreSQL's dialect as `sqlparser` has it, which ours asks for all that it does not do itself.
pub(super) const BASE: PostgreSqlDialect = PostgreSqlDialect {};

/// Operators of extensions that stand before their operand.
pub(crate) const PREFIXES: [&str; 2] = ["%%", "%#"];

/// The keyword of a token; none for what is quoted or no word.
pub(super) fn word(token: &Token) -> Keyword {
    match token {
        Token::Word(word) if word.quote_style.is_none() => word.keyword,
        _ => Keyword::NoKeyword,
    }
}
