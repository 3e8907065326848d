//! What a session gives back.

use std::fmt;

use crate::copy::{CopyIn, CopyOut};
use crate::error::Result;
use crate::types::{Datum, Oid, TypeEnv, TypeId};

/// A column of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnDescription {
    /// Its name.
    pub name: String,
    /// The table it comes from, or 0.
    pub table: Oid,
    /// Its number there, or 0.
    pub column: i16,
    /// Its type.
    pub ty: TypeId,
    /// The type's modifier, or -1.
    pub typmod: i32,
}

/// The state of the transaction, as ReadyForQuery tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionStatus {
    /// None is open.
    Idle,
    /// One is open.
    Active,
    /// One failed and waits for its end.
    Failed,
}

/// What executing gives.
#[derive(Debug)]
pub enum Outcome {
    /// Rows.
    Rows {
        /// The rows.
        rows: Vec<Vec<Datum>>,
        /// What was done, when there are no more; else the portal is suspended.
        complete: Option<Done>,
    },
    /// It is done.
    Done(Done),
    /// There was no statement.
    Empty,
    /// The client is to send data; give it to [`copy_data`](super::Session::copy_data), then
    /// [`copy_done`](super::Session::copy_done).
    CopyIn(CopyIn),
    /// Data for the client, and what was done when it has it.
    CopyOut(CopyOut, Done),
}

/// What a statement has done. Printed it is PostgreSQL's command tag: `SELECT 3`, `INSERT 0 1`, `CREATE TABLE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The command, as the client is told it.
    pub verb: &'static str,
    /// How many rows it gave or changed, where that is told.
    pub affected: Option<u64>,
}

impl Done {
    /// A command that tells no number.
    pub(crate) fn verb(verb: &'static str) -> Done {
        Done { verb, affected: None }
    }

    /// A command that tells how many rows it gave or changed.
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

/// What takes the rows of a statement that has many of them, while it runs.
pub trait TakeRows {
    /// Takes a row; if that fails, so does the statement.
    fn take(
        &mut self,
        columns: &[ColumnDescription],
        row: &[Datum],
        env: &TypeEnv<'_>,
    ) -> Result<()>;
}
