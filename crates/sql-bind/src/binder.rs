//! What binding a statement goes by: the catalogue, the scopes that are open, the parameters so
//! far.
//!
//! A [`Binder`] binds one statement and is then read: it knows the types that the parameters got,
//! and the relations that the statement uses with the locks that these need. Scopes are a stack. A
//! query pushes one, and a name that the innermost does not have is looked for in the next one out:
//!
//! ```text
//!     SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.b = t.a)
//!         scope 0: t                     scope 1: u, in which t.a is found one query out
//! ```

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

/// The state of binding one statement.
pub struct Binder<'a> {
    /// The catalogue in which names are found.
    pub catalog: &'a Catalog,
    /// The settings and names by which constants are read and types are named.
    pub env: TypeEnv<'a>,
    /// Which rules of its own the language has.
    pub(super) rules: Rules,
    /// The schemas in which names without a schema are looked for, in order.
    pub path: &'a [String],
    /// The types of the parameters; [`TypeId::UNKNOWN`] for one whose type nothing has told yet.
    pub params: Vec<TypeId>,
    /// Whether the statement may have more parameters than `params`, as one that is being prepared
    /// may.
    pub params_open: bool,
    /// The clauses that the syntax tree has no place for. While a view is bound they are those of
    /// the view.
    pub clauses: Clauses,
    /// The catalogue at the time of the snapshot that all statements of the transaction share;
    /// `None` if each has its own. An index that is newer has no entries for the snapshot.
    pub seen: Option<Arc<Catalog>>,
    /// Asked now and then: an error if the statement is cancelled.
    pub go_on: &'a dyn Fn() -> Result<()>,
    pub(super) scopes: Vec<Scope>,
    pub(super) ctes: Vec<CteName>,
    pub(super) next_item: usize,
    pub(super) next_cte: usize,
    /// Which sources of the query that is bound next are locked, by the clauses of the query around
    /// it.
    pub(super) reach: Reach,
    pub(super) depth: usize,
    /// The relations that the statement uses, with the table locks that PostgreSQL takes on them.
    pub relations: Vec<(Oid, Mode)>,
    /// The tables that the statement changes, once for each of its parts that does.
    pub(super) targets: Vec<Oid>,
    /// The tables that the statement reads, and names to do so.
    pub reads: Vec<Oid>,
    /// The tables among `reads` that a subquery inside an expression reads.
    pub(super) inner_reads: Vec<Oid>,
    /// How many subqueries in FROM are open around what is being bound.
    pub(super) derived: usize,
    /// The tables among `reads` that are read while rows are written, as RETURNING reads them.
    pub(super) late_reads: Vec<Oid>,
    /// Whether the statement has IGNORE in a place that its syntax tree does not keep. Rows that
    /// fail are then left out with a warning.
    pub ignore: bool,
    /// Whether what is being bound runs while rows are written.
    pub(super) late: bool,
}

/// An item of a WITH that names can refer to.
pub(super) struct CteName {
    pub(super) id: usize,
    pub(super) name: String,
    pub(super) columns: Vec<OutputColumn>,
    /// How often the statement reads from it.
    pub(super) uses: usize,
    /// Whether it gives rows; a change without RETURNING does not.
    pub(super) gives: bool,
}

/// The error of a statement that nests too deep.
pub fn too_deep() -> SqlError {
    Binding::TooDeep { most: MAX_DEPTH }.into()
}

impl<'a> Binder<'a> {
    /// The dialect of the catalogue, and so of the statement.
    pub(super) fn dialect(&self) -> &'static dyn Dialect {
        self.catalog.dialect
    }

    /// An identifier folded as the catalogue has its names.
    pub(super) fn fold(&self, ident: &Ident) -> String {
        self.dialect().fold(ident).into_owned()
    }

    /// A binder for one statement. `params` are the types of parameters that the client has told,
    /// and `params_open` says whether there may be more.
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

    /// Does `work` one level deeper, or fails if that is too deep.
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

    /// A column of the row that [`Self::row_expression`] binds over.
    pub fn column_expression(&self, table: &Table, column: usize) -> Expr {
        let info = &table.columns[column];
        let kind = Kind::Column(ColumnRef { depth: 0, source: 0, column });
        Expr { kind, ty: info.ty, typmod: info.typmod }
    }

    /// Binds the value of a column: an expression that is converted to the column's type on
    /// assignment.
    pub fn assigned(&mut self, expr: Expr, ty: TypeId, typmod: i32, column: &str) -> Result<Expr> {
        self.assign(expr, ty, typmod, column)
    }

    /// Binds an expression that must be a boolean, or what the language takes for one.
    pub fn condition(&mut self, expr: Expr, clause: &'static str) -> Result<Expr> {
        self.boolean(expr, clause)
    }

    /// Binds an expression over no columns, such as a default.
    pub fn free_expression(&mut self, ast: &sqlparser::ast::Expr) -> Result<Expr> {
        self.scopes.push(Scope::default());
        let bound = self.expression(ast);
        self.scopes.pop();
        bound
    }

    /// The types of the parameters once all is bound; an error if nothing told the type of one.
    pub fn finish_params(self) -> Result<Vec<TypeId>> {
        if let Some(at) = self.params.iter().position(|ty| *ty == TypeId::UNKNOWN) {
            return Err(Binding::UnknownParameter(at + 1).into());
        }
        Ok(self.params)
    }
}
