//! CREATE INDEX and ALTER INDEX.

use std::sync::Arc;

use sqlparser::ast::{AlterIndexOperation, CreateIndex, Expr, IndexType, ObjectName, OrderBySort};

use super::{DataStep, Ddl, Usage};
use crate::catalog::names;
use crate::catalog::names::fold_all;
use crate::catalog::names::{expression_name, name_addition};
use crate::catalog::{
    Expression, Found, Index, IndexColumn, IndexKey, Table, fold, pg, split_name,
};
use crate::error::{Result, SqlError, SqlState};
use crate::types::{PgType, TypeId, builtin};
use hobgoblin_sql_schema::catalog::Notes;

impl Ddl<'_, '_> {
    pub(super) fn create_index(&mut self, create: &CreateIndex) -> Result<()> {
        self.tag("CREATE INDEX");
        let table = match self.relation(&create.table_name)? {
            Found::Table(table) => table.clone(),
            other => {
                return Err(SqlError::new(
                    SqlState::WRONG_OBJECT_TYPE,
                    format!("cannot create index on relation \"{}\"", other.name()),
                )
                .detail(format!("This operation is not supported for {}s.", other.kind())));
            }
        };
        let method = method(create)?;
        if create.unique && method != "btree" {
            return Err(SqlError::new(
                SqlState::FEATURE_NOT_SUPPORTED,
                format!("access method \"{method}\" does not support unique indexes"),
            ));
        }
        if create.columns.len() > 1 && matches!(method, "hash" | "spgist") {
            return Err(SqlError::new(
                SqlState::FEATURE_NOT_SUPPORTED,
                format!("access method \"{method}\" does not support multicolumn indexes"),
            ));
        }
        if !create.include.is_empty() && !matches!(method, "btree" | "gist" | "spgist") {
            return Err(SqlError::new(
                SqlState::FEATURE_NOT_SUPPORTED,
                format!("access method \"{method}\" does not support included columns"),
            ));
        }
        if let Some(name) = &create.name {
            let (schema, name) = split_name(name)?;
            if schema.is_some() {
                return Err(SqlError::syntax("syntax error at or near \".\""));
            }
            if !self.free_name(&table.schema, &name, create.if_not_exists)? {
                return Ok(());
            }
        }
        let mut columns = Vec::new();
        for column in &create.columns {
            let taken: Vec<String> = columns.iter().map(|c: &IndexColumn| c.name.clone()).collect();
            columns.push(self.index_column(&table, column, method, &taken)?);
        }
        let include = fold_all(&create.include)
            .iter()
            .map(|name| table.column(name).ok_or_else(|| no_such_column(name)))
            .collect::<Result<Vec<_>>>()?;
        let predicate = match &create.predicate {
            Some(expr) => {
                let expr = self.qualified(expr.clone());
                self.cx.binder.describe_expr(
                    self.catalog,
                    Some(&table),
                    &expr.ast,
                    Usage::IndexPredicate,
                )?;
                Some(expr)
            }
            None => None,
        };
        let name = match &create.name {
            Some(name) => split_name(name)?.1.into_owned(),
            None => {
                let all = columns.iter().map(|c| c.name.as_str());
                let joined = name_addition(
                    all.chain(include.iter().map(|i| table.columns[*i].name.as_str())),
                );
                names::choose_name(
                    self.catalog,
                    &table.schema,
                    &table.name,
                    Some(&joined),
                    "idx",
                    false,
                    &[],
                )
            }
        };
        let index = self.push_index(table.oid, |oid, prefix| Index {
            oid,
            name,
            prefix,
            columns,
            include,
            unique: create.unique,
            primary: false,
            nulls_not_distinct: create.nulls_distinct == Some(false),
            predicate,
            method: method.to_owned(),
            options: create.with.iter().map(|e| e.to_string().replace(' ', "")).collect(),
            operators: Vec::new(),
            notes: Notes::default(),
        })?;
        self.step(DataStep::BuildIndex { table: table.oid, index });
        Ok(())
    }

    pub(super) fn index_column(
        &mut self,
        table: &Arc<Table>,
        column: &sqlparser::ast::IndexColumn,
        method: &str,
        taken: &[String],
    ) -> Result<IndexColumn> {
        let mut expr = &column.column.expr;
        let mut collation = None;
        if let Expr::Collate { expr: inner, collation: name } = expr {
            collation = Some(name);
            expr = inner;
        }
        // A column in parentheses is that column.
        let mut bare = expr;
        while let Expr::Nested(inner) = bare {
            bare = inner;
        }
        let (key, name, ty) = match bare {
            Expr::Identifier(ident) => {
                let name = fold(ident);
                let at = table.column(&name).ok_or_else(|| no_such_column(&name))?;
                (IndexKey::Column(at), name, table.columns[at].ty)
            }
            _ => {
                let name = expression_name(bare).to_ascii_lowercase();
                let expr: Arc<Expression> = self.qualified(bare.clone());
                let ty = self.cx.binder.describe_expr(
                    self.catalog,
                    Some(table),
                    &expr.ast,
                    Usage::IndexKey,
                )?;
                (IndexKey::Expression(expr), name, ty)
            }
        };
        let name = (0u32..)
            .map(|n| if n == 0 { name.clone() } else { format!("{name}{n}") })
            .find(|n| !taken.contains(n))
            .unwrap_or(name);
        let opclass = match &column.operator_class {
            Some(class) => Some(self.operator_class(class, method, ty)?),
            None => {
                self.require_opclass(method, ty)?;
                None
            }
        };
        let collation = match collation {
            Some(collation) => Some(self.collation(collation, ty)?),
            None => None,
        };
        let options = &column.column.options;
        if method != "btree" && (options.sort.is_some() || options.nulls_first.is_some()) {
            let what = if options.sort.is_some() { "ASC/DESC" } else { "NULLS FIRST/LAST" };
            return Err(SqlError::new(
                SqlState::FEATURE_NOT_SUPPORTED,
                format!("access method \"{method}\" does not support {what} options"),
            ));
        }
        let descending = matches!(options.sort, Some(OrderBySort::Desc));
        Ok(IndexColumn {
            key,
            name,
            ty,
            collation,
            descending,
            nulls_first: options.nulls_first.unwrap_or(descending),
            opclass,
        })
    }

    fn operator_class(&self, class: &ObjectName, method: &str, ty: TypeId) -> Result<String> {
        let (_, name) = split_name(class)?;
        let Some(found) = pg::opclass_named(self.catalog, method, &name) else {
            return Err(SqlError::new(
                SqlState::UNDEFINED_OBJECT,
                format!("operator class \"{name}\" does not exist for access method \"{method}\""),
            ));
        };
        // Those of extensions take the type they name, and what is stored as that is.
        let stored_alike = found.input == TypeId::TEXT && ty == TypeId::VARCHAR;
        if found.is_of_extension() && found.input != ty && !stored_alike {
            let shown = builtin::format_type(ty, -1, &*self.catalog);
            let text = format!("operator class \"{name}\" does not accept data type {shown}");
            return Err(SqlError::new(SqlState::DATATYPE_MISMATCH, text));
        }
        Ok(name.into_owned())
    }

    /// Fails if an index of this method cannot have a column of this type without an operator
    /// class.
    pub(super) fn require_opclass(&self, method: &str, ty: TypeId) -> Result<()> {
        // The extensions have classes for the types that have an order.
        let extended = match method {
            "gist" => self.catalog.extensions.contains_key("btree_gist"),
            "gin" => self.catalog.extensions.contains_key("btree_gin"),
            _ => false,
        };
        if pg::default_opclass(self.catalog, method, ty).is_some()
            || (extended && pg::default_opclass(self.catalog, "btree", ty).is_some())
        {
            return Ok(());
        }
        Err(SqlError::new(
            SqlState::UNDEFINED_OBJECT,
            format!(
                "data type {} has no default operator class for access method \"{method}\"",
                builtin::format_type(ty, -1, &*self.catalog)
            ),
        )
        .hint(
            "You must specify an operator class for the index or define a default operator class for \
             the data type.",
        ))
    }

    pub(super) fn alter_index(
        &mut self,
        name: &ObjectName,
        operation: &AlterIndexOperation,
    ) -> Result<()> {
        self.tag("ALTER INDEX");
        let AlterIndexOperation::RenameIndex { index_name } = operation;
        let (_, new) = split_name(index_name)?;
        match self.relation(name)? {
            Found::System(_) => Err(SqlError::new(
                SqlState::INSUFFICIENT_PRIVILEGE,
                format!("permission denied: \"{name}\" is a system catalog"),
            )),
            found => {
                let oid = found.oid();
                self.rename_relation(oid, &new)
            }
        }
    }
}

fn no_such_column(name: &str) -> SqlError {
    SqlError::new(SqlState::UNDEFINED_COLUMN, format!("column \"{name}\" does not exist"))
}

fn method(create: &CreateIndex) -> Result<&'static str> {
    Ok(match &create.using {
        None | Some(IndexType::BTree) => "btree",
        Some(IndexType::Hash) => "hash",
        Some(IndexType::GIN) => "gin",
        Some(IndexType::GiST) => "gist",
        Some(IndexType::SPGiST) => "spgist",
        Some(IndexType::BRIN) => "brin",
        Some(other) => {
            return Err(SqlError::new(
                SqlState::UNDEFINED_OBJECT,
                format!(
                    "access method \"{}\" does not exist",
                    other.to_string().to_ascii_lowercase()
                ),
            ));
        }
    })
}
