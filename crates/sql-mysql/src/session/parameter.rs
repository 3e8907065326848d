//! A value that a client gives with the execution of a prepared statement.

use hobgoblin_sql_mysql_types::temporal::{Day, Moment};

/// A value that a client gives with the execution of a prepared statement; its type comes with it.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameter {
    /// NULL.
    Null,
    /// An integer with a sign.
    Int(i64),
    /// An integer without one.
    UInt(u64),
    /// A DOUBLE, or a FLOAT as one.
    Float(f64),
    /// Letters, in the character set of the connection.
    Text(Vec<u8>),
    /// Bytes, as the types of BLOBs bring them.
    Bytes(Vec<u8>),
    /// A day.
    Date(Day),
    /// A day and a time of it.
    DateTime(Moment),
    /// A span of time in microseconds.
    Time(i64),
}
