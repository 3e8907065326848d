//! What statements do to an instance, and what it observes by them.

use super::super::database::{Answered, Held};
use super::super::observation::{Observation, Seen};
use super::super::text;
use super::{Frame, Phase, Result, Run};
use crate::program::{Expr, Place, Statement, StatementKind, Type, VariableId};

impl<'p> Run<'p> {
    pub(super) fn statement(&mut self, statement: &'p Statement) -> Result<()> {
        match &statement.kind {
            StatementKind::Select { query, into, strict } => {
                let Some(Answered { rows, .. }) = self.sql(statement)? else { return Ok(()) };
                if *strict && rows.len() != 1 {
                    let state = if rows.is_empty() { "P0002" } else { "P0003" };
                    self.fail(Observation::Error { place: statement.place, state: state.into() });
                    return self.roll_back();
                }
                self.set_found(!rows.is_empty());
                // Who puts a row into variables and does not ask FOUND cannot tell none from one of NULLs.
                let nulls = [into.iter().map(|_| Held::null(Type::Int)).collect()];
                let noted = match (into.is_empty(), &rows[..]) {
                    (false, []) if self.transaction.found.is_none() => &nulls,
                    (false, [first, ..]) => std::slice::from_ref(first),
                    _ => &rows[..],
                };
                self.note_rows(statement.place, noted, query.order.is_empty());
                let targets: Vec<Option<VariableId>> = into.iter().map(|&id| Some(id)).collect();
                self.take_row(&targets, rows)
            }
            StatementKind::Insert { returning, .. }
            | StatementKind::Update { returning, .. }
            | StatementKind::Delete { returning, .. } => {
                let Some(Answered { rows, affected }) = self.sql(statement)? else {
                    return Ok(());
                };
                self.note_change(statement, affected);
                if returning.is_empty() {
                    return Ok(());
                }
                self.note_rows(statement.place, &rows, true);
                let targets: Vec<Option<VariableId>> =
                    returning.iter().map(|(_, target)| *target).collect();
                self.take_row(&targets, rows)
            }
            StatementKind::Assign { variable, value } => {
                let Some(held) = self.value(value)? else { return Ok(()) };
                self.note_read(value, &held);
                self.assign(*variable, held)
            }
            StatementKind::If { arms, otherwise } => {
                self.stack.push(Frame::Arms(arms, otherwise));
                Ok(())
            }
            // INSERT … SELECT: the text is all of it.
            StatementKind::ForQuery { body, .. } if is_insert(body) => {
                let Some(Answered { affected, .. }) = self.sql(statement)? else {
                    return Ok(());
                };
                self.note_change(statement, affected);
                Ok(())
            }
            StatementKind::ForQuery { into, query, body } => {
                let Some(Answered { rows, .. }) = self.sql(statement)? else { return Ok(()) };
                self.note_rows(query.place, &rows, query.order.is_empty());
                self.stack.push(Frame::Loop { into, rounds: rows.into(), body, any: false });
                Ok(())
            }
            StatementKind::ForEach { variable, array, body } => {
                let array = self.variables[array.0 as usize].sql();
                let all = format!("SELECT * FROM unnest({array})");
                let Some(Answered { rows, .. }) = self.ask(&all, statement.place)? else {
                    return Ok(());
                };
                let into = std::slice::from_ref(variable);
                self.stack.push(Frame::Loop { into, rounds: rows.into(), body, any: false });
                Ok(())
            }
            StatementKind::ForRange { variable, low, high, body } => {
                let mut bounds = Vec::new();
                for bound in [low, high] {
                    let Some(held) = self.value(bound)? else { return Ok(()) };
                    self.note_read(bound, &held);
                    bounds.push(held.sql());
                }
                let all = format!("SELECT * FROM generate_series({})", bounds.join(", "));
                let Some(Answered { rows, .. }) = self.ask(&all, statement.place)? else {
                    return Ok(());
                };
                let into = std::slice::from_ref(variable);
                self.stack.push(Frame::Loop { into, rounds: rows.into(), body, any: false });
                Ok(())
            }
            StatementKind::Abort => {
                self.fail(Observation::Abort { place: statement.place });
                self.roll_back()
            }
            StatementKind::Return(value) => {
                if let Some(value) = value {
                    let Some(held) = self.value(value)? else { return Ok(()) };
                    let (place, value) = (value.place, held.text);
                    self.traced.observations.push(Observation::Return { place, value });
                }
                self.stack.clear();
                Ok(())
            }
            StatementKind::Skip => Ok(()),
        }
    }

    pub(super) fn fail(&mut self, why: Observation) {
        self.traced.observations.push(why);
        self.stack.clear();
        self.phase = Phase::Failed;
    }

    /// Ends the transaction at once: its locks go when it fails, not when its turn comes.
    fn roll_back(&mut self) -> Result<()> {
        let rolled = self.connection.run("ROLLBACK");
        rolled.map(|_| ()).map_err(|error| self.broken(self.transaction.place, "ROLLBACK", &error))
    }

    /// Puts the first row into targets; without one they are NULL.
    fn take_row(&mut self, targets: &[Option<VariableId>], rows: Vec<Vec<Held>>) -> Result<()> {
        let row = rows.into_iter().next();
        for (at, target) in targets.iter().enumerate() {
            let Some(target) = *target else { continue };
            let held = row.as_ref().and_then(|row| row.get(at).cloned());
            let ty = self.transaction.variables[target.0 as usize].ty;
            self.assign(target, held.unwrap_or_else(|| Held::null(ty)))?;
        }
        Ok(())
    }

    fn note_rows(&mut self, place: Place, rows: &[Vec<Held>], any_order: bool) {
        let mut rows: Vec<Seen> =
            rows.iter().map(|row| row.iter().map(|held| held.text.clone()).collect()).collect();
        if any_order {
            rows.sort();
        }
        self.traced.observations.push(Observation::Rows { place, rows });
    }

    /// What an expression that reads tables came to.
    pub(super) fn note_read(&mut self, expr: &Expr, held: &Held) {
        if text::reads(expr) {
            let (place, value) = (expr.place, held.text.clone());
            self.traced.observations.push(Observation::Value { place, value });
        }
    }

    /// A change found so many rows, which matters to who asks for FOUND.
    fn note_change(&mut self, statement: &Statement, affected: u64) {
        let (place, found) = (statement.place, affected > 0);
        self.set_found(found);
        if self.transaction.found.is_some() {
            self.traced.observations.push(Observation::Found { place, found });
        }
    }
    pub(super) fn set_found(&mut self, found: bool) {
        if let Some(variable) = self.transaction.found {
            self.variables[variable.0 as usize] = Held::bool(found);
        }
    }
}

/// Whether the body of a loop is the INSERT of an `INSERT … SELECT`, which has no text of its own.
fn is_insert(body: &[Statement]) -> bool {
    matches!(body, [Statement { kind: StatementKind::Insert { .. }, sql, .. }] if sql.is_empty())
}
