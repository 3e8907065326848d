//! INSERT, UPDATE, DELETE.

use std::sync::Arc;

use hobgoblin_front::Lock;
use sqlparser::ast::{
    self, Assignment, AssignmentTarget, ConflictTarget, FromTable, OnConflictAction, OnInsert,
    SetExpr, TableFactor, TableObject, UpdateTableFromKind,
};

use super::Binder;
use super::conjunct::split;
use super::expr::{Access, ColumnRef, Cte, Expr, From, ItemKind, Kind, OutputColumn, Query};
use super::from::Tree;
use super::scope::{Clause, Scope, Source};
use crate::catalog::names::{fold, split_name};
use crate::catalog::{ConstraintKind, Found, Identity, Index, IndexKey, Table};
use crate::error::{Result, SqlError, SqlState};
use crate::types::TypeId;

/// A statement that changes rows.
#[derive(Clone, Debug)]
pub struct Dml {
    /// Its WITH items.
    pub with: Vec<Cte>,
    /// What it does.
    pub kind: DmlKind,
}

/// What it does.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum DmlKind {
    Insert(Box<Insert>),
    Update(Box<Update>),
    Delete(Box<Delete>),
}

/// RETURNING.
#[derive(Clone, Debug)]
pub struct Returning {
    /// The expressions, over the tuple of the statement.
    pub project: Vec<Expr>,
    /// The columns.
    pub columns: Vec<OutputColumn>,
}

/// INSERT.
#[derive(Clone, Debug)]
pub struct Insert {
    /// Into what.
    pub table: Arc<Table>,
    /// Where the rows come from.
    pub source: InsertSource,
    /// The columns given, in the order of the source.
    pub columns: Vec<usize>,
    /// ON CONFLICT.
    pub conflict: Option<Conflict>,
    /// RETURNING, over the new row as source 0.
    pub returning: Option<Returning>,
    /// OVERRIDING SYSTEM VALUE.
    pub overriding: bool,
}

/// Where the rows of an INSERT come from.
#[derive(Clone, Debug)]
pub enum InsertSource {
    /// VALUES; `None` is DEFAULT.
    Rows(Vec<Vec<Option<Expr>>>),
    /// A query, and how its columns become the table's.
    Query(Box<Query>, Vec<Expr>),
    /// DEFAULT VALUES.
    Defaults,
}

/// ON CONFLICT.
#[derive(Clone, Debug)]
pub struct Conflict {
    /// The indexes that count; empty for all.
    pub indexes: Vec<Arc<Index>>,
    /// DO UPDATE: over the row there (source 0) and the row proposed (source 1).
    pub update: Option<ConflictUpdate>,
}

/// DO UPDATE.
#[derive(Clone, Debug)]
pub struct ConflictUpdate {
    /// SET; `None` is DEFAULT.
    pub sets: Vec<(usize, Option<Expr>)>,
    /// WHERE.
    pub filter: Option<Expr>,
    /// How the row is locked.
    pub lock: Lock,
}

/// UPDATE. The table is source 0.
#[derive(Clone, Debug)]
pub struct Update {
    /// What.
    pub table: Arc<Table>,
    /// How many sources there are.
    pub sources: usize,
    /// The table and FROM, with WHERE spread over them.
    pub from: From,
    /// WHERE again, to check on a newer version of the row.
    pub recheck: Vec<Expr>,
    /// SET; `None` is DEFAULT.
    pub sets: Vec<(usize, Option<Expr>)>,
    /// How the row is locked.
    pub lock: Lock,
    /// RETURNING.
    pub returning: Option<Returning>,
}

/// DELETE. The table is source 0.
#[derive(Clone, Debug)]
pub struct Delete {
    /// From what.
    pub table: Arc<Table>,
    /// How many sources there are.
    pub sources: usize,
    /// The table and USING, with WHERE spread over them.
    pub from: From,
    /// WHERE again, to check on a newer version of the row.
    pub recheck: Vec<Expr>,
    /// RETURNING.
    pub returning: Option<Returning>,
}

impl Dml {
    /// The table it changes.
    pub fn table(&self) -> &Arc<Table> {
        match &self.kind {
            DmlKind::Insert(insert) => &insert.table,
            DmlKind::Update(update) => &update.table,
            DmlKind::Delete(delete) => &delete.table,
        }
    }

    /// The columns it returns, if it returns rows.
    pub fn columns(&self) -> Option<&[OutputColumn]> {
        let returning = match &self.kind {
            DmlKind::Insert(insert) => &insert.returning,
            DmlKind::Update(update) => &update.returning,
            DmlKind::Delete(delete) => &delete.returning,
        };
        returning.as_ref().map(|returning| &returning.columns[..])
    }
}

impl Binder<'_> {
    /// Binds a statement that changes rows.
    pub fn dml(&mut self, statement: &ast::Statement) -> Result<Dml> {
        let kind = match statement {
            ast::Statement::Insert(insert) => DmlKind::Insert(Box::new(self.insert(insert)?)),
            ast::Statement::Update(update) => DmlKind::Update(Box::new(self.update(update)?)),
            ast::Statement::Delete(delete) => DmlKind::Delete(Box::new(self.delete(delete)?)),
            _ => return Err(SqlError::unsupported("this statement in WITH")),
        };
        Ok(Dml { with: Vec::new(), kind })
    }

    /// Binds `WITH … INSERT|UPDATE|DELETE`.
    pub fn dml_with(&mut self, query: &ast::Query) -> Result<Option<Dml>> {
        let statement = match &*query.body {
            SetExpr::Insert(statement)
            | SetExpr::Update(statement)
            | SetExpr::Delete(statement) => statement,
            _ => return Ok(None),
        };
        let names = self.ctes.len();
        let (with, first) = self.with(query.with.as_ref())?;
        let dml = self.dml(statement);
        let used: Vec<usize> =
            self.ctes[first..].iter().filter(|cte| cte.uses > 0).map(|cte| cte.id).collect();
        self.ctes.truncate(names);
        let mut dml = dml?;
        dml.with = with
            .into_iter()
            .map(|mut cte| {
                cte.used |= used.contains(&cte.id);
                cte
            })
            .collect();
        Ok(Some(dml))
    }

    fn target(&self, name: &ast::ObjectName) -> Result<Arc<Table>> {
        let (schema, table) = split_name(name)?;
        match self.catalog.require(self.path, schema.as_deref(), &table)? {
            Found::Table(table) => Ok(Arc::clone(table)),
            Found::View(view) => Err(SqlError::unsupported(format!(
                "changing rows through the view \"{}\"",
                view.name
            ))),
            Found::Virtual(table) => {
                let text = format!("permission denied: \"{}\" is a system catalog", table.name);
                Err(SqlError::new(SqlState::INSUFFICIENT_PRIVILEGE, text))
            }
            other => {
                let text = format!("cannot change rows of \"{}\"", other.name());
                Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, text))
            }
        }
    }

    fn column_of(&self, table: &Table, name: &str) -> Result<usize> {
        table.columns.iter().position(|column| !column.dropped && column.name == name).ok_or_else(
            || {
                let text =
                    format!("column \"{name}\" of relation \"{}\" does not exist", table.name);
                SqlError::new(SqlState::UNDEFINED_COLUMN, text)
            },
        )
    }

    fn insert(&mut self, ast: &ast::Insert) -> Result<Insert> {
        if ast.or.is_some()
            || ast.ignore
            || ast.replace_into
            || ast.overwrite
            || !ast.assignments.is_empty()
        {
            return Err(SqlError::syntax("this form of INSERT is not PostgreSQL's"));
        }
        let TableObject::TableName(name) = &ast.table else {
            return Err(SqlError::unsupported("INSERT into this"));
        };
        let table = self.target(name)?;
        let mut columns = Vec::new();
        for column in &ast.columns {
            let (_, name) = split_name(column)?;
            let at = self.column_of(&table, &name)?;
            if columns.contains(&at) {
                let text = format!("column \"{name}\" specified more than once");
                return Err(SqlError::new(SqlState::DUPLICATE_COLUMN, text));
            }
            columns.push(at);
        }
        let implicit = columns.is_empty();
        if implicit {
            let live = table.columns.iter().enumerate().filter(|(_, column)| !column.dropped);
            columns = live.map(|(at, _)| at).collect();
        }
        let source = match &ast.source {
            None => InsertSource::Defaults,
            Some(query) => self.insert_source(query, &table, &mut columns, implicit)?,
        };
        let alias = ast.table_alias.as_ref().map(|alias| fold(&alias.alias));
        let conflict = match &ast.on {
            None => None,
            Some(OnInsert::OnConflict(on)) => Some(self.conflict(on, &table, alias.clone())?),
            Some(_) => return Err(SqlError::syntax("ON DUPLICATE KEY is not PostgreSQL's")),
        };
        self.scopes.push(Scope { clause: Clause::Plain, ..Scope::default() });
        self.scope().add(Source::table(&table, alias));
        let returning = self.returning(ast.returning.as_deref());
        self.scopes.pop();
        let returning = returning?;
        Ok(Insert { table, source, columns, conflict, returning, overriding: false })
    }

    fn insert_source(
        &mut self,
        query: &ast::Query,
        table: &Arc<Table>,
        columns: &mut Vec<usize>,
        implicit: bool,
    ) -> Result<InsertSource> {
        let too_many = |expressions: usize, columns: usize| match expressions > columns {
            true => Err(SqlError::syntax("INSERT has more expressions than target columns")),
            false if !implicit && expressions < columns => {
                Err(SqlError::syntax("INSERT has more target columns than expressions"))
            }
            false => Ok(()),
        };
        if let SetExpr::Values(values) = &*query.body
            && query.with.is_none()
            && query.order_by.is_none()
            && query.limit_clause.is_none()
        {
            let width = values.rows.first().map_or(0, |row| row.content.len());
            too_many(width, columns.len())?;
            columns.truncate(width);
            self.scopes.push(Scope { clause: Clause::Values, ..Scope::default() });
            let mut rows = Vec::with_capacity(values.rows.len());
            let mut failure = None;
            for row in &values.rows {
                let row = &row.content;
                if row.len() != width {
                    failure = Some(SqlError::syntax("VALUES lists must all be the same length"));
                    break;
                }
                let bound: Result<Vec<Option<Expr>>> = row
                    .iter()
                    .zip(columns.iter())
                    .map(|(expr, &at)| self.field_value(expr, table, at))
                    .collect();
                match bound {
                    Ok(row) => rows.push(row),
                    Err(error) => {
                        failure = Some(error);
                        break;
                    }
                }
            }
            self.scopes.pop();
            return match failure {
                Some(error) => Err(error),
                None => Ok(InsertSource::Rows(rows)),
            };
        }
        let mut query = self.query_for_insert(query)?;
        too_many(query.columns.len(), columns.len())?;
        columns.truncate(query.columns.len());
        let mut fields = Vec::new();
        for (at, &number) in columns.iter().enumerate() {
            let column = &table.columns[number];
            if query.columns[at].ty == TypeId::UNKNOWN {
                self.convert_column(&mut query, at, column.ty)?;
            }
            let OutputColumn { ty, typmod, .. } = query.columns[at];
            let kind = Kind::Column(ColumnRef { depth: 0, source: 0, column: at });
            let field = Expr { kind, ty, typmod };
            self.writable(table, number, true)?;
            fields.push(self.assign(field, column.ty, column.typmod, &column.name)?);
        }
        Ok(InsertSource::Query(Box::new(query), fields))
    }

    /// A value for a column; `None` for DEFAULT.
    fn field_value(&mut self, ast: &ast::Expr, table: &Table, at: usize) -> Result<Option<Expr>> {
        if is_default(ast) {
            return Ok(None);
        }
        self.writable(table, at, true)?;
        let column = &table.columns[at];
        let expr = self.expression(ast)?;
        self.assign(expr, column.ty, column.typmod, &column.name).map(Some)
    }

    /// Whether a column may be given a value.
    fn writable(&self, table: &Table, at: usize, insert: bool) -> Result<()> {
        let column = &table.columns[at];
        let name = &column.name;
        let text = match insert {
            true => format!("cannot insert a non-DEFAULT value into column \"{name}\""),
            false => format!("column \"{name}\" can only be updated to DEFAULT"),
        };
        if column.generated {
            return Err(SqlError::new(SqlState::GENERATED_ALWAYS, text)
                .detail(format!("Column \"{name}\" is a generated column.")));
        }
        if column.identity == Some(Identity::Always) {
            let error = SqlError::new(SqlState::GENERATED_ALWAYS, text).detail(format!(
                "Column \"{name}\" is an identity column defined as GENERATED ALWAYS."
            ));
            return Err(match insert {
                true => error.hint("Use OVERRIDING SYSTEM VALUE to override."),
                false => error,
            });
        }
        Ok(())
    }

    fn conflict(
        &mut self,
        on: &ast::OnConflict,
        table: &Arc<Table>,
        alias: Option<String>,
    ) -> Result<Conflict> {
        let indexes = match &on.conflict_target {
            None => Vec::new(),
            Some(ConflictTarget::Columns(names)) => {
                let mut wanted = Vec::new();
                for name in names {
                    wanted.push(self.column_of(table, &fold(name))?);
                }
                wanted.sort_unstable();
                wanted.dedup();
                let matches = |index: &&Arc<Index>| {
                    let columns = index.columns.iter().map(|column| match column.key {
                        IndexKey::Column(number) => Some(number),
                        IndexKey::Expression(_) => None,
                    });
                    let Some(mut columns) = columns.collect::<Option<Vec<usize>>>() else {
                        return false;
                    };
                    columns.sort_unstable();
                    index.unique && index.predicate.is_none() && columns == wanted
                };
                let found: Vec<_> = table.indexes.iter().filter(matches).cloned().collect();
                if found.is_empty() {
                    return Err(SqlError::new(
                        SqlState::INVALID_COLUMN_REFERENCE,
                        "there is no unique or exclusion constraint matching the ON CONFLICT specification",
                    ));
                }
                found
            }
            Some(ConflictTarget::OnConstraint(name)) => {
                let (_, name) = split_name(name)?;
                let constraint = table.constraints.iter().find(|c| c.name == *name);
                let index = constraint.and_then(|constraint| match constraint.kind {
                    ConstraintKind::Primary(oid) | ConstraintKind::Unique(oid) => {
                        table.indexes.iter().find(|index| index.oid == oid)
                    }
                    _ => None,
                });
                match index {
                    Some(index) => vec![Arc::clone(index)],
                    None => {
                        let text = format!(
                            "constraint \"{name}\" for table \"{}\" does not exist",
                            table.name
                        );
                        return Err(SqlError::new(SqlState::UNDEFINED_OBJECT, text));
                    }
                }
            }
        };
        let update = match &on.action {
            OnConflictAction::DoNothing => None,
            OnConflictAction::DoUpdate(update) => {
                if indexes.is_empty() {
                    return Err(SqlError::syntax(
                        "ON CONFLICT DO UPDATE requires inference specification or constraint name",
                    )
                    .hint("For example, ON CONFLICT (column_name)."));
                }
                self.scopes.push(Scope { clause: Clause::Plain, ..Scope::default() });
                self.scope().add(Source::table(table, alias));
                // The proposed row is named only with its qualifier.
                let excluded = Source::table(table, Some("excluded".to_owned()));
                self.scope().sources.push(excluded);
                let bound = self.conflict_update(update, table);
                self.scopes.pop();
                Some(bound?)
            }
        };
        Ok(Conflict { indexes, update })
    }

    fn conflict_update(
        &mut self,
        update: &ast::DoUpdate,
        table: &Arc<Table>,
    ) -> Result<ConflictUpdate> {
        let sets = self.assignments(&update.assignments, table)?;
        let filter = match &update.selection {
            Some(filter) => {
                self.set_clause(Clause::Where);
                let filter = self.expression(filter)?;
                self.set_clause(Clause::Plain);
                Some(self.boolean(filter, "WHERE")?)
            }
            None => None,
        };
        let lock = update_lock(table, &sets);
        Ok(ConflictUpdate { sets, filter, lock })
    }

    /// SET.
    fn assignments(
        &mut self,
        assignments: &[Assignment],
        table: &Arc<Table>,
    ) -> Result<Vec<(usize, Option<Expr>)>> {
        let mut sets: Vec<(usize, Option<Expr>)> = Vec::new();
        for assignment in assignments {
            match &assignment.target {
                AssignmentTarget::ColumnName(name) => {
                    let (first, name) = split_name(name)?;
                    if let Some(first) = first {
                        // `SET column.field`: the first name is a column's.
                        self.column_of(table, &first)?;
                        return Err(SqlError::unsupported("assigning to a field of a column"));
                    }
                    let at = self.column_of(table, &name)?;
                    let value = self.set_value(&assignment.value, table, at)?;
                    sets.push((at, value));
                }
                AssignmentTarget::Tuple(names) => {
                    let mut places = Vec::new();
                    for name in names {
                        let (_, name) = split_name(name)?;
                        places.push(self.column_of(table, &name)?);
                    }
                    self.set_tuple(&places, &assignment.value, table, &mut sets)?;
                }
            }
        }
        for (at, (column, _)) in sets.iter().enumerate() {
            if sets[..at].iter().any(|(other, _)| other == column) {
                let name = &table.columns[*column].name;
                let text = format!("multiple assignments to same column \"{name}\"");
                return Err(SqlError::syntax(text));
            }
        }
        Ok(sets)
    }

    fn set_value(&mut self, value: &ast::Expr, table: &Table, at: usize) -> Result<Option<Expr>> {
        if is_default(value) {
            return Ok(None);
        }
        self.writable(table, at, false)?;
        let column = &table.columns[at];
        let expr = self.expression(value)?;
        self.assign(expr, column.ty, column.typmod, &column.name).map(Some)
    }

    fn set_tuple(
        &mut self,
        places: &[usize],
        value: &ast::Expr,
        table: &Arc<Table>,
        sets: &mut Vec<(usize, Option<Expr>)>,
    ) -> Result<()> {
        let fields: Vec<ast::Expr> = match value {
            ast::Expr::Tuple(fields) => fields.clone(),
            ast::Expr::Nested(inner) if places.len() == 1 => vec![(**inner).clone()],
            ast::Expr::Subquery(query) => {
                // One query for all columns: each takes its field of the row it gives.
                let query = self.subquery(query)?;
                if query.columns.len() != places.len() {
                    return Err(SqlError::syntax(
                        "number of columns does not match number of values",
                    ));
                }
                for (field, &at) in places.iter().enumerate() {
                    let column = &table.columns[at];
                    let OutputColumn { ty, typmod, .. } = query.columns[field];
                    let row = Kind::Scalar(Box::new(query.clone()));
                    let row = Expr::new(row, TypeId::RECORD);
                    let expr = Expr { kind: Kind::Field(Box::new(row), field), ty, typmod };
                    let expr = self.assign(expr, column.ty, column.typmod, &column.name)?;
                    sets.push((at, Some(expr)));
                }
                return Ok(());
            }
            ast::Expr::Function(function)
                if function.name.to_string().eq_ignore_ascii_case("row") =>
            {
                let ast::FunctionArguments::List(list) = &function.args else {
                    return Err(SqlError::syntax("ROW needs its fields"));
                };
                let fields = list.args.iter().filter_map(|arg| match arg {
                    ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(expr)) => {
                        Some(expr.clone())
                    }
                    _ => None,
                });
                fields.collect()
            }
            _ => {
                return Err(SqlError::new(
                    SqlState::FEATURE_NOT_SUPPORTED,
                    "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression",
                ));
            }
        };
        if fields.len() != places.len() {
            return Err(SqlError::syntax("number of columns does not match number of values"));
        }
        for (field, &at) in fields.iter().zip(places) {
            let value = self.set_value(field, table, at)?;
            sets.push((at, value));
        }
        Ok(())
    }

    /// RETURNING, in the scope at hand.
    fn returning(&mut self, items: Option<&[ast::SelectItem]>) -> Result<Option<Returning>> {
        let Some(items) = items else { return Ok(None) };
        let outputs = self.select_list(items)?;
        let (mut project, mut columns) = (Vec::new(), Vec::new());
        for (expr, mut column) in outputs {
            let expr = self.known(expr)?;
            column.ty = expr.ty;
            project.push(expr);
            columns.push(column);
        }
        Ok(Some(Returning { project, columns }))
    }

    /// The table of an UPDATE or DELETE as source 0.
    fn target_item(&mut self, factor: &TableFactor) -> Result<(Arc<Table>, Tree)> {
        let TableFactor::Table { name, alias, args: None, .. } = factor else {
            return Err(SqlError::unsupported("changing rows of this"));
        };
        let table = self.target(name)?;
        let source = Source::table(&table, alias.as_ref().map(|alias| fold(&alias.name)));
        self.scope().add(source);
        let kind =
            ItemKind::Table { table: Arc::clone(&table), access: Access::All, first: Vec::new() };
        Ok((table, Tree::Item { source: 0, kind }))
    }

    fn update(&mut self, ast: &ast::Update) -> Result<Update> {
        if !ast.table.joins.is_empty()
            || ast.limit.is_some()
            || !ast.order_by.is_empty()
            || ast.or.is_some()
        {
            return Err(SqlError::syntax("this form of UPDATE is not PostgreSQL's"));
        }
        self.scopes.push(Scope { clause: Clause::Plain, ..Scope::default() });
        let bound = self.update_in_scope(ast);
        self.scopes.pop();
        bound
    }

    fn update_in_scope(&mut self, ast: &ast::Update) -> Result<Update> {
        let (table, target) = self.target_item(&ast.table.relation)?;
        let tables = match &ast.from {
            None => &[][..],
            Some(
                UpdateTableFromKind::BeforeSet(tables) | UpdateTableFromKind::AfterSet(tables),
            ) => tables,
        };
        let (from, recheck, sources) = self.changed_rows(target, tables, ast.selection.as_ref())?;
        let sets = self.assignments(&ast.assignments, &table)?;
        let returning = self.returning(ast.returning.as_deref())?;
        let lock = update_lock(&table, &sets);
        Ok(Update { table, sources, from, recheck, sets, lock, returning })
    }

    fn delete(&mut self, ast: &ast::Delete) -> Result<Delete> {
        if !ast.tables.is_empty() || ast.limit.is_some() || !ast.order_by.is_empty() {
            return Err(SqlError::syntax("this form of DELETE is not PostgreSQL's"));
        }
        let (FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables)) = &ast.from;
        let [table] = tables.as_slice() else {
            return Err(SqlError::syntax("DELETE names one table; use USING for others"));
        };
        self.scopes.push(Scope { clause: Clause::Plain, ..Scope::default() });
        let bound = self.delete_in_scope(ast, table);
        self.scopes.pop();
        bound
    }

    fn delete_in_scope(
        &mut self,
        ast: &ast::Delete,
        table: &ast::TableWithJoins,
    ) -> Result<Delete> {
        let (target, tree) = self.target_item(&table.relation)?;
        let using = ast.using.as_deref().unwrap_or(&[]);
        let (from, recheck, sources) = self.changed_rows(tree, using, ast.selection.as_ref())?;
        let returning = self.returning(ast.returning.as_deref())?;
        Ok(Delete { table: target, sources, from, recheck, returning })
    }

    /// The rows to change: the table, what it is joined with, and WHERE.
    fn changed_rows(
        &mut self,
        target: Tree,
        tables: &[ast::TableWithJoins],
        selection: Option<&ast::Expr>,
    ) -> Result<(From, Vec<Expr>, usize)> {
        self.set_clause(Clause::From);
        let others = self.from(tables)?;
        let mut conditions = Vec::new();
        if let Some(selection) = selection {
            self.set_clause(Clause::Where);
            let selection = self.expression(selection)?;
            let selection = self.boolean(selection, "WHERE")?;
            split(selection, &mut conditions);
        }
        self.set_clause(Clause::Plain);
        let recheck = conditions.clone();
        let sources = self.scope().sources.len();
        let tree = Tree::Inner(vec![target, others], Vec::new());
        let from = self.plan(tree, conditions, &mut Vec::new());
        Ok((from, recheck, sources))
    }
}

/// Whether a value is the word DEFAULT.
fn is_default(ast: &ast::Expr) -> bool {
    matches!(ast, ast::Expr::Identifier(ident)
        if ident.quote_style.is_none() && ident.value.eq_ignore_ascii_case("default"))
}

/// PostgreSQL locks a row more lightly when no key of it changes.
fn update_lock(table: &Table, sets: &[(usize, Option<Expr>)]) -> Lock {
    let key = |column: usize| {
        let unique = table.indexes.iter().filter(|index| index.unique && index.predicate.is_none());
        unique
            .flat_map(|index| &index.columns)
            .any(|key| matches!(key.key, IndexKey::Column(number) if number == column))
    };
    match sets.iter().any(|(column, _)| key(*column)) {
        true => Lock::Update,
        false => Lock::NoKeyUpdate,
    }
}
