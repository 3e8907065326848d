//! Expressions: the parser's tree to ours, with types.
//!
//! Ours has few kinds, so much is said by others: `BETWEEN` by two comparisons, `IN (…)` by equalities with OR between
//! them, `LEAST` by CASE (`expression/made.rs` makes them). What stands once in the text may then stand twice in the tree.

use std::rc::Rc;

use sqlparser::ast::{self, BinaryOperator, UnaryOperator};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

use super::error::{Fault, Problem, Result};
use super::literal;
use super::made::{binary, boxed, decimal_zero, negate, not, truth};
use super::names::Binder;
use super::tokens::{Sql, place_of, token_at};
use super::types;
use crate::program::{Expr, ExprKind, Operator, Place, Type};

/// How deep an expression of the tree may be.
const DEPTH: usize = 200;

impl Binder<'_> {
    /// Reads a piece of SQL that is an expression, of the type that is wanted. To PL/pgSQL that is all that may follow
    /// SELECT, so it may have a FROM.
    pub(super) fn fragment(&mut self, sql: Sql, wanted: Option<Type>) -> Result<Expr> {
        let sql = Rc::new(sql);
        self.sql = Rc::clone(&sql);
        let from =
            |token: &Token| matches!(token, Token::Word(word) if word.keyword == Keyword::FROM);
        let expr = sql.parse(
            |parser| {
                let expr = parser.parse_expr()?;
                let more = from(&parser.peek_token_ref().token);
                while more && parser.peek_token_ref().token != Token::EOF {
                    parser.advance_token();
                }
                Ok((!more).then_some(expr))
            },
            |expr| expr.map(|expr| self.expression(&expr)).transpose(),
        )?;
        let mut expr = match expr {
            Some(expr) => expr,
            None => self.fragment_query(&sql)?,
        };
        if !matches!(expr.kind, ExprKind::Variable(_)) {
            expr.place = sql.place;
        }
        match wanted {
            Some(wanted) => types::expect(expr, wanted),
            None => Ok(expr),
        }
    }

    /// A fragment with FROM: a subquery that has no SELECT and no parentheses.
    fn fragment_query(&mut self, sql: &Sql) -> Result<Expr> {
        let start = Place { start: sql.place.start, end: sql.place.start };
        let mut with_select = sql.clone();
        with_select.tokens.insert(0, token_at(Token::make_keyword("SELECT"), start));
        self.sql = Rc::new(with_select);
        let sql = Rc::clone(&self.sql);
        sql.parse(|parser| parser.parse_query(), |query| self.scalar(&query, sql.place))
    }

    /// Reads an expression.
    pub(super) fn expression(&mut self, expr: &ast::Expr) -> Result<Expr> {
        self.depth += 1;
        if self.depth > DEPTH {
            self.depth = 0;
            let what = "an expression nests too deep";
            return Err(Fault::new(self.sql.place, Problem::TooLarge { what }));
        }
        let read = stacker::maybe_grow(256 << 10, 4 << 20, || self.kind(expr));
        self.depth = self.depth.saturating_sub(1);
        read
    }

    /// Reads a condition.
    pub(super) fn condition(&mut self, expr: &ast::Expr) -> Result<Expr> {
        types::expect(self.expression(expr)?, Type::Bool)
    }

    fn kind(&mut self, expr: &ast::Expr) -> Result<Expr> {
        let at = place_of(expr, self.sql.place);
        match expr {
            ast::Expr::Identifier(name) => self.name(name),
            ast::Expr::CompoundIdentifier(names) => match names.as_slice() {
                [qualifier, name] => self.qualified(qualifier, name),
                _ => Err(Fault::inexpressible(at, "a name of three parts")),
            },
            ast::Expr::Nested(inner) => self.expression(inner),
            ast::Expr::Value(value) => literal::value(&value.value, at),
            ast::Expr::UnaryOp { op, expr } => self.unary(*op, expr, at),
            ast::Expr::BinaryOp { left, op, right } => self.binary_op(left, op, right, at),
            ast::Expr::IsNull(inner) => self.is_null(inner, at),
            ast::Expr::IsNotNull(inner) => Ok(not(self.is_null(inner, at)?)),
            ast::Expr::IsUnknown(inner) => self.is_null(inner, at),
            ast::Expr::IsNotUnknown(inner) => Ok(not(self.is_null(inner, at)?)),
            ast::Expr::IsTrue(inner) => self.or_else(inner, false, at),
            ast::Expr::IsNotTrue(inner) => Ok(not(self.or_else(inner, false, at)?)),
            ast::Expr::IsNotFalse(inner) => self.or_else(inner, true, at),
            ast::Expr::IsFalse(inner) => Ok(not(self.or_else(inner, true, at)?)),
            ast::Expr::IsDistinctFrom(left, right) => Ok(not(self.same(left, right, at)?)),
            ast::Expr::IsNotDistinctFrom(left, right) => self.same(left, right, at),
            ast::Expr::Between { expr, negated, low, high } => {
                let between = self.between(expr, low, high, at)?;
                Ok(if *negated { not(between) } else { between })
            }
            ast::Expr::InList { expr, list, negated } => {
                let found = self.in_list(expr, list, at)?;
                Ok(if *negated { not(found) } else { found })
            }
            ast::Expr::InSubquery { expr, subquery, negated } => {
                let found = self.in_query(expr, subquery, at)?;
                Ok(if *negated { not(found) } else { found })
            }
            ast::Expr::AnyOp { left, compare_op: BinaryOperator::Eq, right, .. } => {
                self.any(left, right, at)
            }
            ast::Expr::AllOp { left, compare_op: BinaryOperator::NotEq, right } => {
                Ok(not(self.any(left, right, at)?))
            }
            ast::Expr::AnyOp { .. } | ast::Expr::AllOp { .. } => {
                Err(Fault::inexpressible(at, "ANY or ALL but for = ANY and <> ALL"))
            }
            ast::Expr::Exists { subquery, negated } => {
                let exists = self.exists(subquery, at)?;
                Ok(if *negated { not(exists) } else { exists })
            }
            ast::Expr::Subquery(query) => self.scalar(query, at),
            ast::Expr::Case { operand, conditions, else_result, .. } => {
                self.case(operand.as_deref(), conditions, else_result.as_deref(), at)
            }
            ast::Expr::Cast { expr, data_type, format: None, .. } => self.cast(expr, data_type, at),
            ast::Expr::Function(function) => self.function(function, at),
            ast::Expr::TypedString(_) | ast::Expr::Interval(_) => Err(Fault::unsupported(
                at,
                "a literal of a date, time or interval",
                "give it as a parameter: of times, only the order matters",
            )),
            ast::Expr::Tuple(_) => Err(Fault::inexpressible(at, "a row but for = and IN")),
            ast::Expr::Array(_) => Err(Fault::unsupported(
                at,
                "an array but for = ANY (array)",
                "give the array as a parameter of type int[]",
            )),
            ast::Expr::CompoundFieldAccess { .. } => Err(Fault::unsupported(
                at,
                "an element of an array",
                "go through the array by FOREACH",
            )),
            ast::Expr::Like { .. } | ast::Expr::ILike { .. } | ast::Expr::SimilarTo { .. } => {
                Err(Fault::unsupported(
                    at,
                    "LIKE",
                    "texts are compared by = and <> only: of their letters, nothing is known",
                ))
            }
            other => Err(Fault::inexpressible(at, &format!("the expression {other}"))),
        }
    }

    fn unary(&mut self, op: UnaryOperator, inner: &ast::Expr, at: Place) -> Result<Expr> {
        let inner = match op {
            UnaryOperator::Not => return Ok(not(self.condition(inner)?)),
            UnaryOperator::Minus | UnaryOperator::Plus => self.number(inner)?,
            _ => return Err(Fault::inexpressible(at, &format!("the operator {op}"))),
        };
        Ok(if op == UnaryOperator::Minus { negate(inner) } else { inner })
    }

    /// Reads a number; one that is open is a whole one.
    pub(super) fn number(&mut self, expr: &ast::Expr) -> Result<Expr> {
        let mut number = self.expression(expr)?;
        types::settle(&mut number, Type::Int);
        match types::is_number(number.ty) {
            true => Ok(number),
            false => types::expect(number, Type::Int),
        }
    }

    fn binary_op(
        &mut self,
        left: &ast::Expr,
        op: &BinaryOperator,
        right: &ast::Expr,
        at: Place,
    ) -> Result<Expr> {
        let operator = match op {
            BinaryOperator::Plus => Operator::Add,
            BinaryOperator::Minus => Operator::Subtract,
            BinaryOperator::Multiply => Operator::Multiply,
            BinaryOperator::Divide => Operator::Divide,
            BinaryOperator::Modulo => Operator::Modulo,
            BinaryOperator::Eq => Operator::Equal,
            BinaryOperator::NotEq => Operator::NotEqual,
            BinaryOperator::Lt => Operator::Less,
            BinaryOperator::LtEq => Operator::AtMost,
            BinaryOperator::Gt => Operator::Greater,
            BinaryOperator::GtEq => Operator::AtLeast,
            BinaryOperator::And => Operator::And,
            BinaryOperator::Or => Operator::Or,
            _ => {
                return Err(Fault::unsupported(
                    at,
                    format!("the operator {op}"),
                    "we know + - * / % = <> < <= > >= AND OR NOT",
                ));
            }
        };
        if let (ast::Expr::Tuple(left), ast::Expr::Tuple(right)) = (left, right) {
            let equal = self.tuples(left, right, at)?;
            return match operator {
                Operator::Equal => Ok(equal),
                Operator::NotEqual => Ok(not(equal)),
                _ => Err(Fault::inexpressible(at, "a row but for = and IN")),
            };
        }
        let (left, right) = (self.expression(left)?, self.expression(right)?);
        self.operate(operator, left, right, at)
    }

    /// An operator with its operands, if their types go together.
    pub(super) fn operate(
        &self,
        operator: Operator,
        mut left: Expr,
        mut right: Expr,
        at: Place,
    ) -> Result<Expr> {
        use Operator::{Add, Divide, Modulo, Multiply, Subtract};
        if matches!(operator, Operator::And | Operator::Or) {
            let (left, right) =
                (types::expect(left, Type::Bool)?, types::expect(right, Type::Bool)?);
            return Ok(binary(operator, left, right, Type::Bool, at));
        }
        let arithmetic = matches!(operator, Add | Subtract | Multiply | Divide | Modulo);
        let sign = operator.sign();
        let ty = types::together(&mut [&mut left, &mut right], sign)
            .map_err(|fault| Fault::new(at, fault.problem))?;
        let ty = ty.unwrap_or(Type::Int);
        types::settle(&mut left, ty);
        types::settle(&mut right, ty);
        let fine = match operator {
            Operator::Equal | Operator::NotEqual => ty != Type::IntArray,
            _ => types::is_number(ty),
        };
        if !fine {
            let operator = sign.to_owned();
            return Err(Fault::new(
                at,
                Problem::Unlike { operator, left: left.ty, right: right.ty },
            ));
        }
        Ok(binary(operator, left, right, if arithmetic { ty } else { Type::Bool }, at))
    }

    fn is_null(&mut self, inner: &ast::Expr, at: Place) -> Result<Expr> {
        let mut inner = self.expression(inner)?;
        types::settle(&mut inner, Type::Int);
        Ok(truth(ExprKind::IsNull(boxed(inner)), at))
    }

    /// A condition, or a truth value if it is NULL.
    fn or_else(&mut self, inner: &ast::Expr, otherwise: bool, at: Place) -> Result<Expr> {
        let inner = self.condition(inner)?;
        let otherwise = truth(ExprKind::Bool(otherwise), at);
        Ok(truth(ExprKind::Coalesce(vec![inner, otherwise]), at))
    }

    fn case(
        &mut self,
        operand: Option<&ast::Expr>,
        conditions: &[ast::CaseWhen],
        otherwise: Option<&ast::Expr>,
        at: Place,
    ) -> Result<Expr> {
        let operand = operand.map(|operand| self.expression(operand)).transpose()?;
        let mut arms = Vec::new();
        for arm in conditions {
            let when = match &operand {
                Some(operand) => {
                    let (left, right) = (self.copy(operand)?, self.expression(&arm.condition)?);
                    let at = right.place;
                    self.operate(Operator::Equal, left, right, at)?
                }
                None => self.condition(&arm.condition)?,
            };
            arms.push((when, self.expression(&arm.result)?));
        }
        let mut otherwise = otherwise.map(|expr| self.expression(expr)).transpose()?;
        let results = arms.iter_mut().map(|(_, then)| then).chain(otherwise.as_mut());
        let ty = types::together(&mut results.collect::<Vec<_>>(), "CASE")?;
        let kind = ExprKind::Case(arms, otherwise.map(Box::new));
        Ok(Expr { kind, ty: ty.unwrap_or(types::OPEN), place: at })
    }

    fn cast(&mut self, inner: &ast::Expr, ty: &ast::DataType, at: Place) -> Result<Expr> {
        let mut inner = self.expression(inner)?;
        let wanted = types::declared(ty, at)?.ty;
        types::settle(&mut inner, wanted);
        match (inner.ty, wanted) {
            (Type::Int, Type::Decimal) => {
                Ok(binary(Operator::Add, inner, decimal_zero(at), Type::Decimal, at))
            }
            (from, to) if from == to && !types::is_cut(ty) => Ok(inner),
            _ => Err(Fault::unsupported(
                at,
                format!("the cast to {ty}"),
                "only whole numbers are cast, to numeric",
            )),
        }
    }
}
