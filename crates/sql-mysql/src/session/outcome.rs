//! What a session gives back.

use hobgoblin_sql_mysql_types::TypeId;
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_value::Datum;

/// A column of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnDescription {
    /// The database of its table, or nothing.
    pub schema: String,
    /// Its table as the statement calls it, or nothing.
    pub table: String,
    /// The name of that table.
    pub original_table: String,
    /// Its name.
    pub name: String,
    /// Its name in its table, or nothing.
    pub original_name: String,
    /// Its type.
    pub ty: TypeId,
    /// What else is known of it.
    pub flags: ColumnFacts,
}

/// What is known of a column beside its type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnFacts {
    /// It is never NULL.
    pub not_null: bool,
    /// It is in the primary key.
    pub primary_key: bool,
    /// It is all of a unique key, or its first column.
    pub unique_key: bool,
    /// It is the first column of a key whose values may repeat.
    pub multiple_key: bool,
    /// AUTO_INCREMENT.
    pub auto_increment: bool,
    /// An INSERT has to give it a value.
    pub no_default: bool,
    /// ON UPDATE CURRENT_TIMESTAMP.
    pub on_update_now: bool,
    /// It is a TIMESTAMP.
    pub timestamp: bool,
    /// It is in some key.
    pub part_key: bool,
}

/// What a client is told of its session with every answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionStatus {
    /// Whether a transaction is open.
    pub in_transaction: bool,
    /// Whether that transaction may only read.
    pub read_only: bool,
    /// Whether every statement outside of a transaction is one.
    pub autocommit: bool,
    /// Whether `\` is a character as any other.
    pub no_backslash_escapes: bool,
    /// Whether `"` quotes names.
    pub ansi_quotes: bool,
    /// Whether the results of other statements of the same text follow.
    pub more: bool,
}

/// What a statement has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// How many rows it changed, or found for clients that want to know that.
    pub affected: u64,
    /// The first number that AUTO_INCREMENT gave, or 0.
    pub insert_id: u64,
    /// How many warnings it has.
    pub warnings: u16,
    /// What it says to people, such as `Rows matched: 1  Changed: 1  Warnings: 0`.
    pub words: String,
    /// Whether it gave rows.
    pub rows: bool,
    /// Whether another result of the same text follows.
    pub more: bool,
    /// How the session is after it.
    pub status: SessionStatus,
}

/// What takes the results of statements while they run.
pub trait TakeResults {
    /// The columns of a result with rows.
    fn columns(&mut self, columns: &[ColumnDescription], session: &SessionStatus) -> Result<()>;
    /// A row; if that fails, so does the statement.
    fn row(
        &mut self,
        columns: &[ColumnDescription],
        row: &[Datum],
        env: &TypeEnv<'_>,
    ) -> Result<()>;
    /// The end of a result, after its rows or alone.
    fn end(&mut self, done: &Done) -> Result<()>;
}

/// A prepared statement, as a client is told of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreparedDescription {
    /// Its number.
    pub id: u32,
    /// How many parameters it has.
    pub parameters: usize,
    /// The columns of its rows, if it gives rows.
    pub columns: Vec<ColumnDescription>,
    /// How many warnings preparing it gave.
    pub warnings: u16,
}

/// What changed of a session that a client may follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// The database in use.
    Database(String),
    /// A system variable, and its new value.
    Variable(String, String),
}

/// An error in MySQL's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Its number.
    pub number: u16,
    /// Its SQLSTATE.
    pub state: String,
    /// What it says.
    pub message: String,
    /// Whether the connection ends with it.
    pub ends: bool,
}
