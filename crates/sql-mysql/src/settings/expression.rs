//! Variables in expressions: `@a`, `@a := b`, `@@x`.
//!
//! Each is a call of a function of its own, which has the name of the variable as a constant. What type it gives is known from the
//! variable: of a system variable by its definition, of a user variable by what it holds when the statement is bound. If a
//! statement assigns a value of another type, what is read after that is converted.

use hobgoblin_sql_mysql_types::{MyType, Settings, UserValue, Version, cast, number};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::context::Clock;
use hobgoblin_sql_schema::function::{Call, Function};
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_value::{Datum, TypeId};
use sqlparser::ast::Ident;

use super::define::{Definition, Reach, Table};
use super::error::{only, unknown};
use super::value::type_of;
use crate::syntax::Scope;

/// `@a`, of its name.
pub static READ_USER: Function =
    Function::new("@", &[TypeId::TEXT], TypeId::UNKNOWN, read_user).with_nulls().volatile();

/// `@a := b`, of the name and the value.
pub static ASSIGN_USER: Function =
    Function::new("@:=", &[TypeId::TEXT, TypeId::UNKNOWN], TypeId::UNKNOWN, assign_user)
        .with_nulls()
        .volatile();

/// `@@x`, of a name with its scope before it.
pub static READ_SYSTEM: Function =
    Function::new("@@", &[TypeId::TEXT], TypeId::UNKNOWN, read_system).with_nulls().stable();

fn name_of<'c>(call: &'c Call<'_>) -> &'c str {
    match call.args.first() {
        Some(Datum::Text(name)) => name,
        _ => "",
    }
}

fn read_user(call: &mut Call<'_>) -> Result<Datum> {
    let env = call.cx.types();
    let UserValue { value, ty } = Settings::of(&env).users.get(name_of(call));
    let wanted = MyType::of(call.result);
    match value.is_null() || ty.kind == wanted.kind && ty.is_bytes() == wanted.is_bytes() {
        true => Ok(value),
        false => cast(value, ty.id(), wanted.id(), true, &env),
    }
}

fn assign_user(call: &mut Call<'_>) -> Result<Datum> {
    let value = call.args.get(1).cloned().unwrap_or(Datum::Null);
    let ty = call.types.get(1).map_or(MyType::NULL, |ty| MyType::of(*ty));
    let env = call.cx.types();
    let held = UserValue::of(&value, ty, &env);
    Settings::of(&env).users.set(name_of(call), held);
    Ok(value)
}

fn read_system(call: &mut Call<'_>) -> Result<Datum> {
    if name_of(call) == "@@timestamp" {
        // It tells the time of the statement, which is found out when somebody asks.
        call.cx.clock(Clock::Statement)?;
    }
    let Some(text) = call.cx.setting(name_of(call)) else { return Ok(Datum::Null) };
    let ty = MyType::of(call.result);
    Ok(match ty {
        _ if ty.is_integer() => number::integer(text.parse().unwrap_or(0)),
        _ if ty.is_float() => Datum::Float(text.parse().unwrap_or(0.0)),
        _ => Datum::text(text),
    })
}

/// The type of `@a` where a statement is bound.
pub fn user_type(name: &str, env: &TypeEnv<'_>) -> TypeId {
    Settings::of(env).users.get(name).ty.id()
}

/// A system variable that an expression names: the type of its value, and the name that the session is asked for
/// ([`Variables::raw`](super::Variables::raw)).
pub fn system_variable(
    scope: Option<Scope>,
    name: &[Ident],
    version: Version,
) -> Result<(TypeId, String)> {
    let name = joined(name);
    let table = Table::of(version);
    let definition = table.find(&name).map(|id| table.get(id)).ok_or_else(|| unknown(&name))?;
    check_scope(definition, scope)?;
    Ok((type_of(definition).id(), setting_name(scope, definition.name)))
}

/// A name of one part, or of two: `hob.reads` is `hob_reads`, and MariaDB's default key cache is the only one.
pub(super) fn joined(parts: &[Ident]) -> String {
    match parts {
        [first, second] if first.value.eq_ignore_ascii_case("hob") => {
            format!("hob_{}", second.value)
        }
        [first, second] if first.value.eq_ignore_ascii_case("default") => second.value.clone(),
        parts => parts.iter().map(|part| part.value.as_str()).collect::<Vec<_>>().join("."),
    }
}

fn check_scope(definition: &Definition, scope: Option<Scope>) -> Result<()> {
    match (scope, definition.reach) {
        (None, _) | (Some(Scope::Global | Scope::Session), Reach::Both) => Ok(()),
        (Some(Scope::Global), Reach::Global) | (Some(Scope::Session), Reach::Session) => Ok(()),
        (Some(Scope::Session), Reach::Global) => Err(only(definition.name, "GLOBAL")),
        (Some(Scope::Global), Reach::Session) => Err(only(definition.name, "SESSION")),
        (Some(Scope::Persist | Scope::PersistOnly), _) => Err(unknown(definition.name)),
    }
}

/// By which name a function asks the session for a system variable.
pub(super) fn setting_name(scope: Option<Scope>, name: &str) -> String {
    match scope {
        Some(Scope::Global) => format!("@@global.{name}"),
        _ => format!("@@{name}"),
    }
}
