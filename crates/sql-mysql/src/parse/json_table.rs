//! JSON_TABLE as a source.

use sqlparser::ast::{
    JsonTableColumn, JsonTableColumnErrorHandling, JsonTableNamedColumn, JsonTableNestedColumn,
    TableFactor, Value, ValueWithSpan,
};

use super::cursor::{Parser, Result};

impl Parser<'_> {
    pub(super) fn json_table(&mut self) -> Result<TableFactor> {
        self.expect("JSON_TABLE")?;
        self.expect_sign("(")?;
        let json_expr = self.expr()?;
        self.expect_sign(",")?;
        let json_path = self.path()?;
        let columns = self.json_columns()?;
        self.expect_sign(")")?;
        let alias = self.table_alias()?;
        Ok(TableFactor::JsonTable { json_expr, json_path, columns, alias })
    }

    fn path(&mut self) -> Result<ValueWithSpan> {
        let token = self.peek().clone();
        let text = self.string()?;
        Ok(ValueWithSpan { value: Value::SingleQuotedString(text), span: self.since(&token) })
    }

    fn json_columns(&mut self) -> Result<Vec<JsonTableColumn>> {
        self.expect("COLUMNS")?;
        self.in_parens(|parser| parser.deeper(|parser| parser.listed(Self::json_column)))
    }

    fn json_column(&mut self) -> Result<JsonTableColumn> {
        if self.takes("NESTED") {
            let _ = self.takes("PATH");
            let path = self.path()?;
            let columns = self.json_columns()?;
            return Ok(JsonTableColumn::Nested(JsonTableNestedColumn { path, columns }));
        }
        let name = self.ident()?;
        if self.takes("FOR") {
            self.expect("ORDINALITY")?;
            return Ok(JsonTableColumn::ForOrdinality(name));
        }
        let r#type = self.column_type()?.data_type;
        let exists = self.takes("EXISTS");
        self.expect("PATH")?;
        let path = self.path()?;
        let (mut on_empty, mut on_error) = (None, None);
        while let Some(word) = self.takes_one_of(&["NULL", "ERROR", "DEFAULT"]) {
            let response = match word {
                "NULL" => JsonTableColumnErrorHandling::Null,
                "ERROR" => JsonTableColumnErrorHandling::Error,
                _ => JsonTableColumnErrorHandling::Default(self.path()?),
            };
            self.expect("ON")?;
            match self.expect_one_of(&["EMPTY", "ERROR"])? {
                "EMPTY" => on_empty = Some(response),
                _ => on_error = Some(response),
            }
        }
        Ok(JsonTableColumn::Named(JsonTableNamedColumn {
            name,
            r#type,
            path,
            exists,
            on_empty,
            on_error,
        }))
    }
}
