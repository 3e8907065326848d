//! The texts that the store keeps of values, whatever the settings of a session are.

use std::sync::{Arc, LazyLock};

use crate::error::Result;
use crate::{Datum, Format, NoNames, TypeEnv, TypeId, builtin, text};

/// The settings by which stored texts are printed and read, whatever a session has set.
static CANONICAL: LazyLock<Format> = LazyLock::new(Format::default);

/// Appends the text that the store keeps for a value.
pub fn print(out: &mut String, value: &Datum, ty: TypeId) {
    text::print_into(out, value, ty, -1, &TypeEnv::new(&*CANONICAL, &NoNames));
}

/// Reads a text of the store as a value.
pub fn parse(stored: &str, ty: TypeId, env: &TypeEnv<'_>) -> Result<Datum> {
    let env = TypeEnv::new(&*CANONICAL, env.names);
    text::parse(stored, ty, -1, &env).or_else(|error| renamed(stored, ty, &env).ok_or(error))
}

/// An enum, or an array of such, if one of its labels was renamed since the text was stored.
fn renamed(stored: &str, ty: TypeId, env: &TypeEnv<'_>) -> Option<Datum> {
    if let Some(found) = env.names.enum_type(ty) {
        let (_, oid) = found.former.iter().find(|(text, _)| **text == *stored)?;
        let (_, place, label) = found.labels.iter().find(|(label, _, _)| label == oid)?;
        return Some(Datum::Enum(*place, label.clone()));
    }
    let element = builtin::element_type(ty, env.names)?;
    env.names.enum_type(element)?;
    text::parse_array(stored, element, |item| parse(item, element, env))
        .ok()
        .map(|array| Datum::Array(Arc::new(array)))
}
