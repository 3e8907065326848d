//! A server's databases as keys and values: to begin again where others were.

use std::collections::BTreeSet;

use hobgoblin_core::{Key, Text, Value};
use hobgoblin_front::{Config, Store};
use hobgoblin_sql_exec::described;
use hobgoblin_sql_schema::catalog::Catalog;
use serde_json::{Map, Value as Json};

use super::core::Core;
use super::database::Database;
use super::outcome::{ColumnDescription, Done, SessionStatus, TakeResults};
use super::startup::Startup;
use crate::catalog::is_temporary;

/// The keys under which a store keeps the schema and the counters of databases it begins with.
const SCHEMA: &str = "(schema)";
const COUNTERS: &str = "(counters)";

fn is_ours(key: &Key) -> bool {
    [SCHEMA, COUNTERS].iter().any(|name| *key == Key::from(*name))
}

/// The names of what a catalogue has, but for temporary tables.
fn named(catalog: &Catalog) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (schema, inside) in catalog.schemas.iter().filter(|(schema, _)| !is_temporary(schema)) {
        names.insert(format!("database {schema}"));
        names.extend(inside.relations.keys().map(|name| format!("relation {schema}.{name}")));
    }
    for table in catalog.tables().filter(|table| !is_temporary(&table.schema)) {
        let place = format!("{}.{}", table.schema, table.name);
        names.extend(table.columns.iter().map(|c| format!("column {} of {place}", c.name)));
        names.extend(table.indexes.iter().map(|i| format!("index {} of {place}", i.name)));
        names.extend(table.constraints.iter().map(|c| format!("constraint {} of {place}", c.name)));
    }
    names
}

impl Core {
    /// The statements that set what a change of the schema depends on: the database in use, and how texts are read.
    pub(super) fn schema_context(&self) -> Text {
        let mut text = String::new();
        if let Some(database) = &self.database {
            text.push_str(&format!("USE `{}`;\n", database.replace('`', "``")));
        }
        let collation = self.settings.collation;
        text.push_str(&format!(
            "SET sql_mode = '{}', foreign_key_checks = {}, collation_server = {};\nSET NAMES {} COLLATE {}",
            self.settings.mode.words(),
            u8::from(self.choices.checks_references),
            self.variables.effects().server.name(),
            collation.charset(),
            collation.name(),
        ));
        text.into()
    }
}

impl Database {
    /// What the keys hold after all that committed, with the schema and the counters as keys of their own: databases
    /// over a store that [begins](hobgoblin_front::Config::initial) with these go on where these are.
    pub fn snapshot(&self) -> Vec<(Key, Value)> {
        let mut all = self.store.snapshot();
        all.retain(|(key, _)| !is_ours(key));
        let statements = self.shared.schema.statements();
        if statements.is_empty() {
            return all;
        }
        let counters = self.store.with_machine(|machine| machine.counters());
        let counters: Map<String, Json> =
            counters.into_iter().map(|(key, value)| (key.to_string(), value.into())).collect();
        let counters = Json::Object(counters).to_string();
        all.push((Key::from(SCHEMA), Value::from(statements.join(";\n"))));
        all.push((Key::from(COUNTERS), Value::Json(counters.into())));
        all
    }

    /// What databases that begin with this snapshot of these would lack, by name: nothing, unless a statement that changed
    /// the schema cannot be run again.
    pub fn missing_from(&self, snapshot: &[(Key, Value)]) -> Vec<String> {
        let schema = snapshot.iter().filter(|(key, _)| is_ours(key)).cloned().collect();
        let config = Config::default().initial_values(schema).history(false).log(false);
        let Ok(store) = Store::new(config) else { return vec!["all of it".to_owned()] };
        let again = named(&self.beside(store).shared.schema.catalog());
        named(&self.shared.schema.catalog()).difference(&again).cloned().collect()
    }

    /// Takes up the schema and the counters of a [`Database::snapshot`], if the store began with it.
    pub(super) fn restore(&self) {
        let initial = self.store.with_machine(|machine| {
            let initial = machine.config().initial.iter();
            initial.filter(|(key, _)| is_ours(key)).cloned().collect::<Vec<_>>()
        });
        for (key, value) in initial {
            match value {
                Value::Text(schema) if key == Key::from(SCHEMA) => self.restore_schema(&schema),
                Value::Json(counters) if key == Key::from(COUNTERS) => {
                    let Ok(Json::Object(counters)) = serde_json::from_str(&counters) else {
                        continue;
                    };
                    for (name, value) in counters {
                        if let Some(value) = value.as_i64() {
                            let key = Key::from(name);
                            self.store.with_machine(|machine| machine.preset_counter(&key, value));
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Makes a catalogue again, in a store of its own: the same statements give the same catalogue.
    fn restore_schema(&self, schema: &str) {
        let config = Config::default().history(false).log(false);
        let Ok(store) = Store::new(config) else { return };
        let scratch = self.beside(store);
        let startup = Startup { multi_statements: true, ..Startup::default() };
        let Ok(mut session) = scratch.connect(startup) else { return };
        // One that cannot be run again is told of by `missing_from`.
        let mut rest = Some(0);
        while let Some(at) = rest {
            let Ok((statement, next)) = crate::parse::parse_at(schema, at, session.core.reading())
            else {
                break;
            };
            let _ = session.query(statement.text.as_bytes(), &mut Nobody);
            rest = next;
        }
        drop(session);
        let (own, made) = (&self.shared.schema, &scratch.shared.schema);
        self.store.describe(described(&made.catalog(), &own.catalog()));
        own.adopt(made);
    }
}

/// Takes results that nobody wants.
struct Nobody;

impl TakeResults for Nobody {
    fn columns(
        &mut self,
        _: &[ColumnDescription],
        _: &SessionStatus,
    ) -> hobgoblin_sql_schema::Result<()> {
        Ok(())
    }

    fn row(
        &mut self,
        _: &[ColumnDescription],
        _: &[hobgoblin_sql_value::Datum],
        _: &hobgoblin_sql_schema::names::TypeEnv<'_>,
    ) -> hobgoblin_sql_schema::Result<()> {
        Ok(())
    }

    fn end(&mut self, _: &Done) -> hobgoblin_sql_schema::Result<()> {
        Ok(())
    }
}
