//! Converting expressions to the types their places ask for.
//!
//! There are three degrees: what an argument or operand takes (`implicit`), what a column takes
//! (`assign`) and what a cast takes. Each allows more than the one before. A constant in quotes has
//! no type until then, and is read as a value of the type that is asked for; so is a parameter,
//! which keeps that type for the whole statement.

use super::Binder;
use super::bound::{Expr, Kind};
use hobgoblin_sql_schema::dialect::CastContext;
use hobgoblin_sql_schema::names::base_type;
use hobgoblin_sql_schema::{Binding, Result, SqlError};
use hobgoblin_sql_value::{Datum, TypeId};

impl Binder<'_> {
    /// The name of a type, for messages.
    pub(super) fn type_name(&self, ty: TypeId) -> String {
        self.dialect().type_name(ty, -1, self.env.names)
    }

    /// Converts an argument, operand or branch to a type, as far as the language does so without
    /// being asked.
    pub(super) fn implicit(&mut self, expr: Expr, to: TypeId) -> Result<Expr> {
        self.coerce(expr, to, -1, CastContext::Implicit, None)
    }

    /// Converts a value to the type of the column that it is assigned to.
    pub(super) fn assign(
        &mut self,
        expr: Expr,
        to: TypeId,
        typmod: i32,
        column: &str,
    ) -> Result<Expr> {
        self.coerce(expr, to, typmod, CastContext::Assignment, Some(column))
    }

    /// Converts a value because the statement has a cast.
    pub(super) fn cast(&mut self, expr: Expr, to: TypeId, typmod: i32) -> Result<Expr> {
        self.coerce(expr, to, typmod, CastContext::Explicit, None)
    }

    pub(super) fn coerce(
        &mut self,
        mut expr: Expr,
        to: TypeId,
        typmod: i32,
        context: CastContext,
        column: Option<&str>,
    ) -> Result<Expr> {
        (self.go_on)()?;
        if expr.ty == to && (typmod == -1 || expr.typmod == typmod) {
            return Ok(expr);
        }
        let explicit = context == CastContext::Explicit;
        if to.0 >= TypeId::FIRST_USER
            && expr.ty != to
            && let Some(value) = self.domained(&expr, to, context, column)?
        {
            return Ok(value);
        }
        if self.is_domain(expr.ty) && !self.dialect().facts(to).any {
            let expr = self.undomained(expr);
            return self.coerce(expr, to, typmod, context, column);
        }
        if expr.ty == TypeId::UNKNOWN {
            match &expr.kind {
                Kind::Const(Datum::Null) => {
                    return Ok(Expr { kind: Kind::Const(Datum::Null), ty: to, typmod });
                }
                Kind::Const(Datum::Text(literal)) if !self.dialect().facts(to).any => {
                    // A length cuts an explicit cast off afterwards.
                    let fields = match self.dialect().facts(to).read_by_modifier {
                        true => typmod,
                        false => -1,
                    };
                    let value = self.dialect().parse(literal, to, fields, &self.env)?;
                    let value = Expr { kind: Kind::Const(value), ty: to, typmod: -1 };
                    return Ok(self.with_typmod(value, typmod, explicit));
                }
                Kind::Param(at) if !self.dialect().facts(to).any => {
                    let known = self.params[*at];
                    if known == TypeId::UNKNOWN {
                        self.params[*at] = to;
                        expr.ty = to;
                        return Ok(self.with_typmod(expr, typmod, explicit));
                    }
                    expr.ty = known;
                    return self.coerce(expr, to, typmod, context, column);
                }
                _ => {}
            }
        }
        if self.dialect().facts(to).any || expr.ty == to {
            return Ok(self.with_typmod(expr, typmod, explicit));
        }
        // A row of any type is a record, and stays what it is.
        if to == TypeId::ROW && self.env.names.row_shape(expr.ty, expr.typmod).is_some() {
            return Ok(expr);
        }
        let allowed = self.dialect().cast_context(expr.ty, to, self.env.names);
        let allowed = allowed.is_some_and(|needed| match context {
            CastContext::Explicit => true,
            CastContext::Assignment => needed != CastContext::Explicit,
            CastContext::Implicit => needed == CastContext::Implicit,
        });
        if !allowed && explicit && expr.ty == TypeId::ROW && to.0 >= TypeId::FIRST_USER {
            return Err(SqlError::unsupported("a cast of a row to a composite type"));
        }
        if !allowed {
            let (from, to) = (self.type_name(expr.ty), self.type_name(to));
            let cause = match column {
                Some(column) => {
                    Binding::ColumnType { column: column.to_owned(), wanted: to, given: from }
                }
                None => Binding::NoCast { from, to },
            };
            return Err(cause.into());
        }
        Ok(Expr { kind: Kind::Cast { expr: Box::new(expr), explicit }, ty: to, typmod })
    }

    /// Applies the modifier of a type, such as a length or precision, to a value of that type.
    fn with_typmod(&self, expr: Expr, typmod: i32, explicit: bool) -> Expr {
        if typmod == -1 || expr.typmod == typmod {
            return expr;
        }
        let ty = expr.ty;
        Expr { kind: Kind::Cast { expr: Box::new(expr), explicit }, ty, typmod }
    }

    /// Gives an expression a type if nothing has: text.
    pub(super) fn known(&mut self, expr: Expr) -> Result<Expr> {
        match expr.ty {
            TypeId::UNKNOWN if !self.rules.null_type => self.implicit(expr, TypeId::TEXT),
            _ => Ok(expr),
        }
    }

    /// Fails if values of the type have no equality, as those of `json` have none.
    pub(super) fn has_equality(&self, ty: TypeId) -> Result<()> {
        self.comparable(ty, false)
    }

    /// Fails if values of the type have no order.
    pub(super) fn has_order(&self, ty: TypeId) -> Result<()> {
        self.comparable(ty, true)
    }

    fn comparable(&self, ty: TypeId, order: bool) -> Result<()> {
        let (ty, _) = base_type(ty, -1, self.env.names);
        if self.dialect().facts(self.element_of(ty).unwrap_or(ty)).comparable {
            return Ok(());
        }
        Err(Binding::NotComparable { ty: self.type_name(ty), order }.into())
    }

    /// Converts an expression to a condition, or fails; `clause` is the word for where it stands.
    pub(super) fn boolean(&mut self, expr: Expr, clause: &'static str) -> Result<Expr> {
        let expr = self.undomained(expr);
        if expr.ty == TypeId::UNKNOWN {
            return self.implicit(expr, TypeId::BOOLEAN);
        }
        if expr.ty != TypeId::BOOLEAN {
            if let Some(found) = self.dialect().condition(expr.ty) {
                return Ok(self.called(found.function, vec![expr], found.result));
            }
            let (wanted, given) = (self.type_name(TypeId::BOOLEAN), self.type_name(expr.ty));
            return Err(Binding::ArgumentType { clause, wanted, given }.into());
        }
        Ok(expr)
    }

    /// What is to be compared in place of an expression. Where a collation ignores some differences
    /// between texts, that is the weight of the text.
    pub fn weighed(&mut self, expr: Expr) -> Result<Expr> {
        match self.dialect().compared_as(expr.ty) {
            Some(weight) => self.implicit(expr, weight),
            None => Ok(expr),
        }
    }

    /// Converts several expressions to the type that they have in common.
    pub(super) fn unify(
        &mut self,
        exprs: Vec<Expr>,
        what: &str,
    ) -> Result<(Vec<Expr>, TypeId, i32)> {
        let types: Vec<TypeId> = exprs.iter().map(|expr| expr.ty).collect();
        let ty = self.dialect().common_type(&types, what, self.env.names)?;
        let mut typmod = exprs.first().map_or(-1, |expr| expr.typmod);
        if exprs.iter().any(|expr| expr.ty != ty || expr.typmod != typmod) {
            typmod = -1;
        }
        let unified: Result<Vec<Expr>> =
            exprs.into_iter().map(|expr| self.implicit(expr, ty)).collect();
        Ok((unified?, ty, typmod))
    }

    /// Binds an operator over operands whose types are known; without a left side it is a prefix.
    pub(super) fn operator(&mut self, op: &str, left: Option<Expr>, right: Expr) -> Result<Expr> {
        let found = self.dialect().operator(
            op,
            left.as_ref().map(|left| left.ty),
            right.ty,
            self.env.names,
        )?;
        let mut targets = found.args.iter().copied();
        let mut args = Vec::with_capacity(2);
        if let Some(left) = left {
            let to = targets.next().unwrap_or(left.ty);
            args.push(self.implicit(left, to)?);
        }
        let to = targets.next().unwrap_or(right.ty);
        args.push(self.implicit(right, to)?);
        Ok(self.called(found.function, args, found.result))
    }
}
