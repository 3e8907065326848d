//! Statements that change rows, bound: what the binder makes of them, and the executor runs.
//!
//! A row that is changed is source 0 of the statement's tuple, and FROM or USING come after it. So
//! `UPDATE t SET a = a + u.b FROM u` assigns an expression over `(0, a)` and `(1, b)`. What an
//! INSERT proposes is a row of its own. An assignment is a column and its new value, and `None` is
//! DEFAULT, which the executor finds in the catalogue.

use std::sync::Arc;

use hobgoblin_front::Lock;

use super::{Cte, Expr, From, OutputColumn, Query, SortKey};
use hobgoblin_sql_schema::catalog::{Index, Table};

/// A statement that changes rows, with its WITH.
#[derive(Clone, Debug)]
pub struct Dml {
    /// The items of its WITH, in order.
    pub with: Vec<Cte>,
    /// The change, which runs after the items.
    pub kind: DmlKind,
    /// Tables that one part of the statement changes and another reads. The executor keeps their
    /// rows as they were, since the parts all see the table before the statement.
    pub frozen: Vec<Arc<Table>>,
}

/// Which change it is.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum DmlKind {
    Insert(Box<Insert>),
    Update(Box<Update>),
    Delete(Box<Delete>),
    Merge(Box<Merge>),
    Several(Box<ChangeSeveral>),
}

/// RETURNING: what is given for each row that was changed.
#[derive(Clone, Debug)]
pub struct Returning {
    /// The expressions, over the tuple of the changed row.
    pub project: Vec<Expr>,
    /// The names and types of the columns that are given.
    pub columns: Vec<OutputColumn>,
}

/// INSERT: rows from a source into one table.
#[derive(Clone, Debug)]
pub struct Insert {
    /// The table that gets the rows.
    pub table: Arc<Table>,
    /// Where the rows come from.
    pub source: InsertSource,
    /// The columns of the table that the source gives, in the order in which it does.
    pub columns: Vec<usize>,
    /// ON CONFLICT, if it is written.
    pub conflict: Option<Conflict>,
    /// What becomes of a row whose key is taken, whichever unique index has it.
    pub twins: Twins,
    /// Whether a value may be computed from columns of the same row that were given before it,
    /// which are source 0.
    pub reads_row: bool,
    /// The conditions of the views that the row is written through.
    pub checks: Vec<Check>,
    /// RETURNING, over the new row as source 0.
    pub returning: Option<Returning>,
}

/// What an INSERT does when a row that it inserts has the key of another, its twin.
#[derive(Clone, Debug)]
pub enum Twins {
    /// It fails, unless ON CONFLICT says otherwise.
    Refused,
    /// It leaves the row out with a warning, as it does with any row that cannot be written
    /// (IGNORE).
    PassedOver,
    /// It deletes the twins first (REPLACE).
    Replaced,
    /// It updates the first of the twins, which is source 0; the proposed row is source 1 (ON
    /// DUPLICATE KEY UPDATE).
    Updated {
        /// The columns of the twin and their new values; `None` is DEFAULT.
        sets: Vec<(usize, Option<Expr>)>,
        /// Whether an assignment sees the values assigned before it.
        in_order: bool,
        /// Whether a twin that cannot be updated is left as it is, with a warning.
        passes_over: bool,
    },
}

/// ORDER BY and LIMIT of an UPDATE or DELETE, which choose among the rows that it finds.
#[derive(Clone, Debug, Default)]
pub struct Pick {
    /// The order in which the rows are changed.
    pub order: Vec<(Expr, SortKey)>,
    /// How many rows are changed at most.
    pub limit: Option<Expr>,
}

/// UPDATE and DELETE of the rows of several tables, which a join finds.
#[derive(Clone, Debug)]
pub struct ChangeSeveral {
    /// The tables whose rows change, each with what happens to it.
    pub tables: Vec<TableChange>,
    /// How many sources the join has.
    pub sources: usize,
    /// The join. The conditions of WHERE are in it, each where its sources are first at hand.
    pub from: From,
    /// Whether the rows are deleted; otherwise they are updated.
    pub deletes: bool,
    /// Whether rows that cannot be changed are left as they are, with a warning (IGNORE).
    pub passes_over: bool,
}

/// What happens to the rows of one of the tables.
#[derive(Clone, Debug)]
pub struct TableChange {
    /// The table whose rows change.
    pub table: Arc<Table>,
    /// The place of the table among the sources of the join.
    pub source: usize,
    /// The columns and their new values, where rows are updated; `None` is DEFAULT.
    pub sets: Vec<(usize, Option<Expr>)>,
    /// Whether an assignment sees the values assigned before it.
    pub in_order: bool,
}

/// What gives the rows of an INSERT.
#[derive(Clone, Debug)]
pub enum InsertSource {
    /// The rows of VALUES; `None` is DEFAULT.
    Rows(Vec<Vec<Option<Expr>>>),
    /// A query, and each column of the table over the query's columns; `None` is DEFAULT.
    Query(Box<Query>, Vec<Option<Expr>>),
    /// One row of defaults (DEFAULT VALUES).
    Defaults,
}

/// ON CONFLICT: what is done when a row has the key of another.
#[derive(Clone, Debug)]
pub struct Conflict {
    /// The unique indexes whose conflicts are meant; empty for all.
    pub indexes: Vec<Arc<Index>>,
    /// What DO UPDATE does to the row that is there (source 0), given the row proposed (source 1);
    /// `None` is DO NOTHING.
    pub update: Option<ConflictUpdate>,
    /// Whether a constraint of one of the indexes is DEFERRABLE. The executor then refuses the
    /// statement.
    pub deferrable: bool,
}

/// DO UPDATE of an ON CONFLICT.
#[derive(Clone, Debug)]
pub struct ConflictUpdate {
    /// The columns and their new values; `None` is DEFAULT.
    pub sets: Vec<(usize, Option<Expr>)>,
    /// The condition without which the row is left as it is.
    pub filter: Option<Expr>,
    /// How strongly the row is locked.
    pub lock: Lock,
}

/// UPDATE of one table, which is source 0.
#[derive(Clone, Debug)]
pub struct Update {
    /// The table whose rows change.
    pub table: Arc<Table>,
    /// How many sources there are: the table, and those of FROM.
    pub sources: usize,
    /// The table and FROM. The conditions of WHERE are in it, each where its sources are first at
    /// hand.
    pub from: From,
    /// The conditions of WHERE again. When a row turns out to have been changed before it could be
    /// locked, its new version is checked with them.
    pub recheck: Vec<Expr>,
    /// The columns and their new values; `None` is DEFAULT.
    pub sets: Vec<(usize, Option<Expr>)>,
    /// How strongly the row is locked.
    pub lock: Lock,
    /// The columns of keys and their new values, if these can be computed before the row is locked.
    /// A row whose keys all stay the same is locked more lightly.
    pub keys: Vec<(usize, Expr)>,
    /// Whether an assignment sees the values assigned before it.
    pub in_order: bool,
    /// Whether a row is not written that would stay the same.
    pub spares: bool,
    /// Whether rows that cannot be changed are left as they are, with a warning (IGNORE).
    pub passes_over: bool,
    /// ORDER BY and LIMIT, if they choose among the rows.
    pub pick: Option<Box<Pick>>,
    /// The conditions of the views that the row is written through.
    pub checks: Vec<Check>,
    /// RETURNING, over the changed row and the sources of FROM.
    pub returning: Option<Returning>,
}

/// DELETE from one table, which is source 0.
#[derive(Clone, Debug)]
pub struct Delete {
    /// The table that loses the rows.
    pub table: Arc<Table>,
    /// How many sources there are: the table, and those of USING.
    pub sources: usize,
    /// The table and USING. The conditions of WHERE are in it, each where its sources are first at
    /// hand.
    pub from: From,
    /// The conditions of WHERE again. When a row turns out to have been changed before it could be
    /// locked, its new version is checked with them.
    pub recheck: Vec<Expr>,
    /// Whether rows that cannot be deleted are left, with a warning (IGNORE).
    pub passes_over: bool,
    /// ORDER BY and LIMIT, if they choose among the rows.
    pub pick: Option<Box<Pick>>,
    /// RETURNING, over the deleted row and the sources of USING.
    pub returning: Option<Returning>,
}

/// MERGE into a table, which is source 0. Its row is missing for rows of the source that nothing
/// matches.
#[derive(Clone, Debug)]
pub struct Merge {
    /// The table that is merged into.
    pub table: Arc<Table>,
    /// How many sources there are: the table, and those that are merged.
    pub sources: usize,
    /// The sources that are merged, left joined with the table.
    pub from: From,
    /// The conditions of ON again. When a row turns out to have been changed before it could be
    /// locked, its new version is checked with them.
    pub on: Vec<Expr>,
    /// The clauses WHEN MATCHED, of which the first that applies is done.
    pub matched: Vec<MergeClause>,
    /// The clauses WHEN NOT MATCHED, of which the first that applies is done.
    pub unmatched: Vec<MergeClause>,
}

/// A clause WHEN … THEN of a MERGE.
#[derive(Clone, Debug)]
pub struct MergeClause {
    /// The condition after AND; `None` applies always.
    pub condition: Option<Expr>,
    /// What is done to the row.
    pub action: MergeAction,
}

/// What a WHEN clause does. In its assignments `None` is DEFAULT.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum MergeAction {
    Update { sets: Vec<(usize, Option<Expr>)>, lock: Lock },
    Insert { values: Vec<(usize, Option<Expr>)> },
    Delete,
    Nothing,
}

/// WITH CHECK OPTION of a view: what a row must satisfy that is written through it.
#[derive(Clone, Debug)]
pub struct Check {
    /// The name of the view, for the message.
    pub view: String,
    /// The conditions of the view, over the row of the table.
    pub conditions: Vec<Expr>,
}

impl Dml {
    /// The table whose rows change; of several, the first.
    pub fn table(&self) -> &Arc<Table> {
        match &self.kind {
            DmlKind::Insert(insert) => &insert.table,
            DmlKind::Update(update) => &update.table,
            DmlKind::Delete(delete) => &delete.table,
            DmlKind::Merge(merge) => &merge.table,
            DmlKind::Several(several) => &several.tables[0].table,
        }
    }

    /// The columns of RETURNING; `None` without it.
    pub fn columns(&self) -> Option<&[OutputColumn]> {
        let returning = match &self.kind {
            DmlKind::Insert(insert) => &insert.returning,
            DmlKind::Update(update) => &update.returning,
            DmlKind::Delete(delete) => &delete.returning,
            DmlKind::Merge(_) | DmlKind::Several(_) => return None,
        };
        returning.as_ref().map(|returning| &returning.columns[..])
    }
}
