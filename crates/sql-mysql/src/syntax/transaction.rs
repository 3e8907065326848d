//! Statements that begin, mark and end transactions.

use sqlparser::ast::Ident;

/// Whether a transaction may change rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Access {
    ReadOnly,
    ReadWrite,
}

/// What follows the end of a transaction; nothing where the session's settings say it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// AND CHAIN: another of the same kind begins.
    pub chain: Option<bool>,
    /// RELEASE: the connection ends.
    pub release: Option<bool>,
}

/// A statement about transactions.
#[derive(Clone, Debug, PartialEq)]
pub enum TransactionStatement {
    /// BEGIN and START TRANSACTION.
    Begin {
        /// WITH CONSISTENT SNAPSHOT: it is taken now.
        snapshot: bool,
        /// READ ONLY and READ WRITE.
        access: Option<Access>,
    },
    /// COMMIT.
    Commit(Chain),
    /// ROLLBACK.
    Rollback(Chain),
    /// SAVEPOINT.
    Savepoint(Ident),
    /// ROLLBACK TO SAVEPOINT.
    RollbackTo(Ident),
    /// RELEASE SAVEPOINT.
    Release(Ident),
}
