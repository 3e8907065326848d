//! What both ends of a connection can do.
//!
//! The server's greeting offers capabilities, the client's login names those it wants, and only what is in both is
//! agreed. How later packets look depends on it: [`Capabilities::DEPRECATE_EOF`], for example, does away with the
//! EOF packet between columns and rows.

use super::flags::flags;

flags! {
    /// Capabilities of one end, or those agreed. The upper half is MariaDB's own, its "extended" capabilities.
    Capabilities(u64) {
        /// The server is not MariaDB, which leaves this bit out to say that it has extended capabilities.
        MYSQL = 0;
        /// An UPDATE counts the rows it found, not those it changed.
        FOUND_ROWS = 1;
        /// Column flags have two bytes.
        LONG_FLAG = 2;
        /// The login names a database.
        CONNECT_WITH_DB = 3;
        /// `database.table.column` is not allowed.
        NO_SCHEMA = 4;
        /// The connection is compressed with zlib. Never offered.
        COMPRESS = 5;
        /// The client is an ODBC driver, which changes nothing.
        ODBC = 6;
        /// The client sends files for LOAD DATA LOCAL. Never offered.
        LOCAL_FILES = 7;
        /// Spaces may stand between the name of a function and its parenthesis.
        IGNORE_SPACE = 8;
        /// The protocol of MySQL 4.1 and later, the only one that is spoken here.
        PROTOCOL_41 = 9;
        /// The session times out as one at a terminal.
        INTERACTIVE = 10;
        /// The connection goes on under TLS.
        SSL = 11;
        /// The client ignores SIGPIPE, which changes nothing.
        IGNORE_SIGPIPE = 12;
        /// Statuses tell of transactions.
        TRANSACTIONS = 13;
        /// Once the flag of the protocol of 4.1.
        RESERVED = 14;
        /// The answer to the scramble has a length before it.
        SECURE_CONNECTION = 15;
        /// A COM_QUERY may have several statements.
        MULTI_STATEMENTS = 16;
        /// A COM_QUERY may have several results.
        MULTI_RESULTS = 17;
        /// A COM_STMT_EXECUTE may have several results.
        PS_MULTI_RESULTS = 18;
        /// Logins name a method of authentication.
        PLUGIN_AUTH = 19;
        /// The login tells about the client.
        CONNECT_ATTRS = 20;
        /// The answer to the scramble may be longer than 255 bytes.
        PLUGIN_AUTH_LENENC_DATA = 21;
        /// The client can set a new password where the old one has expired.
        CAN_HANDLE_EXPIRED_PASSWORDS = 22;
        /// OK packets tell what of the session changed.
        SESSION_TRACK = 23;
        /// Rows end with an OK packet, and nothing stands between columns and rows.
        DEPRECATE_EOF = 24;
        /// Results may come without their columns. Never offered.
        OPTIONAL_RESULTSET_METADATA = 25;
        /// The connection is compressed with zstd. Never offered.
        ZSTD_COMPRESSION = 26;
        /// Statements have attributes besides their parameters. Never offered.
        QUERY_ATTRIBUTES = 27;
        /// Logins may need several proofs. Never offered.
        MULTI_FACTOR_AUTHENTICATION = 28;
        /// The client verifies the server's certificate, which changes nothing.
        SSL_VERIFY_SERVER_CERT = 30;
        /// The client keeps its options when it connects again, which changes nothing.
        REMEMBER_OPTIONS = 31;
        /// MariaDB's reports of progress. Never offered.
        MARIADB_PROGRESS = 32;
        /// MariaDB's command that runs a statement for many parameters. Never offered.
        MARIADB_BULK_OPERATIONS = 34;
        /// Columns have MariaDB's extended metadata: the names of its types that share a number with another.
        MARIADB_EXTENDED_METADATA = 35;
        /// Columns are left out where they have not changed. Never offered.
        MARIADB_CACHE_METADATA = 36;
    }
}

/// What every version offers.
const COMMON: Capabilities = Capabilities::FOUND_ROWS
    .with(Capabilities::LONG_FLAG)
    .with(Capabilities::CONNECT_WITH_DB)
    .with(Capabilities::NO_SCHEMA)
    .with(Capabilities::ODBC)
    .with(Capabilities::IGNORE_SPACE)
    .with(Capabilities::PROTOCOL_41)
    .with(Capabilities::INTERACTIVE)
    .with(Capabilities::IGNORE_SIGPIPE)
    .with(Capabilities::TRANSACTIONS)
    .with(Capabilities::RESERVED)
    .with(Capabilities::SECURE_CONNECTION)
    .with(Capabilities::MULTI_STATEMENTS)
    .with(Capabilities::MULTI_RESULTS)
    .with(Capabilities::PS_MULTI_RESULTS)
    .with(Capabilities::PLUGIN_AUTH)
    .with(Capabilities::CONNECT_ATTRS)
    .with(Capabilities::PLUGIN_AUTH_LENENC_DATA)
    .with(Capabilities::CAN_HANDLE_EXPIRED_PASSWORDS)
    .with(Capabilities::SESSION_TRACK)
    .with(Capabilities::DEPRECATE_EOF)
    .with(Capabilities::REMEMBER_OPTIONS);

impl Capabilities {
    /// What a server that is MySQL offers.
    pub const OF_MYSQL: Capabilities = COMMON.with(Capabilities::MYSQL);

    /// What a server that is MariaDB offers.
    pub const OF_MARIADB: Capabilities = COMMON.with(Capabilities::MARIADB_EXTENDED_METADATA);
}
