//! The plainest tables: columns with a type, NOT NULL, AUTO_INCREMENT and a primary key; unique and plain keys.

use std::sync::Arc;

use hobgoblin_core::Text;
use hobgoblin_sql_mysql_types::names::{Declared, column_type};
use hobgoblin_sql_mysql_types::{Collation, error};
use hobgoblin_sql_schema::catalog::{
    Catalog, Column, Constraint, ConstraintKind, Expression, Identity, Index, IndexColumn,
    IndexKey, OnCommit, Relation, Sequence, Table,
};
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::TypeId;
use sqlparser::ast::{Expr, Ident, ObjectName};

use crate::syntax::{ColumnOption, CreateTable, KeyKind, Special, TableElement};

/// Changes a catalogue as a statement asks.
pub(crate) fn change(
    catalog: &mut Catalog,
    special: &Special,
    database: Option<&str>,
) -> Result<()> {
    match special {
        Special::CreateTable(table) => create(catalog, table, database),
        Special::CreateIndex(index) => {
            let (schema, name) = place(&index.table, database)?;
            let columns: Vec<String> = index.key.parts.iter().filter_map(column_of).collect();
            let mut table = found(catalog, &schema, &name)?;
            let called = index.key.name.as_ref().map_or("key", |name| &name.value).to_owned();
            let unique = index.key.kind == KeyKind::Unique;
            add_key(catalog, Arc::make_mut(&mut table), &called, &columns, unique, false)?;
            catalog.relations.insert(table.oid, Relation::Table(table));
            Ok(())
        }
        Special::DropTables(drop) => {
            for name in &drop.names {
                let (schema, name) = place(name, database)?;
                let table = match found(catalog, &schema, &name) {
                    Ok(table) => table,
                    Err(_) if drop.if_exists => continue,
                    Err(_) => {
                        let text = format!("Unknown table '{schema}.{name}'");
                        return Err(error::error(error::UNKNOWN_TABLE, text));
                    }
                };
                for index in &table.indexes {
                    catalog.relations.remove(&index.oid);
                }
                catalog.relations.remove(&table.oid);
                if let Some(schema) = catalog.schemas.get_mut(&schema) {
                    schema.relations.remove(&name);
                }
            }
            Ok(())
        }
        Special::CreateDatabase(create) => {
            let name = &create.name.value;
            match catalog.schemas.contains_key(name) {
                true if create.if_not_exists => {}
                true => {
                    let text = format!("Can't create database '{name}'; database exists");
                    return Err(error::error(1007, text));
                }
                false => super::make_database(catalog, name),
            }
            Ok(())
        }
        _ => Err(SqlError::unsupported("this change of the schema")),
    }
}

fn place(name: &ObjectName, database: Option<&str>) -> Result<(String, String)> {
    let parts: Vec<&Ident> = name.0.iter().filter_map(|part| part.as_ident()).collect();
    match (parts.as_slice(), database) {
        ([name], Some(database)) => Ok((database.to_owned(), name.value.clone())),
        ([schema, name], _) => Ok((schema.value.clone(), name.value.clone())),
        _ => Err(error::error(error::NO_DATABASE_SELECTED, "No database selected")),
    }
}

fn found(catalog: &Catalog, schema: &str, name: &str) -> Result<Arc<Table>> {
    let oid = catalog.schemas.get(schema).and_then(|schema| schema.relations.get(name));
    let table = oid.and_then(|oid| catalog.table(*oid)).cloned();
    table.ok_or_else(|| {
        error::error(error::NO_SUCH_TABLE, format!("Table '{schema}.{name}' doesn't exist"))
    })
}

fn column_of(part: &crate::syntax::KeyPart) -> Option<String> {
    match &part.column {
        Expr::Identifier(name) => Some(name.value.clone()),
        _ => None,
    }
}

fn create(catalog: &mut Catalog, made: &CreateTable, database: Option<&str>) -> Result<()> {
    let (schema, name) = place(&made.name, database)?;
    if !catalog.schemas.contains_key(&schema) {
        return Err(error::error(error::UNKNOWN_DATABASE, format!("Unknown database '{schema}'")));
    }
    if catalog.schemas[&schema].relations.contains_key(&name) {
        if made.if_not_exists {
            return Ok(());
        }
        return Err(error::error(error::TABLE_EXISTS, format!("Table '{name}' already exists")));
    }
    let oid = catalog.new_oid();
    let prefix = new_prefix(catalog, &format!("{schema}.{name}"));
    let (row_type, row_array) = (catalog.new_oid(), catalog.new_oid());
    let mut table = Table {
        oid,
        row_type,
        row_array,
        schema: schema.clone(),
        name: name.clone(),
        prefix,
        columns: Vec::new(),
        indexes: Vec::new(),
        constraints: Vec::new(),
        temporary: made.temporary,
        on_commit: OnCommit::PreserveRows,
        options: Vec::new(),
        unlogged: false,
        materialized: None,
        populated: true,
        notes: Default::default(),
    };
    let mut keys: Vec<(String, Vec<String>, bool, bool)> = Vec::new();
    for element in &made.elements {
        match element {
            TableElement::Column(column) => {
                let called = &column.name.value;
                let declared = Declared {
                    column: called,
                    collation: Collation::DEFAULT,
                    unsigned: false,
                    zerofill: column.ty.zerofill,
                };
                let ty = column_type(&column.ty.data_type, &declared, &catalog.shapes)?;
                let mut new = Column::new(called, ty.id(), -1);
                for option in &column.options {
                    match option {
                        ColumnOption::NotNull => new.not_null = true,
                        ColumnOption::Null | ColumnOption::Comment(_) => {}
                        ColumnOption::PrimaryKey => {
                            new.not_null = true;
                            keys.push(("PRIMARY".to_owned(), vec![called.clone()], true, true));
                        }
                        ColumnOption::Unique => {
                            keys.push((called.clone(), vec![called.clone()], true, false));
                        }
                        ColumnOption::Default(expr) => {
                            new.default = Some(Expression::new(expr.clone()));
                        }
                        ColumnOption::AutoIncrement => {
                            new.not_null = true;
                            new.identity = Some(Identity::ByDefault);
                            let column = table.columns.len();
                            own_sequence(catalog, &schema, &name, oid, column, ty.id());
                        }
                        _ => return Err(SqlError::unsupported("this option of a column")),
                    }
                }
                table.columns.push(new);
            }
            TableElement::Key(key) => {
                let columns: Vec<String> = key.parts.iter().filter_map(column_of).collect();
                let primary = key.kind == KeyKind::Primary;
                let first = columns.first().cloned().unwrap_or_default();
                let called = match (primary, &key.name) {
                    (true, _) => "PRIMARY".to_owned(),
                    (false, Some(name)) => name.value.clone(),
                    (false, None) => first,
                };
                let unique = primary || key.kind == KeyKind::Unique;
                keys.push((called, columns, unique, primary));
            }
            _ => return Err(SqlError::unsupported("foreign keys and checks")),
        }
    }
    for (called, columns, unique, primary) in keys {
        add_key(catalog, &mut table, &called, &columns, unique, primary)?;
    }
    catalog.relations.insert(oid, Relation::Table(Arc::new(table)));
    if let Some(schema) = catalog.schemas.get_mut(&schema) {
        schema.relations.insert(name, oid);
    }
    Ok(())
}

/// What keys begin with of something of this name: unique in the life of the store.
fn new_prefix(catalog: &mut Catalog, name: &str) -> Text {
    let used = catalog.prefixes.entry(name.to_owned()).or_insert(0);
    *used += 1;
    match *used {
        1 => name.into(),
        n => format!("{name}#{n}").into(),
    }
}

fn own_sequence(
    catalog: &mut Catalog,
    schema: &str,
    table: &str,
    owner: u32,
    column: usize,
    ty: TypeId,
) {
    let oid = catalog.new_oid();
    let name = format!("{table} auto_increment");
    let sequence = Sequence {
        oid,
        schema: schema.to_owned(),
        prefix: new_prefix(catalog, &format!("{schema}.{name}")),
        name,
        ty,
        start: 1,
        increment: 1,
        min: 1,
        max: i64::MAX,
        cache: 1,
        cycle: false,
        temporary: false,
        owner: Some((owner, column, true)),
    };
    catalog.relations.insert(oid, Relation::Sequence(Arc::new(sequence)));
}

fn add_key(
    catalog: &mut Catalog,
    table: &mut Table,
    name: &str,
    columns: &[String],
    unique: bool,
    primary: bool,
) -> Result<()> {
    let mut parts = Vec::new();
    for called in columns {
        let Some(at) = table.column(called) else {
            let text = format!("Key column '{called}' doesn't exist in table");
            return Err(error::error(1072, text));
        };
        table.columns[at].not_null |= primary;
        parts.push(IndexColumn {
            key: IndexKey::Column(at),
            name: called.clone(),
            ty: table.columns[at].ty,
            collation: None,
            descending: false,
            nulls_first: true,
            opclass: None,
        });
    }
    let oid = catalog.new_oid();
    let prefix = match primary {
        true => table.prefix.clone(),
        false => new_prefix(catalog, &format!("{}.{}.{name}", table.schema, table.name)),
    };
    let index = Index {
        oid,
        name: name.to_owned(),
        prefix,
        columns: parts,
        include: Vec::new(),
        unique,
        primary,
        nulls_not_distinct: false,
        predicate: None,
        method: "btree".to_owned(),
        options: Vec::new(),
        operators: Vec::new(),
        notes: Default::default(),
    };
    table.indexes.push(Arc::new(index));
    if unique {
        let kind = if primary { ConstraintKind::Primary(oid) } else { ConstraintKind::Unique(oid) };
        table.constraints.push(Arc::new(Constraint {
            oid: catalog.new_oid(),
            name: name.to_owned(),
            kind,
            deferrable: false,
            initially_deferred: false,
            validated: true,
        }));
    }
    catalog.relations.insert(oid, Relation::Index { table: table.oid, oid });
    Ok(())
}
