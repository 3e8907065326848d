//! A definition becomes a table: a new one, or one in the place of another.
//!
//! Where rows would be other ones under the new definition (columns come, go, move or change their type, or the primary key
//! is another one) all of them are written again under new keys, as the server copies them; else only what is new of indexes
//! and constraints is made and checked.

use std::sync::Arc;

use hobgoblin_core::Text;
use hobgoblin_sql_mysql_types::error::{self, error};
use hobgoblin_sql_mysql_types::{Kind, MyType};
use hobgoblin_sql_schema::catalog::{
    Column, Constraint, ConstraintKind, Derived, Expression, Identity, Index, IndexColumn,
    IndexKey, Notes, OnCommit, Relation, Sequence, Table,
};
use hobgoblin_sql_schema::{Binding, Result};
use hobgoblin_sql_value::{Oid, TypeId};
use sqlparser::ast::{Expr, Ident, Value};

use super::change::Ddl;
use super::context::DataStep;
use super::definition::{CheckPlan, ColumnPlan, Definition, KeyPlan};
use super::key;
use super::mentions::mentions;
use crate::catalog::names::same;
use crate::catalog::notes::{IndexNotes, TableNotes};
use crate::syntax::KeyKind;

/// The most bytes of a row, large texts apart.
const MOST_BYTES: u64 = 65_535;

/// The most columns of a table.
const MOST_COLUMNS: usize = 1017;

/// Where a table is made.
pub(super) struct Head {
    pub(super) schema: String,
    pub(super) name: String,
    pub(super) temporary: bool,
}

impl Ddl<'_, '_> {
    /// Makes a table; gives its oid.
    pub(super) fn make(&mut self, head: &Head, mut definition: Definition) -> Result<Oid> {
        self.settle(&mut definition, &head.schema, &head.name)?;
        let oid = self.catalog.new_oid();
        let (row_type, row_array) = (self.catalog.new_oid(), self.catalog.new_oid());
        self.catalog.derived.insert(row_type, Derived::Row(oid));
        self.catalog.derived.insert(row_array, Derived::Array(row_type));
        definition.notes.created = self.cx.now;
        let table = Table {
            oid,
            row_type,
            row_array,
            schema: head.schema.clone(),
            name: head.name.clone(),
            prefix: self.prefix(&head.schema, &head.name),
            columns: definition.columns.iter().map(column).collect(),
            indexes: Vec::new(),
            constraints: Vec::new(),
            temporary: head.temporary,
            on_commit: OnCommit::PreserveRows,
            options: Vec::new(),
            unlogged: false,
            materialized: None,
            populated: true,
            notes: Notes::new(definition.notes.clone()),
        };
        self.schema_mut(&head.schema)?.relations.insert(head.name.clone(), oid);
        self.catalog.relations.insert(oid, Relation::Table(Arc::new(table)));
        for key in &definition.keys {
            self.push_index(oid, key)?;
        }
        self.push_checks(oid, &definition)?;
        self.check_expressions(oid)?;
        self.push_foreign(oid, &definition.foreign)?;
        if let Some(at) = definition.columns.iter().position(|column| column.auto) {
            let sequence = self.push_counter(oid, at)?;
            let next = definition.next.map_or(1, |next| i64::try_from(next).unwrap_or(i64::MAX));
            self.step(DataStep::SetCounter(sequence, next.max(1)));
        }
        self.adopt(oid)?;
        Ok(oid)
    }

    /// Changes a table to what a definition says.
    pub(super) fn remake(
        &mut self,
        before: &Arc<Table>,
        mut definition: Definition,
        ignore: bool,
        order: &[(String, bool)],
    ) -> Result<()> {
        self.settle(&mut definition, &before.schema, &before.name)?;
        self.check_keyed(before, &definition)?;
        let oid = before.oid;
        let from: Vec<Option<usize>> = definition.columns.iter().map(|column| column.was).collect();
        let rewrites = rewrites(before, &definition) || !order.is_empty();
        let copies = copies(before, &definition)
            || !order.is_empty()
            || rewrites && (before.temporary || definition.notes.engine != "InnoDB");
        definition.notes.dangling.clear();
        let kept: Vec<Arc<Index>> = before.indexes.clone();
        for index in &kept {
            self.catalog.relations.remove(&index.oid);
        }
        let prefix = match rewrites {
            true => self.prefix(&before.schema, &before.name),
            false => before.prefix.clone(),
        };
        let table = self.catalog.table_mut(oid)?;
        table.prefix = prefix;
        table.columns = definition.columns.iter().map(column).collect();
        table.indexes = Vec::new();
        table.constraints = Vec::new();
        table.notes = Notes::new(definition.notes.clone());
        let mut built = Vec::new();
        self.note_twins(&definition);
        for key in &definition.keys {
            let old = kept.iter().find(|index| Some(index.oid) == key.was && !rewrites);
            match old {
                Some(index) => self.keep_index(oid, index, key)?,
                None => built.push(self.push_index(oid, key)?),
            }
        }
        let new_checks = self.push_checks(oid, &definition)?;
        let new_checks_empty = new_checks.is_empty();
        self.check_expressions(oid)?;
        let new_foreign = self.push_foreign(oid, &definition.foreign)?;
        self.needed_indexes(before, oid)?;
        self.renumber(before, &from)?;
        let counter = definition.columns.iter().position(|column| column.auto);
        let sequence =
            self.catalog.sequences().find(|s| s.owner.is_some_and(|(t, ..)| t == oid)).cloned();
        let sequence = match (counter, sequence) {
            (None, Some(sequence)) => {
                self.catalog.relations.remove(&sequence.oid);
                None
            }
            (Some(at), Some(sequence)) => {
                let mut moved = (*sequence).clone();
                moved.owner = Some((oid, at, true));
                let id = moved.oid;
                self.catalog.relations.insert(id, Relation::Sequence(Arc::new(moved)));
                definition.next.map(|_| (id, at))
            }
            (Some(at), None) => {
                let id = self.push_counter(oid, at)?;
                self.step(DataStep::SetCounter(id, 1));
                Some((id, at))
            }
            (None, None) => None,
        };
        if rewrites {
            let place = |name: &str| definition.column(name);
            let order = order.iter().filter_map(|(name, way)| Some((place(name)?, *way))).collect();
            let before = Arc::clone(before);
            self.step(DataStep::Rebuild { before, table: oid, from, ignore, order });
        } else {
            for index in built {
                self.step(DataStep::BuildIndex { table: oid, index });
            }
            for constraint in new_checks {
                self.step(DataStep::Validate { table: oid, constraint });
            }
        }
        let checked = self.cx.foreign_key_checks && !new_foreign.is_empty();
        self.validate_foreign(oid, &new_foreign);
        if copies || checked || !new_checks_empty {
            self.step(DataStep::Count(oid));
        }
        if let Some((sequence, column)) = sequence {
            let least = definition.next.map_or(1, |next| i64::try_from(next).unwrap_or(i64::MAX));
            self.step(DataStep::RaiseCounter { sequence, table: oid, column, least });
        }
        Ok(())
    }

    /// Refuses another type of a column that a foreign key goes from or to.
    fn check_keyed(&self, before: &Arc<Table>, definition: &Definition) -> Result<()> {
        if !self.cx.foreign_key_checks {
            return Ok(());
        }
        for plan in &definition.columns {
            let Some((at, column)) = plan.was.and_then(|at| Some((at, before.columns.get(at)?)))
            else {
                continue;
            };
            let old = MyType::of(column.ty);
            if (old.kind, old.unsigned) == (plan.ty.kind, plan.ty.unsigned) || old.is_text() {
                continue;
            }
            if let Some(key) = definition.foreign.iter().find(|key| {
                key.was.is_some() && key.columns.iter().any(|column| same(column, &plan.name))
            }) {
                let message = format!(
                    "Cannot change column '{}': used in a foreign key constraint '{}'",
                    plan.name, key.name
                );
                return Err(error(1832, message));
            }
            let refers = self.catalog.referring(before.oid).find(|(_, constraint)| {
                matches!(&constraint.kind, ConstraintKind::Foreign(key) if key.referenced.contains(&at))
            });
            if let Some((child, constraint)) = refers {
                let message = format!(
                    "Cannot change column '{}': used in a foreign key constraint '{}' of table '{}.{}'",
                    plan.name, constraint.name, child.schema, child.name
                );
                return Err(error(1833, message));
            }
        }
        Ok(())
    }

    /// A key prefix that was never used.
    pub(super) fn prefix(&mut self, schema: &str, name: &str) -> Text {
        self.catalog.new_prefix(schema, name)
    }

    /// What every definition is checked for, before anything is made of it.
    fn settle(&self, definition: &mut Definition, database: &str, table: &str) -> Result<()> {
        if definition.columns.iter().all(|column| column.hidden) {
            let message = match definition.columns.is_empty() {
                true => "A table must have at least 1 column",
                false => "A table must have at least one visible column.",
            };
            return Err(error(if definition.columns.is_empty() { 1113 } else { 4128 }, message));
        }
        if definition.columns.len() > MOST_COLUMNS {
            return Err(error(1117, "Too many columns"));
        }
        for (at, column) in definition.columns.iter().enumerate() {
            if definition.columns[..at].iter().any(|before| same(&before.name, &column.name)) {
                return Err(twice(&column.name));
            }
        }
        key::settle(definition)?;
        self.name_foreign(definition, database, table)?;
        let start = match self.cx.settings().version.is_mysql() {
            true => {
                own_checks(definition);
                format!("{table}_chk_")
            }
            false => "CONSTRAINT_".to_owned(),
        };
        name_checks(definition, &start)?;
        check_size(definition)
    }

    /// Tells of new keys that are as others.
    fn note_twins(&self, definition: &Definition) {
        let new = definition.keys.iter().enumerate().filter(|(_, key)| key.was.is_none());
        for (at, key) in new {
            let twin = |other: &KeyPlan| {
                other.kind == key.kind
                    && other.parts == key.parts
                    && other.using == key.using
                    && other.ignored == key.ignored
            };
            if definition.keys[..at].iter().any(twin) {
                let message = format!(
                    "Duplicate index `{}`. This is deprecated and will be disallowed in a future release",
                    key.name
                );
                self.note(1831, message);
            }
        }
    }

    fn push_index(&mut self, table: Oid, key: &KeyPlan) -> Result<Oid> {
        let of = self.table(table)?;
        let prefix = self.prefix(&of.schema, &format!("{}.{}", of.name, key.name));
        let oid = self.catalog.new_oid();
        let index = index(&of, oid, prefix, key);
        self.catalog.table_mut(table)?.indexes.push(Arc::new(index));
        self.catalog.relations.insert(oid, Relation::Index { table, oid });
        Ok(oid)
    }

    /// An index whose entries stay as they are.
    fn keep_index(&mut self, table: Oid, old: &Arc<Index>, key: &KeyPlan) -> Result<()> {
        let of = self.table(table)?;
        let kept = index(&of, old.oid, old.prefix.clone(), key);
        self.catalog.table_mut(table)?.indexes.push(Arc::new(kept));
        self.catalog.relations.insert(old.oid, Relation::Index { table, oid: old.oid });
        Ok(())
    }

    /// The checks of a table; gives those that are new.
    fn push_checks(&mut self, table: Oid, definition: &Definition) -> Result<Vec<Oid>> {
        let of_columns = definition.columns.iter().filter_map(|column| {
            let condition = Arc::clone(column.check.as_ref()?);
            Some(CheckPlan { name: column.name.clone(), condition, was: None })
        });
        let mut new = Vec::new();
        for plan in of_columns.chain(definition.checks.iter().cloned()).collect::<Vec<_>>() {
            let oid = plan.was.unwrap_or_else(|| self.catalog.new_oid());
            if plan.was.is_none() {
                new.push(oid);
            }
            let constraint = Constraint {
                oid,
                name: plan.name,
                kind: ConstraintKind::Check(plan.condition),
                deferrable: false,
                initially_deferred: false,
                validated: true,
            };
            self.catalog.table_mut(table)?.constraints.push(Arc::new(constraint));
        }
        Ok(new)
    }

    /// Has the binder look at checks, generated columns and defaults.
    fn check_expressions(&self, table: Oid) -> Result<()> {
        let table = self.table(table)?;
        let mut exprs: Vec<(&Expr, &str)> = Vec::new();
        for (at, column) in table.columns.iter().enumerate() {
            let Some(value) = column.default.as_ref().filter(|_| column.generated) else {
                continue;
            };
            let later = table.columns[at..].iter().filter(|other| other.generated);
            if let Some(other) = later.clone().find(|other| mentions(&value.ast, &other.name)) {
                let message = format!(
                    "Expression for field `{}` is referring to uninitialized field `{}`",
                    column.name, other.name
                );
                return Err(error(4029, message));
            }
            exprs.push((&value.ast, "GENERATED ALWAYS AS"));
        }
        for constraint in &table.constraints {
            if let ConstraintKind::Check(check) = &constraint.kind {
                exprs.push((&check.ast, "CHECK"));
            }
        }
        for (expr, clause) in exprs {
            let described = self.cx.binder.describe_expr(self.catalog, &table, expr);
            described.map_err(|refused| match refused.binding() {
                Some(Binding::NoColumn(name)) => {
                    let message = format!("Unknown column '{name}' in '{clause}'");
                    error(error::UNKNOWN_COLUMN, message)
                }
                _ => refused,
            })?;
        }
        Ok(())
    }

    /// Refuses to take away an index that a foreign key of the table needs.
    fn needed_indexes(&self, before: &Arc<Table>, oid: Oid) -> Result<()> {
        let after = self.table(oid)?;
        for constraint in &after.constraints {
            let ConstraintKind::Foreign(key) = &constraint.kind else { continue };
            if super::foreign::served(&after, &key.columns) {
                continue;
            }
            let gone =
                |index: &&Arc<Index>| !after.indexes.iter().any(|kept| kept.name == index.name);
            let lost = before.indexes.iter().filter(gone).find(|index| {
                let first = IndexNotes::of(index)
                    .parts
                    .first()
                    .map(|part| before.columns[part.0].name.clone());
                first.is_some_and(|name| {
                    key.columns.iter().any(|at| after.columns[*at].name == name)
                })
            });
            let name = lost.map_or_else(String::new, |index| index.name.clone());
            return Err(super::foreign::needed(&name));
        }
        Ok(())
    }

    /// The counter of a column that counts.
    fn push_counter(&mut self, table: Oid, column: usize) -> Result<Oid> {
        let of = self.table(table)?;
        let oid = self.catalog.new_oid();
        let (_, most) = MyType::of(of.columns[column].ty).bounds();
        let sequence = Sequence {
            oid,
            schema: of.schema.clone(),
            name: format!("{}.{}", of.name, of.columns[column].name),
            prefix: self.prefix(&of.schema, &format!("{}.AUTO_INCREMENT", of.name)),
            ty: TypeId::BIGINT,
            start: 1,
            increment: 1,
            min: 1,
            max: i64::try_from(most).unwrap_or(i64::MAX),
            cache: 1,
            cycle: false,
            temporary: of.temporary,
            owner: Some((table, column, true)),
        };
        self.catalog.relations.insert(oid, Relation::Sequence(Arc::new(sequence)));
        Ok(oid)
    }
}

/// Whether rows are other ones under a new definition of their table.
fn rewrites(before: &Table, definition: &Definition) -> bool {
    let primary = |key: &&KeyPlan| key.kind == KeyKind::Primary;
    let now = definition.keys.iter().find(primary);
    let was = before.primary();
    let moved = match (now, was) {
        (Some(now), Some(was)) => now.was != Some(was.oid),
        (now, was) => now.is_some() != was.is_some(),
    };
    let other = |(at, plan): (usize, &ColumnPlan)| {
        let Some(column) = before.columns.get(at) else { return true };
        let text =
            |default: &Option<Arc<Expression>>| default.as_ref().map(|found| found.text.clone());
        plan.was != Some(at)
            || plan.name != column.name
            || plan.ty.id() != column.ty
            || plan.not_null != column.not_null
            || plan.generated != column.generated
            || plan.generated && text(&plan.default) != text(&column.default)
            || plan.auto && column.identity.is_none()
    };
    moved
        || definition.columns.len() != before.columns.len()
        || definition.columns.iter().enumerate().any(other)
}

/// Whether a server would make a copy of the table, row by row.
fn copies(before: &Table, definition: &Definition) -> bool {
    let notes = TableNotes::of(before);
    if notes.engine != definition.notes.engine {
        return true;
    }
    // Without a primary key the first unique one without NULLs stands for it.
    let strict = |key: &KeyPlan| {
        let column = |name: &str| definition.columns.iter().find(|column| same(&column.name, name));
        matches!(key.kind, KeyKind::Primary | KeyKind::Unique)
            && key.parts.iter().all(|part| column(&part.0).is_some_and(|column| column.not_null))
    };
    let dropped = before.primary().is_some() && !definition.keys.iter().any(strict);
    let other = |plan: &ColumnPlan| {
        let Some(column) = plan.was.and_then(|at| before.columns.get(at)) else {
            return plan.notes.generated.as_ref().is_some_and(|(_, stored)| *stored);
        };
        let (old, new) = (MyType::of(column.ty), plan.ty);
        let long = |ty: MyType| ty.length * ty.collation.most_bytes() > 255;
        let longer = old.kind == Kind::VarChar
            && MyType { length: old.length, collation: old.collation, ..new } == old
            && new.collation.charset() == old.collation.charset()
            && new.length >= old.length
            && long(old) == long(new);
        let collated = MyType { collation: old.collation, ..new } == old
            && new.collation.charset() == old.collation.charset();
        let counts = plan.auto && column.identity.is_none();
        counts || !(longer || collated || old == new)
    };
    dropped || definition.columns.iter().any(other)
}

fn column(plan: &ColumnPlan) -> Column {
    let mut column = Column::new(&plan.name, plan.ty.id(), -1);
    column.not_null = plan.not_null;
    column.default.clone_from(&plan.default);
    column.generated = plan.generated;
    column.identity = plan.auto.then_some(Identity::ByDefault);
    column.on_update.clone_from(&plan.on_update);
    column.hidden = plan.hidden;
    column.collation = plan.ty.has_letters().then(|| plan.ty.collation.name().to_owned());
    column.notes = Notes::new(plan.notes.clone());
    column
}

/// An index of a table.
fn index(table: &Table, oid: Oid, prefix: Text, key: &KeyPlan) -> Index {
    let place = |name: &str| table.columns.iter().position(|column| same(&column.name, name));
    let parts: Vec<(usize, Option<u32>, bool)> = key
        .parts
        .iter()
        .filter_map(|(name, length, descends)| Some((place(name)?, *length, *descends)))
        .collect();
    let unique = matches!(key.kind, KeyKind::Primary | KeyKind::Unique);
    let columns = parts.iter().map(|(at, length, _)| {
        let column = &table.columns[*at];
        let key = match length {
            // Others find rows by whole values; only uniqueness depends on how much is in the key.
            Some(length) if unique => IndexKey::Expression(beginning(&column.name, *length)),
            _ => IndexKey::Column(*at),
        };
        IndexColumn {
            key,
            name: column.name.clone(),
            ty: column.ty,
            collation: None,
            descending: false,
            nulls_first: true,
            opclass: None,
        }
    });
    let method = match key.kind {
        KeyKind::Fulltext => "fulltext",
        KeyKind::Spatial => "spatial",
        KeyKind::Primary | KeyKind::Unique | KeyKind::Plain => "btree",
    };
    Index {
        oid,
        name: key.name.clone(),
        prefix,
        columns: columns.collect(),
        include: Vec::new(),
        unique,
        primary: key.kind == KeyKind::Primary,
        nulls_not_distinct: false,
        predicate: None,
        method: method.to_owned(),
        options: Vec::new(),
        operators: Vec::new(),
        notes: Notes::new(IndexNotes {
            kind: key.kind,
            parts,
            using: key.using.clone(),
            comment: key.comment.clone(),
            ignored: key.ignored,
            generated: key.generated,
        }),
    }
}

/// `left(column, length)`.
fn beginning(column: &str, length: u32) -> Arc<Expression> {
    let column = Expr::Identifier(Ident::with_quote('`', column));
    let length = Expr::Value(Value::Number(length.to_string(), false).into());
    Expression::new(crate::parse::function("left", vec![column, length]))
}

/// Checks that are written with columns are ones of the table.
fn own_checks(definition: &mut Definition) {
    for column in &mut definition.columns {
        if let Some(condition) = column.check.take() {
            column.notes.check = None;
            definition.checks.push(CheckPlan { name: String::new(), condition, was: None });
        }
    }
}

fn name_checks(definition: &mut Definition, start: &str) -> Result<()> {
    for at in 0..definition.checks.len() {
        if definition.checks[at].name.is_empty() {
            let taken = |name: &str| definition.checks.iter().any(|check| same(&check.name, name));
            let name = (1..).map(|number| format!("{start}{number}")).find(|name| !taken(name));
            definition.checks[at].name = name.unwrap_or_default();
        } else {
            let name = &definition.checks[at].name;
            if definition.checks[..at].iter().any(|before| same(&before.name, name)) {
                return Err(error(1826, format!("Duplicate CHECK constraint name '{name}'")));
            }
        }
    }
    Ok(())
}

/// How many bytes of a row a value takes; large texts are kept beside it.
fn row_bytes(ty: MyType) -> u64 {
    let letters = if ty.has_letters() { u64::from(ty.collation.most_bytes()) } else { 1 };
    let length = u64::from(ty.length);
    let fraction = u64::from(ty.scale).div_ceil(2);
    match ty.kind {
        Kind::Char => length * letters,
        Kind::VarChar => {
            let length = length * letters;
            length + if length > 255 { 2 } else { 1 }
        }
        Kind::Decimal => length / 2 + 1,
        Kind::TinyInt | Kind::Truth | Kind::Year | Kind::Null => 1,
        Kind::SmallInt | Kind::Enum => 2,
        Kind::MediumInt | Kind::Date => 3,
        Kind::Int | Kind::Float => 4,
        Kind::Timestamp => 4 + fraction,
        Kind::DateTime => 5 + fraction,
        Kind::Time => 3 + fraction,
        Kind::Bit => length.div_ceil(8),
        Kind::TinyText => 9,
        Kind::Text => 10,
        Kind::MediumText => 11,
        Kind::LongText | Kind::Json => 12,
        Kind::BigInt | Kind::Double | Kind::Set | Kind::SortKey | Kind::Hex => 8,
    }
}

/// Refuses rows that are too long.
fn check_size(definition: &Definition) -> Result<()> {
    let bytes = |column: &ColumnPlan| row_bytes(column.ty);
    let all: u64 = definition.columns.iter().map(bytes).sum();
    match all > MOST_BYTES {
        true => {
            let message = "Row size too large. The maximum row size for the used table type, not counting BLOBs, is 65535. This includes storage overhead, check the manual. You have to change some columns to TEXT or BLOBs";
            Err(error(1118, message))
        }
        false => Ok(()),
    }
}

/// 1060.
pub(super) fn twice(column: &str) -> hobgoblin_sql_schema::SqlError {
    error(error::DUPLICATE_COLUMN, format!("Duplicate column name '{column}'"))
}

/// The notes of a table in a database, before anything is said of it.
pub(super) fn notes_in(schema: Option<&hobgoblin_sql_schema::catalog::Schema>) -> TableNotes {
    let database = schema.map(crate::catalog::notes::DatabaseNotes::of).unwrap_or_default();
    TableNotes { collation: database.collation, ..TableNotes::default() }
}
