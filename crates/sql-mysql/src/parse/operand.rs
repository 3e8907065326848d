//! Operands: literals, names, variables, calls, and what stands in parentheses.

use sqlparser::ast::helpers::attached_token::AttachedToken;
use sqlparser::ast::{
    BinaryOperator, CaseWhen, CastKind, DataType, Expr, Query, SearchModifier, TypedString, Value,
    ValueWithSpan,
};

use super::cursor::{Parser, Result};
use super::error::ParseError;
use super::expression::{PIPE, Read, SIGN};
use super::token::Kind;
use crate::syntax::{Scope, Variable};

/// What stands in parentheses where an expression or a query may.
pub(super) enum Enclosed {
    Query(Box<Query>),
    Expr(Box<Read>),
}

impl Parser<'_> {
    /// An operand without operators before it.
    pub(super) fn simple(&mut self) -> Result<Read> {
        let token = self.peek().clone();
        let span = token.span();
        let value = |value| Expr::Value(ValueWithSpan { value, span });
        let word = self.text[token.start..token.end].to_owned();
        let literal = match token.kind {
            Kind::Integer | Kind::Decimal | Kind::Float => value(Value::Number(word, false)),
            // In MySQL the two are the same.
            Kind::Hex(digits) if self.is_mariadb() => value(Value::HexStringLiteral(digits)),
            Kind::Hex(digits) | Kind::HexNumber(digits) => {
                value(Value::Number(format!("0x{digits}"), false))
            }
            Kind::Bits(digits) => value(Value::SingleQuotedByteStringLiteral(digits)),
            Kind::Null => value(Value::Null),
            Kind::Parameter(number) => value(Value::Placeholder(format!("${}", number + 1))),
            Kind::Text(_) | Kind::National(_) => return self.text_literal().map(Read::closed),
            Kind::Introducer => return self.introduced(),
            Kind::At(name) => return self.user_variable(name),
            Kind::AtAt => return self.system_variable(),
            Kind::Sign("(") => return self.parenthesized(),
            Kind::Sign("{") => return self.odbc(),
            // `.table.column` is of the database in use.
            Kind::Sign(".") => {
                self.advance();
                let table = self.ident()?;
                self.expect_sign(".")?;
                return Ok(Read::closed(Expr::CompoundIdentifier(vec![table, self.ident()?])));
            }
            Kind::Word => return self.worded(&word),
            Kind::Name | Kind::Quoted(_) => return self.named(),
            Kind::Sign(_) | Kind::Bad | Kind::End => return Err(self.unexpected()),
        };
        self.advance();
        Ok(Read::closed(literal))
    }

    /// A string and those that follow it, which are one with it.
    pub(super) fn text_literal(&mut self) -> Result<Expr> {
        let first = self.advance();
        let (mut text, national) = match &first.kind {
            Kind::Text(text) => (text.clone(), false),
            Kind::National(text) => (text.clone(), true),
            _ => return Err(self.unexpected()),
        };
        while let Kind::Text(more) = &self.peek().kind {
            text.push_str(&more.clone());
            self.advance();
        }
        let value = match national {
            true => Value::NationalStringLiteral(text),
            false => Value::SingleQuotedString(text),
        };
        Ok(Expr::Value(ValueWithSpan { value, span: self.since(&first) }))
    }

    /// `_utf8mb4 'x'`.
    fn introduced(&mut self) -> Result<Read> {
        let literal = matches!(
            self.ahead(1).kind,
            Kind::Text(_) | Kind::Hex(_) | Kind::HexNumber(_) | Kind::Bits(_)
        );
        if !literal {
            self.advance();
            return Err(self.unexpected());
        }
        let mut prefix = self.taken_ident();
        prefix.value.make_ascii_lowercase();
        let span = self.peek().span();
        let value = match self.peek().kind.clone() {
            Kind::Text(_) => self.text_literal()?,
            Kind::Hex(digits) | Kind::HexNumber(digits) => {
                self.advance();
                Expr::Value(ValueWithSpan { value: Value::HexStringLiteral(digits), span })
            }
            _ => self.simple()?.expr,
        };
        Ok(Read::closed(Expr::Prefixed { prefix, value: Box::new(value) }))
    }

    /// `@a` and `@a := b`.
    fn user_variable(&mut self, name: String) -> Result<Read> {
        self.advance();
        let variable = Variable::User(name).into_expr();
        if !self.takes_sign(":=") {
            return Ok(Read::closed(variable));
        }
        let (left, right) = (Box::new(variable), Box::new(self.expr()?));
        Ok(Read::closed(Expr::BinaryOp { left, op: BinaryOperator::Assignment, right }))
    }

    /// `@@a`, `@@session.a`, `@@cache.a`.
    fn system_variable(&mut self) -> Result<Read> {
        self.system_name().map(|variable| Read::closed(variable.into_expr()))
    }

    /// A system variable, from its `@@` on.
    pub(super) fn system_name(&mut self) -> Result<Variable> {
        let marks = self.advance();
        if self.start() != marks.end {
            return Err(self.unexpected());
        }
        let any = matches!(self.peek().kind, Kind::Word | Kind::Name | Kind::Quoted(_));
        let first = if any { self.taken_ident() } else { return Err(self.unexpected()) };
        let scope = Scope::named(&first.value).filter(|_| first.quote_style.is_none());
        let mut name = vec![first];
        while name.len() < 2 + usize::from(scope.is_some()) && self.takes_sign(".") {
            name.push(self.ident()?);
        }
        match scope.is_some() {
            true if name.len() == 1 => Err(self.unexpected()),
            scoped => {
                name.drain(..usize::from(scoped));
                Ok(Variable::System { scope, name })
            }
        }
    }

    /// `{d '2020-01-01'}`, `{fn now()}`: what is in the braces, as a literal where the word makes it one.
    fn odbc(&mut self) -> Result<Read> {
        self.expect_sign("{")?;
        let word = self.ident()?;
        let data_type = match word.value.to_ascii_lowercase().as_str() {
            "d" => Some(DataType::Date),
            "t" => Some(time()),
            "ts" => Some(DataType::Timestamp(None, sqlparser::ast::TimezoneInfo::None)),
            _ => None,
        };
        let inner = self.expr()?;
        self.expect_sign("}")?;
        Ok(Read::closed(match (data_type, inner) {
            (Some(data_type), Expr::Value(value))
                if matches!(value.value, Value::SingleQuotedString(_)) =>
            {
                Expr::TypedString(TypedString { data_type, value, uses_odbc_syntax: true })
            }
            (_, inner) => inner,
        }))
    }

    /// Whether a parenthesis is next, and after it and others a query.
    pub(super) fn opens_query(&mut self) -> bool {
        let mut by = 0;
        while self.is_sign_ahead(by, "(") {
            by += 1;
        }
        by > 0 && self.begins_query_ahead(by)
    }

    /// Whether a query begins at a token ahead.
    pub(super) fn begins_query_ahead(&mut self, by: usize) -> bool {
        let table = !self.is_mariadb() && self.is_ahead(by, "TABLE");
        let values = self.is_ahead(by, "VALUES")
            && match self.is_mariadb() {
                // In ON DUPLICATE KEY UPDATE it is a function.
                true => !self.updates_row,
                false => self.is_ahead(by + 1, "ROW"),
            };
        table || values || self.is_ahead(by, "SELECT") || self.is_ahead(by, "WITH")
    }

    /// What stands in parentheses: an expression, a row, or a query.
    pub(super) fn parenthesized(&mut self) -> Result<Read> {
        match self.deeper(Self::enclosed)? {
            Enclosed::Query(query) => Ok(Read::closed(Expr::Subquery(query))),
            Enclosed::Expr(read) => Ok(*read),
        }
    }

    /// From a parenthesis to its end. One that opens with others may be that of a query in parentheses, which goes
    /// on with UNION or ends, or that of an expression that begins with a query.
    fn enclosed(&mut self) -> Result<Enclosed> {
        let nested = self.opens_query();
        self.expect_sign("(")?;
        if nested && self.begins_query_ahead(0) {
            let query = Box::new(self.query()?);
            self.expect_sign(")")?;
            return Ok(Enclosed::Query(query));
        }
        let first = match nested {
            false => self.expr()?,
            true => match self.deeper(Self::enclosed)? {
                Enclosed::Query(query) if self.goes_on_as_query() => {
                    let query = Box::new(self.query_after(*query)?);
                    self.expect_sign(")")?;
                    return Ok(Enclosed::Query(query));
                }
                Enclosed::Query(query) => {
                    if self.takes_sign(")") {
                        return Ok(Enclosed::Query(query));
                    }
                    self.continued(Read::closed(Expr::Subquery(query)), super::expression::OR)?
                }
                Enclosed::Expr(read) => self.continued(*read, super::expression::OR)?,
            },
        };
        if !self.is_sign(",") {
            self.expect_sign(")")?;
            return Ok(Enclosed::Expr(Box::new(Read::closed(Expr::Nested(Box::new(first))))));
        }
        let mut all = vec![first];
        while self.takes_sign(",") {
            all.push(self.expr()?);
        }
        self.expect_sign(")")?;
        Ok(Enclosed::Expr(Box::new(Read::closed(Expr::Tuple(all)))))
    }

    /// An operand that begins with a word without quotes.
    fn worded(&mut self, word: &str) -> Result<Read> {
        let upper = word.to_ascii_uppercase();
        let span = self.peek().span();
        let value = |value| Read::closed(Expr::Value(ValueWithSpan { value, span }));
        let opens = self.is_sign_ahead(1, "(");
        match upper.as_str() {
            "NULL" => self.advance_to(value(Value::Null)),
            "TRUE" => self.advance_to(value(Value::Boolean(true))),
            "FALSE" => self.advance_to(value(Value::Boolean(false))),
            "CASE" => self.case(),
            "EXISTS" => {
                self.advance();
                let subquery = Box::new(self.subquery()?);
                Ok(Read::closed(Expr::Exists { subquery, negated: false }))
            }
            "BINARY" => {
                self.advance();
                let expr = Box::new(self.at_least(SIGN)?);
                let data_type = DataType::Binary(None);
                let cast = Expr::Cast { kind: CastKind::Cast, expr, data_type, format: None };
                Ok(Read { expr: cast, level: SIGN })
            }
            "ROW" if opens => {
                self.advance();
                let row = self.in_parens(|parser| parser.listed(Self::expr))?;
                match row.len() {
                    1 => Err(self.unexpected()),
                    _ => Ok(Read::closed(Expr::Tuple(row))),
                }
            }
            "MATCH" => self.match_against(),
            "CHAR" | "CHARACTER" | "CONVERT" | "DEFAULT" | "IF" | "INSERT" | "LEFT" | "MOD"
            | "REPEAT" | "REPLACE" | "RIGHT" | "ROW_NUMBER"
                if !opens =>
            {
                self.advance();
                Err(self.unexpected())
            }
            "DATE" | "TIME" | "TIMESTAMP" if matches!(self.ahead(1).kind, Kind::Text(_)) => {
                self.dated(&upper)
            }
            "VALUES" if !opens && (self.updates_row || !self.is_mariadb()) => {
                self.advance();
                Err(self.unexpected())
            }
            _ if opens => self.call(&upper),
            _ => match super::call::value_word(&upper) {
                true => {
                    let name = self.taken_ident();
                    Ok(Read::closed(super::function_tree::without_parens(name)))
                }
                false => self.named(),
            },
        }
    }

    fn advance_to(&mut self, read: Read) -> Result<Read> {
        self.advance();
        Ok(read)
    }

    /// `DATE '2020-01-01'` and its kin.
    fn dated(&mut self, word: &str) -> Result<Read> {
        self.advance();
        let data_type = match word {
            "DATE" => DataType::Date,
            "TIME" => time(),
            _ => DataType::Timestamp(None, sqlparser::ast::TimezoneInfo::None),
        };
        let first = self.peek().clone();
        let text = self.string()?;
        let value =
            ValueWithSpan { value: Value::SingleQuotedString(text), span: self.since(&first) };
        Ok(Read::closed(Expr::TypedString(TypedString {
            data_type,
            value,
            uses_odbc_syntax: false,
        })))
    }

    /// A column, or a function of a database.
    pub(super) fn named(&mut self) -> Result<Read> {
        let first = self.ident()?;
        let mut parts = vec![first];
        while parts.len() < 3 && self.takes_sign(".") {
            parts.push(self.ident()?);
        }
        if self.is_sign("(")
            && (parts.len() == 2 || parts.len() == 1 && parts[0].quote_style.is_some())
        {
            return self.plain_call(parts);
        }
        let expr = match parts.len() {
            1 => Expr::Identifier(parts.remove(0)),
            _ => Expr::CompoundIdentifier(parts),
        };
        self.json_path(expr)
    }

    /// `column -> '$.path'`, which MySQL has.
    fn json_path(&mut self, column: Expr) -> Result<Read> {
        if self.is_mariadb() {
            return Ok(Read::closed(column));
        }
        let op = match self.peek().kind {
            Kind::Sign("->") => BinaryOperator::Arrow,
            Kind::Sign("->>") => BinaryOperator::LongArrow,
            _ => return Ok(Read::closed(column)),
        };
        self.advance();
        let right = match self.peek().kind {
            Kind::Text(_) => Box::new(self.text_literal()?),
            _ => return Err(self.unexpected()),
        };
        Ok(Read::closed(Expr::BinaryOp { left: Box::new(column), op, right }))
    }

    fn case(&mut self) -> Result<Read> {
        let case_token = self.attached();
        self.expect("CASE")?;
        let operand = match self.is("WHEN") {
            true => None,
            false => Some(Box::new(self.expr()?)),
        };
        let mut conditions = Vec::new();
        while conditions.is_empty() || self.is("WHEN") {
            self.expect("WHEN")?;
            let condition = self.expr()?;
            self.expect("THEN")?;
            conditions.push(CaseWhen { condition, result: self.expr()? });
        }
        let else_result = match self.takes("ELSE") {
            true => Some(Box::new(self.expr()?)),
            false => None,
        };
        let end_token: AttachedToken = self.attached();
        self.expect("END")?;
        Ok(Read::closed(Expr::Case { case_token, end_token, operand, conditions, else_result }))
    }

    /// `MATCH (a, b) AGAINST ('text' IN BOOLEAN MODE)`.
    fn match_against(&mut self) -> Result<Read> {
        self.expect("MATCH")?;
        let columns = match self.is_sign("(") {
            true => self.in_parens(|parser| parser.listed(Self::column_name))?,
            false => self.listed(Self::column_name)?,
        };
        self.expect("AGAINST")?;
        self.expect_sign("(")?;
        let value = self.at_least(PIPE)?;
        let opt_search_modifier = if self.takes("IN") {
            match self.expect_one_of(&["NATURAL", "BOOLEAN"])? {
                "BOOLEAN" => {
                    self.expect("MODE")?;
                    Some(SearchModifier::InBooleanMode)
                }
                _ => {
                    self.expect_all(&["LANGUAGE", "MODE"])?;
                    match self.takes("WITH") {
                        true => {
                            self.expect_all(&["QUERY", "EXPANSION"])?;
                            Some(SearchModifier::InNaturalLanguageModeWithQueryExpansion)
                        }
                        false => Some(SearchModifier::InNaturalLanguageMode),
                    }
                }
            }
        } else if self.takes("WITH") {
            self.expect_all(&["QUERY", "EXPANSION"])?;
            Some(SearchModifier::WithQueryExpansion)
        } else {
            None
        };
        self.expect_sign(")")?;
        match value {
            Expr::Value(match_value) => {
                Ok(Read::closed(Expr::MatchAgainst { columns, match_value, opt_search_modifier }))
            }
            _ => Err(ParseError::Unsupported("AGAINST what is no literal")),
        }
    }

    /// A query in parentheses.
    pub(super) fn subquery(&mut self) -> Result<Query> {
        match self.opens_query() {
            true => match self.deeper(Self::enclosed)? {
                Enclosed::Query(query) => Ok(*query),
                Enclosed::Expr(_) => Err(self.unexpected()),
            },
            false => {
                self.expect_sign("(")?;
                Err(self.unexpected())
            }
        }
    }
}

fn time() -> DataType {
    DataType::Time(None, sqlparser::ast::TimezoneInfo::None)
}
