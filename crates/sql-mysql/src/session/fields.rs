//! What the protocol asks for that no statement says: the columns of a table, a line about the server.

use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::catalog::{Column, Found};
use sqlparser::ast::Expr;

use super::core::Core;
use super::outcome::ColumnDescription;
use super::told::unreadable;
use crate::catalog::names::quoted;
use crate::parse::parse_at;

impl Core {
    /// COM_FIELD_LIST: the columns of a table whose names are like a pattern, each with its default.
    pub(super) fn fields(
        &mut self,
        table: &str,
        pattern: &str,
    ) -> Result<Vec<(ColumnDescription, Option<String>)>> {
        let text = format!("SELECT * FROM {}", quoted(table));
        let (statement, _) = parse_at(&text, 0, self.reading()).map_err(|e| unreadable(&e))?;
        let Some(ast) = &statement.ast else { return Ok(Vec::new()) };
        let columns = self.try_plan(&statement, ast, &[], &mut Vec::new())?.columns;
        let defaults: Vec<(String, Option<String>)> =
            match self.catalog_ref().find(self.path(), None, table) {
                Some(Found::Table(table)) => {
                    let named = |column: &Column| (column.name.clone(), default_of(column));
                    table.live().map(|(_, column)| named(column)).collect()
                }
                _ => Vec::new(),
            };
        let default = |name: &str| {
            let found = defaults.iter().find(|(column, _)| column == name);
            found.and_then(|(_, default)| default.clone())
        };
        let columns = columns.unwrap_or_default().into_iter();
        let columns = columns.filter(|column| is_like(&column.name, pattern));
        Ok(columns.map(|column| (column.clone(), default(&column.original_name))).collect())
    }

    /// COM_STATISTICS.
    pub(super) fn statistics(&self) -> String {
        let server = self.shared.told();
        format!(
            "Uptime: {}  Threads: {}  Questions: {}  Slow queries: 0  Opens: 0  Open tables: {}  \
             Queries per second avg: 0.0",
            server.uptime,
            server.connected,
            self.shared.counters.total("Questions"),
            self.catalog_ref().tables().count(),
        )
    }
}

/// The default of a column as a text, where it is a constant.
fn default_of(column: &Column) -> Option<String> {
    match &column.default.as_ref()?.ast {
        Expr::Value(value) => match value.value.clone() {
            sqlparser::ast::Value::Null => None,
            sqlparser::ast::Value::Number(digits, _) => Some(digits),
            other => other.into_string(),
        },
        _ => None,
    }
}

/// Whether a name is like a pattern, in which `%` stands for any letters and `_` for one; none is like all.
fn is_like(name: &str, pattern: &str) -> bool {
    if pattern.is_empty() {
        return true;
    }
    let name: Vec<char> = name.to_lowercase().chars().collect();
    let pattern: Vec<char> = pattern.to_lowercase().chars().collect();
    let (mut at, mut place) = (0, 0);
    // Where the last `%` stands, and how much of the name it was taken for.
    let mut star: Option<(usize, usize)> = None;
    while at < name.len() {
        match pattern.get(place) {
            Some('%') => {
                star = Some((place, at));
                place += 1;
            }
            Some(letter) if *letter == '_' || *letter == name[at] => {
                (at, place) = (at + 1, place + 1);
            }
            _ => {
                let Some((before, taken)) = star else { return false };
                star = Some((before, taken + 1));
                (at, place) = (taken + 1, before + 1);
            }
        }
    }
    pattern[place..].iter().all(|letter| *letter == '%')
}

#[cfg(test)]
mod tests {
    use super::is_like;

    #[test]
    fn patterns_are_those_of_like() {
        for (name, pattern, expected) in [
            ("id", "", true),
            ("id", "%", true),
            ("Id", "i_", true),
            ("id", "i", false),
            ("abcabd", "%abd", true),
            ("abcabd", "a%b%c", false),
            ("abcabd", "a%b%d", true),
        ] {
            assert_eq!(is_like(name, pattern), expected, "{name} {pattern}");
        }
    }
}
