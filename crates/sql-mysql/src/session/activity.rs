//! What a session does, as SHOW PROCESSLIST and INNODB_TRX show it.

use std::time::Instant;

use sqlparser::ast::{self, SetExpr};

use crate::parse::Statement;
use crate::syntax::Isolation;

/// A session as others see it.
pub(crate) type Backend = hobgoblin_sql_session::Backend<Activity>;

/// The sessions of a server by their connection numbers.
pub(crate) type Backends = hobgoblin_sql_session::Backends<Activity>;

/// What a session does.
#[derive(Clone, Debug)]
pub(crate) struct Activity {
    /// Who it is.
    pub(crate) user: String,
    /// Where its client is.
    pub(crate) host: String,
    /// The database in use.
    pub(crate) database: Option<String>,
    /// The statement that runs; nothing while it waits for its client.
    pub(crate) statement: Option<String>,
    /// What that is at.
    pub(crate) stage: Stage,
    /// Since when.
    pub(crate) since: Instant,
    /// The transaction that is open and has come to a table.
    pub(crate) transaction: Option<AtWork>,
    /// Whether somebody has ended the session.
    pub(crate) killed: bool,
}

impl Activity {
    /// Of a session that has just come.
    pub(crate) fn new(user: String, host: String) -> Activity {
        Activity {
            user,
            host,
            database: None,
            statement: None,
            stage: Stage::Other,
            since: Instant::now(),
            transaction: None,
            killed: false,
        }
    }
}

/// What a statement is at, as far as servers tell it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// A query, or a change of what a query finds.
    Reading,
    /// An INSERT of values.
    Inserting,
    /// An UPDATE or a DELETE.
    Changing,
    /// Making rows of `information_schema`.
    Listing,
    /// Waiting in SLEEP.
    Sleeping,
    /// In GET_LOCK.
    TakingName,
    /// Anything else.
    Other,
}

impl Stage {
    /// Where a statement begins.
    pub(crate) fn of(statement: &Statement) -> Stage {
        match statement.ast.as_deref() {
            Some(ast::Statement::Query(_)) => Stage::Reading,
            Some(ast::Statement::Insert(insert)) => {
                let source = insert.source.as_deref().map(|query| &*query.body);
                match source {
                    Some(SetExpr::Values(_)) | None => Stage::Inserting,
                    Some(_) => Stage::Reading,
                }
            }
            Some(ast::Statement::Update(_) | ast::Statement::Delete(_)) => Stage::Changing,
            Some(_) | None => Stage::Other,
        }
    }

    /// The same while rows of `information_schema` are made; SHOW tells nothing of that.
    pub(crate) fn listing(self) -> Stage {
        match self {
            Stage::Reading => Stage::Listing,
            other => other,
        }
    }

    /// The words of MariaDB.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Stage::Reading => "Sending data",
            Stage::Inserting => "Update",
            Stage::Changing => "Updating",
            Stage::Listing => "Filling schema table",
            Stage::Sleeping => "User sleep",
            Stage::TakingName => "User lock",
            Stage::Other => "starting",
        }
    }
}

/// A transaction that has come to a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtWork {
    /// Since when.
    pub(crate) since: Instant,
    /// Its level.
    pub(crate) isolation: Isolation,
    /// Whether it may only read.
    pub(crate) read_only: bool,
    /// Whether it is a single plain read.
    pub(crate) lone_read: bool,
    /// `foreign_key_checks`.
    pub(crate) checks_references: bool,
}
