//! Declares what a program begins with: keys, tables, and the values they hold first, which are constant.

use std::sync::Arc;

use hobgoblin_core::Key;

use super::names::{Global, Names, again, columns};
use super::scope::Scope;
use crate::text::code::{Code, Table};
use crate::text::error::{Mistake, Parsed};
use crate::text::keys::key_name;
use crate::text::syntax::{Expr, Item, Name};
use crate::text::value::Val;

const INDEXES: &str = "indexes are integers or strings";

impl Names {
    /// Declares keys and tables.
    pub(super) fn declare(&mut self, item: Item) -> Parsed<()> {
        match item {
            Item::Init { key, value } => {
                let value = self.constant(&value)?;
                let name = &key.name;
                let mut full = Key::Text(name.text.clone());
                if key.indexes.is_empty() {
                    self.add(name, Global::Key)?;
                } else {
                    let indexes = key.indexes.iter().map(|index| self.constant(index));
                    let indexes = indexes.collect::<Parsed<Vec<_>>>()?;
                    full = key_name(&name.text, &indexes)
                        .map_err(|what| Mistake::at(key.at, format!("this key {what}"), INDEXES))?;
                    let (keys, _) = self.family(name, indexes.len())?;
                    if !keys.insert(full.clone()) {
                        return Err(again(key.at, &full));
                    }
                }
                self.initial.push((full, value));
            }
            Item::Keys { name, arity: 0 } => self.add(&name, Global::Key)?,
            Item::Keys { name, arity } => *self.family(&name, arity)?.1 = true,
            Item::Table { name, columns } => {
                let Some(_) = columns.first() else {
                    let message = format!("the table `{}` has no columns", name.text);
                    return Err(Mistake::at(
                        name.at,
                        message,
                        "its first column is its primary key",
                    ));
                };
                for (at, column) in columns.iter().enumerate() {
                    if columns[..at].iter().any(|other| other.text == column.text) {
                        let message = format!("there is another column `{}`", column.text);
                        return Err(Mistake::at(column.at, message, "choose another name"));
                    }
                }
                let table = Table {
                    name: name.text.clone(),
                    set: Key::Text(name.text.clone()),
                    columns: columns.into_iter().map(|column| column.text).collect(),
                };
                self.add(&name, Global::Table(Arc::new(table)))?;
                self.rows.insert(name.text, Vec::new());
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds a first row to a table.
    pub(super) fn insert(&mut self, table: &Name, values: &[Expr]) -> Parsed<()> {
        let declared = self.table(table)?;
        columns(&declared, values.len(), table)?;
        let values = values.iter().map(|value| self.constant(value)).collect::<Parsed<Vec<_>>>()?;
        let id = values[0].clone();
        let key = key_name(&table.text, std::slice::from_ref(&id))
            .map_err(|what| Mistake::at(table.at, format!("this row {what}"), INDEXES))?;
        let ids = self.rows.entry(table.text.clone()).or_default();
        if ids.contains(&id) {
            let message = format!("`{}` has another row {id}", table.text);
            return Err(Mistake::at(table.at, message, "a primary key is there once"));
        }
        ids.push(id);
        self.initial.push((key, declared.record(values)));
        Ok(())
    }

    /// The value of an expression that must be constant.
    pub(super) fn constant(&self, expr: &Expr) -> Parsed<Val> {
        match Scope::constant(self).expression(expr)? {
            Code::Constant(value) => Ok(value),
            _ => {
                let help = "write a value, such as 0, \"text\", [] or {1, 2}";
                Err(Mistake::at(expr.at, "this value is not known before the program runs", help))
            }
        }
    }
}
