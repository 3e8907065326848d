//! Comparisons: of values, of rows, with lists, with patterns, with what a subquery gives.

use std::borrow::Cow;

use sqlparser::ast::{self, BinaryOperator};

use super::Binder;
use super::bound::{Expr, Kind};
use hobgoblin_sql_schema::{Binding, Result, SqlError};
use hobgoblin_sql_value::{Datum, TypeId};

impl Binder<'_> {
    pub(super) fn compare_or_call(
        &mut self,
        left: &ast::Expr,
        op: &str,
        right: &ast::Expr,
    ) -> Result<Expr> {
        let (left, right) = (row_of(left), row_of(right));
        if let (Some(left), Some(right)) = (&left.row, &right.row) {
            let (left, right) = (self.all(left)?, self.all(right)?);
            return self.row_compare(left, op, right);
        }
        if let (Some(fields), ast::Expr::Subquery(query)) = (&left.row, right.expr) {
            return self.row_against_query(fields, op, query);
        }
        let left = self.expression(left.expr)?;
        let right = self.expression(right.expr)?;
        self.operator(op, Some(left), right)
    }

    fn row_against_query(
        &mut self,
        fields: &[ast::Expr],
        op: &str,
        query: &ast::Query,
    ) -> Result<Expr> {
        let left = self.all(fields)?;
        let query = self.subquery(query)?;
        self.any_of_query(left, op, query, false)
    }

    fn row_compare(&mut self, left: Vec<Expr>, op: &str, right: Vec<Expr>) -> Result<Expr> {
        if left.len() != right.len() {
            let words = "unequal number of entries in row expressions";
            return Err(Binding::OperandColumns { wanted: left.len(), words }.into());
        }
        if op == "OVERLAPS" {
            let args = left.into_iter().chain(right).collect();
            return self.call("overlaps", args);
        }
        let pairs = left.into_iter().zip(right);
        if op == "=" || op == "<>" || op == "<=>" {
            let all: Result<Vec<Expr>> =
                pairs.map(|(left, right)| self.operator(op, Some(left), right)).collect();
            let kind = if op == "<>" { Kind::Or(all?) } else { Kind::And(all?) };
            return Ok(Expr::new(kind, TypeId::BOOLEAN));
        }
        if !["<", "<=", ">", ">="].contains(&op) {
            return Err(SqlError::unsupported(format!("the row operator {op}")));
        }
        let (mut lefts, mut rights, mut functions) = (Vec::new(), Vec::new(), Vec::new());
        for (left, right) in pairs {
            let strict = &op[..1];
            let equal = self.operator("=", Some(left.clone()), right.clone())?;
            let less = self.operator(strict, Some(left), right)?;
            match (equal.kind, less.kind) {
                (Kind::Call { function: equal, .. }, Kind::Call { function: less, args }) => {
                    let [left, right]: [Expr; 2] = args
                        .try_into()
                        .map_err(|_| SqlError::unsupported("this row comparison"))?;
                    lefts.push(left);
                    rights.push(right);
                    functions.push((equal, less));
                }
                _ => return Err(SqlError::unsupported("this row comparison")),
            }
        }
        let kind = Kind::RowCompare { left: lefts, right: rights, op: op.to_owned(), functions };
        Ok(Expr::new(kind, TypeId::BOOLEAN))
    }

    pub(super) fn is_null(&mut self, operand: &ast::Expr, negated: bool) -> Result<Expr> {
        let operand = self.expression(operand)?;
        let operand = self.known(operand)?;
        Ok(Expr::new(Kind::IsNull(Box::new(operand), negated), TypeId::BOOLEAN))
    }

    pub(super) fn is_truth(
        &mut self,
        operand: &ast::Expr,
        truth: Option<bool>,
        negated: bool,
    ) -> Result<Expr> {
        let operand = self.expression(operand)?;
        let what = match truth {
            Some(true) => "IS TRUE",
            Some(false) => "IS FALSE",
            None => "IS UNKNOWN",
        };
        let operand = self.boolean(operand, what)?;
        Ok(Expr::new(Kind::IsTruth(Box::new(operand), truth, negated), TypeId::BOOLEAN))
    }

    pub(super) fn distinct(
        &mut self,
        left: &ast::Expr,
        right: &ast::Expr,
        negated: bool,
    ) -> Result<Expr> {
        let (left, right) = (self.expression(left)?, self.expression(right)?);
        let (left, right, function) = self.equality(left, right)?;
        let kind = Kind::Distinct(Box::new(left), Box::new(right), function, negated);
        Ok(Expr::new(kind, TypeId::BOOLEAN))
    }

    /// Converts two operands so that they can be compared, and finds the equality between them.
    pub(super) fn equality(
        &mut self,
        left: Expr,
        right: Expr,
    ) -> Result<(Expr, Expr, &'static hobgoblin_sql_schema::function::Function)> {
        let equal = self.operator("=", Some(left), right)?;
        if let Kind::Call { function, args } = equal.kind
            && let Ok([left, right]) = <[Expr; 2]>::try_from(args)
        {
            return Ok((left, right, function));
        }
        Err(SqlError::unsupported("this comparison"))
    }

    pub(super) fn in_list(
        &mut self,
        expr: &ast::Expr,
        list: &[ast::Expr],
        negated: bool,
    ) -> Result<Expr> {
        if let Some(fields) = row_of(expr).row {
            let mut any = Vec::with_capacity(list.len());
            for item in list {
                let (left, right) = (self.all(&fields)?, row_of(item).row);
                let Some(right) = right else {
                    let words = "unequal number of entries in row expressions";
                    return Err(Binding::OperandColumns { wanted: left.len(), words }.into());
                };
                let right = self.all(&right)?;
                any.push(self.row_compare(left, "=", right)?);
            }
            return Ok(not_if(Expr::new(Kind::Or(any), TypeId::BOOLEAN), negated));
        }
        let expr = self.expression(expr)?;
        let items = self.all(list)?;
        let mut types = vec![expr.ty];
        types.extend(items.iter().map(|item| item.ty));
        // One common type makes it one equality; otherwise each item has its own.
        if let Ok(ty) = self.dialect().common_type(&types, "IN", self.env.names) {
            let probe = Expr::new(Kind::Const(Datum::Null), ty);
            let expr = self.implicit(expr, ty)?;
            let items: Result<Vec<Expr>> =
                items.into_iter().map(|item| self.implicit(item, ty)).collect();
            let (_, probed, equal) = self.equality(expr.clone(), probe)?;
            let to = probed.ty;
            let expr = self.implicit(expr, to)?;
            let list: Result<Vec<Expr>> =
                items?.into_iter().map(|item| self.implicit(item, to)).collect();
            let kind = Kind::InList { expr: Box::new(expr), list: list?, equal, negated };
            return Ok(Expr::new(kind, TypeId::BOOLEAN));
        }
        let any: Result<Vec<Expr>> =
            items.into_iter().map(|item| self.operator("=", Some(expr.clone()), item)).collect();
        Ok(not_if(Expr::new(Kind::Or(any?), TypeId::BOOLEAN), negated))
    }

    pub(super) fn like(
        &mut self,
        ops: [&str; 2],
        negated: bool,
        expr: &ast::Expr,
        pattern: &ast::Expr,
        escape: Option<&ast::Expr>,
    ) -> Result<Expr> {
        let op = ops[usize::from(negated)];
        let expr = self.expression(expr)?;
        let mut pattern = self.expression(pattern)?;
        if let Some(escape) = escape {
            let escape = self.expression(escape)?;
            pattern = self.call("like_escape", vec![pattern, escape])?;
        }
        self.operator(op, Some(expr), pattern)
    }

    pub(super) fn any_op(
        &mut self,
        left: &ast::Expr,
        op: &BinaryOperator,
        right: &ast::Expr,
        all: bool,
    ) -> Result<Expr> {
        let op = operator_name(op)?;
        self.any_named(left, &op, right, all)
    }

    /// Binds `left op ANY (right)` or ALL. The right side is a subquery or an array.
    fn any_named(
        &mut self,
        left: &ast::Expr,
        op: &str,
        right: &ast::Expr,
        all: bool,
    ) -> Result<Expr> {
        let inner = match right {
            ast::Expr::Nested(inner) => inner,
            other => other,
        };
        if let ast::Expr::Subquery(query) = inner {
            return self.any_query(left, op, query, all);
        }
        let left = self.expression(left)?;
        let mut array = self.expression(inner)?;
        if array.ty == TypeId::UNKNOWN {
            let element = if left.ty == TypeId::UNKNOWN { TypeId::TEXT } else { left.ty };
            let ty = self.array_of(element)?;
            array = self.implicit(array, ty)?;
        }
        let Some(element) = self.element_of(array.ty) else {
            return Err(Binding::NoArrayToCompare.into());
        };
        let found = self.dialect().operator(op, Some(left.ty), element, self.env.names)?;
        let left = self.implicit(left, found.args[0])?;
        if found.args[1] != element {
            let ty = self.array_of(found.args[1])?;
            array = self.cast(array, ty, -1)?;
        }
        let (left, array) = (Box::new(left), Box::new(array));
        let kind = Kind::AnyArray { left, array, function: found.function, all };
        Ok(Expr::new(kind, TypeId::BOOLEAN))
    }

    pub(super) fn any_query(
        &mut self,
        left: &ast::Expr,
        op: &str,
        query: &ast::Query,
        all: bool,
    ) -> Result<Expr> {
        let left = match row_of(left).row {
            Some(fields) => self.all(&fields)?,
            None => vec![self.expression(left)?],
        };
        if self.rules.stores && query.limit_clause.is_some() {
            return Err(SqlError::unsupported("LIMIT & IN/ALL/ANY/SOME subquery"));
        }
        let query = self.subquery(query)?;
        self.any_of_query(left, op, query, all)
    }

    fn any_of_query(
        &mut self,
        left: Vec<Expr>,
        op: &str,
        mut query: super::bound::Query,
        all: bool,
    ) -> Result<Expr> {
        if left.len() != query.columns.len() {
            let text = match left.len() < query.columns.len() {
                true => "subquery has too many columns",
                false => "subquery has too few columns",
            };
            return Err(Binding::OperandColumns { wanted: left.len(), words: text }.into());
        }
        let (mut lefts, mut functions) = (Vec::new(), Vec::new());
        for (at, left) in left.into_iter().enumerate() {
            let ty = query.columns[at].ty;
            let found = self.dialect().operator(op, Some(left.ty), ty, self.env.names)?;
            lefts.push(self.implicit(left, found.args[0])?);
            self.convert_column(&mut query, at, found.args[1])?;
            functions.push(found.function);
        }
        let (query, op) = (Box::new(query), op.to_owned());
        let kind = Kind::AnyQuery { left: lefts, query, functions, op, all };
        Ok(Expr::new(kind, TypeId::BOOLEAN))
    }
}

/// The fields of a row that is written out, if an expression is one.
struct RowOf<'a> {
    expr: &'a ast::Expr,
    row: Option<Cow<'a, [ast::Expr]>>,
}

fn row_of(expr: &ast::Expr) -> RowOf<'_> {
    match expr {
        ast::Expr::Function(function) => RowOf { expr, row: row_call(function).map(Cow::Owned) },
        ast::Expr::Tuple(fields) => RowOf { expr, row: Some(Cow::Borrowed(fields)) },
        ast::Expr::Nested(inner) => match &**inner {
            ast::Expr::Tuple(fields) => RowOf { expr: inner, row: Some(Cow::Borrowed(fields)) },
            ast::Expr::Subquery(_) => RowOf { expr: inner, row: None },
            _ => RowOf { expr, row: None },
        },
        _ => RowOf { expr, row: None },
    }
}

/// The fields, if a call is `ROW(…)`.
fn row_call(function: &ast::Function) -> Option<Vec<ast::Expr>> {
    let [name] = function.name.0.as_slice() else { return None };
    let word =
        |name: &ast::Ident| name.quote_style.is_none() && name.value.eq_ignore_ascii_case("row");
    if !name.as_ident().is_some_and(word) {
        return None;
    }
    let ast::FunctionArguments::List(list) = &function.args else { return None };
    let fields = list.args.iter().map(|arg| match arg {
        ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(field)) => Some(field.clone()),
        _ => None,
    });
    fields.collect()
}

pub(super) fn not_if(expr: Expr, negated: bool) -> Expr {
    match negated {
        true => Expr::new(Kind::Not(Box::new(expr)), TypeId::BOOLEAN),
        false => expr,
    }
}

/// The symbol of an operator, by which the dialect knows it.
pub(super) fn operator_name(op: &BinaryOperator) -> Result<String> {
    Ok(match op {
        BinaryOperator::NotEq => "<>".to_owned(),
        // `#` is exclusive or, `^` is power.
        BinaryOperator::PGBitwiseXor => "#".to_owned(),
        BinaryOperator::BitwiseXor | BinaryOperator::PGExp => "^".to_owned(),
        BinaryOperator::PGCustomBinaryOperator(parts) => parts.last().cloned().unwrap_or_default(),
        BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Xor => {
            return Err(SqlError::unsupported(format!("the operator {op} here")));
        }
        other => other.to_string(),
    })
}
