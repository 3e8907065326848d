//! Expressions made of others: what SQL has a word for and our tree says in other words.
//!
//! Copies are counted. `LEAST(LEAST(…), …)` doubles at every level, so a short text could ask for a tree without end; and
//! what is chosen anew at each place, `random()`, is not copied at all, since two copies would differ.

use sqlparser::ast;

use super::error::{Fault, Problem, Result};
use super::names::Binder;
use super::tokens::{fold, place};
use super::types;
use crate::program::{Expr, ExprKind, Operator, Place, Query, Type};

/// How many nodes of expressions may be copied in one transaction.
const COPIES: usize = 20_000;

pub(super) fn boxed(expr: Expr) -> Box<Expr> {
    Box::new(expr)
}

pub(super) fn truth(kind: ExprKind, place: Place) -> Expr {
    Expr { kind, ty: Type::Bool, place }
}

pub(super) fn not(expr: Expr) -> Expr {
    let place = expr.place;
    truth(ExprKind::Not(boxed(expr)), place)
}

/// Minus a number; of a literal, that is one.
pub(super) fn negate(expr: Expr) -> Expr {
    let (ty, place) = (expr.ty, expr.place);
    let kind = match expr.kind {
        ExprKind::Int(number) => ExprKind::Int(-number),
        ExprKind::Decimal(numerator, denominator) => ExprKind::Decimal(-numerator, denominator),
        _ => ExprKind::Negate(boxed(expr)),
    };
    Expr { kind, ty, place }
}

pub(super) fn binary(operator: Operator, left: Expr, right: Expr, ty: Type, place: Place) -> Expr {
    Expr { kind: ExprKind::Binary(operator, boxed(left), boxed(right)), ty, place }
}

pub(super) fn decimal_zero(place: Place) -> Expr {
    Expr { kind: ExprKind::Decimal(0, 1), ty: Type::Decimal, place }
}

/// All with an operator between them, as a tree that is as flat as can be.
pub(super) fn all(operator: Operator, mut of: Vec<Expr>, place: Place) -> Option<Expr> {
    while of.len() > 1 {
        let mut pairs = Vec::with_capacity(of.len().div_ceil(2));
        let mut rest = of.into_iter();
        while let Some(left) = rest.next() {
            pairs.push(match rest.next() {
                Some(right) => binary(operator, left, right, Type::Bool, place),
                None => left,
            });
        }
        of = pairs;
    }
    of.pop()
}

impl Binder<'_> {
    /// A second one of an expression.
    pub(super) fn copy(&mut self, expr: &Expr) -> Result<Expr> {
        self.copied += size(expr, self.sql.place)?;
        if self.copied > COPIES {
            let what = "BETWEEN, CASE, LEAST and the like make this transaction too large";
            return Err(Fault::new(self.sql.place, Problem::TooLarge { what }));
        }
        Ok(expr.clone())
    }

    pub(super) fn between(
        &mut self,
        expr: &ast::Expr,
        low: &ast::Expr,
        high: &ast::Expr,
        at: Place,
    ) -> Result<Expr> {
        let expr = self.expression(expr)?;
        let (low, high) = (self.expression(low)?, self.expression(high)?);
        let second = self.copy(&expr)?;
        let low = self.operate(Operator::AtLeast, expr, low, at)?;
        let high = self.operate(Operator::AtMost, second, high, at)?;
        self.operate(Operator::And, low, high, at)
    }

    pub(super) fn in_list(
        &mut self,
        expr: &ast::Expr,
        list: &[ast::Expr],
        at: Place,
    ) -> Result<Expr> {
        let mut equal = Vec::new();
        if let ast::Expr::Tuple(left) = expr {
            for one in list {
                let ast::Expr::Tuple(right) = one else {
                    return Err(Fault::inexpressible(at, "a row but for = and IN"));
                };
                equal.push(self.tuples(left, right, at)?);
            }
        } else {
            let left = self.expression(expr)?;
            for one in list {
                let (left, right) = (self.copy(&left)?, self.expression(one)?);
                equal.push(self.operate(Operator::Equal, left, right, at)?);
            }
        }
        Ok(all(Operator::Or, equal, at).unwrap_or(truth(ExprKind::Bool(false), at)))
    }

    /// `(a, b) = (c, d)`.
    pub(super) fn tuples(
        &mut self,
        left: &[ast::Expr],
        right: &[ast::Expr],
        at: Place,
    ) -> Result<Expr> {
        if left.len() != right.len() {
            let problem = Problem::Values { values: right.len(), columns: left.len() };
            return Err(Fault::new(at, problem));
        }
        let mut equal = Vec::new();
        for (left, right) in left.iter().zip(right) {
            let (left, right) = (self.expression(left)?, self.expression(right)?);
            equal.push(self.operate(Operator::Equal, left, right, at)?);
        }
        Ok(all(Operator::And, equal, at).unwrap_or(truth(ExprKind::Bool(true), at)))
    }

    /// `left IS NOT DISTINCT FROM right`.
    pub(super) fn same(&mut self, left: &ast::Expr, right: &ast::Expr, at: Place) -> Result<Expr> {
        let (mut left, mut right) = (self.expression(left)?, self.expression(right)?);
        let ty = types::together(&mut [&mut left, &mut right], "IS DISTINCT FROM")?;
        types::settle(&mut left, ty.unwrap_or(Type::Int));
        types::settle(&mut right, ty.unwrap_or(Type::Int));
        let null = |expr: Expr| truth(ExprKind::IsNull(boxed(expr)), at);
        let both = (null(self.copy(&left)?), null(self.copy(&right)?));
        let both = self.operate(Operator::And, both.0, both.1, at)?;
        let equal = self.operate(Operator::Equal, left, right, at)?;
        let equal = ExprKind::Coalesce(vec![equal, truth(ExprKind::Bool(false), at)]);
        self.operate(Operator::Or, truth(equal, at), both, at)
    }

    /// `left = ANY (right)`, where right is an array or a query.
    pub(super) fn any(&mut self, left: &ast::Expr, right: &ast::Expr, at: Place) -> Result<Expr> {
        match right {
            ast::Expr::Nested(inner) => self.any(left, inner, at),
            ast::Expr::Subquery(query) => self.in_query(left, query, at),
            ast::Expr::Array(array) => self.in_list(left, &array.elem, at),
            ast::Expr::Identifier(name) => {
                let left = self.expression(left)?;
                let left = types::expect(left, Type::Int)?;
                let names = [fold(name)];
                let array = self.variables.read(&names, place(name.span))?;
                let array = types::expect(array, Type::IntArray)?;
                let ExprKind::Variable(array) = array.kind else {
                    return Err(Fault::inexpressible(at, "ANY but of a variable"));
                };
                Ok(truth(ExprKind::Member(boxed(left), array), at))
            }
            _ => Err(Fault::unsupported(
                at,
                "ANY but of a variable, a list or a query",
                "give the array as a parameter of type int[]",
            )),
        }
    }

    /// The least or greatest of some, as PostgreSQL has it: NULL is neither, unless all are.
    pub(super) fn extreme(&mut self, mut of: Vec<Expr>, least: bool, at: Place) -> Result<Expr> {
        let function = if least { "LEAST" } else { "GREATEST" };
        let ty = types::together(&mut of.iter_mut().collect::<Vec<_>>(), function)?;
        let ty = ty.unwrap_or(Type::Int);
        of.iter_mut().for_each(|one| types::settle(one, ty));
        let operator = if least { Operator::AtMost } else { Operator::AtLeast };
        let mut arms = Vec::new();
        for (this, one) in of.iter().enumerate() {
            let mut wins = vec![not(truth(ExprKind::IsNull(boxed(self.copy(one)?)), at))];
            for (_, other) in of.iter().enumerate().filter(|(other, _)| *other != this) {
                let null = truth(ExprKind::IsNull(boxed(self.copy(other)?)), at);
                let (left, right) = (self.copy(one)?, self.copy(other)?);
                let wins_here = self.operate(operator, left, right, at)?;
                wins.push(self.operate(Operator::Or, null, wins_here, at)?);
            }
            let wins = all(Operator::And, wins, at).unwrap_or(truth(ExprKind::Bool(true), at));
            arms.push((wins, self.copy(one)?));
        }
        Ok(Expr { kind: ExprKind::Case(arms, None), ty, place: at })
    }

    /// `ABS`.
    pub(super) fn absolute(&mut self, number: Expr, at: Place) -> Result<Expr> {
        let zero = Expr { kind: ExprKind::Int(0), ty: Type::Int, place: at };
        let (ty, copy) = (number.ty, self.copy(&number)?);
        let below = self.operate(Operator::Less, copy, zero, at)?;
        let minus = negate(self.copy(&number)?);
        let kind = ExprKind::Case(vec![(below, minus)], Some(boxed(number)));
        Ok(Expr { kind, ty, place: at })
    }

    /// `NULLIF`.
    pub(super) fn null_if(&mut self, left: Expr, right: Expr, at: Place) -> Result<Expr> {
        let copy = self.copy(&left)?;
        let equal = self.operate(Operator::Equal, copy, right, at)?;
        let ty = left.ty;
        let null = Expr { kind: ExprKind::Null, ty, place: at };
        Ok(Expr { kind: ExprKind::Case(vec![(equal, null)], Some(boxed(left))), ty, place: at })
    }
}

/// How many nodes an expression has.
fn size(expr: &Expr, whole: Place) -> Result<usize> {
    let inner: Vec<&Expr> = match &expr.kind {
        ExprKind::Choose => {
            return Err(Fault::unsupported(
                whole,
                "a random value that is used twice",
                "put it into a variable first",
            ));
        }
        ExprKind::Exists(query) | ExprKind::Scalar(query) => in_query(query),
        ExprKind::InQuery(expr, query) => {
            let mut inner = in_query(query);
            inner.push(expr);
            inner
        }
        _ => expr.inner(),
    };
    let mut nodes = 1;
    for expr in inner {
        nodes += size(expr, whole)?;
    }
    Ok(nodes)
}

fn in_query(query: &Query) -> Vec<&Expr> {
    let order = query.order.iter().map(|(expr, _)| expr);
    query.filter.iter().chain(&query.output).chain(order).collect()
}
