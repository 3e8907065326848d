//! What is said of variables that cannot be read or set.

use hobgoblin_sql_mysql_types::error::{Number, error};
use hobgoblin_sql_schema::SqlError;

/// 1193: no variable has the name.
pub(super) fn unknown(name: &str) -> SqlError {
    error(1193, format!("Unknown system variable '{name}'"))
}

/// 1231: a value that the variable does not take.
pub(super) fn wrong_value(name: &str, value: &str) -> SqlError {
    let value: String = value.chars().take(200).collect();
    error(1231, format!("Variable '{name}' can't be set to the value of '{value}'"))
}

/// 1232: a number where a text is wanted, or the other way round.
pub(super) fn wrong_type(name: &str) -> SqlError {
    error(1232, format!("Incorrect argument type to variable '{name}'"))
}

/// 1238: a variable that is only this or that.
pub(super) fn only(name: &str, what: &str) -> SqlError {
    error(1238, format!("Variable '{name}' is a {what} variable"))
}

/// 1228: a variable of sessions that the server has not.
pub(super) fn only_of_sessions(name: &str) -> SqlError {
    let message =
        format!("Variable '{name}' is a SESSION variable and can't be used with SET GLOBAL");
    error(1228, message)
}

/// 1229: a variable of the server that sessions have not.
pub(super) fn only_global(name: &str) -> SqlError {
    let message =
        format!("Variable '{name}' is a GLOBAL variable and should be set with SET GLOBAL");
    error(1229, message)
}

/// 1230: DEFAULT for a variable that has none.
pub(super) fn no_default(name: &str) -> SqlError {
    error(1230, format!("Variable '{name}' doesn't have a default value"))
}

/// 1621: a variable that a session has and only the server sets.
pub(super) fn read_only_in_session(name: &str) -> SqlError {
    let message =
        format!("SESSION variable '{name}' is read-only. Use SET GLOBAL to assign the value");
    error(1621, message)
}

/// 1286: a storage engine that no server has.
pub(super) fn unknown_engine(name: &str) -> SqlError {
    error(1286, format!("Unknown storage engine '{name}'"))
}

/// 1298: what is no time zone.
pub(super) fn unknown_zone(text: &str) -> SqlError {
    error(1298, format!("Unknown or incorrect time zone: '{text}'"))
}

/// 1115: a character set that is not here.
pub(super) fn unknown_charset(name: &str) -> SqlError {
    error(1115, format!("Unknown character set: '{name}'"))
}

/// 1273: a collation that is not here.
pub(super) fn unknown_collation(name: &str) -> SqlError {
    error(1273, format!("Unknown collation: '{name}'"))
}

/// 1253: a collation of another character set.
pub(super) fn collation_mismatch(collation: &str, charset: &str) -> SqlError {
    let message = format!("COLLATION '{collation}' is not valid for CHARACTER SET '{charset}'");
    error(1253, message)
}

/// 1568: a SET TRANSACTION while a transaction is open.
pub(super) fn in_transaction() -> SqlError {
    let message = "Transaction characteristics can't be changed while a transaction is in progress";
    error(1568, message)
}

/// 1292, a warning: a number beyond what the variable takes.
pub(super) const TRUNCATED: Number = 1292;

/// What is told of a variable that is going away.
pub(super) fn deprecated(name: &str, instead: Option<&str>) -> String {
    let gone = format!("'@@{name}' is deprecated and will be removed in a future release");
    match instead {
        Some(other) => format!("{gone}. Please use '@@{other}' instead"),
        None => gone,
    }
}

/// 1649: a language that no server has.
pub(super) fn unknown_locale(name: &str) -> SqlError {
    error(1649, format!("Unknown locale: '{name}'"))
}
