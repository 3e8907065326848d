//! What an instance observes, and what is left when all are done.
//!
//! Two executions are the same to an instance if it read the same rows, came to the same conditions, returned the same, and
//! met the same errors. How many rows a change found it knows only if it asks FOUND.

use crate::program::Place;

/// A row as it is printed; what is absent is NULL.
pub type Seen = Vec<Option<String>>;

/// Something that an instance observed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observation {
    /// A query returned these rows; in order, if it asked for one. Of a query into variables, it is the first row.
    Rows {
        /// Where the statement stands.
        place: Place,
        /// The rows.
        rows: Vec<Seen>,
    },
    /// A condition or value with a query in it came to this.
    Value {
        /// Where it stands.
        place: Place,
        /// The value.
        value: Option<String>,
    },
    /// A change found a row, or none, and the transaction asks for that.
    Found {
        /// Where the statement stands.
        place: Place,
        /// Whether it did.
        found: bool,
    },
    /// The transaction returned this.
    Return {
        /// Where the value stands.
        place: Place,
        /// The value.
        value: Option<String>,
    },
    /// The database refused a statement, and with it the transaction.
    Error {
        /// Where the statement stands.
        place: Place,
        /// The SQLSTATE.
        state: String,
    },
    /// The transaction gave up.
    Abort {
        /// Where.
        place: Place,
    },
}

/// All rows of all tables, in order, by the name of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The tables, in the order of the program.
    pub tables: Vec<(String, Vec<Seen>)>,
}
