//! Tables, from the statements of the file that define them.
//!
//! First all tables with their columns, then keys and constraints, since those name columns and other tables. A foreign
//! key may name a table that follows only by `ALTER TABLE … ADD`, as in PostgreSQL.

use std::rc::Rc;

use sqlparser::ast::{self, AlterTableOperation, ColumnOption, ReferentialAction, TableConstraint};

use super::error::{Fault, Named, Problem, Result};
use super::names::{Binder, Row, Rows, column_of, object_name};
use super::tokens::{Sql, fold, place, place_of};
use super::types;
use super::variables::Variables;
use crate::program::{
    Column, ColumnId, Expr, ExprKind, Place, Reference, RowId, Table, TableId, Type,
};

/// The tables that were read so far.
#[derive(Debug, Default)]
pub(super) struct Schema {
    pub(super) tables: Vec<Table>,
    /// The statements that define them.
    pub(super) places: Vec<Place>,
}

impl Schema {
    /// Reads a statement outside of transactions.
    pub(super) fn statement(&mut self, sql: Sql) -> Result<()> {
        let sql = Rc::new(sql);
        let at = sql.place;
        let kept = sql.parse(
            |parser| parser.parse_statement(),
            |statement| match statement {
                ast::Statement::CreateTable(table) => self.table(&table, &sql).map(|()| true),
                ast::Statement::CreateIndex(index) => self.index(&index, &sql).map(|()| true),
                ast::Statement::AlterTable(alter) => self.alter(&alter, &sql).map(|()| true),
                ast::Statement::CreateSequence { .. } => Ok(true),
                other => Err(refuse(at, &first_words(&other.to_string()))),
            },
        )?;
        if kept {
            self.places.push(at);
        }
        Ok(())
    }

    fn table(&mut self, create: &ast::CreateTable, sql: &Rc<Sql>) -> Result<()> {
        let (name, at) = object_name(&create.name, sql.place)?;
        if self.tables.iter().any(|table| table.name == name) {
            return Err(Fault::new(at, Problem::Duplicate { what: "tables", name }));
        }
        let refused = if create.query.is_some() || create.like.is_some() {
            Some("CREATE TABLE … AS or LIKE")
        } else if create.temporary {
            Some("a temporary table")
        } else if create.inherits.is_some() || create.partition_of.is_some() {
            Some("a table that inherits")
        } else if create.partition_by.is_some() {
            Some("a partitioned table")
        } else {
            None
        };
        if let Some(what) = refused {
            return Err(refuse(at, what));
        }
        let id = TableId(self.tables.len() as u32);
        self.tables.push(Table {
            name,
            columns: Vec::new(),
            key: Vec::new(),
            unique: Vec::new(),
            checks: Vec::new(),
            references: Vec::new(),
            place: sql.place,
        });
        for column in &create.columns {
            self.column(id, column)?;
        }
        // Primary keys first: a table may refer to itself.
        for column in &create.columns {
            self.column_key(id, column)?;
        }
        let is_key =
            |constraint: &&TableConstraint| matches!(constraint, TableConstraint::PrimaryKey(_));
        for constraint in create.constraints.iter().filter(is_key) {
            self.constraint(id, constraint, sql)?;
        }
        for column in &create.columns {
            self.column_options(id, column, sql)?;
        }
        for constraint in create.constraints.iter().filter(|constraint| !is_key(constraint)) {
            self.constraint(id, constraint, sql)?;
        }
        Ok(())
    }

    fn of(&mut self, id: TableId) -> &mut Table {
        &mut self.tables[id.0 as usize]
    }

    fn column(&mut self, id: TableId, column: &ast::ColumnDef) -> Result<()> {
        let (name, at) = (fold(&column.name), place(column.name.span));
        if column_of(self.of(id), &name).is_some() {
            return Err(Fault::new(at, Problem::Duplicate { what: "columns", name }));
        }
        let declared = types::declared(&column.data_type, at)?;
        if declared.ty == Type::IntArray {
            return Err(Fault::unsupported(
                at,
                "a column of arrays",
                "make a table of its own with one row for each element",
            ));
        }
        let chosen = Expr { kind: ExprKind::Choose, ty: Type::Int, place: at };
        let default = declared.serial.then_some(chosen);
        let nullable = !declared.serial;
        let (ty, scale) = (declared.ty, types::scale(&column.data_type));
        self.of(id).columns.push(Column { name, ty, scale, nullable, default });
        Ok(())
    }

    /// `PRIMARY KEY` behind a column.
    fn column_key(&mut self, id: TableId, definition: &ast::ColumnDef) -> Result<()> {
        let at = place(definition.name.span);
        let column = column_of(self.of(id), &fold(&definition.name)).unwrap_or(ColumnId(0));
        let options = definition.options.iter();
        let mut keys =
            options.filter(|option| matches!(option.option, ColumnOption::PrimaryKey(_)));
        keys.try_for_each(|_| self.key(id, vec![column], at))
    }

    fn column_options(
        &mut self,
        id: TableId,
        definition: &ast::ColumnDef,
        sql: &Rc<Sql>,
    ) -> Result<()> {
        let at = place(definition.name.span);
        let column = column_of(self.of(id), &fold(&definition.name)).unwrap_or(ColumnId(0));
        for option in &definition.options {
            match &option.option {
                ColumnOption::Null => {}
                ColumnOption::NotNull => self.of(id).columns[column.0 as usize].nullable = false,
                ColumnOption::Default(default) => {
                    let wanted = self.of(id).columns[column.0 as usize].ty;
                    let default = self.bound(None, sql).expression(default)?;
                    let default = types::expect(default, wanted)?;
                    self.of(id).columns[column.0 as usize].default = Some(default);
                }
                ColumnOption::PrimaryKey(_) => {}
                ColumnOption::Unique(_) => self.of(id).unique.push(vec![column]),
                ColumnOption::Check(check) => self.check(id, &check.expr, sql)?,
                ColumnOption::ForeignKey(foreign) => {
                    self.reference(id, vec![column], foreign, sql, at)?;
                }
                ColumnOption::Generated { generation_expr: None, .. } => {
                    let chosen = Expr { kind: ExprKind::Choose, ty: Type::Int, place: at };
                    let column = &mut self.of(id).columns[column.0 as usize];
                    column.default = Some(chosen);
                    column.nullable = false;
                }
                ColumnOption::Collation(_) | ColumnOption::Comment(_) => {}
                other => return Err(refuse(at, &format!("the column's {other}"))),
            }
        }
        Ok(())
    }

    /// Reads expressions of a table's rows, or of nothing.
    fn bound(&self, of: Option<TableId>, sql: &Rc<Sql>) -> Binder<'_> {
        let mut binder = Binder::new(&self.tables, Variables::default());
        binder.sql = Rc::clone(sql);
        if let Some(table) = of {
            let name = self.tables[table.0 as usize].name.clone();
            let rows = vec![Row { name, table, id: RowId(0) }];
            binder.queries.push(Rows { rows, merged: Vec::new() });
        }
        binder
    }

    fn check(&mut self, id: TableId, check: &ast::Expr, sql: &Rc<Sql>) -> Result<()> {
        let check = self.bound(Some(id), sql).condition(check)?;
        self.of(id).checks.push(check);
        Ok(())
    }

    fn key(&mut self, id: TableId, key: Vec<ColumnId>, at: Place) -> Result<()> {
        if !self.of(id).key.is_empty() {
            let table = self.of(id).name.clone();
            return Err(Fault::new(at, Problem::TwoKeys { table }));
        }
        for column in &key {
            self.of(id).columns[column.0 as usize].nullable = false;
        }
        self.of(id).key = key;
        Ok(())
    }

    fn columns(&mut self, id: TableId, names: &[&ast::Ident]) -> Result<Vec<ColumnId>> {
        let mut columns = Vec::new();
        for name in names {
            let (folded, at) = (fold(name), place(name.span));
            let column = column_of(self.of(id), &folded);
            let column = column.ok_or_else(|| Fault::unknown(at, Named::Column, &folded))?;
            if columns.contains(&column) {
                let problem = Problem::Duplicate { what: "columns", name: folded };
                return Err(Fault::new(at, problem));
            }
            columns.push(column);
        }
        Ok(columns)
    }

    fn indexed(&mut self, id: TableId, columns: &[ast::IndexColumn]) -> Result<Vec<ColumnId>> {
        let mut names = Vec::new();
        for column in columns {
            match &column.column.expr {
                ast::Expr::Identifier(name) => names.push(name),
                other => {
                    let at = self.of(id).place;
                    return Err(refuse(place_of(other, at), "a unique expression"));
                }
            }
        }
        self.columns(id, &names)
    }

    fn constraint(
        &mut self,
        id: TableId,
        constraint: &TableConstraint,
        sql: &Rc<Sql>,
    ) -> Result<()> {
        let at = place_of(constraint, sql.place);
        match constraint {
            TableConstraint::PrimaryKey(key) => {
                let columns = self.indexed(id, &key.columns)?;
                self.key(id, columns, at)
            }
            TableConstraint::Unique(unique) => {
                let columns = self.indexed(id, &unique.columns)?;
                self.of(id).unique.push(columns);
                Ok(())
            }
            TableConstraint::Check(check) => self.check(id, &check.expr, sql),
            TableConstraint::ForeignKey(foreign) => {
                let columns: Vec<&ast::Ident> = foreign.columns.iter().collect();
                let columns = self.columns(id, &columns)?;
                self.reference(id, columns, foreign, sql, at)
            }
            _ => Err(refuse(at, "this constraint")),
        }
    }

    fn reference(
        &mut self,
        id: TableId,
        columns: Vec<ColumnId>,
        foreign: &ast::ForeignKeyConstraint,
        sql: &Rc<Sql>,
        at: Place,
    ) -> Result<()> {
        let table = self.bound(None, sql).find_table(&foreign.foreign_table)?;
        let at_table = place_of(&foreign.foreign_table, at);
        let to = match foreign.referred_columns.is_empty() {
            true => self.of(table).key.clone(),
            false => {
                let names: Vec<&ast::Ident> = foreign.referred_columns.iter().collect();
                self.columns(table, &names)?
            }
        };
        let (mut sorted, mut key) = (to.clone(), self.of(table).key.clone());
        sorted.sort_unstable();
        key.sort_unstable();
        if sorted != key || key.is_empty() {
            return Err(Fault::unsupported(
                at_table,
                "a foreign key but to the primary key",
                "refer to the table's primary key",
            ));
        }
        if to.len() != columns.len() {
            let problem = Problem::Values { values: columns.len(), columns: to.len() };
            return Err(Fault::new(at, problem));
        }
        for (from, to) in columns.iter().zip(&to) {
            let from = self.of(id).columns[from.0 as usize].ty;
            let to = self.of(table).columns[to.0 as usize].ty;
            if from != to {
                return Err(Fault::new(at, Problem::WrongType { expected: to, found: from }));
            }
        }
        let cascade = match foreign.on_delete {
            None | Some(ReferentialAction::Restrict | ReferentialAction::NoAction) => false,
            Some(ReferentialAction::Cascade) => true,
            Some(_) => return Err(refuse(at, "ON DELETE SET NULL or SET DEFAULT")),
        };
        // Primary keys do not change, so what is said of that says nothing.
        self.of(id).references.push(Reference { columns, table, to, cascade, place: at });
        Ok(())
    }

    fn index(&mut self, index: &ast::CreateIndex, sql: &Rc<Sql>) -> Result<()> {
        let table = self.bound(None, sql).find_table(&index.table_name)?;
        if !index.unique {
            return Ok(());
        }
        if index.predicate.is_some() || index.nulls_distinct == Some(false) {
            let help = "make it unique for all rows, or leave it out";
            return Err(Fault::unsupported(sql.place, "a partial unique index", help));
        }
        let columns = self.indexed(table, &index.columns)?;
        self.of(table).unique.push(columns);
        Ok(())
    }

    fn alter(&mut self, alter: &ast::AlterTable, sql: &Rc<Sql>) -> Result<()> {
        let table = self.bound(None, sql).find_table(&alter.name)?;
        for operation in &alter.operations {
            match operation {
                AlterTableOperation::AddConstraint { constraint, .. } => {
                    self.constraint(table, constraint, sql)?;
                }
                _ => return Err(refuse(sql.place, "ALTER TABLE but for ADD of a constraint")),
            }
        }
        Ok(())
    }
}

/// The words in capitals that a statement begins with.
fn first_words(text: &str) -> String {
    let is_word = |word: &&str| word.bytes().all(|byte| byte.is_ascii_uppercase());
    let words: Vec<&str> = text.split(' ').take_while(is_word).take(2).collect();
    if words.is_empty() { "this statement".to_owned() } else { words.join(" ") }
}

fn refuse(at: Place, what: &str) -> Fault {
    Fault::unsupported(at, what, "the schema is CREATE TABLE, CREATE INDEX and constraints")
}
