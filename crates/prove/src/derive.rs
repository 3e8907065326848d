//! Derives [`Lemmas`] from the text of a program, and asks the solver where the text does not tell.

use crate::lemma::Lemmas;
use crate::open::Open;
use crate::program::{ColumnId, Program, StatementKind, TableId, Type};
use crate::search::Ask;
use crate::shape::every_statement;
use crate::smt::{Answer, SolverError};
use crate::specification::Specification;
use crate::value::Texts;

/// Why a column is a counter, as a question that nothing satisfies.
pub(crate) struct Reason {
    pub(crate) why: String,
    pub(crate) script: String,
}

/// Finds the facts; what the solver was asked for them is part of the proofs that use them.
pub(crate) fn derive(
    program: &Program,
    texts: &Texts,
    specification: &Specification,
    ask: &dyn Ask,
) -> Result<(Lemmas, Vec<Reason>), SolverError> {
    let count = program.tables.len();
    let mut lemmas = Lemmas { inserters: vec![Vec::new(); count], ..Lemmas::default() };
    let mut changes = vec![false; count];
    for (at, transaction) in program.transactions.iter().enumerate() {
        every_statement(&transaction.body, &mut |statement| match &statement.kind {
            StatementKind::Insert { table, .. } => {
                changes[table.0 as usize] = true;
                lemmas.inserters[table.0 as usize].push(at);
            }
            StatementKind::Delete { table, .. } => changes[table.0 as usize] = true,
            _ => {}
        });
    }
    lemmas.inserters.iter_mut().for_each(|list| list.dedup());
    // Rows go with those that they refer to.
    loop {
        let goes = program.tables.iter().enumerate().position(|(at, table)| {
            let mut cascades = table.references.iter().filter(|reference| reference.cascade);
            !changes[at] && cascades.any(|reference| changes[reference.table.0 as usize])
        });
        let Some(at) = goes else { break };
        changes[at] = true;
    }
    let tables = (0..count as u32).map(TableId);
    lemmas.constant = tables.filter(|table| !changes[table.0 as usize]).collect();
    let mut reasons = Vec::new();
    for &table in &lemmas.constant {
        let definition = &program.tables[table.0 as usize];
        for (at, column) in definition.columns.iter().enumerate() {
            let id = ColumnId(at as u32);
            if !matches!(column.ty, Type::Int | Type::Decimal)
                || column.nullable
                || definition.key.contains(&id)
            {
                continue;
            }
            if let Some(found) = grows(program, texts, specification, (table, id), ask)? {
                lemmas.counters.push((table, id));
                reasons.extend(found);
            }
        }
    }
    Ok((lemmas, reasons))
}

/// Whether every change of a column makes it greater, and is made by one who sees earlier changes; if so, why.
fn grows(
    program: &Program,
    texts: &Texts,
    specification: &Specification,
    (table, column): (TableId, ColumnId),
    ask: &dyn Ask,
) -> Result<Option<Vec<Reason>>, SolverError> {
    let mut reasons = Vec::new();
    let mut is_changed = false;
    for (at, transaction) in program.transactions.iter().enumerate() {
        let level = specification.levels[at];
        let mut open = Open::new(program, texts, specification, &[at]);
        let changes = open.changes_of(0, (table, column));
        if changes.is_empty() {
            continue;
        }
        is_changed = true;
        // More than one change, or one in a loop, would have to be compared with each other.
        if changes.len() > 1
            || changes[0].copy.is_some()
            || !level.is_atomic()
            || !level.sees_conflicts()
        {
            return Ok(None);
        }
        let falls = open.does_not_grow(0, &changes[0], column);
        if open.terms.is(falls, false) {
            continue;
        }
        let mut assertions = open.facts.clone();
        assertions.push(falls);
        let script = open.terms.script(&assertions);
        let definition = &program.tables[table.0 as usize];
        let name = format!("{}.{}", definition.name, definition.columns[column.0 as usize].name);
        let why = format!("{} makes {name} no greater", transaction.name);
        match ask.ask(&why, &script, &[])? {
            Answer::Unsat => reasons.push(Reason { why, script }),
            _ => return Ok(None),
        }
    }
    Ok(is_changed.then_some(reasons))
}
