//! Words that are no names unless they are quoted.
//!
//! MariaDB's are those that its own parser refuses as the name of a table; MySQL's those that its manual calls
//! reserved. All other words of the language are names wherever the grammar has no use for them.

use super::version::Version;

/// Reserved by both.
const BOTH: &[&str] = &[
    "ACCESSIBLE", "ADD", "ALL", "ALTER", "ANALYZE", "AND", "AS", "ASC", "ASENSITIVE", "BEFORE", "BETWEEN",
    "BIGINT", "BINARY", "BLOB", "BOTH", "BY", "CALL", "CASCADE", "CASE", "CHANGE", "CHAR", "CHARACTER", "CHECK",
    "COLLATE", "COLUMN", "CONDITION", "CONSTRAINT", "CONTINUE", "CONVERT", "CREATE", "CROSS", "CURRENT_DATE",
    "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_USER", "CURSOR", "DATABASES", "DAY_HOUR", "DAY_MICROSECOND",
    "DAY_MINUTE", "DAY_SECOND", "DEC", "DECIMAL", "DECLARE", "DEFAULT", "DELAYED", "DELETE", "DESC", "DESCRIBE",
    "DETERMINISTIC", "DISTINCT", "DISTINCTROW", "DIV", "DOUBLE", "DROP", "DUAL", "EACH", "ELSE", "ELSEIF", "ENCLOSED",
    "ESCAPED", "EXCEPT", "EXISTS", "EXIT", "EXPLAIN", "FALSE", "FETCH", "FLOAT", "FLOAT4", "FLOAT8", "FOR",
    "FORCE", "FOREIGN", "FROM", "FULLTEXT", "GRANT", "GROUP", "HAVING", "HIGH_PRIORITY", "HOUR_MICROSECOND",
    "HOUR_MINUTE", "HOUR_SECOND", "IF", "IGNORE", "IN", "INDEX", "INFILE", "INNER", "INOUT", "INSENSITIVE",
    "INSERT", "INT", "INT1", "INT2", "INT3", "INT4", "INT8", "INTEGER", "INTERSECT", "INTERVAL", "INTO", "IS",
    "ITERATE", "JOIN", "KEY", "KEYS", "KILL", "LEADING", "LEAVE", "LEFT", "LIKE", "LIMIT", "LINEAR", "LINES",
    "LOAD", "LOCALTIME", "LOCALTIMESTAMP", "LOCK", "LONG", "LONGBLOB", "LONGTEXT", "LOOP", "LOW_PRIORITY",
    "MATCH", "MAXVALUE", "MEDIUMBLOB", "MEDIUMINT", "MEDIUMTEXT", "MIDDLEINT", "MINUTE_MICROSECOND",
    "MINUTE_SECOND", "MOD", "MODIFIES", "NATURAL", "NOT", "NO_WRITE_TO_BINLOG", "NULL", "NUMERIC", "ON",
    "OPTIMIZE", "OPTIONALLY", "OR", "ORDER", "OUT", "OUTER", "OUTFILE", "OVER", "PARTITION", "PRECISION",
    "PRIMARY", "PROCEDURE", "PURGE", "RANGE", "READ", "READS", "READ_WRITE", "REAL", "RECURSIVE", "REFERENCES",
    "REGEXP", "RELEASE", "RENAME", "REPEAT", "REPLACE", "REQUIRE", "RESIGNAL", "RESTRICT", "RETURN", "REVOKE",
    "RIGHT", "RLIKE", "ROWS", "ROW_NUMBER", "SCHEMAS", "SECOND_MICROSECOND", "SELECT", "SENSITIVE", "SEPARATOR",
    "SET", "SHOW", "SIGNAL", "SMALLINT", "SPATIAL", "SPECIFIC", "SQL", "SQLEXCEPTION", "SQLSTATE", "SQLWARNING",
    "SQL_BIG_RESULT", "SQL_CALC_FOUND_ROWS", "SQL_SMALL_RESULT", "SSL", "STARTING", "STRAIGHT_JOIN", "TABLE",
    "TERMINATED", "THEN", "TINYBLOB", "TINYINT", "TINYTEXT", "TO", "TRAILING", "TRIGGER", "TRUE", "UNDO",
    "UNION", "UNIQUE", "UNLOCK", "UNSIGNED", "UPDATE", "USAGE", "USE", "USING", "UTC_DATE", "UTC_TIME",
    "UTC_TIMESTAMP", "VALUES", "VARBINARY", "VARCHAR", "VARCHARACTER", "VARYING", "WHEN", "WHERE", "WHILE",
    "WITH", "WRITE", "XOR", "YEAR_MONTH", "ZEROFILL",
];

/// Reserved by MariaDB.
const MARIADB: &[&str] = &[
    "CURRENT_ROLE", "DELETE_DOMAIN_ID", "DO_DOMAIN_IDS", "IGNORE_DOMAIN_IDS", "MASTER_DEMOTE_TO_REPLICA",
    "MASTER_DEMOTE_TO_SLAVE", "MASTER_SSL_VERIFY_SERVER_CERT", "OFFSET", "PAGE_CHECKSUM", "PARSE_VCOL_EXPR",
    "PORTION", "REF_SYSTEM_ID", "RETURNING", "STATS_AUTO_RECALC", "STATS_PERSISTENT", "STATS_SAMPLE_PAGES",
];

/// Reserved by MySQL.
const MYSQL: &[&str] = &[
    "CUBE", "CUME_DIST", "DATABASE", "DENSE_RANK", "EMPTY", "FIRST_VALUE", "FUNCTION", "GENERATED",
    "GET", "GROUPING", "GROUPS", "IO_AFTER_GTIDS", "IO_BEFORE_GTIDS", "JSON_TABLE", "LAG", "LAST_VALUE",
    "LATERAL", "LEAD", "MANUAL", "NTH_VALUE", "NTILE", "OF", "OPTIMIZER_COSTS", "OPTION", "PARALLEL",
    "PERCENT_RANK", "QUALIFY", "RANK", "ROW", "SCHEMA", "STORED", "SYSTEM", "TABLESAMPLE", "VIRTUAL", "WINDOW",
];

/// Words that are names, but not of functions.
const UNCALLED: &[&str] = &[
    "ANY", "BACKUP", "BEGIN", "BINLOG", "BIT", "BOOL", "BOOLEAN", "BYTE", "CACHE", "CHECKPOINT", "CHECKSUM",
    "CLOB", "CLOSE", "CODE", "COLUMN_ADD", "COLUMN_GET", "COMMENT", "COMMIT", "COMPRESSED", "DATETIME",
    "DEALLOCATE", "DO", "END", "ENUM", "EXAMINED", "EXCLUDE", "EXECUTE", "FIXED", "FLUSH", "FOLLOWING",
    "FOLLOWS", "FUNCTION", "GET", "GET_FORMAT", "GLOBAL", "HANDLER", "HELP", "HOST", "ID", "IGNORED", "INSTALL",
    "JSON", "LANGUAGE", "LASTVAL", "LOCAL", "MEDIUM", "NAMES", "NATIONAL", "NCHAR", "NEXTVAL", "NO", "NUMBER",
    "NVARCHAR", "OPEN", "OPTION", "OPTIONS", "OTHERS", "OWNER", "PARSER", "PERIOD", "PORT", "PRECEDES",
    "PRECEDING", "PREPARE", "RAW", "REMOVE", "REPAIR", "REPLICA", "REPLICAS", "RESET", "RESTORE", "ROLE",
    "ROLLBACK", "SAVEPOINT", "SECURITY", "SERIAL", "SERVER", "SESSION", "SETVAL", "SHUTDOWN", "SIGNED", "SLAVE",
    "SLAVES", "SOCKET", "SOME", "SONAME", "SOUNDS", "START", "STOP", "STORED", "TEXT", "TIES", "TIMESTAMPADD",
    "TIMESTAMPDIFF", "UNBOUNDED", "UNICODE", "UNINSTALL", "UPGRADE", "VALUE", "VARCHAR2", "WINDOW", "WRAPPER",
    "XA",
];

fn has(table: &[&str], word: &str) -> bool {
    table.binary_search(&word).is_ok()
}

/// Whether a word is a name only in quotes.
pub(super) fn is_reserved(word: &str, version: Version) -> bool {
    let word = word.to_ascii_uppercase();
    let own = if version.is_mariadb() { MARIADB } else { MYSQL };
    has(BOTH, &word) || has(own, &word)
}

/// Whether no function is called by a word, though it may name other things.
pub(super) fn is_uncalled(word: &str) -> bool {
    has(UNCALLED, &word.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_in_order() {
        for table in [BOTH, MARIADB, MYSQL, UNCALLED] {
            assert!(table.is_sorted());
        }
    }

    #[test]
    fn a_word_is_in_one_table() {
        for word in BOTH {
            assert!(!has(MARIADB, word) && !has(MYSQL, word) && !has(UNCALLED, word), "{word}");
        }
    }
}
