//! ALTER TABLE.

use std::sync::Arc;

use sqlparser::ast::{
    AlterTable, AlterTableOperation, ColumnDef, DropBehavior, ObjectName, RenameTableNameKind,
    TableConstraint,
};

use super::constraint::{Characteristics, Wish};
use super::depend::Object;
use super::table::check_width;
use super::{DataStep, Ddl, Usage, no_column};
use crate::catalog::{ConstraintKind, Found, Table, fold, split_name};
use crate::error::{Result, SqlError, SqlState};
use crate::types::Oid;

impl Ddl<'_, '_> {
    pub(super) fn alter_table(&mut self, alter: &AlterTable) -> Result<()> {
        self.tag("ALTER TABLE");
        if alter.if_exists && self.skip_missing(&alter.name)? {
            return Ok(());
        }
        for operation in &alter.operations {
            self.alter_operation(&alter.name, operation)?;
        }
        Ok(())
    }

    /// One action on a table. Renaming a table ends the statement, so the name stays good.
    pub(super) fn alter_operation(
        &mut self,
        name: &ObjectName,
        operation: &AlterTableOperation,
    ) -> Result<()> {
        self.cx.binder.go_on()?;
        if let AlterTableOperation::RenameTable { table_name } = operation {
            let (RenameTableNameKind::To(new) | RenameTableNameKind::As(new)) = table_name;
            let (_, new) = split_name(new)?;
            let oid = match self.relation(name)? {
                Found::System(v) => {
                    return Err(SqlError::new(
                        SqlState::INSUFFICIENT_PRIVILEGE,
                        format!("permission denied: \"{}\" is a system catalog", v.name),
                    ));
                }
                found => found.oid(),
            };
            return self.rename_relation(oid, &new);
        }
        if matches!(operation, AlterTableOperation::OwnerTo { .. }) {
            self.relation(name)?;
            return Ok(());
        }
        if let (
            AlterTableOperation::RenameColumn { old_column_name, new_column_name },
            Ok(Found::View(view)),
        ) = (operation, self.relation(name))
        {
            let oid = view.oid;
            return self.rename_view_column(oid, &fold(old_column_name), &fold(new_column_name));
        }
        let table = self.user_table(name)?;
        let oid = table.oid;
        match operation {
            AlterTableOperation::AddColumn { if_not_exists, column_def, .. } => {
                self.add_column(&table, column_def, *if_not_exists)
            }
            AlterTableOperation::DropColumn { column_names, if_exists, drop_behavior, .. } => {
                for column in column_names {
                    self.drop_column(&table, &fold(column), *if_exists, is_cascade(drop_behavior))?;
                }
                Ok(())
            }
            AlterTableOperation::RenameColumn { old_column_name, new_column_name } => {
                self.rename_column(&table, &fold(old_column_name), &fold(new_column_name))
            }
            AlterTableOperation::AddConstraint { constraint, not_valid } => {
                self.alter_add_constraint(oid, constraint, *not_valid)
            }
            AlterTableOperation::DropConstraint { if_exists, name, drop_behavior } => {
                self.drop_constraint(&table, &fold(name), *if_exists, is_cascade(drop_behavior))
            }
            AlterTableOperation::RenameConstraint { old_name, new_name } => {
                self.rename_constraint(&table, &fold(old_name), &fold(new_name))
            }
            AlterTableOperation::ValidateConstraint { name } => {
                self.validate_constraint(&table, &fold(name))
            }
            AlterTableOperation::AlterColumn { column_name, op } => {
                self.alter_column(&table, &fold(column_name), op)
            }
            AlterTableOperation::SetLogged | AlterTableOperation::SetUnlogged => {
                self.catalog.table_mut(oid)?.unlogged =
                    matches!(operation, AlterTableOperation::SetUnlogged);
                Ok(())
            }
            AlterTableOperation::SetOptionsParens { options } => {
                let written =
                    options.iter().map(|o| o.to_string().replace(' ', "").to_ascii_lowercase());
                self.catalog.table_mut(oid)?.options.extend(written);
                Ok(())
            }
            AlterTableOperation::ReplicaIdentity { .. }
            | AlterTableOperation::DisableRowLevelSecurity
            | AlterTableOperation::NoForceRowLevelSecurity => Ok(()),
            AlterTableOperation::EnableTrigger { name }
            | AlterTableOperation::DisableTrigger { name }
                if matches!(fold(name).as_str(), "user") =>
            {
                Ok(())
            }
            other => Err(SqlError::unsupported(format!("ALTER TABLE {other}"))),
        }
    }

    fn add_column(
        &mut self,
        table: &Arc<Table>,
        def: &ColumnDef,
        if_not_exists: bool,
    ) -> Result<()> {
        let name = fold(&def.name);
        if table.column(&name).is_some() {
            let message =
                format!("column \"{name}\" of relation \"{}\" already exists", table.name);
            if if_not_exists {
                self.notice(SqlState::DUPLICATE_COLUMN, format!("{message}, skipping"));
                return Ok(());
            }
            return Err(SqlError::new(SqlState::DUPLICATE_COLUMN, message));
        }
        let at = table.columns.len();
        check_width(at + 1)?;
        let mut new = self.define_column(&table.schema, &table.name, table.temporary, def)?;
        let oid = table.oid;
        let mut fill = new.column.generated || new.sequence.is_some();
        let (ty, typmod) = new.column.declared();
        let default = new.column.default.clone().or_else(|| self.catalog.domain_default(ty));
        if let (Some(default), false) = (&default, fill) {
            let usage = Usage::Default(new.column.ty);
            self.cx.binder.describe_expr(self.catalog, None, &default.ast, usage)?;
            match self.cx.binder.constant(self.catalog, &default.ast, ty, typmod)? {
                Some(value) => new.column.missing = value,
                None => fill = true,
            }
        }
        let not_null = new.column.not_null;
        let domain = new.column.domain.is_some();
        self.catalog.table_mut(oid)?.columns.push(new.column);
        if let Some(sequence) = new.sequence {
            let identity = self.table(oid)?.columns[at].identity.is_some();
            self.change_sequence(sequence, |s| s.owner = Some((oid, at, identity)));
        }
        let changed = self.table(oid)?;
        if changed.columns[at].generated {
            self.check_default(&changed, at)?;
        }
        if fill {
            self.step(DataStep::FillColumn { table: oid, column: at });
        }
        if not_null {
            self.step(DataStep::CheckNotNull { table: oid, column: at });
        }
        if domain && !fill {
            self.step(DataStep::CheckDomain { table: oid, column: at });
        }
        for wish in new.wishes {
            self.add_constraint(oid, wish, true)?;
        }
        Ok(())
    }

    fn drop_column(
        &mut self,
        table: &Arc<Table>,
        name: &str,
        if_exists: bool,
        cascade: bool,
    ) -> Result<()> {
        let Some(at) = table.column(name) else {
            if if_exists {
                self.notice(
                    SqlState::SUCCESSFUL_COMPLETION,
                    format!(
                        "column \"{name}\" of relation \"{}\" does not exist, skipping",
                        table.name
                    ),
                );
                return Ok(());
            }
            return Err(no_column(name, &table.name));
        };
        self.drop_objects(vec![Object::Column(table.oid, at)], cascade)
    }

    fn alter_add_constraint(
        &mut self,
        table: Oid,
        constraint: &TableConstraint,
        not_valid: bool,
    ) -> Result<()> {
        let (using, primary) = match constraint {
            TableConstraint::PrimaryKeyUsingIndex(using) => (using, true),
            TableConstraint::UniqueUsingIndex(using) => (using, false),
            _ => {
                let wish = self.read_constraint(constraint)?;
                if not_valid && matches!(wish, Wish::Key(_)) {
                    let kind = if constraint_is_primary(&wish) { "PRIMARY KEY" } else { "UNIQUE" };
                    return Err(SqlError::new(
                        SqlState::FEATURE_NOT_SUPPORTED,
                        format!("{kind} constraints cannot be marked NOT VALID"),
                    ));
                }
                return self.add_constraint(table, wish, !not_valid);
            }
        };
        let when = Characteristics::read(using.characteristics.as_ref())?;
        self.constraint_of_index(
            table,
            using.name.as_ref().map(fold),
            &fold(&using.index_name),
            primary,
            when,
        )
    }

    fn drop_constraint(
        &mut self,
        table: &Arc<Table>,
        name: &str,
        if_exists: bool,
        cascade: bool,
    ) -> Result<()> {
        let Some(constraint) = table.constraint(name) else {
            let message =
                format!("constraint \"{name}\" of relation \"{}\" does not exist", table.name);
            if if_exists {
                self.notice(SqlState::SUCCESSFUL_COMPLETION, format!("{message}, skipping"));
                return Ok(());
            }
            return Err(SqlError::new(SqlState::UNDEFINED_OBJECT, message));
        };
        self.drop_objects(vec![Object::Constraint(table.oid, constraint.oid)], cascade)
    }

    fn validate_constraint(&mut self, table: &Arc<Table>, name: &str) -> Result<()> {
        let Some(constraint) = table.constraint(name).cloned() else {
            return Err(SqlError::new(
                SqlState::UNDEFINED_OBJECT,
                format!("constraint \"{name}\" of relation \"{}\" does not exist", table.name),
            ));
        };
        let (oid, constraint_oid) = (table.oid, constraint.oid);
        let step = match constraint.kind {
            ConstraintKind::Check(_) => {
                DataStep::ValidateCheck { table: oid, constraint: constraint_oid }
            }
            ConstraintKind::Foreign(_) => {
                DataStep::ValidateForeign { table: oid, constraint: constraint_oid }
            }
            _ => {
                return Err(SqlError::new(
                    SqlState::WRONG_OBJECT_TYPE,
                    format!(
                        "constraint \"{name}\" of relation \"{}\" is not a foreign key or check constraint",
                        table.name
                    ),
                ));
            }
        };
        if !constraint.validated {
            for c in &mut self.catalog.table_mut(oid)?.constraints {
                if c.oid == constraint_oid {
                    Arc::make_mut(c).validated = true;
                }
            }
            self.step(step);
        }
        Ok(())
    }
}

fn is_cascade(behavior: &Option<DropBehavior>) -> bool {
    matches!(behavior, Some(DropBehavior::Cascade))
}

fn constraint_is_primary(wish: &Wish) -> bool {
    matches!(wish, Wish::Key(key) if key.primary)
}
