//! INSERT, UPDATE, DELETE and ON CONFLICT.

use super::schema::{ColumnDefinition, Table};
use super::values::{Type, constant};
use super::{Column, Writer, columns_of};

impl Writer {
    /// A value for a column: a constant, NULL, DEFAULT, or an expression.
    fn value(&mut self, ty: Type) -> String {
        match self.random.below(12) {
            0 => "NULL".to_owned(),
            1 => "DEFAULT".to_owned(),
            2 => self.expression(ty, &[], 2),
            _ => constant(ty, &mut self.random),
        }
    }

    pub(super) fn insert(&mut self, at: usize) -> String {
        let table = self.schema.tables[at].clone();
        let rows: Vec<String> = (0..self.random.between(1, 3)).map(|_| self.row(&table)).collect();
        format!("INSERT INTO {} VALUES {}", table.name, rows.join(", "))
    }

    fn row(&mut self, table: &Table) -> String {
        let mut values = Vec::new();
        for column in &table.columns {
            values.push(match column.name.as_str() {
                "id" => self.random.between(1, 30).to_string(),
                "ref" if self.random.once_in(4) => "NULL".to_owned(),
                "ref" => self.random.between(1, 30).to_string(),
                _ => self.value(column.ty),
            });
        }
        format!("({})", values.join(", "))
    }

    pub(super) fn any_insert(&mut self) -> String {
        let table = self.any_table();
        let returning = self.returning(&table);
        match self.random.below(4) {
            0 => {
                let other = self.any_table();
                let columns = columns_of(&other, "s");
                let mut list = vec!["id".to_owned()];
                let mut values = vec![format!("s.id + {}", self.random.between(10, 60))];
                for column in table.columns.iter().filter(|c| c.name.starts_with('c')) {
                    list.push(column.name.clone());
                    values.push(self.expression(column.ty, &columns, 2));
                }
                format!(
                    "INSERT INTO {} ({}) SELECT {} FROM {} s WHERE {}{returning}",
                    table.name,
                    list.join(", "),
                    values.join(", "),
                    other.name,
                    self.condition(&columns, 1),
                )
            }
            1 => {
                let id = self.random.between(1, 40);
                format!("INSERT INTO {} (id) VALUES ({id}){returning}", table.name)
            }
            _ => {
                let row = self.row(&table);
                format!("INSERT INTO {} VALUES {row}{returning}", table.name)
            }
        }
    }

    pub(super) fn upsert(&mut self) -> String {
        let table = self.any_table();
        let row = self.row(&table);
        let returning = self.returning(&table);
        let target = if table.has_key() { " (id)" } else { "" };
        if self.random.once_in(3) || !table.has_key() {
            return format!(
                "INSERT INTO {} VALUES {row} ON CONFLICT{target} DO NOTHING{returning}",
                table.name
            );
        }
        let scope = columns_of(&table, &table.name);
        let mut sets = Vec::new();
        for column in table.columns.iter().filter(|c| c.name.starts_with('c')).take(2) {
            let value = match self.random.below(3) {
                0 => format!("excluded.{}", column.name),
                1 => format!("coalesce({}.{}, excluded.{})", table.name, column.name, column.name),
                _ => self.expression(column.ty, &scope, 2),
            };
            sets.push(format!("{} = {value}", column.name));
        }
        let condition = match self.random.once_in(3) {
            true => format!(" WHERE {}", self.condition(&scope, 1)),
            false => String::new(),
        };
        format!(
            "INSERT INTO {} VALUES {row} ON CONFLICT (id) DO UPDATE SET {}{condition}{returning}",
            table.name,
            sets.join(", ")
        )
    }

    fn returning(&mut self, table: &Table) -> String {
        match self.random.below(4) {
            0 => " RETURNING *".to_owned(),
            1 => {
                let scope = columns_of(table, &table.name);
                let (expr, _) = self.any_expression(&scope, 2);
                format!(" RETURNING {}.id, {expr} AS x", table.name)
            }
            _ => String::new(),
        }
    }

    pub(super) fn update(&mut self) -> String {
        let table = self.any_table();
        let mut scope = columns_of(&table, &table.name);
        let returning = self.returning(&table);
        let (mut from, mut joined) = (String::new(), String::new());
        if self.random.once_in(4) && table.has_key() {
            // At most one row of the other table fits each row.
            let other = self.schema.tables[0].clone();
            from = format!(" FROM {} f", other.name);
            joined = format!("f.id = {}.id AND ", table.name);
            scope.extend(columns_of(&other, "f"));
        }
        let mut sets = Vec::new();
        for column in table.columns.iter().filter(|c| c.name.starts_with('c')) {
            if sets.is_empty() || self.random.once_in(3) {
                let value = match self.random.once_in(8) {
                    true => "DEFAULT".to_owned(),
                    false => self.expression(column.ty, &scope, 3),
                };
                sets.push(format!("{} = {value}", column.name));
            }
        }
        // Which of several rows meets a unique value first depends on the order of rows.
        let unique = |column: &ColumnDefinition| {
            column.unique && sets.iter().any(|set| set.starts_with(&column.name))
        };
        let single = table.columns.iter().any(unique);
        let condition = match single || self.random.once_in(3) {
            true => format!("{}.id = {}", table.name, self.random.between(1, 30)),
            false => self.condition(&scope, 2),
        };
        format!(
            "UPDATE {} SET {}{from} WHERE {joined}{condition}{returning}",
            table.name,
            sets.join(", ")
        )
    }

    pub(super) fn delete(&mut self) -> String {
        let table = self.any_table();
        let scope = columns_of(&table, &table.name);
        let returning = self.returning(&table);
        let condition = match self.random.once_in(2) {
            true => format!("{}.id = {}", table.name, self.random.between(1, 30)),
            false => {
                let condition = self.condition(&scope, 2);
                format!("{}.id > {} AND {condition}", table.name, self.random.between(10, 25))
            }
        };
        format!("DELETE FROM {} WHERE {condition}{returning}", table.name)
    }

    /// A table whose `id` is its key.
    fn keyed_table(&mut self) -> Table {
        let table = self.any_table();
        if table.has_key() { table } else { self.schema.tables[0].clone() }
    }

    /// SET of columns that are not unique, over these.
    fn sets(&mut self, table: &Table, scope: &[Column]) -> String {
        let mut sets = Vec::new();
        for column in &table.columns {
            if column.name.starts_with('c')
                && !column.unique
                && (sets.is_empty() || self.random.once_in(3))
            {
                sets.push(format!("{} = {}", column.name, self.expression(column.ty, scope, 2)));
            }
        }
        sets.join(", ")
    }

    pub(super) fn merge(&mut self) -> String {
        let (table, source) = (self.keyed_table(), self.keyed_table());
        let theirs = columns_of(&source, "s");
        let mut both = columns_of(&table, "t");
        both.extend(theirs.iter().cloned());
        let mut clauses = String::new();
        for _ in 0..self.random.between(1, 2) {
            let action = match self.random.below(4) {
                0 => "DELETE".to_owned(),
                1 => "DO NOTHING".to_owned(),
                _ => format!("UPDATE SET {}", self.sets(&table, &both)),
            };
            let condition = self.condition(&both, 1);
            clauses += &format!(" WHEN MATCHED AND {condition} THEN {action}");
        }
        if self.random.once_in(2) {
            let mut list = vec!["id".to_owned()];
            let mut values = vec![format!("s.id + {}", self.random.between(30, 60))];
            for column in table.columns.iter().filter(|c| c.name.starts_with('c')) {
                list.push(column.name.clone());
                values.push(self.expression(column.ty, &theirs, 2));
            }
            let condition = self.condition(&theirs, 1);
            let (list, values) = (list.join(", "), values.join(", "));
            clauses += &format!(
                " WHEN NOT MATCHED AND {condition} THEN INSERT ({list}) VALUES ({values})"
            );
        }
        let shift = self.random.between(0, 2);
        format!(
            "MERGE INTO {} t USING {} s ON t.id = s.id + {shift}{clauses}",
            table.name, source.name
        )
    }

    /// A change in WITH beside a query of the same table.
    pub(super) fn parts(&mut self) -> String {
        let table = self.keyed_table();
        let name = &table.name;
        let scope = columns_of(&table, name);
        let condition = self.condition(&scope, 1);
        let change = match self.random.once_in(2) {
            true => format!("DELETE FROM {name} WHERE {condition}"),
            false => {
                let sets = self.sets(&table, &scope);
                format!("UPDATE {name} SET {sets} WHERE {condition}")
            }
        };
        let (expr, _) = self.any_expression(&columns_of(&table, "o"), 2);
        format!(
            "WITH x AS ({change} RETURNING *) SELECT x.id, o.id, {expr} AS e FROM x FULL JOIN {name} o ON x.id = o.id \
             ORDER BY 1, 2"
        )
    }
}
