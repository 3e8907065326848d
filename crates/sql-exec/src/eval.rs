//! The value of an expression over a tuple.
//!
//! A tuple has a row for every source of the query ([`Tuple`]); those of the enclosing queries are kept outermost first,
//! and a column names how many queries out it is. Cells of a row are read from the store when a column asks for them, so
//! a condition that needs no cell reads none.
//!
//! Logic has three values, and NULL is [`Datum::Null`]. AND and OR stop at the first operand that decides, CASE and
//! COALESCE at the first branch that is taken: what is not evaluated is not read, and raises no error.
//!
//! A query inside an expression runs once where it depends on nothing outside it, and is kept ([`Exec::inner_rows`]); IN
//! over such a query looks values up instead of comparing with every row.

use std::cmp::Ordering;
use std::rc::Rc;
use std::sync::Arc;

use super::kept::Members;
use super::{Exec, Source, Tuple};
use hobgoblin_sql_bind::access::hashable;
use hobgoblin_sql_bind::bound::{ColumnRef, Expr, Kind, Query, Subscript};
use hobgoblin_sql_bind::system::held_in;
use hobgoblin_sql_schema::function::{Call, Function};
use hobgoblin_sql_schema::memory;
use hobgoblin_sql_schema::shape::RowType;
use hobgoblin_sql_schema::{Problem, Result, SqlError};
use hobgoblin_sql_value::{Array, Datum, Grouped, TypeId};

impl Exec<'_> {
    /// The value of an expression over a tuple.
    pub fn eval(&mut self, expr: &Expr, tuple: &Tuple) -> Result<Datum> {
        Ok(match &expr.kind {
            Kind::Const(value) => value.clone(),
            Kind::Param(at) => match self.params.get(*at) {
                Some(value) => value.clone(),
                None => return Err(Problem::NoParameter(at + 1).into()),
            },
            Kind::Column(column) => self.column(*column, tuple)?,
            Kind::WholeRow { depth, source } => self.whole_row(*depth, *source, tuple)?,
            Kind::Call { function, args } => self.call(function, args, expr.ty, tuple)?,
            Kind::Cast { expr: inner, explicit } => {
                let value = self.eval(inner, tuple)?;
                let from = inner.ty.shaped(inner.typmod);
                self.convert(value, from, expr.ty, expr.typmod, *explicit)?
            }
            Kind::Domain { expr: inner, plan, each } => {
                let value = self.eval(inner, tuple)?;
                self.within_domain(value, plan, *each)?
            }
            Kind::Stored { expr: inner, place } => {
                let value = self.eval(inner, tuple)?;
                let (how, env) = (self.storing, self.session.env());
                self.dialect().store(value, inner.ty, place, how, &env)?
            }
            Kind::And(all) => {
                let mut unknown = false;
                for one in all {
                    match self.eval(one, tuple)? {
                        Datum::Bool(false) => return Ok(Datum::Bool(false)),
                        Datum::Null => unknown = true,
                        _ => {}
                    }
                }
                if unknown { Datum::Null } else { Datum::Bool(true) }
            }
            Kind::Or(any) => {
                let mut unknown = false;
                for one in any {
                    match self.eval(one, tuple)? {
                        Datum::Bool(true) => return Ok(Datum::Bool(true)),
                        Datum::Null => unknown = true,
                        _ => {}
                    }
                }
                if unknown { Datum::Null } else { Datum::Bool(false) }
            }
            Kind::Not(inner) => match self.eval(inner, tuple)? {
                Datum::Bool(truth) => Datum::Bool(!truth),
                other => other,
            },
            Kind::IsNull(inner, negated) => {
                let value = self.eval(inner, tuple)?;
                // A row is null when all its fields are, and not null when none is.
                let answer = match &value {
                    Datum::Record(fields) => {
                        let wanted = |field: &Datum| field.is_null() != *negated;
                        return Ok(Datum::Bool(fields.iter().all(wanted)));
                    }
                    value => value.is_null(),
                };
                Datum::Bool(answer != *negated)
            }
            Kind::IsTruth(inner, truth, negated) => {
                let found = match self.eval(inner, tuple)? {
                    Datum::Bool(found) => Some(found),
                    _ => None,
                };
                Datum::Bool((found == *truth) != *negated)
            }
            Kind::Distinct(left, right, equal, negated) => {
                let (a, b) = (self.eval(left, tuple)?, self.eval(right, tuple)?);
                let distinct = match (a.is_null(), b.is_null()) {
                    (true, true) => false,
                    (false, false) => {
                        !self.truth(equal, [a, b], [left.ty, right.ty])?.unwrap_or(false)
                    }
                    _ => true,
                };
                Datum::Bool(distinct != *negated)
            }
            Kind::Case { whens, otherwise } => {
                for (when, then) in whens {
                    if matches!(self.eval(when, tuple)?, Datum::Bool(true)) {
                        return self.eval(then, tuple);
                    }
                }
                match otherwise {
                    Some(otherwise) => self.eval(otherwise, tuple)?,
                    None => Datum::Null,
                }
            }
            Kind::Coalesce(all) => {
                for one in all {
                    let value = self.eval(one, tuple)?;
                    if !value.is_null() {
                        return Ok(value);
                    }
                }
                Datum::Null
            }
            Kind::NullIf(left, right, equal) => {
                let (a, b) = (self.eval(left, tuple)?, self.eval(right, tuple)?);
                if a.is_null() || b.is_null() {
                    return Ok(a);
                }
                match self.truth(equal, [a.clone(), b], [left.ty, right.ty])? {
                    Some(true) => Datum::Null,
                    _ => a,
                }
            }
            Kind::Extreme { args, greatest } => {
                let wanted = if *greatest { Ordering::Greater } else { Ordering::Less };
                let mut best = Datum::Null;
                for arg in args {
                    let value = self.eval(arg, tuple)?;
                    if !value.is_null() && (best.is_null() || value.compare(&best) == wanted) {
                        best = value;
                    }
                }
                best
            }
            Kind::InList { expr: inner, list, equal, negated } => {
                let value = self.eval(inner, tuple)?;
                if value.is_null() {
                    return Ok(Datum::Null);
                }
                let mut unknown = false;
                for item in list {
                    self.tick()?;
                    let other = self.eval(item, tuple)?;
                    if other.is_null() {
                        unknown = true;
                        continue;
                    }
                    let types = [inner.ty, item.ty];
                    if self.truth(equal, [value.clone(), other], types)? == Some(true) {
                        return Ok(Datum::Bool(!negated));
                    }
                }
                if unknown { Datum::Null } else { Datum::Bool(*negated) }
            }
            Kind::AnyArray { left, array, function, all } => {
                self.any_array(left, array, function, *all, tuple)?
            }
            Kind::Array { items, nested } => self.array(items, *nested, expr.ty, tuple)?,
            Kind::Row(fields) => {
                let mut values = Vec::with_capacity(fields.len());
                for field in fields {
                    values.push(self.eval(field, tuple)?);
                }
                Datum::Record(values.into())
            }
            Kind::Field(row, at) => {
                // A subquery of several columns gives all of its row.
                let value = match &row.kind {
                    Kind::Scalar(query) if row.ty == TypeId::ROW && row.typmod == -1 => {
                        self.scalar_row(query, tuple)?
                    }
                    _ => self.eval(row, tuple)?,
                };
                match value {
                    Datum::Record(fields) => fields.get(*at).cloned().unwrap_or(Datum::Null),
                    _ => Datum::Null,
                }
            }
            Kind::Subscript { array, subscripts } => self.subscript(array, subscripts, tuple)?,
            Kind::Assign { array, subscripts, value } => {
                self.assigned(array, subscripts, value, tuple)?
            }
            Kind::Scalar(query) => match self.scalar_row(query, tuple)? {
                Datum::Record(fields) => fields.first().cloned().unwrap_or(Datum::Null),
                _ => Datum::Null,
            },
            Kind::Exists(query) => {
                let rows = self.inner_rows(query, tuple, Some(1))?;
                Datum::Bool(!rows.is_empty())
            }
            Kind::ArrayQuery(query) => {
                let rows = self.inner_rows(query, tuple, None)?;
                let items: Vec<Datum> =
                    rows.iter().filter_map(|row| row.first().cloned()).collect();
                let column = query.columns.first();
                let element = column.map_or(TypeId::TEXT, |column| column.ty.shaped(column.typmod));
                if self.session.element_of(element).is_some() {
                    return nest(items, self.session.element_of(element).unwrap_or(element));
                }
                Datum::Array(Arc::new(Array::of(element, items)))
            }
            Kind::AnyQuery { left, query, functions, op, all } => {
                self.any_query(left, query, functions, op, *all, tuple)?
            }
            Kind::RowCompare { left, right, op, functions } => {
                for ((left, right), (equal, less)) in left.iter().zip(right).zip(functions) {
                    let (a, b) = (self.eval(left, tuple)?, self.eval(right, tuple)?);
                    if a.is_null() || b.is_null() {
                        return Ok(Datum::Null);
                    }
                    let types = [left.ty, right.ty];
                    if self.truth(equal, [a.clone(), b.clone()], types)? != Some(true) {
                        return Ok(match self.truth(less, [a, b], types)? {
                            Some(truth) => Datum::Bool(truth),
                            None => Datum::Null,
                        });
                    }
                }
                Datum::Bool(op.ends_with('='))
            }
            Kind::SetCall(_)
            | Kind::Aggregate(_)
            | Kind::Window(_)
            | Kind::Grouping(_)
            | Kind::Spread(_) => {
                return Err(SqlError::internal(
                    "an aggregate, window or set-returning call stands where none can be computed",
                ));
            }
        })
    }

    /// Whether all conditions are true.
    pub fn passes(&mut self, filters: &[Expr], tuple: &Tuple) -> Result<bool> {
        for filter in filters {
            if !matches!(self.eval(filter, tuple)?, Datum::Bool(true)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn column(&mut self, column: ColumnRef, tuple: &Tuple) -> Result<Datum> {
        if let (0, Some(Source::Row(row)), None) =
            (column.depth, tuple.get(column.source), held_in(column.column))
        {
            return self.cell(row, column.column);
        }
        let source = match column.depth {
            0 => tuple.get(column.source),
            depth => {
                let outer = self.outer.len().checked_sub(depth).and_then(|at| self.outer.get(at));
                outer.and_then(|tuple| tuple.get(column.source))
            }
        };
        match source {
            Some(Source::Row(row)) => {
                let row = std::rc::Rc::clone(row);
                match held_in(column.column) {
                    Some(system) => self.system(&row, system),
                    None => self.cell(&row, column.column),
                }
            }
            Some(Source::Values(values)) => {
                Ok(values.get(column.column).cloned().unwrap_or(Datum::Null))
            }
            Some(Source::Nulls) => Ok(Datum::Null),
            Some(Source::Unset) | None => Err(SqlError::internal(format!(
                "source {} at depth {} has no row here",
                column.source, column.depth
            ))),
        }
    }

    fn whole_row(&mut self, depth: usize, source: usize, tuple: &Tuple) -> Result<Datum> {
        let found = match depth {
            0 => tuple.get(source).cloned(),
            depth => {
                let outer = self.outer.len().checked_sub(depth).and_then(|at| self.outer.get(at));
                outer.and_then(|tuple| tuple.get(source)).cloned()
            }
        };
        Ok(match found {
            Some(Source::Row(row)) => {
                let columns = row.table.columns.iter().enumerate();
                let there = columns.filter(|(_, column)| !column.dropped).map(|(at, _)| at);
                let cells: Result<Vec<Datum>> = there.map(|at| self.cell(&row, at)).collect();
                Datum::Record(cells?.into())
            }
            Some(Source::Values(values)) => Datum::Record(values.iter().cloned().collect()),
            _ => Datum::Null,
        })
    }

    fn call(
        &mut self,
        function: &'static Function,
        args: &[Expr],
        result: TypeId,
        tuple: &Tuple,
    ) -> Result<Datum> {
        if let [left, right] = args
            && !matches!(right.kind, Kind::Spread(_))
        {
            let a = self.eval(left, tuple)?;
            if function.strict && a.is_null() {
                return Ok(Datum::Null);
            }
            let b = self.eval(right, tuple)?;
            if function.strict && b.is_null() {
                return Ok(Datum::Null);
            }
            let (args, types) = ([a, b], [left, right].map(|arg| arg.ty.shaped(arg.typmod)));
            let _room = memory::room_for_result(&args)?;
            let call = &mut Call { cx: self.session, args: &args, types: &types, result };
            return memory::check_result((function.eval)(call)?);
        }
        let mut values = Vec::with_capacity(args.len());
        let mut types = Vec::with_capacity(args.len());
        for arg in args {
            if let Kind::Spread(array) = &arg.kind {
                let Datum::Array(array) = self.eval(array, tuple)? else { return Ok(Datum::Null) };
                if function.strict && array.items.iter().any(Datum::is_null) {
                    return Ok(Datum::Null);
                }
                types.extend(array.items.iter().map(|_| arg.ty));
                values.extend(array.items.iter().cloned());
                continue;
            }
            let value = self.eval(arg, tuple)?;
            if function.strict && value.is_null() {
                return Ok(Datum::Null);
            }
            values.push(value);
            types.push(arg.ty.shaped(arg.typmod));
        }
        let _room = memory::room_for_result(&values)?;
        let value =
            (function.eval)(&mut Call { cx: self.session, args: &values, types: &types, result });
        memory::check_result(value?)
    }

    /// A comparison of two values that are there.
    pub fn truth(
        &mut self,
        function: &'static Function,
        args: [Datum; 2],
        types: [TypeId; 2],
    ) -> Result<Option<bool>> {
        if function.strict && args.iter().any(Datum::is_null) {
            return Ok(None);
        }
        let mut call =
            Call { cx: self.session, args: &args, types: &types, result: TypeId::BOOLEAN };
        Ok(match (function.eval)(&mut call)? {
            Datum::Bool(truth) => Some(truth),
            _ => None,
        })
    }

    /// A value as one of another type.
    pub fn convert(
        &mut self,
        value: Datum,
        from: TypeId,
        to: TypeId,
        typmod: i32,
        explicit: bool,
    ) -> Result<Datum> {
        if value.is_null() {
            return Ok(Datum::Null);
        }
        self.dialect().cast(value, from, to, typmod, explicit, &self.session.env())
    }

    fn any_array(
        &mut self,
        left: &Expr,
        array: &Expr,
        function: &'static Function,
        all: bool,
        tuple: &Tuple,
    ) -> Result<Datum> {
        let value = self.eval(left, tuple)?;
        let Datum::Array(items) = self.eval(array, tuple)? else { return Ok(Datum::Null) };
        let types = [left.ty, items.element];
        let mut unknown = false;
        for item in &items.items {
            self.tick()?;
            match self.truth(function, [value.clone(), item.clone()], types)? {
                Some(truth) if truth != all => return Ok(Datum::Bool(truth)),
                Some(_) => {}
                None => unknown = true,
            }
        }
        Ok(if unknown { Datum::Null } else { Datum::Bool(all) })
    }

    fn array(&mut self, items: &[Expr], nested: bool, ty: TypeId, tuple: &Tuple) -> Result<Datum> {
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            self.tick()?;
            values.push(self.eval(item, tuple)?);
        }
        let element = self.session.element_of(ty).unwrap_or(TypeId::TEXT);
        match nested {
            true => nest(values, element),
            false => Ok(Datum::Array(Arc::new(Array::of(element, values)))),
        }
    }

    fn subscript(
        &mut self,
        array: &Expr,
        subscripts: &[Subscript],
        tuple: &Tuple,
    ) -> Result<Datum> {
        let Datum::Array(array) = self.eval(array, tuple)? else { return Ok(Datum::Null) };
        let mut integer = |expr: &Expr| -> Result<Option<i32>> {
            Ok(match self.eval(expr, tuple)? {
                Datum::Int(at) => i32::try_from(at).ok(),
                _ => None,
            })
        };
        let sliced = subscripts.iter().any(|subscript| matches!(subscript, Subscript::Slice(..)));
        if !sliced {
            let mut places = Vec::with_capacity(subscripts.len());
            for subscript in subscripts {
                let Subscript::Index(index) = subscript else { continue };
                match integer(index)? {
                    Some(at) => places.push(i64::from(at)),
                    None => return Ok(Datum::Null),
                }
            }
            return Ok(array.get(&places).cloned().unwrap_or(Datum::Null));
        }
        let mut bounds = Vec::with_capacity(subscripts.len());
        for (at, subscript) in subscripts.iter().enumerate() {
            let (length, lower) = array.dims.get(at).copied().unwrap_or((0, 1));
            let last = lower + length as i32 - 1;
            let (low, high) = match subscript {
                // Beside a slice, one number means from 1 to it.
                Subscript::Index(index) => (Some(1), integer(index)?),
                Subscript::Slice(low, high) => {
                    let low = match low {
                        Some(low) => integer(low)?,
                        None => Some(lower),
                    };
                    let high = match high {
                        Some(high) => integer(high)?,
                        None => Some(last),
                    };
                    (low, high)
                }
            };
            match (low, high) {
                (Some(low), Some(high)) => bounds.push((low, high)),
                _ => return Ok(Datum::Null),
            }
        }
        Ok(Datum::Array(Arc::new(slice(&array, &bounds))))
    }

    /// The rows of a query inside an expression.
    pub fn inner_rows(
        &mut self,
        query: &Query,
        tuple: &Tuple,
        limit: Option<u64>,
    ) -> Result<Rc<Vec<super::Row>>> {
        self.nested_rows(query, tuple, limit, query.once.is_none())
    }

    /// The same, where it is known whether the query may run again.
    pub fn nested_rows(
        &mut self,
        query: &Query,
        tuple: &Tuple,
        limit: Option<u64>,
        again: bool,
    ) -> Result<Rc<Vec<super::Row>>> {
        if let Some(known) = query.once.and_then(|once| self.once.get(&once)) {
            return Ok(Rc::clone(known));
        }
        self.outer.push(tuple.clone());
        self.again += usize::from(again);
        let rows = self.query(query, limit);
        self.again -= usize::from(again);
        self.outer.pop();
        let rows = Rc::new(rows?);
        if let Some(once) = query.once {
            self.once.insert(once, Rc::clone(&rows));
        }
        Ok(rows)
    }

    /// The rows of a query by their values, if it gives the same every time and values can be looked up.
    fn members(&mut self, query: &Query, tuple: &Tuple) -> Result<Option<Rc<Members>>> {
        let Some(once) = query.once else { return Ok(None) };
        if let Some(known) = self.members.get(&once) {
            return Ok(Some(Rc::clone(known)));
        }
        let rows = self.inner_rows(query, tuple, None)?;
        let mut members = Members::default();
        for row in rows.iter() {
            self.tick()?;
            let row: Vec<Datum> = row.iter().take(query.columns.len()).cloned().collect();
            match row.iter().any(Datum::is_null) {
                true => members.unknown.push(row),
                false => drop(members.known.insert(Grouped(row))),
            }
        }
        let members = Rc::new(members);
        self.members.insert(once, Rc::clone(&members));
        Ok(Some(members))
    }

    /// The one row of a scalar subquery, or NULL.
    fn scalar_row(&mut self, query: &Query, tuple: &Tuple) -> Result<Datum> {
        let rows = self.inner_rows(query, tuple, Some(2))?;
        let Some(row) = rows.first() else { return Ok(Datum::Null) };
        if rows.len() > 1 {
            return Err(Problem::SeveralRows.into());
        }
        Ok(Datum::Record(row.clone().into()))
    }

    fn any_query(
        &mut self,
        left: &[Expr],
        query: &Query,
        functions: &[&'static Function],
        op: &str,
        all: bool,
        tuple: &Tuple,
    ) -> Result<Datum> {
        let mut values = Vec::with_capacity(left.len());
        for left in left {
            values.push(self.eval(left, tuple)?);
        }
        let (pairs, dialect) = (left.iter().zip(&query.columns), self.dialect());
        let alike = pairs.into_iter().all(|(left, column)| hashable(left.ty, column.ty, dialect));
        let mut rows = None;
        if op == "="
            && !all
            && alike
            && !values.iter().any(Datum::is_null)
            && let Some(members) = self.members(query, tuple)?
        {
            let key = Grouped(values);
            if members.known.contains(&key) {
                return Ok(Datum::Bool(true));
            }
            values = key.0;
            rows = Some(members.unknown.clone());
        }
        let rows = match rows {
            Some(rows) => Rc::new(rows),
            None => self.inner_rows(query, tuple, None)?,
        };
        let mut unknown = false;
        for row in rows.iter() {
            // Of several columns, `=` wants all equal and `<>` any different.
            let mut found = Some(op != "<>" || left.len() == 1);
            for (at, item) in row.iter().cloned().enumerate().take(left.len()) {
                let types = [left[at].ty, query.columns[at].ty];
                let truth = self.truth(functions[at], [values[at].clone(), item], types)?;
                found = match (left.len(), op) {
                    (1, _) => truth,
                    (_, "<>") => or(found, truth),
                    _ => and(found, truth),
                };
            }
            match found {
                Some(truth) if truth != all => return Ok(Datum::Bool(truth)),
                Some(_) => {}
                None => unknown = true,
            }
        }
        Ok(if unknown { Datum::Null } else { Datum::Bool(all) })
    }
}

fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn or(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    and(a.map(|a| !a), b.map(|b| !b)).map(|both| !both)
}

/// The part of an array between bounds; what is outside it is left out, and it begins at 1.
fn slice(array: &Array, bounds: &[(i32, i32)]) -> Array {
    let empty = || Array { element: array.element, dims: Vec::new(), items: Vec::new() };
    if bounds.len() > array.dims.len() {
        return empty();
    }
    let mut ranges = Vec::with_capacity(array.dims.len());
    for (at, &(length, lower)) in array.dims.iter().enumerate() {
        let last = i64::from(lower) + length as i64 - 1;
        let (low, high) = bounds.get(at).map_or((i64::from(lower), last), |&(low, high)| {
            (i64::from(low).max(i64::from(lower)), i64::from(high).min(last))
        });
        if low > high {
            return empty();
        }
        ranges.push((low, high));
    }
    let mut items = Vec::new();
    let mut place: Vec<i64> = ranges.iter().map(|&(low, _)| low).collect();
    loop {
        items.push(array.get(&place).cloned().unwrap_or(Datum::Null));
        let Some(at) = (0..place.len()).rev().find(|&at| place[at] < ranges[at].1) else { break };
        place[at] += 1;
        for later in at + 1..place.len() {
            place[later] = ranges[later].0;
        }
    }
    let dims = ranges.iter().map(|&(low, high)| ((high - low + 1) as usize, 1)).collect();
    Array { element: array.element, dims, items }
}

/// Arrays as the items of one with one more dimension.
fn nest(items: Vec<Datum>, element: TypeId) -> Result<Datum> {
    let mut dims: Option<Vec<(usize, i32)>> = None;
    let mut all = Vec::new();
    let count = items.len();
    for item in items {
        let Datum::Array(array) = item else { return Err(Problem::ArrayShapes.into()) };
        if *dims.get_or_insert_with(|| array.dims.clone()) != array.dims {
            return Err(Problem::ArrayShapes.into());
        }
        Array::check_dimensions(array.dims.len() + 1)?;
        all.extend(array.items.iter().cloned());
    }
    let mut dims = dims.unwrap_or_default();
    if all.is_empty() {
        dims.clear();
    } else {
        dims.insert(0, (count, 1));
    }
    Ok(Datum::Array(Arc::new(Array { element, dims, items: all })))
}
