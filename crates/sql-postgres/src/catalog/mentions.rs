//! Which columns the expressions and queries of the schema mention, and giving them other names.

use std::ops::ControlFlow;

use sqlparser::ast::{
    AccessExpr, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, Value, Visit,
    VisitMut, Visitor, VisitorMut, visit_expressions, visit_expressions_mut,
};

use super::names::folded;

/// What a walk that looks at everything answers.
type Always = ControlFlow<()>;

/// Calls `found` with every expression in a tree.
pub(crate) fn expressions(tree: &impl Visit, mut found: impl FnMut(&Expr)) {
    let _ = visit_expressions(tree, |expr| {
        found(expr);
        Always::Continue(())
    });
}

/// The same, to change them.
pub(crate) fn expressions_mut(tree: &mut impl VisitMut, mut found: impl FnMut(&mut Expr)) {
    let _ = visit_expressions_mut(tree, |expr| {
        found(expr);
        Always::Continue(())
    });
}

/// Calls `found` with the name of every column that a tree mentions, without what qualifies it.
pub(crate) fn column_names(tree: &impl Visit, found: impl FnMut(&Ident)) {
    let _ = tree.visit(&mut Columns { others: Vec::new(), found });
}

/// The names of columns, and where identifiers stand that are expressions in the tree and name no column: fields of
/// rows, and arguments.
struct Columns<F> {
    others: Vec<*const Expr>,
    found: F,
}

impl<F> Columns<F> {
    /// Whether an expression may name a column.
    fn enter(&mut self, expr: &Expr) -> bool {
        match expr {
            Expr::CompoundFieldAccess { access_chain, .. } => {
                self.others.extend(access_chain.iter().filter_map(|access| match access {
                    AccessExpr::Dot(field) => Some(std::ptr::from_ref(field)),
                    AccessExpr::Subscript(_) => None,
                }));
            }
            Expr::Function(call) => {
                if let FunctionArguments::List(list) = &call.args {
                    self.others.extend(list.args.iter().filter_map(|arg| match arg {
                        FunctionArg::ExprNamed { name, .. } => Some(std::ptr::from_ref(name)),
                        _ => None,
                    }));
                }
            }
            _ => {}
        }
        !self.others.iter().any(|other| std::ptr::eq(*other, expr))
    }
}

impl<F: FnMut(&Ident)> Visitor for Columns<F> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> Always {
        let ident = match expr {
            _ if !self.enter(expr) => None,
            Expr::Identifier(ident) => Some(ident),
            Expr::CompoundIdentifier(parts) => parts.last(),
            _ => None,
        };
        ident.into_iter().for_each(&mut self.found);
        ControlFlow::Continue(())
    }
}

impl<F: FnMut(&mut Ident)> VisitorMut for Columns<F> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> Always {
        let ident = match expr {
            expr if !self.enter(expr) => None,
            Expr::Identifier(ident) => Some(ident),
            Expr::CompoundIdentifier(parts) => parts.last_mut(),
            _ => None,
        };
        ident.into_iter().for_each(&mut self.found);
        ControlFlow::Continue(())
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
pub(crate) fn has_literal(tree: &impl Visit, wanted: impl Fn(&str) -> bool) -> bool {
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
    let found = |ident: &mut Ident| {
        if folded(ident) == from {
            *ident = Ident::with_quote('"', to);
        }
    };
    let _ = expr.visit(&mut Columns { others: Vec::new(), found });
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
