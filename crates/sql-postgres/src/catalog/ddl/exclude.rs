//! EXCLUDE constraints.

use sqlparser::ast::{ExcludeConstraint, ExcludeConstraintOperator};

use super::constraint::Characteristics;
use super::{DataStep, Ddl, Usage};
use crate::catalog::names;
use crate::catalog::names::fold_all;
use crate::catalog::names::{name_addition, no_key_column};
use crate::catalog::{ConstraintKind, Index, IndexColumn, Notes, fold};
use crate::error::{Result, SqlError, SqlState};
use crate::types::{Oid, PgType, TypeId, builtin};

impl Ddl<'_, '_> {
    pub(super) fn add_exclusion(
        &mut self,
        table: Oid,
        wish: &ExcludeConstraint,
        new: bool,
    ) -> Result<()> {
        let t = self.table(table)?;
        let method = match wish.index_method.as_ref().map(fold).as_deref() {
            None | Some("btree") => "btree",
            Some("gist") => "gist",
            Some("hash") => "hash",
            Some("spgist") => "spgist",
            Some(method @ ("gin" | "brin")) => {
                return Err(SqlError::new(
                    SqlState::FEATURE_NOT_SUPPORTED,
                    format!("access method \"{method}\" does not support exclusion constraints"),
                ));
            }
            Some(method) => {
                return Err(SqlError::new(
                    SqlState::UNDEFINED_OBJECT,
                    format!("access method \"{method}\" does not exist"),
                ));
            }
        };
        let when = Characteristics::read(wish.characteristics.as_ref())?;
        let (mut columns, mut operators) = (Vec::<IndexColumn>::new(), Vec::new());
        for element in &wish.elements {
            let taken: Vec<String> = columns.iter().map(|c| c.name.clone()).collect();
            let column = self.index_column(&t, &element.column, method, &taken)?;
            let operator = match &element.operator {
                ExcludeConstraintOperator::Token(token) => token.clone(),
                ExcludeConstraintOperator::PGOperator(path) => {
                    path.last().cloned().unwrap_or_default()
                }
            };
            self.excluding_operator(&operator, column.ty, method)?;
            columns.push(column);
            operators.push(operator);
        }
        let include = fold_all(&wish.include)
            .iter()
            .map(|name| t.column(name).ok_or_else(|| no_key_column(name)))
            .collect::<Result<Vec<_>>>()?;
        let predicate = match &wish.where_clause {
            Some(expr) => {
                let expr = self.qualified((**expr).clone());
                let usage = Usage::IndexPredicate;
                self.cx.binder.describe_expr(self.catalog, Some(&t), &expr.ast, usage)?;
                Some(expr)
            }
            None => None,
        };
        let name = match &wish.name {
            Some(name) => {
                let name = fold(name);
                self.free_name(&t.schema, &name, false)?;
                self.free_constraint_name(&t, &name)?;
                name
            }
            None => {
                let joined = name_addition(columns.iter().map(|c| c.name.as_str()));
                names::choose_name(
                    self.catalog,
                    &t.schema,
                    &t.name,
                    Some(&joined),
                    "excl",
                    true,
                    &[],
                )
            }
        };
        let index = self.push_index(table, |oid, prefix| Index {
            oid,
            name: name.clone(),
            prefix,
            columns,
            include,
            unique: false,
            primary: false,
            nulls_not_distinct: false,
            predicate,
            method: method.to_owned(),
            options: Vec::new(),
            operators,
            notes: Notes::default(),
        })?;
        if !new {
            self.step(DataStep::BuildIndex { table, index });
        }
        self.push_constraint(table, name, ConstraintKind::Exclude(index), when, true)?;
        Ok(())
    }

    /// Refuses an operator that is none on two values of a type, or that the method does not know.
    fn excluding_operator(&self, operator: &str, ty: TypeId, method: &str) -> Result<()> {
        let found = self.catalog.dialect.operator(operator, Some(ty), ty, &*self.catalog)?;
        let shown = builtin::format_type(ty, -1, &*self.catalog);
        if !matches!(operator, "=" | "&&" | "<>" | "-|-") || found.result != TypeId::BOOL {
            return Err(SqlError::new(
                SqlState::WRONG_OBJECT_TYPE,
                format!("operator {operator}({shown},{shown}) is not commutative"),
            )
            .detail("Only commutative operators can be used in exclusion constraints."));
        }
        if operator != "=" && method != "gist" && method != "spgist" {
            return Err(SqlError::new(
                SqlState::WRONG_OBJECT_TYPE,
                format!(
                    "operator {operator}({shown},{shown}) is not a member of operator family \"{method}\""
                ),
            )
            .detail("The exclusion operator must be related to the index operator class for the constraint."));
        }
        Ok(())
    }
}
