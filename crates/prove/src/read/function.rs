//! Functions and aggregates.
//!
//! What depends on the clock, on chance or on a sequence is [`ExprKind::Choose`], a value that nothing is known of. So is
//! `choose()`, which PostgreSQL does not have: it takes the type of what stands beside it, and any value.

use sqlparser::ast::{
    self, DuplicateTreatment, FunctionArg, FunctionArgExpr, FunctionArguments, Spanned,
};

use super::error::{Fault, Named, Problem, Result};
use super::made::boxed;
use super::names::{Binder, object_name};
use super::tokens::place;
use super::types;
use crate::program::{Aggregate, Expr, ExprKind, Operator, Place, Type};

/// Functions without which no program is, that give a value nobody knows before; and its type.
const CHOSEN: &[(&str, Type)] = &[
    ("choose", types::OPEN),
    ("clock_timestamp", Type::Int),
    ("current_date", Type::Int),
    ("current_time", Type::Int),
    ("current_timestamp", Type::Int),
    ("gen_random_uuid", Type::Text),
    ("localtime", Type::Int),
    ("localtimestamp", Type::Int),
    ("nextval", Type::Int),
    ("now", Type::Int),
    ("random", Type::Decimal),
    ("statement_timestamp", Type::Int),
    ("transaction_timestamp", Type::Int),
];

impl Binder<'_> {
    /// Reads a call.
    pub(super) fn function(&mut self, function: &ast::Function, at: Place) -> Result<Expr> {
        let (name, named) = object_name(&function.name, at)?;
        let at = match &function.args {
            FunctionArguments::None => named,
            _ => self.sql.call(place(function.name.span()).start).unwrap_or(at),
        };
        if let Some((_, ty)) = CHOSEN.iter().find(|(chosen, _)| *chosen == name) {
            return Ok(Expr { kind: ExprKind::Choose, ty: *ty, place: at });
        }
        if function.over.is_some()
            || function.filter.is_some()
            || !function.within_group.is_empty()
            || function.null_treatment.is_some()
        {
            return Err(Fault::unsupported(
                at,
                "a window, FILTER or WITHIN GROUP",
                "read what is wanted by a statement of its own",
            ));
        }
        let aggregate = match name.as_str() {
            "count" => Some(Aggregate::Count),
            "sum" => Some(Aggregate::Sum),
            "min" => Some(Aggregate::Min),
            "max" => Some(Aggregate::Max),
            _ => None,
        };
        let (distinct, arguments) = arguments(function, at)?;
        if let Some(aggregate) = aggregate {
            return self.aggregate(aggregate, distinct, &name, &arguments, at);
        }
        let found = arguments.len();
        let mut read = Vec::new();
        for argument in &arguments {
            let FunctionArgExpr::Expr(argument) = argument else {
                return Err(Fault::unsupported(at, "* as an argument", "write an expression"));
            };
            read.push(self.expression(argument)?);
        }
        let wrong =
            |wanted| Fault::new(at, Problem::Arguments { function: name.clone(), wanted, found });
        match name.as_str() {
            "coalesce" | "least" | "greatest" if read.is_empty() => Err(wrong("one or more")),
            "coalesce" => {
                let ty = types::together(&mut read.iter_mut().collect::<Vec<_>>(), "COALESCE")?;
                let ty = ty.unwrap_or(types::OPEN);
                Ok(Expr { kind: ExprKind::Coalesce(read), ty, place: at })
            }
            "least" | "greatest" => self.extreme(read, name == "least", at),
            "abs" => {
                let [number] = <[Expr; 1]>::try_from(read).map_err(|_| wrong("one"))?;
                let number = if types::is_number(number.ty) && !types::is_open(&number) {
                    number
                } else {
                    types::expect(number, Type::Int)?
                };
                self.absolute(number, at)
            }
            "nullif" => {
                let [left, right] = <[Expr; 2]>::try_from(read).map_err(|_| wrong("two"))?;
                self.null_if(left, right, at)
            }
            "mod" => {
                let [left, right] = <[Expr; 2]>::try_from(read).map_err(|_| wrong("two"))?;
                self.operate(Operator::Modulo, left, right, at)
            }
            _ => Err(Fault::unknown(named, Named::Function, &name)),
        }
    }

    fn aggregate(
        &mut self,
        aggregate: Aggregate,
        distinct: bool,
        name: &str,
        arguments: &[&FunctionArgExpr],
        at: Place,
    ) -> Result<Expr> {
        if !self.aggregates {
            return Err(Fault::new(at, Problem::Aggregate));
        }
        let [argument] = arguments else {
            let function = name.to_owned();
            let problem = Problem::Arguments { function, wanted: "one", found: arguments.len() };
            return Err(Fault::new(at, problem));
        };
        let of = match argument {
            FunctionArgExpr::Wildcard if aggregate == Aggregate::Count && !distinct => None,
            FunctionArgExpr::Expr(of) => {
                self.aggregates = false;
                let of = self.expression(of);
                self.aggregates = true;
                let mut of = of?;
                types::settle(&mut of, Type::Int);
                Some(of)
            }
            _ => return Err(Fault::unsupported(at, format!("{name}(*)"), "write an expression")),
        };
        let whole = of.as_ref().map_or(Type::Int, |of| of.ty);
        let (aggregate, ty) = match aggregate {
            Aggregate::Count | Aggregate::CountDistinct if distinct => {
                (Aggregate::CountDistinct, Type::Int)
            }
            Aggregate::Count | Aggregate::CountDistinct => (Aggregate::Count, Type::Int),
            Aggregate::Sum if distinct => {
                let help = "of DISTINCT, we know count only";
                return Err(Fault::unsupported(at, "sum(DISTINCT …)", help));
            }
            Aggregate::Sum | Aggregate::Min | Aggregate::Max => (aggregate, whole),
        };
        if ty == whole && of.is_some() && ty != Type::Int && ty != Type::Decimal {
            let of = of.map_or(at, |of| of.place);
            let problem = Problem::WrongType { expected: Type::Int, found: ty };
            return Err(Fault::new(of, problem));
        }
        Ok(Expr { kind: ExprKind::Aggregate(aggregate, of.map(boxed)), ty, place: at })
    }
}

/// The arguments of a call, and whether they begin with DISTINCT.
fn arguments(function: &ast::Function, at: Place) -> Result<(bool, Vec<&FunctionArgExpr>)> {
    let list = match &function.args {
        FunctionArguments::None => return Ok((false, Vec::new())),
        FunctionArguments::List(list) if list.clauses.is_empty() => list,
        _ => {
            let help = "write expressions with commas between them";
            return Err(Fault::unsupported(at, "these arguments", help));
        }
    };
    let distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
    let mut arguments = Vec::new();
    for argument in &list.args {
        match argument {
            FunctionArg::Unnamed(argument) => arguments.push(argument),
            _ => {
                let help = "write them in the order of the function";
                return Err(Fault::unsupported(at, "named arguments", help));
            }
        }
    }
    Ok((distinct, arguments))
}
