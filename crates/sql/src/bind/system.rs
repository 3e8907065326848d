//! The columns that every table has: `ctid`, `xmin`, `xmax`, `tableoid`.
//!
//! They are columns of a source like others, with numbers that no column of a table has. What they hold is
//! found when it is asked for: [`execute::system`](crate::execute).

use super::Binder;
use super::expr::{ColumnRef, Expr, Kind};
use super::names::FoundColumn;
use super::scope::Scope;
use crate::catalog::pg;
use crate::error::{Binding, Result, SqlError};
use crate::types::{Datum, PgType, TypeId};

/// The number of the first of them; tables have fewer columns.
const FIRST: usize = 1 << 20;

/// A column that every table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    /// Where the row is.
    Ctid,
    /// Who wrote it.
    Xmin,
    /// Who has locked it, or 0.
    Xmax,
    /// The table.
    Tableoid,
}

impl System {
    const ALL: [System; 4] = [System::Ctid, System::Xmin, System::Xmax, System::Tableoid];

    /// The one of a column's number.
    pub(crate) fn of(column: usize) -> Option<System> {
        System::ALL.into_iter().find(|system| system.column() == column)
    }

    pub(crate) fn column(self) -> usize {
        FIRST + usize::from(self.number().unsigned_abs())
    }

    /// Its number in `pg_attribute`.
    fn number(self) -> i16 {
        match self {
            System::Ctid => -1,
            System::Xmin => -2,
            System::Xmax => -4,
            System::Tableoid => -6,
        }
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            System::Ctid => "ctid",
            System::Xmin => "xmin",
            System::Xmax => "xmax",
            System::Tableoid => "tableoid",
        }
    }

    fn ty(self) -> TypeId {
        match self {
            System::Ctid => TypeId::TID,
            System::Xmin | System::Xmax => TypeId::XID,
            System::Tableoid => TypeId::OID,
        }
    }
}

/// The names of all of them, also of those that count commands, which are not kept.
pub(crate) const NAMES: [&str; 6] = ["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"];

impl Binder<'_> {
    /// A system column of a query so far out, without a qualifier.
    pub(super) fn system_column(
        &self,
        scope: &Scope,
        depth: usize,
        name: &str,
    ) -> Result<Option<FoundColumn>> {
        if !NAMES.contains(&name) {
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

    /// A system column of one source.
    pub(super) fn system_of(
        &self,
        scope: &Scope,
        depth: usize,
        place: usize,
        name: &str,
    ) -> Result<Option<FoundColumn>> {
        let source = &scope.sources[place];
        let system = System::ALL.into_iter().find(|system| system.name() == name);
        if let Some(table) = &source.table {
            let Some(system) = system else {
                return match NAMES.contains(&name) {
                    true => Err(SqlError::unsupported(format!("the system column {name}"))),
                    false => Ok(None),
                };
            };
            let kind = Kind::Column(ColumnRef { depth, source: place, column: system.column() });
            let expr = Expr::new(kind, system.ty());
            return Ok(Some(FoundColumn { expr, origin: (table.oid, system.number()) }));
        }
        let catalogue = source.row_type.and_then(pg::by_row_type).filter(|table| !table.view);
        let (Some(catalogue), Some(system)) = (catalogue, system) else { return Ok(None) };
        let value = match system {
            System::Tableoid => i64::from(catalogue.oid),
            // What is there from the beginning.
            System::Xmin => 1,
            System::Xmax => 0,
            System::Ctid => return Ok(None),
        };
        // NULL where an outer join found no row.
        let missing = Kind::IsNull(Box::new(self.whole_row(depth, place)), false);
        let otherwise = Expr::constant(Datum::Int(value), system.ty());
        let null = Expr::constant(Datum::Null, system.ty());
        let whens = vec![(Expr::new(missing, TypeId::BOOL), null)];
        let kind = Kind::Case { whens, otherwise: Some(Box::new(otherwise)) };
        let origin = (catalogue.oid, system.number());
        Ok(Some(FoundColumn { expr: Expr::new(kind, system.ty()), origin }))
    }
}
