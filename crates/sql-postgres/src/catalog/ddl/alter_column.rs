//! ALTER TABLE … ALTER COLUMN: types, defaults, NOT NULL, identities, collations.
//!
//! Most of these only change the catalogue, and some leave a step for the rows: NOT NULL has them
//! checked, a new type has them rewritten. A new type is the hard one. Indexes and constraints over
//! the column must be made again, its default must convert, and views and generated columns that
//! use it are in the way; PostgreSQL refuses these, and so it is here.

use std::sync::Arc;

use sqlparser::ast::{AlterColumnOperation, DataType, Expr, GeneratedAs, Ident, ObjectName};

use super::depend::{Object, view_mentions};
use super::sequence::{Options, nextval};
use super::{DataStep, Ddl, Usage, no_column};
use crate::catalog::{
    ConstraintKind, Identity, IndexKey, Table, View, fold, mentions, quote_ident,
};
use crate::error::{Result, SqlError, SqlState};
use crate::types::{PgType, TypeId, builtin, cast};

impl Ddl<'_, '_> {
    pub(super) fn alter_column(
        &mut self,
        table: &Arc<Table>,
        name: &str,
        op: &AlterColumnOperation,
    ) -> Result<()> {
        let oid = table.oid;
        let at = table.column(name).ok_or_else(|| no_column(name, &table.name))?;
        let column = &table.columns[at];
        let of = format!("column \"{name}\" of relation \"{}\"", table.name);
        match op {
            AlterColumnOperation::SetNotNull => {
                if !column.not_null {
                    self.catalog.table_mut(oid)?.columns[at].not_null = true;
                    self.step(DataStep::CheckNotNull { table: oid, column: at });
                }
                Ok(())
            }
            AlterColumnOperation::DropNotNull => {
                if column.identity.is_some() {
                    return Err(SqlError::syntax(format!("{of} is an identity column")));
                }
                let in_primary = table.primary().is_some_and(|i| {
                    i.columns.iter().any(|c| matches!(c.key, IndexKey::Column(k) if k == at))
                });
                if in_primary {
                    return Err(SqlError::new(
                        SqlState::INVALID_TABLE_DEFINITION,
                        format!("column \"{name}\" is in a primary key"),
                    ));
                }
                self.catalog.table_mut(oid)?.columns[at].not_null = false;
                Ok(())
            }
            AlterColumnOperation::SetDefault { .. } | AlterColumnOperation::DropDefault
                if column.identity.is_some() =>
            {
                let error = SqlError::syntax(format!("{of} is an identity column"));
                Err(match op {
                    AlterColumnOperation::DropDefault => {
                        error.hint("Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead.")
                    }
                    _ => error,
                })
            }
            AlterColumnOperation::SetDefault { .. } | AlterColumnOperation::DropDefault
                if column.generated =>
            {
                let error = SqlError::syntax(format!("{of} is a generated column"));
                Err(match op {
                    AlterColumnOperation::DropDefault => {
                        error.hint("Use ALTER TABLE ... ALTER COLUMN ... DROP EXPRESSION instead.")
                    }
                    _ => error,
                })
            }
            AlterColumnOperation::SetDefault { value } => {
                let default = self.qualified(value.clone());
                self.cx.binder.describe_expr(
                    self.catalog,
                    None,
                    &default.ast,
                    Usage::Default(column.ty),
                )?;
                self.catalog.table_mut(oid)?.columns[at].default = Some(default);
                Ok(())
            }
            AlterColumnOperation::DropDefault => {
                self.catalog.table_mut(oid)?.columns[at].default = None;
                Ok(())
            }
            AlterColumnOperation::SetDataType { data_type, using, .. } => {
                self.alter_type_of_column(table, at, data_type, using.as_ref())?;
                self.catalog.table_mut(table.oid)?.columns[at].collation = None;
                Ok(())
            }
            AlterColumnOperation::AddGenerated { generated_as, sequence_options } => {
                let kind = match generated_as {
                    Some(GeneratedAs::ByDefault) => Identity::ByDefault,
                    _ => Identity::Always,
                };
                let options = Options::from_ast(sequence_options.as_deref().unwrap_or_default())?;
                self.add_identity(table, at, kind, options, None)
            }
        }
    }

    /// Makes a column an identity column. `name` is that of its sequence, if it is told.
    pub(super) fn add_identity(
        &mut self,
        table: &Arc<Table>,
        at: usize,
        kind: Identity,
        mut options: Options,
        name: Option<&ObjectName>,
    ) -> Result<()> {
        let column = &table.columns[at];
        let of = format!("column \"{}\" of relation \"{}\"", column.name, table.name);
        options.ty = Some(column.ty);
        if !matches!(column.ty, TypeId::INT2 | TypeId::INT4 | TypeId::INT8) {
            return Err(SqlError::new(
                SqlState::INVALID_PARAMETER_VALUE,
                "identity column type must be smallint, integer, or bigint",
            ));
        }
        let refuse =
            |why: String| Err(SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, why));
        if !column.not_null {
            return refuse(format!("{of} must be declared NOT NULL before identity can be added"));
        }
        if column.identity.is_some() {
            return refuse(format!("{of} is already an identity column"));
        }
        if column.default.is_some() {
            return refuse(format!("{of} already has a default value"));
        }
        let (sequence, default) = match name {
            Some(name) => {
                let (schema, name) = self.new_name(name, table.temporary)?;
                self.free_name(&schema, &name, false)?;
                let oid = self.new_sequence(&schema, &name, table.temporary, &options, None)?;
                (oid, nextval(&schema, &name)?)
            }
            None => self.column_sequence(
                &table.schema,
                &table.name,
                table.temporary,
                &column.name,
                &options,
            )?,
        };
        let oid = table.oid;
        self.change_sequence(sequence, |s| s.owner = Some((oid, at, true)));
        let column = &mut self.catalog.table_mut(oid)?.columns[at];
        column.default = Some(default);
        column.identity = Some(kind);
        Ok(())
    }

    fn alter_type_of_column(
        &mut self,
        table: &Arc<Table>,
        at: usize,
        ty: &DataType,
        using: Option<&Expr>,
    ) -> Result<()> {
        let column = &table.columns[at];
        let name = &column.name;
        let new = crate::catalog::resolve_type(self.catalog, self.cx.path, ty)?;
        if new.serial {
            return Err(super::types::no_type(None, &ty.to_string().to_ascii_lowercase()));
        }
        self.storable(name, new.ty)?;
        let uses = |v: &&Arc<View>| v.uses.contains(&table.oid) && view_mentions(v, table, name);
        if let Some(view) = self.catalog.queries().find(uses) {
            return Err(SqlError::new(
                SqlState::FEATURE_NOT_SUPPORTED,
                "cannot alter type of a column used by a view or rule",
            )
            .detail(format!("rule _RETURN on view {} depends on column \"{name}\"", view.name)));
        }
        if table.columns.iter().any(|c| {
            c.generated
                && c.default.as_ref().is_some_and(|d| mentions::columns(&d.ast).contains(name))
        }) {
            return Err(SqlError::syntax(
                "cannot alter type of a column used by a generated column",
            )
            .detail(format!("Column \"{name}\" is used by a generated column.")));
        }
        let shown = builtin::format_type(new.ty, -1, &*self.catalog);
        let source = match using {
            Some(using) => self.cx.binder.describe_expr(
                self.catalog,
                Some(table),
                using,
                Usage::Using(new.ty),
            )?,
            None => column.ty,
        };
        let assignable = source == new.ty
            || source == TypeId::UNKNOWN
            || matches!(
                cast::context(source, new.ty, &*self.catalog),
                Some(cast::CastContext::Implicit | cast::CastContext::Assignment)
            );
        if !assignable {
            return Err(if using.is_some() {
                SqlError::new(
                    SqlState::DATATYPE_MISMATCH,
                    format!("result of USING clause for column \"{name}\" cannot be cast automatically to type {shown}"),
                )
                .hint("You might need to add an explicit cast.")
            } else {
                SqlError::new(
                    SqlState::DATATYPE_MISMATCH,
                    format!("column \"{name}\" cannot be cast automatically to type {shown}"),
                )
                .hint(format!(
                    "You might need to specify \"USING {}::{}\".",
                    quote_ident(name),
                    builtin::format_type(new.ty, new.typmod, &*self.catalog)
                ))
            });
        }
        if let Some(default) =
            column.default.as_ref().filter(|_| column.identity.is_none() && !column.generated)
        {
            let fits = self.cx.binder.describe_expr(
                self.catalog,
                None,
                &default.ast,
                Usage::Default(new.ty),
            );
            if fits.is_err() {
                return Err(SqlError::new(
                    SqlState::DATATYPE_MISMATCH,
                    format!(
                        "default for column \"{name}\" cannot be cast automatically to type {shown}"
                    ),
                ));
            }
        }
        let using = using.map(|e| self.qualified(e.clone()));
        let before = table.clone();
        let stored = self.catalog.stored_type(new.ty, new.typmod);
        let changed = self.catalog.table_mut(table.oid)?;
        changed.columns[at].ty = stored.0;
        changed.columns[at].typmod = stored.1;
        changed.columns[at].domain = (stored.0 != new.ty).then_some(new.ty);
        let mut rebuilt = Vec::new();
        for index in &mut changed.indexes {
            let index = Arc::make_mut(index);
            let mut uses = index.include.contains(&at);
            for key in &mut index.columns {
                match &key.key {
                    IndexKey::Column(c) if *c == at => {
                        key.ty = stored.0;
                        uses = true;
                    }
                    IndexKey::Column(_) => {}
                    IndexKey::Expression(e) => uses |= mentions::columns(&e.ast).contains(name),
                }
            }
            uses |=
                index.predicate.as_ref().is_some_and(|p| mentions::columns(&p.ast).contains(name));
            if uses {
                rebuilt.push((index.oid, index.prefix.clone()));
            }
        }
        if let Some(Identity::Always | Identity::ByDefault) = column.identity
            && let Some(sequence) = self.catalog.owned_sequence(table.oid, at).cloned()
        {
            let options = Options { ty: Some(new.ty), ..Options::default() };
            self.reoption_sequence(&sequence, &options)?;
        }
        // The same values under a wider modifier need no rewriting, but a rewrite is never wrong.
        self.step(DataStep::RewriteColumn { before, column: at, using });
        for (index, prefix) in rebuilt {
            self.step(DataStep::DropKeys(prefix));
            self.step(DataStep::BuildIndex { table: table.oid, index });
        }
        let after = self.table(table.oid)?;
        for constraint in &after.constraints {
            if let ConstraintKind::Check(e) = &constraint.kind
                && mentions::columns(&e.ast).contains(name)
            {
                self.cx.binder.describe_expr(self.catalog, Some(&after), &e.ast, Usage::Check)?;
                self.step(DataStep::ValidateCheck { table: table.oid, constraint: constraint.oid });
            }
        }
        Ok(())
    }

    /// Does ALTER COLUMN … DROP IDENTITY.
    pub(super) fn drop_identity(
        &mut self,
        table: &Arc<Table>,
        column: &Ident,
        if_exists: bool,
    ) -> Result<()> {
        let at = column_of(table, column)?;
        if table.columns[at].identity.is_none() {
            return self.skip(is_not(table, at, "an identity column"), if_exists);
        }
        let column = &mut self.catalog.table_mut(table.oid)?.columns[at];
        column.identity = None;
        column.default = None;
        if let Some(sequence) = self.catalog.owned_sequence(table.oid, at).map(|s| s.oid) {
            self.change_sequence(sequence, |s| s.owner = None);
            self.drop_objects(vec![Object::Relation(sequence)], true)?;
        }
        Ok(())
    }

    /// Does ALTER COLUMN … SET GENERATED, with the options of the sequence beside it.
    pub(super) fn alter_identity(
        &mut self,
        table: &Arc<Table>,
        column: &Ident,
        kind: Option<Identity>,
        options: &Options,
    ) -> Result<()> {
        let at = column_of(table, column)?;
        if table.columns[at].identity.is_none() {
            return Err(is_not(table, at, "an identity column"));
        }
        if kind.is_some() {
            self.catalog.table_mut(table.oid)?.columns[at].identity = kind;
        }
        match self.catalog.owned_sequence(table.oid, at).cloned() {
            Some(sequence) => self.reoption_sequence(&sequence, options),
            None => Ok(()),
        }
    }

    /// Gives a column a collation after its type was set.
    pub(super) fn set_collation(
        &mut self,
        table: &Arc<Table>,
        column: &Ident,
        collation: &ObjectName,
    ) -> Result<()> {
        let at = column_of(table, column)?;
        let collation = self.collation(collation, table.columns[at].ty)?;
        self.catalog.table_mut(table.oid)?.columns[at].collation = Some(collation);
        Ok(())
    }

    /// Does ALTER COLUMN … DROP EXPRESSION: the column keeps its values and is generated no more.
    pub(super) fn drop_expression(
        &mut self,
        table: &Arc<Table>,
        column: &Ident,
        if_exists: bool,
    ) -> Result<()> {
        let at = column_of(table, column)?;
        if !table.columns[at].generated {
            return self.skip(is_not(table, at, "a stored generated column"), if_exists);
        }
        let column = &mut self.catalog.table_mut(table.oid)?.columns[at];
        column.generated = false;
        column.default = None;
        Ok(())
    }
    /// Fails with this error, or under IF EXISTS tells it as a notice.
    fn skip(&mut self, error: SqlError, if_exists: bool) -> Result<()> {
        if !if_exists {
            return Err(error);
        }
        self.notice(SqlState::SUCCESSFUL_COMPLETION, format!("{}, skipping", error.message()));
        Ok(())
    }
}

fn column_of(table: &Table, column: &Ident) -> Result<usize> {
    let name = fold(column);
    table.column(&name).ok_or_else(|| no_column(&name, &table.name))
}

fn is_not(table: &Table, at: usize, what: &str) -> SqlError {
    let (column, table) = (&table.columns[at].name, &table.name);
    let text = format!("column \"{column}\" of relation \"{table}\" is not {what}");
    SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, text)
}
