//! A table as its definition says it: what CREATE TABLE reads, ALTER TABLE changes and `build.rs` makes.
//!
//! Columns are known by name here, so that they can be added, dropped and moved; numbers come when the table is made.

use std::sync::Arc;

use hobgoblin_sql_mysql_types::MyType;
use hobgoblin_sql_schema::catalog::{
    Action, Catalog, ConstraintKind, Expression, ForeignKey as Reference, Table,
};
use hobgoblin_sql_value::Oid;

use crate::catalog::names::{self, same};
use crate::catalog::notes::{ColumnNotes, IndexNotes, ShownDefault, TableNotes};
use crate::syntax::{KeyKind, ReferentialAction};

/// A table about to be made.
#[derive(Clone, Debug, Default)]
pub(super) struct Definition {
    pub(super) columns: Vec<ColumnPlan>,
    pub(super) keys: Vec<KeyPlan>,
    pub(super) foreign: Vec<ForeignPlan>,
    pub(super) checks: Vec<CheckPlan>,
    pub(super) notes: TableNotes,
    /// AUTO_INCREMENT: the next value.
    pub(super) next: Option<u64>,
}

/// A column about to be made.
#[derive(Clone, Debug)]
pub(super) struct ColumnPlan {
    pub(super) name: String,
    pub(super) ty: MyType,
    /// NOT NULL.
    pub(super) not_null: bool,
    /// Whether NULL was written.
    pub(super) null: bool,
    /// Its default, bound where it is used, or what it is generated from.
    pub(super) default: Option<Arc<Expression>>,
    pub(super) generated: bool,
    pub(super) auto: bool,
    pub(super) on_update: Option<Arc<Expression>>,
    pub(super) hidden: bool,
    pub(super) check: Option<Arc<Expression>>,
    pub(super) notes: ColumnNotes,
    /// The number less one of the column that it was.
    pub(super) was: Option<usize>,
}

/// A key about to be made.
#[derive(Clone, Debug)]
pub(super) struct KeyPlan {
    pub(super) kind: KeyKind,
    pub(super) name: String,
    /// Columns by name, each with its length, and whether it descends.
    pub(super) parts: Vec<(String, Option<u32>, bool)>,
    pub(super) using: Option<String>,
    pub(super) comment: String,
    pub(super) ignored: bool,
    /// Whether it was made for a foreign key.
    pub(super) generated: bool,
    /// The index that it was.
    pub(super) was: Option<Oid>,
}

/// A foreign key about to be made.
#[derive(Clone, Debug)]
pub(in crate::catalog) struct ForeignPlan {
    /// Empty where it is to be given a name.
    pub(in crate::catalog) name: String,
    pub(in crate::catalog) columns: Vec<String>,
    pub(in crate::catalog) table: (String, String),
    pub(in crate::catalog) referenced: Vec<String>,
    pub(in crate::catalog) on_delete: ReferentialAction,
    pub(in crate::catalog) on_update: ReferentialAction,
    /// The constraint that it was.
    pub(in crate::catalog) was: Option<Oid>,
}

/// A check about to be made.
#[derive(Clone, Debug)]
pub(super) struct CheckPlan {
    /// Empty where it is to be given a name.
    pub(super) name: String,
    pub(super) condition: Arc<Expression>,
    /// Whether it was there before.
    pub(super) was: Option<Oid>,
}

impl Definition {
    /// That of a table that is there.
    pub(super) fn of(table: &Table, catalog: &Catalog) -> Definition {
        let name = |at: &usize| table.columns[*at].name.clone();
        let columns = table.columns.iter().enumerate().map(|(at, column)| ColumnPlan {
            name: column.name.clone(),
            ty: MyType::of(column.ty),
            not_null: column.not_null,
            null: false,
            default: column.default.clone(),
            generated: column.generated,
            auto: column.identity.is_some(),
            on_update: column.on_update.clone(),
            hidden: column.hidden,
            check: table.constraints.iter().find_map(|constraint| match &constraint.kind {
                ConstraintKind::Check(check)
                    if constraint.name == column.name
                        && ColumnNotes::of(column).check.is_some() =>
                {
                    Some(Arc::clone(check))
                }
                _ => None,
            }),
            notes: ColumnNotes::of(column),
            was: Some(at),
        });
        let keys = table.indexes.iter().map(|index| {
            let notes = IndexNotes::of(index);
            KeyPlan {
                kind: notes.kind,
                name: index.name.clone(),
                parts: notes
                    .parts
                    .iter()
                    .map(|(at, length, descends)| (name(at), *length, *descends))
                    .collect(),
                using: notes.using,
                comment: notes.comment,
                ignored: notes.ignored,
                generated: notes.generated,
                was: Some(index.oid),
            }
        });
        let columns: Vec<ColumnPlan> = columns.collect();
        let of_column = |name: &str| columns.iter().any(|c| c.check.is_some() && c.name == name);
        let checks = table.constraints.iter().filter_map(|constraint| match &constraint.kind {
            ConstraintKind::Check(check) if !of_column(&constraint.name) => Some(CheckPlan {
                name: constraint.name.clone(),
                condition: Arc::clone(check),
                was: Some(constraint.oid),
            }),
            _ => None,
        });
        let notes = TableNotes::of(table);
        let foreign = table.constraints.iter().filter_map(|constraint| match &constraint.kind {
            ConstraintKind::Foreign(key) => {
                let plan = foreign_plan(table, key, catalog)?;
                Some(ForeignPlan {
                    name: constraint.name.clone(),
                    was: Some(constraint.oid),
                    ..plan
                })
            }
            _ => None,
        });
        let dangling = notes.dangling.iter().map(|dangling| ForeignPlan {
            name: dangling.name.clone(),
            columns: dangling.columns.clone(),
            table: dangling.table.clone(),
            referenced: dangling.referenced.clone(),
            on_delete: dangling.on_delete,
            on_update: dangling.on_update,
            was: None,
        });
        Definition {
            keys: keys.collect(),
            foreign: foreign.chain(dangling).collect(),
            checks: checks.collect(),
            columns,
            notes,
            next: None,
        }
    }

    /// The place of a column by name.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| same(&column.name, name))
    }

    /// The place of a key by name.
    pub(super) fn key(&self, name: &str) -> Option<usize> {
        self.keys.iter().position(|key| same(&key.name, name))
    }
}

/// A foreign key of a table by names.
pub(in crate::catalog) fn foreign_plan(
    table: &Table,
    key: &Reference,
    catalog: &Catalog,
) -> Option<ForeignPlan> {
    let parent = if key.table == table.oid { table } else { catalog.table(key.table)? };
    Some(ForeignPlan {
        name: String::new(),
        columns: key.columns.iter().map(|at| table.columns[*at].name.clone()).collect(),
        table: (names::database_of(&parent.schema).to_owned(), parent.name.clone()),
        referenced: key.referenced.iter().map(|at| parent.columns[*at].name.clone()).collect(),
        on_delete: written(key.on_delete),
        on_update: written(key.on_update),
        was: None,
    })
}

/// What a reference does.
pub(super) fn action(action: ReferentialAction) -> Action {
    match action {
        ReferentialAction::Restrict => Action::Restrict,
        ReferentialAction::Cascade => Action::Cascade,
        ReferentialAction::SetNull => Action::SetNull,
        ReferentialAction::NoAction => Action::NoAction,
        ReferentialAction::SetDefault => Action::SetDefault,
    }
}

/// What a reference does, as it is written.
pub(in crate::catalog) fn written(action: Action) -> ReferentialAction {
    match action {
        Action::Restrict => ReferentialAction::Restrict,
        Action::Cascade => ReferentialAction::Cascade,
        Action::SetNull => ReferentialAction::SetNull,
        Action::NoAction => ReferentialAction::NoAction,
        Action::SetDefault => ReferentialAction::SetDefault,
    }
}

impl ColumnPlan {
    /// A column without anything special.
    pub(super) fn new(name: &str, ty: MyType, not_null: bool) -> ColumnPlan {
        ColumnPlan {
            name: name.to_owned(),
            ty,
            not_null,
            null: false,
            default: None,
            generated: false,
            auto: false,
            on_update: None,
            hidden: false,
            check: None,
            notes: ColumnNotes {
                default: if not_null { ShownDefault::Nothing } else { ShownDefault::Null },
                on_update: None,
                generated: None,
                check: None,
                comment: String::new(),
            },
            was: None,
        }
    }
}
