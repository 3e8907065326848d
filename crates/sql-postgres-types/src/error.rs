//! PostgreSQL's codes of errors.

pub use hobgoblin_sql_schema::{
    Binding, Cause, Code, ErrorFields, Pairs, Problem, Result, Severity, SqlError,
};

/// PostgreSQL's codes of errors by name; see its manual, appendix A.
#[derive(Debug)]
pub enum SqlState {}

#[allow(missing_docs)]
impl SqlState {
    pub const SUCCESSFUL_COMPLETION: Code = Code("00000");
    pub const WARNING: Code = Code("01000");
    pub const FEATURE_NOT_SUPPORTED: Code = Code("0A000");
    pub const PROTOCOL_VIOLATION: Code = Code("08P01");
    pub const CARDINALITY_VIOLATION: Code = Code("21000");
    pub const STRING_DATA_RIGHT_TRUNCATION: Code = Code("22001");
    pub const NUMERIC_VALUE_OUT_OF_RANGE: Code = Code("22003");
    pub const NULL_VALUE_NOT_ALLOWED: Code = Code("22004");
    pub const INVALID_DATETIME_FORMAT: Code = Code("22007");
    pub const DATETIME_FIELD_OVERFLOW: Code = Code("22008");
    pub const SUBSTRING_ERROR: Code = Code("22011");
    pub const DIVISION_BY_ZERO: Code = Code("22012");
    pub const INVALID_PARAMETER_VALUE: Code = Code("22023");
    pub const INVALID_ESCAPE_SEQUENCE: Code = Code("22025");
    pub const INVALID_TEXT_REPRESENTATION: Code = Code("22P02");
    pub const INVALID_BINARY_REPRESENTATION: Code = Code("22P03");
    pub const BAD_COPY_FILE_FORMAT: Code = Code("22P04");
    pub const SEQUENCE_LIMIT_EXCEEDED: Code = Code("2200H");
    pub const ARRAY_SUBSCRIPT_ERROR: Code = Code("2202E");
    pub const INVALID_REGULAR_EXPRESSION: Code = Code("2201B");
    pub const INVALID_ARGUMENT_FOR_LOGARITHM: Code = Code("2201E");
    pub const INVALID_ARGUMENT_FOR_POWER: Code = Code("2201F");
    pub const INVALID_ROW_COUNT_IN_LIMIT: Code = Code("2201W");
    pub const INVALID_ROW_COUNT_IN_OFFSET: Code = Code("2201X");
    pub const INTEGRITY_CONSTRAINT_VIOLATION: Code = Code("23000");
    pub const RESTRICT_VIOLATION: Code = Code("23001");
    pub const NOT_NULL_VIOLATION: Code = Code("23502");
    pub const FOREIGN_KEY_VIOLATION: Code = Code("23503");
    pub const UNIQUE_VIOLATION: Code = Code("23505");
    pub const CHECK_VIOLATION: Code = Code("23514");
    pub const EXCLUSION_VIOLATION: Code = Code("23P01");
    pub const INVALID_CURSOR_STATE: Code = Code("24000");
    pub const ACTIVE_SQL_TRANSACTION: Code = Code("25001");
    pub const READ_ONLY_SQL_TRANSACTION: Code = Code("25006");
    pub const NO_ACTIVE_SQL_TRANSACTION: Code = Code("25P01");
    pub const IN_FAILED_SQL_TRANSACTION: Code = Code("25P02");
    pub const INVALID_SQL_STATEMENT_NAME: Code = Code("26000");
    pub const INVALID_PASSWORD: Code = Code("28P01");
    pub const DEPENDENT_OBJECTS_STILL_EXIST: Code = Code("2BP01");
    pub const INVALID_CURSOR_NAME: Code = Code("34000");
    pub const INVALID_SAVEPOINT: Code = Code("3B001");
    pub const INVALID_CATALOG_NAME: Code = Code("3D000");
    pub const INVALID_SCHEMA_NAME: Code = Code("3F000");
    pub const SERIALIZATION_FAILURE: Code = Code("40001");
    pub const DEADLOCK_DETECTED: Code = Code("40P01");
    pub const SYNTAX_ERROR: Code = Code("42601");
    pub const INVALID_NAME: Code = Code("42602");
    pub const INVALID_COLUMN_DEFINITION: Code = Code("42611");
    pub const NAME_TOO_LONG: Code = Code("42622");
    pub const DUPLICATE_COLUMN: Code = Code("42701");
    pub const AMBIGUOUS_COLUMN: Code = Code("42702");
    pub const UNDEFINED_COLUMN: Code = Code("42703");
    pub const UNDEFINED_OBJECT: Code = Code("42704");
    pub const DUPLICATE_OBJECT: Code = Code("42710");
    pub const DUPLICATE_ALIAS: Code = Code("42712");
    pub const DUPLICATE_FUNCTION: Code = Code("42723");
    pub const AMBIGUOUS_FUNCTION: Code = Code("42725");
    pub const GROUPING_ERROR: Code = Code("42803");
    pub const DATATYPE_MISMATCH: Code = Code("42804");
    pub const WRONG_OBJECT_TYPE: Code = Code("42809");
    pub const INVALID_FOREIGN_KEY: Code = Code("42830");
    pub const CANNOT_COERCE: Code = Code("42846");
    pub const UNDEFINED_FUNCTION: Code = Code("42883");
    pub const GENERATED_ALWAYS: Code = Code("428C9");
    pub const RESERVED_NAME: Code = Code("42939");
    pub const UNDEFINED_TABLE: Code = Code("42P01");
    pub const UNDEFINED_PARAMETER: Code = Code("42P02");
    pub const DUPLICATE_CURSOR: Code = Code("42P03");
    pub const DUPLICATE_DATABASE: Code = Code("42P04");
    pub const DUPLICATE_PREPARED_STATEMENT: Code = Code("42P05");
    pub const DUPLICATE_SCHEMA: Code = Code("42P06");
    pub const DUPLICATE_TABLE: Code = Code("42P07");
    pub const AMBIGUOUS_PARAMETER: Code = Code("42P08");
    pub const INVALID_COLUMN_REFERENCE: Code = Code("42P10");
    pub const INVALID_TABLE_DEFINITION: Code = Code("42P16");
    pub const INDETERMINATE_DATATYPE: Code = Code("42P18");
    pub const INVALID_RECURSION: Code = Code("42P19");
    pub const WINDOWING_ERROR: Code = Code("42P20");
    pub const INSUFFICIENT_PRIVILEGE: Code = Code("42501");
    pub const WITH_CHECK_OPTION_VIOLATION: Code = Code("44000");
    pub const DISK_FULL: Code = Code("53100");
    pub const PROGRAM_LIMIT_EXCEEDED: Code = Code("54000");
    pub const STATEMENT_TOO_COMPLEX: Code = Code("54001");
    pub const TOO_MANY_ARGUMENTS: Code = Code("54023");
    pub const OBJECT_NOT_IN_PREREQUISITE_STATE: Code = Code("55000");
    pub const OBJECT_IN_USE: Code = Code("55006");
    pub const LOCK_NOT_AVAILABLE: Code = Code("55P03");
    pub const QUERY_CANCELED: Code = Code("57014");
    pub const ADMIN_SHUTDOWN: Code = Code("57P01");
    pub const INTERNAL_ERROR: Code = Code("XX000");
}
