//! Which columns the expressions and queries of the schema mention, and giving them other names.

use hobgoblin_sql_schema::syntax::{Tree, expressions, expressions_mut};
use sqlparser::ast::{
    AccessExpr, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, Value,
};

use super::names::folded;
use super::{Catalog, Expression};
use crate::types::{Names, Oid};

/// Calls `found` with the name of every column that a tree mentions, without what qualifies it.
pub(crate) fn column_names(tree: &dyn Tree, mut found: impl FnMut(&Ident)) {
    let mut others = Others::default();
    expressions(tree, |expr| {
        let ident = match expr {
            _ if others.has(expr) => None,
            Expr::Identifier(ident) => Some(ident),
            Expr::CompoundIdentifier(parts) => parts.last(),
            _ => None,
        };
        ident.into_iter().for_each(&mut found);
    });
}

/// The same, to change them.
fn column_names_mut(tree: &mut dyn Tree, mut found: impl FnMut(&mut Ident)) {
    let mut others = Others::default();
    expressions_mut(tree, |expr| {
        let ident = match expr {
            expr if others.has(expr) => None,
            Expr::Identifier(ident) => Some(ident),
            Expr::CompoundIdentifier(parts) => parts.last_mut(),
            _ => None,
        };
        ident.into_iter().for_each(&mut found);
    });
}

/// Where identifiers stand that are expressions in the tree and name no column: fields of rows, and names of arguments.
#[derive(Default)]
struct Others(Vec<*const Expr>);

impl Others {
    /// Whether an expression is one of them. Every expression is asked for, outer before inner.
    fn has(&mut self, expr: &Expr) -> bool {
        match expr {
            Expr::CompoundFieldAccess { access_chain, .. } => {
                self.0.extend(access_chain.iter().filter_map(|access| match access {
                    AccessExpr::Dot(field) => Some(std::ptr::from_ref(field)),
                    AccessExpr::Subscript(_) => None,
                }));
            }
            Expr::Function(call) => {
                if let FunctionArguments::List(list) = &call.args {
                    self.0.extend(list.args.iter().filter_map(|arg| match arg {
                        FunctionArg::ExprNamed { name, .. } => Some(std::ptr::from_ref(name)),
                        _ => None,
                    }));
                }
            }
            _ => {}
        }
        self.0.iter().any(|other| std::ptr::eq(*other, expr))
    }
}

/// The names of columns an expression mentions, folded, without repeats.
pub(crate) fn columns(expr: &Expr) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    column_names(expr, |ident| {
        let name = folded(ident);
        if !names.iter().any(|known| *known == name) {
            names.push(name.into_owned());
        }
    });
    names
}

/// Whether a tree has a string constant like this.
pub(crate) fn has_literal(tree: &dyn Tree, wanted: impl Fn(&str) -> bool) -> bool {
    let mut found = false;
    expressions(tree, |expr| {
        let text = match expr {
            Expr::Value(value) => value.value.clone().into_string(),
            Expr::TypedString(typed) => typed.value.value.clone().into_string(),
            _ => None,
        };
        found |= text.is_some_and(|text| wanted(&text));
    });
    found
}

/// Replaces a string constant wherever it stands.
pub(crate) fn rename_literal(expr: &mut Expr, from: &str, to: &str) {
    expressions_mut(expr, |expr| {
        if let Expr::Value(value) = expr
            && let Value::SingleQuotedString(text) = &mut value.value
            && text == from
        {
            to.clone_into(text);
        }
    });
}

/// Gives a column a new name in an expression.
pub(crate) fn rename_column(expr: &mut Expr, from: &str, to: &str) {
    column_names_mut(expr, |ident| {
        if folded(ident) == from {
            *ident = Ident::with_quote('"', to);
        }
    });
}

/// The argument of a call to `nextval` and the like, to change.
pub(crate) fn sequence_argument(expr: &mut Expr) -> Option<&mut String> {
    let Expr::Function(call) = expr else { return None };
    let name = folded(call.name.0.last()?.as_ident()?);
    if !matches!(&*name, "nextval" | "currval" | "setval") {
        return None;
    }
    let FunctionArguments::List(list) = &mut call.args else { return None };
    let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(arg))) = list.args.first_mut() else {
        return None;
    };
    let mut arg = arg;
    loop {
        match arg {
            Expr::Value(value) => match &mut value.value {
                Value::SingleQuotedString(text) => return Some(text),
                _ => return None,
            },
            Expr::Cast { expr, .. } | Expr::Nested(expr) => arg = expr,
            _ => return None,
        }
    }
}

/// Whether a default draws from a sequence.
pub(crate) fn draws_from(catalog: &Catalog, default: &Expression, sequence: Oid) -> bool {
    let mut draws = false;
    expressions(&default.ast, |expr| {
        if let Some(text) = sequence_argument(&mut expr.clone()) {
            draws |= Names::relation_by_name(catalog, text) == Some(sequence);
        }
    });
    draws
}
