//! Constraints: CHECK, keys and references, of new tables and of old ones.
//!
//! What a statement says is first read into a [`Wish`], whether it stood beside a column, in the list of a table, or in
//! ALTER TABLE. Then wishes become constraints in PostgreSQL's order (checks, keys, references), because names are given
//! in that order and a reference may name a key of the same statement. A key is an index and a constraint over it; a
//! reference finds the unique index it refers to, and fails if the types cannot be compared.
//!
//! On a table that has rows each leaves a step: an index to build, rows to check.

use std::sync::Arc;

use hobgoblin_core::Text;
use sqlparser::ast::{
    ConstraintCharacteristics, ConstraintReferenceMatchKind, DeferrableInitial, ExcludeConstraint,
    Expr, ForeignKeyConstraint, NullsDistinctOption, ObjectName, ReferentialAction,
    TableConstraint,
};

use super::{DataStep, Ddl, Usage};
use crate::catalog::names;
use crate::catalog::names::fold_all;
use crate::catalog::names::{name_addition, no_key_column};
use crate::catalog::{
    Action, Constraint, ConstraintKind, Expression, ForeignKey, Found, Index, IndexColumn,
    IndexKey, Relation, Table, fold, mentions,
};
use crate::error::{Result, SqlError, SqlState};
use crate::types::{Oid, PgType, TypeId, builtin, cast};
use hobgoblin_sql_schema::catalog::Notes;

/// A constraint as asked for.
pub(super) enum Wish {
    Check { name: Option<String>, expr: Arc<Expression> },
    Key(KeyWish),
    Foreign(ForeignWish),
    Exclude(Box<ExcludeConstraint>),
}

/// A primary key or UNIQUE.
#[derive(Clone, Debug)]
pub(super) struct KeyWish {
    pub(super) name: Option<String>,
    pub(super) primary: bool,
    pub(super) columns: Vec<String>,
    pub(super) include: Vec<String>,
    pub(super) nulls_not_distinct: bool,
    pub(super) when: Characteristics,
}

/// A foreign key as a statement asks for it.
#[derive(Clone, Debug)]
pub(super) struct ForeignWish {
    pub(super) name: Option<String>,
    pub(super) columns: Vec<String>,
    pub(super) table: ObjectName,
    pub(super) referenced: Vec<String>,
    pub(super) on_delete: Action,
    pub(super) on_update: Action,
    pub(super) full: bool,
    pub(super) when: Characteristics,
}

/// When a constraint is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Characteristics {
    pub(super) deferrable: bool,
    pub(super) initially_deferred: bool,
}

impl Characteristics {
    pub(super) fn read(of: Option<&ConstraintCharacteristics>) -> Result<Characteristics> {
        let Some(of) = of else { return Ok(Characteristics::default()) };
        if of.enforced.is_some() {
            return Err(SqlError::syntax("syntax error at or near \"ENFORCED\""));
        }
        let initially_deferred = of.initially == Some(DeferrableInitial::Deferred);
        if initially_deferred && of.deferrable == Some(false) {
            return Err(SqlError::syntax(
                "constraint declared INITIALLY DEFERRED must be DEFERRABLE",
            ));
        }
        Ok(Characteristics {
            deferrable: of.deferrable.unwrap_or(initially_deferred),
            initially_deferred,
        })
    }
}

impl ForeignWish {
    pub(super) fn read(key: &ForeignKeyConstraint) -> Result<ForeignWish> {
        let action = |a: &Option<ReferentialAction>| match a {
            None | Some(ReferentialAction::NoAction) => Action::NoAction,
            Some(ReferentialAction::Restrict) => Action::Restrict,
            Some(ReferentialAction::Cascade) => Action::Cascade,
            Some(ReferentialAction::SetNull) => Action::SetNull,
            Some(ReferentialAction::SetDefault) => Action::SetDefault,
        };
        if key.match_kind == Some(ConstraintReferenceMatchKind::Partial) {
            return Err(SqlError::new(
                SqlState::FEATURE_NOT_SUPPORTED,
                "MATCH PARTIAL not yet implemented",
            ));
        }
        Ok(ForeignWish {
            name: key.name.as_ref().map(fold),
            columns: fold_all(&key.columns),
            table: key.foreign_table.clone(),
            referenced: fold_all(&key.referred_columns),
            on_delete: action(&key.on_delete),
            on_update: action(&key.on_update),
            full: key.match_kind == Some(ConstraintReferenceMatchKind::Full),
            when: Characteristics::read(key.characteristics.as_ref())?,
        })
    }
}

impl Ddl<'_, '_> {
    /// A table constraint as asked for; `None` for one that an existing index becomes.
    pub(super) fn read_constraint(&self, constraint: &TableConstraint) -> Result<Wish> {
        let plain = |columns: &[sqlparser::ast::IndexColumn]| {
            columns
                .iter()
                .map(|c| match &c.column.expr {
                    Expr::Identifier(ident) => Ok(fold(ident)),
                    other => Err(SqlError::syntax(format!("a key has columns, not {other}"))),
                })
                .collect::<Result<Vec<_>>>()
        };
        Ok(match constraint {
            TableConstraint::PrimaryKey(key) => Wish::Key(KeyWish {
                name: key.name.as_ref().map(fold),
                primary: true,
                columns: plain(&key.columns)?,
                include: fold_all(&key.include),
                nulls_not_distinct: false,
                when: Characteristics::read(key.characteristics.as_ref())?,
            }),
            TableConstraint::Unique(key) => Wish::Key(KeyWish {
                name: key.name.as_ref().map(fold),
                primary: false,
                columns: plain(&key.columns)?,
                include: fold_all(&key.include),
                nulls_not_distinct: key.nulls_distinct == NullsDistinctOption::NotDistinct,
                when: Characteristics::read(key.characteristics.as_ref())?,
            }),
            TableConstraint::ForeignKey(key) => Wish::Foreign(ForeignWish::read(key)?),
            TableConstraint::Check(check) => Wish::Check {
                name: check.name.as_ref().map(fold),
                expr: self.qualified((*check.expr).clone()),
            },
            TableConstraint::Exclude(exclude) => Wish::Exclude(Box::new(exclude.clone())),
            other => return Err(SqlError::unsupported(format!("the constraint {other}"))),
        })
    }

    /// The constraints of a new table: checks, then the primary key, the other keys, references.
    pub(super) fn new_constraints(&mut self, table: Oid, wishes: Vec<Wish>) -> Result<()> {
        let mut keys: Vec<KeyWish> = Vec::new();
        let mut foreign = Vec::new();
        let mut exclusions = Vec::new();
        for wish in wishes {
            match wish {
                Wish::Check { name, expr } => self.add_check(table, name, expr, true, true)?,
                Wish::Key(key) => keys.push(key),
                Wish::Foreign(key) => foreign.push(key),
                Wish::Exclude(exclude) => exclusions.push(exclude),
            }
        }
        if keys.iter().filter(|k| k.primary).count() > 1 {
            return Err(self.second_primary(table));
        }
        keys.sort_by_key(|k| !k.primary);
        // The same key asked for twice is made once.
        let mut made: Vec<KeyWish> = Vec::new();
        for key in keys {
            let same = made.iter_mut().find(|m| {
                m.columns == key.columns
                    && m.include == key.include
                    && m.nulls_not_distinct == key.nulls_not_distinct
                    && m.when == key.when
            });
            match same {
                Some(same) => {
                    same.name = same.name.take().or(key.name);
                }
                None => made.push(key),
            }
        }
        for key in made {
            self.add_key(table, key, true)?;
        }
        for exclude in exclusions {
            self.add_exclusion(table, &exclude, true)?;
        }
        for key in foreign {
            self.add_foreign(table, key, true, true)?;
        }
        Ok(())
    }

    /// Adds a constraint to a table that may have rows.
    pub(super) fn add_constraint(&mut self, table: Oid, wish: Wish, validate: bool) -> Result<()> {
        match wish {
            Wish::Check { name, expr } => self.add_check(table, name, expr, false, validate),
            Wish::Key(key) => self.add_key(table, key, false),
            Wish::Foreign(key) => self.add_foreign(table, key, false, validate),
            Wish::Exclude(exclude) => self.add_exclusion(table, &exclude, false),
        }
    }

    fn second_primary(&self, table: Oid) -> SqlError {
        let name = self.catalog.relation(table).map(|t| t.name().to_owned()).unwrap_or_default();
        SqlError::new(
            SqlState::INVALID_TABLE_DEFINITION,
            format!("multiple primary keys for table \"{name}\" are not allowed"),
        )
    }

    /// The table, to look at.
    pub(super) fn table(&self, oid: Oid) -> Result<Arc<Table>> {
        self.catalog.table(oid).cloned().ok_or_else(|| {
            SqlError::new(
                SqlState::INTERNAL_ERROR,
                format!("cache lookup failed for relation {oid}"),
            )
        })
    }

    pub(super) fn free_constraint_name(&self, table: &Table, name: &str) -> Result<()> {
        if table.constraint(name).is_some() {
            return Err(SqlError::new(
                SqlState::DUPLICATE_OBJECT,
                format!("constraint \"{name}\" for relation \"{}\" already exists", table.name),
            ));
        }
        Ok(())
    }

    pub(super) fn push_constraint(
        &mut self,
        table: Oid,
        name: String,
        kind: ConstraintKind,
        when: Characteristics,
        validated: bool,
    ) -> Result<Oid> {
        let oid = self.catalog.new_oid();
        self.catalog.table_mut(table)?.constraints.push(Arc::new(Constraint {
            oid,
            name,
            kind,
            deferrable: when.deferrable,
            initially_deferred: when.initially_deferred,
            validated,
        }));
        Ok(oid)
    }

    pub(super) fn add_check(
        &mut self,
        table: Oid,
        name: Option<String>,
        expr: Arc<Expression>,
        new: bool,
        validate: bool,
    ) -> Result<()> {
        let t = self.table(table)?;
        self.cx.binder.describe_expr(self.catalog, Some(&t), &expr.ast, Usage::Check)?;
        let name = match name {
            Some(name) => {
                self.free_constraint_name(&t, &name)?;
                name
            }
            None => {
                let mut used = mentions::columns(&expr.ast);
                used.retain(|c| t.column(c).is_some());
                let column = match used.as_slice() {
                    [one] => Some(one.as_str()),
                    _ => None,
                };
                names::choose_constraint_name(
                    self.catalog,
                    &t.schema,
                    &t.name,
                    column,
                    "check",
                    &[],
                )
            }
        };
        let validated = new || validate;
        let kind = ConstraintKind::Check(expr);
        let constraint =
            self.push_constraint(table, name, kind, Characteristics::default(), validated)?;
        if !new && validate {
            self.step(DataStep::ValidateCheck { table, constraint });
        }
        Ok(())
    }

    pub(super) fn add_key(&mut self, table: Oid, key: KeyWish, new: bool) -> Result<()> {
        let t = self.table(table)?;
        if key.primary && t.primary().is_some() {
            return Err(self.second_primary(table));
        }
        let kind = if key.primary { "primary key" } else { "unique" };
        let mut columns = Vec::new();
        for name in &key.columns {
            let at = t.column(name).ok_or_else(|| no_key_column(name))?;
            if columns.contains(&at) {
                return Err(SqlError::new(
                    SqlState::DUPLICATE_COLUMN,
                    format!("column \"{name}\" appears twice in {kind} constraint"),
                ));
            }
            columns.push(at);
        }
        let include = key
            .include
            .iter()
            .map(|name| t.column(name).ok_or_else(|| no_key_column(name)))
            .collect::<Result<Vec<_>>>()?;
        let name = match key.name {
            Some(name) => {
                if self.catalog.relation_in(&t.schema, &name).is_some() {
                    return Err(SqlError::new(
                        SqlState::DUPLICATE_TABLE,
                        format!("relation \"{name}\" already exists"),
                    ));
                }
                self.free_constraint_name(&t, &name)?;
                name
            }
            None if key.primary => {
                names::choose_name(self.catalog, &t.schema, &t.name, None, "pkey", true, &[])
            }
            None => {
                let all = key.columns.iter().chain(&key.include).map(String::as_str);
                let joined = name_addition(all);
                names::choose_name(
                    self.catalog,
                    &t.schema,
                    &t.name,
                    Some(&joined),
                    "key",
                    true,
                    &[],
                )
            }
        };
        if key.primary {
            for at in &columns {
                let column = &mut self.catalog.table_mut(table)?.columns[*at];
                if !column.not_null {
                    column.not_null = true;
                    if !new {
                        self.step(DataStep::CheckNotNull { table, column: *at });
                    }
                }
            }
        }
        let keys = columns
            .iter()
            .map(|at| {
                self.require_opclass("btree", t.columns[*at].ty)?;
                Ok(IndexColumn {
                    key: IndexKey::Column(*at),
                    name: t.columns[*at].name.clone(),
                    ty: t.columns[*at].ty,
                    collation: None,
                    descending: false,
                    nulls_first: false,
                    opclass: None,
                })
            })
            .collect::<Result<Vec<_>>>()?;
        let index = self.push_index(table, |oid, prefix| Index {
            oid,
            name: name.clone(),
            prefix,
            columns: keys,
            include,
            unique: true,
            primary: key.primary,
            nulls_not_distinct: key.nulls_not_distinct,
            predicate: None,
            method: "btree".to_owned(),
            options: Vec::new(),
            operators: Vec::new(),
            notes: Notes::default(),
        })?;
        if !new {
            self.step(DataStep::BuildIndex { table, index });
        }
        let kind = if key.primary {
            ConstraintKind::Primary(index)
        } else {
            ConstraintKind::Unique(index)
        };
        self.push_constraint(table, name, kind, key.when, true)?;
        Ok(())
    }

    /// Puts an index into the catalogue.
    pub(super) fn push_index(
        &mut self,
        table: Oid,
        make: impl FnOnce(Oid, Text) -> Index,
    ) -> Result<Oid> {
        let schema = self.table(table)?.schema.clone();
        let oid = self.catalog.new_oid();
        let mut index = make(oid, "".into());
        index.prefix = self.catalog.new_prefix(&schema, &index.name);
        self.schema_mut(&schema)?.relations.insert(index.name.clone(), oid);
        self.catalog.relations.insert(oid, Relation::Index { table, oid });
        self.catalog.table_mut(table)?.indexes.push(Arc::new(index));
        Ok(oid)
    }

    /// ADD CONSTRAINT … USING INDEX.
    pub(super) fn constraint_of_index(
        &mut self,
        table: Oid,
        name: Option<String>,
        index: &str,
        primary: bool,
        when: Characteristics,
    ) -> Result<()> {
        let t = self.table(table)?;
        let Some(found) = t.indexes.iter().find(|i| i.name == index).cloned() else {
            return Err(SqlError::new(
                SqlState::UNDEFINED_OBJECT,
                format!("index \"{index}\" does not exist"),
            ));
        };
        let refuse = |why: &str| {
            Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why.to_owned())
                .detail("Cannot create a primary key or unique constraint using such an index."))
        };
        if !found.unique {
            return refuse(&format!("\"{index}\" is not a unique index"));
        }
        if found.predicate.is_some() {
            return refuse(&format!("\"{index}\" is a partial index"));
        }
        if found.columns.iter().any(|c| matches!(c.key, IndexKey::Expression(_))) {
            return refuse(&format!("index \"{index}\" contains expressions"));
        }
        if primary && t.primary().is_some() {
            return Err(self.second_primary(table));
        }
        let constraint_name = name.unwrap_or_else(|| index.to_owned());
        self.free_constraint_name(&t, &constraint_name)?;
        if constraint_name != index {
            self.notice(
                SqlState::SUCCESSFUL_COMPLETION,
                format!(
                    "ALTER TABLE / ADD CONSTRAINT USING INDEX will rename index \"{index}\" to \"{constraint_name}\""
                ),
            );
            self.rename_relation(found.oid, &constraint_name)?;
        }
        for column in &found.columns {
            if let (true, IndexKey::Column(at)) = (primary, &column.key)
                && !t.columns[*at].not_null
            {
                self.catalog.table_mut(table)?.columns[*at].not_null = true;
                self.step(DataStep::CheckNotNull { table, column: *at });
            }
        }
        for index in &mut self.catalog.table_mut(table)?.indexes {
            if index.oid == found.oid {
                Arc::make_mut(index).primary = primary;
            }
        }
        let kind = if primary {
            ConstraintKind::Primary(found.oid)
        } else {
            ConstraintKind::Unique(found.oid)
        };
        self.push_constraint(table, constraint_name, kind, when, true)?;
        Ok(())
    }

    pub(super) fn add_foreign(
        &mut self,
        table: Oid,
        key: ForeignWish,
        new: bool,
        validate: bool,
    ) -> Result<()> {
        let t = self.table(table)?;
        let target = match self.relation(&key.table)? {
            Found::Table(target) => target.clone(),
            other => {
                return Err(SqlError::new(
                    SqlState::WRONG_OBJECT_TYPE,
                    format!("referenced relation \"{}\" is not a table", other.name()),
                ));
            }
        };
        if t.temporary != target.temporary {
            let (ours, theirs) =
                if t.temporary { ("temporary", "temporary") } else { ("permanent", "permanent") };
            return Err(SqlError::new(
                SqlState::INVALID_TABLE_DEFINITION,
                format!("constraints on {ours} tables may reference only {theirs} tables"),
            ));
        }
        let column = |t: &Table, name: &String| {
            t.column(name).ok_or_else(|| {
                SqlError::new(
                    SqlState::UNDEFINED_COLUMN,
                    format!(
                        "column \"{name}\" referenced in foreign key constraint does not exist"
                    ),
                )
            })
        };
        let columns = key.columns.iter().map(|n| column(&t, n)).collect::<Result<Vec<_>>>()?;
        let (referenced, index) = if key.referenced.is_empty() {
            let primary = target.primary().ok_or_else(|| {
                SqlError::new(
                    SqlState::UNDEFINED_OBJECT,
                    format!("there is no primary key for referenced table \"{}\"", target.name),
                )
            })?;
            (primary.key_columns().unwrap_or_default(), primary.clone())
        } else {
            let referenced =
                key.referenced.iter().map(|n| column(&target, n)).collect::<Result<Vec<_>>>()?;
            for (i, at) in referenced.iter().enumerate() {
                if referenced[..i].contains(at) {
                    return Err(SqlError::new(
                        SqlState::INVALID_FOREIGN_KEY,
                        "foreign key referenced-columns list must not contain duplicates",
                    ));
                }
            }
            let index = unique_index(&target, &referenced)?;
            (referenced, index)
        };
        if columns.len() != referenced.len() {
            return Err(SqlError::new(
                SqlState::INVALID_FOREIGN_KEY,
                "number of referencing and referenced columns for foreign key disagree",
            ));
        }
        let name = match key.name {
            Some(name) => {
                self.free_constraint_name(&t, &name)?;
                name
            }
            None => {
                let joined = name_addition(key.columns.iter().map(String::as_str));
                names::choose_constraint_name(
                    self.catalog,
                    &t.schema,
                    &t.name,
                    Some(&joined),
                    "fkey",
                    &[],
                )
            }
        };
        for (from, to) in columns.iter().zip(&referenced) {
            self.comparable(&name, &t, *from, &target, *to)?;
        }
        for (at, action, what) in columns
            .iter()
            .flat_map(|at| [(at, key.on_delete, "ON DELETE"), (at, key.on_update, "ON UPDATE")])
        {
            if t.columns[*at].generated
                && (matches!(action, Action::SetNull | Action::SetDefault)
                    || (what == "ON UPDATE" && action == Action::Cascade))
            {
                return Err(SqlError::syntax(format!(
                    "invalid {what} action for foreign key constraint containing generated column"
                )));
            }
        }
        let foreign = ForeignKey {
            columns,
            table: target.oid,
            referenced,
            index: index.oid,
            on_delete: key.on_delete,
            on_update: key.on_update,
            full: key.full,
        };
        let kind = ConstraintKind::Foreign(foreign);
        let constraint = self.push_constraint(table, name, kind, key.when, new || validate)?;
        if !new && validate {
            self.step(DataStep::ValidateForeign { table, constraint });
        }
        Ok(())
    }

    /// Refuses a reference between columns that cannot be compared.
    fn comparable(&self, name: &str, from: &Table, a: usize, to: &Table, b: usize) -> Result<()> {
        let (x, y) = (from.columns[a].ty, to.columns[b].ty);
        let family = |ty| match ty {
            TypeId::INT2 | TypeId::INT4 | TypeId::INT8 => 1,
            TypeId::FLOAT4 | TypeId::FLOAT8 => 2,
            TypeId::TEXT | TypeId::VARCHAR | TypeId::NAME => 3,
            TypeId::DATE | TypeId::TIMESTAMP | TypeId::TIMESTAMPTZ => 4,
            TypeId(oid) => oid + 100,
        };
        let implicit =
            || matches!(cast::context(x, y, &*self.catalog), Some(cast::CastContext::Implicit));
        if family(x) == family(y) || implicit() {
            return Ok(());
        }
        let print = |ty| builtin::format_type(ty, -1, &*self.catalog);
        Err(SqlError::new(
            SqlState::DATATYPE_MISMATCH,
            format!("foreign key constraint \"{name}\" cannot be implemented"),
        )
        .detail(format!(
            "Key columns \"{}\" and \"{}\" are of incompatible types: {} and {}.",
            from.columns[a].name,
            to.columns[b].name,
            print(x),
            print(y)
        )))
    }
}

/// The unique index whose columns are these, in any order.
fn unique_index(table: &Table, columns: &[usize]) -> Result<Arc<Index>> {
    let mut deferrable = false;
    for index in &table.indexes {
        let Some(keys) = index.key_columns() else { continue };
        let same = index.unique
            && index.predicate.is_none()
            && keys.len() == columns.len()
            && columns.iter().all(|c| keys.contains(c));
        if !same {
            continue;
        }
        let immediate = table.constraints.iter().all(|c| match c.kind {
            ConstraintKind::Primary(i) | ConstraintKind::Unique(i) => {
                i != index.oid || !c.deferrable
            }
            _ => true,
        });
        if immediate {
            return Ok(index.clone());
        }
        deferrable = true;
    }
    Err(if deferrable {
        SqlError::new(
            SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
            format!(
                "cannot use a deferrable unique constraint for referenced table \"{}\"",
                table.name
            ),
        )
    } else {
        SqlError::new(
            SqlState::INVALID_FOREIGN_KEY,
            format!(
                "there is no unique constraint matching given keys for referenced table \"{}\"",
                table.name
            ),
        )
    })
}
