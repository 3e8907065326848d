//! What is wrong with a text, in the servers' words.

use hobgoblin_sql_mysql_types::Version;

/// How many bytes of the text an error tells; where there are more, three dots stand for the last of them.
const TOLD: usize = 80;

/// A text that is no statement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// A token that cannot stand where it does.
    #[error(
        "You have an error in your SQL syntax; check the manual that corresponds to your {} server version for \
         the right syntax to use near '{near}' at line {line}", version.server()
    )]
    Syntax {
        /// The server that is claimed.
        version: Version,
        /// The text from the token on, as much of it as is told.
        near: String,
        /// The line of the token, from 1.
        line: u32,
    },
    /// There is no statement.
    #[error("Query was empty")]
    Empty,
    /// A character set has no such name.
    #[error("Unknown character set: '{0}'")]
    UnknownCharset(String),
    /// A collation has no such name.
    #[error("Unknown collation: '{0}'")]
    UnknownCollation(String),
    /// A type of a column has no such name.
    #[error("Unknown data type: '{0}'")]
    UnknownType(String),
    /// A storage engine has no such name.
    #[error("Unknown storage engine '{0}'")]
    UnknownEngine(String),
    /// A name stands where only a variable of a stored program may, and there is none.
    #[error("Undeclared variable: {0}")]
    UndeclaredVariable(String),
    /// An argument of a function is given a name.
    #[error("Incorrect parameters in the call to native function '{0}'")]
    NamedArgument(String),
    /// A feature that is known and missing here.
    #[error("This version of Hobgoblin doesn't yet support '{0}'")]
    Unsupported(&'static str),
    /// A statement nests deeper than a thread has room for.
    #[error("Thread stack overrun: a statement may nest {most} deep")]
    TooDeep {
        /// How deep it may nest.
        most: usize,
    },
}

impl ParseError {
    /// The number by which clients tell errors apart.
    pub fn number(&self) -> u16 {
        match self {
            ParseError::Syntax { .. } => 1064,
            ParseError::Empty => 1065,
            ParseError::UnknownCharset(_) => 1115,
            ParseError::UnknownCollation(_) => 1273,
            ParseError::UnknownEngine(_) => 1286,
            ParseError::UndeclaredVariable(_) => 1327,
            ParseError::NamedArgument(_) => 1583,
            ParseError::UnknownType(_) => 4161,
            ParseError::Unsupported(_) => 1235,
            ParseError::TooDeep { .. } => 1436,
        }
    }

    /// Its SQLSTATE.
    pub fn state(&self) -> &'static str {
        match self {
            ParseError::Syntax { .. }
            | ParseError::Empty
            | ParseError::UnknownCharset(_)
            | ParseError::UnknownEngine(_)
            | ParseError::UndeclaredVariable(_)
            | ParseError::NamedArgument(_)
            | ParseError::Unsupported(_) => "42000",
            ParseError::UnknownCollation(_)
            | ParseError::UnknownType(_)
            | ParseError::TooDeep { .. } => "HY000",
        }
    }
}

/// The text that an error tells: eighty bytes, of whole characters.
pub(super) fn near(rest: &str, version: Version) -> String {
    let cut = |most: usize| {
        let end = (0..=most.min(rest.len())).rev().find(|&at| rest.is_char_boundary(at));
        &rest[..end.unwrap_or(0)]
    };
    match rest.len() > TOLD {
        true if !version.is_mysql() => format!("{}...", cut(TOLD - 3)),
        true => cut(TOLD).to_owned(),
        false => rest.to_owned(),
    }
}
