//! What binding a statement knows: the schema, the scopes that are open, the parameters so far.

use hobgoblin_sql_schema::Dialect;
use hobgoblin_sql_schema::dialect::Rules;
use sqlparser::ast::Ident;
use std::sync::Arc;

use hobgoblin_front::Mode;

use hobgoblin_sql_schema::catalog::{Catalog, Table};
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_schema::roomy::MAX_DEPTH;
use hobgoblin_sql_schema::syntax::Clauses;
use hobgoblin_sql_schema::{Binding, Result, SqlError};
use hobgoblin_sql_value::{Oid, TypeId};

use super::bound::{ColumnRef, Expr, Kind, OutputColumn};
use super::scope::{Reach, Scope, Source};

/// What binding a statement needs to know.
pub struct Binder<'a> {
    /// The schema.
    pub catalog: &'a Catalog,
    /// How constants read, and the names of types.
    pub env: TypeEnv<'a>,
    /// Where the language goes by rules of its own.
    pub(super) rules: Rules,
    /// Where names without a schema are looked for.
    pub path: &'a [String],
    /// The types of parameters, [`TypeId::UNKNOWN`] until something tells.
    pub params: Vec<TypeId>,
    /// Whether more parameters may come up.
    pub params_open: bool,
    /// What the statement says that its syntax tree has no place for; within a view, what the view does.
    pub clauses: Clauses,
    /// The catalogue when the snapshot was taken that all statements of the transaction have.
    pub seen: Option<Arc<Catalog>>,
    /// Whether to go on: an error where the statement is to end.
    pub go_on: &'a dyn Fn() -> Result<()>,
    pub(super) scopes: Vec<Scope>,
    pub(super) ctes: Vec<CteName>,
    pub(super) next_item: usize,
    pub(super) next_cte: usize,
    /// Which sources the locking clauses of the query that is bound next are of.
    pub(super) reach: Reach,
    pub(super) depth: usize,
    /// The relations it uses, with the locks PostgreSQL takes on them.
    pub relations: Vec<(Oid, Mode)>,
    /// Tables the statement changes, once for each part that does.
    pub(super) targets: Vec<Oid>,
    /// Tables it reads by name.
    pub reads: Vec<Oid>,
    /// Those of them that a query inside an expression reads.
    pub(super) inner_reads: Vec<Oid>,
    /// How many queries in FROM what is bound is in.
    pub(super) derived: usize,
    /// Those of them it reads while it writes.
    pub(super) late_reads: Vec<Oid>,
    /// Whether the statement says IGNORE where its tree has no place for it: rows that fail are passed over.
    pub ignore: bool,
    /// Whether what is bound runs while rows are written.
    pub(super) late: bool,
}

/// A WITH item that can be referred to.
pub(super) struct CteName {
    pub(super) id: usize,
    pub(super) name: String,
    pub(super) columns: Vec<OutputColumn>,
    /// How often it was referred to.
    pub(super) uses: usize,
    /// Whether it gives rows: changes without RETURNING do not.
    pub(super) gives: bool,
}

/// What is told where a statement nests too deep.
pub fn too_deep() -> SqlError {
    Binding::TooDeep { most: MAX_DEPTH }.into()
}

impl<'a> Binder<'a> {
    /// The language of the statement.
    pub(super) fn dialect(&self) -> &'static dyn Dialect {
        self.catalog.dialect
    }

    /// An identifier as the catalogue knows it.
    pub(super) fn fold(&self, ident: &Ident) -> String {
        self.dialect().fold(ident).into_owned()
    }

    /// A binder for one statement.
    pub fn new(
        catalog: &'a Catalog,
        env: TypeEnv<'a>,
        path: &'a [String],
        params: Vec<TypeId>,
        params_open: bool,
    ) -> Binder<'a> {
        Binder {
            catalog,
            env,
            rules: catalog.dialect.rules(),
            path,
            params,
            params_open,
            seen: None,
            clauses: Clauses::default(),
            go_on: &|| Ok(()),
            scopes: Vec::new(),
            ctes: Vec::new(),
            next_item: 0,
            next_cte: 0,
            reach: Reach::default(),
            depth: 0,
            targets: Vec::new(),
            reads: Vec::new(),
            late_reads: Vec::new(),
            inner_reads: Vec::new(),
            derived: 0,
            relations: Vec::new(),
            ignore: false,
            late: false,
        }
    }

    /// Goes one level deeper, within limits.
    pub(super) fn nested<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            return Err(too_deep());
        }
        (self.go_on)()?;
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        result
    }

    pub(super) fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("a scope is open while a query is bound")
    }

    pub(super) fn item_id(&mut self) -> usize {
        self.next_item += 1;
        self.next_item - 1
    }

    /// Binds an expression of the schema over one table's row: a check, a default, an index key.
    pub fn row_expression(
        &mut self,
        table: &Arc<Table>,
        ast: &sqlparser::ast::Expr,
    ) -> Result<Expr> {
        self.scopes.push(Scope::default());
        let source = Source::table(table, None);
        self.scope().add(source);
        let bound = self.expression(ast);
        self.scopes.pop();
        bound
    }

    /// A column of a table's row, as [`Self::row_expression`] sees it.
    pub fn column_expression(&self, table: &Table, column: usize) -> Expr {
        let info = &table.columns[column];
        let kind = Kind::Column(ColumnRef { depth: 0, source: 0, column });
        Expr { kind, ty: info.ty, typmod: info.typmod }
    }

    /// Converts an expression to what a column takes.
    pub fn assigned(&mut self, expr: Expr, ty: TypeId, typmod: i32, column: &str) -> Result<Expr> {
        self.assign(expr, ty, typmod, column)
    }

    /// An expression as a condition.
    pub fn condition(&mut self, expr: Expr, clause: &'static str) -> Result<Expr> {
        self.boolean(expr, clause)
    }

    /// Binds an expression that sees no columns.
    pub fn free_expression(&mut self, ast: &sqlparser::ast::Expr) -> Result<Expr> {
        self.scopes.push(Scope::default());
        let bound = self.expression(ast);
        self.scopes.pop();
        bound
    }

    /// The parameters' types once all is bound; something must have told each.
    pub fn finish_params(self) -> Result<Vec<TypeId>> {
        if let Some(at) = self.params.iter().position(|ty| *ty == TypeId::UNKNOWN) {
            return Err(Binding::UnknownParameter(at + 1).into());
        }
        Ok(self.params)
    }
}
