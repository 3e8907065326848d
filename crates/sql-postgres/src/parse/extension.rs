//! CREATE EXTENSION with its options in any order, which the parser wants after WITH and in one order.

use sqlparser::ast::{CreateExtension, Statement};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};

/// The statement, if this is one.
pub(super) fn create(parser: &mut Parser<'_>) -> Option<Result<Statement, ParserError>> {
    let create = [Keyword::CREATE, Keyword::EXTENSION];
    parser.parse_keywords(&create).then(|| options(parser))
}

/// What follows CREATE EXTENSION.
fn options(parser: &mut Parser<'_>) -> Result<Statement, ParserError> {
    let if_not_exists = parser.parse_keywords(&[Keyword::IF, Keyword::NOT, Keyword::EXISTS]);
    let name = parser.parse_identifier()?;
    let _ = parser.parse_keyword(Keyword::WITH);
    let (mut schema, mut version, mut cascade) = (None, None, false);
    loop {
        let option =
            parser.parse_one_of_keywords(&[Keyword::SCHEMA, Keyword::VERSION, Keyword::CASCADE]);
        let again = match option {
            Some(Keyword::SCHEMA) => schema.replace(parser.parse_identifier()?).is_some(),
            Some(Keyword::VERSION) => version.replace(parser.parse_identifier()?).is_some(),
            Some(_) => std::mem::replace(&mut cascade, true),
            None => break,
        };
        if again {
            return Err(ParserError::ParserError("conflicting or redundant options".to_owned()));
        }
    }
    Ok(CreateExtension { name, if_not_exists, schema, version, cascade }.into())
}
