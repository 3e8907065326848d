//! Help for names that the program does not have.

use hobgoblin_core::Text;

/// Help for an unknown name: the nearest of those there are, or else `otherwise`.
pub(super) fn suggest<'a>(
    written: &str,
    names: impl Iterator<Item = &'a str>,
    otherwise: impl Into<String>,
) -> String {
    match hobgoblin_core::nearest(written, names) {
        Some(name) => format!("did you mean `{name}`?"),
        None => otherwise.into(),
    }
}

/// The same for names of a program.
pub(super) fn nearest<'a>(
    name: &str,
    names: impl Iterator<Item = &'a Text>,
    otherwise: &str,
) -> String {
    suggest(name, names.map(|name| &**name), otherwise)
}
