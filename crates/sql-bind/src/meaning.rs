//! Expressions of a language's own: the dialect says what they stand for, and here that is bound.

use hobgoblin_sql_schema::function::Resolution;
use hobgoblin_sql_schema::meaning::{Meaning, Operand, Typing};
use hobgoblin_sql_schema::{Binding, Result, SqlError};
use hobgoblin_sql_value::{Datum, TypeId};
use sqlparser::ast;

use super::Binder;
use super::bound::{ColumnRef, Expr, Kind};

impl Binder<'_> {
    /// Binds what an expression of one language stands for.
    pub(super) fn meant(&mut self, meaning: Meaning<'_>) -> Result<Expr> {
        Ok(match meaning {
            Meaning::Other(expr) => self.expression(&expr)?,
            Meaning::Constant(value, ty) => Expr::constant(value, ty),
            Meaning::Call(name, operands) => {
                let args = self.operands(operands)?;
                self.call(name, args)?
            }
            Meaning::Choice(name, operands, condition) => self.choice(name, operands, condition)?,
            Meaning::Function(function, operands, typing) => {
                let args = self.operands(operands)?;
                let ty = self.typed(&args, &typing)?;
                Expr::new(Kind::Call { function, args }, ty)
            }
            Meaning::Operator(op, left, right) => {
                let (left, right) = (self.operand(left)?, self.operand(right)?);
                self.operator(op, Some(left), right)?
            }
            Meaning::Prefix(op, operand) => {
                let operand = self.operand(operand)?;
                self.operator(op, None, operand)?
            }
            Meaning::Cast(operand, typing) => {
                let operand = self.operand(operand)?;
                let ty = self.typed(std::slice::from_ref(&operand), &typing)?;
                self.cast(operand, ty, -1)?
            }
            Meaning::Retyped(operand, typing) => {
                let operand = self.operand(operand)?;
                let ty = self.typed(std::slice::from_ref(&operand), &typing)?;
                retyped(operand, ty)
            }
            Meaning::Default(column) => self.default_of(column)?,
            Meaning::Proposed(column) => self.proposed(column)?,
        })
    }

    fn operand(&mut self, operand: Operand<'_>) -> Result<Expr> {
        match operand {
            Operand::Expr(expr) => self.expression(expr),
            Operand::Constant(value, ty) => Ok(Expr::constant(value, ty)),
        }
    }

    fn operands(&mut self, operands: Vec<Operand<'_>>) -> Result<Vec<Expr>> {
        operands.into_iter().map(|operand| self.operand(operand)).collect()
    }

    fn typed(&self, args: &[Expr], typing: &Typing) -> Result<TypeId> {
        let types: Vec<TypeId> = args.iter().map(|arg| arg.ty).collect();
        typing(&types)
    }

    /// Binds a call that evaluates only the branch whose value it gives. Its type is the one that
    /// the function would have.
    fn choice(&mut self, name: &str, operands: Vec<Operand<'_>>, condition: bool) -> Result<Expr> {
        let args = self.operands(operands)?;
        let types: Vec<TypeId> = args.iter().map(|arg| arg.ty).collect();
        let Resolution::Scalar(found) =
            self.dialect().function(None, name, &types, self.env.names)?
        else {
            return Err(SqlError::unsupported(format!("{name} here")));
        };
        let ty = self.called(found.function, args.clone(), found.result).ty;
        let mut args = args.into_iter();
        let when = match (condition, args.next()) {
            (true, Some(first)) => self.boolean(first, "IF")?,
            (_, first) => {
                let all: Result<Vec<Expr>> =
                    first.into_iter().chain(args).map(|arg| self.branch(arg, ty)).collect();
                return Ok(Expr::new(Kind::Coalesce(all?), ty));
            }
        };
        let mut branches = Vec::with_capacity(2);
        for arg in args {
            branches.push(self.branch(arg, ty)?);
        }
        let otherwise = branches.pop().map(Box::new);
        let whens = branches.into_iter().map(|then| (when.clone(), then)).collect();
        Ok(Expr::new(Kind::Case { whens, otherwise }, ty))
    }

    /// A branch converted to the type of the whole. A text is not converted to another type of
    /// texts.
    fn branch(&mut self, expr: Expr, ty: TypeId) -> Result<Expr> {
        use hobgoblin_sql_schema::dialect::Kept;
        let kept = |ty: TypeId| self.dialect().facts(ty).kept == Kept::Text;
        let null = matches!(expr.kind, Kind::Const(Datum::Null));
        match null || kept(expr.ty) && kept(ty) {
            true => Ok(retyped(expr, ty)),
            false => self.implicit(expr, ty),
        }
    }

    /// The column that a name means, in the table that a statement writes: its source and its
    /// number less one.
    fn written_column(&mut self, name: &ast::Expr) -> Result<(usize, usize)> {
        let found = self.expression(name)?;
        match found.kind {
            Kind::Column(ColumnRef { depth: 0, source, column }) => Ok((source, column)),
            _ => Err(Binding::NoColumn(name.to_string()).into()),
        }
    }

    /// The default of a column, as `DEFAULT(c)` gives it.
    fn default_of(&mut self, name: &ast::Expr) -> Result<Expr> {
        let (source, at) = self.written_column(name)?;
        let table = self.scope().sources[source].table.clone();
        let Some(column) = table.as_ref().and_then(|table| table.columns.get(at)) else {
            return Err(Binding::NoColumn(name.to_string()).into());
        };
        match &column.default {
            Some(default) if !column.generated => {
                let bound = self.free_expression(&default.ast)?;
                self.assign(bound, column.ty, column.typmod, &column.name)
            }
            _ if column.not_null => Err(Binding::NoDefault(column.name.clone()).into()),
            _ => Ok(Expr::constant(Datum::Null, column.ty)),
        }
    }

    /// The value that an INSERT proposes for a column, as `VALUES(c)` gives it.
    fn proposed(&mut self, name: &ast::Expr) -> Result<Expr> {
        let mut found = self.expression(name)?;
        match (&mut found.kind, self.scope().proposed) {
            (Kind::Column(column), Some(source)) if column.depth == 0 => column.source = source,
            // Where nothing is proposed there is no value.
            _ => found = Expr::constant(Datum::Null, found.ty),
        }
        Ok(found)
    }
}

/// The same value, taken to be of another type without being converted.
pub(super) fn retyped(expr: Expr, ty: TypeId) -> Expr {
    match &expr.kind {
        _ if expr.ty == ty => expr,
        Kind::Const(_) => Expr { ty, ..expr },
        // What is in it keeps its type.
        _ => Expr::new(Kind::Coalesce(vec![expr]), ty),
    }
}
