//! COPY: rows in and out of tables and queries.

use std::sync::Arc;

use hobgoblin_front::Mode;
use sqlparser::ast::{self, CopySource, CopyTarget};

use super::Statement;
use super::copying::Copying;
use super::core::Core;
use super::outcome::{Done, Outcome};
use crate::bind::system::held_in;
use crate::bind::visit::visit;
use crate::bind::{Binder, Expr, Kind};
use crate::catalog::Table;
use crate::catalog::names::fold;
use crate::copy::{CopyColumn, CopyIn, CopyOptions, CopyOut};
use crate::error::{Result, SqlError, SqlState};
use crate::execute::{Exec, Row, Source};
use crate::session::plan::Plan;
use crate::types::Datum;

impl Core {
    pub(super) fn copy(&mut self, ast: &ast::Statement, written: &Statement) -> Result<Outcome> {
        let ast::Statement::Copy { source, to, target, options, legacy_options, .. } = ast else {
            return Err(SqlError::unsupported("this COPY"));
        };
        match target {
            CopyTarget::Stdin | CopyTarget::Stdout => {}
            CopyTarget::File { .. } | CopyTarget::Program { .. } => {
                return Err(SqlError::unsupported("COPY with a file or program on the server")
                    .hint("Use COPY … FROM STDIN or TO STDOUT, as psql's \\copy does."));
            }
        }
        let options = CopyOptions::new(options, legacy_options)?;
        match (source, to) {
            (CopySource::Table { table_name, columns }, false) => {
                self.writing()?;
                let table = self.table_locked(table_name, Mode::RowExclusive)?;
                let places = self.copy_columns(&table, columns)?;
                let described = places.iter().map(|&at| copy_column(&table, at)).collect();
                let copy = CopyIn::new(&table.name, described, options)?;
                let filter = written.clauses.filter();
                let filter = filter.map(|filter| self.copy_filter(&table, filter)).transpose()?;
                self.copying = Some(Copying { table, columns: places, filter, rows: 0 });
                Ok(Outcome::CopyIn(copy))
            }
            (CopySource::Query(_), false) => {
                Err(SqlError::syntax("COPY FROM takes a table, not a query"))
            }
            (CopySource::Table { table_name, columns }, true) => {
                let table = self.table_locked(table_name, Mode::AccessShare)?;
                let places = self.copy_columns(&table, columns)?;
                let described: Vec<CopyColumn> =
                    places.iter().map(|&at| copy_column(&table, at)).collect();
                let mut exec = Exec::new(self, &[]);
                let mut rows = Vec::new();
                for row in exec.fetch_all(&table)?.iter() {
                    let mut values = Vec::with_capacity(places.len());
                    for &at in &places {
                        values.push(exec.cell(row, at)?);
                    }
                    rows.push(values);
                }
                copy_out(described, rows, options)
            }
            (CopySource::Query(query), true) => {
                let statement = written.part(ast::Statement::Query(query.clone()));
                let prepared = self.bound(&statement)?;
                let Plan::Query(query) = &prepared.plan else {
                    return Err(SqlError::syntax("COPY TO takes a table or a query"));
                };
                let described: Vec<CopyColumn> = query
                    .columns
                    .iter()
                    .map(|column| CopyColumn {
                        name: column.name.clone(),
                        ty: column.ty,
                        typmod: column.typmod,
                    })
                    .collect();
                let rows = Exec::new(self, &[]).query(query, None)?;
                copy_out(described, rows, options)
            }
        }
    }

    /// WHERE, over a row of the table.
    fn copy_filter(&self, table: &Arc<Table>, filter: &ast::Expr) -> Result<Expr> {
        let scope = self.scope_ref();
        let mut binder = Binder::new(&scope.catalog, self.env(), &scope.path, Vec::new(), false);
        let bound = binder.row_expression(table, filter)?;
        let mut refused = None;
        visit(&mut bound.clone(), 0, &mut |expr, depth| {
            match expr.kind {
                _ if depth > 0 => refused = Some("a subquery"),
                Kind::Column(column) if held_in(column.column).is_some() => {
                    refused = Some("a system column");
                }
                Kind::Column(column) if table.columns[column.column].generated => {
                    refused = Some("a generated column");
                }
                _ => {}
            }
            true
        });
        match refused {
            Some(what) => {
                Err(SqlError::unsupported(format!("{what} in COPY FROM WHERE conditions")))
            }
            None => binder.condition(bound, "WHERE"),
        }
    }

    fn copy_columns(&self, table: &Table, names: &[ast::Ident]) -> Result<Vec<usize>> {
        if names.is_empty() {
            let live = table.columns.iter().enumerate();
            return Ok(live
                .filter(|(_, c)| !c.dropped && !c.generated)
                .map(|(at, _)| at)
                .collect());
        }
        let find = |name: &ast::Ident| {
            let name = fold(name);
            let found = table.columns.iter().position(|c| !c.dropped && c.name == name);
            found.ok_or_else(|| {
                let text =
                    format!("column \"{name}\" of relation \"{}\" does not exist", table.name);
                SqlError::new(SqlState::UNDEFINED_COLUMN, text)
            })
        };
        names.iter().map(find).collect()
    }

    pub(super) fn copy_data(&mut self, copy: &mut CopyIn, data: &[u8]) -> Result<()> {
        let rows = copy.decoder.push(data, &self.env())?;
        self.copy_rows(rows)
    }

    pub(super) fn copy_done(&mut self, mut copy: CopyIn) -> Result<Done> {
        let rows = copy.decoder.finish(&self.env())?;
        self.copy_rows(rows)?;
        let count = self.copying.take().map_or(0, |copying| copying.rows);
        Ok(Done::rows("COPY", count))
    }

    fn copy_rows(&mut self, rows: Vec<Row>) -> Result<()> {
        let Some(mut copying) = self.copying.take() else {
            return Err(SqlError::new(SqlState::PROTOCOL_VIOLATION, "no COPY is under way"));
        };
        let mut exec = Exec::new(self, &[]);
        for row in rows {
            let mut given = vec![None; copying.table.columns.len()];
            for (value, &at) in row.into_iter().zip(&copying.columns) {
                given[at] = Some(value);
            }
            let row = exec.complete(&copying.table, given)?;
            if let Some(filter) = &copying.filter {
                let tuple = vec![Source::Values(row.clone().into())];
                if !matches!(exec.eval(filter, &tuple)?, Datum::Bool(true)) {
                    continue;
                }
            }
            copying.rows += 1;
            exec.insert_values(&copying.table, &row)?;
        }
        exec.finish()?;
        self.copying = Some(copying);
        Ok(())
    }
}

fn copy_out(columns: Vec<CopyColumn>, rows: Vec<Row>, options: CopyOptions) -> Result<Outcome> {
    let done = Done::rows("COPY", rows.len() as u64);
    Ok(Outcome::CopyOut(CopyOut::new(columns, rows, options)?, done))
}

fn copy_column(table: &Table, at: usize) -> CopyColumn {
    let column = &table.columns[at];
    CopyColumn { name: column.name.clone(), ty: column.ty, typmod: column.typmod }
}
