//! Calls over windows: which rows they look at, and in what order.
//!
//! `sum(x) OVER w` has a function, and a window that may build on one of the WINDOW clause. A
//! window is a partition, an order, and a frame, which is a range of rows around the current one.
//! Bounds of a frame are counted in rows, in groups of equal keys, or by the key itself; for the
//! last, `RANGE n PRECEDING`, the operator that subtracts `n` from a key is found here ([`Shift`]).

use sqlparser::ast::{self, WindowFrameBound, WindowFrameUnits, WindowType};

use super::Binder;
use super::bound::{
    Exclude, Expr, Frame, FrameBound, FrameUnits, Kind, Shift, SortKey, WindowCall, WindowKind,
};
use super::call::CallParts;
use super::scope::{Clause, WindowDefinition};
use hobgoblin_sql_schema::binding::{CallPart, FrameOrder};
use hobgoblin_sql_schema::function::{Candidate, Function, Resolution};
use hobgoblin_sql_schema::syntax::Excluded;
use hobgoblin_sql_schema::{Binding, Result, SqlError};
use hobgoblin_sql_value::TypeId;

impl Binder<'_> {
    pub(super) fn window_call(
        &mut self,
        name: &str,
        args: Vec<Expr>,
        parts: &CallParts<'_>,
        over: &WindowType,
        called: Option<&ast::Ident>,
    ) -> Result<Expr> {
        if parts.distinct {
            return Err(SqlError::unsupported("DISTINCT for window functions"));
        }
        let types: Vec<TypeId> = args.iter().map(|arg| arg.ty).collect();
        let (kind, args, ty) = match self.resolve_call(name, &types)? {
            Resolution::Window(function, types, result) => {
                if parts.filter.is_some() {
                    return Err(Binding::FilteredWindowFunction.into());
                }
                (WindowKind::Function(function), self.convert(args, &types)?, result)
            }
            Resolution::Aggregate(found) => {
                let call = self.aggregate(found, args, parts)?;
                let (args, ty) = (call.args.clone(), call.ty);
                (WindowKind::Aggregate(Box::new(call)), args, ty)
            }
            _ => {
                let (part, function) = (CallPart::Over, name.to_owned());
                return Err(Binding::NotAggregate { part, function }.into());
            }
        };
        let spec = self.window_spec(over, called)?;
        let clause = self.clause();
        self.set_clause(Clause::Window);
        let window = self.window_parts(&spec);
        self.set_clause(clause);
        let (partition, order, frame) = window?;
        let scope = self.scope();
        scope.windows.push(WindowCall { kind, args, partition, order, frame, ty });
        let place = scope.windows.len() - 1;
        Ok(Expr::new(Kind::Window(place), ty))
    }

    /// The definition of the window that a call means, with what the named window has that it
    /// builds on. `owner` is the name of the function that is called, or of the window that is
    /// being defined.
    pub(super) fn window_spec(
        &mut self,
        over: &WindowType,
        owner: Option<&ast::Ident>,
    ) -> Result<WindowDefinition> {
        let named = |binder: &mut Self, name: &ast::Ident| {
            let name = binder.fold(name);
            let scope = binder.scope();
            let found = scope.named_windows.iter().find(|(known, _)| *known == name);
            found.map(|(_, spec)| spec.clone()).ok_or(Binding::NoWindow(name))
        };
        match over {
            WindowType::NamedWindow(name) => Ok(named(self, name)?),
            WindowType::WindowSpec(spec) => {
                let mut spec = spec.clone();
                let exclude =
                    match owner.map_or(Excluded::NoOthers, |owner| self.clauses.excluded(owner)) {
                        Excluded::CurrentRow => Exclude::CurrentRow,
                        Excluded::Group => Exclude::Group,
                        Excluded::Ties => Exclude::Ties,
                        Excluded::NoOthers => Exclude::NoOthers,
                    };
                if let Some(base) = spec.window_name.take() {
                    let base = named(self, &base)?.spec;
                    if spec.partition_by.is_empty() {
                        spec.partition_by = base.partition_by;
                    }
                    if spec.order_by.is_empty() {
                        spec.order_by = base.order_by;
                    }
                }
                Ok(WindowDefinition { spec, exclude })
            }
        }
    }

    #[allow(clippy::type_complexity)]
    fn window_parts(
        &mut self,
        definition: &WindowDefinition,
    ) -> Result<(Vec<Expr>, Vec<(Expr, SortKey)>, Frame)> {
        let WindowDefinition { spec, exclude } = definition;
        let exclude = *exclude;
        let mut partition = Vec::new();
        for expr in &spec.partition_by {
            let expr = self.expression(expr)?;
            let expr = self.known(expr)?;
            self.has_equality(expr.ty)?;
            partition.push(self.weighed(expr)?);
        }
        let mut order = self.sort_expressions(&spec.order_by)?;
        self.widen_range(spec, &mut order)?;
        let frame = match &spec.window_frame {
            None => Frame {
                units: FrameUnits::Range,
                start: FrameBound::UnboundedPreceding,
                end: FrameBound::CurrentRow,
                exclude,
            },
            Some(frame) => {
                let units = match frame.units {
                    WindowFrameUnits::Rows => FrameUnits::Rows,
                    WindowFrameUnits::Range => FrameUnits::Range,
                    WindowFrameUnits::Groups => FrameUnits::Groups,
                };
                let end = frame.end_bound.as_ref().unwrap_or(&WindowFrameBound::CurrentRow);
                use WindowFrameBound::{CurrentRow, Following, Preceding};
                let refused = match (&frame.start_bound, end) {
                    (CurrentRow, Preceding(Some(_))) => Some(FrameOrder::FromCurrent),
                    (Following(Some(_)), Preceding(Some(_)) | CurrentRow) => {
                        Some(FrameOrder::FromFollowing)
                    }
                    _ => None,
                };
                if let Some(order) = refused {
                    return Err(Binding::FrameOrder(order).into());
                }
                Frame {
                    units,
                    start: self.frame_bound(&frame.start_bound, units, &order, true)?,
                    end: self.frame_bound(end, units, &order, false)?,
                    exclude,
                }
            }
        };
        Ok((partition, order, frame))
    }

    /// Converts the key of a RANGE frame with an offset to a type that its sums and differences
    /// have too.
    fn widen_range(&mut self, spec: &ast::WindowSpec, order: &mut [(Expr, SortKey)]) -> Result<()> {
        let offset = |bound: &WindowFrameBound| {
            matches!(
                bound,
                WindowFrameBound::Preceding(Some(_)) | WindowFrameBound::Following(Some(_))
            )
        };
        let Some(frame) = &spec.window_frame else { return Ok(()) };
        let offsets = offset(&frame.start_bound) || frame.end_bound.as_ref().is_some_and(offset);
        if let ([(key, _)], true, WindowFrameUnits::Range) = (order, offsets, frame.units) {
            let wide = self.dialect().distance_type(key.ty);
            *key = self.implicit(key.clone(), wide)?;
        }
        Ok(())
    }

    fn frame_bound(
        &mut self,
        bound: &WindowFrameBound,
        units: FrameUnits,
        order: &[(Expr, SortKey)],
        start: bool,
    ) -> Result<FrameBound> {
        let mut offset = |expr: &ast::Expr, preceding: bool| -> Result<_> {
            let expr = match expr {
                // The parser takes every string here for an interval.
                ast::Expr::Interval(interval)
                    if matches!(*interval.value, ast::Expr::Cast { .. }) =>
                {
                    &interval.value
                }
                expr => expr,
            };
            let expr = self.expression(expr)?;
            if units != FrameUnits::Range {
                return Ok((self.assign(expr, TypeId::BIGINT, -1, "frame offset")?, None));
            }
            let [(key, direction)] = order else {
                return Err(Binding::RangeKeys.into());
            };
            let op = if preceding == direction.descending { "+" } else { "-" };
            let expr = match expr.ty {
                TypeId::UNKNOWN => {
                    let found =
                        self.dialect().operator(op, Some(key.ty), expr.ty, self.env.names)?;
                    self.implicit(expr, found.args[1])?
                }
                _ => expr,
            };
            let found = self.dialect().operator(op, Some(key.ty), expr.ty, self.env.names);
            let shifts = |found: &Candidate<Function>| {
                found.args[0] == key.ty && self.dialect().is_shifted(found.result, key.ty)
            };
            let Some(found) = found.ok().filter(shifts) else {
                let (key, offset) = (self.type_name(key.ty), self.type_name(expr.ty));
                return Err(Binding::RangeTypes { key, offset }.into());
            };
            let shift = Shift { function: found.function, result: found.result };
            Ok((self.implicit(expr, found.args[1])?, Some(shift)))
        };
        Ok(match bound {
            WindowFrameBound::CurrentRow => FrameBound::CurrentRow,
            WindowFrameBound::Preceding(None) if start => FrameBound::UnboundedPreceding,
            WindowFrameBound::Following(None) if !start => FrameBound::UnboundedFollowing,
            WindowFrameBound::Preceding(None) => {
                return Err(Binding::FrameOrder(FrameOrder::EndsFirst).into());
            }
            WindowFrameBound::Following(None) => {
                return Err(Binding::FrameOrder(FrameOrder::StartsLast).into());
            }
            WindowFrameBound::Preceding(Some(expr)) => {
                let (expr, shift) = offset(expr, true)?;
                FrameBound::Preceding(expr, shift)
            }
            WindowFrameBound::Following(Some(expr)) => {
                let (expr, shift) = offset(expr, false)?;
                FrameBound::Following(expr, shift)
            }
        })
    }
}
