//! CREATE TABLE, LIKE and AS SELECT.

use std::sync::Arc;

use hobgoblin_sql_mysql_types::MyType;
use hobgoblin_sql_mysql_types::error::{self, error};
use hobgoblin_sql_schema::catalog::Expression;
use hobgoblin_sql_schema::{Result, SqlError};
use sqlparser::ast::ObjectName;

use super::build::{Head, notes_in};
use super::change::{Ddl, Named, table_exists, wrong_object};
use super::column::{kept, of_query};
use super::context::DataStep;
use super::definition::{CheckPlan, Definition};
use crate::catalog::engine;
use crate::catalog::names;
use crate::catalog::notes::{ShownDefault, TableNotes};
use crate::syntax::{Check, CreateTable, OnDuplicate, TableElement, TableOption, TableSource};

impl Ddl<'_, '_> {
    pub(super) fn create_table(&mut self, create: &CreateTable) -> Result<()> {
        let (database, name) = self.split(&create.name)?;
        if create.partitioned {
            return Err(SqlError::unsupported("PARTITION BY"));
        }
        self.writable(&database, &name)?;
        let schema = match create.temporary {
            true => self.temporary_schema(&database),
            false => database.clone(),
        };
        if let Some(found) = self.catalog.relation_in(&schema, &name).map(|found| found.oid()) {
            if create.if_not_exists {
                self.note(error::TABLE_EXISTS, format!("Table '{name}' already exists"));
                return Ok(());
            }
            if !create.or_replace {
                return Err(table_exists(&name));
            }
            match self.catalog.table(found).cloned() {
                Some(table) => {
                    self.orphan(&table, &[])?;
                    self.remove(found);
                }
                None => return Err(SqlError::unsupported("CREATE OR REPLACE TABLE over a view")),
            }
        }
        let head = Head { schema, name, temporary: create.temporary };
        match &create.source {
            TableSource::Like(other) => self.create_like(&head, other),
            TableSource::Written => {
                let definition = self.definition(create, &database)?;
                self.make(&head, definition).map(drop)
            }
            TableSource::Query { query, on_duplicate } => {
                self.create_as(&head, create, &database, query, *on_duplicate)
            }
        }
    }

    /// The columns, keys and options that are written.
    fn definition(&self, create: &CreateTable, database: &str) -> Result<Definition> {
        let mut definition = Definition {
            notes: notes_in(self.catalog.schemas.get(database)),
            ..Definition::default()
        };
        self.apply_options(&mut definition, &create.options, None)?;
        for element in &create.elements {
            self.add_element(&mut definition, element, database)?;
        }
        Ok(definition)
    }

    /// Adds what stands between the parentheses of a CREATE TABLE, or behind ADD.
    pub(super) fn add_element(
        &self,
        definition: &mut Definition,
        element: &TableElement,
        database: &str,
    ) -> Result<()> {
        match element {
            TableElement::Column(column) => {
                let new = self.define_column(column, definition.notes.collation)?;
                let name = new.column.name.clone();
                definition.columns.push(new.column);
                definition.keys.extend(new.keys);
                if let Some(references) = &new.references {
                    let (foreign, key) = self.read_references(&name, references, database)?;
                    definition.foreign.push(foreign);
                    definition.keys.push(key);
                }
            }
            TableElement::Key(key) => definition.keys.push(self.read_key(key)?),
            TableElement::ForeignKey(key) => {
                let (foreign, key) = self.read_foreign(key, database)?;
                definition.foreign.push(foreign);
                definition.keys.push(key);
            }
            TableElement::Check(check) => definition.checks.extend(read_check(check)?),
        }
        Ok(())
    }

    /// Options of a table; without COLLATE, a character set means its default one.
    pub(super) fn apply_options(
        &self,
        definition: &mut Definition,
        options: &[TableOption],
        _before: Option<&TableNotes>,
    ) -> Result<()> {
        let (mut charset, mut collate) = (None, None);
        for option in options {
            match option {
                TableOption::Engine(name) => {
                    let strict = self
                        .cx
                        .settings()
                        .mode
                        .has(hobgoblin_sql_mysql_types::SqlMode::NO_ENGINE_SUBSTITUTION);
                    match engine::named(name) {
                        Some(engine) => definition.notes.engine = engine,
                        None if strict => {
                            return Err(error(1286, format!("Unknown storage engine '{name}'")));
                        }
                        None => self.warn(1286, format!("Unknown storage engine '{name}'")),
                    }
                }
                TableOption::AutoIncrement(next) => definition.next = Some((*next).max(1)),
                TableOption::Charset(name) => charset.clone_from(name),
                TableOption::Collate(name) => collate.clone_from(name),
                TableOption::Comment(comment) => {
                    if comment.chars().count() > 2048 {
                        let message = "Comment for table is too long (max = 2048)";
                        return Err(error(1628, message));
                    }
                    definition.notes.comment.clone_from(comment);
                }
                TableOption::Other(name, value) => {
                    other_option(&mut definition.notes, name, value)?
                }
            }
        }
        let version = self.cx.settings().version;
        if let Some(found) = names::chosen(charset.as_deref(), collate.as_deref(), version)? {
            definition.notes.collation = found;
        }
        Ok(())
    }

    fn create_like(&mut self, head: &Head, other: &ObjectName) -> Result<()> {
        let (database, name) = self.split(other)?;
        let source = match self.named(&database, &name) {
            Some(Named::Table(table)) => table,
            Some(_) => return Err(wrong_object(&database, &name, "BASE TABLE")),
            None => return Err(super::change::no_table(&database, &name)),
        };
        let mut definition = Definition::of(&source, self.catalog);
        definition.foreign.clear();
        for column in &mut definition.columns {
            column.was = None;
        }
        for key in &mut definition.keys {
            key.was = None;
            key.generated = false;
        }
        for check in &mut definition.checks {
            check.was = None;
        }
        definition.notes.dangling.clear();
        self.make(head, definition).map(drop)
    }

    fn create_as(
        &mut self,
        head: &Head,
        create: &CreateTable,
        database: &str,
        query: &sqlparser::ast::Query,
        on_duplicate: OnDuplicate,
    ) -> Result<()> {
        let mut definition = self.definition(create, database)?;
        let described = self.cx.binder.describe_query(self.catalog, query)?;
        let mut given = Vec::new();
        for column in described {
            names::check_column_name(&column.name)?;
            if given.iter().any(|name: &String| names::same(name, &column.name)) {
                return Err(super::build::twice(&column.name));
            }
            if definition.column(&column.name).is_none() {
                let mut plan = of_query(&column.name, MyType::of(column.ty), column.nullable);
                // A column of a table keeps its default.
                if let Some((table, at)) = column.origin
                    && let Some(origin) = self.catalog.table(table).and_then(|t| t.columns.get(at))
                    && !origin.generated
                {
                    plan.not_null = !column.nullable;
                    // Numbers are not counted any more, so that what is not given is 0.
                    let mut origin = origin.clone();
                    if origin.identity.is_some() {
                        let zero = sqlparser::ast::Value::Number("0".to_owned(), false);
                        let zero = Expression::new(sqlparser::ast::Expr::Value(zero.into()));
                        origin.default = Some(zero);
                    }
                    plan.default.clone_from(&origin.default);
                    plan.notes = crate::catalog::notes::ColumnNotes {
                        on_update: None,
                        generated: None,
                        check: None,
                        ..crate::catalog::notes::ColumnNotes::of(&origin)
                    };
                    if origin.identity.is_some() {
                        plan.notes.default =
                            ShownDefault::Constant { text: "0".to_owned(), quoted: false };
                    }
                }
                definition.columns.push(plan);
            }
            given.push(column.name);
        }
        // Columns that are written and not selected come first, the others in the order of the query.
        let place = |name: &str| given.iter().position(|given| names::same(given, name));
        definition.columns.sort_by_key(|column| place(&column.name).map_or(0, |at| at + 1));
        let oid = self.make(head, definition)?;
        let table = self.table(oid)?;
        let columns = given
            .iter()
            .filter_map(|name| table.columns.iter().position(|c| names::same(&c.name, name)))
            .collect();
        let query = Arc::new(query.clone());
        self.step(DataStep::Fill { table: oid, columns, query, on_duplicate });
        Ok(())
    }
}

/// A check; one that is NOT ENFORCED checks nothing.
fn read_check(check: &Check) -> Result<Option<CheckPlan>> {
    if !check.enforced {
        return Err(SqlError::unsupported("NOT ENFORCED"));
    }
    let name = check.name.as_ref().map_or("", |name| name.value.as_str());
    names::check_length(name)?;
    Ok(Some(CheckPlan { name: name.to_owned(), condition: kept(&check.condition), was: None }))
}

/// Options that change nothing, as they are shown.
fn other_option(notes: &mut TableNotes, name: &str, value: &str) -> Result<()> {
    let known = engine::OPTIONS.iter().find(|known| known.eq_ignore_ascii_case(name));
    let Some(known) = known else {
        return match name {
            "WITH SYSTEM VERSIONING" => Err(SqlError::unsupported("WITH SYSTEM VERSIONING")),
            "UNION" => Err(SqlError::unsupported("UNION of tables")),
            "TABLESPACE" | "STORAGE" | "CONNECTION" | "PASSWORD" | "INSERT_METHOD"
            | "DATA DIRECTORY" | "INDEX DIRECTORY" | "ENCRYPTION" | "COMPRESSION"
            | "ENGINE_ATTRIBUTE" => Ok(()),
            other => Err(error(1911, format!("Unknown option '{other}'"))),
        };
    };
    notes.options.retain(|(other, _)| other != known);
    let default = value.eq_ignore_ascii_case("default")
        || value == "0" && *known != "PACK_KEYS" && !known.starts_with("STATS");
    let value = if *known == "CHECKSUM" || *known == "DELAY_KEY_WRITE" || *known == "PACK_KEYS" {
        if value == "0" || default { value.to_owned() } else { "1".to_owned() }
    } else {
        value.to_ascii_uppercase()
    };
    if !default {
        notes.options.push(((*known).to_owned(), value));
    }
    Ok(())
}
