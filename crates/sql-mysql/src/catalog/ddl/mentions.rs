//! Which columns the expressions of a table mention, and giving them other names.

use std::sync::Arc;

use hobgoblin_sql_schema::catalog::Expression;
use hobgoblin_sql_schema::syntax::{expressions, expressions_mut};
use sqlparser::ast::Expr;

use crate::catalog::names::same;
use crate::syntax::Variable;

/// Whether an expression mentions a column.
pub(super) fn mentions(expr: &Expr, column: &str) -> bool {
    let mut found = false;
    expressions(expr, |expr| {
        found |= match expr {
            Expr::Identifier(name) => same(&name.value, column),
            Expr::CompoundIdentifier(parts) => {
                parts.last().is_some_and(|name| same(&name.value, column))
            }
            _ => false,
        };
    });
    found
}

/// The expression with another name for a column.
pub(super) fn renamed(expr: &Arc<Expression>, old: &str, new: &str) -> Arc<Expression> {
    if !mentions(&expr.ast, old) {
        return Arc::clone(expr);
    }
    let mut ast = expr.ast.clone();
    expressions_mut(&mut ast, |expr| {
        if Variable::of(expr).is_some() {
            return;
        }
        let name = match expr {
            Expr::Identifier(name) => Some(name),
            Expr::CompoundIdentifier(parts) => parts.last_mut(),
            _ => None,
        };
        if let Some(name) = name.filter(|name| same(&name.value, old)) {
            name.value = new.to_owned();
        }
    });
    Expression::new(ast)
}
