//! What can be wrong with a statement or with the rows it meets, as causes; a dialect has the codes
//! and the words.
//!
//! Whoever finds that something is wrong says which of these it is, and with what: the table, the
//! constraint, the row. Nothing here is a sentence, for the dialects have different ones: of
//!
//! ```text
//!     INSERT INTO t VALUES (1, 2)    DuplicateKey { constraint: "u", key: (a, b)=(1, 2) }
//!         PostgreSQL                   23505  duplicate key value violates unique constraint "u"
//!         MySQL                        1062   Duplicate entry '1-2' for key 'u'
//! ```
//!
//! The words are found when the error leaves the session. What is wrong with a statement whatever
//! the rows are is a [`Binding`], and with a value alone a [`Problem`](value::Problem) of values;
//! both are variants here.

use std::fmt;

use hobgoblin_sql_value as value;

use crate::Binding;
use crate::action::Action;

/// What is wrong. Rows and keys are texts, as the dialect prints them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A value cannot be computed or does not fit its type.
    Value(value::Problem),
    /// A statement cannot be bound to the catalogue.
    Binding(Binding),
    /// The statement uses this feature, which is not implemented here.
    Unsupported(String),
    /// The text is no statement of the dialect; what was expected, or what it stumbled over.
    Syntax(String),
    /// A mistake of this program, never of its user.
    Internal(String),

    /// A row would have NULL in a column that is NOT NULL.
    NullInColumn {
        /// The table that the row is written to.
        table: String,
        /// The column that is NOT NULL.
        column: String,
        /// The values of the row.
        row: String,
    },
    /// A row that is written does not satisfy a CHECK of its table.
    CheckFails {
        /// The table that the row is written to.
        table: String,
        /// The name of the CHECK constraint.
        check: String,
        /// The values of the row.
        row: String,
    },
    /// A CHECK is added or validated, and a row of the table does not satisfy it.
    CheckFailsAlready {
        /// The table that has the row.
        table: String,
        /// The name of the CHECK constraint.
        check: String,
    },
    /// A row that is written has a foreign key to a row that does not exist.
    NoParent {
        /// The table with the foreign key.
        table: String,
        /// The name of the foreign key.
        constraint: String,
        /// The referring columns and their values.
        key: String,
        /// The tables and columns that the foreign key connects.
        reference: Box<Reference>,
    },
    /// A row that is written has NULL in some columns of a MATCH FULL foreign key, and not in all.
    PartlyNullKey {
        /// The table with the foreign key.
        table: String,
        /// The name of the foreign key.
        constraint: String,
    },
    /// A row cannot be deleted, or get another key, because a row that is left refers to it.
    StillReferred {
        /// The table with the foreign key.
        table: String,
        /// The name of the foreign key.
        constraint: String,
        /// The columns that are referred to, and their values.
        key: String,
        /// The tables and columns that the foreign key connects.
        reference: Box<Reference>,
    },
    /// A row that is written has a key that another row has in a unique index.
    DuplicateKey {
        /// The table.
        table: String,
        /// The unique constraint, or the index where no constraint made it.
        constraint: String,
        /// The columns of the key and their values; `None` where they are not known.
        key: Option<Pairs>,
    },
    /// A unique index is created, and two rows of the table have the same key.
    IndexNotUnique {
        /// The table.
        table: String,
        /// The index that is created.
        index: String,
        /// The columns of the key and their values; `None` where they are not known.
        key: Option<Pairs>,
    },
    /// A row that is written conflicts with another by an EXCLUDE constraint.
    Excluded {
        /// The name of the EXCLUDE constraint.
        constraint: String,
        /// The columns of the constraint and their values in the row that is written.
        key: Pairs,
        /// The values of the same columns in the row that is there.
        by: String,
    },
    /// An EXCLUDE constraint is added, and two rows of the table conflict by it.
    ExcludedAlready {
        /// The name of the EXCLUDE constraint.
        constraint: String,
        /// The columns of the constraint and their values in one of the rows.
        key: Pairs,
        /// The values of the same columns in the other.
        by: String,
    },
    /// A row is written through a view WITH CHECK OPTION whose condition it does not satisfy.
    OutsideView {
        /// The view with the condition.
        view: String,
        /// The values of the row.
        row: String,
    },
    /// A value of a NOT NULL domain is NULL.
    NullInDomain {
        /// The name of the domain.
        domain: String,
    },
    /// A value does not satisfy a CHECK of its domain.
    DomainCheckFails {
        /// The name of the domain.
        domain: String,
        /// The name of the CHECK constraint.
        check: String,
    },
    /// A constraint cannot be added to a domain while a column holds arrays of it.
    DomainInArrays {
        /// The name of the domain.
        domain: String,
        /// A table with such a column.
        table: String,
        /// The column that holds the arrays.
        column: String,
    },
    /// A domain becomes NOT NULL, and a column of it has a NULL.
    ColumnHasNulls {
        /// The table of the column.
        table: String,
        /// The column that has a NULL.
        column: String,
    },
    /// A CHECK is added to a domain, and a column of it has a value that does not satisfy it.
    ColumnFailsDomain {
        /// The table of the column.
        table: String,
        /// The column that has such a value.
        column: String,
    },

    /// Another transaction has locked a row, and the statement is NOWAIT.
    RowLocked {
        /// The table of the locked row.
        table: String,
    },
    /// Another transaction committed a change of the row after this one's snapshot was taken.
    ConcurrentUpdate,
    /// Another transaction committed a deletion of the row after this one's snapshot was taken.
    ConcurrentDelete,
    /// What the transaction read and wrote fits no serial order with the others that ran at the
    /// same time.
    Dependencies,
    /// MERGE finds a second source row for a row that it has already changed.
    MergedTwice,
    /// ON CONFLICT DO UPDATE meets a row that the same statement has already inserted or updated.
    UpsertedTwice,
    /// ON CONFLICT would go by a DEFERRABLE constraint, which may be violated until the commit.
    DeferrableArbiter,

    /// A subquery that stands for one value gives several rows.
    SeveralRows,
    /// The statement uses this parameter, counted from 1, and was given fewer.
    NoParameter(usize),
    /// Arrays of different lengths or dimensions are to be the items of one array.
    ArrayShapes,
    /// A subscript on the left of an assignment is NULL.
    NullSubscript,
    /// `ntile` is asked to deal rows into no buckets, or fewer.
    NoBuckets,
    /// `nth_value` is asked for a row before the first of the frame.
    RowBeforeFrame,
    /// The distance in `ROWS n PRECEDING` and the like is NULL or negative.
    FrameOffset {
        /// Whether the distance is that to the beginning of the frame, not to its end.
        start: bool,
        /// Whether it is NULL; otherwise it is negative.
        null: bool,
    },
    /// The distance in a RANGE frame is negative.
    FrameSize,
    /// The value of LIMIT is negative.
    NegativeLimit,
    /// The value of OFFSET is negative.
    NegativeOffset,
    /// A recursive query found new rows in more rounds than are allowed, so it is taken not to end.
    EndlessRecursion,

    /// The statement asks for memory beyond what all statements together may use.
    OutOfMemory {
        /// The number of bytes that it asked for.
        bytes: usize,
    },
    /// A value is longer than [`MAX_VALUE`](crate::memory::MAX_VALUE).
    ValueTooLong {
        /// The length of the value in bytes.
        bytes: usize,
    },
    /// A text that is being put together becomes longer than a value may be.
    TextTooLong {
        /// Its length so far, in bytes.
        bytes: usize,
        /// The number of bytes that were to be added.
        more: usize,
    },

    /// A statement names a relation that does not exist.
    NoRelation {
        /// The schema before the name, if one is written.
        schema: Option<String>,
        /// The name of the missing relation.
        name: String,
    },
    /// The relation with this oid was dropped after the statement had found it.
    RelationGone(u32),
    /// CREATE names no schema, and none of the search path exists to create in.
    NoSchemaToCreateIn,
}

/// The tables and columns that a foreign key connects, as messages and histories tell them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The schema of the table with the foreign key.
    pub schema: String,
    /// The referring columns, in the order of the key.
    pub columns: Vec<String>,
    /// The name of the table that is referred to.
    pub parent: String,
    /// The columns that are referred to, in the same order as `columns`.
    pub referenced: Vec<String>,
    /// What happens to the referring rows when the row they refer to is deleted.
    pub on_delete: Action,
    /// What happens to the referring rows when the key they refer to changes.
    pub on_update: Action,
}

/// Columns and their values, which print as `(a, b)=(1, 2)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs {
    /// The names of the columns, with commas between them.
    pub columns: String,
    /// Their values in the same order, with commas between them.
    pub values: String,
}

impl fmt::Display for Pairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({})=({})", self.columns, self.values)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Unsupported(feature) => write!(f, "{feature} is not supported"),
            Problem::Syntax(what) | Problem::Internal(what) => f.write_str(what),
            other => write!(f, "{other:?}"),
        }
    }
}
