//! PostgreSQL's SQL as the parser reads it, with what it does not read by itself.
//!
//! Each form becomes a syntax tree that says the same: `a BETWEEN SYMMETRIC b AND c` is two BETWEENs,
//! `interval(0) '1.5 s'` a cast, and FETCH takes all of PostgreSQL's directions.

use std::any::TypeId;
use std::cell::RefCell;

use sqlparser::ast::{
    BinaryOperator, CastKind, ColumnOption, DataType, DescribeAlias, Expr, FetchDirection,
    FetchPosition, GeneratedAs, Ident, ObjectType, SequenceOptions, Statement, Value,
    ValueWithSpan,
};
use sqlparser::dialect::{Dialect, PostgreSqlDialect, Precedence};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Token};

use crate::syntax::{Clauses, Prefix};

/// PostgreSQL's SQL, for one statement.
#[derive(Debug, Default)]
pub(crate) struct Postgres {
    /// Whether plain literals have the escapes of `E'…'`.
    escapes: bool,
    /// The clauses of the statement.
    clauses: RefCell<Clauses>,
}

impl Postgres {
    /// For a statement that has these clauses; those that are read come to them.
    pub(crate) fn with(clauses: Clauses) -> Postgres {
        Postgres { escapes: false, clauses: RefCell::new(clauses) }
    }

    /// With `standard_conforming_strings` on or off.
    pub(super) fn standard(standard: bool) -> Postgres {
        Postgres { escapes: !standard, clauses: RefCell::default() }
    }

    /// The clauses of the statement, once it is read.
    pub(crate) fn clauses(self) -> Clauses {
        self.clauses.into_inner()
    }
}

const BASE: PostgreSqlDialect = PostgreSqlDialect {};

/// Operators of extensions that stand before their operand.
pub(crate) const PREFIXES: [&str; 2] = ["%%", "%#"];

/// The keyword of a token; none for what is quoted or no word.
fn word(token: &Token) -> Keyword {
    match token {
        Token::Word(word) if word.quote_style.is_none() => word.keyword,
        _ => Keyword::NoKeyword,
    }
}

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

    fn is_column_alias(&self, keyword: &Keyword, parser: &mut Parser<'_>) -> bool {
        // `INSERT INTO t SELECT 1 ON CONFLICT …`.
        *keyword != Keyword::ON && BASE.is_column_alias(keyword, parser)
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
            Token::LParen => return combined(parser),
            Token::RParen | Token::EOF => return self.no_columns(parser).map(Ok),
            _ => return None,
        };
        match word.keyword {
            _ if word.quote_style.is_some() => None,
            Keyword::INTERVAL => precise_interval(parser).map(Ok),
            Keyword::CURRENT => current_of(parser),
            Keyword::SUBSTRING => similar_substring(parser),
            Keyword::VALUES => values(parser),
            Keyword::VARIADIC => variadic(parser),
            Keyword::FROM => blanks(parser),
            Keyword::WHERE
            | Keyword::GROUP
            | Keyword::HAVING
            | Keyword::ORDER
            | Keyword::LIMIT
            | Keyword::OFFSET
            | Keyword::FETCH
            | Keyword::UNION
            | Keyword::EXCEPT
            | Keyword::INTERSECT
            | Keyword::WINDOW => self.no_columns(parser).map(Ok),
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
        named_operator(parser, expr).or_else(|| quantified_like(parser, expr))
    }

    fn parse_column_option(
        &self,
        parser: &mut Parser<'_>,
    ) -> Result<Option<Result<Option<ColumnOption>, ParserError>>, ParserError> {
        use Keyword::{ALWAYS, AS, BY, DEFAULT, GENERATED, IDENTITY};
        let generated_as = if parser.parse_keywords(&[GENERATED, ALWAYS, AS, IDENTITY]) {
            GeneratedAs::Always
        } else if parser.parse_keywords(&[GENERATED, BY, DEFAULT, AS, IDENTITY]) {
            GeneratedAs::ByDefault
        } else {
            return Ok(None);
        };
        Ok(Some(sequence_options(parser).map(|options| {
            Some(ColumnOption::Generated {
                generated_as,
                sequence_options: Some(options),
                generation_expr: None,
                generation_expr_mode: None,
                generated_keyword: true,
            })
        })))
    }

    fn parse_statement(&self, parser: &mut Parser<'_>) -> Option<Result<Statement, ParserError>> {
        match parser.peek_token_ref().token {
            Token::Word(ref word) => match word.keyword {
                Keyword::DROP => {
                    let drop = [Keyword::DROP, Keyword::INDEX, Keyword::CONCURRENTLY];
                    parser.parse_keywords(&drop).then(|| self.drop_concurrently(parser))
                }
                Keyword::CREATE => super::extension::create(parser),
                Keyword::FETCH => parser.parse_keyword(Keyword::FETCH).then(|| fetch(parser)),
                Keyword::EXPLAIN => explained(parser),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Postgres {
    /// `SELECT WHERE …`, `SELECT` alone: the parser wants a column there unless FROM follows. It is given a name
    /// without letters, which prints as nothing.
    fn no_columns(&self, parser: &Parser<'_>) -> Option<Expr> {
        let before = parser.get_current_token();
        let select = matches!(&before.token, Token::Word(word)
            if word.keyword == Keyword::SELECT && word.quote_style.is_none());
        if !select || parser.index() == 0 {
            return None;
        }
        self.clauses.borrow_mut().add_no_columns(before.span.start);
        Some(Expr::Identifier(Ident::new("")))
    }

    /// What follows DROP INDEX CONCURRENTLY.
    fn drop_concurrently(&self, parser: &mut Parser<'_>) -> Result<Statement, ParserError> {
        let if_exists = parser.parse_keywords(&[Keyword::IF, Keyword::EXISTS]);
        let first: Location = parser.peek_token_ref().span.start;
        self.clauses.borrow_mut().add_concurrently(first);
        let names = parser.parse_comma_separated(|parser| parser.parse_object_name(false))?;
        let cascade = parser.parse_keyword(Keyword::CASCADE);
        Ok(Statement::Drop {
            object_type: ObjectType::Index,
            if_exists,
            names,
            cascade,
            restrict: !cascade && parser.parse_keyword(Keyword::RESTRICT),
            purge: false,
            temporary: false,
            table: None,
        })
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
    let name = parser.parse_identifier();
    Some(name.map(|name| Prefix::CurrentOf.before(Expr::Identifier(name))))
}

/// `VARIADIC array` as an argument.
fn variadic(parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
    let argument = matches!(parser.get_current_token().token, Token::LParen | Token::Comma);
    argument.then(|| {
        parser.advance_token();
        parser.parse_expr().map(|array| Prefix::Variadic.before(array))
    })
}

/// `trim(both from x)`, `trim(from x)`: blanks are what is trimmed.
fn blanks(parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
    let trims = match &parser.get_current_token().token {
        Token::LParen => word(&parser.get_previous_token().token) == Keyword::TRIM,
        side => matches!(word(side), Keyword::BOTH | Keyword::LEADING | Keyword::TRAILING),
    };
    let blank = || Expr::Value(Value::SingleQuotedString(" ".to_owned()).into());
    trims.then(|| Ok(blank()))
}

/// `((SELECT a) UNION (SELECT b))` as an expression: the parser knows a subquery by its first word.
fn combined(parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
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

/// `EXPLAIN (SELECT …)`, where the parser takes the parenthesis for options.
fn explained(parser: &mut Parser<'_>) -> Option<Result<Statement, ParserError>> {
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
fn sequence_options(parser: &mut Parser<'_>) -> Result<Vec<SequenceOptions>, ParserError> {
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
fn named_operator(parser: &mut Parser<'_>, expr: &Expr) -> Option<Result<Expr, ParserError>> {
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
