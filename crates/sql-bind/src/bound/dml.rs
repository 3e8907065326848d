//! Bound statements that change rows.

use std::sync::Arc;

use hobgoblin_front::Lock;

use super::{Cte, Expr, From, OutputColumn, Query, SortKey};
use hobgoblin_sql_schema::catalog::{Index, Table};

/// A statement that changes rows.
#[derive(Clone, Debug)]
pub struct Dml {
    /// Its WITH items.
    pub with: Vec<Cte>,
    /// What it does.
    pub kind: DmlKind,
    /// Tables that are read after they are written, as they were before the statement.
    pub frozen: Vec<Arc<Table>>,
}

/// What it does.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum DmlKind {
    Insert(Box<Insert>),
    Update(Box<Update>),
    Delete(Box<Delete>),
    Merge(Box<Merge>),
    Several(Box<ChangeSeveral>),
}

/// RETURNING.
#[derive(Clone, Debug)]
pub struct Returning {
    /// The expressions, over the tuple of the statement.
    pub project: Vec<Expr>,
    /// The columns.
    pub columns: Vec<OutputColumn>,
}

/// INSERT.
#[derive(Clone, Debug)]
pub struct Insert {
    /// The table that gets the rows.
    pub table: Arc<Table>,
    /// Where the rows come from.
    pub source: InsertSource,
    /// The columns given, in the order of the source.
    pub columns: Vec<usize>,
    /// ON CONFLICT.
    pub conflict: Option<Conflict>,
    /// What is done about rows that are in the way, where every unique index counts.
    pub twins: Twins,
    /// Whether values are made of what the row holds so far, as source 0.
    pub reads_row: bool,
    /// What the view it goes through asks of a row.
    pub checks: Vec<Check>,
    /// RETURNING, over the new row as source 0.
    pub returning: Option<Returning>,
}

/// What is done about rows that a row to insert is not to be beside.
#[derive(Clone, Debug)]
pub enum Twins {
    /// It is an error, unless ON CONFLICT says something.
    Refused,
    /// The row is left out, and so is one that fails otherwise; that is told of.
    PassedOver,
    /// They are deleted first.
    Replaced,
    /// The first of them (source 0) is changed instead; the row proposed is source 1.
    Updated {
        /// SET; `None` is DEFAULT.
        sets: Vec<(usize, Option<Expr>)>,
        /// Whether an assignment sees one before it.
        in_order: bool,
        /// Whether what goes wrong is passed over.
        passes_over: bool,
    },
}

/// Which of the rows that a statement finds it changes: so many, in an order.
#[derive(Clone, Debug, Default)]
pub struct Pick {
    /// ORDER BY.
    pub order: Vec<(Expr, SortKey)>,
    /// LIMIT.
    pub limit: Option<Expr>,
}

/// UPDATE and DELETE of the rows of several tables, which a join finds.
#[derive(Clone, Debug)]
pub struct ChangeSeveral {
    /// The tables whose rows change.
    pub tables: Vec<TableChange>,
    /// How many sources there are.
    pub sources: usize,
    /// The join, with WHERE spread over it.
    pub from: From,
    /// Whether rows are deleted.
    pub deletes: bool,
    /// Whether rows that cannot be changed are passed over.
    pub passes_over: bool,
}

/// What happens to the rows of one of several tables.
#[derive(Clone, Debug)]
pub struct TableChange {
    /// The table.
    pub table: Arc<Table>,
    /// Which source it is.
    pub source: usize,
    /// SET; `None` is DEFAULT.
    pub sets: Vec<(usize, Option<Expr>)>,
    /// Whether an assignment sees one before it.
    pub in_order: bool,
}

/// Where the rows of an INSERT come from.
#[derive(Clone, Debug)]
pub enum InsertSource {
    /// VALUES; `None` is DEFAULT.
    Rows(Vec<Vec<Option<Expr>>>),
    /// A query, and how its columns become the table's; `None` is DEFAULT.
    Query(Box<Query>, Vec<Option<Expr>>),
    /// DEFAULT VALUES.
    Defaults,
}

/// ON CONFLICT.
#[derive(Clone, Debug)]
pub struct Conflict {
    /// The indexes that count; empty for all.
    pub indexes: Vec<Arc<Index>>,
    /// DO UPDATE: over the row there (source 0) and the row proposed (source 1).
    pub update: Option<ConflictUpdate>,
    /// Whether one of the indexes is of a constraint that can be deferred, which ON CONFLICT refuses.
    pub deferrable: bool,
}

/// DO UPDATE.
#[derive(Clone, Debug)]
pub struct ConflictUpdate {
    /// SET; `None` is DEFAULT.
    pub sets: Vec<(usize, Option<Expr>)>,
    /// WHERE.
    pub filter: Option<Expr>,
    /// How the row is locked.
    pub lock: Lock,
}

/// UPDATE. The table is source 0.
#[derive(Clone, Debug)]
pub struct Update {
    /// The table whose rows change.
    pub table: Arc<Table>,
    /// How many sources there are.
    pub sources: usize,
    /// The table and FROM, with WHERE spread over them.
    pub from: From,
    /// WHERE again, to check on a newer version of the row.
    pub recheck: Vec<Expr>,
    /// SET; `None` is DEFAULT.
    pub sets: Vec<(usize, Option<Expr>)>,
    /// How the row is locked.
    pub lock: Lock,
    /// What the columns of keys are set to, if that can be told before the row is locked: where none of them
    /// changes it is locked more lightly.
    pub keys: Vec<(usize, Expr)>,
    /// Whether an assignment sees one before it.
    pub in_order: bool,
    /// Whether a row that does not change is left alone.
    pub spares: bool,
    /// Whether rows that cannot be changed are passed over.
    pub passes_over: bool,
    /// Which of the rows that are found, where not all of them.
    pub pick: Option<Box<Pick>>,
    /// What the view it goes through asks of a row.
    pub checks: Vec<Check>,
    /// RETURNING.
    pub returning: Option<Returning>,
}

/// DELETE. The table is source 0.
#[derive(Clone, Debug)]
pub struct Delete {
    /// The table that loses the rows.
    pub table: Arc<Table>,
    /// How many sources there are.
    pub sources: usize,
    /// The table and USING, with WHERE spread over them.
    pub from: From,
    /// WHERE again, to check on a newer version of the row.
    pub recheck: Vec<Expr>,
    /// Whether rows that cannot be deleted are passed over.
    pub passes_over: bool,
    /// Which of the rows that are found, where not all of them.
    pub pick: Option<Box<Pick>>,
    /// RETURNING.
    pub returning: Option<Returning>,
}

/// MERGE. The table is source 0; it has no row where nothing matches.
#[derive(Clone, Debug)]
pub struct Merge {
    /// The table that is merged into.
    pub table: Arc<Table>,
    /// How many sources there are.
    pub sources: usize,
    /// What is merged, left joined with the table.
    pub from: From,
    /// ON again, to check on a newer version of the row.
    pub on: Vec<Expr>,
    /// WHEN MATCHED.
    pub matched: Vec<MergeClause>,
    /// WHEN NOT MATCHED.
    pub unmatched: Vec<MergeClause>,
}

/// WHEN … THEN.
#[derive(Clone, Debug)]
pub struct MergeClause {
    /// What must hold beside the match.
    pub condition: Option<Expr>,
    /// What to do.
    pub action: MergeAction,
}

/// What a WHEN clause does; `None` among values is DEFAULT.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum MergeAction {
    Update { sets: Vec<(usize, Option<Expr>)>, lock: Lock },
    Insert { values: Vec<(usize, Option<Expr>)> },
    Delete,
    Nothing,
}

/// WITH CHECK OPTION: what a row must be to be written through a view.
#[derive(Clone, Debug)]
pub struct Check {
    /// The view.
    pub view: String,
    /// Its conditions, over the row of the table.
    pub conditions: Vec<Expr>,
}

impl Dml {
    /// The table it changes.
    pub fn table(&self) -> &Arc<Table> {
        match &self.kind {
            DmlKind::Insert(insert) => &insert.table,
            DmlKind::Update(update) => &update.table,
            DmlKind::Delete(delete) => &delete.table,
            DmlKind::Merge(merge) => &merge.table,
            DmlKind::Several(several) => &several.tables[0].table,
        }
    }

    /// The columns it returns, if it returns rows.
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
