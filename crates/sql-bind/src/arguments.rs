//! Arguments by name (`make_interval(days => 3)`) and arrays of arguments (`concat(VARIADIC a)`).

use hobgoblin_sql_schema::Dialect;
use sqlparser::ast::{self, FunctionArg, FunctionArgExpr};

use super::Binder;
use super::bound::{Expr, Kind};
use hobgoblin_sql_schema::function::Resolution;
use hobgoblin_sql_schema::{Binding, Result, SqlError};
use hobgoblin_sql_value::TypeId;

/// The name that a call gives an argument, if it gives one.
pub(super) fn name_of(arg: &FunctionArg, dialect: &dyn Dialect) -> Option<String> {
    match arg {
        FunctionArg::Named { name, .. } => Some(dialect.fold(name).into_owned()),
        FunctionArg::ExprNamed { name: ast::Expr::Identifier(name), .. } => {
            Some(dialect.fold(name).into_owned())
        }
        FunctionArg::ExprNamed { .. } => Some(String::new()),
        FunctionArg::Unnamed(_) => None,
    }
}

/// The value of an argument, without its name.
pub(super) fn value_of(arg: &FunctionArg) -> &FunctionArgExpr {
    match arg {
        FunctionArg::Named { arg, .. }
        | FunctionArg::ExprNamed { arg, .. }
        | FunctionArg::Unnamed(arg) => arg,
    }
}

impl Binder<'_> {
    /// The arguments of a call in the order of the function's, with defaults for those that are
    /// missing; `None` if none is passed by name.
    pub(super) fn in_places(
        &mut self,
        function: &str,
        list: &[FunctionArg],
    ) -> Result<Option<Vec<FunctionArg>>> {
        let first = list.iter().position(|arg| name_of(arg, self.dialect()).is_some());
        let Some(first) = first else { return Ok(None) };
        let mut named: Vec<(String, &FunctionArgExpr)> = Vec::new();
        for arg in &list[first..] {
            match name_of(arg, self.dialect()) {
                Some(name) if named.iter().any(|(other, _)| *other == name) => {
                    let text = format!("argument name \"{name}\" used more than once");
                    return Err(SqlError::syntax(text));
                }
                Some(name) => named.push((name, value_of(arg))),
                None => {
                    let text = "positional argument cannot follow named argument";
                    return Err(SqlError::syntax(text));
                }
            }
        }
        for (names, defaults) in self.dialect().arguments(function)? {
            let Some(places) = names.get(first..) else { continue };
            if named.iter().any(|(name, _)| !places.contains(&name.as_str())) {
                continue;
            }
            let required = names.len() - defaults.len();
            let mut all: Vec<FunctionArg> = list[..first].to_vec();
            for (at, name) in names.iter().enumerate().skip(first) {
                let given = named.iter().find(|(given, _)| given == name);
                match (given, at.checked_sub(required).and_then(|at| defaults.get(at))) {
                    (Some((_, value)), _) => all.push(FunctionArg::Unnamed((*value).clone())),
                    (None, Some(default)) => {
                        all.push(FunctionArg::Unnamed(FunctionArgExpr::Expr(default.clone())));
                    }
                    (None, None) => break,
                }
            }
            if all.len() == names.len() {
                return Ok(Some(all));
            }
        }
        Err(self.no_function(function, list)?)
    }

    fn no_function(&mut self, function: &str, list: &[FunctionArg]) -> Result<SqlError> {
        let mut arguments = Vec::new();
        for arg in list {
            let FunctionArgExpr::Expr(value) = value_of(arg) else { continue };
            let bound = self.expression(value)?;
            let ty = self.type_name(bound.ty);
            arguments.push(match name_of(arg, self.dialect()) {
                Some(name) => format!("{name} => {ty}"),
                None => ty,
            });
        }
        Ok(Binding::NoFunction { function: function.to_owned(), arguments }.into())
    }

    /// Binds a call whose last argument is an array of arguments (VARIADIC).
    pub(super) fn variadic_array(&mut self, name: &str, mut args: Vec<Expr>) -> Result<Expr> {
        let Some(array) = args.pop() else { return Err(SqlError::syntax("VARIADIC of nothing")) };
        let array = self.undomained(array);
        let mut types: Vec<TypeId> = args.iter().map(|arg| arg.ty).collect();
        types.push(match array.ty {
            TypeId::UNKNOWN => TypeId::UNKNOWN,
            ty => self.element_of(ty).ok_or(Binding::NoArrayToSpread)?,
        });
        let Resolution::Scalar(found) = self.resolve_call(name, &types)? else {
            return Err(SqlError::unsupported(format!("VARIADIC in a call of {name}")));
        };
        if !found.function.variadic {
            let given = args.iter().chain([&array]);
            let arguments = given.map(|arg| self.type_name(arg.ty)).collect();
            return Err(Binding::NotVariadic { function: name.to_owned(), arguments }.into());
        }
        let element = found.args.last().copied().unwrap_or(TypeId::TEXT);
        let array = match element {
            element if element == TypeId::UNKNOWN || self.dialect().facts(element).any => {
                let texts = self.array_of(TypeId::TEXT)?;
                self.implicit(array, texts)?
            }
            element => {
                let of = self.array_of(element)?;
                self.implicit(array, of)?
            }
        };
        let mut args = self.convert(args, &found.args)?;
        args.push(Expr::new(Kind::Spread(Box::new(array)), element));
        Ok(Expr::new(Kind::Call { function: found.function, args }, found.result))
    }
}
