//! What can be wrong with a statement or with the rows it meets, as causes; a dialect has the codes and the words.

use std::fmt;

use hobgoblin_sql_value as value;

use crate::Binding;
use crate::action::Action;

/// What is wrong. Rows and keys are as the dialect prints them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A value cannot be.
    Value(value::Problem),
    /// A statement cannot be bound.
    Binding(Binding),
    /// Something that this database does not have, by name.
    Unsupported(String),
    /// A statement that does not read; what was expected, or what it stumbled over.
    Syntax(String),
    /// A mistake of ours.
    Internal(String),

    /// A column that may not be NULL would be.
    NullInColumn {
        /// Its table.
        table: String,
        /// Its name.
        column: String,
        /// The row.
        row: String,
    },
    /// A row does not pass a check of its table.
    CheckFails {
        /// The table.
        table: String,
        /// The check.
        check: String,
        /// The row.
        row: String,
    },
    /// A row that is there does not pass a check that is to hold from now on.
    CheckFailsAlready {
        /// The table.
        table: String,
        /// The check.
        check: String,
    },
    /// A row refers to one that is not there.
    NoParent {
        /// The table.
        table: String,
        /// The foreign key.
        constraint: String,
        /// The columns and values that refer.
        key: String,
        /// What the foreign key says.
        reference: Box<Reference>,
    },
    /// Some columns of a foreign key are NULL, where all are to be or none.
    PartlyNullKey {
        /// The table.
        table: String,
        /// The foreign key.
        constraint: String,
    },
    /// A row cannot go, or change its key: another one refers to it.
    StillReferred {
        /// The table that refers.
        table: String,
        /// The foreign key.
        constraint: String,
        /// The columns and values that are referred to.
        key: String,
        /// What the foreign key says.
        reference: Box<Reference>,
    },
    /// A key that is to be unique is there already.
    DuplicateKey {
        /// The unique constraint or index.
        constraint: String,
        /// The columns and values; none where they are not known.
        key: Option<Pairs>,
    },
    /// An index is to be unique, and two rows have the same key.
    IndexNotUnique {
        /// The index.
        index: String,
        /// The columns and values.
        key: Option<Pairs>,
    },
    /// A row is excluded by another.
    Excluded {
        /// The constraint.
        constraint: String,
        /// The columns and values of the row.
        key: Pairs,
        /// The values of the other.
        by: String,
    },
    /// Rows that are there exclude each other.
    ExcludedAlready {
        /// The constraint.
        constraint: String,
        /// The columns and values of one.
        key: Pairs,
        /// The values of the other.
        by: String,
    },
    /// A row written through a view would not be in it.
    OutsideView {
        /// The view.
        view: String,
        /// The row.
        row: String,
    },
    /// A value of a domain that may not be NULL is.
    NullInDomain {
        /// The domain.
        domain: String,
    },
    /// A value does not pass a check of its domain.
    DomainCheckFails {
        /// The domain.
        domain: String,
        /// The check.
        check: String,
    },
    /// A domain cannot be changed, since arrays of it are in use.
    DomainInArrays {
        /// The domain.
        domain: String,
        /// A table with a column of them.
        table: String,
        /// The column.
        column: String,
    },
    /// A column has NULLs, which its domain is to refuse from now on.
    ColumnHasNulls {
        /// The table.
        table: String,
        /// The column.
        column: String,
    },
    /// A column has values that its domain is to refuse from now on.
    ColumnFailsDomain {
        /// The table.
        table: String,
        /// The column.
        column: String,
    },

    /// A row is locked by somebody else, and the statement does not wait.
    RowLocked {
        /// Its table.
        table: String,
    },
    /// Another transaction changed a row after this one's snapshot.
    ConcurrentUpdate,
    /// Another transaction deleted a row after this one's snapshot.
    ConcurrentDelete,
    /// Transactions that depend on each other cannot be put in an order.
    Dependencies,
    /// MERGE changes a row for the second time.
    MergedTwice,
    /// ON CONFLICT DO UPDATE changes a row for the second time.
    UpsertedTwice,
    /// ON CONFLICT with a constraint that is checked later.
    DeferrableArbiter,

    /// A subquery that is to give one value gives several rows.
    SeveralRows,
    /// A parameter that was not given, counted from 1.
    NoParameter(usize),
    /// Arrays of different shapes are to be the items of one.
    ArrayShapes,
    /// A subscript of an assignment is NULL.
    NullSubscript,
    /// Rows are to be dealt into no buckets.
    NoBuckets,
    /// The row before the first of a window's frame is asked for.
    RowBeforeFrame,
    /// How far a window's frame reaches is NULL or negative.
    FrameOffset {
        /// Whether that is where it begins.
        start: bool,
        /// Whether it is NULL.
        null: bool,
    },
    /// How far a window's frame reaches is no distance.
    FrameSize,
    /// LIMIT is negative.
    NegativeLimit,
    /// OFFSET is negative.
    NegativeOffset,
    /// A recursive query does not end.
    EndlessRecursion,

    /// All statements together may use no more memory.
    OutOfMemory {
        /// What was asked for.
        bytes: usize,
    },
    /// A value is longer than values may be.
    ValueTooLong {
        /// How long it is.
        bytes: usize,
    },
    /// A text that grows becomes longer than values may be.
    TextTooLong {
        /// How long it is.
        bytes: usize,
        /// How much was to be added.
        more: usize,
    },

    /// A relation that is not there.
    NoRelation {
        /// The schema as written.
        schema: Option<String>,
        /// The name.
        name: String,
    },
    /// A relation that was there is gone.
    RelationGone(u32),
    /// No schema of the search path is there to make something in.
    NoSchemaToCreateIn,
}

/// What a foreign key says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The schema of the table that refers.
    pub schema: String,
    /// Its columns.
    pub columns: Vec<String>,
    /// The table that they refer to.
    pub parent: String,
    /// The columns that they refer to.
    pub referenced: Vec<String>,
    /// When a referenced row goes.
    pub on_delete: Action,
    /// When a referenced key changes.
    pub on_update: Action,
}

/// Columns with their values, both in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs {
    /// The columns.
    pub columns: String,
    /// The values.
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
