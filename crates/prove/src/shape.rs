//! What transactions can do to each other at most, by a look at their text: which fields each reads and writes.

use std::collections::BTreeSet;

use crate::execute::Field;
use crate::program::{
    Conflict, Expr, ExprKind, Program, Query, RowId, Statement, StatementKind, TableId, Transaction,
};

/// The fields that a transaction may read and write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Footprint {
    pub(crate) reads: BTreeSet<(TableId, Field)>,
    pub(crate) writes: BTreeSet<(TableId, Field)>,
}

impl Footprint {
    /// Whether an instance of the one may depend on one of the other.
    pub(crate) fn meets(&self, other: &Footprint) -> bool {
        let meets = |left: &BTreeSet<_>, right: &BTreeSet<_>| !left.is_disjoint(right);
        meets(&self.reads, &other.writes)
            || meets(&self.writes, &other.reads)
            || meets(&self.writes, &other.writes)
    }
}

/// How many rows of a table a block speaks of, about: a round of a loop counts twice.
pub(crate) fn uses(block: &[Statement], table: TableId) -> usize {
    let mut count = 0;
    walk(block, 1, &mut |statement, times| {
        let mut queries = Vec::new();
        queries_of(statement, &mut queries);
        for query in queries {
            count += times * query.from.iter().filter(|&&of| of == table).count();
        }
        match &statement.kind {
            StatementKind::Insert { table: of, rows, .. } if *of == table => {
                count += times * rows.len()
            }
            StatementKind::Update { table: of, .. } | StatementKind::Delete { table: of, .. }
                if *of == table =>
            {
                count += times;
            }
            _ => {}
        }
    });
    count
}

/// Visits the statements of a block, those inside others too.
pub(crate) fn every_statement(block: &[Statement], visit: &mut impl FnMut(&Statement)) {
    walk(block, 1, &mut |statement, _| visit(statement));
}

fn walk(block: &[Statement], times: usize, visit: &mut impl FnMut(&Statement, usize)) {
    for statement in block {
        visit(statement, times);
        match &statement.kind {
            StatementKind::If { arms, otherwise } => {
                arms.iter().for_each(|(_, block)| walk(block, times, visit));
                walk(otherwise, times, visit);
            }
            StatementKind::ForQuery { body, .. }
            | StatementKind::ForEach { body, .. }
            | StatementKind::ForRange { body, .. } => walk(body, times * 2, visit),
            _ => {}
        }
    }
}

/// The expressions of a statement, but not of the blocks in it.
fn expressions(statement: &Statement) -> Vec<&Expr> {
    match &statement.kind {
        StatementKind::Insert { rows, conflict, returning, .. } => {
            let mut all: Vec<&Expr> = rows.iter().flatten().collect();
            if let Conflict::Update(set) = conflict {
                all.extend(set.iter().map(|(_, value)| value));
            }
            all.extend(returning.iter().map(|(value, _)| value));
            all
        }
        StatementKind::Update { set, filter, returning, .. } => {
            let set = set.iter().map(|(_, value)| value);
            set.chain(filter).chain(returning.iter().map(|(value, _)| value)).collect()
        }
        StatementKind::Delete { filter, returning, .. } => {
            filter.iter().chain(returning.iter().map(|(value, _)| value)).collect()
        }
        StatementKind::Assign { value, .. } => vec![value],
        StatementKind::If { arms, .. } => arms.iter().map(|(condition, _)| condition).collect(),
        StatementKind::ForRange { low, high, .. } => vec![low, high],
        StatementKind::Return(value) => value.iter().collect(),
        StatementKind::Select { .. }
        | StatementKind::ForQuery { .. }
        | StatementKind::ForEach { .. }
        | StatementKind::Abort
        | StatementKind::Skip => Vec::new(),
    }
}

fn queries_of<'s>(statement: &'s Statement, to: &mut Vec<&'s Query>) {
    if let StatementKind::Select { query, .. } | StatementKind::ForQuery { query, .. } =
        &statement.kind
    {
        with_inner(query, to);
    }
    expressions(statement).into_iter().for_each(|expr| queries_in(expr, to));
}

fn with_inner<'s>(query: &'s Query, to: &mut Vec<&'s Query>) {
    to.push(query);
    let order = query.order.iter().map(|(expr, _)| expr);
    query.filter.iter().chain(&query.output).chain(order).for_each(|expr| queries_in(expr, to));
}

fn queries_in<'s>(expr: &'s Expr, to: &mut Vec<&'s Query>) {
    if let ExprKind::Exists(query) | ExprKind::Scalar(query) | ExprKind::InQuery(_, query) =
        &expr.kind
    {
        with_inner(query, to);
    }
    expr.inner().into_iter().for_each(|inner| queries_in(inner, to));
}

fn columns(expr: &Expr, to: &mut Vec<(RowId, Field)>) {
    if let ExprKind::Column(row, column) = expr.kind {
        to.push((row, Field::Column(column)));
    }
    expr.inner().into_iter().for_each(|inner| columns(inner, to));
}

/// What a transaction may read and write.
pub(crate) fn footprint(program: &Program, transaction: &Transaction) -> Footprint {
    let mut own = Footprint::default();
    let definition = |table: TableId| &program.tables[table.0 as usize];
    walk(&transaction.body, 1, &mut |statement, _| {
        let mut queries = Vec::new();
        queries_of(statement, &mut queries);
        for query in queries {
            own.reads.extend(query.from.iter().map(|&table| (table, Field::Alive)));
            let order = query.order.iter().map(|(expr, _)| expr);
            for expr in query.filter.iter().chain(&query.output).chain(order) {
                let mut named = Vec::new();
                columns(expr, &mut named);
                for (row, field) in named {
                    if let Some(&table) = query.from.get(row.0 as usize) {
                        own.reads.insert((table, field));
                    }
                }
            }
        }
        let (StatementKind::Insert { table, .. }
        | StatementKind::Update { table, .. }
        | StatementKind::Delete { table, .. }) = statement.kind
        else {
            return;
        };
        own.reads.insert((table, Field::Alive));
        for expr in expressions(statement) {
            let mut named = Vec::new();
            columns(expr, &mut named);
            own.reads.extend(named.into_iter().map(|(_, field)| (table, field)));
        }
        let all = || (0..definition(table).columns.len() as u32).map(crate::program::ColumnId);
        match &statement.kind {
            StatementKind::Insert { .. } => {
                own.writes.insert((table, Field::Alive));
                own.writes.extend(all().map(|column| (table, Field::Column(column))));
            }
            StatementKind::Update { set, .. } => {
                own.writes.extend(set.iter().map(|(column, _)| (table, Field::Column(*column))));
            }
            StatementKind::Delete { .. } => delete(program, table, &mut own),
            _ => {}
        }
        // Constraints read, too.
        for check in &definition(table).checks {
            let mut named = Vec::new();
            columns(check, &mut named);
            own.reads.extend(named.into_iter().map(|(_, field)| (table, field)));
        }
        for reference in &definition(table).references {
            own.reads.insert((reference.table, Field::Alive));
        }
        for &column in definition(table).unique.iter().flatten() {
            own.reads.insert((table, Field::Column(column)));
        }
    });
    own
}

/// Deleting a row reads, or deletes, those that refer to it.
fn delete(program: &Program, table: TableId, own: &mut Footprint) {
    own.reads.insert((table, Field::Alive));
    if !own.writes.insert((table, Field::Alive)) {
        return;
    }
    for (at, other) in program.tables.iter().enumerate() {
        for reference in other.references.iter().filter(|reference| reference.table == table) {
            let child = TableId(at as u32);
            own.reads.insert((child, Field::Alive));
            own.reads
                .extend(reference.columns.iter().map(|&column| (child, Field::Column(column))));
            if reference.cascade {
                delete(program, child, own);
            }
        }
    }
}
