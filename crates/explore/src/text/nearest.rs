//! Help for names that are none.

/// Help for a name that is none: the nearest of those there are, or else `otherwise`.
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
