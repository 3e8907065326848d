//! What a file says: tables, transactions and invariants, with names resolved and every piece at its place.
//!
//! The tree has what the analysis knows how to treat, and nothing else: what it does not know is refused where the file is
//! read. Statements keep their text as written, too, so that a replay runs what the user wrote and not what we understood
//! of it: where [`ExprKind::Variable`] stands in the text, the replay puts the variable's value.

use std::ops::Range;

/// A part of the file, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Where it begins.
    pub start: u32,
    /// Where it has ended.
    pub end: u32,
}

impl Place {
    /// The part as a range of bytes.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether another part is inside.
    pub fn has(self, other: Place) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// A file that was read.
#[derive(Clone, Debug)]
pub struct Program {
    /// The file, as it is.
    pub text: String,
    /// Its tables, in the order of the file.
    pub tables: Vec<Table>,
    /// The statements of the file that define its schema, as they are: a replay begins with them.
    pub schema: Vec<Place>,
    /// Its transactions, in the order of the file.
    pub transactions: Vec<Transaction>,
    /// What holds of the state before anything runs, beside constraints.
    pub invariants: Vec<Invariant>,
}

/// A table of a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableId(pub u32);

/// A column of a [`Table`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColumnId(pub u32);

/// A variable or parameter of a [`Transaction`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(pub u32);

/// One of the rows a query speaks of at once: the place of its table in `FROM`, counted from zero. An UPDATE, INSERT or
/// DELETE has one, zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowId(pub u32);

/// What values a column or variable takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Whole numbers; dates and times, too, of which only the order matters.
    Int,
    /// Numbers with fractions.
    Decimal,
    /// Truth values.
    Bool,
    /// Text, which is compared for equality only.
    Text,
    /// A set of whole numbers, `int[]`: `FOREACH` goes through it, `= ANY` asks for membership.
    IntArray,
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its columns, in order.
    pub columns: Vec<Column>,
    /// The columns of its primary key. Without one, no two rows are the same and only scans find them.
    pub key: Vec<ColumnId>,
    /// Its other unique keys.
    pub unique: Vec<Vec<ColumnId>>,
    /// What every row satisfies: [`ExprKind::Column`]s are of [`RowId`] 0.
    pub checks: Vec<Expr>,
    /// Its foreign keys.
    pub references: Vec<Reference>,
    /// Its definition.
    pub place: Place,
}

/// A column.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub ty: Type,
    /// How many digits its fractions have, as two in `numeric(12, 2)`; the database rounds others to that.
    pub scale: Option<u32>,
    /// Whether it may be NULL; a primary key may not.
    pub nullable: bool,
    /// What it is when an INSERT does not say; absent is NULL.
    pub default: Option<Expr>,
}

/// A foreign key.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The columns that refer.
    pub columns: Vec<ColumnId>,
    /// The table referred to.
    pub table: TableId,
    /// The columns referred to, which are that table's primary key.
    pub to: Vec<ColumnId>,
    /// Whether deleting the row referred to deletes the row that refers; else it is an error.
    pub cascade: bool,
    /// Where it is said.
    pub place: Place,
}

/// What holds of the state before anything runs: for all rows of these tables, the condition.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// The tables it speaks of, one for each [`RowId`].
    pub from: Vec<TableId>,
    /// What holds of their rows.
    pub condition: Expr,
    /// Where it is said.
    pub place: Place,
}

/// A kind of transaction, which runs any number of times with any parameters.
#[derive(Clone, Debug)]
pub struct Transaction {
    /// Its name.
    pub name: String,
    /// Parameters first, then the variables it declares or assigns.
    pub variables: Vec<Variable>,
    /// How many of the variables are parameters.
    pub parameters: usize,
    /// What is known of the parameters.
    pub requires: Option<Expr>,
    /// The variable that says whether the last statement found a row, if the transaction asks.
    pub found: Option<VariableId>,
    /// Every place in SQL and expressions where a variable is named, in order: all of its name, `r.a` for a field. A
    /// replay puts the value there.
    pub mentions: Vec<(Place, VariableId)>,
    /// What it does.
    pub body: Vec<Statement>,
    /// All of it.
    pub place: Place,
}

/// A variable or parameter.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name; `r.a` for the field of a record.
    pub name: String,
    /// What it holds.
    pub ty: Type,
    /// What it holds first; absent is NULL. A parameter has none, and is not NULL.
    pub initial: Option<Expr>,
    /// Where it is first named.
    pub place: Place,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// All of it.
    pub place: Place,
    /// For SQL: its text, in pieces, without what PL/pgSQL adds to it (INTO and its targets). Else empty.
    pub sql: Vec<Place>,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `SELECT … [INTO …]`, `PERFORM`. Without targets, what is read is a result of the transaction.
    Select {
        /// What is read.
        query: Query,
        /// Where it goes, one for each output; NULL if there is no row.
        into: Vec<VariableId>,
        /// Whether other than one row is an error.
        strict: bool,
    },
    /// `INSERT … VALUES`.
    Insert {
        /// Into which table.
        table: TableId,
        /// The rows, one value for each column of the table, defaults filled in.
        rows: Vec<Vec<Expr>>,
        /// What happens when the key is there.
        conflict: Conflict,
        /// `RETURNING … INTO`.
        returning: Vec<(Expr, Option<VariableId>)>,
    },
    /// `UPDATE … SET … WHERE`.
    Update {
        /// Of which table.
        table: TableId,
        /// Which columns become what; key columns stay as they are.
        set: Vec<(ColumnId, Expr)>,
        /// Which rows.
        filter: Option<Expr>,
        /// `RETURNING … INTO`, of the new row.
        returning: Vec<(Expr, Option<VariableId>)>,
    },
    /// `DELETE … WHERE`.
    Delete {
        /// Of which table.
        table: TableId,
        /// Which rows.
        filter: Option<Expr>,
        /// `RETURNING … INTO`, of the old row.
        returning: Vec<(Expr, Option<VariableId>)>,
    },
    /// `variable := value`.
    Assign {
        /// What is assigned.
        variable: VariableId,
        /// What it becomes.
        value: Expr,
    },
    /// `IF … THEN … ELSIF … ELSE … END IF`.
    If {
        /// Conditions, tried in order, and what is done.
        arms: Vec<(Expr, Vec<Statement>)>,
        /// What is done if none holds.
        otherwise: Vec<Statement>,
    },
    /// `FOR … IN SELECT … LOOP`.
    ForQuery {
        /// The variables of the loop, one for each output.
        into: Vec<VariableId>,
        /// The rows it goes through, as they were before the first round.
        query: Query,
        /// What is done for each.
        body: Vec<Statement>,
    },
    /// `FOREACH … IN ARRAY … LOOP`.
    ForEach {
        /// The variable of the loop.
        variable: VariableId,
        /// The array it goes through.
        array: VariableId,
        /// What is done for each.
        body: Vec<Statement>,
    },
    /// `FOR … IN low .. high LOOP`.
    ForRange {
        /// The variable of the loop.
        variable: VariableId,
        /// The first value.
        low: Expr,
        /// The last value.
        high: Expr,
        /// What is done for each.
        body: Vec<Statement>,
    },
    /// `RAISE EXCEPTION`, `ROLLBACK`: the transaction ends and nothing of it stays.
    Abort,
    /// `RETURN`: the transaction ends, with a result.
    Return(Option<Expr>),
    /// `NULL`, `RAISE NOTICE`.
    Skip,
}

/// What an INSERT does when the primary key is there already.
#[derive(Clone, Debug)]
pub enum Conflict {
    /// It is an error.
    Error,
    /// `ON CONFLICT DO NOTHING`.
    Nothing,
    /// `ON CONFLICT … DO UPDATE SET`: columns of [`RowId`] 0 are of the row that is there, of 1 of the row proposed.
    Update(Vec<(ColumnId, Expr)>),
}

/// A SELECT.
#[derive(Clone, Debug)]
pub struct Query {
    /// Its tables, joined by the filter alone; empty for `SELECT 1`.
    pub from: Vec<TableId>,
    /// Which rows of them.
    pub filter: Option<Expr>,
    /// What is put out. If one has an [`ExprKind::Aggregate`], all are of all rows together, and there is one row of them.
    pub output: Vec<Expr>,
    /// `ORDER BY`, each with whether it descends.
    pub order: Vec<(Expr, bool)>,
    /// `LIMIT 1`.
    pub first_only: bool,
    /// `FOR UPDATE` or `FOR SHARE`: the rows are locked.
    pub lock: Option<Lock>,
    /// All of it.
    pub place: Place,
}

impl Query {
    /// Whether it puts out one row for all.
    pub fn is_aggregate(&self) -> bool {
        self.output.iter().any(Expr::has_aggregate)
    }
}

/// How a query locks its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// `FOR UPDATE`, `FOR NO KEY UPDATE`.
    Update,
    /// `FOR SHARE`, `FOR KEY SHARE`.
    Share,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// What values it takes.
    pub ty: Type,
    /// Where it stands.
    pub place: Place,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `NULL`.
    Null,
    /// A whole number.
    Int(i64),
    /// A number with a fraction, as a ratio.
    Decimal(i64, i64),
    /// A text.
    Text(String),
    /// A truth value.
    Bool(bool),
    /// A column of a row.
    Column(RowId, ColumnId),
    /// A variable; its place is all of its name in the text.
    Variable(VariableId),
    /// `NOT e`.
    Not(Box<Expr>),
    /// `-e`.
    Negate(Box<Expr>),
    /// Two operands.
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// `e IS NULL`.
    IsNull(Box<Expr>),
    /// `CASE WHEN … THEN … ELSE … END`.
    Case(Vec<(Expr, Expr)>, Option<Box<Expr>>),
    /// The first that is not NULL.
    Coalesce(Vec<Expr>),
    /// `e = ANY (array)`.
    Member(Box<Expr>, VariableId),
    /// `EXISTS (SELECT …)`. Its rows are its own: columns of the row outside do not occur in it.
    Exists(Box<Query>),
    /// `e IN (SELECT …)`.
    InQuery(Box<Expr>, Box<Query>),
    /// `(SELECT …)`.
    Scalar(Box<Query>),
    /// `count(*)` and others, in the output of a query.
    Aggregate(Aggregate, Option<Box<Expr>>),
    /// A value that nothing is known of: `now()`, `random()`.
    Choose,
}

impl Expr {
    /// The expressions right inside, but not the queries.
    pub fn inner(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Null
            | ExprKind::Int(_)
            | ExprKind::Decimal(..)
            | ExprKind::Text(_)
            | ExprKind::Bool(_)
            | ExprKind::Column(..)
            | ExprKind::Variable(_)
            | ExprKind::Exists(_)
            | ExprKind::Scalar(_)
            | ExprKind::Choose => Vec::new(),
            ExprKind::Not(e)
            | ExprKind::Negate(e)
            | ExprKind::IsNull(e)
            | ExprKind::Member(e, _)
            | ExprKind::InQuery(e, _) => vec![e],
            ExprKind::Binary(_, left, right) => vec![left, right],
            ExprKind::Case(arms, otherwise) => {
                let arms = arms.iter().flat_map(|(when, then)| [when, then]);
                arms.chain(otherwise.as_deref()).collect()
            }
            ExprKind::Coalesce(all) => all.iter().collect(),
            ExprKind::Aggregate(_, of) => of.as_deref().into_iter().collect(),
        }
    }

    /// Whether it speaks of all rows of its query together.
    pub fn has_aggregate(&self) -> bool {
        matches!(self.kind, ExprKind::Aggregate(..))
            || self.inner().into_iter().any(Expr::has_aggregate)
    }
}

/// An operator of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`; of whole numbers, towards zero.
    Divide,
    /// `%`, with the sign of the dividend.
    Modulo,
    /// `=`.
    Equal,
    /// `<>`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    AtMost,
    /// `>`.
    Greater,
    /// `>=`.
    AtLeast,
    /// `AND`.
    And,
    /// `OR`.
    Or,
}

impl Operator {
    /// How SQL writes it.
    pub fn sign(self) -> &'static str {
        match self {
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Modulo => "%",
            Operator::Equal => "=",
            Operator::NotEqual => "<>",
            Operator::Less => "<",
            Operator::AtMost => "<=",
            Operator::Greater => ">",
            Operator::AtLeast => ">=",
            Operator::And => "AND",
            Operator::Or => "OR",
        }
    }
}

/// What an aggregate says of all rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aggregate {
    /// `count(*)`, or of an expression: how often it is not NULL.
    Count,
    /// `count(DISTINCT e)`.
    CountDistinct,
    /// `sum(e)`.
    Sum,
    /// `min(e)`.
    Min,
    /// `max(e)`.
    Max,
}
