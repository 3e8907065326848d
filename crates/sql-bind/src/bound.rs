//! Typed expressions and queries: what the binder makes of the syntax, and the executor runs.
//!
//! Nothing here has a name any more. A column is `(depth, source, column)`: so many queries out, the source at that place
//! of that query's tuple, the column at that place of the source's row. `SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u
//! WHERE u.b = t.a)` compares `(0, 0, b)` with `(1, 0, a)`. A function or operator is the one that was meant, and every
//! conversion that types ask for is written out ([`Kind::Cast`]), so the executor decides nothing about types.
//!
//! FROM is a tree of [`From`]s whose leaves are [`Item`]s, each with the conditions that can be looked at once its row is
//! there, and the way its rows are found: all of them or by an index ([`Access`]), or by a hash table.

pub mod dml;

use std::sync::Arc;

use hobgoblin_front::Lock;

use hobgoblin_sql_schema::SystemTable;
use hobgoblin_sql_schema::catalog::{Index, Table};
use hobgoblin_sql_schema::dialect::ColumnPlace;
use hobgoblin_sql_schema::function::{Aggregate, Function, SetFunction, WindowFunction};
use hobgoblin_sql_value::{Datum, Oid, TypeId};

use dml::Dml;

/// An expression whose names are found and whose type is known.
#[derive(Clone, Debug)]
pub struct Expr {
    /// How its value is computed.
    pub kind: Kind,
    /// The type of its value.
    pub ty: TypeId,
    /// The modifier of the type, such as the length of a varchar; -1 for none.
    pub typmod: i32,
}

/// How the value of an expression is computed.
#[derive(Clone)]
pub enum Kind {
    /// A constant of the statement, read as a value.
    Const(Datum),
    /// A parameter, by its number less one.
    Param(usize),
    /// A column of a row that is at hand.
    Column(ColumnRef),
    /// All columns of a source together, as one row.
    WholeRow {
        /// How many queries out the source is.
        depth: usize,
        /// The place of the source in that query's tuple.
        source: usize,
    },
    /// A call of a function or operator.
    Call {
        /// The function that is called.
        function: &'static Function,
        /// The arguments, converted to the types that the function takes.
        args: Vec<Expr>,
    },
    /// The elements of an array as the last arguments of a call (VARIADIC). The type of this
    /// expression is that of the elements.
    Spread(Box<Expr>),
    /// A value converted to the type of this expression.
    Cast {
        /// The value to convert.
        expr: Box<Expr>,
        /// Whether the statement has the cast, so that a text that is too long is cut.
        explicit: bool,
    },
    /// A value that must satisfy a domain, which is the type of this expression.
    Domain {
        /// The value, of the type that the domain restricts.
        expr: Box<Expr>,
        /// The conditions of the domain.
        plan: Arc<DomainPlan>,
        /// Whether the value is an array, whose elements must each satisfy the domain.
        each: bool,
    },
    /// A value made to fit the column that it is written to, as
    /// [`Dialect::store`](hobgoblin_sql_schema::Dialect::store) does.
    Stored {
        /// The value, of any type.
        expr: Box<Expr>,
        /// The column it is written to, which has the type of this expression.
        place: Arc<ColumnPlace>,
    },
    /// AND of all these; false if one is false, and otherwise NULL if one is NULL.
    And(Vec<Expr>),
    /// OR of all these; true if one is true, and otherwise NULL if one is NULL.
    Or(Vec<Expr>),
    /// NOT; NULL stays NULL.
    Not(Box<Expr>),
    /// `IS NULL`; with `true` it is `IS NOT NULL`.
    IsNull(Box<Expr>, bool),
    /// `IS [NOT] TRUE|FALSE|UNKNOWN`: the value asked for, and whether negated.
    IsTruth(Box<Expr>, Option<bool>, bool),
    /// `a IS DISTINCT FROM b`, with the equality that decides; NULL equals NULL. With `true` it is
    /// negated.
    Distinct(Box<Expr>, Box<Expr>, &'static Function, bool),
    /// CASE. `CASE x WHEN 1` has become `CASE WHEN x = 1`.
    Case {
        /// The conditions, tried in order, with what each gives.
        whens: Vec<(Expr, Expr)>,
        /// What ELSE gives; NULL without it.
        otherwise: Option<Box<Expr>>,
    },
    /// COALESCE: the first of these that is not NULL.
    Coalesce(Vec<Expr>),
    /// NULLIF: the first value, or NULL if the equality says that it equals the second.
    NullIf(Box<Expr>, Box<Expr>, &'static Function),
    /// GREATEST or LEAST of some values; NULLs are ignored.
    Extreme {
        /// The values, all of one type.
        args: Vec<Expr>,
        /// Whether it is GREATEST.
        greatest: bool,
    },
    /// `x IN (list)`, which compares one value after the other.
    InList {
        /// The value that is looked for.
        expr: Box<Expr>,
        /// The values that it is compared with.
        list: Vec<Expr>,
        /// The function that compares it with each.
        equal: &'static Function,
        /// Whether it is NOT IN.
        negated: bool,
    },
    /// `x op ANY|ALL (array)`.
    AnyArray {
        /// The value on the left side.
        left: Box<Expr>,
        /// The array whose elements it is compared with.
        array: Box<Expr>,
        /// The operator, which takes the left side and one element.
        function: &'static Function,
        /// Whether ALL is asked for, and not ANY.
        all: bool,
    },
    /// `ARRAY[…]`.
    Array {
        /// The items, all of one type.
        items: Vec<Expr>,
        /// Whether the items are arrays, which give the array one more dimension.
        nested: bool,
    },
    /// `ROW(…)`, of these fields.
    Row(Vec<Expr>),
    /// A field of a row, by its place from 0.
    Field(Box<Expr>, usize),
    /// An element or a slice of an array.
    Subscript {
        /// The array that has it.
        array: Box<Expr>,
        /// The subscripts, one for each dimension that is gone into.
        subscripts: Vec<Subscript>,
    },
    /// An array with another element or slice: what a column becomes by `SET xs[2] = 5`.
    Assign {
        /// The array as it was before.
        array: Box<Expr>,
        /// The places of the element or slice.
        subscripts: Vec<Subscript>,
        /// What is put there.
        value: Box<Expr>,
    },
    /// A subquery that gives one value, or NULL if it has no row.
    Scalar(Box<Query>),
    /// EXISTS: whether a subquery has a row.
    Exists(Box<Query>),
    /// `ARRAY(subquery)`: the rows of a subquery of one column as an array.
    ArrayQuery(Box<Query>),
    /// `(left, …) op ANY (subquery)` or ALL; `IN` has become `= ANY`.
    AnyQuery {
        /// The left side, as many values as the subquery has columns.
        left: Vec<Expr>,
        /// The subquery on the right.
        query: Box<Query>,
        /// The operator for each column.
        functions: Vec<&'static Function>,
        /// The symbol of the operator, which says how several columns compare as a row.
        op: String,
        /// Whether ALL is asked for, and not ANY.
        all: bool,
    },
    /// Row comparison `(a, b) < (c, d)`.
    RowCompare {
        /// The fields of the row on the left.
        left: Vec<Expr>,
        /// The fields of the row on the right.
        right: Vec<Expr>,
        /// The symbol of the operator, such as `<`.
        op: String,
        /// For each field, the equality and the operator. The first fields that are not equal
        /// decide.
        functions: Vec<(&'static Function, &'static Function)>,
    },
    /// A call in the select list that gives several rows, by its place in [`Select::sets`].
    SetCall(usize),
    /// An aggregate, by its place in [`Group::aggregates`]. Once the query is bound, it has become
    /// a column.
    Aggregate(usize),
    /// A call over a window, by its place in [`Select::windows`]. Once the query is bound, it has
    /// become a column.
    Window(usize),
    /// GROUPING of these keys. Once the query is bound, it has become a column.
    Grouping(Vec<Expr>),
}

/// What a value must satisfy to be one of a domain.
#[derive(Clone, Debug)]
pub struct DomainPlan {
    /// The domain as a type.
    pub ty: TypeId,
    /// The name of the domain in messages.
    pub name: String,
    /// Whether the value may not be NULL.
    pub not_null: bool,
    /// Its checks by name. Each is over a row of one column, which is the value.
    pub checks: Vec<(String, Expr)>,
}

/// A column of a source, of the query that the expression stands in or of one further out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ColumnRef {
    /// How many queries out the source is; 0 is the query that the expression stands in.
    pub depth: usize,
    /// The place of the source in that query's tuple.
    pub source: usize,
    /// The place of the column in the source's row, from 0.
    pub column: usize,
}

/// One subscript of an array: `[i]` or `[a:b]`.
#[derive(Clone, Debug)]
pub enum Subscript {
    /// The number of an element.
    Index(Expr),
    /// The first and last elements of a slice; without one it goes to the end of the array.
    Slice(Option<Expr>, Option<Expr>),
}

/// A query with all that can stand around a SELECT: WITH, ORDER BY, LIMIT, locks.
#[derive(Clone, Debug)]
pub struct Query {
    /// The items of its WITH, in order.
    pub with: Vec<Cte>,
    /// What gives the rows, before they are sorted and counted.
    pub body: Body,
    /// What the rows are sorted by: columns of `body`, of which those after the visible ones are
    /// only for this.
    pub order: Vec<SortKey>,
    /// LIMIT: how many rows are given.
    pub limit: Option<Expr>,
    /// OFFSET: how many rows are left out first.
    pub offset: Option<Expr>,
    /// FETCH … WITH TIES: rows that sort like the last one are given too.
    pub with_ties: bool,
    /// The locks that FOR UPDATE and the like take on the rows that are given.
    pub locks: Vec<RowLock>,
    /// The columns that whoever runs the query gets.
    pub columns: Vec<OutputColumn>,
    /// The number under which its result is kept, if it is part of an expression and gives the same
    /// whenever the statement runs it; `None` if it must run each time.
    pub once: Option<usize>,
}

/// A column of the result of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputColumn {
    /// The name that clients are told.
    pub name: String,
    /// The type of its values.
    pub ty: TypeId,
    /// The modifier of the type, -1 for none.
    pub typmod: i32,
    /// The oid of the table and the number of the column that it shows, or zeros if it is computed.
    pub origin: (Oid, i16),
}

/// An item of a WITH.
#[derive(Clone, Debug)]
pub struct Cte {
    /// Its number in the statement, by which [`ItemKind::Cte`] refers to it.
    pub id: usize,
    /// What gives its rows.
    pub query: CteBody,
    /// Whether the statement reads from it. A query that nobody reads from does not run.
    pub used: bool,
    /// Whether it changes rows and nobody reads from it, so that it runs after the rest of the
    /// statement.
    pub last: bool,
}

/// What gives the rows of a WITH item.
#[derive(Clone, Debug)]
pub enum CteBody {
    /// A query that runs once.
    Query(Box<Query>),
    /// A query of WITH RECURSIVE, which reads its own rows.
    Recursive {
        /// The query of the first round.
        first: Box<Query>,
        /// The query of each further round. What it reads from the item is the rows of the round
        /// before.
        next: Box<Query>,
        /// Whether it is UNION ALL; otherwise a row that was there before is dropped, and ends with
        /// that.
        all: bool,
    },
    /// INSERT, UPDATE or DELETE, whose RETURNING gives the rows.
    Dml(Box<Dml>),
}

/// What gives the rows of a query, before they are sorted.
#[derive(Clone, Debug)]
pub enum Body {
    /// A SELECT.
    Select(Box<Select>),
    /// A UNION, INTERSECT or EXCEPT of two queries.
    SetOp {
        /// Which of the three it is.
        op: SetOp,
        /// Whether it has ALL: then equal rows are counted, not dropped.
        all: bool,
        /// The left side.
        left: Box<Query>,
        /// The right side.
        right: Box<Query>,
    },
    /// The rows of VALUES.
    Values(Vec<Vec<Expr>>),
    /// A query in parentheses, with an ORDER BY or LIMIT of its own.
    Query(Box<Query>),
}

/// A set operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SetOp {
    Union,
    Intersect,
    Except,
}

/// A SELECT: where its rows come from, and what is made of each.
#[derive(Clone, Debug)]
pub struct Select {
    /// How many sources its FROM has; a tuple has one row of each.
    pub sources: usize,
    /// The sources by the names that the statement gives them.
    pub aliases: Vec<(usize, String)>,
    /// The sources that are views, with the oids of these.
    pub views: Vec<(usize, Oid)>,
    /// Its FROM. The conditions of WHERE are in it, each where its sources are first at hand.
    pub from: From,
    /// The conditions of WHERE and ON again. When a row turns out to have been changed before it
    /// could be locked, its new version is checked with them.
    pub recheck: Vec<Expr>,
    /// GROUP BY and aggregates. What comes after sees a tuple of one source: the keys, then the
    /// aggregates.
    pub group: Option<Group>,
    /// HAVING, over the tuple of the group.
    pub having: Option<Expr>,
    /// The calls over windows. Their results are one more source of the tuple, after the others.
    pub windows: Vec<WindowCall>,
    /// The calls of the select list that give several rows. Their results are one more source, the
    /// last.
    pub sets: Vec<SetCall>,
    /// The columns of the select list. Sort keys and keys of DISTINCT ON that are not among them
    /// follow.
    pub project: Vec<Expr>,
    /// Which rows are dropped as duplicates.
    pub distinct: Distinct,
}

/// Which rows of a SELECT are dropped as duplicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Distinct {
    /// None: the SELECT has no DISTINCT.
    No,
    /// All but the first of those that are equal in all visible columns.
    All,
    /// DISTINCT ON: all but the first of those that are equal in these output columns.
    On(Vec<usize>),
    /// DISTINCT where values are compared by what they weigh: all but the first of those that are
    /// equal in these output columns, which are computed from the visible ones.
    By(Vec<usize>),
}

/// GROUP BY and the aggregates.
#[derive(Clone, Debug)]
pub struct Group {
    /// The keys, over the tuple of FROM.
    pub keys: Vec<Expr>,
    /// How many of the keys tell groups apart. The values of those after them are taken from some
    /// row of the group.
    pub compared: usize,
    /// What the grouped row has in place of each key, if values that compare as equal can look
    /// different: taken from the first row. Empty if the keys are shown as they are.
    pub shown: Vec<Expr>,
    /// The grouping sets, each as places in `keys`. A plain GROUP BY is one set of all keys.
    pub sets: Vec<Vec<usize>>,
    /// Whether the groups come sorted by their keys, and the sum over several of them right after
    /// these (WITH ROLLUP).
    pub nested: bool,
    /// The aggregates that are computed for each group.
    pub aggregates: Vec<AggregateCall>,
    /// The calls of GROUPING, each as places in `keys`. Their results follow the aggregates.
    pub groupings: Vec<Vec<usize>>,
}

/// A call of an aggregate.
#[derive(Clone)]
pub struct AggregateCall {
    /// The aggregate that the call means.
    pub aggregate: &'static Aggregate,
    /// The arguments, evaluated for each row.
    pub args: Vec<Expr>,
    /// The types of the arguments.
    pub types: Vec<TypeId>,
    /// Whether equal arguments of several rows count once.
    pub distinct: bool,
    /// What is compared under DISTINCT, if that is not the arguments themselves.
    pub by: Vec<Expr>,
    /// ORDER BY inside the call: in which order the rows are added.
    pub order: Vec<(Expr, SortKey)>,
    /// How many rows are added at most, in that order.
    pub most: Option<Expr>,
    /// FILTER: only rows for which this is true are added.
    pub filter: Option<Expr>,
    /// The arguments of an ordered-set aggregate that stand before WITHIN GROUP. They are evaluated
    /// once for each group.
    pub direct: Vec<Expr>,
    /// The type of the result.
    pub ty: TypeId,
}

/// What a call over a window computes.
#[derive(Clone)]
pub enum WindowKind {
    /// A window function that is no aggregate.
    Function(WindowFunction),
    /// An aggregate over the rows of the frame.
    Aggregate(Box<AggregateCall>),
}

/// A call over a window.
#[derive(Clone)]
pub struct WindowCall {
    /// The function that is called.
    pub kind: WindowKind,
    /// The arguments, evaluated for each row; an aggregate has the same ones with it.
    pub args: Vec<Expr>,
    /// PARTITION BY: rows that are equal in these are one partition.
    pub partition: Vec<Expr>,
    /// ORDER BY: the order of the rows of a partition.
    pub order: Vec<(Expr, SortKey)>,
    /// Which rows of the partition the call looks at.
    pub frame: Frame,
    /// The type of the result.
    pub ty: TypeId,
}

/// The frame of a window: which rows of the partition a call looks at, for a given row.
#[derive(Clone, Debug)]
pub struct Frame {
    /// What the distances of the bounds count: ROWS, RANGE or GROUPS.
    pub units: FrameUnits,
    /// Where the frame begins.
    pub start: FrameBound,
    /// Where the frame ends.
    pub end: FrameBound,
    /// What is left out between the two.
    pub exclude: Exclude,
}

/// What EXCLUDE leaves out of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Exclude {
    /// EXCLUDE NO OTHERS: all rows between the bounds are in it.
    #[default]
    NoOthers,
    /// The row that the frame is for.
    CurrentRow,
    /// That row and its peers, which are the rows that sort like it.
    Group,
    /// Its peers, but not the row itself.
    Ties,
}

/// What the distances of a frame's bounds count: rows, differences of the key, or groups of peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FrameUnits {
    Rows,
    Range,
    Groups,
}

/// Where a frame begins or ends.
#[derive(Clone)]
pub enum FrameBound {
    /// The beginning of the partition.
    UnboundedPreceding,
    /// So far before the row; under RANGE, with the way to get there from its key.
    Preceding(Expr, Option<Shift>),
    /// The row itself; under RANGE and GROUPS, the first or last of its peers.
    CurrentRow,
    /// So far after the row; under RANGE, with the way to get there from its key.
    Following(Expr, Option<Shift>),
    /// The end of the partition.
    UnboundedFollowing,
}

/// How a RANGE frame gets from the key of a row to the key where it begins or ends.
#[derive(Clone, Copy, Debug)]
pub struct Shift {
    /// The operator that adds the distance to the key, or subtracts it.
    pub function: &'static Function,
    /// The type of the result, which compares with the key.
    pub result: TypeId,
}

/// A call of a function that gives any number of rows.
#[derive(Clone)]
pub struct SetCall {
    /// The function that the call means.
    pub function: &'static SetFunction,
    /// The arguments, converted to the types that the function takes.
    pub args: Vec<Expr>,
    /// The types of the arguments.
    pub types: Vec<TypeId>,
    /// The types of its columns.
    pub columns: Vec<TypeId>,
    /// The type of one of its rows: that of its only column, or a row type.
    pub result: TypeId,
}

/// What rows are sorted by, and in which direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortKey {
    /// The output column that is compared; without meaning where an expression is sorted by.
    pub column: usize,
    /// Whether the order is DESC.
    pub descending: bool,
    /// Whether NULLs come before all values.
    pub nulls_first: bool,
}

/// What FROM has become: a tree that gives tuples, one row of each source.
#[derive(Clone, Debug)]
pub enum From {
    /// No FROM: one tuple without sources.
    Nothing,
    /// A single source.
    Item(Box<Item>),
    /// All combinations of the rows of these, found by nested loops. Each sees the rows of those
    /// before it.
    Product(Vec<From>),
    /// A join that keeps rows without a partner.
    Outer(Box<Outer>),
    /// The tuples of a part of FROM that satisfy these conditions.
    Filter(Box<From>, Vec<Expr>),
}

/// A LEFT or FULL JOIN. A RIGHT JOIN has become a LEFT JOIN with its sides exchanged.
#[derive(Clone, Debug)]
pub struct Outer {
    /// The side whose rows are all kept.
    pub left: From,
    /// The side that has NULLs where no row satisfies ON. For a LEFT JOIN the conditions of ON are
    /// in it.
    pub right: From,
    /// The places of the sources on the left.
    pub left_sources: Vec<usize>,
    /// The places of the sources on the right.
    pub right_sources: Vec<usize>,
    /// The conditions of ON if it is a FULL JOIN, where rows of the right without a partner are
    /// kept too; `None` for a LEFT JOIN.
    pub full: Option<Vec<Expr>>,
}

/// A source in FROM, and how its rows are found.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its number in the statement. What the executor keeps about it, such as a hash table, is
    /// found by this.
    pub id: usize,
    /// Its place in the tuple.
    pub source: usize,
    /// What gives its rows.
    pub kind: ItemKind,
    /// The conditions that are checked as soon as its row is at hand: those that name it and only
    /// sources before it.
    pub filters: Vec<Expr>,
    /// The equalities among them between this source (left) and those before it (right), which a
    /// hash table over its rows can serve.
    pub hash: Vec<(Expr, Expr)>,
    /// The equalities among them between this source (left) and enclosing queries (right). They are
    /// used where rows are kept whole, so that no cell is read to build the table.
    pub outer_hash: Vec<(Expr, Expr)>,
    /// Whether the rows that are looked through are the same each time, so that they can be kept.
    pub fixed: bool,
    /// The conditions among them that need nothing but this source. Where there is a hash table,
    /// rows that fail them are not put into it.
    pub own: Vec<Expr>,
    /// Whether its rows depend on nothing outside it.
    pub constant: bool,
}

/// What gives the rows of a source. A plan has few of these, so their size does not matter.
#[derive(Clone)]
#[allow(clippy::large_enum_variant)]
pub enum ItemKind {
    /// A table of the store.
    Table {
        /// The table whose rows are read.
        table: Arc<Table>,
        /// How the rows that matter are found.
        access: Access,
        /// The columns that conditions on this source alone need. They are read first, and the
        /// others only if the row passes.
        first: Vec<usize>,
    },
    /// A table of the system, whose rows the dialect makes.
    Virtual(&'static SystemTable),
    /// A subquery, or the query of a view.
    Query(Box<Query>),
    /// An item of a WITH, by its number.
    Cte(usize),
    /// Functions that give rows, side by side (ROWS FROM), and whether a column numbers these (WITH
    /// ORDINALITY).
    Function(Vec<SetCall>, bool),
    /// Functions that give one value each, together one row, and whether a column numbers it.
    Scalar(Vec<Expr>, bool),
}

/// How the rows of a table are found that a condition may hold for.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)]
pub enum Access {
    /// All rows are read, one after the other.
    All,
    /// The rows at some places are read, which a condition on `ctid` names.
    Places(Lookup),
    /// The rows are read that an index has for some values of its leading columns, and perhaps a
    /// range of the next column.
    Index {
        /// The index that is read.
        index: Arc<Index>,
        /// What each of the leading columns equals.
        equal: Vec<Lookup>,
        /// The lower bound of the next column, and whether the bound itself is in the range.
        low: Option<(Expr, bool)>,
        /// The upper bound, likewise.
        high: Option<(Expr, bool)>,
    },
}

/// The values that a column of an index is to equal.
#[derive(Clone, Debug)]
pub enum Lookup {
    /// Any of these values.
    Values(Vec<Expr>),
    /// Any element of this array.
    Array(Expr),
}

/// A locking clause such as FOR UPDATE, bound.
#[derive(Clone, Debug)]
pub struct RowLock {
    /// How strongly the rows are locked.
    pub lock: Lock,
    /// The places of the sources whose rows are locked.
    pub sources: Vec<usize>,
    /// What happens when another transaction has locked a row.
    pub wait: LockWait,
}

/// What happens when another transaction has locked a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockWait {
    /// The statement waits until it ends.
    Wait,
    /// The statement fails (NOWAIT).
    NoWait,
    /// The row is left out (SKIP LOCKED).
    Skip,
}

impl Expr {
    /// A constant of this type.
    pub fn constant(value: Datum, ty: TypeId) -> Expr {
        Expr { kind: Kind::Const(value), ty, typmod: -1 }
    }

    /// An expression of this kind and type, without a modifier.
    pub fn new(kind: Kind, ty: TypeId) -> Expr {
        Expr { kind, ty, typmod: -1 }
    }

    /// The constant TRUE, a condition that always holds.
    pub fn truth() -> Expr {
        Expr::constant(Datum::Bool(true), TypeId::BOOLEAN)
    }
}

impl std::fmt::Debug for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Kind::Const(value) => write!(f, "{value:?}"),
            Kind::Param(at) => write!(f, "${}", at + 1),
            Kind::Column(c) => write!(f, "{}^{}.{}", c.source, c.depth, c.column),
            Kind::Call { function, args } => write!(f, "{}{args:?}", function.name),
            Kind::Cast { expr, .. } | Kind::Domain { expr, .. } | Kind::Stored { expr, .. } => {
                write!(f, "cast({expr:?})")
            }
            Kind::And(all) => write!(f, "and{all:?}"),
            Kind::Or(any) => write!(f, "or{any:?}"),
            _ => f.write_str("expression"),
        }
    }
}

impl std::fmt::Debug for FrameBound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            FrameBound::UnboundedPreceding => "unbounded preceding",
            FrameBound::Preceding(..) => "preceding",
            FrameBound::CurrentRow => "current row",
            FrameBound::Following(..) => "following",
            FrameBound::UnboundedFollowing => "unbounded following",
        })
    }
}

impl std::fmt::Debug for AggregateCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{:?}", self.aggregate.name, self.args)
    }
}

impl std::fmt::Debug for WindowCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "window{:?}", self.args)
    }
}

impl std::fmt::Debug for SetCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{:?}", self.function.name, self.args)
    }
}

impl std::fmt::Debug for ItemKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ItemKind::Table { table, access, .. } => write!(f, "{} by {access:?}", table.name),
            ItemKind::Virtual(table) => f.write_str(table.name),
            ItemKind::Query(query) => query.fmt(f),
            ItemKind::Cte(id) => write!(f, "with {id}"),
            ItemKind::Function(calls, _) => calls.fmt(f),
            ItemKind::Scalar(exprs, _) => exprs.fmt(f),
        }
    }
}
