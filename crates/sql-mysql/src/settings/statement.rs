//! SET: all of it happens, or nothing.
//!
//! Values are computed and checked from left to right, by what holds before the statement, and then all are assigned. An
//! assignment that fails leaves the ones before it undone, those of the server and of user variables too.

use hobgoblin_sql_mysql_types::{Collation, MyType, Settings, SqlMode, UserValue, Version, error};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_value::{Datum, TypeId};
use sqlparser::ast::Expr;

use super::check::{self, Checking, Given, unsupported};
use super::define::{Definition, Kind, Reach, Table, VariableId};
use super::error::{
    collation_mismatch, deprecated, in_transaction, no_default, only, only_global,
    only_of_sessions, unknown, unknown_charset, unknown_collation, wrong_value,
};
use super::expression::joined;
use super::rules;
use super::value::VariableValue;
use super::variables::{NextTransaction, Variables};
use crate::syntax::{Access, Isolation, Scope, SetTransaction, Setting, Target};

/// One thing that a SET does, with the names in it found.
#[derive(Clone, Debug)]
enum Step<'s> {
    User(&'s str, &'s Expr),
    System {
        id: VariableId,
        scope: Option<Scope>,
        value: Option<&'s Expr>,
    },
    /// `@@transaction_isolation` and its kin without a scope: of the next transaction alone.
    Next {
        id: VariableId,
        value: Option<&'s Expr>,
    },
    Names {
        charset: Option<&'s str>,
        collation: Option<&'s str>,
    },
    Charset(Option<&'s str>),
    Transaction(SetTransaction),
}

/// What is assigned once all is checked.
#[derive(Debug, Default)]
struct Assignments {
    session: Vec<(VariableId, VariableValue)>,
    global: Vec<(VariableId, VariableValue)>,
    users: Vec<(String, UserValue)>,
    next: Option<NextTransaction>,
}

/// Whoever runs a SET: computes the values in it.
pub trait Evaluate {
    /// The value of an expression, and its type.
    fn evaluate(&mut self, expr: &Expr) -> Result<(Datum, TypeId)>;
    /// How values read and print.
    fn types(&self) -> TypeEnv<'_>;
}

/// What a SET is to know of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetIn {
    /// Whether a transaction is open.
    pub in_transaction: bool,
    /// The collation of the database in use, that of the server without one.
    pub database: Collation,
}

/// Variables of which SET TRANSACTION sets the next transaction's.
const OF_TRANSACTIONS: [&str; 4] =
    ["tx_isolation", "transaction_isolation", "tx_read_only", "transaction_read_only"];

/// What a SET changed of the session, as clients that track variables are told: names and values.
pub type Set = Vec<(&'static str, String)>;

/// Runs a SET on the variables of a session and its server.
pub fn set(
    settings: &[Setting],
    variables: &mut Variables,
    by: &mut dyn Evaluate,
    within: SetIn,
) -> Result<Set> {
    let steps =
        settings.iter().map(|setting| step(setting, variables)).collect::<Result<Vec<_>>>()?;
    let mut all = Assignments::default();
    for step in &steps {
        check_step(step, variables, by, within, &mut all)?;
    }
    Ok(assign(all, variables, by))
}

fn assign(all: Assignments, variables: &mut Variables, by: &mut dyn Evaluate) -> Set {
    let table = Table::of(variables.version());
    let changed: Vec<VariableId> = all.session.iter().map(|(id, _)| *id).collect();
    variables.globals().set(all.global);
    if !all.session.is_empty() {
        variables.set(all.session);
    }
    if let Some(next) = all.next {
        variables.next = next;
    }
    let env = by.types();
    for (name, value) in all.users {
        Settings::of(&env).users.set(&name, value);
    }
    let shown = changed.into_iter().map(|id| {
        let definition = table.get(id);
        (definition.name, variables.value(id).shown(definition).unwrap_or_default())
    });
    shown.collect()
}

fn step<'s>(setting: &'s Setting, variables: &Variables) -> Result<Step<'s>> {
    let table = Table::of(variables.version());
    Ok(match setting {
        Setting::Assign { target: Target::User(name), value } => match value {
            Some(value) => Step::User(name, value),
            None => return Err(unknown(name)),
        },
        Setting::Assign { target: Target::System { scope, name, marked }, value } => {
            let name = joined(name);
            let id = table.find(&name).ok_or_else(|| unknown(&name))?;
            let home = table.get(table.home(id)).name;
            let value = value.as_deref();
            match *marked && scope.is_none() && OF_TRANSACTIONS.contains(&home) {
                true => Step::Next { id, value },
                false => Step::System { id, scope: *scope, value },
            }
        }
        Setting::Names { charset, collation } => {
            Step::Names { charset: charset.as_deref(), collation: collation.as_deref() }
        }
        Setting::Charset(charset) => Step::Charset(charset.as_deref()),
        Setting::Transaction(transaction) => Step::Transaction(*transaction),
    })
}

fn check_step(
    step: &Step<'_>,
    variables: &Variables,
    by: &mut dyn Evaluate,
    within: SetIn,
    all: &mut Assignments,
) -> Result<()> {
    match step {
        Step::User(name, expr) => {
            let (value, ty) = by.evaluate(expr)?;
            let value = UserValue::of(&value, MyType::of(ty), &by.types());
            all.users.push(((*name).to_owned(), value));
            Ok(())
        }
        Step::System { id, scope, value } => {
            check_system(*id, *scope, *value, variables, by, within, all)
        }
        Step::Next { id, value } => {
            // The value is checked as that of the session is.
            let mut checked = Assignments::default();
            check_system(*id, None, *value, variables, by, within, &mut checked)?;
            let value = checked.session.first().map_or(0, |(_, value)| value.whole());
            let isolation = [
                Isolation::ReadUncommitted,
                Isolation::ReadCommitted,
                Isolation::RepeatableRead,
                Isolation::Serializable,
            ];
            let definition = Table::of(variables.version()).get(*id);
            let mut transaction = SetTransaction { scope: None, isolation: None, access: None };
            match (definition.kind, value) {
                (Kind::Bool, 0) => transaction.access = Some(Access::ReadWrite),
                (Kind::Bool, _) => transaction.access = Some(Access::ReadOnly),
                (_, place) => {
                    let place = usize::try_from(place).unwrap_or(0);
                    transaction.isolation = isolation.get(place).copied();
                }
            }
            set_transaction(transaction, variables, within, all)
        }
        Step::Names { charset, collation } => names(*charset, *collation, variables, all),
        Step::Charset(charset) => charset_alone(*charset, variables, within, all),
        Step::Transaction(transaction) => set_transaction(*transaction, variables, within, all),
    }
}

/// Whether a variable may be set in a scope, and whether that is the server's.
fn is_global(definition: &Definition, scope: Option<Scope>, variables: &Variables) -> Result<bool> {
    if definition.read_only {
        return Err(only(definition.name, "read only"));
    }
    let global = match scope {
        Some(Scope::Global | Scope::Persist) => true,
        Some(Scope::PersistOnly) => {
            return Err(unsupported("SET PERSIST_ONLY", variables.version()));
        }
        Some(Scope::Session) | None => false,
    };
    match (global, definition.reach) {
        (true, Reach::Session) => Err(only_of_sessions(definition.name)),
        (false, Reach::Global) => Err(only_global(definition.name)),
        (global, _) => Ok(global),
    }
}

fn check_system(
    id: VariableId,
    scope: Option<Scope>,
    expr: Option<&Expr>,
    variables: &Variables,
    by: &mut dyn Evaluate,
    within: SetIn,
    all: &mut Assignments,
) -> Result<()> {
    let table = Table::of(variables.version());
    let definition = table.get(id);
    if let Some(instead) = definition.deprecated {
        let env = by.types();
        Settings::of(&env).warn(error::DEPRECATED, deprecated(definition.name, instead));
    }
    let global = is_global(definition, scope, variables)?;
    let value = match expr {
        None => default_of(id, global, variables, within)?,
        Some(expr) => {
            let given = given(expr, by)?;
            let env = by.types();
            let settings = Settings::of(&env);
            let present = match global {
                true => variables.globals().get(id),
                false => variables.value(id).clone(),
            };
            let strict = settings.mode.has(SqlMode::STRICT_ALL_TABLES);
            let checking = Checking { strict, present: &present, settings };
            let value = check::check(definition, &given, &checking)?;
            rules::check_reach(definition, global, &value)?;
            rules::check(
                definition,
                table.get(table.home(id)).name,
                value,
                &given,
                variables.version(),
            )?
        }
    };
    // A character set brings its collation with it, and the other way round.
    if global && ["max_allowed_packet", "net_buffer_length"].contains(&definition.name) {
        check_packets(definition.name, value.whole(), variables, by);
    }
    let list = if global { &mut all.global } else { &mut all.session };
    let other = beside(definition, &value, variables.version());
    list.extend(other.and_then(|(name, value)| Some((table.find(name)?, value))));
    list.push((id, value));
    Ok(())
}

/// Warns where a packet is to be shorter than the buffer for one.
fn check_packets(name: &str, value: i128, variables: &Variables, by: &mut dyn Evaluate) {
    let table = Table::of(variables.version());
    let of = |other: &str| match table.find(other) {
        Some(id) if other != name => variables.globals().get(id).whole(),
        _ => value,
    };
    if of("max_allowed_packet") < of("net_buffer_length") {
        let told = "The value of 'max_allowed_packet' should be no less than the value of 'net_buffer_length'";
        let env = by.types();
        Settings::of(&env).warn(1708, told);
    }
}

/// The value that DEFAULT means: in a session that of the server, in the server that of the table.
fn default_of(
    id: VariableId,
    global: bool,
    variables: &Variables,
    within: SetIn,
) -> Result<VariableValue> {
    let table = Table::of(variables.version());
    let definition = table.get(id);
    if rules::lacks_default(definition) {
        return Err(no_default(definition.name));
    }
    let value = match (global, definition.name) {
        (false, "collation_database") => VariableValue::text(within.database.name()),
        (false, "character_set_database") => VariableValue::text(within.database.charset()),
        (true, _) => VariableValue::default_of(table.get(table.home(id))),
        (false, _) => match definition.reach {
            Reach::Session => VariableValue::default_of(definition),
            Reach::Both | Reach::Global => variables.globals().get(id),
        },
    };
    rules::check_reach(definition, global, &value)?;
    Ok(value)
}

/// A value as it is written: a word alone is its own text.
fn given(expr: &Expr, by: &mut dyn Evaluate) -> Result<Given> {
    if let Expr::Identifier(word) = expr {
        return Ok(Given::Text(word.value.clone()));
    }
    let (value, ty) = by.evaluate(expr)?;
    Ok(Given::of(&value, MyType::of(ty), &by.types()))
}

/// The variable that changes with a character set or a collation, and its value.
fn beside(
    definition: &Definition,
    value: &VariableValue,
    version: Version,
) -> Option<(&'static str, VariableValue)> {
    let VariableValue::Text(text) = value else { return None };
    let (of_charset, of_collation) = match definition.name {
        "character_set_connection" | "collation_connection" => {
            ("character_set_connection", "collation_connection")
        }
        "character_set_server" | "collation_server" => ("character_set_server", "collation_server"),
        "character_set_database" | "collation_database" => {
            ("character_set_database", "collation_database")
        }
        _ => return None,
    };
    match definition.kind {
        Kind::Charset => {
            let collation = version.collation_of(text)?;
            Some((of_collation, VariableValue::text(collation.name())))
        }
        Kind::Collation => {
            let collation = Collation::named(text)?;
            Some((of_charset, VariableValue::text(collation.charset())))
        }
        _ => None,
    }
}

/// SET NAMES.
fn names(
    charset: Option<&str>,
    collation: Option<&str>,
    variables: &Variables,
    all: &mut Assignments,
) -> Result<()> {
    let found = match charset {
        Some(name) => meant_by(name, variables)?,
        None => default_collation(variables, "character_set_client"),
    };
    let connection = match collation {
        Some(name) => Collation::named(name).ok_or_else(|| unknown_collation(name))?,
        None => found,
    };
    if connection.charset() != found.charset() {
        let charset = charset.unwrap_or_else(|| found.charset());
        return Err(collation_mismatch(connection.name(), charset));
    }
    connection_charsets(found, connection, variables, all);
    Ok(())
}

/// SET CHARACTER SET: constants are in the character set of the database.
fn charset_alone(
    charset: Option<&str>,
    variables: &Variables,
    within: SetIn,
    all: &mut Assignments,
) -> Result<()> {
    let found = match charset {
        Some(name) => meant_by(name, variables)?,
        None => default_collation(variables, "character_set_client"),
    };
    connection_charsets(found, within.database, variables, all);
    Ok(())
}

/// The collation that a character set means.
fn meant_by(charset: &str, variables: &Variables) -> Result<Collation> {
    variables.version().collation_of(charset).ok_or_else(|| unknown_charset(charset))
}

fn default_collation(variables: &Variables, name: &str) -> Collation {
    let table = Table::of(variables.version());
    let value = table.find(name).map(|id| variables.globals().get(id));
    match value {
        Some(VariableValue::Text(name)) => {
            variables.version().collation_of(&name).unwrap_or(Collation::DEFAULT)
        }
        _ => Collation::DEFAULT,
    }
}

fn connection_charsets(
    client: Collation,
    connection: Collation,
    variables: &Variables,
    all: &mut Assignments,
) {
    let table = Table::of(variables.version());
    for (name, text) in [
        ("character_set_client", client.charset()),
        ("character_set_results", client.charset()),
        ("character_set_connection", connection.charset()),
        ("collation_connection", connection.name()),
    ] {
        all.session.extend(table.find(name).map(|id| (id, VariableValue::text(text))));
    }
}

/// SET TRANSACTION: of the server, of the session, or of the next transaction alone.
fn set_transaction(
    transaction: SetTransaction,
    variables: &Variables,
    within: SetIn,
    all: &mut Assignments,
) -> Result<()> {
    let list = match transaction.scope {
        None if within.in_transaction => return Err(in_transaction()),
        None => {
            let mut next = all.next.unwrap_or(variables.next);
            next.isolation = transaction.isolation.or(next.isolation);
            next.access = transaction.access.or(next.access);
            all.next = Some(next);
            return Ok(());
        }
        Some(Scope::Global | Scope::Persist | Scope::PersistOnly) => &mut all.global,
        Some(Scope::Session) => &mut all.session,
    };
    let table = Table::of(variables.version());
    let id = |new: &str, old: &str| table.find(new).or_else(|| table.find(old));
    if let Some(isolation) = transaction.isolation {
        let place = match isolation {
            Isolation::ReadUncommitted => 0,
            Isolation::ReadCommitted => 1,
            Isolation::RepeatableRead => 2,
            Isolation::Serializable => 3,
        };
        let id = id("transaction_isolation", "tx_isolation");
        list.extend(id.map(|id| (id, VariableValue::Whole(place))));
    }
    if let Some(access) = transaction.access {
        let read_only = match access {
            Access::ReadOnly => 1,
            Access::ReadWrite => 0,
        };
        let id = id("transaction_read_only", "tx_read_only");
        list.extend(id.map(|id| (id, VariableValue::Whole(read_only))));
    }
    Ok(())
}

/// Sets a variable of the server by its name and a text, as a command line gives it.
pub fn configure(variables: &Variables, name: &str, text: &str) -> Result<()> {
    let table = Table::of(variables.version());
    let name = name.trim().replace('-', "_");
    let id = table.find(&name).ok_or_else(|| unknown(&name))?;
    let definition = table.get(id);
    if definition.read_only {
        return Err(only(definition.name, "read only"));
    }
    if definition.reach == Reach::Session {
        return Err(only_of_sessions(definition.name));
    }
    let text = text.trim();
    let given = match (definition.kind, text.parse::<i128>(), text.parse::<f64>()) {
        (Kind::Text, ..) => Given::Text(text.to_owned()),
        (_, Ok(number), _) => Given::Whole(number),
        (Kind::Double, _, Ok(number)) => Given::Real(number),
        (Kind::Integer | Kind::Unsigned | Kind::Double, ..) => {
            return Err(wrong_value(definition.name, text));
        }
        (Kind::Bool, ..) if text.eq_ignore_ascii_case("true") => Given::Whole(1),
        (Kind::Bool, ..) if text.eq_ignore_ascii_case("false") => Given::Whole(0),
        _ => Given::Text(text.to_owned()),
    };
    let (present, settings) = (variables.globals().get(id), Settings::default());
    let checking = Checking { strict: true, present: &present, settings: &settings };
    let value = check::check(definition, &given, &checking)?;
    let value = rules::check(
        definition,
        table.get(table.home(id)).name,
        value,
        &given,
        variables.version(),
    )?;
    let other = beside(definition, &value, variables.version());
    let other = other.and_then(|(name, value)| Some((table.find(name)?, value)));
    variables.globals().set(other.into_iter().chain([(id, value)]));
    Ok(())
}
