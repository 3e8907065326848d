//! What a session gives back.

use std::fmt;

use crate::copy::{CopyIn, CopyOut};
use crate::error::Result;
use crate::types::{Datum, Oid, TypeEnv, TypeId};

/// A column of a result, as the protocol describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnDescription {
    /// The name that the client is told.
    pub name: String,
    /// The oid of the table that the column shows, or 0.
    pub table: Oid,
    /// The number of the column in that table, or 0.
    pub column: i16,
    /// The type of the values, as the client knows types.
    pub ty: TypeId,
    /// The modifier of the type, or -1.
    pub typmod: i32,
}

/// The state of a session's transaction, as the protocol's ReadyForQuery tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionStatus {
    /// No transaction is open.
    Idle,
    /// A transaction is open.
    Active,
    /// A transaction is open in which a statement failed; only ROLLBACK and its like are accepted.
    Failed,
}

/// What the execution of a statement gives.
#[derive(Debug)]
pub enum Outcome {
    /// The statement gives rows, and these are all or some of them.
    Rows {
        /// The next rows, with a value for each column.
        rows: Vec<Vec<Datum>>,
        /// What the statement has done, if these were the last rows; `None` if the portal has more.
        complete: Option<Done>,
    },
    /// The statement gives no rows, and has done this.
    Done(Done),
    /// The text was empty: there was no statement to execute.
    Empty,
    /// The statement is COPY FROM STDIN. Give what the client sends to
    /// [`copy_data`](super::Session::copy_data), and then call
    /// [`copy_done`](super::Session::copy_done).
    CopyIn(CopyIn),
    /// The statement is COPY TO STDOUT: the data for the client, and what has been done once it has
    /// them.
    CopyOut(CopyOut, Done),
}

/// What a statement has done. It prints as PostgreSQL's command tag: `SELECT 3`, `INSERT 0 1`,
/// `CREATE TABLE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The command, as the tag begins.
    pub verb: &'static str,
    /// How many rows it gave or changed, if the tag tells that.
    pub affected: Option<u64>,
}

impl Done {
    /// What a command has done whose tag has no number.
    pub(crate) fn verb(verb: &'static str) -> Done {
        Done { verb, affected: None }
    }

    /// What a command has done that gave or changed so many rows.
    pub(crate) fn rows(verb: &'static str, affected: u64) -> Done {
        Done { verb, affected: Some(affected) }
    }
}

impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.verb, self.affected) {
            (verb, None) => f.write_str(verb),
            // The number before it is the oid of the row, which none has had since PostgreSQL 12.
            ("INSERT", Some(count)) => write!(f, "INSERT 0 {count}"),
            (verb, Some(count)) => write!(f, "{verb} {count}"),
        }
    }
}

/// Takes the rows of a statement while it runs, so that they need not all be kept.
pub trait TakeRows {
    /// Takes the next row. If that fails, so does the statement.
    fn take(
        &mut self,
        columns: &[ColumnDescription],
        row: &[Datum],
        env: &TypeEnv<'_>,
    ) -> Result<()>;
}
