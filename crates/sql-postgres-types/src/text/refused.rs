//! Text that stands for no value.

use crate::error::{SqlError, SqlState};
use crate::{TypeEnv, TypeId, builtin};

/// The error for a text that no value of a type has.
pub(crate) fn invalid(ty: &str, text: &str) -> SqlError {
    SqlError::new(
        SqlState::INVALID_TEXT_REPRESENTATION,
        format!("invalid input syntax for type {ty}: \"{text}\""),
    )
}

/// A text without the blanks around it, as C's `isspace` sees them.
pub(crate) fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b')
}

/// The error for a type whose values are not known here.
pub(crate) fn unsupported(ty: TypeId, env: &TypeEnv<'_>) -> SqlError {
    SqlError::unsupported(format!("type {}", builtin::format_type(ty, -1, env.names)))
}
