//! ALTER TABLE.

use std::sync::Arc;

use sqlparser::ast::{
    AlterColumnOperation, AlterTable, AlterTableOperation, ColumnDef, DataType, DropBehavior, Expr,
    GeneratedAs, Ident, ObjectName, RenameTableNameKind, TableConstraint,
};

use super::constraint::{Characteristics, Wish};
use super::depend::{Object, view_mentions};
use super::sequence::{Options, nextval};
use super::{DataStep, Ddl, Usage, no_column};
use crate::catalog::walk::{Change, change, sequence_argument};
use crate::catalog::{
    ConstraintKind, Expression, Found, Identity, IndexKey, Relation, Table, fold, quote_ident,
    split_name, walk,
};
use crate::error::{Result, SqlError, SqlState};
use crate::types::{Oid, TypeId, builtin, cast};

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
        if let AlterTableOperation::RenameTable { table_name } = operation {
            let (RenameTableNameKind::To(new) | RenameTableNameKind::As(new)) = table_name;
            let (_, new) = split_name(new)?;
            let oid = match self.relation(name)? {
                Found::Virtual(v) => {
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
            let array_name = crate::catalog::Catalog::array_type_name(schema, new.1);
            schema.types.insert(new.1.to_owned(), row);
            schema.types.insert(array_name, array);
        }
        let views: Vec<Oid> =
            self.catalog.queries().filter(|v| v.uses.contains(&oid)).map(|v| v.oid).collect();
        for view in views {
            if let Some(view) = self.catalog.query_mut(view) {
                super::view::rename_in_query(Arc::make_mut(&mut view.query), old, new);
                view.text = view.query.to_string();
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
        struct Redirect<'a>(&'a str, &'a str, bool);
        impl Change for Redirect<'_> {
            fn expr(&mut self, expr: &mut Expr) {
                if let Some(text) = sequence_argument(expr).filter(|t| *t == self.0) {
                    self.1.clone_into(text);
                    self.2 = true;
                }
            }
        }
        let name = |(schema, name)| format!("{}.{}", quote_ident(schema), quote_ident(name));
        let (old, new) = (name(old), name(new));
        for relation in self.catalog.relations.values_mut() {
            let Relation::Table(table) = relation else { continue };
            for at in 0..table.columns.len() {
                let Some(default) = &table.columns[at].default else { continue };
                let mut ast = default.ast.clone();
                let mut redirect = Redirect(&old, &new, false);
                change::expr(&mut ast, &mut redirect);
                if redirect.2 {
                    Arc::make_mut(table).columns[at].default = Some(Expression::new(ast));
                }
            }
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
        let mut new = self.define_column(&table.schema, &table.name, table.temporary, def)?;
        let oid = table.oid;
        let at = table.columns.len();
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

    fn rename_column(&mut self, table: &Arc<Table>, old: &str, new: &str) -> Result<()> {
        let at = table.column(old).ok_or_else(|| {
            SqlError::new(SqlState::UNDEFINED_COLUMN, format!("column \"{old}\" does not exist"))
        })?;
        if table.column(new).is_some() {
            return Err(SqlError::new(
                SqlState::DUPLICATE_COLUMN,
                format!("column \"{new}\" of relation \"{}\" already exists", table.name),
            ));
        }
        if self.catalog.queries().any(|v| v.uses.contains(&table.oid) && view_mentions(v, old)) {
            return Err(SqlError::unsupported("renaming a column that a view uses"));
        }
        let table = self.catalog.table_mut(table.oid)?;
        new.clone_into(&mut table.columns[at].name);
        let renamed = |e: &Arc<Expression>| {
            let mut ast = e.ast.clone();
            walk::rename_column(&mut ast, old, new);
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

    fn rename_view_column(&mut self, oid: Oid, old: &str, new: &str) -> Result<()> {
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

    fn rename_constraint(&mut self, table: &Arc<Table>, old: &str, new: &str) -> Result<()> {
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

    fn alter_column(
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

    /// Makes a column an identity column, perhaps with the name its sequence is to have.
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
        let new = self.catalog.resolve_type(self.cx.path, ty)?;
        if new.serial {
            return Err(super::types::no_type(None, &ty.to_string().to_ascii_lowercase()));
        }
        self.storable(name, new.ty)?;
        if let Some(view) =
            self.catalog.queries().find(|v| v.uses.contains(&table.oid) && view_mentions(v, name))
        {
            return Err(SqlError::new(
                SqlState::FEATURE_NOT_SUPPORTED,
                "cannot alter type of a column used by a view or rule",
            )
            .detail(format!("rule _RETURN on view {} depends on column \"{name}\"", view.name)));
        }
        if table.columns.iter().any(|c| {
            c.generated && c.default.as_ref().is_some_and(|d| walk::columns(&d.ast).contains(name))
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
                    IndexKey::Expression(e) => uses |= walk::columns(&e.ast).contains(name),
                }
            }
            uses |= index.predicate.as_ref().is_some_and(|p| walk::columns(&p.ast).contains(name));
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
                && walk::columns(&e.ast).contains(name)
            {
                self.cx.binder.describe_expr(self.catalog, Some(&after), &e.ast, Usage::Check)?;
                self.step(DataStep::ValidateCheck { table: table.oid, constraint: constraint.oid });
            }
        }
        Ok(())
    }

    /// ALTER COLUMN … DROP IDENTITY.
    pub(super) fn drop_identity(
        &mut self,
        table: &Arc<Table>,
        column: &Ident,
        if_exists: bool,
    ) -> Result<()> {
        let name = fold(column);
        let at = table.column(&name).ok_or_else(|| no_column(&name, &table.name))?;
        if table.columns[at].identity.is_none() {
            let message = format!(
                "column \"{name}\" of relation \"{}\" is not an identity column",
                table.name
            );
            if if_exists {
                self.notice(SqlState::SUCCESSFUL_COMPLETION, format!("{message}, skipping"));
                return Ok(());
            }
            return Err(SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, message));
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

    /// ALTER COLUMN … SET GENERATED and the sequence options that stand with it.
    pub(super) fn alter_identity(
        &mut self,
        table: &Arc<Table>,
        column: &Ident,
        kind: Option<Identity>,
        options: &Options,
    ) -> Result<()> {
        let name = fold(column);
        let at = table.column(&name).ok_or_else(|| no_column(&name, &table.name))?;
        if table.columns[at].identity.is_none() {
            return Err(SqlError::new(
                SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                format!(
                    "column \"{name}\" of relation \"{}\" is not an identity column",
                    table.name
                ),
            ));
        }
        if kind.is_some() {
            self.catalog.table_mut(table.oid)?.columns[at].identity = kind;
        }
        match self.catalog.owned_sequence(table.oid, at).cloned() {
            Some(sequence) => self.reoption_sequence(&sequence, options),
            None => Ok(()),
        }
    }

    /// The collation of a column whose type was just set.
    pub(super) fn set_collation(
        &mut self,
        table: &Arc<Table>,
        column: &Ident,
        collation: &ObjectName,
    ) -> Result<()> {
        let name = fold(column);
        let at = table.column(&name).ok_or_else(|| no_column(&name, &table.name))?;
        let collation = self.collation(collation, table.columns[at].ty)?;
        self.catalog.table_mut(table.oid)?.columns[at].collation = Some(collation);
        Ok(())
    }

    /// ALTER COLUMN … DROP EXPRESSION: the values stay, the column is a plain one.
    pub(super) fn drop_expression(
        &mut self,
        table: &Arc<Table>,
        column: &Ident,
        if_exists: bool,
    ) -> Result<()> {
        let name = fold(column);
        let at = table.column(&name).ok_or_else(|| no_column(&name, &table.name))?;
        if !table.columns[at].generated {
            let message = format!(
                "column \"{name}\" of relation \"{}\" is not a stored generated column",
                table.name
            );
            if if_exists {
                self.notice(SqlState::SUCCESSFUL_COMPLETION, format!("{message}, skipping"));
                return Ok(());
            }
            return Err(SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, message));
        }
        let column = &mut self.catalog.table_mut(table.oid)?.columns[at];
        column.generated = false;
        column.default = None;
        Ok(())
    }
}

fn is_cascade(behavior: &Option<DropBehavior>) -> bool {
    matches!(behavior, Some(DropBehavior::Cascade))
}

fn constraint_is_primary(wish: &Wish) -> bool {
    matches!(wish, Wish::Key(key) if key.primary)
}
