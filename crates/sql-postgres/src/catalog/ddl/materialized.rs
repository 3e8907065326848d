//! CREATE, ALTER and REFRESH MATERIALIZED VIEW.
//!
//! A materialized view is a table that nobody writes, with the query it is filled from.

use std::sync::Arc;

use sqlparser::ast::{CreateView, ObjectName};

use super::reader::Reader;
use super::table::Head;
use super::view::{as_written, qualify};
use super::{DataStep, Ddl};
use crate::catalog::{Found, IndexKey, OnCommit, Table, View};
use crate::error::{Result, SqlError, SqlState};
use hobgoblin_sql_schema::catalog::Notes;

/// A statement about materialized views.
#[derive(Clone, Debug)]
pub(super) enum MaterializedStatement {
    Create { create: Box<CreateView>, data: bool },
    Refresh { name: ObjectName, concurrently: bool, data: bool },
}

impl Reader<'_> {
    /// CREATE MATERIALIZED VIEW, from its first word: WITH [NO] DATA at its end is taken off.
    pub(super) fn create_materialized(&mut self) -> Result<Option<MaterializedStatement>> {
        let mut data = true;
        for (tail, wanted) in [("with no data", false), ("with data", true)] {
            let length = tail.split(' ').count();
            let start = self.tokens.len().saturating_sub(length);
            self.at = start;
            if self.words(tail) {
                self.tokens.truncate(start);
                data = wanted;
                break;
            }
        }
        self.at = 0;
        match self.parsed(|p| p.parse_statement())? {
            sqlparser::ast::Statement::CreateView(create) if self.ends() => {
                Ok(Some(MaterializedStatement::Create { create: Box::new(create), data }))
            }
            _ => Err(self.unexpected()),
        }
    }

    /// What follows REFRESH MATERIALIZED VIEW.
    pub(super) fn refresh(&mut self) -> Result<MaterializedStatement> {
        let concurrently = self.words("concurrently");
        let name = self.name()?;
        let data = !self.words("with no data");
        let _ = self.words("with data");
        if !self.ends() {
            return Err(self.unexpected());
        }
        Ok(MaterializedStatement::Refresh { name, concurrently, data })
    }
}

impl Ddl<'_, '_> {
    pub(super) fn materialized_statement(
        &mut self,
        statement: &MaterializedStatement,
    ) -> Result<()> {
        match statement {
            MaterializedStatement::Create { create, data } => {
                self.create_materialized(create, *data)
            }
            MaterializedStatement::Refresh { name, concurrently, data } => {
                self.refresh_materialized(name, *concurrently, *data)
            }
        }
    }

    fn create_materialized(&mut self, create: &CreateView, data: bool) -> Result<()> {
        self.tag("CREATE MATERIALIZED VIEW");
        let mut query = (*create.query).clone();
        let mut clauses = self.cx.written.clauses.clone();
        let uses = qualify(self.catalog, self.cx.path, &mut query, &mut clauses);
        let temporary =
            |oid: &u32| matches!(self.catalog.relation(*oid), Some(Found::Table(t)) if t.temporary);
        if uses.iter().any(temporary) {
            return Err(SqlError::new(
                SqlState::FEATURE_NOT_SUPPORTED,
                "materialized views must not use temporary tables or views",
            ));
        }
        let (schema, name) = self.new_name(&create.name, false)?;
        if !self.free_name(&schema, &name, create.if_not_exists)? {
            return Ok(());
        }
        self.free_type_name(&schema, &name)?;
        let too_many = "too many column names were specified";
        let columns = self.view_columns(create, &query, &clauses, too_many)?;
        let made: Vec<_> =
            columns.iter().map(|(name, ty, typmod)| self.new_column(name, *ty, *typmod)).collect();
        super::table::distinct_names(&made)?;
        let head = Head {
            schema: schema.clone(),
            name: name.clone(),
            temporary: false,
            unlogged: false,
            on_commit: OnCommit::PreserveRows,
            options: super::table::storage_options(&create.options),
        };
        let oid = self.push_table(head, made)?;
        let query = Arc::new(query);
        let written = as_written(&self.cx.written);
        let table = self.catalog.table_mut(oid)?;
        let (row_type, row_array) = (table.row_type, table.row_array);
        table.populated = data;
        let filled = data.then(|| Arc::clone(&query));
        let view = View {
            oid,
            row_type,
            row_array,
            schema,
            name,
            columns,
            query,
            clauses: clauses.clone(),
            written,
            uses,
            check: None,
            notes: Notes::default(),
        };
        table.materialized = Some(Arc::new(view));
        if let Some(query) = filled {
            self.tag("SELECT");
            self.step(DataStep::Fill { table: oid, query, clauses });
        }
        Ok(())
    }

    /// A materialized view by name.
    fn user_materialized(&self, name: &ObjectName) -> Result<(Arc<Table>, Arc<View>)> {
        let found = self.relation(name)?;
        if let Found::Table(table) = found
            && let Some(view) = &table.materialized
        {
            return Ok((table.clone(), view.clone()));
        }
        let text = format!("\"{}\" is not a materialized view", found.name());
        // PostgreSQL has other words for it where it is asked to refresh.
        Err(SqlError::new(SqlState::FEATURE_NOT_SUPPORTED, text))
    }

    fn refresh_materialized(
        &mut self,
        name: &ObjectName,
        concurrently: bool,
        data: bool,
    ) -> Result<()> {
        self.tag("REFRESH MATERIALIZED VIEW");
        if concurrently && !data {
            return Err(SqlError::syntax(
                "CONCURRENTLY and WITH NO DATA options cannot be used together",
            ));
        }
        let (table, view) = self.user_materialized(name)?;
        if concurrently && !table.populated {
            return Err(SqlError::new(
                SqlState::FEATURE_NOT_SUPPORTED,
                "CONCURRENTLY cannot be used when the materialized view is not populated",
            ));
        }
        let unique = table.indexes.iter().any(|index| {
            let columns = index.columns.iter().all(|c| matches!(c.key, IndexKey::Column(_)));
            index.unique && index.predicate.is_none() && columns
        });
        if concurrently && !unique {
            return Err(SqlError::new(
                SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                format!(
                    "cannot refresh materialized view \"{}.{}\" concurrently",
                    table.schema, table.name
                ),
            )
            .hint(
                "Create a unique index with no WHERE clause on one or more columns of the materialized view.",
            ));
        }
        self.catalog.table_mut(table.oid)?.populated = data;
        let query = data.then(|| (Arc::clone(&view.query), view.clauses.clone()));
        self.step(DataStep::Refresh { table: table.oid, query });
        Ok(())
    }
}
