//! Errors and warnings by number.
//!
//! Programs tell MySQL's errors apart by a number; each has an SQLSTATE beside it, which is mostly the general one.

use hobgoblin_sql_schema::{Code, SqlError};

/// The number of an error.
pub type Number = u16;

macro_rules! numbers {
    ($($name:ident = $number:literal $state:literal)*) => {
        $(#[allow(missing_docs)] pub const $name: Number = $number;)*
        /// The SQLSTATE of an error; `HY000` where it has none of its own.
        pub fn state_of(number: Number) -> Code {
            match number {
                $($number => Code($state),)*
                _ => Code("HY000"),
            }
        }
    };
}

numbers! {
    NO_SUCH_THREAD = 1094 "HY000"
    OUT_OF_RESOURCES = 1041 "HY000"
    NO_DATABASE_SELECTED = 1046 "3D000"
    UNKNOWN_COMMAND = 1047 "08S01"
    COLUMN_CANNOT_BE_NULL = 1048 "23000"
    UNKNOWN_DATABASE = 1049 "42000"
    TABLE_EXISTS = 1050 "42S01"
    UNKNOWN_TABLE = 1051 "42S02"
    AMBIGUOUS_COLUMN = 1052 "23000"
    UNKNOWN_COLUMN = 1054 "42S22"
    WRONG_GROUP_FIELD = 1055 "42000"
    WRONG_FIELD_COUNT_WITH_GROUP = 1140 "42000"
    DUPLICATE_COLUMN = 1060 "42S21"
    DUPLICATE_KEY_NAME = 1061 "42000"
    DUPLICATE_ENTRY = 1062 "23000"
    SYNTAX = 1064 "42000"
    EMPTY_QUERY = 1065 "42000"
    NOT_UNIQUE_TABLE = 1066 "42000"
    INVALID_DEFAULT = 1067 "42000"
    TOO_LONG_COLUMN = 1074 "42000"
    NO_SUCH_KEY = 1091 "42000"
    FIELD_TWICE = 1110 "42000"
    INVALID_GROUP_FUNCTION = 1111 "HY000"
    UNKNOWN_CHARSET = 1115 "42000"
    WRONG_COLUMN_COUNT = 1136 "21S01"
    NO_SUCH_TABLE = 1146 "42S02"
    LOCK_WAIT_TIMEOUT = 1205 "HY000"
    DEADLOCK = 1213 "40001"
    WRONG_ARGUMENTS = 1210 "HY000"
    CANNOT_UPDATE_TABLE = 1093 "HY000"
    UNSUPPORTED = 1235 "42000"
    OPERAND_COLUMNS = 1241 "21000"
    SUBQUERY_NO_1_ROW = 1242 "21000"
    OUT_OF_RANGE = 1264 "22003"
    TRUNCATED = 1265 "01000"
    ILLEGAL_COLLATIONS = 1267 "HY000"
    ILLEGAL_COLLATIONS_3 = 1270 "HY000"
    ILLEGAL_COLLATIONS_N = 1271 "HY000"
    UNKNOWN_COLLATION = 1273 "HY000"
    NON_UPDATABLE = 1288 "HY000"
    TRUNCATED_WRONG_VALUE = 1292 "22007"
    CUT_BY_GROUP_CONCAT = 1260 "HY000"
    COLLATION_CHARSET_MISMATCH = 1253 "42000"
    UNKNOWN_TIME_ZONE = 1298 "HY000"
    ALLOWED_PACKET = 1301 "HY000"
    NO_DEFAULT = 1364 "HY000"
    DIVISION_BY_ZERO = 1365 "22012"
    INCORRECT_VALUE = 1366 "22007"
    VIEW_CHECK_FAILED = 1369 "44000"
    TOO_LONG_DATA = 1406 "22001"
    DATETIME_OVERFLOW = 1441 "22008"
    UNKNOWN_FUNCTION = 1305 "42000"
    WRONG_PARAMETER_COUNT = 1582 "42000"
    WRONG_PARAMETERS_TO_FUNCTION = 1583 "42000"
    TOO_BIG_SCALE = 1425 "42000"
    TOO_BIG_PRECISION = 1426 "42000"
    SCALE_ABOVE_PRECISION = 1427 "42000"
    TOO_BIG_DISPLAY_WIDTH = 1439 "42000"
    ROW_IS_REFERENCED = 1451 "23000"
    NO_REFERENCED_ROW = 1452 "23000"
    VALUE_OUT_OF_RANGE = 1690 "22003"
    UNKNOWN_ERROR = 1105 "HY000"
    REGEX = 1139 "42000"
    NO_WINDOW = 4015 "HY000"
    WINDOW_MISPLACED = 4016 "HY000"
    CHECK_FAILED_MARIADB = 4025 "23000"
    CHECK_FAILED_MYSQL = 3819 "HY000"
    BAD_FRAME = 4014 "HY000"
    SEQUENCE_EXHAUSTED = 4084 "HY000"
    INVALID_JSON = 4038 "HY000"
    INVALID_JSON_PATH = 4042 "HY000"
    COMPUTED_COLUMN = 1906 "HY000"
    CURSOR_LOCK_NOWAIT_MYSQL = 3572 "HY000"
    CONCURRENT_CHANGE = 1020 "HY000"
    DEPRECATED = 1287 "HY000"
    RECURSIVE_ITERATIONS = 1969 "70100"
    RECURSIVE_WITHOUT_ANCHOR = 4004 "HY000"
    UNKNOWN_TYPE = 4161 "HY000"
    LOGARITHM_ARGUMENT = 3020 "2201E"
    UNKNOWN_DATA_TYPE = 1178 "42000"
    KILLED = 1317 "70100"
}

/// An error.
pub fn error(number: Number, message: impl Into<String>) -> SqlError {
    let mut error = SqlError::new(state_of(number), message);
    error.more.number = Some(number);
    error
}

/// A number that its type has no room for; `what` is the type, and `of` what was to be computed.
pub fn out_of_range(what: &str, of: &str) -> SqlError {
    error(VALUE_OUT_OF_RANGE, format!("{what} value is out of range in '{of}'"))
}
