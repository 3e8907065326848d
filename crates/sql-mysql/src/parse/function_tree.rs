//! Trees of calls.

use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList, FunctionArguments, Ident,
    ObjectName,
};

/// A call of a name with arguments.
pub(super) fn call_of(name: impl Into<ObjectName>, args: FunctionArguments) -> Function {
    Function {
        name: name.into(),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args,
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    }
}

/// Arguments.
pub(super) fn list(args: Vec<FunctionArgExpr>) -> FunctionArgumentList {
    let args = args.into_iter().map(FunctionArg::Unnamed).collect();
    FunctionArgumentList { duplicate_treatment: None, args, clauses: Vec::new() }
}

/// Arguments that are expressions.
pub(super) fn exprs(args: Vec<Expr>) -> FunctionArguments {
    FunctionArguments::List(list(args.into_iter().map(FunctionArgExpr::Expr).collect()))
}

/// A call of a function that the grammar names.
pub(crate) fn function(name: &str, args: Vec<Expr>) -> Expr {
    Expr::Function(call_of(Ident::new(name), exprs(args)))
}

/// A call without parentheses.
pub(super) fn without_parens(name: Ident) -> Expr {
    Expr::Function(call_of(name, FunctionArguments::None))
}
