//! Finding columns by name.
//!
//! A bare name is looked for in the innermost query first: among the columns that can be named
//! there, and then as a system column. Only if there is none does the search go one query out. So a
//! column of a subquery hides one of the same name outside. Two in one query are ambiguous, even if
//! a query further out has just one.

use sqlparser::ast::Ident;

use super::bound::{ColumnRef, Expr, Kind};
use super::scope::{Clause, NamedColumn, SourceColumn};
use super::visit::visit;
use super::{Binder, Scope};
use hobgoblin_sql_schema::catalog::same_name;
use hobgoblin_sql_schema::shape::Field;
use hobgoblin_sql_schema::{Binding, Result, SqlError};
use hobgoblin_sql_value::{Oid, TypeId};

/// A column that a name has led to, and what clients are told about where it is from.
pub(super) struct FoundColumn {
    pub(super) expr: Expr,
    pub(super) origin: (Oid, i16),
}

impl Binder<'_> {
    /// Finds the column that a bare name means.
    pub(super) fn column(&mut self, ident: &Ident) -> Result<FoundColumn> {
        let name = self.fold(ident);
        let at = position(ident);
        let caseless = self.rules.caseless_columns;
        for (depth, scope) in self.scopes.iter().rev().enumerate() {
            if depth > 0 && scope.opaque {
                continue;
            }
            let having = scope.clause == Clause::Having && self.rules.output_names;
            let named = if having { &scope.outputs } else { &scope.columns };
            let same = |column: &&NamedColumn| same_name(&column.name, &name, caseless);
            let mut found = named.iter().filter(same);
            if let Some(column) = found.next() {
                if !having && found.next().is_some() {
                    return Err(self.unfound(Binding::AmbiguousColumn(name).into(), at));
                }
                if let Kind::Column(column) = &column.expr.kind {
                    not_apart(scope, column.source)?;
                }
                let expr = deepen(column.expr.clone(), depth);
                return Ok(FoundColumn { expr, origin: column.origin });
            }
            if let Some(column) = scope.outputs.iter().find(same) {
                let expr = deepen(column.expr.clone(), depth);
                return Ok(FoundColumn { expr, origin: column.origin });
            }
            if let Some(found) =
                self.system_column(scope, depth, &name).map_err(|error| place(error, at))?
            {
                return Ok(found);
            }
        }
        // The name of a source is its whole row.
        if !self.rules.output_names
            && let Some((depth, source)) = self.source_named(None, &name)
        {
            return Ok(FoundColumn { expr: self.whole_row(depth, source), origin: (0, 0) });
        }
        Err(self.unfound(Binding::NoColumn(name).into(), at))
    }

    /// The error that a name finds nothing, with the place of the name and the clause it stands in.
    fn unfound(&self, error: SqlError, at: Option<(u64, u64)>) -> SqlError {
        let clause = match self.clause() {
            Clause::Having => "HAVING",
            Clause::Where => "WHERE",
            Clause::On => "ON",
            Clause::GroupBy => "GROUP BY",
            Clause::From => "FROM",
            Clause::Select
            | Clause::Aggregate
            | Clause::Window
            | Clause::Values
            | Clause::Plain
            | Clause::Limit => return place(error, at),
        };
        place(error, at).within(clause)
    }

    /// The row of a source as one value.
    pub(super) fn whole_row(&self, depth: usize, source: usize) -> Expr {
        let scope = &self.scopes[self.scopes.len() - 1 - depth];
        let found = &scope.sources[source];
        if found.scalar {
            return found.columns[0].expr(depth, source, 0);
        }
        let kind = Kind::WholeRow { depth, source };
        match found.row_type {
            Some(ty) => Expr::new(kind, TypeId(ty)),
            None => {
                let columns = found.columns.iter().filter(|column| !column.hidden);
                let fields = columns.map(|column| Field {
                    name: column.name.clone(),
                    ty: column.ty,
                    typmod: column.typmod,
                });
                let typmod = self.catalog.shapes.register(fields.collect());
                Expr { kind, ty: TypeId::ROW, typmod }
            }
        }
    }

    /// Finds the column that a qualified name means: `source.column` or `schema.source.column`.
    pub(super) fn qualified(&mut self, parts: &[Ident]) -> Result<FoundColumn> {
        let names: Vec<String> = parts.iter().map(|part| self.fold(part)).collect();
        let (schema, table, column) = match names.as_slice() {
            [table, column] => (None, table, column),
            [schema, table, column] | [_, schema, table, column] => (Some(schema), table, column),
            _ => {
                let text =
                    format!("improper qualified name (too many dotted names): {}", names.join("."));
                return Err(SqlError::syntax(text));
            }
        };
        let at = parts.first().and_then(position);
        let Some((depth, source)) = self.source_named(schema.map(String::as_str), table) else {
            let (schema, name) = (schema.cloned(), table.clone());
            let column = Some(column.clone());
            return Err(self.unfound(Binding::NoSource { schema, name, column }.into(), at));
        };
        let scope = &self.scopes[self.scopes.len() - 1 - depth];
        not_apart(scope, source)?;
        let found = &scope.sources[source];
        let caseless = self.rules.caseless_columns;
        let wanted = |c: &SourceColumn| !c.hidden && same_name(&c.name, column, caseless);
        let mut same = found.columns.iter().enumerate().filter(|(_, c)| wanted(c));
        let Some((number, info)) = same.next() else {
            if let Some(found) = self.system_of(scope, depth, source, column)? {
                return Ok(found);
            }
            let (source, column) = (table.clone(), column.clone());
            return Err(self.unfound(Binding::NoColumnOfSource { source, column }.into(), at));
        };
        if same.next().is_some() {
            return Err(place(Binding::AmbiguousColumn(column.clone()).into(), at));
        }
        Ok(FoundColumn { expr: info.expr(depth, source, number), origin: info.origin })
    }

    /// The source that a name means: how many queries out it is, and its place there.
    pub(super) fn source_named(&self, schema: Option<&str>, name: &str) -> Option<(usize, usize)> {
        for (depth, scope) in self.scopes.iter().rev().enumerate() {
            if depth > 0 && scope.opaque {
                continue;
            }
            if let Some(source) = find_source(scope, schema, name) {
                return Some((depth, source));
            }
        }
        None
    }
}

fn find_source(scope: &Scope, schema: Option<&str>, name: &str) -> Option<usize> {
    scope.sources.iter().position(|source| {
        source.visible
            && source.alias == name
            && schema.is_none_or(|schema| source.schema.as_deref() == Some(schema))
    })
}

/// Fails if the source is on the left of a RIGHT or FULL JOIN whose right side is being bound.
fn not_apart(scope: &Scope, source: usize) -> Result<()> {
    if !scope.apart.contains(&source) {
        return Ok(());
    }
    Err(Binding::NotLateral(scope.sources[source].alias.clone()).into())
}

/// An expression over a scope, as an expression so many queries further in has it.
pub(super) fn deepen(mut expr: Expr, by: usize) -> Expr {
    if by > 0 {
        visit(&mut expr, 0, &mut |expr, at| {
            match &mut expr.kind {
                Kind::Column(ColumnRef { depth, .. }) | Kind::WholeRow { depth, .. }
                    if *depth >= at =>
                {
                    *depth += by;
                }
                _ => {}
            }
            true
        });
    }
    expr
}

/// The line and column of an identifier in the text, if it is on the first line.
pub(super) fn position(ident: &Ident) -> Option<(u64, u64)> {
    let start = ident.span.start;
    (start.line > 0).then_some((start.line, start.column))
}

/// Notes the place of an error as a line and column. The session, which has the text, makes an
/// offset of it.
pub(super) fn place(error: SqlError, at: Option<(u64, u64)>) -> SqlError {
    match at {
        Some((1, column)) => error.at(column as u32),
        _ => error,
    }
}
