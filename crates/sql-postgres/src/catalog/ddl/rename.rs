//! RENAME and SET SCHEMA: what names an object follows it.

use std::sync::Arc;

use hobgoblin_sql_schema::syntax::expressions_mut;

use super::Ddl;
use super::depend::view_mentions;
use crate::catalog::mentions::sequence_argument;
use crate::catalog::names;
use crate::catalog::{
    ConstraintKind, Expression, Found, IndexKey, Relation, Table, mentions, quote_ident,
};
use crate::error::{Result, SqlError, SqlState};
use crate::types::Oid;

impl Ddl<'_, '_> {
    /// Gives a relation another name.
    pub(super) fn rename_relation(&mut self, oid: Oid, new: &str) -> Result<()> {
        let Some(found) = self.catalog.relation(oid) else { return Ok(()) };
        let (schema, old) = (found.schema().to_owned(), found.name().to_owned());
        if self.catalog.relation_in(&schema, new).is_some() {
            return Err(SqlError::new(
                SqlState::DUPLICATE_TABLE,
                format!("relation \"{new}\" already exists"),
            ));
        }
        self.move_relation(oid, (&schema, &old), (&schema, new))
    }

    /// ALTER … SET SCHEMA: a table takes its indexes and its own sequences along.
    pub(super) fn set_schema(&mut self, oid: Oid, to: &str) -> Result<()> {
        let to = self.schema(to)?.name.clone();
        let Some(found) = self.catalog.relation(oid) else { return Ok(()) };
        let (from, name) = (found.schema().to_owned(), found.name().to_owned());
        if let Found::Sequence(sequence) = found
            && let Some((table, _, _)) = sequence.owner
        {
            return Err(SqlError::new(
                SqlState::FEATURE_NOT_SUPPORTED,
                "cannot move an owned sequence into another schema",
            )
            .detail(format!(
                "Sequence \"{name}\" is linked to table \"{}\".",
                self.describe(table)
            )));
        }
        if from == to {
            return Ok(());
        }
        let mut moving = vec![(oid, name)];
        if let Some(table) = self.catalog.table(oid) {
            moving.extend(table.indexes.iter().map(|i| (i.oid, i.name.clone())));
            let owned =
                self.catalog.sequences().filter(|s| s.owner.is_some_and(|(t, _, _)| t == oid));
            moving.extend(owned.map(|s| (s.oid, s.name.clone())));
        }
        for (oid, name) in moving {
            if self.catalog.relation_in(&to, &name).is_some() {
                return Err(SqlError::new(
                    SqlState::DUPLICATE_TABLE,
                    format!("relation \"{name}\" already exists in schema \"{to}\""),
                ));
            }
            self.move_relation(oid, (&from, &name), (&to, &name))?;
        }
        Ok(())
    }

    fn move_relation(&mut self, oid: Oid, old: (&str, &str), new: (&str, &str)) -> Result<()> {
        self.schema_mut(old.0)?.relations.remove(old.1);
        self.schema_mut(new.0)?.relations.insert(new.1.to_owned(), oid);
        let mut row_types = None;
        match self.catalog.relations.get_mut(&oid) {
            Some(Relation::Table(table)) => {
                let table = Arc::make_mut(table);
                new.0.clone_into(&mut table.schema);
                new.1.clone_into(&mut table.name);
                row_types = Some((table.row_type, table.row_array));
                if let Some(view) = table.materialized.as_mut().map(Arc::make_mut) {
                    new.0.clone_into(&mut view.schema);
                    new.1.clone_into(&mut view.name);
                }
            }
            Some(Relation::View(view)) => {
                let view = Arc::make_mut(view);
                new.0.clone_into(&mut view.schema);
                new.1.clone_into(&mut view.name);
                row_types = Some((view.row_type, view.row_array));
            }
            Some(Relation::Sequence(sequence)) => {
                let sequence = Arc::make_mut(sequence);
                new.0.clone_into(&mut sequence.schema);
                new.1.clone_into(&mut sequence.name);
                self.redirect_defaults(old, new);
            }
            Some(Relation::Index { table, oid }) => {
                let (table, oid) = (*table, *oid);
                self.rename_index(table, oid, new.1)?;
            }
            None => {}
        }
        if let Some((row, array)) = row_types {
            self.schema_mut(old.0)?.types.retain(|_, t| *t != row && *t != array);
            let schema = self.schema_mut(new.0)?;
            let array_name = names::array_type_name(schema, new.1);
            schema.types.insert(new.1.to_owned(), row);
            schema.types.insert(array_name, array);
        }
        let views: Vec<Oid> =
            self.catalog.queries().filter(|v| v.uses.contains(&oid)).map(|v| v.oid).collect();
        let dialect = self.catalog.dialect;
        for view in views {
            if let Some(view) = self.catalog.query_mut(view) {
                super::view::rename_in_query(view, dialect, old, new);
            }
        }
        Ok(())
    }

    fn rename_index(&mut self, table: Oid, oid: Oid, new: &str) -> Result<()> {
        let table = self.catalog.table_mut(table)?;
        for index in table.indexes.iter_mut().filter(|i| i.oid == oid) {
            new.clone_into(&mut Arc::make_mut(index).name);
        }
        for constraint in &mut table.constraints {
            if matches!(constraint.kind, ConstraintKind::Primary(i) | ConstraintKind::Unique(i) | ConstraintKind::Exclude(i) if i == oid)
            {
                new.clone_into(&mut Arc::make_mut(constraint).name);
            }
        }
        Ok(())
    }

    /// Has defaults that draw from a sequence follow it to its new name.
    pub(super) fn redirect_defaults(&mut self, old: (&str, &str), new: (&str, &str)) {
        let name = |(schema, name)| format!("{}.{}", quote_ident(schema), quote_ident(name));
        let (old, new) = (name(old), name(new));
        for relation in self.catalog.relations.values_mut() {
            let Relation::Table(table) = relation else { continue };
            for at in 0..table.columns.len() {
                let Some(default) = &table.columns[at].default else { continue };
                let mut ast = default.ast.clone();
                let mut found = false;
                expressions_mut(&mut ast, |expr| {
                    if let Some(text) = sequence_argument(expr).filter(|text| *text == &old) {
                        new.clone_into(text);
                        found = true;
                    }
                });
                if found {
                    Arc::make_mut(table).columns[at].default = Some(Expression::new(ast));
                }
            }
        }
    }

    pub(super) fn rename_column(&mut self, table: &Arc<Table>, old: &str, new: &str) -> Result<()> {
        let at = table.column(old).ok_or_else(|| {
            SqlError::new(SqlState::UNDEFINED_COLUMN, format!("column \"{old}\" does not exist"))
        })?;
        if table.column(new).is_some() {
            return Err(SqlError::new(
                SqlState::DUPLICATE_COLUMN,
                format!("column \"{new}\" of relation \"{}\" already exists", table.name),
            ));
        }
        if self
            .catalog
            .queries()
            .any(|v| v.uses.contains(&table.oid) && view_mentions(v, table, old))
        {
            return Err(SqlError::unsupported("renaming a column that a view uses"));
        }
        let table = self.catalog.table_mut(table.oid)?;
        new.clone_into(&mut table.columns[at].name);
        let renamed = |e: &Arc<Expression>| {
            let mut ast = e.ast.clone();
            mentions::rename_column(&mut ast, old, new);
            Expression::new(ast)
        };
        for column in table.columns.iter_mut().filter(|c| c.generated) {
            column.default = column.default.as_ref().map(renamed);
        }
        for constraint in &mut table.constraints {
            if let ConstraintKind::Check(e) = &constraint.kind {
                let e = renamed(e);
                Arc::make_mut(constraint).kind = ConstraintKind::Check(e);
            }
        }
        for index in &mut table.indexes {
            let index = Arc::make_mut(index);
            index.predicate = index.predicate.as_ref().map(renamed);
            for column in &mut index.columns {
                match &mut column.key {
                    IndexKey::Column(c) if *c == at => new.clone_into(&mut column.name),
                    IndexKey::Column(_) => {}
                    IndexKey::Expression(e) => *e = renamed(e),
                }
            }
        }
        Ok(())
    }

    pub(super) fn rename_view_column(&mut self, oid: Oid, old: &str, new: &str) -> Result<()> {
        if self.catalog.queries().any(|v| v.uses.contains(&oid)) {
            return Err(SqlError::unsupported(
                "renaming a column of a view that another view uses",
            ));
        }
        let Some(Relation::View(view)) = self.catalog.relations.get_mut(&oid) else {
            return Ok(());
        };
        let view = Arc::make_mut(view);
        if view.columns.iter().any(|c| c.0 == new) {
            return Err(SqlError::new(
                SqlState::DUPLICATE_COLUMN,
                format!("column \"{new}\" of relation \"{}\" already exists", view.name),
            ));
        }
        match view.columns.iter_mut().find(|c| c.0 == old) {
            Some(column) => new.clone_into(&mut column.0),
            None => {
                return Err(SqlError::new(
                    SqlState::UNDEFINED_COLUMN,
                    format!("column \"{old}\" does not exist"),
                ));
            }
        }
        Ok(())
    }

    pub(super) fn rename_constraint(
        &mut self,
        table: &Arc<Table>,
        old: &str,
        new: &str,
    ) -> Result<()> {
        let Some(constraint) = table.constraint(old).cloned() else {
            return Err(SqlError::new(
                SqlState::UNDEFINED_OBJECT,
                format!("constraint \"{old}\" for table \"{}\" does not exist", table.name),
            ));
        };
        if table.constraint(new).is_some() {
            return Err(SqlError::new(
                SqlState::DUPLICATE_OBJECT,
                format!("constraint \"{new}\" for relation \"{}\" already exists", table.name),
            ));
        }
        if let ConstraintKind::Primary(index)
        | ConstraintKind::Unique(index)
        | ConstraintKind::Exclude(index) = constraint.kind
        {
            return self.rename_relation(index, new);
        }
        for c in &mut self.catalog.table_mut(table.oid)?.constraints {
            if c.oid == constraint.oid {
                new.clone_into(&mut Arc::make_mut(c).name);
            }
        }
        Ok(())
    }
}
