//! ALTER TABLE, CREATE INDEX, DROP INDEX: a definition that changes.

use std::sync::Arc;

use hobgoblin_sql_mysql_types::error::{self, error};
use hobgoblin_sql_mysql_types::{Collation, MyType, Severity};
use hobgoblin_sql_schema::catalog::Table;
use hobgoblin_sql_schema::{Result, SqlError};
use sqlparser::ast::{Expr, ObjectName, OrderBySort};

use super::change::Ddl;
use super::context::DataStep;
use super::definition::{Definition, KeyPlan};
use crate::catalog::names::{self, same};
use crate::catalog::notes::ShownDefault;
use crate::syntax::{
    AlterTable, Column, CreateIndex, DropIndex, KeyKind, Place, TableChange, TableElement,
};

impl Ddl<'_, '_> {
    pub(super) fn alter_table(&mut self, alter: &AlterTable) -> Result<()> {
        let table = match self.table_named(&alter.table) {
            Err(gone) if alter.if_exists && gone.more.number == Some(error::NO_SUCH_TABLE) => {
                let warnings = &self.cx.settings().warnings;
                warnings.push(Severity::Error, error::NO_SUCH_TABLE, gone.message());
                return Ok(());
            }
            found => found?,
        };
        let mut at_work = Altering {
            definition: Definition::of(&table, self.catalog),
            database: names::database_of(&table.schema).to_owned(),
            renamed: None,
            order: Vec::new(),
            counted: false,
        };
        for change in &alter.changes {
            self.apply_change(&table, &mut at_work, change)?;
        }
        let columns = &at_work.definition.columns;
        let strict = |key: &KeyPlan| {
            let column = |name: &str| columns.iter().find(|column| same(&column.name, name));
            matches!(key.kind, KeyKind::Primary | KeyKind::Unique)
                && key.parts.iter().all(|part| column(&part.0).is_some_and(|c| c.not_null))
        };
        if !at_work.order.is_empty() && at_work.definition.keys.iter().any(strict) {
            let message = format!(
                "ORDER BY ignored as there is a user-defined clustered index in the table '{}'",
                table.name
            );
            self.warn(error::UNKNOWN_ERROR, message);
            at_work.order.clear();
            at_work.counted = true;
        }
        let Altering { definition, renamed, order, counted, .. } = at_work;
        self.remake(&table, definition, alter.ignore, &order)?;
        if counted {
            self.step(DataStep::Count(table.oid));
        }
        match renamed {
            Some(name) => self.rename(table.oid, &name),
            None => Ok(()),
        }
    }

    fn apply_change(
        &self,
        table: &Arc<Table>,
        at_work: &mut Altering,
        change: &TableChange,
    ) -> Result<()> {
        let database = at_work.database.clone();
        let definition = &mut at_work.definition;
        match change {
            TableChange::AddColumn { column, if_not_exists, place } => {
                let name = &column.name.value;
                if *if_not_exists && definition.column(name).is_some() {
                    self.note(error::DUPLICATE_COLUMN, format!("Duplicate column name '{name}'"));
                    return Ok(());
                }
                self.add_column(definition, column, place.as_ref(), (&database, &table.name))
            }
            TableChange::Add(element) => self.add(definition, element, &database),
            TableChange::ChangeColumn { name, column, if_exists, place } => {
                let Some(at) = definition.column(&name.value) else {
                    let gone = unknown_column(&name.value, &table.name);
                    return match if_exists {
                        true => {
                            self.note(error::UNKNOWN_COLUMN, gone.message());
                            Ok(())
                        }
                        false => Err(gone),
                    };
                };
                self.change_column(definition, at, column, place.as_ref(), (&database, &table.name))
            }
            TableChange::Default(name, value) => {
                let at = definition
                    .column(&name.value)
                    .ok_or_else(|| unknown_column(&name.value, &table.name))?;
                let mut plan = definition.columns[at].clone();
                match value {
                    Some(value) => self.set_default(&mut plan, value)?,
                    None => {
                        plan.default = None;
                        plan.notes.default = match plan.not_null {
                            true => ShownDefault::Nothing,
                            false => ShownDefault::Null,
                        };
                    }
                }
                definition.columns[at] = plan;
                Ok(())
            }
            TableChange::DropColumn { name, if_exists } => {
                let Some(at) = definition.column(&name.value) else {
                    return self.absent("COLUMN", &name.value, *if_exists);
                };
                drop_column(definition, at)
            }
            TableChange::DropIndex { name, if_exists } => {
                let Some(at) = definition.key(&name.value) else {
                    return self.absent("INDEX", &name.value, *if_exists);
                };
                definition.keys.remove(at);
                Ok(())
            }
            TableChange::DropPrimaryKey => {
                let at = definition.keys.iter().position(|key| key.kind == KeyKind::Primary);
                match at {
                    Some(at) => {
                        definition.keys.remove(at);
                        Ok(())
                    }
                    None => self.absent("INDEX", "PRIMARY", false),
                }
            }
            TableChange::DropForeignKey { name, if_exists } => {
                let before = definition.foreign.len();
                definition.foreign.retain(|key| !same(&key.name, &name.value));
                match definition.foreign.len() == before {
                    true => self.absent("FOREIGN KEY", &name.value, *if_exists),
                    false => Ok(()),
                }
            }
            TableChange::DropConstraint { name, if_exists } => {
                self.drop_constraint(definition, &name.value, *if_exists)
            }
            TableChange::Rename(name) => {
                at_work.renamed = Some(name.clone());
                Ok(())
            }
            TableChange::RenameColumn(old, new) => {
                let at = definition
                    .column(&old.value)
                    .ok_or_else(|| unknown_column(&old.value, &table.name))?;
                names::check_column_name(&new.value)?;
                let of = (names::database_of(&table.schema), table.name.as_str());
                rename_column(definition, at, &new.value, of);
                Ok(())
            }
            TableChange::RenameIndex(old, new) => {
                if let Some(name) = [old, new].into_iter().find(|n| same(&n.value, "PRIMARY")) {
                    return Err(error(1280, format!("Incorrect index name '{}'", name.value)));
                }
                let Some(at) = definition.key(&old.value) else {
                    let message =
                        format!("Key '{}' doesn't exist in table '{}'", old.value, table.name);
                    return Err(error(1176, message));
                };
                definition.keys[at].name.clone_from(&new.value);
                Ok(())
            }
            TableChange::Option(option) => {
                self.apply_options(definition, std::slice::from_ref(option), None)
            }
            TableChange::Convert { charset, collation } => {
                let version = self.cx.settings().version;
                let chosen = names::chosen(charset.as_deref(), collation.as_deref(), version)?;
                let chosen = chosen.unwrap_or(definition.notes.collation);
                convert(definition, chosen);
                Ok(())
            }
            TableChange::OrderBy(keys) => {
                for key in keys {
                    let Expr::Identifier(name) = &key.expr else { continue };
                    if definition.column(&name.value).is_none() {
                        let message = format!("Unknown column '{}' in 'order clause'", name.value);
                        return Err(error(error::UNKNOWN_COLUMN, message));
                    }
                    let descends = matches!(key.options.sort, Some(OrderBySort::Desc));
                    at_work.order.push((name.value.clone(), descends));
                }
                Ok(())
            }
            TableChange::Nothing => Ok(()),
            TableChange::Unsupported(what) => Err(SqlError::unsupported(what)),
        }
    }

    /// What is to go and is not there (1091).
    fn absent(&self, what: &str, name: &str, if_exists: bool) -> Result<()> {
        let message = format!("Can't DROP {what} `{name}`; check that it exists");
        match if_exists {
            true => {
                self.note(error::NO_SUCH_KEY, message);
                Ok(())
            }
            false => Err(error(error::NO_SUCH_KEY, message)),
        }
    }

    fn add_column(
        &self,
        definition: &mut Definition,
        column: &Column,
        place: Option<&Place>,
        (database, table): (&str, &str),
    ) -> Result<()> {
        self.add_element(definition, &TableElement::Column(column.clone()), database)?;
        let last = definition.columns.len() - 1;
        move_column(definition, last, place, table)
    }

    fn add(
        &self,
        definition: &mut Definition,
        element: &TableElement,
        database: &str,
    ) -> Result<()> {
        let exists = match element {
            TableElement::Key(key) if key.if_not_exists => {
                let name = key.name.as_ref().or(key.constraint.as_ref());
                let name = match key.kind {
                    KeyKind::Primary => Some("PRIMARY"),
                    _ => name.map(|name| name.value.as_str()),
                };
                name.filter(|name| definition.key(name).is_some()).map(str::to_owned)
            }
            TableElement::ForeignKey(key) if key.if_not_exists => {
                let name = key.constraint.as_ref().map(|name| name.value.clone());
                name.filter(|name| definition.foreign.iter().any(|key| same(&key.name, name)))
            }
            _ => None,
        };
        if let Some(name) = exists {
            self.note(1061, format!("Duplicate key name '{name}'"));
            return Ok(());
        }
        self.add_element(definition, element, database)
    }

    fn change_column(
        &self,
        definition: &mut Definition,
        at: usize,
        column: &Column,
        place: Option<&Place>,
        (database, table): (&str, &str),
    ) -> Result<()> {
        let new = self.define_column(column, definition.notes.collation)?;
        let old = definition.columns[at].name.clone();
        if old != new.column.name {
            rename_column(definition, at, &new.column.name, (database, table));
        }
        let mut plan = new.column;
        plan.was = definition.columns[at].was;
        definition.columns[at] = plan;
        definition.keys.extend(new.keys);
        if let Some(references) = &new.references {
            let name = definition.columns[at].name.clone();
            let (foreign, key) = self.read_references(&name, references, database)?;
            definition.foreign.push(foreign);
            definition.keys.push(key);
        }
        move_column(definition, at, place, table)
    }

    fn drop_constraint(
        &self,
        definition: &mut Definition,
        name: &str,
        if_exists: bool,
    ) -> Result<()> {
        let checks = definition.checks.len();
        definition.checks.retain(|check| !same(&check.name, name));
        if definition.checks.len() < checks {
            return Ok(());
        }
        let foreign = definition.foreign.len();
        definition.foreign.retain(|key| !same(&key.name, name));
        if definition.foreign.len() < foreign {
            return Ok(());
        }
        let unique = |key: &KeyPlan| matches!(key.kind, KeyKind::Primary | KeyKind::Unique);
        if let Some(at) = definition.key(name).filter(|at| unique(&definition.keys[*at])) {
            definition.keys.remove(at);
            return Ok(());
        }
        let of_column = |column: &&mut super::definition::ColumnPlan| {
            column.check.is_some() && same(&column.name, name)
        };
        if let Some(column) = definition.columns.iter_mut().find(of_column) {
            column.check = None;
            column.notes.check = None;
            return Ok(());
        }
        self.absent("CONSTRAINT", name, if_exists)
    }

    pub(super) fn create_index(&mut self, create: &CreateIndex) -> Result<()> {
        let table = self.table_named(&create.table)?;
        let mut definition = Definition::of(&table, self.catalog);
        let key = self.read_key(&create.key)?;
        if let Some(at) = definition.key(&key.name) {
            if create.key.if_not_exists {
                self.note(1061, format!("Duplicate key name '{}'", key.name));
                return Ok(());
            }
            if create.or_replace {
                definition.keys.remove(at);
            }
        }
        definition.keys.push(key);
        self.remake(&table, definition, false, &[])
    }

    pub(super) fn drop_index(&mut self, drop: &DropIndex) -> Result<()> {
        let table = self.table_named(&drop.table)?;
        let mut definition = Definition::of(&table, self.catalog);
        let Some(at) = definition.key(&drop.name.value) else {
            return self.absent("INDEX", &drop.name.value, drop.if_exists);
        };
        definition.keys.remove(at);
        self.remake(&table, definition, false, &[])
    }
}

/// A table while its definition changes.
struct Altering {
    definition: Definition,
    database: String,
    renamed: Option<ObjectName>,
    order: Vec<(String, bool)>,
    /// Whether a server copies the rows though nothing of them changes.
    counted: bool,
}

fn unknown_column(name: &str, table: &str) -> SqlError {
    error(error::UNKNOWN_COLUMN, format!("Unknown column '{name}' in '{table}'"))
}

fn move_column(
    definition: &mut Definition,
    at: usize,
    place: Option<&Place>,
    table: &str,
) -> Result<()> {
    let target = match place {
        None => return Ok(()),
        Some(Place::First) => 0,
        Some(Place::After(name)) => {
            let mut others =
                definition.columns.iter().enumerate().filter(|(other, _)| *other != at);
            let Some(after) = others.position(|(_, column)| same(&column.name, &name.value)) else {
                return Err(unknown_column(&name.value, table));
            };
            after + 1
        }
    };
    let column = definition.columns.remove(at);
    definition.columns.insert(target, column);
    Ok(())
}

/// A column goes, out of the keys too; a check or a foreign key that needs it is in the way.
fn drop_column(definition: &mut Definition, at: usize) -> Result<()> {
    let name = definition.columns[at].name.clone();
    for key in &definition.foreign {
        if key.columns.iter().any(|column| same(column, &name)) {
            let begins =
                |key: &&KeyPlan| key.parts.first().is_some_and(|part| same(&part.0, &name));
            if let Some(index) = definition.keys.iter().find(begins) {
                return Err(super::foreign::needed(&index.name));
            }
            let message = format!(
                "Cannot drop column '{name}': needed in a foreign key constraint '{}'",
                key.name
            );
            return Err(error(1828, message));
        }
    }
    let mentions = |expr: &Expr| super::mentions::mentions(expr, &name);
    let others = definition.columns.iter().filter(|column| column.name != name);
    let computed =
        others.filter(|column| column.generated).filter_map(|column| column.default.as_ref());
    let checks = definition.checks.iter().map(|check| &check.condition);
    if let Some(found) = computed.chain(checks).find(|expr| mentions(&expr.ast)) {
        let _ = found;
        let message = format!("Unknown column '{name}' in 'GENERATED ALWAYS AS'");
        let check = definition.checks.iter().any(|check| mentions(&check.condition.ast));
        let message = if check { format!("Unknown column '{name}' in 'CHECK'") } else { message };
        return Err(error(error::UNKNOWN_COLUMN, message));
    }
    definition.columns.remove(at);
    if definition.columns.is_empty() {
        let message = "You can't delete all columns with ALTER TABLE; use DROP TABLE instead";
        return Err(error(1090, message));
    }
    for key in &mut definition.keys {
        let parts = key.parts.len();
        key.parts.retain(|part| !same(&part.0, &name));
        if key.parts.len() < parts {
            key.was = None;
        }
    }
    definition.keys.retain(|key| !key.parts.is_empty());
    Ok(())
}

/// A column has another name, everywhere in the definition, also where the table refers to itself.
fn rename_column(definition: &mut Definition, at: usize, new: &str, table: (&str, &str)) {
    let old = definition.columns[at].name.clone();
    definition.columns[at].name = new.to_owned();
    for key in &mut definition.keys {
        for part in &mut key.parts {
            if same(&part.0, &old) {
                part.0 = new.to_owned();
                key.was = None;
            }
        }
    }
    for key in &mut definition.foreign {
        // What is new in the same statement says the new name.
        let itself = key.was.is_some() && (key.table.0.as_str(), key.table.1.as_str()) == table;
        let referenced = key.referenced.iter_mut().filter(|_| itself);
        for column in key.columns.iter_mut().chain(referenced) {
            if same(column, &old) {
                *column = new.to_owned();
            }
        }
    }
    for check in &mut definition.checks {
        check.condition = super::mentions::renamed(&check.condition, &old, new);
    }
    for column in &mut definition.columns {
        if column.generated
            && let Some(value) = &column.default
        {
            let value = super::mentions::renamed(value, &old, new);
            if let Some((text, _)) = &mut column.notes.generated {
                *text = crate::catalog::print::print(&value.ast);
            }
            column.default = Some(value);
        }
        if let Some(check) = &column.check {
            let check = super::mentions::renamed(check, &old, new);
            column.notes.check = Some(crate::catalog::print::print(&check.ast));
            column.check = Some(check);
        }
    }
}

/// CONVERT TO: all texts have this collation.
fn convert(definition: &mut Definition, collation: Collation) {
    definition.notes.collation = collation;
    for column in &mut definition.columns {
        if column.ty.has_letters()
            && !matches!(column.ty.kind, hobgoblin_sql_mysql_types::Kind::Json)
        {
            column.ty = MyType { collation, ..column.ty };
        }
    }
}
