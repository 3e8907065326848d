//! What a statement says beside its tree.

use sqlparser::ast::Expr;

use super::setting::Setting;

/// The words of a statement that its tree has no place for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Aside {
    /// IGNORE of an UPDATE or DELETE: rows that cannot be changed are passed over, and errors become warnings.
    pub ignore: bool,
    /// QUICK of a DELETE.
    pub quick: bool,
    /// LOW_PRIORITY and its kin of an UPDATE or DELETE.
    pub priority: Option<Priority>,
    /// INTO of a query.
    pub into: Option<Destination>,
    /// PROCEDURE of a query, which MariaDB still has: a call.
    pub procedure: Option<Expr>,
    /// SET STATEMENT: what is set while the statement runs, and not after it.
    pub settings: Vec<Setting>,
    /// How often an INSERT calls VALUES of a column where the server says that this is going away.
    pub calls_of_values: u16,
    /// PARTITION of the table that an INSERT or DELETE names.
    pub partitions: Vec<sqlparser::ast::Ident>,
}

/// When a change has its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Priority {
    Low,
    High,
    Delayed,
}

/// Where the rows of a query go.
#[derive(Clone, Debug, PartialEq)]
pub enum Destination {
    /// The columns of the one row go to variables, by name.
    Variables(Vec<String>),
    /// To a file of the server.
    File(String),
}
