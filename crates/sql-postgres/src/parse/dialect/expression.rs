//! Expressions of PostgreSQL that the parser does not read by itself.

use sqlparser::ast::{BinaryOperator, CastKind, DataType, Expr, Ident, Value};
use sqlparser::dialect::{Dialect, Precedence};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

use super::base::{BASE, PREFIXES, word};
use crate::syntax::Prefix;

/// `interval(2) '1.234 s'`.
pub(super) fn precise_interval(parser: &mut Parser<'_>) -> Option<Expr> {
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
pub(super) fn frame_offset(parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
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
pub(super) fn prefix_operator(parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
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
pub(super) fn current_of(parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
    let [_, Token::Word(of), Token::Word(_)] = parser.peek_tokens() else { return None };
    if of.keyword != Keyword::OF || of.quote_style.is_some() {
        return None;
    }
    (0..2).for_each(|_| parser.advance_token());
    let name = parser.parse_identifier();
    Some(name.map(|name| Prefix::CurrentOf.before(Expr::Identifier(name))))
}

/// `VARIADIC array` as an argument.
pub(super) fn variadic(parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
    let argument = matches!(parser.get_current_token().token, Token::LParen | Token::Comma);
    argument.then(|| {
        parser.advance_token();
        parser.parse_expr().map(|array| Prefix::Variadic.before(array))
    })
}

/// `trim(both from x)`, `trim(from x)`: blanks are what is trimmed.
pub(super) fn blanks(parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
    let trims = match &parser.get_current_token().token {
        Token::LParen => word(&parser.get_previous_token().token) == Keyword::TRIM,
        side => matches!(word(side), Keyword::BOTH | Keyword::LEADING | Keyword::TRAILING),
    };
    let blank = || Expr::Value(Value::SingleQuotedString(" ".to_owned()).into());
    trims.then(|| Ok(blank()))
}

/// `((SELECT a) UNION (SELECT b))` as an expression: the parser knows a subquery by its first word.
pub(super) fn combined(parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
    if parser.get_current_token().token != Token::LParen || parser.index() == 0 {
        return None;
    }
    let (mut depth, mut steps, mut query) = (0usize, 0usize, false);
    loop {
        let token = &parser.peek_token_ref().token;
        match token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            Token::EOF => break,
            token => {
                query |= matches!(word(token), Keyword::SELECT | Keyword::VALUES | Keyword::WITH);
                if !query {
                    break;
                }
            }
        }
        parser.advance_token();
        steps += 1;
        if depth == 0 {
            break;
        }
    }
    let after = word(&parser.peek_token_ref().token);
    (0..steps).for_each(|_| parser.prev_token());
    let combined =
        matches!(after, Keyword::UNION | Keyword::INTERSECT | Keyword::EXCEPT) && depth == 0;
    (query && combined).then(|| parser.parse_query().map(Expr::Subquery))
}

/// What follows BETWEEN SYMMETRIC.
pub(super) fn between_symmetric(
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
pub(super) fn quantified_like(
    parser: &mut Parser<'_>,
    expr: &Expr,
) -> Option<Result<Expr, ParserError>> {
    if !matches!(parser.peek_token_ref().token, Token::Word(_)) {
        return None;
    }
    let words = parser.peek_tokens_ref::<4>().map(|token| match &token.token {
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
    let quantifies = matches!(which, Keyword::ANY | Keyword::ALL | Keyword::SOME);
    if !quantifies || open != Keyword::NoKeyword {
        return None;
    }
    (0..2 + usize::from(negated)).for_each(|_| parser.advance_token());
    Some(quantified(parser, expr, compare_op, which))
}

/// What follows ANY, ALL or SOME after an operator.
fn quantified(
    parser: &mut Parser<'_>,
    left: &Expr,
    compare_op: BinaryOperator,
    which: Keyword,
) -> Result<Expr, ParserError> {
    parser.expect_token(&Token::LParen)?;
    let right = match parser.peek_one_of_keywords(&[Keyword::SELECT, Keyword::WITH]) {
        Some(_) => parser.parse_query().map(Expr::Subquery)?,
        None => parser.parse_expr()?,
    };
    parser.expect_token(&Token::RParen)?;
    let (left, right) = (Box::new(left.clone()), Box::new(right));
    Ok(match which {
        Keyword::ALL => Expr::AllOp { left, compare_op, right },
        _ => Expr::AnyOp { left, compare_op, right, is_some: which == Keyword::SOME },
    })
}

/// `a OPERATOR(pg_catalog.=) ANY (…)`, which the parser reads with plain operators only.
pub(super) fn named_operator(
    parser: &mut Parser<'_>,
    expr: &Expr,
) -> Option<Result<Expr, ParserError>> {
    if word(&parser.peek_token_ref().token) != Keyword::OPERATOR {
        return None;
    }
    let [_, open, schema, dot, symbol, close, which] = parser.peek_tokens_ref();
    if open.token != Token::LParen {
        return None;
    }
    let (name, words, which) = match dot.token {
        Token::RParen => (vec![schema.token.to_string()], 4, word(&symbol.token)),
        Token::Period if close.token == Token::RParen => {
            let name = vec![schema.token.to_string(), symbol.token.to_string()];
            (name, 6, word(&which.token))
        }
        _ => return None,
    };
    if !matches!(which, Keyword::ANY | Keyword::ALL | Keyword::SOME) {
        return None;
    }
    (0..=words).for_each(|_| parser.advance_token());
    let op = BinaryOperator::PGCustomBinaryOperator(name);
    Some(quantified(parser, expr, op, which))
}

/// VALUES where an expression may stand: a query.
pub(super) fn values(parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
    let [_, open]: [Token; 2] = parser.peek_tokens();
    (open == Token::LParen).then(|| parser.parse_query().map(Expr::Subquery))
}

/// `substring(a SIMILAR b ESCAPE c)`, which is `substring(a FROM b FOR c)`.
pub(super) fn similar_substring(parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
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
