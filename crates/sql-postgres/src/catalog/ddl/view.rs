//! CREATE VIEW.
//!
//! The relations a view's query names get their schema as the view is made, so that it means the same
//! under every search path.

use std::sync::Arc;

use sqlparser::ast::{
    CreateTableOptions, CreateView, Ident, ObjectName, Query, Spanned, SqlOption, TableAlias,
};
use sqlparser::tokenizer::Location;

use super::Ddl;
use crate::catalog::{Catalog, CheckOption, Found, Relation, View, fold, split_name};
use crate::error::{Code, Result, SqlError, SqlState};
use crate::syntax::relations_mut;
use crate::syntax::{Clauses, Written};
use crate::types::{Oid, TypeId, builtin};
use hobgoblin_sql_schema::Dialect;
use hobgoblin_sql_schema::catalog::Notes;

impl Ddl<'_, '_> {
    pub(super) fn create_view(&mut self, create: &CreateView) -> Result<()> {
        self.tag("CREATE VIEW");
        let mut query = (*create.query).clone();
        let mut clauses = self.cx.written.clauses.clone();
        let uses = qualify(self.catalog, self.cx.path, &mut query, &mut clauses);
        let temporary = create.temporary
            || uses
                .iter()
                .any(|u| matches!(self.catalog.relation(*u), Some(Found::Table(t)) if t.temporary));
        let (schema, name) = self.new_name(&create.name, temporary)?;
        let too_many = "CREATE VIEW specifies more column names than columns";
        let columns = self.view_columns(create, &query, &clauses, too_many)?;
        for (i, (column, _, _)) in columns.iter().enumerate() {
            if columns[..i].iter().any(|(other, _, _)| other == column) {
                return Err(SqlError::new(
                    SqlState::DUPLICATE_COLUMN,
                    format!("column \"{column}\" specified more than once"),
                ));
            }
        }
        let old = match self.catalog.relation_in(&schema, &name) {
            Some(Found::View(view)) if create.or_replace => Some(view.clone()),
            Some(_) if !create.or_replace => {
                return Err(SqlError::new(
                    SqlState::DUPLICATE_TABLE,
                    format!("relation \"{name}\" already exists"),
                ));
            }
            Some(_) => {
                return Err(SqlError::new(
                    SqlState::WRONG_OBJECT_TYPE,
                    format!("\"{name}\" is not a view"),
                ));
            }
            None => None,
        };
        let written = self.cx.written;
        let check = match written.clauses.check_option() {
            None => check_option(&create.options)?,
            option => option,
        };
        let (oid, row_type, row_array) = match &old {
            Some(old) => {
                self.same_columns(old, &columns)?;
                (old.oid, old.row_type, old.row_array)
            }
            None => {
                self.free_type_name(&schema, &name)?;
                let oid = self.catalog.new_oid();
                let (row, array) = self.push_row_type(&schema, &name, oid)?;
                self.schema_mut(&schema)?.relations.insert(name.clone(), oid);
                (oid, row, array)
            }
        };
        if uses.contains(&oid) {
            return Err(SqlError::new(
                Code("42P17"),
                format!("infinite recursion detected in rules for relation \"{name}\""),
            ));
        }
        let written = as_written(&written);
        let query = Arc::new(query);
        let view = View {
            oid,
            row_type,
            row_array,
            schema,
            name,
            columns,
            query,
            clauses,
            written,
            uses,
            check,
            notes: Notes::default(),
        };
        self.catalog.relations.insert(oid, Relation::View(Arc::new(view)));
        Ok(())
    }

    /// The columns of a view's query, with the names that are given.
    pub(super) fn view_columns(
        &mut self,
        create: &CreateView,
        query: &Query,
        clauses: &Clauses,
        too_many: &str,
    ) -> Result<Vec<(String, TypeId, i32)>> {
        let mut columns = self.cx.binder.describe_query(self.catalog, query, clauses)?;
        if create.columns.len() > columns.len() {
            return Err(SqlError::syntax(too_many));
        }
        for (column, named) in columns.iter_mut().zip(&create.columns) {
            column.0 = fold(&named.name);
        }
        for (column, ty, _) in &mut columns {
            if *ty == TypeId::UNKNOWN {
                *ty = TypeId::TEXT;
            }
            self.storable(column, *ty)?;
        }
        Ok(columns)
    }

    /// A view that is replaced keeps its columns; more may follow them.
    fn same_columns(&self, old: &View, new: &[(String, TypeId, i32)]) -> Result<()> {
        let refuse =
            |message: String| Err(SqlError::new(SqlState::INVALID_TABLE_DEFINITION, message));
        if new.len() < old.columns.len() {
            return refuse("cannot drop columns from view".to_owned());
        }
        for ((name, ty, typmod), (new_name, new_ty, new_typmod)) in old.columns.iter().zip(new) {
            if name != new_name {
                return Err(SqlError::new(
                    SqlState::INVALID_TABLE_DEFINITION,
                    format!("cannot change name of view column \"{name}\" to \"{new_name}\""),
                )
                .hint(
                    "Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.",
                ));
            }
            if (ty, typmod) != (new_ty, new_typmod) {
                return refuse(format!(
                    "cannot change data type of view column \"{name}\" from {} to {}",
                    builtin::format_type(*ty, *typmod, &*self.catalog),
                    builtin::format_type(*new_ty, *new_typmod, &*self.catalog)
                ));
            }
        }
        Ok(())
    }
}

/// The query of a CREATE VIEW as written, and where it begins.
pub(super) fn as_written(written: &Written<'_>) -> Option<(String, Location)> {
    let span = written.clauses.defined()?;
    Some((written.between(span)?.to_owned(), span.start))
}

/// WITH CHECK OPTION among the options of a view.
fn check_option(options: &CreateTableOptions) -> Result<Option<CheckOption>> {
    let (CreateTableOptions::With(options) | CreateTableOptions::Options(options)) = options else {
        return Ok(None);
    };
    for option in options {
        let SqlOption::KeyValue { key, value } = option else { continue };
        if fold(key) != "check_option" {
            continue;
        }
        let value = value.to_string();
        return match value.trim_matches('\'').to_ascii_lowercase().as_str() {
            "local" => Ok(Some(CheckOption::Local)),
            "cascaded" => Ok(Some(CheckOption::Cascaded)),
            _ => Err(SqlError::new(
                SqlState::INVALID_PARAMETER_VALUE,
                format!("invalid value for enum option \"check_option\": {value}"),
            )
            .detail("Valid values are \"local\" and \"cascaded\".")),
        };
    }
    Ok(None)
}

/// Gives a relation another name, which stays where the old one was written.
fn rename(name: &mut ObjectName, schema: &str, relation: &str) {
    let span = name.span();
    let ident = |text: &str| match crate::catalog::quote_ident(text) {
        std::borrow::Cow::Borrowed(plain) => Ident::with_span(span, plain),
        std::borrow::Cow::Owned(_) => Ident::with_quote_and_span('"', span, text),
    };
    *name = ObjectName::from(vec![ident(schema), ident(relation)]);
}

/// Gives every relation that a query and its clauses name its schema; the relations that are not the system's.
pub(super) fn qualify(
    catalog: &Catalog,
    path: &[String],
    query: &mut Query,
    clauses: &mut Clauses,
) -> Vec<Oid> {
    let mut uses = Vec::new();
    each_relation(query, clauses, catalog.dialect, |name, _| {
        let Ok((schema, last)) = split_name(name) else { return };
        let Some(found) = catalog.find(path, schema.as_deref(), &last) else { return };
        if !matches!(found, Found::System(_)) && !uses.contains(&found.oid()) {
            uses.push(found.oid());
        }
        rename(name, found.schema(), found.name());
    });
    uses
}

/// Gives a relation another name in the query of a view, where the old one stays as an alias.
pub(super) fn rename_in_query(
    view: &mut View,
    dialect: &dyn Dialect,
    old: (&str, &str),
    new: (&str, &str),
) {
    each_relation(Arc::make_mut(&mut view.query), &mut view.clauses, dialect, |name, alias| {
        let same = split_name(name).is_ok_and(|(s, n)| s.as_deref() == Some(old.0) && n == old.1);
        if same {
            alias.get_or_insert_with(|| TableAlias {
                explicit: false,
                name: Ident::with_quote('"', old.1),
                columns: Vec::new(),
                at: None,
            });
            rename(name, new.0, new.1);
        }
    });
}

fn each_relation(
    query: &mut Query,
    clauses: &mut Clauses,
    dialect: &dyn Dialect,
    mut found: impl FnMut(&mut ObjectName, &mut Option<TableAlias>),
) {
    relations_mut(query, dialect, &mut found);
    clauses.expressions_mut().for_each(|expr| relations_mut(expr, dialect, &mut found));
}
