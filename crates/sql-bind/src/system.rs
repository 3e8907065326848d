//! The columns that every table has without declaring them, such as `ctid`.
//!
//! They are columns of a source like others, with numbers beyond those of any table's own. Their
//! values are not in the row; the executor finds them when they are asked for.

use super::Binder;
use super::bound::{ColumnRef, Expr, Kind};
use super::columns::FoundColumn;
use super::scope::Scope;
use hobgoblin_sql_schema::Dialect;
use hobgoblin_sql_schema::dialect::{Held, SystemColumn};
use hobgoblin_sql_schema::{Binding, Result, SqlError};
use hobgoblin_sql_value::{Datum, TypeId};

/// The number of the first of them, which no column of a table reaches.
const FIRST: usize = 1 << 20;

/// The number of the column that holds this.
pub fn column_of(held: Held) -> usize {
    FIRST
        + match held {
            Held::Place => 1,
            Held::Writer => 2,
            Held::Locker => 3,
            Held::Table => 4,
        }
}

/// What the column with this number holds, if it is one of these.
pub fn held_in(column: usize) -> Option<Held> {
    let all = [Held::Place, Held::Writer, Held::Locker, Held::Table];
    all.into_iter().find(|held| column_of(*held) == column)
}

/// The column of a dialect that holds this, if it has one.
pub fn column_that(holds: Held, dialect: &dyn Dialect) -> Option<&'static SystemColumn> {
    dialect.system_columns().iter().find(|column| column.holds == Some(holds))
}

impl Binder<'_> {
    /// The system column that a bare name means, in the query so many queries out.
    pub(super) fn system_column(
        &self,
        scope: &Scope,
        depth: usize,
        name: &str,
    ) -> Result<Option<FoundColumn>> {
        if !self.dialect().system_columns().iter().any(|column| column.name == name) {
            return Ok(None);
        }
        let mut found = None;
        let named = |place: usize| scope.sources[place].visible && !scope.joined.contains(&place);
        for place in (0..scope.sources.len()).filter(|&place| named(place)) {
            if let Some(column) = self.system_of(scope, depth, place, name)? {
                if found.is_some() {
                    return Err(Binding::AmbiguousColumn(name.to_owned()).into());
                }
                found = Some(column);
            }
        }
        Ok(found)
    }

    /// The system column of this name, of one source.
    pub(super) fn system_of(
        &self,
        scope: &Scope,
        depth: usize,
        place: usize,
        name: &str,
    ) -> Result<Option<FoundColumn>> {
        let source = &scope.sources[place];
        let named = self.dialect().system_columns().iter().find(|column| column.name == name);
        let Some(system) = named else { return Ok(None) };
        if let Some(table) = &source.table {
            let Some(holds) = system.holds else {
                return Err(SqlError::unsupported(format!("the system column {name}")));
            };
            let kind = Kind::Column(ColumnRef { depth, source: place, column: column_of(holds) });
            let expr = Expr::new(kind, system.ty);
            return Ok(Some(FoundColumn { expr, origin: (table.oid, system.number) }));
        }
        let catalogue = source.row_type.and_then(|row| self.dialect().system_row(row));
        let Some(catalogue) = catalogue.filter(|table| !table.view) else { return Ok(None) };
        let value = match system.holds {
            Some(Held::Table) => i64::from(catalogue.oid),
            // What is there from the beginning.
            Some(Held::Writer) => 1,
            Some(Held::Locker) => 0,
            Some(Held::Place) | None => return Ok(None),
        };
        // NULL where an outer join found no row.
        let missing = Kind::IsNull(Box::new(self.whole_row(depth, place)), false);
        let otherwise = Expr::constant(Datum::Int(value), system.ty);
        let null = Expr::constant(Datum::Null, system.ty);
        let whens = vec![(Expr::new(missing, TypeId::BOOLEAN), null)];
        let kind = Kind::Case { whens, otherwise: Some(Box::new(otherwise)) };
        let origin = (catalogue.oid, system.number);
        Ok(Some(FoundColumn { expr: Expr::new(kind, system.ty), origin }))
    }
}
