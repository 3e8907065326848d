//! Clauses that the parser's syntax tree has no place for.
//!
//! A statement is its syntax tree and one table of these, which says of a token that the tree keeps, by the
//! place of that token in the text, what else was written about it:
//!
//! ```text
//!     SELECT a FROM t FOR NO KEY UPDATE OF t            Locking      at SELECT
//!     INSERT INTO t OVERRIDING USER VALUE SELECT …      Overriding   at INSERT
//!     INSERT … ON CONFLICT (lower(u)) WHERE live DO …   Inference    at INSERT
//!     UPDATE t SET xs[2] = 5                            Subscripts   at xs
//!     FETCH FIRST (n + 1) ROWS WITH TIES                Quantity     at (
//!     sum(a) OVER (ORDER BY a GROUPS … EXCLUDE TIES)    Excluded     at sum
//!     SELECT a FROM t GROUP BY a DESC                   GroupOrder   at SELECT
//! ```
//!
//! Two tokens of one text have two places, so a clause has one owner. Trees of two texts share no table: a view
//! brings its own along with its query, and whoever goes from a statement into a view changes tables.
//!
//! Where an expression may stand, the tree has a node for a word before it, which prints as it was written:
//! [`Prefix`] makes and reads those.

use std::collections::BTreeMap;
use std::sync::Arc;

use sqlparser::ast::{Expr, Ident, ObjectName, OrderByExpr, Query, SetExpr, Subscript};
use sqlparser::tokenizer::{Location, Span};

/// How strongly a locking clause locks rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// FOR KEY SHARE: others may change the row, but not its key.
    KeyShare,
    /// FOR SHARE: no one else may change the row.
    Share,
    /// FOR NO KEY UPDATE.
    NoKeyUpdate,
    /// FOR UPDATE: no one else may lock the row at all.
    Update,
}

/// What a locking clause does about a row that another transaction has locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// It waits until the other transaction ends.
    Wait,
    /// NOWAIT: the statement fails.
    NoWait,
    /// SKIP LOCKED: the statement goes on without the row.
    Skip,
    /// WAIT n: it waits at most so many seconds, and then the statement fails.
    Seconds(u64),
}

/// A locking clause of a query, such as FOR UPDATE.
#[derive(Clone, Debug)]
pub struct Locking {
    /// How strongly the rows are locked.
    pub strength: Strength,
    /// The sources whose rows are locked; all of them where none is named.
    pub of: Vec<ObjectName>,
    /// What happens when a row is locked by another transaction.
    pub waiting: Waiting,
}

/// Whether an INSERT overrides what an identity column does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overriding {
    /// OVERRIDING SYSTEM VALUE: the values that the INSERT gives are written.
    System,
    /// OVERRIDING USER VALUE: they are dropped, and the column takes its next number.
    User,
}

/// The target of ON CONFLICT where it is more than a list of columns. The unique index that has the
/// same elements and condition is meant.
#[derive(Clone, Debug)]
pub struct Inference {
    /// The columns and expressions of the index.
    pub elements: Vec<Expr>,
    /// The condition after the elements, which a partial index must have.
    pub predicate: Option<Expr>,
}

/// What a window's frame leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excluded {
    /// EXCLUDE CURRENT ROW: the row itself.
    CurrentRow,
    /// EXCLUDE GROUP: the row and all that sort like it.
    Group,
    /// EXCLUDE TIES: the rows that sort like it, but not the row itself.
    Ties,
    /// EXCLUDE NO OTHERS, which is what holds where nothing is said.
    NoOthers,
}

/// How far WITH CHECK OPTION of a view goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckOption {
    /// The view's own condition.
    Local,
    /// The conditions of the views below it as well.
    Cascaded,
}

impl CheckOption {
    /// Its name among the options of a view.
    pub fn name(self) -> &'static str {
        match self {
            CheckOption::Local => "local",
            CheckOption::Cascaded => "cascaded",
        }
    }
}

/// One clause, with what it is about.
#[derive(Clone, Debug)]
enum Clause {
    /// A locking clause of a query, at its [`query_place`].
    Locking(Locking),
    /// OVERRIDING of an INSERT, at the word INSERT.
    Overriding(Overriding),
    /// The target of ON CONFLICT of an INSERT, at the word INSERT.
    Inference(Inference),
    /// INSERT DEFAULT VALUES of a MERGE, by its first word.
    DefaultValues,
    /// Subscripts of a column that is assigned to, at its name.
    Subscripts(Vec<Subscript>),
    /// How many rows FETCH FIRST takes, by the number that stands in the tree.
    Quantity(Expr),
    /// What the frame of a window leaves out, at the name of the called function or of the window.
    Excluded(Excluded),
    /// The select list is empty, by the word SELECT.
    NoColumns,
    /// DROP INDEX CONCURRENTLY, by the first index.
    Concurrently,
    /// `[NOT] DEFERRABLE` among the modes of a transaction.
    Deferrable(bool),
    /// WHERE of a COPY FROM.
    Filter(Expr),
    /// WITH CHECK OPTION of a view.
    CheckOption(CheckOption),
    /// Where the query of a CREATE VIEW stands.
    Defined(Span),
    /// GROUP BY whose keys have an order, by the word SELECT.
    GroupOrder(Vec<OrderByExpr>),
}

/// The clauses of one statement, or of one view. It costs nothing while it is empty, and little to share.
#[derive(Clone, Debug, Default)]
pub struct Clauses {
    table: Option<Arc<BTreeMap<Location, Vec<Clause>>>>,
}

/// Where the clauses about a whole statement are.
const STATEMENT: Location = Location { line: 0, column: 0 };

impl Clauses {
    /// The clauses of a statement without any.
    pub const NONE: Clauses = Clauses { table: None };

    fn add(&mut self, place: Location, clause: Clause) {
        Arc::make_mut(self.table.get_or_insert_default()).entry(place).or_default().push(clause);
    }

    fn find<'a, T>(
        &'a self,
        place: Location,
        wanted: impl Fn(&'a Clause) -> Option<T>,
    ) -> Option<T> {
        self.table.as_ref()?.get(&place)?.iter().find_map(wanted)
    }

    /// Adds a locking clause to the query whose SELECT, or first row of VALUES, is at a place.
    pub fn add_locking(&mut self, query: Location, locking: Locking) {
        self.add(query, Clause::Locking(locking));
    }

    /// The locking clauses of a query.
    pub fn locking(&self, query: &Query) -> impl Iterator<Item = &Locking> {
        // A query in parentheses has those that follow it.
        let own = self.table.as_ref().filter(|_| !matches!(&*query.body, SetExpr::Query(_)));
        let found = own.and_then(|table| table.get(&query_place(&query.body)?));
        found.into_iter().flatten().filter_map(|clause| match clause {
            Clause::Locking(locking) => Some(locking),
            _ => None,
        })
    }

    /// Adds OVERRIDING to the INSERT at a place.
    pub fn add_overriding(&mut self, insert: Location, overriding: Overriding) {
        self.add(insert, Clause::Overriding(overriding));
    }

    /// OVERRIDING of the INSERT at a place.
    pub fn overriding(&self, insert: Location) -> Option<Overriding> {
        self.find(insert, |clause| match clause {
            Clause::Overriding(overriding) => Some(*overriding),
            _ => None,
        })
    }

    /// Adds the target of ON CONFLICT to the INSERT at a place.
    pub fn add_inference(&mut self, insert: Location, inference: Inference) {
        self.add(insert, Clause::Inference(inference));
    }

    /// The target of ON CONFLICT of the INSERT at a place, where it is more than columns.
    pub fn inference(&self, insert: Location) -> Option<&Inference> {
        self.find(insert, |clause| match clause {
            Clause::Inference(inference) => Some(inference),
            _ => None,
        })
    }

    /// Says that the INSERT of a MERGE at a place has DEFAULT VALUES.
    pub fn add_default_values(&mut self, insert: Location) {
        self.add(insert, Clause::DefaultValues);
    }

    /// Whether the INSERT of a MERGE at a place has DEFAULT VALUES.
    pub fn default_values(&self, insert: Location) -> bool {
        self.find(insert, |clause| matches!(clause, Clause::DefaultValues).then_some(())).is_some()
    }

    /// Adds subscripts to the column that is assigned to at a place.
    pub fn add_subscripts(&mut self, column: Location, subscripts: Vec<Subscript>) {
        self.add(column, Clause::Subscripts(subscripts));
    }

    /// The subscripts of a column that is assigned to.
    pub fn subscripts(&self, column: &Ident) -> &[Subscript] {
        let found = self.find(column.span.start, |clause| match clause {
            Clause::Subscripts(subscripts) => Some(subscripts.as_slice()),
            _ => None,
        });
        found.unwrap_or_default()
    }

    /// Says what the number at a place in FETCH FIRST stands for.
    pub fn add_quantity(&mut self, number: Location, quantity: Expr) {
        self.add(number, Clause::Quantity(quantity));
    }

    /// What a number in FETCH FIRST stands for, if it is more than a number.
    pub fn quantity(&self, number: Location) -> Option<&Expr> {
        self.find(number, |clause| match clause {
            Clause::Quantity(quantity) => Some(quantity),
            _ => None,
        })
    }

    /// Adds what the frame leaves out to the window at a place.
    pub fn add_excluded(&mut self, window: Location, excluded: Excluded) {
        self.add(window, Clause::Excluded(excluded));
    }

    /// What the frame of a window leaves out, by the name of the function or of the window.
    pub fn excluded(&self, window: &Ident) -> Excluded {
        let found = self.find(window.span.start, |clause| match clause {
            Clause::Excluded(excluded) => Some(*excluded),
            _ => None,
        });
        found.unwrap_or(Excluded::NoOthers)
    }

    /// Says that the select list after the SELECT at a place is empty.
    pub fn add_no_columns(&mut self, select: Location) {
        self.add(select, Clause::NoColumns);
    }

    /// Whether the select list after the SELECT at a place is empty, whatever stands in the tree for it.
    pub fn no_columns(&self, select: Location) -> bool {
        self.find(select, |clause| matches!(clause, Clause::NoColumns).then_some(())).is_some()
    }

    /// Says that the index at a place is dropped concurrently.
    pub fn add_concurrently(&mut self, index: Location) {
        self.add(index, Clause::Concurrently);
    }

    /// Whether the indexes of a DROP INDEX are dropped concurrently, by their names.
    pub fn concurrently(&self, names: &[ObjectName]) -> bool {
        let first = names.first().and_then(|name| name.0.first()?.as_ident());
        let found = first.and_then(|first| {
            self.find(first.span.start, |clause| {
                matches!(clause, Clause::Concurrently).then_some(())
            })
        });
        found.is_some()
    }

    /// Adds `[NOT] DEFERRABLE` to the modes of a transaction.
    pub fn add_deferrable(&mut self, deferrable: bool) {
        self.add(STATEMENT, Clause::Deferrable(deferrable));
    }

    /// `[NOT] DEFERRABLE` among the modes of a transaction.
    pub fn deferrable(&self) -> Option<bool> {
        self.find(STATEMENT, |clause| match clause {
            Clause::Deferrable(deferrable) => Some(*deferrable),
            _ => None,
        })
    }

    /// Adds WHERE to a COPY FROM.
    pub fn add_filter(&mut self, filter: Expr) {
        self.add(STATEMENT, Clause::Filter(filter));
    }

    /// WHERE of a COPY FROM.
    pub fn filter(&self) -> Option<&Expr> {
        self.find(STATEMENT, |clause| match clause {
            Clause::Filter(filter) => Some(filter),
            _ => None,
        })
    }

    /// The expressions that stand in the tree as something else.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let all = self.table.iter().flat_map(|table| table.values().flatten());
        all.filter_map(|clause| match clause {
            Clause::Quantity(quantity) => Some(quantity),
            _ => None,
        })
    }

    /// The same, to change them.
    pub fn expressions_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let table = self.table.as_mut().map(Arc::make_mut);
        let all = table.into_iter().flat_map(|table| table.values_mut().flatten());
        all.filter_map(|clause| match clause {
            Clause::Quantity(quantity) => Some(quantity),
            _ => None,
        })
    }

    /// Adds WITH CHECK OPTION to a CREATE VIEW.
    pub fn add_check_option(&mut self, option: CheckOption) {
        self.add(STATEMENT, Clause::CheckOption(option));
    }

    /// WITH CHECK OPTION of a CREATE VIEW.
    pub fn check_option(&self) -> Option<CheckOption> {
        self.find(STATEMENT, |clause| match clause {
            Clause::CheckOption(option) => Some(*option),
            _ => None,
        })
    }

    /// Adds the order of the keys of GROUP BY to the SELECT at a place: that of the rows where there is no ORDER BY.
    pub fn add_group_order(&mut self, select: Location, keys: Vec<OrderByExpr>) {
        self.add(select, Clause::GroupOrder(keys));
    }

    /// The order of the keys of GROUP BY, of the SELECT at a place, if they have one.
    pub fn group_order(&self, select: Location) -> Option<&[OrderByExpr]> {
        self.find(select, |clause| match clause {
            Clause::GroupOrder(keys) => Some(keys.as_slice()),
            _ => None,
        })
    }

    /// Says where the query of a CREATE VIEW stands.
    pub fn add_defined(&mut self, query: Span) {
        self.add(STATEMENT, Clause::Defined(query));
    }

    /// Where the query of a CREATE VIEW stands.
    pub fn defined(&self) -> Option<Span> {
        self.find(STATEMENT, |clause| match clause {
            Clause::Defined(query) => Some(*query),
            _ => None,
        })
    }
}

/// The place by which a query is known: its last SELECT, or the first row of its last VALUES, that no parentheses
/// of its own enclose; where there is none, that of the last query in parentheses.
pub fn query_place(body: &SetExpr) -> Option<Location> {
    let (mut bare, mut enclosed): (_, Option<&Query>) = (None, None);
    let mut open = vec![body];
    while let Some(body) = open.pop() {
        match body {
            SetExpr::Select(select) => bare = Some(select.select_token.0.span.start),
            SetExpr::Values(values) => {
                bare = values.rows.first().map(|row| row.opening_token.0.span.start);
            }
            SetExpr::Query(query) => enclosed = enclosed.or(Some(&**query)),
            SetExpr::SetOperation { left, right, .. } => open.extend([&**left, &**right]),
            _ => {}
        }
        if bare.is_some() {
            return bare;
        }
    }
    enclosed.and_then(|query| query_place(&query.body))
}

/// A word before an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefix {
    /// `VARIADIC array`, as the last argument of a call.
    Variadic,
    /// `CURRENT OF cursor`, as the condition of an UPDATE or DELETE.
    CurrentOf,
}

impl Prefix {
    fn words(self) -> &'static str {
        match self {
            Prefix::Variadic => "VARIADIC",
            Prefix::CurrentOf => "CURRENT OF",
        }
    }

    /// The expression with this word before it, as one node of the tree.
    pub fn before(self, value: Expr) -> Expr {
        Expr::Prefixed { prefix: Ident::new(self.words()), value: Box::new(value) }
    }

    /// The expression after the word, if `expr` is one that has this word before it.
    pub fn after(self, expr: &Expr) -> Option<&Expr> {
        match expr {
            Expr::Prefixed { prefix, value } if prefix.value == self.words() => Some(value),
            _ => None,
        }
    }
}
