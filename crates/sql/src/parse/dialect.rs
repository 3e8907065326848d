//! PostgreSQL's SQL as the parser reads it, with what it does not read by itself.
//!
//! Each form becomes a syntax tree that says the same: `a BETWEEN SYMMETRIC b AND c` is two BETWEENs,
//! `interval(0) '1.5 s'` a cast, and FETCH takes all of PostgreSQL's directions.

use std::any::TypeId;

use sqlparser::ast::{
    BinaryOperator, CastKind, DataType, Expr, FetchDirection, FetchPosition, Ident, ObjectType,
    Statement, Value, ValueWithSpan,
};
use sqlparser::dialect::{Dialect, PostgreSqlDialect, Precedence};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

/// PostgreSQL's SQL.
#[derive(Debug)]
pub(crate) struct Postgres {
    /// Whether plain literals have the escapes of `E'…'`.
    escapes: bool,
}

impl Postgres {
    /// As the standard has it.
    pub(crate) const STANDARD: Postgres = Postgres { escapes: false };
    /// With `standard_conforming_strings = off`.
    pub(crate) const ESCAPING: Postgres = Postgres { escapes: true };
}

const BASE: PostgreSqlDialect = PostgreSqlDialect {};

/// The prefix that stands for CURRENT OF before the name of a cursor.
pub(crate) const CURRENT_OF: &str = "CURRENT OF";

/// Operators of extensions that stand before their operand.
pub(crate) const PREFIXES: [&str; 2] = ["%%", "%#"];

macro_rules! as_base {
    ($($name:ident)*) => { $(fn $name(&self) -> bool { BASE.$name() })* };
}

impl Dialect for Postgres {
    fn dialect(&self) -> TypeId {
        TypeId::of::<PostgreSqlDialect>()
    }

    fn identifier_quote_style(&self, identifier: &str) -> Option<char> {
        BASE.identifier_quote_style(identifier)
    }

    fn is_delimited_identifier_start(&self, ch: char) -> bool {
        BASE.is_delimited_identifier_start(ch)
    }

    fn is_identifier_start(&self, ch: char) -> bool {
        BASE.is_identifier_start(ch)
    }

    fn is_identifier_part(&self, ch: char) -> bool {
        BASE.is_identifier_part(ch)
    }

    fn is_reserved_for_identifier(&self, keyword: Keyword) -> bool {
        BASE.is_reserved_for_identifier(keyword)
    }

    fn is_table_alias(&self, keyword: &Keyword, parser: &mut Parser<'_>) -> bool {
        BASE.is_table_alias(keyword, parser)
    }

    fn is_custom_operator_part(&self, ch: char) -> bool {
        BASE.is_custom_operator_part(ch)
    }

    fn supports_string_literal_backslash_escape(&self) -> bool {
        self.escapes
    }

    fn get_next_precedence(&self, parser: &Parser<'_>) -> Option<Result<u8, ParserError>> {
        BASE.get_next_precedence(parser)
    }

    fn prec_value(&self, precedence: Precedence) -> u8 {
        BASE.prec_value(precedence)
    }

    as_base! {
        supports_unicode_string_literal
        supports_filter_during_aggregation
        supports_group_by_expr
        supports_alter_user_as_alter_role
        allow_extract_custom
        allow_extract_single_quotes
        supports_create_index_with_clause
        supports_explain_with_utility_options
        supports_listen_notify
        supports_exclude_constraint
        supports_factorial_operator
        supports_bitwise_shift_operators
        supports_comment_on
        supports_load_extension
        supports_named_fn_args_with_colon_operator
        supports_named_fn_args_with_expr_name
        supports_empty_projections
        supports_nested_comments
        supports_string_escape_constant
        supports_numeric_literal_underscores
        supports_array_typedef_with_brackets
        supports_geometric_types
        supports_order_by_using_operator
        supports_set_names
        supports_alter_column_type_using
        supports_left_associative_joins_without_parens
        supports_notnull_operator
        supports_interval_options
        supports_insert_table_alias
        supports_create_table_like_parenthesized
        supports_select_wildcard_with_alias
        supports_comma_separated_trim
        supports_xml_expressions
        supports_aliased_function_args
        supports_comment_optimizer_hint
    }

    fn parse_prefix(&self, parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
        let word = match &parser.peek_token_ref().token {
            Token::Word(word) => word,
            Token::SingleQuotedString(_) => return frame_offset(parser),
            Token::CustomBinaryOperator(_) => return prefix_operator(parser),
            _ => return None,
        };
        match word.keyword {
            _ if word.quote_style.is_some() => None,
            Keyword::INTERVAL => precise_interval(parser).map(Ok),
            Keyword::CURRENT => current_of(parser),
            Keyword::EXCLUDE => super::frame::exclusion(parser),
            Keyword::SUBSTRING => similar_substring(parser),
            Keyword::VALUES => values(parser),
            _ => None,
        }
    }

    fn parse_infix(
        &self,
        parser: &mut Parser<'_>,
        expr: &Expr,
        _precedence: u8,
    ) -> Option<Result<Expr, ParserError>> {
        let negated = parser.parse_keywords(&[Keyword::NOT, Keyword::BETWEEN, Keyword::SYMMETRIC]);
        let symmetric = negated || parser.parse_keywords(&[Keyword::BETWEEN, Keyword::SYMMETRIC]);
        if symmetric {
            return Some(between_symmetric(parser, expr, negated));
        }
        if parser.parse_keyword(Keyword::COLLATE) {
            let named = parser.parse_object_name(false);
            let expr = Box::new(expr.clone());
            return Some(named.map(|collation| Expr::Collate { expr, collation }));
        }
        quantified_like(parser, expr)
    }

    fn parse_statement(&self, parser: &mut Parser<'_>) -> Option<Result<Statement, ParserError>> {
        let drop = [Keyword::DROP, Keyword::INDEX, Keyword::CONCURRENTLY];
        if parser.parse_keywords(&drop) {
            return Some(drop_concurrently(parser));
        }
        if let Some(create) = super::extension::create(parser) {
            return Some(create);
        }
        parser.parse_keyword(Keyword::FETCH).then(|| fetch(parser))
    }
}

/// `interval(2) '1.234 s'`.
fn precise_interval(parser: &mut Parser<'_>) -> Option<Expr> {
    let [_, open, Token::Number(digits, _), close, Token::SingleQuotedString(text)] =
        parser.peek_tokens()
    else {
        return None;
    };
    let precision = digits.parse().ok()?;
    if (open, close) != (Token::LParen, Token::RParen) {
        return None;
    }
    (0..5).for_each(|_| parser.advance_token());
    Some(Expr::Cast {
        kind: CastKind::Cast,
        expr: Box::new(Expr::Value(Value::SingleQuotedString(text).into())),
        data_type: DataType::Interval { fields: None, precision: Some(precision) },
        format: None,
    })
}

/// `'7 days'::interval PRECEDING`, where the parser expects the string alone.
fn frame_offset(parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
    let [Token::SingleQuotedString(text), Token::DoubleColon, Token::Word(_), Token::Word(side)] =
        parser.peek_tokens()
    else {
        return None;
    };
    if !matches!(side.keyword, Keyword::PRECEDING | Keyword::FOLLOWING) {
        return None;
    }
    (0..2).for_each(|_| parser.advance_token());
    Some(parser.parse_data_type().map(|data_type| Expr::Cast {
        kind: CastKind::DoubleColon,
        expr: Box::new(Expr::Value(Value::SingleQuotedString(text).into())),
        data_type,
        format: None,
    }))
}

/// `%% a`: an operator that the parser only knows between two operands.
fn prefix_operator(parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
    let Token::CustomBinaryOperator(symbol) = &parser.peek_token_ref().token else { return None };
    if !PREFIXES.contains(&symbol.as_str()) {
        return None;
    }
    let prefix = Ident::new(symbol.clone());
    parser.advance_token();
    let operand = parser.parse_subexpr(BASE.prec_value(Precedence::PgOther));
    Some(operand.map(|value| Expr::Prefixed { prefix, value: Box::new(value) }))
}

/// `WHERE CURRENT OF cursor`.
fn current_of(parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
    let [_, Token::Word(of), Token::Word(_)] = parser.peek_tokens() else { return None };
    if of.keyword != Keyword::OF || of.quote_style.is_some() {
        return None;
    }
    (0..2).for_each(|_| parser.advance_token());
    let prefix = Ident::new(CURRENT_OF);
    let name = parser.parse_identifier();
    Some(name.map(|name| Expr::Prefixed { prefix, value: Box::new(Expr::Identifier(name)) }))
}

/// What follows BETWEEN SYMMETRIC.
fn between_symmetric(
    parser: &mut Parser<'_>,
    expr: &Expr,
    negated: bool,
) -> Result<Expr, ParserError> {
    let precedence = BASE.prec_value(Precedence::Between);
    let low = parser.parse_subexpr(precedence)?;
    parser.expect_keyword(Keyword::AND)?;
    let high = parser.parse_subexpr(precedence)?;
    let between = |low: &Expr, high: &Expr| {
        let (low, high) = (Box::new(low.clone()), Box::new(high.clone()));
        Box::new(Expr::Between { expr: Box::new(expr.clone()), negated, low, high })
    };
    let (left, right) = (between(&low, &high), between(&high, &low));
    let op = match negated {
        true => BinaryOperator::And,
        false => BinaryOperator::Or,
    };
    Ok(Expr::Nested(Box::new(Expr::BinaryOp { left, op, right })))
}

/// `a LIKE ANY (…)` and its like, which are `a ~~ ANY (…)`.
fn quantified_like(parser: &mut Parser<'_>, expr: &Expr) -> Option<Result<Expr, ParserError>> {
    let words: [Token; 4] = parser.peek_tokens();
    let words = words.each_ref().map(|token| match token {
        Token::Word(word) if word.quote_style.is_none() => word.keyword,
        Token::LParen => Keyword::NoKeyword,
        _ => Keyword::END,
    });
    let (negated, [like, which, open, ..]) = match words {
        [Keyword::NOT, rest @ ..] => (true, rest),
        [first, second, third, _] => (false, [first, second, third]),
    };
    let compare_op = match (like, negated) {
        (Keyword::LIKE, false) => BinaryOperator::PGLikeMatch,
        (Keyword::LIKE, true) => BinaryOperator::PGNotLikeMatch,
        (Keyword::ILIKE, false) => BinaryOperator::PGILikeMatch,
        (Keyword::ILIKE, true) => BinaryOperator::PGNotILikeMatch,
        _ => return None,
    };
    let all = which == Keyword::ALL;
    if !(all || matches!(which, Keyword::ANY | Keyword::SOME)) || open != Keyword::NoKeyword {
        return None;
    }
    (0..3 + usize::from(negated)).for_each(|_| parser.advance_token());
    let right = match parser.peek_one_of_keywords(&[Keyword::SELECT, Keyword::WITH]) {
        Some(_) => parser.parse_query().map(Expr::Subquery),
        None => parser.parse_expr(),
    };
    let parsed = right.and_then(|right| parser.expect_token(&Token::RParen).map(|_| right));
    Some(parsed.map(|right| {
        let (left, right) = (Box::new(expr.clone()), Box::new(right));
        match all {
            true => Expr::AllOp { left, compare_op, right },
            false => Expr::AnyOp { left, compare_op, right, is_some: which == Keyword::SOME },
        }
    }))
}

/// VALUES where an expression may stand: a query.
fn values(parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
    let [_, open]: [Token; 2] = parser.peek_tokens();
    (open == Token::LParen).then(|| parser.parse_query().map(Expr::Subquery))
}

/// `substring(a SIMILAR b ESCAPE c)`, which is `substring(a FROM b FOR c)`.
fn similar_substring(parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
    if !is_similar(parser) {
        return None;
    }
    (0..2).for_each(|_| parser.advance_token());
    let mut parts = || {
        let expr = parser.parse_subexpr(BASE.prec_value(Precedence::Like))?;
        parser.expect_keyword(Keyword::SIMILAR)?;
        let from = parser.parse_expr()?;
        parser.expect_keyword(Keyword::ESCAPE)?;
        let escape = parser.parse_expr()?;
        parser.expect_token(&Token::RParen)?;
        Ok(Expr::Substring {
            expr: Box::new(expr),
            substring_from: Some(Box::new(from)),
            substring_for: Some(Box::new(escape)),
            special: false,
            shorthand: false,
        })
    };
    Some(parts())
}

/// Whether SIMILAR without TO stands between the parentheses that follow; the parser is where it was.
fn is_similar(parser: &mut Parser<'_>) -> bool {
    let (mut depth, mut steps, mut found) = (0, 1, false);
    parser.advance_token();
    loop {
        match &parser.peek_token_ref().token {
            Token::LParen => depth += 1,
            Token::RParen => depth -= 1,
            Token::EOF => break,
            Token::Word(word) if depth == 1 && word.keyword == Keyword::SIMILAR => {
                found = !matches!(parser.peek_tokens(), [_, Token::Word(to)] if to.keyword == Keyword::TO);
            }
            _ => {}
        }
        if depth == 0 || found {
            break;
        }
        parser.advance_token();
        steps += 1;
    }
    (0..steps).for_each(|_| parser.prev_token());
    found
}

/// What follows DROP INDEX CONCURRENTLY. The tree has no place for that word; PURGE, which PostgreSQL does not
/// have, stands for it.
fn drop_concurrently(parser: &mut Parser<'_>) -> Result<Statement, ParserError> {
    let if_exists = parser.parse_keywords(&[Keyword::IF, Keyword::EXISTS]);
    let names = parser.parse_comma_separated(|parser| parser.parse_object_name(false))?;
    let cascade = parser.parse_keyword(Keyword::CASCADE);
    Ok(Statement::Drop {
        object_type: ObjectType::Index,
        if_exists,
        names,
        cascade,
        restrict: !cascade && parser.parse_keyword(Keyword::RESTRICT),
        purge: true,
        temporary: false,
        table: None,
    })
}

/// What follows FETCH.
fn fetch(parser: &mut Parser<'_>) -> Result<Statement, ParserError> {
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
