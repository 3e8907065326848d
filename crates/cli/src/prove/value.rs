//! Values and rows of an anomaly, as JSON and as SQL writes them.

use hobgoblin_prove::program::{Program, TableId, Type};
use hobgoblin_prove::replay::State;
use hobgoblin_prove::scenario::Literal;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value, json};

/// Values by name, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Named(pub(super) Vec<(String, Value)>);

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Named {
    /// `id = 1, name = 'a'`.
    pub(super) fn text(&self) -> String {
        let parts = self.0.iter().map(|(name, value)| format!("{name} = {}", sql(value)));
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub(super) struct Row {
    pub(super) table: String,
    pub(super) row: Named,
}

impl Row {
    /// A row of a table by the values of its columns.
    pub(super) fn of(program: &Program, table: TableId, values: &[Literal]) -> Row {
        let table = &program.tables[table.0 as usize];
        let columns = table.columns.iter().zip(values);
        let row = columns.map(|(column, value)| (column.name.clone(), literal(value))).collect();
        Row { table: table.name.clone(), row: Named(row) }
    }

    /// All rows of a state.
    pub(super) fn of_state(program: &Program, state: &State) -> Vec<Row> {
        let mut all = Vec::new();
        for (table, (name, rows)) in program.tables.iter().zip(&state.tables) {
            for row in rows {
                let values = table.columns.iter().zip(row).map(|(column, value)| {
                    (column.name.clone(), printed(value.as_deref(), column.ty))
                });
                all.push(Row { table: name.clone(), row: Named(values.collect()) });
            }
        }
        all
    }

    /// `account(id = 1, balance = 3)`.
    pub(super) fn text(&self) -> String {
        format!("{}({})", self.table, self.row.text())
    }
}

/// A value that a solver chose.
pub(super) fn literal(value: &Literal) -> Value {
    match value {
        Literal::Null => Value::Null,
        Literal::Int(number) => json!(number),
        Literal::Decimal(numerator, denominator) if numerator % denominator == 0 => {
            json!(numerator / denominator)
        }
        Literal::Decimal(numerator, denominator) => {
            json!(*numerator as f64 / *denominator as f64)
        }
        Literal::Bool(value) => json!(value),
        Literal::Text(text) => json!(text),
        Literal::IntArray(elements) => json!(elements),
    }
}

/// A value that a database printed.
fn printed(text: Option<&str>, ty: Type) -> Value {
    let Some(text) = text else { return Value::Null };
    let number = || text.parse::<i64>().map(Value::from).ok();
    let read = match ty {
        Type::Int => number(),
        Type::Decimal => number().or_else(|| text.parse::<f64>().map(Value::from).ok()),
        Type::Bool => Some(json!(text == "t")),
        Type::Text | Type::IntArray => None,
    };
    // A date is a whole number to the solver, and a text to the database.
    read.unwrap_or_else(|| json!(text))
}

/// A value as SQL writes it.
pub(super) fn sql(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("'{}'", text.replace('\'', "''")),
        Value::Array(elements) => {
            format!("'{{{}}}'", elements.iter().map(sql).collect::<Vec<_>>().join(","))
        }
        Value::Object(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_sql() {
        for (value, text) in [
            (Literal::Null, "NULL"),
            (Literal::Int(-3), "-3"),
            (Literal::Decimal(4, 2), "2"),
            (Literal::Decimal(5, 2), "2.5"),
            (Literal::Bool(true), "true"),
            (Literal::Text("it's".to_owned()), "'it''s'"),
            (Literal::IntArray(vec![1, 2]), "'{1,2}'"),
        ] {
            assert_eq!(sql(&literal(&value)), text);
        }
    }

    #[test]
    fn what_a_database_prints_is_read_by_its_type() {
        for (text, ty, value) in [
            (None, Type::Int, Value::Null),
            (Some("7"), Type::Int, json!(7)),
            (Some("2000-01-02"), Type::Int, json!("2000-01-02")),
            (Some("2.50"), Type::Decimal, json!(2.5)),
            (Some("t"), Type::Bool, json!(true)),
            (Some("7"), Type::Text, json!("7")),
        ] {
            assert_eq!(printed(text, ty), value);
        }
    }
}
