//! Statements that change rows: what all have in common, and UPDATE and DELETE.
//!
//! The table that is changed is source 0, and what stands in FROM or USING comes after it. The
//! statement then is a query whose tuples say which rows to change. Its conditions are kept twice:
//! spread over FROM, to find the rows, and as a list, to check a row again. At READ COMMITTED a row
//! may have been changed by another transaction while this one waited for its lock; its new version
//! counts only if it still satisfies them.

use hobgoblin_sql_schema::Dialect;
use hobgoblin_sql_schema::dialect::{Change, Held};
use std::sync::Arc;

use hobgoblin_front::Lock;
use sqlparser::ast::{self, FromTable, SetExpr, TableFactor, UpdateTableFromKind};

use super::Binder;
use super::assign::reads_earlier;
use super::bound::dml::{Delete, Dml, DmlKind, InsertSource, Pick, Returning, Update};
use super::bound::{Access, ColumnRef, Expr, From, ItemKind, Kind};
use super::conjunct::split;
use super::from::Tree;
use super::scope::{Clause, Scope};
use super::several::{is_joined, of_list};
use super::system::{column_of, column_that};
use super::target::{Target, Verb};
use super::visit::read;
use hobgoblin_sql_schema::catalog::{IndexKey, Table};
use hobgoblin_sql_schema::function::{Call, Function, Volatility};
use hobgoblin_sql_schema::syntax::Prefix;
use hobgoblin_sql_schema::{Binding, Result, SqlError};
use hobgoblin_sql_value::{Datum, Oid, TypeId};

/// The function that `WHERE CURRENT OF` calls: the place of the row of a table that a cursor is at.
static CURRENT_OF: Function =
    Function::new("current_of", &[TypeId::TEXT, TypeId::BIGINT], TypeId::UNKNOWN, current_of)
        .stable();

fn current_of(call: &mut Call<'_>) -> Result<Datum> {
    let table = Oid::try_from(call.int(1)?).unwrap_or_default();
    call.cx.current_of(call.text(0)?, table)
}

impl Binder<'_> {
    /// Binds a statement that changes rows.
    pub fn dml(&mut self, statement: &ast::Statement) -> Result<Dml> {
        let kind = match statement {
            ast::Statement::Insert(insert) => DmlKind::Insert(Box::new(self.insert(insert)?)),
            ast::Statement::Update(update) if self.rules.stores && is_joined(&update.table) => {
                DmlKind::Several(Box::new(self.update_several(update)?))
            }
            ast::Statement::Delete(delete) if self.rules.stores && of_list(delete) => {
                DmlKind::Several(Box::new(self.delete_several(delete)?))
            }
            ast::Statement::Update(update) => DmlKind::Update(Box::new(self.update(update)?)),
            ast::Statement::Delete(delete) => DmlKind::Delete(Box::new(self.delete(delete)?)),
            ast::Statement::Merge(merge) => DmlKind::Merge(Box::new(self.merge(merge)?)),
            _ => return Err(SqlError::unsupported("this statement in WITH")),
        };
        self.own_reads(&kind)?;
        let mut dml = Dml { with: Vec::new(), kind, frozen: Vec::new() };
        if self.late_reads.contains(&dml.table().oid) {
            dml.frozen.push(Arc::clone(dml.table()));
        }
        Ok(dml)
    }

    /// Fails if a subquery reads a table that the statement changes, in a language that refuses
    /// this.
    fn own_reads(&self, kind: &DmlKind) -> Result<()> {
        if self.inner_reads.is_empty() {
            return Ok(());
        }
        let (change, verb) = match kind {
            DmlKind::Insert(_) => (Change::Insert, "INSERT"),
            DmlKind::Update(_) | DmlKind::Merge(_) => (Change::Update, "UPDATE"),
            DmlKind::Several(several) if several.deletes => (Change::DeleteSeveral, "DELETE"),
            DmlKind::Several(_) => (Change::Update, "UPDATE"),
            DmlKind::Delete(_) => (Change::Delete, "DELETE"),
        };
        // The rows of INSERT … SELECT are all there before the first is written.
        if let DmlKind::Insert(insert) = kind
            && matches!(insert.source, InsertSource::Query(..))
        {
            return Ok(());
        }
        let read = self.targets.iter().find(|target| self.inner_reads.contains(target));
        match read.and_then(|oid| self.catalog.table(*oid)) {
            Some(table) if self.dialect().refuses_own_reads(change, &self.env) => {
                Err(Binding::ReadsTarget { table: table.name.clone(), verb }.into())
            }
            _ => Ok(()),
        }
    }

    /// The tables that one part of a statement with a WITH changes and another part reads.
    pub(super) fn frozen(&self) -> Vec<Arc<Table>> {
        let mut frozen: Vec<Arc<Table>> = Vec::new();
        for (at, oid) in self.targets.iter().enumerate() {
            let again = self.targets[..at].contains(oid);
            if (again || self.reads.contains(oid))
                && !frozen.iter().any(|table| table.oid == *oid)
                && let Some(table) = self.catalog.table(*oid)
            {
                frozen.push(Arc::clone(table));
            }
        }
        frozen
    }

    /// Binds a statement that changes rows after its WITH.
    pub fn dml_with(&mut self, query: &ast::Query) -> Result<Option<Dml>> {
        let statement = match &*query.body {
            SetExpr::Insert(statement)
            | SetExpr::Update(statement)
            | SetExpr::Delete(statement)
            | SetExpr::Merge(statement) => statement,
            _ => return Ok(None),
        };
        let names = self.ctes.len();
        let (with, first) = self.with(query.with.as_ref())?;
        let dml = self.dml(statement);
        let with = self.closed(with, first);
        self.ctes.truncate(names);
        let mut dml = dml?;
        dml.with = with;
        Ok(Some(dml))
    }

    /// Binds RETURNING, over the sources of the scope at hand.
    pub(super) fn returning(
        &mut self,
        items: Option<&[ast::SelectItem]>,
        target: &Target,
    ) -> Result<Option<Returning>> {
        let Some(items) = items else { return Ok(None) };
        let late = std::mem::replace(&mut self.late, true);
        let outputs = self.select_list(items);
        self.late = late;
        let outputs = outputs?;
        let (mut project, mut columns) = (Vec::new(), Vec::new());
        for (expr, mut column) in outputs {
            let mut expr = self.known(expr)?;
            target.lower(&mut expr, &[0]);
            column.ty = expr.ty;
            project.push(expr);
            columns.push(column);
        }
        Ok(Some(Returning { project, columns }))
    }

    /// Makes the table of an UPDATE or DELETE source 0 of a new scope.
    pub(super) fn target_item(
        &mut self,
        factor: &TableFactor,
        verb: Verb,
    ) -> Result<(Target, Tree)> {
        let TableFactor::Table { name, alias, args: None, .. } = factor else {
            return Err(SqlError::unsupported("changing rows of this"));
        };
        let target = self.target(name, verb)?;
        let source = target.source(alias.as_ref().map(|alias| self.fold(&alias.name)));
        self.scope().add(source);
        let table = Arc::clone(&target.table);
        let kind = ItemKind::Table { table, access: Access::All, first: Vec::new() };
        Ok((target, Tree::Item { source: 0, kind }))
    }

    fn update(&mut self, ast: &ast::Update) -> Result<Update> {
        let picks = ast.limit.is_some() || !ast.order_by.is_empty();
        if !ast.table.joins.is_empty() || picks && !self.rules.stores || ast.or.is_some() {
            return Err(Binding::OtherDialect { form: "this form of UPDATE" }.into());
        }
        self.scopes.push(Scope { clause: Clause::Plain, ..Scope::default() });
        let bound = self.update_in_scope(ast);
        self.scopes.pop();
        bound
    }

    fn update_in_scope(&mut self, ast: &ast::Update) -> Result<Update> {
        let (target, item) = self.target_item(&ast.table.relation, Verb::Update)?;
        let tables = match &ast.from {
            None => &[][..],
            Some(
                UpdateTableFromKind::BeforeSet(tables) | UpdateTableFromKind::AfterSet(tables),
            ) => tables,
        };
        let (from, recheck, sources) =
            self.changed_rows(&target, item, tables, ast.selection.as_ref())?;
        let sets = self.assignments(&ast.assignments, &target, &[0])?;
        let in_order = self.rules.sets_in_order && reads_earlier(&sets, 0);
        let pick = self.pick(&ast.order_by, ast.limit.as_ref())?;
        let (spares, passes_over) = (self.rules.spares_same, self.ignore);
        let returning = self.returning(ast.returning.as_deref(), &target)?;
        let (checks, table) = (target.checks(), target.table);
        let lock = update_lock(&table, &sets);
        let keys = foreseen(&table, &sets);
        Ok(Update {
            table,
            sources,
            from,
            recheck,
            sets,
            lock,
            keys,
            in_order,
            spares,
            passes_over,
            pick,
            checks,
            returning,
        })
    }

    fn delete(&mut self, ast: &ast::Delete) -> Result<Delete> {
        let picks = ast.limit.is_some() || !ast.order_by.is_empty();
        if !ast.tables.is_empty() || picks && !self.rules.stores {
            return Err(Binding::OtherDialect { form: "this form of DELETE" }.into());
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
        let (target, item) = self.target_item(&table.relation, Verb::Delete)?;
        let using = ast.using.as_deref().unwrap_or(&[]);
        let (from, recheck, sources) =
            self.changed_rows(&target, item, using, ast.selection.as_ref())?;
        let pick = self.pick(&ast.order_by, ast.limit.as_ref())?;
        let returning = self.returning(ast.returning.as_deref(), &target)?;
        let (table, passes_over) = (target.table, self.ignore);
        Ok(Delete { table, sources, from, recheck, passes_over, pick, returning })
    }

    /// Binds ORDER BY and LIMIT, which choose among the rows.
    fn pick(
        &mut self,
        order: &[ast::OrderByExpr],
        limit: Option<&ast::Expr>,
    ) -> Result<Option<Box<Pick>>> {
        if order.is_empty() && limit.is_none() {
            return Ok(None);
        }
        let order = self.sort_expressions(order)?;
        let limit = limit.map(|limit| self.row_count(limit, "LIMIT")).transpose()?;
        Ok(Some(Box::new(Pick { order, limit })))
    }

    /// Binds what finds the rows to change: the table, what it is joined with, and WHERE.
    fn changed_rows(
        &mut self,
        target: &Target,
        item: Tree,
        tables: &[ast::TableWithJoins],
        selection: Option<&ast::Expr>,
    ) -> Result<(From, Vec<Expr>, usize)> {
        self.set_clause(Clause::From);
        let others = self.from(tables)?;
        let mut conditions = target.filters();
        if let Some(cursor) = selection.and_then(|selection| cursor_of(selection, self.dialect())) {
            if target.is_view() {
                return Err(SqlError::unsupported("WHERE CURRENT OF on a view"));
            }
            let kind = ColumnRef { depth: 0, source: 0, column: column_of(Held::Place) };
            let ty = column_that(Held::Place, self.dialect()).map_or(TypeId::UNKNOWN, |c| c.ty);
            let place = Expr::new(Kind::Column(kind), ty);
            let cursor = Expr::constant(Datum::text(cursor), TypeId::TEXT);
            let table = Expr::constant(Datum::Int(target.table.oid.into()), TypeId::BIGINT);
            let call = Kind::Call { function: &CURRENT_OF, args: vec![cursor, table] };
            let current = Expr::new(call, place.ty);
            conditions.push(self.operator("=", Some(place), current)?);
        } else if let Some(selection) = selection {
            self.set_clause(Clause::Where);
            let selection = self.expression(selection)?;
            let mut selection = self.boolean(selection, "WHERE")?;
            target.lower(&mut selection, &[0]);
            split(selection, &mut conditions);
        }
        self.set_clause(Clause::Plain);
        let recheck = conditions.clone();
        let sources = self.scope().sources.len();
        let tree = Tree::Inner(vec![item, others], Vec::new());
        let from = self.plan(tree, conditions, &mut Vec::new());
        Ok((from, recheck, sources))
    }
}

/// The name of the cursor, if a condition is CURRENT OF.
fn cursor_of(selection: &ast::Expr, dialect: &dyn Dialect) -> Option<String> {
    match Prefix::CurrentOf.after(selection)? {
        ast::Expr::Identifier(name) => Some(dialect.fold(name).into_owned()),
        _ => None,
    }
}

/// How strongly an UPDATE locks its rows. As PostgreSQL does, it locks them more lightly if it
/// assigns to no key: transactions that only refer to the row then need not wait.
pub(super) fn update_lock(table: &Table, sets: &[(usize, Option<Expr>)]) -> Lock {
    match sets.iter().any(|(column, _)| is_key(table, *column)) {
        true => Lock::Update,
        false => Lock::NoKeyUpdate,
    }
}

/// Whether a column is part of a unique index, so that foreign keys may refer to it.
fn is_key(table: &Table, column: usize) -> bool {
    let unique = table.indexes.iter().filter(|index| index.unique && index.predicate.is_none());
    unique
        .flat_map(|index| &index.columns)
        .any(|key| matches!(key.key, IndexKey::Column(number) if number == column))
}

/// The new values of the columns of keys, if they all can be computed from the row and constants;
/// otherwise empty.
fn foreseen(table: &Table, sets: &[(usize, Option<Expr>)]) -> Vec<(usize, Expr)> {
    let keys = sets.iter().filter(|(column, _)| is_key(table, *column));
    let known = keys.map(|(column, expr)| {
        let expr = expr.clone()?;
        let mut plain = true;
        read::visit(&expr, 0, &mut |expr, depth| {
            plain &= depth == 0
                && match &expr.kind {
                    Kind::Const(_) | Kind::Param(_) | Kind::Cast { .. } => true,
                    Kind::Column(column) => (column.depth, column.source) == (0, 0),
                    Kind::Call { function, .. } => {
                        matches!(function.volatility, Volatility::Immutable)
                    }
                    _ => false,
                };
            plain
        });
        plain.then_some((*column, expr))
    });
    known.collect::<Option<Vec<_>>>().unwrap_or_default()
}
