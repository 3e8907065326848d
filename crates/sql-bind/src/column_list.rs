//! Functions in FROM whose columns the statement lists: `f(…) AS r (a int, b text)`.

use sqlparser::ast::TableAlias;

use super::Binder;
use super::bound::{Expr, SetCall};
use hobgoblin_sql_schema::function::SetFunction;
use hobgoblin_sql_schema::shape::Field;
use hobgoblin_sql_schema::shape::RowType;
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::TypeId;

/// Whether an alias lists columns with types, as a function that returns records needs.
pub(super) fn lists_types(alias: Option<&TableAlias>) -> bool {
    alias.is_some_and(|alias| alias.columns.iter().any(|column| column.data_type.is_some()))
}

/// Fails if columns with types are listed for a function that has columns of its own, or are
/// missing for one that has not.
pub(super) fn check_list(alias: Option<&TableAlias>, record: bool, ordinality: bool) -> Result<()> {
    match (lists_types(alias), record) {
        (true, false) => Err(SqlError::syntax(
            "a column definition list is only allowed for functions returning \"record\"",
        )),
        (true, true) if ordinality => {
            Err(SqlError::syntax("WITH ORDINALITY cannot be used with a column definition list")
                .hint("Put the column definition list inside ROWS FROM()."))
        }
        _ => Ok(()),
    }
}

impl Binder<'_> {
    /// Binds a call of a function that returns records, with the columns that the alias lists.
    pub(super) fn record_call(
        &mut self,
        function: &'static SetFunction,
        args: Vec<Expr>,
        types: Vec<TypeId>,
        alias: Option<&TableAlias>,
    ) -> Result<(Vec<Field>, SetCall)> {
        let mut fields = Vec::new();
        for column in alias.iter().flat_map(|alias| &alias.columns) {
            let Some(data_type) = &column.data_type else { continue };
            let (ty, typmod) = self.data_type(data_type)?;
            fields.push(Field { name: self.fold(&column.name), ty, typmod });
        }
        if fields.is_empty() {
            return Err(SqlError::syntax(
                "a column definition list is required for functions returning \"record\"",
            ));
        }
        let args = self.convert(args, &types)?;
        let result = TypeId::ROW.shaped(self.catalog.shapes.register(fields.clone()));
        let columns = fields.iter().map(|field| field.ty).collect();
        Ok((fields, SetCall { function, args, types, columns, result }))
    }
}
