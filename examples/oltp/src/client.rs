//! Somebody who runs SQL for an application.

use crate::dialect::Dialect;
use crate::error::Error;
use crate::value::{Row, Value};

/// What a statement gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// The rows, if it gives rows.
    pub rows: Vec<Row>,
    /// How many rows it gave or changed.
    pub affected: u64,
}

impl Rows {
    /// The first row, which an application counts on.
    pub fn first(self, missing: &'static str) -> Result<Row, Error> {
        self.rows.into_iter().next().ok_or(Error::RolledBack(missing))
    }

    /// The number of rows that a command tag, such as `UPDATE 3`, tells.
    pub(crate) fn told(tag: &str) -> u64 {
        tag.rsplit(' ').next().and_then(|count| count.parse().ok()).unwrap_or(0)
    }
}

/// A session of a database.
pub trait Client {
    /// What it speaks.
    fn dialect(&self) -> Dialect;

    /// Runs one statement with parameters `$1`, `$2`, ….
    fn query(&mut self, sql: &str, params: &[Value]) -> Result<Rows, Error>;

    /// Runs statements without parameters, separated by semicolons.
    fn batch(&mut self, sql: &str) -> Result<(), Error>;

    /// Opens a transaction at the session's level.
    fn begin(&mut self) -> Result<(), Error> {
        self.query("BEGIN", &[]).map(drop)
    }

    /// Opens a serializable transaction.
    fn begin_serializable(&mut self) -> Result<(), Error> {
        let statements = self.dialect().begin_serializable();
        statements.iter().try_for_each(|sql| self.query(sql, &[]).map(drop))
    }

    /// Commits the open transaction.
    fn commit(&mut self) -> Result<(), Error> {
        self.query("COMMIT", &[]).map(drop)
    }

    /// Rolls the open transaction back.
    fn rollback(&mut self) -> Result<(), Error> {
        self.query("ROLLBACK", &[]).map(drop)
    }
}
