//! The state of a session, as replies tell it.

use super::flags::flags;

flags! {
    /// The state of a session after a statement.
    Status(u16) {
        /// A transaction is open.
        IN_TRANSACTION = 0;
        /// Statements outside of transactions commit by themselves.
        AUTOCOMMIT = 1;
        /// Another result of the same command follows.
        MORE_RESULTS = 3;
        /// The statement found no good index.
        NO_GOOD_INDEX = 4;
        /// The statement used no index.
        NO_INDEX = 5;
        /// The statement left a cursor, whose rows COM_STMT_FETCH gives.
        CURSOR_EXISTS = 6;
        /// The cursor has given its last row.
        LAST_ROW_SENT = 7;
        /// A database was dropped.
        DATABASE_DROPPED = 8;
        /// Backslashes in strings are ordinary characters.
        NO_BACKSLASH_ESCAPES = 9;
        /// A prepared statement has other columns than when it was prepared.
        METADATA_CHANGED = 10;
        /// The statement took long.
        WAS_SLOW = 11;
        /// The row holds the OUT parameters of a procedure.
        OUT_PARAMETERS = 12;
        /// The open transaction is read-only.
        IN_READ_ONLY_TRANSACTION = 13;
        /// The packet tells what of the session changed.
        SESSION_CHANGED = 14;
        /// MariaDB only: double quotes are around names.
        ANSI_QUOTES = 15;
    }
}
