//! Expressions without columns, evaluated over `sqlparser`'s trees with nothing but the functions under test. It does what a binder
//! does: constants get types, operators and functions are found by the types of their arguments, NULL goes in and out.

use hobgoblin_sql_mysql_functions as functions;
use hobgoblin_sql_mysql_types::cast::cast_result;
use hobgoblin_sql_mysql_types::{
    Coercibility, Collation, Kind, MyType, Settings, cast, common, literal, names,
};
use hobgoblin_sql_schema::context::Context;
use hobgoblin_sql_schema::function::{Call, Candidate, Function, Resolution};
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::{Datum, TypeId};
use sqlparser::ast::{
    self, BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, UnaryOperator,
    Value,
};
use sqlparser::dialect::{Dialect, MySqlDialect};
use sqlparser::parser::Parser;

use super::session::Session;

type Typed = (Datum, TypeId);

const NULL: Typed = (Datum::Null, TypeId::UNKNOWN);

/// MySQL's dialect with what it lacks for these expressions: `!`, and units such as `DAY_MINUTE`.
#[derive(Debug)]
struct Expressions;

impl Dialect for Expressions {
    fn dialect(&self) -> std::any::TypeId {
        MySqlDialect {}.dialect()
    }
    fn is_identifier_start(&self, letter: char) -> bool {
        MySqlDialect {}.is_identifier_start(letter)
    }
    fn is_identifier_part(&self, letter: char) -> bool {
        MySqlDialect {}.is_identifier_part(letter)
    }
    fn supports_string_literal_backslash_escape(&self) -> bool {
        true
    }
    fn ignores_wildcard_escapes(&self) -> bool {
        true
    }
    fn supports_bitwise_shift_operators(&self) -> bool {
        true
    }
    fn supports_bang_not_operator(&self) -> bool {
        true
    }
    fn allow_extract_custom(&self) -> bool {
        true
    }
    fn require_interval_qualifier(&self) -> bool {
        true
    }
    fn parse_infix(
        &self,
        parser: &mut Parser,
        expr: &Expr,
        precedence: u8,
    ) -> Option<Result<Expr, sqlparser::parser::ParserError>> {
        MySqlDialect {}.parse_infix(parser, expr, precedence)
    }
}

/// `INTERVAL '1:30' MINUTE_SECOND` as a call: the parser knows no units of several parts.
fn with_calls_for_intervals(text: &str) -> String {
    let Some((before, rest)) = text.split_once("interval '") else { return text.to_owned() };
    let Some((amount, rest)) = rest.split_once("' ") else { return text.to_owned() };
    let length = rest.bytes().take_while(|b| b.is_ascii_lowercase() || *b == b'_').count();
    let (unit, after) = rest.split_at(length);
    match unit.contains('_') {
        true => format!("{before}interval_of('{amount}', '{unit}'){after}"),
        false => text.to_owned(),
    }
}

/// Reads an expression; nothing if the parser does not know it.
pub(crate) fn parse(text: &str) -> Option<Expr> {
    let text = with_calls_for_intervals(text);
    let mut parser = Parser::new(&Expressions).try_with_sql(&text).ok()?;
    let found = parser.parse_expr().ok()?;
    (parser.peek_token().token == sqlparser::tokenizer::Token::EOF).then_some(found)
}

pub(crate) struct Evaluator {
    pub(crate) session: Session,
}

impl Evaluator {
    pub(crate) fn new() -> Evaluator {
        Evaluator { session: Session::new() }
    }

    fn call(&mut self, found: &Candidate<Function>, args: Vec<Typed>) -> Result<Typed> {
        // In a row nothing counts as a constant but what no column has the type of.
        let own = |ty: &TypeId| self.session.columns.iter().any(|(_, _, column)| column == ty);
        let constant = |arg: &'_ Typed| (!own(&arg.1)).then_some(arg.0.clone());
        let constants: Vec<Option<Datum>> = args.iter().map(constant).collect();
        let constants: Vec<Option<&Datum>> = constants.iter().map(Option::as_ref).collect();
        let result = functions::refined(found.function, &found.args, &constants, found.result);
        let mut values = Vec::new();
        for ((value, ty), to) in args.into_iter().zip(&found.args) {
            let env = self.session.types();
            values.push(match ty == *to {
                true => value,
                false => cast(value, ty, *to, false, &env)?,
            });
        }
        if found.function.strict && values.iter().any(Datum::is_null) {
            return Ok((Datum::Null, result));
        }
        let cx = &mut self.session;
        let (args, types) = (&values[..], &found.args[..]);
        let value = (found.function.eval)(&mut Call { cx, args, types, result })?;
        Ok((value, result))
    }

    fn operator(&mut self, op: &str, left: Option<Typed>, right: Typed) -> Result<Typed> {
        let found = functions::operator(op, left.as_ref().map(|left| left.1), right.1)?;
        self.call(&found, left.into_iter().chain([right]).collect())
    }

    fn function(&mut self, name: &str, args: Vec<Typed>) -> Result<Typed> {
        let types: Vec<TypeId> = args.iter().map(|arg| arg.1).collect();
        match functions::function(name, &types)? {
            Resolution::Scalar(found) => self.call(&found, args),
            _ => Err(SqlError::unsupported(name)),
        }
    }

    fn truth(&mut self, expr: &Expr) -> Result<Option<bool>> {
        let (value, ty) = self.eval(expr)?;
        let (value, _) = match functions::condition(ty) {
            Some(found) => self.call(&found, vec![(value, ty)])?,
            None => (value, ty),
        };
        Ok(match value {
            Datum::Bool(truth) => Some(truth),
            _ => None,
        })
    }

    fn all(&mut self, exprs: &[Expr]) -> Result<Vec<Typed>> {
        exprs.iter().map(|expr| self.eval(expr)).collect()
    }

    /// The value and type of an expression.
    pub(crate) fn eval(&mut self, expr: &Expr) -> Result<Typed> {
        let truth = |truth: Option<bool>| (truth.map_or(Datum::Null, Datum::Bool), TypeId::BOOLEAN);
        Ok(match expr {
            Expr::Nested(inner) => self.eval(inner)?,
            Expr::Value(value) => self.literal(&value.value)?,
            Expr::Identifier(name) => {
                let name = name.value.to_lowercase();
                let column = self.session.columns.iter().find(|(column, ..)| *column == name);
                if let Some((_, value, ty)) = column {
                    return Ok((value.clone(), *ty));
                }
                self.function(&name, Vec::new())?
            }
            Expr::Prefixed { prefix, value } => {
                let (value, ty) = self.eval(value)?;
                let mine = MyType::of(ty);
                match prefix.value.to_lowercase().as_str() {
                    "binary" => cast_to(value, ty, MyType::bytes(0), &self.session)?,
                    "_binary" => {
                        let bytes = MyType::bytes(mine.length);
                        cast_to(value, ty, MyType { length: 0, ..bytes }, &self.session)?
                    }
                    charset => {
                        let collation = Collation::first_of(&charset[1..])
                            .ok_or_else(|| SqlError::unsupported("the charset"))?;
                        (value, MyType { collation, ..mine }.id())
                    }
                }
            }
            Expr::TypedString(typed) => {
                let kind = match typed.data_type {
                    ast::DataType::Date => Kind::Date,
                    ast::DataType::Time(..) => Kind::Time,
                    _ => Kind::DateTime,
                };
                let text = typed.value.value.clone().into_string().unwrap_or_default();
                literal::moment(kind, &text, &self.session.settings)?
            }
            Expr::UnaryOp { op: UnaryOperator::Minus, expr } => {
                if let Expr::Value(value) = &**expr
                    && let Value::Number(text, _) = &value.value
                {
                    return literal::number(&format!("-{text}"));
                }
                let inner = self.eval(expr)?;
                self.operator("-", None, inner)?
            }
            Expr::UnaryOp { op: UnaryOperator::Not, expr } => {
                truth(self.truth(expr)?.map(|truth| !truth))
            }
            Expr::UnaryOp { op, expr } => {
                let name = match op {
                    UnaryOperator::BangNot => "!".to_owned(),
                    op => op.to_string(),
                };
                let inner = self.eval(expr)?;
                self.operator(&name, None, inner)?
            }
            Expr::BinaryOp { left, op, right } => self.binary(left, op, right)?,
            Expr::IsNull(inner) => truth(Some(self.eval(inner)?.0.is_null())),
            Expr::IsNotNull(inner) => truth(Some(!self.eval(inner)?.0.is_null())),
            Expr::IsTrue(inner) => truth(Some(self.truth(inner)? == Some(true))),
            Expr::IsFalse(inner) => truth(Some(self.truth(inner)? == Some(false))),
            Expr::IsUnknown(inner) => truth(Some(self.truth(inner)?.is_none())),
            Expr::Between { expr, negated, low, high } => {
                let (value, low, high) = (self.eval(expr)?, self.eval(low)?, self.eval(high)?);
                let above = self.operator(">=", Some(value.clone()), low)?.0;
                let below = self.operator("<=", Some(value), high)?.0;
                let both = and(of(&above), of(&below));
                truth(both.map(|both| both != *negated))
            }
            Expr::InList { expr, list, negated } => {
                let value = self.eval(expr)?;
                let mut any = Some(false);
                for item in list {
                    let item = self.eval(item)?;
                    let equal = self.operator("=", Some(value.clone()), item)?.0;
                    any = not(and(not(any), not(of(&equal))));
                    if any == Some(true) {
                        break;
                    }
                }
                truth(any.map(|any| any != *negated))
            }
            Expr::Like { negated, expr, pattern, escape_char, .. } => {
                let mut args = vec![self.eval(expr)?, self.eval(pattern)?];
                if let Some(escape) = escape_char {
                    args.push(self.eval(escape)?);
                }
                self.function(if *negated { "not_like" } else { "like" }, args)?
            }
            Expr::RLike { negated, expr, pattern, .. } => {
                let (expr, pattern) = (self.eval(expr)?, self.eval(pattern)?);
                let op = if *negated { "NOT REGEXP" } else { "REGEXP" };
                self.operator(op, Some(expr), pattern)?
            }
            Expr::Case { operand, conditions, else_result, .. } => {
                self.case(operand.as_deref(), conditions, else_result.as_deref())?
            }
            Expr::Cast { expr, data_type, .. } => self.cast(expr, data_type)?,
            Expr::Convert { expr, data_type: Some(ty), .. } => self.cast(expr, ty)?,
            Expr::Convert { expr, charset: Some(charset), .. } => {
                let (value, ty) = self.eval(expr)?;
                let collation = Collation::first_of(&charset.to_string())
                    .ok_or_else(|| SqlError::unsupported("the charset"))?;
                let length = common::text_length(MyType::of(ty));
                cast_to(value, ty, MyType::text(length, collation), &self.session)?
            }
            Expr::Collate { expr, collation } => {
                let (value, ty) = self.eval(expr)?;
                let collation = Collation::named(&collation.to_string())
                    .ok_or_else(|| SqlError::unsupported("the collation"))?;
                let coercibility = Coercibility::Explicit;
                (value, MyType { collation, coercibility, ..MyType::of(ty) }.id())
            }
            Expr::Function(function) => {
                let name = function.name.to_string().to_lowercase();
                self.written_call(&name, &function.args)?
            }
            Expr::Extract { field, expr, .. } => {
                let field = text(&field.to_string());
                let value = self.eval(expr)?;
                self.function("extract", vec![field, value])?
            }
            Expr::Ceil { expr, .. } => {
                let value = self.eval(expr)?;
                self.function("ceil", vec![value])?
            }
            Expr::Floor { expr, .. } => {
                let value = self.eval(expr)?;
                self.function("floor", vec![value])?
            }
            Expr::Position { expr, r#in } => {
                let (part, whole) = (self.eval(expr)?, self.eval(r#in)?);
                self.function("locate", vec![part, whole])?
            }
            Expr::Substring { expr, substring_from, substring_for, .. } => {
                let mut args = vec![self.eval(expr)?];
                for part in [substring_from, substring_for].into_iter().flatten() {
                    args.push(self.eval(part)?);
                }
                self.function("substring", args)?
            }
            Expr::Trim { trim_where, trim_what, expr, .. } => {
                let name = match trim_where {
                    Some(ast::TrimWhereField::Leading) => "ltrim",
                    Some(ast::TrimWhereField::Trailing) => "rtrim",
                    _ => "trim",
                };
                let mut args = vec![self.eval(expr)?];
                if let Some(what) = trim_what {
                    args.push(self.eval(what)?);
                }
                self.function(name, args)?
            }
            other => return Err(SqlError::unsupported(other)),
        })
    }

    fn literal(&self, value: &Value) -> Result<Typed> {
        Ok(match value {
            Value::Null => NULL,
            Value::Boolean(truth) => (Datum::Bool(*truth), TypeId::BOOLEAN),
            Value::Number(digits, _) => literal::number(digits)?,
            Value::SingleQuotedString(text) | Value::DoubleQuotedString(text) => {
                literal::text(text, Collation::DEFAULT)
            }
            Value::HexStringLiteral(digits) => {
                literal::hexadecimal(digits, self.session.quoted_digits)?
            }
            Value::SingleQuotedByteStringLiteral(digits) => literal::bits(digits)?,
            other => return Err(SqlError::unsupported(other)),
        })
    }

    fn binary(&mut self, left: &Expr, op: &BinaryOperator, right: &Expr) -> Result<Typed> {
        let of_truths =
            |truth: Option<bool>| (truth.map_or(Datum::Null, Datum::Bool), TypeId::BOOLEAN);
        let name = match op {
            BinaryOperator::And => {
                let left = self.truth(left)?;
                if left == Some(false) {
                    return Ok(of_truths(Some(false)));
                }
                return Ok(of_truths(and(left, self.truth(right)?)));
            }
            BinaryOperator::Or => {
                let left = self.truth(left)?;
                if left == Some(true) {
                    return Ok(of_truths(Some(true)));
                }
                return Ok(of_truths(not(and(not(left), not(self.truth(right)?)))));
            }
            BinaryOperator::MyIntegerDivide => "DIV".to_owned(),
            other => other.to_string(),
        };
        for (moment, interval) in [(left, right), (right, left)] {
            if let Expr::Interval(interval) = interval
                && matches!(op, BinaryOperator::Plus | BinaryOperator::Minus)
            {
                return self.shifted(moment, interval, *op == BinaryOperator::Minus);
            }
        }
        let (left, right) = (self.eval(left)?, self.eval(right)?);
        self.operator(&name, Some(left), right)
    }

    fn shifted(&mut self, moment: &Expr, by: &ast::Interval, back: bool) -> Result<Typed> {
        let unit = by.leading_field.as_ref().map(ToString::to_string).unwrap_or_default();
        let name = functions::interval_function(&unit, back)
            .ok_or_else(|| SqlError::unsupported(&unit))?;
        let args = vec![self.eval(moment)?, self.eval(&by.value)?, text(&unit)];
        self.function(name, args)
    }

    fn written_call(&mut self, name: &str, args: &FunctionArguments) -> Result<Typed> {
        let FunctionArguments::List(list) = args else {
            return self.function(name, Vec::new());
        };
        let exprs: Vec<&Expr> = list
            .args
            .iter()
            .filter_map(|arg| match arg {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
                _ => None,
            })
            .collect();
        if let ("date_add" | "date_sub" | "adddate" | "subdate", [moment, Expr::Interval(by)]) =
            (name, &exprs[..])
        {
            return self.shifted(moment, by, name.contains("sub"));
        }
        if let ("date_add" | "date_sub", [moment, Expr::Function(interval)]) = (name, &exprs[..])
            && let FunctionArguments::List(list) = &interval.args
            && let [amount, unit] = &list.args[..]
            && let FunctionArg::Unnamed(FunctionArgExpr::Expr(amount)) = amount
            && let FunctionArg::Unnamed(FunctionArgExpr::Expr(unit)) = unit
        {
            let unit = self.eval(unit)?;
            let word = match &unit.0 {
                Datum::Text(word) => word.to_string(),
                _ => String::new(),
            };
            let name = functions::interval_function(&word, name == "date_sub")
                .ok_or_else(|| SqlError::unsupported(&word))?;
            let args = vec![self.eval(moment)?, self.eval(amount)?, unit];
            return self.function(name, args);
        }
        if let ("timestampdiff" | "timestampadd", [Expr::Identifier(unit), rest @ ..]) =
            (name, &exprs[..])
        {
            let name = match name {
                "timestampadd" => functions::interval_function(&unit.value, false)
                    .ok_or_else(|| SqlError::unsupported(unit))?,
                other => other,
            };
            let mut args: Vec<Typed> =
                rest.iter().map(|expr| self.eval(expr)).collect::<Result<_>>()?;
            match name {
                "timestampdiff" => args.insert(0, text(&unit.value)),
                _ => {
                    args.reverse();
                    args.push(text(&unit.value));
                }
            }
            return self.function(name, args);
        }
        let name = match (name, &exprs[..]) {
            ("to_char", [_, Expr::Value(format)]) if format.value != Value::Null => {
                "to_char_of_constant"
            }
            (name, _) => name,
        };
        let args: Vec<Typed> =
            exprs.into_iter().map(|expr| self.eval(expr)).collect::<Result<_>>()?;
        self.function(name, args)
    }

    fn case(
        &mut self,
        operand: Option<&Expr>,
        conditions: &[ast::CaseWhen],
        otherwise: Option<&Expr>,
    ) -> Result<Typed> {
        let results: Vec<Expr> =
            conditions.iter().map(|when| when.result.clone()).chain(otherwise.cloned()).collect();
        // The types of all branches count; what they are told of does not.
        let before = self.session.settings.warnings.kept();
        let types: Vec<TypeId> = self.all(&results)?.into_iter().map(|(_, ty)| ty).collect();
        self.session.settings.warnings.clear();
        for warning in before {
            let Settings { warnings, .. } = &self.session.settings;
            warnings.push(warning.severity, warning.number, warning.message);
        }
        let ty = common::common_type(&types)?;
        for when in conditions {
            let holds = match operand {
                Some(operand) => {
                    let (left, right) = (self.eval(operand)?, self.eval(&when.condition)?);
                    of(&self.operator("=", Some(left), right)?.0)
                }
                None => self.truth(&when.condition)?,
            };
            if holds == Some(true) {
                let (value, from) = self.eval(&when.result)?;
                return Ok((cast(value, from, ty, false, &self.session.types())?, ty));
            }
        }
        let (value, from) = match otherwise {
            Some(otherwise) => self.eval(otherwise)?,
            None => NULL,
        };
        Ok((cast(value, from, ty, false, &self.session.types())?, ty))
    }

    fn cast(&mut self, expr: &Expr, ty: &ast::DataType) -> Result<Typed> {
        let (value, from) = self.eval(expr)?;
        let to = names::cast_type(ty, Collation::DEFAULT)?;
        let own = self.session.columns.iter().any(|(_, _, column)| *column == from);
        let constant = (!own).then_some(&value);
        let to = cast_result(MyType::of(from), to, constant).id();
        Ok((cast(value, from, to, true, &self.session.types())?, to))
    }
}

fn cast_to(value: Datum, from: TypeId, to: MyType, session: &Session) -> Result<Typed> {
    let to = to.id();
    Ok((cast(value, from, to, true, &session.types())?, to))
}

fn text(value: &str) -> Typed {
    literal::text(value, Collation::DEFAULT)
}

fn of(value: &Datum) -> Option<bool> {
    match value {
        Datum::Bool(truth) => Some(*truth),
        _ => None,
    }
}

fn not(truth: Option<bool>) -> Option<bool> {
    truth.map(|truth| !truth)
}

fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}
