//! What a user variable makes of a value that it is assigned.

use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_value::Datum;

use super::UserValue;
use crate::convert;
use crate::my_type::MyType;
use crate::number;
use crate::settings::Settings;

impl UserValue {
    /// What a variable holds after a value of a type was assigned.
    pub fn of(value: &Datum, ty: MyType, env: &TypeEnv<'_>) -> UserValue {
        let held = UserValue::type_for(ty, Settings::of(env).collation);
        let value = match value {
            Datum::Null => Datum::Null,
            Datum::Bytes(_) => value.clone(),
            value if held.is_integer() => number::integer(convert::to_integer(value, ty, env)),
            value if held.is_number() => value.clone(),
            value if held.is_bytes() => Datum::Bytes(convert::to_bytes(value, ty, env).into()),
            value => Datum::text(convert::to_text(value, ty, env).into_owned()),
        };
        UserValue { value, ty: held }
    }
}
