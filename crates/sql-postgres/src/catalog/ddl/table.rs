//! CREATE TABLE, CREATE TABLE AS and SELECT INTO.
//!
//! A table comes in three parts: its [`Head`] (name, where it lives, what happens at commit), its columns, and its
//! constraints, which need the columns. With it come a type for its rows and one for arrays of them. LIKE copies columns
//! and what its options name; AS takes the columns of a query, and leaves the step that fills the table.

use std::sync::Arc;

use sqlparser::ast::{self, CreateTable, CreateTableOptions, Query, SqlOption};

use super::constraint::Wish;
use super::{DataStep, Ddl, Usage};
use crate::catalog::names;
use crate::catalog::{
    Column, ConstraintKind, Derived, Found, IndexKey, OnCommit, Relation, Table, fold,
};
use crate::error::{Code, Result, SqlError, SqlState};
use crate::types::{Oid, TypeId};
use hobgoblin_sql_schema::catalog::Notes;

/// What a LIKE clause copies beside the columns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LikeOptions {
    pub(super) comments: bool,
    pub(super) constraints: bool,
    pub(super) defaults: bool,
    pub(super) generated: bool,
    pub(super) identity: bool,
    pub(super) indexes: bool,
}

/// The name of a new table and what is known of it before its columns are.
pub(super) struct Head {
    pub(super) schema: String,
    pub(super) name: String,
    pub(super) temporary: bool,
    pub(super) unlogged: bool,
    pub(super) on_commit: OnCommit,
    pub(super) options: Vec<String>,
}

impl Ddl<'_, '_> {
    pub(super) fn create_table(&mut self, create: &CreateTable) -> Result<()> {
        // LIKE is no name of a column unless quoted; the parser takes `LIKE t` for a column of type t.
        let is_like = |def: &ast::ColumnDef| {
            def.name.quote_style.is_none() && def.name.value.eq_ignore_ascii_case("like")
        };
        if let Some(ast::CreateTableLikeKind::Parenthesized(like)) = &create.like {
            let defaults = matches!(like.defaults, Some(ast::CreateTableLikeDefaults::Including));
            let options = LikeOptions { defaults, ..LikeOptions::default() };
            let plain = CreateTable { like: None, ..create.clone() };
            return self.create_table_like(&plain, &[(0, like.name.clone(), options)]);
        }
        if !create.columns.iter().any(is_like) {
            return self.create_table_like(create, &[]);
        }
        let mut create = create.clone();
        let mut likes = Vec::new();
        let mut kept = Vec::new();
        for def in std::mem::take(&mut create.columns) {
            match &def.data_type {
                ast::DataType::Custom(name, _) if is_like(&def) && def.options.is_empty() => {
                    likes.push((kept.len(), name.clone(), LikeOptions::default()));
                }
                _ if is_like(&def) => return Err(SqlError::unsupported("this form of LIKE")),
                _ => kept.push(def),
            }
        }
        create.columns = kept;
        self.create_table_like(&create, &likes)
    }

    /// Makes a table. Each LIKE clause among its columns comes with the number of columns before
    /// it.
    pub(super) fn create_table_like(
        &mut self,
        create: &CreateTable,
        likes: &[(usize, ast::ObjectName, LikeOptions)],
    ) -> Result<()> {
        self.tag("CREATE TABLE");
        refuse(create)?;
        let temporary = create.temporary;
        let (schema, name) = self.new_name(&create.name, temporary)?;
        let temporary = temporary || crate::catalog::is_temporary(&schema);
        let on_commit = match create.on_commit {
            None | Some(ast::OnCommit::PreserveRows) => OnCommit::PreserveRows,
            Some(ast::OnCommit::DeleteRows) => OnCommit::DeleteRows,
            Some(ast::OnCommit::Drop) => OnCommit::Drop,
        };
        if create.on_commit.is_some() && !temporary {
            return Err(SqlError::new(
                SqlState::INVALID_TABLE_DEFINITION,
                "ON COMMIT can only be used on temporary tables",
            ));
        }
        if !self.free_name(&schema, &name, create.if_not_exists)? {
            return Ok(());
        }
        self.free_type_name(&schema, &name)?;
        let head = Head {
            schema,
            name,
            temporary,
            unlogged: create.unlogged,
            on_commit,
            options: storage_options(&create.table_options),
        };
        if let Some(query) = &create.query {
            let with_data = create.with_data.as_ref().is_none_or(|w| w.data);
            return self.create_table_as(head, &create.columns, query, with_data);
        }
        check_width(create.columns.len())?;
        let mut wishes = Vec::new();
        let mut columns: Vec<Column> = Vec::new();
        let mut sequences = Vec::new();
        let mut copies = Vec::new();
        for (i, def) in create.columns.iter().enumerate() {
            for (_, source, options) in likes.iter().filter(|(at, _, _)| *at == i) {
                copies.push(self.copy_columns(
                    &head,
                    source,
                    *options,
                    &mut columns,
                    &mut sequences,
                    &mut wishes,
                )?);
            }
            let new = self.define_column(&head.schema, &head.name, temporary, def)?;
            if columns.iter().any(|c| c.name == new.column.name) {
                return Err(twice(&new.column.name));
            }
            sequences
                .extend(new.sequence.map(|s| (s, columns.len(), new.column.identity.is_some())));
            columns.push(new.column);
            wishes.extend(new.wishes);
        }
        for (_, source, options) in likes.iter().filter(|(at, _, _)| *at >= create.columns.len()) {
            copies.push(self.copy_columns(
                &head,
                source,
                *options,
                &mut columns,
                &mut sequences,
                &mut wishes,
            )?);
        }
        for constraint in &create.constraints {
            wishes.push(self.read_constraint(constraint)?);
        }
        let table = self.push_table(head, columns)?;
        for (sequence, column, identity) in sequences {
            self.change_sequence(sequence, |s| s.owner = Some((table, column, identity)));
        }
        self.check_defaults(table)?;
        self.new_constraints(table, wishes)?;
        for (source, options) in copies {
            self.copy_indexes(table, &source, options)?;
        }
        Ok(())
    }

    /// Puts a table into the catalogue, without its constraints.
    pub(super) fn push_table(&mut self, head: Head, columns: Vec<Column>) -> Result<Oid> {
        check_width(columns.len())?;
        const SYSTEM: [&str; 6] = ["tableoid", "cmax", "xmax", "cmin", "xmin", "ctid"];
        if let Some(column) = columns.iter().find(|c| SYSTEM.contains(&c.name.as_str())) {
            return Err(SqlError::new(
                SqlState::DUPLICATE_COLUMN,
                format!("column name \"{}\" conflicts with a system column name", column.name),
            ));
        }
        let oid = self.catalog.new_oid();
        let (row_type, row_array) = self.push_row_type(&head.schema, &head.name, oid)?;
        let prefix = self.catalog.new_prefix(&head.schema, &head.name);
        self.schema_mut(&head.schema)?.relations.insert(head.name.clone(), oid);
        let table = Table {
            oid,
            row_type,
            row_array,
            schema: head.schema,
            name: head.name,
            prefix,
            columns,
            indexes: Vec::new(),
            constraints: Vec::new(),
            temporary: head.temporary,
            on_commit: head.on_commit,
            options: head.options,
            unlogged: head.unlogged,
            materialized: None,
            populated: true,
            notes: Notes::default(),
        };
        self.catalog.relations.insert(oid, Relation::Table(Arc::new(table)));
        Ok(oid)
    }

    /// Makes the row type of a relation, and the array type of that.
    pub(super) fn push_row_type(
        &mut self,
        schema: &str,
        name: &str,
        relation: Oid,
    ) -> Result<(Oid, Oid)> {
        let row_array = self.catalog.new_oid();
        let row_type = self.catalog.new_oid();
        self.catalog.derived.insert(row_type, Derived::Row(relation));
        self.catalog.derived.insert(row_array, Derived::Array(row_type));
        let schema = self.schema_mut(schema)?;
        let array_name = names::array_type_name(schema, name);
        schema.types.insert(name.to_owned(), row_type);
        schema.types.insert(array_name, row_array);
        Ok((row_type, row_array))
    }

    /// Checks the defaults and generation expressions of a table's columns.
    fn check_defaults(&self, table: Oid) -> Result<()> {
        let table = self.table(table)?;
        for at in 0..table.columns.len() {
            self.check_default(&table, at)?;
        }
        Ok(())
    }

    /// Checks the default or generation expression of one column.
    pub(super) fn check_default(&self, table: &Arc<Table>, at: usize) -> Result<()> {
        let column = &table.columns[at];
        let Some(default) = &column.default else { return Ok(()) };
        if column.identity.is_some() {
            return Ok(());
        }
        if column.generated {
            for name in crate::catalog::mentions::columns(&default.ast) {
                let Some(used) = table.column(&name) else { continue };
                if table.columns[used].generated {
                    return Err(SqlError::new(
                        Code("42P17"),
                        format!(
                            "cannot use generated column \"{name}\" in column generation expression"
                        ),
                    )
                    .detail("A generated column cannot reference another generated column."));
                }
            }
        }
        let usage =
            if column.generated { Usage::Generated(column.ty) } else { Usage::Default(column.ty) };
        let rows = column.generated.then_some(table);
        self.cx.binder.describe_expr(self.catalog, rows, &default.ast, usage)?;
        Ok(())
    }

    fn create_table_as(
        &mut self,
        head: Head,
        names: &[ast::ColumnDef],
        query: &Query,
        with_data: bool,
    ) -> Result<()> {
        self.tag(if with_data { "SELECT" } else { "CREATE TABLE AS" });
        let described =
            self.cx.binder.describe_query(self.catalog, query, self.cx.written.clauses)?;
        if names.len() > described.len() {
            return Err(SqlError::syntax("too many column names were specified"));
        }
        let mut columns: Vec<Column> = Vec::new();
        for (i, (name, ty, typmod)) in described.into_iter().enumerate() {
            let name = names.get(i).map_or(name, |def| fold(&def.name));
            let ty = if ty == TypeId::UNKNOWN { TypeId::TEXT } else { ty };
            self.storable(&name, ty)?;
            if columns.iter().any(|c| c.name == name) {
                return Err(twice(&name));
            }
            columns.push(self.new_column(&name, ty, typmod));
        }
        let table = self.push_table(head, columns)?;
        if with_data {
            let clauses = self.cx.written.clauses.clone();
            self.step(DataStep::Fill { table, query: Arc::new(query.clone()), clauses });
        }
        Ok(())
    }

    /// Does SELECT … INTO t, which is CREATE TABLE t AS SELECT ….
    pub(super) fn select_into(&mut self, query: &Query) -> Result<()> {
        let mut query = query.clone();
        let into = match &mut *query.body {
            ast::SetExpr::Select(select) => select.into.take(),
            _ => None,
        };
        let Some(into) = into else {
            return Err(SqlError::new(
                SqlState::INTERNAL_ERROR,
                "a query does not change the schema",
            ));
        };
        let name = match into.targets.as_slice() {
            [ast::Expr::Identifier(ident)] => ast::ObjectName::from(vec![ident.clone()]),
            [ast::Expr::CompoundIdentifier(parts)] => ast::ObjectName::from(parts.clone()),
            _ => return Err(SqlError::syntax("SELECT INTO takes the name of one table")),
        };
        let (schema, name) = self.new_name(&name, into.temporary)?;
        self.free_name(&schema, &name, false)?;
        self.free_type_name(&schema, &name)?;
        let head = Head {
            schema,
            name,
            temporary: into.temporary,
            unlogged: into.unlogged,
            on_commit: OnCommit::PreserveRows,
            options: Vec::new(),
        };
        self.create_table_as(head, &[], &query, true)
    }

    /// The columns that a LIKE clause copies, and the checks on them.
    fn copy_columns(
        &mut self,
        head: &Head,
        source: &ast::ObjectName,
        options: LikeOptions,
        columns: &mut Vec<Column>,
        sequences: &mut Vec<(Oid, usize, bool)>,
        wishes: &mut Vec<Wish>,
    ) -> Result<(Arc<Table>, LikeOptions)> {
        let source = match self.relation(source)? {
            Found::Table(table) => table.clone(),
            other => {
                return Err(SqlError::unsupported(format!(
                    "LIKE with the {} {}",
                    other.kind(),
                    other.name()
                )));
            }
        };
        for (_, old) in source.live() {
            if columns.iter().any(|c| c.name == old.name) {
                return Err(twice(&old.name));
            }
            let mut column = Column::new(&old.name, old.ty, old.typmod);
            column.domain = old.domain;
            column.not_null = old.not_null;
            column.collation = old.collation.clone();
            if old.generated && options.generated {
                column.default = old.default.clone();
                column.generated = true;
            } else if old.identity.is_some() {
                if options.identity {
                    let at = source.column(&old.name).unwrap_or_default();
                    let like = self.catalog.owned_sequence(source.oid, at).cloned();
                    let mut wanted =
                        super::sequence::Options { ty: Some(old.ty), ..Default::default() };
                    if let Some(like) = like {
                        wanted.increment = Some(like.increment);
                        wanted.min = Some(Some(like.min));
                        wanted.max = Some(Some(like.max));
                        wanted.start = Some(like.start);
                        wanted.cache = Some(like.cache);
                        wanted.cycle = Some(like.cycle);
                    }
                    let (oid, default) = self.column_sequence(
                        &head.schema,
                        &head.name,
                        head.temporary,
                        &old.name,
                        &wanted,
                    )?;
                    sequences.push((oid, columns.len(), true));
                    column.default = Some(default);
                    column.identity = old.identity;
                }
            } else if !old.generated && options.defaults {
                column.default = old.default.clone();
            }
            columns.push(column);
        }
        if options.constraints {
            for constraint in &source.constraints {
                if let ConstraintKind::Check(expr) = &constraint.kind {
                    wishes.push(Wish::Check {
                        name: Some(constraint.name.clone()),
                        expr: expr.clone(),
                    });
                }
            }
        }
        Ok((source, options))
    }

    /// Copies the indexes and comments that a LIKE clause asks for.
    fn copy_indexes(
        &mut self,
        table: Oid,
        source: &Arc<Table>,
        options: LikeOptions,
    ) -> Result<()> {
        let t = self.table(table)?;
        if options.comments {
            for (at, old) in source.live() {
                let from = (crate::catalog::pg::PG_CLASS, source.oid, number(at));
                if let (Some(text), Some(to)) =
                    (self.catalog.comments.get(&from).cloned(), t.column(&old.name))
                {
                    self.catalog
                        .comments
                        .insert((crate::catalog::pg::PG_CLASS, table, number(to)), text);
                }
            }
        }
        if !options.indexes {
            return Ok(());
        }
        for old in &source.indexes {
            let place = |at: usize| t.column(&source.columns[at].name).unwrap_or(at);
            let constraint = source.constraints.iter().find(|c| {
                matches!(c.kind, ConstraintKind::Primary(i) | ConstraintKind::Unique(i) | ConstraintKind::Exclude(i) if i == old.oid)
            });
            let names = old.columns.iter().map(|c| c.name.as_str());
            let include = old.include.iter().map(|i| source.columns[*i].name.as_str());
            let joined = crate::catalog::names::name_addition(names.chain(include));
            let (columns, label) = match constraint {
                Some(_) if old.primary => (None, "pkey"),
                Some(_) if !old.operators.is_empty() => (Some(joined.as_str()), "excl"),
                Some(_) => (Some(joined.as_str()), "key"),
                None => (Some(joined.as_str()), "idx"),
            };
            let name = names::choose_name(
                self.catalog,
                &t.schema,
                &t.name,
                columns,
                label,
                constraint.is_some(),
                &[],
            );
            let mut new = (**old).clone();
            new.name.clone_from(&name);
            for column in &mut new.columns {
                if let IndexKey::Column(at) = &mut column.key {
                    *at = place(*at);
                }
            }
            new.include = old.include.iter().map(|i| place(*i)).collect();
            let index = self.push_index(table, |oid, prefix| {
                new.oid = oid;
                new.prefix = prefix;
                new
            })?;
            if let Some(constraint) = constraint {
                let oid = self.catalog.new_oid();
                let mut copy = (**constraint).clone();
                copy.oid = oid;
                copy.name = name;
                copy.kind = match copy.kind {
                    ConstraintKind::Primary(_) => ConstraintKind::Primary(index),
                    ConstraintKind::Exclude(_) => ConstraintKind::Exclude(index),
                    _ => ConstraintKind::Unique(index),
                };
                self.catalog.table_mut(table)?.constraints.push(Arc::new(copy));
            }
        }
        Ok(())
    }
}

/// The number of a column as the system tables have it, from 1.
pub(super) fn number(at: usize) -> i32 {
    i32::try_from(at + 1).unwrap_or(i32::MAX)
}

/// Fails if two columns have the same name.
pub(super) fn distinct_names(columns: &[Column]) -> Result<()> {
    for (at, column) in columns.iter().enumerate() {
        if columns[..at].iter().any(|before| before.name == column.name) {
            return Err(twice(&column.name));
        }
    }
    Ok(())
}

/// Fails if a table has too many columns. It is asked before their names are compared, which would
/// take long.
pub(super) fn check_width(columns: usize) -> Result<()> {
    match columns > 1600 {
        true => Err(SqlError::new(Code("54011"), "tables can have at most 1600 columns")),
        false => Ok(()),
    }
}

fn twice(name: &str) -> SqlError {
    SqlError::new(SqlState::DUPLICATE_COLUMN, format!("column \"{name}\" specified more than once"))
}

/// The storage options of a table, which are kept only to be shown.
pub(super) fn storage_options(options: &CreateTableOptions) -> Vec<String> {
    let (CreateTableOptions::With(list)
    | CreateTableOptions::Options(list)
    | CreateTableOptions::Plain(list)
    | CreateTableOptions::TableProperties(list)) = options
    else {
        return Vec::new();
    };
    list.iter()
        .filter_map(|option| match option {
            SqlOption::KeyValue { key, value } => {
                Some(format!("{}={}", fold(key), value.to_string().trim_matches('\'')))
            }
            _ => None,
        })
        .filter(|option| !option.starts_with("oids="))
        .collect()
}

/// Fails if a table is asked for that there cannot be here.
fn refuse(create: &CreateTable) -> Result<()> {
    let feature = if create.partition_by.is_some() {
        "PARTITION BY"
    } else if create.partition_of.is_some() {
        "PARTITION OF"
    } else if create.inherits.is_some() {
        "INHERITS"
    } else if create.external {
        "CREATE EXTERNAL TABLE"
    } else if create.or_replace {
        return Err(SqlError::syntax("syntax error at or near \"TABLE\""));
    } else if create.clone.is_some() || create.like.is_some() {
        "this form of LIKE"
    } else {
        return Ok(());
    };
    Err(SqlError::unsupported(feature))
}
