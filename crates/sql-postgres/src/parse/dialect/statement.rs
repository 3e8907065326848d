//! Statements of PostgreSQL, and options of columns, that the parser does not read by itself.

use sqlparser::ast::{
    DescribeAlias, FetchDirection, FetchPosition, SequenceOptions, Statement, Value, ValueWithSpan,
};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

/// `EXPLAIN (SELECT …)`, where the parser takes the parenthesis for options.
pub(super) fn explained(parser: &mut Parser<'_>) -> Option<Result<Statement, ParserError>> {
    let mut ahead = 1;
    while parser.peek_nth_token_ref(ahead).token == Token::LParen {
        ahead += 1;
    }
    let Token::Word(first) = &parser.peek_nth_token_ref(ahead).token else { return None };
    let query = matches!(first.keyword, Keyword::SELECT | Keyword::VALUES | Keyword::WITH);
    if ahead == 1 || !query || first.quote_style.is_some() {
        return None;
    }
    parser.advance_token();
    Some(parser.parse_statement().map(|statement| Statement::Explain {
        describe_alias: DescribeAlias::Explain,
        analyze: false,
        verbose: false,
        query_plan: false,
        estimate: false,
        statement: Box::new(statement),
        format: None,
        options: None,
    }))
}

/// The options of an identity column, in any order.
pub(super) fn sequence_options(
    parser: &mut Parser<'_>,
) -> Result<Vec<SequenceOptions>, ParserError> {
    let mut options = Vec::new();
    if !parser.consume_token(&Token::LParen) {
        return Ok(options);
    }
    while !parser.consume_token(&Token::RParen) {
        let wanted = [
            Keyword::INCREMENT,
            Keyword::MINVALUE,
            Keyword::MAXVALUE,
            Keyword::START,
            Keyword::CACHE,
            Keyword::CYCLE,
            Keyword::NO,
        ];
        options.push(match parser.expect_one_of_keywords(&wanted)? {
            Keyword::INCREMENT => {
                let by = parser.parse_keyword(Keyword::BY);
                SequenceOptions::IncrementBy(parser.parse_number()?, by)
            }
            Keyword::MINVALUE => SequenceOptions::MinValue(Some(parser.parse_number()?)),
            Keyword::MAXVALUE => SequenceOptions::MaxValue(Some(parser.parse_number()?)),
            Keyword::START => {
                let with = parser.parse_keyword(Keyword::WITH);
                SequenceOptions::StartWith(parser.parse_number()?, with)
            }
            Keyword::CACHE => SequenceOptions::Cache(parser.parse_number()?),
            // The tree says whether it is NO CYCLE.
            Keyword::CYCLE => SequenceOptions::Cycle(false),
            _ => {
                let wanted = [Keyword::MINVALUE, Keyword::MAXVALUE, Keyword::CYCLE];
                match parser.expect_one_of_keywords(&wanted)? {
                    Keyword::MINVALUE => SequenceOptions::MinValue(None),
                    Keyword::MAXVALUE => SequenceOptions::MaxValue(None),
                    _ => SequenceOptions::Cycle(true),
                }
            }
        });
    }
    Ok(options)
}

/// What follows FETCH.
pub(super) fn fetch(parser: &mut Parser<'_>) -> Result<Statement, ParserError> {
    use FetchDirection as D;
    let direction = match parser.parse_one_of_keywords(&[
        Keyword::NEXT,
        Keyword::PRIOR,
        Keyword::FIRST,
        Keyword::LAST,
        Keyword::ABSOLUTE,
        Keyword::RELATIVE,
        Keyword::FORWARD,
        Keyword::BACKWARD,
        Keyword::ALL,
    ]) {
        Some(Keyword::NEXT) => D::Next,
        Some(Keyword::PRIOR) => D::Prior,
        Some(Keyword::FIRST) => D::First,
        Some(Keyword::LAST) => D::Last,
        Some(Keyword::ALL) => D::All,
        Some(Keyword::ABSOLUTE) => D::Absolute { limit: signed(parser)? },
        Some(Keyword::RELATIVE) => D::Relative { limit: signed(parser)? },
        Some(keyword) => {
            let forward = keyword == Keyword::FORWARD;
            let all = parser.parse_keyword(Keyword::ALL);
            let counted = matches!(
                parser.peek_token_ref().token,
                Token::Number(..) | Token::Minus | Token::Plus
            );
            match (forward, all) {
                (true, true) => D::ForwardAll,
                (false, true) => D::BackwardAll,
                _ => {
                    let limit = if counted { Some(signed(parser)?) } else { None };
                    if forward { D::Forward { limit } } else { D::Backward { limit } }
                }
            }
        }
        None => match parser.peek_token_ref().token {
            Token::Number(..) | Token::Minus | Token::Plus => D::Count { limit: signed(parser)? },
            _ => D::Next,
        },
    };
    let position = match parser.parse_one_of_keywords(&[Keyword::FROM, Keyword::IN]) {
        Some(Keyword::IN) => FetchPosition::In,
        _ => FetchPosition::From,
    };
    let name = parser.parse_identifier()?;
    Ok(Statement::Fetch { name, direction, position, into: None })
}

/// A number with its sign.
fn signed(parser: &mut Parser<'_>) -> Result<ValueWithSpan, ParserError> {
    let minus = parser.consume_token(&Token::Minus);
    if !minus {
        let _ = parser.consume_token(&Token::Plus);
    }
    let mut value = parser.parse_number_value()?;
    if let Value::Number(digits, _) = &value.value
        && !digits.bytes().all(|byte| byte.is_ascii_digit())
    {
        let text = format!("syntax error at or near \"{digits}\"");
        return Err(ParserError::ParserError(text));
    }
    if let (true, Value::Number(digits, _)) = (minus, &mut value.value) {
        digits.insert(0, '-');
    }
    Ok(value)
}
