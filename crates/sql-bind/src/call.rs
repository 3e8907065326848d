//! Function calls, and the special forms that look like them.
//!
//! The arguments are bound first, since their types decide which function a name means. The dialect
//! answers with a function of one value, a set-returning function, an aggregate or a window
//! function ([`Resolution`]); each has its own place in the tree, and its own clauses where it may
//! stand. COALESCE, NULLIF, GREATEST and the like look like calls but evaluate only what they need,
//! so they are kinds of expressions.

use sqlparser::ast::{
    self, DuplicateTreatment, FunctionArg, FunctionArgExpr, FunctionArguments, Ident,
    ObjectNamePart,
};

use super::bound::{ColumnRef, Expr, Kind, SetCall};
use super::expression::constant_of;
use super::scope::Clause;
use super::visit::read;
use super::{Binder, arguments};
use hobgoblin_sql_schema::binding::{CallPart, Construct};
use hobgoblin_sql_schema::function::{Candidate, Function, Resolution};
use hobgoblin_sql_schema::shape::Field;
use hobgoblin_sql_schema::syntax::Prefix;
use hobgoblin_sql_schema::{Binding, Result, SqlError};
use hobgoblin_sql_value::{Datum, TypeId};

/// The smallest number of arguments that GROUPING refuses: it has a bit of an integer for each.
const TOO_MANY_GROUPINGS: usize = 32;

/// The parts of a call beside its arguments, as aggregates and windows have them.
pub(super) struct CallParts<'f> {
    pub(super) distinct: bool,
    pub(super) order: Vec<ast::OrderByExpr>,
    pub(super) filter: Option<&'f ast::Expr>,
    pub(super) within: &'f [ast::OrderByExpr],
    /// The text that `GROUP_CONCAT` puts between the values.
    pub(super) separator: Option<&'f ast::ValueWithSpan>,
    /// How many rows `GROUP_CONCAT` takes.
    pub(super) limit: Option<&'f ast::Expr>,
}

impl Binder<'_> {
    /// Binds a call of the function with this name, whose arguments are bound.
    pub(super) fn call(&mut self, name: &str, args: Vec<Expr>) -> Result<Expr> {
        let types: Vec<TypeId> = args.iter().map(|arg| arg.ty).collect();
        match self.dialect().function(None, name, &types, self.env.names)? {
            Resolution::Scalar(found) => {
                let args = self.convert(args, &found.args)?;
                Ok(self.called(found.function, args, found.result))
            }
            _ => Err(SqlError::unsupported(format!("{name} here"))),
        }
    }

    /// A call of a function. The arguments are converted to what it takes; the type may depend on
    /// constants among them.
    pub(super) fn called(
        &self,
        function: &'static Function,
        args: Vec<Expr>,
        result: TypeId,
    ) -> Expr {
        let types: Vec<TypeId> = args.iter().map(|arg| arg.ty).collect();
        let constants: Vec<Option<&Datum>> = args.iter().map(constant_of).collect();
        let ty = self.dialect().refined(function, &types, &constants, result);
        let ty = self.dialect().result_in_session(&types, ty, &self.env);
        Expr::new(Kind::Call { function, args }, ty)
    }

    pub(super) fn convert(&mut self, args: Vec<Expr>, types: &[TypeId]) -> Result<Vec<Expr>> {
        let mut converted = Vec::with_capacity(args.len());
        for (at, arg) in args.into_iter().enumerate() {
            converted.push(match types.get(at) {
                Some(&ty) if !self.dialect().facts(ty).any => self.implicit(arg, ty)?,
                _ => self.known(arg)?,
            });
        }
        Ok(converted)
    }

    /// Binds a call as it is written.
    pub(super) fn function(&mut self, function: &ast::Function) -> Result<Expr> {
        let (schema, name) = self.function_name(&function.name)?;
        let list = match &function.args {
            FunctionArguments::None => &[][..],
            FunctionArguments::Subquery(query) if name.eq_ignore_ascii_case("array") => {
                let query = self.subquery(query)?;
                let [column] = query.columns.as_slice() else {
                    return Err(SqlError::syntax("subquery must return only one column"));
                };
                let ty = match self.element_of(column.ty) {
                    Some(_) => column.ty,
                    None => self.array_of(column.ty)?,
                };
                let typmod = column.typmod;
                return Ok(Expr { kind: Kind::ArrayQuery(Box::new(query)), ty, typmod });
            }
            FunctionArguments::Subquery(query) => {
                let query = ast::Expr::Subquery(query.clone());
                let arg = self.expression(&query)?;
                return self.call(&name, vec![arg]);
            }
            FunctionArguments::List(list) => &list.args[..],
        };
        let in_places = self.in_places(&name, list)?;
        let list = in_places.as_deref().unwrap_or(list);
        if let Some(found) = self.special_form(function, list)? {
            return Ok(found);
        }
        let parts = call_parts(function)?;
        let aggregate = self.dialect().is_aggregate(&name) && function.over.is_none();
        let clause = self.clause();
        let mut place = Ok(());
        if aggregate || function.over.is_some() {
            place = check_place(aggregate, clause);
            self.set_clause(if aggregate { Clause::Aggregate } else { Clause::Window });
        }
        let bound = self.arguments(list);
        self.set_clause(clause);
        let (mut args, expanded) = bound?;
        if let Some(separator) = parts.separator {
            args.push(self.expression(&ast::Expr::Value(separator.clone()))?);
        }
        if aggregate && args.iter().any(names_columns) && !args.iter().any(names_own_columns) {
            return Err(SqlError::unsupported("an aggregate over columns of an outer query"));
        }
        place?;
        if let Some(over) = &function.over {
            let called = function.name.0.last().and_then(|part| part.as_ident());
            return self.window_call(&name, args, &parts, over, called);
        }
        let types: Vec<TypeId> = args.iter().map(|arg| arg.ty).collect();
        if expanded {
            return self.variadic_array(&name, args);
        }
        if !parts.within.is_empty() {
            return self.ordered_set(&name, args, &parts);
        }
        match self.resolve_within(schema.as_deref(), &name, &types)? {
            Resolution::Scalar(found) => {
                self.no_aggregate_parts(&name, &parts)?;
                let args = self.convert(args, &found.args)?;
                Ok(self.called(found.function, args, found.result))
            }
            Resolution::Aggregate(found) => {
                if list.is_empty() && !self.rules.own_expressions {
                    return Err(Binding::AggregateOfNothing(name).into());
                }
                self.aggregate_call(found, args, &parts)
            }
            Resolution::Set(found, named) => {
                if !matches!(clause, Clause::Select) {
                    let what = Construct::SetFunction;
                    return Err(Binding::Misplaced { what, clause }.into());
                }
                if named.is_empty() {
                    return Err(Binding::UnknownResult(name).into());
                }
                let columns: Vec<TypeId> = named.iter().map(|(_, ty)| *ty).collect();
                let types = found.args.clone();
                let args = self.convert(args, &found.args)?;
                let (ty, typmod) = match columns.as_slice() {
                    [only] => (*only, -1),
                    _ => {
                        let fields = named.into_iter().map(|(name, ty)| Field {
                            name: name.to_owned(),
                            ty,
                            typmod: -1,
                        });
                        (TypeId::ROW, self.catalog.shapes.register(fields.collect()))
                    }
                };
                let scope = self.scope();
                scope.sets.push(SetCall {
                    function: found.function,
                    args,
                    types,
                    columns,
                    result: ty,
                });
                let kind = Kind::SetCall(scope.sets.len() - 1);
                Ok(Expr { kind, ty, typmod })
            }
            Resolution::Window(..) => Err(Binding::WindowFunctionAlone(name).into()),
        }
    }

    /// What a name means with arguments of these types. Constants in quotes may still be of any
    /// type.
    pub(super) fn resolve_call(&self, name: &str, types: &[TypeId]) -> Result<Resolution> {
        self.resolve_within(None, name, types)
    }

    /// The same, for a name after a schema.
    fn resolve_within(
        &self,
        schema: Option<&str>,
        name: &str,
        types: &[TypeId],
    ) -> Result<Resolution> {
        Ok(match self.dialect().function(schema, name, types, self.env.names)? {
            Resolution::Aggregate(found) => {
                let result = self.dialect().result_in_session(types, found.result, &self.env);
                Resolution::Aggregate(Candidate { result, ..found })
            }
            other => other,
        })
    }

    /// The schema before a function's name, if there is one, and the name.
    pub(super) fn function_name(&self, name: &ast::ObjectName) -> Result<(Option<String>, String)> {
        let parts: Vec<String> = name
            .0
            .iter()
            .map(|part| match part.as_ident() {
                Some(ident) => Ok(self.fold(ident)),
                None => Err(SqlError::unsupported(format!("the function {name}"))),
            })
            .collect::<Result<_>>()?;
        match parts.as_slice() {
            [name] => Ok((None, name.clone())),
            [schema, name] if self.dialect().has_function(schema, name, self.env.names) => {
                Ok((Some(schema.clone()), name.clone()))
            }
            _ => Err(Binding::NoFunctionInSchema(parts.join(".")).into()),
        }
    }

    /// Binds the arguments. The flag says whether the last is an array of arguments (VARIADIC).
    fn arguments(&mut self, list: &[FunctionArg]) -> Result<(Vec<Expr>, bool)> {
        let mut args = Vec::with_capacity(list.len());
        let mut expanded = false;
        for arg in list {
            match arguments::value_of(arg) {
                FunctionArgExpr::Expr(expr) if let Some(array) = Prefix::Variadic.after(expr) => {
                    expanded = true;
                    args.push(self.expression(array)?);
                }
                FunctionArgExpr::Expr(expr) => args.push(self.expression(expr)?),
                FunctionArgExpr::Wildcard | FunctionArgExpr::WildcardWithOptions(_) => {}
                FunctionArgExpr::QualifiedWildcard(name) => {
                    let (schema, name) = self.dialect().split_name(name)?;
                    let Some((depth, source)) = self.source_named(schema.as_deref(), &name) else {
                        let name = name.into_owned();
                        let cause = Binding::NoSource { schema: None, name, column: None };
                        return Err(cause.into());
                    };
                    args.push(self.whole_row(depth, source));
                }
            }
        }
        Ok((args, expanded))
    }

    /// Binds COALESCE and the other forms that look like functions and are none; `None` if the name
    /// is not one of these.
    fn special_form(
        &mut self,
        function: &ast::Function,
        list: &[FunctionArg],
    ) -> Result<Option<Expr>> {
        let [ObjectNamePart::Identifier(Ident { value, quote_style: None, .. })] =
            function.name.0.as_slice()
        else {
            return Ok(None);
        };
        let name = &*value.to_ascii_lowercase();
        let special = [
            "coalesce",
            "nullif",
            "greatest",
            "least",
            "row",
            "grouping",
            "xmlelement",
            "overlaps",
        ];
        if !special.contains(&name) || self.rules.own_expressions {
            return Ok(None);
        }
        let (args, _) = self.arguments(list)?;
        Ok(Some(match name {
            "coalesce" => {
                let (args, ty, typmod) = self.unify(args, "COALESCE")?;
                Expr { kind: Kind::Coalesce(args), ty, typmod }
            }
            "greatest" | "least" => {
                let greatest = name == "greatest";
                let (args, ty, typmod) =
                    self.unify(args, if greatest { "GREATEST" } else { "LEAST" })?;
                Expr { kind: Kind::Extreme { args, greatest }, ty, typmod }
            }
            "nullif" => {
                let [left, right]: [Expr; 2] =
                    args.try_into().map_err(|_| SqlError::syntax("NULLIF takes two arguments"))?;
                let left = if left.ty == TypeId::UNKNOWN && right.ty == TypeId::UNKNOWN {
                    self.known(left)?
                } else {
                    left
                };
                // The result is the left side as it is compared.
                let (left, right, equal) = self.equality(left, right)?;
                let (ty, typmod) = (left.ty, left.typmod);
                Expr { kind: Kind::NullIf(Box::new(left), Box::new(right), equal), ty, typmod }
            }
            "row" => self.row(args)?,
            "grouping" => {
                let clause = self.clause();
                if !matches!(clause, Clause::Select | Clause::Having | Clause::Window) {
                    let what = Construct::Grouping;
                    return Err(Binding::Misplaced { what, clause }.into());
                }
                if args.len() >= TOO_MANY_GROUPINGS {
                    return Err(Binding::TooManyGroupings { limit: TOO_MANY_GROUPINGS }.into());
                }
                self.scope().grouping = true;
                Expr::new(Kind::Grouping(args), TypeId::INTEGER)
            }
            "overlaps" => self.call("overlaps", args)?,
            _ => return Err(SqlError::unsupported(format!("{name}()"))),
        }))
    }

    pub(super) fn clause(&self) -> Clause {
        self.scopes.last().map_or(Clause::Plain, |scope| scope.clause)
    }

    pub(super) fn set_clause(&mut self, clause: Clause) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.clause = clause;
        }
    }

    fn no_aggregate_parts(&self, name: &str, parts: &CallParts<'_>) -> Result<()> {
        let part = if parts.distinct {
            CallPart::Distinct
        } else if parts.filter.is_some() {
            CallPart::Filter
        } else if !parts.order.is_empty() {
            CallPart::OrderBy
        } else {
            return Ok(());
        };
        Err(Binding::NotAggregate { part, function: name.to_owned() }.into())
    }
}

/// Fails if an aggregate, or otherwise a call over a window, may not stand in this clause.
fn check_place(aggregate: bool, clause: Clause) -> Result<()> {
    let what = if aggregate { Construct::Aggregate } else { Construct::Window };
    match clause {
        Clause::Select => Ok(()),
        Clause::Having | Clause::Window if aggregate => Ok(()),
        clause => Err(Binding::Misplaced { what, clause }.into()),
    }
}

/// Whether an expression refers to any column, of any query.
fn names_columns(expr: &Expr) -> bool {
    names_columns_where(expr, &|_, _| true)
}

/// Whether an expression refers to a column of the query that it stands in.
fn names_own_columns(expr: &Expr) -> bool {
    names_columns_where(expr, &|depth, at| depth == at)
}

fn names_columns_where(expr: &Expr, wanted: &dyn Fn(usize, usize) -> bool) -> bool {
    let mut found = false;
    read::visit(expr, 0, &mut |expr, at| {
        match expr.kind {
            // Columns of subqueries inside are neither here nor there.
            Kind::Column(ColumnRef { depth, .. }) | Kind::WholeRow { depth, .. } if depth >= at => {
                found |= wanted(depth, at);
            }
            _ => {}
        }
        true
    });
    found
}

fn call_parts(function: &ast::Function) -> Result<CallParts<'_>> {
    let mut parts = CallParts {
        distinct: false,
        order: Vec::new(),
        filter: function.filter.as_deref(),
        within: &function.within_group,
        separator: None,
        limit: None,
    };
    if let FunctionArguments::List(list) = &function.args {
        parts.distinct = matches!(list.duplicate_treatment, Some(DuplicateTreatment::Distinct));
        for clause in &list.clauses {
            match clause {
                ast::FunctionArgumentClause::OrderBy(order) => parts.order = order.clone(),
                ast::FunctionArgumentClause::Separator(text) => parts.separator = Some(text),
                ast::FunctionArgumentClause::Limit(limit) => parts.limit = Some(limit),
                other => return Err(SqlError::unsupported(format!("{other} in a call"))),
            }
        }
    }
    Ok(parts)
}
