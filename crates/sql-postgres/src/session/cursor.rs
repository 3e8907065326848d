//! Cursors: DECLARE, FETCH, MOVE, CLOSE.
//!
//! A cursor sees the data as it was when the cursor was declared, so the query runs to its end at
//! DECLARE and the rows are kept. FETCH and MOVE then only change the place among them. For WHERE
//! CURRENT OF a cursor over one table also keeps the place of each row in the table.

use std::sync::Arc;

use sqlparser::ast::{self, FetchDirection, Value};

use super::core::Core;
use super::outcome::{Done, Outcome};
use super::plan::{Cursor, Plan, Portal, Prepared};
use crate::bind::bound::{
    Body, ColumnRef, Distinct, Expr, From, ItemKind, Kind, OutputColumn, Query,
};
use crate::bind::system::column_of;
use crate::catalog::names::fold;
use crate::error::{Code, Result, SqlError, SqlState};
use crate::execute::{Exec, Row};
use crate::parse::Statement;
use crate::types::{Datum, Oid, PgType, TypeId};
use hobgoblin_sql_schema::dialect::Held;

impl Core {
    pub(super) fn declare(
        &mut self,
        declare: &ast::Declare,
        statement: &Statement,
    ) -> Result<Outcome> {
        let (Some(name), Some(query)) = (declare.names.first(), &declare.for_query) else {
            return Err(SqlError::syntax("DECLARE needs a name and a query"));
        };
        let name = fold(name);
        let hold = declare.hold == Some(true);
        if !self.transaction.block && !hold {
            let text = "DECLARE CURSOR can only be used in transaction blocks";
            return Err(SqlError::new(SqlState::NO_ACTIVE_SQL_TRANSACTION, text));
        }
        if self.portals.contains_key(&name) {
            let text = format!("cursor \"{name}\" already exists");
            return Err(SqlError::new(SqlState::DUPLICATE_CURSOR, text));
        }
        let inner = statement.part(ast::Statement::Query(query.clone()));
        let mut prepared = self.bound(&inner)?;
        let locks = matches!(&prepared.plan, Plan::Query(query) if !query.locks.is_empty());
        if locks && (hold || declare.scroll == Some(true)) {
            let what = if hold { "WITH HOLD" } else { "SCROLL" };
            let text = format!("DECLARE {what} CURSOR ... FOR UPDATE is not supported");
            return Err(SqlError::new(SqlState::FEATURE_NOT_SUPPORTED, text));
        }
        let table = match &mut prepared.plan {
            Plan::Query(query) => add_place(query),
            _ => None,
        };
        let mut portal = Portal::new(Arc::new(prepared), Vec::new());
        portal.cursor = Some(Cursor { hold, scroll: declare.scroll.unwrap_or(!locks) });
        // A cursor sees the data as of its declaration.
        let mut rows = self.cursor_rows(&portal.prepared)?;
        if let Some(table) = table {
            let places = rows.iter_mut().map(|row| row.pop().unwrap_or(Datum::Null)).collect();
            portal.places = Some((table, places));
        }
        portal.all = Some((rows, 0));
        self.portals.insert(name, portal);
        Ok(Outcome::Done(Done::verb("DECLARE CURSOR")))
    }

    fn cursor_rows(&mut self, prepared: &Prepared) -> Result<Vec<Row>> {
        let Plan::Query(query) = &prepared.plan else {
            return Err(SqlError::syntax("a cursor needs a query"));
        };
        Exec::new(self, &[]).query(query, None)
    }

    fn cursor(&mut self, name: &str) -> Result<&mut Portal> {
        self.portals.get_mut(name).filter(|portal| portal.all.is_some()).ok_or_else(|| {
            let text = format!("cursor \"{name}\" does not exist");
            SqlError::new(SqlState::INVALID_CURSOR_NAME, text)
        })
    }

    /// Gives the next rows of a cursor, at most so many; `None` is all.
    pub(super) fn fetch_forward(&mut self, name: &str, count: Option<usize>) -> Result<Outcome> {
        let portal = self.cursor(name)?;
        let Some((rows, at)) = &mut portal.all else { return Ok(Outcome::Empty) };
        let start = (*at).min(rows.len());
        let end = count.map_or(rows.len(), |count| start.saturating_add(count).min(rows.len()));
        let given = rows[start..end].to_vec();
        // Past the last row there is one more place.
        *at =
            if count.is_none_or(|count| start + count > rows.len()) { rows.len() + 1 } else { end };
        let complete = Some(Done::rows("FETCH", given.len() as u64));
        Ok(Outcome::Rows { rows: given, complete })
    }

    pub(super) fn fetch(
        &mut self,
        name: &ast::Ident,
        direction: &FetchDirection,
    ) -> Result<Outcome> {
        let name = fold(name);
        let number = |limit: &ast::ValueWithSpan| -> Result<i64> {
            match &limit.value {
                Value::Number(text, _) => text
                    .parse()
                    .map_err(|_| SqlError::syntax(format!("{text} is not a number of rows"))),
                other => Err(SqlError::syntax(format!("{other} is not a number of rows"))),
            }
        };
        let portal = self.cursor(&name)?;
        if portal.failed {
            let text = format!("portal \"{name}\" cannot be run");
            return Err(SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, text));
        }
        let scroll = portal.cursor.is_some_and(|cursor| cursor.scroll);
        let Some((rows, at)) = &mut portal.all else { return Ok(Outcome::Empty) };
        let last = rows.len() as i64;
        let here = *at as i64;
        // Places: 0 is before the first row, 1 is the first.
        let (step, absolute) = match direction {
            FetchDirection::Next | FetchDirection::Forward { limit: None } => (1, None),
            FetchDirection::Count { limit } | FetchDirection::Forward { limit: Some(limit) } => {
                (number(limit)?, None)
            }
            FetchDirection::All | FetchDirection::ForwardAll => (last - here + 1, None),
            FetchDirection::Prior | FetchDirection::Backward { limit: None } => (-1, None),
            FetchDirection::Backward { limit: Some(limit) } => (-number(limit)?, None),
            FetchDirection::BackwardAll => (-here, None),
            FetchDirection::First => (0, Some(1)),
            FetchDirection::Last => (0, Some(last)),
            FetchDirection::Absolute { limit } => {
                let place = number(limit)?;
                (0, Some(if place < 0 { last + 1 + place } else { place }))
            }
            FetchDirection::Relative { limit } => (0, Some(here + number(limit)?)),
        };
        let on_row = here > 0 && here <= last;
        let from_end = match direction {
            FetchDirection::Last => true,
            FetchDirection::Absolute { limit } => number(limit)? < 0,
            _ => false,
        };
        let again = match direction {
            FetchDirection::Relative { limit } => number(limit)? == 0 && on_row,
            _ => absolute.is_none() && step == 0 && on_row,
        };
        let back = step < 0
            || from_end
            || again
            || here > 0 && absolute.is_some_and(|place| place <= here)
            || matches!(direction, FetchDirection::BackwardAll);
        if back && !scroll {
            portal.failed = true;
            let text = "cursor can only scan forward";
            return Err(SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, text)
                .hint("Declare it with SCROLL option to enable backward scan."));
        }
        let row = |place: i64| rows.get(usize::try_from(place - 1).ok()?).cloned();
        let mut given = Vec::new();
        let place = match absolute {
            Some(place) => {
                given.extend(row(place));
                place
            }
            None if step == 0 => {
                given.extend(row(here));
                here
            }
            None => {
                let mut place = here;
                for _ in 0..step.abs() {
                    place += step.signum();
                    match row(place) {
                        Some(row) => given.push(row),
                        None => break,
                    }
                }
                place
            }
        };
        *at = usize::try_from(place.clamp(0, last + 1)).unwrap_or(0);
        let complete = Some(Done::rows("FETCH", given.len() as u64));
        Ok(Outcome::Rows { rows: given, complete })
    }

    /// The place of the row that a cursor over this table is at, for WHERE CURRENT OF.
    pub(crate) fn current_of(&self, name: &str, table: Oid) -> Result<Datum> {
        let portal = self.portals.get(name).filter(|portal| portal.all.is_some());
        let Some(portal) = portal else {
            let text = format!("cursor \"{name}\" does not exist");
            return Err(SqlError::new(SqlState::INVALID_CURSOR_NAME, text));
        };
        let invalid = |text: String| Err(SqlError::new(Code("24000"), text));
        if portal.kept {
            return invalid(format!("cursor \"{name}\" is held from a previous transaction"));
        }
        let (Some((of, places)), Some((_, at))) = (&portal.places, &portal.all) else {
            let table = self.catalog_ref().table(table).map_or("", |table| &table.name);
            return invalid(format!(
                "cursor \"{name}\" is not a simply updatable scan of table \"{table}\""
            ));
        };
        if *of != table {
            let table = self.catalog_ref().table(table).map_or("", |table| &table.name);
            return invalid(format!(
                "cursor \"{name}\" is not a simply updatable scan of table \"{table}\""
            ));
        }
        match at.checked_sub(1).and_then(|at| places.get(at)) {
            Some(place) => Ok(place.clone()),
            None => invalid(format!("cursor \"{name}\" is not positioned on a row")),
        }
    }

    pub(super) fn close_cursor(&mut self, cursor: &ast::CloseCursor) -> Result<Outcome> {
        match cursor {
            ast::CloseCursor::All => {
                self.portals.retain(|_, portal| portal.cursor.is_none());
                Ok(Outcome::Done(Done::verb("CLOSE CURSOR ALL")))
            }
            ast::CloseCursor::Specific { name } => {
                let name = fold(name);
                self.cursor(&name)?;
                self.portals.remove(&name);
                Ok(Outcome::Done(Done::verb("CLOSE CURSOR")))
            }
        }
    }
}

/// If a query is over one table, adds the places of its rows as another column, and returns the
/// table.
fn add_place(query: &mut Query) -> Option<Oid> {
    let visible = query.columns.len();
    let Body::Select(select) = &mut query.body else { return None };
    let plain = select.group.is_none()
        && select.windows.is_empty()
        && select.sets.is_empty()
        && select.distinct == Distinct::No
        && !query.with_ties;
    let (source, table) = only_table(&select.from).filter(|_| plain)?;
    let column = ColumnRef { depth: 0, source, column: column_of(Held::Place) };
    select.project.insert(visible, Expr::new(Kind::Column(column), TypeId::TID));
    for key in query.order.iter_mut().filter(|key| key.column >= visible) {
        key.column += 1;
    }
    let name = "ctid".to_owned();
    query.columns.push(OutputColumn { name, ty: TypeId::TID, typmod: -1, origin: (0, 0) });
    Some(table)
}

/// The source of a FROM that has just one, if it is a table: its place, and the table.
fn only_table(from: &From) -> Option<(usize, Oid)> {
    match from {
        From::Item(item) => match &item.kind {
            ItemKind::Table { table, .. } => Some((item.source, table.oid)),
            _ => None,
        },
        From::Product(parts) => match parts.as_slice() {
            [only] => only_table(only),
            _ => None,
        },
        From::Filter(inner, _) => only_table(inner),
        From::Nothing | From::Outer(_) => None,
    }
}
