//! Errors as PostgreSQL clients see them: an SQLSTATE, a message, and the fields that go with it.

use std::fmt;

/// What a fallible operation of this crate gives.
pub type Result<T, E = SqlError> = std::result::Result<T, E>;

/// A five-character SQLSTATE. See the PostgreSQL manual, appendix A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SqlState(pub &'static str);

/// Names for the states we raise.
#[allow(missing_docs)]
impl SqlState {
    pub const SUCCESSFUL_COMPLETION: SqlState = SqlState("00000");
    pub const WARNING: SqlState = SqlState("01000");
    pub const FEATURE_NOT_SUPPORTED: SqlState = SqlState("0A000");
    pub const PROTOCOL_VIOLATION: SqlState = SqlState("08P01");
    pub const CARDINALITY_VIOLATION: SqlState = SqlState("21000");
    pub const STRING_DATA_RIGHT_TRUNCATION: SqlState = SqlState("22001");
    pub const NUMERIC_VALUE_OUT_OF_RANGE: SqlState = SqlState("22003");
    pub const NULL_VALUE_NOT_ALLOWED: SqlState = SqlState("22004");
    pub const INVALID_DATETIME_FORMAT: SqlState = SqlState("22007");
    pub const DATETIME_FIELD_OVERFLOW: SqlState = SqlState("22008");
    pub const SUBSTRING_ERROR: SqlState = SqlState("22011");
    pub const DIVISION_BY_ZERO: SqlState = SqlState("22012");
    pub const INVALID_PARAMETER_VALUE: SqlState = SqlState("22023");
    pub const INVALID_ESCAPE_SEQUENCE: SqlState = SqlState("22025");
    pub const INVALID_TEXT_REPRESENTATION: SqlState = SqlState("22P02");
    pub const INVALID_BINARY_REPRESENTATION: SqlState = SqlState("22P03");
    pub const BAD_COPY_FILE_FORMAT: SqlState = SqlState("22P04");
    pub const SEQUENCE_LIMIT_EXCEEDED: SqlState = SqlState("2200H");
    pub const ARRAY_SUBSCRIPT_ERROR: SqlState = SqlState("2202E");
    pub const INVALID_REGULAR_EXPRESSION: SqlState = SqlState("2201B");
    pub const INVALID_ARGUMENT_FOR_LOGARITHM: SqlState = SqlState("2201E");
    pub const INVALID_ARGUMENT_FOR_POWER: SqlState = SqlState("2201F");
    pub const INVALID_ROW_COUNT_IN_LIMIT: SqlState = SqlState("2201W");
    pub const INVALID_ROW_COUNT_IN_OFFSET: SqlState = SqlState("2201X");
    pub const INTEGRITY_CONSTRAINT_VIOLATION: SqlState = SqlState("23000");
    pub const RESTRICT_VIOLATION: SqlState = SqlState("23001");
    pub const NOT_NULL_VIOLATION: SqlState = SqlState("23502");
    pub const FOREIGN_KEY_VIOLATION: SqlState = SqlState("23503");
    pub const UNIQUE_VIOLATION: SqlState = SqlState("23505");
    pub const CHECK_VIOLATION: SqlState = SqlState("23514");
    pub const EXCLUSION_VIOLATION: SqlState = SqlState("23P01");
    pub const INVALID_CURSOR_STATE: SqlState = SqlState("24000");
    pub const ACTIVE_SQL_TRANSACTION: SqlState = SqlState("25001");
    pub const READ_ONLY_SQL_TRANSACTION: SqlState = SqlState("25006");
    pub const NO_ACTIVE_SQL_TRANSACTION: SqlState = SqlState("25P01");
    pub const IN_FAILED_SQL_TRANSACTION: SqlState = SqlState("25P02");
    pub const INVALID_SQL_STATEMENT_NAME: SqlState = SqlState("26000");
    pub const INVALID_PASSWORD: SqlState = SqlState("28P01");
    pub const DEPENDENT_OBJECTS_STILL_EXIST: SqlState = SqlState("2BP01");
    pub const INVALID_CURSOR_NAME: SqlState = SqlState("34000");
    pub const INVALID_SAVEPOINT: SqlState = SqlState("3B001");
    pub const INVALID_CATALOG_NAME: SqlState = SqlState("3D000");
    pub const INVALID_SCHEMA_NAME: SqlState = SqlState("3F000");
    pub const SERIALIZATION_FAILURE: SqlState = SqlState("40001");
    pub const DEADLOCK_DETECTED: SqlState = SqlState("40P01");
    pub const SYNTAX_ERROR: SqlState = SqlState("42601");
    pub const INVALID_NAME: SqlState = SqlState("42602");
    pub const INVALID_COLUMN_DEFINITION: SqlState = SqlState("42611");
    pub const NAME_TOO_LONG: SqlState = SqlState("42622");
    pub const DUPLICATE_COLUMN: SqlState = SqlState("42701");
    pub const AMBIGUOUS_COLUMN: SqlState = SqlState("42702");
    pub const UNDEFINED_COLUMN: SqlState = SqlState("42703");
    pub const UNDEFINED_OBJECT: SqlState = SqlState("42704");
    pub const DUPLICATE_OBJECT: SqlState = SqlState("42710");
    pub const DUPLICATE_ALIAS: SqlState = SqlState("42712");
    pub const DUPLICATE_FUNCTION: SqlState = SqlState("42723");
    pub const AMBIGUOUS_FUNCTION: SqlState = SqlState("42725");
    pub const GROUPING_ERROR: SqlState = SqlState("42803");
    pub const DATATYPE_MISMATCH: SqlState = SqlState("42804");
    pub const WRONG_OBJECT_TYPE: SqlState = SqlState("42809");
    pub const INVALID_FOREIGN_KEY: SqlState = SqlState("42830");
    pub const CANNOT_COERCE: SqlState = SqlState("42846");
    pub const UNDEFINED_FUNCTION: SqlState = SqlState("42883");
    pub const GENERATED_ALWAYS: SqlState = SqlState("428C9");
    pub const RESERVED_NAME: SqlState = SqlState("42939");
    pub const UNDEFINED_TABLE: SqlState = SqlState("42P01");
    pub const UNDEFINED_PARAMETER: SqlState = SqlState("42P02");
    pub const DUPLICATE_CURSOR: SqlState = SqlState("42P03");
    pub const DUPLICATE_DATABASE: SqlState = SqlState("42P04");
    pub const DUPLICATE_PREPARED_STATEMENT: SqlState = SqlState("42P05");
    pub const DUPLICATE_SCHEMA: SqlState = SqlState("42P06");
    pub const DUPLICATE_TABLE: SqlState = SqlState("42P07");
    pub const AMBIGUOUS_PARAMETER: SqlState = SqlState("42P08");
    pub const INVALID_COLUMN_REFERENCE: SqlState = SqlState("42P10");
    pub const INVALID_TABLE_DEFINITION: SqlState = SqlState("42P16");
    pub const INDETERMINATE_DATATYPE: SqlState = SqlState("42P18");
    pub const INVALID_RECURSION: SqlState = SqlState("42P19");
    pub const WINDOWING_ERROR: SqlState = SqlState("42P20");
    pub const INSUFFICIENT_PRIVILEGE: SqlState = SqlState("42501");
    pub const WITH_CHECK_OPTION_VIOLATION: SqlState = SqlState("44000");
    pub const DISK_FULL: SqlState = SqlState("53100");
    pub const PROGRAM_LIMIT_EXCEEDED: SqlState = SqlState("54000");
    pub const STATEMENT_TOO_COMPLEX: SqlState = SqlState("54001");
    pub const TOO_MANY_ARGUMENTS: SqlState = SqlState("54023");
    pub const OBJECT_NOT_IN_PREREQUISITE_STATE: SqlState = SqlState("55000");
    pub const OBJECT_IN_USE: SqlState = SqlState("55006");
    pub const LOCK_NOT_AVAILABLE: SqlState = SqlState("55P03");
    pub const QUERY_CANCELED: SqlState = SqlState("57014");
    pub const ADMIN_SHUTDOWN: SqlState = SqlState("57P01");
    pub const INTERNAL_ERROR: SqlState = SqlState("XX000");
}

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

/// An error or a notice, with the fields of the protocol's ErrorResponse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlError {
    /// How bad it is.
    pub severity: Severity,
    /// The SQLSTATE.
    pub state: SqlState,
    /// What is wrong, as PostgreSQL words it.
    pub message: String,
    /// All else; boxed, since most results are good.
    pub more: Box<ErrorFields>,
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
    pub constraint: Option<String>,
}

impl SqlError {
    /// An error.
    pub fn new(state: SqlState, message: impl Into<String>) -> SqlError {
        SqlError { severity: Severity::Error, state, message: message.into(), more: Box::default() }
    }

    /// A feature that is missing here, by name.
    pub fn unsupported(feature: impl fmt::Display) -> SqlError {
        SqlError::new(SqlState::FEATURE_NOT_SUPPORTED, format!("{feature} is not supported")).hint(
            "docs/sql.md lists what is supported; a mock database answers the rest with this error",
        )
    }

    /// A syntax error.
    pub fn syntax(message: impl Into<String>) -> SqlError {
        SqlError::new(SqlState::SYNTAX_ERROR, message)
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
        write!(f, "{} (SQLSTATE {})", self.message, self.state.0)
    }
}

impl std::error::Error for SqlError {}
