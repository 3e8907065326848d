//! How a text is to be read: the server that is claimed, and the modes of `sql_mode` that change the language.

use hobgoblin_sql_mysql_types::Version;

/// What the meaning of a text depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The server that is claimed.
    pub version: Version,
    /// ANSI_QUOTES: `"…"` is an identifier, not a string.
    pub ansi_quotes: bool,
    /// NO_BACKSLASH_ESCAPES: a backslash in a string is a character like others.
    pub no_backslash_escapes: bool,
    /// PIPES_AS_CONCAT: `||` joins strings, and binds closer than any other operator of two operands.
    pub pipes_as_concat: bool,
    /// IGNORE_SPACE: blanks may stand between the name of a function and its parenthesis.
    pub ignore_space: bool,
    /// HIGH_NOT_PRECEDENCE: NOT binds as `!` does.
    pub high_not_precedence: bool,
}

impl Reading {
    /// As a server reads that has no such modes set.
    pub fn of(version: Version) -> Reading {
        Reading { version, ..Reading::default() }
    }
}
