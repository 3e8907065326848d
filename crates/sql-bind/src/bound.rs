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

/// An expression with its type.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: Kind,
    /// Its type.
    pub ty: TypeId,
    /// The type's modifier, -1 for none.
    pub typmod: i32,
}

/// What an expression is.
#[derive(Clone)]
pub enum Kind {
    /// A constant.
    Const(Datum),
    /// A parameter, from 0.
    Param(usize),
    /// A column.
    Column(ColumnRef),
    /// A whole row of a source.
    WholeRow {
        /// How many queries out.
        depth: usize,
        /// The source.
        source: usize,
    },
    /// A call.
    Call {
        /// The function that is called.
        function: &'static Function,
        /// With what, after coercion.
        args: Vec<Expr>,
    },
    /// The elements of an array as so many arguments; this expression's type is theirs.
    Spread(Box<Expr>),
    /// A conversion to this expression's type.
    Cast {
        /// What is cast.
        expr: Box<Expr>,
        /// Whether it was written, so that it may truncate.
        explicit: bool,
    },
    /// A value that must be one of a domain, this expression's type; or an array of such.
    Domain {
        /// Of what the domain is over.
        expr: Box<Expr>,
        /// What it must pass.
        plan: Arc<DomainPlan>,
        /// Whether it is an array whose elements must pass.
        each: bool,
    },
    /// A value as a column takes it, this expression's type.
    Stored {
        /// The value.
        expr: Box<Expr>,
        /// The column.
        place: Arc<ColumnPlace>,
    },
    /// All.
    And(Vec<Expr>),
    /// Any.
    Or(Vec<Expr>),
    /// Not.
    Not(Box<Expr>),
    /// `IS [NOT] NULL`.
    IsNull(Box<Expr>, bool),
    /// `IS [NOT] TRUE|FALSE|UNKNOWN`: the value asked for, and whether negated.
    IsTruth(Box<Expr>, Option<bool>, bool),
    /// `IS [NOT] DISTINCT FROM`: by an equality, and whether negated.
    Distinct(Box<Expr>, Box<Expr>, &'static Function, bool),
    /// CASE; an operand has become conditions.
    Case {
        /// Conditions and results.
        whens: Vec<(Expr, Expr)>,
        /// ELSE.
        otherwise: Option<Box<Expr>>,
    },
    /// The first that is not NULL.
    Coalesce(Vec<Expr>),
    /// NULL if equal.
    NullIf(Box<Expr>, Box<Expr>, &'static Function),
    /// GREATEST, else LEAST.
    Extreme {
        /// Of these.
        args: Vec<Expr>,
        /// Whether the greatest.
        greatest: bool,
    },
    /// `x IN (list)`.
    InList {
        /// What is looked for in the list.
        expr: Box<Expr>,
        /// The list.
        list: Vec<Expr>,
        /// The equality.
        equal: &'static Function,
        /// NOT IN.
        negated: bool,
    },
    /// `x op ANY|ALL (array)`.
    AnyArray {
        /// The left side.
        left: Box<Expr>,
        /// The array.
        array: Box<Expr>,
        /// The operator.
        function: &'static Function,
        /// Whether ALL is asked for, and not ANY.
        all: bool,
    },
    /// ARRAY[…]; `nested` when the items are arrays.
    Array {
        /// The items.
        items: Vec<Expr>,
        /// Whether they are arrays.
        nested: bool,
    },
    /// ROW(…).
    Row(Vec<Expr>),
    /// A field of a row.
    Field(Box<Expr>, usize),
    /// Subscripts: index or slice bounds.
    Subscript {
        /// The array.
        array: Box<Expr>,
        /// The subscripts.
        subscripts: Vec<Subscript>,
    },
    /// An array with an element or slice assigned.
    Assign {
        /// The array before.
        array: Box<Expr>,
        /// The places of the element or slice.
        subscripts: Vec<Subscript>,
        /// What is put there.
        value: Box<Expr>,
    },
    /// A scalar subquery.
    Scalar(Box<Query>),
    /// EXISTS.
    Exists(Box<Query>),
    /// ARRAY(subquery).
    ArrayQuery(Box<Query>),
    /// `(left…) op ANY|ALL (subquery)`; IN is `= ANY`.
    AnyQuery {
        /// The left sides.
        left: Vec<Expr>,
        /// The query.
        query: Box<Query>,
        /// One operator for each column.
        functions: Vec<&'static Function>,
        /// The operator's symbol, for rows.
        op: String,
        /// Whether ALL is asked for, and not ANY.
        all: bool,
    },
    /// Row comparison `(a, b) < (c, d)`.
    RowCompare {
        /// The left fields.
        left: Vec<Expr>,
        /// The right fields.
        right: Vec<Expr>,
        /// The operator.
        op: String,
        /// For each column, `=` and the operator.
        functions: Vec<(&'static Function, &'static Function)>,
    },
    /// A set-returning call in a select list: its place among the query's.
    SetCall(usize),
    /// An aggregate before its query is known: its place among the query's.
    Aggregate(usize),
    /// A window call: its place among the query's.
    Window(usize),
    /// GROUPING of keys, before the keys are known.
    Grouping(Vec<Expr>),
}

/// What a domain says of its values.
#[derive(Clone, Debug)]
pub struct DomainPlan {
    /// The domain.
    pub ty: TypeId,
    /// Its name as messages have it.
    pub name: String,
    /// Whether NULL is none of its values.
    pub not_null: bool,
    /// The names of its conditions, and the conditions over a row of the value alone.
    pub checks: Vec<(String, Expr)>,
}

/// A column of a source of this query or one further out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ColumnRef {
    /// How many queries out.
    pub depth: usize,
    /// The source.
    pub source: usize,
    /// The column, from 0.
    pub column: usize,
}

/// One subscript.
#[derive(Clone, Debug)]
pub enum Subscript {
    /// `[i]`.
    Index(Expr),
    /// `[a:b]`.
    Slice(Option<Expr>, Option<Expr>),
}

/// A query.
#[derive(Clone, Debug)]
pub struct Query {
    /// Its WITH items, in order.
    pub with: Vec<Cte>,
    /// What gives the rows.
    pub body: Body,
    /// Sort keys over output columns, hidden ones included.
    pub order: Vec<SortKey>,
    /// LIMIT.
    pub limit: Option<Expr>,
    /// OFFSET.
    pub offset: Option<Expr>,
    /// FETCH … WITH TIES.
    pub with_ties: bool,
    /// FOR UPDATE and the like.
    pub locks: Vec<RowLock>,
    /// Its visible columns.
    pub columns: Vec<OutputColumn>,
    /// Its number in the statement, where it is part of an expression and gives the same however often it runs.
    pub once: Option<usize>,
}

/// An output column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputColumn {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// The type's modifier.
    pub typmod: i32,
    /// The table and column number it comes from, or zeros.
    pub origin: (Oid, i16),
}

/// A WITH item.
#[derive(Clone, Debug)]
pub struct Cte {
    /// Its number in the statement.
    pub id: usize,
    /// Its query, or the first term of a recursive one.
    pub query: CteBody,
    /// Whether anything refers to it.
    pub used: bool,
    /// Whether it changes rows and nothing refers to it: then it runs after the rest.
    pub last: bool,
}

/// What a WITH item does.
#[derive(Clone, Debug)]
pub enum CteBody {
    /// A query.
    Query(Box<Query>),
    /// A recursive query.
    Recursive {
        /// The first term.
        first: Box<Query>,
        /// The repeated term.
        next: Box<Query>,
        /// UNION ALL.
        all: bool,
    },
    /// INSERT, UPDATE, DELETE with RETURNING or without.
    Dml(Box<Dml>),
}

/// What gives the rows of a query.
#[derive(Clone, Debug)]
pub enum Body {
    /// SELECT.
    Select(Box<Select>),
    /// UNION, INTERSECT, EXCEPT.
    SetOp {
        /// Whether it is UNION, INTERSECT or EXCEPT.
        op: SetOp,
        /// Whether rows may come more than once.
        all: bool,
        /// The left side.
        left: Box<Query>,
        /// The right side.
        right: Box<Query>,
    },
    /// VALUES.
    Values(Vec<Vec<Expr>>),
    /// A query in parentheses with its own order or limit.
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

/// A SELECT.
#[derive(Clone, Debug)]
pub struct Select {
    /// How many sources its FROM has.
    pub sources: usize,
    /// Them, by the names they go by.
    pub aliases: Vec<(usize, String)>,
    /// Those of them that are views.
    pub views: Vec<(usize, Oid)>,
    /// FROM, with WHERE spread over it.
    pub from: From,
    /// Every condition a row has passed, to check again on a newer version of a locked row.
    pub recheck: Vec<Expr>,
    /// GROUP BY and aggregates. After it a tuple has one source: the keys, then the aggregates.
    pub group: Option<Group>,
    /// HAVING, over that.
    pub having: Option<Expr>,
    /// Window calls. Their results are one more source, the last.
    pub windows: Vec<WindowCall>,
    /// Set-returning calls of the select list. Their results are one more source after that.
    pub sets: Vec<SetCall>,
    /// The output columns, hidden sort keys and DISTINCT ON keys after the visible ones.
    pub project: Vec<Expr>,
    /// DISTINCT.
    pub distinct: Distinct,
}

/// DISTINCT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Distinct {
    /// All rows are kept.
    No,
    /// On all visible columns.
    All,
    /// On these output columns.
    On(Vec<usize>),
    /// All rows count as one that are equal in these output columns.
    By(Vec<usize>),
}

/// GROUP BY and the aggregates.
#[derive(Clone, Debug)]
pub struct Group {
    /// The keys.
    pub keys: Vec<Expr>,
    /// How many of the keys are compared; those after them are of any row of a group.
    pub compared: usize,
    /// What a group shows of its keys, where that is not what is compared: taken from its first row. Of all keys or of none.
    pub shown: Vec<Expr>,
    /// The grouping sets, each by places in `keys`; a plain GROUP BY is one set of all.
    pub sets: Vec<Vec<usize>>,
    /// Whether groups come in the order of the keys, those of a set after those of the larger ones that they sum up.
    pub nested: bool,
    /// The aggregates.
    pub aggregates: Vec<AggregateCall>,
    /// The calls of GROUPING, each by places in `keys`; their results come after the aggregates.
    pub groupings: Vec<Vec<usize>>,
}

/// One aggregate call.
#[derive(Clone)]
pub struct AggregateCall {
    /// The aggregate.
    pub aggregate: &'static Aggregate,
    /// Its arguments.
    pub args: Vec<Expr>,
    /// Their types.
    pub types: Vec<TypeId>,
    /// DISTINCT.
    pub distinct: bool,
    /// What tells its arguments apart under DISTINCT, where that is not themselves.
    pub by: Vec<Expr>,
    /// ORDER BY inside the call: expressions and directions.
    pub order: Vec<(Expr, SortKey)>,
    /// How many rows count, in that order.
    pub most: Option<Expr>,
    /// FILTER.
    pub filter: Option<Expr>,
    /// WITHIN GROUP: the direct arguments of an ordered-set aggregate come first.
    pub direct: Vec<Expr>,
    /// Its result type.
    pub ty: TypeId,
}

/// What a window call computes.
#[derive(Clone)]
pub enum WindowKind {
    /// A window function.
    Function(WindowFunction),
    /// An aggregate over the frame.
    Aggregate(Box<AggregateCall>),
}

/// One window call.
#[derive(Clone)]
pub struct WindowCall {
    /// What it computes.
    pub kind: WindowKind,
    /// Its arguments.
    pub args: Vec<Expr>,
    /// PARTITION BY.
    pub partition: Vec<Expr>,
    /// ORDER BY.
    pub order: Vec<(Expr, SortKey)>,
    /// The frame.
    pub frame: Frame,
    /// Its result type.
    pub ty: TypeId,
}

/// A window frame.
#[derive(Clone, Debug)]
pub struct Frame {
    /// ROWS, RANGE or GROUPS.
    pub units: FrameUnits,
    /// Where it begins.
    pub start: FrameBound,
    /// Where it ends.
    pub end: FrameBound,
    /// What is left out of it.
    pub exclude: Exclude,
}

/// What a frame leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Exclude {
    /// Nothing.
    #[default]
    NoOthers,
    /// The row itself.
    CurrentRow,
    /// The row and its peers.
    Group,
    /// Its peers, but not the row itself.
    Ties,
}

/// How a frame counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FrameUnits {
    Rows,
    Range,
    Groups,
}

/// An end of a frame.
#[derive(Clone)]
pub enum FrameBound {
    /// The beginning of the partition.
    UnboundedPreceding,
    /// So far before; for RANGE with what subtracts.
    Preceding(Expr, Option<Shift>),
    /// This row, or its peers.
    CurrentRow,
    /// So far after; for RANGE with what adds.
    Following(Expr, Option<Shift>),
    /// The end of the partition.
    UnboundedFollowing,
}

/// How a RANGE frame goes from the key of a row to where it begins or ends.
#[derive(Clone, Copy, Debug)]
pub struct Shift {
    /// Adds to the key or subtracts from it.
    pub function: &'static Function,
    /// The type of what comes out, which compares with the key.
    pub result: TypeId,
}

/// A set-returning call.
#[derive(Clone)]
pub struct SetCall {
    /// The function.
    pub function: &'static SetFunction,
    /// Its arguments.
    pub args: Vec<Expr>,
    /// Their types.
    pub types: Vec<TypeId>,
    /// The types of its columns.
    pub columns: Vec<TypeId>,
    /// What it gives: a value, or a row with its shape if the statement lists the columns.
    pub result: TypeId,
}

/// A direction to sort in. `column` is the output column, where it is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortKey {
    /// The output column.
    pub column: usize,
    /// DESC.
    pub descending: bool,
    /// NULLS FIRST.
    pub nulls_first: bool,
}

/// FROM.
#[derive(Clone, Debug)]
pub enum From {
    /// No FROM: one empty row.
    Nothing,
    /// One source.
    Item(Box<Item>),
    /// Several, one after the other, each seeing those before.
    Product(Vec<From>),
    /// An outer join.
    Outer(Box<Outer>),
    /// Conditions that need all of what comes before them.
    Filter(Box<From>, Vec<Expr>),
}

/// LEFT and FULL joins; RIGHT is a LEFT with its sides changed.
#[derive(Clone, Debug)]
pub struct Outer {
    /// The side that is kept.
    pub left: From,
    /// The side that may be missing, with the conditions of ON in it.
    pub right: From,
    /// The sources of the left.
    pub left_sources: Vec<usize>,
    /// The sources of the right.
    pub right_sources: Vec<usize>,
    /// FULL: rows of the right without a partner are kept too. `right` then has no ON in it.
    pub full: Option<Vec<Expr>>,
}

/// One source.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its number in the statement, for what is kept about it.
    pub id: usize,
    /// Its place in the tuple.
    pub source: usize,
    /// What it is.
    pub kind: ItemKind,
    /// Conditions to check as soon as it is there.
    pub filters: Vec<Expr>,
    /// Equalities with earlier sources, to find rows by a hash table: this side, the other side.
    pub hash: Vec<(Expr, Expr)>,
    /// The same with enclosing queries too: used where rows are kept whole, so that no cell is read for it.
    pub outer_hash: Vec<(Expr, Expr)>,
    /// Whether the rows that it looks through are the same every time.
    pub fixed: bool,
    /// Conditions on this source alone, where there are such equalities.
    pub own: Vec<Expr>,
    /// Whether its rows depend on nothing outside it.
    pub constant: bool,
}

/// What a source is. A plan has a few of these, so their size does not matter.
#[derive(Clone)]
#[allow(clippy::large_enum_variant)]
pub enum ItemKind {
    /// A table.
    Table {
        /// The table.
        table: Arc<Table>,
        /// How its rows are found.
        access: Access,
        /// The columns the filters on this source alone need, read first.
        first: Vec<usize>,
    },
    /// A table of the catalogue.
    Virtual(&'static SystemTable),
    /// A subquery.
    Query(Box<Query>),
    /// A WITH item.
    Cte(usize),
    /// Set-returning functions side by side (ROWS FROM), and whether their rows are numbered.
    Function(Vec<SetCall>, bool),
    /// A function that gives one value, as a row.
    Scalar(Vec<Expr>, bool),
}

/// How the rows of a table are found.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)]
pub enum Access {
    /// All rows.
    All,
    /// Those at some places, which `ctid` says.
    Places(Lookup),
    /// By the leading columns of an index, each equal to one of some values, then perhaps a range of the
    /// next.
    Index {
        /// The index.
        index: Arc<Index>,
        /// What the leading columns equal.
        equal: Vec<Lookup>,
        /// Bounds of the next column: expression and whether it is included.
        low: Option<(Expr, bool)>,
        /// The upper bound.
        high: Option<(Expr, bool)>,
    },
}

/// What a column of an index equals.
#[derive(Clone, Debug)]
pub enum Lookup {
    /// One of these values.
    Values(Vec<Expr>),
    /// One of the items of this array.
    Array(Expr),
}

/// FOR UPDATE and the like.
#[derive(Clone, Debug)]
pub struct RowLock {
    /// How strongly the rows are locked.
    pub lock: Lock,
    /// The tables whose rows it locks, by place.
    pub sources: Vec<usize>,
    /// What to do when somebody else has it.
    pub wait: LockWait,
}

/// What to do when a row is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockWait {
    /// Wait.
    Wait,
    /// Fail.
    NoWait,
    /// Leave the row out.
    Skip,
}

impl Expr {
    /// A constant.
    pub fn constant(value: Datum, ty: TypeId) -> Expr {
        Expr { kind: Kind::Const(value), ty, typmod: -1 }
    }

    /// Of a kind and type.
    pub fn new(kind: Kind, ty: TypeId) -> Expr {
        Expr { kind, ty, typmod: -1 }
    }

    /// TRUE.
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
