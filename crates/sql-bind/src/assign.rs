//! What columns are given: SET, DEFAULT, elements of arrays.
//!
//! A statement may assign to a whole column, or to elements and slices of one, several times. In
//! the end each column has one new value: `SET xs[1] = 5, xs[2] = 6` becomes a single assignment to
//! `xs`, an array with two elements replaced one after the other ([`Kind::Assign`]).

use std::sync::Arc;

use hobgoblin_sql_schema::dialect::{ColumnPlace, Subscripted};
use sqlparser::ast::{self, Assignment, AssignmentTarget};

use super::Binder;
use super::bound::{ColumnRef, Expr, Kind, OutputColumn, Subscript};
use super::target::{Target, Verb};
use super::visit::read;
use hobgoblin_sql_schema::catalog::{Identity, Table};
use hobgoblin_sql_schema::syntax::Overriding;
use hobgoblin_sql_schema::{Binding, Result, SqlError};
use hobgoblin_sql_value::{Datum, TypeId};

/// What is assigned to: a column, or an element or slice of a column.
pub(super) struct Place {
    /// The place of the column among those that the statement can name, which for a view are the
    /// view's.
    pub(super) position: usize,
    /// The number less one of the column in the table.
    pub(super) column: usize,
    subscripts: Vec<Subscript>,
}

impl Place {
    /// The whole column at a position; [`Self::at`] says which column of the table that is.
    pub(super) fn whole(position: usize) -> Place {
        Place { position, column: position, subscripts: Vec::new() }
    }

    /// The same, with this as the column of the table.
    pub(super) fn at(&self, column: usize) -> Place {
        Place { position: self.position, column, subscripts: self.subscripts.clone() }
    }

    /// Whether an element or slice is assigned to, not the whole column.
    pub(super) fn is_part(&self) -> bool {
        !self.subscripts.is_empty()
    }
}

/// Columns of a table by number less one, and their new values; `None` is DEFAULT.
pub(super) type Sets = Vec<(usize, Option<Expr>)>;

impl Binder<'_> {
    /// What a name on the left of an assignment stands for, with its subscripts.
    pub(super) fn place(
        &mut self,
        target: &Target,
        name: &ast::ObjectName,
        verb: Verb,
    ) -> Result<Place> {
        let ident = name.0.last().and_then(|part| part.as_ident());
        let subscripts = ident.map(|ident| self.clauses.subscripts(ident).to_vec());
        let subscripts = subscripts.unwrap_or_default();
        let (first, name) = self.dialect().split_name(name)?;
        if let Some(first) = first.filter(|_| !self.rules.stores) {
            // `SET column.field`: the first name is a column's.
            target.position(&first, self.dialect())?;
            return Err(SqlError::unsupported("assigning to a field of a column"));
        }
        let clause = if verb == Verb::Insert { "INSERT INTO" } else { "SET" };
        let position =
            target.position(&name, self.dialect()).map_err(|error| error.within(clause))?;
        let column = target.column(position, verb)?;
        let ty = target.table.columns[column].ty;
        let parts = self.dialect().subscripted(ty);
        if !subscripts.is_empty() && !matches!(parts, None | Some(Subscripted::Letters(_))) {
            let text = format!("assigning to an element of {}", self.type_name(ty));
            return Err(SqlError::unsupported(text));
        }
        if !subscripts.is_empty() && self.element_of(ty).is_none() {
            return Err(Binding::NotSubscriptable(self.type_name(ty)).into());
        }
        let subscripts: Result<Vec<Subscript>> =
            subscripts.iter().map(|subscript| self.subscript(subscript)).collect();
        Ok(Place { position, column, subscripts: subscripts? })
    }

    /// The type of the values that can be assigned there.
    pub(super) fn place_type(&self, table: &Table, place: &Place) -> TypeId {
        let ty = table.columns[place.column].ty;
        let sliced = place.subscripts.iter().any(|s| matches!(s, Subscript::Slice(..)));
        match place.is_part() && !sliced {
            true => self.element_of(ty).unwrap_or(ty),
            false => ty,
        }
    }

    /// Converts a value to the type of the column, element or slice that it is assigned to.
    pub(super) fn fit(&mut self, table: &Table, place: &Place, value: Expr) -> Result<Expr> {
        let column = &table.columns[place.column];
        if self.rules.stores {
            return Ok(stored(value, table, place.column));
        }
        if place.subscripts.is_empty() {
            return self.assign(value, column.ty, column.typmod, &column.name);
        }
        let ty = self.place_type(table, place);
        let given = self.type_name(value.ty);
        self.assign(value, ty, column.typmod, &column.name).map_err(|error| match error.binding() {
            Some(Binding::ColumnType { .. }) => {
                let (column, wanted) = (column.name.clone(), self.type_name(ty));
                Binding::ElementType { column, wanted, given }.into()
            }
            _ => error,
        })
    }

    /// Adds an assignment to those before it. `old` gives the value that a column has before the
    /// statement, of which an element may be replaced.
    pub(super) fn give(
        &self,
        table: &Table,
        place: Place,
        value: Option<Expr>,
        sets: &mut Sets,
        old: impl FnOnce(&Place) -> Expr,
    ) -> Result<()> {
        let known = sets.iter().position(|(column, _)| *column == place.column);
        if place.subscripts.is_empty() {
            if known.is_some() && !self.rules.sets_in_order {
                return Err(twice(table, &place));
            }
            sets.push((place.column, value));
            return Ok(());
        }
        let Some(value) = value else {
            return Err(Binding::DefaultForElement.into());
        };
        // Elements of one column are assigned one after the other.
        let array = match known {
            None => old(&place),
            Some(at) => match sets[at].1.take() {
                Some(array) if matches!(array.kind, Kind::Assign { .. }) => array,
                _ => return Err(twice(table, &place)),
            },
        };
        let (ty, typmod) = (array.ty, array.typmod);
        let kind = Kind::Assign {
            array: Box::new(array),
            subscripts: place.subscripts,
            value: Box::new(value),
        };
        let expr = Some(Expr { kind, ty, typmod });
        match known {
            Some(at) => sets[at].1 = expr,
            None => sets.push((place.column, expr)),
        }
        Ok(())
    }

    /// Binds SET. The row to change is at the first of these sources.
    pub(super) fn assignments(
        &mut self,
        assignments: &[Assignment],
        target: &Target,
        sources: &[usize],
    ) -> Result<Sets> {
        let mut given: Vec<(Place, Option<Expr>)> = Vec::new();
        for assignment in assignments {
            match &assignment.target {
                AssignmentTarget::ColumnName(name) => {
                    let place = self.place(target, name, Verb::Update)?;
                    let value = self.set_value(&assignment.value, target, &place)?;
                    given.push((place, value));
                }
                AssignmentTarget::Tuple(names) => {
                    let mut places = Vec::new();
                    for name in names {
                        places.push(self.place(target, name, Verb::Update)?);
                    }
                    self.set_tuple(places, &assignment.value, target, &mut given)?;
                }
            }
        }
        let mut sets = Sets::new();
        let table = &target.table;
        for (place, value) in given {
            self.give(table, place, value, &mut sets, |place| {
                let column = &table.columns[place.column];
                let kind = ColumnRef { depth: 0, source: sources[0], column: place.position };
                Expr { kind: Kind::Column(kind), ty: column.ty, typmod: column.typmod }
            })?;
        }
        if self.rules.stores {
            // A generated column may be given its default, which it has anyway.
            sets.retain(|(column, _)| !table.columns[*column].generated);
        }
        for (_, value) in &mut sets {
            value.iter_mut().for_each(|value| target.lower(value, sources));
        }
        Ok(sets)
    }

    fn set_value(
        &mut self,
        value: &ast::Expr,
        target: &Target,
        place: &Place,
    ) -> Result<Option<Expr>> {
        if is_default(value) {
            // A column of a view has no default.
            return Ok(target.is_view().then(|| empty(&target.table, place)));
        }
        writable(&target.table, place.column, false)?;
        let expr = self.expression(value).map_err(|error| error.within("SET"))?;
        self.fit(&target.table, place, expr).map(Some)
    }

    fn set_tuple(
        &mut self,
        places: Vec<Place>,
        value: &ast::Expr,
        target: &Target,
        given: &mut Vec<(Place, Option<Expr>)>,
    ) -> Result<()> {
        let mismatch = || SqlError::syntax("number of columns does not match number of values");
        let fields: Vec<ast::Expr> = match value {
            ast::Expr::Tuple(fields) => fields.clone(),
            ast::Expr::Nested(inner) if places.len() == 1 => vec![(**inner).clone()],
            ast::Expr::Subquery(query) => {
                // One query for all columns: each takes its field of the row it gives.
                let query = self.subquery(query)?;
                if query.columns.len() != places.len() {
                    return Err(mismatch());
                }
                for (field, place) in places.into_iter().enumerate() {
                    let OutputColumn { ty, typmod, .. } = query.columns[field];
                    let row = Kind::Scalar(Box::new(query.clone()));
                    let row = Expr::new(row, TypeId::ROW);
                    let expr = Expr { kind: Kind::Field(Box::new(row), field), ty, typmod };
                    let expr = self.fit(&target.table, &place, expr)?;
                    given.push((place, Some(expr)));
                }
                return Ok(());
            }
            ast::Expr::Function(function)
                if function.name.to_string().eq_ignore_ascii_case("row") =>
            {
                let ast::FunctionArguments::List(list) = &function.args else {
                    return Err(SqlError::syntax("ROW needs its fields"));
                };
                let fields = list.args.iter().filter_map(|arg| match arg {
                    ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(expr)) => {
                        Some(expr.clone())
                    }
                    _ => None,
                });
                fields.collect()
            }
            _ => return Err(Binding::NoRowToAssign.into()),
        };
        if fields.len() != places.len() {
            return Err(mismatch());
        }
        for (field, place) in fields.iter().zip(places) {
            let value = self.set_value(field, target, &place)?;
            given.push((place, value));
        }
        Ok(())
    }
}

/// Lets the dialect make a value fit its column, if it has rules for that.
pub(super) fn stored(value: Expr, table: &Table, at: usize) -> Expr {
    let column = &table.columns[at];
    if value.ty == column.ty && !column.not_null {
        return value;
    }
    let place = ColumnPlace {
        column: column.name.clone(),
        table: table.name.clone(),
        schema: table.schema.clone(),
        ty: column.ty,
        not_null: column.not_null && column.identity.is_none(),
    };
    let kind = Kind::Stored { expr: Box::new(value), place: Arc::new(place) };
    Expr { kind, ty: column.ty, typmod: column.typmod }
}

/// Whether an assignment reads or sets a column that one before it has set.
pub(super) fn reads_earlier(sets: &Sets, source: usize) -> bool {
    let reads = |expr: &Expr, columns: &[(usize, Option<Expr>)]| {
        let mut found = false;
        read::visit(expr, 0, &mut |expr, depth| {
            if let Kind::Column(column) = expr.kind {
                found |= (column.depth, column.source) == (depth, source)
                    && columns.iter().any(|(set, _)| *set == column.column);
            }
            !found
        });
        found
    };
    let again = |at: usize| sets[..at].iter().any(|(column, _)| *column == sets[at].0);
    (1..sets.len())
        .any(|at| again(at) || sets[at].1.as_ref().is_some_and(|expr| reads(expr, &sets[..at])))
}

fn twice(table: &Table, place: &Place) -> SqlError {
    let name = &table.columns[place.column].name;
    SqlError::syntax(format!("multiple assignments to same column \"{name}\""))
}

/// The value of an array column in a new row, before an element is assigned to it.
pub(super) fn empty(table: &Table, place: &Place) -> Expr {
    let column = &table.columns[place.column];
    Expr { kind: Kind::Const(Datum::Null), ty: column.ty, typmod: column.typmod }
}

/// Whether a value is written as the word DEFAULT.
pub(super) fn is_default(ast: &ast::Expr) -> bool {
    matches!(ast, ast::Expr::Identifier(ident)
        if ident.quote_style.is_none() && ident.value.eq_ignore_ascii_case("default"))
}

/// Whether a column takes a value of its own instead of the one that an INSERT gives it.
pub(super) fn overridden(table: &Table, at: usize, overriding: Option<Overriding>) -> bool {
    table.columns[at].identity.is_some() && overriding == Some(Overriding::User)
}

/// Fails if an INSERT may not give the column a value.
pub(super) fn insertable(table: &Table, at: usize, overriding: Option<Overriding>) -> Result<()> {
    match (table.columns[at].identity, overriding) {
        (Some(_), Some(_)) => Ok(()),
        _ => writable(table, at, true),
    }
}

/// Fails if a statement may not give the column a value other than DEFAULT.
pub(super) fn writable(table: &Table, at: usize, insert: bool) -> Result<()> {
    let column = &table.columns[at];
    let refused = |identity| {
        let (table, column) = (table.name.clone(), column.name.clone());
        Err(Binding::ComputedColumn { table, column, insert, identity }.into())
    };
    if column.generated {
        return refused(false);
    }
    if column.identity == Some(Identity::Always) {
        return refused(true);
    }
    Ok(())
}
