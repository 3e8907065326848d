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

/// How serious a message is to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum Severity {
    #[default]
    Error,
    Fatal,
    Warning,
    Notice,
}

/// An error, or a notice or warning, on its way to the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlError {
    /// How serious it is; a new error is [`Severity::Error`].
    pub severity: Severity,
    /// What is wrong, with or without a dialect's words.
    pub cause: Cause,
    /// The fields that most errors leave empty. They are boxed to keep every `Result` small.
    pub more: Box<ErrorFields>,
}

/// What is wrong, before or after a dialect has put it into words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A cause that no dialect has put into words yet.
    Problem(Problem),
    /// What a dialect says, with its code.
    Said {
        /// The five characters that tell a program which error it is.
        state: Code,
        /// The sentence for the user.
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

    /// The code of the error, or `XX000` for a cause that no dialect has put into words yet.
    pub fn state(&self) -> Code {
        match &self.cause {
            Cause::Said { state, .. } => *state,
            Cause::Problem(_) => Code("XX000"),
        }
    }

    /// The sentence for the user, or plain English for a cause that no dialect has put into words
    /// yet.
    pub fn message(&self) -> String {
        match &self.cause {
            Cause::Said { message, .. } => message.clone(),
            Cause::Problem(problem) => problem.to_string(),
        }
    }

    /// The error that a feature of this name is not implemented.
    pub fn unsupported(feature: impl fmt::Display) -> SqlError {
        SqlError::from(Problem::Unsupported(feature.to_string()))
    }

    /// The error that a text is no statement.
    pub fn syntax(message: impl Into<String>) -> SqlError {
        SqlError::from(Problem::Syntax(message.into()))
    }

    /// The error that this program has made a mistake, which no statement should bring about.
    pub fn internal(what: impl Into<String>) -> SqlError {
        SqlError::from(Problem::Internal(what.into()))
    }

    /// The cause, if no dialect has put it into words yet.
    pub fn problem(&self) -> Option<&Problem> {
        match &self.cause {
            Cause::Problem(problem) => Some(problem),
            Cause::Said { .. } => None,
        }
    }

    /// The cause, if a statement cannot be bound and no dialect has put that into words yet.
    pub fn binding(&self) -> Option<&Binding> {
        match self.problem() {
            Some(Problem::Binding(cause)) => Some(cause),
            _ => None,
        }
    }

    /// Whether the error is that a text is no statement.
    pub fn is_syntax(&self) -> bool {
        matches!(self.cause, Cause::Problem(Problem::Syntax(_)))
    }

    /// The same error with a second sentence that gives the details.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> SqlError {
        self.more.detail = Some(detail.into());
        self
    }

    /// The same error with a sentence that says what the user could do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> SqlError {
        self.more.hint = Some(hint.into());
        self
    }

    /// The same error at this place of the statement, in characters from 1, unless it already has
    /// one.
    #[must_use]
    pub fn at(mut self, position: u32) -> SqlError {
        self.more.position.get_or_insert(position);
        self
    }

    /// The same error, about this constraint of a table; clients are told which.
    #[must_use]
    pub fn constraint(mut self, schema: &str, table: &str, constraint: &str) -> SqlError {
        self = self.table(schema, table);
        self.more.constraint = Some(constraint.to_owned());
        self
    }

    /// The same error, about this table; clients are told which.
    #[must_use]
    pub fn table(mut self, schema: &str, table: &str) -> SqlError {
        self.more.schema = Some(schema.to_owned());
        self.more.table = Some(table.to_owned());
        self
    }

    /// The same error, in this clause of the statement, unless one inside has been named already.
    #[must_use]
    pub fn within(mut self, clause: &'static str) -> SqlError {
        self.more.clause.get_or_insert(clause);
        self
    }

    /// The same error, about this column; clients are told which.
    #[must_use]
    pub fn column(mut self, column: &str) -> SqlError {
        self.more.column = Some(column.to_owned());
        self
    }

    /// The same message with this severity, such as a notice.
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
