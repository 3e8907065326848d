//! Foreign keys: their names, their indexes, the tables they refer to, and what becomes of them as tables come and go.

use std::sync::Arc;

use hobgoblin_sql_mysql_types::MyType;
use hobgoblin_sql_mysql_types::error::{self, error};
use hobgoblin_sql_schema::catalog::{
    Constraint, ConstraintKind, ForeignKey as Reference, Found, Index, Table,
};
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::Oid;
use sqlparser::ast::Ident;

use super::change::Ddl;
use super::context::DataStep;
use super::definition::{Definition, ForeignPlan, KeyPlan, action};
use crate::catalog::names::{self, quoted, same};
use crate::catalog::notes::{Dangling, IndexNotes, TableNotes};
use crate::syntax::{ForeignKey, KeyKind, References, ReferentialAction};

impl Ddl<'_, '_> {
    /// A foreign key as it is written, and the key that it asks for.
    pub(super) fn read_foreign(
        &self,
        key: &ForeignKey,
        database: &str,
    ) -> Result<(ForeignPlan, KeyPlan)> {
        let name = |ident: &Ident| ident.value.clone();
        let columns: Vec<String> = key.columns.iter().map(name).collect();
        let plan =
            self.foreign(key.constraint.as_ref(), columns.clone(), &key.references, database)?;
        let index = key.constraint.as_ref().or(key.index.as_ref()).map(name).unwrap_or_default();
        Ok((plan, key_for(index, columns)))
    }

    /// REFERENCES of a column.
    pub(super) fn read_references(
        &self,
        column: &str,
        references: &References,
        database: &str,
    ) -> Result<(ForeignPlan, KeyPlan)> {
        let columns = vec![column.to_owned()];
        let plan = self.foreign(None, columns.clone(), references, database)?;
        Ok((plan, key_for(String::new(), columns)))
    }

    fn foreign(
        &self,
        name: Option<&Ident>,
        columns: Vec<String>,
        references: &References,
        database: &str,
    ) -> Result<ForeignPlan> {
        let (of, table) = names::split(&references.table, Some(database))?;
        let referenced: Vec<String> = references.columns.iter().map(|c| c.value.clone()).collect();
        if !referenced.is_empty() && referenced.len() != columns.len() {
            let shown = name.map_or("foreign key without name", |name| name.value.as_str());
            let message = format!(
                "Incorrect foreign key definition for '{shown}': Key reference and table reference don't match"
            );
            return Err(error(1239, message));
        }
        let name = name.map_or("", |name| name.value.as_str());
        names::check_length(name)?;
        Ok(ForeignPlan {
            name: name.to_owned(),
            columns,
            table: (of.into_owned(), table.into_owned()),
            referenced,
            on_delete: references.on_delete.unwrap_or(ReferentialAction::Restrict),
            on_update: references.on_update.unwrap_or(ReferentialAction::Restrict),
            was: None,
        })
    }

    /// Gives foreign keys without names their names.
    pub(super) fn name_foreign(
        &self,
        definition: &mut Definition,
        database: &str,
        table: &str,
    ) -> Result<()> {
        let start = format!("{table}_ibfk_");
        let numbers = definition
            .foreign
            .iter()
            .filter_map(|key| key.name.strip_prefix(&start)?.parse::<u32>().ok());
        let mut next = numbers.max().unwrap_or(0) + 1;
        for at in 0..definition.foreign.len() {
            if definition.foreign[at].name.is_empty() {
                definition.foreign[at].name = format!("{start}{next}");
                next += 1;
            } else if definition.foreign[..at]
                .iter()
                .any(|other| same(&other.name, &definition.foreign[at].name))
            {
                return Err(malformed(database, table));
            }
        }
        Ok(())
    }

    /// Gives a table its foreign keys; gives those that are new.
    pub(super) fn push_foreign(&mut self, oid: Oid, plans: &[ForeignPlan]) -> Result<Vec<Oid>> {
        let mut new = Vec::new();
        for plan in plans {
            let table = self.table(oid)?;
            let wrong = || malformed(&table.schema, &table.name);
            let of =
                |name: &String| table.columns.iter().position(|column| same(&column.name, name));
            let columns: Option<Vec<usize>> = plan.columns.iter().map(of).collect();
            let Some(columns) = columns else { return Err(wrong()) };
            if table.temporary {
                return Err(wrong());
            }
            for &at in &columns {
                let column = &table.columns[at];
                let clears = [plan.on_delete, plan.on_update].contains(&ReferentialAction::SetNull);
                if clears && column.not_null {
                    return Err(wrong());
                }
            }
            let own = plan.table.1 == table.name && plan.table.0 == table.schema;
            let parent = match own {
                true => Some(Arc::clone(&table)),
                false => match self.catalog.relation_in(&plan.table.0, &plan.table.1) {
                    Some(Found::Table(parent)) => Some(Arc::clone(parent)),
                    _ => None,
                },
            };
            let Some(parent) = parent else {
                if self.cx.foreign_key_checks && plan.was.is_none() {
                    return Err(wrong());
                }
                self.hang(oid, plan)?;
                continue;
            };
            let found = reference(&table, &columns, &parent, plan);
            let Some(kind) = found else { return Err(wrong()) };
            let constraint = plan.was.unwrap_or_else(|| self.catalog.new_oid());
            if plan.was.is_none() {
                new.push(constraint);
            }
            let constraint = Constraint {
                oid: constraint,
                name: plan.name.clone(),
                kind: ConstraintKind::Foreign(kind),
                deferrable: false,
                initially_deferred: false,
                validated: true,
            };
            self.catalog.table_mut(oid)?.constraints.push(Arc::new(constraint));
        }
        Ok(new)
    }

    /// Keeps a foreign key whose parent is not there.
    fn hang(&mut self, oid: Oid, plan: &ForeignPlan) -> Result<()> {
        let table = self.catalog.table_mut(oid)?;
        let mut notes = TableNotes::of(table);
        let referenced = match plan.referenced.is_empty() {
            true => plan.columns.clone(),
            false => plan.referenced.clone(),
        };
        notes.dangling.push(Dangling {
            name: plan.name.clone(),
            columns: plan.columns.clone(),
            table: plan.table.clone(),
            referenced,
            on_delete: plan.on_delete,
            on_update: plan.on_update,
        });
        table.notes = hobgoblin_sql_schema::catalog::Notes::new(notes);
        Ok(())
    }

    /// A table is there from now on: foreign keys that wait for it are ones of it.
    pub(super) fn adopt(&mut self, parent: Oid) -> Result<()> {
        let parent = self.table(parent)?;
        let waits = |dangling: &Dangling| {
            dangling.table.0 == parent.schema && dangling.table.1 == parent.name
        };
        let children: Vec<Arc<Table>> = self
            .catalog
            .tables()
            .filter(|table| TableNotes::of(table).dangling.iter().any(waits))
            .cloned()
            .collect();
        for child in children {
            let mut notes = TableNotes::of(&child);
            let (adopted, kept): (Vec<Dangling>, Vec<Dangling>) =
                notes.dangling.into_iter().partition(waits);
            notes.dangling = kept;
            self.catalog.table_mut(child.oid)?.notes =
                hobgoblin_sql_schema::catalog::Notes::new(notes);
            let plans: Vec<ForeignPlan> = adopted
                .into_iter()
                .map(|dangling| ForeignPlan {
                    name: dangling.name,
                    columns: dangling.columns,
                    table: dangling.table,
                    referenced: dangling.referenced,
                    on_delete: dangling.on_delete,
                    on_update: dangling.on_update,
                    was: None,
                })
                .collect();
            self.push_foreign(child.oid, &plans)?;
        }
        Ok(())
    }

    /// A table goes: foreign keys of others to it are refused, or wait for another one of its name.
    pub(super) fn orphan(&mut self, parent: &Arc<Table>, going: &[Oid]) -> Result<()> {
        let referring: Vec<(Arc<Table>, Arc<Constraint>)> = self
            .catalog
            .referring(parent.oid)
            .filter(|(table, _)| table.oid != parent.oid && !going.contains(&table.oid))
            .map(|(table, constraint)| (Arc::clone(table), Arc::clone(constraint)))
            .collect();
        for (table, constraint) in referring {
            let ConstraintKind::Foreign(key) = &constraint.kind else { continue };
            let Some(mut plan) = super::definition::foreign_plan(&table, key, self.catalog) else {
                continue;
            };
            plan.name.clone_from(&constraint.name);
            if self.cx.foreign_key_checks {
                return Err(still_referred());
            }
            let child = self.catalog.table_mut(table.oid)?;
            child.constraints.retain(|other| other.oid != constraint.oid);
            self.hang(table.oid, &plan)?;
        }
        Ok(())
    }

    /// Foreign keys of other tables to one whose columns have other numbers from now on.
    pub(super) fn renumber(&mut self, before: &Arc<Table>, from: &[Option<usize>]) -> Result<()> {
        let after = self.table(before.oid)?;
        let referring: Vec<(Oid, Arc<Constraint>)> = self
            .catalog
            .referring(before.oid)
            .filter(|(table, _)| table.oid != before.oid)
            .map(|(table, constraint)| (table.oid, Arc::clone(constraint)))
            .collect();
        for (child, constraint) in referring {
            let ConstraintKind::Foreign(key) = &constraint.kind else { continue };
            let place = |at: &usize| from.iter().position(|was| *was == Some(*at));
            let referenced: Option<Vec<usize>> = key.referenced.iter().map(place).collect();
            let Some(referenced) = referenced else {
                let column = key.referenced.iter().find(|at| place(at).is_none());
                let column = column.map_or("", |at| before.columns[*at].name.as_str());
                let child = self.table(child)?;
                let message = format!(
                    "Cannot drop column '{column}': needed in a foreign key constraint '{}' of table {}.{}",
                    constraint.name,
                    quoted(&child.schema),
                    quoted(&child.name)
                );
                return Err(error(1829, message));
            };
            if !served(&after, &referenced) {
                return Err(needed(&lost_index(before, &after, key)));
            }
            let mut changed = (*constraint).clone();
            changed.kind = ConstraintKind::Foreign(Reference {
                index: unique_over(&after, &referenced).map_or(0, |index| index.oid),
                referenced,
                ..key.clone()
            });
            let child = self.catalog.table_mut(child)?;
            for kept in &mut child.constraints {
                if kept.oid == constraint.oid {
                    *kept = Arc::new(changed.clone());
                }
            }
        }
        Ok(())
    }

    /// New foreign keys are checked against the rows that are there.
    pub(super) fn validate_foreign(&mut self, table: Oid, new: &[Oid]) {
        if self.cx.foreign_key_checks {
            for &constraint in new {
                self.step(DataStep::Validate { table, constraint });
            }
        }
    }
}

fn key_for(name: String, columns: Vec<String>) -> KeyPlan {
    KeyPlan {
        kind: KeyKind::Plain,
        name,
        parts: columns.into_iter().map(|column| (column, None, false)).collect(),
        using: None,
        comment: String::new(),
        ignored: false,
        generated: true,
        was: None,
    }
}

/// What a foreign key is, if the parent has its columns, and an index over them.
fn reference(
    table: &Table,
    columns: &[usize],
    parent: &Table,
    plan: &ForeignPlan,
) -> Option<Reference> {
    let of = |name: &String| parent.columns.iter().position(|column| same(&column.name, name));
    let referenced: Vec<usize> = plan.referenced.iter().map(of).collect::<Option<_>>()?;
    if referenced.len() != columns.len() || !served(parent, &referenced) {
        return None;
    }
    let alike = |(&a, &b): (&usize, &usize)| {
        let (a, b) = (MyType::of(table.columns[a].ty), MyType::of(parent.columns[b].ty));
        match a.is_text() {
            true => b.is_text() && a.collation == b.collation,
            false => a.kind == b.kind && a.unsigned == b.unsigned,
        }
    };
    if !columns.iter().zip(&referenced).all(alike) {
        return None;
    }
    Some(Reference {
        columns: columns.to_vec(),
        table: parent.oid,
        index: unique_over(parent, &referenced).map_or(0, |index| index.oid),
        referenced,
        on_delete: action(plan.on_delete),
        on_update: action(plan.on_update),
        full: false,
    })
}

/// Whether an index of a table begins with these columns.
pub(super) fn served(table: &Table, columns: &[usize]) -> bool {
    table.indexes.iter().any(|index| {
        let notes = IndexNotes::of(index);
        notes.kind != KeyKind::Fulltext
            && notes.parts.len() >= columns.len()
            && columns.iter().all(|column| {
                notes.parts[..columns.len()]
                    .iter()
                    .any(|(at, length, _)| at == column && length.is_none())
            })
    })
}

/// The unique index over exactly these columns.
fn unique_over<'t>(table: &'t Table, columns: &[usize]) -> Option<&'t Arc<Index>> {
    table.indexes.iter().find(|index| {
        index.unique
            && index.key_columns().is_some_and(|found| {
                found.len() == columns.len() && found.iter().all(|at| columns.contains(at))
            })
    })
}

/// The index that served a foreign key and is gone.
fn lost_index(before: &Table, after: &Table, key: &Reference) -> String {
    let begins = |index: &&Arc<Index>| {
        let parts = IndexNotes::of(index).parts;
        parts.first().is_some_and(|part| key.referenced.contains(&part.0))
    };
    let gone = |index: &&Arc<Index>| !after.indexes.iter().any(|kept| kept.name == index.name);
    let found = before.indexes.iter().filter(gone).find(begins);
    found.map_or_else(String::new, |index| index.name.clone())
}

/// 1553.
pub(super) fn needed(index: &str) -> SqlError {
    error(1553, format!("Cannot drop index '{index}': needed in a foreign key constraint"))
}

/// 1005 with 150.
fn malformed(database: &str, table: &str) -> SqlError {
    let message = format!(
        "Can't create table `{}`.`{table}` (errno: 150 \"Foreign key constraint is incorrectly formed\")",
        names::database_of(database)
    );
    error(1005, message)
}

/// 1451 of a table that goes.
fn still_referred() -> SqlError {
    let message = "Cannot delete or update a parent row: a foreign key constraint fails";
    error(error::ROW_IS_REFERENCED, message)
}

/// A foreign key as SHOW CREATE TABLE prints it, in a table of a database.
pub(in crate::catalog) fn clause(plan: &ForeignPlan, database: &str) -> String {
    let list =
        |names: &[String]| names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
    let table = match plan.table.0 == database {
        true => quoted(&plan.table.1),
        false => format!("{}.{}", quoted(&plan.table.0), quoted(&plan.table.1)),
    };
    let does = |action: ReferentialAction| match action {
        ReferentialAction::Restrict => None,
        ReferentialAction::Cascade => Some("CASCADE"),
        ReferentialAction::SetNull => Some("SET NULL"),
        ReferentialAction::NoAction => Some("NO ACTION"),
        ReferentialAction::SetDefault => Some("SET DEFAULT"),
    };
    let mut text = format!(
        "CONSTRAINT {} FOREIGN KEY ({}) REFERENCES {table} ({})",
        quoted(&plan.name),
        list(&plan.columns),
        list(&plan.referenced)
    );
    if let Some(word) = does(plan.on_delete) {
        text.push_str(&format!(" ON DELETE {word}"));
    }
    if let Some(word) = does(plan.on_update) {
        text.push_str(&format!(" ON UPDATE {word}"));
    }
    text
}
