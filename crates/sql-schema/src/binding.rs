//! What can be wrong with a statement before it runs: names that mean nothing or too much, types
//! that do not fit, and parts that may not stand where they do.
//!
//! The binder finds all of these from the statement and the catalogue, before it has seen a row. A
//! variant says what is wrong in terms that all dialects share, with the names and types that a
//! message needs; a dialect has the code and the words. Take a table `t` without a column `b`:
//!
//! ```text
//!     SELECT t.b FROM t      NoColumnOfSource { source: "t", column: "b" }
//!         PostgreSQL           42703  column t.b does not exist
//!         MySQL                1054   Unknown column 't.b' in 'field list'
//! ```
//!
//! The matches of the dialects have no wildcard, so a new variant does not compile before each of
//! them has words for it. What can be wrong with the rows that a statement meets is a
//! [`Problem`](crate::Problem).

/// Why a statement cannot be bound. Types are texts, as the dialect prints them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    /// A column is named without its source, and no source has one of this name.
    NoColumn(String),
    /// `DEFAULT(c)` asks for the default of this column, which has none and may not be NULL.
    NoDefault(String),
    /// A column is asked of a source, as in `t.b`, and the source has none of this name.
    NoColumnOfSource {
        /// What the statement calls the source: its alias, or else its name.
        source: String,
        /// The column that the source does not have.
        column: String,
    },
    /// The table or view that a statement changes has no column of the name that it assigns to.
    NoColumnOfTarget {
        /// The table or view that is changed.
        target: String,
        /// The column that it does not have.
        column: String,
    },
    /// A field is asked of a row, as in `(r).b`, and the row has none of this name.
    NoField {
        /// The field that the row does not have.
        field: String,
        /// The type of the row; `None` for one without a type of its own, such as `ROW(1, 2)`.
        ty: Option<String>,
    },
    /// USING wants a column on both sides of a join, and one side has none of this name.
    NoJoinColumn {
        /// The column that both sides are to have.
        column: String,
        /// The side that does not have it.
        side: JoinSide,
    },
    /// USING or NATURAL wants one column on both sides of a join, and one side has several of this
    /// name.
    AmbiguousJoinColumn {
        /// The column that both sides are to have.
        column: String,
        /// The side that has it more than once.
        side: JoinSide,
    },
    /// A column is named without its source, and several sources have one of this name.
    AmbiguousColumn(String),
    /// ORDER BY or GROUP BY names a column of the result, and several columns of it have the name.
    AmbiguousOutput {
        /// The words of the clause, such as `ORDER BY`, as a message tells them.
        clause: &'static str,
        /// The name that several columns have.
        name: String,
    },
    /// ORDER BY or GROUP BY gives the number of a column of the result, and there is no such
    /// column.
    NoOutput {
        /// The words of the clause, such as `ORDER BY`, as a message tells them.
        clause: &'static str,
        /// The number as the statement has it.
        position: String,
    },
    /// A column or `*` is qualified by a name that no source has.
    NoSource {
        /// The schema before the name, if the message is to tell it.
        schema: Option<String>,
        /// The name that no source has.
        name: String,
        /// The column that was asked of it; `None` for `name.*`.
        column: Option<String>,
    },
    /// The right side of a RIGHT or FULL JOIN refers to this source on the left. It cannot: a row
    /// of the right side is kept even when no row of the left goes with it.
    NotLateral(String),
    /// Two sources of a query, or two items of a WITH, have the same name.
    NameTwice {
        /// The name that two of them have.
        name: String,
        /// Whether they are items of a WITH, not sources in FROM.
        with: bool,
    },
    /// The columns to insert into or to assign to include this one twice.
    ColumnTwice(String),
    /// A source is given more names for columns than it has columns, as in `FROM t AS a (x, y, z)`.
    TooManyNames {
        /// What the statement calls the source.
        name: String,
        /// Whether the source is an item of a WITH.
        with: bool,
        /// The number of columns that it has.
        columns: usize,
        /// The number of names that it is given.
        names: usize,
    },
    /// A query reads from this item of a WITH, which changes rows and has no RETURNING to give any.
    NotReturning(String),
    /// A query reads from this materialized view, which was created WITH NO DATA and never
    /// refreshed.
    NotPopulated(String),
    /// FROM names this index, as if it were a table.
    IndexAsSource(String),
    /// A locking clause such as `FOR UPDATE OF x` names a source that FROM does not have.
    NoLockedSource {
        /// The name in the locking clause.
        name: String,
        /// The words of the clause, such as `FOR UPDATE`.
        lock: &'static str,
    },
    /// OVER refers to a window that the WINDOW clause does not define.
    NoWindow(String),
    /// ON CONFLICT ON CONSTRAINT names no unique or exclusion constraint of the table.
    NoConstraint {
        /// The constraint that was named.
        constraint: String,
        /// The table whose rows are inserted.
        table: String,
    },
    /// No function has this name and takes arguments of these types.
    NoFunction {
        /// The function as the call names it.
        function: String,
        /// The types of the arguments; one that is passed by name has the name before its type.
        arguments: Vec<String>,
    },
    /// No function of this name is in the schema that the call names.
    NoFunctionInSchema(String),
    /// VARIADIC passes an array for the last arguments of a function, and no function of the name
    /// takes any number of them.
    NotVariadic {
        /// The function as the call names it.
        function: String,
        /// The types of the arguments, the array included.
        arguments: Vec<String>,
    },

    /// A subquery reads the table that the statement changes, in a dialect that refuses this (see
    /// [`Dialect::refuses_own_reads`](crate::Dialect::refuses_own_reads)).
    ReadsTarget {
        /// The table, as the statement calls it.
        table: String,
        /// The word for what the statement does, such as `UPDATE`.
        verb: &'static str,
    },
    /// One part of a statement excludes another, such as an UPDATE of several tables a LIMIT.
    WrongUsage {
        /// The part that excludes the other, such as `UPDATE`.
        of: &'static str,
        /// The part that may not be beside it, such as `LIMIT`.
        with: &'static str,
    },
    /// `DELETE a, b FROM …` lists a table that FROM does not have.
    NoMultiTable {
        /// The schema before the listed name, if one is written.
        schema: Option<String>,
        /// The listed name that no source in FROM has.
        name: String,
        /// The words for such a statement, `MULTI DELETE`.
        verb: &'static str,
    },
    /// A statement over several tables assigns to a column of this source, which is no table.
    NotUpdatableSource(String),
    /// A row of VALUES has more or fewer values than there are columns to insert into.
    ColumnCount {
        /// The number of the row within VALUES, from 1.
        row: usize,
    },
    /// Queries that this word combines, such as `UNION`, have different numbers of columns.
    UnevenUnion(&'static str),
    /// An operand has the wrong number of columns: `(1, 2) = (1, 2, 3)`, or a subquery of two
    /// columns for one value.
    OperandColumns {
        /// The number of columns that it should have.
        wanted: usize,
        /// The whole message, for a dialect whose message does not tell the number.
        words: &'static str,
    },
    /// No array type has elements of this type.
    NoArrayType(String),
    /// A cast is asked for between two types that have none.
    NoCast {
        /// The type of the value.
        from: String,
        /// The type it is to become.
        to: String,
    },
    /// A column is given a value of a type that does not convert to the column's on assignment.
    ColumnType {
        /// The column that is assigned to.
        column: String,
        /// The type of the column.
        wanted: String,
        /// The type of the value.
        given: String,
    },
    /// An element or slice of an array column is given a value of a type that does not convert to
    /// its own on assignment.
    ElementType {
        /// The array column that is assigned to.
        column: String,
        /// The type of the element or slice.
        wanted: String,
        /// The type of the value.
        given: String,
    },
    /// A clause or operator takes values of one type, and is given another: `WHERE 1`, `LIMIT 'a'`.
    ArgumentType {
        /// The words of the clause or operator, such as `WHERE`.
        clause: &'static str,
        /// The type that it takes.
        wanted: String,
        /// The type that it is given.
        given: String,
    },
    /// Values of a type are to be compared or sorted, as GROUP BY, DISTINCT and ORDER BY do, and
    /// have no equality or no order.
    NotComparable {
        /// The type whose values do not compare.
        ty: String,
        /// Whether the order is missing; otherwise the equality is.
        order: bool,
    },
    /// A subscript follows a value of this type, which has no elements.
    NotSubscriptable(String),
    /// A slice is taken of a JSON document, whose subscripts name one key or element each.
    DocumentSlice,
    /// A map of keys to values (`hstore`) is followed by more than one subscript, or by a slice.
    OneKeyOnly,
    /// `ARRAY[]` is written without a cast, so nothing tells the type of its elements.
    EmptyArray,
    /// The right side of `= ANY (…)` or `= ALL (…)` is no array.
    NoArrayToCompare,
    /// VARIADIC stands before an argument that is no array.
    NoArrayToSpread,
    /// A field is asked of a value of this type, which has no fields.
    NotComposite(String),
    /// A field is asked of a record whose fields nothing in the statement tells.
    UnknownRecord,
    /// Nothing in the statement tells the type of this parameter, counted from 1.
    UnknownParameter(usize),
    /// This function returns records, and the statement does not list their columns.
    UnknownResult(String),

    /// A call stands where its kind is not allowed, such as an aggregate in WHERE.
    Misplaced {
        /// The kind of the call.
        what: Construct,
        /// The clause that it stands in.
        clause: Clause,
    },
    /// A call has DISTINCT, FILTER or another part that only aggregates have, and its function is
    /// none.
    NotAggregate {
        /// The part that the function does not take.
        part: CallPart,
        /// The function as the call names it.
        function: String,
    },
    /// This aggregate without arguments is called as `f()`, not as `f(*)`.
    AggregateOfNothing(String),
    /// This function needs a window and is called without OVER.
    WindowFunctionAlone(String),
    /// FILTER stands after a window function that is no aggregate, such as `rank()`.
    FilteredWindowFunction,
    /// A query that groups uses a column that it neither groups by nor aggregates.
    UngroupedColumn {
        /// What the statement calls the source of the column.
        source: String,
        /// The column; `None` where the whole row is used.
        column: Option<String>,
    },
    /// An argument of GROUPING is no expression that the query groups by.
    NotGrouped,
    /// GROUPING has more arguments than its result has bits.
    TooManyGroupings {
        /// The smallest number of arguments that is too large.
        limit: usize,
    },
    /// CUBE has so many elements that their grouping sets, two to the power of that number, are too
    /// many.
    TooLargeCube {
        /// The number of elements that are allowed.
        most: usize,
    },
    /// SELECT DISTINCT, or an aggregate with DISTINCT, is sorted by an expression that it does not
    /// give: the duplicates that are dropped might differ in it.
    SortKeyNotDistinct {
        /// Whether it is an aggregate and not a query.
        aggregate: bool,
    },
    /// ORDER BY of a SELECT DISTINCT ON begins with other expressions than DISTINCT ON has.
    SortKeyNotDistinctOn,
    /// The frame of a window ends before it begins, in the way this says.
    FrameOrder(FrameOrder),
    /// `RANGE n PRECEDING` is a distance between keys, so the window must be ordered by one key and
    /// is not.
    RangeKeys,
    /// `RANGE n PRECEDING` is a distance between keys, and none is defined between keys of this
    /// type.
    RangeTypes {
        /// The type of the key that the window is ordered by.
        key: String,
        /// The type of the distance as written.
        offset: String,
    },

    /// ORDER BY of a UNION, INTERSECT or EXCEPT is no column of the result.
    SortKeyNotOutput,
    /// LIMIT or OFFSET contains a column, though it is evaluated once and not for each row.
    VariableCount {
        /// The word of the clause, `LIMIT` or `OFFSET`.
        clause: &'static str,
    },
    /// The recursive item of a WITH of this name reads from itself more than once.
    RecursionTwice(String),
    /// The recursive part of a WITH item contains an aggregate.
    RecursionAggregate,
    /// The WITH item of this name reads from itself and is no `start UNION [ALL] step`, so it has
    /// no rows to begin with.
    RecursionForm(String),
    /// A column of a recursive WITH item has one type in its first part and needs a wider one for
    /// the recursive part.
    RecursionType {
        /// The WITH item that reads from itself.
        name: String,
        /// The number of the column, from 1.
        position: usize,
        /// The type in the first part.
        first: String,
        /// The common type of both parts.
        overall: String,
    },
    /// An INSERT, UPDATE or DELETE stands in a WITH that is not at the top of the statement.
    NestedChange,
    /// A MERGE stands in a WITH.
    MergeInWith,
    /// FOR UPDATE or the like asks to lock the rows of a query or source, and these are not the
    /// rows of a table.
    CannotLock {
        /// The words of the locking clause, such as `FOR UPDATE`.
        lock: &'static str,
        /// The reason why they are not.
        why: Unlockable,
    },
    /// The parser accepts a form of a statement that belongs to another dialect.
    OtherDialect {
        /// Words for the form, to begin a sentence with.
        form: &'static str,
    },
    /// A statement nests too deep for the stack.
    TooDeep {
        /// The depth that is allowed.
        most: usize,
    },

    /// DEFAULT is assigned to an element of an array column.
    DefaultForElement,
    /// `UPDATE … SET (a, b) = x` is given an `x` that is neither a row nor a subquery.
    NoRowToAssign,
    /// A generated column, or an identity column that is GENERATED ALWAYS, is given a value other
    /// than DEFAULT.
    ComputedColumn {
        /// The table or view that is changed.
        table: String,
        /// The generated column that is given a value.
        column: String,
        /// Whether an INSERT gives the value; otherwise an UPDATE does.
        insert: bool,
        /// Whether it is an identity column, which takes the next number of a sequence.
        identity: bool,
    },
    /// A system column, such as `ctid`, is assigned to.
    SystemColumn(String),
    /// A statement assigns to a column of a view that is computed from others, and not itself a
    /// column of a table.
    ComputedInView {
        /// The word for what the statement does to the view.
        verb: Verb,
        /// The computed column that is given a value.
        column: String,
        /// The view that has it.
        view: String,
    },
    /// A statement changes the rows of this materialized view; only a refresh may.
    ChangesMaterialized(String),
    /// A statement changes the rows of this system table.
    ChangesCatalogue(String),
    /// A statement changes the rows of this relation, which is a sequence or index and has none.
    ChangesRowless(String),
    /// A statement changes the rows of a view that are not each a row of one table.
    NotUpdatable {
        /// The view that the statement names.
        view: String,
        /// The word for what the statement does to the view.
        verb: Verb,
        /// The reason why its rows are not those of one table.
        why: Obstacle,
    },
    /// MERGE names this view as its target.
    MergeIntoView(String),
    /// No unique index has exactly the columns and condition that ON CONFLICT names.
    NoArbiter,
    /// ON CONFLICT DO UPDATE names an exclusion constraint, which does not tell one row to update.
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

/// The part of a statement that an expression stands in; it decides whether aggregates and the like
/// are allowed there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clause {
    /// A select list, ORDER BY or RETURNING; aggregates are allowed if it belongs to a query.
    #[default]
    Select,
    /// The condition of HAVING.
    Having,
    /// The condition of WHERE.
    Where,
    /// The condition of a JOIN … ON.
    On,
    /// A key of GROUP BY.
    GroupBy,
    /// An argument of an aggregate, or its FILTER or ORDER BY.
    Aggregate,
    /// An argument of a window function, or the definition of its window.
    Window,
    /// An argument of a function in FROM.
    From,
    /// A row of VALUES.
    Values,
    /// An assignment of UPDATE, a default, a check or another expression without a query of its
    /// own.
    Plain,
    /// The count of LIMIT or OFFSET.
    Limit,
}

/// A kind of call that may not stand everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construct {
    /// An aggregate, such as `sum(x)`.
    Aggregate,
    /// A function called with OVER, aggregate or not.
    Window,
    /// A function that gives any number of rows, such as `generate_series`.
    SetFunction,
    /// GROUPING, which tells what a row of grouping sets is grouped by.
    Grouping,
}

/// A part of a call that functions other than aggregates and window functions do not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallPart {
    /// DISTINCT before the arguments.
    Distinct,
    /// FILTER after the call.
    Filter,
    /// ORDER BY after the arguments.
    OrderBy,
    /// WITHIN GROUP after the call.
    WithinGroup,
    /// OVER after the call.
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
    /// It begins at the current row and ends at an earlier one.
    FromCurrent,
    /// It begins at a later row, and ends at the current one or earlier.
    FromFollowing,
    /// It begins at UNBOUNDED FOLLOWING, after all rows.
    StartsLast,
    /// It ends at UNBOUNDED PRECEDING, before all rows.
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
    /// The query is a VALUES.
    Values,
    /// The query is a UNION, INTERSECT or EXCEPT.
    SetOperation,
    /// The query has DISTINCT, so that a row may stand for several.
    Distinct,
    /// The query has GROUP BY, so that a row stands for a group.
    GroupBy,
    /// The query has HAVING, which makes all rows one group.
    Having,
    /// The query has aggregates, which make all rows one group.
    Aggregates,
    /// The query has window functions.
    Windows,
    /// The select list has a function that makes several rows of one.
    SetFunctions,
    /// The source named is an item of a WITH.
    WithQuery,
    /// The source named is a function.
    Function,
    /// The source is the side of an outer join that may have no row.
    Nullable,
}

/// Why the rows of a view are not each a row of one table, so that nothing can be written through
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// Its query has a WITH.
    With,
    /// Its query has LIMIT or OFFSET.
    Limit,
    /// Its query is a UNION, INTERSECT or EXCEPT.
    SetOperation,
    /// Its FROM does not have exactly one table or view.
    NotOneRelation,
    /// Its query has DISTINCT.
    Distinct,
    /// Its query has GROUP BY.
    GroupBy,
    /// Its query has HAVING.
    Having,
    /// Its select list has aggregates.
    Aggregates,
    /// Its select list has window functions.
    Windows,
    /// Its select list has functions that give several rows.
    SetFunctions,
    /// None of its columns is a column of the table as it is.
    NoColumns,
}
