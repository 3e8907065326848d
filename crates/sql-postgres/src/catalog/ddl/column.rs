//! Columns as CREATE TABLE and ADD COLUMN define them.

use std::sync::Arc;

use hobgoblin_sql_schema::syntax::expressions_mut;
use sqlparser::ast::{ColumnDef, ColumnOption, GeneratedAs};

use super::Ddl;
use super::constraint::{Characteristics, ForeignWish, KeyWish, Wish};
use super::sequence::{Options, nextval};
use crate::catalog::mentions::sequence_argument;
use crate::catalog::names;
use crate::catalog::names::split_text;
use crate::catalog::{Column, Expression, Identity, fold, quote_ident};
use crate::error::{Result, SqlError, SqlState};
use crate::types::{Oid, PgType, TypeId, builtin};

/// A new column, with what must be done once its table is there.
pub(super) struct NewColumn {
    pub(super) column: Column,
    /// The sequence of a serial or identity column, which has been made.
    pub(super) sequence: Option<Oid>,
    pub(super) wishes: Vec<Wish>,
}

impl Ddl<'_, '_> {
    /// Reads the definition of a column, and makes its sequence.
    pub(super) fn define_column(
        &mut self,
        schema: &str,
        table: &str,
        temporary: bool,
        def: &ColumnDef,
    ) -> Result<NewColumn> {
        let name = fold(&def.name);
        let ty = crate::catalog::resolve_type(self.catalog, self.cx.path, &def.data_type)?;
        self.storable(&name, ty.ty)?;
        let mut new = NewColumn {
            column: self.new_column(&name, ty.ty, ty.typmod),
            sequence: None,
            wishes: Vec::new(),
        };
        let conflict = |what: &str| {
            SqlError::syntax(format!("{what} for column \"{name}\" of table \"{table}\""))
        };
        let mut nullable = None;
        let mut identity = None;
        let mut constraint_name: Option<String> = None;
        for option in &def.options {
            constraint_name = option.name.as_ref().map(fold).or(constraint_name.take());
            match &option.option {
                ColumnOption::Null | ColumnOption::NotNull => {
                    let null = matches!(option.option, ColumnOption::Null);
                    if nullable.is_some_and(|n| n != null) {
                        return Err(conflict("conflicting NULL/NOT NULL declarations"));
                    }
                    nullable = Some(null);
                }
                ColumnOption::Default(expr) => {
                    if new.column.default.is_some() {
                        return Err(conflict("multiple default values specified"));
                    }
                    new.column.default = Some(self.qualified(expr.clone()));
                }
                ColumnOption::Generated {
                    generated_as,
                    sequence_options,
                    generation_expr,
                    generation_expr_mode,
                    ..
                } => match generation_expr {
                    Some(expr) => {
                        if matches!(
                            generation_expr_mode,
                            Some(sqlparser::ast::GeneratedExpressionMode::Virtual)
                        ) {
                            return Err(SqlError::syntax("syntax error at or near \"VIRTUAL\""));
                        }
                        if new.column.default.is_some() {
                            return Err(conflict(
                                "both default and generation expression specified",
                            ));
                        }
                        new.column.default = Some(self.qualified(expr.clone()));
                        new.column.generated = true;
                    }
                    None => {
                        if identity.is_some() {
                            return Err(conflict("multiple identity specifications"));
                        }
                        new.column.identity = Some(match generated_as {
                            GeneratedAs::ByDefault => Identity::ByDefault,
                            _ => Identity::Always,
                        });
                        identity = Some(Options::from_ast(
                            sequence_options.as_deref().unwrap_or_default(),
                        )?);
                    }
                },
                ColumnOption::PrimaryKey(key) => new.wishes.push(Wish::Key(KeyWish {
                    name: constraint_name.take(),
                    primary: true,
                    columns: vec![name.clone()],
                    include: Vec::new(),
                    nulls_not_distinct: false,
                    when: Characteristics::read(key.characteristics.as_ref())?,
                })),
                ColumnOption::Unique(key) => new.wishes.push(Wish::Key(KeyWish {
                    name: constraint_name.take(),
                    primary: false,
                    columns: vec![name.clone()],
                    include: Vec::new(),
                    nulls_not_distinct: key.nulls_distinct
                        == sqlparser::ast::NullsDistinctOption::NotDistinct,
                    when: Characteristics::read(key.characteristics.as_ref())?,
                })),
                ColumnOption::ForeignKey(key) => {
                    let mut wish = ForeignWish::read(key)?;
                    wish.name = constraint_name.take();
                    wish.columns = vec![name.clone()];
                    new.wishes.push(Wish::Foreign(wish));
                }
                ColumnOption::Check(check) => new.wishes.push(Wish::Check {
                    name: constraint_name.take(),
                    expr: self.qualified((*check.expr).clone()),
                }),
                ColumnOption::Collation(collation) => {
                    new.column.collation = Some(self.collation(collation, ty.ty)?);
                }
                other => return Err(SqlError::unsupported(format!("the column option {other}"))),
            }
        }
        if identity.is_some() && new.column.generated {
            return Err(conflict("both identity and generation expression specified"));
        }
        if (identity.is_some() || ty.serial) && new.column.default.is_some() {
            return Err(conflict(if identity.is_some() {
                "both default and identity specified"
            } else {
                "multiple default values specified"
            }));
        }
        if nullable == Some(true) && (identity.is_some() || ty.serial) {
            return Err(conflict("conflicting NULL/NOT NULL declarations"));
        }
        new.column.not_null = nullable == Some(false) || identity.is_some() || ty.serial;
        if identity.is_some() || ty.serial {
            let is_identity = identity.is_some();
            let mut options = identity.unwrap_or_default();
            options.ty = Some(ty.ty);
            if is_identity && !matches!(ty.ty, TypeId::INT2 | TypeId::INT4 | TypeId::INT8) {
                return Err(SqlError::new(
                    SqlState::INVALID_PARAMETER_VALUE,
                    "identity column type must be smallint, integer, or bigint",
                ));
            }
            let (oid, default) = self.column_sequence(schema, table, temporary, &name, &options)?;
            new.sequence = Some(oid);
            new.column.default = Some(default);
        }
        Ok(new)
    }

    /// A column with this name and type, and no other property.
    pub(super) fn new_column(&self, name: &str, ty: TypeId, typmod: i32) -> Column {
        let (stored, modifier) = self.catalog.stored_type(ty, typmod);
        let mut column = Column::new(name, stored, modifier);
        column.domain = (stored != ty).then_some(ty);
        column
    }

    /// Makes the sequence of a column. Returns it, and the default that takes its next number.
    pub(super) fn column_sequence(
        &mut self,
        schema: &str,
        table: &str,
        temporary: bool,
        column: &str,
        options: &Options,
    ) -> Result<(Oid, Arc<Expression>)> {
        let name = names::choose_name(self.catalog, schema, table, Some(column), "seq", false, &[]);
        let oid = self.new_sequence(schema, &name, temporary, options, None)?;
        Ok((oid, nextval(schema, &name)?))
    }

    /// Fails if no column can have this type.
    pub(super) fn storable(&self, column: &str, ty: TypeId) -> Result<()> {
        let pseudo = matches!(
            ty,
            TypeId::UNKNOWN
                | TypeId::RECORD
                | TypeId::CSTRING
                | TypeId::ANY
                | TypeId::ANYARRAY
                | TypeId::VOID
                | TypeId::ANYELEMENT
                | TypeId::ANYNONARRAY
                | TypeId::ANYENUM
                | TypeId::ANYCOMPATIBLE
                | TypeId::ANYCOMPATIBLEARRAY
                | TypeId::ANYCOMPATIBLENONARRAY
        );
        if pseudo {
            return Err(SqlError::new(
                SqlState::INVALID_TABLE_DEFINITION,
                format!(
                    "column \"{column}\" has pseudo-type {}",
                    builtin::format_type(ty, -1, &*self.catalog)
                ),
            ));
        }
        Ok(())
    }

    /// The collation of a column. Texts always sort by bytes here, so a collation with another
    /// order is refused.
    pub(super) fn collation(
        &self,
        name: &sqlparser::ast::ObjectName,
        ty: TypeId,
    ) -> Result<String> {
        let (schema, last) = crate::catalog::split_name(name)?;
        let element = self.catalog.element_type(ty).unwrap_or(ty);
        if !matches!(element, TypeId::TEXT | TypeId::VARCHAR | TypeId::BPCHAR | TypeId::NAME) {
            return Err(SqlError::new(
                SqlState::DATATYPE_MISMATCH,
                format!(
                    "collations are not supported by type {}",
                    builtin::format_type(ty, -1, &*self.catalog)
                ),
            ));
        }
        // Every PostgreSQL with ICU has these.
        let icu = last.ends_with("-x-icu");
        match &*last {
            "C" | "POSIX" | "default" | "C.UTF-8" | "C.utf8" | "ucs_basic" => Ok(last.into_owned()),
            _ if schema.is_none() && !icu && crate::catalog::pg::collation(&last).is_none() => {
                Err(SqlError::new(
                    SqlState::UNDEFINED_OBJECT,
                    format!("collation \"{last}\" for encoding \"UTF8\" does not exist"),
                ))
            }
            _ => Err(SqlError::unsupported(format!(
                "the collation \"{last}\" (text sorts as in \"C\")"
            ))),
        }
    }

    /// An expression as the schema keeps it: names of sequences in it have their schemas, so that
    /// they mean the same under every search path.
    pub(super) fn qualified(&self, mut expr: sqlparser::ast::Expr) -> Arc<Expression> {
        expressions_mut(&mut expr, |expr| {
            let Some(text) = sequence_argument(expr) else { return };
            let found = match split_text(text).as_deref() {
                Some([name]) => self.catalog.find(self.cx.path, None, name),
                _ => None,
            };
            if let Some(found) = found {
                *text = format!("{}.{}", quote_ident(found.schema()), quote_ident(found.name()));
            }
        });
        Expression::new(expr)
    }
}
