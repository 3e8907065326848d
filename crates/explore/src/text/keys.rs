//! How the keys of families and of the rows of tables are called.

use std::fmt::Write;

use hobgoblin_core::{Key, Value};

use super::value::Val;

/// The key of a family or row: `cart:1`, `stock:1:7`.
pub(super) fn key_name(name: &str, indexes: &[Val]) -> Result<Key, String> {
    let mut key = String::with_capacity(name.len() + 8);
    key.push_str(name);
    for index in indexes {
        key.push(':');
        match index {
            Val::Int(n) => write!(key, "{n}").expect("a string takes everything"),
            // Different indexes must give different keys.
            Val::Text(text) if text.parse::<i64>().is_ok() => {
                return Err(format!("has the string \"{text}\" as an index; use the integer"));
            }
            Val::Text(text) if indexes.len() > 1 && text.contains(':') => {
                return Err(format!("has {index} as one of several indexes; `:` separates those"));
            }
            Val::Text(text) => key.push_str(text),
            other => return Err(format!("has {} as an index of `{name}`", other.kind())),
        }
    }
    Ok(Key::from(key))
}

/// The keys of the rows that a set variable says are there.
pub(crate) fn rows_of(table: &Key, ids: &Value) -> Vec<Key> {
    let Some(ids) = Val::decode(ids) else { return Vec::new() };
    let name = table.to_string();
    let row = |id: &Val| key_name(&name, std::slice::from_ref(id)).ok();
    ids.items().unwrap_or_default().iter().filter_map(row).collect()
}
