//! CREATE VIEW and ALTER VIEW.
//!
//! A view is kept with the database of every table it reads, so that it means the same whichever database is in use.

use std::sync::Arc;

use hobgoblin_sql_mysql_types::error::error;
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::catalog::{CheckOption, Derived, Found, Notes, Relation, View};
use hobgoblin_sql_schema::syntax::{Clauses, relations_mut};
use sqlparser::ast::{Ident, ObjectName, ObjectNamePart, Query, SelectItem, SetExpr};

use super::build::twice;
use super::change::{Ddl, table_exists, wrong_object};
use super::context::QueryColumn;
use crate::catalog::names;
use crate::catalog::notes::{ColumnNotes, ShownDefault, ViewNotes};
use crate::syntax::{CreateView, ViewAlgorithm, ViewCheck};

impl Ddl<'_, '_> {
    pub(super) fn create_view(&mut self, create: &CreateView) -> Result<()> {
        let (database, name) = self.split(&create.name)?;
        self.writable(&database, &name)?;
        let old = match self.catalog.relation_in(&database, &name) {
            Some(Found::View(view)) => Some(Arc::clone(view)),
            Some(_) if create.alter || create.or_replace => {
                return Err(wrong_object(&database, &name, "VIEW"));
            }
            Some(_) => return Err(table_exists(&name)),
            None if create.alter => return Err(super::change::no_table(&database, &name)),
            None => None,
        };
        if old.is_some() && create.if_not_exists {
            self.note(1050, format!("Table '{name}' already exists"));
            return Ok(());
        }
        if old.is_some() && !create.alter && !create.or_replace {
            return Err(table_exists(&name));
        }
        let mut query = (*create.query).clone();
        self.qualify(&mut query);
        let mut described = self.cx.binder.describe_query(self.catalog, &query)?;
        if !create.columns.is_empty() {
            if create.columns.len() != described.len() {
                let message = "View's SELECT and view's field list have different column counts";
                return Err(error(1353, message));
            }
            for (column, name) in described.iter_mut().zip(&create.columns) {
                column.name.clone_from(&name.value);
            }
            name_items(&mut query, &create.columns);
        }
        for (at, column) in described.iter().enumerate() {
            names::check_column_name(&column.name)?;
            if described[..at].iter().any(|before| names::same(&before.name, &column.name)) {
                return Err(twice(&column.name));
            }
        }
        let oid = old.as_ref().map_or_else(|| self.catalog.new_oid(), |view| view.oid);
        let (row_type, row_array) = match &old {
            Some(view) => (view.row_type, view.row_array),
            None => (self.catalog.new_oid(), self.catalog.new_oid()),
        };
        let notes = ViewNotes {
            algorithm: create.algorithm.unwrap_or(ViewAlgorithm::Undefined),
            collation: self.cx.settings().collation,
            nullable: described.iter().map(|column| column.nullable).collect(),
            defaults: described.iter().map(|column| self.default_of(column)).collect(),
        };
        let mut uses = Vec::new();
        hobgoblin_sql_schema::syntax::relations(&query, self.catalog.dialect, |name, _| {
            if let Ok((database, table)) = names::split(name, Some(&database))
                && let Some(found) = self.catalog.relation_in(&database, &table)
            {
                uses.push(found.oid());
            }
        });
        let view = View {
            oid,
            row_type,
            row_array,
            schema: database.clone(),
            name: name.clone(),
            columns: described.into_iter().map(|column| (column.name, column.ty, -1)).collect(),
            query: Arc::new(query),
            clauses: Clauses::default(),
            written: None,
            uses,
            check: create.check.map(|check| match check {
                ViewCheck::Local => CheckOption::Local,
                ViewCheck::Cascaded => CheckOption::Cascaded,
            }),
            notes: Notes::new(notes),
        };
        self.catalog.derived.insert(row_type, Derived::Row(oid));
        self.catalog.derived.insert(row_array, Derived::Array(row_type));
        self.catalog.relations.insert(oid, Relation::View(Arc::new(view)));
        self.schema_mut(&database)?.relations.insert(name, oid);
        Ok(())
    }

    /// The default that a column of a view is shown with.
    fn default_of(&self, column: &QueryColumn) -> ShownDefault {
        let origin =
            column.origin.and_then(|(table, at)| self.catalog.table(table)?.columns.get(at));
        match origin {
            Some(origin) if origin.identity.is_some() => {
                ShownDefault::Constant { text: "0".to_owned(), quoted: false }
            }
            Some(origin) => ColumnNotes::of(origin).default,
            None if column.nullable => ShownDefault::Null,
            None => ShownDefault::Nothing,
        }
    }

    /// Gives every table of a query its database.
    fn qualify(&self, query: &mut Query) {
        let Some(database) = self.cx.database else { return };
        relations_mut(query, self.catalog.dialect, |name, _| {
            if let [ObjectNamePart::Identifier(table)] = name.0.as_slice() {
                let table = table.clone();
                *name = ObjectName::from(vec![Ident::with_quote('`', database), table]);
            }
        });
    }
}

/// Gives the items of the first SELECT of a query the names of the view's columns.
fn name_items(query: &mut Query, names: &[Ident]) {
    let mut body = &mut *query.body;
    loop {
        match body {
            SetExpr::SetOperation { left, .. } => body = left,
            SetExpr::Query(inner) => body = &mut inner.body,
            SetExpr::Select(select) => {
                if select.projection.len() != names.len() {
                    return;
                }
                for (item, name) in select.projection.iter_mut().zip(names) {
                    let alias = name.clone();
                    match item {
                        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
                            *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
                        }
                        _ => {}
                    }
                }
                return;
            }
            _ => return,
        }
    }
}
