//! A database as keys and values: to begin again where another one was.

use std::collections::BTreeSet;

use hobgoblin_core::{Key, Value};
use hobgoblin_front::{Config, Store};
use serde_json::{Map, Value as Json, json};

use super::database::Database;
use super::startup::Startup;
use crate::catalog::{Catalog, is_temporary};
use crate::execute::described;
use crate::parse::Stop;

/// The keys under which a store keeps the schema and the counters of a database it begins with.
const SCHEMA: &str = "(schema)";
const COUNTERS: &str = "(counters)";
/// The same for the databases that were made: their schemas, and how often their names were used.
const DATABASES: &str = "(databases)";

fn is_ours(key: &Key) -> bool {
    [SCHEMA, COUNTERS, DATABASES].iter().any(|name| *key == Key::from(*name))
}

/// The names of what a catalogue has, but for temporary tables.
fn named(catalog: &Catalog) -> BTreeSet<String> {
    let lasts = |schema: &str| !is_temporary(schema);
    let mut names = BTreeSet::new();
    for (schema, inside) in catalog.schemas.iter().filter(|(schema, _)| lasts(schema)) {
        names.insert(format!("schema {schema}"));
        names.extend(inside.relations.keys().map(|name| format!("relation {schema}.{name}")));
        names.extend(inside.types.keys().map(|name| format!("type {schema}.{name}")));
    }
    for table in catalog.tables().filter(|table| lasts(&table.schema)) {
        let place = format!("{}.{}", table.schema, table.name);
        names.extend(table.columns.iter().map(|c| format!("column {} of {place}", c.name)));
        names.extend(table.indexes.iter().map(|i| format!("index {} of {place}", i.name)));
        names.extend(table.constraints.iter().map(|c| format!("constraint {} of {place}", c.name)));
    }
    names.extend(catalog.roles.keys().map(|role| format!("role {role}")));
    names
}

impl Database {
    /// What the keys hold after all that committed, with the schema and the counters as keys of their
    /// own: a database over a store that [begins](Config::initial) with these goes on where this one is.
    pub fn snapshot(&self) -> Vec<(Key, Value)> {
        let mut all = self.store.snapshot();
        all.retain(|(key, _)| !is_ours(key));
        let schema = self.databases.main.schema.statements();
        let made = self.databases.made();
        if schema.is_empty() && made.is_empty() {
            return all;
        }
        let counters = self.store.with_machine(|machine| machine.counters());
        let counters: Map<String, Json> =
            counters.into_iter().map(|(key, value)| (key.to_string(), value.into())).collect();
        let counters = Json::Object(counters).to_string();
        all.push((Key::from(SCHEMA), Value::from(schema.join(";\n"))));
        all.push((Key::from(COUNTERS), Value::Json(counters.into())));
        if !made.is_empty() {
            let made = made.into_iter().map(|(_, name, shared)| {
                let used = self.databases.used(&name);
                json!({"name": name, "used": used, "schema": shared.schema.statements().join(";\n")})
            });
            let made = Json::Array(made.collect()).to_string();
            all.push((Key::from(DATABASES), Value::Json(made.into())));
        }
        all
    }

    /// What a database that begins with this snapshot of this one would lack, by name: nothing, unless a
    /// statement that changed the schema cannot be run again.
    pub fn missing_from(&self, snapshot: &[(Key, Value)]) -> Vec<String> {
        let schema = snapshot.iter().filter(|(key, _)| is_ours(key)).cloned().collect();
        let config = Config::default().initial_values(schema).history(false).log(false);
        let Ok(store) = Store::new(config) else { return vec!["all of it".to_owned()] };
        let again = self.beside(store).names();
        self.names().difference(&again).cloned().collect()
    }

    /// Another database of this kind, over a store of its own.
    fn beside(&self, store: Store) -> Database {
        let main = &self.databases.main;
        Database::new(store, Some(main.rules.granularity), main.schema.catalog().dialect)
    }

    /// The names of all that the catalogues have, but for temporary tables.
    fn names(&self) -> BTreeSet<String> {
        let mut names = named(&self.databases.main.schema.catalog());
        for (_, database, shared) in self.databases.made() {
            let inside = named(&shared.schema.catalog());
            names.extend(inside.into_iter().map(|name| format!("{name} of database {database}")));
        }
        names
    }

    /// Takes up the schema and the counters of a [`Database::snapshot`], if the store began with it.
    pub(super) fn restore(&self) {
        let initial = self.store.with_machine(|machine| {
            let initial = machine.config().initial.iter();
            initial.filter(|(key, _)| is_ours(key)).cloned().collect::<Vec<_>>()
        });
        for (key, value) in initial {
            match value {
                Value::Text(schema) if key == Key::from(SCHEMA) => {
                    self.restore_schema(None, &schema);
                }
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
                Value::Json(made) if key == Key::from(DATABASES) => {
                    let Ok(Json::Array(made)) = serde_json::from_str(&made) else { continue };
                    for one in &made {
                        let used = one["used"].as_u64().and_then(|used| u32::try_from(used).ok());
                        if let (Some(name), Some(used), Some(schema)) =
                            (one["name"].as_str(), used, one["schema"].as_str())
                        {
                            self.restore_schema(Some((name, used)), schema);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Makes a catalogue again, in a store of its own: the same statements give the same catalogue. It is
    /// that of a database that was made if one is named, with how often its name was used.
    fn restore_schema(&self, made: Option<(&str, u32)>, schema: &str) {
        let config = Config::default().history(false).log(false);
        let Ok(store) = Store::new(config) else { return };
        let scratch = self.beside(store);
        let mut startup = Startup::default();
        if let Some((name, used)) = made {
            scratch.databases.make_again(name, used);
            self.databases.make_again(name, used);
            startup.database = name.to_owned();
        }
        let name = startup.database.clone();
        let Ok(mut session) = scratch.connect(startup) else { return };
        for statement in crate::parse::parse(schema, &Stop::never()).unwrap_or_default() {
            let _ = session.simple(&statement);
            let _ = session.sync();
        }
        // Temporary tables went with the sessions that made them.
        session.core.drop_temporary();
        let (own, made) = (self.databases.find(&name), scratch.databases.find(&name));
        self.store.describe(described(&made.schema.catalog(), &own.schema.catalog()));
        own.schema.adopt(&made.schema);
    }
}
