//! The settings of a session: SET, RESET, SHOW.
//!
//! What PostgreSQL 15 has is one table (`settings/defaults.tsv`) with type, range and default. A session
//! keeps only what differs. A SET is undone when its transaction is; SET LOCAL ends with it: the values
//! are a shared map, so that remembering them at each BEGIN and SAVEPOINT costs nothing.

mod define;
mod statement;
mod value;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use define::{Definition, Kind, all as definitions};
pub use statement::setting_value;

use self::define::{lowered, unrecognized};
use crate::catalog::pg::SettingRow;
use crate::error::{Code, Result, SqlError, SqlState};
use crate::types::Format;

/// The settings whose changes the client is told of, in the order of the messages at startup.
pub const REPORTED: [&str; 13] = [
    "in_hot_standby",
    "integer_datetimes",
    "TimeZone",
    "IntervalStyle",
    "is_superuser",
    "application_name",
    "default_transaction_read_only",
    "server_encoding",
    "DateStyle",
    "standard_conforming_strings",
    "session_authorization",
    "client_encoding",
    "server_version",
];

/// The settings of the whole server that have an effect here. No session can set them.
const SERVER_SETTINGS: [&str; 1] = ["max_prepared_transactions"];

/// The value that a session has given to a setting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Value {
    session: Option<String>,
    local: Option<String>,
}

/// The settings at some point of a transaction, to go back to.
#[derive(Clone, Debug)]
pub struct Saved(Arc<BTreeMap<String, Value>>);

/// The settings of one session.
#[derive(Clone, Debug)]
pub struct Settings {
    values: Arc<BTreeMap<String, Value>>,
    /// The defaults of this session: settings of the startup packet, and what depends on the user.
    defaults: BTreeMap<String, String>,
    format: Format,
    path: Arc<[String]>,
    user: String,
    told: BTreeMap<&'static str, String>,
    /// The extensions of the database that have settings.
    extensions: Vec<&'static str>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings::new("postgres")
    }
}

impl Settings {
    /// The settings of a new session of this user.
    pub fn new(user: &str) -> Settings {
        let mut settings = Settings {
            values: Arc::default(),
            defaults: BTreeMap::new(),
            format: Format::default(),
            path: Arc::from([user.to_owned(), "public".to_owned()]),
            user: user.to_owned(),
            told: BTreeMap::new(),
            extensions: Vec::new(),
        };
        settings.defaults.insert("session_authorization".to_owned(), user.to_owned());
        settings
    }

    /// Says which extensions the database has. Their settings can be used then.
    pub fn know_extensions(&mut self, made: impl Fn(&str) -> bool) {
        let known = |extension: &&str| self.extensions.contains(extension);
        if define::extensions().any(|extension| made(extension) != known(&extension)) {
            self.extensions = define::extensions().filter(|extension| made(extension)).collect();
        }
    }

    /// The definition of a setting, if it has one here.
    fn find(&self, name: &str) -> Option<&'static Definition> {
        define::find(name).filter(|definition| self.is_here(definition))
    }

    /// All settings that have a definition here.
    fn known(&self) -> impl Iterator<Item = &'static Definition> {
        define::all().iter().filter(|definition| self.is_here(definition))
    }

    fn is_here(&self, definition: &Definition) -> bool {
        definition.extension.is_none_or(|extension| self.extensions.contains(&extension))
    }

    /// Fails if a setting without a definition cannot have this name.
    fn check_custom(&self, name: &str) -> Result<()> {
        let prefix = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
        if self.extensions.contains(&prefix.as_str()) {
            let text = format!("invalid configuration parameter name \"{name}\"");
            return Err(SqlError::new(SqlState::INVALID_NAME, text)
                .detail(format!("\"{prefix}\" is a reserved prefix.")));
        }
        define::check_custom(name)
    }

    /// Takes a setting of the startup packet, which becomes the session's default.
    pub fn startup(&mut self, name: &str, value: &str) -> Result<()> {
        let connects = |d: &define::Definition| d.context.ends_with("backend");
        if !self.find(name).is_some_and(connects) {
            self.check_settable(name)?;
        }
        let checked = self.check_value(name, value)?;
        self.defaults.insert(name.to_ascii_lowercase(), checked);
        self.refresh();
        Ok(())
    }

    /// Takes a setting of the server's configuration. It may be one that no session can change.
    pub fn configure(&mut self, name: &str, value: &str) -> Result<()> {
        match self.find(name) {
            Some(definition) if definition.context == "internal" => self.check_settable(name)?,
            Some(Definition { context: "postmaster" | "sighup", name, .. })
                if !SERVER_SETTINGS.contains(name) =>
            {
                return Err(SqlError::unsupported(format!("the server setting \"{name}\"")));
            }
            Some(_) => {}
            None => self.check_custom(name)?,
        }
        let checked = self.check_value(name, value)?;
        self.defaults.insert(name.to_ascii_lowercase(), checked);
        self.refresh();
        Ok(())
    }

    /// The value of a setting as SHOW prints it; `None` if there is no such setting.
    pub fn get(&self, name: &str) -> Option<String> {
        let definition = self.find(name);
        let raw = self.raw(name)?;
        Some(match definition {
            Some(d) => value::show(d, raw),
            None => raw.to_owned(),
        })
    }

    /// The value of a setting as SHOW prints it; an error if there is no such setting.
    pub fn show(&self, name: &str) -> Result<String> {
        self.get(name).ok_or_else(|| unrecognized(name))
    }

    /// The value of a setting as it is kept: a number is in the setting's own unit.
    pub fn raw(&self, name: &str) -> Option<&str> {
        let lower = lowered(name);
        if let Some(value) = self.values.get(&*lower)
            && let Some(value) = value.local.as_ref().or(value.session.as_ref())
        {
            return Some(value);
        }
        self.default_of(&lower)
    }

    fn default_of(&self, lower: &str) -> Option<&str> {
        if let Some(value) = self.defaults.get(lower) {
            return Some(value);
        }
        match self.find(lower) {
            Some(definition) => Some(definition.default),
            // A custom setting that was reset is empty, not unknown.
            None => self.values.contains_key(lower).then_some(""),
        }
    }

    /// The value that RESET would give a setting.
    pub fn reset_value(&self, name: &str) -> Option<&str> {
        self.default_of(&lowered(name))
    }

    /// Whether this session has set a setting.
    pub fn is_set(&self, name: &str) -> bool {
        let value = self.values.get(&*lowered(name));
        value.is_some_and(|v| v.local.is_some() || v.session.is_some())
    }

    /// The value of a setting that is a number, in its own unit; 0 if it is none.
    pub fn number(&self, name: &str) -> i64 {
        self.raw(name).and_then(|v| v.parse().ok()).unwrap_or(0)
    }

    /// Whether a setting that is a boolean is on.
    pub fn enabled(&self, name: &str) -> bool {
        self.raw(name).is_some_and(|v| v == "on")
    }

    /// Does SET; `None` is DEFAULT. Returns the new value as SHOW prints it. With `local` it lasts
    /// until the transaction ends.
    pub fn set(&mut self, name: &str, value: Option<&str>, local: bool) -> Result<String> {
        let lower = name.to_ascii_lowercase();
        let checked = match value {
            Some(value) => {
                self.check_settable(name)?;
                Some(self.check_value(name, value)?)
            }
            None => {
                self.check_settable(name)?;
                local.then(|| self.default_of(&lower).map(str::to_owned)).flatten()
            }
        };
        self.put(&lower, checked, local);
        Ok(self.get(name).unwrap_or_default())
    }

    /// Sets what only the session itself may set, such as `transaction_isolation`. Nothing is
    /// checked.
    pub fn set_internal(&mut self, name: &str, value: &str) {
        self.put(&name.to_ascii_lowercase(), Some(value.to_owned()), false);
    }

    fn put(&mut self, lower: &str, value: Option<String>, local: bool) {
        let entry = Arc::make_mut(&mut self.values).entry(lower.to_owned()).or_default();
        if local {
            entry.local = value;
        } else {
            *entry = Value { session: value, local: None };
        }
        self.refresh_one(lower);
    }

    /// Does RESET of one setting.
    pub fn reset(&mut self, name: &str) -> Result<()> {
        let lower = name.to_ascii_lowercase();
        if self.find(&lower).is_none() && !self.values.contains_key(&lower) && !lower.contains('.')
        {
            return Err(unrecognized(name));
        }
        self.set(name, None, false).map(drop)
    }

    /// Does RESET ALL. The settings that belong to the transaction stay.
    pub fn reset_all(&mut self) {
        const KEPT: [&str; 5] = [
            "transaction_isolation",
            "transaction_read_only",
            "transaction_deferrable",
            "role",
            "session_authorization",
        ];
        let values = Arc::make_mut(&mut self.values);
        for (name, value) in values.iter_mut() {
            if !KEPT.contains(&name.as_str()) {
                *value = Value::default();
            }
        }
        self.refresh();
    }

    /// The rows of SHOW ALL: name, value, description.
    pub fn show_all(&self) -> Vec<(String, String, String)> {
        const HIDDEN: [&str; 4] = ["is_superuser", "role", "seed", "session_authorization"];
        let known = self.known().filter(|d| !HIDDEN.contains(&d.name));
        let mut rows: Vec<_> = known
            .map(|d| {
                (d.name.to_owned(), self.get(d.name).unwrap_or_default(), d.description.to_owned())
            })
            .collect();
        for name in self.values.keys().filter(|n| self.find(n).is_none()) {
            rows.push((name.clone(), self.get(name).unwrap_or_default(), String::new()));
        }
        rows.sort_by_key(|(name, _, _)| name.to_ascii_lowercase());
        rows
    }

    /// The rows of `pg_settings`.
    pub fn rows(&self) -> Vec<SettingRow> {
        const HIDDEN: [&str; 4] = ["is_superuser", "role", "seed", "session_authorization"];
        let known = self.known().filter(|d| !HIDDEN.contains(&d.name));
        let mut rows: Vec<SettingRow> = known
            .map(|d| SettingRow {
                name: d.name.to_owned(),
                setting: self.raw(d.name).unwrap_or_default().to_owned(),
                unit: d.unit,
                category: d.category,
                description: d.description,
                context: d.context,
                vartype: d.kind.name(),
                min: d.min,
                max: d.max,
                values: d.values.clone(),
                boot: d.default.to_owned(),
                reset: self.reset_value(d.name).unwrap_or_default().to_owned(),
                set: self.is_set(d.name),
            })
            .collect();
        let custom = self.values.keys().filter(|n| self.find(n).is_none());
        rows.extend(custom.map(|name| SettingRow {
            name: name.clone(),
            setting: self.raw(name).unwrap_or_default().to_owned(),
            category: "Customized Options",
            context: "user",
            vartype: "string",
            set: self.is_set(name),
            ..SettingRow::default()
        }));
        rows
    }

    /// The settings as they are, for a transaction or savepoint to go back to.
    pub fn save(&self) -> Saved {
        Saved(Arc::clone(&self.values))
    }

    /// Goes back to what the settings were, when a transaction or savepoint is rolled back.
    pub fn restore(&mut self, saved: &Saved) {
        if !Arc::ptr_eq(&self.values, &saved.0) {
            self.values = Arc::clone(&saved.0);
            self.refresh();
        }
    }

    /// Ends what SET LOCAL has set, when the transaction ends.
    pub fn end_transaction(&mut self) {
        if self.values.values().any(|v| v.local.is_some()) {
            for value in Arc::make_mut(&mut self.values).values_mut() {
                value.local = None;
            }
            self.refresh();
        }
    }

    /// The settings by which values are printed.
    pub fn format(&self) -> &Format {
        &self.format
    }

    /// The schemas of `search_path`, with the user for `"$user"`. Not all of them need exist.
    pub fn search_path(&self) -> &Arc<[String]> {
        &self.path
    }

    /// The reported settings that have changed since this was last called, with their values, for
    /// the client.
    pub fn take_reports(&mut self) -> Vec<(&'static str, String)> {
        let mut changed = Vec::new();
        for name in REPORTED {
            let Some(value) = self.get(name) else { continue };
            if self.told.get(name) != Some(&value) {
                self.told.insert(name, value.clone());
                changed.push((name, value));
            }
        }
        changed
    }

    /// Fails if SET may not change the setting.
    fn check_settable(&self, name: &str) -> Result<()> {
        let Some(definition) = self.find(name) else { return self.check_custom(name) };
        let how = match definition.context {
            "internal" => "cannot be changed",
            "postmaster" => "cannot be changed without restarting the server",
            "sighup" => "cannot be changed now",
            "backend" | "superuser-backend" => "cannot be set after connection start",
            _ => return Ok(()),
        };
        Err(SqlError::new(Code("55P02"), format!("parameter \"{}\" {how}", definition.name)))
    }

    fn check_value(&self, name: &str, value: &str) -> Result<String> {
        match self.find(name) {
            Some(definition) => value::check(definition, value, &self.format),
            None => Ok(value.to_owned()),
        }
    }

    /// Brings what is derived from a setting up to date.
    fn refresh_one(&mut self, lower: &str) {
        const DERIVED: [&str; 6] = [
            "timezone",
            "datestyle",
            "intervalstyle",
            "extra_float_digits",
            "bytea_output",
            "search_path",
        ];
        if DERIVED.contains(&lower) {
            self.refresh();
        }
    }

    fn refresh(&mut self) {
        self.format = value::format(|name| self.raw(name).unwrap_or_default().to_owned());
        let path = self.raw("search_path").unwrap_or_default();
        let names = value::split_list(path).unwrap_or_default();
        let user = &self.user;
        self.path =
            names.into_iter().map(|n| if n == "$user" { user.clone() } else { n }).collect();
    }
}

#[cfg(test)]
mod tests;
