//! What can be wrong with a statement before it runs: names that mean nothing or too much, types that do not fit, and
//! parts that may not stand where they do.

/// Why a statement cannot be bound. Types are as the dialect prints them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    /// A name is not that of a column.
    NoColumn(String),
    /// A column has no default, and may not be NULL.
    NoDefault(String),
    /// A source has no column of a name.
    NoColumnOfSource {
        /// The source.
        source: String,
        /// The name.
        column: String,
    },
    /// The table or view that a statement changes has no column of a name.
    NoColumnOfTarget {
        /// The table or view.
        target: String,
        /// The name.
        column: String,
    },
    /// A row has no field of a name.
    NoField {
        /// The name.
        field: String,
        /// The type of the row; none where it has no name.
        ty: Option<String>,
    },
    /// A side of a join has no column of a name that both sides are to have.
    NoJoinColumn {
        /// The name.
        column: String,
        /// On which side of the join it is missing.
        side: JoinSide,
    },
    /// A side of a join has several columns of a name that both sides are to have.
    AmbiguousJoinColumn {
        /// The name.
        column: String,
        /// On which side of the join it is ambiguous.
        side: JoinSide,
    },
    /// Several columns have a name.
    AmbiguousColumn(String),
    /// A clause names a column of the result, and several have the name.
    AmbiguousOutput {
        /// The clause.
        clause: &'static str,
        /// The name.
        name: String,
    },
    /// A clause asks for a column of the result by its place, and there is none.
    NoOutput {
        /// The clause.
        clause: &'static str,
        /// The place as written.
        position: String,
    },
    /// A column is qualified by a name that no source has.
    NoSource {
        /// The schema, where it is to be told.
        schema: Option<String>,
        /// The name.
        name: String,
        /// The column that is asked of it, if one is.
        column: Option<String>,
    },
    /// The right side of an outer join refers to its left side, without which it is kept.
    NotLateral(String),
    /// Two sources of a query, or two items of a WITH, have the same name.
    NameTwice {
        /// The name.
        name: String,
        /// Whether it is that of items of a WITH.
        with: bool,
    },
    /// A list of columns to insert into has one twice.
    ColumnTwice(String),
    /// A source is given more names of columns than it has columns.
    TooManyNames {
        /// The source.
        name: String,
        /// Whether it is an item of a WITH.
        with: bool,
        /// How many columns it has.
        columns: usize,
        /// How many names it is given.
        names: usize,
    },
    /// A query reads from an item of a WITH that changes rows and gives none.
    NotReturning(String),
    /// A query reads from a materialized view that was never filled.
    NotPopulated(String),
    /// A query reads from an index.
    IndexAsSource(String),
    /// A locking clause is of a name that no source has.
    NoLockedSource {
        /// The name.
        name: String,
        /// The clause.
        lock: &'static str,
    },
    /// A name is not that of a window.
    NoWindow(String),
    /// A name is not that of a unique or exclusion constraint of a table.
    NoConstraint {
        /// The name.
        constraint: String,
        /// The table.
        table: String,
    },
    /// No function has a name and takes such arguments.
    NoFunction {
        /// The name.
        function: String,
        /// The types of the arguments, with the names of those that have one.
        arguments: Vec<String>,
    },
    /// A function is qualified by a schema that has none of its name.
    NoFunctionInSchema(String),
    /// A function takes no array in place of its last arguments.
    NotVariadic {
        /// The name.
        function: String,
        /// The types of the arguments.
        arguments: Vec<String>,
    },

    /// A statement reads the table that it changes.
    ReadsTarget {
        /// The table, as the statement calls it.
        table: String,
        /// What is done to it.
        verb: &'static str,
    },
    /// A word may not be together with another.
    WrongUsage {
        /// The one.
        of: &'static str,
        /// The other.
        with: &'static str,
    },
    /// A list of tables to change has one that the join has not.
    NoMultiTable {
        /// Its schema as written.
        schema: Option<String>,
        /// Its name.
        name: String,
        /// What is done to the tables.
        verb: &'static str,
    },
    /// A source that a statement changes is no table.
    NotUpdatableSource(String),
    /// A row to insert has not as many values as there are columns; which one, from 1.
    ColumnCount {
        /// The row.
        row: usize,
    },
    /// Queries that are combined, by this word, have different numbers of columns.
    UnevenUnion(&'static str),
    /// An operand has another number of columns than it is to have.
    OperandColumns {
        /// How many it is to have.
        wanted: usize,
        /// How it is said where there are no numbers.
        words: &'static str,
    },
    /// There are no arrays of a type.
    NoArrayType(String),
    /// A type does not become another.
    NoCast {
        /// The type.
        from: String,
        /// The other.
        to: String,
    },
    /// A column is given a value of a type that does not become its own.
    ColumnType {
        /// The column.
        column: String,
        /// Its type.
        wanted: String,
        /// The type of the value.
        given: String,
    },
    /// An element or slice of a column is given a value of a type that does not become its own.
    ElementType {
        /// The column.
        column: String,
        /// The type of the element or slice.
        wanted: String,
        /// The type of the value.
        given: String,
    },
    /// A clause or operator takes one type only, and is given another.
    ArgumentType {
        /// The clause or operator.
        clause: &'static str,
        /// The type it takes.
        wanted: String,
        /// The type it is given.
        given: String,
    },
    /// Values of a type cannot be told apart, or have no order.
    NotComparable {
        /// The type.
        ty: String,
        /// Whether it is an order that is missing.
        order: bool,
    },
    /// Values of a type have no elements.
    NotSubscriptable(String),
    /// A slice of a JSON document is asked for.
    DocumentSlice,
    /// A map of keys to values is asked for anything but what it has at one key.
    OneKeyOnly,
    /// An array without elements is written, and nothing tells their type.
    EmptyArray,
    /// A value is compared with the elements of what is no array.
    NoArrayToCompare,
    /// What is no array is given in place of the last arguments of a function.
    NoArrayToSpread,
    /// The fields of a value are asked for, and its type has none.
    NotComposite(String),
    /// The fields of a record are asked for, and nothing tells which it has.
    UnknownRecord,
    /// Nothing tells the type of a parameter, counted from 1.
    UnknownParameter(usize),
    /// Nothing tells the columns of what a function gives.
    UnknownResult(String),

    /// A call stands where none of its kind may.
    Misplaced {
        /// The kind.
        what: Construct,
        /// Where it stands.
        clause: Clause,
    },
    /// A call has a part that its function does not take.
    NotAggregate {
        /// The part.
        part: CallPart,
        /// The function.
        function: String,
    },
    /// An aggregate is called without arguments.
    AggregateOfNothing(String),
    /// A function of windows is called without one.
    WindowFunctionAlone(String),
    /// A function of windows that is no aggregate is called for some rows only.
    FilteredWindowFunction,
    /// A column is neither grouped by nor inside of an aggregate.
    UngroupedColumn {
        /// The source.
        source: String,
        /// The column; none where it is the whole row.
        column: Option<String>,
    },
    /// GROUPING is asked about what the query does not group by.
    NotGrouped,
    /// GROUPING has more arguments than it can tell about.
    TooManyGroupings {
        /// The first number that is too large.
        limit: usize,
    },
    /// CUBE has more elements than it may.
    TooLargeCube {
        /// How many it may have.
        most: usize,
    },
    /// What is left without duplicates is sorted by something else.
    SortKeyNotDistinct {
        /// Whether it is the rows of an aggregate, not those of a query.
        aggregate: bool,
    },
    /// One row is kept of those that agree in some expressions, and the rows are sorted by others first.
    SortKeyNotDistinctOn,
    /// The frame of a window ends before it begins.
    FrameOrder(FrameOrder),
    /// The frame of a window is a distance of keys, and there is not one key.
    RangeKeys,
    /// The frame of a window is a distance of keys, and such keys have no such distance.
    RangeTypes {
        /// The type of the key.
        key: String,
        /// The type of the distance.
        offset: String,
    },

    /// The rows of combined queries are sorted by what is no column of theirs.
    SortKeyNotOutput,
    /// The count of LIMIT or OFFSET names columns.
    VariableCount {
        /// The clause.
        clause: &'static str,
    },
    /// A recursive query refers to itself twice.
    RecursionTwice(String),
    /// The recursive part of a query has aggregates.
    RecursionAggregate,
    /// A query refers to itself and has no part from which it could begin.
    RecursionForm(String),
    /// A column of a recursive query has a wider type in the recursive part.
    RecursionType {
        /// The query.
        name: String,
        /// The place of the column, from 1.
        position: usize,
        /// The type where the query begins.
        first: String,
        /// The type that has room for all.
        overall: String,
    },
    /// An item of a WITH changes rows, and the WITH is that of a query inside of another.
    NestedChange,
    /// An item of a WITH is a MERGE.
    MergeInWith,
    /// Rows are to be locked that are not those of a table.
    CannotLock {
        /// The locking clause.
        lock: &'static str,
        /// What they are.
        why: Unlockable,
    },
    /// A form of a statement that the parser reads and the dialect has not.
    OtherDialect {
        /// What it is.
        form: &'static str,
    },
    /// A statement nests too deep.
    TooDeep {
        /// How deep it may.
        most: usize,
    },

    /// An element of an array is to have the default.
    DefaultForElement,
    /// Several columns are to be given the fields of what is no row.
    NoRowToAssign,
    /// A column that computes its value is given one.
    ComputedColumn {
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// Whether the row is new.
        insert: bool,
        /// Whether the value is the next of a sequence, not that of an expression.
        identity: bool,
    },
    /// A column that the database keeps for itself is given a value.
    SystemColumn(String),
    /// A column of a view is given a value, and is no column of a table.
    ComputedInView {
        /// What the statement does.
        verb: Verb,
        /// The column.
        column: String,
        /// The view.
        view: String,
    },
    /// Rows of a materialized view are to be changed.
    ChangesMaterialized(String),
    /// Rows of the catalogue are to be changed.
    ChangesCatalogue(String),
    /// Rows are to be changed of what has none.
    ChangesRowless(String),
    /// Rows of a view are to be changed that are not those of one table.
    NotUpdatable {
        /// The view.
        view: String,
        /// What the statement does.
        verb: Verb,
        /// What they are.
        why: Obstacle,
    },
    /// MERGE changes the rows of a view.
    MergeIntoView(String),
    /// No unique index fits what ON CONFLICT names.
    NoArbiter,
    /// ON CONFLICT DO UPDATE names an exclusion constraint.
    UpsertOnExclusion,
}

impl Binding {
    /// Whether a column or field has not been found.
    pub fn is_unknown_column(&self) -> bool {
        matches!(
            self,
            Binding::NoColumn(_)
                | Binding::NoColumnOfSource { .. }
                | Binding::NoColumnOfTarget { .. }
                | Binding::NoField { .. }
                | Binding::NoJoinColumn { .. }
        )
    }

    /// Whether a source has not been found.
    pub fn is_unknown_source(&self) -> bool {
        matches!(self, Binding::NoSource { .. } | Binding::NoLockedSource { .. })
    }
}

/// Where an expression stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clause {
    /// A select list, ORDER BY, HAVING, RETURNING: aggregates are welcome as far as there is a query.
    #[default]
    Select,
    /// HAVING.
    Having,
    /// WHERE.
    Where,
    /// JOIN … ON.
    On,
    /// GROUP BY.
    GroupBy,
    /// Inside an aggregate's arguments.
    Aggregate,
    /// Inside a window definition or call.
    Window,
    /// A function in FROM.
    From,
    /// VALUES.
    Values,
    /// An UPDATE's SET, a default, a check: nothing special.
    Plain,
    /// LIMIT and OFFSET.
    Limit,
}

/// A kind of call that may not stand everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construct {
    /// An aggregate.
    Aggregate,
    /// A call over a window.
    Window,
    /// A function that gives rows.
    SetFunction,
    /// GROUPING.
    Grouping,
}

/// A part of a call that only some functions take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallPart {
    /// DISTINCT.
    Distinct,
    /// FILTER.
    Filter,
    /// ORDER BY.
    OrderBy,
    /// WITHIN GROUP.
    WithinGroup,
    /// OVER.
    Over,
}

/// A side of a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum JoinSide {
    Left,
    Right,
}

/// How the frame of a window ends before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameOrder {
    /// It begins at the current row, and ends at one before.
    FromCurrent,
    /// It begins at a row that follows, and ends at the current one or before.
    FromFollowing,
    /// It begins after all rows.
    StartsLast,
    /// It ends before all rows.
    EndsFirst,
}

/// What a statement does to its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Verb {
    Insert,
    Update,
    Delete,
}

/// Why the rows of a query cannot be locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unlockable {
    /// They are written out.
    Values,
    /// Several queries are combined.
    SetOperation,
    /// Equal rows are one.
    Distinct,
    /// They are grouped by keys.
    GroupBy,
    /// They are one group, which HAVING chooses.
    Having,
    /// They are one group.
    Aggregates,
    /// Each depends on others.
    Windows,
    /// One becomes several.
    SetFunctions,
    /// The source is an item of a WITH.
    WithQuery,
    /// The source is a function.
    Function,
    /// An outer join leaves the source without a row.
    Nullable,
}

/// Why the rows of a view are not those of one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// It has a WITH.
    With,
    /// Some rows are left out by their number.
    Limit,
    /// Several queries are combined.
    SetOperation,
    /// They come from none or from several.
    NotOneRelation,
    /// Equal rows are one.
    Distinct,
    /// They are grouped by keys.
    GroupBy,
    /// They are one group, which HAVING chooses.
    Having,
    /// They are one group.
    Aggregates,
    /// Each depends on others.
    Windows,
    /// One becomes several.
    SetFunctions,
    /// No column is one of the table.
    NoColumns,
}
