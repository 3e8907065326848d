//! Enum types: CREATE TYPE … AS ENUM, and what ALTER TYPE does to them.

use std::collections::HashSet;
use std::sync::Arc;

use hobgoblin_core::Text;
use sqlparser::ast::{
    AlterType, AlterTypeAddValuePosition, AlterTypeOperation, Expr, ObjectName,
    UserDefinedTypeRepresentation,
};

use super::{DataStep, Ddl};
use crate::catalog::mentions::has_literal;
use crate::catalog::names;
use crate::catalog::names::NAME_LENGTH;
use crate::catalog::{Column, ConstraintKind, Derived, IndexKey, Table, mentions, split_name};
use crate::error::{Result, SqlError, SqlState};
use crate::types::{Datum, EnumType, Oid, builtin};

impl Ddl<'_, '_> {
    pub(super) fn create_type(
        &mut self,
        name: &ObjectName,
        representation: Option<&UserDefinedTypeRepresentation>,
    ) -> Result<()> {
        self.tag("CREATE TYPE");
        let labels = match representation {
            Some(UserDefinedTypeRepresentation::Enum { labels }) => labels,
            Some(UserDefinedTypeRepresentation::Composite { .. }) => {
                return Err(SqlError::unsupported("CREATE TYPE of a composite type"));
            }
            Some(UserDefinedTypeRepresentation::Range { .. }) => {
                return Err(SqlError::unsupported("CREATE TYPE of a range type"));
            }
            _ => return Err(SqlError::unsupported("CREATE TYPE of a base type")),
        };
        let (schema, name) = self.new_name(name, false)?;
        if self.schema(&schema)?.types.contains_key(&name) {
            return Err(SqlError::new(
                SqlState::DUPLICATE_OBJECT,
                format!("type \"{name}\" already exists"),
            ));
        }
        let oid = self.catalog.new_oid();
        let array = self.catalog.new_oid();
        let mut made: Vec<(Oid, f32, Text)> = Vec::new();
        let mut seen = HashSet::new();
        for label in labels {
            check_label(&label.value)?;
            if !seen.insert(label.value.as_str()) {
                return Err(SqlError::new(
                    SqlState::UNIQUE_VIOLATION,
                    "duplicate key value violates unique constraint \"pg_enum_typid_label_index\"",
                )
                .detail(format!(
                    "Key (enumtypid, enumlabel)=({oid}, {}) already exists.",
                    label.value
                )));
            }
            let place = (made.len() + 1) as f32;
            made.push((self.catalog.new_oid(), place, label.value.as_str().into()));
        }
        let within = self.schema_mut(&schema)?;
        let array_name = names::array_type_name(within, &name);
        within.types.insert(name.clone(), oid);
        within.types.insert(array_name, array);
        self.catalog.derived.insert(array, Derived::Array(oid));
        self.catalog.enums.insert(
            oid,
            Arc::new(EnumType { oid, array, schema, name, labels: made, former: Vec::new() }),
        );
        Ok(())
    }

    /// The enum type of this name.
    pub(super) fn user_enum(&self, name: &ObjectName) -> Result<Oid> {
        let (schema, last) = split_name(name)?;
        let found = self.catalog.type_named(self.cx.path, schema.as_deref(), &last);
        match found {
            Some(ty) if self.catalog.enums.contains_key(&ty.0) => Ok(ty.0),
            Some(_) => {
                Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, format!("{last} is not an enum")))
            }
            None if schema.is_none() && builtin::by_name(&last).is_some() => {
                Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, format!("{last} is not an enum")))
            }
            None => Err(no_type(schema.as_deref(), &last)),
        }
    }

    pub(super) fn alter_type(&mut self, alter: &AlterType) -> Result<()> {
        self.tag("ALTER TYPE");
        let oid = self.user_enum(&alter.name)?;
        match &alter.operation {
            AlterTypeOperation::Rename(rename) => {
                self.rename_type(oid, &crate::catalog::fold(&rename.new_name))
            }
            AlterTypeOperation::AddValue(add) => {
                let (before, neighbour) = match &add.position {
                    Some(AlterTypeAddValuePosition::Before(label)) => {
                        (true, Some(label.value.as_str()))
                    }
                    Some(AlterTypeAddValuePosition::After(label)) => {
                        (false, Some(label.value.as_str()))
                    }
                    None => (false, None),
                };
                self.add_label(oid, &add.value.value, add.if_not_exists, neighbour, before)
            }
            AlterTypeOperation::RenameValue(rename) => {
                let found = self.catalog.enums.get(&oid).cloned().ok_or_else(|| no_label(""))?;
                if !found.labels.iter().any(|(_, _, t)| **t == *rename.from.value) {
                    return Err(no_label(&rename.from.value));
                }
                if found.labels.iter().any(|(_, _, t)| **t == *rename.to.value) {
                    return Err(label_exists(&rename.to.value));
                }
                check_label(&rename.to.value)?;
                self.rename_label(&found, &rename.from.value, &rename.to.value)
            }
        }
    }

    /// Gives a label another text. Rows keep labels as texts, so the tables that use the type are
    /// written anew.
    fn rename_label(&mut self, found: &EnumType, from: &str, to: &str) -> Result<()> {
        let uses = |column: &Column| {
            !column.dropped && (column.ty.0 == found.oid || column.ty.0 == found.array)
        };
        let tables = self.catalog.tables().filter(|table| table.columns.iter().any(uses));
        let tables: Vec<Arc<Table>> = tables.cloned().collect();
        let refuse = |named: bool| match named {
            true => Err(SqlError::unsupported(
                "RENAME VALUE of a label that expressions of the schema name",
            )),
            false => Ok(()),
        };
        let named = |expr: &Expr| has_literal(expr, |text| text == from);
        for view in self.catalog.queries() {
            refuse(has_literal(&*view.query, |text| text == from))?;
            view.clauses.expressions().try_for_each(|expr| refuse(named(expr)))?;
        }
        for table in &tables {
            for constraint in &table.constraints {
                if let ConstraintKind::Check(check) = &constraint.kind {
                    refuse(named(&check.ast))?;
                }
            }
            for index in &table.indexes {
                let keys = index.columns.iter().filter_map(|column| match &column.key {
                    IndexKey::Expression(key) => Some(key),
                    IndexKey::Column(_) => None,
                });
                for expression in keys.chain(&index.predicate) {
                    refuse(named(&expression.ast))?;
                }
            }
            for column in table.columns.iter().filter(|column| !uses(column) || column.generated) {
                if let Some(default) = &column.default {
                    refuse(named(&default.ast))?;
                }
            }
            // A label inside the text of an array is not looked for.
            for column in table.columns.iter().filter(|column| column.ty.0 == found.array) {
                if let Some(default) = &column.default {
                    refuse(has_literal(&default.ast, |text| text.contains(from)))?;
                }
            }
        }
        self.change_enum(found.oid, |e| {
            e.former.retain(|(text, _)| **text != *to);
            if let Some((oid, _, text)) = e.labels.iter_mut().find(|(_, _, text)| **text == *from) {
                e.former.push((text.clone(), *oid));
                *text = to.into();
            }
        });
        for before in tables {
            let mut rebuilt = Vec::new();
            for index in before.indexes.iter().filter(|index| !before.keys_rows(index)) {
                rebuilt.push((index.oid, self.catalog.new_prefix(&before.schema, &index.name)));
            }
            let changed = self.catalog.table_mut(before.oid)?;
            for column in changed.columns.iter_mut().filter(|column| uses(column)) {
                if let Some(default) = column.default.as_mut().filter(|_| !column.generated) {
                    let default = Arc::make_mut(default);
                    mentions::rename_literal(&mut default.ast, from, to);
                    default.text = default.ast.to_string();
                }
                if let Datum::Enum(_, text) = &mut column.missing
                    && **text == *from
                {
                    *text = to.into();
                }
            }
            for index in &mut changed.indexes {
                if let Some((_, prefix)) = rebuilt.iter().find(|(oid, _)| *oid == index.oid) {
                    Arc::make_mut(index).prefix = prefix.clone();
                }
            }
            // The rows are read with the new expressions, and found where they were.
            let old = Table { indexes: before.indexes.clone(), ..changed.clone() };
            let column = before.columns.iter().position(uses).unwrap_or(0);
            self.step(DataStep::RewriteColumn { before: Arc::new(old), column, using: None });
            for (index, _) in rebuilt {
                self.step(DataStep::BuildIndex { table: before.oid, index });
            }
        }
        Ok(())
    }

    fn add_label(
        &mut self,
        oid: Oid,
        label: &str,
        if_not_exists: bool,
        neighbour: Option<&str>,
        before: bool,
    ) -> Result<()> {
        check_label(label)?;
        let Some(found) = self.catalog.enums.get(&oid).cloned() else { return Ok(()) };
        if found.labels.iter().any(|(_, _, t)| **t == *label) {
            if if_not_exists {
                self.notice(
                    SqlState::DUPLICATE_OBJECT,
                    format!("enum label \"{label}\" already exists, skipping"),
                );
                return Ok(());
            }
            return Err(label_exists(label));
        }
        let places: Vec<f32> = found.labels.iter().map(|(_, place, _)| *place).collect();
        let (at, place) = match neighbour {
            None => (places.len(), places.last().map_or(1.0, |last| last + 1.0)),
            Some(neighbour) => {
                let near = found
                    .labels
                    .iter()
                    .position(|(_, _, t)| **t == *neighbour)
                    .ok_or_else(|| no_label(neighbour))?;
                let at = if before { near } else { near + 1 };
                let below = at.checked_sub(1).and_then(|i| places.get(i)).copied();
                let place = match (below, places.get(at).copied()) {
                    (Some(low), Some(high)) => low + (high - low) / 2.0,
                    (None, Some(high)) => high - 1.0,
                    (Some(low), None) => low + 1.0,
                    (None, None) => 1.0,
                };
                (at, place)
            }
        };
        let new = self.catalog.new_oid();
        self.change_enum(oid, |e| {
            e.former.retain(|(text, _)| **text != *label);
            e.labels.insert(at, (new, place, label.into()));
        });
        // Places that can no longer be told apart are numbered anew.
        self.change_enum(oid, |e| {
            if e.labels.windows(2).any(|w| w[0].1 >= w[1].1) {
                for (n, label) in e.labels.iter_mut().enumerate() {
                    label.1 = (n + 1) as f32;
                }
            }
        });
        Ok(())
    }

    fn change_enum(&mut self, oid: Oid, change: impl FnOnce(&mut EnumType)) {
        if let Some(found) = self.catalog.enums.get_mut(&oid) {
            change(Arc::make_mut(found));
        }
    }

    fn rename_type(&mut self, oid: Oid, new: &str) -> Result<()> {
        let Some(found) = self.catalog.enums.get(&oid).cloned() else { return Ok(()) };
        self.move_type(&found, &found.schema.clone(), new)
    }

    /// Gives an enum type another name or schema.
    pub(super) fn move_type(&mut self, found: &EnumType, schema: &str, name: &str) -> Result<()> {
        self.move_names(found.oid, found.array, &found.schema, schema, name)?;
        self.change_enum(found.oid, |e| {
            schema.clone_into(&mut e.schema);
            name.clone_into(&mut e.name);
        });
        Ok(())
    }

    /// Gives a type and its array type another name or schema.
    pub(super) fn move_names(
        &mut self,
        oid: Oid,
        array: Oid,
        from: &str,
        schema: &str,
        name: &str,
    ) -> Result<()> {
        if self.schema(schema)?.types.contains_key(name) {
            return Err(SqlError::new(
                SqlState::DUPLICATE_OBJECT,
                if schema == from {
                    format!("type \"{name}\" already exists")
                } else {
                    format!("type \"{name}\" already exists in schema \"{schema}\"")
                },
            ));
        }
        self.schema_mut(from)?.types.retain(|_, t| *t != oid && *t != array);
        let within = self.schema_mut(schema)?;
        let array_name = names::array_type_name(within, name);
        within.types.insert(name.to_owned(), oid);
        within.types.insert(array_name, array);
        Ok(())
    }
}

pub(super) fn no_type(schema: Option<&str>, name: &str) -> SqlError {
    SqlError::new(
        SqlState::UNDEFINED_OBJECT,
        match schema {
            Some(schema) => format!("type \"{schema}.{name}\" does not exist"),
            None => format!("type \"{name}\" does not exist"),
        },
    )
}

fn check_label(label: &str) -> Result<()> {
    if label.len() > NAME_LENGTH {
        return Err(SqlError::new(
            SqlState::INVALID_NAME,
            format!("invalid enum label \"{label}\""),
        )
        .detail("Labels must be 63 bytes or less."));
    }
    Ok(())
}

fn no_label(label: &str) -> SqlError {
    SqlError::new(
        SqlState::INVALID_PARAMETER_VALUE,
        format!("\"{label}\" is not an existing enum label"),
    )
}

fn label_exists(label: &str) -> SqlError {
    SqlError::new(SqlState::DUPLICATE_OBJECT, format!("enum label \"{label}\" already exists"))
}
