//! PostgreSQL's SQL as the parser reads it, with what it does not read by itself.
//!
//! Each form becomes a syntax tree that says the same: `a BETWEEN SYMMETRIC b AND c` is two BETWEENs,
//! `interval(0) '1.5 s'` a cast, and FETCH takes all of PostgreSQL's directions.

mod base;
mod expression;
mod statement;

use std::any::TypeId;
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use sqlparser::ast::{ColumnOption, Expr, GeneratedAs, Ident, ObjectType, Statement};
use sqlparser::dialect::{Dialect, PostgreSqlDialect, Precedence};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Token};

use self::base::BASE;
use crate::syntax::Clauses;

/// Tells whether to stop reading.
#[derive(Clone)]
pub(crate) struct Stop(Arc<dyn Fn() -> bool + Send + Sync>);

impl Stop {
    pub(crate) fn when(told: impl Fn() -> bool + Send + Sync + 'static) -> Stop {
        Stop(Arc::new(told))
    }

    /// For texts that are known to be short.
    pub(crate) fn never() -> Stop {
        Stop::when(|| false)
    }

    pub(super) fn is_told(&self) -> bool {
        (self.0)()
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stop").field(&self.is_told()).finish()
    }
}

/// PostgreSQL's SQL, for one statement.
#[derive(Debug)]
pub(crate) struct Postgres {
    /// Whether plain literals have the escapes of `E'…'`.
    escapes: bool,
    /// The clauses of the statement.
    clauses: RefCell<Clauses>,
    stop: Stop,
}

impl Postgres {
    /// For a statement that has these clauses; those that are read come to them.
    pub(super) fn with(clauses: Clauses, stop: Stop) -> Postgres {
        Postgres { escapes: false, clauses: RefCell::new(clauses), stop }
    }

    /// With `standard_conforming_strings` on or off.
    pub(super) fn standard(standard: bool) -> Postgres {
        Postgres { escapes: !standard, clauses: RefCell::default(), stop: Stop::never() }
    }

    /// The clauses of the statement, once it is read.
    pub(crate) fn clauses(self) -> Clauses {
        self.clauses.into_inner()
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
        if self.stop.is_told() {
            // After any other error the parser may try something else.
            return Some(Err(ParserError::RecursionLimitExceeded));
        }
        let word = match &parser.peek_token_ref().token {
            Token::Word(word) => word,
            Token::SingleQuotedString(_) => return expression::frame_offset(parser),
            Token::CustomBinaryOperator(_) => return expression::prefix_operator(parser),
            Token::LParen => return expression::combined(parser),
            Token::RParen | Token::EOF => return self.no_columns(parser).map(Ok),
            _ => return None,
        };
        match word.keyword {
            _ if word.quote_style.is_some() => None,
            Keyword::INTERVAL => expression::precise_interval(parser).map(Ok),
            Keyword::CURRENT => expression::current_of(parser),
            Keyword::SUBSTRING => expression::similar_substring(parser),
            Keyword::VALUES => expression::values(parser),
            Keyword::VARIADIC => expression::variadic(parser),
            Keyword::FROM => expression::blanks(parser),
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
            return Some(expression::between_symmetric(parser, expr, negated));
        }
        if parser.parse_keyword(Keyword::COLLATE) {
            let named = parser.parse_object_name(false);
            let expr = Box::new(expr.clone());
            return Some(named.map(|collation| Expr::Collate { expr, collation }));
        }
        expression::named_operator(parser, expr)
            .or_else(|| expression::quantified_like(parser, expr))
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
        Ok(Some(statement::sequence_options(parser).map(|options| {
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
                Keyword::FETCH => {
                    parser.parse_keyword(Keyword::FETCH).then(|| statement::fetch(parser))
                }
                Keyword::EXPLAIN => statement::explained(parser),
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
