//! The system variables of a server and of a session.
//!
//! A session begins with the values of the server, and has its own from then on: SET GLOBAL changes what sessions that come
//! later begin with. All values are one list in the order of the [`Table`], which sessions share until they change it.

use std::sync::{Arc, Mutex, PoisonError};

use hobgoblin_sql_mysql_types::{Collation, Version};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_value::Datum;

use super::define::{Definition, Kind, Reach, Table, VariableId};
use super::effects::Effects;
use super::error::{only, unknown};
use super::value::VariableValue;
use crate::syntax::{Access, Isolation, Scope};

type Values = Arc<Vec<VariableValue>>;

/// The variables of a server, which its sessions share.
#[derive(Clone, Debug)]
pub struct Globals {
    version: Version,
    values: Arc<Mutex<Values>>,
}

impl Globals {
    /// Those of a server that nobody has told anything.
    pub fn new(version: Version) -> Globals {
        let values = Table::of(version).all().map(|(_, d)| VariableValue::default_of(d)).collect();
        Globals { version, values: Arc::new(Mutex::new(Arc::new(values))) }
    }

    /// Which server it is.
    pub fn version(&self) -> Version {
        self.version
    }

    fn now(&self) -> Values {
        self.values.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The value of a variable.
    pub fn get(&self, id: VariableId) -> VariableValue {
        self.now()[Table::of(self.version).home(id).place()].clone()
    }

    /// The level of transactions of a server that starts, and whether a snapshot is kept to.
    pub fn start_at(&self, isolation: Isolation, snapshot_isolation: bool) {
        let table = Table::of(self.version);
        let place = match isolation {
            Isolation::ReadUncommitted => 0,
            Isolation::ReadCommitted => 1,
            Isolation::RepeatableRead => 2,
            Isolation::Serializable => 3,
        };
        let values = [
            ("transaction_isolation", place),
            ("tx_isolation", place),
            ("innodb_snapshot_isolation", i128::from(snapshot_isolation)),
        ];
        let found = values.map(|(name, value)| (table.find(name), VariableValue::Whole(value)));
        self.set(found.into_iter().filter_map(|(id, value)| Some((id?, value))));
    }

    /// Sets variables, all at once.
    pub(super) fn set(&self, changes: impl IntoIterator<Item = (VariableId, VariableValue)>) {
        let table = Table::of(self.version);
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let list = Arc::make_mut(&mut values);
        for (id, value) in changes {
            list[table.home(id).place()] = value;
        }
    }
}

/// What a session knows of itself that its variables tell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Present {
    /// The number of the connection.
    pub connection: u32,
    /// `warning_count`.
    pub warnings: u64,
    /// `error_count`.
    pub errors: u64,
    /// Whether a transaction is open.
    pub in_transaction: bool,
    /// The collation of the database in use.
    pub database: Option<Collation>,
    /// The number that the last statement gave a row.
    pub last_insert_id: u64,
    /// The time, in microseconds since 1970.
    pub now: i64,
}

/// What SET TRANSACTION says of the next transaction alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NextTransaction {
    /// Its level.
    pub isolation: Option<Isolation>,
    /// Whether it may write.
    pub access: Option<Access>,
}

/// The variables of a session.
#[derive(Clone, Debug)]
pub struct Variables {
    globals: Globals,
    values: Values,
    effects: Arc<Effects>,
    /// What the next transaction is to be, if that has been said.
    pub next: NextTransaction,
}

impl Variables {
    /// Those that a session begins with; an interactive one waits as long as `interactive_timeout` says.
    pub fn new(globals: &Globals, interactive: bool) -> Variables {
        let values = globals.now();
        let effects = Arc::new(Effects::of(globals.version, &values));
        let next = NextTransaction::default();
        let mut variables = Variables { globals: globals.clone(), values, effects, next };
        if interactive {
            let value = variables.value_named("interactive_timeout").clone();
            variables.set_named("wait_timeout", value);
        }
        variables
    }

    /// Sets IGNORE_SPACE in `sql_mode`, for a client that connected with CLIENT_IGNORE_SPACE.
    pub fn ignore_space(&mut self) {
        let Some(id) = self.table().find("sql_mode") else { return };
        let words = &self.table().get(id).words;
        let Some(bit) = words.iter().position(|word| *word == "IGNORE_SPACE") else { return };
        let mode = self.value(id).whole() | 1 << bit;
        self.set([(id, VariableValue::Whole(mode))]);
    }

    /// Those of the server.
    pub fn globals(&self) -> &Globals {
        &self.globals
    }

    /// Which server it is.
    pub fn version(&self) -> Version {
        self.globals.version
    }

    /// What they say, read.
    pub fn effects(&self) -> &Effects {
        &self.effects
    }

    fn table(&self) -> &'static Table {
        Table::of(self.version())
    }

    /// The value that a session has of a variable.
    pub(super) fn value(&self, id: VariableId) -> &VariableValue {
        &self.values[self.table().home(id).place()]
    }

    /// The same by name; that there is such a variable is known.
    pub(super) fn value_named(&self, name: &str) -> &VariableValue {
        static NULL: VariableValue = VariableValue::Null;
        self.table().find(name).map_or(&NULL, |id| self.value(id))
    }

    /// Sets variables of the session.
    pub(super) fn set(&mut self, changes: impl IntoIterator<Item = (VariableId, VariableValue)>) {
        let table = self.table();
        let list = Arc::make_mut(&mut self.values);
        for (id, value) in changes {
            list[table.home(id).place()] = value;
        }
        self.effects = Arc::new(Effects::of(self.version(), &self.values));
    }

    fn set_named(&mut self, name: &str, value: VariableValue) {
        if let Some(id) = self.table().find(name) {
            self.set([(id, value)]);
        }
    }

    /// The number that the next row gets, if `insert_id` says one; it says it once.
    pub fn take_insert_id(&mut self) -> Option<u64> {
        let id = u64::try_from(self.value_named("insert_id").whole()).ok().filter(|id| *id > 0)?;
        self.keep("insert_id", VariableValue::Whole(0));
        Some(id)
    }

    /// Sets a variable that nothing else is read from.
    fn keep(&mut self, name: &str, value: VariableValue) {
        let table = self.table();
        if let Some(id) = table.find(name) {
            Arc::make_mut(&mut self.values)[table.home(id).place()] = value;
        }
    }

    /// A client sends and wants texts in the character set of a collation, which is that of constants.
    pub fn set_connection_collation(&mut self, collation: Collation) {
        let table = self.table();
        let texts = [
            ("character_set_client", collation.charset()),
            ("character_set_results", collation.charset()),
            ("character_set_connection", collation.charset()),
            ("collation_connection", collation.name()),
        ];
        let found = texts.map(|(name, text)| (table.find(name), VariableValue::text(text)));
        self.set(found.into_iter().filter_map(|(id, value)| Some((id?, value))));
    }

    /// A variable and the value that an expression reads: `@@x`, `@@session.x` or `@@global.x`.
    pub fn read(
        &self,
        scope: Option<Scope>,
        name: &str,
        present: &Present,
    ) -> Result<(&'static Definition, VariableValue)> {
        let table = self.table();
        let id = table.find(name).ok_or_else(|| unknown(name))?;
        let definition = table.get(id);
        let global = match (scope, definition.reach) {
            (None, Reach::Global) | (Some(Scope::Global), Reach::Both | Reach::Global) => true,
            (None | Some(Scope::Session), Reach::Both | Reach::Session) => false,
            (Some(Scope::Session), Reach::Global) => return Err(only(name, "GLOBAL")),
            (Some(Scope::Global), Reach::Session) => return Err(only(name, "SESSION")),
            (Some(Scope::Persist | Scope::PersistOnly), _) => return Err(unknown(name)),
        };
        let value = match global {
            true => self.globals.get(id),
            false => self.present(definition, present).unwrap_or_else(|| self.value(id).clone()),
        };
        Ok((definition, value))
    }

    /// The same as a value of an expression.
    pub fn datum(&self, scope: Option<Scope>, name: &str, present: &Present) -> Result<Datum> {
        let (definition, value) = self.read(scope, name, present)?;
        Ok(value.datum(definition))
    }

    /// What a function of an expression asks for by the name that [`system_variable`](super::system_variable) gives: the value
    /// as a text, switches as 0 and 1; nothing for NULL, and for other names.
    pub fn raw(&self, name: &str, present: &Present) -> Option<String> {
        let name = name.strip_prefix("@@")?;
        let (scope, name) = match name.strip_prefix("global.") {
            Some(name) => (Some(Scope::Global), name),
            None => (None, name),
        };
        let (definition, value) = self.read(scope, name, present).ok()?;
        match definition.kind {
            Kind::Bool => Some(value.whole().to_string()),
            Kind::Double => Some(value.real().to_string()),
            _ => value.shown(definition),
        }
    }

    /// As SHOW VARIABLES shows it; nothing for NULL and for what there is not.
    pub fn shown(&self, name: &str, present: &Present) -> Option<String> {
        let (definition, value) = self.read(None, name, present).ok()?;
        value.shown(definition)
    }

    /// What SHOW VARIABLES shows, or SHOW GLOBAL VARIABLES: names and values, by name.
    pub fn list(&self, global: bool, present: &Present) -> Vec<(&'static str, String)> {
        let shown = |definition: &Definition| match (global, definition.reach) {
            (true, Reach::Session) => false,
            (true | false, _) => true,
        };
        let all = self.table().all().filter(|(_, definition)| shown(definition));
        let rows = all.map(|(id, definition)| {
            let value = match global || definition.reach == Reach::Global {
                true => self.globals.get(id),
                false => {
                    self.present(definition, present).unwrap_or_else(|| self.value(id).clone())
                }
            };
            (definition.name, value.shown(definition).unwrap_or_default())
        });
        rows.collect()
    }

    /// What is known of all, as `information_schema.SYSTEM_VARIABLES` has it.
    pub fn described(&self, present: &Present) -> Vec<[Option<String>; 15]> {
        let text = |text: &str| Some(text.to_owned());
        let row = |(id, definition): (VariableId, &Definition)| {
            let session = match definition.reach {
                Reach::Global => None,
                _ => self.present(definition, present).or_else(|| Some(self.value(id).clone())),
            };
            let global = (definition.reach != Reach::Session).then(|| self.globals.get(id));
            let shown = |value: Option<VariableValue>| value.and_then(|one| one.shown(definition));
            let whole = matches!(definition.kind, Kind::Integer | Kind::Unsigned);
            let (least, most) = match definition.kind {
                Kind::Double => {
                    (Some(definition.range.0.to_string()), Some(definition.range.1.to_string()))
                }
                _ if whole => {
                    (Some(definition.least.to_string()), Some(definition.most.to_string()))
                }
                _ => (None, None),
            };
            let words = &definition.words;
            [
                Some(definition.name.to_uppercase()),
                shown(session),
                shown(global),
                text("COMPILE-TIME"),
                definition.default.map(str::to_owned),
                text(match definition.reach {
                    Reach::Global => "GLOBAL",
                    Reach::Session => "SESSION ONLY",
                    Reach::Both => "SESSION",
                }),
                text(match definition.kind {
                    Kind::Bool => "BOOLEAN",
                    Kind::Integer => "BIGINT",
                    Kind::Unsigned => "BIGINT UNSIGNED",
                    Kind::Double => "DOUBLE",
                    Kind::Enum | Kind::Charset | Kind::Collation => "ENUM",
                    Kind::Set => "SET",
                    Kind::Switches => "FLAGSET",
                    Kind::Text => "VARCHAR",
                }),
                text(""),
                least,
                most,
                whole.then(|| definition.step.to_string()),
                (!words.is_empty()).then(|| words.join(",")),
                text(if definition.read_only { "YES" } else { "NO" }),
                text("REQUIRED"),
                None,
            ]
        };
        self.table().all().map(row).collect()
    }

    /// The value of a variable that tells what the session is doing.
    fn present(&self, definition: &Definition, present: &Present) -> Option<VariableValue> {
        let whole = |number: u64| Some(VariableValue::Whole(i128::from(number)));
        match definition.name {
            "warning_count" => whole(present.warnings),
            "error_count" => whole(present.errors),
            "in_transaction" => whole(u64::from(present.in_transaction)),
            // A session that has set them anew has its own.
            "collation_database" | "character_set_database" => {
                let id = self.table().find(definition.name)?;
                let database = present.database.filter(|_| *self.value(id) == self.globals.get(id));
                database.map(|collation| match definition.kind {
                    Kind::Charset => VariableValue::text(collation.charset()),
                    _ => VariableValue::text(collation.name()),
                })
            }
            "last_insert_id" | "identity" => whole(present.last_insert_id),
            "pseudo_thread_id" => match self.value_named("pseudo_thread_id").whole() {
                0 => whole(u64::from(present.connection)),
                _ => None,
            },
            "timestamp" => match self.effects.timestamp {
                Some(_) => None,
                None => Some(VariableValue::Real(present.now as f64 / 1e6)),
            },
            _ => None,
        }
    }
}
