//! Errors: what went wrong, and where.
//!
//! Code that knows no dialect says the cause, a [`Problem`]. A dialect has the code and the words for it, and may say an
//! error of its own in words from the start. Until a dialect has said it, an error is told in plain English.

use std::fmt;

use crate::{Binding, Problem};

/// What a fallible operation of SQL gives.
pub type Result<T, E = SqlError> = std::result::Result<T, E>;

/// The five characters by which programs tell errors apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code(pub &'static str);

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum Severity {
    #[default]
    Error,
    Fatal,
    Warning,
    Notice,
}

/// An error or a notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlError {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub cause: Cause,
    /// All else; boxed, since most results are good.
    pub more: Box<ErrorFields>,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A cause that no dialect has found words for yet.
    Problem(Problem),
    /// A dialect's code and words.
    Said {
        /// The code.
        state: Code,
        /// The words.
        message: String,
    },
}

/// The optional fields of an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ErrorFields {
    pub detail: Option<String>,
    pub hint: Option<String>,
    /// The place in the statement, in characters from 1.
    pub position: Option<u32>,
    pub schema: Option<String>,
    pub table: Option<String>,
    pub column: Option<String>,
    pub data_type: Option<String>,
    /// The clause of the statement that it is about.
    pub clause: Option<&'static str>,
    /// The number by which programs tell it apart, where the dialect has numbers beside codes.
    pub number: Option<u16>,
    pub constraint: Option<String>,
}

impl SqlError {
    /// An error in a dialect's words.
    pub fn new(state: Code, message: impl Into<String>) -> SqlError {
        SqlError::of(Cause::Said { state, message: message.into() })
    }

    fn of(cause: Cause) -> SqlError {
        SqlError { severity: Severity::Error, cause, more: Box::default() }
    }

    /// Its code; a cause without words has none of its own.
    pub fn state(&self) -> Code {
        match &self.cause {
            Cause::Said { state, .. } => *state,
            Cause::Problem(_) => Code("XX000"),
        }
    }

    /// Its words.
    pub fn message(&self) -> String {
        match &self.cause {
            Cause::Said { message, .. } => message.clone(),
            Cause::Problem(problem) => problem.to_string(),
        }
    }

    /// A feature that is missing here, by name.
    pub fn unsupported(feature: impl fmt::Display) -> SqlError {
        SqlError::from(Problem::Unsupported(feature.to_string()))
    }

    /// A statement that does not read.
    pub fn syntax(message: impl Into<String>) -> SqlError {
        SqlError::from(Problem::Syntax(message.into()))
    }

    /// A mistake of ours.
    pub fn internal(what: impl Into<String>) -> SqlError {
        SqlError::from(Problem::Internal(what.into()))
    }

    /// Its cause, where no dialect has found words for it yet.
    pub fn problem(&self) -> Option<&Problem> {
        match &self.cause {
            Cause::Problem(problem) => Some(problem),
            Cause::Said { .. } => None,
        }
    }

    /// Its cause, where it is that a statement cannot be bound.
    pub fn binding(&self) -> Option<&Binding> {
        match self.problem() {
            Some(Problem::Binding(cause)) => Some(cause),
            _ => None,
        }
    }

    /// Whether it is that a statement does not read.
    pub fn is_syntax(&self) -> bool {
        matches!(self.cause, Cause::Problem(Problem::Syntax(_)))
    }

    /// With a detail.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> SqlError {
        self.more.detail = Some(detail.into());
        self
    }

    /// With a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> SqlError {
        self.more.hint = Some(hint.into());
        self
    }

    /// At a place of the statement, unless it has one.
    #[must_use]
    pub fn at(mut self, position: u32) -> SqlError {
        self.more.position.get_or_insert(position);
        self
    }

    /// Of a constraint of a table.
    #[must_use]
    pub fn constraint(mut self, schema: &str, table: &str, constraint: &str) -> SqlError {
        self = self.table(schema, table);
        self.more.constraint = Some(constraint.to_owned());
        self
    }

    /// Of a table.
    #[must_use]
    pub fn table(mut self, schema: &str, table: &str) -> SqlError {
        self.more.schema = Some(schema.to_owned());
        self.more.table = Some(table.to_owned());
        self
    }

    /// In a clause, unless it is in one.
    #[must_use]
    pub fn within(mut self, clause: &'static str) -> SqlError {
        self.more.clause.get_or_insert(clause);
        self
    }

    /// Of a column.
    #[must_use]
    pub fn column(mut self, column: &str) -> SqlError {
        self.more.column = Some(column.to_owned());
        self
    }

    /// As a notice or warning.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> SqlError {
        self.severity = severity;
        self
    }
}

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Cause::Said { state, message } => write!(f, "{message} (SQLSTATE {})", state.0),
            Cause::Problem(problem) => problem.fmt(f),
        }
    }
}

impl std::error::Error for SqlError {}

impl From<Problem> for SqlError {
    fn from(problem: Problem) -> SqlError {
        SqlError::of(Cause::Problem(problem))
    }
}

impl From<Binding> for SqlError {
    fn from(cause: Binding) -> SqlError {
        Problem::Binding(cause).into()
    }
}

impl From<hobgoblin_sql_value::Problem> for SqlError {
    fn from(problem: hobgoblin_sql_value::Problem) -> SqlError {
        Problem::Value(problem).into()
    }
}
